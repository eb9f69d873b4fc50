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
    OutlineVariance,
    outline_variance,
    rim,
)
from silhouette.measure.refine import ALL_RIMS, Rims, Survey, finer, shows_thin_parts, survey
from silhouette.measure.samples import Question, Samples, take
from silhouette.measure.search import occluded_searched, rim_searched, seen_searched
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
class Silhouette:
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


def measure(views: Sequence[View], question: Question, pixel: float) -> Silhouette:
    """Counts the target's pixels in the views, which together show it once, and those that are obscured.

    Args:
        views: one flat picture, or the faces of a cube.
        question: the target, what may stand before it, the arcs, and the renderer.
        pixel: the width of a pixel at the target, mm.
    """
    surveys = [survey(view, question, pixel) for view in views]
    settled = _settled_coarsely(surveys[0], question) if len(surveys) == 1 else None
    if settled is not None:
        return settled
    surveys = [finer(one, question, FOLLOWED_TO) for one in surveys]
    silhouette, classified = _counted(surveys, question)
    rims = _rims_to_follow(silhouette, classified, question)
    if rims is not None:
        unfollowed = _unfollowed(_variance(classified), rims)
        surveys = [finer(one, question, 1, rims) for one in surveys]
        silhouette, classified = _counted(surveys, question, unfollowed)
    if silhouette.seen == 0 and (question.arcs is None or len(question.arcs)):
        surveys = [seen_searched(one, question) for one in surveys]
        surveys = _rims_searched(surveys, classified, question, lambda samples: samples.seen)
    if silhouette.occluded == 0 and question.blockers:
        surveys = [occluded_searched(one, question) for one in surveys]
        surveys = _rims_searched(surveys, classified, question, lambda samples: samples.occluded)
    if any(new is not old for new, old in zip(surveys, (kind.survey for kind in classified), strict=True)):
        silhouette, _ = _counted(surveys, question)
    if 0 < silhouette.seen <= FEW or 0 < silhouette.occluded <= FEW:
        silhouette, _ = _counted([_confirmed(one, question) for one in surveys], question)
    return silhouette


def _settled_coarsely(one: Survey, question: Question) -> Silhouette | None:
    """The silhouette where the coarse grid is enough, and no outline need be followed; None where one may have to be.

    It is where nothing can stand before a target that is not small; and where a part is obscured and the error is small
    enough for whoever asked. Where the arc's edge may cut the target, its outline is always followed, and where all
    of it or nothing seems to be obscured: something else may show near its outline.
    """
    samples = one.samples
    total, occluded, in_arc = (one.count(flags) for flags in (samples.target, samples.occluded, samples.in_arc))
    if one.block <= FOLLOWED_TO or question.arcs or total < MANY * one.block**2:
        return None
    if not question.blockers:
        return Silhouette(total, 0, in_arc, 0, (), (), 0.0, 0.0 if in_arc else 1.0, 0.0)
    if occluded in (0, total) or question.enough < COARSE_ERROR or shows_thin_parts(one):
        return None
    silhouette, _ = _counted([one], question)
    if silhouette.error > question.enough or (in_arc and _near_threshold(silhouette, question)):
        return None
    return silhouette


def _rims_to_follow(silhouette: Silhouette, classified: Sequence[_Classified], question: Question) -> Rims | None:
    """Which outlines to follow down to single pixels, since the answer may hang on them; None where it does not.

    Where all of the target is seen, or all of it obscured, the share is exactly nothing or all, whatever the outline.
    Else the division of the two parts weighs most, and of the rims the one round the smaller part.
    """
    coarse = [one.survey for one in classified if one.survey.block > 1]
    if len(classified) > 1:  # the faces of a cube have few pixels each
        return ALL_RIMS if coarse else None
    if not coarse or max(silhouette.error, silhouette.error_seen) == 0.0:
        return None
    if shows_thin_parts(coarse[0]):
        return ALL_RIMS
    if silhouette.in_arc and (silhouette.in_arc < silhouette.total or _near_threshold(silhouette, question)):
        return ALL_RIMS
    if silhouette.error <= question.enough:
        return None
    variance = _variance(classified)
    one_rim = [Rims(occluded=False), Rims(seen=False)]
    if 2 * silhouette.occluded < silhouette.total:
        one_rim.reverse()
    for rims in (Rims(seen=False, occluded=False), *one_rim):
        left = (variance * FOLLOWED).or_where(_unfollowed(variance, rims))
        if left.share_error(silhouette.occluded, silhouette.total) <= SAFELY * question.enough:
            return rims
    return ALL_RIMS


def _near_threshold(silhouette: Silhouette, question: Question) -> bool:
    """Whether the share obscured, or the share seen, is so near to a threshold that a smaller error may tell."""
    shares = [(silhouette.occluded, silhouette.error), (silhouette.total - silhouette.seen, silhouette.error_seen)]
    return any(
        abs(part / silhouette.total - threshold) <= NEAR * error
        for part, error in shares
        for threshold in question.thresholds
        if error > 0.0
    )


def _unfollowed(variance: OutlineVariance, rims: Rims) -> OutlineVariance:
    """Of the variance along coarse outlines, what stays when these rims, and the division, are followed on."""
    return OutlineVariance(variance.seen_rim * (not rims.seen), variance.occluded_rim * (not rims.occluded), 0.0)


