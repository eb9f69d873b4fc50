"""Necromunda's rules, each by its number in ../shared/rules/necromunda.md, on tables of plain solids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.errors import SilhouetteError
from silhouette.files.cache import Cache
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.scene import Check
from tests.support.rulings import ruled

EMBREE = choose()
NOWHERE = Path("table.toml")


def fighter(name: str, x: float, y: float = 0.0, **more: Any) -> dict[str, Any]:
    """A figure of solids: a box 10 deep, 20 wide and 30 tall on a round base of 25 mm."""
    return {
        "name": name,
        "at": [x, y, 0],
        "eye": [0, 0, 25],
        "gang": name,
        "parts": [
            {"box": [10, 20, 30], "at": [0, 0, 3]},
            {"cylinder": {"diameter": 25, "height": 3}, "base": True},
        ],
        **more,
    }


def attacker(**more: Any) -> dict[str, Any]:
    return fighter("Kal", 0.0, **{"facing": 0, "parts": fighter("", 0)["parts"], **more})


def wall(name: str, x: float, height: float, y: float = 0.0, width: float = 400.0, z: float = 0.0) -> dict[str, Any]:
    return {"name": name, "at": [x, y, z], "parts": [{"box": [2, width, height]}]}


def table(*terrain: dict[str, Any], fighters: Any = (), vehicles: Any = (), **top: Any) -> dict[str, Any]:
    return {
        "rules": "necromunda",
        "terrain": list(terrain),
        "fighter": list(fighters),
        "vehicle": list(vehicles),
        **top,
    }


def judged(
    document: dict[str, Any], attacker: str = "Kal", target: str = "Vex", arc: Any = None, pixel: float = 0.2
) -> NecromundaVerdict:
    scene = NECROMUNDA.load(NOWHERE, document, Cache(None))
    return ruled(NECROMUNDA, scene, Check(attacker, target, arc), EMBREE, pixel)


def duel(*terrain: dict[str, Any], others: Any = (), **top: Any) -> NecromundaVerdict:
    return judged(table(*terrain, fighters=[attacker(), fighter("Vex", 300), *others], **top))


@pytest.mark.parametrize(("off", "verdict"), [(0, "open"), (40, "open"), (44, "open"), (52, "hidden"), (180, "hidden")])
def test_r1_a_fighters_arc_is_90_degrees_to_its_front(off: float, verdict: str) -> None:
    found = judged(table(fighters=[attacker(facing=off), fighter("Vex", 300)]))
    assert (found.verdict, found.counts.in_arc > 0) == (verdict, verdict == "open")


def test_r1_the_arc_starts_from_the_centre_of_the_base_not_from_the_eye() -> None:
    beside = fighter("Vex", 0.0, 60.0)
    assert judged(table(fighters=[attacker(eye=[0, -20, 25], facing=0), beside])).verdict == "hidden"
    ahead = fighter("Vex", 300.0, 300.0)
    assert judged(table(fighters=[attacker(eye=[-40, 0, 25]), ahead])).verdict == "open"


def test_r2_the_front_is_the_facing_that_the_player_chose() -> None:
    assert judged(table(fighters=[attacker(facing=90), fighter("Vex", 0, 300)])).verdict == "open"


def hauler(**more: Any) -> dict[str, Any]:
    return {"name": "Kal", "at": [0, 0], "facing": 0, "eye": [0, 0, 40], "parts": [{"box": [60, 120, 40]}], **more}


@pytest.mark.parametrize(
    ("arcs", "arc", "place", "verdict"),
    [
        (["front"], None, (300, 0), "open"),  # R3: every vehicle has a front arc
        (["front", "rear"], None, (-300, 0), "open"),
        (["front", "left"], "left", (0, 300), "open"),
        (["front"], None, (0, 300), "hidden"),  # R4: a missing arc is a blind spot
        (["front"], "left", (0, 300), "hidden"),
        (["front"], None, (260, 180), "hidden"),  # R5: by the corners, atan(60 / 120), not by 45 degrees
        (["front", "right"], None, (260, -180), "open"),
    ],
)
def test_r3_r4_r5_a_vehicles_arcs_run_through_its_corners(
    arcs: list[str], arc: str | None, place: tuple[float, float], verdict: str
) -> None:
    found = judged(table(fighters=[fighter("Vex", *place)], vehicles=[hauler(arcs=arcs)]), arc=arc)
    assert found.verdict == verdict
    if arc == "left" and verdict == "hidden":
        assert found.rule.number == "R4"


def test_r6_r7_any_part_however_small_is_enough() -> None:
    found = duel(wall("wall", 150, 28.99))
    assert found.line_of_sight
    assert found.verdict == "full cover"
    assert found.measurement.seen > 0
    needle = fighter("Vex", 300)
    needle["parts"].append({"box": [0.02, 0.02, 12], "at": [0, 0, 33]})
    assert judged(table(wall("wall", 150, 30.2), fighters=[attacker(), needle])).line_of_sight


def test_r8_nothing_to_be_seen_is_hidden() -> None:
    found = duel(wall("wall", 150, 40))
    assert (found.verdict, found.line_of_sight, found.rule.number) == ("hidden", False, "R8")
    assert found.reason == "every part of Vex is obscured by the wall: hidden"


def test_r9_r16_the_targets_base_and_insignificant_parts_are_no_parts_of_it() -> None:
    found = duel(wall("kerb", 290, 2))
    assert (found.verdict, found.counts.error) == ("open", 0.0)
    plumed = fighter("Vex", 300)
    plumed["parts"].append({"box": [2, 2, 30], "at": [0, 0, 33], "insignificant": True})
    assert judged(table(wall("wall", 150, 40), fighters=[attacker(), plumed])).verdict == "hidden"
    assert judged(table(wall("wall", 150, 40), fighters=[attacker(), fighter("Vex", 300)])).verdict == "hidden"
    plumed["parts"][-1].pop("insignificant")
    assert judged(table(wall("wall", 150, 40), fighters=[attacker(), plumed])).verdict == "full cover"


def test_r10_models_in_the_way_obstruct() -> None:
    assert duel(others=[fighter("Ork", 150, 8)]).verdict == "full cover"
    assert duel(others=[fighter("Ork", 150, 12)]).verdict == "partial cover"


def test_r11_a6_their_bases_and_insignificant_parts_do_not() -> None:
    bearer = fighter("Ork", 150, 40)
    bearer["parts"].append({"box": [1, 60, 60], "at": [0, -40, 0], "insignificant": True})
    assert duel(others=[bearer]).verdict == "open"
    assert duel(others=[bearer], readings={"ignored_parts_block": True}).verdict == "hidden"


def test_r12_one_looks_from_the_attackers_eye() -> None:
    high, low = attacker(eye=[0, 0, 60]), attacker(eye=[0, 0, 5])
    assert judged(table(wall("wall", 150, 10), fighters=[high, fighter("Vex", 300)])).verdict == "open"
    assert judged(table(wall("wall", 150, 10), fighters=[low, fighter("Vex", 300)])).verdict == "partial cover"


@pytest.mark.parametrize(
    ("height", "verdict", "rule"),
    [(1.0, "open", "R13"), (17.0, "partial cover", "R14"), (22.0, "full cover", "R15"), (40.0, "hidden", "R8")],
)
def test_r13_r14_r15_open_partial_full(height: float, verdict: str, rule: str) -> None:
    found = duel(wall("wall", 150, height))
    assert (found.verdict, found.rule.number) == (verdict, rule)
    assert not found.marginal


def test_r15_exactly_half_is_full_cover() -> None:
    halves = [{"box": [2, 200, 90], "at": [0, 100, 0]}]
    found = duel({"name": "screen", "at": [150, 0], "parts": halves})
    assert found.could_be == ("partial cover", "full cover")
    other = next(word for word in found.could_be if word != found.verdict)
    assert found.reason.endswith(f"; too close to call, it could be {other}: roll off (R20)")
    assert abs(found.occluded - 0.5) <= found.counts.error


def friends(gang: str, kind: str = "fighter", **top: Any) -> NecromundaVerdict:
    """Kal, and someone of a gang in base contact right before its eye."""
    other = fighter("Jax", 25, gang=gang)
    return judged(
        table(
            fighters=[attacker(gang="Orlock"), fighter("Vex", 300), *([other] if kind == "fighter" else [])],
            vehicles=[{**other, "eye": [0, 0, 25]}] if kind == "vehicle" else [],
            **top,
        )
    )


def test_r17_friendly_fighters_in_base_contact_are_disregarded() -> None:
    assert friends("Orlock").verdict == "open"
    assert friends("Goliath").verdict == "hidden"
    assert friends("Orlock", base_contact=[]).verdict == "hidden"
    assert friends("Goliath", base_contact=[["Kal", "Jax"]]).verdict == "hidden"


def test_r17_the_reason_says_who_is_disregarded_where_that_matters() -> None:
    why = "Jax, a friend in base contact with Kal, is disregarded"
    otherwise = "if friends in base contact blocked line of sight (friends_in_contact = block sight): hidden"
    assert friends("Orlock").reason == f"nothing obscures Vex: in the open; {why}; {otherwise}"
    assert "disregarded" not in friends("Orlock", base_contact=[]).reason
    wall = {"name": "wall", "at": [200, 0, 0], "parts": [{"box": [4, 200, 60]}]}
    assert "disregarded" not in friends("Orlock", terrain=[wall]).reason, "hidden with it or without"
    low = {"name": "wall", "at": [200, 0, 0], "parts": [{"box": [4, 200, 15]}]}
    assert friends("Orlock", terrain=[low]).reason.endswith(f"less than half: partial cover; {why}; {otherwise}")
    beside = [fighter("Jax", 0, gang="Orlock", at=[0, -25]), fighter("Mo", 0, gang="Orlock", at=[-25, 0])]
    aside = table(fighters=[attacker(gang="Orlock"), fighter("Vex", 300), *beside])
    assert "disregarded" not in judged(aside).reason, "they stand behind and beside the eye"


def test_a7_the_other_reading_lets_them_block_line_of_sight_only() -> None:
    reading = {"friends_in_contact": "block sight"}
    found = friends("Orlock", readings=reading)
    assert (found.verdict, found.counts.occluded, found.measurement.seen) == ("hidden", 0, 0)
    lower = fighter("Jax", 25, gang="Orlock", parts=[{"box": [10, 60, 24]}, fighter("", 0)["parts"][1]])
    document = table(fighters=[attacker(gang="Orlock"), fighter("Vex", 300), lower], readings=reading)
    assert judged(document).verdict == "open"
    assert judged(document).reason.endswith("; Jax, a friend in base contact with Kal, is disregarded for cover")


BOX = {"name": "box", "parts": [{"box": [20, 40, 60]}]}


@pytest.mark.parametrize("off", [0.0, 5e-5, -5e-5])
@pytest.mark.parametrize(
    "place, words",
    [
        ([-10, 0, 0], ("open", "hidden")),  # the box stands behind the eye
        ([10, 0, 0], ("open", "hidden")),  # before it
        ([0, 20, 0], ("open", "hidden")),  # beside it
        ([0, 0, 25], ("open", "hidden")),  # above
        ([0, 0, -35], ("open", "hidden")),  # below: what it stands on
    ],
)
def test_an_eye_on_a_surface_or_a_hair_from_it_is_marginal(
    place: list[float], words: tuple[str, str], off: float
) -> None:
    place = [value + off * (value != 0) for value in place]
    found = duel({**BOX, "at": place})
    assert set(words) <= set(found.could_be)
    assert found.verdict in found.could_be
    assert "; how the eye of Kal, which lies on the surface of the box, is taken decides" in found.reason


def test_an_eye_off_a_surface_or_on_its_own_body_is_not_marginal() -> None:
    for off in (2e-4, -2e-4):
        assert len(duel({**BOX, "at": [-10 + off, 0, 0]}).could_be) == 1
    on_itself = {"name": "Kal", "at": [0, 0], "facing": 0, "parts": [{"box": [10, 8, 30]}], "eye": [0, -5, 25]}
    assert judged(table(fighters=[on_itself, fighter("Vex", 300)])).could_be == ("open",)
    behind_a_wall = duel({**BOX, "at": [-10, 0, 0]}, {"name": "wall", "at": [200, 0], "parts": [{"box": [4, 400, 90]}]})
    assert behind_a_wall.could_be == ("hidden",), "from either side"


def test_r18_vehicles_in_base_contact_still_block() -> None:
    assert friends("Orlock", "vehicle").verdict == "hidden"


def test_r19_nothing_is_seen_through_solid_terrain_from_either_side() -> None:
    inside = {"name": "block", "at": [300, 0, 0], "parts": [{"box": [40, 40, 60]}]}
    assert duel(inside).verdict == "hidden"


def test_a9_an_eye_inside_terrain_sees_nothing_and_is_reported() -> None:
    found = duel({"name": "block", "at": [0, 0], "parts": [{"box": [20, 20, 60]}]})
    assert found.verdict == "hidden"
    assert any("inside the block" in warning for warning in found.warnings)


def test_a9_an_eye_held_out_far_from_its_model_is_reported_inside_terrain_as_well() -> None:
    block = {"name": "block", "at": [100, 0, 0], "parts": [{"box": [40, 40, 60]}]}
    vex = fighter("Vex", 300)
    for ahead, is_inside in ((79.0, False), (81.0, True), (119.0, True), (121.0, False)):
        found = judged(table(block, fighters=[attacker(eye=[0, ahead, 25]), vex]))
        assert any("the eye of Kal lies inside the block" in warning for warning in found.warnings) is is_inside


def test_r20_too_close_to_call_says_so() -> None:
    found = duel(wall("wall", 150, 21.42))
    assert found.marginal
    assert found.could_be == ("partial cover", "full cover")
    assert "roll off" in found.reason
    exact = duel(wall("wall", 150, 21.42), tolerance=0.0)
    assert abs(exact.occluded - 0.5) > exact.counts.error or exact.marginal


def test_r21_asking_changes_nothing() -> None:
    assert duel(wall("wall", 150, 17)).row() == duel(wall("wall", 150, 17)).row()


def test_a1_a_target_across_the_arcs_edge_counts_whole_or_by_the_part_in_the_arc() -> None:
    board = fighter("Vex", 300, 300, parts=[{"box": [0.5, 40, 30]}])
    screen = {"name": "screen", "at": [150, 146], "parts": [{"box": [0.1, 8, 90]}]}
    whole = judged(table(screen, fighters=[attacker(), board]))
    within = judged(table(screen, fighters=[attacker(), board], readings={"share": "in arc"}))
    assert whole.occluded == within.occluded == pytest.approx(0.42, abs=0.02)
    assert whole.occluded_in_arc == within.occluded_in_arc == pytest.approx(0.8, abs=0.02)
    assert (whole.verdict, within.verdict) == ("partial cover", "full cover")


def test_a8_the_arc_has_no_limit_up_or_down() -> None:
    high = fighter("Vex", 100)
    high["at"] = [60, 0, 400]
    assert judged(table(fighters=[attacker(), high])).verdict == "open"


def test_a11_a_vehicles_wheels_and_hull_count() -> None:
    truck = {"name": "Vex", "at": [300, 0], "parts": [{"box": [60, 120, 30], "at": [0, 0, 8]}, {"box": [50, 100, 8]}]}
    assert judged(table(wall("kerb", 230, 6), fighters=[attacker()], vehicles=[truck])).verdict == "partial cover"


def test_a12_a_part_behind_another_part_is_not_obscured() -> None:
    deep = fighter("Vex", 300)
    deep["parts"].append({"box": [10, 10, 20], "at": [20, 0, 3]})
    assert judged(table(fighters=[attacker(), deep])).verdict == "open"


def test_the_result_has_every_key_of_the_contract() -> None:
    row = duel(wall("barricade", 150, 17)).row()
    assert tuple(row) == tuple(field.key for field in NecromundaVerdict.fields if not field.optional)
    keys = {"line_of_sight", "in_arc", "occluded", "occluded_in_arc", "error", "target_pixels", "occluded_pixels"}
    keys |= {
        "seen_pixels",
        "blockers",
        "marginal",
        "could_be",
        "rule",
        "reason",
        "renderer",
        "pixel",
        "decided_by",
        "projection",
    }
    assert keys <= set(row)
    assert row["occluded"] == pytest.approx(row["occluded_pixels"] / row["target_pixels"], abs=1e-4)
    assert row["blockers"] == [{"name": "barricade", "occluded": row["occluded"], "alone": row["occluded"]}]
    assert row["reason"] == "21.2 % of Vex is obscured by the barricade; less than half: partial cover"
    assert row["pixel"] == pytest.approx(0.2)
    assert row["projection"] == "flat"


def test_a_flat_target_seen_edge_on_is_hidden_and_not_said_to_be_out_of_the_arc(tmp_path: Path) -> None:
    sheet = "v 0 0 0\nv 0 0 30\nv 20 0 0\nf 1 2 3\n"
    (tmp_path / "sheet.obj").write_text(sheet, encoding="utf-8")
    flat = {"mesh": str(tmp_path / "sheet.obj"), "up": "z", "units": "mm", "base": "none", "name": "Vex"}
    for aside, verdict, in_arc in ((0, "hidden", None), (40, "open", True)):
        found = judged(table(fighters=[attacker(), {**flat, "at": [200, aside, 0]}]))
        assert (found.row()["verdict"], found.row()["in_arc"]) == (verdict, in_arc)
        assert found.words == verdict


@pytest.mark.parametrize(
    ("expect", "hint"),
    [
        ({"verdit": "open"}, "no result is called 'verdit'; did you mean 'verdict'"),
        ({"verdict": "partialcover"}, "no verdict is 'partialcover'; did you mean 'partial cover'"),
        ({"could_be": ["open", "hiden"]}, "'hiden'; did you mean 'hidden'"),
        ({"could_be": [None]}, "no could_be is null; there are 'open'"),
        ({"occluded": [0.2, "0.3"]}, r'occluded is \[0.2, "0.3"\]; it must be a value, or \[least, most\]'),
        ({"occluded": [0, True]}, r"occluded is \[0, true\]; it must be a value"),
        ({"occluded": [None, []]}, r"occluded is \[null, \[\]\]; it must be a value"),
    ],
)
def test_an_expectation_that_nothing_can_meet_is_a_mistake(expect: dict[str, Any], hint: str) -> None:
    document = table(fighters=[attacker(), fighter("Vex", 300)])
    document["check"] = [{"attacker": "Kal", "target": "Vex", "expect": expect}]
    with pytest.raises(SilhouetteError, match=hint):
        NECROMUNDA.load(NOWHERE, document, Cache(None))


@pytest.mark.parametrize("pixel", [1.0, 5.0, 10.0])
@pytest.mark.parametrize(("height", "verdict"), [(17.0, "partial cover"), (24.0, "full cover"), (40.0, "hidden")])
def test_the_coarsest_pixels_are_never_surely_wrong(pixel: float, height: float, verdict: str) -> None:
    found = judged(table(wall("wall", 150, height), fighters=[attacker(), fighter("Vex", 300)]), pixel=pixel)
    assert verdict in found.could_be
    assert found.measurement.pixel < 1.6
    assert (pixel <= 1.0) != any("mm per pixel instead of" in warning for warning in found.warnings)


def test_terrain_neither_looks_nor_is_looked_at() -> None:
    with pytest.raises(SilhouetteError, match="terrain"):
        judged(table(wall("wall", 150, 10), fighters=[attacker()]), target="wall")


def test_fighters_have_no_other_arc_than_the_front() -> None:
    found = judged(table(fighters=[attacker(), fighter("Vex", 300)]), arc="rear")
    assert (found.verdict, found.rule.number) == ("hidden", "R4")


@given(st.floats(-500, 500), st.floats(-500, 500), st.floats(0, 360), st.floats(2, 33))
@settings(max_examples=15)
def test_moving_and_turning_the_whole_table_changes_no_verdict(x: float, y: float, turn: float, height: float) -> None:
    from silhouette.common.geometry import Pose

    pose = Pose.standing((x, y, 0), turn)

    def moved(piece: dict[str, Any]) -> dict[str, Any]:
        at = pose.place([[*piece["at"], 0.0][:3]])[0]
        return {**piece, "at": at.tolist(), "facing": piece.get("facing", 90) + turn}

    pieces = [attacker(), fighter("Vex", 300, 20), fighter("Ork", 200, 12)]
    first = judged(table(wall("wall", 150, height), fighters=pieces))
    second = judged(table(moved(wall("wall", 150, height)), fighters=[moved(piece) for piece in pieces]))
    assert second.occluded == pytest.approx(first.occluded, abs=first.counts.error + second.counts.error)
    if not first.marginal and not second.marginal:
        assert second.verdict == first.verdict


def test_a8_a_target_that_only_touches_the_arc_is_out_of_it() -> None:
    touching = fighter("Vex", 0, 200, parts=[{"box": [20, 20, 30], "at": [-10, 0, 0]}])
    found = judged(table(fighters=[attacker(facing=45, eye=[0, 0, 18]), touching]))
    assert (found.verdict, found.measurement.seen, found.counts.in_arc) == ("hidden", 0, 0)


@pytest.mark.parametrize(
    "block",
    [
        {"name": "floor", "at": [0, 0, -5], "parts": [{"box": [2000, 2000, 30]}]},
        {"name": "step", "at": [0, 0, 0], "parts": [{"box": [30, 30, 25]}]},
        {"name": "post", "at": [-5, 0, 0], "parts": [{"box": [10, 30, 60]}]},
    ],
)
def test_a8_an_eye_that_only_touches_a_face_is_not_blocked_by_it(block: dict[str, Any], renderer: Renderer) -> None:
    scene = NECROMUNDA.load(NOWHERE, table(block, fighters=[attacker(), fighter("Vex", 300)]), Cache(None))
    found = ruled(NECROMUNDA, scene, Check("Kal", "Vex"), renderer, 0.2)
    assert found.line_of_sight
    if block["name"] == "post":
        assert found.verdict == "open"


def test_blockers_come_by_what_they_obscure_then_by_what_they_would_alone_then_by_name() -> None:
    beside = [wall("a", 280.0, 10.0, y=-6.0, width=12.0), wall("z", 280.0, 20.0, y=6.0, width=12.0)]
    assert [blocker.name for blocker in duel(*beside).blockers] == ["z", "a"]
    front = wall("front", 200.0, 90.0)
    behind = [wall("low", 280.0, 10.0), wall("middling", 282.0, 15.0), wall("tall", 284.0, 20.0)]
    found = duel(*behind, front).blockers
    assert [blocker.name for blocker in found] == ["front", "tall", "middling", "low"]
    assert [blocker.occluded > 0 for blocker in found] == [True, False, False, False]
    twins = [wall("b", 280.0, 10.0), wall("a", 280.0, 10.0)]
    assert [blocker.name for blocker in duel(front, *twins).blockers] == ["front", "a", "b"]
