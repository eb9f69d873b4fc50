"""JUDGE: how sure odds are, how finely trials are judged, and what weighs most: each constant against a closed form."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from silhouette.judging.monte_carlo import (
    FIRST_TRIALS,
    TrialOutcomes,
    _again,
    _error,
    _goal,
    _interval,
    _measuring,
    _until_sure,
    weights,
)
from silhouette.judging.run import IN_PROCESS_RUN, Run
from silhouette.judging.trials import Deviation
from silhouette.renderers import choose
from silhouette.rules.base import Settings
from silhouette.scenes.scene import Check

ORDER = ("open", "partial cover", "full cover", "hidden")
PLACES = (Deviation("Kal", "place", 0, 1.0), Deviation("Kal", "facing", 0, 1.0))


def found(levels: np.ndarray, spread: float = 0.01) -> TrialOutcomes:
    """Trials with these verdicts (8, n), and shares with this standard deviation."""
    shares = 0.5 + spread * np.resize([-1.0, 1.0], levels.shape)
    return TrialOutcomes(levels, shares)


@pytest.mark.parametrize(
    ("spread", "goal"), [(0.001, 0.006), (0.0041, 0.00615), (0.01, 0.015), (0.0199, 0.02985), (0.1, 0.03)]
)
def test_trials_are_judged_as_finely_as_their_shares_lie_close_together(spread: float, goal: float) -> None:
    half = np.tile([1, 2], (8, 8))
    assert _goal(found(half, spread)) == pytest.approx(goal)
    assert _goal(found(np.full((8, 16), 2), spread)) == 0.03  # where all agree there is no need


def test_the_error_is_students_of_eight_scramblings() -> None:
    levels = np.repeat([[1] * 16 + [2] * 16, [1] * 24 + [2] * 8], 4, axis=0)
    means = np.array([0.5] * 4 + [0.75] * 4)
    assert _error(found(levels), ORDER) == pytest.approx(2.3646 * means.std(ddof=1) / np.sqrt(8))


def test_scramblings_that_agree_by_chance_are_no_surer_than_four_times_as_many_trials() -> None:
    levels = np.tile([1] * 10 + [2] * 6, (8, 1))
    odds, trials = 0.625, 128
    wilson = 1.96 * np.sqrt(odds * (1 - odds) / 4 / trials + (1.96 / trials / 2) ** 2) / (1 + 1.96**2 / trials)
    assert _error(found(levels), ORDER) == pytest.approx(wilson)
    agreed = _error(found(np.full((8, FIRST_TRIALS), 2)), ORDER)
    assert agreed == pytest.approx(1.96**2 / (128 + 1.96**2) / 2)
    assert agreed <= 0.025 < _error(found(np.full((8, FIRST_TRIALS // 4), 2)), ORDER)


@pytest.mark.parametrize(
    ("spread", "goal", "again"), [(0.01, 0.015, True), (0.0155, 0.02325, True), (0.0165, 0.03, False)]
)
def test_trials_are_judged_again_where_they_lie_closer_together_than_the_pilot_trials_say(
    spread: float, goal: float, again: bool
) -> None:
    """The pilot trials agree, and ask for no more than 3 %; of all others every second one has another verdict."""
    asked = list[tuple[float, int, int]]()

    def judged(goal: float, start: int, stop: int) -> TrialOutcomes:
        asked.append((round(goal, 6), start, stop))
        return found(np.tile(np.resize([1, 2], stop - start), (8, 1)), spread)

    told = list[float]()
    trials: Any = SimpleNamespace(deviations=PLACES)
    enough, error = _until_sure(trials, ORDER, judged, Run(step=told.append))
    # The error is 4.45 % at 128 trials: where it shrinks with the power 3/4 of their number, 276 are enough: that
    # is 48 of each scrambling. With 384 it is 2.53 %, with 512 less than 2.5 %.
    first = [(0.03, 0, 1), (0.03, 0, 16)] + [(goal, 0, 16)] * again
    assert asked == [*first, (goal, 16, 48), (goal, 48, 64)]
    assert (enough.each, told) == (64, [16 / 48, 48 / 64])
    assert error == pytest.approx(0.0219, abs=0.0001)


def test_trials_that_are_measured_again_are_not_judged_under_other_readings() -> None:
    given = list[Settings]()

    def judge_quickly(requests: list[Any], settings: Settings) -> list[Any]:
        given.append(settings)
        return [SimpleNamespace(in_arc=True, share=(0.5, 0.01)) for _ in requests]

    rule = SimpleNamespace(judge_quickly=judge_quickly)
    trials: Any = SimpleNamespace(rule=rule, drawn=np.zeros((8, 4, 1)), scenes_of=list)
    which = np.array([[0, 0], [3, 2], [7, 3]])
    measured = _again(trials, Check("Kal", "Vex"), which, Settings(choose(), 0.1), 0.01, IN_PROCESS_RUN)
    assert measured.tolist() == [[0.5, 0.01]] * 3
    assert [(settings.remarks, settings.keep) for settings in given] == [(False, False)] * 2


@pytest.mark.parametrize("are_in_doubt", [True, False])
def test_the_middle_of_the_shares_is_as_wide_as_without_the_few_rays(are_in_doubt: bool) -> None:
    """Where nothing is in doubt the shares differ by the error of measuring, which then is not taken off."""
    random = np.random.default_rng(1)
    own, noise = 0.5 + 0.02 * random.normal(size=(8, 256)), 0.008 * random.normal(size=(8, 256))
    outcomes = TrialOutcomes(np.ones((8, 256), np.intp), own + noise, np.full((8, 256), 3 * 0.008))
    trials: Any = SimpleNamespace(deviations=PLACES if are_in_doubt else ())
    expected = np.quantile(own if are_in_doubt else own + noise, (0.025, 0.975))
    found = _interval(trials, Check("Kal", "Vex"), outcomes, Settings(choose(), 0.1), IN_PROCESS_RUN)
    assert found == pytest.approx(tuple(expected), abs=0.002 if are_in_doubt else 1e-9)


def test_noise_as_large_as_what_goes_in_a_line_with_the_numbers_drawn_does_not_widen_the_middle() -> None:
    """Without that line, or of a piece that is not the check's, noise as large would be measured again."""
    random = np.random.default_rng(1)
    drawn, noise = random.normal(size=(8, 256, 2)), 0.015 * random.normal(size=(8, 256))
    own = 0.5 + drawn @ [0.016, 0.012]
    outcomes = TrialOutcomes(np.ones((8, 256), np.intp), own + noise, np.full((8, 256), 3 * 0.015))
    trials: Any = SimpleNamespace(deviations=PLACES, drawn=drawn)
    found = _interval(trials, Check("Kal", "Vex"), outcomes, Settings(choose(), 0.1), IN_PROCESS_RUN)
    assert found == pytest.approx(tuple(np.quantile(own, (0.025, 0.975))), abs=0.002)
    with pytest.raises(AttributeError, match="scenes_of"):
        _interval(trials, Check("Vex", "Odd"), outcomes, Settings(choose(), 0.1), IN_PROCESS_RUN)


