"""Trees of glTF for tests: nodes that share one mesh, a wedge of six faces with no symmetry."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

WEDGE = np.array([[0.0, 0.0, 0.0], [0.02, 0.0, 0.0], [0.0, 0.03, 0.0], [0.0, 0.0, 0.012], [0.013, 0.025, 0.011]])
"""(5, 3) metres, y up: the corners of the mesh."""

FACES = np.array([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 4], [2, 3, 4], [3, 1, 4]])


def wedge() -> dict[str, Any]:
    """A tree with that mesh and one node without any; "blob" holds its data until `glb` packs it."""
    points, corners = WEDGE.astype("<f4").tobytes(), FACES.astype("<u4").tobytes()
    box = {"min": WEDGE.min(axis=0).tolist(), "max": WEDGE.max(axis=0).tolist()}
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": []}],
        "nodes": [{"name": "root"}],
        "meshes": [{"name": "wedge", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(WEDGE), "type": "VEC3", **box},
            {"bufferView": 1, "componentType": 5125, "count": FACES.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(corners)},
        ],
        "buffers": [{"byteLength": len(points) + len(corners)}],
        "blob": points + corners,
    }


def node(
    name: str,
    *,
    fighter: bool = False,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    rotation: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
    scale: Sequence[float] = (1.0, 1.0, 1.0),
    **extras: Any,
) -> dict[str, Any]:
    """A node with the mesh that says it is a piece."""
    told: dict[str, Any] = {"name": name} if name else {}
    place = {"translation": list(at), "rotation": list(rotation), "scale": list(scale)}
    return {**told, "mesh": 0, **place, "extras": {"silhouette": "fighter" if fighter else "terrain", **extras}}


def glb(tree: dict[str, Any]) -> bytes:
    """A tree as one binary file."""
    rest = {key: value for key, value in tree.items() if key != "blob"}
    text = json.dumps(rest).encode()
    text += b" " * (-len(text) % 4)
    blob = bytes(tree.get("blob", b""))
    chunks = [(text, b"JSON"), (blob, b"BIN\0")]
    body = b"".join(len(data).to_bytes(4, "little") + kind + data for data, kind in chunks)
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body


def packed(meshes: Sequence[Any], faces: Any, nodes: list[dict[str, Any]]) -> bytes:
    """One binary file with nodes, and their meshes (n, 3), metres and y up, which have the same faces (m, 3)."""
    corners = np.asarray(faces).astype("<u4").tobytes()
    blob, views, accessors = bytearray(corners), [{"buffer": 0, "byteOffset": 0, "byteLength": len(corners)}], []
    accessors.append({"bufferView": 0, "componentType": 5125, "count": np.size(faces), "type": "SCALAR"})
    for mesh in meshes:
        points = np.asarray(mesh).astype("<f4")
        box = {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": points.nbytes})
        accessors.append(
            {"bufferView": len(views) - 1, "componentType": 5126, "count": len(points), "type": "VEC3", **box}
        )
        blob += points.tobytes()
    surfaces = [{"attributes": {"POSITION": number}, "indices": 0} for number in range(1, len(accessors))]
    return glb({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(len(nodes)))}], "nodes": nodes,
        "meshes": [{"primitives": [surface]} for surface in surfaces],
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(blob)}], "blob": bytes(blob),
    })  # fmt: skip
