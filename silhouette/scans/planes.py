"""LEVEL: the large planes of a scan, which of them is the table, and the surface of that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.spatial import ConvexHull, QhullError

from silhouette.common.geometry import Flags, Floats
from silhouette.scans.surface import Surfels

# ---- planes

PLANES = 10  # how many planes are looked for: a table, a floor, the walls of a room and a few roofs

SMALLEST_PLANE_SHARE = 0.012
"""Share of a scan's surface below which a plane is not looked at: a table of 600 mm in a room has more."""

BRIDGE = 0.35
"""Height, as a share of a plane's width, up to which what stands on it joins its parts; walls of a room are higher."""

TABLE_GAP = 0.05  # the gap between two tables, as a share of the width of the smaller

UPRIGHT_HEIGHTS = (0.01, 0.15)
"""Heights of figures as shares of a table's width: 30 mm on 1.8 m and 40 mm on 300 mm; chairs on a floor have more."""

NEAR = 0.6  # how far from a plane surfels may be that speak for it, in voxels

LEAST_NORMAL_AGREEMENT = 0.94
"""Mean cosine of the angle between a plane and its surfels' normals below which it is none: 20 degrees."""

ALONG = 0.8
"""Cosine of the angle up to which a surfel's normal counts as the plane's: rough scans turn normals by 20 degrees."""


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane that much of the scan lies in: the points p with ``normal @ p == offset``."""

    normal: Floats  # (3,) float64 unit vector
    offset: float  # along the normal
    inliers: NDArray[np.bool_]  # (n,) bool, the surfels in it
    # (k, 3) float64, the convex outline of the largest part that hangs together: rows a, b, c with a x + b y + c <= 0
    # inside, x and y along `axes`; a and b have length 1
    hull: Floats
    axes: Floats  # (2, 3) float64, two directions in the plane
    things: Floats  # the heights of the separate things that stand on it, on the normal's side
    facing: float  # mean of the scan's own normals along this one, 1 where all agree and 0 where the scan has none
    middle: Floats  # (3,) float64, the mean of the inliers
    extent: float  # the square root of the area within the outline

    @property
    def area(self) -> int:
        """In surfels."""
        return int(self.inliers.sum())

    def covers(self, point: Floats, reach: float) -> bool:
        """Whether a point lies over or under the inside of the outline, or within a reach of it."""
        return bool(self.inside(point[None], reach)[0])

    def inside(self, points: Floats, reach: float = 0.0) -> Flags:
        """(n,) which points lie over or under the inside of the outline, or within a reach of it."""
        across = (points @ self.axes.T) @ self.hull[:, :2].T + self.hull[:, 2]
        return np.asarray((across < reach).all(axis=1))

    def beside(self, surfels: Surfels, others: Flags) -> tuple[int, int]:
        """How many surfels stand above and below the inside of the outline, some others left out."""
        height = surfels.points @ self.normal - self.offset
        inside = self.inside(surfels.points, -2 * surfels.cell) & ~others
        far = 2 * surfels.cell
        return int((inside & (height > far)).sum()), int((inside & (height < -far)).sum())

    def upright(self, surfels: Surfels) -> int:
        """How many things stand on it as figures do: apart, higher than half as wide, and low beside its width."""
        points = surfels.vertices
        height = points @ self.normal - self.offset
        these = self.inside(points) & (height > max(UPRIGHT_HEIGHTS[0] * self.extent, 2 * surfels.spacing))
        flat, height = points[these] @ self.axes.T, height[these]
        steps, picture = _picture(flat, max(self.extent / 200, surfels.spacing))
        parts, count = ndimage.label(picture, np.ones((3, 3)))
        if not count or not len(flat):
            return 0
        mine, numbers = parts[steps[:, 0], steps[:, 1]], np.arange(1, count + 1)
        tall = np.asarray(ndimage.maximum(height, mine, numbers))
        wide = np.max([ndimage.maximum(v, mine, numbers) - ndimage.minimum(v, mine, numbers) for v in flat.T], axis=0)
        is_low = (tall > 2 * UPRIGHT_HEIGHTS[0] * self.extent) & (tall < UPRIGHT_HEIGHTS[1] * self.extent)
        return int((is_low & (wide < 2 * tall) & (np.bincount(mine, minlength=count + 1)[1:] >= 3)).sum())

    def is_beside(self, other: Plane, surfels: Surfels) -> bool:
        """Whether it lies beside another one with a gap between them; boards that adjoin are one table."""
        gap = TABLE_GAP * min(self.extent, other.extent)
        near = (
            self.inside(surfels.points[other.inliers], gap).any()
            or other.inside(surfels.points[self.inliers], gap).any()
        )
        return not near

    def things_among(self, surfels: Surfels, these: Flags) -> Floats:
        """The heights of the separate things that some of the surfels make, seen from above."""
        points = surfels.points[these]
        return _things(points @ self.axes.T, points @ self.normal - self.offset, surfels.cell)


def large_planes(surfels: Surfels, rng: np.random.Generator) -> list[Plane]:
    """The planes of a scan, the largest first, each with the side up on which more stands."""
    left = np.arange(len(surfels.points))
    planes: list[Plane] = []
    while len(planes) < PLANES and len(left) >= max(3, SMALLEST_PLANE_SHARE * len(surfels.points)):
        best = _best_plane(surfels, left, rng)
        if best is None:
            break
        normal, offset, near = best
        if near.sum() < max(3, SMALLEST_PLANE_SHARE * len(surfels.points)):
            break
        among = np.zeros(len(surfels.points), dtype=bool)
        among[left] = True
        plane = seen_from(surfels, normal, offset, among)
        # A plane through the edges of stairs has surfels in it whose own normals differ from its.
        if plane is not None and np.abs(surfels.normals[plane.inliers] @ normal).mean() > LEAST_NORMAL_AGREEMENT:
            planes.append(plane)
            # A part that lies apart, as another table of the same height, is a plane of its own.
            near &= plane.inside(surfels.points[left], 3 * surfels.cell)
        left = left[~near]
    return planes


def _best_plane(
    surfels: Surfels, left: NDArray[np.int64], rng: np.random.Generator
) -> tuple[Floats, float, Flags] | None:
    """Random sample consensus (Fischler and Bolles 1981) with a local fit of the best (Chum and others 2003).

    Planes come from three surfels, which finds large ones exactly, and from one with its normal, which finds small
    ones. A surfel speaks for a plane that it is near to, with its normal along the plane's.
    """
    points, normals, cell, sided = surfels.points[left], surfels.normals[left], surfels.cell, surfels.sided
    triples = rng.integers(0, len(left), (1500, 3))
    across = np.cross(points[triples[:, 1]] - points[triples[:, 0]], points[triples[:, 2]] - points[triples[:, 0]])
    length = np.linalg.norm(across, axis=1)
    across = across / np.maximum(length, 1e-300)[:, None]
    agree = (np.abs(np.einsum("tki,ti->tk", normals[triples], across)) > ALONG).all(axis=1) & (length > 0)
    singles = rng.integers(0, len(left), 500)
    tried = np.concatenate([across[agree], normals[singles]])
    offsets = (tried * points[np.concatenate([triples[agree, 0], singles])]).sum(axis=1)

    some = rng.integers(0, len(left), min(2000, len(left)))
    far = np.abs(points[some] @ tried.T - offsets)
    votes = ((far < NEAR * cell) & (np.abs(normals[some] @ tried.T) > ALONG)).sum(axis=0)
    best: tuple[int, Floats, float, Flags] | None = None
    for k in np.argsort(-votes, kind="stable")[:8]:
        normal, offset = tried[k], float(offsets[k])
        for reach in (3.0, 2.0, 1.0, NEAR, NEAR):
            near = _aligned(normals, normal, sided, np.abs(points @ normal - offset) < reach * cell)
            if near.sum() < 3:
                break
            middle = points[near].mean(axis=0)
            normal = np.linalg.eigh(np.cov((points[near] - middle).T))[1][:, 0]
            offset = float(normal @ middle)
        near = _aligned(normals, normal, sided, np.abs(points @ normal - offset) < NEAR * cell)
        if best is None or near.sum() > best[0]:
            best = int(near.sum()), normal, offset, near
    if best is None:
        return None
    _, normal, offset, near = best
    # What is left of the same plane (rough parts, rims) goes with it, so that it is not found again.
    near |= np.abs(points @ normal - offset) < 1.5 * cell
    return normal, offset, near


def _aligned(normals: Floats, normal: Floats, sided: bool, among: Flags) -> Flags:
    """Which surfels, among some, face along a normal or against it.

    Where the scan says which side is out (``sided``), only the one with more of them: a closed board has both.
    """
    along = normals @ normal
    aligned = (np.abs(along) > ALONG) & among
    if sided:
        aligned &= np.sign(along) == (1.0 if (along[aligned] > 0).sum() * 2 >= aligned.sum() else -1.0)
    return np.asarray(aligned)


def axes_in(normal: Floats) -> Floats:
    """Two directions (2, 3) that make a right-handed frame with a normal, the first nearest to the file's x."""
    seed = np.eye(3)[0 if abs(normal[0]) < 0.9 else 1]
    first = seed - (seed @ normal) * normal
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(normal, first)])


