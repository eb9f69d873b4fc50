"""STL: binary, ASCII, and several solids in one file. trimesh reads it; its counts are checked against the file's."""

from __future__ import annotations

import re

import numpy as np

from silhouette.meshes.formats.base import Refused, Surface, decoded, no_triangles
from silhouette.meshes.formats.parsing import parsed

_HEADER = 84
_FACET = 50
_WORDS = re.compile(
    r"^[ \t]*(solid\b|endsolid\b|facet\b|outer\b|endloop\b|endfacet\b|vertex(?=(?:[ \t]+\S+){3}[ \t]*$))",
    re.MULTILINE | re.IGNORECASE,
)
_SHORT = {"solid": "(", "facet": "f", "outer": "o", "vertex": "v", "endloop": "l", "endfacet": "e", "endsolid": ")"}


def read(data: bytes) -> list[Surface]:
    """The surfaces of an STL file, one for each solid.

    A binary file is cut to the length that it announces, because trimesh takes any other for text; in a text, names
    become numbers, because trimesh looks for words of the format in them.
    """
    if _is_text(data):
        return _read_text(re.sub(r"#.*", "", decoded(data)))
    if len(data) < _HEADER:
        raise Refused("is truncated: a binary STL file begins with 84 bytes of header")
    triangles = int.from_bytes(data[80:_HEADER], "little")
    room = (len(data) - _HEADER) // _FACET
    if triangles > room:
        raise Refused(f"is truncated or no STL file: it announces {triangles} triangles and has room for {room}")
    if triangles == 0:
        raise no_triangles()
    loaded = parsed("stl", data[: _HEADER + triangles * _FACET])
    return [Surface("mesh", loaded["vertices"], loaded["faces"])]


def _is_text(data: bytes) -> bool:
    """Many a binary file's header begins with "solid" too: the length tells, then the words of the text format."""
    if len(data) >= _HEADER and len(data) - _HEADER == _FACET * int.from_bytes(data[80:_HEADER], "little"):
        return False
    start = data[:4096].replace(b"\0", b"").lower()
    return bool(re.search(rb"^[ \t]*solid\b", start, re.MULTILINE)) and (b"facet" in start or b"endsolid" in start)


def _read_text(text: str) -> list[Surface]:
    names: list[str] = []

    def numbered(line: re.Match[str]) -> str:
        names.append(line[1].strip() or "mesh")
        return f"solid {len(names) - 1}"

    text = re.sub(r"(?im)^[ \t]*solid\b(.*)$", numbered, re.sub(r"(?im)^[ \t]*endsolid\b.*$", "endsolid", text))
    shape = "".join(_SHORT[word.lower()] for word in _WORDS.findall(text))
    if shape.count("(") != shape.count(")"):
        raise Refused("is truncated: it has a 'solid' without its 'endsolid'")
    if not re.fullmatch(r"(?:\((?:fovvvle)*\))*", shape):
        raise Refused("is truncated or malformed: every 'facet' needs a normal, three 'vertex' lines and an 'endfacet'")
    if "f" not in shape:
        raise no_triangles()
    loaded = parsed("stl", text.encode(), needs="a 'vertex' line needs three numbers")
    solids = loaded["geometry"] if "geometry" in loaded else {loaded["metadata"]["name"]: loaded}
    readable, announced = sum(len(solid["faces"]) for solid in solids.values()), shape.count("f")
    if readable != announced:
        raise Refused(f"is malformed: of its {announced} facets only {readable} can be read; export it again")
    return [
        Surface(names[int(number)], np.asarray(solid["vertices"]), np.asarray(solid["faces"]))
        for number, solid in solids.items()
    ]
