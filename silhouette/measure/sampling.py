"""COUNT: what rays through places of pictures meet: the target, whether in an arc, and what is nearer.

pictures + places -> one cast for each target -> one for each blocker where the target is -> Samples
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, Integers
from silhouette.measure.outlines import outlined_depths
from silhouette.renderers.protocol import Body, Cast, Renderer
from silhouette.renderers.registry import looking_between_pixels
from silhouette.renderers.views import View, VisionArc, in_any

Places = NDArray[np.intp]  # places in an image, read row by row, and other numbers by which arrays are indexed

Kinds = NDArray[np.uint8]  # what samples show: sums of the following bits

TARGET, IN_ARC, OCCLUDED = 1, 2, 4
"""Bits of a sample's kind: the target is there; its point that is met lies in a vision arc; something is nearer."""

SAMPLE_KINDS = 8  # the number of kinds

ROUNDING = 3e-5  # the share of a depth by which surfaces drawn in float32 may be off: rays tell which of two is nearer


@dataclass(frozen=True, eq=False)
class Picture:
    """A view of a target, and what may stand before it: what one flat picture of a check asks."""

    view: View  # the picture
    # The body that is looked at; its id is lower than the blockers', so that it is in front at equal depth
    target: Body
    blockers: Sequence[Body]  # the bodies that may stand before it
    # The vision arcs of the attacker; None where the whole target is known to lie in one
    arcs: Sequence[VisionArc] | None


@dataclass(frozen=True, eq=False)
class Samples:
    """What n rays meet, of several pictures."""

    picture: Places  # (n,) the picture of each ray, by number; never less than the one before
    kind: Kinds  # (n,) uint8, of the bits `TARGET`, `IN_ARC` and `OCCLUDED`
    nearest: Integers  # (n,) int32, the number of the nearest blocker before the target, among its picture's; else -1
    blocked: Integers  # (2, m) int32: a ray and a blocker of its picture that is nearer than the target; all such pairs


def sample(pictures: Sequence[Picture], picture: Places, places: Floats, renderer: Renderer) -> Samples:
    """Samples at places (n, 2) of pictures, of which ``picture`` (n,) names each place's; never less than before it.

    The renderer is asked about the blockers only where the target is. One that draws pictures is not asked which of two
    surfaces that are close to each other is nearer.
    """
    ends = np.searchsorted(picture, np.arange(len(pictures) + 1))
    spans = [(number, int(ends[number]), int(ends[number + 1])) for number in np.flatnonzero(np.diff(ends)).tolist()]
    casts = [Cast(pictures[number].view, pictures[number].target, places[start:end]) for number, start, end in spans]
    depth = outlined_depths(renderer, casts)
    kind = np.isfinite(depth) * np.uint8(TARGET | IN_ARC)
    for number, start, end in spans:
        arcs = pictures[number].arcs
        if arcs is not None:
            kind[start:end] &= _in_arcs(pictures[number].view, arcs, places[start:end], depth[start:end])
    rays, numbers, casts = list[Places](), list[int](), list[Cast]()
    all_met = np.flatnonzero(np.isfinite(depth))
    firsts, lasts = (np.searchsorted(all_met, [span[end] for span in spans]).tolist() for end in (1, 2))
    for (number, _, _), first, last in zip(spans, firsts, lasts, strict=True):
        met, shown = all_met[first:last], pictures[number]
        at = places[met] if shown.blockers else places[:0]
        rays += [met] * len(shown.blockers)
        numbers += range(len(shown.blockers))
        casts += [Cast(shown.view, body, at) for body in shown.blockers]
    ray = np.concatenate([np.empty(0, np.intp), *rays])
    blocker_of_ray = np.repeat(np.array(numbers, dtype=np.int32), [len(met) for met in rays])
    distance = outlined_depths(renderer, casts, depth[ray])
    if not renderer.capabilities.sparse:
        close = np.flatnonzero(np.abs(distance - depth[ray]) <= ROUNDING * depth[ray])
        of_blockers = [pictures[number].target for number, _, _ in spans for _ in pictures[number].blockers]
        targets = [replace(cast, body=target) for cast, target in zip(casts, of_blockers, strict=True)]
        exact, other = (looking_between_pixels().depths(_chosen(each, close)) for each in (targets, casts))
        with np.errstate(invalid="ignore"):
            distance[close] = depth[ray[close]] + (other - exact)
    return _blocked(picture, kind, depth[ray], ray, blocker_of_ray, distance)


def _chosen(casts: Sequence[Cast], numbers: Places) -> list[Cast]:
    """The casts with those of their rays alone that have these numbers, ascending, among all of them."""
    ends = np.cumsum([len(cast.places) for cast in casts])
    parts = np.split(numbers, np.searchsorted(numbers, ends))[:-1]
    return [
        replace(cast, places=cast.places[part - (end - len(cast.places))])
        for cast, part, end in zip(casts, parts, ends.tolist(), strict=True)
    ]


def _in_arcs(view: View, arcs: Sequence[VisionArc], places: Floats, depth: NDArray[np.float32]) -> Kinds:
    """(n,) the bit `TARGET` and, of samples whose target is met at a depth, in an arc, the bit `IN_ARC` too."""
    bits = np.full(len(depth), TARGET, dtype=np.uint8)
    if arcs:
        met = np.flatnonzero(np.isfinite(depth))
        points = view.eye + view.directions(*places[met].T) * depth[met, None]
        bits[met] |= in_any(arcs, points, edges=False) * np.uint8(IN_ARC)
    return bits


def _blocked(
    picture: Places,
    kind: Kinds,
    depth: NDArray[np.float32],
    ray: Places,
    blocker: Integers,
    distance: NDArray[np.float32],
) -> Samples:
    """The samples, with what is nearer than the target.

    Args:
        picture, kind: (n,) of each ray, but for what is before the target.
        depth, ray, blocker, distance: (m,) for each ray that meets the target and each blocker: the target's depth, the
            ray's number and the blocker's, and the blocker's depth.
    """
    nearest = np.full(len(kind), -1, dtype=np.int32)
    nearer = np.flatnonzero(distance < depth)
    ray, blocker, distance = ray[nearer], blocker[nearer], distance[nearer]
    front = np.full(len(kind), np.inf, dtype=np.float32)
    order = np.argsort(blocker, kind="stable")
    numbers, begins = np.unique(blocker[order], return_index=True)
    for which, mine in zip(numbers.tolist(), np.split(order, begins[1:]), strict=False):
        # Of one blocker each ray is there once, so that plain indexing will do.
        at, how_far = ray[mine], distance[mine]
        first = how_far < front[at]
        front[at[first]], nearest[at[first]] = how_far[first], which
    kind |= (nearest >= 0) * np.uint8(OCCLUDED)
    return Samples(picture, kind, nearest, np.stack([ray, blocker]).astype(np.int32))
