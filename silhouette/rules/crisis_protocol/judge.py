"""JUDGE: Marvel: Crisis Protocol, line of sight and cover, by straight lines between bases seen from above.

The numbers R1 to R16 and A1 to A9 are those of the specification, ../shared/rules/crisis_protocol.md; its source is the
article "Rules Talk: Guide to Line of Sight & Cover". Range lengths come from the scene: the article gives none (A1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.common.text import in_a_row, in_a_sentence
from silhouette.relations.free_lines import find_free_line
from silhouette.relations.plane_geometry import crossed, disc_distance, epsilon_of, outline_distances
from silhouette.rules.base import Level, RuleReference, Verdict
from silhouette.rules.crisis_protocol.scene import Character, Feature, PlanScene, Readings
from silhouette.rules.fields import GROUNDS, WHO_FIELDS, Blocker, OtherReading, ResultField, alternatives, shared
from silhouette.scenes.scene import Check

NAME = "crisis-protocol"
LEVELS: Mapping[str, Level] = {"open": Level.CLEAR, "cover": Level.PARTIAL, "hidden": Level.BLOCKED}
VERDICTS = tuple(LEVELS)


@dataclass(frozen=True, repr=False)
class CrisisProtocolVerdict(Verdict):
    """A Crisis Protocol ruling with its evidence; lengths are in the scene's units."""

    cover: bool | None
    sight_line: tuple[tuple[float, float], tuple[float, float]] | None
    cover_from: tuple[str, ...]
    distance: float
    target_size: int

    fields: ClassVar[tuple[ResultField, ...]] = (
        *(*WHO_FIELDS, *shared("verdict", "line_of_sight")),
        ResultField("cover", bool | None, "whether the target has cover; null if it is no character"),
        ResultField(
            "sight_line", list[list[float]] | None, "the ends of one free line; null if none is", label="a free line"
        ),
        *shared("blockers", "roll"),
        ResultField("cover_from", list[str], "the terrain that gives cover, the nearest first"),
        ResultField("distance", float, "from the attacker's base to the target, in the scene's units"),
        ResultField("target_size", int, "what the target counts as for line of sight"),
        *(*shared("other_readings"), *GROUNDS),
    )

    @property
    def roll(self) -> str | None:
        """What cover does to the defence roll (R16); None where there is none, or no line of sight to attack along."""
        return "a die to a block" if self.verdict == "cover" else None


# ---- what the rules ask of the table


@dataclass(frozen=True, eq=False)
class Evidence:
    """The measurements of one check, which hold under every reading, in the units of the scene."""

    scene: PlanScene
    attacker: Character
    target: Character | Feature
    size: int  # the size that the target counts as for line of sight (R6)
    sight_line: Floats | None  # (2, 2) a free line, or None
    # The names of the terrain that obstructs every line; first those, ``alone``, that each do so alone
    blockers: tuple[str, ...]
    alone: int
    distance: float  # from the attacker's base to the target
    epsilon: float  # lengths no further apart than this are equal
    between: Flags  # (terrain,) whether a line from base to base passes through each piece (R12)
    apart: Floats  # (terrain,) the distance of each piece from the target's base

    @property
    def too_close(self) -> bool:
        """Whether the attacker is within range 2 (R13)."""
        return self.distance <= self.scene.ranges.second + self.epsilon

    @property
    def large_enough(self) -> Flags:
        """(terrain,) whether each piece has the target's own size or a larger one (R11, A2)."""
        return self.scene.sizes >= self.target.size

    @property
    def within_one(self) -> Flags:
        """(terrain,) whether each piece is within range 1 of the target (R10)."""
        return self.apart <= self.scene.ranges.first + self.epsilon

    def cover_from(self, readings: Readings) -> tuple[str, ...]:
        """The names of the terrain that gives cover, the nearest first: one piece meets all conditions (R14, A5)."""
        if self.too_close or not isinstance(self.target, Character):
            return ()
        gives = self.between & self.large_enough & self.within_one
        if not readings.attacker_terrain_gives_cover:
            gives &= self.scene.names != self.attacker.on
        return tuple(name for _, name in sorted(zip(self.apart[gives], self.scene.names[gives], strict=True)))


