"""SkirmishCorps: lengths that differ by exactly the epsilon, and what is decided when two things are exactly equal.

The numbers are chosen so that floating point does not round them: each case lies on its threshold to the last bit.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.rules.skirmishcorps.classes import BRICK
from silhouette.rules.skirmishcorps.contact import (
    CONTACT_EPSILON_MM,
    Footprint,
    StandingSpace,
    crosses,
    in_contact,
    landings,
    lying_directions,
    may_hide,
    opposite,
    overlaps,
    rectangle,
)
from silhouette.rules.skirmishcorps.judge import Dive, _can_reach, _lying
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS
from silhouette.rules.skirmishcorps.scene import SkirmishScene
from silhouette.rules.skirmishcorps.shooting import CLOSE_UNIT_MM, _warnings, look_at
from tests.rules.skirmishcorps.test_skirmishcorps import asked, rows
from tests.rules.skirmishcorps.test_thresholds import settled
from tests.support.skirmishcorps_scenes import Document, between

TOLERANCE = 1.0 - CONTACT_EPSILON_MM
"""mm; with the epsilon exactly 1."""

FURTHER = 1.0 + 2.0**-40
"""mm; a little more than 1, and exact as well."""

WALL = StandingSpace(Footprint.of_corners(rectangle(0.0, 0.0, 8.0, 120.0, 0.0)), 0.0, 16.0)


def disc(x: float, y: float, low: float = 0.0, high: float = 40.0) -> StandingSpace:
    """A unit on a round base with a radius of 8 mm."""
    return StandingSpace(Footprint.disc(x, y, 8.0), low, high)


def test_the_tolerance_of_these_tests_is_exact() -> None:
    assert TOLERANCE + CONTACT_EPSILON_MM == 1.0


@pytest.mark.parametrize("gap, touches", [(1.0, True), (FURTHER, False)])
def test_a1_a_gap_of_exactly_tolerance_and_epsilon_is_contact(gap: float, touches: bool) -> None:
    assert in_contact(disc(4.0 + gap + 8.0, 0.0), WALL, TOLERANCE) is touches
    assert in_contact(disc(12.5, 0.0, 16.0 + gap, 60.0), WALL, TOLERANCE) is touches
    assert in_contact(disc(12.5, 0.0, -40.0, -gap), WALL, TOLERANCE) is touches
    surface = np.array([[[-4.0, -60.0, 5.0], [4.0, -60.0, 9.0], [4.0, 60.0, 16.0]]])
    slope = StandingSpace(Footprint.around(surface[0]), 5.0, 16.0, surface)
    assert in_contact(disc(4.0 + gap + 8.0, 0.0), slope, TOLERANCE) is touches


@pytest.mark.parametrize("top, touches", [(1.0, False), (FURTHER, True)])
def test_a1_a_floor_as_high_as_tolerance_and_epsilon_is_no_contact(top: float, touches: bool) -> None:
    assert in_contact(disc(0.0, 0.0), StandingSpace(WALL.footprint, -5.0, top), TOLERANCE) is touches


@pytest.mark.parametrize("length, width, faces", [(2, 2, True), (1, 2, True), (1, 3, False)])
def test_a12_a_side_shorter_by_exactly_the_epsilon_is_as_long(length: int, width: int, faces: bool) -> None:
    """Sides of a few epsilons: their differences are exact. The two stand at the sides with the length."""
    corners = CONTACT_EPSILON_MM * np.array([(0, 0), (length, 0), (length, width), (0, width)])
    assert opposite(disc(0.0, -8.0), disc(0.0, corners[2, 1] + 8.0), corners, 0.5) is faces


@pytest.mark.parametrize(
    "overlap, faces", [(0.0, False), (CONTACT_EPSILON_MM, False), (2.0 * CONTACT_EPSILON_MM, True)]
)
def test_a12_an_overlap_of_exactly_the_epsilon_is_none(overlap: float, faces: bool) -> None:
    one = StandingSpace(Footprint.of_corners([(-16.0, 4.0), (0.0, 4.0), (0.0, 20.0), (-16.0, 20.0)]), 0.0, 40.0)
    corners = [(-overlap, -20.0), (16.0, -20.0), (16.0, -4.0), (-overlap, -4.0)]
    other = StandingSpace(Footprint.of_corners(corners), 0.0, 40.0)
    assert opposite(one, other, rectangle(0.0, 0.0, 150.0, 8.0, 0.0), 0.5) is faces


@pytest.mark.parametrize("y, faces", [(-4.0 - 2.0**-20, True), (-4.0, False), (-4.0 + 2.0**-20, False)])
def test_a12_a_unit_with_its_middle_on_a_face_does_not_stand_outside(y: float, faces: bool) -> None:
    assert opposite(disc(0.0, 12.0), disc(0.0, y), rectangle(0.0, 0.0, 150.0, 8.0, 0.0), 0.5) is faces


@pytest.mark.parametrize("gap, faces", [(1.0, True), (FURTHER, False)])
def test_a12_a_face_exactly_tolerance_and_epsilon_away_is_touched(gap: float, faces: bool) -> None:
    wall = rectangle(0.0, 0.0, 150.0, 8.0, 0.0)
    assert opposite(disc(0.0, 12.0), disc(0.0, -12.0 - gap), wall, TOLERANCE) is faces


@pytest.mark.parametrize("x, leads_through", [(4.0 - 2.0**-10, True), (4.0, True), (4.0 + 2.0**-10, False)])
def test_a14_a_way_along_an_edge_leads_through(x: float, leads_through: bool) -> None:
    assert crosses((x, -20.0), (x, 20.0), WALL, 0.0) is leads_through
    assert not crosses((x, 60.0), (40.0, 100.0), WALL, 0.0), "it touches a corner at most"


@pytest.mark.parametrize("deep, leads_through", [(CONTACT_EPSILON_MM, False), (2.0 * CONTACT_EPSILON_MM, True)])
def test_a14_a_way_into_a_piece_by_exactly_the_epsilon_does_not_lead_through(deep: float, leads_through: bool) -> None:
    piece = StandingSpace(Footprint.of_corners([(0.0, -4.0), (8.0, -4.0), (8.0, 4.0), (0.0, 4.0)]), 0.0, 16.0)
    assert crosses((-20.0, 0.0), (deep, 0.0), piece, 0.0) is leads_through


@pytest.mark.parametrize("height, leads_through", [(CONTACT_EPSILON_MM, False), (2.0 * CONTACT_EPSILON_MM, True)])
def test_a14_a_triangle_of_exactly_the_epsilon_in_area_stands_upright(height: float, leads_through: bool) -> None:
    surface = np.array([[[0.0, 0.0, 0.0], [2.0, 0.0, 16.0], [0.0, height, 16.0]]])
    piece = StandingSpace(Footprint.around(surface[0]), 0.0, 16.0, surface)
    assert crosses((-1.0, 0.0), (3.0, 0.0), piece, 0.0) is leads_through


@pytest.mark.parametrize("further, reaches", [(CONTACT_EPSILON_MM, True), (2.0 * CONTACT_EPSILON_MM, False)])
def test_a_piece_exactly_the_epsilon_beside_the_line_to_a_body_may_hide_it(further: float, reaches: bool) -> None:
    line, eye = Footprint.of_corners([(9.0, 0.0), (10.0, 0.0), (10.0, -1.0), (9.0, -1.0)]), (0.0, 0.0)
    corners = [(4.0, further), (6.0, further), (6.0, 4.0), (4.0, 4.0)]
    assert may_hide(eye, line, Footprint.of_corners(corners)) is reaches


@pytest.mark.parametrize("away, counts", [(40.0, True), (40.0 + 2.0**-20, False)])
def test_a14_a_body_may_lie_along_a_piece_that_is_exactly_its_length_away(away: float, counts: bool) -> None:
    piece = Footprint.of_corners([(away, 0.0), (away + 4.0, -3.0), (away + 7.0, 1.0), (away + 3.0, 4.0)])
    along = lying_directions(np.zeros(2), None, np.array([-9.0, 0.0]), [piece], 40.0)
    assert len(along) == (4 if counts else 2)


def test_a14_a_body_lies_along_the_line_of_fire_or_across_it() -> None:
    along = lying_directions(np.array([10.0, 20.0]), None, np.array([40.0, 60.0]), [], 40.0)
    assert along == pytest.approx([143.130102, 53.130102], abs=1e-6)


@pytest.mark.parametrize("corners, counts", [(3, True), (4, True), (5, False)])
def test_a14_a_body_lies_along_the_sides_of_pieces_with_at_most_four_corners(corners: int, counts: bool) -> None:
    turns = np.radians(20.0 + 360.0 / corners * np.arange(corners))
    piece = Footprint.of_corners(10.0 * np.column_stack([np.cos(turns), np.sin(turns)]))
    along = lying_directions(np.zeros(2), None, np.array([90.0, 0.0]), [piece], 40.0)
    assert len(along) == (4 if counts else 2)


@pytest.mark.parametrize(
    "low, lies_in_it", [(16.0 - CONTACT_EPSILON_MM, False), (16.0 - 2.0 * CONTACT_EPSILON_MM, True)]
)
def test_a14_a_body_as_deep_in_a_piece_as_exactly_the_epsilon_lies_on_it(low: float, lies_in_it: bool) -> None:
    """Once the body lies on the piece, once the piece is the body that lies on it."""
    inside = Footprint.of_corners(rectangle(0.0, 0.0, 4.0, 16.0, 0.0))
    assert overlaps(StandingSpace(inside, low, 30.0), WALL, 0.5) is lies_in_it
    assert overlaps(StandingSpace(WALL.footprint, 0.0, 16.0), StandingSpace(inside, low, 30.0), 0.5) is lies_in_it


def scene_of(document: Document) -> SkirmishScene:
    return SKIRMISHCORPS.load(Path("table.toml"), document, Cache(None))


@pytest.mark.parametrize("away, is_left_out", [(CLOSE_UNIT_MM, True), (CLOSE_UNIT_MM + 2.0**-20, False)])
@pytest.mark.parametrize("y", [0.0, 64.0])
def test_a_unit_exactly_40_mm_from_the_eye_is_left_out_of_the_picture(y: float, away: float, is_left_out: bool) -> None:
    document = between(attacker={"at": [0, y, 0]})
    document["unit"].append({"name": "B", "at": [0, y + away, 0]})
    scene = scene_of(document)
    target = scene.unit("T")
    sight = look_at(scene, scene.unit("A"), target.piece, target.standing).sight
    third = scene.unit("B").piece
    assert (third in sight.left_out, third in sight.disregarded) == (is_left_out, not is_left_out)


@pytest.mark.parametrize("above, free", [(-0.125, False), (0.0, True), (0.125, True)])
def test_a14_a_way_is_free_under_a_piece_that_begins_exactly_at_the_height_of_the_unit(
    above: float, free: bool
) -> None:
    head = scene_of(between()).unit("T").standing.high
    scene = scene_of(between(cover={"at": [230, 0, head + above], "height": 2}))
    assert _can_reach(scene, scene.unit("T"), np.array([256.2, 0.0])) is free


@pytest.mark.parametrize("at, directions", [(-BRICK, 2), (-BRICK + 0.125, 4), (10.0 - 0.125, 4), (10.0, 2)])
def test_a14_a_body_lies_along_what_is_beside_it_and_not_along_floor_or_roof(at: float, directions: int) -> None:
    """A piece one brick high, next to a body 10 mm thick; ``at`` is the height of its underside."""
    scene = scene_of(between(cover={"at": [246.2, 0, at], "height": 1, "turn": 30, "size": [4, 20]}))
    found = list(_lying(scene, scene.unit("T"), np.array([216.2, 0.0]), None, np.zeros(2)))
    assert len(found) == directions


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Every share of a body that is hidden, as it is asked for."""
    shares: list[float] = []
    plain = Dive.hidden.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Dive, "hidden", property(lambda dive: shares.append(plain(dive)) or plain(dive)))
    return shares


