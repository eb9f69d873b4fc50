"""Outlines of meshes: what their triangles cover, sample by sample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from silhouette.drawing.table import tracing
from silhouette.drawing.table.tracing import covered


@given(st.integers(1, 9), st.floats(3.0, 90.0), st.booleans())
@example(1, 87.67224080267557, False).via("rounded to either side of a sample on the seam")
def test_no_sample_falls_between_triangles_that_share_an_edge(count: int, size: float, flipped: bool) -> None:
    """A sheet of squares, each cut along a diagonal, in the middle of the picture: samples lie on the seams."""
    across = int(size) + 4
    x, y = np.meshgrid(*[np.linspace(-size / 2, size / 2, count + 1) + across / 2] * 2)
    points = np.column_stack([x.ravel(), y.ravel()])
    first = (np.arange(count)[:, None] * (count + 1) + np.arange(count)).ravel()
    corners = first[:, None] + [0, 1, count + 2, count + 1]
    ways = ([0, 1, 3], [1, 2, 3]) if flipped else ([0, 1, 2], [0, 2, 3])
    mask = covered(points[np.concatenate([corners[:, way] for way in ways])], across, across)
    middles = np.arange(across) + 0.5
    inside = np.abs(middles - across / 2) < size / 2 - 1e-6
    assert mask[np.ix_(inside, inside)].all()


def test_what_is_covered_does_not_depend_on_how_much_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    triangles = np.random.default_rng(3).uniform(0.0, 60.0, (200, 3, 2))
    whole = covered(triangles, 60, 60)
    monkeypatch.setattr(tracing, "SPANS_AT_ONCE", 500)
    assert whole.any()
    assert (covered(triangles, 60, 60) == whole).all()
