"""Polygons of more than three corners become triangles that cover them, and nothing beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.formats.base import Refused
from silhouette.geometry import Floats

Indices = NDArray[np.int64]


def numbers(columns: Sequence[Sequence[str]], what: str) -> Floats:
    """Points as (n, 3) float64 from words: columns of equal lengths, three for x, y and z or several times three.

    >>> numbers([["1", "4"], ["2.5", "5"], ["-3e0", "6"]], "vertex line").tolist()
    [[1.0, 2.5, -3.0], [4.0, 5.0, 6.0]]
    """
    try:
        return np.array([np.fromiter(map(float, column), np.float64, len(column)) for column in columns]).T.reshape(
            -1, 3
        )
    except ValueError:
        raise Refused(f"is malformed: a {what} needs three numbers") from None


def first_three(rows: Sequence[str], what: str) -> Floats:
    """Points as (n, 3) float64 from rows of text, of which further words do not count.

    >>> first_three(["0 1 2", "3 4 5 0.5"], "vertex line").tolist()
    [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    """
    words = [word for row in rows for word in row.split(None, 3)[:3]]
    if len(words) != 3 * len(rows):
        raise Refused(f"is malformed: a {what} needs three numbers")
    return numbers([words[0::3], words[1::3], words[2::3]], what)


def triangulate(vertices: Floats, corners: NDArray[Any], lengths: NDArray[Any]) -> tuple[Indices, Indices]:
    """The triangles (t, 3) of polygons, and for each (t,) the polygon it is of.

    trimesh fans every polygon out from its first corner, which covers the notch of a concave one, such as the window
    in a wall. Only convex ones are fanned here; from others, ears are cut. A polygon of fewer than three corners
    gives none; indices past the vertices are passed on for others to refuse.

    Args:
        vertices: (n, 3).
        corners: the vertex indices of all polygons, one after the other.
        lengths: how many corners each polygon has.

    >>> dart = np.array([[0, 0, 0], [4, 0, 0], [1, 1, 0], [0, 4, 0]], dtype=float)
    >>> triangulate(dart, np.array([1, 2, 3, 0, 0, 1]), np.array([4, 2]))[0].tolist()
    [[0, 1, 2], [2, 3, 0]]
    """
    starts = np.cumsum(lengths) - lengths
    triangles = [np.empty((0, 3), np.int64)]
    origins = [np.empty(0, np.int64)]
    for length in np.unique(lengths):
        if length >= 3:
            chosen = np.flatnonzero(lengths == length)
            rows = corners[starts[chosen][:, None] + np.arange(length)].astype(np.int64)
            triangles.append(_cut_rows(vertices, rows))
            origins.append(np.repeat(chosen, length - 2))
    origin = np.concatenate(origins)
    order = np.argsort(origin, kind="stable")
    return np.concatenate(triangles)[order], origin[order]


def _cut_rows(vertices: Floats, corners: Indices) -> Indices:
    """The triangles (m * (k - 2), 3) of m polygons of k corners each, in their order."""
    rows, length = corners.shape
    if length == 3:
        return corners
    first = np.broadcast_to(corners[:, :1], (rows, length - 2))
    triangles = np.stack([first, corners[:, 1:-1], corners[:, 2:]], axis=2)
    if corners.min() >= 0 and corners.max() < len(vertices):
        for row in np.flatnonzero(~_convex(vertices[corners])):
            triangles[row] = corners[row][_cut_ears(vertices[corners[row]])]
    return triangles.reshape(-1, 3)


def _normals(points: Floats) -> Floats:
    """The area vectors (m, 3) of polygons (m, k, 3), by Newell's formula."""
    from_first = points - points[:, :1]
    normals: Floats = np.cross(from_first, np.roll(from_first, -1, axis=1)).sum(axis=1)
    return normals


def _turns(points: Floats) -> Floats:
    """For each corner (m, k) of polygons (m, k, 3), above zero where the outline turns the way it goes round."""
    ahead = np.roll(points, -1, axis=1) - points
    behind = points - np.roll(points, 1, axis=1)
    turns: Floats = np.einsum("mkc,mc->mk", np.cross(behind, ahead), _normals(points))
    return turns


def _convex(points: Floats) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore", over="ignore"):
        turns = _turns(points)
        slack = 1e-9 * np.abs(turns).max(axis=1, keepdims=True)
        convex: NDArray[np.bool_] = ~(turns < -slack).any(axis=1)
    return convex


def _cut_ears(points: Floats) -> list[tuple[int, int, int]]:
    """Triangles over the corners of one simple polygon (k, 3): an ear is a convex corner with no other inside it."""
    normal = _normals(points[None])[0]
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
