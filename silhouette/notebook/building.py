"""PYTHON: the keys of a scene, with meshes in memory, become a folder with a scene file, as all others are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from os.path import relpath
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.errors import FileError, RequestError
from silhouette.exchange.imported import file_stem, obj_bytes
from silhouette.files.changing import FolderChange, changing_folder, check_folder
from silhouette.files.documents import toml, toml_key
from silhouette.meshes.given import IN_MEMORY, mesh_in_memory
from silhouette.notebook.arguments import BUILT_SCENE
from silhouette.rules import GAME_FILE
from silhouette.scans.meshes import ply_bytes

BUILT_MESHES = "meshes"
DECIMALS_OF_PARTS = 9  # of the mm in a mesh whose parts have names; others are kept to the bit


def write_scene(keys: Mapping[str, Any], folder: Path) -> Path:
    """Writes a scene file with the keys, and its meshes that are in memory, into a folder; returns the file's path.

    Paths among the keys are seen from the current folder. Another scene that is there stays as scene.before.toml.
    RequestError where a value is none that a scene file can hold; FileError where the folder cannot be written.
    """
    check_folder(folder, [])
    with changing_folder(folder, folder / BUILT_SCENE) as change:
        lines = [f"{toml_key(key)} = {toml(value)}" for key, value in _Keys(folder, change).all_of(keys)]
        change.commit("\n".join([*lines, ""]), before=folder / "scene.before.toml")
    return folder / BUILT_SCENE


class _Keys:
    def __init__(self, folder: Path, change: FolderChange) -> None:
        self._folder, self._change = folder, change
        self._written: dict[str, str] = {}

    def all_of(self, keys: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for key, value in keys.items():
            if key == "checks":  # as Python calls what a file writes as [[check]]
                key = "check"
            if key == "rules" and str(value).lower().endswith(GAME_FILE):
                yield key, self._path(value, key)
            elif value is not None:
                yield key, self._value(key, value, key)

    def _value(self, key: str, value: Any, where: str) -> Any:
        """A value as a document has it; ``where`` it stands is for messages."""
        if key in ("mesh", "model"):
            return self._mesh(value, where)
        if isinstance(value, Mapping):
            name = value.get("name")
            inside = where if name is None else f"{where} '{name}'"
            pairs = [(str(inner), item) for inner, item in value.items() if item is not None]
            return {inner: self._value(inner, item, f"{inside}: {inner}") for inner, item in pairs}
        if isinstance(value, np.ndarray | np.generic):
            value = value.tolist()
        if isinstance(value, list | tuple):
            return [self._value("", item, where) for item in value]
        if isinstance(value, PathLike):
            return fspath(value)
        if isinstance(value, float) and not math.isfinite(value):
            raise RequestError(f"{where} has {value}; give a finite number")
        if not isinstance(value, str | bool | int | float):
            raise RequestError(f"{where} is of the type {type(value).__name__}; give what a scene file can hold")
        return value

    def _mesh(self, value: Any, where: str) -> str:
        if isinstance(value, str | PathLike):
            return self._path(value, where)
        if where.endswith("model"):
            raise RequestError(f"{where} is of the type {type(value).__name__}; give a path, or a mesh as mesh")
        try:
            mesh = mesh_in_memory(value)
        except RequestError as error:
            raise RequestError(f"{where}: {error}") from None
        if not len(mesh.faces):
            raise RequestError(f"{where} has no faces; {IN_MEMORY}")
        is_single = len(mesh.part_names) == 1  # PLY keeps all to the bit, but has no names for parts
        content = ply_bytes(mesh.vertices, mesh.faces) if is_single else obj_bytes(mesh, DECIMALS_OF_PARTS)
        stem = file_stem(where.split("'")[1] if "'" in where else "mesh")
        return self._change.keep(BUILT_MESHES, stem, {".ply" if is_single else ".obj": content})

    def _path(self, value: str | PathLike[str], where: str) -> str:
        path = Path(value).absolute()
        if not path.exists():
            raise FileError(value, f"is not there; {where} is a path seen from the current folder: check it")
        try:
            return Path(relpath(path, self._folder.resolve())).as_posix()
        except ValueError:  # another drive of Windows
            return path.as_posix()
