"""OFF: a header with two counts, a line for each vertex, a line for each polygon."""

from __future__ import annotations

import itertools
import re

import numpy as np

from silhouette.formats.base import Refused, Surface, decoded, no_triangles
from silhouette.formats.polygons import first_three, triangulate


def read(data: bytes) -> list[Surface]:
    """The surface of an OFF file.

    Read here because trimesh takes a file with too few faces, or a face with too few corners, for a smaller one, and
    fans concave polygons out over their notches.
    """
    lines = [line for line in re.sub(r"#.*", "", decoded(data)).splitlines() if line.strip()]
    header = re.match(r"\s*(?:ST)?C?N?OFF\s*(.*)$", lines[0]) if lines else None
    if header is None:
        raise Refused("is no OFF file: one begins with the word OFF")
    if "binary" in header[1].lower():
        raise Refused("is a binary OFF file; export it as plain OFF, STL or PLY")
    rows = ([header[1]] if header[1].strip() else []) + lines[1:]
    try:
        vertices, faces = (int(word) for word in rows[0].split()[:2])
    except (IndexError, ValueError):
        raise Refused("is malformed: after OFF come the numbers of vertices and of faces") from None
    if vertices < 0 or faces < 0 or len(rows) - 1 < vertices + faces:
        raise Refused(
            f"is truncated: it announces {vertices} vertices and {faces} faces and has {len(rows) - 1} lines for them"
        )
    if faces == 0 or vertices == 0:
        raise no_triangles("vertices" if vertices else "")
    points = first_three(rows[1 : 1 + vertices], "vertex line")
    polygons = [_corners(row) for row in rows[1 + vertices : 1 + vertices + faces]]
    lengths = np.array([len(polygon) for polygon in polygons])
    corners = np.fromiter(itertools.chain.from_iterable(polygons), np.int64, lengths.sum())
    return [Surface("mesh", points, triangulate(points, corners, lengths)[0])]


def _corners(row: str) -> list[int]:
    words = row.split()
    if not words[0].isdigit() or len(words) <= int(words[0]):
        raise Refused(f"is malformed: the face line {row.strip()[:40]!r} has fewer corners than it announces")
    try:
        return list(map(int, words[1 : int(words[0]) + 1]))
    except ValueError:
        raise Refused(f"is malformed: the face line {row.strip()[:40]!r} needs whole numbers") from None
