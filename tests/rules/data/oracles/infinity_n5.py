"""Infinity (N5) by sampling: pictures of a Silhouette from many points of another, in squares of 3 mm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tests.rules.data.oracles.sampling import Figure, Flags, Floats, SampledTable, Terrain, cylinder, free_lines

SIZES = {
    "S0": (25, 3), "S1": (25, 25), "S2": (25, 40), "S3": (40, 32), "S4": (55, 32),
    "S5": (40, 45), "S6": (40, 55), "S7": (55, 67), "S8": (70, 70),
}  # fmt: skip
STEP = 0.75
ACROSS = 5
"""Points along a side of 3 mm."""


def ruled(table: SampledTable, attacker: str, target: str) -> tuple[str, str]:
    """The verdict on the attacker's look at the target."""
    a, b = table.figures[attacker], table.figures[target]
    others = [*table.terrain.values(), *(one for one in table.figures.values() if one not in (a, b))]
    if not (in_front(a, b) or a.says.get("sees_all_round")) or not any(
        has_square(free) for free in pictures(a, b, others)
    ):
        return "no line of fire", ""
    for piece in table.terrain.values():
        if piece.says.get("covers", True) and touches(b, piece):
            seen = np.logical_or.reduce([free.ravel() for free in pictures(a, b, [piece])])
            if seen.mean() < 0.97:
                return "partial cover", ""
    return ("partial cover" if b.at[2] > a.at[2] + size(a)[1] else "open"), ""


def size(one: Figure) -> tuple[float, float]:
    """The width and the height of a Silhouette."""
    silhouette = one.says.get("silhouette", "S2")
    if silhouette == "SX":
        return one.base, 3.0
    width, height = SIZES[silhouette]
    return float(width), float(height)


def in_front(a: Figure, b: Figure) -> bool:
    """Whether some of the base of b lies before the middle of a."""
    ahead = np.array([np.cos(np.radians(a.facing)), np.sin(np.radians(a.facing))])
    return bool((((b.rim - np.array(a.at[:2])) @ ahead) > 0.0).any())


def touches(one: Figure, piece: Terrain) -> bool:
    """Whether a base comes within a millimetre of a piece."""
    middle = np.array([one.at[:2]])
    return min(float(box.distances_in_plan(middle)[0]) for box in piece.boxes) - one.base / 2 <= 1.0


def pictures(a: Figure, b: Figure, past: Sequence[Terrain | Figure]) -> Iterator[Flags]:
    """(h, w) for each of many points of the one Silhouette, which points of the other's middle plane it sees."""
    boxes = [box for piece in past for box in piece.boxes]
    width, height = size(b)
    for eye in eyes(a):
        way = np.array(b.at[:2]) - eye[:2]
        along = np.array([-way[1], way[0]]) / np.linalg.norm(way)
        u = np.arange(-width / 2 + STEP / 2, width / 2, STEP)
        v = np.arange(STEP / 2, height, STEP)
        spots = np.array(b.at)[None, None] + np.concatenate(
            [u[None, :, None] * along + np.zeros((len(v), 1, 1)), np.tile(v[:, None, None], (1, len(u), 1))], axis=2
        )
        ends: Floats = spots.reshape(-1, 3)
        yield free_lines(np.tile(eye, (len(ends), 1)), ends, boxes).reshape(len(v), len(u))


def eyes(a: Figure) -> Floats:
    """(n, 3) points of a Silhouette from which is looked."""
    width, height = size(a)
    points = cylinder(a.at, width, height)
    return points[:: max(1, len(points) // 28)]


def has_square(free: Flags) -> bool:
    """Whether a picture has a square of 3 mm that is seen whole."""
    windows = np.lib.stride_tricks.sliding_window_view(free, (min(ACROSS, free.shape[0]), ACROSS))
    return bool(windows.all(axis=(2, 3)).any())
