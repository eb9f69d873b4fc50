"""SkirmishCorps: the worked cases, the shipped scenes, and each numbered rule."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.fields import unmet_expectations
from silhouette.rules.skirmishcorps.entries import RESULTS
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS
from silhouette.rules.skirmishcorps.shooting import leans
from silhouette.scenes.scene import Check
from tests.support.commands import run
from tests.support.rulings import ruled
from tests.support.skirmishcorps_scenes import Document, between, quick

PROJECT = Path(__file__).resolve().parents[3]
CASES = PROJECT.parent / "shared" / "rules" / "cases" / "skirmishcorps"
NAMES = sorted(path.stem for path in CASES.glob("*.json"))
SCENES = sorted((PROJECT / "scenes" / "skirmishcorps").glob("*.toml"))
PLAIN = quick()
ANYWHERE = {"protection_within": "any distance"}
FAR = ("prot_far_wall", "prot_two_pieces")
"""Worked cases of cover farther than a base from the target; the specification asks for no nearness."""


def rows(document: Document, renderer: Renderer = PLAIN, pixel: float = 0.4) -> list[dict[str, Any]]:
    scene = SKIRMISHCORPS.load(Path("table.toml"), document, Cache(None))
    return [ruled(SKIRMISHCORPS, scene, check, renderer, pixel).row() for check in scene.checks]


def asked(**keys: object) -> dict[str, Any]:
    """The one result of a check about no unit."""
    (row,) = rows({"rules": "skirmishcorps", "check": [keys]})
    return row


def judged_file(path: Path, renderer: Renderer) -> None:
    readings = {"readings": ANYWHERE} if path.stem in FAR else {}
    scene = SKIRMISHCORPS.load(path, read_document(path) | readings, Cache(None))
    assert scene.checks
    for check in scene.checks:
        assert check.expect
        row = ruled(SKIRMISHCORPS, scene, check, renderer, 0.1).row()
        assert not unmet_expectations(row, check.expect)
        assert list(row) == [field.key for field in RESULTS[row["ask"]]]
        assert not row.get("marginal")
        assert row.get("error", 0.0) <= 0.002


@pytest.mark.skipif(not NAMES, reason="needs ../shared (worked cases), which is not here")
@pytest.mark.parametrize("name", NAMES)
def test_a_worked_case_holds(name: str, renderer: Renderer) -> None:
    judged_file(CASES / f"{name}.json", renderer)


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_scene_gives_what_it_expects(path: Path, renderer: Renderer) -> None:
    document = read_document(path)
    assert document["title"]
    assert document["source"]["rules"]
    assert path.read_text(encoding="utf-8").startswith("# ")
    judged_file(path, renderer)


def test_the_scenes_cover_every_ask_and_every_verdict_of_protection() -> None:
    checks = [check for path in SCENES for check in read_document(path)["check"]]
    assert {check.get("ask", "protection") for check in checks} == set(RESULTS)
    wanted = {check["expect"].get("verdict") for check in checks if check.get("ask", "protection") == "protection"}
    assert {"open", "very low cover", "low cover", "high cover", "corner cover", "hidden"} <= wanted


def test_the_command_line_judges_it(capsys: pytest.CaptureFixture[str]) -> None:
    scene = PROJECT / "scenes" / "skirmishcorps" / "elevation.toml"
    ran = run(capsys, "check", scene, "--json", "--renderer", "reference", "--pixel", "0.5", "--no-cache")
    assert ran.status == 0
    found = ran.document["scenes"][0]["results"]
    assert [row["verdict"] for row in found] == ["low cover", "open"]
    assert run(capsys, "matrix", scene, "--renderer", "reference", "--pixel", "0.5", "--no-cache").status == 0
    asked_arc = run(capsys, "check", scene, "--from", "Acolyte", "--arc", "front", "--renderer", "reference")
    assert asked_arc.status == 2
    assert "look all round" in asked_arc.complaints[0]


def test_what_is_asked_about_nobody_has_nobody() -> None:
    row = asked(ask="classify", height=2, unit_height=4)
    assert (row["attacker"], row["target"], row["rules"]) == (None, None, "skirmishcorps")


def test_everyone_is_asked_about_everyone() -> None:
    scene = SKIRMISHCORPS.load(Path("table.toml"), between(), Cache(None))
    assert [(one.attacker, one.target) for one in SKIRMISHCORPS.everyone(scene)] == [("A", "T"), ("T", "A")]
    (one,) = SKIRMISHCORPS.between(scene, "A", None, None)
    assert ruled(SKIRMISHCORPS, scene, one, PLAIN, 0.4).verdict == "low cover"
    for wrong, words in (("w", "'w' is cover; name a unit"), ("Y", "nothing is called 'Y'")):
        with pytest.raises(RequestError, match=words):
            SKIRMISHCORPS.between(scene, wrong, None, None)
        with pytest.raises(RequestError, match=words):
            ruled(SKIRMISHCORPS, scene, Check("A", wrong), PLAIN, 0.4)


def test_it_is_registered() -> None:
    assert rule_called("skirmishcorps") is SKIRMISHCORPS
    assert (PROJECT / SKIRMISHCORPS.example).is_file()


# What the source text says, typed anew: class, to hit standing, to hit prone, firing from prone.
TABLE: list[tuple[str, int, int, int | None]] = [
    ("very low", 0, -2, 0),
    ("low", -2, -3, -1),
    ("high", -3, -4, None),
    ("corner", -3, -4, 0),
]


@pytest.mark.parametrize("kind, standing, prone, firing", TABLE)
def test_r5_to_r17_the_penalties(kind: str, standing: int, prone: int, firing: int | None) -> None:
    assert asked(ask="penalty", cover_class=kind, posture="standing")["penalty"] == standing
    assert asked(ask="penalty", cover_class=kind, posture="prone")["penalty"] == prone
    assert asked(ask="from prone", cover_class=kind)["penalty"] == firing


@pytest.mark.parametrize(
    "height, unit, kind",
    [
        *[(0.99, 4, "none"), (1, 4, "very low"), (2, 4, "low"), (3, 4, "high"), (4, 4, "high"), (4.01, 4, "corner")],
        *[(2.99, 12, "none"), (3, 12, "very low"), (6, 12, "low"), (9, 12, "high"), (12.1, 12, "corner")],
    ],
)
def test_r4_a3_a4_a_class_is_the_highest_step_reached(height: float, unit: float, kind: str) -> None:
    assert asked(ask="classify", height=height, unit_height=unit)["cover"] == kind


def test_r19_to_r21_attacking_cover() -> None:
    for damage in range(40):
        row = asked(ask="attack cover", damage=damage, defence=12, unit_defence=5)
        through = damage - 12 if damage > 12 else 0
        assert (row["effective"], row["passed_on"], row["unit_wounded"]) == (damage > 12, through, through > 5)
    assert asked(ask="attack cover", damage=13, defence=12)["unit_wounded"] is None


def test_r22_a5_wounds_by_both_bases() -> None:
    for defence in (1, 2, 3, 12):
        for damage in range(60):
            steps = [sum(entered > k * defence for k in range(1, 80)) for entered in (damage - defence, damage)]
            for basis, wounds in zip(("penetrating", "total"), steps, strict=True):
                keys = {"damage": damage, "defence": defence}
                assert asked(ask="cover wounds", basis=basis, **keys)["wounds"] == wounds
            assert bool(asked(ask="cover wounds", **keys)["other_readings"]) == (steps[0] != steps[1])


def test_a5_the_basis_is_a_reading_too() -> None:
    check = {"ask": "cover wounds", "damage": 13, "defence": 3}
    (row,) = rows({"rules": "skirmishcorps", "readings": {"basis": "total"}, "check": [check]})
    assert row["wounds"] == 4
    assert row["other_readings"] == [{"reading": "basis = penetrating", "verdict": "3 wounds", "wounds": 3}]


def test_r23_dice_are_given_or_drawn_from_a_seed() -> None:
    assert asked(ask="destroyed", dice=[1, 6])["destroyed"]
    assert not asked(ask="destroyed", dice=[])["destroyed"]
    drawn = asked(ask="destroyed", wounds=6000, seed=3)["dice"]
    assert drawn == asked(ask="destroyed", wounds=6000, seed=3)["dice"]
    assert all(900 < drawn.count(face) < 1100 for face in range(1, 7))
    assert asked(ask="pile through", unit_type="foot", seed=3, strength=1, defence=9, pace="jogging")["d6"] == drawn[0]


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert asked(ask="destroyed", wounds=3.0, seed=7.0) == asked(ask="destroyed", wounds=3, seed=7)
    assert rows({**between(ask="flanked"), "readings": {"dive_directions": 16.0}}) == rows(between(ask="flanked"))


def test_drawn_dice_do_not_depend_on_the_machine() -> None:
    script = "from silhouette.rules.skirmishcorps.classes import roll_dice; print(roll_dice(5, 7))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(2, 1, 4, 1, 4)"


def test_r24_r25_vaulting() -> None:
    for unit_type, kind, left, cost in (
        ("foot", "very low", 0, 0),
        ("mech", "low", 0, 0),
        ("foot", "high", 6, 6),
        ("mech", "high", 5.9, None),
        ("foot", "corner", 99, None),
        ("vehicle", "low", 99, None),
    ):
        row = asked(ask="vault", unit_type=unit_type, cover_class=kind, move_left=left)
        assert (row["possible"], row["cost"]) == (cost is not None, cost)


def test_r26_to_r30_piling_through() -> None:
    hurried = {"foot": "halted; DE test or prone and stunned", "mech": "halted; RE test or prone"}
    for die in range(1, 7):
        for pace in ("sneaking", "jogging", "running", "sprinting"):
            for unit_type, worse in hurried.items():
                keys = {"unit_type": unit_type, "d6": die, "strength": 8, "defence": 12, "pace": pace}
                row = asked(ask="pile through", **keys)
                halted = worse if pace in ("running", "sprinting") else "halted"
                assert row["through"] == row["cover_destroyed"] == (die > 4)
                assert row["consequence"] == ("none" if die > 4 else halted)
    for pace, consequence in (("cruising", "halted"), ("rushing", "halted; crashes"), ("flat-out", "halted; crashes")):
        keys = {"unit_type": "vehicle", "d6": 1, "strength": 1, "defence": 12, "pace": pace}
        assert asked(ask="pile through", **keys)["consequence"] == consequence


def test_r1_r2_in_contact_is_not_protected_and_protected_is_not_in_contact() -> None:
    behind = between(target={"at": [191.8, 0, 0]})
    assert [rows(behind)[0][key] for key in ("verdict", "in_contact_with")] == ["open", ["w"]]
    away = between(target={"at": [228, 0, 0]})
    assert [rows(away)[0][key] for key in ("verdict", "in_contact_with")] == ["low cover", []]


def test_r3_a2_the_share_that_is_practically_all_is_a_reading() -> None:
    far = between(target={"at": [446, 0, 0]})
    assert [rows(far)[0][key] for key in ("verdict", "rule_number")] == ["open", "R3"]
    assert rows({**far, "readings": {**ANYWHERE, "share_practically_all": 0.02}})[0]["verdict"] == "low cover"


def test_a1_the_contact_tolerance_is_a_reading() -> None:
    near = between(target={"at": [217, 0, 0]})
    assert rows(near)[0]["in_contact_with"] == []
    assert rows({**near, "readings": {"contact_tolerance": 1.0}})[0]["in_contact_with"] == ["w"]


@pytest.mark.parametrize(
    "x, within, verdict, told",
    [
        (224.0, None, "low cover", []),  # one base width from the wall
        (224.01, None, "open", [("protection_within = any distance", "low cover")]),
        (224.01, "any distance", "low cover", [("protection_within = one base width", "open")]),
        (228.0, 20.0, "low cover", [("protection_within = one base width", "open")]),
        (228.0, 19.9, "open", [("protection_within = any distance", "low cover")]),
    ],
)
def test_a1_how_near_cover_must_be_is_a_reading_and_is_told(
    x: float, within: str | float | None, verdict: str, told: list[tuple[str, str]]
) -> None:
    readings = {} if within is None else {"protection_within": within}
    (row,) = rows({**between(target={"at": [x + 8.0, 0, 0]}), "readings": readings})
    assert row["verdict"] == verdict
    assert [(other["reading"], other["verdict"]) for other in row["other_readings"]] == told
    width = {None: "one base width, 16", 19.9: "20"}.get(within, "")
    assert (f"more than {width} mm: no protection" in row["reason"]) == (verdict == "open")


def test_a1_a_nook_is_as_near_as_its_walls() -> None:
    """Of a piece of any shape, what rises above the feet of the unit counts, not the outline round it."""
    walls = [{"box": [8, 100, 19.2]}, {"box": [100, 8, 19.2], "at": [46, -46, 0]}]
    units = [{"name": "A", "at": [-200, 0]}, {"name": "T", "at": [40, 10]}]
    terrain = [{"name": "ruin", "at": [0, 0], "parts": walls}]
    check = [{"attacker": "A", "target": "T"}]
    document = {"rules": "skirmishcorps", "terrain": terrain, "unit": units, "check": check}
    assert [rows(document)[0][key] for key in ("verdict", "rule_number")] == ["open", "R1"]
    units[1]["at"] = [28, 10]
    assert rows(document)[0]["verdict"] == "low cover"


CORNER = {"at": [204, -39.5], "height": 6, "size": [8, 81]}
"""A wall taller than a figure, whose end is one mm to the left of a unit's middle as that looks back past it."""


