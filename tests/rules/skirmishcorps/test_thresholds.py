"""SkirmishCorps: every comparison of the rules with a case exactly on its threshold, and one on either side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from silhouette.files.cache import Cache
from silhouette.rules.skirmishcorps.classes import (
    EPSILON_BRICKS,
    class_of_share,
    cover_class,
    cover_wounds,
    is_destroyed,
    penetrating_damage,
    pile_through,
    vault_cost,
)
from silhouette.rules.skirmishcorps.contact import (
    Footprint,
    StandingSpace,
    crosses,
    in_contact,
    may_hide,
    opposite,
    overlaps,
    rectangle,
)
from silhouette.rules.skirmishcorps.judge import Dive
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS
from silhouette.rules.skirmishcorps.shooting import OVER, look_at
from tests.rules.skirmishcorps.test_skirmishcorps import asked, rows
from tests.support.skirmishcorps_scenes import between

BELOW = 1e-3
"""Bricks or mm; short of a step by far more than rounding."""


@pytest.mark.parametrize("unit_height", [4.0, 1.0, 12.0])
@pytest.mark.parametrize(
    ("quarters", "below", "on"), [(1, "none", "very low"), (2, "very low", "low"), (3, "low", "high")]
)
def test_r4_a_class_begins_exactly_on_its_step(unit_height: float, quarters: int, below: str, on: str) -> None:
    step = quarters * unit_height / 4
    assert cover_class(step - BELOW, unit_height) == below
    assert cover_class(step - EPSILON_BRICKS / 4, unit_height) == on, "rounding does not cost a step"
    assert cover_class(step, unit_height) == on
    assert cover_class(step + BELOW, unit_height) == on


@pytest.mark.parametrize("unit_height", [4.0, 1.0, 12.0])
def test_r4_as_high_as_the_unit_is_high_and_higher_is_corner_cover(unit_height: float) -> None:
    assert cover_class(unit_height - BELOW, unit_height) == "high"
    assert cover_class(unit_height, unit_height) == "high"
    assert cover_class(unit_height + EPSILON_BRICKS / 4, unit_height) == "high"
    assert cover_class(unit_height + BELOW, unit_height) == "corner"


@pytest.mark.parametrize("unit_height", [4.0, 12.0, 2.0])
def test_r4_short_of_a_step_by_exactly_the_epsilon_is_on_it(unit_height: float) -> None:
    for quarters, kind in ((1, "very low"), (2, "low"), (3, "high")):
        step = quarters * unit_height / 4
        rise = step - EPSILON_BRICKS
        assert rise + EPSILON_BRICKS == step, "no rounding in these numbers"
        assert cover_class(rise, unit_height) == kind
    assert unit_height + EPSILON_BRICKS - EPSILON_BRICKS == unit_height
    assert cover_class(unit_height + EPSILON_BRICKS, unit_height) == "high"


@pytest.mark.parametrize("bricks, kind", [(0.99, "none"), (1, "very low"), (2, "low"), (3, "high"), (4, "high")])
def test_r4_the_steps_are_asked_of_by_name(bricks: float, kind: str) -> None:
    assert asked(ask="classify", height=bricks, unit_height=4)["cover"] == kind


@pytest.mark.parametrize(
    ("share", "kind"),
    [(0.3749, "very low"), (0.375, "low"), (0.3751, "low"), (0.6249, "low"), (0.625, "high"), (0.6251, "high")],
)
def test_a15_between_two_steps_the_upper_one_takes_the_middle(share: float, kind: str) -> None:
    assert class_of_share(share) == kind


def settled(share_at: Callable[[float], float], start: float) -> float:
    """A share that is measured where it is itself the threshold; near one the picture is taken finer."""
    share = share_at(start)
    for _ in range(8):
        before, share = share, share_at(share)
        if before == share:
            return share
    raise AssertionError("every threshold gives another share")


def test_a2_a_piece_protects_from_exactly_the_share_that_counts_on() -> None:
    """The share below which practically all is seen is set to what a wall is measured to obscure."""

    def row(limit: float) -> dict[str, Any]:
        return rows(between() | {"readings": {"share_practically_all": limit}})[0]

    share = settled(lambda limit: float(row(limit)["occluded"]), 0.47)
    assert 0.4 < share < 0.5
    assert (row(share)["verdict"], row(share)["could_be"]) == ("low cover", ["open", "low cover"])
    for limit, verdict in ((share - 0.01, "low cover"), (share + 0.01, "open")):
        assert (row(limit)["verdict"], row(limit)["could_be"]) == (verdict, [verdict])


def test_a2_what_obscures_nothing_does_not_protect_even_if_any_share_counts() -> None:
    beside = between(cover={"at": [204, 200, 0]}) | {"readings": {"share_practically_all": 0.0}}
    assert rows(beside)[0]["verdict"] == "open"
    assert rows(between() | {"readings": {"share_practically_all": 0.0}})[0]["verdict"] == "low cover"


WALL = StandingSpace(Footprint.of_corners(rectangle(0.0, 0.0, 8.0, 120.0, 0.0)), 0.0, 19.2)


@pytest.mark.parametrize("gap, touches", [(0.499, True), (0.5, True), (0.501, False)])
def test_a1_a_gap_of_exactly_the_tolerance_is_contact(gap: float, touches: bool) -> None:
    figure = Footprint.disc(4.0 + gap + 8.0, 0.0, 8.0)
    assert in_contact(StandingSpace(figure, 0.0, 40.0), WALL, 0.5) is touches
    held = StandingSpace(Footprint.disc(12.2, 0.0, 8.0), 19.2 + gap, 60.0)
    assert in_contact(held, WALL, 0.5) is touches, "in height as in plan"
    under = StandingSpace(Footprint.disc(12.2, 0.0, 8.0), -40.0 - gap, -gap)
    assert in_contact(under, WALL, 0.5) is touches


@pytest.mark.parametrize("top, touches", [(0.4, False), (0.5, False), (0.501, True)])
def test_a1_what_a_unit_stands_on_is_no_contact_until_it_rises_past_the_tolerance(top: float, touches: bool) -> None:
    """The unit stands above the middle of the piece, with its feet at 0."""
    floor = StandingSpace(WALL.footprint, -5.0, top)
    assert in_contact(StandingSpace(Footprint.disc(0.0, 0.0, 8.0), 0.0, 40.0), floor, 0.5) is touches


@pytest.mark.parametrize("along, faces", [(15.999, True), (16.0, False), (16.001, False)])
def test_a12_opposite_takes_an_overlap_of_more_than_nothing(along: float, faces: bool) -> None:
    """Two bases 16 mm wide, on both sides of a wall."""
    wall = rectangle(0.0, 0.0, 150.0, 8.0, 0.0)
    one, other = (StandingSpace(Footprint.disc(x, y, 8.0), 0.0, 40.0) for x, y in ((0.0, 12.0), (along, -12.0)))
    assert opposite(one, other, wall, 0.5) is faces
    assert opposite(other, one, wall, 0.5) is faces


@pytest.mark.parametrize("length, faces", [(7.99, True), (8.0, True), (8.01, False)])
def test_a12_of_a_square_both_pairs_of_faces_are_long(length: float, faces: bool) -> None:
    """A post 8 mm wide; the two stand at its ends, which are long faces where it is no longer than it is wide."""
    post = rectangle(0.0, 0.0, length, 8.0, 0.0)
    one, other = (StandingSpace(Footprint.disc(side * (length / 2 + 8.0), 0.0, 8.0), 0.0, 40.0) for side in (1, -1))
    assert opposite(one, other, post, 0.5) is faces


@pytest.mark.parametrize("x, leads_through", [(-4.001, False), (-4.0, False), (-3.99, True)])
def test_a14_a_way_that_ends_at_a_piece_does_not_lead_through_it(x: float, leads_through: bool) -> None:
    assert crosses((-20.0, 0.0), (x, 0.0), WALL, 0.0) is leads_through


@pytest.mark.parametrize("deep, lies_in_it", [(0.4, False), (0.5, False), (0.501, True)])
def test_a14_a_body_lies_in_a_piece_only_deeper_than_the_tolerance(deep: float, lies_in_it: bool) -> None:
    body = StandingSpace(Footprint.of_corners(rectangle(14.0 - deep, 0.0, 20.0, 16.0, 0.0)), 0.0, 10.0)
    assert overlaps(body, WALL, 0.5) is lies_in_it


@pytest.mark.parametrize("low, lies_in_it", [(19.1, True), (19.2, False), (19.3, False)])
def test_a14_a_body_on_a_piece_or_under_it_does_not_lie_in_it(low: float, lies_in_it: bool) -> None:
    inside = Footprint.of_corners(rectangle(0.0, 0.0, 4.0, 16.0, 0.0))
    assert overlaps(StandingSpace(inside, low, low + 10.0), WALL, 0.5) is lies_in_it
    assert overlaps(StandingSpace(inside, -10.0, 19.2 - low), WALL, 0.5) is lies_in_it


@pytest.mark.parametrize("beside, between_them", [(-0.01, True), (0.0, True), (0.01, False)])
def test_a_piece_that_touches_the_band_between_an_eye_and_a_body_may_hide_it(beside: float, between_them: bool) -> None:
    """The eye is a point, so that the band is as wide as the body's core there: nothing, with its radius at the end."""
    post = Footprint.of_corners(rectangle(50.0, 8.0 + 2.0 + beside, 4.0, 4.0, 0.0))
    assert may_hide((0.0, 0.0), Footprint.disc(100.0, 0.0, 8.0), post) is between_them


