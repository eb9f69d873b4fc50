"""glTF and GLB: a tree of nodes over meshes over buffers; here it is reduced to what has triangles.

trimesh decodes the geometry. The tree is walked here, because trimesh drops what hangs below a camera, shows nothing
where no scene is named or nodes go in a circle, keeps placeholder zeros for what it cannot decompress, ignores sparse
and normalised accessors, and decodes textures on the way.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import numpy as np

from silhouette.files.documents import parsed_json
from silhouette.files.reading import LARGEST_FILE
from silhouette.geometry import Floats
from silhouette.installation import package_command
from silhouette.meshes.formats.base import (
    LONGEST_NAME,
    MOST_PARTS,
    MOST_TRIANGLES,
    MOST_VERTICES,
    Refused,
    no_triangles,
    read_referenced,
    too_many_parts,
)
from silhouette.text import as_written

Tree = dict[str, Any]

_POINTS_AND_LINES = (0, 1, 2, 3)
_TRIANGLES, _STRIP = 4, 5
_MOST_NODES = 100_000
_DRACO = "KHR_draco_mesh_compression"
_MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
_HARMLESS = re.compile(
    r"KHR_mesh_quantization|(KHR|EXT|MSFT|ADOBE)_(texture|materials?|lights?|xmp|animation|audio|node_selectability)_?.*"
)
_INDEX_TYPES = (5121, 5123, 5125)
_SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_COLUMNS = {"SCALAR": 1, "VEC3": 3}
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


@dataclass(frozen=True, eq=False)
class Prepared:
    """A glTF file that trimesh reads right.

    Attributes:
        content: the bytes for trimesh's loader.
        buffers: the bytes of each buffer, by the name under which ``content`` refers to it; trimesh reads nothing else.
        placed: where each geometry stands.
    """

    content: bytes
    buffers: Mapping[str, bytes]
    placed: tuple[Placed, ...]


class Gltf:
    """A glTF or GLB file taken apart: its tree, and the bytes of the buffers that its triangles lie in.

    Attributes:
        external: the bytes of other files, by the reference to each, for the digest of the content.
    """

    def __init__(self, data: bytes, folder: Path, binary: bool) -> None:
        self._tree, self._blob = _open_container(data) if binary else (_parse_tree(data), None)
        _check_version_and_extensions(self._tree)
        self._placed: list[Placed] = []
        self._corners = 0  # of all that is placed
        self._points = 0  # of all accessors
        self._bytes = 0  # of all views
        self._primitives: dict[str, Tree] = {}
        self._accessors: dict[int, int] = {}
        self._views: dict[int, int] = {}
        self._buffers: dict[int, int] = {}
        self._reduced: Tree = {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": [], "buffers": []}
        self._walk()
        if not self._placed:
            raise no_triangles("points, lines or empty nodes" if self._tree.get("meshes") else "")
        if self._corners > 3 * MOST_TRIANGLES:
            total = self._corners // 3
            raise Refused(f"holds {total} triangles; {MOST_TRIANGLES} are the most that can be looked at")
        self.external: dict[str, bytes] = {}
        self._buffer_contents: dict[str, bytes] = {}
        for index, number in self._buffers.items():
            self._buffer_contents[f"buffer-{number}"] = self._buffer(index, folder)
            if sum(map(len, self._buffer_contents.values())) > LARGEST_FILE:
                raise Refused(f"has buffers of more than {LARGEST_FILE >> 20} MiB together; split the file")

    def prepare(self) -> Prepared:
        """The reduced tree for trimesh, with each primitive as a separate mesh."""
        self._reduced["meshes"] = [{"name": key, "primitives": [body]} for key, body in self._primitives.items()]
        return Prepared(json.dumps(self._reduced).encode(), self._buffer_contents, tuple(self._placed))

    def _walk(self) -> None:
        """Place every mesh that hangs below the scene's roots; skinned ones in the pose they were bound in."""
        nodes = self._tree.get("nodes", [])
        pending = [(index, np.eye(4), "") for index in reversed(self._roots(nodes))]
        seen: set[int] = set()
        while pending:
            index, outer, inherited = pending.pop()
            node = _item(nodes, index, "node")
            if index in seen:
                raise Refused(f"is malformed: node {index} hangs below itself or below two others")
            if len(seen) > _MOST_NODES or len(self._placed) > MOST_PARTS:
                raise Refused(f"has more than {_MOST_NODES} nodes or {MOST_PARTS} parts; join them, or split the file")
            seen.add(index)
            matrix = outer @ _matrix(node)
            name = str(node.get("name") or "").strip()[:LONGEST_NAME]
            if "EXT_mesh_gpu_instancing" in node.get("extensions", {}):
                raise Refused("uses EXT_mesh_gpu_instancing, which is not supported; export every copy as a node")
            if "mesh" in node:
                self._place(node["mesh"], matrix, name, inherited)
            pending += [(child, matrix, name or inherited) for child in reversed(node.get("children", []))]

    def _roots(self, nodes: list[Tree]) -> list[int]:
        scenes = self._tree.get("scenes", [])
        if scenes:
            return list(_item(scenes, self._tree.get("scene", 0), "scene").get("nodes", []))
        children = {child for node in nodes for child in node.get("children", [])}
        return [index for index in range(len(nodes)) if index not in children]

    def _place(self, index: int, matrix: Floats, name: str, inherited: str) -> None:
        mesh = _item(self._tree.get("meshes", []), index, "mesh")
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
            self._placed.append(Placed(key, part, matrix @ self._scale(primitive)))
            corners = self._primitives[key].get("indices", self._primitives[key]["attributes"]["POSITION"])
            self._corners += self._reduced["accessors"][corners]["count"]

    def _primitive(self, primitive: Tree, mode: int) -> Tree:
        draco = primitive.get("extensions", {}).get(_DRACO)
        position = self._accessor(primitive["attributes"]["POSITION"], "VEC3", bare=draco is not None)
        reduced: Tree = {"attributes": {"POSITION": position}, "mode": mode}
        if "indices" in primitive:
            reduced["indices"] = self._accessor(primitive["indices"], "SCALAR", bare=draco is not None)
        corners = self._reduced["accessors"][reduced.get("indices", position)]["count"]
        if mode == _TRIANGLES and corners % 3:
            raise Refused(f"is malformed: it announces {corners} corners of triangles, which is no multiple of three")
        if draco is not None:
            _need_draco()
            reduced["mode"] = _TRIANGLES  # the decoder has made triangles of strips
            reduced.setdefault("indices", self._placeholder("SCALAR"))
            attributes = {"POSITION": draco["attributes"]["POSITION"]}
            reduced["extensions"] = {_DRACO: {"bufferView": self._view(draco["bufferView"]), "attributes": attributes}}
        return reduced

    def _scale(self, primitive: Tree) -> Floats:
        accessor = _item(self._tree["accessors"], primitive["attributes"]["POSITION"], "accessor")
        if not accessor.get("normalized"):
            return np.eye(4)
        divided = 1.0 / _FULL_SCALE[accessor["componentType"]]
        return np.diag([divided, divided, divided, 1.0])

    def _accessor(self, index: int, shape: str, bare: bool) -> int:
        """The number of an accessor in the reduced tree; a bare one is filled by a decoder."""
        accessor = _item(self._tree.get("accessors", []), index, "accessor")
        if index in self._accessors:
            return self._accessors[index]
        if accessor["type"] != shape or (shape == "SCALAR" and accessor["componentType"] not in _INDEX_TYPES):
            raise Refused(f"is malformed: accessor {index} should hold {'indices' if shape == 'SCALAR' else 'points'}")
        if "sparse" in accessor:
            raise Refused("stores points or indices as sparse accessors, which are not supported; export them whole")
        if "bufferView" not in accessor:
            if not bare:
                raise Refused(f"is malformed: accessor {index} refers to no data")
            return self._placeholder(shape)
        kept = {key: accessor[key] for key in ("componentType", "count", "type")}
        kept["byteOffset"] = _whole(accessor.get("byteOffset", 0), "an accessor's byteOffset")
        kept["bufferView"] = self._view(accessor["bufferView"])
        view = self._reduced["bufferViews"][kept["bufferView"]]
        row = _SIZES[accessor["componentType"]] * _COLUMNS[shape]
        last = (_whole(accessor["count"], "an accessor's count") - 1) * view.get("byteStride", row)
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
        kind = 5126 if shape == "VEC3" else 5125
        self._reduced["accessors"].append({"componentType": kind, "count": 0, "type": shape})
        return len(self._reduced["accessors"]) - 1

    def _view(self, index: int) -> int:
        view = _item(self._tree.get("bufferViews", []), index, "bufferView")
        if index in self._views:
            return self._views[index]
        if any(name in view.get("extensions", {}) for name in _MESHOPT):
            raise Refused("is compressed with meshopt, which is not supported; export it uncompressed or with Draco")
        kept: Tree = {
            key: _whole(view[key], f"a bufferView's {key}")
            for key in ("byteOffset", "byteLength", "byteStride")
            if key in view
        }
        self._bytes += kept["byteLength"]
        if self._bytes > LARGEST_FILE:
            raise Refused(f"has views of more than {LARGEST_FILE >> 20} MiB; split the file")
        buffer = view["buffer"]
        _item(self._tree.get("buffers", []), buffer, "buffer")
        kept["buffer"] = self._buffers.setdefault(buffer, len(self._buffers))
        if kept["buffer"] == len(self._reduced["buffers"]):
            self._reduced["buffers"].append({"uri": f"buffer-{kept['buffer']}"})
        self._reduced["bufferViews"].append(kept)
        self._views[index] = len(self._reduced["bufferViews"]) - 1
        return self._views[index]

    def _buffer(self, index: int, folder: Path) -> bytes:
        buffer = self._tree["buffers"][index]
        uri = buffer.get("uri")
        if uri is None:
            if index != 0 or self._blob is None:
                raise Refused(f"is malformed: buffer {index} has neither data nor a reference to a file")
            data = self._blob
        elif uri.startswith("data:"):
            data = _inline(uri)
        else:
            data = self.external[uri] = read_referenced(folder, uri)
        if len(data) < buffer["byteLength"]:
            raise Refused(f"is truncated: buffer {index} announces {buffer['byteLength']} bytes and has {len(data)}")
        return data


