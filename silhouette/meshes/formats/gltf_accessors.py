"""glTF: the numbers of accessors, sparse and normalised ones too, and what Draco has packed.

Read here, because trimesh ignores sparse and normalised accessors, and keeps zeros for what it cannot unpack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.files.reading import LARGEST_FILE
from silhouette.meshes.formats.base import MOST_TRIANGLES, MOST_VERTICES, Refused
from silhouette.meshes.formats.gltf_tree import MESHOPT, Buffers, Tree, item, need_draco, whole_number

Numbers = NDArray[Any]

_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_COLUMNS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_HOLDS = {
    "SCALAR": "indices", "VEC2": "places in a picture", "VEC3": "points", "VEC4": "four numbers a row",
    "MAT4": "matrices",
}  # fmt: skip
_INDEX_TYPES = (5121, 5123, 5125)
# By how much a normalised integer is divided.
_FULL_SCALE = {5120: 127.0, 5121: 255.0, 5122: 32767.0, 5123: 65535.0}


@dataclass(frozen=True)
class _Rows:
    """Where rows of numbers lie: the buffer, the first byte, how far apart, of which type, how many and how wide."""

    buffer: int
    start: int
    stride: int
    kind: np.dtype[Any]
    count: int
    columns: int


class Accessors:
    """Reads the accessors of one file, and counts how much they hold together.

    Args:
        tree: of the file.
        buffers: of the file.
    """

    def __init__(self, tree: Tree, buffers: Buffers) -> None:
        self._tree = tree
        self._buffers = buffers
        self._checked: set[int] = set()
        self._views: dict[int, Tree] = {}
        self._rows = 0  # of all accessors
        self._bytes = 0  # of all views

    def count(self, index: Any) -> int:
        """How many rows an accessor has."""
        return whole_number(item(self._tree.get("accessors"), index, "accessor").get("count"), "an accessor's count")

    def check(self, index: Any, shape: str, *, bare: bool = False) -> None:
        """Looks whether all of an accessor is there, and fetches its buffers.

        Args:
            index: of the accessor.
            shape: of its rows, "SCALAR", "VEC3" and so on.
            bare: whether it may refer to no data, as one does that a decoder fills, or whose rows are all 0.

        Raises:
            Refused: if it is not, or if it is more than can be looked at.
        """
        if type(index) is int and index in self._checked:
            return
        accessor = item(self._tree.get("accessors"), index, "accessor")
        kind: Any = accessor.get("componentType")
        is_index = shape == "SCALAR"
        if accessor.get("type") != shape or kind not in (_INDEX_TYPES if is_index else _TYPES):
            raise Refused(f"is malformed: accessor {index} should hold {_HOLDS[shape]}")
        if not {"bufferView", "sparse"} & accessor.keys() and not bare:
            raise Refused(f"is malformed: accessor {index} refers to no data")
        self._rows += self.count(index)
        if self._rows > MOST_VERTICES + 3 * MOST_TRIANGLES:
            raise Refused(f"holds more than {MOST_VERTICES} vertices or {MOST_TRIANGLES} triangles; reduce them")
        if "bufferView" in accessor:
            self._fetch(self._layout(index, accessor, kind, shape, self.count(index)))
        for rows in self._sparse(index, accessor):
            self._fetch(rows)
        self._checked.add(index)

    def read(self, index: int, *, as_stored: bool = False) -> Numbers:
        """The rows (n, columns) of an accessor that was checked; indices (n,).

        Args:
            index: of the accessor.
            as_stored: whether normalised integers stay as they are, and do not become shares of 1.
        """
        accessor = self._tree["accessors"][index]
        kind, shape, count = accessor["componentType"], accessor["type"], self.count(index)
        if "bufferView" in accessor:
            values = self._values(self._layout(index, accessor, kind, shape, count))
        else:
            values = np.zeros((count, _COLUMNS[shape]), _TYPES[kind])
        sparse = self._sparse(index, accessor)
        if sparse:
            places = self._values(sparse[0])[:, 0]
            if len(places) and int(places.max()) >= count:
                raise Refused(f"is malformed: accessor {index} has sparse rows past its end")
            values = values.copy()
            values[places] = self._values(sparse[1])
        if accessor.get("normalized") and kind in _FULL_SCALE and not as_stored:
            values = np.maximum(values / _FULL_SCALE[kind], -1.0)
        return values[:, 0] if shape == "SCALAR" else values

    def decoded(self, draco: Tree, attributes: Tree) -> dict[str, Numbers] | None:
        """What a primitive has packed with Draco: its attributes by name, and ``indices`` (3 m,); None if it is broken.

        Args:
            draco: the extension of the primitive.
            attributes: of the primitive: the accessor of each name, which says whether it is normalised.
        """
        import DracoPy

        rows = self._view_rows(draco["bufferView"])
        try:
            unpacked = DracoPy.decode(bytes(self._values(rows)[:, 0]))
        except Exception:  # whatever a decoder of foreign bytes may raise is the file's fault
            return None
        names = {number: name for name, number in draco["attributes"].items()}
        found = {names[one["unique_id"]]: one["data"] for one in unpacked.attributes if one["unique_id"] in names}
        if "POSITION" not in found or unpacked.faces is None:
            return None
        for name, values in found.items():
            accessor = item(self._tree.get("accessors"), attributes.get(name), "accessor")
            if accessor.get("normalized") and name in ("POSITION", "WEIGHTS_0") and values.dtype.kind != "f":
                found[name] = np.maximum(values / _FULL_SCALE[accessor["componentType"]], -1.0)
        return {**found, "indices": np.asarray(unpacked.faces).ravel()}

    def check_draco(self, draco: Tree) -> None:
        """Looks whether what Draco has packed is there, and fetches it.

        Raises:
            Refused: if it is not, or if the library that unpacks it is not installed.
        """
        need_draco()
        self._fetch(self._view_rows(draco["bufferView"]))

    def _view_rows(self, index: Any) -> _Rows:
        """All bytes of a view, as rows of one."""
        view = self._view(index)
        return _Rows(view["buffer"], view["byteOffset"], 1, np.dtype("u1"), view["byteLength"], 1)

    def _sparse(self, index: int, accessor: Tree) -> list[_Rows]:
        """Where the places and the values of the rows lie that are stored sparsely; nothing without any."""
        if "sparse" not in accessor:
            return []
        sparse, shape = accessor["sparse"], accessor["type"]
        if not isinstance(sparse, dict) or not all(isinstance(sparse.get(key), dict) for key in ("indices", "values")):
            raise Refused(f"is malformed: accessor {index} is sparse, and its rows are not told")
        count = whole_number(sparse.get("count"), "a sparse accessor's count")
        if sparse["indices"].get("componentType") not in _INDEX_TYPES or count > self.count(index):
            raise Refused(f"is malformed: accessor {index} has sparse rows that cannot be")
        places = self._layout(index, sparse["indices"], sparse["indices"]["componentType"], "SCALAR", count)
        return [places, self._layout(index, sparse["values"], accessor["componentType"], shape, count)]

    def _layout(self, index: int, stored: Tree, kind: int, shape: str, count: int) -> _Rows:
        view = self._view(stored.get("bufferView"))
        start = whole_number(stored.get("byteOffset", 0), "an accessor's byteOffset")
        number = np.dtype(_TYPES[kind])
        row = number.itemsize * _COLUMNS[shape]
        stride = view["byteStride"] or row
        if count and start + (count - 1) * stride + row > view["byteLength"]:
            raise Refused(f"is malformed: accessor {index} reaches past the end of its data")
        return _Rows(view["buffer"], view["byteOffset"] + start, stride, number, count, _COLUMNS[shape])

    def _view(self, index: Any) -> Tree:
        view = item(self._tree.get("bufferViews"), index, "bufferView")
        if index not in self._views:
            if any(name in view.get("extensions", {}) for name in MESHOPT):
                raise Refused(
                    "is compressed with meshopt, which is not supported; export it uncompressed or with Draco"
                )
            item(self._tree.get("buffers"), view.get("buffer"), "buffer")
            kept: Tree = {"buffer": view["buffer"]}
            for key in ("byteOffset", "byteLength", "byteStride"):
                kept[key] = whole_number(
                    view[key] if key == "byteLength" else view.get(key, 0), f"a bufferView's {key}"
                )
            self._bytes += kept["byteLength"]
            if self._bytes > LARGEST_FILE:
                raise Refused(f"has views of more than {LARGEST_FILE >> 20} MiB; split the file")
            self._views[index] = kept
        return self._views[index]

    def _fetch(self, rows: _Rows) -> None:
        data = self._buffers.of(rows.buffer)
        if rows.count and rows.start + (rows.count - 1) * rows.stride + rows.kind.itemsize * rows.columns > len(data):
            raise Refused(f"is truncated: buffer {rows.buffer} has {len(data)} bytes, and more are referred to")

    def _values(self, rows: _Rows) -> Numbers:
        """The rows (n, columns), as they lie in the file."""
        if not rows.count:
            return np.zeros((0, rows.columns), rows.kind)
        data = self._buffers.of(rows.buffer)
        strides = (rows.stride, rows.kind.itemsize)
        return np.ndarray((rows.count, rows.columns), rows.kind, data, rows.start, strides)


def strip_triangles(corners: Numbers) -> Numbers:
    """The triangles (m - 2, 3) of a strip of corners (m,), of which every other one is turned.

    >>> strip_triangles(np.array([4, 5, 6, 7])).tolist()
    [[4, 5, 6], [7, 6, 5]]
    """
    faces = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    faces[1::2] = faces[1::2, ::-1].copy()
    return faces
