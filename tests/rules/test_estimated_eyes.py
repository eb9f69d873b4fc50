"""Where an attacker's eye is estimated, and its verdict rests on which of two heads it is, the verdict says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.judging import load_scene
from silhouette.judging.checking import check
from silhouette.judging.judge import Judged, JudgingOptions, judge_all
from silhouette.models.eyes import EyeEstimate, EyePlace
from silhouette.models.model import Model
from silhouette.renderers import choose
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.scenes.scene import Check

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


SURE = {"place": 0.0, "facing": 0.0}
"""Nothing but the eye is in doubt."""


def test_odds_draw_where_the_eye_is_and_the_ruling_says_so(scene: Writer, two_headed: list[EyePlace]) -> None:
    result = judged(scene(doubt=SURE))
    assert result.odds is not None
    assert result.odds.odds["full cover"] == pytest.approx(0.2 / 0.9, abs=result.odds.error)
    assert result.odds.odds["hidden"] == pytest.approx(0.7 / 0.9, abs=result.odds.error)
    assert (result.call, result.odds.doubt_from) == ("roll off", "eye")
    assert result.reason.endswith(
        "where A's eye is decides, which is not sure: it could be full cover (20 % likely); "
        "odds: hidden, 78 in 100; full cover 22: roll off; what weighs most is where the eye is"
    )
    assert "too close to call" not in result.reason
    assert result.row()["reason"] == result.reason