@pytest.mark.parametrize("posture", ["standing", "prone"])
def test_a16_who_is_in_corner_cover_peeks_round_it(posture: str) -> None:
    document = between(attacker={"at": [216.2, 0, 0], "posture": posture}, target={"at": [0, 0, 0]}, cover=CORNER)
    if posture == "prone":
        document["unit"][0]["at"][0] += 12.0
    (row,) = rows(document)
    assert (row["verdict"], row["modifier"], row["line_of_sight"]) == ("open", 0, True)
    assert "A leans out past the corner of w, half a base (peeking = true)" in row["reason"]
    assert [(other["reading"], other["verdict"]) for other in row["other_readings"]] == [("peeking = false", "hidden")]
    (row,) = rows({**document, "readings": {"peeking": False}})
    assert (row["verdict"], row["modifier"]) == ("hidden", None)
    assert [(other["reading"], other["verdict"]) for other in row["other_readings"]] == [("peeking = true", "open")]
    scene = SKIRMISHCORPS.load(Path("table.toml"), document, Cache(None))
    unit = scene.unit("A")
    (lean,) = leans(scene, unit, scene.unit("T").standing)
    # Half a base past the wall's corner, (208, 1).
    assert lean.eye == pytest.approx([unit.piece.eye[0], 9.0, unit.piece.eye[2]])


