"""The command line, everyone against everyone: parsing and printing of ``silhouette matrix``."""

from __future__ import annotations

from silhouette.batches.settings import BatchSettings
from silhouette.cli.options import (
    AsJson,
    Device,
    ErrorSize,
    NoCache,
    PixelSize,
    Quiet,
    RendererName,
    SceneFile,
    Seed,
    Tried,
    WhatIf,
    WithOdds,
    Workers,
    tried,
)
from silhouette.cli.scene_job import SceneJob, status_of
from silhouette.cli.tables import matrix_report, scenes_document
from silhouette.cli.terminal import complain, show, show_json
from silhouette.judging import Selection
from silhouette.workers import cores


def matrix(
    scene: SceneFile,
    at: Tried = None,
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
    """Judge everyone against everyone."""
    settings = BatchSettings(
        renderer, pixel, cached=not no_cache, device=device, error=error, seed=seed if odds else None, what_if=what_if
    )
    job = SceneJob(Selection(everyone=True), settings, None, quiet, tried(at))
    result = job.judge(scene, workers=cores() if workers is None else workers)
    if as_json:
        show_json(scenes_document([result]))
    else:
        show(*matrix_report(result, quiet=quiet))
    if result.error is not None:
        complain(result.error)
    return status_of([result])
