"""The selected checks of one scene file become results; what was judged before an error is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from silhouette.files.cache import Cache
from silhouette.groups import verdicts_of
from silhouette.judging.loading import content_with, load_scene, pixel_of
from silhouette.judging.results import Judged, with_both_ways, with_changes, with_odds
from silhouette.judging.selection import Selection
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Settings, Verdict
from silhouette.scenes.scene import Check, Scene
from silhouette.text import problem

Draw = Callable[[Scene, Check, Verdict, bool], Path | None]


@dataclass(frozen=True)
class SceneResult:
    """The results of one scene, and the error that ended judging, if there was one.

    Attributes:
        path: of the scene, as the user gave it.
        title, rules: of the scene; None where it could not be read.
        judged: the results, in the order of the selected checks.
        warnings: about the scene as a whole, a sentence each.
        error: one line, without "error:"; None where every check is judged.
    """

    path: Path
    title: str | None = None
    rules: str | None = None
    judged: tuple[Judged, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class JudgingOptions:
    """How the checks of a scene are judged.

    Attributes:
        renderer: measures.
        cache: keeps what takes long to work out.
        pixel: mm per pixel at the target; None for the scene's, else `PIXEL`.
        error: the error goal, a share; None for the scene's.
        workers: processes that judge at the same time, where there is much to judge and nothing to draw.
        seed: of the odds of each verdict; None where they are not asked for.
        what_if: whether it is asked what would change each verdict.
    """

    renderer: Renderer
    cache: Cache
    pixel: float | None = None
    error: float | None = None
    workers: int = 1
    seed: int | None = None
    what_if: bool = False


def judge_scene(
    path: Path,
    selection: Selection,
    options: JudgingOptions,
    *,
    at: Mapping[str, Sequence[float]] | None = None,
    draw: Draw | None = None,
    step: Callable[[float, int], None] = lambda done, total: None,
) -> SceneResult:
    """Judges the selected checks of one scene; results from before an error are kept.

    Args:
        path: of the scene.
        selection: the checks to judge.
        options: how they are judged.
        at: places to try, as of `load_scene`.
        draw: draws a verdict, given whether it is the scene's only one, and returns the path of the file, or None.
        step: is called with the number of checks that are done, with a part of the next one, and of all.
    """
    result, done = SceneResult(path), list[Judged]()
    try:
        scene = content_with(load_scene(path, cache=options.cache, at=at), options.error)
        result = replace(result, title=scene.title, rules=scene.rules_as_written, warnings=scene.warnings)
        checks = selection.checks(scene)
        settings = Settings(options.renderer, pixel_of(scene, options.pixel), keep=draw is not None)
        verdicts = verdicts_of(scene, checks, settings, options.workers if draw is None else 1)
        rounds = 1
        if options.seed is not None:
            from silhouette.doubt.odds import check_odds

            check_odds(scene, checks)
            rounds += 1
        if options.what_if:
            from silhouette.doubt.changes import check_changes

            check_changes(scene, checks)
            rounds += 1
        for number, question in enumerate(checks):
            step(number, rounds * len(checks))
            done.append(Judged.of(question, next(verdicts)))
            if draw is not None:
                picture = draw(scene, question, done[-1].verdict, len(checks) == 1)
                done[-1] = replace(done[-1], verdict=done[-1].verdict.without_evidence(), picture=picture)
        if options.seed is not None:
            judged, further = tuple(done), _from(step, len(checks), rounds * len(checks))
            odds = with_odds(scene, judged, settings, options.seed, options.cache, options.workers, further)
            for number, one in enumerate(odds):
                done[number] = one
        if options.what_if:
            judged, further = tuple(done), _from(step, (rounds - 1) * len(checks), rounds * len(checks))
            for number, one in enumerate(with_changes(scene, judged, settings, options.workers, further)):
                done[number] = one
            done = with_both_ways(scene, done, settings)
    except Exception as wrong:
        result = replace(result, error=problem(wrong, path))
    return replace(result, judged=tuple(done))


def _from(step: Callable[[float, int], None], done: int, total: int) -> Callable[[float], None]:
    """What is called with how many are done after those that are ``done``, of ``total``."""
    return lambda more: step(done + more, total)
