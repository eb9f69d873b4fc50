"""RELATE: a beam between two points, how wide it can be, and how wide those near it can be.

A beam of diameter d from p to q is a stick with round ends, whose tips are p and q: all points within d / 2 of its
axis, which ends d / 2 before p and q. A wider beam with the same tips contains a narrower one.

A beam may also be moved, its tips on their faces, until it cannot be wider there. A linear programme moves the tips as
far as what is near allows, again and again: if obstacles are flat and straight, the widest beam between two faces is
found to the last digits.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import scipy

from silhouette.common.errors import go_on
from silhouette.common.geometry import Floats, nearest_of_segments, nearest_of_triangles
from silhouette.relations.obstacles import Indices, Obstacles
from silhouette.relations.points import PointSet

# ---- one beam, moved

MAX_PROGRAMMES, MAX_NEIGHBOURS = 40, 12  # on one pair of faces; of neighbouring faces tried
MAX_FEATURES = 400  # edges and corners that a programme heeds at most, the nearest
MIN_STEP_MM = 1e-8  # mm: no smaller step is tried
PROMISING = 0.03  # no step is smaller than this share of the width that a beam lacks to be enough
Faces = tuple[int, int]


def widened(
    segment: Floats,
    points: tuple[PointSet, PointSet],
    obstacles: Obstacles,
    trust: float,
    most: float = np.inf,
    enough: float = np.inf,
) -> Floats:
    """(2, 3) mm: a segment whose tips lie on two point sets, moved, by ``trust`` mm at first, to where its beam is as
    wide as it gets nearby, at most ``most`` mm; ``enough`` mm end the search.
    """
    corners = points[0].corners, points[1].corners
    best = float(widths(segment[None], obstacles, most)[0])
    tried = set[Faces]()
    for _ in range(MAX_NEIGHBOURS):
        pairs = product(_faces_at(segment[0], corners[0]), _faces_at(segment[1], corners[1]))
        pair = next((pair for pair in pairs if pair not in tried), None)
        if pair is None or best <= 0.0 or best >= enough:
            break
        tried.add(pair)
        triangles = [own[face] if face >= 0 else None for own, face in zip(corners, pair, strict=True)]
        moved = _on_faces(segment, triangles, obstacles, trust, most, enough)
        wide = float(widths(moved[None], obstacles, most)[0])
        if wide > best + BEAM_TOUCH_MM / 10:
            segment, best = moved, wide
    return segment


def _faces_at(point: Floats, corners: Floats) -> list[int]:
    """The triangles (m, 3, 3) on which a point lies; -1 for one that lies on none."""
    if len(corners) == 0:
        return [-1]
    near = np.flatnonzero(
        ((corners.min(axis=1) <= point + 2 * BEAM_TOUCH_MM) & (corners.max(axis=1) >= point - 2 * BEAM_TOUCH_MM)).all(
            axis=1
        )
    )
    where = np.broadcast_to(point, (len(near), 3))
    near_enough = near[nearest_of_triangles(where, where, corners[near])[0] <= BEAM_TOUCH_MM]
    return [int(face) for face in near_enough] or [-1]


def _on_faces(
    segment: Floats, triangles: list[Floats | None], obstacles: Obstacles, trust: float, most: float, enough: float
) -> Floats:
    """The segment (2, 3) moved while its beam gets wider, each tip on its triangle (3, 3), or fixed for None."""
    width = float(widths(segment[None], obstacles, most)[0])
    for _ in range(MAX_PROGRAMMES):
        go_on()
        if trust < MIN_STEP_MM or width >= enough or (enough < np.inf and trust < PROMISING * (enough - width)):
            break
        moved = _programme(segment, width, triangles, obstacles, trust)
        if moved is None:
            break
        wide = float(widths(moved[None], obstacles, most)[0])
        if wide > width:
            gain = wide - width
            segment, width, trust = moved, wide, trust * 2
            if gain < MIN_STEP_MM:
                break
        else:
            trust /= 4
    return segment


def _programme(
    segment: Floats, width: float, triangles: list[Floats | None], obstacles: Obstacles, trust: float
) -> Floats | None:
    """The segment with its tips moved by ``trust`` mm at most to where the nearest obstacles leave most room."""
    frames = [None if triangle is None else _frame(triangle) for triangle in triangles]
    columns, count = [0, 2 * (frames[0] is not None)], 2 * sum(frame is not None for frame in frames)
    if count == 0:
        return None
    room, normal, share, pull = _features(segment, width, obstacles, width / 2 + 4 * trust)
    rows = np.zeros((len(room), count + 1))
    rows[:, -1] = 1.0 - pull
    limit = room - pull * width / 2
    table, most = [rows], [limit]
    for side, (frame, triangle) in enumerate(zip(frames, triangles, strict=True)):
        if frame is None or triangle is None:
            continue
        own = slice(columns[side], columns[side] + 2)
        rows[:, own] = -(share if side else 1.0 - share)[:, None] * (normal @ frame.T)
        inward = _inward(triangle, frame)
        stay = np.zeros((3, count + 1))
        stay[:, own] = -inward @ frame.T
        table.append(stay)
        most.append(np.maximum(np.einsum("ij,ij->i", inward, segment[side] - triangle), 0.0))
    half = float(np.linalg.norm(segment[1] - segment[0])) / 2
    solved = scipy.optimize.linprog(
        np.append(np.zeros(count), -1.0),
        A_ub=np.concatenate(table),
        b_ub=np.concatenate(most),
        bounds=[(-trust, trust)] * count + [(0.0, min(half, width / 2 + 2 * trust))],
        method="highs",
    )
    if solved.x is None:
        return None
    moved = segment.copy()
    for side, frame in enumerate(frames):
        if frame is not None:
            moved[side] += solved.x[columns[side] : columns[side] + 2] @ frame
    return moved


def _inward(triangle: Floats, frame: Floats) -> Floats:
    """(3, 3) for each side of a triangle the direction in its plane, which a frame (2, 3) spans, that leads inward."""
    edges = np.roll(triangle, -1, axis=0) - triangle
    inward = np.cross(np.cross(*frame), edges)
    inward = inward * np.sign(np.einsum("ij,ij->i", inward, np.roll(triangle, -2, axis=0) - triangle))[:, None]
    units: Floats = inward / np.maximum(np.linalg.norm(inward, axis=1, keepdims=True), 1e-300)
    return units


def _frame(triangle: Floats) -> Floats | None:
    """(2, 3) two directions across each other in a triangle's plane; None where it has no area."""
    first, second = triangle[1] - triangle[0], triangle[2] - triangle[0]
    normal = np.cross(first, second)
    if not np.linalg.norm(normal) > 0.0:
        return None
    first = first / np.linalg.norm(first)
    second = np.cross(normal, first)
    return np.array([first, second / np.linalg.norm(second)])


