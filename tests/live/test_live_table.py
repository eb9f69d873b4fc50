"""Tests of the history of a table, of saving, and of what is kept where the program is killed."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from silhouette.common.errors import SilhouetteError
from silhouette.live.live_table import LiveTable, autosave_name
from tests.support.live_edits import DUEL, random_step, table_of, written

MOVE = {"piece": "Vex", "at": [10, 200]}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 6))])
def test_undo_and_redo_without_end(tmp_path: Path, seed: int) -> None:
    table, chance = table_of(written(tmp_path)), random.Random(seed)
    poses, told = [table.pose], list[int]()
    table.listeners.append(lambda: told.append(table.pose))
    for _ in range(60):
        before = table.document, table.pose, table.can_undo, table.can_redo, table.scene
        if not random_step(table, chance):
            assert (table.document, table.pose, table.can_undo, table.can_redo, table.scene) == before
        poses.append(table.pose)
    assert poses == sorted(poses)
    assert told == list(range(1, table.pose + 1))
    while table.can_redo:
        table.redo()
    last, text = table.document, table.text
    steps = 0
    while table.can_undo:
        table.undo()
        steps += 1
    assert table.text == DUEL
    assert table.is_saved
    for _ in range(steps):
        table.redo()
    assert (table.document, table.text, table.can_redo) == (last, text, False)
    with pytest.raises(SilhouetteError, match="nothing to do again"):
        table.redo()


def test_a_drag_is_one_step(tmp_path: Path) -> None:
    table = table_of(written(tmp_path))
    for drag in ("1", "1", "2", "2", None, None, "2"):
        table.edit([{"piece": "Vex", "at": [table.pose + 1, 200]}], drag)
    places = []
    while table.can_undo:
        table.undo()
        places.append(table.document["fighter"][1]["at"][0])
    assert places == [6, 5, 4, 2, 0]
    table.redo()
    table.edit([{"piece": "Vex", "at": [50, 200]}], "1")  # a drag that goes on after undo is another step
    assert not table.can_redo
    table.undo()
    assert table.document["fighter"][1]["at"][0] == 2


def test_saving_is_told_and_takes_back_nothing(tmp_path: Path) -> None:
    path = written(tmp_path)
    table = table_of(path)
    table.edit([MOVE])
    assert not table.is_saved
    assert table.save() == path
    assert table.is_saved
    assert path.read_text(encoding="utf-8") == DUEL.replace("at = [0, 200]", "at = [10, 200]")
    table.undo()
    assert not table.is_saved
    assert LiveTable.opened(path, table.cache).document["fighter"][1]["at"] == [10, 200]


def test_a_file_that_another_program_has_changed_is_not_written_over(tmp_path: Path) -> None:
    path = written(tmp_path)
    table = table_of(path)
    table.edit([MOVE])
    path.write_text(DUEL + "# by hand\n", encoding="utf-8")
    with pytest.raises(SilhouetteError, match=r"duel\.toml: was changed by another program since it was opened here"):
        table.save()
    assert path.read_text(encoding="utf-8").endswith("# by hand\n")
    assert table.save("mine.toml") == tmp_path / "mine.toml"
    table.edit([{"piece": "Vex", "at": [20, 200]}])
    table.save()
    (tmp_path / "mine.toml").unlink()
    table.edit([{"piece": "Vex", "at": [30, 200]}])
    table.save()  # what is not there any longer is written again
    assert "[30, 200]" in (tmp_path / "mine.toml").read_text(encoding="utf-8")
    path.unlink()
    path.mkdir()


def test_a_new_table_does_not_take_the_name_of_a_file_that_came_meanwhile(tmp_path: Path) -> None:
    document = table_of(written(tmp_path)).document
    table = LiveTable(tmp_path / "new.toml", document, table_of(tmp_path / "duel.toml").cache)
    written(tmp_path, "# by hand\n", "new.toml")
    with pytest.raises(SilhouetteError, match="is there already; give another name"):
        table.save()
    (tmp_path / "new.toml").unlink()
    table.save()
    assert table_of(tmp_path / "new.toml").document == document


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x.toml",
        "a/b.toml",
        "a\\b.toml",
        "/x.toml",
        ".x.toml",
        "x",
        "x.stl",
        "a\n.toml",
        "\0.toml",
        "c:x.toml",
    ],
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    table = table_of(written(tmp_path))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SilhouetteError, match=r"is no file name for a scene; give one such as 'table 2\.toml'"):
        table.save(name)
    assert sorted(tmp_path.iterdir()) == before


def test_another_name_must_be_free_and_is_the_table_s_from_then_on(tmp_path: Path) -> None:
    table = table_of(written(tmp_path))
    written(tmp_path, "", "taken.toml")
    (tmp_path / "link.toml").symlink_to(tmp_path / "nowhere.toml")
    for name in ("taken.toml", "link.toml"):
        with pytest.raises(SilhouetteError, match="is there already; give another name"):
            table.save(name)
    table.edit([MOVE])
    table.save("table 2.toml")
    assert table.path.name == table.scene.path.name == "table 2.toml"
    assert table.is_saved
    assert (tmp_path / "duel.toml").read_text(encoding="utf-8") == DUEL
    assert "# Kal waits." in table.path.read_text(encoding="utf-8")
    table.save("table 2.json")
    table.edit([{"piece": "Vex", "at": [7, 200]}])
    table.save()
    document = json.loads(table.path.read_text(encoding="utf-8"))
    assert document["fighter"] == table.document["fighter"]
    assert document["source"]["seen"] == "2024-05-01"
    assert table_of(table.path).scene.pieces


def test_what_was_not_saved_is_there_again_as_a_step_to_undo(tmp_path: Path) -> None:
    path = written(tmp_path)
    killed = table_of(path)
    killed.edit([MOVE, {"piece": "Kal", "name": "Cal"}])
    killed.save()
    killed.edit([{"piece": "Cal", "name": "Col"}, {"copy": "Bo"}, {"delete": "Vex"}])
    killed.autosave()
    table = table_of(path)
    assert table.document == killed.document
    assert table.text == killed.text
    assert '# Kal waits.\n[[fighter]]\nname = "Col"    # an Orlock\n' in table.text
    assert (table.can_undo, table.is_saved, table.notices) == (True, False, ())
    table.undo()
    assert table.text == path.read_text(encoding="utf-8")
    table.redo()
    table.save()
    assert not (tmp_path / autosave_name(path)).exists()
    assert not table_of(path).can_undo


def test_without_recovery_the_table_is_that_of_the_file(tmp_path: Path) -> None:
    killed = table_of(written(tmp_path))
    killed.edit([MOVE])
    killed.autosave()
    table = table_of(killed.path, recover=False)
    assert (table.text, table.can_undo) == (DUEL, False)
    assert killed.autosave_path.exists()


def test_what_is_saved_needs_no_second_file(tmp_path: Path) -> None:
    table = table_of(written(tmp_path))
    table.autosave()
    assert not table.autosave_path.exists()
    table.edit([MOVE])
    table.autosave()
    assert table.autosave_path.exists()
    table.undo()
    table.autosave()
    assert not table.autosave_path.exists()


DAMAGES = [b"", b"{", b"[]", b"\xff\xfe", b'"text"', b"{}", b'{"of": 1, "text": [], "names": 3}', b"[" * 100_000]


@pytest.mark.parametrize(
    "content", [*DAMAGES, b"other", b"older", b"no scene"], ids=lambda content: content[:9].decode("latin-1")
)
def test_damaged_or_outdated_changes_are_set_aside_and_told(tmp_path: Path, content: bytes) -> None:
    table = table_of(written(tmp_path))
    table.edit([MOVE])
    table.autosave()
    kept = table.autosave_path
    if content == b"older":
        written(tmp_path, DUEL + "# by hand\n")
        content = kept.read_bytes()
    elif content in (b"other", b"no scene"):
        document = json.loads(kept.read_text())
        document["text"] = "rules = [" if content == b"other" else 'rules = "ikosa"\n'
        content = json.dumps(document).encode()
    kept.write_bytes(content)
    before = table.path.read_text(encoding="utf-8")
    for number in (1, 2):
        opened = table_of(table.path)
        assert (opened.text, opened.can_undo) == (before, False)
        (notice,) = opened.notices
        aside = kept.with_name(f"{kept.stem}-{number}.json")
        assert notice.startswith(f"changes that were not saved lie in {aside.name} and are not shown: ")
        assert "\n" not in notice
        assert aside.read_bytes() == content
        assert not kept.exists()
        kept.write_bytes(content)


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    table = table_of(written(tmp_path))
    table.edit([MOVE])
    tmp_path.chmod(0o500)
    try:
        for write in (table.save, table.autosave, lambda: table.save("other.toml")):
            with pytest.raises(SilhouetteError, match="cannot be written"):
                write()
    finally:
        tmp_path.chmod(0o700)
    assert not table.is_saved


def test_a_disk_that_fails_leaves_the_file_and_the_table_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_of(written(tmp_path))
    table.edit([MOVE])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    for write in (table.save, table.autosave):
        with pytest.raises(SilhouetteError, match="no space left on device"):
            write()
    assert table.path.read_text(encoding="utf-8") == DUEL
    assert not table.is_saved
    assert [file.name for file in tmp_path.iterdir()] == ["duel.toml"]


def test_a_game_without_a_table_is_refused(tmp_path: Path) -> None:
    hexes = Path(__file__).resolve().parents[2] / "scenes/tide_of_iron/adjacent_units.toml"
    with pytest.raises(SilhouetteError, match='rules = "tide-of-iron" has no live table'):
        table_of(hexes)
