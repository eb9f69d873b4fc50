"""Counting where an error is allowed: it is stated, true, used, and not used near a threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.renderers.embree import EmbreeRenderer
from tests.support import shapes
from tests.support.measured_shares import EYE, FRONT, exact_share, measured, rotation_about_x, turned


@pytest.fixture(scope="module")
def embree() -> EmbreeRenderer:
    return EmbreeRenderer()


@pytest.mark.slow
@settings(max_examples=60)
@given(st.floats(0.0, 80.0), st.floats(3.0, 28.0), st.sampled_from([0.004, 0.02]))
def test_an_error_that_is_allowed_is_stated_and_true(
    embree: EmbreeRenderer, lean: float, height: float, error_goal: float
) -> None:
    """A leaning wall before the target: the error stated is true, at least the finer one, at most what is allowed."""
    wall = turned(shapes.box((146, -200, height - 400), (150, 200, height)), rotation_about_x(np.radians(lean)), EYE)
    fine, (view,) = measured(embree, FRONT, [wall])
    rough, _ = measured(embree, FRONT, [wall], error_goal=error_goal)
    assert abs(rough.occluded / rough.total - exact_share(view, FRONT, [wall])) <= rough.error + 1e-9
    assert fine.error <= rough.error <= max(error_goal, fine.error)


def test_what_is_allowed_is_used(embree: EmbreeRenderer) -> None:
    wall = turned(shapes.box((146, -200, -380), (150, 200, 15)), rotation_about_x(np.radians(20)), EYE)
    fine, rough = (measured(embree, FRONT, [wall], error_goal=error_goal)[0].error for error_goal in (0.0005, 0.02))
    assert fine <= 0.0005 < rough


def test_what_is_allowed_is_not_used_near_one_half(embree: EmbreeRenderer) -> None:
    """A wall hides half of the target but for a little: the verdict hangs on more than the error allowed."""
    wall = turned(shapes.box((146, -200, -380), (150, 200, 21.6)), rotation_about_x(np.radians(20)), EYE)
    counts, (view,) = measured(embree, FRONT, [wall], error_goal=0.02)
    share = exact_share(view, FRONT, [wall])
    assert 0.49 < share < 0.495
    assert counts.error < 0.002
    assert abs(counts.occluded / counts.total - share) <= counts.error


def test_what_is_allowed_is_not_used_where_parts_are_thin(embree: EmbreeRenderer) -> None:
    """A grating of bars of 0.15 mm, which the coarse grid hits here and there."""
    bars = [shapes.box((146, y, -100), (146.1, y + 0.15, 100)) for y in np.arange(-6.0, 6.0, 0.6)]
    counts, (view,) = measured(embree, FRONT, bars, error_goal=0.02)
    assert counts.error < 0.005
    assert abs(counts.occluded / counts.total - exact_share(view, FRONT, bars)) <= counts.error
