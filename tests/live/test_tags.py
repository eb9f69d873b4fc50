"""What is said of a model by clicking it, and the picture of it that is kept as evidence."""

from __future__ import annotations

import shutil
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from silhouette.errors import FileError, RequestError
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.live.live_table import MAX_PICTURE_BYTES, LiveTable, is_ours
from tests.conftest import PROJECT

SCENE = """rules = "necromunda"
table = [300, 300]

[[fighter]]
name = "Kal"
model = "models/scout.toml"
at = [0, -60]
facing = 90

[[fighter]]
name = "Zil"
model = "models/scout.toml"
at = [60, -60]
facing = 90

[[fighter]]
name = "Vex"
mesh = "models/scout.glb"
at = [0, 60]
facing = 270
"""


def png(width: int = 8, height: int = 8) -> bytes:
    stream = BytesIO()
    Image.effect_noise((width, height), 99).save(stream, "PNG")
    return stream.getvalue()


def as_text(content: bytes) -> str:
    return b64encode(content).decode()


@pytest.fixture
def table(tmp_path: Path) -> LiveTable:
    (tmp_path / "models").mkdir()
    for name in ("scout.toml", "scout.glb"):
        shutil.copy(PROJECT / "models" / name, tmp_path / "models")
    file = tmp_path / "scene.toml"
    file.write_text(SCENE, encoding="utf-8")
    return LiveTable.opened(file, Cache(None))


def tag(table: LiveTable, **said: Any) -> None:
    table.edit([{"tag": "Kal", **said}])


@pytest.mark.slow
def test_what_is_said_of_a_model_is_told_and_saved_in_its_file(table: LiveTable) -> None:
    before = table.tags("Kal")
    assert before["file"] == "models/scout.toml"
    assert before["parts"]
    box = {"box": [[-2, 5, 14], [2, 18, 17]]}
    tag(table, eye=[1, 2, 28], insignificant=[*before["insignificant"], box])
    for name in ("Kal", "Zil"):
        now = table.tags(name)
        assert (now["eye"], now["eye_given"]) == ([1, 2, 28], True)
        assert now["insignificant"] == [*before["insignificant"], box]
    other = table.tags("Vex")
    assert (other["file"], other["eye_given"], other["insignificant"]) == ("scene.toml", False, [])
    tag(table, insignificant=before["insignificant"])
    assert table.tags("Kal")["insignificant"] == before["insignificant"]
    table.save()
    assert read_document(table.path.parent / "models/scout.toml")["eye"] == [1, 2, 28]
    with pytest.raises(RequestError, match="Nobody"):
        table.tags("Nobody")


@pytest.mark.parametrize("before", [True, False])
def test_what_is_saved_of_a_model_is_not_taken_back(table: LiveTable, before: bool) -> None:
    """The steps before and after a save are of the scene: a model file that was saved stays as it is."""
    file = table.path.parent / "models/scout.toml"
    for height in (27, 28):
        assert table.is_saved == (height == 27)
        tag(table, eye=[1, 2, height])
    assert not table.is_saved, "the model file has to be written as well"
    kept = [1, 2, 28]
    if not before:
        table.undo()
        kept = [1, 2, 27]
    table.save()
    saved = file.read_text(encoding="utf-8")
    for step in (table.undo, table.undo) if before else (table.redo,):
        step()
        assert table.tags("Kal")["eye"] == kept
        assert table.scene.piece("Zil").own_eye.tolist() == kept
    table.edit([{"piece": "Vex", "at": [10.0, 60.0]}])
    table.save()
    assert file.read_text(encoding="utf-8") == saved


@pytest.mark.slow
def test_a_part_that_is_clicked_does_not_count(table: LiveTable) -> None:
    scene, part = table.scene, table.tags("Vex")["parts"][-1]
    mesh = scene.piece("Vex").model.mesh
    number = mesh.part_names.index(part)
    corner = mesh.vertices[mesh.faces[mesh.part == number][0]].mean(axis=0)
    table.edit([{"tag": "Vex", "part_at": corner.tolist()}])
    assert table.tags("Vex")["insignificant"] == [{"part": part}]


def test_the_picture_lies_beside_the_model_file_that_was_tagged(table: LiveTable) -> None:
    file, content = table.path.parent / "models/scout.png", png()
    assert table.picture("Kal", as_text(content)) is None  # nothing is tagged yet
    tag(table, eye=[0, 1, 27])
    assert table.picture("Kal", as_text(content)) == file
    assert table.picture("Vex", as_text(content)) is None  # has no model file
    assert not file.exists()
    table.save()
    assert is_ours(file)
    with Image.open(file) as shown, Image.open(BytesIO(content)) as given:
        assert shown.text["Software"].startswith("Silhouette")
        assert shown.tobytes() == given.tobytes()
    tag(table, eye=[0, 1, 26])
    assert table.picture("Kal", as_text(png(16))) == file  # ours is replaced
    table.save()
    with Image.open(file) as shown:
        assert shown.size == (16, 8)


def test_a_picture_of_other_tags_is_not_written(table: LiveTable) -> None:
    tag(table, eye=[0, 1, 27])
    table.picture("Kal", as_text(png()))
    tag(table, eye=[0, 1, 26])
    table.save()
    assert not (table.path.parent / "models/scout.png").exists()


def test_a_picture_of_somebody_else_stays(table: LiveTable) -> None:
    file, content = table.path.parent / "models/scout.png", png()
    tag(table, eye=[0, 1, 27])
    file.write_bytes(content)
    with pytest.raises(FileError, match="is there already"):
        table.picture("Kal", as_text(png()))
    file.unlink()
    table.picture("Kal", as_text(png()))
    file.write_bytes(content)  # between the picture and the save
    table.save()
    assert file.read_bytes() == content
    assert table.is_saved


@pytest.mark.thinned(quick=18)
@pytest.mark.parametrize(
    "data",
    [
        None,
        7,
        "",
        "no base 64!",
        as_text(b"\x89PNG\r\n\x1a\n"),
        as_text(b"GIF89a" + bytes(100)),
        as_text(png()[:20]),
        as_text(b"\x89PNG\r\n\x1a\n" + bytes(MAX_PICTURE_BYTES)),
    ],
)
def test_what_is_no_picture_is_refused(table: LiveTable, data: object) -> None:
    tag(table, eye=[0, 1, 27])
    with pytest.raises(RequestError, match=r"PNG in base 64|are the most"):
        table.picture("Kal", data)
