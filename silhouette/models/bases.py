"""TAG: the boundary between a miniature's base and the figure, found from the shape alone.

A base is a slab: it rests flat on the ground, its outline stays nearly constant up to its top, and the top is a level
ledge all round the figure on it. Each height at which much of the surface is level is therefore tested twice::

              /figure.
              |      |                     footprint
       ledge  |      |  ledge                -> levels: where the surface is level
      +-------+      +-------+  <- height    -> candidate heights
      |         slab         |               -> is there a slab below?
      +----------------------+  ground       -> does its ledge reach the rim in most directions?
      |<----- diameter ----->|               -> measured exactly, on the vertices
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy
import shapely
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, spread
from silhouette.meshes.mesh import Mesh

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
        crosses = (first <= last)[:, 0]
        first, last, start, run = first[crosses], last[crosses], start[crosses], run[crosses]
        begin = np.where(first > 0.0, start + first * run, start)
        end = np.where(last < 1.0, start + last * run, segments[crosses, 1])
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
    step, segment = spread(0, steps)
    along = step / np.maximum(steps - 1, 1)[segment]
    wall = np.zeros(GRID * GRID, dtype=np.bool_)
    wall[window.cells(ends[segment, 0] + along[:, None] * (ends[segment, 1] - ends[segment, 0]))[0]] = True
    free = ~wall.reshape(GRID, GRID)
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


Source = Literal["auto", "part", "height", "parts", "given"]
LEAST_HEIGHT = 0.7  # mm; thinner than any base that is cast or printed
LEAST_DIAMETER = 12.0  # mm; smaller than any base in use, larger than one boot
GREATEST_SHARE = 0.4  # of the model's height: a higher slab is a hull, a crate or a body
GREATEST_SLOPE = 0.3  # height over diameter: a higher slab is a pillar
LEDGE_SHARE = 0.55  # of all directions: in these at least, the ledge must reach from the figure to the rim
HUNG_LEDGE_SHARE = 0.7  # the same, where something hangs below the slab or lies round it: boots widen upwards as well
LIP_SHARE = 0.85  # the same, for a second level above the first: a lip or an upper step
SOLID = 0.8  # the least share of its convex hull that a slab fills: two boots next to each other fill less
RECTANGULAR = 0.93  # the least share of its turned bounding box that a rectangle fills: a disc fills 0.79
STEADY_FALL = -0.7  # correlation of height with distance from the middle: below it a rough top is a gown's hem
GREATEST_HEIGHT = 12.0  # mm; scenic plinths reach 8 to 10
LEAST_FIGURE = 2.0  # mm that must rise above a base: a slab with nothing on it is part of something else
SECTION_STEP = 0.3  # mm between sections in which a slab's underside is looked for
LEAST_AREA = 68.0  # mm²; the least slab, 12 mm wide, has 113
HANGING_SHARE = 0.6  # of the model's height: no peg is longer
LONGEST_HANGING = 60.0  # mm
HANGING_AREA = 0.3  # of the slab's area: what is larger carries it
FLANGE = 3.0  # mm from a flange up to the slab that it belongs to
SHORT_HANGING = 4.0  # mm; what is longer and spread out is the legs of a stool or a table
HANGING_SPREAD = 0.5  # of the slab's area that the hull of legs has
HOLLOW = 0.1  # of what an outline encloses that is open from the ground up: more has no base
CLEARANCE = 7.0  # mm above a slab or a frame at which only what stands on it is met
THIN = 0.35  # mm: what is lower than that round a base is a printer's brim
LEAST_PILLARS = 5  # a figure has two legs, a stool four
PILLAR_AREA = 4.0  # mm² of a section through the thickest of them
TRUNK_AREA = 60.0  # mm² of a section through the trunk of a tree of them
TALLEST_PILLARS = 20.0  # mm
PILLAR_STEP = 0.5  # mm between the sections in which they are counted


@dataclass(frozen=True)
class Base:
    """The base of a miniature, in the frame of its mesh.

    Attributes:
        source: the way it is known: found in the shape ("auto"), a named part of the mesh ("part"), a height in a model
            file ("height"), solids marked as base ("parts"), or a diameter there for one that no mesh has ("given").
        height: mm above the lowest point of the mesh; everything below it is base.
        diameter: mm, greatest width of its outline in plan: the longer axis of an oval, the longer side of a rectangle.
        centre: x and y in mm of the middle of its outline in plan.
        is_round: whether it is a circle of that diameter, as the model file says, whatever its mesh.
        step: mm above the lowest point, the top of a second step that was not taken for base; else None.
        hanging: mm that a peg, a drip or the like reaches below its underside; part of the height.
    """

    source: Source
    height: float
    diameter: float
    centre: tuple[float, float]
    is_round: bool = False
    step: float | None = None
    hanging: float = 0.0


@dataclass(frozen=True)
class Pillars:
    """Thin pillars that a model stands on, as printing supports are: how many, and up to which height, mm."""

    number: int
    top: float


@dataclass(frozen=True)
class Footing:
    """What a mesh stands on.

    Attributes:
        base: its base, or None.
        frame: what has the outline and the level top of a base, and is none: a frame that is open from the ground up,
            or a slab that carries nothing; it counts as body. None where there is none.
        pillars: those between its lowest point, or a raft, and the figure, where no base was found on them.
    """

    base: Base | None
    frame: Base | None = None
    pillars: Pillars | None = None


def find_base(mesh: Mesh) -> Base | None:
    """The base of a one-piece mesh in mm, z up, as `footing` finds it; None where the figure stands on its own feet.

    The height is that of the slab's level top. Rocks and bumps that rise from it belong to the figure; a raised lip
    round it belongs to the slab; where the whole top is rough, it is the median of the rough surface. A slab with
    nothing on it is no base. Faces may be flipped, shells may overlap, and the slab may be hollow underneath.

    A peg, a drip, the remains of a sprue or printing supports, on a raft or not, may hang below the slab: the height is
    above their lowest point. A frame round the feet, or a slab beside them, is no base.

    >>> triangle = Mesh(np.eye(3), np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    >>> find_base(triangle) is None
    True
    """
    return footing(mesh).base


def footing(mesh: Mesh) -> Footing:
    """What a one-piece mesh in mm, z up, stands on: its base, and what might be taken for one."""
    if len(mesh.faces) == 0:
        return Footing(None)
    ground, top = (float(z) for z in mesh.bounds[:, 2])
    triangles = mesh.vertices[mesh.faces] - [0.0, 0.0, ground]
    tall = top - ground
    first = _on_ground(triangles, tall)
    base, highest = first.base, min(HANGING_SHARE * tall, LONGEST_HANGING)
    pillars = _pillars(triangles, 0.0 if base is None else base.height, highest)
    if base is not None and not _overhung(triangles, base):
        if pillars is None:
            return first
        highest = pillars.top + PILLAR_STEP
    for underside in _undersides(triangles, highest, pillars):
        raised = _on_ground(triangles - [0.0, 0.0, underside], tall - underside, HUNG_LEDGE_SHARE)
        if first.frame is None and raised.frame is not None:
            first = replace(first, frame=replace(raised.frame, height=underside + raised.frame.height))
        if raised.base is not None:
            base = replace(raised.base, height=underside + raised.base.height, hanging=underside)
            return replace(first, base=base)
    return replace(first, pillars=pillars)


def _on_ground(triangles: Floats, tall: float, ledge_share: float = LEDGE_SHARE) -> Footing:
    """What stands on z = 0 below a figure of triangles (m, 3, 3), ``tall`` mm high; what lies lower does not count."""
    ceiling = min(GREATEST_HEIGHT, GREATEST_SHARE * tall, tall - LEAST_FIGURE)
    heights, corners = triangles[:, :, 2], triangles.reshape(-1, 3)
    triangles = triangles[(heights.min(axis=1) <= ceiling + CLEARANCE) & (heights.max(axis=1) >= 0.0)]
    window = Window.round(plan_between(triangles, 0.0, 0.5), LEAST_DIAMETER)
    if window is None:
        return Footing(None)
    ceiling = min(ceiling, GREATEST_SLOPE * window.size)
    surface = _Levels.of(triangles, window, 0.0, ceiling + CLEARANCE, least=-np.inf)
    frame = None
    for reach, flattest in ((0.15, 0.95), (0.6, 0.5)):  # a level top, else a rough one
        levels = _Levels.of(triangles, window, flattest, ceiling + reach)
        slabs: list[tuple[float, Flags]] = []
        for height in levels.candidates(reach, ceiling):
            above = height + CLEARANCE
            is_open = ~(filled(triangles, window, above) | surface.below(above))
            ledge, least = levels.within(height, reach), LIP_SHARE if slabs else ledge_share
            slab = outline = _ledged_slab(triangles, window, height, ledge, least)
            if outline is None or np.count_nonzero(outline & is_open) >= HOLLOW * np.count_nonzero(outline):
                slab = _ledged_slab(triangles, window, height, ledge, max(least, HUNG_LEDGE_SHARE), is_open)
            if slab is not None and not _carries(triangles, corners, window, slab, height + 0.7 * LEAST_FIGURE):
                slab = None
            if slab is not None:
                slabs.append((height, slab))
                if outline is None:  # what was left out kept its ledge from the rim
                    outline = largest(filled(triangles, window, 0.5 * height) & ~slab)
            area = 0.0 if outline is None else np.count_nonzero(outline) * window.cell**2
            if frame is None and outline is not None and slab is not outline and area >= LEAST_AREA:
                frame = _measured(triangles, outline, window, height)
        if slabs:
            # A raised lip or an upper step is level as well, and higher: the base ends at its top.
            lips = [(height, slab) for height, slab in slabs[1:] if height > slabs[0][0] and levels.is_plane(height)]
            height, slab = max(lips, key=lambda lip: lip[0], default=slabs[0])
            base = _measured(triangles, slab, window, float(np.median(levels.within(height, reach).z)))
            if frame is None or np.allclose((frame.diameter, *frame.centre), (base.diameter, *base.centre), atol=0.5):
                return Footing(base)
            alone = _within(triangles, slab, window)
            if len(alone) < len(triangles):  # looked at again in finer cells
                return replace(_on_ground(alone, tall, ledge_share), frame=frame)
            return Footing(base, frame)
    return Footing(None, frame)


# ---- what hangs below a slab


def _overhung(triangles: Floats, base: Base) -> bool:
    """Whether a far wider slab begins soon above what seems to be a base: that is then the flange of a peg."""
    window = Window.round(plan_between(triangles, 0.0, base.height + FLANGE), LEAST_DIAMETER)
    if window is None:
        return False
    heights = (0.5 * base.height, *base.height + np.linspace(SECTION_STEP, FLANGE, 4))
    flange, *above = (np.count_nonzero(largest(filled(triangles, window, float(z)))) for z in heights)
    return bool(flange <= HANGING_AREA * max(above))


def _pillars(triangles: Floats, ground: float, highest: float) -> Pillars | None:
    """What stands on a ground between that height and ``highest``, where all of it is thin pillars."""
    window = Window.round(plan_between(triangles, ground, highest), 0.0)
    if window is None:
        return None
    pillars = None
    for z in np.arange(ground + PILLAR_STEP, min(highest, ground + TALLEST_PILLARS), PILLAR_STEP):
        pieces, number = scipy.ndimage.label(filled(triangles, window, float(z)))
        widest = np.bincount(pieces.ravel())[1:].max(initial=0) * window.cell**2
        if widest > TRUNK_AREA:
            break
        if number >= LEAST_PILLARS and widest <= PILLAR_AREA:
            pillars = Pillars(number, float(z))
    return pillars


def _undersides(triangles: Floats, highest: float, pillars: Pillars | None) -> Iterator[float]:
    """Heights up to ``highest`` at which a slab may begin, above something far smaller below it; the lowest first."""
    #     +-----------+
    #     |   slab    |      within two steps the outlines enclose three times as much and more
    #     +---+   +---+  <-  underside
    #         |peg|
    #         +---+  z = 0
    triangles = triangles[triangles[:, :, 2].min(axis=1) <= highest + SECTION_STEP]
    window = Window.round(plan_between(triangles, 0.0, highest + SECTION_STEP), LEAST_DIAMETER)
    if window is None:
        return
    low, high = triangles[:, :, 2].min(axis=1), triangles[:, :, 2].max(axis=1)

    def outlines(z: float) -> Flags:
        return filled(triangles[(low < z) & (high >= z)], window, z)

    below = [outlines(0.1 * SECTION_STEP)] * 2
    for z in np.arange(1.1 * SECTION_STEP, highest + SECTION_STEP, SECTION_STEP):
        mask = outlines(float(z))
        hanging = min(below, key=np.count_nonzero)
        is_on_pillars = pillars is not None and abs(z - pillars.top) <= PILLAR_STEP + SECTION_STEP
        is_carried = _stands_on(mask, hanging, window, 0.0 if is_on_pillars else float(z))
        if np.count_nonzero(mask) * window.cell**2 >= LEAST_AREA and not is_carried:
            first, last = max(0.0, float(z) - 2.0 * SECTION_STEP), float(z)
            while last - first > 0.002:
                middle = (first + last) / 2.0
                if 2 * np.count_nonzero(outlines(middle)) >= np.count_nonzero(mask):
                    last = middle
                else:
                    first = middle
            # Where the underside is level, its height is that of its corners.
            corners, number = np.unique(triangles[:, :, 2][abs(triangles[:, :, 2] - last) <= 0.004], return_counts=True)
            yield float(corners[number.argmax()]) if len(corners) else last
        below = [below[1], mask]


def _stands_on(slab: Flags, hanging: Flags, window: Window, height: float) -> bool:
    """Whether what is below a slab carries it, as legs do, rather than hangs below it; both (GRID, GRID) bool."""
    main = np.count_nonzero(largest(slab))
    if np.count_nonzero(hanging) > HANGING_AREA * main:
        return True
    cells = np.flatnonzero(hanging & slab)
    if height <= SHORT_HANGING or len(cells) == 0:
        return False
    spread = shapely.convex_hull(shapely.multipoints(window.middles(cells))).area
    return bool(spread > HANGING_SPREAD * main * window.cell**2)


# ---- where the surface is level


@dataclass(frozen=True)
class _Levels:
    """The heights of the surface over the middles of cells, wherever it is flatter than some slope.

    Attributes:
        cell: (n,) flat index of a cell, one for each time that the surface passes over the middle of the cell.
        z: (n,) float64, mm, the height of the surface there.
    """

    cell: Indices
    z: Floats

    @classmethod
    def of(
        cls, triangles: Floats, window: Window, flattest: float, ceiling: float, least: float = LEAST_HEIGHT
    ) -> _Levels:
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
        return cls((row * GRID + column)[in_range], z[in_range])

    def candidates(self, reach: float, ceiling: float) -> Iterator[float]:
        """Heights about which much of the surface is level within ``reach``: the largest area first, well apart."""
        step = 0.05
        counts = np.bincount((self.z / step).astype(np.intp), minlength=1)
        width = 2 * round(reach / step) + 1
        support = np.convolve(counts, np.ones(width), mode="full")[width // 2 :][: len(counts)]
        heights = (np.arange(len(counts)) + 0.5) * step
        support[(heights < LEAST_HEIGHT) | (heights > ceiling)] = 0.0
        while (best := float(support.max())) > 0.006 * GRID**2:
            middle = heights[support.argmax()]
            height = float(np.median(self.within(middle, reach + step).z))
            support[np.abs(heights - middle) <= 2.0 * reach + step] = 0.0
            around = np.count_nonzero(np.abs(self.z - middle) <= 3.0 * reach)
            # A level has most of its surface within the reach; a slope has as much of it just above and just below.
            if best > 0.6 * around or reach < 0.2:
                yield height

    def within(self, height: float, reach: float) -> _Levels:
        """The levels within ``reach`` of ``height``."""
        chosen = np.abs(self.z - height) <= reach
        return _Levels(self.cell[chosen], self.z[chosen])

    def below(self, height: float) -> Flags:
        """Cells (GRID, GRID) bool in which any of it lies no higher than ``height``."""
        covered = np.zeros((GRID, GRID), dtype=np.bool_)
        covered.flat[self.cell[self.z <= height]] = True
        return covered

    def is_plane(self, height: float) -> bool:
        """Whether the surface near ``height`` is one level plane."""
        apart = np.abs(self.z - height)
        return bool(np.count_nonzero(apart <= 0.03) >= 0.7 * np.count_nonzero(apart <= 0.15))


# ---- the slab below a height


def _ledged_slab(
    triangles: Floats, window: Window, height: float, ledge: _Levels, least: float, is_open: Flags | None = None
) -> Flags | None:
    """The slab below ``height`` as `_slab_below` has it, if its ledge reaches its rim in a share ``least`` at least."""
    slab = _slab_below(triangles, window, height, is_open)
    return slab if slab is not None and _rim_share(ledge, slab, window, height) >= least else None


def _slab_below(triangles: Floats, window: Window, height: float, is_open: Flags | None) -> Flags | None:
    """Cells (GRID, GRID) bool of the slab that fills the space below ``height``; None where there is no such slab.

    The outline of a slab is one solid piece, and half way up it is not much wider than on the ground or at the top.
    Where it is said which cells are open from the ground up, frames round them are no part of a slab.
    """
    # Three sections below the height. A slab has about the same outline in all of them. Ankles are narrower than the
    # soles of boots, and two soles together fill little of their convex hull.
    #
    #         slab                      boots
    #     +-----------+                 | |   | |       0.9 of the height
    #     |           |                 | |   | |       0.5
    #     +-----------+                (___) (___)      0.04

    thin = min(THIN, 0.4 * height)
    masks = [filled(triangles, window, z) for z in (0.04 * height, thin, 0.5 * height, 0.9 * height)]
    if is_open is not None:
        masks = [_without_frames(mask, is_open) for mask in masks]
    bottom, foot, middle, high = masks
    main = largest(middle)
    cells = np.flatnonzero(main)
    if len(cells) < 0.75 * middle.sum():
        return None
    hull = shapely.convex_hull(shapely.multipoints(window.middles(cells)))
    width = 2.0 * shapely.minimum_bounding_radius(hull)
    if len(cells) * window.cell**2 < SOLID * hull.area or width < max(LEAST_DIAMETER, height / GREATEST_SLOPE):
        return None
    centre = window.middles(cells).mean(axis=0)
    below, half, above = (radii(np.flatnonzero(mask), window, centre) for mask in (bottom, main, high & main))
    slack = window.cell + 0.6
    constant = (below >= half - slack) & (above >= half - slack - 0.6 * height)
    return joined(foot | main, main) if constant.mean() >= 0.7 else None


def _within(triangles: Floats, slab: Flags, window: Window) -> Floats:
    """The triangles, of (m, 3, 3), of which all corners lie over a slab (GRID, GRID) or close beside it."""
    grown = scipy.ndimage.binary_dilation(slab, iterations=3)
    over = np.zeros(3 * len(triangles), dtype=np.bool_)
    cells, inside = window.cells(triangles[:, :, :2].reshape(-1, 2))
    over[inside] = grown.flat[cells]
    return triangles[over.reshape(-1, 3).all(axis=1)]


def _carries(triangles: Floats, corners: Floats, window: Window, slab: Flags, height: float) -> bool:
    """Whether anything crosses a ``height`` over a slab, or a middle of the corners (n, 3) above that is over it."""
    if (slab & filled(triangles, window, height)).any():
        return True
    aloft = corners[corners[:, 2] > height, :2]
    middles = np.stack([np.median(aloft, axis=0), (aloft.min(axis=0) + aloft.max(axis=0)) / 2.0])
    return bool(slab.flat[window.cells(middles)[0]].any())


def _without_frames(mask: Flags, is_open: Flags) -> Flags:
    """``mask`` (n, n) bool without the cells that are open, and the pieces that enclose some of these."""
    piece, _ = scipy.ndimage.label(mask & ~is_open)
    remaining = mask & ~is_open
    for number, box in enumerate(scipy.ndimage.find_objects(piece), 1):
        frame = piece[box] == number
        enclosed = scipy.ndimage.binary_fill_holes(frame)
        if np.count_nonzero(enclosed & is_open[box]) >= HOLLOW * np.count_nonzero(enclosed):
            remaining[box] &= ~frame
    return remaining


def _rim_share(ledge: _Levels, slab: Flags, window: Window, height: float) -> float:
    """The share of directions in which the ledge reaches the slab's rim, but for the width of a bevel.

    It is 0 where the ledge falls off steadily towards the rim, as the hem of a gown does.
    """
    cells = np.flatnonzero(slab)
    centre = window.middles(cells).mean(axis=0)
    rim = radii(cells, window, centre)
    on_slab = slab.flat[ledge.cell]
    cells, z = ledge.cell[on_slab], ledge.z[on_slab]
    sector, radius = polar(cells, window, centre)
    if len(z) == 0 or (z.std() > 0.1 and np.corrcoef(radius / rim[sector], z)[0, 1] < STEADY_FALL):
        return 0.0
    return float((radii(cells, window, centre) >= rim - 0.8 * height - window.cell - 0.4).mean())


def _measured(triangles: Floats, slab: Flags, window: Window, height: float) -> Base:
    """The base, measured on the vertices of the slab; parts that hang below ``height`` next to it are left out."""
    points = plan_between(triangles, 0.0, 0.6 * height)
    cells, inside = window.cells(points)
    grown = slab.copy()
    for axis in (0, 1):
        grown = grown | np.roll(grown, 1, axis) | np.roll(grown, -1, axis)
    return Base("auto", height, *_width_and_middle(points[inside][grown.flat[cells]]))


# ---- plane geometry


def _spans(low: Floats, high: Floats) -> tuple[Indices, Indices]:
    """All whole numbers of the grid from ``low`` to ``high`` (n,): the index of the span (k,), and the number (k,)."""
    first = np.ceil(np.clip(low, 0, GRID)).astype(np.intp)
    count = np.maximum(np.floor(np.clip(high, -1, GRID - 1)).astype(np.intp) - first + 1, 0)
    if count.sum() > MOST_SAMPLES:
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


def _width_and_middle(points: Floats) -> tuple[float, tuple[float, float]]:
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
