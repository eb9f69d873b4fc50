"""Tide of Iron: every comparison of the rules with a case exactly on its threshold, and one on either side."""

from __future__ import annotations

from typing import Any

import pytest

from silhouette.rules.tide_of_iron.hexes import LEFT_SHIFT, RIGHT_SHIFT, along_edges, distance, entered
from silhouette.rules.tide_of_iron.judge import Ends
from tests.support.tide_of_iron_maps import judged, ruling

SIX = (0, 0), (6, 0)
"""Two hexes six apart, with (1, 0) to (5, 0) between them."""


@pytest.mark.parametrize(
    ("hill", "expected"),
    [(1, (True, "clear", "R2")), (2, (True, "clear", "R2")), (3, (False, "higher_elevation", "R5"))],
)
def test_r5_on_one_level_a_hill_blocks_from_one_level_above_the_units(
    hill: int, expected: tuple[bool, str, str]
) -> None:
    assert ruling({(0, 0): 2, (3, 0): hill, (6, 0): 2}, (6, 0)) == expected


@pytest.mark.parametrize(
    ("hill", "cause", "rule"),
    [(2, "clear", "R19"), (3, "clear", "R19"), (4, "higher_elevation", "R21")],
)
def test_r21_between_levels_a_hill_blocks_from_one_level_above_the_higher_unit(
    hill: int, cause: str, rule: str
) -> None:
    described = {(0, 0): 3, (3, 0): hill, (6, 0): 1}
    assert ruling(described, (6, 0)) == (cause == "clear", cause, rule)
    assert ruling(described, (0, 0), (6, 0)) == (cause == "clear", cause, rule)


@pytest.mark.parametrize(
    ("at", "level", "cause", "rule"),
    [
        ((1, 0), 1, "clear", "R19"),
        ((1, 0), 2, "plateau", "R23"),
        ((1, 0), 3, "higher_elevation", "R21"),
        ((2, 0), 2, "clear", "R19"),
    ],
)
def test_r23_a_plateau_is_the_adjacent_hex_at_exactly_the_level_of_the_higher_unit(
    at: tuple[int, int], level: int, cause: str, rule: str
) -> None:
    described = {(0, 0): 2, at: level}
    assert ruling(described, (6, 0)) == (cause == "clear", cause, rule)
    assert ruling(described, (0, 0), (6, 0)) == (cause == "clear", cause, rule)


@pytest.mark.parametrize(
    ("higher", "behind", "hidden", "rule"),
    [
        (1, 1, True, "R17"),
        (1, 2, True, "R17"),
        (1, 3, False, "R19"),
        (2, 1, True, "R18"),
        (2, 2, False, "R19"),
        (3, 1, False, "A5"),
        (4, 1, False, "A5"),
    ],
)
def test_r17_r18_a5_two_hexes_one_or_none_are_blind(higher: int, behind: int, hidden: bool, rule: str) -> None:
    described = {(0, 0): higher, (6 - behind, 0): "woods"}
    for start, end in (SIX, SIX[::-1]):
        found = judged(described, start, end)
        assert (found.cause, found.rule.number) == ("blind_hex" if hidden else "clear", rule)
        assert (found.obstruction, found.lines[0].finding.behind) == ((6 - behind, 0), behind)


@pytest.mark.parametrize("hill, hidden", [(0, False), (1, False), (2, True)])
def test_r20_a3_a_hill_obstructs_from_one_level_above_the_lower_unit(hill: int, hidden: bool) -> None:
    described = {(0, 0): 3, (5, 0): hill, (6, 0): 1}
    assert ruling(described, (6, 0)) == ((False, "blind_hex", "R18") if hidden else (True, "clear", "R14"))


@pytest.mark.parametrize("hill, hidden", [(0, False), (1, True), (2, True)])
def test_a3_read_literally_a_hill_obstructs_from_level_1(hill: int, hidden: bool) -> None:
    described = {(0, 0): 3, (5, 0): hill, (6, 0): 1}
    found = ruling(described, (6, 0), readings={"hills": "literal"})
    assert found == ((False, "blind_hex", "R18") if hidden else (True, "clear", "R14"))


@pytest.mark.parametrize("woods, hidden", [(0, False), (1, True), (2, True)])
def test_a4_read_by_height_woods_block_from_the_level_of_the_lower_unit(woods: int, hidden: bool) -> None:
    readings = {"low_woods": "height"}
    for attacker, target in ((1, 1), (1, 2), (2, 1)):
        described = {(0, 0): attacker, (5 if target == 1 else 1, 0): ("woods", woods), (6, 0): target}
        assert judged(described, *SIX, readings=readings).line_of_sight is not hidden


def test_r22_adjacent_units_always_see_each_other_and_those_two_apart_do_not() -> None:
    assert ruling({(0, 0): ("woods", 0), (1, 0): ("building", 9)}, (1, 0)) == (True, "adjacent", "R22")
    assert ruling({}, (0, 0))[1] == "same_hex"
    assert ruling({(1, 0): "woods"}, (2, 0)) == (False, "blocking_terrain", "R3")


def test_a1_a_line_through_a_corner_enters_only_what_it_is_shifted_towards() -> None:
    """From (0, 0) to (4, 1) the line passes exactly through corners of (1, 1) and (3, 0)."""
    assert entered((0, 0), (4, 1)) == [(1, 0), (2, 0), (2, 1), (3, 1)]
    assert {(1, 1)} == set(entered((0, 0), (4, 1), LEFT_SHIFT)) - set(entered((0, 0), (4, 1)))
    assert {(3, 0)} == set(entered((0, 0), (4, 1), RIGHT_SHIFT)) - set(entered((0, 0), (4, 1)))
    for at in ((1, 1), (3, 0)):
        assert ruling({at: "woods"}, (4, 1)) == (True, "clear", "R2")
    # One step further the same hex is entered; one step nearer the line does not come to it.
    assert (1, 1) in entered((0, 0), (3, 1))
    assert (1, 1) not in entered((0, 0), (5, 1))


