"""The command line, models: parsing and printing of ``silhouette inspect``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from silhouette.cli.completion import complete_mesh
from silhouette.cli.options import AsJson, ExitStatus, NoCache, Picture, Quiet, RendererName
from silhouette.cli.scene_job import check_picture, mesh_cache
from silhouette.cli.tables import inspection_report
from silhouette.cli.terminal import show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.drawing.four_views import draw_four_views
from silhouette.models.inspection import inspection, model_at, suggestions
from silhouette.renderers import choose


def inspect(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="MESH_OR_MODEL", help="A mesh, or a model file that names one.", autocompletion=complete_mesh
        ),
    ],
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Bare mesh: fighter, vehicle or terrain.")
    ] = None,
    units: Annotated[
        str | None, typer.Option("--units", metavar="UNITS", help="Bare mesh: mm, cm, m, inch or auto.")
    ] = None,
    up: Annotated[str | None, typer.Option("--up", metavar="UP", help="Bare mesh: z or y, or auto.")] = None,
    scale: Annotated[
        float | None, typer.Option("--scale", metavar="SCALE", help="Bare mesh: how much larger to make it.")
    ] = None,
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    picture: Picture = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Say what a model is: parts, size, units, base, eye, holes, what is tagged and what could be.

    With --picture, four views with body, base and insignificant parts in different colours.
    """
    if picture is not None:
        check_picture(picture)
    given = {"kind": kind, "units": units, "up": up, "scale": scale}
    options = {key: value for key, value in given.items() if value is not None}
    with Waiting(f"inspecting {file}", quiet=quiet):
        model = model_at(file, options, mesh_cache(no_cache))
        suggested = suggestions(model)
        if picture is not None:
            draw_four_views(model, choose(renderer), picture, suggested)
    report = inspection(file, model, suggested)
    if as_json:
        show_json(report)
    else:
        show(*inspection_report(report))
    return ExitStatus.OK
