"""RELATE: segments and triangles, many pairs at once: how far apart, where they are nearest, and whether they meet.

All of it is numpy, in float64. Whether segments meet a mesh is asked of Embree, and if there is none, of the distances
to its triangles.
"""

from __future__ import annotations

import numpy as np

from silhouette.common.time_limit import go_on
from silhouette.geometry import Flags, Floats, Pose
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.embree import met_by_embree

# ---- segments and a mesh

TRIANGLE_PAIRS_AT_ONCE = 200_000
"""Pairs of a segment and a triangle that are looked at together where there is no Embree."""


def meets(mesh: Mesh, pose: Pose, segments: Floats) -> Flags:
    """(n,) whether segments (n, 2, 3) mm of the world meet a mesh that stands somewhere; in float32, so but for a hair.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> crate = solid(Solid(Box((2.0, 2.0, 2.0))))
    >>> past, through = [[-5.0, 0.0, 3.0], [5.0, 0.0, 3.0]], [[-5.0, 0.0, 1.0], [5.0, 0.0, 1.0]]
    >>> meets(crate, Pose.standing(), np.array([past, through])).tolist()
    [False, True]
    """
    go_on()
    starts, ends = (pose.localise(segments[:, end]) for end in (0, 1))
    low, high = mesh.bounds
    near = np.flatnonzero(_reach_box(starts, ends, low - 1e-3, high + 1e-3))
    met = np.zeros(len(segments), dtype=np.bool_)
    if len(near) == 0:
        return met
    found = met_by_embree(mesh, starts[near], ends[near])
    met[near] = _meets_slowly(mesh, starts[near], ends[near]) if found is None else found
    return met


def _reach_box(starts: Floats, ends: Floats, low: Floats, high: Floats) -> Flags:
    """(n,) whether segments may meet a box: no plane along its sides separates them."""
    overlap = (np.minimum(starts, ends) <= high) & (np.maximum(starts, ends) >= low)
    near: Flags = np.all(overlap, axis=1)
    return near


def _meets_slowly(mesh: Mesh, starts: Floats, ends: Floats) -> Flags:
    met = np.zeros(len(starts), dtype=np.bool_)
    triangles = mesh.vertices[mesh.faces]
    at_once = max(1, TRIANGLE_PAIRS_AT_ONCE // len(triangles))
    for first in range(0, len(starts), at_once):
        go_on()
        some = slice(first, first + at_once)
        count = len(starts[some])
        each, other = np.repeat(starts[some], len(triangles), axis=0), np.repeat(ends[some], len(triangles), axis=0)
        distance, _ = nearest_of_triangles(each, other, np.tile(triangles, (count, 1, 1)))
        met[some] = (distance.reshape(count, -1) == 0.0).any(axis=1)
    return met


# ---- distances

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
