"""RELATE: how much of a surface's facing side is seen from some of many eyes: whether it is fully visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Flags, Floats
from silhouette.relations.looks import PIXEL, observed
from silhouette.relations.measured import Measured
from silhouette.relations.obstacles import Blocker, Indices, Obstacles
from silhouette.relations.points import PointSet
from silhouette.relations.rays import meets
from silhouette.time_limit import go_on

RESOLUTION = 0.5
"""mm: by default no point of the surface is farther from a sample."""

SAMPLES = 20_000
"""A larger surface is sampled more coarsely."""

BEFORE = 0.02
"""mm before a sample at which a line from the eye ends, so that it does not meet the sample's own face."""

PROVEN_EYES = 8
"""Of up to so many eyes it is asked whether it is proven that nothing is obscured."""

FEWEST = 3.0
"""Samples in whose number the error is stated at least: of so many that all agree one may be expected not to."""

DEVIATIONS = 3.0
"""Standard deviations that the error of a share is."""

LINES_AT_ONCE = 200_000


CLEAR = 0.02
"""The sine of the angle from a face above which it is clear without a ray whether a convex surface turns it to an eye.

`BEFORE` times this is ten times what a ray in float32 is off by.
"""


@dataclass(frozen=True, eq=False)
class _Cells:
    """Small triangles of a surface.

    Attributes:
        middle: (n, 3) mm, world.
        area: (n,) mm².
        normal: (n, 3) of length 1, outward where the surface is; 0 of one without area.
    """

    middle: Floats
    area: Floats
    normal: Floats


def share_visible(
    eyes: Floats, target: PointSet, blockers: Sequence[Blocker], *, resolution: float = RESOLUTION
) -> Measured:
    """The share of a surface's facing side that is seen from some eye.

    The facing side is what would be seen from some eye, by area of the surface, if nothing but the surface itself
    stood in the way. Of it counts what some eye sees past the blockers; different eyes may see different parts. The
    surface is cut into small triangles, the middle of each of which is looked at. The error is three standard
    deviations of as many middles drawn at random, which spread less evenly, and no less than that of three triangles:
    an estimate, but for 0 and 1 that are proven, whose error is 0.

    Args:
        eyes: (n, 3) mm, world.
        target: a set with a surface.
        blockers: pieces with the part of each that blocks; the target is none of them.
        resolution: mm: no point of the surface is farther from such a middle; coarser where it would take too many.

    Returns:
        The share, 1 where nothing faces an eye; ``by`` the pieces that obscure most of it, the most telling first;
        ``lines`` has one that leads from an eye to the middle of what is seen.

    Raises:
        ValueError: where the target has no surface.
    """
    eyes = np.asarray(eyes, dtype=np.float64).reshape(-1, 3)
    if target.mesh is None:
        raise ValueError(f"the point set '{target.name}' has no surface to look at")
    cells = _cells(target, resolution)
    around = np.array([eyes.min(axis=0), eyes.max(axis=0)])
    obstacles = Obstacles(blockers, (around, target.box), 0.0)
    facing, by_whom = _faced_and_seen(eyes, cells, target, obstacles)
    seen = by_whom >= 0
    total = float(cells.area[facing].sum())
    if total == 0.0:
        return Measured(1.0)
    share = float(cells.area[seen].sum()) / total
    by = () if seen.sum() == facing.sum() else _blocking(eyes, cells.middle[facing & ~seen], obstacles)
    lines = _line_to_the_middle(eyes, cells.middle[seen], by_whom[seen])
    if share in (0.0, 1.0) and _is_proven(eyes, target, obstacles, share):
        return Measured(share, lines=lines, by=by)
    weight = cells.area[facing] / total
    spread = np.sqrt(share * (1.0 - share) * float((weight**2).sum()))
    error = max(DEVIATIONS * spread, FEWEST / int(facing.sum()))
    return Measured(share, min(error, max(share, 1.0 - share)), lines, by)


def _line_to_the_middle(eyes: Floats, seen: Floats, by_whom: Indices) -> Floats:
    """(1, 2, 3) the line to the cell nearest to the middle of all that are seen (n, 3), or (0, 2, 3) without any."""
    if len(seen) == 0:
        return np.zeros((0, 2, 3))
    nearest = int(np.linalg.norm(seen - seen.mean(axis=0), axis=1).argmin())
    return np.array([[eyes[by_whom[nearest]], seen[nearest]]])


