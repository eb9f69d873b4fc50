"""The contract of design.md, section 4, held by every renderer: embree, gl and the reference alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from silhouette.common.geometry import Floats, Pose
from silhouette.renderers import Body, Layer, Renderer
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.renderers.views import View
from tests.support import shapes

PROJECT = Path(__file__).resolve().parents[2]
HERE = Pose.standing()
REFERENCE = ReferenceRenderer()


def assert_only_rims_differ(view: View, bodies: Sequence[Body], layer: Layer, most: float = 0.002) -> None:
    """Where a layer differs from the reference, what is in front changes within a fiftieth of a pixel.

    ``most`` is the share of the pixels drawn that may differ at all.
    """
    truth = REFERENCE.render(view, bodies)
    different = np.argwhere(layer.ids != truth.ids)
    assert len(different) <= most * np.count_nonzero(truth.ids) + 2
    changes = np.zeros(len(different), bool)
    for number in range(64):  # a sunflower's seeds, so that no sliver passes between them
        reach, turn = 0.02 * np.sqrt((number + 1) / 64), number * np.pi * (3 - np.sqrt(5))
        beside = REFERENCE.render(view, bodies, different + reach * np.array([np.sin(turn), np.cos(turn)]))
        changes |= beside.ids != truth.ids[tuple(different.T)]
    assert changes.all(), f"not on a rim: {different[~changes][:5].tolist()}"


MOST_ON_RIMS = 0.004
"""Of the pixels drawn, those whose middle may lie on an edge."""


def pixels_on_edges(view: View, bodies: Sequence[Body], reach: float = 1 / 256) -> int:
    """The number of pixels round whose middle, ``reach`` pixels up, down or aside, the reference sees another body."""
    middles = np.argwhere(np.ones((view.height, view.width), bool))
    ids = REFERENCE.render(view, bodies).ids.ravel()
    ways = np.array([[reach, 0], [-reach, 0], [0, reach], [0, -reach]])
    changes = [REFERENCE.render(view, bodies, middles + way).ids.ravel() != ids for way in ways]
    return int(np.count_nonzero(np.any(changes, axis=0)))


def covered(layer: Layer) -> int:
    return int(np.count_nonzero(layer.ids))


def distance_from_middle(view: View) -> Floats:
    """(height, width): how far each pixel's middle lies from the axis of the view, in pixels."""
    rows, columns = np.indices((view.height, view.width))
    return np.hypot(
        view.left / view.step + columns + 0.5, view.top / view.step - rows - 0.5
    )  # in the plane at distance one


# Only the given ids and 0 appear.


def test_only_the_given_ids_and_zero_appear(renderer: Renderer) -> None:
    view = shapes.looking((0, -100, 3), (0, 0, 0), 0.005, roll=31.7)
    bodies = [
        Body(200_000, shapes.sphere(7, 40, 21), Pose.standing((-6, 0, 0))),
        Body(3, shapes.cube(8), Pose.standing((4, 5, 0), turn=30)),
        Body(90, shapes.square(30), Pose.standing((0, 40, 0))),
    ]
    layer = renderer.render(view, bodies)
    assert set(np.unique(layer.ids)) == {0, 3, 90, 200_000}
    assert layer.ids.dtype == np.int32
    assert layer.depth.dtype == np.float32
    assert np.array_equal(layer.ids == 0, np.isinf(layer.depth))


def test_nothing_on_the_table_gives_zero_everywhere(renderer: Renderer) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01, width=5, height=3)
    empty = Body(1, shapes.mesh(np.zeros((0, 3)), np.zeros((0, 3))), HERE)
    behind = Body(2, shapes.cube(10), Pose.standing((0, -200, 0)))
    for bodies in ([], [empty], [behind]):
        layer = renderer.render(view, bodies)
        assert layer.ids.shape == (3, 5)
        assert not layer.ids.any()
        assert np.isinf(layer.depth).all()


# Every body blocks.