def seen_from(
    surfels: Surfels, normal: Floats, offset: float, among: Flags, *, keep_side: bool = False
) -> Plane | None:
    """What lies in a plane, among some surfels, and what stands on it; turned over where more stands on the other side,
    unless kept."""
    points, cell = surfels.points, surfels.cell
    height = points @ normal - offset
    inliers = _aligned(surfels.normals, normal, surfels.sided, among & (np.abs(height) < cell))
    axes = axes_in(normal)
    flat = points @ axes.T
    # What stands in the way (a river of terrain from edge to edge) does not part a table.
    low = (height > -2 * cell) & (height < BRIDGE * np.sqrt(inliers.sum()) * cell)
    part = _outline(flat[inliers], flat[low], cell)
    if part is None:
        return None
    outline, extent = part
    across = (flat @ outline[:, :2].T + outline[:, 2]).max(axis=1)
    inliers &= across < 3 * cell
    inside = across < -2 * cell
    above, below = inside & (height > 2 * cell), inside & (height < -2 * cell)
    facing = float((surfels.normals[inliers] @ normal).mean()) if surfels.sided else 0.0
    counts = int(above.sum()), int(below.sum())
    if not keep_side and (counts[0], facing) < (counts[1], -facing):
        return seen_from(surfels, -normal, -offset, among, keep_side=True)
    things = _things(flat[above], height[above], cell)
    middle = points[inliers].mean(axis=0)
    return Plane(normal, float(offset), inliers, outline, axes, things, facing, middle, extent)


