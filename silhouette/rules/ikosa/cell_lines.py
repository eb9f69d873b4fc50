"""Straight lines among cells and boxes, exactly: which corners face each other, and which lines pass through a solid.

A cell (i, j, k) of the grid is the cube from there to (i + 1, j + 1, k + 1); lengths are in sides of a cell.
Everything is scaled to whole numbers first, so that touching a face, an edge or a corner has one answer.

    cells -> the faces turned towards each other -> their corners -> lines -> those with a stretch inside a solid
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats

Cell = tuple[int, int, int]
Point = tuple[Fraction, Fraction, Fraction]
Whole = NDArray[Any]  # int64, or Python's own integers where those would overflow

AXES = range(3)
# Where all coordinates are smaller than this, no product of three differences overflows an int64.
SMALL = 2**20
# Lines times boxes looked at in one go: bounds the memory, at some 100 bytes each.
AT_ONCE = 2**19


class Face(NamedTuple):
    """One face of a cell: the lower or the higher one along an axis (x, y, z are 0, 1, 2)."""

    axis: int
    high: bool

    def beyond(self, cell: Cell) -> Cell:
        """The cell on the other side of this face of a cell.

        >>> Face(2, high=False).beyond((0, 0, 1))
        (0, 0, 0)
        """
        i, j, k = (at + (1 if self.high else -1) * (self.axis == axis) for axis, at in enumerate(cell))
        return i, j, k


@dataclass(frozen=True)
class Box:
    """A solid box along the axes, from its least to its greatest corner; each coordinate of ``low`` is the smaller."""

    low: Point
    high: Point

    @classmethod
    def of_cell(cls, cell: Cell) -> Box:
        """The cube that a cell is.

        >>> Box.of_cell((0, 0, 1)) == Box(point_of(0, 0, 1), point_of(1, 1, 2))
        True
        """
        i, j, k = cell
        return cls(point_of(i, j, k), point_of(i + 1, j + 1, k + 1))


def point_of(x: int | Fraction, y: int | Fraction, z: int | Fraction) -> Point:
    """The point of three coordinates."""
    return Fraction(x), Fraction(y), Fraction(z)


def are_adjacent(one: Cell, other: Cell) -> bool:
    """Whether two cells are neighbours: they share a face, an edge or a corner.

    >>> are_adjacent((0, 0, 0), (1, -1, 1)), are_adjacent((0, 0, 0), (2, 0, 0)), are_adjacent((0, 0, 0), (0, 0, 0))
    (True, False, False)
    """
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) == 1


def faces_towards(cell: Cell, other: Cell) -> frozenset[Face]:
    """The faces of a cell that are exposed to another cell: none along an axis on which the two are level.

    >>> sorted(faces_towards((0, 0, 1), (1, 0, 0)))
    [Face(axis=0, high=True), Face(axis=2, high=False)]
    >>> sorted(faces_towards((0, 0, 0), (0, 0, 0)))
    []
    """
    return frozenset(Face(axis, other[axis] > cell[axis]) for axis in AXES if other[axis] != cell[axis])


def faces_seen_from(point: Point, cell: Cell) -> frozenset[Face]:
    """The faces of a cell beyond whose plane a point lies; a point in the plane is not beyond it.

    >>> sorted(faces_seen_from(point_of(1, 0, 0), (4, 0, 0)))
    [Face(axis=0, high=False)]
    """
    below = {Face(axis, False) for axis in AXES if point[axis] < cell[axis]}
    above = {Face(axis, True) for axis in AXES if point[axis] > cell[axis] + 1}
    return frozenset(below | above)


def corners_on(cell: Cell, faces: Iterable[Face]) -> set[Point]:
    """The corners of a cell that lie on at least one of some faces: 4, 6 or 7 for one, two or three along other axes.

    >>> [len(corners_on((0, 0, 0), faces_towards((0, 0, 0), other))) for other in [(1, 0, 0), (1, 1, 0), (1, 1, 1)]]
    [4, 6, 7]
    >>> corners_on((0, 0, 0), [])
    set()
    """
    wanted = list(faces)
    return {
        point_of(*(at + step for at, step in zip(cell, steps, strict=True)))
        for steps in product((0, 1), repeat=3)
        if any(steps[face.axis] == face.high for face in wanted)
    }


def corners_of(cell: Cell) -> set[Point]:
    """All eight corners of a cell.

    >>> len(corners_of((0, 0, 0)))
    8
    """
    return corners_on(cell, [Face(0, False), Face(0, True)])


def holds(cell: Cell, point: Point) -> bool:
    """Whether a point lies in a cell or on its surface.

    >>> holds((0, 0, 0), point_of(1, 0, Fraction(1, 2))), holds((0, 0, 0), point_of(2, 0, 0))
    (True, False)
    """
    return all(at <= coordinate <= at + 1 for at, coordinate in zip(cell, point, strict=True))


class Crossings(NamedTuple):
    """Which lines pass through a solid, and through which.

    Attributes:
        hindered: (sources, targets), whether the line between the two has a stretch inside.
        boxes: the numbers of the boxes inside which, or in the seams between which, those stretches lie; ascending.
    """

    hindered: Flags
    boxes: tuple[int, ...]


class Solids:
    """The union of solid boxes.

    >>> pair = Solids([Box.of_cell((1, 0, 0)), Box.of_cell((1, 1, 0))])
    >>> middle = Fraction(1, 2)
    >>> seam, along_a_face, along_an_edge = point_of(3, 1, middle), point_of(3, 0, middle), point_of(3, 0, 1)
    >>> pair.crossings([point_of(0, 1, middle)], [seam]).hindered.tolist()
    [[True]]
    >>> pair.crossings([point_of(0, 0, middle)], [along_a_face]).hindered.tolist()
    [[False]]
    >>> pair.crossings([point_of(0, 0, 1)], [along_an_edge]).hindered.tolist()
    [[False]]
    >>> Solids([]).crossings([point_of(0, 0, 0)], []).hindered.shape
    (1, 0)
    """

    def __init__(self, boxes: Sequence[Box]) -> None:
        ends = [corner for box in boxes for corner in (box.low, box.high)]
        self._scale = _common_denominator(ends)
        corners = _whole(ends, self._scale)
        self._low, self._high = _alike(corners[::2], corners[1::2])

    @property
    def boxes(self) -> Floats:
        """(n, 2, 3) the least and the greatest corners, rounded to floats: for drawing, not for judging."""
        ends: Floats = np.stack([self._low, self._high], axis=1).astype(np.float64).reshape(-1, 2, 3)
        return ends / float(self._scale)

    def crossings(self, sources: Sequence[Point], targets: Sequence[Point]) -> Crossings:
        """Which of the lines from every source to every target have a stretch in the interior of the union.

        To touch a face, an edge or a corner is no hindrance, but a seam between two solids side by side is inside them.
        A line of no length, from a corner to the same corner, is hindered where that point lies inside.
        """
        scale = lcm(self._scale, _common_denominator([*sources, *targets]))
        low, high, first, last = _alike(
            _enlarged(self._low, scale // self._scale),
            _enlarged(self._high, scale // self._scale),
            np.repeat(_whole(sources, scale), len(targets), axis=0),
            np.tile(_whole(targets, scale), (len(sources), 1)),
        )
        hindered, crossed = np.zeros(len(first), dtype=bool), np.zeros(len(low), dtype=bool)
        if len(first):
            met = np.flatnonzero(_meet(low, high, np.concatenate([first, last])))
            for some in np.array_split(np.arange(len(first)), 1 + len(first) * len(met) // AT_ONCE):
                inside = _inside(first[some], last[some], low[met], high[met])
                hindered[some] = inside.any(axis=1)
                crossed[met] |= inside.any(axis=0)
        boxes = tuple(int(number) for number in np.flatnonzero(crossed))
        return Crossings(hindered.reshape(len(sources), len(targets)), boxes)

    def touch(self, cell: Cell, face: Face) -> bool:
        """Whether any of the solids touches a face of a cell with more than an edge or a corner, from whichever side.

        >>> ground = Solids([Box.of_cell((0, 0, 0))])
        >>> down = Face(2, high=False)
        >>> ground.touch((0, 0, 1), down), ground.touch((1, 0, 1), down), ground.touch((0, 0, 2), down)
        (True, False, False)
        """
        low = [at * self._scale for at in cell]
        high = [at + self._scale for at in low]
        plane = high[face.axis] if face.high else low[face.axis]
        touching = (self._low[:, face.axis] <= plane) & (self._high[:, face.axis] >= plane)
        for axis in AXES:
            if axis != face.axis:
                touching = touching & (self._low[:, axis] < high[axis]) & (self._high[:, axis] > low[axis])
        return bool(touching.any())


def _meet(low: Whole, high: Whole, points: Whole) -> Flags:
    """(b,): whether each box touches the box round some points (n, 3), outside of which no line between them runs."""
    touching: Flags = np.logical_and.reduce((low <= points.max(axis=0)) & (high >= points.min(axis=0)), axis=1)
    return touching


def _inside(starts: Whole, ends: Whole, low: Whole, high: Whole) -> Flags:
    """(n, b): in which boxes, or in the seams between which, a stretch of each line lies.

    Args:
        starts, ends: (n, 3) of the lines.
        low, high: (b, 3) of the boxes.
    """
    enter, leave = _spans(starts, ends, low, high)
    passes = enter < leave
    # A line that keeps a coordinate is inside there only if it is inside a hair to either side of it.
    beside = []
    for axis in AXES:
        at, least, most = starts[:, None, axis], low[None, :, axis], high[None, :, axis]
        moves = starts[:, None, axis] != ends[:, None, axis]
        beside.append((moves | ((least < at) & (at <= most)), moves | ((least <= at) & (at < most))))
    alone: Flags = np.logical_and.reduce([passes, *(lesser & greater for lesser, greater in beside)])
    sides = np.stack([passes & x & y & z for x, y, z in product(*beside)])  # (8, n, b)
    perhaps = sides.any(axis=2).all(axis=0) & ~alone.any(axis=1)
    for line in np.flatnonzero(perhaps):
        alone[line] = _in_seams(enter[line], leave[line], sides[:, line])
    return alone


def _spans(starts: Whole, ends: Whole, low: Whole, high: Whole) -> tuple[Whole, Whole]:
    """(n, b) each: where each line enters and leaves each box along the axes on which it moves.

    A line runs from 0 to the product of its steps along those axes, so that every such place is a whole number.
    """
    steps = ends - starts
    lengths = np.where(steps == 0, 1, abs(steps))
    whole = lengths[:, 0] * lengths[:, 1] * lengths[:, 2]
    shape = (len(starts), len(low))
    enter = np.broadcast_to(whole[:, None] * 0, shape)
    leave = np.broadcast_to(whole[:, None], shape)
    for axis in AXES:
        step, start = steps[:, None, axis], starts[:, None, axis]
        per_step = (whole // lengths[:, axis])[:, None]
        to_low, to_high = (low[None, :, axis] - start) * per_step, (high[None, :, axis] - start) * per_step
        enter = np.where(step == 0, enter, np.maximum(enter, np.where(step > 0, to_low, -to_high)))
        leave = np.where(step == 0, leave, np.minimum(leave, np.where(step > 0, to_high, -to_low)))
    return enter, leave


def _in_seams(enter: Whole, leave: Whole, sides: Flags) -> Flags:
    """(b,): the boxes that share a stretch of one line between them, each on some of its sides, all sides being taken.

    Args:
        enter, leave: (b,) where the line enters and leaves each box.
        sides: (8, b) whether the line passes the box on each of its sides.
    """
    marks = np.unique(np.concatenate([enter, leave]))
    covers = (enter[:, None] <= marks[:-1]) & (leave[:, None] >= marks[1:])  # (b, stretches)
    taken = (sides[:, :, None] & covers).any(axis=1).all(axis=0)  # (stretches,)
    sharing: Flags = np.logical_or.reduce(sides[:, :, None] & covers & taken, axis=(0, 2))
    return sharing


def _common_denominator(points: Iterable[Point]) -> int:
    return lcm(1, *(coordinate.denominator for point in points for coordinate in point))


def _whole(points: Sequence[Point], scale: int) -> Whole:
    """(n, 3) of Python's integers: the points times a scale that makes them whole."""
    values = [[each.numerator * (scale // each.denominator) for each in point] for point in points]
    return np.array(values, dtype=object).reshape(-1, 3)


def _enlarged(values: Whole, factor: int) -> Whole:
    return values if factor == 1 else values.astype(object) * factor


def _alike(*arrays: Whole) -> list[Whole]:
    """The same numbers, all in the fastest type in which nothing can overflow."""
    small = all(abs(array).max() < SMALL for array in arrays if array.size)
    return [array.astype(np.int64) if small else array.astype(object) for array in arrays]
