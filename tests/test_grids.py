"""Cells and graphs give what scipy gives, to the last bit where they are integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from silhouette.geometry import Flags
from silhouette.grids import connected, depths, labelled, smoothed

ndimage = pytest.importorskip("scipy.ndimage", reason="scipy, by which these are judged, is not installed")
csgraph = pytest.importorskip("scipy.sparse.csgraph")
sparse = pytest.importorskip("scipy.sparse")


@some.composite
def masks(draw: some.DrawFn) -> Flags:
    """Masks of one to three dimensions, sparse or dense."""
    shape = draw(some.lists(some.integers(1, 9), min_size=1, max_size=3))
    random = np.random.default_rng(draw(some.integers(0, 2**32)))
    mask: Flags = random.random(shape) < draw(some.sampled_from([0.0, 0.3, 0.6, 0.9, 1.0]))
    return mask


@settings(max_examples=60, deadline=None)
@given(masks())
def test_pieces_and_their_order_are_those_of_scipy(mask: Flags) -> None:
    labels, count = labelled(mask)
    expected, number = ndimage.label(mask)
    assert count == number
    assert np.array_equal(labels, expected)


@settings(max_examples=60, deadline=None)
@given(masks(), some.integers(1, 12))
def test_depths_are_exact(mask: Flags, reach: int) -> None:
    expected = np.full(mask.shape, float(reach))
    if not mask.all():
        expected = np.minimum(ndimage.distance_transform_edt(mask), reach)
    assert np.array_equal(depths(mask, reach), expected)


@settings(max_examples=40, deadline=None)
@given(some.integers(1, 60), some.integers(0, 120), some.integers(0, 2**32))
def test_groups_are_those_of_scipy(count: int, edges: int, seed: int) -> None:
    pairs = np.random.default_rng(seed).integers(0, count, (edges, 2))
    graph = sparse.coo_array((np.ones(edges), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    _, group = csgraph.connected_components(graph, directed=False)
    _, least = np.unique(group, return_index=True)
    assert np.array_equal(connected(pairs, count), least[group])


@pytest.mark.parametrize("order", ["along", "against", "random", "zigzag"])
def test_a_long_chain_is_one_group_and_takes_few_rounds(order: str) -> None:
    count = 200_000
    numbers = np.arange(count)
    if order == "against":
        numbers = numbers[::-1]
    elif order == "random":
        numbers = np.random.default_rng(1).permutation(count)
    elif order == "zigzag":  # small and large numbers in turn: every other vertex touches none smaller
        numbers = np.stack([numbers[: count // 2], numbers[count // 2 :]], axis=1).ravel()
    assert not connected(np.stack([numbers[:-1], numbers[1:]], axis=1), count).any()


@pytest.mark.parametrize("deviation", [0.6, 1.0])
def test_a_picture_is_smoothed_as_by_scipy(deviation: float) -> None:
    picture = np.pad((np.random.default_rng(3).random((40, 31)) < 0.5).astype(np.float32), 4)
    assert np.abs(smoothed(picture, deviation) - ndimage.gaussian_filter(picture, deviation)).max() < 1e-6
