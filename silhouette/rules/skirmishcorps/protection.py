"""JUDGE: SkirmishCorps, the measured part: what is looked past, and how much each piece obscures of a target.

attacker, target -> its own cover is looked over (A9) or not (R13) -> Sight -> pictures -> Together, Alone
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Floats, corners
from silhouette.measure.culling import in_view
from silhouette.measure.samples import ERROR_GOAL, SampleRequest
from silhouette.measure.silhouette import OcclusionCounts, measure
from silhouette.meshes.bounds import bounding_points
from silhouette.renderers.protocol import Body, Renderer
from silhouette.rules.skirmishcorps.classes import BRICK, LOOKED_OVER
from silhouette.rules.skirmishcorps.contact import Footprint, Standing, crosses, in_contact, may_hide
from silhouette.rules.skirmishcorps.scene import Cover, SkirmishScene, Unit, raised
from silhouette.scenes.table import Piece
from silhouette.views import View, fit_view

FINEST = 4
"""How much finer than asked a picture is taken at most, where a share comes too near to a threshold."""

OVER = BRICK / 4
"""mm by which the eye of who looks over cover is above its top, at least (A9)."""


@dataclass(frozen=True, eq=False)
class Sight:
    """How an attacker looks at something.

    Attributes:
        eye: (3,) where it looks from, raised above its own cover where it looks over that.
        obstacles: what may obscure, each with the body that does.
        over: its own cover that it looks over, and that lies between.
        blind: its own cover that it cannot look over, being prone (R13).
        error_goal: an error up to this is small enough, where no threshold is near.
    """

    eye: Floats
    obstacles: tuple[tuple[Cover, Piece], ...]
    over: tuple[Cover, ...]
    blind: tuple[Cover, ...]
    error_goal: float


@dataclass(frozen=True, eq=False)
class Together:
    """What all pieces together obscure of a target.

    Attributes:
        silhouette: measured against ``covers``, in this order.
        covers: what reaches into the picture.
        pixel: mm per pixel at the target, as it was measured.
    """

    silhouette: OcclusionCounts
    covers: tuple[Cover, ...]
    pixel: float


@dataclass(frozen=True, eq=False)
class Alone:
    """What one piece obscures: the pixels at which it is nearest, and all of it with nothing else on the table."""

    cover: Cover
    nearest: int
    silhouette: OcclusionCounts

    @property
    def share(self) -> float:
        """Of the target, obscured by this piece alone."""
        return self.silhouette.occluded / self.silhouette.total


def sight(scene: SkirmishScene, attacker: Unit, piece: Piece, target: Standing) -> Sight:
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
    obstacles = tuple(
        (cover, raised(cover, top) if cover in blind and cover.is_section else cover.piece)
        for cover in scene.covers
        if cover not in past and may_hide(eye[:2], body, cover.standing.footprint)
    )
    return Sight(eye, obstacles, tuple(over), tuple(blind), scene.error or ERROR_GOAL)


def together(seen: Sight, target: Piece, renderer: Renderer, pixel: float, *thresholds: float) -> Together:
    """Measures a target past all obstacles at once.

    Args:
        seen: where it is looked from, past what.
        target: its significant parts are looked at.
        renderer: what renders.
        pixel: mm per pixel at the target.
        thresholds: shares of the target at which an answer changes, beside nothing and all.
    """
    picture = _Picture(seen, target, renderer, pixel)
    silhouette, width = picture.shares(picture.near, thresholds)
    return Together(silhouette, tuple(seen.obstacles[number][0] for number in picture.near), width)


def each_alone(
    seen: Sight, target: Piece, whole: Together, renderer: Renderer, pixel: float, threshold: float
) -> list[Alone]:
    """Measures a target past each of the obstacles alone that obscure anything of it, in the order of the scene.

    Where only one reaches into the picture it has been measured already. The picture is taken finer, up to `FINEST`
    times, while its error keeps a share from being on one side of the threshold.
    """
    picture = _Picture(seen, target, renderer, pixel)
    found = []
    for place, number in enumerate(picture.near):
        if whole.silhouette.alone[place]:
            is_single = len(picture.near) == 1
            silhouette = whole.silhouette if is_single else picture.shares([number], (threshold,))[0]
            found.append(Alone(whole.covers[place], whole.silhouette.nearest[place], silhouette))
    return found


class _Picture:
    """A target in a frame, and what reaches into it."""

    def __init__(self, seen: Sight, target: Piece, renderer: Renderer, pixel: float) -> None:
        box = target.body_box
        distance = float(np.linalg.norm(box.mean(axis=0) - seen.eye))
        outer = target.pose.place(bounding_points(target.model.significant))
        self._target = Body(1, target.model.significant, target.pose)
        self._bodies = [
            Body(number + 2, piece.model.mesh, piece.pose) for number, (_, piece) in enumerate(seen.obstacles)
        ]
        self._views: Sequence[View] = fit_view(seen.eye, box.mean(axis=0), outer, pixel, facing=target.facing)
        self._farthest = float(np.linalg.norm(box - seen.eye, axis=1).max())
        self._renderer, self._error_goal = renderer, seen.error_goal
        width = self._views[0].step * distance
        self._width = pixel if np.isclose(width, pixel, rtol=1e-9) else width
        boxes = np.array([body.pose.place(corners(*body.mesh.bounds)) for body in self._bodies]).reshape(-1, 8, 3)
        reaches = np.zeros(len(self._bodies), dtype=np.bool_)
        for view in self._views:
            reaches |= in_view(view, boxes, self._farthest)
        self.near = np.flatnonzero(reaches).tolist()

    def shares(self, which: Sequence[int], thresholds: tuple[float, ...]) -> tuple[OcclusionCounts, float]:
        """What some of the obstacles obscure together, and the pixel with which it was measured."""
        blockers = [self._bodies[number] for number in which]
        request = SampleRequest(
            self._target,
            blockers,
            None,
            self._renderer,
            self._farthest,
            tuple(sorted({0.0, 1.0, *thresholds})),
            self._error_goal,
        )
        silhouette = measure(self._views, request, self._width)
        factor = 1
        while factor < FINEST and _is_near(silhouette, thresholds):
            factor *= 2
            silhouette = measure([view.refined(factor) for view in self._views], request, self._width / factor)
        return silhouette, self._width / factor


def _is_near(silhouette: OcclusionCounts, thresholds: Sequence[float]) -> bool:
    """Whether the share's error reaches a threshold that the share is not exactly at."""
    if not silhouette.total:
        return False
    share = silhouette.occluded / silhouette.total
    return any(0.0 < abs(share - threshold) <= silhouette.error for threshold in thresholds)
