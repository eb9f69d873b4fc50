"""JUDGE: checks of scenes become results: verdicts first, then their odds and what would change them, if wanted.

requests -> groups that are measured together, in worker processes if worth it -> verdicts -> odds -> changes -> Judged
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from silhouette.files.cache import UNCACHED, Cache
from silhouette.groups import CHECKS_TOGETHER, GROUPS_EACH, WORTH_FORKING, shared
from silhouette.judging.loading import pixel_of
from silhouette.judging.results import Judged
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.abilities import judged, meshes_of
from silhouette.rules.base import Rule, Settings, Verdict
from silhouette.scenes.scene import Check, Scene
from silhouette.text import Progress

if TYPE_CHECKING:
    from silhouette.doubt.maps import Map, MapRequest

Request = tuple[Scene, Check]
"""A check, and the scene that it is asked of."""

Draw = Callable[[Scene, Check, Verdict, bool], Path | None]
Group = tuple[list[Verdict], Exception | None]


@dataclass(frozen=True)
class JudgingOptions:
    """How checks are judged, and what is wanted besides their verdicts.

    Attributes:
        renderer: measures.
        cache: keeps what takes long to work out.
        pixel: mm per pixel at the target; None for the scene's, else `PIXEL`.
        error: the error goal of `judge_scene`, a share; None for the scene's.
        workers: processes that judge at the same time, if there is much to judge.
        seed: of the odds of each verdict; None if they are not wanted.
        what_if: whether it is wanted what would change each verdict.
        keep: whether verdicts keep their observations, for figures.
    """

    renderer: Renderer
    cache: Cache = UNCACHED
    pixel: float | None = None
    error: float | None = None
    workers: int = 1
    seed: int | None = None
    what_if: bool = False
    keep: bool = False

    def settings(self, scene: Scene) -> Settings:
        """The settings of a scene's measurements."""
        return Settings(self.renderer, pixel_of(scene, self.pixel), self.keep)


def judge(
    requests: Sequence[Request],
    options: JudgingOptions,
    *,
    draw: Draw | None = None,
    step: Callable[[float, int], None] = lambda done, total: None,
) -> Iterator[tuple[int, Judged]]:
    """The results of requests as they come, each with the number of its request, from 0.

    A result comes when it has its verdict, and again with its picture, its odds and what would change it, as far as
    these are wanted: the last one of a number is complete. Requests whose scenes ask for the same fineness are measured
    together, which costs less for each; the results are the same for any number of processes.

    Args:
        requests: checks, each with its scene.
        options: how they are judged, and what is wanted.
        draw: draws a verdict that kept its observation, given whether it is the only one, and returns the path of the
            file, or None; the result drops the observation then.
        step: is called with how many are done, with a part of the next one, and of all.

    Raises:
        RequestError: before the first result if the renderer's device has no room for all meshes at once; after the
            results before it if a check names a piece that is not there, or one that takes too long.
    """
    scenes = {id(scene): scene for scene, _ in requests}
    options.renderer.refuse_too_large(_meshes_of(list(scenes.values())))
    rounds = 1 + (options.seed is not None) + options.what_if
    results: dict[int, Judged] = {}
    total = rounds * len(requests)
    step(0, total)
    for number, verdict in _verdicts(requests, options):
        scene, check = requests[number]
        results[number] = Judged.of(check, verdict)
        yield number, results[number]
        if draw is not None:
            picture = draw(scene, check, verdict, len(requests) == 1)
            results[number] = replace(results[number], verdict=verdict.without_evidence(), picture=picture)
            yield number, results[number]
        step(len(results), total)
    by_scene = {key: [n for n, (scene, _) in enumerate(requests) if id(scene) == key] for key in scenes}
    done = len(requests)
    for add in _additions(options):
        for key, numbers in by_scene.items():
            own = [results[number] for number in numbers]
            added = add(scenes[key], own, partial(_step_on, step, done, total))
            for number, result in zip(numbers, added, strict=True):
                results[number] = result
                yield number, result
            done += len(numbers)


def _step_on(step: Callable[[float, int], None], done: int, total: int, more: float) -> None:
    step(done + more, total)


def judge_all(requests: Sequence[Request], options: JudgingOptions) -> list[Judged]:
    """The complete results of `judge`, in the order of the requests."""
    results = dict(judge(requests, options))
    return [results[number] for number in range(len(requests))]


def _meshes_of(scenes: Sequence[Scene]) -> dict[str, Mesh]:
    """The meshes of scenes, by the number of the scene and the name of the piece."""
    named = [meshes_of(rule_called(scene.rules), scene) for scene in scenes]
    if len(named) == 1:
        return dict(named[0])
    return {f"{number} {name}": mesh for number, meshes in enumerate(named) for name, mesh in meshes.items()}


def _verdicts(requests: Sequence[Request], options: JudgingOptions) -> Iterator[tuple[int, Verdict]]:
    """The verdict on each request with its number, those of one game and one pixel together.

    Raises:
        Exception: that of the first one that cannot be judged, after those on all before it in its group.
    """
    alike: dict[tuple[str, float], list[int]] = {}
    for number, (scene, _) in enumerate(requests):
        alike.setdefault((scene.rules, pixel_of(scene, options.pixel)), []).append(number)
    for (rules, _), numbers in alike.items():
        own = [requests[number] for number in numbers]
        settings = options.settings(own[0][0])
        remaining = iter(numbers)
        for verdicts, error in _groups(own, partial(_group, rule_called(rules), settings), options):
            for verdict in verdicts:
                yield next(remaining), verdict
            if error is not None:
                raise error


