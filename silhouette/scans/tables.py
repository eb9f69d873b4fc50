"""SCAN: which of a scan's large planes is the table, and which side of it is up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.scans.planes import Plane, seen_from
from silhouette.scans.surfels import Surfels

PARALLEL = float(np.cos(np.radians(5.0)))
"""Cosine of the angle up to which planes count as parallel: a floor and a table differ by less, and so do fits."""

STEEP = float(np.cos(np.radians(60.0)))  # cosine of the angle to the table's normal from which on a plane is a wall
HANGING = 0.12  # the share of a scan that hangs below a table at most: a rim of 15 mm round a table of 600 mm is 0.09

UPRIGHT = float(np.cos(np.radians(35.0)))
"""Cosine of the angle up to which a direction is the file's upright: a phone knows it within a few degrees, people turn
scans by quarter turns."""


@dataclass(frozen=True, eq=False)
class Table:
    """The plane taken for the table."""

    plane: Plane  # its normal is up
    sure: bool  # whether the side that is up is beyond doubt
    walls: list[Plane]  # planes that stand upright and are large: of the room, or a board behind


def table_among(planes: list[Plane], surfels: Surfels, up: Floats) -> Table | None:
    """The table among the planes of a scan, or None where none of them is one.

    First the direction (of planes of one direction the ones that bear most things, large and near the file's upright
    ``up``), then the side, then the height: what has a table on it is the floor, and what stands on a table is a roof.
    """
    if not planes:
        return None
    groups = [[other for other in planes if abs(other.normal @ plane.normal) > PARALLEL] for plane in planes]
    group = max(groups, key=lambda group: _weight(group) * _likeness(group[0].normal, up))
    likely = max(group, key=lambda plane: plane.area)
    votes = _votes_for_side(group, likely.normal, surfels, up)
    normal = likely.normal if votes >= 0 else -likely.normal
    stack = [found for plane in group if (found := _turned(plane, normal, surfels)) is not None]
    stack = [plane for plane in stack if plane.facing > -0.5] or stack  # undersides face down
    stack.sort(key=lambda plane: _height(plane, normal))
    chosen = _storey(stack, normal, surfels)
    if not _is_table(chosen, stack, planes, surfels, up):
        return None
    return Table(
        chosen, abs(votes) >= 0.5, [wall for wall in _walls(chosen, planes, 0.6) if _rises(wall, chosen, surfels)]
    )


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
    return seen_from(surfels, -plane.normal, -plane.offset, keep_side=True)


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
            chosen = plane if is_board else max(chosen, plane, key=lambda one: one.area)
        elif _stands_as_table(plane, chosen, higher, surfels):
            chosen = plane
    return chosen


def _bears_all(plane: Plane, ground: Plane, surfels: Surfels) -> bool:
    """Whether all that stands on a plane stands on another one a little higher, as on a board on a dining table."""
    if plane.area < 0.05 * ground.area or len(plane.things) < 3:
        return False
    return len(ground.things_among(surfels, _beside(plane, ground, surfels))) == 0


def _beside(plane: Plane, ground: Plane, surfels: Surfels) -> Flags:
    """The surfels that stand on a plane beside another one over it."""
    over = ((surfels.points @ plane.axes.T) @ plane.hull[:, :2].T + plane.hull[:, 2] < 3 * surfels.cell).all(axis=1)
    flat = surfels.points @ ground.axes.T
    height = surfels.points @ ground.normal - ground.offset
    inside = ((flat @ ground.hull[:, :2].T + ground.hull[:, 2]) < 0).all(axis=1)
    return np.asarray(~over & (height > 2 * surfels.cell) & inside)


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
        return plane.bears(surfels) > max(2, 2 * ground.bears(surfels))
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
    over = height > -2 * surfels.cell
    shadow = np.unique(np.floor(surfels.points[over] @ plane.axes.T / (2 * surfels.cell)), axis=0)
    if plane.extent**2 < 0.35 * len(shadow) * (2 * surfels.cell) ** 2:
        return False
    deep = _height(plane, plane.normal) - 0.15 * plane.extent
    if any(_height(other, plane.normal) < deep for other in lower):
        return True
    counted = ~_any_of(_walls(plane, planes, 1.3), surfels)
    upper = _any_of([other for other in stack if _height(other, plane.normal) > _height(plane, plane.normal)], surfels)
    flat = ((plane.inliers | upper) & counted).sum() / counted.sum()
    below = (~over & counted).sum() / counted.sum()
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
    found = np.zeros(len(surfels.points), dtype=bool)
    for plane in planes:
        found |= plane.inliers
    return found
