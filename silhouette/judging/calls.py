"""JUDGE: the odds of the verdicts become a call, which verdict stands or that the players roll off, and its words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files

from silhouette.rules.base import Verdict
from silhouette.scenes.entries import BenefitOfDoubt

CALL_WORDS: Mapping[str, str] = json.loads(files(__package__).joinpath("calls.json").read_text(encoding="utf-8"))
"""The words for a verdict that does not stand by itself, such as "roll off", for commands and pages alike."""

ROLL_OFF = CALL_WORDS["rollOff"]
TOO_CLOSE = CALL_WORDS["close"]

_TOO_CLOSE = re.compile(rf"; ({TOO_CLOSE}, it could be [^;]*?)(?:: roll off \(R20\))?(?=;|$)")
"""What a reason says where a threshold is near, and what it tells the players to do: where there are odds, these do."""

_NOT_SURE = re.compile(r"; ([^;]* decides), which is not sure(?=: it could be )")
"""What a reason says where the verdict hangs on something else than a threshold, such as where an eye is."""


def called(odds: Mapping[str, float], guard: float, rule: BenefitOfDoubt, verdict: str) -> str:
    """The verdict that stands, or "roll off" (contract, section 9; JCGM 106:2012, a guarded decision). A verdict stands
    by itself where its odds, given from exposed to covered, are at least the guard. Else the rule says who has the
    benefit of doubt: of the verdicts with odds of at least 1 - guard, never one that did not come up.

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
    possible = [word for word in odds if odds[word] >= 1.0 - guard and odds[word]] or [likely]
    return {"roll off": ROLL_OFF, "attacker": possible[0], "target": possible[-1], "as measured": verdict}[rule]


def in_hundred(odds: Mapping[str, float]) -> str:
    """The odds in a player's words, the likeliest first; what is less likely than one in two hundred is left out.

    >>> in_hundred({"open": 0.0, "partial cover": 0.71, "full cover": 0.29, "hidden": 0.0})
    'partial cover, 71 in 100; full cover 29'
    >>> in_hundred({"open": 1.0, "hidden": 0.0}), in_hundred({"open": 0.998, "hidden": 0.002})
    ('open, 100 in 100', 'open, over 99 in 100')
    """
    first, *others = [
        f"{word}{',' * (not number)} {hundredths(part)}" for number, (word, part) in enumerate(by_odds(odds))
    ]
    return "; ".join([f"{first} in 100", *others])


def by_odds(odds: Mapping[str, float]) -> list[tuple[str, float]]:
    """The verdicts with their odds, the likeliest first; what is less likely than one in two hundred is left out."""
    return sorted(((word, part) for word, part in odds.items() if part >= 0.005), key=lambda pair: -pair[1])


def hundredths(odds: float, nearly_all: str = "over 99") -> str:
    """Odds as a number of hundred; 100 is said only of what came up every time, and else ``nearly_all``.

    >>> hundredths(0.71), hundredths(1.0), hundredths(0.998)
    ('71', '100', 'over 99')
    """
    return nearly_all if 0.995 <= odds < 1.0 else f"{100.0 * odds:.0f}"


DOUBT_WORDS: Mapping[str, str] = {  # what may weigh most, in words
    "place": "where the pieces stand",
    "facing": "which way they face",
    "eye": "where the eye is",
    "surface": "how true the scan's surface is",
    "measuring": "how well it is measured",
}


