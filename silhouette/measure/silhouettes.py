"""COUNT: the silhouette of a body in a picture, exactly: all that its faces cover, as polygons.

faces, each on the side of the eye or not -> the edges that bound those that look at the eye, and those that bound all
-> closed loops -> strips of the picture -> what the loops wind round

How many faces that look at the eye lie over a place of the picture is a sum over edges: an edge counts with its
*imbalance*, by how many more of them it has on its one side than on its other. Nearly all edges of a mesh have none:
what is left are contours, where only one of two faces looks at the eye, and borders.

      \\  |  /    0        |\\  \\    1        |  /    1       The loops along these edges wind as often round a place
       \\ | /              | \\  \\           | /             as such faces lie over it: where they wind at all, the
        \\|/               |  \\  \\          |/              body covers the picture (the non-zero winding rule).
         +                +               +

Over a place that faces cover which all look away, the loops round all faces wind as often as there are such faces: each
face that looks at the eye counts there against one that does not. Of a closed shell there are none.

No orientation is asked for and no closedness; shells may cross, nest and double.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any, NamedTuple

import manifold3d
import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers, Pose, spread
from silhouette.common.lazy import cached_property, derived
from silhouette.measure.triangles import clipped, greatest_of, turned_alike
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.clusters import SIZE, Clusters, Indices, clusters_of, edges_round
from silhouette.meshes.mesh import Mesh, stable_order
from silhouette.renderers.areas import EDGE_ON, Lines, SeenMesh
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body
from silhouette.renderers.views import View

Polygons = Any
"""A `manifold3d.CrossSection`: polygons with holes, as places of a picture, column and row."""

Sides = NDArray[np.int8]

IN_STRIP = 700
"""Lines that make a strip of a picture: a sweep over n lines, of which many lie side by side, takes longer than one
over each half of them."""

MOST_STRIPS = 64  # of a picture

FINE = 1e-3
"""The unit of a picture of a body alone, as a share of its distance: polygons are made of places rounded to 1e-8."""

FLOAT32 = 2.0**-21
"""The share of a distance by which a ray of float32 may pass a face and meet it all the same: eight roundings."""

SAME_AREA = 1e-8  # of it: areas of one polygon, put together otherwise, differ by less; rounding alone by 1e-10

LOCAL_FACES = 8
"""Where fewer than one in eight of a mesh's faces lie in a window, their edges are looked up; else all are compared."""

MANY_BORDERS = 0.5
"""Edges in loops round all faces, for each in loops round those that look at the eye, from which on one sweep over both
takes less time than one over each."""

WAYS = np.array([way for way in product((-1.0, 0.0, 1.0), repeat=3) if any(way)])
WAYS /= np.linalg.norm(WAYS, axis=1)[:, None]
"""(26, 3) the normals of planes that are tried between bodies: along the axes of each, and between these."""

SAME_PLACE_PIXELS = 1e-6  # pixels: corners of polygons are rounded to 1e-8


