"""JUDGE: Necromunda, what a ruling holds, and the row that tells it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import TypedDict  # pydantic needs it below Python 3.12

from silhouette.measure.silhouette import OcclusionCounts
from silhouette.models.entries import ArcName
from silhouette.rules.base import Level, MeasuredVerdict

NAME = "necromunda"

LEVELS: Mapping[str, Level] = {
    "open": Level.CLEAR,
    "partial cover": Level.PARTIAL,
    "full cover": Level.FULL,
    "hidden": Level.BLOCKED,
}
"""Each verdict's level, from exposed to covered."""

VERDICTS = tuple(LEVELS)

RESULTS = (
    *("attacker", "target", "rules", "verdict", "line_of_sight", "in_arc", "occluded", "occluded_in_arc", "error"),
    *("target_pixels", "occluded_pixels", "seen_pixels", "blockers", "marginal", "could_be", "rule", "rule_number"),
    *("reason", "renderer", "pixel", "warnings", "arc"),
)
"""The keys of a result, in order; those of `NecromundaVerdict.row`."""

LISTS = ("blockers", "could_be", "warnings")
"""Those of which the value is a list."""


@dataclass(frozen=True)
class Blocker:
    """A piece in the way.

    Attributes:
        name: the piece's.
        occluded: the share of the target for which it is the nearest thing in the way.
        alone: the share that it would obscure with nothing else on the table.
    """

    name: str
    occluded: float
    alone: float


class BlockerRow(TypedDict):
    """A piece in the way as JSON has it; see `Blocker`."""

    name: str
    occluded: float
    alone: float


class NecromundaRow(TypedDict):
    """A ruling as JSON has it; see `NecromundaVerdict`. Shares are from 0 to 1, ``pixel`` is in mm."""

    attacker: str
    target: str
    rules: str
    verdict: str
    line_of_sight: bool
    in_arc: bool | None
    occluded: float
    occluded_in_arc: float | None
    error: float
    target_pixels: int
    occluded_pixels: int
    seen_pixels: int
    blockers: list[BlockerRow]
    marginal: bool
    could_be: list[str]
    rule: str
    rule_number: str
    reason: str
    renderer: str
    pixel: float
    warnings: list[str]
    arc: ArcName | None


@dataclass(frozen=True)
class NecromundaVerdict(MeasuredVerdict):
    """A Necromunda ruling with its evidence.

    Attributes:
        line_of_sight: some part of the target is in the vision arc and not obscured.
        counts: what was measured for cover.
        seen: pixels in the arc and not obscured, as line of sight counts them.
        blockers: what is in the way, the largest share first.
        could_be: every verdict within the error or the tolerance.
        renderer: the name of what measured it.
        pixel: mm per pixel at the target, as it was measured.
        warnings: what to know before trusting it.
        arc: the vision arc looked from, or None for any.
    """

    line_of_sight: bool
    counts: OcclusionCounts
    seen: int
    blockers: tuple[Blocker, ...]
    could_be: tuple[str, ...]
    renderer: str
    pixel: float
    warnings: tuple[str, ...]
    arc: ArcName | None = None

    @property
    def occluded(self) -> float:
        """The share of the target's significant silhouette that is obscured, from 0 to 1."""
        return self.counts.occluded / self.counts.total if self.counts.total else 0.0

    @property
    def occluded_in_arc(self) -> float | None:
        """The same over the part of it in the vision arc; None where none of it is."""
        return self.counts.occluded_in_arc / self.counts.in_arc if self.counts.in_arc else None

    @property
    def marginal(self) -> bool:
        """Whether another verdict is too near to tell: the players should roll off (R20)."""
        return len(self.could_be) > 1

    def row(self) -> NecromundaRow:
        """The result as the contract names its keys, ready for JSON."""
        measured = self.counts
        return {
            "attacker": self.attacker,
            "target": self.target,
            "rules": self.rules,
            "verdict": self.verdict,
            "line_of_sight": self.line_of_sight,
            "in_arc": measured.in_arc > 0,
            "occluded": self.occluded,
            "occluded_in_arc": self.occluded_in_arc,
            "error": measured.error,
            "target_pixels": measured.total,
            "occluded_pixels": measured.occluded,
            "seen_pixels": self.seen,
            "blockers": [BlockerRow(name=one.name, occluded=one.occluded, alone=one.alone) for one in self.blockers],
            "marginal": self.marginal,
            "could_be": list(self.could_be),
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
            "renderer": self.renderer,
            "pixel": self.pixel,
            "warnings": list(self.warnings),
            "arc": self.arc,
        }
