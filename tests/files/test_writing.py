"""Files and folders are written whole, or not at all, whatever happens in between."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from silhouette.errors import FileError
from silhouette.files.writing import Content, check_place, replacing, replacing_folder, write_file

PACKAGE = Path(__file__).resolve().parents[2] / "silhouette"


@pytest.mark.parametrize("content", ["Grüße\n", "Grüße\n".encode(), lambda file: file.write("Grüße\n".encode())])
def test_text_bytes_and_a_function_give_the_same_file(tmp_path: Path, content: Content) -> None:
    file = tmp_path / "file.txt"
    for _ in range(2):  # new, and in place of an earlier one
        write_file(file, content)
        assert file.read_bytes() == "Grüße\n".encode()
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError("no"), OSError(28, "No space left on device")])
def test_a_file_that_is_not_finished_leaves_the_earlier_one(tmp_path: Path, error: Any) -> None:
    file = tmp_path / "file.txt"
    file.write_text("before")

    def broken(stream: Any) -> None:
        stream.write(b"half")
        raise error

    raised = FileError if isinstance(error, OSError) else (KeyboardInterrupt, ValueError)
    with pytest.raises(raised):
        write_file(file, broken)
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def link(path: Path, target: str) -> Path:
    """A symbolic link, where this system lets one be made."""
    try:
        path.symlink_to(target)
    except OSError as error:  # on Windows that takes a right that not everyone has
        pytest.skip(f"links cannot be made here ({error})")
    return path


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_the_file_that_it_leads_to_is_replaced(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "disk").mkdir()
    target = tmp_path / "disk" / "rows.csv"
    if exists:
        target.write_text("before")
    near = link(tmp_path / "near.csv", "disk/rows.csv")
    far = link(tmp_path / "far.csv", "near.csv")

    def broken(stream: Any) -> None:
        stream.write(b"half")
        assert [path.parent for path in tmp_path.rglob("*.part")] == [target.parent]
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        write_file(far, broken)
    assert target.exists() == exists
    write_file(far, "after")
    assert (target.read_text(), target.is_symlink(), near.is_symlink(), far.is_symlink()) == (
        "after",
        False,
        True,
        True,
    )
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["disk", "far.csv", "near.csv", "rows.csv"]


@pytest.mark.parametrize("step", ["os.replace", "os.fsync"])
def test_a_failure_at_the_end_is_one_plain_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    file = tmp_path / "file.txt"
    file.write_text("before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(step, full)
    with pytest.raises(FileError) as caught:
        write_file(file, "after")
    assert str(caught.value) == f"{file}: cannot be written (no space left on device)"
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_only_what_need_not_last_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = list[int]()
    monkeypatch.setattr("os.fsync", synced.append)
    with replacing(tmp_path / "cached", sync=False) as file:
        file.write(b"made again at any time")
    assert synced == []
    write_file(tmp_path / "kept", "made once")
    assert len(synced) == 1


def test_no_folder_and_a_folder_in_the_way_are_plain_errors(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        write_file(tmp_path / "no" / "file.txt", "text")
    (tmp_path / "file.txt").mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        write_file(tmp_path / "file.txt", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


def test_a_folder_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "pages"
    for name in ("first", "second"):
        with replacing_folder(folder) as new:
            write_file(new / name, name)
            assert not (folder / name).exists()
        assert [file.name for file in folder.iterdir()] == [name]
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_folder_that_is_not_finished_leaves_the_earlier_one(tmp_path: Path, error: Any) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "first").touch()

    def write_half() -> None:
        with replacing_folder(folder) as new:
            (new / "second").touch()
            raise error

    with pytest.raises((KeyboardInterrupt, FileError)):
        write_half()
    assert [file.name for file in folder.iterdir()] == ["first"]
    assert list(tmp_path.iterdir()) == [folder]


def test_a_folder_that_cannot_be_put_leaves_the_earlier_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, moved = tmp_path / "pages", os.replace
    folder.mkdir()
    (folder / "first").touch()

    def refusing(source: Path, target: Path) -> None:
        if (source / "second").exists():
            raise PermissionError(13, "Permission denied")
        moved(source, target)

    monkeypatch.setattr("os.replace", refusing)
    with (
        pytest.raises(FileError, match=r"pages: cannot be written \(permission denied\)"),
        replacing_folder(folder) as new,
    ):
        (new / "second").touch()
    assert [file.name for file in folder.iterdir()] == ["first"]
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes among its files")
def test_a_pipe_or_a_device_keeps_its_name(tmp_path: Path) -> None:
    """Whoever may write anything, such as root, would else take the name of /dev/null from the whole machine."""
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "link.csv").symlink_to("pipe.csv")
    for name in ("pipe.csv", "link.csv"):
        with pytest.raises(FileError, match=rf"{name}: is a pipe and no regular file, and would be replaced"):
            check_place(tmp_path / name)
        with pytest.raises(FileError, match=rf"{name}: cannot be written \(it is a pipe and no regular file\)"):
            write_file(tmp_path / name, "words")
    assert stat.S_ISFIFO((tmp_path / "pipe.csv").stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.csv", "pipe.csv"]


def test_nothing_else_in_the_package_writes_a_file_and_renames_it() -> None:
    own = re.compile(r"os\.(replace|rename|fsync)\(|NamedTemporaryFile|mkstemp|\.write_(text|bytes)\(")
    # Doctests write the scene that they then judge.
    found = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if own.search(line) and not line.lstrip().startswith((">>> ", "... "))
    }
    assert found == {"files/writing.py"}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("name", ["page.html", "film.gif", "picture.png", "rows.csv", "figure"])
def test_a_scene_is_not_written_over_through_a_link(tmp_path: Path, name: str) -> None:
    (tmp_path / "duel.toml").write_text("title = 'Duel'", encoding="utf-8")
    (tmp_path / name).symlink_to("duel.toml")
    for write in (check_place, lambda path: write_file(path, "new")):
        with pytest.raises(FileError, match=r"is a link to duel\.toml"):
            write(tmp_path / name)
    assert (tmp_path / "duel.toml").read_text(encoding="utf-8") == "title = 'Duel'"
