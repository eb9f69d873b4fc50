"""What functions write is what commands write; what a user should know of it is a warning."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import silhouette
from silhouette.common.errors import FileError, RequestError, WrittenFileWarning
from tests.support.commands import run

EXAMPLE = Path(__file__).resolve().parents[2] / "scenes" / "necromunda" / "example_2_partial_cover.toml"


def test_a_report_is_that_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "report", EXAMPLE, "--out", tmp_path / "there.html")
    written = silhouette.report(EXAMPLE, tmp_path / "here.html")
    assert written.read_text() == (tmp_path / "there.html").read_text()


def test_what_was_moved_stays_moved_in_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    moved = silhouette.load_scene(EXAMPLE).moved({"Vex": (-70, 216)})
    page = silhouette.report(moved, tmp_path / "here.html").read_text()
    run(capsys, "report", EXAMPLE, "--at", "Vex=-70,216", "--out", tmp_path / "there.html")
    assert page == (tmp_path / "there.html").read_text()
    kept = silhouette.bundle(moved, tmp_path / "kal.zip", pictures=False)
    (row,) = run(capsys, "check", kept, "--json").document["scenes"][0]["results"]
    assert row["verdict"] == "open"
    (file,) = silhouette.draw(moved, tmp_path / "out", figure="plan")
    assert file.read_text() == moved.check("Kal", "Vex").figure("plan")


def test_a_bundle_is_checked_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = silhouette.bundle(silhouette.load_scene(EXAMPLE), tmp_path / "kal.zip", pictures=False)
    assert any(name.endswith(".glb") for name in zipfile.ZipFile(written).namelist())
    assert run(capsys, "check", written).status == 0


def test_a_table_goes_out_and_comes_back(tmp_path: Path) -> None:
    scene = silhouette.load_scene(EXAMPLE)
    file = silhouette.export_scene(scene, tmp_path / "table.glb")
    back = silhouette.import_table(file, tmp_path / "game")
    assert back.names == scene.names
    assert back.check("Kal", "Vex")["occluded"] == pytest.approx(scene.check("Kal", "Vex")["occluded"], abs=1e-4)


def test_what_is_left_out_of_a_table_is_a_warning(tmp_path: Path) -> None:
    box = {"name": "Kal", "at": (0, 0), "parts": [{"box": (12, 12, 30)}]}
    built = silhouette.Scene.build(fighter=[box, {**box, "name": "Vex", "at": (0, 200)}])
    saved = silhouette.export_scene(built, tmp_path / "table.json")
    with pytest.warns(WrittenFileWarning, match=r"scene\.toml: left out"):
        silhouette.import_table(saved, tmp_path / "game")


def test_mistakes_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"no form 'gif'"):
        silhouette.draw(EXAMPLE, tmp_path / "out", form="gif")
    with pytest.raises(FileError, match=r"'\.obj' is no known ending; a table is written to \.glb or \.json"):
        silhouette.export_scene(EXAMPLE, tmp_path / "table.obj")
    with pytest.raises(RequestError, match="scale and bases both say how large it is"):
        silhouette.scan_table(tmp_path / "scan.ply", tmp_path / "out", scale=1.0, bases=[25])
    with pytest.raises(FileError, match="is not there; check the path"):
        silhouette.scan_table(tmp_path / "scan.ply", tmp_path / "out")
    with pytest.raises(FileError):
        silhouette.report(EXAMPLE, tmp_path / "page.txt")
    assert list(tmp_path.iterdir()) == []