@dataclass(frozen=True, eq=False)
class Placed:
    """A body's clusters as a view sees them, in *picture coordinates*: (column * depth, row * depth, depth).

    They are linear in the world's, so that nothing is divided by a depth before it has been clipped.
    """

    body: Body  # the body
    clusters: Clusters  # of its mesh
    eye: Floats  # (3,) mm, in the mesh's frame
    matrix: Floats  # (3, 3) from the mesh's frame, with the eye as the origin, to picture coordinates
    # Mm: what a ray of float32 may be off at the body, and more; a face whose plane passes nearer to the eye is not
    # used
    noise: float
    step: float  # the width of a pixel at a depth of one

    @classmethod
    def of(cls, view: View, body: Body) -> Placed:
        """The body as the view sees it."""
        clusters = clusters_of(body.mesh)
        eye = body.pose.localise(view.eye[None])[0]
        right, up, forward = view.axes @ body.pose.rotation
        matrix = np.array([(right - view.left * forward) / view.step, (view.top * forward - up) / view.step, forward])
        noise = 2.0 * NEAREST_DEPTH_MM + FLOAT32 * (float(np.linalg.norm(eye - clusters.middle)) + clusters.reach)
        return cls(body, clusters, eye, matrix, noise, view.step)

    @cached_property
    def centres(self) -> Floats:
        """(3, k) the middles of the clusters, in picture coordinates."""
        return _product(self.matrix, self.clusters.centres - self.eye[:, None])

    @cached_property
    def bounding(self) -> Floats:
        """(3, n) picture coordinates in whose convex hull the body lies."""
        points: Floats = self.matrix @ (bounding_points(self.body.mesh) - self.eye).T
        return points

    @cached_property
    def ways(self) -> Floats:
        """(26, 3) those of `WAYS` in its frame, for picture coordinates: their products with these are mm."""
        normals: Floats = WAYS @ np.linalg.inv(self.matrix)
        return normals

    @property
    def is_ahead(self) -> bool:
        """Whether all of it lies well before the eye."""
        if (self.bounding[2] > NEAREST_DEPTH_MM).all():
            return True
        return bool((self.centres[2] - self.clusters.radii > NEAREST_DEPTH_MM).all())

    @property
    def as_seen(self) -> SeenMesh:
        """The body, where it is ahead, for a renderer that counts areas."""
        return SeenMesh(self.body.mesh, self.eye, self.matrix, self.noise)

    def within(self, window: Floats, near: float, far: float) -> tuple[Flags, Flags]:
        """(k,) whether clusters may reach between depths into a window, and (k,) whether they lie between its sides.

        The window is given by its least and greatest column and row.
        """
        depth, radii = self.centres[2], self.clusters.radii
        reaching: Flags = (depth + radii > near) & (depth - radii < far)
        lying = np.ones_like(reaching)
        for line in _sides_of(window):
            ahead, reach = line @ self.centres, float(np.linalg.norm(line @ self.matrix)) * radii
            reaching &= ahead > -reach
            lying &= ahead > reach
        return reaching, lying

    def points(self, vertices: Integers) -> Floats:
        """(3, ...) picture coordinates of vertices, given by their numbers (...)."""
        flat = self.clusters.vertices.take(vertices.ravel(), axis=0)
        return _product(self.matrix, (flat - self.eye).T).reshape(3, *vertices.shape)

    def faces_of(self, chosen: Indices) -> Indices:
        """The numbers of the faces of chosen clusters."""
        starts = chosen * SIZE
        return spread(starts, np.minimum(starts + SIZE, len(self.clusters.corners)) - starts)[0]

    def sides_of(self, faces: Indices | None = None) -> Sides:
        """(n,) for each face 1 where the eye is on the side of its normal, else -1; 0 where on neither.

        What the eye touches has no side: see `NEAREST_DEPTH_MM`. ``faces`` are numbers, by default those of all.
        """
        clusters = self.clusters
        sides = self.facing(faces)
        doubtful = np.flatnonzero(sides == 0)
        numbers = doubtful if faces is None else faces.take(doubtful)
        first, second, third = (
            clusters.vertices.take(clusters.corners[numbers, corner], axis=0) - self.eye for corner in range(3)
        )
        normals = np.cross(second - first, third - first)
        ahead = -np.einsum("ij,ij->i", first, normals)
        cluster = numbers // SIZE
        away = np.linalg.norm(clusters.centres[:, cluster] - self.eye[:, None], axis=0) - clusters.radii[cluster]
        nearest = np.where(away > NEAREST_DEPTH_MM, EDGE_ON, NEAREST_DEPTH_MM) * np.linalg.norm(normals, axis=1)
        sides[doubtful] = np.sign(ahead) * (np.abs(ahead) > nearest)
        return sides

    def faces_in(self, chosen: Indices, sides: Sides) -> tuple[Indices, Floats]:
        """(n,) the numbers of those faces of chosen clusters that have a side, of (m,); (3, n, 3) their corners."""
        numbers = self.faces_of(chosen)
        numbers = numbers[sides.take(numbers) != 0]
        return numbers, self.points(self.clusters.corners.take(numbers, axis=0))

    def facing(self, faces: Integers | Indices | None = None) -> NDArray[np.int8]:
        """(n,) for each face 1 where the eye is on the side of its normal, -1 on the other, 0 where in doubt.

        ``faces`` are numbers, by default those of all.
        """
        eye = self.eye - self.clusters.middle
        planes = self.clusters.planes if faces is None else self.clusters.planes.take(faces, axis=0)
        ahead = np.einsum("ij,j->i", planes, np.array([*eye, -1.0], np.float32))
        sides: NDArray[np.int8] = (ahead > self.noise).view(np.int8) - (ahead < -self.noise).view(np.int8)
        return sides


