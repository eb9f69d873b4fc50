"""A sixth rule system, in one folder and by one entry in the list, is served by every command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import silhouette
from silhouette.rules import RULES
from silhouette.rules.base import Level
from tests.support import coin_toss
from tests.support.commands import run

SCENE = """
title = "Three coins"
rules = "coin-toss"
player = [
  { name = "Ada", at = [0, 0], side = "heads" },
  { name = "Bo", at = [40, 0], side = "heads" },
  { name = "Cy", at = [20, 30], side = "tails" },
]

[[check]]
attacker = "Ada"
target = "Bo"
expect = { verdict = "lucky", same = true }

[[check]]
attacker = "Ada"
target = "Cy"
expect = { verdict = "unlucky" }
"""


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The game stands in the list of rule systems, and nowhere else."""
    monkeypatch.setitem(RULES, "coin-toss", "tests.support.coin_toss")


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "coins.toml"
    path.write_text(SCENE, encoding="utf-8")
    return path


def test_it_is_one_folder_of_at_most_150_lines() -> None:
    folder = Path(str(coin_toss.__file__)).parent
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in folder.glob("*.py")) <= 150


def test_rules_lists_it(capsys: pytest.CaptureFixture[str]) -> None:
    names = [system["name"] for system in run(capsys, "rules", "--json").document["rules"]]
    assert "coin-toss" in names
    assert "Coin toss" in run(capsys, "rules").out


def test_check_judges_it_and_holds_its_expectations(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "check", scene, "--json")
    assert ran.status == 0
    (found,) = ran.document["scenes"]
    assert [(row["verdict"], row["same"], row["expected"]) for row in found["results"]] == [
        ("lucky", True, True),
        ("unlucky", False, True),
    ]
    told = run(capsys, "check", scene).out
    assert "Ada and Cy tossed different sides: unlucky" in told


def test_a_broken_expectation_and_a_wrong_key_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "coins.toml"
    path.write_text(SCENE.replace('"unlucky"', '"lucky"'), encoding="utf-8")
    assert run(capsys, "check", path).status == 1
    path.write_text(SCENE.replace('side = "tails"', 'side = "edge"'), encoding="utf-8")
    ran = run(capsys, "check", path)
    assert ran.status == 2
    assert 'it must be "heads" or "tails"' in ran.err


def test_its_levels_are_public_and_its_reading_is_typed(scene: Path) -> None:
    text = scene.read_text(encoding="utf-8")
    scene.write_text(f"{text}\n[readings]\ncurtain = true\n", encoding="utf-8")
    loaded = silhouette.load_scene(scene)
    assert loaded.readings == coin_toss.Readings(curtain=True)
    verdict = silhouette.check(loaded, "Ada", "Bo", renderer="reference")
    assert isinstance(verdict, coin_toss.CoinTossVerdict)
    assert (verdict.verdict, verdict.level) == ("curtained", Level.PARTIAL)


def test_matrix_judges_everyone_against_everyone(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = run(capsys, "matrix", scene, "--json").document["scenes"]
    verdicts = {(row["attacker"], row["target"]): row["verdict"] for row in found["results"]}
    assert len(verdicts) == 6
    assert verdicts["Bo", "Ada"] == "lucky"
    assert verdicts["Cy", "Bo"] == "unlucky"


@pytest.mark.long
def test_batch_writes_a_row_for_each_check(scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rows.jsonl"
    assert run(capsys, "batch", scene, "--out", out, "--workers", "1", "--renderer", "reference").status == 0
    rows: list[dict[str, Any]] = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["verdict"] for row in rows] == ["lucky", "unlucky"]
    by_python = [row["verdict"] for row in silhouette.batch(scene, workers=1, renderer="reference")]
    assert by_python == ["lucky", "unlucky"]


@pytest.mark.parametrize("language", ["en", "de"])
def test_draw_writes_its_figure(language: str, scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "draw", scene, "--out", tmp_path / "figures", "--lang", language, "--renderer", "reference")
    assert ran.status == 0
    names = sorted(file.name for file in (tmp_path / "figures").iterdir())
    assert names == ["01-ada-bo-toss.svg", "02-ada-cy-toss.svg"]
    drawing = (tmp_path / "figures" / names[0]).read_text(encoding="utf-8")
    assert "player-2" in drawing
    assert "Ada and Bo tossed the same side: lucky." in drawing


def test_check_draws_its_picture(scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "toss.png"
    ran = run(capsys, "check", scene, "--from", "Ada", "--to", "Bo", "--picture", picture, "--renderer", "reference")
    assert ran.status == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_report_has_its_verdicts_figures_stage_and_pieces(
    scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "coins.html"
    assert run(capsys, "report", scene, "--out", page, "--renderer", "reference", "--workers", "1").status == 0
    text = page.read_text(encoding="utf-8")
    for words in (
        "Coin toss",
        "The toss",
        "Everything on the board",
        "one each",
        "curtain: no",
        'class="verdict free"',
    ):
        assert words in text, words
    assert '"kind": "player"' in text or '"kind":"player"' in text


def test_nothing_of_it_moves_and_animate_says_so(
    scene: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--check", "1", "--animate", tmp_path / "x.gif", "--walk", "9,9", "--renderer", "reference")
    ran = run(capsys, "draw", scene, *words)
    assert ran.status == 2
    assert "nothing moves evenly in coin-toss" in ran.err
