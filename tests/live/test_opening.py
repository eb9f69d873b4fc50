"""What a table opens with: a scene, a folder of a scan or of meshes, or nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from silhouette.common.errors import FileError
from silhouette.files.cache import Cache
from silhouette.live.live_table import opened
from tests.conftest import PROJECT

SCENE = """rules = "necromunda"
[[fighter]]
name = "Kal"
figure = { base = 32, height = 38 }
at = [0, 0]
"""


@pytest.mark.long
def test_a_folder_of_meshes_stands_on_a_first_table_that_is_not_saved(tmp_path: Path) -> None:
    for name in ("scout", "crate"):
        shutil.copy(PROJECT / f"models/{name}.glb", tmp_path)
    (tmp_path / ".hidden.stl").write_text("no mesh", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no mesh", encoding="utf-8")
    table = opened(tmp_path, Cache(None))
    named = [entry["mesh"] for entries in table.document.values() if isinstance(entries, list) for entry in entries
             if isinstance(entry, dict) and "mesh" in entry]  # fmt: skip
    assert sorted(named) == ["crate.glb", "scout.glb"]
    assert {"crate", "scout"} <= {piece.name for piece in table.scene.pieces}
    assert not table.is_saved
    assert not (tmp_path / "scene.toml").exists()
    assert table.save() == tmp_path / "scene.toml"
    assert [piece.name for piece in opened(tmp_path, Cache(None)).scene.pieces] == [
        piece.name for piece in table.scene.pieces
    ]


def test_a_folder_with_a_scene_opens_it(tmp_path: Path) -> None:
    shutil.copy(PROJECT / "models/crate.glb", tmp_path)
    (tmp_path / "scene.toml").write_text(SCENE, encoding="utf-8")
    for path in (tmp_path, tmp_path / "scene.toml"):
        table = opened(path, Cache(None))
        assert [piece.name for piece in table.scene.pieces] == ["Kal"]
        assert table.is_saved


def test_without_anything_there_is_a_first_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = opened(None, Cache(None))
    assert table.scene.pieces
    assert list(tmp_path.iterdir()) == []
    table.save()
    (tmp_path / "scene.toml").write_text(SCENE, encoding="utf-8")
    assert [piece.name for piece in opened(None, Cache(None)).scene.pieces] == ["Kal"]


def test_a_first_table_leaves_nothing_behind_until_something_is_done_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = opened(None, Cache(None))
    for act in (lambda: None, lambda: table.edit([{"delete": table.scene.pieces[0].name}]), table.undo):
        act()
        table.autosave()
        assert bool(list(tmp_path.iterdir())) == table.can_undo
    table.redo()
    table.autosave()
    again = opened(None, Cache(None))
    assert again.document == table.document
    again.undo()
    again.autosave()
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_opened_is_refused_in_a_line(tmp_path: Path) -> None:
    empty, plain = tmp_path / "empty", tmp_path / "plain"
    empty.mkdir()
    plain.mkdir()
    (empty / "notes.txt").write_text("nothing", encoding="utf-8")
    (plain / "duel.toml").write_text(SCENE, encoding="utf-8")
    (tmp_path / "crate.glb").write_bytes(b"glTF")
    for path, words in (
        (empty, "without a scene or meshes"),
        (plain, "such as .*duel.toml"),
        (tmp_path / "crate.glb", "is a mesh, not a scene"),
        (tmp_path / "missing.toml", "no such file"),
    ):
        with pytest.raises(FileError, match=words) as refused:
            opened(path, Cache(None))
        assert "\n" not in str(refused.value)
