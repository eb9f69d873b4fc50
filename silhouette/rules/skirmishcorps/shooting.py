"""JUDGE: SkirmishCorps, line of sight and the protection of cover (R1 to R17): from a measurement to a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from silhouette.common.text import in_a_sentence, share_in_words
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import Wanted
from silhouette.meshes.bounds import bounding_points
from silhouette.rules.base import Measurement, RuleReference, Settings, too_close
from silhouette.rules.fields import Blocker, OtherReading, largest_first
from silhouette.rules.on_table import warnings_of
from silhouette.rules.skirmishcorps import classes
from silhouette.rules.skirmishcorps.contact import Footprint, StandingSpace, crosses, in_contact, may_hide
from silhouette.rules.skirmishcorps.entries import LEVELS, SkirmishCorpsVerdict
from silhouette.rules.skirmishcorps.scene import Cover, SkirmishScene, Unit, raised
from silhouette.scenes.table import BlockingPieces, Piece

OVER = classes.BRICK / 4  # mm that the eye of a unit that looks over cover is above its top, at least (A9)
CLOSE_UNIT_MM = 40.0  # mm: units within this distance of the eye would hide the rest in figures, and block nothing


@dataclass(frozen=True, eq=False)
class CoverSight:
    """An attacker's sight of a target, and the part that each piece of cover has in it."""

    sight: Sight  # its occluders are the bodies of ``covers``, in the same order
    covers: tuple[Cover, ...]  # the pieces that may obscure the target
    over: tuple[Cover, ...]  # the attacker's own cover that it looks over, and that lies between it and the target (A9)
    blind: tuple[Cover, ...]  # the attacker's own cover that it cannot look over, since it is prone (R13)
    # The error, as a share, that is small enough where no threshold is near; None for the default
    error_goal: float | None

    def observe(self, settings: Settings, *thresholds: float) -> Observation:
        """The measurement past all cover together; ``thresholds`` are the shares at which an answer changes."""
        (observed,) = observe_looks([self], settings, *thresholds)
        return observed


@dataclass(frozen=True, eq=False)
class CoverEffect:
    """One piece of cover: the pixels of the target to which it is ``nearest``, and the measurement of it alone."""

    cover: Cover
    nearest: float
    counts: OcclusionCounts

    @property
    def share(self) -> float:
        """The share of the target, from 0 to 1, that this piece alone obscures; its counts must not be empty."""
        return self.counts.occluded / self.counts.total


def look_at(scene: SkirmishScene, attacker: Unit, piece: Piece, target: StandingSpace) -> CoverSight:
    """The look of an attacker at a body, which takes up a space there, or would after a dive.

    An attacker in contact with very low, low or high cover (if prone: very low or low) looks over it, with its eye at
    least a quarter brick above the top. Such cover does not obscure, unless the target is in contact with it too (A9).
    A prone unit cannot look over high cover (R13): that is made high enough to hide everything behind it.
    """
    over, blind, ignored = _own_cover(scene, attacker, target)
    eye = attacker.piece.eye.copy()
    eye[2] = max([eye[2], *(cover.standing.high + OVER for cover in over)])
    # A body may reach beyond its base, on which it stands.
    body = Footprint.around(piece.pose.place(bounding_points(piece.model.significant)))
    top = max(float(eye[2]), float(piece.body_box[:, 2].max())) + 1.0
    covers = tuple(
        cover for cover in scene.covers if cover not in ignored and may_hide(eye[:2], body, cover.standing.footprint)
    )
    bodies = [raised(cover, top) if cover in blind and cover.is_section else cover.piece for cover in covers]
    leant_over = [cover.piece for cover in scene.touched_by(attacker.standing) if cover not in covers]
    others = [unit.piece for unit in scene.units if unit.piece is not attacker.piece and unit.piece is not piece]
    is_far = [float(np.hypot(*(other.base_centre - eye[:2]))) > CLOSE_UNIT_MM for other in others]
    sight = Sight(
        attacker=attacker.piece,
        target=piece,
        eye=eye,
        facing=piece.ahead,
        arcs=None,
        occluders=BlockingPieces.of((body, body.model.mesh) for body in bodies),
        disregarded=tuple(compress(others, is_far)),
        left_out=(*leant_over, *compress(others, np.logical_not(is_far))),
    )
    return CoverSight(sight, covers, tuple(over), tuple(blind), scene.error)


