"""The proofs that a target is hidden, or that nothing is before it, against rays, closed forms and adversaries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from silhouette.geometry import Pose
from silhouette.measure.hidden import Unproven, unproven_hidden
from silhouette.measure.unobscured import unproven_open
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.views import View, fit_view
from tests.support.shapes import box, flipped, joined, mesh, moved, quad, square

REFERENCE = ReferenceRenderer()


def view_of(target: Mesh, eye: tuple[float, float, float] = (0.0, 0.0, 0.0), pixel: float = 0.1) -> View:
    (view,) = fit_view(eye, target.bounds.mean(axis=0), target.vertices, pixel)
    return view


def bodies(*shapes: Mesh) -> list[Body]:
    return [Body(number, shape, Pose.standing()) for number, shape in enumerate(shapes, start=2)]


def hidden(target: Mesh, *blockers: Mesh, eye: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Unproven:
    return unproven_hidden(view_of(target, eye), Body(1, target, Pose.standing()), bodies(*blockers), REFERENCE)


def unobscured(target: Mesh, *blockers: Mesh, eye: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Unproven:
    return unproven_open(view_of(target, eye), Body(1, target, Pose.standing()), bodies(*blockers))


def outside(found: Unproven, places: np.ndarray) -> np.ndarray:
    """Which places (n, 2), row and column, lie in none of the blocks."""
    row, column, height, width = found.blocks.T[:, :, None]
    inside = (places[:, 0] >= row - 1e-6) & (places[:, 0] <= row + height + 1e-6)
    inside &= (places[:, 1] >= column - 1e-6) & (places[:, 1] <= column + width + 1e-6)
    return ~inside.any(axis=0)


def soup(chance: np.random.Generator, count: int, depth: tuple[float, float], size: float, reach: float) -> Mesh:
    """Triangles at any place, turned in any way, some of them sharing corners, one twice."""
    middles = np.column_stack(
        [chance.uniform(-reach, reach, count), chance.uniform(*depth, count), chance.uniform(-reach, reach, count)]
    )
    corners = middles[:, None] + chance.normal(0.0, size, (count, 3, 3))
    faces = np.arange(3 * count).reshape(-1, 3)
    shared = chance.integers(0, 3 * count, count // 2)
    faces[chance.integers(0, count, count // 2), chance.integers(0, 3, count // 2)] = shared
    return mesh(corners.reshape(-1, 3), np.vstack([faces, faces[:1]]))


def sheet(chance: np.random.Generator, depth: float, reach: float, bumps: float) -> Mesh:
    """An uneven wall of many triangles; faces are turned at random, and now and then one is missing."""
    n = int(chance.integers(2, 9))
    x, z = np.meshgrid(np.linspace(-reach, reach, n + 1), np.linspace(-reach, reach, n + 1))
    y = depth + chance.normal(0.0, bumps, x.shape)
    index = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]))
    faces = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    turned = chance.random(len(faces)) < 0.3
    faces[turned] = faces[turned, ::-1]
    kept = chance.random(len(faces)) > chance.choice([0.0, 0.0, 0.02])
    return mesh(np.column_stack([x.ravel(), y.ravel(), z.ravel()]), faces[kept])


def random_case(seed: int) -> tuple[Mesh, list[Mesh]]:
    """A target at 60 mm to 80 mm, and blockers most of which stand before it."""
    chance = np.random.default_rng(seed)
    target = soup(chance, int(chance.integers(1, 8)), (60.0, 80.0), 2.0, 2.0)
    blockers = []
    for _ in range(int(chance.integers(1, 4))):
        if chance.random() < 0.5:
            blockers.append(
                sheet(chance, chance.uniform(20, 70), chance.uniform(4, 20), chance.choice([0.0, 0.5, 3.0]))
            )
        else:
            blockers.append(
                soup(
                    chance, int(chance.integers(1, 30)), (10.0, 90.0), chance.choice([1.0, 10.0]), chance.uniform(1, 12)
                )
            )
    return target, blockers


def rays(
    view: View, target: Mesh, blockers: Sequence[Mesh], seed: int, count: int = 4000
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random places, whether the target is seen there, and whether it is obscured."""
    places = np.random.default_rng(seed).uniform([0, 0], [view.height, view.width], (count, 2))
    alone = REFERENCE.render(view, [Body(1, target, Pose.standing())], places - 0.5)
    all_of_them = REFERENCE.render(view, [Body(1, target, Pose.standing()), *bodies(*blockers)], places - 0.5)
    return (
        places,
        all_of_them.ids == 1,
        (alone.ids == 1) & (all_of_them.ids > 1) & (alone.depth > all_of_them.depth + 2e-3),
    )


@pytest.mark.parametrize("seed", range(60))
def test_no_ray_contradicts_a_proof(seed: int) -> None:
    target, blockers = random_case(seed)
    view = view_of(target, pixel=0.3)
    body = Body(1, target, Pose.standing())
    places, seen, obscured = rays(view, target, blockers, seed)
    left = unproven_hidden(view, body, bodies(*blockers), REFERENCE)
    assert not (seen & outside(left, places)).any()
    left = unproven_open(view, body, bodies(*blockers))
    assert not (obscured & outside(left, places)).any()


FAR_SQUARE = square(10.0, (0.0, 100.0, 0.0))


