"""The command line, scans: parsing, asking and printing of ``silhouette scan``."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from silhouette.cli.completion import complete_mesh
from silhouette.cli.options import AsJson, Attacker, ExitStatus, NoCache, Quiet, Target
from silhouette.cli.scene_job import SceneJob, mesh_cache, status_of
from silhouette.cli.terminal import complain, show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.errors import RequestError

if TYPE_CHECKING:
    from silhouette.files.cache import Cache
    from silhouette.judging import SceneResult
    from silhouette.scans.questions import Question
    from silhouette.scans.scale import Wanted
    from silhouette.scans.scan import ScanRequest
    from silhouette.scans.scanned import ScannedTable


def scan(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The scan: a mesh, a point cloud or a .zip.", autocompletion=complete_mesh),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="For the scene; made where it is not there.")],
    figures: Annotated[
        list[Path] | None,
        typer.Option("--figures", metavar="PATH", help="Meshes of your figures, or a folder of them."),
    ] = None,
    terrain: Annotated[
        list[Path] | None, typer.Option("--terrain", metavar="PATH", help="The same of your terrain.")
    ] = None,
    scale: Annotated[
        float | None, typer.Option("--scale", metavar="MM", help="Millimetres in one unit of the file.")
    ] = None,
    bases: Annotated[
        str | None, typer.Option("--bases", metavar="25,32", help="Diameters of the round bases on the table, in mm.")
    ] = None,
    length: Annotated[
        str | None,
        typer.Option("--length", metavar="MM=X,Y,Z:X,Y,Z", help="A known length between two points of the file."),
    ] = None,
    attacker: Attacker = None,
    target: Target = None,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: take the likeliest answer, and list it.")] = False,
    as_json: AsJson = False,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Make a scene of a scanned table: FOLDER/scene.toml, its meshes, and a picture of the table from above.

    With --figures, each figure is looked for among your meshes. With --from and --to, the ruling follows at once.
    Run it again to answer a question that you have written into scene.toml: names and answers are kept.
    """
    from silhouette.scans.folder import RULING
    from silhouette.scans.keeping import SCENE
    from silhouette.scans.scan import ScanRequest

    if attacker is None and target is not None:
        raise RequestError("--to without --from; a ruling needs who looks: say --from NAME as well")
    request = ScanRequest(file, tuple(figures or ()), tuple(terrain or ()), _wanted(scale, bases, length))
    may_ask = not (yes or as_json) and sys.stdin.isatty() and sys.stdout.isatty()
    table = _written(request, out, mesh_cache(no_cache), may_ask=may_ask, quiet=quiet)
    result = None
    if attacker is not None:
        from silhouette.batches.settings import BatchSettings
        from silhouette.judging import Selection

        ruling = Selection(table.called(attacker), None if target is None else table.called(target))
        settings = BatchSettings("auto", None, cached=not no_cache, device=None, error=None)
        result = SceneJob(ruling, settings, out / RULING, quiet).judge(out / SCENE)
    _show(table, out, result, as_json=as_json, quiet=quiet)
    return ExitStatus.OK if result is None else status_of([result])


def _written(request: ScanRequest, out: Path, cache: Cache, *, may_ask: bool, quiet: bool) -> ScannedTable:
    """The scanned table, with its folder written; where a player may be asked, once more with the answers."""
    from silhouette.files.changing import check_folder
    from silhouette.scans.folder import write_folder
    from silhouette.scans.keeping import earlier_run
    from silhouette.scans.scan import scan_table

    check_folder(out, (request.file, *request.figures, *request.terrain))
    earlier = earlier_run(out)
    with Waiting(f"scanning {request.file}", quiet=quiet) as waiting:
        table = scan_table(request, cache, earlier, waiting.step)
    with Waiting(f"writing {out}", quiet=quiet):
        write_folder(table, out)
    answered = _ask(table, out) if may_ask and table.questions else {}
    if not answered:
        return table
    earlier = replace(table.earlier, asked={**table.earlier.asked, **answered})
    with Waiting(f"scanning {request.file} with your answers", quiet=quiet) as waiting:
        table = scan_table(request, cache, earlier, waiting.step)
        write_folder(table, out, keeps_scene=False)
    return table


def _show(table: ScannedTable, out: Path, result: SceneResult | None, *, as_json: bool, quiet: bool) -> None:
    """Prints what was found, and the ruling, if there is one."""
    from silhouette.cli.scan_report import scan_report
    from silhouette.cli.tables import scene_report, scenes_document
    from silhouette.scans.record import record_of

    if as_json:
        show_json({**record_of(table), **({} if result is None else scenes_document([result]))})
    else:
        show(*scan_report(table, out, quiet=quiet), *([] if result is None else scene_report(result, quiet=quiet)))
    if result is not None and result.error is not None:
        complain(result.error)


def _wanted(scale: float | None, bases: str | None, length: str | None) -> Wanted:
    """What is known of the scale, from the options.

    Raises:
        RequestError: where they cannot be read, or there is more than one.
    """
    from silhouette.scans.scale import Wanted

    given = [
        name for name, value in (("--scale", scale), ("--bases", bases), ("--length", length)) if value is not None
    ]
    if len(given) > 1:
        raise RequestError(f"{' and '.join(given)} both say how large it is; give one of them")
    if bases is not None:
        diameters = _numbers(bases, ",")
        if not diameters or min(diameters) <= 0.0:
            raise RequestError(f"--bases {bases}: is no list of diameters in mm; write them as in --bases 25,32")
        return Wanted(bases=tuple(diameters))
    if length is None:
        return Wanted(scale=scale)
    mm, _, ends = length.partition("=")
    points = [_numbers(end, ",") for end in ends.split(":")]
    lengths = _numbers(mm, " ")
    if len(lengths) != 1 or lengths[0] <= 0.0 or [len(point) for point in points] != [3, 3]:
        raise RequestError(
            f"--length {length}: is no length between two points; write it as in --length 600=0,0,0:0.6,0,0"
        )
    (x, y, z), (u, v, w) = points
    return Wanted(length=(lengths[0], (x, y, z), (u, v, w)))


def _numbers(text: str, between: str) -> list[float]:
    """The finite numbers of a list; none where one of them is no number."""
    try:
        numbers = [float(word) for word in text.split(between)]
    except ValueError:
        return []
    return numbers if all(map(math.isfinite, numbers)) else []


def _ask(table: ScannedTable, out: Path) -> dict[str, dict[str, Any]]:
    """Asks the questions one by one at the terminal; those that are answered, with their answers, by their keys.

    An empty line takes the likeliest answer and leaves the question open.
    """
    from silhouette.scans.folder import PICTURE

    show(f"{len(table.questions)} to answer; {out / PICTURE} shows the table. Enter alone takes the first answer.")
    answered = {}
    for question in table.questions:
        show("", question.text, *(f"  {number}  {answer}" for number, answer in enumerate(question.answers, 1)))
        chosen = _chosen(question)
        if chosen is not None:
            answered[question.key] = {**question.keys(), "answer": chosen}
    return answered


def _chosen(question: Question) -> str | None:
    """The answer that a person types, by its number or in its words; None for an empty line."""
    while True:
        try:
            typed = input("> ").strip()
        except EOFError:
            return None
        if not typed:
            return None
        if typed in question.answers:
            return typed
        if typed.isdigit() and 1 <= int(typed) <= len(question.answers):
            return question.answers[int(typed) - 1]
        show(f"that is no answer; type a number from 1 to {len(question.answers)}, or Enter")
