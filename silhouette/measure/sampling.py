"""COUNT: what rays through places of pictures meet: the target, whether in an arc, and what is nearer.

pictures + places -> one cast for each target -> one for each blocker where the target is -> Samples
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.measure.outlines import outlined_depths
from silhouette.renderers.protocol import Body, Cast, Renderer
from silhouette.renderers.registry import looking_between_pixels
from silhouette.renderers.views import View, VisionArc, in_any

Places = NDArray[np.intp]  # places in an image, read row by row, and other numbers by which arrays are indexed

Kinds = NDArray[np.uint8]  # what samples show: sums of the following bits

TARGET, IN_ARC, OCCLUDED = 1, 2, 4
"""Bits of a sample's kind: the target is there; its point that is met lies in a vision arc; something is nearer."""

FINER = 2
"""A renderer that draws whole pictures draws them with pixels finer by this factor; places lie in their middles: each
pixel of the picture is sampled at one of four places in it."""

ROUNDING = 3e-5
"""The share of a depth by which surfaces in one plane may differ where a renderer draws in float32, at their rims.
Which of two that come so near to each other is before the other is asked of one that looks between pixels."""

KINDS = 8  # the number of kinds


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

    @staticmethod
    def concatenated(several: Sequence[Samples]) -> Samples:
        """All samples, one batch after the other."""
        starts = np.cumsum([0, *(len(batch.kind) for batch in several)])
        pairs = [batch.blocked + np.array([[start], [0]]) for batch, start in zip(several, starts, strict=False)]
        return Samples(
            np.concatenate([batch.picture for batch in several]),
            np.concatenate([batch.kind for batch in several]),
            np.concatenate([batch.nearest for batch in several]),
            np.concatenate(pairs, axis=1).astype(np.int32, copy=False),
        )


def sample(pictures: Sequence[Picture], picture: Places, places: Floats, renderer: Renderer) -> Samples:
    """Samples at places (n, 2) of pictures, of which ``picture`` (n,) names each place's; never less than before it."""
    if not renderer.capabilities.sparse:
        places = (np.round(FINER * (places + 0.5) - 0.5) + 0.5) / FINER - 0.5
    ends = np.searchsorted(picture, np.arange(len(pictures) + 1))
    asked = [(number, int(ends[number]), int(ends[number + 1])) for number in np.flatnonzero(np.diff(ends)).tolist()]
    distances = _Distances(pictures, asked, places, renderer)
    depth = distances.targets()
    kind = np.isfinite(depth) * np.uint8(TARGET | IN_ARC)
    for number, start, end in asked:
        arcs = pictures[number].arcs
        if arcs is not None:
            kind[start:end] &= _in_arcs(pictures[number].view, arcs, places[start:end], depth[start:end])
    return _blocked(distances, picture, depth, kind)


def _in_arcs(view: View, arcs: Sequence[VisionArc], places: Floats, depth: NDArray[np.float32]) -> Kinds:
    """(n,) the bit `TARGET` and, of samples whose target is met at a depth, in an arc, the bit `IN_ARC` too."""
    bits = np.full(len(depth), TARGET, dtype=np.uint8)
    if arcs:
        met = np.flatnonzero(np.isfinite(depth))
        points = view.eye + view.directions(*places[met].T) * depth[met, None]
        bits[met] |= in_any(arcs, points, edges=False) * np.uint8(IN_ARC)
    return bits


