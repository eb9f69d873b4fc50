"""COUNT, the entry: `observe_many` turns Sights, which the rules describe, into Observations: counts, errors, masks.

Sight -> pictures and what reaches into them -> samples and counts of all sights together -> finer where a verdict may
be decided by it -> Observation
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from silhouette.measure.counting import measured, measured_by_rays
from silhouette.measure.framing import Framed, framed
from silhouette.measure.looking_through import looked_through
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.question import Measured, Question
from silhouette.renderers.protocol import Renderer
from silhouette.scenes.table import Piece

FINEST = 4  # largest factor by which a picture is taken finer, where the error of a share reaches across a threshold

ERROR_GOAL = 0.002
"""The error, as a share of the target, up to which a measurement goes by default: a fifth of the hundredth that players
cannot tell."""


@dataclass(frozen=True)
class Wanted:
    """What is wanted of observations."""

    # Obscured shares, from 0 to 1, at which a verdict changes; 0 and 1 are always among them
    thresholds: Sequence[float] = (0.5,)
    tolerance: float = 0.0  # a share nearer than this to a threshold is too close to call, however well it is measured
    # The error, as a share, that is small enough where no threshold is near; `ERROR_GOAL` by default
    error_goal: float | None = None
    keep: bool = False  # whether the observations keep their masks
    windows: bool = False  # whether they tell which solid pieces are looked through


PLAIN = Wanted()  # what is wanted where nobody says otherwise


class Observer(Protocol):
    """What measures sights: `observe_many`, or something like it."""

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, wanted: Wanted = PLAIN
    ) -> list[Observation]:
        """The observation of each sight; see `observe_many`."""
        ...


def observe(sight: Sight, renderer: Renderer, pixel: float, wanted: Wanted = PLAIN) -> Observation:
    """`observe_many` for one sight."""
    (observation,) = observe_many([sight], renderer, pixel, wanted)
    return observation


def observe_many(
    sights: Sequence[Sight], renderer: Renderer, pixel: float, wanted: Wanted = PLAIN
) -> list[Observation]:
    """Measures for each sight how much of the target is obscured, seen from the eye.

    What is found for a sight depends neither on the others nor on their order. The picture is taken two times finer,
    and then up to `FINEST` times, as long as a share is within its error of a threshold, and farther than the tolerance
    from it.

    Args:
        sights: who looks at whom, past what.
        renderer: renders the targets and their blockers.
        pixel: mm per pixel at the target.
        wanted: at which shares a verdict changes, and how well they are to be known.
    """
    thresholds, tolerance, goal = wanted.thresholds, wanted.tolerance, wanted.error_goal or ERROR_GOAL
    limits = tuple(sorted({0.0, 1.0, *thresholds}))
    frames = [framed(sight, pixel) for sight in sights]
    questions = [Question(frame.pictures, frame.pixel, goal, limits, tolerance) for frame in frames]
    measure = measured_by_rays if renderer.capabilities.is_witness else measured
    found = measure(questions, renderer, wanted.keep)
    factor = 1
    while factor < FINEST:
        factor *= 2
        open_ = [number for number, one in enumerate(found) if _is_undecided(one.counts, thresholds, tolerance)]
        finer = [questions[number].refined(factor) for number in open_]
        for number, one in zip(open_, measure(finer, renderer, wanted.keep), strict=True):
            found[number] = one
    return [
        _observation(frame, one, looked_through(frame, renderer) if wanted.windows and one.counts.seen else ((), ()))
        for frame, one in zip(frames, found, strict=True)
    ]


def _is_undecided(counts: OcclusionCounts, thresholds: Sequence[float], tolerance: float) -> bool:
    """Whether a finer picture may decide: a share is within its error of a threshold, and not within the tolerance."""
    if counts.in_arc == 0:
        return False
    shares = [(counts.occluded / counts.total, counts.error)]
    shares += [(counts.occluded_in_arc / counts.in_arc, counts.error_in_arc)]
    return any(tolerance < abs(share - threshold) <= error for share, error in shares for threshold in thresholds)


def _observation(frame: Framed, found: Measured, through: tuple[tuple[Piece, ...], tuple[Piece, ...]]) -> Observation:
    return Observation(
        frame.sight,
        frame.blockers,
        found.counts,
        found.pixel,
        found.decided_by,
        frame.projection,
        found.masks,
        frame.views,
        *through,
    )
