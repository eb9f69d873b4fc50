"""JUDGE: the odds of verdicts where they are known: a normal integral over one number that is in doubt."""

from __future__ import annotations

from dataclasses import replace
from math import erf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.judging import load_scene, trials
from silhouette.judging.calls import called, in_hundred, ruling
from silhouette.judging.monte_carlo import Odds, check_odds, odds_of, odds_of_each
from silhouette.judging.run import Run
from silhouette.judging.trials import MAX_TRIALS, SCRAMBLINGS, Trials, deviations
from silhouette.measure.observation import OcclusionCounts
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Level, Measurement, RuleReference, Settings
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from tests.conftest import started
from tests.support.duels import duel, loaded, skirmish

SETTINGS = Settings(choose(), 0.1)


def normal(number: float) -> float:
    """The share of a normal distribution below so many standard deviations."""
    return 0.5 * (1.0 + erf(number / sqrt(2.0)))


def half_hidden(doubt: dict[str, Any], *, beside: float = 0.0, **keys: Any) -> TableScene:
    """A plate 40 mm wide, of which a wall half way to the eye hides the left half, and ``beside`` mm more of it.

    The eye looks along y from 400 mm away, and so moving the plate by x changes what the wall hides by x; moving the
    wall by x changes it by 2 x, and moving the eye by -x.
    """
    kal = {"name": "Kal", "at": [0, 0], "facing": 90, "parts": [{"box": [8, 8, 20]}], "eye": [0, 0, 20]}
    vex = {"name": "Vex", "at": [-beside, 400], "turn": 0, "facing": -90, "parts": [{"box": [40, 0.01, 40]}]}
    wall = {"name": "wall", "at": [-50, 200], "parts": [{"box": [100, 0.01, 90]}], **keys.pop("wall", {})}
    return loaded({
        "rules": "necromunda",
        "fighter": [{**kal, **keys.pop("kal", {})}, {**vex, **keys.pop("vex", {})}],
        "terrain": [wall],
        "doubt": doubt,
        **keys,
    })  # fmt: skip


def scanned(scene: TableScene, name: str) -> TableScene:
    """The scene with the surface of a piece as that of a scan."""
    pieces = [
        replace(piece, model=replace(piece.model, scan=True)) if piece.name == name else piece for piece in scene.pieces
    ]
    return replace(scene, pieces=tuple(pieces))


def odds_in(scene: TableScene, seed: int = 0) -> Odds:
    rule, check = rule_called(scene.rules), Check("Kal", "Vex", None, None)
    (verdict,) = rule.judge([(scene, check)], SETTINGS)
    return odds_of(Trials(scene, rule, seed), check, verdict, SETTINGS)


NOWHERE = {"doubt": {"place": 0.0, "facing": 0.0}}


@pytest.mark.thinned(quick=20, ci=20)
@pytest.mark.parametrize("beside", [-2.0, -0.5, 0.0, 1.0])
def test_a_target_that_may_stand_beside_its_place(beside: float) -> None:
    found = odds_in(half_hidden({"place": 1.0}, beside=beside, kal=NOWHERE))
    expected = normal(beside / 1.0)
    assert found.odds["full cover"] == pytest.approx(expected, abs=found.error + 0.005)
    assert sum(found.odds.values()) == 1.0
    assert found.error <= 0.025
    assert found.doubt_from == "place"
    low, high = found.occluded_interval or (0.0, 0.0)
    assert [low, high] == pytest.approx([0.5 + (beside - 1.96) / 40.0, 0.5 + (beside + 1.96) / 40.0], abs=0.012)


@pytest.mark.long
@pytest.mark.parametrize("place", [0.02, 0.2, 2.0])
@pytest.mark.parametrize("beside", [-6.0, 0.0])
def test_the_middle_of_the_shares_is_not_widened_by_the_few_rays_of_a_trial(place: float, beside: float) -> None:
    """The share of a target 40 mm wide goes with its place: the middle 95 % are as wide as those of its place."""
    found = odds_in(half_hidden({"place": place}, beside=beside, kal=NOWHERE))
    low, high = found.occluded_interval or (0.0, 0.0)
    width = 2 * 1.96 * place / 40.0
    assert (low + high) / 2 == pytest.approx(0.5 + beside / 40.0, abs=0.1 * width + 0.001)
    assert 0.85 * width - 0.001 <= high - low <= 1.15 * width + 0.0015


