"""Crisis Protocol: every comparison of the rules with a case exactly on its threshold, and one on either side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from silhouette.relations.free_lines import (
    AT_A_MISSED_END,
    AT_AN_END,
    MAX_CELLS_ACROSS,
    MIN_CELL_HEIGHT_RATIO,
    SAME_LINE,
    LineCells,
    Strip,
    _may_be_between,
    _Problem,
    find_free_line,
    remaining_cells,
)
from silhouette.relations.plane_geometry import (
    EPSILON_SHARE,
    LEFT_SIDE,
    RIGHT_SIDE,
    DirectedLines,
    Outlines,
    PlaneDisc,
    Supports,
    crossed,
    disc_distance,
    doubled_area,
    epsilon_of,
    fault_in,
    lines_touching,
    outline_distances,
    supports_of,
)
from tests.support.crisis_protocol_tables import box, scene, verdict, wall

ON, OVER = 0.0, 1e-6
"""mm; exactly on a threshold, and a length past it that is far above rounding."""


@pytest.mark.parametrize("size, verdict_of_it", [(1, "open"), (2, "open"), (3, "hidden")])
def test_r4_terrain_obstructs_from_one_size_above_the_target(size: int, verdict_of_it: str) -> None:
    found = verdict(scene(wall(size, left=100, right=110)))
    assert found.verdict == verdict_of_it
    assert found.line_of_sight is (verdict_of_it != "hidden")


@pytest.mark.parametrize("size, sees", [(4, True), (5, True), (6, False)])
def test_r6_the_size_of_what_the_target_stands_on_is_added(size: int, sees: bool) -> None:
    platform = {"name": "platform", "size": 3, "polygon": box(215, -30, 265, 30)}
    found = verdict(scene(wall(size, left=100, right=110), platform, b={"on": "platform"}))
    assert (found.line_of_sight, found.target_size) == (sees, 5)


@pytest.mark.parametrize("size, cover", [(1, False), (2, True), (3, True)])
def test_r11_terrain_gives_cover_from_the_size_of_the_target_itself(size: int, cover: bool) -> None:
    assert verdict(scene(wall(size))).cover is cover
    platform = {"name": "platform", "size": 3, "polygon": box(215, -30, 265, 30)}
    on_it = verdict(scene(wall(size), {**platform, "size": 1}, b={"on": "platform"}))
    assert on_it.cover is cover, "what the target stands on does not count for cover (A2)"


@pytest.mark.parametrize("short_of, cover", [(OVER, True), (ON, True), (-OVER, False)])
def test_r10_exactly_range_1_is_within_it(short_of: float, cover: bool) -> None:
    """The wall's near side is 60 mm, the length of range 1, from B's base."""
    right = 240 - 17.5 - 60 + short_of
    assert verdict(scene(wall(2, left=right - 5, right=right))).cover is cover


@pytest.mark.parametrize("beyond, cover", [(-OVER, False), (ON, False), (OVER, True)])
def test_r13_exactly_range_2_is_too_close_for_cover(beyond: float, cover: bool) -> None:
    """The bases are 120 mm apart, the length of range 2."""
    document = scene(wall(2, left=100, right=110), b={"at": [155 + beyond, 0]})
    found = verdict(document)
    assert found.cover is cover
    assert found.distance == pytest.approx(120 + beyond, abs=1e-9)


@pytest.mark.parametrize("into, cover", [(-OVER, False), (ON, False), (OVER, True)])
def test_r12_a4_terrain_that_only_touches_the_outermost_line_gives_no_cover(into: float, cover: bool) -> None:
    """The lines between the two bases fill the band up to 17.5 mm from the axis."""
    post = {"name": "post", "size": 2, "polygon": box(190, 17.5 - into, 200, 60)}
    assert verdict(scene(post)).cover is cover


@pytest.mark.parametrize("into, sees", [(-OVER, True), (ON, True), (OVER, False)])
def test_a4_a_line_that_only_touches_is_free_and_the_last_free_line_goes(into: float, sees: bool) -> None:
    """One wall from below reaches up to the uppermost line that there is."""
    tall = {"name": "tall", "size": 5, "polygon": box(110, -90, 120, 17.5 + into)}
    assert verdict(scene(tall)).line_of_sight is sees


@pytest.mark.parametrize("gap, sees", [(-OVER, False), (ON, False), (OVER, True)])
def test_a4_two_pieces_that_touch_leave_no_gap(gap: float, sees: bool) -> None:
    below = {"name": "below", "size": 5, "polygon": box(110, -90, 120, 0)}
    above = {"name": "above", "size": 5, "polygon": box(110, gap, 120, 90)}
    assert verdict(scene(below, above)).line_of_sight is sees


@pytest.mark.parametrize("gap, distance", [(-1.0, 0.0), (0.0, 0.0), (1.0, 1.0)])
def test_distances_are_nothing_from_the_touch_on(gap: float, distance: float) -> None:
    assert disc_distance(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((5.0 + gap, 0.0), 3.0)) == distance
    square = Outlines.of([box(2.0 + gap, -1.0, 9.0, 1.0)])
    assert outline_distances(PlaneDisc((0.0, 0.0), 2.0), square).tolist() == [distance]


@pytest.mark.parametrize("epsilons, passes", [(0.5, False), (2.0, True)])
def test_what_reaches_in_by_less_than_an_epsilon_touches(epsilons: float, passes: bool) -> None:
    one, other = PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((9.0, 0.0), 2.0)
    epsilon = epsilon_of(one.bounds, other.bounds)
    assert epsilon == pytest.approx(EPSILON_SHARE * (13.0 + 4.0), rel=1e-3)
    post = Outlines.of([box(4.0, 2.0 - epsilons * epsilon, 5.0, 9.0)])
    assert crossed(one, other, post, epsilon).tolist() == [passes]


def test_a_polygon_has_an_area_from_a_small_share_of_its_extent_on() -> None:
    assert fault_in([[0, 0], [1, 0], [1, 1e-13]]) == "have an area, but its corners lie on one line"
    assert fault_in([[0, 0], [1, 0], [1, 1e-11]]) is None
    assert fault_in([[0, 0], [1000, 0], [1000, 1e-10]]) == "have an area, but its corners lie on one line"
    assert fault_in([[0, 0], [1000, 0], [1000, 1e-8]]) is None
    assert fault_in(np.array([[0, 0], [1, 0]])) == "have three corners or more"


@pytest.mark.parametrize("short_of, crosses", [(-OVER, False), (ON, True), (OVER, True)])
def test_a_line_can_touch_where_an_outline_crosses_or_just_reaches_the_outline_of_the_target(
    short_of: float, crosses: bool
) -> None:
    """A bar from the left reaches the near side of the target, at x = 100, into it, or stops short of it."""
    target = Outlines.of([box(100, -20, 140, 20)])
    bar = Outlines.of([box(50, -4, 100 + short_of, 4)])
    points = supports_of(PlaneDisc((0.0, 0.0), 17.5), target, bar, 1e-8).points
    for y in (-4.0, 4.0):
        assert (np.abs(points - [100.0, y]).max(axis=1) < 1e-9).any() == crosses


def test_a_line_can_touch_only_what_lies_on_both_outlines() -> None:
    """The bar's long sides, drawn on, would meet the target's side; the bar stands aside of it."""
    target = Outlines.of([box(100, -20, 140, 20)])
    for aside in (box(50, 24, 120, 32), box(50, -32, 120, -24)):
        points = supports_of(PlaneDisc((0.0, 0.0), 17.5), target, Outlines.of([aside]), 1e-8).points
        on_both = np.isclose(points[:, 0], 100.0) & (np.abs(points[:, 1]) > 20.5)
        assert not on_both.any()


def test_r14_terrain_that_gives_cover_is_told_from_the_nearest_on_whatever_its_name_and_place() -> None:
    walls = [wall(2, left, left + 2, name) for name, left in (("m", 180), ("a", 170), ("z", 190), ("b", 200))]
    assert list(verdict(scene(*walls)).cover_from) == ["b", "z", "m", "a"]
    assert list(verdict(scene(*walls[::-1])).cover_from) == ["b", "z", "m", "a"]


@pytest.mark.parametrize("left, right", [(9.0, 10.0), (9.0, 30.0), (-9.0, 10.0), (-9.0, 30.0)])
def test_what_reaches_past_an_end_of_the_strip_leaves_no_cells_either(left: float, right: float) -> None:
    """A wall across the whole way between two bases; the strip between them goes from x = 2 to x = 18."""
    near, far = PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0)
    for bottom, is_free in ((-9.0, False), (0.0, True)):
        walls = Outlines.of([box(left, bottom, right, 9.0)])
        cells = remaining_cells(near, far, walls, np.array([1.0, 0.0]), 1e-8)
        assert cells is not None
        assert (len(cells.cells) > 0) is is_free


@pytest.mark.parametrize("times, surely", [(0.5, False), (2.0, True)])
def test_a_point_closer_to_a_cell_than_rounding_is_not_surely_beside_it(times: float, surely: bool) -> None:
    """The one cell of the square holds every line from its bottom to its top."""
    strip = Strip.between(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0), np.array([1.0, 0.0]), 1e-8)
    assert strip is not None
    beyond = times * strip.sure
    points = np.array([[10.0, strip.bottom + strip.height + beyond], [10.0, strip.bottom - beyond]])
    below, above = LineCells(strip, 1, np.zeros((1, 2), dtype=np.intp)).sides_of(points)
    assert (below[0, 0], above[0, 1]) == (surely, surely)


@pytest.mark.parametrize("size, verdict_of_it", [(2, "cover"), (3, "hidden")])
def test_r4_terrain_around_both_bases_obstructs_every_line(size: int, verdict_of_it: str) -> None:
    """No line between the bases crosses its outline: all of them lie within."""
    around = {"name": "around", "size": size, "polygon": box(-300, -300, 600, 300)}
    assert verdict(scene(around)).verdict == verdict_of_it


def test_an_area_is_exact_far_from_the_origin() -> None:
    for far in (0.0, 1e9, -1e9):
        assert doubled_area(np.array(box(far, far, far + 1.0, far + 3.0))) == 6.0


@pytest.mark.parametrize("beyond, allowed", [(0.5, True), (1.0, True), (1.5, False)])
def test_a_corner_is_cut_off_only_by_more_than_the_epsilon(beyond: float, allowed: bool) -> None:
    """The line runs along y = 0; of the corner's neighbours one lies at y = -1, the other above by some epsilons."""
    epsilon = 2.0**-20
    line = DirectedLines(np.array([[0.0, 1.0]]), np.zeros(1))
    for sign, convex in ((1.0, True), (-1.0, True), (1.0, False), (-1.0, False)):
        before, after = np.array([[-5.0, -sign]]), np.array([[5.0, sign * beyond * epsilon]])
        support = Supports(np.zeros((1, 2)), np.zeros(1), before, after, np.array([convex]))
        found = support.allow(np.zeros(1, dtype=np.intp), line, epsilon)
        assert found.tolist() == [allowed and convex], "at a corner that is not convex no free line can touch"