@dataclass(frozen=True, eq=False)
class _Distances:
    """How far away bodies are met, at places (n, 2) of several pictures.

    A sparse renderer is asked for the blockers only where the target is. Another draws a whole picture anyway, with all
    bodies at once, and tells best where they come close.
    """

    pictures: Sequence[Picture]  # the pictures
    # For each picture that has places its number, and its first place and the one after its last
    asked: Sequence[tuple[int, int, int]]
    places: Floats  # (n, 2)
    renderer: Renderer  # casts the rays

    def targets(self) -> NDArray[np.float32]:
        """(n,) mm, the depth of the target; inf where it is not."""
        if not self.renderer.capabilities.sparse:
            return np.concatenate([np.empty(0, np.float32), *(self._drawn(*each)[0] for each in self.asked)])
        return outlined_depths(
            self.renderer,
            [
                Cast(self.pictures[number].view, self.pictures[number].target, self.places[start:end])
                for number, start, end in self.asked
            ],
        )

    def blockers(self, depth: NDArray[np.float32]) -> tuple[Places, Integers, NDArray[np.float32]]:
        """(m,) the places with a target at a ``depth`` (n,), once for each blocker; (m,) its number; (m,) its depth."""
        rays, which, casts = list[Places](), list[int](), list[Cast]()
        drawn = list[NDArray[np.float32]]()
        all_met = np.flatnonzero(np.isfinite(depth))
        firsts, lasts = (np.searchsorted(all_met, [each[end] for each in self.asked]).tolist() for end in (1, 2))
        for (number, start, end), first, last in zip(self.asked, firsts, lasts, strict=True):
            picture, met = self.pictures[number], all_met[first:last]
            layers = [] if self.renderer.capabilities.sparse else self._drawn(number, start, end)[1:]
            for blocker, body in enumerate(picture.blockers):
                rays.append(met)
                which.append(blocker)
                if self.renderer.capabilities.sparse:
                    casts.append(Cast(picture.view, body, self.places[met]))
                else:
                    drawn.append(layers[blocker][met - start])
        ray = np.concatenate([np.empty(0, np.intp), *rays])
        blocker_of_ray = np.repeat(np.array(which, dtype=np.int32), [len(met) for met in rays])
        if not self.renderer.capabilities.sparse:
            return ray, blocker_of_ray, np.concatenate([depth[:0], *drawn])
        return ray, blocker_of_ray, outlined_depths(self.renderer, casts, depth[ray])

    def are_nearer(self, picture: Places, ray: Places, blocker: Integers) -> Flags:
        """(m,) whether each blocker is nearer than the target, as rays between the pixels tell.

        Args:
            picture: (n,) the picture of each place.
            ray, blocker: (m,) a place and a blocker of its picture, by number; the places of one pair ascend.
        """
        nearer = np.zeros(len(ray), np.bool_)
        pairs, which = np.unique(np.stack([picture[ray], blocker]), axis=1, return_inverse=True)
        which = which.ravel()
        places = [np.flatnonzero(which == number) for number in range(pairs.shape[1])]
        exact, targets, blockers = looking_between_pixels(), list[Cast](), list[Cast]()
        for (number, of_picture), mine in zip(pairs.T.tolist(), places, strict=True):
            shown, there = self.pictures[number], self.places[ray[mine]]
            targets.append(Cast(shown.view, shown.target, there))
            blockers.append(Cast(shown.view, shown.blockers[of_picture], there))
        is_nearer = outlined_depths(exact, blockers) < outlined_depths(exact, targets)
        nearer[np.concatenate([np.empty(0, np.intp), *places])] = is_nearer
        return nearer

    def _drawn(self, number: int, start: int, end: int) -> list[NDArray[np.float32]]:
        """The depths (k,) of the target and of each blocker of a picture, drawn with pixels finer than its own."""
        picture = self.pictures[number]
        bodies = [picture.target, *picture.blockers]
        places = FINER * (self.places[start:end] + 0.5) - 0.5
        view = picture.view.refined(FINER)
        self.renderer.draw_ahead(view, bodies)
        layers = self.renderer.render_separately(view, bodies, places)
        return [layer.depth for layer in layers]


def _blocked(distances: _Distances, picture: Places, depth: NDArray[np.float32], kind: Kinds) -> Samples:
    """The samples of targets at a ``depth`` (n,), with what is nearer."""
    ray, blocker, distance = distances.blockers(depth)
    nearest = np.full(len(kind), -1, dtype=np.int32)
    is_nearer = distance < depth[ray]
    if not distances.renderer.capabilities.sparse:
        close = np.abs(distance - depth[ray]) <= np.float32(ROUNDING) * depth[ray]
        is_nearer[close] = distances.are_nearer(picture, ray[close], blocker[close])
    nearer = np.flatnonzero(is_nearer)
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