@pytest.mark.parametrize(
    "keys",
    [
        {"attacker": {"at": [216.2, -16.5, 0]}},  # more than half a base from the corner
        {"attacker": {"at": [216.7, 0, 0]}},  # not in contact
        {"attacker": {"at": [216.2, 0, 0], "type": "vehicle"}},
        {"cover": {**CORNER, "height": 4.3}, "attacker": {"at": [216.2, 0, 0], "height": 4.4}},  # high cover for it
    ],
)
def test_a16_who_is_not_at_a_corner_does_not_peek(keys: Document) -> None:
    document = between(**{"target": {"at": [0, 0, 0]}, "cover": CORNER, **keys})
    scene = SKIRMISHCORPS.load(Path("table.toml"), document, Cache(None))
    assert leans(scene, scene.unit("A"), scene.unit("T").standing) == []
    assert "leans" not in rows(document)[0]["reason"]


def test_a16_a_wall_across_the_corner_keeps_the_head_in() -> None:
    document = between(attacker={"at": [216.2, 0, 0]}, target={"at": [0, 0, 0]}, cover=CORNER)
    document["cover"].append({"name": "spur", "at": [216, 8.6], "size": [8, 2], "height": 6})
    assert [rows(document)[0][key] for key in ("verdict", "other_readings")] == ["hidden", []]


