"""Where an attacker's eye is estimated, and its verdict rests on which of two heads it is, the verdict says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from silhouette.judging import load_scene
from silhouette.judging.judge import Judged, JudgingOptions, judge_all
from silhouette.judging.trials import Trials
from silhouette.models.eyes import EyeEstimate, EyePlace
from silhouette.models.model import Model
from silhouette.notebook.questions import check
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from tests.support.commands import run
from tests.support.figures_with_eyes import figure_with_eye

LOW, HIGH = np.array([0.0, 2.0, 20.0]), np.array([0.0, 2.0, 44.0])
"""Two eyes: from the lower one the wall hides all of the target, from the higher one more than half."""


@pytest.fixture
def two_headed(monkeypatch: pytest.MonkeyPatch) -> list[EyePlace]:
    """Where models may have their eyes; a test changes the list."""
    places = [EyePlace(LOW, LOW, 0.7), EyePlace(HIGH, HIGH, 0.2)]
    monkeypatch.setattr(Model, "eye_estimate", property(lambda model: EyeEstimate(tuple(places))))
    return places


Writer = Callable[..., Path]


@pytest.fixture
def scene(tmp_path: Path) -> Writer:
    """Writes a scene of a wall between A and T; with keys of A."""

    def write(rules: str = "necromunda", **attacker: Any) -> Path:
        path = tmp_path / "scene.json"
        fighters = [
            {"name": "A", "parts": [{"box": [10, 10, 30]}], "at": [0, 0], "facing": 90} | attacker,
            {"name": "T", "parts": [{"box": [10, 10, 20]}], "at": [0, 40]},
        ]
        wall = {"name": "wall", "parts": [{"box": [400, 4, 32]}], "at": [0, 20]}
        path.write_text(json.dumps({"rules": rules, "terrain": [wall], "fighter": fighters}))
        return path

    return write


def ruling(of: Path) -> NecromundaVerdict:
    found = check(of, "A", "T")
    assert isinstance(found, NecromundaVerdict)
    return found


def test_a_verdict_from_another_place_of_the_eye_is_one_that_it_could_be(
    scene: Writer, two_headed: list[EyePlace]
) -> None:
    both = ruling(scene())
    two_headed.pop()
    alone = ruling(scene())
    assert (both.verdict, both.could_be, both.marginal) == ("hidden", ("full cover", "hidden"), True)
    assert (alone.could_be, alone.marginal) == (("hidden",), False)
    assert "where A's eye is decides" in both.reason
    assert both.reason.startswith(alone.reason)
    # all else is that of the likeliest, to the bit
    rested = {"could_be", "marginal", "reason", "warnings"}
    assert {key: value for key, value in both.row().items() if key not in rested} == {
        key: value for key, value in alone.row().items() if key not in rested
    }


def test_an_eye_that_is_given_is_not_looked_for_elsewhere(scene: Writer, two_headed: list[EyePlace]) -> None:
    assert ruling(scene(eye=LOW.tolist())).could_be == ("hidden",)


def test_places_within_a_millimetre_are_one(scene: Writer, two_headed: list[EyePlace]) -> None:
    two_headed[1] = EyePlace(LOW + np.array([0.0, 0.0, 0.9]), LOW, 0.3)
    assert ruling(scene()).could_be == ("hidden",)


def test_games_by_data_that_look_from_the_eye_say_so_too(scene: Writer, two_headed: list[EyePlace]) -> None:
    row = check(scene("bolt-action-3"), "A", "T").row()
    assert row["marginal"] is True
    assert len(row["could_be"]) > 1
    assert "where A's eye is decides" in row["reason"]
    given = check(scene("bolt-action-3", eye=LOW.tolist()), "A", "T").row()
    assert (given["marginal"], given["verdict"]) == (False, row["verdict"])


@pytest.mark.parametrize(("facing", "own", "could_be"), [
    (90.0, 10.0, ("open",)), (135.0 + 12.0, 10.0, ("open", "hidden")), (180.0, 3.0, ("hidden",)),
])  # fmt: skip
def test_a_facing_with_a_doubt_of_its_own_is_turned_by_two_deviations(
    scene: Writer, facing: float, own: float, could_be: tuple[str, ...]
) -> None:
    of = scene(facing=facing, eye=[0.0, 2.0, 200.0], doubt={"facing": own})
    found = ruling(of)
    assert found.could_be == could_be
    assert ("where A faces decides" in found.reason) == (len(could_be) > 1)


def test_the_report_of_an_eye_below_a_hammer_is_judged_as_with_the_eye_given(shared: Path) -> None:
    folder = shared / "reports" / "scenes"
    estimated, given = (check(folder / f"eye_flip_{name}.toml", "A", "T") for name in ("est", "given"))
    assert isinstance(estimated, NecromundaVerdict)
    assert estimated.verdict == given.verdict


# ---- odds


def judged(of: Path, seed: int = 0) -> Judged:
    """With odds."""
    (result,) = judge_all([(load_scene(of), Check("A", "T"))], JudgingOptions(choose("auto"), seed=seed))
    return result


CREST = 3018
"""A figure whose crest is taken for its head by four in ten."""

CRESTED = """
rules = "necromunda"
[[terrain]]
name = "wall"
parts = [{ box = [200, 4, 36] }]
at = [0, 40]
[[fighter]]
name = "A"
mesh = "crest.stl"
units = "mm"
at = [0, 0]
facing = 90
[[fighter]]
name = "T"
parts = [{ box = [20, 10, 36] }]
at = [0, 80]
facing = 270
[[check]]
attacker = "A"
target = "T"
"""

EYE_ALONE = {"place": 0.0, "facing": 0.0}
"""A's own doubt: of it, nothing but the eye may be elsewhere."""


