"""STL: binary, which trimesh reads, and text, with several solids in one file."""

from __future__ import annotations

import re
from array import array

import numpy as np

from silhouette.meshes.formats.base import (
    MOST_PARTS,
    MOST_TRIANGLES,
    Refused,
    Surface,
    blocks,
    no_triangles,
    plain_text,
    word,
)
from silhouette.meshes.formats.parsing import parsed

_HEADER = 84
_FACET = 50
_WORDS = re.compile(
    rb"^[ \t]*(solid\b([^\n]*)|endsolid\b|facet\b|outer\b|endloop\b|endfacet\b"
    rb"|vertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)[ \t]*$)",
    re.MULTILINE | re.IGNORECASE,
)
_SHORT = {b"s": b"(", b"f": b"f", b"o": b"o", b"v": b"v", b"endl": b"l", b"endf": b"e", b"ends": b")"}
_FACETS = re.compile(rb"(?:\((?:fovvvle)*\))*")


def read(data: bytes) -> list[Surface]:
    """The surfaces of an STL file, one for each solid.

    A binary file is cut to the length that it announces, because trimesh takes any other for text. A text is read here:
    trimesh looks for words of the format in the names of solids, and needs many times the file's size in memory.

    Raises:
        Refused: where the file is malformed, truncated, or holds more than can be looked at.
    """
    if _is_text(data):
        return _read_text(plain_text(data))
    if len(data) < _HEADER:
        raise Refused("is truncated: a binary STL file begins with 84 bytes of header")
    triangles = int.from_bytes(data[80:_HEADER], "little")
    room = (len(data) - _HEADER) // _FACET
    if triangles > room:
        raise Refused(f"is truncated or no STL file: it announces {triangles} triangles and has room for {room}")
    if triangles == 0:
        raise no_triangles()
    if triangles > MOST_TRIANGLES:
        raise Refused(f"holds {triangles} triangles; {MOST_TRIANGLES} are the most that can be looked at")
    loaded = parsed("stl", data[: _HEADER + triangles * _FACET])
    return [Surface("mesh", loaded["vertices"], loaded["faces"])]


def _is_text(data: bytes) -> bool:
    """Many a binary file's header begins with "solid" too: the length tells, then the words of the text format."""
    if len(data) >= _HEADER and len(data) - _HEADER == _FACET * int.from_bytes(data[80:_HEADER], "little"):
        return False
    start = data[:4096].replace(b"\0", b"").lower()
    return bool(re.search(rb"^[ \t]*solid\b", start, re.MULTILINE)) and (b"facet" in start or b"endsolid" in start)


def _read_text(text: bytes) -> list[Surface]:
    """The solids of a text: the words of the format in their order, and three numbers for each vertex."""
    names: list[str] = []
    numbers = array("d")
    shape = bytearray()
    vertices: list[int] = []  # before each solid
    for block in blocks(text):
        for line, name, x, y, z in _WORDS.findall(re.sub(rb"#.*", b"", block) if b"#" in block else block):
            if x:
                shape += b"v"
                numbers.extend(map(_number, (x, y, z)))
                continue
            start = line[:4].lower()
            if start == b"soli":
                names.append(word(name.strip()) or "mesh")
                vertices.append(len(numbers) // 3)
            shape += _SHORT[start if start.startswith(b"end") else start[:1]]
        if len(numbers) > 9 * MOST_TRIANGLES or len(names) > MOST_PARTS:
            raise Refused(f"holds over {MOST_TRIANGLES} triangles or {MOST_PARTS} solids; reduce them")
    if shape.count(b"(") != shape.count(b")"):
        raise Refused("is truncated: it has a 'solid' without its 'endsolid'")
    if not _FACETS.fullmatch(shape):
        raise Refused("is truncated or malformed: every 'facet' needs a normal, three 'vertex' lines and an 'endfacet'")
    if b"f" not in shape:
        raise no_triangles()
    solids = np.split(np.array(numbers).reshape(-1, 3), vertices[1:])
    return [
        Surface(name, points, np.arange(len(points)).reshape(-1, 3))
        for name, points in zip(names, solids, strict=True)
        if len(points)
    ]


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        raise Refused("is malformed: a 'vertex' line needs three numbers; export it again") from None
