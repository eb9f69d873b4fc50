"""PYTHON: questions about a scene: a verdict, its odds, what would change it, everyone on everyone, and a map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import INCH
from silhouette.common.lazy import remembered
from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, Selection, content_with, judge, judge_all, load_scene, mapped
from silhouette.judging.judge import Judged, check_options
from silhouette.judging.maps import MapRequest
from silhouette.notebook.answers import (
    Matrix,
    NotebookChanges,
    NotebookMap,
    NotebookOdds,
    NotebookVerdict,
    Origin,
)
from silhouette.notebook.arguments import BUILT_FOLDER, python_terms
from silhouette.notebook.building import write_scene
from silhouette.notebook.methods import plain, with_methods
from silhouette.renderers import started
from silhouette.renderers.protocol import Renderer
from silhouette.scenes.scene import Check, Scene
from silhouette.workers import cores

SceneSource = Scene | Mapping[str, Any] | str | PathLike[str]
"""A scene from `load_scene`, the path of its file, or the keys of one."""

Places = Mapping[str, Sequence[float]]
"""Where pieces stand instead, by name: x, y and, if wanted, the facing in degrees; in the scene's units."""


def check(
    scene: SceneSource,
    attacker: str,
    target: str,
    *,
    arc: str | None = None,
    at: Places | None = None,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
    error: float | None = None,
) -> NotebookVerdict:
    """The verdict on whether the attacker sees the target, and whether the target is in cover.

    Args:
        scene: from `load_scene`, the path of one, or its keys.
        attacker, target: names of two fighters or vehicles of the scene.
        arc: "front", "left", "right" or "rear": the vision arc to look from; by default any that the attacker has.
        at: places to try, as of `load_scene`.
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
    with python_terms():
        request = _request(scene, Selection(attacker, target, arc), error, at)
        (verdict,) = _answers([request], started(renderer), pixel)
    return verdict


def odds(  # noqa: PLR0913  # the options of a command
    scene: SceneSource,
    attacker: str,
    target: str,
    *,
    arc: str | None = None,
    at: Places | None = None,
    seed: int = 0,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
    error: float | None = None,
) -> NotebookOdds:
    """How likely each verdict on a pair is, where its pieces may stand a little elsewhere: the scene's ``[doubt]``.

    Args:
        scene, attacker, target, arc, at, renderer, pixel, error: as of `check`.
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
    with python_terms():
        read, check = _request(scene, Selection(attacker, target, arc), error, at)
        options = JudgingOptions(started(renderer), pixel=pixel, seed=seed)
        judged = _complete(read, check, options)
    assert judged.odds is not None
    return with_methods(judged.odds, NotebookOdds, scene=read, judged=judged)


def changes(
    scene: SceneSource,
    attacker: str,
    target: str,
    *,
    arc: str | None = None,
    at: Places | None = None,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
    error: float | None = None,
) -> NotebookChanges:
    """What would change the verdict on a pair: the least moves in plan, the least turn, and pieces taken away;
    arguments and errors are those of `check`. RequestError too where no move makes sense in the game.
    """
    with python_terms():
        read, check = _request(scene, Selection(attacker, target, arc), error, at)
        judged = _complete(read, check, JudgingOptions(started(renderer), pixel=pixel, what_if=True))
    assert judged.changes is not None
    return with_methods(replace(judged.changes, one_way=judged.one_way), NotebookChanges)