def test_of_the_lines_that_touch_two_supports_the_left_one_comes_first() -> None:
    """Both start at the left side of one disc; one ends at the left side of the other disc, one at its right side."""
    points, reach = np.array([[0.0, 0.0], [10.0, 0.0]]), np.array([2.0, -2.0])
    supports = Supports(points, reach, points, points, np.ones(2, dtype=bool))
    lines, pair = lines_touching(supports, np.array([0]), np.array([1]), 1e-8)
    assert pair.tolist() == [0, 0]
    assert (np.sign(lines.normals[:, 1]) == [1.0, -1.0]).all()


def test_no_line_touches_a_disc_and_another_that_lies_within_it() -> None:
    points, reach = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([5.0, 1.0])
    supports = Supports(points, reach, points, points, np.ones(2, dtype=bool))
    assert lines_touching(supports, np.array([0]), np.array([1]), 1e-8)[1].tolist() == []


def test_a_shifted_line_ends_where_it_leaves_the_discs_or_where_the_line_did_before_the_shift() -> None:
    """The line touches the tops of both discs: shifted to its left it misses them, to its right it cuts both."""
    epsilon = 2.0**-20
    problem = _Problem(
        PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0), Outlines.of([box(9, 0, 10, 1)]), epsilon
    )
    top = DirectedLines(np.array([[0.0, 1.0]]), np.array([2.0 + epsilon / 2]))
    missed = AT_A_MISSED_END * epsilon
    assert np.ravel(problem._moved_spans(top, LEFT_SIDE)).tolist() == pytest.approx(
        [missed, 20.0 - missed], abs=epsilon / 9
    )
    half = np.sqrt(4.0 - (2.0 - epsilon / 2) ** 2)
    within = half + AT_AN_END * epsilon
    assert np.ravel(problem._moved_spans(top, RIGHT_SIDE)).tolist() == pytest.approx(
        [within, 20 - within], abs=epsilon / 900
    )


