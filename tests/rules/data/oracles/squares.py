"""Squares, and straight lines in plan of which many points are looked at: what games on squares have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.rules.data.oracles.sampling import INCH, Box, Figure, Floats, Terrain

SIDES = {"tiny": 0.5, "small": 1.0, "medium": 1.0, "large": 2.0, "huge": 3.0, "gargantuan": 4.0}
"""Squares along one side of a creature's space, by its size."""

ALMOST = 1e-6
"""mm that rounding may add or take away."""

POINTS = 5001
"""Points of a line that are looked at."""


@dataclass(frozen=True)
class Disc:
    """A round base, seen from above.

    Attributes:
        middle: (x, y) mm.
        radius: mm.
    """

    middle: tuple[float, float]
    radius: float


Flat = Box | Disc
"""What may be in the way, seen from above."""


def size_of(one: Figure) -> str:
    """The size that a figure says, medium where it says none."""
    return str(one.says.get("size", "medium"))


def space(one: Figure) -> Box:
    """The square that a creature fills."""
    side = SIDES[size_of(one)] * INCH
    return Box(one.at, (side, side, one.height))


def base(one: Figure) -> Disc:
    """Its base."""
    return Disc(one.at[:2], one.base / 2)


def corners(box: Box) -> Floats:
    """(4, 2) the corners of a square that is not turned."""
    half = box.size[0] / 2
    return np.add(box.middle[:2], half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))


def cells(box: Box) -> list[Floats]:
    """(4, 2) the corners of each single square of a space."""
    count = max(1, round(box.size[0] / INCH))
    side = box.size[0] / count
    low = np.subtract(box.middle[:2], box.size[0] / 2)
    steps = [(i, j) for i in range(count) for j in range(count)]
    return [low + side * np.array([[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]]) for i, j in steps]


def is_blocked(start: Floats, end: Floats, flats: Sequence[Flat], touching: str) -> bool:
    """Whether a line passes through something, seen from above; or touches it, where that blocks."""
    way = end - start
    beside = np.concatenate([np.zeros((0, 2)), *map(_marks, flats)]) - start
    # Where it comes nearest to a corner, or a middle, is looked at as well.
    shares = np.clip(beside @ way / max(float(way @ way), ALMOST), 0.0, 1.0)
    points = start + np.sort(np.concatenate([np.linspace(0.0, 1.0, POINTS), shares]))[:, None] * way
    depths = np.array([_depth(points, flat) for flat in flats])
    if touching == "blocked":
        return bool((depths >= -ALMOST).any())
    # Where it touches two on its way, one on either side, there is no way through.
    is_between = np.linalg.norm(points - start, axis=1) > ALMOST
    is_between &= np.linalg.norm(points - end, axis=1) > ALMOST
    seam = points[((np.abs(depths) <= ALMOST).sum(axis=0) >= 2) & is_between]
    return bool((depths > ALMOST).any()) or (len(seam) > 0 and _lie_on_both_sides(seam, way, flats))


def _marks(flat: Flat) -> Floats:
    """(n, 2) the corners of a box, the middle of a disc."""
    if isinstance(flat, Disc):
        return np.array([flat.middle])
    angle = np.radians(flat.turn)
    turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(flat.size[:2]) / 2
    return np.add(flat.middle[:2], half @ turned.T)


def _lie_on_both_sides(points: Floats, way: Floats, flats: Sequence[Flat]) -> bool:
    """Whether left and right of some point of a line there is something."""
    aside = np.array([-way[1], way[0]]) / np.linalg.norm(way) * 1e-3
    left, right = (
        np.any([_depth(points + turn * aside, flat) > ALMOST for flat in flats], axis=0) for turn in (1.0, -1.0)
    )
    return bool((left & right).any())


def _depth(points: Floats, flat: Flat) -> Floats:
    """(n,) how deep inside points (n, 2) lie, mm; less than 0 outside."""
    if isinstance(flat, Disc):
        return flat.radius - np.linalg.norm(points - np.array(flat.middle), axis=1)
    local = flat.local(np.column_stack([points, np.full(len(points), flat.middle[2])]))[:, :2]
    beyond = np.array(flat.size[:2]) / 2 - np.abs(local)
    return np.asarray(beyond.min(axis=1))


def outlines(pieces: Sequence[Terrain]) -> list[Flat]:
    """The boxes of some terrain."""
    return [box for piece in pieces for box in piece.boxes]


def stands_on(one: Figure, piece: Terrain) -> bool:
    """Whether a figure stands on a piece with all of its base."""
    return any(
        box.middle[2] + box.size[2] <= one.at[2] + ALMOST
        and float(_depth(np.array([one.at[:2]]), box)[0]) >= one.base / 2 - ALMOST
        for box in piece.boxes
    ) and all(box.middle[2] + box.size[2] <= one.at[2] + ALMOST for box in piece.boxes)