class Chain(NamedTuple):
    """Lines in a picture, loop after loop."""

    start: Floats  # (2, n) the place at which each begins
    following: Indices  # (n,) the line that goes on from there
    loop: Indices  # (n,) the number of its loop
    depth: Floats  # (n,) mm, at its beginning

    @classmethod
    def of(cls, start: Floats, loop: Indices, depth: Floats) -> Chain:
        """Lines of which each goes on in the next one of its loop, and the last one in the first."""
        following = np.arange(1, len(loop) + 1)
        following[np.flatnonzero(np.diff(loop, append=-1))] = np.flatnonzero(np.diff(loop, prepend=-1))
        return cls(start, following, loop, depth)

    @classmethod
    def joined(cls, chains: Sequence[Chain]) -> Chain:
        """The lines of several."""
        lines = np.cumsum([0, *(len(chain.loop) for chain in chains)]).tolist()
        loops = np.cumsum([0, *(chain.loop.max(initial=-1) + 1 for chain in chains)]).tolist()
        return cls(
            np.concatenate([chain.start for chain in chains], axis=1),
            np.concatenate([chain.following + before for chain, before in zip(chains, lines, strict=False)]),
            np.concatenate([chain.loop + before for chain, before in zip(chains, loops, strict=False)]),
            np.concatenate([chain.depth for chain in chains]),
        )


