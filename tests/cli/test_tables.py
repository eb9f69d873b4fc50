"""How verdicts are told: tables that fit their names, documents that any JSON reader takes, waiting that is shown."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from silhouette.cli.tables import (
    doctor_report,
    inspection_report,
    matrix_report,
    scene_report,
    summary,
)
from silhouette.cli.terminal import show, show_json
from silhouette.common.text import printable, strict
from silhouette.judging import Judged, SceneResult, scenes_document
from silhouette.judging.monte_carlo import Odds, TrialOutcomes
from silhouette.measure.observation import OcclusionCounts
from silhouette.rules.base import Level, Measurement, RuleReference, Verdict
from silhouette.rules.fields import Blocker
from silhouette.scenes.scene import Check

LEVELS = {
    **dict.fromkeys(["open", "no cover"], Level.CLEAR),
    **dict.fromkeys(["partial cover", "low cover"], Level.PARTIAL),
    "full cover": Level.FULL,
    "hidden": Level.BLOCKED,
}


@dataclass(frozen=True)
class SomeVerdict(Verdict):
    """A verdict whose target may lie out of the arc."""

    is_in_arc: bool | None = None

    @property
    def in_arc(self) -> bool | None:
        return self.is_in_arc


def judged(
    attacker: str = "Kal",
    target: str = "Vex",
    unmet: tuple[str, ...] | None = None,
    verdict: str = "open",
    reason: str = "",
    **how: Any,
) -> Judged:
    rule, why = RuleReference("Cover", "R13"), reason or f"nothing obscures {target}: in the open"
    told = SomeVerdict(attacker, target, "plain", verdict, LEVELS.get(verdict), rule, why, **how)
    return Judged(Check(attacker, target), told, unmet)


def measurement(occluded: int, total: int, error: float = 0.002) -> Measurement:
    counts = OcclusionCounts(total, occluded, total, occluded, (), (), error, error, error)
    return Measurement(counts, counts.seen, "embree", 0.1, "count", "flat")


def measured(share: float = 0.3, **how: Any) -> dict[str, Any]:
    return {"measurement": measurement(round(1000 * share), 1000), **how}


def printed(capsys: pytest.CaptureFixture[str], *parts: Any) -> str:
    show(*parts)
    return capsys.readouterr().out


def result(*checks: Judged, **named: Any) -> SceneResult:
    return SceneResult(Path("duel.toml"), "Duel", "plain", checks, **named)


def test_a_verdict_without_a_picture_has_no_columns_for_one(capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(capsys, *scene_report(result(judged())))
    assert "attacker" in told
    assert "obscured" not in told
    assert "renderer" not in told


def test_the_arc_asked_for_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    sideways = replace(judged("hauler"), check=Check("hauler", "Vex", "left"))
    told = printed(capsys, *scene_report(result(judged("hauler"), sideways)))
    assert told.count("hauler (left arc)") == 2
    assert "hauler to Vex: " in told
    assert sideways.row()["arc"] == "left"


def test_the_largest_blockers_are_named_and_the_rest_counted(capsys: pytest.CaptureFixture[str]) -> None:
    walls = tuple(Blocker(f"wall {number}", 0.1, 0.2) for number in range(5))
    blockers = (*walls, Blocker("behind the others", 0.0, 0.2))
    told = printed(capsys, *scene_report(result(judged(**measured(0.5, blockers=blockers)))))
    assert "wall 0 10.0 %, wall 1 10.0 %, wall 2 10.0 % and 2 more" in told
    assert "behind the others" not in told


def test_what_was_not_measured_has_the_names_of_its_blockers_beside_what_was(
    capsys: pytest.CaptureFixture[str],
) -> None:
    blockers = (Blocker("wall", 0.1, 0.1),)
    unmeasured = judged(target="Yar", blockers=(Blocker("woods"), Blocker("hill")))
    told = printed(capsys, *scene_report(result(judged(**measured(0.1, blockers=blockers)), unmeasured)))
    assert "wall 10.0 %" in told
    assert "woods, hill" in told


def test_markup_and_control_characters_in_names_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(capsys, *scene_report(result(judged("[bold]Kal[/bold]", "V\x1b[31mex\x07", **measured()))))
    assert "[bold]Kal[/bold]" in told
    assert "V?[31mex?" in told
    assert "\x1b" not in told


def test_long_lines_are_not_folded_where_no_terminal_sets_a_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    name = "a very long name " * 10
    assert f"{name.strip()} to Vex: nothing obscures" in printed(capsys, *scene_report(result(judged(name.strip()))))
    monkeypatch.setenv("COLUMNS", "60")
    assert all(len(line) <= 60 for line in printed(capsys, *scene_report(result(judged(name)))).splitlines())


def test_a_warning_that_a_verdict_tells_is_not_told_again_by_the_scene(capsys: pytest.CaptureFixture[str]) -> None:
    checks = [judged(**measured(warnings=("wall: scan.stl: 2 holes",))) for _ in range(2)]
    told = printed(capsys, *scene_report(result(*checks, warnings=("scan.stl: 2 holes", "hut.stl: in inches"))))
    assert told.count("2 holes") == 1
    assert told.count("hut.stl: in inches") == 1


@pytest.mark.parametrize(
    ("occluded", "total", "words"),
    [
        (0, 1000, "0 % ± 0.2 %"),
        (1, 10**6, "under 0.01 % ± 0.2 %"),
        (1000, 1000, "100 % ± 0.2 %"),
        (999_999, 10**6, "over 99.99 % ± 0.2 %"),
        (500, 1000, "50 % ± 0.2 %"),
        (4999, 10000, "49.99 % ± 0.2 %"),
        (312, 1000, "31.2 % ± 0.2 %"),
    ],
)
def test_nothing_half_and_all_are_said_only_of_exactly_that(occluded: int, total: int, words: str) -> None:
    assert measurement(occluded, total).words == words


@settings(max_examples=50)
@given(st.floats(0.0, 1.0))
@example(1.0200668437082372e-12)
@example(0.0001 + 1e-11)
@example(0.0017)
def test_the_error_told_is_never_less_than_the_error_stated(error: float) -> None:
    words = measurement(3, 10, error).words
    told = float(words.split("±")[1].removesuffix("%")) if "±" in words else 0.0
    assert error <= told / 100 + 1e-12
    assert told / 100 <= error + 0.0001 + 1e-12


def test_of_a_target_without_area_nothing_is_obscured() -> None:
    assert measurement(0, 0, 0.0).words == "nothing"
    assert measurement(0, 0, 0.0).occluded == 0.0


def test_a_matrix_has_a_row_and_a_column_for_everyone(capsys: pytest.CaptureFixture[str]) -> None:
    checks = [
        judged("Kal", "Vex", verdict="partial cover", **measured(0.31)),
        judged("Vex", "Kal", verdict="full cover", **measured(0.505, could_be=("partial cover", "full cover"))),
        judged("Kal", "Ona", verdict="hidden", **measured(1.0)),
    ]
    told = printed(capsys, *matrix_report(result(*checks)))
    lines = [line.split() for line in told.splitlines()]
    assert ["Kal", "Vex", "Ona"] in lines
    assert ["Kal", "partial", "hidden"] in lines
    assert ["31.0", "%"] in lines
    assert ["Vex", "full?"] in lines
    assert ["Ona"] in lines
    assert 'A question mark, as in "full?", means too close to call: roll off.' in told
    assert matrix_report(result()) == []


def test_the_summary_counts_what_was_not_as_expected() -> None:
    assert summary([result(judged()), result(judged(unmet=()))]).plain == "2 checks in 2 scenes, every expectation held"
    assert summary([result(judged(unmet=("verdict is 'open', not 'hidden'",)))]).plain == (
        "1 check in 1 scene, 1 not as expected"
    )
    assert summary([result(error="duel.toml: not TOML")]).plain.endswith("1 scene with an error")
    assert [
        summary([result(judged(unmet=unmet), error=error)]).style
        for unmet, error in (((), None), (("verdict",), None), ((), "duel.toml: not TOML"))
    ] == ["bold", "bold red", "bold red"]


def test_a_document_of_a_scene_that_failed_keeps_what_was_judged() -> None:
    (entry,) = scenes_document([result(judged(), error="duel.toml: a bug")])["scenes"]
    assert entry["error"] == "duel.toml: a bug"
    assert [row["attacker"] for row in entry["results"]] == ["Kal"]


def test_json_has_no_nan_and_nothing_beyond_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    show_json({"share": math.nan, "error": [math.inf, 0.5], "name": "Vëx \ud800"})
    out = capsys.readouterr().out
    assert out.isascii()
    assert json.loads(out, parse_constant=pytest.fail)["error"] == [None, 0.5]


@settings(max_examples=50)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_whatever_a_result_holds_becomes_strict_json(value: object) -> None:
    json.loads(json.dumps(strict(value), allow_nan=False), parse_constant=pytest.fail)


@settings(max_examples=50)
@given(st.text())
def test_printable_text_is_one_line(text: str) -> None:
    assert len(printable(text).splitlines()) <= 1
    assert printable(text) == "" or printable(text).isprintable()


def test_an_inspection_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    found = {
        "file": "ganger.glb",
        "format": "glb",
        "triangles": 41250,
        "extents": [31.0, 29.5, 38.2],
        "units": "m",
        "units_from": "guessed",
        "up": "y",
        "kind": "fighter",
        "eye": [0.0, 3.0, 27.0],
        "eye_from": "estimated",
        "eyes": {"left": [-20.6, 10.4, 36.4]},
        "parts": [{"name": "lasgun barrel", "triangles": 812, "role": "insignificant"}],
        "base": {"from": "auto", "height": 3.1, "diameter": 25.0},
        "watertight": False,
        "holes": 2,
        "solid": True,
        "warnings": ["taken to be in metres"],
        "suggested": [{"box": [[0, 0, 0], [1, 1, 1]], "share": 0.04, "toml": "[[insignificant]]\nbox = 1\n"}],
        "suggested_toml": "[[insignificant]]\nbox = 1\n",
    }
    told = printed(capsys, *inspection_report(found))
    for words in (
        *("fighter, glb, 41 250 triangles", "31.0 x 29.5 x 38.2 mm", "units m (guessed)", "y was up"),
        *(
            "25.0 mm across, 3.10 mm high (auto)",
            "0.0, 3.0, 27.0 (estimated)",
            "-20.6, 10.4, 36.4 into the left arc",
            "not watertight, 2 holes, closed",
        ),
        *("lasgun barrel", "insignificant", "warning: taken to be in metres", "[[insignificant]]", "box = 1", "4.0 %"),
    ):
        assert words in told
    bare = {**found, "base": None, "watertight": True, "solid": "filled", "suggested": [], "warnings": []}
    told = printed(capsys, *inspection_report(bare))
    assert "base    none" in told
    assert "watertight; what its outline encloses is filled" in told
    many = {**found, "parts": [{"name": f"part {number}", "triangles": 1, "role": "body"} for number in range(1700)]}
    told = printed(capsys, *inspection_report(many))
    assert "part 499 " in told
    assert "part 500 " not in told
    assert "and 1 200 more parts; --json lists all" in told


def test_a_doctor_says_what_is_not_installed(capsys: pytest.CaptureFixture[str]) -> None:
    found = {
        "renderers": [
            {
                "name": "gl",
                "works": False,
                "device": "EGL",
                "reason": "no EGL: apt install libegl1",
                "device_option": None,
                "memory": None,
                "driver": None,
                "hardware": False,
                "checks_per_second": None,
            }
        ],
        "gpu": {
            "seen": ["/dev/nvidia0"],
            "used": False,
            "cuda": False,
            "obstacles": ["start the container with its GPU"],
        },
        "auto": {"name": "reference", "device": "numpy"},
        "versions": {"python": "3.11.7", "embreex": None},
        "cache": {"folder": "/home/kal/.cache/silhouette", "entries": 1, "bytes": 2_500_000},
        "memory": {"bytes": 1_500_000, "most": 512 * 2**20},
    }
    told = printed(capsys, *doctor_report(found))
    said = (
        "no EGL: apt install libegl1",
        "auto takes reference",
        "embreex not installed",
        "1 entry, 2.5 MB",
        "kept in memory 1.5 MB",
    )
    for words in (*said, "/dev/nvidia0; gl cannot draw on it", "- start the container with its GPU"):
        assert words in told


def test_with_odds_what_is_close_and_out_of_arc_stands_beside_the_call(capsys: pytest.CaptureFixture[str]) -> None:
    """One ruling: the table and the reason say the same, and nobody is told to roll off for what stands."""
    could_be = ("partial cover", "full cover")
    reason = "48 % of Vex is obscured: partial cover; too close to call, it could be full cover: roll off (R20)"
    shares = {"partial cover": 0.97, "full cover": 0.03, "hidden": 0.0}
    found, some = (
        TrialOutcomes(np.zeros((8, 16), np.intp), np.zeros((8, 16))),
        {"partial cover": 0.97, "full cover": 0.03},
    )
    cases = [
        (measured(0.48, reason=reason, verdict="partial cover", could_be=could_be), some, "partial cover"),
        (measured(0.0, is_in_arc=False, verdict="hidden"), {"hidden": 1.0}, "hidden"),
    ]
    checks = []
    for keys, shares, call in cases:
        one = judged(**keys)
        verdict = replace(one.verdict, rules="necromunda")
        checks.append(replace(one, verdict=verdict, odds=Odds(shares, 0.01, 128, None, call, "place", found)))
    told = printed(capsys, *scene_report(result(*checks)))
    told = " ".join(told.split())
    assert "partial cover, as measured too close to call" in told
    assert "as measured too close to call, it could be full cover; odds: partial cover, 97 in 100" in told
    assert "full cover 3: partial cover stands; what weighs most is where the pieces stand" in told
    assert "hidden, out of arc" in told
    assert "roll off" not in told
