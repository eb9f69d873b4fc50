"""JUDGE: how likely each verdict of a check is, given how far its pieces may lie from where the scene has them.

Trials are judged until the share of those with the likeliest verdict is sure enough. Of one check, two processes judge
the trials of half the scramblings each; of several, each process takes checks. If every piece stands where the scene
has it, the error of measuring is what is left in doubt, and it is drawn instead: the check's observations are measured
once, and judged again with other counts, within their errors.

Of several doubts, the one that weighs most explains alone the greatest part of what differs between the trials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, sqrt
from typing import Any, Literal

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Floats
from silhouette.files.cache import UNCACHED, Cache
from silhouette.judging.calls import called
from silhouette.judging.run import IN_PROCESS_RUN, Run
from silhouette.judging.trials import MAX_TRIALS, SCRAMBLINGS, Deviation, Source, Trials, doubt_of
from silhouette.measure.error import SIGMAS
from silhouette.measure.estimate import Estimate
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import PLAIN, ObservationRequest
from silhouette.measure.sampling import Places
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.abilities import HasOdds
from silhouette.rules.base import Rule, Settings, Verdict
from silhouette.scenes.scene import Check, Scene
from silhouette.scenes.table import TableScene

# ---- the odds

# Error of the odds of the likeliest verdict that is small enough (half the width of the 95 % interval).
SURE_ODDS_ERROR = 0.025

PILOT_TRIALS, FIRST_TRIALS = 1, 16
"""Trials of each scrambling that tell how finely to judge, and those judged first: all alike, they are sure enough."""

TRIAL_PARTS = 2
"""How many parts the trials are judged in, some scramblings in each. It does not follow the number of processes, for
the odds to be the same with any; each part looks anew for slivers of the target (`silhouette.measure.slivers`)."""

# Highest power of the number of trials by which the error shrinks: it tells how many more are needed.
MAX_CONVERGENCE_POWER = 0.75
MUCH_FINER = 0.8  # where all first trials ask for a goal finer by this than the pilot's, they are judged again
STUDENT = 2.3646  # the 97.5 % point of Student's t with seven degrees of freedom: eight scramblings
NORMAL = 1.96  # the 97.5 % point of the normal distribution
GAIN = 4.0  # the variance of a mean over Sobol points is this much smaller, at most, than that over independent ones is
SPREADS = 1.5  # greatest error of a trial's share, in standard deviations of the shares: else it tells of the measuring
MIN_TRIAL_ERROR, MAX_TRIAL_ERROR = 0.006, 0.03  # the least and the greatest error of a trial's share near a threshold

INTERVAL_NOISE_SHARE, AIMED_NOISE_SHARE = 0.3, 0.2
"""How much variance of trials' shares may be of their few rays, as a part of the rest: it is taken off the middle 95 %,
which it widens. Where it is more, the first trials are measured again, as finely as makes it the second of these."""

LINEAR_NOISE_SHARE, AIMED_LINEAR_NOISE_SHARE = 1.0, 0.65
"""The same for the variance that is linear in the numbers drawn: over all trials their noise cancels out."""

MIN_DEVIATIONS_WITHIN = 4.0  # standard deviations by which shares lie off 0 and 1 at least, to be taken for linear

MIN_NOISE_SHARE = 0.001  # the error, as a share, that is small enough whatever the variance
REMEASURING = Estimate(coarsest=32, leap=4.0)  # what measures them
MAX_REMEASUREMENTS = 2  # how many times trials are measured again at most, as less of the variance is of the rays
Weighing = Source | Literal["measuring"]  # what may weigh most


@dataclass(frozen=True, eq=False)
class TrialOutcomes:
    """The verdicts of trials."""

    levels: np.ndarray[Any, np.dtype[np.intp]]  # (SCRAMBLINGS, n) the number of each verdict, from exposed to covered
    shares: Floats  # (SCRAMBLINGS, n) the obscured shares; nan where the arc alone decides
    # (SCRAMBLINGS, n) how far each share may be off, by the few rays of its trial; None for not at all
    errors: Floats | None = None

    @classmethod
    def of(cls, trials: Trials, verdicts: Sequence[Verdict], scramblings: int = SCRAMBLINGS) -> TrialOutcomes:
        """The verdicts of as many trials of each of so many scramblings, scrambling after scrambling."""
        order = {word: number for number, word in enumerate(trials.rule.levels)}
        levels = np.array([order[verdict.verdict] for verdict in verdicts])
        shares, errors = np.array([_share(trials, verdict) for verdict in verdicts]).reshape(-1, 2).T
        return cls(*(values.reshape(scramblings, -1) for values in (levels, shares, errors)))

    @classmethod
    def joined(cls, parts: Sequence[TrialOutcomes], axis: int) -> TrialOutcomes:
        """The verdicts of several: of other scramblings along axis 0, of later trials along axis 1."""
        errors = [np.zeros_like(part.shares) if part.errors is None else part.errors for part in parts]
        of_all = ([part.levels for part in parts], [part.shares for part in parts], errors)
        return cls(*(np.concatenate(values, axis) for values in of_all))

    @property
    def each(self) -> int:
        """The trials of each scrambling."""
        return int(self.levels.shape[1])


@dataclass(frozen=True)
class Odds:
    """How likely each verdict of a check is.

    Attributes:
        odds: of each verdict, from exposed to covered; their sum is 1.
        error: half the width of the 95 % interval of the largest of them.
        occluded_interval: the middle 95 % of the obscured share; None where the arc alone decides.
        call: the verdict that stands, or "roll off".
        doubt_from: what weighs most.
        outcomes: the verdict and the share of each trial, for figures.
    """

    odds: Mapping[str, float]
    error: float
    trials: int
    occluded_interval: tuple[float, float] | None
    call: str
    doubt_from: Weighing
    outcomes: TrialOutcomes = field(repr=False, compare=False)


def odds_of(trials: Trials, check: Check, verdict: Verdict, settings: Settings, run: Run = IN_PROCESS_RUN) -> Odds:
    """The odds of a check: trials are judged until those of the likeliest verdict are sure to 2.5 %, 2,048 at most."""
    order = tuple(trials.rule.levels)
    judged = partial(_outcomes_of, trials, check, replace(settings, keep=False, remarks=False), run)
    outcomes, error = _until_sure(trials, order, judged, run)
    shares = {word: float(np.mean(outcomes.levels == number)) for number, word in enumerate(order)}
    doubt = doubt_of(trials.scene)
    weighing = weights(trials.deviations, trials.drawn[:, : outcomes.each], outcomes.levels, outcomes.shares)
    weighing["measuring"] = _measuring(trials, verdict, outcomes)
    return Odds(
        odds=shares,
        error=error,
        trials=outcomes.levels.size,
        occluded_interval=_interval(trials, check, outcomes, settings, run),
        call=called(shares, doubt.guard, doubt.rule, verdict.verdict),
        doubt_from=max(weighing, key=lambda source: weighing[source]),
        outcomes=outcomes,
    )


def check_odds(scene: Scene, checks: Sequence[Check]) -> None:
    """Refuses checks of which none has odds: RequestError that says to leave the option out."""
    rule: Rule[Any, Verdict] = rule_called(scene.rules)
    if not (isinstance(scene, TableScene) and isinstance(rule, HasOdds) and any(map(rule.has_odds, checks))):
        raise RequestError(f"{scene.path}: in {rule.title} a check such as this has no odds; leave out --odds")


def odds_of_each(
    scene: Scene,
    checks: Sequence[Check],
    verdicts: Sequence[Verdict],
    settings: Settings,
    seed: int,
    cache: Cache = UNCACHED,
    run: Run = IN_PROCESS_RUN,
) -> Iterator[Odds | None]:
    """The odds of each check of a scene, in order; None for one about something that has no odds."""
    rule: Rule[Any, Verdict] = rule_called(scene.rules)
    trials = Trials(scene, rule, seed, cache) if isinstance(scene, TableScene) and isinstance(rule, HasOdds) else None

    def odds(pair: tuple[Check, Verdict], run: Run) -> Odds | None:
        return odds_of(trials, *pair, settings, run) if trials is not None and trials.rule.has_odds(pair[0]) else None

    yield from run.each(scene, settings.renderer, list(zip(checks, verdicts, strict=True)), odds)


def _until_sure(
    trials: Trials, order: Sequence[str], judged: Callable[[float, int, int], TrialOutcomes], run: Run
) -> tuple[TrialOutcomes, float]:
    """As many trials as are needed, and the error of the odds of the likeliest verdict."""
    goal = _goal(judged(MAX_TRIAL_ERROR, 0, PILOT_TRIALS)) if trials.deviations else MAX_TRIAL_ERROR
    outcomes = judged(goal, 0, FIRST_TRIALS)
    if trials.deviations and (finer := _goal(outcomes)) < MUCH_FINER * goal:
        goal = finer
        outcomes = judged(goal, 0, FIRST_TRIALS)
    while (error := _error(outcomes, order)) > SURE_ODDS_ERROR and outcomes.each < MAX_TRIALS:
        enough = min(
            FIRST_TRIALS
            * ceil(outcomes.each * (error / SURE_ODDS_ERROR) ** (1.0 / MAX_CONVERGENCE_POWER) / FIRST_TRIALS),
            MAX_TRIALS,
        )
        run.step(outcomes.each / enough)
        outcomes = TrialOutcomes.joined([outcomes, judged(goal, outcomes.each, enough)], axis=1)
    return outcomes, error


def _outcomes_of(
    trials: Trials, check: Check, settings: Settings, run: Run, goal: float, start: int, stop: int
) -> TrialOutcomes:
    """The verdicts of trials ``start`` to ``stop``, the error ``goal`` near a threshold; if none is in doubt, exact."""
    if not trials.deviations:
        drawn, recorder = trials.measuring[:, start:stop].ravel(), Recorder(settings)
        trials.rule.judge([(trials.scene, check)], replace(settings, observe=recorder))
        replayed = replace(settings, observe=ReplayObserver(recorder.observed, drawn))
        return TrialOutcomes.of(trials, trials.rule.judge([(trials.scene, check)] * len(drawn), replayed))
    rough = replace(settings, observe=Estimate(goal=goal))

    def judged(scramblings: slice) -> TrialOutcomes:
        requests = [(scene, check) for scene in trials.scenes(start, stop, scramblings)]
        return TrialOutcomes.of(trials, trials.rule.judge_quickly(requests, rough), SCRAMBLINGS // TRIAL_PARTS)

    parts = [
        slice(first, first + SCRAMBLINGS // TRIAL_PARTS) for first in range(0, SCRAMBLINGS, SCRAMBLINGS // TRIAL_PARTS)
    ]
    return TrialOutcomes.joined(
        list(run.parts(settings.renderer, parts, judged, alone=stop - start < FIRST_TRIALS)), axis=0
    )


def _measuring(trials: Trials, verdict: Verdict, outcomes: TrialOutcomes) -> float:
    """The part, 0 to 1, of the variance of the share that its measuring explains; all where nothing is in doubt."""
    if not trials.deviations:
        return 1.0
    variance = 0.0 if np.isnan(outcomes.shares).all() else float(np.nanvar(outcomes.shares))
    _, error = verdict.share
    return min(1.0, (error / SIGMAS) ** 2 / variance) if variance else 0.0


def _share(trials: Trials, verdict: Verdict) -> tuple[float, float]:
    """The obscured share that a verdict rests on, and its error; nan where none of the target lies in a vision arc."""
    if verdict.in_arc is False:
        return np.nan, np.nan
    share, error = verdict.share
    return (np.nan, np.nan) if share is None else (share, error)


def _goal(outcomes: TrialOutcomes) -> float:
    """The error that a trial's share may have near a threshold, where the verdicts differ; else `MAX_TRIAL_ERROR`."""
    if (outcomes.levels == outcomes.levels[0, 0]).all() or np.isnan(outcomes.shares).all():
        return MAX_TRIAL_ERROR
    spread = float(np.nanstd(outcomes.shares))
    return min(max(SPREADS * spread, MIN_TRIAL_ERROR), MAX_TRIAL_ERROR) if spread else MAX_TRIAL_ERROR


