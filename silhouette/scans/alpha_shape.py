"""SCAN: a surface through a cloud of points, where the scan has no triangles.

After alpha shapes (H. Edelsbrunner and E. P. Muecke, "Three-dimensional alpha shapes", 1994): of the triangles in the
Delaunay triangulation of the points those are kept whose circumscribed circle has no more than some radius, so that a
ball of that radius does not fall through between them. Those inside a thick crust of noisy points are left out: both
tetrahedra beside them are small too.
"""

from __future__ import annotations

import numpy as np
import scipy

from silhouette.common.geometry import Floats, Integers

_OPPOSITE = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
"""The corners of a tetrahedron's faces, each opposite one corner."""


def alpha_shape(points: Floats, radius: float) -> Integers:
    """Triangles (m, 3) int32, rows of points, of the surface over which a ball of some radius rolls.

    None where there are too few points, or all lie in one plane.

    Args:
        points: (n, 3) mm.
        radius: mm, of the ball: larger than gaps between neighbouring points, smaller than openings to be kept.

    >>> corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(alpha_shape(corners, radius=2.0)), len(alpha_shape(corners, radius=0.1)), len(alpha_shape(corners[:3], 1.0))
    (4, 0, 0)
    """

    none = np.empty((0, 3), dtype=np.int32)
    if len(points) < 4:
        return none
    try:
        tetrahedra = scipy.spatial.Delaunay(points).simplices.astype(np.int64)
    except scipy.spatial.QhullError:
        return none
    is_body = np.repeat(_balls(points[tetrahedra]) <= radius, 4)
    faces = np.sort(tetrahedra[:, _OPPOSITE].reshape(-1, 3), axis=1)
    key = (faces[:, 0] * len(points) + faces[:, 1]) * len(points) + faces[:, 2]
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    faces = faces[first]
    inner = np.bincount(number, is_body) == 2
    kept: Integers = faces[~inner & (_circles(points[faces]) <= radius)].astype(np.int32)
    return kept


def _circles(corners: Floats) -> Floats:
    """The radii (n,) of the circles through the corners (n, 3, 3) of triangles; infinite for flat ones."""
    a, b, c = (np.linalg.norm(corners[:, k] - corners[:, k - 1], axis=1) for k in range(3))
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        radii: Floats = a * b * c / (2.0 * area)
    radii[~np.isfinite(radii)] = np.inf
    return radii


def _balls(corners: Floats) -> Floats:
    """The radii (n,) of the balls through the corners (n, 4, 3) of tetrahedra; infinite for flat ones."""
    sides = corners[:, 1:] - corners[:, :1]
    squares = (sides**2).sum(axis=2)
    across = (
        squares[:, 0, None] * np.cross(sides[:, 1], sides[:, 2])
        + squares[:, 1, None] * np.cross(sides[:, 2], sides[:, 0])
        + squares[:, 2, None] * np.cross(sides[:, 0], sides[:, 1])
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        radii: Floats = np.linalg.norm(across, axis=1) / (2.0 * np.abs(np.linalg.det(sides)))
    radii[~np.isfinite(radii)] = np.inf
    return radii
