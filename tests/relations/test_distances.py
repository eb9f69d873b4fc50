"""Distances, contact and attributes: closed forms, an oracle by dense points and scipy, and laws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from silhouette.common.geometry import Floats, Pose
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Cylinder, Solid, solid
from silhouette.models.bases import Base
from silhouette.relations.distances import contact, least_distance, nearest_points, share_over, wholly_within
from silhouette.relations.outlines_in_plan import (
    base_shape,
    base_width,
    ground,
    height,
    length,
    measured_by,
    top,
    width,
)
from silhouette.scenes.pieces import Piece
from silhouette.scenes.table import load_table_scene
from tests.support.plain_pieces import block, man, piece_of_mesh, sheet, square_man
from tests.support.shapes import box, joined

KAL = man("Kal", 0.0, 0.0)


def value(found: Any) -> float:
    """The value, of which the line that is drawn for it has the length."""
    (line,) = found.lines
    lengths = [np.linalg.norm(line[1] - line[0]), np.linalg.norm(line[1, :2] - line[0, :2])]
    assert min(abs(one - found.value) for one in lengths) < 1e-6
    return float(found.value)


def test_round_bases_are_apart_as_circles_are() -> None:
    away = least_distance(KAL, [man("Vex", 60.0, 80.0, diameter=40.0)])
    assert value(away) == pytest.approx(100.0 - 36.0, abs=1e-9)
    assert away.by == ("Vex",)
    assert away.lines[0][:, :2].round(9).tolist() == [[9.6, 12.8], [48.0, 64.0]]
    assert value(least_distance(KAL, [man("Vex", 30.0, 0.0)])) == 0.0
    assert value(least_distance(KAL, [man("Vex", 0.0, 0.0)])) == 0.0
    assert value(least_distance(KAL, [man("Vex", 32.0, 0.0)])) == pytest.approx(0.0, abs=1e-9)


def test_square_bases_and_walls_are_apart_as_polygons_are() -> None:
    assert value(least_distance(KAL, [square_man("Vex", 50.0, 0.0)])) == pytest.approx(24.0)
    turned = square_man("Vex", 50.0, 0.0, turn=45.0)
    assert value(least_distance(KAL, [turned])) == pytest.approx(34.0 - np.sqrt(200.0))
    assert value(least_distance(KAL, [block("wall", (20.0, -50.0), (26.0, 50.0))])) == pytest.approx(4.0)
    assert value(least_distance(KAL, [sheet("sheet", (20.0, -50.0), (20.0, 50.0))])) == pytest.approx(4.0, abs=1e-3)


def test_the_nearest_of_several_counts_and_itself_never() -> None:
    others = [man("far", 200.0, 0.0), man("near", 0.0, 100.0), KAL]
    assert least_distance(KAL, others).by == ("near",)
    assert least_distance(KAL, []).value == least_distance(KAL, [KAL]).value == np.inf
    assert len(least_distance(KAL, []).lines) == 0


def test_heights_count_in_space_only() -> None:
    above = man("Vex", 40.0, 0.0, z=60.0)
    assert value(least_distance(KAL, [above])) == pytest.approx(8.0)
    # From the edge of the top of the body, 30 mm up and 5 mm out, to the square that stands for its base.
    found = least_distance(KAL, [above], of="whole", in_space=True)
    assert value(found) == pytest.approx(np.hypot(24.0 - 5.0, 30.0))
    assert least_distance(KAL, [above], of="base", in_space=True).value == pytest.approx(np.hypot(8.0, 56.0), abs=0.01)
    assert least_distance(KAL, [above], of="body", in_space=True).value == pytest.approx(np.hypot(30.0, 34.0))


@pytest.mark.parametrize("depth", [0.0, 0.4, 4.0, 16.0, 20.0, 31.6, 32.0, 40.0])
def test_the_share_of_a_base_over_an_area_is_that_of_a_segment_of_its_circle(depth: float) -> None:
    area, beside = block("area", (16.0 - depth, -50.0), (60.0, 50.0)), block("beside", (70.0, 0.0), (80.0, 10.0))
    found = share_over(KAL, [beside, KAL, area])
    angle = np.arccos(np.clip(1.0 - depth / 16.0, -1.0, 1.0))
    assert found.value == pytest.approx((angle - np.sin(2.0 * angle) / 2.0) / np.pi, abs=2e-4)
    assert (found.value == 0.0, found.value == 1.0) == (depth == 0.0, depth >= 32.0)
    assert found.by == (("area",) if depth else ())
    assert share_over(square_man("Vex", 0.0, 0.0, 32.0), [area]).value == pytest.approx(min(depth, 32.0) / 32.0)


def test_a_base_lies_over_several_areas_once_and_never_over_itself() -> None:
    west, east = block("west", (-30.0, -50.0), (4.0, 50.0)), block("east", (0.0, -50.0), (60.0, 50.0))
    assert share_over(KAL, [east, west]).value == 1.0
    assert share_over(KAL, [east, west]).by == ("west", "east")
    assert share_over(KAL, []).value == share_over(KAL, [KAL]).value == 0.0
    assert share_over(west, [east]).value == pytest.approx(4.0 / 34.0)


def test_a_vehicle_is_measured_by_all_of_it_turned_or_not() -> None:
    hull = joined(box((-30.0, -30.0, 0.0), (30.0, 30.0, 4.0)), box((-60.0, -20.0, 20.0), (60.0, 20.0, 50.0)))
    for turn, corner in ((0.0, (60.0, 30.0)), (90.0, (30.0, 60.0))):
        tank = piece_of_mesh("tank", hull, (0.0, 0.0), turn, "vehicle", Base("part", 4.0, 60.0, (0.0, 0.0)))
        assert base_shape(tank).bounds == pytest.approx((-30.0, -30.0, 30.0, 30.0))
        assert base_shape(measured_by(tank, "hull")).bounds == pytest.approx((-corner[0], -corner[1], *corner))
        assert measured_by(tank, "base") is tank
        assert measured_by(tank, "hull").base_span == pytest.approx((0.0, 50.0))
        far = least_distance(tank, [man("Vex", 100.0, 0.0)], of="hull").value
        assert far == pytest.approx(100.0 - 16.0 - corner[0])
    assert measured_by(KAL, "hull") is KAL


def standing_mesh(made: trimesh.Trimesh) -> Mesh:
    """A shape of trimesh's, about the z axis, that rests on z = 0."""
    faces = made.faces.astype(np.int32)
    return Mesh(made.vertices - [0.0, 0.0, made.bounds[0, 2]], faces, np.zeros(len(faces), np.int32))


