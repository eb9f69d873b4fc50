"""SCAN: which of a scan's large planes is the table, and which side of it is up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Floats
from silhouette.scans.planes import Plane, seen_from
from silhouette.scans.surfels import Surfels

PARALLEL = float(np.cos(np.radians(5.0)))
"""Cosine of the angle up to which planes count as parallel: a floor and a table differ by less, and so do fits."""

UPRIGHT = float(np.cos(np.radians(35.0)))
"""Cosine of the angle up to which a direction is the file's upright: a phone knows it within a few degrees, people turn
scans by quarter turns."""


@dataclass(frozen=True, eq=False)
class Table:
    """The plane taken for the table.

    Attributes:
        plane: its normal is up.
        sure: whether the side that is up is beyond doubt.
    """

    plane: Plane
    sure: bool


def table_among(planes: list[Plane], surfels: Surfels, up: Floats) -> Table | None:
    """The table among the planes of a scan, or None where none of them is one.

    First the direction (of planes of one direction the ones that bear most things, large and near the file's upright
    ``up``), then the side, then the height: what has a table on it is the floor, and what stands on a table is a roof.
    """
    if not planes:
        return None
    likely = max(planes, key=lambda plane: plane.area * (1 + min(len(plane.things), 6)) * _likeness(plane.normal, up))
    group = [plane for plane in planes if abs(plane.normal @ likely.normal) > PARALLEL]
    votes = _votes_for_side(group, likely.normal, surfels, up)
    normal = likely.normal if votes >= 0 else -likely.normal
    stack = [found for plane in group if (found := _turned(plane, normal, surfels)) is not None]
    stack.sort(key=lambda plane: _height(plane, normal))
    chosen = _storey(stack, normal, surfels)
    if not _is_table(chosen, surfels):
        return None
    return Table(chosen, abs(votes) >= 1.0)


def _likeness(normal: Floats, up: Floats) -> float:
    """How much a direction looks like the upright of a file: its own axis, the other usual one, or any."""
    if abs(normal @ up) > UPRIGHT:
        return 1.0
    other = np.array([0.0, up[2], up[1]])
    return 0.5 if abs(normal @ other) > UPRIGHT else 0.25


def _votes_for_side(group: list[Plane], normal: Floats, surfels: Surfels, up: Floats) -> float:
    """Above 0 where a normal of parallel planes is up, below where the opposite one is.

    What stands on one side counts 2 (all of it on one side, and more than 1 % of the scan: less may be noise), the
    side that the scan says is out 2, the file's upright 1.
    """
    signs = [1.0 if plane.normal @ normal > 0 else -1.0 for plane in group]
    above = sum(sign * (plane.above - plane.below) for plane, sign in zip(group, signs, strict=True))
    beside = sum(plane.above + plane.below for plane in group)
    mass = above / max(beside, 0.01 * len(surfels.points))
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
    """Of a plane's middle along a direction."""
    return float(plane.middle @ normal)


def _storey(stack: list[Plane], normal: Floats, surfels: Surfels) -> Plane:
    """The table among parallel planes, the lowest first: one goes up from each floor to the table that stands on it.

    From the lowest plane on, each higher one that is a table standing on it takes its place.
    """
    seen = [plane for plane in stack if plane.facing > -0.5] or stack  # undersides face down
    chosen = seen[0]
    for plane in seen[1:]:
        higher = _height(plane, normal) - _height(chosen, normal)
        if higher < 2 * surfels.cell:
            chosen = max(chosen, plane, key=lambda one: one.area)
        elif _stands_as_table(plane, chosen, higher, surfels):
            chosen = plane
    return chosen


def _stands_as_table(plane: Plane, ground: Plane, higher: float, surfels: Surfels) -> bool:
    """Whether a plane over another one is a table on a floor, and not the roof of a building on a table.

    ::

          ___________ plane                   A roof has walls under its rim; under that of a table one sees legs, or
         |  |     |  |                        nothing. What stands about on a floor (chairs) is tall beside what stands
       __|__|_____|__|___ ground              on the table; what stands on a table beside a roof is as tall as on it.
    """
    if plane.extent > 0.97 * ground.extent:
        return True  # what is below is the table's underside, a shelf or a step: a roof is smaller than what bears it
    if plane.area < 0.05 * ground.area:
        return False
    flat = surfels.points @ ground.axes.T
    over = ((surfels.points @ plane.axes.T) @ plane.hull[:, :2].T + plane.hull[:, 2] < 3 * surfels.cell).all(axis=1)
    height = surfels.points @ ground.normal - ground.offset
    beside = ~over & (height > 2 * surfels.cell) & ((flat @ ground.hull[:, :2].T + ground.hull[:, 2]) < 0).all(axis=1)
    walled = _walled(plane, higher, surfels)
    others = ground.things_among(surfels, beside)
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


def _is_table(plane: Plane, surfels: Surfels) -> bool:
    """Whether a plane is a table: it reaches under most of what stands on or over it, and no body hangs under it.

    A single object has flat sides too, but either they are small beside it, or (a roof) its walls go down all round.
    """
    height = surfels.points @ plane.normal - plane.offset
    across = ((surfels.points @ plane.axes.T) @ plane.hull[:, :2].T + plane.hull[:, 2]).max(axis=1)
    over = height > -2 * surfels.cell
    held = (across[over] < 3 * surfels.cell).mean()
    deep = 0.12 * plane.extent
    hanging = _walled(plane, deep / 0.5, surfels) and not len(plane.things)
    return bool(held > 0.7 and plane.area > 0.1 * over.sum() and not hanging)
