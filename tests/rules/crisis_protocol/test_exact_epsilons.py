"""Crisis Protocol: lengths that differ by exactly the epsilon, in numbers that floating point does not round."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from silhouette.relations.free_lines import SAFETY, LineCells, Strip, _direct, _may_be_between, _Problem
from silhouette.relations.plane_geometry import (
    NO_AREA_SHARE,
    DirectedLines,
    Outlines,
    PlaneDisc,
    Supports,
    fault_in,
    lines_touching,
)
from silhouette.rules.crisis_protocol.judge import evidence_for
from silhouette.rules.crisis_protocol.scene import Character
from tests.support.crisis_protocol_tables import box, load, scene, wall

EPS = 2.0**-20
"""mm; an epsilon that is exact beside lengths of some hundred mm."""

MORE = 2.0**-21
"""mm; exact as well."""


@pytest.mark.parametrize("beyond, within", [(EPS, True), (EPS + MORE, False)])
def test_r10_r13_a_length_exactly_the_epsilon_beyond_a_range_is_within_it(beyond: float, within: bool) -> None:
    table = load(scene(wall(2)))
    attacker, target = (piece for piece in table.characters if isinstance(piece, Character))
    evidence = replace(evidence_for(table, attacker, target), epsilon=EPS)
    assert replace(evidence, distance=120.0 + beyond).too_close is within
    assert replace(evidence, apart=np.array([60.0 + beyond])).within_one.tolist() == [within]


@pytest.mark.parametrize("gap, touch", [(EPS, True), (EPS + MORE, False)])
def test_bases_exactly_the_epsilon_apart_touch(gap: float, touch: bool) -> None:
    source = PlaneDisc((0.0, 0.0), 2.0)
    assert (_direct(source, PlaneDisc((5.0 + gap, 0.0), 3.0), EPS)[1] is not None) is touch
    assert (_direct(source, Outlines.of([box(2.0 + gap, -1.0, 9.0, 1.0)]), EPS)[1] is not None) is touch


@pytest.mark.parametrize("beside, meets", [(EPS, True), (EPS + MORE, False)])
def test_a_line_exactly_the_epsilon_beside_a_base_touches_it(beside: float, meets: bool) -> None:
    problem = _Problem(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0), Outlines.of([box(9, 0, 10, 1)]), EPS)
    line = DirectedLines(np.array([[0.0, 1.0]]), np.array([2.0 + beside]))
    assert np.isfinite(np.concatenate(problem.spans(line))).all() == meets


def test_a_line_that_leaves_the_source_exactly_where_it_meets_the_target_has_a_length_of_nothing() -> None:
    problem = _Problem(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((4.0, 0.0), 2.0), Outlines.of([box(9, 0, 10, 1)]), EPS)
    start, end = problem.spans(DirectedLines(np.array([[0.0, 1.0]]), np.zeros(1)))
    assert start.tolist() == end.tolist()
    assert abs(start[0]) == 2.0


@pytest.mark.parametrize("left, blocked", [(2.0, False), (2.0 - MORE, False), (2.0 + 2.0 * EPS, True)])
def test_what_a_line_crosses_before_it_leaves_the_source_is_not_in_its_way(left: float, blocked: bool) -> None:
    """The edge of the post crosses the line at ``left``; the post reaches back into the source."""
    post = Outlines.of([[[-1.0, -1.0], [left, -1.0], [left, 1.0], [-1.0, 1.0]]])
    problem = _Problem(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0), post, 0.0)
    assert problem.blocked(DirectedLines(np.array([[0.0, 1.0]]), np.zeros(1))).any() == blocked


@pytest.mark.parametrize("right, blocked", [(18.0, False), (18.0 + MORE, False), (18.0 - 2.0 * EPS, True)])
def test_what_a_line_crosses_after_it_meets_the_target_is_not_in_its_way(right: float, blocked: bool) -> None:
    """The edge of the post crosses the line at ``right``; the post reaches on into the target."""
    post = Outlines.of([[[right, -1.0], [21.0, -1.0], [21.0, 1.0], [right, 1.0]]])
    problem = _Problem(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0), post, 0.0)
    assert problem.blocked(DirectedLines(np.array([[0.0, 1.0]]), np.zeros(1))).any() == blocked


@pytest.mark.parametrize("beyond, may_be", [(EPS, True), (EPS + MORE, False)])
def test_what_stands_exactly_the_epsilon_beside_the_way_may_be_between(beyond: float, may_be: bool) -> None:
    posts = [
        box(9, 2 + beyond, 10, 9),
        box(9, -9, 10, -2 - beyond),
        box(22 + beyond, 0, 30, 1),
        box(-9, 0, -2 - beyond, 1),
    ]
    near, far = PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((20.0, 0.0), 2.0)
    flags = _may_be_between(near, far, Outlines.of(posts), np.array([1.0, 0.0]), EPS)
    assert flags.tolist() == [may_be] * 4


@pytest.mark.parametrize("beside, meets", [(EPS, True), (EPS + MORE, False)])
def test_a_line_exactly_the_epsilon_beside_the_corner_of_an_outline_touches_it(beside: float, meets: bool) -> None:
    target = Outlines.of([[[10.0, 2.0 + beside], [14.0, 6.0], [10.0, 9.0]]])
    problem = _Problem(PlaneDisc((0.0, 0.0), 2.0), target, target, EPS)
    assert np.isfinite(problem.spans(DirectedLines(np.array([[0.0, 1.0]]), np.array([2.0])))[1]).all() == meets


def test_an_outline_that_begins_exactly_where_a_line_leaves_the_source_is_met_there() -> None:
    target = Outlines.of([box(2.0, -1.0, 9.0, 1.0)])
    problem = _Problem(PlaneDisc((0.0, 0.0), 2.0), target, target, EPS)
    start, end = problem.spans(DirectedLines(np.array([[0.0, 1.0]]), np.zeros(1)))
    assert start.tolist() == end.tolist() == [2.0 * np.sign(start[0])]


@pytest.mark.parametrize("apart, lines", [(EPS, 0), (EPS + MORE, 2)])
def test_points_exactly_the_epsilon_apart_have_no_line_through_both(apart: float, lines: int) -> None:
    points, reach = np.array([[0.0, 0.0], [apart, 0.0]]), np.zeros(2)
    supports = Supports(points, reach, points, points, np.ones(2, dtype=bool))
    assert len(lines_touching(supports, np.array([0]), np.array([1]), EPS)[1]) == lines


@pytest.mark.parametrize("short, touches", [(EPS, True), (EPS + MORE, False)])
def test_a_disc_that_lies_in_another_but_for_exactly_the_epsilon_has_a_line_that_touches_both(
    short: float, touches: bool
) -> None:
    points, reach = np.array([[0.0, 0.0], [3.0, 0.0]]), np.array([5.0, 2.0 - short])
    supports = Supports(points, reach, points, points, np.ones(2, dtype=bool))
    assert (len(lines_touching(supports, np.array([0]), np.array([1]), EPS)[1]) > 0) is touches


def test_a_ring_of_exactly_the_least_area_has_none() -> None:
    """A triangle of base 1 and height h has the area h / 2, and the extent 1."""
    height = 2.0 * NO_AREA_SHARE
    assert fault_in([[0, 0], [1, 0], [1, height]]) == "have an area, but its corners lie on one line"
    assert fault_in([[0, 0], [1, 0], [1, np.nextafter(height, 1.0)]]) is None


def test_a_point_exactly_as_far_from_a_cell_as_a_line_may_be_off_is_not_surely_beside_it() -> None:
    strip = Strip(np.eye(2), 2.0, 16.0, -2.0, 4.0, EPS)
    cells = LineCells(strip, 1, np.zeros((1, 2), dtype=np.intp))
    for beyond, surely in ((EPS, False), (EPS + MORE, True)):
        below, above = cells.sides_of(np.array([[10.0, 2.0 + beyond], [10.0, -2.0 - beyond]]))
        assert (below[0, 0], above[0, 1]) == (surely, surely)


def test_a_strip_as_long_as_a_line_may_be_off_is_one() -> None:
    """Its length is what is left between the bases, less ten epsilons at each of them."""
    found = [
        Strip.between(PlaneDisc((0.0, 0.0), EPS), PlaneDisc((apart, 0.0), EPS), np.array([1.0, 0.0]), EPS) is not None
        for apart in (2.0 * EPS * (1.0 + SAFETY), 2.0 * EPS * (1.0 + SAFETY) + EPS, 100.0 * EPS)
    ]
    assert found == [False, False, True]
