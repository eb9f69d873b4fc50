"""TELL: what a live table opens with: a scene, a scan's folder, a folder of meshes, or nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

from silhouette.errors import FileError
from silhouette.files.cache import Cache
from silhouette.files.fingerprints import MESHES
from silhouette.files.reading import DOCUMENTS, missing
from silhouette.live.live_table import LiveTable
from silhouette.rules import FIRST, rule_called
from silhouette.rules.abilities import first_scene_of
from silhouette.scans.keeping import SCENE


def opened(path: Path | None, cache: Cache) -> LiveTable:
    """The table of a scene file, or of a folder; without either a first scene, which is saved in the current folder.

    Args:
        path: a scene; a folder with scene.toml, as `silhouette scan` and `silhouette new` make; a folder of meshes, put
            on a first table; or None.
        cache: of meshes.

    Raises:
        FileError: where there is no such file, or it is none of these; one line.
    """
    if path is None:
        return _new(Path(SCENE), [], cache) if not Path(SCENE).exists() else LiveTable.opened(Path(SCENE), cache)
    if not path.exists():
        raise missing(path)
    if path.is_dir():
        return _of_folder(path, cache)
    if path.suffix.lower() in MESHES:
        raise FileError(
            path, f"is a mesh, not a scene; give its folder, or make a scene of a scan: silhouette scan {path.name}"
        )
    return LiveTable.opened(path, cache)


def _of_folder(folder: Path, cache: Cache) -> LiveTable:
    if (folder / SCENE).is_file():
        return LiveTable.opened(folder / SCENE, cache)
    scenes = sorted(file for file in folder.iterdir() if file.suffix.lower() in DOCUMENTS and file.name[0] != ".")
    meshes = sorted(file.name for file in folder.iterdir() if file.suffix.lower() in MESHES and file.name[0] != ".")
    if not meshes:
        if scenes:
            raise FileError(folder, f"is a folder without {SCENE} or meshes; give a scene file, such as {scenes[0]}")
        raise FileError(folder, "is a folder without a scene or meshes; put some in, or give a scene file")
    return _new(folder / SCENE, meshes, cache)


def _new(path: Path, meshes: list[str], cache: Cache) -> LiveTable:
    """A first scene that is not saved yet."""
    text = first_scene_of(rule_called(FIRST), meshes)
    table = LiveTable(path, tomllib.loads(text), cache, text)
    table.recover()
    return table
