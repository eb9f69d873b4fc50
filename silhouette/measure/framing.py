"""COUNT, first step: a Sight becomes the pictures in which it is measured, with the bodies that reach into them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt

import numpy as np

from silhouette.common.geometry import Flags, Floats, groups_of_equals, swollen
from silhouette.measure.culling import bounds_in, disjoint, in_views, outermost
from silhouette.measure.filling import filled
from silhouette.measure.observation import Observation, Sight
from silhouette.measure.sampling import Picture
from silhouette.meshes.bounds import tighter_points
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import Projection, View, VisionArc, fit_views, projection_of, target_distance
from silhouette.scenes.table import BlockingPieces, Piece

TOGETHER = 64  # sights that are framed together, at most: of tables with thousands of pieces they take some 100 MB


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
    (frame,) = all_framed([sight], pixel)
    return frame


def all_framed(sights: Sequence[Sight], pixel: float) -> list[Framed]:
    """`framed` for several sights, which takes little for each."""
    return [
        frame
        for start in range(0, len(sights), TOGETHER)
        for frame in _framed_together(sights[start : start + TOGETHER], pixel)
    ]


def _framed_together(sights: Sequence[Sight], pixel: float) -> list[Framed]:
    targets = [sight.target for sight in sights]
    outers = [outermost(_body_of(target)) for target in targets]
    views = fit_views(
        [sight.eye for sight in sights],
        [target.body_middle for target in targets],
        outers,
        pixel,
        [sight.facing for sight in sights],
        [partial(_tighter, target) for target in targets],
    )
    blockers = _blockers_in(sights, views, outers)
    return [_with_pictures(*each, pixel) for each in zip(sights, views, blockers, strict=True)]


def _with_pictures(sight: Sight, views: Sequence[View], blockers: Sequence[tuple[Piece, Mesh]], pixel: float) -> Framed:
    """The sight with its pictures, of which the views and the blockers are known."""
    target, box = sight.target, _box_of(sight.target)
    bodies = [
        Body(number, _as_it_hides(sight, piece, mesh), piece.pose, piece.outline)
        for number, (piece, mesh) in enumerate(blockers, 2)
    ]
    body = _body_of(target)
    arcs = _arcs_that_matter(sight.arcs, box, body)
    projection = projection_of(views)
    # A very large or small target has coarser or finer pixels than asked for; a rounding difference is ignored.
    away = sight.eye - target.body_middle
    width = views[0].step * (
        sqrt(away.dot(away)) if projection == "flat" else target_distance(sight.eye, target.body_middle, box)
    )
    width = pixel if abs(width - pixel) <= 1e-9 * pixel else width
    pictures = tuple(Picture(view, body, bodies, arcs) for view in views)
    return Framed(sight, pictures, tuple(piece for piece, _ in blockers), width, projection)


def _body_of(target: Piece) -> Body:
    return Body(1, target.model.significant, target.pose, target.outline)


def _box_of(target: Piece) -> Floats:
    """(8, 3) the corners of a box round a target."""
    return swollen(target.body_box, target.outline)


def _tighter(target: Piece, fits: Callable[[Floats], Flags]) -> Floats:
    """Points that hold a target more tightly than its outermost ones; see `fit_view`."""
    place = target.pose.place
    return swollen(place(tighter_points(target.model.significant, lambda points: fits(place(points)))), target.outline)


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
    sight = replace(observation.sight, occluders=others, absent=tuple(absent))
    (blockers,) = _blockers_in([sight], [observation.views], [outermost(_body_of(sight.target))])
    return bool(blockers)


def _arcs_that_matter(arcs: tuple[VisionArc, ...] | None, box: Floats, target: Body) -> list[VisionArc] | None:
    """The arcs that a target may reach into; None where one arc contains all of it.

    Args:
        arcs: the attacker's; None for no limit.
        box: (8, 3) the corners of a box round the target; only where that does not tell are its vertices looked at.
        target: the target.
    """
    if arcs is None:
        return None
    beyond = [arc.beyond(box) for arc in arcs]
    if not all(right.any() or left.any() for right, left in beyond):
        return None
    reached = [arc for arc, (right, left) in zip(arcs, beyond, strict=True) if not (right.all() or left.all())]
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


def _blockers_in(
    sights: Sequence[Sight], views: Sequence[Sequence[View]], outers: Sequence[Floats]
) -> list[list[tuple[Piece, Mesh]]]:
    """Of each sight the pieces that may stand before the target in its pictures, with the part of each that blocks.

    First the boxes of all occluders are tested together; then, for each that is left, whether a straight line in the
    picture separates its hull from the target's.

    Args:
        sights: whose occluders these are.
        views: of each one picture, or the six faces of a cube; in a cube the second test is left out.
        outers: of each (n, 3) mm, world: the outermost points of the target.
    """
    blocking = list[list[tuple[Piece, Mesh]]]([] for _ in sights)
    hulls, pairs = dict[tuple[int, int], Floats](), list[tuple[int, Piece, Mesh]]()
    for number, (sight, reaches) in enumerate(zip(sights, _reaching(sights, views), strict=True)):
        for place in np.flatnonzero(reaches).tolist():
            piece, mesh = sight.occluders.pieces[place], sight.occluders.meshes[place]
            pairs.append((number, piece, mesh))
            if (id(piece), id(mesh)) not in hulls:
                hulls[id(piece), id(mesh)] = outermost(Body(0, mesh, piece.pose, piece.outline))
    shown = [views[number][0] for number, _, _ in pairs]
    targets = bounds_in([of_sight[0] for of_sight in views], outers)[[number for number, _, _ in pairs]]
    apart = disjoint(targets, bounds_in(shown, [hulls[id(piece), id(mesh)] for _, piece, mesh in pairs]))
    for (number, piece, mesh), is_apart in zip(pairs, apart.tolist(), strict=True):
        if not is_apart or len(views[number]) > 1:
            blocking[number].append((piece, mesh))
    return blocking


def _reaching(sights: Sequence[Sight], views: Sequence[Sequence[View]]) -> list[Flags]:
    """Of each sight (k,) whether the box round each of its occluders reaches into its pictures, before the target."""
    reaching: list[Flags] = [np.zeros(len(sight.occluders.pieces), np.bool_) for sight in sights]
    farthest = [float(np.linalg.norm(_box_of(sight.target) - sight.eye, axis=1).max()) for sight in sights]
    shown = [(number, view) for number, of_sight in enumerate(views) for view in of_sight]
    for places in groups_of_equals([len(reaching[number]) for number, _ in shown]):
        numbers = [shown[place][0] for place in places]
        boxes = np.array([sights[number].occluders.boxes for number in numbers])
        reached = in_views([shown[place][1] for place in places], boxes, np.array(farthest)[numbers])
        for number, reaches in zip(numbers, reached, strict=True):
            reaching[number] |= reaches
    for sight, reaches in zip(sights, reaching, strict=True):
        reaches[list(sight.absent)] = False
    return reaching
