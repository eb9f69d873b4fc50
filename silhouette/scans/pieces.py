"""SCAN: what stands on the table, piece by piece: terrain, and figures on their bases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.scans.classify import Figure, is_apart
from silhouette.scans.discs import Disc, find_discs
from silhouette.scans.figures import on_discs
from silhouette.scans.kinds import of_figure, of_thing
from silhouette.scans.matching import Match
from silhouette.scans.objects import parts_of
from silhouette.scans.regions import nearest_along, regions_above, taken_in
from silhouette.scans.segment import Prominence
from silhouette.scans.surfaces import Surface, edges_of, groups_of, level_surfaces, outward, vertex_normals


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
    match: Match | None = None  # the known figure that it is, sure or not, where it was found as one


@dataclass(frozen=True, eq=False)
class Pieces:
    """What stands on the table."""

    # (n,) int32 for each vertex of the scan: 0 the table, k the k-th piece (from 1; a figure's base belongs to it), -1
    # what belongs to nothing: loose specks, what lies beside or below the table
    labels: Integers
    blobs: tuple[Blob, ...]  # the pieces; the k-th bears the number k + 1


Labels = NDArray[np.int32]

ODD_BASE = 23.0  # mm; bases of less are rare, and rounded corners of terrain are not: they must look the part

LEAST, MOST = 18.0, 110.0
"""mm, the diameters of bases looked for: those sold have 20 to 100, and a rough scan is wrong by a tenth at most."""

FRINGE = 150.0
"""Square mm: so little left of a region beside its figures is the foot of their bases or of their clothes."""

CRUMB = 600.0  # square mm: smaller leftovers of a region, less than a seventh of it, belong to its largest part


def find_pieces(  # noqa: PLR0913
    points: Floats,
    faces: Integers | None,
    usable: Flags,
    on_table: Flags,
    *,
    noise: float,
    spacing: float,
    size: tuple[float, float] | None = None,
    colours: NDArray[np.uint8] | None = None,
    discs: list[Disc] | None = None,
    figures: Sequence[Figure] = (),
    about_bases: Flags | None = None,
    rising: Sequence[Prominence] = (),
) -> Pieces:
    """What stands on the table, apart: first the figures, then terrain, each by place (x, then y).

    Args:
        points: (n, 3) in mm, levelled: z = 0 is the table's top, or what the scan stands on.
        faces: (m, 3) rows of vertices; none or (0, 3) for a cloud of points.
        usable: (n,) which vertices count.
        on_table: (n,) those of the table's surface.
        noise: mm, standard deviation of the table's surface.
        spacing: mm, median distance of neighbours.
        size: the table's edges along x and y in mm, its middle at the origin; None where there is no table.
        colours: (n, 3) of the vertices, where there are any.
        discs: round bases in mm; looked for here where they are left out.
        figures: known ones, which are taken as they are.
        about_bases: (n,) the points among which round bases are looked for; all where it is left out.
        rising: what stands free and upright and is no known figure.

    >>> find_pieces(np.empty((0, 3)), None, np.empty(0, bool), np.empty(0, bool), noise=0.2, spacing=1.0).blobs
    ()
    """
    points = np.asarray(points, dtype=np.float64)
    points = np.where(usable[:, None], points, 0.0)
    if not usable.any():
        return Pieces(np.full(len(points), -1, dtype=np.int32), ())
    edges = edges_of(points, faces, usable, spacing)
    normals = _normals(points, faces, usable, edges, noise, spacing)
    if discs is None:
        # two thirds of the least base's area is ground enough to stand on
        surfaces = level_surfaces(points, normals, edges, spacing=spacing, least_area=160.0, above=1.8)
        looked_at = usable if about_bases is None else usable & about_bases
        near = edges if about_bases is None else edges[looked_at[edges].all(axis=1)]
        discs = _discs(points, faces, looked_at, surfaces, near, noise, spacing)
    labels = regions_above(points, edges, usable, on_table, noise, spacing, size)
    parts: list[_PartOfScan] = []
    rest = labels.copy()
    for figure in figures:
        rest[figure.points] = -2
        blob = Blob("fighter", figure.disc, figure.disc.ground, None, False, False, "", figure.match)
        parts.append((blob, figure.points.astype(np.int32)))
    believed = [disc for disc in discs if disc.quality > (0.4 if disc.diameter > ODD_BASE else 0.7)]
    believed = [disc for disc in believed if all(is_apart(disc, figure.disc) for figure in figures)]
    for standing in on_discs(points, edges, np.where(rest == -2, -1, labels), believed, noise, spacing):
        rest[standing.points] = -2
        look = of_figure(points[standing.points], standing.disc)
        blob = Blob(look.kind, standing.disc, standing.disc.ground, None, False, look.is_odd, look.why)
        parts.append((blob, standing.points))
    rest = taken_in(points, _regrown(points, edges, rest, np.unique(labels[rest == -2]), noise, spacing))
    ground = max(3 * noise, 0.4) + spacing
    near = {"noise": noise, "spacing": spacing, "ground": ground}
    for number in np.unique(rest[rest > 0]):
        members = np.flatnonzero(rest == number).astype(np.int32)
        split, doubt = parts_of(points, normals, edges, members, colours=colours, **near)
        for part in range(int(split.max()) + 1):
            mine = members[split == part]
            is_upright = _is_rising(points[mine], rising)
            parts.append((_thing(points[mine], size, ground + 2 * spacing, part in doubt, is_upright), mine))
    return _numbered(points, edges, labels, parts)


def _discs(
    points: Floats,
    faces: Integers | None,
    usable: Flags,
    surfaces: list[Surface],
    edges: Integers,
    noise: float,
    spacing: float,
) -> list[Disc]:
    """The round bases on the table and on level surfaces above it."""
    sizes = {"least": LEAST, "most": MOST, "noise": noise, "spacing": spacing}
    return find_discs(points, faces, usable=usable, surfaces=surfaces, edges=edges, **sizes)


_PartOfScan = tuple[Blob, Integers]  # a piece, and the indices of its points


BORDER = 25.0  # mm, of a base and of a fillet round what rises from it


def _is_rising(points: Floats, rising: Sequence[Prominence]) -> bool:
    """Whether a piece (k, 3) is one of the things that rise, and not a larger one of which that is a part."""
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    return any(
        ((low < thing.middle) & (thing.middle < high)).all() and (high - low < thing.size + BORDER).all()
        for thing in rising
    )


def _thing(points: Floats, size: tuple[float, float] | None, ground: float, doubt: bool, is_upright: bool) -> Blob:
    """A piece without a round base by its points (k, 3); `doubt` where its creases say that it may be several."""
    look = of_thing(points, size, is_upright)
    low = float(np.percentile(points[:, 2], 2))
    why = look.why or ("its surface has creases as where things touch" if doubt else "")
    several = doubt or look.could_be_several
    return Blob(look.kind, None, 0.0 if low < ground else low, None, several, look.is_odd, why)


def _normals(
    points: Floats, faces: Integers | None, usable: Flags, edges: Integers, noise: float, spacing: float
) -> Floats:
    """(n, 3) unit vectors, outward."""
    # over so wide a ring that the noise tilts them by some degrees at most
    neighbours = int(np.clip(np.pi * (max(2 * spacing, 5 * noise) / spacing) ** 2, 14, 50))
    normals = vertex_normals(points, faces, usable, neighbours)
    if faces is None or len(faces) == 0:
        normals = outward(points, normals, edges, spacing)
    return normals


def _regrown(points: Floats, edges: Integers, rest: Integers, cut: Integers, noise: float, spacing: float) -> Integers:
    """(n,) what is left of the regions, numbered anew as it hangs together; -3 for fringes of the regions in `cut`."""
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
    area = count * 0.87 * spacing**2
    # what is left of a region beside its figures: the fillet about their bases, however long, and bits
    top = np.full(len(numbers), -np.inf)
    np.maximum.at(top, which, points[index, 2])
    fringe = np.isin(region, cut) & ((top < max(2.0, 6 * noise)) | (area < FRINGE))
    # parts that were put to one region across gaps stay together, unless a figure parted them
    largest = np.full(int(region.max()) + 1, -1)
    for one in np.argsort(np.where(fringe, -1, count), kind="stable"):
        largest[region[one]] = one
    host = largest[region]
    fringe &= fringe[host] | (top < max(2.0, 6 * noise))
    small = area < np.minimum(CRUMB, 0.15 * area[host])
    out[index] = 1 + np.where(small, host, np.arange(len(numbers)))[which]
    out[index[fringe[which]]] = -3
    return out


def _numbered(points: Floats, edges: Integers, labels: Integers, parts: list[_PartOfScan]) -> Pieces:
    """The pieces in their order, with what stands on what."""
    middles = [points[index].mean(0) for _, index in parts]
    order = sorted(
        range(len(parts)), key=lambda k: (parts[k][0].kind != "fighter", *(round(float(v), 1) for v in middles[k][:2]))
    )
    out = np.where(labels > 0, -3, labels).astype(np.int32)
    for number, k in enumerate(order, 1):
        out[parts[k][1]] = number
    unknown = out == -3
    if unknown.any():
        linked = edges[(labels[edges[:, 0]] > 0) & (labels[edges[:, 1]] > 0)]
        out = nearest_along(points, linked, out, unknown)
        out[out == -3] = -1
    blobs = []
    for k in order:
        blob = parts[k][0]
        on = None
        if blob.ground > 2.0:
            mine = points[parts[k][1]]
            middle = np.asarray(blob.disc.centre) if blob.disc is not None else mine[:, :2].mean(0)
            reach = 0.7 * (blob.disc.diameter if blob.disc is not None else float(np.ptp(mine[:, :2], axis=0).max()))
            under = (np.hypot(*(points[:, :2] - middle).T) < reach) & (out > 0) & (out != order.index(k) + 1)
            under &= (points[:, 2] < blob.ground + 1.0) & (points[:, 2] > blob.ground - 15.0)
            below = out[under]
            terrain = [n + 1 for n, m in enumerate(order) if parts[m][0].kind == "terrain"]
            below = below[np.isin(below, terrain)]
            on = int(np.bincount(below).argmax()) if len(below) else None
        blobs.append(replace(blob, on=on))
    return Pieces(out, tuple(blobs))
