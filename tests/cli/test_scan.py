"""The command line: a scan becomes a scene, asks what it must, rules at once, and refuses what it cannot use."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.cli import main
from silhouette.cli.schema import schema_of
from silhouette.scans import write
from silhouette.scans.meshes import ply_bytes

PROJECT = Path(__file__).resolve().parents[2]
SCAN = PROJECT / "scenes" / "scans" / "gang_table.glb"


@dataclass(frozen=True)
class Scanned:
    """The example scan, made into a scene without known models, with a ruling.

    Attributes:
        folder: the folder of the scene.
        printed: what the command has printed.
    """

    folder: Path
    printed: dict[str, Any]


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Scanned:
    folder = tmp_path_factory.mktemp("scan") / "gang"
    output = io.StringIO()
    with redirect_stdout(output):
        status = main(["scan", str(SCAN), "--out", str(folder), "--json", "--from", "figure 1", "--to", "figure 2"])
    assert status == 0
    return Scanned(folder, json.loads(output.getvalue()))


@pytest.mark.slow
def test_a_scan_becomes_a_scene_that_is_judged_as_it_is(scanned: Scanned, capsys: pytest.CaptureFixture[str]) -> None:
    pieces, points = scanned.printed["pieces"], scanned.printed["points"]
    assert sum(piece["kind"] == "fighter" for piece in pieces) == 5
    assert scanned.printed["scale_from"] == "units"
    assert np.load(scanned.folder / "labels.npy").shape == (points,)
    assert main(["matrix", str(scanned.folder / "scene.toml"), "--json", "--pixel", "1"]) == 0
    (scene,) = json.loads(capsys.readouterr().out)["scenes"]
    assert len(scene["results"]) == 20


@pytest.mark.slow
def test_the_ruling_follows_at_once_with_its_picture(scanned: Scanned) -> None:
    (scene,) = scanned.printed["scenes"]
    (result,) = scene["results"]
    assert (result["attacker"], result["target"]) == ("figure 1", "figure 2")
    assert (scanned.folder / "ruling.png").is_file()


@pytest.mark.slow
def test_the_json_on_standard_output_is_that_of_the_folder(scanned: Scanned) -> None:
    import jsonschema

    printed = {key: value for key, value in scanned.printed.items() if key != "scenes"}
    assert printed == json.loads((scanned.folder / "scan.json").read_text())
    jsonschema.validate(printed, schema_of("scan"))


def table_of_boxes(tmp_path: Path) -> Path:
    """A scan of a table with a box on it, in inches: its scale is a question."""
    import trimesh

    table = trimesh.creation.box((24.0, 18.0, 0.5))
    table.apply_translation((0.0, 0.0, -0.25))
    box = trimesh.creation.box((2.0, 1.5, 1.0))
    box.apply_translation((4.0, 2.0, 0.5))
    both = trimesh.util.concatenate([table, box]).subdivide_to_size(0.5)
    file = tmp_path / "table.ply"
    file.write_bytes(ply_bytes(np.asarray(both.vertices), np.asarray(both.faces, np.int32)))
    return file


@pytest.fixture
def rough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture of a scan, which takes most of the time, is made of few samples of its surface."""
    monkeypatch.setattr(write, "MOST_SAMPLES", 50_000)


@pytest.mark.long
@pytest.mark.usefixtures("rough")
def test_questions_are_asked_at_a_terminal_and_answers_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = table_of_boxes(tmp_path)
    arguments = ["scan", str(file), "--out", str(tmp_path / "game")]
    assert main(arguments) == 0
    before = json.loads((tmp_path / "game" / "scan.json").read_text())
    assert before["questions"]
    typed = iter(["nonsense", "1", *[""] * 20])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    capsys.readouterr()
    assert main([*arguments, "--yes"]) == 0
    assert "that is no answer" not in capsys.readouterr().out
    assert main(arguments) == 0
    assert "that is no answer" in capsys.readouterr().out
    after = json.loads((tmp_path / "game" / "scan.json").read_text())
    assert before["questions"][0] not in after["questions"]
    assert 'answer = "' in (tmp_path / "game" / "scene.toml").read_text()


@pytest.mark.thinned(quick=10)
@pytest.mark.parametrize(
    "arguments, problem",
    [
        (["--to", "figure 1"], "say --from NAME as well"),
        (["--bases", "25,x"], "is no list of diameters"),
        (["--bases", "25", "--scale", "1"], "give one of them"),
        (["--length", "600=0,0,0"], "is no length between two points"),
        (["--length", "nan=0,0,0:1,0,0"], "is no length between two points"),
        (["--figures", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_used_is_one_line(
    arguments: list[str], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scan", str(SCAN), "--out", str(tmp_path / "game"), "--quiet", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert problem in error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "game").exists()


@pytest.mark.long
@pytest.mark.usefixtures("rough")
def test_a_name_that_is_not_on_the_table_is_one_line_after_the_scene_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = tmp_path / "game"
    file = str(table_of_boxes(tmp_path))
    assert main(["scan", file, "--out", str(game), "--quiet", "--from", "Kal", "--to", "figure 1"]) == 2
    assert "nothing is called 'Kal'" in capsys.readouterr().err
    assert (game / "scene.toml").is_file()
