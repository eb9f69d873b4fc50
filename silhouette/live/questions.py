"""TELL: what a worker process is asked about a scene: its checks, part of a map, a report, a figure.

question -> a process with the scene, a renderer and a cache -> answer
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.judging.judge import Judged, JudgingOptions, judge_all
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.abilities import maps_of
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene

if TYPE_CHECKING:
    from silhouette.doubt.maps import Cells, MapRequest


@dataclass(frozen=True)
class Desk:
    """What a process answers with.

    Attributes:
        scene: that the question's document describes.
        renderer: measures.
        cache: of meshes.
        pixel: mm per pixel at the target; None for the scene's own.
    """

    scene: TableScene
    renderer: Renderer
    cache: Cache
    pixel: float | None

    @property
    def options(self) -> JudgingOptions:
        """How it judges."""
        return JudgingOptions(self.renderer, self.cache, self.pixel)


class Question(Protocol):
    """A question about a scene, for one process; what pickle can carry, as its answer is."""

    def answered(self, desk: Desk) -> Any:
        """The answer.

        Raises:
            SilhouetteError: where there is none; one line.
        """


@dataclass(frozen=True)
class Answer:
    """What a check found.

    Attributes:
        row: as of `silhouette check --json`.
        view: as of a stage's views, where it was asked for: eye, arcs, blockers and lines; None where it has none.
    """

    row: dict[str, Any]
    view: dict[str, Any] | None = None


@dataclass(frozen=True)
class CheckQuestion:
    """Checks of a scene: a `Question` whose answer is a list of `Answer`, in their order.

    Attributes:
        checks: the checks.
        views: whether each answer has the view that a picture of it is drawn from.
        seed: of the odds; None where they are not asked for.
        what_if: whether it is asked what would change the verdicts.
    """

    checks: tuple[Check, ...]
    views: bool = False
    seed: int | None = None
    what_if: bool = False

    def answered(self, desk: Desk) -> list[Answer]:
        """See `Question`."""
        scene = desk.scene
        options = replace(desk.options, keep=self.views, seed=self.seed, what_if=self.what_if)
        results = judge_all([(scene, check) for check in self.checks], options)
        views = self._views(scene, results)
        return [Answer(result.row(), view) for result, view in zip(results, views, strict=True)]

    def _views(self, scene: TableScene, done: Sequence[Judged]) -> Sequence[dict[str, Any] | None]:
        if not self.views:
            return [None] * len(done)
        from silhouette.drawing.in_3d.stage import sight_entry, sight_of

        sights = [sight_of(scene, number, one.verdict) for number, one in enumerate(done)]
        return [None if sight is None else sight_entry(sight) for sight in sights]


@dataclass(frozen=True)
class MapQuestion:
    """Some points of a map: a `Question` whose answer is `silhouette.doubt.maps.Cells`.

    Attributes:
        request: what the map is of.
        points: mm, x and y.
    """

    request: MapRequest
    points: tuple[tuple[float, float], ...]

    def answered(self, desk: Desk) -> Cells:
        """See `Question`."""
        from silhouette.doubt.maps import checks_of_map, judged_cells

        scene, request, settings = desk.scene, self.request, desk.options.settings(desk.scene)
        rule = rule_called(scene.rules)
        places = maps_of(rule, scene).places(scene, request.move)
        checks = checks_of_map(rule, scene, request)
        points = np.array(self.points)
        return judged_cells(rule, scene, places, request.role, checks, request.under, settings, points)


@dataclass(frozen=True)
class PageQuestion:
    """The report of one check, or of the scene's own: a `Question` whose answer is the page, in UTF-8.

    Attributes:
        attacker, target: of the check; None for the scene's own checks.
        text: of the scene file, which the page has.
    """

    attacker: str | None
    target: str | None
    text: str

    def answered(self, desk: Desk) -> bytes:
        """See `Question`."""
        from silhouette.common.version import VERSION
        from silhouette.judging.loading import Selection
        from silhouette.pages.report.page import judged_and_drawn, report_page
        from silhouette.pages.report.sections import on_page

        selection, writing = Selection(self.attacker, self.target), on_page(desk.cache)
        drawn = judged_and_drawn(desk.scene, desk.renderer, desk.pixel, selection=selection, writing=writing)
        return report_page(desk.scene, drawn, self.text, VERSION, writing).encode()


@dataclass(frozen=True)
class PictureQuestion:
    """The picture of a check: a `Question` whose answer is a PNG file's content.

    Attributes:
        check: the check.
    """

    check: Check

    def answered(self, desk: Desk) -> bytes:
        """See `Question`."""
        from silhouette.drawing.figures import write_main_figure

        (ruling,) = judge_all([(desk.scene, self.check)], replace(desk.options, keep=True))
        with TemporaryDirectory() as folder:
            file = Path(folder, "figure.png")
            if not write_main_figure(desk.scene, self.check, ruling.verdict, desk.renderer, file):
                raise RequestError(f"{desk.scene.path}: this check has no picture")
            return file.read_bytes()
