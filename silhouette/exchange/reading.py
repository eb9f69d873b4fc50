"""EXCHANGE: a file of another program becomes an ImportedTable, by its ending."""

from __future__ import annotations

from pathlib import Path

from silhouette.errors import FileError, RequestError
from silhouette.exchange.gltf import read_gltf
from silhouette.exchange.imported import ImportedTable
from silhouette.exchange.tts import read_save
from silhouette.files.cache import Cache
from silhouette.files.reading import missing


def read_table(
    path: Path, meshes: Path | None, cache: Cache, *, stand_ins: bool = False, units: str | None = None
) -> ImportedTable:
    """The table of a file from elsewhere.

    Args:
        path: a save or a saved object of Tabletop Simulator (.json), or a scene of glTF (.glb, .gltf).
        meshes: the folder in which that program keeps meshes.
        cache: of meshes.
        stand_ins: whether a fighter without a mesh becomes a stand-in, where the size of its base is known.
        units: of a glTF scene, where they are others than it says: "mm", "cm", "m" or "inch".

    Raises:
        RequestError: where an option is that of another format.
        FileError: where it cannot be read; one line that says what would be right.
    """
    if path.suffix.lower() in (".glb", ".gltf"):
        if meshes is not None or stand_ins:
            option = "--stand-ins" if meshes is None else "--meshes"
            raise RequestError(f"{option} goes with a save of Tabletop Simulator; a glTF scene has its meshes itself")
        return read_gltf(path, units)
    if units is not None:
        raise RequestError("--units goes with a glTF scene; an inch of Tabletop Simulator is an inch")
    if path.suffix.lower() == ".json":
        return read_save(path, meshes, cache, stand_ins=stand_ins)
    if not path.exists():
        raise missing(path)
    raise FileError(
        path, f"'{path.suffix}' is no table that is read; give a save of Tabletop Simulator, .json, or .glb or .gltf"
    )
