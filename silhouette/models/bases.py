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

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal

import numpy as np
import scipy
import shapely

from silhouette.common.geometry import Flags, Floats
from silhouette.meshes.mesh import Mesh
from silhouette.models.printing import (
    HOLLOW_SHARE,
    MIN_DIAMETER_MM,
    MIN_SLAB_AREA_MM2,
    PILLAR_STEP,
    Pillars,
    foot_below,
    is_overhung,
    pillars_on,
    undersides,
    without_frames,
)
from silhouette.models.surfaces import (
    Levels,
    Window,
    filled,
    joined,
    largest,
    plan_between,
    polar,
    radii,
    width_and_middle,
)

Slab = tuple[float, Flags]  # a height, mm, and the cells (GRID, GRID) bool of what ends there

Source = Literal["auto", "part", "height", "parts", "given"]
MAX_BASE_HEIGHT_SHARE = 0.4  # of the model's height: a higher slab is a hull, a crate or a body
MAX_BASE_SLOPE = 0.3  # height over diameter: a higher slab is a pillar
LEDGE_SHARE = 0.55  # of all directions: in these at least, the ledge must reach from the figure to the rim
HUNG_LEDGE_SHARE = 0.7  # the same, where something hangs below the slab or lies round it: boots widen upwards as well
LIP_SHARE = 0.85  # the same, for a second level above the first: a lip or an upper step
SLAB_FILL_SHARE = 0.8  # the least share of its convex hull that a slab fills: two boots next to each other fill less
STEADY_FALL = -0.7  # correlation of height with distance from the middle: below it a rough top is a gown's hem
MAX_BASE_HEIGHT_MM = 12.0  # mm; scenic plinths reach 8 to 10
NARROWER = 2.2  # mm by which a base is narrower than a raft below it, at least; a moulded step is smaller
MIN_FIGURE_HEIGHT_MM = 2.0  # mm that must rise above a base: a slab with nothing on it is part of something else
HANGING_SHARE = 0.6  # of the model's height: no peg is longer
MAX_HANGING_MM = 60.0  # mm
SLAB_CLEARANCE_MM = 7.0  # mm above a slab or a frame at which only what stands on it is met
BRIM_HEIGHT_MM = 0.35  # mm: what is lower than that round a base is a printer's brim


@dataclass(frozen=True)
class Base:
    """The base of a miniature, in the frame of its mesh."""

    # The way it is known: found in the shape ("auto"), a named part of the mesh ("part"), a height in a model file
    # ("height"), solids marked as base ("parts"), or a diameter there for one that no mesh has ("given")
    source: Source
    height: float  # mm above the lowest point of the mesh; everything below it is base
    # Mm, greatest width of its outline in plan: the longer axis of an oval, the longer side of a rectangle
    diameter: float
    centre: tuple[float, float]  # x and y in mm of the middle of its outline in plan
    is_round: bool = False  # whether it is a circle of that diameter, as the model file says, whatever its mesh
    # Mm above the lowest point, the top of a second step that was not taken for base; else None
    step: float | None = None
    hanging: float = 0.0  # mm that a peg, a drip or the like reaches below its underside; part of the height
    # Mm above the lowest point, up to which it is wider all round, as on a printer's raft; and mm, the diameter of what
    # is above that; else None
    foot: tuple[float, float] | None = None


@dataclass(frozen=True)
class Footing:
    """What a mesh stands on."""

    base: Base | None  # its base, or None
    # What has the outline and the level top of a base, and is none: a frame that is open from the ground up, or a slab
    # that carries nothing; it counts as body. None where there is none.
    frame: Base | None = None
    # Those between its lowest point, or a raft, and the figure, where no base was found on them
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
    base, highest = first.base, min(HANGING_SHARE * tall, MAX_HANGING_MM)
    pillars = pillars_on(triangles, 0.0 if base is None else base.height, highest)
    if base is not None and not is_overhung(triangles, base.height):
        if pillars is None:
            return first
        highest = pillars.top + PILLAR_STEP
    for underside in undersides(triangles, highest, pillars):
        raised = _on_ground(triangles - [0.0, 0.0, underside], tall - underside, HUNG_LEDGE_SHARE)
        if first.frame is None and raised.frame is not None:
            first = replace(first, frame=replace(raised.frame, height=underside + raised.frame.height))
        if raised.base is not None:
            slab, foot = raised.base, raised.base.foot
            foot = None if foot is None else (foot[0] + underside, foot[1])
            base = replace(slab, height=slab.height + underside, hanging=underside, foot=foot)
            return replace(first, base=base)
    return replace(first, pillars=pillars)


