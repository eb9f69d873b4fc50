"""COUNT, last step: the share of a target that is occluded, the bodies that occlude it, and the error of the share.

views -> coarse samples -> refined, where a verdict depends on contours -> nothing seen, or nothing occluded? search
-> OcclusionCounts: counts, shares, errors
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats
from silhouette.lazy import cached_property
from silhouette.measure.error import (
    NO_VARIANCE,
    OCCLUDED,
    OUTSIDE_BLOCKED,
    SEEN,
    ContourVariance,
    contour,
    contour_variance,
)
from silhouette.measure.refine import ALL_CONTOURS, Contours, SampledView, refine, sample_coarsely, shows_thin_parts
from silhouette.measure.samples import SampleRequest, Samples, sample
from silhouette.measure.search import search_contour, search_for_occluded, search_for_seen
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.views import View

NEAR = 3.0
"""An error that meets the goal is made smaller all the same where the share is less than this many errors away from a
threshold."""

SAFELY = 0.9
"""The error that following some contours will leave is estimated beforehand; the estimate has to meet this share of the
goal, since the outcome differs a little."""

FOLLOWED_TO = 2
"""The width, in pixels, of the blocks in which all contours are followed before it is known which matter."""

MANY = 1000
"""A target of at least this many coarse blocks is counted well enough in them, where no share depends on its size."""

COARSE_ERROR = 0.0075
"""A goal below this is hardly ever met by the coarse grid, which is then not tried."""

FOLLOWED = 1.0 / 8.0
"""The share of the variance along a contour that is left when it is followed in blocks half as wide: runs half as long
in pixels half as wide."""

FEW = 32
"""Up to this many pixels, seen or occluded, on which alone a verdict rests, are sampled again in float64."""


@dataclass(frozen=True, eq=False)
class OcclusionCounts:
    """The counts of a target's pixels, of those that are occluded and by what, and the errors of the shares.

    Attributes:
        total: pixels of the target alone; within a hundredth or two of its true area, where it is no thinner than one.
        occluded: pixels of the target with a blocker before them.
        in_arc: pixels of the target in a vision arc.
        occluded_in_arc: pixels of the target in a vision arc with a blocker before them.
        nearest: for each blocker of the request, the pixels at which it is the nearest one before the target.
        alone: for each blocker of the request, the pixels that it would occlude with nothing else on the table.
        error: the true share occluded lies within ``occluded / total`` ± this.
        error_in_arc: the same for ``occluded_in_arc / in_arc``.
        error_seen: the same for ``seen / total``.
    """

    total: int
    occluded: int
    in_arc: int
    occluded_in_arc: int
    nearest: tuple[int, ...]
    alone: tuple[int, ...]
    error: float
    error_in_arc: float
    error_seen: float

    @property
    def seen(self) -> int:
        """Pixels of the target in a vision arc without a blocker before them."""
        return self.in_arc - self.occluded_in_arc


def measure(views: Sequence[View], request: SampleRequest, pixel: float) -> tuple[OcclusionCounts, list[SampledView]]:
    """Counts the target's pixels in the views, which together show it once, and those that are occluded.

    Args:
        views: one flat picture, or the faces of a cube.
        request: the target, what may stand before it, the arcs, and the renderer.
        pixel: the width of a pixel at the target, mm.

    Returns:
        The counts, and the sampled views, one for each view, in which they were counted.
    """
    sampled_views = [sample_coarsely(view, request, pixel) for view in views]
    settled = _settled_coarsely(sampled_views[0], request) if len(sampled_views) == 1 else None
    if settled is not None:
        return settled, sampled_views
    sampled_views = [refine(sampled, request, FOLLOWED_TO) for sampled in sampled_views]
    counts, classified = _counted(sampled_views, request)
    contours = _contours_to_follow(counts, classified, request)
    if contours is not None:
        unfollowed = _unfollowed(_variance(classified), contours)
        sampled_views = [refine(sampled, request, 1, contours) for sampled in sampled_views]
        counts, classified = _counted(sampled_views, request, unfollowed)
    if counts.seen == 0 and (request.arcs is None or len(request.arcs)):
        sampled_views = [search_for_seen(sampled, request) for sampled in sampled_views]
        sampled_views = _contours_searched(sampled_views, classified, request, lambda samples: samples.seen)
    if counts.occluded == 0 and request.blockers:
        sampled_views = [search_for_occluded(sampled, request) for sampled in sampled_views]
        sampled_views = _contours_searched(sampled_views, classified, request, lambda samples: samples.occluded)
    before = [view_kinds.sampled for view_kinds in classified]
    if any(new is not old for new, old in zip(sampled_views, before, strict=True)):
        counts, _ = _counted(sampled_views, request)
    if 0 < counts.seen <= FEW or 0 < counts.occluded <= FEW:
        sampled_views = [_confirmed(sampled, request) for sampled in sampled_views]
        counts, _ = _counted(sampled_views, request)
    return counts, sampled_views


def _settled_coarsely(sampled: SampledView, request: SampleRequest) -> OcclusionCounts | None:
    """The counts where the coarse grid is enough, and no contour has to be followed; None where one may have to be.

    It is enough where nothing can stand before a target that is not small, and where a part of the target is occluded
    with an error that meets the goal. Contours are always followed where the edge of an arc may cut the target, and
    where all of it or nothing seems to be occluded: near its contour the opposite may be true.
    """
    samples = sampled.samples
    total, occluded, in_arc = (sampled.count(flags) for flags in (samples.target, samples.occluded, samples.in_arc))
    if sampled.block <= FOLLOWED_TO or request.arcs or total < MANY * sampled.block**2:
        return None
    if not request.blockers:
        return OcclusionCounts(total, 0, in_arc, 0, (), (), 0.0, 0.0 if in_arc else 1.0, 0.0)
    if occluded in (0, total) or request.error_goal < COARSE_ERROR or shows_thin_parts(sampled):
        return None
    counts, _ = _counted([sampled], request)
    if counts.error > request.error_goal or (in_arc and _near_threshold(counts, request)):
        return None
    return counts


def _contours_to_follow(
    counts: OcclusionCounts, classified: Sequence[_Classified], request: SampleRequest
) -> Contours | None:
    """The contours to follow down to single pixels, since the verdict may depend on them; None where it does not.

    Where all of the target is seen, or all of it occluded, the share is exactly none or all, whatever its contour.
    Elsewhere the division of the two parts weighs most, and of the contours the one round the smaller part.
    """
    coarse = [view_kinds.sampled for view_kinds in classified if view_kinds.sampled.block > 1]
    if len(classified) > 1:  # a cube's faces have few pixels each: following all of their contours costs little
        return ALL_CONTOURS if coarse else None
    if not coarse or max(counts.error, counts.error_seen) == 0.0:
        return None
    if shows_thin_parts(coarse[0]):
        return ALL_CONTOURS
    if counts.in_arc and (counts.in_arc < counts.total or _near_threshold(counts, request)):
        return ALL_CONTOURS
    if counts.error <= request.error_goal:
        return None
    variance = _variance(classified)
    one_contour = [Contours(occluded=False), Contours(seen=False)]
    if 2 * counts.occluded < counts.total:
        one_contour.reverse()
    for contours in (Contours(seen=False, occluded=False), *one_contour):
        left = (variance * FOLLOWED).overridden_by(_unfollowed(variance, contours))
        if left.share_error(counts.occluded, counts.total) <= SAFELY * request.error_goal:
            return contours
    return ALL_CONTOURS


def _near_threshold(counts: OcclusionCounts, request: SampleRequest) -> bool:
    """Whether the share occluded, or the share seen, is so near to a threshold that a smaller error may settle it."""
    shares = [(counts.occluded, counts.error), (counts.total - counts.seen, counts.error_seen)]
    return any(
        abs(part / counts.total - threshold) <= NEAR * error
        for part, error in shares
        for threshold in request.thresholds
        if error > 0.0
    )


def _unfollowed(variance: ContourVariance, contours: Contours) -> ContourVariance:
    """The variance along those contours that stay coarse when these ones, and the division, are followed."""
    return ContourVariance(
        variance.seen_contour * (not contours.seen), variance.occluded_contour * (not contours.occluded), 0.0
    )


def _confirmed(sampled: SampledView, request: SampleRequest) -> SampledView:
    """The view with those few samples taken again, in float64, that alone show something seen or occluded."""
    samples, used = sampled.samples, sampled.weight > 0
    doubtful = np.zeros(len(used), dtype=np.bool_)
    for flags in (samples.seen & used, samples.occluded & used):
        if sampled.count(flags) <= FEW:
            doubtful |= flags
    again = sample(sampled.view, replace(request, renderer=ReferenceRenderer()), samples.places[doubtful])
    number = np.arange(len(used), dtype=np.int32)
    number[doubtful] = len(used) + np.arange(int(doubtful.sum()), dtype=np.int32)
    weight = np.concatenate([np.where(doubtful, 0, sampled.weight), sampled.weight[doubtful]])
    return SampledView(
        sampled.view, Samples.concatenated([samples, again]), sampled.block, number[sampled.index], weight
    )


@dataclass(frozen=True, eq=False)
class _Classified:
    """A sampled view, the kinds of its pixels, and where on its contour the target and a blocker end together.

    Attributes:
        sampled: the view.
        kinds: (height, width), in blocks, as in `silhouette.measure.error`.
        inside, outside: (n, 2) the places of the two samples between which both end.
    """

    sampled: SampledView
    kinds: NDArray[np.uint8]
    inside: Floats
    outside: Floats

    @cached_property
    def variance(self) -> ContourVariance:
        """The variance along its contours, in pixels squared; none where all is seen: no share depends on it."""
        if self.kinds.max() <= SEEN:
            return NO_VARIANCE
        return contour_variance(self.kinds) * self.sampled.block**4


def _counted(
    sampled_views: Sequence[SampledView], request: SampleRequest, unfollowed: ContourVariance = NO_VARIANCE
) -> tuple[OcclusionCounts, list[_Classified]]:
    """The counts in the views as they are sampled, and the variance along contours that were not followed further."""
    classified = [_classified(sampled, request) for sampled in sampled_views]
    variance = _variance(classified).overridden_by(unfollowed)
    total = occluded = in_arc = occluded_in_arc = 0
    nearest = np.zeros(len(request.blockers), np.int64)
    alone = np.zeros(len(request.blockers), np.int64)
    for sampled in sampled_views:
        samples = sampled.samples
        total += sampled.count(samples.target)
        occluded += sampled.count(samples.occluded)
        in_arc += sampled.count(samples.in_arc)
        occluded_in_arc += sampled.count(samples.in_arc & samples.occluded)
        nearest += sampled.tally(samples.nearest + 1, len(nearest) + 1)[1:]
        alone += np.array([sampled.count(blocked) for blocked in samples.blocked], dtype=np.int64)
    error = variance.share_error(occluded, total)
    error_in_arc = error_seen = error
    if in_arc < total:
        error_in_arc, error_seen = _arc_errors(classified, (total, in_arc, occluded_in_arc))
    counts = OcclusionCounts(
        total,
        occluded,
        in_arc,
        occluded_in_arc,
        tuple(nearest.tolist()),
        tuple(alone.tolist()),
        error,
        error_in_arc,
        error_seen,
    )
    return counts, classified


def _variance(classified: Sequence[_Classified]) -> ContourVariance:
    """The variance along the contours of all views, in pixels squared."""
    return sum((view_kinds.variance for view_kinds in classified), NO_VARIANCE)


def _arc_errors(classified: Sequence[_Classified], counts: tuple[int, int, int]) -> tuple[float, float]:
    """Errors of the share occluded in the arc, and of the share seen, where the arc cuts the target."""
    total, in_arc, occluded_in_arc = counts
    if in_arc == 0:
        return 1.0, 0.0
    within = unseen = NO_VARIANCE
    for view_kinds in classified:
        samples = view_kinds.sampled.samples
        inside = view_kinds.sampled.mask(samples.in_arc)
        kinds = np.where(inside | (view_kinds.kinds == OUTSIDE_BLOCKED), view_kinds.kinds, 0).astype(np.uint8)
        within += contour_variance(kinds) * view_kinds.sampled.block**4
        beyond = view_kinds.sampled.mask(samples.target & ~samples.in_arc)
        kinds = np.where(beyond, OCCLUDED, view_kinds.kinds).astype(np.uint8)
        unseen += contour_variance(kinds) * view_kinds.sampled.block**4
    return within.share_error(occluded_in_arc, in_arc), unseen.share_error(total - in_arc + occluded_in_arc, total)


def _classified(sampled: SampledView, request: SampleRequest) -> _Classified:
    """The kind of each pixel; next to the target also whether a blocker continues there before the target's surface."""
    samples = sampled.samples
    kinds = sampled.mask(np.where(samples.occluded, OCCLUDED, samples.target * np.uint8(SEEN)).astype(np.uint8))
    if not request.blockers:
        return _Classified(sampled, kinds, np.empty((0, 2)), np.empty((0, 2)))
    inside, outside = contour(kinds > 0)
    within, around = sampled.index.take(inside), sampled.index.take(outside)
    occluded, blocked = samples.occluded[within], samples.background_blocked[around]
    undecided = np.flatnonzero(blocked & ~occluded)
    inner, outer = samples.places[within], samples.places[around]
    if len(undecided):
        blocked[undecided] = _extends_before_target(
            sampled.view, request, inner[undecided], outer[undecided], samples.depth[within[undecided]]
        )
    kinds.ravel()[outside[blocked]] = OUTSIDE_BLOCKED
    together = blocked != occluded
    return _Classified(sampled, kinds, inner[together], outer[together])