def _error(outcomes: TrialOutcomes, order: Sequence[str]) -> float:
    """Half the width of the 95 % interval of the odds of the likeliest verdict: of the means of eight scramblings, by
    Student's t, but no less than Wilson's for independent trials of a variance `GAIN` times smaller.
    """
    likeliest = np.bincount(outcomes.levels.ravel(), minlength=len(order)).argmax()
    means = (outcomes.levels == likeliest).mean(axis=1)
    spread = STUDENT * float(means.std(ddof=1)) / sqrt(SCRAMBLINGS)
    count, odds = outcomes.levels.size, float(means.mean())
    wilson = NORMAL * sqrt(odds * (1.0 - odds) / GAIN / count + (NORMAL / count / 2.0) ** 2) / (1.0 + NORMAL**2 / count)
    return max(spread, wilson)


def _interval(
    trials: Trials, check: Check, outcomes: TrialOutcomes, settings: Settings, run: Run
) -> tuple[float, float] | None:
    """The middle 95 % of the shares of the trials whose target lies in an arc; None where it lies in none.

    They are drawn together by what few rays add to the variance, but for an end at which nothing is obscured, or all.
    """
    shares = outcomes.shares
    errors = np.zeros_like(shares) if outcomes.errors is None or not trials.deviations else outcomes.errors
    for times in range(MAX_REMEASUREMENTS + 1):
        in_arc, partly = ~np.isnan(shares), (shares > 0.0) & (shares < 1.0)
        if not in_arc.any():
            return None
        noise = float(((errors[partly] / SIGMAS) ** 2).sum() / in_arc.sum())
        regression, least = _Regression.of(shares[in_arc], noise), (MIN_NOISE_SHARE / SIGMAS) ** 2
        if regression.is_too_noisy(least) and _are_within(shares):
            regression = _Regression.of(shares[in_arc], noise, _drawn_of(trials, check, shares.shape[1])[in_arc])
        if not regression.is_too_noisy(least) or times == MAX_REMEASUREMENTS:
            break
        shares, errors = shares[:, :FIRST_TRIALS].copy(), errors[:, :FIRST_TRIALS].copy()
        which = np.argwhere(partly[:, :FIRST_TRIALS])
        finer = _again(trials, check, which, settings, SIGMAS * sqrt(max(regression.aim, least)), run)
        shares[tuple(which.T)], errors[tuple(which.T)] = finer.T
    ends = np.quantile(shares[in_arc], (0.025, 0.975)).tolist()
    low, high = (
        end if end in (0.0, 1.0) else within
        for end, within in zip(ends, np.quantile(regression.denoised, (0.025, 0.975)).tolist(), strict=True)
    )
    return low, high


