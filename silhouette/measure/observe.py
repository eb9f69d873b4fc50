"""COUNT, the entry: `observe` turns a Sight, which the rules describe, into an Observation: counts, errors, masks.

Sight                      View                    Mask                       Observation
who looks at whom,         a picture fitted to     the kind of each pixel     the evidence of a verdict
from where, past what      the target
                           +-----------+           . . . . . .  NOTHING       sight     the Sight itself
   eye                     |    ___    |           . . S S . .  SEEN          blockers  (crate, wall)
    o---> wall -> target   |   |   |   |           . . S S . .                counts    total 8, occluded 4, ...
                           |  =|===|=  |           . . b b . .  OBSCURED,     pixel     0.1 mm
                           |  =|===|=  |           . . b b . .  by blocker b  masks     (Mask,), or six of them
                           +-----------+           . . . . . .                          round the eye, or none

Sight -> fit_view -> occluders that reach into the picture -> `measure` -> counts and sampled views -> Observation
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats
from silhouette.lazy import cached_property
from silhouette.measure.culling import disjoint, in_view, picture_bounds
from silhouette.measure.refine import SampledView
from silhouette.measure.samples import ERROR_GOAL, SampleRequest
from silhouette.measure.silhouette import OcclusionCounts, measure
from silhouette.meshes.bounds import bounding_points, tighter_points
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Renderer
from silhouette.scenes.table import Occluders, Piece
from silhouette.views import Projection, View, VisionArc, fit_view, projection_of, target_distance

FINEST = 4
"""The largest factor by which a picture is taken finer, where the error of a share reaches across a threshold."""

NOTHING, SEEN, OBSCURED, OUTSIDE = 0, 1, 2, 3
"""Kinds of pixel in a `Mask`: no target; target that is seen; obscured; not obscured, but outside the vision arcs."""


@dataclass(frozen=True, eq=False)
class Sight:
    """Who looks at whom, and past what: everything that the rules decide before the measurement.

    The measurement reads ``target``, ``eye``, ``facing``, ``arcs``, ``occluders`` and ``absent``. The other attributes
    say how the figures show the pieces that are not measured.

    Attributes:
        attacker: the piece that looks.
        target: the piece that is looked at; its significant parts are measured.
        eye: (3,) mm, world: where the attacker looks from.
        facing: degrees anticlockwise from +x: the upward direction of the picture where the target is straight above
            or below the eye, and the viewing direction where the middle of the target is at the eye.
        arcs: the vision arcs, of which one at least must contain a point for it to be seen; none where the attacker
            looks into a blind spot; None where no arc limits its sight.
        occluders: the pieces that may block, each with the part of it that blocks.
        absent: positions in ``occluders`` of the pieces that do not block after all: the attacker, the target, and
            those that the rules disregard. All others block where they stand before the target.
        disregarded: pieces that the rules disregard; figures show them as veils.
        left_out: pieces that the rules disregard and that figures from the eye leave out, since they are so near to
            the eye that they would hide everything else.
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

    def past(self, numbers: Sequence[int]) -> Sight:
        """The sight with these occluders only.

        Args:
            numbers: positions in ``occluders``; each of them blocks, even if it is ``absent`` from this sight.
        """
        pieces = tuple(self.occluders.pieces[number] for number in numbers)
        meshes = tuple(self.occluders.meshes[number] for number in numbers)
        return replace(self, occluders=Occluders(pieces, meshes, self.occluders.boxes[list(numbers)]), absent=())

    @cached_property
    def present(self) -> list[tuple[Piece, Mesh]]:
        """The occluders that are not absent, each with the part of it that blocks."""
        absent = set(self.absent)
        pairs = zip(self.occluders.pieces, self.occluders.meshes, strict=True)
        return [pair for number, pair in enumerate(pairs) if number not in absent]

    @cached_property
    def uncounted(self) -> list[tuple[Piece, Mesh]]:
        """The parts of the present occluders that do not block, such as bases, each with its piece."""
        return [(piece, piece.model.ignored) for piece, mesh in self.present if mesh is not piece.model.mesh]


@dataclass(frozen=True, eq=False)
class Mask:
    """The pixels of one picture, as they were counted; all images are (height, width), row 0 at the top.

    Attributes:
        view: the picture: its eye, axes and pixels.
        kinds: uint8, NOTHING, SEEN, OBSCURED or OUTSIDE.
        blocker: int32, where OBSCURED the position in `Observation.blockers` of the nearest blocker; else -1.
    """

    view: View
    kinds: NDArray[np.uint8]
    blocker: NDArray[np.int32]

    @classmethod
    def of(cls, sampled: SampledView) -> Mask:
        """The mask of a sampled view: each pixel has the kind of the sample that was counted for it."""
        samples = sampled.samples
        free = np.where(samples.in_arc, SEEN, np.where(samples.target, OUTSIDE, NOTHING))
        kinds = np.where(samples.occluded, OBSCURED, free).astype(np.uint8)
        return cls(sampled.view, sampled.pixels(kinds), sampled.pixels(samples.nearest))


