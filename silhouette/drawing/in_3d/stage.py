"""DRAW: the 3D stage of a page, for every rule system: shapes, pieces in their places, and the sights of checks.

scene, verdicts -> Stage (a builder for each kind of scene) -> JSON for ``viewer/source/stage.js``
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from silhouette.drawing.in_3d.packing import packed
from silhouette.drawing.in_3d.simplifying import Shape
from silhouette.geometry import Floats, Pose

LineKind = Literal["sight", "free", "blocked", "arc"]

LINES_OF_GRID = 40
"""The most lines on the floor, in one direction."""

GRID_STEPS = (1.0, 25.4, 50.8, 127.0, 254.0, 508.0, 1270.0)
"""The distances between two lines: a cell or hex, or whole inches."""


@dataclass(frozen=True, eq=False)
class Item:
    """A piece on the stage.

    Attributes:
        name: its name, in words.
        kind: its kind in the rule system, such as "terrain" or "fighter".
        shape: the number of its shape.
        pose: its place and rotation.
        colour: its colour as ``#rrggbb``, or None for that of its part and kind.
        opacity: its opacity, less than 1 where it is seen through.
        listed: whether a reader can hide it by name.
    """

    name: str
    kind: str
    shape: int
    pose: Pose
    colour: str | None = None
    opacity: float = 1.0
    listed: bool = True


@dataclass(frozen=True)
class Line:
    """A line that a check rests on.

    Attributes:
        kind: the kind of line, which decides its colour.
        points: the points (x, y, z) of the line, in order.
    """

    kind: LineKind
    points: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, eq=False)
class Sight:
    """A check on the stage.

    Attributes:
        check: its number in the page, from 0.
        attacker, target: the numbers of their items; None where there is none.
        blockers: the numbers of the items in the way.
        aside: the numbers of the items that are disregarded.
        eye: (3,) the point from which the attacker looks; None where the rules know no eye.
        measured: whether the target is coloured by the items before it, seen from the eye.
        free: whether the target is seen, where it is not measured.
        apex: (2,) the point where the vision arcs begin; None where the attacker looks all round.
        arcs: the right and left edges of the vision arcs, (4,) each; None where the attacker looks all round.
        lines: the lines to draw.
    """

    check: int
    attacker: int | None
    target: int | None
    blockers: tuple[int, ...] = ()
    aside: tuple[int, ...] = ()
    eye: Floats | None = None
    measured: bool = False
    free: bool = True
    apex: Floats | None = None
    arcs: tuple[tuple[float, ...], ...] | None = None
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, eq=False)
class Stage:
    """The 3D picture of one scene: shapes, items, and a sight for each check.

    Attributes:
        shapes: the shapes, each once.
        items: the pieces.
        sights: the sights of the checks that have something to show.
        remarks: remarks on this picture, a sentence each.
        floor: the height of the table, or None where there is none.
        unit: the least distance between two lines on the floor.
    """

    shapes: tuple[Shape, ...]
    items: tuple[Item, ...]
    sights: tuple[Sight, ...]
    remarks: tuple[str, ...]
    floor: float | None = 0.0
    unit: float = 1.0

    @property
    def triangles(self) -> int:
        """The number of triangles of all shapes, each counted once."""
        return sum(len(shape.faces) for shape in self.shapes)

    def document(self, words: Mapping[str, Any], about: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """Everything for the viewer, ready for JSON.

        Args:
            words: the phrases of the viewer.
            about: for each check of the page the values that are put into its words.
        """
        shapes, text = packed(self.shapes)
        return {
            "words": dict(words),
            "shapes": shapes,
            "packed": text,
            "pieces": [_item(item) for item in self.items],
            "views": [{**about[sight.check], **sight_entry(sight)} for sight in self.sights],
            "floor": self._floor(),
        }

    def _floor(self) -> dict[str, Any] | None:
        if self.floor is None:
            return None
        points = [
            item.pose.place(np.array([shape.vertices.min(axis=0), shape.vertices.max(axis=0)]))[:, :2]
            for item in self.items
            if len((shape := self.shapes[item.shape]).vertices)
        ]
        low, high = np.concatenate(points).min(axis=0), np.concatenate(points).max(axis=0)
        room = 0.12 * float((high - low).max())
        across = float((high - low).max()) + 2 * room
        steps = [step for step in GRID_STEPS if step >= self.unit] or [self.unit]
        step = next((step for step in steps if across / step <= LINES_OF_GRID), steps[-1])
        step = max(step, across / (4 * LINES_OF_GRID))
        left, front = np.floor((low - room) / step) * step
        right, back = np.ceil((high + room) / step) * step
        span = [[_short(left), _short(front)], [_short(right), _short(back)]]
        return {"height": _short(self.floor), "step": _short(step), "span": span}


def _item(item: Item) -> dict[str, Any]:
    matrix = np.column_stack([item.pose.rotation, item.pose.translation])
    entry: dict[str, Any] = {
        "name": item.name,
        "kind": item.kind,
        "shape": item.shape,
        "pose": [round(float(value), 6) for value in matrix.ravel()],
    }
    if item.colour is not None:
        entry["colour"] = item.colour
    if item.opacity < 1.0:
        entry["opacity"] = item.opacity
    return entry


def sight_entry(sight: Sight) -> dict[str, Any]:
    """A sight for the viewer, ready for JSON."""
    entry: dict[str, Any] = {
        "attacker": sight.attacker,
        "target": sight.target,
        "blockers": list(sight.blockers),
        "aside": list(sight.aside),
        "eye": None if sight.eye is None else [_short(value) for value in sight.eye],
        "measured": sight.measured,
        "free": sight.free,
        "lines": [
            {"kind": line.kind, "points": [[_short(value) for value in point] for point in line.points]}
            for line in sight.lines
        ],
    }
    if sight.apex is not None and sight.arcs is not None:
        entry["apex"] = [_short(value) for value in sight.apex]
        entry["arcs"] = [[round(value, 9) for value in arc] for arc in sight.arcs]
    return entry


def _short(value: float) -> float:
    return round(float(value), 4) + 0.0
