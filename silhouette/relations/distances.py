"""RELATE: how far pieces are apart, seen from above or in space; whether they touch; what lies wholly within another.

In plan a model is its base and terrain its footprint; round bases are discs, not polygons. In space the distance of two
triangle meshes and the place of it are exact: their faces lie in boxes of boxes, and pairs of boxes farther apart than
what is known are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from silhouette.common.errors import go_on
from silhouette.common.geometry import Flags, Floats, Pose, convex_hull
from silhouette.common.lazy import derived
from silhouette.meshes.mesh import Mesh
from silhouette.relations import outlines_in_plan
from silhouette.relations.outlines_in_plan import (
    Measured,
    base_shape,
    footprint,
    ground,
    part_measured,
    part_of,
    top,
)
from silhouette.relations.plane_geometry import PlaneDisc
from silhouette.relations.points import ErrorBound
from silhouette.scenes.pieces import Piece

# ---- meshes

BRANCHES = 4  # how many boxes a box is cut into
FACES_IN_A_BOX = 4  # the number of faces in the smallest boxes, at most
FIRST_BOX_PAIRS = 64  # how many pairs of boxes are followed at first
BOX_PAIRS_AT_ONCE = 1 << 14  # pairs of boxes whose faces are measured together, at most: it bounds the memory
BOXES_AT_ONCE = 1 << 13  # pairs of boxes that are cut together, at most, each into as many as 16: it bounds the memory
ORDER_CELLS_PER_AXIS = 1 << 20  # the number of cells along each axis by which faces are put in an order of neighbours
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Tree:
    """The faces of a mesh, neighbours beside each other, in boxes."""

    corners: Floats  # (m, 3, 3) mm, of the faces in that order; the last is repeated to fill the last box
    # For each level, from one box to the finest, (n, 2, 3) mm: the least and the greatest corner of each
    boxes: tuple[Floats, ...]
    # (n, 3) of the faces in each of the finest boxes together, of length 1; 0 where they turn every way
    normals: Floats

    def extents(self, way: Floats) -> list[Floats]:
        """For each level, (n, 2) mm: how far along a direction (3,) the corners in each box begin and end."""
        along = (self.corners @ way).reshape(len(self.boxes[-1]), -1)
        return _levels(np.column_stack([along.min(axis=1), along.max(axis=1)]))


def _levels(finest: Floats) -> list[Floats]:
    """(n, 2) or (n, 2, 3) the least and the greatest in boxes, for each level from one box to the finest."""
    levels = [finest]
    while len(levels[0]) > 1:
        starts = np.arange(0, len(levels[0]), BRANCHES)
        ends = np.minimum.reduceat(levels[0][:, 0], starts), np.maximum.reduceat(levels[0][:, 1], starts)
        levels.insert(0, np.stack(ends, axis=1))
    return levels


@derived
def _tree(mesh: Mesh) -> _Tree:
    corners = mesh.vertices[mesh.faces]
    middles = corners.mean(axis=1)
    low, extent = middles.min(axis=0), max(float(np.ptp(middles, axis=0).max()), 1e-9)
    cells = np.minimum((middles - low) / extent * ORDER_CELLS_PER_AXIS, ORDER_CELLS_PER_AXIS - 1).astype(np.int64)
    corners = corners[np.argsort(_interleaved(cells), kind="stable")]
    finest = -(-len(corners) // FACES_IN_A_BOX)
    corners = np.concatenate([corners, np.repeat(corners[-1:], finest * FACES_IN_A_BOX - len(corners), axis=0)])
    boxes = _levels(_boxes_of(corners.reshape(finest, -1, 3)))
    normals = _unit(_normals(corners).reshape(finest, FACES_IN_A_BOX, 3).sum(axis=1))
    return _Tree(corners, tuple(boxes), normals)


def nearest_points(first: Mesh, first_pose: Pose, second: Mesh, second_pose: Pose) -> Floats:
    """(2, 3) mm, world: a point on each of two surfaces, as near to each other as any; the same where they meet. A
    surface that lies wholly inside a closed one, and does not touch it, is as far away as the wall round it.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> cube, here, there = solid(Solid(Box((2.0, 2.0, 2.0)))), Pose.standing(), Pose.standing((5.0, 0.5, 1.0), 90.0)
    >>> points = nearest_points(cube, here, cube, there)
    >>> np.abs(points[1] - points[0]).round(9).tolist()
    [3.0, 0.0, 0.0]
    """
    # Everything is measured in the frame of the first mesh; boxes of the second are turned, and so a little larger.
    search = _DistanceSearch(
        _tree(first),
        _tree(second),
        first_pose.rotation.T @ second_pose.rotation,
        first_pose.localise(second_pose.translation[None])[0],
    )
    # Looked for along the most promising boxes first, to know how far is too far.
    points = search.nearest(FIRST_BOX_PAIRS)
    points = search.nearest(FIRST_BOX_PAIRS, points)
    return first_pose.place(search.nearest(None, points))


@dataclass(frozen=True, eq=False)
class _DistanceSearch:
    """The search for the nearest points of two meshes, the second as (3, 3) and (3,) move it into the first's frame."""

    first: _Tree
    second: _Tree
    rotation: Floats
    shift: Floats

    def nearest(self, most: int | None, points: Floats | None = None) -> Floats:
        """(2, 3) the nearest points, or ``points`` where none are nearer than these: of faces, and boxes round them,
        that may hold such points, so many pairs of boxes at each level, or all.
        """
        best, way = (np.inf, None) if points is None else _length_and_way(points)
        ends = None if way is None else (self.first.extents(way), self.second.extents(way @ self.rotation))
        rows, columns, least = np.zeros(1, np.intp), np.zeros(1, np.intp), np.zeros(1)
        for depth in range(max(len(self.first.boxes), len(self.second.boxes))):
            parts_of_level = []
            for first in range(0, max(1, len(rows)), BOXES_AT_ONCE):
                go_on()
                some = slice(first, first + BOXES_AT_ONCE)
                row, column, levels = self._inside(rows[some], columns[some], depth)
                apart = _box_distances(*self._placed(row, column, levels))
                if way is not None and ends is not None:
                    begins = ends[1][levels[1]][column, 0] + self.shift @ way
                    apart = np.maximum(apart, begins - ends[0][levels[0]][row, 1])
                is_nearer = apart < best
                parts_of_level.append((row[is_nearer], column[is_nearer], apart[is_nearer]))
            rows, columns, least = (np.concatenate(parts) for parts in zip(*parts_of_level, strict=True))
            if most is not None and len(rows) > most:
                here, there = self._placed(rows, columns, levels)
                middles = ((here.sum(axis=1) - there.sum(axis=1)) ** 2).sum(axis=1)
                first_few = np.lexsort((middles, least))[:most]
                rows, columns, least = rows[first_few], columns[first_few], least[first_few]
        return self._nearest_of(rows, columns, least, points)

    def _inside(self, rows: Indices, columns: Indices, depth: int) -> tuple[Indices, Indices, tuple[int, int]]:
        """The pairs of boxes at a depth that pairs of the depth above are cut into, and the levels of both."""
        trees = self.first.boxes, self.second.boxes
        if 0 < depth < len(trees[0]):
            rows, columns = _cut(rows, columns, len(trees[0][depth]))
        if 0 < depth < len(trees[1]):
            columns, rows = _cut(columns, rows, len(trees[1][depth]))
        return rows, columns, (min(depth, len(trees[0]) - 1), min(depth, len(trees[1]) - 1))

    def _placed(self, rows: Indices, columns: Indices, levels: tuple[int, int]) -> tuple[Floats, Floats]:
        """(n, 2, 3) the boxes of each pair, in the frame of the first mesh."""
        boxes = self.second.boxes[levels[1]][columns]  # round these, which are turned, lie boxes along the axes
        middle = boxes.mean(axis=1) @ self.rotation.T + self.shift
        half = (boxes[:, 1] - boxes[:, 0]) / 2.0 @ np.abs(self.rotation).T
        return self.first.boxes[levels[0]][rows], np.stack([middle - half, middle + half], axis=1)

    def _nearest_of(self, rows: Indices, columns: Indices, least: Floats, points: Floats | None) -> Floats:
        """(2, 3) the nearest points of the faces of pairs of the finest boxes, the pairs that may be nearest first."""
        best = np.inf if points is None else _length_and_way(points)[0]
        order = np.argsort(least, kind="stable")
        rows, columns, least = rows[order], columns[order], least[order]
        inner = np.arange(FACES_IN_A_BOX)
        step, done = 16, 0
        while done < len(rows) and least[done] < best:
            go_on()
            row, column = rows[done : done + step], columns[done : done + step]
            here = self.first.corners.reshape(-1, 3 * FACES_IN_A_BOX, 3)[row]
            there = self.second.corners.reshape(-1, 3 * FACES_IN_A_BOX, 3)[column] @ self.rotation.T + self.shift
            close = _gaps(here, there, self.first.normals[row], self.second.normals[column] @ self.rotation.T) < best
            faces = (row[close, None] * FACES_IN_A_BOX + inner).repeat(FACES_IN_A_BOX, axis=1).ravel()
            others = np.tile(column[close, None] * FACES_IN_A_BOX + inner, FACES_IN_A_BOX).ravel()
            here, there = self.first.corners[faces], self.second.corners[others] @ self.rotation.T + self.shift
            boxed = np.flatnonzero(_box_distances(_boxes_of(here), _boxes_of(there)) < best)
            here, there = here[boxed], there[boxed]
            near = _gaps(here, there, _unit(_normals(here)), _unit(_normals(there))) < best
            if near.any():
                lines = face_distances(here[near], there[near])
                length = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
                if float(length.min()) < best:
                    best, points = float(length.min()), lines[length.argmin()]
            done += step
            step = min(4 * step, BOX_PAIRS_AT_ONCE)
        assert points is not None
        return points


