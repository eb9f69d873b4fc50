"""Writing a file or a folder whole, or not at all: every file that this program writes for a user is written here.

The content is written under a temporary name in the same folder, and that name is then changed to the final one, which
a file system does in one step. A reader sees the earlier content or the new one, never half of either; after a crash,
a full disk or an interrupt the earlier content is still there.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from silhouette.errors import FileError
from silhouette.files.reading import DOCUMENTS, no_file

PARTIAL = ".part"
"""How the temporary names end; a process that is killed may leave such a file or folder behind."""

Content = str | bytes | Callable[[BinaryIO], object]
"""What a file is to hold: text, written as UTF-8; bytes; or a function that writes to the open file."""


def make_folder(folder: Path) -> None:
    """Makes a folder, and those that it lies in, where they are not there.

    Raises:
        FileError: where that cannot be.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FileError(folder, "is a file; give the name of a folder") from None
    except OSError as error:
        raise FileError(folder, f"cannot be made a folder ({(error.strerror or str(error)).lower()})") from None


def check_place(path: Path) -> None:
    """Refuses a name under which no file can be written, before the work for it begins; links are followed.

    Raises:
        FileError: where it is a folder, a pipe, a device or a socket, or a link to a scene or model file, or the folder
            that it lies in is not there.

    >>> check_place(Path("nowhere/duel.png"))
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: nowhere/duel.png: there is no folder nowhere; make it first or give another
    """
    folder = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
    if path.is_dir():
        raise FileError(path, "is a folder; give the name of a file")
    if not folder.is_dir():
        raise FileError(path, f"there is no folder {folder}; make it first or give another")
    if kind := _taken_by(path):
        raise FileError(path, f"is {kind} and no regular file, and would be replaced; give another name")
    if document := _document_behind(path):
        raise FileError(path, f"is a link to {document}, which would be written over; give another name")


def _taken_by(path: Path) -> str:
    """What has a name, links followed, where that is neither a file nor a folder, such as a device; empty elsewhere."""
    try:
        return no_file(path.stat().st_mode)
    except OSError:
        return ""


def _document_behind(path: Path) -> str:
    """The name of the scene or model file to which a link leads whose own name is that of no such file; else empty."""
    if not path.is_symlink() or path.suffix.lower() in DOCUMENTS:
        return ""
    final = Path(os.path.realpath(path))
    return final.name if final.suffix.lower() in DOCUMENTS and final.is_file() else ""


def write_file(path: Path, content: Content) -> None:
    """Writes a file whole, or not at all.

    Args:
        path: of the file, in a folder that exists; an earlier file of that name is replaced.
        content: what it is to hold.

    Raises:
        FileError: where it cannot be written. The earlier file is then unchanged.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> file = Path(folder.name) / "notes.txt"
    >>> write_file(file, "one line")
    >>> write_file(file, lambda stream: stream.write(b"another line"))
    >>> file.read_text(), [path.name for path in file.parent.iterdir()]
    ('another line', ['notes.txt'])
    >>> folder.cleanup()
    """
    try:
        with replacing(path) as file:
            if isinstance(content, str):
                file.write(content.encode("utf-8"))
            elif isinstance(content, bytes):
                file.write(content)
            else:
                content(file)
    except OSError as error:
        raise _unwritable(path, error) from None


