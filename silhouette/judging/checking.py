"""One question about a scene, from Python: its verdict, the odds of it, what would change it; and a map."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from silhouette.common.errors import RequestError
from silhouette.common.geometry import INCH
from silhouette.common.lazy import remembered
from silhouette.common.text import problem
from silhouette.files.cache import Cache
from silhouette.judging.counterfactuals import Changes
from silhouette.judging.judge import Draw, Judged, JudgingOptions, check_options, judge, mapped
from silhouette.judging.loading import Selection, content_with, load_scene
from silhouette.judging.maps import Map, MapRequest
from silhouette.judging.monte_carlo import Odds
from silhouette.renderers import started
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Verdict
from silhouette.scenes.scene import Scene
from silhouette.workers import cores


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


def check(
    scene: Scene | str | PathLike[str],
    attacker: str,
    target: str,
    *,
    arc: str | None = None,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
    error: float | None = None,
) -> Verdict:
    """The verdict on whether the attacker sees the target, and whether the target is in cover.

    Args:
        scene: from `load_scene`, or the path of one.
        attacker, target: names of two fighters or vehicles of the scene.
        arc: "front", "left", "right" or "rear": the vision arc to look from; by default any that the attacker has.
        renderer: "auto", "embree", "cuda", "gl" or "reference", or one that is started already, from
            `silhouette.renderers.choose`: for many checks that saves preparing the meshes again.
        pixel: mm per pixel at the target, above 0 and at most 10; by default what the scene says, else 0.1.
        error: how large the stated error may stay where no other verdict is near, a share above 0 and at most 0.05;
            by default what the scene says, else 0.002. More is faster.

    Raises RequestError where a name, an arc or a renderer is not there, or ``pixel`` or ``error`` is out of bounds;
    RendererUnavailable where the renderer asked for cannot run on this machine.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from silhouette.files.cache import Cache
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name, "duel.toml")
    >>> _ = file.write_text('''
    ... rules = "necromunda"
    ... fighter = [
    ...   { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15] },
    ...   { name = "Vex", at = [0, 200], parts = [{ box = [12, 12, 30] }] },
    ... ]
    ... terrain = [{ name = "wall", at = [0, 185], parts = [{ box = [60, 5, 10] }] }]
    ... ''')
    >>> scene = load_scene(file, cache=Cache(None))
    >>> verdict = check(scene, "Kal", "Vex", renderer="reference", pixel=0.2)
    >>> verdict.verdict
    'partial cover'
    >>> print(verdict.reason)
    32.7 % of Vex is obscured by the wall; less than half: partial cover
    >>> check(file, "Vex", "Kal", renderer="reference", pixel=0.2).verdict
    'hidden'
    >>> check(scene, "Kal", "Wex")
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: ...duel.toml: nothing is called 'Wex'; did you mean 'Vex'?
    >>> folder.cleanup()
    """
    read = _read(scene, error)
    (check,) = Selection(attacker, target, arc).checks(read)
    ((_, result),) = judge([(read, check)], JudgingOptions(started(renderer), pixel=pixel))
    return result.verdict


def odds(
    scene: Scene | str | PathLike[str],
    attacker: str,
    target: str,
    *,
    arc: str | None = None,
    seed: int = 0,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
    error: float | None = None,
) -> Odds:
    """How likely each verdict on a pair is, where its pieces may stand a little elsewhere: the scene's ``[doubt]``.

    Args:
        scene, attacker, target, arc, renderer, pixel, error: as of `check`.
        seed: a whole number, 0 or more; the same seed gives the same odds.

    Raises RequestError where the game, or what is asked, has no odds, or the seed is below 0; and as `check` does;
    RendererUnavailable where the renderer asked for cannot run on this machine.

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name, "duel.toml")
    >>> _ = file.write_text('''
    ... rules = "necromunda"
    ... fighter = [
    ...   { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15] },
    ...   { name = "Vex", at = [0, 200], parts = [{ box = [12, 12, 30] }] },
    ... ]
    ... terrain = [{ name = "wall", at = [-30, 185], parts = [{ box = [60, 5, 40] }] }]
    ... ''')
    >>> duel = odds(file, "Kal", "Vex", renderer="embree")
    >>> list(duel.odds), sum(duel.odds.values()), duel.call
    (['open', 'partial cover', 'full cover', 'hidden'], 1.0, 'roll off')
    >>> folder.cleanup()
    """
    if seed < 0:
        raise RequestError(f"seed is {seed}; it must be a whole number, 0 or more")
    options = JudgingOptions(started(renderer), pixel=pixel, seed=seed)
    result = _complete(_read(scene, error), Selection(attacker, target, arc), options)
    assert result.odds is not None
    return result.odds


def changes(
    scene: Scene | str | PathLike[str],
    attacker: str,
    target: str,
    *,
    arc: str | None = None,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
    error: float | None = None,
) -> Changes:
    """What would change the verdict on a pair: the least moves in plan, the least turn, and pieces taken away;
    arguments and errors are those of `check`. RequestError too where no move makes sense in the game.
    """
    options = JudgingOptions(started(renderer), pixel=pixel, what_if=True)
    result = _complete(_read(scene, error), Selection(attacker, target, arc), options)
    assert result.changes is not None
    return replace(result.changes, one_way=result.one_way)


def map_of(  # noqa: PLR0913  # the options of a command
    scene: Scene | str | PathLike[str],
    move: str,
    *,
    attackers: str | Sequence[str] = (),
    targets: str | Sequence[str] = (),
    grid: float = INCH,
    within: float | None = None,
    under: float | None = None,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
    error: float | None = None,
    workers: int | None = None,
) -> Map:
    """Where a model could stand, and the verdict on it at each point of a grid; its `document` has the contract's keys.

    Args:
        scene: from `load_scene`, or the path of one.
        move: the name of the model that is moved.
        attackers: the name of who looks at it, or several names; by default everyone but its gang.
        targets: instead, whom it looks at, facing each.
        grid: mm between two points.
        within: mm: only points so near, in plan, to where it stands.
        under: mm: nothing higher than this counts to stand on; by default the highest floor does.
        renderer, pixel, error: as of `check`.
        workers: processes that judge at the same time; by default as many as there are cores. A process with threads,
            such as a notebook, is not forked: there it is one.

    Raises RequestError where a model is not there, the game has no maps, or the grid is too fine; RendererUnavailable
    where the renderer asked for cannot run on this machine.
    """
    request = MapRequest(move, _names(attackers), _names(targets), grid, within, under)
    processes = cores() if workers is None else max(1, workers)
    return mapped(_read(scene, error), request, started(renderer), pixel, workers=processes)


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _read(scene: Scene | str | PathLike[str], error: float | None) -> Scene:
    if not isinstance(scene, Scene):
        scene = load_scene(scene, cache=_remembering(Cache.default()))
    return content_with(scene, error)


@remembered
def _remembering(cache: Cache) -> Cache:
    """The cache of all questions that give a path: models that are asked about again are in memory."""
    return cache.remembering()


def _complete(scene: Scene, selection: Selection, options: JudgingOptions) -> Judged:
    (check,) = selection.checks(scene)
    check_options(scene, [check], options)
    *_, (_, result) = judge([(scene, check)], options)
    return result
