"""LOAD: a scan with holes becomes a solid through which nothing is ever seen, and what that took is said."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats
from silhouette.meshes.health import NARROW, boundary, components, rims
from silhouette.meshes.mesh import Mesh

# Vertices on a rim that are nearer to each other than this share of the mesh's extent are one: cracks, not holes.
WELD = NARROW
# A face has three edges, and all but the oddest meshes are done after the first.
_MOST_ROUNDS = 4
CLOSING = "closing"
# A rim is the outer border where the box round it covers this share of the box round the mesh, seen from above.
_OUTER = 0.5
# A rim opens upwards (a roofless building) where the faces at it go down at more than about 45 degrees.
_STEEP = -0.7

Edges = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Closed:
    """A mesh without boundary, and what closing it took.

    Attributes:
        mesh: the mesh given, followed by the added faces as the part "closing"; the given mesh itself where nothing
            was open.
        holes: how many holes were closed; cracks of no width do not count.
        skirts: how many of them were the outer border of an open underside, closed by a skirt and a floor.
        area_grown: mm2 of added faces.
        share_grown: the same as a share of the given surface.
        largest: mm, the diagonal of the box round the largest hole.
        welded: whether anything was open at all, if perhaps only by cracks of no width.
    """

    mesh: Mesh
    holes: int
    skirts: int
    area_grown: float
    share_grown: float
    largest: float
    welded: bool = False

    @property
    def sentence(self) -> str:
        """What was done, in words.

        >>> Closed(None, holes=0, skirts=0, area_grown=0.0, share_grown=0.0, largest=0.0).sentence
        'nothing was open'
        >>> Closed(None, holes=3, skirts=0, area_grown=80.0, share_grown=0.008, largest=4.1).sentence
        'closed 3 holes (largest 4.1 mm across) by cones to their middles; the surface grew by 0.8 %'
        """
        if self.holes == 0:
            return "closed cracks of no width; the surface did not grow" if self.welded else "nothing was open"
        count = f"{self.holes} hole{'' if self.holes == 1 else 's'}"
        how = " by a cone to its middle" if self.holes == 1 else " by cones to their middles"
        if self.skirts == self.holes:
            how = " by a skirt down to a floor"
        elif self.skirts:
            how += f", {self.skirts} of them by a skirt down to a floor"
        across = f" (largest {self.largest:.1f} mm across)"
        return f"closed {count}{across}{how}; the surface grew by {100.0 * self.share_grown:.1f} %"


def close(mesh: Mesh) -> Closed:
    """The mesh (mm) with every hole closed, so that every edge is used by an even number of faces.

    Rim vertices within ``WELD`` times the mesh's extent become one first, and where edges of unequal lengths run along
    each other, the faces at the longer ones are cut. What then is left open are loops of edges, taken together where
    they touch. Each is joined to its centroid by a cone, which closes it whatever its shape; the
    outer border of an open underside or of a height field gets a skirt straight down to the mesh's lowest level and a
    flat floor there instead, unless the surface hangs from it like the walls of a roofless building.
    """
    if len(boundary(mesh.faces, len(mesh.vertices))) == 0:
        return Closed(mesh, 0, 0, 0.0, 0.0, 0.0)
    mesh, rim, third = _zipped(_welded(mesh))
    if len(rim) == 0:
        return Closed(mesh, 0, 0, 0.0, 0.0, 0.0, welded=True)
    loop = _loops(rim)
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
    """Whether a point (3,) lies inside a closed mesh: a ray straight up leaves it more often than it enters it.

    So a point in two shells that overlap is inside. Where the whole line through the point does not leave as often as
    it enters, some faces are turned inside out, and an odd number of faces above the point tells.

    Every edge is judged by its two ends in a fixed order, the same for all faces that share it, and is half open in
    plan: so a ray through an edge or a vertex crosses just those of the faces there that it should. Only a mesh
    without boundary, as `close` returns it, has an inside for certain.

    >>> from silhouette.meshes.mesh import Mesh
    >>> corners = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]])
    >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], dtype=np.int32)
    >>> pyramid = Mesh(corners, faces, np.zeros(4, np.int32))
    >>> encloses(pyramid, [1, 1, 1]), encloses(pyramid, [1, 1, 3]), encloses(pyramid, [1, 1, -1])
    (True, False, False)
    """
    x, y, z = (float(value) for value in point)
    faces = mesh.faces[_standing_over(mesh, x, y)]
    following = np.roll(faces, -1, axis=1)
    edges = np.sort(np.stack([faces, following], axis=2), axis=2)
    start, end = mesh.vertices[edges[..., 0]], mesh.vertices[edges[..., 1]]
    crossing = (start[..., 1] > y) != (end[..., 1] > y)
    rise = np.where(crossing, end[..., 1] - start[..., 1], 1.0)
    at = start + ((y - start[..., 1]) / rise)[..., None] * (end - start)
    beyond = crossing & (at[..., 0] > x)
    before = crossing & ~beyond
    # Of the two edges that a face in the way crosses the line with, one lies beyond the ray and one does not.
    hit = (beyond.sum(axis=1) == 1) & (before.sum(axis=1) == 1)
    one = np.where(before[..., None], at, 0.0).sum(axis=1)[hit]
    two = np.where(beyond[..., None], at, 0.0).sum(axis=1)[hit]
    height = one[:, 2] + (two[:, 2] - one[:, 2]) * (x - one[:, 0]) / (two[:, 0] - one[:, 0])
    # A face looks up, and the ray leaves by it, where its outline goes round the ray counterclockwise.
    leaving = (beyond & (mesh.vertices[following, 1] > y)).any(axis=1)[hit]
    turn = np.where(leaving, 1, -1)
    above = height > z
    if turn.sum() == 0:
        return bool(turn[above].sum() != 0)
    return bool(above.sum() % 2 == 1)


def _standing_over(mesh: Mesh, x: float, y: float) -> Flags:
    """The faces (m,) whose box in plan holds a place."""
    over: Flags = np.ones(len(mesh.faces), dtype=np.bool_)
    for axis, value in ((0, x), (1, y)):
        column = mesh.vertices[:, axis]
        one, two, three = (column[mesh.faces[:, corner]] for corner in range(3))
        over &= (np.minimum(np.minimum(one, two), three) <= value) & (value <= np.maximum(np.maximum(one, two), three))
    return over


def _extent(mesh: Mesh) -> float:
    return float((mesh.bounds[1] - mesh.bounds[0]).max())


def _welded(mesh: Mesh) -> Mesh:
    """The mesh with rim vertices that are very near each other made one.

    Two points within half a cell share a cell in at least one of eight grids, each shifted by half a cell or not
    along each axis: so no pair is missed because a cell's border runs between them.
    """
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
    one, two, three = faces.T
    return Mesh(mesh.vertices, faces, mesh.part, mesh.part_names).subset((one != two) & (two != three) & (three != one))


def _zipped(mesh: Mesh) -> tuple[Mesh, Edges, Edges]:
    """The mesh without slits, faces along them cut at the vertices that lie on their edges; and its rim as `_rim`'s."""
    rim, third, at = _rim(mesh)
    for _ in range(_MOST_ROUNDS):
        found = rims(rim, mesh.vertices)
        order = np.lexsort((found.along, found.loop))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        ends = rank[np.searchsorted(found.vertices, rim)]
        # Between the ends of a slit's edge lie just the slit's vertices; a face is cut at one edge at a time.
        spans = np.abs(ends[:, 0] - ends[:, 1])
        long = np.flatnonzero(found.straight[found.loop[order[ends[:, 0]]]] & (spans > 1))
        long = long[np.unique(at[long], return_index=True)[1]]
        if len(long) == 0:
            break
        edge = np.repeat(np.arange(len(long)), spans[long])
        step = np.arange(len(edge)) - np.searchsorted(edge, edge)
        end, start = ends[long].T  # a rim's edges run against their faces
        way = np.sign(end - start)[edge]
        from_start = start[edge] + way * step
        along = found.vertices[order]
        cut = np.column_stack([along[from_start], along[from_start + way], third[long][edge]]).astype(np.int32)
        kept = np.ones(len(mesh.faces), dtype=np.bool_)
        kept[at[long]] = False
        part = np.concatenate([mesh.part[kept], mesh.part[at[long]][edge]])
        mesh = Mesh(mesh.vertices, np.concatenate([mesh.faces[kept], cut]), part, mesh.part_names)
        rim, third, at = _rim(mesh)
    return mesh, rim, third


