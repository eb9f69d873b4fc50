"""RELATE: a beam between two points, how wide it can be, and how wide those near it can be.

A beam of diameter d from p to q is a stick with round ends, whose tips are p and q: all points within d / 2 of its
axis, which ends d / 2 before p and q. A wider beam with the same tips contains a narrower one.

       p.------------------------.q      the axis runs between the two +
     (  +                        +  )
       '------------------------'
"""

from __future__ import annotations

import numpy as np

from silhouette.geometry import Floats
from silhouette.relations.obstacles import Indices, Obstacles

TOUCH = 1e-6
"""mm: what a beam enters by no more than this it only touches."""

GRAZE = 1e-5
"""mm: a line that has no wider beam only grazes what it passes, and has none."""

ROUNDS = 60
"""So often is a beam narrowed at most; one that is still blocked then has no width."""

RAYS_RIGHT_TO = 1e-3
"""mm: a ray in float32 that meets something passes it by no more than this."""

LADDER = (1.05, 2.5, 8.0, 32.0)
"""Widths, as multiples of the least bound, at which bounds are looked for in turn."""


def axes(segments: Floats, diameter: Floats | float) -> Floats:
    """(n, 2, 3) the axes of beams with the tips ``segments`` (n, 2, 3), mm; a point where a beam is as wide as long.

    >>> axes(np.array([[[0.0, 0.0, 0.0], [8.0, 0.0, 0.0]]]), 2.0)[0, :, 0].tolist()
    [1.0, 7.0]
    """
    along = segments[:, 1] - segments[:, 0]
    length = np.linalg.norm(along, axis=1)
    share = np.minimum(0.5, np.divide(diameter, 2 * length, out=np.full(len(length), 0.5), where=length > 0.0))
    cut = share[:, None] * along
    return np.stack([segments[:, 0] + cut, segments[:, 1] - cut], axis=1)


def lengths(segments: Floats) -> Floats:
    """(n,) mm, of segments (n, 2, 3)."""
    found: Floats = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    return found


def widths(segments: Floats, obstacles: Obstacles, most: float = np.inf) -> Floats:
    """(n,) mm: the diameter of the widest beam between the ends of each segment (n, 2, 3) that meets no obstacle.

    No beam is wider than it is long. 0 where even the thinnest is blocked. Right to `TOUCH`.

    Args:
        segments: mm, world.
        obstacles: what blocks.
        most: mm: wider beams are not looked for.
    """
    length = lengths(segments)
    radius = np.minimum(length, most) / 2
    left = np.flatnonzero(radius > 0.0)
    for _ in range(ROUNDS):
        if len(left) == 0:
            break
        near = obstacles.nearest(axes(segments[left], 2 * radius[left]), radius[left])
        enters = near.distance < radius[left] - TOUCH / 2
        left, point = left[enters], near.point[enters]
        way = (segments[left, 1] - segments[left, 0]) / length[left, None]
        seen = point - segments[left, 0]
        along = np.einsum("ij,ij->i", seen, way)
        aside = np.linalg.norm(seen - along[:, None] * way, axis=1)
        along = np.minimum(along, length[left] - along)
        with np.errstate(divide="ignore", invalid="ignore"):
            at_end = (along * along + aside * aside) / (2 * along)
        radius[left] = np.minimum(radius[left], np.where(aside <= along, aside, np.where(along > 0.0, at_end, 0.0)))
        radius[left[2 * radius[left] <= GRAZE]] = 0.0
        left = left[radius[left] > 0.0]
    radius[left] = 0.0
    return 2 * radius


def bounds_at(segments: Floats, balls: Floats, obstacles: Obstacles, width: float) -> Floats:
    """(n,) mm: no beam whose tips lie in balls round the ends of a segment is wider than this; inf where that is open.

    Let a beam of ``width`` d be free, its tips p and q within r of the ends of a segment of length l. Each point of the
    segment's own axis at that width lies within r + r d / l of the beam's axis, hence at least d / 2 - r - r d / l from
    all obstacles. Where an obstacle is nearer, there is no such beam, none wider, and the least d for which it is too
    near bounds all.

    Args:
        segments: (n, 2, 3) mm, world.
        balls: (n,) mm, the radius r of both balls.
        obstacles: what blocks.
        width: mm; what is told is inf or less than this.
    """
    length = lengths(segments)
    found = np.where(length + 2 * balls < width, length + 2 * balls, np.inf)
    shrink = 1.0 - 2 * balls / np.where(length > 0.0, length, 1.0)
    told = np.flatnonzero((length > width + 2 * balls) & (2 * balls < width * shrink))
    blocked = obstacles.blocked(axes(segments[told], width))
    found[told[blocked]] = 2 * (balls[told[blocked]] + RAYS_RIGHT_TO) / shrink[told[blocked]]
    free = told[~blocked]
    reach = np.maximum(width * shrink[free] / 2 - balls[free], 0.0)
    distance = obstacles.nearest(axes(segments[free], width), reach).distance
    found[free] = 2 * (distance + balls[free]) / shrink[free]
    found[found >= width] = np.inf
    return found


def bounds(segments: Floats, balls: Floats, obstacles: Obstacles, least: float) -> Floats:
    """(n,) mm: no beam whose tips lie in balls round the ends of a segment is wider than this; never inf.

    Args:
        segments, balls, obstacles: see `bounds_at`.
        least: mm: smaller bounds are not looked for.
    """
    found = lengths(segments) + 2 * balls
    points = balls == 0.0
    found[points] = widths(segments[points], obstacles)
    left: Indices = np.flatnonzero(~points)
    for step in LADDER:
        if len(left) == 0:
            break
        at = step * max(least, 2 * float(balls[left].min()) + RAYS_RIGHT_TO)
        told = bounds_at(segments[left], balls[left], obstacles, at)
        found[left] = np.minimum(found[left], told)
        left = left[told == np.inf]
    return found
