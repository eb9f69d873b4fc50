"""MANY: the rows of a finished file, the record that tells whether it is complete, and its failed rows again."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from silhouette.batches.export import JSON_COLUMN, MARKED, SCENE_FIELD, KeptRow, failed, load_pyarrow, text_of_cell
from silhouette.batches.journal import Journal, difference
from silhouette.common.errors import FileError, RequestError, SilhouetteError
from silhouette.common.text import Row, json_text
from silhouette.files.cache import Cache
from silhouette.files.fingerprints import Fingerprints
from silhouette.files.reading import open_file
from silhouette.files.writing import replacing
from silhouette.judging.judge import EXPECTED, UNMET
from silhouette.rules.fields import ERROR, MARGINAL
from silhouette.scenes.finding import identity

MAX_RECORDS = 200  # records that are kept; the oldest go first


def read_rows(path: Path) -> list[KeptRow]:
    """The rows of a finished file, in order.

    Raises FileError if it cannot be read, or is no file of rows; SilhouetteError if it is Parquet and pyarrow is
    missing.
    """
    try:
        rows = READERS[path.suffix.lower()](path)
    except OSError as error:
        raise FileError(path, f"cannot be read ({error.strerror or error})") from None
    except (ValueError, TypeError, csv.Error):
        rows = [KeptRow()]
    if not all(isinstance(row.get(SCENE_FIELD.key), str) for row in rows):
        raise FileError(path, "is no file that a batch wrote; its rows have no scene")
    return rows


def _content(path: Path) -> bytes:
    with open_file(path) as file:
        return file.read()


def _json_lines(path: Path) -> list[KeptRow]:
    rows = []
    for line in _content(path).splitlines(keepends=True):
        row = KeptRow(json.loads(line))
        row.written = line
        rows.append(row)
    return rows


def _cells(path: Path) -> list[KeptRow]:
    """The rows of a table. Of its cells, those are read that a summary and a JUnit file need; others stay texts."""
    rows = []
    reader = csv.DictReader(io.StringIO(_content(path).decode(), newline=""), strict=True)
    if reader.fieldnames and SCENE_FIELD.key not in reader.fieldnames:
        raise ValueError("it has no scenes")
    for cells in reader:
        if None in cells or None in cells.values():
            raise ValueError("a row has more or fewer cells than columns")
        row = KeptRow({name: text_of_cell(cell) or None for name, cell in cells.items()})
        for field in (EXPECTED, UNMET, MARGINAL):
            if row.get(field.key):
                row[field.key] = json.loads(row[field.key])
        with suppress(ValueError, TypeError):  # a sentence then, or nothing
            row[ERROR.key] = float(row[ERROR.key]) if ERROR.key in row else None
        row.written = cells
        rows.append(row)
    return rows


def _parquet_rows(path: Path) -> list[KeptRow]:
    pyarrow = load_pyarrow()
    from pyarrow import parquet

    try:
        table = parquet.read_table(pyarrow.BufferReader(_content(path)))
    except pyarrow.ArrowException as error:
        raise ValueError(str(error)) from None
    rows = [KeptRow(row) for row in table.to_pylist()]
    is_marked = (table.schema.metadata or {}).keys() >= MARKED.keys()
    for field in table.schema:
        if (field.metadata or {}).items() >= JSON_COLUMN.items():
            _parse(rows, field.name)
        elif not is_marked and field.name == ERROR.key and field.type == pyarrow.string():
            with suppress(ValueError):  # sentences alone: shares of some rows would have made JSON of all
                _parse(rows, field.name)
    return rows


def _parse(rows: Sequence[KeptRow], column: str) -> None:
    """Makes values of the JSON in a column; of all of it, or of nothing where any of it is none."""
    values = [None if row[column] is None else json.loads(row[column]) for row in rows]
    for row, value in zip(rows, values, strict=True):
        row[column] = value


READERS: dict[str, Callable[[Path], list[KeptRow]]] = {".jsonl": _json_lines, ".csv": _cells, ".parquet": _parquet_rows}
"""How rows are read, by the ending of the file."""


@dataclass(frozen=True)
class FinishedRecord:
    """What a finished file was made of: its hash, how its scenes were judged, and the folder from which its paths are
    seen.
    """

    content: str
    settings: Mapping[str, Any]
    scenes: Mapping[str, str]
    folder: str

    def keep(self, out: Path) -> None:
        """Keeps the record of a file; where that fails, the file is judged anew when it is resumed."""
        place = _place(out)
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            with replacing(place, sync=False) as file:
                file.write(json_text(asdict(self)).encode())
            records = sorted(place.parent.glob("*.json"), key=lambda record: record.stat().st_mtime)
            for record in records[:-MAX_RECORDS]:
                record.unlink(missing_ok=True)

    def is_of(self, settings: Mapping[str, Any], scenes: Sequence[str]) -> bool:
        """Whether the file is what these scenes come to with these settings, in the state that they are in now."""
        if self.settings != settings or list(self.scenes) != [identity(scene) for scene in scenes]:
            return False
        prints = Fingerprints()
        return all(
            fingerprint(prints, scene) == digest for scene, digest in zip(scenes, self.scenes.values(), strict=True)
        )


def record_of(out: Path) -> FinishedRecord | None:
    """The record of a finished file; None where there is none, or where the file is not what it was."""
    try:
        record = FinishedRecord(**json.loads(_place(out).read_bytes()))
        return record if record.content == content_of(out) else None
    except (OSError, ValueError, TypeError):
        return None


def content_of(out: Path) -> str:
    """The hash of a file."""
    with out.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def fingerprint(prints: Fingerprints, scene: str) -> str:
    """The fingerprint of a scene; empty where it cannot be read."""
    try:
        return prints.of(Path(scene))
    except (OSError, SilhouetteError):
        return ""


def _place(out: Path) -> Path:
    name = hashlib.blake2b(identity(out).encode(errors="surrogateescape"), digest_size=16).hexdigest()
    return (Cache.default().directory or Path()) / "finished" / f"{name}.json"


# ---- failed rows judged again

_UNCHANGED_ROW = {"kept": True}  # in the journal, the row of a check whose row in the finished file stays


class Repair:
    """A finished file whose failed rows are judged again.

    A scene that has another number of checks now, or that has changed since, as far as that is known, is judged anew
    with all of its checks. Rows of other scenes than those of this batch stay as they are.

    Attributes:
        options: how its scenes are judged, and the hash of the finished file: a journal is of one file alone.
        scenes: the paths, of this batch, of the scenes with a failed row.

    Raises:
        RequestError: where there is no such file, it is known to have been judged otherwise, or its failed rows are of
            other scenes.
        FileError: where it cannot be read.
    """

    def __init__(self, out: Path, options: Mapping[str, Any], scenes: Sequence[str]) -> None:
        if not out.is_file():
            raise RequestError(
                f"{out}: there is no finished file whose failed rows could be judged again; leave --retry-errors out"
            )
        self._out = out
        self.options = {**options, "retried": content_of(out)}
        self._is_table = out.suffix.lower() != ".jsonl"
        self._record = record_of(out)
        if self._record is not None and self._record.settings != options:
            otherwise = difference(self._record.settings, options)
            raise RequestError(f"{out}: it was judged {otherwise}; give the options as before")
        self._rows: dict[str, list[KeptRow]] = {}
        for row in read_rows(out):
            self._rows.setdefault(row[SCENE_FIELD.key], []).append(row)
        bad = [name for name, rows in self._rows.items() if any(map(failed, rows))]
        folder = self._record.folder if self._record is not None else os.curdir
        paths = {identity(scene): scene for scene in scenes}
        names = {identity(Path(folder, name)): name for name in bad}
        self._names = {paths[path]: names[path] for path in names if path in paths}
        self.scenes = list(self._names)
        if bad and not self.scenes:
            raise RequestError(f"{out}: its failed rows are of other scenes, such as {bad[0]}; give these")

    def is_complete(self) -> bool:
        """Whether there is nothing to do; False where any row has failed."""
        return not self.scenes

    def store(self, journal: Journal) -> Journal:
        """The journal, in which checks that did not fail are marked as judged when their scene is opened."""
        journal.opened = partial(self._mark, journal)
        for scene in journal.scenes.keys() & self._names.keys():  # a batch that was killed may not have marked all
            self._mark(journal, scene)
        return journal

    def _mark(self, journal: Journal, scene: str) -> None:
        progress, rows = journal.scenes[scene], self._rows[self._names[scene]]
        before = "" if self._record is None else self._record.scenes.get(identity(scene), "")
        if progress.digest and progress.checks == len(rows) and before in ("", progress.digest):
            for check, row in enumerate(rows):
                if not failed(row) and check not in progress.judged:
                    journal.add(scene, check, _UNCHANGED_ROW)

    def rows(self, journal: Journal) -> RepairedRows:
        """All rows of the file, in its order, with the new ones in their places."""
        header = dict.fromkeys(name for rows in self._rows.values() for row in rows for name in row)
        blank = header if self._is_table else {}
        return RepairedRows(self._rows, {name: scene for scene, name in self._names.items()}, journal, blank)

    def record(self, journal: Journal) -> FinishedRecord | None:
        """The record of the repaired file; None where the state of the kept rows is not known."""
        if self._record is None:
            return None
        new = {identity(scene): journal.scenes[scene].digest for scene in self.scenes}
        scenes = {scene: new.get(scene) or digest for scene, digest in self._record.scenes.items()}
        return replace(self._record, content=content_of(self._out), scenes=scenes)


@dataclass(frozen=True)
class RepairedRows:
    """All rows of a repaired file, in its order; read anew by each iteration."""

    before: Mapping[str, Sequence[KeptRow]]
    scenes: Mapping[str, str]
    journal: Journal
    blank: Row

    def __iter__(self) -> Iterator[Row]:
        for name, rows in self.before.items():
            scene = self.scenes.get(name)
            progress = self.journal.scenes[scene] if scene is not None else None
            if scene is None or progress is None or (not progress.digest and not all(map(failed, rows))):
                yield from rows  # also where the scene cannot be opened now, but some of its checks were judged
                continue
            for check in sorted(progress.judged):
                row = self.journal.row(scene, check)
                yield rows[check] if row == _UNCHANGED_ROW else {**self.blank, SCENE_FIELD.key: name, **row}
