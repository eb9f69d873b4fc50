"""RELATE: proofs that all lines between two balls are blocked, however thin, by the sheets of surface that they cross.

      ______                    The lines between two balls lie in a shaft. The triangles of an obstacle that reach
( )--|--||--|------( )          into it make up sheets, joined at their edges. A sheet whose rim lies outside the
     |  ||  |    the shaft      shaft, and that touches neither ball, is crossed by all of these lines an odd number
( )--|--||--|------( )          of times, or by all an even number of times: nothing changes while a line moves. Odd
     |__||__|                   is more than none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats
from silhouette.lazy import derived
from silhouette.meshes.mesh import Mesh, merge_equal
from silhouette.relations.beams import lengths
from silhouette.relations.obstacles import Indices, Obstacles
from silhouette.relations.triangles import nearest_of_segments, nearest_of_triangles

SLACK = 1e-6
"""mm: by so much a shaft is taken as wider than it is."""

LARGE = 0.5
"""Faces larger than this share of a shaft are told from those beside it by their distance, smaller ones by a ball."""

ASIDE = 0.3 * np.array([[0.48, 0.6, 0.64], [0.36, -0.48, 0.8]])
"""Shares of the radii of both balls, by which the line whose crossings are counted lies beside the middles: these often
lie in the plane of an edge, such as that of the ground, and any line of a shaft tells the same."""

CLEARLY = 1e-9
"""A line that passes an edge nearer than this share of the triangle's size leaves open on which side."""


@dataclass(frozen=True, eq=False)
class _Surface:
    """The faces of a mesh.

    Attributes:
        edges: (m, 3) the edges of each face; corners at one place are one, whatever their numbers.
        even: (e,) whether each edge belongs to an even number of faces; else it is a rim.
        middle: (m, 3) mm, in the mesh's frame, and ``radius`` (m,): a ball that holds each face.
    """

    edges: NDArray[np.int64]
    even: Flags
    middle: Floats
    radius: Floats


def all_blocked(segments: Floats, balls: Floats, obstacles: Obstacles, most: int) -> tuple[Flags, int]:
    """(n,) whether all lines between balls round the ends of a segment are proven to be blocked; and the faces it took.

    Args:
        segments: (n, 2, 3) mm, world.
        balls: (n, 2) mm: the radii of the balls round both ends of each.
        obstacles: what blocks.
        most: so many faces are looked at, about; what is not proven by then stays open.
    """
    looked = 0
    proven = np.zeros(len(segments), dtype=np.bool_)
    for number in range(len(obstacles.meshes)) if most > 0 else ():
        open_ = np.flatnonzero(~proven)
        rows = open_[obstacles.blocked_by(number, segments[open_])]
        mesh, pose = obstacles.meshes[number], obstacles.poses[number]
        local = pose.localise(segments[rows])
        for row, face in obstacles.faces_near(number, segments[rows], balls[rows].max(axis=1) + SLACK):
            if looked > most:
                return proven, looked
            looked += len(face)
            proven[rows[_proven(mesh, local, balls[rows], row, face)]] = True
    return proven, looked


def _proven(mesh: Mesh, segments: Floats, balls: Floats, row: Indices, face: Indices) -> Indices:
    """Which of the segments, in the mesh's frame, are proven to be blocked by sheets of faces, given row by row."""
    surface = _surface(mesh)
    shaft = balls[row].max(axis=1) + SLACK
    size = surface.radius[face]
    away, there = _from_lines(segments, row, surface.middle[face])
    near = away <= shaft + size
    large = np.flatnonzero(near & (size > LARGE * shaft) & (away > shaft - size))
    ends = segments[row[large], 0], segments[row[large], 1]
    near[large] = nearest_of_triangles(*ends, _corners(mesh, face[large]))[0] <= shaft[large]
    row, face, shaft, size, away, there = (part[near] for part in (row, face, shaft, size, away, there))
    if len(row) == 0:
        return row
    spoilt, odd = np.zeros(len(row), dtype=np.bool_), np.zeros(len(row), dtype=np.bool_)
    lines = segments + balls[:, :, None] * ASIDE
    met = np.flatnonzero(away <= size + shaft)
    odd[met], spoilt[met] = _crossed(lines[row[met]], _corners(mesh, face[met]))
    is_rim = ~surface.even[surface.edges[face]]
    rim = np.flatnonzero(is_rim.any(axis=1))
    spoilt[rim] |= _rims_inside(segments[row[rim]], _corners(mesh, face[rim]), is_rim[rim], shaft[rim])
    for end in (0, 1):
        ball = balls[row, end] + SLACK
        close = np.flatnonzero((there <= ball + size) if end == 0 else (there >= lengths(segments)[row] - ball - size))
        point = segments[row[close], end]
        apart, _ = nearest_of_triangles(point, point, _corners(mesh, face[close]))
        spoilt[close] |= apart <= ball[close]
    sheet = _sheets(row, surface.edges[face], len(surface.even))
    count = int(sheet.max()) + 1
    holds = (np.bincount(sheet[odd], minlength=count) % 2 == 1) & (np.bincount(sheet[spoilt], minlength=count) == 0)
    return np.unique(row[holds[sheet]])