def evidence_for(scene: PlanScene, attacker: Character, target: Character | Feature) -> Evidence:
    """Everything that is measured for one check."""
    size = target.size
    between, apart = np.zeros(len(scene.terrain), dtype=bool), np.full(len(scene.terrain), np.inf)
    if isinstance(target, Character):
        below = scene.standing_on(target)
        size += 0 if below is None else below.size
        epsilon = epsilon_of(attacker.base.bounds, target.base.bounds)
        distance = disc_distance(attacker.base, target.base)
        between = crossed(attacker.base, target.base, scene.outlines, epsilon)
        apart = scene.terrain_distances(target)
    else:
        epsilon = epsilon_of(attacker.base.bounds, target.outline.corners)
        distance = 0.0 if attacker.on == target.name else float(outline_distances(attacker.base, target.outline)[0])
    # R4 and R6, R7, and A8: a feature does not hide itself.
    larger = (scene.sizes > size) & (scene.names != attacker.on) & (scene.names != target.name)
    aim = target.base if isinstance(target, Character) else target.outline
    free_line = find_free_line(attacker.base, aim, scene.outlines.chosen(larger), epsilon)
    alone = sorted(scene.names[larger][free_line.alone])
    others = sorted(scene.names[larger][free_line.blocking & ~free_line.alone])
    blockers = (*alone, *others)
    return Evidence(
        scene, attacker, target, size, free_line.line, blockers, len(alone), distance, epsilon, between, apart
    )


# ---- reasons

MAX_REASON_NAMES = 3


@dataclass(frozen=True, eq=False)
class PlanSentences:
    """The parts of sentences about one check."""

    evidence: Evidence

    @property
    def target(self) -> str:
        """The name of the target, as it stands in a sentence."""
        name = self.evidence.target.name
        return name if isinstance(self.evidence.target, Character) else in_a_sentence(name)

    @property
    def plain(self) -> str:
        """The target with its own size."""
        return f"{self.target} (size {self.evidence.target.size})"

    @property
    def counted(self) -> str:
        """The target with the size that it counts as for line of sight."""
        target, size = self.evidence.target, self.evidence.size
        if isinstance(target, Character) and target.on is not None:
            return f"{self.target} (size {size} with {in_a_sentence(target.on)})"
        return f"{self.target} (size {size})"

    @property
    def hidden(self) -> str:
        """The clause that says why no line is free: the terrain in the way, and sizes."""
        evidence = self.evidence
        blame = evidence.blockers[: evidence.alone] or evidence.blockers
        joint = "and" if evidence.alone else "or"
        larger = "larger" if len(blame) == 1 else "each larger"
        return (
            f"{evidence.attacker.name} does not see {self.target}: "
            f"every line passes through {self._sized(blame, joint)}, {larger} than {self.counted}: hidden"
        )

    def sees(self, unnamed: Sequence[str] = ()) -> str:
        """The clause that says that a line is free, past or over what terrain; ``unnamed`` terrain is left out."""
        evidence, scene = self.evidence, self.evidence.scene
        target = evidence.target
        below = (evidence.attacker.on, target.on if isinstance(target, Character) else target.name)
        others = evidence.between & np.array([name not in (*below, *unnamed) for name in scene.names], dtype=bool)
        larger = scene.sizes > evidence.size
        past, over = self._sized(scene.names[others & larger]), self._sized(scene.names[others & ~larger])
        way = " and".join(f" {word} {names}" for word, names in (("past", past), ("over", over)) if names)
        return f"{evidence.attacker.name} sees {self.counted if over else self.target}{way}"

    @property
    def away(self) -> str:
        """The attacker's distance, compared with range 2."""
        evidence, limit = self.evidence, self.evidence.scene.ranges.second
        side = "within" if evidence.too_close else "beyond"
        return f"{self.compared(evidence.distance, limit)} away, {side} range 2 ({self.length(limit)})"

    def in_cover(self, names: Sequence[str]) -> str:
        """The sentence that says that the target is seen, what gives it cover, and that every condition is met."""
        scene = self.evidence.scene
        features = []
        for name in names:
            apart = float(self.evidence.apart[scene.names == name][0])
            is_stood_on = isinstance(self.evidence.target, Character) and self.evidence.target.on == name
            how = "it stands on it" if is_stood_on else f"{self.compared(apart, scene.ranges.first)} off"
            features.append(f"{in_a_sentence(name)} (size {scene.target(name).size}, {how})")
        return (
            f"{self.sees(names)}; {self.target} has cover from {in_a_row(features, MAX_REASON_NAMES)}: "
            f"between them, within range 1 "
            f"({self.length(scene.ranges.first)}), no smaller than {self.plain}, "
            f"and {self.evidence.attacker.name} is {self.away}"
        )

    def those(self, names: Iterable[str]) -> str:
        """The names of terrain in a sentence: the first few, then a count of the rest."""
        return in_a_row([in_a_sentence(name) for name in names], MAX_REASON_NAMES)

    def length(self, length: float, digits: int = 4) -> str:
        """A length with its unit."""
        return f"{length:.{digits}g} {self.evidence.scene.units}"

    def compared(self, length: float, limit: float) -> str:
        """A length with its unit, in enough digits to show on which side of a limit it lies."""
        if abs(length - limit) <= self.evidence.epsilon:
            return self.length(limit)
        telling_digits = (
            digits for digits in range(4, 17) if (float(f"{length:.{digits}g}") > limit) == (length > limit)
        )
        return self.length(length, next(telling_digits, 17))

    def _sized(self, names: Iterable[str], joint: str = "and") -> str:
        target_of = self.evidence.scene.target
        return in_a_row(
            [f"{in_a_sentence(name)} (size {target_of(name).size})" for name in names], MAX_REASON_NAMES, joint
        )


