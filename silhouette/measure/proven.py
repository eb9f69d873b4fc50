"""COUNT, roughly, with proofs: of what a few rays find wholly hidden, or wholly in the open, it is proven that it is.

sights -> those in a shadow: hidden -> of the others an `Estimate` -> those of which nothing is seen, or obscured
-> proven, or refuted: then a closer look tells whether it is less than the tolerance, where more rays can
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from silhouette.measure.claims import Assertion, claim_of
from silhouette.measure.estimate import Estimate, looks_on_grids
from silhouette.measure.framing import Framed, framed
from silhouette.measure.in_shadow import in_shadow
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import PLAIN, Wanted
from silhouette.measure.sampling import sample
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.registry import looking_between_pixels

HIDDEN = OcclusionCounts(1, 1, 1, 1, (), (), 0.0, 0.0, 0.0)
"""What is told of a target that is in a shadow: one pixel, which is obscured; by what is not told."""

CLOSER = 64  # cells along each side of the first grid of a closer look: its error is a third of a hundredth


@dataclass(frozen=True)
class ProvenEstimate:
    """An `Observer` that looks with few rays, and proves that nothing is seen, or obscured, where these find nothing.

    Where it is refuted, the share is told as half of what it could be at most, and the error as less than that: it is
    known to be more than nothing.
    """

    estimate: Estimate = field(default_factory=Estimate)  # looks with few rays

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, wanted: Wanted = PLAIN
    ) -> list[Observation]:
        """An observation of each sight, without masks; the arguments are those of `Estimate`.

        Where a share may be more than nothing, and more or less than the tolerance, more rays are cast.
        """
        dark = in_shadow(sights)
        frames = [framed(sight, pixel) for sight, is_dark in zip(sights, dark, strict=True) if not is_dark]
        looks = self.estimate.looks(frames, renderer, pixel, wanted.thresholds)
        renderer = renderer if renderer.capabilities.sparse else looking_between_pixels()
        known = [_known(look, frame, renderer) for look, frame in zip(looks, frames, strict=True)]
        told = iter(_with_closer_looks(frames, looks, known, renderer, wanted.tolerance))
        return [
            Observation(sight, (), HIDDEN, pixel, "proof", "flat") if is_dark else next(told)
            for sight, is_dark in zip(sights, dark, strict=True)
        ]


@dataclass(frozen=True)
class _Known:
    """What is certain of a target."""

    says: Assertion  # a claim
    holds: bool  # whether it holds, or is refuted
    # The number of the blocker that obscures some of the target where nothing was said to be obscured; else -1
    by: int = -1


def _known(look: Observation, frame: Framed, renderer: Renderer) -> _Known | None:
    """What can be proven, or refuted; None where nothing was claimed, or nobody knows."""
    says = _claimed(look.counts)
    if says is None:
        return None
    claim = claim_of(frame.pictures, says, renderer, soon=True)
    if not claim.is_refuted:
        return None if claim.unproven > 0.0 else _Known(says, True)
    for picture, places in zip(frame.pictures, claim.against, strict=True):
        if says == "open" and len(places):
            found = sample([picture], np.zeros(1, np.intp), places[:1], renderer)
            return _Known(says, False, int(found.nearest[0]))
    return _Known(says, False)


def _claimed(counts: OcclusionCounts) -> Assertion | None:
    """What may be proven of a target."""
    if counts.in_arc and not counts.seen and counts.error_seen > 0.0:
        return "hidden"
    if counts.total and not counts.occluded and counts.error > 0.0:
        return "open"
    return None


def _with_closer_looks(
    frames: Sequence[Framed],
    looks: Sequence[Observation],
    known: Sequence[_Known | None],
    renderer: Renderer,
    tolerance: float,
) -> list[Observation]:
    """What is told of each frame: a closer look where its shares could lie on either side of the tolerance."""
    found = [_told(look, one) for look, one in zip(looks, known, strict=True)]
    if tolerance == 0.0:
        return found
    unclear = [number for number, one in enumerate(found) if one.counts.total and _is_unclear(one.counts, tolerance)]
    closer = looks_on_grids(
        [frames[number] for number in unclear],
        renderer,
        CLOSER,
        lambda look: 2.0 if look.counts.total and _is_unclear(look.counts, tolerance) else 1.0,
    )
    for number, look in zip(unclear, closer, strict=True):
        if look.counts.total:
            found[number] = _told(look, known[number])
    return found


def _is_unclear(counts: OcclusionCounts, tolerance: float) -> bool:
    """Whether what is obscured, or seen, is more or less than the tolerance, within its error."""
    shares = [(counts.occluded / counts.total, counts.error), (counts.seen / counts.total, counts.error_seen)]
    if counts.in_arc:
        shares.append((counts.occluded_in_arc / counts.in_arc, counts.error_in_arc))
    return any(error > 0.0 and abs(share - tolerance) <= error for share, error in shares)


def _told(look: Observation, known: _Known | None) -> Observation:
    """The observation, with what is known of the target."""
    if known is None:
        return look
    if known.holds:
        return replace(look, counts=_proven(look.counts, known.says), decided_by="proof")
    return replace(look, counts=_more_than_nothing(look.counts, known))


def _proven(counts: OcclusionCounts, says: Assertion) -> OcclusionCounts:
    """The counts without the errors that a proof takes away, and without what it says is not there."""
    if says == "open":
        return replace(counts, occluded=0, occluded_in_arc=0, error=0.0, error_in_arc=0.0)
    error = 0.0 if counts.in_arc == counts.total else counts.error
    return replace(counts, occluded_in_arc=counts.in_arc, error=error, error_in_arc=0.0, error_seen=0.0)


def _more_than_nothing(counts: OcclusionCounts, known: _Known) -> OcclusionCounts:
    """The counts where something is obscured, or seen, that rays at random may have missed."""
    part, error = (counts.occluded, counts.error) if known.says == "open" else (counts.seen, counts.error_seen)
    if part / counts.total > error:
        return counts
    pixels = max(1, round((part / counts.total + error) / 2 * counts.total))
    error = (pixels - 0.5) / counts.total
    if known.says == "hidden":
        in_arc = max(counts.in_arc, pixels)
        return replace(counts, in_arc=in_arc, occluded_in_arc=in_arc - pixels, error_seen=error)
    alone, nearest = list(counts.alone), list(counts.nearest)
    if not any(alone) and known.by >= 0:
        alone[known.by] = nearest[known.by] = pixels
    counts = replace(counts, occluded=pixels, alone=tuple(alone), nearest=tuple(nearest), error=error)
    if counts.in_arc < counts.total:
        return counts
    return replace(counts, occluded_in_arc=pixels, error_in_arc=error)