def _sheets(row: Indices, edges: NDArray[np.int64], count: int) -> Indices:
    """(n,) the sheet of each face: faces of one row that have an edge in common, one by one, belong together."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    key = (row[:, None] * count + edges).ravel()
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    first, second = order[same] // 3, order[same + 1] // 3
    links = coo_array((np.ones(len(first), np.int8), (first, second)), shape=(len(row), len(row)))
    found: Indices = connected_components(links, directed=False)[1].astype(np.intp)
    return found


def _crossed(segments: Floats, corners: Floats) -> tuple[Flags, Flags]:
    """(n,) whether segments (n, 2, 3) cross triangles (n, 3, 3), and whether that is unclear: at an edge, or an end."""
    way = segments[:, 1] - segments[:, 0]
    seen = corners - segments[:, :1]
    sides = np.stack([np.einsum("ij,ij->i", np.cross(seen[:, k], seen[:, (k + 1) % 3]), way) for k in range(3)], axis=1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    before = np.einsum("ij,ij->i", normal, segments[:, 0] - corners[:, 0])
    after = np.einsum("ij,ij->i", normal, segments[:, 1] - corners[:, 0])
    reach = np.linalg.norm(seen, axis=2).max(axis=1)
    slack = CLEARLY * reach * reach * np.linalg.norm(way, axis=1)
    # a face seen edge-on, or without area, is clearly missed only where one corner's side says so
    missed = (sides.min(axis=1) < -slack) & (sides.max(axis=1) > slack)
    unclear = ~missed & ((np.abs(sides) <= slack[:, None]).any(axis=1))
    height = CLEARLY * np.linalg.norm(normal, axis=1) * reach
    beyond = (before * after > 0.0) & (np.minimum(np.abs(before), np.abs(after)) > height)
    unclear |= ~missed & (np.minimum(np.abs(before), np.abs(after)) <= height)
    unclear &= ~beyond
    return ~missed & ~unclear & (before * after < 0.0), unclear


def _rims_inside(segments: Floats, corners: Floats, is_rim: Flags, shaft: Floats) -> Flags:
    """(n,) whether a rim of the mesh, an edge (n, 3) of a face, reaches into the shaft."""
    found = np.zeros(len(corners), dtype=np.bool_)
    for corner in range(3):
        rows = np.flatnonzero(is_rim[:, corner])
        origin = corners[rows, corner]
        edge = corners[rows, (corner + 1) % 3] - origin
        start, along = segments[rows, 0], segments[rows, 1] - segments[rows, 0]
        first, second = nearest_of_segments(start, along, origin, edge)
        apart = start + first[:, None] * along - origin - second[:, None] * edge
        found[rows] |= np.linalg.norm(apart, axis=1) <= shaft[rows]
    return found


def _corners(mesh: Mesh, face: Indices) -> Floats:
    """(n, 3, 3) mm: the corners of faces, in the mesh's frame."""
    return np.take(mesh.vertices, mesh.faces[face], axis=0)


def _from_lines(segments: Floats, row: Indices, points: Floats) -> tuple[Floats, Floats]:
    """(n,) mm: how far points (n, 3) are from segments (k, 2, 3), each from its own, and how far along it they lie.

    Args:
        segments: mm.
        row: (n,) the number of the segment of each point.
        points: mm.
    """
    way = segments[:, 1] - segments[:, 0]
    length = np.linalg.norm(way, axis=1)
    way /= np.where(length > 0.0, length, 1.0)[:, None]
    own, seen = way[row], points - segments[row, 0]
    along = np.einsum("ij,ij->i", seen, own)
    seen -= np.clip(along, 0.0, length[row])[:, None] * own
    return np.linalg.norm(seen, axis=1), along


@derived
def _surface(mesh: Mesh) -> _Surface:
    """What is known of the faces of a mesh."""
    faces = merge_equal(mesh.vertices)[1][mesh.faces].astype(np.int64)
    ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2), axis=2).reshape(-1, 2)
    _, number, counts = np.unique(ends @ [len(mesh.vertices), 1], return_inverse=True, return_counts=True)
    corners = mesh.vertices[mesh.faces]
    middle = (corners.min(axis=1) + corners.max(axis=1)) / 2
    radius = np.sqrt(((corners - middle[:, None]) ** 2).sum(axis=2).max(axis=1))
    return _Surface(number.reshape(-1, 3), counts % 2 == 0, middle, radius)