def _faced_and_seen(eyes: Floats, cells: _Cells, target: PointSet, obstacles: Obstacles) -> tuple[Flags, Indices]:
    """(n,) of each cell whether it faces an eye, and the number of an eye that sees it, -1 where none does."""
    facing, by_whom = np.zeros(len(cells.middle), dtype=np.bool_), np.full(len(cells.middle), -1, dtype=np.intp)
    at_once = max(1, LINES_AT_ONCE // len(cells.middle))
    assert target.mesh is not None
    for first in range(0, len(eyes), at_once):
        go_on()
        some, open_ = eyes[first : first + at_once], np.flatnonzero(by_whom < 0)
        if len(open_) == 0:
            break
        number, cell = np.repeat(np.arange(len(some)), len(open_)), np.tile(open_, len(some))
        surely = _surely(some, cells, open_) if target.convex else np.zeros(len(cell))
        number, cell, faces = number[surely >= 0.0], cell[surely >= 0.0], surely[surely >= 0.0] > 0.0
        eye = some[number]
        way = cells.middle[cell] - eye
        length = np.linalg.norm(way, axis=1, keepdims=True)
        ends = eye + way * np.maximum(0.0, 1.0 - BEFORE / np.maximum(length, 1e-300))
        lines = np.stack([eye, ends], axis=1)
        faces[~faces] = ~meets(target.mesh, target.pose, lines[~faces])
        facing[cell[faces]] = True
        free = faces.nonzero()[0]
        free = free[~obstacles.blocked(lines[free])]
        by_whom[cell[free]] = first + number[free]
    return facing, by_whom


def _surely(eyes: Floats, cells: _Cells, which: Indices) -> Floats:
    """(n m,) whether m cells of a convex surface face eyes (n, 3), eye by eye: 1 for yes, -1 for no, else 0."""
    normal, middle = cells.normal[which], cells.middle[which]
    height = eyes @ normal.T - np.einsum("ij,ij->i", normal, middle)
    square = sum((eyes[:, axis, None] - middle[:, axis]) ** 2 for axis in range(3))
    clear = height * height > CLEAR**2 * square
    surely: Floats = np.where(clear, np.sign(height), 0.0).ravel()
    return surely


def _cells(target: PointSet, resolution: float) -> _Cells:
    """The surface in small triangles, no point of which is farther than ``resolution`` from the middle of its own."""
    corners = target.corners
    edges = np.roll(corners, -1, axis=1) - corners
    longest = np.sqrt((edges**2).sum(axis=2)).max(axis=1)
    normals = np.cross(edges[:, 0], edges[:, 1])
    areas = np.linalg.norm(normals, axis=1) / 2
    normals = normals / np.maximum(2 * areas, 1e-300)[:, None]
    while True:
        # No point of a triangle is farther than 2/3 of its longest side from its middle.
        steps = np.maximum(1, np.ceil(longest * (2.0 / 3.0) / resolution)).astype(np.int64)
        if (steps**2).sum() <= max(SAMPLES, len(corners)):
            break
        resolution *= 1.2
    middles, sizes, turned = list[Floats](), list[Floats](), list[Floats]()
    for count in np.unique(steps).tolist():
        chosen: Indices = np.flatnonzero(steps == count)
        i, j = (index.ravel() for index in np.indices((count, count)))
        upward = np.stack([i + 1 / 3, j + 1 / 3], axis=1)[i + j < count]
        downward = np.stack([i + 2 / 3, j + 2 / 3], axis=1)[i + j < count - 1]
        two = np.concatenate([upward, downward]) / count
        weights = np.column_stack([two, 1.0 - two.sum(axis=1)])
        middles.append(np.einsum("wc,mcx->mwx", weights, corners[chosen]).reshape(-1, 3))
        sizes.append(np.repeat(areas[chosen] / count**2, len(weights)))
        turned.append(np.repeat(normals[chosen], len(weights), axis=0))
    return _Cells(np.concatenate(middles), np.concatenate(sizes), np.concatenate(turned))


def _is_proven(eyes: Floats, target: PointSet, obstacles: Obstacles, share: float) -> bool:
    """Whether it is proven that each eye sees nothing, for a share of 0, or that nothing is obscured from any."""
    if len(obstacles.pairs) == 0:
        return share == 1.0
    if len(eyes) > PROVEN_EYES:
        return False
    looks = (look for eye in eyes for look in observed(eye[None], target, obstacles.pairs, PIXEL * 4))
    if share == 0.0:
        return all(look.counts.seen == 0 and look.decided_by == "proof" for look in looks)
    return all(look.counts.occluded == 0 and look.counts.error == 0.0 for look in looks)


def _blocking(eyes: Floats, hidden: Floats, obstacles: Obstacles) -> tuple[str, ...]:
    """The names of the pieces that stand before what is hidden (n, 3), those that hide most from the eyes first."""
    generator = np.random.default_rng(1)
    some = hidden[generator.integers(0, len(hidden), 1024)]
    lines = np.stack([eyes[generator.integers(0, len(eyes), 1024)], some], axis=1)
    met = [int(obstacles.blocked_by(number, lines).sum()) for number in range(len(obstacles.names))]
    order = sorted((number for number, count in enumerate(met) if count), key=lambda number: -met[number])
    return tuple(dict.fromkeys(obstacles.names[number] for number in order))
