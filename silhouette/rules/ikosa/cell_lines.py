"""Straight lines among cells and boxes, exactly: which corners face each other, and which lines pass through a solid.

The cell (i, j, k) of the grid is the cube from there to (i + 1, j + 1, k + 1); lengths are in sides of a cell. All
coordinates are scaled to integers first, so that touching a face, an edge or a corner has one answer.

Touching a box does not hinder a line, but a seam between two boxes side by side is inside their union: a line along it
lies on the surface of each, and there is a box on each of its sides. A line that runs along an axis, or in a plane of
the grid, is therefore looked at on all of its sides: shifted by less than any length down or up along each of the three
axes, which makes eight. It is hindered where each of the eight lies inside some box.
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

from silhouette.common.errors import go_on
from silhouette.common.geometry import Flags, Floats

Cell = tuple[int, int, int]
Point = tuple[Fraction, Fraction, Fraction]
Integers = NDArray[Any]  # int64, or Python's own integers where int64 might overflow
AXES = range(3)
EXACT_COORDINATES = 2**20  # below it no product of three differences of coordinates overflows an int64
LINE_BOXES_AT_ONCE = 2**19  # number of lines times boxes handled together: it bounds the memory, at some 100 bytes each


class CellSide(NamedTuple):
    """One face of a cell: the lower or the upper one along an axis (0, 1, 2 for x, y, z)."""

    axis: int
    high: bool

    def beyond(self, cell: Cell) -> Cell:
        """The cell on the other side of this face of a cell.

        >>> CellSide(2, high=False).beyond((0, 0, 1))
        (0, 0, 0)
        """
        i, j, k = (at + (1 if self.high else -1) * (self.axis == axis) for axis, at in enumerate(cell))
        return i, j, k


@dataclass(frozen=True)
class CellBox:
    """A solid box along the axes, from its least corner to its greatest; ``low`` is below ``high`` on every axis."""

    low: Point
    high: Point

    @classmethod
    def of_cell(cls, cell: Cell) -> CellBox:
        """The box of a cell."""
        i, j, k = cell
        return cls(point_of(i, j, k), point_of(i + 1, j + 1, k + 1))


def point_of(x: int | Fraction, y: int | Fraction, z: int | Fraction) -> Point:
    """The point with these coordinates, as fractions."""
    return Fraction(x), Fraction(y), Fraction(z)


def are_adjacent(first: Cell, second: Cell) -> bool:
    """Whether two cells are neighbours: they share a face, an edge or a corner.

    >>> are_adjacent((0, 0, 0), (1, -1, 1)), are_adjacent((0, 0, 0), (2, 0, 0)), are_adjacent((0, 0, 0), (0, 0, 0))
    (True, False, False)
    """
    return max(abs(a - b) for a, b in zip(first, second, strict=True)) == 1


def faces_towards(cell: Cell, towards: Cell) -> frozenset[CellSide]:
    """The faces of a cell that are turned towards another cell: none along an axis on which the two are level.

    >>> sorted(faces_towards((0, 0, 1), (1, 0, 0)))
    [CellSide(axis=0, high=True), CellSide(axis=2, high=False)]
    >>> sorted(faces_towards((0, 0, 0), (0, 0, 0)))
    []
    """
    return frozenset(CellSide(axis, towards[axis] > cell[axis]) for axis in AXES if towards[axis] != cell[axis])


def faces_seen_from(point: Point, cell: Cell) -> frozenset[CellSide]:
    """The faces of a cell whose plane separates the cell from a point; a point in the plane is not beyond it.

    >>> sorted(faces_seen_from(point_of(1, 0, 0), (4, 0, 0)))
    [CellSide(axis=0, high=False)]
    """
    below = {CellSide(axis, False) for axis in AXES if point[axis] < cell[axis]}
    above = {CellSide(axis, True) for axis in AXES if point[axis] > cell[axis] + 1}
    return frozenset(below | above)


def corners_on(cell: Cell, faces: Iterable[CellSide]) -> set[Point]:
    """The corners of a cell on at least one of these faces: 4, 6 or 7 for faces along one, two or three axes.

    >>> [len(corners_on((0, 0, 0), faces_towards((0, 0, 0), other))) for other in [(1, 0, 0), (1, 1, 0), (1, 1, 1)]]
    [4, 6, 7]
    >>> corners_on((0, 0, 0), [])
    set()
    """
    planes = list(faces)
    return {
        point_of(*(at + step for at, step in zip(cell, steps, strict=True)))
        for steps in product((0, 1), repeat=3)
        if any(steps[face.axis] == face.high for face in planes)
    }


def corners_of(cell: Cell) -> set[Point]:
    """All eight corners of a cell."""
    return corners_on(cell, [CellSide(0, False), CellSide(0, True)])


def holds(cell: Cell, point: Point) -> bool:
    """Whether a point lies in a cell or on its surface.

    >>> holds((0, 0, 0), point_of(1, 0, Fraction(1, 2))), holds((0, 0, 0), point_of(2, 0, 0))
    (True, False)
    """
    return all(at <= coordinate <= at + 1 for at, coordinate in zip(cell, point, strict=True))


class Crossings(NamedTuple):
    """Which lines, (sources, targets), have a stretch inside solids; the boxes in or between which it is, ascending."""

    hindered: Flags
    boxes: tuple[int, ...]


class Solids:
    """The union of solid boxes.

    >>> pair = Solids([CellBox.of_cell((1, 0, 0)), CellBox.of_cell((1, 1, 0))])
    >>> middle = Fraction(1, 2)
    >>> seam, along_a_face, along_an_edge = point_of(3, 1, middle), point_of(3, 0, middle), point_of(3, 0, 1)
    >>> pair.crossings([point_of(0, 1, middle)], [seam]).hindered.tolist()
    [[True]]
    >>> pair.crossings([point_of(0, 0, middle)], [along_a_face]).hindered.tolist()
    [[False]]
    >>> pair.crossings([point_of(0, 0, 1)], [along_an_edge]).hindered.tolist()
    [[False]]
    """

    def __init__(self, boxes: Sequence[CellBox]) -> None:
        ends = [corner for box in boxes for corner in (box.low, box.high)]
        self._scale = _common_denominator(ends)
        corners = _scaled(ends, self._scale)
        self._low, self._high = _same_type(corners[::2], corners[1::2])

    @property
    def boxes(self) -> Floats:
        """(n, 2, 3) the least and the greatest corners, rounded to floats: for drawing, not for judging."""
        ends: Floats = np.stack([self._low, self._high], axis=1).astype(np.float64).reshape(-1, 2, 3)
        return ends / float(self._scale)

    def crossings(self, sources: Sequence[Point], targets: Sequence[Point]) -> Crossings:
        """Which of the lines from every source to every target have a stretch in the interior of the union; of one of
        length 0, whether its point lies inside. OutOfTime where there is a limit, and no time left.
        """
        scale = lcm(self._scale, _common_denominator([*sources, *targets]))
        low, high, first, last = _same_type(
            _scaled_up(self._low, scale // self._scale),
            _scaled_up(self._high, scale // self._scale),
            np.repeat(_scaled(sources, scale), len(targets), axis=0),
            np.tile(_scaled(targets, scale), (len(sources), 1)),
        )
        hindered, crossed = np.zeros(len(first), dtype=bool), np.zeros(len(low), dtype=bool)
        if len(first):
            candidates = np.flatnonzero(_touch_bounds(low, high, np.concatenate([first, last])))
            for batch in np.array_split(np.arange(len(first)), 1 + len(first) * len(candidates) // LINE_BOXES_AT_ONCE):
                go_on()
                inside = _inside(first[batch], last[batch], low[candidates], high[candidates])
                hindered[batch] = inside.any(axis=1)
                crossed[candidates] |= inside.any(axis=0)
        boxes = tuple(int(number) for number in np.flatnonzero(crossed))
        return Crossings(hindered.reshape(len(sources), len(targets)), boxes)

    def touch(self, cell: Cell, face: CellSide) -> bool:
        """Whether any solid touches a face of a cell, from either side, with more than an edge or a corner.

        >>> ground = Solids([CellBox.of_cell((0, 0, 0))])
        >>> down = CellSide(2, high=False)
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

    def touch_box(self, number: int, face: CellSide) -> bool:
        """Whether any other solid touches a face of the solid of a number, from 0, with more than an edge or a corner.

        >>> ground, wall = CellBox.of_cell((0, 0, 0)), CellBox(point_of(0, 0, 1), point_of(1, 2, 2))
        >>> solids, down = Solids([ground, wall]), CellSide(2, high=False)
        >>> solids.touch_box(1, down), solids.touch_box(0, down)
        (True, False)
        """
        low, high = self._low[number], self._high[number]
        plane = high[face.axis] if face.high else low[face.axis]
        touching = (self._low[:, face.axis] <= plane) & (self._high[:, face.axis] >= plane)
        touching[number] = False
        for axis in AXES:
            if axis != face.axis:
                touching = touching & (self._low[:, axis] < high[axis]) & (self._high[:, axis] > low[axis])
        return bool(touching.any())