@dataclass(frozen=True, eq=False)
class _Regression:
    """The shares of trials as a linear function of the numbers drawn, by least squares, and what is left of them: in
    the first the noise of many trials cancels out.
    """

    denoised: Floats  # (n,) the shares, with the deviations of either part shrunk to what they are without noise
    noise: float  # the variance that the few rays add to each share
    linear: float  # the variance of the function, without noise
    residual: float  # that of what is left, or what it may be as far as the noise tells

    @classmethod
    def of(cls, shares: Floats, noise: float, drawn: Floats | None = None) -> _Regression:
        """That of shares (n,) with so much noise on numbers drawn (n, d), or on none."""
        count, mean = len(shares), float(shares.mean())
        numbers = np.empty((count, 0)) if drawn is None else drawn - drawn.mean(axis=0)
        fit: Floats = numbers @ np.linalg.lstsq(numbers, shares - mean)[0]
        left = shares - mean - fit
        of_fit, of_left = float(fit.var()), float(left.var())
        fitted_noise = noise * numbers.shape[1] / count
        linear, residual = max(of_fit - fitted_noise, 0.0), max(of_left - (noise - fitted_noise), 0.0)
        fit *= sqrt(linear / of_fit) if of_fit else 0.0
        left *= sqrt(residual / of_left) if of_left else 0.0
        denoised: Floats = mean + fit + left
        return cls(denoised, noise, linear, max(residual, of_left * sqrt(2.0 / count)))

    def is_too_noisy(self, least: float) -> bool:
        """Whether the noise hides how wide the shares lie; not where it is as small as ``least``."""
        return self.noise > max(INTERVAL_NOISE_SHARE * self.residual + LINEAR_NOISE_SHARE * self.linear, least)

    @property
    def aim(self) -> float:
        """The noise with which trials are measured again."""
        return AIMED_NOISE_SHARE * self.residual + AIMED_LINEAR_NOISE_SHARE * self.linear


