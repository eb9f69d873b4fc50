"""MANY: rows become a file, whole or not at all: JSON lines, CSV or Parquet, by its ending, or JUnit for CI systems."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from os.path import realpath
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO
from xml.etree import ElementTree

from silhouette.common.errors import FileError, SilhouetteError
from silhouette.common.installation import VERSION, extra_command
from silhouette.common.text import Row, json_text
from silhouette.files.writing import replacing
from silhouette.judging.judge import EXPECTED, UNMET
from silhouette.rules.fields import ARC, ATTACKER_FIELD, ERROR, REASON, TARGET_FIELD, VERDICT, WHO_FIELDS, ResultField

# ---- rows

SCENE_FIELD = ResultField("scene", str, "the path of the scene")
PROBLEM = ResultField("problem", str, "why it could not be judged", optional=True)

LEADING_COLUMNS = tuple(field.key for field in (SCENE_FIELD, *WHO_FIELDS, VERDICT, EXPECTED, REASON, PROBLEM, ERROR))
"""The first columns of a table, if they are there."""


def problem_of(row: Row) -> str | None:
    """Why a check could not be judged, None where it was; before 0.3 the sentence was its ``error``.

    >>> rows = failed_row("no TOML"), {"error": "gone"}, {"error": 0.002, "problem": None}, {}
    >>> [problem_of(row) for row in rows]
    ['no TOML', 'gone', None, None]
    """
    sentences = (row.get(field.key) for field in (PROBLEM, ERROR))
    return next((sentence for sentence in sentences if isinstance(sentence, str)), None)


def pair_of(row: Row) -> str:
    """The attacker and the target in words; empty if a row names neither.

    >>> pair_of({"attacker": "Kal", "target": "Vex"}), pair_of({"attacker": [0, 1]}), pair_of({})
    ('Kal to Vex', '[0, 1]', '')
    """
    return " to ".join(str(name) for name in (row.get(ATTACKER_FIELD.key), row.get(TARGET_FIELD.key)) if name)


def failed(row: Row) -> bool:
    """Whether a row reports a failure."""
    return problem_of(row) is not None


def failed_row(problem: str) -> dict[str, Any]:
    """The keys of a row that reports a failure: until 0.4 ``error`` has the sentence as well.

    >>> failed_row("duel.toml: not TOML")
    {'problem': 'duel.toml: not TOML', 'error': 'duel.toml: not TOML'}
    """
    return {PROBLEM.key: problem, ERROR.key: problem}


# ---- tables

_FORMULA = re.compile("'*[-=+@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]")
# Every control character but the tab and the newline, which a cell may have; those that have no picture are question
# marks.
_CONTROL_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_CONTROL_PICTURES |= {0x7F: 0x2421, **dict.fromkeys(range(0x80, 0xA0), ord("?"))}

JSON_COLUMN = {b"silhouette": b"json"}  # what the metadata of a Parquet column say whose values are JSON

MARKED = {b"silhouette": VERSION.encode()}
"""What the metadata of a Parquet file say in which such columns are marked; those of 0.1 are not."""


class KeptRow(dict[str, Any]):
    """A row that was read back from a finished file, and is written again as it stood there."""

    # The line of a .jsonl file, or the cells of a .csv file by their column; None in a .parquet file
    written: Any = None


def check_table_path(path: Path) -> None:
    """Refuses a path that `write_table` could not write, before anything is judged."""
    if path.suffix.lower() not in TABLE_WRITERS:
        raise FileError(path, f"'{path.suffix}' is no known ending; rows are written to {', '.join(TABLE_WRITERS)}")
    if path.suffix.lower() == ".parquet":
        load_pyarrow()


def check_outputs(out: Path, junit: Path | None, scenes: Iterable[str]) -> None:
    """Refuses files of which one would be written over another, or over a scene, before anything is judged."""
    if junit is None:
        written = {realpath(out)}
    else:
        if junit.suffix.lower() != ".xml":
            raise FileError(junit, f"'{junit.suffix}' is no known ending; a JUnit file ends in .xml")
        if realpath(junit) == realpath(out):
            raise FileError(junit, "is the file for the rows as well; name another file for one of them")
        written = {realpath(out), realpath(junit)}
    for scene in scenes:
        if realpath(scene) in written:
            raise FileError(scene, "is a scene that is to be judged, and would be written over; name another file")


def write_table(path: Path, rows: Iterable[Row]) -> None:
    """Writes all rows; until the last is written nothing appears under the name, and an older file stays.

    No other process writes it at the same time. The rows are iterated over more than once; only Parquet holds them all
    in memory. FileError where it cannot be written.
    """
    write = TABLE_WRITERS[path.suffix.lower()]
    write_whole(path, lambda file: write(file, rows))


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Writes a file of a batch, whole or not at all; the error says how the batch goes on."""
    try:
        with replacing(path) as file:
            write(file)
    except OSError as error:
        raise FileError(
            path, f"cannot be written ({error.strerror or error}); put that right, then go on with --resume"
        ) from None


