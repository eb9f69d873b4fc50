"""Writing a file whole, or not at all: every file that this program writes for a user is written here.

The content is written under a temporary name in the same folder, and that name is then changed to the final one, which
a file system does in one step. A reader sees the earlier content or the new one, never half of either; after a crash,
a full disk or an interrupt the earlier content is still there.
"""

from __future__ import annotations

import errno
import os
import stat
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from silhouette.common.errors import FileError, WrittenFileWarning
from silhouette.common.text import counted
from silhouette.files.reading import DOCUMENTS, no_file

PARTIAL = ".part"  # how the temporary names end; a process that is killed may leave such a file or folder behind

Content = str | bytes | Callable[[BinaryIO], object]
"""What a file is to hold: text, written as UTF-8; bytes; or a function that writes to the open file."""


def make_folder(folder: Path) -> None:
    """Makes a folder, and those that it lies in, where they are not there; FileError where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FileError(folder, "is a file; give the name of a folder") from None
    except OSError as error:
        raise FileError(folder, f"cannot be made a folder ({(error.strerror or str(error)).lower()})") from None


def check_place(path: Path) -> None:
    """Refuses a name under which no file can be written, before the work for it begins; links are followed.

    Raises FileError if it is a folder, a pipe, a device, a socket, or a link to a scene or model file, or if the folder
    that it lies in is not there.

    >>> check_place(Path("nowhere/duel.png"))
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: nowhere/duel.png: there is no folder nowhere; make it first or give another
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

    Raises FileError if it cannot be written. The earlier file is then unchanged.

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
            write_to(file, content)
    except OSError as error:
        raise unwritable(path, error) from None


@contextmanager
def replacing(path: Path, *, sync: bool = True) -> Iterator[BinaryIO]:
    """A new binary file that takes the name ``path`` at the end of the block, unless the block raises.

    If ``path`` is a link, the link stays, and the file that it leads to is replaced: the new file is then written in
    that file's folder, because a name can be changed in one step within one file system only. The new file has the
    permissions of the earlier one. If that has other names (hard links), these keep the earlier content, which a
    `WrittenFileWarning` says. ``sync`` waits until the content is on the disk before the name changes, so that a power
    failure cannot leave an empty file under the name.

    Raises:
        OSError: where the file cannot be written, or is read-only; where the name is a device's, a pipe's or a
            socket's: taking it from ``/dev/null`` would break the whole machine; and where it is a link to a scene or
            model file. Its ``filename`` is ``path``, never the temporary name.
    """
    staged = Staged(path)
    try:
        with staged.opened(sync) as file:
            yield file
        staged.take_place()
    finally:
        staged.drop()


class Staged:
    """A file that is written under a temporary name beside the one that it is to take, links followed; errors as
    `replacing`.
    """

    def __init__(self, path: Path, like: Path | None = None) -> None:
        if kind := _taken_by(path):
            raise OSError(errno.EINVAL, f"it is {kind} and no regular file", str(path))
        if document := _document_behind(path):
            raise OSError(errno.EINVAL, f"it is a link to {document}, which is no such file", str(path))
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        self.path = path
        self.final = Path(os.path.realpath(path)) if path.is_symlink() else path
        self.partial = temporary(self.final.parent)
        self._like = self.final if like is None else like

    @contextmanager
    def opened(self, sync: bool = True) -> Iterator[BinaryIO]:
        """The file, open for writing; whole, and on the disk with ``sync``, at the end of the block."""
        with self._in_its_name(), self._created() as file:
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        self._warn_of_hard_links()

    def _created(self) -> BinaryIO:
        """The new file; whoever may not read the file whose permissions it gets may not read it meanwhile either."""
        if self.final.exists() and not os.access(self.final, os.W_OK):
            raise PermissionError(errno.EACCES, "it is read-only", str(self.path))
        try:
            mode = stat.S_IMODE(self._like.stat().st_mode)
        except FileNotFoundError:
            return self.partial.open("xb")
        file = open(self.partial, "xb", opener=lambda name, flags: os.open(name, flags, mode & 0o777))  # noqa: SIM115
        try:
            os.chmod(self.partial, mode)  # the umask may have taken some away
        except BaseException:
            file.close()
            raise
        return file

    def _warn_of_hard_links(self) -> None:
        links = self.final.stat().st_nlink if self.final.exists() else 1
        if links > 1:
            others = counted(links - 1, "other name")
            words = (
                "(hard links), which keep the earlier content; copy it there as well if they should have the new one"
            )
            warnings.warn(f"{self.path}: the file had {others} {words}", WrittenFileWarning, stacklevel=2)

    def take_place(self) -> None:
        """Gives it the name, in one step."""
        with self._in_its_name():
            os.replace(self.partial, self.final)

    def drop(self) -> None:
        """Removes what has not taken the name."""
        with suppress(OSError):
            self.partial.unlink(missing_ok=True)

    @contextmanager
    def _in_its_name(self) -> Iterator[None]:
        """Has an error about the temporary name, or about no name at all, be about the name that the user knows."""
        try:
            yield
        except OSError as error:
            if error.filename is None or os.fspath(error.filename) == str(self.partial):
                error.filename, error.filename2 = str(self.path), None
            raise


def open_own(path: Path, *, new: bool) -> BinaryIO:
    """A file that this program keeps for itself under a name that others can foresee, open for reading and writing.

    A ``new`` one is made, empty; else it is there already.

    In a folder that others may write to, somebody else may have put something under the name: a link is not followed, a
    pipe not waited for, and a new file takes no name that is there.

    Raises OSError if it cannot be opened, is there already, or is no regular file.
    """
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    number = os.open(path, flags | (os.O_CREAT | os.O_EXCL if new else 0), 0o666)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "it is no regular file")
    return os.fdopen(number, "r+b")


def write_to(file: BinaryIO, content: Content) -> None:
    """Writes what a file is to hold.

    Raises OSError if that cannot be written.
    """
    if isinstance(content, str):
        file.write(content.encode("utf-8"))
    elif isinstance(content, bytes):
        file.write(content)
    else:
        content(file)


def temporary(folder: Path) -> Path:
    """A temporary name in a folder, which no other process or thread uses."""
    return folder / f".silhouette-{os.getpid()}-{uuid4().hex[:8]}{PARTIAL}"


def unwritable(path: Path, error: OSError) -> FileError:
    """The error that a file or a folder cannot be written."""
    return FileError(path, f"cannot be written ({why_not(error)})")


def why_not(error: OSError) -> str:
    """The reason for which a file cannot be written, in words.

    >>> why_not(OSError(errno.ENOSPC, "No space left on device")), why_not(OSError("200 requested and 90 written"))
    ('no space left on device', 'the disk is full, or no file may be so large')
    """
    # numpy and Pillow count bytes, and do not say why the system took no more.
    return error.strerror.lower() if error.strerror else "the disk is full, or no file may be so large"
