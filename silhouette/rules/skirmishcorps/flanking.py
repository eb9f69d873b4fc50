"""JUDGE: SkirmishCorps, flanking (R33 to R36, A14): where a unit could dive, and whether it would lie hidden."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from silhouette.files.schema import Location
from silhouette.geometry import Floats, Pose
from silhouette.measure.observation import OcclusionCounts
from silhouette.models.model import model_of_solids
from silhouette.rules.base import Settings
from silhouette.rules.skirmishcorps.contact import Standing, crosses, landings, lying_body, lying_directions, overlaps
from silhouette.rules.skirmishcorps.protection import look_at
from silhouette.rules.skirmishcorps.scene import Cover, SkirmishScene, Unit, prone_body, prone_size
from silhouette.scenes.table import Piece

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
