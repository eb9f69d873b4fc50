"""COUNT: rays at bodies whose outlines lie farther out, or in, than those of their meshes: the surface is a scan's.

Seen from the eye, an outline moves outward by ``d`` where a ray meets the body if any ray within ``d`` of it meets it,
and inward where it meets the body only if all of them do: what is thinner than twice ``d`` then goes. Of the rays round
it some on the circle are cast, in directions drawn at random:

        .--o--.          o  a ray on the circle round x, which passes the eye's ray at x at ``d`` mm
       o   x   o         x  meets the body moved outward where any o, or x itself, meets it;
        `--o--'             the body moved inward where x and every o do
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, corners
from silhouette.renderers.protocol import Cast, Renderer

CIRCLE_RAYS = 8  # rays on the circle
CIRCLE_ROUNDS = 3  # how often circles are cast, each as wide as the one before it says that the outline is far
HALVINGS = 5  # how often the part of a circle is halved in which it crosses an outline, to find how far away that is

REACH = float(np.sin(np.pi / CIRCLE_RAYS) / (np.pi / CIRCLE_RAYS))
"""How far the outermost of them lies, along a direction at random, as a share of the circle's radius: the mean of the
cosine over half the angle between two. The circle is so much wider, and straight outlines move by ``d`` on average."""


def outlined_depths(
    renderer: Renderer, casts: Sequence[Cast], limit: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    """(n,) `silhouette.renderers.protocol.Renderer.depths` of bodies with their outlines where `Body.outline` says.

    Args:
        renderer: casts the rays.
        casts: the rays, towards one body each.
        limit: (n,) mm: what a ray meets no nearer than this counts as not met, as it hides nothing; None for no limit.
    """
    depth = renderer.depths(casts)
    if not any(cast.body.outline for cast in casts):
        return depth
    ends = np.cumsum([0, *(len(cast.places) for cast in casts)])
    for cast, start, end in zip(casts, ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        if cast.body.outline and end > start:
            nearest = np.full(end - start, np.inf, np.float32) if limit is None else limit[start:end]
            depth[start:end] = _outlined(renderer, cast, depth[start:end], nearest)
    return depth


def _outlined(
    renderer: Renderer, cast: Cast, depth: NDArray[np.float32], limit: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(n,) the depths of one cast; without regard to the outline they are ``depth``."""
    inward, outlined = cast.body.outline < 0.0, depth.copy()
    # A ray does not tell how far away the outline is: at first it is as far as what the ray meets, or as near as the
    # body may be where it meets nothing; and then as far as where the circle crosses it.
    rays = np.flatnonzero((depth < limit) == inward)
    distance = depth[rays].astype(np.float64) if inward else np.full(len(rays), _nearest(cast))
    for further in reversed(range(CIRCLE_ROUNDS)):
        around = _on_circle(renderer, cast, rays, distance, limit, _all_round(rays))
        met = np.isfinite(around)
        near = ~met.all(axis=1) if inward else met.any(axis=1)
        outlined[rays] = np.where(near, np.inf, depth[rays]) if inward else around.min(axis=1)
        if further:
            rays, distance = rays[near], _at_the_outline(renderer, cast, rays, distance, limit, around)[near]
    return outlined


def _at_the_outline(
    renderer: Renderer,
    cast: Cast,
    rays: NDArray[np.intp],
    distance: Floats,
    limit: NDArray[np.float32],
    around: NDArray[np.float32],
) -> Floats:
    """(k,) the depth, mm, at which a circle crosses the body's outline, from a ray that meets it to one that misses.

    Where the circle crosses no outline it is the least that it meets, and ``distance`` where it meets nothing.

    Args:
        renderer, cast, rays, distance, limit: as of `_on_circle`.
        around: (k, CIRCLE_RAYS) what it gave.
    """
    met, rows = np.isfinite(around), np.arange(len(rays))
    crosses = met & ~np.roll(met, -1, axis=1)
    last = crosses.argmax(axis=1)
    nearest = around.min(axis=1).astype(np.float64)
    at_outline = np.where(crosses.any(axis=1), around[rows, last].astype(np.float64), nearest)
    at_outline = np.where(np.isfinite(at_outline), at_outline, distance)
    low, high = last / CIRCLE_RAYS, (last + 1) / CIRCLE_RAYS
    start = _all_round(rays)[:, 0]
    crossing = np.flatnonzero(crosses.any(axis=1))
    for _ in range(HALVINGS if len(crossing) else 0):
        middle = (low + high) / 2.0
        turns = (start + middle)[crossing, None]
        there = _on_circle(renderer, cast, rays[crossing], distance[crossing], limit, turns)[:, 0]
        hit = np.isfinite(there)
        at_outline[crossing[hit]] = there[hit]
        low[crossing[hit]], high[crossing[~hit]] = middle[crossing[hit]], middle[crossing[~hit]]
    return at_outline


def _on_circle(
    renderer: Renderer,
    cast: Cast,
    rays: NDArray[np.intp],
    distance: Floats,
    limit: NDArray[np.float32],
    turns: Floats,
) -> NDArray[np.float32]:
    """(k, t) the depths on circles round places of a cast; inf where nothing nearer than the limit is met.

    Args:
        renderer: casts the rays.
        cast: the rays in the middle, and the body.
        rays: (k,) which of them circles go round.
        distance: (k,) mm, the depth at which the circle is as wide as the outline is off.
        limit: (n,) mm, for every ray of the cast.
        turns: (k, t) where on the circle, 1 being all the way round.
    """
    radius = abs(cast.body.outline) / REACH / (np.maximum(distance, 1e-6) * cast.view.step)
    angles = 2.0 * np.pi * turns
    offsets = np.stack([np.sin(angles), np.cos(angles)], axis=2) * radius[:, None, None]
    places = (cast.places[rays, None, :] + offsets).reshape(-1, 2)
    depth = renderer.depths([replace(cast, places=places)]).reshape(angles.shape)
    depth[depth >= limit[rays, None]] = np.inf
    return depth


def _all_round(rays: NDArray[np.intp]) -> Floats:
    """(k, CIRCLE_RAYS) the directions of the rays on each circle, as parts of the way round."""
    return _drawn().take(rays, mode="wrap")[:, None] + np.arange(CIRCLE_RAYS) / CIRCLE_RAYS


def _nearest(cast: Cast) -> float:
    """The least depth at which a body may be met, mm; at least a thousandth of its greatest."""
    _, _, depth = cast.view.project(cast.body.pose.place(corners(*cast.body.mesh.bounds)))
    return float(max(depth.min(), 1e-3 * depth.max()))


@cache
def _drawn() -> Floats:
    """(2^16,) numbers from 0 to 1, drawn at random."""
    drawn: Floats = np.random.default_rng(4).random(1 << 16)
    return drawn