@dataclass(frozen=True, eq=False)
class Faces:
    """Faces of a body in a picture, and parts of faces."""

    placed: Placed  # the body as the view sees it
    sides: Sides  # (m,) for each face 1 where the eye is on the side of its normal, else -1; 0 for one that is left out
    parts: Floats  # (3, k, 3) triangles, in picture coordinates: what is left of faces that were cut

    @classmethod
    def of(cls, placed: Placed, window: Floats, far: float = np.inf) -> Faces:
        """The faces that may reach into a window of the picture, as far as they are before the eye.

        Args:
            placed: the body as the view sees it.
            window: lowest and highest column, lowest and highest row.
            far: mm: faces that lie wholly beyond this depth may be left out.
        """
        reaching, lying = placed.within(window, NEAREST_DEPTH_MM, far)
        sides = np.zeros(len(placed.clusters.corners), np.int8)
        numbers = placed.faces_of(np.flatnonzero(reaching))
        sides[numbers] = placed.sides_of(numbers)
        numbers, points = placed.faces_in(np.flatnonzero(reaching & ~lying), sides)
        beside = [greatest_of(np.tensordot(line, points, 1)) < 0.0 for line in _sides_of(window)]
        sides[numbers[np.any(beside, axis=0)]] = 0
        # Next to the eye a face may reach so far out in the picture that its places there mean little.
        is_close = placed.centres[2] - placed.clusters.radii <= NEAREST_DEPTH_MM
        numbers, parts = placed.faces_in(np.flatnonzero(reaching & is_close), sides)
        sides[numbers] = 0
        parts = clipped(parts, np.array([0.0, 0.0, 1.0]), NEAREST_DEPTH_MM)
        for line in _sides_of(window):
            parts = clipped(parts, line, 0.0)
        return cls(placed, sides, parts)

    @classmethod
    def none(cls, placed: Placed) -> Faces:
        """No face of a body."""
        return cls(placed, np.zeros(len(placed.clusters.corners), np.int8), np.empty((3, 0, 3)))

    @property
    def triangles(self) -> Floats:
        """(3, m + k, 3) all of them, in picture coordinates."""
        chosen = np.flatnonzero(self.sides)
        points = self.placed.points(self.placed.clusters.corners.take(chosen, axis=0))
        return np.concatenate([points, self.parts], axis=1)

    def clipped(self, plane: Floats, least: float) -> Faces:
        """What of the faces lies where ``plane @ p >= least``, for points p in picture coordinates."""
        placed, clusters = self.placed, self.placed.clusters
        middle = plane @ placed.centres - least
        radii = float(np.linalg.norm(plane @ placed.matrix)) * clusters.radii * (1.0 + 1e-9)
        sides = self.sides.copy()
        sides[np.repeat(middle + radii < 0.0, SIZE)[: len(sides)]] = 0
        faces, points = placed.faces_in(np.flatnonzero(np.abs(middle) <= radii), sides)
        inside_count = (np.tensordot(plane, points, 1) >= least).sum(axis=1)
        sides[faces[inside_count < 3]] = 0
        parts = np.concatenate([self.parts, points[:, (inside_count > 0) & (inside_count < 3)]], axis=1)
        return replace(self, sides=sides, parts=clipped(parts, plane, least))

    def without(self, faces: Indices, parts: Flags) -> Faces:
        """The faces but for those of some numbers, and for flagged ones of the parts (k,)."""
        sides = self.sides.copy()
        sides[faces] = 0
        return replace(self, sides=sides, parts=self.parts[:, ~parts])

    def silhouette(self, columns: tuple[float, float] = (-np.inf, np.inf)) -> Polygons:
        """What the faces cover of the picture, or of some of its columns."""
        edges = self._edges()
        front, border = (len(start) for start, _ in edges)
        if border > MANY_BORDERS * (front + 3 * self.parts.shape[1]):
            return _wound_round(*self._chain_of_all()[:3], columns)
        seen, edged = (_wound_round(*chain[:3], columns) for chain in self._chains(edges))
        if edged.is_empty():
            return seen
        whole = seen + edged
        # Seldom a sweep over polygons that nearly share sides winds round some part twice.
        if abs(whole.area() - seen.area() - (edged - seen).area()) <= SAME_AREA * whole.area():
            return whole
        return _wound_round(*self._chain_of_all()[:3], columns)

    def contours(self) -> Floats:
        """(2, 3, n) both ends, in picture coordinates, of contours and borders of these faces."""
        ends = []
        for places, following, _, depth in self._chains():
            points = np.concatenate([places * depth, depth[None]])
            ends.append(np.stack([points, points[:, following]]))
        return np.concatenate(ends, axis=2)

    def rims(self) -> tuple[Floats, Floats]:
        """(3, n, 2) lines that bound the whole faces whose normals are on the eye's side, and the others', each way."""
        placed = self.placed
        rims = []
        for some in (self.sides > 0, self.sides < 0):
            rims.append(placed.points(np.stack(self._border(some.view(np.int8)), axis=1).astype(np.int32)))
        return rims[0], rims[1]

    def lines(self) -> Lines:
        """The same lines, as a renderer takes them that counts areas: see `_chains`."""
        places = list[Floats]()
        for edges in self._edges():
            points = self.placed.points(np.stack(edges).astype(np.int32))
            places.append(points[:2] / points[2])
        cut = self._parts_alike()
        places.append((cut[:2] / cut[2]).reshape(2, 1, -1).repeat(2, axis=1))
        places[2][:, 1] = (cut[:2] / cut[2])[:, :, [1, 2, 0]].reshape(2, -1)
        start, end = np.concatenate(places, axis=2).transpose(1, 0, 2)
        border = np.repeat(np.array([0, 1, 0], np.int32), [each.shape[2] for each in places])
        return Lines(start, end, border)

    def rim(self, part: Polygons, by: float) -> Polygons:
        """What lies within ``by`` mm of the rim of a silhouette of these faces, as far away as the rim is.

        A corner of the rim is that of a contour, whose distance is known, or lies between such corners.
        """
        places, depth = (
            np.concatenate(each, axis=-1)
            for each in zip(*((chain.start, chain.depth) for chain in self._chains()), strict=True)
        )
        by_key = np.argsort(keys := _keys(places), kind="stable")
        bands = []
        for loop in part.to_polygons():
            at = by_key[np.searchsorted(keys, _keys(loop.T), sorter=by_key).clip(max=len(by_key) - 1)]
            is_corner = np.abs(places[:, at] - loop.T).max(axis=0) < SAME_PLACE_PIXELS
            if not is_corner.any():
                continue
            number = np.arange(len(loop))
            far = np.interp(number, number[is_corner], depth[at[is_corner]], period=len(loop))
            bands += _bands(loop, by / (self.placed.step * far))
        return polygons(bands)

    def _chains(self, edges: Sequence[tuple[Indices, Indices]] | None = None) -> tuple[Chain, Chain]:
        """The lines round the faces that look at the eye, and parts of faces; and those round all whole faces.

        What of a place's faces look away from the eye alone, the second winds round as often as there are such faces.
        ``edges`` are those of `_edges`, where they are known.
        """
        front, border = (self._chained(*each) for each in edges or self._edges())
        if self.parts.shape[1] == 0:
            return front, border
        return Chain.joined([front, _round_triangles(self._parts_alike())]), border

    def _chain_of_all(self) -> Chain:
        """The lines round the faces that look at the eye, and backward round those that look away: they wind round a
        place as often as it has faces. Each contour counts twice, and each border once.
        """
        return Chain.joined([self._chained(*self._border(self.sides)), _round_triangles(self._parts_alike())])

    def _parts_alike(self) -> Floats:
        """(3, k, 3) the parts, as faces that look at the eye run: a picture's rows count downward."""
        return turned_alike(self.parts, -np.linalg.det(self.placed.matrix))

    def _chained(self, start: Indices, end: Indices) -> Chain:
        """Edges from one vertex to another, as loops."""
        order, loop = _chained(start, end, len(self.placed.clusters.vertices))
        points = self.placed.points(start.take(order).astype(np.int32))
        return Chain.of(points[:2] / points[2], loop, points[2])

    def _edges(self) -> tuple[tuple[Indices, Indices], tuple[Indices, Indices]]:
        """(n,) and (n,) the vertices from and to which edges of `_chains` run, as often as they count there."""
        seen, whole = self.sides > 0, self.sides != 0
        return self._border(seen.view(np.int8)), self._border(whole.view(np.int8))

    def _border(self, weights: Sides) -> tuple[Indices, Indices]:
        """(n,) and (n,) the vertices from and to which the edges run that go round faces, as often as these weigh."""
        even, odd = self.placed.clusters.even, self.placed.clusters.odd
        some = np.count_nonzero(weights)
        ends, imbalance = np.empty((0, 2), np.int32), np.empty(0, np.int8)
        if some and (some < len(weights) or (weights != weights[0]).any()):
            near = (
                edges_round(self.placed.body.mesh, np.flatnonzero(weights))
                if some * LOCAL_FACES < len(weights)
                else None
            )
            first, second = even.faces if near is None else even.faces.take(near, axis=1)
            change = weights.take(first) - weights.take(second)
            which = np.flatnonzero(change)
            imbalance = change.take(which)
            ends = even.ends.take(which if near is None else near.take(which), axis=0)
        if some and len(odd.ends):
            of_odd = np.add.reduceat(weights.take(odd.faces) * odd.along, odd.first[:-1], dtype=np.int64)
            which = np.flatnonzero(of_odd)
            ends = np.concatenate([ends, odd.ends.take(which, axis=0)])
            imbalance = np.concatenate([imbalance, of_odd.take(which)])
        forth, times = imbalance > 0, np.abs(imbalance)
        start, end = np.where(forth, ends.T, ends.T[::-1]).astype(np.int64)
        return start.repeat(times), end.repeat(times)


