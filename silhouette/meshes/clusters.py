"""LOAD: a mesh as clusters of neighbouring faces with their bounds, and its edges: what contour edges are sought by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers, components, spread
from silhouette.meshes.mesh import Mesh, merge_equal, recorded, stable_order

SIZE = 64
"""Faces of a cluster: fewer are culled more closely, more are fewer to cull. Between 32 and 128 a search for contours
takes as long."""

# mm: a face thinner than this has no normal of which float64 could be sure, and counts as without area.
MIN_FACE_WIDTH_MM = 1e-6

Singles = NDArray[np.float32]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Clusters:
    """The faces of a mesh in runs of `SIZE`, and every edge with the cluster of its first face."""

    middle: Floats  # (3,) mm: the planes are those of the mesh moved so that this is its origin
    reach: float  # mm from the middle to the farthest vertex
    centres: Floats  # (3, k) mm, of each cluster's box
    radii: Floats  # (k,) mm from there to its farthest vertex
    halves: Floats  # (3, k) mm, half the sides of the box
    axes: Floats  # (3, k) the middle of the cone that contains the normals of all faces at its even edges
    # cosines, sines: (k,) of the angle between the axis and the border of the cone; both 0 where that is 90° or more
    cosines: Floats
    sines: Floats
    planes: Singles  # (m, 4) float32: the unit normal of each face, and its product with a corner; zeros without area
    corners: Integers  # (m, 3) int32: the faces, by vertices of which no two are equal
    vertices: Floats
    even: EvenEdges  # the edges where two faces meet that run along them in opposite directions
    odd: OddEdges  # all others: of one face, of more than two, or of two that are turned differently
    is_closed: Flags  # (m,) whether a face belongs to a shell all of whose edges are even


@dataclass(frozen=True, eq=False)
class EvenEdges:
    """Edges (e, 2) int32, as the first of two faces (e, 2) int32 runs; (k + 1,) where each cluster's begin."""

    ends: Integers
    faces: Integers
    starts: Indices


@dataclass(frozen=True, eq=False)
class OddEdges:
    """Edges of any number of faces."""

    ends: Integers  # (e, 2) int32, the vertices
    first: Indices  # (e + 1,) where each edge's faces begin
    faces: Integers  # (f,) int32, the faces of one edge after those of the other
    along: NDArray[np.int8]  # (f,) int8, 1 where the face runs from the edge's first end to its second, else -1
    starts: Indices  # (k + 1,) where each cluster's edges begin


CLUSTERS_VERSION = 2  # raised whenever clusters, edges or cones come out otherwise


def clusters_of(mesh: Mesh) -> Clusters:
    """The clusters and edges of a mesh, worked out at the first call."""
    return recorded(mesh, Clusters, CLUSTERS_VERSION, _built)


