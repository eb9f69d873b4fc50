"""OFF: a header with two counts, a line for each vertex, a line for each polygon. trimesh reads it."""

from __future__ import annotations

import re

import numpy as np

from silhouette.meshes.formats.base import Refused, Surface, decoded, no_triangles
from silhouette.meshes.formats.parsing import parsed, past_the_end
from silhouette.meshes.formats.polygons import fan, mended, origins


def read(data: bytes) -> list[Surface]:
    """The surface of an OFF file.

    Lines are counted first, because trimesh takes too few for a smaller mesh; and it gets polygons as triangles,
    because it stumbles over those of five corners.
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
    polygons = [_corners(row.split()) for row in rows[1 + vertices : 1 + vertices + faces]]
    triangles = [f"3 {corners}" for polygon in polygons for corners in fan(polygon)]
    text = "\n".join(["OFF", f"{vertices} {len(triangles)} 0", *rows[1 : 1 + vertices], *triangles])
    try:
        loaded = parsed("off", text.encode(), "a vertex line needs three numbers, a face line whole numbers")
    except Refused as refused:  # trimesh does not tell which vertex is missing
        furthest = max((int(word) for polygon in polygons for word in polygon if word.isdigit()), default=0)
        raise past_the_end(furthest, vertices) if furthest >= vertices else refused from None
    points = loaded["vertices"]
    return [Surface("mesh", points, mended(points, loaded["faces"], origins(np.array(list(map(len, polygons))))))]


def _corners(words: list[str]) -> list[str]:
    if not words[0].isdigit() or len(words) <= int(words[0]):
        raise Refused(f"is malformed: the face line {' '.join(words)[:40]!r} has fewer corners than it announces")
    return words[1 : int(words[0]) + 1]
