"""Crisis Protocol: the plan geometry by itself, on shapes of which the answer is known."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from silhouette.common.geometry import Floats
from silhouette.relations.free_lines import SAFETY, Strip, _may_be_between, find_free_line
from silhouette.relations.plane_geometry import Outlines, PlaneDisc, doubled_area, fault_in, supports_of
from tests.support.crisis_protocol_tables import box, scene, verdict

TURNS = (0.0, 20.0, 75.0, 140.0, 200.0, 263.0, 310.0)


def turned(corners: object, degrees: float) -> Floats:
    """Corners (n, 2) turned about a point that is none of them, so that no coordinate keeps its sign by chance."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    found: Floats = (np.asarray(corners, dtype=np.float64) - [7.0, 3.0]) @ turn + [7.0, 3.0]
    return found


@pytest.mark.parametrize("size", [1e-6, 0.3, 1e6])
def test_corners_go_anticlockwise_whatever_their_direction_and_size(size: float) -> None:
    clockwise = np.array(box(0.0, 0.0, size, size))[::-1]
    for ring in (clockwise, clockwise[::-1]):
        assert doubled_area(Outlines.of([ring]).corners) == pytest.approx(2.0 * size**2)


@pytest.mark.parametrize("degrees", TURNS)
def test_the_inner_corner_of_an_angle_piece_is_not_convex(degrees: float) -> None:
    angle_piece = [[0, 0], [9, 0], [9, 2], [2, 2], [2, 9], [0, 9]]
    assert Outlines.of([turned(angle_piece, degrees)]).convex.tolist() == [True, True, True, False, True, True]


def test_two_corners_again_and_again_are_too_few() -> None:
    assert fault_in([[0, 0], [4, 3], [0, 0], [4, 3]]) == "have three corners or more"


@pytest.mark.parametrize("degrees", TURNS)
def test_outlines_that_cross_the_target_do_so_where_shapely_says(degrees: float) -> None:
    target, bar = turned(box(100, -20, 140, 20), degrees), turned([[60, -3], [121, -9], [130, 8], [66, 11]], degrees)
    points = supports_of(PlaneDisc((7.0, 3.0), 5.0), Outlines.of([target]), Outlines.of([bar]), 1e-8).points
    crossings = shapely.intersection(shapely.LinearRing(target), shapely.LinearRing(bar))
    expected = shapely.get_coordinates(crossings)
    assert len(expected) == 2
    for crossing in expected:
        assert np.hypot(*(points - crossing).T).min() < 1e-9


def test_a_strip_ends_short_of_both_bases_by_more_than_rounding() -> None:
    strip = Strip.between(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0), np.array([1.0, 0.0]), 1e-3)
    assert strip is not None
    assert (strip.start, strip.length) == pytest.approx((2.0 + SAFETY * 1e-3, 16.0 - 2.0 * SAFETY * 1e-3), abs=1e-12)


def test_the_height_that_rounding_may_move_a_line_by_grows_with_the_height_of_the_strip() -> None:
    strip = Strip.between(PlaneDisc((0.0, 0.0), 30.0), PlaneDisc((100.0, 0.0), 2.0), np.array([1.0, 0.0]), 1e-3)
    assert strip is not None
    assert strip.sure == pytest.approx(SAFETY * 1e-3 * np.hypot(1.0, strip.height / strip.length), rel=1e-12)


@pytest.mark.parametrize("apart", [0.0, 3.0, 4.0, 4.000001])
def test_no_strip_is_left_between_bases_that_overlap_or_nearly_touch(apart: float) -> None:
    assert Strip.between(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((apart, 0.0), 2.0), np.array([1.0, 0.0]), 1e-3) is None


@pytest.mark.parametrize("degrees", TURNS)
def test_of_polygons_in_and_beside_a_strip_the_parts_inside_are_left(degrees: float) -> None:
    """The strip between the bases goes from x = 2 to x = 18, but for a little."""
    rings = [
        box(5, 1, 8, 4),
        box(-9, -5, 1, 5),
        box(0, -3, 4, -1),
        box(16, 0, 30, 1),
        box(19, -4, 25, 4),
        box(0, 5, 30, 6),
    ]
    towards = turned([[8.0, 3.0]], degrees)[0] - [7.0, 3.0]
    moved = [np.asarray(ring, dtype=np.float64) @ np.stack([towards, [-towards[1], towards[0]]]) for ring in rings]
    far = PlaneDisc((20.0 * towards[0], 20.0 * towards[1]), 2.0)
    strip = Strip.between(PlaneDisc((0.0, 0.0), 2.0), far, towards, 1e-6)
    assert strip is not None
    corners, starts = strip.inside(Outlines.of(moved))
    parts = np.split(corners, starts[1:])
    found = sorted(np.concatenate([part.min(axis=0), part.max(axis=0)]).round(3).tolist() for part in parts)
    assert found == [[2.0, -3.0, 4.0, -1.0], [2.0, 5.0, 18.0, 6.0], [5.0, 1.0, 8.0, 4.0], [16.0, 0.0, 18.0, 1.0]]
    assert all(len(part) >= 4 for part in parts)


