"""RELATE: straight lines in plan from base to base, and the regions that they cross: any of them, all, the middle one.

A line runs from a point of the attacker's base to a point of the target's, seen from above. What counts as crossed:

- A line crosses a region if it passes through its inside, farther than `TOUCH_EPSILON_MM` from its edge. One that only
touches
  it, in a point or along an edge, does not. A sheet without thickness is crossed by what passes through it.
- A gap between two regions that is narrower than `TOUCH_EPSILON_MM` is none, and so is the seam of two that touch.
- What lies under a base counts like all else, and so does a region in which a base stands: a line that begins inside of
  it crosses it. A line may begin at any point of the base, so what covers a part of it only is in the way of some
  lines, not of all. Who wants it otherwise leaves the region out, or takes its part above the feet.
- Of bases that touch or overlap, wherever they stand, a line without length leads from one to the other, which crosses
  nothing: not all lines cross. Any line may still cross what lies under the two.

The answers are yes, 1.0, or no, 0.0. ``by`` names the regions that are crossed, the largest part of which lies between
the bases first.

`facing_lines_cross` is about the lines from one point of the attacker's base to every point of the target's that faces
it. The attacker chooses the point that is best for it: one from which no line crosses a region, if there is one. A
piece of a region that a line to the target's near side crosses shadows the point: this lies behind that piece as seen
from the target, in the cone of all lines that come through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import ref

import numpy as np
import shapely

from silhouette.common.geometry import Floats
from silhouette.common.lazy import cached_property, derived
from silhouette.relations.free_lines import find_free_line
from silhouette.relations.outlines_in_plan import Region, base_end, base_shape, outlines_of, polygons_of, without_specks
from silhouette.relations.plane_geometry import Outlines, PlaneDisc, ring_round, tangent_quadrilateral
from silhouette.relations.points import ErrorBound
from silhouette.scenes.pieces import Piece

# ---- lines from one point

SHADOW_POINTS = 24  # points of the target, besides the outermost, by which its shadow, which is convex, is drawn
FIRST_RIM_POINTS = 8  # about how many points of the attacker's rim are tried at first, besides its middle
WHOLE_SHADOW_SHARE = 1.0 - 1e-12  # the share of a base from which on a shadow covers all of it
SHADOW_LENGTH = 100.0  # how far a shadow is drawn, as a multiple of what holds both bases


def facing_lines_cross(attacker: Piece, target: Piece, regions: Sequence[Region]) -> ErrorBound:
    """Whether from every point of the attacker's base some line to a facing point of the target's crosses a region.

    A point of the target's outline faces a point of the attacker's base where the line between them meets the target's
    base there first; it is as if it were to every point of the target's base. What lies under the target's base alone
    is therefore not crossed. Where the bases touch or overlap, no line crosses; a point from which nothing is crossed
    must have room about it of about `TOUCH_EPSILON_MM`. ``lines`` has, from the best point, both outermost lines to the
    target; where all cross, those from the middle of the attacker's base. ``by`` names the regions that are crossed
    from there.
    """
    between = Between.of(attacker, target)
    here, there = between.shapes
    if between.is_touching:
        return ErrorBound(0.0, lines=between.raised(between.nearest))
    shapes = np.array([region.shape for region in regions], dtype=object)
    met = np.flatnonzero(shapely.intersects(shapes, between.inner)) if len(regions) else np.empty(0, np.intp)
    best = _best_point(between, *as_hulls(between, list(shapes[met]))) if len(met) else between.centres[0]
    point = between.centres[0] if best is None else best
    if not shapely.intersects(here, shapely.Point(point)):
        point = shapely.get_coordinates(shapely.point_on_surface(here))[0]
    by: tuple[str, ...] = ()
    if best is None:
        fan = shapely.difference(_fans(point[None], there), there)[0]
        crossed = met[shapely.intersects(shapes[met], shapely.buffer(fan, -TOUCH_EPSILON_MM, join_style="mitre"))]
        by = tuple(regions[int(number)].name for number in crossed)
    rim = shapely.get_coordinates(there)[:-1]
    outermost = (np.array([point, _outer(point[None], rim, way)[0]]) for way in (1.0, -1.0))
    lines = np.concatenate([between.raised(line) for line in outermost])
    return ErrorBound(1.0 if best is None else 0.0, lines=lines, by=by)


def _best_point(between: Between, hulls: Any, bent: Any) -> Floats | None:
    """(2,) a point of the attacker's base from which no line to the target crosses polygons, or None: (n,) convex hulls
    clear of both bases, and (m,) that need be neither.
    """
    here, there = between.shapes
    rim = shapely.get_coordinates(here)
    tried = np.concatenate([between.centres[:1], rim[:: max(1, len(rim) // FIRST_RIM_POINTS)]])
    bent = shapely.get_parts(shapely.difference(bent, there))
    for points in (tried[:1], tried[1:]):
        fans = shapely.buffer(_fans(points, there), -TOUCH_EPSILON_MM, join_style="mitre")
        free = np.flatnonzero(~shapely.intersects(fans[:, None], np.concatenate([hulls, bent])).any(axis=1))
        if len(free):
            return np.asarray(points[free[0]])
    light = shapely.get_coordinates(shapely.buffer(there, -TOUCH_EPSILON_MM, join_style="mitre"))[:-1]
    reach = SHADOW_LENGTH * between.hull.length
    # A side alone is convex, as a hull is; a shape that is not is the union of its sides and of what they enclose.
    shadows = [_shadows([ring], light, reach) for ring in map(shapely.get_coordinates, hulls)]
    for polygon in bent:
        for ring in map(shapely.get_coordinates, shapely.get_rings(polygon)):
            shadows.append(_shadows(np.stack([ring[:-1], ring[1:]], axis=1), light, reach))
    shaded = shapely.intersection(np.concatenate([*shadows, bent]), here)
    if (shapely.area(shaded) >= here.area * WHOLE_SHADOW_SHARE).any():
        return None
    left = shapely.difference(here, shapely.union_all(shaded[~shapely.is_empty(shaded)]))
    left = shapely.get_parts(shapely.buffer(left, -TOUCH_EPSILON_MM / 100.0, join_style="mitre"))
    if not shapely.area(left).sum():
        return None
    inside = shapely.point_on_surface(left[np.argmax(shapely.area(left))])
    return np.asarray(shapely.get_coordinates(inside)[0])


def _shadows(shapes: Any, light: Floats, reach: float) -> Any:
    """(n,) the shadows of convex shapes (n, k, 2), away from a convex light (c, 2): polygons as long as ``reach``."""
    shapes = np.asarray(shapes)
    some = light[:: max(1, len(light) // SHADOW_POINTS)]
    some = np.concatenate([some, (some + np.roll(some, -1, axis=0)) / 2.0])
    starts = shapes.reshape(-1, 2)
    outermost = np.stack([_outer(starts, light, way) for way in (1.0, -1.0)], axis=1)
    seen = np.concatenate([outermost, np.broadcast_to(some, (len(starts), *some.shape))], axis=1)
    way = starts[:, None] - seen
    far = starts[:, None] + reach * way / np.maximum(np.hypot(way[..., 0], way[..., 1]), TOUCH_EPSILON_MM)[..., None]
    return shapely.convex_hull(shapely.multipoints(np.concatenate([shapes, far.reshape(len(shapes), -1, 2)], axis=1)))


def _outer(points: Floats, corners: Floats, way: float) -> Floats:
    """(n, 2) the outermost corner to the left (1.0) or right (-1.0) of a convex outline, as seen from each point."""
    middle = corners.mean(axis=0) - points
    away = corners[None] - points[:, None]
    ahead = np.einsum("nij,nj->ni", away, middle)
    aside = middle[:, None, 0] * away[..., 1] - middle[:, None, 1] * away[..., 0]
    outer: Floats = corners[np.argmax(way * np.arctan2(aside, ahead), axis=1)]
    return outer


def _fans(points: Floats, shape: Any) -> Any:
    """(n,) the areas of all lines from each of some points (n, 2) to a convex shape."""
    corners = shapely.get_coordinates(shape)
    ends = np.broadcast_to(corners, (len(points), *corners.shape))
    return shapely.convex_hull(shapely.multipoints(np.concatenate([points[:, None], ends], axis=1)))


# ---- lines from base to base

TOUCH_EPSILON_MM = 1e-6  # mm: what lies no farther than this from an edge touches it
# mm by which shapes may reach out of the hull of both bases: else an outermost line would pass them by.
HULL_RIM_MM = 1e-3


@dataclass(frozen=True, eq=False)
class Between:
    """What lies between the bases of two pieces, seen from above."""

    # The bases of attacker and target, discs or outlines with one convex polygon
    ends: tuple[PlaneDisc | Outlines, PlaneDisc | Outlines]
    shapes: tuple[Any, Any]  # the same as polygons of shapely
    heights: Floats  # (2,) mm, z of their undersides, where lines are drawn
    centres: Floats  # (2, 2) mm, the middles of the bases

    @classmethod
    def of(cls, attacker: Piece, target: Piece) -> Between:
        """Between two pieces; kept as long as both are."""
        return _between(attacker, ref(target))

    @cached_property
    def hull(self) -> Any:
        """The area of all lines from one base to the other: the convex hull of both."""
        rings = [ring_round(each) if isinstance(each, PlaneDisc) else each.corners for each in self.ends]
        hull = shapely.convex_hull(shapely.multipoints(np.concatenate(rings)))
        if isinstance(self.ends[0], PlaneDisc) and isinstance(self.ends[1], PlaneDisc):
            between = tangent_quadrilateral(self.ends[0], self.ends[1])
            hull = shapely.union(hull, shapely.Polygon(between)) if len(between) else hull
        return hull

    @cached_property
    def inner(self) -> Any:
        """The hull without its rim of `TOUCH_EPSILON_MM`: what meets it is crossed by some line."""
        inner = shapely.buffer(self.hull, -TOUCH_EPSILON_MM, join_style="mitre")
        shapely.prepare(inner)
        return inner

    @cached_property
    def inner_ends(self) -> Any:
        """Both bases without their rims of `TOUCH_EPSILON_MM`."""
        ends = shapely.multipolygons(
            [shapely.buffer(shape, -TOUCH_EPSILON_MM, join_style="mitre") for shape in self.shapes]
        )
        shapely.prepare(ends)
        return ends

    @cached_property
    def outermost(self) -> Any:
        """(2,) the lines that touch both bases from one side, a little farther out: what meets both leaves no line."""
        outer = shapely.buffer(self.hull, 2.0 * TOUCH_EPSILON_MM, join_style="mitre")
        rim = shapely.get_coordinates(shapely.convex_hull(outer))
        nearest = np.stack([shapely.distance(shapely.points(rim), shape) for shape in self.shapes]).argmin(axis=0)
        changes = np.flatnonzero(nearest[1:] != nearest[:-1])
        return shapely.linestrings(np.stack([rim[changes], rim[changes + 1]], axis=1))

    @cached_property
    def nearest(self) -> Floats:
        """(2, 2) the shortest line from base to base; of no length where they overlap."""
        points: Floats = shapely.get_coordinates(shapely.shortest_line(*self.shapes))
        return points

    @property
    def is_touching(self) -> bool:
        """Whether the bases touch or overlap."""
        return bool(np.hypot(*(self.nearest[1] - self.nearest[0])) <= TOUCH_EPSILON_MM)

    def raised(self, line: Floats) -> Floats:
        """(1, 2, 3) a line in plan (2, 2) at the heights of the bases' undersides."""
        return np.column_stack([line, self.heights])[None]


