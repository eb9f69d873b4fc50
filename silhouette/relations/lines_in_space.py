"""RELATE: straight lines in space from base to base, or from part to part, and the pieces that they cross on their way.

A line runs from a point of one set to a point of another, with its height: from the upper side of a base to that of
another, where models are given, and from any point inside the smallest convex body round a part, where parts are. It
crosses a piece if it meets its surface at a place that counts: higher than so much above the piece's lowest point, near
to the base at its end, far from both bases, seen from above. A line that touches a piece by less than `TOUCH_MM` does
not cross it.

The answers are yes, 1.0, or no, 0.0, and exact but for round bases and the circles round them, which are polygons of
256 corners. The triangles of a piece are cut by planes until only what counts of them is left: what lines between two
convex bodies can meet is the convex hull of both. From one point of the upper side of a base no line crosses where it
lies in the shadow of no triangle, away from the upper side of the other; such a shadow is convex, and its corners are
those of the triangle, thrown from the corners of what they are lit by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
import shapely

from silhouette.common.errors import go_on
from silhouette.common.geometry import Floats, Pose
from silhouette.common.geometry import corners as mesh_corners
from silhouette.common.lazy import cached_property, derived
from silhouette.files.schema import MAX_LENGTH_MM
from silhouette.meshes.mesh import Mesh
from silhouette.relations import lines_in_plan
from silhouette.relations.obstacles import FACES_IN_A_GROUP, face_balls
from silhouette.relations.outlines_in_plan import (
    Region,
    base_shape,
    footprint,
    ground,
    prism,
    square_round,
    top,
    without_specks,
)
from silhouette.relations.points import ErrorBound, PointSet
from silhouette.scenes.pieces import Piece

TOUCH_MM = 1e-3  # mm: what reaches no farther than this into what lines fill is touched
LEVEL_MM = 1e-6  # mm: upper sides whose heights differ by no more lie level: lines between them run level as well
SPECK_AREA_MM2 = 1e-9  # a triangle of which no more is left is none
NEAREST = 1e-3  # the share of the way by which lines end before the upper side of the other base, which they only reach
RIM_MM = 1e-5  # mm: ten times as wide as what lines that touch in plan may reach into a region
QUARTER_PIECES = 64  # straight pieces of a quarter of a circle
FEW_BALLS, MORE_BALLS = 4, 4  # balls of faces that are looked into first, and how many times as many each time after
PLANES_AT_ONCE = 16  # planes by which triangles are left out together

End = Piece | PointSet  # a model stands for the upper side of its base


@dataclass(frozen=True, eq=False)
class CountedPart:
    """A piece that lines may cross, and what counts of it: what lies more than ``above`` mm above its lowest point, no
    farther than ``within`` mm from the base where lines end, and farther than ``beyond`` mm from both bases. With a
    ``square``, it fills the square of so many mm along the table's axes round the middle of its base, as high as it is.
    """

    piece: Piece
    above: float = 0.0
    within: float = MAX_LENGTH_MM
    beyond: float = 0.0
    square: float = 0.0

    @property
    def key(self) -> tuple[str, float, float, float, float]:
        """By which equal ones are known."""
        return self.piece.name, self.above, self.within, self.beyond, self.square


def any_line_crosses(ends: tuple[End, End], bases: tuple[Piece, Piece], pieces: Sequence[CountedPart]) -> ErrorBound:
    """Whether some line in space from one end to the other crosses a piece, for the bases of two models that ``within``
    and ``beyond`` are about. ``by`` has all that are crossed, ``lines`` one line, from middle to middle.
    """
    hull = _LineHull(np.concatenate([_points(end) for end in ends]))
    by = [part.piece.name for part in pieces if any(True for _ in _counting(part, bases, hull, FEW_BALLS))]
    lines = _middles(ends)[None] if by else np.empty((0, 2, 3))
    return ErrorBound(1.0 if by else 0.0, lines=lines, by=tuple(dict.fromkeys(by)))


def centre_line_crosses(ends: tuple[End, End], bases: tuple[Piece, Piece], pieces: Sequence[CountedPart]) -> ErrorBound:
    """Whether the line in space from the middle of one end to the middle of the other crosses a piece."""
    line = _middles(ends)
    way = line[1] - line[0]
    if np.linalg.norm(way) <= TOUCH_MM:
        return ErrorBound(0.0, lines=line[None])
    # A stick of no more than twice what is only touched, in place of a line without thickness.
    side = np.cross(way, [0.0, 0.0, 1.0] if np.hypot(*way[:2]) > TOUCH_MM else [1.0, 0.0, 0.0])
    other = np.cross(way, side)
    units = [turn * across / np.linalg.norm(across) for across in (side, other) for turn in (1.0, -1.0)]
    hull = _LineHull(np.concatenate([line + 2.0 * TOUCH_MM * unit for unit in units]))
    by = [part.piece.name for part in pieces if any(True for _ in _counting(part, bases, hull, FEW_BALLS))]
    return ErrorBound(1.0 if by else 0.0, lines=line[None], by=tuple(dict.fromkeys(by)))


def facing_lines_cross(attacker: Piece, target: Piece, pieces: Sequence[CountedPart]) -> ErrorBound:
    """Whether from every point of the upper side of the attacker's base some line in space to the upper side of the
    target's crosses a piece. Where both stand level, lines run level, as high as the lower upper side, to its facing
    side. ``lines`` has the outermost lines from the best point, or from the middle; ``by`` names what is crossed, where
    all cross.
    """
    (start, high), (end, low) = _upper_side(attacker), _upper_side(target)
    bases = (attacker, target)
    if abs(attacker.base_span[0] - target.base_span[0]) <= LEVEL_MM or abs(high - low) <= LEVEL_MM:
        return lines_in_plan.facing_lines_cross(
            attacker, target, [region_of(part, bases, min(high, low)) for part in pieces]
        )

    here, light = shapely.Polygon(start), np.column_stack([end, np.full(len(end), low)])
    hull = _LineHull(np.concatenate([np.column_stack([start, np.full(len(start), high)]), light]))
    # Lines end a bit before the upper side of the target, which they only reach.
    up = 1.0 if high > low else -1.0
    short_of_end = np.array([[0.0, 0.0, -up, up * (low + NEAREST * (high - low))]])
    free, by = here, []
    for part in pieces:
        for shadow in _shadows(_inside(_counting(part, bases, hull), short_of_end), light, high):
            if shapely.intersects(shadow, here):
                by.append(part.piece.name)
                free = shapely.difference(free, shadow)
            if shapely.is_empty(free):
                break
    free = shapely.buffer(free, -TOUCH_MM, join_style="mitre")
    is_free = not shapely.is_empty(free)
    point = shapely.get_coordinates(shapely.point_on_surface(free))[0] if is_free else start.mean(axis=0)
    lines = np.array([[[*point, high], [*corner, low]] for corner in _outermost(point, end)])
    return ErrorBound(0.0 if is_free else 1.0, lines=lines, by=() if is_free else tuple(dict.fromkeys(by)))


# ---- ends


def _upper_side(piece: Piece) -> tuple[Floats, float]:
    """(n, 2) the outline of a model's base, and how high its upper side lies, mm; of a model without one its lowest."""
    low, high = piece.base_span
    return without_specks(np.asarray(piece.base_outline)), high if piece.model.base is not None else low


