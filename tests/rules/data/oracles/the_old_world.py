"""Warhammer: The Old World by rays: from an eye to every point of a picture, against boxes, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.rules.data.oracles.sampling import Box, Figure, Flags, Floats, SampledTable, Terrain

FINE = 0.4
"""mm between the rays of a picture, at the target."""

LOWER = 1.0
"""mm that lower ground is lower."""


@dataclass(frozen=True)
class Look:
    """What one figure sees of another, and what is in the way."""

    seen: float
    obscured: float


def ruled(table: SampledTable, attacker: str, target: str, one_of_several: str = "more than half") -> tuple[str, str]:
    """The verdict on the attacker's shot at the unit of the target."""
    a, b = table.figures[attacker], table.figures[target]
    ours, theirs = unit_of(table, a), unit_of(table, b)
    if not any(in_arc(one, other) for one in ours for other in theirs):
        return "outside the vision arc", ""
    if not any(sees(table, one, other) for one in ours for other in theirs):
        return "no line of sight", ""
    if not any(sees(table, a, other) for other in theirs):
        return "only its unit sees", ""
    shares = [
        1.0 if beyond(table, a, one) else look(table, a, one, [*table.terrain.values()]).obscured for one in theirs
    ]
    enough = 0.0 if one_of_several == "any part" and len(theirs) > 1 else 0.5
    covered = [share > enough for share in shares]
    if 2 * sum(covered) > len(theirs):
        return "full cover", ""
    woods = [piece for piece in table.terrain.values() if piece.says.get("type", "other") == "woods"]
    in_woods = any(all(all_in(one, piece) for one in theirs) for piece in woods)
    return ("partial cover" if any(share > 0.0 for share in shares) or in_woods else "no cover"), ""


def unit_of(table: SampledTable, one: Figure) -> list[Figure]:
    """All of the unit of a figure."""

    def name(figure: Figure) -> str:
        return str(figure.says.get("unit", f"alone: {figure.name}"))

    return [other for other in table.figures.values() if name(other) == name(one)]


def sees(table: SampledTable, a: Figure, b: Figure) -> bool:
    """Whether a line leads from one to the other; what one of them is in or on never blocks it."""
    stays = [piece for piece in table.terrain.values() if not wide(piece) or not (all_in(a, piece) or all_in(b, piece))]
    return not beyond(table, a, b) and look(table, a, b, stays).seen > 0.0


def wide(piece: Terrain) -> bool:
    """Whether it is woods or a hill."""
    return piece.says.get("type", "other") in ("woods", "hill")


def all_in(one: Figure, piece: Terrain) -> bool:
    """Whether all of a base is over a piece."""
    return bool(np.logical_or.reduce([box.distances_in_plan(one.rim) <= 1e-6 for box in piece.boxes]).all())


def high(table: SampledTable, one: Figure) -> bool:
    """Whether the unit of a figure is on one hill with every base."""
    hills = [piece for piece in table.terrain.values() if piece.says.get("type", "other") == "hill"]
    return any(all(all_in(mate, hill) for mate in unit_of(table, one)) for hill in hills)


def beyond(table: SampledTable, a: Figure, b: Figure) -> bool:
    """Whether every line between the bases goes over woods and hills that neither is in or on."""
    pieces = [
        piece for piece in table.terrain.values() if wide(piece) and not all_in(a, piece) and not all_in(b, piece)
    ]
    boxes = [box for piece in pieces for box in piece.boxes]
    share = np.linspace(0.0, 1.0, 300)[:, None]
    for start in disc(a):
        points = start + share * (disc(b)[:, None] - start)
        hit = np.zeros(len(points), np.bool_)
        for box in boxes:
            hit |= (box.distances_in_plan(points) == 0.0).any(axis=1)
        if not hit.all():
            return False
    return True


def disc(one: Figure) -> Floats:
    """(n, 2) points all over a base."""
    middle = np.array(one.at[:2])
    return np.concatenate([middle[None], *(middle + share * (one.rim[::2] - middle) for share in (0.4, 0.7, 1.0))])


def in_arc(a: Figure, b: Figure) -> bool:
    """Whether some of a base is in the vision arc of a figure."""
    return bool(within(a, disc(b)).any())


def within(a: Figure, points: Floats) -> Flags:
    """(n,) which points (n, 2), seen from above, are in the vision arc of a figure."""
    x, y = (points - np.array(a.at[:2])).T
    off = np.degrees(np.arctan2(y, x)) - a.facing
    inside: Flags = np.abs((off + 180.0) % 360.0 - 180.0) <= float(a.says.get("vision_arc", 90)) / 2.0
    return inside


def look(table: SampledTable, a: Figure, b: Figure, terrain: Sequence[Terrain]) -> Look:
    """The shares of a figure, as another sees it, that are seen, and that are behind something."""
    theirs = unit_of(table, b)
    others = [
        one
        for one in table.figures.values()
        if one is not a
        and one not in theirs
        and not (high(table, a) and one.at[2] < a.at[2] - LOWER)
        and not (high(table, b) and one.at[2] < b.at[2] - LOWER)
    ]
    ways = rays(a.eye, b)
    first = np.min([entry(a.eye, ways, box) for box in b.boxes], axis=0)
    ways, first = ways[np.isfinite(first)], first[np.isfinite(first)]
    hidden = np.zeros(len(first), np.bool_)
    boxes = [*(box for piece in terrain for box in piece.boxes), *(box for one in others for box in one.boxes)]
    for box in boxes:
        hidden |= entry(a.eye, ways, box) < first
    ahead = within(a, (a.eye + first[:, None] * ways)[:, :2])
    return Look(float((ahead & ~hidden).mean()), float(hidden.mean()))


def rays(eye: Floats, b: Figure) -> Floats:
    """(n, 3) from an eye to the points of an upright picture through the middle of a figure, wide enough for it."""
    middle = np.add(b.at, (0.0, 0.0, 3.0 + b.height / 2.0))
    ahead = (middle - eye) / np.linalg.norm(middle - eye)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    half = np.arange(FINE / 2.0, max(b.base, b.height), FINE)
    across = np.concatenate([-half[::-1], half])
    u, v = (grid.ravel()[:, None] for grid in np.meshgrid(across, across))
    ends: Floats = middle + u * right + v * up
    return ends - eye


def entry(eye: Floats, ways: Floats, box: Box) -> Floats:
    """(n,) where rays enter a box, as a share of their length: 0 where the eye is in it, infinitely far if nowhere."""
    start = box.local(eye)
    along = box.local(eye + ways) - start
    along = np.where(np.abs(along) < 1e-12, 1e-12, along)
    half = np.array(box.size) / 2.0
    one, other = (-half - start) / along, (half - start) / along
    comes, goes = np.minimum(one, other).max(axis=1), np.maximum(one, other).min(axis=1)
    return np.where((comes <= goes) & (goes > 0.0), np.maximum(comes, 0.0), np.inf)
