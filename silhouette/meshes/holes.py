r"""LOAD: the holes of a scan are closed, so that nothing is ever seen through it; what was closed is reported.

    boundary -> near vertices welded -> slits zipped -> loops left -> a cone or a skirt for each

A cone joins a loop to one point, so it closes a loop of any shape. It would put a tent under the open
underside of a scanned building, so there a skirt goes straight down to a flat floor instead::

      cone                skirt, seen from the side
       .-----.
      / \   / \            _/\__/\_    the scan
     o   \ /   o          |       |
     |   (x)   |          |       |    the skirt, down to the lowest level of the scan
     o   / \   o          +---x---+    the floor, a flat cone
      \ /   \ /
       '-----'
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers, components, spread
from silhouette.common.text import counted
from silhouette.meshes.clusters import SIZE, clusters_of
from silhouette.meshes.health import NARROW_SHARE, boundary, boundary_loops, proper
from silhouette.meshes.mesh import Mesh

# Boundary vertices that are nearer to each other than this share of the mesh's extent are one: cracks, not holes.
WELD = NARROW_SHARE
# A face has three edges, and all but the oddest meshes are done after the first.
_MAX_EDGE_ROUNDS = 4
# Where edges of a slit run to and fro along all of it, their faces would become as many as the square of the slit's
# vertices; such slits are closed by cones, which have no area there.
_MAX_CUTS = 100_000
CLOSING = "closing"
# A boundary loop is the outer border where its box covers this share of the mesh's box, seen from above.
_OUTER = 0.5
# A boundary loop opens upwards (a roofless building) where its faces go down at over 45 degrees or so.
_ROOFLESS_SLOPE = -0.7

Edges = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Closed:
    """A mesh without boundary, and what was added to close it."""

    # The mesh given, followed by the added faces as the part "closing"; the given mesh itself where nothing was open
    mesh: Mesh
    holes: int  # how many holes were closed; cracks of no width do not count
    skirts: int  # how many of them were the outer border of an open underside, closed by a skirt and a floor
    area_grown: float
    share_grown: float
    largest: float  # mm, the diagonal of the box round the largest hole
    welded: bool = False  # whether anything was open at all, if perhaps only by cracks of no width

    @property
    def sentence(self) -> str:
        """The closing of the mesh, in words.

        >>> Closed(None, holes=3, skirts=0, area_grown=80.0, share_grown=0.008, largest=4.1).sentence
        'closed 3 holes (largest 4.1 mm across) by cones to their middles; the surface grew by 0.8 %'
        """
        if self.holes == 0:
            return "closed cracks of no width; the surface did not grow" if self.welded else "nothing was open"
        how = " by a cone to its middle" if self.holes == 1 else " by cones to their middles"
        if self.skirts == self.holes:
            how = " by a skirt down to a floor"
        elif self.skirts:
            how += f", {self.skirts} of them by a skirt down to a floor"
        across = f" (largest {self.largest:.1f} mm across)"
        return (
            f"closed {counted(self.holes, 'hole')}{across}{how}; the surface grew by {100.0 * self.share_grown:.1f} %"
        )


def close(mesh: Mesh) -> Closed:
    """The mesh (mm) with every hole closed, so that every edge is used by an even number of faces.

    Boundary vertices within ``WELD`` times the mesh's extent are merged first. Where boundary edges of unequal lengths
    run along each other, the faces at the longer edges are cut. Loops of edges remain; loops that touch count as one.
    Each loop is joined to its centroid by a cone. The outer border of an open underside or of a height field gets a
    skirt straight down to the mesh's lowest level and a flat floor there instead, unless the surface hangs from that
    border like the walls of a roofless building.
    """
    if len(boundary(mesh.faces, len(mesh.vertices))) == 0:
        return Closed(mesh, 0, 0, 0.0, 0.0, 0.0)
    mesh, rim, third = _zipped(_welded(mesh))
    if len(rim) == 0:
        return Closed(mesh, 0, 0, 0.0, 0.0, 0.0, welded=True)
    used, compact = np.unique(rim, return_inverse=True)
    compact = compact.reshape(-1, 2)
    loop = np.unique(components(compact, len(used))[compact[:, 0]], return_inverse=True)[1]
    low, high = _boxes(mesh.vertices, rim, loop)
    outer = _outer(mesh, rim, third, loop, low, high)
    skirted = outer[loop]
    vertices, skirts, skirt_of = _skirts(mesh, rim[skirted], loop[skirted])
    vertices, cones, cone_of = _cones(vertices, rim[~skirted], loop[~skirted])
    added = np.concatenate([skirts, cones])
    areas = np.bincount(np.concatenate([skirt_of, cone_of]), _areas(vertices, added), minlength=len(outer))
    spans = np.linalg.norm(high - low, axis=1)
    real = areas > WELD * _extent(mesh) * spans
    return Closed(
        _joined(mesh, vertices, added),
        holes=int(real.sum()),
        skirts=int((real & outer).sum()),
        area_grown=float(areas.sum()),
        share_grown=float(areas.sum()) / max(float(_areas(mesh.vertices, mesh.faces).sum()), 1e-300),
        largest=float(spans[real].max(initial=0.0)),
        welded=True,
    )


def encloses(mesh: Mesh, point: Any) -> bool:
    """Whether a point (3,) lies inside a closed mesh: a ray straight up leaves the mesh more often than it enters it.

    By this count a point in two overlapping shells is inside. Where the whole vertical line through the point does not
    leave as often as it enters, some faces are inside out; then the point is inside where an odd number of faces lies
    above it. Only a mesh without boundary, as `close` returns it, has an inside for certain.

    >>> from silhouette.meshes.mesh import Mesh
    >>> corners = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]])
    >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], dtype=np.int32)
    >>> pyramid = Mesh(corners, faces, np.zeros(4, np.int32))
    >>> encloses(pyramid, [1, 1, 1]), encloses(pyramid, [1, 1, 3]), encloses(pyramid, [1, 1, -1])
    (True, False, False)
    """
    # In plan, the ray is the point (x, y), and a face is a triangle. A horizontal line through the point crosses two of
    # its edges; the ray passes through the face where one crossing lies on either side of the point:
    #
    #            /\
    #     ------*--(x,y)--*------      before: the crossing to the left, beyond: the one to the right
    #          /______________\
    #
    # An edge counts as crossed where one end lies above the line and the other does not. Its ends are taken in the same
    # order by all of its faces, so that these compute the same crossing: a ray that meets an edge or a vertex exactly
    # passes through as many of the faces there as a ray right next to it.
    x, y, z = (float(value) for value in point)
    low, high = mesh.bounds
    if not ((point > low) & (point < high)).all():
        return False
    faces = mesh.faces[_standing_over(mesh, x, y)]
    following = np.roll(faces, -1, axis=1)
    edges = np.sort(np.stack([faces, following], axis=2), axis=2)
    start, end = mesh.vertices[edges[..., 0]], mesh.vertices[edges[..., 1]]
    crossing = (start[..., 1] > y) != (end[..., 1] > y)
    rise = np.where(crossing, end[..., 1] - start[..., 1], 1.0)
    at = start + ((y - start[..., 1]) / rise)[..., None] * (end - start)
    beyond = crossing & (at[..., 0] > x)
    before = crossing & ~beyond
    hit = (beyond.sum(axis=1) == 1) & (before.sum(axis=1) == 1)
    left = np.where(before[..., None], at, 0.0).sum(axis=1)[hit]
    right = np.where(beyond[..., None], at, 0.0).sum(axis=1)[hit]
    height = left[:, 2] + (right[:, 2] - left[:, 2]) * (x - left[:, 0]) / (right[:, 0] - left[:, 0])
    # A face looks up, so that the ray leaves the mesh there, where its outline runs anticlockwise round the ray: then
    # the edge on the right runs towards greater y.
    leaving = (beyond & (mesh.vertices[following, 1] > y)).any(axis=1)[hit]
    turn = np.where(leaving, 1, -1)
    above = height > z
    if turn.sum() == 0:
        return bool(turn[above].sum() != 0)
    return bool(above.sum() % 2 == 1)


def _standing_over(mesh: Mesh, x: float, y: float) -> Integers:
    """(k,) the numbers of the faces whose boxes in plan hold the point (x, y)."""
    clusters = clusters_of(mesh)
    near = np.abs(clusters.centres[:2] - [[x], [y]]) <= clusters.radii * (1.0 + 1e-9)
    starts = np.flatnonzero(near.all(axis=0)) * SIZE
    faces, _ = spread(starts, np.minimum(starts + SIZE, len(mesh.faces)) - starts)
    corners = mesh.vertices[mesh.faces[faces], :2]
    over = (corners.min(axis=1) <= [x, y]) & (corners.max(axis=1) >= [x, y])
    standing: Integers = faces[over.all(axis=1)]
    return standing


def _extent(mesh: Mesh) -> float:
    return float((mesh.bounds[1] - mesh.bounds[0]).max())


def _welded(mesh: Mesh) -> Mesh:
    """The mesh with boundary vertices merged that lie within `WELD` times its extent of each other."""
    # Vertices in one cell of a grid are near each other. The border of two cells may run between two near vertices, so
    # there are eight grids, each shifted by half a cell or not along each axis: two points that are at most half a cell
    # apart along each axis share a cell in at least one of them.
    #
    #     the grid                 |     a|b     |      |
    #     shifted by half a cell       |  a b |      |
    rim = np.unique(boundary(mesh.faces, len(mesh.vertices)))
    cell = 2.0 * WELD * _extent(mesh)
    grid = (mesh.vertices[rim] - mesh.bounds[0]) / cell
    pairs = []
    for shift in itertools.product((0.0, 0.5), repeat=3):
        x, y, z = np.floor(grid + shift).astype(np.int64).T
        key = (x << 40) + (y << 20) + z
        order = np.argsort(key)
        same = np.flatnonzero(key[order[1:]] == key[order[:-1]])
        pairs.append(np.stack([order[same], order[same + 1]], axis=1))
    merged = np.arange(len(mesh.vertices), dtype=np.int32)
    merged[rim] = rim[components(np.concatenate(pairs), len(rim))]
    faces = merged[mesh.faces]
    return Mesh(mesh.vertices, faces, mesh.part, mesh.part_names).subset(proper(faces))


def _zipped(mesh: Mesh) -> tuple[Mesh, Edges, Edges]:
    """The mesh without slits; its boundary edges (e, 2); and the third vertices (e,) of their faces, as of `_rim`."""
    # A slit is a boundary loop that lies on a line: its edges run along each other, but between different vertices. A
    # face with a long edge is cut at the slit's vertices on it; then each short edge has two faces: no slit is left.
    #
    #         third                third
    #           o                    o
    #          / \                  /|\
    #         /   \       ->        / | \
    #        o-----o              o--o--o      the face cut in two, along the line of the slit
    #        o--o--o              o--o--o      the faces on its other side
    rim, third, at = _rim(mesh)
    for _ in range(_MAX_EDGE_ROUNDS):
        loops = boundary_loops(rim, mesh.vertices)
        order = np.lexsort((loops.along, loops.loop))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        ends = rank[np.searchsorted(loops.vertices, rim)]
        # In the order along a slit, the vertices between the two ends of an edge are those at which its face is cut. A
        # face with two such edges is cut at one of them now, and at the other in the next round.
        spans = np.abs(ends[:, 0] - ends[:, 1])
        long = np.flatnonzero(loops.straight[loops.loop[order[ends[:, 0]]]] & (spans > 1))
        long = long[np.unique(at[long], return_index=True)[1]]
        if len(long) == 0 or spans[long].sum() > _MAX_CUTS + 2 * len(mesh.faces):
            break
        edge = np.repeat(np.arange(len(long)), spans[long])
        step = np.arange(len(edge)) - np.searchsorted(edge, edge)
        end, start = ends[long].T  # boundary edges run against their faces
        way = np.sign(end - start)[edge]
        from_start = start[edge] + way * step
        along = loops.vertices[order]
        cut = np.column_stack([along[from_start], along[from_start + way], third[long][edge]]).astype(np.int32)
        whole = np.ones(len(mesh.faces), dtype=np.bool_)
        whole[at[long]] = False
        part = np.concatenate([mesh.part[whole], mesh.part[at[long]][edge]])
        mesh = Mesh(mesh.vertices, np.concatenate([mesh.faces[whole], cut]), part, mesh.part_names)
        rim, third, at = _rim(mesh)
    return mesh, rim, third


def _rim(mesh: Mesh) -> tuple[Edges, Edges, Edges]:
    """The boundary edges (e, 2), each in the direction against its face's; the third vertex of that face; the face.

    A face that is added on an edge in this direction looks the same way as the face that is there.
    """
    count = len(mesh.vertices)
    open_edges = boundary(mesh.faces, count)
    corners = mesh.faces.astype(np.int64)
    start, end, third = corners.ravel(), np.roll(corners, -1, axis=1).ravel(), np.roll(corners, -2, axis=1).ravel()
    keys = np.minimum(start, end) * count + np.maximum(start, end)
    at_rim = np.flatnonzero(np.isin(keys, open_edges[:, 0] * count + open_edges[:, 1]))
    first = at_rim[np.unique(keys[at_rim], return_index=True)[1]]
    return np.stack([end[first], start[first]], axis=1), third[first], first // 3


def _boxes(vertices: Floats, rim: Edges, loop: Edges) -> tuple[Floats, Floats]:
    """The box round each loop: least and greatest coordinates, each (loops, 3)."""
    order = np.argsort(loop, kind="stable")
    starts = np.flatnonzero(np.diff(loop[order], prepend=-1))
    points = vertices[rim[order, 0]]
    return np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)


def _outer(mesh: Mesh, rim: Edges, third: Edges, loop: Edges, low: Floats, high: Floats) -> Flags:
    """Which loops (loops,) bool are the outer border of something open below.

    Such a loop is about as large in plan as the whole mesh, and the surface does not hang down from it.
    """
    # The direction from a boundary edge into its face tells where the surface goes from there. It goes straight down at
    # the top of a roofless building, whose walls hang from that border; such a border gets no skirt.
    #
    #     roofless building: -1        height field: about 0       open underside: +1
    #         o         o               o___/\___/\__o                 ____
    #         |         |                                             |    |
    #         |_________|                                             o    o
    box, size = (mesh.bounds[1] - mesh.bounds[0])[:2], (high - low)[:, :2]
    across = mesh.vertices[third] - mesh.vertices[rim].mean(axis=1)
    lengths = np.linalg.norm(mesh.vertices[rim[:, 1]] - mesh.vertices[rim[:, 0]], axis=1)
    steepness = across[:, 2] / np.maximum(np.linalg.norm(across, axis=1), 1e-300)
    rise = np.bincount(loop, lengths * steepness) / np.maximum(np.bincount(loop, lengths), 1e-300)
    outer: Flags = (size.prod(axis=1) > _OUTER * box.prod()) & (rise > _ROOFLESS_SLOPE)
    return outer


def _skirts(mesh: Mesh, rim: Edges, loop: Edges) -> tuple[Floats, Edges, Edges]:
    """The mesh's vertices followed by those on the floor; the faces (f, 3) down to it and across it; the loop of each.

    A vertex that lies on the floor already has no other vertex below it, and its face of the skirt vanishes.
    """
    floor = mesh.bounds[0, 2]
    used = np.unique(rim)
    high = used[mesh.vertices[used, 2] - floor > WELD * _extent(mesh)]
    below = np.arange(len(mesh.vertices))
    below[high] = len(mesh.vertices) + np.arange(len(high))
    dropped = mesh.vertices[high]
    dropped[:, 2] = floor
    vertices = np.concatenate([mesh.vertices, dropped])
    start, end = rim.T
    sides = np.concatenate(
        [np.stack([start, end, below[end]], axis=1), np.stack([start, below[end], below[start]], axis=1)]
    )
    whole = proper(sides)
    vertices, across, across_of = _cones(vertices, below[rim], loop)
    return vertices, np.concatenate([sides[whole], across]), np.concatenate([np.tile(loop, 2)[whole], across_of])


def _cones(vertices: Floats, rim: Edges, loop: Edges) -> tuple[Floats, Edges, Edges]:
    """The vertices followed by the loops' centroids; the faces (f, 3) from edges to these; the loop of each face."""
    if len(rim) == 0:
        return vertices, np.empty((0, 3), np.int64), loop
    cone = np.unique(loop, return_inverse=True)[1]
    lengths = np.linalg.norm(vertices[rim[:, 1]] - vertices[rim[:, 0]], axis=1) + 1e-300
    middles = vertices[rim].mean(axis=1)
    total = np.bincount(cone, lengths)
    apexes = np.stack([np.bincount(cone, lengths * middles[:, axis]) / total for axis in range(3)], axis=1)
    faces = np.column_stack([rim, len(vertices) + cone])
    return np.concatenate([vertices, apexes]), faces, loop


def _areas(vertices: Floats, faces: NDArray[Any]) -> Floats:
    a, b, c = (np.take(vertices, faces[:, corner], axis=0) for corner in range(3))
    areas: Floats = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2.0
    return areas


def _joined(mesh: Mesh, vertices: Floats, added: Edges) -> Mesh:
    names = mesh.part_names if CLOSING in mesh.part_names else (*mesh.part_names, CLOSING)
    part = np.concatenate([mesh.part, np.full(len(added), names.index(CLOSING), dtype=np.int32)])
    return Mesh(vertices, np.concatenate([mesh.faces, added.astype(np.int32)]), part, names)
