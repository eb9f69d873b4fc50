"""JUDGE: checks of scenes become results: verdicts first, then their odds and what would change them, if wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from silhouette.common.text import Progress
from silhouette.files.cache import UNCACHED, Cache
from silhouette.judging.calls import ruling
from silhouette.judging.counterfactuals import CHANGES, Changes, changes_of_each, check_changes, one_way_of_each
from silhouette.judging.loading import pixel_of
from silhouette.judging.maps import Map, MapRequest, map_of
from silhouette.judging.monte_carlo import Odds, check_odds, odds_of_each
from silhouette.judging.own_doubts import with_own_doubts
from silhouette.judging.run import CHECK_GROUPS_PER_PROCESS, CHECKS_WORTH_FORKING, Run, shared
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.abilities import HasOdds
from silhouette.rules.base import Level, Rule, Settings, Verdict
from silhouette.rules.fields import ARC, ODDS, REASON, Record, ResultField, row_of, unmet_expectations
from silhouette.scenes.scene import Check, Scene
from silhouette.workers import parallel_map

EXPECTED = ResultField(
    "expected", bool | None, "whether everything expected holds; null if nothing is expected", is_detail=False
)
UNMET = ResultField(
    "unmet",
    list[str],
    "what of the expectation does not hold, a few words each",
    optional=True,
    is_detail=False,
    compared="sentence",
    value=lambda unmet: list(unmet) if unmet else None,
)


@dataclass(frozen=True)
class Judged(Record):
    """One check with its verdict; its row has the keys of the verdict, and those of `fields`."""

    check: Check
    verdict: Verdict
    # The expectations that do not hold, in a few words each; None where nothing is expected
    unmet: tuple[str, ...] | None
    picture: Path | None = None
    # odds, changes: None where they were not asked for, or there are none
    odds: Odds | None = None
    changes: Changes | None = None
    # Why the target sees the attacker, where this one does not see it and what would change was asked for
    one_way: str | None = None

    fields: ClassVar[tuple[ResultField, ...]] = (
        EXPECTED,
        replace(ARC, type=str | None, at="check.arc", optional=True),
        UNMET,
        ResultField(
            "agreed",
            dict[str, str],
            "what the players agreed on, whatever the rules say: their verdict, and why",
            at="verdict.agreed",
            optional=True,
            is_detail=False,
            value=lambda agreed: None if agreed is None else {"verdict": agreed.verdict, "why": agreed.why},
        ),
        ResultField(
            "picture",
            str,
            "the file into which it was drawn",
            optional=True,
            value=lambda path: None if path is None else str(path),
        ),
        *(replace(field, optional=True) for field in ODDS),
        ResultField(
            "changes",
            CHANGES | None,
            "--what-if: what would change the verdict; moves, the least first, the turn, then pieces",
            at="changes.changes",
            optional=True,
        ),
        ResultField(
            "one_way", str, "--what-if: why the target sees the attacker, which does not see it", optional=True
        ),
    )

    @classmethod
    def of(cls, check: Check, verdict: Verdict, odds: Odds | None = None) -> Judged:
        """The verdict, compared with the check's expectation: with that of its odds as well, where they are given."""
        result = cls(check, verdict, None, odds=odds)
        if check.expect is None:
            return result
        of_odds = {field.key for field in ODDS}
        expect = {key: value for key, value in check.expect.items() if odds is not None or key not in of_odds}
        row = {**(row_of(result, ODDS) if odds is not None else {}), **verdict.row()}
        return replace(result, unmet=tuple(unmet_expectations(row, expect)))

    @property
    def expected(self) -> bool | None:
        """Whether every expectation holds; None where nothing is expected."""
        return None if self.unmet is None else not self.unmet

    @property
    def reason(self) -> str:
        """Why, in one sentence: with odds, what they decide as well."""
        odds = self.odds
        return self.verdict.reason if odds is None else ruling(self.verdict, odds.odds, odds.call, odds.doubt_from)

    @property
    def level(self) -> Level | None:
        """How exposed the target is by the verdict that stands; None if the players roll off, or that is not asked."""
        return self.verdict.level if self.odds is None else rule_called(self.verdict.rules).levels.get(self.odds.call)

    @property
    def call(self) -> str | None:
        """The verdict that stands by the odds, or "roll off"; None without odds."""
        return None if self.odds is None else self.odds.call

    def row(self) -> dict[str, Any]:
        """The result under the contract's keys."""
        row = {**self.verdict.row(), **row_of(self, self.fields)}
        return row if self.odds is None else {**row, REASON.key: self.reason}


