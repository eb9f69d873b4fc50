"""What is said of a model by clicking it, and the picture of it that is kept as evidence."""

from __future__ import annotations

import shutil
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from silhouette.common.errors import FileError, RequestError
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


@pytest.mark.long
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


@pytest.mark.thinned(quick=50, ci=70)
@pytest.mark.parametrize("has_eye", [True, False])
@pytest.mark.parametrize("before", [True, False])
def test_undo_after_saving_takes_a_model_file_back(table: LiveTable, before: bool, has_eye: bool) -> None:
    """A save is no step: those before it and after it are of the model file as it was then."""
    file = table.path.parent / "models/scout.toml"
    if not has_eye:
        file.write_text(file.read_text(encoding="utf-8").replace("\neye =", "\n# eye ="), encoding="utf-8")
        table = LiveTable.opened(table.path, Cache(None))
    original, eye = read_document(file), table.tags("Kal")["eye"]
    assert ("eye" in original) == has_eye
    for height in (27, 28):
        assert table.is_saved == (height == 27)
        tag(table, eye=[1, 2, height])
    assert not table.is_saved, "the model file has to be written as well"
    if not before:
        table.undo()
    table.save()
    steps = [(table.undo, [1, 2, 27]), (table.undo, None), (table.redo, [1, 2, 27]), (table.redo, [1, 2, 28])]
    for step, given in steps if before else steps[3:]:
        step()
        assert (table.tags("Kal")["eye"], table.tags("Kal")["eye_given"]) == (
            given or eye,
            has_eye or given is not None,
        )
        assert table.scene.piece("Zil").eye.tolist() == pytest.approx(zil_eye(table, given or eye), abs=0.006)
        assert table.is_saved == (before and given == [1, 2, 28])
    table.save()
    assert read_document(file) == {**original, "eye": [1, 2, 28]}
    while table.can_undo:
        table.undo()
    assert not table.is_saved
    table.save()
    assert read_document(file) == original
    assert table.is_saved


@pytest.mark.parametrize("redone", [False, True])
def test_undo_brings_a_model_file_back_to_the_letter_and_its_picture_with_it(table: LiveTable, redone: bool) -> None:
    file, picture = table.path.parent / "models/scout.toml", table.path.parent / "models/scout.png"
    text = file.read_text(encoding="utf-8").replace("[[insignificant]]", "[[insignificant]] # by hand", 1)
    file.write_text(text, encoding="utf-8")
    table = LiveTable.opened(table.path, Cache(None))
    tag(table, insignificant=[])
    table.picture("Kal", as_text(png()))
    table.save()
    tagged, shown = file.read_text(encoding="utf-8"), picture.read_bytes()
    assert tagged != text
    table.undo()
    table.save()
    assert file.read_text(encoding="utf-8") == text
    assert not picture.exists()
    if redone:
        table.redo()
        table.save()
        assert (file.read_text(encoding="utf-8"), picture.read_bytes()) == (tagged, shown)


def test_undo_keeps_what_others_wrote_into_a_model_file_meanwhile(table: LiveTable) -> None:
    file = table.path.parent / "models/scout.toml"
    tag(table, eye=[0, 1, 27])
    table.save()
    file.write_text(file.read_text(encoding="utf-8") + "# of somebody else\n", encoding="utf-8")
    table.undo()
    table.save()
    assert "# of somebody else" in file.read_text(encoding="utf-8")


def zil_eye(table: LiveTable, eye: list[float]) -> list[float]:
    """The eye of another piece of the same model, mm on the table."""
    place: list[float] = table.scene.piece("Zil").pose.place(np.array([eye]))[0].tolist()
    return place


def test_a_key_that_goes_from_a_model_file_does_not_count_from_now_on(table: LiveTable) -> None:
    def ignored(table: LiveTable) -> int:
        return len(table.scene.piece("Zil").model.ignored.faces)

    original, count = table.tags("Kal")["insignificant"], ignored(table)
    assert original
    tag(table, insignificant=None)
    assert table.tags("Kal")["insignificant"] == []
    without = ignored(table)
    assert without < count
    table.save()
    assert "insignificant" not in read_document(table.path.parent / "models/scout.toml")
    assert ignored(LiveTable.opened(table.path, Cache(None))) == without
    table.undo()
    assert (table.tags("Kal")["insignificant"], ignored(table)) == (original, count)


@pytest.mark.long
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


@pytest.mark.thinned(quick=18, ci=18)
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
