"""`silhouette import`: what it prints and writes, and its one line where the input is bad."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from silhouette.cli import main
from silhouette.common.installation import SCHEMA_VERSION, VERSION
from silhouette.exchange import imported
from silhouette.workers.starting import python_threads
from tests.exchange.unity import kept, model, save, transform

Capture = pytest.CaptureFixture[str]


def table(tmp_path: Path) -> list[str]:
    kept(tmp_path / "Models", 1)
    kal = model("Kal", transform((0, 0, 0), (0, 0, 0)), type_index=1)
    vex = model("Vex", transform((0, 0, 9), (0, 180, 0)), type_index=1)
    path = save(tmp_path / "save.json", kal, vex, model("lost", mesh=5))
    return ["import", str(path), "--out", str(tmp_path / "game"), "--meshes", str(tmp_path / "Models")]


def test_json_is_one_document_with_every_object(tmp_path: Path, capsys: Capture) -> None:
    assert main([*table(tmp_path), "--json"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert (document["silhouette"], document["schema"], captured.err) == (VERSION, SCHEMA_VERSION, "")
    assert [piece["name"] for piece in document["pieces"]] == ["Kal", "Vex"]
    assert document["pieces"][0]["facing"] == 90.0
    assert [one["name"] for one in document["left_out"]] == ["lost"]


def test_the_scene_is_judged_at_once(tmp_path: Path, capsys: Capture) -> None:
    assert main(table(tmp_path)) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("scene.toml: 2 fighter; 1 left out")
    assert said[1].startswith("left out: lost: its mesh is not in the folder of the meshes")
    assert main(["check", str(tmp_path / "game" / "scene.toml"), "--from", "Kal", "--to", "Vex", "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["scenes"][0]["results"]
    assert (result["verdict"], result["in_arc"]) == ("open", True)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer")
def test_no_thread_keeps_the_readers_of_meshes_from_being_forked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def noted(*_: Any) -> list[Any]:
        threads.append(python_threads())
        return []

    monkeypatch.setattr(imported, "parallel_map", noted)
    before = python_threads()
    assert main(table(tmp_path)) == 0
    assert threads == [before]


def test_stand_ins_are_asked_for(tmp_path: Path, capsys: Capture) -> None:
    state = model("Kal 32mm", mesh=5, type_index=1)
    arguments = ["import", str(save(tmp_path / "save.json", state)), "--out", str(tmp_path / "game"), "--json"]
    arguments += ["--meshes", str(tmp_path)]
    for extra, placed in (([], 0), (["--stand-ins"], 1)):
        assert main([*arguments, *extra]) == 0
        assert len(json.loads(capsys.readouterr().out)["pieces"]) == placed


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("save.json", "{", "is no JSON that can be read"),
        ("save.json", '{"rules": "necromunda"}', "has no list ObjectStates"),
        ("save.json", None, "there is no such file"),
        ("save.blend", "BLENDER", "is no table that is read"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, capsys: Capture, name: str, text: str | None, says: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    assert main(["import", str(tmp_path / name), "--out", str(tmp_path / "game"), "--quiet"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert says in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "game").exists()
