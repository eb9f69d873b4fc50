"""SCAN: the folder of a scanned table: scene.toml, meshes, scan.png, scan.json and labels.npy, changed in place.

What the scan has found is written twice: as scan.json, for people and programs, which is never that of another scene;
and beside the meshes under a name that the scene gives, so that it is there whenever the scene is.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.installation import document
from silhouette.common.text import json_text
from silhouette.files.changing import FolderChange, changing_folder, check_folder
from silhouette.files.documents import read_document
from silhouette.files.fingerprints import Fingerprints
from silhouette.files.reading import DOCUMENTS, LARGEST_FILE, read_file
from silhouette.scans.keeping import MESHES, RECORD, SCENE
from silhouette.scans.mesh_writing import ply_bytes
from silhouette.scans.picture import draw_table
from silhouette.scans.record import record_of
from silhouette.scans.scanned import ScannedPiece, ScannedTable
from silhouette.scans.scene_text import scene_text

PICTURE, LABELS, BEFORE = "scan.png", "labels.npy", "scene.before.toml"

RULING = "ruling.png"  # the picture of what the attacker sees; that of an earlier run shows another scene
FLOOR = 0.5  # mm above the top of a base, as measured, that still belong to it: a scan's ledge is not quite level


def write_folder(table: ScannedTable, folder: Path, *, keeps_scene: bool = True) -> None:
    """Writes the folder of a scanned table; other files in it stay, and meshes of earlier scenes.

    Args:
        table: what is to be written.
        folder: that of an earlier run, or a new one.
        keeps_scene: whether the scene that is there is kept under another name, with all that a person wrote into it.

    Raises:
        FileError: where it cannot be written, or is none to write into (`check_folder`); an earlier scene and all that
            it names are then unchanged.
    """
    check_folder(folder, [table.scan.path, *map(Path, table.figures), *map(Path, table.terrain)])
    with changing_folder(folder, folder / SCENE) as change:
        files = {piece.name: _mesh_keys(piece, table, change) for piece in table.pieces}
        record = (json_text(document(record_of(table)), indent=1) + "\n").encode()
        labels = io.BytesIO()
        np.save(labels, table.labels, allow_pickle=False)
        change.put(folder / LABELS, labels.getvalue())
        change.put(folder / RECORD, record)
        change.put(folder / PICTURE, draw_table(table))
        change.drop(folder / RULING)
        text = scene_text(table, files, change.keep(MESHES, "found", {".scan": record}))
        change.commit(text, before=folder / BEFORE if keeps_scene else None)


def _mesh_keys(piece: ScannedPiece, table: ScannedTable, change: FolderChange) -> dict[str, Any]:
    """Writes the mesh of a piece, and gives the keys of the scene that say what it is."""
    if piece.mesh is None:
        assert piece.match is not None
        return _copied(Path(piece.match.known.path), change)
    content = ply_bytes(piece.mesh.vertices, piece.mesh.faces, piece.mesh.colours)
    mesh = change.keep(MESHES, _file_name(piece.name), {".ply": content})
    keys: dict[str, Any] = {"mesh": mesh, "units": "mm", "origin": "keep", "scan": True}
    if piece.kind != "terrain":
        keys["base"] = "none" if piece.disc is None else _base(piece, table)
    return keys


def _base(piece: ScannedPiece, table: ScannedTable) -> dict[str, float]:
    """The base of a scanned figure: up to its ledge, and what the noise lifts above it."""
    assert piece.disc is not None
    height = piece.disc.height + FLOOR + table.noise
    return {"height": round(height, 2), "diameter": round(piece.disc.diameter, 2)}


def _copied(source: Path, change: FolderChange) -> dict[str, Any]:
    """Copies a mesh, with the files that it refers to, or that of a model file; gives its keys in the scene."""
    keys: dict[str, Any] = {}
    mesh = source
    if source.suffix.lower() in DOCUMENTS:
        keys = dict(read_document(source))
        mesh = source.parent / keys.pop("mesh")
        keys.pop("kind", None)
    names = [mesh.name, *(other.relative_to(mesh.parent).as_posix() for other in Fingerprints().named(mesh))]
    files = {f"/{name}": read_file(mesh.parent / name, LARGEST_FILE) for name in names}
    place = change.keep(MESHES, _file_name(mesh.stem), files)
    return {"mesh": f"{place}/{mesh.name}", **_plain(keys)}


def _plain(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a model file, ``mesh`` apart, which may stand in a scene's piece as they are."""
    return {key: value for key, value in keys.items() if key != "mesh"}


def _file_name(name: str) -> str:
    """A name for a file, from that of a piece.

    >>> _file_name("Kal / 2"), _file_name("...")
    ('kal_2', 'piece')
    """
    return re.sub(r"[^\w-]+", "_", name.lower()).strip("_") or "piece"
