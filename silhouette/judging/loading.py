"""A scene file becomes a Scene, and a selection its checks: those that a user asks for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, cast, get_args

from silhouette.common.errors import FileError, RequestError
from silhouette.common.text import did_you_mean
from silhouette.files.cache import Cache
from silhouette.files.fingerprints import MESH_ENDINGS
from silhouette.files.reading import DOCUMENTS, missing
from silhouette.files.schema import MAX_ERROR_SHARE, MAX_PIXEL_MM
from silhouette.models.entries import ArcName
from silhouette.rules import rule_called, rule_of
from silhouette.rules.base import Rule, Verdict
from silhouette.scenes.places import Trial, with_trials
from silhouette.scenes.scene import Check, Scene, read_document
from silhouette.scenes.table import TableScene


@dataclass(frozen=True)
class Selection:
    """The checks to judge in a scene."""

    attacker: str | None = None  # None for the scene's own checks
    target: str | None = None  # None for every other model
    arc: str | None = None  # the vision arc to look from; None for any that the attacker has
    everyone: bool = False  # whether every model is checked against every other; the other attributes are ignored then
    instead: str = "--from NAME --to NAME"  # the options that choose checks where a scene has none, for the message

    def __post_init__(self) -> None:
        if self.arc is not None and self.arc not in get_args(ArcName):
            raise RequestError(f"no arc '{self.arc}'; {did_you_mean(self.arc, get_args(ArcName))}")
        if self.attacker is None and (self.target is not None or self.arc is not None):
            raise RequestError("a target or an arc without an attacker; say --from NAME as well")

    def checks(self, scene: Scene) -> tuple[Check, ...]:
        """The selected checks. RequestError where no piece that can look or be seen has a name, or none is left."""
        rule = rule_called(scene.rules)
        if self.everyone:
            return rule.everyone(scene)
        if self.attacker is not None:
            return rule.between(scene, self.attacker, self.target, cast("ArcName | None", self.arc))
        if not scene.checks:
            raise RequestError(f"{scene.path}: has no [[check]]; add one, or say {self.instead}")
        return scene.checks


DEFAULT_PIXEL_MM = 0.1  # millimetres per pixel at the target, where neither the user nor the scene gives another number


def load_scene(
    path: str | PathLike[str], *, cache: Cache | None = None, at: Mapping[str, Sequence[float]] | None = None
) -> Scene:
    """The scene of a TOML or JSON file, with its models loaded and standing in their places.

    Args:
        path: of the file; paths in it are seen from its own folder.
        cache: keeps what takes long to work out about meshes; by default in the user's cache folder.
        at: places to try in place of those in the file, by the names of pieces: x, y and, if wanted, the facing in
            degrees; in the scene's units. A piece keeps its height, or what it stands on; expectations are left out.

    Raises FileError where the scene or one of its models cannot be used; one line that says what would be right;
    RequestError where ``at`` names nothing in the scene, or gives no place.
    """
    place = Path(path)
    _refuse_other(place)
    document = read_document(place)
    rule: Rule[Any, Verdict] = rule_of(place, document)
    if at:
        trials = [Trial.placed(name, numbers) for name, numbers in at.items()]
        document = with_trials(place, document, trials, rule.scene_entry)
    scene: Scene = rule.load(place, document, Cache.default() if cache is None else cache)
    return scene


def _refuse_other(place: Path) -> None:
    """Refuses what is no file of a scene: a folder, a broken link, a mesh; FileError says what to give instead."""
    if place.is_dir():
        if not os.access(place, os.R_OK | os.X_OK):
            raise FileError(place, "is a folder that you may not read; give yourself the right to")
        inside = sorted(file for file in place.iterdir() if file.suffix.lower() in DOCUMENTS and file.name[0] != ".")
        such = f"such as {inside[0]}" if inside else "which ends in .toml or .json"
        raise FileError(place, f"is a folder; give a scene file, {such}")
    if place.is_symlink() and not place.exists():
        raise missing(place)
    if place.suffix.lower() in MESH_ENDINGS:
        raise FileError(place, f"is a mesh, not a scene; silhouette new FOLDER {place.name} makes a scene of it")


def usable_pixel(pixel: float) -> float:
    """The number itself, if it is valid as millimetres per pixel, above 0 and at most 10; else RequestError."""
    if not 0.0 < pixel <= MAX_PIXEL_MM:
        raise RequestError(f"pixel is {pixel:g}; it must be millimetres above 0 and at most {MAX_PIXEL_MM:g}")
    return pixel


def check_numbers(pixel: float | None, error: float | None) -> None:
    """Refuses a pixel that is not above 0 and at most 10, or an error not above 0 and at most 0.05: RequestError."""
    if pixel is not None:
        usable_pixel(pixel)
    if error is not None and not 0.0 < error <= MAX_ERROR_SHARE:
        raise RequestError(f"error is {error:g}; it must be a share above 0 and at most {MAX_ERROR_SHARE:g}")


def content_with(scene: Scene, error: float | None) -> Scene:
    """The scene with an error goal, if anything is measured. RequestError if it is not above 0 and at most 0.05."""
    check_numbers(None, error)
    if error is None or not isinstance(scene, TableScene):
        return scene
    return replace(scene, error=error)


def pixel_of(scene: Scene, pixel: float | None) -> float:
    """Millimetres per pixel at the target: ``pixel``, checked as by `usable_pixel`, or the scene's, or
    `DEFAULT_PIXEL_MM`.

    Raises RequestError if ``pixel`` is not above 0 and at most 10.
    """
    if pixel is not None:
        return usable_pixel(pixel)
    return DEFAULT_PIXEL_MM if scene.pixel is None else scene.pixel
