"""MANY: the rows of a finished file read back, and the record that tells whether the file is complete.

A record is kept in the folder of the cache, under the name of the finished file: with which settings it was made, of
which scenes and in which state these were. Where it is lost, a batch that is resumed is judged anew.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from silhouette.batches.export import JSON_COLUMN, MARKED, KeptRow, load_pyarrow, text_of_cell
from silhouette.errors import FileError, SilhouetteError
from silhouette.files.cache import Cache
from silhouette.files.fingerprints import Fingerprints
from silhouette.files.reading import open_file
from silhouette.files.writing import replacing
from silhouette.scenes.finding import identity
from silhouette.text import json_text

MOST_RECORDS = 200
"""Records that are kept; the oldest go first."""


def read_rows(path: Path) -> list[KeptRow]:
    """The rows of a finished file, in order.

    Raises:
        FileError: where it cannot be read, or is no file of rows.
        SilhouetteError: where it is Parquet and pyarrow is missing.
    """
    try:
        rows = READERS[path.suffix.lower()](path)
    except OSError as error:
        raise FileError(path, f"cannot be read ({error.strerror or error})") from None
    except (ValueError, TypeError, csv.Error):
        rows = [KeptRow()]
    if not all(isinstance(row.get("scene"), str) for row in rows):
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
    if reader.fieldnames and "scene" not in reader.fieldnames:
        raise ValueError("it has no scenes")
    for cells in reader:
        if None in cells or None in cells.values():
            raise ValueError("a row has more or fewer cells than columns")
        row = KeptRow({name: text_of_cell(cell) or None for name, cell in cells.items()})
        for name in ("expected", "unmet"):
            if row.get(name):
                row[name] = json.loads(row[name])
        with suppress(ValueError, TypeError):  # a sentence then, or nothing
            row["error"] = float(row["error"]) if "error" in row else None
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
        elif not is_marked and field.name == "error" and field.type == pyarrow.string():
            with suppress(ValueError):  # sentences alone: shares of some rows would have made JSON of all
                _parse(rows, field.name)
    return rows


def _parse(rows: Sequence[KeptRow], column: str) -> None:
    """Makes values of the JSON in a column; of all of it, or of nothing where any of it is none."""
    values = [None if row[column] is None else json.loads(row[column]) for row in rows]
    for row, value in zip(rows, values, strict=True):
        row[column] = value


READERS: dict[str, Callable[[Path], list[KeptRow]]] = {
    ".jsonl": _json_lines,
    ".csv": _cells,
    ".parquet": _parquet_rows,
}
"""How rows are read, by the ending of the file."""


@dataclass(frozen=True)
class Record:
    """What a finished file was made of.

    Attributes:
        content: the hash of the file.
        settings: how its scenes were judged.
        scenes: each scene, by its one path (`silhouette.scenes.finding.identity`), with its fingerprint.
        folder: the folder from which its paths are seen.
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
            for record in records[:-MOST_RECORDS]:
                record.unlink(missing_ok=True)

    def is_of(self, settings: Mapping[str, Any], scenes: Sequence[str]) -> bool:
        """Whether the file is what these scenes come to with these settings, in the state that they are in now."""
        if self.settings != settings or list(self.scenes) != [identity(scene) for scene in scenes]:
            return False
        prints = Fingerprints()
        return all(
            fingerprint(prints, scene) == digest for scene, digest in zip(scenes, self.scenes.values(), strict=True)
        )


def record_of(out: Path) -> Record | None:
    """The record of a finished file; None where there is none, or where the file is not what it was."""
    try:
        record = Record(**json.loads(_place(out).read_bytes()))
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
