"""SkirmishCorps a second time, as plainly as can be: rays against boxes and upright cylinders, loops and formulas.

It shares nothing with the package: no mesh, no renderer, no shapely. It reads the same documents, of standing and prone
figures and of cover, and tells how near each answer is to being another one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Document = dict[str, Any]

BRICK = 9.6
BASE = 16.0  # mm: the width of a base
TO_HIT = {
    ("very low", "standing"): 0,
    ("very low", "prone"): -2,
    ("low", "standing"): -2,
    ("low", "prone"): -3,
    ("high", "standing"): -3,
    ("high", "prone"): -4,
    ("corner", "standing"): -3,
    ("corner", "prone"): -4,
}
STRENGTH = ["none", "very low", "low", "high", "corner"]


@dataclass
class Answer:
    """What is protected how; and the least distance of a share, a gap or a crossing from changing anything."""

    line_of_sight: bool = True
    cover: str = "none"
    protected_by: str | None = None
    modifier: int | None = 0
    in_contact_with: list[str] = field(default_factory=list)
    occluded: float = 0.0
    alone: dict[str, float] = field(default_factory=dict)
    margin: float = 1.0
    geometry_margin: float = 10.0


def class_of(bricks: float) -> str:
    """The class of so many bricks above a mini-figure's feet."""
    for step, kind in ((4.001, "corner"), (2.999, "high"), (1.999, "low"), (0.999, "very low")):
        if bricks >= step:
            return kind
    return "none"


def local(piece: Document, point: Array) -> Array:
    """A point, or (n, 2) points, in the frame of a section of cover, before it turned."""
    angle = math.radians(piece["turn"])
    x, y = (point - np.array(piece["at"][:2])).T
    return np.array([x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle)]).T


def footprint_of(unit: Document) -> Array:
    """(n, 2) points all over a unit's footprint, close together along its rim; the last is its middle."""
    if unit["posture"] == "standing":
        angles = np.linspace(0.0, 2.0 * np.pi, 500, endpoint=False)
        rim = 8.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    else:
        steps = np.linspace(-1.0, 1.0, 200)
        ones = np.ones_like(steps)
        sides = [(20 * steps, 8 * ones), (20 * steps, -8 * ones), (20 * ones, 8 * steps), (-20 * ones, 8 * steps)]
        rim = np.concatenate([np.column_stack(side) for side in sides])
        angle = math.radians(unit["lies_along"])
        rim = rim @ np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    inwards = np.linspace(1.0, 0.0, 6)[:, None, None]
    return (inwards * rim).reshape(-1, 2) + np.array(unit["at"][:2])


def gap(unit: Document, piece: Document) -> float:
    """mm in plan between a unit's footprint and a section, 0 where they touch."""
    half = np.array(piece["size"]) / 2
    beyond = np.maximum(np.abs(local(piece, footprint_of(unit))) - half, 0.0)
    return float(np.hypot(*beyond.T).min())


def top_of(piece: Document) -> float:
    """z of its top."""
    return float(piece["at"][2] + piece["height"] * BRICK)


def height_of(unit: Document) -> float:
    """mm from its feet up."""
    return 40.0 if unit["posture"] == "standing" else 10.0


def touches(unit: Document, piece: Document) -> bool:
    """Whether a unit is in contact with a section: beside it, not on top."""
    feet = unit["at"][2]
    apart = gap(unit, piece)
    beside = feet <= top_of(piece) + 0.5 and piece["at"][2] <= feet + height_of(unit) + 0.5
    return apart <= 0.5 and beside and (apart > 0.0 or top_of(piece) > feet + 0.5)


def crossing(piece: Document, start: Array, end: Array) -> float:
    """mm of the way from start to end in plan that lies in a section."""
    places = start + np.linspace(0.0, 1.0, 8001)[:, None] * (end - start)
    inside = (np.abs(local(piece, places)) < np.array(piece["size"]) / 2).all(axis=1)
    return float(inside.mean() * np.linalg.norm(end - start))