def _on_ground(triangles: Floats, tall: float, ledge_share: float = LEDGE_SHARE) -> Footing:
    """What stands on z = 0 below a figure of triangles (m, 3, 3), ``tall`` mm high; what lies lower does not count."""
    ground, frame = _GroundLayer.below(triangles, tall, ledge_share), None
    if ground is None:
        return Footing(None)
    for reach, flattest in ((0.15, 0.95), (0.6, 0.5)):  # a level top, else a rough one
        levels = Levels.of(ground.triangles, ground.window, flattest, ground.ceiling + reach)
        slabs, frames = ground.slabs(levels, reach)
        if frame is None and frames:
            frame = _measured(ground.triangles, frames[0][1], ground.window, frames[0][0])
        if slabs:
            # A raised lip or an upper step is level as well, and higher: the base ends at its top.
            lips = [(height, slab) for height, slab in slabs[1:] if height > slabs[0][0] and levels.is_plane(height)]
            height, slab = max(lips, key=lambda lip: lip[0], default=slabs[0])
            base = ground.base(slab, float(np.median(levels.within(height, reach).z)))
            if frame is None or np.allclose((frame.diameter, *frame.centre), (base.diameter, *base.centre), atol=0.5):
                return Footing(base)
            alone = _within(ground.triangles, slab, ground.window)
            if len(alone) < len(ground.triangles):  # looked at again in finer cells
                return replace(_on_ground(alone, tall, ledge_share), frame=frame)
            return Footing(base, frame)
    return Footing(None, frame)


