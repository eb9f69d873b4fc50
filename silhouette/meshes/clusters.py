"""LOAD: a mesh as clusters of neighbouring faces with their bounds, and its edges: what contours are sought by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, Integers, spread
from silhouette.common.lazy import derived
from silhouette.meshes.mesh import Mesh, merge_equal, recorded, stable_order

SIZE = 64
"""Faces of a cluster: fewer are culled more closely, more are fewer to cull."""

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
    planes: Singles  # (m, 4) float32: the unit normal of each face, and its product with a corner; zeros without area
    corners: Integers  # (m, 3) int32: the faces, by vertices of which no two are equal
    vertices: Floats
    even: EvenEdges  # the edges where two faces meet that run along them in opposite directions
    odd: OddEdges  # all others: of one face, of more than two, or of two that are turned differently


@dataclass(frozen=True, eq=False)
class EvenEdges:
    """Edges of two faces, in the order of the first ones."""

    ends: Integers  # (e, 2) int32, the vertices, as the first face runs
    faces: Integers  # (2, e) int32, the first faces and the second ones


@dataclass(frozen=True, eq=False)
class OddEdges:
    """Edges of any number of faces."""

    ends: Integers  # (e, 2) int32, the vertices
    first: Indices  # (e + 1,) where each edge's faces begin
    faces: Integers  # (f,) int32, the faces of one edge after those of the other
    along: NDArray[np.int8]  # (f,) int8, 1 where the face runs from the edge's first end to its second, else -1


CLUSTERS_VERSION = 3  # raised whenever clusters or edges come out otherwise


def clusters_of(mesh: Mesh) -> Clusters:
    """The clusters and edges of a mesh, worked out at the first call."""
    return recorded(mesh, Clusters, CLUSTERS_VERSION, _built)


def edges_round(mesh: Mesh, faces: Indices) -> Indices:
    """(n,) the numbers of the even edges of a mesh that some of its faces have, each once; (k,) ascending faces."""
    even = clusters_of(mesh).even
    order, second = _by_second_face(mesh)
    starts, ends = (np.searchsorted(even.faces[0], faces.astype(np.int32), side) for side in ("left", "right"))
    as_first, _ = spread(starts, ends - starts)
    starts, ends = (np.searchsorted(second, faces.astype(np.int32), side) for side in ("left", "right"))
    as_second = order.take(spread(starts, ends - starts)[0])
    is_there = np.zeros(len(even.ends), np.bool_)
    is_there[as_first] = True
    return np.concatenate([as_first, as_second[~is_there.take(as_second)]])


@derived
def _by_second_face(mesh: Mesh) -> tuple[Integers, Integers]:
    """(e,) the even edges of a mesh in the order of their second faces, and (e,) these faces."""
    second = clusters_of(mesh).even.faces[1]
    order = stable_order(second)
    return order.astype(np.int32), second.take(order)


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
    even, odd = _edges(corners)
    return Clusters(
        middle=middle,
        reach=float(np.sqrt(((vertices - middle) ** 2).sum(axis=1).max())),
        centres=np.ascontiguousarray(centres.T),
        radii=np.sqrt(np.maximum.reduceat(square, starts)) * (1.0 + 1e-12),
        planes=planes,
        corners=corners.astype(np.int32),
        vertices=vertices,
        even=even,
        odd=odd,
    )


def _edges(corners: Integers) -> tuple[EvenEdges, OddEdges]:
    """All edges of faces (m, 3)."""
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
    pair = pair.take(stable_order(face.take(first.take(pair))))
    where = first.take(pair)
    faces = np.stack([face.take(where), face.take(where + 1)])
    along = forth.take(where)
    lower, upper = low.take(pair), high.take(pair)
    ends = np.column_stack([np.where(along, lower, upper), np.where(along, upper, lower)]).astype(np.int32)
    even = EvenEdges(ends, faces)
    # A face that has lost a corner, since two of its corners are equal, has no area and no edge that counts.
    rest = np.flatnonzero(~is_even & (low != high))
    numbers, _ = spread(first[rest], counts[rest])
    odd = OddEdges(
        np.column_stack([low[rest], high[rest]]).astype(np.int32),
        np.concatenate([[0], np.cumsum(counts[rest])]),
        face[numbers],
        np.where(forth[numbers], 1, -1).astype(np.int8),
    )
    return even, odd