def _gaps(first: Floats, second: Floats, *ways: Floats) -> Floats:
    """(n,) mm: by how much points (n, k, 3) and others (n, m, 3) are parted along the best of directions (n, 3)."""
    least = np.zeros(len(first))
    for way in ways:
        here, there = (np.einsum("nkx,nx->nk", points, way) for points in (first, second))
        for near, far in ((here, there), (there, here)):
            least = np.maximum(least, far.min(axis=1) - near.max(axis=1))
    return least


def _unit(vectors: Floats) -> Floats:
    """(n, 3) vectors of length 1; those of no length stay as they are."""
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: Floats = np.divide(vectors, size, out=np.zeros_like(vectors), where=size > 0.0)
    return units


def _length_and_way(points: Floats) -> tuple[float, Floats | None]:
    """mm between two points (2, 3), and the direction from one to the other; None where they are the same."""
    apart = points[1] - points[0]
    length = float(np.linalg.norm(apart))
    return length, apart / length if length else None


def _boxes_of(corners: Floats) -> Floats:
    """(n, 2, 3) the boxes round corners (n, k, 3)."""
    return np.stack([corners.min(axis=1), corners.max(axis=1)], axis=1)


def face_distances(first: Floats, second: Floats) -> Floats:
    """(n, 2, 3) for n pairs of triangles, each (n, 3, 3), the nearest points of both; the same point where they
    meet.
    """
    count = len(first)
    following = [1, 2, 0]
    a, b = np.repeat(first, 3, axis=1), np.tile(first[:, following] - first, 1).repeat(3, axis=1)
    c, d = np.tile(second, (1, 3, 1)), np.tile(second[:, following] - second, (1, 3, 1))
    on_sides = _between_sides(a.reshape(-1, 3), b.reshape(-1, 3), c.reshape(-1, 3), d.reshape(-1, 3))
    candidates = [on_sides.reshape(count, 9, 2, 3)]
    for points, faces, way in ((first, second, 1), (second, first, -1)):
        candidates.append(_over_faces(points, faces)[:, :, ::way])
        candidates.append(_through_faces(points, faces))
    every = np.concatenate(candidates, axis=1)
    length = ((every[:, :, 1] - every[:, :, 0]) ** 2).sum(axis=2)
    length = np.where(np.isnan(length), np.inf, length)
    nearest: Floats = every[np.arange(count), length.argmin(axis=1)]
    return nearest


