"""Rows as files: what was written is read back, whatever stands in it, and nothing is ever half there."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from silhouette import FileError, SilhouetteError
from silhouette.batches.export import check_table_path, write_junit, write_table

NASTY = 'Kąl, "the\nRed"; 🎲 =1+1\t'

ROWS: list[dict[str, Any]] = [
    {
        "scene": f"{NASTY}.toml",
        "attacker": NASTY,
        "target": "Vex",
        "rules": "necromunda",
        "verdict": "partial cover",
        "occluded": 1 / 3,
        "target_pixels": 18204,
        "marginal": False,
        "blockers": [{"name": NASTY, "occluded": 0.25}],
        "could_be": ["partial cover"],
        "expected": None,
    },
    {"scene": "b.toml", "attacker": [0, 1], "target": [2, -1], "verdict": "visible", "expected": True, "empty": {}},
    {
        "scene": "b.toml",
        "attacker": "Kal",
        "verdict": "open",
        "expected": False,
        "unmet": ["verdict is open, not hidden"],
    },
    {"scene": "c.toml", "error": "c.toml: not TOML"},
]


def test_json_lines_are_read_back(tmp_path: Path) -> None:
    write_table(tmp_path / "out.jsonl", ROWS)
    text = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    assert [json.loads(line) for line in text.splitlines()] == ROWS
    assert "🎲" in text


def test_csv_is_read_back(tmp_path: Path) -> None:
    write_table(tmp_path / "out.csv", ROWS)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(ROWS)
    assert rows[0]["attacker"] == NASTY
    assert rows[0]["scene"] == f"{NASTY}.toml"
    assert float(rows[0]["occluded"]) == 1 / 3
    assert json.loads(rows[0]["blockers"]) == ROWS[0]["blockers"]
    assert (rows[0]["marginal"], rows[0]["expected"], rows[1]["expected"]) == ("false", "", "true")
    assert json.loads(rows[1]["attacker"]) == [0, 1]
    assert rows[3]["error"] == "c.toml: not TOML"
    assert list(rows[0])[:8] == ["scene", "attacker", "target", "rules", "verdict", "expected", "error", "occluded"]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "''@", '=HYPERLINK("http://x","y")', "\uff1d1+1"],
)
def test_no_cell_of_text_is_a_formula_and_each_is_read_back(tmp_path: Path, text: str) -> None:
    write_table(tmp_path / "out.csv", [{"scene": text, "attacker": text, "error": text, "reason": f"it is {text}"}])
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    shown = text.replace("\r", "\u240d")
    assert [row["scene"], row["attacker"], row["error"]] == [f"'{shown}"] * 3
    assert row["reason"] == f"it is {shown}"


def test_numbers_stay_numbers_and_control_characters_become_pictures(tmp_path: Path) -> None:
    row = {
        "attacker": [-1, 0],
        "occluded": -0.5,
        "modifier": -2,
        "target": "V\x1b[31m\x00\x7f\x85x",
        "verdict": "'open'",
    }
    write_table(tmp_path / "out.csv", [row])
    text = (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert text.splitlines()[1] == "\"[-1, 0]\",V\u241b[31m\u2400\u2421?x,'open',-0.5,-2"


def test_parquet_is_read_back(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write_table(tmp_path / "out.parquet", ROWS)
    rows = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert rows[0]["blockers"] == ROWS[0]["blockers"]
    assert rows[0]["occluded"] == 1 / 3
    assert [row["expected"] for row in rows] == [None, True, False, None]
    assert [json.loads(row["attacker"]) for row in rows[:3]] == [NASTY, [0, 1], "Kal"]
    assert rows[1]["empty"] == "{}"


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_what_no_column_and_no_text_can_hold_is_written_all_the_same(tmp_path: Path, ending: str) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    odd = [{"scene": "caf\udce9.toml", "huge": 10**30, "mixed": 1}, {"scene": "b.toml", "huge": 1, "mixed": ["\ud800"]}]
    write_table(tmp_path / f"out.{ending}", odd)
    assert b"caf?.toml" in (tmp_path / f"out.{ending}").read_bytes()


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_no_rows_are_a_file_as_well(tmp_path: Path, ending: str) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    write_table(tmp_path / f"out.{ending}", [])
    assert (tmp_path / f"out.{ending}").is_file()


def test_what_was_there_stays_until_all_is_written(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("before")

    def broken() -> Iterator[dict[str, Any]]:
        yield {"scene": "a.toml"}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_table(out, broken())
    assert out.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_place_that_cannot_be_written_is_a_plain_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot be written \(No such file or directory\)"):
        write_table(tmp_path / "no" / "out.jsonl", ROWS)
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(FileError, match=r"cannot be written"):
        write_table(tmp_path / "out.csv", ROWS)
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_an_ending_that_is_not_known_is_refused_early(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"'\.xlsx' is no known ending; rows are written to \.jsonl, \.csv, \.parquet"):
        check_table_path(tmp_path / "out.xlsx")


def test_parquet_without_pyarrow_is_refused_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(SilhouetteError, match=r"write \.jsonl or \.csv, or install it with: .*\[parquet\]"):
        check_table_path(tmp_path / "out.parquet")


def test_junit_is_read_back(tmp_path: Path) -> None:
    write_junit(tmp_path / "out.xml", [*ROWS, {"scene": "d\x00\ud800.toml", "error": "\x1b[31m"}])
    root = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert root.tag == "testsuites"
    assert {key: root.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5",
        "failures": "1",
        "errors": "2",
        "skipped": "1",
    }
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == [f"{NASTY}.toml", "b.toml", "c.toml", "d??.toml"]
    assert [case.get("name") for case in suites["b.toml"]] == ["[0, 1] to [2, -1]", "Kal"]
    (failure,) = suites["b.toml"].iter("failure")
    assert failure.get("message") == "verdict is open, not hidden"
    (error,) = suites["c.toml"].iter("error")
    assert error.get("message") == "c.toml: not TOML"
    assert {suite.get("tests") for suite in suites.values()} == {"1", "2"}


def test_names_in_junit_are_unique_and_do_not_depend_on_the_verdicts(tmp_path: Path) -> None:
    pairs = [("Kal", "Vex", None), ("Kal", "Vex", "right"), ("Kal", "Vex", None), ("Kal", "Vex (2)", None), (None,) * 3]
    rows = [{"scene": "a.toml", "attacker": a, "target": b, "arc": arc, "expected": True} for a, b, arc in pairs]
    wrong = [{**row, "expected": False, "verdict": "hidden"} for row in rows[:-1]] + [{"scene": "a.toml", "error": "!"}]
    names = []
    for content in (rows, wrong):
        write_junit(tmp_path / "out.xml", content)
        names.append([case.get("name") for case in ElementTree.parse(tmp_path / "out.xml").getroot().iter("testcase")])
    assert names[0] == names[1]
    assert names[0] == ["Kal to Vex", "Kal to Vex, right arc", "Kal to Vex (2)", "Kal to Vex (2) (2)", "check 5"]