@pytest.mark.parametrize("end, along", [((3, 3), True), ((4, 3), False), ((3, 4), False), ((-4, 2), True)])
def test_r9_a_line_runs_along_edges_only_in_exactly_those_directions(end: tuple[int, int], along: bool) -> None:
    assert along_edges((0, 0), end) is along
    assert len(judged({}, (0, 0), end).lines) == (2 if along else 1)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_distances_are_counted_in_steps(steps: int) -> None:
    for q, r in ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)):
        assert distance((5, -3), (5 + steps * q, -3 + steps * r)) == steps
    assert distance((0, 0), (steps, steps)) == 2 * steps


@pytest.mark.parametrize("attacker, target, higher", [(1, 2, "T"), (2, 2, "A"), (3, 2, "A")])
def test_on_one_level_the_attacker_counts_as_the_higher_one(attacker: int, target: int, higher: str) -> None:
    ends = Ends("A", "T", (0, 0), (4, 0), attacker, target)
    assert (ends.higher[0], ends.downward) == (higher, higher == "A")
    assert {ends.higher[0], ends.lower[0]} == {"A", "T"}
    assert ends.nearest_to == ((0, 0) if attacker <= target else (4, 0))


@pytest.mark.parametrize("start, end", [SIX, SIX[::-1]])
def test_of_two_obstructions_the_one_is_named_that_the_rule_means_whichever_unit_attacks(
    start: tuple[int, int], end: tuple[int, int]
) -> None:
    """(0, 0) is the higher end. A hill above both is looked for from there, a blind hex from the lower unit."""
    hills = {(0, 0): 2, (2, 0): 3, (4, 0): 3, (6, 0): 1}
    assert judged(hills, start, end).obstruction == (2, 0)
    woods: dict[tuple[int, int], Any] = {(0, 0): 1, (2, 0): "woods", (5, 0): "woods"}
    for behind in ("hexes entered", "hex distance"):
        found = judged(woods, start, end, readings={"behind": behind})
        assert (found.obstruction, found.lines[0].finding.behind) == ((5, 0), 1)


def test_r8_of_two_clouds_of_smoke_the_one_nearest_to_the_attacker_is_named() -> None:
    smoke: dict[tuple[int, int], Any] = {(1, 0): "smoke", (3, 0): "smoke"}
    assert judged(smoke, (0, 0), (4, 0)).obstruction == (1, 0)
    assert judged(smoke, (4, 0), (0, 0)).obstruction == (3, 0)


@pytest.mark.parametrize("at, level, rule", [((3, 0), 3, "R21"), ((1, 0), 2, "R23")])
def test_r17_r18_a_hill_above_both_and_a_plateau_have_no_blind_hexes(
    at: tuple[int, int], level: int, rule: str
) -> None:
    found = judged({(0, 0): 2, at: level}, *SIX)
    assert found.rule.number == rule
    assert found.lines[0].blind_hexes == ()
    assert judged({(0, 0): 2, at: "woods"}, *SIX).lines[0].blind_hexes == ((at[0] + 1, 0),)


@pytest.mark.parametrize(
    ("level", "behind", "reason"),
    [
        (1, 1, "is 1 hex behind the woods at [5, 0], and from 1 level up the next 2 are blind"),
        (1, 2, "is 2 hexes behind the woods at [4, 0], and from 1 level up the next 2 are blind"),
        (1, 3, "is 3 hexes behind the woods at [3, 0], and from 1 level up only the next 2 are blind"),
        (2, 1, "is 1 hex behind the woods at [5, 0], and from 2 levels up the next one is blind"),
        (2, 2, "is 2 hexes behind the woods at [4, 0], and from 2 levels up only the next one is blind"),
        (3, 1, "is 1 hex behind the woods at [5, 0], and from 3 levels up none is blind"),
    ],
)
def test_r17_r18_r19_the_reason_counts_the_hexes_and_the_levels(level: int, behind: int, reason: str) -> None:
    own, _, _ = judged({(0, 0): level, (6 - behind, 0): "woods"}, *SIX).reason.partition("; if from three levels")
    assert own.endswith(reason)


def test_r21_the_reason_names_one_level_or_two() -> None:
    for higher in (2, 1000):
        for target, levels in ((int(f"{higher}"), f"level {higher}"), (1, f"levels {higher} and 1")):
            found = judged({(0, 0): higher, (3, 0): higher + 1, (6, 0): target}, *SIX)
            hill = f"the hill at [3, 0] (level {higher + 1})"
            assert found.reason.endswith(f"{hill} is higher than both of them ({levels})")


@pytest.mark.parametrize(
    ("attacker", "target", "reason"),
    [
        (0, 0, "nothing blocks the line, both are on level 0"),
        (2, 2, "nothing blocks the line, both are on level 2"),
        (2, 1, "nothing blocks the line from level 2 to 1"),
        (1, 2, "nothing blocks the line from level 1 to 2"),
    ],
)
def test_r2_r14_the_reason_of_a_clear_line_names_the_levels(attacker: int, target: int, reason: str) -> None:
    assert judged({(0, 0): attacker, (6, 0): target}, *SIX).reason.endswith(reason)
