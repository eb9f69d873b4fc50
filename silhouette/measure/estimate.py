"""COUNT, roughly: a few rays for each sight, where thousands of sights are asked for; exact counts if these decide.

sights -> pictures -> a grid of cells over each, one place drawn in each cell -> counts and their errors
-> the sights that are still open again, each on a grid as fine as its error asks for
-> without proofs: those of one pair of pieces that show nothing of what others show, again where these do
-> with proofs: a target in a shadow is hidden, and not looked at; where rays show nothing seen, or nothing obscured,
that is proven of the hull of the target's outermost points, or counted exactly; so is what may be near the tolerance

    +---+---+---+---+
    |  .|   | . |   |        Each cell of a picture is sampled once, at a place drawn at random within it, and so the
    +---+---+.--+--.+        counts are right on average, whatever there is to see. How far they may be off, the
    | . |.  |   |   |        neighbours tell that differ, as in `silhouette.measure.error`.
    +---+---+---+---+
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt

import manifold3d
import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats
from silhouette.measure.culling import outermost
from silhouette.measure.error import SHARE_PARTS, SHARE_WHOLES, SIGMAS, UNKNOWN, share_errors, shares
from silhouette.measure.framing import Framed, all_framed
from silhouette.measure.grids import FINEST, grids, size_of
from silhouette.measure.in_shadow import in_shadow
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import PLAIN, ObservationRequest, observed
from silhouette.measure.occlusion import is_certain
from silhouette.measure.sampling import SAMPLE_KINDS, Kinds, Places, Samples, sample
from silhouette.measure.slivers import with_slivers
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.registry import looking_between_pixels

COARSEST = 16  # cells along each side of a first grid: a hundred rays meet the target, and tell its share to a tenth
# Cells along each side of a grid are a multiple of this: sights whose grids are alike are looked at together
GRID_STEP = 4
SPARE_FINENESS = 1.04  # a grid that is to show that there is nothing is finer by so much, so that it seldom falls short
RAYS = 2_000_000  # rays that are cast together at most, which takes some 300 MB

HIDDEN = OcclusionCounts(1.0, 1.0, 1.0, 1.0, (), (), 0.0, 0.0, 0.0)
"""The counts of a target that is in a shadow: one pixel, which is obscured; by what is not known."""


@dataclass(frozen=True)
class Estimate:
    """An `Observer` that looks with few rays.

    Its errors are those of `SIGMAS` standard deviations, and statistical. Where it `proves`, "hidden" and "open" are
    proven, and a verdict that may hang on what few rays miss rests on an exact count. Else sights of one target from
    one attacker are taken for one question, asked with pieces a little elsewhere: where a sliver of the target is seen
    in one of them, or obscured, the others look twice. But for that, what is found for a sight depends neither on the
    others nor on their order.
    """

    goal: float = 0.03  # the error, as a share, with which a share may stay within its error of a threshold
    nothing: float = 0.008  # the same where nothing is seen, or obscured: what rays miss may be as small as that
    little: float = 0.0  # the same of a small share, if that is more: what rays meet is there, however small it is
    everywhere: float = 1.0  # the error that an obscured share may have at all; 1 for any
    proves: bool = False  # whether nothing seen, and nothing obscured, is proven, and otherwise counted exactly
    coarsest: int = COARSEST  # cells along each side of the first grid
    leap: float = 2.0  # a grid is at most this many times as fine as the one before, which may not tell it well

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, request: ObservationRequest = PLAIN
    ) -> list[Observation]:
        """An observation of each sight, without masks; the arguments are those of `observe_many`.

        A target of which the finest grid meets nothing is left to `observe_many`. Of what is asked for the thresholds
        count, and with proofs the tolerance: how sure an estimate is, its own attributes say.
        """
        dark = in_shadow(sights) if self.proves else np.zeros(len(sights), np.bool_)
        frames = all_framed([sight for sight, is_dark in zip(sights, dark, strict=True) if not is_dark], pixel)
        thresholds, tolerance = list(request.thresholds), request.tolerance if self.proves else 0.0
        if tolerance > 0.0:
            thresholds += [tolerance, 1.0 - tolerance]
        # Few rays are no work for a renderer that draws pictures.
        caster = renderer if renderer.capabilities.sparse else looking_between_pixels()
        looks = looks_on_grids(frames, caster, self.coarsest, lambda look: self._times_finer(look, thresholds))
        if not self.proves:
            looks = with_slivers(frames, looks, caster)
        for number, (frame, look) in enumerate(zip(frames, looks, strict=True)):
            if not look.counts.total:
                looks[number] = observed(frame, caster, ObservationRequest(thresholds))
            elif self.proves and _is_unclear(look.counts, tolerance):
                looks[number] = _settled(frame, look, renderer, request)
        lit = iter(looks)
        return [
            Observation(sight, (), HIDDEN, pixel, "proof", "flat") if is_dark else next(lit)
            for sight, is_dark in zip(sights, dark, strict=True)
        ]

    def _times_finer(self, look: Observation, thresholds: Sequence[float]) -> float:
        """How many times finer a grid may tell more of a look that matters; 1 where none does."""
        counts = look.counts
        if not counts.total:
            return float(FINEST)
        if not counts.error_seen:
            return 1.0
        seen = counts.seen / counts.total, counts.error_seen
        obscured = [(counts.occluded / counts.total, counts.error)]
        if counts.in_arc:
            obscured.append((counts.occluded_in_arc / counts.in_arc, counts.error_in_arc))
        too_large = max(
            error
            / min(
                self.everywhere,
                max(self.goal, min((abs(share - threshold) for threshold in thresholds), default=np.inf)),
            )
            for share, error in obscured
        )
        nothing = 1.0
        for share, error in (seen, *obscured):
            apart = min(share, 1.0 - share)
            if apart > 0.0:
                too_large = max(too_large, error / max(self.nothing, self.little, apart))
            elif not self.proves:
                nothing = max(nothing, SPARE_FINENESS * sqrt(error / self.nothing))
        return max(nothing, _finer_by(too_large, self.leap))


def _settled(frame: Framed, look: Observation, renderer: Renderer, request: ObservationRequest) -> Observation:
    """A look at a flat picture that shows nothing seen, or nothing obscured, if that is certain; else exact counts."""
    counts, (picture, *others) = look.counts, frame.pictures
    if others or (counts.occluded and (counts.seen or picture.arcs is not None)):
        return observed(frame, renderer, request)
    columns, rows, depth = picture.view.project(outermost(picture.target))
    if depth.min() <= 0.0:
        return observed(frame, renderer, request)
    hull = manifold3d.CrossSection.hull_points(np.column_stack([columns, rows]))
    if not is_certain(picture, hull, not counts.seen, renderer.go_on):
        return observed(frame, renderer, request)
    # How much of a target a vision arc takes in is not proven.
    error_seen = 0.0 if picture.arcs is None else counts.error_seen
    return replace(look, counts=replace(counts, error=0.0, error_in_arc=0.0, error_seen=error_seen), decided_by="proof")


def _is_unclear(counts: OcclusionCounts, tolerance: float) -> bool:
    """Whether what is obscured, or seen, may be nothing and may be something; or more or less than the tolerance."""
    if not counts.total:
        return False
    shares = [(counts.occluded / counts.total, counts.error), (counts.seen / counts.total, counts.error_seen)]
    if counts.in_arc:
        shares.append((counts.occluded_in_arc / counts.in_arc, counts.error_in_arc))
    may_be_nothing = (not counts.occluded and counts.error > 0.0) or (
        counts.in_arc > 0 and not counts.seen and counts.error_seen > 0.0
    )
    return may_be_nothing or (
        tolerance > 0.0 and any(error > 0.0 and abs(share - tolerance) <= error for share, error in shares)
    )


def _finer_by(too_large: float, most: float) -> float:
    """How many times finer a grid has an error as wanted, which is so many times too large, ``most`` at most: that of
    an edge shrinks by the power 3/2.

    >>> _finer_by(0.7, 2.0), round(_finer_by(2.0, 2.0), 3), _finer_by(800.0, 2.0)
    (1.0, 1.587, 2.0)
    """
    return min(most, float(max(1.0, too_large) ** (2.0 / 3.0)))


def looks_on_grids(
    frames: Sequence[Framed], renderer: Renderer, coarsest: int, times_finer: Callable[[Observation], float]
) -> list[Observation]:
    """What grids over the pictures of frames show, each finer than the last, as long as a look asks for that.

    Args:
        frames: what is looked at.
        renderer: casts the rays.
        coarsest: cells along each side of the first grid.
        times_finer: how many times finer a grid is wanted after a look; 1 where it tells enough.
    """
    latest = dict[int, Observation]()
    waiting = dict.fromkeys(range(len(frames)), coarsest)
    while waiting:
        finer = dict[int, int]()
        for across in sorted(set(waiting.values())):
            numbers = [number for number in waiting if waiting[number] == across]
            for together in _batches(frames, numbers, across):
                looks = _look([frames[number] for number in together], across, renderer)
                for number, look in zip(together, looks, strict=True):
                    latest[number] = look
                    if across < FINEST and (times := times_finer(look)) > 1.0:
                        finer[number] = min(
                            FINEST, GRID_STEP * max(ceil(times * across / GRID_STEP), across // GRID_STEP + 1)
                        )
        waiting = finer
    return [latest[number] for number in range(len(frames))]


def _batches(frames: Sequence[Framed], numbers: Sequence[int], across: int) -> list[list[int]]:
    """The numbers of frames that are looked at together: no more than `RAYS` at a time."""
    batches, rays = list[list[int]](), RAYS
    for number in numbers:
        needed = len(frames[number].pictures) * across**2
        if rays + needed > RAYS:
            batches.append([])
            rays = 0
        batches[-1].append(number)
        rays += needed
    return batches


def _look(frames: Sequence[Framed], across: int, renderer: Renderer) -> list[Observation]:
    """What grids of ``across`` by ``across`` cells over the pictures of frames show."""
    pictures = [picture for frame in frames for picture in frame.pictures]
    of_frame = np.repeat(np.arange(len(frames)), [len(frame.pictures) for frame in frames])
    picture_of_ray = np.repeat(np.arange(len(pictures)), across**2)
    samples = sample(pictures, picture_of_ray, grids(pictures, across).reshape(-1, 2), renderer)
    area = np.array([size_of(picture).prod() for picture in pictures]) / across**2
    kinds = samples.kind.reshape(len(pictures), across, across)
    counts = _summed(of_frame, _histogram(kinds.reshape(len(pictures), -1), SAMPLE_KINDS) * area[:, None], len(frames))
    variance = _summed(of_frame, _pairs(kinds) * (0.25 * area[:, None] ** 2), len(frames))
    errors = _errors(frames, counts, variance, area[np.searchsorted(of_frame, np.arange(len(frames)))]).tolist()
    wholes, parts = (np.rint(counts @ kinds_of.T).astype(np.int64).tolist() for kinds_of in (SHARE_WHOLES, SHARE_PARTS))
    first = np.cumsum([0, *(len(frame.blockers) for frame in frames)])
    nearest, alone = (of_all.tolist() for of_all in _by_blocker(samples, first[of_frame], first[-1], area))
    looks = []
    for number, frame in enumerate(frames):
        blockers = slice(first[number], first[number + 1])
        tally = OcclusionCounts(
            total=wholes[number][0],
            occluded=parts[number][0],
            in_arc=wholes[number][1],
            occluded_in_arc=parts[number][1],
            nearest=tuple(nearest[blockers]),
            alone=tuple(alone[blockers]),
            error=errors[number][0],
            error_in_arc=errors[number][1],
            error_seen=errors[number][2],
        )
        looks.append(
            Observation(frame.sight, frame.blockers, tally, frame.pixel, "count", frame.projection, views=frame.views)
        )
    return looks


def _summed(group: Places, rows: Floats, size: int) -> Floats:
    """(size, k) the sums of rows (n, k) by the group of each, (n,)."""
    sums: Floats = np.zeros((size, rows.shape[1]))
    np.add.at(sums, group, rows)
    return sums


def _histogram(values: Kinds | Places, size: int) -> Floats:
    """(n, size) how often each number below ``size`` stands in each row (n, k)."""
    rows = np.arange(len(values))[:, None] * size
    counts = np.bincount((rows + values).ravel(), minlength=len(values) * size)
    return counts.reshape(-1, size).astype(np.float64)


def _pairs(kinds: Kinds) -> Floats:
    """(n, SAMPLE_KINDS²) pairs of neighbouring cells by their kinds, of grids (n, k, k); round a grid is nothing."""
    padded = np.pad(kinds, ((0, 0), (1, 1), (1, 1))).astype(np.intp)
    down = padded[:, 1:] * SAMPLE_KINDS + padded[:, :-1]
    right = padded[:, :, 1:] * SAMPLE_KINDS + padded[:, :, :-1]
    both = np.concatenate([pairs.reshape(len(kinds), -1) for pairs in (down, right)], axis=1)
    return _histogram(both, SAMPLE_KINDS**2)


def _errors(frames: Sequence[Framed], counts: Floats, variance: Floats, cell: Floats) -> Floats:
    """(n, 3) the errors of the shares occluded, occluded in the arc, and seen.

    Where all cells of a target are alike, half a cell may still be otherwise (`UNKNOWN`); no error is left of what is
    seen where no vision arc reaches the target, nor of any share where one takes in all of it and nothing is before it.
    """
    _, wholes = shares(counts)
    least = np.divide(SIGMAS * np.sqrt(UNKNOWN) * cell[:, None], wholes, out=np.ones_like(wholes), where=wholes > 0.0)
    errors: Floats = np.minimum(np.maximum(share_errors(variance, counts), least), 1.0)
    blind = [all(picture.arcs is not None and not picture.arcs for picture in frame.pictures) for frame in frames]
    errors[blind, 2] = 0.0
    bare = [not frame.blockers and all(picture.arcs is None for picture in frame.pictures) for frame in frames]
    errors[np.array(bare) & (wholes[:, 0] > 0.0)] = 0.0
    return errors


def _by_blocker(
    samples: Samples, first: Places, size: int, area: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(size,) pixels in which each blocker is the nearest one, and in which it is before the target, others or not.

    Args:
        samples: of the pictures.
        first: (k,) the number, among all blockers of all frames, of the first of each picture.
        size: how many blockers there are.
        area: (k,) of a cell of each picture, in pixels.
    """
    hidden = np.flatnonzero(samples.nearest >= 0)
    picture = samples.picture[hidden]
    nearest = np.bincount(first[picture] + samples.nearest[hidden], area[picture], size)
    ray, blocker = samples.blocked
    picture = samples.picture[ray]
    alone = np.bincount(first[picture] + blocker, area[picture], size)
    return nearest.astype(np.int64), alone.astype(np.int64)