def _built(mesh: Mesh) -> Clusters:
    vertices, merged = merge_equal(mesh.vertices)
    corners = merged[mesh.faces]
    starts = np.arange(0, len(corners), SIZE)
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    a, b, c = (vertices.take(corners[:, corner], axis=0) for corner in range(3))
    low = np.minimum.reduceat(np.minimum(np.minimum(a, b), c), starts)
    high = np.maximum.reduceat(np.maximum(np.maximum(a, b), c), starts)
    centres = (low + high) / 2
    middles = centres.take(np.arange(len(corners)) // SIZE, axis=0)
    square = np.max([((corner - middles) ** 2).sum(axis=1) for corner in (a, b, c)], axis=0)
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    longest = np.sqrt(np.max([((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0))[:, None]
    normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > MIN_FACE_WIDTH_MM * longest)
    planes = np.column_stack([normals, np.einsum("ij,ij->i", normals, a - middle)]).astype(np.float32)
    even, odd = _edges(corners, len(starts))
    axes, cosines = _cones(normals, even, starts)
    narrow = cosines > 0.0
    return Clusters(
        middle=middle,
        reach=float(np.sqrt(((vertices - middle) ** 2).sum(axis=1).max())),
        centres=np.ascontiguousarray(centres.T),
        radii=np.sqrt(np.maximum.reduceat(square, starts)) * (1.0 + 1e-12),
        halves=np.ascontiguousarray(((high - low) / 2).T),
        axes=np.ascontiguousarray(axes.T),
        cosines=np.where(narrow, cosines, 0.0),
        sines=np.where(narrow, np.sqrt(np.maximum(1.0 - cosines**2, 0.0)), 0.0),
        planes=planes,
        corners=corners.astype(np.int32),
        vertices=vertices,
        even=even,
        odd=odd,
        is_closed=_closed(corners, even, odd),
    )


def _closed(corners: Integers, even: EvenEdges, odd: OddEdges) -> Flags:
    """(m,) whether a face belongs to a shell all of whose edges are even; one that has lost a corner does not."""
    shell = components(even.faces, len(corners))
    closed = np.ones(len(corners), dtype=np.bool_)
    closed[shell[odd.faces]] = False
    closed[shell[(corners == corners[:, [1, 2, 0]]).any(axis=1)]] = False
    return closed[shell]


def _edges(corners: Integers, count: int) -> tuple[EvenEdges, OddEdges]:
    """All edges of faces (m, 3), in the order of the clusters, of which there are ``count``."""
    start = corners.T.ravel().astype(np.int64)
    end = corners[:, [1, 2, 0]].T.ravel().astype(np.int64)
    bits = int(start.max(initial=0)).bit_length()
    key = np.minimum(start, end) << bits | np.maximum(start, end)
    order = stable_order(key)
    key, forth = key.take(order), (start < end).take(order)
    face = (order % max(len(corners), 1)).astype(np.int32)
    new = np.ones(len(key), dtype=np.bool_)
    new[1:] = key[1:] != key[:-1]
    first = np.flatnonzero(new)
    counts = np.diff(first, append=len(key))
    low, high = key.take(first) >> bits, key.take(first) & (1 << bits) - 1
    pair = np.flatnonzero(counts == 2)
    pair = pair[forth.take(first.take(pair)) != forth.take(first.take(pair) + 1)]
    is_even = np.zeros(len(first), dtype=np.bool_)
    is_even[pair] = True
    pair = pair.take(stable_order(face.take(first.take(pair)) // SIZE))
    where = first.take(pair)
    faces = np.column_stack([face.take(where), face.take(where + 1)])
    along = forth.take(where)
    lower, upper = low.take(pair), high.take(pair)
    ends = np.column_stack([np.where(along, lower, upper), np.where(along, upper, lower)]).astype(np.int32)
    clusters = np.arange(count + 1)
    even = EvenEdges(ends, faces, np.searchsorted(faces[:, 0] // SIZE, clusters))
    # A face that has lost a corner, since two of its corners are equal, has no area and no edge that counts.
    rest = np.flatnonzero(~is_even & (low != high))
    rest = rest[stable_order(face[first[rest]] // SIZE)]
    numbers, _ = spread(first[rest], counts[rest])
    odd = OddEdges(
        np.column_stack([low[rest], high[rest]]).astype(np.int32),
        np.concatenate([[0], np.cumsum(counts[rest])]),
        face[numbers],
        np.where(forth[numbers], 1, -1).astype(np.int8),
        np.searchsorted(face[first[rest]] // SIZE, clusters),
    )
    return even, odd


def _cones(normals: Floats, even: EvenEdges, starts: Indices) -> tuple[Floats, Floats]:
    """(k, 3) axes and (k,) cosines of the cones that contain the normals of all faces at a cluster's even edges."""
    axes = np.add.reduceat(normals, starts)
    lengths = np.linalg.norm(axes, axis=1, keepdims=True)
    axes = np.divide(axes, lengths, out=np.zeros_like(axes), where=lengths > 0.0)
    own = np.repeat(np.arange(len(starts)), np.diff(even.starts))
    cosines = np.ones(len(starts))
    for side in (0, 1):
        aligned = np.einsum("ij,ij->i", normals.take(even.faces[:, side], axis=0), axes.take(own, axis=0))
        np.minimum.at(cosines, own, aligned)
    return axes, cosines - 1e-6  # more than float32 planes are off
