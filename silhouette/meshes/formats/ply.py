"""PLY: a header that describes rows of vertices and faces, in text or in binary."""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import spread
from silhouette.meshes.formats.base import (
    MAX_MESH_TRIANGLES,
    MAX_MESH_VERTICES,
    MAX_TEXT_LINES,
    MeshContent,
    MeshRefused,
    PartSurface,
    Skin,
    blocks,
    no_numbers,
    no_triangles,
    plain_text,
)
from silhouette.meshes.formats.colours import stored_bytes
from silhouette.meshes.formats.polygons import Indices, triangulated

_PROPERTY_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "int64": "i8", "uint64": "u8",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f4": "f", "f8": "d"}
_CORNER_PROPERTIES = ("vertex_indices", "vertex_index")
_SHADES = (("red", "green", "blue"), ("diffuse_red", "diffuse_green", "diffuse_blue"), ("r", "g", "b"))
_NORMALS = ("nx", "ny", "nz")
CLOUD = (
    "holds no triangles, only points, and a model needs a surface; silhouette scan makes a scene of a cloud of points"
)
SPLAT = (
    "is a Gaussian splat, a cloud of blurred points without any surface, and a model needs one; "
    "silhouette scan makes a scene of it"
)
_SPLAT = {"opacity", "scale_0", "rot_0"}
_PACKED_SPLAT = "packed_position"
_MAX_HEADER_BYTES = 1 << 16

# The rows of an element by property: an array (rows,); of lists their lengths (rows,), and all values in one array.
Columns = dict[str, Any]


