"""Counting, against closed forms: shares, and that the stated error is true and tight."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from shapely import MultiPoint

from silhouette.common.geometry import Pose
from silhouette.meshes.bounds import bounding_points
from silhouette.renderers.embree import EmbreeRenderer
from silhouette.renderers.protocol import Body, Cast
from silhouette.renderers.views import ROLL, View, fighter_arc, fit_view
from tests.conftest import started
from tests.support import shapes
from tests.support.measured_shares import EYE, FRONT, HERE, exact_share, measured, rotation_about_x, turned


@pytest.fixture(scope="module")
def embree() -> EmbreeRenderer:
    return EmbreeRenderer()


def test_a_wall_up_to_a_third_obscures_a_third(embree: EmbreeRenderer) -> None:
    counts, (view,) = measured(embree, FRONT, [shapes.box((146, -200, 0), (150, 200, 19))])
    share = counts.occluded / counts.total
    assert share == pytest.approx(exact_share(view, FRONT, [shapes.box((146, -200, 0), (150, 200, 19))]), abs=2e-4)
    assert counts.error < 0.002
    assert counts.nearest == counts.alone == (counts.occluded,)
    assert counts.seen == counts.total - counts.occluded


@pytest.mark.long
@given(
    wall=st.tuples(st.floats(0.2, 0.85), st.floats(1, 34), st.floats(-1.2, 1.2), st.floats(-15, 15)),
    height=st.floats(12, 60),
    distance=st.floats(100, 700),
)
@settings(max_examples=50)
def test_the_error_is_true_for_walls_at_any_slope(
    wall: tuple[float, float, float, float], height: float, distance: float
) -> None:
    where, top, slope, aside = wall
    eye = np.array([0.0, 0.0, height])
    target = shapes.box((distance, -9, 3), (distance + 18, 9, 33))
    x = where * distance
    edge = np.array([x, aside, height - (height - top) * where])
    blocker = turned(shapes.box((x, -60, edge[2] - 40), (x + 4, 60, edge[2])), rotation_about_x(slope), edge)
    view = fit_view(eye, target.bounds.mean(axis=0), target.vertices, 0.1)[0]
    assume(((blocker.vertices - eye) @ view.axes[2]).min() > 1.0)  # all of the blocker lies before the eye
    counts, _ = measured(EmbreeRenderer(), target, [blocker], eye)
    truth = exact_share(view, target, [blocker])
    assert abs(counts.occluded / counts.total - truth) <= counts.error + 1e-12
    assert counts.error < 0.005


@pytest.mark.parametrize("pixel", [0.05, 0.1, 0.2, 0.4, 1.0])
def test_the_error_shrinks_with_the_pixel_and_stays_true(embree: EmbreeRenderer, pixel: float) -> None:
    blockers = [shapes.box((146, -3, 0), (150, 2.2, 90)), shapes.box((100, -200, 0), (101, 200, 20.3))]
    counts, (view,) = measured(embree, FRONT, blockers, pixel=pixel)
    truth = exact_share(view, FRONT, blockers)
    assert abs(counts.occluded / counts.total - truth) <= counts.error
    assert counts.error < 0.025 * pixel
    assert counts.total == pytest.approx(20 * 30 * (silhouette_distance(view) / 300) ** 2 / pixel**2, rel=0.02)


def silhouette_distance(view: View) -> float:
    return float(np.linalg.norm(FRONT.bounds.mean(axis=0) - view.eye))


def test_shares_of_blockers_as_nearest_and_alone(embree: EmbreeRenderer) -> None:
    near, far = shapes.box((73, -200, 0), (75, 200, 22)), shapes.box((146, -200, 0), (150, 200, 19))
    counts, _ = measured(embree, FRONT, [far, near])
    assert sum(counts.nearest) == counts.occluded
    assert counts.alone[0] == pytest.approx(counts.alone[1], rel=0.01)
    assert counts.nearest[1] > 50 * counts.nearest[0]


def test_what_is_far_from_the_targets_image_leaves_no_error(embree: EmbreeRenderer) -> None:
    floor, beside = shapes.box((-500, -500, -5), (900, 500, 0)), shapes.box((140, 20, 0), (150, 60, 90))
    counts, _ = measured(embree, FRONT, [floor, beside])
    assert (counts.occluded, counts.error) == (0, 0.0)


def test_standing_on_the_floor_is_not_standing_behind_it(embree: EmbreeRenderer) -> None:
    boots = shapes.box((300, -10, 0), (320, 10, 33))
    counts, _ = measured(embree, boots, [shapes.box((-500, -500, -5), (900, 500, 0))])
    assert (counts.occluded, counts.error) == (0, 0.0)


def test_a_wall_that_ends_just_where_the_target_begins_obscures_nothing(embree: EmbreeRenderer) -> None:
    """What only touches obscures nothing, and that is proven; what reaches a hair higher is found."""
    top = 25 - 22 * 150 / 300
    for higher, least in ((0.0, 0), (0.001, 1)):
        counts, (view,) = measured(embree, FRONT, [shapes.box((146, -200, 0), (150, 200, top + higher))])
        truth = exact_share(view, FRONT, [shapes.box((146, -200, 0), (150, 200, top + higher))])
        assert abs(counts.occluded / counts.total - truth) <= counts.error + 1e-9
        assert counts.occluded >= least
        assert counts.error < 0.002


def test_a_needle_thinner_than_a_pixel_is_found_before_hidden_is_said(embree: EmbreeRenderer) -> None:
    needle = shapes.joined(FRONT, shapes.box((310, 0, 33), (310.004, 0.004, 50)))
    wall = shapes.box((146, -200, 0), (150, 200, 30))
    assert measured(embree, FRONT, [wall])[0].seen == 0
    assert 1 <= measured(embree, needle, [wall])[0].seen < 60


def test_a_needle_before_the_target_is_found_before_open_is_said(embree: EmbreeRenderer) -> None:
    needle = shapes.box((146, 3.3331, 0), (146.004, 3.3351, 20))
    assert 1 <= measured(embree, FRONT, [needle])[0].occluded < 200


def test_a_thin_wire_is_followed_along_its_whole_length(embree: EmbreeRenderer) -> None:
    wire = turned(shapes.box((146, -60, 20), (146.1, 60, 20.1)), rotation_about_x(0.4), np.array([146.0, 0.0, 20.0]))
    counts, (view,) = measured(embree, FRONT, [wire])
    truth = exact_share(view, FRONT, [wire])
    assert counts.occluded / counts.total == pytest.approx(truth, abs=counts.error)
    assert truth > 0.005


def test_an_arc_across_the_target_parts_it(embree: EmbreeRenderer) -> None:
    target = shapes.box((300, 290, 3), (300.01, 310, 33))
    arc = fighter_arc((0, 0), 0)
    counts, _ = measured(embree, target, [], arcs=[arc])
    assert counts.in_arc / counts.total == pytest.approx(0.5, abs=0.02)
    assert counts.seen == counts.in_arc
    assert counts.error == 0.0
    assert 0.0 < counts.error_seen < 0.002


def test_a_target_all_round_the_eye_is_measured_too(embree: EmbreeRenderer) -> None:
    tunnel = shapes.joined(
        shapes.box((-60, 12, 0), (60, 14, 50)),
        shapes.box((-60, -14, 0), (60, -12, 50)),
        shapes.box((-60, -14, 50), (60, 14, 52)),
    )
    counts, views = measured(embree, tunnel, [shapes.box((-60, 5, 0), (60, 6, 50))])
    assert len(views) == 6
    assert 0.3 < counts.occluded / counts.total < 0.6
    open_view, _ = measured(embree, tunnel, [])
    assert open_view.total == pytest.approx(counts.total, rel=0.005)
    assert open_view.occluded == 0


@pytest.mark.thinned(quick=28, ci=28)
@pytest.mark.parametrize("slope", [1, 2, 3, 1 / 2, 1 / 3, 2 / 3])
def test_the_error_is_true_of_edges_that_climb_the_grid_in_equal_steps(slope: float, embree: EmbreeRenderer) -> None:
    random = np.random.default_rng(round(100 * slope))
    for _ in range(20):
        angle = ROLL - np.degrees(np.arctan(slope)) + random.normal(0.0, 0.05)
        y, z, width = random.uniform([-9, 5, 5], [9, 25, 40])
        wall = shapes.box((250, y, z), (250.5, y + width, z + 60))
        wall = turned(wall, rotation_about_x(np.radians(random.choice([-angle, angle]))), np.array([250.0, y, z]))
        counts, (view,) = measured(embree, FRONT, [wall])
        truth = exact_share(view, FRONT, [wall])
        assert abs(counts.occluded / counts.total - truth) <= counts.error
        assert counts.error < 0.006


def test_a_figure_at_arms_length_fills_the_picture_and_is_right(embree: EmbreeRenderer) -> None:
    target = shapes.box((16, -10, 3), (36, 10, 33))
    wall = shapes.box((10, -200, 0), (10.5, 200, 20))
    counts, (view,) = measured(embree, target, [wall])
    truth = exact_share(view, target, [wall])
    assert abs(counts.occluded / counts.total - truth) <= counts.error


@pytest.mark.long
@given(st.floats(-400, 400), st.floats(-400, 400), st.floats(0, 360))
@settings(max_examples=20)
def test_moving_everything_together_changes_nothing(x: float, y: float, turn: float) -> None:
    blockers = [shapes.box((146, -3, 0), (150, 2.2, 90)), shapes.box((100, -200, 0), (101, 200, 20.3))]
    embree = EmbreeRenderer()
    first, _ = measured(embree, FRONT, blockers)
    moved, _ = measured(embree, FRONT, blockers, pose=Pose.standing((x, y, 7.0), turn))
    assert moved.occluded / moved.total == pytest.approx(first.occluded / first.total, abs=2e-4)


@pytest.mark.long
@given(st.lists(st.tuples(st.floats(40, 280), st.floats(-25, 25), st.floats(1, 12), st.floats(1, 40)), max_size=5))
@settings(max_examples=30)
def test_adding_an_occluder_never_reveals_anything(walls: list[tuple[float, float, float, float]]) -> None:
    """Shares, within the errors stated: how far outlines are followed, and so the total, hangs on what is there."""
    embree = EmbreeRenderer()
    blockers = [shapes.box((x, y, 0), (x + 2, y + width, height)) for x, y, width, height in walls]
    before = measured(embree, FRONT, blockers[:-1])[0]
    after = measured(embree, FRONT, blockers)[0]
    assert after.occluded / after.total >= before.occluded / before.total - before.error - after.error
    assert after.seen / after.total <= before.seen / before.total + before.error_seen + after.error_seen
    assert after.total == pytest.approx(before.total, rel=0.005)


def test_points_that_stand_for_a_mesh_hold_it() -> None:
    ball = shapes.sphere(7.0, 40, 21)
    outer = bounding_points(ball)
    assert len(outer) <= 512
    assert (outer.min(axis=0) <= ball.bounds[0]).all()
    assert (outer.max(axis=0) >= ball.bounds[1]).all()


@pytest.mark.parametrize("name", ["gl", "reference"])
def test_other_renderers_measure_the_same(name: str, embree: EmbreeRenderer) -> None:
    other = started(name)
    blockers = [shapes.box((146, -3, 0), (150, 2.2, 90)), shapes.box((100, -200, 0), (101, 200, 20.3))]
    first = measured(embree, FRONT, blockers)[0]
    second = measured(other, FRONT, blockers)[0]  # type: ignore[arg-type]
    assert second.occluded / second.total == pytest.approx(first.occluded / first.total, abs=first.error)
    assert second.total == pytest.approx(first.total, rel=1e-3)
    assert second.nearest == pytest.approx(first.nearest, rel=2e-3)


def test_bars_thinner_than_a_pixel_are_counted_in_full(embree: EmbreeRenderer) -> None:
    bars = shapes.joined(
        *(shapes.box((290, y, 0), (290.06, y + 0.06, 60)) for y in (-8.03, -5.1, -2.2, 1.13, 4.3, 7.7))
    )
    counts, (view,) = measured(embree, FRONT, [bars])
    parts = [shapes.box((290, y, 0), (290.06, y + 0.06, 60)) for y in (-8.03, -5.1, -2.2, 1.13, 4.3, 7.7)]
    truth = exact_share(view, FRONT, parts)
    assert truth > 0.015
    assert abs(counts.occluded / counts.total - truth) <= counts.error


def test_a_wire_far_thinner_than_a_pixel_is_found_though_its_ends_lie_outside(embree: EmbreeRenderer) -> None:
    wire = shapes.box((290, -200, 21.313), (290.02, 200, 21.333))
    counts, (view,) = measured(embree, FRONT, [wire])
    assert counts.occluded > 0
    assert abs(counts.occluded / counts.total - exact_share(view, FRONT, [wire])) <= counts.error


@pytest.mark.thinned(quick=11, ci=11)
@pytest.mark.parametrize("renderer_name", ["embree", "reference", "gl"])
@pytest.mark.parametrize("pixel", [0.1, 0.3, 1.0])
def test_a_target_well_behind_a_wall_is_hidden_without_a_doubt(renderer_name: str, pixel: float) -> None:
    renderer = started(renderer_name)
    for number in range(12):
        random = np.random.default_rng(number)
        low = np.array([random.uniform(150, 250), random.uniform(-30, 20), 3.0])
        target = shapes.box(tuple(low), tuple(low + random.uniform(5, 25, 3)))  # type: ignore[arg-type]
        counts, _ = measured(renderer, target, [shapes.box((80, -500, -300), (83, 500, 600))], pixel=pixel)  # type: ignore[arg-type]
        assert (counts.seen, counts.error, counts.error_seen) == (0, 0.0, 0.0)


def test_a_low_wall_just_behind_the_target_leaves_no_doubt(embree: EmbreeRenderer) -> None:
    for height in np.linspace(3.0, 20.0, 30):
        low_wall = shapes.box((322, -60, 0), (325, 60, float(height)))
        counts, _ = measured(embree, FRONT, [low_wall], eye=np.array([0.0, 0.0, 47.6]))
        assert (counts.occluded, counts.error) == (0, 0.0)


@pytest.mark.long
def test_more_meshes_than_embree_has_devices(embree: EmbreeRenderer) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.05)
    for number in range(1500):
        body = Body(1, shapes.square(30 + number / 1000), HERE)
        assert embree.render(view, [body], [[view.height // 2, view.width // 2]]).ids.tolist() == [1]


@pytest.mark.thinned(quick=12, ci=12)
@pytest.mark.parametrize("angle", np.arange(0.2, 6.2, 0.6).round(1).tolist())
@pytest.mark.parametrize(("wide", "high"), [(0.3, 0.3), (0.2, 0.6)])
def test_a_hole_in_front_of_the_targets_rim_is_found_before_hidden_is_said(
    embree: EmbreeRenderer, angle: float, wide: float, high: float
) -> None:
    """A wall halfway to a ball hides it but for a hole somewhere along its rim, so wide and high at the ball."""
    ball = shapes.moved(shapes.sphere(12, 300, 151), (300, 0, 20))
    middle = (EYE + np.array([300.0, 11.85 * np.cos(angle), 20.0 + 11.85 * np.sin(angle)])) / 2
    (x, y, z), across, upward = middle, wide / 4, high / 4
    sides = [(-300, y - across, -300, 300), (y + across, 300, -300, 300)]
    sides += [(y - across, y + across, -300, z - upward), (y - across, y + across, z + upward, 300)]
    wall = shapes.joined(*[shapes.box((x, right, low), (x + 0.2, left, high)) for right, left, low, high in sides])
    counts, _ = measured(embree, ball, [turned(wall, rotation_about_x(angle), middle)])
    assert 0 < counts.seen < 40


class Counting(EmbreeRenderer):
    """Counts the places that it is asked about."""

    asked = 0

    def depths(self, casts: Sequence[Cast]) -> NDArray[np.float32]:
        self.asked += sum(len(cast.places) for cast in casts)
        return super().depths(casts)


WALL = shapes.box((146, -200, -200), (150, 200, 200))
LEANING = turned(shapes.box((146, -200, -380), (150, 200, 15)), rotation_about_x(np.radians(20)), EYE)


def test_a_small_target_is_not_counted_in_coarse_blocks(embree: EmbreeRenderer) -> None:
    """A cube of 3 mm has 58 of them: its size would be wrong by some per cent."""
    small = shapes.box((300, -1.5, 20), (303, 1.5, 23))
    counts, (view,) = measured(embree, small, [])
    across, upward, depth = ((small.vertices - view.eye) @ view.axes.T).T
    outline = MultiPoint(np.column_stack([across / depth, upward / depth]) / view.step).convex_hull
    assert counts.total == pytest.approx(outline.area, rel=0.005)
