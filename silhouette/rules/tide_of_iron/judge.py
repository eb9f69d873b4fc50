"""JUDGE: Tide of Iron, line of sight on a map of hexes; exact, in whole numbers.

The numbers R1 to R24 and A1 to A7 are those of the specification, ../shared/rules/tide_of_iron.md; its source is the
section "Line of Sight" of the Tide of Iron rulebook.

    check -> Ends -> the traced lines: one, or two along edges -> a Finding for each -> the verdict
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.schema import Location
from silhouette.models.entries import ArcName
from silhouette.rules.base import Level, Rule, RuleReference, Settings, Verdict, expectable
from silhouette.rules.tide_of_iron.hexes import LEFT, RIGHT, Address, along_edges, distance, from_words, in_words
from silhouette.rules.tide_of_iron.lines import BLIND, Cause, Ends, Line, on_line, trace
from silhouette.rules.tide_of_iron.phrases import PHRASES, short_reason
from silhouette.rules.tide_of_iron.scene import HexScene, HexSceneEntry, Readings, load_hex_scene
from silhouette.scenes.scene import Check
from silhouette.text import did_you_mean

if TYPE_CHECKING:
    from silhouette.renderers.protocol import Renderer

LEVELS: Mapping[str, Level] = {"visible": Level.CLEAR, "hidden": Level.BLOCKED}
"""Each verdict's level."""

VERDICTS = tuple(LEVELS)

CAUSES = (
    *("same_hex", "adjacent", "clear", "blocking_terrain", "higher_elevation", "plateau", "blind_hex"),
    "both_sides_blocked",
)

RESULTS = (
    *("attacker", "target", "rules", "verdict", "line_of_sight", "cause", "along_edge", "obstruction", "blind_hexes"),
    *("distance", "elevations", "lines", "other_readings", "rule", "rule_number", "reason"),
)
"""The keys of a result, in order; those of `TideOfIronVerdict.row`."""

LISTS = ("attacker", "target", "obstruction", "blind_hexes", "elevations", "lines", "other_readings")
"""Those of which the value is, or may be, a list."""

MOST_CHECKS = 100_000
"""More of them are not asked at once."""

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
"""The section of the source text in which each rule stands that can decide."""

OTHERWISE = (
    ("hills", "literal", "if any hill up to the higher unit's level cast blind hexes"),
    ("hills", "above the lower", "if only hills above the lower unit cast blind hexes"),
    ("low_woods", "height", "if woods, buildings and smoke on ground below both did not block"),
    ("low_woods", "literal", "if woods, buildings and smoke on ground below both blocked as well"),
    ("behind", "hexes entered", "if the hexes that the line enters were counted"),
    ("behind", "hex distance", "if hexes were counted by range"),
)
"""Every reading, by its key and value, and what it says, for the reason."""


@dataclass(frozen=True)
class TideOfIronVerdict(Verdict):
    """A Tide of Iron ruling with its evidence.

    Attributes:
        cause: one of `CAUSES`.
        along_edge: the line runs along edges of hexes, so that two shifted lines are traced.
        obstruction: what hides the target; where it is visible from another level, the closest obstruction, if any.
        blind_hexes: those that the obstruction casts on its line; none where another rule than that of blind hexes
            decides.
        distance: of the two, in hexes.
        elevations: of the attacker and the target.
        lines: those traced, each ruled on by itself; none where the two share a hex or an edge of it.
        other_readings: each single other reading of the rules that gives another verdict, "hills = literal", with it.
    """

    cause: Cause
    along_edge: bool
    obstruction: Address | None
    blind_hexes: tuple[Address, ...]
    distance: int
    elevations: tuple[int, int]
    lines: tuple[Line, ...]
    other_readings: tuple[tuple[str, str], ...]

    @property
    def line_of_sight(self) -> bool:
        """Whether the two see each other."""
        return self.verdict == "visible"

    def row(self) -> dict[str, Any]:
        """The result as the contract names its keys, ready for JSON; addresses are lists ``[q, r]``."""
        return {
            "attacker": _as_said(self.attacker),
            "target": _as_said(self.target),
            "rules": self.rules,
            "verdict": self.verdict,
            "line_of_sight": self.line_of_sight,
            "cause": self.cause,
            "along_edge": self.along_edge,
            "obstruction": None if self.obstruction is None else list(self.obstruction),
            "blind_hexes": [list(address) for address in self.blind_hexes],
            "distance": self.distance,
            "elevations": list(self.elevations),
            "lines": [line.row() for line in self.lines],
            "other_readings": [
                {"reading": reading, "verdict": verdict, "line_of_sight": verdict == "visible"}
                for reading, verdict in self.other_readings
            ],
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
        }


