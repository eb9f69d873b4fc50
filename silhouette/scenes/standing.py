"""PLACE: how the base of a piece stands on what is there: how deep it sinks, how high it hangs, what it overlaps.

points under the base -> what a vertical line through each crosses -> how far the ground there is above the base

       :   :   :       the ground is above the base where the line is inside a body just above the base,
   ____:___:   :       and as far above it as the line goes on inside;
  |    :   |___:____   it is below the base where the line is outside, as far as the highest surface below
==|====:===|===:=====  the base

Whether two bodies overlap: the interior of one, what lies more than a millimetre inside it, meets the other.

    body -> cells of half a millimetre -> those whose neighbours all round lie inside -> columns of them: the interior

Both contact and an overlap of up to a millimetre leave the interior alone. Thin parts, such as spears, have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Pose, corners, spread
from silhouette.common.lazy import derived
from silhouette.meshes.mesh import recorded
from silhouette.models.model import Model
from silhouette.scenes.ground import SAME_HEIGHT, Ground, Hits, Indices, half_planes, inset
from silhouette.scenes.pieces import Piece
from silhouette.scenes.surfaces import PieceSurface, ground_of, is_upright, solid_part, underside_of

# ---- whether bodies overlap

ALLOWED = 1.0  # mm: bodies, and bases, that overlap by no more only touch

PROFILE_CELL_MM, COARSE_CELL_MM, MAX_PROFILE_CELLS = 0.5, 1.0, 128
"""The size of a cell, mm; that where bodies are compared at many places; and the most cells along an axis: cells of
what is larger are larger."""

OFF_CENTRE = (0.5137, 0.5071)
"""Where in its cell a column stands: off the middle, since meshes like to have edges there."""

MAX_CROSSINGS = 1 << 23  # a mesh that crosses the columns of its cells more often is no body: it has no interior
MAX_INTERIOR_LINES = 1 << 20  # lines that are tried at once, of interiors at many places
FIRST_COLUMNS = 48  # about so many columns are tried before all of them are

WALLED_BODY_SHARE = 0.15
"""The share of a body, seen from above, in which terrain goes through it. An elbow that leans on a wall is less."""


@dataclass(frozen=True, eq=False)
class Interior:
    """What lies more than a millimetre inside a body, as vertical lines, in the model's frame."""

    points: Floats  # (c, 2) mm, the columns in plan
    column: NDArray[np.intp]  # (r,) the column of each line
    # low, high: (r,) mm, its ends
    low: Floats
    high: Floats

    @staticmethod
    @derived
    def of(model: Model) -> Interior:
        """The interior of a model's body and base without insignificant parts; empty if its mesh is not closed."""
        low, high = solid_part(model).bounds
        return Interior.within(model, low, high, COARSE_CELL_MM)

    @staticmethod
    @derived
    def of_body(model: Model) -> Interior:
        """All that lies inside a model's body above its base, thin legs too, less a millimetre at top and bottom."""
        whole = recorded(solid_part(model), Inside, INTERIOR_VERSION, lambda mesh: Inside.of_all(model))
        base = 0.0 if model.base is None else model.base.height
        bottoms, tops = np.maximum(whole.low, base) + ALLOWED, whole.high - ALLOWED
        left = tops > bottoms
        return Interior(whole.points, whole.column[left], bottoms[left], tops[left])

    @classmethod
    def within(
        cls, model: Model, low: Floats, high: Floats, cell: float = PROFILE_CELL_MM, *, thin: bool = False
    ) -> Interior:
        """The part of the interior in a box from ``low`` to ``high`` (3,), mm, model's frame, made of cells of a size,
        mm.

        Of what is very large, cells are larger. ``thin`` if what lies less than a millimetre inside is part of it too.
        """
        mesh = solid_part(model)
        least, greatest = mesh.bounds
        size = max(cell, float((greatest - least).max()) / MAX_PROFILE_CELLS)
        margin = ceil(ALLOWED / size) * size + size
        low, high = np.maximum(least, low - margin), np.minimum(greatest, high + margin)
        if (high <= low).any():
            none = np.empty(0)
            return cls(np.empty((0, 2)), np.empty(0, np.intp), none, none)
        inside = _filled(ground_of(mesh).near(low[:2], high[:2]).triangles, low, high, size)
        for _ in range(0 if thin else ceil(ALLOWED / size - 1e-9)):
            inside = _eroded(inside)
        padded = np.pad(inside, ((0, 0), (0, 0), (1, 1))).astype(np.int8)
        steps = np.diff(padded, axis=2)
        i, j, first = np.nonzero(steps == 1)
        _, _, after = np.nonzero(steps == -1)
        pairs, column = np.unique(np.stack([i, j], axis=1), axis=0, return_inverse=True)
        points = low[:2] + size * (pairs + np.array(OFF_CENTRE))
        bottoms, tops = low[2] + size * (first + 0.5), low[2] + size * (after - 0.5)
        return cls(points, column.ravel(), bottoms, tops)

    def meets(self, pose: Pose, surface: PieceSurface, low: Floats, high: Floats) -> Flags:
        """(r,) whether each line of the interior, of a body in an upright pose, meets a surface or begins inside it.

        ``low``, ``high``: (3,) mm, the corners of a box in the world that holds whatever may meet.
        """
        if not surface.ground.is_prepared:
            box = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
            surface = surface.near(box, np.zeros(2))
        met: Flags = self.meets_at(pose.rotation, pose.translation[None], surface, low[None], high[None])[0]
        return met

    def meets_any(self, pose: Pose, surface: PieceSurface, low: Floats, high: Floats) -> bool:
        """Whether any line `meets`: a few are tried first, since bodies that overlap mostly do so in many."""
        step = len(self.points) // FIRST_COLUMNS
        if step > 1:
            chosen = self.column % step == 0
            few = Interior(self.points[::step], self.column[chosen] // step, self.low[chosen], self.high[chosen])
            if few.meets(pose, surface, low, high).any():
                return True
        return bool(self.meets(pose, surface, low, high).any())

    def meets_at(self, rotation: Floats, places: Floats, surface: PieceSurface, low: Floats, high: Floats) -> Flags:
        """(q, r) whether each line of the interior, of a body at each of some places, meets a surface or begins in it.

        Args:
            rotation: (3, 3) of the body, which is upright.
            places: (q, 3) mm, where its origin lies.
            surface: that it meets.
            low, high: (q, 3) mm, the corners of boxes in the world that hold whatever may meet.
        """
        meeting = np.zeros((len(places), len(self.column)), np.bool_)
        turned = self.points @ rotation[:2, :2].T
        step = max(1, MAX_INTERIOR_LINES // max(1, len(self.column)))
        for first in range(0, len(places), step):
            some = slice(first, first + step)
            plan = turned + places[some, None, :2]
            within = np.all((plan >= low[some, None, :2]) & (plan <= high[some, None, :2]), axis=2)
            bottoms, tops = self.low + places[some, 2:], self.high + places[some, 2:]
            near = within[:, self.column] & (tops >= low[some, 2:]) & (bottoms <= high[some, 2:])
            place, line = np.nonzero(near)
            used, column = np.unique(place * len(turned) + self.column[line], return_inverse=True)
            hits = surface.crossings(plan.reshape(-1, 2)[used])
            near[near] = met(hits, len(used), column.ravel(), bottoms[near], tops[near])
            meeting[some] = near
        return meeting


@dataclass(frozen=True, eq=False)
class Inside(Interior):
    """All that lies inside a body, thin parts too: what is kept of a mesh (`recorded`)."""

    @classmethod
    def of_all(cls, model: Model) -> Inside:
        """What lies inside the body and base of a model."""
        low, high = solid_part(model).bounds
        whole = cls.within(model, low, high, COARSE_CELL_MM, thin=True)
        return cls(whole.points, whole.column, whole.low, whole.high)


INTERIOR_VERSION = 1  # raised whenever other lines are found inside a body


def met(hits: Hits, columns: int, column: NDArray[np.intp], low: Floats, high: Floats) -> Flags:
    """(r,) whether each of some vertical lines, in columns, from ``low`` to ``high`` mm, crosses a surface, or begins
    inside.

    >>> one = Hits(np.array([0, 0]), np.array([2.0, 9.0]), np.array([1, -1], np.int8))
    >>> met(one, 1, np.zeros(4, int), np.array([0.0, 1.0, 4.0, 10.0]), np.array([1.0, 3.0, 5.0, 11.0])).tolist()
    [False, True, True, False]
    """
    if not len(hits.line):
        return np.zeros(len(low), np.bool_)
    floor = min(float(hits.z.min()), float(low.min())) - 1.0
    span = max(float(hits.z.max()), float(high.max())) - floor + 1.0
    keys = hits.line * span + (hits.z - floor)
    order = np.argsort(keys, kind="stable")
    keys, signs = keys[order], np.concatenate([[0], np.cumsum(hits.sign[order].astype(np.int64))])
    start, end = (np.searchsorted(keys, np.arange(columns) * span + edge) for edge in (0.0, span))
    below = np.searchsorted(keys, column * span + (low - floor))
    above = np.searchsorted(keys, column * span + (high - floor))
    closed = signs[end[column]] == signs[start[column]]
    inside = closed & (signs[below] > signs[start[column]])
    crosses: Flags = (above > below) | inside
    return crosses


def _filled(triangles: Floats, low: Floats, high: Floats, size: float) -> Flags:
    """(i, j, k) whether the middle of each cell lies inside the body; columns that do not leave it again are empty."""
    shape = np.maximum(np.ceil((high - low) / size), 1).astype(int)
    lines, hits = _grid_crossings(triangles, low, size, (int(shape[0]), int(shape[1])))
    level = np.clip(np.ceil((hits.z - low[2]) / size - 0.5), 0, shape[2]).astype(np.intp)
    steps = np.zeros((lines, shape[2] + 1), np.int32)
    np.add.at(steps, (hits.line, level), hits.sign)
    steps[steps.sum(axis=1) != 0] = 0
    inside: Flags = np.cumsum(steps, axis=1)[:, :-1] > 0
    return inside.reshape(*shape)


def _grid_crossings(triangles: Floats, low: Floats, size: float, shape: tuple[int, int]) -> tuple[int, Hits]:
    """The number of columns of a grid, and what they cross: each triangle is tried with the columns in its own box."""
    first, counts = list[NDArray[np.intp]](), list[NDArray[np.intp]]()
    for axis in (0, 1):
        a, b, c = ((triangles[:, corner, axis] - low[axis]) / size - OFF_CENTRE[axis] for corner in range(3))
        least = np.maximum(np.ceil(np.minimum(np.minimum(a, b), c)), 0).astype(np.intp)
        most = np.minimum(np.floor(np.maximum(np.maximum(a, b), c)), shape[axis] - 1).astype(np.intp)
        first.append(least)
        counts.append(np.maximum(most - least + 1, 0))
    many = counts[0] * counts[1]
    if many.sum() > MAX_CROSSINGS:
        return shape[0] * shape[1], Hits(np.empty(0, np.intp), np.empty(0), np.empty(0, np.int8))
    some = np.flatnonzero(many)  # of a fine mesh most triangles lie between the columns
    triangles, many, across = triangles[some], many[some], counts[1][some]
    within, triangle = spread(0, many)
    i = first[0][some][triangle] + within // across[triangle]
    j = first[1][some][triangle] + within % across[triangle]
    points = low[:2] + size * (np.stack([i, j], axis=1) + np.array(OFF_CENTRE))
    hits = Ground(triangles).crossing(triangle, points)
    return shape[0] * shape[1], Hits((i * shape[1] + j)[hits.line], hits.z, hits.sign)


def _eroded(inside: Flags) -> Flags:
    left = np.zeros_like(inside)
    middle = inside[1:-1, 1:-1, 1:-1].copy()
    for axis in range(3):
        for start, stop in ((0, -2), (2, None)):
            cut = [slice(1, -1)] * 3
            cut[axis] = slice(start, stop)
            middle &= inside[tuple(cut)]
    left[1:-1, 1:-1, 1:-1] = middle
    return left


# ---- how a base stands

LOWER = 2.0  # mm: a base stands where the surface is no lower, and neither sinks nor hangs by no more
TABLE_TOP = 0.0  # the height of the table's top, mm

SUPPORT_POINTS_PER_AXIS = 26
"""The number of points along each side of the grid that an area under a base is counted on; even, so that as many
points lie on one side of any line through the middle as on the other."""


POINTS_TRIED, CLEAR_SHARE, SUPPORT_SEED = 64, 0.25, 1
"""Points of those that are tried first, drawn at random by a seed; and how far the share of them that is held must be
from a half to be that of all: four standard deviations."""


@dataclass(frozen=True, eq=False)
class OutlinePoints:
    """Points (p, 2) mm, spread evenly over an outline, in its frame; ``opposite`` (p,) is the number of that on the
    other side of the middle, or its own.
    """

    points: Floats
    opposite: Indices

    @classmethod
    def over(cls, outline: Floats, across: int = SUPPORT_POINTS_PER_AXIS) -> OutlinePoints:
        """The points of a square grid, symmetric about the middle of the outline's box, that lie in the outline.

        >>> square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        >>> samples = OutlinePoints.over(square, 2)
        >>> samples.points.tolist(), samples.opposite.tolist()
        ([[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]], [3, 2, 1, 0])
        """
        low, high = outline.min(axis=0), outline.max(axis=0)
        steps = (np.arange(across) + 0.5) / across - 0.5
        grid = np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1).reshape(-1, 2)
        points = (low + high) / 2 + grid * (high - low)
        sides, offsets = half_planes(outline)
        inside: Flags = (points @ sides.T <= offsets + SAME_HEIGHT).all(axis=1)
        number = np.full(len(points), -1)
        number[inside] = np.arange(np.count_nonzero(inside))
        opposite = np.where(inside[::-1], number[::-1], number)[inside]
        return cls(points[inside], opposite)


def depths(hits: Hits, samples: int, base: float, tall: float, thick: float) -> Floats:
    """(samples,) mm: how far above a base the ground of one piece is at each point, negative where it is below.

    -inf where there is none. A mesh that is not closed at a point has its ground where it is crossed within the height
    of the figure, and nowhere farther up. What begins inside the base, such as a floor on a scan's feet, is ground too.

    ``base`` is the height of the underside of the base, ``tall`` that of the whole figure, ``thick`` that of the base,
    less what it may overlap by, mm.
    """
    depth = np.full(samples, -np.inf)
    order = np.lexsort((hits.z, hits.line))
    line, z, sign = hits.line[order], hits.z[order], hits.sign[order].astype(int)
    for start, end in zip(*_runs(line), strict=True):
        heights, signs = z[start:end] - base, sign[start:end]
        above = heights > SAME_HEIGHT
        below = heights[~above].max(initial=-np.inf)
        if signs.sum() == 0:
            within = signs[~above].sum() > 0
            levels = signs[~above].sum() + np.cumsum(signs[above])
            begins = (levels > 0) & (heights[above] < thick)
            first = 0 if within else int(begins.argmax()) if begins.any() else len(levels)
            leaves = heights[above][first:][levels[first:] <= 0]
        else:
            leaves = heights[above & (heights <= tall)]
        depth[line[start]] = leaves[0] if len(leaves) else below
    return depth


def wall_heights(piece: Piece, bottoms: Floats) -> tuple[Floats, Floats]:
    """Above which and below which heights (q,) a wall goes up through a base, whose underside is at (q,); mm."""
    base = piece.model.base
    return bottoms + LOWER, bottoms + (2.0 * LOWER if base is None or base.height == 0.0 else base.height)


def _runs(line: Indices) -> tuple[Indices, Indices]:
    """The first of each run of equal numbers, and the end of the run."""
    starts: Indices = np.flatnonzero(np.diff(line, prepend=-1))
    return starts, np.append(starts[1:], len(line))[: len(starts)]


def overlap_of_bases(piece: Piece, other: Piece) -> float:
    """How deep the bases of two pieces reach into each other in plan, mm; 0 where they do not, or one has no base."""
    if piece.model.base is None or other.model.base is None or not (is_upright(piece.pose) and is_upright(other.pose)):
        return 0.0
    (low, high), (other_low, other_high) = piece.base_span, other.base_span
    if min(high, other_high) - max(low, other_low) <= SAME_HEIGHT:
        return 0.0
    a, b = piece.base_outline, other.base_outline
    least = min(_reach(a, b), _reach(b, a))
    return max(0.0, least)


def _reach(a: Floats, b: Floats) -> float:
    """How far a convex outline reaches over the nearest side of another, negative where it does not."""
    sides, offsets = half_planes(a)
    return float((offsets - (b @ sides.T).min(axis=0)).min())


def bodies_overlap(piece: Piece, other: Piece) -> bool:
    """Whether bodies, bases among them, overlap by more than a millimetre."""
    (low, high), (other_low, other_high) = _box(piece), _box(other)
    low, high = np.maximum(low, other_low), np.minimum(high, other_high)
    if (high - low <= ALLOWED).any():
        return False
    return any(
        is_upright(a.pose) and _interior(a, low, high).meets_any(a.pose, PieceSurface.of(b), low, high)
        for a, b in ((piece, other), (other, piece))
        if a.kind != "terrain"  # it may be a whole landscape, and need not be closed
    )


def goes_through(piece: Piece, terrain: Piece) -> bool:
    """Whether terrain goes through much of the body of an upright piece, seen from above, or has it inside."""
    low, high = np.maximum(_box(piece)[0], _box(terrain)[0]), np.minimum(_box(piece)[1], _box(terrain)[1])
    if not is_upright(piece.pose) or (high <= low).any():
        return False
    body = Interior.of_body(piece.model)
    through = body.meets(piece.pose, PieceSurface.of(terrain), low, high)
    met, every = (np.count_nonzero(np.bincount(columns)) for columns in (body.column[through], body.column))
    return bool(met > WALLED_BODY_SHARE * every)


def _interior(piece: Piece, low: Floats, high: Floats) -> Interior:
    """The interior of a piece, at least where it lies in the box in the world from ``low`` to ``high``."""
    box = piece.pose.localise(corners(low, high))
    return Interior.within(piece.model, box.min(axis=0), box.max(axis=0))


def _box(piece: Piece) -> tuple[Floats, Floats]:
    return piece.whole_box.min(axis=0), piece.whole_box.max(axis=0)


class StandingTest:
    """Where a piece, turned as it is, could stand on its table, with everyone else where they are: one place, or
    thousands.

    A base *stands* where its middle and at least half of its area have a surface no more than 2 mm lower, and where
    neither it nor the body on it overlaps another piece by more than 1 mm. The area is counted on about 500 points.
    """

    def __init__(self, pieces: Sequence[Piece], piece: Piece) -> None:
        self._piece, self._underside = piece, underside_of(piece)
        self._others = [other for other in pieces if other.name != piece.name]
        self._boxes = np.array([_box(other) for other in self._others]).reshape(-1, 2, 3)
        self._terrain = [number for number, other in enumerate(self._others) if other.kind == "terrain"]
        self._surfaces = {number: PieceSurface.of(self._others[number]) for number in self._terrain}

    def heights(self, places: Floats, under: float | None = None) -> Floats:
        """(q,) mm: the height of the underside of the base where it is lowered at each place (q, 2), mm, onto terrain
        or the table.

        ``under``: mm; nothing higher than this counts, as for ``under`` in a scene; -inf where nothing is left.
        """
        places = np.asarray(places, np.float64).reshape(-1, 2)
        has_table = under is None or under >= TABLE_TOP
        highest = np.full(len(places), TABLE_TOP if has_table else -np.inf)
        for number, near in self._over(places):
            some = self._surfaces[number].heights(self._underside.outline, places[near], under)
            highest[near] = np.maximum(highest[near], some)
        return highest

    def stands(self, places: Floats, bottoms: Floats) -> Flags:
        """(q,) whether it stands at each place (q, 2), with the underside of its base at the heights (q,); both mm."""
        places = np.asarray(places, np.float64).reshape(-1, 2)
        stands = np.isfinite(bottoms)
        middle = self._underside.middle[None]
        stands[stands] = self._shares(middle, places[stands], bottoms[stands]) == 1.0
        stands[stands] = self._is_half_held(places[stands], bottoms[stands])
        stands[stands] = ~self._walled(places[stands], bottoms[stands])
        at = np.column_stack([places, bottoms - self._underside.bottom])
        low, high = _box(self.there(np.zeros(2), self._underside.bottom))
        for other, (least, most) in zip(self._others, self._boxes, strict=True):
            near = np.flatnonzero(stands & ((at + high > least) & (at + low < most)).all(axis=1))
            if len(near):
                stands[near] = ~overlapping(self._piece, at[near], other)
        return stands

    def there(self, place: Floats, bottom: float) -> Piece:
        """The piece at a place (2,), with the underside of its base at a height, mm."""
        at = np.array([place[0], place[1], bottom - self._underside.bottom])
        return replace(self._piece, pose=Pose(self._piece.pose.rotation, at))

    def _is_half_held(self, places: Floats, bottoms: Floats) -> Flags:
        """(q,) whether at least half of the base has a surface no more than 2 mm lower, at each place."""
        points = OutlinePoints.over(self._underside.outline).points
        some = np.random.default_rng(SUPPORT_SEED).permutation(len(points))[:POINTS_TRIED]
        shares = self._shares(points[some], places, bottoms)
        (unsure,) = np.nonzero(np.abs(shares - 0.5) < CLEAR_SHARE)
        shares[unsure] = self._shares(points, places[unsure], bottoms[unsure])
        return shares >= 0.5

    def prepare(self) -> None:
        """Works out now what all places share, so that processes forked from this one need not do it again."""
        for surface in self._surfaces.values():
            surface.ground.prepare()

    def _walled(self, places: Floats, bottoms: Floats) -> Flags:
        """(q,) whether a wall goes up through the base, more than a millimetre from its rim, at each place."""
        inner = inset(self._underside.outline, ALLOWED)
        walls = np.zeros(len(places), np.bool_)
        if len(inner):
            low, high = wall_heights(self._piece, bottoms)
            for number, near in self._over(places):
                walls[near] |= self._surfaces[number].walled(inner, places[near], low[near], high[near])
        return walls

    def _shares(self, points: Floats, places: Floats, bottoms: Floats) -> Floats:
        """(q,) the share of points (p, 2) under the base with a surface no more than 2 mm lower, at each place."""
        held = np.repeat((np.abs(bottoms - TABLE_TOP) <= LOWER + SAME_HEIGHT)[:, None], len(points), axis=1)
        for number, over in self._over(places):
            near = over[~held[over].all(axis=1)]  # what stands on the table's top needs no terrain
            spots = (places[near][:, None] + points).reshape(-1, 2)
            hits = self._surfaces[number].crossings(spots)
            place, point = np.divmod(hits.line, len(points))
            is_ground = np.abs(hits.z - bottoms[near][place]) <= LOWER + SAME_HEIGHT
            held[near[place[is_ground]], point[is_ground]] = True
        shares: Floats = held.mean(axis=1)
        return shares

    def _over(self, places: Floats) -> Iterable[tuple[int, Indices]]:
        """The number of each piece of terrain, with the places where it may lie under the base."""
        low, high = self._underside.outline.min(axis=0), self._underside.outline.max(axis=0)
        for number in self._terrain:
            box = self._boxes[number, :, :2]
            (near,) = np.nonzero(((places + low <= box[1]) & (places + high >= box[0])).all(axis=1))
            if len(near):
                yield number, near


def overlapping(piece: Piece, places: Floats, other: Piece) -> Flags:
    """(q,) whether a piece, moved to places (q, 3), mm, overlaps another by more than a millimetre: bases or bodies."""
    there = replace(piece, pose=Pose(piece.pose.rotation, np.zeros(3)))
    (least, most), (other_least, other_most) = _box(there), _box(other)
    low, high = np.maximum(places + least, other_least), np.minimum(places + most, other_most)
    overlaps = np.zeros(len(places), np.bool_)
    if piece.model.base is not None and other.model.base is not None:
        for number, place in enumerate(places):
            moved = replace(piece, pose=Pose(piece.pose.rotation, place))
            overlaps[number] = overlap_of_bases(moved, other) > ALLOWED
    reach = (high - low > ALLOWED).all(axis=1)
    for body, surface, ways, begin in (
        (piece, other, places, np.zeros_like(places)),
        (other, there, other.pose.translation - places, places),
    ):
        left = np.flatnonzero(reach & ~overlaps)
        if len(left) and body.kind != "terrain" and is_upright(body.pose):
            inner, ground = Interior.of(body.model), PieceSurface.of(surface)
            box = (low - begin)[left], (high - begin)[left]
            overlaps[left] = inner.meets_at(body.pose.rotation, ways[left], ground, *box).any(axis=1)
    return overlaps
