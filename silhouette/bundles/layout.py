"""KEEP: the files that a scene rests on, and places for them in one folder, in which its paths lead where they led.

A path such as ``../models/ganger.toml`` leads out of the scene's folder. So the folders keep their places to each
other, from the highest one on through which any of the paths goes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from silhouette.common.errors import FileError
from silhouette.common.text import as_written
from silhouette.files.archives import collision_key
from silhouette.files.fingerprints import MESH_ENDINGS, references
from silhouette.files.reading import DOCUMENTS

MAX_NAME_BYTES = 200  # bytes of one name, in UTF-8
MAX_PATH_LENGTH = 1000  # letters of a path in a bundle
MAX_FOLDER_DEPTH = 32  # folders in each other in a bundle

Place = tuple[str, ...]  # the names of the folders that lead to a file, and its own

_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)", re.IGNORECASE)
_UNUSABLE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/]')
_READ_ENDINGS = (*DOCUMENTS, ".gltf", ".glb", ".obj")


@dataclass(frozen=True)
class Layout:
    """The files that a scene rests on, its own included, by their places, all seen from one folder."""

    scene: Place
    files: dict[Place, Path]
    folders: frozenset[Place]  # the places of folders through which paths go, though no file need lie there
    missing: tuple[str, ...]  # what is named and not there, with the file that names it, in words


def layout_of(scene: Path) -> Layout:
    """Where the files that a scene rests on lie, seen from the highest folder through which its paths go.

    Raises FileError where a file cannot be read, is named by an absolute path, or has a name or a place that it cannot
    have everywhere.
    """
    start = tuple(Path(os.path.abspath(scene)).parts[1:])
    search = _PathSearch({start: scene})
    search.follow()
    least, most = min(search.walked), max(search.walked)
    top = next((at for at, names in enumerate(zip(least, most, strict=False)) if len(set(names)) > 1), len(least))
    files = {place[top:]: path for place, path in search.files.items()}
    seen = dict[str, Place]()
    for place, path in files.items():
        if problem := unusable("/".join(place)):
            raise FileError(path, f"{problem}; rename it")
        other = seen.setdefault(collision_key("/".join(place)), place)
        if other != place:
            raise FileError(path, f"differs from {'/'.join(other)} only as some systems do not tell apart; rename it")
    return Layout(start[top:], files, frozenset(folder[top:] for folder in search.walked), tuple(search.missing))


def check_inside(folder: Path, scene: Place) -> frozenset[Place]:
    """Refuses a scene in a folder of bundled files that names any file outside of the folder, or cannot be read.

    Answers with the places of the folders through which its paths go.
    """
    search = _PathSearch({scene: folder.joinpath(*scene)}, folder)
    search.follow()
    return frozenset(search.walked)


class _PathSearch:
    """Follows the paths in files, by their places, without a look at the file system for where they lead.

    ``within`` is the folder in which every place lies; None where places are absolute, and links may lead elsewhere.
    """

    def __init__(self, files: dict[Place, Path], within: Path | None = None) -> None:
        self.files, self._within = files, within
        self.walked = {place[:-1] for place in files}
        self.missing = list[str]()

    def follow(self) -> None:
        todo = list(self.files)
        while todo:
            place = todo.pop()
            path = self.files[place]
            if path.suffix.lower() not in _READ_ENDINGS:
                continue
            for text in sorted(set(references(path)), reverse=True):
                other = self._led_to(place, text, path)
                if other is not None:
                    todo.append(other)

    def _led_to(self, place: Place, text: str, path: Path) -> Place | None:
        """The place to which a path in a file leads, if a file is there that was not met yet."""
        if "\0" in text:
            return None  # its reader says so
        if PurePosixPath(text).is_absolute() or PureWindowsPath(text).drive or text.startswith("\\"):
            shown = as_written(text)
            raise FileError(
                path, f"names {shown} by an absolute path, which is of one machine; write it from its folder"
            )
        parts = PurePosixPath(text).parts if os.sep == "/" else PureWindowsPath(text).parts
        *walked, here = self._way(place[:-1], parts, text, path)
        is_mesh = path.suffix.lower() not in DOCUMENTS
        if not parts or (not is_mesh and PurePosixPath(text).suffix.lower() not in (*DOCUMENTS, *MESH_ENDINGS)):
            return None
        self.walked.update(walked[1:])
        file = path.parent / text if self._within is None else self._within.joinpath(*here)
        if not file.is_file():
            self.missing.append(f"{as_written(text)}, named in {path.name}")
            return None
        earlier = self.files.setdefault(here, file)
        if earlier is not file and not os.path.samefile(earlier, file):  # by a link to a folder, and back out of it
            raise FileError(path, f"names {as_written(text)}, which leads elsewhere through a link; name the file")
        return here if earlier is file else None

    def _way(self, folder: Place, parts: Sequence[str], text: str, path: Path) -> list[Place]:
        """The places through which a path from a folder leads, from that folder to its end."""
        way = [folder]
        for part in parts:
            if part == ".." and not way[-1]:
                outermost = "the top folder" if self._within is None else "the bundle"
                raise FileError(path, f"names {as_written(text)}, which leads out of {outermost}")
            way.append(way[-1][:-1] if part == ".." else (*way[-1], part))
        return way


def unusable(path: str) -> str:
    """What keeps a path, with / between names, from being one in a bundle, which is unpacked on any system; or nothing.

    >>> unusable("models/ganger\\u00e9 1.toml"), unusable("../x.toml"), unusable("models/nul.stl")
    ('', '"../x.toml" leads out of its folder', '"nul.stl" is the name of a device on Windows')
    """
    names = path.split("/")
    for name in names:
        shown = as_written(name[:80])
        if name in ("", ".", ".."):
            return f"{as_written(path[:80])} leads out of its folder"
        if _UNUSABLE.search(name):
            return f"{shown} has a letter that not every system allows in a name"
        if name.endswith((".", " ")):
            return f"{shown} ends in a dot or a space, which not every system allows"
        if _DEVICE.match(name):
            return f"{shown} is the name of a device on Windows"
        try:
            size = len(name.encode())
        except UnicodeEncodeError:
            return f"{shown} is not UTF-8"
        if size > MAX_NAME_BYTES:
            return f"{shown} is longer than {MAX_NAME_BYTES} bytes"
    if len(path) > MAX_PATH_LENGTH or len(names) > MAX_FOLDER_DEPTH:
        return f"{as_written(path[:80])} is too long, or lies in too many folders"
    return ""