@pytest.mark.parametrize("degrees", TURNS)
def test_only_what_reaches_into_the_way_may_be_between(degrees: float) -> None:
    """The way is 100 mm long and 10 mm wide; two posts reach into it, the others stand 1 mm beside and beyond it."""
    posts = [box(45, 4, 55, 9), box(-9, -3, 4, 0), box(45, 6, 55, 9), box(45, -9, 55, -6), box(106, -2, 110, 2)]
    towards = turned([[8.0, 3.0]], degrees)[0] - [7.0, 3.0]
    moved = [np.asarray(post) @ np.stack([towards, [-towards[1], towards[0]]]) for post in posts]
    far = PlaneDisc((100.0 * towards[0], 100.0 * towards[1]), 5.0)
    flags = _may_be_between(PlaneDisc((0.0, 0.0), 5.0), far, Outlines.of(moved), towards, 1e-8)
    assert flags.tolist() == [True, True, False, False, False]


@pytest.mark.parametrize("radii", [(2.0, 3.0), (3.0, 2.0), (2.0, 9.0), (9.0, 2.0), (2.0, 2.0)])
@pytest.mark.parametrize("apart", [0.0, 1.0, 3.5, 4.0])
def test_the_line_between_bases_that_overlap_is_a_point_of_both(radii: tuple[float, float], apart: float) -> None:
    source, target = PlaneDisc((0.0, 0.0), radii[0]), PlaneDisc((0.6 * apart, 0.8 * apart), radii[1])
    line = find_free_line(source, target, Outlines.of([]), 1e-8).line
    assert line is not None
    assert line[0].tolist() == line[1].tolist()
    for disc in (source, target):
        assert np.hypot(*(line[0] - disc.centre)) <= disc.radius + 1e-9


def test_terrain_around_both_bases_is_in_the_way_though_it_has_a_bay_beyond_them() -> None:
    """A line from left to right leaves the terrain, enters it again behind the bay, and leaves it."""
    around = [[-50, -50], [80, -50], [80, -40], [50, -40], [50, 40], [80, 40], [80, 50], [-50, 50]]
    comb = [[-50, -50], [90, -50], [90, 50], [80, 50], [80, -40], [50, -40], [50, 50], [-50, 50]]
    for ring in (around, comb):
        found = find_free_line(PlaneDisc((0.0, 0.0), 5.0), PlaneDisc((30.0, 0.0), 5.0), Outlines.of([ring]), 1e-8)
        assert found.line is None
        assert found.alone.tolist() == [True]


@pytest.mark.parametrize("middle", [-8.0, -3.0, 0.0, 5.0, 8.5])
def test_the_line_shown_through_a_gap_touches_neither_side(middle: float) -> None:
    """The gap is 2 mm wide, in a wall 1 mm thick half way between two bases."""
    walls = [box(49.5, -40, 50.5, middle - 1), box(49.5, middle + 1, 50.5, 40)]
    line = find_free_line(PlaneDisc((0.0, 0.0), 10.0), PlaneDisc((100.0, 0.0), 10.0), Outlines.of(walls), 1e-8).line
    assert line is not None
    assert shapely.distance(shapely.LineString(line), shapely.MultiPolygon(map(shapely.Polygon, walls))) > 0.5


def test_a3_names_only_the_terrain_that_would_give_cover_else() -> None:
    """Of three pieces only the roof, the last, is near enough and large enough; A stands on it."""
    roof = {"name": "roof", "size": 2, "polygon": box(-30, -30, 200, 30)}
    low = {"name": "low", "size": 1, "polygon": box(205, -9, 210, 9)}
    far = {"name": "far", "size": 2, "polygon": box(60, -9, 65, 9)}
    found = verdict(scene(far, low, roof, a={"on": "roof"}, readings={"attacker_terrain_gives_cover": False}))
    assert (found.verdict, found.rule.number) == ("open", "A3")
    assert "; the roof gives no cover against who stands on it: open" in found.reason
