"""PLACE: boxes in plan that are found quickly by where they lie: by the triangle, or by the point. numpy only.

Each box belongs to the grid whose cells are as wide as it is, so that it lies in at most four of them. A box that is
looked for goes through the cells that it covers, in each grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Floats
from silhouette.meshes.mesh import stable_order

Indices = NDArray[np.intp]

FINEST = 2.0
"""mm: no grid has smaller cells."""

SPAN = 1 << 30
"""More cells than any grid has along an axis."""


@dataclass(frozen=True, eq=False)
class _Grid:
    """The boxes of one size.

    Attributes:
        size: mm, of its cells.
        least, most: (2,) the first and the last cell along x and y.
        keys: (k,) the cells that hold a box, ascending.
        starts: (k + 1,) where the boxes of each cell begin in ``members``.
        members: (n,) the numbers of boxes.
    """

    size: float
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    keys: NDArray[np.int64]
    starts: Indices
    members: Indices


class PlanIndex:
    """An index of boxes.

    Args:
        boxes: (m, 4) mm: least x, least y, greatest x, greatest y.

    >>> index = PlanIndex(np.array([[0.0, 0.0, 1.0, 1.0], [5.0, 5.0, 90.0, 6.0], [3.0, 3.0, 4.0, 9.0]]))
    >>> [pairs.tolist() for pairs in index.pairs(np.array([[0.5, 0.5, 5.0, 5.0], [80.0, 5.5, 80.0, 5.5]]))]
    [[0, 0, 0, 1], [0, 1, 2, 1]]
    """

    def __init__(self, boxes: Floats) -> None:
        self._boxes = boxes
        widest = (boxes[:, 2:] - boxes[:, :2]).max(axis=1, initial=0.0)
        levels = np.ceil(np.log2(np.maximum(widest, FINEST) / FINEST)).astype(int) if len(boxes) else np.empty(0, int)
        self._grids = [
            _grid(boxes, np.flatnonzero(levels == level), FINEST * 2.0**level) for level in np.unique(levels)
        ]

    def pairs(self, boxes: Floats) -> tuple[Indices, Indices]:
        """The numbers of the boxes (q, 4) and of the indexed boxes that overlap or touch, in the order of the first."""
        found = [self._in_grid(grid, boxes) for grid in self._grids]
        if not found:
            return np.empty(0, np.intp), np.empty(0, np.intp)
        box, member = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.lexsort((member, box))
        return box[order], member[order]

    def _in_grid(self, grid: _Grid, boxes: Floats) -> tuple[Indices, Indices]:
        low, high = (np.floor(corner / grid.size) for corner in (boxes[:, :2], boxes[:, 2:]))
        low, high = (np.clip(cells, grid.least, grid.most).astype(np.int64) for cells in (low, high))
        counts = high - low + 1
        box, cell = _spread(counts.prod(axis=1))
        x, y = low[box, 0] + cell // counts[box, 1], low[box, 1] + cell % counts[box, 1]
        keys = x * SPAN + y
        at = np.searchsorted(grid.keys, keys)
        at[at == len(grid.keys)] = 0
        known = grid.keys[at] == keys
        box, x, y, at = box[known], x[known], y[known], at[known]
        cell, place = _spread(grid.starts[at + 1] - grid.starts[at])
        member = grid.members[grid.starts[at][cell] + place]
        box, x, y = box[cell], x[cell], y[cell]
        own, asked = self._boxes[member], boxes[box]
        overlap = (own[:, 0] <= asked[:, 2]) & (own[:, 2] >= asked[:, 0])
        overlap &= (own[:, 1] <= asked[:, 3]) & (own[:, 3] >= asked[:, 1])
        # Both may lie in several cells: the pair is that of the least cell which holds them both.
        overlap &= x == np.maximum(np.floor(own[:, 0] / grid.size).astype(np.int64), low[box, 0])
        overlap &= y == np.maximum(np.floor(own[:, 1] / grid.size).astype(np.int64), low[box, 1])
        return box[overlap], member[overlap]


def _grid(boxes: Floats, numbers: Indices, size: float) -> _Grid:
    low, high = (np.floor(boxes[numbers][:, corner] / size).astype(np.int64) for corner in (slice(0, 2), slice(2, 4)))
    keys, members = [], []
    for right in (0, 1):
        for up in (0, 1):
            holds = (low[:, 0] + right <= high[:, 0]) & (low[:, 1] + up <= high[:, 1])
            keys.append((low[holds, 0] + right) * SPAN + low[holds, 1] + up)
            members.append(numbers[holds])
    every = np.concatenate(keys)
    order = stable_order(every - every.min(initial=0))
    cells, starts = np.unique(every[order], return_index=True)
    return _Grid(
        size, low.min(axis=0), high.max(axis=0), cells, np.append(starts, len(every)), np.concatenate(members)[order]
    )


def _spread(counts: NDArray[np.int64]) -> tuple[Indices, Indices]:
    """For counts (n,), each number repeated as often as its count says, and the position within its repetition.

    >>> [part.tolist() for part in _spread(np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    """
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
