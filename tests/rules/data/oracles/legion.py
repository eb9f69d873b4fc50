"""Star Wars: Legion by sampling: silhouettes as upright boxes' circumscribed cylinders, lines tried one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.rules.data.oracles.sampling import INCH, Figure, Floats, SampledTable, Terrain, cylinder

HALF_RANGE = 3.0 * INCH


def ruled(table: SampledTable, attacker: str, target: str, lines: str = "in space") -> tuple[str, str]:
    """The verdict on the attack of a unit whose leader is the attacker on the unit of the target."""
    leader, defender = table.figures[attacker], table.figures[target]
    unit = [one for one in table.figures.values() if unit_of(one) == unit_of(defender)]
    every = list(table.terrain.values())
    heavy = [piece for piece in every if piece.says.get("cover", "light") == "heavy"]
    some = [piece for piece in every if piece.says.get("cover", "light") != "none"]
    vehicles = [
        one
        for one in table.figures.values()
        if one.says.get("kind") == "vehicle" and unit_of(one) not in (unit_of(leader), unit_of(defender))
    ]
    crosses = crosses_in_space if lines == "in space" else crosses_in_plan
    seen = [sees(table, leader, one, [*every, *vehicles]) for one in unit]
    if not any(seen):
        return "no line of sight", ""
    obscured = [crosses(table, leader, one, some) or not free for one, free in zip(unit, seen, strict=True)]
    by_heavy = [crosses(table, leader, one, heavy) or not sees(table, leader, one, heavy) for one in unit]
    if 2 * sum(obscured) < len(unit):
        return "no cover", ""
    return ("heavy cover" if 2 * sum(by_heavy) >= len(unit) else "light cover"), ""


def unit_of(one: Figure) -> str:
    """The unit of a figure; its own where it says none."""
    return str(one.says.get("unit", f"alone: {one.name}"))


def silhouette(one: Figure) -> Floats:
    """(n, 3) points of its silhouette: a cylinder on its base, as high as the figure."""
    return cylinder(one.at, one.base, 3.0 + one.height)


def sees(table: SampledTable, a: Figure, b: Figure, past: Sequence[Terrain | Figure]) -> bool:
    """Whether a line leads from silhouette to silhouette."""
    return table.line(silhouette(a), silhouette(b), 0.0, past)


def crosses_in_space(table: SampledTable, a: Figure, b: Figure, pieces: list[Terrain]) -> bool:
    """Whether some line from silhouette to silhouette crosses one of some pieces within half range of b."""
    share = np.linspace(0.0, 1.0, 200)[:, None]
    ends = silhouette(b)
    for start in silhouette(a):
        points = start + share * (ends[:, None] - start)
        near = np.linalg.norm(points[..., :2] - np.array(b.at[:2]), axis=-1) - b.base / 2 <= HALF_RANGE
        for piece in pieces:
            if any((near & (box.distances(points) == 0.0)).any() for box in piece.boxes):
                return True
    return False


def crosses_in_plan(table: SampledTable, a: Figure, b: Figure, pieces: list[Terrain]) -> bool:
    """Whether some line from base to base, seen from above, crosses one of some pieces within half range of b."""
    share = np.linspace(0.0, 1.0, 200)[:, None]
    for start in a.rim:
        points = start + share * (b.rim[:, None] - start)
        near = np.linalg.norm(points - np.array(b.at[:2]), axis=-1) - b.base / 2 <= HALF_RANGE
        for piece in pieces:
            if any((near & (box.distances_in_plan(points) == 0.0)).any() for box in piece.boxes):
                return True
    return False
