"""JUDGE: the nearest change is found, whatever the places with another verdict look like, as far as it is promised."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, inf, nan, pi, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.geometry import Floats
from silhouette.judging.counterfactuals import MOVE_FIELD, TURN_FIELD
from silhouette.judging.nearest import (
    BRACKET,
    FINE_CELLS_AT_ONCE,
    NEAR_CELL_REACH,
    Effort,
    Look,
    Seen,
    nearest_change,
)

PROMISED = 0.2


def looking(
    changes: Callable[[float, float], bool], margin: Callable[[float, float], float] = lambda x, y: nan
) -> Look:
    """A look that finds "b" where the function says so, and "a" elsewhere."""
    return lambda points, effort: [Seen("b" if changes(x, y) else "a", margin(x, y), 0.0) for x, y in points.tolist()]


def way(angle: float) -> Floats:
    return np.array([cos(angle), sin(angle)])


@pytest.mark.parametrize(("distance", "last"), [(20.0, 0.6), (60.0, 1.0)])
def test_how_much_of_the_field_is_behind_it_grows_to_what_is_found(distance: float, last: float) -> None:
    shares = list[float]()
    nearest_change("a", looking(lambda x, y: x >= distance), MOVE_FIELD, shares.append)
    assert shares == sorted(set(shares))
    assert len(shares) > 5
    assert shares[0] < 0.1
    assert 0.5 * last < shares[-1] <= last


@settings(max_examples=25)
@given(distance=st.floats(0.05, 49.5), angle=st.floats(0.0, 2.0 * pi))
def test_an_edge_is_found_straight_ahead(distance: float, angle: float) -> None:
    ahead = way(angle)
    found = nearest_change("a", looking(lambda x, y: x * ahead[0] + y * ahead[1] >= distance), MOVE_FIELD)
    assert found is not None
    assert distance - 1e-9 <= found.distance <= distance + PROMISED
    assert found.point @ ahead >= distance - 1e-9
    assert found.verdict == "b"


@settings(max_examples=25)
@given(
    distance=st.floats(0.3, 40.0),
    angle=st.floats(0.0, 2.0 * pi),
    beyond=st.floats(0.0, 20.0),
    turn=st.floats(0.0, 2.0 * pi),
)
def test_an_island_one_and_a_half_cells_wide_is_found_before_an_edge_behind_it(
    distance: float, angle: float, beyond: float, turn: float
) -> None:
    radius = 0.75 * min(MOVE_FIELD.least + MOVE_FIELD.growth * distance, MOVE_FIELD.widest)
    middle, other = way(angle) * (distance + radius), way(turn)
    edge = distance + beyond

    def changes(x: float, y: float) -> bool:
        return np.hypot(x - middle[0], y - middle[1]) <= radius or x * other[0] + y * other[1] >= edge

    found = nearest_change("a", looking(changes), MOVE_FIELD)
    assert found is not None
    assert found.distance <= distance + PROMISED


@pytest.mark.parametrize("width", [0.3, 1.0])
@pytest.mark.parametrize("distance", [3.0, 11.0, 30.0])
def test_a_slit_narrower_than_the_cells_shows_in_the_margin(width: float, distance: float) -> None:
    """What is measured falls to nothing towards a slit, by a twentieth for each mm, as behind a wall's edge."""

    def margin(x: float, y: float) -> float:
        return max(0.05 * (abs(x - distance - width / 2.0) - width / 2.0), 0.0)

    found = nearest_change("a", looking(lambda x, y: distance <= x <= distance + width, margin), MOVE_FIELD)
    assert found is not None
    assert distance <= found.distance <= distance + PROMISED


def test_nothing_within_reach_is_none_and_the_reach_itself_counts() -> None:
    assert nearest_change("a", looking(lambda x, y: np.hypot(x, y) > 50.01), MOVE_FIELD) is None
    found = nearest_change("a", looking(lambda x, y: np.hypot(x, y) >= 50.0 - 1e-9), MOVE_FIELD)
    assert found is not None
    assert found.distance == pytest.approx(50.0)
    assert nearest_change("a", looking(lambda x, y: False, lambda x, y: 0.0), MOVE_FIELD) is None


def test_a_change_where_it_stands_is_none_away() -> None:
    found = nearest_change("a", looking(lambda x, y: (x, y) != (0.0, 0.0)), MOVE_FIELD)
    assert found is not None
    assert found.distance <= PROMISED


@settings(max_examples=25)
@given(left=st.floats(0.1, 180.0), right=st.floats(0.1, 180.0))
def test_the_least_turn_is_found_to_either_side(left: float, right: float) -> None:
    found = nearest_change("a", looking(lambda x, y: x >= left or x <= -right), TURN_FIELD)
    assert found is not None
    truth = min(left, right)
    assert truth - 1e-9 <= found.distance <= truth + PROMISED
    assert abs(found.point[0]) == pytest.approx(found.distance)
    assert found.point[0] == pytest.approx(left if left < right - PROMISED else found.point[0], abs=PROMISED)
    assert found.distance < inf


def test_a_turn_right_round_is_found_though_its_cell_has_no_width() -> None:
    found = nearest_change("a", looking(lambda x, y: x >= 180.0), TURN_FIELD)
    assert found is not None
    assert found.distance == pytest.approx(180.0)


def test_cells_beyond_one_that_changed_are_not_looked_at_finely() -> None:
    """Nothing tells how near the threshold is, and a place to the right has another verdict at 0.3 mm already."""
    asked = list[float]()

    def look(points: Floats, effort: Effort) -> list[Seen]:
        asked.extend([] if effort == "rough" else np.hypot(*points.T).tolist())
        return [Seen("b" if x >= 0.3 else "a", nan, 0.0) for x, _ in points.tolist()]

    found = nearest_change("a", look, MOVE_FIELD)
    assert found is not None
    assert found.distance == pytest.approx(0.3, abs=PROMISED)
    assert max(asked) < 1.0 < NEAR_CELL_REACH
    assert sum(distance > 0.5 for distance in asked) <= FINE_CELLS_AT_ONCE


def test_what_few_rays_take_for_a_change_is_looked_at_finely_and_only_the_nearest_change_is_judged_exactly() -> None:
    """Few rays see nothing of the last twentieth before the change, more of them nothing of the last hundredth."""
    unseen, calls = {"rough": 1.0, "fine": 0.2, "exact": 0.0}, list[Effort]()

    def look(points: Floats, effort: Effort) -> list[Seen]:
        calls.extend([effort] * len(points))
        return [
            Seen("b" if x >= 20.0 - unseen[effort] else "a", max(20.0 - x, 0.0) / 20.0, 0.1) for x, _ in points.tolist()
        ]

    found = nearest_change("a", look, MOVE_FIELD)
    assert found is not None
    assert 20.0 <= found.distance <= 20.0 + PROMISED
    assert calls.count("exact") < calls.count("fine") < calls.count("rough")


def test_the_way_to_a_change_is_halved() -> None:
    """One place at a time: back from a cell of 0.1 mm, and to 0.02 mm."""
    calls = list[float]()

    def look(points: Floats, effort: Effort) -> list[Seen]:
        calls.extend(np.hypot(*points.T).tolist() if effort == "exact" else [])
        return [Seen("b" if x >= 20.0 else "a", 20.0 - x, 0.0) for x, _ in points.tolist()]

    found = nearest_change("a", look, MOVE_FIELD)
    assert found is not None
    assert found.distance == pytest.approx(20.0, abs=PROMISED)
    assert any(found.distance - BRACKET <= distance < found.distance for distance in calls)
    assert len(calls) <= 16
