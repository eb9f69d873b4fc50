"""CLASSIFY: what stands on the table, piece by piece: known figures, figures on bases, terrain, and what is odd."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError, cKDTree

from silhouette.common.errors import go_on
from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.scans.bases import Disc, find_discs
from silhouette.scans.match import Match, match
from silhouette.scans.models import KnownModel
from silhouette.scans.parts import parts_of
from silhouette.scans.segment import JOIN, WIDEST_FIGURE, Prominence, Relief, regions_above, taken_in
from silhouette.scans.surface import PlacedScan, densest, groups_of, level_surfaces, smallest_sides

# ---- classify

AROUND = 12.0  # mm beside what rises that are looked at: as far as a base reaches beyond the legs on it
GROUND_RING = 15.0  # mm beyond that which show the ground
TOP = 2.0  # mm: how far apart the heights of a level top lie
SOLE = 0.8  # mm over the ground: what lies lower is the ground's
UNEVEN, FOLD = 3.0, 12.0  # mm: ground that differs by more is uneven, and what is higher than that over it is no fold
FEWEST_RING_POINTS = 10  # points of the ground in the ring: with fewer, the picture of heights tells it

FITS, ROUGH_FITS = 1.0, 1.8
"""mm, root mean square: what fits a known figure so well is one, sure or not; on rough scans half of their noise more,
up to the second. On eleven scans right models fitted to 0.2 to 1.7 mm, and what is no figure to 2.3 at best."""

BASE_FILLET = 1.0  # mm round a base that belong to it: fillets
OVERLAP = 0.5  # of the sum of their radii: figures whose middles are nearer than that are one and the same


@dataclass(frozen=True, eq=False)
class KnownFigure:
    """A known figure where it stands."""

    points: NDArray[np.intp]  # indices of its points, those of its base among them
    disc: Disc  # its base, as its model has it
    match: Match  # which it is, sure or not


@dataclass(frozen=True, eq=False)
class _Excerpt:
    """The points about what rises, and the ground there."""

    own: NDArray[np.intp]
    ground: float
    is_last: bool  # whether it is of use only where nothing fits in the others


def known_figures(
    rising: Sequence[Prominence],
    relief: Relief,
    points: Floats,
    normals: Floats,
    usable: Flags,
    models: Sequence[KnownModel],
    noise: float,
) -> list[KnownFigure]:
    """The known figures among what rises, the best first; no two of them in one place.

    Args:
        rising: what is compact and upright.
        relief: the picture of heights.
        points: (n, 3) mm on the table.
        normals: (n, 3) unit vectors out of the surface.
        usable: (n,) which points count.
        models: the figures to look for.
        noise: mm, standard deviation of the scan's points.
    """
    most = min(FITS + 0.5 * noise, ROUGH_FITS)
    over = np.where(usable, points[:, 2] - relief.ground_at(points), -np.inf)
    figures: list[KnownFigure] = []
    for thing in rising if models else ():
        go_on()
        fits: list[tuple[Match, _Excerpt]] = []
        for excerpt in _excerpts(thing, points, over):
            if excerpt.is_last and any(fit.residual <= most for fit, _ in fits):
                continue
            fit = match(points[excerpt.own], normals[excerpt.own], models, None, excerpt.ground, noise, True)
            if fit is not None:
                fits.append((fit, excerpt))
        if fits and (best := min(fits, key=lambda pair: pair[0].residual))[0].residual <= most:
            figures.append(_figure(*best, points))
    figures.sort(key=lambda figure: figure.match.residual)
    standing: list[KnownFigure] = []
    for figure in figures:
        if all(is_apart(figure.disc, better.disc) for better in standing):
            standing.append(figure)
    return standing


def _excerpts(thing: Prominence, points: Floats, over: Floats) -> list[_Excerpt]:
    """What is to be compared: the points in a cylinder round what rises, down to the ground.

    What is cut off from something else may stand beside that, or on it; on a fold of cloth it stands half-way up.
    """
    reach = thing.size.max() / 2.0 + AROUND
    away = np.hypot(*(points[:, :2] - thing.middle).T)
    height = points[:, 2] - thing.ground
    low = (away < reach + GROUND_RING) & (over > -4.0) & (over < 5.0) & (np.abs(height) < 5.0)
    grounds = [float(np.median(points[low, 2])) if low.sum() > FEWEST_RING_POINTS else thing.ground]
    below = (away < reach) & np.isfinite(over) & (height > thing.under - 1.0) & (height < thing.cut + 1.0)
    if not (thing.is_free or thing.leans) and below.sum() > FEWEST_RING_POINTS:
        grounds.append(thing.ground + densest(height[below], TOP)[0])
    ring = (away > reach - AROUND) & (away < reach + GROUND_RING) & (over > -4.0) & (np.abs(height) < FOLD)
    lowest, highest = np.percentile(points[ring, 2], [5, 95]) if ring.sum() > FEWEST_RING_POINTS else (0.0, 0.0)
    is_uneven = highest - lowest > UNEVEN
    if is_uneven:
        grounds.append(float(lowest + highest) / 2.0)
    top = thing.ground + thing.tall + 10.0
    excerpts = []
    for ground in grounds:
        own = (away < reach) & np.isfinite(over) & (points[:, 2] > ground + SOLE) & (points[:, 2] < top)
        excerpts.append(_Excerpt(np.flatnonzero(own), ground, is_uneven and ground is grounds[-1]))
    return excerpts


def _figure(fit: Match, excerpt: _Excerpt, points: Floats) -> KnownFigure:
    """A figure with the points that its model explains, and those on its base."""
    base = fit.known_model.model.base
    diameter = base.diameter if base is not None else 2.0 * fit.known_model.surface.reach
    height = base.height if base is not None else 0.0
    own = points[excerpt.own]
    on_base = np.hypot(own[:, 0] - fit.at[0], own[:, 1] - fit.at[1]) < diameter / 2.0 + BASE_FILLET
    mine = fit.explained | on_base
    disc = Disc((fit.at[0], fit.at[1]), excerpt.ground, height, diameter, 0.0, 0.0)
    return KnownFigure(excerpt.own[mine], disc, replace(fit, explained=fit.explained[mine]))


def is_apart(disc: Disc, second: Disc) -> bool:
    """Whether two bases are not in one place."""
    apart = np.hypot(disc.centre[0] - second.centre[0], disc.centre[1] - second.centre[1])
    return bool(apart > OVERLAP * (disc.diameter + second.diameter) / 2.0)


# ---- kinds


@dataclass(frozen=True)
class Look:
    """What a piece looks like."""

    kind: Literal["fighter", "terrain"]  # fighter or terrain
    is_odd: bool = False  # whether one should ask
    why: str = ""  # what speaks for it, in a few words for people
    could_be_several: bool = False  # whether it may be several figures that touch


TERRAIN_LOOK = Look("terrain")
ACROSS_EDGE = (20.0, 8.0)  # mm across, and over the table: what goes on so far beyond its edge is an arm or a lamp
RAGGED = 0.25  # the share of points below the convex hull from which on a thing is neither a box nor a bottle


def of_figure(points: Floats, disc: Disc) -> Look:
    """What stands on a round base: a figure, but for pillars, barrels and trunks, which are round themselves.

    Args:
        points: (n, 3) mm, all of the piece.
        disc: its base.
    """
    height = points[:, 2] - disc.ground
    body = points[height > 2 * disc.height]
    slices = np.array_split(body[np.argsort(body[:, 2], kind="stable")], 4)
    if min(len(layer) for layer in slices) >= 12 and all(_is_round(layer[:, :2], disc) for layer in slices[:3]):
        return Look("terrain", True, "as round as a pillar, on a round base")
    return Look("fighter")


def _is_round(plan: Floats, disc: Disc) -> bool:
    """Whether a slice is a circle about the middle of its base; figures and beasts are never three times over."""
    offset = plan - plan.mean(0)
    radius = np.hypot(offset[:, 0], offset[:, 1])
    angle = np.arctan2(offset[:, 1], offset[:, 0])
    sectors = np.bincount(((angle + np.pi) / (2 * np.pi) * 12).astype(int) % 12, minlength=12)
    off = float(np.hypot(*(plan.mean(0) - disc.centre)))
    return bool(
        radius.mean() > 3.0
        and radius.std() < 0.12 * radius.mean()
        and np.count_nonzero(sectors) >= 10
        and off < 0.1 * disc.diameter
    )


def of_thing(scan: PlacedScan, own: Integers, is_upright: bool = False) -> Look:
    """What a piece without a round base looks like.

    Args:
        scan: on its table.
        own: (k,) the indices of its points.
        is_upright: whether it stands free, upright and compact as figures do, and is none that is known.
    """
    if len(own) < 20:
        return TERRAIN_LOOK
    points = scan.points[own]
    low, high = np.percentile(points[:, 2], [1, 99])
    height = float(high - min(low, 0.0) if low < 5 else high - low)
    narrow, wide, _ = smallest_sides(points[:, :2])
    if scan.size is not None and _goes_on(scan, own):
        return Look("terrain", True, f"it reaches over the table's edge, {wide:.0f} mm across")
    why = _junk(points, height, narrow, wide)
    if why:
        return Look("terrain", True, why)
    if 15 < height < 100 and narrow > 18 and wide < 130 and (plate := _plate(points)) is not None:
        bodies = _bodies(points[points[:, 2] > plate + 6])
        if bodies > 1:
            return Look("fighter", False, f"{bodies} bodies rise from its base", True)
        return Look("fighter", True, f"{height:.0f} mm high, on a base that is not round")
    is_slim = 18 < height < 80 and wide < 0.9 * height  # slimmer than high, and as tall as figures are
    if narrow <= 6 or not (is_slim or (is_upright and wide < WIDEST_FIGURE)) or _ragged(points) <= RAGGED:
        return TERRAIN_LOOK
    if is_slim:
        return Look("fighter", True, f"upright, {height:.0f} mm high, on no round base that was seen")
    return Look("terrain", True, f"{height:.0f} mm high and {wide:.0f} mm wide, as figures are, and no box")


def _goes_on(scan: PlacedScan, own: Integers) -> bool:
    """Whether a piece goes on beyond the table's edge, as an arm does: a tenth of it, or its surface, so far across."""
    assert scan.size is not None
    beyond = np.any(np.abs(scan.points[own, :2]) > np.asarray(scan.size) / 2, axis=1)
    if beyond.mean() > 0.1:
        return True
    mine = np.zeros(len(scan.points), dtype=bool)
    mine[own] = True
    ends = scan.edges[mine[scan.edges].any(axis=1)]
    outside = ends[~mine[ends] & scan.beyond[ends]]
    return bool((scan.points[outside, 2] > ACROSS_EDGE[1]).sum() * scan.spacing > ACROSS_EDGE[0])