class TideOfIron(Rule[HexScene, TideOfIronVerdict]):
    """Tide of Iron's rules for line of sight; see `silhouette.rules.base.Rule`."""

    name = "tide-of-iron"
    title = "Tide of Iron"
    reads = ("map", "unit", "check")
    example = "scenes/tide_of_iron/same_elevation.toml"
    scene_entry = HexSceneEntry
    readings_entry = Readings
    phrases = PHRASES
    levels = LEVELS

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> HexScene:
        """The map, units and checks that a document describes; nothing of it is cached.

        Raises:
            FileError: where it does not describe them, or expects a result that there is not.
        """
        scene = load_hex_scene(path, document)
        for number, check in enumerate(scene.checks, 1):
            _expectable(Location(path, f"check {number}"), check.expect or {})
        return scene

    def everyone(self, scene: HexScene) -> tuple[Check, ...]:
        """From each unit, or where there is none from each described hex, to every hex of the map (`HexScene.map`).

        Raises:
            RequestError: where there is neither, or where there are too many checks.
        """
        attackers = list(scene.units) or [in_words(address) for address in scene.described]
        if not attackers:
            raise RequestError(f"{scene.path}: no unit stands there and no hex is described; add a [[unit]] that looks")
        targets = [in_words(address) for address in scene.map()]
        if len(attackers) * len(targets) > MOST_CHECKS:
            raise RequestError(
                f"{scene.path}: {len(attackers)} attackers and {len(targets)} hexes are more than "
                f"{MOST_CHECKS} checks; say --from NAME to ask about one attacker"
            )
        return tuple(Check(attacker, target) for attacker in attackers for target in targets)

    def between(self, scene: HexScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """From a unit or an address, to another, or, without a target, to every hex of the map (`HexScene.map`).

        Raises:
            RequestError: where a name is not there, or an arc is asked for.
        """
        if arc is not None:
            raise RequestError(f"{scene.path}: units of {self.title} look all round; leave the arc '{arc}' out")
        scene.address(attacker)
        if target is not None:
            scene.address(target)
            return (Check(_spelt(attacker), _spelt(target)),)
        targets = scene.map() or [scene.address(attacker)]
        return tuple(Check(_spelt(attacker), in_words(address)) for address in targets)

    def short_reason(self, row: Mapping[str, Any], words: Callable[..., str]) -> str:
        """Why a verdict is as it is, in one short sentence in another language than English."""
        return short_reason(row, words)

    def judge(self, scene: HexScene, checks: Sequence[Check], settings: Settings) -> list[TideOfIronVerdict]:
        """The rulings on checks of the scene, in their order; see `silhouette.rules.base.Rule`."""
        return [self._judge(scene, check, settings.renderer, settings.pixel) for check in checks]

    def _judge(
        self, scene: HexScene, check: Check, renderer: Renderer | None = None, pixel: float = 0.0
    ) -> TideOfIronVerdict:
        """Rules on one check; nothing is rendered or measured.

        Raises:
            RequestError: where the check names a unit that is not there.
        """
        start, end = scene.address(check.attacker), scene.address(check.target)
        ends = Ends(
            check.attacker, check.target, start, end, scene.ground(start).elevation, scene.ground(end).elevation
        )
        readings = Readings.model_validate(scene.readings)
        cause, number, lines, why = _ladder(scene, ends, readings)
        visible = cause in ("same_hex", "adjacent", "clear")
        others = _other_readings(scene, ends, readings, lines, visible)
        verdict, other = VERDICTS if visible else VERDICTS[::-1]
        telling = _telling(ends, lines)
        sees = "sees" if visible else "does not see"
        otherwise = "".join(f"; {words} ({reading}): {other}" for reading, words in others.items())
        return TideOfIronVerdict(
            attacker=ends.attacker,
            target=ends.target,
            rules=self.name,
            verdict=verdict,
            level=LEVELS[verdict],
            rule=RuleReference(SECTIONS[number], number),
            reason=f"{ends.attacker} {sees} {ends.target}: {why}{otherwise}",
            cause=cause,
            along_edge=len(lines) == 2,
            obstruction=telling.found.obstruction if telling else None,
            blind_hexes=telling.blind_hexes if telling else (),
            distance=distance(start, end),
            elevations=(ends.start_level, ends.end_level),
            lines=lines,
            other_readings=tuple((reading, other) for reading in others),
        )


TIDE_OF_IRON = TideOfIron()


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
        return lines[0].found.cause, lines[0].found.rule, lines, lines[0].why
    why = "the line runs along edges of hexes; "
    if all(line.found.obstruction is None for line in lines):
        why += f"shifted to either side, {lines[0].why}"
    else:
        why += "; ".join(f"shifted {line.side}, past {in_words(line.hexes[0])}, {line.why}" for line in lines)
    if any(line.clear for line in lines):
        return "clear", "R10", lines, why
    return "both_sides_blocked", "R11", lines, why


def _telling(ends: Ends, lines: tuple[Line, ...]) -> Line | None:
    """The line on which the verdict rests, the left one where both are as good.

    A clear line without any obstruction comes first, then a clear one, then the one of which the obstruction is closest
    to the lower unit, or to the attacker on the same level.
    """

    def order(line: Line) -> tuple[bool, int]:
        obstruction = line.found.obstruction
        return not line.clear, 0 if obstruction is None else distance(obstruction, ends.nearest_to)

    return min(lines, key=order, default=None)


def _other_readings(
    scene: HexScene, ends: Ends, readings: Readings, lines: Sequence[Line], visible: bool
) -> dict[str, str]:
    """What each single other reading says that gives another verdict, by "key = value"."""
    low = ends.lower[2]
    matters = {"hills": bool(low and ends.difference), "low_woods": bool(low), "behind": ends.difference in BLIND}
    found = {}
    for key, value, words in OTHERWISE if lines else ():
        if matters[key] and getattr(readings, key) != value:
            other = readings.model_copy(update={key: value})
            if visible != any(on_line(scene, ends, other, line.shift).cause == "clear" for line in lines):
                found[f"{key} = {value}"] = words
    return found


def _expectable(location: Location, expect: Mapping[str, Any]) -> None:
    """Refuses an expectation of a result, a verdict or a cause that no check can give."""
    expectable(location, expect, RESULTS, LISTS)
    for key, known in (("verdict", VERDICTS), ("cause", CAUSES)):
        if key in expect and expect[key] not in known:
            raise location.error(f"expect: no {key} is '{expect[key]}'; {did_you_mean(str(expect[key]), known)}")


def _spelt(words: str) -> str:
    """A unit's name as it is, an address in the one way to spell it."""
    address = from_words(words)
    return words if address is None else in_words(address)


def _as_said(words: str) -> str | list[int]:
    """A unit's name, or an address as a list."""
    address = from_words(words)
    return words if address is None else list(address)
