"""Ikosa: every comparison of the rules with a case exactly on its threshold, and one on either side."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from silhouette.rules.ikosa.cell_lines import (
    CellBox,
    CellSide,
    Solids,
    _same_type,
    _touch_bounds,
    are_adjacent,
    faces_seen_from,
    holds,
    point_of,
)
from silhouette.rules.ikosa.judge import CornerLines, graded
from tests.rules.ikosa.test_ikosa import verdict_of

LITTLE = Fraction(1, 1000)
"""Of a cell's side: a length past a threshold. Everything is exact, so that any would do."""


@pytest.mark.parametrize("threshold, below, above", [(0, 0, 2), (Fraction(1, 4), 2, 4), (Fraction(3, 4), 4, 8)])
def test_graded_cover_is_worth_more_only_above_a_threshold(threshold: Fraction, below: int, above: int) -> None:
    assert graded(Fraction(threshold)) == below
    assert graded(threshold + LITTLE) == above
    if threshold:
        assert graded(threshold - LITTLE) == below


@pytest.mark.parametrize(
    "blocked, verdict",
    [(0, "no cover"), (1, "cover"), (2, "cover"), (3, "cover"), (4, "no line of effect")],
)
def test_r2_a6_one_hindered_line_is_cover_and_only_all_are_no_line_of_effect(blocked: int, verdict: str) -> None:
    """From one point four lines go to the corners of a face; small boxes stand in the way of some of them."""
    places = [("4.6", y, z) for y in ("0.05", "0.95") for z in ("0.05", "0.95")]
    boxes = [
        [[str(Fraction(at) + step) for at in place] for step in (Fraction(-1, 50), Fraction(1, 50))]
        for place in places[:blocked]
    ]
    found = verdict_of([[0, 0, 0]], [[5, 0, 0]], mode="ranged", point=[1, "1/2", "1/2"], boxes=boxes)
    assert (found.verdict, found.drawn.count, found.drawn.blocked) == (verdict, 4, blocked)
    assert (found.cover, found.line_of_effect) == (blocked > 0, blocked < 4)


@pytest.mark.parametrize(
    ("step", "adjacent"), [((0, 0, 0), False), ((1, 1, 1), True), ((-1, 0, 1), True), ((2, 0, 0), False)]
)
def test_r15_cells_are_adjacent_exactly_one_step_apart(step: tuple[int, int, int], adjacent: bool) -> None:
    assert are_adjacent((4, -2, 7), (4 + step[0], -2 + step[1], 7 + step[2])) is adjacent


@pytest.mark.parametrize("into, hindered", [(-LITTLE, False), (Fraction(0), False), (LITTLE, True)])
@pytest.mark.parametrize("axis", [1, 2])
def test_a2_a_line_along_a_face_is_free_and_one_just_inside_is_not(into: Fraction, hindered: bool, axis: int) -> None:
    box = Solids([CellBox(point_of(1, 0, 0), point_of(2, 1, 1))])
    for at in (0 + into, 1 - into):
        start = [Fraction(0), Fraction(1, 2), Fraction(1, 2)]
        start[axis] = at
        end = [Fraction(3), *start[1:]]
        x, y, z = start
        assert box.crossings([point_of(x, y, z)], [point_of(*end)]).hindered.tolist() == [[hindered]]


@pytest.mark.parametrize("past, hindered", [(-LITTLE, False), (Fraction(0), False), (LITTLE, True)])
def test_a2_a_line_that_ends_at_a_face_does_not_pass_through_it(past: Fraction, hindered: bool) -> None:
    box = Solids([CellBox.of_cell((1, 0, 0))])
    middle = Fraction(1, 2)
    assert box.crossings([point_of(0, middle, middle)], [point_of(1 + past, middle, middle)]).hindered.all() == hindered
    assert box.crossings([point_of(2 - past, middle, middle)], [point_of(3, middle, middle)]).hindered.all() == hindered


@pytest.mark.parametrize("gap, hindered", [(Fraction(0), True), (LITTLE, False)])
def test_a2_a_seam_hinders_and_a_gap_does_not(gap: Fraction, hindered: bool) -> None:
    pair = Solids([CellBox(point_of(1, 0, 0), point_of(2, 1, 1)), CellBox(point_of(1, 1 + gap, 0), point_of(2, 2, 1))])
    half = Fraction(1, 2)
    start, end = point_of(0, 1 + gap / 2, half), point_of(3, 1 + gap / 2, half)
    assert pair.crossings([start], [end]).hindered.tolist() == [[hindered]]


@pytest.mark.parametrize(
    ("low", "high", "supports"),
    [
        ((1 - LITTLE, 0, -1), (2, 1, 0), True),  # under the cell by a sliver
        ((1, 0, -1), (2, 1, 0), False),  # under its edge
        ((1, 1, -1), (2, 2, 0), False),  # under its corner
        ((0, 0, -1), (1, 1, -LITTLE), False),  # a gap below it
        ((0, 0, -1), (1, 1, LITTLE), True),  # reaching up into the cell
        ((0, 0, 0), (1, 1, 1), True),  # filling the cell
        ((0, 0, LITTLE), (1, 1, 1), False),  # inside it, clear of the face
    ],
)
def test_a3_support_takes_contact_over_some_area(low: tuple, high: tuple, supports: bool) -> None:  # type: ignore[type-arg]
    ground = Solids([CellBox(point_of(*low), point_of(*high))])
    assert ground.touch((0, 0, 0), CellSide(2, high=False)) is supports


