"""COUNT: the parts of a target's faces in cells, and whether surfaces cover them, in float64 and without rays.

What is left when cells are too coarse a net lies where the target ends next to what hides it, or where contours
cross. A part of one face in one cell is convex, as a cell is, and has the same proof; contours that only touch it do
not count.

    +--------+           ______ a wall's top, and the target's top at the same height
    |        |          |______
    |---___  |          |      |  region: the cell without what lies above the target
    |//////--|          |//////|
    +--------+          +------+
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from silhouette.common.geometry import Flags, Floats, spread
from silhouette.measure.cells import Grid, among
from silhouette.measure.contours import Contours, Placed
from silhouette.measure.patches import boxes_between
from silhouette.measure.strips import RIM, Pieces, open_contours
from silhouette.meshes.clusters import Indices
from silhouette.renderers.protocol import NEAREST_DEPTH_MM

DOUBT = 1e-6
"""Pixels: what float64 may be off in the largest picture, a hundred times over; what overlaps by less only touches."""


@dataclass(frozen=True, eq=False)
class Regions:
    """Convex parts of cells."""

    grid: Grid  # of the cells
    pair: Indices  # (n,) which of the given pairs of a cell and a triangle each is
    cell: Indices  # (n,) the cell that it is a part of
    corners: Floats  # (2, n, 7) the corners in order, the last one as often as there is room
    middle: Floats  # (2, n) a place inside
    area: Floats  # (n,) pixels
    least: Floats  # (n,) mm, a lower bound of the target's depth there

    @classmethod
    def of(cls, grid: Grid, cell: Indices, triangles: Floats, inverse: Floats, least: Floats) -> Regions:
        """The parts of cells (n,) in triangles (2, n, 3), or the whole of them where a corner is nan.

        Parts without area are left out: they are neither seen nor hidden. ``inverse`` (n, 3) is 1 / depth at the
        corners of the triangles, ``least`` (n,) a lower bound of the depth of each.
        """
        low = grid.corners(cell)
        whole: Flags = np.any(np.isnan(triangles), axis=(0, 2))
        square = low[:, :, None] + grid.size * np.array([[0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0]])[:, None]
        corners = np.where(whole[:, None], square[:, :, [0, 1, 2, 3, 3, 3, 3]], triangles[:, :, [0, 1, 2, 2, 2, 2, 2]])
        for axis in (0, 1):
            corners = _beyond(corners, axis, low[axis], 1.0)
            corners = _beyond(corners, axis, low[axis] + grid.size, -1.0)
        x, y = corners - corners[:, :, :1]
        area = np.abs((x[:, :-1] * y[:, 1:] - x[:, 1:] * y[:, :-1]).sum(axis=1)) / 2.0
        extent = np.ptp(corners, axis=2).max(axis=0)
        kept = np.flatnonzero(area > DOUBT * extent)
        corners = corners[:, kept]
        nearest = 1.0 / _greatest(triangles[:, kept], inverse[kept], corners)
        least = np.fmax(least[kept], nearest * (1.0 - 1e-9))
        return cls(grid, kept, cell[kept], corners, corners.mean(axis=2), area[kept], least)

    @classmethod
    def whole(cls, grid: Grid, cells: Indices) -> Regions:
        """Cells as they are, whatever of the target is in them."""
        unknown = np.full((2, len(cells), 3), np.nan)
        return cls.of(grid, cells, unknown, unknown[0], np.zeros(len(cells)))

    def window(self) -> Floats:
        """Lowest and highest column, lowest and highest row of their cells, with a margin, in pixels."""
        return self.grid.window(self.cell, min(self.grid.size, 1.0))

    def chosen(self, which: Flags | Indices) -> Regions:
        """Those of them chosen by flags or numbers."""
        return Regions(
            self.grid,
            self.pair[which],
            self.cell[which],
            self.corners[:, which],
            self.middle[:, which],
            self.area[which],
            self.least[which],
        )


def _greatest(triangles: Floats, values: Floats, places: Floats) -> Floats:
    """(n,) the greatest value at places (2, n, k) of what is linear over triangles, given (n, 3) at their corners."""
    steps, rises = triangles[:, :, 1:] - triangles[:, :, :1], values[:, 1:] - values[:, :1]
    area = steps[0, :, 0] * steps[1, :, 1] - steps[0, :, 1] * steps[1, :, 0]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        by_x = (rises[:, 0] * steps[1, :, 1] - rises[:, 1] * steps[1, :, 0]) / area
        by_y = (steps[0, :, 0] * rises[:, 1] - steps[0, :, 1] * rises[:, 0]) / area
        x, y = places - triangles[:, :, :1]
        greatest: Floats = (values[:, :1] + by_x[:, None] * x + by_y[:, None] * y).max(axis=1)
    return np.where(greatest > 0.0, greatest, np.nan)


def _beyond(corners: Floats, axis: int, bound: Floats, keep: float) -> Floats:
    """Convex shapes, (2, n, 7) corners, without what is below (``keep`` is 1) or above (-1) bounds on an axis."""
    after = np.roll(corners, -1, axis=2)
    at, at_after = keep * (corners[axis] - bound[:, None]), keep * (after[axis] - bound[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        cut = corners + at / (at - at_after) * (after - corners)
    cut[axis] = bound[:, None]
    crosses = (at >= 0.0) != (at_after >= 0.0)
    inside = (at >= 0.0) & (corners != after).any(axis=0)
    both = np.stack([corners, cut], axis=3).reshape(2, len(bound), 14)
    kept = np.stack([inside, crosses], axis=2).reshape(len(bound), 14)
    order = np.argsort(~kept, axis=1, kind="stable")
    count = kept.sum(axis=1)
    order = np.take_along_axis(order, np.minimum(np.arange(7), np.maximum(count - 1, 0)[:, None]), axis=1)
    shape = np.take_along_axis(both, np.broadcast_to(order, (2, *order.shape)), axis=2)
    return np.where((count > 0)[:, None], shape, 0.0)


def uncovered(found: Contours, surfaces: Surfaces, regions: Regions, far: float) -> Flags:
    """(n,) whether it is not proven that surfaces nearer than a depth, with these contours, cover a region."""
    cells, place = np.unique(regions.cell, return_inverse=True)
    grid = regions.grid
    found = replace(found, doubt=np.full_like(found.doubt, DOUBT))
    cell_of_surfaces = surfaces.places(grid, cells)

    def cover(places: Floats, cell: Indices) -> Flags:
        return surfaces.cover(places, cell_of_surfaces[cell], far)

    left = ~cover(regions.middle, place)
    line, cell = grid.of_lines(found.start, found.end, (RIM + 2.0) * found.width)
    line, cell = among(cells, cell, line)
    # All lines in the cell of each region.
    order = np.argsort(cell, kind="stable")
    first = np.searchsorted(cell[order], np.arange(len(cells) + 1))
    tried = np.flatnonzero(~left)
    entry, number = spread(first[place[tried]], (first[1:] - first[:-1])[place[tried]])
    line, number = line[order[entry]], tried[number]
    enter, leave = _inside(found, line, regions, number, np.full(len(line), -DOUBT))
    through = enter < leave
    failing = np.zeros(len(left), dtype=np.bool_)
    bad = through.copy()
    bad[through] = found.reach(line[through], regions.middle[:, number[through]]) > -DOUBT
    failing[number[bad]] = True
    doubtful = np.flatnonzero(failing)
    chosen = failing[number]
    position = np.searchsorted(doubtful, number[chosen])
    line, number, through = line[chosen], number[chosen], through[chosen]
    enter, leave = _inside(found, line, regions, number, RIM * found.width[line])
    pieces = Pieces.of(found, line, position, enter, leave)
    is_open = open_contours(
        found,
        pieces,
        line,
        position,
        len(doubtful),
        lambda places, own: cover(places, place[doubtful[own]]),
        through,
    )
    left[doubtful[is_open]] = True
    return left


def _inside(found: Contours, line: Indices, regions: Regions, number: Indices, rim: Floats) -> tuple[Floats, Floats]:
    """Which shares of lines lie inside regions with a rim, pixels: from, to; none where not in that order."""
    start, way = found.start[:, line], (found.end - found.start)[:, line]
    corners = regions.corners[:, number]
    enter, leave = np.zeros(len(line)), np.ones(len(line))
    middle = regions.middle[:, number]
    for corner in range(7):
        side = corners[:, :, (corner + 1) % 7] - corners[:, :, corner]
        length = np.hypot(side[0], side[1])
        inward = np.stack([-side[1], side[0]]) / np.where(length > 0.0, length, 1.0)
        inward *= np.sign((inward * (middle - corners[:, :, corner])).sum(axis=0))
        at = (inward * (start - corners[:, :, corner])).sum(axis=0) + rim
        change = (inward * way).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = -at / change
        real = length > 0.0
        enter = np.where(real & (change > 0.0), np.maximum(enter, share), enter)
        leave = np.where(real & (change < 0.0), np.minimum(leave, share), leave)
        leave = np.where(real & (change == 0.0) & (at < 0.0), -1.0, leave)
    return enter, leave


@dataclass(frozen=True, eq=False)
class Surfaces:
    """Faces in pairs with cells that they touch.

    A place d = (column, row, 1) is inside a face a, b, c before the eye where all of d·(b × c), d·(c × a) and d·(a ×
    b) have the sign of the volume a·(b × c); the face's depth is the volume over their sum.
    """

    sides: Floats  # (9, m) the three products' factors, with the sign of the volume
    volumes: Floats  # (m,) above zero
    face: Indices  # (n,) which of them, by cell
    first: Indices  # (cells + 1,) where each cell's faces begin
    grid: Grid  # of the cells
    cells: Indices  # ascending

    @classmethod
    def of(cls, placed: Sequence[Placed], grid: Grid, cells: Indices, far: float) -> Surfaces:
        """The faces of all bodies that touch cells, and reach nearer than a depth."""
        window = grid.window(cells, 1.0)
        several = []
        for one in placed:
            faces = one.faces_of(np.flatnonzero(one.within(window, NEAREST_DEPTH_MM, far)))
            faces = faces[one.facing(faces) != 0]
            several.append(one.points(one.clusters.corners.take(faces, axis=0)))
        points = np.concatenate(several, axis=1)
        low, high = boxes_between(points, NEAREST_DEPTH_MM, far)
        near = (low <= window[[1, 3], None]).all(axis=0) & (high >= window[[0, 2], None]).all(axis=0)
        points, low, high = points[:, near], low[:, near] - 1.0, high[:, near] + 1.0
        pairs = [(np.empty(0, np.int64), np.empty(0, np.int64))]
        begin = grid.corners(cells)
        for start in range(0, len(cells), 64):
            x, y = begin[:, start : start + 64]
            touch = (low[0] <= x[:, None] + grid.size) & (high[0] >= x[:, None])
            touch &= (low[1] <= y[:, None] + grid.size) & (high[1] >= y[:, None])
            cell, face = touch.nonzero()
            pairs.append((cell + start, face))
        cell, face = (np.concatenate(part) for part in zip(*pairs, strict=True))
        used, face = np.unique(face, return_inverse=True)
        a, b, c = points[:, used].transpose(2, 1, 0)
        sides = np.concatenate([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
        volumes = np.einsum("ij,ij->i", a, sides[:, :3])
        sides = np.ascontiguousarray((sides * np.sign(volumes)[:, None]).T)
        first = np.searchsorted(cell, np.arange(len(cells) + 1))
        return cls(sides, np.abs(volumes), face, first, grid, cells)

    def places(self, grid: Grid, cells: Indices) -> Indices:
        """(n,) the places in the list of the cells of which those of a finer grid are pieces."""
        factor = round(self.grid.size / grid.size)
        return np.searchsorted(self.cells, self.grid.parents(cells, factor))

    def cover(self, places: Floats, cell: Indices, far: float) -> Flags:
        """(n,) whether a face nearer than a depth is at places (2, n) in cells or beside them."""
        entry, number = spread(self.first[cell], self.first[cell + 1] - self.first[cell])
        face = self.face[entry]
        total = np.zeros(len(face))
        for side in range(0, 9, 3):
            x, y = places[:, number]
            weight = self.sides[side].take(face) * x + self.sides[side + 1].take(face) * y
            weight += self.sides[side + 2].take(face)
            inside = weight >= 0.0
            total, face, number = (total + weight)[inside], face[inside], number[inside]
        volume = self.volumes[face]
        inside = (volume < total * far) & (volume > total * NEAREST_DEPTH_MM)
        covered = np.zeros(len(cell), dtype=np.bool_)
        covered[number[inside]] = True
        return covered