def _open_container(data: bytes) -> tuple[Tree, bytes | None]:
    """The tree and the binary chunk of a GLB file."""
    if data[:4] != b"glTF":
        raise Refused("is no GLB file: one begins with 'glTF'")
    if len(data) < 20:
        raise Refused("is truncated: a GLB file begins with 12 bytes of header and a chunk")
    version, length = (int(number) for number in np.frombuffer(data, "<u4", 2, 4))
    if version != 2:
        raise Refused(f"is GLB version {version}; version 2 is what can be read")
    if length > len(data):
        raise Refused(f"is truncated: it announces {length} bytes and has {len(data)}")
    chunks: list[tuple[bytes, bytes]] = []
    place = 12
    while place + 8 <= length and len(chunks) < 2:  # what comes after the tree and its data is for extensions
        size = int.from_bytes(data[place : place + 4], "little")
        if place + 8 + size > len(data):
            raise Refused(f"is truncated: a chunk announces {size} bytes and has {len(data) - place - 8}")
        chunks.append((data[place + 4 : place + 8], data[place + 8 : place + 8 + size]))
        place += 8 + size
    if not chunks or chunks[0][0] != b"JSON":
        raise Refused("is malformed: the first chunk of a GLB file is JSON")
    blob = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == b"BIN\0" else None
    return _parse_tree(chunks[0][1]), blob


