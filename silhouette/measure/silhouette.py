"""COUNT, last third: how much of a target is obscured, by what, and how sure that is.

views -> coarse surveys -> finer, where an answer hangs on outlines -> nothing seen, or nothing obscured? search
-> Silhouette: counts, shares, errors
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats
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
"""An error that is small enough is made smaller all the same within so many errors of a share at which the verdict
changes."""

SAFELY = 0.9
"""What following an outline will leave is foreseen, and comes out a little different."""

FOLLOWED_TO = 2
"""Pixels: so wide are the blocks to which outlines are followed, if they are followed at all."""

MANY = 1000
"""So many blocks of the coarse grid tell the size of a target well enough, where no share hangs on it."""

COARSE_ERROR = 0.0075
"""A smaller error than this is hardly ever reached without following outlines, and not tried."""

FOLLOWED = 1.0 / 8.0
"""What is left of the variance along an outline that is followed in steps half as long: the cube of the step."""

FEW = 32
"""Where so few pixels are seen, or obscured, that it hangs on them, they are looked at again in exact arithmetic."""


@dataclass(frozen=True, eq=False)
class OcclusionCounts:
    """The measured outline of a target: integer counts, and how far the shares may be off.

    Attributes:
        total: pixels of the target alone; right within a hundredth or two, of what is no thinner than a pixel.
        occluded: those before which something is.
        in_arc: those in the vision arc.
        occluded_in_arc: those in the arc and occluded.
        nearest: for each blocker asked about, the pixels at which it is the nearest thing in the way.
        alone: the pixels that it would obscure with nothing else on the table.
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
        """Pixels in the vision arc before which nothing is."""
        return self.in_arc - self.occluded_in_arc


def measure(views: Sequence[View], request: SampleRequest, pixel: float) -> tuple[OcclusionCounts, list[SampledView]]:
    """Counts the target's pixels in the views, which together show it once, and those that are obscured.

    Beside the counts it gives the sampled views, one for each view, in which they were counted.

    Args:
        views: one flat picture, or the faces of a cube.
        request: the target, what may stand before it, the arcs, and the renderer.
        pixel: the width of a pixel at the target, mm.
    """
    sampled_views = [sample_coarsely(view, request, pixel) for view in views]
    settled = _settled_coarsely(sampled_views[0], request) if len(sampled_views) == 1 else None
    if settled is not None:
        return settled, sampled_views
    sampled_views = [refine(one, request, FOLLOWED_TO) for one in sampled_views]
    silhouette, classified = _counted(sampled_views, request)
    contours = _contours_to_follow(silhouette, classified, request)
    if contours is not None:
        unfollowed = _unfollowed(_variance(classified), contours)
        sampled_views = [refine(one, request, 1, contours) for one in sampled_views]
        silhouette, classified = _counted(sampled_views, request, unfollowed)
    if silhouette.seen == 0 and (request.arcs is None or len(request.arcs)):
        sampled_views = [search_for_seen(one, request) for one in sampled_views]
        sampled_views = _contours_searched(sampled_views, classified, request, lambda samples: samples.seen)
    if silhouette.occluded == 0 and request.blockers:
        sampled_views = [search_for_occluded(one, request) for one in sampled_views]
        sampled_views = _contours_searched(sampled_views, classified, request, lambda samples: samples.occluded)
    if any(new is not old for new, old in zip(sampled_views, (kind.sampled for kind in classified), strict=True)):
        silhouette, _ = _counted(sampled_views, request)
    if 0 < silhouette.seen <= FEW or 0 < silhouette.occluded <= FEW:
        sampled_views = [_confirmed(one, request) for one in sampled_views]
        silhouette, _ = _counted(sampled_views, request)
    return silhouette, sampled_views


def _settled_coarsely(one: SampledView, request: SampleRequest) -> OcclusionCounts | None:
    """The silhouette where the coarse grid is enough, and no outline need be followed; None where one may have to be.

    It is where nothing can stand before a target that is not small; and where a part is obscured and the error is small
    enough for whoever asked. Where the arc's edge may cut the target, its outline is always followed, and where all
    of it or nothing seems to be obscured: something else may show near its outline.
    """
    samples = one.samples
    total, occluded, in_arc = (one.count(flags) for flags in (samples.target, samples.occluded, samples.in_arc))
    if one.block <= FOLLOWED_TO or request.arcs or total < MANY * one.block**2:
        return None
    if not request.blockers:
        return OcclusionCounts(total, 0, in_arc, 0, (), (), 0.0, 0.0 if in_arc else 1.0, 0.0)
    if occluded in (0, total) or request.error_goal < COARSE_ERROR or shows_thin_parts(one):
        return None
    silhouette, _ = _counted([one], request)
    if silhouette.error > request.error_goal or (in_arc and _near_threshold(silhouette, request)):
        return None
    return silhouette


