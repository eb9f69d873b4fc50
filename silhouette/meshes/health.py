"""LOAD: the faults of a mesh: refused where no verdict could rest on it, a warning where one still can."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers, components
from silhouette.common.text import counted

# In the file's own units; nothing on a table is ten kilometres long, whatever the unit.
MAX_COORDINATE = 1e7
# What is narrower than this share of the mesh's extent has no width.
NARROW_SHARE = 1e-5

Keys = NDArray[np.int64]

TRIFLES = re.compile(r"more than two faces meet at|have no area and were dropped|faces are flipped against each other")
"""Remarks on a mesh that change no verdict: both sides of every triangle block, and such edges are seen as they are."""


@dataclass(frozen=True)
class Health:
    """The connection of the faces of a surface along their edges."""

    holes: int  # the number of boundary loops; loops that touch count as one, slits without width do not count
    flipped: int  # the number of edges along which both faces run the same way: one of them is inside out
    tangled: int  # the number of edges of three or more faces

    @property
    def watertight(self) -> bool:
        """Whether sight passes nowhere through the surface: it encloses a space, if perhaps in several pieces."""
        return self.holes == 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """One short sentence for each thing that is not as it should be.

        >>> Health(holes=2, flipped=0, tangled=0).warnings
        ('the mesh has 2 holes; sight passes through',)
        """
        sentences = []
        if self.holes:
            sentences.append(f"the mesh has {counted(self.holes, 'hole')}; sight passes through")
        if self.flipped:
            sentences.append(
                f"faces are flipped against each other at {counted(self.flipped, 'edge')}; both sides block"
            )
        if self.tangled:
            sentences.append(f"more than two faces meet at {counted(self.tangled, 'edge')}")
        return tuple(sentences)


def misdirected(faces: NDArray[Any], vertices: int) -> str | None:
    """The fault of the vertex indices of faces (m, 3), in words; None where all are below ``vertices``.

    >>> misdirected(np.array([[0, 1, 3]]), 3)
    'has a face that points to vertex 3 of 3 (counted from 0); export it again'
    """
    if len(faces) == 0:
        return "holds no triangles; a mesh needs at least one"
    low, high = int(faces.min()), int(faces.max())
    if low >= 0 and high < vertices:
        return None
    return (
        f"has a face that points to vertex {low if low < 0 else high} of {vertices} (counted from 0); export it again"
    )


def absurd(vertices: Floats) -> str | None:
    """Why vertices (n, 3), all used by some face, cannot be those of a model, in words; None where they can.

    >>> absurd(np.zeros((3, 3)))
    'has all its vertices in one point; a mesh needs an extent'
    """
    low, high = extremes(vertices)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return "has vertices whose coordinates are infinite or no numbers; export it again"
    if not (high - low).max() > 0.0:
        return "has all its vertices in one point; a mesh needs an extent"
    furthest = max(high.max(), -low.min())
    if furthest > MAX_COORDINATE:
        return f"reaches {furthest:.3g} units far, and {MAX_COORDINATE:.0e} is the most that makes sense; scale it"
    return None


def extremes(points: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest coordinates (3,) of points (n, 3), taken column by column, many times faster."""
    columns = [points[:, axis] for axis in range(3)]
    return np.array([column.min() for column in columns]), np.array([column.max() for column in columns])


def has_area(vertices: Floats, faces: Integers) -> Flags:
    """Which faces (m, 3) over vertices (n, 3) have an area, (m,) bool.

    >>> has_area(np.eye(3), np.array([[0, 1, 2], [0, 1, 1]], dtype=np.int32)).tolist()
    [True, False]
    """
    first, second, third = (np.take(vertices, faces[:, corner], axis=0) for corner in range(3))
    along, across = second - first, third - first
    has: Flags = np.zeros(len(faces), dtype=np.bool_)
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        has |= along[:, a] * across[:, b] != along[:, b] * across[:, a]
    return has


def proper(faces: NDArray[Any]) -> Flags:
    """Which faces (m, 3) have three different vertices, (m,) bool."""
    a, b, c = faces.T
    different: Flags = (a != b) & (b != c) & (c != a)
    return different


def used_vertices(faces: NDArray[Any], count: int) -> Flags:
    """Which of ``count`` vertices the faces use, (count,) bool."""
    used = np.zeros(count, dtype=np.bool_)
    used[faces.ravel()] = True
    return used


