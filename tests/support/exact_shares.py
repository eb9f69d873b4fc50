"""The oracle of measured shares: what share of a small target is seen, and what share obscured, exactly.

Everything happens in pictures taken from the eye: flat polygons at distance one before it. There are no samples.

    d = (x, y, 1)            a direction, and a point of the picture
    d·(b × c), d·(c × a),    have one sign where the ray along d meets the triangle a b c: three half-planes of the
    d·(a × b)                picture, whether or not the triangle reaches behind the eye
    d·m / a·m,               with m = (b - a) × (c - a): one over the depth at which it is met, linear in x and y. So
                             "nearer than that other triangle" is a half-plane, bounded by the line in which the two
                             planes meet, and "in the wedge of a vision arc" is two

The part of a triangle before which another triangle lies is therefore a convex polygon, cut with four half-planes; the
part before which nothing lies is the triangle without all these polygons. Those of all triangles of a body together are
what is seen of it.

A share is exact but for the rounding of float64: what is smaller than `EMPTY` of the target is nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, cosine_and_sine, unit
from silhouette.common.lazy import cached_property
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import NEAREST_DEPTH_MM
from silhouette.renderers.views import VisionArc

EMPTY = 1e-10
"""A share below this is nothing. Rounding leaves less than 1e-13; a dot of 0.001 mm before a figure is 1e-9."""

SAME_DEPTH = 1e-11
"""Two depths are equal where they differ by less than this share, 3e-9 mm at 300 mm: faces in one plane differ by what
float64 rounds away, some 1e-15."""

IN_PLANE = 1e-9
"""mm: an eye so near to the plane of a face lies in it, but for rounding, and sees no side of it."""

SLIVER = 1e-15
"""A polygon smaller than this share of the picture is left out: rounding made it, and it may not be simple."""

GRID = 2.0**-44
"""Unions and differences are made on a grid of this share of the picture, 6e-14: without one, GEOS loses some of many
long thin polygons, up to a fiftieth of their area."""

WIDEST = float(np.tan(np.radians(75.0)))
"""A flat picture reaches 75° from its middle; a target with a vertex beyond is looked at through a cube's faces."""

Numbers = NDArray[np.intp]
Shapes = NDArray[np.object_]


@dataclass(frozen=True)
class ExactShares:
    """What is seen of a target, as shares of its silhouette.

    Attributes:
        total: the area of the silhouette, in the pictures at distance one; 0 where it is edge-on.
        occluded: the share that is obscured.
        seen: the share that is in a vision arc and not obscured.
        in_arc: the share that is in a vision arc.
        occluded_in_arc: the share of the part in the arc that is obscured; 0 where nothing is in the arc.
        nearest: for each blocker, the share before which it is the nearest thing.
        alone: for each blocker, the share that it would obscure with nothing else there.
        pictures: 1 for a flat picture, 6 for the faces of a cube.
    """

    total: float
    occluded: float
    seen: float
    in_arc: float
    occluded_in_arc: float
    nearest: tuple[float, ...]
    alone: tuple[float, ...]
    pictures: int

    @property
    def nothing_seen(self) -> bool:
        """Whether not the smallest part is seen."""
        return self.seen < EMPTY

    @property
    def nothing_occluded(self) -> bool:
        """Whether not the smallest part is obscured."""
        return self.occluded < EMPTY


def exact_shares(
    target: Mesh,
    blockers: Sequence[Mesh],
    eye: Any,
    arcs: Sequence[VisionArc] | None = None,
    facing: float = 90.0,
    each: bool = False,
) -> ExactShares:
    """The shares of a target past blockers, seen from an eye; all in the world, mm.

    The picture is that of the contract: flat, straight at the middle of the box round the target. At equal depth the
    target is in front of the blockers, and a blocker in front of those after it.

    Args:
        target, blockers: meshes, of up to some thousand triangles.
        eye: (3,).
        arcs: one of them at least must contain a point for it to be seen; None for no limit.
        facing: degrees; the upward direction of the picture where the target is straight above or below, and its
            direction where the middle of the target is at the eye.
        each: whether ``nearest`` and ``alone`` are wanted; they are empty otherwise.

    >>> from tests.support.shapes import square
    >>> wall = square(2.0, (0, 10, 0))
    >>> [round(exact_shares(wall, [square(1.0, (x, 5, 0))], (0, 0, 0)).occluded, 12) for x in (0, 0.5, 1.0)]
    [1.0, 0.5, 0.0]
    >>> exact_shares(wall, [], (5, 10, 0)).total
    0.0
    """
    eye = np.asarray(eye, dtype=np.float64)
    bodies = [np.asarray(mesh.vertices[mesh.faces], dtype=np.float64) - eye for mesh in (target, *blockers)]
    taken = cameras(bodies[0].reshape(-1, 3), facing)
    areas, of_each = np.zeros(4), np.zeros((2, len(blockers)))
    for axes in taken:
        picture = _Picture.taken(axes, bodies, whole=len(taken) > 1)
        areas += picture.areas(eye, arcs)
        of_each += picture.areas_of_each() if each else 0.0
    total, free, in_arc, seen = areas.tolist()
    if total == 0.0:
        return ExactShares(0.0, 0.0, 0.0, 0.0, 0.0, (), (), len(taken))
    occluded_in_arc = 1.0 - seen / in_arc if in_arc > EMPTY * total else 0.0
    nearest, alone = (of_each / total).tolist() if each else ((), ())
    shares = (1.0 - free / total, seen / total, in_arc / total, occluded_in_arc)
    return ExactShares(total, *shares, tuple(nearest), tuple(alone), len(taken))


