"""Polygons become triangles that cover them and nothing beside them, where trimesh's fans would cover their notches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from silhouette.formats.base import Refused
from silhouette.geometry import Floats

Indices = NDArray[np.int64]


def order_of_trimesh(lengths: Indices) -> Indices:
    """For each triangle that ``trimesh.geometry.triangulate_quads`` makes, the polygon it is of.

    It gives all triangles, then the first halves of all quads, then their second halves, then the fans of all others.

    >>> order_of_trimesh(np.array([5, 4, 3, 4])).tolist()
    [2, 1, 3, 1, 3, 0, 0, 0]
    """
    triangles, quads, others = (np.flatnonzero(chosen) for chosen in (lengths == 3, lengths == 4, lengths > 4))
    return np.concatenate([triangles, quads, quads, np.repeat(others, lengths[others] - 2)])


def mended(vertices: Floats, faces: Indices, lengths: Indices) -> tuple[Indices, Indices]:
    """The triangles (t, 3) that cover polygons, in the polygons' order, and for each (t,) the polygon it is of.

    A fan that folds back over itself covers the notch of a concave polygon, such as the window in a wall; there ears
    are cut instead.

    Args:
        vertices: (n, 3).
        faces: (t, 3) as `order_of_trimesh` orders them, or (m, k) where all polygons have k corners.
        lengths: (m,), how many corners each polygon has. Those of fewer than three give no triangle.

    Raises:
        Refused: where faces are not as many as lengths announce, or point past the vertices.

    >>> dart = np.array([[0.0, 0, 0], [4, 0, 0], [1, 1, 0], [0, 4, 0]])
    >>> mended(dart, np.array([[1, 2, 3, 0]]), np.array([4]))[0].tolist()
    [[0, 1, 2], [2, 3, 0]]
    """
    from trimesh.geometry import triangulate_quads

    if faces.ndim == 2 and faces.shape[1] > 3:
        faces = triangulate_quads(faces)
    origin = order_of_trimesh(lengths)
    if len(faces) != len(origin):
        raise Refused(f"is malformed: of the {len(origin)} triangles of its faces only {len(faces)} can be read")
    order = np.argsort(origin, kind="stable")
    triangles, origin = faces.reshape(-1, 3)[order].astype(np.int64), origin[order]
    if len(triangles) == 0 or triangles.min() < 0 or triangles.max() >= len(vertices):
        return triangles, origin  # to be refused with the faces of all formats
    for polygon in _folded(vertices, triangles, origin):
        fan = slice(*np.searchsorted(origin, [polygon, polygon + 1]))
        rows = triangles[fan]
        outline = np.append(rows[0], rows[1:, 1 if len(rows) == 2 else 2])
        triangles[fan] = outline[_cut_ears(vertices[outline])]
    return triangles, origin


def _folded(vertices: Floats, triangles: Indices, origin: Indices) -> list[int]:
    """The polygons that have triangles turned against their whole."""
    shared = np.zeros(len(origin), dtype=np.bool_)
    shared[1:] = origin[1:] == origin[:-1]
    shared[:-1] |= shared[1:]
    one, two, three = (vertices[triangles[shared, corner]] for corner in range(3))
    number = np.unique(origin[shared], return_inverse=True)[1]
    with np.errstate(invalid="ignore", over="ignore"):
        normals = np.cross(two - one, three - one)
        whole = np.stack([np.bincount(number, normals[:, axis]) for axis in range(3)], axis=1)[number]
        against = (normals * whole).sum(axis=1) < -1e-9 * (whole * whole).sum(axis=1)
    return np.unique(origin[shared][against]).tolist()


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
    one, two, three = (flat[left[(place + step) % len(left)]] for step in (-1, 0, 1))

    def side(start: Floats, end: Floats, points: Floats) -> Floats:
        run, rise = end - start, points - start
        across: Floats = sign * (run[0] * rise[..., 1] - run[1] * rise[..., 0])
        return across

    if side(one, two, three) <= 0.0:
        return False
    others = [corner for corner in left if not any(np.array_equal(flat[corner], point) for point in (one, two, three))]
    if not others:
        return True
    points = flat[others]
    inside = (side(one, two, points) >= 0) & (side(two, three, points) >= 0) & (side(three, one, points) >= 0)
    return not inside.any()