@pytest.mark.long
def test_an_eye_that_may_be_beside_its_place() -> None:
    found = odds_in(half_hidden({"eye": 0.8}, beside=0.4))
    assert found.odds["full cover"] == pytest.approx(normal(0.4 / 0.8), abs=found.error + 0.01)
    assert found.doubt_from == "eye"


def test_an_attacker_that_may_face_elsewhere() -> None:
    """Its arc ends 3 degrees beyond the target, which is 5.7 degrees wide."""
    scene = half_hidden({"facing": 2.0}, kal={"facing": 90.0 + 45.0 - 2.86 - 3.0}, vex=NOWHERE, terrain=[])
    found = odds_in(scene)
    assert found.odds["hidden"] == pytest.approx(normal(-(3.0 + 2 * 2.86) / 2.0), abs=0.01)
    scene = half_hidden({"facing": 2.0}, kal={"facing": 90.0 + 45.0 + 2.86 + 1.0}, vex=NOWHERE, terrain=[])
    found = odds_in(scene)
    assert found.odds["hidden"] == pytest.approx(normal(0.5), abs=found.error + 0.01)
    assert (found.doubt_from, found.call) == ("facing", "roll off")


@pytest.mark.long
def test_the_outline_of_a_scan() -> None:
    found = odds_in(scanned(half_hidden({"surface": 0.5}, beside=0.5), "wall"))
    assert found.odds["full cover"] == pytest.approx(normal(0.5 / (2 * 0.5)), abs=found.error + 0.015)
    assert found.doubt_from == "surface"


@pytest.mark.long
@pytest.mark.parametrize("beside", [-0.3, 0.0, 0.25])
def test_where_a_wall_alone_is_in_doubt_each_trial_errs_by_itself(beside: float) -> None:
    """Eye and target are at the same places in all trials; an error that all of them shared would move the odds."""
    found = odds_in(half_hidden({"place": 0.0}, beside=beside, wall={"doubt": {"place": 0.2}}))
    assert found.odds["full cover"] == pytest.approx(normal(beside / (2 * 0.2)), abs=found.error + 0.015)


def test_nothing_in_doubt_leaves_the_error_of_measuring() -> None:
    found = odds_in(half_hidden({"place": 0.0}, beside=3.0))
    assert (found.odds["full cover"], found.doubt_from, found.trials) == (1.0, "measuring", 128)
    assert found.error == pytest.approx(0.0149, abs=0.001)
    near = half_hidden({"place": 0.0}, beside=0.0)
    assert odds_in(near).odds["full cover"] == 1.0  # exactly half
    rule, check = rule_called(near.rules), Check("Kal", "Vex", None, None)
    by_rays = Settings(started("embree"), 0.1)
    (verdict,) = rule.judge([(near, check)], by_rays)
    share, error = verdict.share
    assert share is not None
    found = odds_of(Trials(near, rule), check, verdict, by_rays)
    assert found.odds["full cover"] == pytest.approx(normal((share - 0.5) / (error / 3.0)), abs=found.error + 0.02)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_odds_and_another_seed_others_within_the_error() -> None:
    scene = half_hidden({"place": 1.0}, beside=0.3)
    one, other = odds_in(scene, 5), odds_in(scene, 6)
    assert odds_in(scene, 5) == one
    assert one.odds["full cover"] != other.odds["full cover"]
    assert abs(one.odds["full cover"] - other.odds["full cover"]) <= 2.0 * (one.error + other.error)


