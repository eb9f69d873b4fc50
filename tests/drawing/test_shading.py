"""What is rendered for a picture, whole or in parts, and how it is shaded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.geometry import Pose
from silhouette.drawing.shading import hollows, light, nearness_of, normals, outlines, plane
from silhouette.drawing.table.rendering import cropped, rendered, swept
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Layer, Renderer
from silhouette.renderers.views import View
from tests.support import shapes


def view_of(width: int, height: int, step: float) -> View:
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    return View(np.array([0.0, -100.0, 0.0]), axes, -width * step / 2, height * step / 2, step, width, height)


@settings(max_examples=30)
@given(st.floats(-0.8, 0.8), st.floats(-0.8, 0.8))
def test_a_slanted_plane_has_its_own_normal_everywhere_no_hollow_and_no_line(rightward: float, upward: float) -> None:
    view = view_of(64, 48, 0.005)
    normal = np.array([rightward, upward, -1.0]) / np.linalg.norm([rightward, upward, -1.0])
    across, up = plane(view)
    depth = (normal[2] * 100.0 / (across * normal[0] + up * normal[1] + normal[2])).astype(np.float32)
    ids = np.ones(depth.shape, np.int32)
    nearness = nearness_of(depth)
    facing = normals(view, ids, nearness)
    assert np.abs(facing - normal).max() < 0.02
    assert np.ptp(light(view, facing)) < 0.05
    assert hollows(view, nearness).max() < 0.02
    assert not outlines(ids, nearness, facing).any()


def test_lines_are_drawn_where_ids_change_and_where_depth_jumps() -> None:
    view = view_of(40, 30, 0.01)
    depth = np.full((30, 40), 100.0, np.float32)
    depth[:, 30:] = 90.0
    ids = np.ones(depth.shape, np.int32)
    ids[:, :10] = 2
    nearness = nearness_of(depth)
    lines = outlines(ids, nearness, normals(view, ids, nearness))
    assert np.flatnonzero(lines[15]).tolist() == [9, 10, 29, 30]
    assert lines[15, 9] > lines[15, 29] > 0.0


def test_shading_of_an_empty_layer_is_empty() -> None:
    view = view_of(40, 30, 0.01)
    layer = Layer.empty((30, 40))
    nearness = nearness_of(layer.depth)
    facing = normals(view, layer.ids, nearness)
    assert not hollows(view, nearness).any()
    assert not outlines(layer.ids, nearness, facing).any()


def test_a_part_of_a_view_shows_the_same_as_the_whole(renderer: Renderer) -> None:
    view = view_of(90, 70, 0.01)
    bodies = [Body(1, shapes.square(20.0, (5.0, 0.0, 5.0)), Pose.standing())]
    whole = renderer.render(view, bodies)
    assert np.array_equal(swept(renderer, view, bodies).ids, whole.ids)
    assert np.array_equal(rendered(renderer, view, bodies).depth, whole.depth)
    part = renderer.render(cropped(view, slice(20, 50), slice(30, 80)), bodies)
    assert np.array_equal(part.ids, whole.ids[20:50, 30:80])


@pytest.mark.parametrize("seed", range(12))
def test_rays_through_tiles_meet_what_rays_through_the_whole_view_meet(seed: int, renderer: Renderer) -> None:
    """Triangles large and small, beside, behind and round the eye; some twice, and some in the way of others."""
    random = np.random.default_rng(seed)
    view = view_of(61, 45, 0.03)
    size = 10.0 ** random.uniform(-1.0, 3.0, (60, 1, 1))
    corners = view.eye + random.normal(0.0, 100.0, (60, 1, 3)) + size * random.normal(0.0, 1.0, (60, 3, 3))
    corners[40:] = corners[:20]
    faces = np.arange(180, dtype=np.int32).reshape(60, 3)
    whole = Mesh(corners.reshape(-1, 3), faces, np.zeros(60, np.int32))
    bodies = [Body(one + 1, whole.subset(np.arange(60) % 4 == one), Pose.standing()) for one in (2, 0, 3, 1)]
    expected = renderer.render(view, bodies)
    assert expected.ids.any()
    alone = rendered(renderer, view, bodies[:1])
    for found in (swept(renderer, view, bodies), swept(renderer, view, bodies, [alone])):
        assert np.array_equal(found.ids, expected.ids)
        assert np.array_equal(found.depth, expected.depth)


@pytest.mark.parametrize("seed", range(4))
def test_before_a_front_bodies_show_where_they_are_nearer(seed: int, renderer: Renderer) -> None:
    """Each triangle is a body, and stands behind some of the front, or is in it as well."""
    random = np.random.default_rng(seed)
    view = view_of(61, 45, 0.03)
    corners = view.eye + np.array([0.0, 100.0, 0.0]) + random.normal(0.0, 60.0, (8, 3, 3))
    faces = np.array([[0, 1, 2]], np.int32)
    bodies = [Body(n, Mesh(three, faces, np.zeros(1, np.int32)), Pose.standing()) for n, three in enumerate(corners, 1)]
    front, alone = rendered(renderer, view, bodies[:5]), rendered(renderer, view, bodies[3:])
    shown, nearer = rendered(renderer, view, bodies[3:], front), alone.depth < front.depth
    assert nearer.any()
    assert (alone.ids[~nearer] > 0).any()
    assert np.array_equal(shown.ids, np.where(nearer, alone.ids, 0))
    assert np.array_equal(shown.depth, np.where(nearer, alone.depth, np.inf))


def test_nothing_is_rendered_of_bodies_behind_the_eye(renderer: Renderer) -> None:
    behind = Body(1, shapes.square(20.0), Pose.standing((0.0, -200.0, 0.0)))
    assert not rendered(renderer, view_of(40, 30, 0.01), [behind]).ids.any()
