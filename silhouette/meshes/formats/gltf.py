"""glTF and GLB: a tree of nodes over meshes over buffers; here it is reduced to what has triangles.

trimesh decodes the geometry. The tree is walked here, because trimesh drops what hangs below a camera, shows nothing
where no scene is named or nodes go in a circle, keeps placeholder zeros for what it cannot decompress, ignores sparse
and normalised accessors, and decodes textures on the way.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from silhouette.files.reading import LARGEST_FILE
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
from silhouette.meshes.formats.gltf_colours import Painter
from silhouette.meshes.formats.gltf_tree import (
    DRACO,
    MESHOPT,
    MOST_NODES,
    Buffers,
    Tree,
    check_version_and_extensions,
    item,
    matrix_of,
    need_draco,
    open_container,
    parse_tree,
    roots_of,
    whole_number,
)
from silhouette.meshes.formats.parsing import parsed
from silhouette.text import as_written

GLTF = ("glb", "gltf")
"""The endings of glTF files: GLB is binary, glTF is JSON with the data inside it or in files beside it."""

_POINTS_AND_LINES = (0, 1, 2, 3)
_TRIANGLES, _STRIP = 4, 5
_INDEX_TYPES = (5121, 5123, 5125)
_SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_COLUMNS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_HOLDS = {"SCALAR": "indices", "VEC2": "places in a picture", "VEC3": "points", "VEC4": "colours"}
# By how much a normalised integer is divided.
_FULL_SCALE = {5120: 127.0, 5121: 255.0, 5122: 32767.0, 5123: 65535.0}


@dataclass(frozen=True, eq=False)
class Placed:
    """One appearance of a geometry: instances are several of these.

    Attributes:
        geometry: trimesh's name for it.
        part: the name of the part that it belongs to.
        matrix: (4, 4) float64, from the geometry's frame to the file's.
    """

    geometry: str
    part: str
    matrix: Floats


class Gltf:
    """A glTF or GLB file taken apart: its tree, and the bytes of the buffers that its triangles lie in.

    Attributes:
        external: the bytes of other files, by the reference to each, for the digest of the content.
    """

    def __init__(self, data: bytes, fetch: Callable[[str], bytes], binary: bool, whole: bool = False) -> None:
        """Takes a file apart.

        Args:
            data: its bytes.
            fetch: the bytes of a file that it refers to; raises Refused.
            binary: whether it is a GLB.
            whole: whether colours are wanted, and vertices that no triangle uses.
        """
        tree, blob = open_container(data) if binary else (parse_tree(data), None)
        check_version_and_extensions(tree)
        self._take_apart(tree, Buffers(tree, blob, fetch), fetch, whole)

    @classmethod
    def of_mesh(cls, tree: Tree, buffers: Buffers, index: int) -> Gltf:
        """One mesh of a file that is open already, in its own frame; its parts are all called ``mesh``.

        Args:
            tree: of the file, whose version and extensions are checked.
            buffers: of the file.
            index: of the mesh.
        """

        def nothing(reference: str) -> bytes:
            raise Refused(f"refers to {reference[:80]!r}")

        alone = cls.__new__(cls)
        one = {"nodes": [{"mesh": index, "name": "mesh"}], "scenes": [{"nodes": [0]}], "scene": 0}
        alone._take_apart({**tree, **one}, buffers, nothing, whole=False)
        return alone

    def _take_apart(self, tree: Tree, buffers: Buffers, fetch: Callable[[str], bytes], whole: bool) -> None:
        self._tree = tree
        self._whole = whole
        self._placed: list[Placed] = []
        self._corners = 0  # of all that is placed
        self._points = 0  # of all accessors
        self._bytes = 0  # of all views
        self._primitives: dict[str, Tree] = {}
        self._accessors: dict[int, int] = {}
        self._views: dict[int, int] = {}
        self._buffers: dict[int, int] = {}
        self._reduced: Tree = {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": [], "buffers": []}
        self.painter = Painter(tree, buffers.of, fetch)
        self._walk()
        if not self._placed:
            raise no_triangles("points, lines or empty nodes" if self._tree.get("meshes") else "")
        if self._corners > 3 * MOST_TRIANGLES:
            total = self._corners // 3
            raise Refused(f"holds {total} triangles; {MOST_TRIANGLES} are the most that can be looked at")
        self.external = buffers.external
        self._buffer_contents: dict[str, bytes] = {}
        for index, number in self._buffers.items():
            self._buffer_contents[f"buffer-{number}"] = buffers.of(index)
            if sum(map(len, self._buffer_contents.values())) > LARGEST_FILE:
                raise Refused(f"has buffers of more than {LARGEST_FILE >> 20} MiB together; split the file")

    def surfaces(self) -> list[Surface]:
        """The surfaces that trimesh's loader decodes, without the Trimesh objects it would build and copy from them.

        It is handed a tree that is reduced to what is needed, with each primitive as a separate mesh. Its resolver
        knows what was read beforehand, and no file and no network.
        """
        self._reduced["meshes"] = [{"name": key, "primitives": [body]} for key, body in self._primitives.items()]
        content = json.dumps(self._reduced).encode()
        loaded = parsed("gltf", content, resolver=self._buffer_contents, skip_materials=True)
        geometries: dict[str, dict[str, Any]] = loaded["geometry"]
        total = sum(len(geometries[placed.geometry]["faces"]) for placed in self._placed)
        if total > MOST_TRIANGLES:
            raise Refused(f"holds {total} triangles; {MOST_TRIANGLES} are the most that can be looked at")
        vertices = sum(len(geometries[placed.geometry]["vertices"]) for placed in self._placed)
        if self._whole and vertices > MOST_VERTICES:
            raise Refused(f"holds {vertices} vertices; {MOST_VERTICES} are the most that can be looked at")
        skins: dict[str, Skin | None] = {}
        surfaces = []
        for placed in self._placed:
            geometry = geometries[placed.geometry]
            if len(geometry["vertices"]) == 0:
                raise Refused(
                    f"holds compressed data for {placed.part!r} that cannot be decoded; export it uncompressed"
                )
            if self._whole and placed.geometry not in skins:
                skins[placed.geometry] = self.painter.skin(placed.geometry, geometry)
            skin = skins.get(placed.geometry)
            surface = Surface(placed.part, geometry["vertices"], np.asarray(geometry["faces"]), skin)
            surfaces.append(carried(surface, placed.matrix, self._whole))
        return surfaces

    def _walk(self) -> None:
        """Place every mesh that hangs below the scene's roots; skinned ones in the pose they were bound in."""
        nodes = self._tree.get("nodes", [])
        pending = [(index, np.eye(4), "") for index in reversed(roots_of(self._tree))]
        seen: set[int] = set()
        while pending:
            index, outer, inherited = pending.pop()
            node = item(nodes, index, "node")
            if index in seen:
                raise Refused(f"is malformed: node {index} hangs below itself or below two others")
            if len(seen) > MOST_NODES or len(self._placed) > MOST_PARTS:
                raise Refused(f"has more than {MOST_NODES} nodes or {MOST_PARTS} parts; join them, or split the file")
            seen.add(index)
            matrix = outer @ matrix_of(node)
            name = str(node.get("name") or "").strip()[:LONGEST_NAME]
            if "EXT_mesh_gpu_instancing" in node.get("extensions", {}):
                raise Refused("uses EXT_mesh_gpu_instancing, which is not supported; export every copy as a node")
            if "mesh" in node:
                self._place(node["mesh"], matrix, name, inherited)
            pending += [(child, matrix, name or inherited) for child in reversed(node.get("children", []))]

    def _place(self, index: int, matrix: Floats, name: str, inherited: str) -> None:
        mesh = item(self._tree.get("meshes", []), index, "mesh")
        part = name or str(mesh.get("name") or "").strip()[:LONGEST_NAME] or inherited or f"mesh {index}"
        if len(mesh["primitives"]) > MOST_PARTS:
            raise too_many_parts(len(mesh["primitives"]))
        for number, primitive in enumerate(mesh["primitives"]):
            mode = primitive.get("mode", _TRIANGLES)
            if mode in _POINTS_AND_LINES:
                continue
            if mode not in (_TRIANGLES, _STRIP):
                raise Refused(f"holds primitives of mode {as_written(mode)}; export it as plain triangles")
            if "POSITION" not in primitive["attributes"]:
                continue
            key = f"{index}.{number}"
            if key not in self._primitives:
                self._primitives[key] = self._primitive(primitive, mode)
                if self._whole:
                    self._coloured(key, primitive)
            self._placed.append(Placed(key, part, matrix @ self._scale(primitive)))
            corners = self._primitives[key].get("indices", self._primitives[key]["attributes"]["POSITION"])
            self._corners += self._reduced["accessors"][corners]["count"]

    def _primitive(self, primitive: Tree, mode: int) -> Tree:
        draco = primitive.get("extensions", {}).get(DRACO)
        position = self._accessor(primitive["attributes"]["POSITION"], "VEC3", bare=draco is not None)
        reduced: Tree = {"attributes": {"POSITION": position}, "mode": mode}
        if "indices" in primitive:
            reduced["indices"] = self._accessor(primitive["indices"], "SCALAR", bare=draco is not None)
        corners = self._reduced["accessors"][reduced.get("indices", position)]["count"]
        if mode == _TRIANGLES and corners % 3:
            raise Refused(f"is malformed: it announces {corners} corners of triangles, which is no multiple of three")
        if draco is not None:
            need_draco()
            reduced["mode"] = _TRIANGLES  # the decoder has made triangles of strips
            reduced.setdefault("indices", self._placeholder("SCALAR"))
            attributes = {"POSITION": draco["attributes"]["POSITION"]}
            reduced["extensions"] = {DRACO: {"bufferView": self._view(draco["bufferView"]), "attributes": attributes}}
        return reduced

    def _coloured(self, key: str, primitive: Tree) -> None:
        """Notes what colours a primitive; under names of our own, which trimesh hands on as they are stored."""
        draco = primitive.get("extensions", {}).get(DRACO)
        reduced = self._primitives[key]
        for name, (index, shape) in self.painter.attributes(key, primitive).items():
            try:
                number = self._accessor(index, shape, bare=draco is not None)
            except Refused as refused:
                self.painter.broken(key, name, str(refused))
                continue
            reduced["attributes"][f"_{name}"] = number
            if draco is not None and name in draco["attributes"]:
                reduced["extensions"][DRACO]["attributes"][f"_{name}"] = draco["attributes"][name]

    def _scale(self, primitive: Tree) -> Floats:
        accessor = item(self._tree["accessors"], primitive["attributes"]["POSITION"], "accessor")
        if not accessor.get("normalized"):
            return np.eye(4)
        divided = 1.0 / _FULL_SCALE[accessor["componentType"]]
        return np.diag([divided, divided, divided, 1.0])

    def _accessor(self, index: int, shape: str, bare: bool) -> int:
        """The number of an accessor in the reduced tree; a bare one is filled by a decoder."""
        accessor = item(self._tree.get("accessors", []), index, "accessor")
        if index in self._accessors:
            return self._accessors[index]
        if accessor["type"] != shape or (shape == "SCALAR" and accessor["componentType"] not in _INDEX_TYPES):
            raise Refused(f"is malformed: accessor {index} should hold {_HOLDS[shape]}")
        if "sparse" in accessor:
            raise Refused("stores points or indices as sparse accessors, which are not supported; export them whole")
        if "bufferView" not in accessor:
            if not bare:
                raise Refused(f"is malformed: accessor {index} refers to no data")
            return self._placeholder(shape)
        kept = {key: accessor[key] for key in ("componentType", "count", "type")}
        kept["byteOffset"] = whole_number(accessor.get("byteOffset", 0), "an accessor's byteOffset")
        kept["bufferView"] = self._view(accessor["bufferView"])
        view = self._reduced["bufferViews"][kept["bufferView"]]
        row = _SIZES[accessor["componentType"]] * _COLUMNS[shape]
        last = (whole_number(accessor["count"], "an accessor's count") - 1) * view.get("byteStride", row)
        if kept["byteOffset"] + last + row > view["byteLength"]:
            raise Refused(f"is malformed: accessor {index} reaches past the end of its data")
        self._points += kept["count"]
        if self._points > MOST_VERTICES + 3 * MOST_TRIANGLES:
            raise Refused(f"holds more than {MOST_VERTICES} vertices or {MOST_TRIANGLES} triangles; reduce them")
        self._reduced["accessors"].append(kept)
        self._accessors[index] = len(self._reduced["accessors"]) - 1
        return self._accessors[index]

    def _placeholder(self, shape: str) -> int:
        """An accessor of nothing: had trimesh failed to decode, its zeros would pass for points."""
        kind = 5125 if shape == "SCALAR" else 5126
        self._reduced["accessors"].append({"componentType": kind, "count": 0, "type": shape})
        return len(self._reduced["accessors"]) - 1

    def _view(self, index: int) -> int:
        view = item(self._tree.get("bufferViews", []), index, "bufferView")
        if index in self._views:
            return self._views[index]
        if any(name in view.get("extensions", {}) for name in MESHOPT):
            raise Refused("is compressed with meshopt, which is not supported; export it uncompressed or with Draco")
        kept: Tree = {
            key: whole_number(view[key], f"a bufferView's {key}")
            for key in ("byteOffset", "byteLength", "byteStride")
            if key in view
        }
        self._bytes += kept["byteLength"]
        if self._bytes > LARGEST_FILE:
            raise Refused(f"has views of more than {LARGEST_FILE >> 20} MiB; split the file")
        buffer = view["buffer"]
        item(self._tree.get("buffers", []), buffer, "buffer")
        kept["buffer"] = self._buffers.setdefault(buffer, len(self._buffers))
        if kept["buffer"] == len(self._reduced["buffers"]):
            self._reduced["buffers"].append({"uri": f"buffer-{kept['buffer']}"})
        self._reduced["bufferViews"].append(kept)
        self._views[index] = len(self._reduced["bufferViews"]) - 1
        return self._views[index]
