"""COUNT: a picture in square cells, and which of them lines, boxes and triangles touch.

Cells are known by one number, row * columns + column. What is found is never too little: a line or box may be said to
touch a cell that it passes by the width of a rounding error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silhouette.common.geometry import Flags, Floats, spread
from silhouette.meshes.clusters import Indices


def among(cells: Indices, asked: Indices, *others: Indices) -> tuple[Indices, ...]:
    """Others (n,) for those of the asked cells (n,) that are among ``cells``, ascending; last the places that they
    have there.

    >>> [part.tolist() for part in among(np.array([3, 5, 9]), np.array([9, 4, 3, 9]), np.array([0, 1, 2, 3]))]
    [[0, 2, 3], [2, 0, 2]]
    >>> [part.tolist() for part in among(np.array([], np.int64), np.array([9, 4]))]
    [[]]
    """
    place = np.minimum(np.searchsorted(cells, asked), len(cells) - 1)
    found = cells[place] == asked if len(cells) else np.zeros(len(asked), dtype=np.bool_)
    return (*(other[found] for other in others), place[found])


@dataclass(frozen=True, eq=False)
class Grid:
    """A picture cut into cells."""

    size: float  # pixels, the width of a cell
    # rows, columns: numbers of cells
    rows: int
    columns: int

    @classmethod
    def of(cls, width: int, height: int, size: float) -> Grid:
        """Cells that cover a picture of so many pixels."""
        return cls(size, int(np.ceil(height / size)), int(np.ceil(width / size)))

    @property
    def count(self) -> int:
        """The number of cells."""
        return self.rows * self.columns

    def finer(self, factor: int) -> Grid:
        """The grid with each cell cut into ``factor`` by ``factor``."""
        return Grid(self.size / factor, self.rows * factor, self.columns * factor)

    def children(self, cells: Indices, factor: int) -> Indices:
        """The cells of the grid ``finer(factor)`` that ``cells`` of this one are cut into, ascending."""
        rows, columns = np.divmod(cells, self.columns)
        row, column = np.divmod(np.arange(factor * factor), factor)
        numbers: Indices = (rows[:, None] * factor + row) * (self.columns * factor) + columns[:, None] * factor + column
        return np.sort(numbers.ravel())

    def parents(self, pieces: Indices, factor: int) -> Indices:
        """(n,) the cells of which cells of the grid ``finer(factor)`` are pieces.

        >>> grid = Grid(4.0, 2, 3)
        >>> grid.parents(grid.children(np.array([1, 5]), 2), 2).tolist()
        [1, 1, 1, 1, 5, 5, 5, 5]
        """
        rows, columns = np.divmod(pieces, self.columns * factor)
        parents: Indices = rows // factor * self.columns + columns // factor
        return parents

    def corners(self, cells: Indices) -> Floats:
        """(2, n) column and row, in pixels, of the corners of cells where both are least."""
        rows, columns = np.divmod(cells, self.columns)
        return np.stack([columns, rows]) * self.size

    def window(self, cells: Indices, margin: float) -> Floats:
        """(4,) lowest and highest column, lowest and highest row, in pixels, of cells with a margin."""
        low = self.corners(cells)
        (left, top), (right, bottom) = low.min(axis=1) - margin, low.max(axis=1) + self.size + margin
        return np.array([left, right, top, bottom])

    def of_boxes(self, low: Floats, high: Floats) -> tuple[Indices, Indices]:
        """The numbers of boxes, from (2, n) to (2, n) in pixels, and of cells that they touch, in pairs.

        >>> low, high = np.array([[1.0, 4.5], [1.0, 3.0]]), np.array([[2.5, 99.0], [1.5, 3.5]])
        >>> box, cell = Grid(2.0, 2, 3).of_boxes(low, high)
        >>> box.tolist(), cell.tolist()
        ([0, 0, 1], [0, 1, 5])
        """
        first, last = self._span(low[0], high[0], self.columns)
        top, bottom = self._span(low[1], high[1], self.rows)
        rows, box = spread(top, np.where(first <= last, np.maximum(bottom - top + 1, 0), 0))
        columns, line = spread(first[box], (last - first + 1)[box])
        return box[line], rows[line] * self.columns + columns

    def of_lines(self, start: Floats, end: Floats, margin: Floats) -> tuple[Indices, Indices]:
        """The numbers of lines, from (2, n) to (2, n), and of cells that they pass nearer than margins (n,), in pairs.

        >>> line, cell = Grid(1.0, 3, 3).of_lines(np.array([[0.5], [0.4]]), np.array([[2.5], [2.5]]), np.array([0.01]))
        >>> cell.tolist()
        [0, 1, 4, 5, 8]
        """
        low, high = np.minimum(start[1], end[1]) - margin, np.maximum(start[1], end[1]) + margin
        top, bottom = self._span(low, high, self.rows)
        left, right = np.minimum(start[0], end[0]), np.maximum(start[0], end[0])
        first, last = self._span(left - margin, right + margin, self.columns)
        many = (bottom > top) & (last > first)
        rows, line = spread(top, np.where(first <= last, np.maximum(bottom - top + 1, 0), 0))
        first, last = first[line], last[line]
        slant = np.flatnonzero(many[line])
        if len(slant):
            first[slant], last[slant] = self._crossed(rows[slant], line[slant], start, end, margin)
        columns, row = spread(first, np.maximum(last - first + 1, 0))
        return line[row], rows[row] * self.columns + columns

    def _crossed(
        self, rows: Indices, line: Indices, start: Floats, end: Floats, margin: Floats
    ) -> tuple[Indices, Indices]:
        """The first and last column of cells in which slanting lines cross rows of cells."""
        begin, way, near = start[:, line], (end - start)[:, line], margin[line]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            shares = np.stack([rows * self.size - near, (rows + 1) * self.size + near])
            shares = (shares - begin[1]) / way[1]
        shares = np.where(way[1] == 0.0, np.array([[0.0], [1.0]]), np.clip(np.sort(shares, axis=0), 0.0, 1.0))
        places = begin[0] + shares * way[0]
        return self._span(places.min(axis=0) - near, places.max(axis=0) + near, self.columns)

    def _span(self, low: Floats, high: Floats, count: int) -> tuple[Indices, Indices]:
        """The first and the last of ``count`` cells in a row that intervals touch; the last is the lesser for none."""
        slack = 1e-9 * self.size
        first = np.clip(np.floor((low - slack) / self.size), 0, count).astype(np.int64)
        last = np.clip(np.floor((high + slack) / self.size), -1, count - 1).astype(np.int64)
        return first, last

    def touched(self, low: Floats, high: Floats) -> Flags:
        """(count,) which cells one at least of boxes, from (2, n) to (2, n) in pixels, touches."""
        first, last = self._span(low[0], high[0], self.columns)
        top, bottom = self._span(low[1], high[1], self.rows)
        within = (first <= last) & (top <= bottom)
        first, last, top, bottom = first[within], last[within] + 1, top[within], bottom[within] + 1
        # Each box adds 1 from its first corner on and takes it back beyond its sides: summed up along both axes.
        wide = self.columns + 1
        corners = np.concatenate([top * wide + first, bottom * wide + last, top * wide + last, bottom * wide + first])
        weights = np.repeat([1.0, 1.0, -1.0, -1.0], len(first))
        table = np.bincount(corners, weights, (self.rows + 1) * wide).reshape(self.rows + 1, wide)
        covered: Flags = table.cumsum(axis=0).cumsum(axis=1)[:-1, :-1].ravel() > 0.5
        return covered

    def overlapping(self, triangles: Floats, owner: Indices, cells: Indices) -> Flags:
        """(n,) whether triangles (2, m, 3) of the picture and cells overlap or touch, for pairs of both whose boxes do.

        A triangle misses a cell where the cell lies wholly beyond one of its sides.
        """
        x, y = triangles[:, owner]
        low_x, low_y = self.corners(cells)
        half = self.size / 2
        middle_x, middle_y = low_x + half, low_y + half
        meets = np.ones(len(owner), dtype=np.bool_)
        area = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (y[:, 1] - y[:, 0]) * (x[:, 2] - x[:, 0])
        turn = np.sign(area)
        for corner in range(3):
            after = (corner + 1) % 3
            way_x, way_y = x[:, after] - x[:, corner], y[:, after] - y[:, corner]
            reach = half * (np.abs(way_x) + np.abs(way_y)) * (1.0 + 1e-9)
            inward = way_x * (middle_y - y[:, corner]) - way_y * (middle_x - x[:, corner])
            meets &= turn * inward >= -reach
        return meets
