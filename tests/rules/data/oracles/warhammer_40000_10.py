"""Warhammer 40,000 (10th) by sampling: lines between surfaces, lines between bases, shares of the facing side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.rules.data.oracles.sampling import INCH, Figure, Flags, SampledTable, Terrain, share_seen, skin


def ruled(table: SampledTable, attacker: str, target: str) -> tuple[str, str]:
    """The verdict on the attacker's look at the target, and on attacks of its unit."""
    a, b = table.figures[attacker], table.figures[target]
    unit = [one for one in table.figures.values() if unit_of(one) == unit_of(a)]
    others = [one for one in table.figures.values() if unit_of(one) != unit_of(a) and one is not b]
    exempt = bool({"towering", "aircraft"} & {word for one in (a, b) for word in keywords(one)})
    terrain = list(table.terrain.values())
    flies = any("aircraft" in keywords(one) for one in (a, b))
    towers = "towering" in keywords(a)
    ruins = [
        piece
        for piece in of(terrain, "ruin")
        if not all(inside(a, piece)) and not (towers and touches(a, piece)) and not touches(b, piece)
    ]
    if not table.line(skin(a, 4.0)[0], skin(b, 4.0)[0], 0.0, [*terrain, *others]):
        return "not visible", ""
    if not flies and all_cross(a, b, ruins):
        return "not visible", ""
    infantry = "infantry" in keywords(b)
    woods, hiding = of(terrain, "woods"), of(terrain, "ruin", "woods", "debris", "hill")
    covers = [
        any(all(inside(b, piece)) for piece in of(terrain, "ruin", "woods")),
        infantry and any(all(inside(b, piece)) for piece in of(terrain, "crater")),
        any(share_seen(one, b, [piece]) < 0.97 for piece in hiding for one in unit),
        infantry
        and any(gap(b, piece) <= 3 * INCH and any(share_seen(one, b, [piece]) < 0.97 for one in unit)
                for piece in of(terrain, "barricade")),
        not exempt
        and any(all_cross(one, b, [piece for piece in woods if not all(inside(one, piece))]) for one in unit),
    ]  # fmt: skip
    return ("benefit of cover" if any(covers) else "in the open"), ""


def unit_of(one: Figure) -> str:
    """The unit of a figure; its own where it says none."""
    return str(one.says.get("unit", f"alone: {one.name}"))


def keywords(one: Figure) -> list[str]:
    """The keywords of a figure."""
    return list(one.says.get("keywords", ["infantry"]))


def of(terrain: Sequence[Terrain], *types: str) -> list[Terrain]:
    """The terrain of some types."""
    return [piece for piece in terrain if piece.says.get("type", "debris") in types]


def inside(one: Figure, piece: Terrain) -> Flags:
    """(n,) which points of the rim of a base lie on a piece."""
    return np.logical_or.reduce([box.distances_in_plan(one.rim) <= 1e-6 for box in piece.boxes])


def touches(one: Figure, piece: Terrain) -> bool:
    """Whether a base lies on a piece in part."""
    return gap(one, piece) <= 0.0


def gap(one: Figure, piece: Terrain) -> float:
    """Mm from a base to a piece, seen from above; below 0 where they overlap."""
    middle = np.array([one.at[:2]])
    return min(float(box.distances_in_plan(middle)[0]) for box in piece.boxes) - one.base / 2


def all_cross(a: Figure, b: Figure, pieces: Sequence[Terrain]) -> bool:
    """Whether all lines from base to base cross some of the pieces."""
    share = np.linspace(0.0, 1.0, 200)[:, None]
    for start in a.rim:
        points = start + share * (b.rim[:, None] - start)
        hit = np.zeros(len(b.rim), np.bool_)
        for piece in pieces:
            for box in piece.boxes:
                hit |= (box.distances_in_plan(points) == 0.0).any(axis=1)
        if not hit.all():
            return False
    return bool(pieces)
