"""COUNT: the error of a share, from the pairs of neighbouring cells that differ.

The picture is cut into cells. A cell of w x w pixels has one sample, at a place drawn at random in it, and so the share
p of the cell that shows something is estimated by 1, with probability p, or by 0: right on average, whatever the shape,
with a variance of w^4 p (1 - p) pixels squared. Cells are sampled independently of each other, so variances add.

Nobody knows p. But of two neighbours with shares p and q the squared difference of their samples is on average

    p (1 - p) + q (1 - q) + (p - q)^2   >=   the two variances,

so that a quarter of it, summed over all pairs of neighbours, is on average at least the sum of all variances, since
each cell has four neighbours. The last term, which a contour leaves though its place be known, is mostly known as well:
the product of the differences of two pairs side by side, of four cells sampled independently of each other, is on
average (p - q) (r - s), and the sum of all such products is at most that of all (p - q)^2. It is taken off.

A share is a ratio of two counts. With z the kind's value minus the share, as below, the error of the share is that of
the sum of z, divided by the whole; a pair of kinds counts with the square of the difference of their z:

    share            a cell of the target counts in the whole      and has z =
    occluded, f      1                                             occluded - f
    occluded in arc  in arc                                        in arc (occluded - f)
    seen             1                                             in arc and not occluded - f
"""

from __future__ import annotations

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.measure.sampling import IN_ARC, OCCLUDED, SAMPLE_KINDS, TARGET

SIGMAS = 3.0  # the stated error is this many standard deviations

UNKNOWN = 0.5
"""The cells of the coarse grid that may differ from all their neighbours where none was met: the mean of the rate of
rare events of which none was seen, by Jeffreys' prior."""

_KIND = np.arange(SAMPLE_KINDS)
_IS_TARGET, _IS_IN_ARC, _IS_OCCLUDED = ((_KIND & bit > 0).astype(np.float64) for bit in (TARGET, IN_ARC, OCCLUDED))
SHARE_WHOLES = np.array([_IS_TARGET, _IS_TARGET * _IS_IN_ARC, _IS_TARGET])
"""(3, SAMPLE_KINDS) what a pixel of a kind counts in the wholes of the shares: occluded, occluded in arc, seen."""

SHARE_PARTS = np.array([_IS_OCCLUDED, _IS_IN_ARC * _IS_OCCLUDED, _IS_IN_ARC * (1.0 - _IS_OCCLUDED)])
"""(3, SAMPLE_KINDS) what it counts in their parts."""


def shares(counts: Floats) -> tuple[Floats, Floats]:
    """(n, 3) the shares of n checks with ``counts`` (n, SAMPLE_KINDS), and their wholes; a share of nothing is 0."""
    wholes = counts @ SHARE_WHOLES.T
    parts = counts @ SHARE_PARTS.T
    return np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0.0), wholes


def steps(share: Floats) -> Floats:
    """(n, 3, SAMPLE_KINDS²) the squares of the differences of z between two kinds, for shares (n, 3)."""
    z = SHARE_PARTS - share[:, :, None] * SHARE_WHOLES
    squares: Floats = (z[:, :, :, None] - z[:, :, None, :]) ** 2
    return squares.reshape(*share.shape, SAMPLE_KINDS * SAMPLE_KINDS)


def share_errors(variance: Floats, counts: Floats) -> Floats:
    """(n, 3) the errors of the three shares of n checks; 1 where the whole is nothing.

    Args:
        variance: (n, SAMPLE_KINDS²) pixels squared, for each pair of kinds, at a step of one.
        counts: (n, SAMPLE_KINDS) pixels.
    """
    share, wholes = shares(counts)
    spread = np.einsum("ijk,ik->ij", steps(share), variance)
    errors: Floats = np.divide(SIGMAS * np.sqrt(spread), wholes, out=np.ones_like(spread), where=wholes > 0.0)
    return errors
