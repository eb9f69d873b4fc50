"""Framing a target, and vision arcs, against plane geometry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from silhouette.common.geometry import corners
from silhouette.renderers.views import VIEW_MARGIN_PX, View, VisionArc, fighter_arc, fit_view, in_any, vehicle_arc

BOX = corners([290, -10, 3], [310, 10, 33])
EYE = np.array([0.0, 0.0, 25.0])


def framed(eye: np.ndarray = EYE, box: np.ndarray = BOX, pixel: float = 0.1, roll: float = 0.0) -> list[View]:
    return fit_view(eye, box.mean(axis=0), box, pixel, roll)


@pytest.mark.parametrize("roll", [0.0, 31.7, 200.0])
def test_the_whole_target_lies_in_the_picture_with_a_margin(roll: float) -> None:
    (view,) = framed(roll=roll)
    columns, rows, depth = view.project(BOX)
    assert (depth > 0).all()
    assert columns.min() >= VIEW_MARGIN_PX - 1e-6
    assert columns.max() <= view.width - VIEW_MARGIN_PX + 1e-6
    assert rows.min() >= VIEW_MARGIN_PX - 1e-6
    assert rows.max() <= view.height - VIEW_MARGIN_PX + 1e-6


def test_a_pixel_is_as_wide_as_asked_at_the_targets_distance() -> None:
    (view,) = framed(pixel=0.25)
    assert view.step * np.linalg.norm(BOX.mean(axis=0) - EYE) == pytest.approx(0.25)


def test_project_undoes_directions() -> None:
    (view,) = framed(roll=31.7)
    rows, columns = np.array([0.0, 7.25, 100.0]), np.array([3.0, 50.5, 9.0])
    back_columns, back_rows, depth = view.project(view.eye + 123.0 * view.directions(rows, columns))
    assert back_rows == pytest.approx(rows + 0.5)
    assert back_columns == pytest.approx(columns + 0.5)
    assert depth == pytest.approx(123.0)


def test_unrolled_pictures_are_upright() -> None:
    (view,) = framed()
    head, feet = view.project([[300.0, 0.0, 33.0]])[1], view.project([[300.0, 0.0, 3.0]])[1]
    left, right = view.project([[300.0, 10.0, 20.0]])[0], view.project([[300.0, -10.0, 20.0]])[0]
    assert head < feet
    assert left < right


@pytest.mark.parametrize("height", [-400.0, 400.0])
def test_a_target_straight_above_or_below_is_framed_too(height: float) -> None:
    (view,) = framed(np.array([300.0, 0.0, 18.0 + height]), roll=31.7)
    assert np.abs(view.axes @ view.axes.T - np.eye(3)).max() < 1e-12
    assert np.linalg.det(view.axes) == pytest.approx(-1.0)  # right, up, forward are left-handed


def test_a_target_round_the_eye_takes_the_six_faces_of_a_cube() -> None:
    views = framed(np.array([300.0, 0.0, 20.0]))
    assert len(views) == 6
    directions = np.random.default_rng(1).normal(size=(2000, 3))
    shown = np.zeros(len(directions), int)
    for view in views:
        columns, rows, depth = view.project(view.eye + directions)
        shown += (depth > 0) & (columns >= 0) & (columns < view.width) & (rows >= 0) & (rows < view.height)
    assert (shown == 1).all()


def test_a_picture_that_would_be_enormous_gets_larger_pixels() -> None:
    near = framed(np.array([280.0, 0.0, 25.0]), pixel=0.001)
    assert sum(view.width * view.height for view in near) < 5_000_000


def test_the_finer_view_shows_the_same_picture() -> None:
    (view,) = framed(roll=31.7)
    fine = view.refined(4)
    assert fine.directions(4 * 10 + 1.5, 4 * 20 + 1.5) == pytest.approx(view.directions(10, 20))


@given(st.floats(-720, 720), st.floats(-180, 180), st.floats(1, 1000))
@settings(max_examples=50)
def test_a_fighters_arc_is_the_angle_to_its_facing(facing: float, off: float, distance: float) -> None:
    assume(abs(abs(off) - 45.0) >= 1e-6)  # not on the arc's edge, where rounding decides
    angle = np.radians(facing + off)
    point = [[5 + distance * np.cos(angle), 7 + distance * np.sin(angle), 99.0]]
    assert fighter_arc((5, 7), facing).contains(point)[0] == (abs(off) < 45.0)


def test_the_edge_of_an_arc_belongs_to_it() -> None:
    assert fighter_arc((0, 0), 30).contains([[np.cos(np.radians(75)), np.sin(np.radians(75)), 0]])[0]


@given(st.floats(20, 200), st.floats(20, 200), st.floats(0, 360), st.floats(-150, 150), st.floats(-150, 150))
@settings(max_examples=50)
def test_a_vehicles_four_arcs_share_out_the_plane(
    length: float, width: float, facing: float, x: float, y: float
) -> None:
    arcs = [vehicle_arc(name, (0, 0), facing, length, width) for name in ("front", "left", "rear", "right")]
    assert in_any(arcs, [[x, y, 0.0]])[0]
    turned = np.array([np.cos(np.radians(facing)), np.sin(np.radians(facing))])
    along, sideways = x * turned[0] + y * turned[1], -x * turned[1] + y * turned[0]
    forward, leftward = along / length, sideways / width
    assume(abs(abs(forward) - abs(leftward)) >= 1e-9)  # not on a diagonal, where rounding decides
    name = (
        ("front" if forward > 0 else "rear") if abs(forward) > abs(leftward) else ("left" if leftward > 0 else "right")
    )
    assert [arc.name for arc in arcs if arc.contains([[x, y, 0.0]])[0]] == [name]


def test_no_arc_contains_nothing() -> None:
    empty: list[VisionArc] = []
    assert not in_any(empty, BOX).any()
