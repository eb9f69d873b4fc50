"""How well a scan is taken apart: pieces found against pieces there, point by point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]


@dataclass(frozen=True)
class Apart:
    """How found labels compare with true ones.

    Attributes:
        right: share of the points of true pieces that are in a found piece which matches theirs, of IoU > 0.75.
        matched: share of the true pieces that a found piece matches at IoU > 0.75.
        best: the true piece's number -> IoU of the found piece that overlaps it best.
        points: share of the points of true pieces that bear the number of the found piece given to theirs, one to one,
            so that the most points are right.
    """

    right: float
    matched: float
    best: dict[int, float]
    points: float


def overlaps(found: Labels, true: Labels) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(found pieces, true pieces) counts of common points and their intersections over unions, numbers from 1.

    Points whose truth is -1, as where two pieces meet, count nowhere.
    """
    kept = true >= 0
    found, true = np.maximum(found[kept], 0), true[kept]
    rows, columns = int(found.max(initial=0)) + 1, int(true.max(initial=0)) + 1
    common = np.bincount(found * columns + true, minlength=rows * columns).reshape(rows, columns)
    union = common.sum(1)[:, None] + common.sum(0)[None] - common
    return common[1:, 1:], (common / np.maximum(union, 1))[1:, 1:]


def apart(found: Labels, true: Labels) -> Apart:
    """Compares labels: 0 the table, k the k-th piece, -1 neither.

    >>> truth = np.repeat(np.array([0, 1, 2], dtype=np.int32), 10)
    >>> apart(truth, truth).right, apart(np.minimum(truth, 1), truth).right
    (1.0, 0.0)
    """
    from scipy.optimize import linear_sum_assignment

    common, iou = overlaps(found, true)
    here = common.shape[1] and np.bincount(true[true > 0], minlength=common.shape[1] + 1)[1:]
    if not common.size or not np.sum(here):
        nothing = 1.0 if not np.sum(here) else 0.0
        return Apart(nothing, nothing, {}, nothing)
    there = np.flatnonzero(here)
    good = iou > 0.75  # no two can match one
    rows, columns = linear_sum_assignment(common, maximize=True)
    return Apart(
        right=float((common * good).sum() / here.sum()),
        matched=float(good.any(0)[there].mean()),
        best={int(k) + 1: float(iou[:, k].max()) for k in there},
        points=float(common[rows, columns].sum() / here.sum()),
    )
