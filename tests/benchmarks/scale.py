"""How do time and memory grow with pieces, figures, triangles and processes? What do ``--error`` and ``--pixel`` buy?

Figures among ten pieces of terrain; further pieces stand out of nearly every view. Meshes are cached. *MB* is the peak
of this process, *MB more* what a forked worker adds. Checks a second are the best of a few runs. Wanted: at most 400
MB.

The second table has ten figures of 50,000 triangles or more; errors are against a view four times as fine (the median
of pairs that are partly obscured). Wanted: 2,000 a second with ``--error 0.01`` and two processes, no error above 0.5
%. The third compares a check among a thousand pieces with one among ten, in turn: 1.2 is wanted.

``python -m tests.benchmarks.scale --renderer cuda [--device NAME]`` measures another renderer.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice, permutations
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.judging import JudgingOptions, judge, judge_all
from silhouette.renderers import choose
from silhouette.renderers.registry import looking_between_pixels, survives_fork
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import Readings
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from tests.benchmarks.crowded_table import FIGURES, TERRAIN, loaded, places
from tests.benchmarks.tables import Options, Table, options_of, progress, show
from tests.support.rulings import ruled

MIDDLE = 10
"""Pieces of terrain among the figures."""

TIMED = 100
"""Checks that are timed, after each figure has looked once."""

LAPS = 3

WORKERS = (1, 2, 4)
"""So many processes judge at the same time."""

SETTINGS = ((0.1, 0.002), (0.1, 0.005), (0.1, 0.01), (0.2, 0.01))
"""Asked for by ``--pixel`` and ``--error``."""

LONG = 10
"""Times that everyone looks at everyone in a long run."""

COLUMNS = (
    "",
    "triangles",
    "in distinct meshes",
    "loaded, s",
    "first verdict, s",
    "checks a second, one process",
    *map("{} processes".format, WORKERS[1:]),
    "MB",
    "MB more",
)
FINE_COLUMNS = (
    "",
    "checks a second, one process",
    "two processes",
    "median error",
    "worst error",
    "largest stated error",
)

OF_SEVERAL = {*COLUMNS[6:8], "MB more", FINE_COLUMNS[2]}
"""Columns that need a renderer that can be forked."""


@dataclass(frozen=True)
class Layout:
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


def workers_of(renderer: str) -> tuple[int, ...]:
    """How many processes judge at the same time, each number in turn; one where the renderer cannot be forked."""
    return WORKERS if survives_fork(renderer) else WORKERS[:1]


def columns_of(columns: tuple[str, ...], renderer: str) -> tuple[str, ...]:
    """The columns without those of several processes, where the renderer cannot be forked.

    >>> columns_of(FINE_COLUMNS, "embree") == FINE_COLUMNS
    True
    >>> columns_of(FINE_COLUMNS, "cuda")[1:3]
    ('checks a second, one process', 'median error')
    """
    return columns if survives_fork(renderer) else tuple(one for one in columns if one not in OF_SEVERAL)


def measured(table: Layout, laps: int, name: str, device: str | None) -> tuple[float, ...]:
    """The numbers of one row: see `COLUMNS`, and `columns_of`."""
    start = time.perf_counter()
    scene = loaded(table.document())
    read = time.perf_counter() - start
    renderer = choose(name, device)
    names = [piece.name for piece in scene.pieces if piece.kind == "fighter"]
    ruled(NECROMUNDA, scene, Check(names[0], names[1]), renderer, 0.1)
    first = time.perf_counter() - start
    for number, one in enumerate(names):
        ruled(NECROMUNDA, scene, Check(one, names[number - 1]), renderer, 0.1)
    pairs = list(permutations(names, 2))
    chosen = np.random.default_rng(7).choice(len(pairs), min(TIMED, len(pairs)), replace=False)
    checks = [Check(*pairs[number]) for number in chosen]
    rates, each = dict.fromkeys(workers_of(name), 0.0), [0.0]
    for workers in workers_of(name) * laps:
        start, looked = time.perf_counter(), False
        for _ in judge([(scene, check) for check in checks], JudgingOptions(renderer, pixel=0.1, workers=workers)):
            if not looked:
                each += [_private(child.pid) for child in multiprocessing.active_children() if child.pid]
            looked = True
        rates[workers] = max(rates[workers], len(checks) / (time.perf_counter() - start))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    meshes = [piece.model.significant for piece in scene.pieces]
    triangles = sum(len(mesh.faces) for mesh in meshes)
    distinct = sum({mesh.digest: len(mesh.faces) for mesh in meshes}.values())
    more = [max(each)] if survives_fork(name) else []
    return triangles, distinct, read, first, *rates.values(), most, *more


def _private(process: int) -> float:
    """Megabytes that a process shares with nobody; 0 where the system does not tell."""
    rollup = Path(f"/proc/{process}/smaps_rollup")
    lines = rollup.read_text().splitlines() if os.path.exists(rollup) else []
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def tables(options: Options) -> Iterator[Table]:
    """Layouts; fineness; the cost of a thousand pieces."""
    rows, laps = [], options.laps(LAPS)
    name, device = options.renderer, options.device
    layouts = [Layout(pieces, figures) for figures in (10, 40) for pieces in (10, 100, 1000)]
    layouts += [Layout(pieces, 10, detailed=True) for pieces in (10, 1000)]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as executor:
        for layout in layouts if options.rounds is None else layouts[: 2 * options.rounds]:
            numbers = executor.submit(measured, layout, laps, name, device).result()
            words = [f"{number:,}" for number in numbers[:2]] + [f"{number:.2f}" for number in numbers[2:4]]
            words += [f"{number:.0f}" for number in numbers[4:]]
            detailed = ", scanned" if layout.detailed else ""
            rows.append(progress((f"{layout.figures} figures, {layout.pieces:,} pieces{detailed}", *words)))
    yield Table(options.titled("Growth"), columns_of(COLUMNS, name), tuple(rows), compared=(COLUMNS[5], "MB"))
    fine = columns_of(FINE_COLUMNS, name)
    compared = tuple(one for one in fine[1:] if one != "median error")
    yield Table(options.titled("Settings"), fine, tuple(fineness(laps, name, device)), compared=compared)
    rows = [("a thousand pieces to ten", f"{ratio(laps, name, device):.2f}")]
    yield Table(options.titled("Cost of a check"), ("", "ratio"), tuple(rows), compared=("ratio",))


def everyone(scene: TableScene) -> list[Check]:
    """A check of every figure with every other one."""
    names = [piece.name for piece in scene.pieces if piece.kind == "fighter"]
    return [Check(*pair) for pair in permutations(names, 2)]


def truth(scene: TableScene, checks: Sequence[Check]) -> list[float]:
    """The share that is obscured in each check, by rays on the CPU in a view four times as fine."""
    renderer, fine = looking_between_pixels(), replace(scene, error=1e-4)
    return [ruled(NECROMUNDA, fine, check, renderer, 0.025).occluded for check in checks]


def errors_of(
    scene: TableScene, checks: Sequence[Check], exact: Sequence[float], options: JudgingOptions
) -> tuple[float, float, float]:
    """The median error of the checks that are partly obscured, the largest of all, and the largest that is stated."""
    verdicts: list[Any] = [one.verdict for one in judge_all([(scene, check) for check in checks], options)]
    off = np.array([abs(verdict.occluded - share) for verdict, share in zip(verdicts, exact, strict=True)])
    partly = np.array([0.0 < share < 1.0 for share in exact])
    stated = max(verdict.counts.error for verdict in verdicts)
    return float(np.median(off[partly])), float(off.max()), float(stated)


def fineness(laps: int, name: str, device: str | None) -> Iterator[tuple[str, ...]]:
    """For each of `SETTINGS` a row: see `FINE_COLUMNS`. The best of some laps, in which all of them come in turn."""
    scene, renderer = loaded(Layout(10, 10).document()), choose(name, device)
    checks = everyone(scene)
    exact = truth(scene, checks)
    numbers = workers_of(name)[:2]
    seconds = np.empty((laps, len(SETTINGS), len(numbers)))
    for lap, number in np.ndindex(seconds.shape[:2]):
        pixel, error = SETTINGS[number]
        rough = replace(scene, error=error)
        for which, workers in enumerate(numbers):
            start = time.perf_counter()
            options = JudgingOptions(renderer, pixel=pixel, workers=workers)
            done = len(judge_all([(rough, check) for check in checks * LONG], options))
            seconds[lap, number, which] = (time.perf_counter() - start) / done
    for (pixel, error), rates in zip(SETTINGS, 1.0 / seconds.min(axis=0), strict=True):
        errors = errors_of(replace(scene, error=error), checks, exact, JudgingOptions(renderer, pixel=pixel))
        yield progress((asked(pixel, error), *(f"{rate:.0f}" for rate in rates), *map(percent, errors)))


def asked(pixel: float, error: float) -> str:
    """A setting as it is asked for on the command line."""
    return f"`--pixel {pixel:g} --error {error:g}`"


def percent(share: float) -> str:
    """A share in per cent, with two decimals."""
    return f"{100 * share:.2f} %"


def ratio(laps: int, name: str, device: str | None) -> float:
    """What a check of ten figures costs among a thousand pieces, in terms of what it costs among ten."""
    renderer = choose(name, device)
    scenes = [loaded(Layout(pieces, 10).document()) for pieces in (10, 1000)]
    checks = everyone(scenes[0])
    taken = np.empty((laps + 1, len(checks), 2))
    for lap, number, which in np.ndindex(taken.shape):
        start = time.perf_counter()
        ruled(NECROMUNDA, scenes[which], checks[number], renderer, 0.1)
        taken[lap, number, which] = time.perf_counter() - start
    few, many = taken[1:].min(axis=0).mean(axis=0)
    return float(many / few)


def main() -> None:
    """Prints the tables."""
    show(tables(options_of(any_renderer=True)))


if __name__ == "__main__":
    main()
