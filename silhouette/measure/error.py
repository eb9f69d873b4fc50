"""COUNT: how far a count of sampled pixels may be off, from the outlines that run between the samples.

A sample stands for its whole pixel, so an outline that crosses a pixel makes it wrong by up to half of it. Along a
run of r pixels that an outline crosses side by side, lying almost along the grid, the pixels err alike: the area is off
by r (u - 1/2) with u even between 0 and 1, a variance of r² / 12. Runs err independently: an outline across the grid
makes runs of one or two pixels, so that n of them are off by about the square root of n / 12 only. But an outline that
climbs the grid 1 in 1, 1 in 2 or 1 in 3 crosses run after run at the same phases: s such stairs are off by
s (u - 1/2) together, a variance of s² / 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats

SIGMAS = 3.0
"""The stated error is this many standard deviations."""

OUTSIDE, SEEN, OCCLUDED, OUTSIDE_BLOCKED = 0, 1, 2, 3
"""What a pixel is, for `contour_variance`; the last is beside the target, where what blocks goes on before it."""


@dataclass(frozen=True)
class ContourVariance:
    """Variance, in pixels squared, of the areas beside each kind of outline.

    Attributes:
        seen_contour: between the seen part of the target and what is beside it.
        occluded_contour: between its occluded part and what is beside it.
        division: between its seen and its occluded part.
    """

    seen_contour: float
    occluded_contour: float
    division: float

    def __add__(self, other: ContourVariance) -> ContourVariance:
        return ContourVariance(
            self.seen_contour + other.seen_contour,
            self.occluded_contour + other.occluded_contour,
            self.division + other.division,
        )

    def __mul__(self, times: float) -> ContourVariance:
        return ContourVariance(self.seen_contour * times, self.occluded_contour * times, self.division * times)

    def overridden_by(self, other: ContourVariance) -> ContourVariance:
        """This, with the other's instead wherever that has any."""
        return ContourVariance(
            other.seen_contour or self.seen_contour,
            other.occluded_contour or self.occluded_contour,
            other.division or self.division,
        )

    def share_error(self, occluded: int, total: int) -> float:
        """How far ``occluded / total`` may be off, as a share: `SIGMAS` standard deviations.

        >>> ContourVariance(0.0, 0.0, 0.0).share_error(3, 7)
        0.0
        >>> ContourVariance(0.0, 0.0, 4.0).share_error(50, 100)
        0.06
        >>> ContourVariance(1.0, 1.0, 1.0).share_error(0, 0)
        1.0
        """
        if total == 0:
            return 1.0
        share = occluded / total
        variance = share**2 * self.seen_contour + (1.0 - share) ** 2 * self.occluded_contour + self.division
        return float(SIGMAS * np.sqrt(variance) / total)


NO_VARIANCE = ContourVariance(0.0, 0.0, 0.0)


def contour_variance(kinds: NDArray[np.uint8]) -> ContourVariance:
    """The variance along the outlines of an image of kinds (height, width).

    A pixel on the target's rim beside which the division between seen and occluded leaves the target at the same
    place (seen inside and blocked outside, or the other way round) counts towards the division as well.

    >>> import numpy as np
    >>> image = np.zeros((4, 8), np.uint8)
    >>> contour_variance(image) == ContourVariance(0.0, 0.0, 0.0)
    True
    >>> image[:] = OUTSIDE, OUTSIDE, SEEN, SEEN, OCCLUDED, OCCLUDED, OUTSIDE_BLOCKED, OUTSIDE_BLOCKED
    >>> [round(12 * part) for part in vars(contour_variance(image)).values()]
    [16, 16, 16]
    """
    totals = np.zeros(16)
    for image in (kinds, np.ascontiguousarray(kinds.T)):
        one, other = image[:-1], image[1:]
        crossed = np.flatnonzero(one != other)
        if len(crossed) == 0:
            continue
        before, after = one.ravel()[crossed], other.ravel()[crossed]
        breaks = (crossed[1:] != crossed[:-1] + 1) | (crossed[1:] % image.shape[1] == 0)
        breaks |= (before[1:] != before[:-1]) | (after[1:] != after[:-1])
        first = np.concatenate([[0], np.flatnonzero(breaks) + 1])
        runs = np.diff(np.concatenate([first, [len(crossed)]]))
        pair = np.minimum(before, after)[first] * 4 + np.maximum(before, after)[first]
        totals += np.bincount(pair, weights=runs**2 / 12.0, minlength=16)
        totals += _along_staircases(pair, runs, *np.divmod(crossed[first], image.shape[1]))
    of = totals.reshape(4, 4)
    coincident = of[SEEN, OUTSIDE_BLOCKED] + of[OUTSIDE, OCCLUDED]
    return ContourVariance(
        seen_contour=float(of[OUTSIDE, SEEN] + of[SEEN, OUTSIDE_BLOCKED]),
        occluded_contour=float(of[OUTSIDE, OCCLUDED] + of[OCCLUDED, OUTSIDE_BLOCKED]),
        division=float(of[SEEN, OCCLUDED] + coincident),
    )


def _along_staircases(pair: Any, runs: Any, row: Any, column: Any) -> Floats:
    """(16,) the variance that comes of stairs of runs, (n,) each, alike in length and in step, for each pair of kinds.

    What the runs are off by themselves, s / 12 of the s² / 12, is not in it.
    """
    longest, height, reach = runs.max() + 1, row.max() + 2, (column + runs * row).max() + 1
    kind, climb = (pair * longest + runs) * 2 * reach + column + reach, runs * row
    place = np.sort(np.concatenate([(kind - climb) * 2 * height + row, (kind + climb) * 2 * height + height + row]))
    last = np.flatnonzero(np.concatenate([place[1:] != place[:-1] + 1, [True]]))
    steps = last - np.concatenate([[-1], last[:-1]])
    of, length = np.divmod(place[last] // (4 * height * reach), longest)
    share = np.where(length > 1, 1.0, 0.5)  # 1 in 1 is met along the rows and along the columns
    return np.bincount(of, weights=share * steps * (steps - 1) / 12.0, minlength=16).astype(np.float64, copy=False)


def contour(target: Flags) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pixels of a target (height, width) with a neighbour in the image that is not of it: pairs, both (n,).

    Both are places in the image read row by row.

    >>> import numpy as np
    >>> [places.tolist() for places in contour(np.array([[True, True, False], [True, True, False]]))]
    [[1, 4], [2, 5]]
    >>> [places.tolist() for places in contour(np.zeros((2, 3), bool))]
    [[], []]
    """
    width = target.shape[1]
    below = np.flatnonzero(target[:-1] != target[1:])
    right = np.flatnonzero(target[:, :-1] != target[:, 1:])
    right += right // max(width - 1, 1)
    one, other = np.concatenate([below, right]), np.concatenate([below + width, right + 1])
    inner = target.ravel()[one]
    return np.where(inner, one, other), np.where(inner, other, one)
