"""SCAN: the folder of a scanned table: scene.toml, meshes, scan.png, scan.json and labels.npy, whole or not at all."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.files.documents import read_document
from silhouette.files.fingerprints import Fingerprints
from silhouette.files.reading import DOCUMENTS
from silhouette.files.writing import renewing_folder, write_file
from silhouette.scans.keeping import RECORD, SCENE
from silhouette.scans.mesh_writing import ply_bytes
from silhouette.scans.picture import draw_table
from silhouette.scans.record import record_of
from silhouette.scans.scanned import ScannedPiece, ScannedTable
from silhouette.scans.scene_text import scene_text
from silhouette.version import document

MESHES, PICTURE, LABELS, BEFORE = "meshes", "scan.png", "labels.npy", "scene.before.toml"

RULING = "ruling.png"
"""The picture of what the attacker sees; that of an earlier run shows another scene."""

OURS = (SCENE, RECORD, MESHES, PICTURE, LABELS, RULING)
"""What each run writes anew; everything else in the folder stays."""

FLOOR = 0.5
"""mm above the top of a base, as measured, that still belong to it: a scan's ledge is not quite level."""


def write_folder(table: ScannedTable, folder: Path, *, keeps_scene: bool = True) -> None:
    """Writes the folder of a scanned table; other files in it stay.

    Args:
        table: what is to be written.
        folder: that of an earlier run, or a new one.
        keeps_scene: whether the scene that is there is kept under another name, with all that a person wrote into it.

    Raises:
        FileError: where it cannot be written; the earlier folder is then unchanged.
    """
    with renewing_folder(folder, OURS) as new:
        if keeps_scene and (folder / SCENE).is_file():
            shutil.copy2(folder / SCENE, new / BEFORE)
        (new / MESHES).mkdir()
        files = {piece.name: _mesh_keys(piece, table, new / MESHES) for piece in table.pieces}
        write_file(new / LABELS, lambda file: np.save(file, table.labels, allow_pickle=False))
        write_file(new / RECORD, json.dumps(document(record_of(table)), indent=1) + "\n")
        draw_table(table, new / PICTURE)
        write_file(new / SCENE, scene_text(table, files))


def _mesh_keys(piece: ScannedPiece, table: ScannedTable, folder: Path) -> dict[str, Any]:
    """Writes the mesh of a piece, and gives the keys of the scene that say what it is."""
    if piece.mesh is None:
        assert piece.match is not None
        return _copied(Path(piece.match.known.path), folder)
    name = _free_name(_file_name(piece.name), folder)
    write_file(folder / name, ply_bytes(piece.mesh.vertices, piece.mesh.faces, piece.mesh.colours))
    keys: dict[str, Any] = {"mesh": f"{MESHES}/{name}", "units": "mm", "origin": "keep", "scan": True}
    if piece.kind != "terrain":
        keys["base"] = "none" if piece.disc is None else _base(piece, table)
    return keys


def _base(piece: ScannedPiece, table: ScannedTable) -> dict[str, float]:
    """The base of a scanned figure: up to its ledge, and what the noise lifts above it."""
    assert piece.disc is not None
    height = piece.disc.height + FLOOR + table.noise
    return {"height": round(height, 2), "diameter": round(piece.disc.diameter, 2)}


def _copied(source: Path, folder: Path) -> dict[str, Any]:
    """Copies a mesh, with the files that it refers to, or that of a model file; gives its keys in the scene."""
    keys: dict[str, Any] = {}
    mesh = source
    if source.suffix.lower() in DOCUMENTS:
        keys = dict(read_document(source))
        mesh = source.parent / keys.pop("mesh")
        keys.pop("kind", None)
    place = folder
    number = 1
    while (place / mesh.name).exists() and (place / mesh.name).read_bytes() != mesh.read_bytes():
        number += 1
        place = folder / str(number)
    place.mkdir(exist_ok=True)
    shutil.copy2(mesh, place / mesh.name)
    for other in Fingerprints().named(mesh):
        beside = place / other.relative_to(mesh.parent)
        beside.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(other, beside)
    return {"mesh": (Path(MESHES) / place.relative_to(folder) / mesh.name).as_posix(), **_plain(keys)}


def _plain(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a model file, ``mesh`` apart, which may stand in a scene's piece as they are."""
    return {key: value for key, value in keys.items() if key != "mesh"}


def _free_name(stem: str, folder: Path) -> str:
    """The name of a mesh that is not in a folder yet: pieces may be called "Kal!" and "kal", or as a copied mesh is."""
    number, name = 1, f"{stem}.ply"
    while (folder / name).exists():
        number += 1
        name = f"{stem}_{number}.ply"
    return name


def _file_name(name: str) -> str:
    """A name for a file, from that of a piece.

    >>> _file_name("Kal / 2"), _file_name("...")
    ('kal_2', 'piece')
    """
    return re.sub(r"[^\w-]+", "_", name.lower()).strip("_") or "piece"
