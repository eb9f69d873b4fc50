"""Patches and visible shares: closed forms, many eyes, and laws."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.geometry import Pose
from silhouette.meshes.primitives import Box, Solid, Sphere, solid
from silhouette.relations.points import PointSet, eyes_in, facing, is_outward, point_set, standard_volume
from silhouette.relations.visible import has_quick_patch, share_beside, share_visible, widest_patch
from tests.relations.pieces import block, piece, surface
from tests.support.plain_pieces import man
from tests.support.shapes import joined, sphere

EYE = np.array([[0.0, 0.0, 0.0]])
PLATE = surface((-40, 100, -40), (40, 104, 40))


def window(side: float, y: float = 50.0):
    """A wall with a square hole round the line of sight."""
    half, far = side / 2, 90.0
    bars = [
        ((-far, y, -far), (-half, y + 0.1, far)),
        ((half, y, -far), (far, y + 0.1, far)),
        ((-half, y, -far), (half, y + 0.1, -half)),
        ((-half, y, half), (half, y + 0.1, far)),
    ]
    return [piece(joined(*(surface(low, high).mesh for low, high in bars)))]


@pytest.mark.thinned(quick=0, ci=16)
@pytest.mark.parametrize("side", [1.5, 3.0, 7.0])
def test_a_window_half_way_shows_a_square_twice_its_side(side):
    found = widest_patch(EYE, PLATE, window(side))
    # The far edge of the frame is a little nearer to the plate, and so narrows the view.
    assert abs(found.value - 2 * side) <= found.error + 0.05
    assert found.by == ("wall",)


def test_a_ball_shows_the_square_in_its_outline():
    ball = PointSet.of_surface(sphere(15.0, 180, 90), Pose.standing((0.0, 100.0, 0.0)))
    square = widest_patch(EYE, ball, []).value
    # The outline of a ball, seen from 100 mm, at the depth of its middle.
    across = 2 * 100 * np.tan(np.arcsin(0.15))
    assert square == pytest.approx(across / np.sqrt(2), abs=0.3)


@pytest.mark.parametrize(
    "side, holds",
    [pytest.param(1.2, False, marks=pytest.mark.slow), pytest.param(1.4, False, marks=pytest.mark.long), (1.7, True)],
)
def test_a_patch_of_three_millimetres_is_told_from_less(side, holds):
    found = widest_patch(EYE, PLATE, window(side), least=3.0)
    assert (found.value - found.error >= 3.0, found.value + found.error >= 3.0) == (holds, holds)


def test_nothing_is_seen_behind_a_wall_with_certainty():
    found = widest_patch(EYE, PLATE, [block((-90, 50, -90), (90, 51, 90))])
    assert (found.value, found.error) == (0.0, 0.0)


def test_nothing_is_seen_through_a_crack_but_not_with_certainty():
    walls = [block((-90, 50, -90), (0.07, 51, 90)), block((0.073, 50, -90), (90, 51, 90))]
    found = widest_patch(EYE, PLATE, walls, pixel=0.8)
    assert (found.value, found.error) == (0.0, pytest.approx(1.6))


def test_who_hides_most_from_all_eyes_together_is_named_first():
    """The post hides more than the fence from the first eye, and nothing from the second."""
    fence, post = block((-40, 80, -12), (40, 80.1, 12), "fence"), block((-3, 10, -3), (3, 10.1, 3), "post")
    eyes = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 60.0]])
    assert widest_patch(eyes[:1], PLATE, [fence, post], pixel=0.8).by == ("post", "fence")
    assert widest_patch(eyes, PLATE, [fence, post], pixel=0.8).by == ("fence", "post")


@pytest.mark.long
def test_the_best_of_many_eyes_counts():
    eyes = np.array([[80.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    one, both = (widest_patch(some, PLATE, window(3.0)).value for some in (eyes[:1], eyes))
    assert one < both


@pytest.mark.parametrize("edge, share", [(0.0, 0.5), (-20.0, 0.75), (20.0, 0.25)])
def test_the_visible_share_is_that_of_the_area(edge, share):
    found = share_visible(EYE, PLATE, [block((-90, 99.9, -90), (edge, 99.95, 90))])
    assert abs(found.value - share) <= found.error
    assert found.error < 0.03
    assert found.by == ("wall",)


def test_two_eyes_see_what_neither_sees_alone():
    # A post in the middle hides a third of the plate from each eye, but another one.
    post = [block((-3, 50, -90), (3, 51, 90))]
    left, right = np.array([[-20.0, 0.0, 0.0]]), np.array([[20.0, 0.0, 0.0]])
    alone = [share_visible(eye, PLATE, post) for eye in (left, right)]
    both = share_visible(np.concatenate([left, right]), PLATE, post)
    assert all(one.value < 0.95 for one in alone)
    assert both.value == pytest.approx(1.0, abs=0.01)


def test_nothing_between_is_fully_visible_and_a_wall_before_it_not_at_all():
    assert share_visible(EYE, PLATE, []).value == 1.0
    found = share_visible(EYE, PLATE, [block((-90, 50, -90), (90, 51, 90))])
    assert (found.value, found.error) == (0.0, 0.0)


def test_a_set_without_surface_is_refused():
    for ask in (widest_patch, share_visible):
        with pytest.raises(ValueError, match="has no surface"):
            ask(EYE, PointSet.of_points(EYE), [])


@pytest.mark.long
@settings(max_examples=8)
@given(st.integers(0, 1000), st.floats(-180, 180), st.tuples(*[st.floats(-300, 300)] * 3))
def test_moving_everything_changes_little_and_a_blocker_more_reveals_nothing(seed, turn, by):
    generator = np.random.default_rng(seed)
    lows = generator.uniform((-30, 40, -30), (10, 80, 10), (3, 3))
    walls = [block(low, low + np.array([20, 2, 20]), f"wall {number}") for number, low in enumerate(lows)]
    shares = [share_visible(EYE, PLATE, walls[:count]) for count in range(4)]
    assert all(one.value >= two.value for one, two in itertools.pairwise(shares))
    patches = [widest_patch(EYE, PLATE, walls[:count], pixel=0.4) for count in range(4)]
    assert all(one.value + one.error >= two.value for one, two in itertools.pairwise(patches))
    pose = Pose.standing(by, turn)
    moved = [(replace(one, pose=pose), mesh) for one, mesh in walls]
    again = share_visible(pose.place(EYE), replace(PLATE, pose=pose), moved)
    assert again.value == pytest.approx(shares[-1].value, abs=2e-3)


def test_eyes_of_a_surface_are_at_its_front_and_far_apart():
    crate = surface((-10, -10, 0), (10, 10, 20))
    eyes = eyes_in(crate, np.array([[-5.0, 200.0, 0.0], [5.0, 210.0, 20.0]]))
    assert (eyes[:, 1] > 9.9).all()
    assert np.ptp(eyes, axis=0)[[0, 2]].tolist() == pytest.approx([20.0, 20.0])
    assert len(eyes) == 48


def test_only_closed_surfaces_that_turn_outward_have_a_back():
    crate = solid(Solid(Box((2.0, 2.0, 2.0))))
    faces = facing(crate, Pose.standing(), np.array([[-1.0, 9.0, 0.0], [1.0, 9.5, 2.0]]))
    normals = np.cross(*(crate.vertices[crate.faces[:, k]] - crate.vertices[crate.faces[:, 0]] for k in (1, 2)))
    assert np.array_equal(faces, normals[:, 1] > 0)
    assert is_outward(joined(crate, solid(Solid(Sphere(2.0)))))
    assert not is_outward(joined(crate, crate.subset(np.arange(12) > 3)))


def test_point_sets_of_a_model():
    kal = man("Kal", 10.0, 20.0)
    assert point_set(kal, "body").box.tolist() == [[5.0, 17.0, 4.0], [15.0, 23.0, 30.0]]
    assert point_set(kal, "whole").box[0].tolist() == [-6.0, 4.0, 0.0]
    assert point_set(kal, "base").box[:, 2].tolist() == [0.0, 4.0]
    assert point_set(kal, "eye").is_point
    head = point_set(kal, "head").box
    assert head[1, 2] == pytest.approx(30.0)
    assert head[0, 2] >= 30.0 - 0.2 * 26.0 - 1e-6
    volume = standard_volume(kal, 40.0).box
    assert volume.round(1).tolist() == [[-6.0, 4.0, 0.0], [26.0, 36.0, 40.0]]
    assert np.ptp(standard_volume(kal, 40.0, 5.0).box, axis=0).round(1).tolist() == [10.0, 10.0, 40.0]


def test_a_line_leads_from_the_eye_that_sees_to_the_middle_of_what_is_seen():
    post = [block((-3, 50, -90), (3, 51, 90))]
    eyes = np.array([[-500.0, 0.0, 0.0], [20.0, 0.0, 0.0]])
    ((start, end),) = share_visible(eyes, PLATE, post).lines
    assert any((start == eye).all() for eye in eyes)
    assert end[1] == pytest.approx(100.0)
    assert not (-3.0 < start[0] + (end[0] - start[0]) * 50.0 / end[1] < 3.0)
    assert len(share_visible(EYE, PLATE, [block((-90, 50, -90), (90, 51, 90))]).lines) == 0


@pytest.mark.thinned(quick=0, ci=8)
@pytest.mark.parametrize("seed", range(8))
def test_what_is_told_sooner_is_what_is_measured(seed):
    random = np.random.default_rng(seed)
    target = standard_volume(man("Vex", 0.0, 200.0), 30.0)
    eyes = eyes_in(standard_volume(man("Kal", 0.0, 0.0), 30.0), target.box)[:12]
    low, high = random.uniform((-30, 100, 0), (0, 170, 10)), random.uniform((0, 5, 5), (40, 10, 40))
    walls = [block(low, low + high)]
    if has_quick_patch(eyes, target, walls, 3.0):
        assert widest_patch(eyes, target, walls, least=3.0).value >= 3.0
    share = share_visible(eyes, target, walls).value
    for bounds in ([0.97], [0.25, 0.5, 0.75], [share * 0.99, min(1.0, share * 1.01)]):
        told = share_beside(eyes, target, walls, bounds)
        assert [told < bound for bound in bounds] == [share < bound for bound in bounds]


def test_a_square_that_something_may_hide_is_not_told_sooner():
    target, eye = standard_volume(man("Vex", 0.0, 200.0), 30.0), np.array([[0.0, 0.0, 15.0]])
    assert has_quick_patch(eye, target, [], 3.0)
    assert has_quick_patch(eye, target, [block((-60, 100, 0), (60, 105, 10))], 3.0)
    assert not has_quick_patch(eye, target, [block((-60, 100, 0), (60, 105, 60))], 3.0)
    assert not has_quick_patch(eye, target, [], 30.0)
    assert not has_quick_patch(eye, standard_volume(man("Vex", 0.0, 60.0), 30.0), [], 3.0), "too near to be sure"