def _sides_of(window: Floats) -> Floats:
    """(4, 3) for each side of a window the plane through it and the eye, above 0 inside, in picture coordinates."""
    left, right, top, bottom = window
    return np.array([[1.0, 0.0, -left], [-1.0, 0.0, right], [0.0, 1.0, -top], [0.0, -1.0, bottom]])


def silhouette_of(placed: Placed) -> Polygons | None:
    """The silhouette of a whole body in its picture; None where not all of it lies well before the eye, or it is lost.

    It is worked out once for a mesh and an eye, in a picture of the body alone; what is straight there is straight in
    any other picture from that eye.
    """
    alone = silhouette_alone(placed.body.mesh, tuple(placed.eye.tolist()))
    if alone is None:
        return None
    points, starts = alone
    seen = placed.matrix @ points
    if not (seen[2] > NEAREST_DEPTH_MM).all():
        return None
    if not len(starts):
        return polygons()
    places = (seen[:2] / seen[2]).T
    whole = polygons(np.split(places, starts[1:]))
    # Seldom a sweep loses the hole that a notch becomes whose sides all but touch.
    return whole if abs(whole.area() - abs(area_within(places, starts))) <= SAME_AREA * whole.area() else None


@derived
def silhouette_alone(mesh: Mesh, eye: tuple[float, float, float]) -> tuple[Floats, Indices] | None:
    """The silhouette of a mesh, seen from an eye in its frame.

    Returns:
        (3, n) directions from the eye, in that frame, in which the corners of its polygons are seen; (k,) where each
        polygon begins. None as of `silhouette_of`.
    """
    forward = mesh.bounds.mean(axis=0) - np.array(eye)
    distance = float(np.linalg.norm(forward))
    if distance <= NEAREST_DEPTH_MM:
        return None
    placed = Placed.of(straight_at(np.array(eye), forward, FINE), Body(1, mesh, Pose.standing()))
    depth, radii = placed.centres[2], placed.clusters.radii
    # Nor so near beside the eye that places are huge in that picture.
    if (depth - radii <= max(NEAREST_DEPTH_MM, FINE * distance)).any():
        return None
    loops = Faces(placed, placed.sides_of(), np.empty((3, 0, 3))).silhouette().to_polygons()
    if not loops:
        return np.empty((3, 0)), np.empty(0, np.int64)
    places = np.concatenate(loops).T
    points = np.linalg.solve(placed.matrix, np.concatenate([places, np.ones((1, places.shape[1]))]))
    return points, np.cumsum([0, *(len(loop) for loop in loops[:-1])])


