"""Bolt Action (3rd) by sampling: rays from each shooter's eye, counted shooter by shooter and model by model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.rules.data.oracles.sampling import Figure, Picture, SampledTable, Terrain

MAY_BE_HIDDEN = {"whole": 0.03, "half": 0.5}


@dataclass(frozen=True)
class Look:
    """What one shooter sees of one model.

    Attributes:
        clear: whether its line is clear.
        covered: whether terrain that gives cover hides too much of the model.
        hard: whether hard cover alone does.
    """

    clear: bool
    covered: bool
    hard: bool


def ruled(
    table: SampledTable,
    attacker: str,
    target: str,
    wording: str = "natural",
    clear: str = "whole",
    infantry_hides: bool = False,
    through_friends: str = "ignored",
) -> tuple[str, str]:
    """The verdict on the fire of the attacker's unit at the target's."""
    red, blue = unit_of(table.figures[attacker]), unit_of(table.figures[target])
    shooters = [one for one in table.figures.values() if unit_of(one) == red and one.says.get("shoots", True)]
    minis = [one for one in table.figures.values() if unit_of(one) == blue]
    hiding = [
        one
        for one in table.figures.values()
        if one.says.get("kind") == "vehicle" or (infantry_hides and unit_of(one) not in (red, blue))
    ]
    pictures = [[Picture.of(shooter, mini) for mini in minis] for shooter in shooters]
    blocking = [piece for piece in table.terrain.values() if piece.says.get("sight", "blocks") == "blocks"]
    dense = [piece for piece in table.terrain.values() if piece.says.get("sight") == "restricts"]
    sees = [
        [
            picture.hidden(blocking, hiding) < 1.0 and not any(lies_across(piece, shooter, mini) for piece in dense)
            for picture, mini in zip(row, minis, strict=True)
        ]
        for row, shooter in zip(pictures, shooters, strict=True)
    ]
    if not any(one for row in sees for one in row):
        return "no line of sight", ""
    if through_friends != "ignored":
        gang = table.figures[attacker].says.get("gang")
        friends = [
            one for one in table.figures.values() if gang and one.says.get("gang") == gang and unit_of(one) != red
        ]
        least = {"not on the line": 0.0, "not within 1 inch": 25.4}[through_friends]
        lines = [(shooter, mini) for shooter in shooters for mini in minis]
        if all(any(gap_to_line(line, friend) <= least for friend in friends) for line in lines):
            return "friends in the way", ""
    covers = {
        kind: [piece for piece in table.terrain.values() if piece.says.get("cover", "soft") in kinds]
        for kind, kinds in (("any", ("soft", "hard")), ("hard", ("hard",)))
    }
    most = MAY_BE_HIDDEN[clear]
    looks = []
    for row, seen in zip(pictures, sees, strict=True):
        by_any, by_hard = (
            [
                picture.hidden(covers[kind]) > most
                or any(stands_in(mini, piece) for piece in covers[kind] if piece in dense)
                for picture, mini in zip(row, minis, strict=True)
            ]
            for kind in ("any", "hard")
        )
        looks.append([Look(s and not c, c, h) for s, c, h in zip(seen, by_any, by_hard, strict=True)])
    if not in_cover(looks, wording):
        return "no cover", ""
    return ("hard cover" if mostly_hard(looks) else "soft cover"), ""


def stands_in(one: Figure, piece: Terrain) -> bool:
    """Whether some of the base of a figure lies over a piece, seen from above."""
    places = np.concatenate([one.rim, np.array([one.at[:2]], np.float64)])
    return any(bool((box.distances_in_plan(places) == 0.0).any()) for box in piece.boxes)


def lies_across(piece: Terrain, one: Figure, other: Figure) -> bool:
    """Whether all lines from base to base cross a piece, seen from above, in which neither figure stands."""
    if stands_in(one, piece) or stands_in(other, piece):
        return False
    share = np.linspace(0.0, 1.0, 200)[:, None]
    for start in one.rim:
        points = start + share * (other.rim[:, None] - start)
        if not np.logical_or.reduce([box.distances_in_plan(points) == 0.0 for box in piece.boxes]).any(axis=1).all():
            return False
    return True


def gap_to_line(line: tuple[Figure, Figure], one: Figure) -> float:
    """Mm from the line between the middles of two bases to a third, seen from above."""
    start, end = (np.array(end.at[:2]) for end in line)
    points = start + np.linspace(0.0, 1.0, 2000)[:, None] * (end - start)
    return float(max(np.linalg.norm(points - np.array(one.at[:2]), axis=1).min() - one.base / 2, 0.0))


def in_cover(looks: Sequence[Sequence[Look]], wording: str) -> bool:
    """Whether the unit is in cover; a row of looks for each shooter."""
    shooters, minis = len(looks), len(looks[0])
    if wording == "natural":
        return 2 * sum(2 * sum(look.clear for look in row) >= minis for row in looks) < shooters
    few = 2 * sum(any(look.clear for look in row) for row in looks) < shooters
    reached = sum(any(row[number].clear for row in looks) for number in range(minis))
    return few and (2 * reached >= minis if wording == "literal" else 2 * reached <= minis)


def mostly_hard(looks: Sequence[Sequence[Look]]) -> bool:
    """Whether hard cover is what applies to the majority: a vote of those from whom something is covered."""
    votes = []
    for row in looks:
        covered = [look.hard for look in row if look.covered]
        if covered:
            votes.append(2 * sum(covered) > len(covered))
    return 2 * sum(votes) > len(votes)


def unit_of(one: Figure) -> str:
    """The unit of a figure; its own where it says none."""
    return str(one.says.get("unit", f"alone: {one.name}"))
