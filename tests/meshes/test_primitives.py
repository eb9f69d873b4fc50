from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import MultiPoint

from silhouette.common.geometry import Floats
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import TRIANGLE_COUNTS, Box, Cylinder, Solid, Sphere, solid

SIZES = st.floats(0.5, 500.0)
SHAPES = st.one_of(
    st.builds(Box, st.tuples(SIZES, SIZES, SIZES)),
    st.builds(Cylinder, SIZES, SIZES, st.sampled_from(["x", "y", "z"])),
    st.builds(Sphere, SIZES),
)


def volume(mesh: Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def true_volume(shape: Box | Cylinder | Sphere) -> float:
    match shape:
        case Box(size=(x, y, z)):
            return x * y * z
        case Cylinder(diameter=diameter, height=height):
            return np.pi / 4 * diameter**2 * height
        case Sphere(diameter=diameter):
            return np.pi / 6 * diameter**3


def picture_area(mesh: Mesh, direction: Floats) -> float:
    across = np.linalg.svd(np.asarray(direction, float)[None])[2][1:]
    return MultiPoint(mesh.vertices @ across.T).convex_hull.area


def edge_uses(mesh: Mesh) -> np.ndarray:
    """How often each edge is used in one direction, less how often in the other, and how often at all."""
    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    forward = edges[:, 0] < edges[:, 1]
    _, which = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    return np.stack([np.bincount(which.ravel(), np.where(forward, 1, -1)), np.bincount(which.ravel())])


@pytest.mark.long
@settings(max_examples=50)
@given(shape=SHAPES, turn=st.floats(-360.0, 360.0))
def test_every_solid_is_closed_with_its_faces_outward_and_as_large_as_it_should_be(
    shape: Box | Cylinder | Sphere, turn: float
) -> None:
    mesh = solid(Solid(shape, at=(3.0, -4.0, 5.0), turn=turn))
    balance, uses = edge_uses(mesh)
    assert (balance == 0).all()
    assert (uses == 2).all()
    assert volume(mesh) == pytest.approx(true_volume(shape), rel=4e-4)
    assert volume(mesh) > 0


@pytest.mark.parametrize("shape", [Box((1.0, 2.0, 3.0)), Cylinder(4.0, 2.0, "x"), Sphere(3.0)])
def test_a_shape_has_the_number_of_triangles_that_roles_are_counted_by(shape: Box | Cylinder | Sphere) -> None:
    assert len(solid(Solid(shape)).faces) == TRIANGLE_COUNTS[type(shape)]


def test_a_ball_shows_the_area_of_a_true_one_from_every_side() -> None:
    ball = solid(Solid(Sphere(12.0)))
    directions = [(0, 0, 1), (1, 0, 0), (0, 1, 0), (1, 1, 0), (1, np.tan(np.pi / 144), 0), (1, 0, 1)]
    random = np.random.default_rng(1).normal(size=(40, 3))
    worst = max(abs(picture_area(ball, each) / (np.pi * 36) - 1) for each in [*directions, *random])
    assert worst < 2e-4


def test_a_cylinder_shows_the_area_of_a_true_one_from_the_end_and_from_the_side() -> None:
    pillar = solid(Solid(Cylinder(4.0, 60.0)))
    assert picture_area(pillar, np.array([0.0, 0.0, 1.0])) == pytest.approx(4 * np.pi, rel=1e-9)
    for angle in np.linspace(0.0, 2 * np.pi / 192, 7):
        side = picture_area(pillar, np.array([np.cos(angle), np.sin(angle), 0.0]))
        assert side == pytest.approx(240.0, rel=2e-4)


@pytest.mark.parametrize(
    "axis, low, high",
    [("x", (-10, -3, 5), (10, 3, 11)), ("y", (-3, -10, 5), (3, 10, 11)), ("z", (-3, -3, 5), (3, 3, 25))],
)
def test_a_cylinder_lies_along_its_axis_on_its_underside(
    axis: str, low: tuple[float, ...], high: tuple[float, ...]
) -> None:
    mesh = solid(Solid(Cylinder(6.0, 20.0, axis), at=(0.0, 0.0, 5.0)))  # type: ignore[arg-type]
    assert mesh.bounds == pytest.approx(np.array([low, high], float), abs=5e-4)


def test_turning_goes_anticlockwise_about_the_solids_own_vertical() -> None:
    mesh = solid(Solid(Box((20.0, 2.0, 4.0)), at=(100.0, 0.0, 0.0), turn=90.0))
    assert mesh.bounds.tolist() == [[99.0, -10.0, 0.0], [101.0, 10.0, 4.0]]
    lying = solid(Solid(Cylinder(2.0, 20.0, "x"), turn=30.0))
    farthest = lying.vertices[lying.vertices[:, 0].argmax()]
    assert np.degrees(np.arctan2(farthest[1], farthest[0])) == pytest.approx(30.0, abs=6.0)


def test_parts_are_named_and_those_of_one_name_are_one() -> None:
    ball = Sphere(2.0)
    mesh = solid(Solid(ball), Solid(ball, name="arm"), Solid(ball), Solid(ball, name="arm"))
    assert mesh.part_names == ("sphere 1", "arm", "sphere 2")
    assert np.bincount(mesh.part).tolist() == [
        TRIANGLE_COUNTS[Sphere],
        2 * TRIANGLE_COUNTS[Sphere],
        TRIANGLE_COUNTS[Sphere],
    ]


def test_equal_solids_are_one_mesh_that_nobody_can_change() -> None:
    one, other = (solid(Solid(Cylinder(25.0, 3.0)), Solid(Box((1.0, 2.0, 3.0)))) for _ in range(2))
    assert one is other
    with pytest.raises(ValueError, match="read-only"):
        one.vertices[0, 0] = 1.0
