"""The stated error of a count: what outlines between the samples leave open."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.measure.error import (
    OCCLUDED,
    OUTSIDE_BLOCKED,
    SEEN,
    ContourVariance,
    contour,
    contour_variance,
)


def test_an_edge_along_the_grid_errs_as_a_whole_and_one_across_it_hardly() -> None:
    along = np.zeros((80, 80), np.uint8)
    along[20:60, 20:60] = SEEN
    along[40:60, 20:60] = OCCLUDED
    row, column = np.indices((80, 80))
    across = np.where((row - 40) * 0.618 + (column - 40) < 0, OCCLUDED, SEEN)
    along[(along == 0) & (row >= 40)] = OUTSIDE_BLOCKED
    assert contour_variance(along).division == pytest.approx(40**2 / 12)
    assert contour_variance(across.astype(np.uint8)).division < 80 * 3 / 12


def test_nothing_obscured_and_nothing_near_leaves_nothing_open() -> None:
    image = np.zeros((30, 30), np.uint8)
    image[5:25, 5:25] = SEEN
    assert contour_variance(image).share_error(0, 400) == 0.0
    image[5:25, 5:25] = OCCLUDED
    image[image == 0] = OUTSIDE_BLOCKED
    assert contour_variance(image).share_error(400, 400) == 0.0


def test_a_blocker_that_ends_where_the_target_ends_leaves_nothing_obscured_in_doubt() -> None:
    image = np.zeros((30, 30), np.uint8)
    image[5:25, 5:25] = SEEN
    image[25] = OUTSIDE_BLOCKED
    assert contour_variance(image).share_error(0, 400) > 0.0


def test_a_target_hidden_up_to_its_very_rim_may_show_a_sliver() -> None:
    image = np.zeros((30, 30), np.uint8)
    image[5:25, 5:25] = OCCLUDED
    assert contour_variance(image).share_error(400, 400) > 0.0


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_turning_or_mirroring_the_image_changes_nothing(seed: int) -> None:
    image = np.random.default_rng(seed).integers(0, 4, size=(12, 17)).astype(np.uint8)
    first = contour_variance(image)
    for other in (np.rot90(image), image[::-1], image[:, ::-1], image.T):
        turned = contour_variance(np.ascontiguousarray(other))
        assert vars(turned) == pytest.approx(vars(first))


def test_variances_add_up() -> None:
    assert ContourVariance(1.0, 2.0, 3.0) + ContourVariance(1.0, 1.0, 1.0) == ContourVariance(2.0, 3.0, 4.0)


def test_the_rim_pairs_every_pixel_with_each_neighbour_outside() -> None:
    target = np.zeros((5, 6), bool)
    target[2, 2:4] = True
    inside, outside = (np.transpose(np.unravel_index(places, target.shape)).tolist() for places in contour(target))
    pairs = {(tuple(one), tuple(other)) for one, other in zip(inside, outside, strict=True)}
    assert pairs == {
        ((2, 2), (1, 2)),
        ((2, 2), (3, 2)),
        ((2, 2), (2, 1)),
        ((2, 3), (1, 3)),
        ((2, 3), (3, 3)),
        ((2, 3), (2, 4)),
    }
