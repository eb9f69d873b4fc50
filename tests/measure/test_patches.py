"""Where a body is in a picture: boxes that hold all of it, from any eye, and little more where it is far enough."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Pose
from silhouette.measure.cells import Grid
from silhouette.measure.contours import Placed
from silhouette.measure.patches import Patches, boxes_between
from silhouette.meshes.clusters import SIZE
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body
from silhouette.renderers.views import View
from tests.support.shapes import box, looking, mesh, sphere, square

BALL = sphere(10.0, 20, 11)
VIEW = looking((3.0, -100.0, 7.0), (0.0, 0.0, 0.0), 0.003, roll=20.0)


def placed(shape: Mesh, at: tuple[float, float, float] = (0.0, 0.0, 0.0), view: View = VIEW) -> Placed:
    return Placed.of(view, Body(1, shape, Pose.standing(at, turn=33.0)))


def exact(one: Placed, faces: Floats) -> tuple[Floats, Floats, Floats]:
    """The least and the greatest column and row of faces, and the depths of their corners."""
    columns, rows, depth = one.points(one.clusters.corners[faces])
    places = np.stack([columns, rows]) / depth
    return places.min(axis=(1, 2)), places.max(axis=(1, 2)), depth


@pytest.mark.parametrize("at", [(0.0, 0.0, 0.0), (20.0, 30.0, -25.0), (-9.0, -60.0, 3.0), (2.0, -87.0, 8.0)])
@pytest.mark.parametrize("shape", [BALL, box((-3.0, -2.0, -9.0), (2.0, 5.0, 1.0)), square(9.0)])
def test_the_box_of_a_cluster_holds_it(shape: Mesh, at: tuple[float, float, float]) -> None:
    one = placed(shape, at)
    chosen = np.arange(len(one.clusters.radii))
    found = Patches.of_clusters(one, chosen)
    assert found.first.tolist() == (SIZE * chosen).tolist()
    assert found.count.sum() == len(shape.faces)
    assert found.faces().tolist() == list(range(len(shape.faces)))
    for number in chosen:
        low, high, depth = exact(one, found.chosen(np.array([number])).faces())
        assert found.least[number] <= depth.min()
        assert found.greatest[number] >= depth.max()
        if found.least[number] > NEAREST_DEPTH_MM:
            assert (found.low[:, number] <= low).all()
            assert (found.high[:, number] >= high).all()
            # Less than twice as wide as from corner to corner.
            across = 2.0 * one.clusters.radii[number] / (one.step * found.least[number])
            assert (found.high[:, number] - found.low[:, number] < 1.5 * across).all()
            assert found.greatest[number] - found.least[number] <= 2.0 * one.clusters.radii[number] * (1.0 + 1e-6)
        else:
            assert np.isnan(found.low[:, number]).all()
            assert np.isnan(found.high[:, number]).all()


def test_the_box_of_a_box_far_away_is_narrow() -> None:
    """That of a rod is as narrow as the rod: a ball round it were as wide as it is long."""
    view = looking((0.0, -1000.0, 0.0), (0.0, 0.0, 0.0), 0.001)
    for low, high in (((-1, -1, -20), (1, 1, 20)), ((-20, -1, -1), (20, 1, 1))):
        one = Placed.of(view, Body(1, box(low, high), Pose.standing()))
        found = Patches.of_clusters(one, np.array([0]))
        size = (found.high - found.low)[:, 0]
        assert size == pytest.approx([high[0] - low[0], high[2] - low[2]], rel=0.01)
        assert (found.least[0], found.greatest[0]) == pytest.approx((999.0, 1001.0))


def test_the_box_of_a_face_is_exact() -> None:
    one = placed(BALL, (4.0, 10.0, -3.0))
    faces = np.arange(0, len(BALL.faces), 7)
    found = Patches.of_faces(one, faces)
    for number, face in enumerate(faces):
        low, high, depth = exact(one, np.array([face]))
        assert found.low[:, number] == pytest.approx(low)
        assert found.high[:, number] == pytest.approx(high)
        assert (found.least[number], found.greatest[number]) == (depth.min(), depth.max())
    assert (found.first.tolist(), set(found.count.tolist())) == (faces.tolist(), {1})


def test_a_face_that_reaches_behind_the_eye_has_the_box_of_its_part_before_it() -> None:
    view = looking((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.01)
    two = mesh([[0, -1, 0], [3, 5, 1], [2, 5, 4], [0, -2, 0], [1, -2, 0], [0, -2, 1]], [[0, 1, 2], [3, 4, 5]])
    one = Placed.of(view, Body(1, two, Pose.standing()))
    found = Patches.of_faces(one, np.arange(2))
    assert found.first.tolist() == [0]  # the other one is behind the eye
    for share in np.linspace(1.0 / 6.0 + 1e-4, 1.0, 50):
        for corner in (1, 2):
            columns, rows, _ = view.project((two.vertices[0] + share * (two.vertices[corner] - two.vertices[0]))[None])
            place = np.array([columns[0], rows[0]])
            assert (found.low[:, 0] <= place + 1e-6).all()
            assert (found.high[:, 0] >= place - 1e-6).all()


@pytest.mark.parametrize(("near", "far"), [(0.5, np.inf), (2.0, 6.0), (4.0, 4.5), (20.0, 30.0)])
def test_parts_between_two_depths(near: float, far: float) -> None:
    """Boxes hold many places of each triangle, and reach little farther than these."""
    chance = np.random.default_rng(5)
    corners = np.stack([chance.uniform(-4, 4, (40, 3)), chance.uniform(-4, 4, (40, 3)), chance.uniform(-3, 9, (40, 3))])
    low, high = boxes_between(corners, near, far)
    side = np.linspace(0.0, 1.0, 80)
    first, second = (part.ravel() for part in np.meshgrid(side, side))
    first, second = first[first + second <= 1.0], second[first + second <= 1.0]
    weights = np.stack([first, second, 1.0 - first - second])
    for number in range(40):
        x, y, depth = corners[:, number] @ weights
        inside = (depth >= near) & (depth <= far)
        if not inside.any():
            assert not (low[:, number] + 0.1 < high[:, number]).all()
            continue
        places = np.stack([x, y])[:, inside] / depth[inside]
        assert (low[:, number] <= places.min(axis=1)).all()
        assert (high[:, number] >= places.max(axis=1)).all()
        slack = 0.3 * (places.max(axis=1) - places.min(axis=1)) + 0.2 / near
        assert (low[:, number] >= places.min(axis=1) - slack).all()
        assert (high[:, number] <= places.max(axis=1) + slack).all()


def test_large_clusters_are_bounded_face_by_face() -> None:
    one = placed(BALL)
    chosen = np.arange(len(one.clusters.radii))
    widest = (lambda found: found.high - found.low)(Patches.of_clusters(one, chosen)).max()
    fine, coarse = Grid(widest / 4.1, 9, 9), Grid(widest / 3.9, 9, 9)
    assert len(Patches.of(one, coarse, chosen).first) == len(chosen)
    found = Patches.of(one, fine, chosen)
    assert len(chosen) < len(found.first)
    assert sorted(found.faces().tolist()) == list(range(len(BALL.faces)))
    near = placed(BALL, (3.0, -100.0, 7.0))  # the eye is inside
    assert (Patches.of(near, coarse, chosen).count == 1).all()


def test_those_near_cells() -> None:
    low, high = np.array([[0.5, 4.5, 2.1], [0.5, 0.2, 1.1]]), np.array([[0.6, 4.6, 3.9], [0.9, 0.7, 1.9]])
    ones = np.ones(3)
    patches = Patches(low, high, ones, ones, np.arange(3), np.arange(3))
    grid = Grid(1.0, 2, 5)
    for cells, near in (([0], [0]), ([1], []), ([4, 8], [1, 2]), ([7], [2]), ([0, 1, 2, 3, 4], [0, 1]), ([], [])):
        assert patches.near(grid, np.array(cells, dtype=np.int64)).tolist() == near


def test_a_triangle_level_with_either_depth_is_between_them() -> None:
    for depth in (2.0, 6.0):
        triangle = np.array([[1.0, 5.0, 1.0], [1.0, 1.0, 4.0], [depth] * 3])[:, None]
        low, high = boxes_between(triangle, 2.0, 6.0)
        assert low[:, 0] == pytest.approx(triangle[:2, 0].min(axis=1) / depth)
        assert high[:, 0] == pytest.approx(triangle[:2, 0].max(axis=1) / depth)
