"""COUNT, last third: how much of a target is obscured, by what, and how sure that is.

views -> a survey of each -> nothing seen, or nothing obscured? search -> Silhouette: counts, shares, errors
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.clusters import inner_corners, long_edges
from silhouette.geometry import Flags, Floats, Integers, turned
from silhouette.outlines import OCCLUDED, OUTSIDE_BLOCKED, SEEN, OutlineVariance, outline_variance, rim
from silhouette.renderers.base import Body
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.sampling import Question, Samples, take
from silhouette.surveys import Survey, every_pixel, finer, is_divided, shows_thin_parts, survey
from silhouette.views import View

SEARCH = 8
"""In so many steps the way across the rim is searched before a share is called exactly nothing."""


ENOUGH = 0.002
"""An error below this, less than half of the hundredth that players cannot tell, is not made smaller by following
outlines down to single pixels,"""

NEAR = 3.0
"""unless the share is within so many errors of one at which the verdict changes."""

EDGE_STEP = 6.0
"""Pixels between the places along a blocker's edge at which it is looked for before the target."""

BEHIND = np.uint8(16)

FINER = 4
"""How much finer a renderer that cannot look between pixels is asked to look instead."""

FEW = 32
"""Where so few pixels are seen, or obscured, that it hangs on them, they are looked at again in exact arithmetic."""


@dataclass(frozen=True, eq=False)
class Silhouette:
    """The measured outline of a target: integer counts, and how far the shares may be off.

    Attributes:
        total: pixels of the target alone.
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


def in_view(view: View, boxes: Floats, farthest: float) -> Flags:
    """Which boxes, (k, 8, 3) corners in the world, reach into the view's pyramid nearer than ``farthest`` mm."""
    across, upward, depth = np.moveaxis((boxes - view.eye) @ view.axes.T, -1, 0)
    beside = (across < view.left * depth).all(axis=1)
    beside |= (across > (view.left + view.width * view.step) * depth).all(axis=1)
    beside |= (upward > view.top * depth).all(axis=1)
    beside |= (upward < (view.top - view.height * view.step) * depth).all(axis=1)
    near: Flags = ~beside & (depth.max(axis=1) > 0.0) & (depth.min(axis=1) < farthest)
    return near


def measure(views: Sequence[View], question: Question, pixel: float) -> Silhouette:
    """Counts the target's pixels in the views, which together show it once, and those that are obscured.

    Args:
        views: one flat picture, or the faces of a cube.
        question: the target, what may stand before it, the arcs, and the renderer.
        pixel: the width of a pixel at the target, mm.
    """
    surveys = [survey(view, question, pixel) for view in views]
    silhouette, classified = _counted(surveys, question)
    if _hangs_on_pixels(silhouette, surveys, question):
        surveys = [finer(one, question) if one.block > 1 else one for one in surveys]
        silhouette, classified = _counted(surveys, question)
    if silhouette.seen == 0 and (question.arcs is None or len(question.arcs)):
        surveys = [_seen_searched(one, question) for one in surveys]
        surveys = _rim_searched(surveys, classified, question, lambda samples: samples.seen)
    if silhouette.occluded == 0 and question.blockers:
        surveys = [_occluded_searched(one, question) for one in surveys]
        surveys = _rim_searched(surveys, classified, question, lambda samples: samples.occluded)
    if any(new is not old for new, old in zip(surveys, (kind.survey for kind in classified), strict=True)):
        silhouette, _ = _counted(surveys, question)
    if 0 < silhouette.seen <= FEW or 0 < silhouette.occluded <= FEW:
        silhouette, _ = _counted([_confirmed(one, question) for one in surveys], question)
    return silhouette


def _hangs_on_pixels(silhouette: Silhouette, surveys: Sequence[Survey], question: Question) -> bool:
    """Whether outlines followed to single pixels may change more than the last digit of the answer.

    Where all of the target is seen, or all of it obscured, the share is exactly nothing or all, whatever the outline.
    """
    coarse = [one for one in surveys if one.block > 1]
    if len(surveys) > 1:  # the faces of a cube have few pixels each
        return len(coarse) > 0
    if not any(map(is_divided, coarse)):
        return False
    if any(map(shows_thin_parts, coarse)):
        return True
    shares = [
        (silhouette.occluded, silhouette.total, silhouette.error),
        (silhouette.occluded_in_arc, silhouette.in_arc, silhouette.error_in_arc),
        (silhouette.total - silhouette.seen, silhouette.total, silhouette.error_seen),
    ]
    measured = [(part / whole, error) for part, whole, error in shares if whole and error > 0.0]
    return any(
        error > ENOUGH or any(abs(share - threshold) <= NEAR * error for threshold in question.thresholds)
        for share, error in measured
    )


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


