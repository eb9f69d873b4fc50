"""DRAW: what the figures of Marvel: Crisis Protocol say, and its reasons in short; translated in ``locale/``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from silhouette.rules.base import Phrase
from silhouette.rules.crisis_protocol.judge import CrisisProtocolVerdict

PHRASES: Mapping[str, Phrase] = {
    "whole table": "Seen from above, x to the right and y up; numbers in {units}, from the scene's origin.",
    "plan in inches": "Seen from above, x to the right and y up; numbers in inches, from the scene's origin.",
    "sized": "{name}, size {size}",
    "raised": "{name}, size {size}, as {counted}",
    "a free line": "a free line",
    "no free line": "blocked",
    "between": "all lines from base to base",
    "larger": "blocks: larger than the target",
    "gives cover": "gives cover",
    "blocks and covers": "blocks and gives cover",
    "other terrain": "other terrain",
    "range 1": "range 1 of {name}: {length}",
    "range 2": "range 2 of {name}: {length}",
    "length": "{length} {units}",
    "range 1 here": "range 1",
    "range 2 here": "range 2",
    "looked at": "what is looked at",
    "why no free line": (
        "{attacker} does not see {target}; in the way: {by}.",
        "{attacker} does not see {target}; in the way: {by}.",
    ),
    "why cover": "{attacker} sees {target}; cover from: {by}.",
    "why granted": "{attacker} sees {target}; cover by a card.",
    "why a free line": "{attacker} sees {target}; nothing gives cover.",
    "why seen": "{attacker} sees {target}.",
}

BY_CARD = "R15"  # the rule by which a card gives cover, whatever terrain does


def short_reason(verdict: CrisisProtocolVerdict, words: Callable[..., str]) -> str:
    """Why a verdict is as it is, in one sentence of `PHRASES`; see `Rule.short_reason`."""
    names: tuple[str, ...] = ()
    if not verdict.line_of_sight:
        key, names = "why no free line", verdict.in_the_way
    elif verdict.cover:
        key, names = "why granted" if verdict.rule.number == BY_CARD else "why cover", verdict.cover_from
    else:
        key = "why seen" if verdict.cover is None else "why a free line"
    return words(key, attacker=verdict.attacker, target=verdict.target, by=", ".join(names), count=len(names))