def test_a16_who_peeks_flanks_too() -> None:
    document = between(attacker={"at": [216.2, 0, 0]}, target={"at": [-50, 0, 0]}, cover=CORNER, ask="flanked")
    document["cover"].append({"name": "back", "at": [-62.2, 0], "size": [8, 120], "height": 3})
    (row,) = rows(document)
    assert row["flanked"]
    assert row["other_readings"] == [{"reading": "peeking = false", "verdict": "not flanked"}]
    assert not rows({**document, "readings": {"peeking": False}})[0]["flanked"]


@pytest.mark.parametrize(
    "height, verdict, modifier", [(1, "very low cover", -2), (2, "low cover", -3), (3, "hidden", None)]
)
@pytest.mark.parametrize("by_model", [False, True])
def test_a17_a_raised_body_is_hit_over_low_cover(
    height: float, verdict: str, modifier: int | None, by_model: bool
) -> None:
    figure = {"parts": [{"box": [16, 10, 40]}], "eye": [0, 0, 35]} if by_model else {}
    target = {"at": [216.2, 0, 0], "posture": "prone", "lies_along": 90, **figure}
    document = between(target=target, cover={"height": height})
    (row,) = rows({**document, "readings": {"prone_body": "raised"}})
    assert (row["verdict"], row["modifier"]) == (verdict, modifier)
    assert "counts as half as high as it stands (prone_body = raised)" in row["reason"]
    (lying,) = rows(document)
    assert lying["verdict"] == ("hidden" if height > 1 else verdict)
    others = {other["reading"]: other["verdict"] for other in lying["other_readings"]}
    assert others.get("prone_body = raised") == ("low cover" if height == 2 else None)
    assert ("with prone_body = raised: low cover" in lying["reason"]) == (height == 2)