def _are_within(shares: Floats) -> bool:
    """Whether all shares, of targets that lie in an arc, are clearly more than nothing and less than all."""
    return bool(abs(shares.mean() - 0.5) + MIN_DEVIATIONS_WITHIN * shares.std() < 0.5)


def _drawn_of(trials: Trials, check: Check, each: int) -> Floats:
    """(SCRAMBLINGS, each, d) what is drawn of the two pieces of a check."""
    pieces = check.attacker, check.target
    mine = [number for number, deviation in enumerate(trials.deviations) if deviation.piece in pieces]
    return trials.drawn[:, :each, mine]


def _again(trials: Trials, check: Check, which: Places, settings: Settings, error: float, run: Run) -> Floats:
    """(n, 2) the shares and their errors, measured more finely, with at most this error, of the trials (n, 2) of these
    scramblings and numbers.
    """
    rough = replace(settings, keep=False, remarks=False, observe=replace(REMEASURING, everywhere=error))

    def judged(some: Places) -> list[tuple[float, float]]:
        requests = [(scene, check) for scene in trials.scenes_of(trials.drawn[tuple(some.T)])]
        return [_share(trials, verdict) for verdict in trials.rule.judge_quickly(requests, rough)]

    parts = [part for part in np.array_split(which, TRIAL_PARTS) if len(part)]
    measured = run.parts(settings.renderer, parts, judged, alone=len(which) < SCRAMBLINGS * PILOT_TRIALS)
    return np.array([pair for of_part in measured for pair in of_part]).reshape(-1, 2)


