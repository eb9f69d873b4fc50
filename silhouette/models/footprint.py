"""TAG: a model cut level, and the cuts as cells in plan.

faces -> section at a height -> cells within its outer outlines
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats

Indices = NDArray[np.intp]

GRID = 128  # cells across the footprint
SECTORS = 72  # directions from the middle of the base in which its rim is looked at
MOST_SAMPLES = 5_000_000  # of a surface: a figure has a tenth; thousands of large sheets in each other have billions


class TooManyLayers(Exception):
    """The error for a surface that lies over itself too often."""


@dataclass(frozen=True)
class Window:
    """A square grid of GRID x GRID cells in plan round what is cut.

    Attributes:
        low: (2,) x and y of its corner, mm.
        cell: mm across one cell.
        size: mm, the longer side of the box round that.
    """

    low: Floats
    cell: float
    size: float

    @classmethod
    def round(cls, points: Floats, least: float) -> Window | None:
        """The window round points in plan (n, 2); None where these span less than ``least`` mm, or are infinite."""
        if len(points) == 0:
            return None
        low, high = points.min(axis=0), points.max(axis=0)
        size = float((high - low).max())
        if not least <= size < np.inf:
            return None
        cell = 1.1 * size / GRID
        return cls((low + high) / 2.0 - cell * GRID / 2.0, cell, size)

    def cells(self, points: Floats) -> tuple[Indices, Flags]:
        """Flat indices of the cells that points (n, 2) lie in, and (n,) bool which of the points lie in the window."""
        column, row = np.floor((points - self.low) / self.cell).astype(np.intp).T
        inside = (column >= 0) & (column < GRID) & (row >= 0) & (row < GRID)
        return row[inside] * GRID + column[inside], inside

    def clipped(self, segments: Floats) -> Floats:
        """What lies in the window of segments (n, 2, 2): (k, 2, 2); those that lie in it whole stay as they are."""
        start, run = segments[:, 0], segments[:, 1] - segments[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.stack([(self.low - start) / run, (self.low + GRID * self.cell - start) / run])
        # Along an axis that the segment does not run along, it lies between the borders (from -inf to inf) or not.
        enters, leaves = (np.where(np.isnan(at), -np.inf, at) for at in (shares.min(axis=0), -shares.max(axis=0)))
        first = np.maximum(enters.max(axis=1), 0.0)[:, None]
        last = np.minimum(-leaves.max(axis=1), 1.0)[:, None]
        kept = (first <= last)[:, 0]
        first, last, start, run = first[kept], last[kept], start[kept], run[kept]
        begin = np.where(first > 0.0, start + first * run, start)
        end = np.where(last < 1.0, start + last * run, segments[kept, 1])
        inside: Floats = np.stack([begin, end], axis=1)
        return inside

    def middles(self, flat: Indices) -> Floats:
        """The middles (n, 2) of cells given by flat indices (n,), mm."""
        return self.low + (np.stack([flat % GRID, flat // GRID], axis=1) + 0.5) * self.cell


def filled(triangles: Floats, window: Window, z: float) -> Flags:
    """Cells (GRID, GRID) bool within the outer outlines of the section at height ``z``, hollows filled."""
    # The outlines are drawn as walls without a gap; the free cells that are connected with the border of the grid are
    # outside. That works for shells that overlap and for faces that are turned inside out as well.
    ends = window.clipped(section(triangles, z))
    steps = np.ceil(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / (0.7 * window.cell)).astype(np.intp) + 1
    if steps.sum() > MOST_SAMPLES:
        raise TooManyLayers
    segment = np.repeat(np.arange(len(ends)), steps)
    along = (np.arange(len(segment)) - np.repeat(np.cumsum(steps) - steps, steps)) / np.maximum(steps - 1, 1)[segment]
    wall = np.zeros(GRID * GRID, dtype=np.bool_)
    wall[window.cells(ends[segment, 0] + along[:, None] * (ends[segment, 1] - ends[segment, 0]))[0]] = True
    free = ~wall.reshape(GRID, GRID)
    edge = np.zeros_like(free)
    edge[[0, -1]] = edge[:, [0, -1]] = True
    return ~joined(free, edge)


def joined(free: Flags, seeds: Flags) -> Flags:
    """The cells of ``free`` that are connected to a seed by steps along rows and columns in it, all (n, n) bool."""
    from scipy.ndimage import label

    piece, count = label(free)
    reached = np.zeros(count + 1, dtype=np.bool_)
    reached[piece[free & seeds]] = True
    connected: Flags = reached[piece]
    return connected


def largest(mask: Flags) -> Flags:
    """The largest piece of ``mask`` (n, n) bool that is connected along rows and columns; of equal ones the first."""
    from scipy.ndimage import label

    piece, count = label(mask)
    sizes = np.bincount(piece.ravel(), minlength=count + 1)
    sizes[0] = 0
    chosen: Flags = (piece == sizes.argmax()) & mask
    return chosen


def polar(cells: Indices, window: Window, centre: Floats) -> tuple[Indices, Floats]:
    """The direction (n,), a sector from 0 to SECTORS - 1, and the distance (n,) in mm of cells from ``centre`` (2,)."""
    x, y = (window.middles(cells) - centre).T
    turns = np.arctan2(y, x) / (2.0 * np.pi) + 0.5
    return np.floor(turns * SECTORS).astype(np.intp) % SECTORS, np.hypot(x, y)


def radii(cells: Indices, window: Window, centre: Floats) -> Floats:
    """(SECTORS,) mm from ``centre`` to which the cells (n,) reach in each direction; zero where none lies."""
    sector, radius = polar(cells, window, centre)
    reach = np.zeros(SECTORS)
    np.maximum.at(reach, sector, radius)
    return reach


def section(triangles: Floats, z: float) -> Floats:
    """The segments (k, 2, 2) in plan along which triangles (m, 3, 3) cross the height ``z``."""
    above = triangles[:, :, 2] >= z
    corners_above = above @ np.ones(3, dtype=np.int8)
    crossing = (corners_above > 0) & (corners_above < 3)
    triangles, above, corners_above = triangles[crossing], above[crossing], corners_above[crossing]
    alone = np.where(corners_above == 1, above.argmax(axis=1), above.argmin(axis=1))
    row = np.arange(len(triangles))
    tip = triangles[row, alone][:, None]
    ends = np.stack([triangles[row, (alone + turn) % 3] for turn in (1, 2)], axis=1)
    share = (z - tip[:, :, 2:]) / (ends[:, :, 2:] - tip[:, :, 2:])
    crossed: Floats = (tip + share * (ends - tip))[:, :, :2]
    return crossed


def plan_between(triangles: Floats, low: float, high: float) -> Floats:
    """The plan (n, 2) of what lies from ``low`` to ``high``: the corners there, and where edges cross either."""
    points = triangles.reshape(-1, 3)
    inside = points[(points[:, 2] >= low) & (points[:, 2] <= high), :2]
    return np.concatenate([inside, *(section(triangles, z).reshape(-1, 2) for z in (low, high))])