def _counted(surveys: Sequence[Survey], question: Question) -> tuple[Silhouette, list[_Classified]]:
    """The silhouette in the surveys as they are."""
    classified = [_classified(one, question) for one in surveys]
    variance = sum((_variance(one.survey, one.kinds) for one in classified), OutlineVariance(0.0, 0.0, 0.0))
    total = occluded = in_arc = occluded_in_arc = 0
    nearest = np.zeros(len(question.blockers), np.int64)
    alone = np.zeros(len(question.blockers), np.int64)
    for one in surveys:
        samples = one.samples
        total += one.count(samples.target)
        occluded += one.count(samples.occluded)
        in_arc += one.count(samples.in_arc)
        occluded_in_arc += one.count(samples.in_arc & samples.occluded)
        nearest += np.bincount(samples.nearest + 1, weights=one.weight, minlength=len(nearest) + 1)[1:].astype(np.int64)
        alone += samples.blocked @ one.weight
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


def _variance(one: Survey, kinds: NDArray[np.uint8]) -> OutlineVariance:
    """Along the outlines of an image of kinds, in the survey's blocks: in pixels squared."""
    return outline_variance(kinds) * one.block**4


def _arc_errors(classified: Sequence[_Classified], counts: tuple[int, int, int]) -> tuple[float, float]:
    """Errors of the share occluded in the arc, and of the share seen, where the arc cuts the target."""
    total, in_arc, occluded_in_arc = counts
    if in_arc == 0:
        return 1.0, 0.0
    within = unseen = OutlineVariance(0.0, 0.0, 0.0)
    for one in classified:
        samples = one.survey.samples
        inside = one.survey.mask(samples.in_arc)
        within += _variance(
            one.survey, np.where(inside | (one.kinds == OUTSIDE_BLOCKED), one.kinds, 0).astype(np.uint8)
        )
        beyond = one.survey.mask(samples.target & ~samples.in_arc)
        unseen += _variance(one.survey, np.where(beyond, OCCLUDED, one.kinds).astype(np.uint8))
    return within.share_error(occluded_in_arc, in_arc), unseen.share_error(total - in_arc + occluded_in_arc, total)


def _classified(one: Survey, question: Question) -> _Classified:
    """What each pixel is; beside the target also whether a blocker goes on there, before the target's surface."""
    samples = one.samples
    kinds = one.mask(np.where(samples.occluded, OCCLUDED, samples.target * np.uint8(SEEN)).astype(np.uint8))
    if not question.blockers:
        return _Classified(one, kinds, np.empty((0, 2)), np.empty((0, 2)))
    inside, outside = rim(kinds > 0)
    pairs = (one.index[tuple(inside.T)].astype(np.int64) << 32) | one.index[tuple(outside.T)]
    pairs, pair = np.unique(pairs, return_inverse=True)
    within, beside = pairs >> 32, pairs & 0xFFFFFFFF
    occluded, blocked = samples.occluded[within], samples.beside[beside]
    asked = np.flatnonzero(blocked & ~occluded)
    inner, outer = samples.places[within], samples.places[beside]
    if len(asked):
        blocked[asked] = _goes_on(one.view, question, inner[asked], outer[asked], samples.depth[within[asked]])
    kinds[tuple(outside[blocked[pair]].T)] = OUTSIDE_BLOCKED
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
    for blocker in question.blockers:
        met = question.renderer.render(view, [blocker], outside).depth.astype(np.float64)
        beyond = question.renderer.render(view, [blocker], 2 * outside - inside).depth
        goes_on |= (met < depth) & ((2.0 / met - 1.0 / beyond) * depth > 1.0 + 1e-6)
    return goes_on


