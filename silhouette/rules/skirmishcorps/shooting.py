"""JUDGE: SkirmishCorps, line of sight and the protection of cover (R1 to R17): from a measurement to a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.common.lazy import cached_property
from silhouette.common.text import in_a_sentence, share_in_words
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import ObservationRequest
from silhouette.meshes.bounds import bounding_points
from silhouette.rules.base import Measurement, RuleReference, Settings, too_close
from silhouette.rules.fields import Blocker, OtherReading, alternatives, largest_first
from silhouette.rules.on_table import warnings_of
from silhouette.rules.skirmishcorps import classes
from silhouette.rules.skirmishcorps.contact import (
    CONTACT_EPSILON_MM,
    Footprint,
    StandingSpace,
    crosses,
    distance_to,
    in_contact,
    may_hide,
    past_ends,
)
from silhouette.rules.skirmishcorps.entries import LEVELS, Readings, SkirmishCorpsVerdict
from silhouette.rules.skirmishcorps.scene import Cover, SkirmishScene, Unit, raised, raised_body
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


@dataclass(frozen=True, eq=False)
class Lean:
    """How a unit in corner cover leans out past the corner, half a base: the cover, and its eye (3,) mm."""

    cover: Cover
    eye: Floats


def leans(scene: SkirmishScene, attacker: Unit, target: StandingSpace) -> list[Lean]:
    """How an attacker can peek round the corners of its corner cover at a target: past each end of the cover, as it
    looks there, that is no farther than half a base from its own base, if nothing is in the way of its head.
    """
    eye, half = attacker.piece.eye, attacker.base_width / 2
    way = target.footprint.middle - eye[:2]
    length = float(np.hypot(*way))
    if attacker.type == "vehicle" or not length:
        return []
    ahead = way / length
    left = np.array([-ahead[1], ahead[0]])
    back, front = attacker.standing.footprint.reach(left)
    own = float(eye[:2] @ left)
    possible = list[Lean]()
    for cover in scene.covers:
        if cover.class_for(attacker) != "corner" or not may_hide(eye[:2], target.footprint, cover.standing.footprint):
            continue
        if not in_contact(attacker.standing, cover.standing, scene.readings.contact_tolerance):
            continue
        for step in past_ends(eye, ahead, cover.standing, half, max(front - own, own - back) + half):
            end = step + half if step < 0 else step - half
            there = np.array([*(eye[:2] + step * left), eye[2]])
            is_near = back - half <= own + end + CONTACT_EPSILON_MM and own + end - CONTACT_EPSILON_MM <= front + half
            if is_near and not any(
                crosses(eye[:2], there[:2], other.standing, float(eye[2]))
                for other in scene.covers
                if other.standing.low < eye[2]
            ):
                possible.append(Lean(cover, there))
    return possible


def look_at(
    scene: SkirmishScene, attacker: Unit, piece: Piece, target: StandingSpace, lean: Lean | None = None
) -> CoverSight:
    """The look of an attacker at a body, which takes up a space there, or would after a dive; from where it leans.

    An attacker in contact with very low, low or high cover (if prone: very low or low) looks over it, with its eye at
    least a quarter brick above the top. Such cover does not obscure, unless the target is in contact with it too (A9).
    A prone unit cannot look over high cover (R13): that is made high enough to hide everything behind it.
    """
    eye = attacker.piece.eye.copy() if lean is None else lean.eye.copy()
    over, blind, ignored = _own_cover(scene, attacker, target, eye[:2])
    eye[2] = max([eye[2], *(cover.standing.high + OVER for cover in over)])
    # A body may reach beyond its base, on which it stands.
    body = Footprint.around(piece.pose.place(bounding_points(piece.model.significant)))
    top = max(float(eye[2]), float(piece.body_box[:, 2].max())) + 1.0
    covers = tuple(
        cover for cover in scene.covers if cover not in ignored and may_hide(eye[:2], body, cover.standing.footprint)
    )
    bodies = [raised(cover, top) if cover in blind and cover.is_section else cover.piece for cover in covers]
    leant_over = [cover.piece for cover in scene.touched_by(attacker.standing) if cover not in covers]
    others = [unit.piece for unit in scene.units if unit.name not in (attacker.name, piece.name)]
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
    scene: SkirmishScene, attacker: Unit, target: StandingSpace, eye: Floats
) -> tuple[list[Cover], list[Cover], list[Cover]]:
    """What an attacker is in contact with: what it looks over, from an eye (2,) in plan, to the target, cannot look
    over, and what is ignored.
    """
    own = [(cover, cover.class_for(attacker)) for cover in scene.touched_by(attacker.standing)]
    low = [cover for cover, kind in own if kind in classes.LOOKED_OVER[attacker.posture]]
    middle, feet = target.footprint.middle, attacker.standing.low
    over = [cover for cover in low if crosses(eye, middle, cover.standing, feet)]
    blind = [cover for cover, kind in own if attacker.posture == "prone" and kind == "high"]
    tolerance = scene.readings.contact_tolerance
    return over, blind, [cover for cover in low if not in_contact(target, cover.standing, tolerance)]


def observe_looks(looks: Sequence[CoverSight], settings: Settings, *thresholds: float) -> list[Observation]:
    """The measurement of each look past all cover together; at ``thresholds``, shares, an answer changes."""
    goal = looks[0].error_goal if looks else None
    options = ObservationRequest(thresholds, error_goal=goal, keep=settings.keep, windows=settings.remarks)
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
    options = ObservationRequest((threshold,), error_goal=looks[0].error_goal if looks else None)
    measured = iter(settings.observe(apart, settings.renderer, settings.pixel, options))
    effects: dict[CoverSight, list[CoverEffect]] = {look: [] for look in looks}
    for look, whole, number, position in pieces:
        counts = next(measured).counts if len(whole.blockers) > 1 else whole.counts
        effects[look].append(CoverEffect(look.covers[position], whole.counts.nearest[number], counts))
    return list(effects.values())


@dataclass(frozen=True, eq=False)
class _Shot:
    """An attacker, its target, what stands between, and what was measured: from where the attacker stands, or leans
    out past a corner, and of the target's body as it is, or raised.
    """

    scene: SkirmishScene
    attacker: Unit
    target: Unit
    look: CoverSight
    lean: Lean | None
    is_raised: bool
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

    @cached_property
    def distances(self) -> dict[Cover, float]:
        """How far each piece that obscures some of the target stands from it, mm."""
        return {effect.cover: distance_to(self.target.standing, effect.cover.standing) for effect in self.effects}

    def is_near(self, cover: Cover, readings: Readings) -> bool:
        """Whether a piece stands near enough to the target to protect it (R1, A1)."""
        within = within_mm(self.target, readings)
        return within == np.inf or self.distances[cover] <= within + CONTACT_EPSILON_MM

    def class_at(self, effect: CoverEffect, share: float, readings: Readings) -> classes.CoverClass:
        """The class of protection that a piece gives when it obscures this share; "none" where it gives none."""
        if share <= 0.0 or share < readings.share_practically_all:
            return "none"
        if not self.is_hidden and not self.is_near(effect.cover, readings):
            return "none"
        kind = effect.cover.class_for(self.target)
        return classes.class_of_share(share) if readings.cover_class != "piece" and kind != "corner" else kind

    def weight(self, kind: classes.CoverClass) -> tuple[int, int]:
        """The sort key of a class: by its penalty, at equal penalties by the class; the larger protects more."""
        return -classes.PENALTIES[self.target.posture][kind], classes.CLASSES.index(kind)


def within_mm(target: Unit, readings: Readings) -> float:
    """How far from a target cover may stand that protects it, mm (A1)."""
    match readings.protection_within:
        case "one base width":
            return target.base_width
        case "any distance":
            return np.inf
        case distance:
            return distance


@dataclass(frozen=True, eq=False)
class _ProtectionAnswer:
    """The protection of the target: by the single piece that protects most, of equal ones the scene's first (A8)."""

    protecting: CoverEffect | None
    kind: classes.CoverClass
    verdict: str
    modifier: int | None