@derived
def _between(attacker: Piece, target: ref[Piece]) -> Between:
    """Between two pieces, of which the memo keeps neither."""
    second = target()
    assert second is not None  # who asks holds it
    both = (attacker, second)
    ends, shapes = (tuple(map(of, both)) for of in (base_end, base_shape))
    heights = np.array([piece.base_span[0] for piece in both])
    centres = without_specks(np.array([piece.base_centre for piece in both]))
    return Between((ends[0], ends[1]), (shapes[0], shapes[1]), heights, centres)


def any_line_crosses(attacker: Piece, target: Piece, regions: Sequence[Region]) -> ErrorBound:
    """Whether some line from base to base crosses a region. ``by`` has all regions crossed, ``lines`` one line."""
    between = Between.of(attacker, target)
    crossed = _by_size(regions, between.inner)
    if not crossed:
        return ErrorBound(0.0)
    line = _line_through(between, shapely.intersection(crossed[0].shape, between.inner))
    return ErrorBound(1.0, lines=between.raised(line), by=tuple(region.name for region in crossed))


def centre_line_crosses(attacker: Piece, target: Piece, regions: Sequence[Region]) -> ErrorBound:
    """Whether the line from the middle of one base to the middle of the other crosses a region."""
    between = Between.of(attacker, target)
    regions = [region for region in regions if _is_met(between.centres, region.shape)]
    crossed_names = [(region.name, crossings(between.centres, region.shape)) for region in regions]
    lengths = {name: float(np.ptp(parts, axis=1).sum()) for name, parts in crossed_names if len(parts)}
    by = tuple(sorted(lengths, key=lambda name: -lengths[name]))
    if not by:
        seam = crossings(between.centres, shapely.union_all([region.shape for region in regions]))
        by = tuple(region.name for region in regions) if len(seam) else ()
    return ErrorBound(1.0 if by else 0.0, lines=between.raised(between.centres), by=by)


