"""JUDGE, for Crisis Protocol: the verdict, and the row of a result that is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from silhouette.rules.base import Level, Verdict
from silhouette.rules.fields import BLOCKERS, GROUNDS, LINE_OF_SIGHT, OTHER_READINGS, VERDICT, WHO, ResultField

NAME = "crisis-protocol"

LEVELS: Mapping[str, Level] = {"open": Level.CLEAR, "cover": Level.PARTIAL, "hidden": Level.BLOCKED}
"""Each verdict's level, from exposed to covered."""

VERDICTS = tuple(LEVELS)


@dataclass(frozen=True)
class CrisisProtocolVerdict(Verdict):
    """A Crisis Protocol ruling with its evidence; lengths are in the scene's units.

    Attributes:
        cover: whether the target has cover; None where it is no character.
        sight_line: one line that is not obstructed, ((x, y), (x, y)); None where there is none.
        cover_from: the terrain that gives cover, the nearest first.
        distance: from the attacker's base to the target.
        target_size: what the target counts as for line of sight.
    """

    cover: bool | None
    sight_line: tuple[tuple[float, float], tuple[float, float]] | None
    cover_from: tuple[str, ...]
    distance: float
    target_size: int

    fields: ClassVar[tuple[ResultField, ...]] = (
        *(*WHO, VERDICT, LINE_OF_SIGHT),
        ResultField("cover", bool | None, "whether the target has cover; null if it is no character"),
        ResultField(
            "sight_line", list[list[float]] | None, "the ends of one free line; null if none is", label="a free line"
        ),
        BLOCKERS,
        ResultField("cover_from", list[str], "the terrain that gives cover, the nearest first"),
        ResultField("distance", float, "from the attacker's base to the target, in the scene's units"),
        ResultField("target_size", int, "what the target counts as for line of sight"),
        *(OTHER_READINGS, *GROUNDS),
    )
