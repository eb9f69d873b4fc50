"""JUDGE: SkirmishCorps, arithmetic on cover: attacking it, its wounds, vaulting it, piling through it (R18 to R30).

All numbers are integers. Dice are given, or `roll_dice` rolls them from a stated seed.
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
"""The inches of its move that vaulting high cover costs a unit (R25)."""

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


def roll_dice(dice: int, seed: int) -> tuple[int, ...]:
    """The results of this many D6: the same for the same seed, on every machine and with every version of Python.

    Every result is ``int(6 * u) + 1``, with u drawn in turn from ``random.Random(seed).random()``.

    >>> roll_dice(3, 7) == roll_dice(4, 7)[:3], roll_dice(0, 7)
    (True, ())
    """
    source = Random(seed)
    return tuple(int(6 * source.random()) + 1 for _ in range(dice))


def penetrating_damage(damage: int, defence: int) -> int:
    """The damage that penetrates cover and reaches the unit behind: what exceeds the DE of the cover (R20, R21).

    >>> penetrating_damage(9, 3), penetrating_damage(12, 12), penetrating_damage(2, 12)
    (6, 0, 0)
    """
    return max(0, damage - defence)


def cover_wounds(damage: int, defence: int, basis: Basis = "penetrating") -> int:
    """Wounds to a section of cover: one for more than DE up to twice DE, two up to three times DE, and so on (R22).

    Args:
        damage: the damage that was rolled.
        defence: the DE of the cover, above 0.
        basis: the damage that the table is read with (A5): the part that penetrates, as in the source's example, or all
            of it.

    >>> cover_wounds(13, 3), cover_wounds(13, 3, "total"), cover_wounds(6, 3), cover_wounds(2, 3)
    (3, 4, 0, 0)
    """
    counted = penetrating_damage(damage, defence) if basis == "penetrating" else damage
    return max(0, -(-counted // defence) - 1)  # rounded up


def is_destroyed(dice: Sequence[int]) -> bool:
    """Whether a section is destroyed: any 6 does it (R23).

    >>> is_destroyed([2, 6, 4]), is_destroyed([5, 5, 1]), is_destroyed([])
    (True, False, False)
    """
    return 6 in dice


def vault_cost(unit_type: UnitType, kind: CoverClass, move_left: float) -> int | None:
    """The inches of its move that vaulting costs a unit; None where it cannot vault (R24, R25, A11).

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
class PileThrough:
    """The outcome of piling through cover: whether the unit gets through, and what happens to it."""

    through: bool
    consequence: Consequence


def pile_through(unit_type: UnitType, die: int, strength: int, defence: int, pace: Pace) -> PileThrough:
    """The outcome where a unit runs into cover: D6 + ST above its DE destroys the section; otherwise the unit halts.

    >>> pile_through("mech", 5, 8, 12, "sprinting")
    PileThrough(through=True, consequence='none')
    >>> pile_through("mech", 4, 8, 12, "jogging")
    PileThrough(through=False, consequence='halted')
    >>> pile_through("foot", 1, 4, 12, "running").consequence
    'halted; DE test or prone and stunned'
    """
    if die + strength > defence:
        return PileThrough(True, "none")
    return PileThrough(False, FAILED[unit_type] if pace in HURRIES[unit_type] else "halted")