def test_every_body_blocks_what_is_behind_it(renderer: Renderer) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    target = shapes.spot(view, 10, 10, 40, 40, 120.0, number=5)
    blockers = [
        shapes.spot(view, 10, 10, 20, 40, 60.0, number=9),
        shapes.spot(view, 40, 10, 10, 40, 1.0, number=2),
    ]
    layer = renderer.render(view, [target, *blockers])
    assert np.count_nonzero(layer.ids == 5) == 10 * 40
    assert np.count_nonzero(layer.ids == 9) == 20 * 40
    assert np.count_nonzero(layer.ids == 2) == 10 * 40


def test_a_wire_far_thinner_than_a_pixel_blocks_where_it_passes_the_middle(renderer: Renderer) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01, width=9, height=9, shift=(0.003, 0))
    layer = renderer.render(view, [Body(1, shapes.wire(50, 0.02), HERE)])
    assert layer.ids[:, 4].all()
    assert covered(layer) == 9


# Small triangles count.


@pytest.mark.thinned(quick=34)
@pytest.mark.parametrize("eye", [(0, -300, 0), (170, -200, 90), (0, 0, 300)])
def test_a_sphere_of_many_triangles_counts_like_one_of_few_but_for_the_rim(renderer: Renderer, eye: tuple) -> None:
    view = shapes.looking(eye, (0, 0, 0), 0.0004, width=280, height=280, roll=20)
    layers = [
        renderer.render(view, [Body(1, shapes.sphere(15, *number), HERE)]).ids for number in ((40, 21), (400, 201))
    ]
    distance = float(np.linalg.norm(eye))
    rim = 15 / np.sqrt(distance**2 - 15**2) / view.step
    inscribed = rim * np.cos(np.pi / 40) * np.cos(np.pi / 42)
    from_middle = distance_from_middle(view)
    assert (from_middle[layers[0] != layers[1]] > inscribed - 1).all()
    for ids in layers:
        assert ids[from_middle < inscribed - 1].all()
        assert not ids[from_middle > rim + 1].any()
    assert np.count_nonzero(layers[1]) == pytest.approx(np.pi * rim**2, rel=0.001)
    assert np.count_nonzero(layers[0]) == pytest.approx(np.pi * rim**2, rel=0.015)


def test_triangles_far_below_a_pixel_are_not_dropped(renderer: Renderer) -> None:
    """A ball of 160,000 triangles, 20 pixels wide: some 500 of them to a pixel."""
    view = shapes.looking((0, -300, 40), (0, 0, 0), 0.005, width=32, height=32)
    layer = renderer.render(view, [Body(1, shapes.sphere(15, 400, 201), HERE)])
    rim = 15 / np.sqrt(300**2 + 40**2 - 15**2) / view.step
    from_middle = distance_from_middle(view)
    assert layer.ids[from_middle < rim - 0.02].all()
    assert not layer.ids[from_middle > rim + 0.02].any()


# Both faces of a triangle block.


def test_a_single_sided_wall_blocks_from_both_sides(renderer: Renderer) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01)
    wall = shapes.square(30)
    front, back = (renderer.render(view, [Body(4, side, HERE)]) for side in (wall, shapes.flipped(wall)))
    assert covered(front) == 30 * 30
    assert np.array_equal(front.ids, back.ids)


# What reaches behind the eye.


def test_a_wall_that_crosses_the_plane_of_the_eye_blocks_only_in_front(renderer: Renderer) -> None:
    """A sheet to the right of the eye from 100 mm behind it to 100 mm before it, 40 mm high and as deep."""
    view = shapes.looking((0, 0, 0), (0, 1, 0), 0.0201, width=200, height=160)
    wall = shapes.quad((5, -100, -40), (5, 100, -40), (5, 100, 40), (5, -100, 40))
    layer = renderer.render(view, [Body(1, wall, HERE)])
    rows, columns = np.indices((160, 200))
    across, upward = view.left + (columns + 0.5) * view.step, view.top - (rows + 0.5) * view.step
    with np.errstate(divide="ignore"):
        depth = np.where(across > 0, 5 / across, np.inf)
    expected = (depth <= 100) & (np.abs(upward) * np.where(depth <= 100, depth, 0) <= 40)
    assert np.array_equal(layer.ids > 0, expected)
    assert np.allclose(layer.depth[expected], depth[expected], rtol=1e-5)


