"""Seen from above: round bases and polygons in the plane, how far apart they are, and what lies between two bases.

In any unit of length. What touches is told from what overlaps by a hair: a length far below all that is measured, and
far above rounding. It grows with what is looked at, so that no answer depends on the unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats

Indices = NDArray[np.intp]

HAIR = 1e-9  # of the distance across what is looked at
ROUNDING = 1e-13  # of the largest coordinate: what lies far from the origin is known less exactly
NO_AREA = 1e-12  # of the square of a polygon's extent: one that has less is a line


@dataclass(frozen=True)
class Disc:
    """A round base.

    Attributes:
        centre: x, y.
        radius: above zero.
    """

    centre: tuple[float, float]
    radius: float

    @property
    def bounds(self) -> Floats:
        """The least and the greatest corner (2, 2) of the square round it."""
        bounds: Floats = np.array([self.centre]) + np.array([[-self.radius], [self.radius]])
        return bounds


@dataclass(frozen=True, eq=False)
class Outlines:
    """Simple polygons, any number of them, none of which has a hole; they may be concave and may overlap.

    Attributes:
        corners: (n, 2) float64, those of all polygons one after another, each anticlockwise.
        starts: (polygons,) where in ``corners`` each begins.
    """

    corners: Floats
    starts: Indices

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
        """Those of them that are flagged (polygons,), in the same order."""
        lengths = self.lengths[flags]
        corners = self.corners[np.repeat(flags, self.lengths)]
        return Outlines(corners, (np.cumsum(lengths) - lengths).astype(np.intp))

    @cached_property
    def lengths(self) -> Indices:
        """(polygons,) how many corners each has."""
        return np.diff(self.starts, append=len(self.corners))

    @cached_property
    def following(self) -> Indices:
        """(n,) where the next corner of the same polygon stands."""
        after = np.arange(1, len(self.corners) + 1, dtype=np.intp)
        after[self.starts + self.lengths - 1] = self.starts
        return after

    @cached_property
    def preceding(self) -> Indices:
        """(n,) where the corner before it, of the same polygon, stands."""
        before = np.empty_like(self.following)
        before[self.following] = np.arange(len(self.corners))
        return before

    @cached_property
    def pointed(self) -> Flags:
        """(n,) whether the polygon is narrower than a straight angle there, so that a line can touch it."""
        came = self.corners - self.corners[self.preceding]
        goes = self.corners[self.following] - self.corners
        flags: Flags = came[:, 0] * goes[:, 1] > came[:, 1] * goes[:, 0]
        return flags

    @cached_property
    def polygons(self) -> NDArray[np.object_]:
        """(polygons,) the same for shapely, prepared for many questions."""
        rings = np.split(self.corners, self.starts[1:]) if len(self.starts) else []
        found = np.array([shapely.Polygon(ring) for ring in rings], dtype=object)
        shapely.prepare(found)
        return found


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
    if hull <= NO_AREA * extent**2:
        return "have an area, but its corners lie on one line"
    polygon = shapely.Polygon(corners)
    if not polygon.is_valid:
        reason = shapely.is_valid_reason(polygon)
        x, y = (float(number) for number in reason[reason.index("[") + 1 : -1].split())
        return f"not cross or touch itself, as it does at [{x:g}, {y:g}]"
    return None


def hair_of(*bounds: Floats) -> float:
    """The hair for a look at what lies within these bounds (2, 2): the length below which things touch.

    >>> round(hair_of(Disc((0.0, 0.0), 20.0).bounds, Disc((360.0, 0.0), 20.0).bounds), 8)
    4.4e-07
    """
    both = np.concatenate(bounds)
    across = float(np.ptp(both, axis=0).sum())
    return HAIR * across + ROUNDING * float(np.abs(both).max())


def between_discs(one: Disc, other: Disc) -> float:
    """How far apart two discs are; 0 where they touch or overlap.

    >>> between_discs(Disc((0.0, 0.0), 2.0), Disc((8.0, 6.0), 3.0))
    5.0
    >>> between_discs(Disc((0.0, 0.0), 2.0), Disc((0.0, 0.0), 3.0))
    0.0
    """
    apart = np.hypot(one.centre[0] - other.centre[0], one.centre[1] - other.centre[1])
    return max(0.0, float(apart) - one.radius - other.radius)


def to_outlines(disc: Disc, outlines: Outlines) -> Floats:
    """(polygons,) how far each polygon is from a disc; 0 where they touch or overlap.

    >>> square = Outlines.of([[[5, -1], [7, -1], [7, 1], [5, 1]]])
    >>> to_outlines(Disc((0.0, 0.0), 2.0), square).tolist(), to_outlines(Disc((6.0, 0.0), 0.5), square).tolist()
    ([3.0], [0.0])
    """
    apart: Floats = shapely.distance(outlines.polygons, shapely.Point(disc.centre)) - disc.radius
    return np.maximum(apart, 0.0)


def between_tangents(one: Disc, other: Disc) -> Floats:
    """The four corners (4, 2) of what lies between the two outer common tangents of discs, from touch to touch.

    With both discs it makes up their convex hull. There are no corners, (0, 2), where one disc holds the other.

    >>> between_tangents(Disc((0.0, 0.0), 2.0), Disc((9.0, 0.0), 2.0)).tolist()
    [[0.0, -2.0], [9.0, -2.0], [9.0, 2.0], [0.0, 2.0]]
    >>> between_tangents(Disc((0.0, 0.0), 3.0), Disc((1.0, 0.0), 2.0)).shape
    (0, 2)
    """
    start, end = np.array(one.centre), np.array(other.centre)
    apart = float(np.hypot(*(end - start)))
    if apart <= abs(one.radius - other.radius):
        return np.empty((0, 2))
    along = (end - start) / apart
    across = np.array([-along[1], along[0]])
    cosine = (one.radius - other.radius) / apart
    sine = np.sqrt(1.0 - cosine**2)
    right, left = cosine * along - sine * across, cosine * along + sine * across
    steps = (one.radius * right, other.radius * right, other.radius * left, one.radius * left)
    corners: Floats = np.stack([start, end, end, start]) + np.stack(steps)
    return corners


def crossed(one: Disc, other: Disc | Outlines, outlines: Outlines, hair: float) -> Flags:
    """(polygons,) whether some line from a point of a disc to a point of another, or of a polygon, passes through each.

    All those lines together are the convex hull of the two. A polygon that reaches into it by no more than a hair
    touches it: nothing passes through. What is within a polygon at the end of the lines is behind its edge.

    >>> post = Outlines.of([[[4, 2], [5, 2], [5, 9], [4, 9]]])
    >>> crossed(Disc((0.0, 0.0), 2.5), Disc((9.0, 0.0), 2.5), post, 1e-9).tolist()
    [True]
    >>> crossed(Disc((0.0, 0.0), 2.0), Disc((9.0, 0.0), 2.0), post, 1e-9).tolist()
    [False]
    >>> crossed(Disc((0.0, 0.0), 2.0), Outlines.of([[[9, -3], [10, -3], [10, 3], [9, 3]]]), post, 1e-9).tolist()
    [True]
    """
    small = Disc(one.centre, max(one.radius - hair, 0.0))
    flags: Flags = shapely.dwithin(outlines.polygons, shapely.Point(small.centre), small.radius)
    if isinstance(other, Outlines):
        rays = [between_tangents(small, Disc((float(x), float(y)), 0.0)) for x, y in other.corners]
        hull = shapely.convex_hull(shapely.MultiPoint(np.concatenate(rays)))
        passed = shapely.difference(shapely.intersection(outlines.polygons, hull), other.polygons[0])
        flags |= shapely.area(passed) > hair * shapely.length(hull)
        return flags
    end = Disc(other.centre, max(other.radius - hair, 0.0))
    flags |= shapely.dwithin(outlines.polygons, shapely.Point(end.centre), end.radius)
    corners = between_tangents(small, end)
    if len(corners):
        flags |= shapely.intersects(outlines.polygons, shapely.Polygon(corners))
    return flags
