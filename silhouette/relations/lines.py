"""RELATE: the widest straight beam between two point sets that nothing blocks: pairs of balls round the points between
which all lines are blocked are left out, the others cut again.

That all lines between two balls are blocked, however thin, is proven by the sheets of surface that they cross. The
lines between two balls lie in a shaft. The triangles of an obstacle that reach into it make up sheets, joined at their
edges. A sheet whose rim lies outside the shaft, and that touches neither ball, is crossed by all of these lines an odd
number of times, or by all an even number of times: nothing changes while a line moves. Odd is more than none.

What stands on the ground is taken as if it went on below: no line between two sets passes below both. A line along the
table runs under a wall that stands on it, and touches its lower face, exactly: a case that no search could settle, and
that no player means.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from silhouette.common.errors import go_on
from silhouette.common.geometry import Flags, Floats, components, nearest_of_segments, nearest_of_triangles
from silhouette.common.lazy import derived
from silhouette.meshes.mesh import Mesh, merge_equal
from silhouette.relations.beams import BEAM_TOUCH_MM, RAYS_RIGHT_TO, axes, bounds, bounds_at, lengths, widened, widths
from silhouette.relations.obstacles import Blocker, Indices, Obstacles
from silhouette.relations.points import Balls, ErrorBound, PointSet, balls
from silhouette.relations.visible import observed, seen_points
from silhouette.scenes.surfaces import is_upright

# ---- proofs that all lines are blocked

SLACK = 1e-6  # mm: by so much a shaft is taken as wider than it is
# Faces larger than this share of a shaft are told from those beside it by distance, not by a ball.
LARGE_FACE_SHARE = 0.5

CROSSING_OFFSETS = 0.3 * np.array([[0.48, 0.6, 0.64], [0.36, -0.48, 0.8]])
"""Shares of the radii of both balls, by which the line whose crossings are counted lies beside the middles: these often
lie in the plane of an edge, such as that of the ground, and any line of a shaft tells the same."""

# A line that passes an edge nearer than this share of the triangle's size leaves open on which side.
EDGE_TOLERANCE_SHARE = 1e-9


@dataclass(frozen=True, eq=False)
class _MeshFaces:
    """The faces of a mesh."""

    edges: NDArray[np.int64]  # (m, 3) the edges of each face; corners at one place are one, whatever their numbers
    even: Flags  # (e,) whether each edge belongs to an even number of faces; else it is a rim
    middle: Floats  # (m, 3) mm, in the mesh's frame, and ``radius`` (m,): a ball that holds each face
    radius: Floats


def all_blocked(segments: Floats, balls: Floats, obstacles: Obstacles, most: int) -> tuple[Flags, int]:
    """(n,) whether all lines between balls, of radii (n, 2) mm, round the ends of a segment (n, 2, 3) mm, world, are
    proven to be blocked; and the faces it took, about ``most``: what is not proven by then stays open.
    """
    looked = 0
    proven = np.zeros(len(segments), dtype=np.bool_)
    for number in range(len(obstacles.meshes)) if most > 0 else ():
        open_ = np.flatnonzero(~proven)
        rows = open_[obstacles.blocked_by(number, segments[open_])]
        mesh, pose = obstacles.meshes[number], obstacles.poses[number]
        local = pose.localise(segments[rows])
        for row, face in obstacles.faces_near(number, segments[rows], balls[rows].max(axis=1) + SLACK):
            if looked > most:
                return proven, looked
            looked += len(face)
            proven[rows[_proven(mesh, local, balls[rows], row, face)]] = True
    return proven, looked


def _proven(mesh: Mesh, segments: Floats, balls: Floats, row: Indices, face: Indices) -> Indices:
    """Which of the segments, in the mesh's frame, are proven to be blocked by sheets of faces, given row by row."""
    surface = _surface(mesh)
    shaft = balls[row].max(axis=1) + SLACK
    size = surface.radius[face]
    away, there = _from_lines(segments, row, surface.middle[face])
    near = away <= shaft + size
    large = np.flatnonzero(near & (size > LARGE_FACE_SHARE * shaft) & (away > shaft - size))
    ends = segments[row[large], 0], segments[row[large], 1]
    near[large] = nearest_of_triangles(*ends, _corners(mesh, face[large]))[0] <= shaft[large]
    row, face, shaft, size, away, there = (part[near] for part in (row, face, shaft, size, away, there))
    if len(row) == 0:
        return row
    spoilt, odd = np.zeros(len(row), dtype=np.bool_), np.zeros(len(row), dtype=np.bool_)
    lines = segments + balls[:, :, None] * CROSSING_OFFSETS
    met = np.flatnonzero(away <= size + shaft)
    odd[met], spoilt[met] = _crossed(lines[row[met]], _corners(mesh, face[met]))
    is_rim = ~surface.even[surface.edges[face]]
    rim = np.flatnonzero(is_rim.any(axis=1))
    spoilt[rim] |= _rims_inside(segments[row[rim]], _corners(mesh, face[rim]), is_rim[rim], shaft[rim])
    for end in (0, 1):
        ball = balls[row, end] + SLACK
        close = np.flatnonzero((there <= ball + size) if end == 0 else (there >= lengths(segments)[row] - ball - size))
        point = segments[row[close], end]
        apart, _ = nearest_of_triangles(point, point, _corners(mesh, face[close]))
        spoilt[close] |= apart <= ball[close]
    sheet = _sheets(row, surface.edges[face], len(surface.even))
    count = int(sheet.max()) + 1
    holds = (np.bincount(sheet[odd], minlength=count) % 2 == 1) & (np.bincount(sheet[spoilt], minlength=count) == 0)
    return np.unique(row[holds[sheet]])


