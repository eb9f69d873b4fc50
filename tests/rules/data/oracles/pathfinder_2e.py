"""Pathfinder (2nd) by sampling: the line from middle to middle; rays from the eye, or from any part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.rules.data.oracles.sampling import Figure, Picture, SampledTable, Terrain
from tests.rules.data.oracles.squares import Flat, is_blocked, outlines, size_of, space, stands_on

RANKS = ("tiny", "small", "medium", "large", "huge", "gargantuan")


def ruled(
    table: SampledTable, attacker: str, target: str, touching: str = "clear", path: str = "from the eye"
) -> tuple[str, str]:
    """The cover of the target against the attacker."""
    a, b = table.figures[attacker], table.figures[target]
    others = [one for one in table.figures.values() if one not in (a, b) and one.says.get("gives_cover", True)]
    solid, extreme, light = (
        [piece for piece in table.terrain.values() if cover_of(piece) in covers]
        for covers in (("standard", "greater"), ("greater",), ("lesser",))
    )
    if not reaches(table, a, b, solid, path):
        return "no line of effect", ""

    def through(flats: Sequence[Flat]) -> bool:
        return is_blocked(np.array(a.at[:2]), np.array(b.at[:2]), flats, touching)

    def counting(pieces: Sequence[Terrain]) -> list[Flat]:
        return outlines([piece for piece in pieces if not stands_on(a, piece) and not stands_on(b, piece)])

    giants = [one for one in others if rank(one) >= max(rank(a), rank(b)) + 2]
    is_standard = through(counting(solid)) or any(through([space(one)]) for one in giants)
    took = bool(b.says.get("taking_cover", False))
    if through(counting(extreme)) or (is_standard and took):
        return "greater cover", ""
    if is_standard or took:
        return "standard cover", ""
    is_lesser = through(counting(light)) or any(through([space(one)]) for one in others)
    return ("lesser cover" if is_lesser else "no cover"), ""


def reaches(table: SampledTable, a: Figure, b: Figure, solid: Sequence[Terrain], path: str) -> bool:
    """Whether an unblocked path leads from one to the other."""
    if Picture.of(a, b).hidden(solid) < 1.0:
        return True
    return path == "from any part" and table.line(a.body[::7], b.body[::7], 0.0, solid)


def cover_of(piece: Terrain) -> str:
    """The cover that a piece says that it gives."""
    return str(piece.says.get("cover", "standard"))


def rank(one: Figure) -> int:
    """The place of its size among all sizes."""
    return RANKS.index(size_of(one))
