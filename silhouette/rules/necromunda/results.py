"""JUDGE: Necromunda, the verdict type, and its row for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from typing_extensions import TypedDict  # pydantic needs it below Python 3.12

from silhouette.measure.observation import DecidedBy, OcclusionCounts
from silhouette.models.entries import ArcName
from silhouette.rules.base import Level, MeasuredVerdict, decides
from silhouette.rules.expectations import BlockerRow
from silhouette.rules.readings import OtherReading
from silhouette.views import Projection

NAME = "necromunda"

LEVELS: Mapping[str, Level] = {
    "open": Level.CLEAR,
    "partial cover": Level.PARTIAL,
    "full cover": Level.FULL,
    "hidden": Level.BLOCKED,
}
"""Each verdict's level, from exposed to covered."""

VERDICTS = tuple(LEVELS)
"""The verdicts, from exposed to covered."""


@dataclass(frozen=True)
class Blocker:
    """A piece that obscures some of the target. Shares are from 0 to 1.

    Attributes:
        name: of the piece.
        occluded: the share of the target of which it is the nearest blocker.
        alone: the share that it would obscure with nothing else on the table.
    """

    name: str
    occluded: float
    alone: float


class NecromundaRow(TypedDict):
    """A `NecromundaVerdict` as JSON has it. Shares are from 0 to 1, ``pixel`` is in mm."""

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
    other_readings: list[OtherReading]
    rule: str
    rule_number: str
    reason: str
    renderer: str
    pixel: float
    decided_by: DecidedBy
    projection: Projection
    warnings: list[str]
    arc: ArcName | None


@dataclass(frozen=True)
class NecromundaVerdict(MeasuredVerdict):
    """A Necromunda verdict with its evidence.

    Attributes:
        line_of_sight: whether some part of the target is in a vision arc and not obscured.
        counts: the pixels and errors as measured for cover.
        seen: pixels in a vision arc and not obscured, as measured for line of sight.
        blockers: the pieces that obscure some of the target, the largest share first.
        could_be: the verdicts that hold within the error or the tolerance, this one among them.
        renderer: the name of the renderer that counts.
        pixel: mm per pixel at the target, as counts.
        decided_by: "proof" where it is proven that nothing is seen, or nothing obscured; else "count".
        projection: "flat" where one picture of the target was taken, "cube" where it reaches round the eye.
        warnings: sentences on estimates, doubtful poses and faulty meshes.
        arc: the vision arc that the check names, or that of the crew member who sees best; None for any.
        other_readings: each single other reading of the rules that gives another verdict.
        is_facing_known: whether it is known where the attacker faces; where it is not, the verdict is that of a target
            in the vision arc.
    """

    line_of_sight: bool
    counts: OcclusionCounts
    seen: int
    blockers: tuple[Blocker, ...]
    could_be: tuple[str, ...]
    renderer: str
    pixel: float
    decided_by: DecidedBy
    projection: Projection
    warnings: tuple[str, ...]
    arc: ArcName | None = None
    other_readings: tuple[OtherReading, ...] = ()
    is_facing_known: bool = True

    @property
    def occluded(self) -> float:
        """The obscured share of the target's significant parts, from 0 to 1; 0 where they show no pixel."""
        return self.counts.occluded / self.counts.total if self.counts.total else 0.0

    @property
    def occluded_in_arc(self) -> float | None:
        """The obscured share of the target's part in the vision arcs, from 0 to 1; None where no part is in them."""
        return self.counts.occluded_in_arc / self.counts.in_arc if self.counts.in_arc else None

    @property
    def in_arc(self) -> bool | None:
        """Whether some of the target lies in a vision arc; None where that cannot be known.

        So it is where it is unknown where the attacker faces, and where the target has no area in the picture.
        """
        return self.counts.in_arc > 0 if self.is_facing_known and self.counts.total else None

    @property
    def marginal(self) -> bool:
        """Whether another verdict holds within the error or the tolerance: the players should roll off (R20).

        Always where it is unknown where the attacker faces (contract, section 3).
        """
        return len(self.could_be) > 1 or not self.is_facing_known

    def could_also_be(self, others: Sequence[str], why: str) -> Self:
        """See `silhouette.rules.base.Verdict`."""
        possible = tuple(word for word in VERDICTS if word in self.could_be or word in others)
        return replace(self, could_be=possible, reason=self.reason + decides(others, why))

    def row(self) -> NecromundaRow:
        """The result as the contract names its keys, ready for JSON."""
        counts = self.counts
        return {
            "attacker": self.attacker,
            "target": self.target,
            "rules": self.rules,
            "verdict": self.verdict,
            "line_of_sight": self.line_of_sight,
            "in_arc": self.in_arc,
            "occluded": self.occluded,
            "occluded_in_arc": self.occluded_in_arc,
            "error": counts.error,
            "target_pixels": counts.total,
            "occluded_pixels": counts.occluded,
            "seen_pixels": self.seen,
            "blockers": [
                BlockerRow(name=blocker.name, occluded=blocker.occluded, alone=blocker.alone)
                for blocker in self.blockers
            ],
            "marginal": self.marginal,
            "could_be": list(self.could_be),
            "other_readings": [reading.copy() for reading in self.other_readings],
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
            "renderer": self.renderer,
            "pixel": self.pixel,
            "decided_by": self.decided_by,
            "projection": self.projection,
            "warnings": list(self.warnings),
            "arc": self.arc,
        }