def _sheets(row: Indices, edges: NDArray[np.int64], count: int) -> Indices:
    """(n,) the sheet of each face: faces of one row that have an edge in common, one by one, belong together."""
    key = (row[:, None] * count + edges).ravel()
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    return components(np.column_stack([order[same], order[same + 1]]) // 3, len(row))


def _crossed(segments: Floats, corners: Floats) -> tuple[Flags, Flags]:
    """(n,) whether segments (n, 2, 3) cross triangles (n, 3, 3), and whether that is unclear: at an edge, or an end."""
    way = segments[:, 1] - segments[:, 0]
    seen = corners - segments[:, :1]
    sides = np.stack([np.einsum("ij,ij->i", np.cross(seen[:, k], seen[:, (k + 1) % 3]), way) for k in range(3)], axis=1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    before = np.einsum("ij,ij->i", normal, segments[:, 0] - corners[:, 0])
    after = np.einsum("ij,ij->i", normal, segments[:, 1] - corners[:, 0])
    reach = np.linalg.norm(seen, axis=2).max(axis=1)
    slack = EDGE_TOLERANCE_SHARE * reach * reach * np.linalg.norm(way, axis=1)
    # a face seen edge-on, or without area, is clearly missed only where one corner's side says so
    missed = (sides.min(axis=1) < -slack) & (sides.max(axis=1) > slack)
    unclear = ~missed & ((np.abs(sides) <= slack[:, None]).any(axis=1))
    height = EDGE_TOLERANCE_SHARE * np.linalg.norm(normal, axis=1) * reach
    beyond = (before * after > 0.0) & (np.minimum(np.abs(before), np.abs(after)) > height)
    unclear |= ~missed & (np.minimum(np.abs(before), np.abs(after)) <= height)
    unclear &= ~beyond
    return ~missed & ~unclear & (before * after < 0.0), unclear


def _rims_inside(segments: Floats, corners: Floats, is_rim: Flags, shaft: Floats) -> Flags:
    """(n,) whether a rim of the mesh, an edge (n, 3) of a face, reaches into the shaft."""
    inside = np.zeros(len(corners), dtype=np.bool_)
    for corner in range(3):
        rows = np.flatnonzero(is_rim[:, corner])
        origin = corners[rows, corner]
        edge = corners[rows, (corner + 1) % 3] - origin
        start, along = segments[rows, 0], segments[rows, 1] - segments[rows, 0]
        first, second = nearest_of_segments(start, along, origin, edge)
        apart = start + first[:, None] * along - origin - second[:, None] * edge
        inside[rows] |= np.linalg.norm(apart, axis=1) <= shaft[rows]
    return inside


def _corners(mesh: Mesh, face: Indices) -> Floats:
    """(n, 3, 3) mm: the corners of faces, in the mesh's frame."""
    return np.take(mesh.vertices, mesh.faces[face], axis=0)


def _from_lines(segments: Floats, row: Indices, points: Floats) -> tuple[Floats, Floats]:
    """(n,) mm: how far points (n, 3) are from segments (k, 2, 3), each from its own, and how far along it they lie."""
    way = segments[:, 1] - segments[:, 0]
    length = np.linalg.norm(way, axis=1)
    way /= np.where(length > 0.0, length, 1.0)[:, None]
    own, seen = way[row], points - segments[row, 0]
    along = np.einsum("ij,ij->i", seen, own)
    seen -= np.clip(along, 0.0, length[row])[:, None] * own
    return np.linalg.norm(seen, axis=1), along


@derived
def _surface(mesh: Mesh) -> _MeshFaces:
    faces = merge_equal(mesh.vertices)[1][mesh.faces].astype(np.int64)
    ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2), axis=2).reshape(-1, 2)
    _, number, counts = np.unique(ends @ [len(mesh.vertices), 1], return_inverse=True, return_counts=True)
    corners = mesh.vertices[mesh.faces]
    middle = (corners.min(axis=1) + corners.max(axis=1)) / 2
    radius = np.sqrt(((corners - middle[:, None]) ** 2).sum(axis=2).max(axis=1))
    return _MeshFaces(number.reshape(-1, 3), counts % 2 == 0, middle, radius)


