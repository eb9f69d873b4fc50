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

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.atlas import Atlas, Contour, Level
from silhouette.measure.sampling import IN_ARC, KINDS, OCCLUDED, TARGET, Places

SIGMAS = 3.0  # the stated error is this many standard deviations

UNKNOWN = 0.5
"""The cells of the coarse grid that may differ from all their neighbours where none was met: the mean of the rate of
rare events of which none was seen, by Jeffreys' prior."""

_KIND = np.arange(KINDS)
_TARGET, _IN_ARC, _OCCLUDED = ((_KIND & bit > 0).astype(np.float64) for bit in (TARGET, IN_ARC, OCCLUDED))
WHOLES = np.array([_TARGET, _TARGET * _IN_ARC, _TARGET])
"""(3, KINDS) what a pixel of a kind counts in the wholes of the three shares: occluded, occluded in arc, seen."""

PARTS = np.array([_OCCLUDED, _IN_ARC * _OCCLUDED, _IN_ARC * (1.0 - _OCCLUDED)])
"""(3, KINDS) what it counts in their parts."""


def shares(counts: Floats) -> tuple[Floats, Floats]:
    """(n, 3) the three shares of n checks with ``counts`` (n, KINDS), and their wholes; a share of nothing is 0."""
    wholes = counts @ WHOLES.T
    parts = counts @ PARTS.T
    return np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0.0), wholes


def steps(share: Floats) -> Floats:
    """(n, 3, KINDS²) the squares of the differences of z between two kinds, for shares (n, 3)."""
    z = PARTS - share[:, :, None] * WHOLES
    squares: Floats = (z[:, :, :, None] - z[:, :, None, :]) ** 2
    return squares.reshape(*share.shape, KINDS * KINDS)


def importance(share: Floats, wholes: Floats) -> Floats:
    """(n, KINDS²) what a pixel between two kinds matters: the square of its effect on the share where that is greatest.

    Args:
        share: (n, 3) the three shares.
        wholes: (n, 3) the pixels of which they are shares.
    """
    scale = np.divide(1.0, wholes, out=np.zeros_like(wholes), where=wholes > 0.0) ** 2
    matters: Floats = (steps(share) * scale[:, :, None]).max(axis=1)
    return matters


def open_variance(atlas: Atlas, contour: Contour, check: Places, size: int, level: int = -1) -> Floats:
    """(size, KINDS²) pixels squared, for each check and pair of kinds, the variance along the contour of a level.

    A quarter of w^4 for a pair of which both cells have a sample of their own at this level, less where the contour
    goes on beside it. Where one has none, it was sampled in a cell twice as wide, and counts as that. Pairs of which
    neither has one, or one of which is cut further, count at another level.

    Args:
        atlas: the atlas.
        contour: of the level.
        check: (k,) the check to which each picture belongs.
        size: the number of checks.
        level: the last one, or the last but one.
    """
    cells = atlas.levels[level]
    own, cut = cells.is_own.ravel(), cells.is_cut.ravel()
    first, second = own[contour.first], own[contour.second]
    counted = (first | second) & ~cut[contour.first] & ~cut[contour.second]
    both = (first & second) | (cells is atlas.levels[0])
    share = np.where(both, 0.25 * (1.0 - _going_on(cells, contour)), 1.0) * (1.0 + _is_doubled(cells, contour))
    weight = counted * share * cells.width**4
    place = check[contour.picture] * KINDS**2 + contour.pair
    return np.bincount(place, weight, size * KINDS**2).reshape(size, KINDS**2).astype(np.float64, copy=False)


def _going_on(cells: Level, contour: Contour) -> Floats:
    """(m,) how far the contour goes on from pair to pair: 1 where the pairs on both sides of it are of the same kinds.

    A pair on one side that is of other kinds, which differ, counts as minus a half, and one that does not differ, or
    was not sampled at this level, as nothing.
    """
    kinds, own, width = cells.kinds.ravel(), cells.is_own.ravel(), cells.kinds.shape[1]
    beside = np.where(np.arange(len(contour.first)) < contour.across, width, 1)
    going_on = np.zeros(len(contour.first))
    for step in (beside, -beside):
        first, second = contour.first + step, contour.second + step
        one, other = (kinds.take(where, mode="clip") for where in (first, second))
        sampled = own.take(first, mode="clip") & own.take(second, mode="clip") & (one != other)
        same = one.astype(np.intp) * KINDS + other == contour.pair
        going_on += sampled * np.where(same, 0.5, -0.5)
    return going_on


def _is_doubled(cells: Level, contour: Contour) -> Flags:
    """(m,) whether the two cells opposite those of a pair are of the same kinds.

    Places are symmetric about the middle of a picture: two opposite cells that show the same err together, by twice
    as much, instead of independently of each other.
    """
    kinds = cells.kinds.ravel()
    first, second = (kinds.take(contour.twice_middle - place) for place in (contour.first, contour.second))
    same: Flags = first.astype(np.intp) * KINDS + second == contour.pair
    return same


def isolated(atlas: Atlas, contour: Contour, check: Places, size: int) -> Floats:
    """(size, KINDS²) the cells of the last level that differ from all eight neighbours, which are alike, by kinds.

    Where the whole picture is sampled at this level, such a cell shows something that is smaller than a cell, and was
    met by chance; as many others like it were not met (Good and Turing's estimate of what was not seen).
    """
    level = atlas.levels[-1]
    kinds, width = level.kinds.ravel(), level.kinds.shape[1]
    differs = np.zeros(kinds.size, dtype=np.uint8)
    across, down = slice(contour.across), slice(contour.across, None)
    for bit, cells in enumerate(
        (contour.first[across], contour.second[across], contour.first[down], contour.second[down])
    ):
        differs[cells] |= 1 << bit
    places = contour.first[across]
    places = places[(differs.take(places) == 15) & level.is_own.ravel().take(places)]
    around = kinds.take(places[:, None] + [-width - 1, -width, 1 - width, -1, 1, width - 1, width, width + 1])
    places = places[(around == around[:, :1]).all(axis=1)]
    number = check[np.repeat(atlas.tiles, np.diff(atlas.top) << len(atlas.levels) - 1)[places // width]]
    pair = kinds[places].astype(np.intp) * KINDS + kinds[places - 1]
    alone = np.bincount(number * KINDS**2 + pair, minlength=size * KINDS**2)
    return alone.reshape(size, KINDS**2).astype(np.float64)


def share_errors(variance: Floats, counts: Floats) -> Floats:
    """(n, 3) the errors of the three shares of n checks; 1 where the whole is nothing.

    Args:
        variance: (n, KINDS²) pixels squared, for each pair of kinds, at a step of one.
        counts: (n, KINDS) pixels.
    """
    share, wholes = shares(counts)
    spread = np.einsum("ijk,ik->ij", steps(share), variance)
    errors: Floats = np.divide(SIGMAS * np.sqrt(spread), wholes, out=np.ones_like(spread), where=wholes > 0.0)
    return errors