def columns(rows: Iterable[Row]) -> list[str]:
    """The names of all columns of the rows: those of `LEADING_COLUMNS`, then the others in the order of their first
    row.

    A file of which every failed row was judged again has no column ``problem``, as if none had failed.

    >>> columns([{"verdict": "open", "seen": 1}, {"scene": "a", "error": "gone"}]), columns([{"problem": None}])
    (['scene', 'verdict', 'error', 'seen'], [])
    """
    names = dict.fromkeys(name for row in rows for name in row if name != PROBLEM.key or row[name] is not None)
    return [name for name in LEADING_COLUMNS if name in names] + [name for name in names if name not in LEADING_COLUMNS]


def _json(value: Any) -> str:
    """The value as JSON, with question marks in text that is no Unicode, such as a file's name in another encoding."""
    text = json_text(value, ensure_ascii=False)
    return text.encode(errors="replace").decode()


def _jsonl(file: BinaryIO, rows: Iterable[Row]) -> None:
    for row in rows:
        file.write(row.written if isinstance(row, KeptRow) else _json(row).encode() + b"\n")


def _csv(file: BinaryIO, rows: Iterable[Row]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    writer = csv.writer(text)
    names = columns(rows)
    writer.writerow(names)
    for row in rows:
        if isinstance(row, KeptRow):
            writer.writerow([row.written.get(name, "") for name in names])
        else:
            writer.writerow([cell(row.get(name)) for name in names])
    text.flush()
    text.detach()


def cell(value: Any) -> Any:
    """A value as a cell: nothing for null, JSON for lists and truth values, so that it can be read back.

    A spreadsheet takes a text that begins with a sign of a formula for one, and runs it. Such a text gets an apostrophe
    in front, by which spreadsheets know that it is none; and so does one that begins with an apostrophe and then such a
    sign, so that a reader who drops the first gets back what was there. Control characters are shown as pictures.

    >>> cell("=1+1"), cell("'=1+1"), cell(-0.5), cell("Kal\\x1b[31m"), cell(None)
    ("'=1+1", "''=1+1", -0.5, 'Kal␛[31m', '')
    """
    if isinstance(value, bool | list | dict):
        return _json(value).translate(_CONTROL_PICTURES)
    if isinstance(value, str):
        return ("'" if _FORMULA.match(value) else "") + value.translate(_CONTROL_PICTURES)
    return "" if value is None else value


def text_of_cell(written: str) -> str:
    """The text that `cell` wrote, but for control characters, which stay pictures.

    >>> [text_of_cell(str(cell(text))) for text in ("=1+1", "'=1+1", "it's", "'")]
    ['=1+1', "'=1+1", "it's", "'"]
    """
    return written[1:] if written.startswith("'") and _FORMULA.match(written) else written


def _parquet(file: BinaryIO, rows: Iterable[Row]) -> None:
    """Lists and tables keep their shape where all rows agree in it; else they are JSON, and the column is marked so."""
    pyarrow = load_pyarrow()
    from pyarrow import parquet

    every = [json.loads(_json(row)) for row in rows]
    arrays, fields = [], []
    for name in columns(every):
        array, is_json = _column(pyarrow, [row.get(name) for row in every])
        arrays.append(array)
        fields.append(pyarrow.field(name, array.type, metadata=JSON_COLUMN if is_json else None))
    parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields, MARKED)), file)


