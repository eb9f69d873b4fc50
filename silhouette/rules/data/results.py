"""JUDGE, games by data: the verdict, and its row for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import (
    Any,
    NotRequired,  # pydantic needs it below Python 3.12
    Self,
    cast,
)

from typing_extensions import TypedDict

from silhouette.measure.observation import DecidedBy, Observation, OcclusionCounts
from silhouette.rules.base import MeasuredVerdict, decides
from silhouette.rules.data.found import Tally, Use
from silhouette.rules.expectations import BlockerRow
from silhouette.views import Projection


class ClauseRow(TypedDict):
    """A clause as JSON has it; ``values`` has what was measured, by primitive: truths, shares, lengths in mm."""

    number: str
    text: str
    holds: bool
    values: dict[str, Any]


class ChoiceRow(TypedDict):
    """Whose player chooses, and between which verdicts."""

    by: str
    between: list[str]


class DataRow(TypedDict):
    """A `DataVerdict` as JSON has it; the keys from ``occluded`` on only where something was measured from an eye."""

    attacker: str
    target: str
    rules: str
    verdict: str
    line_of_sight: bool
    rule: str
    rule_number: str
    reason: str
    marginal: bool
    could_be: list[str]
    blockers: list[BlockerRow]
    choice: ChoiceRow | None
    clauses: list[ClauseRow]
    warnings: list[str]
    occluded: NotRequired[float]
    error: NotRequired[float]
    target_pixels: NotRequired[int]
    occluded_pixels: NotRequired[int]
    seen_pixels: NotRequired[int]
    renderer: NotRequired[str]
    pixel: NotRequired[float]
    decided_by: NotRequired[DecidedBy]
    projection: NotRequired[Projection]


@dataclass(frozen=True, eq=False)
class AskedClause:
    """A clause that was asked.

    Attributes:
        number: in the game's specification.
        text: what it says of this table.
        holds: whether it holds.
        sure: whether it does within all errors.
        decides: whether the verdict rests on it.
        uses: what was asked of the table, the most telling first.
        named: the names of the pieces that its text names, but for the attacker and the target.
        tallies: what was counted for it.
    """

    number: str
    text: str
    holds: bool
    sure: bool
    decides: bool
    uses: tuple[Use, ...]
    named: tuple[str, ...]
    tallies: tuple[Tally, ...]

    def row(self) -> ClauseRow:
        """The clause as the contract names its keys."""
        values: dict[str, Any] = {}
        for use in self.uses:
            value = use.holds if use.holds is not None or use.measured is None else use.measured.value
            name = use.name if use.name not in values else f"{use.name}({', '.join(use.of)})"
            if use.unit != "clause":
                values.setdefault(name, value)
        return {"number": self.number, "text": self.text, "holds": self.holds, "values": values}


@dataclass(frozen=True, eq=False)
class Measurement:
    """What was measured from an eye.

    Attributes:
        counts: the pixels of the target and their errors.
        blockers: the names of the pieces that may stand before the target, as the counts have them.
        renderer: its name.
        pixel: mm per pixel at the target.
        decided_by, projection: as of `silhouette.measure.observation.Observation`.
    """

    counts: OcclusionCounts
    blockers: tuple[str, ...]
    renderer: str
    pixel: float
    decided_by: DecidedBy
    projection: Projection

    @classmethod
    def of(cls, observed: Observation, renderer: str) -> Measurement:
        """What an observation found, without its masks."""
        names = tuple(piece.name for piece in observed.blockers)
        return cls(observed.counts, names, renderer, observed.pixel, observed.decided_by, observed.projection)

    def row(self) -> dict[str, Any]:
        """The keys of a result that only what is measured from an eye has."""
        counts = self.counts
        return {
            "occluded": counts.occluded / counts.total if counts.total else 0.0,
            "error": counts.error,
            "target_pixels": counts.total,
            "occluded_pixels": counts.occluded,
            "seen_pixels": counts.seen,
            "renderer": self.renderer,
            "pixel": self.pixel,
            "decided_by": self.decided_by,
            "projection": self.projection,
        }

    def blocker_rows(self, others: Sequence[str]) -> list[BlockerRow]:
        """The pieces that obscure some of the target, the largest share first; then others that are in the way."""
        total = self.counts.total or 1
        found = zip(self.blockers, self.counts.nearest, self.counts.alone, strict=True)
        rows = [
            BlockerRow(name=name, occluded=near / total, alone=alone / total) for name, near, alone in found if alone
        ]
        rows.sort(key=lambda row: (-row["occluded"], -row["alone"], row["name"]))
        known = {row["name"] for row in rows}
        return rows + [BlockerRow(name=name, occluded=0.0, alone=0.0) for name in others if name not in known]


@dataclass(frozen=True, eq=False)
class DataVerdict(MeasuredVerdict):
    """A verdict of a game by data, with its evidence.

    Attributes:
        written: the game as the scene file names it.
        line_of_sight: whether the game's clause of line of sight holds.
        could_be: the verdicts that hold within the errors, this one among them.
        blockers: the names of the pieces that are in the way, by the clauses that decided.
        chooser: the name of the model whose player chooses; empty where nobody does.
        between: the verdicts between which that player chooses.
        clauses: those that were asked, first those that decided.
        warnings: sentences on estimates, doubtful poses and faulty meshes.
        measurement: what was measured from an eye of the attacker; None where nothing was.
        looks: the observations of the models that the deciding clauses counted, by what rests on them; empty where
            they were not kept.
    """

    written: str
    line_of_sight: bool
    could_be: tuple[str, ...]
    blockers: tuple[str, ...]
    chooser: str
    between: tuple[str, ...]
    clauses: tuple[AskedClause, ...]
    warnings: tuple[str, ...]
    measurement: Measurement | None
    looks: Mapping[Use, Observation] = field(default_factory=dict, repr=False, compare=False)

    def could_also_be(self, others: Sequence[str], why: str) -> Self:
        """See `silhouette.rules.base.Verdict`."""
        possible = tuple(dict.fromkeys([*self.could_be, *others]))
        return replace(self, could_be=possible, reason=self.reason + decides(others, why))

    def without_evidence(self) -> Self:
        """The same answer without its observations, whose masks take megabytes."""
        return replace(self, observation=None, looks={})

    def _blocker_rows(self) -> list[BlockerRow]:
        if self.measurement is None:
            return [{"name": name} for name in self.blockers]
        return self.measurement.blocker_rows(self.blockers)

    def row(self) -> DataRow:
        """The result as the contract names its keys, ready for JSON."""
        measured = self.measurement
        row: DataRow = {
            "attacker": self.attacker,
            "target": self.target,
            "rules": self.written,
            "verdict": self.verdict,
            "line_of_sight": self.line_of_sight,
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
            "marginal": len(self.could_be) > 1,
            "could_be": list(self.could_be),
            "blockers": self._blocker_rows(),
            "choice": {"by": self.chooser, "between": list(self.between)} if self.between else None,
            "clauses": [clause.row() for clause in self.clauses],
            "warnings": list(self.warnings),
        }
        return row if measured is None else cast(DataRow, {**row, **measured.row()})
