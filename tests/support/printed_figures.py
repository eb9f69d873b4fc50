"""Figures as casters and printers leave them: with a frame round the feet, on rafts and on supports."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from silhouette.common.geometry import Floats
from tests.support.random_figures import Random, Shell, at_height, circle, rod, stacked, walker

Spot = tuple[float, float]
SPOTS: tuple[Spot, ...] = tuple((x, y) for x in range(-11, 12, 4) for y in range(-11, 12, 4) if np.hypot(x, y) <= 11)


def loop(sections: Sequence[Floats]) -> Shell:
    """A closed shell through rings (n, 3) of equally many points, of which the last leads to the first again."""
    count = len(sections[0])
    here = np.arange(count)
    there = (here + 1) % count
    faces = []
    for level in range(len(sections)):
        low, high = level * count, (level + 1) % len(sections) * count
        faces += [
            np.stack([low + here, low + there, high + there], 1),
            np.stack([low + here, high + there, high + here], 1),
        ]
    return np.concatenate(sections), np.concatenate(faces).astype(np.int32)


def square(half: float) -> Floats:
    """(48, 2) points round a square."""
    edge = circle(1.0, 48)
    return half * edge / np.abs(edge).max(axis=1, keepdims=True)


def frame(outline: Floats, width: float, height: float, at: Spot = (0.0, 0.0)) -> Shell:
    """A flat frame on z = 0 along an outline (n, 2) about the origin."""
    inner = outline * (1.0 - width / np.linalg.norm(outline, axis=1).max()) + at
    outer = outline + at
    return loop([at_height(inner, 0.0), at_height(outer, 0.0), at_height(outer, height), at_height(inner, height)])


def round_sprue(radius: float, thick: float) -> Shell:
    """A ring of round section on z = 0."""
    turns = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    half = thick / 2.0
    return loop([at_height(circle(radius + half * np.cos(turn), 48), half * (1.0 + np.sin(turn))) for turn in turns])


def disc(radius: float, height: float, at: Spot = (0.0, 0.0)) -> Shell:
    """A slab on z = 0."""
    return stacked([at_height(circle(radius, 48) + at, 0.0), at_height(circle(radius, 48) + at, height)])


def columns(low: float, high: float, spots: Sequence[Spot] = SPOTS, radius: float = 0.6) -> list[Shell]:
    """Supports from a raft's top to the underside of what they hold, each with a foot and a thin tip."""
    shells = []
    for x, y in spots:
        shells.append(rod((x, y, low - 0.1), (x, y, low + 0.4), 1.5 * radius))
        shells.append(rod((x, y, low - 0.1), (x, y, high - 1.0), radius))
        shells.append(rod((x, y, high - 1.05), (x, y, high + 0.1), radius, 0.4))
    return shells


def trees(low: float, high: float, spots: Sequence[Spot] = SPOTS) -> list[Shell]:
    """Supports that branch off two trunks."""
    trunks = ((-5.0, 0.0), (5.0, 0.0))
    shells = [rod((*trunk, low - 0.1), (*trunk, low + 0.4 * (high - low)), 1.6, 0.8) for trunk in trunks]
    for x, y in spots:
        trunk = trunks[int(x > 0.0)]
        shells.append(rod((*trunk, low + 0.3 * (high - low)), (x, y, high + 0.1), 0.8, 0.35))
    return shells


def lifted(shells: Sequence[Shell], height: float) -> list[Shell]:
    """The same, so much higher."""
    return [(vertices + np.array([0.0, 0.0, height]), faces) for vertices, faces in shells]


def on_its_feet(random: Random, tall: float = 32.0) -> list[Shell]:
    """A walker whose lowest point is z = 0."""
    shells = walker(random, tall)
    return lifted(shells, -min(float(vertices[:, 2].min()) for vertices, _ in shells))