@dataclass(frozen=True, eq=False)
class BoundaryLoops:
    """The boundary of a surface: loops of edges; loops that touch count as one."""

    vertices: Keys  # (k,) int64, those on the boundary, in ascending order
    loop: Keys  # (k,) int64, the number of the loop of each vertex, from 0
    along: Floats  # (k,) float64, how far each vertex lies along the line from one end of its loop to the other
    straight: Flags  # (loops,) bool, whether the whole loop lies on that line: a slit without width


def inspect(faces: Integers, vertices: Floats, slivers: Integers | None = None) -> Health:
    """The health of faces (m, 3) over vertices (n, 3), of which equal ones are merged already.

    Slivers (s, 3), faces without area that are not among the others, may fill slits between these; they open no hole.

    >>> inspect(np.array([[0, 1, 2]], dtype=np.int32), np.eye(3))
    Health(holes=1, flipped=0, tangled=0)
    """
    keys, counts, forward = _edges(faces, len(vertices))
    odd = keys[counts % 2 == 1]
    holes = _holes(odd, vertices)
    if holes and slivers is not None and len(slivers):
        more, times, _ = _edges(slivers, len(vertices))
        holes = min(holes, _holes(np.setxor1d(odd, more[times % 2 == 1], assume_unique=True), vertices))
    flipped = (counts == 2) & (forward != 1)
    return Health(holes=holes, flipped=int(flipped.sum()), tangled=int((counts > 2).sum()))


def _holes(keys: Keys, vertices: Floats) -> int:
    edges = np.stack([keys // len(vertices), keys % len(vertices)], axis=1)
    return int((~boundary_loops(edges, vertices).straight).sum())


def boundary_loops(edges: Keys, vertices: Floats) -> BoundaryLoops:
    """The loops that boundary edges (e, 2) over vertices (n, 3) form.

    >>> vertices = np.array([[0.0, 0, 0], [1, 0, 0], [3, 0, 0]])
    >>> boundary_loops(np.array([[0, 1], [1, 2], [0, 2]]), vertices).straight.tolist()
    [True]
    """
    used, compact = np.unique(edges, return_inverse=True)
    if len(used) == 0:
        return BoundaryLoops(used, used, np.empty(0), np.empty(0, dtype=np.bool_))
    first = components(compact.reshape(-1, 2), len(used))
    loop = np.unique(first, return_inverse=True)[1]
    points = vertices[used]
    # The two ends of a loop, from which its direction follows: the vertex that is farthest from any vertex of the loop
    # is one end, and the vertex that is farthest from that end is the other.
    #
    #     end o------o--o-----------o other end       a slit: every vertex lies on the line between the ends
    #
    for _ in range(2):
        offset = points - points[first]
        order = np.lexsort((np.einsum("kc,kc->k", offset, offset), loop))
        farthest = order[np.append(np.flatnonzero(np.diff(loop[order])), len(order) - 1)]
        first = farthest[loop]
    # After the second round, offset is measured from the one end, and farthest is the other.
    direction = offset[farthest] / np.maximum(np.linalg.norm(offset[farthest], axis=1, keepdims=True), 1e-300)
    along = np.einsum("kc,kc->k", offset, direction[loop])
    off_line = np.linalg.norm(offset - along[:, None] * direction[loop], axis=1)
    low, high = extremes(vertices)
    wide = loop[off_line > NARROW_SHARE * (high - low).max()]
    return BoundaryLoops(used, loop, along, np.bincount(wide, minlength=len(farthest)) == 0)


def boundary(faces: Integers, vertices: int) -> NDArray[np.int64]:
    """The edges (e, 2) that an odd number of faces use: together they are closed loops, and none where nothing is open.

    >>> boundary(np.array([[0, 1, 2], [2, 1, 3]], dtype=np.int32), 4).tolist()
    [[0, 1], [0, 2], [1, 3], [2, 3]]
    """
    keys, counts, _ = _edges(faces, vertices)
    odd = keys[counts % 2 == 1]
    return np.stack([odd // vertices, odd % vertices], axis=1)


def _edges(faces: Integers, vertices: int) -> tuple[Keys, Keys, Keys]:
    """Each edge once as ``low * vertices + high``, how many faces use it, and how many of them from low to high."""
    start = faces.astype(np.int64)
    end = np.roll(start, -1, axis=1)
    keys = (np.minimum(start, end) * vertices + np.maximum(start, end)) * 2 + (start < end)
    keys = np.sort(keys.ravel())
    edges = keys >> 1
    first = np.flatnonzero(np.concatenate([[True], edges[1:] != edges[:-1]]))
    counts = np.diff(np.append(first, len(edges)))
    return edges[first], counts, np.add.reduceat(keys & 1, first)
