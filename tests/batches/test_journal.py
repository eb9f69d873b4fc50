"""Rows on the disk as they come: whatever is cut off is dropped, and what is whole is there again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from silhouette import FileError, RequestError
from silhouette.batches.journal import Journal, JournalRows
from silhouette.files.writing import open_own

ASKED = {"renderer": "reference", "pixel": None}


def begun(out: Path, *, resume: bool = False, asked: dict[str, Any] = ASKED) -> Journal:
    return Journal(out, asked, resume=resume)


@contextmanager
def interrupted(out: Path, *, resume: bool = False) -> Iterator[Journal]:
    """A journal in use, until Ctrl-C."""
    with suppress(KeyboardInterrupt), begun(out, resume=resume) as journal:
        yield journal
        raise KeyboardInterrupt


def stopped(out: Path) -> Path:
    """The journal of a batch that ended in the middle: two scenes opened, three checks judged."""
    with interrupted(out) as journal:
        journal.open_scene("a.toml", "da", 2)
        journal.add("a.toml", 1, {"verdict": "open", "share": 1 / 3})
        journal.open_scene("b.toml", "db", 3)
        journal.add("b.toml", 0, {"verdict": "hidden"})
        journal.add("a.toml", 0, {"verdict": 'Kąl, "the\nRed" 🎲'})
    return journal.path


def test_rows_come_in_the_order_of_scenes_and_checks(tmp_path: Path) -> None:
    stopped(tmp_path / "out.jsonl")
    with begun(tmp_path / "out.jsonl", resume=True) as journal:
        assert list(JournalRows(journal, ["b.toml", "a.toml"])) == [
            {"scene": "b.toml", "verdict": "hidden"},
            {"scene": "a.toml", "verdict": 'Kąl, "the\nRed" 🎲'},
            {"scene": "a.toml", "verdict": "open", "share": 1 / 3},
        ]
        journal.add("b.toml", 2, {"verdict": "late"})
        assert [row["verdict"] for row in JournalRows(journal, ["b.toml"])] == ["hidden", "late"]
        journal.finished()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_journal_cut_off_anywhere_gives_back_its_whole_lines(tmp_path: Path) -> None:
    path = stopped(tmp_path / "out.jsonl")
    content = path.read_bytes()
    for end in range(len(content) + 1):
        path.write_bytes(content[:end])
        whole = content[:end].count(b"\n")
        with interrupted(tmp_path / "out.jsonl", resume=True) as journal:
            judged = sum(len(kept.judged) for kept in journal.scenes.values())
            assert judged == max(0, whole - 2) - (whole > 3)
            journal.open_scene("c.toml", "dc", 1)
            journal.add("c.toml", 0, {"verdict": "after"})
        assert all(isinstance(json.loads(line), dict) for line in path.read_bytes().splitlines())


def test_a_scene_opened_anew_forgets_what_was_judged_of_it(tmp_path: Path) -> None:
    stopped(tmp_path / "out.jsonl")
    with begun(tmp_path / "out.jsonl", resume=True) as journal:
        journal.open_scene("a.toml", "another", 2)
        assert journal.scenes["a.toml"].judged == {}
        assert list(JournalRows(journal, ["a.toml"])) == []


def test_an_unfinished_batch_is_neither_lost_by_accident_nor_gone_on_with_otherwise(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    before = stopped(out).read_bytes()
    with pytest.raises(RequestError, match=r"an unfinished batch is kept there; go on with it by --resume"), begun(out):
        pass
    with (
        pytest.raises(
            RequestError, match=r"begun with --renderer reference, no --pixel, not with --renderer gl, --pixel 0\.2"
        ),
        begun(out, resume=True, asked={"renderer": "gl", "pixel": 0.2}),
    ):
        pass
    assert (tmp_path / "out.jsonl.unfinished").read_bytes() == before
    assert not (tmp_path / "out.jsonl.lock").exists()


def test_two_cannot_write_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("silhouette.batches.journal.LOCKED_WITHIN", 0.0)
    with begun(tmp_path / "out.jsonl") as journal:
        with pytest.raises(FileError, match="another batch is writing it now"), begun(tmp_path / "out.jsonl"):
            pass
        with begun(tmp_path / "other.jsonl"):
            pass
        journal.add("a.toml", 0, {})
    with begun(tmp_path / "out.jsonl", resume=True):
        pass


def test_nothing_is_left_where_nothing_was_judged(tmp_path: Path) -> None:
    with interrupted(tmp_path / "out.jsonl"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_or_goes_away_is_a_plain_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no folder"), begun(tmp_path / "no" / "out.jsonl"):
        pass
    folder = tmp_path / "here"
    folder.mkdir()
    with begun(folder / "out.jsonl") as journal:
        shutil.rmtree(folder)
        with pytest.raises(FileError, match=r"cannot be written \(it was removed\)"):
            journal.open_scene("a.toml", "da", 2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_a_plain_error_and_what_was_written_before_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with interrupted(out) as journal, Path("/dev/full").open("r+b", buffering=0) as full:
        journal.open_scene("a.toml", "da", 2)
        journal.add("a.toml", 0, {"verdict": "open"})
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(journal, "_file", full)
            with pytest.raises(
                FileError, match=r"\(No space left on device\); put that right, then go on with --resume"
            ):
                journal.add("a.toml", 1, {"verdict": "hidden"})
    with begun(out, resume=True) as journal:
        assert list(journal.scenes["a.toml"].judged) == [0]


@pytest.mark.parametrize("resume", [False, True])
def test_what_somebody_else_put_under_its_name_is_neither_followed_nor_waited_for(tmp_path: Path, resume: bool) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes among its files")
    journal = tmp_path / "out.jsonl.unfinished"
    (tmp_path / "letters").write_text("dear")
    for plant in (
        lambda: journal.symlink_to("letters"),
        lambda: journal.symlink_to("gone"),
        lambda: os.mkfifo(journal),
    ):
        plant()
        with (
            pytest.raises(FileError, match="is no regular file, and so no unfinished batch"),
            begun(tmp_path / "out.jsonl", resume=resume),
        ):
            pass
        journal.unlink()
    assert (tmp_path / "letters").read_text() == "dear"
    assert [path.name for path in tmp_path.iterdir()] == ["letters"]


def test_what_somebody_else_put_under_the_name_of_its_lock_is_named(tmp_path: Path) -> None:
    lock = tmp_path / "out.jsonl.lock"
    (tmp_path / "letters").write_text("dear")
    for plant in (lambda: lock.symlink_to("letters"), lambda: lock.symlink_to("gone"), lock.mkdir):
        plant()
        with (
            pytest.raises(FileError, match=r"out.jsonl.lock: is no regular file, and so no lock of a batch; delete it"),
            begun(tmp_path / "out.jsonl", resume=False),
        ):
            pass
        lock.rmdir() if lock.is_dir() else lock.unlink()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("letters", "dear")]


def test_a_name_taken_since_it_was_looked_at_is_not_followed_either(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes among its files")
    (tmp_path / "letters").write_text("dear")
    (tmp_path / "link").symlink_to("letters")
    os.mkfifo(tmp_path / "pipe")
    for name, new, says in (("link", False, "link"), ("link", True, "exists"), ("pipe", False, "no regular file")):
        with pytest.raises(OSError, match=says):
            open_own(tmp_path / name, new=new)
    assert (tmp_path / "letters").read_text() == "dear"


def test_a_scene_is_the_same_however_its_path_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a later session from elsewhere, and where the whole folder has moved."""
    here, out = tmp_path / "here", Path("results/out.jsonl")
    for folder in ("results", "pack/deep"):
        (here / folder).mkdir(parents=True)

    def judged(scenes: list[str], folder: Path, out: Path) -> dict[str, list[int]]:
        monkeypatch.chdir(folder)
        with suppress(KeyboardInterrupt), Journal(out, ASKED, resume=True, scenes=scenes) as journal:
            known = {scene: list(progress.judged) for scene, progress in journal.scenes.items()}
            for scene in scenes:
                if scene not in known:
                    journal.open_scene(scene, "d", 9)
                journal.add(scene, len(known.get(scene, [])), {})
            raise KeyboardInterrupt
        return known

    assert judged(["pack/a.toml", "pack/deep/b.toml"], here, out) == {}
    assert judged(["./pack//a.toml"], here, out)["./pack//a.toml"] == [0]
    assert judged([str(here / "pack" / "a.toml")], here, out)[str(here / "pack" / "a.toml")] == [0, 1]
    assert judged(["../a.toml", "b.toml"], here / "pack" / "deep", Path("../../results/out.jsonl")) == {
        "../a.toml": [0, 1, 2],
        "b.toml": [0],
    }
    monkeypatch.chdir(tmp_path)
    here.rename(tmp_path / "there")
    assert judged(["b.toml", "a.toml"], tmp_path / "there" / "pack", Path("../results/out.jsonl")) == {
        "a.toml": [0, 1, 3],  # the row of the absolute path stayed behind
        str(tmp_path / "there" / "pack" / "deep" / "b.toml"): [0, 1],
    }
    assert judged(["deep/b.toml"], tmp_path / "there" / "pack", Path("../results/out.jsonl"))["deep/b.toml"] == [0, 1]
