"""COUNT, the entry: `observe` turns a Sight, which the rules describe, into an Observation: counts, errors, masks.

Sight -> pictures and what reaches into them (`framing`) -> exact areas (`counting`) -> Observation
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from silhouette.measure.counting import Measured, measured, measured_by_areas
from silhouette.measure.framing import Framed, all_framed
from silhouette.measure.looking_through import looked_through
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.occlusion import layered
from silhouette.measure.witness import counted_by_rays
from silhouette.renderers.protocol import Renderer


@dataclass(frozen=True)
class ObservationRequest:
    """What observations are for: how exact they are to be, and what else they are to tell."""

    # Obscured shares, from 0 to 1, at which a verdict changes, for who looks with few rays; 0 and 1 are among them
    thresholds: Sequence[float] = (0.5,)
    tolerance: float = 0.0  # a share nearer than this to a threshold is too close to call, however well it is measured
    # The error, as a share, up to which a witness takes finer pixels; None for as fine ones as the pictures have
    error_goal: float | None = None
    keep: bool = False  # whether the observations keep their masks
    windows: bool = False  # whether they tell which solid pieces are looked through


PLAIN = ObservationRequest()  # the default

FEWEST_PIXELS = 100  # of a target that a witness counts alone

MOST_RAYS = 4_000_000  # towards a target, for the sake of a smaller error


class Observer(Protocol):
    """What measures sights: `observe_many`, or something like it."""

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, request: ObservationRequest = PLAIN
    ) -> list[Observation]:
        """The observation of each sight; see `observe_many`."""
        ...


def observe(sight: Sight, renderer: Renderer, pixel: float, request: ObservationRequest = PLAIN) -> Observation:
    """What is obscured and seen of the target, seen from the eye.

    Args:
        sight: who looks at whom, past what.
        renderer: casts the few rays that counting needs.
        pixel: mm per pixel at the target, of the areas and the masks.
        request: what else is to be measured.
    """
    (observation,) = observe_many([sight], renderer, pixel, request)
    return observation


def observe_many(
    sights: Sequence[Sight], renderer: Renderer, pixel: float, request: ObservationRequest = PLAIN
) -> list[Observation]:
    """`observe` for each sight; what is found for one depends neither on the others nor on their order."""
    return all_observed(all_framed(sights, pixel), renderer, request)


def observed(frame: Framed, renderer: Renderer, request: ObservationRequest = PLAIN) -> Observation:
    """`observe` of a sight whose pictures are known."""
    (observation,) = all_observed([frame], renderer, request)
    return observation


def all_observed(
    frames: Sequence[Framed], renderer: Renderer, request: ObservationRequest = PLAIN
) -> list[Observation]:
    """`observed` of each: what a renderer counts on its device it counts for all of them together."""
    measure, on_device = _measured_by_layers, list[Measured | None]([None] * len(frames))
    if renderer.capabilities.is_witness:
        measure = _measured_by_rays
    elif renderer.capabilities.counts_areas and not request.keep:
        on_device = measured_on_device(frames, renderer)
    return [
        _observation(frame, counted or measure(frame, renderer, request), renderer, request.windows)
        for frame, counted in zip(frames, on_device, strict=True)
    ]


def _observation(frame: Framed, measurement: Measured, renderer: Renderer, windows: bool) -> Observation:
    through = looked_through(frame, renderer) if windows and measurement.counts.seen else ((), ())
    return Observation(
        frame.sight,
        frame.blockers,
        measurement.counts,
        frame.pixel,
        measurement.decided_by,
        frame.projection,
        measurement.masks,
        frame.views,
        *through,
    )


def _measured_by_layers(frame: Framed, renderer: Renderer, request: ObservationRequest) -> Measured:
    return measured(frame.pictures, renderer, request.keep)


def measured_on_device(frames: Sequence[Framed], renderer: Renderer) -> list[Measured | None]:
    """What a renderer counts by layers on its own device, all together; None for those that are not counted there.

    That leaves cubes, arcs, outlines, faces whose order is a matter of their own planes, and what may be narrower than
    a gap that counts. Both ways give the same counts, but for rounding.
    """
    layers = [layered(frame.pictures[0], renderer.go_on) if len(frame.pictures) == 1 else None for frame in frames]
    chosen = [(number, layer) for number, layer in enumerate(layers) if layer is not None]
    measurements = list[Measured | None]([None] * len(frames))
    if chosen:
        areas = renderer.areas([layer for _, layer in chosen])
        pictures = [frames[number].pictures[0] for number, _ in chosen]
        for (number, _), each in zip(chosen, measured_by_areas(pictures, areas, renderer), strict=True):
            measurements[number] = each
    return measurements


def _measured_by_rays(frame: Framed, renderer: Renderer, request: ObservationRequest) -> Measured:
    """What a witness counts, with pixels half as wide, and again, as long as its error is larger than a goal.

    Whether anything is seen, or obscured, where no ray shows it, rays do not know, nor much of a target of few pixels:
    there layers tell.
    """
    pictures, finer = frame.pictures, 1
    size = sum(picture.view.width * picture.view.height for picture in pictures)
    while True:
        rays = counted_by_rays(pictures, renderer, request.keep)
        counts = rays.counts
        unobscured, unseen = not counts.occluded and counts.error > 0.0, not counts.seen and counts.error_seen > 0.0
        if counts.total < FEWEST_PIXELS or unobscured or unseen:
            return replace(measured(frame.pictures, renderer, request.keep), masks=rays.masks)
        error, goal = max(counts.error, counts.error_seen), request.error_goal
        if goal is None or error <= goal or 4 * finer * size > MOST_RAYS:
            return Measured(_in_pixels(counts, finer), "count", rays.masks)
        pictures = tuple(replace(picture, view=picture.view.refined(2)) for picture in pictures)
        finer *= 4


def _in_pixels(counts: OcclusionCounts, finer: int) -> OcclusionCounts:
    """Counts of pixels of which ``finer`` make one, in these."""
    return replace(
        counts,
        total=counts.total / finer,
        occluded=counts.occluded / finer,
        in_arc=counts.in_arc / finer,
        occluded_in_arc=counts.occluded_in_arc / finer,
        nearest=tuple(count / finer for count in counts.nearest),
        alone=tuple(count / finer for count in counts.alone),
    )
