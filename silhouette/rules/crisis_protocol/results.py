"""JUDGE, for Crisis Protocol: the verdict, and the row of a result that is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import TypedDict  # pydantic needs it below Python 3.12

from silhouette.rules.base import Level, Verdict
from silhouette.rules.expectations import BlockerRow
from silhouette.rules.readings import OtherReading

NAME = "crisis-protocol"

LEVELS: Mapping[str, Level] = {"open": Level.CLEAR, "cover": Level.PARTIAL, "hidden": Level.BLOCKED}
"""Each verdict's level, from exposed to covered."""

VERDICTS = tuple(LEVELS)


class CrisisProtocolRow(TypedDict):
    """A ruling as JSON has it; see `CrisisProtocolVerdict`. Lengths are in the units of the scene."""

    attacker: str
    target: str
    rules: str
    verdict: str
    line_of_sight: bool
    cover: bool | None
    sight_line: list[list[float]] | None
    blockers: list[BlockerRow]
    cover_from: list[str]
    distance: float
    target_size: int
    other_readings: list[OtherReading]
    rule: str
    rule_number: str
    reason: str


@dataclass(frozen=True)
class CrisisProtocolVerdict(Verdict):
    """A Crisis Protocol ruling with its evidence.

    Attributes:
        line_of_sight: some straight line between the bases is not obstructed.
        cover: whether the target has cover; None where it is no character.
        sight_line: one line that is not obstructed, ((x, y), (x, y)); None where there is none.
        blockers: the terrain that obstructs every line, first what does so alone; empty with line of sight.
        cover_from: the terrain that gives cover, the nearest first.
        distance: from the attacker's base to the target, in the scene's units.
        target_size: what the target counts as for line of sight.
        other_readings: what would be different where the rules are read in another way, one entry for each.
    """

    line_of_sight: bool
    cover: bool | None
    sight_line: tuple[tuple[float, float], tuple[float, float]] | None
    blockers: tuple[str, ...]
    cover_from: tuple[str, ...]
    distance: float
    target_size: int
    other_readings: tuple[OtherReading, ...]

    def row(self) -> CrisisProtocolRow:
        """The result as the contract names its keys, ready for JSON."""
        return {
            "attacker": self.attacker,
            "target": self.target,
            "rules": self.rules,
            "verdict": self.verdict,
            "line_of_sight": self.line_of_sight,
            "cover": self.cover,
            "sight_line": None if self.sight_line is None else [list(end) for end in self.sight_line],
            "blockers": [{"name": name} for name in self.blockers],
            "cover_from": list(self.cover_from),
            "distance": self.distance,
            "target_size": self.target_size,
            "other_readings": [reading.copy() for reading in self.other_readings],
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
        }
