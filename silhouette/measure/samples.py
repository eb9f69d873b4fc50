"""COUNT, first step: a request for samples, and the samples: the bodies that rays through a view meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Integers
from silhouette.lazy import cached_property
from silhouette.renderers.protocol import Body, Renderer, coverage, render_separately
from silhouette.views import View, VisionArc, in_any

Codes = NDArray[np.uint64]
"""(n,) numbers that are equal where samples are alike and different where they are not."""

TARGET, HIDDEN = np.uint64(1), np.uint64(2)
"""The lowest bit of a code says that the target is there. The bit `HIDDEN` places further says that a blocker is there:
before the target, or where the target is not."""


ERROR_GOAL = 0.002
"""The error, as a share of the target, up to which a measurement goes by default: a fifth of the hundredth that players
cannot tell."""


@dataclass(frozen=True, eq=False)
class SampleRequest:
    """The question to each ray: whether it meets the target, in a vision arc, and which blockers are nearer.

    Attributes:
        target: the body that is looked at; its id is lower than the blockers', so that it is in front at equal depth.
        blockers: the bodies that may stand before it.
        arcs: the vision arcs of the attacker; None where the whole target is known to lie in one.
        renderer: casts the rays.
        farthest: a depth, mm, beyond which nothing of the target lies.
        thresholds: shares of the target occluded at which the verdict changes: near them the measurement is finer.
        error_goal: elsewhere an error up to this, as a share of the target, is not made smaller.
    """

    target: Body
    blockers: Sequence[Body]
    arcs: Sequence[VisionArc] | None
    renderer: Renderer
    farthest: float = np.inf
    thresholds: tuple[float, ...] = (0.0, 0.5, 1.0)
    error_goal: float = ERROR_GOAL


@dataclass(frozen=True, eq=False)
class Samples:
    """The target and the blockers that rays through some points of a view meet.

    Attributes:
        places: (n, 2) row and column of each in the view, fractional where a ray goes between the middles of pixels.
        target: (n,) bool, whether the target is there.
        in_arc: (n,) bool, whether the target is there, and the point of it that is met lies in a vision arc.
        depth: (n,) float32, mm, of the target; inf where it is not there, and where nobody needs it: where nothing can
            stand before the target and it lies wholly in an arc or outside all.
        blocked: (k, n) bool, for each blocker, whether it is nearer than the target.
        nearest: (n,) int32, the index of the nearest blocker before the target; -1 where there is none.
        background_blocked: (n,) bool, a blocker is there and the target is not, nearer than `SampleRequest.farthest`;
            False throughout unless it was requested.
    """

    places: Floats
    target: Flags
    in_arc: Flags
    depth: NDArray[np.float32]
    blocked: Flags
    nearest: Integers
    background_blocked: Flags

    @property
    def occluded(self) -> Flags:
        """(n,) bool: the target is there, and something is before it."""
        flags: Flags = self.nearest >= 0
        return flags

    @property
    def seen(self) -> Flags:
        """(n,) bool: the target is there, in a vision arc, and nothing is before it."""
        return self.in_arc & ~self.occluded

    @cached_property
    def code(self) -> Codes:
        """(n,) numbers of which two are equal only where two samples agree in everything.

        Which blockers are before the target, and which of them is nearest, enters by random keys of 61 bits."""
        keys = _keys(len(self.blocked))
        code: Codes = keys[0, self.nearest]
        for key, blocked in zip(keys[1], self.blocked, strict=False):
            code ^= key * blocked
        hidden = self.occluded | self.background_blocked
        code |= self.target.astype(np.uint64) | self.in_arc.astype(np.uint64) << 1 | hidden.astype(np.uint64) << 2
        return code

    def selected(self, flags: Flags) -> Samples:
        """The samples whose flag (n,) is set."""
        return Samples(
            self.places[flags],
            self.target[flags],
            self.in_arc[flags],
            self.depth[flags],
            self.blocked[:, flags],
            self.nearest[flags],
            self.background_blocked[flags],
        )

    @staticmethod
    def concatenated(several: Sequence[Samples]) -> Samples:
        """All samples, one batch after the other."""
        return Samples(
            np.concatenate([batch.places for batch in several]),
            np.concatenate([batch.target for batch in several]),
            np.concatenate([batch.in_arc for batch in several]),
            np.concatenate([batch.depth for batch in several]),
            np.concatenate([batch.blocked for batch in several], axis=1),
            np.concatenate([batch.nearest for batch in several]),
            np.concatenate([batch.background_blocked for batch in several]),
        )


@cache
def _keys(blockers: int) -> Codes:
    """(2, blockers + 1) keys with the three lowest bits free; the last one of the first row, for no blocker, is 0."""
    keys = np.random.default_rng(0).integers(1 << 61, size=(2, blockers + 1), dtype=np.uint64) << np.uint64(3)
    keys[0, -1] = 0
    return keys


def sample(view: View, request: SampleRequest, pixels: Any = None, background: bool = False) -> Samples:
    """Samples at ``pixels``, or at every pixel of the view.

    Args:
        view: the picture.
        request: the question to each ray.
        pixels: (n, 2) rows and columns, which may be fractional.
        background: whether blockers are looked for where the target is not, too: `Samples.background_blocked`.
    """
    renderer = request.renderer
    if pixels is not None and not request.blockers and not request.arcs:
        return _sample_target_alone(view, request, np.asarray(pixels, dtype=np.float64))
    # A renderer that draws whole pictures draws all bodies in one go; the others render each body in turn.
    drawn = None if renderer.sparse else render_separately(renderer, view, [request.target, *request.blockers], pixels)
    layer = next(drawn) if drawn else renderer.render(view, [request.target], pixels)
    target, depth = layer.ids.ravel() > 0, layer.depth.ravel()
    if pixels is None:
        places = np.indices((view.height, view.width), dtype=np.float64).reshape(2, -1).T
    else:
        places = np.asarray(pixels, dtype=np.float64)
    where = np.flatnonzero(target)
    in_arc = target
    if request.arcs is not None:
        in_arc = np.zeros(len(target), dtype=np.bool_)
        if request.arcs:
            points = view.eye + view.directions(*places[where].T) * depth[where, None]
            in_arc[where] = in_any(request.arcs, points, edges=False)
    blocked = np.zeros((len(request.blockers), len(target)), dtype=np.bool_)
    nearest = np.full(len(target), -1, dtype=np.int32)
    background_blocked = np.zeros(len(target), dtype=np.bool_)
    if request.blockers and (background or len(where)):
        chosen: Any = slice(None) if background else where
        on_target, limit = target[chosen], np.where(target, depth, np.float32(request.farthest))[chosen]
        front, number_in_front = limit, nearest[chosen]
        among = None if pixels is None else places[chosen]
        for number, blocker in enumerate(request.blockers):
            distance = (next(drawn) if drawn else renderer.render(view, [blocker], among)).depth.ravel()
            if drawn or pixels is None:
                distance = distance[chosen]
            blocked[number, chosen] = (distance < limit) & on_target
            number_in_front = np.where(distance < front, np.int32(number), number_in_front)
            front = np.minimum(front, distance)
        something = number_in_front >= 0
        nearest[chosen] = np.where(on_target, number_in_front, np.int32(-1))
        background_blocked[chosen] = something & ~on_target
    return Samples(places, target, in_arc, depth, blocked, nearest, background_blocked)


def _sample_target_alone(view: View, request: SampleRequest, places: Floats) -> Samples:
    """Samples of a target before which nothing can stand, and which lies wholly in an arc or outside all: no depths."""
    target = coverage(request.renderer, view, request.target, places)
    count = len(places)
    in_arc = target if request.arcs is None else np.zeros(count, dtype=np.bool_)
    beyond = np.full(count, np.inf, dtype=np.float32)
    nothing = np.zeros(count, dtype=np.bool_)
    return Samples(places, target, in_arc, beyond, nothing[None][:0], np.full(count, -1, np.int32), nothing)
