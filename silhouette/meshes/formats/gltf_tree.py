"""glTF and GLB: the container, the tree of JSON in it, its nodes, and the numbers it holds; hostile ones are refused.

A node is shown unless ``KHR_node_visibility`` hides it or one above it, or it is a coarse level (``MSFT_lod``) of
another, or hangs below one.

Accessors are read here, because trimesh ignores sparse and normalised ones, and keeps zeros for what it cannot unpack.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote_to_bytes

import DracoPy
import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats
from silhouette.common.text import as_written
from silhouette.files.documents import parsed_json
from silhouette.files.reading import MAX_FILE_BYTES
from silhouette.meshes.formats.base import MAX_MESH_TRIANGLES, MAX_MESH_VERTICES, MeshRefused

Tree = dict[str, Any]

DRACO = "KHR_draco_mesh_compression"
# Of what decodes it in Python, meshoptimizer has no wheels, and meshopt 0.1.1 is new, of one author and for 3.12 on.
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
_IS_MESHOPT = "is compressed with meshopt, which is not supported; export it uncompressed or with Draco"
MAX_NODES = 100_000
_HARMLESS = re.compile(
    r"KHR_mesh_quantization|KHR_node_visibility|MSFT_lod|(KHR|EXT|MSFT|ADOBE)_(texture|materials?|lights?|xmp|animation|audio|node_selectability)_?.*"
)


def open_container(data: bytes) -> tuple[Tree, bytes | None]:
    """The tree and the binary chunk of a GLB file."""
    if data[:4] != b"glTF":
        raise MeshRefused("is no GLB file: one begins with 'glTF'")
    if len(data) < 20:
        raise MeshRefused("is truncated: a GLB file begins with 12 bytes of header and a chunk")
    version, length = (int(number) for number in np.frombuffer(data, "<u4", 2, 4))
    if version != 2:
        raise MeshRefused(f"is GLB version {version}; version 2 is what can be read")
    if length > len(data):
        raise MeshRefused(f"is truncated: it announces {length} bytes and has {len(data)}")
    chunks: list[tuple[bytes, bytes]] = []
    place = 12
    while place + 8 <= length and len(chunks) < 2:  # what comes after the tree and its data is for extensions
        size = int.from_bytes(data[place : place + 4], "little")
        if place + 8 + size > len(data):
            raise MeshRefused(f"is truncated: a chunk announces {size} bytes and has {len(data) - place - 8}")
        chunks.append((data[place + 4 : place + 8], data[place + 8 : place + 8 + size]))
        place += 8 + size
    (first, text), *others = chunks or [(b"", b"")]
    if first != b"JSON":
        raise MeshRefused("is malformed: the first chunk of a GLB file is JSON")
    return parse_tree(text), next((content for kind, content in others if kind == b"BIN\0"), None)


def parse_tree(data: bytes) -> Tree:
    """The tree of JSON; refused where it is no object."""
    try:
        tree = parsed_json(data)
    except ValueError as error:
        raise MeshRefused(f"is malformed: its JSON cannot be read ({error})") from None
    if not isinstance(tree, dict):
        raise MeshRefused("is malformed: its JSON is no object")
    return tree


def check_version_and_extensions(tree: Tree) -> None:
    """Refuses a file of another version, or that requires what is not known here."""
    version = tree.get("asset", {}).get("version", "2.0")
    if not str(version).startswith("2"):
        shown = as_written(version).strip('"')
        raise MeshRefused(f"is glTF version {shown}; version 2 is what can be read")
    for name in tree.get("extensionsRequired", []):
        if name in MESHOPT:
            raise MeshRefused(_IS_MESHOPT)
        if name != DRACO and not _HARMLESS.fullmatch(name):
            raise MeshRefused(f"requires the extension {name[:80]}, which is not supported; export it without")


def item(items: Any, index: Any, what: str) -> Tree:
    """An object of a list of the tree; refused where there is none of that index."""
    if not isinstance(items, list) or type(index) is not int or not 0 <= index < len(items):
        count = len(items) if isinstance(items, list) else 0
        raise MeshRefused(f"is malformed: it refers to {what} {as_written(index)} and has {count} of them")
    item = items[index]
    if not isinstance(item, dict):
        raise MeshRefused(f"is malformed: {what} {index} is no object")
    return item


def whole_number(value: Any, what: str) -> int:
    """A number of bytes; refused where it is none that a file can have."""
    if type(value) is not int or not 0 <= value <= MAX_FILE_BYTES:
        raise MeshRefused(f"is malformed: {what} is {as_written(value)}, which should be a whole number of bytes")
    return value


def inline(uri: str) -> bytes:
    """The bytes that a reference itself holds."""
    head, _, body = uri.partition(",")
    try:
        return base64.b64decode(body) if head.endswith(";base64") else unquote_to_bytes(body)
    except (binascii.Error, ValueError):
        raise MeshRefused("is malformed: a buffer's data: reference is no base64") from None


def matrix_of(node: Tree) -> Floats:
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


def roots_of(tree: Tree) -> list[int]:
    """The nodes of the default scene that hang below no other; of a file without scenes, all such nodes."""
    nodes, scenes = tree.get("nodes", []), tree.get("scenes", [])
    if scenes:
        return list(item(scenes, tree.get("scene", 0), "scene").get("nodes", []))
    children = {child for node in nodes for child in node.get("children", [])}
    return [index for index in range(len(nodes)) if index not in children]


class Buffers:
    """The bytes of the buffers of a file, each fetched once; ``external`` has other files', by reference."""

    def __init__(self, tree: Tree, blob: bytes | None, fetch: Callable[[str], bytes]) -> None:
        self.external: dict[str, bytes] = {}
        self._tree = tree
        self._blob = blob
        self._fetch = fetch
        self._contents: dict[int, bytes] = {}

    def of(self, index: int) -> bytes:
        """The bytes of a buffer: those of the container, in the tree itself, or of another file."""
        buffer = self._tree["buffers"][index]
        if index not in self._contents:
            uri = buffer.get("uri")
            if uri is None:
                if index != 0 or self._blob is None:
                    raise MeshRefused(f"is malformed: buffer {index} has neither data nor a reference to a file")
                self._contents[index] = self._blob
            elif uri.startswith("data:"):
                self._contents[index] = inline(uri)
            else:
                self._contents[index] = self.external[uri] = self._fetch(uri)
            if sum(map(len, self._contents.values())) > MAX_FILE_BYTES:
                raise MeshRefused(f"has buffers of more than {MAX_FILE_BYTES >> 20} MiB together; split the file")
        data = self._contents[index]
        if len(data) < buffer["byteLength"]:
            raise MeshRefused(
                f"is truncated: buffer {index} announces {buffer['byteLength']} bytes and has {len(data)}"
            )
        return data


