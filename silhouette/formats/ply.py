"""PLY: a header that describes rows of vertices and faces, in text or in binary."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from silhouette.formats.base import Refused, Surface, decoded, no_triangles
from silhouette.formats.polygons import triangulate

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

    Read here because trimesh reads a binary file only where all lists have the length of the first (Blender's mix quads
    and triangles), is put out of step by blank lines and comments among text rows, does not miss rows that are
    not there, knows no Macintosh newlines, and fans concave polygons out over their notches.
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
    if form == "ascii":
        columns = _text_columns(body, elements)
    else:
        columns = _binary_columns(body, elements, "<" if form == "binary_little_endian" else ">")
    vertices = np.column_stack([columns["vertex"][axis] for axis in "xyz"]).astype(np.float64)
    rows = columns["face"][corners]
    if isinstance(rows, np.ndarray):
        lengths, flat = np.full(len(rows), rows.shape[1]), rows.ravel()
    else:
        lengths, flat = np.array([len(row) for row in rows]), np.concatenate(rows)
    return [Surface("mesh", vertices, triangulate(vertices, flat, lengths)[0])]


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


def _text_columns(body: bytes, elements: list[_Element]) -> dict[str, Columns]:
    rows = [line for line in decoded(body).splitlines() if line.strip() and not line.lstrip().startswith("comment")]
    announced = sum(element.count for element in elements)
    if len(rows) < announced:
        raise Refused(f"is truncated: its header announces {announced} rows and it has {len(rows)}")
    columns: dict[str, Columns] = {}
    start = 0
    for element in elements:
        if element.name in ("vertex", "face"):
            try:
                columns[element.name] = _text_rows(rows[start : start + element.count], element)
            except ValueError:
                raise Refused(f"is malformed: its {element.name} rows hold words that are no numbers") from None
        start += element.count
    return columns


def _text_rows(rows: list[str], element: _Element) -> Columns:
    """The rows of an element: at one stroke where all are as long as the first and its lists as long as there."""
    lists = {name for name, _, counted in element.properties if counted is not None}
    words = [row.split() for row in rows]
    columns: Columns = {name: [] for name, _, _ in element.properties}
    if not words:
        return columns
    fields, length = _fields(words[0], element)
    counts = [place for name, place, _ in fields if name in lists]
    if all(len(row) == length for row in words) and all(len({row[place] for row in words}) == 1 for place in counts):
        flat = np.fromiter(map(float, itertools.chain.from_iterable(words)), np.float64, length * len(words))
        table = flat.reshape(-1, length)
        return {
            name: table[:, place + 1 : end].astype(np.int64) if name in lists else table[:, place]
            for name, place, end in fields
        }
    for row in words:
        for name, place, end in _fields(row, element)[0]:
            columns[name].append(np.array(row[place + 1 : end], np.int64) if name in lists else float(row[place]))
    return columns


def _fields(words: list[str], element: _Element) -> tuple[list[tuple[str, int, int]], int]:
    """Where each property's words begin and end in a row, a list's count included, and how many they are together."""
    fields: list[tuple[str, int, int]] = []
    place = 0
    for name, _, counted in element.properties:
        length = 1
        if counted is not None:
            length += int(words[place]) if place < len(words) and words[place].isdigit() else len(words)
        if place + length > len(words):
            raise Refused(f"is malformed: the {element.name} row {' '.join(words)[:40]!r} does not fit its header")
        fields.append((name, place, place + length))
        place += length
    return fields, place


def _binary_columns(body: bytes, elements: list[_Element], order: str) -> dict[str, Columns]:
    columns: dict[str, Columns] = {}
    place = 0
    for element in elements:
        least = sum(int((counted or kind)[1:]) for _, kind, counted in element.properties)
        if element.count * least > len(body) - place:
            raise Refused(f"is truncated: it announces {element.count} {element.name} rows and has no room for them")
        if element.count and least:
            columns[element.name], place = _even_rows(body, place, element, order)
        if {"vertex", "face"} <= columns.keys():
            break
    return columns


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
    """The same row by row, because only a row tells where the next begins."""
    columns: Columns = {name: [] for name, _, _ in element.properties}
    kinds = [(columns[name], np.dtype(order + kind), counted) for name, kind, counted in element.properties]
    for _ in range(element.count):
        for column, kind, counted in kinds:
            length = 1
            if counted is not None:
                length = _count(body, place, order + counted)
                place += int(counted[1:])
            if place + length * kind.itemsize > len(body):
                raise Refused(f"is truncated: its data end within the {element.name} rows")
            found = np.frombuffer(body, kind, length, place)
            column.append(found if counted else found[0])
            place += length * kind.itemsize
    return columns, place


def _count(body: bytes, place: int, kind: str) -> int:
    size = int(kind[2:])
    if place + size > len(body):
        raise Refused("is truncated: its data end within a list")
    length = int(np.frombuffer(body, kind, 1, place)[0])
    if not 0 <= length <= len(body) - place:
        raise Refused(f"is malformed or truncated: a list announces {length} numbers")
    return length
