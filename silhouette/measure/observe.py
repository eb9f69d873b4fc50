"""JUDGE: what the rule systems that say "stoop down and look" share: vision arcs, and a look at a target.

pieces -> arcs, a picture framed on the target, what reaches into it -> Silhouette
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.measure.culling import disjoint, in_view, picture_bounds
from silhouette.measure.samples import ERROR_GOAL, SampleRequest
from silhouette.measure.silhouette import OcclusionCounts, measure
from silhouette.meshes.bounds import bounding_points
from silhouette.renderers.protocol import Body, Renderer
from silhouette.scenes.table import Piece, TableScene
from silhouette.views import VisionArc, fighter_arc, fit_view, vehicle_arc

FINEST = 4
"""How much finer than asked a picture is taken at most, where a share comes too near to one half."""


def arcs_of(attacker: Piece, arc: str | None = None) -> list[VisionArc]:
    """The vision arcs that a model has, or the one of them that is named; none where that is a blind spot.

    A fighter has a front arc of 90° (R1, R2); a vehicle those it has crew for, bounded by the lines through its
    corners (R3 to R5). All start from the centre of the base, or of the footprint.
    """
    names = [name for name in attacker.arcs if arc in (None, name)]
    centre = attacker.base_centre
    if attacker.kind == "fighter":
        return [fighter_arc(centre, attacker.facing) for _ in names]
    model = attacker.model
    return [vehicle_arc(name, centre, attacker.facing, model.body_length, model.body_width) for name in names]


@dataclass(frozen=True, eq=False)
class Looked:
    """What a look at a target gave.

    Attributes:
        blockers: the pieces that reach into the picture before the target.
        silhouette: measured against these, in this order.
        pixel: mm per pixel at the target, as it was measured.
    """

    blockers: list[Piece]
    silhouette: OcclusionCounts
    pixel: float


def look(
    scene: TableScene,
    attacker: Piece,
    target: Piece,
    disregarded: Sequence[Piece],
    arcs: Sequence[VisionArc],
    renderer: Renderer,
    pixel: float,
    *,
    ignored_parts_block: bool = False,
) -> Looked:
    """Measures the target from the attacker's eye, past what may block.

    The picture is taken finer, up to `FINEST` times, while the error, but not the tolerance, keeps a share from being
    on one side of one half.

    Args:
        scene: where both stand; every other piece may be in the way (R8, R10), the attacker never.
        attacker: looks, from its eye.
        target: its significant parts are looked at.
        disregarded: pieces that are moved aside.
        arcs: the vision arcs looked from.
        renderer: what renders.
        pixel: mm per pixel at the target.
        ignored_parts_block: whether bases and insignificant parts of models in the way block as well (A6).
    """
    body = Body(1, target.model.significant, target.pose)
    box = target.body_box
    whole_target = any(arc.contains(box).all() for arc in arcs)
    near_arcs = None if whole_target else [arc for arc in arcs if not arc.misses(box)]
    outer = target.pose.place(bounding_points(target.model.significant))
    views = fit_view(attacker.eye, box.mean(axis=0), outer, pixel, facing=attacker.facing)
    farthest = float(np.linalg.norm(box - attacker.eye, axis=1).max())
    boxes = scene.whole_boxes if ignored_parts_block else scene.body_boxes
    near = np.zeros(len(boxes), dtype=np.bool_)
    for view in views:
        near |= in_view(view, boxes, farthest)
    near[[piece.index for piece in (attacker, target, *disregarded)]] = False
    blockers, bodies, reach = [], [], picture_bounds(views[0], outer)
    for number, index in enumerate(np.flatnonzero(near), 2):
        piece = scene.pieces[index]
        mesh = piece.model.mesh if ignored_parts_block else piece.model.significant
        if len(views) > 1 or not disjoint(reach, picture_bounds(views[0], piece.pose.place(bounding_points(mesh)))):
            blockers.append(piece)
            bodies.append(Body(number, mesh, piece.pose))
    request = SampleRequest(body, bodies, near_arcs, renderer, farthest, error_goal=scene.error or ERROR_GOAL)
    width = views[0].step * float(np.linalg.norm(box.mean(axis=0) - attacker.eye))
    width = pixel if abs(width - pixel) <= 1e-9 * pixel else width
    silhouette = measure(views, request, width)
    factor = 1
    while _near_half(silhouette, scene.tolerance) and factor < FINEST:
        factor *= 2
        silhouette = measure([view.refined(factor) for view in views], request, width / factor)
    return Looked(blockers, silhouette, width / factor)


def _near_half(silhouette: OcclusionCounts, tolerance: float) -> bool:
    """Whether a share's error, but not the tolerance, reaches one half."""
    if silhouette.in_arc == 0:
        return False
    shares = [(silhouette.occluded, silhouette.total, silhouette.error)]
    shares += [(silhouette.occluded_in_arc, silhouette.in_arc, silhouette.error_in_arc)]
    distances = [(abs(part / whole - 0.5), error) for part, whole, error in shares if whole]
    return any(tolerance < distance <= error for distance, error in distances)
