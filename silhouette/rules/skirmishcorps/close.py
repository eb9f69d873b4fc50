"""JUDGE: SkirmishCorps, close combat over cover (R31, R32) and flanking (R33 to R36): from geometry to a verdict.

units, cover between them -> whether they can fight across it -> verdict on close combat
target, attacker -> the dives that the target can make -> what the attacker would see of each -> verdict on flanking
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from silhouette.files.schema import Location
from silhouette.geometry import Floats, Pose
from silhouette.measure.observation import OcclusionCounts
from silhouette.models.model import model_of_solids
from silhouette.rules.base import RuleReference, Settings
from silhouette.rules.skirmishcorps.contact import (
    Standing,
    crosses,
    landings,
    lying_body,
    lying_directions,
    opposite,
    overlaps,
)
from silhouette.rules.skirmishcorps.protection import look_at
from silhouette.rules.skirmishcorps.results import SkirmishCorpsVerdict
from silhouette.rules.skirmishcorps.scene import Cover, SkirmishScene, Unit, prone_body, prone_size
from silhouette.scenes.table import Piece
from silhouette.text import in_a_sentence, share_in_words

# ---- dives

COARSE, COARSEST = 5.0, 1.0
"""A dive is measured first with pixels larger by this factor, but not above this many mm: most are clearly safe, or
clearly not."""


@dataclass(frozen=True, eq=False)
class Dive:
    """A dive: where the unit would lie afterwards, and how much of it the attacker would see.

    Attributes:
        spot: (2,) the middle of its body.
        turn: the direction of the dive in degrees; None where it drops in place.
        counts: the pixels of its body there, as the attacker sees it.
        covers: the pieces that hide it, the largest share first.
        pixel: mm per pixel at the body, in the measurement that counts.
    """

    spot: Floats
    turn: float | None
    counts: OcclusionCounts
    covers: tuple[Cover, ...]
    pixel: float

    @property
    def hidden(self) -> float:
        """The share of the body that is hidden; all of one that shows no pixel."""
        return self.counts.occluded / self.counts.total if self.counts.total else 1.0


@dataclass(frozen=True)
class Dives:
    """The dives that decide whether a unit is flanked.

    Attributes:
        safe: the first dive that is safe, or None.
        doubtful: whether the opposite answer lies within the error.
        best: the dive that hides most, of those tried, or None.
    """

    safe: Dive | None
    doubtful: bool
    best: Dive | None


def dives(scene: SkirmishScene, attacker: Unit, target: Unit, settings: Settings) -> Dives:
    """The dives by which the target can get out of the attacker's sight.

    The target drops in place, or dives a set distance in evenly spread directions, over very low and low cover, but not
    through anything higher (R35). It lies where its body has room; other units make room for it (R36). The dives are
    tried in turn until one is safe: its hidden share less the error reaches the reading ``dive_hidden``, or all of the
    body is hidden, without an error.
    """
    best: Dive | None = None
    perhaps: Dive | None = None
    middle, towards = target.middle, attacker.piece.eye[:2]
    readings = scene.readings
    for spot, turn in landings(middle, towards, readings.dive_distance, readings.dive_directions):
        if not _can_reach(scene, target, spot):
            continue
        for body in _bodies(scene, target, spot, turn, towards):
            dive = _measured_dive(scene, attacker, body, settings)
            if dive is None:
                continue
            error = max(dive.counts.error, scene.tolerance)
            if dive.hidden - error >= readings.dive_hidden or (dive.hidden == 1.0 and not dive.counts.error):
                return Dives(dive, False, dive)
            if dive.hidden + error >= readings.dive_hidden and (perhaps is None or dive.hidden > perhaps.hidden):
                perhaps = dive
            if best is None or dive.hidden > best.hidden:
                best = dive
    if perhaps is None:
        return Dives(None, False, best)
    return Dives(perhaps if perhaps.hidden >= readings.dive_hidden else None, True, best)


def _can_reach(scene: SkirmishScene, target: Unit, spot: Floats) -> bool:
    """Whether no cover that the target cannot dive over stands between it and the spot (R35)."""
    return not any(
        cover.class_for(target) in ("high", "corner")
        and cover.standing.low < target.standing.high
        and crosses(target.middle, spot, cover.standing, target.standing.low)
        for cover in scene.covers
    )


@dataclass(frozen=True, eq=False)
class _Body:
    """A body that lies at a spot (2,), along a direction in degrees, after a dive; and the room that it takes."""

    bricks: float
    spot: Floats
    turn: float | None
    along: float
    room: Standing

    def piece(self) -> Piece:
        """The body that the attacker looks at: the standard figure, of the unit's size."""
        model = model_of_solids((prone_body(self.bricks),), Location(Path()), "fighter")
        pose = Pose.standing((*self.spot, self.room.low), self.along - model.front)
        return Piece("body", "fighter", model, pose, None, self.along, (), None, {}, 0)


