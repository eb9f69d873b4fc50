"""README stays true: its commands are there to be pasted, its picture is what the program draws, its Python runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from silhouette import check, load_scene
from silhouette.cli.app import main
from silhouette.text import obscured

PROJECT = Path(__file__).resolve().parents[1]
README = (PROJECT / "README.md").read_text(encoding="utf-8")


def test_nothing_is_left_to_fill_in() -> None:
    assert "@@" not in README
    assert "TODO" not in README


def test_ci_calls_the_very_test_command() -> None:
    for marker in ("<!-- example -->", "<!-- tests -->"):
        (command,) = re.findall(re.escape(marker) + r"\n```bash\n(.*)\n```", README)
        assert command.startswith("python3 -m venv .venv && ")
    assert "<!-- tests -->" in (PROJECT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_picture_says_what_the_scene_gives() -> None:
    scene = load_scene(PROJECT / "scenes" / "necromunda" / "example_2_partial_cover.toml")
    verdict = check(scene, "Kal", "Vex", renderer="reference")
    (share,) = re.findall(r"partial cover, ([0-9.]+ % ± [0-9.]+ %) obscured", README)
    assert verdict.verdict == "partial cover"
    assert obscured(verdict.row()) == share


def test_the_python_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(PROJECT)
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("partial cover 0.42")


@pytest.mark.parametrize("command", ["check", "matrix", "batch", "draw", "inspect", "doctor", "rules"])
def test_every_command_in_the_table_is_there(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"`silhouette {command}`" in README
    assert main([command, "--help"]) == 0
    assert "--json" in capsys.readouterr().out