def ray_box(eye: Array, rays: Array, piece: Document, top: float) -> Array:
    """(n,) along each ray, where it enters a section that is carried up to ``top``; inf where it misses."""
    half = np.array(piece["size"]) / 2
    origin = local(piece, eye[:2])
    ahead = local(piece, eye[:2] + rays[:, :2]) - origin
    starts = [*origin, eye[2]]
    ways = [*ahead.T, rays[:, 2]]
    lows, highs = [-half[0], -half[1], piece["at"][2]], [half[0], half[1], top]
    enter, leave = np.full(len(rays), 1e-6), np.full(len(rays), np.inf)
    for start, way, low, high in zip(starts, ways, lows, highs, strict=True):
        way = np.where(np.abs(way) < 1e-12, 1e-12, way)
        one, other = (low - start) / way, (high - start) / way
        enter, leave = np.maximum(enter, np.minimum(one, other)), np.minimum(leave, np.maximum(one, other))
    return np.where(enter < leave, enter, np.inf)


def ray_unit(eye: Array, rays: Array, unit: Document) -> Array:
    """(n,) along each ray, where it meets a figure, standing or prone; inf where it misses."""
    x, y, feet = unit["at"]
    if unit["posture"] == "prone":
        body = {"at": unit["at"], "size": [40.0, 16.0], "turn": unit["lies_along"]}
        return ray_box(eye, rays, body, feet + 10.0)
    start = eye[:2] - [x, y]
    a = (rays[:, :2] ** 2).sum(axis=1)
    b = rays[:, :2] @ start
    inside = b**2 - a * (start @ start - 64.0)
    root = np.sqrt(np.maximum(inside, 0.0))
    enter, leave = (-b - root) / a, (-b + root) / a
    one, other = (feet - eye[2]) / rays[:, 2], (feet + 40.0 - eye[2]) / rays[:, 2]
    enter, leave = np.maximum(enter, np.minimum(one, other)), np.minimum(leave, np.maximum(one, other))
    return np.where((inside > 0.0) & (enter < leave) & (enter > 0.0), enter, np.inf)


def rays_at(eye: Array, unit: Document, across: int, seed: int) -> Array:
    """(n, 3) rays spread evenly, one in each cell of a grid, over a flat picture aimed at the middle of a unit."""
    x, y, feet = unit["at"]
    middle = np.array([x, y, feet + height_of(unit) / 2])
    forward = (middle - eye) / np.linalg.norm(middle - eye)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(right, forward), forward])
    plan = footprint_of(unit)
    points = np.concatenate([np.column_stack([plan, np.full(len(plan), feet + z)]) for z in (0.0, height_of(unit))])
    seen = (points - eye) @ axes.T
    picture = seen[:, :2] / seen[:, 2:]
    low, high = picture.min(axis=0), picture.max(axis=0)
    cells = np.indices((across, across)).reshape(2, -1).T + np.random.default_rng(seed).random((across**2, 2))
    places = low + (high - low) * cells / across
    return np.column_stack([places, np.ones(len(places))]) @ axes


