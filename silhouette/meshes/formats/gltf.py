"""glTF and GLB: one reader for all who look at such a file: nodes over meshes over buffers.

Shape keys that are on and skeletons in their pose are applied; hidden nodes and coarse levels of detail are left out.

Read here, because trimesh drops what hangs below a camera, shows nothing where no scene is named or nodes go in a
circle, applies neither shape keys nor skeletons, ignores sparse and normalised accessors, and decodes textures too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silhouette.geometry import Floats
from silhouette.meshes.formats.base import (
    LONGEST_NAME,
    MOST_PARTS,
    MOST_TRIANGLES,
    MOST_VERTICES,
    Refused,
    Skin,
    Surface,
    carried,
    no_triangles,
    too_many_parts,
)
from silhouette.meshes.formats.gltf_accessors import Accessors, Numbers, strip_triangles
from silhouette.meshes.formats.gltf_colours import Painter
from silhouette.meshes.formats.gltf_nodes import Node, nodes_of, not_shown, table_of
from silhouette.meshes.formats.gltf_poses import Pose, morphed, pose_of, weights_of
from silhouette.meshes.formats.gltf_tree import (
    DRACO,
    Buffers,
    Tree,
    check_version_and_extensions,
    item,
    open_container,
    parse_tree,
)
from silhouette.text import as_written

GLTF = ("glb", "gltf")
"""The endings of glTF files: GLB is binary, glTF is JSON with the data inside it or in files beside it."""

INSTANCING = "EXT_mesh_gpu_instancing"

_POINTS_AND_LINES = (0, 1, 2, 3)
_TRIANGLES, _STRIP = 4, 5
_JOINTS, _WEIGHTS = "JOINTS_", "WEIGHTS_"
# Vertices times the shape keys and joints that move them, of all that is placed.
_MOST_MOVED = 10 * MOST_VERTICES


@dataclass(frozen=True, eq=False)
class _Primitive:
    """A primitive of triangles: its JSON, points (n, 3), faces (m, 3), skin, and what Draco has packed of it."""

    told: Tree
    points: Numbers
    faces: Numbers
    skin: Skin | None
    unpacked: dict[str, Numbers]


@dataclass(frozen=True, eq=False)
class Shape:
    """What a node shows.

    Attributes:
        surfaces: in a frame of their own, all of the same part.
        matrix: (4, 4) from that frame to the scene's.
    """

    surfaces: tuple[Surface, ...]
    matrix: Floats


class Gltf:
    """A glTF or GLB file.

    Attributes:
        tree: its JSON.
        nodes: those of the default scene, by index, in the order in which it visits them.
        painter: of its colours, where they are wanted.
        warnings: a sentence for each thing that the user should know.
    """

    def __init__(self, data: bytes, fetch: Callable[[str], bytes], binary: bool, whole: bool = False) -> None:
        """Takes a file apart, but for its meshes.

        Args:
            data: its bytes.
            fetch: the bytes of a file that it refers to; raises Refused.
            binary: whether it is a GLB.
            whole: whether colours are wanted, and vertices that no triangle uses or that are not shown.

        Raises:
            Refused: if it is none, or its nodes are no tree.
        """
        self.tree, blob = open_container(data) if binary else (parse_tree(data), None)
        check_version_and_extensions(self.tree)
        self.nodes = nodes_of(self.tree)
        self.warnings: list[str] = []
        self._buffers = Buffers(self.tree, blob, fetch)
        self.painter = Painter(self.tree, self._buffers.of, fetch)
        self._accessors = Accessors(self.tree, self._buffers)
        self._whole = whole
        self._checked: dict[int, list[tuple[int, Tree]]] = {}
        self._primitives: dict[int, list[_Primitive]] = {}
        self._broken: set[int] = set()
        self._moved = 0
        self._shapes: dict[tuple[int, tuple[float, ...]], tuple[Surface, ...]] = {}

    @property
    def external(self) -> dict[str, bytes]:
        """The bytes of other files that were fetched, by the reference to each."""
        return self._buffers.external

    def check(self) -> None:
        """Looks whether all is there that the default scene shows, and fetches it.

        Raises:
            Refused: if something is not, is malformed or not supported, or is more than can be looked at.
        """
        corners = placed = vertices = 0
        for node in self.nodes.values():
            if "mesh" not in node.told or not self._is_wanted(node):
                continue
            try:
                primitives = self.check_node(node)
            except Refused:
                if node.is_shown:
                    raise
                self._broken.add(node.index)  # which nobody sees
                continue
            for _, primitive in primitives:
                placed += 1
                corners += self._corners(primitive)
                vertices += self._accessors.count(primitive["attributes"]["POSITION"])
            if placed > MOST_PARTS:
                raise too_many_parts(placed)
        if not placed:
            left = not_shown(self.nodes)
            raise no_triangles(left or ("points, lines or empty nodes" if self.tree.get("meshes") else ""))
        if corners > 3 * MOST_TRIANGLES:
            raise Refused(f"holds {corners // 3} triangles; {MOST_TRIANGLES} are the most that can be looked at")
        if self._whole and vertices > MOST_VERTICES:
            raise Refused(f"holds {vertices} vertices; {MOST_VERTICES} are the most that can be looked at")

    def _is_wanted(self, node: Node) -> bool:
        """Whether what a node has is looked at.

        Raises:
            Refused: if its place cannot be told.
        """
        if node.index in self._broken:
            return False
        if self._whole and node.world is not None:
            return True
        if not node.unseen and node.world is None and "skin" not in node.told:
            raise Refused(f"is malformed: {node.called} {node.wrong}")
        return node.is_shown

    def check_node(self, node: Node) -> list[tuple[int, Tree]]:
        """Looks whether the mesh of a node is there, with its skeleton, and fetches it.

        Returns:
            Its primitives of triangles, with their numbers in the mesh.

        Raises:
            Refused: as `check`.
        """
        if INSTANCING in table_of(node.told, "extensions"):
            raise Refused(f"uses {INSTANCING}, which is not supported; export every copy as a node")
        index = node.told["mesh"]
        mesh = item(self.tree.get("meshes", []), index, "mesh")
        if index not in self._checked:
            if len(mesh["primitives"]) > MOST_PARTS:
                raise too_many_parts(len(mesh["primitives"]))
            self._checked[index] = [
                (number, primitive)
                for number, primitive in enumerate(mesh["primitives"])
                if self._checked_one(primitive)
            ]
        if any(weights_of(node.told, mesh)):
            for target in (target for _, told in self._checked[index] for target in told.get("targets", [])):
                if "POSITION" in target:
                    self._accessors.check(target["POSITION"], "VEC3", bare=True)
        if "skin" in node.told:
            self._check_skin(node.told["skin"], self._checked[index])
        return self._checked[index]

    def _check_skin(self, index: Any, primitives: list[tuple[int, Tree]]) -> None:
        skin = item(self.tree.get("skins"), index, "skin")
        if "inverseBindMatrices" in skin:
            self._accessors.check(skin["inverseBindMatrices"], "MAT4")
        for _, primitive in primitives:
            is_packed = DRACO in primitive.get("extensions", {})
            for name, accessor in primitive["attributes"].items():
                if name.startswith((_JOINTS, _WEIGHTS)):
                    self._accessors.check(accessor, "VEC4", bare=is_packed)

    def _checked_one(self, primitive: Tree) -> bool:
        """Whether a primitive has triangles, which are all there."""
        mode, attributes = primitive.get("mode", _TRIANGLES), primitive["attributes"]
        if mode in _POINTS_AND_LINES or "POSITION" not in attributes:
            return False
        if mode not in (_TRIANGLES, _STRIP):
            raise Refused(f"holds primitives of mode {as_written(mode)}; export it as plain triangles")
        draco = primitive.get("extensions", {}).get(DRACO)
        bare = draco is not None
        self._accessors.check(attributes["POSITION"], "VEC3", bare=bare)
        if "indices" in primitive:
            self._accessors.check(primitive["indices"], "SCALAR", bare=bare)
        corners = self._corners(primitive)
        if mode == _TRIANGLES and corners % 3:
            raise Refused(f"is malformed: it announces {corners} corners of triangles, which is no multiple of three")
        if draco is not None:
            self._accessors.check_draco(draco)
        return True

    def _corners(self, primitive: Tree) -> int:
        return self._accessors.count(primitive.get("indices", primitive["attributes"]["POSITION"]))

    def surfaces(self) -> list[Surface]:
        """All that the default scene shows, in its place; `check` comes first.

        Where vertices are wanted that are not shown, their surfaces come too, without faces.
        """
        surfaces: list[Surface] = []
        for node in self.nodes.values():
            if "mesh" not in node.told or not self._is_wanted(node):
                continue
            part = self._part(node)
            shape = (
                self.shape(node)
                if node.is_shown
                else Shape(self._unseen(node), np.eye(4) if node.world is None else node.world)
            )
            for surface in shape.surfaces:
                surfaces.append(carried(replace(surface, part=part), shape.matrix, self._whole))
        left = not_shown(self.nodes)
        if left:
            self.warnings.append(f"left out: {left}")
        total = sum(len(surface.faces) for surface in surfaces)
        if total > MOST_TRIANGLES:
            raise Refused(f"holds {total} triangles; {MOST_TRIANGLES} are the most that can be looked at")
        if not total:
            raise no_triangles(left)
        return surfaces

    def _unseen(self, node: Node) -> tuple[Surface, ...]:
        return tuple(
            Surface("", one.points, np.zeros((0, 3), np.int64)) for one in self._primitives_of(node.told["mesh"], node)
        )

    def _part(self, node: Node) -> str:
        """The name of the part that a node is: its own, its mesh's, or that of the nearest node above with a name."""
        named = [node.told, self.tree["meshes"][node.told["mesh"]], *(self.nodes[above].told for above in node.above)]
        names = (str(told.get("name") or "").strip()[:LONGEST_NAME] for told in named)
        return next(filter(None, names), f"mesh {node.told['mesh']}")

    def shape(self, node: Node) -> Shape:
        """What a node shows: its mesh with the shape keys that are on, in the pose of its skeleton.

        A skeleton that has its mesh as it was bound carries it whole; else the frame is that of one of its joints.

        Raises:
            Refused: if its mesh, its weights or its skeleton cannot be used.
        """
        index = node.told["mesh"]
        primitives = self._primitives_of(index, node)
        weights = weights_of(node.told, self.tree["meshes"][index])
        key = index, tuple(weights) if any(weights) else ()
        if key not in self._shapes:
            self._shapes[key] = tuple(map(self._morphed, primitives, [weights] * len(primitives)))
        surfaces = self._shapes[key]
        if "skin" not in node.told:
            assert node.world is not None
            return Shape(surfaces, node.world)
        moving = [self._moving(one) for one in primitives]
        matrix, posed, sentence = self._pose(node).applied([surface.vertices for surface in surfaces], moving, node)
        if sentence and sentence not in self.warnings:
            self.warnings.append(sentence)
        placed = zip(surfaces, posed, strict=True)
        return Shape(tuple(replace(surface, vertices=points) for surface, points in placed), matrix)

    def _morphed(self, primitive: _Primitive, weights: list[float]) -> Surface:
        """A primitive with the shape keys that are on."""
        points, told = primitive.points, primitive.told
        if any(weights):
            self._count(len(points) * sum(map(bool, weights)))
            targets = [
                self._rows(primitive, self._accessors.read(target["POSITION"]))
                if "POSITION" in target and weight
                else None
                for target, weight in zip(
                    told.get("targets", []), itertools.chain(weights, itertools.repeat(0.0)), strict=False
                )
            ]
            points = morphed(points, targets, weights)
        return Surface("mesh", points, primitive.faces, primitive.skin, see_through=self.painter.see_through(told))

    def _moving(self, primitive: _Primitive) -> tuple[Numbers, Numbers] | None:
        """The joints (n, k) that each point of a primitive follows, and how much (n, k); None if it follows none."""
        attributes = primitive.told["attributes"]
        sets = sorted(name.removeprefix(_JOINTS) for name in attributes if name.startswith(_JOINTS))
        if not sets:
            return None
        self._count(len(primitive.points) * 4 * len(sets))
        found = []
        for kind in (_JOINTS, _WEIGHTS):
            names = [f"{kind}{number}" for number in sets]
            if missing := [name for name in names if name not in attributes]:
                raise Refused(f"is malformed: a mesh with a skeleton has no {missing[0]}")
            columns = [
                primitive.unpacked[name] if name in primitive.unpacked else self._accessors.read(attributes[name])
                for name in names
            ]
            found.append(np.concatenate([self._rows(primitive, rows) for rows in columns], axis=1))
        return found[0], found[1]

    def _rows(self, primitive: _Primitive, rows: Numbers) -> Numbers:
        """What each point of a primitive has.

        Raises:
            Refused: if there are more or fewer rows than points.
        """
        if len(rows) != len(primitive.points):
            raise Refused(
                f"is malformed: a mesh has {len(primitive.points)} vertices, and {len(rows)} rows of what moves them"
            )
        return rows

    def _count(self, moved: int) -> None:
        self._moved += moved
        if self._moved > _MOST_MOVED:
            raise Refused(f"has shape keys and skeletons that move vertices over {_MOST_MOVED} times; apply them")

    def _pose(self, node: Node) -> Pose:
        skin = item(self.tree.get("skins"), node.told["skin"], "skin")
        bound = None
        if "inverseBindMatrices" in skin:
            bound = self._accessors.read(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        return pose_of(skin, bound, self.nodes)

    def _primitives_of(self, index: int, node: Node) -> list[_Primitive]:
        """The primitives of triangles of a mesh; each is read once."""
        if index not in self._primitives:
            self._primitives[index] = [
                self._primitive(f"{index}.{number}", primitive, self._part(node))
                for number, primitive in self.check_node(node)
            ]
        return self._primitives[index]

    def _primitive(self, key: str, primitive: Tree, part: str) -> _Primitive:
        attributes = primitive["attributes"]
        draco = primitive.get("extensions", {}).get(DRACO)
        arrays: dict[str, Numbers] = {}
        if draco is not None:
            unpacked = self._accessors.decoded(draco, attributes)
            if unpacked is None:
                raise Refused(f"holds compressed data for {part!r} that cannot be decoded; export it uncompressed")
            arrays = unpacked
        points = arrays["POSITION"] if "POSITION" in arrays else self._accessors.read(attributes["POSITION"])
        corners = arrays.get("indices")
        if corners is None:
            has = "indices" in primitive
            corners = self._accessors.read(primitive["indices"]) if has else np.arange(len(points))
        is_strip = draco is None and primitive.get("mode", _TRIANGLES) == _STRIP
        faces = strip_triangles(corners) if is_strip else corners.reshape(-1, 3)
        skin = self._skin(key, primitive, arrays, len(points)) if self._whole else None
        return _Primitive(primitive, points, faces, skin, arrays)

    def _skin(self, key: str, primitive: Tree, arrays: dict[str, Numbers], count: int) -> Skin | None:
        """What colours a primitive."""
        found: dict[str, Any] = {}
        for name, (accessor, shape) in self.painter.attributes(key, primitive).items():
            try:
                if name not in arrays:
                    self._accessors.check(accessor, shape)
                found[name] = arrays[name] if name in arrays else self._accessors.read(accessor, as_stored=True)
            except Refused as refused:
                self.painter.broken(key, name, str(refused))
        return self.painter.skin(key, found, count)
