"""SCAN: vertices in one place become one, so that a surface hangs together that its file stores in pieces.

STL stores three vertices for each triangle. Where a picture has a seam, and where an app writes a scan in chunks,
glTF stores what is one vertex several times. Steps that go from neighbour to neighbour need them joined.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from silhouette.meshes.health import extremes, used_vertices
from silhouette.meshes.mesh import merge_equal
from silhouette.scans.reading import Scan

STEP = 2.0**-20
"""Of the scan's extent: places this near are one. A millionth; a table's is 0.6 micrometres.

Coordinates of 32 bits, moved by the transforms of several nodes, differ by less. Scans tell nothing so fine apart."""


def welded(scan: Scan) -> tuple[Scan, NDArray[np.int32]]:
    """The scan with the vertices in one place joined, and for each vertex (n,) as stored which one it has become.

    A joined vertex has the place, the colour and the normal of the first that is usable. Triangles that lose their area
    are left out.

    >>> soup = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    >>> path = __import__("pathlib").Path("soup.stl")
    >>> every = np.ones(6, bool)
    >>> faces = np.array([[0, 1, 2], [3, 4, 5]], np.int32)
    >>> joined, number = welded(Scan(path, "stl", soup, faces, None, None, every, "z", None))
    >>> len(joined.vertices), joined.faces.tolist(), number.tolist()
    (4, [[0, 1, 2], [1, 3, 2]], [0, 1, 2, 1, 3, 2])
    """
    low, high = extremes(scan.vertices[scan.usable])
    step = float((high - low).max()) * STEP
    with np.errstate(invalid="ignore", over="ignore"):
        rounded = np.rint((scan.vertices - low) / step)
    rounded[~scan.usable] += 0.5  # what no face uses joins nothing that one does
    places, number = merge_equal(rounded)
    if len(places) == len(scan.vertices):
        return scan, np.arange(len(places), dtype=np.int32)
    first = np.full(len(places), -1, dtype=np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    faces = number[scan.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    usable = used_vertices(faces, len(places)) if len(faces) else scan.usable[first]
    joined = replace(
        scan,
        vertices=scan.vertices[first],
        faces=faces,
        colours=None if scan.colours is None else scan.colours[first],
        normals=None if scan.normals is None else scan.normals[first],
        usable=usable,
    )
    return joined, number
