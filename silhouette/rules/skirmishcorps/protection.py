"""JUDGE: SkirmishCorps, the measured part: what is looked past, and how much each piece obscures of a target.

attacker, target -> its own cover is looked over (A9) or not (R13) -> Look -> Observation of all cover, and of each
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silhouette.measure.observe import Observation, Sight, observe
from silhouette.measure.silhouette import OcclusionCounts
from silhouette.meshes.bounds import bounding_points
from silhouette.rules.base import Settings
from silhouette.rules.skirmishcorps.classes import BRICK, LOOKED_OVER
from silhouette.rules.skirmishcorps.contact import Footprint, Standing, crosses, in_contact, may_hide
from silhouette.rules.skirmishcorps.scene import Cover, SkirmishScene, Unit, raised
from silhouette.scenes.table import Occluders, Piece

OVER = BRICK / 4
"""mm by which the eye of a unit that looks over cover is above its top, at least (A9)."""


CLOSE = 40.0
"""mm: units block nothing; those nearer to the eye than this would only be in the way of a picture."""


@dataclass(frozen=True, eq=False)
class Look:
    """How an attacker looks at something.

    Attributes:
        sight: from where, past what; its occluders are the bodies of ``covers``, in the same order.
        covers: what may obscure.
        over: the attacker's own cover that it looks over, and that lies between.
        blind: its own cover that it cannot look over, being prone (R13).
        error_goal: an error up to this is small enough, where no threshold is near; None for the usual one.
    """

    sight: Sight
    covers: tuple[Cover, ...]
    over: tuple[Cover, ...]
    blind: tuple[Cover, ...]
    error_goal: float | None

    def observe(self, settings: Settings, *thresholds: float) -> Observation:
        """What all cover together obscures; ``thresholds`` are the shares at which an answer changes."""
        return observe(
            self.sight,
            settings.renderer,
            settings.pixel,
            thresholds=thresholds,
            error_goal=self.error_goal,
            keep=settings.keep,
        )

    def cover_of(self, blocker: Piece) -> Cover:
        """The cover whose body an observation names as a blocker."""
        return self.covers[self.sight.occluders.pieces.index(blocker)]


@dataclass(frozen=True, eq=False)
class Alone:
    """What one piece obscures: the pixels at which it is nearest, and all of it with nothing else on the table."""

    cover: Cover
    nearest: int
    counts: OcclusionCounts

    @property
    def share(self) -> float:
        """Of the target, obscured by this piece alone."""
        return self.counts.occluded / self.counts.total


def look_at(scene: SkirmishScene, attacker: Unit, piece: Piece, target: Standing) -> Look:
    """How an attacker looks at a body that stands, or would lie, somewhere.

    Its own very low, low or high cover (prone: very low or low) it looks over, its eye at least a quarter brick above
    the top, and that does not obscure, unless the target touches it too (A9). Nobody prone sees over high cover (R13).
    """
    eye = attacker.piece.eye.copy()
    own = scene.touched_by(attacker.standing)
    tolerance = scene.readings.contact_tolerance
    over: list[Cover] = []
    blind: list[Cover] = []
    past: list[Cover] = []
    for cover in own:
        feet = attacker.standing.low
        between = crosses(attacker.piece.eye[:2], target.footprint.middle, cover.standing, feet)
        kind = cover.class_for(attacker)
        if kind in LOOKED_OVER[attacker.posture]:
            if between:
                over.append(cover)
                eye[2] = max(eye[2], cover.standing.high + OVER)
            if not in_contact(target, cover.standing, tolerance):
                past.append(cover)
        elif attacker.posture == "prone" and kind == "high":
            blind.append(cover)
    # A body may reach beyond its base, on which it stands.
    body = Footprint.around(piece.pose.place(bounding_points(piece.model.significant)))
    top = max(float(eye[2]), float(piece.body_box[:, 2].max())) + 1.0
    covers = tuple(
        cover for cover in scene.covers if cover not in past and may_hide(eye[:2], body, cover.standing.footprint)
    )
    bodies = [raised(cover, top) if cover in blind and cover.is_section else cover.piece for cover in covers]
    others = [unit.piece for unit in scene.units if unit.piece is not attacker.piece and unit.piece is not piece]
    is_close = [float(np.hypot(*(other.base_centre - eye[:2]))) <= CLOSE for other in others]
    leant_over = [cover.piece for cover in own if cover not in covers]
    sight = Sight(
        attacker=attacker.piece,
        target=piece,
        eye=eye,
        facing=piece.facing,
        arcs=None,
        occluders=Occluders.of((body, body.model.mesh) for body in bodies),
        disregarded=tuple(other for other, close in zip(others, is_close, strict=True) if not close),
        left_out=(*leant_over, *(other for other, close in zip(others, is_close, strict=True) if close)),
    )
    return Look(sight, covers, tuple(over), tuple(blind), scene.error)


def each_alone(look: Look, whole: Observation, settings: Settings, threshold: float) -> list[Alone]:
    """Measures a target past each of the covers alone that obscure anything of it, in the order of the scene.

    Where only one reaches into the picture it has been measured already.

    Args:
        look: who looks at whom.
        whole: what all of them together obscure.
        settings: how it is measured.
        threshold: the share of the target at which the answer changes.
    """
    found = []
    for number, blocker in enumerate(whole.blockers):
        if whole.counts.alone[number]:
            place = look.sight.occluders.pieces.index(blocker)
            counts = whole.counts
            if len(whole.blockers) > 1:
                counts = observe(
                    look.sight.past([place]),
                    settings.renderer,
                    settings.pixel,
                    thresholds=(threshold,),
                    error_goal=look.error_goal,
                ).counts
            found.append(Alone(look.covers[place], whole.counts.nearest[number], counts))
    return found
