"""EXCHANGE: what the nodes of a glTF file show, each mesh once, in mm with z up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from silhouette.errors import FileError
from silhouette.exchange.gltf_extras import NoPiece
from silhouette.exchange.gltf_frame import points_to_table
from silhouette.geometry import Floats
from silhouette.meshes.formats.base import Refused, Surface, surface_area
from silhouette.meshes.formats.gltf import Gltf
from silhouette.meshes.formats.gltf_nodes import Node, shown, table_of
from silhouette.meshes.health import absurd
from silhouette.meshes.mesh import Mesh, joined, merge_equal
from silhouette.meshes.opening import plainly


@dataclass(frozen=True, eq=False)
class NodeMesh:
    """What a node shows.

    Attributes:
        mesh: in a frame of its own, with one part.
        matrix: (4, 4) from that frame to the scene's, metres and y up.
        areas: of each material that makes pixels transparent, by its name; that of all others has an empty one.
    """

    mesh: Mesh
    matrix: Floats
    areas: Mapping[str, float]


class GltfMeshes:
    """The meshes of a file.

    Args:
        path: of the file, for messages.
        gltf: its content.
    """

    def __init__(self, path: Path, gltf: Gltf) -> None:
        self._path = path
        self._gltf = gltf
        # With the surfaces, so that no other array takes the identity of theirs.
        self._known: dict[tuple[int, ...], tuple[tuple[Surface, ...], Mesh, dict[str, float]]] = {}

    def of(self, node: Node) -> NodeMesh:
        """What a node shows: its mesh, with its shape keys, in the pose of its skeleton.

        Raises:
            NoPiece: where it has a mesh that cannot be used.
        """
        if type(node.told.get("mesh")) is not int:
            raise NoPiece("refers to no mesh of the file")
        try:
            with plainly(self._path):
                if not self._gltf.check_node(node):
                    raise Refused("holds no triangles; a mesh needs at least one")
                shape = self._gltf.shape(node)
                key = tuple(id(surface.vertices) for surface in shape.surfaces)
                if key not in self._known:
                    self._known[key] = shape.surfaces, *_read(shape.surfaces)
        except FileError as error:
            raise NoPiece(f"its mesh cannot be used: {error.problem}") from None
        _, mesh, areas = self._known[key]
        return NodeMesh(mesh, shape.matrix, areas)

    def name_of(self, node: Node) -> str:
        """The name of the mesh of a node; empty where it has none."""
        meshes, index = self._gltf.tree.get("meshes", []), node.told.get("mesh")
        is_one = isinstance(meshes, list) and type(index) is int and 0 <= index < len(meshes)
        return shown(meshes[index].get("name")) if is_one and isinstance(meshes[index], dict) else ""

    def is_marked(self, node: Node, mark: str) -> bool:
        """Whether the mesh of a node, instead of the node itself, has a property."""
        if not self.name_of(node):
            return False
        return mark in table_of(self._gltf.tree["meshes"][node.told["mesh"]], "extras")


def _read(surfaces: tuple[Surface, ...]) -> tuple[Mesh, dict[str, float]]:
    """The mesh of surfaces, and the area of each material."""
    areas: dict[str, float] = {}
    for surface in surfaces:
        areas[surface.see_through] = areas.get(surface.see_through, 0.0) + surface_area(surface)
    vertices, faces, part, names = joined(list(surfaces))
    problem = absurd(vertices)
    if problem is not None:
        raise Refused(problem)
    vertices, merged = merge_equal(points_to_table(vertices))
    return Mesh(vertices, merged[faces].astype("int32"), part, names), areas
