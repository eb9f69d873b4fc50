"""RELATE: whether segments meet a mesh, by Embree, and where there is none by the distances to its triangles."""

from __future__ import annotations

import numpy as np

from silhouette.geometry import Flags, Floats, Pose
from silhouette.meshes.mesh import Mesh
from silhouette.relations.triangles import nearest_of_triangles
from silhouette.renderers.embree import met_by_embree
from silhouette.time_limit import go_on

PAIRS_AT_ONCE = 200_000
"""Pairs of a segment and a triangle that are looked at together where there is no Embree."""


def meets(mesh: Mesh, pose: Pose, segments: Floats) -> Flags:
    """(n,) whether segments (n, 2, 3) mm of the world meet a mesh that stands somewhere; in float32, so but for a hair.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> crate = solid(Solid(Box((2.0, 2.0, 2.0))))
    >>> past, through = [[-5.0, 0.0, 3.0], [5.0, 0.0, 3.0]], [[-5.0, 0.0, 1.0], [5.0, 0.0, 1.0]]
    >>> meets(crate, Pose.standing(), np.array([past, through])).tolist()
    [False, True]
    """
    go_on()
    starts, ends = (pose.localise(segments[:, end]) for end in (0, 1))
    low, high = mesh.bounds
    near = np.flatnonzero(_reach_box(starts, ends, low - 1e-3, high + 1e-3))
    met = np.zeros(len(segments), dtype=np.bool_)
    if len(near) == 0:
        return met
    found = met_by_embree(mesh, starts[near], ends[near])
    met[near] = _meets_slowly(mesh, starts[near], ends[near]) if found is None else found
    return met


def _reach_box(starts: Floats, ends: Floats, low: Floats, high: Floats) -> Flags:
    """(n,) whether segments may meet a box: no plane along its sides separates them."""
    overlap = (np.minimum(starts, ends) <= high) & (np.maximum(starts, ends) >= low)
    near: Flags = np.all(overlap, axis=1)
    return near


def _meets_slowly(mesh: Mesh, starts: Floats, ends: Floats) -> Flags:
    met = np.zeros(len(starts), dtype=np.bool_)
    triangles = mesh.vertices[mesh.faces]
    at_once = max(1, PAIRS_AT_ONCE // len(triangles))
    for first in range(0, len(starts), at_once):
        go_on()
        some = slice(first, first + at_once)
        count = len(starts[some])
        each, other = np.repeat(starts[some], len(triangles), axis=0), np.repeat(ends[some], len(triangles), axis=0)
        distance, _ = nearest_of_triangles(each, other, np.tile(triangles, (count, 1, 1)))
        met[some] = (distance.reshape(count, -1) == 0.0).any(axis=1)
    return met
