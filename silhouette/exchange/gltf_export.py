"""EXCHANGE: a scene becomes a glTF scene in one file, .glb, whose nodes say what they are; without colours.

Below the node of each piece is one node each for body, base and insignificant parts, whose meshes pieces of one model
share. `import` of the file gives the scene back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.errors import FileError, RequestError
from silhouette.common.geometry import Floats, Integers
from silhouette.common.installation import VERSION
from silhouette.common.text import json_text
from silhouette.exchange.gltf_extras import MARKER, OF_THE_NODE, PIECE_TABLE_KEYS
from silhouette.exchange.gltf_pieces import points_from_table, upright_node
from silhouette.files.documents import read_document
from silhouette.files.writing import check_place, write_file
from silhouette.models.entries import PIECE_KINDS, ModelOptions
from silhouette.models.model import BASE, BODY, INSIGNIFICANT, Model
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import Scene
from silhouette.scenes.table import TableScene, unit_in

ROLE_NUMBERS = {"body": BODY, "base": BASE, "insignificant": INSIGNIFICANT}
"""The parts of a model by the names that their nodes have."""

ROLE_COLOURS = {"body": (0.62, 0.65, 0.68), "base": (0.18, 0.19, 0.21), "insignificant": (0.9, 0.6, 0.2)}
"""The colours, red, green and blue from 0 to 1, by which other programs show the parts."""

GL_FLOAT, GL_UNSIGNED_INT = 5126, 5125
VERTICES, INDICES = 34962, 34963


def write_glb(scene: Scene, out: Path) -> int:
    """Writes a table as a glTF scene in one file (.glb), and gives the number of its pieces.

    Raises RequestError if the scene is no table with pieces; FileError if it cannot be written.
    """
    if not isinstance(scene, TableScene):
        raise RequestError(f"{scene.path}: its game has no pieces with meshes; give a table scene")
    if out.suffix.lower() != ".glb":
        raise FileError(out, "a glTF scene in one file ends in .glb; give such a name")
    check_place(out)
    document = read_document(scene.path)
    entries = {entry["name"]: entry for key in PIECE_KINDS for entry in document.get(key, ())}
    file = _File()
    for piece in scene.pieces:
        file.add(piece, _extras(piece, entries.get(piece.name, {})))
    extras: dict[str, Any] = {"title": scene.title}
    if not any(key in document for key in PIECE_TABLE_KEYS if key not in PIECE_KINDS):
        extras[MARKER] = _keys_of_scene(document, scene.path)
    write_file(out, file.content(extras))
    return len(scene.pieces)


def _keys_of_scene(document: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The keys of a scene file but for its pieces, with lengths in mm."""
    keys = {key: value for key, value in document.items() if key not in (*PIECE_TABLE_KEYS, "units")}
    if "table" in keys and document.get("units", "mm") != "mm":
        keys["table"] = [unit_in(document) * side for side in keys["table"]]
    if str(keys.get("rules", "")).lower().endswith(".toml"):
        keys["rules"] = (path.parent / keys["rules"]).resolve().as_posix()
    plain: dict[str, Any] = json.loads(json.dumps(keys, default=str))
    return plain


def _extras(piece: Piece, entry: Mapping[str, Any]) -> dict[str, Any]:
    keys = {key: value for key, value in entry.items() if key not in (*OF_THE_NODE, *ModelOptions.model_fields)}
    keys |= {MARKER: piece.kind}
    if piece.kind == "terrain":
        keys.pop("facing", None)
    else:
        keys["facing"] = "unknown" if piece.facing is None else round(piece.facing, 9)
        if piece.facing is not None and piece.weapon is not None:
            keys["facing"] = {"head": keys["facing"], "weapon": round(piece.weapon, 9)}
    return keys if "figure" in keys else keys | _keys_of_model(piece)


def _keys_of_model(piece: Piece) -> dict[str, Any]:
    model, is_terrain = piece.model, piece.kind == "terrain"
    eye = model.eye_given if piece.eye_given is None else piece.eye_given
    eyes = {arc: point.tolist() for arc, point in piece.eyes.items()}
    keys = {
        "front": None if is_terrain and model.front_from != "given" else round(model.front, 9),
        "solid": model.solid or None,
        "scan": model.scan or None,
        "eye": None if eye is None else eye.tolist(),
        "eyes": eyes if eye is None and eyes else None,
        "insignificant": [{"part": "insignificant"}] if (model.role == INSIGNIFICANT).any() else None,
        "base": None if is_terrain else _base(model),
    }
    return {key: value for key, value in keys.items() if value is not None}


