"""COUNT: the proof that nothing is before a target: that in its picture no surface is nearer than it, however small.

Bounds first, in cells of the picture: what is nowhere nearer than the farthest of the target in the same cell hides
nothing there. Then pairs of faces, exactly: in the picture both are triangles over which 1 / depth is linear, so that
where one is nearest before the other is at a corner of their overlap.

      o-------o
       \\  T   \\         corners of the overlap: corners of one inside the other, and crossings
     o---x-----x--o
      \\   \\   /  /       1 / depth is compared there
       \\    o   /
          O

A face that is before another face of the target may still hide nothing, where a third one of the target is nearer
than both: such places are asked to be covered by the target, as in `hidden`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.cells import Grid, among
from silhouette.measure.contours import Placed
from silhouette.measure.hidden import Unproven, first_grid
from silhouette.measure.patches import Patches, boxes_between
from silhouette.measure.separated import Planes
from silhouette.meshes.clusters import SIZE, Indices
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body
from silhouette.renderers.views import View

CUT = 4  # into how many, along each side, a cell is cut in which a bound is not enough

HASTY = 100
"""Where more faces are near to the hull of the eye and the target, a proof is not quick, and most often fails."""

PAIRS_AT_ONCE = 200_000  # pairs of faces that are compared at once, each some kilobyte

TOUCHING = 1e-7
"""Pixels: two triangles that overlap by less only touch; float64 is a hundred times as fine in the largest picture."""


def unproven_open(
    view: View,
    target: Body,
    blockers: Sequence[Body],
    thorough: bool = True,
    is_refuted: Callable[[Placed, Indices], bool] = lambda blocker, faces: False,
) -> Unproven:
    """Where in the picture it is not proven that no blocker is before the target.

    A surface is before another one where it is nearer by more than `NEAREST_DEPTH_MM`: what stands on a floor or leans
    on a wall only touches it.

    Args:
        view: a flat picture, or a face of a cube; what lies outside is not asked.
        target: of which nothing is to be obscured.
        blockers: what may obscure it.
        thorough: whether the faces that no plane separates from the target are compared with it where they are many.
        is_refuted: asked before what is dear, with a blocker and those of its faces: whether it is known that some of
            them are before the target.
    """
    if not blockers:
        return Unproven.joined([])
    grid = first_grid(view)
    behind = Placed.of(view, target)
    window = np.array([0.0, view.width, 0.0, view.height])
    seen = np.flatnonzero(behind.within(window, NEAREST_DEPTH_MM, np.inf))
    if len(seen) == 0:
        return Unproven.joined([])
    bounds = Patches.of_clusters(behind, seen)
    farthest = float(bounds.greatest.max())
    if np.isfinite(bounds.low).all():
        window[[0, 2]] = np.maximum(bounds.low.min(axis=1), 0.0)
        window[[1, 3]] = np.minimum(bounds.high.max(axis=1), window[[1, 3]])
    parts: list[Unproven] = []
    for blocker in blockers:
        before = Placed.of(view, blocker)
        planes = Planes.of(before, behind, seen)
        chosen = planes.clusters(before, np.flatnonzero(before.within(window, NEAREST_DEPTH_MM, farthest)))
        faces = planes.faces(before, before.faces_of(chosen))
        if len(faces) == 0:
            continue
        if (not thorough and len(faces) > HASTY) or is_refuted(before, faces):
            return Unproven.of(grid, np.arange(grid.count))
        parts.append(_compared(before, faces, behind, bounds, grid))
    return Unproven.joined(parts)


def _compared(before: Placed, faces: Indices, behind: Placed, bounds: Patches, grid: Grid) -> Unproven:
    """Where faces of a blocker may be before the target, ``behind``, of whose clusters these are the bounds."""
    near = Patches.of_faces(before, faces)
    near = near.chosen(near.least < bounds.greatest.max())
    beside = np.any((bounds.low > near.high.max(axis=1, initial=-np.inf)[:, None]), axis=0)
    beside |= np.any((bounds.high < near.low.min(axis=1, initial=np.inf)[:, None]), axis=0)
    patches = Patches.of(behind, grid, bounds.first[~beside] // SIZE)
    cells = np.flatnonzero(grid.touched(patches.low, patches.high) & grid.touched(near.low, near.high))
    if len(cells) == 0:
        return Unproven.of(grid, cells)
    return Unproven.of(*_by_bounds(_Pair(before, near), _Pair(behind, patches), grid, cells))


LARGEST = 1e8  # pixels: at places farther out float64 is not fine enough to tell touching from overlapping


@dataclass(frozen=True, eq=False)
class _Pair:
    """A body as the view sees it, and some of its patches."""

    placed: Placed
    patches: Patches

    def touching(self, grid: Grid, cells: Indices) -> tuple[_Pair, Indices, Indices]:
        """Its patches that touch cells, and pairs of them and of the places of these cells in the list."""
        patch, cell = grid.of_boxes(self.patches.low, self.patches.high)
        patch, place = among(cells, cell, patch)
        used, number = np.unique(patch, return_inverse=True)
        return _Pair(self.placed, self.patches.chosen(used)), number, place


def _by_bounds(before: _Pair, behind: _Pair, grid: Grid, cells: Indices) -> tuple[Grid, Indices]:
    """The cells in which a blocker may be before the target, by the bounds of clusters, then by those of faces."""
    before, patch, place = before.touching(grid, cells)
    behind, farthest = _farthest(behind, grid, cells)
    may_hide = before.patches.least[patch] < farthest[place] - NEAREST_DEPTH_MM
    before = _Pair(before.placed, before.patches.chosen(np.unique(patch[may_hide])))
    cells = cells[np.unique(place[may_hide])]
    too_near = cells[:0]
    for cut in (1, CUT):
        if len(cells) == 0:
            break
        if cut > 1:
            cells, grid, too_near = grid.children(cells, cut), grid.finer(cut), grid.children(too_near, cut)
            behind, farthest = _farthest(behind, grid, cells)
        else:
            farthest = farthest[np.unique(place[may_hide])]
        theirs, near = _Faces.of(before, grid, cells)
        too_near = np.union1d(too_near, near)
        hiding = theirs.least < farthest[theirs.place] - NEAREST_DEPTH_MM
        theirs, cells = theirs.chosen(hiding, cells)
    if len(cells):
        too_near = np.union1d(too_near, _by_faces(theirs, behind, grid, cells))
    return grid, too_near


def _farthest(behind: _Pair, grid: Grid, cells: Indices) -> tuple[_Pair, Floats]:
    """The patches of the target that touch cells, and an upper bound of its depth in each; -inf where it is not."""
    behind, patch, place = behind.touching(grid, cells)
    farthest = np.full(len(cells), -np.inf)
    np.maximum.at(farthest, place, behind.patches.greatest[patch])
    return behind, farthest


@dataclass(frozen=True, eq=False)
class _Faces:
    """Faces in the picture, in pairs with the cells that they touch."""

    # x, y: (m, 3) columns and rows of the corners
    x: Floats
    y: Floats
    inverse: Floats  # (m, 3) 1 / depth there
    face: Indices  # (n,) which of them
    place: Indices  # (n,) touches which cell of a list
    # least, greatest: (n,) mm, bounds of its depth in that cell
    least: Floats
    greatest: Floats

    @classmethod
    def of(cls, pair: _Pair, grid: Grid, cells: Indices) -> tuple[_Faces, Indices]:
        """The faces that touch cells, and the cells that their parts next to the eye may touch.

        Those parts are not cut exactly: their places in the picture are too large for float64.
        """
        near, _, _ = pair.touching(grid, cells)
        numbers = near.patches.faces()
        points = near.placed.points(near.placed.clusters.corners.take(numbers, axis=0))
        points = points[:, ~_edge_on(near.placed, numbers)]
        reach = float(np.linalg.norm(pair.placed.eye - pair.placed.clusters.middle)) + pair.placed.clusters.reach
        nearest = max(2.0 * NEAREST_DEPTH_MM, reach / pair.placed.step / LARGEST)
        is_near = (points[2] < nearest).any(axis=1)
        cut = _cut_nearer(points[:, is_near], nearest)
        window = grid.window(cells, grid.size)
        near_parts = points[:, np.flatnonzero(is_near)[~_cut_beyond(points[:, is_near], nearest, window)]]
        _, cell = grid.of_boxes(*boxes_between(near_parts, NEAREST_DEPTH_MM, nearest))
        (nearby,) = among(cells, cell)
        points = np.concatenate([points[:, ~is_near], cut], axis=1)
        inverse = 1.0 / points[2]
        x, y = points[0] * inverse, points[1] * inverse
        low = np.stack([x.min(axis=1), y.min(axis=1)])
        high = np.stack([x.max(axis=1), y.max(axis=1)])
        face, cell = grid.of_boxes(low, high)
        face, cell, place = among(cells, cell, face, cell)
        meets = grid.overlapping(np.stack([x, y]), face, cell)
        face, cell, place = face[meets], cell[meets], place[meets]
        least, greatest = _depths_in_cells(x, y, inverse, face, grid, cell)
        return cls(x, y, inverse, face, place, least, greatest), cells[nearby]

    def chosen(self, which: Flags, cells: Indices) -> tuple[_Faces, Indices]:
        """The pairs chosen, and the cells that are among them."""
        left, place = np.unique(self.place[which], return_inverse=True)
        pairs = self.face[which], place, self.least[which], self.greatest[which]
        return _Faces(self.x, self.y, self.inverse, *pairs), cells[left]


def _edge_on(placed: Placed, faces: Indices) -> Flags:
    """(n,) the faces that have no area in the picture: the eye is nearer to their planes than `NEAREST_DEPTH_MM`."""
    a, b, c = np.moveaxis(placed.clusters.vertices.take(placed.clusters.corners.take(faces, axis=0), axis=0), 1, 0)
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    edge_on: Flags = np.abs(np.einsum("ij,ij->i", normals, a - placed.eye)) <= NEAREST_DEPTH_MM * lengths
    return edge_on


def _cut_nearer(points: Floats, nearest: float) -> Floats:
    """(3, k, 3) triangles, in picture coordinates, that cover the parts of triangles (3, m, 3) beyond a depth."""
    far = points[2] >= nearest
    points, far = points[:, far.any(axis=1)], far[far.any(axis=1)]
    rows = np.arange(far.shape[0])
    lone = np.where(far.sum(axis=1) == 1, far.argmax(axis=1), (~far).argmax(axis=1))
    tip, first, second = (points[:, rows, (lone + turn) % 3] for turn in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        cuts = [tip + (nearest - tip[2]) / (other[2] - tip[2]) * (other - tip) for other in (first, second)]
    for cut in cuts:
        cut[2] = nearest
    tip_far = far[rows, lone]
    parts = [np.stack([part[:, tip_far] for part in (tip, cuts[0], cuts[1])], axis=2)]
    parts += [np.stack([part[:, ~tip_far] for part in (cuts[0], first, second)], axis=2)]
    parts += [np.stack([part[:, ~tip_far] for part in (cuts[0], second, cuts[1])], axis=2)]
    return np.concatenate(parts, axis=1)


def _cut_beyond(points: Floats, nearest: float, window: Floats) -> Flags:
    """(m,) whether triangles (3, m, 3) are cut at a depth, and the whole window lies beyond the line of the cut.

    A plane through the eye and two points P and Q, its normal P x Q, is a line of the picture.
    """
    near = points[2] < nearest
    rows = np.arange(points.shape[1])
    lone = np.where(near.sum(axis=1) == 1, near.argmax(axis=1), (~near).argmax(axis=1))
    tip, first, second = (points[:, rows, (lone + turn) % 3] for turn in range(3))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        cuts = [tip + (nearest - tip[2]) / (other[2] - tip[2]) * (other - tip) for other in (first, second)]
        normal = np.cross(cuts[0], cuts[1], axis=0)
        tip_side = (normal * tip).sum(axis=0)
        near_side = np.sign(np.where(near[rows, lone], tip_side, -tip_side))
        places = np.array([[x, y, 1.0] for x in window[:2] for y in window[2:]])
        beyond: Flags = (near_side * (places @ normal) < 0.0).all(axis=0) & near.any(axis=1) & ~near.all(axis=1)
    return beyond


def _depths_in_cells(
    x: Floats, y: Floats, inverse: Floats, face: Indices, grid: Grid, cell: Indices
) -> tuple[Floats, Floats]:
    """Bounds of the depths of faces in cells: their corners', and those of their planes at the cells' corners."""
    steps = np.stack([x[:, 1:] - x[:, :1], y[:, 1:] - y[:, :1], inverse[:, 1:] - inverse[:, :1]])
    area = steps[0, :, 0] * steps[1, :, 1] - steps[0, :, 1] * steps[1, :, 0]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        by_x = (steps[2, :, 0] * steps[1, :, 1] - steps[2, :, 1] * steps[1, :, 0]) / area
        by_y = (steps[0, :, 0] * steps[2, :, 1] - steps[0, :, 1] * steps[2, :, 0]) / area
    half = grid.size / 2
    middle = grid.corners(cell) + half
    at_middle = inverse[face, 0] + by_x[face] * (middle[0] - x[face, 0]) + by_y[face] * (middle[1] - y[face, 0])
    spread_out = half * (np.abs(by_x[face]) + np.abs(by_y[face]))
    highest, lowest = inverse.max(axis=1)[face], inverse.min(axis=1)[face]
    # A face seen edge-on has no such plane; rounding grows with its slope.
    slack = 1e-9 * (highest + spread_out)
    highest = np.fmin(highest, at_middle + spread_out + slack)
    lowest = np.fmax(lowest, at_middle - spread_out - slack)
    return 1.0 / highest, 1.0 / np.maximum(lowest, 1e-300)


def _by_faces(theirs: _Faces, behind: _Pair, grid: Grid, cells: Indices) -> Indices:
    """The cells in which a face of the blocker is before one of the target."""
    own, too_near = _Faces.of(behind, grid, cells)
    farthest = np.full(len(cells), -np.inf)
    np.maximum.at(farthest, own.place, own.greatest)
    hiding = np.flatnonzero(theirs.least < farthest[theirs.place] - NEAREST_DEPTH_MM)
    order = np.argsort(own.place, kind="stable")
    first = np.searchsorted(own.place[order], np.arange(len(cells) + 1))
    counts = (first[1:] - first[:-1])[theirs.place[hiding]]
    found = [too_near]
    ends = np.cumsum(counts)
    for start in range(0, int(ends[-1]) if len(ends) else 0, PAIRS_AT_ONCE):
        run = np.arange(start, min(start + PAIRS_AT_ONCE, int(ends[-1])))
        entry = np.searchsorted(ends, run, "right")
        mine = order[first[theirs.place[hiding[entry]]] + run - (ends - counts)[entry]]
        entry = hiding[entry]
        closer = theirs.least[entry] < own.greatest[mine] - NEAREST_DEPTH_MM
        entry, mine = entry[closer], mine[closer]
        hides = _is_before(theirs, theirs.face[entry], own, own.face[mine])
        found.append(cells[own.place[mine[hides]]])
    return np.unique(np.concatenate(found))


def _is_before(theirs: _Faces, face: Indices, own: _Faces, other: Indices) -> Flags:
    """(n,) whether faces are somewhere before other ones, in the picture, by more than `NEAREST_DEPTH_MM`."""
    first = np.stack([theirs.x[face], theirs.y[face], theirs.inverse[face]])
    second = np.stack([own.x[other], own.y[other], own.inverse[other]])
    hides = ~(_apart(first, second) | _apart(second, first))
    least = NEAREST_DEPTH_MM * second[2].min(axis=1) ** 2
    for number in np.array_split(np.flatnonzero(hides), max(1, int(hides.sum()) // 50_000)):
        hides[number] = _most_before(first[:, number], second[:, number]) > least[number]
    return hides


def _apart(first: Floats, second: Floats) -> Flags:
    """(n,) whether a side of the first triangles, (3, n, 3) x, y and another, has all of the second ones beyond it."""
    apart = np.zeros(first.shape[1], dtype=np.bool_)
    x, y, _ = first
    area = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (y[:, 1] - y[:, 0]) * (x[:, 2] - x[:, 0])
    for corner in range(3):
        after = (corner + 1) % 3
        way_x, way_y = x[:, after] - x[:, corner], y[:, after] - y[:, corner]
        inward = way_x[:, None] * (second[1] - y[:, corner, None]) - way_y[:, None] * (second[0] - x[:, corner, None])
        inward *= np.sign(area)[:, None]
        apart |= (inward <= TOUCHING * np.hypot(way_x, way_y)[:, None]).all(axis=1)
    return apart


def _most_before(first: Floats, second: Floats) -> Floats:
    """(n,) by how much 1 / depth of the first triangles is the greater one at most, where they overlap."""
    most = np.full(first.shape[1], -np.inf)
    for one, two, sign in ((first, second, 1.0), (second, first, -1.0)):
        values, inside = _at_corners(one, two)
        most = np.maximum(most, np.where(inside, sign * (one[2] - values), -np.inf).max(axis=1))
    for i in range(3):
        for j in range(3):
            start, way = first[:, :, i], first[:, :, (i + 1) % 3] - first[:, :, i]
            begin, along = second[:, :, j], second[:, :, (j + 1) % 3] - second[:, :, j]
            turn = way[0] * along[1] - way[1] * along[0]
            with np.errstate(divide="ignore", invalid="ignore"):
                to_begin = begin - start
                share = (to_begin[0] * along[1] - to_begin[1] * along[0]) / turn
                other = (to_begin[0] * way[1] - to_begin[1] * way[0]) / turn
                crosses = (share > -1e-9) & (share < 1.0 + 1e-9) & (other > -1e-9) & (other < 1.0 + 1e-9)
                ahead = start[2] + share * way[2] - begin[2] - other * along[2]
            most = np.maximum(most, np.where(crosses, ahead, -np.inf))
    return most


def _at_corners(one: Floats, two: Floats) -> tuple[Floats, Flags]:
    """(n, 3) the third coordinate of triangles ``two`` at the corners of ``one``, and which corners lie inside."""
    x, y, value = two
    area = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (y[:, 1] - y[:, 0]) * (x[:, 2] - x[:, 0])
    weights = []
    for corner in range(3):
        after, last = (corner + 1) % 3, (corner + 2) % 3
        way_x, way_y = (x[:, last] - x[:, after])[:, None], (y[:, last] - y[:, after])[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            weights.append(
                (way_x * (one[1] - y[:, after, None]) - way_y * (one[0] - x[:, after, None])) / area[:, None]
            )
    inside = np.all([weight > -1e-9 for weight in weights], axis=0)
    return sum(weight * value[:, corner, None] for corner, weight in enumerate(weights)), inside
