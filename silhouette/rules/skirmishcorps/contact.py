"""JUDGE: SkirmishCorps, contact, standing opposite each other, and dives: geometry seen from above, by shapely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from shapely import LineString, MultiPoint, Point, Polygon, get_coordinates
from shapely.geometry.base import BaseGeometry

from silhouette.common.geometry import Floats, cosine_and_sine
from silhouette.common.lazy import cached_property

CONTACT_EPSILON_MM = 1e-6  # mm: lengths that differ by less are equal


@dataclass(frozen=True, eq=False)
class Footprint:
    """All of the table within ``radius`` mm of a core: a round base is a point, so that its gap to a wall is exact."""

    core: BaseGeometry
    radius: float = 0.0

    @classmethod
    def disc(cls, x: float, y: float, radius: float) -> Footprint:
        """The footprint of a round base, in mm."""
        return cls(Point(x, y), radius)

    @classmethod
    def of_corners(cls, corners: Any) -> Footprint:
        """The footprint with these corners (k, 2), in order, mm; of two, as of an upright sheet, the line between them.

        >>> Footprint.of_corners([[0.0, 0.0], [3.0, 4.0]]).core.length
        5.0
        """
        places = np.asarray(corners, dtype=np.float64)
        return cls(Polygon(places) if len(places) > 2 else MultiPoint(places).convex_hull)

    @classmethod
    def around(cls, points: Floats) -> Footprint:
        """The convex hull of points (n, 3), seen from above.

        >>> Footprint.around(np.array([[0.0, 0.0, 5.0], [4.0, 0.0, 9.0], [0.0, 4.0, 1.0], [1.0, 1.0, 0.0]])).core.area
        8.0
        """
        return cls(MultiPoint(points[:, :2]).convex_hull)

    def gap(self, other: Footprint) -> float:
        """The distance between two footprints, mm; 0 where they touch or overlap.

        >>> wall = Footprint.of_corners(rectangle(0.0, 0.0, 8.0, 120.0, 0.0))
        >>> Footprint.disc(12.5, 0.0, 8.0).gap(wall), Footprint.disc(3.0, 0.0, 8.0).gap(wall)
        (0.5, 0.0)
        """
        return max(0.0, float(self.core.distance(other.core)) - self.radius - other.radius)

    @property
    def middle(self) -> Floats:
        """(2,) the centroid, mm."""
        return np.array([self.core.centroid.x, self.core.centroid.y])

    def reach(self, axis: Floats) -> tuple[float, float]:
        """The least and the greatest position of the footprint along a unit vector (2,), mm."""
        along = get_coordinates(self.core) @ axis
        return float(along.min()) - self.radius, float(along.max()) + self.radius


@dataclass(frozen=True, eq=False)
class StandingSpace:
    """The space that a unit or a piece takes up, for questions of contact, from ``low`` to its top, mm."""

    footprint: Footprint  # the area that it covers; of a piece with a surface, the convex hull of that
    low: float
    high: float
    # (m, 3, 3) the triangles of a piece that need not fill its footprint; None of one that does
    surface: Floats | None = None

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """(m, 3) and (m, 3) the least and the greatest coordinates of each triangle."""
        assert self.surface is not None
        return self.surface.min(axis=1), self.surface.max(axis=1)

    def parts(self, geometry: BaseGeometry, reach: float, low: float, high: float = np.inf) -> Any:
        """(k,) shapely geometries, seen from above: the footprint, or those triangles of the surface that rise above
        ``low``, begin no higher than ``high``, and lie within ``reach`` mm of the bounds of ``geometry``.
        """
        if self.surface is None:
            return np.array([self.footprint.core])
        least, most = self.bounds
        start, end = np.array(geometry.bounds).reshape(2, 2)
        chosen = (most[:, 2] > low) & (least[:, 2] <= high)
        chosen &= (most[:, :2] >= start - reach).all(axis=1) & (least[:, :2] <= end + reach).all(axis=1)
        return shapely.polygons(self.surface[chosen, :, :2])


def rectangle(x: float, y: float, length: float, width: float, turn: float) -> Floats:
    """(4, 2) the corners, anticlockwise, of a rectangle about (x, y), turned by ``turn`` degrees from length along x.

    >>> rectangle(10.0, 0.0, 4.0, 2.0, 90.0).tolist()
    [[11.0, -2.0], [11.0, 2.0], [9.0, 2.0], [9.0, -2.0]]
    """
    cosine, sine = cosine_and_sine(turn)
    signs = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    corners: Floats = (signs * [length / 2, width / 2]) @ np.array([[cosine, sine], [-sine, cosine]]) + [x, y]
    return corners


def in_contact(unit: StandingSpace, piece: StandingSpace, tolerance: float) -> bool:
    """Whether a unit is in contact with a piece (R1): at most the tolerance away, seen from above and in height. A
    floor under the unit's feet is not in contact with it: the unit stands on it, not at it.

    >>> wall = StandingSpace(Footprint.of_corners(rectangle(0.0, 0.0, 8.0, 120.0, 0.0)), 0.0, 19.2)
    >>> [in_contact(StandingSpace(Footprint.disc(x, 0.0, 8.0), z, z + 40.0), wall, 0.5)
    ...  for x, z in ((12.4, 0.0), (12.6, 0.0), (12.2, 19.2), (12.2, 30.0), (0.0, 19.2))]
    [True, False, True, False, False]
    """
    margin = tolerance + CONTACT_EPSILON_MM
    gap = unit.footprint.gap(piece.footprint)
    if gap > margin or unit.low > piece.high + margin or piece.low > unit.high + margin:
        return False
    if piece.surface is None:
        return gap > 0.0 or piece.high > unit.low + margin
    core, reach = unit.footprint.core, unit.footprint.radius + margin
    return bool(
        (shapely.distance(core, piece.parts(core, reach, unit.low + margin, unit.high + margin)) <= reach).any()
    )


def distance_to(unit: StandingSpace, piece: StandingSpace) -> float:
    """mm in plan from a unit to what of a piece rises above its feet; 0 where they touch, infinite where nothing does.

    >>> wall = StandingSpace(Footprint.of_corners(rectangle(0.0, 0.0, 8.0, 120.0, 0.0)), 0.0, 19.2)
    >>> [distance_to(StandingSpace(Footprint.disc(24.0, 0.0, 8.0), z, z + 40.0), wall) for z in (0.0, 19.2)]
    [12.0, inf]
    """
    if piece.high <= unit.low:
        return np.inf
    if piece.surface is None:
        return unit.footprint.gap(piece.footprint)
    core, middle = unit.footprint.core, unit.footprint.middle
    places = get_coordinates(core) - middle
    inner, outer = float(core.boundary.distance(Point(middle))) if core.area else 0.0, float(np.hypot(*places.T).max())
    # By its bounds a triangle is no nearer than this to the core, and by its corners no farther.
    low, high = (bound[:, :2] for bound in piece.bounds)
    least = np.hypot(*np.maximum(0.0, np.maximum(low - middle, middle - high)).T) - outer
    most = np.hypot(*np.moveaxis(piece.surface[:, :, :2] - middle, 2, 0)).min(axis=1) - inner
    rises = piece.bounds[1][:, 2] > unit.low
    near = rises & (least <= max(0.0, float(most[rises].min())))
    distances = shapely.distance(core, shapely.polygons(piece.surface[near, :, :2]))
    return max(0.0, float(distances.min()) - unit.footprint.radius)


def past_ends(eye: Floats, ahead: Floats, piece: StandingSpace, by: float, reach: float) -> list[float]:
    """How far an eye (3,) moves to the left, below 0 to the right, to look ahead, (2,) a unit vector in plan, ``by`` mm
    past an end of what of a piece stands before it and rises above it; only ends within ``reach`` mm of the eye.

    >>> wall = StandingSpace(Footprint.of_corners(rectangle(12.0, 31.0, 8.0, 60.0, 0.0)), 0.0, 60.0)
    >>> past_ends(np.array([0.0, 0.0, 35.0]), np.array([1.0, 0.0]), wall, 8.0, 100.0)
    [-7.0, 69.0]
    >>> past_ends(np.array([0.0, 0.0, 65.0]), np.array([1.0, 0.0]), wall, 8.0, 100.0)
    []
    """
    if piece.high <= eye[2]:
        return []
    parts = piece.parts(Point(eye[:2]), reach + by, float(eye[2]))
    places, numbers = get_coordinates(parts, return_index=True)
    if not len(places):
        return []
    before, left = (places - eye[:2]) @ ahead, (places - eye[:2]) @ [-ahead[1], ahead[0]]
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    stands_before = np.maximum.reduceat(before, starts) > 0.0
    low, high = (end.reduceat(left, starts)[stands_before] for end in (np.minimum, np.maximum))
    ends = np.concatenate([low[abs(low) <= reach] - by, high[abs(high) <= reach] + by])
    # Less than ``by`` from another part, an eye is not past the end of all.
    margin = by - CONTACT_EPSILON_MM
    free = ((ends[:, None] <= low - margin) | (ends[:, None] >= high + margin)).all(axis=1)
    return sorted(np.unique(ends[free]).tolist(), key=abs)


def opposite(first: StandingSpace, second: StandingSpace, corners: Floats, tolerance: float) -> bool:
    """Whether two units stand at the two long faces of a piece and overlap along it by more than nothing (R31, A12):
    both touch one from outside, one on each side. ``corners`` (4, 2), anticlockwise, are the piece's; of a square, both
    pairs of faces count as long. ``tolerance`` is the widest gap that is contact, mm.

    >>> wall = rectangle(0.0, 0.0, 150.0, 8.0, 0.0)
    >>> at = lambda x, y: StandingSpace(Footprint.disc(x, y, 8.0), 0.0, 40.0)
    >>> [opposite(at(0.0, 12.2), there, wall, 0.5) for there in (at(15.0, -12.2), at(16.0, -12.2), at(9.0, 12.2))]
    [True, False, False]
    """
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.linalg.norm(sides, axis=1)
    for side in range(2):
        if lengths[side] < lengths.max() - CONTACT_EPSILON_MM:
            continue
        (back, ahead), (other_back, other_ahead) = (
            stand.footprint.reach(sides[side] / lengths[side]) for stand in (first, second)
        )
        overlap = min(ahead, other_ahead) - max(back, other_back)
        here, there = (Footprint(LineString(corners[[k, (k + 1) % 4]])) for k in (side, side + 2))
        across = any(
            _at_face(first, a, tolerance) and _at_face(second, b, tolerance) for a, b in ((here, there), (there, here))
        )
        if across and overlap > CONTACT_EPSILON_MM:
            return True
    return False


def _at_face(unit: StandingSpace, face: Footprint, tolerance: float) -> bool:
    """Whether a unit stands outside a face, of which the piece lies on the left, and touches it."""
    start, end = get_coordinates(face.core)
    along, towards = end - start, unit.footprint.middle - start
    outside = bool(along[0] * towards[1] - along[1] * towards[0] < 0.0)
    return outside and unit.footprint.gap(face) <= tolerance + CONTACT_EPSILON_MM


def crosses(start: Any, end: Any, piece: StandingSpace, low: float) -> bool:
    """Whether the way from a point (2,) to another crosses, seen from above, what of a piece rises above ``low`` mm. A
    way along an edge of the piece crosses it; a way that only touches the piece in a point does not.

    >>> wall = StandingSpace(Footprint.of_corners(rectangle(0.0, 0.0, 8.0, 120.0, 0.0)), 0.0, 19.2)
    >>> crosses((-20.0, 0.0), (20.0, 0.0), wall, 0.0), crosses((-20.0, 0.0), (-4.0, 0.0), wall, 0.0)
    (True, False)
    >>> crosses((4.0, -20.0), (4.0, 20.0), wall, 0.0), crosses((4.01, -20.0), (4.01, 20.0), wall, 0.0)
    (True, False)
    """
    way = LineString([start, end])
    parts = piece.parts(way, 0.0, low)
    # An upright triangle is only a rim in plan, and none to cut with.
    parts = parts[shapely.area(parts) > CONTACT_EPSILON_MM]
    return bool((shapely.length(shapely.intersection(way, parts)) > CONTACT_EPSILON_MM).any())


def may_hide(eye: Any, body: Footprint, piece: Footprint) -> bool:
    """Whether a piece reaches between an eye (2,) and a body, seen from above: otherwise it hides nothing of it."""
    return bool(
        body.core.union(Point(eye)).convex_hull.distance(piece.core) <= body.radius + piece.radius + CONTACT_EPSILON_MM
    )


def landings(middle: Floats, towards: Floats, distance: float, directions: int) -> list[tuple[Floats, float | None]]:
    """The spots (2,) at which a dive may end, with its direction in degrees: in place, with None, and ``distance`` mm
    away in evenly spread directions, the first towards the attacker, so that they turn with the scene.

    >>> [(spot.round(1).tolist(), turn) for spot, turn in landings(np.zeros(2), np.array([9.0, 0.0]), 40.0, 2)]
    [([0.0, 0.0], None), ([40.0, 0.0], 0.0), ([-40.0, 0.0], 180.0)]
    """
    first = float(np.degrees(np.arctan2(towards[1] - middle[1], towards[0] - middle[0])))
    turns = [(first + 360.0 * number / directions) % 360.0 for number in range(directions)]
    return [(middle, None), *((middle + distance * np.array(cosine_and_sine(turn)), turn) for turn in turns)]


def lying_directions(
    spot: Floats, dive: float | None, towards: Floats, pieces: list[Footprint], length: float
) -> list[float]:
    """The directions, 0 to below 180 degrees, in which a body of a length in mm may lie at a spot (2,): along its dive,
    along and across the line of fire, ``towards`` (2,), and along the sides of pieces nearby.
    """
    fire = np.degrees(np.arctan2(towards[1] - spot[1], towards[0] - spot[0]))
    directions = [fire + 90.0, fire, *([] if dive is None else [dive])]
    here = Footprint.disc(float(spot[0]), float(spot[1]), length)
    for piece in pieces:
        corners = get_coordinates(piece.core)
        if here.gap(piece) > 0.0 or len(corners) > 5:
            continue
        side = corners[1] - corners[0]
        turn = np.degrees(np.arctan2(side[1], side[0]))
        directions += [turn, turn + 90.0]
    return list(dict.fromkeys(round(float(stand) % 180.0, 6) % 180.0 for stand in directions))


def overlaps(body: StandingSpace, piece: StandingSpace, tolerance: float) -> bool:
    """Whether a body would reach into a piece by more than the tolerance, mm."""
    if body.low >= piece.high - CONTACT_EPSILON_MM or piece.low >= body.high - CONTACT_EPSILON_MM:
        return False
    core = body.footprint.core.buffer(-(tolerance + CONTACT_EPSILON_MM))
    return bool(shapely.intersects(core, piece.parts(core, 0.0, body.low + CONTACT_EPSILON_MM)).any())
