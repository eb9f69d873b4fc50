"""The command line, verdicts: ``silhouette check`` and ``silhouette matrix``; of bundles too, judged again."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from silhouette.batches.settings import BatchSettings
from silhouette.cli.commands import CheckOptions, MatrixOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.scene_job import SceneJob, places_of, processes_of, settings_of, status_of
from silhouette.cli.tables import matrix_report, plain_line, scene_report, summary
from silhouette.cli.terminal import complain, show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.common.errors import RequestError, SilhouetteError
from silhouette.common.text import as_written
from silhouette.judging import SceneResult, Selection, scenes_document
from silhouette.scenes.finding import scenes_of

if TYPE_CHECKING:
    from silhouette.bundles.replaying import Replay

# ---- bundles

MAX_LISTED_CHECKS = 20  # the differing checks that are listed; of more, only their number is


def is_bundle(path: Path) -> bool:
    """Whether a path is that of a bundle: by its ending."""
    return path.suffix.lower() == ".zip"


def refuse_questions(files: Sequence[Path], given: dict[str, object]) -> None:
    """Refuses options, by name, that ask something else than a bundle's own checks, if there is a bundle."""
    options = [name for name, value in given.items() if value]
    bundles = [file for file in files if is_bundle(file)]
    if options and bundles:
        raise RequestError(
            f"{bundles[0]}: a bundle is judged as it was when it was made; leave {options[0]} out, "
            "or unpack it and check the scene in it"
        )


def replayed(path: Path, settings: BatchSettings, *, quiet: bool) -> Replay:
    """A bundle, judged again; if it cannot be read, its result says why."""
    from silhouette.bundles.replaying import Replay, replay  # most checks are of scenes

    try:
        with Waiting(f"judging {path}", quiet=quiet) as waiting:
            return replay(path, settings, waiting.step)
    except SilhouetteError as error:
        return Replay(SceneResult(path, error=str(error)))


def replay_report(replay: Replay | None, *, quiet: bool) -> list[RenderableType]:
    """Whether the verdicts and numbers are those of the bundle; which are not; and what may be why."""
    if replay is None or replay.result.error is not None:
        return []
    lines = [plain_line(_in_short(replay), "bold green" if replay.same else "bold red")]
    differences = [
        f"check {check.number}, {check.label}: {key} is {as_written(then)} in the bundle, {as_written(now)} here"
        for check in replay.differing[:MAX_LISTED_CHECKS]
        for difference in check.differences
        for key, then, now in [_innermost(difference.key, difference.then, difference.now)]
    ]
    lines += [plain_line(f"  {difference}", "red") for difference in differences]
    if len(replay.differing) > MAX_LISTED_CHECKS:
        lines.append(plain_line(f"  and {len(replay.differing) - MAX_LISTED_CHECKS} further checks"))
    lines += [plain_line(f"  in the bundle: {change}", "red") for change in replay.changed]
    why = _why(replay)
    if why and (replay.differing or not quiet):
        lines.append(plain_line(f"  {why}", "" if replay.differing else "dim"))
    return [*lines, plain_line("")]


def _innermost(key: str, then: Any, now: Any) -> tuple[str, Any, Any]:
    """The first value that differs within two of one form, whose beginnings may be written alike, and where it is."""
    pairs: list[tuple[Any, Any, Any]] = []
    if isinstance(then, dict) and isinstance(now, dict) and then.keys() == now.keys():
        pairs = [(name, then[name], now[name]) for name in then]
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        pairs = [(number, *both) for number, both in enumerate(zip(then, now, strict=True), 1)]
    for name, *both in pairs:
        if both[0] != both[1]:
            return _innermost(f"{key}, {name}", *both)
    return key, then, now


def _why(replay: Replay) -> str:
    """What may be why verdicts differ from those of then; empty if nothing is otherwise."""
    if replay.reasons:
        return f"otherwise than then: {'; '.join(replay.reasons)}"
    if replay.changed or not replay.differing:
        return ""
    return "versions, settings and files are the same: bundle.json was changed, or the machines differ"


def _in_short(replay: Replay) -> str:
    checks, differing = len(replay.checks), len(replay.differing)
    if differing:
        what = f"{differing} of {checks} checks differ{'s' if differing == 1 else ''}"
    elif all(check.sameness == "to the bit" for check in replay.checks):
        what = "every verdict and number is the same, to the bit"
    else:
        what = "every verdict is the same, and every number within the error"
    if replay.changed:
        what += f"; {len(replay.changed)} file{'s are' if len(replay.changed) > 1 else ' is'} not as when it was made"
    return f"{'the same' if replay.same else 'NOT THE SAME'} as in the bundle: {what}"


def check(given: CheckOptions) -> int:
    """Judges scenes and bundles one after the other, and tells of each."""
    files = [Path(file) for path in given.scenes for file in scenes_of([path])]
    options: dict[str, object] = {"--from": given.attacker, "--to": given.target, "--arc": given.arc, "--at": given.at}
    options |= {"--odds": given.odds, "--what-if": given.what_if, "--picture": given.picture}
    refuse_questions(files, options)
    results, replays = _judged(files, given)
    if given.as_json:
        content = scenes_document(results)
        for entry, replay in zip(content["scenes"], replays, strict=True):
            if replay is not None and replay.result.error is None:
                entry["bundle"] = replay.document()
        show_json(content)
    elif len(files) > 1:
        show(summary(results))
    differs = not all(replay.same for replay in replays if replay is not None)
    return max(status_of(results), ExitStatus.UNEXPECTED if differs else ExitStatus.OK)


def _judged(files: Sequence[Path], given: CheckOptions) -> tuple[list[SceneResult], list[Replay | None]]:
    """The results of scenes, each told of when it is there unless all are one document, and how bundles compare."""
    # Tables that appear on the terminal are signs of life. If they do not, one bar is for all scenes.
    several = len(files) > 1
    together = several and (given.as_json or not sys.stdout.isatty())
    quiet, settings = given.quiet or together, settings_of(given)
    selection = Selection(given.attacker, given.target, given.arc)
    job = SceneJob(selection, settings, given.picture, quiet=quiet, at=places_of(given))
    # One verdict takes less time than to start processes, so that these are asked for, or have odds to work out.
    workers = processes_of(given) if given.odds or given.what_if or given.workers else 1
    results, replays = list[SceneResult](), list["Replay | None"]()
    with Waiting("judging", quiet=given.quiet or not together, forking=workers > 1) as waiting:
        for number, file in enumerate(files):
            waiting.step(number, len(files))
            replay = replayed(file, settings, quiet=quiet) if is_bundle(file) else None
            result = job.judge(file, several=several, workers=workers) if replay is None else replay.result
            results.append(result)
            replays.append(replay)
            more = replay_report(replay, quiet=given.quiet)
            _tell(result, [] if given.as_json else [*scene_report(result, quiet=given.quiet), *more])
    return results, replays


def _tell(result: SceneResult, report: Sequence[RenderableType]) -> None:
    """Prints the report of a scene, and what is wrong with it."""
    if report:
        show(*report)
    if result.error is not None:
        complain(result.error)


def matrix(given: MatrixOptions) -> int:
    """Judges everyone against everyone."""
    job = SceneJob(Selection(everyone=True), settings_of(given), quiet=given.quiet, at=places_of(given))
    result = job.judge(given.scene, workers=processes_of(given))
    if given.as_json:
        show_json(scenes_document([result]))
    _tell(result, [] if given.as_json else matrix_report(result, quiet=given.quiet))
    return status_of([result])
