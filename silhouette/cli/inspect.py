"""The command line, models: ``silhouette inspect``."""

from __future__ import annotations

from silhouette.cli.commands import InspectOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.scene_job import cache_of, check_picture, renderer_of
from silhouette.cli.tables import inspection_report
from silhouette.cli.terminal import show_result
from silhouette.cli.waiting import Waiting
from silhouette.drawing.four_views import draw_four_views
from silhouette.models.inspection import inspection, model_at, suggestions


def inspect(given: InspectOptions) -> int:
    """Says what a model is, and draws it."""
    if given.picture is not None:
        check_picture(given.picture)
    scale = given.scale if given.factor is None else given.factor
    options = {"kind": given.kind, "units": given.units, "up": given.up, "scale": scale}
    options = {key: value for key, value in options.items() if value is not None}
    with Waiting(f"inspecting {given.file}", quiet=given.quiet):
        model = model_at(given.file, options, cache_of(given))
        suggested = suggestions(model)
        if given.picture is not None:
            draw_four_views(model, renderer_of(given), given.picture, suggested)
    report = inspection(given.file, model, suggested)
    show_result(report, *inspection_report(report), as_json=given.as_json)
    return ExitStatus.OK