def _base(model: Model) -> Any:
    """The key ``base`` of a model whose base is a part of its own."""
    if model.base is None:
        return "none"
    width = {"diameter": model.base.diameter} if model.base.is_round else {}
    return {"part": "base", **width} if (model.role == BASE).any() else width or "none"


class _File:
    def __init__(self) -> None:
        self._nodes: list[dict[str, Any]] = []
        self._roots: list[int] = []
        self._meshes: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []
        self._views: list[dict[str, Any]] = []
        self._data = bytearray()
        self._written: dict[tuple[str, bytes], list[tuple[str, int]]] = {}

    def add(self, piece: Piece, extras: Mapping[str, Any]) -> None:
        """Adds a piece: a node with its keys, and below it one for each part of its model."""
        rotation = piece.pose.rotation
        turn = float(np.degrees(np.arctan2(rotation[1, 0], rotation[0, 0])))
        place = upright_node(piece.pose.translation, turn)
        parts = self._parts(piece.model)
        first = len(self._nodes)
        self._roots.append(first)
        children = list(range(first + 1, first + 1 + len(parts)))
        self._nodes.append({"name": piece.name, **place, "extras": dict(extras), "children": children})
        self._nodes += [{"name": part, "mesh": mesh} for part, mesh in parts]

    def content(self, extras: Mapping[str, Any]) -> bytes:
        """The file, given the custom properties of its scene."""
        tree = {
            "asset": {"version": "2.0", "generator": f"Silhouette {VERSION}"},
            "scene": 0,
            "scenes": [{"name": extras.get("title") or "table", "nodes": self._roots, "extras": dict(extras)}],
            "nodes": self._nodes,
            "meshes": self._meshes,
            "materials": [
                {
                    "name": name,
                    "pbrMetallicRoughness": {"baseColorFactor": [*ROLE_COLOURS[name], 1.0], "metallicFactor": 0.0},
                }
                for name in ROLE_NUMBERS
            ],
            "accessors": self._accessors,
            "bufferViews": self._views,
            "buffers": [{"byteLength": len(self._data)}],
        }
        text = json_text(tree, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = [(text, b"JSON"), (bytes(self._data), b"BIN\0")]
        body = b"".join(len(data).to_bytes(4, "little") + kind + data for data, kind in chunks)
        return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body

    def _parts(self, model: Model) -> list[tuple[str, int]]:
        """The parts of a model by name, each with its mesh in the file; written once for all models that look so."""
        look = model.mesh.digest, model.role.tobytes()
        if look not in self._written:
            self._written[look] = []
            for name, role in ROLE_NUMBERS.items():
                chosen = model.role == role
                if chosen.any():
                    number = self._mesh(Path(model.source).stem, name, model.mesh.vertices, model.mesh.faces[chosen])
                    self._written[look].append((name, number))
        return self._written[look]

    def _mesh(self, source: str, part: str, vertices: Floats, faces: Integers) -> int:
        used, corner = np.unique(faces, return_inverse=True)
        points = points_from_table(vertices[used]).astype("<f4")
        box = {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
        position = self._accessor(points, VERTICES, {"componentType": GL_FLOAT, "type": "VEC3", **box}, len(points))
        corners = corner.astype("<u4").ravel()
        indices = self._accessor(corners, INDICES, {"componentType": GL_UNSIGNED_INT, "type": "SCALAR"}, len(corners))
        surface = {"attributes": {"POSITION": position}, "indices": indices, "material": list(ROLE_NUMBERS).index(part)}
        self._meshes.append({"name": f"{source} {part}", "primitives": [surface]})
        return len(self._meshes) - 1

    def _accessor(self, numbers: Any, target: int, entry: Mapping[str, Any], count: int) -> int:
        data = numbers.tobytes()
        view = {"buffer": 0, "byteOffset": len(self._data), "byteLength": len(data), "target": target}
        self._views.append(view)
        self._data += data
        self._accessors.append({"bufferView": len(self._views) - 1, "count": count, **entry})
        return len(self._accessors) - 1