def cameras(points: Floats, facing: float = 90.0) -> list[Floats]:
    """The axes right, up and forward, (3, 3), of the flat picture of a target, or of the six faces of a cube.

    Args:
        points: (n, 3) the target's corners, seen from the eye.
        facing: as of `exact_shares`.
    """
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    ahead = np.array([*cosine_and_sine(facing), 0.0])
    forward = unit(middle) if middle.any() else ahead
    is_level = np.hypot(*forward[:2]) >= 1e-9
    right = unit(np.cross(forward, [0.0, 0.0, 1.0] if is_level else -np.sign(forward[2]) * ahead))
    up = np.cross(right, forward)
    across, upward, depth = np.array([right, up, forward]) @ points.T
    if depth.min() > 0.0 and (np.hypot(across, upward) <= WIDEST * depth).all():
        return [np.array([right, up, forward])]
    sides = [(right, up, forward), (-forward, up, right), (forward, up, -right), (-right, up, -forward)]
    sides += [(right, -forward, up), (right, forward, -up)]
    return [np.array(side) for side in sides]


@dataclass(frozen=True, eq=False)
class _Picture:
    """The triangles of all bodies that reach into a picture.

    Attributes:
        axes: (3, 3) right, up and forward.
        blockers: how many there are, in the picture or not.
        size: of the picture, the longer of its two sides.
        body: (n,) to which body each belongs; the target is body 0.
        towards: (n,) whether its front is towards the eye.
        polygons: (n, k, 2) the part of each in the picture, convex, anticlockwise; k corners, some of them equal.
        sides: (n, 4, 3) lines (p, q, r): p x + q y + r >= 0 in the triangle, where it is not too near to be met.
        inverse: (n, 3) a line too: p x + q y + r is one over the depth.
    """

    axes: Floats
    blockers: int
    size: float
    body: Numbers
    towards: Flags
    polygons: Floats
    sides: Floats
    inverse: Floats

    @classmethod
    def taken(cls, axes: Floats, bodies: Sequence[Floats], whole: bool) -> _Picture:
        """The picture of triangles (n, 3, 3) of each body, seen from the eye: of the target's box, or ``whole``."""
        body = np.repeat(np.arange(len(bodies)), [len(triangles) for triangles in bodies])
        a, b, c = np.moveaxis(np.concatenate(bodies) @ axes.T, 1, 0)
        low, high = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
        if not whole:
            places = np.concatenate([corner[body == 0] for corner in (a, b, c)])
            places = places[:, :2] / places[:, 2:]
            low, high = places.min(axis=0), places.max(axis=0)
        across = np.cross(b - a, c - a)
        volume = np.einsum("ij,ij->i", a, across)
        size = float((high - low).max())
        sides = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b), np.zeros_like(a)], axis=1)
        sides *= np.sign(volume)[:, None, None]
        possible = np.abs(volume) > IN_PLANE * np.linalg.norm(across, axis=1)
        possible &= _may_reach(a, b, c, low, high)
        body, sides, inverse = body[possible], sides[possible], across[possible] / volume[possible, None]
        towards = volume[possible] > 0.0
        sides[:, 3] = [0.0, 0.0, 1.0 / NEAREST_DEPTH_MM] - inverse
        window = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
        polygons = np.broadcast_to(window, (len(body), 4, 2))
        for side in range(4):
            polygons = _cut(polygons, sides[:, side])
        kept = _sizes(polygons) > SLIVER * size**2
        return cls(axes, len(bodies) - 1, size, body[kept], towards[kept], polygons[kept], sides[kept], inverse[kept])

    @property
    def grid(self) -> float:
        """What coordinates are rounded to."""
        return GRID * self.size

    @cached_property
    def shapes(self) -> Shapes:
        """(n,) the polygons."""
        return _shapes(self.polygons)

    @cached_property
    def target(self) -> Shapes:
        """(m,) those of the target."""
        return self.shapes[self.body == 0]

    @cached_property
    def silhouette(self) -> Any:
        """The target's polygons together."""
        return self.together(self.target)

    @cached_property
    def overlaps(self) -> tuple[Numbers, Numbers]:
        """(m,) and (m,) the pairs of triangles whose bounding boxes in the picture overlap, both ways round."""
        first, second = shapely.STRtree(self.shapes).query(self.shapes)
        different = first != second
        return first[different], second[different]

    @cached_property
    def wholly_before(self) -> Flags:
        """(n,) whether a triangle of a blocker lies before all of the target, wherever the two are in the picture."""
        inverse = np.einsum("nkc,nc->nk", self.polygons, self.inverse[:, :2]) + self.inverse[:, 2:]
        most = inverse[self.body == 0].max(initial=0.0)
        before: Flags = (self.body > 0) & (inverse.min(axis=1, initial=np.inf) > most * (1.0 + SAME_DEPTH))
        return before

    def areas(self, eye: Floats, arcs: Sequence[VisionArc] | None) -> Floats:
        """(4,) of the target: all of it; what is not obscured; what is in an arc; what is in one and not obscured."""
        target, blockers = np.flatnonzero(self.body == 0), range(1, self.blockers + 1)
        if len(target) == 0:
            return np.zeros(4)
        total = float(self.silhouette.area)
        free = self.unobscured([self.front(0, blockers)], blockers)
        if arcs is None:
            return np.array([total, free, total, free])
        wedges = [self._in_wedge(arc, eye, target) for arc in arcs]
        shown, seen = (
            [self._common(wedge, self.front(0, bodies)) for wedge in wedges] for bodies in ([0], [0, *blockers])
        )
        return np.array([total, free, float(self.together(*shown).area), self.unobscured(seen, blockers)])

    def areas_of_each(self) -> Floats:
        """(2, blockers) the area of the target before which each is the nearest; and that each would obscure alone."""
        areas = np.zeros((2, self.blockers))
        for number in range(1, self.blockers + 1):
            in_front = self.front(number, [other for other in range(self.blockers + 1) if other != number])
            areas[0, number - 1] = self._common(self._union(in_front), self.silhouette).area
            areas[1, number - 1] = self.silhouette.area - self.unobscured([self.front(0, [number])], [number])
        return areas

    def front(self, body: int, others: Sequence[int]) -> Shapes:
        """For each triangle of a body, what no other triangle of those bodies lies before.

        For the target, triangles `wholly_before` it are left out: see `unobscured`.
        """
        rest = self.target if body == 0 else self.shapes[self.body == body]
        first, second = self.overlaps
        chosen = (self.body[first] == body) & np.isin(self.body[second], others)
        chosen &= ~self.wholly_before[second] | (body > 0)
        first, second = first[chosen], second[chosen]
        ahead = np.where(self.body[second] < body, 1.0 - SAME_DEPTH, 1.0 + SAME_DEPTH)
        covers = _cut(self.polygons[first], self.inverse[second] - ahead[:, None] * self.inverse[first])
        for side in range(4):
            covers = _cut(covers, self.sides[second, side])
        real = _sizes(covers) > SLIVER * self.size**2
        owners, owner = np.unique(first[real], return_inverse=True)
        if len(owners):
            order, place = np.argsort(owner, kind="stable"), np.searchsorted(np.flatnonzero(self.body == body), owners)
            together = shapely.multipolygons(_shapes(covers[real])[order], indices=owner[order])
            together = _polygonal(shapely.union_all(together[:, None], grid_size=self.grid, axis=1))
            rest = rest.copy()
            rest[place] = _polygonal(shapely.difference(rest[place], together, grid_size=self.grid))
        return rest

    def unobscured(self, parts: Sequence[Shapes], others: Sequence[int]) -> float:
        """The area of parts of the target together, without what triangles of those bodies `wholly_before` it cover.

        ``parts`` has one or several polygons for each triangle of the target, (m,) each.
        """
        whole = self.silhouette if len(parts) == 1 and parts[0] is self.target else self.together(*parts)
        before = self.wholly_before & np.isin(self.body, others)
        if not before.any():
            return float(whole.area)
        return float(shapely.difference(whole, self._union(self.shapes[before]), grid_size=self.grid).area)

    def together(self, *parts: Shapes) -> Any:
        """The union of parts of the target, (m,) each: first those of one side, of which few lie one behind another."""
        towards = np.tile(self.towards[self.body == 0], len(parts))
        every = np.concatenate([np.empty(0, dtype=np.object_), *parts])
        return self._union(np.array([self._union(every[towards]), self._union(every[~towards])], dtype=np.object_))

    def _union(self, parts: Shapes) -> Any:
        """The union of polygons; without the grid where the areas add up, so that nothing can have been lost."""
        union = shapely.union_all(parts)
        if abs(union.area - shapely.area(parts).sum()) > 1e-13 * union.area:
            union = shapely.union_all(parts, grid_size=self.grid)
        return _polygonal(np.array([union], dtype=np.object_))[0]

    def _common(self, one: Any, other: Any) -> Any:
        """The intersection of polygons, or of each of several with each of others."""
        common = np.asarray(shapely.intersection(one, other, grid_size=self.grid), dtype=np.object_)
        return _polygonal(common.ravel()).reshape(common.shape)[()]

    def _in_wedge(self, arc: VisionArc, eye: Floats, triangles: Numbers) -> Shapes:
        """The part of each triangle that lies in the wedge."""
        # A point is eye + d / inverse; times the inverse, which is above zero, it is linear in x and y.
        x, y = ((eye[side] - arc.apex[side]) * self.inverse[triangles] + self.axes[:, side] for side in range(2))
        parts = _cut(self.polygons[triangles], arc.right[0] * y - arc.right[1] * x)
        return _shapes(_cut(parts, arc.left[1] * x - arc.left[0] * y))


