"""JUDGE: SkirmishCorps, line of sight and the protection of cover (R1 to R17): from a measurement to a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from silhouette.measure.observation import Observation
from silhouette.meshes.holes import encloses
from silhouette.rules.base import RuleReference, Settings
from silhouette.rules.readings import OtherReading
from silhouette.rules.skirmishcorps.classes import (
    CLASSES,
    FROM_PRONE,
    PENALTY,
    CoverClass,
    class_of_share,
    cover_words,
    from_prone_rule,
    hit_rule,
    in_bricks,
)
from silhouette.rules.skirmishcorps.protection import CoverEffect, Look, cover_effects, look_at, observe_looks
from silhouette.rules.skirmishcorps.results import LEVELS, SkirmishCorpsVerdict
from silhouette.rules.skirmishcorps.scene import SkirmishScene, Unit
from silhouette.rules.table import windows_seen_through
from silhouette.scenes.warnings import eye_inside
from silhouette.text import in_a_sentence, share_in_words

VERDICTS = ("open", *(f"{kind} cover" for kind in CLASSES[1:]), "hidden")
"""The verdicts, from exposed to covered."""

OTHER_CLASS = {"piece": "obscured share", "obscured share": "piece"}
"""The other reading of where classes come from, by the one chosen (A15)."""


@dataclass(frozen=True, eq=False)
class _Shot:
    """An attacker, its target, what stands between, and what was measured."""

    scene: SkirmishScene
    attacker: Unit
    target: Unit
    look: Look
    whole: Observation
    effects: Sequence[CoverEffect]

    @property
    def is_hidden(self) -> bool:
        """Whether nothing of the target is seen."""
        return self.whole.counts.seen == 0

    @property
    def from_prone(self) -> tuple[int, CoverClass]:
        """The attacker's penalty for firing prone over its own cover, and the class of that cover (R7, R10)."""
        if self.attacker.posture == "standing":
            return 0, "none"
        kinds = [cover.class_for(self.attacker) for cover in self.look.over]
        return min(
            ((FROM_PRONE[kind] or 0, kind) for kind in kinds), key=lambda penalty: penalty[0], default=(0, "none")
        )

    def class_at(self, effect: CoverEffect, share: float, taken_from: str) -> CoverClass:
        """The class of protection that a piece gives when it obscures this share; "none" where it gives none."""
        if share <= 0.0 or share < self.scene.readings.share_practically_all:
            return "none"
        kind = effect.cover.class_for(self.target)
        return class_of_share(share) if taken_from == "obscured share" and kind != "corner" else kind

    def weight(self, kind: CoverClass) -> tuple[int, int]:
        """The sort key of a class: by its penalty, at equal penalties by the class; the larger protects more."""
        return -PENALTY[self.target.posture][kind], CLASSES.index(kind)


@dataclass(frozen=True, eq=False)
class _Answer:
    """The protection of the target: by the single piece that protects most, of equal ones the scene's first (A8)."""

    protecting: CoverEffect | None
    kind: CoverClass
    verdict: str
    modifier: int | None


def protections(
    questions: Sequence[tuple[SkirmishScene, Unit, Unit]], settings: Settings
) -> list[SkirmishCorpsVerdict]:
    """The verdicts on line of sight from the attacker's eye, the protection of cover, and the roll to hit.

    Args:
        questions: a scene, an attacker and a target each; the scenes are one, but for where its pieces stand. All are
            measured together.
        settings: of the measurement.
    """
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
    """The verdict on one shot."""
    scene, attacker, target, whole = shot.scene, shot.attacker, shot.target, shot.whole
    answer = _answer(shot, scene.readings.cover_class)
    rule, reason = _grounds(shot, answer)
    could_be = _could_be(shot)
    if len(could_be) > 1:
        others = " or ".join(word for word in could_be if word != answer.verdict)
        reason += f"; too close to call, it could be {others}"
    others_read = _other_readings(shot, answer)
    for other in others_read:
        reason += f"; with {other['reading']}: {other['verdict']}"
    counts = whole.counts
    answers = {
        "line_of_sight": not shot.is_hidden,
        "cover": answer.kind,
        "protected_by": answer.protecting.cover.name if answer.protecting else None,
        "in_contact_with": [cover.name for cover in scene.touched_by(target.standing)],
        "modifier": answer.modifier,
        "occluded": counts.occluded / counts.total if counts.total else 0.0,
        "error": counts.error,
        "target_pixels": counts.total,
        "occluded_pixels": counts.occluded,
        "blockers": _blockers(shot),
        "other_readings": others_read,
        "marginal": len(could_be) > 1,
        "could_be": could_be,
        "renderer": settings.renderer.name,
        "pixel": whole.pixel,
        "warnings": _warnings(shot, settings.pixel),
        "decided_by": whole.decided_by,
        "projection": whole.projection,
    }
    return SkirmishCorpsVerdict(
        attacker.name,
        target.name,
        scene.rules,
        answer.verdict,
        LEVELS[answer.verdict],
        rule,
        reason,
        "protection",
        answers,
        observation=whole if settings.keep else None,
    )


def _answer(shot: _Shot, taken_from: str) -> _Answer:
    """The answer under one reading of where classes come from (A15)."""
    kinds = [shot.class_at(effect, effect.share, taken_from) for effect in shot.effects]
    best = max(range(len(kinds)), key=lambda number: shot.weight(kinds[number]), default=None)
    protecting = None if best is None or kinds[best] == "none" else shot.effects[best]
    kind = "none" if best is None else kinds[best]
    if shot.is_hidden:
        return _Answer(protecting, kind, "hidden", None)
    modifier = PENALTY[shot.target.posture][kind] + shot.from_prone[0]
    return _Answer(protecting, kind, "open" if kind == "none" else cover_words(kind), modifier)


