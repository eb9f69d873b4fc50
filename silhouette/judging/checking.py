"""JUDGE: a scene file and a selection of its checks become the results that a command prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from silhouette.common.text import problem
from silhouette.judging.judge import Draw, Judged, JudgingOptions, check_options, judge
from silhouette.judging.loading import Selection, content_with, load_scene


@dataclass(frozen=True)
class SceneResult:
    """The results of one scene, in order, and the error that ended judging, one line without "error:", if there was
    one. Title and rules are None where the scene could not be read; warnings are about it as a whole.
    """

    path: Path
    title: str | None = None
    rules: str | None = None
    judged: tuple[Judged, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str | None = None


def scenes_document(results: Iterable[SceneResult]) -> dict[str, Any]:
    """The output of ``--json`` for checks; a scene that failed has ``error`` next to the checks judged before."""
    scenes = []
    for result in results:
        entry: dict[str, Any] = {"scene": str(result.path), "title": result.title, "rules": result.rules}
        if result.error is not None:
            entry["error"] = result.error
        rows = [judged.row() for judged in result.judged]
        scenes.append({**entry, "results": rows, "warnings": list(result.warnings)})
    return {"scenes": scenes}


def judge_scene(
    path: Path,
    selection: Selection,
    options: JudgingOptions,
    *,
    at: Mapping[str, Sequence[float]] | None = None,
    draw: Draw | None = None,
    step: Callable[[float, int], None] = lambda done, total: None,
) -> SceneResult:
    """Judges the selected checks of a scene, ``at`` as of `load_scene`, the rest as of `judge`, as far as it gets."""
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
