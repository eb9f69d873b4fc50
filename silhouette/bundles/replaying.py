"""KEEP: a bundle is judged again, and what differs from then is told, with what may be why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from silhouette.bundles.comparing import Compared, compared
from silhouette.bundles.manifest import Manifest, SettingsRecord, versions
from silhouette.bundles.reading import opened_bundle, rows_of, shown_as
from silhouette.common.version import VERSION
from silhouette.errors import RendererUnavailable, RequestError
from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, SceneResult, Selection, judge_scene
from silhouette.renderers import choose

OWN_PACKAGES = {
    "embreex": ("embree", "gl", "cuda"),  # the two others have their proofs made with it
    "pyrender2": ("gl",),
    "PyOpenGL": ("gl",),
    "warp-lang": ("cuda",),
}
"""The packages that matter to some renderers alone."""


@dataclass(frozen=True)
class Replay:
    """A bundle that was judged again.

    Attributes:
        result: the scene as it is judged here, under the path of the bundle.
        checks: each check, compared; empty where the scene could not be judged.
        changed: files that are not as the manifest has them, a few words for each.
        reasons: what is otherwise than then: versions, settings; a few words for each.
        written_by: the version of Silhouette that wrote the bundle.
    """

    result: SceneResult
    checks: tuple[Compared, ...] = ()
    changed: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    written_by: str = ""

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


@dataclass(frozen=True)
class Asked:
    """What a user asks of a bundle, in place of how it was judged then; None and "auto" for as then.

    Attributes:
        renderer, device: of what measures; "auto" takes that of the bundle where it works here.
        pixel, error: as of `silhouette.judging.JudgingOptions`.
        cache: keeps what takes long to work out about meshes.
    """

    renderer: str = "auto"
    device: str | None = None
    pixel: float | None = None
    error: float | None = None
    cache: Cache = field(default_factory=Cache.default)


def replay(path: Path, asked: Asked, step: Callable[[float, int], None] = lambda done, total: None) -> Replay:
    """Judges the scene in a bundle as it was judged then, and compares.

    Args:
        path: of the bundle.
        asked: what is to be otherwise.
        step: is called with the number of checks that are done, and of all.

    Raises:
        FileError: where it is no bundle, damaged, or made to harm.
        RendererUnavailable: where the renderer asked for cannot run on this machine.
    """
    with opened_bundle(path) as opened:
        manifest = opened.manifest
        then = manifest.settings
        options = _options(asked, then)
        selection = Selection(then.attacker, then.target)
        result = judge_scene(opened.scene, selection, options, step=step)
        rows = rows_of(result, opened.folder)
        result = replace(shown_as(result, {opened.folder.parent: path}), path=path)
    now = SettingsRecord.model_validate(
        {"renderer": options.renderer.name, "device": asked.device, "pixel": options.pixel, "error": options.error}
    )
    reasons = _otherwise(manifest, now)
    alike = (then.pixel, then.error) == (now.pixel, now.error)
    checks = compared(manifest.results, rows, alike=alike) if result.error is None else []
    return Replay(result, tuple(checks), opened.changed, tuple(reasons), manifest.silhouette)


def _options(asked: Asked, then: SettingsRecord) -> JudgingOptions:
    pixel = then.pixel if asked.pixel is None else asked.pixel
    error = then.error if asked.error is None else asked.error
    if asked.renderer != "auto":
        renderer = choose(asked.renderer, asked.device)
    else:
        renderer = _first(
            lambda: choose(then.renderer, asked.device or then.device),
            lambda: choose(then.renderer, asked.device),
            lambda: choose("auto", asked.device),
        )
    return JudgingOptions(renderer, asked.cache, pixel, error)


def _first(*ways: Callable[[], Any]) -> Any:
    """What the first way gives that is not refused; the last one's refusal where none is."""
    for way in ways[:-1]:
        try:
            return way()
        except (RendererUnavailable, RequestError):
            continue
    return ways[-1]()


def _otherwise(manifest: Manifest, now: SettingsRecord) -> list[str]:
    """What is otherwise than it was when the bundle was written: what could make a number another one."""
    then = manifest.settings
    here = versions()
    found = [f"Silhouette {manifest.silhouette} then, {VERSION} here"] if manifest.silhouette != VERSION else []
    if then.renderer != now.renderer:
        found.append(f"the renderer {then.renderer} then, {now.renderer} here")
    for name, one, other in (("pixel", then.pixel, now.pixel), ("error", then.error, now.error)):
        if one != other:
            found.append(f"{name} {_given(one)} then, {_given(other)} here")
    used = {then.renderer, now.renderer}
    for package, version in manifest.versions.items():
        if package in here and version != here[package] and used & set(OWN_PACKAGES.get(package, used)):
            found.append(f"{package} {version or 'not installed'} then, {here[package] or 'not installed'} here")
    return found


def _given(number: float | None) -> str:
    return "as the scene has it" if number is None else f"{number:g}"
