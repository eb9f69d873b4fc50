"""Geometry of the table seen from above: bases and polygons, what lies between two bases, and directed lines.

Lengths are in any one unit. Things that overlap by less than an epsilon only touch: a length far below all that is
measured, and far above the errors of rounding. It grows with the distances, so that no answer depends on the unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats
from silhouette.common.lazy import cached_property, own_bytes

Indices = NDArray[np.intp]
EPSILON_SHARE = 1e-9  # the epsilon, as a share of the distance across both pieces
# Added to the epsilon, a share of the largest coordinate: far out, coordinates are less exact.
COORDINATE_ROUNDING_SHARE = 1e-13
NO_AREA_SHARE = 1e-12  # a polygon with less area than this, as a share of the square of its extent, is a line
# The number of corners of a polygon that stands for a disc: it reaches out less by 1e-5 of the radius.
DISC_CORNERS = 720


@own_bytes.register
def _(value: shapely.Geometry) -> int:
    return 64 * (1 + int(shapely.get_num_coordinates(value)))  # a prepared one has a tree besides


@dataclass(frozen=True)
class PlaneDisc:
    """A round base, by its centre and a radius above 0."""

    centre: tuple[float, float]
    radius: float

    @property
    def bounds(self) -> Floats:
        """The least and the greatest corner (2, 2) of the square round it."""
        bounds: Floats = np.array([self.centre]) + np.array([[-self.radius], [self.radius]])
        return bounds


@dataclass(frozen=True, eq=False)
class Outlines:
    """Any number of simple polygons without holes, which may be concave and may overlap."""

    corners: Floats  # (n, 2) of all polygons, one polygon after another, each anticlockwise
    starts: Indices  # (polygons,) the number of each polygon's first corner

    @classmethod
    def of(cls, rings: Sequence[Any]) -> Outlines:
        """The polygons with these corners, (n, 2) each, in either direction, in which `fault_in` finds nothing.

        >>> Outlines.of([[[0, 0], [0, 2], [2, 0]]]).corners.tolist()
        [[2.0, 0.0], [0.0, 2.0], [0.0, 0.0]]
        >>> Outlines.of([]).polygons.size
        0
        """
        clean = [without_repeats(ring) for ring in rings]
        clean = [ring if doubled_area(ring) > 0.0 else ring[::-1] for ring in clean]
        starts = np.cumsum([0, *map(len, clean)][: len(clean)], dtype=np.intp)
        return cls(np.concatenate([np.empty((0, 2)), *clean]), starts)

    def chosen(self, flags: Flags) -> Outlines:
        """The polygons that are flagged (polygons,), in the same order."""
        lengths = self.lengths[flags]
        corners = self.corners[np.repeat(flags, self.lengths)]
        return Outlines(corners, (np.cumsum(lengths) - lengths).astype(np.intp))

    @cached_property
    def lengths(self) -> Indices:
        """(polygons,) the number of corners of each."""
        return np.diff(self.starts, append=len(self.corners))

    @cached_property
    def following(self) -> Indices:
        """(n,) the number of the next corner of the same polygon, anticlockwise."""
        after = np.arange(1, len(self.corners) + 1, dtype=np.intp)
        after[self.starts + self.lengths - 1] = self.starts
        return after

    @cached_property
    def preceding(self) -> Indices:
        """(n,) the number of the corner before it in the same polygon."""
        before = np.empty_like(self.following)
        before[self.following] = np.arange(len(self.corners))
        return before

    @cached_property
    def convex(self) -> Flags:
        """(n,) whether the polygon's angle is below 180 degrees there, so that a line can touch it from outside."""
        came = self.corners - self.corners[self.preceding]
        goes = self.corners[self.following] - self.corners
        return came[:, 0] * goes[:, 1] > came[:, 1] * goes[:, 0]

    @cached_property
    def polygons(self) -> NDArray[np.object_]:
        """(polygons,) the same as polygons of shapely, prepared, since they are queried often."""
        rings = np.split(self.corners, self.starts[1:]) if len(self.starts) else []
        polygons = np.array([shapely.Polygon(ring) for ring in rings], dtype=object)
        shapely.prepare(polygons)
        return polygons