def strip_between(radius: float, apart: float) -> Strip:
    strip = Strip.between(PlaneDisc((0.0, 0.0), radius), PlaneDisc((apart, 0.0), radius), np.array([1.0, 0.0]), 1e-8)
    assert strip is not None
    return strip


def lines_at(strip: Strip, heights: Any) -> DirectedLines:
    """The lines with these heights (n, 2) at the two ends of the strip, as shares of its square."""
    low, high = (strip.bottom + strip.height * np.asarray(heights, dtype=np.float64)).T
    normals = np.stack([(low - high) / strip.length, np.ones(len(low))], axis=1)
    normals /= np.hypot(*normals.T)[:, None]
    return DirectedLines(normals, normals @ [strip.start, 0.0] + normals[:, 1] * low)


@pytest.mark.parametrize("cell", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_line_that_rounding_puts_beyond_the_corner_of_a_cell_is_in_it(cell: tuple[int, int]) -> None:
    """The four cells meet in the middle of the square; the line lies in the opposite one, by half of what is sure."""
    strip = strip_between(2.0, 20.0)
    away = np.where(np.array(cell) == 0, 1.0, -1.0) * strip.sure / strip.height
    cells = LineCells(strip, 2, np.array([cell]))
    for shares, found in ((0.5, 0.5), [0]), ((2.0, 2.0), []), ((0.5, 1.5), []), ((1.5, 0.5), []):
        line = lines_at(strip, [0.5 + np.array(shares) * away])
        assert cells.distinct(line.normals, line.offsets).tolist() == found


@pytest.mark.parametrize("epsilon", [8e-3, 1e-2, 3e-2, 5e-2])
def test_cells_are_halved_until_rounding_would_matter_in_them(epsilon: float) -> None:
    """A wall across half of the way leaves cells; they stay higher than some times what a line may be off by."""
    half = Outlines.of([box(40, 0, 60, 30)])
    near, far = PlaneDisc((0.0, 0.0), 20.0), PlaneDisc((100.0, 0.0), 20.0)
    found = remaining_cells(near, far, half, np.array([1.0, 0.0]), epsilon)
    assert found is not None
    assert len(found.cells) > 0
    assert 1 < found.across < MAX_CELLS_ACROSS
    least = MIN_CELL_HEIGHT_RATIO * found.strip.sure
    assert least < found.strip.height / found.across <= 2.0 * least


@pytest.mark.parametrize("radius, apart", [(2.0, 20.0), (100.0, 210.0), (0.1, 1.0)])
def test_no_cell_is_said_to_miss_a_disc_that_one_of_its_lines_meets(radius: float, apart: float) -> None:
    strip = strip_between(radius, apart)
    numbers = np.argwhere(np.ones((64, 64), dtype=bool))
    line = lines_at(strip, (numbers + 0.5) / 64)
    meets = np.abs(line.offsets) <= radius
    missing = LineCells(strip, 64, numbers).missing(PlaneDisc((0.0, 0.0), radius))
    assert meets.any()
    assert missing.any()
    assert not (meets & missing).any()


def test_lines_closer_to_each_other_than_rounding_are_tried_once() -> None:
    strip = Strip.between(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0), np.array([1.0, 0.0]), 1e-8)
    assert strip is not None
    apart = SAME_LINE * strip.sure  # between the two heights at which lines count as different
    offsets = strip.bottom + apart * np.array([1000.0, 1000.25, 1003.0])
    cells = LineCells(strip, 1, np.zeros((1, 2), dtype=np.intp))
    assert cells.distinct(np.array([[0.0, 1.0]] * 3), offsets).tolist() == [0, 2]


