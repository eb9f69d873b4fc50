"""JUDGE: Marvel: Crisis Protocol, line of sight and cover, by straight lines between bases seen from above.

The numbers R1 to R16 and A1 to A9 are those of the specification, ../shared/rules/crisis_protocol.md; its source is the
article "Rules Talk: Guide to Line of Sight & Cover". Range lengths come from the scene: the article gives none (A1).

bases and polygons -> free lines, what stands between and how far off -> the first rule of the ladder that holds
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.schema import Location
from silhouette.geometry import Floats
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Level, Rule, RuleReference, Settings, Verdict, expectable
from silhouette.rules.crisis_protocol.evidence import Evidence, evidence_for
from silhouette.rules.crisis_protocol.phrases import PHRASES, short_reason
from silhouette.rules.crisis_protocol.scene import Character, Feature, PlanEntry, PlanScene, Readings, load_plan_scene
from silhouette.rules.crisis_protocol.words import Words
from silhouette.scenes.motion import Mobility
from silhouette.scenes.scene import Check, everyone
from silhouette.text import did_you_mean

LEVELS: Mapping[str, Level] = {"open": Level.CLEAR, "cover": Level.PARTIAL, "hidden": Level.BLOCKED}
"""Each verdict's level, from exposed to covered."""

VERDICTS = tuple(LEVELS)

KIND = "characters"

RESULTS = (
    *("attacker", "target", "rules", "verdict", "line_of_sight", "cover", "sight_line", "blockers", "cover_from"),
    *("distance", "target_size", "other_readings", "rule", "rule_number", "reason"),
)
"""The keys of a result, in order; those of `CrisisProtocolVerdict.row`."""

LISTS = ("sight_line", "blockers", "cover_from", "other_readings")
"""Those of which the value is a list."""

SIGHT, COVER = "Line of Sight", "Cover"


@dataclass(frozen=True)
class CrisisProtocolVerdict(Verdict):
    """A Crisis Protocol ruling with its evidence.

    Attributes:
        line_of_sight: some straight line between the bases is not obstructed.
        cover: whether the target has cover; None where it is no character.
        sight_line: one line that is not obstructed, ((x, y), (x, y)); None where there is none.
        blockers: the terrain that obstructs every line, first what does so alone; empty with line of sight.
        cover_from: the terrain that gives cover, the nearest first.
        distance: from the attacker's base to the target, in the scene's units.
        target_size: what the target counts as for line of sight.
        other_readings: what would be different where the rules are read in another way, one entry for each.
    """

    line_of_sight: bool
    cover: bool | None
    sight_line: tuple[tuple[float, float], tuple[float, float]] | None
    blockers: tuple[str, ...]
    cover_from: tuple[str, ...]
    distance: float
    target_size: int
    other_readings: tuple[dict[str, Any], ...]

    def row(self) -> dict[str, Any]:
        """The result as the contract names its keys, ready for JSON."""
        return {
            "attacker": self.attacker,
            "target": self.target,
            "rules": self.rules,
            "verdict": self.verdict,
            "line_of_sight": self.line_of_sight,
            "cover": self.cover,
            "sight_line": None if self.sight_line is None else [list(end) for end in self.sight_line],
            "blockers": list(self.blockers),
            "cover_from": list(self.cover_from),
            "distance": self.distance,
            "target_size": self.target_size,
            "other_readings": [dict(other) for other in self.other_readings],
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
        }


