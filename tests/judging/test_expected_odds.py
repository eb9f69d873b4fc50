"""JUDGE: what a scene expects of odds counts where odds are asked for, and only there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import run

BODY = [{"box": [12, 12, 30]}]


def expecting(folder: Path, **expect: Any) -> Path:
    """A scene in which half of Vex is hidden, within a tenth of a millimetre; what its check expects."""
    document = {
        "rules": "necromunda",
        "fighter": [
            {"name": "Kal", "at": [0, 0], "parts": BODY, "eye": [0, 6, 15]},
            {"name": "Vex", "at": [0, 200], "parts": BODY},
        ],
        "terrain": [{"name": "wall", "at": [-30, 185], "parts": [{"box": [60, 5, 40]}]}],
        "check": [{"attacker": "Kal", "target": "Vex", "expect": expect}],
    }
    path = folder / "half.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.long
@pytest.mark.parametrize(
    ("expect", "status"),
    [
        ({"call": "roll off", "doubt_from": "place", "odds_error": [0, 0.025], "trials": [128, 2048]}, 0),
        ({"call": "full cover"}, 1),
        ({"in_arc": True, "trials": 7}, 1),
    ],
)
def test_what_is_expected_of_odds_counts_where_they_are_asked_for(
    expect: dict[str, Any], status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = expecting(tmp_path, **expect)
    assert run(capsys, "check", scene, "--quiet").status == 0
    assert run(capsys, "check", scene, "--quiet", "--odds", "--workers", "1").status == status


@pytest.mark.long
def test_it_counts_in_a_batch_as_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene, rows = expecting(tmp_path, call="full cover"), tmp_path / "rows.jsonl"
    words = ("--out", rows, "--quiet", "--expect", "--workers", "1")
    assert run(capsys, "batch", scene, *words, "--odds").status == 1
    assert json.loads(rows.read_text())["expected"] is False


def test_nothing_else_is_expected_of_odds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "check", expecting(tmp_path, cal="roll off"))
    assert ran.status == 2
    assert "no result is called 'cal'; did you mean 'call'?" in ran.err
