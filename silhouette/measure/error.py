"""COUNT: the error of a count of sampled pixels, from the contours that run between the samples.

One sample stands for a whole pixel. Where a contour crosses a pixel, the sample counts all of it or nothing, and the
error in area is u - 1/2 pixels, u uniform between 0 and 1: a variance of 1/12. Errors of neighbouring pixels depend on
each other, and on how the contour lies against the grid of pixels:

    along the grid                across the grid               a staircase, 1 in 3
    . . . . . . . . . .           . . . . # # # # # #           . . . . . . . . . .
    . . . . . . . . . .           . . . . . # # # # #           . . . . . . . # # #
    # # # # # # # # # #           . . . . # # # # # #           . . . . # # # # # #
    # # # # # # # # # #           . . . . . . # # # #           . # # # # # # # # #
    a run of 10 pixels            runs of 1 or 2 pixels         3 runs of 3 pixels, each the same way off

- A run of r pixels, side by side, is crossed at nearly the same height: its pixels err together, by r (u - 1/2), a
  variance of r^2 / 12.
- Runs err independently of each other: n runs of one pixel have a variance of n / 12.
- But a contour that climbs 1 in 1, 1 in 2 or 1 in 3 crosses run after run at the same phase: s such runs in a staircase
  err together, by s (u - 1/2) runs, a variance of s^2 / 12 instead of s / 12.
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
"""The kinds of pixels in an image: outside the target; the target, seen; the target, occluded; and outside the target,
where an occluder continues that lies before the target's surface."""

KINDS = 4


@dataclass(frozen=True)
class ContourVariance:
    """Variance, in pixels squared, of the areas that three kinds of contours bound.

    Attributes:
        seen_contour: of the contour between the seen part of the target and what surrounds the target.
        occluded_contour: of the contour between its occluded part and what surrounds the target.
        division: of the contour between its seen and its occluded part.
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
        """The other's variance of each contour of which the other has one; this one's elsewhere."""
        return ContourVariance(
            other.seen_contour or self.seen_contour,
            other.occluded_contour or self.occluded_contour,
            other.division or self.division,
        )

    def share_error(self, occluded: int, total: int) -> float:
        """The error of ``occluded / total``, as a share: `SIGMAS` standard deviations.

        With o occluded and v seen pixels the share is f = o / (o + v). A pixel more at the contour of the seen part
        changes it by -f / total, one at the contour of the occluded part by (1 - f) / total, and a pixel that changes
        from seen to occluded by 1 / total: the three variances count with the squares of these.

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
    """The variance along all contours of an image of kinds (height, width).

    Where the division between seen and occluded meets the target's own contour from inside, an occluder ends there
    together with the target. Seen inside and blocked outside, or occluded inside and free outside: such a pixel counts
    towards the division as well as towards the contour.

    >>> import numpy as np
    >>> image = np.zeros((4, 8), np.uint8)
    >>> contour_variance(image) == ContourVariance(0.0, 0.0, 0.0)
    True
    >>> image[:] = OUTSIDE, OUTSIDE, SEEN, SEEN, OCCLUDED, OCCLUDED, OUTSIDE_BLOCKED, OUTSIDE_BLOCKED
    >>> [round(12 * part) for part in vars(contour_variance(image)).values()]
    [16, 16, 16]
    """
    totals = np.zeros(KINDS * KINDS)
    for image in (kinds, np.ascontiguousarray(kinds.T)):
        # Contours between one row and the next; those between columns follow in the transposed image.
        upper, lower = image[:-1], image[1:]
        crossed = np.flatnonzero(upper != lower)
        if len(crossed) == 0:
            continue
        above, below = upper.ravel()[crossed], lower.ravel()[crossed]
        # A run ends where the next crossing is not the next pixel of the same row, or lies between other kinds.
        ends = (crossed[1:] != crossed[:-1] + 1) | (crossed[1:] % image.shape[1] == 0)
        ends |= (above[1:] != above[:-1]) | (below[1:] != below[:-1])
        first = np.concatenate([[0], np.flatnonzero(ends) + 1])
        lengths = np.diff(np.concatenate([first, [len(crossed)]]))
        # The two kinds, the lower one first: on which side of a contour each lies makes no difference.
        pair = np.minimum(above, below)[first] * KINDS + np.maximum(above, below)[first]
        totals += np.bincount(pair, weights=lengths**2 / 12.0, minlength=KINDS * KINDS)
        totals += _staircase_variance(pair, lengths, *np.divmod(crossed[first], image.shape[1]))
    between = totals.reshape(KINDS, KINDS)
    coincident = between[SEEN, OUTSIDE_BLOCKED] + between[OUTSIDE, OCCLUDED]
    return ContourVariance(
        seen_contour=float(between[OUTSIDE, SEEN] + between[SEEN, OUTSIDE_BLOCKED]),
        occluded_contour=float(between[OUTSIDE, OCCLUDED] + between[OCCLUDED, OUTSIDE_BLOCKED]),
        division=float(between[SEEN, OCCLUDED] + coincident),
    )


def _staircase_variance(pair: Any, length: Any, row: Any, column: Any) -> Floats:
    """(16,) what staircases of runs add to the variance of the single runs, for each pair of kinds.

    The runs (n,) are given by their pair of kinds, their length, and the row and column at which they begin. In a
    staircase each run begins one row below the last, as many columns further right (or left) as the runs are long:

        row 0     = = =                   column - length * row is the same for all runs of a staircase that falls to
        row 1           = = =             the right, column + length * row for one that falls to the left
        row 2                 = = =

    A staircase of s runs has a variance of s^2 / 12, of which the runs by themselves are s / 12; the rest is added,
    s (s - 1) / 12. Runs of one pixel (1 in 1) are found along the rows and along the columns, and count half.
    """
    slope = length * row
    right, left = column - slope, column + slope
    least = right.min()
    # Each run is a cell of a table with these axes. The rows are the last one: a staircase is a row of adjoining cells.
    table = (KINDS * KINDS, length.max() + 1, left.max() - least + 1, 2, row.max() + 2)
    cells = [np.ravel_multi_index((pair, length, right - least, 0, row), table)]
    cells += [np.ravel_multi_index((pair, length, left - least, 1, row), table)]
    filled = np.sort(np.concatenate(cells))
    last = np.flatnonzero(np.concatenate([filled[1:] != filled[:-1] + 1, [True]]))
    steps = last - np.concatenate([[-1], last[:-1]])
    kinds, run, *_ = np.unravel_index(filled[last], table)
    share = np.where(run > 1, 1.0, 0.5)
    added = share * steps * (steps - 1) / 12.0
    return np.bincount(kinds, weights=added, minlength=KINDS * KINDS).astype(np.float64, copy=False)


def contour(target: Flags) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs of neighbouring pixels of which one is of the target (height, width) and one is not.

    Returns:
        The pixels inside and the pixels outside, both (n,), as places in the image read row by row.

    >>> import numpy as np
    >>> [places.tolist() for places in contour(np.array([[True, True, False], [True, True, False]]))]
    [[1, 4], [2, 5]]
    >>> [places.tolist() for places in contour(np.zeros((2, 3), bool))]
    [[], []]
    """
    width = target.shape[1]
    upper = np.flatnonzero(target[:-1] != target[1:])
    left = np.flatnonzero(target[:, :-1] != target[:, 1:])
    left += left // max(width - 1, 1)  # a place among width - 1 columns becomes one among width
    first, second = np.concatenate([upper, left]), np.concatenate([upper + width, left + 1])
    is_inside = target.ravel()[first]
    return np.where(is_inside, first, second), np.where(is_inside, second, first)
