"""EXCHANGE: a scene becomes a saved object of Tabletop Simulator, with a folder of the meshes that it names.

A mesh that was imported keeps its address, so that every player's game fetches it. Every other is an OBJ file of its
own, which the game loads from this machine. `import` of the file, with ``--meshes`` that folder, gives the scene
back: kinds, gangs and facings stand in tags.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.errors import FileError, RequestError
from silhouette.common.geometry import INCH, Floats
from silhouette.common.text import json_text
from silhouette.exchange.imported import file_stem, obj_bytes
from silhouette.exchange.tts_words import FIGURINE
from silhouette.files.cache import Cache
from silhouette.files.changing import FolderChange, changing_folder, check_folder
from silhouette.files.reading import MAX_FILE_BYTES, read_file
from silhouette.files.writing import check_place
from silhouette.meshes.mesh import Mesh, read_mesh
from silhouette.models.model import Model
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import Scene
from silhouette.scenes.table import TableScene

SAVE = {
    "SaveName": "", "GameMode": "", "Date": "", "Gravity": 0.5, "PlayArea": 0.5, "Table": "", "Sky": "", "Note": "",
    "Rules": "", "XmlUI": "", "LuaScript": "", "LuaScriptState": "", "TabStates": {}, "VersionNumber": "",
}  # fmt: skip
"""The keys of a saved object beside its objects."""

MAX_EXPORTED_NAME_BYTES = 240

OBJ_DECIMALS = 7  # decimals of inches in OBJ files: a coordinate is right to 0.000002 mm


@dataclass(frozen=True, eq=False)
class Export:
    """What was written: the saved object, the folder of its meshes, beside it, and how many pieces it has."""

    file: Path
    meshes: Path
    pieces: int


def write_saved_object(scene: Scene, out: Path, cache: Cache) -> Export:
    """Writes a table as a saved object of Tabletop Simulator (.json), and its meshes into a folder ``NAME_meshes``.

    Raises RequestError if the scene is no table with pieces; FileError if one of them cannot be written.
    """
    if not isinstance(scene, TableScene):
        raise RequestError(f"{scene.path}: its game has no pieces with meshes; give a table scene")
    if out.suffix.lower() != ".json":
        raise FileError(out, "a saved object of Tabletop Simulator ends in .json; give such a name")
    check_place(out)
    if out.resolve() == scene.path.resolve():
        raise FileError(out, "is the scene itself, and would be written over; give another name")
    folder = out.parent / f"{out.stem}_meshes"
    check_folder(folder, [scene.path])
    with changing_folder(folder, out) as change:
        exporter = _Exporter(_addresses(scene), folder, change, cache)
        states = [exporter.state(piece) for piece in scene.pieces]
        document = {**SAVE, "SaveName": scene.title or scene.path.stem, "ObjectStates": states}
        change.commit(json_text(document, indent=2) + "\n")
    return Export(out, folder, len(states))


def _addresses(scene: TableScene) -> dict[Path, str]:
    """The addresses of mesh files that `import` has noted in a scene, as far as they are addresses in the net."""
    rows = scene.source.get("meshes")
    addresses = {}
    for row in rows if isinstance(rows, list) else ():
        mesh, address = (row.get("mesh"), row.get("address")) if isinstance(row, Mapping) else (None, None)
        if isinstance(mesh, str) and isinstance(address, str) and "\0" not in mesh and re.match("https?://", address):
            addresses[(scene.path.parent / mesh).resolve()] = address
    return addresses


@dataclass(eq=False)
class _Exporter:
    addresses: Mapping[Path, str]
    folder: Path
    change: FolderChange
    cache: Cache
    imported_names: set[str] = field(default_factory=set)
    own: dict[str, str] = field(default_factory=dict)

    def state(self, piece: Piece) -> dict[str, Any]:
        rotation = piece.pose.rotation
        turn = float(np.degrees(np.arctan2(rotation[1, 0], rotation[0, 0])))
        address, origin, scale = self._imported(piece) or (self._written(piece), piece.pose.translation, 1.0)
        x, y, z = (float(number) / INCH for number in origin)
        is_model = piece.kind != "terrain"
        tags = [piece.kind, *([f"gang: {piece.gang}"] if piece.gang else [])]
        if is_model:
            tags.append("facing: unknown" if piece.facing is None else f"facing: {round(piece.facing % 360.0, 7)}")
            tags += [] if piece.weapon is None else [f"weapon: {round(piece.weapon % 360.0, 7)}"]
        return {
            "GUID": hashlib.blake2b(f"{piece.index} {piece.name}".encode(), digest_size=3).hexdigest(),
            "Name": "Custom_Model",
            "Transform": {
                "posX": x, "posY": z, "posZ": y,
                "rotX": 0.0, "rotY": (180.0 - turn) % 360.0, "rotZ": 0.0,
                "scaleX": scale, "scaleY": scale, "scaleZ": scale,
            },
            "Nickname": piece.name,
            "Description": "",
            "GMNotes": "",
            "ColorDiffuse": {"r": 0.8, "g": 0.8, "b": 0.8},
            "Tags": tags,
            "Locked": not is_model,
            "Grid": False,
            "Snap": False,
            "Autoraise": True,
            "Sticky": True,
            "Tooltip": True,
            "CustomMesh": {
                "MeshURL": address, "DiffuseURL": "", "NormalURL": "", "ColliderURL": "", "Convex": is_model,
                "MaterialIndex": 1, "TypeIndex": FIGURINE if is_model else 0, "CastShadows": True,
            },
        }  # fmt: skip

    def _imported(self, piece: Piece) -> tuple[str, Floats, float] | None:
        """The address of a piece's mesh, where its origin stands (3,) mm, and its scale; None where it has none."""
        drawn = piece.model.drawn_from
        if drawn is None or drawn.up != "y" or drawn.path.suffix.lower() != ".obj":
            return None
        address = self.addresses.get(drawn.path.resolve())
        name = None if address is None else f"{re.sub('[^A-Za-z0-9]', '', address)}.obj"  # as the game keeps it
        if address is None or name is None or len(name) > MAX_EXPORTED_NAME_BYTES:
            return None
        if name not in self.imported_names:
            self.imported_names.add(name)
            self.change.put(self.folder / name, read_file(drawn.path, MAX_FILE_BYTES))
        return address, piece.pose.place(drawn.shift[None])[0], drawn.factor / INCH

    def _written(self, piece: Piece) -> str:
        """The address of an OBJ file with the mesh of a piece: y up and in inches, its front where the model has it."""
        mesh = self._whole(piece.model)
        if mesh.digest not in self.own:
            # The inverse of how a scene reads such a file.
            in_inches = replace(mesh, vertices=mesh.vertices[:, [0, 2, 1]] * np.array([1.0, 1.0, -1.0]) / INCH)
            content = obj_bytes(in_inches, OBJ_DECIMALS)
            self.own[mesh.digest] = self.change.keep("", file_stem(piece.name), {".obj": content})
        return (self.folder.absolute() / self.own[mesh.digest]).as_uri()

    def _whole(self, model: Model) -> Mesh:
        """The mesh of a model in its frame, not cut where its base ends, so that its base is found there again."""
        drawn = model.drawn_from
        if drawn is None or model.solid:
            return model.mesh
        mesh = read_mesh(drawn.path, self.cache).mesh
        return replace(mesh, vertices=drawn.placed(mesh.vertices))
