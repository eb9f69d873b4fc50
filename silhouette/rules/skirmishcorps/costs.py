"""JUDGE: SkirmishCorps, what needs no table: attacking cover, its wounds, vaulting it, piling through it (R18 to R30).

Whole numbers throughout. Dice are given; where they are to be drawn, `rolled` draws them, from a stated seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from silhouette.rules.skirmishcorps.classes import CoverClass

UnitType = Literal["foot", "mech", "vehicle"]
Pace = Literal["sneaking", "jogging", "running", "sprinting", "cruising", "rushing", "flat-out"]
Basis = Literal["penetrating", "total"]
Consequence = Literal[
    "none", "halted", "halted; DE test or prone and stunned", "halted; RE test or prone", "halted; crashes"
]

HIGH_VAULT = 6
"""Inches of its move that a unit needs to vault high cover (R25)."""

HURRIES: dict[UnitType, tuple[Pace, ...]] = {
    "foot": ("running", "sprinting"),
    "mech": ("running", "sprinting"),
    "vehicle": ("rushing", "flat-out"),
}
"""The paces at which halting at cover has a consequence (R28 to R30)."""

PACES: dict[UnitType, tuple[Pace, ...]] = {
    "foot": ("sneaking", "jogging", "running", "sprinting"),
    "mech": ("sneaking", "jogging", "running", "sprinting"),
    "vehicle": ("cruising", "rushing", "flat-out"),
}

FAILED: dict[UnitType, Consequence] = {
    "foot": "halted; DE test or prone and stunned",
    "mech": "halted; RE test or prone",
    "vehicle": "halted; crashes",
}


def rolled(dice: int, seed: int) -> tuple[int, ...]:
    """So many D6, the same ones for the same seed, on every machine and with every version of Python.

    Each is ``int(6 * u) + 1``, u in turn from ``random.Random(seed).random()``.

    >>> rolled(3, 7) == rolled(4, 7)[:3], rolled(0, 7)
    (True, ())
    """
    source = Random(seed)
    return tuple(int(6 * source.random()) + 1 for _ in range(dice))


def passed_on(damage: int, defence: int) -> int:
    """The damage that gets through cover to the unit behind: what exceeds its DE (R20, R21).

    >>> passed_on(9, 3), passed_on(12, 12), passed_on(2, 12)
    (6, 0, 0)
    """
    return max(0, damage - defence)


def cover_wounds(damage: int, defence: int, basis: Basis = "penetrating") -> int:
    """Wounds to a section of cover: one for more than DE up to twice DE, two up to three times DE, and so on (R22).

    Args:
        damage: rolled.
        defence: the DE of the cover, above zero.
        basis: which damage the table is entered with (A5): what penetrates, as the example of the source does, or all.

    >>> cover_wounds(13, 3), cover_wounds(13, 3, "total"), cover_wounds(6, 3), cover_wounds(2, 3)
    (3, 4, 0, 0)
    """
    entered = passed_on(damage, defence) if basis == "penetrating" else damage
    return max(0, -(-entered // defence) - 1)


def is_destroyed(dice: Sequence[int]) -> bool:
    """Whether a section is destroyed: any 6 does it (R23).

    >>> is_destroyed([2, 6, 4]), is_destroyed([5, 5, 1]), is_destroyed([])
    (True, False, False)
    """
    return 6 in dice


def vault_cost(unit_type: UnitType, kind: CoverClass, move_left: float) -> int | None:
    """Inches of the move that vaulting takes; None where it cannot be done (R24, R25, A11).

    >>> vault_cost("foot", "low", 0.0), vault_cost("mech", "high", 6.0), vault_cost("foot", "high", 5.5)
    (0, 6, None)
    >>> vault_cost("vehicle", "low", 12.0), vault_cost("foot", "corner", 20.0)
    (None, None)
    """
    if unit_type == "vehicle" or kind == "corner":
        return None
    cost = HIGH_VAULT if kind == "high" else 0
    return cost if move_left >= cost else None


@dataclass(frozen=True)
class Piling:
    """What comes of piling through: through or not, and what happens to the unit."""

    through: bool
    consequence: Consequence


def pile_through(unit_type: UnitType, die: int, strength: int, defence: int, pace: Pace) -> Piling:
    """A unit runs into cover: through it where D6 + ST exceed its DE, which destroys the section; else halted.

    >>> pile_through("mech", 5, 8, 12, "sprinting")
    Piling(through=True, consequence='none')
    >>> pile_through("mech", 4, 8, 12, "jogging")
    Piling(through=False, consequence='halted')
    >>> pile_through("foot", 1, 4, 12, "running").consequence
    'halted; DE test or prone and stunned'
    """
    if die + strength > defence:
        return Piling(True, "none")
    return Piling(False, FAILED[unit_type] if pace in HURRIES[unit_type] else "halted")