Question = tuple[SkirmishScene, Unit, Unit]  # a scene, an attacker and a target
_Aim = tuple[CoverSight, Lean | None, bool]  # a look, from where, and whether at a raised body


def protections(questions: Sequence[Question], settings: Settings) -> list[SkirmishCorpsVerdict]:
    """The verdicts on line of sight, the protection of cover, and the roll to hit; scenes differ by places alone."""
    if not questions:
        return []
    threshold = questions[0][0].readings.share_practically_all
    aims = [_aims(*question, settings.remarks) for question in questions]
    looks = [look for of_question in aims for look, _, _ in of_question]
    wholes = observe_looks(looks, settings, threshold)
    measured = iter(zip(wholes, cover_effects(looks, wholes, settings, threshold), strict=True))
    shots = [
        [_Shot(*question, *aim, *next(measured)) for aim in of_question]
        for question, of_question in zip(questions, aims, strict=True)
    ]
    return [_protection(of_question, settings) for of_question in shots]


def _aims(scene: SkirmishScene, attacker: Unit, target: Unit, with_others: bool) -> list[_Aim]:
    """The looks that a question takes: under the readings of its scene, and ``with_others`` also under each other."""
    readings = scene.readings
    from_places: list[Lean | None] = [None]
    if readings.peeking or with_others:
        from_places += leans(scene, attacker, target.standing)
    is_raised = counts_as_raised(target, readings)
    aims = list[_Aim]()
    for raised_too in (is_raised, not is_raised) if with_others and target.posture == "prone" else (is_raised,):
        body = raised_body(target) if raised_too else target.piece
        for lean in from_places if readings.peeking or raised_too == is_raised else [None]:
            aims.append((look_at(scene, attacker, body, target.standing, lean), lean, raised_too))
    return aims


def counts_as_raised(target: Unit, readings: Readings) -> bool:
    """Whether the body of a target counts as raised (A17)."""
    return target.posture == "prone" and readings.prone_body == "raised"