def _rim(mesh: Mesh) -> tuple[Edges, Edges, Edges]:
    """The edges (e, 2) left open, each against the way its face runs, that face's third vertex (e,), and it (e,)."""
    count = len(mesh.vertices)
    open_edges = boundary(mesh.faces, count)
    corners = mesh.faces.astype(np.int64)
    start, end, third = corners.ravel(), np.roll(corners, -1, axis=1).ravel(), np.roll(corners, -2, axis=1).ravel()
    keys = np.minimum(start, end) * count + np.maximum(start, end)
    at_rim = np.flatnonzero(np.isin(keys, open_edges[:, 0] * count + open_edges[:, 1]))
    first = at_rim[np.unique(keys[at_rim], return_index=True)[1]]
    return np.stack([end[first], start[first]], axis=1), third[first], first // 3


def _loops(rim: Edges) -> Edges:
    """For each rim edge (e,) the number of the loop it belongs to, from 0."""
    used, compact = np.unique(rim, return_inverse=True)
    compact = compact.reshape(-1, 2)
    return np.unique(components(compact, len(used))[compact[:, 0]], return_inverse=True)[1]


def _boxes(vertices: Floats, rim: Edges, loop: Edges) -> tuple[Floats, Floats]:
    """The box round each loop: least and greatest coordinates, each (loops, 3)."""
    order = np.argsort(loop, kind="stable")
    starts = np.flatnonzero(np.diff(loop[order], prepend=-1))
    points = vertices[rim[order, 0]]
    return np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)