def straight_at(eye: Floats, forward: Floats, step: float = 1.0) -> View:
    """A picture from an eye in some direction; a column or row is ``step`` mm wide at a distance of one."""
    ahead = forward / np.linalg.norm(forward)
    right = np.cross(ahead, np.eye(3)[np.abs(ahead).argmin()])
    right /= np.linalg.norm(right)
    return View(eye, np.array([right, np.cross(right, ahead), ahead]), 0.0, 0.0, step, 1, 1)


def polygons(loops: Sequence[Floats] = ()) -> Polygons:
    """What loops (n, 2) of places wind round, whichever way."""
    return manifold3d.CrossSection(list(loops), manifold3d.FillRule.NonZero) if len(loops) else _EMPTY


_EMPTY = manifold3d.CrossSection()


def area_within(places: Floats, starts: Sequence[int] | Indices = (0,)) -> float:
    """The area within loops (n, 2) of a picture, each of which begins at one of these numbers; below 0 clockwise.

    >>> square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    >>> area_within(square), area_within(np.concatenate([square, square[::-1] / 2.0]), [0, 4]), area_within(square[:1])
    (4.0, 3.0, 0.0)
    """
    following = np.arange(1, len(places) + 1)
    following[np.append(np.asarray(starts, np.intp)[1:], len(places)) - 1] = starts
    x, y = (places - places[0]).T
    return float(x @ y[following] - y @ x[following]) / 2.0