Request = tuple[Scene, Check]  # a check, and the scene that it is asked of
Draw = Callable[[Scene, Check, Verdict, bool], Path | None]
Group = tuple[list[Verdict], Exception | None]
Step = Callable[
    [float, int], None
]  # called with how many are done, with the part of the next one, and with how many there are


@dataclass(frozen=True)
class JudgingOptions:
    """How checks are judged, and what is wanted besides their verdicts."""

    renderer: Renderer
    cache: Cache = UNCACHED
    pixel: float | None = None  # mm per pixel at the target; None for the scene's, else `PIXEL`
    error: float | None = None  # the error goal of `judge_scene`, a share; None for the scene's
    workers: int = 1  # processes that judge at the same time, if there is much to judge
    seed: int | None = None  # of the odds of each verdict; None if they are not wanted
    what_if: bool = False  # whether it is wanted what would change each verdict
    keep: bool = False  # whether verdicts keep their observations, for figures

    def settings(self, scene: Scene) -> Settings:
        """The settings of a scene's measurements."""
        return Settings(self.renderer, pixel_of(scene, self.pixel), self.keep)


def judge(
    requests: Sequence[Request],
    options: JudgingOptions,
    *,
    draw: Draw | None = None,
    step: Step = lambda done, total: None,
) -> Iterator[tuple[int, Judged]]:
    """The results of requests as they come, each with the number of its request, from 0.

    A result comes when it has its verdict, and again with its picture, its odds and what would change it, as far as
    these are wanted: the last one of a number is complete. Requests whose scenes ask for the same fineness are measured
    together, which costs less for each; the results are the same for any number of processes.

    Args:
        draw: draws a verdict that kept its observation, given whether it is the only one, and returns the path of the
            file, or None; the result drops the observation then.
        step: is called with how many are done, with a part of the next one, and of all.

    Raises RequestError before the first result if the renderer's device has no room for all meshes at once; after the
    results before it if a check names a piece that is not there, or one that takes too long.
    """
    scenes = {id(scene): scene for scene, _ in requests}
    options.renderer.refuse_too_large(_meshes_of(list(scenes.values())))
    additions: list[Addition] = [] if options.seed is None else [_with_odds]
    additions += [_with_changes, _with_one_way] if options.what_if else []
    results: dict[int, Judged] = {}
    total = (1 + (options.seed is not None) + options.what_if) * len(requests)
    step(0, total)
    for number, verdict in _verdicts(requests, options):
        scene, check = requests[number]
        agreed = scene.agreement_on(check)
        results[number] = Judged.of(check, verdict if agreed is None else replace(verdict, agreed=agreed))
        yield number, results[number]
        if draw is not None:
            verdict = results[number].verdict
            picture = draw(scene, check, verdict, len(requests) == 1)
            results[number] = replace(results[number], verdict=verdict.without_evidence(), picture=picture)
            yield number, results[number]
        step(len(results), total)
    by_scene = {key: [n for n, (scene, _) in enumerate(requests) if id(scene) == key] for key in scenes}
    run, done = Run(options.workers, lambda done: step(done, total)), len(requests)
    for add in additions:
        for key, numbers in by_scene.items():
            added = add(options, scenes[key], [results[number] for number in numbers], run.from_here(done))
            for number, result in zip(numbers, added, strict=True):
                results[number] = result
                yield number, result
            done += len(numbers)


def judge_all(
    requests: Sequence[Request], options: JudgingOptions, step: Step = lambda done, total: None
) -> list[Judged]:
    """The complete results of `judge`, in the order of the requests."""
    results = dict(judge(requests, options, step=step))
    return [results[number] for number in range(len(requests))]


def _meshes_of(scenes: Sequence[Scene]) -> dict[str, Mesh]:
    """The meshes of scenes, by the number of the scene and the name of the piece."""
    named = [rule_called(scene.rules).meshes(scene) for scene in scenes]
    if len(named) == 1:
        return dict(named[0])
    return {f"{number} {name}": mesh for number, meshes in enumerate(named) for name, mesh in meshes.items()}


