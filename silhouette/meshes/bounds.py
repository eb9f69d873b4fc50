"""LOAD: points and edges that stand for a whole mesh, computed once for each mesh and kept as long as the mesh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, corners, hull_outline
from silhouette.common.lazy import derived
from silhouette.meshes.clusters import clusters_of
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.solids import inner_boxes

MAX_BOUNDING_BOXES = 64  # the number of boxes of neighbouring faces that bound a mesh, at most

FACES_IN_A_SMALL_BOX = 512
"""A mesh of two million faces has some 4,000 small boxes, whose corners take a millisecond to test."""

VERTEX_STRIDE = 64  # the number of vertices of which one is looked at first
_OUTWARD = corners([-1, -1, -1], [1, 1, 1])  # (8, 3) where each corner of a box lies, seen from its middle


def bounding_points(mesh: Mesh) -> Floats:
    """(k, 3) mm, the outermost corners of at most `MAX_BOUNDING_BOXES` boxes that together hold the mesh.

    Every convex shape that contains these points contains the mesh, and there are few however many triangles it has.
    """
    return _boxes(mesh).large


def tighter_points(mesh: Mesh, fits: Callable[[Floats], Flags]) -> Floats:
    """(k, 3) mm, points in whose convex hull the mesh lies; where those of `bounding_points` do not fit, tighter ones.

    They are the corners of small boxes, and of those that do not fit, the vertices themselves: if all of the vertices
    fit, all of these points do. If not, one of them at least is a vertex that does not. ``fits`` says it of points (n,
    3), (n,) bool.
    """
    some = mesh.vertices[::VERTEX_STRIDE]
    if not fits(some).all():
        return some
    boxes = _boxes(mesh)
    small = boxes.small.reshape(-1, 8, 3)
    beyond = ~fits(boxes.small).reshape(-1, 8).all(axis=1)
    if beyond.all():
        return mesh.vertices
    used = np.zeros(len(mesh.vertices), dtype=np.bool_)
    used[mesh.faces[np.repeat(beyond, np.diff(boxes.ends, prepend=0))]] = True
    return np.concatenate([small[~beyond].reshape(-1, 3), mesh.vertices[used]])


@derived
def plan_corners(mesh: Mesh) -> Floats:
    """(k, 3) mm, points as far out along x, y and z as the vertices, however the mesh is turned upright."""
    height = mesh.vertices[:, 2]
    ends = mesh.vertices[[height.argmin(), height.argmax()]]
    outline = hull_outline(mesh.vertices[:, :2])
    return np.concatenate([np.column_stack([outline, np.full(len(outline), ends[0, 2])]), ends])


def faces_near(mesh: Mesh, point: Floats, reach: float) -> NDArray[np.intp]:
    """(k,) ascending, the faces that may be nearer than ``reach`` mm to a point (3,): all that are, and some others."""
    boxes = _boxes(mesh)
    small = boxes.small.reshape(-1, 8, 3)
    near = ((small[:, 0] <= point + reach) & (small[:, 7] >= point - reach)).all(axis=1)
    return np.flatnonzero(np.repeat(near, np.diff(boxes.ends, prepend=0)))


@dataclass(frozen=True, eq=False)
class _Boxes:
    """The corners of the boxes round runs of neighbouring faces."""

    large: Floats  # (k, 3) mm, the outermost of at most `MAX_BOUNDING_BOXES` boxes
    small: Floats  # (8 * n, 3) mm, of boxes of at most `FACES_IN_A_SMALL_BOX` faces
    ends: NDArray[np.intp]  # (n,) where, among the faces, the run of each small box ends


@derived
def _boxes(mesh: Mesh) -> _Boxes:
    large, small, ends, done = [], [], [], 0
    for run in np.array_split(mesh.faces, min(MAX_BOUNDING_BOXES, len(mesh.faces))):
        points = mesh.vertices.take(run.ravel(), axis=0)
        starts = np.arange(0, len(run), FACES_IN_A_SMALL_BOX)
        low, high = (extreme.reduceat(points, 3 * starts, axis=0) for extreme in (np.minimum, np.maximum))
        small.append(corners(low, high))
        large.append(corners(low.min(axis=0), high.max(axis=0)))
        ends.append(done + np.append(starts[1:], len(run)))
        done += len(run)
    return _Boxes(_outermost(np.array(large)), np.concatenate(small), np.concatenate(ends))


def _outermost(boxes: Floats) -> Floats:
    """(k, 3) those of the corners of boxes (n, 8, 3) in whose convex hull all of the boxes lie.

    Of the corners that lie on the same side of their boxes, one is left out if another lies as far out along all axes:
    in whatever direction the box reaches farthest there, the other box reaches as far.
    """
    outermost = list[Floats]()
    for outward, points in zip(_OUTWARD, boxes.swapaxes(0, 1), strict=True):
        distinct = np.unique(points, axis=0)
        reaches = (distinct * outward)[:, None] >= distinct * outward
        outermost.append(distinct[reaches.all(axis=2).sum(axis=0) == 1])
    return np.concatenate(outermost)


def prepare(mesh: Mesh) -> None:
    """Computes now what stands for a mesh, so that processes forked from this one need not do it again."""
    bounding_points(mesh)
    clusters_of(mesh)
    inner_boxes(mesh)
