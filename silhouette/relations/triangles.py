"""RELATE: segments and triangles, many pairs at once: how far apart, and where they are nearest. numpy, float64."""

from __future__ import annotations

import numpy as np

from silhouette.geometry import Flags, Floats

PARALLEL = 1e-24
"""The square of the sine of an angle below which two lines count as parallel."""


def nearest_of_triangles(starts: Floats, ends: Floats, corners: Floats) -> tuple[Floats, Floats]:
    """How far (n,) segments are from triangles, mm, and the points (n, 3) of the triangles that are nearest to them.

    Segments and triangles may be without length or area. The distance is 0 where they meet.

    Args:
        starts, ends: (n, 3) of the segments.
        corners: (n, 3, 3) of the triangles.

    >>> triangle = np.array([[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]])
    >>> nearest_of_triangles(np.array([[1.0, 1.0, 2.0]]), np.array([[9.0, 9.0, 9.0]]), triangle)
    (array([2.]), array([[1., 1., 0.]]))
    >>> nearest_of_triangles(np.array([[1.0, 1.0, 2.0]]), np.array([[1.0, 1.0, -2.0]]), triangle)[0].tolist()
    [0.0]
    """
    best, point = np.full(len(starts), np.inf), np.empty((len(starts), 3))
    along = ends - starts
    for corner in range(3):
        origin = corners[:, corner]
        edge = corners[:, (corner + 1) % 3] - origin
        on_segment, on_edge = nearest_of_segments(starts, along, origin, edge)
        there = origin + on_edge[:, None] * edge
        apart = starts + on_segment[:, None] * along - there
        _keep_nearer(best, point, _dot(apart, apart), there)
    first = corners[:, 0]
    sides = corners[:, 1] - first, corners[:, 2] - first
    normal = _cross(*sides)
    square = _dot(normal, normal)
    heights = _dot(starts - first, normal), _dot(ends - first, normal)
    with np.errstate(divide="ignore", invalid="ignore"):
        for end, height in zip((starts, ends), heights, strict=True):
            foot = end - (height / square)[:, None] * normal
            square_height = np.where(_is_inside(foot - first, *sides, normal), height * height / square, np.inf)
            _keep_nearer(best, point, square_height, foot)
        crossing = starts + (heights[0] / (heights[0] - heights[1]))[:, None] * along
        crosses = (heights[0] * heights[1] < 0.0) & _is_inside(crossing - first, *sides, normal)
    best[crosses], point[crosses] = 0.0, crossing[crosses]
    return np.sqrt(best), point


def nearest_of_segments(starts: Floats, along: Floats, others: Floats, edges: Floats) -> tuple[Floats, Floats]:
    """Where, from 0 to 1 (n,), segments are nearest to other segments, on both; given by starts and ways (n, 3).

    >>> x, y = np.array([[4.0, 0.0, 0.0]]), np.array([[0.0, 4.0, 0.0]])
    >>> nearest_of_segments(-x / 2, x, np.array([[1.0, 1.0, 3.0]]), y)
    (array([0.75]), array([0.]))
    """
    apart = others - starts
    cross = _cross(along, edges)
    sine = _dot(cross, cross)
    lengths, others_lengths = _dot(along, along), _dot(edges, edges)
    is_skew = sine > PARALLEL * lengths * others_lengths
    first = np.divide(_dot(_cross(apart, edges), cross), sine, out=np.zeros(len(starts)), where=is_skew).clip(0, 1)
    second = _on(first[:, None] * along - apart, edges, others_lengths)
    first = _on(apart + second[:, None] * edges, along, lengths)
    return first, _on(first[:, None] * along - apart, edges, others_lengths)


def _on(points: Floats, ways: Floats, squares: Floats) -> Floats:
    """Where, from 0 to 1 (n,), segments from the origin along ways (n, 3) are nearest to points (n, 3)."""
    there = np.divide(_dot(points, ways), squares, out=np.zeros(len(points)), where=squares > 0.0)
    return np.clip(there, 0.0, 1.0)


def _is_inside(points: Floats, side: Floats, other: Floats, normal: Floats) -> Flags:
    """(n,) whether points (n, 3) of a triangle's plane, seen from its first corner, lie in it."""
    first = _dot(_cross(points, other), normal)
    second = _dot(_cross(side, points), normal)
    inside: Flags = (first >= 0.0) & (second >= 0.0) & (first + second <= _dot(normal, normal))
    return inside


def _keep_nearer(best: Floats, point: Floats, squares: Floats, points: Floats) -> None:
    """Writes the points that are nearer than the best so far into it."""
    nearer = squares < best
    best[nearer], point[nearer] = squares[nearer], points[nearer]


def _dot(first: Floats, second: Floats) -> Floats:
    products: Floats = np.einsum("ij,ij->i", first, second)
    return products


def _cross(first: Floats, second: Floats) -> Floats:
    """(n, 3) the cross products of vectors (n, 3), as `np.cross` has them, whose moving of axes takes longer."""
    found = np.empty_like(first)
    for axis in range(3):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        found[:, axis] = first[:, one] * second[:, other] - first[:, other] * second[:, one]
    return found