def without_repeats(ring: Any) -> Floats:
    """The corners (n, 2) of a ring without those that repeat the one before, or, at its end, the first."""
    corners = np.asarray(ring, dtype=np.float64).reshape(-1, 2)
    clean: Floats = corners[(corners != np.roll(corners, 1, axis=0)).any(axis=1)]
    return clean


def doubled_area(corners: Floats) -> float:
    """Twice the area within corners (n, 2), negative where they go round clockwise."""
    x, y = (corners - corners[:1]).T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def fault_in(ring: Any) -> str | None:
    """Why corners (n, 2) are no simple polygon, in words that follow "it must"; None where they are one.

    >>> fault_in([[0, 0], [4, 0], [4, 3], [0, 0]])
    >>> fault_in([[0, 0], [4, 0], [0, 0]])
    'have three corners or more'
    >>> fault_in([[0, 0], [4, 0], [9, 0]])
    'have an area, but its corners lie on one line'
    >>> fault_in([[0, 0], [4, 4], [4, 0], [0, 4]])
    'not cross or touch itself, as it does at [2, 2]'
    """
    corners = without_repeats(ring)
    if len(np.unique(corners, axis=0)) < 3:
        return "have three corners or more"
    local = corners - corners[0]
    extent = float(np.abs(local).max())
    hull = shapely.convex_hull(shapely.MultiPoint(local)).area
    if hull <= NO_AREA_SHARE * extent**2:
        return "have an area, but its corners lie on one line"
    polygon = shapely.Polygon(corners)
    if not polygon.is_valid:
        reason = shapely.is_valid_reason(polygon)
        x, y = (float(number) for number in reason[reason.index("[") + 1 : -1].split())
        return f"not cross or touch itself, as it does at [{x:g}, {y:g}]"
    return None


def epsilon_of(*bounds: Floats) -> float:
    """The overlap below which things only touch, for pieces within these bounds, (2, 2) or more points each.

    >>> round(epsilon_of(PlaneDisc((0.0, 0.0), 20.0).bounds, PlaneDisc((360.0, 0.0), 20.0).bounds), 8)
    4.4e-07
    """
    both = np.concatenate(bounds)
    across = float(np.ptp(both, axis=0).sum())
    return EPSILON_SHARE * across + COORDINATE_ROUNDING_SHARE * float(np.abs(both).max())


def disc_distance(first: PlaneDisc, second: PlaneDisc) -> float:
    """The distance between two discs; 0 where they touch or overlap.

    >>> disc_distance(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((8.0, 6.0), 3.0))
    5.0
    >>> disc_distance(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((0.0, 0.0), 3.0))
    0.0
    """
    apart = np.hypot(first.centre[0] - second.centre[0], first.centre[1] - second.centre[1])
    return max(0.0, float(apart) - first.radius - second.radius)


def outline_distances(disc: PlaneDisc, outlines: Outlines) -> Floats:
    """(polygons,) the distance of each polygon from a disc; 0 where they touch or overlap.

    >>> square = Outlines.of([[[5, -1], [7, -1], [7, 1], [5, 1]]])
    >>> [outline_distances(disc, square).tolist() for disc in (PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((6.0, 0.0), 0.5))]
    [[3.0], [0.0]]
    """
    apart: Floats = shapely.distance(outlines.polygons, shapely.Point(disc.centre)) - disc.radius
    return np.maximum(apart, 0.0)


def ends_along(piece: PlaneDisc | Outlines, axes: Floats) -> Floats:
    """(n, 2) points along both axes (2, 2) that bound a piece.

    >>> ends_along(PlaneDisc((3.0, 0.0), 2.0), np.eye(2)).tolist()
    [[1.0, -2.0], [5.0, 2.0]]
    """
    if isinstance(piece, Outlines):
        return piece.corners @ axes
    ends: Floats = np.array(piece.centre) @ axes + np.array([[-piece.radius], [piece.radius]])
    return ends


