"""SEGMENT: what rises above the table: compact upright things on their local ground, and connected regions.

A picture of heights, its local ground, and what rises from that (a white top-hat: Serra, "Image analysis and
mathematical morphology", 1982)::

            __                                             __
         __|  |__      the opening by a square of 60 mm    |  |        what rises: figures, on roofs as well, and
     ___|        |___  keeps what is wider: the ground     |  |        what is thin, as walls and fences. Of these
    |     roof       | and roofs                        ___|  |___     the compact parts may be figures

What is compact only above some height, as a figure on a low wall, is cut off there: parts are looked for at several
heights, from the lowest on, and each is taken where it is compact first. What leans on something wide is what is left
beside what is wide still higher up, or where what is thin is taken off::

     __________                   seen from above: the wall goes on at heights at which the figure has ended,
    |__________|  wall            and is thinner than it; what is left of both is a figure, or a buttress
         (__)     figure
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.spatial import ConvexHull, cKDTree

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.scans.surface import PlacedScan, groups_of

# ---- segment

CELL = 2.0  # mm, of the picture: finer than any base, and coarser than what a scan gets wrong
OPENING = 60.0  # mm: what is narrower than that in one direction rises from the ground; bases have 25 to 50
WIDEST_FIGURE = 62.0  # mm: what is wider than that is no single figure
LOWEST_FIGURE, TALLEST_FIGURE = 16.0, 95.0  # mm over their ground; a base with half of a gnome has 16
LEAST_PLAN = 40.0  # mm2: less is a chimney, a spear or an edge
LEVELS = (6.0, 9.0, 13.0, 18.0, 25.0, 34.0, 45.0, 56.0, 68.0, 80.0, 95.0, 110.0, 130.0, 150.0)
"""mm over the local ground: at these heights parts are parted. The first is above all bases, so that two figures base
to base are two; the steps are those of a figure's thirds; the last are those of containers and towers, which are
narrower than the opening, and no ground."""

LARGE_OPENING, LARGE_WIDEST, LARGE_TALLEST = 112.0, 114.0, 130.0
"""mm: the same three of monsters on bases of up to 110 mm, which are figures only where a round base is seen."""

LEANING_PLAN, LEANING_SIDE, LEANING_LEVELS = 60.0, 6.0, 4
"""mm2 and mm: what leans on something has as much in plan at least, so that it is no edge, at one of the first levels.
"""
LEDGE, LEDGES = 0.25, (1.2, 5.5)
"""The share of what lies round it, up to 8 mm away, that is as high as bases are, in mm: of buttresses, porches and
ribs of domes 2 % is, of a heap of sandbags 17 %, of figures at walls half."""

THIN_CELLS = 5  # cells: walls and fences are thinner, figures are not

SMALL = 10.0  # mm: the height of the lowest things that may be figures where a round base is seen

SHALLOW = 10.0  # mm: what is cut off from something else rises so far above the cut at least
PIT = 40.0  # mm below the table: what lies lower, as a floor, is another world, and is cut off there
DUST, MOST_DUST = 10.0, 0.3  # mm, and the share of a scan that dust may be: more is a surface in patches
MOST_RELIEF_CELLS = 16_000_000  # of a picture: a floor of 8 x 8 m


@dataclass(frozen=True, eq=False)
class Relief:
    """A picture of heights over the table, (x, y) in cells of `CELL`."""

    low: Floats  # (2,) mm, x and y of its corner
    height: Floats  # mm, of the highest point in each cell; where nothing was seen that of the nearest cell
    ground: Floats  # mm, of the local ground under it

    @property
    def rise(self) -> Floats:
        """What rises above the local ground, mm."""
        return self.height - self.ground

    def at(self, points: Floats) -> NDArray[np.int64]:
        """(n, 2) the cells of points; those beyond the rim are in the cells at the rim."""
        cells = np.floor((points[:, :2] - self.low) / CELL).astype(np.int64)
        return np.clip(cells, 0, np.array(self.height.shape) - 1)

    def opened(self, width: float) -> Relief:
        """The same with what is narrower than some mm off its ground."""
        across = int(width / CELL) + 1
        return replace(self, ground=ndimage.grey_opening(self.height, size=(across, across)))

    def ground_at(self, points: Floats) -> Floats:
        """(n,) mm, the local ground under points."""
        return np.asarray(self.ground[tuple(self.at(points).T)])


@dataclass(frozen=True, eq=False)
class Prominence:
    """Something compact that stands upright."""

    middle: Floats  # (2,) mm, of the box round it
    size: Floats  # (2,) mm, of that box
    tall: float  # mm over the local ground
    ground: float  # mm, z of that
    # Mm over the ground: so high it is cut off from what it is grown together with, which reaches higher than `under`;
    # the least of `LEVELS`, and 0, where it stands free
    cut: float
    under: float
    mask: Flags  # which cells of the picture within the box are its at that height
    leans: bool = False  # whether it is grown together with something wide, such as a wall, all the way up

    @property
    def is_free(self) -> bool:
        """Whether nothing but low things, such as other bases, is grown together with it."""
        return self.cut <= LEVELS[1] and not self.leans

    def over(self, points: Floats) -> Flags:
        """(n,) which points (n, 3) lie over or under its cells, or beside them within two."""
        mask = ndimage.binary_dilation(np.pad(self.mask, 2), np.ones((5, 5)))
        cells = np.floor((points[:, :2] - self.middle + self.size / 2.0) / CELL + 1e-6).astype(np.int64) + 2
        inside = ((cells >= 0) & (cells < mask.shape)).all(axis=1)
        at = np.where(inside[:, None], cells, 0)
        return np.asarray(inside & mask[at[:, 0], at[:, 1]])


def relief_of(
    points: Floats, faces: Integers, usable: Flags, spacing: float, size: tuple[float, float] | None = None
) -> Relief | None:
    """The picture of heights of a scan; None where there is nothing to see, or it is too large for one.

    Args:
        points: (n, 3) mm, levelled.
        faces: (m, 3) rows of vertices; (0, 3) for a cloud of points.
        usable: (n,) which vertices count.
        spacing: mm, median distance of neighbours.
        size: of the table in mm, its middle at the origin: what lies beside it is left out; None without one.

    >>> relief_of(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, bool), 1.0) is None
    True
    """
    inside = usable & (points[:, 2] > -PIT)
    if size is not None:
        inside &= (np.abs(points[:, :2]) < np.array(size) / 2.0 + 10.0).all(axis=1)
    if len(faces) and (dust := _dust(points, faces, inside))[inside].mean() < MOST_DUST:
        inside &= ~dust
    if not inside.any():
        return None
    seen = points[inside]
    if len(faces):
        places = places_on(points, faces[inside[faces].all(axis=1)], CELL**2 / 2.0)[1]  # less than a cell apart
        seen = np.vstack([seen, places])
    low = seen[:, :2].min(axis=0)
    shape = np.floor(np.ptp(seen[:, :2], axis=0) / CELL).astype(np.int64) + 1
    if shape.prod() > MOST_RELIEF_CELLS:
        return None
    cells = np.floor((seen[:, :2] - low) / CELL).astype(np.int64) @ np.array([shape[1], 1])
    height = np.full(int(shape.prod()), -np.inf)
    np.maximum.at(height, cells, seen[:, 2])
    height = height.reshape(shape)
    # Pinholes between samples are no pits: those of a cloud are as wide as its points lie apart.
    wide = 3 if len(faces) else 2 * int(np.ceil(spacing / CELL)) + 1
    height = ndimage.grey_closing(np.where(np.isfinite(height), height, -1e6), size=(wide, wide))
    empty = height < -2.0 * PIT
    if empty.all():
        return None
    nearest = ndimage.distance_transform_edt(empty, return_distances=False, return_indices=True)
    height = height[tuple(nearest)]
    return Relief(low, height, height).opened(OPENING)


def _dust(points: Floats, faces: Integers, among: Flags) -> Flags:
    """(n,) the points of crumbs that touch nothing and are less than `DUST` mm wide, among some."""
    whole = faces[among[faces].all(axis=1)]
    group = groups_of(len(points), np.concatenate([whole[:, :2], whole[:, 1:]]))
    low = np.full((int(group.max()) + 1, 3), np.inf)
    high = -low
    np.minimum.at(low, group, points)
    np.maximum.at(high, group, points)
    return np.asarray(((high - low) < DUST).all(axis=1)[group])


TRIANGLE_PLACES_AT_ONCE = 100_000  # places on triangles that are worked out together, which a processor's cache holds


def places_on(
    points: Floats, faces: Integers, square: float, most: float = np.inf
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Places on triangles (m, 3), each in about half a ``square`` (mm2) of the plan.

    Returns:
        The triangle (k,) of each, the places (k, 3), at most so many and one of each triangle, and the triangles'
        normals (m, 3), twice as long as their areas.
    """
    a, b, c = (points[faces[:, corner]] for corner in range(3))
    normal = np.cross(b - a, c - a)
    count = 1 + (np.abs(normal[:, 2]) / square).astype(np.int64)
    count = np.maximum((count * min(1.0, most / max(count.sum(), 1))).astype(np.int64), 1)
    face = np.repeat(np.arange(len(faces)), count)
    places = np.empty((len(face), 3))
    for start in range(0, len(face), TRIANGLE_PLACES_AT_ONCE):
        part = slice(start, start + TRIANGLE_PLACES_AT_ONCE)
        # R2, a sequence of points that fill a square evenly (M. Roberts, 2018), folded into the triangle.
        number = np.arange(start, min(part.stop, len(face)), dtype=np.float64)
        u, v = (0.5 + 0.7548776662466927 * number) % 1.0, (0.5 + 0.5698402909980532 * number) % 1.0
        outside = u + v > 1.0
        u, v = np.where(outside, 1.0 - u, u)[:, None], np.where(outside, 1.0 - v, v)[:, None]
        first = a[face[part]]
        places[part] = first + u * (b[face[part]] - first) + v * (c[face[part]] - first)
    return face, places, normal


