"""SCAN: what stands on the table, piece by piece: terrain, and figures on their bases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Integers
from silhouette.scans.discs import Disc, find_discs
from silhouette.scans.figures import on_discs
from silhouette.scans.questions import Question
from silhouette.scans.regions import nearest_along, regions_above
from silhouette.scans.surfaces import edges_of


@dataclass(frozen=True)
class Blob:
    """One piece as it was scanned; its points are those that bear its number among the labels.

    Attributes:
        kind: fighter, or terrain, which everything is that does not look like a figure.
        disc: the base of a figure in mm, or None where none was seen.
        ground: mm, z of what it stands on.
        on: the number of the piece that it stands on, or None for the table.
        could_be_several: whether it may be more than one piece, grown together.
        is_odd: whether it does not look like a part of the game (a mug, a hand's edge, dice), so that one should ask.
        why: what speaks for its kind, or for several, in a few words for people.
    """

    kind: Literal["fighter", "terrain"]
    disc: Disc | None
    ground: float
    on: int | None
    could_be_several: bool
    is_odd: bool
    why: str = ""


@dataclass(frozen=True, eq=False)
class Pieces:
    """What stands on the table.

    Attributes:
        labels: (n,) int32 for each vertex of the scan: 0 the table, k the k-th piece (from 1; a figure's base belongs
            to it), -1 what belongs to nothing: loose specks, what lies beside or below the table.
        blobs: the pieces; the k-th bears the number k + 1.
        questions: such as whether two that touch are one.
    """

    labels: Integers
    blobs: tuple[Blob, ...]
    questions: tuple[Question, ...] = ()


Labels = NDArray[np.int32]


def find_pieces(
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

    >>> find_pieces(np.empty((0, 3)), None, np.empty(0, bool), np.empty(0, bool), noise=0.2, spacing=1.0).blobs
    ()
    """
    points = np.asarray(points, dtype=np.float64)
    if not usable.any():
        return Pieces(np.full(len(points), -1, dtype=np.int32), ())
    edges = edges_of(points, faces, usable, spacing)
    if discs is None:
        discs = find_discs(points, faces, spacing=spacing, noise=noise, least=18.0, most=110.0, usable=usable)
    labels = regions_above(points, edges, usable, on_table, noise, spacing, size)
    parts: list[tuple[Blob, Integers]] = []
    rest = labels.copy()
    for standing in on_discs(points, edges, labels, [disc for disc in discs if disc.quality > 0.3], noise, spacing):
        rest[standing.points] = -2
        blob = Blob("fighter", standing.disc, standing.disc.ground, None, standing.touches, False)
        parts.append((blob, standing.points))
    # what is left of a region of which a figure was cut out: another region for each part that is large enough
    for number in range(1, int(labels.max(initial=0)) + 1):
        members = np.flatnonzero(rest == number)
        if len(members) < 0.15 * (labels == number).sum() and any((labels[p] == number).any() for _, p in parts):
            continue  # crumbs about a base: given to the figures below
        if len(members):
            parts.append((Blob("terrain", None, 0.0, None, False, False), members.astype(np.int32)))
    return _numbered(points, edges, labels, parts)


def _numbered(points: Floats, edges: Integers, labels: Integers, parts: list[tuple[Blob, Integers]]) -> Pieces:
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
        blob, _ = parts[k]
        on = None
        if blob.disc is not None and blob.ground > 2.0:
            under = (np.hypot(*(points[:, :2] - blob.disc.centre).T) < 0.7 * blob.disc.diameter) & (out > 0)
            under &= (points[:, 2] < blob.ground + 1.0) & (points[:, 2] > blob.ground - 15.0)
            below = out[under]
            terrain = [n + 1 for n, m in enumerate(order) if parts[m][0].kind == "terrain"]
            below = below[np.isin(below, terrain)]
            on = int(np.bincount(below).argmax()) if len(below) else None
        blobs.append(Blob(blob.kind, blob.disc, blob.ground, on, blob.could_be_several, blob.is_odd, blob.why))
    return Pieces(out, tuple(blobs))