def _features(
    segment: Floats, width: float, obstacles: Obstacles, reach: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """What is near to a beam: edges to its axis, and faces to the ends of its axis: (k,) mm, how far from the axis each
    is; (k, 3) the direction from it to the axis; (k,) where along the segment, from 0 to 1, the axis is nearest to it;
    (k,) by how much the axis recedes from it as the beam gets wider.
    """
    axis = axes(segment[None], width)[0]
    length = float(np.linalg.norm(segment[1] - segment[0]))
    way = (segment[1] - segment[0]) / length
    corners = obstacles.close(axis, reach)
    edges = np.concatenate([np.roll(corners, -1, axis=1) - corners]).reshape(-1, 3)
    origins = corners.reshape(-1, 3)
    along = np.broadcast_to(axis[1] - axis[0], origins.shape)
    on_axis, on_edge = nearest_of_segments(np.broadcast_to(axis[0], origins.shape), along, origins, edges)
    places = [axis[0] + on_axis[:, None] * along]
    others = [origins + on_edge[:, None] * edges]
    where = [on_axis]
    for end in (0, 1):
        tip = np.broadcast_to(axis[end], (len(corners), 3))
        places.append(tip)
        others.append(nearest_of_triangles(tip, tip, corners)[1])
        where.append(np.full(len(corners), float(end)))
    ways = np.concatenate(places) - np.concatenate(others)
    room, shares = np.linalg.norm(ways, axis=1), np.concatenate(where)
    nearest = np.argsort(room)[:MAX_FEATURES]
    nearest = nearest[(room[nearest] <= reach) & (room[nearest] > 0.0)]
    normal = ways[nearest] / room[nearest, None]
    at = shares[nearest]
    recedes = np.where(at == 0.0, 1.0, np.where(at == 1.0, -1.0, 0.0)) * (normal @ way)
    place = (width / 2 + at * (length - width)) / length
    return room[nearest], normal, place, recedes


# ---- beams between points

BEAM_TOUCH_MM = 1e-6  # mm: what a beam enters by no more than this it only touches
GRAZE = 1e-5  # mm: a line that has no wider beam only grazes what it passes, and has none
MAX_NARROWINGS = 60  # so often is a beam narrowed at most; one that is still blocked then has no width
RAYS_RIGHT_TO = 1e-3  # mm: a ray in float32 that meets something passes it by no more than this
LADDER = (1.05, 2.5, 8.0, 32.0)  # widths, as multiples of the least bound, at which bounds are looked for in turn


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
    sizes: Floats = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    return sizes


def widths(segments: Floats, obstacles: Obstacles, most: float = np.inf) -> Floats:
    """(n,) mm: the diameter of the widest beam between the ends of each segment (n, 2, 3) that meets no obstacle, none
    wider than it is long, or than ``most``; 0 where even the thinnest is blocked. Right to `BEAM_TOUCH_MM`.
    """
    length = lengths(segments)
    radius = np.minimum(length, most) / 2
    left = np.flatnonzero(radius > 0.0)
    for _ in range(MAX_NARROWINGS):
        if len(left) == 0:
            break
        near = obstacles.nearest(axes(segments[left], 2 * radius[left]), radius[left])
        enters = near.distance < radius[left] - BEAM_TOUCH_MM / 2
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
    """(n,) mm: no beam whose tips lie in balls of radii (n,) round the ends of a segment (n, 2, 3) is wider than this,
    less than ``width``; inf where that is open.

    Let a beam of ``width`` d be free, its tips p and q within r of the ends of a segment of length l. Each point of the
    segment's own axis at that width lies within r + r d / l of the beam's axis, hence at least d / 2 - r - r d / l from
    all obstacles. Where an obstacle is nearer, there is no such beam, none wider, and the least d for which it is too
    near bounds all.
    """
    length = lengths(segments)
    most = np.where(length + 2 * balls < width, length + 2 * balls, np.inf)
    shrink = 1.0 - 2 * balls / np.where(length > 0.0, length, 1.0)
    testable = np.flatnonzero((length > width + 2 * balls) & (2 * balls < width * shrink))
    blocked = obstacles.blocked(axes(segments[testable], width))
    most[testable[blocked]] = 2 * (balls[testable[blocked]] + RAYS_RIGHT_TO) / shrink[testable[blocked]]
    free = testable[~blocked]
    reach = np.maximum(width * shrink[free] / 2 - balls[free], 0.0)
    distance = obstacles.nearest(axes(segments[free], width), reach).distance
    most[free] = 2 * (distance + balls[free]) / shrink[free]
    most[most >= width] = np.inf
    return most


def bounds(segments: Floats, balls: Floats, obstacles: Obstacles, least: float) -> Floats:
    """(n,) mm: as `bounds_at`, never inf, and no less than about ``least``."""
    most = lengths(segments) + 2 * balls
    points = balls == 0.0
    most[points] = widths(segments[points], obstacles)
    left: Indices = np.flatnonzero(~points)
    for step in LADDER:
        if len(left) == 0:
            break
        at = step * max(least, 2 * float(balls[left].min()) + RAYS_RIGHT_TO)
        limits = bounds_at(segments[left], balls[left], obstacles, at)
        most[left] = np.minimum(most[left], limits)
        left = left[limits == np.inf]
    return most
