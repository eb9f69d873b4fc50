"""DOUBT: the odds of the verdicts become a call, which verdict stands or that the players roll off, and its words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from silhouette.scenes.doubt import BenefitOfDoubt

ROLL_OFF = "roll off"

_TOO_CLOSE = re.compile(r"; too close to call, it could be [^;]*?(: roll off \(R20\))?(?=;|$)")
"""What a reason says where a threshold is near: where there are odds, these say how near."""


def called(odds: Mapping[str, float], guard: float, rule: BenefitOfDoubt, verdict: str) -> str:
    """The verdict that stands, or "roll off" (contract, section 9; JCGM 106:2012, a guarded decision).

    Args:
        odds: of each verdict, from exposed to covered.
        guard: a verdict stands by itself where its odds are at least this.
        rule: who has the benefit of doubt where none does: of the verdicts with odds of at least 1 - guard, never one
            that did not come up.
        verdict: as measured.

    >>> odds = {"open": 0.0, "partial cover": 0.71, "full cover": 0.29, "hidden": 0.0}
    >>> called(odds, 0.95, "roll off", "partial cover"), called(odds, 0.7, "roll off", "partial cover")
    ('roll off', 'partial cover')
    >>> called(odds, 0.95, "attacker", "full cover"), called(odds, 0.95, "target", "partial cover")
    ('partial cover', 'full cover')
    >>> called(odds, 0.95, "as measured", "full cover")
    'full cover'
    >>> called(odds, 1.0, "attacker", "full cover"), called(odds, 1.0, "target", "full cover")
    ('partial cover', 'full cover')
    """
    likely = likeliest(odds)
    if odds[likely] >= guard:
        return likely
    possible = [one for one in odds if odds[one] >= 1.0 - guard and odds[one]] or [likely]
    return {"roll off": ROLL_OFF, "attacker": possible[0], "target": possible[-1], "as measured": verdict}[rule]


def in_hundred(odds: Mapping[str, float]) -> str:
    """The odds in a player's words, the likeliest first; what is less likely than one in two hundred is left out.

    >>> in_hundred({"open": 0.0, "partial cover": 0.71, "full cover": 0.29, "hidden": 0.0})
    'partial cover, 71 in 100; full cover 29'
    >>> in_hundred({"open": 1.0, "hidden": 0.0}), in_hundred({"open": 0.998, "hidden": 0.002})
    ('open, 100 in 100', 'open, over 99 in 100')
    """
    first, *others = [
        f"{one}{',' * (not number)} {hundredths(part)}" for number, (one, part) in enumerate(by_odds(odds))
    ]
    return "; ".join([f"{first} in 100", *others])


def by_odds(odds: Mapping[str, float]) -> list[tuple[str, float]]:
    """The verdicts with their odds, the likeliest first; what is less likely than one in two hundred is left out."""
    return sorted(((one, part) for one, part in odds.items() if part >= 0.005), key=lambda pair: -pair[1])


def hundredths(odds: float, nearly_all: str = "over 99") -> str:
    """Odds as a number of hundred; 100 is said only of what came up every time, and else ``nearly_all``.

    >>> hundredths(0.71), hundredths(1.0), hundredths(0.998)
    ('71', '100', 'over 99')
    """
    return nearly_all if 0.995 <= odds < 1.0 else f"{100.0 * odds:.0f}"


WEIGHING: Mapping[str, str] = {
    "place": "where the pieces stand",
    "facing": "which way they face",
    "eye": "where the eye is",
    "surface": "how true the scan's surface is",
    "measuring": "how well it is measured",
}
"""What may weigh most, in words."""


def reason_with(reason: str, odds: Mapping[str, float], call: str, doubt_from: str) -> str:
    """The reason of a verdict as measured, followed by its odds, and by the call where that is not the likeliest.

    >>> odds = {"partial cover": 0.71, "full cover": 0.29}
    >>> reason = "48 % of Vex is obscured by the wall; less than half: partial cover"
    >>> reason = f"{reason}; too close to call, it could be full cover: roll off (R20)"
    >>> print(reason_with(reason, odds, "roll off", "place"))  # doctest: +NORMALIZE_WHITESPACE
    48 % of Vex is obscured by the wall; less than half: partial cover;
    odds: partial cover, 71 in 100; full cover 29: roll off; what weighs most is where the pieces stand
    >>> reason_with("nothing obscures Vex: in the open", {"open": 1.0, "hidden": 0.0}, "open", "place")
    'nothing obscures Vex: in the open; odds: open, 100 in 100'
    """
    told = f"{_TOO_CLOSE.sub('', reason)}; odds: {in_hundred(odds)}"
    told += "" if call == likeliest(odds) else f": {call}"
    return told if max(odds.values()) == 1.0 else f"{told}; what weighs most is {WEIGHING[doubt_from]}"


def likeliest(odds: Mapping[str, float]) -> str:
    """The verdict with the largest odds; of several the most exposed."""
    return max(odds, key=lambda one: odds[one])
