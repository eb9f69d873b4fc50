"""Which straight lines from one piece to another can still be free, where a great many polygons stand between.

Between source and target lies a strip, at right angles to the way from one to the other. A line is described by two
heights: those at which it enters the strip and leaves it. So every line is a point of a square:

     source   |    strip    |  target            leaves at     +---+---+---+---+
       .--.   |             |  +--+                            |   |   | # |   |    # blocked: one polygon has a corner
      ( -------a----___     |  |  |                            +---+---+---+---+    surely above and a corner surely
       '--'   |        ---- b--|  |                      b --> |   | x |   | # |    below every line of the cell
              |             |  +--+                            +---+---+---+---+
                                                                     ^ enters at a

The square is cut into cells, again and again. A cell is dropped when one polygon blocks every line in it, or when all
of them miss the source or the target. A free line, if there is any, lies in a cell that is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely

from silhouette.geometry import Flags, Floats
from silhouette.relations.plane_geometry import Disc, Indices, Outlines, ends_along
from silhouette.time_limit import go_on

FINEST = 2**20
"""The number of cells across the square at which cutting ends."""

MAX_CELLS = 1000
"""Where more cells than this are left, they are not cut again."""

AT_ONCE = 2_000_000
"""How many cells times points are handled together: it bounds the memory."""

SAFETY = 10.0
"""The number of epsilons within which a point may lie on either side of a line, or before or beyond an end."""

SAME_LINE = 1e-4
"""Lines that differ by less than this, as a share of that distance, are one line."""

LEAST_CELL = 4.0
"""The least height of a cell, as a multiple of that distance."""


@dataclass(frozen=True, eq=False)
class Strip:
    """The strip between source and target, by which lines are described.

    Attributes:
        axes: (2, 2) a point times these is its position along the way from source to target, and to the left of it.
        start, length: the position along the way at which the strip begins, and its length.
        bottom, height: the range of both heights.
        sure: the difference in height by which a line has to pass a point so that it is certain on which side.
    """

    axes: Floats
    start: float
    length: float
    bottom: float
    height: float
    sure: float

    @classmethod
    def between(
        cls, source: Disc | Outlines, target: Disc | Outlines, direction: Floats, epsilon: float
    ) -> Strip | None:
        """The strip at right angles to a direction (2,) of length 1 that separates the two; None where none does."""
        axes = np.array([direction, [-direction[1], direction[0]]]).T
        begins, ends = ends_along(source, axes), ends_along(target, axes)
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
        """The parts of polygons that lie in the strip.

        Returns:
            The corners (n, 2) of all parts, along the way and to its left; and the number of each part's first corner.
        """
        corners = outlines.corners @ self.axes
        end = self.start + self.length
        least, most = (bound.reduceat(corners[:, 0], outlines.starts) for bound in (np.minimum, np.maximum))
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
    """The cells that are left of the square.

    Attributes:
        strip: the strip whose square it is.
        across: the number of cells across the square.
        cells: (n, 2) the column and row of each cell that is left.
    """

    strip: Strip
    across: int
    cells: Indices

    def sides_of(self, points: Floats, reach: Floats | float = 0.0) -> tuple[Flags, Flags]:
        """(n, points) whether every line of a cell passes surely below a point, and whether surely above it.

        Args:
            points: (points, 2) along the way and to its left.
            reach: the distance up and down from each point that counts as the point, for all cells or (n, 1).
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
        """(n,) whether one polygon has a corner surely above every line of a cell, and another surely below.

        Args:
            corners: (corners, 2) as from `Strip.inside`.
            starts: the number of each polygon's first corner.
        """
        parts = [np.zeros(0, dtype=bool)]
        for part in self._parts(len(corners)):
            both = (np.logical_or.reduceat(side, starts, axis=1) for side in part.sides_of(corners))
            parts.append(np.asarray(np.logical_and(*both).any(axis=1)))
        return np.concatenate(parts)

    def missing(self, piece: Disc | Outlines) -> Flags:
        """(n,) whether every line of a cell misses a piece."""
        axes = self.strip.axes
        # A line that rises by `rise` over the length of the strip meets a disc up to radius * sqrt(1 + slope^2) above.
        if isinstance(piece, Disc):
            rise = (np.abs(np.diff(self.cells, axis=1)) + 1) * self.strip.height / self.across
            below, above = self.sides_of(
                np.array([piece.centre]) @ axes, piece.radius * np.hypot(1.0, rise / self.strip.length)
            )
        else:
            below, above = self.sides_of(piece.corners @ axes)
        missing: Flags = np.asarray(below.all(axis=1)) | above.all(axis=1)
        return missing

    def _parts(self, points: int) -> Iterator[LineCells]:
        """The cells in batches that are small enough for this many points."""
        step = max(1, AT_ONCE // max(1, points))
        for first in range(0, len(self.cells), step):
            go_on()
            yield self.chosen(slice(first, first + step))


def remaining_cells(
    source: Disc | Outlines, target: Disc | Outlines, blockers: Outlines, direction: Floats, epsilon: float
) -> LineCells | None:
    """The cells in which a free line can be; None where no strip separates source and target.

    Args:
        source, target: the pieces between which the lines run.
        blockers: the polygons that may be in the way, at least one.
        direction: (2,) of length 1, straight from the source to the target.
        epsilon: from `silhouette.relations.plane_geometry.epsilon_of`.

    >>> near, far = Disc((0.0, 0.0), 2.0), Disc((20.0, 0.0), 2.0)
    >>> wall = [[9, -9], [10, -9], [10, 9], [9, 9]]
    >>> len(remaining_cells(near, far, Outlines.of([wall]), np.array([1.0, 0.0]), 1e-8).cells)
    0
    """
    strip = Strip.between(source, target, direction, epsilon)
    if strip is None:
        return None
    corners, starts = strip.inside(blockers)
    cells = LineCells(strip, 1, np.zeros((1, 2), dtype=np.intp))
    while 0 < len(cells.cells) <= MAX_CELLS and 2 * cells.across * LEAST_CELL * strip.sure < strip.height:
        cells = cells.cut()
        for piece in (source, target):
            cells = cells.chosen(~cells.missing(piece))
        if len(starts):
            cells = cells.chosen(~cells.blocked(corners, starts))
        if cells.across >= FINEST:
            break
    return cells