def _junk(points: Floats, height: float, narrow: float, wide: float) -> str:
    """What a thing with these sides in mm is that is no part of the game; empty where it is none."""
    if min(narrow, height) > 9 and max(wide, height) < 20 and max(wide, height) < 1.35 * min(narrow, height):
        return f"{wide:.0f} mm in all directions, as a die"
    if height < 13 and 55 < narrow < 95 and 115 < wide < 180:
        return f"flat, {narrow:.0f} by {wide:.0f} mm, as a phone"
    return f"round and hollow as a mug, {narrow:.0f} mm across" if _is_vessel(points, height) else ""


def _is_vessel(points: Floats, height: float) -> bool:
    """Whether its highest points make a ring of 50 to 120 mm, about a middle that is much lower."""
    if height < 30:
        return False
    top = points[:, 2].max()
    rim = points[points[:, 2] > top - 0.1 * height][:, :2]
    if len(rim) < 24:
        return False
    middle = (rim.min(0) + rim.max(0)) / 2
    radius = np.hypot(*(rim - middle).T)
    if not 25 < radius.mean() < 60 or radius.std() > 0.08 * radius.mean():
        return False
    within = np.hypot(*(points[:, :2] - middle).T) < 0.5 * radius.mean()
    return not within.any() or bool(points[within, 2].max() < top - 0.4 * height)


