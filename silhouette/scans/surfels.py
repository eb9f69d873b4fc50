"""SCAN: a scan's surface as pieces of equal area, whatever its triangles or the density of its points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from silhouette.common.geometry import Floats, Integers
from silhouette.scans.reading import Scan

SURFELS = 40_000
"""About how many a scan becomes: 3.5 mm apart on a table of 700 x 700 mm, 2 cm apart in a room of 16 square metres."""

SAMPLES = (50_000, 200_000)  # least and most points drawn from a mesh, four for each triangle between
MOST = 400_000  # samples of a cloud at most
EACH = 5  # samples for each surfel at least, so that its mean is half as rough as the scan
NEIGHBOURS = 6  # neighbours of a vertex in a triangle mesh; so many nearest points of a cloud count as its neighbours

WIDEST = 1500
"""Voxels from the middle beyond which a point is a stray: ten times as far as a scan with that many surfels is wide."""


@dataclass(frozen=True, eq=False)
class Surfels:
    """The surface of a scan, evenly: voxels of one size, each with the mean of the surface within it."""

    points: Floats  # (n, 3) float64, the means
    # (n, 3) float64 unit vectors, from the neighbours by principal components; they point out where the scan says which
    # side is out (`sided`)
    normals: Floats
    sided: bool  # whether the scan has triangles or normals
    cell: float  # the edge of a voxel
    samples: Floats  # (k, 3) float64, of which the means were taken: drawn evenly from the triangles, or the cloud
    # (k, 3) float64, the direction out of the surface at each sample, or None where the scan does not say
    out: Floats | None
    spacing: float  # the median distance between neighbouring points of the scan as stored
    # (n,) how far the neighbours of each spread across its plane, as a share of how far they spread in the plane,
    # across the longest way: 0 of a plane, 1 of points in a ball
    thickness: Floats
    vertices: Floats  # (v, 3) float64, the usable vertices of the scan, which lie close where it is fine

    def share_of_space(self) -> float:
        """The share of the surfels whose neighbours fill a space more than they lie on a surface."""
        return float((self.thickness > 0.5).mean())

    def roughness(self) -> float:
        """The standard deviation of the samples about the planes through the surfels: noise where it is smooth."""
        some = self.samples[:: max(1, len(self.samples) // 50_000)]
        near = cKDTree(self.points).query(some)[1]
        rest = ((some - self.points[near]) * self.normals[near]).sum(axis=1)
        return float(1.4826 * np.median(np.abs(rest)))


def surfels_of(scan: Scan, seed: int = 0) -> Surfels:
    """The surfels of a scan's usable part; needs three usable points that are not all in one place."""
    if len(scan.faces):
        samples, out = _drawn(scan, np.random.default_rng(seed))  # type: tuple[Floats, Floats | None]
        spacing = _edge_length(scan)
    else:
        samples = scan.vertices[scan.usable]
        out = scan.normals[scan.usable] if scan.normals is not None else None
        spacing = _point_distance(samples)
        if len(samples) > MOST:
            some = np.sort(np.random.default_rng(seed).choice(len(samples), MOST, replace=False))
            samples, out = samples[some], None if out is None else out[some]
    cell = _voxel(samples, 0.0 if len(scan.faces) else spacing)
    kept, voxels = _voxels_of(samples, cell)
    counts = np.bincount(voxels)
    means = _sums(voxels, samples[kept]) / counts[:, None]
    normals, thickness = _normals(means)
    if out is not None:
        against = (_sums(voxels, out[kept]) * normals).sum(axis=1) < 0
        normals[against] *= -1
    return Surfels(means, normals, out is not None, cell, samples, out, spacing, thickness, scan.vertices[scan.usable])


