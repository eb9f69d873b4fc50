"""Files that a scene or a model file names: their paths, and what is wrong where they lead nowhere."""

from __future__ import annotations

import errno
import os
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Literal

from silhouette.errors import FileError
from silhouette.files.schema import Location
from silhouette.text import as_written

NEIGHBOURS = 1000
"""The number of files in a folder among which one of a similar name is looked for."""


MISSING = {"mesh": "is not there", "model": "there is no such file", "rules": "there is no such game file"}
"""What is said of a file that is not there, by the key that names it: as where it is named on the command line."""


def file_named(location: Location, key: Literal["mesh", "model", "rules"], name: str) -> Path:
    """The path of a file that a scene or model file names, seen from the folder of that file.

    Args:
        location: the place of the name: the file, and the piece in it.
        key: the key that has the name as its value, for messages.
        name: the name.

    Raises:
        FileError: where nothing is there, with the piece and the folder in which it was looked for.
    """
    if "\0" in name:
        raise location.error("a path contains a zero byte; give the path of a file")
    path = location.path.parent / name
    if _is_too_long(path):
        raise location.error(f"{key} is {as_written(name)}, longer than a path can be; give the path of a file")
    if path == location.path or _is_there(path):
        return path
    who = f"{location.where} in {location.path.name}" if location.where else location.path.name
    folder, hint = location.path.parent.absolute(), _what_to_write(path, name, location.path)
    raise FileError(path, f"{MISSING[key]}; {who} has {key} = {as_written(name)}, seen from {folder}: {hint}")


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
        neighbours = [other.name for other in islice(path.parent.iterdir(), NEIGHBOURS)]
    except OSError:
        inner = len(Path(name).parts) > 1
        return f"there is no folder {as_written(str(Path(name).parent))} either" if inner else "check the path"
    slashed = name.replace("\\", "/")
    if slashed != name and _is_there(naming.parent / slashed):
        return f"write / in paths: {as_written(slashed)}"
    ending = path.suffix.lower()
    neighbours = [other for other in neighbours if Path(other).suffix.lower() == ending and other != naming.name]
    by_case = {other.lower(): other for other in neighbours}
    close = get_close_matches(path.name.lower(), by_case, n=1, cutoff=0.7)
    if close:
        return f"did you mean {as_written(str(Path(name).with_name(by_case[close[0]])))}?"
    return "check the path, and write / in it" if "\\" in name and os.sep == "/" else "check the path"