@dataclass
class _Element:
    """One kind of row: how many, and for each property its name, its number type, and that of its count if a list."""

    name: str
    count: int = 0
    properties: list[tuple[str, str, str | None]] = field(default_factory=list)

    @property
    def kinds(self) -> dict[str, str]:
        return {name: kind for name, kind, counted in self.properties if counted is None}

    def first_with(self, choices: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
        """The first of several names all of which are properties; none without any."""
        return next((names for names in choices if set(names) <= self.kinds.keys()), ())


def read(data: bytes, whole: bool = False) -> MeshContent:
    """The surface of a PLY file, or its points.

    Read here, because trimesh reads a binary file only if all lists are as long as the first (Blender mixes quads and
    triangles), and of rows of text it does not miss those that are not there; to tell whether a file is one of these
    takes reading all of it.

    ``whole`` if points alone will do, and colours and normals are wanted. Then the points of a Gaussian splat whose
    opacity is below one half are faint: it is stored as a logit, whose sign tells.
    """
    header, body = _split(data)
    form, elements = _parse(header)
    by_name = {element.name: element for element in elements}
    vertex, face = (by_name.get(name, _Element(name)) for name in ("vertex", "face"))
    kinds = vertex.kinds
    is_splat = kinds.keys() >= _SPLAT
    if by_name.get("tristrips", _Element("tristrips")).count:
        raise MeshRefused("holds triangle strips; export it as plain triangles")
    _check_vertices(vertex, needs_faces=face.count == 0 and not whole, is_splat=is_splat)
    shades, normals = (vertex.first_with(names) if whole else () for names in (_SHADES, (_NORMALS,)))
    corners = _corner_list(face)
    opacity = ("opacity",) if is_splat and not corners else ()
    needed = elements[: max(elements.index(element) for element in (vertex, face) if element in elements) + 1]
    columns = _rows(form, body, needed, {*"xyz", corners, *shades, *normals, *opacity})
    stored = columns["vertex"]
    vertices = _side_by_side(stored, "xyz").astype(np.float64)
    faces: NDArray[np.int64] = np.zeros((0, 3), np.int64)
    if corners:
        lengths, flat = columns["face"][corners]
        faces = triangulated(vertices, flat, lengths)
    skin = Skin(stored_bytes(_side_by_side(stored, shades), kinds[shades[0]])) if shades else None
    directions = _side_by_side(stored, normals).astype(np.float64) if normals else None
    surface = PartSurface("mesh", vertices, faces, skin, directions)
    return _splat(surface, stored["opacity"]) if opacity else MeshContent([surface])


def _splat(surface: PartSurface, opacity: NDArray[Any]) -> MeshContent:
    """A Gaussian splat, whose opacity is stored as a logit."""
    faint = ~(np.asarray(opacity) >= 0.0)
    sentence = (
        f"is a Gaussian splat, whose points are blurs and no surface; {np.count_nonzero(faint)} of {len(faint)}, "
        "with an opacity below one half, were left out"
    )
    return MeshContent([replace(surface, faint=faint)], [sentence])


def _check_vertices(vertex: _Element, *, needs_faces: bool, is_splat: bool) -> None:
    if _PACKED_SPLAT in vertex.kinds:
        raise MeshRefused(
            "is a compressed Gaussian splat, whose points cannot be read; export it as plain PLY, or a mesh"
        )
    if vertex.count == 0:
        raise no_triangles()
    if needs_faces:
        raise MeshRefused(SPLAT if is_splat else CLOUD)
    if not {"x", "y", "z"} <= vertex.kinds.keys():
        raise MeshRefused("is malformed: its vertices need the properties x, y and z")


def _corner_list(face: _Element) -> str:
    """The property that lists the corners of faces; empty without any faces."""
    corners = next((name for name, _, counted in face.properties if name in _CORNER_PROPERTIES and counted), "")
    if face.count and not corners:
        raise MeshRefused("is malformed: its faces need the property 'list ... vertex_indices'")
    return corners if face.count else ""


def _side_by_side(columns: Columns, names: Iterable[str]) -> NDArray[Any]:
    return np.column_stack([columns[name] for name in names])


def _split(data: bytes) -> tuple[list[str], memoryview]:
    """The header's lines and what follows it. The first line shows the newline, which a data byte may look like."""
    start = re.match(rb"ply[ \t]*(\r\n|\n|\r)", data)
    if start is None:
        raise MeshRefused("is no PLY file: one begins with a line 'ply'")
    newline = rb"\r?\n" if start[1] == b"\n" else re.escape(start[1])
    end = re.search(rb"[\r\n]end_header[ \t]*" + newline, data[:_MAX_HEADER_BYTES])
    if end is None:
        raise MeshRefused("is truncated: its header has no 'end_header'")
    return data[: end.start()].decode("latin-1").splitlines(), memoryview(data)[end.end() :]


def _parse(header: list[str]) -> tuple[str, list[_Element]]:
    form, elements = "", list[_Element]()
    for line in header[1:]:
        match line.split():
            case ["format", ("ascii" | "binary_little_endian" | "binary_big_endian") as form, _]:
                pass
            case ["element", name, count] if count.isdigit():
                elements.append(_Element(name, int(count)))
            case ["property", "list", counted, kind, name] if elements and {counted, kind} <= _PROPERTY_TYPES.keys():
                elements[-1].properties.append((name, _PROPERTY_TYPES[kind], _PROPERTY_TYPES[counted]))
            case ["property", kind, name] if elements and kind in _PROPERTY_TYPES:
                elements[-1].properties.append((name, _PROPERTY_TYPES[kind], None))
            case [] | ["comment" | "obj_info", *_]:
                pass
            case _:
                raise MeshRefused(f"is malformed: its header has the line {line[:60]!r}")
    if not form:
        raise MeshRefused(
            "is malformed: its header needs a line 'format ascii 1.0' or 'format binary_little_endian 1.0'"
        )
    return form, elements


def _rows(form: str, body: memoryview, elements: list[_Element], chosen: set[str]) -> dict[str, Columns]:
    if form == "ascii":
        body, elements = _as_binary(body, elements)
    order = ">" if form == "binary_big_endian" else "<"
    columns: dict[str, Columns] = {}
    place = 0
    for element in elements:
        least = sum(int((counted or kind)[1:]) for _, kind, counted in element.properties)
        if element.count * least > len(body) - place:
            raise MeshRefused(
                f"is truncated: it announces {element.count} {element.name} rows and has no room for them"
            )
        if element.count > MAX_MESH_VERTICES:
            raise MeshRefused(f"holds {element.count} {element.name} rows; {MAX_MESH_VERTICES} are the most")
        if element.count and least:
            columns[element.name], place = _even_rows(body, place, element, order, chosen)
    if form == "ascii" and place < len(body):
        raise MeshRefused("is malformed: its rows hold more words than its header announces")
    return columns


def _as_binary(body: memoryview, elements: list[_Element]) -> tuple[memoryview, list[_Element]]:
    """Rows of text as rows of float64, which hold every number that a mesh needs."""
    numbers = array("d")
    rows, announced = 0, sum(element.count for element in elements)
    if announced > MAX_TEXT_LINES:
        raise MeshRefused(f"announces {announced} rows of text, more than {MAX_TEXT_LINES}; export it as binary PLY")
    for block in blocks(plain_text(bytes(body))):
        lines = [line for line in block.split(b"\n") if line.strip() and not line.lstrip().startswith(b"comment")]
        words = b" ".join(lines[: announced - rows]).split()
        rows = min(rows + len(lines), announced)
        try:
            numbers.extend(map(float, words))
        except ValueError:
            raise no_numbers(words, "its rows hold words that are no numbers") from None
    if rows < announced:
        raise MeshRefused(f"is truncated: its header announces {announced} rows and it has {rows}")
    typed = [
        replace(each, properties=[(name, "f8", counted and "f8") for name, _, counted in each.properties])
        for each in elements
    ]
    return memoryview(np.array(numbers, dtype="<f8").tobytes()), typed


def _even_rows(body: memoryview, place: int, element: _Element, order: str, chosen: set[str]) -> tuple[Columns, int]:
    """The rows of an element, and where the next begins: at one stroke if all lists are as long as in the first row."""
    fields: list[tuple[Any, ...]] = []
    lengths: dict[str, int] = {}
    probe = place
    for name, kind, counted in element.properties:
        if counted is None:
            fields.append((f"value {name}", order + kind))
            probe += int(kind[1:])
            continue
        lengths[name] = _count(body, probe, struct.Struct(order + _CODES[counted]))
        fields += [(f"count {name}", order + counted), (f"value {name}", order + kind, (lengths[name],))]
        probe += int(counted[1:]) + lengths[name] * int(kind[1:])
    if element.count * (probe - place) <= len(body) - place:
        table = np.frombuffer(body, np.dtype(fields), element.count, place)
        if all((table[f"count {name}"] == length).all() for name, length in lengths.items()):
            columns: Columns = {name: table[f"value {name}"] for name, _, _ in element.properties if name in chosen}
            for name in lengths.keys() & columns.keys():
                _check_corners(lengths[name] * element.count)
                columns[name] = np.full(element.count, lengths[name]), columns[name].ravel()
            return columns, place + table.nbytes
    return _uneven_rows(body, place, element, order, chosen)


def _uneven_rows(body: memoryview, place: int, element: _Element, order: str, chosen: set[str]) -> tuple[Columns, int]:
    """The rows of an element, row by row, because only a row shows where the next begins."""
    # The places of the values are noted first; the values are then taken in one stroke for each property.
    noted = {name: (array("q"), array("q")) for name, _, _ in element.properties if name in chosen}
    properties = [
        (struct.Struct(order + _CODES[counted]) if counted else None, int(kind[1:]), noted.get(name))
        for name, kind, counted in element.properties
    ]
    end = len(body)
    for _ in range(element.count):
        for counter, size, places in properties:
            length = 1
            if counter is not None:
                length = _count(body, place, counter)
                place += counter.size
            if places is not None:
                places[0].append(place)
                places[1].append(length)
            place += length * size
            if place > end:
                raise MeshRefused(
                    f"is truncated: a list does not fit the data that are left of the {element.name} rows"
                )
    columns: Columns = {}
    for name, kind, counted in element.properties:
        if name in noted:
            starts, lengths = map(np.array, noted[name])
            flat = _gathered(body, starts, lengths, np.dtype(order + kind))
            columns[name] = (lengths, flat) if counted else flat
    return columns, place


def _gathered(body: memoryview, starts: Indices, lengths: Indices, kind: np.dtype[Any]) -> NDArray[Any]:
    """The numbers that stand at some places in lists of some lengths, one list after the other."""
    _check_corners(int(lengths.sum()))
    within, run = spread(0, lengths)
    place = starts[run] + within * kind.itemsize
    raw = np.frombuffer(body, np.uint8)
    return np.stack([raw[place + byte] for byte in range(kind.itemsize)], axis=-1).view(kind).ravel()


def _check_corners(count: int) -> None:
    if count > 4 * MAX_MESH_TRIANGLES:
        raise MeshRefused(f"its lists hold {count} numbers; {MAX_MESH_TRIANGLES} triangles are the most")


def _count(body: memoryview, place: int, counter: struct.Struct) -> int:
    """The number of values that a list announces."""
    if place + counter.size > len(body):
        raise MeshRefused("is truncated: its data end within a list")
    length = counter.unpack_from(body, place)[0]
    if not 0 <= length <= len(body) - place:
        raise MeshRefused(f"is malformed or truncated: a list announces {length:g} numbers")
    return int(length)
