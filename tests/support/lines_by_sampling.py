"""Lines in plan by brute force: many points of two bases, and each line between them against each side of a polygon.

Shares no code with `silhouette.relations`. It finds lines, and so proves that there are some; that there are none it
makes likely only, where the shapes are not finer than the points lie apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def points_of(outline: Any, count: int = 40, rings: int = 3) -> Any:
    """Points on the rim of a convex outline (k, 2), and on smaller ones inside."""
    outline = np.asarray(outline, float)
    closed = np.vstack([outline, outline[:1]])
    lengths = np.hypot(*np.diff(closed, axis=0).T)
    at = np.concatenate([[0.0], np.cumsum(lengths)])
    along = np.linspace(0.0, at[-1], count, endpoint=False)
    rim = np.stack([np.interp(along, at, closed[:, axis]) for axis in (0, 1)], axis=1)
    rim = np.vstack([rim, outline[:: max(1, len(outline) // count)]])
    middle = outline.mean(axis=0)
    return np.vstack([middle + (rim - middle) * share for share in np.linspace(1.0, 0.3, rings)])


def crosses(starts: Any, ends: Any, ring: Any, shrink: float = 1e-3) -> Any:
    """(n,) whether each line from (n, 2) to (n, 2) passes through a convex ring (k, 2), anticlockwise, made smaller.

    Each side leaves of a line what lies to its left: what is left at last lies inside.
    """
    ring = np.asarray(ring, float)
    sides = np.roll(ring, -1, axis=0) - ring
    normals = np.stack([-sides[:, 1], sides[:, 0]], axis=1) / np.hypot(*sides.T)[:, None]
    first = np.zeros(len(starts))
    last = np.ones(len(starts))
    for corner, normal in zip(ring, normals, strict=True):
        here, there = (starts - corner) @ normal - shrink, (ends - corner) @ normal - shrink
        with np.errstate(divide="ignore", invalid="ignore"):
            share = here / (here - there)
        first = np.where((here < 0) & (there >= 0), np.maximum(first, share), first)
        last = np.where((here >= 0) & (there < 0), np.minimum(last, share), last)
        last = np.where((here < 0) & (there < 0), -1.0, last)
    return first < last


def sampled(attacker: Any, target: Any, rings: list[Any], shrink: float = 1e-3, count: int = 40) -> Any:
    """(a, t) whether the line from each point of one outline to each of the other crosses any ring, and both points."""
    here, there = points_of(attacker, count), points_of(target, count)
    starts, ends = np.repeat(here, len(there), axis=0), np.tile(there, (len(here), 1))
    hit = np.zeros(len(starts), bool)
    for ring in rings:
        hit |= crosses(starts, ends, ring, shrink)
    return hit.reshape(len(here), len(there)), here, there
