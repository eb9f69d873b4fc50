"""The command line: ``silhouette report``."""

from __future__ import annotations

from silhouette.cli.commands import ReportOptions
from silhouette.cli.options import exit_status
from silhouette.cli.scene_job import cache_of, places_of, processes_of, renderer_of
from silhouette.cli.terminal import show_result
from silhouette.cli.waiting import Waiting
from silhouette.common.installation import VERSION
from silhouette.drawing.sheet import settings
from silhouette.drawing.styles import style_called
from silhouette.drawing.words.words import Words
from silhouette.files.documents import read_text
from silhouette.files.writing import write_file
from silhouette.judging import Selection, check_numbers, content_with, load_scene, mapped
from silhouette.judging.maps import MapRequest
from silhouette.pages.html.page import check_page_path
from silhouette.pages.report.page import judged_and_drawn, report_page
from silhouette.pages.report.playing import check_playable
from silhouette.pages.report.sections import on_page


def report(given: ReportOptions) -> int:
    """Writes the page of a scene."""
    check_page_path(given.out)
    selection = Selection(given.attacker, given.target)
    check_numbers(given.pixel, given.error)
    cache, workers, places = cache_of(given), processes_of(given), places_of(given)
    writing = on_page(cache, style_called(given.style), Words(given.language).language)
    with Waiting(f"reporting on {given.scene}", quiet=given.quiet, forking=True) as waiting:
        with settings():  # nobody waits for a verdict that then cannot be drawn
            renderer = renderer_of(given)
        table = content_with(load_scene(given.scene, cache=cache, at=places), given.error)
        if given.playable:
            check_playable(table)
        request = None if given.map_of is None else MapRequest(given.map_of)
        shown = (
            None
            if request is None
            else mapped(table, request, renderer, given.pixel, workers=workers, step=waiting.step)
        )
        drawn = judged_and_drawn(
            table, renderer, given.pixel, selection=selection, workers=workers, writing=writing, progress=waiting.step
        )
        source = read_text(given.scene)
        page = report_page(table, drawn, source, VERSION, writing, shown, places, given.playable)
        content = page.encode()
        write_file(given.out, content)
    results = [check.judged for check in drawn]
    about = {"scene": str(given.scene), "title": table.title, "report": str(given.out), "bytes": len(content)}
    lines = [*(f"{result.check.label}: {result.verdict.words}" for result in results)]
    lines.append(f"{given.out}: {len(content) / 1e6:.1f} MB")
    show_result({**about, "checks": [result.row() for result in results]}, *lines, as_json=given.as_json)
    return exit_status(failed=False, unexpected=any(result.expected is False for result in results))
