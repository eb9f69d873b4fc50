"""Is there a straight line from a disc to a disc, or to a polygon, that passes through none of the polygons in the way?

Touching is free, and a seam between two polygons that touch is not: a line is free if it is when it is moved by a hair
to its left, or by a hair to its right. If any line is free, it can be moved until it touches two corners, a corner and
a disc, or both discs, and so that both lie on one side of it: moved off them by a hair, it is still free. Those lines
are finitely many, and all are tried, but where very many things stand about only those that can be free.

polygons -> what a line can touch -> the lines that touch two of them -> the free ones -> the one with the most room
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
import shapely

from silhouette.geometry import Flags, Floats
from silhouette.rules.crisis_protocol.line_cells import LineCells, cells_left
from silhouette.rules.crisis_protocol.plan import Disc, Indices, Outlines, between_discs, crossed, to_outlines

MANY_TOUCHES = 120  # where there are more, they are thinned out first
PAIRS_AT_ONCE = 200_000
SIDES_AT_ONCE = 2_000_000  # lines times corners
ROOMS_AT_ONCE = 200
LEFT, RIGHT = 1.0, -1.0
# What reaches by no more than this many hairs into the end of a line is not in its way; by more, where the line was
# moved off what it ends at, and that end is taken from where it was.
AT_AN_END, AT_A_LOST_END = 0.01, 8.0

Target = Disc | Outlines


@dataclass(frozen=True, eq=False)
class Sight:
    """Whether there is a free line, and who is to blame if there is none.

    Attributes:
        line: (2, 2) from where to where one goes, clear of everything where that can be; None if there is none.
        blocking: (polygons,) those through which a line would pass, or, where none is ``alone``, that close a seam;
            none if there is a free line.
        alone: (polygons,) those of them that leave no free line even if all others are taken away.
    """

    line: Floats | None
    blocking: Flags
    alone: Flags


def look(source: Disc, target: Target, blockers: Outlines, hair: float) -> Sight:
    """Looks for a free line from a point of the source to a point of the target.

    Args:
        source: from where.
        target: to where: a disc, or `Outlines` with one polygon.
        blockers: what may be in the way.
        hair: from `silhouette.rules.crisis_protocol.plan.hair_of`.

    >>> near, far = Disc((0.0, 0.0), 2.0), Disc((20.0, 0.0), 2.0)
    >>> wall = Outlines.of([[[9, -9], [10, -9], [10, 2], [9, 2]]])
    >>> look(near, far, wall, 1e-8).line.round(6).tolist()
    [[0.0, 2.0], [20.0, 2.0]]
    >>> higher = Outlines.of([[[9, -9], [10, -9], [10, 2.001], [9, 2.001]]])
    >>> look(near, far, higher, 1e-8).line, look(near, far, higher, 1e-8).alone.tolist()
    (None, [True])
    >>> look(near, near, higher, 1e-8).line.tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    none = np.zeros(len(blockers.starts), dtype=bool)
    direct, contact = _direct(source, target, hair)
    if contact is not None:
        return Sight(np.stack([contact, contact]), none, none)
    near = _may_be_between(source, target, blockers, direct.directions[0], hair)
    seen = _Field(source, target, blockers.chosen(near), hair)
    if not seen.stopped(direct).any():
        return Sight(seen.segment(direct), none, none)
    touches = _touches(source, target, seen.blockers, hair)
    alone = _alone(seen, direct)
    in_the_way = crossed(source, target, seen.blockers, hair)
    if not alone.any():
        for lines in _touching_two(*_where_free(touches, seen, direct), seen):
            stopped = seen.stopped(lines)
            free: Flags = ~np.asarray(stopped.any(axis=2))
            if free.any():
                return Sight(seen.segment(_roomiest(lines, free, touches, seen)), none, none)
            in_the_way |= (stopped & (stopped.sum(axis=2, keepdims=True) == 1)).any(axis=(0, 1))
    alone |= len(alone) == 1
    return Sight(None, _spread(in_the_way | alone, near), _spread(alone, near))