def _best(shots: Sequence[_Shot], readings: Readings) -> tuple[_Shot, _ProtectionAnswer]:
    """The shot that exposes the target most of those that readings allow, and the answer; from its place if it can."""
    is_raised = counts_as_raised(shots[0].target, readings)
    possible = [
        (shot, _answer(shot, readings))
        for shot in shots
        if shot.is_raised == is_raised and (readings.peeking or shot.lean is None)
    ]
    order = list(LEVELS)
    return min(possible, key=lambda each: (order.index(each[1].verdict), -(each[1].modifier or 0)))


def _protection(shots: Sequence[_Shot], settings: Settings) -> SkirmishCorpsVerdict:
    shot, answer = _best(shots, shots[0].scene.readings)
    scene, attacker, target, whole = shot.scene, shot.attacker, shot.target, shot.whole
    rule, reason = _grounds(shot, answer)
    could_be = _could_be(shot)
    if len(could_be) > 1:
        reason += too_close(answer.verdict, could_be)
    others_read = _other_readings(shots, answer) if settings.remarks else ()
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


def _answer(shot: _Shot, readings: Readings) -> _ProtectionAnswer:
    """The answer under readings of where classes come from, and of how near cover must be (A1, A15)."""
    kinds = [shot.class_at(effect, effect.share, readings) for effect in shot.effects]
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
    tail += _read(shot)
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
    return _too_little(shot, tail)


def _too_little(shot: _Shot, tail: str) -> tuple[RuleReference, str]:
    """The rule and the reason where what obscures some of the target does not protect it: by its share, by how far
    from the target it stands, or by its height.
    """
    target, readings = shot.target, shot.scene.readings
    most = max(shot.effects, key=lambda effect: effect.share)
    share = share_in_words(most.counts.occluded, most.counts.total)
    cover = in_a_sentence(most.cover.name)
    if most.share < readings.share_practically_all:
        limit = f"{100 * readings.share_practically_all:g} %"
        reason = f"only {share} of {target.name} is obscured by {cover}, less than {limit}"
        return RuleReference("Cover", "R3"), f"{reason}: practically all of it is seen, in the open{tail}"
    reason = f"{share} of {target.name} is obscured by {cover}"
    if not shot.is_near(most.cover, readings):
        far = f"{shot.distances[most.cover]:.0f} mm away from it"
        width = "one base width, " if readings.protection_within == "one base width" else ""
        beyond = f"which stands {far}, more than {width}{within_mm(target, readings):.0f} mm"
        return RuleReference("Cover", "R1"), f"{reason}, {beyond}: no protection, in the open{tail}"
    return RuleReference("Very Low Cover", "R4"), f"{reason}, which is too low to be cover for it: in the open{tail}"


def _read(shot: _Shot) -> str:
    """A clause for each reading that decides how the target is seen: past a corner (A16), and raised (A17)."""
    clauses = ""
    if shot.lean is not None:
        out = f"{shot.attacker.name} leans out past the corner of {in_a_sentence(shot.lean.cover.name)}"
        clauses += f"; {out}, half a base (peeking = true)"
    if shot.is_raised:
        clauses += f"; {shot.target.name}, prone, counts as half as high as it stands (prone_body = raised)"
    return clauses


def _hidden(shot: _Shot, answer: _ProtectionAnswer) -> tuple[RuleReference, str]:
    attacker, target = shot.attacker, shot.target
    blind = [cover for cover in shot.look.blind if any(cover is effect.cover for effect in shot.effects)]
    if blind:
        reason = f"{attacker.name} lies prone at {in_a_sentence(blind[0].name)} and cannot look over it"
        return RuleReference("High Cover", "R13"), f"{reason}: no line of sight to {target.name}"
    names = [in_a_sentence(effect.cover.name) for effect in shot.effects if effect.nearest]
    by = f" by {' and '.join(names)}" if names else ""
    reason = f"all of {target.name} is hidden{by}: no line of sight{_read(shot)}"
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
    return {shot.class_at(effect, value, shot.scene.readings) for value in (share - band, share, share + band)}


def _other_readings(shots: Sequence[_Shot], answer: _ProtectionAnswer) -> tuple[OtherReading, ...]:
    """The answers under each single other reading that gives another verdict."""
    others = list[OtherReading]()
    for other in alternatives(shots[0].scene.readings):
        _, otherwise = _best(shots, other.taken(shots[0].scene.readings))
        if otherwise.verdict != answer.verdict:
            row: OtherReading = {"reading": str(other), "verdict": otherwise.verdict}
            others.append({**row, "cover": otherwise.kind, "modifier": otherwise.modifier})
    return tuple(others)


def _warnings(shot: _Shot, pixel: float) -> tuple[str, ...]:
    attacker, bodies = shot.attacker, shot.look.sight.occluders.pieces
    warnings = warnings_of(shot.whole, pixel, shot.scene.error, ((piece, piece.model.mesh) for piece in bodies))
    pieces = (attacker.piece, shot.target.piece, *bodies)
    warnings += shot.scene.doubts(attacker.name, (piece.name for piece in pieces[1:]))
    warnings += [warning for piece in pieces for warning in piece.all_warnings]
    return tuple(dict.fromkeys(warnings))