def _between_sides(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """(n, 2, 3) the nearest points of the sides from a to a + b and from c to c + d, each (n, 3)."""
    apart = a - c
    bb, dd, bd = _dot(b, b), _dot(d, d), _dot(b, d)
    ba, da = _dot(b, apart), _dot(d, apart)
    tiny = np.finfo(float).tiny
    across = bb * dd - bd * bd
    share = np.where(across > 1e-14 * bb * dd, (bd * da - ba * dd) / np.maximum(across, tiny), 0.0).clip(0.0, 1.0)
    other = ((bd * share + da) / np.maximum(dd, tiny)).clip(0.0, 1.0)
    share = ((bd * other - ba) / np.maximum(bb, tiny)).clip(0.0, 1.0)
    other = ((bd * share + da) / np.maximum(dd, tiny)).clip(0.0, 1.0)
    return np.stack([a + share[:, None] * b, c + other[:, None] * d], axis=1)


def _over_faces(points: Floats, faces: Floats) -> Floats:
    """(n, 3, 2, 3) each of the points (n, 3, 3) and the foot of its perpendicular on a face, nan if it is outside."""
    normal = _normals(faces)
    square = _dot(normal, normal)
    with np.errstate(invalid="ignore", divide="ignore"):
        above = _dot(points - faces[:, None, 0], normal[:, None]) / square[:, None]
        feet = points - above[..., None] * normal[:, None]
    inside = _is_inside(feet, faces, normal)
    return np.stack([points, np.where(inside[..., None], feet, np.nan)], axis=2)


def _through_faces(corners: Floats, faces: Floats) -> Floats:
    """(n, 3, 2, 3) where each side of triangles goes through a face, twice, nan if it does not."""
    normal = _normals(faces)
    above = _dot(corners - faces[:, None, 0], normal[:, None])
    onward = above[:, [1, 2, 0]]
    crosses = (above > 0.0) != (onward > 0.0)
    share = above / np.where(crosses, above - onward, 1.0)
    points = corners + share[..., None] * (corners[:, [1, 2, 0]] - corners)
    crosses &= _is_inside(points, faces, normal)
    return np.repeat(np.where(crosses[..., None], points, np.nan)[:, :, None], 2, axis=2)


def _is_inside(points: Floats, faces: Floats, normal: Floats) -> Flags:
    """(n, k) whether points (n, k, 3) in the planes of faces (n, 3, 3) lie in them."""
    inside = np.ones(points.shape[:2], np.bool_) & (_dot(normal, normal) > 0.0)[:, None]
    for corner in range(3):
        start, end = faces[:, None, corner], faces[:, None, (corner + 1) % 3]
        inside &= _dot(np.cross(end - start, points - start), normal[:, None]) >= 0.0
    return inside


def _normals(faces: Floats) -> Floats:
    return np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])


