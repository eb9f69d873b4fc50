"""MANY: rows become a file, whole or not at all: JSON lines, CSV or Parquet, by its ending; and a report for CI."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4
from xml.etree import ElementTree

from silhouette.errors import FileError, SilhouetteError

Row = Mapping[str, Any]
FIRST = ("scene", "attacker", "target", "rules", "verdict", "expected", "reason", "error")
"""The first columns of a table, where they are there."""


def failed(row: Row) -> bool:
    """Whether a row tells of something that went wrong: its ``error`` is a sentence then, and not a share.

    >>> failed({"error": "duel.toml: not TOML"}), failed({"error": 0.002}), failed({})
    (True, False, False)
    """
    return isinstance(row.get("error"), str)


def check_table_path(path: Path) -> None:
    """Refuses early what `write_table` could not write.

    Raises:
        FileError: where the ending is not known.
        SilhouetteError: where Parquet is wanted and pyarrow is missing.
    """
    if path.suffix.lower() not in WRITERS:
        raise FileError(path, f"'{path.suffix}' is no known ending; rows are written to {', '.join(WRITERS)}")
    if path.suffix.lower() == ".parquet":
        _pyarrow()


def write_table(path: Path, rows: Iterable[Row]) -> None:
    """Writes all rows; until the last is written nothing appears under the name, and what was there stays.

    Raises:
        FileError: where it cannot be written.
    """
    write = WRITERS[path.suffix.lower()]
    _whole(path, lambda file: write(file, list(rows)))


def write_junit(path: Path, rows: Iterable[Row]) -> None:
    """Writes what CI systems show of each check: a test case per row, in a suite per scene.

    A row with an error is an error, one that is not as expected a failure, one that expects nothing is passed over.

    Raises:
        FileError: where it cannot be written.
    """
    root = ElementTree.Element("testsuites", name="silhouette")
    suites: dict[str, ElementTree.Element] = {}
    for row in rows:
        suite = suites.get(row["scene"])
        if suite is None:
            suite = suites[row["scene"]] = ElementTree.SubElement(root, "testsuite", name=row["scene"])
        name = " to ".join(str(row[key]) for key in ("attacker", "target") if row.get(key)) or row["scene"]
        case = ElementTree.SubElement(suite, "testcase", name=_clean(name), classname=row["scene"])
        if failed(row):
            ElementTree.SubElement(case, "error", message=_clean(row["error"]))
        elif row.get("expected") is False:
            broken = "; ".join(row.get("broken", ())) or "not as expected"
            ElementTree.SubElement(case, "failure", message=_clean(broken)).text = _clean(row.get("reason") or "")
        elif row.get("expected") is None:
            ElementTree.SubElement(case, "skipped", message="nothing is expected")
    for element in (*suites.values(), root):
        for kind, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            element.set(kind, str(sum(1 for _ in element.iter(tag))))
    text = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    _whole(path, lambda file: file.write(text + b"\n"))


def _clean(text: str) -> str:
    """The text without what XML cannot hold."""
    return "".join(each if each.isprintable() or each in "\t\n" else "?" for each in text)


def _whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Lets a file be written beside its place, and then moves it there in one step."""
    beside = path.with_name(f".{path.name}.{uuid4().hex[:8]}.part")
    try:
        with beside.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise FileError(path, f"cannot be written ({error.strerror or error}); name a place that can") from None
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def columns(rows: Sequence[Row]) -> list[str]:
    """The names of all columns of the rows: those everybody looks for first, the others as they come.

    >>> columns([{"verdict": "open", "seen": 1}, {"scene": "duel.toml", "error": "gone"}])
    ['scene', 'verdict', 'error', 'seen']
    >>> columns([])
    []
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return [name for name in FIRST if name in names] + [name for name in names if name not in FIRST]


def _jsonl(file: BinaryIO, rows: Sequence[Row]) -> None:
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n")


def _csv(file: BinaryIO, rows: Sequence[Row]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    names = columns(rows)
    writer.writerow(names)
    writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
    text.detach()


def _cell(value: Any) -> Any:
    """A value as a cell: nothing for null, JSON for lists and truth values, so that it can be read back."""
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else value


def _parquet(file: BinaryIO, rows: Sequence[Row]) -> None:
    """Lists and tables keep their shape where all rows agree in it; else they are JSON."""
    pyarrow = _pyarrow()
    from pyarrow import parquet

    table = {}
    for name in columns(rows):
        values = [row.get(name) for row in rows]
        try:
            table[name] = pyarrow.array(values)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
            told = [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]
            table[name] = pyarrow.array(told)
    parquet.write_table(pyarrow.table(table), file)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise SilhouetteError(
            "Parquet needs pyarrow, which is not installed; pip install 'silhouette[batch]', or write .jsonl or .csv"
        ) from None
    return pyarrow


WRITERS: dict[str, Callable[[BinaryIO, Sequence[Row]], None]] = {".jsonl": _jsonl, ".csv": _csv, ".parquet": _parquet}
"""How rows are written, by the ending of the file."""
