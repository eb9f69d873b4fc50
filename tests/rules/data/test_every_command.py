"""A game file of the user's own, the one in the page on games by data, serves every command like a game that ships."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import run

PAGE = Path(__file__).resolve().parents[3] / "silhouette" / "rules" / "data" / "README.md"
QUICK = ("--pixel", "0.5", "--no-cache", "--quiet")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def duel(tmp_path: Path) -> Path:
    """The scene of the page, beside its game."""
    game, scene = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[:2]
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "mine.toml").write_text(game, encoding="utf-8")
    path = tmp_path / "duel.toml"
    path.write_text(scene, encoding="utf-8")
    return path


def checked(capsys: Capture, *words: str | Path) -> list[dict[str, Any]]:
    """The results of a check whose expectations hold."""
    ran = run(capsys, "check", *words, "--json", *QUICK)
    assert (ran.status, ran.complaints) == (0, [])
    (scene,) = ran.document["scenes"]
    results: list[dict[str, Any]] = scene["results"]
    return results


def test_check_says_what_the_page_says(duel: Path, capsys: Capture) -> None:
    (result,) = checked(capsys, duel)
    assert (result["rules"], result["verdict"], result["line_of_sight"]) == ("games/mine.toml", "cover", True)
    assert result["reason"] == (
        "cover: a line from base to base crosses the ruin, which is within 1 inch of Vex (0.2 inch) (clause 2)"
    )
    first, second = result["clauses"]
    assert (first["number"], first["holds"], first["values"]["crossed"]) == ("2", True, True)
    assert first["values"]["distance"] == pytest.approx(5.0, abs=0.01)
    assert (second["number"], second["values"]) == ("1", {"line": True})
    assert [one["name"] for one in result["blockers"]] == ["ruin"]


def test_matrix_and_batch_give_the_same_rows(duel: Path, capsys: Capture) -> None:
    rows = duel.parent / "rows.jsonl"
    assert run(capsys, "batch", duel, "--out", rows, *QUICK).status == 0
    (row,) = map(json.loads, rows.read_text(encoding="utf-8").splitlines())
    (result,) = checked(capsys, duel)
    assert {**result, "scene": row["scene"]} == row
    ran = run(capsys, "matrix", duel, "--json", *QUICK)
    (scene,) = ran.document["scenes"]
    assert [one["verdict"] for one in scene["results"]] == ["cover", "open"]


@pytest.mark.long
def test_odds_and_what_would_change_it(duel: Path, capsys: Capture) -> None:
    (result,) = checked(capsys, duel, "--odds", "--what-if")
    assert (result["odds"], result["call"]) == ({"open": 0.0, "cover": 1.0, "hidden": 0.0}, "cover")
    # The ruin reaches from 171 to 179 mm; farther than an inch, the base of Vex begins at more than 204.4.
    move, *_, gone = result["changes"]
    assert (move["what"], move["verdict"]) == ("move target", "open")
    assert move["mm"] == pytest.approx(204.4 - 184.0, abs=0.25)
    assert gone == {"what": "without", "piece": "ruin", "verdict": "open"}


def test_a_map_says_of_each_place_what_check_says_there(duel: Path, capsys: Capture) -> None:
    ran = run(
        capsys, "map", duel, "--move", "Vex", "--within", "80", "--out", duel.parent / "map.json", "--json", *QUICK
    )
    assert ran.document["verdicts"] == ["open", "cover", "hidden"]
    cells = [cell for cell in ran.document["cells"] if cell["stands"]]
    assert len({cell["verdict"] for cell in cells}) > 1
    for cell in cells:
        x, y, _ = cell["at"]
        ran = run(capsys, "check", duel, "--at", f"Vex={x},{y}", "--json", *QUICK)
        assert ran.document["scenes"][0]["results"][0]["verdict"] == cell["verdict"]


@pytest.mark.long
def test_figures_reports_bundles_and_exports(duel: Path, capsys: Capture) -> None:
    folder = duel.parent
    assert run(capsys, "draw", duel, "--out", folder / "figures", *QUICK).status == 0
    assert {file.stem.rpartition("-")[2] for file in (folder / "figures").iterdir()} == {"plan", "eye", "side"}
    assert run(capsys, "report", duel, "--out", folder / "report.html", *QUICK).status == 0
    assert "crosses the ruin" in (folder / "report.html").read_text(encoding="utf-8")
    assert run(capsys, "bundle", duel, "--out", folder / "duel.zip", "--no-cache", "--quiet").status == 0
    (folder / "games" / "mine.toml").rename(folder / "games" / "gone.toml")
    assert "every verdict and number is the same" in run(capsys, "check", folder / "duel.zip").out
    (folder / "games" / "gone.toml").rename(folder / "games" / "mine.toml")
    assert run(capsys, "export", duel, "--to", "glb", "--out", folder / "duel.glb", "--quiet").status == 0
    assert run(capsys, "import", folder / "duel.glb", "--out", folder / "back", "--quiet").status == 0
    (result,) = checked(capsys, folder / "back" / "scene.toml")
    assert result["verdict"] == "cover"


@pytest.mark.long
def test_the_live_table_follows(duel: Path) -> None:
    asked = [
        {"id": 1, "do": "check", "pairs": [["Kal", "Vex"]]},
        {"id": 2, "do": "edit", "edits": [{"piece": "Vex", "at": [0, 230]}]},
        {"id": 3, "do": "check", "pairs": [["Kal", "Vex"]]},
    ]
    served = [sys.executable, "-m", "silhouette", "serve", "--stdio", "--workers", "1", str(duel)]
    lines = "".join(json.dumps(one) + "\n" for one in asked).encode()
    done = subprocess.run(served, input=lines, capture_output=True, timeout=90, check=True)
    answers = {one.get("id"): one for one in map(json.loads, done.stdout.splitlines())}
    assert [answers[number]["results"][0]["verdict"] for number in (1, 3)] == ["cover", "open"]


def test_a_game_that_is_gone_or_broken_is_one_line(duel: Path, capsys: Capture) -> None:
    game = duel.parent / "games" / "mine.toml"
    game.write_text(game.read_text(encoding="utf-8").replace("<= 1 inch", "<= 1"), encoding="utf-8")
    (line,) = run(capsys, "check", duel).complaints
    assert line.startswith(f"error: {game}: line ")
    assert "a length is compared with a number" in line
    game.unlink()
    (line,) = run(capsys, "check", duel).complaints
    assert line.startswith(f"error: {game}: there is no such game file; duel.toml has rules =")