def protection(document: Document, attacker: Document, target: Document, across: int = 200, seed: int = 0) -> Answer:  # noqa: C901  # as the text goes, sentence by sentence
    """The protection of one unit from another."""
    answer = Answer()
    covers = document["cover"]
    feet, eye = attacker["at"][2], np.array(attacker["at"], dtype=float)
    eye[2] += 7.0 / 8.0 * height_of(attacker)
    end = np.array(target["at"][:2], dtype=float)
    ignored, own, blind = set(), [], set()
    start = eye[:2].copy()
    for piece in covers:
        answer.geometry_margin = min(answer.geometry_margin, abs(gap(attacker, piece) - 0.5))
        answer.geometry_margin = min(answer.geometry_margin, abs(gap(target, piece) - 0.5))
        if not touches(attacker, piece):
            continue
        kind = class_of((top_of(piece) - feet) / BRICK)
        length = crossing(piece, start, end)
        if kind in ("none", "very low", "low") or (kind == "high" and attacker["posture"] == "standing"):
            if 0.0 < length < 0.5 or (length == 0.0 and _nearly_crosses(piece, start, end)):
                answer.geometry_margin = 0.0
            if length > 0.0:
                own.append(kind)
                eye[2] = max(eye[2], top_of(piece) + BRICK / 4)
            if not touches(target, piece):
                ignored.add(piece["name"])
        elif kind == "high":
            blind.add(piece["name"])
    if any((np.abs(local(one, eye[:2])) <= np.array(one["size"]) / 2 + 0.1).all() for one in covers):
        answer.geometry_margin = 0.0  # an eye in a wall, or straight above or below it, is a mistake in the scene
    rays = rays_at(eye, target, across, seed)
    reach = ray_unit(eye, rays, target)
    rays, reach = rays[np.isfinite(reach)], reach[np.isfinite(reach)]
    hidden = np.zeros(len(rays), dtype=bool)
    protecting: list[tuple[int, str, str, bool]] = []
    for piece in covers:
        if piece["name"] in ignored:
            continue
        before = ray_box(eye, rays, piece, 1e5 if piece["name"] in blind else top_of(piece)) < reach
        hidden |= before
        share = float(before.mean())
        if not share:
            continue
        answer.alone[piece["name"]] = share
        answer.margin = min(answer.margin, abs(share - 0.05))
        kind = class_of((top_of(piece) - target["at"][2]) / BRICK)
        if share < 0.05 or kind == "none":
            continue
        worth = -10 * TO_HIT[kind, target["posture"]] + STRENGTH.index(kind)
        apart = gap(target, piece)
        answer.geometry_margin = min(answer.geometry_margin, abs(apart - BASE))
        protecting.append((worth, kind, piece["name"], apart <= BASE))
    answer.occluded = float(hidden.mean())
    answer.line_of_sight = not hidden.all()
    best = -1
    for worth, kind, name, is_near in protecting:
        if worth > best and (is_near or not answer.line_of_sight):
            best, answer.cover, answer.protected_by = worth, kind, name
    if not answer.line_of_sight or answer.occluded > 0.98:
        answer.margin = min(answer.margin, 1.0 if not answer.line_of_sight else 1.0 - answer.occluded)
    answer.in_contact_with = [piece["name"] for piece in covers if touches(target, piece)]
    prone = attacker["posture"] == "prone" and "low" in own
    penalty = TO_HIT.get((answer.cover, target["posture"]), 0) - prone
    answer.modifier = penalty if answer.line_of_sight else None
    return answer


def _nearly_crosses(piece: Document, start: Array, end: Array) -> bool:
    wider = {**piece, "size": [size + 0.5 for size in piece["size"]]}
    return crossing(wider, start, end) > 0.0