def _points(end: End) -> Floats:
    """(n, 3) mm, world: points whose convex hull is that of an end."""
    if isinstance(end, Piece):
        outline, height = _upper_side(end)
        return np.column_stack([outline, np.full(len(outline), height)])
    return end.single if end.mesh is None else np.concatenate([end.single, end.pose.place(_outermost_of(end.mesh))])


@derived
def _outermost_of(mesh: Mesh) -> Floats:
    """(n, 3) mm, in its frame: the corners of the convex hull of a mesh; all of its corners where it is flat."""
    try:
        corners: Floats = mesh.vertices[scipy.spatial.ConvexHull(mesh.vertices).vertices]
    except scipy.spatial.QhullError:
        return mesh.vertices
    return corners


def _middles(ends: tuple[End, End]) -> Floats:
    """(2, 3) the middles of both ends."""
    return np.array([(points.min(axis=0) + points.max(axis=0)) / 2.0 for points in map(_points, ends)])


def _outermost(point: Floats, corners: Floats) -> Floats:
    """(2, 2) the outermost corners of an outline as seen from a point; where that lies over it, any two."""
    middle, away = corners.mean(axis=0) - point, corners - point
    turn = np.arctan2(middle[0] * away[:, 1] - middle[1] * away[:, 0], away @ middle)
    return corners[[int(turn.argmax()), int(turn.argmin())]]


