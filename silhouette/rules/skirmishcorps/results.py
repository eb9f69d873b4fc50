"""JUDGE: SkirmishCorps, what a ruling holds, and the keys of its result for each ``ask``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from silhouette.rules.base import Level, MeasuredVerdict

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
        *("target_pixels", "occluded_pixels", "blockers", "other_readings", *MEASURED),
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
"""What each ``ask`` answers, beside what every result has."""

RESULTS = {ask: (*ALWAYS, *answers, *GROUNDS) for ask, answers in ANSWERS.items()}
"""The keys of a result, for each ``ask``."""

LISTS = ("in_contact_with", "blockers", "could_be", "warnings", "other_readings", "dice", "landing")
"""Those of which the value is a list."""


@dataclass(frozen=True)
class SkirmishCorpsVerdict(MeasuredVerdict):
    """A SkirmishCorps ruling.

    Attributes:
        ask: what was asked.
        answers: the result keys of `ANSWERS` for it, with their values.
    """

    ask: str
    answers: Mapping[str, Any]

    @property
    def marginal(self) -> bool:
        """Whether another verdict is too near to tell; only what is measured can be."""
        return bool(self.answers.get("marginal", False))

    def row(self) -> dict[str, Any]:
        """The result as the contract names its keys, ready for JSON; attacker and target null where there are none."""
        return {
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
