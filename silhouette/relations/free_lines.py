"""RELATE: whether there is a straight line between two pieces, discs or polygons, through none of the polygons between.

A line may touch polygons, but it may not run along the seam between two polygons that touch. So a line is free if it
passes through nothing after it is shifted by an epsilon to its left, or by an epsilon to its right.

There are infinitely many lines, but if one is free it can be moved until it touches two things, each a corner of a
polygon or a side of a disc, and can move no further: a bitangent. Shifted off them by an epsilon it is still free. Such
lines are finitely many, and all of them are tried; of the free ones the one with the most clearance is given.

If a great many polygons stand between, only the lines that can still be free are tried (`remaining_cells`). Between
source and target lies a strip, at right angles to the way from one to the other. A line is described by two heights,
those at which it enters the strip and leaves it: so every line is a point of a square. The square is cut into cells,
again and again. A cell is dropped when one polygon blocks every line in it, with a corner surely above and a corner
surely below, or when all of them miss the source or the target. A free line, if there is any, lies in a cell that is
left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
import shapely

from silhouette.common.errors import go_on
from silhouette.common.geometry import Flags, Floats
from silhouette.relations import plane_geometry
from silhouette.relations.plane_geometry import (
    LEFT_SIDE,
    RIGHT_SIDE,
    DirectedLines,
    Indices,
    Outlines,
    PlaneDisc,
    Supports,
    pairs,
)

# ---- the lines that can be free

MAX_CELLS_ACROSS = 2**20  # the number of cells across the square at which cutting ends
MAX_CELLS_LEFT = 1000  # where more cells than this are left, they are not cut again
CELL_POINTS_AT_ONCE = 2_000_000  # how many cells times points are handled together: it bounds the memory
SAFETY = 10.0  # number of epsilons within which a point may lie on either side of a line, or before or beyond an end
SAME_LINE = 1e-4  # lines that differ by less than this, as a share of that distance, are one line
MIN_CELL_HEIGHT_RATIO = 4.0  # the least height of a cell, as a multiple of that distance


@dataclass(frozen=True, eq=False)
class Strip:
    """The strip between source and target, by which lines are described."""

    # (2, 2) a point times these is its position along the way from source to target, and to the left of it
    axes: Floats
    # start, length: the position along the way at which the strip begins, and its length
    start: float
    length: float
    # bottom, height: the range of both heights
    bottom: float
    height: float
    sure: float  # the difference in height by which a line has to pass a point so that it is certain on which side

    @classmethod
    def between(
        cls, source: PlaneDisc | Outlines, target: PlaneDisc | Outlines, direction: Floats, epsilon: float
    ) -> Strip | None:
        """The strip at right angles to a direction (2,) of length 1 that separates the two; None where none does."""
        axes = np.array([direction, [-direction[1], direction[0]]]).T
        begins, ends = plane_geometry.ends_along(source, axes), plane_geometry.ends_along(target, axes)
        start = float(begins[:, 0].max()) + SAFETY * epsilon
        length = float(ends[:, 0].min() - start - SAFETY * epsilon)
        bottom = min(float(begins[:, 1].min()), float(ends[:, 1].min())) - epsilon
        height = max(float(begins[:, 1].max()), float(ends[:, 1].max())) + epsilon - bottom
        sure = SAFETY * epsilon * float(np.hypot(1.0, height / length)) if length > 0.0 else np.inf
        return None if sure > length else cls(axes, float(start), length, float(bottom), float(height), sure)

    def heights(self, normals: Floats, offsets: Floats) -> Floats:
        """(n, 2) the two heights, as shares of the square, of lines of the points x with ``x @ normal == offset``."""
        turned = normals @ self.axes
        along = self.start + np.array([0.0, self.length])
        heights: Floats = (offsets[:, None] - turned[:, :1] * along) / turned[:, 1:]
        return (heights - self.bottom) / self.height

    def inside(self, outlines: Outlines) -> tuple[Floats, Indices]:
        """The parts of polygons that lie in the strip: the corners (n, 2) of all, along the way and to its left; and
        the number of each part's first corner.
        """
        corners = outlines.corners @ self.axes
        end = self.start + self.length
        least, most = (bound.reduceat(corners[:, 0], outlines.starts) for bound in (np.minimum, np.maximum))
        whole = (least >= self.start) & (most <= end)
        inside = outlines.chosen(whole)
        rings = np.split(corners, outlines.starts[1:])
        cut = [shapely.Polygon(rings[index]) for index in np.flatnonzero(~whole & (least < end) & (most > self.start))]
        low, high = float(corners[:, 1].min()) - 1.0, float(corners[:, 1].max()) + 1.0
        parts = shapely.get_parts(shapely.intersection(cut, shapely.box(self.start, low, end, high)))
        parts = parts[shapely.get_type_id(parts) == shapely.GeometryType.POLYGON]
        points, which = shapely.get_coordinates(parts, return_index=True)
        starts = np.flatnonzero(np.diff(which, prepend=-1)) + len(inside.corners)
        return np.concatenate([inside.corners @ self.axes, points]), np.concatenate([inside.starts, starts])


@dataclass(frozen=True, eq=False)
class LineCells:
    """The cells that are left of the square of a strip, of which there are so many across, by column and row (n, 2)."""

    strip: Strip
    across: int
    cells: Indices

    def sides_of(self, points: Floats, reach: Floats | float = 0.0) -> tuple[Flags, Flags]:
        """(n, points) whether every line of a cell passes surely below a point, (points, 2) along the way and to its
        left, and whether surely above it, by ``reach`` up and down, for all cells or (n, 1).
        """
        share = (points[:, 0] - self.strip.start) / self.strip.length
        size = self.strip.height / self.across
        low = self.strip.bottom + self.cells * size
        # A line's height at the point is the weighted mean of its two heights. Beyond the strip a weight is negative:
        # there the least height comes from the greatest of the cell's heights.
        weights = np.stack([1.0 - share, share])
        least = low @ weights + np.minimum(weights, 0.0).sum(axis=0) * size
        most = low @ weights + np.maximum(weights, 0.0).sum(axis=0) * size
        sure = self.strip.sure * np.abs(weights).sum(axis=0)
        below: Flags = most < points[:, 1] - sure - reach
        above: Flags = least > points[:, 1] + sure + reach
        return below, above

    def cut(self) -> LineCells:
        """The same area in cells of half the width and height."""
        quarters = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        return LineCells(self.strip, 2 * self.across, (2 * self.cells[:, None] + quarters).reshape(-1, 2))

    def chosen(self, which: Flags | slice) -> LineCells:
        """The cells that are flagged, or those with these numbers."""
        return LineCells(self.strip, self.across, self.cells[which])

    def passed(self, points: Floats) -> Flags:
        """(points,) whether a line of some cell may pass through each point (points, 2) of the table."""
        flags = np.zeros(len(points), dtype=bool)
        for part in self._parts(len(points)):
            below, above = part.sides_of(points @ self.strip.axes)
            flags |= ~(below | above).all(axis=0)
        return flags

    def distinct(self, normals: Floats, offsets: Floats) -> Indices:
        """(k,) the numbers of those lines, given as in `Strip.heights`, that lie in a cell; of equal ones the first."""
        heights = self.strip.heights(normals, offsets)
        margin = self.strip.sure / self.strip.height
        numbers = np.sort(self.cells @ np.array([self.across, 1]))
        in_cell = np.zeros(len(offsets), dtype=bool)
        # A line near the border of a cell may belong to its neighbour: both are tried.
        for step in ([-1, -1], [-1, 1], [1, -1], [1, 1]) if len(numbers) else ():
            nearby = np.floor((heights + margin * np.array(step)) * self.across)
            column, row = np.clip(nearby, 0, self.across - 1).astype(np.intp).T
            sought = column * self.across + row
            in_cell |= numbers[np.searchsorted(numbers, sought).clip(max=len(numbers) - 1)] == sought
        places = np.flatnonzero(in_cell)
        _, first = np.unique(np.round(heights[places] / (SAME_LINE * margin)), axis=0, return_index=True)
        return places[np.sort(first)]

    def blocked(self, corners: Floats, starts: Indices) -> Flags:
        """(n,) whether one polygon has a corner surely above every line of a cell, and another surely below; corners
        and the number of each polygon's first one are as from `Strip.inside`.
        """
        parts = [np.zeros(0, dtype=bool)]
        for part in self._parts(len(corners)):
            both = (np.logical_or.reduceat(side, starts, axis=1) for side in part.sides_of(corners))
            parts.append(np.asarray(np.logical_and(*both).any(axis=1)))
        return np.concatenate(parts)

    def missing(self, piece: PlaneDisc | Outlines) -> Flags:
        """(n,) whether every line of a cell misses a piece."""
        axes = self.strip.axes
        # A line that rises by `rise` over the length of the strip meets a disc up to radius * sqrt(1 + slope^2) above.
        if isinstance(piece, PlaneDisc):
            rise = (np.abs(np.diff(self.cells, axis=1)) + 1) * self.strip.height / self.across
            below, above = self.sides_of(
                np.array([piece.centre]) @ axes, piece.radius * np.hypot(1.0, rise / self.strip.length)
            )
        else:
            below, above = self.sides_of(piece.corners @ axes)
        return np.asarray(below.all(axis=1)) | above.all(axis=1)

    def _parts(self, points: int) -> Iterator[LineCells]:
        """The cells in batches that are small enough for this many points."""
        step = max(1, CELL_POINTS_AT_ONCE // max(1, points))
        for first in range(0, len(self.cells), step):
            go_on()
            yield self.chosen(slice(first, first + step))


def remaining_cells(
    source: PlaneDisc | Outlines, target: PlaneDisc | Outlines, blockers: Outlines, direction: Floats, epsilon: float
) -> LineCells | None:
    """The cells in which a free line between source and target, a direction (2,) of length 1 apart, past at least one
    polygon can be; None where no strip separates the two. The epsilon is from `epsilon_of`.

    >>> near, far = PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0)
    >>> wall = [[9, -9], [10, -9], [10, 9], [9, 9]]
    >>> len(remaining_cells(near, far, Outlines.of([wall]), np.array([1.0, 0.0]), 1e-8).cells)
    0
    """
    strip = Strip.between(source, target, direction, epsilon)
    if strip is None:
        return None
    corners, starts = strip.inside(blockers)
    cells = LineCells(strip, 1, np.zeros((1, 2), dtype=np.intp))
    while (
        0 < len(cells.cells) <= MAX_CELLS_LEFT and 2 * cells.across * MIN_CELL_HEIGHT_RATIO * strip.sure < strip.height
    ):
        cells = cells.cut()
        for piece in (source, target):
            cells = cells.chosen(~cells.missing(piece))
        if len(starts):
            cells = cells.chosen(~cells.blocked(corners, starts))
        if cells.across >= MAX_CELLS_ACROSS:
            break
    return cells


# ---- free lines

MANY_SUPPORTS = 120  # where there are more supports, those that no free line can touch are dropped first

SUPPORT_PAIRS_AT_ONCE, SIDES_AT_ONCE, CLEARANCES_AT_ONCE = 200_000, 2_000_000, 200
"""How many pairs of supports, lines times corners, and free lines are handled together: they bound the memory."""

AT_AN_END, AT_A_MISSED_END = 0.01, 8.0
"""How many epsilons a polygon may reach into either end of a line without being in its way. More, where the shifted
line misses the piece at that end, which is then taken from the line before the shift."""

End = PlaneDisc | Outlines


@dataclass(frozen=True, eq=False)
class FreeLine:
    """Whether there is a free line, and which polygons are in the way if there is none."""

    # (2, 2) both ends of a free line, touching nothing where such a one was found; None if there is none
    line: Floats | None
    # (polygons,) those through which a line would pass, or, where none blocks ``alone``, that close a seam; none of
    # them if there is a free line
    blocking: Flags
    alone: Flags  # (polygons,) those of them that leave no free line even with all others taken away


def find_free_line(source: End, target: End, blockers: Outlines, epsilon: float, *, reasons: bool = True) -> FreeLine:
    """A free line from a point of the source to a point of the target, or, if ``reasons`` are wanted, the polygons in
    the way. Source and target are discs, or outlines of one polygon, the target's convex if the source is one, the
    source's always; the epsilon is from `epsilon_of`.

    >>> near, far = PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0)
    >>> wall = Outlines.of([[[9, -9], [10, -9], [10, 2], [9, 2]]])
    >>> find_free_line(near, far, wall, 1e-8).line.round(6).tolist()
    [[0.0, 2.0], [20.0, 2.0]]
    >>> higher = Outlines.of([[[9, -9], [10, -9], [10, 2.001], [9, 2.001]]])
    >>> find_free_line(near, far, higher, 1e-8).line, find_free_line(near, far, higher, 1e-8).alone.tolist()
    (None, [True])
    >>> find_free_line(near, near, higher, 1e-8).line.tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    none = np.zeros(len(blockers.starts), dtype=bool)
    direct, contact = _direct(source, target, epsilon)
    if contact is not None:
        return FreeLine(np.stack([contact, contact]), none, none)
    in_between = _may_be_between(source, target, blockers, direct.directions[0], epsilon)
    problem = _Problem(source, target, blockers.chosen(in_between), epsilon)
    if not problem.blocked(direct).any():
        return FreeLine(problem.segment(direct), none, none)
    supports = plane_geometry.supports_of(source, target, problem.blockers, epsilon)
    alone = _alone(problem, direct) if reasons else np.zeros(len(problem.blockers.starts), dtype=bool)
    in_the_way = plane_geometry.crossed(source, target, problem.blockers, epsilon) if reasons else alone.copy()
    if not alone.any():
        for lines in _bitangents(*_worth_trying(supports, problem, direct), problem):
            blocked = problem.blocked(lines)
            free: Flags = ~np.asarray(blocked.any(axis=2))
            if free.any():
                return FreeLine(problem.segment(_with_most_clearance(lines, free, supports, problem)), none, none)
            in_the_way |= (blocked & (blocked.sum(axis=2, keepdims=True) == 1)).any(axis=(0, 1))
    alone |= len(alone) == 1
    return FreeLine(None, _among_all(in_the_way | alone, in_between), _among_all(alone, in_between))


