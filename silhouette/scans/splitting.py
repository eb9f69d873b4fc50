"""SCAN: a region of a scan taken apart along its concave seams.

Where two things meet, the surface is concave; the surface of one solid thing is convex or flat for the most part
(Hoffman and Richards, "Parts of recognition", 1984; Stein et al., "Object Partitioning using Local Convexity", 2014).
The region becomes small cells with mean normals; neighbours attract each other where they are convex or flat to each
other and repel each other where they are concave; cells and groups of cells that attract each other on average over
all of the seam between them grow together, the strongest first (average linkage: Bailoni et al., "GASP", 2022), so
that one leak in a seam joins nothing.

         __________                         _____
        |    A     |  concave seam         |  A  |_____     two boxes: the seams on all sides repel
        |__________|__                     |     |  B  |
       (              )   A on B           |_____|_____|
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from silhouette.common.geometry import Floats, Integers
from silhouette.scans.surfaces import groups_of

FLAT = 0.12
"""Sine of 7 degrees: by so much cells may be concave to each other and still attract: the noise of their normals."""

GAP = 8.0  # mm that a scan leaves open between a thing and what it stands on


@dataclass(frozen=True, eq=False)
class Cells:
    """A region in small cells."""

    members: Integers  # (k,) indices of its points
    cell: Integers  # (k,) the cell of each of them
    middles: Floats  # (c, 3) mean points
    normals: Floats  # (c, 3) unit vectors, outward
    counts: Integers  # (c,) points in each
    pairs: Integers  # (p, 2) neighbouring cells
    width: float  # of the cells in mm
    # (c, 3) mean red, green and blue as shares of their sum, as shade changes them little; or None
    hues: Floats | None = None


def cells_of(
    points: Floats,
    normals: Floats,
    edges: Integers,
    members: Integers,
    width: float,
    colours: NDArray[np.uint8] | None = None,
) -> Cells:
    """The points of a region in cubes of a width; a cube with two sheets of surface in it is two cells."""
    keys = np.floor(points[members] / width).astype(np.int64)
    keys -= keys.min(0)
    # which way the normal points, in six classes, keeps the two sides of a thin wall apart
    axis = np.abs(normals[members]).argmax(1)
    side = 2 * axis + (normals[members, axis] > 0)
    span = keys.max(0) + 1
    flat = ((keys[:, 0] * span[1] + keys[:, 1]) * span[2] + keys[:, 2]) * 6 + side
    _, cell = np.unique(flat, return_inverse=True)
    count = int(cell.max()) + 1
    counts = np.bincount(cell, minlength=count)
    middles = np.column_stack([np.bincount(cell, points[members, k], count) for k in range(3)]) / counts[:, None]
    mean = np.column_stack([np.bincount(cell, normals[members, k], count) for k in range(3)])
    mean = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-9)
    number = np.full(len(points), -1)
    number[members] = cell
    pairs = number[edges]
    pairs = pairs[(pairs >= 0).all(1) & (pairs[:, 0] != pairs[:, 1])]
    pairs = np.vstack([pairs, _bridges(middles, pairs.astype(np.int32), width)])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    hues: Floats | None = None
    if colours is not None:
        shares = colours[members].astype(np.float64) + 8  # so that black is grey, not noise
        sums = np.column_stack([np.bincount(cell, shares[:, k], count) for k in range(3)])
        hues = np.asarray(sums / sums.sum(1, keepdims=True), dtype=np.float64)
    return Cells(
        members,
        cell.astype(np.int32),
        middles,
        np.asarray(mean, dtype=np.float64),
        counts.astype(np.int32),
        pairs.astype(np.int32),
        width,
        hues,
    )


def _bridges(middles: Floats, pairs: Integers, width: float) -> Integers:
    """Pairs of cells across gaps: a ball on a box hangs in the air, as nobody has seen where it stands."""
    piece = groups_of(len(middles), pairs)
    if len(middles) < 2 or piece.max() == 0:
        return np.empty((0, 2), dtype=np.int32)
    reach = 2 * width + GAP
    distance, other = cKDTree(middles).query(middles, k=min(24, len(middles)), distance_upper_bound=reach)
    at, column = np.nonzero(np.isfinite(distance))
    found = np.column_stack([at, other[at, column]])
    far = distance[at, column]
    apart = piece[found[:, 0]] != piece[found[:, 1]]
    found, far = found[apart], far[apart]
    keys, which = np.unique(np.sort(piece[found], axis=1), axis=0, return_inverse=True)
    least = np.full(len(keys), np.inf)
    np.minimum.at(least, which.ravel(), far)
    return np.asarray(found[far < least[which.ravel()] + width], dtype=np.int32)  # where they come nearest


def attraction(cells: Cells) -> Floats:
    """(p,) from -1, concave, to 1, convex, for each pair of neighbours: by how much their normals spread, and FLAT."""
    one, other = cells.pairs.T
    way = cells.middles[other] - cells.middles[one]
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    spread = ((cells.normals[other] - cells.normals[one]) * way).sum(1)
    attracts = np.clip(spread, -1, 1) + FLAT
    if cells.hues is not None:
        # colours speak at creases; on a flat face they leave FLAT just above 0, so that what is painted on it parts
        # nothing, but two boxes with their faces in one plane do not grow together before each is whole
        contrast = contrast_of(cells.hues[one], cells.hues[other])
        attracts -= contrast * np.where(spread < -0.05, 0.2, np.where(spread < 0.3, 0.8 * FLAT, 0.0))
    return np.asarray(attracts)


def contrast_of(one: Floats, other: Floats) -> Floats:
    """(k,) from 0, the same hue, to 1, another colour: a tenth of the sum apart, more than shade and noise make."""
    return np.asarray(np.clip(np.abs(one - other).sum(-1) / 0.2, 0, 1))


def grown_together(count: int, pairs: Integers, attracts: Floats, stop: float = 0.0) -> Integers:
    """(count,) the group of each cell: pairs of groups are joined, the strongest first, while their mean attracts.

    >>> grown_together(3, np.array([[0, 1], [1, 2]], dtype=np.int32), np.array([0.5, -0.5])).tolist()
    [0, 0, 1]
    """
    parent = list(range(count))
    near: list[dict[int, tuple[float, int]]] = [{} for _ in range(count)]
    heap = []
    for (a, b), weight in zip(pairs.tolist(), attracts.tolist(), strict=True):
        near[a][b] = near[b][a] = (weight, 1)
        if weight > stop:
            heap.append((-weight, a, b))
    heapq.heapify(heap)
    while heap:
        negative, a, b = heapq.heappop(heap)
        held = near[a].get(b) if parent[a] == a and parent[b] == b else None
        if held is None or held[0] / held[1] != -negative:
            continue
        if len(near[a]) < len(near[b]):
            a, b = b, a
        parent[b] = a
        del near[a][b]
        for c, (weight, number) in near[b].items():
            if c == a:
                continue
            del near[c][b]
            old = near[a].get(c, (0.0, 0))
            joined = (old[0] + weight, old[1] + number)
            near[a][c] = near[c][a] = joined
            mean = joined[0] / joined[1]
            if mean > stop:
                heapq.heappush(heap, (-mean, a, c))
        near[b] = {}
    root = np.arange(count)
    for k in range(count):
        while parent[root[k]] != root[k]:
            root[k] = parent[root[k]]
    return np.unique(root, return_inverse=True)[1].astype(np.int32)
