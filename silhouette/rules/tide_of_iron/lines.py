"""JUDGE: Tide of Iron, one traced line by itself: whether anything on it hides the target, and why.

Ends, shift -> the hexes entered -> the first rule of a ladder that holds -> Finding -> Line, with its reason

Behind an obstruction some hexes are blind, the fewer the higher one of the two stands above the other:

        higher (level 2)
           @ ----____
        ______       ----____  woods          R17, one level of difference: 2 hexes behind are blind
              |              ##  b1  b2       R18, two levels: 1 hex (b1)
              |_____________ ## ____ lower    more: none (A5)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from silhouette.lazy import cached_property
from silhouette.rules.fields import Record, ResultField
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

BLIND_HEXES = {1: 2, 2: 1}
"""The number of blind hexes behind the closest obstruction, by the difference in levels (R17, R18); else 0 (A5)."""

BLIND_RULES = {1: "R17", 2: "R18"}


@dataclass(frozen=True)
class Ends:
    """The attacker and the target, with their addresses and levels; on the same level the attacker counts as higher.

    Attributes:
        attacker, target: their names, as reasons print them.
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
        """Whether the attacker is as high as the target, or higher."""
        return self.start_level >= self.end_level

    @cached_property
    def difference(self) -> int:
        """The difference in levels, at least 0."""
        return abs(self.start_level - self.end_level)

    @property
    def higher(self) -> tuple[str, Address, int]:
        """The name, the address and the level of the higher one."""
        return (self.attacker, self.start, self.start_level) if self.downward else self._target

    @property
    def lower(self) -> tuple[str, Address, int]:
        """The name, the address and the level of the lower one."""
        return self._target if self.downward else (self.attacker, self.start, self.start_level)

    @property
    def _target(self) -> tuple[str, Address, int]:
        return self.target, self.end, self.end_level

    @property
    def nearest_to(self) -> Address:
        """The address nearest to the closest obstruction: the lower unit's (R16), on one level the attacker's."""
        return self.lower[1] if self.difference else self.start


class Finding(NamedTuple):
    """The rule that decides on a line.

    Attributes:
        cause: "clear", or what hides the target.
        rule: the number of the rule.
        obstruction: the hex that hides the target, or the closest obstruction that does not; None if there is none.
        behind: the number of hexes by which the lower unit is behind it; None where that does not matter.
    """

    cause: Cause
    rule: str
    obstruction: Address | None = None
    behind: int | None = None


@dataclass(frozen=True)
class Line(Record):
    """A traced line, judged by itself.

    Attributes:
        shift: `LEFT` or `RIGHT`, looking from the attacker, where the line is shifted that way; else 0.
        hexes: the hexes that it enters, from the attacker to the target.
        finding: the rule that decides on it.
        blind_hexes: the blind hexes on it behind the obstruction, outward, also beyond the lower unit.
        reason: a clause that says why.
    """

    shift: int
    hexes: tuple[Address, ...]
    finding: Finding
    blind_hexes: tuple[Address, ...]
    reason: str

    fields: ClassVar[tuple[ResultField, ...]] = (
        ResultField("side", str | None, "the side to which it is shifted"),
        ResultField("hexes", list[list[int]], "those that it enters", form="address"),
        ResultField("cause", str, "the rule that decides on it", at="finding.cause", form="code"),
        ResultField("obstruction", list[int] | None, "what decides", at="finding.obstruction", form="address"),
        ResultField("behind", int | None, "how far the lower unit is behind it", at="finding.behind"),
        ResultField("blind_hexes", list[list[int]], "those on it", form="address"),
    )

    @property
    def clear(self) -> bool:
        """Whether nothing on it hides the target."""
        return self.finding.cause == "clear"

    @property
    def side(self) -> str | None:
        """The side to which the line is shifted: "left", "right" or None."""
        return SIDES[self.shift]