# ---- what stands on the ground

UNDERSIDE_HEIGHT = 1e-3  # mm: what lies no higher than this above the lowest point of a mesh is its underside


def sunk(blockers: Iterable[Blocker], lowest: float, by: float) -> list[Blocker]:
    """The same blockers, undersides of those that reach down to z ``lowest`` moved lower: no line passes below."""
    lowered = []
    for piece, mesh in blockers:
        is_low = len(mesh.faces) > 0 and is_upright(piece.pose)
        if is_low and mesh.bounds[0, 2] + piece.pose.translation[2] <= lowest + UNDERSIDE_HEIGHT:
            lowered.append((piece, _lower(mesh, by)))
        else:
            lowered.append((piece, mesh))
    return lowered


@derived
def _lower(mesh: Mesh, by: float) -> Mesh:
    """A mesh whose flat underside, where it has one, is moved straight down; what is above it stays as it is.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> crate = solid(Solid(Box((2.0, 2.0, 2.0))))
    >>> _lower(crate, 9.0).bounds[:, 2].tolist(), len(_lower(crate, 9.0).faces) - len(crate.faces)
    ([-9.0, 2.0], 8)
    """
    points, faces = merge_equal(mesh.vertices)
    faces = faces[mesh.faces]
    flat = (points[faces, 2] <= mesh.bounds[0, 2] + UNDERSIDE_HEIGHT).all(axis=1)
    if not flat.any():
        return mesh
    count = len(points)
    lower = points - np.array([0.0, 0.0, by])
    under = faces[flat].astype(np.int64)
    starts, ends = under.ravel(), np.roll(under, -1, axis=1).ravel()
    # The rim of the underside: edges that no other face of it has the other way round.
    rim = ~np.isin(starts * count + ends, ends * count + starts)
    u, v = starts[rim], ends[rim]
    skirt = np.concatenate([np.column_stack([u, v, v + count]), np.column_stack([u, v + count, u + count])])
    every = np.concatenate([faces[~flat], under + count, skirt]).astype(np.int32)
    return Mesh(np.concatenate([points, lower]), every, np.zeros(len(every), np.int32))


# ---- the search

