"""KEEP: a bundle is judged again, and what differs from then is told, with what may be why."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from silhouette.batches.settings import BatchSettings
from silhouette.bundles.comparing import Compared, compared
from silhouette.bundles.manifest import Manifest, SettingsRecord, versions
from silhouette.bundles.reading import opened_bundle, rows_of, shown_as
from silhouette.common.errors import RendererUnavailable, RequestError
from silhouette.common.installation import VERSION
from silhouette.judging import JudgingOptions, SceneResult, Selection, judge_scene
from silhouette.renderers import choose

OWN_PACKAGES = {
    "embreex": ("embree", "layers (embree)"),
    "pyrender2": ("gl",),
    "PyOpenGL": ("gl",),
    "warp-lang": ("cuda",),
}
"""The packages that matter to some renderers alone."""


@dataclass(frozen=True)
class Replay:
    """A bundle that was judged again."""

    result: SceneResult
    checks: tuple[Compared, ...] = ()  # each check, compared; empty where the scene could not be judged
    changed: tuple[str, ...] = ()  # files that are not as the manifest has them, a few words for each
    reasons: tuple[str, ...] = ()  # what is otherwise than then: versions, settings; a few words for each
    written_by: str = ""  # the version of Silhouette that wrote the bundle

    @property
    def same(self) -> bool:
        """Whether every verdict and number is the same, within the errors, and no file was changed."""
        return not self.changed and not self.differing and self.result.error is None

    @property
    def differing(self) -> list[Compared]:
        """The checks that differ."""
        return [check for check in self.checks if check.sameness == "differs"]

    def document(self) -> dict[str, Any]:
        """The comparison, ready for JSON."""
        return {
            "same": self.same,
            "written_by": self.written_by,
            "changed": list(self.changed),
            "otherwise": list(self.reasons),
            "checks": [
                {
                    "check": check.number,
                    "same": check.sameness,
                    "differences": [vars(difference) for difference in check.differences],
                }
                for check in self.checks
            ],
        }


def replay(
    path: Path, settings: BatchSettings, step: Callable[[float, int], None] = lambda done, total: None
) -> Replay:
    """Judges the scene in a bundle as it was judged then, and compares.

    Args:
        settings: what is to be otherwise: a renderer that is not "auto", a device, a pixel, an error.

    Raises:
        FileError: where it is no bundle, damaged, or made to harm.
        RendererUnavailable: where the renderer asked for cannot run on this machine.
    """
    with opened_bundle(path) as opened:
        manifest = opened.manifest
        then = manifest.settings
        options, device = _options(settings, then)
        selection = Selection(then.attacker, then.target)
        result = judge_scene(opened.scene, selection, options, at=then.at, step=step)
        rows = rows_of(result, opened.folder)
        result = replace(shown_as(result, {opened.folder.parent: path}), path=path)
    now = SettingsRecord.model_validate(
        {"renderer": options.renderer.name, "device": device, "pixel": options.pixel, "error": options.error}
    )
    reasons = _otherwise(manifest, now)
    same_settings = (then.pixel, then.error) == (now.pixel, now.error)
    checks = compared(manifest.results, rows, same_settings=same_settings) if result.error is None else []
    return Replay(result, tuple(checks), opened.changed, tuple(reasons), manifest.silhouette)


def _options(settings: BatchSettings, then: SettingsRecord) -> tuple[JudgingOptions, str | None]:
    """How it is judged again, by the first renderer that is not refused, and the name of its device."""
    pixel = then.pixel if settings.pixel is None else settings.pixel
    error = then.error if settings.error is None else settings.error
    own = settings.device
    choices = [(settings.renderer, own)]
    if settings.renderer == "auto":
        before = "auto" if then.renderer.startswith("layers") else then.renderer
        choices = [(before, own or then.device), (before, own), ("auto", own)]
    options = partial(JudgingOptions, cache=settings.cache(), pixel=pixel, error=error)
    for name, device in choices[:-1]:
        with suppress(RendererUnavailable, RequestError):
            return options(choose(name, device)), device
    name, device = choices[-1]  # whose refusal is the one that counts
    return options(choose(name, device)), device


def _otherwise(manifest: Manifest, now: SettingsRecord) -> list[str]:
    """What is otherwise than it was when the bundle was written: what could make a number another one."""
    then = manifest.settings
    here = versions()
    pairs: list[tuple[str, str | float | None, str | float | None]] = [
        ("Silhouette", manifest.silhouette, VERSION),
        ("the renderer", then.renderer, now.renderer),
        ("device", then.device or "the default", now.device or "the default"),
        ("pixel", then.pixel, now.pixel),
        ("error", then.error, now.error),
    ]
    used = {then.renderer, now.renderer}
    for package, version in manifest.versions.items():
        if package in here and used & set(OWN_PACKAGES.get(package, used)):
            pairs.append((package, version or "not installed", here[package] or "not installed"))
    return [f"{name} {_in_words(was)} then, {_in_words(other)} here" for name, was, other in pairs if was != other]


def _in_words(value: str | float | None) -> str:
    if value is None:
        return "as the scene has it"
    return value if isinstance(value, str) else f"{value:g}"
