"""LOAD: points and edges that stand for a whole mesh, computed once for each mesh and kept as long as the mesh."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Floats
from silhouette.meshes.mesh import Mesh

BOXES = 64
"""The number of boxes of neighbouring faces that bound a mesh, at most."""

NUDGE = 0.02
"""The share of the way to the middle of its triangle by which a vertex is moved before a ray is sent to it: a line that
only touches a vertex shows nothing."""

LONG = 1.0
"""An edge longer than this, mm, may cross a target's picture while both its corners lie outside."""

_bounding: WeakKeyDictionary[Mesh, Floats] = WeakKeyDictionary()
_inset: WeakKeyDictionary[Mesh, NDArray[np.float32]] = WeakKeyDictionary()
_edges: WeakKeyDictionary[Mesh, NDArray[np.int32]] = WeakKeyDictionary()


def bounding_points(mesh: Mesh) -> Floats:
    """(k, 3) mm, the corners of at most `BOXES` boxes that together hold the mesh.

    Every convex shape that contains these points contains the mesh, and there are few however many triangles it has.
    """
    if mesh not in _bounding:
        runs = np.array_split(mesh.faces, min(BOXES, len(mesh.faces)))
        points = [mesh.vertices[run.ravel()] for run in runs]
        low = np.array([run.min(axis=0) for run in points])
        high = np.array([run.max(axis=0) for run in points])
        choice = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)], dtype=np.bool_)
        _bounding[mesh] = np.where(choice, high[:, None], low[:, None]).reshape(-1, 3)
    return _bounding[mesh]


def inset_vertices(mesh: Mesh) -> NDArray[np.float32]:
    """(3, n) every vertex of the mesh, moved a little into one of the faces that it is a corner of."""
    if mesh not in _inset:
        face = np.zeros(len(mesh.vertices), dtype=np.intp)
        face[mesh.faces] = np.arange(len(mesh.faces))[:, None]
        middles = mesh.vertices[mesh.faces[face]].mean(axis=1)
        nudged = mesh.vertices + NUDGE * (middles - mesh.vertices)
        _inset[mesh] = np.ascontiguousarray(nudged.T, dtype=np.float32)
    return _inset[mesh]


def long_edges(mesh: Mesh) -> NDArray[np.int32]:
    """(k, 2) the vertices at the ends of each edge longer than 1 mm, once for each pair of vertices."""
    if mesh not in _edges:
        edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
        way = mesh.vertices[edges[:, 1]] - mesh.vertices[edges[:, 0]]
        long = np.sort(edges[np.einsum("ij,ij->i", way, way) > LONG**2], axis=1).astype(np.int64)
        pairs = np.unique(long[:, 0] << 32 | long[:, 1])
        _edges[mesh] = np.column_stack([pairs >> 32, pairs & 0xFFFFFFFF]).astype(np.int32)
    return _edges[mesh]


def prepare(mesh: Mesh) -> None:
    """Computes the points and edges of a mesh now, so that processes forked from this one need not do it again."""
    bounding_points(mesh)
    inset_vertices(mesh)
    long_edges(mesh)