@pytest.mark.parametrize("damage, through", [(11, 0), (12, 0), (13, 1)])
def test_r20_r21_only_damage_above_the_de_passes_on(damage: int, through: int) -> None:
    assert penetrating_damage(damage, 12) == through
    row = asked(ask="attack cover", damage=damage, defence=12)
    assert (row["effective"], row["passed_on"]) == (through > 0, through)


@pytest.mark.parametrize("unit_defence, wounded", [(5, True), (6, False), (7, False)])
def test_r21_a_unit_is_wounded_by_more_than_its_own_de(unit_defence: int, wounded: bool) -> None:
    row = asked(ask="attack cover", damage=18, defence=12, unit_defence=unit_defence)
    assert (row["passed_on"], row["unit_wounded"]) == (6, wounded)


@pytest.mark.parametrize(
    ("damage", "wounds"), [(2, 0), (3, 0), (4, 1), (6, 1), (7, 2), (9, 2), (10, 3), (12, 3), (13, 4)]
)
def test_r22_another_wound_for_every_de_exceeded(damage: int, wounds: int) -> None:
    assert cover_wounds(damage, 3, "total") == wounds
    assert cover_wounds(damage + 3, 3, "penetrating") == wounds


@pytest.mark.parametrize("die, destroyed", [(5, False), (6, True)])
def test_r23_a_6_destroys(die: int, destroyed: bool) -> None:
    assert is_destroyed([1, die]) is destroyed


