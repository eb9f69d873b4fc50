"""SEGMENT: what one region may be several pieces of, and where they part.

Where two things meet, the surface is concave; the surface of one solid thing is convex or flat for the most part
(Hoffman and Richards, "Parts of recognition", 1984; Stein et al., "Object Partitioning using Local Convexity", 2014).
The region becomes small cells with mean normals; neighbours attract each other where they are convex or flat to each
other and repel each other where they are concave; cells and groups of cells that attract each other on average over
all of the seam between them grow together, the strongest first (average linkage: Bailoni et al., "GASP", 2022), so
that one leak in a seam joins nothing.

         __________                         _____
        |    A     |  concave seam         |  A  |_____     two boxes: the seams on all sides repel
        |__________|__                     |     |  B  |
       (              )   A on B           |_____|_____|

Which parts of a region are things that stand by themselves, and which belong to a larger one.

Taken apart along its concave seams, terrain falls into roofs, ribs, planks and chimneys. A part is a thing of its own
only where it could be picked up: it stands on the table or on the visible level top of another, is no mere sheet of
surface, and is large enough; what fails goes to the neighbour with which it shares most.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError, cKDTree

from silhouette.common.errors import go_on
from silhouette.common.geometry import Floats, Integers
from silhouette.scans.surface import PlacedScan, groups_of

# ---- splitting

FLAT = 0.12
"""Sine of 7 degrees: by so much cells may be concave to each other and still attract: the noise of their normals."""

SUPPORT_GAP = 8.0  # mm that a scan leaves open between a thing and what it stands on


@dataclass(frozen=True, eq=False)
class Cells:
    """A region in small cells."""

    members: Integers  # (k,) indices of its points
    cell: Integers  # (k,) the cell of each of them
    middles: Floats  # (c, 3) mean points
    normals: Floats  # (c, 3) unit vectors, outward
    counts: Integers  # (c,) points in each
    pairs: Integers  # (p, 2) neighbouring cells
    width: float  # of the cells in mm
    # (c, 3) mean red, green and blue as shares of their sum, as shade changes them little; or None
    hues: Floats | None = None


def cells_of(
    points: Floats,
    normals: Floats,
    edges: Integers,
    members: Integers,
    width: float,
    colours: NDArray[np.uint8] | None = None,
) -> Cells:
    """The points of a region in cubes of a width; a cube with two sheets of surface in it is two cells."""
    keys = np.floor(points[members] / width).astype(np.int64)
    keys -= keys.min(0)
    # which way the normal points, in six classes, keeps the two sides of a thin wall apart
    axis = np.abs(normals[members]).argmax(1)
    side = 2 * axis + (normals[members, axis] > 0)
    span = keys.max(0) + 1
    flat = ((keys[:, 0] * span[1] + keys[:, 1]) * span[2] + keys[:, 2]) * 6 + side
    _, cell = np.unique(flat, return_inverse=True)
    count = int(cell.max()) + 1
    counts = np.bincount(cell, minlength=count)
    middles = np.column_stack([np.bincount(cell, points[members, k], count) for k in range(3)]) / counts[:, None]
    mean = np.column_stack([np.bincount(cell, normals[members, k], count) for k in range(3)])
    mean = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-9)
    number = np.full(len(points), -1)
    number[members] = cell
    pairs = number[edges]
    pairs = pairs[(pairs >= 0).all(1) & (pairs[:, 0] != pairs[:, 1])]
    pairs = np.vstack([pairs, _bridges(middles, pairs.astype(np.int32), width)])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    hues: Floats | None = None
    if colours is not None:
        shares = colours[members].astype(np.float64) + 8  # so that black is grey, not noise
        sums = np.column_stack([np.bincount(cell, shares[:, k], count) for k in range(3)])
        hues = np.asarray(sums / sums.sum(1, keepdims=True), dtype=np.float64)
    return Cells(
        members,
        cell.astype(np.int32),
        middles,
        np.asarray(mean, dtype=np.float64),
        counts.astype(np.int32),
        pairs.astype(np.int32),
        width,
        hues,
    )


def _bridges(middles: Floats, pairs: Integers, width: float) -> Integers:
    """Pairs of cells across gaps: a ball on a box hangs in the air, as nobody has seen where it stands."""
    piece = groups_of(len(middles), pairs)
    if len(middles) < 2 or piece.max() == 0:
        return np.empty((0, 2), dtype=np.int32)
    reach = 2 * width + SUPPORT_GAP
    distance, other = cKDTree(middles).query(middles, k=min(24, len(middles)), distance_upper_bound=reach)
    at, column = np.nonzero(np.isfinite(distance))
    links = np.column_stack([at, other[at, column]])
    far = distance[at, column]
    apart = piece[links[:, 0]] != piece[links[:, 1]]
    links, far = links[apart], far[apart]
    keys, which = np.unique(np.sort(piece[links], axis=1), axis=0, return_inverse=True)
    least = np.full(len(keys), np.inf)
    np.minimum.at(least, which.ravel(), far)
    return np.asarray(links[far < least[which.ravel()] + width], dtype=np.int32)  # where they come nearest


def attraction(cells: Cells) -> Floats:
    """(p,) from -1, concave, to 1, convex, for each pair of neighbours: by how much their normals spread, and FLAT."""
    first, second = cells.pairs.T
    way = cells.middles[second] - cells.middles[first]
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    spread = ((cells.normals[second] - cells.normals[first]) * way).sum(1)
    attracts = np.clip(spread, -1, 1) + FLAT
    if cells.hues is not None:
        # colours speak at creases; on a flat face they leave FLAT just above 0, so that what is painted on it parts
        # nothing, but two boxes with their faces in one plane do not grow together before each is whole
        contrast = contrast_of(cells.hues[first], cells.hues[second])
        attracts -= contrast * np.where(spread < -0.05, 0.2, np.where(spread < 0.3, 0.8 * FLAT, 0.0))
    return np.asarray(attracts)


def contrast_of(hue: Floats, other: Floats) -> Floats:
    """(k,) from 0, the same hue, to 1, another colour: a tenth of the sum apart, more than shade and noise make."""
    return np.asarray(np.clip(np.abs(hue - other).sum(-1) / 0.2, 0, 1))


def grown_together(count: int, pairs: Integers, attracts: Floats, stop: float = 0.0) -> Integers:
    """(count,) the group of each cell: pairs of groups are joined, the strongest first, while their mean attracts.

    >>> grown_together(3, np.array([[0, 1], [1, 2]], dtype=np.int32), np.array([0.5, -0.5])).tolist()
    [0, 0, 1]
    """
    parent = list(range(count))
    near: list[dict[int, tuple[float, int]]] = [{} for _ in range(count)]
    heap = []
    for (a, b), weight in zip(pairs.tolist(), attracts.tolist(), strict=True):
        near[a][b] = near[b][a] = (weight, 1)
        if weight > stop:
            heap.append((-weight, a, b))
    heapq.heapify(heap)
    while heap:
        negative, a, b = heapq.heappop(heap)
        held = near[a].get(b) if parent[a] == a and parent[b] == b else None
        if held is None or held[0] / held[1] != -negative:
            continue
        if len(near[a]) < len(near[b]):
            a, b = b, a
        parent[b] = a
        del near[a][b]
        for c, (weight, number) in near[b].items():
            if c == a:
                continue
            del near[c][b]
            old = near[a].get(c, (0.0, 0))
            joined = (old[0] + weight, old[1] + number)
            near[a][c] = near[c][a] = joined
            mean = joined[0] / joined[1]
            if mean > stop:
                heapq.heappush(heap, (-mean, a, c))
        near[b] = {}
    root = np.arange(count)
    for k in range(count):
        while parent[root[k]] != root[k]:
            root[k] = parent[root[k]]
    return np.unique(root, return_inverse=True)[1].astype(np.int32)


# ---- objects

SMALLEST_PIECE = 12.0  # mm; what is not as long in two directions is no piece by itself: dice have 12 mm and more
THIN = 18.0  # mm; walls, fences and rails are thinner, and do not stand by themselves; crates have 20 mm and more

RESTS = 0.2
"""The least share of its seam that lies over a visible top where one thing rests on another: a box may reach over the
one below on most sides; a roof hides its walls on all."""

SHEET = 0.12  # the share of its largest extent below which the thickness of a thing is that of a panel or a plank


@dataclass(frozen=True, eq=False)
class Part:
    """What a group of cells looks like."""

    # low, high: (3,) the corners of its box
    low: Floats
    high: Floats
    thickness: float  # mm, its least width in any direction
    length: float  # mm, its largest extent
    one_sided: float  # the length of its mean normal, 1 where all of it faces one way
    tilt: float  # the z of the direction in which it is thinnest, from 0, a wall, to 1, a slab
    area: float  # about, in square mm
    stands: bool  # on the ground
    rests: float  # the share of its seams below which a level top goes on, as where a box stands on a box

    @property
    def is_thing(self) -> bool:
        """Whether it may be a thing of its own."""
        extents = np.sort(self.high - self.low)
        if extents[1] < SMALLEST_PIECE or self.area < 3 * SMALLEST_PIECE**2:
            return False
        if not self.stands and self.rests < RESTS:
            return False
        if self.thickness < max(THIN, SHEET * self.length) or self.one_sided > 0.85:
            # a board or a ramp reaches the ground, and is neither upright nor level
            return self.stands and 0.25 < self.tilt < 0.93 and self.length > 4 * THIN
        return True


def things(cells: Cells, attracts: Floats, group: Integers, each: float, ground: float) -> Integers:
    """(c,) the groups after what is no thing by itself has gone to its neighbours.

    Args:
        cells: of the region.
        attracts: (p,) of their pairs.
        group: (c,) as they grew together.
        each: square mm for which a point stands.
        ground: z below which a part stands on the table.
    """
    group = group.copy()
    looks: dict[int, Part] = {}
    while True:
        go_on()
        numbers = np.unique(group)
        if len(numbers) == 1:
            return group
        for number in numbers:
            if int(number) not in looks:
                looks[int(number)] = _part(cells, group, int(number), each, ground)
        failing = [number for number in looks if not looks[number].is_thing]
        if not failing:
            return group
        worst = min(failing, key=lambda number: (looks[number].area, number))
        host = _host(cells, attracts, group, worst)
        # what touches either may rest otherwise now
        touched = _neighbours(cells, group, worst) | _neighbours(cells, group, host) | {worst, host}
        group[group == worst] = host
        for number in touched:
            looks.pop(number, None)


def _neighbours(cells: Cells, group: Integers, number: int) -> set[int]:
    first, second = group[cells.pairs].T
    return {int(k) for k in np.concatenate([second[first == number], first[second == number]])} - {number}


def _host(cells: Cells, attracts: Floats, group: Integers, number: int) -> int:
    """The group that shares most seam with one, convex seam counting more; the nearest where none does."""
    first, second = group[cells.pairs].T
    out = (first == number) != (second == number)
    if out.any():
        whom = np.where(first[out] == number, second[out], first[out])
        return int(np.bincount(whom, 1.2 + attracts[out]).argmax())
    mine, rest = group == number, np.flatnonzero(group != number)
    distance = ((cells.middles[rest] - cells.middles[mine].mean(0)) ** 2).sum(1)
    return int(group[rest[int(np.argmin(distance))]])


def _part(cells: Cells, group: Integers, number: int, each: float, ground: float) -> Part:
    mine = group == number
    middles, normals, counts = cells.middles[mine], cells.normals[mine], cells.counts[mine].astype(np.float64)
    low, high = middles.min(0), middles.max(0)
    mean = (normals * counts[:, None]).sum(0) / counts.sum()
    first, second = cells.pairs.T
    out = mine[first] != mine[second]
    inside = np.where(mine[first[out]], first[out], second[out])
    outside = np.where(mine[first[out]], second[out], first[out])
    # what goes on below the seam faces up: the top of a thing, not a wall under a roof (and a fillet tilts it)
    under = (cells.normals[outside, 2] > 0.5) & (
        cells.middles[inside, 2] > cells.middles[outside, 2] - 0.5 * cells.width
    )
    area, stands = float(counts.sum() * each), bool((middles[:, 2] < ground + cells.width).sum() >= 3)
    rests = float(under.mean()) if len(under) else 0.0
    worth = area >= 3 * SMALLEST_PIECE**2 and (stands or rests >= RESTS)  # the hull takes time
    thickness, tilt = _thickness(middles, _hull_of(middles)) if worth else (0.0, 0.0)
    return Part(
        low,
        high,
        thickness,
        float((high - low).max()),
        float(np.linalg.norm(mean)),
        tilt,
        area,
        stands,
        rests,
    )


def _hull_of(points: Floats) -> ConvexHull | None:
    """The convex hull of points (n, 3); None where they are too few or too flat for one."""
    go_on()
    if len(points) < 8:
        return None
    try:
        return ConvexHull(points)
    except QhullError:
        return None


def _thickness(points: Floats, hull: ConvexHull | None) -> tuple[float, float]:
    """The least width of the convex hull across any of its sides, and how upright that direction is, 0 to 1."""
    if hull is None:
        return 0.0, 0.0
    sides = np.unique(hull.equations[:, :3].round(3), axis=0)
    across = points[hull.vertices] @ sides.T
    width = across.max(0) - across.min(0)
    least = int(np.argmin(width))
    return float(width[least]), abs(float(sides[least, 2]))


MANY_CUBES, LEAST_ACROSS, MANY_SIDES = 1000, 5, 2.5
"""Where points fill a space no crease says what is apart: so many cubes and more have points, a third of those in the
box round them, which is so many across at least, and so many of the six sides face out of each on average: 3.2 of
points at random, 1.1 to 2.3 of surfaces. Thin rails have more, and fill no space."""

WEAK = -0.3
"""The mean attraction of a seam less FLAT: what is less concave on average (17 degrees) may be a bend of one thing."""

HOLLOW = 40.0
"""mm; a hollow thing that stands by itself, such as a cup or the corner of a ruin, is as thick; fences are less."""

WEAK_OF_SOLIDS = -0.22  # the same where both parts are all but convex and do not make a convex whole

CONVEX = 0.82
"""The share of the volume of the hull round two parts that lies in their own hulls: where it is more, they are a convex
whole and so one thing, as the panels of a container are; boxes put together at random leave a third of it empty."""

SOLID = 0.7
"""The share of a part's surface that lies on its convex hull: boxes, bottles and balls have more, fences and pipes
less."""


def parts_of(scan: PlacedScan, members: Integers) -> tuple[Integers, set[int]]:
    """(k,) the thing that each point of a region belongs to, from 0, and those things that may be several.

    Args:
        scan: the whole of it.
        members: (k,) indices of the region's points.
    """
    whole = np.zeros(len(members), dtype=np.int32)
    if len(members) * scan.each < 2 * 3 * SMALLEST_PIECE**2:
        return whole, set()
    diagonal = float(np.linalg.norm(np.ptp(scan.points[members], axis=0)))
    # wide enough that noise tilts no normal of a cell by more than FLAT, narrow enough for 40 of them along a region
    least = max(2.5 * scan.spacing, 5 * scan.noise)
    width = float(np.clip(diagonal / 40, least, max(10.0, least)))
    cells = cells_of(scan.points, scan.normals, scan.edges, members, width, scan.colours)
    if _fill_space(cells):
        return whole, {0}  # it may be several
    attracts = attraction(cells)
    group = grown_together(len(cells.middles), cells.pairs, attracts)
    group = things(cells, attracts, group, scan.each, scan.floor + scan.spacing)
    group, doubt = separate(cells, attracts, group, FLAT)
    numbers, number = np.unique(group, return_inverse=True)
    doubtful = {int(k) for k in np.flatnonzero(np.isin(numbers, list(doubt)))}
    return number.ravel().astype(np.int32)[cells.cell], doubtful


def _fill_space(cells: Cells) -> bool:
    """Whether the points of a region lie all through a space, as of no surface."""
    cubes = np.unique(np.floor(cells.middles / cells.width), axis=0)
    across = np.ptp(cubes, axis=0) + 1.0
    fill = len(cubes) >= max(MANY_CUBES, across.prod() / 3.0) and across.min() >= LEAST_ACROSS
    return bool(fill) and len(cells.middles) > MANY_SIDES * len(cubes)


def separate(cells: Cells, attracts: Floats, group: Integers, flat: float) -> tuple[Integers, set[int]]:
    """(c,) the groups after parts that do not part cleanly have become one, and those where that was a close thing.

    Two parts are two things where the seam between them is concave nearly all along, where neither lies within the
    other's hull, where together they are far from convex, and where at least one is solid. The worst seam goes first.
    """
    group = group.copy()
    doubt: set[int] = set()
    hulls: dict[int, _Hull] = {}
    bonds: dict[tuple[int, int], float] = {}
    while True:
        go_on()
        for number in np.unique(group).tolist():
            if number not in hulls:
                hulls[number] = _Hull(cells.middles[group == number], cells.width)
        worst: tuple[float, int, int] | None = None
        for (a, b), (strength, length) in _seams(cells, attracts, group).items():
            if (a, b) not in bonds:
                contrast = 0.0
                if cells.hues is not None:
                    hue = [np.median(cells.hues[group == number], axis=0) for number in (a, b)]
                    contrast = float(contrast_of(*hue))
                bonds[a, b] = _bond(hulls[a], hulls[b], strength - flat, length, contrast)
            bad = bonds[a, b]
            if bad > 0 and (worst is None or bad > worst[0]):
                worst = (bad, a, b)
        if worst is None:
            return group, doubt
        if worst[0] < 0.1:
            doubt.add(worst[1])
        if worst[2] in doubt:
            doubt = doubt - {worst[2]} | {worst[1]}
        changed = set(worst[1:])
        group[group == worst[2]] = worst[1]
        hulls = {number: hull for number, hull in hulls.items() if number not in changed}
        bonds = {pair: bond for pair, bond in bonds.items() if changed.isdisjoint(pair)}


def _seams(cells: Cells, attracts: Floats, group: Integers) -> dict[tuple[int, int], tuple[float, int]]:
    """For each pair of groups that touch the mean attraction, and how many pairs of cells it is the mean of."""
    ends = np.sort(group[cells.pairs], axis=1)
    across = ends[:, 0] != ends[:, 1]
    keys, which = np.unique(ends[across], axis=0, return_inverse=True)
    which = which.ravel()
    lengths = np.bincount(which)
    means = np.bincount(which, attracts[across]) / np.maximum(lengths, 1)
    return {
        (int(a), int(b)): (float(mean), int(length)) for (a, b), mean, length in zip(keys, means, lengths, strict=True)
    }


class _Hull:
    """The convex hull of a part, and how much of the part lies on it."""

    def __init__(self, points: Floats, width: float) -> None:
        self.points, self.width = points, width
        self.planes = np.empty((0, 4))
        self.volume = 0.0
        self.solid = 0.0
        self.thickness = 0.0
        hull = _hull_of(points)
        if hull is not None:
            self.planes, self.volume = np.unique(hull.equations.round(4), axis=0), float(hull.volume)
            self.thickness = _thickness(points, hull)[0]
            slack = max(0.7 * width, 0.05 * float(np.ptp(points, axis=0).max()))
            self.solid = float((self._depth(points) < slack).mean())

    def _depth(self, points: Floats) -> Floats:
        """How deep points lie below the hull; negative outside."""
        return np.asarray(-(points @ self.planes[:, :3].T + self.planes[:, 3]).max(1))

    def share_inside(self, points: Floats) -> float:
        """The share of points that lie more than half a cell within it."""
        return float((self._depth(points) > 0.5 * self.width).mean()) if len(self.planes) else 0.0


def _bond(a: _Hull, b: _Hull, seam: float, length: int, contrast: float) -> float:
    """How much speaks for two parts being one thing; nothing does where it is 0 or less."""
    if any(part.solid < SOLID and part.thickness < HOLLOW for part in (a, b)):
        return 1.0  # a lattice
    both = _hull_of(np.vstack([a.points, b.points]))
    filled = (a.volume + b.volume) / float(both.volume) if both is not None and both.volume > 0 else 1.0
    inside = max(a.share_inside(b.points), b.share_inside(a.points))
    solid = max(a.solid, b.solid)
    weak = WEAK_OF_SOLIDS if min(a.solid, b.solid) > 0.9 and filled < 0.72 else WEAK
    weak *= 1 - 0.6 * contrast  # of another colour, a weak crease is enough
    # where two things touch at a point, the few cells there do not say how they bend
    meets = min(1.0, length / np.sqrt(min(len(a.points), len(b.points))))
    # a seam as deep as a gap parts even what makes a convex whole, such as a ball on a box as wide
    convex = CONVEX + 0.25 * contrast + 0.5 * max(0.0, -0.6 - seam)
    return float(max(2 * (seam - weak) * meets, 2 * (filled - convex), inside - 0.3, SOLID - solid))
