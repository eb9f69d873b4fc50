"""Reading users' files: the one way in, for scenes, models, meshes and what these refer to.

Only regular files are opened. A pipe, a device or a socket, also by a link, is refused by what the file system says
about it: opening it could wait for ever, or never end. Nothing is read beyond the size that the caller allows.
"""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

from silhouette.errors import FileError

LARGEST_FILE = 512 * 1024**2
"""Bytes of a mesh file, or of a file that it refers to."""

DOCUMENTS = (".toml", ".json")
"""How scene and model files end."""

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def read_file(path: Path, most: int) -> bytes:
    """The bytes of a regular file.

    Args:
        path: of the file; links are followed.
        most: the largest size in bytes.

    Raises:
        FileError: where it is missing, a folder, no regular file, larger than ``most``, or cannot be read.

    >>> read_file(Path("no such scene.toml"), 100)
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: no such scene.toml: there is no such file; give the path of one that is there
    """
    with open_file(path) as file:
        try:
            size = os.fstat(file.fileno()).st_size
            content = b"" if size > most else file.read(size + 1)
            if max(size, len(content)) > most:
                raise FileError(
                    path, f"is larger than {size_in_words(most)}, the most that is read; give a smaller one"
                )
        except OSError as error:
            raise _unreadable(path, error) from None
    return content


def open_file(path: Path) -> BufferedReader:
    """A regular file, open for reading.

    Raises:
        FileError: where it is missing, a folder, no regular file, or cannot be opened.
    """
    try:
        _check(path, path.stat().st_mode)
        file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115
        try:
            _check(path, os.fstat(file.fileno()).st_mode)
        except BaseException:
            file.close()
            raise
    except FileNotFoundError:
        raise missing(path) from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    return file


def missing(path: Path) -> FileError:
    """The error about a file that is not there: for a link, that it leads nowhere."""
    if path.is_symlink():
        return FileError(path, f"is a link to {os.readlink(path)}, which is not there; give the path of a file that is")
    return FileError(path, "there is no such file; give the path of one that is there")


def _without_waiting(name: str, flags: int) -> int:
    """Opens a file; where a pipe has taken its name since it was looked at, without waiting for a writer."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def size_in_words(size: int) -> str:
    """A number of bytes in words.

    >>> size_in_words(8 << 20), size_in_words(300 << 10)
    ('8 MiB', '300 KiB')
    """
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def no_file(mode: int) -> str:
    """What something in the file system is that is neither a regular file nor a folder; empty for these two.

    Args:
        mode: as `os.stat` gives it.

    >>> no_file(stat.S_IFIFO), no_file(stat.S_IFREG)
    ('a pipe', '')
    """
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else _KINDS.get(stat.S_IFMT(mode), "something else")


def _check(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise FileError(path, "is a folder; give a file in it")
    if kind := no_file(mode):
        raise FileError(path, f"is {kind} and no regular file; give the path of a file")


def _unreadable(path: Path, error: OSError | ValueError) -> FileError:
    reason = (error.strerror if isinstance(error, OSError) else "") or "its name is none that a file can have"
    return FileError(path, f"cannot be read ({reason.lower()}); give a file that you may read")
