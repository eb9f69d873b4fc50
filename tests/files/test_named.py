"""Files that a scene or a model file names, and what is said where they are not there."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from silhouette.common.errors import FileError
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS

SCENE = 'rules = "necromunda"\n[[fighter]]\nname = "Kal"\nat = [0, 0]\n'


def refusal(scene: Path, keys: str) -> str:
    """What is said of a scene whose fighter has these keys."""
    scene.write_text(SCENE + keys, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        NECROMUNDA.load(scene, read_document(scene), Cache(None))
    return str(caught.value)


@pytest.mark.parametrize(
    ("key", "name", "right"),
    [
        ("mesh", "minis/axe.stl", 'did you mean "minis/Axe.STL"?'),
        ("mesh", "minis/troll.stl", "check the path"),
        ("mesh", "mini/axe.stl", 'there is no folder "mini" either'),
        ("model", "axe.toml", "check the path"),
    ],
)
def test_a_missing_file_is_said_with_the_piece_and_the_folder(tmp_path: Path, key: str, name: str, right: str) -> None:
    (tmp_path / "minis").mkdir()
    (tmp_path / "minis/Axe.STL").write_bytes(b"")
    said = refusal(tmp_path / "duel.toml", f'{key} = "{name}"\n')
    where = f"fighter 'Kal' in duel.toml has {key} = \"{name}\", seen from its folder: {right}"
    what = "is not there" if key == "mesh" else "there is no such file"
    assert said == f"{tmp_path / name}: {what}; {where}"


def test_a_mesh_that_a_model_file_lacks_is_said_with_the_model_file(tmp_path: Path) -> None:
    (tmp_path / "axe.toml").write_text('mesh = "axe.stl"\n', encoding="utf-8")
    said = refusal(tmp_path / "duel.toml", 'model = "axe.toml"\n')
    assert said.startswith(f'{tmp_path / "axe.stl"}: is not there; axe.toml has mesh = "axe.stl", seen from its folder')
    assert said.endswith("(for fighter 'Kal' in duel.toml)")


def test_a_mesh_that_cannot_be_used_is_said_with_the_piece_and_the_scene(tmp_path: Path) -> None:
    (tmp_path / "axe.stl").write_bytes(b"solid")
    for name in (".", "axe.stl", "duel.toml"):
        assert refusal(tmp_path / "duel.toml", f'mesh = "{name}"\n').endswith("(for fighter 'Kal' in duel.toml)")


@pytest.mark.skipif(os.sep != "/", reason="there both ways lead to the file")
def test_a_path_of_windows_that_is_there_with_slashes_is_told_them(tmp_path: Path) -> None:
    (tmp_path / "minis").mkdir()
    (tmp_path / "minis/axe.stl").write_bytes(b"")
    said = refusal(tmp_path / "duel.toml", "mesh = 'minis\\axe.stl'\n")
    assert said.endswith('write / in paths: "minis/axe.stl"')


def test_a_unit_and_what_is_wrong_with_it_are_said_by_the_table_of_the_scene(tmp_path: Path) -> None:
    for key in ('model = "axe.toml"', 'on = "roof"'):
        scene = {"rules": "skirmishcorps", "unit": [{"name": "A", "at": [0, 0], **tomllib.loads(key)}]}
        with pytest.raises(FileError, match="unit 'A'"):
            SKIRMISHCORPS.load(tmp_path / "duel.toml", scene, Cache(None))


@pytest.mark.parametrize("path", [r"C:\minis\axe.stl", r"C:\Users\me\axe.stl", r"C:\temp\new.stl"])
def test_a_path_of_windows_between_double_quotes_is_told_what_to_write(tmp_path: Path, path: str) -> None:
    said = refusal(tmp_path / "duel.toml", f'mesh = "{path}"\n')
    assert said.endswith("write / in paths, or put the path in '...'")
    assert "is not there" in refusal(tmp_path / "duel.toml", f"mesh = '{path}'\n")


def test_json_with_a_path_of_windows_is_told_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "duel.json").write_text('{"mesh": "C:\\minis\\axe.stl"}', encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read_document(tmp_path / "duel.json")
    assert str(caught.value).endswith("; write / in paths, or \\\\")


def test_a_table_in_the_wrong_place_is_told_where_it_belongs(tmp_path: Path) -> None:
    said = refusal(tmp_path / "duel.toml", 'mesh = "axe.stl"\n[[insignificant]]\npart = "banner"\n')
    assert said.endswith("unknown key 'insignificant'; it belongs in [[terrain]] or [[fighter]] or [[vehicle]]")


def test_no_message_tells_where_files_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for key in ("mesh", "model"):
        for name in ("axe.stl", (tmp_path / "axe.stl").as_posix()):
            said = refusal(Path("duel.toml"), f'{key} = "{name}"\n')
            assert said.startswith("axe.stl: ")
            assert str(tmp_path) not in said
