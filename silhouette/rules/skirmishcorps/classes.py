"""JUDGE: SkirmishCorps in numbers: classes of cover, what each does to a roll to hit, what befalls cover (R4 to R30).

A piece is measured from the feet of the unit that stands at it, as a fraction of the unit's height (A3, A4). Heights
are in bricks; a mini-figure counts as four bricks high, and is a little taller: 40 mm against 38.4 mm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, get_args

from silhouette.rules.base import RuleReference

CoverClass = Literal["none", "very low", "low", "high", "corner"]
Posture = Literal["standing", "prone"]
CLASSES: tuple[CoverClass, ...] = get_args(CoverClass)  # the classes of cover, from the lowest to the highest
BRICK = 9.6  # the height of a brick, mm
FIGURE_BRICKS = 4.0  # the height of a mini-figure, in bricks, by which the classes are measured
EPSILON_BRICKS = 1e-6  # in bricks: a height that falls short of a step by less reaches it, since mm are rounded

PENALTIES: dict[Posture, dict[CoverClass, int]] = {  # to hit a target in this posture, in cover
    "standing": {"none": 0, "very low": 0, "low": -2, "high": -3, "corner": -3},
    "prone": {"none": 0, "very low": -2, "low": -3, "high": -4, "corner": -4},
}

FROM_PRONE: dict[CoverClass, int | None] = {"none": 0, "very low": 0, "low": -1, "high": None, "corner": 0}
"""The modifier to hit for a prone unit firing over or past its own cover; None where it cannot see over it (R13)."""

LOOKED_OVER: dict[Posture, tuple[CoverClass, ...]] = {  # in contact (A9)
    "standing": ("none", "very low", "low", "high"),
    "prone": ("none", "very low", "low"),
}

HIT_RULES: dict[Posture, dict[CoverClass, str]] = {
    "standing": {"very low": "R5", "low": "R8", "high": "R11", "corner": "R15"},
    "prone": {"very low": "R6", "low": "R9", "high": "R12", "corner": "R16"},
}
FROM_PRONE_RULES: dict[CoverClass, str] = {"very low": "R7", "low": "R10", "high": "R13", "corner": "R17"}


def cover_class(rise: float, unit_height: float) -> CoverClass:
    """The class of a piece that rises so many bricks above a unit's feet, for a unit of a height in bricks: the highest
    step that the piece reaches.

    >>> [cover_class(rise, 4.0) for rise in (0.99, 1.0, 1.99, 2.0, 3.0, 4.0, 4.5)]
    ['none', 'very low', 'very low', 'low', 'high', 'high', 'corner']
    >>> cover_class(2.0, 12.0), cover_class(9.0, 12.0), cover_class(-1.0, 4.0)
    ('none', 'high', 'none')
    """
    reached = rise + EPSILON_BRICKS
    if 4 * reached < unit_height:
        return "none"
    if 2 * reached < unit_height:
        return "very low"
    if 4 * reached < 3 * unit_height:
        return "low"
    return "high" if rise - EPSILON_BRICKS <= unit_height else "corner"


def class_of_share(share: float) -> CoverClass:
    """The class whose step (a quarter, a half, three quarters) is nearest to the share obscured (A15, the option).

    >>> [class_of_share(share) for share in (0.05, 0.3, 0.45, 0.62, 0.7, 1.0)]
    ['very low', 'very low', 'low', 'low', 'high', 'high']
    """
    return "very low" if share < 0.375 else "low" if share < 0.625 else "high"


def hit_rule(kind: CoverClass, posture: Posture) -> RuleReference:
    """The rule of the penalty to hit a target of this posture in cover of this class."""
    return RuleReference(section_of(kind), HIT_RULES[posture].get(kind, "R4"))


def from_prone_rule(kind: CoverClass) -> RuleReference:
    """The rule of the penalty for firing while prone in cover of this class."""
    return RuleReference(section_of(kind), FROM_PRONE_RULES.get(kind, "R4"))


def section_of(kind: CoverClass) -> str:
    """The section of the source text about a class.

    >>> section_of("very low"), section_of("none")
    ('Very Low Cover', 'Cover')
    """
    return "Cover" if kind == "none" else f"{kind.title()} Cover"


def cover_words(kind: CoverClass) -> str:
    """A class of cover as reasons print it.

    >>> cover_words("very low"), cover_words("none")
    ('very low cover', 'no cover')
    """
    return "no cover" if kind == "none" else f"{kind} cover"


def in_bricks(height: float) -> str:
    """A height, in bricks, as reasons print it.

    >>> in_bricks(1.0), in_bricks(2.5), in_bricks(31 / 9.6)
    ('1 brick', '2.5 bricks', '3.23 bricks')
    """
    return f"{height:.3g} {'brick' if height == 1 else 'bricks'}"


UnitType = Literal["foot", "mech", "vehicle"]
Pace = Literal["sneaking", "jogging", "running", "sprinting", "cruising", "rushing", "flat-out"]
Basis = Literal["penetrating", "total"]
Consequence = Literal[
    "none", "halted", "halted; DE test or prone and stunned", "halted; RE test or prone", "halted; crashes"
]

HIGH_VAULT = 6  # the inches of its move that vaulting high cover costs a unit (R25)

HURRIES: dict[UnitType, tuple[Pace, ...]] = {  # paces at which halting counts (R28 to R30)
    "foot": ("running", "sprinting"),
    "mech": ("running", "sprinting"),
    "vehicle": ("rushing", "flat-out"),
}

PACES: dict[UnitType, tuple[Pace, ...]] = {
    "foot": ("sneaking", "jogging", "running", "sprinting"),
    "mech": ("sneaking", "jogging", "running", "sprinting"),
    "vehicle": ("cruising", "rushing", "flat-out"),
}

FAILED_CONSEQUENCES: dict[UnitType, Consequence] = {
    "foot": "halted; DE test or prone and stunned",
    "mech": "halted; RE test or prone",
    "vehicle": "halted; crashes",
}


def roll_dice(dice: int, seed: int) -> tuple[int, ...]:
    """The results of this many D6, each ``int(6 * u) + 1`` with u drawn in turn from ``random.Random(seed).random()``:
    the same for the same seed, on every machine and with every version of Python.

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
    """Wounds to a section of cover: one for more than DE up to twice DE, two up to three times DE, and so on (R22). The
    table is read with the damage that penetrates, as in the source's example, or with all of it (A5).

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
    >>> pile_through("foot", 1, 4, 12, "running").consequence
    'halted; DE test or prone and stunned'
    """
    if die + strength > defence:
        return PileThrough(True, "none")
    return PileThrough(False, FAILED_CONSEQUENCES[unit_type] if pace in HURRIES[unit_type] else "halted")
