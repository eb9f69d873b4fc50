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
from itertools import product

import numpy as np

from silhouette.common.geometry import Flags, Floats, spread
from silhouette.measure.cells import Grid, among
from silhouette.measure.contours import SHORTEST, Contours
from silhouette.meshes.clusters import Indices

PLACES = ((0.5,), (0.0, 1.0))
"""Where along a piece rays are sent: to its middle, which most often proves it, then next to its ends. Where
another contour crosses, one of the latter two is on that side of it from which its sheet goes on."""

# A strip is as wide as `Contours.width`, and begins beyond the gap that counts as none. Where float64 decides, and
# another sheet begins within that width, a strip as narrow as float64 allows is asked for too.

PAIRS_AT_ONCE = 1_000_000
"""Pairs of pieces in one cell that are compared at once, each some 200 bytes; where a cell has more it stays open."""


ROUNDS = 3
"""So often pieces are asked again, past contours that were proven to have another sheet beyond them meanwhile."""

RIM = 10.0
"""How far beyond its region a piece is followed, in widths of its strip. What a round proves holds for the region
with a rim that is narrower each time: the places of the first round lie one width from the ends, of the next three,
of the last five, and what they rest on holds two widths farther out."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces of contours, each within one of several convex regions; those too short to be a side of a hole are left
    out.
    """

    entry: Indices  # (n,) of which of the given pairs of a contour and a region it is
    line: Indices  # (n,) the contour
    region: Indices  # (n,) the region
    start: Floats  # (2, n) where it begins
    length: Floats  # (n,) pixels
    # along, outward: (2, n) unit vectors; the sheet does not lie outward
    along: Floats
    outward: Floats

    @classmethod
    def of(cls, found: Contours, line: Indices, region: Indices, enter: Floats, leave: Floats) -> Pieces:
        """The pieces of lines between two shares of their lengths."""
        start, way = found.start[:, line], (found.end - found.start)[:, line]
        whole = np.hypot(way[0], way[1])
        length = (leave - enter) * whole
        kept = np.flatnonzero((length > SHORTEST) & (found.side[line] != 0.0))
        along = way[:, kept] / whole[kept]
        outward = np.stack([along[1], -along[0]]) * found.side[line[kept]]
        begin = start[:, kept] + enter[kept] * way[:, kept]
        return cls(kept, line[kept], region[kept], begin, length[kept], along, outward)


def open_contours(
    found: Contours,
    pieces: Pieces,
    line: Indices,
    region: Indices,
    regions: int,
    covered: Callable[[Floats, Indices], Flags],
    through: Flags,
) -> Flags:
    """(regions,) whether in a region a contour has a piece that is not proven to have another sheet beyond it.

    Args:
        found: contours.
        pieces: all pieces of contours in the regions.
        line, region: all contours that come near to regions, in pairs.
        regions: how many there are.
        covered: whether places (2, k), column and row, next to regions (k,) are covered.
        through: which of the pairs matter, where pieces reach out of their regions by a rim: those that run through a
            region itself. A piece that was proven is then no end of any sheet, and may cross the strips of others.
    """
    order = np.argsort(region, kind="stable")
    count = np.bincount(region, minlength=regions)
    first = np.cumsum(count) - count
    many = np.cumsum(np.bincount(pieces.region, minlength=regions) * count) > PAIRS_AT_ONCE
    asked: Flags = ~many[pieces.region]
    proven = np.zeros(len(asked), dtype=np.bool_)
    settled = np.zeros(len(line), dtype=np.bool_)
    matters = through[pieces.entry]
    strips = _strips(found, pieces)
    crossings = dict[int, tuple[Indices, Indices]]()
    for number in range(ROUNDS):
        edge, before = (1 + 2 * number) * strips[0][0], proven.copy()
        if number:
            asked = asked & (pieces.length > 2.0 * edge)
        for which, shares in product(range(len(strips)), PLACES if number == 0 else [sum(PLACES, ())]):
            now = np.flatnonzero(asked & ~proven)
            if not matters[now].any():
                break
            strip, lowest = strips[which]
            if which not in crossings:
                own = pieces.region[now]
                others, pair = spread(first[own], count[own])
                mine, others = now[pair], order[others]
                if which == 0:
                    seams = mine[_seams(found, pieces, mine, line[others])]
                    proven[seams] = True
                    settled[pieces.entry[seams]] = True
                    now = now[~proven[now]]
                crossing = _crossing(found, pieces, mine, strip[mine], lowest[mine], line[others])
                crossings[which] = mine[crossing], others[crossing]
            mine, others = crossings[which]
            matter = (asked & ~proven)[mine] & ~settled[others]
            crossed = np.searchsorted(now, mine[matter]), line[others[matter]]
            proven[now] |= _proven(found, pieces, now, strip[now], edge[now], shares, crossed, covered)
        if (proven == before).all():
            break
        settled[pieces.entry[proven]] = True
    is_open: Flags = many.copy()
    is_open[pieces.region[~proven & matters]] = True
    return is_open


