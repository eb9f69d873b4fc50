"""SCAN: where a turned model may stand in a scanned piece whose place no base shows: by correlation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy
from numpy.typing import NDArray

from silhouette.common.geometry import Floats
from silhouette.scans.poses import Upright

CELLS = 40  # along the longest side of the piece, in plan
LEAST_CELL = 1.5  # mm: finer than this the scan's own roughness would matter
LAYERS = 12  # the layers into which the height is cut, so that walls fall on walls and roofs on roofs
PEAKS = 2  # the number of places that are tried for each yaw, besides box on box


def shifted(model: Floats, weights: Floats, points: Floats, yaws: Floats) -> list[Upright]:
    """Poses at which a model may stand in a piece, for each yaw a few.

    The piece may be cut short, or grown together with another one, so that its box says little. So the model is laid
    over the piece at every place in plan at once: layer by layer, its points are correlated with how near each cell is
    to a scanned point, by Fourier transforms.

    Args:
        model: (n, 3) points of the model's visible surface.
        weights: (n,) how well each is seen.
        points: (k, 3) scanned points, with the ground at z = 0.
        yaws: (m,) radians.
    """

    model, weights = model[weights > 0.0], weights[weights > 0.0]
    if len(model) == 0 or len(points) == 0:
        return []
    low, high = points.min(axis=0), points.max(axis=0)
    cell = max(LEAST_CELL, float((high - low)[:2].max()) / CELLS)
    rise = max(cell, float(max(high[2], model[:, 2].max())) / LAYERS)
    layer = np.clip(model[:, 2] / rise, 0, LAYERS - 1).astype(np.intp)
    reach = int(2.0 * np.hypot(model[:, 0], model[:, 1]).max() / cell) + 3
    near = _nearness(points, low, cell, rise)
    size = tuple(scipy.fft.next_fast_len(length + reach, real=True) for length in near.shape[1:])
    there = scipy.fft.rfft2(near, size)
    starts = []
    for yaw in yaws:
        pose = Upright(0.0, 0.0, 0.0, float(yaw))
        plan = pose.turn(model)[:, :2]
        least, most = plan.min(axis=0), plan.max(axis=0)
        column, row = np.floor((plan - least) / cell).astype(np.intp).T
        drawn = np.zeros((LAYERS, reach, reach), np.float32)
        np.add.at(drawn, (layer, column, row), weights)
        score = scipy.fft.irfft2((scipy.fft.rfft2(drawn, size).conj() * there).sum(axis=0), size)
        # A peak at (i, j) lays the model's first cell on cell (i, j) of the padded picture, negative from its far end.
        for i, j in _peaks(score):
            place = np.array([i - size[0] * (i > near.shape[1]), j - size[1] * (j > near.shape[2])], dtype=np.float64)
            x, y = low[:2] - 2.0 * cell + place * cell - least
            starts.append(Upright(float(x), float(y), 0.0, float(yaw)))
        x, y = (low[:2] + high[:2] - least - most) / 2.0
        starts.append(Upright(float(x), float(y), 0.0, float(yaw)))
    return starts


def _nearness(points: Floats, low: Floats, cell: float, rise: float) -> NDArray[np.float32]:
    """(layers, columns, rows) from 1 in cells with a scanned point down to 0 two cells away, with a margin of two."""

    column, row = np.floor((points[:, :2] - low[:2]) / cell).astype(np.intp).T + 2
    layer = np.clip(points[:, 2] / rise, 0, LAYERS - 1).astype(np.intp)
    free = np.ones((LAYERS, int(column.max()) + 3, int(row.max()) + 3), dtype=np.bool_)
    free[layer, column, row] = False
    if free.all(axis=(1, 2)).all():
        return np.zeros(free.shape, np.float32)
    away = scipy.ndimage.distance_transform_edt(free, sampling=(rise / cell, 1.0, 1.0))
    near: NDArray[np.float32] = np.clip(1.0 - away / 2.0, 0.0, 1.0).astype(np.float32)
    return near


def _peaks(score: NDArray[np.float32]) -> Iterator[tuple[int, int]]:
    """The cells with the highest scores, no two within two cells of each other."""
    score = score.copy()
    for _ in range(PEAKS):
        i, j = (int(index) for index in np.unravel_index(int(score.argmax()), score.shape))
        yield i, j
        score[max(0, i - 2) : i + 3, max(0, j - 2) : j + 3] = -np.inf
