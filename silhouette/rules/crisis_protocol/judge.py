"""JUDGE: Marvel: Crisis Protocol, line of sight and cover, by straight lines between bases seen from above.

The numbers R1 to R16 and A1 to A9 are those of the specification, ../shared/rules/crisis_protocol.md; its source is the
article "Rules Talk: Guide to Line of Sight & Cover". Range lengths come from the scene: the article gives none (A1).

bases and polygons -> free lines, terrain between and its distances -> the first rule of the ladder that holds
"""

from __future__ import annotations

import numpy as np

from silhouette.geometry import Floats
from silhouette.rules.base import RuleReference
from silhouette.rules.crisis_protocol.evidence import Evidence, evidence_for
from silhouette.rules.crisis_protocol.results import LEVELS, NAME, CrisisProtocolVerdict
from silhouette.rules.crisis_protocol.scene import Character, Feature, PlanScene, Readings
from silhouette.rules.crisis_protocol.words import Words
from silhouette.rules.fields import Blocker
from silhouette.rules.readings import OtherReading, alternatives
from silhouette.scenes.scene import Check

SIGHT, COVER = "Line of Sight", "Cover"


def ruling(scene: PlanScene, check: Check) -> CrisisProtocolVerdict:
    """The ruling on line of sight and cover for a check; exact, nothing is rendered.

    Raises:
        RequestError: if the check names a piece that the scene does not have, or its attacker is no character.
    """
    return _ruling(_evidence(scene, check), scene.readings)


def _evidence(scene: PlanScene, check: Check) -> Evidence:
    return evidence_for(scene, scene.character(check.attacker), scene.target(check.target))


def _ruling(evidence: Evidence, readings: Readings) -> CrisisProtocolVerdict:
    """The verdict of the ladder with its evidence, and the results that differ under other readings."""
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
    """The verdict "open", the rule and the reason, from the first condition of cover that is not met."""
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
    apart = words.compared(float(evidence.apart[nearest]), scene.ranges.one)
    reason = f"{words.sees()}; what stands between is {apart} or more from {words.target}, beyond range 1"
    return "open", RuleReference(COVER, "R10"), f"{reason} ({words.length(scene.ranges.one)}): open"
