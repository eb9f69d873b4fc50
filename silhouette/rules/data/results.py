"""JUDGE, games by data: the verdict, and its row for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from silhouette.measure.observation import Observation
from silhouette.rules.base import MeasuredVerdict
from silhouette.rules.data.values import Tally, Use
from silhouette.rules.fields import (
    MANNER,
    RULES_FIELD,
    SHARE_FIELDS,
    Blocker,
    Record,
    ResultField,
    list_of,
    row_type,
    shared,
)
from silhouette.rules.on_table import measured_blockers


@dataclass(frozen=True, eq=False)
class AskedClause(Record):
    """A clause that was asked."""

    number: str  # in the game's specification
    text: str  # what it says of this table
    holds: bool
    sure: bool  # whether what it says holds within all errors
    decides: bool  # whether the verdict rests on it
    uses: tuple[Use, ...]  # what was asked of the table, the most telling first
    named: tuple[str, ...]  # the names of the pieces that its text names, but for the attacker and the target
    tallies: tuple[Tally, ...]

    fields: ClassVar[tuple[ResultField, ...]] = (
        ResultField("number", str, "in the game's specification"),
        ResultField("text", str, "what it says of this table"),
        ResultField("holds", bool, "whether it does"),
        ResultField("values", dict[str, Any], "what was measured, by primitive: truths, shares, lengths in mm"),
    )

    @property
    def values(self) -> dict[str, Any]:
        """What was measured, by primitive; by what it was asked of as well, if one was asked twice."""
        values: dict[str, Any] = {}
        for use in self.uses:
            value = use.holds if use.holds is not None or use.measured is None else use.measured.value
            name = use.name if use.name not in values else f"{use.name}({', '.join(use.of)})"
            if use.unit != "clause":
                values.setdefault(name, value)
        return values


def blockers_of(observed: Observation | None, others: Sequence[str]) -> tuple[Blocker, ...]:
    """The pieces that obscure some of the target, the largest share first; then ``others`` to which the answers are due
    that decided. If nothing was measured from an eye, blockers have names alone.
    """
    if observed is None:
        return tuple(map(Blocker, others))
    measured = measured_blockers(observed)
    names = {blocker.name for blocker in measured}
    return measured + tuple(Blocker(name, 0.0, 0.0) for name in others if name not in names)


CHOICE = row_type(
    "ChoiceRow", (ResultField("by", str, "whose player chooses"), ResultField("between", list[str], "the verdicts"))
)


@dataclass(frozen=True, eq=False, repr=False)
class DataVerdict(MeasuredVerdict):
    """A verdict of a game by data, with its evidence."""

    written: str  # the game as the scene file names it
    deciding: tuple[str, ...]  # the names of the pieces that are in the way, by the clauses that decided
    chooser: str  # the name of the model whose player chooses between verdicts; empty where nobody does
    between: tuple[str, ...]
    roll: str | None  # what the verdict does to a roll, as the game says; None where nothing
    clauses: tuple[AskedClause, ...]  # those that were asked, first those that decided
    # The observations of the models that the deciding clauses counted, by what rests on them; empty where they were not
    # kept
    looks: Mapping[Use, Observation] = field(default_factory=dict, repr=False, compare=False)

    fields: ClassVar[tuple[ResultField, ...]] = (
        *(*shared("attacker", "target"), replace(RULES_FIELD, at="written")),
        *shared("verdict", "roll", "line_of_sight", "rule", "rule_number", "reason"),
        *shared("marginal", "could_be", "blockers", "other_readings"),
        ResultField("choice", CHOICE | None, "whose player chooses, and between which verdicts; null if nobody does"),
        ResultField("clauses", list_of("ClauseRow", AskedClause), "those that were asked", parts=AskedClause.fields),
        *shared("warnings"),
        *(replace(key, optional=True) for key in (*SHARE_FIELDS, *shared("seen_pixels", "renderer", "pixel"), *MANNER)),
    )

    @property
    def choice(self) -> Mapping[str, Any] | None:
        """Whose player chooses, and between which verdicts; None if nobody does."""
        return {"by": self.chooser, "between": self.between} if self.between else None

    def without_evidence(self) -> Self:
        """The same answer without its observations, whose masks take megabytes."""
        return replace(self, observation=None, looks={})
