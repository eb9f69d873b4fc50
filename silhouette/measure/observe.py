"""COUNT, from outside: a sight, as the rules describe it, becomes an Observation: counts, errors and masks.

Sight -> a picture framed on the target, the occluders that reach into it -> `measure` -> Observation
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats
from silhouette.measure.culling import disjoint, in_view, picture_bounds
from silhouette.measure.refine import SampledView
from silhouette.measure.samples import ERROR_GOAL, SampleRequest
from silhouette.measure.silhouette import OcclusionCounts, measure
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Renderer
from silhouette.scenes.table import Occluders, Piece
from silhouette.views import View, VisionArc, fit_view

FINEST = 4
"""How much finer than asked a picture is taken at most, where a share comes too near to a threshold."""

NOTHING, SEEN, OBSCURED, OUTSIDE = 0, 1, 2, 3
"""Kinds of pixel in a `Mask`: not the target; target seen; obscured; not obscured, but beyond the vision arcs."""


@dataclass(frozen=True, eq=False)
class Sight:
    """Who looks at whom, and past what: everything that the rules decide before anything is measured.

    Attributes:
        attacker: looks.
        target: its significant parts are looked at.
        eye: (3,) mm, world: where the attacker looks from.
        facing: degrees; what is up in the picture where the target is straight above or below the eye.
        arcs: the vision arcs looked from; None where the attacker looks all round.
        occluders: what may stand in the way.
        absent: numbers of those occluders that do not: the attacker, the target, and what the rules disregard.
        disregarded: pieces that the rules look past, though they stand there.
        left_out: pieces that the rules look past, so near the eye that a picture is better without them.
        uncounted: parts that are neither target nor in the way, such as bases, each with its piece.
    """

    attacker: Piece
    target: Piece
    eye: Floats
    facing: float
    arcs: tuple[VisionArc, ...] | None
    occluders: Occluders
    absent: tuple[int, ...] = ()
    disregarded: tuple[Piece, ...] = ()
    left_out: tuple[Piece, ...] = ()
    uncounted: tuple[tuple[Piece, Mesh], ...] = ()

    def past(self, numbers: Sequence[int]) -> Sight:
        """The same sight with only these of its occluders on the table, by number."""
        pieces = tuple(self.occluders.pieces[number] for number in numbers)
        meshes = tuple(self.occluders.meshes[number] for number in numbers)
        return replace(self, occluders=Occluders(pieces, meshes, self.occluders.boxes[list(numbers)]), absent=())

    @cached_property
    def present(self) -> list[tuple[Piece, Mesh]]:
        """The occluders that do stand in the way, each with what of it blocks."""
        absent = set(self.absent)
        pairs = zip(self.occluders.pieces, self.occluders.meshes, strict=True)
        return [pair for number, pair in enumerate(pairs) if number not in absent]


@dataclass(frozen=True, eq=False)
class Mask:
    """The pixels of one picture that were counted; all images are (height, width), row 0 at the top.

    Attributes:
        view: the picture.
        kinds: uint8, NOTHING, SEEN, OBSCURED or OUTSIDE.
        blocker: int32, where OBSCURED the number of the blocker in front, of `Observation.blockers`; else -1.
    """

    view: View
    kinds: NDArray[np.uint8]
    blocker: NDArray[np.int32]

    @classmethod
    def of(cls, sampled: SampledView) -> Mask:
        """Every pixel with the sample that stood for it when it was counted."""
        samples = sampled.samples
        free = np.where(samples.in_arc, SEEN, np.where(samples.target, OUTSIDE, NOTHING))
        kinds = np.where(samples.occluded, OBSCURED, free).astype(np.uint8)
        return cls(sampled.view, sampled.pixels(kinds), sampled.pixels(samples.nearest))


@dataclass(frozen=True, eq=False)
class Observation:
    """What a look gave: the evidence of a verdict.

    Attributes:
        sight: who looked at whom, past what.
        blockers: the pieces that reach into the picture before the target.
        counts: of pixels, with these blockers in this order, and the errors of their shares.
        pixel: mm per pixel at the target, as it was measured.
        masks: the pixels that were counted: one picture, or the six faces of a cube round the eye, in which they add up
            to the counts; empty where they were not kept.
    """

    sight: Sight
    blockers: tuple[Piece, ...]
    counts: OcclusionCounts
    pixel: float
    masks: tuple[Mask, ...] = ()


def observe(
    sight: Sight,
    renderer: Renderer,
    pixel: float,
    *,
    thresholds: Sequence[float] = (0.5,),
    tolerance: float = 0.0,
    error_goal: float | None = None,
    keep: bool = False,
) -> Observation:
    """Measures the target of a sight from the eye, past what is in the way.

    The picture is taken finer, up to `FINEST` times, while the error, but not the tolerance, keeps a share from being
    on one side of a threshold.

    Args:
        sight: who looks at whom, past what.
        renderer: what renders.
        pixel: mm per pixel at the target.
        thresholds: shares of the target obscured, besides nothing and all of it, at which a verdict changes.
        tolerance: a share nearer than this to a threshold is too close to call, however well it is measured.
        error_goal: an error up to this, as a share, is not made smaller where no threshold is near; by default 0.002.
        keep: whether to keep the masks.
    """
    target = sight.target
    box, outer = target.body_box, target.pose.place(bounding_points(target.model.significant))
    aim = box.mean(axis=0)
    views = fit_view(sight.eye, aim, outer, pixel, facing=sight.facing)
    farthest = float(np.linalg.norm(box - sight.eye, axis=1).max())
    blockers, bodies = _in_the_way(sight, views, outer, farthest)
    request = SampleRequest(
        Body(1, target.model.significant, target.pose),
        bodies,
        _arcs_that_matter(sight.arcs, box),
        renderer,
        farthest,
        tuple(sorted({0.0, 1.0, *thresholds})),
        error_goal or ERROR_GOAL,
    )
    width = views[0].step * float(np.linalg.norm(aim - sight.eye))
    width = pixel if abs(width - pixel) <= 1e-9 * pixel else width
    counts, sampled_views = measure(views, request, width)
    factor = 1
    while factor < FINEST and _is_undecided(counts, thresholds, tolerance):
        factor *= 2
        counts, sampled_views = measure([view.refined(factor) for view in views], request, width / factor)
    masks = tuple(Mask.of(sampled) for sampled in sampled_views) if keep else ()
    return Observation(sight, tuple(blockers), counts, width / factor, masks)


def _arcs_that_matter(arcs: tuple[VisionArc, ...] | None, box: Floats) -> list[VisionArc] | None:
    """The arcs that the target's box, (8, 3) corners, may reach into; None where all of it lies in one of them."""
    if arcs is None or any(arc.contains(box).all() for arc in arcs):
        return None
    return [arc for arc in arcs if not arc.misses(box)]


