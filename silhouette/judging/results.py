"""The result of a check: its verdict, compared with what its check expects, its odds, and what would change it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from silhouette.rules.base import Verdict
from silhouette.rules.expectations import OF_ODDS, unmet_expectations
from silhouette.scenes.scene import Check

if TYPE_CHECKING:
    from silhouette.doubt.changes import Changes
    from silhouette.doubt.odds import Odds


@dataclass(frozen=True)
class Judged:
    """One check with its verdict.

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

    @classmethod
    def of(cls, check: Check, verdict: Verdict, odds: Odds | None = None) -> Judged:
        """The verdict, compared with the check's expectation: with that of its odds as well, where they are given."""
        if check.expect is None:
            return cls(check, verdict, None, odds=odds)
        row, expect = verdict.row(), check.expect
        if odds is None:
            expect = {key: wanted for key, wanted in expect.items() if key not in OF_ODDS}
        else:
            row = {**odds.added_to(row), **row}
        return cls(check, verdict, tuple(unmet_expectations(row, expect)), odds=odds)

    @property
    def expected(self) -> bool | None:
        """Whether every expectation holds; None where nothing is expected."""
        return None if self.unmet is None else not self.unmet

    def row(self) -> dict[str, Any]:
        """The result under the contract's keys, with the arc of the check, its unmet expectations, and the picture."""
        row = {**self.verdict.row(), "expected": self.expected}
        if self.check.arc is not None:
            row["arc"] = self.check.arc
        if self.unmet:
            row["unmet"] = list(self.unmet)
        if self.picture is not None:
            row["picture"] = str(self.picture)
        if self.odds is not None:
            row = self.odds.added_to(row)
        if self.changes is not None:
            row["changes"] = self.changes.rows()
        if self.one_way is not None:
            row["one_way"] = self.one_way
        return row