def ring_round(disc: PlaneDisc) -> Floats:
    """(`DISC_CORNERS`, 2) corners, anticlockwise, on the circle of a disc."""
    turn = np.arange(DISC_CORNERS) * 2.0 * np.pi / DISC_CORNERS
    return np.array(disc.centre) + disc.radius * np.column_stack([np.cos(turn), np.sin(turn)])


def nearest_points(first: PlaneDisc | Outlines, second: PlaneDisc | Outlines) -> Floats:
    """(2, 2) a point of each piece, as near to each other as any; of a disc its centre stands for it.

    >>> square = Outlines.of([[[5, -1], [7, -1], [7, 1], [5, 1]]])
    >>> nearest_points(PlaneDisc((0.0, 0.0), 2.0), square).tolist()
    [[0.0, 0.0], [5.0, 0.0]]
    """
    shapes = [
        shapely.Point(piece.centre) if isinstance(piece, PlaneDisc) else piece.polygons[0] for piece in (first, second)
    ]
    points: Floats = shapely.get_coordinates(shapely.shortest_line(*shapes))
    return points


def tangent_quadrilateral(first: PlaneDisc, second: PlaneDisc) -> Floats:
    """(4, 2) the corners, anticlockwise, of the area between the outer common tangents of two discs, where these touch;
    with both discs it makes up their convex hull. (0, 2) where one holds the other.

    >>> tangent_quadrilateral(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((9.0, 0.0), 2.0)).tolist()
    [[0.0, -2.0], [9.0, -2.0], [9.0, 2.0], [0.0, 2.0]]
    >>> tangent_quadrilateral(PlaneDisc((0.0, 0.0), 3.0), PlaneDisc((1.0, 0.0), 2.0)).shape
    (0, 2)
    """
    start, end = np.array(first.centre), np.array(second.centre)
    apart = float(np.hypot(*(end - start)))
    if apart <= abs(first.radius - second.radius):
        return np.empty((0, 2))
    along = (end - start) / apart
    across = np.array([-along[1], along[0]])
    cosine = (first.radius - second.radius) / apart
    sine = np.sqrt(1.0 - cosine**2)
    right, left = cosine * along - sine * across, cosine * along + sine * across
    steps = (first.radius * right, second.radius * right, second.radius * left, first.radius * left)
    corners: Floats = np.stack([start, end, end, start]) + np.stack(steps)
    return corners


def crossed(source: PlaneDisc | Outlines, target: PlaneDisc | Outlines, outlines: Outlines, epsilon: float) -> Flags:
    """(polygons,) whether some line from a point of the source to a point of the target passes through each polygon:
    one that reaches into the convex hull of both by no more than an epsilon only touches it. Where the target is a
    polygon, what lies within it is not passed.

    >>> post = Outlines.of([[[4, 2], [5, 2], [5, 9], [4, 9]]])
    >>> crossed(PlaneDisc((0.0, 0.0), 2.5), PlaneDisc((9.0, 0.0), 2.5), post, 1e-9).tolist()
    [True]
    >>> crossed(PlaneDisc((0.0, 0.0), 2.0), PlaneDisc((9.0, 0.0), 2.0), post, 1e-9).tolist()
    [False]
    >>> crossed(PlaneDisc((0.0, 0.0), 2.0), Outlines.of([[[9, -3], [10, -3], [10, 3], [9, 3]]]), post, 1e-9).tolist()
    [True]
    """
    if isinstance(source, Outlines):
        ends = [piece.corners if isinstance(piece, Outlines) else ring_round(piece) for piece in (source, target)]
        hull = shapely.buffer(
            shapely.convex_hull(shapely.MultiPoint(np.concatenate(ends))), -epsilon, join_style="mitre"
        )
        return np.asarray(shapely.intersects(outlines.polygons, hull), dtype=bool)
    # Both ends are made smaller by the epsilon: a polygon that still meets their hull overlaps by more than that.
    small = PlaneDisc(source.centre, max(source.radius - epsilon, 0.0))
    flags: Flags = shapely.dwithin(outlines.polygons, shapely.Point(small.centre), small.radius)
    if isinstance(target, Outlines):
        rays = [tangent_quadrilateral(small, PlaneDisc((float(x), float(y)), 0.0)) for x, y in target.corners]
        hull = shapely.convex_hull(shapely.MultiPoint(np.concatenate(rays)))
        passed = shapely.difference(shapely.intersection(outlines.polygons, hull), target.polygons[0])
        flags |= shapely.area(passed) > epsilon * shapely.length(hull)
        return flags
    end = PlaneDisc(target.centre, max(target.radius - epsilon, 0.0))
    flags |= shapely.dwithin(outlines.polygons, shapely.Point(end.centre), end.radius)
    corners = tangent_quadrilateral(small, end)
    if len(corners):
        flags |= shapely.intersects(outlines.polygons, shapely.Polygon(corners))
    return flags


