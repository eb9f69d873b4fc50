"""What options mean to the commands that judge, and the judging of one scene after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from silhouette.batches.settings import BatchSettings
from silhouette.cli.options import ExitStatus, Judging, Reading, Rendering, Trying, Working, exit_status
from silhouette.cli.waiting import Waiting
from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, SceneResult, Selection, check_numbers, judge_scene
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Verdict
from silhouette.scenes.places import Trial
from silhouette.scenes.scene import Check, Scene
from silhouette.workers import cores


def settings_of(given: Judging, *, everyone: bool = False) -> BatchSettings:
    """How scenes are judged."""
    return BatchSettings(
        renderer=given.renderer,
        pixel=given.pixel,
        everyone=everyone,
        cached=not given.no_cache,
        device=given.device,
        error=given.error,
        seed=given.seed if given.odds else None,
        what_if=given.what_if,
    )


def cache_of(given: Reading) -> Cache:
    """The cache of meshes on the disk, or none."""
    return Cache(None) if given.no_cache else Cache.default()


def processes_of(given: Working) -> int:
    """The number of processes."""
    return cores() if given.workers is None else given.workers


def renderer_of(given: Rendering) -> Renderer:
    """The renderer, started."""
    return choose(given.renderer, given.device)


def places_of(given: Trying) -> dict[str, list[float]]:
    """The places to try, by the name of the piece: x, y and, if it is given, the facing."""
    trials = map(Trial.of, given.at or ())
    return {trial.name: [*trial.at, *([] if trial.facing is None else [trial.facing])] for trial in trials}


class SceneJob:
    """The settings for every scene of a command: the choice of checks, and how they are judged and drawn.

    Options that cannot be used are refused here, before anything is judged.

    Args:
        picture: the file into which each verdict is drawn, by the number of the verdict if there are several.
        at: places to try, as of `silhouette.judging.load_scene`.
    """

    def __init__(
        self,
        selection: Selection,
        settings: BatchSettings,
        picture: Path | None = None,
        *,
        quiet: bool,
        at: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self._selection, self._settings, self._picture, self._quiet = selection, settings, picture, quiet
        self._drawn, self._at = 0, at
        check_numbers(settings.pixel, settings.error)
        if picture is not None:
            check_picture(picture)
        with Waiting("starting the renderer", quiet=quiet):
            self._renderer: Renderer = choose(settings.renderer, settings.device)
        self._cache = settings.cache()

    def judge(self, path: Path, *, several: bool = False, workers: int = 1) -> SceneResult:
        """Judges one scene by ``workers`` processes; ``several`` if the command has other scenes as well."""

        def draw(scene: Scene, question: Check, verdict: Verdict, alone: bool) -> Path | None:
            from silhouette.drawing.figures import write_main_figure  # Pillow takes a while to import

            assert self._picture is not None
            self._drawn += 1
            place = self._picture
            if several or not alone:
                place = place.with_name(f"{place.stem}-{self._drawn}{place.suffix}")
            is_drawn = write_main_figure(scene, question, verdict, self._renderer, place)
            return place if is_drawn else None

        settings = self._settings
        options = JudgingOptions(
            self._renderer, self._cache, settings.pixel, settings.error, workers, settings.seed, settings.what_if
        )
        drawing = draw if self._picture is not None else None
        with Waiting(f"judging {path}", quiet=self._quiet, forking=workers > 1) as waiting:
            return judge_scene(path, self._selection, options, at=self._at, draw=drawing, step=waiting.step)


def check_picture(path: Path) -> None:
    """Refuses the path of a picture that could not be written, before anything is judged."""
    from silhouette.drawing.page import check_png_path

    check_png_path(path)


def status_of(results: Sequence[SceneResult]) -> ExitStatus:
    """The exit status of a command that has judged these scenes."""
    return exit_status(
        failed=any(result.error is not None for result in results),
        unexpected=any(judged.expected is False for result in results for judged in result.judged),
    )