def test_what_stands_beside_a_slanting_line_is_not_looked_at() -> None:
    """The line runs 100 mm at a slope of 4 to 3; one post stands on it, the others 50 mm to its sides."""
    posts = Outlines.of([box(x - 2, y - 2, x + 2, y + 2) for x, y in ((30, 40), (-10, 70), (70, 10))])
    flags = _may_be_between(PlaneDisc((0.0, 0.0), 5.0), PlaneDisc((60.0, 80.0), 5.0), posts, np.array([0.6, 0.8]), 1e-8)
    assert flags.tolist() == [True, False, False]


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_line_shown_keeps_away_from_what_it_passes(side: float) -> None:
    """The wall covers the middle; between its end and the outermost line, 2 mm aside, the way is free."""
    ends = sorted((-9.0 * side, 1.0 * side))
    free_line = find_free_line(
        PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0), Outlines.of([box(9, ends[0], 10, ends[1])]), 1e-8
    )
    assert free_line.line is not None
    start, end = free_line.line
    at_the_wall = [float(np.interp(x, [start[0], end[0]], [start[1], end[1]])) for x in (9.0, 10.0)]
    assert min(side * y for y in at_the_wall) > 1.1


@pytest.mark.parametrize("height, has_area", [(1e-12, False), (4e-12, True)])
def test_a_ring_has_an_area_measured_against_its_extent_from_its_first_corner(height: float, has_area: bool) -> None:
    """The first corner is the middle one of three that nearly lie on one line."""
    assert (fault_in([[0, 0], [1, 0], [-1, height]]) is None) is has_area
