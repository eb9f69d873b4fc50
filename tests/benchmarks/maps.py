"""How long does a map take, and how much of it is left marginal?

A table of 44 x 60 inches: 13 figures and 30 pieces of terrain, real meshes. One figure is put on every place; one
other looks at it, or all twelve do. Loading is not counted; CPU seconds are those of both processes. Wanted, on two
cores: 3 s for one attacker and an inch, 8 s for half an inch, 15 s for twelve attackers and an inch.

*Where no check is*: marginal places that ``silhouette check`` would not call so; at most 3 % are wanted. ``python -m
tests.benchmarks.maps --renderer cuda [--device NAME]`` measures with another renderer.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator

import numpy as np

from silhouette.judging.maps import Map, MapRequest, map_of
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.abilities import maps_of
from silhouette.rules.base import Settings
from tests.benchmarks.crowded_table import loaded, wide_document
from tests.benchmarks.tables import Options, Table, options_of, show

FIGURES_THERE, PIECES_THERE = 13, 30
PROCESSES = 2
TASKS = (
    ("one attacker, an inch", ("figure 1",), 25.4),
    ("one attacker, half an inch", ("figure 1",), 12.7),
    ("twelve attackers, an inch", (), 25.4),
)


def _cpu() -> float:
    """CPU seconds of this process and of those that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _needless(drawn: Map, settings: Settings) -> int:
    """How many marginal places no check calls marginal."""
    rule = rule_called(drawn.scene.rules)
    places = maps_of(rule, drawn.scene).places(drawn.scene, drawn.request.move)
    count = 0
    for number in np.flatnonzero(drawn.marginal):
        x, y, z = drawn.cells.at[number].tolist()
        scene = places.scene_at(np.array([x, y]), z)
        rulings = rule.judge([(scene, check) for check in drawn.checks], settings)
        count += not any(ruling.row()["marginal"] for ruling in rulings)
    return count


def tables(options: Options) -> Iterator[Table]:
    """Seconds of each map, and the share of its places that are marginal."""
    scene = loaded(wide_document(FIGURES_THERE, PIECES_THERE))
    triangles = sum(len(piece.model.mesh.faces) for piece in scene.pieces)
    settings = Settings(choose(options.renderer, options.device), 0.1)
    rows = []
    for name, attackers, grid in TASKS:
        start, cpu = time.perf_counter(), _cpu()
        drawn = map_of(scene, MapRequest("figure 0", attackers, grid=grid), settings, PROCESSES)
        taken, worked = time.perf_counter() - start, _cpu() - cpu
        standing = int(drawn.cells.stands.sum())
        marginal = int(drawn.marginal.sum())
        shares = [f"{100 * count / standing:.2f} %" for count in (marginal, _needless(drawn, settings))]
        rows.append((name, str(len(drawn.index)), str(standing), f"{taken:.1f}", f"{worked:.1f}", *shares))
    columns = ("", "places", "standing", "s", "CPU s", "marginal", "where no check is")
    notes = (f"{triangles:,} triangles.".replace(",", " "),)
    title = options.titled("Maps of a table of 44 x 60 inches")
    yield Table(title, columns, tuple(rows), notes, compared=("s", "CPU s"))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of(any_renderer=True)))


if __name__ == "__main__":
    main()