BEAM_SAMPLE_SPACING_MM = 0.4  # mm: the spacing of samples by default: it decides whether there is a line of 1 mm
BALL_PAIRS_AT_ONCE = 30_000  # pairs of balls that are looked into together; of more, those that promise most come first
MAX_BALL_PAIRS = 200_000  # pairs of balls that are looked at for one question; what is left is told in the error

FEW_ALONG, FEW_PAIRS = 24.0, 2_000
"""Few samples are so many along the longest side of a set; so many pairs of balls of them are looked at, at most."""

TIPS_LEVEL = 4  # of the tree of balls round a set: its 16 middles are the ends of beams that are tried before a search
MAX_QUICK_BEAMS, QUICK_BEAMS_AT_ONCE = 24, 6  # of these beams, whose clearance is worked out exactly
STICKS_AT_ONCE = 16  # beams whose clearance is estimated together: mostly one of the first has enough

MUCH_FEWER = 2.5  # between few samples is looked first where they lie so many times as far apart as all
MAX_TRIED_LINES = 48  # free lines on each level whose width is worked out
MAX_MOVED_LINES = 4  # lines that are moved to where their beams are wider, at most
COUNTED = 512  # lines of which it is counted what blocks them
SUNK = 100.0  # mm by which what stands on the ground goes on below it
MAX_SHAFT_FACES = 2_000_000  # pairs of a shaft and a face in it that are looked at for one question


def widest_line(
    start: PointSet,
    end: PointSet,
    blockers: Iterable[Blocker],
    *,
    least: float = 0.0,
    resolution: float = BEAM_SAMPLE_SPACING_MM,
    effort: float = 1.0,
) -> ErrorBound:
    """The diameter of the widest straight round beam that leads from a point of one set to a point of another.

    A beam has round ends, whose tips are the two points: like a string held by both, it is cut short by its own radius,
    and is never wider than long. It may touch blockers, by up to 1e-6 mm, and crosses none. A tip that lies in or on a
    blocker leads no beam, unless square away from a face; the points beside it may. A line that only grazes has no
    width. The sets themselves block nothing, unless they are among the blockers. What reaches down to the lowest point
    of both sets is taken to go on below: no line passes under it.

    The search stops at the first beam found that is ``least`` wide, and looks between few samples of both sets before
    it looks between all: there may be wider ones, and none is told as wider than twice that. With 0 it looks for any,
    and the value is above 0, up to 2 mm, where it finds one. With ``inf`` it looks for the widest.

    Args:
        start, end: the sets; to swap them changes nothing.
        blockers: pieces with the part of each that blocks, in the frame of its model.
        least: mm: the width that is compared with.
        resolution: mm: no point of a set is farther than this from a point that is tried.
        effort: how much is looked at before what is left is told as an error, 1 being about a second.

    Returns:
        mm: the width of a beam that was found, 0 where there is none; with its error it reaches the greatest width that
        any may have, as far as the search could exclude it. One of ``least`` is excluded where both are less together;
        to exclude one of 1 mm, ``resolution`` must be below 0.5 mm. ``lines`` has the beam's axis, from tip to tip;
        ``by`` the pieces that block most lines, where no beam of ``least`` was found.

    >>> above, below = PointSet.of_points(np.array([[0.0, 0, 9]])), PointSet.of_points(np.array([[0.0, 0, 0]]))
    >>> widest_line(above, below, [], least=1.0).value, widest_line(above, below, [], least=np.inf).value
    (2.0, 9.0)
    """
    obstacles = _obstacles(start, end, blockers, _greatest(least))
    search = _searched((start, end), obstacles, least, resolution, effort)
    if not search.is_found and search.most > 0.0 and least == 0.0:
        search.look()
    by = () if search.is_found else search.blocking()
    error = 0.0 if search.is_found else max(0.0, search.most - search.width)
    if not search.is_found and search.width > 0.0 and np.isfinite(least) and least - search.width <= BEAM_TOUCH_MM:
        return ErrorBound(least, error, search.segment[None], by)
    lines = search.segment[None] if search.width > 0.0 else np.zeros((0, 2, 3))
    return ErrorBound(search.width, error, lines, by)


