"""TAG: a mesh cut at heights and looked down on, in a grid of cells in plan: what its base is told by.

triangles, a height -> `section`: segments in plan -> `filled`: the cells within the outer outlines
triangles -> `Levels`: the heights of the surface over the middles of cells, where it is flat enough
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
import shapely
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, spread

Indices = NDArray[np.intp]

FOOTPRINT_CELLS_ACROSS = 128  # cells across the footprint
SECTORS = 72  # directions from the middle of the base in which its rim is looked at
# Of a surface: a figure has a tenth; thousands of large sheets in each other have billions.
MAX_SURFACE_SAMPLES = 5_000_000
MIN_BASE_HEIGHT_MM = 0.7  # mm; thinner than any base that is cast or printed
RECTANGULAR = 0.93  # the least share of its turned bounding box that a rectangle fills: a disc fills 0.79


class TooManyLayers(Exception):
    """The error for a surface that lies over itself too often."""


@dataclass(frozen=True)
class Window:
    """A square grid of GRID x GRID cells in plan round what is cut."""

    low: Floats  # (2,) x and y of its corner, mm
    cell: float  # mm across one cell
    size: float  # mm, the longer side of the box round that

    @classmethod
    def round(cls, points: Floats, least: float) -> Window | None:
        """The window round points in plan (n, 2); None where these span less than ``least`` mm, or are infinite."""
        if len(points) == 0:
            return None
        low, high = points.min(axis=0), points.max(axis=0)
        size = float((high - low).max())
        if not least <= size < np.inf:
            return None
        cell = 1.1 * size / FOOTPRINT_CELLS_ACROSS
        return cls((low + high) / 2.0 - cell * FOOTPRINT_CELLS_ACROSS / 2.0, cell, size)

    def cells(self, points: Floats) -> tuple[Indices, Flags]:
        """Flat indices of the cells that points (n, 2) lie in, and (n,) bool which of the points lie in the window."""
        column, row = np.floor((points - self.low) / self.cell).astype(np.intp).T
        inside = (column >= 0) & (column < FOOTPRINT_CELLS_ACROSS) & (row >= 0) & (row < FOOTPRINT_CELLS_ACROSS)
        return row[inside] * FOOTPRINT_CELLS_ACROSS + column[inside], inside

    def clipped(self, segments: Floats) -> Floats:
        """What lies in the window of segments (n, 2, 2): (k, 2, 2); those that lie in it whole stay as they are."""
        if ((segments >= self.low) & (segments <= self.low + FOOTPRINT_CELLS_ACROSS * self.cell)).all():
            return segments
        start, run = segments[:, 0], segments[:, 1] - segments[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.stack([(self.low - start) / run, (self.low + FOOTPRINT_CELLS_ACROSS * self.cell - start) / run])
        # Along an axis that the segment does not run along, it lies between the borders (from -inf to inf) or not.
        enters, leaves = (np.where(np.isnan(at), -np.inf, at) for at in (shares.min(axis=0), -shares.max(axis=0)))
        first = np.maximum(enters.max(axis=1), 0.0)[:, None]
        last = np.minimum(-leaves.max(axis=1), 1.0)[:, None]
        crosses = (first <= last)[:, 0]
        first, last, start, run = first[crosses], last[crosses], start[crosses], run[crosses]
        begin = np.where(first > 0.0, start + first * run, start)
        end = np.where(last < 1.0, start + last * run, segments[crosses, 1])
        return np.stack([begin, end], axis=1)

    def hull(self, mask: Flags) -> Any:
        """The convex hull, shapely's, of the middles of the cells in ``mask`` (GRID, GRID) bool."""
        rows = np.flatnonzero(mask.any(axis=1))
        first, last = mask[rows].argmax(axis=1), FOOTPRINT_CELLS_ACROSS - 1 - mask[rows, ::-1].argmax(axis=1)
        ends = np.concatenate([rows * FOOTPRINT_CELLS_ACROSS + first, rows * FOOTPRINT_CELLS_ACROSS + last])
        return shapely.convex_hull(shapely.multipoints(self.middles(ends)))

    def middles(self, flat: Indices) -> Floats:
        """The middles (n, 2) of cells given by flat indices (n,), mm."""
        return (
            self.low
            + (np.stack([flat % FOOTPRINT_CELLS_ACROSS, flat // FOOTPRINT_CELLS_ACROSS], axis=1) + 0.5) * self.cell
        )


def filled(triangles: Floats, window: Window, z: float) -> Flags:
    """Cells (GRID, GRID) bool within the outer outlines of the section at height ``z``, hollows filled."""
    # The outlines are drawn as walls without a gap; the free cells that are connected with the border of the grid are
    # outside. That works for shells that overlap and for faces that are turned inside out as well.
    ends = window.clipped(section(triangles, z))
    steps = np.ceil(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / (0.7 * window.cell)).astype(np.intp) + 1
    if steps.sum() > MAX_SURFACE_SAMPLES:
        raise TooManyLayers
    step, segment = spread(0, steps)
    along = step / np.maximum(steps - 1, 1)[segment]
    wall = np.zeros(FOOTPRINT_CELLS_ACROSS * FOOTPRINT_CELLS_ACROSS, dtype=np.bool_)
    wall[window.cells(ends[segment, 0] + along[:, None] * (ends[segment, 1] - ends[segment, 0]))[0]] = True
    free = ~wall.reshape(FOOTPRINT_CELLS_ACROSS, FOOTPRINT_CELLS_ACROSS)
    edge = np.zeros_like(free)
    edge[[0, -1]] = edge[:, [0, -1]] = True
    return ~joined(free, edge)


def joined(free: Flags, seeds: Flags) -> Flags:
    """The cells of ``free`` that are connected to a seed by steps along rows and columns in it, all (n, n) bool."""

    piece, count = scipy.ndimage.label(free)
    reached = np.zeros(count + 1, dtype=np.bool_)
    reached[piece[free & seeds]] = True
    connected: Flags = reached[piece]
    return connected


def largest(mask: Flags) -> Flags:
    """The largest piece of ``mask`` (n, n) bool that is connected along rows and columns; of equal ones the first."""

    piece, count = scipy.ndimage.label(mask)
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
    a, b, c = (triangles[:, corner, 2] >= z for corner in range(3))
    crossing = np.flatnonzero((a != b) | (b != c))
    triangles, a, b, c = triangles[crossing], a[crossing], b[crossing], c[crossing]
    alone = np.where(a == b, 2, np.where(a == c, 1, 0))
    row = np.arange(len(triangles))
    tip = triangles[row, alone][:, None]
    ends = np.stack([triangles[row, (alone + turn) % 3] for turn in (1, 2)], axis=1)
    share = (z - tip[:, :, 2:]) / (ends[:, :, 2:] - tip[:, :, 2:])
    return (tip + share * (ends - tip))[:, :, :2]


def plan_between(triangles: Floats, low: float, high: float) -> Floats:
    """The plan (n, 2) of what lies from ``low`` to ``high``: the corners there, and where edges cross either."""
    points = triangles.reshape(-1, 3)
    inside = points[(points[:, 2] >= low) & (points[:, 2] <= high), :2]
    return np.concatenate([inside, *(section(triangles, z).reshape(-1, 2) for z in (low, high))])


# ---- where the surface is level


@dataclass(frozen=True)
class Levels:
    """The heights of the surface over the middles of cells, wherever it is flatter than some slope."""

    cell: Indices  # (n,) flat index of a cell, one for each time that the surface passes over the middle of the cell
    z: Floats  # (n,) float64, mm, the height of the surface there

    @classmethod
    def of(
        cls, triangles: Floats, window: Window, flattest: float, ceiling: float, least: float = MIN_BASE_HEIGHT_MM
    ) -> Levels:
        """Sampled from the triangles (m, 3, 3) whose unit normal has a vertical part of more than ``flattest``."""
        # Each triangle is drawn into the grid by scan lines: first the rows that its plan spans, then in each row the
        # columns between its left and its right side. Its plane gives the height over the middle of each cell.
        heights = triangles[:, :, 2]
        triangles = triangles[(heights.max(axis=1) >= least) & (heights.min(axis=1) <= ceiling)]
        normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        level = np.abs(normal[:, 2]) > flattest * np.linalg.norm(normal, axis=1)
        triangles, normal = triangles[level], normal[level]
        plan = (triangles[:, :, :2] - window.low) / window.cell - 0.5  # a cell's middle has whole coordinates
        triangle, row = _spans(plan[:, :, 1].min(axis=1), plan[:, :, 1].max(axis=1))
        left, right = _crossings(plan[triangle], row)
        scan, column = _spans(left, right)
        triangle, row = triangle[scan], row[scan]
        offset = (np.stack([column, row], axis=1) - plan[triangle, 0]) * window.cell
        z = triangles[triangle, 0, 2] - (offset * normal[triangle, :2]).sum(axis=1) / normal[triangle, 2]
        in_range = (z >= least - 0.6) & (z <= ceiling)
        return cls((row * FOOTPRINT_CELLS_ACROSS + column)[in_range], z[in_range])

    def candidates(self, reach: float, ceiling: float) -> Iterator[float]:
        """Heights about which much of the surface is level within ``reach``: the largest area first, well apart."""
        step = 0.05
        counts = np.bincount((self.z / step).astype(np.intp), minlength=1)
        width = 2 * round(reach / step) + 1
        support = np.convolve(counts, np.ones(width), mode="full")[width // 2 :][: len(counts)]
        heights = (np.arange(len(counts)) + 0.5) * step
        support[(heights < MIN_BASE_HEIGHT_MM) | (heights > ceiling)] = 0.0
        while (best := float(support.max())) > 0.006 * FOOTPRINT_CELLS_ACROSS**2:
            middle = heights[support.argmax()]
            height = float(np.median(self.within(middle, reach + step).z))
            support[np.abs(heights - middle) <= 2.0 * reach + step] = 0.0
            around = np.count_nonzero(np.abs(self.z - middle) <= 3.0 * reach)
            # A level has most of its surface within the reach; a slope has as much of it just above and just below.
            if best > 0.6 * around or reach < 0.2:
                yield height

    def within(self, height: float, reach: float) -> Levels:
        """The levels within ``reach`` of ``height``."""
        chosen = np.abs(self.z - height) <= reach
        return Levels(self.cell[chosen], self.z[chosen])

    def below(self, height: float) -> Flags:
        """Cells (GRID, GRID) bool in which any of it lies no higher than ``height``."""
        covered = np.zeros((FOOTPRINT_CELLS_ACROSS, FOOTPRINT_CELLS_ACROSS), dtype=np.bool_)
        covered.flat[self.cell[self.z <= height]] = True
        return covered

    def is_plane(self, height: float) -> bool:
        """Whether the surface near ``height`` is one level plane."""
        apart = np.abs(self.z - height)
        return bool(np.count_nonzero(apart <= 0.03) >= 0.7 * np.count_nonzero(apart <= 0.15))


def _spans(low: Floats, high: Floats) -> tuple[Indices, Indices]:
    """All whole numbers of the grid from ``low`` to ``high`` (n,): the index of the span (k,), and the number (k,)."""
    first = np.ceil(np.clip(low, 0, FOOTPRINT_CELLS_ACROSS)).astype(np.intp)
    count = np.maximum(np.floor(np.clip(high, -1, FOOTPRINT_CELLS_ACROSS - 1)).astype(np.intp) - first + 1, 0)
    if count.sum() > MAX_SURFACE_SAMPLES:
        raise TooManyLayers
    number, span = spread(first, count)
    return span, number


def _crossings(plan: Floats, row: Indices) -> tuple[Floats, Floats]:
    """Least and greatest x at which the outlines of triangles (n, 3, 2) cross the lines y = ``row`` (n,)."""
    start, end = plan, np.roll(plan, -1, axis=1)
    rise = end[:, :, 1] - start[:, :, 1]
    share = (row[:, None] - start[:, :, 1]) / np.where(rise == 0.0, np.inf, rise)
    x = start[:, :, 0] + share * (end[:, :, 0] - start[:, :, 0])
    crossed = (share >= 0.0) & (share <= 1.0) & (rise != 0.0)
    return np.where(crossed, x, np.inf).min(axis=1), np.where(crossed, x, -np.inf).max(axis=1)


def width_and_middle(points: Floats) -> tuple[float, tuple[float, float]]:
    """The greatest width in mm of the outline of points (n, 2), for a rectangle its longer side; and its middle."""
    hull = shapely.convex_hull(shapely.multipoints(points))
    # A scanned disc's hull has thousands of corners.
    tolerance = max(1e-4, 1e-6 * float(np.ptp(points, axis=0).max()))
    corners = shapely.get_coordinates(shapely.simplify(hull, tolerance))
    width = float(np.sqrt(((corners[:, None] - corners) ** 2).sum(axis=2)).max())
    box = shapely.oriented_envelope(hull)
    if hull.area > RECTANGULAR * box.area:
        sides = np.diff(shapely.get_coordinates(box)[:3], axis=0)
        longer = float(np.linalg.norm(sides, axis=1).max())
        width = longer if longer > 0.7 * width else width  # of points almost on a line, shapely's box may be a sliver
    x, y = (points.min(axis=0) + points.max(axis=0)) / 2.0
    return width, (float(x), float(y))
