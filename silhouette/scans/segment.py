"""SEGMENT: what stands upright on the ground about it, whatever it stands on and whether a base is seen or not.

A picture of heights, its local ground, and what rises from that (a white top-hat: Serra, "Image analysis and
mathematical morphology", 1982)::

            __                                             __
         __|  |__      the opening by a square of 60 mm    |  |        what rises: figures, on roofs as well, and
     ___|        |___  keeps what is wider: the ground     |  |        what is thin, as walls and fences. Of these
    |     roof       | and roofs                        ___|  |___     the compact parts may be figures

What is compact only above some height, as a figure at a wall, is cut off there: parts are looked for at several
heights, from the lowest on, and each is taken where it is compact first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from silhouette.common.geometry import Flags, Floats, Integers

CELL = 2.0  # mm, of the picture: finer than any base, and coarser than what a scan gets wrong
OPENING = 60.0  # mm: what is narrower than that in one direction rises from the ground; bases have 25 to 50
WIDEST = 62.0  # mm: what is wider than that is no single figure
LOWEST, TALLEST = 16.0, 95.0  # mm: the heights of figures over their ground; a base with half of a gnome has 16
LEAST_PLAN = 40.0  # mm2: less is a chimney, a spear or an edge
LEVELS = (6.0, 9.0, 13.0, 18.0, 25.0, 34.0, 45.0)
"""mm over the local ground: at these heights parts are parted. The first is above all bases, so that two figures base
to base are two; the steps are those of a figure's thirds."""

LARGE_OPENING, LARGE_WIDEST, LARGE_TALLEST = 112.0, 114.0, 130.0
"""mm: the same three of monsters on bases of up to 110 mm, which are figures only where a round base is seen."""

SMALL = 10.0  # mm: the height of the lowest things that may be figures where a round base is seen

SHALLOW = 10.0  # mm: what is cut off from something else rises so far above the cut at least
PIT = 40.0  # mm below the table: what lies lower, as a floor, is another world, and is cut off there
MOST_CELLS = 16_000_000  # of a picture: a floor of 8 x 8 m


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
    cut: float  # mm over the ground: so high it is cut off from what it is grown together with; the least of `LEVELS`
    # where it stands free

    @property
    def is_free(self) -> bool:
        """Whether nothing but low things, such as other bases, is grown together with it."""
        return self.cut <= LEVELS[1]


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
    if not inside.any():
        return None
    seen = points[inside]
    if len(faces):
        seen = np.vstack([seen, *_on_faces(points, faces[inside[faces].all(axis=1)])])
    low = seen[:, :2].min(axis=0)
    shape = np.floor(np.ptp(seen[:, :2], axis=0) / CELL).astype(np.int64) + 1
    if shape.prod() > MOST_CELLS:
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


def _on_faces(points: Floats, faces: Integers) -> Iterator[Floats]:
    """Places (k, 3) on triangles, less than a cell apart."""
    a, b, c = (points[faces[:, corner]] for corner in range(3))
    (x, y), (u, v) = (b - a)[:, :2].T, (c - a)[:, :2].T
    area = 0.5 * np.abs(x * v - y * u)
    count = 1 + (4.0 * area / CELL**2).astype(np.int64)
    face = np.repeat(np.arange(len(faces)), count)
    # R2, a sequence of points that fill a square evenly (M. Roberts, 2018), folded into the triangle.
    number = np.arange(len(face), dtype=np.float64)
    u, v = (0.5 + 0.7548776662466927 * number) % 1.0, (0.5 + 0.5698402909980532 * number) % 1.0
    outside = u + v > 1.0
    u, v = np.where(outside, 1.0 - u, u)[:, None], np.where(outside, 1.0 - v, v)[:, None]
    yield a[face] + u * (b - a)[face] + v * (c - a)[face]


def prominences(
    relief: Relief, lowest: float = LOWEST, tallest: float = TALLEST, widest: float = WIDEST
) -> list[Prominence]:
    """What is compact and upright, by where it stands (x, then y); heights and width are mm."""
    rise = relief.rise
    taken = np.zeros(rise.shape, dtype=bool)
    things: list[Prominence] = []
    for level in LEVELS:
        parts, _ = ndimage.label(rise > level, np.ones((3, 3)))
        for number, window in enumerate(ndimage.find_objects(parts), 1):
            mine = parts[window] == number
            size = CELL * np.array(mine.shape)
            if size.max() > widest or mine.sum() * CELL**2 < LEAST_PLAN or (taken[window] & mine).any():
                continue
            tall = float(rise[window][mine].max())
            if not lowest <= tall <= tallest or (level > LEVELS[1] and tall < level + SHALLOW):
                continue
            taken[window] |= mine
            low = np.array([window[0].start, window[1].start]) * CELL + relief.low
            ground = float(np.median(relief.ground[window][mine]))
            things.append(Prominence(low + size / 2.0, size, tall, ground, level))
    return sorted(things, key=lambda thing: tuple(thing.middle.tolist()))


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