def _own_cover(
    scene: SkirmishScene, attacker: Unit, target: StandingSpace
) -> tuple[list[Cover], list[Cover], list[Cover]]:
    """What an attacker is in contact with: what it looks over to the target, cannot look over, and what is ignored."""
    own = [(cover, cover.class_for(attacker)) for cover in scene.touched_by(attacker.standing)]
    low = [cover for cover, kind in own if kind in classes.LOOKED_OVER[attacker.posture]]
    eye, middle, feet = attacker.piece.eye[:2], target.footprint.middle, attacker.standing.low
    over = [cover for cover in low if crosses(eye, middle, cover.standing, feet)]
    blind = [cover for cover, kind in own if attacker.posture == "prone" and kind == "high"]
    tolerance = scene.readings.contact_tolerance
    return over, blind, [cover for cover in low if not in_contact(target, cover.standing, tolerance)]


def observe_looks(looks: Sequence[CoverSight], settings: Settings, *thresholds: float) -> list[Observation]:
    """The measurement of each look past all cover together; at ``thresholds``, shares, an answer changes."""
    goal = looks[0].error_goal if looks else None
    options = Wanted(thresholds, error_goal=goal, keep=settings.keep, windows=settings.remarks)
    return settings.observe([look.sight for look in looks], settings.renderer, settings.pixel, options)


def cover_effects(
    looks: Sequence[CoverSight], wholes: Sequence[Observation], settings: Settings, threshold: float
) -> list[list[CoverEffect]]:
    """Measures targets past each piece of cover alone that obscures any of them: for each look, in the scene's order; a
    single one is ``wholes``, with all together. ``threshold`` is the share, 0 to 1, at which the answer changes.
    """
    pieces = [
        (look, whole, number, look.sight.occluders.pieces.index(blocker))
        for look, whole in zip(looks, wholes, strict=True)
        for number, blocker in enumerate(whole.blockers)
        if whole.counts.alone[number]
    ]
    apart = [look.sight.past([position]) for look, whole, _, position in pieces if len(whole.blockers) > 1]
    options = Wanted((threshold,), error_goal=looks[0].error_goal if looks else None)
    measured = iter(settings.observe(apart, settings.renderer, settings.pixel, options))
    effects: dict[CoverSight, list[CoverEffect]] = {look: [] for look in looks}
    for look, whole, number, position in pieces:
        counts = next(measured).counts if len(whole.blockers) > 1 else whole.counts
        effects[look].append(CoverEffect(look.covers[position], whole.counts.nearest[number], counts))
    return list(effects.values())


OTHER_CLASS = {"piece": "obscured share", "obscured share": "piece"}  # of A15, by the chosen one


@dataclass(frozen=True, eq=False)
class _Shot:
    """An attacker, its target, what stands between, and what was measured."""

    scene: SkirmishScene
    attacker: Unit
    target: Unit
    look: CoverSight
    whole: Observation
    effects: Sequence[CoverEffect]

    @property
    def is_hidden(self) -> bool:
        """Whether nothing of the target is seen."""
        return self.whole.counts.seen == 0

    @property
    def from_prone(self) -> tuple[int, classes.CoverClass]:
        """The attacker's penalty for firing prone over its own cover, and the class of that cover (R7, R10)."""
        if self.attacker.posture == "standing":
            return 0, "none"
        kinds = [cover.class_for(self.attacker) for cover in self.look.over]
        return min(
            ((classes.FROM_PRONE[kind] or 0, kind) for kind in kinds),
            key=lambda penalty: penalty[0],
            default=(0, "none"),
        )

    def class_at(self, effect: CoverEffect, share: float, taken_from: str) -> classes.CoverClass:
        """The class of protection that a piece gives when it obscures this share; "none" where it gives none."""
        if share <= 0.0 or share < self.scene.readings.share_practically_all:
            return "none"
        kind = effect.cover.class_for(self.target)
        return classes.class_of_share(share) if taken_from == "obscured share" and kind != "corner" else kind

    def weight(self, kind: classes.CoverClass) -> tuple[int, int]:
        """The sort key of a class: by its penalty, at equal penalties by the class; the larger protects more."""
        return -classes.PENALTIES[self.target.posture][kind], classes.CLASSES.index(kind)


@dataclass(frozen=True, eq=False)
class _ProtectionAnswer:
    """The protection of the target: by the single piece that protects most, of equal ones the scene's first (A8)."""

    protecting: CoverEffect | None
    kind: classes.CoverClass
    verdict: str
    modifier: int | None


