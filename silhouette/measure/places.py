"""COUNT: where in its pixel each pixel is sampled, and which pixel of a block stands for the block.

Every pixel has one place, drawn at random within it once and for all; a block of pixels is sampled at the place of one
of them, drawn at random as well:

    +---+---+---+---+
    |.  |  .|   | . |        a block of 4 x 4 pixels, with the place of each pixel (.)
    +---+---+---+---+
    |  .|   |.  |  .|        x  the place of the pixel that stands for the whole block; it stands for its quarter too,
    +---+---+---+---+           and for its quarter's quarter, so that a block cut into four needs three new samples
    | . |  .|  x|.  |
    +---+---+---+---+
    |.  | . |.  |   |
    +---+---+---+---+

So the count of pixels that show something is right on average whatever there is to see: nothing can lie along the rows,
or between the samples, of all pixels. A regular grid has no such law: bars that lie along its rows are met all in the
same way.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats

PERIOD = 512  # pixels after which the places repeat along rows and columns, and blocks after which the choices do
LARGEST_BLOCK = 16  # the greatest width of a block, in pixels; a power of two


def places(rows: Any, columns: Any, width: int, sizes: Any) -> Floats:
    """(n, 2) float64: rows and columns at which blocks are sampled, in pixels; a pixel's middle lies at its index.

    The places of a picture are symmetric about its middle, and so what is exactly half counts as exactly half.

    Args:
        rows, columns: (n,) of blocks of ``width`` pixels.
        width: a power of two, at most `LARGEST_BLOCK`.
        sizes: (2, n) how many such blocks the picture of each is high and wide; (2, 1) for all blocks of one picture.

    >>> size = np.array([[8], [8]])
    >>> here = places(np.array([3]), np.array([5]), 4, size)
    >>> bool((np.abs(here - [[13.5, 21.5]]) <= 2.0).all())
    True
    >>> quarter = quarter_of(np.array([3]), np.array([5]), 4, size)
    >>> (places(6 + quarter // 2, 10 + quarter % 2, 2, 2 * size) == here).all()
    np.True_
    >>> (places(np.array([4]), np.array([2]), 4, size) == 31.0 - here).all()
    np.True_
    >>> places(np.empty(0, int), np.empty(0, int), 1, size).shape
    (0, 2)
    """
    mirrored, rows, columns = _first_half(rows, columns, sizes)
    last_row, last_column = sizes * width - 1
    while width > 1:
        quarter = _choice(rows, columns, width)
        rows, columns, width = 2 * rows + (quarter >> 1), 2 * columns + (quarter & 1), width // 2
    within: Floats = _offsets().take((rows & PERIOD - 1) * PERIOD + (columns & PERIOD - 1), axis=0)
    within[:, 0] += rows
    within[:, 1] += columns
    np.subtract(last_row, within[:, 0], out=within[:, 0], where=mirrored)
    np.subtract(last_column, within[:, 1], out=within[:, 1], where=mirrored)
    return within


def quarter_of(rows: Any, columns: Any, width: int, sizes: Any) -> NDArray[np.uint8]:
    """(n,) which quarter of each block is sampled for the block: 0 and 1 are the upper ones, 0 and 2 the left ones.

    The arguments are those of `places`.
    """
    mirrored, rows, columns = _first_half(rows, columns, sizes)
    quarter = _choice(rows, columns, width)
    quarters: NDArray[np.uint8] = np.where(mirrored, 3 - quarter, quarter)
    return quarters


def _first_half(rows: Any, columns: Any, sizes: Any) -> tuple[Flags, Any, Any]:
    """Which blocks lie in the second half of their pictures; and the rows and columns of those opposite them."""
    high, wide = sizes
    row, column = high - 1 - rows, wide - 1 - columns
    mirrored = (rows > row) | (rows == row) & (columns > column)
    return mirrored, np.where(mirrored, row, rows), np.where(mirrored, column, columns)


def _choice(rows: Any, columns: Any, width: int) -> NDArray[np.uint8]:
    choice = _choices()[width.bit_length() - 2]
    quarters: NDArray[np.uint8] = choice.take((rows & PERIOD - 1) * PERIOD + (columns & PERIOD - 1))
    return quarters


def tables() -> tuple[Floats, NDArray[np.uint8]]:
    """All places and choices, drawn once and for all.

    (PERIOD², 2) from the middle of a pixel to its place; (4, PERIOD²) the quarter that stands for a block of 2, 4, 8
    and 16 pixels.
    """
    return _offsets(), _choices()


@cache
def _offsets() -> Floats:
    """(PERIOD², 2) from the middle of a pixel to its place: -1/2 to 1/2."""
    offsets: Floats = np.random.default_rng(1).random((PERIOD * PERIOD, 2)) - 0.5
    return offsets


@cache
def _choices() -> NDArray[np.uint8]:
    """(4, PERIOD²) numbers from 0 to 3, for blocks of 2, 4, 8 and 16 pixels."""
    levels = LARGEST_BLOCK.bit_length() - 1
    return np.random.default_rng(2).integers(4, size=(levels, PERIOD * PERIOD), dtype=np.uint8)


def scattered(blocks: Floats, across: float, most: int) -> Floats:
    """(m, 2) rows and columns of places all over blocks, drawn at random once and for all.

    Args:
        blocks: (n, 4) row and column where each begins, its height and width, in pixels.
        across: the number of places along each side of a pixel, and along each side of a smaller block; rather fewer
            where that is no whole number, but one in each block.
        most: the number of places at most; where there are more blocks, those of some all over the list.

    >>> scattered(np.array([[10.0, 20.0, 2.0, 0.5]]), 2, 99).shape
    (8, 2)
    >>> scattered(np.empty((0, 4)), 2, 99).shape
    (0, 2)
    """
    steps = np.maximum(np.floor(np.maximum(blocks[:, 2:], 1.0) * across + 1e-9), 1.0).astype(np.intp)
    counts = steps.prod(axis=1)
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    place = np.arange(total) if total <= most else np.arange(most) * total // most
    of_block = np.searchsorted(ends, place, side="right")
    cell = np.stack(np.divmod(place - (ends - counts)[of_block], steps[of_block, 1]), axis=1)
    within: Floats = (cell + 0.5 + _offsets().take(place % (PERIOD * PERIOD), axis=0)) / steps[of_block]
    return blocks[of_block, :2] + within * blocks[of_block, 2:] - 0.5
