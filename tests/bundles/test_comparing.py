"""Rows then and now: what is the same to the bit, what within the errors, and what differs."""

from __future__ import annotations

from typing import Any

import pytest

from silhouette.bundles.comparing import compared

ROW: dict[str, Any] = {
    "attacker": "Kal", "target": "Vex", "rules": "necromunda", "verdict": "partial cover", "line_of_sight": True,
    "in_arc": True, "occluded": 0.42, "occluded_in_arc": 0.42, "error": 0.001, "target_pixels": 20000,
    "occluded_pixels": 8400, "seen_pixels": 11600, "blockers": [{"name": "wall", "occluded": 0.42, "alone": 0.42}],
    "marginal": False, "could_be": ["partial cover"], "rule": "Cover",
    "reason": "42.0 % of Vex is obscured by the wall; less than half: partial cover", "renderer": "embree",
    "pixel": 0.1, "decided_by": "count", "projection": "flat", "warnings": [], "expected": True,
}  # fmt: skip

MEASURED_ELSEWHERE = {
    "renderer": "gl", "occluded": 0.4215, "occluded_in_arc": 0.4215, "error": 0.0012, "target_pixels": 20100,
    "occluded_pixels": 8472, "seen_pixels": 11628, "blockers": [{"name": "wall", "occluded": 0.4215, "alone": 0.4215}],
    "reason": "42.1 % of Vex is obscured by the wall; less than half: partial cover",
}  # fmt: skip


def sameness(**other: Any) -> tuple[str, list[str]]:
    (found,) = compared([ROW], [{**ROW, **other}])
    return found.sameness, [difference.key for difference in found.differences]


def test_a_row_is_the_same_to_the_bit() -> None:
    assert sameness() == ("to the bit", [])


def test_another_renderer_measures_the_same_within_the_error() -> None:
    assert sameness(**MEASURED_ELSEWHERE) == ("within the error", [])
    finer = {"pixel": 0.05, "target_pixels": 80400, "occluded_pixels": 33888, "seen_pixels": 46512}
    assert sameness(**{**MEASURED_ELSEWHERE, **finer}) == ("within the error", [])


@pytest.mark.parametrize(
    "key, value",
    [
        ("verdict", "full cover"),
        ("target", "Zil"),
        ("line_of_sight", False),
        ("in_arc", 1),
        ("marginal", True),
        ("could_be", ["partial cover", "full cover"]),
        ("occluded", 0.4225),
        ("occluded", None),
        ("occluded_in_arc", 0.40),
        ("error", 0.9),
        ("target_pixels", 40000),
        ("occluded_pixels", 0),
        ("blockers", []),
        ("blockers", [{"name": "crate", "occluded": 0.42, "alone": 0.42}]),
        ("blockers", [{"name": "wall", "occluded": 0.42, "alone": 0.62}]),
        ("blockers", [{"name": "wall", "occluded": 0.22, "alone": 0.42}]),
        ("blockers", "wall"),
        ("reason", "62.0 % of Vex is obscured by the wall; less than half: partial cover"),
        ("reason", "42.0 % of Vex is obscured by the crate; less than half: partial cover"),
        ("warnings", ["Kal and Vex overlap"]),
        ("rule", "Sight"),
        ("expected", False),
        ("renderer", None),
    ],
)
def test_anything_else_differs_and_is_named(key: str, value: Any) -> None:
    assert sameness(**{key: value}) == ("differs", [key])


def test_a_sentence_may_differ_only_where_a_share_does() -> None:
    reason = "42.1 % of Vex is obscured by the wall; less than half: partial cover"
    assert sameness(reason=reason) == ("differs", ["reason"])
    assert sameness(reason=reason.replace("42.1", "47.1"), occluded=0.4205) == ("differs", ["reason"])


def test_a_share_that_only_a_sentence_tells_may_differ_by_what_is_rounded() -> None:
    row = {"attacker": "a", "target": "b", "flanked": False, "reason": "can dive to (32, -20), where 96.9 % is hidden"}
    for reason, wanted in (
        ("can dive to (32, -20), where 97.0 % is hidden", "within the error"),
        ("can dive to (32, -20), where 98.9 % is hidden", "differs"),
        ("can dive to (33, -20), where 96.9 % is hidden", "differs"),
    ):
        assert [found.sameness for found in compared([row], [{**row, "reason": reason}])] == [wanted], reason


def test_stated_errors_follow_the_settings() -> None:
    (found,) = compared([ROW], [{**ROW, "error": 0.03, "occluded": 0.44}], same_settings=False)
    assert found.sameness == "within the error"


def test_a_key_or_a_row_that_is_not_there_differs() -> None:
    (found,) = compared([{key: value for key, value in ROW.items() if key != "rule"}], [ROW])
    assert [difference.key for difference in found.differences] == ["rule"]
    assert [found.sameness for found in compared([ROW], [ROW, ROW])] == ["to the bit", "differs"]
    assert [found.sameness for found in compared([ROW, ROW], [ROW])] == ["to the bit", "differs"]
    assert {found.label for found in (*compared([], [ROW]), *compared([ROW], []))} == {"Kal to Vex"}


def test_coordinates_may_differ_in_their_last_bits() -> None:
    row = {"attacker": "a", "target": "b", "verdict": "open", "sight_line": [[0.1, 0.2], [100.0, 3.0]]}
    last = {**row, "sight_line": [[0.1, 0.2], [100.00000000000001, 3.0]]}
    assert [found.sameness for found in compared([row], [last])] == ["within the error"]
    moved = {**row, "sight_line": [[0.1, 0.2], [100.001, 3.0]]}
    assert [found.sameness for found in compared([row], [moved])] == ["differs"]