def close_combat(document: Document, one: Document, other: Document) -> tuple[bool, float]:
    """Whether two units can fight across cover, and the least distance, mm, from being otherwise."""
    possible, margin = False, 10.0
    for piece in document["cover"]:
        margin = min([margin, *(abs(gap(unit, piece) - 0.5) for unit in (one, other))])
        if not (touches(one, piece) and touches(other, piece)):
            continue
        length, width = piece["size"]
        for axis in (0, 1) if length == width else (0,) if length > width else (1,):
            half = np.array(piece["size"]) / 2
            places = [local(piece, footprint_of(unit)) for unit in (one, other)]
            middles = [place[-1] for place in places]
            sides = [np.sign(middle[1 - axis]) * (abs(middle[1 - axis]) > half[1 - axis]) for middle in middles]
            margin = min([margin, *(abs(abs(middle[1 - axis]) - half[1 - axis]) for middle in middles)])
            faces = []
            for place, side in zip(places, sides, strict=True):
                along = np.maximum(np.abs(place[:, axis]) - half[axis], 0.0)
                faces.append(float(np.hypot(along, place[:, 1 - axis] - side * half[1 - axis]).min()))
            margin = min([margin, *(abs(face - 0.5) for face in faces)])
            overlap = min(places[0][:, axis].max(), places[1][:, axis].max())
            overlap -= max(places[0][:, axis].min(), places[1][:, axis].min())
            margin = min(margin, abs(overlap))
            tall = all(class_of((top_of(piece) - unit["at"][2]) / BRICK) == "corner" for unit in (one, other))
            possible |= sides[0] * sides[1] < 0 and max(faces) <= 0.5 and overlap > 0.0 and not tall
    return possible, margin


def flanked(document: Document, attacker: Document, target: Document, across: int = 60) -> tuple[bool, float]:
    """Whether a unit is flanked, and the least distance of a share from one half, or 0 where lengths are too close."""
    now = protection(document, attacker, target, across)
    covers = document["cover"]
    classes = {piece["name"]: class_of((top_of(piece) - target["at"][2]) / BRICK) for piece in covers}
    margin = 0.0 if now.geometry_margin < 0.02 else 1.0
    if all(classes[name] == "none" for name in now.in_contact_with):
        return False, margin
    if not now.line_of_sight or now.occluded > 0.99:
        return False, margin if not now.line_of_sight else 0.0
    here, there = (np.array(unit["at"][:2], dtype=float) for unit in (target, attacker))
    first = math.atan2(*(there - here)[::-1])
    turns = [None, *(first + math.tau * number / 16 for number in range(16))]
    found = False
    for turn in turns:
        spot = here if turn is None else here + 40.0 * np.array([math.cos(turn), math.sin(turn)])
        walls = [piece for piece in covers if classes[piece["name"]] in ("high", "corner")]
        lengths = [crossing(piece, here, spot) for piece in walls]
        if any(0.0 < length < 0.1 for length in lengths):
            margin = 0.0
        if any(lengths):
            continue
        fire = math.atan2(*(there - spot)[::-1])
        for along in [fire, fire + math.pi / 2, *([] if turn is None else [turn]), *_sides(covers, spot, target)]:
            body = {"at": [*spot, target["at"][2]], "posture": "prone", "lies_along": math.degrees(along)}
            rooms = {_lies_in(body, covers, depth) for depth in (0.45, 0.55)}
            if len(rooms) == 2:
                margin = 0.0
            if True in rooms:
                continue
            dived = protection(document, attacker, body, across)
            margin = min(margin, abs(dived.occluded - 0.5))
            found |= dived.occluded >= 0.5
    return not found, margin


def _sides(covers: list[Document], spot: Array, target: Document) -> list[float]:
    """The directions, radians, of the sides of what is within a body's length of a spot."""
    near = []
    for piece in covers:
        beyond = np.maximum(np.abs(local(piece, spot)) - np.array(piece["size"]) / 2, 0.0)
        if np.hypot(*beyond) <= 40.0 and top_of(piece) > target["at"][2] and piece["at"][2] < target["at"][2] + 10.0:
            near += [math.radians(piece["turn"]), math.radians(piece["turn"]) + math.pi / 2]
    return near


def _lies_in(body: Document, covers: list[Document], depth: float) -> bool:
    """Whether a body lies deeper than so many mm in a section."""
    points = footprint_of(body)
    middle = points[-1]
    inner = middle + (points - middle) * (1.0 - depth / 8.0)
    low = body["at"][2]
    return any(
        (np.abs(local(piece, inner)) < np.array(piece["size"]) / 2).all(axis=1).any()
        for piece in covers
        if top_of(piece) > low and piece["at"][2] < low + 10.0
    )
