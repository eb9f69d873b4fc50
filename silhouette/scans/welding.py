"""SCAN: vertices in one place become one, so that a surface hangs together that its file stores in pieces.

STL stores three vertices for each triangle. Where a picture has a seam, and where an app writes a scan in chunks,
glTF stores what is one vertex several times. Steps that go from neighbour to neighbour need them joined.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from silhouette.common.geometry import Integers, components
from silhouette.meshes.health import boundary, extremes, used_vertices
from silhouette.meshes.mesh import merge_equal
from silhouette.scans.reading import Scan

STEP = 2.0**-20
"""The share of the scan's extent within which places are one: a millionth, 0.6 micrometres on a table.

Coordinates of 32 bits, moved by the transforms of several nodes, differ by less. Scans tell nothing so fine apart."""

APART = 0.1
"""The share of the median edge within which the rims of two patches are one line.

Draco stores each chunk of a surface on a grid of its own, of 11 to 14 bits, so that chunks meet only nearly. A scan
shows nothing that is a tenth as large as its triangles."""

KEPT = 0.9
"""The least share of the triangles that is left: where sewing takes more than the slivers along rims, the patches are
no chunks of one surface."""

_NEIGHBOURS = 4
"""The neighbours of a vertex on a rim that are looked at: itself, one of each patch where three meet, and one to
spare."""


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
    number = merge_equal(rounded)[1]
    joined = _joined(scan, number)
    if len(joined.faces) == 0:
        return joined, number
    patch = components(_edges(scan.faces), len(scan.vertices))[_first(number)]
    sewn = None if (patch[joined.usable] == patch[joined.usable][0]).all() else _sewn(joined, patch)
    stitched = joined if sewn is None else _joined(joined, sewn)
    if sewn is None or len(stitched.faces) < KEPT * len(joined.faces):
        return joined, number
    return stitched, sewn[number]


def _joined(scan: Scan, number: NDArray[np.int32]) -> Scan:
    """The scan with those vertices as one that have one number; numbers are in the order in which they come first."""
    first = _first(number)
    count = len(first)
    if count == len(number):
        return scan
    faces = number[scan.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    return replace(
        scan,
        vertices=scan.vertices[first],
        faces=faces,
        colours=None if scan.colours is None else scan.colours[first],
        normals=None if scan.normals is None else scan.normals[first],
        usable=used_vertices(faces, count) if len(faces) else scan.usable[first],
    )


def _first(number: NDArray[np.int32]) -> NDArray[np.int64]:
    """The first vertex of each number."""
    first = np.full(int(number.max()) + 1, -1, dtype=np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    return first


def _edges(faces: Integers) -> NDArray[np.int64]:
    """Two edges of each face: enough to hold it together."""
    edges: NDArray[np.int64] = np.concatenate([faces[:, :2], faces[:, 1:]]).astype(np.int64)
    return edges


def _sewn(scan: Scan, patch: NDArray[np.int64]) -> NDArray[np.int32] | None:
    """For each vertex which one it becomes where the rims of patches that nearly meet are joined; None where none do.

    Vertices (n,) of one ``patch`` hang together in the file; so they are apart because they should be.

    patch 1  \\ |  patch 2           each vertex of a rim, and those of other patches that are
              o|o                    nearer to it than a tenth of an edge, become one
    ---------/ |-------
    """
    count = len(scan.vertices)
    rim = np.unique(boundary(scan.faces, count))
    if len(rim) == 0:
        return None
    ends = scan.vertices[scan.faces[:, :2]]
    reach = APART * float(np.median(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)))
    tree = cKDTree(scan.vertices[rim])
    distance, near = tree.query(scan.vertices[rim], k=min(_NEIGHBOURS, len(rim)), distance_upper_bound=reach)
    distance, near = distance.reshape(len(rim), -1), near.reshape(len(rim), -1)
    row, column = np.nonzero(np.isfinite(distance))
    pairs = np.column_stack([rim[row], rim[near[row, column]]])
    pairs = pairs[patch[pairs[:, 0]] != patch[pairs[:, 1]]]
    if len(pairs) == 0:
        return None
    return np.unique(components(pairs, count), return_inverse=True)[1].astype(np.int32)