def ruling(verdict: Verdict, odds: Mapping[str, float], call: str, doubt_from: str) -> str:
    """The one sentence of a result with odds: what was measured and found too close, the odds, and what the players do.
    The odds are the ruling. What is too close to call as measured stays told, without its own advice to roll off.

    >>> from silhouette.rules.base import RuleReference
    >>> odds = {"partial cover": 0.71, "full cover": 0.29}
    >>> reason = "48 % of Vex is obscured by the wall; less than half: partial cover"
    >>> close = f"{reason}; too close to call, it could be full cover: roll off (R20)"
    >>> rule, could_be = RuleReference("Cover", "R14"), ("partial cover", "full cover")
    >>> verdict = Verdict("Kal", "Vex", "necromunda", "partial cover", None, rule, close, could_be=could_be)
    >>> print(ruling(verdict, odds, "roll off", "place"))  # doctest: +NORMALIZE_WHITESPACE
    48 % of Vex is obscured by the wall; less than half: partial cover; as measured too close to call, it could be full
    cover; odds: partial cover, 71 in 100; full cover 29: roll off; what weighs most is where the pieces stand
    >>> seen = Verdict("Kal", "Vex", "necromunda", "open", None, rule, "in the open", could_be=("open",))
    >>> eye = seen.could_also_be({"hidden": 0.2}, "where Kal's eye is")
    >>> print(ruling(eye, {"open": 0.8, "hidden": 0.2}, "roll off", "eye"))  # doctest: +NORMALIZE_WHITESPACE
    in the open; as measured too close to call, where Kal's eye is decides: it could be hidden (20 % likely); odds:
    open, 80 in 100; hidden 20: roll off; what weighs most is where the eye is
    >>> verdict = Verdict("Kal", "Vex", "necromunda", "open", None, rule, "nothing obscures Vex: in the open")
    >>> ruling(verdict, {"open": 1.0, "hidden": 0.0}, "open", "place")
    'nothing obscures Vex: in the open; odds: open, 100 in 100: open stands'
    """
    reason, number = _TOO_CLOSE.subn(r"; as measured \1", verdict.reason)
    if not number:
        reason, number = _NOT_SURE.subn(rf"; as measured {TOO_CLOSE}, \1", reason, count=1)
    if verdict.marginal and not number:
        others = " or ".join(word for word in verdict.could_be if word != verdict.verdict)
        reason += f"; as measured {TOO_CLOSE}" + (f", it could be {others}" if others else "")
    reason += f"; odds: {in_hundred(odds)}: {call if call == ROLL_OFF else f'{call} stands'}"
    return reason if max(odds.values()) == 1.0 else f"{reason}; what weighs most is {DOUBT_WORDS[doubt_from]}"


def stands(verdict: Verdict, call: str | None = None) -> tuple[str, str]:
    """What the players go by, in few words, and what stands beside it: whether it is too close to call, and what they
    agreed on. If a result has odds that is the call, and what was measured is said to be that.

    >>> from dataclasses import replace
    >>> from silhouette.rules.base import RuleReference
    >>> from silhouette.scenes.scene import Agreement
    >>> rule, could_be = RuleReference("Cover", "R15"), ("partial cover", "full cover")
    >>> close = Verdict("Kal", "Vex", "necromunda", "full cover", None, rule, "", could_be=could_be)
    >>> stands(close), stands(close, "full cover")
    (('full cover', 'too close to call'), ('full cover', 'as measured too close to call'))
    >>> stands(close, "roll off")
    ('roll off', 'as measured too close to call')
    >>> stands(replace(close, agreed=Agreement("Kal", "Vex", "open", "we saw it")))
    ('full cover', 'too close to call; agreed: open')
    """
    words, note = _stands(verdict, call)
    agreed = "" if verdict.agreed is None else f"agreed: {verdict.agreed.verdict}"
    return words, "; ".join(filter(None, (note, agreed)))


def _stands(verdict: Verdict, call: str | None) -> tuple[str, str]:
    close = TOO_CLOSE if verdict.marginal else ""
    if call is None:
        return verdict.words, close
    if call == verdict.verdict:
        return verdict.words, f"as measured {close}" if close else ""
    measured = ", ".join(words for words in ("out of arc" if verdict.in_arc is False else "", close) if words)
    return call, f"as measured {measured}" if measured else ""


def likeliest(odds: Mapping[str, float]) -> str:
    """The verdict with the largest odds; of several the most exposed."""
    return max(odds, key=lambda word: odds[word])
