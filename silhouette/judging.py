"""JUDGE, for every command: a scene file and a selection of checks go in; verdicts come out.

path -> Scene -> the selected checks -> Verdicts, each compared with what its check expects -> Judged
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, cast, get_args

from silhouette.errors import FileError, RequestError
from silhouette.files.cache import Cache
from silhouette.files.fingerprints import MESHES
from silhouette.files.reading import DOCUMENTS, missing
from silhouette.files.schema import COARSEST, LARGEST_ERROR
from silhouette.groups import verdicts_of
from silhouette.models.entries import ArcName
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called, rule_of
from silhouette.rules.base import Rule, Settings, Verdict
from silhouette.rules.expectations import unmet_expectations
from silhouette.scenes.scene import Check, Scene, read_document
from silhouette.scenes.table import TableScene
from silhouette.scenes.trying import Trial, with_trials
from silhouette.text import Progress, did_you_mean, problem

__all__ = ["PIXEL", "Judged", "JudgingOptions", "SceneResult", "Selection", "check", "judge_scene", "load_scene"]

PIXEL = 0.1
"""Millimetres per pixel at the target, where neither the user nor the scene gives another number."""

Draw = Callable[[Scene, Check, Verdict, bool], Path | None]


def load_scene(
    path: str | PathLike[str], *, cache: Cache | None = None, at: Mapping[str, Sequence[float]] | None = None
) -> Scene:
    """The scene of a TOML or JSON file, with its models loaded and standing in their places.

    Args:
        path: of the file; paths in it are seen from its own folder.
        cache: keeps what takes long to work out about meshes; by default in the user's cache folder.
        at: places to try in place of those in the file, by the names of pieces: x, y and, if wanted, the facing in
            degrees; in the scene's units. A piece keeps its height, or what it stands on; expectations are left out.

    Raises:
        FileError: where the scene or one of its models cannot be used; one line that says what would be right.
        RequestError: where ``at`` names nothing in the scene, or gives no place.
    """
    place = Path(path)
    if place.is_dir():
        if not os.access(place, os.R_OK | os.X_OK):
            raise FileError(place, "is a folder that you may not read; give yourself the right to")
        inside = sorted(file for file in place.iterdir() if file.suffix.lower() in DOCUMENTS and file.name[0] != ".")
        such = f"such as {inside[0]}" if inside else "which ends in .toml or .json"
        raise FileError(place, f"is a folder; give a scene file, {such}")
    if place.is_symlink() and not place.exists():
        raise missing(place)
    if place.suffix.lower() in MESHES:
        raise FileError(place, f"is a mesh, not a scene; silhouette new FOLDER {place.name} makes a scene of it")
    document = read_document(place)
    rule: Rule[Any, Verdict] = rule_of(place, document)
    if at:
        trials = [Trial.placed(name, numbers) for name, numbers in at.items()]
        document = with_trials(place, document, trials, rule.scene_entry)
    scene: Scene = rule.load(place, document, Cache.default() if cache is None else cache)
    return scene


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
        renderer: "auto", "embree", "gl" or "reference", or one that is started already, from
            `silhouette.renderers.choose`: for many checks that saves preparing the meshes again.
        pixel: mm per pixel at the target, above 0 and at most 10; by default what the scene says, else 0.1.
        error: how large the stated error may stay where no other verdict is near, a share above 0 and at most 0.05;
            by default what the scene says, else 0.002. More is faster.

    Raises:
        RequestError: where a name, an arc or a renderer is not there, or ``pixel`` or ``error`` is out of bounds.
        RendererUnavailable: where the renderer asked for cannot run on this machine.

    >>> import tempfile
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
    32.8 % of Vex is obscured by the wall; less than half: partial cover
    >>> check(file, "Vex", "Kal", renderer="reference", pixel=0.2).verdict
    'hidden'
    >>> check(scene, "Kal", "Wex")
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: ...duel.toml: nothing is called 'Wex'; did you mean 'Vex'?
    >>> folder.cleanup()
    """
    scene = content_with(scene if isinstance(scene, Scene) else load_scene(scene), error)
    (question,) = Selection(attacker, target, arc).checks(scene)
    fine = _pixel(scene, pixel)
    ready = choose(renderer) if isinstance(renderer, str) else renderer
    (verdict,) = rule_called(scene.rules).judge(scene, [question], Settings(ready, fine))
    return verdict


def usable_pixel(pixel: float) -> float:
    """The number itself, if it is valid as millimetres per pixel.

    Raises:
        RequestError: where it is not above 0 and at most 10.
    """
    if not 0.0 < pixel <= COARSEST:
        raise RequestError(f"pixel is {pixel:g}; it must be millimetres above 0 and at most {COARSEST:g}")
    return pixel


def check_numbers(pixel: float | None, error: float | None) -> None:
    """Refuses a pixel or an error that is not valid for any scene.

    Raises:
        RequestError: where the pixel is not above 0 and at most 10, or the error not above 0 and at most 0.05.
    """
    if pixel is not None:
        usable_pixel(pixel)
    if error is not None and not 0.0 < error <= LARGEST_ERROR:
        raise RequestError(f"error is {error:g}; it must be a share above 0 and at most {LARGEST_ERROR:g}")


def content_with(scene: Scene, error: float | None) -> Scene:
    """The scene with an error goal in place of its own; the scene itself without one, or where nothing is measured.

    Raises:
        RequestError: where the error is not above 0 and at most 0.05.
    """
    check_numbers(None, error)
    if error is None or not isinstance(scene, TableScene):
        return scene
    return replace(scene, error=error)


