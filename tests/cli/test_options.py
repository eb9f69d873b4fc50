"""Options that commands share: each is there wherever it makes sense, and means one thing; and what the new ones do."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest
from typer.models import OptionInfo

from silhouette.cli import main
from silhouette.cli.commands import COMMANDS
from tests.support.commands import CHECK, QUICK, run, scene

Capture = pytest.CaptureFixture[str]

BLOCK = ["v 0 0 0", "v 10 0 0", "v 0 10 0", "v 0 0 10", "f 1 3 2", "f 1 2 4", "f 2 3 4", "f 3 1 4"]


def options_of(command: str) -> dict[str, OptionInfo]:
    """The options of a command that its help lists, by their first spelling."""
    declared = COMMANDS[command].options
    infos = [hint.__metadata__[0] for hint in get_type_hints(declared, include_extras=True).values()]
    return {str(info.default): info for info in infos if isinstance(info, OptionInfo) and not info.hidden}


def having(option: str) -> set[str]:
    return {command for command in COMMANDS if option in options_of(command)}


def test_options_are_there_wherever_they_make_sense() -> None:
    assert having("--error") == having("--pixel") == having("--renderer") - {"inspect"}
    assert having("--device") == having("--renderer")
    assert having("--at") == {"check", "matrix", "map", "draw", "report", "bundle"}
    assert having("--workers") == having("--pixel") - {"bundle"}
    assert having("--style") == having("--lang") == {"map", "draw", "report"}
    assert having("--json") == set(COMMANDS) - {"schema", "table", "serve"}


def test_an_option_means_one_thing() -> None:
    values: dict[str, set[str | None]] = {}
    for command in COMMANDS:
        for option, info in options_of(command).items():
            values.setdefault(option, set()).add(info.metavar)
    different = {option for option, metavars in values.items() if len(metavars) > 1}
    assert different == {"--out"}, "what is written differs"
    assert having("--to") == having("--from")
    assert having("--scale") == {"scan"}


def test_each_field_of_a_command_is_an_option_or_an_argument() -> None:
    for command in COMMANDS.values():
        hints = get_type_hints(command.options, include_extras=True)
        assert [field.name for field in fields(command.options) if not hasattr(hints[field.name], "__metadata__")] == []


@pytest.mark.parametrize("command", ["check", "draw", "schema", "table"])
def test_the_help_of_a_command_imports_no_more_than_its_options(command: str) -> None:
    script = f"import sys, silhouette.cli.app as c; c.main([{command!r}, '--help']); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    for heavy in ("numpy", "rich", "silhouette.judging", f"silhouette.cli.{command}"):
        assert f"'{heavy}'" not in done.stdout


def test_workers_judge_checks_to_the_same_results(tmp_path: Path, capsys: Capture) -> None:
    file = scene(tmp_path, CHECK * 3)
    alone = run(capsys, "check", file, "--json", *QUICK).document
    assert run(capsys, "check", file, "--json", "--workers", "2", *QUICK).document == alone


def test_a_bundle_keeps_the_places_that_were_tried(tmp_path: Path, capsys: Capture) -> None:
    file, out = scene(tmp_path, CHECK + 'expect = { verdict = "hidden" }\n'), tmp_path / "ruling.zip"
    words = ("--at", "Vex=0,60", "--json")
    tried = run(capsys, "bundle", file, "--out", out, "--no-pictures", *words, *QUICK)
    (row,) = tried.document["checks"]
    assert (tried.status, row["verdict"], row["expected"]) == (0, "open", None)
    assert run(capsys, "check", file, "--json", *QUICK).document["scenes"][0]["results"][0]["verdict"] != "open"
    again = run(capsys, "check", out, "--json", "--renderer", "reference", "--no-cache")
    assert again.status == 0
    (replayed,) = again.document["scenes"]
    assert replayed["bundle"]["same"]
    assert replayed["results"][0]["occluded"] == row["occluded"]


@pytest.mark.long
def test_a_report_of_a_place_that_was_tried_in_another_language(tmp_path: Path, capsys: Capture) -> None:
    file, out = scene(tmp_path, CHECK), tmp_path / "report.html"
    words = ("--at", "Vex=0,60", "--style", "dark", "--lang", "de", "--error", "0.01")
    ran = run(capsys, "report", file, "--out", out, "--json", *words, *QUICK)
    assert ran.status == 0, ran.complaints
    assert [row["verdict"] for row in ran.document["checks"]] == ["open"]
    page = out.read_text(encoding="utf-8")
    assert "silhouette check walled.toml --at Vex=0,60</code>" in page
    assert "verdeckt" in page
    plain = tmp_path / "plain.html"
    run(capsys, "report", file, "--out", plain, *QUICK)
    assert "verdeckt" not in plain.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["report", "SCENE", "--out", "r.html", "--style", "neon"], "neon"),
        (["report", "SCENE", "--out", "r.html", "--lang", "xx"], "xx"),
        (["report", "SCENE", "--out", "r.html", "--error", "2"], "error is 2; it must be a share"),
        (["report", "SCENE", "--out", "r.html", "--at", "Vix=0,0"], "did you mean 'Vex'?"),
        (["report", "SCENE", "--out", "r.html", "--renderer", "reference", "--device", "7"], "7"),
        (["bundle", "SCENE", "--out", "r.zip", "--at", "Vex"], "--at Vex: give NAME=X,Y"),
        (["draw", "SCENE", "--out", "r", "--error", "0"], "error is 0; it must be a share"),
        (["draw", "SCENE", "--animate", "r.gif", "--turn", "9", "--error", "0"], "error is 0; it must be a share"),
        (["tutorial", "--out", "r", "--error", "0"], "error is 0; it must be a share"),
        (["tutorial", "--out", "r", "--renderer", "reference", "--device", "7"], "7"),
    ],
)
def test_new_options_are_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, words: list[str], wrong: str
) -> None:
    monkeypatch.chdir(tmp_path)
    file = scene(tmp_path, CHECK)
    ran = run(capsys, *(str(file) if word == "SCENE" else word for word in words), "--no-cache")
    assert ran.status == 2
    (complaint,) = ran.complaints
    assert wrong in complaint
    assert sorted(path.name for path in tmp_path.iterdir()) == ["walled.toml"]


def test_what_was_called_otherwise_still_works(tmp_path: Path, capsys: Capture) -> None:
    mesh = tmp_path / "block.obj"
    mesh.write_text("\n".join(BLOCK))
    for spelling in ("--factor", "--scale"):
        inspected = run(capsys, "inspect", mesh, "--kind", "terrain", spelling, "2", "--json", "--no-cache").document
        assert inspected["extents"] == pytest.approx([20.0, 20.0, 20.0])
    file = scene(tmp_path)
    for spelling in ("--format", "--to"):
        out = tmp_path / f"{spelling}.glb"
        assert run(capsys, "export", file, spelling, "glb", "--out", out, "--no-cache").status == 0
        assert out.is_file()
    assert (
        run(capsys, "export", file, "--out", tmp_path / "x.glb").complaints[0].startswith("error: --format is missing")
    )
    schemas = [json.loads(run(capsys, "schema", name).out) for name in ("result", "results")]
    assert schemas[0] == schemas[1]


def test_help_lists_commands_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    sections = capsys.readouterr().out.split("\n\n")[3:]
    listed = {section.split(":")[0]: re.findall(r"^  ([a-z]+)  ", section, re.MULTILINE) for section in sections}
    assert list(listed) == ["Start", "Judge", "Show", "Keep", "Serve"]
    assert [name for names in listed.values() for name in names] == list(COMMANDS)
    assert all(COMMANDS[name].group == group for group, names in listed.items() for name in names)


def test_without_a_command_first_steps_are_shown_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    steps = re.findall(r"^  silhouette ([a-z]+)", capsys.readouterr().out, re.MULTILINE)
    assert len(steps) == 3
    assert set(steps) <= set(COMMANDS)
