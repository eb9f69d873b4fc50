"""PLY: a header that describes rows of vertices and faces, in text or in binary."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from silhouette.meshes.formats.base import Refused, Surface, decoded, no_triangles
from silhouette.meshes.formats.polygons import fans, mended, origins

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "int64": "i8", "uint64": "u8",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_CORNERS = ("vertex_indices", "vertex_index")
_LONGEST_HEADER = 1 << 16

# The rows of an element by property: an array (rows,) or (rows, length), or a list of arrays of several lengths.
Columns = dict[str, Any]


@dataclass
class _Element:
    """One kind of row: how many, and for each property its name, its number type, and that of its count if a list."""

    name: str
    count: int
    properties: list[tuple[str, str, str | None]] = field(default_factory=list)


def read(data: bytes) -> list[Surface]:
    """The surface of a PLY file.

    Read here, because trimesh reads a binary file only if all lists are as long as the first (Blender mixes quads and
    triangles), and of rows of text it does not miss those that are not there; to tell whether a file is one of these
    takes reading all of it.
    """
    header, body = _split(data)
    form, elements = _parse(header)
    by_name = {element.name: element for element in elements}
    vertex, face = by_name.get("vertex"), by_name.get("face")
    if "tristrips" in by_name and by_name["tristrips"].count:
        raise Refused("holds triangle strips; export it as plain triangles")
    if vertex is None or face is None or vertex.count == 0 or face.count == 0:
        raise no_triangles("points" if vertex is not None and vertex.count else "")
    if not {"x", "y", "z"} <= {name for name, _, counted in vertex.properties if counted is None}:
        raise Refused("is malformed: its vertices need the properties x, y and z")
    corners = next((name for name, _, counted in face.properties if name in _CORNERS and counted), None)
    if corners is None:
        raise Refused("is malformed: its faces need the property 'list ... vertex_indices'")
    needed = elements[: max(elements.index(vertex), elements.index(face)) + 1]
    if form == "ascii":
        body, needed = _as_binary(body, needed)
    columns, end = _columns(body, needed, ">" if form == "binary_big_endian" else "<")
    if form == "ascii" and end < len(body):
        raise Refused("is malformed: its rows hold more words than its header announces")
    vertices = np.column_stack([columns["vertex"][axis] for axis in "xyz"]).astype(np.float64)
    rows = columns["face"][corners]
    if isinstance(rows, np.ndarray):
        lengths, flat = np.full(len(rows), rows.shape[1]), rows.ravel()
    else:
        lengths, flat = np.array([len(row) for row in rows]), np.concatenate(rows)
    return [Surface("mesh", vertices, mended(vertices, fans(flat, lengths), origins(lengths)))]


def _split(data: bytes) -> tuple[list[str], bytes]:
    """The header's lines and what follows it. The first line shows the newline, which a data byte may look like."""
    start = re.match(rb"ply[ \t]*(\r\n|\n|\r)", data)
    if start is None:
        raise Refused("is no PLY file: one begins with a line 'ply'")
    newline = rb"\r?\n" if start[1] == b"\n" else re.escape(start[1])
    end = re.search(rb"[\r\n]end_header[ \t]*" + newline, data[:_LONGEST_HEADER])
    if end is None:
        raise Refused("is truncated: its header has no 'end_header'")
    return data[: end.start()].decode("latin-1").splitlines(), data[end.end() :]


def _parse(header: list[str]) -> tuple[str, list[_Element]]:
    form, elements = "", list[_Element]()
    for line in header[1:]:
        match line.split():
            case ["format", ("ascii" | "binary_little_endian" | "binary_big_endian") as form, _]:
                pass
            case ["element", name, count] if count.isdigit():
                elements.append(_Element(name, int(count)))
            case ["property", "list", counted, kind, name] if elements and {counted, kind} <= _TYPES.keys():
                elements[-1].properties.append((name, _TYPES[kind], _TYPES[counted]))
            case ["property", kind, name] if elements and kind in _TYPES:
                elements[-1].properties.append((name, _TYPES[kind], None))
            case [] | ["comment" | "obj_info", *_]:
                pass
            case _:
                raise Refused(f"is malformed: its header has the line {line[:60]!r}")
    if not form:
        raise Refused("is malformed: its header needs a line 'format ascii 1.0' or 'format binary_little_endian 1.0'")
    return form, elements


