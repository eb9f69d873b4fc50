"""TELL, assistants: the folder that is served. What a call names, and all that a scene of it names, lies in there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from silhouette.common.errors import FileError, SilhouetteError
from silhouette.common.text import problem
from silhouette.files.confinement import is_inside, without_folders
from silhouette.files.documents import MAX_DOCUMENT_BYTES, read_document
from silhouette.files.fingerprints import references
from silhouette.files.reading import DOCUMENTS, read_file

MOST_LISTED_SCENES = 500  # in one answer: an assistant reads them all
MOST_SEEN_FILES = 20_000  # that a search looks at: the folder may be anybody's home


class ServedFolder:
    """A folder, out of which nothing is read. FileError where there is none.

    >>> ServedFolder(Path("no such folder"))
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: no such folder: is no folder; give the one with the scenes
    """

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise FileError(path, "is no folder; give the one with the scenes")
        self.path = path.resolve()

    def file(self, name: str) -> Path:
        """The path of a file, as seen from the folder; FileError where it lies elsewhere, links followed."""
        if not is_inside(self.path, name):
            raise FileError(Path(name), "lies outside the folder that is served; list_scenes says what is in it")
        return self.path / name

    def scene(self, name: str) -> Path:
        """The path of a scene, by its name as seen from the folder.

        Raises FileError where it, or a file that it names, directly or through another, lies elsewhere: nothing of that
        file is told, not even whether it is there. Meshes name no files but those of their own folder.
        """
        scene = self.file(name)
        pending, seen = [scene], set[Path]()
        while pending:
            file = pending.pop()
            if file in seen or not file.is_file() or file.suffix.lower() not in DOCUMENTS:
                continue
            seen.add(file)
            for reference in references(file):
                if not is_inside(self.path, file.parent / reference):
                    raise FileError(file, f"'{reference}' lies outside the folder that is served; serve one with both")
                pending.append(file.parent / reference)
        return scene

    def plain(self, text: str) -> str:
        """A message that names files as they are seen from the folder, and tells of no other."""
        return without_folders(text, self.path)

    def plain_json(self, value: Any) -> Any:
        """A value of JSON with `plain` texts."""
        if isinstance(value, dict):
            return {key: self.plain_json(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain_json(item) for item in value]
        return self.plain(value) if isinstance(value, str) else value

    def scenes(self, within: str = "") -> tuple[list[dict[str, Any]], bool]:
        """The scenes below a folder of it: {scene, title, rules, checks}, or {scene, problem}; and whether there may be
        more than are listed. Hidden files and links to folders are passed over.
        """
        rows = list[dict[str, Any]]()
        for number, file in enumerate(self._documents(self.file(within))):
            if number == MOST_SEEN_FILES or len(rows) == MOST_LISTED_SCENES:
                return rows, True
            row = self._row(file)
            if row is not None:
                rows.append(row)
        return rows, False

    def _documents(self, folder: Path) -> Iterator[Path]:
        for place, folders, files in os.walk(folder):
            folders[:] = sorted(name for name in folders if name[0] != ".")
            for name in sorted(files):
                if (
                    name[0] != "."
                    and Path(name).suffix.lower() in DOCUMENTS
                    and is_inside(self.path, f"{place}/{name}")
                ):
                    yield Path(place, name)

    def _row(self, file: Path) -> dict[str, Any] | None:
        """What a scene says of itself, or what is wrong with it; None for what is none."""
        name = file.relative_to(self.path).as_posix()
        try:
            if b"rules" not in read_file(file, MAX_DOCUMENT_BYTES):
                return None
            document = read_document(file)
        except (OSError, SilhouetteError) as error:
            return {"scene": name, "problem": self.plain(problem(error))}
        if not isinstance(document.get("rules"), str):
            return None
        checks = document.get("check")
        title, number = document.get("title"), len(checks) if isinstance(checks, list) else 0
        return {"scene": name, "title": title, "rules": document["rules"], "checks": number}