def test_a_triangle_with_two_corners_behind_the_eye_blocks_where_it_is_in_front(renderer: Renderer) -> None:
    """A ground that begins behind the eye: all below the horizon as far as it reaches."""
    view = shapes.looking((0, 0, 10), (0, 1, 10), 0.02, width=50, height=50)
    ground = shapes.mesh([(-1e4, -1e4, 0), (1e4, -1e4, 0), (0, 1e4, 0)], [[0, 1, 2]])
    layer = renderer.render(view, [Body(1, ground, HERE)])
    assert not layer.ids[:25].any()
    assert layer.ids[25:].all()


@pytest.mark.parametrize("eye", [(0, 0, 0), (9.99, -9.99, 9.99), (3, 9.999, -4)])
@pytest.mark.parametrize("at", [(1, 2, 3), (0, 0, -50), (-40, 1, 0)])
def test_an_eye_inside_a_closed_box_sees_nothing_but_the_box(renderer: Renderer, eye: tuple, at: tuple) -> None:
    view = shapes.looking(eye, at, 0.05, width=60, height=60, roll=10)
    far = Body(1, shapes.cube(500), HERE)
    layer = renderer.render(view, [far, Body(2, shapes.cube(20), HERE)])
    assert (layer.ids == 2).all()
    rows, columns = np.indices((60, 60))
    points = view.eye + layer.depth[..., None] * view.directions(rows, columns)
    assert np.allclose(np.abs(points).max(axis=2), 10, rtol=0, atol=1e-5)


# Equal depth.


def test_of_two_bodies_at_equal_depth_the_lower_id_is_in_front_in_any_order(renderer: Renderer) -> None:
    view = shapes.looking((30, -200, 50), (0, 0, 0), 0.002, width=120, height=120, roll=31.7)
    ball = shapes.sphere(15, 40, 21)
    for order in permutations((7, 3, 12)):
        layer = renderer.render(view, [Body(number, ball, Pose.standing(turn=20)) for number in order])
        assert set(np.unique(layer.ids)) == {0, 3}


@pytest.mark.thinned(quick=41)
@pytest.mark.parametrize("eye", [(0, -300, 0), (250, -120, 60), (-290, -20, 5), (10, -30, 400)])
@pytest.mark.parametrize("turn", [0, 17, 90])
def test_different_faces_in_one_plane_give_the_lower_id(renderer: Renderer, eye: tuple, turn: float) -> None:
    """Two sheets in the plane y = 0 that overlap, cut and posed differently, the same plane in other numbers."""
    first = shapes.quad((-30, 0, -20), (30, 0, -20), (30, 0, 20), (-30, 0, 20))
    second = shapes.quad((-20, 0, 31), (-20, 0, -33), (27, 0, -33), (27, 0, 31))
    low, high = (
        Body(4, first, Pose.standing(turn=turn)),
        Body(8, shapes.moved(second, (0, -70, 11)), Pose(HERE.rotation, np.array([0, 70.0, -11]))),
    )
    turned = Pose.standing(turn=turn)
    high = Body(8, high.mesh, Pose(turned.rotation, turned.rotation @ high.pose.translation))
    view = shapes.looking(turned.rotation @ eye, (0, 0, 0), 0.001, width=160, height=160, roll=31.7)
    both = (renderer.render(view, [low]).ids > 0) & (renderer.render(view, [high]).ids > 0)
    assert both.sum() > 100
    for bodies in ([low, high], [high, low]):
        layer = renderer.render(view, bodies)
        assert (layer.ids[both] == 4).all()
    swapped = renderer.render(view, [replace(low, id=8), replace(high, id=4)])
    assert (swapped.ids[both] == 4).all()


