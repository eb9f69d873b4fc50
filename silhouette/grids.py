"""Arrays of cells, and graphs: what is connected, how deep a cell lies, and a picture made smooth.

scipy has the same, and would be a third of all that Silhouette installs; these few functions are all that is
needed of it. Results are the same, to the last bit where they are integers or roots of integers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats

Labels = NDArray[np.int64]


def connected(edges: Labels, count: int) -> Labels:
    """For each of ``count`` vertices (n,) the least vertex that edges (e, 2) connect it with.

    In each round every group that touches one with a smaller least vertex joins the smallest such; of a group that
    touches none, a neighbour has then a smaller one or has joined it. So the groups are halved in two rounds at most.

    >>> connected(np.array([[4, 3], [1, 3]]), 5).tolist()
    [0, 1, 2, 1, 1]
    >>> connected(np.empty((0, 2), np.int64), 2).tolist()
    [0, 1]
    """
    least = np.arange(count, dtype=np.int64)
    first, second = np.asarray(edges, dtype=np.int64).reshape(-1, 2).T
    while True:
        one, other = least[first], least[second]
        apart = one != other
        if not apart.any():
            return least
        first, second, one, other = first[apart], second[apart], one[apart], other[apart]
        np.minimum.at(least, np.maximum(one, other), np.minimum(one, other))
        while True:
            above = least[least]
            if np.array_equal(above, least):
                break
            least = above


def labelled(mask: Flags) -> tuple[Labels, int]:
    """The pieces of a mask of any dimension that are connected through faces: a number for each cell, and how many.

    Returns:
        For each cell 0 outside the mask, else the number of its piece from 1, in the order of their first cells.

    >>> labelled(np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1]], np.bool_))
    (array([[1, 0, 2],
           [1, 0, 0],
           [0, 3, 3]]), 3)
    """
    numbers = np.zeros(mask.shape, dtype=np.int64)
    if not mask.any():
        return numbers, 0
    # The vertices of the graph are not cells but runs of cells along the last axis. Where two runs lie side by side,
    # one of them starts at the first cell of their overlap: that cell stands for all of it.
    starts = mask.copy()
    starts[..., 1:] &= ~mask[..., :-1]
    runs = np.cumsum(starts.ravel(), dtype=np.int64).reshape(mask.shape) - 1
    pairs = []
    for axis in range(mask.ndim - 1):
        cells, begun, run = (np.moveaxis(array, axis, 0) for array in (mask, starts, runs))
        meet = cells[1:] & cells[:-1] & (begun[1:] | begun[:-1])
        pairs.append(np.stack([run[1:][meet], run[:-1][meet]], axis=1))
    edges = np.concatenate([*pairs, np.empty((0, 2), dtype=np.int64)])
    _, piece = np.unique(connected(edges, int(runs.ravel()[-1]) + 1), return_inverse=True)
    numbers[mask] = piece[runs[mask]] + 1
    return numbers, int(piece.max()) + 1


def depths(mask: Flags, reach: int) -> Floats:
    """The distance of each cell of a mask from the middle of the nearest cell outside it, in cells, at most ``reach``.

    What lies beyond the array counts as neither. Squares of distances are added up axis by axis, so they are exact.

    >>> depths(np.array([[0, 1, 1, 1], [1, 1, 1, 1]], np.bool_), 2).round(2).tolist()
    [[0.0, 1.0, 2.0, 2.0], [1.0, 1.41, 2.0, 2.0]]
    """
    squares = np.where(mask, np.int32(reach * reach), np.int32(0))
    for axis in range(mask.ndim):
        before = np.moveaxis(squares, axis, 0)
        after = before.copy()
        for step in range(1, min(reach, len(before) - 1) + 1):
            np.minimum(after[step:], before[:-step] + np.int32(step * step), out=after[step:])
            np.minimum(after[:-step], before[step:] + np.int32(step * step), out=after[:-step])
        squares = np.moveaxis(after, 0, axis)
    return np.sqrt(squares.astype(np.float64))


def smoothed(picture: NDArray[np.float32], deviation: float) -> NDArray[np.float32]:
    """A picture smoothed by a Gaussian, which is cut off at four standard deviations; zero beyond the picture.

    Args:
        picture: (height, width).
        deviation: the standard deviation, in pixels.

    >>> smoothed(np.ones((5, 7), np.float32), 0.6)[2].round(2)
    array([0.83, 1.  , 1.  , 1.  , 1.  , 1.  , 0.83], dtype=float32)
    """
    radius = int(4.0 * deviation + 0.5)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / deviation) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        wide = np.pad(picture.astype(np.float64), [(radius * (axis == 0),) * 2, (radius * (axis == 1),) * 2])
        length = picture.shape[axis]
        total = np.zeros(picture.shape)
        for start, weight in enumerate(weights):
            total += weight * np.take(wide, range(start, start + length), axis=axis)
        picture = total.astype(np.float32)
    return picture