@dataclass(frozen=True, eq=False)
class Observation:
    """The result of a measurement, and the evidence of a verdict.

    Attributes:
        sight: what was measured.
        blockers: the occluders that may stand before the target in the picture, in the order of the sight; whether
            one obscures any of it, ``counts.alone`` says.
        counts: numbers of pixels and the errors of their shares; ``counts.nearest`` and ``counts.alone`` have an entry
            for each of ``blockers``.
        pixel: mm per pixel at the target, as measured.
        projection: "flat" where one picture was taken, "cube" where the target reaches round the eye.
        masks: the pixels that were counted: one picture, or the six faces of a cube round the eye; the pixels of all
            of them together are those of ``counts``. Empty where they were not kept.
    """

    sight: Sight
    blockers: tuple[Piece, ...]
    counts: OcclusionCounts
    pixel: float
    projection: Projection
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
    """Measures how much of the target is obscured, seen from the eye.

    The picture is taken two times finer, and then up to `FINEST` times, as long as a share is within its error of a
    threshold, and farther than the tolerance from it.

    Args:
        sight: who looks at whom, past what.
        renderer: renders the target and its blockers.
        pixel: mm per pixel at the target.
        thresholds: obscured shares, from 0 to 1, at which a verdict changes; 0 and 1 are always among them.
        tolerance: a share nearer than this to a threshold is too close to call, however well it is measured.
        error_goal: the error, as a share, that is small enough where no threshold is near; `ERROR_GOAL` by default.
        keep: whether the observation keeps its masks.
    """
    target, body, place = sight.target, sight.target.model.significant, sight.target.pose.place
    box, outer = target.body_box, place(bounding_points(body))
    aim = target.body_middle
    views = fit_view(
        sight.eye,
        aim,
        outer,
        pixel,
        facing=sight.facing,
        tighter=lambda fits: place(tighter_points(body, lambda points: fits(place(points)))),
    )
    farthest = float(np.linalg.norm(box - sight.eye, axis=1).max())
    blockers, bodies = _blockers_in(sight, views, outer, farthest)
    request = SampleRequest(
        Body(1, body, target.pose),
        bodies,
        _arcs_that_matter(sight.arcs, box),
        renderer,
        farthest,
        tuple(sorted({0.0, 1.0, *thresholds})),
        error_goal or ERROR_GOAL,
    )
    # A very large or small target has coarser or finer pixels than asked for; a rounding difference is ignored.
    projection = projection_of(views)
    width = views[0].step * (
        float(np.linalg.norm(aim - sight.eye)) if projection == "flat" else target_distance(sight.eye, aim, box)
    )
    width = pixel if abs(width - pixel) <= 1e-9 * pixel else width
    counts, sampled_views = measure(views, request, width)
    # A share that is too close to a threshold stays so on a finer grid; one that is only uncertain may be decided.
    factor = 1
    while factor < FINEST and _is_undecided(counts, thresholds, tolerance):
        factor *= 2
        counts, sampled_views = measure([view.refined(factor) for view in views], request, width / factor)
    masks = tuple(Mask.of(sampled) for sampled in sampled_views) if keep else ()
    return Observation(sight, tuple(blockers), counts, width / factor, projection, masks)


def _arcs_that_matter(arcs: tuple[VisionArc, ...] | None, box: Floats) -> list[VisionArc] | None:
    """The arcs that a box, of which (8, 3) are the corners, may reach into; None where one arc contains all of it."""
    if arcs is None or any(arc.contains(box).all() for arc in arcs):
        return None
    return [arc for arc in arcs if not arc.misses(box)]


def _blockers_in(sight: Sight, views: Sequence[View], outer: Floats, farthest: float) -> tuple[list[Piece], list[Body]]:
    """The pieces that may stand before the target in the picture, and their bodies, with ids from 2 upwards.

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
    blockers, bodies = list[Piece](), list[Body]()
    target_bounds = picture_bounds(views[0], outer)
    for number in np.flatnonzero(reaches):
        piece, mesh = occluders.pieces[number], occluders.meshes[number]
        if len(views) > 1 or not disjoint(
            target_bounds, picture_bounds(views[0], piece.pose.place(bounding_points(mesh)))
        ):
            blockers.append(piece)
            bodies.append(Body(len(bodies) + 2, mesh, piece.pose))
    return blockers, bodies


def _is_undecided(counts: OcclusionCounts, thresholds: Sequence[float], tolerance: float) -> bool:
    """Whether a finer picture may decide: a share is within its error of a threshold, and not within the tolerance."""
    if counts.in_arc == 0:
        return False
    shares = [(counts.occluded / counts.total, counts.error)]
    shares += [(counts.occluded_in_arc / counts.in_arc, counts.error_in_arc)]
    return any(tolerance < abs(share - threshold) <= error for share, error in shares for threshold in thresholds)