def _dot(first: Floats, second: Floats) -> Floats:
    product: Floats = np.einsum("...i,...i->...", first, second)
    return product


def _cut(rows: Indices, others: Indices, count: int) -> tuple[Indices, Indices]:
    """The boxes of the next level, of which there are ``count``, in place of some, and what each is paired with."""
    cut = (rows[:, None] * BRANCHES + np.arange(BRANCHES)).ravel()
    others = np.repeat(others, BRANCHES)
    return cut[cut < count], others[cut < count]


def _box_distances(first: Floats, second: Floats) -> Floats:
    """(n,) the distance of boxes (n, 2, 3): nothing inside them is nearer."""
    gap = np.maximum(np.maximum(first[:, 0] - second[:, 1], second[:, 0] - first[:, 1]), 0.0)
    return np.sqrt(_dot(gap, gap))


def _interleaved(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) numbers that are near each other for cells (n, 3) that are: the bits of the three by turns."""
    total = np.zeros(len(cells), np.int64)
    for bit in range(20):
        for axis in range(3):
            total |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return total


# ---- pieces

SURFACE_TOUCH_MM = 1e-6  # mm: what lies no farther out than this does not
ON_TOP = 1e-3  # mm in height within which one thing stands on another: a hundred times the error of 32-bit numbers
QUARTER_SEGMENTS = 64  # straight pieces of a quarter of a circle: an inch round a base is right to 0.002 mm
Core = tuple[Any, float]  # of shapely, and how far round it the outline lies: a point, or a polygon and 0


@dataclass(frozen=True, eq=False)
class Straight:
    """The straight line from the middle of one model's base to that of another."""

    ends: tuple[Piece, Piece]

    @property
    def key(self) -> tuple[str, ...]:
        """By which equal ones are known."""
        return tuple(piece.name for piece in self.ends)


def least_distance(a: Piece, others: Sequence[Piece], *, of: Measured = "base", in_space: bool = False) -> ErrorBound:
    """How near a piece comes to the nearest of some others, itself not among them, mm; ``lines`` has the shortest line,
    from a to the nearest, which ``by`` names. Without others, infinitely far.

    In plan, it is 0 where they overlap. In space, it is that of their surfaces, 0 where these meet; a piece that lies
    inside another without touching it is as far away as its surface. Of terrain all of it counts, whichever part.
    """
    best = ErrorBound(float("inf"))
    for other in others:
        if other is not a:
            if in_space:
                line = nearest_points(*_surface(a, of), *_surface(other, of))
                length = max(float(np.linalg.norm(line[1] - line[0])) - a.outline - other.outline, 0.0)
            else:
                line = _raised(_shortest(_core(a, of), _core(other, of)), a, other)
                length = _length_in_plan(line)
            if length < best.value:
                best = ErrorBound(length, lines=line[None], by=(other.name,))
    return best


