"""Points that stand for a whole mesh: as far out as all of its vertices, however few they are."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Pose
from silhouette.meshes.bounds import plan_corners
from silhouette.meshes.mesh import Mesh
from tests.support.shapes import sphere

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
    corners = plan_corners(Mesh(cloud, faces, np.zeros(len(faces), np.int32)))
    for turn in (*np.arange(0.0, 360.0, 7.0), 45.0, 90.0):
        pose = Pose.standing((3.0, 4.0, 5.0), turn)
        all_of_it, few = pose.place(cloud), pose.place(corners)
        assert few.min(axis=0) == pytest.approx(all_of_it.min(axis=0), abs=1e-12 * (1.0 + np.abs(cloud).max()))
        assert few.max(axis=0) == pytest.approx(all_of_it.max(axis=0), abs=1e-12 * (1.0 + np.abs(cloud).max()))