def sphere(diameter: float) -> Mesh:
    """A sphere of 1,280 triangles: of one inside another nearly all are equally near."""
    return standing_mesh(trimesh.creation.icosphere(subdivisions=3, radius=diameter / 2))


def ball(name: str, diameter: float, at: Any) -> Piece:
    """A sphere that rests on z = at[2]."""
    return piece_of_mesh(name, sphere(diameter), at)


def test_spheres_are_apart_as_their_middles_less_their_radii() -> None:
    one, other = ball("one", 20.0, (0.0, 0.0, 0.0)), ball("other", 10.0, (30.0, 40.0, 5.0))
    found = least_distance(one, [other], in_space=True)
    assert value(found) == pytest.approx(50.0 - 15.0, abs=0.1)
    inside = ball("inside", 4.0, (0.0, 0.0, 8.0))
    assert least_distance(one, [inside], in_space=True).value == pytest.approx(8.0, abs=0.1)


def test_a_scan_is_as_much_nearer_as_its_outline_lies_farther_out() -> None:
    wall = replace(block("wall", (20.0, -50.0), (26.0, 50.0)), outline=0.5)
    assert least_distance(KAL, [wall]).value == pytest.approx(3.5)
    assert least_distance(KAL, [wall], of="whole", in_space=True).value == pytest.approx(3.5, abs=0.01)


@pytest.mark.parametrize("beyond, touches", [(-1e-3, True), (0.0, True), (1e-3, False)])
def test_contact_is_as_near_as_the_gap(beyond: float, touches: bool) -> None:
    for other in (man("Vex", 33.0 + beyond, 0.0), block("wall", (17.0 + beyond, -9.0), (30.0, 9.0))):
        found = contact(KAL, [other], gap=1.0)
        assert (found.value, found.by) == ((1.0, (other.name,)) if touches else (0.0, ()))
        assert contact(other, [KAL], gap=1.0).value == found.value


def test_contact_is_with_what_lies_at_the_height() -> None:
    arch = [
        block("lintel", (17.0, -50.0, 60.0), (23.0, 50.0, 70.0)),
        block("kerb", (17.0, -50.0, 0.0), (23.0, 50.0, 3.0)),
    ]
    assert contact(KAL, arch, gap=1.0).by == ("kerb",)
    on_top = man("Vex", 20.0, 0.0, z=3.0)
    assert contact(on_top, [arch[1]], gap=1.0).by == ("kerb",), "it stands on it"
    assert contact(man("Vex", 20.0, 0.0, z=3.01), [arch[1]], gap=1.0).value == 0.0
    assert contact(KAL, [man("far", 100.0, 0.0), *arch, man("near", 32.5, 0.0)], gap=2.0).by == ("near", "kerb")