def _confirmed(one: Survey, question: Question) -> Survey:
    """The survey with the few samples on which everything hangs taken again, in float64."""
    samples, used = one.samples, one.weight > 0
    doubtful = np.zeros(len(used), dtype=np.bool_)
    for flags in (samples.seen & used, samples.occluded & used):
        if one.count(flags) <= FEW:
            doubtful |= flags
    again = take(one.view, replace(question, renderer=ReferenceRenderer()), samples.places[doubtful])
    number = np.arange(len(used), dtype=np.int32)
    number[doubtful] = len(used) + np.arange(int(doubtful.sum()), dtype=np.int32)
    weight = np.concatenate([np.where(doubtful, 0, one.weight), one.weight[doubtful]])
    return Survey(one.view, Samples.joined([samples, again]), one.block, number[one.index], weight)


@dataclass(frozen=True, eq=False)
class _Classified:
    """A survey with its image of kinds, and the pairs of places between which target and blocker end together."""

    survey: Survey
    kinds: NDArray[np.uint8]
    inside: Floats
    outside: Floats

    @cached_property
    def variance(self) -> OutlineVariance:
        """Along its outlines, in pixels squared; none where all is seen, and no share hangs on them."""
        if self.kinds.max() <= SEEN:
            return NO_VARIANCE
        return outline_variance(self.kinds) * self.survey.block**4


def _counted(
    surveys: Sequence[Survey], question: Question, unfollowed: OutlineVariance = NO_VARIANCE
) -> tuple[Silhouette, list[_Classified]]:
    """The silhouette in the surveys as they are; along rims left as coarse as they were, the variance is as it was."""
    classified = [_classified(one, question) for one in surveys]
    variance = _variance(classified).or_where(unfollowed)
    total = occluded = in_arc = occluded_in_arc = 0
    nearest = np.zeros(len(question.blockers), np.int64)
    alone = np.zeros(len(question.blockers), np.int64)
    for one in surveys:
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
    silhouette = Silhouette(
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


def _variance(classified: Sequence[_Classified]) -> OutlineVariance:
    """Along all outlines, in pixels squared."""
    return sum((one.variance for one in classified), NO_VARIANCE)


def _arc_errors(classified: Sequence[_Classified], counts: tuple[int, int, int]) -> tuple[float, float]:
    """Errors of the share occluded in the arc, and of the share seen, where the arc cuts the target."""
    total, in_arc, occluded_in_arc = counts
    if in_arc == 0:
        return 1.0, 0.0
    within = unseen = NO_VARIANCE
    for one in classified:
        samples = one.survey.samples
        inside = one.survey.mask(samples.in_arc)
        kinds = np.where(inside | (one.kinds == OUTSIDE_BLOCKED), one.kinds, 0).astype(np.uint8)
        within += outline_variance(kinds) * one.survey.block**4
        beyond = one.survey.mask(samples.target & ~samples.in_arc)
        kinds = np.where(beyond, OCCLUDED, one.kinds).astype(np.uint8)
        unseen += outline_variance(kinds) * one.survey.block**4
    return within.share_error(occluded_in_arc, in_arc), unseen.share_error(total - in_arc + occluded_in_arc, total)


def _classified(one: Survey, question: Question) -> _Classified:
    """What each pixel is; beside the target also whether a blocker goes on there, before the target's surface."""
    samples = one.samples
    kinds = one.mask(np.where(samples.occluded, OCCLUDED, samples.target * np.uint8(SEEN)).astype(np.uint8))
    if not question.blockers:
        return _Classified(one, kinds, np.empty((0, 2)), np.empty((0, 2)))
    inside, outside = rim(kinds > 0)
    within, beside = one.index.take(inside), one.index.take(outside)
    occluded, blocked = samples.occluded[within], samples.beside[beside]
    asked = np.flatnonzero(blocked & ~occluded)
    inner, outer = samples.places[within], samples.places[beside]
    if len(asked):
        blocked[asked] = _goes_on(one.view, question, inner[asked], outer[asked], samples.depth[within[asked]])
    kinds.ravel()[outside[blocked]] = OUTSIDE_BLOCKED
    together = blocked != occluded
    return _Classified(one, kinds, inner[together], outer[together])


def _goes_on(view: View, question: Question, inside: Floats, outside: Floats, depth: NDArray[np.float32]) -> Flags:
    """Whether a blocker, met at places (n, 2) outside the target's outline, lies before the target's surface.

    The floor under a boot is met just below the boot, nearer than the boot: but carried on, in its own plane, it
    lies behind the boot, and its outline is nowhere near. In a flat picture the inverse of the depth of a plane
    changes evenly, so two places on the blocker tell where the third would be: the one ``inside`` the outline, of
    which the target's ``depth`` (n,) is known.
    """
    goes_on = np.zeros(len(inside), dtype=np.bool_)
    places = np.concatenate([outside, 2 * outside - inside])
    for blocker in question.blockers:
        layer = question.renderer.render(view, [blocker], places)
        met, beyond = np.split(layer.depth.astype(np.float64), 2)
        goes_on |= (met < depth) & ((2.0 / met - 1.0 / beyond) * depth > 1.0 + 1e-6)
    return goes_on


def _rims_searched(
    surveys: Sequence[Survey],
    classified: Sequence[_Classified],
    question: Question,
    wanted: Callable[[Samples], Flags],
) -> list[Survey]:
    """The surveys, searched at the places of the rim at which target and blocker end together."""
    pairs = zip(surveys, classified, strict=True)
    return [rim_searched(one, kind.inside, kind.outside, question, wanted) for one, kind in pairs]
