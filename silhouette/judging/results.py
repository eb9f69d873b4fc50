"""The result of a check: its verdict, compared with what its check expects, its odds, and what would change it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from silhouette.doubt.calls import ruling
from silhouette.doubt.changes import CHANGES
from silhouette.rules import rule_called
from silhouette.rules.base import Level, Verdict
from silhouette.rules.fields import ARC, ODDS, REASON, Record, ResultField, row_of, unmet_expectations
from silhouette.scenes.scene import Check

if TYPE_CHECKING:
    from silhouette.doubt.changes import Changes
    from silhouette.doubt.odds import Odds


@dataclass(frozen=True)
class Judged(Record):
    """One check with its verdict; its row has the keys of the verdict, and those of `fields`.

    Attributes:
        check: the question.
        verdict: the answer.
        unmet: the expectations that do not hold, in a few words each; None where nothing is expected.
        picture: the file of its picture, or None.
        odds: how likely each verdict is, where that was asked for.
        changes: what would change the verdict, where that was asked for and a move makes sense.
        one_way: why the target sees the attacker, where this one does not see it and what would change was asked for.
    """

    check: Check
    verdict: Verdict
    unmet: tuple[str, ...] | None
    picture: Path | None = None
    odds: Odds | None = None
    changes: Changes | None = None
    one_way: str | None = None

    fields: ClassVar[tuple[ResultField, ...]] = (
        ResultField(
            "expected", bool | None, "whether everything expected holds; null if nothing is expected", is_detail=False
        ),
        replace(ARC, type=str | None, at="check.arc", optional=True),
        ResultField(
            "unmet",
            list[str],
            "what of the expectation does not hold, a few words each",
            optional=True,
            is_detail=False,
            compared="sentence",
            value=lambda unmet: list(unmet) if unmet else None,
        ),
        ResultField(
            "picture",
            str,
            "the file into which it was drawn",
            optional=True,
            value=lambda path: None if path is None else str(path),
        ),
        *(replace(field, optional=True) for field in ODDS),
        ResultField(
            "changes",
            CHANGES | None,
            "--what-if: what would change the verdict; moves, the least first, the turn, then pieces",
            at="changes.found",
            optional=True,
        ),
        ResultField(
            "one_way", str, "--what-if: why the target sees the attacker, which does not see it", optional=True
        ),
    )

    @classmethod
    def of(cls, check: Check, verdict: Verdict, odds: Odds | None = None) -> Judged:
        """The verdict, compared with the check's expectation: with that of its odds as well, where they are given."""
        result = cls(check, verdict, None, odds=odds)
        if check.expect is None:
            return result
        of_odds = {field.key for field in ODDS}
        expect = {key: value for key, value in check.expect.items() if odds is not None or key not in of_odds}
        row = {**(row_of(result, ODDS) if odds is not None else {}), **verdict.row()}
        return replace(result, unmet=tuple(unmet_expectations(row, expect)))

    @property
    def expected(self) -> bool | None:
        """Whether every expectation holds; None where nothing is expected."""
        return None if self.unmet is None else not self.unmet

    @property
    def reason(self) -> str:
        """Why, in one sentence: with odds, what they decide as well."""
        odds = self.odds
        return self.verdict.reason if odds is None else ruling(self.verdict, odds.odds, odds.call, odds.doubt_from)

    @property
    def level(self) -> Level | None:
        """How exposed the target is by the verdict that stands; None if the players roll off, or that is not asked."""
        return self.verdict.level if self.odds is None else rule_called(self.verdict.rules).levels.get(self.odds.call)

    @property
    def call(self) -> str | None:
        """The verdict that stands by the odds, or "roll off"; None without odds."""
        return None if self.odds is None else self.odds.call

    def row(self) -> dict[str, Any]:
        """The result under the contract's keys."""
        row = {**self.verdict.row(), **row_of(self, self.fields)}
        return row if self.odds is None else {**row, REASON.key: self.reason}