def _may_reach(a: Floats, b: Floats, c: Floats, low: Floats, high: Floats) -> Flags:
    """(n,) False where a triangle lies behind the eye, or wholly beyond one side of the picture."""
    corners = np.stack([a, b, c], axis=1)
    x, y, z = np.moveaxis(corners, 2, 0)
    beyond = [z <= 0.0, x < low[0] * z, x > high[0] * z, y < low[1] * z, y > high[1] * z]
    outside: Flags = np.any([side.all(axis=1) for side in beyond], axis=0)
    return ~outside


def _cut(polygons: Floats, lines: Any) -> Floats:
    """Convex polygons (n, k, 2), each cut by a line (n, 3): (n, k + 1, 2) or fewer, the parts where the line is >= 0.

    Corners are repeated where there are fewer; where nothing is left, all of them are equal.

    >>> square = np.array([[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]])
    >>> [_sizes(_cut(square, np.array([[1.0, 1.0, shift]]))).tolist() for shift in (0, -2, -5)]
    [[4.0], [2.0], [0.0]]
    """
    lines = np.asarray(lines)
    side = polygons[..., 0] * lines[:, None, 0] + polygons[..., 1] * lines[:, None, 1] + lines[:, None, 2]
    inside, after = side >= 0.0, np.roll(side, -1, axis=1)
    crossed = inside != (after >= 0.0)
    share = np.divide(side, side - after, out=np.zeros_like(side), where=crossed)
    crossings = polygons + share[..., None] * (np.roll(polygons, -1, axis=1) - polygons)
    n, k = side.shape
    corners = np.stack([polygons, crossings], axis=2).reshape(n, 2 * k, 2)
    kept = np.stack([inside, crossed], axis=2).reshape(n, 2 * k)
    count = kept.sum(axis=1)
    order = np.argsort(~kept, axis=1, kind="stable")[:, : max(int(count.max(initial=0)), 1)]
    order = np.where(np.arange(order.shape[1]) < count[:, None], order, order[:, :1])
    return np.take_along_axis(corners, order[..., None], axis=1)


def _sizes(polygons: Floats) -> Floats:
    """(n,) the areas of anticlockwise polygons (n, k, 2), none below zero."""
    x, y = np.moveaxis(polygons - polygons[:, :1], 2, 0)
    twice = (x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1)
    return np.maximum(twice / 2.0, 0.0)


def _shapes(polygons: Floats) -> Shapes:
    """(n,) shapely polygons; a hull, which is always valid, since rounding may leave a corner inside."""
    if len(polygons) == 0:
        return np.empty(0, dtype=np.object_)
    rings = np.concatenate([polygons, polygons[:, :1], polygons[:, :1]], axis=1)
    shapes: Shapes = shapely.convex_hull(shapely.linestrings(rings))
    return shapes


def _polygonal(shapes: Shapes) -> Shapes:
    """The shapes without the lines and points to which the grid may have narrowed some of their parts."""
    for place in np.flatnonzero(shapely.get_type_id(shapes) == shapely.GeometryType.GEOMETRYCOLLECTION):
        parts = shapely.get_parts(shapes[place])
        shapes[place] = shapely.multipolygons(parts[shapely.get_type_id(parts) == shapely.GeometryType.POLYGON])
    return shapes
