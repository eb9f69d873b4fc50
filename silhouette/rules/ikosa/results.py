"""JUDGE: Ikosa, the verdict, and the row of a result that is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import TypedDict  # pydantic needs it below Python 3.12

from silhouette.rules.base import Level, Verdict
from silhouette.rules.ikosa.lines import Lines
from silhouette.rules.readings import OtherReading

NAME = "ikosa"

LEVELS: Mapping[str, Level] = {
    "no cover": Level.CLEAR,
    "cover": Level.PARTIAL,
    "no line of effect": Level.BLOCKED,
}
"""Each verdict's level, from exposed to covered."""

VERDICTS = tuple(LEVELS)


class GradedCover(TypedDict, total=False):
    """The value of the cover, where the scene asks for graded cover."""

    cover_value: int


class IkosaRow(GradedCover):
    """A ruling as JSON has it; see `IkosaVerdict`. Points and lines are counted."""

    attacker: str
    target: str
    rules: str
    verdict: str
    cover: bool
    line_of_effect: bool
    source_points: int
    target_points: int
    lines: int
    blocked: int
    gravity_face_excluded: bool
    rule: str
    rule_number: str
    reason: str
    other_readings: list[OtherReading]


@dataclass(frozen=True)
class IkosaVerdict(Verdict):
    """An Ikosa ruling with its evidence.

    Attributes:
        drawn: the lines that decided.
        cover: whether at least one line is hindered.
        line_of_effect: whether at least one line is free, or none is needed.
        cover_value: 0, 2, 4 or 8 where the scene asks for graded cover, else None.
        other_readings: the results that would differ under another reading of the rules; empty where none would.
    """

    drawn: Lines
    cover: bool
    line_of_effect: bool
    cover_value: int | None = None
    other_readings: tuple[OtherReading, ...] = ()

    def row(self) -> IkosaRow:
        """The result as the contract names its keys, ready for JSON."""
        graded = GradedCover() if self.cover_value is None else GradedCover(cover_value=self.cover_value)
        return {
            "attacker": self.attacker,
            "target": self.target,
            "rules": self.rules,
            "verdict": self.verdict,
            "cover": self.cover,
            "line_of_effect": self.line_of_effect,
            "source_points": len(self.drawn.sources),
            "target_points": len(self.drawn.targets),
            "lines": self.drawn.count,
            "blocked": self.drawn.blocked,
            "gravity_face_excluded": self.drawn.gravity_face_excluded,
            **graded,
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
            "other_readings": [reading.copy() for reading in self.other_readings],
        }