def _column(pyarrow: Any, values: Sequence[Any]) -> tuple[Any, bool]:
    """The array of a column, and whether its values are JSON."""
    try:
        column = pyarrow.array(values)
        if "struct<>" not in str(column.type):  # a table without keys, which Parquet cannot hold
            return column, False
    except (pyarrow.ArrowException, OverflowError):
        pass
    if all(value is None or isinstance(value, str) for value in values):
        return pyarrow.array(values, pyarrow.string()), False
    return pyarrow.array([None if value is None else _json(value) for value in values]), True


def load_pyarrow() -> Any:
    """The module pyarrow; SilhouetteError where it is not installed."""
    try:
        import pyarrow
    except ImportError:
        raise SilhouetteError(
            "Parquet needs pyarrow, which is not installed; "
            f"write .jsonl or .csv, or install it with: {extra_command('parquet')}"
        ) from None
    return pyarrow


TABLE_WRITERS: dict[str, Callable[[BinaryIO, Iterable[Row]], None]] = {
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".parquet": _parquet,
}
"""How rows are written, by the ending of the file."""


# ---- JUnit


def write_junit(
    path: Path, rows: Iterable[Row], seconds: Mapping[tuple[str, int], float] = MappingProxyType({})
) -> None:
    """Writes a JUnit file: a test case per row, in a suite per scene, whose rows follow each other.

    A failed row is an error, an unmet expectation a failure, and a check without an expectation is skipped. ``seconds``
    says how long checks took, by scene and number from 0; of those that it lacks, no time is written.

    Raises FileError if it cannot be written.
    """
    root = ElementTree.Element("testsuites", name="silhouette")
    suites: dict[str, ElementTree.Element] = {}
    names: dict[str, TestNames] = {}
    for row in rows:
        path_of_scene = row.get(SCENE_FIELD.key, "")
        scene = _clean(path_of_scene)
        if scene not in suites:
            suites[scene] = ElementTree.SubElement(root, "testsuite", name=scene)
            names[scene] = TestNames()
        name = names[scene].next(_clean(pair_of(row)), _clean(row.get(ARC.key) or ""))
        case = ElementTree.SubElement(suites[scene], "testcase", name=name, classname=scene)
        time = seconds.get((path_of_scene, len(suites[scene]) - 1))
        if time is not None:
            case.set("time", f"{time:.4f}")
        tag, message, more = _outcome(row)
        if tag:
            ElementTree.SubElement(case, tag, message=_clean(message)).text = _clean(more) or None
    for element in (*suites.values(), root):
        for attribute, tag in COUNTERS.items():
            element.set(attribute, str(sum(1 for _ in element.iter(tag))))
        times = [float(case.get("time", 0.0)) for case in element.iter("testcase") if "time" in case.attrib]
        if times:
            element.set("time", f"{sum(times):.4f}")
    text = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    write_whole(path, lambda file: file.write(text + b"\n"))


COUNTERS = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
"""The attributes of a suite that say how many elements of a kind there are in it."""


def _outcome(row: Row) -> tuple[str, str, str]:
    """What a JUnit file says of a check: the element, its message and its text; all empty for one that passed."""
    expected = row.get(EXPECTED.key)
    if expected is False:
        return "failure", "; ".join(row.get(UNMET.key) or ()) or "not as expected", row.get(REASON.key) or ""
    if failed(row):
        return "error", problem_of(row) or "", ""
    return ("skipped", "nothing is expected", "") if expected is None else ("", "", "")


class TestNames:
    """The names of the test cases of one scene: no two are the same, and they do not depend on any verdict.

    >>> names = TestNames()
    >>> names.next("Kal to Vex"), names.next("Kal to Vex", "right"), names.next(""), names.next("Kal to Vex")
    ('Kal to Vex', 'Kal to Vex, right arc', 'check 3', 'Kal to Vex (2)')
    """

    __test__ = False  # for pytest

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._checks = 0

    def next(self, pair: str, arc: str = "") -> str:
        """The name of the next check: who looks at whom, and the arc, if any; its number where nobody looks."""
        self._checks += 1
        plain = (pair or f"check {self._checks}") + (f", {arc} arc" if arc else "")
        name, times = plain, 1
        while name in self._given:
            times += 1
            name = f"{plain} ({times})"
        self._given.add(name)
        return name


def _clean(text: str) -> str:
    return "".join(letter if letter.isprintable() or letter in "\t\n" else "?" for letter in text)