def _seen_searched(one: Survey, question: Question) -> Survey:
    """The survey with rays to corners of the target, wherever that shows something of it.

    Corners two pixels and more inside the sampled outline are left out: round them the target and what hides it were
    sampled.
    """
    columns, rows, depth = _projected_corners(one.view, question.target)
    target = one.mask(one.samples.target)
    within = _inside(one.view, columns, rows) & (depth > 0.0)
    places = np.column_stack([rows[within], columns[within]])
    blocks = places.astype(np.intp) // one.block
    places = places[~_eroded(target, 2 // one.block)[blocks[:, 0], blocks[:, 1]]]
    return _replaced(one, question, _thinned(places), lambda samples: samples.seen)


def _occluded_searched(one: Survey, question: Question) -> Survey:
    """The survey with rays to those corners of blockers, and places along their edges, that may lie before the target.

    Where they do, the blocker is thinner than a pixel, and every pixel is sampled.
    """
    met = one.samples.depth[one.samples.target]
    if len(met) == 0:
        return one
    near_target = ~_eroded(~one.mask(one.samples.target), 1)
    places = [np.empty((0, 2))]
    for blocker in question.blockers:
        columns, rows, depth = _projected_corners(one.view, blocker)
        before = (depth > 0.0) & (depth < met.max())
        places.append(np.column_stack([rows[before], columns[before]]))
        places.append(_along_edges(one.view, long_edges(blocker.mesh), np.array([rows, columns, depth])))
    found = np.concatenate(places)
    found = found[_inside(one.view, found[:, 1], found[:, 0])]
    blocks = found.astype(np.intp) // one.block
    found = found[near_target[blocks[:, 0], blocks[:, 1]]]
    searched = _replaced(one, question, _thinned(found), lambda samples: samples.occluded)
    if searched is one or not question.renderer.sparse:
        return searched
    every = every_pixel(one, question)
    return every if every.samples.occluded.any() else searched


def _along_edges(view: View, ends: Integers, corners: Floats) -> Floats:
    """(k, 2) rows and columns of places along the edges (e, 2) of a blocker, a few pixels apart, within the picture.

    ``corners`` (3, n) are row, column and depth of each; only edges wholly before the eye are followed.
    """
    size = np.array([view.height, view.width])[:, None]
    beside = _sides(corners, size)
    start_beside, end_beside = beside[ends[:, 0]], beside[ends[:, 1]]
    crossing = np.flatnonzero(((start_beside & end_beside) == 0) & ((start_beside | end_beside) < BEHIND))
    start, end = corners[:, ends[crossing, 0]], corners[:, ends[crossing, 1]]
    long = np.abs(end - start)[:2].max(axis=0) > EDGE_STEP
    start, way = start[:2, long], (end - start)[:2, long]
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = -start / way, (size - start) / way
    enter = np.nanmax(np.vstack([np.minimum(one, other), np.zeros(way.shape[1])]), axis=0)
    leave = np.nanmin(np.vstack([np.maximum(one, other), np.ones(way.shape[1])]), axis=0)
    pieces = np.ceil(np.maximum(leave - enter, 0.0) * np.abs(way).max(axis=0) / EDGE_STEP).astype(np.intp)
    owner = np.repeat(np.arange(len(pieces)), pieces)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    share = enter[owner] + (number + 0.5) / pieces[owner] * (leave - enter)[owner]
    places: Floats = (start[:, owner] + share * way[:, owner]).T
    return places


def _sides(corners: Floats, size: NDArray[np.intp]) -> NDArray[np.uint8]:
    """(n,) bits that say beside which sides of the picture a corner (row, column, depth) lies, and `BEHIND` the eye."""
    left, top, right, bottom = (sides.view(np.uint8) for sides in (*(corners[:2] <= 0.0), *(corners[:2] >= size)))
    sides: NDArray[np.uint8] = left | top << 1 | right << 2 | bottom << 3 | (corners[2] <= 0.0) * BEHIND
    return sides


def _projected_corners(view: View, body: Body) -> tuple[Floats, Floats, Floats]:
    """Column, row and depth of every corner of a body, each nudged into one of its faces; float32 will do."""
    axes = view.axes @ body.pose.rotation
    eye = body.pose.localise(view.eye[None])[0].astype(np.float32)
    across, upward, depth = turned(axes, inner_corners(body.mesh) - eye[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        return (across / depth - view.left) / view.step, (view.top - upward / depth) / view.step, depth


def _inside(view: View, columns: Floats, rows: Floats) -> Flags:
    inside: Flags = (columns >= 0) & (columns < view.width) & (rows >= 0) & (rows < view.height)
    return inside


def _eroded(mask: Flags, blocks: int) -> Flags:
    """The mask without its outermost blocks."""
    for axis in (0, 1):
        kept = mask.copy()
        for shift in (*range(-blocks, 0), *range(1, blocks + 1)):
            kept &= np.roll(mask, shift, axis)
        mask = kept
    return mask


def _thinned(places: Floats) -> Floats:
    """The places (n, 2), one of those that share a quarter of a pixel."""
    cells = (places * 2.0).astype(np.int64)
    _, first = np.unique((cells[:, 0] << 32) | cells[:, 1], return_index=True)
    return places[first]


def _rim_searched(
    surveys: Sequence[Survey],
    classified: Sequence[_Classified],
    question: Question,
    wanted: Callable[[Samples], Flags],
) -> list[Survey]:
    """The surveys with rays to places on the rim, between its samples, at which target and blocker end together."""
    searched = []
    for one, kind in zip(surveys, classified, strict=True):
        steps: Floats = np.arange(1, SEARCH) / SEARCH
        places = kind.inside[:, None] + steps[:, None] * (kind.outside - kind.inside)[:, None]
        searched.append(_replaced(one, question, places.reshape(-1, 2) + 0.5, wanted))
    return searched


def _replaced(one: Survey, question: Question, places: Floats, wanted: Callable[[Samples], Flags]) -> Survey:
    """The survey with samples at the places (n, 2), in rows and columns of the image's plane, where wanted."""
    if len(places) == 0:
        return one
    view, scale = one.view, 1
    if not question.renderer.sparse:
        view, scale = one.view.finer(FINER), FINER
    samples = take(view, question, places * scale - 0.5)
    samples = replace(samples, places=places - 0.5)
    found = wanted(samples)
    if not found.any():
        return one
    pixels = np.floor(places[found]).astype(np.int32)
    pixels = np.clip(pixels, 0, [one.view.height - 1, one.view.width - 1]).astype(np.int32)
    return one.replaced(pixels, samples.chosen(found))
