"""Polygons become triangles that cover exactly them, where a plain fan of triangles would cover their notches too."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Floats
from silhouette.meshes.formats.base import Refused

Indices = NDArray[np.int64]


def fan(corners: list[str]) -> list[str]:
    """The words of a polygon's corners as the words of triangles, all of which start at its first corner.

    >>> fan(["1", "2", "3", "4"])
    ['1 2 3', '1 3 4']
    """
    return [f"{corners[0]} {second} {third}" for second, third in itertools.pairwise(corners[1:])]


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


def mended(vertices: Floats, triangles: NDArray[Any], origin: Indices) -> Indices:
    """The triangles (t, 3) of fans, and of cut ears where a fan folds back over itself.

    A fan that folds back would cover the notch of a concave polygon, such as the window in a wall.

    Args:
        vertices: (n, 3).
        triangles: (t, 3) fans, polygon by polygon; where they point past the vertices, nothing is mended.
        origin: (t,) the polygon of each.

    Raises:
        Refused: where the triangles are not as many as they should be.

    >>> dart = np.array([[0.0, 0, 0], [4, 0, 0], [1, 1, 0], [0, 4, 0]])
    >>> mended(dart, np.array([[1, 2, 3], [1, 3, 0]]), np.array([0, 0])).tolist()
    [[0, 1, 2], [2, 3, 0]]
    """
    if triangles.shape != (len(origin), 3):
        raise Refused(f"is malformed: of the {len(origin)} triangles of its faces only {len(triangles)} can be read")
    with np.errstate(invalid="ignore"):  # what is no number points nowhere, and is refused for that
        triangles = triangles.astype(np.int64)
    if len(triangles) and triangles.min() >= 0 and triangles.max() < len(vertices):
        for polygon in _folded(vertices, triangles, origin):
            rows = slice(*np.searchsorted(origin, [polygon, polygon + 1]))
            outline = np.append(triangles[rows][0], triangles[rows][1:, 2])
            triangles[rows] = outline[_cut_ears(vertices[outline])]
    return triangles


def _folded(vertices: Floats, triangles: Indices, origin: Indices) -> list[int]:
    """The polygons that have triangles turned against their whole."""
    shared = np.zeros(len(origin), dtype=np.bool_)
    shared[1:] = origin[1:] == origin[:-1]
    shared[:-1] |= shared[1:]
    a, b, c = (vertices[triangles[shared, corner]] for corner in range(3))
    number = np.unique(origin[shared], return_inverse=True)[1]
    with np.errstate(invalid="ignore", over="ignore"):
        normals = np.cross(b - a, c - a)
        whole = np.stack([np.bincount(number, normals[:, axis]) for axis in range(3)], axis=1)[number]
        against = (normals * whole).sum(axis=1) < -1e-9 * (whole * whole).sum(axis=1)
    polygons: list[int] = np.unique(origin[shared][against]).tolist()
    return polygons


def _cut_ears(points: Floats) -> list[tuple[int, int, int]]:
    """Triangles over the corners of one simple polygon (k, 3): an ear is a convex corner with no other inside it."""
    from_first = points - points[0]
    normal = np.cross(from_first, np.roll(from_first, -1, axis=0)).sum(axis=0)
    drop = int(np.argmax(np.abs(normal)))
    flat = np.delete(points, drop, axis=1)
    sign = np.sign(normal[drop]) * (-1.0 if drop == 1 else 1.0) or 1.0
    left = list(range(len(points)))
    triangles: list[tuple[int, int, int]] = []
    while len(left) > 3:
        ear = next((place for place in range(len(left)) if _is_ear(flat, sign, left, place)), 0)
        triangles.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    triangles.append((left[0], left[1], left[2]))
    return triangles


def _is_ear(flat: Floats, sign: float, left: list[int], place: int) -> bool:
    a, b, c = (flat[left[(place + step) % len(left)]] for step in (-1, 0, 1))

    def side(start: Floats, end: Floats, points: Floats) -> Floats:
        run, rise = end - start, points - start
        across: Floats = sign * (run[0] * rise[..., 1] - run[1] * rise[..., 0])
        return across

    if side(a, b, c) <= 0.0:
        return False
    others = [corner for corner in left if not any(np.array_equal(flat[corner], point) for point in (a, b, c))]
    if not others:
        return True
    points = flat[others]
    inside = (side(a, b, points) >= 0) & (side(b, c, points) >= 0) & (side(c, a, points) >= 0)
    return not inside.any()