def prominences(
    relief: Relief, lowest: float = LOWEST_FIGURE, tallest: float = TALLEST_FIGURE, widest: float = WIDEST_FIGURE
) -> list[Prominence]:
    """What is compact and upright, by where it stands (x, then y); heights and width are mm."""
    rise = relief.rise
    taken = np.zeros(rise.shape, dtype=bool)
    things: list[Prominence] = []

    def take(part: _Part, number: int, leans: bool) -> None:
        window, mine = part
        size, level = CELL * np.array(mine.shape), LEVELS[number]
        if size.max() > widest or mine.sum() * CELL**2 < LEAST_PLAN or (taken[window] & mine).any():
            return
        tall = float(rise[window][mine].max())
        is_cut = level > LEVELS[1]
        if not lowest <= tall <= tallest + (level if is_cut else 0.0) or (is_cut and tall < level + SHALLOW):
            return
        taken[window] |= mine
        corner = np.array([window[0].start, window[1].start])
        ground = float(np.median(relief.ground[window][mine]))
        middle, under = corner * CELL + relief.low + size / 2.0, LEVELS[number - 1] if number else 0.0
        things.append(Prominence(middle, size, tall, ground, level, under, mine, leans))

    for number, level in enumerate(LEVELS):
        for part in _parts(rise > level):
            take(part, number, False)
    for number, leaning in enumerate(_leaning(rise, widest)[:LEANING_LEVELS]):
        for part in leaning:
            take(part, number, True)
    return sorted(things, key=lambda thing: tuple(thing.middle.tolist()))