def _grounds(shot: _Shot, answer: _Answer) -> tuple[RuleReference, str]:
    """The rule that decides, and the reason: the first test that holds."""
    target, protecting = shot.target, answer.protecting
    if shot.is_hidden:
        return _hidden(shot, answer)
    over, tail = _fired_over(shot)
    if protecting is not None:
        share = share_in_words(protecting.counts.occluded, protecting.counts.total)
        penalty = PENALTY[target.posture][answer.kind]
        reason = (
            f"{share} of {target.name}, {target.posture}, is obscured by {in_a_sentence(protecting.cover.name)} "
            f"({in_bricks(protecting.cover.bricks)}): {cover_words(answer.kind)}, {_penalty(penalty)}{tail}"
        )
        return hit_rule(answer.kind, target.posture), reason
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
    reason = (
        f"{share} of {target.name} is obscured by {in_a_sentence(most.cover.name)}, which is too low to be cover for it"
    )
    return RuleReference("Very Low Cover", "R4"), f"{reason}: in the open{tail}"


def _hidden(shot: _Shot, answer: _Answer) -> tuple[RuleReference, str]:
    """The rule and the reason where nothing of the target is seen."""
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
    return hit_rule(answer.kind, target.posture), reason


def _fired_over(shot: _Shot) -> tuple[RuleReference | None, str]:
    """The rule and a clause for the effect of the attacker's own cover on its roll."""
    if not shot.look.over:
        return None, ""
    own = " and ".join(in_a_sentence(cover.name) for cover in shot.look.over)
    if shot.attacker.posture == "standing":
        return None, f"; {shot.attacker.name} looks over {own}"
    penalty, kind = shot.from_prone
    return from_prone_rule(kind), f"; {shot.attacker.name} fires prone over {own}, {_penalty(penalty)}"


def _penalty(penalty: int) -> str:
    """A penalty to hit in words."""
    return f"{penalty} to hit" if penalty else "no penalty to hit"


def _could_be(shot: _Shot) -> list[str]:
    """The verdicts that hold within the error, or the scene's tolerance, of the shares that decide."""
    counts, tolerance = shot.whole.counts, shot.scene.tolerance
    if not counts.total:
        return ["hidden"]
    seen = counts.seen / counts.total
    band = max(counts.error_seen, tolerance) if seen else counts.error_seen
    possible = {"hidden"} if seen <= band else set()
    if seen + band > 0.0:
        # Any piece may give any of its classes while the others give their least: the strongest of these decides.
        kinds = [_kinds_within(shot, effect) for effect in shot.effects]
        least = [min(kinds_of_piece, key=shot.weight) for kinds_of_piece in kinds]
        for number, kinds_of_piece in enumerate(kinds):
            others = least[:number] + least[number + 1 :]
            possible |= {cover_words(max([kind, *others], key=shot.weight)) for kind in kinds_of_piece}
        possible |= set() if kinds else {"no cover"}
    possible = {"open" if word == "no cover" else word for word in possible}
    return [verdict for verdict in VERDICTS if verdict in possible]


def _kinds_within(shot: _Shot, effect: CoverEffect) -> set[CoverClass]:
    """The classes of protection that a piece may give within the error of its share."""
    error = effect.counts.error
    band = max(error, shot.scene.tolerance) if effect.counts.occluded else error
    taken_from = shot.scene.readings.cover_class
    return {
        shot.class_at(effect, share, taken_from) for share in (effect.share - band, effect.share, effect.share + band)
    }


def _other_readings(shot: _Shot, answer: _Answer) -> list[OtherReading]:
    """The answer under the other reading of where classes come from (A15), where it differs."""
    taken_from = OTHER_CLASS[shot.scene.readings.cover_class]
    other = _answer(shot, taken_from)
    if (other.verdict, other.modifier) == (answer.verdict, answer.modifier):
        return []
    reading = f"cover_class = {taken_from}"
    return [{"reading": reading, "verdict": other.verdict, "cover": other.kind, "modifier": other.modifier}]


def _blockers(shot: _Shot) -> list[dict[str, Any]]:
    """The pieces in the way, the largest share first."""
    total = shot.whole.counts.total
    rows = [
        {"name": effect.cover.name, "occluded": effect.nearest / total, "alone": effect.share}
        for effect in shot.effects
    ]
    return sorted(rows, key=lambda row: (-row["occluded"], -row["alone"], row["name"]))


def _warnings(shot: _Shot, pixel: float) -> list[str]:
    """Warnings about the measurement, where pieces stand, and the models, each once."""
    attacker, warnings = shot.attacker, list[str]()
    if abs(shot.whole.pixel - pixel) > 0.01 * pixel:
        warnings.append(f"measured at {shot.whole.pixel:.2g} mm per pixel instead of {pixel:g}")
    warnings += attacker.piece.eye_warnings
    bodies = shot.look.sight.occluders.pieces
    for cover, piece in zip(shot.look.covers, bodies, strict=True):
        if encloses(piece.model.mesh, piece.pose.localise(shot.look.sight.eye[None])[0]):
            warnings.append(eye_inside(attacker.piece, cover.piece))
    warnings += windows_seen_through(shot.whole)
    pieces = (attacker.piece, shot.target.piece, *bodies)
    warnings += shot.scene.doubts(attacker.name, (piece.name for piece in pieces[1:]))
    warnings += [warning for piece in pieces for warning in piece.all_warnings]
    return list(dict.fromkeys(warnings))