def all_lines_cross(attacker: Piece, target: Piece, regions: Sequence[Region]) -> ErrorBound:
    """Whether no straight line from base to base is free of the regions, all taken together. ``lines`` has a free line
    where there is one, else the shortest line. ``by`` names, where none is free, the regions that alone leave no line
    free, or without such every region that some line crosses.
    """
    between = Between.of(attacker, target)
    met = _by_size(regions, between.inner)
    line = _free(between, met)
    if line is not None:
        return ErrorBound(0.0, lines=between.raised(line))
    alone = [region for region in met if _free(between, [region]) is None] if len(met) > 1 else []
    return ErrorBound(1.0, lines=between.raised(between.nearest), by=tuple(region.name for region in alone or met))


def crossings(line: Floats, shape: Any) -> Floats:
    """(k, 2) mm from its start, where a line (2, 2) enters a shape of shapely and leaves it, in order. A line that runs
    along an edge touches it, and does not enter.

    >>> square = shapely.box(10.0, 0.0, 14.0, 4.0)
    >>> [crossings(np.array([[0.0, y], [20.0, y]]), square).round(5).tolist() for y in (2.0, 4.0, 5.0)]
    [[[10.0, 14.0]], [], []]
    >>> two = shapely.union(square, shapely.box(4.0, 4.0, 20.0, 8.0))
    >>> crossings(np.array([[20.0, 4.0], [4.0, 4.0]]), two).round(5).tolist()
    [[6.0, 10.0]]
    """
    step = line[1] - line[0]
    length = float(np.hypot(*step))
    if length <= TOUCH_EPSILON_MM:
        return np.empty((0, 2))
    along = step / length
    aside = TOUCH_EPSILON_MM * np.array([-along[1], along[0]])
    # On either side of the line: only where both are inside does the line itself pass through.
    sides = shapely.intersection(shapely.linestrings([line + aside, line - aside]), shape)
    flat = shapely.transform(sides, lambda points: np.column_stack([(points - line[0]) @ along, 0.0 * points[:, 0]]))
    # Without points, where a side only touches: of these beside lines, and of nothing, GEOS finds no intersection.
    ways = [[part for part in shapely.get_parts(side) if part.length > 0.0] for side in flat]
    if not all(ways):
        return np.empty((0, 2))
    both = shapely.get_parts(shapely.intersection(*map(shapely.multilinestrings, ways)))
    parts = np.sort([shapely.get_coordinates(part)[[0, -1], 0] for part in both if part.length > TOUCH_EPSILON_MM])
    return parts.reshape(-1, 2)[np.argsort(parts.reshape(-1, 2)[:, 0])]


