"""`silhouette export`: what it prints and writes, and its one line where the input is bad."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from silhouette.cli import main
from silhouette.common.installation import SCHEMA_VERSION, VERSION
from tests.support.kept_files import without_digest

Capture = pytest.CaptureFixture[str]

SCENE = 'rules = "necromunda"\n[[fighter]]\nname = "Kal"\nat = [25.4, 50.8]\nfigure = { base = 32, height = 38 }\n'


def test_a_scene_is_written_as_a_saved_object(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "duel.toml").write_text(SCENE)
    out = tmp_path / "duel.json"
    assert main(["export", str(tmp_path / "duel.toml"), "--to", "tts", "--out", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {
        "silhouette": VERSION, "schema": SCHEMA_VERSION, "file": str(out), "meshes": str(tmp_path / "duel_meshes"),
        "pieces": 1,
    }  # fmt: skip
    (kal,) = json.loads(out.read_text())["ObjectStates"]
    assert (kal["Nickname"], kal["Tags"][0]) == ("Kal", "fighter")
    assert [kal["Transform"][f"pos{axis}"] for axis in "XYZ"] == pytest.approx([1.0, 0.0, 2.0])
    assert [without_digest(file.name) for file in (tmp_path / "duel_meshes").iterdir()] == ["kal.obj"]


@pytest.mark.parametrize(
    ("to", "out", "says"),
    [("tss", "duel.json", "did you mean 'tts'?"), ("tts", "duel.obj", "ends in .json"), ("tts", "x/duel.json", "x;")],
)
def test_bad_usage_is_one_line(tmp_path: Path, capsys: Capture, to: str, out: str, says: str) -> None:
    (tmp_path / "duel.toml").write_text(SCENE)
    assert main(["export", str(tmp_path / "duel.toml"), "--to", to, "--out", str(tmp_path / out)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert says in captured.err
    assert captured.err.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["duel.toml"]
