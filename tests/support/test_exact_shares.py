"""The oracle itself: against closed forms, and against the reference renderer on random triangles."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Pose
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.renderers.views import View, VisionArc, fighter_arc, fit_view, in_any
from tests.support import shapes
from tests.support.exact_shares import exact_shares
from tests.support.measured_shares import EYE, FRONT, exact_share, rotation_about_x, turned

EYE_AT_ORIGIN = (0.0, 0.0, 0.0)


def upright(x: float, y: float, width: float, height: float = 2.0) -> Mesh:
    """A rectangle across the view along +y, its middle at (x, y, 0)."""
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    return shapes.quad(*[(x + i * width / 2, y, k * height / 2) for i, k in corners])


WALL = upright(0, 10, 2)


@pytest.mark.parametrize(
    ("blocker", "share"),
    [
        pytest.param(upright(0, 5, 1), 1.0, id="all of it"),
        pytest.param(upright(0.4, 5, 1), 0.6, id="six tenths"),
        pytest.param(upright(1, 5, 1), 0.0, id="touching from beside"),
        pytest.param(upright(0, 5, 1e-4), 1e-4, id="a wire"),
        pytest.param(upright(0, 11, 9), 0.0, id="behind it"),
        pytest.param(upright(0, -5, 9), 0.0, id="behind the eye"),
        pytest.param(upright(0.5, 10, 1), 0.0, id="in its plane"),
        pytest.param(shapes.quad((-5, 5, -5), (5, 15, -5), (5, 15, 5), (-5, 5, 5)), 0.5, id="through it"),
        pytest.param(shapes.quad((0, -5, -9), (0, 9, -9), (0, 9, 9), (0, -5, 9)), 0.0, id="edge-on, through the eye"),
        pytest.param(shapes.quad((-9, -9, -0.5), (9, -9, -0.5), (9, 9, -0.5), (-9, 9, -0.5)), 2 / 9, id="a floor"),
    ],
)
def test_a_share_that_can_be_worked_out_by_hand(blocker: Mesh, share: float) -> None:
    """The floor, half a mm under the eye, ends at y = 9: it hides what is below -0.5 / 9 in a picture from -0.1."""
    for one in (blocker, shapes.flipped(blocker)):
        found = exact_shares(WALL, [one], EYE_AT_ORIGIN, each=True)
        assert found.occluded == pytest.approx(share, abs=1e-10)
        assert (found.seen, found.nothing_seen) == (pytest.approx(1 - share, abs=1e-10), share == 1.0)
        assert found.alone == pytest.approx([found.occluded], abs=1e-12)
        assert found.nothing_occluded == (share == 0.0)
        assert found.total == pytest.approx(0.04, rel=1e-12)


def test_blockers_one_behind_another_share_what_they_obscure() -> None:
    """At equal depth the first of two is in front."""
    blockers = [upright(0.25, 6, 1.5), upright(-0.25, 5, 0.5), upright(0.6, 6, 1.2, 4)]
    found = exact_shares(WALL, blockers, EYE_AT_ORIGIN, each=True)
    # In the picture the wall reaches from -0.1 to 0.1, the blockers from -1/12 to 1/6, from -0.1 to 0, from 0 to 0.2.
    assert found.occluded == pytest.approx(1.0, abs=1e-12)
    assert found.alone == pytest.approx([(0.1 + 1 / 12) / 0.2, 0.5, 0.5], abs=1e-12)
    assert found.nearest == pytest.approx([0.5, 0.5, 0.0], abs=1e-12)


def test_the_target_hides_none_of_itself() -> None:
    """What of it is nearest to the eye is asked, as silhouettes are: its far side counts with its near one."""
    box = shapes.box((-1, 10, -1), (1, 12, 1))
    assert exact_shares(box, [upright(0, 11, 1.9, 1.9)], EYE_AT_ORIGIN).nothing_occluded
    assert exact_shares(box, [], EYE_AT_ORIGIN).total == pytest.approx(0.04)


def test_the_wedge_of_an_arc_parts_a_wall_where_it_is_in_depth() -> None:
    """A wall of two leaves, seen from the side of the arc's apex: the test is on the point that is shown."""
    arc = VisionArc("front", np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0]))  # x >= 1, y >= 0
    near, far = upright(-1.5, 10, 3), upright(1.5, 20, 3)
    found = exact_shares(shapes.joined(near, far), [], EYE_AT_ORIGIN, [arc])
    # In the picture the near leaf reaches from -0.3 to 0, the far one, half as high, from 0 to 0.15: x >= 1 from 0.05.
    assert found.in_arc == pytest.approx(0.01 / (0.06 + 0.015), abs=1e-12)
    behind = exact_shares(shapes.joined(near, far), [upright(0.5, 5, 0.1)], EYE_AT_ORIGIN, [arc])
    assert behind.seen == pytest.approx(0.008 / 0.075, abs=1e-12)
    assert behind.occluded_in_arc == pytest.approx(0.2, abs=1e-12)
    twice = exact_shares(shapes.joined(near, far), [], EYE_AT_ORIGIN, [arc, arc])
    assert twice.seen == pytest.approx(found.seen, abs=1e-12)
    assert exact_shares(WALL, [], EYE_AT_ORIGIN, []).nothing_seen


