"""SCAN: what is near what on a scan's surface, which way it faces, and where it is level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.spatial import cKDTree

from silhouette.common.geometry import Flags, Floats, Integers, components

NEIGHBOURS = 8  # the neighbours of each point of a cloud: about those in a ring round it


@dataclass(frozen=True, eq=False)
class Surface:
    """A level part of a scan above the table, such as a roof."""

    z: float  # its height
    points: Integers  # (k,) indices of the scan's points on it
    area: float  # as many squares as it covers, in the unit of the points


def edges_of(points: Floats, faces: Integers | None, usable: Flags, spacing: float) -> Integers:
    """(k, 2) pairs of neighbours, each once: the edges of the triangles, or near points of a cloud.

    >>> edges_of(np.eye(3), np.array([[0, 1, 2]], dtype=np.int32), np.ones(3, dtype=bool), 1.0).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    if faces is not None and len(faces):
        faces = faces[usable[faces].all(1)]
        pairs = np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [0, 2]]]), axis=1)
    else:
        index = np.flatnonzero(usable)
        if len(index) < 2:
            return np.empty((0, 2), dtype=np.int32)
        count = min(NEIGHBOURS + 1, len(index))
        # three spacings: farther apart, two points are not of one surface
        distance, other = cKDTree(points[index]).query(points[index], k=count, distance_upper_bound=3 * spacing)
        at, which = np.nonzero(np.isfinite(distance[:, 1:]))
        pairs = np.sort(np.column_stack([index[at], index[other[at, which + 1]]]), axis=1)
    if len(pairs) == 0:
        return np.empty((0, 2), dtype=np.int32)
    keys = np.sort(pairs[:, 0].astype(np.int64) * len(points) + pairs[:, 1])
    keys = keys[np.append(True, keys[1:] != keys[:-1])]  # numpy's unique takes ten times as long
    return np.column_stack([keys // len(points), keys % len(points)]).astype(np.int32)


def vertex_normals(points: Floats, faces: Integers | None, usable: Flags, neighbours: int = 14) -> Floats:
    """(n, 3) unit normals: of the triangles about a vertex by area; of a cloud, of the plane through near points.

    Those of a cloud point up, as nobody knows better; where there is none, (0, 0, 0).
    """
    normals = np.zeros((len(points), 3))
    if faces is not None and len(faces):
        a, b, c = points[faces[:, 0]], points[faces[:, 1]], points[faces[:, 2]]
        across = np.cross(b - a, c - a)
        for axis in range(3):
            normals[:, axis] = sum(np.bincount(faces[:, k], across[:, axis], len(points)) for k in range(3))
    else:
        index = np.flatnonzero(usable)
        if len(index) < 4:
            return normals
        near = cKDTree(points[index]).query(points[index], k=min(neighbours, len(index)))[1]
        some = points[index][near]
        some = some - some.mean(1, keepdims=True)
        normals[index] = np.linalg.eigh(np.einsum("nki,nkj->nij", some, some))[1][:, :, 0]
        normals[normals[:, 2] < 0] *= -1
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.where(length > 0, length, 1.0))


def outward(points: Floats, normals: Floats, edges: Integers, spacing: float) -> Floats:
    """(n, 3) the normals of a cloud, which have no side, turned outward.

    Outward is where a camera may have stood: seen from above, where something lower was seen beside the point, such as
    the table; inward is where something higher is, or where nothing was seen at all. Level ones point up. What that
    leaves open takes the side of its neighbours (Hoppe et al., "Surface reconstruction from unorganized points", 1992,
    here by diffusion).
    """
    width = 1.5 * spacing
    low = points[:, :2].min(0) - 8 * spacing
    shape = np.ceil((points[:, :2].max(0) + 8 * spacing - low) / width).astype(np.int64) + 1
    if shape[0] * shape[1] > 30_000_000:  # points far away from all others
        return normals
    roof = np.full(int(shape[0] * shape[1]), np.nan)
    order = np.argsort(points[:, 2], kind="stable")
    cell = np.floor((points[:, :2] - low) / width).astype(np.int64) @ np.array([shape[1], 1])
    roof[cell[order]] = points[order, 2]

    def open_at(step: float) -> Floats:
        place = points[:, :2] + step * normals[:, :2] / np.maximum(flat, 0.2)[:, None]
        there = roof[np.floor((place - low) / width).astype(np.int64) @ np.array([shape[1], 1])]
        free = np.where(there < points[:, 2] - spacing, 1.0, -1.0)
        return np.where(np.isnan(there), -0.5, free)  # not seen: rather behind than before a thing

    flat = np.hypot(normals[:, 0], normals[:, 1])
    steps = [2 * spacing, 3.5 * spacing, 5 * spacing]
    score = sum((open_at(step) - open_at(-step) for step in steps), np.zeros(len(points))) * flat / 6
    score = np.where(np.abs(normals[:, 2]) > 0.9, np.sign(normals[:, 2]), score)
    one, other = edges.T
    alike = (normals[one] * normals[other]).sum(1)
    alike *= np.abs(alike)
    links = coo_matrix((alike, (one, other)), shape=(len(points), len(points))).tocsr()
    links = links + links.T
    weight = np.asarray(np.abs(links).sum(1)).ravel() + 1e-9
    side = score
    for _ in range(12):
        side = 0.4 * score + 0.6 * (links @ side) / weight
    return normals * np.where(side < 0, -1.0, 1.0)[:, None]


def groups_of(count: int, edges: Integers) -> Integers:
    """(count,) the number of the connected group of each of so many things, from pairs of them."""
    return np.unique(components(edges, count), return_inverse=True)[1].astype(np.int32)


LEVEL = 0.94  # cosine, 20 degrees, within which a surface is level: noise of half the spacing tilts normals by as much


def level_surfaces(
    points: Floats, normals: Floats, edges: Integers, *, spacing: float, least_area: float, above: float
) -> list[Surface]:
    """The level surfaces higher than `above` with at least an area, the largest first.

    Vertices that are level and whose neighbours are no more than half a spacing higher or lower belong together; parts
    of one height, such as the planks of a walkway, are put together.
    """
    level = (normals[:, 2] > LEVEL) & (points[:, 2] > above)
    kept = edges[level[edges].all(1)]
    kept = kept[np.abs(points[kept[:, 0], 2] - points[kept[:, 1], 2]) < 0.5 * spacing]
    group = groups_of(len(points), kept)
    index = np.flatnonzero(level)
    if len(index) == 0:
        return []
    # a vertex stands for about so much area in a mesh of even triangles
    each = 0.87 * spacing**2
    order = index[np.argsort(group[index], kind="stable")]
    parts = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
    parts = [part for part in parts if len(part) * each >= 0.15 * least_area]
    heights = np.array([float(np.median(points[part, 2])) for part in parts])
    merged: list[Surface] = []
    while len(heights):
        first = int(np.argmax([len(part) for part in parts]))
        same = np.abs(heights - heights[first]) < 0.7 * spacing
        members = np.concatenate([part for part, yes in zip(parts, same, strict=True) if yes])
        if len(members) * each >= least_area:
            merged.append(Surface(float(np.median(points[members, 2])), members.astype(np.int32), len(members) * each))
        parts = [part for part, yes in zip(parts, same, strict=True) if not yes]
        heights = heights[~same]
    return merged