@pytest.mark.parametrize("height", [3.0, 50.0, 72.3, 101.6, 999.9])
def test_contact_is_with_what_a_model_stands_on_at_any_height(height: float) -> None:
    for level in (height, float(np.float32(height))):
        deck = block("deck", (-50.0, -50.0, 0.0), (50.0, 50.0, level))
        assert contact(man("Vex", 0.0, 0.0, z=height), [deck], gap=1.0).by == ("deck",)
        assert contact(deck, [man("Vex", 0.0, 0.0, z=height)], gap=1.0).by == ("Vex",)
        assert contact(man("Vex", 0.0, 0.0, z=height + 0.01), [deck], gap=1.0).value == 0.0


@pytest.mark.parametrize("by, holds", [(0.0, False), (25.9, False), (26.1, True)])
def test_wholly_within_asks_for_all_of_the_base(by: float, holds: bool) -> None:
    # The far side of the base lies 26 mm from the block.
    found = wholly_within(KAL, [block("ruin", (-50.0, 10.0), (50.0, 90.0))], by=by)
    assert found.value == float(holds)
    assert found.by == (("ruin",) if holds else ())
    if not holds:
        assert found.lines[0][:, :2].round(3).tolist() == [[0.0, -16.0], [0.0, 10.0]]


def test_two_pieces_hold_a_base_together_that_neither_holds_alone() -> None:
    halves = [block("left", (-50.0, -50.0), (0.0, 50.0)), block("right", (0.0, -50.0), (50.0, 50.0))]
    assert wholly_within(KAL, halves).value == 1.0
    assert [wholly_within(KAL, [half]).value for half in halves] == [0.0, 0.0]
    assert wholly_within(KAL, [block("exact", (-16.0, -16.0), (16.0, 16.0))]).value == 1.0
    assert wholly_within(KAL, [block("less", (-16.0, -16.0), (16.0, 15.99))]).value == 0.0
    assert wholly_within(KAL, []).value == wholly_within(KAL, [KAL]).value == 0.0


def test_attributes_are_those_of_the_piece_as_it_stands() -> None:
    wall = block("wall", (10.0, 0.0, 5.0), (110.0, 6.0, 25.0), turn=30.0)
    assert [round(ask(wall), 9) for ask in (ground, top, height, width, length)] == [5.0, 25.0, 20.0, 6.0, 100.0]
    assert base_width(KAL) == 32.0
    assert base_width(square_man("Vex", 0.0, 0.0)) == pytest.approx(np.hypot(20.0, 20.0))
    assert (height(KAL), top(man("Vex", 0.0, 0.0, z=50.0))) == (30.0, 80.0)
    flat = sheet("sheet", (0.0, 0.0), (40.0, 0.0))
    assert (round(length(flat), 3), round(width(flat), 3)) == (40.0, 0.0)


def test_a_lying_piece_is_as_high_as_it_is_thick() -> None:
    pillar = solid(Solid(Cylinder(10.0, 80.0)))
    lying = replace(
        piece_of_mesh("pillar", pillar), pose=Pose(np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0.0]]), np.zeros(3))
    )
    assert height(lying) == pytest.approx(10.0, abs=0.01)
    assert length(lying) == pytest.approx(80.0)


# ---- an oracle by dense points, and laws


def dense(mesh: Mesh, pose: Pose, step: float) -> Floats:
    """(n, 3) points of a surface, no farther than a step from any of its points, by cutting each face into a grid."""
    corners = pose.place(mesh.vertices)[mesh.faces]
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    counts = np.ceil(sides / step).astype(int) + 1
    points = []
    for count in np.unique(counts):
        u, v = (grid.ravel() for grid in np.meshgrid(*[np.linspace(0, 1, count + 1)] * 2))
        inside = u + v <= 1.0 + 1e-9
        weights = np.column_stack([1.0 - u - v, u, v])[inside]
        points.append(np.einsum("wc,fcx->fwx", weights, corners[counts == count]).reshape(-1, 3))
    return np.concatenate(points)


angles = st.floats(0.0, 360.0)


@st.composite
def poses(draw: Any) -> Pose:
    """Anywhere near, turned about two axes."""
    tilt, turn = np.radians(draw(angles)), np.radians(draw(angles))
    about_x = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    about_z = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    at = [draw(st.floats(-40.0, 40.0)) for _ in range(3)]
    return Pose(about_z @ about_x, np.array(at))