@pytest.mark.slow
def test_the_odds_are_the_same_for_any_number_of_processes() -> None:
    scene = half_hidden({"place": 1.0}, beside=0.3)
    rule, check, done = rule_called(scene.rules), Check("Kal", "Vex", None, None), list[float]()
    (verdict,) = rule.judge([(scene, check)], SETTINGS)
    alone, together = (
        odds_of(Trials(scene, rule), check, verdict, SETTINGS, Run(workers, done.append)) for workers in (1, 2)
    )
    assert alone == together
    assert (alone.outcomes.levels == together.outcomes.levels).all()
    assert (alone.outcomes.shares == together.outcomes.shares).all()
    assert len(done) >= 2
    assert all(0.0 < part < 1.0 for part in done)
    assert done[: len(done) // 2] == sorted(done[: len(done) // 2]) == done[len(done) // 2 :]


def test_more_doubt_than_can_be_drawn_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = half_hidden({"place": 1.0})
    assert trials.MAX_DRAWN_NUMBERS % trials.COORDINATES == 0
    monkeypatch.setattr(trials, "MAX_DRAWN_NUMBERS", 3)
    with pytest.raises(RequestError, match=r"4 numbers are in doubt, and odds draw 3 at most; say doubt = \{ place"):
        odds_in(scene)


def test_what_is_drawn_is_kept_and_scenes_share_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, cache = half_hidden({"place": 1.0, "facing": 2.0}), Cache(tmp_path)
    rule = rule_called(scene.rules)
    drawn = Trials(scene, rule, 3).drawn
    assert (Trials(scene, rule, 3, cache).drawn == drawn).all()
    monkeypatch.setattr(trials, "_sobol", lambda *_: pytest.fail("drawn again"))
    assert (Trials(scene, rule, 3, cache).drawn == drawn).all()
    fewer = half_hidden({"place": 1.0})
    assert (Trials(fewer, rule, 3, cache).drawn == drawn[:, :, :4]).all()


def test_what_is_drawn() -> None:
    scene = half_hidden(
        {"place": 1.0, "facing": 2.0, "surface": 0.6},
        kal={"doubt": {"place": 0.3, "eye": 0.2}},
        vex={"facing": "unknown"},
        wall={"doubt": {"facing": 0.5}},
    )
    drawn = [(one.piece, one.source, one.axis, one.size) for one in deviations(scanned(scene, "wall"))]
    assert drawn == [
        ("wall", "facing", 0, 0.5),
        ("wall", "surface", 0, 0.6),
        *(("Kal", "place", axis, 0.3) for axis in range(2)),
        ("Kal", "facing", 0, 2.0),
        *(("Kal", "eye", axis, 0.2) for axis in range(3)),
        *(("Vex", "place", axis, 1.0) for axis in range(2)),
    ]
    unsaid = loaded(duel([0.0, 0.0], 90.0, [0.0, 200.0], [0.0, 175.0], 0.0))
    assert {(one.piece, one.source, one.size) for one in deviations(unsaid)} == {
        (name, source, size) for name in ("Kal", "Odd", "Vex") for source, size in (("place", 1.0), ("facing", 2.0))
    }


def test_trials_are_normal_and_each_scrambling_is_another() -> None:
    scene = half_hidden({"place": 1.0, "facing": 2.0})
    drawn = Trials(scene, rule_called(scene.rules), 3).drawn
    assert drawn.shape == (SCRAMBLINGS, MAX_TRIALS, 6)
    assert np.abs(drawn.mean(axis=1)).max() < 0.02
    assert drawn.std(axis=1) == pytest.approx(1.0, abs=0.05)
    assert 2.8 < np.abs(drawn).max() < 8.0
    assert len(np.unique(drawn[:, 0, 0])) == SCRAMBLINGS


@pytest.mark.long
def test_trials_stop_when_the_odds_are_sure_and_at_2048() -> None:
    sure = odds_in(half_hidden({"place": 0.2}, beside=10.0))
    assert (sure.odds["full cover"], sure.trials) == (1.0, 128)
    even = odds_in(half_hidden({"place": 1.0, "facing": 1.0, "eye": 0.4}))
    assert even.trials > 128
    assert even.error <= 0.025 or even.trials == SCRAMBLINGS * MAX_TRIALS


@pytest.mark.long
def test_protection_in_skirmishcorps() -> None:
    """Kal, 1 mm short of contact with the wall, looks over it where it is in contact."""
    scene = loaded(skirmish([0.0, 0.0], [0.0, 200.0], [0.0, 175.0], 0.0, doubt={"place": 1.0}))
    rule = rule_called(scene.rules)
    checks = rule.everyone(scene)
    verdicts = rule.judge([(scene, check) for check in checks], SETTINGS)
    odds = list(odds_of_each(scene, checks, verdicts, SETTINGS, 0))
    assert all(one is not None and sum(one.odds.values()) == pytest.approx(1.0) for one in odds)
    assert list(odds[0].odds) == ["open", "very low cover", "low cover", "high cover", "corner cover", "hidden"]  # type: ignore[union-attr]


def test_rules_without_odds_say_so() -> None:
    scene = load_scene(Path(__file__).parents[2] / rule_called("ikosa").example)
    with pytest.raises(RequestError, match="has no odds; leave out --odds"):
        check_odds(scene, scene.checks)
    verdicts = rule_called("ikosa").judge([(scene, check) for check in scene.checks], SETTINGS)
    assert list(odds_of_each(scene, scene.checks, verdicts, SETTINGS, 0)) == [None] * len(verdicts)


def test_calls() -> None:
    odds = {"open": 0.02, "partial cover": 0.6, "full cover": 0.32, "hidden": 0.06}
    assert called(odds, 0.6, "roll off", "hidden") == "partial cover"
    assert called(odds, 0.601, "roll off", "hidden") == "roll off"
    assert called(odds, 0.95, "attacker", "hidden") == "partial cover"  # open is less likely than one in twenty
    assert called(odds, 0.95, "target", "open") == "hidden"
    assert called(odds, 0.9, "target", "open") == "full cover"
    assert called(odds, 0.95, "as measured", "open") == "open"
    assert in_hundred(odds) == "partial cover, 60 in 100; full cover 32; hidden 6; open 2"


def partly(reason: str, could_be: list[str]) -> NecromundaVerdict:
    counts = OcclusionCounts(100, 48, 100, 48, (), (), 0.0, 0.0, 0.0)
    measured = Measurement(counts, 52, "embree", 0.1, "count", "flat")
    rule = RuleReference("Cover", "R14")
    about = ("Kal", "Vex", "necromunda", "partial cover", Level.PARTIAL, rule, reason)
    return NecromundaVerdict(*about, measurement=measured, could_be=tuple(could_be))


CLOSE = "too close to call, it could be full cover or hidden"


@pytest.mark.parametrize("close", ["", f"; {CLOSE}: roll off (R20)", f"; {CLOSE}"])
@pytest.mark.parametrize("after", ["", "; with cover_class = piece: low cover, too close to call itself"])
def test_one_ruling_says_what_is_close_and_what_the_players_do(close: str, after: str) -> None:
    odds = {"partial cover": 0.97, "full cover": 0.03}
    verdict = partly(f"48 % is obscured: partial cover{close}{after}", ["partial cover", *["full cover"] * bool(close)])
    measured = f"; as measured {CLOSE}" if close else ""
    told = "; odds: partial cover, 97 in 100; full cover 3: partial cover stands; what weighs most is where the eye is"
    assert ruling(verdict, odds, "partial cover", "eye") == f"48 % is obscured: partial cover{measured}{after}{told}"


@pytest.mark.parametrize("could_be", [["partial cover", "hidden"], ["hidden"]])
def test_what_is_close_is_told_if_the_reason_does_not(could_be: list[str]) -> None:
    """As of games by data, and of a target that may lie out of the arc of who faces nobody knows where."""
    verdict = replace(partly("half: partial cover", could_be), is_facing_known=False)
    told = ruling(verdict, {"partial cover": 1.0}, "partial cover", "place")
    assert told.startswith("half: partial cover; as measured too close to call, it could be hidden; odds: ")
    assert "roll off" not in told


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1])
def test_the_middle_of_the_shares_of_a_figure_of_a_shared_mesh(shared: Path, seed: int) -> None:
    path = shared / "reports/scenes/odds_interval.toml"
    rule = rule_called("necromunda")
    scene = rule.load(path, read_document(path), Cache.default())
    (verdict,) = rule.judge([(scene, check) for check in scene.checks], SETTINGS)
    found = odds_of(Trials(scene, rule, seed), scene.checks[0], verdict, SETTINGS)
    assert found.occluded_interval == pytest.approx((0.533, 0.545), abs=0.0025)