def test_in_as_many_trials_as_it_is_likely_the_eye_is_elsewhere(scene: Writer, two_headed: list[EyePlace]) -> None:
    table = load_scene(scene(doubt=EYE_ALONE))
    assert isinstance(table, TableScene)
    trials = Trials(table, rule_called("necromunda"))
    assert [deviation.source for deviation in trials.deviations if deviation.piece == "A"] == ["eye"]
    heights = [round(float(trial.piece("A").eye[2])) for trial in trials.scenes(0, 64, slice(0, 2))]
    assert set(heights) == {round(LOW[2]), round(HIGH[2])}
    assert heights.count(round(HIGH[2])) / len(heights) == pytest.approx(0.2 / 0.9, abs=0.02)


@pytest.mark.slow
def test_odds_draw_where_the_eye_is_and_the_ruling_says_so(scene: Writer, two_headed: list[EyePlace]) -> None:
    result = judged(scene(doubt=EYE_ALONE))
    assert result.odds is not None
    assert result.odds.odds["full cover"] == pytest.approx(0.2 / 0.9, abs=result.odds.error)
    assert result.odds.odds["hidden"] == pytest.approx(0.7 / 0.9, abs=result.odds.error)
    assert (result.call, result.odds.doubt_from) == ("roll off", "eye")
    assert result.reason.endswith(
        "hidden; as measured too close to call, where A's eye is decides: it could be full cover (20 % likely); "
        "odds: hidden, 78 in 100; full cover 22: roll off; what weighs most is where the eye is"
    )
    assert result.row()["reason"] == result.reason


@pytest.mark.slow
def test_the_same_pair_with_the_eye_given_has_no_such_odds(scene: Writer, two_headed: list[EyePlace]) -> None:
    result = judged(scene(doubt=EYE_ALONE, eye=LOW.tolist()))
    assert result.odds is not None
    assert (result.odds.odds["hidden"], result.call) == (1.0, "hidden")


@pytest.mark.long
def test_text_json_csv_and_a_page_have_one_sentence_about_a_crest_that_may_be_the_head(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a figure that is judged with its own two places of the eye; the sentence of the report has no odds."""
    body, _, _ = figure_with_eye(CREST)
    trimesh.Trimesh(body.vertices, body.faces, process=False).export(tmp_path / "crest.stl")
    path = tmp_path / "crest.toml"
    path.write_text(CRESTED, encoding="utf-8")
    row = run(capsys, "check", path, "--odds", "--json").document["scenes"][0]["results"][0]
    assert row["call"] == "roll off"
    assert row["doubt_from"] == "eye"
    eye = "where A's eye is decides"
    assert f"hidden; as measured too close to call, {eye}: it could be full cover (39 % likely); odds:" in row["reason"]
    text = run(capsys, "check", path, "--odds").out
    assert row["reason"] in " ".join(text.split())
    assert "roll off, as measured too close to call" in text
    assert run(capsys, "batch", path, "--odds", "--workers", 1, "--out", tmp_path / "rows.csv").status == 0
    assert row["reason"] in (tmp_path / "rows.csv").read_text(encoding="utf-8")
    assert run(capsys, "report", path, "--out", tmp_path / "page.html").status == 0
    page = unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert f"{eye}, which is not sure: it could be full cover (39 % likely)" in page