@pytest.mark.parametrize("left, cost", [(5.999, None), (6.0, 6), (6.001, 6)])
def test_r25_six_inches_left_are_enough_for_high_cover(left: float, cost: int | None) -> None:
    assert vault_cost("foot", "high", left) == cost
    assert vault_cost("mech", "low", 0.0) == 0


@pytest.mark.parametrize("kind, number", [("low", "R24"), ("high", "R25"), ("corner", "R24")])
def test_a_ruling_on_a_vault_rests_on_the_rule_of_its_class(kind: str, number: str) -> None:
    row = asked(ask="vault", unit_type="foot", cover_class=kind, move_left=3)
    assert row["rule_number"] == number


def test_reasons_state_the_share_and_the_sum_that_decide() -> None:
    assert " is 100 % of a unit of 4 bricks" in asked(ask="classify", height=4, unit_height=4)["reason"]
    piled = asked(ask="pile through", unit_type="foot", d6=4, strength=8, defence=12, pace="jogging")
    assert piled["reason"].startswith("a 4 and ST 8 make 12, no more than the DE of 12")


@pytest.mark.parametrize("x, number", [(0, "R33"), (450, "R35")])
def test_r35_is_the_rule_of_a_dive_and_r33_of_dropping_in_place(x: float, number: str) -> None:
    (row,) = rows(between(attacker={"at": [x, 0, 0]}, ask="flanked"))
    assert (row["flanked"], row["rule_number"]) == (False, number)


def test_the_first_cover_that_both_touch_is_named_where_none_is_between_them() -> None:
    """Both stand on the same side of two walls that touch, side by side."""
    document = between(attacker={"at": [216.2, 40, 0]}, ask="close combat")
    document["cover"].append({**document["cover"][0], "name": "v"})
    (row,) = rows(document)
    assert row["reason"].endswith(" are both in contact with w, but not opposite each other: no close combat")


@pytest.mark.parametrize("die, through", [(3, False), (4, False), (5, True)])
def test_r26_r27_only_more_than_the_de_goes_through(die: int, through: bool) -> None:
    assert pile_through("foot", die, 8, 12, "jogging").through is through