def _pixel(scene: Scene, pixel: float | None) -> float:
    """Millimetres per pixel at the target: ``pixel`` if given, else the scene's, else `PIXEL`.

    Raises:
        RequestError: where ``pixel`` is not above 0 and at most 10.
    """
    if pixel is not None:
        return usable_pixel(pixel)
    return PIXEL if scene.pixel is None else scene.pixel


@dataclass(frozen=True)
class Selection:
    """The checks to judge in a scene.

    Attributes:
        attacker: the name of the attacker; None for the scene's own checks.
        target: the name of the target; None for every other model.
        arc: the vision arc to look from; None for any that the attacker has.
        everyone: whether every model is checked against every other; the other attributes are ignored then.
        instead: the options that choose checks where a scene has none, for the message.
    """

    attacker: str | None = None
    target: str | None = None
    arc: str | None = None
    everyone: bool = False
    instead: str = "--from NAME --to NAME"

    def __post_init__(self) -> None:
        if self.arc is not None and self.arc not in get_args(ArcName):
            raise RequestError(f"no arc '{self.arc}'; {did_you_mean(self.arc, get_args(ArcName))}")
        if self.attacker is None and (self.target is not None or self.arc is not None):
            raise RequestError("a target or an arc without an attacker; say --from NAME as well")

    def checks(self, scene: Scene) -> tuple[Check, ...]:
        """The selected checks of a scene.

        Raises:
            RequestError: where no piece that can look or be looked at has a name, or where no check is left.
        """
        rule = rule_called(scene.rules)
        if self.everyone:
            return rule.everyone(scene)
        if self.attacker is not None:
            return rule.between(scene, self.attacker, self.target, cast("ArcName | None", self.arc))
        if not scene.checks:
            raise RequestError(f"{scene.path}: has no [[check]]; add one, or say {self.instead}")
        return scene.checks


@dataclass(frozen=True)
class Judged:
    """One check with its verdict.

    Attributes:
        check: the question.
        verdict: the answer.
        unmet: the expectations that do not hold, in a few words each; None where nothing is expected.
        picture: the file of its picture, or None.
    """

    check: Check
    verdict: Verdict
    unmet: tuple[str, ...] | None
    picture: Path | None = None

    @classmethod
    def of(cls, check: Check, verdict: Verdict) -> Judged:
        """The verdict, compared with the check's expectation."""
        unmet = None if check.expect is None else tuple(unmet_expectations(verdict.row(), check.expect))
        return cls(check, verdict, unmet)

    @property
    def expected(self) -> bool | None:
        """Whether every expectation holds; None where nothing is expected."""
        return None if self.unmet is None else not self.unmet

    def row(self) -> dict[str, Any]:
        """The result under the contract's keys, with the arc of the check, its unmet expectations, and the picture."""
        row = {**self.verdict.row(), "expected": self.expected}
        if self.check.arc is not None:
            row["arc"] = self.check.arc
        if self.unmet:
            row["broken"] = list(self.unmet)
        if self.picture is not None:
            row["picture"] = str(self.picture)
        return row


def judged(scene: Scene, check: Check, renderer: Renderer, pixel: float | None = None, *, keep: bool = False) -> Judged:
    """The verdict of one check of a scene, compared with what the check expects.

    Args:
        scene: of the check.
        check: the question.
        renderer: measures.
        pixel: mm per pixel at the target; by default the scene's, else `PIXEL`.
        keep: whether the verdict keeps its observation, for figures.
    """
    (result,) = judged_together(scene, [check], renderer, pixel, keep=keep)
    return result


def judged_together(
    scene: Scene, checks: Sequence[Check], renderer: Renderer, pixel: float | None = None, *, keep: bool = False
) -> list[Judged]:
    """`judged` for several checks of a scene, which costs less for each."""
    verdicts = rule_called(scene.rules).judge(scene, checks, Settings(renderer, _pixel(scene, pixel), keep))
    return [Judged.of(check, verdict) for check, verdict in zip(checks, verdicts, strict=True)]


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
    """

    renderer: Renderer
    cache: Cache
    pixel: float | None = None
    error: float | None = None
    workers: int = 1


def judge_scene(
    path: Path,
    selection: Selection,
    options: JudgingOptions,
    *,
    at: Mapping[str, Sequence[float]] | None = None,
    draw: Draw | None = None,
    step: Progress = lambda done, total: None,
) -> SceneResult:
    """Judges the selected checks of one scene; results from before an error are kept.

    Args:
        path: of the scene.
        selection: the checks to judge.
        options: how they are judged.
        at: places to try, as of `load_scene`.
        draw: draws a verdict, given whether it is the scene's only one, and returns the path of the file, or None.
        step: is called with the number of checks that are done, and of all.
    """
    result, done = SceneResult(path), list[Judged]()
    try:
        scene = content_with(load_scene(path, cache=options.cache, at=at), options.error)
        result = replace(result, title=scene.title, rules=scene.rules, warnings=scene.warnings)
        checks = selection.checks(scene)
        settings = Settings(options.renderer, _pixel(scene, options.pixel), keep=draw is not None)
        verdicts = verdicts_of(scene, checks, settings, options.workers if draw is None else 1)
        for number, question in enumerate(checks):
            step(number, len(checks))
            done.append(Judged.of(question, next(verdicts)))
            if draw is not None:
                picture = draw(scene, question, done[-1].verdict, len(checks) == 1)
                done[-1] = replace(done[-1], verdict=done[-1].verdict.without_evidence(), picture=picture)
    except Exception as wrong:
        result = replace(result, error=problem(wrong, path))
    return replace(result, judged=tuple(done))