def protections(
    questions: Sequence[tuple[SkirmishScene, Unit, Unit]], settings: Settings
) -> list[SkirmishCorpsVerdict]:
    """The verdicts on line of sight, the protection of cover, and the roll to hit; scenes differ by places alone."""
    if not questions:
        return []
    threshold = questions[0][0].readings.share_practically_all
    looks = [look_at(scene, attacker, target.piece, target.standing) for scene, attacker, target in questions]
    wholes = observe_looks(looks, settings, threshold)
    effects = cover_effects(looks, wholes, settings, threshold)
    shots = [
        _Shot(*question, look, whole, each)
        for question, look, whole, each in zip(questions, looks, wholes, effects, strict=True)
    ]
    return [_protection(shot, settings) for shot in shots]


def _protection(shot: _Shot, settings: Settings) -> SkirmishCorpsVerdict:
    scene, attacker, target, whole = shot.scene, shot.attacker, shot.target, shot.whole
    answer = _answer(shot, scene.readings.cover_class)
    rule, reason = _grounds(shot, answer)
    could_be = _could_be(shot)
    if len(could_be) > 1:
        reason += too_close(answer.verdict, could_be)
    others_read = _other_readings(shot, answer)
    for other in others_read:
        reason += f"; with {other['reading']}: {other['verdict']}"
    total = whole.counts.total
    blockers = (Blocker(effect.cover.name, effect.nearest / total, effect.share) for effect in shot.effects)
    answers = {
        "cover": answer.kind,
        "protected_by": answer.protecting.cover.name if answer.protecting else None,
        "in_contact_with": [cover.name for cover in scene.touched_by(target.standing)],
        "modifier": answer.modifier,
    }
    return SkirmishCorpsVerdict.of(
        "protection",
        (answer.verdict, rule, reason, answers),
        attacker.name,
        target.name,
        line_of_sight=not shot.is_hidden,
        blockers=largest_first(blockers),
        could_be=could_be,
        warnings=_warnings(shot, settings.pixel),
        other_readings=others_read,
        measurement=Measurement.of(whole, settings.renderer),
        observation=whole if settings.keep else None,
    )


def _answer(shot: _Shot, taken_from: str) -> _ProtectionAnswer:
    """The answer under one reading of where classes come from (A15)."""
    kinds = [shot.class_at(effect, effect.share, taken_from) for effect in shot.effects]
    best = max(range(len(kinds)), key=lambda number: shot.weight(kinds[number]), default=None)
    protecting = None if best is None or kinds[best] == "none" else shot.effects[best]
    kind = "none" if best is None else kinds[best]
    if shot.is_hidden:
        return _ProtectionAnswer(protecting, kind, "hidden", None)
    modifier = classes.PENALTIES[shot.target.posture][kind] + shot.from_prone[0]
    return _ProtectionAnswer(protecting, kind, "open" if kind == "none" else classes.cover_words(kind), modifier)


def _grounds(shot: _Shot, answer: _ProtectionAnswer) -> tuple[RuleReference, str]:
    """The rule that decides, and the reason: the first test that holds."""
    target, protecting = shot.target, answer.protecting
    if shot.is_hidden:
        return _hidden(shot, answer)
    over, tail = _fired_over(shot)
    if protecting is not None:
        share = share_in_words(protecting.counts.occluded, protecting.counts.total)
        penalty = classes.PENALTIES[target.posture][answer.kind]
        reason = (
            f"{share} of {target.name}, {target.posture}, is obscured by {in_a_sentence(protecting.cover.name)} "
            f"({classes.in_bricks(protecting.cover.bricks)}): {classes.cover_words(answer.kind)}, "
            f"{_penalty(penalty)}{tail}"
        )
        return classes.hit_rule(answer.kind, target.posture), reason
    if over is not None:
        return over, f"nothing protects {target.name}{tail}"
    if not shot.whole.counts.occluded or not shot.effects:  # an estimate may not know by what it is obscured
        return RuleReference("Cover", "R2"), f"nothing obscures {target.name}: in the open{tail}"
    most = max(shot.effects, key=lambda effect: effect.share)
    share = share_in_words(most.counts.occluded, most.counts.total)
    if most.share < shot.scene.readings.share_practically_all:
        limit = f"{100 * shot.scene.readings.share_practically_all:g} %"
        reason = f"only {share} of {target.name} is obscured by {in_a_sentence(most.cover.name)}, less than {limit}"
        return RuleReference("Cover", "R3"), f"{reason}: practically all of it is seen, in the open{tail}"
    reason = f"{share} of {target.name} is obscured by {in_a_sentence(most.cover.name)}, which is too low"
    return RuleReference("Very Low Cover", "R4"), f"{reason} to be cover for it: in the open{tail}"


