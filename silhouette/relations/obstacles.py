"""RELATE: what stands in the way of lines: which of them meet it, and how near others pass.

Rays, cast by Embree in float32, or distances of 0 if there is none, sift; distances to triangles in float64 decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.common.errors import go_on
from silhouette.common.geometry import Flags, Floats, Pose, nearest_of_triangles, spread, turned
from silhouette.common.lazy import derived
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.embree import met_by_embree
from silhouette.scenes.pieces import Piece

# ---- segments and a mesh

TRIANGLE_PAIRS_AT_ONCE = 200_000  # pairs of a segment and a triangle, where there is no Embree


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
    low, high = mesh.bounds  # no plane along the sides of the box separates these from it
    overlap = (np.minimum(starts, ends) <= high + 1e-3) & (np.maximum(starts, ends) >= low - 1e-3)
    near = np.flatnonzero(overlap.all(axis=1))
    met = np.zeros(len(segments), dtype=np.bool_)
    if len(near) == 0:
        return met
    flags = met_by_embree(mesh, starts[near], ends[near])
    met[near] = _meets_slowly(mesh, starts[near], ends[near]) if flags is None else flags
    return met


def _meets_slowly(mesh: Mesh, starts: Floats, ends: Floats) -> Flags:
    met = np.zeros(len(starts), dtype=np.bool_)
    triangles = mesh.vertices[mesh.faces]
    at_once = max(1, TRIANGLE_PAIRS_AT_ONCE // len(triangles))
    for first in range(0, len(starts), at_once):
        go_on()
        some = slice(first, first + at_once)
        count = len(starts[some])
        each, other = np.repeat(starts[some], len(triangles), axis=0), np.repeat(ends[some], len(triangles), axis=0)
        distance, _ = nearest_of_triangles(each, other, np.tile(triangles, (count, 1, 1)))
        met[some] = (distance.reshape(count, -1) == 0.0).any(axis=1)
    return met


# ---- obstacles

Blocker = tuple[Piece, Mesh]  # a piece, and the part of it that blocks, in its model's frame
Indices = NDArray[np.intp]
FACES_IN_A_GROUP = 16
GROUP_PAIRS_AT_ONCE = 4_000_000  # pairs of a segment and a group that are compared at once
SEGMENT_TRIANGLES_AT_ONCE = 200_000  # pairs of a segment and a triangle of which the distance is worked out at once


@dataclass(frozen=True, eq=False)
class Near:
    """The nearest place of all obstacles to each of n segments: (n,) mm, inf where nothing is within reach; and (n, 3)
    mm, world.
    """

    distance: Floats
    point: Floats


class Obstacles:
    """The blockers that come within ``reach`` mm of any line between two boxes (2, 3) mm, world; some more than once
    each.
    """

    def __init__(self, blockers: Iterable[Blocker], boxes: Sequence[Floats], reach: float) -> None:
        near = [pair for pair in blockers if len(pair[1].faces) and _may_reach(pair, boxes, reach)]
        self.pairs: tuple[Blocker, ...] = tuple(near)
        self.names = tuple(piece.name for piece, _ in near)
        self.meshes: tuple[Mesh, ...] = tuple(mesh for _, mesh in near)
        self.poses: tuple[Pose, ...] = tuple(piece.pose for piece, _ in near)
        groups = [face_balls(mesh) for mesh in self.meshes]
        middles = [pose.place(middle) for pose, (middle, _) in zip(self.poses, groups, strict=True)]
        self._middle = np.concatenate([np.empty((0, 3)), *middles])
        self._radius = np.concatenate([np.empty(0), *(radius for _, radius in groups)])
        sizes = np.array([len(radius) for _, radius in groups], int)
        place, self._of = spread(0, sizes)
        self._first = FACES_IN_A_GROUP * place
        inside = _distance_of_balls(boxes, self._middle, self._radius) <= reach
        self._middle, self._radius = self._middle[inside], self._radius[inside]
        self._of, self._first = self._of[inside], self._first[inside]

    def blocked(self, segments: Floats) -> Flags:
        """(n,) whether each segment (n, 2, 3) meets an obstacle, by rays in float32: right but for a hair."""
        met = np.zeros(len(segments), dtype=np.bool_)
        for number in range(len(self.meshes)):
            open_ = np.flatnonzero(~met)
            met[open_] = self.blocked_by(number, segments[open_])
        return met

    def blocked_by(self, number: int, segments: Floats) -> Flags:
        """(n,) whether each segment (n, 2, 3) meets the obstacle of that number; as `blocked`."""
        return meets(self.meshes[number], self.poses[number], segments)

    def blocking(self, segments: Floats) -> tuple[str, ...]:
        """The names of the pieces that meet the most of the segments (n, 2, 3), those that meet most first."""
        met = [int(self.blocked_by(number, segments).sum()) for number in range(len(self.names))]
        order = sorted((number for number, count in enumerate(met) if count), key=lambda number: -met[number])
        return tuple(dict.fromkeys(self.names[number] for number in order))

    def clearance(self, segments: Floats) -> Floats:
        """(n,) mm: no obstacle is nearer than this to each segment (n, 2, 3), by balls round its faces; inf of none."""
        room: Floats = (_from_segments(segments, self._middle) - self._radius).min(axis=1, initial=np.inf)
        return room

    def nearest(self, segments: Floats, reach: Floats) -> Near:
        """The nearest place of all obstacles to each segment (n, 2, 3) mm, world, within reach (n,) mm, in float64."""
        near = Near(np.full(len(segments), np.inf), np.zeros((len(segments), 3)))
        at_once = max(1, GROUP_PAIRS_AT_ONCE // max(1, len(self._radius)))
        for start in range(0, len(segments), at_once):
            go_on()
            chosen = slice(start, start + at_once)
            self._nearest(segments[chosen], reach[chosen], near, start)
        return near

    def faces_near(self, number: int, segments: Floats, reach: Floats) -> Iterator[tuple[Indices, Indices]]:
        """The faces of an obstacle that may be within reach (n,) of segments (n, 2, 3): rows and faces, row by row, in
        portions, each with all faces of its rows.
        """
        own = np.flatnonzero(self._of == number)
        at_once = max(1, GROUP_PAIRS_AT_ONCE // max(1, len(own)))
        for start in range(0, len(segments), at_once):
            go_on()
            some = slice(start, start + at_once)
            apart = _from_segments(segments[some], self._middle[own]) - self._radius[own]
            row, group = np.nonzero(apart <= reach[some, None])
            portion = (np.cumsum(np.bincount(row, minlength=1)) // (SEGMENT_TRIANGLES_AT_ONCE // FACES_IN_A_GROUP))[row]
            for part in np.split(np.arange(len(row)), np.flatnonzero(np.diff(portion)) + 1):
                which, face = self._faces(own[group[part]])
                yield row[part][which] + start, face

    def close(self, segment: Floats, reach: float) -> Floats:
        """(m, 3, 3) mm, world: the corners of the triangles that may be within reach of a segment (2, 3)."""
        apart = _from_segments(segment[None], self._middle)[0] - self._radius
        group = np.flatnonzero(apart <= reach)
        which, face = self._faces(group)
        return self._corners(group[which], face)

    def _nearest(self, segments: Floats, reach: Floats, near: Near, start: int) -> None:
        apart = _from_segments(segments, self._middle)
        within = np.minimum(reach, (apart + self._radius).min(axis=1, initial=np.inf)) + 1e-9
        segment, group = np.nonzero(apart - self._radius <= within[:, None])
        at_once = SEGMENT_TRIANGLES_AT_ONCE // FACES_IN_A_GROUP
        for first in range(0, len(segment), at_once):
            go_on()
            some, groups = segment[first : first + at_once], group[first : first + at_once]
            which, face = self._faces(groups)
            some, groups = some[which], groups[which]
            ends = segments[some, 0], segments[some, 1]
            distance, point = nearest_of_triangles(*ends, self._corners(groups, face))
            starts = np.flatnonzero(np.diff(some, prepend=-1))
            least = np.minimum.reduceat(distance, starts)
            is_least = np.flatnonzero(distance == np.repeat(least, np.diff([*starts, len(some)])))
            best = is_least[np.flatnonzero(np.diff(some[is_least], prepend=-1))]
            rows = some[best] + start
            better = (distance[best] < near.distance[rows]) & (distance[best] <= reach[some[best]])
            best, rows = best[better], rows[better]
            near.distance[rows], near.point[rows] = distance[best], point[best]

    def _faces(self, groups: Indices) -> tuple[Indices, Indices]:
        """The faces of groups: for each the place of its group among them, and its number in its mesh."""
        ends = np.array([len(mesh.faces) for mesh in self.meshes])
        face = self._first[groups][:, None] + np.arange(FACES_IN_A_GROUP)
        which, column = np.nonzero(face < ends[self._of[groups]][:, None])
        return which, face[which, column]

    def _corners(self, groups: Indices, face: Indices) -> Floats:
        """(n, 3, 3) mm, world: the corners of faces, given with their groups."""
        corners = np.empty((len(face), 3, 3))
        of = self._of[groups]
        for number in np.unique(of).tolist():
            mine, mesh, pose = of == number, self.meshes[number], self.poses[number]
            local = mesh.vertices[mesh.faces[face[mine]]].reshape(-1, 3)
            corners[mine] = (turned(pose.rotation, local.T).T + pose.translation).reshape(-1, 3, 3)
        return corners


@derived
def face_balls(mesh: Mesh) -> tuple[Floats, Floats]:
    """Balls round each `FACES_IN_A_GROUP` neighbouring faces of a mesh: (k, 3) mm in its frame, and (k,) mm."""
    starts = np.arange(0, len(mesh.faces), FACES_IN_A_GROUP)
    corners = mesh.vertices[mesh.faces]
    low = np.minimum.reduceat(corners.min(axis=1), starts)
    high = np.maximum.reduceat(corners.max(axis=1), starts)
    middle = (low + high) / 2
    of = np.arange(len(corners)) // FACES_IN_A_GROUP
    reach = np.sqrt(((corners - middle[of][:, None]) ** 2).sum(axis=2).max(axis=1))
    return middle, np.maximum.reduceat(reach, starts)


def _may_reach(blocker: Blocker, boxes: Sequence[Floats], reach: float) -> bool:
    piece, mesh = blocker
    low, high = mesh.bounds
    middle = piece.pose.place((low + high)[None] / 2)
    radius = np.array([float(np.linalg.norm(high - low)) / 2])
    return bool(_distance_of_balls(boxes, middle, radius)[0] <= reach)


def _distance_of_balls(boxes: Sequence[Floats], middle: Floats, radius: Floats) -> Floats:
    """(k,) mm, at most how far balls are from the lines between two boxes."""
    ends = np.array([[box.mean(axis=0) for box in boxes]])
    widest = max(float(np.linalg.norm(box[1] - box[0])) / 2 for box in boxes)
    apart: Floats = _from_segments(ends, middle)[0] - radius - widest
    return apart


def _from_segments(segments: Floats, points: Floats) -> Floats:
    """(n, k) mm: how far points (k, 3) are from segments (n, 2, 3)."""
    starts, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    square = np.einsum("ij,ij->i", along, along)
    projected = points @ along.T - np.einsum("ij,ij->i", starts, along)
    there = np.clip(projected / np.where(square > 0.0, square, 1.0), 0.0, 1.0).T
    total = np.zeros_like(there)
    for axis in range(3):
        total += (points[:, axis] - starts[:, axis, None] - there * along[:, axis, None]) ** 2
    apart: Floats = np.sqrt(total)
    return apart
