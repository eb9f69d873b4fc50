"""JUDGE: SkirmishCorps, the verdict, and the keys of its result for each ``ask``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from silhouette.rules.base import Level, MeasuredVerdict, decides
from silhouette.rules.fields import (
    ATTACKER,
    BLOCKERS,
    COULD_BE,
    GROUNDS,
    LINE_OF_SIGHT,
    MANNER,
    MARGINAL,
    OTHER_READINGS,
    PIXEL,
    RENDERER,
    RULES,
    SHARE,
    TARGET,
    VERDICT,
    WARNINGS,
    ResultField,
    row_of,
)

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


def _answer(key: str, kind: Any, meaning: str, **how: Any) -> ResultField:
    """A key of one question's answers."""
    return ResultField(key, kind, meaning, at=f"answers.{key}", **how)


ASK = ResultField("ask", str, "the question")
POSSIBLE = _answer("possible", bool, "whether it can be done")
COVER_CLASS = _answer("cover", str | None, "the class of cover")
PENALTY = _answer("penalty", int | None, "to hit; null without a line of sight")

PROTECTION: tuple[ResultField, ...] = (
    *(LINE_OF_SIGHT, COVER_CLASS),
    _answer("protected_by", str | None, "the piece that protects most"),
    _answer("in_contact_with", list[str], "the cover that the target touches"),
    ResultField("modifier", int | None, "to hit; null without a line of sight", label="modifier to hit"),
    *(*SHARE, BLOCKERS, OTHER_READINGS, MARGINAL, COULD_BE, RENDERER, PIXEL, WARNINGS, *MANNER),
)
"""The keys that a check of protection has."""

ANSWERS: Mapping[str, tuple[ResultField, ...]] = {
    "protection": PROTECTION,
    "close combat": (
        POSSIBLE,
        _answer("to_hit", int | None, "modifier to hit; null if it cannot be done", label="modifier to hit"),
        _answer("dodge_parry", int | None, "modifier; null if it cannot be done", label="dodge and parry"),
    ),
    "flanked": (
        _answer("flanked", bool, "whether it can dive nowhere out of sight"),
        _answer("dive_penalty", int, "to its dive"),
        _answer("landing", list[float] | None, "mm: where it would lie out of sight; null if nowhere"),
        *(MARGINAL, COULD_BE),
        *(replace(RENDERER, at="answers.renderer"), replace(PIXEL, at="answers.pixel"), WARNINGS),
    ),
    "classify": (COVER_CLASS,),
    "penalty": (PENALTY,),
    "from prone": (PENALTY,),
    "attack cover": (
        _answer("effective", bool, "whether damage exceeds the cover's defence"),
        _answer("passed_on", int, "damage to the unit behind"),
        _answer("unit_wounded", bool | None, "whether that unit is; null if its defence is not given"),
    ),
    "cover wounds": (_answer("wounds", int, "of the cover"), OTHER_READINGS),
    "destroyed": (
        _answer("destroyed", bool, "whether a 6 is among the dice"),
        _answer("dice", list[int], "one for each wound"),
    ),
    "vault": (POSSIBLE, _answer("cost", float | None, "inches of movement; null if it cannot be done")),
    "pile through": (
        _answer("through", bool, "whether it gets through"),
        _answer("cover_destroyed", bool, "whether the section is"),
        _answer("consequence", str | None, "what befalls the unit otherwise"),
        _answer("d6", int, "what was rolled", label="die"),
    ),
}
"""The keys of each ``ask``, without those that every result has."""

RESULTS: Mapping[str, tuple[ResultField, ...]] = {
    ask: (
        *(replace(field, type=str | None, value=lambda name: name or None) for field in (ATTACKER, TARGET)),
        *(RULES, ASK, VERDICT, *answers, *GROUNDS),
    )
    for ask, answers in ANSWERS.items()
}
"""The keys of a result, for each ``ask``."""


def _fields_of_any() -> tuple[ResultField, ...]:
    """The keys that a result of any ``ask`` may have; those that not every one has are optional."""
    every = {field.key: field for fields in RESULTS.values() for field in fields}
    asks = [{field.key for field in fields} for fields in RESULTS.values()]
    return tuple(
        field if all(key in keys for keys in asks) else replace(field, optional=True) for key, field in every.items()
    )


@dataclass(frozen=True)
class SkirmishCorpsVerdict(MeasuredVerdict):
    """A SkirmishCorps ruling.

    Attributes:
        ask: the question, a key of `ANSWERS`.
        answers: the values of its own keys.
    """

    ask: str
    answers: Mapping[str, Any]

    fields: ClassVar[tuple[ResultField, ...]] = _fields_of_any()

    @property
    def modifier(self) -> int | None:
        """What is added to the roll to hit, if that was asked and there is a line of sight."""
        modifier: int | None = self.answers.get("modifier")
        return modifier

    def could_also_be(self, others: Sequence[str], why: str) -> Self:
        """See `silhouette.rules.base.Verdict`."""
        possible = tuple(word for word in LEVELS if word in self.could_be or word in others)
        return replace(self, could_be=possible, reason=self.reason + decides(others, why))

    def row(self) -> dict[str, Any]:
        """The result under the keys of its ``ask``; attacker and target are null where there are none."""
        return row_of(self, RESULTS[self.ask])
