"""COUNT: contours with another sheet behind or before them: they are no end of what is covered.

              |  the strip just outside a piece of a contour, and a place in its middle.
sheet  #######|..
       #######|.x     x covered, and no other contour crosses the strip that has x on the side of its sheet:
       #######|..     the strip is covered all along, and nothing can be seen past the contour there
              |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Flags, Floats
from silhouette.measure.cells import Grid, among
from silhouette.measure.contours import SHORTEST, Contours
from silhouette.meshes.clusters import Indices, spread

OUT = 4.0
"""How wide a strip is, in doubts of its contour: a ray at its outer border is surely beside the contour."""

PLACES = (0.5, 0.1, 0.9)
"""Where along a piece rays are sent, one after the other until one proves it. Beside a crossing, one of the outer two
is on that side of it from which the sheet goes on."""

PAIRS_AT_ONCE = 1_000_000
"""Pairs of pieces in one cell that are compared at once, each some 200 bytes; where a cell has more it stays open."""


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Pieces of contours, each within one cell.

    Attributes:
        line: (n,) the contour of which each is a piece.
        start: (2, n) where it begins.
        length: (n,) pixels.
        along, outward: (2, n) unit vectors; the sheet does not lie outward.
    """

    line: Indices
    start: Floats
    length: Floats
    along: Floats
    outward: Floats


def open_contours(found: Contours, grid: Grid, cells: Indices, covered: Callable[[Floats], Flags]) -> Flags:
    """(n,) whether in a cell a contour has a piece that is not proven to have another sheet beyond it.

    Args:
        found: all contours in these cells.
        grid: whose cells they are.
        cells: (n,)
        covered: whether places (2, k), column and row, are covered.
    """
    line, cell = grid.of_lines(found.start, found.end, (OUT + 3.0) * found.doubt)
    line, number = among(cells, cell, line)
    by_cell = np.argsort(number, kind="stable")
    line, number = line[by_cell], number[by_cell]
    count = np.bincount(number, minlength=len(cells))
    first = np.cumsum(count) - count
    is_open = count.astype(np.int64) ** 2 > PAIRS_AT_ONCE
    is_open |= np.cumsum(count.astype(np.int64) ** 2) > 4 * PAIRS_AT_ONCE
    pieces, kept = _cut(found, grid, cells, line, number)
    unproven = kept[~is_open[number[kept]]]
    pieces_of = np.full(len(line), -1)
    pieces_of[kept] = np.arange(len(kept))
    for share in PLACES:
        if len(unproven) == 0:
            break
        own = pieces_of[unproven]
        place = pieces.start[:, own] + share * pieces.length[own] * pieces.along[:, own]
        place = place + OUT * found.doubt[pieces.line[own]] * pieces.outward[:, own]
        hit = covered(place)
        # Which other contours in the same cell cross its strip.
        other, pair = spread(first[number[unproven]], np.where(hit, count[number[unproven]], 0))
        bad = _crossing(found, pieces, own[pair], line[other], place[:, pair])
        proven = hit
        proven[pair[bad]] = False
        unproven = unproven[~proven]
    is_open[number[unproven]] = True
    return is_open


def _cut(found: Contours, grid: Grid, cells: Indices, line: Indices, number: Indices) -> tuple[_Pieces, Indices]:
    """The pieces of lines in cells, both given as pairs, and of which pair each is; those too short are left out."""
    start, end = found.start[:, line], found.end[:, line]
    way = end - start
    low = grid.corners(cells)[:, number] - found.doubt[line]
    high = low + grid.size + 2.0 * found.doubt[line]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.stack([(low - start) / way, (high - start) / way])
    level = way == 0.0
    enter = np.where(level, 0.0, shares.min(axis=0)).max(axis=0)
    leave = np.where(level, 1.0, shares.max(axis=0)).min(axis=0)
    enter, leave = np.maximum(enter, 0.0), np.minimum(leave, 1.0)
    whole = np.hypot(way[0], way[1])
    length = (leave - enter) * whole
    kept = np.flatnonzero((length > SHORTEST) & (found.side[line] != 0.0))
    along = way[:, kept] / whole[kept]
    outward = np.stack([along[1], -along[0]]) * found.side[line[kept]]
    return _Pieces(line[kept], start[:, kept] + enter[kept] * way[:, kept], length[kept], along, outward), kept


def _crossing(found: Contours, pieces: _Pieces, own: Indices, other: Indices, place: Floats) -> Flags:
    """(n,) whether contours ``other`` cross the strips of pieces ``own`` and have the places on their sheets' sides."""
    begin, along, outward = pieces.start[:, own], pieces.along[:, own], pieces.outward[:, own]
    start, end = found.start[:, other] - begin, found.end[:, other] - begin
    doubt = found.doubt[other]
    beyond = np.stack([(start * outward).sum(axis=0), (end * outward).sum(axis=0)])
    width = OUT * found.doubt[pieces.line[own]] + doubt
    lowest = found.gap[pieces.line[own]]
    near = (beyond.max(axis=0) > lowest) & (beyond.min(axis=0) < width) & (pieces.line[own] != other)
    # The part of the contour that is as far outward as the strip, but for a hairline.
    chosen = np.flatnonzero(near)
    beyond, start, end = beyond[:, chosen], start[:, chosen], end[:, chosen]
    rise = beyond[1] - beyond[0]
    level = np.abs(rise) < 1e-12
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.sort(np.stack([lowest[chosen] - beyond[0], width[chosen] - beyond[0]]) / rise, axis=0)
    shares = np.where(level, np.array([[0.0], [1.0]]), np.clip(shares, 0.0, 1.0))
    reach = np.stack([(start * along[:, chosen]).sum(axis=0), (end * along[:, chosen]).sum(axis=0)])
    reach = reach[0] + shares * (reach[1] - reach[0])
    crosses = (reach.max(axis=0) > -doubt[chosen]) & (reach.min(axis=0) < pieces.length[own[chosen]] + doubt[chosen])
    chosen = chosen[crosses]
    bad = np.zeros(len(own), dtype=np.bool_)
    bad[chosen] = found.reach(other[chosen], place[:, chosen]) > -doubt[chosen]
    return bad
