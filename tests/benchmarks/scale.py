"""Checks per second, memory and the time to the first verdict, against pieces, figures, triangles and workers.

    python -m tests.benchmarks.scale

The figures stand in the middle of the table among ten pieces of terrain; all further pieces stand round about, out of
nearly every view. Each line is measured in a process of its own, meshes cached. Memory is the most that this process
had at once; that of forked workers is what each adds to it, shared pages not counted again. "alone", "by 2" and "by 4"
are checks per second by so many processes, the best of a few runs, the time that forking takes included.

A second table tells of ten figures among ten pieces what a larger ``--error`` or ``--pixel`` gains and costs: checks a
second over a long run, the largest error against a view four times as fine, and the largest that was stated.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, permutations
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.groups import verdicts_of
from silhouette.renderers import choose
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import Readings
from silhouette.scenes.scene import Check
from tests.benchmarks.crowded_table import FIGURES, TERRAIN, loaded, places
from tests.support.rulings import ruled

MIDDLE = 10
"""Pieces of terrain among the figures."""

TIMED = 100
"""Checks that are timed, after each figure has looked once."""

LAPS = 3

WORKERS = (2, 4)
"""So many processes judge at the same time, after one alone."""

SETTINGS = ((0.1, 0.002), (0.1, 0.005), (0.1, 0.01), (0.2, 0.01))
"""Asked for by ``--pixel`` and ``--error``."""

LONG = 20
"""Times that everyone looks at everyone in a long run."""

HEADINGS = ("pieces", "figures", "triangles", "distinct", "load s", "first s", "alone", *map("by {}".format, WORKERS))
MEMORY = ("MB", "MB each")


@dataclass(frozen=True)
class Table:
    """What stands on a table.

    Attributes:
        pieces: of terrain.
        figures: that look at each other.
        detailed: whether the terrain is scans of 50,000 triangles or more each, instead of printed terrain.
    """

    pieces: int
    figures: int
    detailed: bool = False

    def document(self) -> dict[str, Any]:
        """The scene as a document, without checks."""
        kinds = FIGURES if self.detailed else [{"mesh": mesh, "units": "mm"} for mesh in TERRAIN]
        middle = places(self.figures + MIDDLE, seed=5, reach=420.0, apart=70.0)
        terrain = [*middle[self.figures :], *islice(_round_about(), self.pieces - MIDDLE)]
        facings = np.random.default_rng(6).integers(0, 360, self.figures + self.pieces).tolist()
        fighters = [
            {"name": f"figure {n}", "at": at, "facing": facings[n], "base": "none", "eye": [0, 0, 28]}
            | FIGURES[n % len(FIGURES)]
            for n, at in enumerate(middle[: self.figures])
        ]
        standing = [
            {"name": f"terrain {n}", "at": at, "facing": facings[self.figures + n]} | kinds[n % len(kinds)]
            for n, at in enumerate(terrain)
        ]
        return {"rules": "necromunda", "fighter": fighters, "terrain": standing, "readings": Readings().model_dump()}


def _round_about() -> Iterator[list[float]]:
    """Places 120 mm from each other in growing rings round the middle of the table."""
    for ring in range(1, 100):
        radius = 600.0 + 120.0 * ring
        for angle in np.arange(0.0, 2 * np.pi, 120.0 / radius):
            yield [float(radius * np.cos(angle)), float(radius * np.sin(angle))]


def measured(table: Table) -> tuple[float, ...]:
    """One line: see `HEADINGS` and `MEMORY`."""
    start = time.perf_counter()
    scene = loaded(table.document())
    read = time.perf_counter() - start
    renderer = choose("embree")
    names = [piece.name for piece in scene.pieces if piece.kind == "fighter"]
    ruled(NECROMUNDA, scene, Check(names[0], names[1]), renderer, 0.1)
    first = time.perf_counter() - start
    for number, name in enumerate(names):
        ruled(NECROMUNDA, scene, Check(name, names[number - 1]), renderer, 0.1)
    pairs = list(permutations(names, 2))
    chosen = np.random.default_rng(7).choice(len(pairs), min(TIMED, len(pairs)), replace=False)
    checks = [Check(*pairs[number]) for number in chosen]
    alone = 1.0 / min_seconds(lambda check: ruled(NECROMUNDA, scene, check, renderer, 0.1), checks)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    together, each = dict.fromkeys(WORKERS, 0.0), [0.0]
    for workers in WORKERS * LAPS:
        start, looked = time.perf_counter(), False
        for _ in verdicts_of(scene, checks, renderer, 0.1, workers):
            if not looked:
                each += [_private(child.pid) for child in multiprocessing.active_children() if child.pid]
            looked = True
        together[workers] = max(together[workers], len(checks) / (time.perf_counter() - start))
    meshes = [piece.model.significant for piece in scene.pieces]
    triangles = sum(len(mesh.faces) for mesh in meshes)
    distinct = sum({mesh.digest: len(mesh.faces) for mesh in meshes}.values())
    return table.pieces, table.figures, triangles, distinct, read, first, alone, *together.values(), most, max(each)


def min_seconds(judge: Callable[[Check], object], checks: Sequence[Check]) -> float:
    """Seconds per check, of each the least of a few: what others do on the machine is left out."""
    taken = np.empty((LAPS, len(checks)))
    for lap, number in np.ndindex(taken.shape):
        start = time.perf_counter()
        judge(checks[number])
        taken[lap, number] = time.perf_counter() - start
    return float(taken.min(axis=0).mean())


def _private(process: int) -> float:
    """Megabytes that a process shares with nobody; 0 where the system does not tell."""
    rollup = Path(f"/proc/{process}/smaps_rollup")
    lines = rollup.read_text().splitlines() if os.path.exists(rollup) else []
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def main() -> None:
    """Prints the table."""
    print("".join(f"{heading:>11}" for heading in (*HEADINGS, *MEMORY)))
    tables = [Table(pieces, figures) for figures in (10, 40) for pieces in (10, 100, 1000)]
    tables += [Table(pieces, 10, detailed=True) for pieces in (10, 1000)]
    for table in tables:
        line = multiprocessing.get_context("spawn").Process(target=_print, args=(table,))
        line.start()
        line.join()

    print(f"cost per check, 1,000 pieces to 10, pair by pair in turn: {ratio():.2f}-fold\n")
    print(
        "".join(f"{heading:>15}" for heading in ("--pixel", "--error", "alone", "by 2", "worst error", "most stated"))
    )
    for pixel, error, alone, together, worst, stated in fineness():
        print(f"{pixel:>14} {error:>14.1%} {alone:>14.0f} {together:>14.0f} {worst:>14.2%} {stated:>14.2%}", flush=True)


def fineness() -> Iterator[tuple[float, ...]]:
    """For each of `SETTINGS`: it, checks per second by one process and by two, the worst error, the largest stated.

    The best of a few laps, in which all of them come in turn.
    """
    scene, renderer = loaded(Table(10, 10).document()), choose("embree")
    names = [piece.name for piece in scene.pieces if piece.kind == "fighter"]
    checks = [Check(*pair) for pair in permutations(names, 2)]
    exact = [ruled(NECROMUNDA, replace(scene, error=1e-4), check, renderer, 0.025).occluded for check in checks]
    seconds = np.empty((LAPS, len(SETTINGS), 2))
    for lap, number in np.ndindex(seconds.shape[:2]):
        pixel, error = SETTINGS[number]
        rough = replace(scene, error=error)
        alone = min_seconds(partial(NECROMUNDA.judge, rough, renderer=renderer, pixel=pixel), checks)
        start = time.perf_counter()
        done = sum(1 for _ in verdicts_of(rough, checks * LONG, renderer, pixel, 2))
        seconds[lap, number] = alone, (time.perf_counter() - start) / done
    for (pixel, error), rates in zip(SETTINGS, 1.0 / seconds.min(axis=0), strict=True):
        verdicts = [ruled(NECROMUNDA, replace(scene, error=error), check, renderer, pixel) for check in checks]
        worst = max(abs(verdict.occluded - share) for verdict, share in zip(verdicts, exact, strict=True))
        yield pixel, error, *rates.tolist(), worst, max(verdict.counts.error for verdict in verdicts)


def ratio() -> float:
    """What a check of ten figures costs among a thousand pieces, in terms of what it costs among ten."""
    renderer = choose("embree")
    scenes = [loaded(Table(pieces, 10).document()) for pieces in (10, 1000)]
    names = [piece.name for piece in scenes[0].pieces if piece.kind == "fighter"]
    checks = [Check(*pair) for pair in permutations(names, 2)]
    taken = np.empty((LAPS + 1, len(checks), 2))
    for lap, number, which in np.ndindex(taken.shape):
        start = time.perf_counter()
        ruled(NECROMUNDA, scenes[which], checks[number], renderer, 0.1)
        taken[lap, number, which] = time.perf_counter() - start
    few, many = taken[1:].min(axis=0).mean(axis=0)
    return float(many / few)


def _print(table: Table) -> None:
    numbers = measured(table)
    words = [f"{number:>11,}" for number in numbers[:4]] + [f"{number:>11.2f}" for number in numbers[4:6]]
    print("".join(words + [f"{number:>11.0f}" for number in numbers[6:]]), flush=True)


if __name__ == "__main__":
    main()
