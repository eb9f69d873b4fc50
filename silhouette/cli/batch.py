"""The command line, many scenes: parsing and printing of ``silhouette batch``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from silhouette.batches.run import make_pool, write_batch
from silhouette.batches.settings import BatchSettings
from silhouette.cli.options import (
    AsJson,
    Device,
    ErrorSize,
    ExitStatus,
    NoCache,
    PixelSize,
    Quiet,
    RendererName,
    Seed,
    WhatIf,
    WithOdds,
    Workers,
    exit_status,
)
from silhouette.cli.tables import batch_report
from silhouette.cli.terminal import complain, show, show_json
from silhouette.cli.waiting import Waiting


def batch(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Scene files, folders, globs.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="For the rows: .jsonl, .csv or .parquet.")],
    everyone: Annotated[bool, typer.Option("--everyone", help="Everyone against everyone in each scene.")] = False,
    expect: Annotated[bool, typer.Option("--expect", help="Also name each check that is not as expected.")] = False,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE.xml", help="Also what CI systems show.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an unfinished batch.")] = False,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Judge only the failed rows of a finished FILE again.")
    ] = False,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="Longest for reading a scene, or for a check.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="ADDRESS", help="Of a Dask scheduler whose workers judge.")
    ] = None,
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    device: Device = None,
    pixel: PixelSize = None,
    error: ErrorSize = None,
    odds: WithOdds = False,
    seed: Seed = 0,
    what_if: WhatIf = False,
    workers: Workers = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Judge many scenes and write a row for each check; what goes wrong is a row with an error.

    The rows are kept beside FILE as they come, and FILE appears when all is done: --resume goes on after a kill.
    """
    settings = BatchSettings(
        renderer, pixel, everyone, not no_cache, device, error, seed=seed if odds else None, what_if=what_if
    )
    pool = make_pool(settings, workers, timeout, cluster)
    try:
        with Waiting("judging", quiet=quiet, rated=True, forking=True) as waiting:
            again = {"resume": resume, "retry_errors": retry_errors}
            summary = write_batch(paths, out, settings, pool, **again, junit=junit, progress=waiting.step)
    except KeyboardInterrupt:
        complain(f"interrupted; what was judged is kept beside {out}: the same command with --resume goes on")
        return ExitStatus.INTERRUPTED
    for sentence in summary.failed:
        complain(sentence)
    if as_json:
        show_json({"out": str(out), **vars(summary)})
    else:
        show(*batch_report(out, summary, named=expect))
    return exit_status(failed=bool(summary.failed), unexpected=bool(summary.unmet))