# ---- planes: (n, 4) normals of length 1 that point outward, and offsets; inside, normal x point + offset is below 0


@dataclass(frozen=True, eq=False)
class _LineHull:
    """What all lines between two convex bodies fill: the convex hull of both."""

    points: Floats  # (n, 3) mm, world, in whose hull all others lie

    @cached_property
    def box(self) -> Floats:
        """(2, 3) mm, world: its least and its greatest coordinates."""
        return np.array([self.points.min(axis=0), self.points.max(axis=0)])

    @cached_property
    def planes(self) -> Floats:
        """(n, 4) those round it."""
        return _hull_planes(self.points)

    def reached(self, triangles: Floats) -> Floats:
        """Those of triangles (n, 3, 3) that may reach into it: neither one of its planes nor their own parts them."""
        for first in range(0, len(self.planes), PLANES_AT_ONCE):
            planes = self.planes[first : first + PLANES_AT_ONCE]
            over = (triangles.reshape(-1, 3) @ planes[:, :3].T + planes[:, 3]).reshape(len(triangles), 3, len(planes))
            triangles = triangles[(over.min(axis=1) < 0.0).all(axis=1)]
        normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        over = self.points @ normals.T - np.einsum("ij,ij->i", normals, triangles[:, 0])
        inside: Floats = triangles[(over.min(axis=0) < 0.0) & (over.max(axis=0) > 0.0)]
        return inside


def _hull_planes(points: Floats) -> Floats:
    """(n, 4) the planes round the convex hull of points; drawn out by a hair where these lie in one plane.

    >>> _hull_planes(np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])).shape
    (6, 4)
    """
    middle = points.mean(axis=0)
    try:
        planes = scipy.spatial.ConvexHull(points - middle).equations
    except scipy.spatial.QhullError:
        jitter = 2.0 * TOUCH_MM * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        planes = scipy.spatial.ConvexHull((points[:, None] + jitter - middle).reshape(-1, 3)).equations
    planes = planes.round(9) + 0.0  # zeros have one sign
    planes = planes[np.lexsort(planes.T[::-1])]
    planes = planes[np.append(True, (planes[1:] != planes[:-1]).any(axis=1))]
    return np.column_stack([planes[:, :3], planes[:, 3] - planes[:, :3] @ middle])


def _cut(polygon: Floats, plane: Floats) -> tuple[Floats, Floats]:
    """(k, 3) what of a convex polygon lies inside of a plane (4,), and what outside; no corners where nothing does.

    >>> square = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]])
    >>> [part[:, 0].tolist() for part in _cut(square, np.array([1.0, 0.0, 0.0, -1.0]))]
    [[0.0, 1.0, 1.0, 0.0], [1.0, 2.0, 2.0, 1.0]]
    """
    over = polygon @ plane[:3] + plane[3]
    onward = np.roll(over, -1)
    crosses = np.flatnonzero((over > 0.0) != (onward > 0.0))
    if len(crosses) == 0:
        return (polygon, polygon[:0]) if over[0] <= 0.0 else (polygon[:0], polygon)
    share = (over[crosses] / (over[crosses] - onward[crosses]))[:, None]
    points = polygon[crosses] + share * (polygon[(crosses + 1) % len(polygon)] - polygon[crosses])
    corners = np.insert(polygon, crosses + 1, points, axis=0)
    over = np.insert(over, crosses + 1, 0.0)
    return corners[over <= 0.0], corners[over >= 0.0]


def _inside(polygons: Iterable[Floats], planes: Floats) -> Iterator[Floats]:
    """What of convex polygons lies farther than `TOUCH_MM` inside of all planes, one after the other."""
    planes = planes + np.array([0.0, 0.0, 0.0, TOUCH_MM])
    for polygon in polygons:
        go_on()
        left = _cut_by_all(polygon, planes)
        if _area(left) > SPECK_AREA_MM2:
            yield left


