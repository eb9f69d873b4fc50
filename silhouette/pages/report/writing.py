"""TELL: a scene file becomes a report: judged, drawn, and written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from silhouette.common.installation import VERSION
from silhouette.drawing.styles import style_called
from silhouette.drawing.words.words import Words
from silhouette.files.cache import UNCACHED, Cache
from silhouette.files.documents import read_text
from silhouette.files.writing import write_file
from silhouette.judging import Judged, Selection, check_numbers, content_with, load_scene, mapped
from silhouette.judging.maps import MapRequest
from silhouette.pages.html.page import check_page_path
from silhouette.pages.report.page import judged_and_drawn, report_page
from silhouette.pages.report.playing import check_playable
from silhouette.pages.report.sections import on_page
from silhouette.renderers.protocol import Renderer
from silhouette.scenes.scene import Scene


@dataclass(frozen=True)
class ReportRequest:
    """What is reported of a scene, and how it looks."""

    scene: Path
    out: Path
    selection: Selection = field(default_factory=Selection)
    at: Mapping[str, Sequence[float]] = field(default_factory=dict)  # as of `silhouette.judging.load_scene`
    map_of: str | None = None  # the name of the model of which there is a map too
    playable: bool = False  # whether pieces can be moved in the page, and it judges
    style: str = "print"
    language: str = "en"
    pixel: float | None = None
    error: float | None = None


@dataclass(frozen=True)
class Report:
    """A report that was written."""

    scene: Scene
    judged: tuple[Judged, ...]
    size: int  # of the file, in bytes


def write_report(
    request: ReportRequest,
    renderer: Callable[[], Renderer],
    cache: Cache = UNCACHED,
    workers: int = 1,
    step: Callable[[float, int], None] = lambda done, total: None,
) -> Report:
    """Writes the report of a scene; ``renderer`` starts it when all that can be refused before has been.

    Raises FileError where the scene cannot be read or the page not be written, RequestError where what is asked for is
    not there.
    """
    check_page_path(request.out)
    check_numbers(request.pixel, request.error)
    writing = on_page(cache, style_called(request.style), Words(request.language).language)
    started = renderer()
    scene = content_with(load_scene(request.scene, cache=cache, at=request.at), request.error)
    if request.playable:
        check_playable(scene)
    shown = None
    if request.map_of is not None:
        moved = MapRequest(request.map_of)
        shown = mapped(scene, moved, started, request.pixel, workers=workers, step=step)
    drawn = judged_and_drawn(
        scene, started, request.pixel, selection=request.selection, workers=workers, writing=writing, progress=step
    )
    source = read_text(request.scene)
    page = report_page(scene, drawn, source, VERSION, writing, shown, request.at, request.playable)
    content = page.encode()
    write_file(request.out, content)
    return Report(scene, tuple(check.judged for check in drawn), len(content))