def _alone(seen: _Field, direct: _Lines) -> Flags:
    """(polygons,) those of several that leave no free line even if all others are taken away."""
    alone = np.zeros(len(seen.blockers.starts), dtype=bool)
    for index in np.flatnonzero(seen.stopped(direct).all(axis=(0, 1))) if len(alone) > 1 else ():
        single = seen.blockers.chosen(np.arange(len(alone)) == index)
        alone[index] = look(seen.source, seen.target, single, seen.hair).line is None
    return alone


def _spread(flags: Flags, among: Flags) -> Flags:
    """Flags of those that are flagged in ``among``, as flags of all."""
    every = np.zeros(len(among), dtype=bool)
    every[among] = flags
    return every


@dataclass(frozen=True, eq=False)
class _Lines:
    """Directed straight lines: the points x with ``x @ normal == offset``; the normal points to a line's left.

    Attributes:
        normals: (n, 2) float64, of length one.
        offsets: (n,) float64.
    """

    normals: Floats
    offsets: Floats

    @property
    def directions(self) -> Floats:
        """(n, 2) where each goes."""
        return np.stack([self.normals[:, 1], -self.normals[:, 0]], axis=1)

    def chosen(self, which: Flags | Indices | slice) -> _Lines:
        """Those that are flagged, or at these places."""
        return _Lines(self.normals[which], self.offsets[which])

    def left_of(self, points: Floats) -> Floats:
        """(n, points) how far each point lies to the left of each line."""
        found: Floats = np.outer(self.normals[:, 0], points[:, 0])
        return found + np.outer(self.normals[:, 1], points[:, 1]) - self.offsets[:, None]

    def along(self, points: Floats) -> Floats:
        """(n, points) how far along each line each point lies."""
        found: Floats = np.outer(self.normals[:, 1], points[:, 0])
        return found - np.outer(self.normals[:, 0], points[:, 1])


@dataclass(frozen=True, eq=False)
class _Touches:
    """What a line can touch: corners, crossings of outlines, and the two sides of a disc.

    Attributes:
        points: (n, 2) a corner, or a disc's centre.
        reach: (n,) how far to the left of the point the line passes that touches: 0, or plus or minus a disc's radius.
        before, after: (n, 2) the corners before and after it of the same polygon; itself where there are none.
        pointed: (n,) whether a line that touches can be free there.
    """

    points: Floats
    reach: Floats
    before: Floats
    after: Floats
    pointed: Flags

    def allow(self, which: Indices, lines: _Lines, hair: float) -> Flags:
        """(lines,) whether what each line touches lies on one side of it, as far as it knows of its neighbours."""
        before = np.sum(self.before[which] * lines.normals, axis=1) - lines.offsets
        after = np.sum(self.after[which] * lines.normals, axis=1) - lines.offsets
        through = (np.minimum(before, after) < -hair) & (np.maximum(before, after) > hair)
        allowed: Flags = self.pointed[which] & ~through
        return allowed