# ---- which doubt weighs most

DRAW_GROUPS = 8  # the trials are put in so many groups by the number that was drawn
SELDOM = 0.05  # where fewer trials have another verdict than most, it says too little of what it hangs on


def weights(deviations: Sequence[Deviation], drawn: Floats, levels: Any, shares: Floats) -> dict[Any, float]:
    """The part, 0 to 1, of the variance among trials that each source of doubt explains by itself.

    These are Sobol's indices of first order, from the trials at hand: the variance of the means of groups of trials
    with like numbers drawn (s, n, d), less what the mean of so few trials varies anyway; those of one source are added
    up. What varies is the verdict, levels (s, n), from exposed to covered; where nearly all trials agree in that, the
    share (s, n), nan where there is none.
    """
    value = levels.ravel().astype(np.float64)
    if np.bincount(levels.ravel()).max() > (1.0 - SELDOM) * len(value) and not np.isnan(shares).all():
        value = np.nan_to_num(shares.ravel(), nan=float(np.nanmean(shares)))
    parts: dict[Any, float] = dict.fromkeys((deviation.source for deviation in deviations), 0.0)
    whole = float(value.var())
    if whole > 0.0:
        groups = np.array_split(np.argsort(drawn.reshape(len(value), -1), axis=0, kind="stable"), DRAW_GROUPS)
        means = np.array([value[group].mean(axis=0) for group in groups])
        within = np.array([value[group].var(axis=0, ddof=1) / len(group) for group in groups])
        explained = ((means - value.mean()) ** 2).mean(axis=0) - (1.0 - 1.0 / DRAW_GROUPS) * within.mean(axis=0)
        for deviation, part in zip(deviations, (explained / whole).tolist(), strict=True):
            parts[deviation.source] += part
    return parts


# ---- the error of measuring


class Recorder:
    """An `Observer` that keeps what that of the settings finds."""

    def __init__(self, settings: Settings) -> None:
        self._observe = settings.observe
        self.observed: list[list[Observation]] = []

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, request: ObservationRequest = PLAIN
    ) -> list[Observation]:
        """What the other one finds."""
        observations = self._observe(sights, renderer, pixel, request)
        self.observed.append(observations)
        return observations


@dataclass
class ReplayObserver:
    """An `Observer` that gives what was found for one question before, with other counts for each of n like it now, by
    standard normal numbers (n,).
    """

    observed: list[list[Observation]]
    drawn: Floats

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, request: ObservationRequest = PLAIN
    ) -> list[Observation]:
        """The observations of this call, for each question in turn."""
        observations, *self.observed = self.observed
        return [
            replace(observation, counts=redrawn(observation.counts, number))
            for number in self.drawn.tolist()
            for observation in observations
        ]


ROUNDING_ERROR = 1e-6  # an error of a share that rounding alone leaves, or less


def redrawn(counts: OcclusionCounts, number: float) -> OcclusionCounts:
    """The counts that another measurement might have given, with shares larger by ``number`` standard deviations.

    >>> counts = OcclusionCounts(10_000, 5_010, 10_000, 5_010, (), (), 0.003, 0.003, 0.003)
    >>> redrawn(counts, 0.0).occluded, redrawn(counts, 2.0).occluded, redrawn(counts, -2.0).seen
    (5010.0, 5030.0, 5010.0)
    >>> redrawn(OcclusionCounts(10_000, 0, 10_000, 0, (), (), 0.0, 0.0, 0.0), 2.0).occluded
    0.0
    """
    # A bound of rounding alone is no deviation: what is counted as exactly half is half.
    error, error_in_arc = (each if each > ROUNDING_ERROR else 0.0 for each in (counts.error, counts.error_in_arc))
    by, within = number * error / SIGMAS * counts.total, number * error_in_arc / SIGMAS * counts.in_arc
    occluded_in_arc = float(np.clip(counts.occluded_in_arc + within, 0.0, counts.in_arc))
    return replace(
        counts,
        occluded=float(np.clip(counts.occluded + by, 0.0, counts.total)),
        occluded_in_arc=occluded_in_arc if counts.error_seen else counts.occluded_in_arc,
    )
