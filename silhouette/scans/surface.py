"""SURFACE: what is near what on a scan, which way it faces, where it is level, and where a flat outline ends.

What is near what on a scan's surface, which way it faces, and where it is level.

A scan's surface as pieces of equal area, whatever its triangles or the density of its points.

The edges of a table: the rectangle round its surface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import coo_matrix
from scipy.spatial import ConvexHull, QhullError, cKDTree

from silhouette.common.geometry import Flags, Floats, Integers, components
from silhouette.common.lazy import cached_property
from silhouette.scans.read import Scan

# ---- surfaces

BEND_POINTS, BEND_ROUNDS = (100, 2000), 6
"""So many points of a table tell how it is bent, at least, and about so many are taken; and how often it is fitted."""
CLOSED = 0.05  # the share of its area by which a surface that is closed may face up or down, and still says nothing
RING_NEIGHBOURS = 8  # the neighbours of each point of a cloud: about those in a ring round it


@dataclass(frozen=True, eq=False)
class LevelSurface:
    """A level part of a scan above the table, such as a roof."""

    z: float  # its height
    points: Integers  # (k,) indices of the scan's points on it


def edges_of(points: Floats, faces: Integers | None, usable: Flags, spacing: float) -> Integers:
    """(k, 2) pairs of neighbours, each once: the edges of the triangles, or near points of a cloud.

    >>> edges_of(np.eye(3), np.array([[0, 1, 2]], dtype=np.int32), np.ones(3, dtype=bool), 1.0).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    if faces is not None and len(faces):
        faces = faces[usable[faces].all(1)]
        pairs = np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [0, 2]]]), axis=1)
    else:
        index = np.flatnonzero(usable)
        if len(index) < 2:
            return np.empty((0, 2), dtype=np.int32)
        count = min(RING_NEIGHBOURS + 1, len(index))
        # three spacings: farther apart, two points are not of one surface
        distance, other = cKDTree(points[index]).query(points[index], k=count, distance_upper_bound=3 * spacing)
        at, which = np.nonzero(np.isfinite(distance[:, 1:]))
        pairs = np.sort(np.column_stack([index[at], index[other[at, which + 1]]]), axis=1)
    if len(pairs) == 0:
        return np.empty((0, 2), dtype=np.int32)
    keys = np.sort(pairs[:, 0].astype(np.int64) * len(points) + pairs[:, 1])
    keys = keys[np.append(True, keys[1:] != keys[:-1])]  # numpy's unique takes ten times as long
    return np.column_stack([keys // len(points), keys % len(points)]).astype(np.int32)


def vertex_normals(points: Floats, faces: Integers | None, usable: Flags, neighbours: int = 14) -> Floats:
    """(n, 3) unit normals: of the triangles about a vertex by area; of a cloud, of the plane through near points.

    Those of a cloud point up, as nobody knows better; where there is none, (0, 0, 0). Of triangles that are wound the
    wrong way round, as apps and converters write them, the normals are turned: z is up, and a scan faces up.

    >>> square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0]])
    >>> [float(vertex_normals(square, np.array([face]), np.ones(3, bool))[0, 2]) for face in ([0, 1, 2], [0, 2, 1])]
    [1.0, 1.0]
    """
    normals = np.zeros((len(points), 3))
    if faces is not None and len(faces):
        a, b, c = points[faces[:, 0]], points[faces[:, 1]], points[faces[:, 2]]
        across = np.cross(b - a, c - a)
        for axis in range(3):
            normals[:, axis] = sum(np.bincount(faces[:, k], across[:, axis], len(points)) for k in range(3))
        if _is_wound_wrongly(a, across):
            normals *= -1.0
    else:
        index = np.flatnonzero(usable)
        if len(index) < 4:
            return normals
        near = cKDTree(points[index]).query(points[index], k=min(neighbours, len(index)))[1]
        some = points[index][near]
        some = some - some.mean(1, keepdims=True)
        normals[index] = np.linalg.eigh(np.einsum("nki,nkj->nij", some, some))[1][:, :, 0]
        normals[normals[:, 2] < 0] *= -1
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.where(length > 0, length, 1.0))


def _is_wound_wrongly(corners: Floats, across: Floats) -> bool:
    """Whether triangles (m, 3), by a corner and twice their area along the normal, face down and not up on the whole.

    Those of a closed surface face both ways alike: of them the volume within tells it.
    """
    upward = float(across[:, 2].sum())
    if abs(upward) < CLOSED * float(np.linalg.norm(across, axis=1).sum()):
        upward = float(((corners - corners.mean(axis=0)) * across).sum()) if len(corners) else 0.0
    return upward < 0.0


def outward(points: Floats, normals: Floats, edges: Integers, spacing: float) -> Floats:
    """(n, 3) the normals of a cloud, which have no side, turned outward.

    Outward is where a camera may have stood: seen from above, where something lower was seen beside the point, such as
    the table; inward is where something higher is, or where nothing was seen at all. Level ones point up. What that
    leaves open takes the side of its neighbours (Hoppe et al., "Surface reconstruction from unorganized points", 1992,
    here by diffusion).
    """
    width = 1.5 * spacing
    low = points[:, :2].min(0) - 8 * spacing
    shape = np.ceil((points[:, :2].max(0) + 8 * spacing - low) / width).astype(np.int64) + 1
    if shape[0] * shape[1] > 30_000_000:  # points far away from all others
        return normals
    roof = np.full(int(shape[0] * shape[1]), np.nan)
    order = np.argsort(points[:, 2], kind="stable")
    cell = np.floor((points[:, :2] - low) / width).astype(np.int64) @ np.array([shape[1], 1])
    roof[cell[order]] = points[order, 2]

    def open_at(step: float) -> Floats:
        place = points[:, :2] + step * normals[:, :2] / np.maximum(flat, 0.2)[:, None]
        there = roof[np.floor((place - low) / width).astype(np.int64) @ np.array([shape[1], 1])]
        free = np.where(there < points[:, 2] - spacing, 1.0, -1.0)
        return np.where(np.isnan(there), -0.5, free)  # not seen: rather behind than before a thing

    flat = np.hypot(normals[:, 0], normals[:, 1])
    steps = [2 * spacing, 3.5 * spacing, 5 * spacing]
    score = sum((open_at(step) - open_at(-step) for step in steps), np.zeros(len(points))) * flat / 6
    score = np.where(np.abs(normals[:, 2]) > 0.9, np.sign(normals[:, 2]), score)
    start, end = edges.T
    agreement = (normals[start] * normals[end]).sum(1)
    agreement *= np.abs(agreement)
    links = coo_matrix((agreement, (start, end)), shape=(len(points), len(points))).tocsr()
    links = links + links.T
    weight = np.asarray(np.abs(links).sum(1)).ravel() + 1e-9
    side = score
    for _ in range(12):
        side = 0.4 * score + 0.6 * (links @ side) / weight
    return normals * np.where(side < 0, -1.0, 1.0)[:, None]


@dataclass(frozen=True, eq=False)
class PlacedScan:
    """A scan in mm as it stands on its table: z = 0 is the table's top, or what it stands on without one."""

    points: Floats  # (n, 3); those that do not count are at the origin
    faces: Integers  # (m, 3) rows of vertices; (0, 3) for a cloud of points
    usable: Flags  # (n,) which points count
    on_table: Flags  # (n,) those of the table's surface
    noise: float  # mm, standard deviation of the table's surface
    spacing: float  # mm, median distance of neighbours
    size: tuple[float, float] | None = None  # mm, the table's edges along x and y; None where there is no table
    colours: NDArray[np.uint8] | None = None  # (n, 3) of the points, where there are any

    @property
    def floor(self) -> float:
        """The mm up to which the table's noise reaches; 0.4 is thinner than any piece."""
        return max(3.0 * self.noise, 0.4)

    @property
    def each(self) -> float:
        """The square mm for which a point stands, as in a mesh of even triangles."""
        return 0.87 * self.spacing**2

    @cached_property
    def heights(self) -> Floats:
        """(n,) mm over the table as it is bent: over a surface of third order through its points, where it is no plane.

        Slopes of terrain are no bends: they are none of the table's points, or too few to count (Tukey's weights).
        """
        z, table = self.points[:, 2], self.on_table & self.usable
        if table.sum() < BEND_POINTS[0]:
            return z
        x, y = (self.points[:, :2] / max(float(np.abs(self.points[table, :2]).max()), 1e-9)).T
        terms = np.stack([x**i * y**j for i in range(4) for j in range(4 - i)], axis=1)
        bend = np.zeros(len(z))
        for _ in range(BEND_ROUNDS):
            own = np.flatnonzero(table)[:: max(1, int(table.sum()) // BEND_POINTS[1])]
            weight = np.ones(len(own))
            for _ in range(4):
                fit = np.linalg.lstsq(terms[own] * np.sqrt(weight)[:, None], z[own] * np.sqrt(weight), rcond=None)[0]
                rest = z[own] - terms[own] @ fit
                weight = np.maximum(0.0, 1.0 - (rest / (7.0 * np.median(np.abs(rest)) + 1e-9)) ** 2) ** 2
            low, high = np.percentile(terms[own] @ fit, [0.5, 99.5])
            if high - low < 3.0 * self.floor:
                return z  # it is a plane
            # Where it is bent most the table was not known for one: it goes on from what was, a little each time.
            bend = np.clip(terms @ fit, low - 6.0 * self.floor, high + 6.0 * self.floor)
            table = self.usable & ~self.beyond & (np.abs(z - bend) < 2.0 * self.floor)
        return np.asarray(z - bend)

    @cached_property
    def beyond(self) -> Flags:
        """(n,) the points beyond the table's edges, by more than those may be wrong; none without a table."""
        if self.size is None:
            return np.zeros(len(self.points), dtype=bool)
        away = np.abs(self.points[:, :2]) >= np.asarray(self.size) / 2 + 3 * self.spacing
        return np.asarray(self.usable & away.any(axis=1))

    @cached_property
    def edges(self) -> Integers:
        """(k, 2) pairs of neighbours."""
        return edges_of(self.points, self.faces, self.usable, self.spacing)

    @cached_property
    def normals(self) -> Floats:
        """(n, 3) unit vectors, outward; of a cloud over so wide a ring that noise tilts them by a few degrees."""
        neighbours = int(np.clip(np.pi * (max(2 * self.spacing, 5 * self.noise) / self.spacing) ** 2, 14, 50))
        normals = vertex_normals(self.points, self.faces, self.usable, neighbours)
        return normals if len(self.faces) else outward(self.points, normals, self.edges, self.spacing)


def groups_of(count: int, edges: Integers) -> Integers:
    """(count,) the number of the connected group of each of so many things, from pairs of them."""
    return np.unique(components(edges, count), return_inverse=True)[1].astype(np.int32)


def densest(values: Floats, width: float) -> tuple[float, int]:
    """The median of the values in the densest window of a width, and how many these are.

    >>> densest(np.array([0.0, 4.0, 4.1, 4.3, 9.0]), 0.5)
    (4.1, 3)
    """
    ordered = np.sort(values)
    count = np.searchsorted(ordered, ordered + width, side="right") - np.arange(len(ordered))
    first = int(np.argmax(count))
    return float(np.median(ordered[first : first + count[first]])), int(count[first])


def smallest_sides(flat: Floats) -> tuple[float, float, float]:
    """The shorter and the longer side of the smallest rectangle round points (n, 2), and radians from x to one of them.

    One side lies along a side of the convex hull (Freeman and Shapira 1975).

    >>> [round(number, 6) for number in smallest_sides(np.array([[0.0, 0], [3, 0], [3, 1], [0, 1]]))]
    [1.0, 3.0, 0.0]
    >>> smallest_sides(np.array([[0.0, 0], [3, 0], [6, 0]]))
    (0.0, 6.0, 0.0)
    """
    try:
        corners = flat[ConvexHull(flat).vertices]
    except (QhullError, ValueError):
        return 0.0, float(np.ptp(flat, axis=0).max(initial=0.0)), 0.0
    along = np.roll(corners, -1, axis=0) - corners
    turns = np.arctan2(along[:, 1], along[:, 0]) % (np.pi / 2)
    c, s = np.cos(turns)[:, None], np.sin(turns)[:, None]
    x, y = corners[:, 0] * c + corners[:, 1] * s, corners[:, 1] * c - corners[:, 0] * s
    best = int(np.argmin(np.ptp(x, axis=1) * np.ptp(y, axis=1)))
    sides = float(np.ptp(x[best])), float(np.ptp(y[best]))
    return min(sides), max(sides), float(turns[best])


LEVEL = 0.94  # cosine, 20 degrees, within which a surface is level: noise of half the spacing tilts normals by as much


def level_surfaces(
    points: Floats, normals: Floats, edges: Integers, *, spacing: float, least_area: float, above: float
) -> list[LevelSurface]:
    """The level surfaces higher than `above` with at least an area, the largest first.

    Vertices that are level and whose neighbours are no more than half a spacing higher or lower belong together; parts
    of one height, such as the planks of a walkway, are put together.
    """
    level = (normals[:, 2] > LEVEL) & (points[:, 2] > above)
    links = edges[level[edges].all(1)]
    links = links[np.abs(points[links[:, 0], 2] - points[links[:, 1], 2]) < 0.5 * spacing]
    group = groups_of(len(points), links)
    index = np.flatnonzero(level)
    if len(index) == 0:
        return []
    # a vertex stands for about so much area in a mesh of even triangles
    each = 0.87 * spacing**2
    order = index[np.argsort(group[index], kind="stable")]
    parts = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
    parts = [part for part in parts if len(part) * each >= 0.15 * least_area]
    heights = np.array([float(np.median(points[part, 2])) for part in parts])
    merged: list[LevelSurface] = []
    while len(heights):
        first = int(np.argmax([len(part) for part in parts]))
        same = np.abs(heights - heights[first]) < 0.7 * spacing
        members = np.concatenate([part for part, yes in zip(parts, same, strict=True) if yes])
        if len(members) * each >= least_area:
            merged.append(LevelSurface(float(np.median(points[members, 2])), members.astype(np.int32)))
        parts = [part for part, yes in zip(parts, same, strict=True) if not yes]
        heights = heights[~same]
    return merged


# ---- surfels

SURFELS = 40_000
"""About how many a scan becomes: 3.5 mm apart on a table of 700 x 700 mm, 2 cm apart in a room of 16 square metres."""

MESH_SAMPLES = (50_000, 200_000)  # least and most points drawn from a mesh, four for each triangle between
MOST_CLOUD_SAMPLES = 400_000  # samples of a cloud at most
SAMPLES_PER_SURFEL = 5  # samples for each surfel at least, so that its mean is half as rough as the scan
VERTEX_NEIGHBOURS = 6  # of a vertex in a triangle mesh; of a cloud so many nearest points count as neighbours

FARTHEST_VOXEL = 1500
"""Voxels from the middle beyond which a point is a stray: ten times as far as a scan with that many surfels is wide."""


@dataclass(frozen=True, eq=False)
class Surfels:
    """The surface of a scan, evenly: voxels of one size, each with the mean of the surface within it."""

    points: Floats  # (n, 3) float64, the means
    # (n, 3) float64 unit vectors, from the neighbours by principal components; they point out where the scan says which
    # side is out (`sided`)
    normals: Floats
    sided: bool  # whether the scan has triangles or normals
    cell: float  # the edge of a voxel
    samples: Floats  # (k, 3) float64, of which the means were taken: drawn evenly from the triangles, or the cloud
    # (k, 3) float64, the direction out of the surface at each sample, or None where the scan does not say
    out: Floats | None
    spacing: float  # the median distance between neighbouring points of the scan as stored
    # (n,) how far the neighbours of each spread across its plane, as a share of how far they spread in the plane,
    # across the longest way: 0 of a plane, 1 of points in a ball
    thickness: Floats
    vertices: Floats  # (v, 3) float64, the usable vertices of the scan, which lie close where it is fine

    def share_of_space(self) -> float:
        """The share of the surfels whose neighbours fill a space more than they lie on a surface."""
        return float((self.thickness > 0.5).mean())

    def roughness(self) -> float:
        """The standard deviation of the samples about the planes through the surfels: noise where it is smooth."""
        some = self.samples[:: max(1, len(self.samples) // 50_000)]
        near = cKDTree(self.points).query(some)[1]
        rest = ((some - self.points[near]) * self.normals[near]).sum(axis=1)
        return float(1.4826 * np.median(np.abs(rest)))


def surfels_of(scan: Scan, seed: int = 0) -> Surfels:
    """The surfels of a scan's usable part; needs three usable points that are not all in one place."""
    if len(scan.faces):
        samples, out = _drawn(scan, np.random.default_rng(seed))  # type: tuple[Floats, Floats | None]
        spacing = _edge_length(scan)
    else:
        samples = scan.vertices[scan.usable]
        out = scan.normals[scan.usable] if scan.normals is not None else None
        spacing = _point_distance(samples)
        if len(samples) > MOST_CLOUD_SAMPLES:
            some = np.sort(np.random.default_rng(seed).choice(len(samples), MOST_CLOUD_SAMPLES, replace=False))
            samples, out = samples[some], None if out is None else out[some]
    cell = _voxel(samples, 0.0 if len(scan.faces) else spacing)
    is_near, voxels = _voxels_of(samples, cell)
    counts = np.bincount(voxels)
    means = _sums(voxels, samples[is_near]) / counts[:, None]
    normals, thickness = _normals(means)
    if out is not None:
        against = (_sums(voxels, out[is_near]) * normals).sum(axis=1) < 0
        normals[against] *= -1
    return Surfels(means, normals, out is not None, cell, samples, out, spacing, thickness, scan.vertices[scan.usable])


def _drawn(scan: Scan, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Points drawn evenly from the triangles, and the triangles' unit normals at them."""
    corners = [scan.vertices[scan.faces[:, k]] for k in range(3)]
    cross = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    length = np.sqrt((cross**2).sum(axis=1))
    good = np.isfinite(length) & scan.usable[scan.faces].all(axis=1)
    total = np.cumsum(np.where(good, length, 0.0))
    if not total[-1] > 0:
        points = scan.vertices[scan.usable]
        return points, np.zeros_like(points)
    # One draw in each of as many equal strips of the area: evener than free draws, and no strip is left out.
    count = min(max(4 * len(scan.faces), MESH_SAMPLES[0]), MESH_SAMPLES[1])
    places = (np.arange(count) + rng.random(count)) * (total[-1] / count)
    hit = np.minimum(np.searchsorted(total, places, side="right"), len(total) - 1)
    u, v = rng.random((2, count))
    u, v = np.where(u + v > 1, (1 - u, 1 - v), (u, v))
    first = corners[0][hit]
    points = first + u[:, None] * (corners[1][hit] - first) + v[:, None] * (corners[2][hit] - first)
    return points, cross[hit] / np.maximum(length[hit], 1e-300)[:, None]


def _edge_length(scan: Scan) -> float:
    """The median length of the triangles' edges, from at most 100,000 triangles."""
    faces = scan.faces[:: max(1, len(scan.faces) // 100_000)]
    corners = scan.vertices[faces]
    lengths = np.sqrt(((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2))
    return float(np.median(lengths[np.isfinite(lengths)]))


def _point_distance(points: Floats) -> float:
    """The median over a cloud of the mean distance to the nearest points that lie elsewhere."""
    tree = cKDTree(points, balanced_tree=False, compact_nodes=False)
    some = points[:: max(1, len(points) // 10_000)]
    distances = tree.query(some, k=min(4 * VERTEX_NEIGHBOURS, len(points)))[0]
    distances = np.where(distances > 0, distances, np.nan)
    apart = np.sort(distances, axis=1)[:, :VERTEX_NEIGHBOURS]  # numpy sorts nan last
    has_neighbour = np.isfinite(apart).any(axis=1)
    return float(np.median(np.nanmean(apart[has_neighbour], axis=1))) if has_neighbour.any() else 0.0


def _voxel(samples: Floats, spacing: float) -> float:
    """The edge of voxels of which the samples fill about `SURFELS`; of a cloud twice the spacing at least.

    As each voxel of a surface holds a piece of its area, their number goes with the square of the edge; two steps of
    that rule come close enough.
    """
    some = samples[:: max(1, len(samples) // 200_000)]
    low, high = np.percentile(some, [1, 99], axis=0)
    cell = float(np.linalg.norm(high - low)) / 150 or spacing or 1.0
    for _ in range(3):
        count = _voxels_of(some, cell)[1].max(initial=0) + 1
        cell *= float(np.clip(np.sqrt(count / min(SURFELS, len(samples) / SAMPLES_PER_SURFEL)), 0.3, 3.0))
    return max(cell, 2 * spacing)


def _voxels_of(points: Floats, cell: float) -> tuple[NDArray[np.bool_], Integers]:
    """Which points lie within `FARTHEST_VOXEL` of the middle, and of each of these the number of its voxel, from 0."""
    steps = np.floor((points - np.median(points, axis=0)) / cell)
    is_near = (np.abs(steps) < FARTHEST_VOXEL).all(axis=1)
    whole = steps[is_near].astype(np.int64) + FARTHEST_VOXEL
    keys = (whole[:, 0] << 42) | (whole[:, 1] << 21) | whole[:, 2]
    return np.asarray(is_near), np.unique(keys, return_inverse=True)[1].astype(np.int32)


def _sums(groups: Integers, values: Floats) -> Floats:
    return np.stack([np.bincount(groups, weights=column) for column in values.T], axis=1)


def _normals(points: Floats) -> tuple[Floats, Floats]:
    """The direction in which each point's twelve nearest spread least, (n, 3), and the thickness of these, (n,)."""
    near = cKDTree(points).query(points, k=min(12, len(points)))[1].reshape(len(points), -1)
    around = points[near]
    around = around - around.mean(axis=1, keepdims=True)
    variances, directions = np.linalg.eigh(np.einsum("nki,nkj->nij", around, around))
    variances = np.maximum(variances, 0.0)
    thickness = np.sqrt(variances[:, 0] / np.maximum(variances[:, 1], 1e-300))
    return directions[:, :, 0], thickness


# ---- edges

STRIPS = 24  # into how many strips the surface is cut along each edge, each of which says where the edge is


@dataclass(frozen=True)
class Rectangle:
    """A table's outline in its plane."""

    middle: tuple[float, float]  # x and y
    turn: float  # radians anticlockwise from x to the edge whose length is `size[0]`
    size: tuple[float, float]  # both lengths


def rectangle_round(flat: Floats, pixel: float, over: Floats | None = None) -> Rectangle:
    """The rectangle round the points (n, 2) of a table's surface; lone specks and fringes do not count.

    The surface is painted with pixels; openings narrower than five go, thinner parts than three are specks. The
    smallest rectangle round it gives the direction. Each edge is then where most strips across it end; a round or
    ragged table's ends differ much, and its edge is where the outermost end; its x is kept.

    Points ``over`` (m, 2) stand on the table or hang over it: they join its parts, and where they go on beyond most of
    an edge they cover the table there, so that it ends where they do.
    """
    over = np.zeros((0, 2)) if over is None else over
    part, over = _largest_part(flat, over, pixel)
    turn = smallest_sides(part)[2]
    turned = part @ _rotation(turn)
    if not any(_edge(turned, axis, sign, pixel)[2] for axis in (0, 1) for sign in (-1, 1)):
        turn = 0.0
    for _ in range(3):
        turned = part @ _rotation(turn)
        ends = [_edge(turned, axis, sign, pixel) for axis in (0, 1) for sign in (-1, 1)]
        lean = [slope for _, slope, straight in ends if straight]
        if not lean:
            break
        turn += float(np.median(lean))
    turned, above = part @ _rotation(turn), over @ _rotation(turn)
    sides = np.array([[_edge(turned, axis, sign, pixel)[0] for sign in (-1, 1)] for axis in (0, 1)])
    for axis in (0, 1):
        sides[axis] = _covered(turned, above, sides, axis, pixel)
    middle = _rotation(turn) @ sides.mean(axis=1)
    size = sides[:, 1] - sides[:, 0]
    return Rectangle((float(middle[0]), float(middle[1])), turn, (float(size[0]), float(size[1])))


def _covered(turned: Floats, over: Floats, sides: Floats, axis: int, pixel: float) -> Floats:
    """Both ends of the table along an axis, moved out where most of an edge is covered by what goes on beyond it.

    At most by as much as is seen of the table: more would be another table.
    """
    ends: Floats = sides[axis].copy()
    within = (over[:, 1 - axis] > sides[1 - axis, 0]) & (over[:, 1 - axis] < sides[1 - axis, 1])
    seen = ends[1] - ends[0]
    for k, sign in enumerate((-1, 1)):
        out = sign * over[:, axis]
        beyond = within & (out > sign * ends[k] - 2 * pixel) & (out < sign * ends[k] + 1.2 * seen)
        strips = np.floor((over[beyond, 1 - axis] - sides[1 - axis, 0]) / np.ptp(sides[1 - axis]) * STRIPS).astype(int)
        if len(np.unique(strips)) < 0.7 * STRIPS:
            continue
        both = np.concatenate([turned, over[beyond]])
        end, _, straight = _edge(both, axis, sign, pixel)
        moved = sign * (end - ends[k])
        # A roof covers the table up to its end; a wall behind stands apart from it.
        steps = np.floor((out[beyond] - sign * ends[k]) / pixel)
        full = len({*steps[(steps >= 0) & (steps < moved / pixel)].tolist()}) > 0.7 * moved / pixel
        if straight and full and moved > 0.02 * seen:
            ends[k] = end
    return ends


def _rotation(turn: float) -> Floats:
    """(2, 2): its columns are the directions along and across, so that points @ it are turned back."""
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, -s], [s, c]])


def _largest_part(flat: Floats, over: Floats, pixel: float) -> tuple[Floats, Floats]:
    """The points of the part with most of the table's that hangs together, and those over it that belong to it."""
    points = np.vstack([flat, over])
    low = points.min(axis=0) - 4 * pixel
    steps = np.floor((points - low) / pixel).astype(np.int64)
    picture = np.zeros(steps.max(axis=0) + 5, dtype=bool)
    picture[steps[:, 0], steps[:, 1]] = True
    picture = ndimage.binary_fill_holes(ndimage.binary_closing(picture, np.ones((3, 3)), iterations=2))
    opened = ndimage.binary_opening(picture, np.ones((3, 3)), iterations=1)
    parts, count = ndimage.label(opened if opened.any() else picture, np.ones((3, 3)))
    part = parts[steps[:, 0], steps[:, 1]]
    largest = int(np.argmax(np.bincount(part[: len(flat)], minlength=count + 1)[1:])) + 1 if count else 0
    mine = part == largest
    return flat[mine[: len(flat)]], over[mine[len(flat) :]]


def _edge(flat: Floats, axis: int, sign: int, pixel: float) -> tuple[float, float, bool]:
    """Where the points end along an axis, by how many radians that edge leans, and whether it is straight.

    Strips within a twelfth of the corners do not count: corners are round or torn.
    """
    out, along = sign * flat[:, axis], flat[:, 1 - axis]
    low, high = along.min(), along.max()
    strips = np.clip(((along - low) / max(high - low, 1e-300) * STRIPS).astype(int), 0, STRIPS - 1)
    ends = ndimage.maximum(out, strips, np.arange(STRIPS))
    is_filled = np.bincount(strips, minlength=STRIPS) > 0
    inner = np.zeros(STRIPS, dtype=bool)
    inner[STRIPS // 12 : STRIPS - STRIPS // 12] = True
    at = low + (np.arange(STRIPS) + 0.5) * (high - low) / STRIPS
    use = is_filled & inner
    if use.sum() < 6:
        return sign * float(out.max()), 0.0, False
    x, y = at[use], ends[use]
    i, j = np.triu_indices(len(x), len(x) // 3)
    slope = float(np.median((y[j] - y[i]) / (x[j] - x[i])))  # Theil and Sen
    level = float(np.median(y - slope * (x - (low + high) / 2)))
    rest = y - slope * (x - (low + high) / 2) - level
    straight = float(np.median(np.abs(rest))) < max(pixel, 0.01 * (high - low))
    if not straight:
        return sign * float(ends[is_filled].max()), 0.0, False
    return sign * level, float(np.arctan(slope)) * (-1 if axis == 0 else 1) * sign, True