def _contours_to_follow(
    silhouette: OcclusionCounts, classified: Sequence[_Classified], request: SampleRequest
) -> Contours | None:
    """Which outlines to follow down to single pixels, since the answer may hang on them; None where it does not.

    Where all of the target is seen, or all of it obscured, the share is exactly nothing or all, whatever the outline.
    Else the division of the two parts weighs most, and of the rims the one round the smaller part.
    """
    coarse = [one.sampled for one in classified if one.sampled.block > 1]
    if len(classified) > 1:  # the faces of a cube have few pixels each
        return ALL_CONTOURS if coarse else None
    if not coarse or max(silhouette.error, silhouette.error_seen) == 0.0:
        return None
    if shows_thin_parts(coarse[0]):
        return ALL_CONTOURS
    if silhouette.in_arc and (silhouette.in_arc < silhouette.total or _near_threshold(silhouette, request)):
        return ALL_CONTOURS
    if silhouette.error <= request.error_goal:
        return None
    variance = _variance(classified)
    one_contour = [Contours(occluded=False), Contours(seen=False)]
    if 2 * silhouette.occluded < silhouette.total:
        one_contour.reverse()
    for contours in (Contours(seen=False, occluded=False), *one_contour):
        left = (variance * FOLLOWED).overridden_by(_unfollowed(variance, contours))
        if left.share_error(silhouette.occluded, silhouette.total) <= SAFELY * request.error_goal:
            return contours
    return ALL_CONTOURS


def _near_threshold(silhouette: OcclusionCounts, request: SampleRequest) -> bool:
    """Whether the share obscured, or the share seen, is so near to a threshold that a smaller error may tell."""
    shares = [(silhouette.occluded, silhouette.error), (silhouette.total - silhouette.seen, silhouette.error_seen)]
    return any(
        abs(part / silhouette.total - threshold) <= NEAR * error
        for part, error in shares
        for threshold in request.thresholds
        if error > 0.0
    )


def _unfollowed(variance: ContourVariance, contours: Contours) -> ContourVariance:
    """Of the variance along coarse outlines, what stays when these rims, and the division, are followed on."""
    return ContourVariance(
        variance.seen_contour * (not contours.seen), variance.occluded_contour * (not contours.occluded), 0.0
    )


def _confirmed(one: SampledView, request: SampleRequest) -> SampledView:
    """The survey with the few samples on which everything hangs taken again, in float64."""
    samples, used = one.samples, one.weight > 0
    doubtful = np.zeros(len(used), dtype=np.bool_)
    for flags in (samples.seen & used, samples.occluded & used):
        if one.count(flags) <= FEW:
            doubtful |= flags
    again = sample(one.view, replace(request, renderer=ReferenceRenderer()), samples.places[doubtful])
    number = np.arange(len(used), dtype=np.int32)
    number[doubtful] = len(used) + np.arange(int(doubtful.sum()), dtype=np.int32)
    weight = np.concatenate([np.where(doubtful, 0, one.weight), one.weight[doubtful]])
    return SampledView(one.view, Samples.concatenated([samples, again]), one.block, number[one.index], weight)


@dataclass(frozen=True, eq=False)
class _Classified:
    """A survey with its image of kinds, and the pairs of places between which target and blocker end together."""

    sampled: SampledView
    kinds: NDArray[np.uint8]
    inside: Floats
    outside: Floats

    @cached_property
    def variance(self) -> ContourVariance:
        """Along its outlines, in pixels squared; none where all is seen, and no share hangs on them."""
        if self.kinds.max() <= SEEN:
            return NO_VARIANCE
        return contour_variance(self.kinds) * self.sampled.block**4


