"""COUNT: silhouettes as polygons, against the union of all faces made by another library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.geometry import Floats, Pose
from silhouette.common.lazy import forget
from silhouette.measure import silhouettes
from silhouette.measure.silhouettes import Faces, Placed, clipped, polygons, silhouette_of
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Box, Solid, solid
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import View
from tests.support import shapes

VIEW = View(np.zeros(3), np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]]), -1.0, 1.0, 0.01, 200, 200)
WINDOW = np.array([0.0, 200.0, 0.0, 200.0])


def placed(mesh: Mesh, pose: Pose | None = None) -> Placed:
    return Placed.of(VIEW, Body(1, mesh, pose or Pose.standing()))


def area_of_faces(mesh: Mesh) -> float:
    """Pixels, of the union of all faces before the eye."""
    columns, rows, depth = VIEW.project(mesh.vertices)
    assert depth.min() > 0.0
    corners = np.stack([columns, rows], axis=1)[mesh.faces]
    return float(shapely.union_all(shapely.polygons(corners), grid_size=1e-9).area)


def soup(seed: int, count: int) -> Mesh:
    """Triangles at random that cross each other, some twice, some with neighbours."""
    random = np.random.default_rng(seed)
    vertices = random.uniform((-40, 60, -40), (40, 140, 40), (max(3, count), 3))
    faces = np.array([random.permutation(len(vertices))[:3] for _ in range(count)], np.int32)
    faces = np.concatenate([faces, faces[random.random(count) < 0.3][:, ::-1], faces[random.random(count) < 0.2]])
    return Mesh(vertices, faces, np.zeros(len(faces), np.int32))


@given(seed=st.integers(0, 10_000), count=st.integers(1, 30))
@settings(deadline=None)
def test_a_silhouette_is_the_union_of_all_faces(seed: int, count: int) -> None:
    mesh = soup(seed, count)
    assert Faces.of(placed(mesh), WINDOW).silhouette().area() == pytest.approx(area_of_faces(mesh), abs=1e-4)


@pytest.mark.parametrize("missing", [0, 1, 3])
@pytest.mark.parametrize("flipped", [0, 2])
def test_no_orientation_is_asked_for_and_no_closedness(missing: int, flipped: int) -> None:
    ball = shapes.moved(shapes.sphere(15.0, 12, 7), (3.0, 100.0, -4.0))
    inner = shapes.moved(shapes.box((-4, -4, -4), (30, 4, 4)), (3.0, 100.0, -4.0))
    faces = np.concatenate([ball.faces, inner.faces + len(ball.vertices)])
    faces[:flipped] = faces[:flipped, ::-1]
    faces = faces[missing:]
    mesh = Mesh(np.concatenate([ball.vertices, inner.vertices]), faces, np.zeros(len(faces), np.int32))
    assert Faces.of(placed(mesh), WINDOW).silhouette().area() == pytest.approx(area_of_faces(mesh), abs=1e-6)


def test_each_contour_counts_once_and_a_border_where_it_is() -> None:
    cube = solid(Solid(Box((20.0, 20.0, 20.0)), (0.0, 100.0, 3.0)))
    lines = Faces.of(placed(cube), WINDOW).contours()
    assert lines.shape[2] == 6  # its front and its underside are seen
    for missing in range(12):
        left = np.arange(12) != missing
        opened = Mesh(cube.vertices, cube.faces[left], cube.part[left])
        faces = Faces.of(placed(opened), WINDOW)
        # The hole has three sides. Where the face looked at the eye those that were contours are none any more.
        assert faces.contours().shape[2] - lines.shape[2] in {3, *(3 + 3 - 2 * contours for contours in range(3))}
        assert faces.silhouette().area() == pytest.approx(area_of_faces(opened), abs=1e-6)


@pytest.mark.parametrize("in_strip", [5, 50, 100_000])
def test_strips_change_nothing(in_strip: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = soup(7, 25)
    expected = area_of_faces(mesh)
    monkeypatch.setattr(silhouettes, "IN_STRIP", in_strip)
    whole = Faces.of(placed(mesh), WINDOW).silhouette()
    assert whole.area() == pytest.approx(expected, abs=1e-4)
    left = Faces.of(placed(mesh), WINDOW).silhouette((0.0, 90.0))
    right = Faces.of(placed(mesh), WINDOW).silhouette((90.0, 200.0))
    assert left.area() + right.area() == pytest.approx(expected, abs=1e-4)
    assert (left ^ right).area() == pytest.approx(0.0, abs=1e-6)


@given(seed=st.integers(0, 1000), normal=st.tuples(*[st.floats(-1.0, 1.0)] * 3), least=st.floats(-0.5, 0.5))
@settings(deadline=None, max_examples=40)
def test_what_a_plane_cuts_off_and_what_it_leaves_are_all(seed: int, normal: Any, least: float) -> None:
    mesh = soup(seed, 12)
    faces = Faces.of(placed(mesh), WINDOW)
    plane = np.array(normal) / 50.0
    near, far = faces.clipped(plane, least), faces.clipped(-plane, -least)
    together = near.silhouette() + far.silhouette()
    assert together.area() == pytest.approx(area_of_faces(mesh), abs=1e-4)


def test_what_lies_behind_the_eye_is_left_out() -> None:
    floor = Mesh(
        np.array([[-500.0, -500, -10], [500, -500, -10], [500, 500, -10], [-500, 500, -10]]),
        np.array([[0, 1, 2], [0, 2, 3]], np.int32),
        np.zeros(2, np.int32),
    )
    covered = Faces.of(placed(floor), WINDOW).silhouette() ^ polygons(
        [np.array([[0.0, 0], [200, 0], [200, 200], [0, 200]])]
    )
    assert covered.area() == pytest.approx(
        200.0 * (100.0 - 2.0), abs=1e-3
    )  # up to the far edge, 2 pixels below the middle


def test_a_silhouette_is_kept_for_the_eye_and_is_right_in_other_pictures() -> None:
    mesh = soup(3, 20)
    forget()
    first = silhouette_of(placed(mesh))
    turned = View(VIEW.eye, VIEW.axes[[1, 0, 2]] * [[1], [-1], [1]], -1.0, 1.0, 0.004, 500, 500)
    second = silhouette_of(Placed.of(turned, Body(2, mesh, Pose.standing())))
    assert first is not None
    assert second is not None
    assert first.area() == pytest.approx(area_of_faces(mesh), abs=1e-4)
    assert second.area() == pytest.approx(first.area() * (0.01 / 0.004) ** 2, rel=1e-7)
    behind = View(VIEW.eye, VIEW.axes * [[-1], [1], [-1]], -1.0, 1.0, 0.01, 200, 200)
    assert silhouette_of(Placed.of(behind, Body(1, mesh, Pose.standing()))) is None


def test_of_a_body_round_the_eye_nothing_is_kept() -> None:
    around = shapes.box((-5, -5, -5), (5, 5, 5))
    assert silhouette_of(placed(around)) is None
    covered = Faces.of(placed(around), WINDOW).silhouette() ^ polygons(
        [np.array([[0.0, 0], [200, 0], [200, 200], [0, 200]])]
    )
    assert covered.area() == pytest.approx(200.0 * 200.0)


@pytest.mark.parametrize("by", [0.5, 3.0])
def test_what_is_near_the_rim_is_so_many_millimetres_wide_at_its_distance(by: float) -> None:
    square = shapes.square(20.0, (0, 100, 0))
    faces = Faces.of(placed(square), WINDOW)
    whole = faces.silhouette()
    grown = whole + faces.rim(whole, by)
    assert grown.area() == pytest.approx(20.0**2 + 4 * 20.0 * by + np.pi * by**2, rel=0.002)
    assert (whole - faces.rim(whole, by)).area() == pytest.approx((20.0 - 2 * by) ** 2, rel=0.002)


def test_a_triangle_is_clipped_edge_by_edge() -> None:
    triangle: Floats = np.array([[[0.0, 4.0, 0.0]], [[0.0, 0.0, 4.0]], [[1.0, 1.0, 1.0]]])
    tip, trunk = clipped(triangle, np.array([1.0, 0.0, 0.0]), 3.0), clipped(triangle, np.array([-1.0, 0.0, 0.0]), -3.0)
    assert (tip.shape[1], trunk.shape[1]) == (1, 2)
    assert sorted(tip[0, 0].tolist()) == [3.0, 3.0, 4.0]


def test_a_sweep_that_winds_twice_round_a_part_is_noticed() -> None:
    """Of these the union of the front and of what lies within borders comes out 2 pixels larger than it is."""
    mesh = soup(3282, 10)
    assert Faces.of(placed(mesh), WINDOW).silhouette().area() == pytest.approx(area_of_faces(mesh), abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_all_lines_together_wind_round_what_their_union_covers(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = soup(seed, 12)
    monkeypatch.setattr(silhouettes, "SAME_AREA", -1.0)
    assert Faces.of(placed(mesh), WINDOW).silhouette().area() == pytest.approx(area_of_faces(mesh), abs=1e-6)
