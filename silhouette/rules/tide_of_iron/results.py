"""JUDGE: Tide of Iron, the verdict, and the row of a result that is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from silhouette.rules.base import Level, Verdict
from silhouette.rules.fields import (
    ATTACKER,
    GROUNDS,
    LINE_OF_SIGHT,
    OTHER_READINGS,
    RULES,
    TARGET,
    VERDICT,
    ResultField,
)
from silhouette.rules.tide_of_iron.hexes import Address, from_words
from silhouette.rules.tide_of_iron.lines import Cause, Line

NAME = "tide-of-iron"

LEVELS: Mapping[str, Level] = {"visible": Level.CLEAR, "hidden": Level.BLOCKED}
"""Each verdict's level."""

VERDICTS = tuple(LEVELS)

CAUSES = (
    *("same_hex", "adjacent", "clear", "blocking_terrain", "higher_elevation", "plateau", "blind_hex"),
    "both_sides_blocked",
)


def _as_said(words: str) -> str | list[int]:
    """A unit's name, or an address as a list."""
    address = from_words(words)
    return words if address is None else list(address)


@dataclass(frozen=True)
class TideOfIronVerdict(Verdict):
    """A Tide of Iron ruling with its evidence.

    Attributes:
        cause: one of `CAUSES`.
        along_edge: whether the line runs along edges of hexes, so that two shifted lines are traced.
        obstruction: the hex that hides the target; where it is visible from another level, the closest obstruction, if
            any.
        blind_hexes: the blind hexes that the obstruction casts on its line; none where another rule than that of blind
            hexes decides.
        distance: the distance of the two, in hexes.
        elevations: the levels of the attacker and the target.
        lines: the traced lines, each ruled on by itself; none where the two share a hex or an edge of it.
    """

    cause: Cause
    along_edge: bool
    obstruction: Address | None
    blind_hexes: tuple[Address, ...]
    distance: int
    elevations: tuple[int, int]
    lines: tuple[Line, ...]

    fields: ClassVar[tuple[ResultField, ...]] = (
        *(replace(field, type=str | list[int], value=_as_said) for field in (ATTACKER, TARGET)),
        *(RULES, VERDICT, LINE_OF_SIGHT),
        ResultField("cause", Cause, "why", form="code"),
        ResultField("along_edge", bool, "whether two shifted lines are traced", label="along the edges of hexes"),
        ResultField("obstruction", list[int] | None, "the hex [q, r] that decides, if any", form="address"),
        ResultField("blind_hexes", list[list[int]], "those that the obstruction casts on its line", form="address"),
        ResultField("distance", int, "in hexes"),
        ResultField("elevations", list[int], "the levels of the attacker and the target"),
        ResultField("lines", list[dict[str, Any]], "the traced lines, each ruled on by itself", parts=Line.fields),
        *(OTHER_READINGS, *GROUNDS),
    )
