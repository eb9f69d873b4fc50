"""The proofs that a target is hidden, or that nothing is before it, against rays, closed forms and adversaries."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest

from silhouette.common.geometry import Pose
from silhouette.measure.hidden import Unproven, _by_depth, unproven_hidden
from silhouette.measure.unobscured import unproven_open
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.renderers.views import View, fit_view
from tests.support.exact_shares import exact_shares
from tests.support.shapes import box, flipped, joined, mesh, moved, quad, square
from tests.support.solid_cases import solid_case

REFERENCE = ReferenceRenderer()


IN_PARTS = pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(12), marks=pytest.mark.slow), pytest.param(range(60), marks=pytest.mark.long)],
    ids=str,
)


def view_of(target: Mesh, eye: tuple[float, float, float] = (0.0, 0.0, 0.0), pixel: float = 0.1) -> View:
    (view,) = fit_view(eye, target.bounds.mean(axis=0), target.vertices, pixel)
    return view


def bodies(*shapes: Mesh) -> list[Body]:
    return [Body(number, shape, Pose.standing()) for number, shape in enumerate(shapes, start=2)]


def hidden(target: Mesh, *blockers: Mesh, eye: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Unproven:
    return unproven_hidden(view_of(target, eye), Body(1, target, Pose.standing()), bodies(*blockers), REFERENCE)


def unobscured(target: Mesh, *blockers: Mesh, eye: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Unproven:
    return unproven_open(view_of(target, eye), Body(1, target, Pose.standing()), bodies(*blockers))


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


def round_case(seed: int) -> tuple[Mesh, list[Mesh], tuple[float, float, float]]:
    """Boxes, walls and floors on whole millimetres, and an eye: faces that touch, lie in one plane or are edge-on."""
    chance = np.random.default_rng(seed)

    def any_of(low: int, high: int) -> int:
        return int(chance.integers(low, high))

    target = box((any_of(-4, 0), any_of(20, 23), any_of(-4, 0)), (any_of(1, 4), any_of(24, 27), any_of(1, 4)))
    if chance.random() < 0.3:
        target = square(float(any_of(2, 8)), (float(any_of(-1, 2)), 22.0, float(any_of(-1, 2))))
    blockers = []
    for _ in range(any_of(1, 6)):
        kind, x, y, z = any_of(0, 4), any_of(-8, 4), any_of(5, 26), any_of(-8, 4)
        wide, deep, high = any_of(1, 12), any_of(1, 5), any_of(1, 12)
        block = box((x, y, z), (x + wide, y + deep, z + high))
        floor = quad((-20, -5, z), (20, -5, z), (20, 40, z), (-20, 40, z))
        blockers.append((block, flipped(block), wall(x, x + wide, z, z + high, float(y)), floor)[kind])
    if chance.random() < 0.5:
        blockers = [joined(*blockers)]
    return target, blockers, (float(any_of(-3, 4)), float(any_of(-3, 2)), float(any_of(-3, 4)))


def wall(left: float, right: float, low: float = -20.0, high: float = 20.0, depth: float = 50.0) -> Mesh:
    return quad((left, depth, low), (right, depth, low), (right, depth, high), (left, depth, high))


def check(target: Mesh, blockers: Sequence[Mesh], eye: tuple[float, float, float], pixel: float) -> tuple[int, ...]:
    """Asserts that no more than what is unproven is seen or obscured; whether it is hidden, and proven; open, proven.

    What is seen through a gap that counts as none is less than a hundredth of a pixel.
    """
    view = view_of(target, eye, pixel)
    exact = exact_shares(target, blockers, eye)
    pixels = exact.total / view.step**2
    left = unproven_hidden(view, Body(1, target, Pose.standing()), bodies(*blockers), REFERENCE)
    over = unproven_open(view, Body(1, target, Pose.standing()), bodies(*blockers))
    assert exact.seen * pixels <= left.area + 0.01
    assert exact.occluded * pixels <= over.area + 0.01
    assert exact.nothing_seen or left.area > 0.0
    return exact.nothing_seen, left.area == 0.0, exact.nothing_occluded, over.area == 0.0


@pytest.mark.parametrize("seeds", [range(15), pytest.param(range(15, 60), marks=pytest.mark.long)], ids=str)
def test_what_is_proven_is_so_for_triangles_anywhere(seeds: range) -> None:
    """And hardly anything that is hidden or open remains unproven: of 60 tables in which some are."""
    found = np.array([check(*random_case(seed), (0.0, 0.0, 0.0), 0.3) for seed in seeds])
    hidden, proven, _, _ = found.sum(axis=0)
    assert hidden > len(seeds) / 2
    assert proven >= 0.95 * hidden


@pytest.mark.long
@IN_PARTS
def test_what_is_proven_is_so_where_faces_touch(seeds: range) -> None:
    """Here a blocker often lies inside the target, and is open only since the target itself is before it."""
    found = np.array([check(*round_case(seed), 0.3) for seed in seeds])
    hidden, hidden_proven, is_open, open_proven = found.sum(axis=0)
    assert hidden > len(seeds) / 12
    assert is_open > len(seeds) / 4
    assert hidden_proven >= 0.95 * hidden
    assert open_proven >= 0.8 * is_open


@IN_PARTS
def test_what_is_proven_is_so_for_solids(seeds: range) -> None:
    """Tunnels and slits of 0.002 mm, hollows, missing faces, an eye inside: boxes in solids must not hide too much."""
    found = np.array([check(*solid_case(seed), 0.3) for seed in seeds])
    hidden, proven, _, _ = found.sum(axis=0)
    assert hidden > len(seeds) / 4
    assert proven >= 0.95 * hidden


@pytest.mark.parametrize("seed", range(6))
def test_the_ray_caster_proves_the_same(seed: int) -> None:
    embree = pytest.importorskip("silhouette.renderers.embree")
    pytest.importorskip("embreex")
    target, blockers = random_case(seed)
    view, body = view_of(target, pixel=0.3), Body(1, target, Pose.standing())
    first = unproven_hidden(view, body, bodies(*blockers), REFERENCE)
    second = unproven_hidden(view, body, bodies(*blockers), embree.EmbreeRenderer())
    assert (first.area == 0.0) == (second.area == 0.0)


@pytest.mark.long
def test_moving_everything_together_changes_nothing() -> None:
    pose = Pose.standing((300.0, -200.0, 45.0), turn=37.0)
    for seed in range(12):
        target, blockers = random_case(seed)
        moved_target, *moved_blockers = (mesh(pose.place(one.vertices), one.faces) for one in (target, *blockers))
        eye = tuple(pose.place(np.zeros((1, 3)))[0].tolist())
        (view,) = fit_view(eye, pose.place(target.bounds.mean(axis=0)[None])[0], moved_target.vertices, 0.3)
        there = unproven_hidden(view, Body(1, moved_target, Pose.standing()), bodies(*moved_blockers), REFERENCE)
        here = unproven_hidden(
            view_of(target, pixel=0.3), Body(1, target, Pose.standing()), bodies(*blockers), REFERENCE
        )
        assert (there.area == 0.0) == (here.area == 0.0)


@pytest.mark.long
def test_a_hasty_proof_leaves_no_less() -> None:
    for seed in range(10):
        target, blockers = random_case(seed)
        view, body = view_of(target, pixel=0.3), Body(1, target, Pose.standing())
        thorough, hasty = (unproven_hidden(view, body, bodies(*blockers), REFERENCE, how) for how in (True, False))
        assert hasty.area >= thorough.area


def test_what_a_hasty_proof_is_enough_for() -> None:
    """One sheet before all of the target, of which the picture has 49 cells; and few faces close behind it."""
    leaning = quad((-5, 98, -5), (5, 98, -5), (5, 102, 5), (-5, 102, 5))
    view, body = view_of(leaning), Body(1, leaning, Pose.standing())
    assert unproven_hidden(view, body, bodies(wall(-20, 20)), REFERENCE, thorough=False).area == 0.0
    few = joined(*[moved(leaning, (0.0, 0.01, 0.0))] * 50)
    assert unproven_open(view, body, bodies(few), thorough=False).area == 0.0
    many = joined(few, few)
    assert unproven_open(view, body, bodies(many), thorough=False).area >= view.width * view.height
    assert unproven_open(view, body, bodies(many)).area == 0.0


def test_depths_are_grouped_where_they_are_spread_out() -> None:
    def grouped(*least: float) -> list[tuple[list[int], float]]:
        return [(group.tolist(), begin) for group, begin in _by_depth(np.array(least))]

    assert grouped() == []
    assert grouped(7.0, 7.0) == [([0, 1], 7.0)]
    assert grouped(11.9, 10.0, 11.0) == [([0, 1, 2], 10.0)]
    assert grouped(20.0, 10.0, 14.9, 15.2, 10.5) == [([1, 2, 4], 10.0), ([0, 3], 15.2)]


def test_no_blocker_and_no_target() -> None:
    assert hidden(FAR_SQUARE).area >= 100.0 * 100.0
    assert unobscured(FAR_SQUARE).area == 0.0
    view = view_of(FAR_SQUARE)
    behind = Body(1, moved(FAR_SQUARE, (0.0, -200.0, 0.0)), Pose.standing())
    assert unproven_hidden(view, behind, [], REFERENCE).area == 0.0
    assert unproven_open(view, behind, bodies(FAR_SQUARE)).area == 0.0


FAR_SQUARE = square(10.0, (0.0, 100.0, 0.0))


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


@pytest.mark.parametrize("height", [4.0, 60.0])
def test_what_stands_on_scanned_ground_is_proven_in_little_memory(height: float) -> None:
    """Ground of 130,000 faces that rises and falls by half a millimetre, from eyes near to it and above it."""
    side = np.linspace(-150.0, 150.0, 256)
    x, y = np.meshgrid(side, side, indexing="ij")
    level = 0.25 * np.sin(x / 3.0) * np.cos(y / 2.0) - 0.5
    number = np.arange(level.size).reshape(level.shape)
    a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    ground = mesh(
        np.stack([x, y, level], axis=2).reshape(-1, 3), np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    )
    target = box((80, -12, 0), (100, 12, 30))
    eye = np.array([-100.0, 0.0, height])
    (view,) = fit_view(eye, target.bounds.mean(axis=0), target.vertices, 0.1)
    bodies = [Body(number, one, Pose.standing()) for number, one in enumerate((target, ground), 1)]
    unproven_open(view, bodies[0], bodies[1:])
    tracemalloc.start()
    try:
        assert unproven_open(view, bodies[0], bodies[1:]).area == 0.0
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("turn", [0.0, 180.0])
@pytest.mark.parametrize("side", [1.0, 100.0])
def test_what_overlaps_by_less_than_float64_tells_only_touches(side: float, turn: float) -> None:
    """Half a ten-millionth of a pixel overlaps nothing; twice a ten-millionth is found; however long the side is."""
    pose = Pose.standing(turn=turn)
    target, bit = moved(square(10.0), (0.0, 100.0, 0.0)), moved(square(side), (-side / 2 - 2.5, 50.0, 0.0))
    target, bit = (mesh(pose.place(one.vertices), one.faces) for one in (target, bit))
    step = view_of(target).step
    for pixels, is_open in ((0.5e-7, True), (2e-7, False)):
        way = pose.place(np.array([[pixels * step * 50.0, 0.0, 0.0]]))[0]
        assert (unobscured(target, moved(bit, tuple(way))).area == 0.0) == is_open


@pytest.mark.parametrize("turn", [0.0, 90.0, 200.0, 311.0])
@pytest.mark.parametrize("steep", [0.2, 1.0, 8.0])
def test_a_slant_through_the_target_obscures_the_part_behind_it(steep: float, turn: float) -> None:
    """A plane that meets the target's in a line a third across it: what is left is that part, and cells along it."""
    cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    rotation = np.array([[cosine, 0.0, -sine], [0.0, 1.0, 0.0], [sine, 0.0, cosine]])
    target = mesh(square(10.0).vertices @ rotation.T + [0.0, 100.0, 0.0], square(10.0).faces)
    slant = [[x, steep * (z + 1.7), z] for x in (-30.0, 30.0) for z in (-9.0, 9.0)]
    blocker = mesh(np.array(slant) @ rotation.T + [0.0, 100.0, 0.0], [[0, 1, 3], [0, 3, 2]])
    left = unobscured(target, blocker)
    exact = exact_shares(target, [blocker], (0.0, 0.0, 0.0))
    pixels = exact.occluded * exact.total / view_of(target).step ** 2
    assert pixels <= left.area < pixels + 6.0 * 150.0