def _by_size(regions: Sequence[Region], area: Any) -> list[Region]:
    """The regions that meet an area, the one of which most lies in it first."""
    shapes = np.array([region.shape for region in regions], dtype=object)
    met = np.flatnonzero(shapely.intersects(shapes, area)) if len(regions) else np.empty(0, np.intp)
    if len(met) > 1:
        met = met[np.argsort(-shapely.area(shapely.intersection(shapes[met], area)), kind="stable")]
    return [regions[int(number)] for number in met]


def _is_met(line: Floats, shape: Any) -> bool:
    return bool(shapely.dwithin(shapely.LineString(line), shape, TOUCH_EPSILON_MM))


def _free(between: Between, regions: Sequence[Region]) -> Floats | None:
    """(2, 2) a line from base to base that crosses none of some regions; None where there is none."""
    if between.is_touching:
        return between.nearest
    hulls, bent = as_hulls(between, [region.shape for region in regions])
    if len(hulls) and shapely.intersects(hulls[:, None], between.outermost).all(axis=1).any():
        return None
    blockers = outlines_of(shapely.multipolygons(np.concatenate([hulls, bent])))
    source, target = between.ends
    swapped = isinstance(source, PlaneDisc) and isinstance(target, Outlines)
    ends = (target, source) if swapped else (source, target)
    line = find_free_line(*ends, blockers, TOUCH_EPSILON_MM, reasons=False).line
    return line[::-1] if line is not None and swapped else line


