"""SCAN: the large planes of a scan (table, floor, roofs, walls), and which of them is the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.spatial import ConvexHull, QhullError

from silhouette.common.geometry import Flags, Floats
from silhouette.scans.surfels import Surfels

PLANES = 10  # how many planes are looked for: a table, a floor, the walls of a room and a few roofs
SMALLEST = 0.012  # share of a scan's surface below which a plane is not looked at: a table of 600 mm in a room has more

BRIDGE = 0.35
"""Height, as a share of a plane's width, up to which what stands on it joins its parts; walls of a room are higher."""

NEAR = 0.6  # how far from a plane surfels may be that speak for it, in voxels
SAME = 0.94  # mean cosine of the angle between a plane and its surfels' normals below which it is none: 20 degrees

ALONG = 0.8
"""Cosine of the angle up to which a surfel's normal counts as the plane's: rough scans turn normals by 20 degrees."""


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane that much of the scan lies in: the points p with ``normal @ p == offset``."""

    normal: Floats  # (3,) float64 unit vector
    offset: float  # along the normal
    inliers: NDArray[np.bool_]  # (n,) bool, the surfels in it
    # (k, 3) float64, the convex outline of the largest part that hangs together: rows a, b, c with a x + b y + c <= 0
    # inside, x and y along `axes`; a and b have length 1
    hull: Floats
    axes: Floats  # (2, 3) float64, two directions in the plane
    things: Floats  # the heights of the separate things that stand on it, on the normal's side
    facing: float  # mean of the scan's own normals along this one, 1 where all agree and 0 where the scan has none
    middle: Floats  # (3,) float64, the mean of the inliers
    extent: float  # the square root of the area within the outline

    @property
    def area(self) -> int:
        """In surfels."""
        return int(self.inliers.sum())

    def covers(self, point: Floats, reach: float) -> bool:
        """Whether a point lies over or under the inside of the outline, or within a reach of it."""
        return bool((self.hull[:, :2] @ (self.axes @ point) + self.hull[:, 2] < reach).all())

    def beside(self, surfels: Surfels, others: Flags) -> tuple[int, int]:
        """How many surfels stand above and below the inside of the outline, some others left out."""
        height = surfels.points @ self.normal - self.offset
        flat = surfels.points @ self.axes.T
        inside = (flat @ self.hull[:, :2].T + self.hull[:, 2] < -2 * surfels.cell).all(axis=1) & ~others
        far = 2 * surfels.cell
        return int((inside & (height > far)).sum()), int((inside & (height < -far)).sum())

    def bears(self, surfels: Surfels) -> int:
        """How many separate things stand on it, by the vertices: surfels of a hall are coarser than figures.

        They rise a thirtieth of its width at least, as figures on a table do, and are no higher than what joins parts.
        """
        points = surfels.vertices
        inside = ((points @ self.axes.T) @ self.hull[:, :2].T + self.hull[:, 2] < -2 * surfels.spacing).all(axis=1)
        height = points @ self.normal - self.offset
        these = inside & (height > self.extent / 30) & (height < BRIDGE * self.extent)
        return len(_things(points[these] @ self.axes.T, height[these], max(self.extent / 200, surfels.spacing)))

    def things_among(self, surfels: Surfels, these: Flags) -> Floats:
        """The heights of the separate things that some of the surfels make, seen from above."""
        points = surfels.points[these]
        return _things(points @ self.axes.T, points @ self.normal - self.offset, surfels.cell)


def large_planes(surfels: Surfels, rng: np.random.Generator) -> list[Plane]:
    """The planes of a scan, the largest first, each with the side up on which more stands."""
    left = np.arange(len(surfels.points))
    found: list[Plane] = []
    while len(found) < PLANES and len(left) >= max(3, SMALLEST * len(surfels.points)):
        best = _best_plane(surfels, left, rng)
        if best is None:
            break
        normal, offset, near = best
        if near.sum() < max(3, SMALLEST * len(surfels.points)):
            break
        plane = seen_from(surfels, normal, offset)
        # A plane through the edges of stairs has surfels in it whose own normals differ from its.
        if plane is not None and np.abs(surfels.normals[plane.inliers] @ normal).mean() > SAME:
            found.append(plane)
        left = left[~near]
    return found


def _best_plane(
    surfels: Surfels, left: NDArray[np.int64], rng: np.random.Generator
) -> tuple[Floats, float, Flags] | None:
    """Random sample consensus (Fischler and Bolles 1981) with a local fit of the best (Chum and others 2003).

    Planes come from three surfels, which finds large ones exactly, and from one with its normal, which finds small
    ones. A surfel speaks for a plane that it is near to, with its normal along the plane's.
    """
    points, normals, cell, sided = surfels.points[left], surfels.normals[left], surfels.cell, surfels.sided
    three = rng.integers(0, len(left), (1500, 3))
    across = np.cross(points[three[:, 1]] - points[three[:, 0]], points[three[:, 2]] - points[three[:, 0]])
    length = np.linalg.norm(across, axis=1)
    across = across / np.maximum(length, 1e-300)[:, None]
    agree = (np.abs(np.einsum("tki,ti->tk", normals[three], across)) > ALONG).all(axis=1) & (length > 0)
    one = rng.integers(0, len(left), 500)
    tried = np.concatenate([across[agree], normals[one]])
    offsets = (tried * points[np.concatenate([three[agree, 0], one])]).sum(axis=1)

    some = rng.integers(0, len(left), min(2000, len(left)))
    far = np.abs(points[some] @ tried.T - offsets)
    votes = ((far < NEAR * cell) & (np.abs(normals[some] @ tried.T) > ALONG)).sum(axis=0)
    best: tuple[int, Floats, float, Flags] | None = None
    for k in np.argsort(-votes, kind="stable")[:8]:
        normal, offset = tried[k], float(offsets[k])
        for reach in (3.0, 2.0, 1.0, NEAR, NEAR):
            near = _alike(normals, normal, sided, np.abs(points @ normal - offset) < reach * cell)
            if near.sum() < 3:
                break
            middle = points[near].mean(axis=0)
            normal = np.linalg.eigh(np.cov((points[near] - middle).T))[1][:, 0]
            offset = float(normal @ middle)
        near = _alike(normals, normal, sided, np.abs(points @ normal - offset) < NEAR * cell)
        if best is None or near.sum() > best[0]:
            best = int(near.sum()), normal, offset, near
    if best is None:
        return None
    _, normal, offset, near = best
    # What is left of the same plane (rough parts, rims) goes with it, so that it is not found again.
    near |= np.abs(points @ normal - offset) < 1.5 * cell
    return normal, offset, near


def _alike(normals: Floats, normal: Floats, sided: bool, among: Flags) -> Flags:
    """Which surfels, among some, face along a normal or against it: of a closed board not both, but the more."""
    along = normals @ normal
    alike = (np.abs(along) > ALONG) & among
    if sided:
        alike &= np.sign(along) == (1.0 if (along[alike] > 0).sum() * 2 >= alike.sum() else -1.0)
    return np.asarray(alike)


def axes_in(normal: Floats) -> Floats:
    """Two directions (2, 3) that make a right-handed frame with a normal, the first nearest to the file's x."""
    seed = np.eye(3)[0 if abs(normal[0]) < 0.9 else 1]
    first = seed - (seed @ normal) * normal
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(normal, first)])


