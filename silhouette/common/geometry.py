"""The plain geometry that every later step shares: vectors, rigid poses, convex outlines in plan, and where segments
and triangles are nearest to each other.

Lengths are millimetres; `INCH` says how many one has. z is up, and angles are degrees anticlockwise from +x seen from
above. All of it is numpy but the convex outlines, which are shapely's.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from shapely import LineString, get_coordinates
from shapely.geometry.polygon import orient

from silhouette.common.lazy import own_bytes

INCH = 25.4  # mm, by definition since 1959

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Flags = NDArray[np.bool_]


@own_bytes.register
def _(value: np.ndarray) -> int:
    return value.nbytes


_CORNER_CHOICES = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)], dtype=np.bool_)


def turned(axes: Any, points: Any) -> Any:
    """``axes @ points`` for (3, 3) axes and (3, n) points, in the dtype of the points.

    Written out, because a library of linear algebra wakes its threads for it, which then keep other processes waiting.

    >>> turned(np.eye(3)[[1, 2, 0]], np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).tolist()
    [[3.0, 4.0], [5.0, 6.0], [1.0, 2.0]]
    """
    axes = np.asarray(axes, dtype=points.dtype)
    rows = [row[0] * points[0] + row[1] * points[1] + row[2] * points[2] for row in axes]
    return np.stack(rows)


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a model stands: turned by ``rotation``, then moved by ``translation``."""

    rotation: Floats  # (3, 3) float64, a proper rotation; its columns are the model's axes in the world
    translation: Floats  # (3,) float64, mm; where the model's origin comes to stand

    @classmethod
    def standing(cls, at: Any = (0.0, 0.0, 0.0), turn: float = 0.0) -> Pose:
        """The pose of a piece at ``at`` (x, y, z in mm), turned by ``turn`` degrees about its vertical.

        Quarter turns are exact, so that a wall turned by 90° still lies along an axis.

        >>> Pose.standing((10, 0, 0), turn=90).place([[1.0, 2.0, 3.0]]).tolist()
        [[8.0, 1.0, 3.0]]
        """
        cosine, sine = cosine_and_sine(turn)
        rotation = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
        return cls(rotation, np.asarray(at, dtype=np.float64))

    def place(self, points: Any) -> Floats:
        """Points (n, 3) of the model's frame, in the world's."""
        return np.asarray(points, dtype=np.float64) @ self.rotation.T + self.translation

    def localise(self, points: Any) -> Floats:
        """Points (n, 3) of the world's frame, in the model's: the inverse of `place`.

        >>> Pose.standing((10, 0, 0), turn=90).localise([[8.0, 1.0, 3.0]]).tolist()
        [[1.0, 2.0, 3.0]]
        """
        return (np.asarray(points, dtype=np.float64) - self.translation) @ self.rotation


def cosine_and_sine(degrees: float) -> tuple[float, float]:
    """Cosine and sine of an angle in degrees, exact at quarter turns.

    >>> cosine_and_sine(450), cosine_and_sine(-180)
    ((0.0, 1.0), (-1.0, 0.0))
    """
    quarter = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
    wrapped = degrees % 360.0
    if wrapped in quarter:
        return quarter[wrapped]
    angle = np.radians(wrapped)
    return float(np.cos(angle)), float(np.sin(angle))


def unit(vector: Any) -> Floats:
    """The vector (3,) scaled to length one.

    >>> unit([0, 0, 0])
    Traceback (most recent call last):
    ...
    ValueError: a zero vector has no direction
    """
    array = np.asarray(vector, dtype=np.float64)
    length = sqrt(array.dot(array))
    if length == 0.0:
        raise ValueError("a zero vector has no direction")
    return array / length


