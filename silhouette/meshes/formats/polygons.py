"""Polygons become triangles that cover exactly them, where a plain fan of triangles would cover their notches too."""

from __future__ import annotations

from typing import Any

import mapbox_earcut
import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats
from silhouette.meshes.formats.base import MeshRefused

Indices = NDArray[np.int64]

MAX_CONCAVE_CORNERS = 20_000
"""Corners of one concave face; of several, the squares of their numbers count together, for so does the time."""
MAX_CONCAVE_FACES = 50_000  # concave faces of five corners or more


def fans(corners: Indices, lengths: Indices) -> Indices:
    """The triangles (t, 3) of polygons, given all their corners one after the other and how many each has.

    >>> fans(np.array([7, 8, 9, 1, 2, 3, 4, 5, 6]), np.array([3, 4, 2])).tolist()
    [[7, 8, 9], [1, 2, 3], [1, 3, 4]]
    """
    origin = origins(lengths)
    start = (np.cumsum(lengths) - lengths)[origin]
    step = np.arange(len(origin)) - np.searchsorted(origin, origin)
    return np.stack([corners[start], corners[start + step + 1], corners[start + step + 2]], axis=1)


def origins(lengths: Indices) -> Indices:
    """For each triangle (t,) of the fans of polygons, the polygon that it is of."""
    return np.repeat(np.arange(len(lengths)), np.maximum(lengths - 2, 0))


def triangulated(vertices: Floats, corners: NDArray[Any], lengths: Indices) -> Indices:
    """The triangles (t, 3) of polygons, given all their corners one after the other and how many each has."""
    return mended(vertices, fans(corners, lengths), origins(lengths))


def mended(vertices: Floats, triangles: NDArray[Any], origin: Indices) -> Indices:
    """The triangles (t, 3) of fans, and of cut ears where a fan folds back over itself, given the polygon (t,) of each.

    A fan that folds back would cover the notch of a concave polygon, such as the window in a wall. Where fans point
    past the vertices (n, 3), nothing is mended.

    >>> dart = np.array([[0.0, 0, 0], [4, 0, 0], [1, 1, 0], [0, 4, 0]])
    >>> mended(dart, np.array([[1, 2, 3], [1, 3, 0]]), np.array([0, 0])).tolist()
    [[2, 3, 0], [2, 0, 1]]
    """
    if triangles.shape != (len(origin), 3):
        raise MeshRefused(
            f"is malformed: of the {len(origin)} triangles of its faces only {len(triangles)} can be read"
        )
    with np.errstate(invalid="ignore"):  # what is no number points nowhere, and is refused for that
        triangles = triangles.astype(np.int64)
    if len(triangles) and triangles.min() >= 0 and triangles.max() < len(vertices):
        folded = _folded(vertices, triangles, origin)
        start, end = np.searchsorted(origin, folded), np.searchsorted(origin, folded, side="right")
        # A quad has two fans: where the one from its first corner folds, the one from its second does not.
        #
        #     3.            3.
        #     |\ ' .        | '.
        #     | \   ' .     |   '2.       left: the fan from corner 0 covers the notch twice
        #     |  '2--__ '.  |  .' '--__
        #     0---------1   0'---------1
        quads = start[end - start == 2]
        outline = np.column_stack([triangles[quads], triangles[quads + 1, 2]])
        triangles[quads], triangles[quads + 1] = outline[:, [1, 2, 3]], outline[:, [1, 3, 0]]
        _mend_large(vertices, triangles, start[end - start > 2], end[end - start > 2])
    return triangles


def _mend_large(vertices: Floats, triangles: Indices, start: Indices, end: Indices) -> None:
    """Cuts the ears of polygons of five and more corners, in place; ``start`` and ``end`` are of their triangles."""
    if len(start) > MAX_CONCAVE_FACES:
        raise MeshRefused(f"has {len(start)} concave faces of five corners or more; export it as triangles")
    corners = (end - start + 2).astype(np.float64)
    if (corners**2).sum() > MAX_CONCAVE_CORNERS**2:
        many = (
            f"{len(corners)} concave faces of up to {corners.max():.0f} corners"
            if len(corners) > 1
            else (f"a concave face of {corners[0]:.0f} corners")
        )
        raise MeshRefused(f"has {many}, too many to be cut into triangles here; export it as triangles")
    for first, last in zip(start.tolist(), end.tolist(), strict=True):
        rows = triangles[first:last]
        outline = np.append(rows[0], rows[1:, 2])
        triangles[first:last] = outline[_cut_ears(vertices[outline])]


def _folded(vertices: Floats, triangles: Indices, origin: Indices) -> Indices:
    shared = np.zeros(len(origin), dtype=np.bool_)
    shared[1:] = origin[1:] == origin[:-1]
    shared[:-1] |= shared[1:]
    a, b, c = (vertices[triangles[shared, corner]] for corner in range(3))
    number = np.unique(origin[shared], return_inverse=True)[1]
    with np.errstate(invalid="ignore", over="ignore"):
        normals = np.cross(b - a, c - a)
        whole = np.stack([np.bincount(number, normals[:, axis]) for axis in range(3)], axis=1)[number]
        against = (normals * whole).sum(axis=1) < -1e-9 * (whole * whole).sum(axis=1)
    polygons: Indices = np.unique(origin[shared][against])
    return polygons


def _cut_ears(points: Floats) -> Indices:
    """The triangles (k - 2, 3) over the corners of one polygon (k, 3), turned as it is; some may have no area."""
    from_first = points - points[0]
    normal = np.cross(from_first, np.roll(from_first, -1, axis=0)).sum(axis=0)
    drop = int(np.argmax(np.abs(normal)))
    flat = np.ascontiguousarray(np.delete(points, drop, axis=1))
    count = len(points)
    cut = mapbox_earcut.triangulate_float64(flat, np.array([count], dtype=np.uint32)).reshape(-1, 3).astype(np.int64)
    a, b, c = (flat[cut[:, corner]] for corner in range(3))
    (ab_x, ab_y), (ac_x, ac_y) = (b - a).T, (c - a).T
    area = float((ab_x * ac_y - ab_y * ac_x).sum()) * (-1.0 if drop == 1 else 1.0)
    if area * normal[drop] < 0.0:
        cut = cut[:, ::-1]
    # Corners in the middle of a straight edge are left out by the ear cutter. Triangles without area join them to the
    # edge, so that the neighbour that has the corner too leaves no gap; what is left of the rows stays without area.
    left_out = np.setdiff1d(np.arange(count), cut)
    used = np.setdiff1d(np.arange(count), left_out)
    before = used[np.searchsorted(used, left_out) - 1] if len(used) else left_out
    slivers = np.column_stack([before, left_out, (left_out + 1) % count])
    whole = np.zeros((count - 2, 3), dtype=np.int64)
    rows = np.concatenate([cut, slivers])[: count - 2]
    whole[: len(rows)] = rows
    return whole