def _drawn(scan: Scan, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Points drawn evenly from the triangles, and the triangles' unit normals at them."""
    corners = [scan.vertices[scan.faces[:, k]] for k in range(3)]
    cross = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    length = np.sqrt((cross**2).sum(axis=1))
    good = np.isfinite(length) & scan.usable[scan.faces].all(axis=1)
    total = np.cumsum(np.where(good, length, 0.0))
    if not total[-1] > 0:
        points = scan.vertices[scan.usable]
        return points, np.zeros_like(points)
    # One draw in each of as many equal strips of the area: evener than free draws, and no strip is left out.
    count = min(max(4 * len(scan.faces), SAMPLES[0]), SAMPLES[1])
    places = (np.arange(count) + rng.random(count)) * (total[-1] / count)
    hit = np.minimum(np.searchsorted(total, places, side="right"), len(total) - 1)
    u, v = rng.random((2, count))
    u, v = np.where(u + v > 1, (1 - u, 1 - v), (u, v))
    first = corners[0][hit]
    points = first + u[:, None] * (corners[1][hit] - first) + v[:, None] * (corners[2][hit] - first)
    return points, cross[hit] / np.maximum(length[hit], 1e-300)[:, None]


def _edge_length(scan: Scan) -> float:
    """The median length of the triangles' edges, from at most 100,000 triangles."""
    faces = scan.faces[:: max(1, len(scan.faces) // 100_000)]
    corners = scan.vertices[faces]
    lengths = np.sqrt(((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2))
    return float(np.median(lengths[np.isfinite(lengths)]))


def _point_distance(points: Floats) -> float:
    """The median over a cloud of the mean distance to the nearest points that lie elsewhere."""
    tree = cKDTree(points, balanced_tree=False, compact_nodes=False)
    some = points[:: max(1, len(points) // 10_000)]
    distances = tree.query(some, k=min(4 * NEIGHBOURS, len(points)))[0]
    distances = np.where(distances > 0, distances, np.nan)
    apart = np.sort(distances, axis=1)[:, :NEIGHBOURS]  # numpy sorts nan last
    known = np.isfinite(apart).any(axis=1)
    return float(np.median(np.nanmean(apart[known], axis=1))) if known.any() else 0.0


def _voxel(samples: Floats, spacing: float) -> float:
    """The edge of voxels of which the samples fill about `SURFELS`; of a cloud twice the spacing at least.

    As each voxel of a surface holds a piece of its area, their number goes with the square of the edge; two steps of
    that rule come close enough.
    """
    some = samples[:: max(1, len(samples) // 200_000)]
    low, high = np.percentile(some, [1, 99], axis=0)
    cell = float(np.linalg.norm(high - low)) / 150 or spacing or 1.0
    for _ in range(3):
        found = _voxels_of(some, cell)[1].max(initial=0) + 1
        cell *= float(np.clip(np.sqrt(found / min(SURFELS, len(samples) / EACH)), 0.3, 3.0))
    return max(cell, 2 * spacing)


def _voxels_of(points: Floats, cell: float) -> tuple[NDArray[np.bool_], Integers]:
    """Which points lie within `WIDEST` voxels of the middle, and of each of these the number of its voxel, from 0."""
    steps = np.floor((points - np.median(points, axis=0)) / cell)
    kept = (np.abs(steps) < WIDEST).all(axis=1)
    whole = steps[kept].astype(np.int64) + WIDEST
    keys = (whole[:, 0] << 42) | (whole[:, 1] << 21) | whole[:, 2]
    return np.asarray(kept), np.unique(keys, return_inverse=True)[1].astype(np.int32)


def _sums(groups: Integers, values: Floats) -> Floats:
    return np.stack([np.bincount(groups, weights=column) for column in values.T], axis=1)


def _normals(points: Floats) -> tuple[Floats, Floats]:
    """The direction in which each point's twelve nearest spread least, (n, 3), and the thickness of these, (n,)."""
    near = cKDTree(points).query(points, k=min(12, len(points)))[1].reshape(len(points), -1)
    around = points[near]
    around = around - around.mean(axis=1, keepdims=True)
    variances, directions = np.linalg.eigh(np.einsum("nki,nkj->nij", around, around))
    variances = np.maximum(variances, 0.0)
    thickness = np.sqrt(variances[:, 0] / np.maximum(variances[:, 1], 1e-300))
    return directions[:, :, 0], thickness