_Part = tuple[tuple[slice, ...], Flags]  # where a part of a picture lies, and which cells there are its


def _parts(mask: Flags) -> Iterator[_Part]:
    """The connected parts of a picture."""
    parts, _ = ndimage.label(mask, np.ones((3, 3)))
    for number, window in enumerate(ndimage.find_objects(parts), 1):
        yield window, parts[window] == number


def _leaning(rise: Floats, widest: float) -> list[list[_Part]]:
    """For each of `LEVELS` what is compact beside something wide that is grown together with it: from the top down."""
    wide = np.zeros(rise.shape, dtype=bool)  # what is wide at the level above
    # So much of an uneven table is as high as bases by itself.
    least = LEDGE + 2.0 * float((rise[rise < LEDGES[1]] > LEDGES[0]).mean()) if (rise < LEDGES[1]).any() else 1.0
    parts_by_level: list[list[_Part]] = []
    for level in LEVELS[::-1]:
        own = np.zeros(rise.shape, dtype=bool)
        for window, mine in _parts(rise > level):
            if CELL * max(mine.shape) > widest:
                own[window] |= mine
        beside = own & ~ndimage.binary_dilation(wide, np.ones((3, 3)))
        thick = ndimage.binary_opening(beside, np.ones((THIN_CELLS, THIN_CELLS)))
        leaning = []
        for window, mine in _parts(ndimage.binary_opening(beside, np.ones((2, 2)))):
            if CELL * max(mine.shape) <= widest:
                leaning.append((window, mine))
                continue
            for inner, core in _parts(thick[window] & mine):
                if CELL * max(core.shape) <= widest:
                    shifted = tuple(
                        slice(w.start + i.start, w.start + i.stop) for w, i in zip(window, inner, strict=True)
                    )
                    leaning.append((shifted, core))
        apart = np.zeros(rise.shape, dtype=bool)
        for window, mine in leaning:
            apart[window] |= mine
        wide = own & ~ndimage.binary_dilation(apart, np.ones((3, 3)))
        parts_by_level.insert(
            0, [(window, mine) for window, mine in leaning if _may_be_figure(rise, window, mine, least)]
        )
    return parts_by_level


