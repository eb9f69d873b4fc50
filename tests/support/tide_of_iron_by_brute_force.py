"""Tide of Iron once more, slowly and plainly, sharing nothing with the program.

Geometry: the segment between two centres is cut in fractions against the six sides of every hexagon of the map, and a
hexagon is entered where a stretch of the segment is left inside. A shifted line is that same segment moved aside by a
millionth of its length. Rulings: the sentences of the text, one after the other, as this module's author read them.

The plane has the coordinates (u, v, w) = (x - y, y - z, z - x) of a cube point; the hexagon round a centre is where
each of the three is less than 1 away from the centre's.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import product

Hex = tuple[int, int]
Vector = tuple[Fraction, Fraction, Fraction]

LITTLE = Fraction(1, 1_000_000)


def plane(q: Fraction | int, r: Fraction | int) -> Vector:
    """A point of the plane from its axial coordinates."""
    x, y, z = Fraction(q), Fraction(-q - r), Fraction(r)
    return x - y, y - z, z - x


def stretch_inside(
    start: Vector, end: Vector, centre: Vector, points: bool = False
) -> tuple[Fraction, Fraction] | None:
    """From where to where, as shares of the segment, it runs inside a hexagon; None where no stretch of it does.

    With ``points`` the hexagon has its border as well, so that the stretch may be a point.
    """
    first, last = Fraction(0), Fraction(1)
    for a, b, c in zip(start, end, centre, strict=True):
        if a == b:
            if abs(a - c) > 1 or (abs(a - c) == 1 and not points):
                return None
        else:
            one, other = (c - 1 - a) / (b - a), (c + 1 - a) / (b - a)
            first, last = max(first, min(one, other)), min(last, max(one, other))
    return (first, last) if first < last or (points and first == last) else None


@cache
def hexes_on(q: int, r: int, side: int, points: bool = False) -> tuple[Hex, ...]:
    """The hexes between (0, 0) and (q, r) of which the line enters the interior, in order.

    Args:
        q, r: the end.
        side: 1 where the line is shifted to the left, -1 to the right, 0 not at all.
        points: whether a hex counts of which the line touches a corner.
    """
    aside_q, aside_r = -r * side * LITTLE, (q + r) * side * LITTLE  # the line turned to the left by 60 degrees, tiny
    start, end = plane(aside_q, aside_r), plane(q + aside_q, r + aside_r)
    found = []
    for column in range(min(0, q) - 2, max(0, q) + 3):
        for row in range(min(0, r) - 2, max(0, r) + 3):
            if (column, row) not in ((0, 0), (q, r)):
                inside = stretch_inside(start, end, plane(column, row), points)
                if inside is not None:
                    found.append((inside, (column, row)))
    return tuple(address for _, address in sorted(found))


def steps(a: Hex, b: Hex) -> int:
    """How far two hexes lie apart."""
    q, r = b[0] - a[0], b[1] - a[1]
    return (abs(q) + abs(r) + abs(q + r)) // 2


def follows_edges(a: Hex, b: Hex) -> bool:
    """Whether a stretch of the line between two centres lies on the border of hexes: whether no hex contains it."""
    start, end = plane(0, 0), plane(b[0] - a[0], b[1] - a[1])
    on = [(0, 0), *hexes_on(b[0] - a[0], b[1] - a[1], 0), (b[0] - a[0], b[1] - a[1])]
    covered = Fraction(0)
    for address in on:
        inside = stretch_inside(start, end, plane(*address))
        if inside is not None:
            covered += inside[1] - inside[0]
    return covered < 1 and a != b


class Board:
    """A map, and the readings of the rules by which it is judged."""

    def __init__(self, hexes: Mapping[Hex, tuple[str, int]], readings: Mapping[str, str]) -> None:
        self.hexes = hexes
        self.literal_hills = readings.get("hills") == "literal"
        self.low_woods_are_low = readings.get("low_woods") == "height"
        self.count_entered = readings.get("behind") == "hexes entered"
        self.one_is_blind = readings.get("three_levels") == "one blind"
        self.touches = readings.get("touching") == "blocked"
        self.edge_by_edge = readings.get("shift") == "edge"

    def height(self, address: Hex) -> int:
        """The elevation of a hex."""
        return self.hexes.get(address, ("clear", 0))[1]

    def overgrown(self, address: Hex, lower: int) -> bool:
        """Whether woods, a building or smoke block there, where the lower of two units is on a level."""
        terrain, height = self.hexes.get(address, ("clear", 0))
        return terrain in ("woods", "building", "smoke") and not (self.low_woods_are_low and height < lower)

    def lines(self, a: Hex, b: Hex) -> list[list[Hex]]:
        """The hexes on each of the lines of which one must be clear."""
        q, r = b[0] - a[0], b[1] - a[1]
        if not follows_edges(a, b):
            lines = [hexes_on(q, r, 0, self.touches)]
        elif self.edge_by_edge:
            lines = list(product(*zip(hexes_on(q, r, 1), hexes_on(q, r, -1), strict=True)))
        else:
            lines = [hexes_on(q, r, 1), hexes_on(q, r, -1)]
        return [[(a[0] + q, a[1] + r) for q, r in line] for line in lines]

    def free(self, a: Hex, b: Hex, line: list[Hex]) -> bool:
        """Whether a line from one to the other is clear."""
        if self.height(a) == self.height(b):
            level = self.height(a)
            return not any(self.overgrown(each, level) or self.height(each) > level for each in line)
        high, low = (a, b) if self.height(a) > self.height(b) else (b, a)
        return not self.hidden_below(line if high == a else line[::-1], high, low)

    def hidden_below(self, line: list[Hex], high: Hex, low: Hex) -> bool:
        """Whether the higher unit and the lower one do not see each other along a line, given from the higher."""
        top, bottom = self.height(high), self.height(low)
        if max(map(self.height, line), default=0) > top:
            return True
        if any(self.height(each) == top and steps(each, high) == 1 for each in line):
            return True
        blind_hexes = max(1 if self.one_is_blind else 0, 3 - (top - bottom))
        for places, each in enumerate(reversed(line), 1):
            hill = 0 < self.height(each) <= top if self.literal_hills else bottom < self.height(each) <= top
            behind = places if self.count_entered else steps(each, low)
            if (hill or self.overgrown(each, bottom)) and behind <= blind_hexes:
                return True
        return False

    def sees(self, a: Hex, b: Hex) -> bool:
        """Whether there is line of sight between two hexes."""
        if steps(a, b) < 2:
            return True
        return any(self.free(a, b, line) for line in self.lines(a, b))