def test_a_room_round_the_eye_is_looked_at_through_a_cube() -> None:
    room = shapes.cube(20.0)
    found = exact_shares(room, [upright(0, 5, 2)], EYE_AT_ORIGIN, each=True)
    assert (found.pictures, found.total) == (6, pytest.approx(24.0))
    assert found.occluded == pytest.approx(0.4 * 0.4 / 24, abs=1e-12)
    assert [*found.nearest, *found.alone] == pytest.approx([found.occluded] * 2, abs=1e-12)


@pytest.mark.parametrize(("distance", "share"), [(0.0, 0.0), (1e-13, 0.0), (1e-5, 0.0), (1e-3, 1.0)])
def test_a_face_nearer_than_can_be_met_hides_nothing(distance: float, share: float) -> None:
    """What lies less than 0.0001 mm before the eye is not met; from 1e-13 mm the eye is in the plane of a floor."""
    assert exact_shares(WALL, [upright(0, distance, 9)], EYE_AT_ORIGIN).occluded == pytest.approx(share, abs=1e-12)
    floor = shapes.quad((-9, -9, -distance), (9, -9, -distance), (9, 9, -distance), (-9, 9, -distance))
    below = max(0.0, 0.1 - distance / 9) / 0.2 if distance > 1e-9 else 0.0
    assert exact_shares(WALL, [floor], EYE_AT_ORIGIN).occluded == pytest.approx(below, abs=distance)


def test_convex_shapes_are_as_their_outlines_are() -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        x, y, z = random.uniform([60, -20, 5], [280, 20, 30])
        low, high = shapes.box((x, y, z - 60), (x + 4, y + 30, z)), shapes.box((50, -60, 0), (51, y - 9, 30))
        blockers = [turned(low, rotation_about_x(random.uniform(-1, 1)), np.array([x, y, z])), low, high]
        (view,) = fit_view(EYE, FRONT.bounds.mean(axis=0), FRONT.vertices, 0.1)
        expected = exact_share(view, FRONT, blockers)
        assert exact_shares(FRONT, blockers, EYE).occluded == pytest.approx(expected, abs=1e-12)


def soup(random: np.random.Generator, count: int, middle: Floats, reach: float) -> Mesh:
    """Triangles anywhere, through each other."""
    corners = middle + random.uniform(-reach, reach, (count, 1, 3)) + random.uniform(-reach, reach, (count, 3, 3))
    return shapes.mesh(corners.reshape(-1, 3), np.arange(3 * count))


def by_pixels(
    view: View, target: Mesh, blockers: list[Mesh], arcs: list[VisionArc]
) -> tuple[float, float, list[float], list[float]]:
    """The shares occluded and seen, and of each blocker as nearest and alone, by the reference renderer."""
    bodies = [Body(number, one, Pose.standing()) for number, one in enumerate([target, *blockers], 1)]
    alone, whole = (ReferenceRenderer().render(view, some) for some in (bodies[:1], bodies))
    there = alone.ids > 0
    places = np.argwhere(there)
    points = view.eye + view.directions(*places.T) * alone.depth[there][:, None]
    front = whole.ids[there]
    seen = in_any(arcs, points) & (front == 1)
    pairs = [ReferenceRenderer().render(view, [bodies[0], one]).ids[there] == one.id for one in bodies[1:]]
    nearest = [float(np.mean(front == one.id)) for one in bodies[1:]]
    return float(np.mean(front != 1)), float(np.mean(seen)), nearest, [float(np.mean(pair)) for pair in pairs]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_random_triangles_through_each_other_are_as_the_reference_renderer_draws_them(seed: int) -> None:
    """Some 100,000 pixels, with contours through a tenth of them: a share is right to within 0.004."""
    random = np.random.default_rng(seed)
    target = soup(random, 6, np.array([100.0, 0, 0]), 12.0)
    blockers = [soup(random, 4, np.array([x, 0.0, 0.0]), 9.0) for x in (97.0, 60.0)]
    blockers.append(soup(random, 4, np.array([10.0, 0, 0]), 14.0))  # on both sides of the eye
    eye, arcs = np.zeros(3), [fighter_arc((50.0, 2.0), 20.0), fighter_arc((60.0, 5.0), 135.0)]
    (view,) = fit_view(eye, target.bounds.mean(axis=0), target.vertices, 0.1)
    found = exact_shares(target, blockers, eye, arcs, each=True)
    occluded, seen, nearest, alone = by_pixels(view, target, blockers, arcs)
    assert found.occluded == pytest.approx(occluded, abs=0.004)
    assert found.seen == pytest.approx(seen, abs=0.004)
    assert found.nearest == pytest.approx(nearest, abs=0.004)
    assert found.alone == pytest.approx(alone, abs=0.004)
    assert sum(found.nearest) == pytest.approx(found.occluded, abs=1e-11)
