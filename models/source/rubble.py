"""Bricks: the stump of a wall to kneel behind, and what lies about on bases, kept apart from the base itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manifold3d import Manifold

from models.source import solids
from models.source.anatomy import GROUND

BRICK = (2.0, 1.35, 0.86)
"""Length, depth and height of a brick, mm."""

Fallen = tuple[float, float, float, float, float, float]
"""A fallen brick: x, y, height of its middle above the floor (mm), and turns about x, y and z (degrees)."""


def fallen_bricks(places: Sequence[Fallen], length: float = BRICK[0]) -> Manifold:
    """Bricks, or pieces of `length`, that lie where `places` says."""
    brick = solids.box((length, *BRICK[1:]), (0, 0, -BRICK[2] / 2), 0.14)
    return solids.union(brick.rotate((a, b, c)).translate((x, y, GROUND + z)) for x, y, z, a, b, c in places)


def brick_wall(tops: Sequence[int], at: tuple[float, float], seed: int = 0) -> Manifold:
    """A wall along x, one brick deep and broken off in steps: bricks in bond, halves at the ends, mortar in the joints.

    Args:
        tops: how many courses stand in each column, half a brick wide, along x.
        at: x and y of the middle of the first column.
        seed: of the bricks' irregularity.
    """
    generator = np.random.default_rng(seed)
    half, rise = BRICK[0] / 2 + 0.06, BRICK[2] + 0.13
    pieces = [
        solids.box((half * 0.84, 1.6, top * rise - 0.2), (at[0] + column * half, at[1], GROUND - 0.3), 0.0)
        for column, top in enumerate(tops)
    ]
    for course in range(max(tops)):
        for first in range(-1 + course % 2, len(tops), 2):
            standing = [c for c in (first, first + 1) if 0 <= c < len(tops) and tops[c] > course]
            if not standing:
                continue
            middle = np.array([at[0] + np.mean(standing) * half, at[1], GROUND - 0.25 + course * rise])
            middle += generator.uniform(-0.1, 0.1, 3) * [1, 1, 0.3]
            turn = generator.uniform([-2, -2, -4], [2, 2, 4])
            depth = BRICK[1] * generator.uniform(1.35, 1.55)
            brick = solids.box((BRICK[0] * len(standing) / 2 - 0.04, depth, BRICK[2]), bevel=0.13)
            pieces.append(brick.rotate(tuple(turn)).translate(tuple(middle)))
    return solids.union(pieces)