def _cut_by_all(polygon: Floats, planes: Floats) -> Floats:
    """(k, 3) what of a convex polygon lies inside of all planes; no corners where nothing does."""
    open_ = np.ones(len(planes), np.bool_)
    while len(polygon):
        over = polygon @ planes[:, :3].T + planes[:, 3]
        if (over[:, open_].min(axis=0, initial=np.inf) >= 0.0).any():
            return polygon[:0]
        # The farthest corner first: what it is cut off by leaves least, of which few other planes cut anything.
        highest = np.where(open_, over.max(axis=0), 0.0)
        worst = int(highest.argmax())
        if highest[worst] <= 0.0:
            break
        polygon, open_[worst] = _cut(polygon, planes[worst])[0], False
    return polygon


def _area(polygon: Floats) -> float:
    """mm² of a convex polygon (k, 3)."""
    if len(polygon) < 3:
        return 0.0
    sides = polygon[1:] - polygon[0]
    return float(np.linalg.norm(np.cross(sides[:-1], sides[1:]), axis=1).sum() / 2.0)


def _upright_planes(shape: shapely.Geometry) -> Floats:
    """(n, 4) the upright planes through the sides of a convex polygon."""
    ring = shapely.get_coordinates(shapely.normalize(shape))[::-1]
    ring = ring if shapely.is_ccw(shapely.linearrings(ring)) else ring[::-1]
    sides = np.diff(ring, axis=0)
    long = np.hypot(*sides.T)
    sides, starts = sides[long > 0.0] / long[long > 0.0, None], ring[:-1][long > 0.0]
    normals = np.column_stack([sides[:, 1], -sides[:, 0], np.zeros(len(sides))])
    return np.column_stack([normals, -(normals[:, :2] * starts).sum(axis=1)])


# ---- what counts


def _counting(
    counted: CountedPart, bases: tuple[Piece, Piece], hull: _LineHull, at_once: int | None = None
) -> Iterator[Floats]:
    """(k, 3) mm, world: what counts of a piece and lies inside of a hull, as convex polygons: of all, the largest face
    first, or of so many balls of neighbouring faces at once, those that lie deepest inside first.
    """
    room = hull.box
    if counted.within < MAX_LENGTH_MM:
        near = np.reshape(shapely.bounds(base_shape(bases[1])), (2, 2)) + counted.within * np.array([[-1.0], [1.0]])
        room = np.array([np.maximum(room[0], [*near[0], -np.inf]), np.minimum(room[1], [*near[1], np.inf])])
    for triangles in _triangles_in(counted, hull, room, at_once):
        polygons = _inside(triangles, hull.planes)
        if counted.above > 0.0:
            lowest = np.array([[0.0, 0.0, -1.0, ground(counted.piece) + counted.above]])
            polygons = _inside(polygons, lowest)
        if counted.within < MAX_LENGTH_MM:
            polygons = _inside(polygons, _planes_round(bases[1], counted.within) - np.array([0.0, 0.0, 0.0, TOUCH_MM]))
        if counted.beyond > 0.0:
            for base in bases:
                polygons = _outside(polygons, _planes_round(base, counted.beyond))
        yield from polygons


def _triangles_in(counted: CountedPart, hull: _LineHull, room: Floats, at_once: int | None) -> Iterator[Floats]:
    """(n, 3, 3) mm, world: the triangles of what counts that may reach into a hull, and into a box (2, 3) besides: of
    ``at_once`` balls of neighbouring faces, those deepest inside first, then of more and more; without it, of all.
    """
    piece = counted.piece
    mesh, pose = piece.model.mesh if piece.kind == "terrain" else piece.model.significant, piece.pose
    if counted.square:
        mesh, pose = prism(square_round(piece, counted.square), ground(piece), top(piece)), Pose.standing()
    corners = pose.place(mesh_corners(*mesh.bounds))
    if (corners.min(axis=0) >= room[1]).any() or (corners.max(axis=0) <= room[0]).any():
        return
    middle, radius = face_balls(mesh)
    middle = pose.place(middle)
    balls = np.flatnonzero(((middle + radius[:, None] > room[0]) & (middle - radius[:, None] < room[1])).all(axis=1))
    if len(balls) == 0:
        return
    depth = (middle[balls] @ hull.planes[:, :3].T + hull.planes[:, 3]).max(axis=1)
    balls, depth = balls[depth < radius[balls]], depth[depth < radius[balls]]
    balls = balls[np.argsort(depth, kind="stable")] if at_once else balls
    first, many = 0, at_once or len(balls)
    while first < len(balls):
        face = (balls[first : first + many, None] * FACES_IN_A_GROUP + np.arange(FACES_IN_A_GROUP)).ravel()
        corner = mesh.vertices[mesh.faces[face[face < len(mesh.faces)]]].reshape(-1, 3)
        yield _largest_first(hull.reached(pose.place(corner).reshape(-1, 3, 3)))
        first, many = first + many, MORE_BALLS * many