def _touch_bounds(low: Integers, high: Integers, points: Integers) -> Flags:
    """(b,) whether each box touches the bounds of points (n, 3), outside of which no line between them runs."""
    touching: Flags = np.logical_and.reduce((low <= points.max(axis=0)) & (high >= points.min(axis=0)), axis=1)
    return touching


def _inside(starts: Integers, ends: Integers, low: Integers, high: Integers) -> Flags:
    """(n, b) whether a stretch of each line (n, 3) lies in each box, of corners (b, 3), or in a seam of it."""
    enter, leave = _spans(starts, ends, low, high)
    passes = enter < leave
    # Along an axis on which a line does not move it has two sides, shifted down and up by less than any length:
    # shifted down it lies in a box if low < at <= high, shifted up if low <= at < high; inside it is if both hold.
    sides = []
    for axis in AXES:
        at, least, most = starts[:, None, axis], low[None, :, axis], high[None, :, axis]
        moves = starts[:, None, axis] != ends[:, None, axis]
        sides.append((moves | ((least < at) & (at <= most)), moves | ((least <= at) & (at < most))))
    alone: Flags = np.logical_and.reduce([passes, *(lesser & greater for lesser, greater in sides)])
    # All eight sides of each line. Only where every side lies in some box, but no box holds the line itself, can it
    # lie in a seam: the loop goes through those few one by one.
    on_sides = np.stack([passes & x & y & z for x, y, z in product(*sides)])  # (8, n, b)
    maybe_in_seams = on_sides.any(axis=2).all(axis=0) & ~alone.any(axis=1)
    for line in np.flatnonzero(maybe_in_seams):
        alone[line] = _in_seams(enter[line], leave[line], on_sides[:, line])
    return alone


