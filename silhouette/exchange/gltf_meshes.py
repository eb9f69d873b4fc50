"""EXCHANGE: the meshes of a glTF file, each once, in mm with z up; and where a skeleton puts one that it carries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from silhouette.errors import FileError
from silhouette.exchange.gltf_extras import NoPiece
from silhouette.exchange.gltf_frame import points_to_table, to_table
from silhouette.exchange.gltf_nodes import GltfScene, Node, shown, table_of
from silhouette.exchange.placing import moved
from silhouette.geometry import Floats, corners
from silhouette.meshes.formats.base import Refused
from silhouette.meshes.formats.gltf import Gltf
from silhouette.meshes.formats.gltf_tree import item, whole_number
from silhouette.meshes.health import absurd
from silhouette.meshes.mesh import Mesh, joined, merge_equal
from silhouette.meshes.opening import plainly

INSTANCING = "EXT_mesh_gpu_instancing"

AS_BOUND = 0.01
"""mm: how far the joints of a skeleton may put the corners of a mesh apart where it stands as it was bound."""

_FLOAT, _MATRIX = 5126, 64


class GltfMeshes:
    """The meshes of a file.

    Args:
        path: of the file, for messages.
        scene: its content.
    """

    def __init__(self, path: Path, scene: GltfScene) -> None:
        self._path = path
        self._scene = scene
        self._known: dict[int, Mesh | FileError] = {}

    def of(self, node: Node) -> Mesh:
        """The mesh of a node in its own frame, with one part.

        Raises:
            NoPiece: where it has one that cannot be used.
        """
        if INSTANCING in table_of(node.told, "extensions"):
            raise NoPiece(f"uses {INSTANCING}, which is not supported; export without GPU instances")
        index = node.told.get("mesh")
        if type(index) is not int:
            raise NoPiece("refers to no mesh of the file")
        if index not in self._known:
            try:
                with plainly(self._path):
                    self._known[index] = self._read(index)
            except FileError as error:
                self._known[index] = error
        found = self._known[index]
        if isinstance(found, FileError):
            raise NoPiece(f"its mesh cannot be used: {found.problem}")
        if self._has_shape_keys(node, index):
            raise NoPiece("has shape keys that are on, which are not supported; apply them before the export")
        return found

    def name_of(self, node: Node) -> str:
        """The name of the mesh of a node; empty where it has none."""
        meshes, index = self._scene.tree.get("meshes", []), node.told.get("mesh")
        is_one = isinstance(meshes, list) and type(index) is int and 0 <= index < len(meshes)
        return shown(meshes[index].get("name")) if is_one and isinstance(meshes[index], dict) else ""

    def is_marked(self, node: Node, mark: str) -> bool:
        """Whether the mesh of a node, instead of the node itself, has a property."""
        if not self.name_of(node):
            return False
        return mark in table_of(self._scene.tree["meshes"][node.told["mesh"]], "extras")

    def world_of(self, node: Node, mesh: Mesh) -> Floats:
        """The matrix (4, 4) from a mesh's frame to the scene's, metres and y up: its node's, or that of its skeleton.

        Raises:
            NoPiece: where the skeleton has another pose than that in which it was bound to the mesh.
        """
        assert node.world is not None
        if "skin" not in node.told:
            return node.world
        try:
            with plainly(self._path):
                matrices = self._joints(item(self._scene.tree.get("skins"), node.told["skin"], "skin"))
        except FileError as error:
            raise NoPiece(f"its skeleton cannot be used: {error.problem}") from None
        box = corners(*mesh.bounds)
        places = np.array([moved(to_table(matrix), box) for matrix in matrices])
        if np.linalg.norm(places - places[0], axis=2).max() > AS_BOUND:
            raise NoPiece("is posed by a skeleton, which is not supported; apply its armature before the export")
        return matrices[0]

    def _read(self, index: int) -> Mesh:
        gltf = Gltf.of_mesh(self._scene.tree, self._scene.buffers, index)
        vertices, faces, part, names = joined(gltf.surfaces())
        problem = absurd(vertices)
        if problem is not None:
            raise Refused(problem)
        vertices, merged = merge_equal(points_to_table(vertices))
        return Mesh(vertices, merged[faces].astype(np.int32), part, names)

    def _has_shape_keys(self, node: Node, index: int) -> bool:
        """Whether any morph target of a mesh is on, so that it has another shape than its vertices say."""
        mesh = self._scene.tree["meshes"][index]
        if not any(primitive.get("targets") for primitive in mesh["primitives"]):
            return False
        weights = node.told.get("weights", mesh.get("weights", []))
        return not (isinstance(weights, list) and all(weight == 0 for weight in weights))

    def _joints(self, skin: dict[str, Any]) -> list[Floats]:
        """Where each joint of a skeleton puts what it carries.

        Raises:
            Refused: where that cannot be told.
        """
        joints = skin.get("joints")
        if not isinstance(joints, list) or not joints:
            raise Refused("a skin has no joints")
        bound = self._bound(skin["inverseBindMatrices"], len(joints)) if "inverseBindMatrices" in skin else None
        matrices = []
        for number, joint in enumerate(joints):
            node = self._scene.nodes.get(joint) if type(joint) is int else None
            if node is None or node.world is None:
                raise Refused("a joint is not in the scene, or has no place")
            matrices.append(node.world if bound is None else node.world @ bound[number])
        if not np.isfinite(matrices).all():
            raise Refused("its matrices are no numbers")
        return matrices

    def _bound(self, index: int, count: int) -> Floats:
        """(count, 4, 4) the matrices of an accessor."""
        tree = self._scene.tree
        accessor = item(tree.get("accessors"), index, "accessor")
        if (accessor.get("type"), accessor.get("componentType")) != ("MAT4", _FLOAT) or "sparse" in accessor:
            raise Refused("is malformed: a skin's matrices are not stored as such")
        view = item(tree.get("bufferViews"), accessor.get("bufferView"), "bufferView")
        if view.get("byteStride", _MATRIX) != _MATRIX:
            raise Refused("stores a skin's matrices with gaps, which is not supported")
        start = whole_number(view.get("byteOffset", 0), "a bufferView's byteOffset")
        start += whole_number(accessor.get("byteOffset", 0), "an accessor's byteOffset")
        item(tree.get("buffers"), view.get("buffer"), "buffer")
        data = self._scene.buffers.of(view["buffer"])[start : start + _MATRIX * count]
        if len(data) < _MATRIX * count:
            raise Refused("is truncated: a skin's matrices reach past the end of their data")
        return np.frombuffer(data, "<f4").reshape(count, 4, 4).transpose(0, 2, 1).astype(np.float64)