def _bodies(scene: SkirmishScene, target: Unit, spot: Floats, turn: float | None, towards: Floats) -> list[_Body]:
    """The ways in which the target's body can lie at a spot without reaching into a piece."""
    length, width, thickness = prone_size(target.bricks)
    low = target.standing.low
    standings = [cover.standing for cover in scene.covers]
    solid = [standing for standing in standings if standing.high > low and standing.low < low + thickness]
    bodies = []
    for along in lying_directions(spot, turn, towards, [piece.footprint for piece in solid], length):
        room = lying_body(spot, along, length, width, low, thickness)
        if not any(overlaps(room, piece, scene.readings.contact_tolerance) for piece in solid):
            bodies.append(_Body(target.bricks, spot, turn, along, room))
    return bodies


def _measured_dive(scene: SkirmishScene, attacker: Unit, body: _Body, settings: Settings) -> Dive | None:
    """The dive as the attacker sees it; None where nothing stands between, so that all of it is seen."""
    piece = body.piece()
    look = look_at(scene, attacker, piece, body.room)
    if not look.covers:
        return None
    threshold, fine = scene.readings.dive_hidden, replace(settings, keep=False)
    coarse = replace(fine, pixel=max(fine.pixel, min(COARSE * fine.pixel, COARSEST)))
    observed = look.observe(coarse, threshold)
    counts = observed.counts
    if abs(counts.occluded / max(counts.total, 1) - threshold) <= counts.error:
        observed = look.observe(fine, threshold)
    order = sorted(zip(observed.counts.nearest, observed.blockers, strict=True), key=lambda pair: -pair[0])
    hiding = tuple(look.cover_of(blocker) for nearest, blocker in order if nearest)
    return Dive(body.spot, body.turn, observed.counts, hiding, observed.pixel)


# ---- verdicts

TO_HIT, DODGE = -1, 1
"""The modifiers of close combat over cover: to all rolls to hit, and to all attempts to dodge or parry (R32)."""

FLANKED = -2
"""The modifier of being flanked to a dive to prone (R34)."""


def close_combat(scene: SkirmishScene, attacker: Unit, target: Unit) -> SkirmishCorpsVerdict:
    """The verdict on whether two units can fight across cover (R31, R32)."""
    touched = scene.touched_by(target.standing)
    both = [cover for cover in scene.touched_by(attacker.standing) if cover in touched]
    tolerance = scene.readings.contact_tolerance
    across = [cover for cover in both if opposite(attacker.standing, target.standing, cover.corners, tolerance)]
    over = [cover for cover in across if not _is_full_height(cover, attacker, target)]
    possible = bool(over)
    rule = RuleReference("Close Combat Over Cover", "R32" if possible else "R31")
    return SkirmishCorpsVerdict(
        attacker.name,
        target.name,
        scene.rules,
        "close combat" if possible else "no close combat",
        None,
        rule,
        _reason(attacker, target, both, across, over),
        "close combat",
        {"possible": possible, "to_hit": TO_HIT if possible else None, "dodge_parry": DODGE if possible else None},
    )


def _is_full_height(cover: Cover, attacker: Unit, target: Unit) -> bool:
    """Whether a piece is a wall taller than both units, over which they cannot fight (A13)."""
    return cover.class_for(attacker) == cover.class_for(target) == "corner"