# ---- the verdict

SIGHT, COVER = "Line of Sight", "Cover"


def ruling(scene: PlanScene, check: Check) -> CrisisProtocolVerdict:
    """The ruling for a check; exact. RequestError if it names no piece of the scene, or the attacker is terrain."""
    evidence = evidence_for(scene, scene.character(check.attacker), scene.target(check.target))
    readings = scene.readings
    cover_from = evidence.cover_from(readings)
    verdict, rule, reason = _ladder(evidence, cover_from)
    cover = _covered(evidence, cover_from)
    others = list[OtherReading]()
    for other in alternatives(readings):
        other_from = evidence.cover_from(other.taken(readings))
        other_cover, other_verdict = _covered(evidence, other_from), _ladder(evidence, other_from)[0]
        if (other_verdict, other_cover) != (verdict, cover):
            others.append(
                {"reading": str(other), "verdict": other_verdict, "cover": other_cover, "cover_from": list(other_from)}
            )
            gave = "gave cover" if other.value else "gave no cover"
            clause = f", {'with' if other_cover else 'without'} cover" if other_verdict == "hidden" else ""
            reason += f"; if what {evidence.attacker.name} stands on {gave}, it would be: {other_verdict}{clause} (A3)"
    line = evidence.sight_line
    return CrisisProtocolVerdict(
        attacker=evidence.attacker.name,
        target=evidence.target.name,
        rules=NAME,
        verdict=verdict,
        level=LEVELS[verdict],
        rule=rule,
        reason=reason,
        line_of_sight=line is not None,
        cover=cover,
        sight_line=None if line is None else (_point(line[0]), _point(line[1])),
        blockers=tuple(map(Blocker, evidence.blockers)),
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
    """The verdict, the rule and the reason, from the first test that holds."""
    words = PlanSentences(evidence)
    attacker, target = evidence.attacker.name, words.target
    granted = isinstance(evidence.target, Character) and evidence.target.granted_cover
    if evidence.sight_line is None:
        also = "a card (R15)" if granted else f"{words.those(cover_from)} (R14)" if cover_from else ""
        reason = words.hidden + (f"; it has cover as well, from {also}" if also else "")
        return "hidden", RuleReference(SIGHT, "R4"), reason
    if granted:
        return "cover", RuleReference(COVER, "R15"), f"{words.sees()}; a card gives {target} cover"
    if cover_from:
        return "cover", RuleReference(COVER, "R14"), words.in_cover(cover_from)
    if evidence.target is evidence.attacker:
        return "open", RuleReference(SIGHT, "A6"), f"{attacker} always has line of sight to itself: open"
    if isinstance(evidence.target, Feature):
        return "open", RuleReference(SIGHT, "R2"), f"{words.sees()}: some straight line between them is not obstructed"
    return _in_the_open(evidence, words)


def _in_the_open(evidence: Evidence, words: PlanSentences) -> tuple[str, RuleReference, str]:
    """The verdict "open", the rule and the reason, from the first condition of cover that is not met."""
    scene, near_enough = evidence.scene, evidence.between & evidence.within_one
    if not evidence.between.any():
        return "open", RuleReference(COVER, "R12"), f"{words.sees()}, and no terrain stands between them: open"
    if evidence.too_close:
        return "open", RuleReference(COVER, "R13"), f"{words.sees()}, and is {words.away}: open"
    if (near_enough & evidence.large_enough).any():
        named = words.those(scene.names[near_enough & evidence.large_enough])
        reason = f"{words.sees()}; {named} gives no cover against who stands on it: open"
        return "open", RuleReference(COVER, "A3"), reason
    if near_enough.any():
        named = words.those(scene.names[near_enough])
        reason = f"{words.sees()}; only {named} could give cover, smaller than {words.plain}: open"
        return "open", RuleReference(COVER, "R11"), reason
    nearest = int(np.argmin(np.where(evidence.between, evidence.apart, np.inf)))
    apart = words.compared(float(evidence.apart[nearest]), scene.ranges.first)
    reason = f"{words.sees()}; what stands between is {apart} or more from {words.target}, beyond range 1"
    return "open", RuleReference(COVER, "R10"), f"{reason} ({words.length(scene.ranges.first)}): open"
