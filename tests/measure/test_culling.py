"""What is left out before anything is counted: bodies out of the picture, and blocks that a target cannot reach."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.geometry import Floats, corners
from silhouette.measure.culling import BOUND_DIRECTIONS, bounds_in, disjoint, in_views
from silhouette.measure.framing import framed
from silhouette.renderers.views import View, fighter_arc, fit_view
from tests.support import shapes
from tests.support.measured_shares import EYE, FRONT
from tests.support.sight_cases import Case

(VIEW,) = fit_view(EYE, FRONT.bounds.mean(axis=0), FRONT.vertices, 0.1)
FARTHEST = 400.0


def box_at(row: float, column: float, depth: float, view: View = VIEW) -> Floats:
    """(8, 3) the corners of a box of a hundredth of a millimetre at a place of the picture."""
    point = view.eye + depth * view.directions(np.array([row]), np.array([column]))[0]
    return corners(point - 0.005, point + 0.005)


def test_bodies_out_of_the_picture_or_beyond_the_target_are_culled() -> None:
    kept = [shapes.box((146, -3, 0), (150, 2, 90)), shapes.box((-50, -200, -300), (400, 200, 0))]
    culled = [
        shapes.box((-60, -5, 0), (-50, 5, 60)),
        shapes.box((140, 40, 0), (150, 60, 60)),
        shapes.box((600, -5, 0), (640, 5, 60)),
    ]
    boxes = np.array([corners(*shape.bounds) for shape in (*kept, *culled)])
    assert in_views([VIEW], boxes[None], np.array([FARTHEST]))[0].tolist() == [True] * len(kept) + [False] * len(culled)


@pytest.mark.parametrize("depth", [20.0, 150.0, 390.0])
@pytest.mark.parametrize(
    ("row", "column", "out"), [(0.5, 0.0, (-1, 0)), (0.5, 1.0, (1, 0)), (0.0, 0.5, (0, -1)), (1.0, 0.5, (0, 1))]
)
def test_a_box_is_culled_beyond_each_rim_of_the_picture(
    depth: float, row: float, column: float, out: tuple[int, int]
) -> None:
    """Two pixels within the rim a box is kept, a box of its size beyond the rim is not."""
    size = 0.02 / (VIEW.step * depth) + 2.0
    right, down = out
    row, column = row * VIEW.height - 0.5, column * VIEW.width - 0.5
    places = [(row + way * size * down, column + way * size * right) for way in (-1, 1)]
    boxes = np.array([box_at(*place, depth) for place in places])
    assert in_views([VIEW], boxes[None], np.array([FARTHEST]))[0].tolist() == [True, False]


def test_a_box_is_culled_behind_the_eye_and_beyond_what_is_farthest() -> None:
    middle = (VIEW.height / 2, VIEW.width / 2)
    boxes = np.array([box_at(*middle, depth) for depth in (-1.0, 1.0, FARTHEST - 1.0, FARTHEST + 1.0)])
    assert in_views([VIEW], boxes[None], np.array([FARTHEST]))[0].tolist() == [False, True, True, False]


def test_bounds_in_the_picture_touch_the_outermost_points() -> None:
    random = np.random.default_rng(3)
    rows, columns, depths = random.uniform((10, 20, 50), (300, 350, 390), (40, 3)).T
    points = VIEW.eye + depths[:, None] * VIEW.directions(rows, columns)
    least, most = bounds_in([VIEW], [points])[0]
    along = np.column_stack([columns + 0.5, rows + 0.5]) @ BOUND_DIRECTIONS
    assert least == pytest.approx(along.min(axis=0))
    assert most == pytest.approx(along.max(axis=0))
    behind = np.concatenate([points, VIEW.eye - VIEW.axes[2:]])
    assert np.isinf(bounds_in([VIEW], [behind])).all()
    level = np.concatenate([points, VIEW.eye + VIEW.axes[:1]])
    assert np.isinf(bounds_in([VIEW], [level])).all()


@pytest.mark.parametrize("direction", range(8))
def test_a_straight_line_that_parts_two_bodies_is_found_in_each_direction(direction: int) -> None:
    first = np.stack([np.zeros(8), np.ones(8)])
    apart, touching = first.copy(), first.copy()
    apart[:, direction] += 1.001
    touching[:, direction] += 1.0
    assert disjoint(first, apart)
    assert disjoint(apart, first)
    assert not disjoint(first, touching)
    assert not disjoint(touching, first)


def test_an_arc_that_holds_the_target_or_misses_it_parts_nothing() -> None:
    """So do several; the arcs that part it are left."""
    ahead, behind, across = (fighter_arc((0.0, 0.0), facing=angle) for angle in (0.0, 180.0, 45.0))
    for arcs, left in [
        (None, None),
        ((ahead,), None),
        ((behind, ahead), None),
        ((behind,), ()),
        ((), ()),
        ((across,), (across,)),
        ((behind, across), (across,)),
    ]:
        (picture,) = framed(Case(FRONT, (), EYE, arcs).sight, 0.1).pictures
        assert picture.arcs == (left if left is None else list(left))


def test_an_arc_that_parts_the_box_only_parts_nothing() -> None:
    """A ball whose box reaches across the arc's edge: its vertices tell that it lies within, or beyond."""
    ball, edge = shapes.sphere(10.0, 48, 25), 300.0 / np.sqrt(2.0)
    for way, left in ((-1.0, None), (1.0, [])):
        # The corner of the box lies 14.1 mm from its middle towards the edge; the ball ends 10 mm from it.
        middle = np.array([edge, edge, 20.0]) + way * 12.0 * np.array([-1.0, 1.0, 0.0]) / np.sqrt(2.0)
        target = shapes.moved(ball, tuple(middle))
        (picture,) = framed(Case(target, (), EYE, (fighter_arc((0.0, 0.0), facing=0.0),)).sight, 0.1).pictures
        assert picture.arcs == left


def test_only_pieces_before_the_target_are_asked_about() -> None:
    walls = [
        shapes.box((146, -3, 0), (150, 2, 90)),
        shapes.box((146, 11, 0), (150, 19, 90)),  # in the picture, but beside the target
        shapes.box((146, 60, 0), (150, 70, 90)),
        shapes.box((340, -3, 0), (350, 2, 90)),
    ]
    found = framed(Case(FRONT, tuple(walls), EYE).sight, 0.1)
    assert [piece.name for piece in found.blockers] == ["blocker 1"]
    (picture,) = found.pictures
    assert [body.id for body in picture.blockers] == [2]
    assert picture.target.id == 1
