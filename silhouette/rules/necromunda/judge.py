"""JUDGE: Necromunda, line of sight and cover, by what is seen from the attacker's eye.

The numbers R1 to R21 and A1 to A12 are those of the specification, ../shared/rules/necromunda.md; its source is the
section "Line Of Sight & Cover" of the Necromunda Core Rulebook (2023).

    pieces -> what may block, the arcs -> pictures -> OcclusionCounts -> the first rule of the ladder that holds
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from silhouette.measure.observe import Observation, observe
from silhouette.measure.silhouette import OcclusionCounts
from silhouette.meshes.holes import encloses
from silhouette.models.entries import ArcName
from silhouette.rules.base import RuleReference, Settings
from silhouette.rules.necromunda.results import LEVELS, NAME, VERDICTS, Blocker, NecromundaVerdict
from silhouette.rules.necromunda.scene import NecromundaScene, Readings
from silhouette.rules.necromunda.sight import sight_between
from silhouette.scenes.scene import Check
from silhouette.scenes.table import Piece
from silhouette.text import fraction_in_words, in_a_sentence, share_in_words


def judge(scene: NecromundaScene, checks: Sequence[Check], settings: Settings) -> list[NecromundaVerdict]:
    """Looks from the attacker's eye and rules on line of sight and cover, for each of the checks.

    Raises:
        RequestError: where a check names a piece that is not there, or that cannot look or be looked at.
    """
    return [_ruling_on(scene, check, settings) for check in checks]


def _best_of(crew: Sequence[NecromundaVerdict], attacker: Piece) -> NecromundaVerdict:
    """What the one of the crew says who sees best; one whose arc the target lies in, if nobody sees it."""
    best = min(crew, key=lambda one: (VERDICTS.index(one.verdict), one.counts.in_arc == 0, one.occluded))
    if best.counts.in_arc:
        return best
    return replace(best, arc=None, reason=_in_no_arc(best.target, attacker.name, attacker.arcs))


def _in_no_arc(target: str, attacker: str, arcs: Sequence[str]) -> str:
    return f"no part of {target} lies in {attacker}'s {' or '.join(arcs)} vision arc: hidden"


def _ruling_on(scene: NecromundaScene, check: Check, settings: Settings) -> NecromundaVerdict:
    """The ruling on one check.

    Where a vehicle's crew have an eye each for their vision arcs, the one who sees best decides; the verdict says
    which arc that is.
    """
    attacker, target = scene.model(check.attacker), scene.model(check.target)
    if check.arc is None and attacker.eyes and len(attacker.arcs) > 1:
        return _best_of([_ruling_on(scene, replace(check, arc=arc), settings) for arc in attacker.arcs], attacker)
    attacker = attacker.with_eye_for(check.arc)
    readings = scene.readings
    cover = _observed(scene, attacker, target, check.arc, readings, settings)
    sight = cover
    if cover.sight.disregarded and readings.friends_in_contact == "block sight":
        sight = _observed(scene, attacker, target, check.arc, readings, settings, friends_block=True)
    return _verdict(scene, check.arc, cover, sight, readings, settings)


def _observed(
    scene: NecromundaScene,
    attacker: Piece,
    target: Piece,
    arc: ArcName | None,
    readings: Readings,
    settings: Settings,
    *,
    friends_block: bool = False,
) -> Observation:
    sight = sight_between(
        scene,
        attacker,
        target,
        arc,
        ignored_parts_block=readings.ignored_parts_block,
        friends_block=friends_block,
    )
    return observe(
        sight,
        settings.renderer,
        settings.pixel,
        tolerance=scene.tolerance,
        error_goal=scene.error,
        keep=settings.keep,
    )


def _verdict(
    scene: NecromundaScene,
    arc: ArcName | None,
    cover: Observation,
    sight: Observation,
    readings: Readings,
    settings: Settings,
) -> NecromundaVerdict:
    """The verdict of the ladder, with everything that explains it."""
    attacker, target, counts = cover.sight.attacker, cover.sight.target, cover.counts
    in_arc = readings.share == "in arc"
    part, whole = (counts.occluded_in_arc, counts.in_arc) if in_arc else (counts.occluded, counts.total)
    names = [vision.name for vision in cover.sight.arcs or ()]
    words = _Words(attacker.name, target.name, arc, names, _blockers(sight), share_in_words(part, whole))
    verdict, rule, reason = _ladder(words, sight.counts, part, whole)
    could_be = _could_be(cover.counts, sight.counts, part, whole, in_arc, scene.tolerance)
    if len(could_be) > 1:
        others = " or ".join(word for word in could_be if word != verdict)
        reason += f"; too close to call, it could be {others}: roll off (R20)"
    return NecromundaVerdict(
        attacker=attacker.name,
        target=target.name,
        rules=NAME,
        verdict=verdict,
        level=LEVELS[verdict],
        rule=rule,
        reason=reason,
        line_of_sight=verdict != "hidden",
        counts=counts,
        seen=sight.counts.seen,
        blockers=_blockers(cover),
        could_be=could_be,
        renderer=settings.renderer.name,
        pixel=cover.pixel,
        warnings=_warnings(cover, settings.pixel),
        arc=arc,
        observation=cover if settings.keep else None,
    )


@dataclass(frozen=True)
class _Words:
    """What the sentences are made of: names, the arc asked for and those there are, who blocks, the share."""

    attacker: str
    target: str
    asked: str | None
    arcs: list[str]
    blockers: tuple[Blocker, ...]
    share: str

    @property
    def by(self) -> str:
        """Who is in the way, with shares where there are several."""
        if not self.blockers:
            return ""
        if len(self.blockers) == 1:
            return f" by {in_a_sentence(self.blockers[0].name)}"
        told = [
            f"{in_a_sentence(one.name)} ({fraction_in_words(one.occluded)})"
            for one in self.blockers[:3]
            if one.occluded > 0.0
        ]
        rest = sum(one.occluded > 0.0 for one in self.blockers) - len(told)
        return " by " + (" and ".join(told) if not rest else ", ".join(told) + f" and {rest} more")


def _ladder(words: _Words, sight: OcclusionCounts, part: int, whole: int) -> tuple[str, RuleReference, str]:
    """Verdict, rule and reason: the first test that holds (R6 to R8, R13 to R15). Shares are compared as integers."""
    attacker, target = words.attacker, words.target
    if not words.arcs:
        reason = f"{attacker} has no {words.asked} vision arc: a blind spot, so {target} is hidden"
        return "hidden", RuleReference("Vehicle Vision Arcs", "R4"), reason
    if sight.total == 0:
        reason = f"from there {target} is edge-on, nothing of it can be seen: hidden"
        return "hidden", RuleReference("Line Of Sight", "R6"), reason
    if sight.in_arc == 0:
        return "hidden", RuleReference("Line Of Sight", "R6"), _in_no_arc(target, attacker, words.arcs)
    if sight.seen == 0:
        beyond = "" if sight.in_arc == sight.total else " that lies in the vision arc"
        reason = f"every part of {target}{beyond} is obscured{words.by}: hidden"
        return "hidden", RuleReference("Line Of Sight", "R8"), reason
    if part == 0:
        return "open", RuleReference("Cover", "R13"), f"nothing obscures {target}: in the open"
    obscured = f"{words.share} of {target} is obscured{words.by}"
    if 2 * part < whole:
        return "partial cover", RuleReference("Cover", "R14"), f"{obscured}; less than half: partial cover"
    return "full cover", RuleReference("Cover", "R15"), f"{obscured}; at least half: full cover"


def _blockers(looked: Observation) -> tuple[Blocker, ...]:
    """What is in the way of a look, the largest share first."""
    measured = looked.counts
    found = [
        Blocker(piece.name, nearest / measured.total, alone / measured.total)
        for piece, nearest, alone in zip(looked.blockers, measured.nearest, measured.alone, strict=True)
        if alone
    ]
    return tuple(sorted(found, key=lambda one: (-one.occluded, -one.alone, one.name)))


def _could_be(
    cover: OcclusionCounts, sight: OcclusionCounts, part: int, whole: int, in_arc: bool, tolerance: float
) -> tuple[str, ...]:
    """Every verdict within the error or the tolerance of the share obscured or of the share seen.

    A share of exactly nothing is uncertain by its error only.
    """
    seen, total = sight.seen, sight.total
    error_seen = sight.error_seen
    if total == 0:
        return ("hidden",)
    band_seen = max(error_seen, tolerance) if seen else error_seen
    possible = set()
    if seen / total <= band_seen:
        possible.add("hidden")
    if seen / total + band_seen > 0.0 and whole:
        share = part / whole
        error = cover.error_in_arc if in_arc else cover.error
        band = max(error, tolerance) if part else error
        if share <= band:
            possible.add("open")
        if share + band > 0.0 and share - band < 0.5:
            possible.add("partial cover")
        if share + band >= 0.5:
            possible.add("full cover")
    return tuple(verdict for verdict in VERDICTS if verdict in possible)


def _warnings(cover: Observation, pixel: float) -> tuple[str, ...]:
    """What to know before trusting the verdict: estimates, an eye inside something, faults of the meshes."""
    attacker, target, found = cover.sight.attacker, cover.sight.target, []
    if abs(cover.pixel - pixel) > 0.01 * pixel:
        found.append(f"measured at {cover.pixel:.2g} mm per pixel instead of {pixel:g}")
    if attacker.eye_from == "estimated":
        found.append(f"the eye of {attacker.name} is estimated")
    for piece in cover.blockers:
        low, high = piece.model.significant.bounds
        local = piece.pose.localise(attacker.eye[None])[0]
        if (local > low).all() and (local < high).all() and encloses(piece.model.significant, local):
            found.append(
                f"the eye of {attacker.name} lies inside {in_a_sentence(piece.name)}: probably a mistake in the pose"
            )
    for piece in (attacker, target, *cover.blockers):
        found += [f"{piece.name}: {warning}" for warning in piece.model.warnings]
    return tuple(dict.fromkeys(found))