def has_quick_beam(start: PointSet, end: PointSet, blockers: Iterable[Blocker], width: float) -> bool:
    """Whether a beam of a width, mm, is free between some points of two sets, a few of each, spread over it. Where it
    is, `widest_line` finds one as well, which takes longer; where it is not, others may be.

    >>> above, below = PointSet.of_points(np.array([[0.0, 0, 9]])), PointSet.of_points(np.array([[0.0, 0, 0]]))
    >>> has_quick_beam(above, below, [], 9.0), has_quick_beam(above, below, [], 9.5)
    (True, False)
    """
    obstacles = _obstacles(start, end, blockers, width)
    tips = [_tips(points) for points in (start, end)]
    first, second = np.indices([len(side) for side in tips]).reshape(2, -1)
    segments = np.stack([tips[0][first], tips[1][second]], axis=1)
    sticks = axes(segments[lengths(segments) >= width], width)
    sticks = sticks[~obstacles.blocked(sticks)]
    rooms = [np.empty(0)]
    for start_at in range(0, len(sticks), STICKS_AT_ONCE):
        rooms.append(obstacles.clearance(sticks[start_at : start_at + STICKS_AT_ONCE]))
        if rooms[-1].max() >= width / 2.0:
            return True
    sticks = sticks[np.argsort(-np.concatenate(rooms), kind="stable")]
    for few in np.split(sticks[:MAX_QUICK_BEAMS], range(QUICK_BEAMS_AT_ONCE, MAX_QUICK_BEAMS, QUICK_BEAMS_AT_ONCE)):
        near = obstacles.nearest(few, np.full(len(few), width / 2.0))
        if (near.distance >= (width - BEAM_TOUCH_MM) / 2.0).any():
            return True
    return False


def _tips(points: PointSet) -> Floats:
    """(n, 3) mm, world: few points of a set, spread over it."""
    tree = balls(points, max(BEAM_SAMPLE_SPACING_MM, float(np.ptp(points.box, axis=0).max()) / FEW_ALONG))
    level = min(TIPS_LEVEL, len(tree.radius) - 1)
    return tree.middles(level, np.arange(1 << level))


def _obstacles(start: PointSet, end: PointSet, blockers: Iterable[Blocker], reach: float) -> Obstacles:
    boxes = start.box, end.box
    lowest = float(min(box[0, 2] for box in boxes))
    return Obstacles(sunk(blockers, lowest, SUNK), boxes, reach)


def _searched(
    points: tuple[PointSet, PointSet], obstacles: Obstacles, least: float, resolution: float, effort: float
) -> _BeamSearch:
    """The search for a beam after it was run: between few samples and, if none is found, between all."""
    few = [max(resolution, float(np.ptp(side.box, axis=0).max()) / FEW_ALONG) for side in points]
    stages = [([resolution] * 2, effort)]
    if least < np.inf and max(few) >= MUCH_FEWER * resolution:
        stages.insert(0, (few, FEW_PAIRS / MAX_BALL_PAIRS))
    for spacings, much in stages:
        trees = balls(points[0], spacings[0], points[1].box), balls(points[1], spacings[1], points[0].box)
        search = _BeamSearch(points, trees, obstacles, least, resolution, much)
        search.run()
        if search.is_found:
            break
    return search