def _counted(
    sampled_views: Sequence[SampledView], request: SampleRequest, unfollowed: ContourVariance = NO_VARIANCE
) -> tuple[OcclusionCounts, list[_Classified]]:
    """The silhouette in the surveys as they are; along rims left as coarse as they were, the variance is as it was."""
    classified = [_classified(one, request) for one in sampled_views]
    variance = _variance(classified).overridden_by(unfollowed)
    total = occluded = in_arc = occluded_in_arc = 0
    nearest = np.zeros(len(request.blockers), np.int64)
    alone = np.zeros(len(request.blockers), np.int64)
    for one in sampled_views:
        samples = one.samples
        total += one.count(samples.target)
        occluded += one.count(samples.occluded)
        in_arc += one.count(samples.in_arc)
        occluded_in_arc += one.count(samples.in_arc & samples.occluded)
        nearest += one.tally(samples.nearest + 1, len(nearest) + 1)[1:]
        alone += np.array([one.count(blocked) for blocked in samples.blocked], dtype=np.int64)
    error = variance.share_error(occluded, total)
    error_in_arc = error_seen = error
    if in_arc < total:
        error_in_arc, error_seen = _arc_errors(classified, (total, in_arc, occluded_in_arc))
    silhouette = OcclusionCounts(
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
    return silhouette, classified


def _variance(classified: Sequence[_Classified]) -> ContourVariance:
    """Along all outlines, in pixels squared."""
    return sum((one.variance for one in classified), NO_VARIANCE)


def _arc_errors(classified: Sequence[_Classified], counts: tuple[int, int, int]) -> tuple[float, float]:
    """Errors of the share occluded in the arc, and of the share seen, where the arc cuts the target."""
    total, in_arc, occluded_in_arc = counts
    if in_arc == 0:
        return 1.0, 0.0
    within = unseen = NO_VARIANCE
    for one in classified:
        samples = one.sampled.samples
        inside = one.sampled.mask(samples.in_arc)
        kinds = np.where(inside | (one.kinds == OUTSIDE_BLOCKED), one.kinds, 0).astype(np.uint8)
        within += contour_variance(kinds) * one.sampled.block**4
        beyond = one.sampled.mask(samples.target & ~samples.in_arc)
        kinds = np.where(beyond, OCCLUDED, one.kinds).astype(np.uint8)
        unseen += contour_variance(kinds) * one.sampled.block**4
    return within.share_error(occluded_in_arc, in_arc), unseen.share_error(total - in_arc + occluded_in_arc, total)


def _classified(one: SampledView, request: SampleRequest) -> _Classified:
    """What each pixel is; beside the target also whether a blocker goes on there, before the target's surface."""
    samples = one.samples
    kinds = one.mask(np.where(samples.occluded, OCCLUDED, samples.target * np.uint8(SEEN)).astype(np.uint8))
    if not request.blockers:
        return _Classified(one, kinds, np.empty((0, 2)), np.empty((0, 2)))
    inside, outside = contour(kinds > 0)
    within, beside = one.index.take(inside), one.index.take(outside)
    occluded, blocked = samples.occluded[within], samples.background_blocked[beside]
    asked = np.flatnonzero(blocked & ~occluded)
    inner, outer = samples.places[within], samples.places[beside]
    if len(asked):
        blocked[asked] = _extends_before_target(
            one.view, request, inner[asked], outer[asked], samples.depth[within[asked]]
        )
    kinds.ravel()[outside[blocked]] = OUTSIDE_BLOCKED
    together = blocked != occluded
    return _Classified(one, kinds, inner[together], outer[together])


def _extends_before_target(
    view: View, request: SampleRequest, inside: Floats, outside: Floats, depth: NDArray[np.float32]
) -> Flags:
    """Whether a blocker, met at places (n, 2) outside the target's outline, lies before the target's surface.

    The floor under a boot is met just below the boot, nearer than the boot: but carried on, in its own plane, it
    lies behind the boot, and its outline is nowhere near. In a flat picture the inverse of the depth of a plane
    changes evenly, so two places on the blocker tell where the third would be: the one ``inside`` the outline, of
    which the target's ``depth`` (n,) is known.
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
    """The surveys, searched at the places of the rim at which target and blocker end together."""
    pairs = zip(sampled_views, classified, strict=True)
    return [search_contour(one, kind.inside, kind.outside, request, wanted) for one, kind in pairs]