def _outline(flat: Floats, bridging: Floats, cell: float) -> tuple[Floats, float] | None:
    """The convex outline, as lines, of the largest part of a plane that hangs together, by bridges; and its size."""
    steps, picture = _picture(np.vstack([flat, bridging]), 2 * cell)
    parts, count = ndimage.label(ndimage.binary_closing(np.pad(picture, 3), iterations=2), np.ones((3, 3)))
    if not count or not len(flat):
        return None
    mine = parts[tuple(steps[: len(flat)].T + 3)]
    largest = int(np.argmax(np.bincount(mine, minlength=count + 1)[1:])) + 1
    try:
        hull = ConvexHull(flat[mine == largest])
    except (QhullError, ValueError):
        return None
    return np.asarray(hull.equations, dtype=np.float64), float(np.sqrt(hull.volume))


def _picture(flat: Floats, pixel: float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The pixel (n, 2) of each point, and which pixels have any."""
    if not len(flat):
        return np.zeros((0, 2), dtype=np.int64), np.zeros((1, 1), dtype=bool)
    steps = np.floor((flat - flat.min(axis=0)) / pixel).astype(np.int64)
    picture = np.zeros(steps.max(axis=0) + 1, dtype=bool)
    picture[steps[:, 0], steps[:, 1]] = True
    return steps, picture


def _things(flat: Floats, height: Floats, cell: float) -> Floats:
    """The heights of what stands apart, seen from above; specks of fewer than three surfels do not count."""
    steps, picture = _picture(flat, 2 * cell)
    parts, count = ndimage.label(picture, np.ones((3, 3)))
    if not count or not len(flat):
        return np.zeros(0)
    mine = parts[steps[:, 0], steps[:, 1]]
    tall = ndimage.maximum(height, mine, np.arange(1, count + 1))
    return np.asarray(tall, dtype=np.float64)[np.bincount(mine, minlength=count + 1)[1:] >= 3]


# ---- tables

PARALLEL = float(np.cos(np.radians(5.0)))
"""Cosine of the angle up to which planes count as parallel: a floor and a table differ by less, and so do fits."""

STEEP = float(np.cos(np.radians(60.0)))  # cosine of the angle to the table's normal from which on a plane is a wall
BOARD_STEP, BOARD_SIDE, OVERHANG = 0.12, 0.3, 0.2
"""Two boards side by side are one table: the step is lower than the first, as a share of the width, the smaller has so
much of the area of the larger, and no more of it than the third lies over the other."""

HANGING = 0.12  # the share of a scan that hangs below a table at most: a rim of 15 mm round a table of 600 mm is 0.09

UPRIGHT = float(np.cos(np.radians(35.0)))
"""Cosine of the angle up to which a direction is the file's upright: a phone knows it within a few degrees, people turn
scans by quarter turns."""


@dataclass(frozen=True, eq=False)
class TablePlane:
    """The plane taken for the table."""

    plane: Plane  # its normal is up
    sure: bool  # whether the side that is up is beyond doubt
    walls: list[Plane]  # planes that stand upright and are large: of the room, or a board behind
    beside: tuple[Plane, ...] = ()  # planes beside it
    count: int = 1  # how many planes side by side may be the table, itself among them


RIVAL = 0.5
"""A plane beside the table may be it as well where so many things stand on it upright, as a share of those on the
table, and two at least."""


def table_among(planes: list[Plane], surfels: Surfels, up: Floats, choice: int = 0) -> TablePlane | None:
    """The table among the planes of a scan, or None where none of them is one.

    First the direction (of planes of one direction the ones that bear most things, large and near the file's upright
    ``up``), then the side, then the height: what has a table on it is the floor, and what stands on a table is a roof.
    Of tables side by side it is the one on which most things stand upright; ``choice`` is which of them, in this order.
    """
    if not planes:
        return None
    groups = [[other for other in planes if abs(other.normal @ plane.normal) > PARALLEL] for plane in planes]
    group = max(groups, key=lambda group: _weight(group) * _likeness(group[0].normal, up))
    likely = max(group, key=lambda plane: plane.area)
    votes = _votes_for_side(group, likely.normal, surfels, up)
    normal = likely.normal if votes >= 0 else -likely.normal
    stack = [turned_plane for plane in group if (turned_plane := _turned(plane, normal, surfels)) is not None]
    stack = [plane for plane in stack if plane.facing > -0.5] or stack  # undersides face down
    stack.sort(key=lambda plane: _height(plane, normal))
    first = _storey(stack, normal, surfels)
    beside = [plane for plane in stack if plane is not first and plane.is_beside(first, surfels)]
    uprights = {id(plane): plane.upright(surfels) if beside else 1 for plane in (first, *beside)}
    tables = sorted((first, *beside), key=lambda plane: -uprights[id(plane)])
    least = max(2.0, RIVAL * uprights[id(tables[0])])
    tables = tables[:1] + [plane for plane in tables[1:] if uprights[id(plane)] >= least]
    chosen = tables[choice] if choice < len(tables) else tables[0]
    if not _is_table(chosen, stack, planes, surfels, up):
        return None
    walls = [wall for wall in _walls(chosen, planes, 0.6) if _rises(wall, chosen, surfels)]
    around = tuple(plane for plane in (first, *beside) if plane is not chosen)
    return TablePlane(chosen, abs(votes) >= 0.5, walls, around, len(tables))


def _weight(group: list[Plane]) -> float:
    """How much parallel planes look like tables: things stand on them; walls are larger, but bare."""
    return float(np.sqrt(sum(plane.area for plane in group)) * (1 + min(sum(len(plane.things) for plane in group), 6)))


def _likeness(normal: Floats, up: Floats) -> float:
    """How much a direction looks like the upright of a file: its own axis, the other usual one, or any."""
    if abs(normal @ up) > UPRIGHT:
        return 1.0
    other = np.array([0.0, up[2], up[1]])
    return 0.25 if abs(normal @ other) > UPRIGHT else 0.15


def _votes_for_side(group: list[Plane], normal: Floats, surfels: Surfels, up: Floats) -> float:
    """Above 0 where a normal of parallel planes is up, below where the opposite one is.

    What stands on one side counts 2 (all of it on one side, and more than 1 % of the scan: less may be noise; floors
    and roofs left out), the side that the scan says is out 2, the file's upright 1.
    """
    signs = [1.0 if plane.normal @ normal > 0 else -1.0 for plane in group]
    flat = _any_of(group, surfels)
    counts = np.array([plane.beside(surfels, flat)[:: int(sign)] for plane, sign in zip(group, signs, strict=True)])
    above, below = counts.sum(axis=0)
    mass = (above - below) / max(above + below, 0.01 * len(surfels.points))
    area = sum(plane.area for plane in group)
    out = sum(sign * plane.facing * plane.area for plane, sign in zip(group, signs, strict=True)) / max(area, 1)
    other = np.array([0.0, up[2], up[1]])
    upright = 1.0 if abs(normal @ up) > UPRIGHT else 0.5 if abs(normal @ other) > UPRIGHT else 0.0
    axis = up if upright == 1.0 else other
    return float(2 * mass + 2 * out + upright * np.sign(normal @ axis))


def _turned(plane: Plane, normal: Floats, surfels: Surfels) -> Plane | None:
    if plane.normal @ normal > 0:
        return plane
    return seen_from(surfels, -plane.normal, -plane.offset, plane.inliers, keep_side=True)


def _height(plane: Plane, normal: Floats) -> float:
    """The height of a plane's middle along a direction."""
    return float(plane.middle @ normal)


def _storey(stack: list[Plane], normal: Floats, surfels: Surfels) -> Plane:
    """The table among parallel planes, the lowest first: one goes up from each floor to the table that stands on it.

    From the lowest plane on, each higher one that is a table standing on it takes its place.
    """
    chosen = stack[0]
    for plane in stack[1:]:
        higher = _height(plane, normal) - _height(chosen, normal)
        if higher < 2 * surfels.cell:
            is_board = higher > 0.5 * surfels.cell and _bears_all(plane, chosen, surfels)
            chosen = plane if is_board else max(chosen, plane, key=lambda candidate: candidate.area)
        elif not _is_step(plane, chosen, higher, surfels) and _stands_as_table(plane, chosen, higher, surfels):
            chosen = plane
    return chosen


def _is_step(plane: Plane, ground: Plane, higher: float, surfels: Surfels) -> bool:
    """Whether a plane is a board beside another one, a little higher: one table with a step, of which both are part."""
    if higher > BOARD_STEP * ground.extent or not BOARD_SIDE < plane.area / ground.area < 1.0 / BOARD_SIDE:
        return False
    return bool(ground.inside(surfels.points[plane.inliers]).mean() < OVERHANG)


def _bears_all(plane: Plane, ground: Plane, surfels: Surfels) -> bool:
    """Whether all that stands on a plane stands on another one a little higher, as on a board on a dining table."""
    if plane.area < 0.05 * ground.area or len(plane.things) < 3:
        return False
    return len(ground.things_among(surfels, _beside(plane, ground, surfels))) == 0


def _beside(plane: Plane, ground: Plane, surfels: Surfels) -> Flags:
    """The surfels that stand on a plane beside another one over it."""
    height = surfels.points @ ground.normal - ground.offset
    over = plane.inside(surfels.points, 3 * surfels.cell)
    return np.asarray(~over & (height > 2 * surfels.cell) & ground.inside(surfels.points))


def _stands_as_table(plane: Plane, ground: Plane, higher: float, surfels: Surfels) -> bool:
    """Whether a plane over another one is a table on a floor, and not the roof of a building on a table.

    ::

          ___________ plane                   A roof has walls under its rim; under that of a table one sees legs, or
         |  |     |  |                        nothing. What stands about on a floor (chairs) is tall beside what stands
       __|__|_____|__|___ ground              on the table; what stands on a table beside a roof is as tall as on it.
    """
    if plane.extent > 0.97 * ground.extent and plane.covers(ground.middle, surfels.cell):
        return True  # what is below is the table's underside or a shelf: a roof is smaller than what bears it
    if plane.area < 0.05 * ground.area:
        # A table in a hall is that as well; a platform on a table bears less than what stands about it.
        return plane.upright(surfels) > max(2, 2 * ground.upright(surfels))
    walled = _walled(plane, higher, surfels)
    others = ground.things_among(surfels, _beside(plane, ground, surfels))
    if walled:
        return len(plane.things) > 2 * len(others) and len(plane.things) >= 3
    if not len(others) or len(plane.things) > len(others):
        return True
    return bool(len(plane.things) and np.median(others) > 5 * np.median(plane.things))


def _walled(plane: Plane, higher: float, surfels: Surfels) -> bool:
    """Whether something stands under most of a plane's rim: in two thirds of 36 directions from its middle."""
    reach = 0.1 * plane.extent + 3 * surfels.cell
    across = (surfels.points @ plane.axes.T) @ plane.hull[:, :2].T + plane.hull[:, 2]
    depth = plane.offset - surfels.points @ plane.normal
    rim = (np.abs(across.max(axis=1)) < reach) & (depth > 0.3 * higher) & (depth < 0.85 * higher)
    away = (surfels.points[rim] - plane.middle) @ plane.axes.T
    bins = np.floor((np.arctan2(away[:, 1], away[:, 0]) / (2 * np.pi) % 1.0) * 36).astype(int)
    return len(np.unique(bins)) >= 24


def _is_table(plane: Plane, stack: list[Plane], planes: list[Plane], surfels: Surfels, up: Floats) -> bool:
    """Whether a plane is a table, and not a side of a single object.

    A table is large beside what lies over it, seen from above. Where a floor is seen below it, that will do. Else it
    and the roofs over it are much of the scan, or many things stand on it; and next to nothing hangs below it (its rim
    does), unless many things stand on it and it lies as the file says. Walls larger than it are a room's: left out.
    """
    height = surfels.points @ plane.normal - plane.offset
    lower = [other for other in _larger(plane, stack) if _height(other, plane.normal) < _height(plane, plane.normal)]
    if any(_bears_all(plane, other, surfels) for other in lower):
        return True
    over = (height > -2 * surfels.cell) & ~_any_of(
        [other for other in stack if other is not plane and other.is_beside(plane, surfels)], surfels
    )
    shadow = np.unique(np.floor(surfels.points[over] @ plane.axes.T / (2 * surfels.cell)), axis=0)
    if plane.extent**2 < 0.35 * len(shadow) * (2 * surfels.cell) ** 2:
        return False
    deep = _height(plane, plane.normal) - 0.15 * plane.extent
    if any(_height(other, plane.normal) < deep for other in lower):
        return True
    counted = ~_any_of(_walls(plane, planes, 1.3), surfels)
    upper = _any_of([other for other in stack if _height(other, plane.normal) > _height(plane, plane.normal)], surfels)
    flat = ((plane.inliers | upper) & counted).sum() / counted.sum()
    below = ((height <= -2 * surfels.cell) & counted).sum() / counted.sum()
    many = (plane.things < 0.6 * plane.extent).sum() >= 3
    if below < HANGING:
        return bool(flat > 0.3 or (many and flat > 0.1))
    return bool(flat > 0.2 and many and plane.normal @ up > UPRIGHT)


def _walls(plane: Plane, planes: list[Plane], share: float) -> list[Plane]:
    """The planes steep to one, and wider than a share of its width."""
    steep = [other for other in planes if abs(other.normal @ plane.normal) < STEEP]
    return [other for other in steep if other.extent > share * plane.extent]


def _rises(wall: Plane, plane: Plane, surfels: Surfels) -> bool:
    """Whether most of a wall is above a plane; legs of a table in a row are below."""
    return bool((surfels.points[wall.inliers] @ plane.normal > plane.offset).mean() > 0.5)


def _larger(plane: Plane, planes: list[Plane]) -> list[Plane]:
    return [other for other in planes if other.extent > 1.3 * plane.extent]


def _any_of(planes: list[Plane], surfels: Surfels) -> Flags:
    """The surfels that lie in any of some planes."""
    inliers = np.zeros(len(surfels.points), dtype=bool)
    for plane in planes:
        inliers |= plane.inliers
    return inliers


# ---- tabletop


@dataclass(frozen=True, eq=False)
class Tabletop:
    """A table's surface as a grid of cells."""

    low: Floats  # x and y of the grid's corner
    cell: float  # edge of a cell
    # (x, y) the median height in each cell; NaN where there is no table, or too near to what stands on it
    height: Floats
    smooth: Floats  # (x, y) the same, smoothed over a few cells and carried on below what stands on it
    tall: NDArray[np.bool_]  # (x, y) bool, where something stands

    @classmethod
    def of(cls, samples: Floats, cell: float, reach: float) -> Tabletop:
        """The surface among samples in a frame in which it is about z = 0, within a reach."""
        near = np.abs(samples[:, 2]) < reach
        low = samples[near, :2].min(axis=0)
        steps = np.floor((samples[:, :2] - low) / cell)
        shape = np.minimum(np.ptp(samples[near, :2], axis=0) / cell + 1, 4000).astype(np.int64)
        inside = ((steps >= 0) & (steps < shape)).all(axis=1)
        flat = steps[inside].astype(np.int64) @ np.array([shape[1], 1])
        z = samples[inside, 2]
        cells = int(shape.prod())
        tall = np.bincount(flat[z > reach], minlength=cells) > 0
        table = np.abs(z) < reach
        count = np.bincount(flat[table], minlength=cells)
        height = np.full(cells, np.nan)
        order = np.lexsort((z[table], flat[table]))
        filled = np.flatnonzero(count)
        starts = np.cumsum(count[filled]) - count[filled]
        ordered, number = z[table][order], count[filled]
        height[filled] = (ordered[starts + (number - 1) // 2] + ordered[starts + number // 2]) / 2
        # Where a piece meets the table the scan rounds the corner, over two cells at most.
        shy = ndimage.binary_dilation(tall.reshape(shape), np.ones((3, 3)), iterations=2)
        enough = (count >= max(3, 0.25 * np.median(count[filled]))).reshape(shape)
        height = np.where(~shy & enough, height.reshape(shape), np.nan)
        return cls(low, cell, height, _smoothed(height), tall.reshape(shape))

    def rough(self) -> float:
        """How far the cells lie from the plane."""
        return deviation(self.height[np.isfinite(self.height)])

    def plane(self) -> Floats:
        """(4, 4): to the frame in which the plane of best fit is z = 0 (Tukey's weights)."""
        has_height = np.isfinite(self.height)
        x, y = (np.argwhere(has_height) + 0.5).T * self.cell + self.low[:, None]
        z = self.height[has_height]
        a = np.stack([x, y, np.ones_like(x)], axis=1)
        fit = np.array([0.0, 0.0, _commonest(z)])
        for _ in range(10):
            rest = z - a @ fit
            far = max(4.685 * 1.4826 * float(np.median(np.abs(rest))), 1e-6 * self.cell)
            weight = np.maximum(0, 1 - (rest / far) ** 2) ** 2
            fit = np.linalg.lstsq(a * np.sqrt(weight)[:, None], z * np.sqrt(weight), rcond=None)[0]
        normal = np.array([-fit[0], -fit[1], 1.0]) / np.sqrt(fit[0] ** 2 + fit[1] ** 2 + 1)
        return frame(normal, float(normal[2] * fit[2]))

    def step(self) -> tuple[float, float] | None:
        """Where the surface has two heights, as a mat on a larger table: that of the one in use, and half the step.

        Two planes of one direction are fitted, each cell to the nearer. They are two heights where that leaves next to
        nothing: a warp leaves much, as it has all heights between. The one in use is that where more things stand.
        """
        has_height = np.isfinite(self.height)
        z = self.height[has_height]
        if len(z) < 50:
            return None
        x, y = (np.argwhere(has_height) - np.array(self.height.shape) / 2).T / max(self.height.shape)
        upper = z > (np.percentile(z, 10) + np.percentile(z, 90)) / 2
        for _ in range(12):
            if not 0.1 < upper.mean() < 0.9:
                return None
            a = np.stack([x, y, upper, ~upper], axis=1).astype(np.float64)
            fit = np.linalg.lstsq(a, z, rcond=None)[0]
            upper = z - a[:, :2] @ fit[:2] > (fit[2] + fit[3]) / 2
        rest = z - a @ fit
        half = float(fit[2] - fit[3]) / 2
        spread = float(np.percentile(np.abs(rest), 90))
        if not spread < 0.25 * half:
            return None
        used = np.zeros(self.height.shape)
        used[has_height] = np.where(upper, 1.0, -1.0)
        beside = ndimage.binary_dilation(self.tall, np.ones((3, 3)), iterations=4) & has_height
        votes = used[beside].sum() if beside.any() else used.sum()
        return float(fit[2] if votes >= 0 else fit[3]), half

    def rest(self, points: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """The heights of points above the smooth surface, and whether they lie over the grid."""
        steps = np.floor(np.nan_to_num((points[:, :2] - self.low) / self.cell, nan=-1.0, posinf=-1.0, neginf=-1.0))
        inside = ((steps >= 0) & (steps < self.height.shape)).all(axis=1)
        inside = np.asarray(inside)
        at = np.where(inside[:, None], steps, 0).astype(np.int64)
        return points[:, 2] - self.smooth[at[:, 0], at[:, 1]], inside

    def flatness(self) -> float:
        """The standard deviation of the smooth surface where the table is seen."""
        has_height = np.isfinite(self.height)
        return float(self.smooth[has_height].std()) if has_height.any() else 0.0


def _commonest(values: Floats) -> float:
    """The middle of the half of the values that lies closest together, halved again and again (half-sample mode)."""
    values = np.sort(values)
    while len(values) > 3:
        half = (len(values) + 1) // 2
        first = int(np.argmin(values[half - 1 :] - values[: len(values) - half + 1]))
        values = values[first : first + half]
    return float(values.mean())


def _smoothed(height: Floats) -> Floats:
    """A grid of heights smoothed over about three cells, the unknown ones filled from around."""
    has_height = np.isfinite(height)
    filled, weight = np.where(has_height, height, 0.0), has_height.astype(np.float64)
    smooth = np.zeros_like(height)
    done = np.zeros_like(has_height)
    for sigma in (2.5, 5.0, 10.0, 20.0):
        share = ndimage.gaussian_filter(weight, sigma, mode="constant")
        part = ndimage.gaussian_filter(filled, sigma, mode="constant") / np.maximum(share, 1e-12)
        fresh = ~done & (share > 0.1)
        smooth[fresh] = part[fresh]
        done |= fresh
    return smooth


def frame(normal: Floats, offset: float) -> Floats:
    """(4, 4): to a frame in which a plane is z = 0 and its normal z."""
    to_level = np.eye(4)
    to_level[:3, :3] = np.vstack([axes_in(normal), normal])
    to_level[2, 3] = -offset
    return to_level


def moved(to_level: Floats, points: Floats) -> Floats:
    """Points (n, 3) taken into another frame by a matrix (4, 4)."""
    return np.asarray(points @ to_level[:3, :3].T + to_level[:3, 3])


def deviation(values: Floats) -> float:
    """The standard deviation of a normal distribution with the same median distance from its median."""
    return float(1.4826 * np.median(np.abs(values - np.median(values)))) if len(values) else 0.0