def test_a_hundredth_of_a_millimetre_is_not_equal_depth(renderer: Renderer) -> None:
    view = shapes.looking((0, -300, 0), (0, 0, 0), 0.001)
    behind, before = shapes.square(60, (0, 0.01, 0)), shapes.square(60)
    layer = renderer.render(view, [Body(1, behind, HERE), Body(2, before, HERE)])
    assert (layer.ids == 2).all()


# Where things lie in the picture.


@pytest.mark.parametrize("k", [1, 7, 37])
def test_a_square_facing_the_eye_covers_exactly_k_by_k_pixels(renderer: Renderer, k: int) -> None:
    view = shapes.looking((5, -100, 8), (5, 0, 8), 0.01, width=64, height=50, shift=(k / 2 % 1, k / 2 % 1))
    layer = renderer.render(view, [Body(1, shapes.square(k, (5, 0, 8)), HERE)])
    assert covered(layer) == k * k
    rows, columns = np.nonzero(layer.ids)
    assert np.ptp(rows) == np.ptp(columns) == k - 1


def test_row_zero_is_the_top_and_column_zero_the_left(renderer: Renderer) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.01, width=30, height=20)
    high = Body(1, shapes.square(2, (0, 0, 8)), HERE)
    right = Body(2, shapes.square(2, (11, 0, 0)), HERE)
    expected = np.zeros((20, 30), np.int32)
    expected[1:3, 14:16] = 1
    expected[9:11, 25:27] = 2
    assert np.array_equal(renderer.render(view, [high, right]).ids, expected)


@pytest.mark.parametrize("at", [(300, 0, 0), (-100, -80, 90), (20, 30, -200), (0, 0, -100), (0, 0, 100)])
@pytest.mark.parametrize("roll", [0, 31.7, 200])
def test_pixels_are_where_the_view_says_from_anywhere(renderer: Renderer, at: tuple, roll: float) -> None:
    view = shapes.looking((11, 22, 33), at, 0.013, width=40, height=25, roll=roll, shift=(30, -11))
    bodies = [shapes.spot(view, 2, 3, 4, 5, 80.0), shapes.spot(view, 10, 30, 15, 10, 50.0, number=2)]
    expected = np.zeros((25, 40), np.int32)
    expected[2:6, 3:8] = 1
    expected[10:, 30:] = 2
    assert np.array_equal(renderer.render(view, bodies).ids, expected)


@pytest.mark.parametrize("roll", [10, 31.7, 45, 90, 213])
def test_a_rolled_view_counts_the_same_but_for_the_rim(renderer: Renderer, roll: float) -> None:
    body = [Body(1, shapes.cube(20), Pose.standing(turn=25))]
    upright, rolled = (
        renderer.render(shapes.looking((40, -200, 70), (0, 0, 0), 0.0006, 400, 400, roll=turn), body)
        for turn in (0, roll)
    )
    assert covered(rolled) == pytest.approx(covered(upright), rel=0.004)


@pytest.mark.thinned(quick=25)
def test_a_view_larger_than_one_buffer_has_no_seams(renderer: Renderer) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.001, width=2300, height=1100)
    bodies = [
        shapes.spot(view, 0, 0, 1100, 2300, 90.0),
        shapes.spot(view, 500, 900, 77, 1200, 50.0, number=2),
    ]
    expected = np.ones((1100, 2300), np.int32)
    expected[500:577, 900:2100] = 2
    assert np.array_equal(renderer.render(view, bodies).ids, expected)


# Depth.


def test_depth_is_measured_along_the_axis_of_the_view(renderer: Renderer) -> None:
    view = shapes.looking((0, -100, 0), (0, 0, 0), 0.02, shift=(50, 20))
    facing = renderer.render(view, [Body(1, shapes.square(1000), HERE)])
    assert np.allclose(facing.depth, 100, rtol=1e-6)