def _spans(starts: Integers, ends: Integers, low: Integers, high: Integers) -> tuple[Integers, Integers]:
    """(n, b) and (n, b) the positions at which each line enters and leaves each box, by the axes on which it moves. A
    line with the steps (a, b, c) from start to end is measured from 0 to a * b * c, so that the position at which it
    crosses a plane of the grid is an integer: x - start = a t / (a b c) gives t = (x - start) * b * c.
    """
    steps = ends - starts
    steps_or_one = np.where(steps == 0, 1, abs(steps))
    length = steps_or_one[:, 0] * steps_or_one[:, 1] * steps_or_one[:, 2]
    shape = (len(starts), len(low))
    enter = np.broadcast_to(length[:, None] * 0, shape)
    leave = np.broadcast_to(length[:, None], shape)
    for axis in AXES:
        step, start = steps[:, None, axis], starts[:, None, axis]
        per_step = (length // steps_or_one[:, axis])[:, None]
        to_low, to_high = (low[None, :, axis] - start) * per_step, (high[None, :, axis] - start) * per_step
        enter = np.where(step == 0, enter, np.maximum(enter, np.where(step > 0, to_low, -to_high)))
        leave = np.where(step == 0, leave, np.minimum(leave, np.where(step > 0, to_high, -to_low)))
    return enter, leave


def _in_seams(enter: Integers, leave: Integers, on_sides: Flags) -> Flags:
    """(b,) the boxes that share a stretch of one line between them, each on some of its sides, with no side empty; (b,)
    positions at which it enters and leaves each box, and (8, b) whether it passes through, shifted to each side.
    """
    # Between two neighbouring marks no box begins or ends: such a stretch lies in a box from end to end, or not at all.
    marks = np.unique(np.concatenate([enter, leave]))
    covers = (enter[:, None] <= marks[:-1]) & (leave[:, None] >= marks[1:])  # (b, stretches)
    filled = (on_sides[:, :, None] & covers).any(axis=1).all(axis=0)  # (stretches,)
    sharing: Flags = np.logical_or.reduce(on_sides[:, :, None] & covers & filled, axis=(0, 2))
    return sharing


def _common_denominator(points: Iterable[Point]) -> int:
    return lcm(1, *(coordinate.denominator for point in points for coordinate in point))


def _scaled(points: Sequence[Point], scale: int) -> Integers:
    """(n, 3) Python's integers: the points times a scale that is a multiple of every denominator."""
    values = [[coordinate.numerator * (scale // coordinate.denominator) for coordinate in point] for point in points]
    return np.array(values, dtype=object).reshape(-1, 3)


def _scaled_up(values: Integers, factor: int) -> Integers:
    return values if factor == 1 else values.astype(object) * factor


def _same_type(*arrays: Integers) -> list[Integers]:
    """The same numbers, all in int64 if nothing can overflow there, else in Python's integers."""
    small = all(abs(array).max() < EXACT_COORDINATES for array in arrays if array.size)
    return [array.astype(np.int64) if small else array.astype(object) for array in arrays]