TO_THE_FLOOR = {"attacker": {"at": [0, 0, 150]}, "cover": {"height": 2}, "ask": "flanked"}


def flanked_row(limit: float, tolerance: float, directions: int) -> dict[str, Any]:
    """Whether A, high above, flanks T, which stands at a wall; every dive ends where it stands."""
    readings = {"dive_distance": 0.0, "dive_directions": directions, "dive_hidden": limit}
    return rows(between(**TO_THE_FLOOR) | {"tolerance": tolerance, "readings": readings})[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("sign, could_be", [(-1, ["not flanked"]), (1, ["flanked", "not flanked"])])
def test_a14_a_dive_that_hides_exactly_the_tolerance_more_or_less_than_it_must(
    sign: int, could_be: list[str], hidden: list[float]
) -> None:
    """Exactly the tolerance more is safe for certain; exactly the tolerance less may be safe."""
    tolerance = 0.0625

    def limit_for(limit: float) -> float:
        hidden.clear()
        flanked_row(limit, tolerance, 1)
        wanted = max(hidden) + sign * tolerance
        assert wanted - sign * tolerance == max(hidden), "no rounding in these numbers"
        return wanted

    limit = settled(limit_for, 0.5)
    assert flanked_row(limit, tolerance, 1)["could_be"] == could_be
    beyond = flanked_row(limit + 2.0**-20, tolerance, 1)["could_be"]
    assert beyond == (["flanked", "not flanked"] if sign < 0 else ["flanked"])


@pytest.mark.long
def test_a14_of_dives_that_hide_as_much_the_first_counts(hidden: list[float]) -> None:
    """No dive leads anywhere, so that all hide as much as dropping in place, which is tried first."""

    def most_hidden(limit: float) -> float:
        hidden.clear()
        flanked_row(limit, 0.01, 4)
        return max(hidden)

    limit = settled(most_hidden, 0.5)
    row = flanked_row(limit, 0.01, 4)
    assert (row["marginal"], row["flanked"]) == (True, False)
    # So near to the threshold it is measured closer, and the share is another by as much as its error.
    for less, is_flanked in ((2.0**-8, False), (-(2.0**-8), True)):
        nearly = flanked_row(limit - less, 0.01, 4)
        assert (nearly["marginal"], nearly["flanked"]) == (True, is_flanked)
    assert "drop to prone where it stands" in row["reason"]


def test_a14_a_share_exactly_on_the_threshold_is_measured_with_the_pixels_asked_for() -> None:
    """All of the body is hidden, which is exactly what must be; where half would do, larger pixels are enough."""
    pixels = []
    for limit in (1.0, 0.5):
        readings = {"dive_distance": 0.0, "dive_directions": 1, "dive_hidden": limit}
        row = rows(between(ask="flanked") | {"readings": readings})[0]
        assert (row["flanked"], row["marginal"]) == (False, False)
        pixels.append(row["pixel"])
    assert pixels[0] < 0.5 < pixels[1]


def test_a_piece_too_low_to_be_cover_is_told_from_one_that_obscures_too_little() -> None:
    """A kerb that obscures exactly the share that counts is too low; with a greater share it obscures too little."""

    def row(limit: float) -> dict[str, Any]:
        return rows(between(cover={"height": 0.9}) | {"readings": {"share_practically_all": limit}})[0]

    share = settled(lambda limit: float(row(limit)["occluded"]), 0.2)
    assert 0.0 < share < 0.4
    assert "too low to be cover" in row(share)["reason"]
    assert "practically all of it is seen" in row(share + 0.01)["reason"]
    assert "less than 50 %: practically all of it is seen" in row(0.5)["reason"]


def test_a_share_that_the_tolerance_takes_exactly_to_nothing_may_be_none() -> None:
    def row(tolerance: float) -> dict[str, Any]:
        return rows(between() | {"tolerance": tolerance, "readings": {"share_practically_all": 0.0}})[0]

    share = float(row(0.01)["occluded"])
    assert row(share)["occluded"] == share
    assert row(share)["could_be"] == ["open", "low cover"]
    assert row(share - 0.01)["could_be"] == ["low cover"]


def test_a_target_of_which_exactly_the_tolerance_is_seen_could_be_hidden() -> None:
    def row(tolerance: float) -> dict[str, Any]:
        return rows(between(cover={"height": 3.5}) | {"tolerance": tolerance})[0]

    counted = row(0.01)
    seen = (counted["target_pixels"] - counted["occluded_pixels"]) / counted["target_pixels"]
    assert row(seen)["target_pixels"] == counted["target_pixels"]
    assert "hidden" in row(seen)["could_be"]
    assert "hidden" not in row(seen - 0.001)["could_be"]


@pytest.mark.parametrize("x, warned", [(4.0, False), (3.99, True)])
def test_an_eye_exactly_on_the_face_of_a_piece_is_not_inside_it(x: float, warned: bool) -> None:
    for at in (x, -x):
        document = between(cover={"at": [at, 0, 0], "height": 9})
        assert any("lies inside" in warning for warning in rows(document)[0]["warnings"]) is warned


def test_what_is_surely_hidden_is_not_too_close_to_call() -> None:
    (row,) = rows(between(cover={"height": 9}))
    assert (row["verdict"], row["could_be"], row["marginal"]) == ("hidden", ["hidden"], False)
    assert "too close to call" not in row["reason"]


@pytest.mark.parametrize(
    ("basis", "reason"),
    [
        ("total", "7 damage, all of it, against a DE of 3: 2 wounds; with basis = penetrating: 1 wound"),
        ("penetrating", "4 of 7 damage penetrates a DE of 3: 1 wound; with basis = total: 2 wounds"),
    ],
)
def test_r22_the_reason_says_which_damage_is_counted(basis: str, reason: str) -> None:
    assert asked(ask="cover wounds", damage=7, defence=3, basis=basis)["reason"] == reason


@pytest.mark.parametrize(
    ("kind", "left", "reason"),
    [
        ("high", 5, "a foot-unit needs 6 inches to vault high cover and has 5 left"),
        ("high", 6, "a foot-unit vaults high cover for 6 inches of its move"),
        ("low", 0, "a foot-unit vaults low cover at no cost in distance"),
        ("corner", 9, "nobody vaults a wall taller than itself"),
    ],
)
def test_r24_r25_the_reason_says_what_a_vault_takes(kind: str, left: float, reason: str) -> None:
    assert asked(ask="vault", unit_type="foot", cover_class=kind, move_left=left)["reason"] == reason


def test_a14_sixteen_directions_are_evenly_spread() -> None:
    spots = landings(np.zeros(2), np.array([9.0, 0.0]), 40.0, 16)
    assert [turn for _, turn in spots] == [None, *(22.5 * number for number in range(16))]


def test_what_a_single_piece_obscures_is_the_share_of_the_blocker() -> None:
    (row,) = rows(between())
    (blocker,) = row["blockers"]
    assert 0.0 < row["occluded"] < 1.0
    assert blocker["occluded"] == blocker["alone"] == row["occluded"]


@pytest.mark.parametrize("height, in_cover", [(0.9, False), (1, True), (2, True), (3, True), (5, True)])
def test_r33_only_a_unit_at_something_that_is_cover_for_it_can_be_flanked(height: float, in_cover: bool) -> None:
    (row,) = rows(between(ask="flanked", cover={"height": height}, attacker={"at": [216.2, 200, 0]}))
    assert ("not in contact with any cover" not in row["reason"]) is in_cover


def test_of_the_pieces_that_hide_a_dive_the_reason_names_two() -> None:
    document = between(ask="flanked")
    wall = document["cover"][0] | {"size": [8, 20]}
    document["cover"] = [wall | {"name": name, "at": [204, y, 0]} for name, y in (("p", -20), ("q", 0), ("r", 22))]
    (row,) = rows(document)
    assert row["reason"].endswith("lies hidden behind q and p: not flanked")


@pytest.mark.parametrize(
    "measured, warned", [(100.0, False), (101.0, False), (101.5, True), (98.5, True), (99.0, False)]
)
def test_another_pixel_than_the_one_asked_for_is_told_from_one_percent_on(measured: float, warned: bool) -> None:
    piece = SimpleNamespace(name="A", eye_warnings=(), all_warnings=())
    shot: Any = SimpleNamespace(
        attacker=SimpleNamespace(name="A", piece=piece),
        target=SimpleNamespace(name="T", piece=piece),
        whole=SimpleNamespace(
            pixel=measured,
            looked_through=(),
            looked_between=(),
            sight=SimpleNamespace(attacker=piece, target=piece),
            counts=None,
        ),
        look=SimpleNamespace(covers=(), sight=SimpleNamespace(occluders=SimpleNamespace(pieces=()))),
        scene=SimpleNamespace(doubts=lambda attacker, others: [], error=None),
    )
    assert bool(_warnings(shot, 100.0)) is warned


@pytest.mark.parametrize("posture, clause", [("standing", "; A looks over w"), ("prone", "; A fires prone over w, ")])
def test_the_reason_says_that_the_attacker_fires_over_its_own_cover(posture: str, clause: str) -> None:
    """The wall stands at A; of a prone attacker it must be very low, of a standing one it may be low."""
    own = {"at": [12.2, 0, 0], "height": 1 if posture == "prone" else 2}
    (row,) = rows(between(attacker={"posture": posture, "lies_along": 90}, cover=own))
    assert clause in row["reason"]


def test_r34_of_dives_of_which_none_is_safe_the_reason_says_how_much_the_best_one_hides(hidden: list[float]) -> None:
    readings = {"dive_distance": 40.0, "dive_directions": 8, "dive_hidden": 1.0}
    (row,) = rows(between(**TO_THE_FLOOR) | {"readings": readings})  # type: ignore[arg-type]
    assert min(hidden) < max(hidden) < 1.0
    assert f"; at best {100.0 * max(hidden):.1f} % of it lies hidden behind w: flanked" in row["reason"]


def test_r35_the_reason_says_where_a_dive_leads() -> None:
    """The low wall beside T hides nothing of it; the screen to its left hides all of it."""
    document = between(cover={"at": [216.2, 12.2, 0], "size": [60, 8]}, ask="flanked")
    document["cover"].append({"name": "screen", "at": [190, 75, 0], "size": [8, 70], "height": 4, "defence": 12})
    (row,) = rows(document | {"readings": {"dive_distance": 80.0, "dive_directions": 4}})
    assert row["reason"].startswith("T can dive to (216, 80), where 100 % of it lies hidden behind the screen")
    assert row["landing"] == pytest.approx([216.2, 80.0])
