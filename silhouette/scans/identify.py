"""MATCH: a scan at a scale, the known figures that stand on it, and each of its pieces compared with the known models.

A blob that may be several pieces, or terrain in which a figure is caught, is matched again without the points that the
best model explains: each figure that is sure takes its points with it, and the rest is what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.common.lazy import cached_property
from silhouette.scans.classify import Blob, KnownFigure, LabelledPieces, find_pieces, known_figures
from silhouette.scans.level import Levelling
from silhouette.scans.match import Match, match
from silhouette.scans.models import KnownModel
from silhouette.scans.planes import moved
from silhouette.scans.read import Scan
from silhouette.scans.segment import Prominence, Relief, about_bases, prominences, relief_of
from silhouette.scans.surface import PlacedScan, vertex_normals

Indices = NDArray[np.intp]

LEAST_REST = 0.15
"""The share of a blob's points that must be left for another piece: less is fillet, noise and the table's crumbs."""

MOST_IN_ONE = 6  # figures that are looked for in one blob: more would be a heap, and takes long


@dataclass(frozen=True, eq=False)
class Surroundings:
    """A levelled scan where a unit of its file is some mm: what all pieces share, and what stands upright there."""

    scan: Scan
    points: Floats  # (n, 3) mm, its vertices on the table; at the origin those that are no numbers
    # noise, spacing: mm
    noise: float
    spacing: float
    size: tuple[float, float] | None = None  # mm, the edges of the table; None without one
    fighters: Sequence[KnownModel] = ()  # the figures to look for; vehicles among them do not stand upright

    @classmethod
    def at_scale(cls, scan: Scan, lie: Levelling, mm: float, figures: Sequence[KnownModel]) -> Surroundings:
        """A scan that lies so, where a unit of its file is so many mm."""
        points = moved(np.diag([mm, mm, mm, 1.0]) @ lie.to_level, scan.vertices)
        points[~np.isfinite(points).all(axis=1)] = 0.0  # libraries do not take them
        size = None if lie.size is None else (lie.size[0] * mm, lie.size[1] * mm)
        fighters = [figure for figure in figures if figure.model.kind == "fighter"]
        return cls(scan, points, lie.noise * mm, lie.spacing * mm, size, fighters)

    @cached_property
    def normals(self) -> Floats:
        """(n, 3) unit vectors out of the surface; of a cloud they point up."""
        return vertex_normals(self.points, self.scan.faces, self.scan.usable)

    @cached_property
    def relief(self) -> Relief | None:
        """The picture of heights; None where there is nothing to see."""
        return relief_of(self.points, self.scan.faces, self.scan.usable, self.spacing, self.size)

    @cached_property
    def rising(self) -> list[Prominence]:
        """What is compact and upright."""
        return [] if self.relief is None else prominences(self.relief)

    @cached_property
    def figures(self) -> list[KnownFigure]:
        """The known figures, the best first."""
        if self.relief is None:
            return []
        usable, noise = self.scan.usable, self.noise
        return known_figures(self.rising, self.relief, self.points, self.normals, usable, self.fighters, noise)

    def pieces(self, on_table: Flags) -> LabelledPieces:
        """The pieces, told apart; ``on_table`` (n,) are the points of the table's surface."""
        scan = self.scan
        points = np.where(scan.usable[:, None], self.points, 0.0)
        placed = PlacedScan(
            points, scan.faces, scan.usable, on_table, self.noise, self.spacing, self.size, scan.colours
        )
        bases = [(np.array(figure.disc.centre), figure.disc.diameter / 2.0) for figure in self.figures]
        unknown = [
            thing
            for thing in self.rising
            if all(np.hypot(*(thing.middle - middle)) > radius for middle, radius in bases)
        ]
        looked_at = None if self.relief is None else about_bases(self.relief, self.points, bases)
        return find_pieces(placed, self.figures, unknown, looked_at)


def identify(
    pieces: LabelledPieces,
    around: Surroundings,
    figures: Sequence[KnownModel],
    terrain: Sequence[KnownModel],
    step: Callable[[], None] = lambda: None,
) -> LabelledPieces:
    """The pieces, each with the known model that it looks most like; more of them where one was several.

    What may be a figure is compared with the figures, but for vehicles among them, which have no round base: they are
    looked for with the terrain. ``step`` is called when a piece is done.
    """
    fighters = [model for model in figures if model.model.kind != "vehicle"]
    others = [*terrain, *(model for model in figures if model.model.kind == "vehicle")]
    labels = pieces.labels.copy()
    blobs: list[Blob] = []
    added: list[Blob] = []
    for number, blob in enumerate(pieces.blobs, start=1):
        models = fighters if blob.kind == "fighter" else others
        own = np.flatnonzero(labels == number)
        best = blob.match or match_of(own, blob, models, around)
        several = blob.could_be_several
        if best is not None and best.sure and several:
            apart = _taken_apart(own, blob, best, models, around) if blob.kind == "fighter" else []
            for other, points in apart:
                added.append(other)
                labels[points] = len(pieces.blobs) + len(added)
            several = not apart and int(np.count_nonzero(~best.explained)) > LEAST_REST * len(own)
        blobs.append(replace(blob, match=best, could_be_several=several))
        step()
    return replace(pieces, labels=labels, blobs=(*blobs, *added))


def match_of(own: Indices, blob: Blob, models: Sequence[KnownModel], around: Surroundings) -> Match | None:
    """The known model of the points of a blob, given by their indices; None where there is nothing to compare."""
    if not models or len(own) == 0:
        return None
    points, normals = around.points[own], around.normals[own]
    return match(points, normals, models, blob.disc, blob.ground, around.noise, blob.could_be_several)


def _taken_apart(
    own: Indices, blob: Blob, best: Match, models: Sequence[KnownModel], around: Surroundings
) -> list[tuple[Blob, Indices]]:
    """The other figures that are sure in a blob whose first one is known, each with its points."""
    others: list[tuple[Blob, Indices]] = []
    rest = own[~best.explained]
    while len(rest) > LEAST_REST * len(own) and len(others) < MOST_IN_ONE:
        other = match_of(rest, replace(blob, disc=None, could_be_several=True), models, around)
        if other is None or not other.sure:
            break
        others.append((replace(blob, disc=None, could_be_several=False, match=other), rest[other.explained]))
        rest = rest[~other.explained]
    return others


def without(pieces: LabelledPieces, left_out: Collection[int]) -> LabelledPieces:
    """The pieces without some, by their numbers; the others move up, and points of the former are left out.

    >>> blob = Blob("terrain", None, 0.0, None, False, False)
    >>> without(LabelledPieces(np.array([0, 1, 2], np.int32), (blob, blob)), [1]).labels.tolist()
    [0, -1, 1]
    """
    count = len(pieces.blobs)
    numbers = [number for number in range(1, count + 1) if number not in left_out]
    renumbered = np.full(count + 2, -1, dtype=np.int32)
    renumbered[0] = 0
    renumbered[numbers] = np.arange(1, len(numbers) + 1)
    labels: Integers = renumbered[pieces.labels]  # the last entry, which -1 picks, is -1
    blobs = [pieces.blobs[number - 1] for number in numbers]
    under = [None if blob.on is None or blob.on in left_out else int(renumbered[blob.on]) for blob in blobs]
    blobs = [replace(blob, on=on) for blob, on in zip(blobs, under, strict=True)]
    return replace(pieces, labels=labels, blobs=tuple(blobs))