def distance_of_line(
    start: Piece, end: Piece, others: Sequence[Piece], *, of: Measured = "base", in_space: bool = False
) -> ErrorBound:
    """How near the nearest of some pieces, but for these two, comes to the straight line from the middle of one base to
    that of the other, mm: 0 on the line; infinitely far without any. In space the line runs from upper side to upper
    side. ``lines`` has the shortest line, which ``by`` belongs to.
    """
    line = np.array([[*piece.base_centre, piece.base_span[1]] for piece in (start, end)])
    thread = Mesh(line, np.array([[0, 1, 1]], np.int32), np.zeros(1, np.int32))
    best = ErrorBound(float("inf"))
    for other in others:
        if other is not start and other is not end:
            if in_space:
                shortest = nearest_points(thread, Pose.standing(), *_surface(other, of))
                length = max(float(np.linalg.norm(shortest[1] - shortest[0])) - other.outline, 0.0)
            else:
                flat = _shortest((shapely.LineString(line[:, :2]), 0.0), _core(other, of))
                shortest = np.column_stack([flat, np.full(2, ground(other))])
                length = _length_in_plan(shortest)
            if length < best.value:
                best = ErrorBound(length, lines=shortest[None], by=(other.name,))
    return best


def contact(a: Piece, others: Sequence[Piece], *, gap: float) -> ErrorBound:
    """Whether a piece touches one of some others: 1.0 or 0.0; ``by`` names all that are touched, the nearest first, and
    ``lines`` leads to each.

    They touch where, seen from above, the base of a model, or a piece of terrain, comes as near as the gap, mm, to what
    of the other lies at its height. What lies just on top of another, or just below it, is at its height.
    """
    touched = []
    for other in others:
        if other is not a and max(ground(a), ground(other)) <= min(top(a), top(other)) + ON_TOP:
            line = _line_at_height(a, other)
            length = np.inf if line is None else _length_in_plan(line)
            if length <= gap + SURFACE_TOUCH_MM:
                touched.append((length, other.name, line))
    touched.sort(key=lambda touching: touching[:2])
    lines = np.array([line for _, _, line in touched]).reshape(-1, 2, 3)
    return ErrorBound(1.0 if touched else 0.0, lines=lines, by=tuple(name for _, name, _ in touched))


def share_over(a: Piece, others: Sequence[Piece], *, of: Measured = "base") -> ErrorBound:
    """The share of a piece's base, or of the footprint of terrain, that lies in plan over some others together, 0 to 1.
    ``by`` names those that it lies over, that of the largest part first. What only touches it, in `SURFACE_TOUCH_MM`,
    is not under it.
    """
    outline, (core, reach) = _outline(a, of), _core_in_plan(a, of)
    touched = 0.0 if reach else SURFACE_TOUCH_MM * shapely.length(outline)  # as area: that of a strip all round it
    under = []
    for other in others:
        if other is not a and shapely.distance(core, _outline(other, of)) <= max(reach - SURFACE_TOUCH_MM, 0.0):
            under.append((shapely.area(shapely.intersection(_outline(other, of), outline)), other))
    under = sorted([part for part in under if part[0] > touched], key=lambda part: -part[0])
    whole = shapely.union_all([_outline(other, of) for _, other in under])
    share = shapely.area(shapely.intersection(whole, outline)) / shapely.area(outline) if under else 0.0
    by = tuple(other.name for _, other in under)
    return ErrorBound(1.0 if under and _is_covered((core, reach), whole) else float(share), by=by)