@contextmanager
def replacing(path: Path, *, sync: bool = True) -> Iterator[BinaryIO]:
    """A new binary file that takes the name ``path`` at the end of the block, unless the block raises.

    Where ``path`` is a link, the link stays, and the file that it leads to is replaced: the new file is then written in
    that file's folder, because a name can be changed in one step within one file system only.

    Args:
        path: of the file, in a folder that exists.
        sync: waits until the content is on the disk before the name changes, so that a power failure cannot leave an
            empty file under the name. Only content that can be made again, such as a cache's, does without.

    Raises:
        OSError: where the file cannot be written, or the name is a device's, a pipe's or a socket's: taking it from
            ``/dev/null`` would break the whole machine; and where it is a link to a scene or model file.
    """
    if kind := _taken_by(path):
        raise OSError(errno.EINVAL, f"it is {kind} and no regular file")
    if document := _document_behind(path):
        raise OSError(errno.EINVAL, f"it is a link to {document}, which is no such file")
    final = Path(os.path.realpath(path)) if path.is_symlink() else path
    partial = _partial(final.parent)
    try:
        with partial.open("xb") as file:
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        os.replace(partial, final)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """A new folder to write into, which takes the name ``path`` at the end of the block, unless the block raises.

    Args:
        path: of the folder, whose parents are made where they are missing. An earlier folder of that name is replaced,
            with everything in it: whether that may be lost is for the caller to check.

    Raises:
        FileError: where an `OSError` in the block, or on the way there, says that it cannot be written. An earlier
            folder is then unchanged.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> pages = Path(folder.name) / "pages"
    >>> with replacing_folder(pages) as new:
    ...     write_file(new / "index.html", "<title>Hello</title>")
    >>> [file.name for file in pages.iterdir()], [file.name for file in Path(folder.name).iterdir()]
    (['index.html'], ['pages'])
    >>> folder.cleanup()
    """
    final = path.resolve()
    new, earlier = _partial(final.parent), _partial(final.parent)
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        new.mkdir()
        yield new
        # A folder that is not empty cannot be replaced in one step: the earlier one moves aside, and back on failure.
        if final.exists():
            os.replace(final, earlier)
        try:
            os.replace(new, final)
        except OSError:
            if earlier.exists():
                os.replace(earlier, final)
            raise
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        for left_over in (new, earlier):
            shutil.rmtree(left_over, ignore_errors=True)


@contextmanager
def renewing_folder(path: Path, ours: Collection[str]) -> Iterator[Path]:
    """As `replacing_folder`, but everything of an earlier folder that is not ``ours`` is in the new one already.

    Args:
        path: of the folder.
        ours: the names of what is written anew in it; links that are kept stay links, wherever they lead.

    Raises:
        FileError: as `replacing_folder`, and where there is a file of that name.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> for name in ("notes.txt", "scene.toml"):
    ...     write_file(Path(folder.name) / name, "before")
    >>> with renewing_folder(Path(folder.name), ["scene.toml"]) as new:
    ...     [file.name for file in new.iterdir()]
    ['notes.txt']
    >>> folder.cleanup()
    """
    if path.exists() and not path.is_dir():
        raise FileError(path, "is a file; give the name of a folder")
    with replacing_folder(path) as new:
        for old in path.iterdir() if path.is_dir() else ():
            if old.name in ours:
                continue
            if old.is_dir() and not old.is_symlink():
                shutil.copytree(old, new / old.name, symlinks=True)
            else:
                shutil.copy2(old, new / old.name, follow_symlinks=False)
        yield new


def open_own(path: Path, *, new: bool) -> BinaryIO:
    """A file that this program keeps for itself under a name that others can foresee, open for reading and writing.

    In a folder that others may write to, somebody else may have put something under the name: a link is not followed, a
    pipe not waited for, and a new file takes no name that is there.

    Args:
        path: of the file.
        new: whether it is made, empty; else it is there already.

    Raises:
        OSError: where it cannot be opened, is there already, or is no regular file.
    """
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    number = os.open(path, flags | (os.O_CREAT | os.O_EXCL if new else 0), 0o666)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "it is no regular file")
    return os.fdopen(number, "r+b")


def _partial(folder: Path) -> Path:
    """A temporary name in a folder, which no other process or thread uses."""
    return folder / f".silhouette-{os.getpid()}-{uuid4().hex[:8]}{PARTIAL}"


def _unwritable(path: Path, error: OSError) -> FileError:
    return FileError(path, f"cannot be written ({(error.strerror or str(error)).lower()})")
