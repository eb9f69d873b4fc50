"""JUDGE, first half of Ikosa: which lines are drawn from an attacker to a target, and which of them terrain hinders.

The source text knows attackers of one cell. An attacker of several cells attacks from the best one for it, in melee
against the best neighbouring cell of the target, as in the rules of D&D 3.5 that Ikosa rests on; each of its cells is
supported, or not, by what lies under that cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np

from silhouette.common.time_limit import go_on
from silhouette.geometry import Flags
from silhouette.rules.ikosa.cell_lines import (
    Cell,
    Face,
    Point,
    are_adjacent,
    corners_of,
    corners_on,
    faces_seen_from,
    faces_towards,
    holds,
)
from silhouette.rules.ikosa.entries import Exposure
from silhouette.rules.ikosa.scene import CellScene, Creature

LineRule = Literal["one cell", "melee", "ranged", "out of reach"]
"""The rule by which lines are drawn: none within one cell; from cell to neighbouring cell in melee; from a point to the
whole creature at range; the same out of reach, where the mode is melee but no cells are neighbours."""

CellFace = tuple[Cell, Face]


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines from every source point to every target point, and which of them terrain hinders.

    Attributes:
        source_cell: the attacker's cell from which the lines run; None where no lines are drawn.
        target_cell: the target's one cell that is attacked; None where it is the whole target.
        sources, targets: the points, sorted.
        hindered: (sources, targets) bool, whether terrain hinders each line.
        solids: the numbers of the boxes in the way.
        gravity_face_excluded: whether the corners only on the attacker's gravity face are left out of the sources (R9).
    """

    source_cell: Cell | None = None
    target_cell: Cell | None = None
    sources: tuple[Point, ...] = ()
    targets: tuple[Point, ...] = ()
    hindered: Flags = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    solids: tuple[int, ...] = ()
    gravity_face_excluded: bool = False

    @property
    def count(self) -> int:
        """The number of lines."""
        return len(self.sources) * len(self.targets)

    @property
    def blocked(self) -> int:
        """The number of lines that are hindered."""
        return int(self.hindered.sum())

    @property
    def share(self) -> Fraction:
        """The share of the lines that is hindered; 0 where there are none."""
        return Fraction(self.blocked, max(self.count, 1))


def lines_between(
    scene: CellScene, attacker: Creature, target: Creature, point: Point | None, exposure: Exposure
) -> tuple[LineRule, Lines]:
    """The rule by which lines are drawn, and the lines that decide; of several possible sets the attacker's best."""
    if set(attacker.cells) & set(target.cells):
        return "one cell", Lines()
    neighbours = [pair for pair in product(attacker.cells, target.cells) if are_adjacent(*pair)]
    if scene.mode == "melee" and neighbours:
        return "melee", _best([_melee(scene, attacker, *pair) for pair in neighbours])
    shot = _best(_shots(scene, attacker, target, point, exposure))
    return "ranged" if scene.mode == "ranged" else "out of reach", shot


def _melee(scene: CellScene, attacker: Creature, source: Cell, target: Cell) -> Lines:
    """The lines from a cell to a neighbouring cell, between the faces that they turn to each other (R5 to R10)."""
    faces = faces_towards(source, target)
    down = attacker.gravity
    # The gravity face stays where it is the only one (A4): without it there would be no corners to attack from.
    needed = down in faces and len(faces) > 1
    excluded = needed and not attacker.flying and scene.solids.touch(source, down)
    sources = tuple(sorted(corners_on(source, faces - {down} if excluded else faces)))
    targets = tuple(sorted(corners_on(target, faces_towards(target, source))))
    return Lines(source, target, sources, targets, *scene.solids.crossings(sources, targets), excluded)


def _shots(
    scene: CellScene, attacker: Creature, target: Creature, point: Point | None, exposure: Exposure
) -> list[Lines]:
    """The lines from a point to the whole target (R12 to R14), from the best point for each set of exposed faces."""
    own = frozenset(target.cells)
    alike: dict[frozenset[CellFace], dict[Point, Cell]] = {}
    for cell in _cells_at(attacker, point):
        go_on()
        to_cell = _exposed(own, partial(faces_towards, towards=cell)) if exposure == "cells" else None
        for corner in corners_of(cell) if point is None else [point]:
            faces = _exposed(own, partial(faces_seen_from, corner)) if to_cell is None else to_cell
            alike.setdefault(faces, {}).setdefault(corner, cell)
    return [_best_shot(scene, sources, faces) for faces, sources in alike.items()]


def _exposed(own: frozenset[Cell], facing: Callable[[Cell], frozenset[Face]]) -> frozenset[CellFace]:
    """The faces of a target's own cells that are exposed to a cell or to a point (A9), none between two of them."""
    return frozenset((cell, face) for cell in own for face in facing(cell) if face.beyond(cell) not in own)


def _best_shot(scene: CellScene, sources: dict[Point, Cell], faces: frozenset[CellFace]) -> Lines:
    """The lines to all corners of some faces, from the one of several points from which the fewest are hindered."""
    targets = tuple(sorted({corner for cell, face in faces for corner in corners_on(cell, [face])}))
    points = sorted(sources)
    blocked = scene.solids.crossings(points, targets).hindered.sum(axis=1)
    best = points[int(blocked.argmin())]
    return Lines(sources[best], None, (best,), targets, *scene.solids.crossings([best], targets))


def _cells_at(attacker: Creature, point: Point | None) -> Sequence[Cell]:
    """The attacker's cells that an attack from a point may come from: those that hold it, or all where none does."""
    holding = [cell for cell in attacker.cells if point is not None and holds(cell, point)]
    return holding or attacker.cells


def _best(possible: Sequence[Lines]) -> Lines:
    """The attacker's choice: the smallest share of hindered lines (A5), then a fixed order among equals."""

    def preference(lines: Lines) -> tuple[Any, ...]:
        numbers = (lines.count == 0, lines.share, lines.count, len(lines.sources), lines.gravity_face_excluded)
        return (*numbers, lines.source_cell, lines.target_cell or (), lines.sources)

    return min(possible, key=preference)
