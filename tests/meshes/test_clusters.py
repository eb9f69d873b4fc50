"""The edges of faces: which of a mesh's some of its faces have."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.meshes.clusters import clusters_of, edges_round
from silhouette.meshes.mesh import Mesh
from tests.support.shapes import box, joined, mesh, moved, sphere

BOX = box((0.0, 0.0, 0.0), (3.0, 2.0, 1.0))


@pytest.mark.parametrize("shape", [BOX, joined(sphere(10.0, 40, 21), moved(BOX, (5.0, 0.0, 0.0)))])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.2, 1.0])
def test_edges_round_some_faces_are_those_that_they_have_each_once(shape: Mesh, share: float) -> None:
    even = clusters_of(shape).even
    is_chosen = np.random.default_rng(1).random(len(shape.faces)) < share
    edges = edges_round(shape, np.flatnonzero(is_chosen))
    assert np.sort(edges).tolist() == np.flatnonzero(is_chosen[even.faces].any(axis=0)).tolist()


def test_a_mesh_without_edges_of_two_faces_has_none() -> None:
    assert len(edges_round(mesh(np.eye(3), [[0, 1, 2]]), np.array([0]))) == 0
