"""SkirmishCorps: the geometry of contact by itself, on shapes of which the answer is known."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from silhouette.rules.skirmishcorps.contact import (
    Footprint,
    StandingSpace,
    distance_to,
    landings,
    lying_directions,
    may_hide,
    overlaps,
    past_ends,
    rectangle,
)
from tests.rules.skirmishcorps.test_skirmishcorps import asked


@pytest.mark.parametrize("radii", [(8.0, 5.0), (5.0, 8.0), (8.0, 0.0)])
def test_the_gap_of_two_round_bases_is_less_by_both_radii(radii: tuple[float, float]) -> None:
    first, second = Footprint.disc(2.0, 3.0, radii[0]), Footprint.disc(32.0, 43.0, radii[1])
    assert first.gap(second) == second.gap(first) == pytest.approx(50.0 - sum(radii))
    assert first.gap(first) == 0.0


@pytest.mark.parametrize("middle, towards", [((3.0, 4.0), (10.0, -6.0)), ((-7.0, 2.0), (-20.0, 40.0))])
def test_dives_go_first_towards_the_attacker_then_evenly_round(
    middle: tuple[float, float], towards: tuple[float, float]
) -> None:
    (here, none), *dives = landings(np.array(middle), np.array(towards), 40.0, 8)
    assert (here.tolist(), none) == (list(middle), None)
    ahead = (np.array(towards) - middle) / np.hypot(*(np.array(towards) - middle))
    assert dives[0][0] == pytest.approx(middle + 40.0 * ahead)
    turns = [turn for _, turn in dives if turn is not None]
    assert np.diff(np.unwrap(np.radians(turns))) == pytest.approx(np.full(7, np.pi / 4))
    for spot, turn in dives:
        assert turn is not None
        assert spot == pytest.approx(
            np.array(middle) + 40.0 * np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
        )


@pytest.mark.parametrize("turn", [0.0, 20.0, 75.0, 140.0])
def test_a_body_lies_along_a_piece_beside_it_or_across(turn: float) -> None:
    """The line of fire goes along x; the piece's sides are turned."""
    along = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    across = np.array([-along[1], along[0]])
    corners = [50.0 * along + 4.0 * across, 50.0 * along + 8.0 * across, 8.0 * across, 4.0 * across]
    spot, attacker = np.array([100.0, 60.0]), np.array([300.0, 60.0])
    piece = Footprint.of_corners(np.array(corners) + spot)
    found = lying_directions(spot, None, attacker, [piece], 40.0)
    assert sorted(found) == pytest.approx(sorted({0.0, 90.0, turn % 180.0, (turn + 90.0) % 180.0}))


@pytest.mark.parametrize("x, low, lies_in_it", [(0, 10, False), (0, 3, True), (40, 10, True), (40, 31, False)])
def test_a_body_lies_over_the_low_part_of_a_piece_and_in_its_high_part(x: float, low: float, lies_in_it: bool) -> None:
    """One piece: a plate 5 mm high round x = 0, and a tower 30 mm high round x = 40."""

    def box(middle: float, height: float) -> list[list[list[float]]]:
        left, right = middle - 8.0, middle + 8.0
        roof = [[left, -8.0, height], [right, -8.0, height], [right, 8.0, height], [left, 8.0, height]]
        return [[roof[0], roof[1], roof[2]], [roof[0], roof[2], roof[3]]]

    surface = np.array(box(0.0, 5.0) + box(40.0, 30.0))
    piece = StandingSpace(Footprint.around(surface.reshape(-1, 3)), 0.0, 30.0, surface)
    body = StandingSpace(Footprint.of_corners([(x - 4, -4), (x + 4, -4), (x + 4, 4), (x - 4, 4)]), low, low + 8.0)
    assert overlaps(body, piece, 0.5) is lies_in_it


@pytest.mark.parametrize("y, reaches", [(-30.0, False), (-13.0, True), (13.0, True), (30.0, False)])
def test_only_what_reaches_between_eye_and_body_may_hide_it(y: float, reaches: bool) -> None:
    body, post = Footprint.disc(200.0, 0.0, 8.0), Footprint.disc(100.0, y, 6.0)
    assert may_hide((0.0, 0.0), body, post) is reaches
    assert may_hide((0.0, 0.0), body, Footprint.disc(-20.0, 0.0, 6.0)) is False
    assert may_hide((0.0, 0.0), body, Footprint.disc(-13.0, 0.0, 6.0)) is True


@pytest.mark.parametrize(
    "unit_defence, ends",
    [(5, "which is more than its DE of 5: it is wounded"), (6, "which is no more than its DE of 6: it is not wounded")],
)
def test_r21_the_reason_says_whether_the_unit_behind_is_wounded(unit_defence: int, ends: str) -> None:
    start = "18 damage exceeds the cover's DE of 12: 6 is passed on to the unit behind"
    assert asked(ask="attack cover", damage=18, defence=12)["reason"] == start
    row = asked(ask="attack cover", damage=18, defence=12, unit_defence=unit_defence)
    assert row["reason"] == f"{start}, {ends}"


@pytest.mark.parametrize("seed", range(12))
def test_the_distance_to_a_surface_is_that_to_its_nearest_triangle(seed: int) -> None:
    source = np.random.default_rng(seed)
    triangles = source.uniform(-60.0, 60.0, size=(40, 1, 3)) + source.uniform(-8.0, 8.0, size=(40, 3, 3))
    surface = StandingSpace(Footprint.around(triangles.reshape(-1, 3)), -70.0, 70.0, triangles)
    corners = rectangle(*source.uniform(-90.0, 90.0, 2), 20.0, 9.0, float(source.uniform(0.0, 180.0)))
    for footprint in (Footprint.disc(*source.uniform(-90.0, 90.0, 2), 8.0), Footprint.of_corners(corners)):
        low = float(source.uniform(-40.0, 40.0))
        rising = shapely.polygons(triangles[triangles[:, :, 2].max(axis=1) > low, :, :2])
        nearest = max(0.0, float(shapely.distance(footprint.core, rising).min()) - footprint.radius)
        assert distance_to(StandingSpace(footprint, low, low + 40.0), surface) == pytest.approx(nearest, abs=1e-9)


@pytest.mark.parametrize(
    ("ahead", "steps"),
    [
        ((1.0, 0.0), [-7.0]),
        ((-1.0, 0.0), []),  # the wall lies behind
        ((0.6, -0.8), [-1.0]),  # across that way its nearest corner, (8, 1), lies 7 mm to the left
    ],
)
def test_an_eye_moves_past_the_ends_of_what_stands_before_it(ahead: tuple[float, float], steps: list[float]) -> None:
    wall = StandingSpace(Footprint.of_corners(rectangle(12.0, 31.0, 8.0, 60.0, 0.0)), 0.0, 60.0)
    assert past_ends(np.array([0.0, 0.0, 35.0]), np.array(ahead), wall, 8.0, 40.0) == pytest.approx(steps)