def test_an_end_at_which_all_is_obscured_stays_there() -> None:
    shares = np.concatenate([np.ones((8, 32)), np.linspace(0.8, 0.9, 8 * 32).reshape(8, 32)], axis=1)
    outcomes = TrialOutcomes(np.ones((8, 64), np.intp), shares, np.full((8, 64), 0.03))
    trials: Any = SimpleNamespace(deviations=PLACES)
    low, high = _interval(trials, Check("Kal", "Vex"), outcomes, Settings(choose(), 0.1), IN_PROCESS_RUN) or (0.0, 0.0)
    assert high == 1.0
    assert 0.805 < low < 0.807


def test_of_a_target_in_no_arc_there_is_no_middle() -> None:
    outcomes = TrialOutcomes(np.ones((8, 16), np.intp), np.full((8, 16), np.nan), np.full((8, 16), np.nan))
    trials: Any = SimpleNamespace(deviations=PLACES)
    assert _interval(trials, Check("Kal", "Vex"), outcomes, Settings(choose(), 0.1), IN_PROCESS_RUN) is None


def test_what_explains_all_weighs_one_and_what_explains_nothing_none() -> None:
    random = np.random.default_rng(0)
    drawn = random.normal(size=(8, 128, 2))
    levels = np.where(drawn[:, :, 0] > np.median(drawn[:, :, 0]), 2, 1)
    found = weights(PLACES, drawn, levels, np.zeros((8, 128)))
    assert found["place"] == pytest.approx(1.0, abs=0.01)
    assert abs(found["facing"]) < 0.02
    # Eight groups leave this much of a line's variance within them: that of its means is less by so much.
    shares = 0.5 + 0.01 * drawn[:, :, 1]
    line = weights(PLACES, drawn, np.full((8, 128), 1), shares)
    groups = np.array_split(np.sort(drawn[:, :, 1].ravel()), 8)
    between = np.var([group.mean() for group in groups]) / drawn[:, :, 1].var()
    assert line["facing"] == pytest.approx(between, abs=0.01)
    assert line["facing"] < 0.965


@pytest.mark.parametrize(("others", "source"), [(0.03, "facing"), (0.07, "place")])
def test_where_hardly_any_trial_differs_in_its_verdict_the_share_tells(others: float, source: str) -> None:
    random = np.random.default_rng(1)
    drawn = random.normal(size=(8, 256, 2))
    levels = np.where(drawn[:, :, 0] > np.quantile(drawn[:, :, 0], 1.0 - others), 2, 1)
    found = weights(PLACES, drawn, levels, 0.4 + 0.01 * drawn[:, :, 1])
    assert max(found, key=lambda one: found[one]) == source


def test_measuring_weighs_what_its_variance_is_of_that_among_the_trials() -> None:
    """A stated error is three standard deviations."""
    trials: Any = SimpleNamespace(deviations=PLACES)
    verdict: Any = SimpleNamespace(share=(0.5, 0.006))
    outcomes = found(np.tile([1, 2], (8, 8)), spread=0.01)
    assert _measuring(trials, verdict, outcomes) == pytest.approx((0.002 / 0.01) ** 2)
    trials.deviations = ()
    assert _measuring(trials, verdict, outcomes) == 1.0
