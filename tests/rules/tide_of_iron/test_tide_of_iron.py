"""Tide of Iron: the worked cases, the shipped scenes, every numbered rule, what results hold, what can be asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from silhouette.common.errors import FileError, RequestError
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.rules import rule_called
from silhouette.rules.fields import unmet_expectations
from silhouette.rules.tide_of_iron.judge import CAUSES, SECTIONS, TideOfIronVerdict
from silhouette.rules.tide_of_iron.rule import TIDE_OF_IRON
from silhouette.rules.tide_of_iron.scene import HexScene
from tests.support.commands import run
from tests.support.rulings import ruled
from tests.support.tide_of_iron_maps import judged, ruling, scene

ROOT = Path(__file__).resolve().parents[3]
CASES = sorted((ROOT.parent / "shared" / "rules" / "cases" / "tide-of-iron").glob("*.json"))
SCENES = sorted((ROOT / "scenes" / "tide_of_iron").glob("*.toml"))


def others_of(verdict: TideOfIronVerdict) -> list[tuple[str, str]]:
    return [(other["reading"], other["verdict"]) for other in verdict.other_readings]


def load(path: Path) -> HexScene:
    return TIDE_OF_IRON.load(path, read_document(path), Cache(None))


@pytest.mark.skipif(not CASES, reason="needs ../shared (worked cases), which is not here")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_worked_case_holds(path: Path) -> None:
    case = load(path)
    assert case.checks
    for check in case.checks:
        assert check.expect
        assert not unmet_expectations(ruled(TIDE_OF_IRON, case, check).row(), check.expect)
    for other in case.source.get("alternatives", []):
        (check,) = case.checks
        (found,) = ruled(TIDE_OF_IRON, case, check).row()["other_readings"]
        assert found["line_of_sight"] == other["los"]


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_shipped_scene_gives_what_it_expects(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    shipped = load(path)
    assert shipped.title
    assert {"text", "rules"} <= set(shipped.source)
    assert shipped.checks
    for check in shipped.checks:
        assert check.expect, "every check of a shipped scene expects something"
        verdict = ruled(TIDE_OF_IRON, shipped, check)
        assert not unmet_expectations(verdict.row(), check.expect)


def test_there_is_a_scene_for_every_cause_but_the_obvious_one() -> None:
    found = {ruled(TIDE_OF_IRON, load(path), check).cause for path in SCENES for check in load(path).checks}
    assert found == set(CAUSES) - {"same_hex"}
    assert (ROOT / TIDE_OF_IRON.example).is_file()


class TestRules:
    """R1 to R24 and A1 to A7, by number."""

    def test_r1_units_never_block(self) -> None:
        units = [{"name": "one", "at": [1, 0]}, {"name": "two", "at": [2, 0]}]
        assert ruling({}, (3, 0), unit=units) == (True, "clear", "R2")

    def test_r2_clear_where_nothing_blocks(self) -> None:
        assert ruling({(1, 1): "woods", (2, -1): "woods"}, (4, 0)) == (True, "clear", "R2")

    @pytest.mark.parametrize("terrain", ["woods", "building"])
    def test_r3_r4_blocking_terrain_on_the_line(self, terrain: str) -> None:
        verdict = judged({(2, 0): terrain}, (0, 0), (4, 0))
        assert (verdict.cause, verdict.rule.number, verdict.obstruction) == ("blocking_terrain", "R3", (2, 0))
        assert verdict.reason == f"[0, 0] does not see [4, 0]: the line enters the {terrain} at [2, 0]"

    def test_r5_a_hill_blocks_only_where_it_is_higher_than_both(self) -> None:
        ends = {(0, 0): 1, (4, 0): 1}
        assert ruling({**ends, (2, 0): 2}, (4, 0)) == (False, "higher_elevation", "R5")
        assert ruling({**ends, (2, 0): 1}, (4, 0)) == (True, "clear", "R2")
        assert ruling(ends, (4, 0)) == (True, "clear", "R2")

    def test_r6_the_whole_hex_blocks(self) -> None:
        assert ruling({(3, 0): "woods"}, (5, 1)) == (False, "blocking_terrain", "R3")

    def test_r7_terrain_does_not_block_sight_of_units_in_it(self) -> None:
        assert ruling({(0, 0): "woods", (3, 0): "building"}, (3, 0)) == (True, "clear", "R2")
        assert ruling({(0, 0): 1, (3, 0): "woods"}, (3, 0)) == (True, "clear", "R14")

    def test_r8_smoke_blocks(self) -> None:
        assert ruling({(1, 0): "smoke"}, (3, 0)) == (False, "blocking_terrain", "R8")

    def test_r9_r10_along_edges_one_free_side_is_enough(self) -> None:
        verdict = judged({(1, 0): "woods"}, (0, 0), (2, 2))
        assert (verdict.cause, verdict.along_edge, verdict.rule.number) == ("clear", True, "R10")
        left, right = verdict.row()["lines"]
        assert (left["side"], left["hexes"], left["cause"]) == ("left", [[0, 1], [1, 1], [1, 2]], "clear")
        assert (right["side"], right["hexes"], right["obstruction"]) == ("right", [[1, 0], [1, 1], [2, 1]], [1, 0])
        assert verdict.obstruction is None
        assert "shifted to either side, nothing blocks the line" in judged({}, (0, 0), (2, 2)).reason

    def test_r11_along_edges_with_neither_side_free(self) -> None:
        assert ruling({(1, 0): "woods", (0, 1): 1}, (1, 1)) == (False, "both_sides_blocked", "R11")
        assert ruling({(1, 1): "woods"}, (2, 2)) == (False, "both_sides_blocked", "R11")

    def test_r12_along_edges_each_shifted_line_has_its_closest_obstruction(self) -> None:
        verdict = judged({(0, 0): 1, (2, 1): "woods", (0, 1): "woods", (1, 2): "woods"}, (0, 0), (2, 2))
        assert verdict.cause == "both_sides_blocked"
        assert [line.finding.obstruction for line in verdict.lines] == [(1, 2), (2, 1)]
        assert ruling({(0, 0): 1, (1, 0): "woods", (0, 1): "woods"}, (2, 2)) == (True, "clear", "R10")

    def test_a1_a_corner_that_is_touched_blocks_as_a_reading(self) -> None:
        verdict = judged({(1, 1): "woods"}, (0, 0), (4, 1))
        assert (verdict.verdict, others_of(verdict)) == ("visible", [("touching = blocked", "hidden")])
        assert "if a hex blocked of which the line only touches a corner (touching = blocked): hidden" in verdict.reason
        blocked = judged({(1, 1): "woods"}, (0, 0), (4, 1), readings={"touching": "blocked"})
        assert (blocked.verdict, blocked.rule.number) == ("hidden", "R3")
        assert others_of(blocked) == [("touching = clear", "visible")]
        assert "the line touches a corner of the woods at [1, 1]" in blocked.reason
        assert [1, 1] in blocked.row()["lines"][0]["hexes"]
        assert ruling({(0, 2): "woods"}, (4, 1), readings={"touching": "blocked"}) == (True, "clear", "R2")

    def test_a5_three_levels_up_one_hex_may_be_blind(self) -> None:
        cliff = {(0, 0): 3, (3, 0): "woods"}
        verdict = judged(cliff, (0, 0), (4, 0))
        assert (verdict.verdict, others_of(verdict)) == ("visible", [("three_levels = one blind", "hidden")])
        hidden = judged(cliff, (0, 0), (4, 0), readings={"three_levels": "one blind"})
        assert (hidden.verdict, hidden.cause, hidden.rule.number) == ("hidden", "blind_hex", "A5")
        assert hidden.blind_hexes == ((4, 0),)
        assert "1 hex behind the woods at [3, 0], and from 3 levels up the next one is blind" in hidden.reason
        assert others_of(hidden) == [("three_levels = none blind", "visible")]
        beyond = judged(cliff, (0, 0), (5, 0), readings={"three_levels": "one blind"})
        assert (beyond.verdict, beyond.rule.number, others_of(beyond)) == ("visible", "A5", [])
        level = judged({(0, 0): 2, (3, 0): "woods"}, (0, 0), (4, 0), readings={"three_levels": "one blind"})
        assert others_of(level) == []

    def test_a6_each_edge_is_shifted_by_itself_as_a_reading(self) -> None:
        crossed = {(1, 0): "woods", (1, 2): "woods"}  # right of the first edge, left of the second
        verdict = judged(crossed, (0, 0), (2, 2))
        assert (verdict.verdict, others_of(verdict)) == ("hidden", [("shift = edge", "visible")])
        turning = judged(crossed, (0, 0), (2, 2), readings={"shift": "edge"})
        assert (turning.cause, turning.along_edge, turning.rule.number) == ("clear", True, "R10")
        assert [(line["side"], line["hexes"]) for line in turning.row()["lines"]] == [(None, [[0, 1], [1, 1], [2, 1]])]
        assert "each edge shifted to whichever side is free, nothing blocks the line" in turning.reason
        both = judged({(1, 0): "woods", (0, 1): "smoke"}, (0, 0), (2, 2), readings={"shift": "edge"})
        assert (both.verdict, both.cause, others_of(both)) == ("hidden", "both_sides_blocked", [])
        assert ruling({(1, 1): "woods"}, (2, 2), readings={"shift": "edge"}) == (False, "both_sides_blocked", "R11")

    def test_r13_hidden_is_no_line_of_sight(self) -> None:
        row = judged({(1, 0): "woods"}, (0, 0), (2, 0)).row()
        assert (row["verdict"], row["line_of_sight"]) == ("hidden", False)

    def test_r14_nothing_on_the_line_between_levels(self) -> None:
        assert ruling({(0, 0): 2}, (5, 0)) == (True, "clear", "R14")

    def test_r15_the_lower_unit_counts_whoever_attacks(self) -> None:
        described = {(0, 0): 1, (4, 0): "woods"}
        assert ruling(described, (6, 0)) == ruling(described, (0, 0), (6, 0)) == (False, "blind_hex", "R17")
        assert ruling(described, (7, 0)) == ruling(described, (0, 0), (7, 0)) == (True, "clear", "R19")

    def test_r16_the_obstruction_closest_to_the_lower_unit(self) -> None:
        assert judged({(0, 0): 1, (1, 0): "woods", (5, 0): "woods"}, (0, 0), (6, 0)).obstruction == (5, 0)
        assert judged({(0, 0): 1, (1, 0): "woods", (3, 0): "woods"}, (0, 0), (6, 0)).obstruction == (3, 0)

    @pytest.mark.parametrize("level, rule, blind", [(1, "R17", 2), (2, "R18", 1), (3, "A5", 0), (7, "A5", 0)])
    def test_r17_r18_r19_a5_blind_hexes_by_the_difference(self, level: int, rule: str, blind: int) -> None:
        for behind in range(1, 5):
            verdict = judged({(0, 0): level, (2, 0): "woods"}, (0, 0), (2 + behind, 0))
            assert verdict.line_of_sight == (behind > blind)
            assert verdict.blind_hexes == tuple((3 + k, 0) for k in range(blind))
            assert verdict.obstruction == (2, 0)
            assert verdict.rule.number == (rule if behind <= blind or rule == "A5" else "R19")

    def test_r20_a_hill_up_to_the_higher_level_casts_blind_hexes(self) -> None:
        assert ruling({(0, 0): 1, (3, 0): 1}, (5, 0)) == (False, "blind_hex", "R17")
        assert ruling({(0, 0): 2, (3, 0): 1}, (4, 0)) == (False, "blind_hex", "R18")
        assert ruling({(0, 0): 2, (3, 0): 2}, (4, 0)) == (False, "blind_hex", "R18")

    def test_r21_a_hill_higher_than_both_blocks_at_any_distance(self) -> None:
        assert ruling({(0, 0): 1, (1, 0): 2}, (8, 0)) == (False, "higher_elevation", "R21")
        assert ruling({(0, 0): 3, (2, 0): 4}, (8, 0)) == (False, "higher_elevation", "R21")

    @pytest.mark.parametrize("level", range(5))
    def test_r22_adjacent_units_always_see_each_other(self, level: int) -> None:
        described = {(0, 0): ("woods", level), (1, -1): ("smoke", 1)}
        assert ruling(described, (1, -1)) == (True, "adjacent", "R22")

    def test_r23_across_an_adjacent_hex_of_its_own_level(self) -> None:
        described = {(0, 0): 1, (1, 0): 1}
        assert ruling(described, (2, 0)) == ruling(described, (0, 0), (2, 0)) == (False, "plateau", "R23")
        assert ruling(described, (9, 0)) == (False, "plateau", "R23")
        assert ruling({**described, (4, 0): 1}, (4, 0)) == (True, "clear", "R2")

    def test_r24_on_the_edge_of_the_hill(self) -> None:
        assert ruling({(0, 0): 1, (1, 0): 1}, (5, 0), (1, 0)) == (True, "clear", "R14")

    def test_a1_touching_a_corner_is_not_entering(self) -> None:
        assert ruling({(1, 1): "woods", (3, 0): "woods"}, (4, 1)) == (True, "clear", "R2")

    def test_a2_hexes_behind(self) -> None:
        described = {(0, 0): 1, (1, 1): "woods"}
        verdict = judged(described, (0, 0), (3, 1))
        assert verdict.blind_hexes == ((2, 0), (2, 1), (3, 1))
        assert verdict.row()["other_readings"] == [
            {"reading": "behind = hexes entered", "verdict": "visible", "line_of_sight": True}
        ]
        assert verdict.reason.endswith("were counted (behind = hexes entered): visible")
        other = judged(described, (0, 0), (3, 1), readings={"behind": "hexes entered"})
        assert (other.verdict, other.blind_hexes) == ("visible", ((2, 0), (2, 1)))
        assert others_of(other) == [("behind = hex distance", "hidden")]

    def test_a3_which_hills_obstruct(self) -> None:
        described = {(0, 0): 2, (3, 0): 1, (4, 0): 1}
        verdict = judged(described, (0, 0), (4, 0))
        assert (verdict.verdict, others_of(verdict)) == ("visible", [("hills = literal", "hidden")])
        assert ruling(described, (4, 0), readings={"hills": "literal"}) == (False, "blind_hex", "R17")

    def test_a4_woods_below_both(self) -> None:
        described = {(0, 0): 1, (2, 0): "woods", (4, 0): 1}
        verdict = judged(described, (0, 0), (4, 0))
        assert (verdict.verdict, others_of(verdict)) == ("hidden", [("low_woods = height", "visible")])
        assert ruling(described, (4, 0), readings={"low_woods": "height"}) == (True, "clear", "R2")
        assert ruling({**described, (2, 0): ("woods", 1)}, (4, 0), readings={"low_woods": "height"})[0] is False

    def test_a6_the_whole_line_is_shifted(self) -> None:
        assert ruling({(1, 0): "woods", (1, 2): "woods"}, (2, 2)) == (False, "both_sides_blocked", "R11")

    def test_a7_a_hex_sees_itself(self) -> None:
        assert ruling({(0, 0): "woods"}, (0, 0)) == (True, "same_hex", "A7")

    def test_every_rule_that_decides_has_its_section(self) -> None:
        text = {"R3": "Same Level", "R11": "Hex Edges", "R17": "Different Levels", "R23": "Plateau", "R22": "Adjacent"}
        assert all(words in SECTIONS[number] for number, words in text.items())


class TestResults:
    """What a result holds, and what can be asked."""

    def test_the_keys_of_a_row(self) -> None:
        units = [{"name": "squad A", "at": [4, 0]}]
        hexes = scene({(2, 0): "woods"}, unit=units, check=[{"attacker": "squad A", "target": [0, 0]}])
        row = ruled(TIDE_OF_IRON, hexes, hexes.checks[0]).row()
        assert tuple(row) == tuple(field.key for field in TideOfIronVerdict.fields)
        assert (row["attacker"], row["target"], row["distance"]) == ("squad A", [0, 0], 4)
        assert json.loads(json.dumps(row)) == row

    @pytest.mark.parametrize("spelt", ["[4, 0]", "4,0", " 4 , 0"])
    def test_an_address_is_asked_for_in_words(self, spelt: str) -> None:
        hexes = scene({(2, 0): "woods"}, unit=[{"name": "squad A", "at": [0, 0]}])
        (check,) = TIDE_OF_IRON.between(hexes, "squad A", spelt, None)
        assert (check.attacker, check.target) == ("squad A", "[4, 0]")
        assert ruled(TIDE_OF_IRON, hexes, check).row()["target"] == [4, 0]

    def test_everyone_is_each_unit_to_every_hex_of_the_map(self) -> None:
        units = [{"name": "A", "at": [0, 0]}, {"name": "B", "at": [0, 2]}]
        hexes = scene({(1, 0): "woods"}, unit=units, check=[{"attacker": "A", "target": [2, 1]}])
        every = [[q, r] for r in range(3) for q in range(3)]
        asked = TIDE_OF_IRON.everyone(hexes)
        assert [(one.attacker, json.loads(one.target)) for one in asked] == [(n, at) for n in "AB" for at in every]
        assert [json.loads(one.target) for one in TIDE_OF_IRON.between(hexes, "1,0", None, None)] == every

    def test_without_units_everyone_is_each_described_hex(self) -> None:
        asked = TIDE_OF_IRON.everyone(scene({(0, 0): 1, (1, 1): "woods"}))
        assert {one.attacker for one in asked} == {"[0, 0]", "[1, 1]"}
        assert len(asked) == 2 * 4

    def test_the_attackers_own_hex_is_asked_about(self) -> None:
        (check,) = TIDE_OF_IRON.between(scene({}), "3,3", None, None)
        assert (check.attacker, check.target) == ("[3, 3]", "[3, 3]")

    @pytest.mark.parametrize(("apart", "checks"), [(10_000, 51), (1_000, 501)])
    def test_lines_that_enter_too_many_hexes_together_are_refused(self, apart: int, checks: int) -> None:
        many = [{"attacker": [-apart, 0], "target": [apart, 0]}] * checks
        with pytest.raises(FileError, match="hexes; at most 1,000,000 are traced together: ask less at once"):
            scene({}, check=many)
        assert len(scene({}, check=many[1:]).checks) == checks - 1

    def test_what_cannot_be_asked(self) -> None:
        ask, everyone = TIDE_OF_IRON.between, TIDE_OF_IRON.everyone
        hexes = scene({}, unit=[{"name": "squad A", "at": [0, 0]}])
        far = scene({(-10_000, 0): 1, (10_000, 10_000): 1})
        asked: list[tuple[Callable[[], object], str]] = [
            (
                lambda: ask(hexes, "squad B", None, None),
                "'squad B' is no unit, nor an address such as 4,0; did you mean",
            ),
            (
                lambda: ask(hexes, "squad A", "nowhere", None),
                "'nowhere' is no unit, nor an address such as 4,0; the units",
            ),
            (lambda: ask(hexes, "squad A", "4,99999", None), "'4,99999' lies off every map"),
            (lambda: ask(hexes, "squad A", "4,0", "front"), "look all round; leave the arc 'front' out"),
            (lambda: everyone(scene({})), "no unit stands there and no hex is described"),
            (lambda: everyone(far), "lie 20001 x 10001 apart"),
            (lambda: everyone(scene({(q, q): 1 for q in range(60)})), "more than 100000 checks"),
        ]
        for question, words in asked:
            with pytest.raises(RequestError) as caught:
                question()
            assert words in str(caught.value)

    def test_what_a_hex_does_not_say_is_as_the_map_says(self) -> None:
        document = {
            "rules": "tide-of-iron",
            "map": {"default": {"elevation": 1, "terrain": "woods"}, "hex": [{"at": [1, 0], "elevation": 2}]},
        }
        hexes = TIDE_OF_IRON.load(Path("hexes.toml"), document, Cache(None))
        assert hexes.ground((1, 0)) == ("woods", 2)
        assert hexes.ground((9, 9)) == ("woods", 1)

    def test_it_is_a_rule_system_of_the_program(self) -> None:
        assert rule_called("tide-of-iron") is TIDE_OF_IRON


class TestCommands:
    """Through the command line."""

    @pytest.mark.skipif(not CASES, reason="needs ../shared (worked cases), which is not here")
    def test_the_cases_pass(self, capsys: pytest.CaptureFixture[str]) -> None:
        ran = run(capsys, "check", "--json", "--renderer", "reference", "--no-cache", *CASES)
        assert ran.status == 0, ran.err
        assert all(row["expected"] for each in ran.document["scenes"] for row in each["results"])

    def test_a_scene_of_ours_in_words(self, capsys: pytest.CaptureFixture[str]) -> None:
        path = ROOT / TIDE_OF_IRON.example
        ran = run(capsys, "check", path, "--renderer", "reference", "--no-cache")
        assert ran.status == 0, ran.err
        assert "the line enters the woods at [0, 2]" in " ".join(ran.out.split())

    def test_from_a_unit_to_an_address_and_to_the_whole_map(self, capsys: pytest.CaptureFixture[str]) -> None:
        path = ROOT / "scenes" / "tide_of_iron" / "blind_hexes_from_level_1.toml"
        common = ("--json", "--renderer", "reference", "--no-cache")
        one = run(capsys, "check", path, "--from", "vantage point", "--to", "0,3", *common)
        (row,) = one.document["scenes"][0]["results"]
        assert (one.status, row["target"], row["cause"]) == (0, [0, 3], "blind_hex")
        whole = run(capsys, "check", path, "--from", "vantage point", *common)
        assert whole.status == 0
        assert len(whole.document["scenes"][0]["results"]) == 9 * 10
        matrix = run(capsys, "matrix", path, *common)
        assert matrix.status == 0
        assert len(matrix.document["scenes"][0]["results"]) == 9 * 10

    def test_an_expectation_that_does_not_hold(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        path = tmp_path / "hexes.toml"
        path.write_text(
            'rules = "tide-of-iron"\n[[check]]\nattacker = [0, 0]\ntarget = [2, 0]\nexpect = { verdict = "hidden" }\n'
        )
        assert run(capsys, "check", path, "--renderer", "reference", "--no-cache").status == 1