def wholly_within(a: Piece, others: Sequence[Piece], *, by: float = 0.0, of: Measured = "base") -> ErrorBound:
    """Whether all of a piece's base, or the footprint of terrain, lies in plan within ``by`` mm of some others
    together, 0 for on them: 1.0 or 0.0. If so, ``by`` names those nearby, the nearest first; if not, ``lines`` leads
    from its point farthest from them to the nearest of them.
    """
    whole = shapely.union_all([_outline(other, of) for other in others if other is not a])
    outline = _outline(a, of)
    if shapely.is_empty(whole) or shapely.is_empty(outline):
        return ErrorBound(0.0)
    if _is_covered(_core_in_plan(a, of), whole, by):
        near = [
            (float(shapely.distance(_outline(other, of), outline)), other.name) for other in others if other is not a
        ]
        return ErrorBound(1.0, by=tuple(name for away, name in sorted(near) if away <= by + SURFACE_TOUCH_MM))
    corners = shapely.points(shapely.get_coordinates(shapely.convex_hull(outline)))
    farthest = corners[shapely.distance(corners, whole).argmax()]
    line = shapely.get_coordinates(shapely.shortest_line(farthest, whole))
    return ErrorBound(0.0, lines=_raised(line, a)[None])


def _is_covered(core: Core, whole: Any, by: float = 0.0) -> bool:
    """Whether an outline lies within ``by`` mm of an area, or touches the border of that from within."""
    shape, reach = core
    grown = shapely.buffer(whole, by + SURFACE_TOUCH_MM, quad_segs=QUARTER_SEGMENTS)
    is_inside = bool(shapely.covers(grown, shape))
    return is_inside and (reach == 0.0 or bool(shapely.distance(shape, shapely.boundary(grown)) >= reach))


def _core_in_plan(piece: Piece, of: Measured) -> Core:
    """The core of `_outline`."""
    return _core_of_base(piece) if part_measured(piece, of) == "base" else (_outline(piece, of), 0.0)


def _outline(piece: Piece, of: Measured) -> Any:
    """What a piece is in plan: terrain its footprint, a model its base, or what of it is measured."""
    part = part_measured(piece, of)
    return base_shape(piece) if part == "base" else footprint(piece, part=part)


def _line_at_height(a: Piece, b: Piece) -> Floats | None:
    """(2, 3) the shortest line, seen from above, between two pieces that lie at one height; None where neither does."""
    cores = []
    for piece, other in ((a, b), (b, a)):
        if piece.kind == "terrain":
            shape = footprint(piece, ground(other) - 2.0 * ON_TOP, top(other) + 2.0 * ON_TOP, from_table=True)
            cores.append((shape, 0.0))
        else:
            cores.append(_core_of_base(piece))
    if any(shapely.is_empty(shape) for shape, _ in cores):
        return None
    return _raised(_shortest(*cores), a, b)


def _surface(piece: Piece, of: Measured) -> tuple[Any, Pose]:
    """A part of a piece with where it stands; a base is in the world already."""
    part = part_measured(piece, of)
    return part_of(piece, part), Pose.standing() if part == "base" else piece.pose


def _core(piece: Piece, of: Measured) -> Core:
    """The outline of a part, seen from above."""
    if part_measured(piece, of) != "base":
        return _outline(piece, of), 0.0
    end = outlines_in_plan.base_end(piece)
    if isinstance(end, PlaneDisc):
        return shapely.Point(end.centre), end.radius
    return base_shape(piece), 0.0


def _core_of_base(piece: Piece) -> Core:
    """The base of a model, seen from above: exactly, where it is made of round solids."""
    points, reach = piece.base_core
    return convex_hull(outlines_in_plan.without_specks(points)), reach


def _shortest(first: Core, second: Core) -> Floats:
    """(2, 2) the shortest line between two outlines; of no length where they overlap."""
    (shape, reach), (other, other_reach) = first, second
    line: Floats = shapely.get_coordinates(shapely.shortest_line(shape, other))
    if len(line) == 0:
        return np.array([[0.0, 0.0], [np.inf, 0.0]])
    length = float(np.linalg.norm(line[1] - line[0]))
    if length <= reach + other_reach:
        share = min(reach / length, 1.0) if length else 0.0
        return np.repeat(line[:1] + share * (line[1:] - line[:1]), 2, axis=0)
    way = (line[1] - line[0]) / length
    return np.array([line[0] + reach * way, line[1] - other_reach * way])


def _length_in_plan(line: Floats) -> float:
    return float(np.hypot(*(line[1, :2] - line[0, :2])))


def _raised(line: Floats, start: Piece, end: Piece | None = None) -> Floats:
    """(2, 3) a line in plan at the heights of the lowest points of two pieces, or of one."""
    heights = [ground(start), ground(start if end is None else end)]
    return np.column_stack([line, heights])