@pytest.mark.parametrize("x, low, high", [(Fraction(-1, 9), True, False), (0, False, False), (1, False, False)])
def test_a9_a_point_in_a_faces_plane_is_not_beyond_it(x: Fraction, low: bool, high: bool) -> None:
    seen = faces_seen_from(point_of(x, Fraction(1, 2), Fraction(1, 2)), (0, 0, 0))
    assert (CellSide(0, False) in seen, CellSide(0, True) in seen) == (low, high)
    beyond = faces_seen_from(point_of(1 + LITTLE, Fraction(1, 2), Fraction(1, 2)), (0, 0, 0))
    assert beyond == {CellSide(0, True)}


@pytest.mark.parametrize("x, held", [(-LITTLE, False), (0, True), (1, True), (1 + LITTLE, False)])
def test_a_cell_holds_its_surface(x: Fraction, held: bool) -> None:
    assert holds((0, 0, 0), point_of(x, 0, 1)) is held
    assert holds((0, 0, 0), point_of(0, x, 1)) is held
    assert holds((0, 0, 0), point_of(0, 1, x)) is held


@pytest.mark.parametrize("side, hindered", [(-1, True), (0, False), (1, False)])
def test_fractions_of_any_size_are_exact(side: int, hindered: bool) -> None:
    """The line passes a box at a distance that no floating-point number of this size could tell from nothing."""
    third, least = Fraction(1, 3), Fraction(1, 7**40)
    solids = Solids([CellBox(point_of(1, 0, 0), point_of(2, third, 1))])
    y, z = third + side * least, Fraction(1, 2)
    assert solids.crossings([point_of(0, y, z)], [point_of(3, y, z)]).hindered.tolist() == [[hindered]]
    wall = Solids([CellBox(point_of(1, third, 0), point_of(2, 1, 1))])
    assert wall.crossings([point_of(0, y, z)], [point_of(3, y, z)]).hindered.tolist() == [[side > 0]]


@pytest.mark.parametrize("far", [2**20 - 1, 2**20, 2**21, 2**40])
def test_no_product_overflows_however_far_apart_the_ends(far: int) -> None:
    middle = Solids([CellBox.of_cell((0, 0, 0)), CellBox.of_cell((-1, -1, -1))])
    aside = Solids([CellBox.of_cell((1, 0, 0))])
    ends = [point_of(-far, -far, -far)], [point_of(far, far, far)]
    assert middle.crossings(*ends).hindered.all()
    assert middle.crossings(*ends).boxes == (0, 1)
    assert not aside.crossings(*ends).hindered.any()


def test_boxes_for_drawing_keep_their_fractions() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    drawn = Solids([CellBox(point_of(half, 0, -1), point_of(1, third, 2))]).boxes
    assert drawn.tolist() == [[[0.5, 0.0, -1.0], [1.0, pytest.approx(1 / 3), 2.0]]]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_r9_a_solid_touches_a_face_only_where_it_reaches_over_it_along_both_other_axes(axis: int) -> None:
    face = CellSide(axis, high=True)
    for along in (0, 1, 2):
        for steps in (-2, -1, 0, 1, 2):
            at = [0, 0, 0]
            at[axis] = 1
            at[along] += steps
            touches = Solids([CellBox.of_cell((at[0], at[1], at[2]))]).touch((0, 0, 0), face)
            assert touches == ((along == axis and steps in (-1, 0)) or steps == 0)


def test_a5_a_point_that_sees_no_face_is_not_chosen_where_another_sees_one() -> None:
    """The cells touch along an edge, whose corners lie in the planes of all faces of the target near them."""
    found = verdict_of([[1, 1, 0]], [[0, 0, 0]], mode="ranged", readings={"exposure": "point"})
    assert (found.drawn.count, found.verdict) == (4, "no cover")
    assert "no lines are drawn" not in found.reason


def test_small_numbers_are_machine_integers_and_large_ones_are_exact_all_the_same() -> None:
    small, large = np.array([[1, 2, 3], [0, 2**20 - 1, 5]], dtype=object), np.array([[2**20, 0, 1]], dtype=object)
    assert [array.dtype for array in _same_type(small, small)] == [np.int64, np.int64]
    assert [array.dtype for array in _same_type(small, large)] == [object, object]


def test_a_box_beside_the_bounds_of_all_lines_is_not_looked_at() -> None:
    points = np.array([[0, 0, 0], [4, 4, 4]])
    low = np.array([[-2, 0, 0], [-2, 0, 0], [4, 1, 1], [5, 1, 1]])
    high = np.array([[0, 1, 1], [-1, 1, 1], [6, 2, 2], [6, 2, 2]])
    assert _touch_bounds(low, high, points).tolist() == [True, False, True, False]


def test_the_share_of_no_line_is_nothing_and_of_a_single_hindered_one_is_all() -> None:
    point = point_of(0, 0, 0)
    assert (CornerLines().share, CornerLines().hindered.shape) == (0, (0, 0))
    assert CornerLines(sources=(point,), targets=(point,), stopped=np.array([[True]])).share == 1


def test_boxes_are_drawn_where_they_are() -> None:
    third = Fraction(1, 3)
    boxes = [
        CellBox(point_of(0, 1, 2), point_of(3, 4, 5)),
        CellBox(point_of(-third, 0, 6), point_of(third, 2 * third, 7)),
    ]
    assert Solids(boxes).boxes.tolist() == [[[0, 1, 2], [3, 4, 5]], [[-1 / 3, 0, 6], [1 / 3, 2 / 3, 7]]]
