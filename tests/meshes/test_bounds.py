"""Points that stand for a whole mesh: as far out as all of its vertices, however few they are."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Pose, corners
from silhouette.meshes.bounds import MAX_BOUNDING_BOXES, bounding_points, plan_corners
from silhouette.meshes.mesh import Mesh
from tests.support.shapes import box, joined, sphere

RANDOM = np.random.default_rng(5)
CLOUDS = {
    "a cloud": RANDOM.normal(size=(5000, 3)),
    "a square": RANDOM.random((5000, 3)),
    "round coordinates": RANDOM.integers(0, 7, (500, 3)) * 0.5,
    "a line in plan": np.outer(np.arange(9.0), (1.0, 2.0, 0.5)),
    "a point in plan": np.outer(np.arange(5.0), (0.0, 0.0, 1.0)),
    "a triangle": np.eye(3) * 1e-6,
    "far away": RANDOM.random((500, 3)) * (9.0, 0.1, 1.0) + 1e4,
    "a ball": sphere(10.0, 40, 21).vertices,
}


@pytest.mark.parametrize("cloud", CLOUDS.values(), ids=CLOUDS)
def test_plan_corners_reach_as_far_as_all_vertices_however_the_mesh_is_turned_upright(cloud: Floats) -> None:
    faces = np.arange(3 * (len(cloud) // 3), dtype=np.int32).reshape(-1, 3)
    outermost = plan_corners(Mesh(cloud, faces, np.zeros(len(faces), np.int32)))
    for turn in (*np.arange(0.0, 360.0, 7.0), 45.0, 90.0):
        pose = Pose.standing((3.0, 4.0, 5.0), turn)
        all_of_it, few = pose.place(cloud), pose.place(outermost)
        assert few.min(axis=0) == pytest.approx(all_of_it.min(axis=0), abs=1e-12 * (1.0 + np.abs(cloud).max()))
        assert few.max(axis=0) == pytest.approx(all_of_it.max(axis=0), abs=1e-12 * (1.0 + np.abs(cloud).max()))


@pytest.mark.parametrize("cloud", CLOUDS.values(), ids=CLOUDS)
def test_bounding_points_reach_as_far_as_all_vertices_in_any_direction_and_are_few(cloud: Floats) -> None:
    faces = np.arange(3 * (len(cloud) // 3), dtype=np.int32).reshape(-1, 3)
    points = bounding_points(Mesh(cloud, faces, np.zeros(len(faces), np.int32)))
    axes = [np.array(way) for way in ((1, 0, 0), (0, -1, 0), (0, 0, 1), (1, 1, 0), (-1, 0, -1))]
    for way in (*axes, *np.random.default_rng(6).normal(size=(200, 3))):
        assert (points @ way).max() >= (cloud[faces.ravel()] @ way).max() - 1e-9 * np.abs(cloud).max()
    assert len(points) <= 8 * min(MAX_BOUNDING_BOXES, len(faces))
    assert (points >= cloud.min(axis=0)).all()
    assert (points <= cloud.max(axis=0)).all()


def test_corners_behind_others_are_left_out() -> None:
    """Of a cube of 27 cubes those on its edges and at its corners lie farthest out: the eight corners are enough."""
    cubes = [box((x, y, z), (x + 1.0, y + 1.0, z + 1.0)) for x in range(3) for y in range(3) for z in range(3)]
    points = bounding_points(joined(*cubes))
    assert sorted(points.tolist()) == sorted(corners([0, 0, 0], [3, 3, 3]).tolist())