def _outer(mesh: Mesh, rim: Edges, third: Edges, loop: Edges, low: Floats, high: Floats) -> Flags:
    """Which loops (loops,) are the outer border of something open below."""
    box, size = (mesh.bounds[1] - mesh.bounds[0])[:2], (high - low)[:, :2]
    across = mesh.vertices[third] - mesh.vertices[rim].mean(axis=1)
    lengths = np.linalg.norm(mesh.vertices[rim[:, 1]] - mesh.vertices[rim[:, 0]], axis=1)
    steepness = across[:, 2] / np.maximum(np.linalg.norm(across, axis=1), 1e-300)
    hanging = np.bincount(loop, lengths * steepness) / np.maximum(np.bincount(loop, lengths), 1e-300)
    outer: Flags = (size.prod(axis=1) > _OUTER * box.prod()) & (hanging > _STEEP)
    return outer


def _skirts(mesh: Mesh, rim: Edges, loop: Edges) -> tuple[Floats, Edges, Edges]:
    """All vertices with those on the floor, the faces (f, 3) down to it and across it, and the loop (f,) of each."""
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
    one, two, three = sides.T
    whole = (one != two) & (two != three) & (three != one)
    vertices, across, across_of = _cones(vertices, below[rim], loop)
    return vertices, np.concatenate([sides[whole], across]), np.concatenate([np.tile(loop, 2)[whole], across_of])


def _cones(vertices: Floats, rim: Edges, loop: Edges) -> tuple[Floats, Edges, Edges]:
    """All vertices with the loops' centroids, the faces (f, 3) from rim edges to these, and the loop (f,) of each."""
    if len(rim) == 0:
        return vertices, np.empty((0, 3), np.int64), loop
    place = np.unique(loop, return_inverse=True)[1]
    lengths = np.linalg.norm(vertices[rim[:, 1]] - vertices[rim[:, 0]], axis=1) + 1e-300
    middles = vertices[rim].mean(axis=1)
    total = np.bincount(place, lengths)
    apexes = np.stack([np.bincount(place, lengths * middles[:, axis]) / total for axis in range(3)], axis=1)
    faces = np.column_stack([rim, len(vertices) + place])
    return np.concatenate([vertices, apexes]), faces, loop


def _areas(vertices: Floats, faces: NDArray[Any]) -> Floats:
    one, two, three = (np.take(vertices, faces[:, corner], axis=0) for corner in range(3))
    areas: Floats = np.linalg.norm(np.cross(two - one, three - one), axis=1) / 2.0
    return areas


def _joined(mesh: Mesh, vertices: Floats, added: Edges) -> Mesh:
    """The mesh over more vertices, with added faces as a part of their own."""
    names = mesh.part_names if CLOSING in mesh.part_names else (*mesh.part_names, CLOSING)
    part = np.concatenate([mesh.part, np.full(len(added), names.index(CLOSING), dtype=np.int32)])
    return Mesh(vertices, np.concatenate([mesh.faces, added.astype(np.int32)]), part, names)
