"""EXCHANGE: a file of another program becomes an ImportedTable, by its ending."""

from __future__ import annotations

from pathlib import Path

from silhouette.errors import FileError
from silhouette.exchange.imported import ImportedTable
from silhouette.exchange.tts import read_save
from silhouette.files.cache import Cache
from silhouette.files.reading import missing


def read_table(path: Path, meshes: Path | None, cache: Cache, *, stand_ins: bool = False) -> ImportedTable:
    """The table of a file from elsewhere.

    Args:
        path: a save or a saved object of Tabletop Simulator (.json).
        meshes: the folder in which that program keeps meshes.
        cache: of meshes.
        stand_ins: whether a fighter without a mesh becomes a stand-in, where the size of its base is known.

    Raises:
        FileError: where it cannot be read; one line that says what would be right.
    """
    if path.suffix.lower() == ".json":
        return read_save(path, meshes, cache, stand_ins=stand_ins)
    if not path.exists():
        raise missing(path)
    raise FileError(path, f"'{path.suffix}' is no table that is read; give a save of Tabletop Simulator, .json")
