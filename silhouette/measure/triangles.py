"""COUNT: triangles in picture coordinates: their bounds, which way they run, and what planes cut off from them."""

from __future__ import annotations

from functools import reduce

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.meshes.clusters import Indices

FEW_VALUES = 8  # values are compared one after the other, more at once


def least_of(values: Floats) -> Floats:
    """(...) the least of values (..., k): of few each, one after the other, which takes a fraction of numpy's time."""
    least: Floats = (
        reduce(np.minimum, np.moveaxis(values, -1, 0)) if values.shape[-1] <= FEW_VALUES else values.min(axis=-1)
    )
    return least


def greatest_of(values: Floats) -> Floats:
    """(...) the greatest of values (..., k); see `least_of`."""
    greatest: Floats = (
        reduce(np.maximum, np.moveaxis(values, -1, 0)) if values.shape[-1] <= FEW_VALUES else values.max(axis=-1)
    )
    return greatest


def boxes_of(points: Floats) -> Floats:
    """(4, m) the least and the greatest column, the least and the greatest row of m hulls of points (3, m, k)."""
    places = points[:2] / points[2]
    return np.stack([least_of(places), greatest_of(places)], axis=1).reshape(4, -1)


def clipped(triangles: Floats, plane: Floats, least: float) -> Floats:
    """(3, k, 3) triangles that cover what of triangles (3, m, 3) lies where ``plane @ p >= least``, edge by edge.

    >>> triangle = np.array([[[0.0, 2.0, 0.0]], [[0.0, 0.0, 2.0]], [[1.0, 1.0, 1.0]]])
    >>> [clipped(triangle, np.array([1.0, 0.0, 0.0]), least).shape[1] for least in (0.0, 1.0, 3.0)]
    [1, 1, 0]
    """
    return cut(triangles, np.tensordot(plane, triangles, 1) - least)[0]


def cut(triangles: Floats, beyond: Floats) -> tuple[Floats, Indices]:
    """(3, k, 3) triangles that cover what of triangles (3, m, 3) lies where a value is 0 or more; (k,) of which each.

    The value is linear within each, and given at its corners, (m, 3).
    """
    is_inside = beyond >= 0.0
    count = is_inside.sum(axis=1)
    uncut, some = np.flatnonzero(count == 3), np.flatnonzero((count == 1) | (count == 2))
    if not len(some):
        return triangles[:, uncut], uncut
    points, is_inside, beyond, rows = triangles[:, some], is_inside[some], beyond[some], np.arange(len(some))
    # The corner that lies alone on its side, and the two others in the direction of the triangle.
    lone = np.where(count[some] == 1, is_inside.argmax(axis=1), (~is_inside).argmax(axis=1))
    tip, first, second = (points[:, rows, (lone + turn) % 3] for turn in range(3))
    share = beyond[rows, lone] / (beyond[rows, lone] - np.stack([beyond[rows, (lone + turn) % 3] for turn in (1, 2)]))
    to_first, to_second = tip + share[0] * (first - tip), tip + share[1] * (second - tip)
    is_tip = is_inside[rows, lone]
    pieces = [
        np.stack([corner[:, which] for corner in corners], axis=2)
        for corners, which in (
            ((tip, to_first, to_second), is_tip),
            ((to_first, first, second), ~is_tip),
            ((to_first, second, to_second), ~is_tip),
        )
    ]
    return (
        np.concatenate([triangles[:, uncut], *pieces], axis=1),
        np.concatenate([uncut, some[is_tip], some[~is_tip], some[~is_tip]]),
    )


def turned_alike(triangles: Floats, area: float = 1.0) -> Floats:
    """Triangles (3, m, 3), in picture coordinates, the areas of whose pictures have the sign of ``area``."""
    x, y = triangles[:2] / triangles[2]
    turning = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0])
    return np.where((turning * area < 0.0)[:, None], triangles[..., ::-1], triangles)


def places_of(triangles: Floats) -> Floats:
    """(m, 3, 2) column and row of the corners of triangles (3, m, 3), all of which then run alike."""
    turned = turned_alike(triangles)
    places: Floats = (turned[:2] / turned[2]).transpose(1, 2, 0)
    return places


def products(planes: Floats, triangles: Floats) -> Floats:
    """(m, 3) of planes (3, m) with the corners of triangles (3, m, 3), each with its own."""
    first, second, third = planes[:, :, None] * triangles
    dots: Floats = first + second + third
    return dots


def sides_of(triangles: Floats) -> Floats:
    """(3, 3, m) for each side of triangles (3, m, 3) the plane through it and the eye, above 0 inside.

    >>> triangle = np.array([[[0.0, 2.0, 0.0]], [[0.0, 0.0, 2.0]], [[1.0, 1.0, 1.0]]])
    >>> [products(side, triangle / 2.0).tolist() for side in sides_of(triangle)]
    [[[2.0, 0.0, 0.0]], [[0.0, 2.0, 0.0]], [[0.0, 0.0, 2.0]]]
    """
    sides = np.cross(np.roll(triangles, 1, axis=2), np.roll(triangles, 2, axis=2), axis=0)
    planes: Floats = (sides * np.sign((sides * triangles).sum(axis=0))).transpose(2, 0, 1)
    return planes


def may_meet(triangles: Floats, others: Floats) -> Flags:
    """(m,) whether each of triangles (3, m, 3) may lie over the other in the picture: no side of either parts them."""
    meeting = np.ones(triangles.shape[1], np.bool_)
    for first, second in ((triangles, others), (others, triangles)):
        for side in sides_of(first):
            meeting &= greatest_of(products(side, second)) > 0.0
    return meeting
