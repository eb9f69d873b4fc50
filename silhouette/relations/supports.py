"""Directed lines, and the supports that a line between two pieces can touch: corners, crossings, sides of discs.

polygons -> supports -> pairs of supports -> the directed lines that touch both
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from silhouette.geometry import Flags, Floats
from silhouette.relations.plane_geometry import Disc, Indices, Outlines

LEFT, RIGHT = 1.0, -1.0
"""The side of a directed line, as the sign of the distance to its left."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Directed straight lines, of the points x with ``x @ normal == offset``; the normal points to the line's left.

    Attributes:
        normals: (n, 2) float64, of length one.
        offsets: (n,) float64.
    """

    normals: Floats
    offsets: Floats

    @property
    def directions(self) -> Floats:
        """(n, 2) the direction of each, of length 1: its normal, turned clockwise."""
        return np.stack([self.normals[:, 1], -self.normals[:, 0]], axis=1)

    def chosen(self, which: Flags | Indices | slice) -> Lines:
        """The lines that are flagged, or those with these numbers."""
        return Lines(self.normals[which], self.offsets[which])

    def left_of(self, points: Floats) -> Floats:
        """(n, points) the distance of each point to the left of each line, negative to its right."""
        across: Floats = np.outer(self.normals[:, 0], points[:, 0])
        return across + np.outer(self.normals[:, 1], points[:, 1]) - self.offsets[:, None]

    def along(self, points: Floats) -> Floats:
        """(n, points) the position of each point along each line."""
        along: Floats = np.outer(self.normals[:, 1], points[:, 0])
        return along - np.outer(self.normals[:, 0], points[:, 1])


@dataclass(frozen=True, eq=False)
class Supports:
    """What a line can touch: corners of polygons, crossings of outlines, and the two sides of a disc.

    Attributes:
        points: (n, 2) a corner, a crossing, or the centre of a disc.
        reach: (n,) the distance to the left of the point at which a line that touches passes: 0, or plus or minus the
            radius of the disc.
        before, after: (n, 2) the corners before and after a corner of a polygon; the point itself where it is none.
        convex: (n,) whether a line that touches can be free there.
    """

    points: Floats
    reach: Floats
    before: Floats
    after: Floats
    convex: Flags

    def allow(self, which: Indices, lines: Lines, epsilon: float) -> Flags:
        """(lines,) whether each line touches its support ``which`` (lines,) and does not cut the corner off.

        ----o----  touches: both neighbours          --o      cuts: one neighbour lies on each side of the line
           / :     lie on one side of the line          :-.
        """
        before = np.sum(self.before[which] * lines.normals, axis=1) - lines.offsets
        after = np.sum(self.after[which] * lines.normals, axis=1) - lines.offsets
        through = (np.minimum(before, after) < -epsilon) & (np.maximum(before, after) > epsilon)
        allowed: Flags = self.convex[which] & ~through
        return allowed


def supports_of(source: Disc | Outlines, target: Disc | Outlines, blockers: Outlines, epsilon: float) -> Supports:
    """Everything that a line between source and target can touch."""
    parts = [_supports_of(blockers)]
    for end in (source, target):
        if isinstance(end, Disc):
            parts.append(_open_supports(np.array([end.centre] * 2), np.array([end.radius, -end.radius])))
            parts.append(_open_supports(_crossings_with_disc(blockers, end, epsilon)))
        else:
            # A target may be concave, and a line may end in its bay; where the source is a polygon, both are convex.
            parts.append(_supports_of(end) if isinstance(source, Outlines) else _open_supports(end.corners))
            parts.append(_open_supports(_crossings(blockers, end)))
    names = [field.name for field in fields(Supports)]
    return Supports(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def _supports_of(outlines: Outlines) -> Supports:
    """The corners of outlines, where no line may cut them off."""
    corners = outlines.corners
    before, after = corners[outlines.preceding], corners[outlines.following]
    return Supports(corners, np.zeros(len(corners)), before, after, outlines.convex)


def _open_supports(points: Floats, reach: Floats | None = None) -> Supports:
    """Supports that a line can touch from any direction."""
    reach = np.zeros(len(points)) if reach is None else reach
    return Supports(points, reach, points + 0.0, points + 0.0, np.ones(len(points), dtype=bool))


def _crossings_with_disc(outlines: Outlines, disc: Disc, epsilon: float) -> Floats:
    """(n, 2) where edges of outlines cross or touch a disc's circle: what lies within the disc is not in the way.

    On the edge from a corner in steps of share s, |start + s step|^2 = radius^2 is a quadratic equation.
    """
    start = outlines.corners - np.array(disc.centre)
    step = outlines.corners[outlines.following] - outlines.corners
    square, slope = np.sum(step * step, axis=1), np.sum(start * step, axis=1)
    root = slope**2 - square * (np.sum(start * start, axis=1) - disc.radius**2)
    half = np.sqrt(np.maximum(root, 0.0))
    meets = root >= -2.0 * disc.radius * epsilon * square
    points = []
    for share in ((-slope - half) / square, (-slope + half) / square):
        crosses = meets & (share >= 0.0) & (share <= 1.0)
        points.append((outlines.corners + step * share[:, None])[crosses])
    return np.concatenate(points)


def _crossings(some: Outlines, others: Outlines) -> Floats:
    """(n, 2) the points where edges of some outlines cross edges of the others, those of the target.

    What lies within the target is not in the way, so that a line may end at such a crossing.
    """
    start, there = some.corners[:, None], others.corners[None]
    step = some.corners[some.following][:, None] - start
    side = others.corners[others.following][None] - there
    turn = step[..., 0] * side[..., 1] - step[..., 1] * side[..., 0]
    slanting = turn != 0.0
    apart, turn = there - start, np.where(slanting, turn, 1.0)
    share_of_some = (apart[..., 0] * side[..., 1] - apart[..., 1] * side[..., 0]) / turn
    share_of_others = (apart[..., 0] * step[..., 1] - apart[..., 1] * step[..., 0]) / turn
    crosses = (
        slanting & (share_of_some >= 0.0) & (share_of_some <= 1.0) & (share_of_others >= 0.0) & (share_of_others <= 1.0)
    )
    points: Floats = (start + step * share_of_some[..., None])[crosses]
    return points


def pairs(first: int, last: int, count: int) -> tuple[Indices, Indices]:
    """(pairs,) and (pairs,) the numbers of all pairs of ``count`` things: one in [first, last), and a later one."""
    earlier, later = np.nonzero(np.arange(first, last)[:, None] < np.arange(count))
    return earlier + first, later


def lines_touching(supports: Supports, first: Indices, second: Indices, epsilon: float) -> tuple[Lines, Indices]:
    """The directed lines that touch both supports of each pair, and (lines,) the number of each line's pair.

    With d the distance between the two points and r1 - r2 the difference of their reaches, the normal stands at the
    angle to the step from first to second of which (r1 - r2) / d is the cosine: one solution to its left, one to its
    right.
    """
    step = supports.points[second] - supports.points[first]
    apart = np.hypot(step[:, 0], step[:, 1])
    wanted = supports.reach[first] - supports.reach[second]
    pair = np.flatnonzero((apart > epsilon) & (np.abs(wanted) <= apart + epsilon))
    step, apart, wanted = step[pair] / apart[pair, None], apart[pair], wanted[pair]
    cosine = np.clip(wanted / apart, -1.0, 1.0)
    # A corner on the circle of a disc: there is one line, which rounding would turn into two that lie apart.
    sine = np.where(np.abs(wanted) < apart - epsilon, np.sqrt(1.0 - cosine**2), 0.0)
    cosine = np.where(sine == 0.0, np.sign(cosine), cosine)
    across = np.stack([-step[:, 1], step[:, 0]], axis=1)
    normals = np.concatenate([step * cosine[:, None] + turn * across * sine[:, None] for turn in (LEFT, RIGHT)])
    pair = np.concatenate([pair, pair])
    offsets = np.sum(supports.points[first[pair]] * normals, axis=1) + supports.reach[first[pair]]
    return Lines(normals, offsets), pair
