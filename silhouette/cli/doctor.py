"""The command line, what works here: parsing and printing of ``silhouette doctor``."""

from __future__ import annotations

from typing import Annotated

import typer

from silhouette.cli.options import AsJson, ExitStatus, Quiet
from silhouette.cli.terminal import show, show_json
from silhouette.cli.waiting import Waiting


def doctor(
    quick: Annotated[bool, typer.Option("--quick", help="Do not measure how fast each renderer is.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Say which renderers work on this machine, on what device, how fast, and why the others do not.

    How fast: checks a second, one after the other, on a small scene of solids. A GPU that is there but cannot be drawn
    on is named, with what stands in the way.
    """
    from silhouette.cli.examination import examination
    from silhouette.cli.tables import doctor_report

    with Waiting("trying the renderers", quiet=quiet) as waiting:
        report = examination(quick=quick, step=waiting.step)
    if as_json:
        show_json(report)
    else:
        show(*doctor_report(report))
    return ExitStatus.OK
