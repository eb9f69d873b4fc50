"""Lines in plan against closed forms at the edge of touching, against sampled lines, and by laws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.geometry import Pose
from silhouette.relations.lines_in_plan import (
    TOUCH_EPSILON_MM,
    all_lines_cross,
    any_line_crosses,
    centre_line_crosses,
    crossings,
    facing_lines_cross,
)
from silhouette.relations.outlines_in_plan import Region, footprint
from silhouette.scenes.pieces import Piece
from tests.support.lines_by_sampling import sampled
from tests.support.plain_pieces import block, man, sheet, square_man

ROUND = man("Kal", 0.0, 0.0), man("Vex", 200.0, 0.0)
SQUARE = square_man("Kal", 0.0, 0.0), square_man("Vex", 200.0, 0.0)
JUST = 10 * TOUCH_EPSILON_MM


def wall(*corners: float, name: str = "wall") -> Region:
    """The region of a box from (x, y) to (x, y)."""
    return Region(name, shapely.box(*corners))


def region_of(piece: Piece) -> Region:
    """All of a piece, seen from above."""
    return Region(piece.name, footprint(piece))


@pytest.mark.parametrize("pair, reach", [(ROUND, 16.0), (SQUARE, 10.0)])
@pytest.mark.parametrize("side", [1, -1])
def test_any_line_crosses_what_reaches_between_the_outer_tangents(pair: Any, reach: float, side: int) -> None:
    for beyond, expected in ((0.0, 0.0), (JUST, 1.0), (-JUST, 0.0)):
        edge = side * (reach - beyond)
        region = wall(90, min(edge, 50 * side), 110, max(edge, 50 * side))
        found = any_line_crosses(*pair, [region])
        assert found.value == expected, beyond
        assert found.by == (("wall",) if expected else ())


@pytest.mark.parametrize("pair, reach", [(ROUND, 16.0), (SQUARE, 10.0)])
def test_all_lines_cross_what_leaves_no_room_at_either_side(pair: Any, reach: float) -> None:
    for beyond, expected in ((0.0, 0.0), (-JUST, 0.0), (JUST, 1.0)):
        found = all_lines_cross(*pair, [wall(90, -50, 110, reach + beyond)])
        assert found.value == expected, beyond


@pytest.mark.parametrize("edge, expected", [(0.0, 0.0), (JUST, 1.0), (-JUST, 0.0)])
def test_the_centre_line_runs_along_an_edge_without_crossing(edge: float, expected: float) -> None:
    for low, high in ((-30.0, edge), (-edge, 30.0)):
        assert centre_line_crosses(*ROUND, [wall(90, low, 110, high)]).value == expected


def test_a_seam_is_no_gap_and_a_gap_is_none_below_epsilon() -> None:
    halves = [wall(90, -50, 110, 0, name="left"), wall(90, 0, 110, 50, name="right")]
    for ask in (centre_line_crosses, all_lines_cross):
        assert ask(*ROUND, halves).value == 1.0
        assert set(ask(*ROUND, halves).by) == {"left", "right"}
    apart = [wall(90, -50, 110, -0.01), wall(90, 0.01, 110, 50)]
    assert all_lines_cross(*ROUND, apart).value == 0.0
    near = [wall(90, -50, 110, -TOUCH_EPSILON_MM / 4), wall(90, TOUCH_EPSILON_MM / 4, 110, 50)]
    assert all_lines_cross(*ROUND, near).value == 1.0


def test_staggered_walls_close_the_way_together_and_neither_does_alone() -> None:
    first, second = wall(60, -50, 70, 10, name="first"), wall(130, -10, 140, 50, name="second")
    assert all_lines_cross(*SQUARE, [first]).value == all_lines_cross(*SQUARE, [second]).value == 0.0
    both = all_lines_cross(*SQUARE, [first, second])
    assert both.value == 1.0
    assert set(both.by) == {"first", "second"}
    assert all_lines_cross(*SQUARE, [first, second, wall(100, -50, 101, 50, name="third")]).by == ("third",)


def test_a_slanting_line_finds_the_gap() -> None:
    # From the upper edge of one base to the lower edge of the other, through a slit in each of two thick walls.
    first = [wall(60, -50, 70, 2), wall(60, 4, 70, 50)]
    second = [wall(130, -50, 140, -4), wall(130, -2, 140, 50)]
    found = all_lines_cross(*SQUARE, [*first, *second])
    assert found.value == 0.0
    (line,) = found.lines
    for region in (*first, *second):
        assert not len(crossings(line[:, :2], region.shape))
    assert 2 <= line[0, 1] <= 10
    assert -10 <= line[1, 1] <= -2


def test_a_sheet_without_thickness_is_crossed() -> None:
    region = region_of(sheet("sheet", (100.0, -50.0), (100.0, 15.0)))
    assert any_line_crosses(*ROUND, [region]).value == 1.0
    assert centre_line_crosses(*ROUND, [region]).value == 1.0
    assert all_lines_cross(*ROUND, [region]).value == 0.0
    assert all_lines_cross(*ROUND, [region_of(sheet("sheet", (100.0, -50.0), (100.0, 16.001)))]).value == 1.0
    assert any_line_crosses(*ROUND, [region_of(sheet("sheet", (100.0, 16.0), (100.0, 50.0)))]).value == 0.0


def test_what_lies_under_a_base_is_crossed_by_some_lines_and_leaves_others() -> None:
    under = wall(-5, -5, 5, 5)
    assert any_line_crosses(*ROUND, [under]).value == 1.0
    assert all_lines_cross(*ROUND, [under]).value == 0.0
    assert facing_lines_cross(*ROUND, [under]).value == 0.0
    # Half of the base covered, that towards the target: lines begin at what is left of it, at its sides.
    assert all_lines_cross(*ROUND, [wall(0, -10, 20, 10)]).value == 0.0
    assert all_lines_cross(*ROUND, [wall(0, -17, 20, 17)]).value == 1.0


def test_a_base_inside_a_region_has_no_free_line() -> None:
    ruin = wall(-40, -40, 40, 40)
    for ask in (any_line_crosses, all_lines_cross, centre_line_crosses, facing_lines_cross):
        assert ask(*ROUND, [ruin]).value == 1.0, ask
        assert ask(*reversed(ROUND), [ruin]).value == 1.0, ask


def test_a_courtyard_is_free_inside() -> None:
    yard = Region("yard", shapely.box(-60, -60, 260, 60).difference(shapely.box(-50, -50, 250, 50)))
    assert any_line_crosses(*ROUND, [yard]).value == 0.0
    narrow = Region("yard", shapely.box(-4, -30, 204, 30).difference(shapely.box(4, -20, 196, 20)))
    assert all_lines_cross(*ROUND, [narrow]).value == 0.0, "from within the yard, where both bases reach into it"
    closed = Region("yard", shapely.box(17, -30, 183, 30).difference(shapely.box(20, -20, 180, 20)))
    assert all_lines_cross(*ROUND, [closed]).value == 1.0


@pytest.mark.parametrize("x", [0.0, 10.0, 32.0])
def test_bases_that_touch_or_overlap_have_a_free_line(x: float) -> None:
    pair = man("Kal", 0.0, 0.0), man("Vex", x, 0.0)
    region = wall(-50, -50, 50, 50)
    assert all_lines_cross(*pair, [region]).value == 0.0
    assert facing_lines_cross(*pair, [region]).value == 0.0
    assert any_line_crosses(*pair, [region]).value == 1.0


@pytest.mark.parametrize("edge, expected", [(-JUST, 0.0), (JUST, 1.0)])
def test_facing_lines_are_free_where_the_outer_tangent_is(edge: float, expected: float) -> None:
    # Between squares with sides in one line, from the upper corner of one all of the other is seen over a wall up to
    # the line between that corner and the other's lowest facing corner: y = 10 at x = 10, -10 at x = 190.
    top = 10.0 - 20.0 * (100.0 - 10.0) / 180.0
    assert facing_lines_cross(*SQUARE, [Region("post", shapely.box(99.0, -50.0, 100.0, top + edge))]).value == expected


def test_facing_lines_cross_what_the_target_stands_in_the_middle_of() -> None:
    for low, expected in ((186.0, 1.0), (201.0, 0.0)):
        assert facing_lines_cross(*ROUND, [wall(low, -50, low + 6, 50)]).value == expected


def polygon(draw: Any, number: int) -> Region:
    """A convex piece of terrain somewhere between two models 200 mm apart."""
    middle = np.array([draw(st.floats(-20.0, 220.0)), draw(st.floats(-45.0, 45.0))])
    angles = np.sort(draw(st.lists(st.floats(0.0, 6.28), min_size=3, max_size=6, unique=True)))
    size = draw(st.floats(4.0, 30.0))
    ring = shapely.convex_hull(shapely.multipoints(middle + size * np.column_stack([np.cos(angles), np.sin(angles)])))
    return Region(f"terrain {number}", ring if ring.area > 1.0 else shapely.Point(middle).buffer(size, quad_segs=2))


@st.composite
def tables(draw: Any) -> tuple[Any, Any, list[Region]]:
    """Two models and up to six pieces of terrain."""
    turn, size = draw(st.floats(0.0, 90.0)), draw(st.floats(15.0, 60.0))
    attacker = draw(st.sampled_from([man("Kal", 0.0, 0.0, size), square_man("Kal", 0.0, 0.0, size, turn)]))
    target = draw(st.sampled_from([man("Vex", 200.0, 10.0), square_man("Vex", 200.0, 10.0, 25.0, turn)]))
    return attacker, target, [polygon(draw, number) for number in range(draw(st.integers(0, 6)))]


def rings_of(regions: list[Region]) -> list[Any]:
    return [shapely.get_coordinates(region.shape.normalize().reverse())[:-1] for region in regions]


@pytest.mark.long
@settings(max_examples=40)
@given(tables())
def test_sampled_lines_never_say_otherwise(table: Any) -> None:
    attacker, target, regions = table
    shrunk, _, _ = sampled(attacker.base_outline, target.base_outline, rings_of(regions), 1e-3)
    grown, _, _ = sampled(attacker.base_outline, target.base_outline, rings_of(regions), -1e-3)
    assert any_line_crosses(attacker, target, regions).value >= shrunk.any()
    assert all_lines_cross(attacker, target, regions).value <= grown.all()
    assert facing_lines_cross(attacker, target, regions).value <= grown.any(axis=1).all()
    facing = facing_lines_cross(attacker, target, regions)
    if not facing.value:
        base = shapely.Polygon(target.base_outline)
        fan = shapely.union(shapely.Point(facing.lines[0, 0, :2]), base).convex_hull.difference(base)
        for region in regions:
            assert region.shape.intersection(fan).area < 1e-2
    free = all_lines_cross(attacker, target, regions)
    if not free.value:
        for region in regions:
            assert not len(crossings(free.lines[0, :, :2], region.shape))
    crossed = any_line_crosses(attacker, target, regions)
    if crossed.value:
        (line,) = crossed.lines[..., :2]
        named = next(region for region in regions if region.name == crossed.by[0])
        assert named.shape.buffer(1e-5).intersects(shapely.LineString(line))
        for end, piece in zip(line, (attacker, target), strict=True):
            assert shapely.Polygon(piece.base_outline).buffer(0.01).contains(shapely.Point(end))


@pytest.mark.long
@settings(max_examples=30)
@given(tables())
def test_sampling_finds_what_is_there_with_room(table: Any) -> None:
    attacker, target, regions = table
    # With terrain smaller by 2 mm, lines lie near enough to each other to find whatever there is.
    larger = [Region(region.name, region.shape.buffer(2.0, join_style="mitre")) for region in regions]
    hit, _, _ = sampled(attacker.base_outline, target.base_outline, rings_of(regions), 1e-3)
    if not all_lines_cross(attacker, target, larger).value:
        assert not hit.all()
    if not facing_lines_cross(attacker, target, larger).value:
        near, _, _ = sampled(attacker.base_outline, target.base_outline, rings_of(without(regions, target)), 1e-3, 80)
        assert not near.any(axis=1).all()


def without(regions: list[Region], target: Any) -> list[Region]:
    """The regions that lie clear of the target's base."""
    base = shapely.Polygon(target.base_outline)
    return [region for region in regions if not region.shape.intersects(base)]


