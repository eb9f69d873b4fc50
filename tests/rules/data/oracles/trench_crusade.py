"""Trench Crusade by sampling: rays from the eye to points of the body, past everything and past single pieces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.rules.data.oracles.sampling import INCH, Figure, Flags, Floats, SampledTable, Terrain, free_lines

TOUCH = 1.0
"""mm between a base and what it touches."""

ALMOST = 1e-6
"""mm that rounding may add or take away."""


def ruled(table: SampledTable, attacker: str, target: str) -> tuple[str, str]:
    """The verdict on the shot of the attacker at the target."""
    a, b = table.figures[attacker], table.figures[target]
    others: list[Terrain | Figure] = list(table.terrain.values())
    others += [one for one in table.figures.values() if one not in (a, b)]
    ends = seen_alone(a, b)
    free = past(a, ends, others)
    if not free.any():
        return "not visible", ""
    covers = [piece for piece in table.terrain.values() if touches(b, piece) and is_large_enough(b, piece)]
    if not free.all() and any(not past(a, ends, [piece]).all() for piece in covers):
        return "in cover", ""
    return "in the open", ""


def seen_alone(a: Figure, b: Figure) -> Floats:
    """(n, 3) points of the body of b that the eye of a would see on an empty table."""
    body = b.body
    # A little towards the eye, so that the face on which a point lies does not hide it.
    towards = a.eye - body
    body = body + 0.05 * towards / np.linalg.norm(towards, axis=1)[:, None]
    seen: Floats = body[past(a, body, [b])]
    return seen


def past(a: Figure, ends: Floats, pieces: Sequence[Terrain | Figure]) -> Flags:
    """(n,) which of some points the eye of a sees past some pieces."""
    boxes = [box for piece in pieces for box in piece.boxes]
    return free_lines(np.tile(a.eye, (len(ends), 1)), ends, boxes)


def touches(one: Figure, piece: Terrain) -> bool:
    """Whether the base comes to what of a piece lies at the figure's height, just above or just below included."""
    low, high = one.at[2], one.at[2] + 3.0 + one.height
    gaps = [
        float(box.distances_in_plan(np.array(one.at[:2]))) - one.base / 2
        for box in piece.boxes
        if box.middle[2] <= high + ALMOST and box.middle[2] + box.size[2] >= low - ALMOST
    ]
    return bool(gaps) and min(gaps) <= TOUCH


def is_large_enough(one: Figure, piece: Terrain) -> bool:
    """Whether a piece rises half an inch above the feet of a figure, and is as long as its base is wide."""
    top = max(box.middle[2] + box.size[2] for box in piece.boxes)
    return top - one.at[2] >= 0.5 * INCH - ALMOST and longer_side(piece) >= one.base - ALMOST


def longer_side(piece: Terrain) -> float:
    """Mm: the longer side of the smallest rectangle round a piece, seen from above."""
    corners = np.concatenate([box.surface(1e9)[:, :2] for box in piece.boxes])
    turns = np.radians(np.arange(0.0, 90.0, 0.25))
    ways = np.stack([np.column_stack([np.cos(turns), np.sin(turns)]), np.column_stack([-np.sin(turns), np.cos(turns)])])
    sides = np.ptp(corners @ ways.transpose(0, 2, 1), axis=1)
    return float(sides[:, sides.prod(axis=0).argmin()].max())
