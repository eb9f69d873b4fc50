"""Mistakes of a new user: each is one line that says which file or option, what is wrong and what would be right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.commands import CHECK, WALLED, run

QUICK = ("--renderer", "reference", "--pixel", "1", "--no-cache")
SCENE = WALLED + CHECK

IN_THE_SCENE = {
    "a table for several": (
        "[[check]]",
        "[check]",
        'check is { attacker = "Kal", target = "Vex" }; it must be tables [[check]]',
    ),
    "rules below a table": (
        'title = "Behind the wall"\n',
        "[readings]\n",
        "rules is missing: it stands below [readings]; write it above the first table",
    ),
    "a key of the file in a piece": (
        'target = "Vex"',
        'target = "Vex"\ntolerance = 0.1',
        "check 1: unknown key 'tolerance'; it belongs to the whole file: write it above the first [[...]]",
    ),
    "a missing comma": ("at = [0, 0]", "at = [0 0]", "put a comma before '0'"),
    "a missing quote": ('name = "Kal"', 'name = "Kal', 'close the text with "'),
    "no quotes": ('name = "Kal"', "name = Kal", 'put the text in quotes: "Kal"'),
    "a number as text": ("facing = 270", 'facing = "270"', "fighter 'Vex', facing is \"270\"; it must be a number"),
    "one coordinate": ("at = [0, 0]", "at = [0]", "fighter 'Kal', at is [0]; it must be"),
    "four coordinates": ("at = [0, 0]", "at = [0, 0, 0, 0]", "fighter 'Kal', at is [0, 0, 0, 0]; it must be"),
    "a negative size": ("[60, 5, 10]", "[60, -5, 10]", "terrain 'wall', parts 1, box is [60, -5, 10]; it must be"),
    "unknown rules": ('"necromunda"', '"chess"', "unknown rules 'chess'; the systems are"),
    "rules without their edition": ('"necromunda"', '"warhammer"', "did you mean 'warhammer-40000-10'?"),
    "two of one name": (
        'name = "Vex"',
        'name = "Kal"',
        "two fighter pieces are called 'Kal'; give each a different name",
    ),
    "a misspelt key": ("facing = 270", "facng = 270", "fighter 'Vex': unknown key 'facng'; did you mean 'facing'?"),
    "a name that is not there": ('target = "Vex"', 'target = "Vax"', "target 'Vax' is not on the table; did you mean"),
}

COMMANDS = {
    "no scene": (["check"], "SCENE is missing; silhouette check --help says what there is"),
    "a misspelt command": (["chekc", "duel.toml"], "no command 'chekc'; did you mean 'check'? silhouette --help"),
    "a misspelt option": (["check", "duel.toml", "--pixle", "1"], "no option --pixle; did you mean --pixel"),
    "an option without value": (["check", "duel.toml", "--pixel"], "--pixel needs a value; silhouette check --help"),
    "a word for a number": (["check", "duel.toml", "--pixel", "fine"], '--pixel is "fine"; it must be a number;'),
    "a word joined on": (["check", "duel.toml", "--pixel=fine"], '--pixel is "fine"; it must be a number;'),
    "a part of a device": (
        ["check", "duel.toml", "--device", "1.5"],
        "no renderer has a device named '1.5';",
    ),
    "no workers": (["batch", "duel.toml", "--workers", "0"], '--workers is "0"; it must be at least 1;'),
    "no place": (["report", "duel.toml"], "--out is missing; silhouette report --help"),
    "one too many": (["doctor", "now"], "one argument too many: now; silhouette doctor --help"),
    "a mesh as scene": (["check", "kal.stl"], "kal.stl: is a mesh, not a scene; silhouette new FOLDER kal.stl makes"),
    "a model as scene": (["check", "kal.toml"], "kal.toml: is a model file, not a scene; silhouette inspect looks at"),
    "a scene as model": (["inspect", "duel.toml"], "duel.toml: is a scene, not a model; silhouette check judges it"),
    "a folder as mesh": (["inspect", "minis"], "minis: is a folder, not a mesh; STL, OBJ"),
    "a folder of meshes": (["check", "minis"], "minis: is a folder without a scene; scenes end in .toml or .json"),
    "a file as folder": (["draw", "duel.toml", "--out", "kal.stl"], "kal.stl: is a file; give the name of a folder"),
    "another program's file": (["inspect", "kal.blend"], "kal.blend: is of an unknown format '.blend'; STL, OBJ"),
    "an archive": (
        ["check", "minis.zip"],
        "minis.zip: is no bundle: it has no bundle.json; silhouette bundle makes one of a scene",
    ),
    "garbage": (["inspect", "kal.stl"], "kal.stl: is truncated or no STL file"),
    "nothing": (["inspect", "axe.stl"], "axe.stl: is not there; check the path"),
}


@pytest.mark.parametrize("mistake", IN_THE_SCENE)
def test_a_mistake_in_a_scene_says_what_would_be_right(
    mistake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after, answer = IN_THE_SCENE[mistake]
    assert before in SCENE
    file = tmp_path / "duel.toml"
    file.write_text(SCENE.replace(before, after, 1), encoding="utf-8")
    ran = run(capsys, "check", file, *QUICK)
    assert ran.status == 2
    (line,) = ran.complaints
    assert line.startswith(f"error: {file}: ")
    assert answer in line


@pytest.mark.parametrize("mistake", COMMANDS)
def test_a_mistake_in_a_command_says_what_would_be_right(
    mistake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("duel.toml").write_text(SCENE, encoding="utf-8")
    Path("kal.toml").write_text('mesh = "kal.stl"\n', encoding="utf-8")
    Path("kal.stl").write_bytes(bytes(range(256)))
    Path("kal.blend").write_bytes(b"BLENDER-v300")
    Path("minis.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    Path("minis").mkdir()
    Path("minis/kal.stl").write_bytes(b"")
    words, answer = COMMANDS[mistake]
    ran = run(capsys, *words)
    assert ran.status == 2
    (line,) = ran.complaints
    assert line.startswith("error: ")
    assert answer in line
    assert not re.search(r"Errno|Input should|pydantic|click|\('", line)