def map_of(  # noqa: PLR0913  # the options of a command
    scene: SceneSource,
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
) -> NotebookMap:
    """Where a model could stand, and the verdict on it at each point of a grid; its `document` has the contract's keys.

    Args:
        scene: from `load_scene`, the path of one, or its keys.
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
    with python_terms():
        request = MapRequest(move, _names(attackers), _names(targets), grid, within, under)
        processes = cores() if workers is None else max(1, workers)
        drawn = mapped(_read(scene, error), request, started(renderer), pixel, workers=processes)
    return with_methods(drawn, NotebookMap)


def matrix(
    scene: SceneSource,
    *,
    renderer: str | Renderer = "auto",
    pixel: float | None = None,
    error: float | None = None,
    workers: int | None = None,
) -> Matrix:
    """The verdicts of everyone on everyone, as `check` gives them; `Matrix.rows` has them as plain values.

    Args:
        scene: from `load_scene`, the path of one, or its keys.
        renderer: "auto", "embree", "cuda", "gl" or "reference", or one that is started already, from
            `silhouette.choose`.
        pixel: mm per pixel at the target, above 0 and at most 10; by default the value in the scene, else 0.1.
        error: how large the stated error may stay where no other verdict is near; see `silhouette.check`.
        workers: processes that judge at the same time; by default as many as there are cores. A process with threads,
            such as a notebook, is not forked: there it is one. `silhouette.batch` starts processes anew.

    Raises:
        FileError: where the scene cannot be read.
        RequestError: where fewer than two stand there, a renderer is not there, or a number is out of bounds.
        RendererUnavailable: where the chosen renderer cannot run on this machine.

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "duel.toml")
    >>> _ = path.write_text('''
    ... rules = "necromunda"
    ... fighter = [
    ...   { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15] },
    ...   { name = "Vex", at = [0, 200], facing = 270, parts = [{ box = [12, 12, 30] }], eye = [0, 6, 26] },
    ... ]
    ... terrain = [{ name = "wall", at = [0, 185], parts = [{ box = [60, 5, 10] }] }]
    ... ''')
    >>> verdicts = matrix(path, renderer="reference", pixel=0.2)
    >>> verdicts
    <Matrix of ...duel.toml: 2 verdicts>
    >>> for row in verdicts.rows():
    ...     print(row["attacker"], row["target"], row["verdict"], round(row["occluded"], 2))
    Kal Vex partial cover 0.33
    Vex Kal open 0.0
    >>> verdicts["Vex", "Kal"].verdict
    'open'
    >>> folder.cleanup()
    """
    with python_terms():
        read = _read(scene, error)
        requests = [(read, check) for check in Selection(everyone=True).checks(read)]
        processes = cores() if workers is None else workers
        return Matrix(read, _answers(requests, started(renderer), pixel, processes))


# ---- what all of them do


MOVED = "_moved"  # the attribute of a scene with methods that has the places at which its pieces stand instead


def scene_of(source: SceneSource, at: Places | None = None, cache: Cache | None = None) -> Scene:
    """A scene without methods, read where it is given by its path or its keys; those lie in a folder of their own,
    which goes with the scene. With ``at`` the file of a scene is read again.
    """
    _check_places(at)
    keeping = cache or _remembering(Cache.default())
    if isinstance(source, Scene):
        return load_scene(source.path, cache=keeping, at=places_of(source, at)) if at else plain(source)
    if not isinstance(source, Mapping):
        return load_scene(source, cache=keeping, at=at)
    folder = Path(mkdtemp(prefix=BUILT_FOLDER))
    try:
        scene = load_scene(write_scene(source, folder), cache=keeping, at=at)
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise
    finalize(scene, rmtree, folder, ignore_errors=True)
    return scene


def places_of(source: SceneSource, at: Places | None) -> Places:
    """The places at which pieces stand instead of those in the file: where the scene was moved, and ``at``."""
    return {**(vars(source).get(MOVED, {}) if isinstance(source, Scene) else {}), **(at or {})}


def _check_places(at: Places | None) -> None:
    """Refuses what gives no places; whether they are sensible is for whoever moves the pieces."""
    is_given = isinstance(at, Mapping) and all(
        isinstance(name, str) and isinstance(place, Sequence | np.ndarray) and not isinstance(place, str)
        for name, place in at.items()
    )
    if at is not None and not is_given:
        raise RequestError(f"at is {at!r}; give {{name: (x, y)}} or (x, y, facing)")


@remembered
def _remembering(cache: Cache) -> Cache:
    """The cache of all scenes that are read: models that are asked about again are in memory."""
    return cache.remembering()


def _read(source: SceneSource, error: float | None, at: Places | None = None) -> Scene:
    return content_with(scene_of(source, at), error)


def _request(source: SceneSource, selection: Selection, error: float | None, at: Places | None) -> tuple[Scene, Check]:
    scene = _read(source, error, at)
    (check,) = selection.checks(scene)
    return scene, check


def _answers(
    requests: Sequence[tuple[Scene, Check]], renderer: Renderer, pixel: float | None, workers: int = 1
) -> list[NotebookVerdict]:
    results = judge_all(requests, JudgingOptions(renderer, pixel=pixel, workers=workers))
    return [
        with_methods(judged.verdict, NotebookVerdict, _origin=Origin(*request, renderer, pixel))
        for request, judged in zip(requests, results, strict=True)
    ]


def _complete(scene: Scene, check: Check, options: JudgingOptions) -> Judged:
    check_options(scene, [check], options)
    *_, (_, judged) = judge([(scene, check)], options)
    return judged


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
