"""TELL: a scan becomes the table that is shown, and is read again where a player answers what it could not tell."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numpy as np

from silhouette.common.errors import FileError, RequestError
from silhouette.common.geometry import Floats
from silhouette.files.documents import read_document, read_text
from silhouette.live.by_hand import Document
from silhouette.live.corrections import record_of, rows_by_name, with_answer
from silhouette.live.edits import entries_of, piece_names, with_entry, without
from silhouette.live.live_table import LiveTable
from silhouette.live.rewriting import rewritten
from silhouette.scans.keep import RECORD, SAME_PIECE_REACH, SCENE, earlier_record

MOVED_DISTANCE_MM = 0.5  # mm: a piece that stands so far from where the scan has it was moved by a player
PLACE_KEYS = ("at", "on", "under", "facing", "turn", "doubt")  # the keys that say how a piece stands, and how exactly
GIVEN = ("given", "length")  # where the scale is from that a player has given: the next run is to have it again


@dataclass(frozen=True)
class Length:
    """A length in mm that a player knows, and its ends on the table that is shown, mm."""

    mm: float
    start: tuple[float, float, float]
    end: tuple[float, float, float]


def questions_of(document: Document) -> list[dict[str, Any]]:
    """What a scan could not tell and nobody has answered: key, text, answers, and what it is about."""
    questions = document.get("question", [])
    return [dict(question) for question in questions if isinstance(question, dict) and "answer" not in question]


async def scanned(file: Path, folder: Path, length: Length | None = None) -> None:
    """Writes the folder of a scan, or writes it again with the answers in its scene; its size, if it is known.

    A scan that has gone is found by the folder's record. One that cannot be read raises RequestError with its one line.
    """
    record = earlier_record(folder) or {}
    words = [
        str(file),
        "--out",
        str(folder),
        "--yes",
        "--json",
        *(["--terrain-only"] if record.get("terrain_only") else []),
        *(["--table", str(record["table_number"])] if record.get("table_number") else []),
    ]
    for option, key in (("--figures", "figures"), ("--terrain", "terrain")):
        for file_name in record.get(key, []):
            words += [option, str(located(str(file_name), folder))]
    if length is not None:
        words += ["--length", _in_file(length, record)]
    elif record.get("scale_from") in GIVEN:
        words += ["--scale", repr(float(record["scale"]))]
    command, pipe = [sys.executable, "-m", "silhouette", "scan", *words], asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    try:
        _, errors = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        raise
    if process.returncode:
        line = errors.decode(errors="replace").strip().removeprefix("error: ")
        raise RequestError(line or f"{file}: cannot be scanned")


def located(file: str, folder: Path) -> Path:
    """A file that a scan's record names, wherever it is now: as it was given, or beside the folder or in it."""
    name = Path(file).name
    for place in (Path(file), folder / file, folder.parent / file, folder.parent / name, folder / name):
        if place.exists():
            return place
    raise FileError(Path(file), f"is not there any longer; put it beside {folder}, and answer again")


def _in_file(length: Length, record: Mapping[str, Any]) -> str:
    """A length as ``--length`` takes it, between points in the coordinates of the scan's file."""
    back = np.linalg.inv(np.array(record["to_table"], np.float64).reshape(4, 4))
    ends = [back[:3, :3] @ np.array(end) + back[:3, 3] for end in (length.start, length.end)]
    written = [",".join(f"{number:.9g}" for number in end) for end in ends]
    return f"{length.mm:.9g}={written[0]}:{written[1]}"


def unmoved(document: Document, record: Mapping[str, Any]) -> Document:
    """The scene of a scan with all pieces where the scan has them, by which it knows them when it is read again."""
    rows = rows_by_name(document, record)
    for table, number, entry in entries_of(document):
        place = list(rows[entry["name"]]["at"]) if entry["name"] in rows else None
        if place is not None and np.hypot(*(np.array(entry["at"][:2]) - place[:2])) > MOVED_DISTANCE_MM:
            document = with_entry(document, table, number, {**without(entry, "on", "under"), "at": place})
    return document


def with_moves(new: Document, old: Document, record: Mapping[str, Any]) -> Document:
    """The scene of a scan that was read again, with what a player has changed in the scene before.

    Pieces that were moved, added or taken off are so again; all else that a person writes, `silhouette scan` keeps.
    """
    before = {entry["name"]: (table, entry) for table, _, entry in entries_of(old)}
    rows = {piece["name"]: piece for piece in record.get("pieces", [])} | rows_by_name(old, record)
    scanned_at = {name: np.array(row["at"][:2]) for name, row in rows.items()}
    new_names = piece_names(new)
    changed: Document = {}
    for key, value in new.items():
        is_of_pieces = isinstance(value, list) and any(isinstance(entry, dict) and "name" in entry for entry in value)
        changed[key] = value
        if is_of_pieces:  # what was taken off stays off
            left = [entry for entry in value if not _is_taken_off(entry, before, scanned_at)]
            changed[key] = [_as_before(entry, before, scanned_at) for entry in left]
    for name, (table, entry) in before.items():
        if name not in new_names and name not in scanned_at:
            changed[table] = [*changed.get(table, []), entry]
    return changed