def _hidden(shot: _Shot, answer: _ProtectionAnswer) -> tuple[RuleReference, str]:
    attacker, target = shot.attacker, shot.target
    blind = [cover for cover in shot.look.blind if any(cover is effect.cover for effect in shot.effects)]
    if blind:
        reason = f"{attacker.name} lies prone at {in_a_sentence(blind[0].name)} and cannot look over it"
        return RuleReference("High Cover", "R13"), f"{reason}: no line of sight to {target.name}"
    names = [in_a_sentence(effect.cover.name) for effect in shot.effects if effect.nearest]
    by = f" by {' and '.join(names)}" if names else ""
    reason = f"all of {target.name} is hidden{by}: no line of sight"
    if answer.kind == "none":
        return RuleReference("Cover", "R2"), reason
    return classes.hit_rule(answer.kind, target.posture), reason


def _fired_over(shot: _Shot) -> tuple[RuleReference | None, str]:
    """The rule and a clause for the effect of the attacker's own cover on its roll."""
    if not shot.look.over:
        return None, ""
    own = " and ".join(in_a_sentence(cover.name) for cover in shot.look.over)
    if shot.attacker.posture == "standing":
        return None, f"; {shot.attacker.name} looks over {own}"
    penalty, kind = shot.from_prone
    return classes.from_prone_rule(kind), f"; {shot.attacker.name} fires prone over {own}, {_penalty(penalty)}"


def _penalty(penalty: int) -> str:
    return f"{penalty} to hit" if penalty else "no penalty to hit"


def _could_be(shot: _Shot) -> tuple[str, ...]:
    """The verdicts that hold within the error, or the scene's tolerance, of the shares that decide."""
    counts, tolerance = shot.whole.counts, shot.scene.tolerance
    if not counts.total:
        return ("hidden",)
    seen = counts.seen / counts.total
    band = max(counts.error_seen, tolerance) if seen else counts.error_seen
    possible = {"hidden"} if seen <= band else set()
    if seen + band > 0.0:
        possible |= {"open" if kind == "none" else classes.cover_words(kind) for kind in _kinds_of_protection(shot)}
    return tuple(verdict for verdict in LEVELS if verdict in possible)


def _kinds_of_protection(shot: _Shot) -> set[classes.CoverClass]:
    """The classes of protection that a target may have within the errors: any piece may give any of its classes while
    the others give their least, and the strongest of these decides.
    """
    kinds = [_kinds_within(shot, effect) for effect in shot.effects]
    least = [min(of_piece, key=shot.weight) for of_piece in kinds]
    possible = {
        max([kind, *least[:number], *least[number + 1 :]], key=shot.weight)
        for number, of_piece in enumerate(kinds)
        for kind in of_piece
    }
    return possible or {"none"}


def _kinds_within(shot: _Shot, effect: CoverEffect) -> set[classes.CoverClass]:
    """The classes of protection that a piece may give within the error of its share."""
    error, share = effect.counts.error, effect.share
    band = max(error, shot.scene.tolerance) if effect.counts.occluded else error
    taken_from = shot.scene.readings.cover_class
    return {shot.class_at(effect, value, taken_from) for value in (share - band, share, share + band)}


def _other_readings(shot: _Shot, answer: _ProtectionAnswer) -> tuple[OtherReading, ...]:
    """The answer under the other reading of where classes come from (A15), where it differs."""
    taken_from = OTHER_CLASS[shot.scene.readings.cover_class]
    other = _answer(shot, taken_from)
    if (other.verdict, other.modifier) == (answer.verdict, answer.modifier):
        return ()
    reading = f"cover_class = {taken_from}"
    return ({"reading": reading, "verdict": other.verdict, "cover": other.kind, "modifier": other.modifier},)


def _warnings(shot: _Shot, pixel: float) -> tuple[str, ...]:
    attacker, bodies = shot.attacker, shot.look.sight.occluders.pieces
    warnings = warnings_of(shot.whole, pixel, ((piece, piece.model.mesh) for piece in bodies))
    pieces = (attacker.piece, shot.target.piece, *bodies)
    warnings += shot.scene.doubts(attacker.name, (piece.name for piece in pieces[1:]))
    warnings += [warning for piece in pieces for warning in piece.all_warnings]
    return tuple(dict.fromkeys(warnings))