def trace(scene: HexScene, ends: Ends, readings: Readings, shift: int) -> Line:
    """The line from the attacker to the target, shifted to a side or not at all, and the rule that decides on it."""
    finding = rule_on_line(scene, ends, readings, shift)
    hexes = tuple(entered(ends.start, ends.end, shift))
    return Line(shift, hexes, finding, _blind_hexes(ends, readings, shift, finding), _reason(scene, ends, finding))


def rule_on_line(scene: HexScene, ends: Ends, readings: Readings, shift: int) -> Finding:
    """The rule that decides on the line from the attacker to the target, shifted to this side."""
    hexes = entered(ends.start, ends.end, shift)
    if ends.difference == 0:
        return _on_one_level(scene, ends, readings, hexes)
    return _between_levels(scene, ends, readings, hexes if ends.downward else hexes[::-1])


def _on_one_level(scene: HexScene, ends: Ends, readings: Readings, hexes: Sequence[Address]) -> Finding:
    """The first of R3, R8, R5 and R2 that holds, at the hex nearest to the attacker."""
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
    """The first of R21, R23, R14, R17 or R18, and R19 that holds; the hexes are given from the higher unit on."""
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
    if behind <= BLIND_HEXES.get(ends.difference, 0):
        return Finding("blind_hex", BLIND_RULES[ends.difference], closest, behind)
    return Finding("clear", "R19" if ends.difference in BLIND_HEXES else "A5", closest, behind)


def _blocks(scene: HexScene, ends: Ends, readings: Readings, address: Address) -> bool:
    """Whether the terrain of a hex blocks (R4, R8), at any height or, as a reading, not below both units (A4)."""
    ground = scene.ground(address)
    return ground.blocks and not (readings.low_woods == "height" and ground.elevation < ends.lower[2])


def _blind_hexes(ends: Ends, readings: Readings, shift: int, finding: Finding) -> tuple[Address, ...]:
    """The hexes of the line behind the closest obstruction, outward from it, that are blind (R17, R18)."""
    count = BLIND_HEXES.get(ends.difference, 0)
    if finding.obstruction is None or finding.behind is None or count == 0:
        return ()
    (_, (high_q, high_r), _), (_, (low_q, low_r), _) = ends.higher, ends.lower
    beyond = 2 * low_q - high_q, 2 * low_r - high_r  # as far again: at least two hexes
    hexes = entered((high_q, high_r), beyond, shift if ends.downward else -shift)
    behind = hexes[hexes.index(finding.obstruction) + 1 :]
    if readings.behind == "hexes entered":
        return tuple(behind[:count])
    return tuple(address for address in behind if distance(address, finding.obstruction) <= count)


def _reason(scene: HexScene, ends: Ends, finding: Finding) -> str:
    """The finding as a clause, with the names and numbers of the scene."""
    (high_name, _, high), (low_name, _, low) = ends.higher, ends.lower
    if finding.obstruction is None:
        flat = f"the line, both are on level {high}"
        return (
            f"nothing blocks {flat if high == low else f'the line from level {ends.start_level} to {ends.end_level}'}"
        )
    at, ground = in_words(finding.obstruction), scene.ground(finding.obstruction)
    if finding.cause == "blocking_terrain":
        return f"the line enters the {ground.terrain} at {at}"
    if finding.cause == "higher_elevation":
        levels = f"levels {high} and {low}" if high != low else f"level {high}"
        return f"the hill at {at} (level {ground.elevation}) is higher than both of them ({levels})"
    if finding.cause == "plateau":
        return f"a plateau: the line crosses {at}, next to {high_name} and as high (level {high})"
    what = f"the {ground.terrain} at {at}" if ground.blocks else f"the hill at {at} (level {ground.elevation})"
    behind = "1 hex" if finding.behind == 1 else f"{finding.behind} hexes"
    only = "only " if finding.cause == "clear" else ""
    blind = {0: "none is", 1: f"{only}the next one is", 2: f"{only}the next 2 are"}[BLIND_HEXES.get(ends.difference, 0)]
    up = "1 level" if ends.difference == 1 else f"{ends.difference} levels"
    return f"{low_name} is {behind} behind {what}, and from {up} up {blind} blind"
