"""PLACE: the scene files that the words of a command mean: files, folders and globs."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from itertools import filterfalse
from os.path import normcase, realpath
from pathlib import Path

from silhouette.common.errors import RequestError, SilhouetteError
from silhouette.files.documents import MAX_DOCUMENT_BYTES, read_document
from silhouette.files.reading import DOCUMENTS, read_file


def scenes_of(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The scene files that paths mean, each once, in the order given: files, folders (searched deeply, sorted), globs.

    In folders and among what a glob finds, model files are passed over, and in folders whatever is hidden as well.
    Links to folders are followed, but for one that leads back to where the search came from. What ends like a scene and
    cannot be read, such as a link that leads nowhere, is one of the scenes, and so is a folder that may not be read: it
    is for the reader of scenes to say so.

    >>> scenes_of(["no such folder/*.toml"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: no such folder/*.toml: no file is like that; give scene ...
    """
    scenes: dict[str, str] = {}
    for path in map(Path, paths):
        if path.is_dir():
            files = _in_folder(path)
            if not files:
                raise RequestError(f"{path}: is a folder without a scene; scenes end in .toml or .json")
        elif glob.has_magic(str(path)) and not os.path.lexists(path):
            matches = [Path(file) for file in sorted(glob.glob(str(path), recursive=True))]
            files = [file for match in matches for file in (_in_folder(match) if match.is_dir() else _scenes([match]))]
            if not files:
                raise RequestError(f"{path}: no file is like that; give scene files, folders or globs")
        else:
            files = [path]
        for file in files:
            scenes.setdefault(identity(file), file.as_posix())
    return list(scenes.values())


def identity(file: str | os.PathLike[str]) -> str:
    """The one path of a file, however it is written and from whichever folder.

    Links to its folder are followed. A file that is a link itself keeps its name: two links to one file are two scenes.

    >>> identity("a.toml") == identity("./b/../a.toml") == identity(Path.cwd() / "a.toml")
    True
    """
    folder, name = os.path.split(os.fspath(file))
    if name in ("", os.curdir, os.pardir):
        return normcase(realpath(file))
    return normcase(os.path.join(realpath(folder), name))


def _scenes(files: Iterable[Path]) -> list[Path]:
    """The documents that are no models; a link to what is not there may have been one to a folder of scenes."""
    documents = [
        file
        for file in files
        if file.suffix.lower() in DOCUMENTS or (not file.suffix and file.is_symlink() and not file.exists())
    ]
    return [file for file in documents if not _is_model(file)]


def _in_folder(folder: Path) -> list[Path]:
    return sorted(_scenes(_visible(folder, {realpath(folder)})))


def _visible(folder: Path, seen: set[str]) -> Iterator[Path]:
    """The files in a folder and in those below it that are not hidden, and the folders that may not be read."""
    unreadable: list[OSError] = []
    links: list[Path] = []
    for place, folders, files in os.walk(folder, onerror=unreadable.append):
        folders[:] = sorted(filterfalse(_is_hidden, folders))
        links += filter(os.path.islink, (Path(place, name) for name in folders))
        seen.add(realpath(place))
        yield from (Path(place, name) for name in filterfalse(_is_hidden, files))
    yield from (Path(error.filename) for error in unreadable)
    for link in links:  # after all that is really there, which so keeps its own path
        target = realpath(link)
        if target not in seen and not any(place.startswith(target.rstrip(os.sep) + os.sep) for place in seen):
            yield from _visible(link, seen)


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def _is_model(file: Path) -> bool:
    try:
        if b"rules" in read_file(file, MAX_DOCUMENT_BYTES):
            return False
        return "mesh" in read_document(file)
    except (OSError, SilhouetteError):
        return False