LEFT_SIDE, RIGHT_SIDE = 1.0, -1.0  # the side of a directed line, as the sign of the distance to its left


@dataclass(frozen=True, eq=False)
class DirectedLines:
    """Directed straight lines, of points x with ``x @ normal == offset``; the normal (n, 2), of length 1, on their
    left.
    """

    normals: Floats
    offsets: Floats

    @property
    def directions(self) -> Floats:
        """(n, 2) the direction of each, of length 1: its normal, turned clockwise."""
        return np.stack([self.normals[:, 1], -self.normals[:, 0]], axis=1)

    def chosen(self, which: Flags | Indices | slice) -> DirectedLines:
        """The lines that are flagged, or those with these numbers."""
        return DirectedLines(self.normals[which], self.offsets[which])

    def left_of(self, points: Floats) -> Floats:
        """(n, points) the distance of each point to the left of each line, negative to its right."""
        across: Floats = np.outer(self.normals[:, 0], points[:, 0])
        return across + np.outer(self.normals[:, 1], points[:, 1]) - self.offsets[:, None]

    def along(self, points: Floats) -> Floats:
        """(n, points) the position of each point along each line."""
        along: Floats = np.outer(self.normals[:, 1], points[:, 0])
        return along - np.outer(self.normals[:, 0], points[:, 1])


@dataclass(frozen=True, eq=False)
class Supports:
    """What a line can touch: corners of polygons, crossings of outlines, and the two sides of a disc."""

    points: Floats  # (n, 2) a corner, a crossing, or the centre of a disc
    # (n,) the distance to the left of the point at which a line that touches passes: 0, or plus or minus the radius of
    # the disc
    reach: Floats
    # before, after: (n, 2) the corners before and after a corner of a polygon; the point itself where it is none
    before: Floats
    after: Floats
    convex: Flags  # (n,) whether a line that touches can be free there

    def allow(self, which: Indices, lines: DirectedLines, epsilon: float) -> Flags:
        """(lines,) whether each line touches its support ``which`` (lines,) and does not cut the corner off: both
        neighbours lie on one side of the line.
        """
        before = np.sum(self.before[which] * lines.normals, axis=1) - lines.offsets
        after = np.sum(self.after[which] * lines.normals, axis=1) - lines.offsets
        through = (np.minimum(before, after) < -epsilon) & (np.maximum(before, after) > epsilon)
        allowed: Flags = self.convex[which] & ~through
        return allowed


