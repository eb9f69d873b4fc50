"""JUDGE: Tide of Iron, one traced line by itself: whether anything on it hides the target, and why.

Ends, shift -> the hexes entered -> the first rule of a ladder that holds -> Finding -> Line, with words
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from silhouette.rules.tide_of_iron.hexes import LEFT, RIGHT, Address, distance, entered, in_words
from silhouette.rules.tide_of_iron.scene import HexScene, Readings

Cause = Literal[
    "same_hex",
    "adjacent",
    "clear",
    "blocking_terrain",
    "higher_elevation",
    "plateau",
    "blind_hex",
    "both_sides_blocked",
]

SIDES = {0: None, LEFT: "left", RIGHT: "right"}

BLIND = {1: 2, 2: 1}
"""How many hexes behind the closest obstruction are blind, by the difference in levels (R17, R18); else none (A5)."""

BLIND_RULES = {1: "R17", 2: "R18"}


@dataclass(frozen=True)
class Ends:
    """The attacker and the target, where they are and on which level; on the same level the attacker counts as higher.

    Attributes:
        attacker, target: in words.
        start, end: their addresses.
        start_level, end_level: the elevations of their hexes.
    """

    attacker: str
    target: str
    start: Address
    end: Address
    start_level: int
    end_level: int

    @cached_property
    def downward(self) -> bool:
        """Whether the attacker is the higher one, or as high."""
        return self.start_level >= self.end_level

    @cached_property
    def difference(self) -> int:
        """In levels, from 0 up."""
        return abs(self.start_level - self.end_level)

    @property
    def higher(self) -> tuple[str, Address, int]:
        """The higher one: in words, its address, its level."""
        return (self.attacker, self.start, self.start_level) if self.downward else self._target

    @property
    def lower(self) -> tuple[str, Address, int]:
        """The lower one: in words, its address, its level."""
        return self._target if self.downward else (self.attacker, self.start, self.start_level)

    @property
    def _target(self) -> tuple[str, Address, int]:
        return self.target, self.end, self.end_level

    @property
    def nearest_to(self) -> Address:
        """What the closest obstruction is closest to: the lower unit (R16), or the attacker on the same level."""
        return self.lower[1] if self.difference else self.start


class Finding(NamedTuple):
    """What rules on a line.

    Attributes:
        cause: "clear", or what hides the target.
        rule: its number.
        obstruction: the hex that hides the target, or the closest obstruction that does not; None without any.
        behind: how many hexes the lower unit is behind it; None where that does not matter.
    """

    cause: Cause
    rule: str
    obstruction: Address | None = None
    behind: int | None = None


@dataclass(frozen=True)
class Line:
    """A traced line, ruled on by itself.

    Attributes:
        shift: `LEFT` or `RIGHT`, looking from the attacker, where the line is shifted that way; else 0.
        hexes: those that it enters, from the attacker to the target.
        found: what rules on it.
        blind_hexes: those that the obstruction casts on it, outward; for them the line is followed past the lower unit.
        why: as a clause.
    """

    shift: int
    hexes: tuple[Address, ...]
    found: Finding
    blind_hexes: tuple[Address, ...]
    why: str

    @property
    def clear(self) -> bool:
        """Whether nothing on it hides the target."""
        return self.found.cause == "clear"

    @property
    def side(self) -> str | None:
        """To which side it is shifted, in words."""
        return SIDES[self.shift]

    def row(self) -> dict[str, Any]:
        """The line as a result shows it."""
        obstruction = self.found.obstruction
        return {
            "side": self.side,
            "hexes": [list(address) for address in self.hexes],
            "cause": self.found.cause,
            "obstruction": None if obstruction is None else list(obstruction),
            "behind": self.found.behind,
            "blind_hexes": [list(address) for address in self.blind_hexes],
        }


def trace(scene: HexScene, ends: Ends, readings: Readings, shift: int) -> Line:
    """The line from the attacker to the target, shifted to a side or not at all, and what rules on it."""
    found = on_line(scene, ends, readings, shift)
    hexes = tuple(entered(ends.start, ends.end, shift))
    return Line(shift, hexes, found, _blind_hexes(ends, readings, shift, found), _why(scene, ends, found))


def on_line(scene: HexScene, ends: Ends, readings: Readings, shift: int) -> Finding:
    """What rules on the line from the attacker to the target, shifted so."""
    hexes = entered(ends.start, ends.end, shift)
    if ends.difference == 0:
        return _on_one_level(scene, ends, readings, hexes)
    return _between_levels(scene, ends, readings, hexes if ends.downward else hexes[::-1])


def _on_one_level(scene: HexScene, ends: Ends, readings: Readings, hexes: Sequence[Address]) -> Finding:
    """The first that holds, and of several hexes the one nearest to the attacker: R3, R8, R5, R2."""
    level = ends.start_level
    blocking = [address for address in hexes if _blocks(scene, ends, readings, address)]
    for address in blocking:
        if scene.ground(address).terrain != "smoke":
            return Finding("blocking_terrain", "R3", address)
    if blocking:
        return Finding("blocking_terrain", "R8", blocking[0])
    for address in hexes:
        if scene.ground(address).elevation > level:
            return Finding("higher_elevation", "R5", address)
    return Finding("clear", "R2")


def _between_levels(scene: HexScene, ends: Ends, readings: Readings, hexes: Sequence[Address]) -> Finding:
    """The first that holds, of hexes in order from the higher unit: R21, R23, R14, R17 or R18, R19."""
    (_, high, high_level), (_, low, low_level) = ends.higher, ends.lower
    elevations = [scene.ground(address).elevation for address in hexes]
    for address, elevation in zip(hexes, elevations, strict=True):
        if elevation > high_level:
            return Finding("higher_elevation", "R21", address)
    for address, elevation in zip(hexes, elevations, strict=True):
        if elevation == high_level and distance(address, high) == 1:
            return Finding("plateau", "R23", address)
    floor = 0 if readings.hills == "literal" else low_level
    obstructions = [
        address
        for address, elevation in zip(hexes, elevations, strict=True)
        if elevation > floor or _blocks(scene, ends, readings, address)
    ]
    if not obstructions:
        return Finding("clear", "R14")
    if readings.behind == "hexes entered":
        closest = obstructions[-1]
        behind = len(hexes) - hexes.index(closest)
    else:
        closest = min(reversed(obstructions), key=lambda address: distance(address, low))
        behind = distance(closest, low)
    if behind <= BLIND.get(ends.difference, 0):
        return Finding("blind_hex", BLIND_RULES[ends.difference], closest, behind)
    return Finding("clear", "R19" if ends.difference in BLIND else "A5", closest, behind)


def _blocks(scene: HexScene, ends: Ends, readings: Readings, address: Address) -> bool:
    """Whether the terrain of a hex blocks (R4, R8), at any height or, as a reading, not below both units (A4)."""
    ground = scene.ground(address)
    return ground.blocks and not (readings.low_woods == "height" and ground.elevation < ends.lower[2])


def _blind_hexes(ends: Ends, readings: Readings, shift: int, found: Finding) -> tuple[Address, ...]:
    """The hexes of the line behind the closest obstruction, outward from it, that are blind (R17, R18)."""
    count = BLIND.get(ends.difference, 0)
    if found.obstruction is None or found.behind is None or count == 0:
        return ()
    (_, (high_q, high_r), _), (_, (low_q, low_r), _) = ends.higher, ends.lower
    beyond = 2 * low_q - high_q, 2 * low_r - high_r  # as far again: at least two hexes
    hexes = entered((high_q, high_r), beyond, shift if ends.downward else -shift)
    behind = hexes[hexes.index(found.obstruction) + 1 :]
    if readings.behind == "hexes entered":
        return tuple(behind[:count])
    return tuple(address for address in behind if distance(address, found.obstruction) <= count)


def _why(scene: HexScene, ends: Ends, found: Finding) -> str:
    """What was found, as a clause with the names and numbers of the scene."""
    (high_name, _, high), (low_name, _, low) = ends.higher, ends.lower
    if found.obstruction is None:
        flat = f"the line, both are on level {high}"
        return (
            f"nothing blocks {flat if high == low else f'the line from level {ends.start_level} to {ends.end_level}'}"
        )
    at, ground = in_words(found.obstruction), scene.ground(found.obstruction)
    if found.cause == "blocking_terrain":
        return f"the line enters the {ground.terrain} at {at}"
    if found.cause == "higher_elevation":
        levels = f"levels {high} and {low}" if high != low else f"level {high}"
        return f"the hill at {at} (level {ground.elevation}) is higher than both of them ({levels})"
    if found.cause == "plateau":
        return f"a plateau: the line crosses {at}, next to {high_name} and as high (level {high})"
    what = f"the {ground.terrain} at {at}" if ground.blocks else f"the hill at {at} (level {ground.elevation})"
    behind = "1 hex" if found.behind == 1 else f"{found.behind} hexes"
    only = "only " if found.cause == "clear" else ""
    blind = {0: "none is", 1: f"{only}the next one is", 2: f"{only}the next 2 are"}[BLIND.get(ends.difference, 0)]
    up = "1 level" if ends.difference == 1 else f"{ends.difference} levels"
    return f"{low_name} is {behind} behind {what}, and from {up} up {blind} blind"
