"""Bad input, from file to terminal: exit status 2, one line that says what would be right, nothing half written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import CHECK, QUICK, WALLED, Ran, run, scene

Capture = pytest.CaptureFixture[str]
Write = Callable[[Path], None]

MODEL = '\n[[terrain]]\nname = "ruin"\nat = [300, 300]\nmodel = "ruin.toml"\n'
MESH = '\n[[terrain]]\nname = "ruin"\nat = [300, 300]\nmesh = "ruin.stl"\n'
TRIANGLE = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 30 0 0\nvertex 0 30 0\nendloop\nendfacet\n"


def text(content: str, name: str = "duel.toml") -> Write:
    def write(folder: Path) -> None:
        (folder / name).write_text(content, encoding="utf-8")

    return write


def changed(old: str, new: str) -> Write:
    assert old in WALLED + CHECK
    return text((WALLED + CHECK).replace(old, new, 1))


def both(*writes: Write) -> Write:
    def write(folder: Path) -> None:
        for each in writes:
            each(folder)

    return write


def data(content: bytes, name: str = "duel.toml") -> Write:
    def write(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return write


def nothing(folder: Path) -> None:
    pass


# What is wrong, how it comes about, the file that is to be named, and some of what is to be said.
BAD: dict[str, tuple[Write, str, str]] = {
    "missing scene": (nothing, "duel.toml", "there is no such file"),
    "not TOML": (text("title = \n"), "duel.toml", "not TOML"),
    "not text": (data(b'title = "\xff\xfe"'), "duel.toml", "UTF-8"),
    "empty": (text(""), "duel.toml", "rules is missing"),
    "unknown key": (changed("facing = 270", "facign = 270"), "duel.toml", "did you mean 'facing'?"),
    "unknown table": (changed("[[vehicle]]", "[[vehicel]]"), "duel.toml", "did you mean 'vehicle'?"),
    "wrong type": (changed("at = [0, 200]", 'at = "far"'), "duel.toml", "fighter 'Vex', at is \"far\""),
    "negative size": (changed("box = [60, 5, 10]", "box = [60, -5, 10]"), "duel.toml", "above zero"),
    "unknown rules": (changed('"necromunda"', '"necromnda"'), "duel.toml", "did you mean 'necromunda'?"),
    "no rules": (changed('rules = "necromunda"', ""), "duel.toml", 'must be one of "crisis-protocol", "ikosa"'),
    "two of one name": (changed('name = "Vex"', 'name = "Kal"'), "duel.toml", "called 'Kal'"),
    "check of nobody": (changed('target = "Vex"', 'target = "Vx"'), "duel.toml", "did you mean 'Vex'?"),
    "check of terrain": (changed('target = "Vex"', 'target = "wall"'), "duel.toml", "is terrain"),
    "check of itself": (changed('target = "Vex"', 'target = "Kal"'), "duel.toml", "would check itself"),
    "unknown arc": (text(WALLED + CHECK + 'arc = "top"\n'), "duel.toml", '"front", "left", "right" or "rear"'),
    "NaN": (changed("at = [0, 200]", "at = [nan, 200]"), "duel.toml", "at is [nan, 200]"),
    "infinite": (changed("at = [0, 200]", "at = [0, inf]"), "duel.toml", "at is [0, inf]"),
    "no checks": (text(WALLED), "duel.toml", "has no [[check]]"),
    "nothing significant": (
        changed("facing = 270\nparts = [{ box", "facing = 270\nparts = [{ base = true, box"),
        "duel.toml",
        "needs a significant part",
    ),
    "missing model": (text(WALLED + CHECK + MODEL), "ruin.toml", "there is no such file"),
    "model not TOML": (both(text(WALLED + CHECK + MODEL), text("mesh =", "ruin.toml")), "ruin.toml", "not TOML"),
    "unknown key of a model": (
        both(text(WALLED + CHECK + MODEL), text('mesh = "ruin.stl"\nunit = "mm"', "ruin.toml")),
        "ruin.toml",
        "did you mean 'units'?",
    ),
    "missing mesh": (text(WALLED + CHECK + MESH), "ruin.stl", "is not there"),
    "empty mesh": (both(text(WALLED + CHECK + MESH), data(b"", "ruin.stl")), "ruin.stl", "empty"),
    "truncated mesh": (
        both(
            text(WALLED + CHECK + MESH),
            data(b"made by hand".ljust(80) + (9).to_bytes(4, "little") + b"\0" * 60, "ruin.stl"),
        ),
        "ruin.stl",
        "truncated",
    ),
    "mesh of an unknown format": (
        both(text(WALLED + CHECK + MESH.replace(".stl", ".step")), text("ISO-10303-21;", "ruin.step")),
        "ruin.step",
        "STL, OBJ, PLY",
    ),
    "mesh that is no mesh": (both(text(WALLED + CHECK + MESH), data(b"hello", "ruin.stl")), "ruin.stl", ""),
    "NaN in a mesh": (
        both(text(WALLED + CHECK + MESH), text(TRIANGLE.replace("30", "nan") + "endsolid a\n", "ruin.stl")),
        "ruin.stl",
        "no numbers",
    ),
    "unknown part": (
        both(
            text(WALLED + CHECK + MESH + '[[terrain.insignificant]]\npart = "rooof"\n'),
            text(TRIANGLE + "endsolid a\n", "ruin.stl"),
        ),
        "duel.toml",
        "no part is called 'rooof'",
    ),
}


def refused(ran: Ran, file: str, said: str) -> None:
    assert ran.status == 2
    (complaint,) = ran.complaints
    assert file in complaint.split(": ")[1]
    assert said in complaint
    assert "internal" not in complaint


@pytest.mark.thinned(quick=40)
@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_one_line_and_status_2(tmp_path: Path, capsys: Capture, what: str) -> None:
    write, file, said = BAD[what]
    write(tmp_path)
    before = sorted(tmp_path.iterdir())
    picture = tmp_path / "eye.png"
    ran = run(capsys, "check", tmp_path / "duel.toml", "--picture", picture, *QUICK)
    refused(ran, file, said)
    assert ran.out == ""
    ran = run(capsys, "check", tmp_path / "duel.toml", "--json", *QUICK)
    refused(ran, file, said)
    (entry,) = ran.document["scenes"]
    assert (entry["scene"], entry["results"]) == (str(tmp_path / "duel.toml"), [])
    assert f"error: {entry['error']}" == ran.complaints[0]
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "what", ["missing scene", "not TOML", "unknown rules", "NaN", "missing mesh", "two of one name"]
)
def test_matrix_takes_no_bad_input_either(tmp_path: Path, capsys: Capture, what: str) -> None:
    write, file, said = BAD[what]
    write(tmp_path)
    ran = run(capsys, "matrix", tmp_path / "duel.toml", *QUICK)
    refused(ran, file, said)
    assert ran.out == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "Kl", "--to", "Vex"], "nothing is called 'Kl'; did you mean 'Kal'?"),
        (["--from", "Kal", "--to", "Vx"], "nothing is called 'Vx'; did you mean 'Vex'?"),
        (["--from", "Kal", "--to", "Kal"], "'Kal' would check itself"),
        (["--from", "wall"], "'wall' is terrain"),
        (["--from", "Kal", "--to", "wall"], "'wall' is terrain"),
    ],
)
def test_names_that_are_not_on_the_table(tmp_path: Path, capsys: Capture, words: list[str], said: str) -> None:
    text(WALLED)(tmp_path)
    ran = run(capsys, "check", tmp_path / "duel.toml", *words, *QUICK)
    refused(ran, "duel.toml", said)
    assert ran.out == ""


def test_json_scenes_are_refused_alike(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "duel.json"
    path.write_text('{"rules": "necromunda",')
    refused(run(capsys, "check", path, *QUICK), "duel.json", "not JSON at line 1")
    path.write_text(json.dumps({"rules": "necromunda", "fighter": [{"name": "Kal", "at": [0, float("nan")]}]}))
    refused(run(capsys, "check", path, *QUICK), "duel.json", "nan")
    path.write_text("[1, 2]")
    refused(run(capsys, "check", path, *QUICK), "duel.json", "table")


def test_a_scene_of_another_ending_or_no_scene_at_all(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "duel.yaml").write_text("rules: necromunda")
    refused(run(capsys, "check", tmp_path / "duel.yaml", *QUICK), "duel.yaml", ".toml or .json")
    (tmp_path / "empty").mkdir()
    refused(run(capsys, "check", tmp_path / "empty", *QUICK), "empty", "is a folder")
    refused(run(capsys, "matrix", tmp_path, *QUICK), tmp_path.name, "is a folder")


@pytest.mark.parametrize(
    ("name", "content", "words", "said"),
    [
        ("ruin.stl", None, [], "is not there"),
        ("ruin.stl", b"", [], "empty"),
        ("ruin.step", b"ISO-10303-21;", [], "STL, OBJ, PLY"),
        ("ruin.toml", b'meh = "ruin.stl"', [], "unknown key 'meh'; did you mean 'mesh'?"),
        ("ruin.toml", b"", [], "mesh is missing"),
        ("ruin.stl", TRIANGLE.encode() + b"endsolid a\n", ["--units", "feet"], '"mm", "cm", "m", "inch" or "auto"'),
        ("ruin.stl", TRIANGLE.encode() + b"endsolid a\n", ["--scale", "0"], "above zero"),
        ("ruin.stl", TRIANGLE.encode() + b"endsolid a\n", ["--kind", "house"], '"fighter", "vehicle" or "terrain"'),
        ("ruin.stl", TRIANGLE.encode() + b"endsolid a\n", ["--up", "x"], '"z" or "y"'),
    ],
)
def test_inspect_refuses_what_is_no_model(
    tmp_path: Path, capsys: Capture, name: str, content: bytes | None, words: list[str], said: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    for extra in ([], ["--json"]):
        ran = run(capsys, "inspect", path, "--picture", tmp_path / "views.png", "--no-cache", *words, *extra)
        refused(ran, name, said)
        assert ran.out == ""
    assert sorted(tmp_path.iterdir()) == ([path] if content is not None else [])


def test_a_folder_is_refused_with_the_scene_in_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "duel").mkdir()
    file = scene(tmp_path / "duel", CHECK)
    for command in (["matrix"], ["draw", "--out", tmp_path / "figures"], ["report", "--out", tmp_path / "page.html"]):
        name, *options = command
        (line,) = run(capsys, name, tmp_path / "duel", *options).complaints
        assert line.endswith(f"give a scene file, such as {file}")