def _keys(places: Floats) -> Indices:
    """(n,) numbers that are equal for places (2, n) that are."""
    columns, rows = np.round(places / SAME_PLACE_PIXELS).astype(np.int64)
    keys: Indices = columns * 1_000_003 + rows
    return keys


def _bands(loop: Floats, reach: Floats) -> list[Floats]:
    """Polygons that cover what lies as near to a loop (n, 2) as its corners reach, (n,): its sides, and corners."""
    following, beyond = np.roll(loop, -1, axis=0), np.roll(reach, -1)
    way = following - loop
    length = np.hypot(*way.T)
    across = np.stack([-way[:, 1], way[:, 0]], axis=1) / np.where(length > 0.0, length, 1.0)[:, None]
    sides = [loop + across * reach[:, None], following + across * beyond[:, None]]
    sides += [following - across * beyond[:, None], loop - across * reach[:, None]]
    return [*np.stack(sides, axis=1)[:, ::-1], *(loop[:, None] + _CIRCLE * reach[:, None, None])]


_CIRCLE_ANGLES = 2.0 * np.pi / 24 * np.arange(24)
_CIRCLE = np.stack([np.cos(_CIRCLE_ANGLES), np.sin(_CIRCLE_ANGLES)], axis=1)


def _chained(start: Indices, end: Indices, size: int) -> tuple[Indices, Indices]:
    """(n,) the order of edges, each from one vertex to another, that makes them loops; (n,) the loop of each then.

    As many edges begin at each of the ``size`` vertices as end there.
    """
    count = len(start)
    if count == 0:
        return start, start
    bits = count.bit_length()
    leaving = np.empty(size, np.int64)
    leaving[start] = np.arange(count)
    following = leaving.take(end)
    several = np.bincount(start, minlength=size) > 1
    if several.any():
        outward, inward = np.flatnonzero(several[start]), np.flatnonzero(several[end])
        following[inward[stable_order(end[inward])]] = outward[stable_order(start[outward])]
    # By doubling: the least edge of each loop, then how many edges lie between each edge and that one.
    least, after = np.arange(count), following
    for _ in range(bits):
        further = np.minimum(least, least.take(after))
        if np.array_equal(further, least):
            break
        least, after = further, after.take(after)
    ahead = np.ones(count, np.int64)
    heads = np.flatnonzero(least == np.arange(count))
    ahead[heads] = 0
    after = following.copy()
    after[heads] = heads
    while (step := ahead.take(after)).any():
        ahead, after = ahead + step, after.take(after)
    ahead[heads] = count
    order = np.sort(least << 2 * bits | (count - ahead) << bits | np.arange(count)) & (1 << bits) - 1
    return order, np.cumsum(np.diff(least.take(order), prepend=-1) != 0) - 1