MAX_NODE_NAME_LENGTH = 200  # letters of a name
MAX_NODE_LEVELS = 200  # levels of nodes below each other
SINGULAR = 1e-12  # the least volume, in cubes of its longest edge, of what a matrix makes of a cube

_TRANSFORM_KEYS = frozenset({"matrix", "rotation", "scale", "translation"})
_UNMOVED = np.eye(4)

HIDDEN_NODE_REASON = "is hidden (KHR_node_visibility)"
COARSE_LEVEL_REASON = "is a coarse level of detail (MSFT_lod)"
NO_PLACE_REASON = "has no place: it is scaled to nothing, or its numbers are too large"


@dataclass(frozen=True, eq=False)
class GltfNode:
    """A node of the default scene."""

    index: int  # in the file
    name: str  # in one line; empty where it has none
    # entry, extras: its JSON, and the custom properties in it
    entry: Tree
    extras: Mapping[str, Any]
    local: Floats  # (4, 4) from its frame to that of the node above it, metres and y up
    world: Floats | None  # (4, 4) from its frame to the scene's; None where no place can be told
    above: tuple[int, ...]  # the nodes above it, by index, the nearest first
    # wrong, unseen: why nothing can stand there, and why it is not shown; else empty
    wrong: str = ""
    unseen: str = ""

    @property
    def called(self) -> str:
        """Its name, or its number where it has none."""
        return self.name or f"node {self.index}"

    @property
    def is_shown(self) -> bool:
        """Whether its mesh is to be seen: it is not hidden, and has a place or a skeleton."""
        return not self.unseen and (not self.wrong or "skin" in self.entry)


def table_of(entry: Tree, key: str) -> dict[str, Any]:
    """A table of an object; an empty one where there is none."""
    value = entry.get(key)
    return value if isinstance(value, dict) else {}