def _alone(problem: _Problem, direct: DirectedLines) -> Flags:
    """(polygons,) those of several polygons that leave no free line even with all others taken away."""
    alone = np.zeros(len(problem.blockers.starts), dtype=bool)
    for index in np.flatnonzero(problem.blocked(direct).all(axis=(0, 1))) if len(alone) > 1 else ():
        single = problem.blockers.chosen(np.arange(len(alone)) == index)
        alone[index] = find_free_line(problem.source, problem.target, single, problem.epsilon).line is None
    return alone


def _among_all(flags: Flags, among: Flags) -> Flags:
    """(n,) the flags of a selection, with ``among`` (n,) the flags that select it, as flags of everything."""
    every = np.zeros(len(among), dtype=bool)
    every[among] = flags
    return every


@dataclass(frozen=True, eq=False)
class _Problem:
    """The source and the target of the free line that is wanted, and the polygons that may be in its way."""

    source: End
    target: End
    blockers: Outlines
    epsilon: float

    def spans(self, lines: DirectedLines) -> tuple[Floats, Floats]:
        """(n,) the positions along each line at which it leaves the source and meets the target, nan if it misses."""
        if isinstance(self.source, PlaneDisc):
            start = self._chord(lines, self.source, LEFT_SIDE)
        else:
            meetings = self._meetings(lines, self.source)
            start = np.where(np.isfinite(meetings), meetings, -np.inf).max(axis=1)
            start = np.where(np.isfinite(start), start, np.nan)
        if isinstance(self.target, PlaneDisc):
            end = self._chord(lines, self.target, RIGHT_SIDE)
        else:
            meetings = self._meetings(lines, self.target)
            end = np.where(meetings >= start[:, None], meetings, np.inf).min(axis=1)
            end = np.where(np.isfinite(end), end, np.nan)
        return start, np.where(end >= start, end, np.nan)

    def segment(self, line: DirectedLines) -> Floats:
        """(2, 2) the ends of a single line: where it leaves the source and where it meets the target."""
        start, end = self.spans(line)
        foot = line.normals * line.offsets[:, None]
        ends: Floats = foot + line.directions * np.array([start, end])
        return ends

    def blocked(self, lines: DirectedLines) -> Flags:
        """(n, 2, polygons) whether each polygon blocks each line, shifted by an epsilon to its left, or its right."""
        batch = max(1, SIDES_AT_ONCE // max(1, len(self.blockers.corners)))
        parts = [lines.chosen(slice(first, first + batch)) for first in range(0, len(lines.offsets), batch)]
        return np.concatenate([self._blocked(part) for part in parts] or [self._blocked(lines)])

    def _blocked(self, lines: DirectedLines) -> Flags:
        go_on()
        blockers = self.blockers
        blocked = np.zeros((len(lines.offsets), 2, len(blockers.starts)), dtype=bool)
        if blocked.size == 0:
            return blocked
        leftward, along = lines.left_of(blockers.corners), lines.along(blockers.corners)
        ahead = along[:, blockers.following] - along
        for column, side in enumerate((LEFT_SIDE, RIGHT_SIDE)):
            start, end = self._moved_spans(lines, side)
            moved = leftward - side * self.epsilon
            onward = moved[:, blockers.following]
            crosses = (moved > 0.0) != (onward > 0.0)
            crossing = along + ahead * (moved / np.where(crosses, moved - onward, 1.0))
            # Blocked where an edge crosses the line between its ends; or where the line's middle lies inside a polygon,
            # which an odd number of edges beyond it tells: then the whole line does.
            within = crosses & (crossing > start) & (crossing < end)
            beyond = crosses & (crossing > (start + end) / 2.0)
            inside = np.add.reduceat(beyond, blockers.starts, axis=1, dtype=np.int64) % 2 == 1
            blocked[:, column] = np.logical_or.reduceat(within, blockers.starts, axis=1) | inside
        return blocked

    def _moved_spans(self, lines: DirectedLines, side: float) -> tuple[Floats, Floats]:
        """(n, 1) and (n, 1) the positions along each line, shifted by an epsilon to one side, between which it is free;
        where the shifted line misses the source or the target, the line before the shift says where it ends.
        """
        moved = self.spans(DirectedLines(lines.normals, lines.offsets + side * self.epsilon))
        ends = [
            np.where(
                np.isfinite(here), here + way * AT_AN_END * self.epsilon, there + way * AT_A_MISSED_END * self.epsilon
            )
            for way, here, there in zip((1.0, -1.0), moved, self.spans(lines), strict=True)
        ]
        return ends[0][:, None], ends[1][:, None]

    def _chord(self, lines: DirectedLines, disc: PlaneDisc, end: float) -> Floats:
        """(n,) the position along each line at which it leaves (`LEFT_SIDE`) or meets (`RIGHT_SIDE`) a disc; nan if it
        misses.
        """
        centre = np.array([disc.centre])
        leftward, along = lines.left_of(centre)[:, 0], lines.along(centre)[:, 0]
        half = np.sqrt(np.maximum((disc.radius - leftward) * (disc.radius + leftward), 0.0))
        return np.where(np.abs(leftward) <= disc.radius + self.epsilon, along + end * half, np.nan)

    def _meetings(self, lines: DirectedLines, outline: Outlines) -> Floats:
        """(n, 2 * corners) the positions along each line at which it crosses an outline or touches a corner, or inf."""
        leftward, along = lines.left_of(outline.corners), lines.along(outline.corners)
        onward, ahead = leftward[:, outline.following], along[:, outline.following] - along
        crosses = (leftward > 0.0) != (onward > 0.0)
        crossing = np.where(crosses, along + ahead * (leftward / np.where(crosses, leftward - onward, 1.0)), np.inf)
        return np.concatenate([crossing, np.where(np.abs(leftward) <= self.epsilon, along, np.inf)], axis=1)


def _direct(source: End, target: End, epsilon: float) -> tuple[DirectedLines, Floats | None]:
    """The line straight to the target, and a point (2,) of both where source and target touch or overlap, else None."""
    if isinstance(source, Outlines):
        here, there = plane_geometry.nearest_points(source, target)
        touching = bool(np.hypot(*(there - here)) <= epsilon)
    elif isinstance(target, PlaneDisc):
        here, there = np.array(source.centre), np.array(target.centre)
        touching = plane_geometry.disc_distance(source, target) <= epsilon
    else:
        here, there = plane_geometry.nearest_points(source, target)
        touching = bool(plane_geometry.outline_distances(source, target)[0] <= epsilon)
    across = there - here
    apart = float(np.hypot(*across))
    direction = across / apart if apart else np.array([1.0, 0.0])
    normal = np.array([-direction[1], direction[0]])
    line = DirectedLines(normal[None], np.array([normal @ here]))
    if not touching:
        return line, None
    if isinstance(target, Outlines):
        return line, there
    if isinstance(source, Outlines):
        return line, here
    least = max(-source.radius, apart - target.radius)
    most = min(source.radius, apart + target.radius)
    return line, here + direction * (least + most) / 2.0


def _may_be_between(source: End, target: End, blockers: Outlines, direction: Floats, epsilon: float) -> Flags:
    """(polygons,) those that reach into the rectangle along a direction (2,) that holds source and target."""
    axes = np.array([direction, [-direction[1], direction[0]]]).T
    ends = np.concatenate([plane_geometry.ends_along(source, axes), plane_geometry.ends_along(target, axes)])
    if not len(blockers.starts):
        return np.zeros(0, dtype=bool)
    corners = blockers.corners @ axes
    least, most = (values.reduceat(corners, blockers.starts, axis=0) for values in (np.minimum, np.maximum))
    flags: Flags = ((least <= ends.max(axis=0) + epsilon) & (most >= ends.min(axis=0) - epsilon)).all(axis=1)
    return flags


def _worth_trying(supports: Supports, problem: _Problem, direct: DirectedLines) -> tuple[Supports, LineCells | None]:
    """The supports that a free line can touch, and, where there are many, the cells in which it can be, else None."""
    cells, worth = None, supports.convex
    if len(worth) > MANY_SUPPORTS:
        cells = remaining_cells(problem.source, problem.target, problem.blockers, direct.directions[0], problem.epsilon)
    if cells is not None:
        worth = worth & ((supports.reach != 0.0) | cells.passed(supports.points))
    return Supports(**{field.name: getattr(supports, field.name)[worth] for field in fields(Supports)}), cells


def _bitangents(supports: Supports, cells: LineCells | None, problem: _Problem) -> Iterator[DirectedLines]:
    """The lines from source to target that touch two supports without cutting either off, in batches."""
    count = len(supports.reach)
    rows = max(1, SUPPORT_PAIRS_AT_ONCE // max(1, count))
    batch = max(CLEARANCES_AT_ONCE, SIDES_AT_ONCE // max(1, len(problem.blockers.corners)))
    for first in range(0, count, rows):
        go_on()
        first_support, second_support = pairs(first, min(first + rows, count), count)
        lines, pair = plane_geometry.lines_touching(supports, first_support, second_support, problem.epsilon)
        for step in (first_support, second_support):
            allowed = supports.allow(step[pair], lines, problem.epsilon)
            lines, pair = lines.chosen(allowed), pair[allowed]
        lines = lines.chosen(np.isfinite(problem.spans(lines)[1]))
        if cells is not None:
            lines = lines.chosen(cells.distinct(lines.normals, lines.offsets))
        for start in range(0, len(lines.offsets), batch):
            yield lines.chosen(slice(start, start + batch))


def _with_most_clearance(lines: DirectedLines, free: Flags, supports: Supports, problem: _Problem) -> DirectedLines:
    """One of the lines that are ``free`` (lines, 2), shifted left or right, in the middle of the most clearance."""
    which, column = (values[:CLEARANCES_AT_ONCE] for values in np.nonzero(free))
    side = np.where(column == 0, LEFT_SIDE, RIGHT_SIDE)
    lines = lines.chosen(which)
    distance = side[:, None] * (lines.left_of(supports.points) + supports.reach)
    clearance = np.where(distance > problem.epsilon, distance, np.inf).min(axis=1)
    clearance = np.where(np.isfinite(clearance), clearance, 0.0)
    moved = DirectedLines(lines.normals, lines.offsets + side * clearance / 2.0)
    clear = np.isfinite(problem.spans(moved)[1]) & ~problem.blocked(moved).any(axis=(1, 2))
    best = int(np.argmax(np.where(clear, clearance, -1.0)))
    chosen = moved if clear[best] else lines
    return chosen.chosen(np.array([best]))
