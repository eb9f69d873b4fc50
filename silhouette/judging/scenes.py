"""The selected checks of one scene file become results; what was judged before an error is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from silhouette.judging.judge import Draw, JudgingOptions, check_options, judge
from silhouette.judging.loading import content_with, load_scene
from silhouette.judging.results import Judged
from silhouette.judging.selection import Selection
from silhouette.text import problem


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
    result, results = SceneResult(path), dict[int, Judged]()
    try:
        scene = content_with(load_scene(path, cache=options.cache, at=at), options.error)
        result = replace(result, title=scene.title, rules=scene.rules_as_written, warnings=scene.warnings)
        checks = selection.checks(scene)
        check_options(scene, checks, options)
        keeping = replace(options, keep=draw is not None)
        for number, judged in judge([(scene, check) for check in checks], keeping, draw=draw, step=step):
            results[number] = judged
    except Exception as wrong:
        result = replace(result, error=problem(wrong, path))
    return replace(result, judged=tuple(results[number] for number in sorted(results)))
