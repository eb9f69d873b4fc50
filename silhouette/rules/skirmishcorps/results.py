"""JUDGE: SkirmishCorps, the verdict, and the keys of its result for each ``ask``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import (
    Any,
    NotRequired,  # pydantic needs it below Python 3.12
    Self,
    cast,
)

from typing_extensions import TypedDict

from silhouette.measure.observation import DecidedBy
from silhouette.rules.base import Level, MeasuredVerdict, decides
from silhouette.rules.expectations import BlockerRow
from silhouette.rules.readings import OtherReading
from silhouette.views import Projection

NAME = "skirmishcorps"

LEVELS: Mapping[str, Level] = {
    "open": Level.CLEAR,
    "very low cover": Level.PARTIAL,
    "low cover": Level.PARTIAL,
    "high cover": Level.FULL,
    "corner cover": Level.FULL,
    "hidden": Level.BLOCKED,
}
"""The level of each verdict on how exposed a target is, from exposed to covered; other answers have none."""

ALWAYS = ("attacker", "target", "rules", "ask", "verdict")
GROUNDS = ("rule", "rule_number", "reason")
MEASURED = ("marginal", "could_be", "renderer", "pixel", "warnings")

ANSWERS: dict[str, tuple[str, ...]] = {
    "protection": (
        *("line_of_sight", "cover", "protected_by", "in_contact_with", "modifier", "occluded", "error"),
        *("target_pixels", "occluded_pixels", "blockers", "other_readings", *MEASURED, "decided_by", "projection"),
    ),
    "close combat": ("possible", "to_hit", "dodge_parry"),
    "flanked": ("flanked", "dive_penalty", "landing", *MEASURED),
    "classify": ("cover",),
    "penalty": ("penalty",),
    "from prone": ("penalty",),
    "attack cover": ("effective", "passed_on", "unit_wounded"),
    "cover wounds": ("wounds", "other_readings"),
    "destroyed": ("destroyed", "dice"),
    "vault": ("possible", "cost"),
    "pile through": ("through", "cover_destroyed", "consequence", "d6"),
}
"""The result keys of each ``ask``, without those that every result has."""

RESULTS = {ask: (*ALWAYS, *answers, *GROUNDS) for ask, answers in ANSWERS.items()}
"""The keys of a result, for each ``ask``."""


class SkirmishCorpsRow(TypedDict):
    """A ruling as JSON has it; `ANSWERS` lists, for each ``ask``, which of the keys that are not required it has.

    Shares are from 0 to 1, ``pixel`` and ``landing`` are in mm, ``cost`` is in inches of movement.
    """

    attacker: str | None
    target: str | None
    rules: str
    ask: str
    verdict: str
    line_of_sight: NotRequired[bool]
    cover: NotRequired[str | None]
    protected_by: NotRequired[str | None]
    in_contact_with: NotRequired[list[str]]
    modifier: NotRequired[int | None]
    occluded: NotRequired[float]
    error: NotRequired[float]
    target_pixels: NotRequired[int]
    occluded_pixels: NotRequired[int]
    blockers: NotRequired[list[BlockerRow]]
    other_readings: NotRequired[list[OtherReading]]
    marginal: NotRequired[bool]
    could_be: NotRequired[list[str]]
    renderer: NotRequired[str]
    pixel: NotRequired[float]
    decided_by: NotRequired[DecidedBy]
    projection: NotRequired[Projection]
    warnings: NotRequired[list[str]]
    possible: NotRequired[bool]
    to_hit: NotRequired[int | None]
    dodge_parry: NotRequired[int | None]
    flanked: NotRequired[bool]
    dive_penalty: NotRequired[int]
    landing: NotRequired[list[float] | None]
    penalty: NotRequired[int | None]
    effective: NotRequired[bool]
    passed_on: NotRequired[int]
    unit_wounded: NotRequired[bool | None]
    wounds: NotRequired[int]
    destroyed: NotRequired[bool]
    dice: NotRequired[list[int]]
    cost: NotRequired[float | None]
    through: NotRequired[bool]
    cover_destroyed: NotRequired[bool]
    consequence: NotRequired[str | None]
    d6: NotRequired[int]
    rule: str
    rule_number: str
    reason: str


@dataclass(frozen=True)
class SkirmishCorpsVerdict(MeasuredVerdict):
    """A SkirmishCorps ruling.

    Attributes:
        ask: the question, a key of `ANSWERS`.
        answers: the result keys of `ANSWERS` for it, with their values.
    """

    ask: str
    answers: Mapping[str, Any]

    @property
    def marginal(self) -> bool:
        """Whether another verdict is too near to rule out; only a measured verdict can be marginal."""
        return bool(self.answers.get("marginal", False))

    def could_also_be(self, others: Sequence[str], why: str) -> Self:
        """See `silhouette.rules.base.Verdict`."""
        possible = dict.fromkeys([*self.answers["could_be"], *others])
        answers = {**self.answers, "marginal": True, "could_be": [word for word in LEVELS if word in possible]}
        return replace(self, answers=answers, reason=self.reason + decides(others, why))

    def row(self) -> SkirmishCorpsRow:
        """The result as the contract names its keys, ready for JSON; attacker and target null where there are none."""
        row = {
            "attacker": self.attacker or None,
            "target": self.target or None,
            "rules": self.rules,
            "ask": self.ask,
            "verdict": self.verdict,
            **self.answers,
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
        }
        return cast(SkirmishCorpsRow, row)