SHAPES = [
    sphere(12.0),
    standing_mesh(trimesh.creation.cylinder(radius=4.0, height=30.0, sections=16)),
    block("b", (-4.0, -9.0), (4.0, 9.0)).model.mesh,
]


@pytest.mark.long
@settings(max_examples=25)
@given(st.sampled_from(SHAPES), st.sampled_from(SHAPES), poses(), poses())
def test_nearest_points_are_as_near_as_any_of_many(first: Mesh, second: Mesh, here: Pose, there: Pose) -> None:
    found = nearest_points(first, here, second, there)
    away = float(np.linalg.norm(found[1] - found[0]))
    one, other = dense(first, here, 1.0), dense(second, there, 1.0)
    least = float(cKDTree(one).query(other)[0].min())
    assert away <= least + 1e-9
    if away > 2.0:
        assert least - away <= 1.5, "no point of a grid is farther than its step from the nearest"
    swapped = nearest_points(second, there, first, here)
    assert np.linalg.norm(swapped[1] - swapped[0]) == pytest.approx(away, abs=1e-6)


TURN = np.linspace(0.0, 2.0 * np.pi, 720)

places = st.tuples(st.floats(-200.0, 200.0), st.floats(-200.0, 200.0))


@pytest.mark.slow
@settings(max_examples=40)
@given(places, places, st.floats(-500.0, 500.0), angles)
def test_moving_everything_together_changes_no_distance(one: Any, other: Any, by: float, turn: float) -> None:
    pose = Pose.standing((by, -by / 3.0, 0.0), turn)

    def moved(piece: Piece) -> Piece:
        place = pose.place(piece.pose.translation[None])[0]
        return replace(piece, pose=Pose(pose.rotation @ piece.pose.rotation, place))

    a, b = man("a", *one), square_man("b", *other)
    for ask in (
        lambda a, b: least_distance(a, [b]).value,
        lambda a, b: least_distance(a, [b], of="whole", in_space=True).value,
        lambda a, b: least_distance(b, [a]).value,
    ):
        assert ask(moved(a), moved(b)) == pytest.approx(ask(a, b), abs=1e-6)
    assert least_distance(a, [b]).value == pytest.approx(least_distance(b, [a]).value, abs=1e-9)


@settings(max_examples=40)
@given(st.lists(places, min_size=1, max_size=5), st.floats(0.0, 60.0))
def test_another_piece_never_makes_the_distance_greater(spots: list[Any], by: float) -> None:
    others = [block(f"block {n}", (x, y), (x + 30.0, y + 20.0)) for n, (x, y) in enumerate(spots)]
    distances = [least_distance(KAL, others[: n + 1]).value for n in range(len(others))]
    assert distances == sorted(distances, reverse=True)
    within = [wholly_within(KAL, others[: n + 1], by=by).value for n in range(len(others))]
    assert within == sorted(within)
    corner = min(float(np.hypot(*np.maximum([x - 0, y - 0], [-x - 30.0, -y - 20.0]).clip(0.0))) for x, y in spots)
    assert distances[-1] == pytest.approx(max(corner - 16.0, 0.0), abs=1e-6)
    rim = 16.0 * np.column_stack([np.cos(TURN), np.sin(TURN)])
    gaps = [np.maximum([x, y] - rim, rim - [x + 30.0, y + 20.0]).clip(0.0) for x, y in spots]
    farthest = float(np.min([np.hypot(*gap.T) for gap in gaps], axis=0).max())
    if farthest - by > 0.05:
        assert within[-1] == 0.0, "a point of the rim lies farther away"
    if len(spots) == 1 and by - farthest > 0.05:
        assert within[-1] == 1.0, "round one block, the rim is farthest"


@pytest.mark.parametrize("angle", [0.0, 0.9375, 17.3])
def test_contact_with_a_wall_takes_a_cylinder_for_the_circle_that_it_is(angle: float) -> None:
    parts = [{"cylinder": {"diameter": 25, "height": 3}, "base": True}, {"box": [8, 8, 30], "at": [0, 0, 3]}]
    for gap, touches in ((1.0, True), (1.0005, False), (0.9995, True)):
        wall = {"name": "wall", "at": [16.5 + gap, 0], "parts": [{"box": [8, 90, 30]}]}
        tables = {"terrain": [wall], "fighter": [{"name": "Kal", "at": [0, 0], "turn": angle, "parts": parts}]}
        scene = load_table_scene(Path("x.toml"), {"rules": "necromunda", **tables}, Entry, Cache(None))
        assert bool(contact(scene.piece("Kal"), [scene.piece("wall")], gap=1.0).value) is touches
