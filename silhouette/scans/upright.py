"""SCAN: how a thing without a table stands: the flat foot, or the feet, on which it would not tip over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from silhouette.common.geometry import Floats
from silhouette.scans.surfels import Surfels

TOUCH = 0.012
"""How far from a side of the hull a point touches it, as a share of the thing's size: a frayed rim of 1 mm of 80."""

LEAST = 0.12
"""The least area of a foot as a share of the thing's shadow on the ground: on less it would not have been stood, and a
ball has 0.05 (what lies within `TOUCH` of the ground it touches)."""

LEAN = float(np.cos(np.radians(25.0)))
"""Cosine of the angle up to which a foot's normal is the file's upright: phones and people are nearer than that."""

CLEARLY = 1.5  # how many times larger than the next a foot must be to be taken without the file's upright agreeing


@dataclass(frozen=True, eq=False)
class Foot:
    """A side on which a thing can stand."""

    normal: Floats  # (3,) float64 unit vector, up
    offset: float  # of the ground along it
    share: float  # area of what touches the ground, filled up to its convex outline, by that of the thing's shadow


def foot_of(surfels: Surfels, up: Floats) -> Foot | None:
    """What a thing stands on, or None where it could stand on several sides or on none.

    Of the sides of the convex hull on which it would not tip over (its middle is over what touches the ground) the one
    nearest to the file's upright is taken, if it is near; else the largest, if it is by far.
    """
    points = surfels.points
    low, high = np.percentile(points, [0.1, 99.9], axis=0)
    size = float(np.linalg.norm(high - low))
    points = points[((points > low - 0.05 * size) & (points < high + 0.05 * size)).all(axis=1)]
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return None
    corners, middle = points[hull.vertices], points.mean(axis=0)
    samples = surfels.samples[
        ((surfels.samples > low - 0.05 * size) & (surfels.samples < high + 0.05 * size)).all(axis=1)
    ]
    feet = [
        foot
        for normal in _sides(hull)
        if (foot := _foot_below(samples, corners, middle, normal, TOUCH * size)) is not None
    ]
    feet = [foot for foot in feet if foot.share >= LEAST]
    if not feet:
        return None
    lean = [foot for foot in feet if foot.normal @ up > LEAN]
    if lean:
        return max(lean, key=lambda foot: foot.share * foot.normal @ up)
    feet = sorted((foot for foot in feet if foot.normal @ up > -0.5), key=lambda foot: -foot.share)
    if not feet:
        return None  # files lie on a side more often than on their heads
    apart = [foot for foot in feet if foot.normal @ feet[0].normal < LEAN]
    return feet[0] if not apart or feet[0].share > CLEARLY * apart[0].share else None


def _sides(hull: ConvexHull) -> Floats:
    """(k, 3) the upward normals of the hull's sides: triangles within a few degrees of one plane together."""
    corners = hull.points[hull.simplices]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    normals = -hull.equations[:, :3]
    sides = []
    left = area.copy()
    for _ in range(24):
        k = int(np.argmax(left))
        if left[k] < 1e-3 * area.sum():
            break
        near = normals @ normals[k] > np.cos(np.radians(6.0))
        mean = (area[near, None] * normals[near]).sum(axis=0)
        sides.append(mean / np.linalg.norm(mean))
        left[near] = 0.0
    return np.array(sides).reshape(-1, 3)


def _foot_below(points: Floats, corners: Floats, middle: Floats, normal: Floats, touch: float) -> Foot | None:
    """The foot on the side that faces against a normal, fitted to what touches; None where the thing would tip over."""
    offset = float((corners @ normal).min())
    # A side of the hull is found within a few degrees: the feet lie within so much of it.
    points = points[np.abs(points @ normal - offset) < 6 * touch]
    for _ in range(4):
        near = points[points @ normal - offset < touch]
        axes = np.linalg.svd(np.eye(3) - np.outer(normal, normal))[0][:, :2].T
        lowest = near[_lowest(near @ axes.T, near @ normal, middle @ axes.T)]
        if len(lowest) < 3:
            return None
        fitted = _plane_through(lowest, normal)
        if fitted is None or fitted[0] @ normal < np.cos(np.radians(10.0)):
            return None
        normal, offset = fitted
    axes = np.linalg.svd(np.eye(3) - np.outer(normal, normal))[0][:, :2].T
    near = points[np.abs(points @ normal - offset) < touch]
    try:
        foot, shadow = ConvexHull(near @ axes.T), ConvexHull(corners @ axes.T)
    except (QhullError, ValueError):
        return None
    if (foot.equations[:, :2] @ (axes @ middle) + foot.equations[:, 2] > 0).any():
        return None
    return Foot(normal, offset, float(foot.volume / shadow.volume))


def _lowest(flat: Floats, height: Floats, middle: Floats) -> NDArray[np.int64]:
    """The lowest point in each of 72 sectors about the middle: the ground, not what lies within or rounds a rim."""
    away = flat - middle
    sector = np.floor((np.arctan2(away[:, 1], away[:, 0]) / (2 * np.pi) % 1.0) * 72)
    order = np.lexsort((height, sector))
    return order[np.unique(sector[order], return_index=True)[1]]


def _plane_through(points: Floats, normal: Floats) -> tuple[Floats, float] | None:
    """The plane near some points, those far from it left out by degrees (Tukey's weights)."""
    weight = np.ones(len(points))
    for _ in range(8):
        middle = (points * weight[:, None]).sum(axis=0) / weight.sum()
        spread = (points - middle) * np.sqrt(weight)[:, None]
        found = np.linalg.svd(spread, full_matrices=False)[2][-1]
        found = found if found @ normal > 0 else -found
        rest = (points - middle) @ found
        far = 4.685 * 1.4826 * float(np.median(np.abs(rest))) + 1e-12
        weight = np.maximum(0, 1 - (rest / far) ** 2) ** 2
        if weight.sum() < 3:
            return None
    return found, float(middle @ found)