def shown(name: object) -> str:
    """A name in one line; empty where there is none.

    >>> shown("Kal\\n"), shown(None), shown("a  b")
    ('Kal', '', 'a  b')
    """
    if not isinstance(name, str):
        return ""
    return "".join(letter if letter.isprintable() else " " for letter in name[:MAX_NODE_NAME_LENGTH]).strip()


def nodes_of(tree: Tree) -> dict[int, GltfNode]:
    """The nodes of the default scene, by index, in the order in which it visits them."""
    nodes = tree.get("nodes", [])
    visited: dict[int, GltfNode] = {}
    pending: list[tuple[int, GltfNode | None]] = [(index, None) for index in reversed(roots_of(tree))]
    while pending:
        index, parent = pending.pop()
        entry = item(nodes, index, "node")
        if index in visited:
            raise MeshRefused(f"is malformed: node {index} hangs below itself or below two others")
        if len(visited) >= MAX_NODES:
            raise MeshRefused(f"has more than {MAX_NODES} nodes; join them, or split the file")
        if parent is not None and len(parent.above) >= MAX_NODE_LEVELS:
            raise MeshRefused(f"has nodes over {MAX_NODE_LEVELS} levels deep; it must be flatter")
        visited[index] = _node(index, entry, parent)
        children = entry.get("children", [])
        pending += [(child, visited[index]) for child in reversed(children if isinstance(children, list) else [])]
    return _without_coarse_levels(visited)


def not_shown(nodes: Mapping[int, GltfNode]) -> str:
    """The nodes with meshes that are not shown, each with the reason; empty without any."""
    reasons: dict[str, list[str]] = {}
    for node in nodes.values():
        if "mesh" in node.entry and not node.is_shown:
            reasons.setdefault(node.unseen or node.wrong, []).append(f"{node.called!r}")
    sentences = []
    for why, names in reasons.items():
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        plural = why.replace("is ", "are ", 1).replace("has ", "have ", 1)
        sentences.append(f"{', '.join(names[:4])}{more} {why if len(names) == 1 else plural}")
    return "; ".join(sentences)


def _without_coarse_levels(nodes: dict[int, GltfNode]) -> dict[int, GltfNode]:
    """The nodes, of which coarse levels of others are not shown: of two that name each other, the second."""
    coarse: set[int] = set()
    for index, node in nodes.items():
        levels = table_of(table_of(node.entry, "extensions"), "MSFT_lod").get("ids")
        if isinstance(levels, list) and index not in coarse:
            coarse.update(level for level in levels if type(level) is int and level not in (index, *node.above))
    below = {index for index, node in nodes.items() if not coarse.isdisjoint((index, *node.above))} if coarse else set()
    return {
        index: replace(node, unseen=COARSE_LEVEL_REASON) if index in below and not node.unseen else node
        for index, node in nodes.items()
    }


def _node(index: int, entry: Tree, parent: GltfNode | None) -> GltfNode:
    local, world, wrong = _place(entry, parent)
    above = () if parent is None else (parent.index, *parent.above)
    visibility = table_of(table_of(entry, "extensions"), "KHR_node_visibility")
    unseen = HIDDEN_NODE_REASON if visibility.get("visible", True) in (False, 0) else ""
    if parent is not None and parent.unseen:
        unseen = parent.unseen
    return GltfNode(
        index, shown(entry.get("name")), entry, table_of(entry, "extras"), local, world, above, wrong, unseen
    )


def _place(entry: Tree, parent: GltfNode | None) -> tuple[Floats, Floats | None, str]:
    above, wrong = (_UNMOVED, "") if parent is None else (parent.world, parent.wrong)
    if parent is not None and above is None:
        return _UNMOVED, None, f"hangs below {parent.called}, whose place cannot be told"
    if above is None or _TRANSFORM_KEYS.isdisjoint(entry):
        return _UNMOVED, above, wrong
    try:
        local = matrix_of(entry)
        with np.errstate(all="ignore"):
            world = local if parent is None else above @ local
    except (ValueError, TypeError, OverflowError):
        why = "has no place: its matrix, rotation, scale or translation are not numbers as they should be"
        return _UNMOVED, None, why
    if is_usable(world):
        return local, world, ""
    return local, world if np.isfinite(world).all() else None, NO_PLACE_REASON