@dataclass(frozen=True, eq=False)
class _Field:
    """From where to where is looked, and what is in the way."""

    source: Disc
    target: Target
    blockers: Outlines
    hair: float

    def spans(self, lines: _Lines) -> tuple[Floats, Floats]:
        """(n,) where along each line the source is left, and the target is met; nan where either is missed."""
        start = self._chord(lines, self.source, LEFT)
        if isinstance(self.target, Disc):
            end = self._chord(lines, self.target, RIGHT)
        else:
            end = self._first_meeting(lines, self.target, start)
        return start, np.where(end >= start, end, np.nan)

    def segment(self, line: _Lines) -> Floats:
        """(2, 2) the one line, from where it leaves the source to where it meets the target."""
        start, end = self.spans(line)
        foot = line.normals * line.offsets[:, None]
        ends: Floats = foot + line.directions * np.array([start, end])
        return ends

    def stopped(self, lines: _Lines) -> Flags:
        """(n, 2, polygons) whether a polygon stops a line when it is moved by a hair to its left, and to its right."""
        batch = max(1, SIDES_AT_ONCE // max(1, len(self.blockers.corners)))
        parts = [lines.chosen(slice(first, first + batch)) for first in range(0, len(lines.offsets), batch)]
        return np.concatenate([self._stopped(part) for part in parts] or [self._stopped(lines)])

    def _stopped(self, lines: _Lines) -> Flags:
        blockers = self.blockers
        found = np.zeros((len(lines.offsets), 2, len(blockers.starts)), dtype=bool)
        if found.size == 0:
            return found
        aside, along = lines.left_of(blockers.corners), lines.along(blockers.corners)
        ahead = along[:, blockers.following] - along
        for column, side in enumerate((LEFT, RIGHT)):
            start, end = self._moved_spans(lines, side)
            moved = aside - side * self.hair
            onward = moved[:, blockers.following]
            crosses = (moved > 0.0) != (onward > 0.0)
            crossing = along + ahead * (moved / np.where(crosses, moved - onward, 1.0))
            within = crosses & (crossing > start) & (crossing < end)
            beyond = crosses & (crossing > (start + end) / 2.0)
            inside = np.add.reduceat(beyond, blockers.starts, axis=1, dtype=np.int64) % 2 == 1
            found[:, column] = np.logical_or.reduceat(within, blockers.starts, axis=1) | inside
        return found

    def _moved_spans(self, lines: _Lines, side: float) -> tuple[Floats, Floats]:
        """(n, 1) and (n, 1) between where along each line, moved by a hair to one side, nothing may stand."""
        moved = self.spans(_Lines(lines.normals, lines.offsets + side * self.hair))
        ends = [
            np.where(np.isfinite(here), here + way * AT_AN_END * self.hair, there + way * AT_A_LOST_END * self.hair)
            for way, here, there in zip((1.0, -1.0), moved, self.spans(lines), strict=True)
        ]
        return ends[0][:, None], ends[1][:, None]

    def _chord(self, lines: _Lines, disc: Disc, end: float) -> Floats:
        """(n,) where along each line it leaves (`LEFT`) or meets (`RIGHT`) a disc; nan where it misses it."""
        centre = np.array([disc.centre])
        aside, along = lines.left_of(centre)[:, 0], lines.along(centre)[:, 0]
        half = np.sqrt(np.maximum((disc.radius - aside) * (disc.radius + aside), 0.0))
        return np.where(np.abs(aside) <= disc.radius + self.hair, along + end * half, np.nan)

    def _first_meeting(self, lines: _Lines, outline: Outlines, start: Floats) -> Floats:
        """(n,) where along each line, after ``start``, it first meets or touches an outline; nan where it does not."""
        aside, along = lines.left_of(outline.corners), lines.along(outline.corners)
        onward, ahead = aside[:, outline.following], along[:, outline.following] - along
        crosses = (aside > 0.0) != (onward > 0.0)
        crossing = np.where(crosses, along + ahead * (aside / np.where(crosses, aside - onward, 1.0)), np.inf)
        meetings = np.concatenate([crossing, np.where(np.abs(aside) <= self.hair, along, np.inf)], axis=1)
        first = np.where(meetings >= start[:, None], meetings, np.inf).min(axis=1)
        return np.where(np.isfinite(first), first, np.nan)


def _direct(source: Disc, target: Target, hair: float) -> tuple[_Lines, Floats | None]:
    """The line straight at the target, and, where source and target touch or overlap, a point (2,) that both share."""
    centre = np.array(source.centre)
    if isinstance(target, Disc):
        across = np.array(target.centre) - centre
        touching = between_discs(source, target) <= hair
    else:
        nearest = shapely.shortest_line(shapely.Point(source.centre), target.polygons[0])
        across = shapely.get_coordinates(nearest)[1] - centre
        touching = bool(to_outlines(source, target)[0] <= hair)
    apart = float(np.hypot(*across))
    direction = across / apart if apart else np.array([1.0, 0.0])
    normal = np.array([-direction[1], direction[0]])
    line = _Lines(normal[None], np.array([normal @ centre]))
    if not touching:
        return line, None
    if isinstance(target, Outlines):
        return line, centre + across
    least = max(-source.radius, apart - target.radius)
    most = min(source.radius, apart + target.radius)
    return line, centre + direction * (least + most) / 2.0


def _may_be_between(source: Disc, target: Target, blockers: Outlines, direction: Floats, hair: float) -> Flags:
    """(polygons,) those that reach into the rectangle round source and target along a direction (2,)."""
    axes = np.array([direction, [-direction[1], direction[0]]]).T
    discs = [source, target] if isinstance(target, Disc) else [source]
    round_ones = [np.array(disc.centre) @ axes + sign * disc.radius for disc in discs for sign in (-1.0, 1.0)]
    ends = np.array(round_ones)
    if isinstance(target, Outlines):
        ends = np.concatenate([ends, target.corners @ axes])
    if not len(blockers.starts):
        return np.zeros(0, dtype=bool)
    corners = blockers.corners @ axes
    least, most = (each.reduceat(corners, blockers.starts, axis=0) for each in (np.minimum, np.maximum))
    flags: Flags = ((least <= ends.max(axis=0) + hair) & (most >= ends.min(axis=0) - hair)).all(axis=1)
    return flags


def _touches(source: Disc, target: Target, blockers: Outlines, hair: float) -> _Touches:
    """Everything that a line which moves can come to touch."""
    corners = blockers.corners
    before, after = corners[blockers.preceding], corners[blockers.following]
    found = [_Touches(corners, np.zeros(len(corners)), before, after, blockers.pointed)]
    discs = [source, target] if isinstance(target, Disc) else [source]
    for disc in discs:
        found.append(_free_touches(np.array([disc.centre] * 2), np.array([disc.radius, -disc.radius])))
        found.append(_free_touches(_on_rim(blockers, disc, hair)))
    if isinstance(target, Outlines):
        found.append(_free_touches(target.corners))
        found.append(_free_touches(_crossings(blockers, target)))
    names = [field.name for field in fields(_Touches)]
    return _Touches(**{name: np.concatenate([getattr(each, name) for each in found]) for name in names})


def _free_touches(points: Floats, reach: Floats | None = None) -> _Touches:
    """Touches that any line can pass, whatever its direction."""
    reach = np.zeros(len(points)) if reach is None else reach
    return _Touches(points, reach, points + 0.0, points + 0.0, np.ones(len(points), dtype=bool))


def _on_rim(outlines: Outlines, disc: Disc, hair: float) -> Floats:
    """(n, 2) where the edges of outlines cross or touch a disc's rim: what lies within the disc is not in the way."""
    start = outlines.corners - np.array(disc.centre)
    step = outlines.corners[outlines.following] - outlines.corners
    square, slope = np.sum(step * step, axis=1), np.sum(start * step, axis=1)
    root = slope**2 - square * (np.sum(start * start, axis=1) - disc.radius**2)
    half = np.sqrt(np.maximum(root, 0.0))
    meets = root >= -2.0 * disc.radius * hair * square
    found = []
    for share in ((-slope - half) / square, (-slope + half) / square):
        crosses = meets & (share >= 0.0) & (share <= 1.0)
        found.append((outlines.corners + step * share[:, None])[crosses])
    return np.concatenate(found)


def _crossings(some: Outlines, others: Outlines) -> Floats:
    """(n, 2) where edges of some outlines cross edges of others: what lies within the target is not in the way."""
    start, there = some.corners[:, None], others.corners[None]
    step = some.corners[some.following][:, None] - start
    side = others.corners[others.following][None] - there
    turn = step[..., 0] * side[..., 1] - step[..., 1] * side[..., 0]
    slanting = turn != 0.0
    apart, turn = there - start, np.where(slanting, turn, 1.0)
    share = (apart[..., 0] * side[..., 1] - apart[..., 1] * side[..., 0]) / turn
    other = (apart[..., 0] * step[..., 1] - apart[..., 1] * step[..., 0]) / turn
    crosses = slanting & (share >= 0.0) & (share <= 1.0) & (other >= 0.0) & (other <= 1.0)
    points: Floats = (start + step * share[..., None])[crosses]
    return points


def _where_free(touches: _Touches, seen: _Field, direct: _Lines) -> tuple[_Touches, LineCells | None]:
    """Those touches that a free line can have, and, where there are many, the cells in which it can be."""
    cells, kept = None, touches.pointed
    if len(kept) > MANY_TOUCHES:
        cells = cells_left(seen.source, seen.target, seen.blockers, direct.directions[0], seen.hair)
    if cells is not None:
        kept = kept & ((touches.reach != 0.0) | cells.passed(touches.points))
    return _Touches(**{field.name: getattr(touches, field.name)[kept] for field in fields(_Touches)}), cells


def _touching_two(touches: _Touches, cells: LineCells | None, seen: _Field) -> Iterator[_Lines]:
    """The lines from source to target that touch two things without passing through them there, some at a time."""
    count = len(touches.reach)
    rows = max(1, PAIRS_AT_ONCE // max(1, count))
    batch = max(ROOMS_AT_ONCE, SIDES_AT_ONCE // max(1, len(seen.blockers.corners)))
    for first in range(0, count, rows):
        one, other = _pairs(first, min(first + rows, count), count)
        lines, pair = _through(touches, one, other, seen.hair)
        for step in (one, other):
            allowed = touches.allow(step[pair], lines, seen.hair)
            lines, pair = lines.chosen(allowed), pair[allowed]
        lines = lines.chosen(np.isfinite(seen.spans(lines)[1]))
        if cells is not None:
            lines = lines.chosen(cells.distinct(lines.normals, lines.offsets))
        for start in range(0, len(lines.offsets), batch):
            yield lines.chosen(slice(start, start + batch))


def _pairs(first: int, last: int, count: int) -> tuple[Indices, Indices]:
    """Every pair of one of those from ``first`` to ``last`` and a later one, of so many."""
    one, other = np.nonzero(np.arange(first, last)[:, None] < np.arange(count))
    return one + first, other


def _through(touches: _Touches, one: Indices, other: Indices, hair: float) -> tuple[_Lines, Indices]:
    """The two directed lines that touch both of each pair, and (lines,) of which pair each is."""
    step = touches.points[other] - touches.points[one]
    apart = np.hypot(step[:, 0], step[:, 1])
    wanted = touches.reach[one] - touches.reach[other]
    pair = np.flatnonzero((apart > hair) & (np.abs(wanted) <= apart + hair))
    step, apart, wanted = step[pair] / apart[pair, None], apart[pair], wanted[pair]
    cosine = np.clip(wanted / apart, -1.0, 1.0)
    # A corner on the rim of a disc: rounding would turn the one line there into two that miss each other.
    sine = np.where(np.abs(wanted) < apart - hair, np.sqrt(1.0 - cosine**2), 0.0)
    cosine = np.where(sine == 0.0, np.sign(cosine), cosine)
    across = np.stack([-step[:, 1], step[:, 0]], axis=1)
    normals = np.concatenate([step * cosine[:, None] + turn * across * sine[:, None] for turn in (LEFT, RIGHT)])
    pair = np.concatenate([pair, pair])
    offsets = np.sum(touches.points[one[pair]] * normals, axis=1) + touches.reach[one[pair]]
    return _Lines(normals, offsets), pair


def _roomiest(lines: _Lines, free: Flags, touches: _Touches, seen: _Field) -> _Lines:
    """Of free lines, (lines, 2) to their left and right, one moved to the middle of the room that it has there."""
    which, column = (each[:ROOMS_AT_ONCE] for each in np.nonzero(free))
    side = np.where(column == 0, LEFT, RIGHT)
    lines = lines.chosen(which)
    beside = side[:, None] * (lines.left_of(touches.points) + touches.reach)
    room = np.where(beside > seen.hair, beside, np.inf).min(axis=1)
    room = np.where(np.isfinite(room), room, 0.0)
    moved = _Lines(lines.normals, lines.offsets + side * room / 2.0)
    clear = np.isfinite(seen.spans(moved)[1]) & ~seen.stopped(moved).any(axis=(1, 2))
    best = int(np.argmax(np.where(clear, room, -1.0)))
    chosen = moved if clear[best] else lines
    return chosen.chosen(np.array([best]))