def test_a15_the_class_from_the_share_is_a_reading_and_is_told() -> None:
    high = between(attacker={"at": [0, 0, 250]})
    (row,) = rows(high)
    assert row["verdict"] == "low cover"
    other = {"reading": "cover_class = obscured share", "verdict": "very low cover", "cover": "very low", "modifier": 0}
    assert row["other_readings"] == [other]
    assert "with cover_class = obscured share: very low cover" in row["reason"]
    (row,) = rows({**high, "readings": {"cover_class": "obscured share"}})
    assert (row["verdict"], row["other_readings"][0]["verdict"]) == ("very low cover", "low cover")


def test_r13_nobody_prone_sees_over_high_cover_however_high_the_target() -> None:
    own = {"at": [12.2, 0, 0], "height": 3}
    tower = between(attacker={"posture": "prone", "lies_along": 90}, target={"at": [60, 0, 900]}, cover=own)
    (row,) = rows(tower)
    assert (row["verdict"], row["rule_number"]) == ("hidden", "R13")
    tower["unit"][0]["posture"] = "standing"
    assert rows(tower)[0]["verdict"] == "open"


def test_a_result_says_what_cover_does_to_the_roll() -> None:
    assert [rows(between(cover={"height": height}))[0]["roll"] for height in (0.5, 1, 2, 3)] == [None, None, "-2", "-3"]
    assert rows(between(cover={"height": 6}))[0]["roll"] is None, "hidden"


def test_a8_the_worst_single_piece_counts_and_at_equal_ones_the_first() -> None:
    two = between() | {"readings": ANYWHERE}
    two["cover"].append({**two["cover"][0], "name": "w2", "at": [154, 0, 0]})
    assert [rows(two)[0][key] for key in ("protected_by", "modifier")] == ["w", -2]
    two["cover"][1]["height"] = 3
    assert [rows(two)[0][key] for key in ("protected_by", "modifier")] == ["w2", -3]


def test_a13_units_of_other_sizes_fight_across_what_hides_not_both() -> None:
    tall = between(attacker={"at": [191.8, 0, 0]}, cover={"height": 6})
    tall["check"][0]["ask"] = "close combat"
    assert not rows(tall)[0]["possible"]
    tall["unit"][0] |= {"type": "mech", "height": 12, "at": [175.8, 0, 0]}
    assert rows(tall)[0]["possible"]


