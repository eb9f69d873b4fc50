"""What the eye only touches hides nothing, and of two faces in one plane the lower id is in front: at random poses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from silhouette.common.geometry import Flags, Floats, Pose
from silhouette.meshes.mesh import Mesh
from silhouette.renderers import Body, Renderer
from silhouette.renderers.protocol import Cast
from silhouette.renderers.views import View
from tests.support import shapes

HERE = Pose.standing()
SEEDS = st.integers(0, 2**32 - 1)
NEAR_A_RIM = 0.02
"""A rasterizer may be off by so many pixels."""


def fan(corners: Floats, apex: Floats) -> Mesh:
    """The flat convex shape with these corners, cut into triangles that meet in ``apex``, a point of it."""
    count = len(corners)
    return shapes.mesh([*corners, apex], [[i, (i + 1) % count, count] for i in range(count)])


def block(size: Floats, random: np.random.Generator) -> Mesh:
    """The box from the origin to ``size``, each of its sides cut into four triangles anywhere."""
    sides = []
    for axis in range(3):
        for end in (0.0, size[axis]):
            corners = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]])[:, np.roll([0, 1, 2], axis)] * size
            apex = size * random.uniform(0.05, 0.95, 3)
            corners[:, axis] = apex[axis] = end
            sides.append(fan(corners, apex))
    return shapes.joined(*sides)


def anywhere(random: np.random.Generator) -> Pose:
    """A pose on a table of a metre, turned any way."""
    return Pose(Rotation.random(random_state=random).as_matrix(), random.uniform(-500, 500, 3))


def moved_with(pose: Pose, view: View) -> View:
    """The view as it is from a frame that is posed in the world, the view being given in that frame."""
    axes = view.axes @ pose.rotation.T
    return View(pose.place(view.eye[None])[0], axes, view.left, view.top, view.step, view.width, view.height)


def rays(view: View) -> Floats:
    return view.directions(*np.indices((view.height, view.width)))


def met_from_within(view: View, size: Floats) -> tuple[Flags, Floats, Flags]:
    """Which rays of a view whose eye lies on a block go into it, where they leave it, and which are not sure."""
    along, eye = rays(view), view.eye
    with np.errstate(divide="ignore"):
        leaves = (np.where(along > 0, size, 0.0) - eye) / along
    touched = (eye == 0.0) | (eye == size)
    inward: Flags = ~((leaves <= 0.0) & touched).any(axis=2)
    doubtful: Flags = (touched & (np.abs(along) < NEAR_A_RIM * view.step)).any(axis=2)
    return inward, leaves.min(axis=2), doubtful


@pytest.mark.thinned(quick=15, ci=15)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SEEDS)
def test_an_eye_on_a_side_an_edge_or_a_corner_of_a_block_meets_only_what_lies_behind_them(
    renderer: Renderer, seed: int
) -> None:
    random = np.random.default_rng(seed)
    size = random.uniform(5, 300, 3)
    touched = random.permutation(3)[: random.integers(1, 4)]
    eye = size * random.uniform(0.05, 0.95, 3)
    eye[touched] = np.where(random.random(len(touched)) < 0.5, 0.0, size[touched])
    view = shapes.looking(eye, eye + random.normal(size=3), 0.03, width=60, height=60, roll=31.7)
    pose = anywhere(random)
    body, seen_from = Body(3, block(size, random), pose), moved_with(pose, view)
    inward, depth, doubtful = met_from_within(view, size)
    layer = renderer.render(seen_from, [body])
    assert ((layer.ids > 0) == inward)[~doubtful].all()
    off = np.abs(layer.depth - depth)[inward & ~doubtful]
    assert (off <= (1e-2 if renderer.name == "gl" else 1e-5) * depth[inward & ~doubtful] + 1e-3).all()
    places = np.argwhere(~doubtful).astype(np.float64)
    assert (np.isfinite(renderer.depths([Cast(seen_from, body, places)])) == inward[~doubtful]).all()
    behind = Body(9, shapes.moved(shapes.cube(4000), tuple(eye)), pose)
    assert (renderer.render(seen_from, [body, behind]).ids == np.where(inward, 3, 9))[~doubtful].all()


@pytest.mark.thinned(quick=13, ci=13)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SEEDS)
def test_a_face_in_the_plane_of_another_is_never_before_it(renderer: Renderer, seed: int) -> None:
    """Two flat shapes in one plane, cut into triangles anyhow, each in a frame of its own, seen at 0.5 to 90°."""
    random = np.random.default_rng(seed)
    height, away = 300 * np.sin(np.radians(10 ** random.uniform(-0.3, 1.95))), random.uniform(0, 2 * np.pi)
    view = shapes.looking((300 * np.cos(away), 300 * np.sin(away), height), (0, 0, 0), 0.0005, 60, 60, roll=31.7)
    bodies = []
    pose = anywhere(random)
    for number in (1, 2):
        turns = np.sort(random.uniform(0, 2 * np.pi, 5))
        corners = np.column_stack([40 * np.cos(turns), 40 * np.sin(turns), 0 * turns])
        own = anywhere(random)
        shape = fan(own.localise(pose.place(corners)), own.localise(pose.place(random.dirichlet(np.ones(5)) @ corners)))
        bodies.append(Body(number, shape, own))
    first, second = (renderer.render(moved_with(pose, view), [body]) for body in bodies)
    both = (first.ids > 0) & (second.ids > 0)
    for order in (bodies, bodies[::-1]):
        assert (renderer.render(moved_with(pose, view), order).ids[both] == 1).all()


def test_an_eye_on_the_edge_of_a_wedge_sees_its_far_side(renderer: Renderer) -> None:
    """Beside one of the two faces that meet there, it still touches the other one."""
    ends = [[60.0, -50.0, -8.0], [60.0, 50.0, -8.0], [60.0, 50.0, 8.0], [60.0, -50.0, 8.0]]
    wedge = shapes.mesh(
        [[0.0, -50.0, 0.0], [0.0, 50.0, 0.0], *ends],
        [[0, 1, 3], [0, 3, 2], [0, 4, 1], [0, 5, 4], [2, 3, 4], [2, 4, 5], [0, 2, 5], [1, 4, 3]],
    )
    view = shapes.looking((0, 0, 0), (1, 0, 0), 0.002, roll=31.7)
    layer = renderer.render(view, [Body(1, wedge, HERE)])
    inside = np.abs(rays(view)[..., 2]) < 0.12
    assert inside.sum() > 1000
    assert np.allclose(layer.depth[inside], 60.0, atol=0.1)


@pytest.mark.parametrize("gap", [0.001, 0.0003])
def test_a_micrometre_before_a_face_is_before_it(renderer: Renderer, gap: float) -> None:
    view = shapes.looking((20, -300, 40), (0, 0, 0), 0.001)
    bodies = [Body(1, shapes.square(60), HERE), Body(2, shapes.square(60, (0, -gap, 0)), HERE)]
    first, second = (renderer.render(view, [body]) for body in bodies)
    both = (first.ids > 0) & (second.ids > 0)
    assert both.any()
    assert (renderer.render(view, bodies).ids[both] == 2).all()


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SEEDS)
def test_a_flat_shape_seen_edge_on_is_nowhere(renderer: Renderer, seed: int) -> None:
    random = np.random.default_rng(seed)
    pose = anywhere(random)
    view = shapes.looking((0, 0, 0), (1, 0, 0), 0.01, roll=random.uniform(0, 360))
    sheet = shapes.quad((20, -90, 0), (90, -90, 0), (90, 90, 0), (20, 90, 0))
    body, seen_from = Body(1, sheet, pose), moved_with(pose, view)
    assert not renderer.render(seen_from, [body]).ids.any()
    places = np.argwhere(np.ones((64, 64), bool)).astype(np.float64)
    assert not np.isfinite(renderer.depths([Cast(seen_from, body, places)])).any()