def _may_be_figure(rise: Floats, window: tuple[slice, ...], mine: Flags, least: float) -> bool:
    """Whether what leans on something is no edge of it: it has a body's width, and so much of a ledge round it."""
    if CELL * min(mine.shape) < LEANING_SIDE or mine.sum() * CELL**2 < LEANING_PLAN:
        return False
    about = tuple(slice(max(side.start - 4, 0), side.stop + 4) for side in window)
    there = np.zeros(rise.shape, dtype=bool)[about]
    start = [side.start - low.start for side, low in zip(window, about, strict=True)]
    there[start[0] : start[0] + mine.shape[0], start[1] : start[1] + mine.shape[1]] = mine
    square = np.ones((3, 3))
    ring = ndimage.binary_dilation(there, square, iterations=4) & ~ndimage.binary_dilation(there, square)
    heights = rise[about][ring]
    return bool(((heights > LEDGES[0]) & (heights < LEDGES[1])).mean() > least)


SHELL_CELL, SHELL_SHARE, SHELL_HEIGHTS = 10.0, 0.7, (1.0, 25.0)
"""The mm of the cells in which a table is looked for under a piece, the share of the piece's cells that have it, and
the heights in mm at which a piece may be the table once more; under boards and roofs nobody sees the table."""


def second_shell(points: Floats, labels: Integers, size: tuple[float, float] | None) -> float | None:
    """How far over the table it is there once more, in mm, as where a loop did not close; None where it is there once.

    Args:
        points: (n, 3) mm on the table.
        labels: (n,) 0 the table, k the k-th piece.
        size: of the table in mm; None without one.

    >>> second_shell(np.zeros((0, 3)), np.zeros(0, np.int32), (600.0, 400.0)) is None
    True
    """
    if size is None:
        return None
    cells = np.floor(points[:, :2] / SHELL_CELL).astype(np.int64) @ np.array([1 << 20, 1])
    table = np.unique(cells[labels == 0])
    for number in np.unique(labels[labels > 0]):
        mine = labels == number
        height = float(np.median(points[mine, 2]))
        own = np.unique(cells[mine])
        is_large = len(own) * SHELL_CELL**2 > 0.1 * size[0] * size[1]
        if is_large and SHELL_HEIGHTS[0] < height < SHELL_HEIGHTS[1] and np.isin(own, table).mean() > SHELL_SHARE:
            return height
    return None