def test_a13_close_combat_over_any_height_is_a_reading_and_is_told() -> None:
    tall = between(attacker={"at": [191.8, 0, 0]}, cover={"height": 6}, ask="close combat")
    (row,) = rows(tall)
    assert row["other_readings"] == [{"reading": "close_combat_over = any height", "verdict": "close combat"}]
    assert "taller than both: no close combat; with close_combat_over = any height: close combat" in row["reason"]
    (row,) = rows({**tall, "readings": {"close_combat_over": "any height"}})
    assert (row["possible"], row["to_hit"], row["dodge_parry"]) == (True, -1, 1)
    other = {"reading": "close_combat_over = not taller than both", "verdict": "no close combat"}
    assert row["other_readings"] == [other]
    tall["cover"][0]["height"] = 4
    assert rows(tall)[0]["other_readings"] == []


def test_a14_the_dive_is_a_reading() -> None:
    behind = between(attacker={"at": [450, 0, 0]}, ask="flanked")
    assert not rows(behind)[0]["flanked"]
    assert rows({**behind, "readings": {"dive_distance": 10.0}})[0]["flanked"]
    assert rows({**behind, "readings": {"dive_directions": 1}})[0]["flanked"]


def test_terrain_and_models_stand_in_the_same_scene() -> None:
    document = between(cover={"at": [104, 300, 0]})
    document["terrain"] = [{"name": "crate", "at": [204, 0], "parts": [{"box": [60, 8, 22]}], "facing": 180}]
    document["unit"][1]["parts"] = [{"box": [10, 10, 40]}]
    (row,) = rows(document)
    assert (row["protected_by"], row["cover"], row["in_contact_with"]) == ("crate", "low", [])
    document["unit"][1] |= {"posture": "prone", "lies_along": 90}
    (row,) = rows(document)
    assert (row["verdict"], row["modifier"]) == ("hidden", None)


@pytest.mark.parametrize("at, touched", [([40, 10], []), ([12.4, 10], ["ruin"]), ([12.6, 10], []), ([40, 10, 2], [])])
def test_terrain_is_touched_where_it_is_and_not_in_its_nook(at: list[float], touched: list[str]) -> None:
    walls = [{"box": [8, 100, 19.2]}, {"box": [100, 8, 19.2], "at": [46, -46, 0]}]
    floor = [{"box": [100, 100, 2], "at": [46, 0, 0]}] if len(at) == 3 else []
    document: Document = {
        "rules": "skirmishcorps",
        "terrain": [{"name": "ruin", "at": [0, 0], "parts": walls + floor}],
        "unit": [{"name": "A", "at": [-200, 0]}, {"name": "T", "at": at}],
        "check": [{"attacker": "A", "target": "T"}, {"attacker": "A", "target": "T", "ask": "flanked"}],
    }
    seen, dived = rows(document)
    assert seen["in_contact_with"] == touched
    assert ("can dive to" in dived["reason"]) == bool(touched), "its body has room in the nook, behind the wall"
    document["unit"][1] |= {"posture": "prone", "lies_along": 0}
    document["unit"][0]["at"] = [200, 0]
    document["check"] = [{"attacker": "T", "target": "A"}]
    assert "fires prone over" not in rows(document)[0]["reason"], "the nook is open to that side"


def test_what_reaches_beyond_the_base_can_be_obscured_too() -> None:
    wings = [{"box": [10, 10, 3], "base": True}, {"box": [10, 80, 37], "at": [0, 0, 3]}]
    document = between(target={"parts": wings, "eye": [0, 0, 30]}, cover={"at": [180, 30, 0], "size": [8, 20]})
    document["cover"][0]["height"] = 5
    (row,) = rows({**document, "readings": ANYWHERE})
    assert (row["verdict"], row["protected_by"], row["in_contact_with"]) == ("corner cover", "w", [])
    # Of 80 mm the wall hides what lies beyond the line past its corner, (184, 20).
    assert row["occluded"] == pytest.approx((40 - 20 * 211.2 / 184) / 80, abs=0.002)