def _plate(points: Floats) -> float | None:
    """The height of a level base of 2 to 6 mm on which the rest stands, or None: an oval or a square one."""
    low = points[(points[:, 2] > 1.7) & (points[:, 2] < 6.5), 2]
    if len(low) < 30:
        return None
    top, count = densest(low, 0.7)
    # a fifth of all points within 0.7 mm: a wall has that only where it is 3.5 mm high
    return top if count >= 0.2 * len(points) and points[:, 2].max() >= top + 12 else None


def _bodies(points: Floats) -> int:
    """How many upright things there are in points that no longer hang together: each a sixth of them and more."""
    if len(points) < 40:
        return 1
    voxels, which = np.unique(np.floor(points / 3.0).astype(np.int64), axis=0, return_inverse=True)
    near = cKDTree(voxels).query_pairs(1.8, output_type="ndarray").astype(np.int32)
    group = groups_of(len(voxels), near)[which.ravel()]
    return max(1, int((np.bincount(group) > len(points) / 6).sum()))


def _ragged(points: Floats) -> float:
    """The share of points that lie well below the convex hull: boxes, bottles and pillars have hardly any."""
    sample = points[:: max(1, len(points) // 1500)]
    try:
        hull = ConvexHull(sample)
    except QhullError:
        return 0.0
    depth = -(sample @ hull.equations[:, :3].T + hull.equations[:, 3]).max(1)
    return float((depth > 0.06 * np.ptp(sample, axis=0).max()).mean())


# ---- figures

LEAST_RISE, MOST_RISE = 8.0, 130.0  # mm; what stands on a base is a figure when it rises so far above it

CONTACT = 0.6
"""The most of a rim's length along which a figure may be grown together with its surroundings. What has more is a part
of them, as a tower of a wall, unless its rim is seen well; the worse a disc, the less of that it may have."""

CENTRAL = 0.3
"""The least share of the points over a base that lies within two thirds of its radius: figures stand in the
middle, stairs at the rim."""


@dataclass(frozen=True, eq=False)
class Standing:
    """What stands on a disc."""

    disc: Disc  # the base
    points: Integers  # (k,) indices of its points, the base's among them
    rises: float  # mm above the ground
    touches: bool  # whether it is grown together with something else above its base


def on_discs(scan: PlacedScan, labels: Integers, discs: list[Disc]) -> list[Standing]:
    """What stands on each disc, where anything upright does; points belong to one at most.

     figure + its overhang        cylinder over the base; what is linked to the base within it is the figure's,
          | |~~~~                 and so is what hangs on that outside and does not come down to the ground
     _____| |_____                anywhere (a sword, a wing, a cloak)
    |_____________|  wall
    """
    left = labels > 0
    tree = cKDTree(scan.points[:, :2])
    standings = []
    for disc in sorted(discs, key=lambda disc: -disc.ground):  # first what stands on others
        standing = _on_disc(scan, left, disc, tree)
        if standing is not None and standing.rises <= MOST_RISE:
            left[standing.points] = False
            standings.append(standing)
    return standings


def _on_disc(scan: PlacedScan, left: Flags, disc: Disc, tree: cKDTree) -> Standing | None:
    """What stands on a disc, among the points (n,) that are left."""
    points, edges, spacing, radius = scan.points, scan.edges, scan.spacing, disc.diameter / 2
    near = np.sort(np.asarray(tree.query_ball_point(disc.centre, max(3 * radius, radius + 60)), dtype=np.int64))
    height = points[near, 2] - disc.ground
    # what is below the ground that it stands on plays no part; a little of the fillet goes with the ground
    keep = left[near] & (height > 0.3 * disc.height)
    near, height = near[keep], height[keep]
    if len(near) < 6:
        return None
    distance = np.hypot(*(points[near, :2] - disc.centre).T)
    number = np.full(len(points), -1)
    number[near] = np.arange(len(near))
    some = number[edges]
    some = some[(some >= 0).all(1)].astype(np.int32)
    within = distance < radius + 0.5 * spacing + scan.noise
    inner = groups_of(len(near), some[within[some].all(1)])
    ledge = within & (height < 1.5 * disc.height) & (height > 0.3 * disc.height)
    if not ledge.any():
        return None
    linked = within & np.isin(inner, np.unique(inner[ledge]))
    # parts within, but not linked inside: a raised arm seen apart from the body belongs to it unless it goes outside
    outside = ~linked
    outer = groups_of(len(near), some[outside[some].all(1)])
    grounded = outside & (height < 1.6 * disc.height) & (distance > radius + spacing)
    grounded |= outside & (distance > max(3 * radius, radius + 60) - 3 * spacing)
    bound = np.unique(outer[grounded])
    free = outside & ~np.isin(outer, bound)
    across = some[linked[some[:, 0]] != linked[some[:, 1]]]
    touching = np.unique(outer[across[outside[across]]])
    figure = linked | (free & (np.isin(outer, touching) | (distance < radius)))
    rises = float(height[figure].max())
    if not disc.height + LEAST_RISE < rises:
        return None
    body = distance[linked & (height > 2 * disc.height)]
    if len(body) and (body < 0.65 * radius).mean() < CENTRAL:
        return None
    grown = outside[across] & np.isin(outer[across], bound)
    seam = np.unique(across[grown[:, ::-1]])
    contact = len(seam) * spacing / (np.pi * disc.diameter)
    if contact > CONTACT * disc.quality and disc.quality < 0.85:
        return None
    return Standing(disc, near[figure].astype(np.int32), rises, contact > 0)


# ---- pieces


@dataclass(frozen=True)
class Blob:
    """One piece as it was scanned; its points are those that bear its number among the labels."""

    kind: Literal["fighter", "terrain"]  # fighter, or terrain, which everything is that does not look like a figure
    disc: Disc | None  # the base of a figure in mm, or None where none was seen
    ground: float  # mm, z of what it stands on
    on: int | None  # the number of the piece that it stands on, or None for the table
    could_be_several: bool  # whether it may be more than one piece, grown together
    # Whether it does not look like a part of the game (a mug, a hand's edge, dice), so that one should ask
    is_odd: bool
    why: str = ""  # what speaks for its kind, or for several, in a few words for people
    match: Match | None = None  # the known model that it looks most like, sure or not, once it is compared
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)  # mm, the middle of its base or of its box, once it is placed

    @property
    def identity(self) -> Match | None:
        """The known model that it is beyond doubt."""
        return self.match if self.match is not None and self.match.sure else None


@dataclass(frozen=True, eq=False)
class LabelledPieces:
    """What stands on the table."""

    # (n,) int32 for each vertex of the scan: 0 the table, k the k-th piece (from 1; a figure's base belongs to it), -1
    # what belongs to nothing: loose specks, what lies beside or below the table
    labels: Integers
    blobs: tuple[Blob, ...]  # the pieces; the k-th bears the number k + 1
    bases: tuple[Disc, ...] = ()  # what looks like a base, whatever stands on it; in mm


ODD_BASE = 23.0  # mm; bases of less are rare, and rounded corners of terrain are not: they must look the part

LIKELY_BASE = 0.5  # the least quality of a disc on which a figure may be put by hand: below it is a guess

LEAST_BASE_DIAMETER, MOST_BASE_DIAMETER = 18.0, 110.0
"""mm, the diameters of bases looked for: those sold have 20 to 100, and a rough scan is wrong by a tenth at most."""

FRINGE = 150.0
"""Square mm: so little left of a region beside its figures is the foot of their bases or of their clothes."""

SLAB = 5.0  # mm: what is no higher, and no larger than a crumb, beside a figure is what is left of a base

CRUMB = 600.0  # square mm: smaller leftovers of a region, less than a seventh of it, belong to its largest part


def find_pieces(
    scan: PlacedScan,
    figures: Sequence[KnownFigure] = (),
    rising: Sequence[Prominence] = (),
    about_bases: Flags | None = None,
) -> LabelledPieces:
    """What stands on the table, apart: first the figures, then terrain, each by place (x, then y).

    Args:
        scan: on its table.
        figures: known ones, which are taken as they are.
        rising: what stands upright and is no known figure.
        about_bases: (n,) the points among which round bases are looked for; all where it is left out.

    >>> no = np.empty(0, bool)
    >>> find_pieces(PlacedScan(np.empty((0, 3)), np.empty((0, 3), np.int32), no, no, noise=0.2, spacing=1.0)).blobs
    ()
    """
    if not scan.usable.any():
        return LabelledPieces(np.full(len(scan.points), -1, dtype=np.int32), ())
    labels = regions_above(scan)
    parts = [
        (
            Blob("fighter", figure.disc, figure.disc.ground, None, False, False, "", figure.match),
            figure.points.astype(np.int32),
        )
        for figure in figures
    ]
    rest = labels.copy()
    for _, own in parts:
        rest[own] = -2
    occupied = [figure.disc for figure in figures]
    believed = _discs(scan, occupied, about_bases)
    parts += _on_bases(scan, rest, believed)
    parts += _leaning(scan, rest, rising)
    rest = taken_in(scan.points, _regrown(scan, rest, np.unique(labels[rest == -2])))
    for number in np.unique(rest[rest > 0]):
        members = np.flatnonzero(rest == number).astype(np.int32)
        if scan.size is not None and _is_rim(scan.points[members], scan.size, scan.spacing):
            labels[members] = 0
            continue
        split, doubt = parts_of(scan, members)
        for part in range(int(split.max()) + 1):
            mine = members[split == part]
            parts.append((_thing(scan, mine, part in doubt, _is_rising(scan.points[mine], rising)), mine))
    bases = (*occupied, *(disc for disc in believed if disc.quality >= LIKELY_BASE))
    return replace(_numbered(scan.points, scan.spacing, labels, parts), bases=bases)


_PartOfScan = tuple[Blob, Integers]  # a piece, and the indices of its points


def _discs(scan: PlacedScan, occupied: Sequence[Disc], about_bases: Flags | None) -> list[Disc]:
    """The round bases on the table and on level surfaces above it, but for those of known figures."""
    surfaces = level_surfaces(
        # two thirds of the least base's area is ground enough to stand on
        scan.points,
        scan.normals,
        scan.edges,
        spacing=scan.spacing,
        least_area=160.0,
        above=1.8,
    )
    there = scan.usable if about_bases is None else scan.usable & about_bases
    discs = find_discs(
        scan.points,
        scan.faces,
        usable=there,
        surfaces=surfaces,
        edges=scan.edges[there[scan.edges].all(axis=1)],
        least=LEAST_BASE_DIAMETER,
        most=MOST_BASE_DIAMETER,
        noise=scan.noise,
        spacing=scan.spacing,
    )
    believed = [disc for disc in discs if disc.quality > (0.4 if disc.diameter > ODD_BASE else 0.7)]
    return [disc for disc in believed if all(is_apart(disc, other) for other in occupied)]


def _on_bases(scan: PlacedScan, rest: Integers, discs: list[Disc]) -> list[_PartOfScan]:
    """What stands on round bases; it is struck out of `rest` with -2."""
    parts = []
    for standing in on_discs(scan, rest, discs):
        rest[standing.points] = -2
        look = of_figure(scan.points[standing.points], standing.disc)
        blob = Blob(look.kind, standing.disc, standing.disc.ground, None, False, look.is_odd, look.why)
        parts.append((blob, standing.points))
    return parts


RIM, RIM_HEIGHT = 25.0, 20.0  # mm: how far a table's rim reaches inward, and how high it curls at most
UPWARD = -0.5  # correlation of its height with how far inward it is: it rises outward; a wall does not


def _is_rim(points: Floats, size: tuple[float, float], spacing: float) -> bool:
    """Whether a region (k, 3) is the table's own rim, curled up: it is highest where the table ends.

    A wall along the edge has a side there, that goes down.
    """
    inward = (np.asarray(size) / 2.0 - np.abs(points[:, :2])).min(axis=1)
    if np.percentile(inward, 95) > RIM or points[:, 2].max() > RIM_HEIGHT:
        return False
    # Low at the very end of it, where cameras saw the table's side, it is a rim as well.
    seen = inward > inward.min() + spacing
    spread = float(inward[seen].std() * points[seen, 2].std()) if seen.any() else 0.0
    return spread > 0.0 and float(np.cov(inward[seen], points[seen, 2])[0, 1]) / spread < UPWARD


def _leaning(scan: PlacedScan, rest: Integers, rising: Sequence[Prominence]) -> list[_PartOfScan]:
    """What leans on something larger and may be a figure, as things to ask about; struck out of `rest` with -2."""
    parts = []
    for thing in rising:
        if not thing.leans:
            continue
        height = scan.points[:, 2] - thing.ground
        own = np.flatnonzero((rest > 0) & (height > SOLE) & (height < thing.tall + SOLE) & thing.over(scan.points))
        if len(own) * scan.each < FRINGE or _ragged(scan.points[own]) < RAGGED:
            continue
        rest[own] = -2
        why = f"{thing.tall:.0f} mm high, and grown together with something larger"
        parts.append((Blob("terrain", None, thing.ground, None, False, True, why), own.astype(np.int32)))
    return parts


BORDER = 25.0  # mm, of a base and of a fillet round what rises from it


def _is_rising(points: Floats, rising: Sequence[Prominence]) -> bool:
    """Whether a piece (k, 3) is one of the things that rise, and not a larger one of which that is a part."""
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    return any(
        thing.is_free
        and ((low < thing.middle) & (thing.middle < high)).all()
        and (high - low < thing.size + BORDER).all()
        for thing in rising
    )


def _thing(scan: PlacedScan, own: Integers, doubt: bool, is_upright: bool) -> Blob:
    """A piece without a round base by its points (k,); `doubt` where its creases say that it may be several."""
    look = of_thing(scan, own, is_upright)
    low = float(np.percentile(scan.points[own, 2], 2))
    ground = scan.floor + 3 * scan.spacing
    why = look.why or ("its surface has creases as where things touch" if doubt else "")
    several = doubt or look.could_be_several
    return Blob(look.kind, None, 0.0 if low < ground else low, None, several, look.is_odd, why)


def _regrown(scan: PlacedScan, rest: Integers, cut: Integers) -> Integers:
    """(n,) what is left of the regions, numbered anew as it hangs together; -3 for fringes of the regions in `cut`."""
    points, edges, flat = scan.points, scan.edges, max(2.0, 6 * scan.noise)
    linked = edges[(rest[edges[:, 0]] > 0) & (rest[edges[:, 0]] == rest[edges[:, 1]])]
    group = groups_of(len(points), linked)
    out = np.where(rest > 0, -3, rest).astype(np.int32)
    index = np.flatnonzero(rest > 0)
    if len(index) == 0:
        return out
    numbers, which, count = np.unique(group[index], return_inverse=True, return_counts=True)
    which = which.ravel()
    region = np.zeros(len(numbers), dtype=np.int64)
    region[which] = rest[index]
    area = count * scan.each
    # what is left of a region beside its figures: the fillet about their bases, however long, and bits
    top = np.full(len(numbers), -np.inf)
    np.maximum.at(top, which, scan.heights[index])
    fringe = np.isin(region, cut) & ((top < flat) | (area < FRINGE) | ((top < SLAB) & (area < CRUMB)))
    # parts that were put to one region across gaps stay together, unless a figure parted them
    largest = np.full(int(region.max()) + 1, -1)
    for part in np.argsort(np.where(fringe, -1, count), kind="stable"):
        largest[region[part]] = part
    host = largest[region]
    fringe &= fringe[host] | (top < flat)
    small = area < np.minimum(CRUMB, 0.15 * area[host])
    out[index] = 1 + np.where(small, host, np.arange(len(numbers)))[which]
    out[index[fringe[which]]] = -3
    return out


def _numbered(points: Floats, spacing: float, labels: Integers, parts: list[_PartOfScan]) -> LabelledPieces:
    """The pieces in their order, with what stands on what."""
    middles = [points[index].mean(0) for _, index in parts]
    order = sorted(
        range(len(parts)), key=lambda k: (parts[k][0].kind != "fighter", *(round(float(v), 1) for v in middles[k][:2]))
    )
    out = np.where(labels > 0, -3, labels).astype(np.int32)
    for number, k in enumerate(order, 1):
        out[parts[k][1]] = number
    unknown, settled = np.flatnonzero(out == -3), np.flatnonzero(out > 0)
    if len(unknown):
        # The feet of bases and the like belong to what is nearest.
        distance, nearest = cKDTree(points[settled]).query(points[unknown], distance_upper_bound=max(JOIN, 3 * spacing))
        out[unknown] = np.where(np.isfinite(distance), np.append(out[settled], -1)[nearest], -1)
    blobs = [parts[k][0] for k in order]
    is_terrain = np.array([False, *(blob.kind == "terrain" for blob in blobs)])
    on_terrain = np.where(is_terrain[np.maximum(out, 0)], out, 0)
    standing_on = [_below(points, on_terrain, parts[k], number) for number, k in enumerate(order, 1)]
    return LabelledPieces(out, tuple(replace(blob, on=on) for blob, on in zip(blobs, standing_on, strict=True)))


def _below(points: Floats, terrain: Integers, part: _PartOfScan, number: int) -> int | None:
    """The number of the terrain, among those (n,) of the points, on which a piece stands; None on the table."""
    blob, own = part
    if blob.ground <= 2.0:
        return None
    mine = points[own, :2]
    middle = mine.mean(0) if blob.disc is None else np.asarray(blob.disc.centre)
    reach = 0.7 * (float(np.ptp(mine, axis=0).max()) if blob.disc is None else blob.disc.diameter)
    under = (terrain > 0) & (terrain != number) & (np.hypot(*(points[:, :2] - middle).T) < reach)
    under &= (points[:, 2] < blob.ground + 1.0) & (points[:, 2] > blob.ground - 15.0)
    return int(np.bincount(terrain[under]).argmax()) if under.any() else None