def about_bases(relief: Relief, points: Floats, figures: Sequence[tuple[Floats, float]]) -> Flags:
    """(n,) the points about what is upright, of any size that figures have, but for figures that are known.

    Args:
        relief: the picture of heights.
        points: (n, 3) mm on the table.
        figures: (2,) mm, where each known figure stands, and the radius of its base.
    """
    things = [
        *prominences(relief, SMALL),
        *prominences(relief.opened(LARGE_OPENING), SMALL, LARGE_TALLEST, LARGE_WIDEST),
    ]
    about = np.zeros(len(points), dtype=bool)
    for thing in things:
        if all(np.hypot(*(thing.middle - middle)) > radius for middle, radius in figures):
            about |= np.hypot(*(points[:, :2] - thing.middle).T) < thing.size.max() / 2.0 + OPENING
    return about


# ---- regions

Indices = NDArray[np.int64]

SPECK = 3.0  # mm; what is smaller than that in all directions is no piece of a game, but noise
JOIN = 6.0  # mm; parts of a piece that a scan has torn apart lie no farther from each other, as under a roof's edge


PARTS_OF_HALF = 100
"""The largest parts of a scan that hold half of what is above its table are so many at most: of tables some ten, of
noisy ones too; of spikes or dust thousands, and each part costs a look at all points."""


def refuse_spikes(points: Floats, edges: Integers, floor: float) -> None:
    """Refuses a scan of which what is above the table is no surface, but spikes or dust.

    Args:
        points: (n, 3) levelled, z = 0 is the table's top.
        edges: (k, 2) pairs of neighbours.
        floor: the height up to which the table reaches.

    Raises:
        RequestError: half of the points that have neighbours up there need more than `PARTS_OF_HALF` connected parts.
    """
    above = points[:, 2] > floor
    joined = edges[above[edges].all(axis=1)]
    index, ends = np.unique(joined, return_inverse=True)
    if len(index) == 0:
        return
    sizes = np.sort(np.bincount(groups_of(len(index), ends.reshape(-1, 2).astype(np.int32))))[::-1]
    parts = 1 + int(np.searchsorted(np.cumsum(sizes), 0.5 * len(index)))
    if parts > PARTS_OF_HALF:
        raise RequestError(
            f"the scan is too jagged: half of what is above its table are {parts:,} parts that nothing joins, as "
            "spikes or dust; a scan is a surface: smooth it, or remove what is no part of the table"
        )


def regions_above(scan: PlacedScan) -> Integers:
    """(n,) int32: 0 the table, k the k-th region above it, -1 specks and what lies below or beside.

    Regions that hang in the air are put to the one that they hang over or by, where there is one near.
    """
    points = np.column_stack([scan.points[:, :2], scan.heights])
    heights, floor, spacing, edges = scan.heights, scan.floor, scan.spacing, scan.edges
    labels = np.full(len(points), -1, dtype=np.int32)
    inside = scan.usable & ~scan.beyond
    labels[inside & (np.abs(heights) <= floor + spacing)] = 0
    labels[inside & scan.on_table] = 0
    above = inside & (heights > floor) & ~(scan.on_table & (heights < 2 * floor))
    links = edges[above[edges[:, 0]] & above[edges[:, 1]]]
    group = groups_of(len(points), links)
    index = np.flatnonzero(above).astype(np.int64)
    if len(index) == 0:
        return labels
    numbers, group_of = np.unique(group[index], return_inverse=True)
    group_of = group_of.astype(np.int64)
    low = np.full((len(numbers), 3), np.inf)
    high = np.full((len(numbers), 3), -np.inf)
    np.minimum.at(low, group_of, points[index])
    np.maximum.at(high, group_of, points[index])
    count = np.bincount(group_of)
    least = max(SPECK, 2 * spacing)
    bump = (low[:, 2] < least) & (
        high[:, 2] < max(2.0, 6 * scan.noise)
    )  # no higher than a coin: nothing hides behind it
    speck = ~bump & ((high - low).max(1) < least) | (count < 6)
    result = np.where(speck, -1, np.where(bump, 0, -2))
    whole = np.flatnonzero(result == -2).astype(np.int64)
    result[whole] = 1 + _joined(points, index, group_of, whole, low, floor, spacing)
    final = result[group_of]
    final[(final == -1) & (heights[index] < least)] = 0
    labels[index] = final
    return _without_crumbs(points, labels, spacing)


