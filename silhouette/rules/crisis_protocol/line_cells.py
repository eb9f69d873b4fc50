"""Where, of all straight lines from a disc to a target, a free one can still be, when a great many polygons stand by.

Between source and target lies a strip square to the way from one to the other: a line is told by how high it stands
where it enters the strip and where it leaves it, which makes it a point of a square. The square is cut into cells,
again and again; a cell is dropped when one polygon stops every line in it, or all of them miss source or target.
What is left over is where a free line, if there is any, has to be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely

from silhouette.geometry import Flags, Floats
from silhouette.rules.crisis_protocol.plan import Disc, Indices, Outlines

FINEST = 2**20  # cells across the square
ENOUGH_CELLS = 1000  # where there are more, they are not cut again
AT_ONCE = 2_000_000  # cells times points
SURE_BY = 10.0  # hairs; what is nearer to a line may be on either side of it, and nearer to an end, beyond it
ALIKE = 1e-4  # of what is on either side; lines no further apart are one line
LEAST_CELL = 4.0  # times what is on either side


@dataclass(frozen=True, eq=False)
class Strip:
    """The frame in which lines are told by two heights.

    Attributes:
        axes: (2, 2) a point times these is how far along and how far to the left of the way it is.
        start, length: from where along the way the strip goes, and how far.
        bottom, height: of the square, in both heights.
        sure: how far beside a point every line of a cell must pass, in height, to be sure on which side.
    """

    axes: Floats
    start: float
    length: float
    bottom: float
    height: float
    sure: float

    @classmethod
    def between(cls, source: Disc, target: Disc | Outlines, direction: Floats, hair: float) -> Strip | None:
        """The strip that separates the two along a direction (2,) of length one; None where none does."""
        axes = np.array([direction, [-direction[1], direction[0]]]).T
        middle, ends = np.array(source.centre) @ axes, _ends(target, axes)
        start = middle[0] + source.radius + SURE_BY * hair
        length = float(ends[:, 0].min() - start - SURE_BY * hair)
        bottom = min(middle[1] - source.radius, float(ends[:, 1].min())) - hair
        height = max(middle[1] + source.radius, float(ends[:, 1].max())) + hair - bottom
        sure = SURE_BY * hair * float(np.hypot(1.0, height / length)) if length > 0.0 else np.inf
        return None if sure > length else cls(axes, float(start), length, float(bottom), float(height), sure)

    def heights(self, normals: Floats, offsets: Floats) -> Floats:
        """(n, 2) those of directed lines, the points x with ``x @ normal == offset``, in shares of the square."""
        turned = normals @ self.axes
        along = self.start + np.array([0.0, self.length])
        heights: Floats = (offsets[:, None] - turned[:, :1] * along) / turned[:, 1:]
        return (heights - self.bottom) / self.height

    def inside(self, outlines: Outlines) -> tuple[Floats, Indices]:
        """What of some polygons is in the strip: the corners (n, 2) of each part, and where in them each part begins.

        The corners are told along the way and to its left.
        """
        corners = outlines.corners @ self.axes
        end = self.start + self.length
        least, most = (each.reduceat(corners[:, 0], outlines.starts) for each in (np.minimum, np.maximum))
        whole = (least >= self.start) & (most <= end)
        kept = outlines.chosen(whole)
        rings = np.split(corners, outlines.starts[1:])
        cut = [shapely.Polygon(rings[index]) for index in np.flatnonzero(~whole & (least < end) & (most > self.start))]
        low, high = float(corners[:, 1].min()) - 1.0, float(corners[:, 1].max()) + 1.0
        parts = shapely.get_parts(shapely.intersection(cut, shapely.box(self.start, low, end, high)))
        parts = parts[shapely.get_type_id(parts) == shapely.GeometryType.POLYGON]
        points, which = shapely.get_coordinates(parts, return_index=True)
        starts = np.flatnonzero(np.diff(which, prepend=-1)) + len(kept.corners)
        return np.concatenate([kept.corners @ self.axes, points]), np.concatenate([kept.starts, starts])


@dataclass(frozen=True, eq=False)
class LineCells:
    """What is left of the square.

    Attributes:
        strip: whose square it is.
        across: how many cells fit into it each way.
        cells: (n, 2) which of them are left, by column and row.
    """

    strip: Strip
    across: int
    cells: Indices

    def beside(self, points: Floats, reach: Floats | float = 0.0) -> tuple[Flags, Flags]:
        """(n, points) whether every line of a cell passes surely below a point, and surely above it.

        Args:
            points: (points, 2) along the way and to its left.
            reach: how far up and down from each point counts as the point, if need be (n, 1).
        """
        share = (points[:, 0] - self.strip.start) / self.strip.length
        size = self.strip.height / self.across
        low = self.strip.bottom + self.cells * size
        # A line's height at the point is a mean of its two heights, with weights below zero beyond the strip.
        weights = np.stack([1.0 - share, share])
        least = low @ weights + np.minimum(weights, 0.0).sum(axis=0) * size
        most = low @ weights + np.maximum(weights, 0.0).sum(axis=0) * size
        sure = self.strip.sure * np.abs(weights).sum(axis=0)
        below: Flags = most < points[:, 1] - sure - reach
        above: Flags = least > points[:, 1] + sure + reach
        return below, above

    def cut(self) -> LineCells:
        """The same in cells of half the width and height."""
        quarters = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        return LineCells(self.strip, 2 * self.across, (2 * self.cells[:, None] + quarters).reshape(-1, 2))

    def chosen(self, which: Flags | slice) -> LineCells:
        """Those that are flagged, or at these places."""
        return LineCells(self.strip, self.across, self.cells[which])

    def passed(self, points: Floats) -> Flags:
        """(points,) whether a line of some cell may pass through each point (points, 2) of the plan."""
        flags = np.zeros(len(points), dtype=bool)
        for part in self._parts(len(points)):
            below, above = part.beside(points @ self.strip.axes)
            flags |= ~(below | above).all(axis=0)
        return flags

    def distinct(self, normals: Floats, offsets: Floats) -> Indices:
        """(n,) which of some lines, told as in `Strip.heights`, are in a cell that is left; of like ones the first."""
        heights = self.strip.heights(normals, offsets)
        margin = self.strip.sure / self.strip.height
        codes = np.sort(self.cells @ np.array([self.across, 1]))
        held = np.zeros(len(offsets), dtype=bool)
        for step in ([-1, -1], [-1, 1], [1, -1], [1, 1]) if len(codes) else ():
            nearby = np.floor((heights + margin * np.array(step)) * self.across)
            column, row = np.clip(nearby, 0, self.across - 1).astype(np.intp).T
            sought = column * self.across + row
            held |= codes[np.searchsorted(codes, sought).clip(max=len(codes) - 1)] == sought
        places = np.flatnonzero(held)
        _, first = np.unique(np.round(heights[places] / (ALIKE * margin)), axis=0, return_index=True)
        return places[np.sort(first)]

    def stopped(self, corners: Floats, starts: Indices) -> Flags:
        """(n,) whether one polygon has a corner that is surely above every line, and one surely below it.

        Args:
            corners: (corners, 2) as from `Strip.inside`.
            starts: where in them each polygon begins.
        """
        parts = [np.zeros(0, dtype=bool)]
        for part in self._parts(len(corners)):
            both = (np.logical_or.reduceat(side, starts, axis=1) for side in part.beside(corners))
            parts.append(np.asarray(np.logical_and(*both).any(axis=1)))
        return np.concatenate(parts)

    def missing(self, piece: Disc | Outlines) -> Flags:
        """(n,) whether every line of a cell misses a piece."""
        axes = self.strip.axes
        if isinstance(piece, Disc):
            rise = (np.abs(np.diff(self.cells, axis=1)) + 1) * self.strip.height / self.across
            below, above = self.beside(
                np.array([piece.centre]) @ axes, piece.radius * np.hypot(1.0, rise / self.strip.length)
            )
        else:
            below, above = self.beside(piece.corners @ axes)
        missing: Flags = np.asarray(below.all(axis=1)) | above.all(axis=1)
        return missing

    def _parts(self, points: int) -> Iterator[LineCells]:
        """The same, some at a time, so that not too much is asked about so many points at once."""
        step = max(1, AT_ONCE // max(1, points))
        return (self.chosen(slice(first, first + step)) for first in range(0, len(self.cells), step))


def cells_left(
    source: Disc, target: Disc | Outlines, blockers: Outlines, direction: Floats, hair: float
) -> LineCells | None:
    """The cells in which a free line can be; None where no strip between source and target tells lines apart.

    Args:
        source, target: from where to where.
        blockers: what is in the way; one polygon or more.
        direction: (2,) of length one, straight from the one to the other.
        hair: from `silhouette.rules.crisis_protocol.plan.hair_of`.

    >>> near, far = Disc((0.0, 0.0), 2.0), Disc((20.0, 0.0), 2.0)
    >>> wall = [[9, -9], [10, -9], [10, 9], [9, 9]]
    >>> len(cells_left(near, far, Outlines.of([wall]), np.array([1.0, 0.0]), 1e-8).cells)
    0
    """
    strip = Strip.between(source, target, direction, hair)
    if strip is None:
        return None
    corners, starts = strip.inside(blockers)
    cells = LineCells(strip, 1, np.zeros((1, 2), dtype=np.intp))
    while 0 < len(cells.cells) <= ENOUGH_CELLS and 2 * cells.across * LEAST_CELL * strip.sure < strip.height:
        cells = cells.cut()
        for piece in (source, target):
            cells = cells.chosen(~cells.missing(piece))
        if len(starts):
            cells = cells.chosen(~cells.stopped(corners, starts))
        if cells.across >= FINEST:
            break
    return cells


def _ends(piece: Disc | Outlines, axes: Floats) -> Floats:
    """(n, 2) how far a piece reaches, along both axes, at the least."""
    if isinstance(piece, Outlines):
        return piece.corners @ axes
    ends: Floats = np.array(piece.centre) @ axes + np.array([[-piece.radius], [piece.radius]])
    return ends
