"""The command line, verdicts: parsing and printing of ``silhouette check``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from silhouette.cli.options import (
    AsJson,
    Attacker,
    Device,
    ErrorSize,
    NoCache,
    Picture,
    PixelSize,
    Quiet,
    RendererName,
    SceneFiles,
    Seed,
    Target,
    Tried,
    WhatIf,
    WithOdds,
    tried,
)
from silhouette.cli.scene_job import SceneJob, status_of
from silhouette.cli.terminal import complain, show, show_json
from silhouette.cli.waiting import Waiting


def check(
    scenes: SceneFiles,
    attacker: Attacker = None,
    target: Target = None,
    arc: Annotated[
        str | None, typer.Option("--arc", metavar="ARC", help="front, left, right or rear.  [default: any]")
    ] = None,
    at: Tried = None,
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    device: Device = None,
    pixel: PixelSize = None,
    error: ErrorSize = None,
    odds: WithOdds = False,
    seed: Seed = 0,
    what_if: WhatIf = False,
    picture: Picture = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Judge every [[check]] of each scene, or those that --from and --to name.

    With --picture and several checks, the files are FILE-1.png, FILE-2.png and so on, in the order of the table.
    """
    from silhouette.batches.settings import BatchSettings
    from silhouette.cli.tables import scene_report, scenes_document, summary
    from silhouette.judging import Selection
    from silhouette.scenes.finding import scenes_of
    from silhouette.workers import cores

    settings = BatchSettings(
        renderer, pixel, cached=not no_cache, device=device, error=error, seed=seed if odds else None, what_if=what_if
    )
    files = [Path(file) for path in scenes for file in scenes_of([path])]
    # Tables that appear on the terminal are signs of life. Where they do not, one bar is for all scenes.
    together = len(files) > 1 and (as_json or not sys.stdout.isatty())
    job = SceneJob(Selection(attacker, target, arc), settings, picture, quiet or together, tried(at))
    results, workers = [], cores() if odds or what_if else 1
    with Waiting("judging", quiet=quiet or not together, forking=workers > 1) as waiting:
        for number, file in enumerate(files):
            waiting.step(number, len(files))
            result = job.judge(file, several=len(files) > 1, workers=workers)
            results.append(result)
            if not as_json:
                show(*scene_report(result, quiet=quiet))
            if result.error is not None:
                complain(result.error)
    if as_json:
        show_json(scenes_document(results))
    elif len(results) > 1:
        show(summary(results))
    return status_of(results)
