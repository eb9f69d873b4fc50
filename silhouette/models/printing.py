"""TAG: what casters and printers leave at a figure's feet, and is no base: pegs, frames, supports, brims and rafts.

triangles -> `pillars_on` a ground: printing supports; `undersides`, at which a slab begins above what hangs below it
outline -> `without_frames`: what is left of it without what encloses places that are open from the ground up
base -> `foot_of` it: a slab directly below, wider all round
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy

from silhouette.common.geometry import Flags, Floats
from silhouette.models.surfaces import SECTORS, Levels, Window, filled, largest, plan_between, polar, radii

MIN_DIAMETER_MM = 12.0  # mm; smaller than any base in use, larger than one boot
SECTION_STEP = 0.3  # mm between sections in which a slab's underside is looked for
MIN_SLAB_AREA_MM2 = 68.0  # mm²; the least slab, 12 mm wide, has 113
HANGING_AREA = 0.3  # of the slab's area: what is larger carries it
FLANGE = 3.0  # mm from a flange up to the slab that it belongs to
SHORT_HANGING = 4.0  # mm; what is longer and spread out is the legs of a stool or a table
HANGING_SPREAD = 0.5  # of the slab's area that the hull of legs has
HOLLOW_SHARE = 0.1  # of what an outline encloses that is open from the ground up: more has no base
MIN_PILLARS = 5  # a figure has two legs, a stool four
PILLAR_AREA = 4.0  # mm² of a section through the thickest of them
TRUNK_AREA = 60.0  # mm² of a section through the trunk of a tree of them
TALLEST_PILLARS = 20.0  # mm
FOOT_ABOVE = 0.2  # mm above the ground, from which on a ledge round a base is the top of a foot; a film is no foot
FOOT_BELOW = 0.5  # mm, from such a ledge to the top of the base
FOOT_LEVEL = 0.1  # mm by which it is uneven
FOOT_SHARE = 0.8  # of all directions, in which it reaches the rim
PILLAR_STEP = 0.5  # mm between the sections in which they are counted


@dataclass(frozen=True)
class Pillars:
    """Thin pillars that a model stands on, as printing supports are: how many, and up to which height, mm."""

    number: int
    top: float


def is_overhung(triangles: Floats, height: float) -> bool:
    """Whether a far wider slab begins soon above what seems to be a base: that is then the flange of a peg."""
    window = Window.round(plan_between(triangles, 0.0, height + FLANGE), MIN_DIAMETER_MM)
    if window is None:
        return False
    heights = (0.5 * height, *height + np.linspace(SECTION_STEP, FLANGE, 4))
    flange, *above = (np.count_nonzero(largest(filled(triangles, window, float(z)))) for z in heights)
    return bool(flange <= HANGING_AREA * max(above))


def pillars_on(triangles: Floats, ground: float, highest: float) -> Pillars | None:
    """What stands on a ground between that height and ``highest``, where all of it is thin pillars."""
    window = Window.round(plan_between(triangles, ground, highest), 0.0)
    if window is None:
        return None
    pillars, top = None, min(highest, ground + TALLEST_PILLARS)
    heights = triangles[:, :, 2]
    triangles = triangles[(heights.min(axis=1) <= top) & (heights.max(axis=1) >= ground)]
    for z in np.arange(ground + PILLAR_STEP, top, PILLAR_STEP):
        pieces, number = scipy.ndimage.label(filled(triangles, window, float(z)))
        widest = np.bincount(pieces.ravel())[1:].max(initial=0) * window.cell**2
        if widest > TRUNK_AREA:
            break
        if number >= MIN_PILLARS and widest <= PILLAR_AREA:
            pillars = Pillars(number, float(z))
    return pillars


def undersides(triangles: Floats, highest: float, pillars: Pillars | None) -> Iterator[float]:
    """Heights up to ``highest`` at which a slab may begin, above something far smaller below it; the lowest first."""
    #     +-----------+
    #     |   slab    |      within two steps the outlines enclose three times as much and more
    #     +---+   +---+  <-  underside
    #         |peg|
    #         +---+  z = 0
    triangles = triangles[triangles[:, :, 2].min(axis=1) <= highest + SECTION_STEP]
    window = Window.round(plan_between(triangles, 0.0, highest + SECTION_STEP), MIN_DIAMETER_MM)
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
        is_large = np.count_nonzero(mask) * window.cell**2 >= MIN_SLAB_AREA_MM2
        if is_large and not _stands_on(mask, hanging, window, 0.0 if is_on_pillars else float(z)):
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
    below, main = np.count_nonzero(hanging), np.count_nonzero(slab)
    if below > HANGING_AREA * main or below > HANGING_AREA * (main := np.count_nonzero(largest(slab))):
        return True
    if height <= SHORT_HANGING or not (hanging & slab).any():
        return False
    return bool(window.hull(hanging & slab).area > HANGING_SPREAD * main * window.cell**2)


def without_frames(mask: Flags, is_open: Flags) -> Flags:
    """``mask`` (n, n) bool without the cells that are open, and the pieces that enclose some of these."""
    piece, _ = scipy.ndimage.label(mask & ~is_open)
    remaining = mask & ~is_open
    for number, box in enumerate(scipy.ndimage.find_objects(piece), 1):
        frame = piece[box] == number
        enclosed = scipy.ndimage.binary_fill_holes(frame)
        if np.count_nonzero(enclosed & is_open[box]) >= HOLLOW_SHARE * np.count_nonzero(enclosed):
            remaining[box] &= ~frame
    return remaining


def foot_below(triangles: Floats, slab: Flags, window: Window, height: float) -> float | None:
    """mm, the height of a level ledge all along the rim of a slab of that height, well below its top; or None.

    Such has a base that is printed with a raft below it, wider all round. An edge that slopes has none.
    """
    flat = Levels.of(triangles, window, 0.99, height - FOOT_BELOW, least=FOOT_ABOVE)
    on_slab = slab.flat[flat.cell] & (flat.z >= FOOT_ABOVE)
    cells, z = flat.cell[on_slab], flat.z[on_slab]
    if not len(cells):
        return None
    inside = np.flatnonzero(slab)
    centre = window.middles(inside).mean(axis=0)
    least = radii(inside, window, centre) - 1.5 * window.cell
    sector, radius = polar(cells, window, centre)
    at_rim = radius >= least[sector]
    if not at_rim.any():
        return None
    ledge = float(np.median(z[at_rim]))
    level = at_rim & (abs(z - ledge) <= FOOT_LEVEL)
    return ledge if len(np.unique(sector[level])) >= FOOT_SHARE * SECTORS else None
