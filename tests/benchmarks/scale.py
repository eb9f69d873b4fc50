"""How do time and memory grow with pieces, figures, triangles and processes, and with how fine a scanned table is?

Figures among ten pieces of terrain; further pieces stand out of nearly every view. Meshes are cached. *MB* is the peak
of this process, *MB more* what a forked worker adds. Checks a second are the best of a few runs; none keeps silhouettes
of the one before. Wanted: at most 400 MB.

The second table has hilly ground, rough as scans are, as one piece of terrain, in ever more triangles; eight figures
stand on it, and everyone looks at everyone. The third compares a check among a thousand pieces with one among ten, in
turn: 1.2 is wanted.

``python -m tests.benchmarks.scale --renderer cuda [--device NAME]`` measures another renderer.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice, permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import trimesh

from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, judge, judge_all
from silhouette.measure.silhouettes import silhouette_alone
from silhouette.renderers import choose
from silhouette.renderers.registry import survives_fork
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import Readings
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from tests.benchmarks.crowded_table import FIGURES, MODELS, OWN_FIGURES, TERRAIN, loaded, places
from tests.benchmarks.tables import Options, Table, options_of, progress, show
from tests.support.rulings import ruled

MIDDLE = 10
"""Pieces of terrain among the figures."""

TIMED = 100
"""Checks that are timed, after each figure has looked once."""

LAPS = 3

WORKERS = (1, 2, 4)
"""So many processes judge at the same time."""

GROUND, GROUND_WIDTH = (100, 275, 550), 900.0
"""Squares along each side of scanned ground, and how wide that is, in mm."""

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
GROUND_COLUMNS = ("", "triangles", "loaded, s", "first verdict, s", "ms of CPU a check")

OF_SEVERAL = {*COLUMNS[6:8], "MB more"}
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

    >>> columns_of(COLUMNS, "embree") == COLUMNS
    True
    >>> columns_of(COLUMNS, "cuda")[5:]
    ('checks a second, one process', 'MB')
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
        silhouette_alone.forget()
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
    numbers = GROUND if options.rounds is None else GROUND[: 1 + options.rounds]
    ground = tuple(on_ground(number, laps, name, device) for number in numbers)
    yield Table(options.titled("Scanned ground"), GROUND_COLUMNS, ground, compared=(GROUND_COLUMNS[-1],))
    rows = [("a thousand pieces to ten", f"{ratio(laps, name, device):.2f}")]
    yield Table(options.titled("Cost of a check"), ("", "ratio"), tuple(rows), compared=("ratio",))


def everyone(scene: TableScene) -> list[Check]:
    """A check of every figure with every other one."""
    names = [piece.name for piece in scene.pieces if piece.kind == "fighter"]
    return [Check(*pair) for pair in permutations(names, 2)]


def ground_mesh(squares: int) -> trimesh.Trimesh:
    """Ground with rocks and the noise of a scan, two triangles a square; the same rocks whatever their number."""
    across = np.linspace(-0.5, 0.5, squares + 1) * GROUND_WIDTH
    x, y = np.meshgrid(across, across, indexing="ij")
    random = np.random.default_rng(3)
    height = np.zeros_like(x)
    for column, row, high, wide in random.uniform([-420, -420, 10, 15], [420, 420, 80, 60], (60, 4)):
        height = np.maximum(height, high * np.clip(1.6 - np.hypot(x - column, y - row) / wide, 0.0, 1.0))
    height += random.normal(0.0, 0.15, x.shape)
    number = np.arange(x.size).reshape(x.shape)
    a, b, c, d = (each.ravel() for each in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    faces = np.concatenate([np.column_stack(corners) for corners in ((a, b, c), (a, c, d))])
    return trimesh.Trimesh(np.stack([x, y, height], axis=-1).reshape(-1, 3), faces, process=False)


def on_ground(squares: int, laps: int, name: str, device: str | None) -> tuple[str, ...]:
    """Loads the ground, with so many squares along each side, judges the figures on it, and gives its row of the table,
    with `GROUND_COLUMNS`.
    """
    mesh, random = ground_mesh(squares), np.random.default_rng(5)
    fighters = [
        {"name": f"figure {number}", "model": str(MODELS / f"{OWN_FIGURES[number % 6]}.toml"), "on": "surface"}
        | {"at": random.uniform(-380, 380, 2).round(1).tolist(), "facing": int(random.integers(360))}
        for number in range(8)
    ]
    with TemporaryDirectory() as folder:
        mesh.export(f"{folder}/ground.ply")
        terrain = [{"name": "ground", "mesh": "ground.ply", "units": "mm", "at": [0, 0]}]
        document = {"rules": "necromunda", "fighter": fighters, "terrain": terrain}
        start = time.perf_counter()
        scene: TableScene = NECROMUNDA.load(Path(folder) / "ground.toml", document, Cache.default())
        read, renderer = time.perf_counter() - start, choose(name, device)
    requests = [(scene, check) for check in everyone(scene)]
    judge_all(requests[:1], JudgingOptions(renderer, pixel=0.1))
    first, taken = time.perf_counter() - start, list[float]()
    for _ in range(laps):
        silhouette_alone.forget()
        lap = time.process_time()
        judge_all(requests, JudgingOptions(renderer, pixel=0.1))
        taken.append((time.process_time() - lap) / len(requests))
    words = f"{len(mesh.faces):,}", f"{read:.2f}", f"{first:.2f}", f"{min(taken) * 1e3:.1f}"
    return progress((f"{squares} squares along each side", *words))


def ratio(laps: int, name: str, device: str | None) -> float:
    """What a check of ten figures costs among a thousand pieces, in terms of what it costs among ten."""
    renderer = choose(name, device)
    scenes = [loaded(Layout(pieces, 10).document()) for pieces in (10, 1000)]
    checks = everyone(scenes[0])
    taken = np.empty((laps + 1, len(checks), 2))
    for lap, number, which in np.ndindex(taken.shape):
        silhouette_alone.forget()
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