class CrisisProtocol(Rule[PlanScene, CrisisProtocolVerdict]):
    """Crisis Protocol's rules for line of sight and cover; see `silhouette.rules.base.Rule`."""

    name = "crisis-protocol"
    title = "Marvel: Crisis Protocol"
    reads = ("ranges", "character", "terrain", "object", "check")
    example = "scenes/crisis_protocol/red_skull_behind_terrain.toml"
    scene_entry = PlanEntry
    readings_entry = Readings
    phrases = PHRASES
    levels = LEVELS
    mobility = Mobility(walkers=("character",), flat=True)

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> PlanScene:
        """The scene that a document describes; nothing of it is worth keeping in a cache.

        Raises:
            FileError: where it does not describe one, or expects a result that there is not.
        """
        scene = load_plan_scene(path, document)
        for number, check in enumerate(scene.checks, 1):
            _expectable(Location(path, f"check {number}"), check.expect or {})
        return scene

    def everyone(self, scene: PlanScene) -> tuple[Check, ...]:
        """Every character against every other, and against every object."""
        names = [one.name for one in scene.characters]
        objects = tuple(Check(name, one.name) for name in names for one in scene.objects)
        if len(names) == 1 and objects:
            return objects
        return everyone(scene.path, names, KIND) + objects

    def between(self, scene: PlanScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """One against one, or, without a target, against every other character and every object."""
        if arc is not None:
            raise RequestError(f"{scene.path}: a character of {self.title} has no arcs; leave the arc out")
        scene.character(attacker)
        if target is not None:
            scene.target(target)
            return (Check(attacker, target),)
        others = [one.name for one in scene.characters if one.name != attacker]
        others += [one.name for one in scene.objects]
        if not others:
            raise RequestError(f"{scene.path}: nobody but '{attacker}' stands there; add another to look at")
        return tuple(Check(attacker, other) for other in others)

    def short_reason(self, row: Mapping[str, Any], words: Callable[..., str]) -> str:
        """Why a verdict is as it is, in one short sentence in another language than English."""
        return short_reason(row, words)

    def judge(self, scene: PlanScene, checks: Sequence[Check], settings: Settings) -> list[CrisisProtocolVerdict]:
        """The rulings on checks of the scene, in their order; see `silhouette.rules.base.Rule`."""
        return [self._judge(scene, check, settings.renderer, settings.pixel) for check in checks]

    def _judge(self, scene: PlanScene, check: Check, renderer: Renderer, pixel: float) -> CrisisProtocolVerdict:
        """Rules on line of sight and cover; nothing is rendered, so renderer and pixel do not matter.

        Raises:
            RequestError: where the check names what is not there, or who looks is no character.
        """
        attacker, target = scene.character(check.attacker), scene.target(check.target)
        evidence = evidence_for(scene, attacker, target)
        readings = Readings.model_validate(scene.readings)
        return _ruling(evidence, readings)

    def units(self, scene: PlanScene) -> str:
        """The scene's own label for lengths."""
        return scene.units


CRISIS_PROTOCOL = CrisisProtocol()


def _expectable(location: Location, expect: Mapping[str, Any]) -> None:
    """Refuses an expectation of a result, or of a verdict, that no check can give."""
    expectable(location, expect, RESULTS, LISTS)
    verdict = expect.get("verdict", VERDICTS[0])
    if verdict not in VERDICTS:
        raise location.error(f"expect: no verdict is '{verdict}'; {did_you_mean(str(verdict), VERDICTS)}")


def _ruling(evidence: Evidence, readings: Readings) -> CrisisProtocolVerdict:
    """The verdict of the ladder, with everything that explains it, and what other readings would make of it."""
    cover_from = evidence.cover_from(readings)
    verdict, rule, reason = _ladder(evidence, cover_from)
    cover = _covered(evidence, cover_from)
    others = []
    for name, value in readings:
        other_from = evidence.cover_from(readings.model_copy(update={name: not value}))
        other_cover, other_verdict = _covered(evidence, other_from), _ladder(evidence, other_from)[0]
        if (other_verdict, other_cover) != (verdict, cover):
            reading = f"{name} = {str(not value).lower()}"
            others.append(
                {"reading": reading, "verdict": other_verdict, "cover": other_cover, "cover_from": list(other_from)}
            )
            gave = "gave no cover" if value else "gave cover"
            told = f"{other_verdict}, {'with' if other_cover else 'without'} cover"
            told = told if other_verdict == "hidden" else other_verdict
            reason += f"; if what {evidence.attacker.name} stands on {gave}, it would be: {told} (A3)"
    line = evidence.sight_line
    return CrisisProtocolVerdict(
        attacker=evidence.attacker.name,
        target=evidence.target.name,
        rules=CRISIS_PROTOCOL.name,
        verdict=verdict,
        level=LEVELS[verdict],
        rule=rule,
        reason=reason,
        line_of_sight=line is not None,
        cover=cover,
        sight_line=None if line is None else (_point(line[0]), _point(line[1])),
        blockers=evidence.blockers,
        cover_from=cover_from,
        distance=evidence.distance,
        target_size=evidence.size,
        other_readings=tuple(others),
    )


def _point(point: Floats) -> tuple[float, float]:
    return float(point[0]) + 0.0, float(point[1]) + 0.0  # no -0.0


def _covered(evidence: Evidence, cover_from: tuple[str, ...]) -> bool | None:
    """Whether the target has cover, seen or not (R14, R15); an object has no defence dice, and None."""
    if not isinstance(evidence.target, Character):
        return None
    return evidence.target.granted_cover or bool(cover_from)


def _ladder(evidence: Evidence, cover_from: tuple[str, ...]) -> tuple[str, RuleReference, str]:
    """Verdict, rule and reason: the first test that holds."""
    words = Words(evidence)
    attacker, target = evidence.attacker.name, words.target
    granted = isinstance(evidence.target, Character) and evidence.target.granted_cover
    if evidence.sight_line is None:
        also = "a card (R15)" if granted else f"{words.those(cover_from)} (R14)" if cover_from else ""
        return (
            "hidden",
            RuleReference(SIGHT, "R4"),
            words.hidden + (f"; it has cover as well, from {also}" if also else ""),
        )
    if granted:
        return "cover", RuleReference(COVER, "R15"), f"{words.sees()}; a card gives {target} cover"
    if cover_from:
        return "cover", RuleReference(COVER, "R14"), words.in_cover(cover_from)
    if evidence.target is evidence.attacker:
        return "open", RuleReference(SIGHT, "A6"), f"{attacker} always has line of sight to itself: open"
    if isinstance(evidence.target, Feature):
        return "open", RuleReference(SIGHT, "R2"), f"{words.sees()}: some straight line between them is not obstructed"
    return _in_the_open(evidence, words)


def _in_the_open(evidence: Evidence, words: Words) -> tuple[str, RuleReference, str]:
    """Rule and reason for a target that is seen and has no cover: the first condition that is not met."""
    scene, near_enough = evidence.scene, evidence.between & evidence.within_one
    if not evidence.between.any():
        return "open", RuleReference(COVER, "R12"), f"{words.sees()}, and no terrain stands between them: open"
    if evidence.too_close:
        return "open", RuleReference(COVER, "R13"), f"{words.sees()}, and is {words.away}: open"
    if (near_enough & evidence.large_enough).any():
        named = words.those(scene.names[near_enough & evidence.large_enough])
        return (
            "open",
            RuleReference(COVER, "A3"),
            f"{words.sees()}; {named} gives no cover against who stands on it: open",
        )
    if near_enough.any():
        named = words.those(scene.names[near_enough])
        return (
            "open",
            RuleReference(COVER, "R11"),
            f"{words.sees()}; only {named} could give cover, smaller than {words.plain}: open",
        )
    nearest = int(np.argmin(np.where(evidence.between, evidence.apart, np.inf)))
    told = words.compared(float(evidence.apart[nearest]), scene.ranges.one)
    reason = f"{words.sees()}; what stands between is {told} or more from {words.target}, beyond range 1"
    return "open", RuleReference(COVER, "R10"), f"{reason} ({words.length(scene.ranges.one)}): open"
