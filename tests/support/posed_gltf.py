"""glTF files with shape keys and skeletons for tests, and where they put every vertex, by the book and one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from tests.support.gltf_scenes import glb

KINDS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
FULL = {"i1": 127, "u1": 255, "i2": 32767, "u2": 65535}
SHAPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Writer:
    """A tree of glTF and its data."""

    def __init__(self) -> None:
        self.blob = bytearray()
        self.tree: dict[str, Any] = {
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": [],
            "accessors": [], "bufferViews": [],
        }  # fmt: skip

    def view(self, data: bytes, **more: Any) -> int:
        """The number of a view of some bytes, which begin at a multiple of four."""
        self.blob += b"\0" * (-len(self.blob) % 4)
        self.tree["bufferViews"].append({"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data), **more})
        self.blob += data
        return len(self.tree["bufferViews"]) - 1

    def accessor(self, rows: Any, kind: str = "f4", **more: Any) -> int:
        """The number of an accessor of rows (n, columns) or (n,)."""
        stored = np.asarray(rows).astype("<" + kind)
        stored = stored[:, None] if stored.ndim == 1 else stored
        width = stored.shape[1] * stored.itemsize
        padded = -(-width // 4) * 4 if stored.shape[1] > 1 else width
        data = np.zeros((len(stored), padded), np.uint8)
        data[:, :width] = np.ascontiguousarray(stored).view(np.uint8).reshape(len(stored), width)
        gaps = {"byteStride": padded} if padded != width else {}
        found = {"bufferView": self.view(data.tobytes(), **gaps), "componentType": KINDS[kind], "count": len(stored)}
        self.tree["accessors"].append({**found, "type": SHAPES[stored.shape[1]], **more})
        return len(self.tree["accessors"]) - 1

    def sparse(self, rows: Any, base: int | None = None) -> int:
        """The number of an accessor that stores only the rows (n, 3) that are not 0, over another or over zeros."""
        rows = np.asarray(rows, dtype="<f4")
        places = np.flatnonzero(rows.any(axis=1))
        indices = {"bufferView": self.view(places.astype("<u2").tobytes()), "componentType": 5123}
        values = {"bufferView": self.view(rows[places].tobytes())}
        told = {"componentType": 5126, "count": len(rows), "type": "VEC3"}
        if base is not None:
            told["bufferView"] = self.tree["accessors"][base]["bufferView"]
        told["sparse"] = {"count": len(places), "indices": indices, "values": values}
        self.tree["accessors"].append(told)
        return len(self.tree["accessors"]) - 1

    def node(self, *, root: bool = True, **told: Any) -> int:
        """The number of a node."""
        self.tree["nodes"].append(told)
        if root:
            self.tree["scenes"][0]["nodes"].append(len(self.tree["nodes"]) - 1)
        return len(self.tree["nodes"]) - 1

    def mesh(self, points: Any, faces: Any, **attributes: int) -> dict[str, Any]:
        """The primitive of a new mesh."""
        primitive = {"attributes": {"POSITION": self.accessor(points), **attributes}}
        primitive["indices"] = self.accessor(np.asarray(faces).ravel(), "u4")
        self.tree["meshes"].append({"primitives": [primitive]})
        return primitive

    def written(self) -> bytes:
        """The file."""
        return glb({**self.tree, "buffers": [{"byteLength": len(self.blob)}], "blob": bytes(self.blob)})


def local(told: dict[str, Any]) -> Any:
    """The matrix (4, 4) of a node with translation, rotation and scale."""
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(told.get("rotation", [0, 0, 0, 1])).as_matrix() @ np.diag(
        told.get("scale", [1, 1, 1])
    )
    matrix[:3, 3] = told.get("translation", [0, 0, 0])
    return matrix


def worlds(tree: dict[str, Any]) -> dict[int, Any]:
    """The matrix (4, 4) of each node that hangs below the scene, to the scene."""
    found: dict[int, Any] = {}

    def visit(index: int, outer: Any) -> None:
        found[index] = outer @ local(tree["nodes"][index])
        for child in tree["nodes"][index].get("children", []):
            visit(child, found[index])

    for root in tree["scenes"][0]["nodes"]:
        visit(root, np.eye(4))
    return found


def posed(points: Any, joints: Any, weights: Any, matrices: list[Any]) -> Any:
    """Points (n, 3) in the pose of a skeleton: for each, joint by joint, the share of where it would put the point."""
    found = []
    for point, numbers, shares in zip(points, joints, weights, strict=True):
        place = np.zeros(4)
        for number, share in zip(numbers, shares, strict=True):
            if share:
                place += share / sum(shares) * (matrices[int(number)] @ np.array([*point, 1.0]))
        found.append(place[:3])
    return np.array(found)
