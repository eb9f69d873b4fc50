"""Files are written whole, or not at all, whatever happens in between."""

from __future__ import annotations

import os
import re
import signal
import stat
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from silhouette.common.errors import FileError, WrittenFileWarning
from silhouette.files.writing import Content, check_place, replacing, write_file

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


@pytest.mark.skipif(os.name == "nt", reason="it has no such permissions")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755, 0o444])
def test_what_is_saved_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    if mode == 0o444 and os.geteuid():
        pytest.skip("only root may write what is read-only")
    file = tmp_path / "duel.toml"
    file.write_text("before")
    file.chmod(mode)
    seen = list[int]()

    def content(stream: Any) -> None:
        (partial,) = tmp_path.glob("*.part")
        seen.append(stat.S_IMODE(partial.stat().st_mode))
        stream.write(b"after")

    write_file(file, content)
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode), seen) == ("after", mode, [mode])


@pytest.mark.skipif(os.name == "nt", reason="it has no umask")
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        write_file(tmp_path / "new.toml", "words")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.toml").stat().st_mode) == 0o666 & ~umask


def test_what_is_read_only_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "duel.toml"
    file.write_text("before")
    file.chmod(0o444)
    allowed = os.access
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK and allowed(path, mode))  # root may anything
    with pytest.raises(FileError, match=r"duel\.toml: cannot be written \(it is read-only\)"):
        write_file(file, "after")
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("others", [0, 1, 2])
def test_other_names_of_a_file_keep_the_earlier_content_and_a_warning_says_so(tmp_path: Path, others: int) -> None:
    file = tmp_path / "duel.toml"
    file.write_text("before")
    for number in range(others):
        os.link(file, tmp_path / f"copy {number}")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        write_file(file, "after")
    assert file.read_text() == "after"
    assert [(tmp_path / f"copy {number}").read_text() for number in range(others)] == ["before"] * others
    words = {0: [], 1: ["1 other name (hard links)"], 2: ["2 other names (hard links)"]}[others]
    assert [str(one.message).partition(" had ")[2].partition(",")[0] for one in caught] == words
    assert all(one.category is WrittenFileWarning for one in caught)


def test_errors_name_the_file_that_the_user_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "rows.csv"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", str(next(tmp_path.glob("*.part"))))

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left") as caught, replacing(file) as stream:
        stream.write(b"words")
    assert (caught.value.filename, caught.value.filename2) == (str(file), None)


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="this system has no limit on files")
@pytest.mark.parametrize("content", ["bytes", "array", "picture"])
def test_a_limit_on_the_size_of_files_is_one_plain_line(tmp_path: Path, content: str) -> None:
    import resource

    def write(stream: Any) -> None:
        if content == "bytes":
            stream.write(b"0" * 200_000)
        elif content == "array":
            np.save(stream, np.zeros(50_000))
        else:
            noise = np.random.default_rng(0).integers(0, 256, (300, 300, 3), dtype=np.uint8)
            Image.fromarray(noise).save(stream, format="PNG")

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(
            FileError, match=r"file\.bin: cannot be written \((file too large|the disk is full, or .*)\)$"
        ):
            write_file(tmp_path / "file.bin", write)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


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
    assert found == {"files/writing.py", "files/changing.py"}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("name", ["page.html", "film.gif", "picture.png", "rows.csv", "figure"])
def test_a_scene_is_not_written_over_through_a_link(tmp_path: Path, name: str) -> None:
    (tmp_path / "duel.toml").write_text("title = 'Duel'", encoding="utf-8")
    (tmp_path / name).symlink_to("duel.toml")
    for write in (check_place, lambda path: write_file(path, "new")):
        with pytest.raises(FileError, match=r"is a link to duel\.toml"):
            write(tmp_path / name)
    assert (tmp_path / "duel.toml").read_text(encoding="utf-8") == "title = 'Duel'"
