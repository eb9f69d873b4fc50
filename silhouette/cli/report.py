"""The command line: ``silhouette report``."""

from __future__ import annotations

from silhouette.cli.commands import ReportOptions
from silhouette.cli.options import exit_status
from silhouette.cli.scene_job import cache_of, places_of, processes_of, renderer_of
from silhouette.cli.terminal import show_result
from silhouette.cli.waiting import Waiting
from silhouette.drawing.sheet import settings
from silhouette.judging import Selection
from silhouette.pages.report.writing import ReportRequest, write_report
from silhouette.renderers.protocol import Renderer


def report(given: ReportOptions) -> int:
    """Writes the page of a scene."""

    def renderer() -> Renderer:
        with settings():  # nobody waits for a verdict that then cannot be drawn
            return renderer_of(given)

    request = ReportRequest(
        given.scene,
        given.out,
        Selection(given.attacker, given.target),
        places_of(given),
        given.map_of,
        given.playable,
        given.style,
        given.language,
        given.pixel,
        given.error,
    )
    cache, workers = cache_of(given), processes_of(given)
    with Waiting(f"reporting on {given.scene}", quiet=given.quiet, forking=True) as waiting:
        written = write_report(request, renderer, cache, workers, waiting.step)
    about = {"scene": str(given.scene), "title": written.scene.title, "report": str(given.out), "bytes": written.size}
    lines = [*(f"{result.check.label}: {result.verdict.words}" for result in written.judged)]
    lines.append(f"{given.out}: {written.size / 1e6:.1f} MB")
    show_result({**about, "checks": [result.row() for result in written.judged]}, *lines, as_json=given.as_json)
    return exit_status(failed=False, unexpected=any(result.expected is False for result in written.judged))
