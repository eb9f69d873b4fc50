"""Crisis Protocol: the worked cases, the scenes that ship, and every numbered rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import RequestError
from silhouette.files.documents import read_document
from silhouette.rules.crisis_protocol.judge import VERDICTS, CrisisProtocolVerdict
from silhouette.rules.crisis_protocol.rule import CRISIS_PROTOCOL
from silhouette.rules.crisis_protocol.scene import MAX_BASE_OVERLAPS
from silhouette.rules.fields import unmet_expectations
from tests.support.commands import run
from tests.support.crisis_protocol_tables import box, load, moved, scene, verdict, verdicts, wall

PROJECT = Path(__file__).resolve().parents[3]
CASES = sorted((PROJECT.parent / "shared" / "rules" / "cases" / "crisis-protocol").glob("*.json"))
SCENES = sorted((PROJECT / "scenes" / "crisis_protocol").glob("*.toml"))


@pytest.mark.skipif(not CASES, reason="needs ../shared (worked cases), which is not here")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_worked_case_holds(path: Path) -> None:
    document = read_document(path)
    for check, found in zip(load(document, path).checks, verdicts(document), strict=True):
        assert check.expect
        assert not unmet_expectations(found.row(), check.expect)


@pytest.mark.thinned(quick=20, ci=35)
@pytest.mark.skipif(not CASES, reason="needs ../shared (worked cases), which is not here")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
@pytest.mark.parametrize("factor, degrees", [(1 / 25.4, 0), (1e-3, 90), (1e3, 37.3), (0.1, -123.4)])
def test_a_worked_case_holds_in_other_units_and_turned(path: Path, factor: float, degrees: float) -> None:
    """Exact touches stay exact touches: they do not hang on the last digit."""
    document = moved(read_document(path), factor, degrees, (3.3, -7.1))
    for check, found in zip(document["check"], verdicts(document), strict=True):
        assert not unmet_expectations(found.row(), check["expect"])


@pytest.mark.skipif(not CASES, reason="needs ../shared (worked cases), which is not here")
def test_worked_cases_hold_through_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "check", CASES[0].parent, "--json", "--quiet")
    assert ran.status == 0
    results = [result for each in ran.document["scenes"] for result in each["results"]]
    assert len(ran.document["scenes"]) == len(CASES)
    assert all(result["expected"] for result in results)


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_scene_that_ships_gives_what_it_expects(path: Path) -> None:
    document = read_document(path)
    found = load(document, path)
    assert found.title
    assert found.source
    assert not found.warnings
    assert path.read_text(encoding="utf-8").startswith("# ")
    for check, each in zip(found.checks, verdicts(document), strict=True):
        assert check.expect
        assert "verdict" in check.expect
        assert not unmet_expectations(each.row(), check.expect)


def test_a_row_has_the_keys_that_can_be_expected() -> None:
    row = verdict(scene(wall(2))).row()
    assert tuple(row) == tuple(field.key for field in CrisisProtocolVerdict.fields)
    assert {key for key, value in row.items() if isinstance(value, list)} == {
        field.key for field in CrisisProtocolVerdict.fields if field.is_list
    }


def test_r1_objects_can_be_looked_at_and_have_no_cover() -> None:
    console = {"name": "console", "size": 1, "polygon": box(230, -10, 250, 10)}
    document = scene(wall(2), object=[console], check=[{"attacker": "A", "target": "console"}])
    assert (verdict(document).verdict, verdict(document).cover) == ("hidden", None)
    console["size"] = 2
    found = verdict(document)
    assert (found.verdict, found.cover, found.rule.number) == ("open", None, "R2")
    assert found.sight_line == ((17.5, 0.0), (230.0, 0.0))


def test_the_distance_to_what_the_attacker_stands_on_is_none() -> None:
    crate = {"name": "crate", "size": 2, "polygon": box(-30, -30, 30, 30)}
    found = verdict(scene(crate, a={"on": "crate"}, check=[{"attacker": "A", "target": "crate"}]))
    assert found.distance == 0.0


def test_r2_one_line_is_enough() -> None:
    wide = {"name": "wall", "size": 5, "polygon": box(110, -20, 120, 17.6)}
    assert verdict(scene(wide)).verdict == "hidden"
    narrow = {"name": "wall", "size": 5, "polygon": box(110, -20, 120, 17.4)}
    found = verdict(scene(narrow))
    assert found.line_of_sight
    assert found.sight_line is not None
    assert all(abs(end[1] - 17.45) < 0.1 for end in found.sight_line)


def test_r3_characters_never_obstruct() -> None:
    document = scene()
    document["character"].append({"name": "Giant", "size": 9, "at": [120, 0], "base": 200})
    assert verdict(document).verdict == "open"


@pytest.mark.parametrize("size, sees", [(1, True), (2, True), (3, False)])
def test_r4_only_larger_terrain_obstructs(size: int, sees: bool) -> None:
    assert verdict(scene(wall(size))).line_of_sight == sees


def test_r5_the_attackers_size_does_not_matter() -> None:
    document = scene(wall(3), a={"size": 4})
    document["check"].append({"attacker": "B", "target": "A"})
    assert [each.line_of_sight for each in verdicts(document)] == [False, True]


@pytest.mark.parametrize("size, sees", [(3, True), (4, False)])
def test_r6_terrain_adds_its_size_to_the_target_on_it(size: int, sees: bool) -> None:
    crate = {"name": "crate", "size": 1, "polygon": box(215, -25, 265, 25)}
    found = verdict(scene(wall(size, 100, 110), crate, b={"on": "crate"}))
    assert found.line_of_sight == sees
    assert found.target_size == 3


def test_r7_the_attacker_ignores_what_it_stands_on_and_its_size() -> None:
    tower = {"name": "tower", "size": 5, "polygon": box(-40, -40, 40, 40)}
    assert verdict(scene(tower, a={"on": "tower"})).verdict == "open"
    assert verdict(scene(tower, wall(3), a={"on": "tower"})).verdict == "hidden"


@pytest.mark.parametrize("far, cover", [(162.5, True), (162.4, False)])
def test_r10_cover_needs_terrain_within_range_1(far: float, cover: bool) -> None:
    found = verdict(scene(wall(2, 150, far)))
    assert found.cover == cover
    assert found.rule.number == ("R14" if cover else "R10")


def test_r11_cover_needs_terrain_of_the_plain_size() -> None:
    assert verdict(scene(wall(1))).rule.number == "R11"
    assert verdict(scene(wall(2))).cover_from == ("wall",)
    crate = {"name": "crate", "size": 1, "polygon": box(215, -25, 265, 25)}
    assert verdict(scene(wall(2), crate, b={"on": "crate"})).cover_from == ("wall",)


@pytest.mark.parametrize("bottom, cover", [(17.5, False), (17.49, True)])
def test_r12_cover_needs_a_line_through_that_terrain(bottom: float, cover: bool) -> None:
    found = verdict(scene({"name": "wall", "size": 2, "polygon": box(190, bottom, 200, 60)}))
    assert found.cover == cover
    assert found.rule.number == ("R14" if cover else "R12")


@pytest.mark.parametrize("x, cover", [(155, False), (155.01, True)])
def test_r13_no_cover_from_within_range_2(x: float, cover: bool) -> None:
    found = verdict(scene(wall(2, 100, 120), b={"at": [x, 0]}))
    assert found.cover == cover
    assert found.rule.number == ("R14" if cover else "R13")


def test_r14_cover_does_not_hang_on_line_of_sight() -> None:
    found = verdict(scene(wall(3)))
    assert (found.verdict, found.line_of_sight, found.cover) == ("hidden", False, True)
    assert "it has cover as well, from the wall (R14)" in found.reason


def test_r15_a_card_gives_cover_whatever_the_conditions_say() -> None:
    found = verdict(scene(b={"at": [60, 0], "granted_cover": True}))
    assert (found.verdict, found.cover_from, found.rule.number) == ("cover", (), "R15")


def test_r16_cover_turns_a_die_to_a_block() -> None:
    for size, word, roll in ((2, "cover", "a die to a block"), (3, "hidden", None), (1, "open", None)):
        row = verdict(scene(wall(size))).row()
        assert (row["verdict"], row["roll"]) == (word, roll)


ROOF = {"name": "roof", "size": 3, "polygon": box(-60, -40, 190, 40)}


def test_a3_what_the_attacker_stands_on_gives_cover_but_for_one_reading() -> None:
    found = verdict(scene(ROOF, a={"on": "roof"}))
    assert found.verdict == "cover"
    assert found.reason.endswith("; if what A stands on gave no cover, it would be: open (A3)")
    (other,) = found.other_readings
    assert other == {
        "reading": "attacker_terrain_gives_cover = false",
        "verdict": "open",
        "cover": False,
        "cover_from": [],
    }
    document = scene(ROOF, a={"on": "roof"}, readings={"attacker_terrain_gives_cover": False})
    found = verdict(document)
    assert (found.verdict, found.rule.number) == ("open", "A3")
    assert [each["verdict"] for each in found.other_readings] == ["cover"]


def test_a3_is_not_told_where_it_changes_nothing() -> None:
    assert verdict(scene(ROOF, wall(2), a={"on": "roof"})).other_readings == ()


def test_a4_a_seam_lets_nothing_through_and_a_touch_does() -> None:
    low = {"name": "low", "size": 5, "polygon": box(100, -90, 110, 5)}
    high = {"name": "high", "size": 5, "polygon": box(100, 5, 110, 90)}
    found = verdict(scene(low, high))
    assert (found.verdict, found.in_the_way) == ("hidden", ("high", "low"))
    corner = {"name": "high", "size": 5, "polygon": box(110, 5, 120, 90)}
    assert verdict(scene(low, corner)).line_of_sight is False, "they touch at a corner"
    apart = {"name": "high", "size": 5, "polygon": box(100, 5.001, 110, 90)}
    assert verdict(scene(low, apart)).line_of_sight
    beyond = {"name": "low", "size": 5, "polygon": box(100, -90, 110, 17.5)}
    assert verdict(scene(beyond)).line_of_sight
    above = {"name": "high", "size": 5, "polygon": box(100, 17.5, 110, 90)}
    assert not verdict(scene(beyond, above)).line_of_sight


def test_a5_one_feature_must_meet_all_conditions() -> None:
    near, large = wall(1, 190, 200, "near"), wall(4, 60, 80, "large")
    found = verdict(scene(near, large))
    assert (found.cover, found.in_the_way) == (False, ("large",))


def test_a6_a_character_sees_itself() -> None:
    found = verdict(scene(ROOF, check=[{"attacker": "A", "target": "A"}]))
    assert (found.verdict, found.rule.number, found.distance) == ("open", "A6", 0.0)


def test_a7_a_base_partly_on_terrain_is_warned_of() -> None:
    warnings = load(scene(wall(3, 230, 300), ROOF, a={"on": "wall"})).warnings
    assert warnings == (
        "the base of A overlaps roof, but it is not said to stand on it",
        "A is said to stand on wall, but its base does not lie wholly on it",
        "the base of B overlaps wall, but it is not said to stand on it",
    )


@pytest.mark.parametrize(
    ("b", "said"),
    [
        ({"at": [20, 0]}, ("the bases of A and B overlap by 15 mm; move one",)),
        ({"at": [20, 0], "on": "roof"}, ()),  # one above the other
        ({"at": [34.5, 0]}, ()),
        ({"at": [35, 0]}, ()),
    ],
)
def test_bases_that_overlap_are_warned_of(b: dict[str, Any], said: tuple[str, ...]) -> None:
    roof = {"name": "roof", "size": 3, "polygon": box(-100, -100, 100, 100)}
    found = load(scene(roof, a={"base": 35}, b={"base": 35, **b})).warnings
    assert tuple(text for text in found if "bases" in text) == said
    crowd = [{"name": f"C{number}", "size": 2, "base": 35, "at": [0, 0]} for number in range(40)]
    assert len(load({**scene(), "character": crowd, "check": []}).warnings) == MAX_BASE_OVERLAPS


def test_a8_terrain_that_is_the_target_does_not_hide_itself() -> None:
    document = scene(wall(3), wall(2, 100, 110, "low"), check=[{"attacker": "A", "target": "wall"}])
    found = verdict(document)
    assert (found.verdict, found.cover, found.distance) == ("open", None, 162.5)
    assert verdict(scene(wall(3), wall(4, 100, 110, "high"), check=document["check"])).in_the_way == ("high",)


def test_an_object_among_blockers_that_touch_it_is_seen_by_what_is_free_of_it() -> None:
    niche = {"name": "niche", "size": 5, "polygon": [[200, -30], [230, -30], [230, -10], [250, -10], [250, 10]]}
    niche["polygon"] += [[230, 10], [230, 30], [200, 30], [200, 60], [270, 60], [270, -60], [200, -60]]
    console = {"name": "console", "size": 1, "polygon": box(230, -10, 250, 10)}
    document = scene(niche, object=[console], check=[{"attacker": "A", "target": "console"}])
    assert verdict(document).line_of_sight
    lid = {"name": "lid", "size": 5, "polygon": box(200, -30, 205, 30)}
    assert not verdict(scene(niche, lid, object=[console], check=document["check"])).line_of_sight


def test_the_reason_of_a_length_shows_on_which_side_of_the_limit_it_is() -> None:
    assert "60.00001 mm or more from B" in verdict(scene(wall(2, 100, 240 - 77.50001))).reason


def test_alone_comes_before_what_helps() -> None:
    found = verdict(scene(wall(5, 150, 160, "tower"), {"name": "post", "size": 5, "polygon": box(100, -5, 105, 5)}))
    assert found.in_the_way == ("tower", "post")
    assert "every line passes through the tower (size 5), larger than B (size 2): hidden" in found.reason


def test_what_is_asked_from_outside() -> None:
    console = {"name": "console", "size": 1, "polygon": box(230, 50, 250, 70)}
    found = load(scene(wall(3), object=[console]))
    asked = [(each.attacker, each.target) for each in CRISIS_PROTOCOL.everyone(found)]
    assert asked == [("A", "B"), ("B", "A"), ("A", "console"), ("B", "console")]
    assert [each.target for each in CRISIS_PROTOCOL.between(found, "A", None, None)] == ["B", "console"]
    assert [each.target for each in CRISIS_PROTOCOL.between(found, "A", "A", None)] == ["A"]
    for attacker, target, arc, words in (
        ("C", None, None, "nothing is called 'C'"),
        ("wall", None, None, "'wall' is no character"),
        ("A", "C", None, "nothing is called 'C'"),
        ("A", "B", "front", "has no arcs"),
    ):
        with pytest.raises(RequestError, match=words):
            CRISIS_PROTOCOL.between(found, attacker, target, arc)  # type: ignore[arg-type]


def test_every_verdict_occurs_in_the_scenes_that_ship() -> None:
    documents = [read_document(path) for path in SCENES]
    assert {each.verdict for document in documents for each in verdicts(document)} == set(VERDICTS)
