"""DOUBT: one thing that would change a verdict, under the contract's keys, and in a player's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import GenericAlias
from typing import Annotated, Any, Literal, Union

import numpy as np
from pydantic import Field

from silhouette.rules.abilities import Movers, WhatIf
from silhouette.rules.fields import Record, ResultField, closed_row_type, row_of
from silhouette.scenes.scene import Check, Scene
from silhouette.text import in_a_sentence

REACH = 50.0
"""mm: the longest move that is looked at."""

What = Literal["move target", "move attacker", "turn attacker", "without"]


def _what(*kinds: What) -> ResultField:
    return ResultField("what", Literal[kinds], "the kind")


_BECOMES = ResultField("verdict", str, "the verdict that it becomes")

MOVE = (
    _what("move target", "move attacker"),
    ResultField("mm", Annotated[float, Field(ge=0.0, le=REACH)], "its length, in plan, at most 50", at="amount"),
    ResultField("direction", Annotated[float, Field(ge=0.0, lt=360.0)], "degrees anticlockwise from +x"),
    _BECOMES,
)
"""The keys of the least move that changes a verdict."""

TURN = (
    _what("turn attacker"),
    ResultField("degrees", Annotated[float, Field(ge=-180.0, le=180.0)], "anticlockwise above 0", at="amount"),
    _BECOMES,
)
"""The keys of the least turn of the attacker that changes a verdict."""

WITHOUT = (_what("without"), ResultField("piece", str, "its name"), _BECOMES)
"""The keys of a piece without which a verdict is another."""

_KINDS = (("MoveEntry", MOVE), ("TurnEntry", TURN), ("WithoutEntry", WITHOUT))

CHANGES = GenericAlias(list, (Union[tuple(closed_row_type(*kind) for kind in _KINDS)],))  # noqa: UP007
"""The type of changes in results."""


@dataclass(frozen=True)
class Change(Record):
    """One thing that would change a verdict.

    Attributes:
        what: the kind.
        verdict: the verdict that it becomes.
        amount: mm of a move; degrees of a turn, anticlockwise above 0; 0 without a piece.
        direction: of a move, degrees anticlockwise from +x; else None.
        piece: the one without which it changes; else None.
    """

    what: What
    verdict: str
    amount: float = 0.0
    direction: float | None = None
    piece: str | None = None

    def row(self) -> dict[str, Any]:
        """The change under the contract's keys."""
        return row_of(self, MOVE if self.direction is not None else TURN if self.piece is None else WITHOUT)


SIDES = {
    "target": (
        *("farther away", "farther away and to the left", "to the left", "nearer and to the left"),
        *("nearer", "nearer and to the right", "to the right", "farther away and to the right"),
    ),
    "attacker": (
        *("forward", "forward and to the left", "to the left", "back and to the left"),
        *("back", "back and to the right", "to the right", "forward and to the right"),
    ),
}
"""Every 45 degrees from the direction in which the attacker looks at the target, anticlockwise: where a piece goes."""


def in_words(rule: WhatIf[Any], scene: Scene, check: Check, movers: Movers, found: Sequence[Change]) -> str:
    """What would change a verdict, the least first; where no move does, that none does.

    Args:
        rule: of the scene.
        scene: of the check.
        check: the question.
        movers: who can move.
        found: what would change it.
    """
    parts = [_of(rule, scene, check, change) for change in found]
    if not any(change.direction is not None for change in found) and (movers.target or movers.attacker):
        names = [name for name, can in ((check.target, movers.target), (check.attacker, movers.attacker)) if can]
        parts.insert(0, f"no move of {' or '.join(names)} up to {REACH:g} mm")
    return "; ".join(parts) or "nothing would change it"


def _of(rule: WhatIf[Any], scene: Scene, check: Check, change: Change) -> str:
    if change.piece is not None:
        return f"without {in_a_sentence(change.piece)}: {change.verdict}"
    if change.direction is None:
        side = "left" if change.amount > 0.0 else "right"
        return f"{check.attacker} turned {abs(change.amount):.1f}° to the {side}: {change.verdict}"
    role = change.what.removeprefix("move ")
    name = check.target if role == "target" else check.attacker
    way = side_of(rule.middle(scene, check.target) - rule.middle(scene, check.attacker), change.direction, role)
    seen = f", as {check.attacker} sees it" if role == "target" and ("left" in way or "right" in way) else ""
    return f"{name} {length(change.amount)} {way}{seen}: {change.verdict}"


def length(mm: float) -> str:
    """A length with a decimal, or more where it is small.

    >>> length(1.42), length(0.004)
    ('1.4 mm', '0.004 mm')
    """
    return f"{mm:.1f} mm" if mm >= 0.1 else f"{mm:.1g} mm"


def side_of(sight: Any, direction: float, role: str) -> str:
    """Where a move goes, as the attacker sees it.

    Args:
        sight: (2,) mm, from the attacker to the target.
        direction: of the move, degrees anticlockwise from +x.
        role: "target" or "attacker": who moves.

    >>> side_of([0.0, 300.0], 172.0, "target"), side_of([0.0, 300.0], 270.0, "attacker")
    ('to the left', 'back')
    >>> side_of([0.0, 0.0], 172.0, "target")
    'towards 172°'
    """
    if not np.any(sight):
        return f"towards {direction:.0f}°"
    ahead = float(np.degrees(np.arctan2(sight[1], sight[0])))
    return SIDES[role][round((direction - ahead) % 360.0 / 45.0) % 8]
