"""The command line, scans: ``silhouette scan``, which asks and rules as well."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from silhouette.batches.settings import BatchSettings
from silhouette.cli.commands import ScanOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.scene_job import SceneJob, cache_of, status_of
from silhouette.cli.tables import headed_table, plain_line, scene_report
from silhouette.cli.terminal import complain, show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.changing import check_folder
from silhouette.judging import SceneResult, Selection, scenes_document
from silhouette.scans.corrections import earlier_with
from silhouette.scans.keep import SCENE, Question, earlier_run
from silhouette.scans.place import ScannedPiece, ScannedTable
from silhouette.scans.scale import SizeHints
from silhouette.scans.scan import ScanRequest, recognised
from silhouette.scans.write import PICTURE, RULING, record_of, write_folder

SOURCES = {
    "given": "given",
    "length": "from the length given",
    "units": "from the file's units",
    "known models": "from the known models",
    "bases": "from the round bases",
    "guess": "guessed",
}
"""How the scale is known, in words."""


GRADE_WORDS = {
    "good": "good",
    "usable": "usable: figures are found, and some are in doubt",
    "terrain only": "good for terrain only",
}
"""What a scan is good for, in words."""


def scan_report(table: ScannedTable, folder: Path, *, quiet: bool = False) -> list[RenderableType]:
    """What was found on a scanned table, line by line; quiet, only where it is."""
    if quiet:
        return [plain_line(str(folder / "scene.toml"))]
    size = "no table" if table.size is None else f"a table of {table.size[0]:.0f} x {table.size[1]:.0f} mm"
    scale = f"{table.scale.mm:.5g} mm in a unit of the file, {SOURCES[table.scale.source]}"
    parts: list[RenderableType] = [
        plain_line(f"{size}, tilted by {table.tilt:.1f}° in the file, noise {table.noise:.2g} mm; {scale}"),
        plain_line(f"the scan is {GRADE_WORDS[table.account.grade]}"),
        plain_line(""),
    ]
    rows = headed_table("", "piece", "at", "faces", "stands on", "base", "model", whole=("piece",))
    for piece in table.pieces:
        rows.add_row(*map(plain_line, _cells(piece, "" if table.size is None else "the table")))
    parts.append(rows)
    if sentence := table.account.counts():
        parts.append(plain_line(sentence, "yellow" if table.account.missing or table.account.unknown else ""))
    parts += [plain_line(f"question: {question.text}", "yellow") for question in table.questions]
    parts += [plain_line(f"warning: {warning}", "dim") for warning in table.warnings]
    scene = folder / "scene.toml"
    has_figures = any(piece.kind != "terrain" for piece in table.pieces)
    further = "judge it with: silhouette matrix" if has_figures else "put figures on it with: silhouette table"
    return [
        *parts,
        plain_line(""),
        plain_line(f"{folder / 'scan.png'} shows the table; {further} {scene}"),
    ]


def _cells(piece: ScannedPiece, ground: str) -> list[str]:
    """A piece's row; ``ground`` is what all stands on that stands on no other piece."""
    facing = "" if piece.kind == "terrain" else "unknown" if piece.facing is None else f"{piece.facing % 360.0:.0f}°"
    at = ", ".join(f"{place:.0f}" for place in piece.at[: 2 if abs(piece.at[2]) < 0.5 else 3])
    base = "" if piece.disc is None or piece.kind == "terrain" else f"{piece.disc.diameter:.0f} mm"
    model = piece.likeness
    if piece.match is not None and piece.match.sure:
        model += f" ± {piece.match.residual:.1f} mm"
    name = f"{piece.name} (several?)" if piece.could_be_several else piece.name
    return [str(piece.number), name, at, facing, piece.on or ground, base, model]


def scan(given: ScanOptions) -> int:
    """Makes a scene of a scan, and rules at once if a pair is named."""
    if given.attacker is None and given.target is not None:
        raise RequestError("--to without --from; a ruling needs who looks: say --from NAME as well")
    if given.terrain_only and given.attacker is not None:
        raise RequestError("--terrain-only with --from; a table without figures has nobody who looks")
    figures, terrain = tuple(given.figures or ()), tuple(given.terrain or ())
    request = ScanRequest(given.file, figures, terrain, _known_scale(given), given.terrain_only, given.table)
    may_ask = not (given.yes or given.as_json) and sys.stdin.isatty() and sys.stdout.isatty()
    pair = [name for name in (given.attacker, given.target) if name is not None]
    corrections = tuple(given.pieces or ())
    table = _written(request, given.out, cache_of(given), pair, corrections, may_ask=may_ask, quiet=given.quiet)
    result = None
    if given.attacker is not None:
        target = None if given.target is None else table.called(given.target)
        ruling = Selection(table.called(given.attacker), target)
        # With odds: what a scan has placed stands as exactly as its doubt says, which may change a verdict.
        settings = BatchSettings(cached=not given.no_cache, seed=0)
        result = SceneJob(ruling, settings, given.out / RULING, quiet=given.quiet).judge(given.out / SCENE)
    _show(table, given.out, result, as_json=given.as_json, quiet=given.quiet)
    return ExitStatus.OK if result is None else status_of([result])


