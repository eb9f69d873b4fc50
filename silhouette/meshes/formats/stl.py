"""STL: binary, and text, with several solids in one file."""

from __future__ import annotations

import re
from array import array
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.meshes.formats.base import (
    MAX_MESH_PARTS,
    MAX_MESH_TRIANGLES,
    MeshContent,
    MeshRefused,
    PartSurface,
    blocks,
    no_numbers,
    no_triangles,
    plain_text,
    word,
)

_HEADER = 84
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
# Facets of a file that announces another number of them, which are all looked at.
_MAX_COUNTED_FACETS = 2 * MAX_MESH_TRIANGLES
# How large the coordinates of what follows may be, in those before it or in units, if it is triangles; and how small.
_FAR_RATIO, _MAX_COORDINATE_RATIO, _MIN_COORDINATE_RATIO = 100.0, 1e6, 1e-9
_NORMAL_TOLERANCE = 1e-3  # how far the square of a normal's length may be from 1
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_STL_WORDS = re.compile(
    rb"^[ \t]*((?:solid|endsolid|facet|outer|endloop|endfacet)\b|vertex(?=(?:[ \t]+\S+){3}[ \t]*$))([^\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
# One letter for each word of the format, as the shape of a text is checked by.
_LETTERS = {
    b"solid": b"(", b"endsolid": b")", b"facet": b"f", b"outer": b"o", b"endloop": b"l", b"endfacet": b"e",
    b"vertex": b"v",
}  # fmt: skip
_FACETS = re.compile(rb"(?:\((?:fovvvle)*\))*")
# Where a text that is written on one line, or on few, has no line breaks.
_NO_BREAK = re.compile(
    rb"[ \t]+(?=(?:facet[ \t]+normal|outer[ \t]+loop|vertex|endloop|endfacet|endsolid)\b)", re.IGNORECASE
)
_NEXT_SOLID = re.compile(rb"^([ \t]*endsolid\b[^\n]*?)[ \t]+(?=solid\b)", re.MULTILINE | re.IGNORECASE)


def read(data: bytes) -> MeshContent:
    """The surfaces of an STL file, one for each solid.

    A binary file goes to trimesh with the count that it has: trimesh takes one whose length is not what its header
    announces for text. A text is read here: trimesh looks for words of the format in the names of solids, and needs
    many times the file's size in memory.

    """
    from trimesh.exchange.stl import load_stl_binary

    if _is_text(data):
        return MeshContent(_read_text(plain_text(data)))
    if len(data) < _HEADER:
        raise MeshRefused("is truncated: a binary STL file begins with 84 bytes of header")
    announced = int.from_bytes(data[80:_HEADER], "little")
    room, rest = divmod(len(data) - _HEADER, _FACET.itemsize)
    if announced > room and rest:
        raise MeshRefused(f"is truncated or no STL file: it announces {announced} triangles and has room for {room}")
    if min(announced, room) > MAX_MESH_TRIANGLES or (announced != room and room > _MAX_COUNTED_FACETS):
        raise MeshRefused(f"holds {room} triangles; {MAX_MESH_TRIANGLES} are the most that can be looked at")
    facets = np.frombuffer(data, _FACET, room, _HEADER)
    tail = data[_HEADER + room * _FACET.itemsize :]
    triangles, warnings = _counted(facets, announced, tail)
    if triangles == 0:
        raise no_triangles()
    if triangles > MAX_MESH_TRIANGLES:
        raise MeshRefused(f"holds {triangles} triangles; {MAX_MESH_TRIANGLES} are the most that can be looked at")
    loaded = load_stl_binary(BytesIO(bytes(80) + triangles.to_bytes(4, "little") + facets[:triangles].tobytes()))
    return MeshContent([PartSurface("mesh", loaded["vertices"], loaded["faces"])], warnings)


def _counted(facets: NDArray[Any], announced: int, tail: bytes) -> tuple[int, list[str]]:
    """How many triangles a binary file has, whatever it announces, and a sentence if that is something else."""
    room = len(facets)
    if announced > room:
        if room == 0 or not _are_triangles(facets, 0.0).all():
            raise MeshRefused(
                f"is truncated or no STL file: it announces {announced} triangles and has room for {room}"
            )
        cut = "which were read; if it was cut off, export it again"
        return room, [f"its header announces {announced} triangles and it has {room}, {cut}"]
    extra = (room - announced) * _FACET.itemsize + len(tail)
    reach = float(np.abs(facets["corners"][:announced]).max(initial=0.0))
    more = np.count_nonzero(_are_triangles(facets[announced:], reach))
    if more == room - announced > 0:
        after = f"; {len(tail)} bytes after them were passed over" if any(tail) else ""
        return room, [f"its header announces {announced} triangles and it has {room}, which were all read{after}"]
    if more:
        raise MeshRefused(
            f"is malformed: its header announces {announced} triangles, and of the {extra} bytes after them some are "
            "triangles and some are not; export it again"
        )
    if room == announced and not any(tail):
        return announced, []
    return announced, [f"has {extra} bytes after its {announced} triangles, which are none and were passed over"]


def _are_triangles(facets: NDArray[Any], reach: float) -> NDArray[np.bool_]:
    """(n,) whether bytes taken for facets are some, by how far sure ones ``reach``, or 0; or by normals of length 1."""
    with np.errstate(invalid="ignore", over="ignore"):
        largest = np.abs(facets["corners"]).max(axis=(1, 2))
        is_near = largest <= (_FAR_RATIO * reach if reach > 0.0 else _MAX_COORDINATE_RATIO)
        has_normal = np.abs((facets["normal"].astype(np.float64) ** 2).sum(axis=1) - 1.0) < _NORMAL_TOLERANCE
        are_triangles: NDArray[np.bool_] = (largest > _MIN_COORDINATE_RATIO * max(reach, 1.0)) & (
            is_near | (has_normal & (largest <= _MAX_COORDINATE_RATIO))
        )
    return are_triangles


def _is_text(data: bytes) -> bool:
    """Many a binary file's header begins with "solid" too, and may have other words of the text format.

    The length tells, then whether what follows the header holds bytes that no text has.
    """
    if len(data) >= _HEADER and len(data) - _HEADER == _FACET.itemsize * int.from_bytes(data[80:_HEADER], "little"):
        return False
    start = data[:4096]
    is_wide = start.startswith((b"\xff\xfe", b"\xfe\xff")) or not any(start[:40:2]) or not any(start[1:40:2])
    if not is_wide and _BINARY.search(start[80:].rstrip(b"\0\x1a")):  # Ctrl-Z ends a text of DOS
        return False
    start = start.replace(b"\0", b"").lower()
    return bool(re.search(rb"^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[ \t]*solid\b", start, re.MULTILINE)) and (
        b"facet" in start or b"endsolid" in start
    )


def _read_text(text: bytes) -> list[PartSurface]:
    """The solids of a text, which may have a line for each vertex, as is usual, or be written on one line."""
    names, numbers, vertices, shape = _words(text)
    if not _FACETS.fullmatch(shape):
        names, numbers, vertices, shape = _words(_NEXT_SOLID.sub(rb"\1\n", _NO_BREAK.sub(b"\n", text)))
    if shape.count(b"(") != shape.count(b")"):
        raise MeshRefused("is truncated: it has a 'solid' without its 'endsolid'")
    if not _FACETS.fullmatch(shape):
        raise MeshRefused(
            "is truncated or malformed: every 'facet' needs a normal, three 'vertex' lines and an 'endfacet'"
        )
    if b"f" not in shape:
        raise no_triangles()
    solids = np.split(np.array(numbers).reshape(-1, 3), vertices[1:])
    return [
        PartSurface(name, points, np.arange(len(points)).reshape(-1, 3))
        for name, points in zip(names, solids, strict=True)
        if len(points)
    ]


def _words(text: bytes) -> tuple[list[str], array[float], list[int], bytearray]:
    """Of a text the solids' names, three numbers for each vertex, vertices before each solid, a letter a word."""
    names: list[str] = []
    numbers = array("d")
    shape = bytearray()
    vertices: list[int] = []  # before each solid
    for block in blocks(text):
        for kind, rest in _STL_WORDS.findall(re.sub(rb"#.*", b"", block) if b"#" in block else block):
            letter = _LETTERS[kind.lower()]
            shape += letter
            if letter == b"v":
                numbers.extend(map(_number, rest.split()))
            elif letter == b"(":
                names.append(word(rest.strip()) or "mesh")
                vertices.append(len(numbers) // 3)
        if len(numbers) > 9 * MAX_MESH_TRIANGLES or len(names) > MAX_MESH_PARTS:
            raise MeshRefused(f"holds over {MAX_MESH_TRIANGLES} triangles or {MAX_MESH_PARTS} solids; reduce them")
    return names, numbers, vertices, shape


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        raise no_numbers([text], "a 'vertex' line needs three numbers; export it again") from None
