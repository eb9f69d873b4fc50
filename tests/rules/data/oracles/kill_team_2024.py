"""Kill Team (2024) by sampling: each point of the attacker's base on its own, as the attacker may choose it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.rules.data.oracles.sampling import INCH, Figure, Flags, SampledTable, Terrain


def ruled(table: SampledTable, attacker: str, target: str, lines: str = "in space") -> tuple[str, str]:
    """The verdict on a check, and who chooses between "in cover" and "obscured": a name, or nothing."""
    a, b = table.figures[attacker], table.figures[target]
    if not sees(table, a, b):
        return "not visible", ""
    if any(in_control_range(table, friend, b) for friend in table.figures.values() if is_friend(friend, a)):
        return "not a valid target", ""
    stands = [one for one in table.terrain.values() if not (one.says.get("exposed") or one.says.get("blocking"))]
    heavy = np.array([bool(piece.says.get("heavy") or piece.says.get("wall")) for piece in stands], np.bool_)
    features = [piece.says.get("feature", "") or piece.name for piece in stands]
    on = {one.says.get("on_vantage", "") for one in (a, b)} - {""}
    obscures = heavy & np.array(
        [not piece.says.get("feature") or piece.says["feature"] not in on for piece in stands], np.bool_
    )
    is_level = lines == "in plan" or a.at[2] == b.at[2]
    crossings = table.crossings if is_level else crossings_in_space
    near = crossings(a, b, stands, INCH, 0.0)
    far = crossings(a, b, stands, np.inf, INCH) & obscures
    is_close = table.gap(a, b) <= 2 * INCH
    looks_down = bool(a.says.get("on_vantage")) and a.at[2] - b.at[2] >= 2 * INCH
    hides = near & heavy if looks_down else near
    covered = np.zeros(len(near), np.bool_) if is_close else near.any(axis=1)
    if b.says.get("order") == "conceal" and not is_close:
        can_shoot = ~hides.any(axis=1)
        if not can_shoot.any():
            return "not a valid target", ""
        # From elsewhere there is no shot at one who hides.
        near, far, covered = near[can_shoot], far[can_shoot], covered[can_shoot]
    return _best(covered, far.any(axis=1), [_by_two(*rows, features) for rows in zip(near, far, strict=True)], a, b)


def crossings_in_space(a: Figure, b: Figure, pieces: Sequence[Terrain], near: float, far: float) -> Flags:
    """(AROUND, n) from each point of the upper side of the base of a, whether a line to the upper side of that of b
    crosses each piece nearer to b than ``near``, and farther from both than ``far``, mm.
    """
    starts, ends = (np.column_stack([one.rim, np.full(len(one.rim), one.at[2] + 3.0)]) for one in (a, b))
    share = np.linspace(0.0, 1.0, 200)[:, None]
    found = np.zeros((len(starts), len(pieces)), np.bool_)
    for index, start in enumerate(starts):
        points = start + share * (ends[:, None] - start)
        to_a, to_b = (np.linalg.norm(points[..., :2] - np.array(one.at[:2]), axis=-1) - one.base / 2 for one in (a, b))
        counts = (to_b <= near) & (np.minimum(to_a, to_b) > far) if far else to_b <= near
        for number, piece in enumerate(pieces):
            inside = np.logical_or.reduce([box.distances(points) == 0.0 for box in piece.boxes])
            found[index, number] = (inside & counts).any()
    return found


def sees(table: SampledTable, a: Figure, b: Figure) -> bool:
    """Whether a line of 1 mm leads from the head of a to the body of b, past all others, and some line past walls."""
    walls = [piece for piece in table.terrain.values() if piece.says.get("wall")]
    if walls and not passes(a, b, walls):
        return False
    past = [*table.terrain.values(), *(one for one in table.figures.values() if one.name not in (a.name, b.name))]
    return table.line(a.head, b.body, 1.0, past)


def passes(a: Figure, b: Figure, walls: Sequence[Terrain]) -> bool:
    """Whether a line from a point of the base of a to one of the base of b, seen from above, crosses no wall."""
    middles = (np.array([one.at[:2]], np.float64) for one in (a, b))
    starts, ends = (np.concatenate([one.rim, middle]) for one, middle in zip((a, b), middles, strict=True))
    share = np.linspace(0.0, 1.0, 200)[:, None]
    for start in starts:
        points = start + share * (ends[:, None] - start)
        inside = [box.distances_in_plan(points) == 0.0 for wall in walls for box in wall.boxes]
        if not np.logical_or.reduce(inside).any(axis=1).all():
            return True
    return False


def in_control_range(table: SampledTable, a: Figure, b: Figure) -> bool:
    """Whether one is within an inch of the other, and one of them sees the other."""
    return table.gap(a, b) <= INCH and (sees(table, a, b) or sees(table, b, a))


def is_friend(one: Figure, other: Figure) -> bool:
    """Whether two figures are of one gang."""
    return one.name != other.name and "gang" in one.says and one.says["gang"] == other.says.get("gang")


def _by_two(near: np.ndarray, far: np.ndarray, features: list[str]) -> bool:
    """Whether one feature covers and another obscures, for one point of the attacker's base."""
    covers, hides = ({name for name, holds in zip(features, row, strict=True) if holds} for row in (near, far))
    return any(one != other for one in covers for other in hides)


def _best(covered: np.ndarray, obscured: np.ndarray, by_two: list[bool], a: Figure, b: Figure) -> tuple[str, str]:
    """What the attacker makes of its base: the least that protects the target; between either, it chooses."""
    both = covered & obscured
    if not (covered | obscured).all():
        return "in the open", ""
    if (covered & ~both).any() and (obscured & ~both).any():
        return "in cover or obscured", a.name
    if (obscured & ~both).any():
        return "obscured", ""
    if (covered & ~both).any():
        return "in cover", ""
    return ("in cover and obscured", "") if all(by_two) else ("in cover or obscured", b.name)
