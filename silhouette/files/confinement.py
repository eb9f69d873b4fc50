"""Files within a folder: which are, links followed, and messages that name them without telling where the folder is."""

from __future__ import annotations

import os
import re
from pathlib import Path


def is_inside(folder: Path, file: str | os.PathLike[str]) -> bool:
    """Whether a file, named as seen from a folder, lies in it or in one within it; False where none can have the name.

    >>> is_inside(Path("/tables"), "models/kal.toml"), is_inside(Path("/tables"), "../kal.toml")
    (True, False)
    >>> is_inside(Path("/tables"), "/tables/kal.toml"), is_inside(Path("/tables"), "kal\\0.toml")
    (True, False)
    """
    try:
        return (folder / file).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # too long, a null character, links in a circle
        return False


_FOLDERS = re.compile(r"(?<![\w.:/~])(?:/(?:[^/\s:'\"]+/)+|[A-Za-z]:\\(?:[^\\\s:'\"]+\\)+)")
"""The folders of an absolute path, without spaces."""


def without_folders(text: str, *folders: Path) -> str:
    """A message with the names of files in place of their absolute paths; files of ``folders``, as seen from there.

    >>> without_folders("/home/ann/my games/duel.toml: no 'Kal'; see /home/ann/kal.stl", Path("/home/ann/my games"))
    "duel.toml: no 'Kal'; see kal.stl"
    >>> without_folders("1/2 of ../kal.stl, https://a.b/c/d"), without_folders("")
    ('1/2 of ../kal.stl, https://a.b/c/d', '')
    """
    for folder in folders:
        text = text.replace(f"{folder}{os.sep}", "")
    return _FOLDERS.sub("", text)