@pytest.mark.long
@settings(max_examples=20)
@given(tables(), st.floats(-500.0, 500.0), st.floats(0.0, 360.0))
def test_moving_everything_together_and_swapping_both_changes_nothing(table: Any, by: float, turn: float) -> None:
    attacker, target, regions = table
    pose = Pose.standing((by, -by / 3.0, 0.0), turn)

    def moved(piece: Any) -> Any:
        return replace(
            piece, pose=Pose(pose.rotation @ piece.pose.rotation, pose.place(piece.pose.translation[None])[0])
        )

    def shifted(region: Region) -> Region:
        return Region(
            region.name, shapely.transform(region.shape, lambda p: p @ pose.rotation[:2, :2].T + pose.translation[:2])
        )

    there = moved(attacker), moved(target), [shifted(region) for region in regions]
    for ask in (any_line_crosses, all_lines_cross, centre_line_crosses, facing_lines_cross):
        assert ask(*there).value == ask(attacker, target, regions).value, ask
    for ask in (any_line_crosses, all_lines_cross, centre_line_crosses):
        assert ask(target, attacker, regions).value == ask(attacker, target, regions).value, ask


@pytest.mark.long
@settings(max_examples=20)
@given(tables())
def test_more_terrain_frees_no_line(table: Any) -> None:
    attacker, target, regions = table
    for ask in (any_line_crosses, all_lines_cross, centre_line_crosses, facing_lines_cross):
        values = [ask(attacker, target, regions[:count]).value for count in range(len(regions) + 1)]
        assert values == sorted(values), ask
    order = [ask(attacker, target, regions).value for ask in (all_lines_cross, facing_lines_cross, any_line_crosses)]
    assert order == sorted(order), "what all lines cross, some line to each facing point crosses, and so does any"


@pytest.mark.parametrize("speck", [1e-196, -5e-324, 1e-160])
def test_coordinates_of_next_to_nothing_are_nothing(speck: float) -> None:
    pairs = (man("Kal", speck, 0.0), man("Vex", 200.0, 10.0)), (square_man("Kal", 0.0, speck), man("Vex", 200.0, 0.0))
    corners = [(-3.746, -1.403), (4.0, speck), (4.0, 0.0), (-2.615, -3.027)]
    for pair in pairs:
        for region in (
            Region("speck", shapely.Polygon(corners)),
            region_of(block("block", (90.0, speck), (110.0, 5.0))),
        ):
            for ask in (any_line_crosses, all_lines_cross, centre_line_crosses, facing_lines_cross):
                assert ask(*pair, [region]).value in (0.0, 1.0)


def test_a_turned_block_is_crossed_where_it_lies() -> None:
    region = region_of(block("block", (90.0, -5.0), (110.0, 5.0), turn=90.0))
    assert any_line_crosses(*ROUND, [region]).value == 0.0
    assert any_line_crosses(man("Kal", 0.0, 0.0), man("Vex", 0.0, 200.0), [region]).value == 1.0