def _as_binary(body: bytes, elements: list[_Element]) -> tuple[bytes, list[_Element]]:
    """Rows of text as rows of float64, which hold every number that a mesh needs."""
    rows = [line for line in decoded(body).split("\n") if line.strip() and not line.lstrip().startswith("comment")]
    announced = sum(element.count for element in elements)
    if len(rows) < announced:
        raise Refused(f"is truncated: its header announces {announced} rows and it has {len(rows)}")
    try:
        numbers = np.fromiter(map(float, " ".join(rows[:announced]).split()), np.dtype("<f8"))
    except ValueError:
        raise Refused("is malformed: its rows hold words that are no numbers") from None
    typed = [
        _Element(
            element.name, element.count, [(name, "f8", counted and "f8") for name, _, counted in element.properties]
        )
        for element in elements
    ]
    return numbers.tobytes(), typed


def _columns(body: bytes, elements: list[_Element], order: str) -> tuple[dict[str, Columns], int]:
    """The rows of each element, and where they end."""
    columns: dict[str, Columns] = {}
    place = 0
    for element in elements:
        least = sum(int((counted or kind)[1:]) for _, kind, counted in element.properties)
        if element.count * least > len(body) - place:
            raise Refused(f"is truncated: it announces {element.count} {element.name} rows and has no room for them")
        if element.count and least:
            columns[element.name], place = _even_rows(body, place, element, order)
    return columns, place


def _even_rows(body: bytes, place: int, element: _Element, order: str) -> tuple[Columns, int]:
    """The rows of an element, and where the next begins: at one stroke if all lists are as long as in the first row."""
    fields: list[tuple[Any, ...]] = []
    lengths: dict[str, int] = {}
    probe = place
    for name, kind, counted in element.properties:
        if counted is None:
            fields.append((f"value {name}", order + kind))
            probe += int(kind[1:])
            continue
        lengths[name] = _count(body, probe, order + counted)
        fields += [(f"count {name}", order + counted), (f"value {name}", order + kind, (lengths[name],))]
        probe += int(counted[1:]) + lengths[name] * int(kind[1:])
    if element.count * (probe - place) <= len(body) - place:
        table = np.frombuffer(body, np.dtype(fields), element.count, place)
        if all((table[f"count {name}"] == length).all() for name, length in lengths.items()):
            return {name: table[f"value {name}"] for name, _, _ in element.properties}, place + table.nbytes
    return _uneven_rows(body, place, element, order)


def _uneven_rows(body: bytes, place: int, element: _Element, order: str) -> tuple[Columns, int]:
    """The rows of an element, read row by row, because only a row shows where the next begins."""
    columns: Columns = {name: [] for name, _, _ in element.properties}
    kinds = [(columns[name], np.dtype(order + kind), counted) for name, kind, counted in element.properties]
    for _ in range(element.count):
        for column, kind, counted in kinds:
            length = 1
            if counted is not None:
                length = _count(body, place, order + counted)
                place += int(counted[1:])
            if place + length * kind.itemsize > len(body):
                raise Refused(f"is truncated: a list does not fit the data that are left of the {element.name} rows")
            values = np.frombuffer(body, kind, length, place)
            column.append(values if counted else values[0])
            place += length * kind.itemsize
    return columns, place


def _count(body: bytes, place: int, kind: str) -> int:
    size = int(kind[2:])
    if place + size > len(body):
        raise Refused("is truncated: its data end within a list")
    length = np.frombuffer(body, kind, 1, place)[0]
    if not 0 <= length <= len(body) - place:
        raise Refused(f"is malformed or truncated: a list announces {length:g} numbers")
    return int(length)
