"""COUNT, first step: a Sight becomes the pictures in which it is measured, with the bodies that reach into them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from silhouette.common.geometry import Flags, Floats, swollen
from silhouette.measure.culling import disjoint, in_view, outermost, picture_bounds
from silhouette.measure.filling import filled
from silhouette.measure.observation import Observation, Sight
from silhouette.measure.sampling import Picture
from silhouette.meshes.bounds import bounding_points, tighter_points
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import Projection, View, VisionArc, fit_view, projection_of, target_distance
from silhouette.scenes.table import BlockingPieces, Piece


@dataclass(frozen=True, eq=False)
class Framed:
    """A sight and its pictures."""

    sight: Sight  # what is measured
    pictures: tuple[Picture, ...]  # one flat picture, or the six faces of a cube round the eye
    blockers: tuple[Piece, ...]  # the pieces that may stand before the target in them, in the order of the sight
    pixel: float  # mm per pixel at the target
    projection: Projection  # which of the two it is

    @property
    def views(self) -> tuple[View, ...]:
        """Of the pictures."""
        return tuple(picture.view for picture in self.pictures)


def framed(sight: Sight, pixel: float) -> Framed:
    """The pictures of a sight, ``pixel`` mm per pixel at the target where that is possible."""
    target, mesh, place = sight.target, sight.target.model.significant, sight.target.pose.place
    box = swollen(target.body_box, target.outline)
    outer = swollen(place(bounding_points(mesh)), target.outline)
    aim = target.body_middle
    views = fit_view(
        sight.eye,
        aim,
        outer,
        pixel,
        facing=sight.facing,
        tighter=lambda fits: swollen(place(tighter_points(mesh, lambda points: fits(place(points)))), target.outline),
    )
    farthest = float(np.linalg.norm(box - sight.eye, axis=1).max())
    found = _blockers_in(sight, views, outer, farthest)
    bodies = [
        Body(number, _as_it_hides(sight, piece, mesh), piece.pose, piece.outline)
        for number, (piece, mesh) in enumerate(found, 2)
    ]
    blockers = [piece for piece, _ in found]
    body = Body(1, mesh, target.pose, target.outline)
    arcs = _arcs_that_matter(sight.arcs, box, body)
    projection = projection_of(views)
    # A very large or small target has coarser or finer pixels than asked for; a rounding difference is ignored.
    width = views[0].step * (
        float(np.linalg.norm(aim - sight.eye)) if projection == "flat" else target_distance(sight.eye, aim, box)
    )
    width = pixel if abs(width - pixel) <= 1e-9 * pixel else width
    return Framed(sight, tuple(Picture(view, body, bodies, arcs) for view in views), tuple(blockers), width, projection)


def may_stand_before(observation: Observation, others: BlockingPieces, absent: Sequence[int] = ()) -> bool:
    """Whether any of some pieces may stand before the target in the pictures that an observation took of it.

    False is certain: past them as well the target shows what it showed. True says that it must be looked at again.

    Args:
        observation: of the target.
        others: pieces, each with the part of it that is asked about.
        absent: positions in ``others`` of those that are not.
    """
    if len(absent) == len(others.pieces) or not observation.views:
        return len(absent) < len(others.pieces)
    sight, target = observation.sight, observation.sight.target
    outer = swollen(target.pose.place(bounding_points(target.model.significant)), target.outline)
    farthest = float(np.linalg.norm(swollen(target.body_box, target.outline) - sight.eye, axis=1).max())
    return bool(
        _blockers_in(replace(sight, occluders=others, absent=tuple(absent)), observation.views, outer, farthest)
    )


def _arcs_that_matter(arcs: tuple[VisionArc, ...] | None, box: Floats, target: Body) -> list[VisionArc] | None:
    """The arcs that a target may reach into; None where one arc contains all of it.

    Args:
        arcs: the attacker's; None for no limit.
        box: (8, 3) the corners of a box round the target; only where that does not tell are its vertices looked at.
        target: the target.
    """
    if arcs is None or any(arc.contains(box).all() for arc in arcs):
        return None
    reached = [arc for arc in arcs if not arc.misses(box)]
    if not reached:
        return reached
    if any(_is_all_of(target, arc.contains) for arc in reached):
        return None
    return [arc for arc in reached if not any(_is_all_of(target, partial(_beyond, arc, edge)) for edge in (0, 1))]


def _beyond(arc: VisionArc, edge: int, points: Floats) -> Flags:
    """Which of the points lie beyond the right (0) or the left (1) edge of an arc."""
    return arc.beyond(points)[edge]


def _is_all_of(target: Body, lies: Callable[[Floats], Flags]) -> bool:
    """Whether all vertices of a target lie in a convex part of the world, of which points ``lies`` tells."""
    place = target.pose.place
    held = place(tighter_points(target.mesh, lambda points: lies(place(points))))
    return bool(lies(swollen(held, target.outline)).all())


def _as_it_hides(sight: Sight, piece: Piece, mesh: Mesh) -> Mesh:
    """The mesh of an occluder, with what its outline encloses where the piece is to be filled."""
    if piece.model.solid != "filled":
        return mesh
    return filled(mesh, piece.pose, sight.eye, sight.target.body_middle)


def _blockers_in(sight: Sight, views: Sequence[View], outer: Floats, farthest: float) -> list[tuple[Piece, Mesh]]:
    """The pieces that may stand before the target in the picture, each with the part of it that blocks.

    First the boxes of all occluders are tested together; then, for each that is left, whether a straight line in the
    picture separates its hull from the target's.

    Args:
        sight: whose occluders these are.
        views: one picture, or the six faces of a cube; in a cube the second test is left out.
        outer: (n, 3) mm, world: the outermost points of the target.
        farthest: mm from the eye to the farthest corner of the target's box.
    """
    occluders = sight.occluders
    reaches: Flags = np.zeros(len(occluders.pieces), dtype=np.bool_)
    for view in views:
        reaches |= in_view(view, occluders.boxes, farthest)
    reaches[list(sight.absent)] = False
    found = list[tuple[Piece, Mesh]]()
    target_bounds = picture_bounds(views[0], outer)
    for number in np.flatnonzero(reaches):
        piece, mesh = occluders.pieces[number], occluders.meshes[number]
        if len(views) > 1 or not disjoint(
            target_bounds, picture_bounds(views[0], outermost(Body(0, mesh, piece.pose, piece.outline)))
        ):
            found.append((piece, mesh))
    return found