def test_a_prone_model_lies_on_its_face_with_its_head_along_and_lifted() -> None:
    figure = [{"box": [10, 8, 30]}, {"box": [6, 6, 10], "at": [0, 0, 30]}]
    document = between(target={"posture": "prone", "lies_along": 180, "parts": figure, "eye": [0, 3, 35]})
    scene = SKIRMISHCORPS.load(Path("table.toml"), document, Cache(None))
    unit = scene.unit("T")
    points = unit.piece.pose.place(unit.piece.model.mesh.vertices)
    assert points.min(axis=0) == pytest.approx([196.2, -5.0, 0.0])
    assert points.max(axis=0) == pytest.approx([236.2, 5.0, 8.0])
    assert unit.piece.eye == pytest.approx([201.2, 0.0, 7.0])
    assert (unit.bricks, unit.standing.high) == pytest.approx((4.0, 8.0))


@pytest.mark.long
def test_a_share_at_the_threshold_is_too_close_to_call() -> None:
    document = between(target={"at": [438, 0, 0]})
    (row,) = rows(document, quick(), 0.1)
    share, step = row["occluded"], row["error"] / 2.0
    assert step > 0.0
    for by, verdict, other in ((step, "open", "low cover"), (-step, "low cover", "open")):
        (row,) = rows({**document, "readings": {**ANYWHERE, "share_practically_all": share + by}}, quick(), 0.1)
        assert (row["verdict"], row["could_be"], row["marginal"]) == (verdict, ["open", "low cover"], True)
        assert f"; too close to call, it could be {other}" in row["reason"]


@pytest.mark.parametrize("off, could_be", [(0.0, ["open", "hidden"]), (5e-5, ["open", "hidden"]), (-1e-2, ["open"])])
def test_an_eye_on_a_surface_is_marginal(off: float, could_be: list[str]) -> None:
    """The rock ends at the eye of Kal, behind it."""
    rock = {"name": "rock", "at": [-10.0 + off, 0], "parts": [{"box": [20, 200, 90]}]}
    units = [{"name": name, "at": [x, 0]} for name, x in (("Kal", 0), ("Vex", 300))]
    check = [{"attacker": "Kal", "target": "Vex"}]
    (row,) = rows({"rules": "skirmishcorps", "unit": units, "terrain": [rock], "check": check})
    assert (row["could_be"], row["marginal"]) == (could_be, len(could_be) > 1)
    assert ("lies on the surface of the rock, is taken decides, which is not sure" in row["reason"]) == row["marginal"]


@pytest.mark.parametrize(
    ("name", "move", "who", "readings"),
    [
        ("round_the_corner", "Guardian A", ("--to", "Cybercop"), {"contact_tolerance": 6.0}),
        ("far_from_the_wall", "loiterer", ("--from", "Guardian"), {}),
        ("raised_behind_the_low_wall", "Acolyte A", ("--from", "Guardian"), {"prone_body": "raised"}),
    ],
)
def test_the_readings_hold_in_maps_and_odds(
    name: str,
    move: str,
    who: tuple[str, str],
    readings: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    scene = tmp_path / f"{name}.json"
    document = read_document(PROJECT / "scenes/skirmishcorps" / f"{name}.toml") | {
        "readings": readings,
        "table": [800, 400],
    }
    scene.write_text(json.dumps(document), encoding="utf-8")
    ran = run(capsys, "map", scene, "--move", move, *who, "--grid", "12", "--within", "40", "--json", "--no-cache")
    cells = [cell for cell in ran.document["cells"] if cell["stands"] and cell["at"][2] == 0.0]
    assert len({cell["verdict"] for cell in cells}) > 1
    pair = ("--from", move, *who) if who[0] == "--to" else (*who, "--to", move)
    for cell in cells[::4]:
        at = f"{move}={cell['at'][0]},{cell['at'][1]}"
        tried = run(capsys, "check", scene, *pair, "--at", at, "--json", "--no-cache")
        (row,) = tried.document["scenes"][0]["results"]
        assert row["verdict"] == cell["verdict"] or cell["marginal"], at
    odds = run(capsys, "check", scene, *pair, "--odds", "--json", "--no-cache")
    (row,) = odds.document["scenes"][0]["results"]
    assert row["odds"][row["verdict"]] > 0.5
    assert sum(row["odds"].values()) == pytest.approx(1.0)
