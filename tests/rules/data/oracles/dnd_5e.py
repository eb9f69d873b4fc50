"""Dungeons & Dragons (5th) by sampling: lines from corner to corner, tried one by one; rays from the eye."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.rules.data.oracles.sampling import Figure, Picture, SampledTable, Terrain
from tests.rules.data.oracles.squares import Flat, base, cells, corners, is_blocked, outlines, space, stands_on


def ruled(
    table: SampledTable,
    attacker: str,
    target: str,
    method: str = "corners",
    touching: str = "clear",
    creatures: str = "half",
    creature_fills: str = "its squares",
    low: str = "half",
) -> tuple[str, str]:
    """The cover of the target against the attacker."""
    a, b = table.figures[attacker], table.figures[target]
    terrain = [piece for piece in table.terrain.values() if piece.says.get("cover", "any") != "none"]
    others = [one for one in table.figures.values() if one not in (a, b) and one.says.get("gives_cover", True)]
    picture = Picture.of(a, b)
    if method == "body":
        whole = [piece for piece in terrain if piece.says.get("cover", "any") == "any"]
        return by_body(picture, terrain, others, [*whole, *(others if creatures == "as obstacles" else [])]), ""
    standing = [piece for piece in terrain if not stands_on(a, piece) and not stands_on(b, piece)]
    in_full = [
        piece
        for piece in standing
        if piece.says.get("cover", "any") == "any" and not (low == "half" and is_low(piece, b))
    ]
    fills: Callable[[Figure], Flat] = space if creature_fills == "its squares" else base
    bodies = [fills(one) for one in others]
    full = [*outlines(in_full), *(bodies if creatures == "as obstacles" else [])]
    lines = [(start, end) for start in corners(space(a)) for cell in cells(space(b)) for end in cell]
    reached = not all(is_blocked(start, end, outlines(standing), touching) for start, end in lines)
    if not reached and picture.hidden(terrain) == 1.0:
        return "total cover", ""
    if clear(a, b, full, touching) < 2:
        return "three-quarters cover", ""
    if clear(a, b, [*outlines(standing), *bodies], touching) < 4:
        return "half cover", ""
    return "no cover", ""


def by_body(
    picture: Picture, terrain: Sequence[Terrain], others: Sequence[Figure], in_full: Sequence[Terrain | Figure]
) -> str:
    """By how much of the body is hidden from the eye."""
    if picture.hidden(terrain) == 1.0:
        return "total cover"
    if picture.hidden(in_full) >= 0.75:
        return "three-quarters cover"
    return "half cover" if picture.hidden(terrain, others) >= 0.5 else "no cover"


def clear(a: Figure, b: Figure, flats: Sequence[Flat], touching: str) -> int:
    """How many of the four lines are clear, from the best corner to the best square."""
    return max(
        sum(not is_blocked(start, end, flats, touching) for end in cell)
        for start in corners(space(a))
        for cell in cells(space(b))
    )


def is_low(piece: Terrain, b: Figure) -> bool:
    """Whether a piece is no higher than half of the target."""
    top = max(box.middle[2] + box.size[2] for box in piece.boxes)
    return bool(top - b.at[2] <= (3.0 + b.height) / 2)