def _reason(attacker: Unit, target: Unit, both: list[Cover], across: list[Cover], over: list[Cover]) -> str:
    """The reason of a verdict on close combat.

    Args:
        attacker: one unit.
        target: the other unit.
        both: the cover that both units are in contact with.
        across: of that, the cover at which they stand opposite each other.
        over: of that, the cover that is not taller than both.
    """
    pair = f"{attacker.name} and {target.name}"
    if over:
        at = in_a_sentence(over[0].name)
        return f"{pair} stand opposite each other at {at}: {TO_HIT} to hit, +{DODGE} to dodge or parry"
    if across:
        at = in_a_sentence(across[0].name)
        return f"{pair} stand opposite each other at {at}, which is taller than both: no close combat"
    if both:
        at = in_a_sentence(both[0].name)
        return f"{pair} are both in contact with {at}, but not opposite each other: no close combat"
    return f"no cover is in contact with both {pair}: no close combat over cover"


def flanked(scene: SkirmishScene, attacker: Unit, target: Unit, settings: Settings) -> SkirmishCorpsVerdict:
    """The verdict on whether the target is flanked: in cover, seen, and without a dive out of sight (R33 to R36)."""
    in_cover = [cover for cover in scene.touched_by(target.standing) if cover.class_for(target) != "none"]
    if not in_cover:
        reason = f"{target.name} is not in contact with any cover, and only a unit in cover can be flanked"
        return _flank_verdict(scene, attacker, target, settings, None, ("R33", reason))
    look = look_at(scene, attacker, target.piece, target.standing)
    if look.observe(replace(settings, keep=False)).counts.seen == 0:
        reason = f"{attacker.name} does not see {target.name}, so cannot attack it"
        return _flank_verdict(scene, attacker, target, settings, None, ("R33", reason))
    tried = dives(scene, attacker, target, settings)
    return _flank_verdict(scene, attacker, target, settings, tried, _flank_grounds(attacker, target, tried))


def _flank_grounds(attacker: Unit, target: Unit, tried: Dives) -> tuple[str, str]:
    """The number of the rule and the reason, once dives have been tried."""
    if tried.safe is not None:
        landing = f"{_how(tried.safe)}, where {_hidden(tried.safe)}"
        return "R33" if tried.safe.turn is None else "R35", f"{target.name} can {landing}: not flanked"
    most = f"; at best {_hidden(tried.best)}" if tried.best is not None and tried.best.hidden else ""
    reason = f"{target.name} can dive nowhere out of the sight of {attacker.name}{most}: flanked, {FLANKED} to dive"
    return "R34", reason


def _flank_verdict(
    scene: SkirmishScene,
    attacker: Unit,
    target: Unit,
    settings: Settings,
    tried: Dives | None,
    grounds: tuple[str, str],
) -> SkirmishCorpsVerdict:
    """The verdict on flanking; ``tried`` is None where the target need not dive, ``grounds`` are rule and reason."""
    is_flanked = tried is not None and tried.safe is None
    safe = None if tried is None else tried.safe
    dive = safe or (None if tried is None else tried.best)
    number, reason = grounds
    doubtful = tried is not None and tried.doubtful
    answers = {
        "flanked": is_flanked,
        "dive_penalty": FLANKED if is_flanked else 0,
        "landing": None if safe is None else [round(float(coordinate), 3) for coordinate in safe.spot],
        "renderer": settings.renderer.name,
        "pixel": settings.pixel if dive is None else dive.pixel,
    }
    verdict = "flanked" if is_flanked else "not flanked"
    faults = (warning for piece in (attacker.piece, target.piece) for warning in piece.all_warnings)
    return SkirmishCorpsVerdict(
        attacker.name,
        target.name,
        scene.rules,
        verdict,
        None,
        RuleReference("Flanking", number),
        reason,
        "flanked",
        answers,
        could_be=("flanked", "not flanked") if doubtful else (verdict,),
        warnings=(*scene.doubts(attacker.name, [target.name]), *faults),
    )


def _how(dive: Dive) -> str:
    """A dive in words, as reasons print it."""
    if dive.turn is None:
        return "drop to prone where it stands"
    return f"dive to ({dive.spot[0]:.0f}, {dive.spot[1]:.0f})"


def _hidden(dive: Dive) -> str:
    """How much of the body is hidden after a dive, and by what, as reasons print it."""
    share = share_in_words(dive.counts.occluded, dive.counts.total)
    names = " and ".join(in_a_sentence(cover.name) for cover in dive.covers[:2])
    return f"{share} of it lies hidden behind {names}"
