"""JUDGE: SkirmishCorps, the measured part: how much all cover together, and each piece alone, obscures of a target.

attacker, target -> the attacker's own cover: looked over (A9), or too high for a prone unit (R13) -> Look
-> Observation of all cover together -> `CoverEffect` for each piece that obscures anything
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import Wanted
from silhouette.meshes.bounds import bounding_points
from silhouette.rules.base import Settings
from silhouette.rules.skirmishcorps.classes import BRICK, LOOKED_OVER
from silhouette.rules.skirmishcorps.contact import Footprint, Standing, crosses, in_contact, may_hide
from silhouette.rules.skirmishcorps.scene import Cover, SkirmishScene, Unit, raised
from silhouette.scenes.table import Occluders, Piece

OVER = BRICK / 4
"""mm that the eye of a unit that looks over cover is above its top, at least (A9)."""

CLOSE = 40.0
"""mm: units within this distance of the eye are left out of figures; they block nothing, and would hide the rest."""


@dataclass(frozen=True, eq=False)
class Look:
    """An attacker's sight of a target, and the part that each piece of cover has in it.

    Attributes:
        sight: the sight to measure; its occluders are the bodies of ``covers``, in the same order.
        covers: the pieces that may obscure the target.
        over: the attacker's own cover that it looks over, and that lies between it and the target (A9).
        blind: the attacker's own cover that it cannot look over, since it is prone (R13).
        error_goal: the error, as a share, that is small enough where no threshold is near; None for the default.
    """

    sight: Sight
    covers: tuple[Cover, ...]
    over: tuple[Cover, ...]
    blind: tuple[Cover, ...]
    error_goal: float | None

    def observe(self, settings: Settings, *thresholds: float) -> Observation:
        """The measurement past all cover together; ``thresholds`` are the shares at which an answer changes."""
        (observed,) = observe_looks([self], settings, *thresholds)
        return observed

    def cover_of(self, blocker: Piece) -> Cover:
        """The cover whose body is among the blockers of an observation."""
        return self.covers[self.sight.occluders.pieces.index(blocker)]


@dataclass(frozen=True, eq=False)
class CoverEffect:
    """The effect of one piece of cover.

    Attributes:
        cover: the piece.
        nearest: pixels of the target of which it is the nearest blocker, among all cover.
        counts: the measurement with nothing else on the table.
    """

    cover: Cover
    nearest: int
    counts: OcclusionCounts

    @property
    def share(self) -> float:
        """The share of the target, from 0 to 1, that this piece alone obscures; its counts must not be empty."""
        return self.counts.occluded / self.counts.total


def look_at(scene: SkirmishScene, attacker: Unit, piece: Piece, target: Standing) -> Look:
    """The look of an attacker at a body, which stands there or would lie there after a dive.

    An attacker in contact with very low, low or high cover (if prone: very low or low) looks over it, with its eye at
    least a quarter brick above the top. Such cover does not obscure, unless the target is in contact with it too (A9).
    A prone unit cannot look over high cover (R13): that is made high enough to hide everything behind it.

    Args:
        scene: the scene of both.
        attacker: the unit that looks.
        piece: the body that is looked at.
        target: the space that the body takes, which decides what it is in contact with.
    """
    eye = attacker.piece.eye.copy()
    own = scene.touched_by(attacker.standing)
    tolerance = scene.readings.contact_tolerance
    over: list[Cover] = []
    blind: list[Cover] = []
    disregarded: list[Cover] = []
    for cover in own:
        feet = attacker.standing.low
        between = crosses(attacker.piece.eye[:2], target.footprint.middle, cover.standing, feet)
        kind = cover.class_for(attacker)
        if kind in LOOKED_OVER[attacker.posture]:
            if between:
                over.append(cover)
                eye[2] = max(eye[2], cover.standing.high + OVER)
            if not in_contact(target, cover.standing, tolerance):
                disregarded.append(cover)
        elif attacker.posture == "prone" and kind == "high":
            blind.append(cover)
    # A body may reach beyond its base, on which it stands.
    body = Footprint.around(piece.pose.place(bounding_points(piece.model.significant)))
    top = max(float(eye[2]), float(piece.body_box[:, 2].max())) + 1.0
    covers = tuple(
        cover
        for cover in scene.covers
        if cover not in disregarded and may_hide(eye[:2], body, cover.standing.footprint)
    )
    bodies = [raised(cover, top) if cover in blind and cover.is_section else cover.piece for cover in covers]
    others = [unit.piece for unit in scene.units if unit.piece is not attacker.piece and unit.piece is not piece]
    is_close = [float(np.hypot(*(other.base_centre - eye[:2]))) <= CLOSE for other in others]
    leant_over = [cover.piece for cover in own if cover not in covers]
    sight = Sight(
        attacker=attacker.piece,
        target=piece,
        eye=eye,
        facing=piece.ahead,
        arcs=None,
        occluders=Occluders.of((body, body.model.mesh) for body in bodies),
        disregarded=tuple(other for other, close in zip(others, is_close, strict=True) if not close),
        left_out=(*leant_over, *(other for other, close in zip(others, is_close, strict=True) if close)),
    )
    return Look(sight, covers, tuple(over), tuple(blind), scene.error)


def observe_looks(looks: Sequence[Look], settings: Settings, *thresholds: float) -> list[Observation]:
    """The measurement of each look past all cover together; ``thresholds`` are the shares at which an answer changes.

    All looks are at one scene, but for where its pieces stand.
    """
    goal = looks[0].error_goal if looks else None
    wanted = Wanted(thresholds, error_goal=goal, keep=settings.keep, windows=settings.remarks)
    return settings.observe([look.sight for look in looks], settings.renderer, settings.pixel, wanted)


def cover_effects(
    looks: Sequence[Look], wholes: Sequence[Observation], settings: Settings, threshold: float
) -> list[list[CoverEffect]]:
    """Measures targets past each piece of cover alone that obscures any of them: for each look, in the scene's order.

    Where only one piece reaches into the picture, the measurement of all cover together is that of the piece.

    Args:
        looks: the looks at the targets.
        wholes: the measurement of each past all cover together.
        settings: the renderer and the pixel.
        threshold: the share of the target, from 0 to 1, at which the answer changes.
    """
    alone = [
        [
            (number, look.sight.occluders.pieces.index(blocker))
            for number, blocker in enumerate(whole.blockers)
            if whole.counts.alone[number]
        ]
        for look, whole in zip(looks, wholes, strict=True)
    ]
    apart = [
        look.sight.past([position])
        for look, whole, pairs in zip(looks, wholes, alone, strict=True)
        for _, position in pairs
        if len(whole.blockers) > 1
    ]
    wanted = Wanted((threshold,), error_goal=looks[0].error_goal if looks else None)
    measured = iter(settings.observe(apart, settings.renderer, settings.pixel, wanted))
    return [
        [
            CoverEffect(
                look.covers[position],
                whole.counts.nearest[number],
                next(measured).counts if len(whole.blockers) > 1 else whole.counts,
            )
            for number, position in pairs
        ]
        for look, whole, pairs in zip(looks, wholes, alone, strict=True)
    ]
