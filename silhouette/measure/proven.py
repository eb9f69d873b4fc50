"""COUNT, roughly, with proofs: of what a few rays find wholly hidden, or wholly in the open, it is proven that it is.

sights -> those in a shadow: hidden -> of the others an `Estimate` -> those of which nothing is seen, or obscured
-> proven, or as uncertain as before
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from silhouette.measure.claims import Assertion, claim_of
from silhouette.measure.estimate import Estimate
from silhouette.measure.framing import Framed, framed
from silhouette.measure.in_shadow import in_shadow
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.registry import looking_between_pixels

HIDDEN = OcclusionCounts(1, 1, 1, 1, (), (), 0.0, 0.0, 0.0)
"""What is told of a target that is in a shadow: one pixel, which is obscured; by what is not told."""


@dataclass(frozen=True)
class ProvenEstimate:
    """An `Observer` that looks with few rays, and proves that nothing is seen, or obscured, where these find nothing.

    Attributes:
        estimate: looks with few rays.
    """

    estimate: Estimate = field(default_factory=Estimate)

    def __call__(
        self,
        sights: Sequence[Sight],
        renderer: Renderer,
        pixel: float,
        *,
        thresholds: Sequence[float] = (0.5,),
        tolerance: float = 0.0,
        error_goal: float | None = None,
        keep: bool = False,
    ) -> list[Observation]:
        """An observation of each sight, without masks; the arguments are those of `Estimate`."""
        dark = in_shadow(sights)
        frames = [framed(sight, pixel) for sight, is_dark in zip(sights, dark, strict=True) if not is_dark]
        looks = self.estimate.looks(frames, renderer, pixel, thresholds)
        exact = renderer if renderer.sparse else looking_between_pixels()
        proven = (_proven(look, frame, exact) for look, frame in zip(looks, frames, strict=True))
        return [
            Observation(sight, (), HIDDEN, pixel, "proof", "flat") if is_dark else next(proven)
            for sight, is_dark in zip(sights, dark, strict=True)
        ]


def _proven(look: Observation, frame: Framed, renderer: Renderer) -> Observation:
    """The observation without the errors that a proof takes away."""
    says = _claimed(look.counts)
    if says is None or claim_of(frame.pictures, says, renderer).unproven > 0.0:
        return look
    counts = look.counts
    is_whole = says == "open" or counts.in_arc == counts.total
    without = replace(
        counts,
        error=0.0 if is_whole else counts.error,
        error_in_arc=0.0,
        error_seen=0.0 if says == "hidden" else counts.error_seen,
    )
    return replace(look, counts=without, decided_by="proof")


def _claimed(counts: OcclusionCounts) -> Assertion | None:
    """What may be proven of a target."""
    if counts.in_arc and not counts.seen and counts.error_seen > 0.0:
        return "hidden"
    if counts.total and not counts.occluded and counts.error > 0.0:
        return "open"
    return None