def _is_taken_off(
    entry: Document, before: Mapping[str, tuple[str, Document]], scanned_at: Mapping[str, Floats]
) -> bool:
    """Whether a player has taken a piece off the table: a new one may have got its name, and stands elsewhere."""
    name = entry["name"]
    return (
        name not in before
        and name in scanned_at
        and np.hypot(*(entry["at"][:2] - scanned_at[name])) <= SAME_PIECE_REACH
    )


def _as_before(
    entry: Document, before: Mapping[str, tuple[str, Document]], scanned_at: Mapping[str, Floats]
) -> Document:
    """An entry of a scene, at its place in the scene before if a player had moved it from where the scan has it."""
    name = entry["name"]
    if name not in before:
        return entry
    _, earlier = before[name]
    if name in scanned_at and np.hypot(*(np.array(earlier["at"][:2]) - scanned_at[name])) <= MOVED_DISTANCE_MM:
        return entry
    return {**without(entry, *PLACE_KEYS), **{key: earlier[key] for key in PLACE_KEYS if key in earlier}}


async def scan_first(table: LiveTable, file: Path) -> None:
    """Reads a scan that lies in the scene's folder, into a folder of its name there, and shows it.

    What was not saved of the table before is kept beside its scene. If it cannot be read, or another one is being read,
    all is as before.
    """
    folder = table.path.parent / file.stem
    with _alone(table):
        await scanned(file, folder)
        table.autosave()
        table.replace(folder / SCENE)


async def scan_again(table: LiveTable, correction: tuple[str, str] | Length | Document) -> None:
    """Reads the scan of a table again, and shows it with what players have changed, meanwhile too; its files are
    written. It is a step to undo, unless lengths have become others.

    The correction is the key of a question and its answer, a length, or the entry of an answer to no question. If the
    scan cannot be read, or is being read, all is as before.
    """
    length = correction if isinstance(correction, Length) else None
    with _alone(table):
        folder, document = table.path.parent, table.document
        if isinstance(correction, tuple):
            document = answered(document, *correction)
        elif not isinstance(correction, Length):
            document = with_answer(document, correction)
        record = _record(document, folder)
        file = located(str(record["scan"]), folder)
        before = read_text(table.path, with_mark=True)
        table.lay_down(rewritten(table.path, before, unmoved(document, record)))
        try:
            await scanned(file, folder, length)
        except BaseException:
            table.lay_down(before)
            raise
        new = read_document(table.path)
        is_as_large = _record(new, folder)["scale"] == record["scale"]
        document = with_moves(new, table.document, record) if is_as_large else new
        table.replace(table.path, document, is_step=is_as_large)
        table.autosave()


async def to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Waits for work that goes on where the one who waits goes, such as a phone whose screen turns dark."""
    task = asyncio.create_task(work)
    _WORK.add(task)
    task.add_done_callback(_is_done)
    await asyncio.wait([task])
    task.result()


def _is_done(task: asyncio.Task[None]) -> None:
    _WORK.discard(task)
    if not task.cancelled():
        task.exception()  # nobody may be there any longer to be told


_WORK = set[asyncio.Task[None]]()
_READING = WeakSet[LiveTable]()


@contextmanager
def _alone(table: LiveTable) -> Iterator[None]:
    """One scan of a table is read at a time; another one meanwhile raises RequestError."""
    if table in _READING:
        raise RequestError("a scan is being read; wait until it is shown")
    _READING.add(table)
    try:
        yield
    finally:
        _READING.discard(table)


def length_of(data: object) -> Length:
    """The length that a request describes."""
    try:
        match data:
            case {"mm": int() | float() as mm, "from": [a, b, c], "to": [x, y, z]} if mm > 0:
                return Length(float(mm), (float(a), float(b), float(c)), (float(x), float(y), float(z)))
    except (TypeError, ValueError):
        pass
    raise RequestError('length must be {"mm": number, "from": [x, y, z], "to": [x, y, z]}')


def _record(document: Document, folder: Path) -> Mapping[str, Any]:
    """What the scan has found of which a document was made; FileError where no scan made it."""
    record = record_of(document, folder)
    if record is None:
        raise FileError(folder, f"has no {RECORD}; only the table of a scan can be read again")
    return record


def answered(document: Document, key: str, answer: str) -> Document:
    """The document with the answer to one of its questions; RequestError if it is not asked, or has other answers."""
    questions: Sequence[Document] = document.get("question", [])
    for number, question in enumerate(questions):
        if question.get("key") == key:
            if answer not in question.get("answers", [answer]):
                answers = ", ".join(question["answers"])
                raise RequestError(f"'{answer}' is no answer to \"{question.get('text')}\"; {answers} are")
            return with_entry(document, "question", number, {**question, "answer": answer})
    raise RequestError(f"nothing is asked by the key '{key}'")