def wall(left: float, right: float, low: float = -20.0, high: float = 20.0, depth: float = 50.0) -> Mesh:
    return quad((left, depth, low), (right, depth, low), (right, depth, high), (left, depth, high))


def test_one_wall_hides_the_target() -> None:
    assert hidden(FAR_SQUARE, wall(-20, 20)).area == 0.0
    assert hidden(FAR_SQUARE, flipped(wall(-20, 20))).area == 0.0


@pytest.mark.parametrize("gap", [0.05, 0.02, 0.001])
@pytest.mark.parametrize("slant", [0.0, 0.7])
def test_a_slit_is_found(gap: float, slant: float) -> None:
    """Two walls, a slit between them that leans by ``slant`` at the target: its image is left, and little else."""
    left = quad((-20, 50, -20), (-slant, 50, -20), (slant, 50, 20), (-20, 50, 20))
    right = quad((gap - slant, 50, -20), (20, 50, -20), (20, 50, 20), (gap + slant, 50, 20))
    left_over = hidden(FAR_SQUARE, left, right)
    through = 2.0 * gap * 10.0 * 100.0  # pixels of 0.1 mm
    assert through <= left_over.area < through + 150.0


def test_walls_that_touch_leave_no_slit() -> None:
    """Along an edge that they share, along one that they do not, at a T-junction, and overlapping."""
    assert hidden(FAR_SQUARE, wall(-20, 0.3), wall(0.3, 20)).area == 0.0
    assert hidden(FAR_SQUARE, wall(-20, 0.3), wall(0.2, 20, depth=60.0)).area == 0.0
    corner = joined(wall(-20, 0.3), wall(0.3, 20, low=0.11), wall(0.3, 20, high=0.11))
    assert hidden(FAR_SQUARE, corner).area == 0.0


def test_a_missing_triangle_is_found() -> None:
    n = 40
    x, z = np.meshgrid(np.linspace(-10, 10, n + 1), np.linspace(-10, 10, n + 1))
    index = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]))
    faces = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    points = np.column_stack([x.ravel(), np.full(x.size, 50.0), z.ravel()])
    assert hidden(FAR_SQUARE, mesh(points, faces)).area == 0.0
    near_middle = n * n // 2 + n // 2
    left = hidden(FAR_SQUARE, mesh(points, np.delete(faces, near_middle, axis=0)))
    hole = 0.5 * 0.5 * 0.5 * 4.0 * 100.0  # the triangle's area, at the target, in pixels
    assert hole <= left.area < hole + 60.0


@pytest.mark.parametrize("size", [0.4, 0.05, 0.01])
def test_a_pinhole_is_found(size: float) -> None:
    x, z = 0.637, -1.113
    around = [wall(-20, x), wall(x + size, 20), wall(x, x + size, high=z), wall(x, x + size, low=z + size)]
    left = hidden(FAR_SQUARE, joined(*around))
    hole = 4.0 * size * size * 100.0
    assert hole <= left.area < hole + 20.0
    assert hidden(FAR_SQUARE, joined(*around), wall(x - 1, x + 1, z - 1, z + 1, 40.0)).area == 0.0


@pytest.mark.parametrize("size", [0.02, 0.5, 5.0])
@pytest.mark.parametrize("depth", [1.0, 60.0, 99.0])
def test_a_bit_before_the_target_is_found(size: float, depth: float) -> None:
    bit = moved(square(size * depth / 100.0), (0.01 * depth, depth, 0.02 * depth))
    left = unobscured(FAR_SQUARE, bit)
    assert left.area >= size * size * 100.0
    assert unobscured(FAR_SQUARE, moved(bit, (0.0, 100.1 - depth, 0.0))).area == 0.0
    assert unobscured(FAR_SQUARE, moved(bit, (0.08 * depth + size, 0.0, 0.0))).area == 0.0


def test_what_only_touches_obscures_nothing() -> None:
    """A square in the target's plane, a wall that it leans on, a floor that it stands on, seen from above."""
    assert unobscured(FAR_SQUARE, FAR_SQUARE).area == 0.0
    assert unobscured(FAR_SQUARE, square(30.0, (0.0, 100.0, 0.0))).area == 0.0
    statue = box((-5.0, 100.0, -5.0), (5.0, 110.0, 5.0))
    floor = quad((-200, -50, -5), (200, -50, -5), (200, 300, -5), (-200, 300, -5))
    back = wall(-200, 200, -5, 50, depth=110.0)
    assert unobscured(statue, floor, back, eye=(0.0, 0.0, 20.0)).area == 0.0
    assert unobscured(statue, moved(floor, (0.0, 0.0, 0.5)), eye=(0.0, 0.0, 20.0)).area > 0.0


def test_the_eye_level_with_the_top_of_a_wall() -> None:
    """What reaches above the wall is seen; what is as high as the wall is not."""
    low, high = box((-5.0, 100.0, -9.0), (5.0, 110.0, 0.0)), box((-5.0, 100.0, -9.0), (5.0, 110.0, 0.05))
    block = box((-30.0, 40.0, -30.0), (30.0, 60.0, 0.0))
    assert hidden(low, block).area == 0.0
    assert hidden(high, block).area >= 0.05 * 10.0 * 100.0 * 0.9