def spread(starts: Any, counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers start, start + 1, ... of each of several runs, one run after the other; and whose run each is of.

    >>> [part.tolist() for part in spread(np.array([7, 3, 5]), np.array([2, 0, 3]))]
    [[7, 8, 5, 6, 7], [0, 0, 2, 2, 2]]
    """
    owner = np.repeat(np.arange(len(counts)), counts)
    return np.arange(len(owner)) + (starts - (np.cumsum(counts) - counts))[owner], owner


def groups_of_equals(kinds: Sequence[Hashable]) -> list[list[int]]:
    """The numbers, ascending, of those of one kind each: what is of one shape can be worked out together.

    >>> groups_of_equals([8, 64, 8, 8]), groups_of_equals([])
    ([[0, 2, 3], [1]], [])
    """
    groups: dict[Hashable, list[int]] = {}
    for number, kind in enumerate(kinds):
        groups.setdefault(kind, []).append(number)
    return list(groups.values())


def components(edges: NDArray[Any], count: int) -> NDArray[np.int64]:
    """(count,) for each of so many numbers the least of all that edges (e, 2) connect it with.

    As fast as scipy's, without the time that importing it takes. Each round halves what is apart at least.

    >>> components(np.array([[1, 3], [4, 5], [5, 3]]), 7).tolist()
    [0, 1, 2, 1, 1, 1, 6]
    """
    first, second = edges.T
    least = np.arange(count)
    while True:
        own, other = least[first], least[second]
        apart = own != other
        if not apart.any():
            return least
        first, second, own, other = first[apart], second[apart], own[apart], other[apart]
        np.minimum.at(least, np.maximum(own, other), np.minimum(own, other))
        while (least[least] != least).any():
            least = least[least]


def corners(low: Any, high: Any) -> Floats:
    """The eight corners (8, 3) of the box from ``low`` to ``high``, both (3,); of n boxes (8 * n, 3), from two (n, 3).

    >>> corners([0, 0, 0], [1, 1, 1]).sum(axis=0).tolist()
    [4.0, 4.0, 4.0]
    """
    least, greatest = (np.asarray(end, dtype=np.float64)[..., None, :] for end in (low, high))
    eight: Floats = np.where(_CORNER_CHOICES, greatest, least).reshape(-1, 3)
    return eight


def swollen(points: Floats, by: float) -> Floats:
    """Points in whose convex hull everything lies that is within ``by`` mm of that of ``points`` (n, 3).

    These themselves where ``by`` is not above 0; else the corners (8, 3) of a box.

    >>> swollen(np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]]), 1.0).max(axis=0).tolist()
    [5.0, 1.0, 1.0]
    >>> swollen(np.array([[0.0, 0.0, 0.0]]), -1.0)
    array([[0., 0., 0.]])
    """
    return corners(points.min(axis=0) - by, points.max(axis=0) + by) if by > 0.0 else points


def convex_hull(points: Floats) -> Any:
    """shapely's convex hull of points (n, 2), n at least 1: a polygon; of points in one line a line, or a point.

    >>> convex_hull(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.5, 0.5]])).area, convex_hull(np.ones((1, 2))).wkt
    (2.0, 'POINT (1 1)')
    """
    # Of one line through all points: an object for each of them takes ten times as long.
    return LineString(np.concatenate([points, points[:1]])).convex_hull


def hull_outline(points: Floats) -> Floats:
    """(k, 2) the corners of the convex hull of points (n, 2), anticlockwise; of a line its ends, of a point that point.

    >>> hull_outline(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])).tolist()
    [[0.0, 0.0], [2.0, 2.0]]
    """
    hull = convex_hull(points)
    return polygon_outline(hull) if hull.geom_type == "Polygon" else get_coordinates(hull)


def polygon_outline(polygon: Any) -> Floats:
    """(k, 2) the corners of a polygon of shapely without holes, anticlockwise, the first one once."""
    outline: Floats = get_coordinates(orient(polygon))[:-1]
    return outline


# ---- the nearest places of segments and triangles in space

PARALLEL_SINE_SQUARED = 1e-24  # the square of the sine of an angle below which two lines count as parallel


def nearest_of_triangles(starts: Floats, ends: Floats, corners: Floats) -> tuple[Floats, Floats]:
    """How far (n,) segments are from triangles, mm, 0 where they meet, and the points (n, 3) of the triangles that are
    nearest to them. Segments and triangles may be without length or area.

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
    is_skew = sine > PARALLEL_SINE_SQUARED * lengths * others_lengths
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
    products = np.empty_like(first)
    for axis in range(3):
        after, other = (axis + 1) % 3, (axis + 2) % 3
        products[:, axis] = first[:, after] * second[:, other] - first[:, other] * second[:, after]
    return products