def _verdicts(requests: Sequence[Request], options: JudgingOptions) -> Iterator[tuple[int, Verdict]]:
    """The verdict on each request with its number, those of one game and one pixel together; the exception of the first
    one that cannot be judged, after those on all before it in its group.
    """
    by_fineness: dict[tuple[str, float], list[int]] = {}
    for number, (scene, _) in enumerate(requests):
        by_fineness.setdefault((scene.rules, pixel_of(scene, options.pixel)), []).append(number)
    for (rules, _), numbers in by_fineness.items():
        own = [requests[number] for number in numbers]
        size, workers = _size_and_workers(own, options)
        groups = [own[start : start + size] for start in range(0, len(own), size)]
        work = partial(_group, rule_called(rules), options.settings(own[0][0]))
        remaining = iter(numbers)
        for verdicts, error in parallel_map(work, groups, workers) if workers > 1 else map(work, groups):
            for verdict in verdicts:
                yield next(remaining), verdict
            if error is not None:
                raise error


def _size_and_workers(requests: Sequence[Request], options: JudgingOptions) -> tuple[int, int]:
    """How many requests are judged at once, as serves the renderer, and by how many processes."""
    of_one_scene = len({id(scene) for scene, _ in requests}) == 1
    forking = options.workers > 1 and not options.keep and of_one_scene and len(requests) >= CHECKS_WORTH_FORKING
    if not forking or not shared(requests[0][0], options.renderer):
        return options.renderer.capabilities.together, 1
    groups = CHECK_GROUPS_PER_PROCESS * options.workers
    return max(1, min(options.renderer.capabilities.together, -(-len(requests) // groups))), options.workers


def _group(rule: Rule[Any, Verdict], settings: Settings, requests: Sequence[Request]) -> Group:
    """The verdicts on requests that are judged at once, and what else they could be if pieces stand or look otherwise;
    if one fails, those on the ones before it, and its error.
    """
    try:
        verdicts: Sequence[Verdict] = rule.judge(requests, settings)
        if isinstance(rule, HasOdds):
            verdicts = with_own_doubts(rule, requests, rule.from_elsewhere(requests, verdicts, settings), settings)
        return list(verdicts), None
    except Exception as error:
        if len(requests) == 1:
            return [], error
    before = list[Verdict]()
    for request in requests:
        verdicts_of_request, error_of_request = _group(rule, settings, [request])
        before += verdicts_of_request
        if error_of_request is not None:
            return before, error_of_request
    return before, None


def check_options(scene: Scene, checks: Sequence[Check], options: JudgingOptions) -> None:
    """Refuses options that make no sense of any of the checks: RequestError that says which to leave out."""
    if options.seed is not None:
        check_odds(scene, checks)
    if options.what_if:
        check_changes(scene, checks)


Addition = Callable[[JudgingOptions, Scene, Sequence[Judged], Run], Iterator[Judged]]
"""Adds to the results of a scene; the run is told how many have it, and a part of the next one."""


def _with_odds(options: JudgingOptions, scene: Scene, results: Sequence[Judged], run: Run) -> Iterator[Judged]:
    assert options.seed is not None
    checks, verdicts = _checks_and_verdicts(results)
    each = odds_of_each(scene, checks, verdicts, options.settings(scene), options.seed, options.cache, run)
    for result, odds in zip(results, each, strict=True):
        yield replace(result, odds=odds, unmet=Judged.of(result.check, result.verdict, odds).unmet)


def _with_changes(options: JudgingOptions, scene: Scene, results: Sequence[Judged], run: Run) -> Iterator[Judged]:
    each = changes_of_each(scene, *_checks_and_verdicts(results), options.settings(scene), run)
    for result, changes in zip(results, each, strict=True):
        yield replace(result, changes=changes)


def _with_one_way(options: JudgingOptions, scene: Scene, results: Sequence[Judged], run: Run) -> Iterator[Judged]:
    """The results with why the target sees the attacker, if this one does not see it and may move."""
    movable = [result for result in results if result.changes is not None]
    each = iter(one_way_of_each(scene, *_checks_and_verdicts(movable), options.settings(scene)))
    return (result if result.changes is None else replace(result, one_way=next(each)) for result in results)


def _checks_and_verdicts(results: Sequence[Judged]) -> tuple[list[Check], list[Verdict]]:
    return [result.check for result in results], [result.verdict for result in results]


def mapped(
    scene: Scene,
    request: MapRequest,
    renderer: Renderer,
    pixel: float | None = None,
    *,
    workers: int = 1,
    step: Progress = lambda done, total: None,
) -> Map:
    """The map of a scene that is asked for; see `silhouette.judging.maps.map_of`."""
    renderer.refuse_too_large(rule_called(scene.rules).meshes(scene))
    return map_of(scene, request, Settings(renderer, pixel_of(scene, pixel)), workers, step)