def _show(table: ScannedTable, out: Path, result: SceneResult | None, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        show_json({**record_of(table), **({} if result is None else scenes_document([result]))})
    else:
        ruling = [] if result is None else [*_estimates(result), *scene_report(result, quiet=quiet)]
        show(*scan_report(table, out, quiet=quiet), *ruling)
    if result is not None and result.error is not None:
        complain(result.error)


def _estimates(result: SceneResult) -> list[RenderableType]:
    """What a ruling rests on that nobody has measured, before the verdict and as plain as that."""
    warnings = [warning for judged in result.judged for warning in judged.verdict.warnings]
    eyes = dict.fromkeys(warning for warning in warnings if warning.endswith("is estimated"))
    return [plain_line(f"{warning}: write eye into its model or into the scene", "bold yellow") for warning in eyes]


def _written(
    request: ScanRequest,
    out: Path,
    cache: Cache,
    pair: Sequence[str],
    corrections: Sequence[str],
    *,
    may_ask: bool,
    quiet: bool,
) -> ScannedTable:
    """The scanned table, with its folder written; once more with what a player answers.

    A name of the pair is an answer as well: the piece that is most like the model of that name is taken for it.
    """
    check_folder(out, (request.file, *request.figures, *request.terrain))
    earlier = earlier_run(out)
    with Waiting(f"scanning {request.file}", quiet=quiet) as waiting:
        scan = recognised(request, cache, earlier, waiting.step)
        table = scan.table(earlier)
        if corrections:
            table = scan.table(earlier_with(table, corrections))
    with Waiting(f"writing {out}", quiet=quiet):
        write_folder(table, out)
    answered = _ask(table, out) if may_ask and table.questions else {}
    notes = []
    for name in pair:
        question = table.question_of(name)
        if question is not None and question.key not in answered:
            answered[question.key] = {**question.keys(), "answer": question.answers[1]}
            # By its place: the others like it are numbered anew.
            thing = question.about[0] if question.at is None else "what stands at {:.0f}, {:.0f}".format(*question.at)
            notes.append(f"{thing} is taken for {question.answers[1]}, as the command names it")
    if not answered:
        return table
    earlier = replace(table.earlier, answers_by_key={**table.earlier.answers_by_key, **answered})
    with Waiting(f"scanning {request.file} with your answers", quiet=quiet) as waiting:
        # What is answered of single pieces needs no other look at the scan.
        if not all(scan.settles(question) for question in table.questions if question.key in answered):
            scan = recognised(request, cache, earlier, waiting.step)
        table = scan.table(earlier)
        table = replace(table, warnings=(*notes, *table.warnings))
        write_folder(table, out, keeps_scene=False)
    return table


def _known_scale(given: ScanOptions) -> SizeHints:
    """What is known of the scale, from the options; RequestError if they cannot be read, or there is more than one."""
    options = {"--scale": given.scale, "--bases": given.bases, "--length": given.length}
    names = [name for name, value in options.items() if value is not None]
    if len(names) > 1:
        raise RequestError(f"{' and '.join(names)} both say how large it is; give one of them")
    return SizeHints(
        scale=given.scale,
        bases=None if given.bases is None else _diameters(given.bases),
        length=None if given.length is None else _length(given.length),
    )


Point = tuple[float, float, float]


def _diameters(text: str) -> tuple[float, ...]:
    diameters = _numbers(text, ",")
    if not diameters or min(diameters) <= 0.0:
        raise RequestError(f"--bases {text}: is no list of diameters in mm; write them as in --bases 25,32")
    return tuple(diameters)


def _length(text: str) -> tuple[float, Point, Point]:
    mm, _, ends = text.partition("=")
    points = [_numbers(end, ",") for end in ends.split(":")]
    lengths = _numbers(mm, " ")
    if len(lengths) != 1 or lengths[0] <= 0.0 or [len(point) for point in points] != [3, 3]:
        raise RequestError(
            f"--length {text}: is no length between two points; write it as in --length 600=0,0,0:0.6,0,0"
        )
    (x, y, z), (u, v, w) = points
    return lengths[0], (x, y, z), (u, v, w)


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