def _strips(found: Contours, pieces: Pieces) -> list[tuple[Floats, Floats]]:
    """How far beside each piece (n,) a strip ends, and how far it begins; one strip, or a narrower one as well."""
    width, narrow = found.width[pieces.line], 4.0 * found.doubt[pieces.line]
    strips = [(width, found.gap[pieces.line])]
    if narrow.max(initial=0.0) < width.min(initial=np.inf):
        strips.append((narrow, narrow / 4.0))
    return strips


def _seams(found: Contours, pieces: Pieces, own: Indices, other: Indices) -> Flags:
    """(n,) whether contours ``other`` lie along the whole of pieces ``own``, but for a gap that counts as none, and
    have their sheets on the other side: one sheet begins where the other ends."""
    begin, outward = pieces.start[:, own], pieces.outward[:, own]
    start, end = found.start[:, other] - begin, found.end[:, other] - begin
    beyond = np.stack([(start * outward).sum(axis=0), (end * outward).sum(axis=0)])
    gap = found.gap[pieces.line[own]]
    facing = found.side[other] * ((end - start)[0] * outward[1] - (end - start)[1] * outward[0]) > 0.0
    seams: Flags = facing & (beyond.min(axis=0) <= gap) & (beyond.max(axis=0) >= -gap) & (pieces.line[own] != other)
    chosen = np.flatnonzero(seams)
    own, gap, beyond = own[chosen], gap[chosen], beyond[:, chosen]
    reach = np.stack([(point[:, chosen] * pieces.along[:, own]).sum(axis=0) for point in (start, end)])
    length = pieces.length[own]
    seams[chosen] = (reach.min(axis=0) <= SHORTEST) & (reach.max(axis=0) >= length - SHORTEST)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (beyond[1] - beyond[0]) / (reach[1] - reach[0])
        for at in (0.0, length):
            seams[chosen] &= np.abs(beyond[0] + (at - reach[0]) * slope) <= gap
    return seams


def _proven(
    found: Contours,
    pieces: Pieces,
    now: Indices,
    strip: Floats,
    edge: Floats,
    shares: tuple[float, ...],
    crossed: tuple[Indices, Indices],
    covered: Callable[[Floats, Indices], Flags],
) -> Flags:
    """(k,) whether a place proves that there is another sheet beyond pieces ``now`` (k,).

    The places lie where the strips (k,) end, at shares of the pieces, and no nearer to their ends than ``edge`` (k,) if
    they can. ``crossed`` are places in the list of pieces, and contours that cross their strips, in pairs.
    """
    length = pieces.length[now]
    margin = np.minimum(edge, length / 2.0)
    beside = pieces.start[:, now] + strip * pieces.outward[:, now]
    along = [np.clip(share * length, margin, length - margin) for share in shares]
    places = np.stack([beside + way * pieces.along[:, now] for way in along], axis=1)
    hit = covered(places.reshape(2, -1), np.tile(pieces.region[now], len(shares))).reshape(len(shares), -1)
    mine, others = crossed
    for at, hit_there in enumerate(hit):
        bad = found.reach(others, places[:, at, mine]) > -found.doubt[others]
        hit_there[mine[bad]] = False
    proven: Flags = np.any(hit, axis=0, out=np.empty(len(now), dtype=np.bool_))
    return proven


def in_cells(found: Contours, grid: Grid, cells: Indices) -> tuple[Indices, Indices, Floats, Floats, Flags]:
    """Lines that come near to cells, in pairs with the places of these in the list; their shares inside; which run
    through.

    The shares are those inside the cell with its rim; a line runs through where it comes into the cell itself.
    """
    line, cell = grid.of_lines(found.start, found.end, (RIM + 2.0) * found.width)
    line, number = among(cells, cell, line)
    enter, leave = _within(found, line, grid.corners(cells)[:, number], grid.size, found.doubt[line])
    through = enter < leave
    enter, leave = _within(found, line, grid.corners(cells)[:, number], grid.size, RIM * found.width[line])
    return line, number, enter, leave, through


def _within(found: Contours, line: Indices, low: Floats, size: float, rim: Floats) -> tuple[Floats, Floats]:
    """The shares of lines, from and to, inside squares that begin at (2, n), with a rim."""
    start, way = found.start[:, line], (found.end - found.start)[:, line]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.stack([(low - rim - start) / way, (low + size + rim - start) / way])
    level = way == 0.0
    enter = np.where(level, 0.0, shares.min(axis=0)).max(axis=0)
    leave = np.where(level, 1.0, shares.max(axis=0)).min(axis=0)
    return np.maximum(enter, 0.0), np.minimum(leave, 1.0)


def _crossing(found: Contours, pieces: Pieces, own: Indices, width: Floats, lowest: Floats, other: Indices) -> Flags:
    """(n,) whether contours ``other`` cross the strips of pieces ``own``, which begin and end so far beside them."""
    begin, along, outward = pieces.start[:, own], pieces.along[:, own], pieces.outward[:, own]
    start, end = found.start[:, other] - begin, found.end[:, other] - begin
    doubt = found.doubt[other]
    beyond = np.stack([(start * outward).sum(axis=0), (end * outward).sum(axis=0)])
    width = width + doubt
    near: Flags = (beyond.max(axis=0) > lowest) & (beyond.min(axis=0) < width) & (pieces.line[own] != other)
    # The part of the contour that is as far outward as the strip.
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
    near[chosen] = crosses
    return near
