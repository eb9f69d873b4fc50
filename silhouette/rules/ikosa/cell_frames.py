"""DRAW: boxes in space, seen from above and from one side without perspective: viewpoint, visible faces, drawing order.

Lengths are in sides of a cell. A viewpoint is chosen from which the used corners lie well apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from silhouette.geometry import Floats
from silhouette.rules.ikosa.cell_lines import Cell, Face, Solids

AZIMUTHS = tuple(quarter + turn for quarter in (-90, 180, 0, 90) for turn in (28, 62, 40))
HEIGHTS = (24, 32)
"""The directions of view, in degrees. None is a true isometric, in which opposite corners of a cube fall together."""

CORNER_SPACING = 0.16
"""The distance in the picture at which corners are far enough apart, in sides of a cell."""

AROUND, FURTHER = 1.5, 4.0
"""The margins round creatures and lines for terrain, and for terrain in the way of a line, in sides of a cell."""

TINY = 1e-9
"""A length, in sides of a cell, below which two places count as one."""


@dataclass(frozen=True, eq=False)
class Solid:
    """A box of terrain.

    Attributes:
        low, high: (3,) its least and greatest corner.
        in_the_way: whether some line of the verdict passes through it.
    """

    low: Floats
    high: Floats
    in_the_way: bool = False

    @classmethod
    def of_cell(cls, cell: Cell) -> Solid:
        """The cube that a cell is."""
        low = np.array(cell, dtype=np.float64)
        return cls(low, low + 1.0)

    @property
    def corners(self) -> Floats:
        """The corners (8, 3)."""
        steps = np.indices((2, 2, 2)).reshape(3, 8).T
        corners: Floats = self.low + steps * (self.high - self.low)
        return corners


class SeenFace(NamedTuple):
    """A face of a box as it is drawn.

    Attributes:
        face: the face of the box.
        corners: (4, 3) its corners, in order round it.
        turn: 0 for faces that look up, 1 and 2 for those to the sides; each number has a shade.
        depth: the position of its middle towards the viewer, in sides of a cell; the least is drawn first.
        front: whether it is turned towards the viewer.
    """

    face: Face
    corners: Floats
    turn: int
    depth: float
    front: bool


@dataclass(frozen=True)
class Viewpoint:
    """A direction of view, from infinitely far away.

    Attributes:
        azimuth: the direction of the viewer, in degrees anticlockwise from +x, seen from above.
        height: the viewer's angle above the ground, in degrees.
    """

    azimuth: float
    height: float

    @property
    def towards(self) -> Floats:
        """The direction (3,) to the viewer."""
        around, up = np.radians([self.azimuth, self.height])
        return np.array([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)])

    def flat(self, points: Floats) -> Floats:
        """The places (n, 2) in the picture of points (n, 3).

        >>> Viewpoint(-90.0, 0.0).flat(np.array([[1.0, 5.0, 2.0]])).round(9).tolist()
        [[1.0, 2.0]]
        """
        around, up = np.radians([self.azimuth, self.height])
        right = np.array([-np.sin(around), np.cos(around), 0.0])
        upward = np.array([-np.sin(up) * np.cos(around), -np.sin(up) * np.sin(around), np.cos(up)])
        flat: Floats = np.asarray(points) @ np.column_stack([right, upward])
        return flat


def solids_of(solids: Solids, in_the_way: Iterable[int], low: Floats, high: Floats) -> list[Solid]:
    """The boxes of terrain round creatures and lines, cut to the part of space that is drawn.

    Args:
        solids: all terrain.
        in_the_way: the numbers of the boxes through which lines pass.
        low, high: (3,) the least and greatest corner of the box round creatures and lines.
    """
    lows, highs = solids.boxes[:, 0], solids.boxes[:, 1]
    blocking = np.isin(np.arange(len(lows)), list(in_the_way))
    reach = np.where(blocking, FURTHER, AROUND)[:, None]
    lows, highs = np.maximum(lows, low - reach), np.minimum(highs, high + reach)
    kept = np.flatnonzero((lows < highs).all(axis=1))
    return [Solid(lows[number], highs[number], bool(blocking[number])) for number in kept]


def faces_of(solid: Solid, view: Viewpoint, *, both: bool = False) -> list[SeenFace]:
    """The three faces of a box that are turned towards the viewer; with ``both``, all six."""
    faces = []
    towards = view.towards
    for axis, high in product(range(3), (False, True)):
        front = bool((towards[axis] > 0.0) == high)
        if front or both:
            across, along = (axis + 1) % 3, (axis + 2) % 3
            corners = np.tile(solid.low, (4, 1))
            corners[:, axis] = solid.high[axis] if high else solid.low[axis]
            corners[1:3, across] = solid.high[across]
            corners[2:, along] = solid.high[along]
            turn = 0 if axis == 2 else 1 + int(abs(towards[axis]) > abs(towards[1 - axis]))
            depth = float(corners.mean(axis=0) @ towards)
            faces.append(SeenFace(Face(axis, high), corners, turn, depth, front))
    return faces


def best_viewpoint(used: Floats, attacker: Floats, target: Floats, solids: Sequence[Solid]) -> Viewpoint:
    """The viewpoint that shows most: no creature behind terrain, used corners apart, the attacker on the left.

    Args:
        used: (n, 3) corners.
        attacker, target: (n, 3) the middles of their cells.
        solids: the terrain shown.
    """
    corners = np.unique(used, axis=0)

    def cost(view: Viewpoint) -> float:
        hidden = sum(_lies_before(solid, at, view.towards) for solid in solids for at in (*attacker, *target))
        flat = view.flat(corners)
        gaps = np.hypot(*(flat[:, None] - flat[None]).transpose(2, 0, 1)) + 9.0 * np.eye(len(flat))
        close = int((gaps < CORNER_SPACING).sum()) if len(flat) else 0
        way = view.flat(target).mean(axis=0) - view.flat(attacker).mean(axis=0)
        across = float(way[0] / max(np.hypot(*way), TINY))
        return round(3.0 * hidden + close + 4.0 * (1.0 - abs(across)) + 0.8 * (across < 0.0), 6)

    return min((Viewpoint(azimuth, height) for azimuth in AZIMUTHS for height in HEIGHTS), key=cost)


def _lies_before(solid: Solid, at: Floats, towards: Floats) -> bool:
    """Whether a box lies between a point and the viewer."""
    to_low = (solid.low - at) / towards
    to_high = (solid.high - at) / towards
    enter, leave = np.minimum(to_low, to_high).max(), np.maximum(to_low, to_high).min()
    return bool(max(enter, 0.0) + TINY < leave)


def inside_stretch(start: Floats, end: Floats, solids: Sequence[Solid]) -> Floats | None:
    """The shares (2,) of a line between which it lies in some of the boxes; None where it passes them by."""
    stretches = []
    for shrunk in (TINY, -TINY):  # through the inside of one; else along a seam between two
        for solid in solids:
            low, high = solid.low + shrunk, solid.high - shrunk
            with np.errstate(divide="ignore", invalid="ignore"):
                to_low, to_high = (low - start) / (end - start), (high - start) / (end - start)
            stays = start == end
            outside = stays & ((start < low) | (start > high))
            enter = np.where(stays, 0.0, np.minimum(to_low, to_high)).max()
            leave = np.where(stays, 1.0, np.maximum(to_low, to_high)).min()
            if not outside.any() and max(enter, 0.0) + 1e-6 < min(leave, 1.0):
                stretches.append((max(enter, 0.0), min(leave, 1.0)))
        if stretches:
            return np.array([min(first for first, _ in stretches), max(last for _, last in stretches)])
    return None
