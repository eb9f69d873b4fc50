"""LOAD: boxes that lie wholly inside the closed surfaces of a mesh: a look at one from outside meets a face first.

A surface is closed where every edge has an even number of faces: then each place is inside or outside, and no way leads
from one to the other but through a face. An inner box is found on a grid of cells that no face touches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silhouette.common.geometry import Flags, Floats, Integers, components, spread
from silhouette.meshes.clusters import Clusters, Indices, clusters_of
from silhouette.meshes.mesh import Mesh, recorded

SOLID_GRID_CELLS = 16_000
"""Cells of the grid in which boxes are looked for, about: with half of them a tenth fewer targets are in a shadow, with
twice as many hardly any more."""

# Cells along each axis at least, so that thin walls have cells inside them, and at most.
MIN_CELLS_PER_AXIS, MAX_CELLS_PER_AXIS = 16, 96

SURFACES, MIN_SURFACE_SHARE = 4, 0.1
"""The most surfaces that are looked into, the largest first; and the least size of one, as a share of the largest."""

PAIRS, PAIRS_A_FACE = 1_000_000, 2
"""Pairs of a face and a cell in its box, at most, and so many more for each face: terrain of 50,000 faces has 200,000,
a mesh of random triangles would have too many."""

FACES_AT_ONCE = 100_000  # faces that are laid over the grid at once, each some 300 bytes

BOX_CLEARANCE_MM = 1e-3
"""mm: by so much a box is smaller than the cells that it was found in; what rounding does is a thousand times less."""

SEED_CELLS, PROBE_CELLS, MAX_SOLID_BOXES = 96, 768, 24
"""The cells from which boxes grow; the other cells, of which the boxes that are kept hold most; and the most boxes."""

GROWTH_CELLS = (4, 8, 16, 32, 16, 8, 4, 4, 2, 1, 1)
"""The cells by which a box grows at once, in each direction in turn: in all as many as there are along an axis."""


@dataclass(frozen=True, eq=False)
class InnerBoxes:
    """Boxes inside closed surfaces, in the mesh's frame."""

    boxes: Floats  # (n, 2, 3) mm, least and greatest corner
    surface: Indices  # (n,) the surface in which each lies
    shells: Floats  # (s, 2, 3) mm, least and greatest corner of boxes round the surfaces


SOLIDS_VERSION = 2  # raised whenever other boxes are found


def inner_boxes(mesh: Mesh) -> InnerBoxes:
    """The boxes inside a mesh; none where all of it is open, or too thin."""
    return recorded(mesh, InnerBoxes, SOLIDS_VERSION, lambda mesh: _boxes_of(clusters_of(mesh)))


def take_inner_boxes(mesh: Mesh, part: Mesh) -> None:
    """Has `inner_boxes` of a mesh be those of a part of it, where all that is added bounds nothing solid."""
    recorded(mesh, InnerBoxes, SOLIDS_VERSION, lambda mesh: inner_boxes(part))


def _boxes_of(clusters: Clusters) -> InnerBoxes:
    faces = clusters.corners.astype(np.int64)
    least = components(faces[:, [0, 1, 1, 2]].reshape(-1, 2), len(clusters.vertices))[faces[:, 0]]
    label: Indices = np.unique(least, return_inverse=True)[1].astype(np.int64)
    count = int(label.max()) + 1
    corners = np.ascontiguousarray(clusters.vertices.T).take(clusters.corners.T, axis=1).swapaxes(0, 1)
    odd = clusters.odd
    is_open = np.zeros(count, np.bool_)
    is_open[label[odd.faces[odd.first[:-1][np.diff(odd.first) % 2 == 1]]]] = True
    order = np.argsort(label, kind="stable")
    first = np.searchsorted(label[order], np.arange(count + 1))
    low = np.minimum.reduceat(corners.min(axis=0)[:, order], first[:-1], axis=1).T
    high = np.maximum.reduceat(corners.max(axis=0)[:, order], first[:-1], axis=1).T
    sides = high - low
    size = (sides * np.roll(sides, 1, axis=1)).max(axis=1)
    boxes, surface, shells = [np.empty((0, 2, 3))], list[int](), list[Floats]()
    for number in np.argsort(-size, kind="stable")[:SURFACES].tolist():
        if size[number] < MIN_SURFACE_SHARE * size.max() or is_open[number] or not (sides[number] > 0.0).all():
            continue
        triangles = corners[:, :, order[first[number] : first[number + 1]]]
        boxes_inside = _boxes_in(triangles)
        if len(boxes_inside) == 0:
            continue
        boxes.append(boxes_inside)
        surface += [len(shells)] * len(boxes_inside)
        shells.append(_bounds(triangles))
    return InnerBoxes(np.concatenate(boxes), np.array(surface, dtype=np.int64), np.array(shells).reshape(-1, 2, 3))


