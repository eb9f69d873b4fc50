"""JUDGE: Tide of Iron, line of sight on a map of hexes; exact, in whole numbers.

The numbers R1 to R24 and A1 to A7 are those of the specification, ../shared/rules/tide_of_iron.md; its source is the
section "Line of Sight" of the Tide of Iron rulebook.

    check -> Ends -> the traced lines: one, or two along edges -> a Finding for each -> the verdict
"""

from __future__ import annotations

from collections.abc import Sequence

from silhouette.rules.base import RuleReference
from silhouette.rules.readings import OtherReading, alternatives
from silhouette.rules.tide_of_iron.hexes import LEFT, RIGHT, along_edges, distance, in_words
from silhouette.rules.tide_of_iron.lines import BLIND_HEXES, Cause, Ends, Line, rule_on_line, trace
from silhouette.rules.tide_of_iron.results import LEVELS, NAME, VERDICTS, TideOfIronVerdict
from silhouette.rules.tide_of_iron.scene import HexScene, Readings
from silhouette.scenes.scene import Check

SAME_LEVEL = "Determining Line of Sight Between Units on the Same Level of Elevation"
OTHER_LEVELS = "Determining Line of Sight Between Units on Different Levels of Elevation"

SECTIONS = {
    **dict.fromkeys(("R2", "R3", "R5", "R8"), SAME_LEVEL),
    **dict.fromkeys(("R10", "R11"), "Firing Along Hex Edges"),
    **dict.fromkeys(("R14", "R17", "R18", "R19", "A5"), OTHER_LEVELS),
    "R21": "Blocking Higher Elevation",
    "R22": "Adjacent Units",
    "R23": "Firing Across a Plateau",
    "A7": "Line of Sight",
}
"""The section of the source text for each rule that can decide."""

OTHERWISE = {
    "hills = literal": "if any hill up to the higher unit's level cast blind hexes",
    "hills = above the lower": "if only hills above the lower unit cast blind hexes",
    "low_woods = height": "if woods, buildings and smoke on ground below both did not block",
    "low_woods = literal": "if woods, buildings and smoke on ground below both blocked as well",
    "behind = hexes entered": "if the hexes that the line enters were counted",
    "behind = hex distance": "if hexes were counted by range",
}
"""Every reading, and the clause that a reason adds for it."""


def ruling(scene: HexScene, check: Check) -> TideOfIronVerdict:
    """The ruling on line of sight for a check, with every other reading that gives another verdict; exact.

    Raises:
        RequestError: if the check names a unit that the scene does not have.
    """
    start, end = scene.address(check.attacker), scene.address(check.target)
    ends = Ends(check.attacker, check.target, start, end, scene.ground(start).elevation, scene.ground(end).elevation)
    readings = scene.readings
    cause, number, lines, why = _ladder(scene, ends, readings)
    visible = cause in ("same_hex", "adjacent", "clear")
    others = _other_readings(scene, ends, readings, lines, visible)
    verdict = VERDICTS[not visible]
    telling = _telling(ends, lines)
    sees = "sees" if visible else "does not see"
    otherwise = "".join(f"; {OTHERWISE[one['reading']]} ({one['reading']}): {one['verdict']}" for one in others)
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
        along_edge=len(lines) == 2,
        obstruction=telling.finding.obstruction if telling else None,
        blind_hexes=telling.blind_hexes if telling else (),
        distance=distance(start, end),
        elevations=(ends.start_level, ends.end_level),
        lines=lines,
        other_readings=others,
    )


def _ladder(scene: HexScene, ends: Ends, readings: Readings) -> tuple[Cause, str, tuple[Line, ...], str]:
    """Cause, number of the rule, the lines traced, and why: the first test that holds."""
    steps = distance(ends.start, ends.end)
    if steps == 0:
        return "same_hex", "A7", (), f"both are in the hex {in_words(ends.start)}"
    if steps == 1:
        return "adjacent", "R22", (), "adjacent units always see each other"
    shifts = (LEFT, RIGHT) if along_edges(ends.start, ends.end) else (0,)
    lines = tuple(trace(scene, ends, readings, shift) for shift in shifts)
    if len(lines) == 1:
        return lines[0].finding.cause, lines[0].finding.rule, lines, lines[0].reason
    why = "the line runs along edges of hexes; "
    if all(line.finding.obstruction is None for line in lines):
        why += f"shifted to either side, {lines[0].reason}"
    else:
        why += "; ".join(f"shifted {line.side}, past {in_words(line.hexes[0])}, {line.reason}" for line in lines)
    if any(line.clear for line in lines):
        return "clear", "R10", lines, why
    return "both_sides_blocked", "R11", lines, why


def _telling(ends: Ends, lines: tuple[Line, ...]) -> Line | None:
    """The line on which the verdict rests, the left one where both are as good.

    A clear line without any obstruction comes first, then a clear one, then the one of which the obstruction is closest
    to the lower unit, or to the attacker on the same level.
    """

    def order(line: Line) -> tuple[bool, int]:
        obstruction = line.finding.obstruction
        return not line.clear, 0 if obstruction is None else distance(obstruction, ends.nearest_to)

    return min(lines, key=order, default=None)


def _other_readings(
    scene: HexScene, ends: Ends, readings: Readings, lines: Sequence[Line], visible: bool
) -> tuple[OtherReading, ...]:
    """Each single other reading that gives another verdict."""
    low = ends.lower[2]
    matters = {"hills": bool(low and ends.difference), "low_woods": bool(low), "behind": ends.difference in BLIND_HEXES}
    others = list[OtherReading]()
    for other in alternatives(readings) if lines else ():
        if matters[other.key]:
            changed = other.taken(readings)
            if visible != any(rule_on_line(scene, ends, changed, line.shift).cause == "clear" for line in lines):
                others.append({"reading": str(other), "verdict": VERDICTS[visible], "line_of_sight": not visible})
    return tuple(others)