def _without_crumbs(points: Floats, labels: Integers, spacing: float, least: float = 150.0) -> Integers:
    """Labels in which regions of few points, of less than so many square mm, have gone to the table or to -1.

    To the table where they lie on it: so small and low a thing is its unevenness.
    """
    count = np.bincount(labels[labels > 0], minlength=int(labels.max(initial=0)) + 1)
    small = np.flatnonzero((count * 0.87 * spacing**2 < max(least, 20 * spacing**2)) & (count > 0))
    out = labels.copy()
    for number in small[small > 0]:
        members = labels == number
        out[members] = 0 if points[members, 2].min() < 2 * SPECK else -1
    return out


def _joined(
    points: Floats, index: Indices, group_of: Indices, whole: Indices, low: Floats, floor: float, spacing: float
) -> Integers:
    """(k,) the number of the region, from 0, of each group in `whole`, with those in the air put to what is near."""
    order = np.full(group_of.max() + 1, -1)
    order[whole] = np.arange(len(whole))
    part = order[group_of]
    pairs = [np.empty((0, 2), dtype=np.int64)]
    standing = low[whole, 2] < floor + max(2.0, 2 * spacing)
    for number in np.flatnonzero(~standing):
        mine = points[index[part == number]]
        reach = max(JOIN, 3 * spacing)
        near = (part != number) & (part >= 0)
        near &= (points[index] > mine.min(0) - [reach, reach, np.inf]).all(1) & (
            points[index] < mine.max(0) + reach
        ).all(1)
        others = index[near]
        if len(others) == 0:
            continue
        distance, which = cKDTree(points[others]).query(mine, distance_upper_bound=reach)
        if np.isfinite(distance).any():
            best = part[near][which[int(np.argmin(distance))]]
        else:  # over it: what it stands on cannot be seen from above
            flat, below = cKDTree(points[others, :2]).query(mine[:, :2], distance_upper_bound=max(2.0, 2 * spacing))
            if not np.isfinite(flat).any():
                continue
            best = np.bincount(part[near][below[np.isfinite(flat)]]).argmax()
        pairs.append(np.array([[number, best]]))
    return groups_of(len(whole), np.vstack(pairs).astype(np.int32))


def taken_in(points: Floats, labels: Integers) -> Integers:
    """Labels in which small regions that lie within a large one, such as a floor seen through its windows, are its.

    Within: nearly all of it under the hull of the larger one's plan and no higher; small: a tenth of its points. What
    stands on the table in there, as a die in a ruin, stays by itself.
    """
    out = labels.copy()
    numbers, count = np.unique(labels[labels > 0], return_counts=True)
    order = np.argsort(-count, kind="stable")
    for k in order:
        large = labels == numbers[k]
        smaller = [j for j in order if count[j] < 0.1 * count[k] and (out[labels == numbers[j]] == numbers[j]).all()]
        if count[k] < 2000 or not smaller:
            continue
        hull = ConvexHull(points[large, :2])
        sides, low_2d, high_2d = hull.equations, hull.min_bound, hull.max_bound
        for j in smaller:
            small = labels == numbers[j]
            low, high = points[small].min(0), points[small].max(0)
            if high[2] > points[large, 2].max() or (high[:2] < low_2d).any() or (low[:2] > high_2d).any():
                continue
            stands = low[2] < 2.0 and high[2] - low[2] > 0.5 * (high - low)[:2].max()
            within = (points[small, :2] @ sides[:, :2].T + sides[:, 2] < 0.0).all(axis=1)
            if not stands and within.mean() > 0.9:
                out[small] = numbers[k]
    return out