def _in_the_way(sight: Sight, views: Sequence[View], outer: Floats, farthest: float) -> tuple[list[Piece], list[Body]]:
    """The pieces that reach into the picture before the target, whose outermost points are given, and their bodies.

    The box of each is tried first, for all at once; then whether a line in the picture parts its hull from the
    target's.
    """
    occluders = sight.occluders
    reaches: Flags = np.zeros(len(occluders.pieces), dtype=np.bool_)
    for view in views:
        reaches |= in_view(view, occluders.boxes, farthest)
    reaches[list(sight.absent)] = False
    blockers, bodies = list[Piece](), list[Body]()
    reach = picture_bounds(views[0], outer)
    for number in np.flatnonzero(reaches):
        piece, mesh = occluders.pieces[number], occluders.meshes[number]
        if len(views) > 1 or not disjoint(reach, picture_bounds(views[0], piece.pose.place(bounding_points(mesh)))):
            blockers.append(piece)
            bodies.append(Body(len(bodies) + 2, mesh, piece.pose))
    return blockers, bodies


def _is_undecided(counts: OcclusionCounts, thresholds: Sequence[float], tolerance: float) -> bool:
    """Whether a share's error, but not the tolerance, reaches a threshold that the share is not exactly at."""
    if counts.in_arc == 0:
        return False
    shares = [(counts.occluded / counts.total, counts.error)]
    shares += [(counts.occluded_in_arc / counts.in_arc, counts.error_in_arc)]
    return any(tolerance < abs(share - at) <= error for share, error in shares for at in thresholds)