@dataclass(frozen=True, eq=False)
class _GroundLayer:
    """What lies near z = 0, in which slabs are looked for."""

    triangles: Floats  # (m, 3, 3) mm, of what may matter
    corners: Floats  # (n, 3) mm, of all of the figure
    window: Window  # round what lies on the ground
    ceiling: float  # mm; no slab is higher
    ledge_share: float  # of all directions, in which a ledge must reach the rim at least
    surface: Levels  # all of it, whatever its slope
    outlines: Callable[[float], Flags]  # the cells within the outer outlines at a height, as `filled` has them

    @classmethod
    def below(cls, triangles: Floats, tall: float, ledge_share: float) -> _GroundLayer | None:
        """That below a figure ``tall`` mm high; None where nothing as wide as a base lies there."""
        ceiling = min(MAX_BASE_HEIGHT_MM, MAX_BASE_HEIGHT_SHARE * tall, tall - MIN_FIGURE_HEIGHT_MM)
        heights, corners = triangles[:, :, 2], triangles.reshape(-1, 3)
        triangles = triangles[(heights.min(axis=1) <= ceiling + SLAB_CLEARANCE_MM) & (heights.max(axis=1) >= 0.0)]
        window = Window.round(plan_between(triangles, 0.0, 0.5), MIN_DIAMETER_MM)
        if window is None:
            return None
        ceiling = min(ceiling, MAX_BASE_SLOPE * window.size)
        surface = Levels.of(triangles, window, 0.0, ceiling + SLAB_CLEARANCE_MM, least=-np.inf)
        outlines = cache(partial(filled, triangles, window))
        return cls(triangles, corners, window, ceiling, ledge_share, surface, outlines)

    def slabs(self, levels: Levels, reach: float) -> tuple[list[Slab], list[Slab]]:
        """The slabs that end at one of some levels, each with its height; and what has such an outline, and is none."""
        slabs, frames = list[Slab](), list[Slab]()
        for height in levels.candidates(reach, self.ceiling):
            ledge, least = levels.within(height, reach), LIP_SHARE if slabs else self.ledge_share
            slab, outline = self._slab_at(height, ledge, least)
            if slab is not None:
                slabs.append((height, slab))
            is_frame = outline is not None and slab is not outline
            if (
                outline is not None
                and is_frame
                and np.count_nonzero(outline) * self.window.cell**2 >= MIN_SLAB_AREA_MM2
            ):
                frames.append((height, outline))
        return slabs, frames

    def _slab_at(self, height: float, ledge: Levels, least: float) -> tuple[Flags | None, Flags | None]:
        """The slab below a height, if there is one, and what lies there, frames and slabs that carry nothing too."""
        above = height + SLAB_CLEARANCE_MM
        is_open = ~(self.outlines(above) | self.surface.below(above)) | self._idle(height)
        slab = outline = self._ledged(height, ledge, least)
        if outline is None or np.count_nonzero(outline & is_open) >= HOLLOW_SHARE * np.count_nonzero(outline):
            slab = self._ledged(height, ledge, max(least, HUNG_LEDGE_SHARE), is_open)
        if slab is not None and not self._carries(slab, height + 0.7 * MIN_FIGURE_HEIGHT_MM):
            slab = None
        if slab is not None and outline is None:  # what was left out kept its ledge from the rim
            outline = largest(self.outlines(0.5 * height) & ~slab)
        return slab, outline

    def _ledged(self, height: float, ledge: Levels, least: float, is_open: Flags | None = None) -> Flags | None:
        """The slab below ``height``, as `_slab_below` has it, whose ledge reaches the rim in ``least`` of all ways."""
        slab = _slab_below(self.outlines, self.window, height, is_open)
        return slab if slab is not None and _rim_share(ledge, slab, self.window, height) >= least else None

    def _idle(self, height: float) -> Flags:
        """The cells of what ends below a height, beside something on which a figure stands, and carries nothing."""
        solid = self.outlines(0.5 * height)
        pieces, count = scipy.ndimage.label(solid)
        if count < 2:
            return np.zeros_like(solid)
        areas = np.bincount(pieces.ravel())[1:] * self.window.cell**2
        large, above = np.flatnonzero(areas >= MIN_SLAB_AREA_MM2) + 1, height + 0.7 * MIN_FIGURE_HEIGHT_MM
        return np.isin(pieces, [number for number in large if not self._carries(pieces == number, above)])

    def _carries(self, slab: Flags, height: float) -> bool:
        """Whether anything crosses a ``height`` over a slab, or a middle of what is above lies over it."""
        if (slab & self.outlines(height)).any():
            return True
        aloft = self.corners[self.corners[:, 2] > height, :2]
        middles = np.stack([np.median(aloft, axis=0), (aloft.min(axis=0) + aloft.max(axis=0)) / 2.0])
        return bool(slab.flat[self.window.cells(middles)[0]].any())

    def base(self, slab: Flags, height: float) -> Base:
        """The base that a slab of some height is, with the wider foot below it, if it has one."""
        base = _measured(self.triangles, slab, self.window, height)
        ledge = foot_below(self.triangles, slab, self.window, height)
        if ledge is None:
            return base
        upper, _ = width_and_middle(_points_of(self.triangles, slab, self.window, ledge + 0.1, (ledge + height) / 2.0))
        return replace(base, foot=(ledge, upper)) if base.diameter - upper >= NARROWER else base


# ---- the slab below a height


def _slab_below(
    outlines: Callable[[float], Flags], window: Window, height: float, is_open: Flags | None
) -> Flags | None:
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

    def solid(z: float) -> Flags:
        return outlines(z) if is_open is None else without_frames(outlines(z), is_open)

    middle = solid(0.5 * height)
    main = largest(middle)
    cells = np.flatnonzero(main)
    if len(cells) < 0.75 * middle.sum():
        return None
    hull = window.hull(main)
    width = 2.0 * shapely.minimum_bounding_radius(hull)
    if len(cells) * window.cell**2 < SLAB_FILL_SHARE * hull.area or width < max(
        MIN_DIAMETER_MM, height / MAX_BASE_SLOPE
    ):
        return None
    bottom, foot, high = (solid(z) for z in (0.04 * height, min(BRIM_HEIGHT_MM, 0.4 * height), 0.9 * height))
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


def _rim_share(ledge: Levels, slab: Flags, window: Window, height: float) -> float:
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
    return Base("auto", height, *width_and_middle(_points_of(triangles, slab, window, 0.0, 0.6 * height)))


def _points_of(triangles: Floats, slab: Flags, window: Window, low: float, high: float) -> Floats:
    """(n, 2) the plan of what lies over a slab or close beside it between two heights."""
    points = plan_between(triangles, low, high)
    cells, inside = window.cells(points)
    grown = slab.copy()
    for axis in (0, 1):
        grown = grown | np.roll(grown, 1, axis) | np.roll(grown, -1, axis)
    return points[inside][grown.flat[cells]]
