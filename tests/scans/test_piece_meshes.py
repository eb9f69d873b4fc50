"""SCAN: the mesh of one piece is cut out of the scan, stands on its ground and lets nobody look through its holes."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Integers
from silhouette.meshes.health import boundary
from silhouette.meshes.primitives import Box, Solid, Sphere, solid
from silhouette.scans.meshes import alpha_shape, owners, piece_mesh


def box_without(*, top: bool = False, bottom: bool = False, lift: float = 0.0) -> tuple[Floats, Integers]:
    """A box of 40 x 30 x 20 mm at (100, 50) without its top or bottom, finely cut, its underside at a height."""
    import trimesh

    mesh = solid(Solid(Box((40.0, 30.0, 20.0))))
    fine = trimesh.Trimesh(mesh.vertices, mesh.faces).subdivide_to_size(3.0)
    height = fine.triangles[:, :, 2]
    kept = np.ones(len(fine.faces), dtype=bool)
    if top:
        kept &= height.min(axis=1) < 20.0
    if bottom:
        kept &= height.max(axis=1) > 0.0
    return np.asarray(fine.vertices) + np.array([100.0, 50.0, lift]), np.asarray(fine.faces[kept], dtype=np.int32)


@pytest.mark.parametrize("lift", [0.0, 1.5, 3.5])
def test_an_open_underside_is_closed_on_the_ground(lift: float) -> None:
    points, faces = box_without(bottom=True, lift=lift)
    made = piece_mesh(
        points,
        faces,
        np.full((len(points), 3), 120, dtype=np.uint8),
        np.array([100.0, 50.0, 0.0]),
        3.0,
        is_terrain=True,
    )
    assert len(boundary(made.faces, len(made.vertices))) == 0
    assert made.vertices[:, 2].min() == pytest.approx(0.0)
    assert made.vertices[:, 2].max() == pytest.approx(20.0 + lift)
    assert made.holes == 1
    assert made.colours is not None
    assert len(made.colours) == len(made.vertices)


def test_a_hole_in_terrain_is_closed_and_one_in_a_figure_is_measured() -> None:
    points, faces = box_without(top=True)
    origin = np.array([100.0, 50.0, 0.0])
    terrain = piece_mesh(points, faces, None, origin, 3.0, is_terrain=True)
    figure = piece_mesh(points, faces, None, origin, 3.0, is_terrain=False)
    assert terrain.holes == 1
    assert terrain.largest == pytest.approx(50.0, rel=0.02)
    assert terrain.open_area == 0.0
    assert figure.holes == 0
    assert len(figure.faces) == len(faces)
    assert figure.open_area == pytest.approx(40.0 * 30.0, rel=0.02)


def test_what_a_figure_stands_on_is_no_hole_in_it() -> None:
    points, faces = box_without(bottom=True)
    made = piece_mesh(points, faces, None, np.array([100.0, 50.0, 0.0]), 3.0, is_terrain=False)
    assert made.open_area == 0.0


@pytest.mark.long
@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_a_cloud_of_points_becomes_a_surface_that_hides_what_the_thing_hides(noise: float) -> None:
    from silhouette.scans.meshes import LARGE_BALL

    rng = np.random.default_rng(3)
    sphere = rng.normal(size=(3000, 3))
    points = 15.0 * sphere / np.linalg.norm(sphere, axis=1)[:, None] + [0.0, 0.0, 15.0]
    points += rng.normal(0.0, noise, points.shape)
    cloud = np.arange(len(points), dtype=np.int32)[:, None]
    made = piece_mesh(points, cloud, None, np.zeros(3), 1.0, is_terrain=True)
    corners = made.vertices[made.faces]
    assert np.linalg.norm(corners - [0.0, 0.0, 15.0], axis=2).max() < 15.0 + 5.0 * noise + 1e-6 + LARGE_BALL
    # Rays along y through a grid over its silhouette hit it, rays beside it do not.
    import trimesh

    mesh = trimesh.Trimesh(made.vertices, made.faces, process=False)
    across = np.stack(np.meshgrid(np.linspace(-14, 14, 21), np.linspace(1, 29, 21)), axis=-1).reshape(-1, 2)
    rays = np.column_stack([across[:, 0], np.full(len(across), -40.0), across[:, 1]])
    hit = mesh.ray.intersects_any(rays, np.tile([0.0, 1.0, 0.0], (len(rays), 1)))
    inside = np.hypot(across[:, 0], across[:, 1] - 15.0) < 14.5
    assert hit[inside].all()


def test_a_ball_falls_through_an_opening_that_is_wider_than_it_and_not_through_a_narrower_one() -> None:
    points, faces = box_without(top=True, bottom=True)
    used = np.unique(faces)
    narrow, wide = alpha_shape(points[used], 40.0), alpha_shape(points[used], 2.5)
    level = points[used][narrow][:, :, 2].min(axis=1) > 17.0
    assert level.any()
    over_the_opening = points[used][wide].mean(axis=1)
    middle = (np.abs(over_the_opening[:, :2] - [100.0, 50.0]) < 8.0).all(axis=1)
    assert not middle.any()


def test_faces_between_a_piece_and_the_table_join_it_to_the_ground() -> None:
    labels = np.array([0, 0, 1, 1, 2, 2, -1], dtype=np.int32)
    faces = np.array([[0, 1, 2], [0, 2, 3], [2, 3, 4], [0, 2, 4], [4, 5, 2], [4, 5, 6], [0, 1, 0]], dtype=np.int32)
    assert owners(faces, labels).tolist() == [1, 1, 1, 1, 2, -1, 0]


def test_a_piece_without_triangles_has_none() -> None:
    made = piece_mesh(np.zeros((3, 3)), np.array([[0], [1]], dtype=np.int32), None, np.zeros(3), 1.0, is_terrain=True)
    assert len(made.faces) == 0


def test_a_small_sphere_is_read_back() -> None:
    mesh = solid(Solid(Sphere(12.0)))
    made = piece_mesh(mesh.vertices, mesh.faces, None, np.zeros(3), 1.0, is_terrain=True)
    assert made.holes == 0
    assert np.array_equal(made.faces, mesh.faces)
