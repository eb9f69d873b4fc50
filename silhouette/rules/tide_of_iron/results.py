"""JUDGE: Tide of Iron, the verdict, and the row of a result that is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict  # pydantic needs it below Python 3.12

from silhouette.rules.base import Level, Verdict
from silhouette.rules.readings import OtherReading
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


class TideOfIronRow(TypedDict):
    """A ruling as JSON has it; see `TideOfIronVerdict`. Addresses are lists ``[q, r]``, distances in hexes."""

    attacker: str | list[int]
    target: str | list[int]
    rules: str
    verdict: str
    line_of_sight: bool
    cause: Cause
    along_edge: bool
    obstruction: list[int] | None
    blind_hexes: list[list[int]]
    distance: int
    elevations: list[int]
    lines: list[dict[str, Any]]
    other_readings: list[OtherReading]
    rule: str
    rule_number: str
    reason: str


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
        other_readings: each single other reading of the rules that gives another verdict.
    """

    cause: Cause
    along_edge: bool
    obstruction: Address | None
    blind_hexes: tuple[Address, ...]
    distance: int
    elevations: tuple[int, int]
    lines: tuple[Line, ...]
    other_readings: tuple[OtherReading, ...]

    @property
    def line_of_sight(self) -> bool:
        """Whether the two see each other."""
        return self.verdict == "visible"

    def row(self) -> TideOfIronRow:
        """The result as the contract names its keys, ready for JSON; addresses are lists ``[q, r]``."""
        return {
            "attacker": _as_said(self.attacker),
            "target": _as_said(self.target),
            "rules": self.rules,
            "verdict": self.verdict,
            "line_of_sight": self.line_of_sight,
            "cause": self.cause,
            "along_edge": self.along_edge,
            "obstruction": None if self.obstruction is None else list(self.obstruction),
            "blind_hexes": [list(address) for address in self.blind_hexes],
            "distance": self.distance,
            "elevations": list(self.elevations),
            "lines": [line.row() for line in self.lines],
            "other_readings": [reading.copy() for reading in self.other_readings],
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
        }


def _as_said(words: str) -> str | list[int]:
    """A unit's name, or an address as a list."""
    address = from_words(words)
    return words if address is None else list(address)