def is_usable(world: Floats) -> bool:
    """Whether a matrix (4, 4) is an affine one that flattens nothing."""
    with np.errstate(all="ignore"):
        if not np.isfinite(world).all() or not np.array_equal(world[3], (0.0, 0.0, 0.0, 1.0)):
            return False
        longest = float(np.linalg.norm(world[:3, :3], axis=0).max())
        return bool(1e-30 < longest < 1e30 and abs(np.linalg.det(world[:3, :3] / longest)) > SINGULAR)


Numbers = NDArray[Any]

_COMPONENT_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_COLUMNS_BY_TYPE = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_HOLDS = {
    "SCALAR": "indices", "VEC2": "places in a picture", "VEC3": "points", "VEC4": "four numbers a row",
    "MAT4": "matrices",
}  # fmt: skip
_INDEX_TYPES = (5121, 5123, 5125)
# By how much a normalised integer is divided.
_FULL_SCALE = {5120: 127.0, 5121: 255.0, 5122: 32767.0, 5123: 65535.0}


class Accessors:
    """Reads the accessors of one file, and counts how much they hold together."""

    def __init__(self, tree: Tree, buffers: Buffers) -> None:
        self._tree = tree
        self._buffers = buffers
        self._stored: dict[int, tuple[Numbers | None, list[Numbers]]] = {}
        self._views: dict[int, Tree] = {}
        self._rows = 0  # of all accessors
        self._bytes = 0  # of all views

    def count(self, index: Any) -> int:
        """How many rows an accessor has."""
        return whole_number(item(self._tree.get("accessors"), index, "accessor").get("count"), "an accessor's count")

    def check(self, index: Any, shape: str, *, bare: bool = False) -> None:
        """Looks whether all of an accessor of a shape ("SCALAR", "VEC3" ...) is there, and fetches its buffers.

        A ``bare`` one may refer to no data, as one does that a decoder fills, or whose rows are all 0.
        """
        if type(index) is int and index in self._stored:
            return
        accessor = item(self._tree.get("accessors"), index, "accessor")
        kind: Any = accessor.get("componentType")
        is_index = shape == "SCALAR"
        if accessor.get("type") != shape or kind not in (_INDEX_TYPES if is_index else _COMPONENT_TYPES):
            raise MeshRefused(f"is malformed: accessor {index} should hold {_HOLDS[shape]}")
        if not {"bufferView", "sparse"} & accessor.keys() and not bare:
            raise MeshRefused(f"is malformed: accessor {index} refers to no data")
        self._rows += self.count(index)
        if self._rows > MAX_MESH_VERTICES + 3 * MAX_MESH_TRIANGLES:
            raise MeshRefused(
                f"holds more than {MAX_MESH_VERTICES} vertices or {MAX_MESH_TRIANGLES} triangles; reduce them"
            )
        rows = None
        if "bufferView" in accessor:
            rows = self._rows_of(index, accessor, kind, shape, self.count(index))
        self._stored[index] = rows, self._sparse(index, accessor)

    def read(self, index: int, *, as_stored: bool = False) -> Numbers:
        """The rows (n, columns) of an accessor that was checked; indices (n,).

        Normalised integers become shares of 1, or stay ``as_stored``.
        """
        accessor = self._tree["accessors"][index]
        kind, shape, count = accessor["componentType"], accessor["type"], self.count(index)
        rows, sparse = self._stored[index]
        values = np.zeros((count, _COLUMNS_BY_TYPE[shape]), _COMPONENT_TYPES[kind]) if rows is None else rows
        if sparse:
            places = sparse[0][:, 0]
            if len(places) and int(places.max()) >= count:
                raise MeshRefused(f"is malformed: accessor {index} has sparse rows past its end")
            values = values.copy()
            values[places] = sparse[1]
        if accessor.get("normalized") and kind in _FULL_SCALE and not as_stored:
            values = np.maximum(values / _FULL_SCALE[kind], -1.0)
        return values[:, 0] if shape == "SCALAR" else values

    def decoded(self, draco: Tree, attributes: Tree) -> dict[str, Numbers] | None:
        """What a primitive has packed with Draco: attributes by name, and ``indices`` (3 m,); None if it is broken."""
        packed = self.packed(draco)
        try:
            unpacked = DracoPy.decode(packed.tobytes())
        except Exception:  # whatever a decoder of foreign bytes may raise is the file's fault
            return None
        names = {number: name for name, number in draco["attributes"].items()}
        data = {attribute["unique_id"]: attribute["data"] for attribute in unpacked.attributes}
        arrays = {names[number]: values for number, values in data.items() if number in names}
        if "POSITION" not in arrays or unpacked.faces is None:
            return None
        for name, values in arrays.items():
            accessor = item(self._tree.get("accessors"), attributes.get(name), "accessor")
            if accessor.get("normalized") and name in ("POSITION", "WEIGHTS_0") and values.dtype.kind != "f":
                arrays[name] = np.maximum(values / _FULL_SCALE[accessor["componentType"]], -1.0)
        return {**arrays, "indices": np.asarray(unpacked.faces).ravel()}

    def packed(self, draco: Tree) -> Numbers:
        """What Draco has packed, (n, 1) bytes; MeshRefused if it is not there."""
        view = self._view(draco["bufferView"])
        return self._numbers(view, 0, 1, np.dtype("u1"), (view["byteLength"], 1))

    def _sparse(self, index: int, accessor: Tree) -> list[Numbers]:
        """The places and the values of the rows that are stored sparsely; nothing without any."""
        if "sparse" not in accessor:
            return []
        sparse, shape = accessor["sparse"], accessor["type"]
        if not isinstance(sparse, dict) or not all(isinstance(sparse.get(key), dict) for key in ("indices", "values")):
            raise MeshRefused(f"is malformed: accessor {index} is sparse, and its rows are not told")
        count = whole_number(sparse.get("count"), "a sparse accessor's count")
        if sparse["indices"].get("componentType") not in _INDEX_TYPES or count > self.count(index):
            raise MeshRefused(f"is malformed: accessor {index} has sparse rows that cannot be")
        places = self._rows_of(index, sparse["indices"], sparse["indices"]["componentType"], "SCALAR", count)
        return [places, self._rows_of(index, sparse["values"], accessor["componentType"], shape, count)]

    def _rows_of(self, index: int, stored: Tree, kind: int, shape: str, count: int) -> Numbers:
        view = self._view(stored.get("bufferView"))
        start = whole_number(stored.get("byteOffset", 0), "an accessor's byteOffset")
        number = np.dtype(_COMPONENT_TYPES[kind])
        row = number.itemsize * _COLUMNS_BY_TYPE[shape]
        stride = view["byteStride"] or row
        if count and start + (count - 1) * stride + row > view["byteLength"]:
            raise MeshRefused(f"is malformed: accessor {index} reaches past the end of its data")
        return self._numbers(view, start, stride, number, (count, _COLUMNS_BY_TYPE[shape]))

    def _numbers(self, view: Tree, start: int, stride: int, number: np.dtype[Any], shape: tuple[int, int]) -> Numbers:
        """The numbers from a byte of a view on, in rows (n, columns) so many bytes apart; the buffer is fetched."""
        data, first, (count, columns) = self._buffers.of(view["buffer"]), view["byteOffset"] + start, shape
        if not count:
            return np.zeros(shape, number)
        if first + (count - 1) * stride + number.itemsize * columns > len(data):
            raise MeshRefused(f"is truncated: buffer {view['buffer']} has {len(data)} bytes, and more are referred to")
        return np.ndarray(shape, number, data, first, (stride, number.itemsize))

    def _view(self, index: Any) -> Tree:
        view = item(self._tree.get("bufferViews"), index, "bufferView")
        if index not in self._views:
            if any(name in view.get("extensions", {}) for name in MESHOPT):
                raise MeshRefused(_IS_MESHOPT)
            item(self._tree.get("buffers"), view.get("buffer"), "buffer")
            layout: Tree = {"buffer": view["buffer"]}
            for key in ("byteOffset", "byteLength", "byteStride"):
                layout[key] = whole_number(
                    view[key] if key == "byteLength" else view.get(key, 0), f"a bufferView's {key}"
                )
            self._bytes += layout["byteLength"]
            if self._bytes > MAX_FILE_BYTES:
                raise MeshRefused(f"has views of more than {MAX_FILE_BYTES >> 20} MiB; split the file")
            self._views[index] = layout
        return self._views[index]


def strip_triangles(corners: Numbers) -> Numbers:
    """The triangles (m - 2, 3) of a strip of corners (m,), of which every other one is turned.

    >>> strip_triangles(np.array([4, 5, 6, 7])).tolist()
    [[4, 5, 6], [7, 6, 5]]
    """
    faces = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    faces[1::2] = faces[1::2, ::-1].copy()
    return faces