def _parse_tree(data: bytes) -> Tree:
    try:
        tree = parsed_json(data)
    except ValueError as error:
        raise Refused(f"is malformed: its JSON cannot be read ({error})") from None
    if not isinstance(tree, dict):
        raise Refused("is malformed: its JSON is no object")
    return tree


def _check_version_and_extensions(tree: Tree) -> None:
    version = tree.get("asset", {}).get("version", "2.0")
    if not str(version).startswith("2"):
        shown = as_written(version).strip('"')
        raise Refused(f"is glTF version {shown}; version 2 is what can be read")
    for name in tree.get("extensionsRequired", []):
        if name in _MESHOPT:
            raise Refused("is compressed with meshopt, which is not supported; export it uncompressed or with Draco")
        if name != _DRACO and not _HARMLESS.fullmatch(name):
            raise Refused(f"requires the extension {name[:80]}, which is not supported; export it without")


def _need_draco() -> None:
    from importlib.util import find_spec

    if find_spec("DracoPy") is None:
        command = package_command("DracoPy")
        raise Refused(f"is compressed with Draco; export it uncompressed, or install what reads it with: {command}")


def _item(items: Any, index: Any, what: str) -> Tree:
    if not isinstance(items, list) or type(index) is not int or not 0 <= index < len(items):
        count = len(items) if isinstance(items, list) else 0
        raise Refused(f"is malformed: it refers to {what} {as_written(index)} and has {count} of them")
    item = items[index]
    if not isinstance(item, dict):
        raise Refused(f"is malformed: {what} {index} is no object")
    return item


def _whole(value: Any, what: str) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST_FILE:
        raise Refused(f"is malformed: {what} is {as_written(value)}, which should be a whole number of bytes")
    return value


def _inline(uri: str) -> bytes:
    head, _, body = uri.partition(",")
    try:
        return base64.b64decode(body) if head.endswith(";base64") else unquote_to_bytes(body)
    except (binascii.Error, ValueError):
        raise Refused("is malformed: a buffer's data: reference is no base64") from None


def _matrix(node: Tree) -> Floats:
    """A node's transform (4, 4): its matrix, or translation after rotation after scale."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    matrix = np.eye(4)
    if "rotation" in node:
        x, y, z, w = np.array(node["rotation"], dtype=np.float64) / (np.linalg.norm(node["rotation"]) or 1.0)
        matrix[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    if "scale" in node:
        matrix[:3, :3] *= np.array(node["scale"], dtype=np.float64).reshape(3)
    if "translation" in node:
        matrix[:3, 3] = np.array(node["translation"], dtype=np.float64).reshape(3)
    return matrix