def _boxes_in(triangles: Floats) -> Floats:
    """(n, 2, 3) boxes inside a closed surface of triangles (3 corners, 3 axes, m)."""
    low, high = _bounds(triangles)
    sides = high - low
    shape = np.clip(
        np.ceil(sides / np.cbrt(sides.prod() / SOLID_GRID_CELLS)), MIN_CELLS_PER_AXIS, MAX_CELLS_PER_AXIS
    ).astype(np.int64)
    width = sides / shape
    # A cell more on each side, so that faces do not run along the cells' borders.
    low, shape = low - 0.43 * width, shape + 1
    triangles = (triangles - low[:, None]) / width[:, None]
    if np.prod(np.ptp(triangles, axis=0) + 1.0, axis=0).sum() > PAIRS + PAIRS_A_FACE * triangles.shape[2]:
        return np.empty((0, 2, 3))
    runs = np.array_split(triangles, 1 + triangles.shape[2] // FACES_AT_ONCE, axis=2)
    touched, met = np.zeros(shape.prod(), dtype=np.bool_), list[tuple[Indices, Floats]]()
    for run in runs:
        touched[_touched(run, shape)] = True
        met.append(_met(run, shape))
    free, inside = ~touched.reshape(shape), _inside(met, shape).reshape(shape)
    changes = (  # between neighbouring cells that no face touches: rounding misled a line at an edge
        np.diff(inside, axis=axis) & free.take(range(1, size), axis) & free.take(range(size - 1), axis)
        for axis, size in enumerate(free.shape)
    )
    if any(differing.any() for differing in changes):
        return np.empty((0, 2, 3))
    grid = free & inside
    boxes = low + np.array(_largest(grid)).reshape(-1, 2, 3) * width + [[BOX_CLEARANCE_MM], [-BOX_CLEARANCE_MM]]
    proper: Floats = boxes[(boxes[:, 0] < boxes[:, 1]).all(axis=1)]
    return proper


def _bounds(triangles: Floats) -> Floats:
    """(2, 3) the least and the greatest corner of a box round triangles (3, 3, m)."""
    return np.array([triangles.min(axis=0).min(axis=1), triangles.max(axis=0).max(axis=1)])


def _runs(first: Indices, last: Indices) -> tuple[Indices, Indices]:
    """The cells (3 or 2, k) of boxes of cells, from and to (3 or 2, n), and the box of each."""
    count = np.maximum(last - first + 1, 0)
    size = count.prod(axis=0)
    left, box = spread(0, size)
    cells = []
    for axis in range(len(count) - 1, -1, -1):
        left, place = np.divmod(left, count[axis, box])
        cells.append(first[axis, box] + place)
    return np.stack(cells[::-1]), box


def _touched(triangles: Floats, shape: Indices) -> Indices:
    """The cells that triangles may touch: those of their boxes that their planes pass."""
    first = np.floor(triangles.min(axis=0) - 1e-9).astype(np.int64)
    last = np.floor(triangles.max(axis=0) + 1e-9).astype(np.int64)
    cells, owner = _runs(first, last)
    a, b, c = triangles
    (u, v, w), (p, q, r) = b - a, c - a
    x, y, z = v * r - w * q, w * p - u * r, u * q - v * p
    # How far beyond the plane the middle of a cell lies, and how far a corner may lie on this side of it.
    ahead = x * (a[0] - 0.5) + y * (a[1] - 0.5) + z * (a[2] - 0.5)
    away = np.abs(cells[0] * x[owner] + cells[1] * y[owner] + cells[2] * z[owner] - ahead[owner])
    meets = away <= ((0.5 + 1e-9) * (np.abs(x) + np.abs(y) + np.abs(z)) + 1e-12 * np.abs(ahead))[owner]
    numbers: Indices = np.ravel_multi_index(tuple(cells[:, meets]), tuple(shape))
    return numbers


def _met(triangles: Floats, shape: Indices) -> tuple[Indices, Floats]:
    """The columns of cells in which lines, where hardly ever an edge lies, meet triangles, and how high."""
    places = np.array([0.5137, 0.4871])
    flat = triangles[:, :2] - places[:, None]
    first, last = np.ceil(flat.min(axis=0)).astype(np.int64), np.floor(flat.max(axis=0)).astype(np.int64)
    met = np.flatnonzero((first <= last).all(axis=0))
    cells, owner = _runs(first[:, met], last[:, met])
    x, y = flat[:, :, met[owner]].swapaxes(0, 1) - cells[:, None]
    weight = np.roll(x, -1, axis=0) * np.roll(y, 1, axis=0) - np.roll(y, -1, axis=0) * np.roll(x, 1, axis=0)
    inside = np.all(weight > 0.0, axis=0) | np.all(weight < 0.0, axis=0)
    weight, cells, owner = weight[:, inside], cells[:, inside], met[owner[inside]]
    height = (weight * triangles[:, 2, owner]).sum(axis=0) / weight.sum(axis=0)
    return cells[0] * shape[1] + cells[1], height


def _inside(met: list[tuple[Indices, Floats]], shape: Indices) -> Flags:
    """(cells,) whether the middles of cells are inside: an odd number of faces lies below them."""
    column, height = (np.concatenate(part) for part in zip(*met, strict=True))
    order = np.lexsort([height, column])
    column, height = column[order], height[order]
    _, count = np.unique(column, return_counts=True)
    even = np.repeat(count % 2 == 0, count)
    column, height = column[even], height[even]
    first = np.ceil(height[0::2] - 0.5).astype(np.int64)
    level, run = spread(first, np.maximum(np.floor(height[1::2] - 0.5).astype(np.int64) - first + 1, 0))
    within = np.zeros(shape.prod(), dtype=np.bool_)
    within[column[0::2][run] * shape[2] + level] = True
    return within


def _largest(grid: Flags) -> list[Integers]:
    """Boxes (2, 3) of cells, from and up to, all of whose cells are set; together they hold most of these."""
    cells = np.argwhere(grid)
    shape = np.array(grid.shape)
    boxes: list[Integers] = []
    if len(cells) == 0:
        return boxes
    table = np.zeros(shape + 1, dtype=np.int32)
    table[1:, 1:, 1:] = grid.cumsum(axis=0, dtype=np.int32).cumsum(axis=1).cumsum(axis=2)
    sums = table.ravel()
    strides = np.array([(shape[1] + 1) * (shape[2] + 1), shape[2] + 1, 1])
    seeds = cells[np.unique(np.linspace(0, len(cells) - 1, SEED_CELLS).astype(np.int64))]
    first, last = seeds.copy(), seeds + 1
    for step in GROWTH_CELLS:
        for axis in range(3):
            for corner, way in ((first, -step), (last, step)):
                was = corner[:, axis].copy()
                corner[:, axis] = np.clip(was + way, 0, shape[axis])
                broken = ~_is_full(sums, strides, first, last)
                corner[broken, axis] = was[broken]
    candidates = np.unique(np.hstack([first, last]), axis=0)
    probes = cells[np.unique(np.linspace(0, len(cells) - 1, PROBE_CELLS).astype(np.int64))]
    holds = np.ones((len(candidates), len(probes)), dtype=np.bool_)
    for axis in range(3):
        holds &= (probes[:, axis] >= candidates[:, axis, None]) & (probes[:, axis] < candidates[:, 3 + axis, None])
    left = np.ones(len(probes), dtype=np.bool_)
    while len(boxes) < MAX_SOLID_BOXES and left.any():
        gain = np.count_nonzero(holds & left, axis=1)
        best = int(gain.argmax())
        if gain[best] == 0:
            break
        boxes.append(candidates[best].reshape(2, 3))
        left &= ~holds[best]
    return boxes


def _is_full(table: Integers, strides: Indices, first: Indices, last: Indices) -> Flags:
    """(n,) whether all cells of boxes are set, by the sums of the cells before each corner of the grid."""
    (x, y, z), (u, v, w) = (first * strides).T, (last * strides).T
    total = table[u + v + w] - table[x + v + w] - table[u + y + w] - table[u + v + z]
    total += table[x + y + w] + table[x + v + z] + table[u + y + z] - table[x + y + z]
    full: Flags = total == (last - first).prod(axis=1)
    return full
