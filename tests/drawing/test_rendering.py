"""Tiles of a view that a body reaches: rays through their pixels meet all of it, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Pose
from silhouette.drawing.table.rendering import TILE_PX, reached, rendered, swept
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.renderers.views import View

EYE = np.array([0.0, -100.0, 0.0])
WALL = np.array([[-90.0, 0.0, -70.0], [90.0, 0.0, -70.0], [90.0, 0.0, 70.0], [-90.0, 0.0, 70.0]])
"""mm: a wall of two triangles that fills the view, 100 mm before the eye."""

HERE = Pose.standing()


def view_of(width: int = 120, height: int = 90, step: float = 0.01) -> View:
    """A window that looks along y, with x to the right and z up."""
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    return View(EYE, axes, -width * step / 2, height * step / 2, step, width, height)


def body_of(corners: Floats) -> Body:
    """Triangles (n, 3, 3), mm, each with corners of its own."""
    count = len(corners)
    faces = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
    return Body(1, Mesh(corners.reshape(-1, 3), faces, np.zeros(count, np.int32)), HERE)


def wall(*more: Floats) -> Body:
    """The wall, and other triangles."""
    return body_of(np.stack([WALL[[0, 1, 2]], WALL[[0, 2, 3]], *more]))


def check_same(view: View, body: Body) -> None:
    """Holds the layer of the tiles that a body reaches against rays through every pixel."""
    renderer = ReferenceRenderer()
    layer, expected = swept(renderer, view, [body]), renderer.render(view, [body])
    assert np.array_equal(layer.ids, expected.ids)
    assert layer.depth == pytest.approx(expected.depth, rel=1e-6)
    alone = rendered(renderer, view, [body])
    assert np.array_equal(alone.ids, expected.ids)


def test_a_wall_is_seen_whole() -> None:
    check_same(view_of(), wall())
    assert reached(view_of(), wall()).all()


def test_no_rays_are_cast_beside_what_is_small() -> None:
    tiles = reached(view_of(), body_of(0.1 * WALL[None, [0, 1, 2]]))
    assert 0 < tiles.sum() < 0.1 * tiles.size


def test_what_stands_behind_the_wall_does_not_show() -> None:
    behind = WALL[[0, 1, 2]] * [0.9, 1.0, 0.9] + [3.0, 1.0, 7.0]
    check_same(view_of(), wall(behind))


@pytest.mark.parametrize("size", [0.01, 0.4, 3.0, 30.0])
def test_what_stands_before_the_wall_is_not_lost(size: float) -> None:
    """Of any size: much less than a pixel of 1 mm, and more than a tile."""
    dot = np.array([[20.3, -0.5, -15.3], [20.3 + size, -0.5, -15.3], [20.3, -0.5, size - 15.3]])
    check_same(view_of(), wall(dot))
    column, row = (int(pixel // TILE_PX) for pixel in (60 + 100 * 20.35 / 99.5, 45 + 100 * 15.25 / 99.5))
    assert reached(view_of(), body_of(dot[None]))[row, column]


def test_where_two_faces_run_through_each_other_rays_tell_which_is_in_front() -> None:
    slanting = WALL[[1, 2, 3]] * [1.0, 0.0, 1.0] + WALL[[1, 2, 3]][:, :1] * [0.0, 0.2, 0.0]
    check_same(view_of(), wall(slanting, WALL[[1, 2, 3]]))


def test_a_face_that_the_eye_touches_hides_nothing() -> None:
    """It begins so near to the eye that it spans the window, though its plane all but passes through the eye."""
    edge_on = np.array([[-1e-3, -99.9998, 5e-5], [1e-3, -99.9998, 5e-5], [0.0, -90.0, 5e-5]])
    check_same(view_of(), body_of(edge_on[None]))


def test_what_reaches_behind_the_eye_is_seen_where_it_lies_before_it() -> None:
    across = np.array([[-30.0, -160.0, -3.0], [30.0, -160.0, -3.0], [10.0, -20.0, 12.0]])
    check_same(view_of(), wall(across))
    check_same(view_of(), body_of(across[None]))


@pytest.mark.thinned(quick=60)
@pytest.mark.parametrize("seed", range(8))
def test_triangles_at_random_show_the_same(seed: int) -> None:
    """Large and small ones before the eye, some twice, some slivers; the sizes grow with the seed."""
    random = np.random.default_rng(seed)
    size = 10.0 ** random.uniform(0.0, 1.0 + 0.3 * seed, (50, 1, 1))
    stretched = random.uniform(0.0, 1.0, (50, 1, 3)) ** 3
    corners = random.uniform(-60.0, 60.0, (50, 1, 3)) + size * stretched * random.normal(0.0, 1.0, (50, 3, 3))
    corners[..., 1] = np.abs(corners[..., 1]) - 60.0
    corners[40:] = corners[:10]
    check_same(view_of(101, 67, 0.02), body_of(corners))