def _groups(
    requests: Sequence[Request], work: Callable[[Sequence[Request]], Group], options: JudgingOptions
) -> Iterator[Group]:
    """The requests, as many at once as serves the renderer, by several processes if that is worth it."""
    together = options.renderer.capabilities.checks_together or CHECKS_TOGETHER
    of_one_scene = len({id(scene) for scene, _ in requests}) == 1
    forking = options.workers > 1 and not options.keep and of_one_scene and len(requests) >= WORTH_FORKING
    if not forking or not shared(requests[0][0], options.renderer):
        return map(work, _in_parts(requests, together))
    from silhouette.workers import parallel_map  # not before there is much to judge

    most = max(1, min(CHECKS_TOGETHER, -(-len(requests) // (GROUPS_EACH * options.workers))))
    return parallel_map(work, _in_parts(requests, most), options.workers)


def _group(rule: Rule[Any, Verdict], settings: Settings, requests: Sequence[Request]) -> Group:
    """The verdicts on requests that are judged at once; if one fails, those on the ones before it, and its error."""
    try:
        return judged(rule, requests, settings), None
    except Exception as error:
        if len(requests) == 1:
            return [], error
    before = list[Verdict]()
    for request in requests:
        verdicts, error_of_one = _group(rule, settings, [request])
        before += verdicts
        if error_of_one is not None:
            return before, error_of_one
    return before, None


def _in_parts(requests: Sequence[Request], size: int) -> list[Sequence[Request]]:
    """The requests, ``size`` at a time."""
    return [requests[start : start + size] for start in range(0, len(requests), size)]


def check_options(scene: Scene, checks: Sequence[Check], options: JudgingOptions) -> None:
    """Refuses what the options want if it makes no sense of any of the checks, before anything is judged.

    Raises:
        RequestError: that says which option to leave out.
    """
    if options.seed is not None:
        from silhouette.doubt.odds import check_odds  # not before odds are wanted

        check_odds(scene, checks)
    if options.what_if:
        from silhouette.doubt.changes import check_changes  # not before changes are wanted

        check_changes(scene, checks)


Addition = Callable[[Scene, Sequence[Judged], Callable[[float], None]], Iterator[Judged]]
"""Adds to the results of a scene; its last argument is called with how many have it, and a part of the next one."""


def _additions(options: JudgingOptions) -> list[Addition]:
    """What is added to results that have their verdicts, in rounds."""
    additions: list[Addition] = []
    if options.seed is not None:
        additions.append(partial(_with_odds, options, options.seed))
    if options.what_if:
        additions += [partial(_with_changes, options), partial(_with_one_way, options)]
    return additions


def _with_odds(
    options: JudgingOptions, seed: int, scene: Scene, results: Sequence[Judged], step: Callable[[float], None]
) -> Iterator[Judged]:
    """The results with the odds of each."""
    from silhouette.doubt.odds import odds_of_each  # not before odds are wanted
    from silhouette.doubt.run import Run

    checks, verdicts = [result.check for result in results], [result.verdict for result in results]
    run = Run(options.workers, step)
    each = odds_of_each(scene, checks, verdicts, options.settings(scene), seed, options.cache, run)
    for result, odds in zip(results, each, strict=True):
        yield replace(result, odds=odds, unmet=Judged.of(result.check, result.verdict, odds).unmet)


def _with_changes(
    options: JudgingOptions, scene: Scene, results: Sequence[Judged], step: Callable[[float], None]
) -> Iterator[Judged]:
    """The results with what would change each."""
    from silhouette.doubt.changes import changes_of_each  # not before changes are wanted
    from silhouette.doubt.run import Run

    checks, verdicts = [result.check for result in results], [result.verdict for result in results]
    each = changes_of_each(scene, checks, verdicts, options.settings(scene), Run(options.workers, step))
    for result, changes in zip(results, each, strict=True):
        yield replace(result, changes=changes)


def _with_one_way(
    options: JudgingOptions, scene: Scene, results: Sequence[Judged], step: Callable[[float], None]
) -> Iterator[Judged]:
    """The results with why the target sees the attacker, if this one does not see it and may move."""
    from silhouette.doubt.changes import one_way_of_each  # not before changes are wanted

    movable = [result for result in results if result.changes is not None]
    checks, verdicts = [result.check for result in movable], [result.verdict for result in movable]
    each = iter(one_way_of_each(scene, checks, verdicts, options.settings(scene)))
    return (result if result.changes is None else replace(result, one_way=next(each)) for result in results)


def mapped(
    scene: Scene,
    request: MapRequest,
    renderer: Renderer,
    pixel: float | None = None,
    *,
    workers: int = 1,
    step: Progress = lambda done, total: None,
) -> Map:
    """The map of a scene that is asked for; see `silhouette.doubt.maps.map_of`.

    Args:
        scene: from `load_scene`.
        request: what is asked.
        renderer: measures.
        pixel: mm per pixel at the target; by default the scene's, else `PIXEL`.
        workers: processes that judge at the same time.
        step: is called with the number of places that are done, and of all.
    """
    from silhouette.doubt.maps import map_of  # what only maps need

    renderer.refuse_too_large(meshes_of(rule_called(scene.rules), scene))
    return map_of(scene, request, Settings(renderer, pixel_of(scene, pixel)), workers, step)
