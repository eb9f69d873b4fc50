"""SCAN: each piece as it was scanned is compared with the known models, and what has grown together is taken apart.

A blob that may be several pieces, or terrain in which a figure is caught, is matched again without the points that the
best model explains: each figure that is sure takes its points with it, and the rest is what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, Integers
from silhouette.common.lazy import cached_property
from silhouette.scans.classify import Blob, Pieces
from silhouette.scans.match import Match, match
from silhouette.scans.models import Known
from silhouette.scans.read import Scan
from silhouette.scans.surface import vertex_normals

Step = Callable[[], None]
Indices = NDArray[np.intp]


LEAST_REST = 0.15
"""The share of a blob's points that must be left for another piece: less is fillet, noise and the table's crumbs."""

MOST_IN_ONE = 6  # figures that are looked for in one blob: more would be a heap, and takes long


@dataclass(frozen=True, eq=False)
class Identified:
    """The pieces, with the known model of each."""

    pieces: Pieces  # as they are now
    matches: tuple[Match | None, ...]  # for each of them, its match or None


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What all pieces of a table share."""

    scan: Scan  # what was read
    points: Floats  # (n, 3) mm, its vertices on the table
    # noise, spacing: mm
    noise: float
    spacing: float

    @cached_property
    def normals(self) -> Floats:
        """(n, 3) unit vectors out of the surface; of a cloud they point up."""
        return vertex_normals(self.points, self.scan.faces, self.scan.usable)


def identify(
    pieces: Pieces, around: Surroundings, figures: Sequence[Known], terrain: Sequence[Known], step: Step
) -> Identified:
    """The pieces, each compared with the figures or with the terrain that is known.

    Args:
        pieces: as they were told apart by their shapes.
        around: the points.
        figures: the models to look for in what may be figures; vehicles among them have no round base, and are looked
            for in what may be terrain.
        terrain: the same for terrain.
        step: called when a piece is done.
    """
    fighters = [one for one in figures if one.model.kind != "vehicle"]
    others = [*terrain, *(one for one in figures if one.model.kind == "vehicle")]
    labels = pieces.labels.copy()
    blobs = list(pieces.blobs)
    matches: list[Match | None] = []
    added: list[tuple[Blob, Match]] = []
    for number, blob in enumerate(pieces.blobs, start=1):
        known = fighters if blob.kind == "fighter" else others
        own = np.flatnonzero(labels == number)
        found = blob.match or match_of(own, blob, known, around)
        if found is not None and found.sure and blob.could_be_several:
            several = _taken_apart(own, blob, found, known, around) if blob.kind == "fighter" else []
            for other, match_of_it, points in several:
                added.append((other, match_of_it))
                labels[points] = len(pieces.blobs) + len(added)
            is_one = np.count_nonzero(~found.explained) <= LEAST_REST * len(own)
            if several or is_one:
                blobs[number - 1] = replace(blob, could_be_several=False)
        matches.append(found)
        step()
    blobs += [blob for blob, _ in added]
    every = (*matches, *(one for _, one in added))
    return Identified(replace(pieces, labels=labels, blobs=tuple(blobs)), every)


def match_of(own: Indices, blob: Blob, models: Sequence[Known], around: Surroundings) -> Match | None:
    """The known model of the points of a blob, given by their indices; None where there is nothing to compare."""
    if not models or len(own) == 0:
        return None
    return match(
        around.points[own],
        around.normals[own],
        models,
        blob.disc,
        blob.ground,
        around.noise,
        blob.could_be_several,
    )


def _taken_apart(
    own: Indices, blob: Blob, found: Match, known: Sequence[Known], around: Surroundings
) -> list[tuple[Blob, Match, Indices]]:
    """The other figures that are sure in a blob whose first one is known, each with its points."""
    others: list[tuple[Blob, Match, Indices]] = []
    rest = own[~found.explained]
    while len(rest) > LEAST_REST * len(own) and len(others) < MOST_IN_ONE:
        other = replace(blob, disc=None, could_be_several=False)
        match_of_it = match_of(rest, replace(other, could_be_several=True), known, around)
        if match_of_it is None or not match_of_it.sure:
            break
        taken = rest[match_of_it.explained]
        others.append((other, match_of_it, taken))
        rest = rest[~match_of_it.explained]
    return others


def without(pieces: Pieces, matches: Sequence[Match | None], left_out: Sequence[int]) -> Identified:
    """The pieces without some, by their numbers; the others move up, and points of the former are left out.

    >>> blob = Blob("terrain", None, 0.0, None, False, False)
    >>> pieces = Pieces(np.array([0, 1, 2], np.int32), (blob, replace(blob, on=None)))
    >>> without(pieces, [None, None], [1]).pieces.labels.tolist()
    [0, -1, 1]
    """
    count = len(pieces.blobs)
    kept = [number for number in range(1, count + 1) if number not in left_out]
    renumbered = np.full(count + 2, -1, dtype=np.int32)
    renumbered[0] = 0
    renumbered[kept] = np.arange(1, len(kept) + 1)
    labels: Integers = renumbered[pieces.labels]  # the last entry, which -1 picks, is -1
    blobs: list[Blob] = []
    for number in kept:
        blob = pieces.blobs[number - 1]
        on = None if blob.on is None or blob.on in left_out else int(renumbered[blob.on])
        blobs.append(replace(blob, on=on))
    left = replace(pieces, labels=labels, blobs=tuple(blobs))
    return Identified(left, tuple(matches[number - 1] for number in kept))
