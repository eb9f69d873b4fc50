"""Hexagonal maps in integers: addresses, distances, and which hexes a line between two centres enters.

An address is axial, ``(q, r)``: q grows to the right, r away from the viewer and half as much to the right. Its cube
point is ``(q, -q - r, r)``. A corner of each hex points to the viewer; corners lie at a third of the steps in
`CORNER_STEPS` from its centre.

Nothing here rounds. Two cross products of integers decide whether a line enters a hexagon, touches a corner or an edge,
or passes it by: that of the line with the hexagon's centre is less than, as much as, or more than the greatest of those
with its corners. The first is the centre's distance from the line times the line's length, the other how far the
hexagon reaches to either side. So an answer depends neither on how far apart the two ends are nor on where they lie.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

Address = tuple[int, int]  # axial, (q, r)

NEIGHBOUR_STEPS: tuple[Address, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""The steps to the six neighbours, anticlockwise."""

CORNER_STEPS: tuple[Address, ...] = ((1, 1), (-1, 2), (-2, 1), (-1, -1), (1, -2), (2, -1))
"""The six directions from a centre through a corner, anticlockwise; each leads to a centre three corners away."""

LEFT_SHIFT, RIGHT_SHIFT = 1, -1  # the side to which a line is shifted, looking along it; 0 where it is not shifted
LINES_CACHED = 4096  # lines, by direction and length, that are kept: as many as on a map 32 hexes wide
_HEX_ADDRESS_PATTERN = re.compile(
    r"\s*(?:\[\s*([+-]?\d{1,9})\s*,\s*([+-]?\d{1,9})\s*]|([+-]?\d{1,9})\s*,\s*([+-]?\d{1,9}))\s*"
)


def in_words(address: Address) -> str:
    """An address as files and reasons spell it: "[4, -1]"."""
    return f"[{address[0]}, {address[1]}]"


def from_words(text: str) -> Address | None:
    """The address that a text spells, with or without its brackets; None where it spells none.

    >>> from_words("[4, -1]"), from_words("4,-1"), from_words("squad 4"), from_words("[4, -1"), from_words("")
    ((4, -1), (4, -1), None, None, None)
    """
    match = _HEX_ADDRESS_PATTERN.fullmatch(text)
    if match is None:
        return None
    q, r = (int(number) for number in match.groups() if number is not None)
    return q, r


def distance(a: Address, b: Address) -> int:
    """The number of steps from hex to hex that lead from one to the other.

    >>> distance((0, 0), (3, -1)), distance((0, 0), (2, 2)), distance((5, 5), (5, 5))
    (3, 4, 0)
    """
    q, r = b[0] - a[0], b[1] - a[1]
    return max(abs(q), abs(r), abs(q + r))


def along_edges(start: Address, end: Address) -> bool:
    """Whether the line between two centres runs along edges of hexes: whether it leaves through a corner straight on.

    >>> [along_edges((0, 0), end) for end in ((1, 1), (-4, 2), (4, 1), (0, 0))]
    [True, True, False, False]
    """
    q, r = end[0] - start[0], end[1] - start[1]
    return (q, r) != (0, 0) and (q == r or 2 * q + r == 0 or q + 2 * r == 0)


def entered(start: Address, end: Address, shift: int = 0, *, touching: bool = False) -> list[Address]:
    """The hexes between two whose interior the line from centre to centre enters, in the order in which it does.

    Shifted to the `LEFT_SHIFT` or `RIGHT_SHIFT` by less than any length, it also enters a hex on that side that it only
    touches, at an edge or a corner; with ``touching`` a line that is not shifted enters all of those:

    >>> entered((0, 0), (3, 0)), entered((0, 0), (2, 2))
    ([(1, 0), (2, 0)], [(1, 1)])
    >>> entered((0, 0), (2, 2), LEFT_SHIFT), entered((0, 0), (2, 2), RIGHT_SHIFT)
    ([(0, 1), (1, 1), (1, 2)], [(1, 0), (1, 1), (2, 1)])
    >>> (1, 1) in entered((0, 0), (4, 1)), (1, 1) in entered((0, 0), (4, 1), LEFT_SHIFT)
    (False, True)
    >>> (1, 1) in entered((0, 0), (4, 1), touching=True)
    True
    >>> entered((2, 2), (2, 2))
    []
    """
    q, r = start
    return [(q + step_q, r + step_r) for step_q, step_r in _steps_entered(end[0] - q, end[1] - r, shift, touching)]


@lru_cache(maxsize=LINES_CACHED)
def _steps_entered(q: int, r: int, shift: int, touching: bool) -> tuple[Address, ...]:
    """The hexes entered on the way from (0, 0) to (q, r), as steps from the start."""
    if q == r == 0:
        return ()
    if abs(q) < abs(r):  # the mirror image in the line q = r, where left and right change places
        return tuple((a, b) for b, a in _steps_entered(r, q, -shift, touching))
    reach = max(abs(q * corner_r - r * corner_q) for corner_q, corner_r in CORNER_STEPS)
    steps = []
    # Of each column of hexes the line may meet three: the one nearest to it, and its two neighbours.
    columns = range(q + 1) if q > 0 else range(0, q - 1, -1)
    for column, row in ((column, r * column // q + beside) for column in columns for beside in (-1, 0, 1)):
        cross = 3 * (q * row - r * column)  # above 0 to the left; 3 since corners lie at a third of `CORNER_STEPS`
        along = (2 * q + r) * column + (q + 2 * r) * row  # twice the scalar product with the line
        is_touched = abs(cross) == reach and (cross * shift > 0 if shift else touching)
        if abs(cross) < reach or is_touched:
            steps.append((along, (column, row)))
    length = (2 * q + r) * q + (q + 2 * r) * r
    # From one hex to the next the line crosses the edge between them, so that the next centre lies further along.
    return tuple(step for along, step in sorted(steps) if 0 < along < length)


def bounding_ranges(addresses: Iterable[Address]) -> tuple[range, range]:
    """The ranges of q and of r that just hold all of these addresses: a parallelogram of hexes.

    >>> bounding_ranges([(0, 1), (3, 0)])
    (range(0, 4), range(0, 2))
    >>> bounding_ranges([])
    (range(0, 0), range(0, 0))
    """
    given = list(addresses)
    if not given:
        return range(0), range(0)
    columns, rows = zip(*given, strict=True)
    return range(min(columns), max(columns) + 1), range(min(rows), max(rows) + 1)
