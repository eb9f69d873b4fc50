"""The error of a count: pairs of cells that differ stand for at least as much variance as there is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.error import KINDS, importance, share_errors, shares
from silhouette.measure.places import PERIOD, places, quarter_of, scattered
from silhouette.measure.sampling import IN_ARC, OCCLUDED, TARGET

SEEN, HIDDEN, AWAY = TARGET | IN_ARC, TARGET | IN_ARC | OCCLUDED, TARGET


def counted(**pixels: int) -> Floats:
    """(1, KINDS) pixels seen, hidden and out of the arcs."""
    counts = np.zeros((1, KINDS))
    counts[0, [SEEN, HIDDEN, AWAY]] = [pixels.get(name, 0) for name in ("seen", "hidden", "away")]
    return counts


def between(first: int, second: int, variance: float) -> Floats:
    """(1, KINDS²) a variance along the contour between two kinds."""
    pairs = np.zeros((1, KINDS * KINDS))
    pairs[0, first * KINDS + second] = variance
    return pairs


def test_the_three_shares() -> None:
    share, wholes = shares(counted(seen=50, hidden=30, away=20))
    assert share.tolist() == [[0.3, 30 / 80, 0.5]]
    assert wholes.tolist() == [[100, 80, 100]]
    assert shares(counted())[0].tolist() == [[0.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("first", "second", "effect"), [(SEEN, HIDDEN, 1.0), (SEEN, 0, 0.3), (HIDDEN, 0, 0.7), (HIDDEN, HIDDEN, 0.0)]
)
def test_a_pixel_more_changes_a_share_by_its_distance_from_the_share(first: int, second: int, effect: float) -> None:
    """A pixel from seen to hidden: 1 / total; one more that is seen: -f / total, or hidden: (1 - f) / total."""
    counts = counted(seen=70, hidden=30)
    assert share_errors(between(first, second, 1.0), counts)[0, 0] == pytest.approx(3.0 * effect / 100)
    share, wholes = shares(counts)
    assert importance(share, wholes)[0, first * KINDS + second] == pytest.approx((effect / 100) ** 2)


def test_of_nothing_nothing_is_known() -> None:
    assert share_errors(between(SEEN, HIDDEN, 1.0), counted()).tolist() == [[1.0, 1.0, 1.0]]


@pytest.mark.parametrize("size", [64, 63])
def test_the_places_of_pixels_are_anywhere_in_them_and_symmetric(size: int) -> None:
    """The pixel in the very middle, where there is one, is opposite itself."""
    rows, columns = np.indices((size, size)).reshape(2, -1)
    found = places(rows, columns, 1, np.full((2, 1), size))
    within = found - np.column_stack([rows, columns])
    assert (np.abs(within) <= 0.5).all()
    assert np.abs(within.mean(axis=0)).max() < 1e-12 + (size % 2) / size**2
    assert within.std(axis=0) == pytest.approx(np.sqrt(1 / 12), rel=0.03)
    off = np.abs(found + found[::-1] - (size - 1)).max(axis=1)
    assert (np.delete(off, size * size // 2) if size % 2 else off).max() < 1e-12


@pytest.mark.parametrize("width", [2, 4, 8, 16])
def test_a_block_is_sampled_at_a_place_of_its_pixels_anywhere_in_it(width: int) -> None:
    across = 1024 // width
    rows, columns = np.indices((across, across)).reshape(2, -1)
    sizes = np.full((2, 1), across)
    within = places(rows, columns, width, sizes) + 0.5 - width * np.column_stack([rows, columns])
    assert (within >= 0).all()
    assert (within <= width).all()
    quarters = np.bincount(quarter_of(rows, columns, width, sizes), minlength=4) / len(rows)
    assert quarters == pytest.approx(np.full(4, 0.25), abs=3 / np.sqrt(len(rows)))
    assert width <= PERIOD


SHAPES: dict[str, Callable[[Floats, Floats], Flags]] = {
    "an edge": lambda x, y: y > 20 + 0.37 * x,
    "a corner": lambda x, y: (y > 20 + 0.37 * x) & (x > 22),
    "bars along the rows": lambda x, y: y % 1.0 < 0.4,
    "bars two pixels apart": lambda x, y: x % 2.0 < 1.0,
    "dots smaller than a pixel": lambda x, y: (x % 1.3 < 0.5) & (y % 1.1 < 0.5),
    "a wire": lambda x, y: np.abs(y - 20 - 0.21 * x) < 0.04,
    "nothing": lambda x, y: x > 1e9,
}


@pytest.mark.thinned(quick=16, ci=50)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_quarter_of_the_pairs_that_differ_is_at_least_the_variance(shape: str) -> None:
    """The law of `silhouette.measure.error`, on shapes moved at random, with the area counted 100 times as finely."""
    random = np.random.default_rng(5)
    size, fine = 40, 10
    rows, columns = np.indices((size, size)).reshape(2, -1)
    finely = np.indices((size * fine, size * fine)).reshape(2, -1) / fine + 0.5 / fine - 0.5
    inside = SHAPES[shape]
    stated, squares = [], []
    for move in random.uniform(0, 7, (200, 2)):
        row, column = random.integers(0, 400, 2)  # another part of a large picture each time, with places of its own
        there = places(rows + row, columns + column, 1, np.full((2, 1), 2048)) - [row, column]
        image = inside(there[:, 1] + move[1], there[:, 0] + move[0]).reshape(size, size)
        area = inside(finely[1] + move[1], finely[0] + move[0]).sum() / fine**2
        stated.append(0.25 * ((image[1:] != image[:-1]).sum() + (image[:, 1:] != image[:, :-1]).sum()))
        squares.append((image.sum() - area) ** 2)
    # The mean of 200 squares is right to a tenth; for bars and dots the law holds with equality.
    assert np.mean(squares) <= np.mean(stated) * 1.35


def test_places_scattered_over_blocks_are_one_in_each_part() -> None:
    """Of each block, three parts along each side of a pixel; as many along a side that is shorter than one."""
    blocks = np.array([[4.0, 7.0, 2.0, 1.0], [100.0, 50.0, 0.25, 1.0], [0.0, 0.0, 1.0, 1.0]])
    found = scattered(blocks, 3, 999) + 0.5
    assert len(found) == 6 * 3 + 3 * 3 + 3 * 3
    for block, mine in zip(blocks, np.split(found, [18, 27]), strict=True):
        parts = np.array([6, 3]) if block[2] == 2.0 else np.array([3, 3])
        part = np.floor((mine - block[:2]) / block[2:] * parts).astype(int)
        assert sorted(map(tuple, part)) == [(row, column) for row in range(parts[0]) for column in range(parts[1])]
    assert (scattered(blocks, 3, 18) + 0.5 == found[::2]).all()
    within = scattered(np.array([[0.0, 0.0, 30.0, 30.0]]), 1, 900) + 0.5
    assert np.std(within - np.floor(within)) == pytest.approx(np.sqrt(1 / 12), rel=0.05)


@pytest.mark.parametrize("wide", [1.0, 4.0, 16.0])
@pytest.mark.parametrize("across", [0.3, 1.01, 1.58, 3.9])
def test_each_block_has_a_place_where_places_are_few(wide: float, across: float) -> None:
    """What an area allows is no whole number along a side: rather fewer in each block than none in the last ones."""
    rows, columns = np.divmod(np.arange(100), 10)
    blocks = np.column_stack([wide * rows, wide * columns, np.full((100, 2), wide)])
    most = int(max(np.ceil(100 * (wide * across) ** 2), 100))
    found = np.floor((scattered(blocks, across, most) + 0.5) / wide).astype(int)
    assert len(found) <= most
    assert len(np.unique(found, axis=0)) == 100
    assert np.ptp(np.unique(10 * found[:, 0] + found[:, 1], return_counts=True)[1]) == 0
