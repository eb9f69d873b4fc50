"""OFF: a header with two counts, a line for each vertex, a line for each polygon."""

from __future__ import annotations

import itertools
import re
from array import array
from collections.abc import Iterator

import numpy as np

from silhouette.meshes.formats.base import (
    MAX_MESH_TRIANGLES,
    MAX_TEXT_LINES,
    MeshContent,
    MeshRefused,
    PartSurface,
    Skin,
    blocks,
    no_numbers,
    no_triangles,
    plain_text,
    word,
)
from silhouette.meshes.formats.colours import stored_bytes
from silhouette.meshes.formats.polygons import triangulated

_OFF_LINE_NEEDS = "a vertex line needs three numbers, a face line whole numbers"


def read(data: bytes, whole: bool = False) -> MeshContent:
    """The surface of an OFF file; ``whole`` with the colours of its vertices (COFF).

    Read here and not by trimesh, which takes a file with too few lines for a smaller mesh and stumbles over polygons of
    five corners; and which, handed triangles, needs three times the time and twice the memory.

    """
    text = plain_text(data)
    lines = _lines(text)
    kind, vertices, faces = _header(lines, text.count(b"\n"))
    words: list[bytes] = []
    points, corners, lengths, shades = array("d"), array("q"), array("q"), array("d")
    before = 6 if b"N" in kind else 3  # words before those of a colour
    coloured = whole and b"C" in kind
    try:
        for row in itertools.islice(lines, vertices):
            words = row.split()
            points.extend(map(float, _three(words[:3])))
            if coloured:
                shades.extend(map(float, _three(words[before : before + 3])))
        for row in itertools.islice(lines, faces):
            polygon = _corners(row.split())
            lengths.append(len(polygon))
            corners.extend(map(int, polygon))
    except (ValueError, OverflowError):
        raise no_numbers(words[:3], _OFF_LINE_NEEDS) from None
    _check_lines(vertices, faces, len(points) // 3 + len(lengths))
    if faces == 0 or vertices == 0:
        raise no_triangles("vertices" if vertices else "")
    if len(corners) > 3 * MAX_MESH_TRIANGLES:
        raise MeshRefused(f"holds over {MAX_MESH_TRIANGLES} triangles; reduce them")
    places = np.array(points).reshape(-1, 3)
    triangles = triangulated(places, np.array(corners), np.array(lengths))
    skin = Skin(stored_bytes(np.array(shades).reshape(-1, 3), "f8")) if coloured else None
    return MeshContent([PartSurface("mesh", places, triangles, skin)])


def _header(lines: Iterator[bytes], rows: int) -> tuple[bytes, int, int]:
    """The letters before OFF, the number of vertices, and that of faces, for which the text has rows."""
    header = re.match(rb"\s*((?:ST)?C?N?)OFF\s*(.*)$", next(lines, b""))
    if header is None:
        raise MeshRefused("is no OFF file: one begins with the word OFF")
    if b"binary" in header[2].lower():
        raise MeshRefused("is a binary OFF file; export it as plain OFF, STL or PLY")
    counts = (header[2].strip() or next(lines, b"")).split()[:2]
    if len(counts) < 2 or not all(count.isdigit() and len(count) < 19 for count in counts):
        raise MeshRefused("is malformed: after OFF come the numbers of vertices and of faces")
    vertices, faces = map(int, counts)
    _check_lines(vertices, faces, rows)
    if faces > MAX_MESH_TRIANGLES or vertices + faces > MAX_TEXT_LINES:
        raise MeshRefused(
            f"holds over {MAX_MESH_TRIANGLES} triangles, or {MAX_TEXT_LINES} vertices and faces; reduce them"
        )
    return header[1], vertices, faces


def _check_lines(vertices: int, faces: int, there: int) -> None:
    if there < vertices + faces:
        announced = f"{vertices} vertices and {faces} faces"
        raise MeshRefused(f"is truncated: it announces {announced} and has {there} lines for them")


def _lines(text: bytes) -> Iterator[bytes]:
    for block in blocks(text):
        for line in (re.sub(rb"#.*", b"", block) if b"#" in block else block).split(b"\n"):
            if line and not line.isspace():
                yield line


def _three(words: list[bytes]) -> list[bytes]:
    if len(words) < 3:
        raise ValueError(_OFF_LINE_NEEDS)
    return words


def _corners(words: list[bytes]) -> list[bytes]:
    if not words[0].isdigit() or len(words) <= int(words[0]):
        raise MeshRefused(
            f"is malformed: the face line {word(b' '.join(words))[:40]!r} has fewer corners than it announces"
        )
    return words[1 : int(words[0]) + 1]