def _largest_first(triangles: Floats) -> Floats:
    """Triangles (n, 3, 3) by area: the largest decide most often."""
    sides = triangles[:, 1:] - triangles[:, :1]
    order = np.argsort(-np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1), kind="stable")
    sorted_: Floats = triangles[order]
    return sorted_


@derived
def _near(piece: Piece, reach: float) -> Any:
    """The base of a piece, seen from above, grown by ``reach`` mm: a polygon of shapely."""
    return shapely.buffer(base_shape(piece), reach, quad_segs=QUARTER_PIECES)


@derived
def _planes_round(piece: Piece, reach: float) -> Floats:
    return _upright_planes(_near(piece, reach))


def _outside(polygons: Iterable[Floats], planes: Floats) -> Iterator[Floats]:
    """What of convex polygons lies outside of the upright planes (n, 4) round a convex shape, in convex parts."""
    for whole in polygons:
        rest, over = whole, whole @ planes[:, :3].T + planes[:, 3]
        cutting = planes[over.max(axis=0) > 0.0]
        apart = np.flatnonzero(over.min(axis=0) >= 0.0)
        for plane in planes[apart[:1]] if len(apart) else cutting:
            rest, part = _cut(rest, plane)
            if _area(part) > SPECK_AREA_MM2:
                yield part
            if len(rest) == 0:
                break


def region_of(
    counted: CountedPart, bases: tuple[Piece, Piece], height: float | None = None, *, rim: bool = False
) -> Region:
    """What counts of a piece, seen from above; with a height, what of it lies there, z in the world, mm. With a ``rim``
    it is wider by `RIM_MM` all round, so that a line that only touches it crosses it.
    """
    piece, above = counted.piece, counted.above
    if counted.square:
        low = ground(piece) + above
        is_there = top(piece) > (low if height is None else max(low, height)) and (height is None or height > low)
        shape = shapely.Polygon(square_round(piece, counted.square)) if is_there else shapely.Polygon()
    elif height is not None:
        is_there = height > ground(piece) + above
        shape = footprint(piece, height, height + LEVEL_MM, from_table=True) if is_there else shapely.Polygon()
    else:
        shape = footprint(piece, above) if above > 0.0 else footprint(piece)
    if counted.within < MAX_LENGTH_MM:
        shape = shapely.intersection(shape, _near(bases[1], counted.within))
    if counted.beyond > 0.0:
        shape = shapely.difference(shape, shapely.union_all([_near(base, counted.beyond) for base in bases]))
    region = Region(piece.name, shape)
    return Region(piece.name, shapely.buffer(region.shape, RIM_MM, quad_segs=2)) if rim else region


def _shadows(polygons: Iterable[Floats], light: Floats, height: float) -> Iterator[Any]:
    """The shadows of convex polygons on a level plane, away from a convex polygon (k, 3): polygons of shapely."""
    for polygon in polygons:
        share = (polygon[:, 2] - height) / (light[0, 2] - height)  # of the way from the plane to the light
        thrown = (polygon[:, None, :2] - share[:, None, None] * light[:, :2]) / (1.0 - share)[:, None, None]
        corners = thrown.reshape(-1, 2)
        with suppress(scipy.spatial.QhullError):  # where all lie on one line
            corners = corners[scipy.spatial.ConvexHull(corners).vertices]
        yield shapely.convex_hull(shapely.multipoints(corners))