def seen_from(surfels: Surfels, normal: Floats, offset: float, *, keep_side: bool = False) -> Plane | None:
    """What lies in a plane and what stands on it; turned over where more stands on the other side, unless kept."""
    points, cell = surfels.points, surfels.cell
    height = points @ normal - offset
    inliers = _alike(surfels.normals, normal, surfels.sided, np.abs(height) < cell)
    axes = axes_in(normal)
    flat = points @ axes.T
    # What stands in the way (a river of terrain from edge to edge) does not part a table.
    low = (height > -2 * cell) & (height < BRIDGE * np.sqrt(inliers.sum()) * cell)
    found = _outline(flat[inliers], flat[low], cell)
    if found is None:
        return None
    outline, extent = found
    inside = (flat @ outline[:, :2].T + outline[:, 2] < -2 * cell).all(axis=1)
    above, below = inside & (height > 2 * cell), inside & (height < -2 * cell)
    facing = float((surfels.normals[inliers] @ normal).mean()) if surfels.sided else 0.0
    counts = int(above.sum()), int(below.sum())
    if not keep_side and (counts[0], facing) < (counts[1], -facing):
        return seen_from(surfels, -normal, -offset, keep_side=True)
    things = _things(flat[above], height[above], cell)
    middle = points[inliers].mean(axis=0)
    return Plane(normal, float(offset), inliers, outline, axes, things, facing, middle, extent)


def _outline(flat: Floats, bridging: Floats, cell: float) -> tuple[Floats, float] | None:
    """The convex outline, as lines, of the largest part of a plane that hangs together, by bridges; and its size."""
    steps, picture = _picture(np.vstack([flat, bridging]), 2 * cell)
    parts, count = ndimage.label(ndimage.binary_closing(np.pad(picture, 3), iterations=2), np.ones((3, 3)))
    if not count or not len(flat):
        return None
    mine = parts[tuple(steps[: len(flat)].T + 3)]
    largest = int(np.argmax(np.bincount(mine, minlength=count + 1)[1:])) + 1
    try:
        hull = ConvexHull(flat[mine == largest])
    except (QhullError, ValueError):
        return None
    return np.asarray(hull.equations, dtype=np.float64), float(np.sqrt(hull.volume))


def _picture(flat: Floats, pixel: float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The pixel (n, 2) of each point, and which pixels have any."""
    if not len(flat):
        return np.zeros((0, 2), dtype=np.int64), np.zeros((1, 1), dtype=bool)
    steps = np.floor((flat - flat.min(axis=0)) / pixel).astype(np.int64)
    picture = np.zeros(steps.max(axis=0) + 1, dtype=bool)
    picture[steps[:, 0], steps[:, 1]] = True
    return steps, picture


def _things(flat: Floats, height: Floats, cell: float) -> Floats:
    """The heights of what stands apart, seen from above; specks of fewer than three surfels do not count."""
    steps, picture = _picture(flat, 2 * cell)
    parts, count = ndimage.label(picture, np.ones((3, 3)))
    if not count or not len(flat):
        return np.zeros(0)
    mine = parts[steps[:, 0], steps[:, 1]]
    tall = ndimage.maximum(height, mine, np.arange(1, count + 1))
    return np.asarray(tall, dtype=np.float64)[np.bincount(mine, minlength=count + 1)[1:] >= 3]
