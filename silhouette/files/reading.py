"""Reading users' files: the one way in, for scenes, models, meshes and what these refer to; and where the examples lie.

name in a file -> path, seen from the folder of that file -> its bytes, or one line that says what is wrong

Only regular files are opened. A pipe, a device or a socket, also by a link, is refused by what the file system says
about it: opening it could wait for ever, or never end. Nothing is read beyond the size that the caller allows.

Example scenes name their models by ``../../models``, so both folders always lie side by side::

    checkout/                     site-packages/silhouette/examples/
        models/  *.glb *.toml         models/  *.glb *.toml
        scenes/  GAME/*.toml          scenes/  GAME/*.toml
        silhouette/
"""

from __future__ import annotations

import errno
import os
import stat
from difflib import get_close_matches
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from silhouette.common.errors import FileError, RequestError
from silhouette.common.text import as_written

if TYPE_CHECKING:
    from silhouette.files.schema import Location


PACKAGE = Path(__file__).resolve().parents[1]  # the folder ``silhouette`` that this program runs from


def examples_folder() -> Path:
    """The folder in which the example ``scenes`` and ``models`` lie; RequestError if none was installed.

    >>> sorted(folder.name for folder in examples_folder().iterdir() if folder.name in ("models", "scenes"))
    ['models', 'scenes']
    """
    installed, checkout = PACKAGE / "examples", PACKAGE.parent
    if installed.is_dir():
        return installed
    # A checkout is known by its pyproject.toml: beside an installed package, "scenes" may be anybody's folder.
    if (checkout / "pyproject.toml").is_file() and (checkout / "scenes").is_dir():
        return checkout
    raise RequestError("the example scenes are not installed; install Silhouette again, or take them from its source")


def example(name: str) -> Path:
    """The path of an example file, such as ``scenes/ikosa/face_to_face.toml``.

    It is the name itself where the current folder holds the file, as that of a checkout does.

    Raises RequestError if the examples are not installed.

    >>> example("models/crate.toml").is_file()
    True
    """
    here = Path(name)
    return here if here.is_file() else examples_folder() / name


# ---- files that a file names

MAX_FOLDER_NAMES = 1000  # the number of files in a folder among which one of a similar name is looked for

MISSING = {"mesh": "is not there", "model": "there is no such file", "rules": "there is no such game file"}
"""What is said of a file that is not there, by the key that names it: as where it is named on the command line."""


def file_named(location: Location, key: Literal["mesh", "model", "rules"], name: str) -> Path:
    """The path of a file that a scene or model file names, seen from the folder of that file.

    Raises FileError if nothing is there, with the piece that names it.
    """
    if "\0" in name:
        raise location.error("a path contains a zero byte; give the path of a file")
    path = location.path.parent / name
    if _is_too_long(path):
        raise location.error(f"{key} is {as_written(name)}, longer than a path can be; give the path of a file")
    if path == location.path or _is_there(path):
        return path
    who = f"{location.where} in {location.path.name}" if location.where else location.path.name
    if path.is_absolute() and not location.path.is_absolute():  # messages do not tell where files lie
        path, hint = Path(path.name), _what_to_write(path, name, location.path).replace(f"{path.parent}{os.sep}", "")
        raise FileError(path, f"{MISSING[key]}; {who} names it by an absolute path: {hint}")
    hint = _what_to_write(path, name, location.path)
    raise FileError(path, f"{MISSING[key]}; {who} has {key} = {as_written(name)}, seen from its folder: {hint}")


def _is_too_long(path: Path) -> bool:
    try:
        path.lstat()
    except OSError as error:
        return error.errno == errno.ENAMETOOLONG
    return False


def _is_there(path: Path) -> bool:
    """Whether something has the path; true as well where that cannot be found out, so that opening it says why."""
    try:
        return path.exists()
    except OSError:
        return True


def _what_to_write(path: Path, name: str, naming: Path) -> str:
    """What would be right in place of a name that leads nowhere, and that the file ``naming`` has."""
    if not name.isprintable():
        return "a \\ between double quotes begins a special letter; write / in paths, or put the path in '...'"
    try:
        neighbours = [other.name for other in islice(path.parent.iterdir(), MAX_FOLDER_NAMES)]
    except OSError:
        inner = len(Path(name).parts) > 1
        return f"there is no folder {as_written(str(Path(name).parent))} either" if inner else "check the path"
    slashed = name.replace("\\", "/")
    if slashed != name and _is_there(naming.parent / slashed):
        return f"write / in paths: {as_written(slashed)}"
    ending = path.suffix.lower()
    by_case = {
        other.lower(): other for other in neighbours if Path(other).suffix.lower() == ending and other != naming.name
    }
    close = get_close_matches(path.name.lower(), by_case, n=1, cutoff=0.7)
    if close:
        return f"did you mean {as_written(str(Path(name).with_name(by_case[close[0]])))}?"
    return "check the path, and write / in it" if slashed != name and os.sep == "/" else "check the path"


# ---- reading

MAX_FILE_BYTES = 512 * 1024**2  # bytes of a mesh file, or of a file that it refers to
DOCUMENTS = (".toml", ".json")  # how scene and model files end

_SPECIAL_FILES = {stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}


def read_file(path: Path, most: int) -> bytes:
    """The bytes of a regular file, links followed, of at most so many bytes.

    >>> read_file(Path("no such scene.toml"), 100)
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: no such scene.toml: there is no such file; give the path of one that is there
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
    """A regular file, open for reading; FileError where it is none, or cannot be opened."""
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

    >>> no_file(stat.S_IFIFO), no_file(stat.S_IFREG)
    ('a pipe', '')
    """
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else _SPECIAL_FILES.get(stat.S_IFMT(mode), "something else")


def _check(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise FileError(path, "is a folder; give a file in it")
    if kind := no_file(mode):
        raise FileError(path, f"is {kind} and no regular file; give the path of a file")


def _unreadable(path: Path, error: OSError | ValueError) -> FileError:
    reason = (error.strerror if isinstance(error, OSError) else "") or "its name is none that a file can have"
    return FileError(path, f"cannot be read ({reason.lower()}); give a file that you may read")
