"""STL: binary, ASCII, and several solids in one file."""

from __future__ import annotations

import re

import numpy as np

from silhouette.formats.base import Refused, Surface, decoded, no_triangles
from silhouette.formats.polygons import numbers

_HEADER = 84
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
# A facet is these words, with a number in each gap.
_FACET = ("facet", "normal", "", "", "", "outer", "loop", *("vertex", "", "", "") * 3, "endloop", "endfacet")
_NUMBERS = [place for place in range(7, 19) if _FACET[place] == ""]


def read(data: bytes) -> list[Surface]:
    """The surfaces of an STL file, one for each solid.

    Read here because trimesh takes a binary file of another length than it announces for text and finds nothing in it,
    takes a text file that stops in the middle for a smaller one, trips over names that hold the word "vertex", and
    needs seconds for each hundred thousand facets of text.
    """
    if _is_text(data):
        return _read_text(decoded(data))
    if len(data) < _HEADER:
        raise Refused("is truncated: a binary STL file begins with 84 bytes of header")
    triangles = int.from_bytes(data[80:_HEADER], "little")
    held = (len(data) - _HEADER) // _RECORD.itemsize
    if triangles > held:
        raise Refused(f"is truncated or no STL file: it announces {triangles} triangles and has room for {held}")
    corners = np.frombuffer(data, _RECORD, triangles, _HEADER)["corners"]
    return [_surface("mesh", corners.reshape(-1, 3).astype(np.float64))]


def _surface(name: str, corners: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Surface:
    if len(corners) == 0:
        raise no_triangles()
    return Surface(name, corners, np.arange(len(corners)).reshape(-1, 3))


def _is_text(data: bytes) -> bool:
    """Many a binary file's header begins with "solid" too: the length tells, then the words of the text format."""
    if len(data) >= _HEADER and len(data) - _HEADER == _RECORD.itemsize * int.from_bytes(data[80:_HEADER], "little"):
        return False
    start = data[:4096].replace(b"\0", b"").lower()
    return bool(re.search(rb"^[ \t]*solid\b", start, re.MULTILINE)) and (b"facet" in start or b"endsolid" in start)


def _read_text(text: str) -> list[Surface]:
    if "#" in text:
        text = re.sub(r"#.*", "", text)
    # Names stand on the line of the word and may hold any word themselves.
    pieces = re.split(r"(?im)^[ \t]*(solid|endsolid)\b(.*)$", text)
    surfaces: list[Surface] = []
    name: str | None = None
    for word, title, body in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        if word.lower() == "endsolid":
            name = None
            continue
        if name is not None:
            break
        name = title.strip()
        corners = _facets(body)
        if len(corners):
            surfaces.append(_surface(name or "mesh", corners))
    if name is not None:
        raise Refused("is truncated: it has a 'solid' without its 'endsolid'")
    if not surfaces:
        raise no_triangles()
    return surfaces


def _facets(body: str) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The corners (3 * facets, 3) of a solid's facets."""
    words = body.split()
    length = len(_FACET)
    fixed = all(set(map(str.lower, words[place::length])) <= {word} for place, word in enumerate(_FACET) if word)
    if len(words) % length or not fixed:
        raise Refused("is truncated or malformed: every 'facet' needs a normal, three 'vertex' lines and an 'endfacet'")
    return numbers([words[place::length] for place in _NUMBERS], "facet")