@pytest.mark.parametrize("at", [(0, 0, 0), (3, 8, -20), (-10, 0, 30)])
def test_the_depth_of_a_slanted_plane_is_the_closed_form(renderer: Renderer, at: tuple) -> None:
    view = shapes.looking((20, -150, 60), at, 0.004, roll=31.7)
    pose = Pose.standing((3, 4, 5), turn=50)
    layer = renderer.render(view, [Body(1, shapes.square(500), pose)])
    rows, columns = np.indices((64, 64))
    normal = pose.rotation @ [0.0, 1.0, 0.0]
    depth = normal @ (pose.translation - view.eye) / (view.directions(rows, columns) @ normal)
    assert layer.ids.all()
    assert np.allclose(layer.depth, depth, rtol=2e-6)


# All renderers agree.


def figure(shared: Path, name: str) -> object:
    import trimesh

    loaded = trimesh.load(shared / "meshes" / "miniatures" / "rpg.scad" / name, force="mesh")
    return shapes.mesh(loaded.vertices, loaded.faces)


@pytest.mark.thinned(quick=0, ci=20)
@pytest.mark.parametrize("eye", [(0, -250, 30), (150, -120, 90), (5, 2, 280), (40, -60, 12)])
def test_all_agree_on_real_figures_between_walls_but_for_rims(renderer: Renderer, shared: Path, eye: tuple) -> None:
    axeman, troll = figure(shared, "mini_axeman.stl"), figure(shared, "king_troll.stl")
    bodies = [
        Body(1, axeman, Pose.standing((0, 0, 2), turn=200)),
        Body(2, troll, Pose.standing((-15, 25, 2), turn=160)),
        Body(3, axeman, Pose.standing((12, -20, 2), turn=77)),
        Body(4, shapes.box((-60, -80, 0), (5, -75, 18)), HERE),
        Body(5, shapes.box((-200, -300, -3), (200, 200, 2)), HERE),
    ]
    view = shapes.looking(eye, (0, 0, 18), 45 / 200 / np.linalg.norm(eye), 200, 200, roll=31.7)
    layer = renderer.render(view, bodies)
    assert {1, 2, 5} <= set(np.unique(layer.ids))
    assert_only_rims_differ(view, bodies, layer)


triangle_soup = st.builds(
    lambda seed, count, reach: (
        np.random.default_rng(seed).normal(0, reach, (count, 1, 3))
        + np.random.default_rng(seed + 1).normal(0, 12, (count, 3, 3))
    ),
    st.integers(0, 2**32 - 1),
    st.integers(1, 40),
    st.sampled_from([5.0, 30.0, 80.0]),
)


@pytest.mark.thinned(quick=12, ci=50)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(soups=st.lists(triangle_soup, min_size=1, max_size=3), turn=st.floats(0, 360), degenerate=st.booleans())
def test_all_agree_on_triangles_at_random_but_for_rims(
    renderer: Renderer, soups: list[Floats], turn: float, degenerate: bool
) -> None:
    """Triangles all round the eye, through its plane and through each other; some without any area.

    It assumes that no edge runs along the pixels' middles: nearer to them than a rasterizer places a vertex, 1/256 of a
    pixel, it may count a whole row of them on its other side.
    """
    bodies = []
    for number, soup in enumerate(soups, start=1):
        if degenerate:
            soup[0, 2] = soup[0, 1]
        triangles = shapes.mesh(soup.reshape(-1, 3), np.arange(3 * len(soup)))
        bodies.append(Body(number, triangles, Pose.standing((0, 10 * number, 0), turn=turn)))
    view = shapes.looking((0, 0, 0), (1, 2, 0.5), 0.02, width=60, height=60, roll=turn)
    assume(pixels_on_edges(view, bodies) <= MOST_ON_RIMS * np.count_nonzero(REFERENCE.render(view, bodies).ids) + 2)
    assert_only_rims_differ(view, bodies, renderer.render(view, bodies), most=MOST_ON_RIMS)
