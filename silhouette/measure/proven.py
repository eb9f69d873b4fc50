"""COUNT, roughly, and exactly where that decides: a few rays for most of many like sights, exact counts for others.

sights -> those in a shadow: hidden -> of the others an `Estimate` -> those of which rays find nothing seen, or nothing
obscured, or cannot tell whether it is less than the tolerance: is their outermost points' hull hidden, or free?
-> the others of them: counted exactly
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import manifold3d
import numpy as np

from silhouette.measure.culling import outermost
from silhouette.measure.estimate import Estimate
from silhouette.measure.framing import Framed, all_framed
from silhouette.measure.in_shadow import in_shadow
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import PLAIN, Wanted, observed
from silhouette.measure.occlusion import is_certain, occlusion_within
from silhouette.renderers.protocol import Renderer

HIDDEN = OcclusionCounts(1.0, 1.0, 1.0, 1.0, (), (), 0.0, 0.0, 0.0)
"""The counts of a target that is in a shadow: one pixel, which is obscured; by what is not known."""


@dataclass(frozen=True)
class ProvenEstimate:
    """An `Observer` that looks with few rays, and counts exactly where a verdict may hang on what these miss."""

    estimate: Estimate = field(default_factory=Estimate)  # looks with few rays

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, wanted: Wanted = PLAIN
    ) -> list[Observation]:
        """An observation of each sight, without masks; the arguments are those of `Estimate`."""
        dark = in_shadow(sights)
        frames = all_framed([sight for sight, is_dark in zip(sights, dark, strict=True) if not is_dark], pixel)
        near = (wanted.tolerance, 1.0 - wanted.tolerance) if wanted.tolerance > 0.0 else ()
        looks = self.estimate.looks(frames, renderer, pixel, (*wanted.thresholds, *near))
        counted = iter(
            _settled(frame, look, renderer, wanted) if _is_unclear(look.counts, wanted.tolerance) else look
            for frame, look in zip(frames, looks, strict=True)
        )
        return [
            Observation(sight, (), HIDDEN, pixel, "proof", "flat") if is_dark else next(counted)
            for sight, is_dark in zip(sights, dark, strict=True)
        ]


def _settled(frame: Framed, look: Observation, renderer: Renderer, request: Wanted) -> Observation:
    """A look at a flat picture that shows nothing seen, or nothing obscured, if that is certain; else exact counts."""
    counts, (picture, *others) = look.counts, frame.pictures
    if others or (counts.occluded and (counts.seen or picture.arcs is not None)):
        return observed(frame, renderer, request)
    columns, rows, depth = picture.view.project(outermost(picture.target))
    if depth.min() <= 0.0:
        return observed(frame, renderer, request)
    hull = manifold3d.CrossSection.hull_points(np.column_stack([columns, rows]))
    within = occlusion_within(picture, hull, renderer.go_on)
    if not is_certain(picture, within, not counts.seen):
        return observed(frame, renderer, request, within)
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