def behind_a_wall(height: float, readings: dict[str, Any]) -> dict[str, Any]:
    """Whether A, high above, flanks T, which stands at a wall and can only drop where it stands."""
    document = between(attacker={"at": [0, 0, 150]}, cover={"height": height}, ask="flanked")
    return rows(document | {"readings": {"dive_distance": 0.0, "dive_directions": 1, **readings}})[0]


def test_a14_a_dive_is_safe_from_exactly_the_share_that_must_be_hidden_on(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden: list[float] = []
    plain = Dive.hidden.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Dive, "hidden", property(lambda dive: hidden.append(plain(dive)) or plain(dive)))

    def most_hidden(limit: float) -> float:
        hidden.clear()
        behind_a_wall(2, {"dive_hidden": limit})
        return max(hidden)

    share = settled(most_hidden, 0.5)
    assert 0.05 < share < 0.95
    row = behind_a_wall(2, {"dive_hidden": share})
    assert (row["flanked"], row["could_be"]) == (False, ["flanked", "not flanked"])
    for limit, flanked in ((share - 0.02, False), (share + 0.02, True)):
        row = behind_a_wall(2, {"dive_hidden": limit})
        assert (row["flanked"], row["could_be"]) == (flanked, ["flanked" if flanked else "not flanked"])


@pytest.mark.parametrize(
    "bricks, posture, sees_over", [(4, "standing", True), (2.99, "prone", True), (3, "prone", False)]
)
def test_a9_which_cover_a_unit_looks_over(bricks: float, posture: str, sees_over: bool) -> None:
    """The attacker's own wall: up to high where it stands, below high where it lies."""
    own = {"at": [12.2, 0, 0], "height": bricks}
    attacker = {"posture": posture, "lies_along": 90}
    row = rows(between(attacker=attacker, cover=own))[0]
    assert row["line_of_sight"] is sees_over


def test_a9_the_eye_is_at_least_a_quarter_brick_above_what_it_looks_over() -> None:
    assert pytest.approx(9.6 / 4) == OVER
    for bricks, eye in ((3.0, 35.0), (3.4, 3.4 * 9.6 + OVER), (4.0, 4.0 * 9.6 + OVER)):
        document = between(cover={"at": [12.2, 0, 0], "height": bricks})
        scene = SKIRMISHCORPS.load(Path("table.toml"), document, Cache(None))
        attacker, target = scene.unit("A"), scene.unit("T")
        assert look_at(scene, attacker, target.piece, target.standing).sight.eye[2] == pytest.approx(eye)


@pytest.mark.parametrize(
    ("low", "high", "counts"),
    [(9.9, 99.0, True), (10.0, 99.0, False), (0.0, 5.0, True), (0.0, 4.9, False)],
)
def test_of_a_surface_counts_what_rises_above_one_height_and_begins_no_higher_than_another(
    low: float, high: float, counts: bool
) -> None:
    """A triangle from 5 to 10 mm up."""
    surface = np.array([[[0.0, 0.0, 5.0], [4.0, 0.0, 10.0], [0.0, 4.0, 10.0]]])
    piece = StandingSpace(Footprint.of_corners(surface[0, :, :2]), 5.0, 10.0, surface)
    assert len(piece.parts(shapely.Point(1.0, 1.0), 0.0, low, high)) == counts


@pytest.mark.parametrize("x, y", [(10.0, 1.0), (-6.0, 1.0), (1.0, 10.0), (1.0, -6.0)])
def test_of_a_surface_counts_what_comes_exactly_as_near_as_the_reach(x: float, y: float) -> None:
    """Each point is 6 mm from the bounds of the triangle, which go from 0 to 4 mm both ways."""
    surface = np.array([[[0.0, 0.0, 5.0], [4.0, 0.0, 10.0], [0.0, 4.0, 10.0]]])
    piece = StandingSpace(Footprint.of_corners(surface[0, :, :2]), 5.0, 10.0, surface)
    for reach, counts in ((5.99, 0), (6.0, 1), (6.01, 1)):
        assert len(piece.parts(shapely.Point(x, y), reach, 0.0)) == counts


@pytest.mark.parametrize("dice, shortened", [(12, False), (13, True)])
def test_more_than_twelve_dice_are_not_all_told(dice: int, shortened: bool) -> None:
    assert ("..." in asked(ask="destroyed", dice=[1] * dice)["reason"]) is shortened