def _round_triangles(triangles: Floats) -> Chain:
    """The lines round triangles (3, k, 3) that run alike: along a side that two of them run both ways there is none."""
    points = triangles.reshape(3, -1)
    places, count = points[:2] / points[2], points.shape[1]
    _, first, number = np.unique(places[0] + 1j * places[1], return_index=True, return_inverse=True)
    start, end = number, np.roll(number.reshape(-1, 3), -1, axis=1).ravel()
    sides, side = np.unique(np.minimum(start, end) * count + np.maximum(start, end), return_inverse=True)
    imbalance = np.bincount(side, np.sign(end - start), len(sides)).astype(np.int64)
    ends = np.stack([sides // count, sides % count])
    start, end = (each.repeat(np.abs(imbalance)) for each in np.where(imbalance > 0, ends, ends[::-1]))
    order, loop = _chained(start, end, count)
    corners = first.take(start.take(order))
    return Chain.of(places[:, corners], loop, points[2, corners])


def union_of(triangles: Floats) -> Polygons:
    """What triangles (3, m, 3) cover, by the lines round all of them."""
    return _wound_round(*_round_triangles(turned_alike(triangles))[:3], (-np.inf, np.inf))


def _wound_round(start: Floats, following: Indices, loop: Indices, columns: tuple[float, float]) -> Polygons:
    """What loops wind round, between two columns.

    The picture is taken apart into upright strips. What of a loop lies beside a strip can be drawn together onto its
    border, and runs along it, without winding round any place in the strip otherwise than before.

    Args:
        start: (2, n) where lines begin.
        following: (n,) the line that goes on from each.
        loop: (n,) ascending.
        columns: the least and the greatest.
    """
    x, y = start
    low, high = max(columns[0], x.min(initial=np.inf)), min(columns[1], x.max(initial=-np.inf))
    if not low < high:
        return _EMPTY
    count = int(np.clip(len(x) / IN_STRIP, 1, MOST_STRIPS))
    width = (high - low) / count
    x = (x - low) / width
    first, last = x, x.take(following)
    least, most = np.minimum(first, last), np.maximum(first, last)
    from_, to = (
        np.maximum(np.floor(least), 0.0),
        np.minimum(np.maximum(np.ceil(most) - 1.0, np.floor(least)), count - 1),
    )
    crossed = np.maximum(to - from_ + 1.0, 0.0).astype(np.int64)
    number, line = spread(np.zeros(len(x), np.int64), crossed)
    first, last, forth = first.take(line), last.take(line), (first <= last).take(line)
    strip = np.where(forth, from_.take(line) + number, to.take(line) - number)
    enter, leave = np.where(forth, strip, strip + 1.0), np.where(forth, strip + 1.0, strip)
    enter, leave = (
        np.where(forth, np.maximum(first, enter), np.minimum(first, enter)),
        np.where(forth, np.minimum(last, leave), np.maximum(last, leave)),
    )
    y, end = y.take(line), y.take(following).take(line)
    slope = np.divide(end - y, last - first, out=np.zeros_like(y), where=last != first)
    order = np.argsort(strip.astype(np.int16), kind="stable")
    column, row = np.empty((2, 2 * len(order)))
    column[0::2], column[1::2] = enter.take(order) * width + low, leave.take(order) * width + low
    row[0::2] = np.where(enter == first, y, y + (enter - first) * slope).take(order)
    row[1::2] = np.where(leave == last, end, y + (leave - first) * slope).take(order)
    strip = strip.take(order).astype(np.int64)
    begins = np.flatnonzero(np.diff(strip * (int(loop[-1]) + 1) + loop.take(line.take(order)), prepend=-1))
    is_new = np.append(True, (column[1:] != column[:-1]) | (row[1:] != row[:-1]))
    is_new[2 * begins] = True
    new = np.flatnonzero(is_new)
    ends = np.append(np.searchsorted(new, 2 * begins), len(new)).tolist()
    places, of_strip = np.column_stack([column.take(new), row.take(new)]), strip.take(begins)
    pieces = [places[here:there] for here, there in pairwise(ends)]
    bounds = np.searchsorted(of_strip, np.arange(count + 1)).tolist()
    strips = [polygons([piece for piece in pieces[here:there] if len(piece) > 2]) for here, there in pairwise(bounds)]
    return strips[0] if count == 1 else polygons([piece for each in strips for piece in each.to_polygons()])


def _product(matrix: Floats, points: Floats) -> Floats:
    """``matrix @ points`` for (3, 3) and (3, n), written out: see `silhouette.common.geometry.turned`."""
    return np.stack([row[0] * points[0] + row[1] * points[1] + row[2] * points[2] for row in matrix])