@dataclass(eq=False)
class _BeamSearch:
    """The search for the widest beam: pairs of balls, from coarse to fine; see `widest_line`."""

    points: tuple[PointSet, PointSet]
    trees: tuple[Balls, Balls]  # the samples of both sets in balls
    obstacles: Obstacles
    least: float
    resolution: float
    effort: float
    width: float = 0.0  # of the best beam found, and ``segment`` (2, 3) its tips
    segment: Floats = field(default_factory=lambda: np.zeros((2, 3)))
    most: float = 0.0  # mm: no beam is wider, as far as pairs have been put aside
    seen: int = 0  # pairs that have been looked at, and ``faces`` those in their shafts
    faces: int = 0
    moves: int = 0  # lines that have been moved

    @property
    def is_found(self) -> bool:
        """Whether a beam was found that ends the search."""
        return self.width > 0.0 and self.width >= self.least - BEAM_TOUCH_MM

    @property
    def needed(self) -> float:
        """The width, mm, of which a pair of balls must be free to be looked into."""
        if 0.0 < self.least < np.inf:
            return self.least
        return max(2.5 * self.resolution, self.width + self.resolution if self.least else 0.0)

    def run(self) -> None:
        """Searches until a beam is found, none is left to be found, or as many pairs were looked at as may be."""
        portions = [(np.zeros((1, 2), dtype=np.intp), [0, 0])]
        while portions:
            go_on()
            pairs, levels = portions.pop()
            left, segments, reach, rank = self._left(pairs, levels)
            if self.is_found:
                return
            finer = self._finer(levels)
            if finer is None or self.seen > self.effort * MAX_BALL_PAIRS:
                if len(segments):
                    widest = bounds(segments, reach, self.obstacles, max(self.needed, self.most))
                    self.most = max(self.most, float(widest.max()))
                continue
            children = _children(left[np.argsort(-rank, kind="stable")], levels, finer, self.trees)
            parts = range(0, len(children), BALL_PAIRS_AT_ONCE)
            portions += [(children[first : first + BALL_PAIRS_AT_ONCE], finer) for first in reversed(parts)]

    def _left(self, pairs: Indices, levels: list[int]) -> tuple[Indices, Floats, Floats, Floats]:
        """The pairs (n, 2) of balls that may hold beams of the width that is wanted and have to be parted, their lines
        (n, 2, 3), radii (n,) and promise (n,); the line of the best beam is kept.
        """
        segments, reach = self._lines(pairs, levels)
        if self.seen > self.effort * MAX_BALL_PAIRS:
            return pairs, segments, reach, reach
        self.seen += len(pairs)
        rank = self._tried(segments, reach)
        open_ = np.ones(len(pairs), np.bool_)
        # Where any line counts, only a proof that all are blocked tells of none; a bound on their width does not.
        for step in (self._block, self._bound) if self.least == 0.0 else (self._bound, self._block):
            open_[open_] = step(pairs[open_], segments[open_], reach[open_], levels)
        return pairs[open_], segments[open_], reach[open_], rank[open_]

    def _bound(self, pairs: Indices, segments: Floats, reach: Floats, levels: list[int]) -> Flags:
        """(n,) which pairs may have a beam of the width that is wanted."""
        limits = bounds_at(segments, reach, self.obstacles, self.needed)
        open_: Flags = limits == np.inf
        self.most = max(self.most, float(limits[~open_].max(initial=0.0)))
        return open_

    def _block(self, pairs: Indices, segments: Floats, reach: Floats, levels: list[int]) -> Flags:
        """(n,) which pairs may have a beam of any width."""
        radii = np.stack(self._radii(pairs, levels), axis=1)
        left = int(self.effort * MAX_SHAFT_FACES) - self.faces
        blocked, looked = all_blocked(segments, radii, self.obstacles, left)
        self.faces += looked
        return ~blocked

    def look(self) -> None:
        """Looks from a set of one point at the other's surface: whether anything is seen is measured, or proven."""
        for side, points in enumerate(self.points):
            target = self.points[1 - side]
            if not points.is_point or target.mesh is None or len(target.single):
                continue
            (observation,) = observed(points.single, target, self.obstacles.pairs)
            if observation.counts.seen == 0 and observation.decided_by == "proof":
                self.most = 0.0
                return
            seen = seen_points(observation, target)
            segments = np.stack([np.broadcast_to(points.single, seen.shape), seen], axis=1)[:, :: 1 - 2 * side]
            wide = widths(segments, self.obstacles, _greatest(self.least))
            if wide.max(initial=0.0) > 0.0:
                self.width, self.segment = float(wide.max()), segments[wide.argmax()]
            return

    def blocking(self) -> tuple[str, ...]:
        """The names of the pieces that meet the most lines between samples, those that meet most first."""
        generator = np.random.default_rng(1)
        counts = [len(tree.nest.samples.points) for tree in self.trees]
        picked = [
            tree.placed(generator.integers(0, count, COUNTED)) for tree, count in zip(self.trees, counts, strict=True)
        ]
        return self.obstacles.blocking(np.stack(picked, axis=1))

    def _radii(self, pairs: Indices, levels: list[int]) -> list[Floats]:
        return [tree.radius[level][pairs[:, side]] for side, (tree, level) in enumerate(_zipped(self.trees, levels))]

    def _lines(self, pairs: Indices, levels: list[int]) -> tuple[Floats, Floats]:
        """The line (n, 2, 3) between the middle samples of each pair of balls, and the larger radius (n,)."""
        ends = [tree.middles(level, pairs[:, side]) for side, (tree, level) in enumerate(_zipped(self.trees, levels))]
        return np.stack(ends, axis=1), np.maximum(*self._radii(pairs, levels))

    def _tried(self, segments: Floats, reach: Floats) -> Floats:
        """(n,) how much the line of each pair promises; the best of some free ones is kept, and moved if it is near."""
        free = np.flatnonzero(~self.obstacles.blocked(axes(segments, 2 * RAYS_RIGHT_TO)))
        rank = np.zeros(len(segments))
        rank[free] = 1.0
        some = free[np.linspace(0, len(free) - 1, min(len(free), MAX_TRIED_LINES)).astype(int)] if len(free) else free
        wide = widths(segments[some], self.obstacles, _greatest(self.least))
        rank[some] += wide
        if len(some) == 0:
            return rank
        best = int(wide.argmax())
        near = wide[best] > 0.0 and wide[best] + 2 * reach[some[best]] >= self.least
        if wide[best] > self.width:
            self.width, self.segment = float(wide[best]), segments[some[best]]
        if not self.is_found and self.moves < MAX_MOVED_LINES and (near or self.least == np.inf) and wide[best] > 0.0:
            self.moves += 1
            greatest = _greatest(self.least)
            trust, enough = float(reach[some[best]]), self.least if self.least > 0.0 else np.inf
            moved = widened(segments[some[best]], self.points, self.obstacles, trust, greatest, enough)
            wider = float(widths(moved[None], self.obstacles, greatest)[0])
            if wider > self.width:
                self.width, self.segment = wider, moved
        return rank

    def _finer(self, levels: list[int]) -> list[int] | None:
        """The levels that come next: of the tree with the larger balls, or of both; None where both are the finest."""
        last = [len(tree.radius) - 1 for tree in self.trees]
        typical = [float(np.median(tree.radius[level])) for tree, level in _zipped(self.trees, levels)]
        sides = [side for side in (0, 1) if levels[side] < last[side]]
        if not sides:
            return None
        chosen = [side for side in sides if typical[side] >= 0.6 * max(typical[other] for other in sides)]
        steps = 1 if len(chosen) == 2 else 2
        return [min(last[side], levels[side] + steps * (side in chosen)) for side in (0, 1)]


def _greatest(least: float) -> float:
    """The greatest width that is told, mm, where ``least`` is asked for."""
    return 2 * least if least else 2.0


def _zipped(trees: tuple[Balls, Balls], levels: list[int]) -> list[tuple[Balls, int]]:
    return list(zip(trees, levels, strict=True))


def _children(pairs: Indices, levels: list[int], finer: list[int], trees: tuple[Balls, Balls]) -> Indices:
    """The pairs (m, 2) of balls on finer levels that make up pairs (n, 2), of those that count."""
    counts = [1 << after - before for before, after in zip(levels, finer, strict=True)]
    first, second = np.indices(counts).reshape(2, -1)
    offsets = np.stack([first, second], axis=1)
    children = (pairs[:, None] * counts + offsets).reshape(-1, 2)
    first, second = (tree.counts[level][children[:, side]] for side, (tree, level) in enumerate(_zipped(trees, finer)))
    counted: Indices = children[first & second]
    return counted