def _extends_before_target(
    view: View, request: SampleRequest, inside: Floats, outside: Floats, depth: NDArray[np.float32]
) -> Flags:
    """(n,) whether a blocker that is met outside the target's contour would, continued, lie before its surface.

    The floor under a boot is met just below the boot, nearer than the boot. But continued in its own plane it lies
    behind the boot: the floor has no contour there, and leaves no doubt whether the boot is occluded.

              boot    |           In a flat picture the inverse of the depth of a plane changes evenly, so that the two
             inside   x           depths at `outside` and at `beyond`, one step further, give the one that the plane has
        ~~~~~~outside~o~~~~~~     at `inside`:
              beyond  o floor     1 / there = 2 / met - 1 / beyond; it lies before the target where 1 / there is larger

    Args:
        view: the picture.
        request: names the blockers.
        inside, outside: (n, 2) places of neighbouring samples on the target and next to it.
        depth: (n,) of the target at ``inside``.
    """
    extends = np.zeros(len(inside), dtype=np.bool_)
    places = np.concatenate([outside, 2 * outside - inside])
    for blocker in request.blockers:
        layer = request.renderer.render(view, [blocker], places)
        met, beyond = np.split(layer.depth.astype(np.float64), 2)
        extends |= (met < depth) & ((2.0 / met - 1.0 / beyond) * depth > 1.0 + 1e-6)
    return extends


def _contours_searched(
    sampled_views: Sequence[SampledView],
    classified: Sequence[_Classified],
    request: SampleRequest,
    wanted: Callable[[Samples], Flags],
) -> list[SampledView]:
    """The views, searched at those places of the contour at which the target and a blocker end together."""
    pairs = zip(sampled_views, classified, strict=True)
    return [
        search_contour(sampled, view_kinds.inside, view_kinds.outside, request, wanted) for sampled, view_kinds in pairs
    ]
