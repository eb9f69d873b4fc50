"""Every JSON document says what it is: of which version, and after which schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.installation import SCHEMA_VERSION, VERSION
from silhouette.pages.tutorial.pages import TUTORIAL
from tests.support.commands import CHECK, QUICK, run, scene

Capture = pytest.CaptureFixture[str]

PROJECT = Path(__file__).resolve().parents[2]
STAMP = {"silhouette": VERSION, "schema": SCHEMA_VERSION}


def stamped(content: dict[str, Any]) -> bool:
    """Whether a document begins with what it is, and says more."""
    return list(content)[:2] == list(STAMP) and STAMP.items() < content.items()


@pytest.mark.parametrize("command", ["check", "matrix"])
def test_verdicts_of_a_scene(tmp_path: Path, capsys: Capture, command: str) -> None:
    found = run(capsys, command, scene(tmp_path, CHECK), "--json", *QUICK).document
    assert stamped(found)
    (entry,) = found["scenes"]
    assert not any(STAMP.keys() & row.keys() for row in entry["results"])


@pytest.mark.slow
def test_a_batch_is_told_of_in_a_document_and_its_rows_are_rows(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out.jsonl"
    assert stamped(run(capsys, "batch", scene(tmp_path, CHECK), "--out", out, "--json", *QUICK).document)
    (row,) = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert not STAMP.keys() & row.keys()


def test_models_and_rules(capsys: Capture) -> None:
    assert stamped(run(capsys, "inspect", PROJECT / "models/crate.toml", "--json").document)
    assert stamped(run(capsys, "rules", "--json").document)


@pytest.mark.long
def test_figures_and_pages(tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("matplotlib")
    file = PROJECT / "scenes/tide_of_iron/adjacent_units.toml"
    assert stamped(run(capsys, "draw", file, "--out", tmp_path / "figures", "--json").document)
    assert stamped(run(capsys, "report", file, "--out", tmp_path / "page.html", "--json").document)


def test_what_a_tutorial_keeps_of_itself(tmp_path: Path) -> None:
    TUTORIAL.write_facts(tmp_path, {"pages": []})
    assert stamped(json.loads((tmp_path / TUTORIAL.facts_file).read_text(encoding="utf-8")))