def supports_of(
    source: PlaneDisc | Outlines, target: PlaneDisc | Outlines, blockers: Outlines, epsilon: float
) -> Supports:
    """Everything that a line between source and target can touch."""
    parts = [_supports_of(blockers)]
    for end in (source, target):
        if isinstance(end, PlaneDisc):
            parts.append(_open_supports(np.array([end.centre] * 2), np.array([end.radius, -end.radius])))
            parts.append(_open_supports(_crossings_with_disc(blockers, end, epsilon)))
        else:
            # A target may be concave, and a line may end in its bay; where the source is a polygon, both are convex.
            parts.append(_supports_of(end) if isinstance(source, Outlines) else _open_supports(end.corners))
            parts.append(_open_supports(_crossings(blockers, end)))
    names = [field.name for field in fields(Supports)]
    return Supports(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def _supports_of(outlines: Outlines) -> Supports:
    """The corners of outlines, where no line may cut them off."""
    corners = outlines.corners
    before, after = corners[outlines.preceding], corners[outlines.following]
    return Supports(corners, np.zeros(len(corners)), before, after, outlines.convex)


def _open_supports(points: Floats, reach: Floats | None = None) -> Supports:
    reach = np.zeros(len(points)) if reach is None else reach
    return Supports(points, reach, points + 0.0, points + 0.0, np.ones(len(points), dtype=bool))


def _crossings_with_disc(outlines: Outlines, disc: PlaneDisc, epsilon: float) -> Floats:
    """(n, 2) where edges of outlines cross or touch a disc's circle: what lies within the disc is not in the way. On
    the edge from a corner in steps of share s, |start + s step|^2 = radius^2 is a quadratic equation.
    """
    start = outlines.corners - np.array(disc.centre)
    step = outlines.corners[outlines.following] - outlines.corners
    square, slope = np.sum(step * step, axis=1), np.sum(start * step, axis=1)
    root = slope**2 - square * (np.sum(start * start, axis=1) - disc.radius**2)
    half = np.sqrt(np.maximum(root, 0.0))
    meets = root >= -2.0 * disc.radius * epsilon * square
    points = []
    for share in ((-slope - half) / square, (-slope + half) / square):
        crosses = meets & (share >= 0.0) & (share <= 1.0)
        points.append((outlines.corners + step * share[:, None])[crosses])
    return np.concatenate(points)


def _crossings(some: Outlines, others: Outlines) -> Floats:
    """(n, 2) the points where edges of some outlines cross edges of the others, those of the target: what lies within
    that is not in the way, so that a line may end at such a crossing.
    """
    start, there = some.corners[:, None], others.corners[None]
    step = some.corners[some.following][:, None] - start
    side = others.corners[others.following][None] - there
    turn = step[..., 0] * side[..., 1] - step[..., 1] * side[..., 0]
    slanting = turn != 0.0
    apart, turn = there - start, np.where(slanting, turn, 1.0)
    share_of_some = (apart[..., 0] * side[..., 1] - apart[..., 1] * side[..., 0]) / turn
    share_of_others = (apart[..., 0] * step[..., 1] - apart[..., 1] * step[..., 0]) / turn
    crosses = (
        slanting & (share_of_some >= 0.0) & (share_of_some <= 1.0) & (share_of_others >= 0.0) & (share_of_others <= 1.0)
    )
    points: Floats = (start + step * share_of_some[..., None])[crosses]
    return points


def pairs(first: int, last: int, count: int) -> tuple[Indices, Indices]:
    """(pairs,) and (pairs,) the numbers of all pairs of ``count`` things: one in [first, last), and a later one."""
    earlier, later = np.nonzero(np.arange(first, last)[:, None] < np.arange(count))
    return earlier + first, later


def lines_touching(
    supports: Supports, first: Indices, second: Indices, epsilon: float
) -> tuple[DirectedLines, Indices]:
    """The directed lines that touch both supports of each pair, and (lines,) the number of each line's pair. The normal
    is at the angle to the step from first to second whose cosine is the difference of their reaches, over their
    distance.
    """
    step = supports.points[second] - supports.points[first]
    apart = np.hypot(step[:, 0], step[:, 1])
    difference = supports.reach[first] - supports.reach[second]
    pair = np.flatnonzero((apart > epsilon) & (np.abs(difference) <= apart + epsilon))
    step, apart, difference = step[pair] / apart[pair, None], apart[pair], difference[pair]
    cosine = np.clip(difference / apart, -1.0, 1.0)
    # A corner on the circle of a disc: there is one line, which rounding would turn into two that lie apart.
    sine = np.where(np.abs(difference) < apart - epsilon, np.sqrt(1.0 - cosine**2), 0.0)
    cosine = np.where(sine == 0.0, np.sign(cosine), cosine)
    across = np.stack([-step[:, 1], step[:, 0]], axis=1)
    normals = np.concatenate(
        [step * cosine[:, None] + turn * across * sine[:, None] for turn in (LEFT_SIDE, RIGHT_SIDE)]
    )
    pair = np.concatenate([pair, pair])
    offsets = np.sum(supports.points[first[pair]] * normals, axis=1) + supports.reach[first[pair]]
    return DirectedLines(normals, offsets), pair