def as_hulls(between: Between, shapes: Sequence[Any]) -> tuple[Any, Any]:
    """Shapes that leave the same lines free as some others, with fewer corners: polygons of shapely, (n,) convex hulls
    of those that lie clear of both bases, and (m,) the others.

    A line passes a connected shape on one side, and what it passes on one side, it passes with all that lies between:
    the convex hull, if neither base reaches into that. Hulls that overlap become one.
    """
    near = shapely.buffer(between.hull, HULL_RIM_MM, join_style="mitre")
    parts = shapely.get_parts(polygons_of(shapely.union_all(shapely.intersection(np.array(shapes, object), near))))
    while True:
        hulls = shapely.convex_hull(parts)
        bent = shapely.intersects(hulls, between.inner_ends)
        hulls[bent] = parts[bent]
        merged = shapely.get_parts(polygons_of(shapely.union_all(hulls)))
        if len(merged) == len(hulls):
            return hulls[~bent], hulls[bent]
        parts = merged


def _line_through(between: Between, shape: Any) -> Floats:
    """(2, 2) a line from base to base through a point inside a shape in their hull: the middle one, if it can be."""
    if _is_met(between.centres, shape):
        return between.centres
    parts = shapely.get_parts(shape)
    point = shapely.get_coordinates(shapely.point_on_surface(parts[np.argmax(shapely.area(parts))]))[0]
    here, there = (_seen_from(point, end) for end in between.shapes)
    # The directions in which the line meets the target, and in which, backwards, the attacker.
    middle = there[0]
    turn = (here[0] + np.pi - middle + np.pi) % (2.0 * np.pi) - np.pi
    low, high = max(-there[1], turn - here[1]), min(there[1], turn + here[1])
    angle = middle + (low + high) / 2.0
    reach = 2.0 * float(np.ptp(np.array(between.hull.bounds).reshape(2, 2), axis=0).sum())
    way = reach * np.array([np.cos(angle), np.sin(angle)])
    ends = []
    for shape, far in zip(between.shapes, (point - way, point + way), strict=True):
        nearest = shapely.shortest_line(shape, shapely.LineString([point, far]))
        ends.append(shapely.get_coordinates(nearest)[0])
    return np.array(ends)


def _seen_from(point: Floats, shape: Any) -> tuple[float, float]:
    """The direction, in radians, of a convex shape from a point, and how far it reaches to either side of that."""
    if shapely.intersects(shape, shapely.Point(point)):
        return 0.0, np.pi
    away = shapely.get_coordinates(shape) - point
    middle = np.arctan2(*(shapely.get_coordinates(shape.centroid)[0] - point)[::-1])
    off = (np.arctan2(away[:, 1], away[:, 0]) - middle + np.pi) % (2.0 * np.pi) - np.pi
    return float(middle + (off.min() + off.max()) / 2.0), float(off.max() - off.min()) / 2.0
