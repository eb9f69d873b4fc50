"""JUDGE: Tide of Iron, line of sight on a map of hexes; exact, in whole numbers.

The numbers R1 to R24 and A1 to A7 are those of the specification, ../shared/rules/tide_of_iron.md; its source is the
section "Line of Sight" of the Tide of Iron rulebook. Behind an obstruction some hexes are blind, the fewer the higher
one of the two stands above the other: see `BLIND_HEXES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, get_args

from silhouette.common.lazy import cached_property
from silhouette.rules.base import Level, RuleReference, Verdict
from silhouette.rules.fields import GROUNDS, OtherReading, Record, ResultField, alternatives, shared
from silhouette.rules.tide_of_iron.hexes import (
    LEFT_SHIFT,
    RIGHT_SHIFT,
    Address,
    along_edges,
    distance,
    entered,
    from_words,
    in_words,
)
from silhouette.rules.tide_of_iron.scene import HexScene, Readings
from silhouette.scenes.scene import Check

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

SHIFT_SIDES = {0: None, LEFT_SHIFT: "left", RIGHT_SHIFT: "right"}
BLIND_HEXES = {1: 2, 2: 1}  # behind the closest obstruction, by the difference in levels (R17, R18)
BLIND_RULES = {1: "R17", 2: "R18"}


@dataclass(frozen=True)
class Ends:
    """Attacker and target, with the addresses and levels of their hexes; on one level the attacker counts as higher."""

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
        attacker, target = (self.attacker, self.start, self.start_level), (self.target, self.end, self.end_level)
        return attacker if self.downward else target

    @property
    def lower(self) -> tuple[str, Address, int]:
        """The name, the address and the level of the lower one."""
        attacker, target = (self.attacker, self.start, self.start_level), (self.target, self.end, self.end_level)
        return target if self.downward else attacker

    @cached_property
    def along_edges(self) -> bool:
        """Whether the line runs along edges of hexes."""
        return along_edges(self.start, self.end)

    @property
    def nearest_to(self) -> Address:
        """The address nearest to the closest obstruction: the lower unit's (R16), on one level the attacker's."""
        return self.lower[1] if self.difference else self.start


class Finding(NamedTuple):
    """The rule that decides on a line."""

    cause: Cause  # "clear", or what hides the target
    rule: str
    # The hex that hides the target, or the closest obstruction that does not; None if there is none
    obstruction: Address | None = None
    # The number of hexes by which the lower unit is behind it; None where that does not matter
    behind: int | None = None


@dataclass(frozen=True)
class TracedLine(Record):
    """A traced line, judged by itself."""

    shift: int  # `LEFT_SHIFT` or `RIGHT_SHIFT`, looking from the attacker, where the line is shifted that way; else 0
    hexes: tuple[Address, ...]  # the hexes that it enters, from the attacker to the target
    finding: Finding
    # The blind hexes on it behind the obstruction, outward, also beyond the lower unit
    blind_hexes: tuple[Address, ...]
    reason: str  # a clause that says why

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
        return SHIFT_SIDES[self.shift]


def trace(scene: HexScene, ends: Ends, readings: Readings, shift: int) -> TracedLine:
    """The line from the attacker to the target, shifted to a side or not at all, and the rule that decides on it."""
    hexes, finding = rule_on_line(scene, ends, readings, shift)
    blind = _blind_hexes(ends, readings, shift, finding)
    return TracedLine(shift, tuple(hexes), finding, blind, _reason(scene, ends, finding, blind_hexes(ends, readings)))


def shifts_of(ends: Ends, readings: Readings) -> tuple[int, ...]:
    """The sides to which the line is shifted; 0 for a line that is not, or not as a whole (A6)."""
    return (LEFT_SHIFT, RIGHT_SHIFT) if ends.along_edges and readings.shift == "line" else (0,)


def rule_on_line(scene: HexScene, ends: Ends, readings: Readings, shift: int) -> tuple[list[Address], Finding]:
    """The hexes of the line from the attacker to the target, shifted to this side, and the rule that decides on it.
    Along edges each of which is shifted by itself (A6), it turns to the right of a hex that hides the target on its
    left.
    """
    if not (ends.along_edges and shift == 0):
        hexes = entered(ends.start, ends.end, shift, touching=readings.touching == "blocked")
        return hexes, _rule_on(scene, ends, readings, hexes)
    hexes, right = (entered(ends.start, ends.end, side) for side in (LEFT_SHIFT, RIGHT_SHIFT))
    finding = _rule_on(scene, ends, readings, hexes)
    while finding.obstruction is not None and finding.cause != "clear" and finding.obstruction not in right:
        place = hexes.index(finding.obstruction)
        hexes[place] = right[place]
        finding = _rule_on(scene, ends, readings, hexes)
    return hexes, finding


def _rule_on(scene: HexScene, ends: Ends, readings: Readings, hexes: Sequence[Address]) -> Finding:
    """The rule that decides on a line through these hexes, given from the attacker on."""
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
    (_, high, high_level), (_, _, low_level) = ends.higher, ends.lower
    elevations = {address: scene.ground(address).elevation for address in hexes}
    for address in hexes:
        if elevations[address] > high_level:
            return Finding("higher_elevation", "R21", address)
    for address in hexes:
        if distance(address, high) == 1 and elevations[address] == high_level:
            return Finding("plateau", "R23", address)
    floor = 0 if readings.hills == "literal" else low_level
    obstructions = [at for at in hexes if elevations[at] > floor or _blocks(scene, ends, readings, at)]
    return _behind(ends, readings, hexes, obstructions) if obstructions else Finding("clear", "R14")


def _behind(ends: Ends, readings: Readings, hexes: Sequence[Address], obstructions: Sequence[Address]) -> Finding:
    """R17, R18, R19 or A5, by how many hexes the lower unit is behind the obstruction closest to it (A2)."""
    if readings.behind == "hexes entered":
        closest = obstructions[-1]
        behind = len(hexes) - hexes.index(closest)
    else:
        closest = min(reversed(obstructions), key=lambda address: distance(address, ends.lower[1]))
        behind = distance(closest, ends.lower[1])
    if behind <= blind_hexes(ends, readings):
        return Finding("blind_hex", BLIND_RULES.get(ends.difference, "A5"), closest, behind)
    return Finding("clear", "R19" if ends.difference in BLIND_HEXES else "A5", closest, behind)


def blind_hexes(ends: Ends, readings: Readings) -> int:
    """How many hexes behind the closest obstruction are blind; from three levels up the text does not say (A5)."""
    of_more = 1 if readings.three_levels == "one blind" and ends.difference else 0
    return BLIND_HEXES.get(ends.difference, of_more)


def _blocks(scene: HexScene, ends: Ends, readings: Readings, address: Address) -> bool:
    """Whether the terrain of a hex blocks (R4, R8), at any height or, as a reading, not below both units (A4)."""
    ground = scene.ground(address)
    return ground.blocks and not (readings.low_woods == "height" and ground.elevation < ends.lower[2])


def _blind_hexes(ends: Ends, readings: Readings, shift: int, finding: Finding) -> tuple[Address, ...]:
    """The hexes of the line behind the closest obstruction, outward from it, that are blind (R17, R18)."""
    count = blind_hexes(ends, readings)
    if finding.obstruction is None or finding.behind is None or count == 0:
        return ()
    (_, (high_q, high_r), _), (_, (low_q, low_r), _) = ends.higher, ends.lower
    beyond = 2 * low_q - high_q, 2 * low_r - high_r  # as far again: at least two hexes
    touching = readings.touching == "blocked"
    sides = (LEFT_SHIFT, RIGHT_SHIFT) if ends.along_edges and shift == 0 else (shift if ends.downward else -shift,)
    lines = (entered((high_q, high_r), beyond, side, touching=touching) for side in sides)
    hexes = next(line for line in lines if finding.obstruction in line)
    behind = hexes[hexes.index(finding.obstruction) + 1 :]
    if readings.behind == "hexes entered":
        return tuple(behind[:count])
    return tuple(address for address in behind if distance(address, finding.obstruction) <= count)


def _reason(scene: HexScene, ends: Ends, finding: Finding, count: int) -> str:
    """Why a line is clear or not, where so many hexes behind an obstruction are blind."""
    (high_name, _, high), (low_name, _, low) = ends.higher, ends.lower
    if finding.obstruction is None:
        levels = f", both are on level {high}" if high == low else f" from level {ends.start_level} to {ends.end_level}"
        return f"nothing blocks the line{levels}"
    at, ground = in_words(finding.obstruction), scene.ground(finding.obstruction)
    if finding.cause == "blocking_terrain":
        is_touched = not ends.along_edges and finding.obstruction not in entered(ends.start, ends.end)
        return f"the line {'touches a corner of' if is_touched else 'enters'} the {ground.terrain} at {at}"
    if finding.cause == "higher_elevation":
        levels = f"levels {high} and {low}" if high != low else f"level {high}"
        return f"the hill at {at} (level {ground.elevation}) is higher than both of them ({levels})"
    if finding.cause == "plateau":
        return f"a plateau: the line crosses {at}, next to {high_name} and as high (level {high})"
    what = f"the {ground.terrain} at {at}" if ground.blocks else f"the hill at {at} (level {ground.elevation})"
    behind = "1 hex" if finding.behind == 1 else f"{finding.behind} hexes"
    only = "only " if finding.cause == "clear" else ""
    blind = {0: "none is", 1: f"{only}the next one is", 2: f"{only}the next 2 are"}[count]
    up = "1 level" if ends.difference == 1 else f"{ends.difference} levels"
    return f"{low_name} is {behind} behind {what}, and from {up} up {blind} blind"


NAME = "tide-of-iron"
LEVELS: Mapping[str, Level] = {"visible": Level.CLEAR, "hidden": Level.BLOCKED}  # each verdict's level
VERDICTS = tuple(LEVELS)
CAUSES: tuple[Cause, ...] = get_args(Cause)


def _as_said(words: str) -> str | list[int]:
    address = from_words(words)
    return words if address is None else list(address)


@dataclass(frozen=True, repr=False)
class TideOfIronVerdict(Verdict):
    """A Tide of Iron ruling with its evidence."""

    cause: Cause
    along_edge: bool
    # The hex that hides the target; where it is visible from another level, the closest obstruction, if any
    obstruction: Address | None
    blind_hexes: tuple[Address, ...]  # none where another rule than that of blind hexes decides
    distance: int
    elevations: tuple[int, int]
    lines: tuple[TracedLine, ...]  # the traced lines; none where the two share a hex or an edge of it

    fields: ClassVar[tuple[ResultField, ...]] = (
        *(replace(field, type=str | list[int], value=_as_said) for field in shared("attacker", "target")),
        *shared("rules", "verdict", "line_of_sight"),
        ResultField("cause", Cause, "why", form="code"),
        ResultField("along_edge", bool, "whether two shifted lines are traced", label="along the edges of hexes"),
        ResultField("obstruction", list[int] | None, "the hex [q, r] that decides, if any", form="address"),
        ResultField("blind_hexes", list[list[int]], "those that the obstruction casts on its line", form="address"),
        ResultField("distance", int, "in hexes"),
        ResultField("elevations", list[int], "the levels of the attacker and the target"),
        ResultField(
            "lines", list[dict[str, Any]], "the traced lines, each ruled on by itself", parts=TracedLine.fields
        ),
        *(*shared("other_readings"), *GROUNDS),
    )


SAME_LEVEL = "Determining Line of Sight Between Units on the Same Level of Elevation"
OTHER_LEVELS = "Determining Line of Sight Between Units on Different Levels of Elevation"

SECTIONS = {  # of the source text, by the rule that decides
    **dict.fromkeys(("R2", "R3", "R5", "R8"), SAME_LEVEL),
    **dict.fromkeys(("R10", "R11"), "Firing Along Hex Edges"),
    **dict.fromkeys(("R14", "R17", "R18", "R19", "A5"), OTHER_LEVELS),
    "R21": "Blocking Higher Elevation",
    "R22": "Adjacent Units",
    "R23": "Firing Across a Plateau",
    "A7": "Line of Sight",
}

OTHERWISE = {  # what a reason adds for each other reading
    "hills = literal": "if any hill up to the higher unit's level cast blind hexes",
    "hills = above the lower": "if only hills above the lower unit cast blind hexes",
    "low_woods = height": "if woods, buildings and smoke on ground below both did not block",
    "low_woods = literal": "if woods, buildings and smoke on ground below both blocked as well",
    "behind = hexes entered": "if the hexes that the line enters were counted",
    "behind = hex distance": "if hexes were counted by range",
    "three_levels = one blind": "if from three levels up one hex were blind, as from two",
    "three_levels = none blind": "if from three levels up no hex were blind",
    "touching = blocked": "if a hex blocked of which the line only touches a corner",
    "touching = clear": "if a hex did not block of which the line only touches a corner",
    "shift = edge": "if each edge were shifted by itself",
    "shift = line": "if the whole line were shifted to one side",
}


def ruling(scene: HexScene, check: Check) -> TideOfIronVerdict:
    """The ruling for a check, with every other reading that changes it; exact. RequestError for an unknown unit."""
    start, end = scene.address(check.attacker), scene.address(check.target)
    ends = Ends(check.attacker, check.target, start, end, scene.ground(start).elevation, scene.ground(end).elevation)
    readings = scene.readings
    cause, number, lines, why = _ladder(scene, ends, readings)
    visible = cause in ("same_hex", "adjacent", "clear")
    others = _other_readings(scene, ends, readings, visible) if lines else ()
    verdict = VERDICTS[not visible]
    telling = _telling(ends, lines)
    sees = "sees" if visible else "does not see"
    otherwise = "".join(f"; {OTHERWISE[other['reading']]} ({other['reading']}): {other['verdict']}" for other in others)
    return TideOfIronVerdict(
        attacker=ends.attacker,
        target=ends.target,
        rules=NAME,
        verdict=verdict,
        level=LEVELS[verdict],
        rule=RuleReference(SECTIONS[number], number),
        reason=f"{ends.attacker} {sees} {ends.target}: {why}{otherwise}",
        cause=cause,
        line_of_sight=visible,
        along_edge=bool(lines) and ends.along_edges,
        obstruction=telling.finding.obstruction if telling else None,
        blind_hexes=telling.blind_hexes if telling else (),
        distance=distance(start, end),
        elevations=(ends.start_level, ends.end_level),
        lines=lines,
        other_readings=others,
    )


def _ladder(scene: HexScene, ends: Ends, readings: Readings) -> tuple[Cause, str, tuple[TracedLine, ...], str]:
    """Cause, number of the rule, the lines traced, and why: the first test that holds."""
    steps = distance(ends.start, ends.end)
    if steps == 0:
        return "same_hex", "A7", (), f"both are in the hex {in_words(ends.start)}"
    if steps == 1:
        return "adjacent", "R22", (), "adjacent units always see each other"
    lines = tuple(trace(scene, ends, readings, shift) for shift in shifts_of(ends, readings))
    if not ends.along_edges:
        return lines[0].finding.cause, lines[0].finding.rule, lines, lines[0].reason
    why = "the line runs along edges of hexes; "
    if len(lines) == 1:
        why += f"each edge shifted to whichever side is free, {lines[0].reason}"
    elif all(line.finding.obstruction is None for line in lines):
        why += f"shifted to either side, {lines[0].reason}"
    else:
        why += "; ".join(f"shifted {line.side}, past {in_words(line.hexes[0])}, {line.reason}" for line in lines)
    if any(line.clear for line in lines):
        return "clear", "R10", lines, why
    return "both_sides_blocked", "R11", lines, why


def _telling(ends: Ends, lines: tuple[TracedLine, ...]) -> TracedLine | None:
    """The line on which the verdict rests, the left one where both are as good: first one that is clear without any
    obstruction, then a clear one, then the one whose obstruction is `Ends.nearest_to` its end.
    """

    def order(line: TracedLine) -> tuple[bool, int]:
        obstruction = line.finding.obstruction
        return not line.clear, 0 if obstruction is None else distance(obstruction, ends.nearest_to)

    return min(lines, key=order, default=None)


def _other_readings(scene: HexScene, ends: Ends, readings: Readings, visible: bool) -> tuple[OtherReading, ...]:
    """Each single other reading that gives another verdict."""
    low = ends.lower[2]
    matters = {
        "hills": bool(low and ends.difference),
        "low_woods": bool(low),
        "behind": bool(blind_hexes(ends, readings)),
        "three_levels": ends.difference > max(BLIND_HEXES),
        "touching": not ends.along_edges,
        "shift": ends.along_edges,
    }
    others = list[OtherReading]()
    for other in alternatives(readings):
        if matters[other.key]:
            changed = other.taken(readings)
            findings = [rule_on_line(scene, ends, changed, shift)[1] for shift in shifts_of(ends, changed)]
            if visible != any(finding.cause == "clear" for finding in findings):
                others.append({"reading": str(other), "verdict": VERDICTS[visible], "line_of_sight": not visible})
    return tuple(others)
