"""The command line, verdicts: parsing and printing of ``silhouette check``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from silhouette.cli.options import (
    AsJson,
    Attacker,
    Device,
    ErrorSize,
    ExitStatus,
    NoCache,
    Picture,
    PixelSize,
    Quiet,
    RendererName,
    ScenesAndBundles,
    Seed,
    Target,
    Tried,
    WhatIf,
    WithOdds,
    tried,
)
from silhouette.cli.replays import is_bundle, refuse_questions, replay_report, replayed, with_replays
from silhouette.cli.scene_job import SceneJob, status_of
from silhouette.cli.terminal import complain, show, show_json
from silhouette.cli.waiting import Waiting

if TYPE_CHECKING:
    from silhouette.bundles.replaying import Replay


def check(
    scenes: ScenesAndBundles,
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
    A FILE.zip of silhouette bundle is judged again, and compared with what is in it.
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
    asked = {"--from": attacker, "--to": target, "--arc": arc, "--at": at, "--odds": odds, "--what-if": what_if}
    refuse_questions(files, {**asked, "--picture": picture})
    # Tables that appear on the terminal are signs of life. Where they do not, one bar is for all scenes.
    together = len(files) > 1 and (as_json or not sys.stdout.isatty())
    job = SceneJob(Selection(attacker, target, arc), settings, picture, quiet or together, tried(at))
    results, workers = [], cores() if odds or what_if else 1
    replays: list[Replay | None] = []
    with Waiting("judging", quiet=quiet or not together, forking=workers > 1) as waiting:
        for number, file in enumerate(files):
            waiting.step(number, len(files))
            found = replayed(file, settings, quiet=quiet or together) if is_bundle(file) else None
            result = job.judge(file, several=len(files) > 1, workers=workers) if found is None else found.result
            results.append(result)
            replays.append(found)
            if not as_json:
                show(*scene_report(result, quiet=quiet), *([] if found is None else replay_report(found, quiet=quiet)))
            if result.error is not None:
                complain(result.error)
    if as_json:
        show_json(with_replays(scenes_document(results), replays))
    elif len(results) > 1:
        show(summary(results))
    other = any(found is not None and not found.same for found in replays)
    return max(status_of(results), ExitStatus.UNEXPECTED if other else ExitStatus.OK)
