"""SCAN: the edges of a table: the rectangle round its surface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.spatial import ConvexHull

from silhouette.common.geometry import Floats

STRIPS = 24  # into how many strips the surface is cut along each edge, each of which says where the edge is


@dataclass(frozen=True)
class Rectangle:
    """A table's outline in its plane."""

    middle: tuple[float, float]  # x and y
    turn: float  # radians anticlockwise from x to the edge whose length is `size[0]`
    size: tuple[float, float]  # both lengths


def rectangle_round(flat: Floats, pixel: float, over: Floats | None = None) -> Rectangle:
    """The rectangle round the points (n, 2) of a table's surface; lone specks and fringes do not count.

    The surface is painted with pixels; openings narrower than five go, thinner parts than three are specks. The
    smallest rectangle round the convex hull (one side lies along a side of the hull: Freeman and Shapira 1975) gives
    the direction. Each edge is then where most strips across it end; a round or ragged table's ends differ much, and
    its edge is where the outermost end; its x is kept.

    Points ``over`` (m, 2) stand on the table or hang over it: they join its parts, and where they go on beyond most of
    an edge they cover the table there, so that it ends where they do.
    """
    over = np.zeros((0, 2)) if over is None else over
    kept, over = _largest_part(flat, over, pixel)
    turn = _direction(kept)
    turned = kept @ _rotation(turn)
    if not any(_edge(turned, axis, sign, pixel)[2] for axis in (0, 1) for sign in (-1, 1)):
        turn = 0.0
    for _ in range(3):
        turned = kept @ _rotation(turn)
        ends = [_edge(turned, axis, sign, pixel) for axis in (0, 1) for sign in (-1, 1)]
        lean = [slope for _, slope, straight in ends if straight]
        if not lean:
            break
        turn += float(np.median(lean))
    turned, above = kept @ _rotation(turn), over @ _rotation(turn)
    sides = np.array([[_edge(turned, axis, sign, pixel)[0] for sign in (-1, 1)] for axis in (0, 1)])
    for axis in (0, 1):
        sides[axis] = _covered(turned, above, sides, axis, pixel)
    middle = _rotation(turn) @ sides.mean(axis=1)
    size = sides[:, 1] - sides[:, 0]
    return Rectangle((float(middle[0]), float(middle[1])), turn, (float(size[0]), float(size[1])))


def _covered(turned: Floats, over: Floats, sides: Floats, axis: int, pixel: float) -> Floats:
    """Both ends of the table along an axis, moved out where most of an edge is covered by what goes on beyond it.

    At most by as much as is seen of the table: more would be another table.
    """
    ends: Floats = sides[axis].copy()
    within = (over[:, 1 - axis] > sides[1 - axis, 0]) & (over[:, 1 - axis] < sides[1 - axis, 1])
    seen = ends[1] - ends[0]
    for k, sign in enumerate((-1, 1)):
        out = sign * over[:, axis]
        beyond = within & (out > sign * ends[k] - 2 * pixel) & (out < sign * ends[k] + 1.2 * seen)
        strips = np.floor((over[beyond, 1 - axis] - sides[1 - axis, 0]) / np.ptp(sides[1 - axis]) * STRIPS).astype(int)
        if len(np.unique(strips)) < 0.7 * STRIPS:
            continue
        both = np.concatenate([turned, over[beyond]])
        end, _, straight = _edge(both, axis, sign, pixel)
        moved = sign * (end - ends[k])
        # A roof covers the table up to its end; a wall behind stands apart from it.
        steps = np.floor((out[beyond] - sign * ends[k]) / pixel)
        full = len({*steps[(steps >= 0) & (steps < moved / pixel)].tolist()}) > 0.7 * moved / pixel
        if straight and full and moved > 0.02 * seen:
            ends[k] = end
    return ends


def _rotation(turn: float) -> Floats:
    """(2, 2): its columns are the directions along and across, so that points @ it are turned back."""
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, -s], [s, c]])


def _largest_part(flat: Floats, over: Floats, pixel: float) -> tuple[Floats, Floats]:
    """The points of the largest part that hangs together, and those over the table that belong to it."""
    points = np.vstack([flat, over])
    low = points.min(axis=0) - 4 * pixel
    steps = np.floor((points - low) / pixel).astype(np.int64)
    picture = np.zeros(steps.max(axis=0) + 5, dtype=bool)
    picture[steps[:, 0], steps[:, 1]] = True
    picture = ndimage.binary_fill_holes(ndimage.binary_closing(picture, np.ones((3, 3)), iterations=2))
    opened = ndimage.binary_opening(picture, np.ones((3, 3)), iterations=1)
    parts, count = ndimage.label(opened if opened.any() else picture, np.ones((3, 3)))
    largest = int(np.argmax(np.bincount(parts.ravel())[1:])) + 1 if count else 0
    mine = parts[steps[:, 0], steps[:, 1]] == largest
    return flat[mine[: len(flat)]], over[mine[len(flat) :]]


def _direction(flat: Floats) -> float:
    """Radians to one side of the smallest rectangle round some points."""
    corners = flat[ConvexHull(flat).vertices]
    along = np.roll(corners, -1, axis=0) - corners
    turns = np.arctan2(along[:, 1], along[:, 0]) % (np.pi / 2)
    c, s = np.cos(turns)[:, None], np.sin(turns)[:, None]
    x, y = corners[:, 0] * c + corners[:, 1] * s, corners[:, 1] * c - corners[:, 0] * s
    return float(turns[np.argmin(np.ptp(x, axis=1) * np.ptp(y, axis=1))])


def _edge(flat: Floats, axis: int, sign: int, pixel: float) -> tuple[float, float, bool]:
    """Where the points end along an axis, by how many radians that edge leans, and whether it is straight.

    Strips within a twelfth of the corners do not count: corners are round or torn.
    """
    out, along = sign * flat[:, axis], flat[:, 1 - axis]
    low, high = along.min(), along.max()
    strips = np.clip(((along - low) / max(high - low, 1e-300) * STRIPS).astype(int), 0, STRIPS - 1)
    ends = ndimage.maximum(out, strips, np.arange(STRIPS))
    found = np.bincount(strips, minlength=STRIPS) > 0
    inner = np.zeros(STRIPS, dtype=bool)
    inner[STRIPS // 12 : STRIPS - STRIPS // 12] = True
    at = low + (np.arange(STRIPS) + 0.5) * (high - low) / STRIPS
    use = found & inner
    if use.sum() < 6:
        return sign * float(out.max()), 0.0, False
    x, y = at[use], ends[use]
    i, j = np.triu_indices(len(x), len(x) // 3)
    slope = float(np.median((y[j] - y[i]) / (x[j] - x[i])))  # Theil and Sen
    level = float(np.median(y - slope * (x - (low + high) / 2)))
    rest = y - slope * (x - (low + high) / 2) - level
    straight = float(np.median(np.abs(rest))) < max(pixel, 0.01 * (high - low))
    if not straight:
        return sign * float(ends[found].max()), 0.0, False
    return sign * level, float(np.arctan(slope)) * (-1 if axis == 0 else 1) * sign, True
