"""SCAN: a piece of a scan becomes a mesh file that reads back exactly as it was written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, Integers


def ply_bytes(vertices: Floats, faces: Integers, colours: NDArray[np.uint8] | None = None) -> bytes:
    """A binary PLY file of a mesh in mm, z up.

    So the project takes a PLY file to be. But what is of an odd size for its kind, such as terrain of 5 mm, is taken to
    be in other units: only ``units = "mm"`` beside its name is sure.

    Coordinates have 64 bits, so that nothing is rounded; the same mesh gives the same bytes.

    Args:
        vertices: (n, 3) float64.
        faces: (m, 3) rows of vertex indices; none for a cloud of points.
        colours: (n, 3) uint8 red, green and blue of each vertex.

    >>> ply_bytes(np.zeros((1, 3)), np.zeros((0, 3), np.int32)).splitlines()[:4]
    [b'ply', b'format binary_little_endian 1.0', b'element vertex 1', b'property double x']
    """
    fields: list[tuple[str, str, str]] = [(axis, "<f8", "double") for axis in "xyz"]
    if colours is not None:
        fields += [(name, "u1", "uchar") for name in ("red", "green", "blue")]
    rows = np.empty(len(vertices), np.dtype([(name, kind) for name, kind, _ in fields]))
    for axis, name in enumerate("xyz"):
        rows[name] = np.asarray(vertices, dtype=np.float64)[:, axis]
    if colours is not None:
        for channel, name in enumerate(("red", "green", "blue")):
            rows[name] = colours[:, channel]
    triangles = np.empty(len(faces), np.dtype([("count", "u1"), ("corners", "<i4", (3,))]))
    triangles["count"], triangles["corners"] = 3, faces
    header = [
        "ply",
        "format binary_little_endian 1.0",
        f"element vertex {len(rows)}",
        *(f"property {word} {name}" for name, _, word in fields),
        f"element face {len(triangles)}",
        "property list uchar int vertex_indices",
        "end_header",
        "",
    ]
    return "\n".join(header).encode("ascii") + rows.tobytes() + triangles.tobytes()
