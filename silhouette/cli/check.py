"""The command line, verdicts: parsing and printing of ``silhouette check``.

words -> a scene, judged -> its verdicts; a bundle, judged again -> its verdicts, and what differs

All commands that may be given a bundle report it alike.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType

from silhouette.batches.settings import BatchSettings
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
from silhouette.cli.scene_job import SceneJob, mesh_cache, status_of
from silhouette.cli.tables import plain_line, scene_report, scenes_document, summary
from silhouette.cli.terminal import complain, show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.errors import RequestError, SilhouetteError
from silhouette.judging import SceneResult, Selection
from silhouette.scenes.finding import scenes_of
from silhouette.text import as_written
from silhouette.workers import cores

if TYPE_CHECKING:
    from silhouette.bundles.replaying import Replay

# ---- bundles

MOST_LINES = 20
"""The differing checks that are listed; of more, only their number is."""


def is_bundle(path: Path) -> bool:
    """Whether a path is that of a bundle: by its ending."""
    return path.suffix.lower() == ".zip"


def refuse_questions(files: Sequence[Path], given: dict[str, object]) -> None:
    """Refuses options that ask something else than a bundle's own checks, where one of the files is a bundle.

    Args:
        files: of the command.
        given: the options by their names, each with what the user gave; none where that is false.

    Raises:
        RequestError: where there is a bundle and such an option.
    """
    options = [name for name, value in given.items() if value]
    bundles = [file for file in files if is_bundle(file)]
    if options and bundles:
        raise RequestError(
            f"{bundles[0]}: a bundle is judged as it was when it was made; leave {options[0]} out, "
            "or unpack it and check the scene in it"
        )


def replayed(path: Path, settings: BatchSettings, *, quiet: bool) -> Replay:
    """A bundle, judged again; where it cannot be read, its result says why."""
    from silhouette.bundles.replaying import Asked, Replay, replay  # most checks are of scenes

    asked = Asked(settings.renderer, settings.device, settings.pixel, settings.error, mesh_cache(not settings.cached))
    try:
        with Waiting(f"judging {path}", quiet=quiet) as waiting:
            return replay(path, asked, waiting.step)
    except SilhouetteError as error:
        return Replay(SceneResult(path, error=str(error)))


def replay_report(found: Replay, *, quiet: bool) -> list[RenderableType]:
    """Whether the verdicts and numbers are those of the bundle; which are not; and what may be why."""
    if found.result.error is not None:
        return []
    lines = [plain_line(_in_short(found), "bold green" if found.same else "bold red")]
    for check in found.differing[:MOST_LINES]:
        for one in check.differences:
            values = f"{as_written(one.then)} in the bundle, {as_written(one.now)} here"
            lines.append(plain_line(f"  check {check.number}, {check.label}: {one.key} is {values}", "red"))
    if len(found.differing) > MOST_LINES:
        lines.append(plain_line(f"  and {len(found.differing) - MOST_LINES} further checks"))
    lines += [plain_line(f"  in the bundle: {change}", "red") for change in found.changed]
    if found.reasons and (found.differing or not quiet):
        lines.append(plain_line(f"  otherwise than then: {'; '.join(found.reasons)}", "" if found.differing else "dim"))
    if found.differing and not found.reasons and not found.changed:
        lines.append(
            plain_line("  versions, settings and files are the same: bundle.json was changed, or the machines differ")
        )
    return [*lines, plain_line("")]


def _in_short(found: Replay) -> str:
    checks, differing = len(found.checks), len(found.differing)
    if differing:
        what = f"{differing} of {checks} checks differ{'s' if differing == 1 else ''}"
    elif all(check.sameness == "to the bit" for check in found.checks):
        what = "every verdict and number is the same, to the bit"
    else:
        what = "every verdict is the same, and every number within the error"
    if found.changed:
        what += f"; {len(found.changed)} file{'s are' if len(found.changed) > 1 else ' is'} not as when it was made"
    return f"{'the same' if found.same else 'NOT THE SAME'} as in the bundle: {what}"


def with_replays(content: dict[str, Any], replays: Sequence[Replay | None]) -> dict[str, Any]:
    """The document of scenes, in which each that came from a bundle says how it compares."""
    for entry, found in zip(content["scenes"], replays, strict=True):
        if found is not None and found.result.error is None:
            entry["bundle"] = found.document()
    return content


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
