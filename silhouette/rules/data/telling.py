"""JUDGE, games by data: the clauses and verdicts of a game in plain words, for `silhouette rules NAME`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

from silhouette.rules.data.entries import ReadingEntry, words_of
from silhouette.rules.data.game import Clause, Game, Ruling
from silhouette.rules.data.kinds import HIDDEN_BY, PRIMITIVES, Kind
from silhouette.rules.data.nodes import Binary, Literal, Name, Node, Unary

_ASIDE = re.compile(r" \(\{\w+\}\)")  # a measured value in brackets, which a game itself has none of


def in_plain_words(game: Game) -> dict[str, Any]:
    """All that a game says, ready for JSON."""
    numbers = {name: clause.number for name, clause in game.clauses.items()}
    return {
        "title": game.title,
        "about": game.about,
        "source": game.source,
        "terrain": _keys(game.terrain),
        "model": _keys(game.model),
        "readings": _keys(game.readings),
        "clauses": [
            {"number": clause.number, "name": clause.name, "text": plain_text(clause), "source": clause.source}
            for clause in game.clauses.values()
        ],
        "verdicts": [
            {
                "verdict": ruling.name,
                "level": str(ruling.level),
                "when": in_words(ruling.when, numbers),
                "choice": _choice(ruling),
            }
            for ruling in game.rulings
        ],
    }


def plain_text(clause: Clause) -> str:
    """What a clause says where it holds, with the names of what it speaks of in place of braces.

    >>> from silhouette.rules.data.parsing import parsed
    >>> plain_text(Clause("a", "1", parsed("yes"), "{attacker} touches {wall}", "no", ""))
    'the attacker touches wall'
    """
    stands = {"attacker": "the attacker", "target": "the target", HIDDEN_BY: "what is in the way"}
    measured = {Kind.NUMBER: "so much", Kind.LENGTH: "so far", Kind.TRUTH: "something"}
    stands |= {name: measured[primitive.gives] for name, primitive in PRIMITIVES.items() if primitive.gives in measured}
    parts = []
    for before, name, _, _ in Formatter().parse(_ASIDE.sub("", clause.text)):
        parts += [before, "" if name is None else stands.get(name, name)]
    return "".join(parts)


def in_words(condition: Node | None, numbers: Mapping[str, str]) -> str:
    """The condition of a verdict: clauses by their numbers.

    >>> from silhouette.rules.data.parsing import parsed
    >>> in_words(parsed("near and not (open or seen)"), {"near": "1", "open": "2", "seen": "3"})
    'clause 1 and not (clause 2 or clause 3)'
    >>> in_words(None, {})
    'no other verdict is given'
    """
    match condition:
        case None:
            return "no other verdict is given"
        case Name():
            return f"clause {numbers[condition.name]}" if condition.name in numbers else condition.name
        case Literal():
            return "yes" if condition.value is True else "no" if condition.value is False else f'"{condition.value}"'
        case Unary():
            inner = in_words(condition.of, numbers)
            return f"not ({inner})" if isinstance(condition.of, Binary) else f"not {inner}"
        case Binary():
            sides = []
            for side in (condition.left, condition.right):
                text = in_words(side, numbers)
                mixed = isinstance(side, Binary) and side.sign in ("and", "or") and side.sign != condition.sign
                sides.append(f"({text})" if mixed else text)
            return f" {condition.sign} ".join(sides)
    return "a condition"


def _choice(ruling: Ruling) -> str | None:
    if ruling.chooses is None:
        return None
    return f"the player of the {ruling.chooses} chooses: {' or '.join(ruling.between)}"


def _keys(keys: Mapping[str, ReadingEntry]) -> list[dict[str, str]]:
    return [{"key": name, "value": words_of(key), "means": key.means} for name, key in keys.items()]
