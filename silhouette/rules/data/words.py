"""JUDGE, games by data: what a clause says of a table, in the words of its game file, with names and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from string import Formatter

from silhouette.common.geometry import INCH
from silhouette.common.text import fraction_in_words, in_a_row, in_a_sentence
from silhouette.relations.points import ErrorBound
from silhouette.rules.data.game import Clause, Game
from silhouette.rules.data.kinds import HIDDEN_BY, HIDING
from silhouette.rules.data.values import Evaluation, Use

MOST_NAMED = 3  # the most pieces in the way that a sentence names; of the others it says how many they are


def clause_text(
    game: Game, clause: Clause, evaluation: Evaluation, attacker: str, target: str, readings: Mapping[str, object]
) -> tuple[str, tuple[str, ...]]:
    """What a clause says where it comes to this; and the names of the pieces that it names, but for these two."""
    hiding = hidden_by(evaluation.uses)
    words, pieces = {HIDDEN_BY: few_in_words(hiding)}, {HIDDEN_BY: hiding}
    words |= {name: str(value) for name, value in readings.items()}
    for use in reversed(evaluation.uses):
        words[use.name] = _of_use(use, game.unit)
        pieces[use.name] = () if use.holds is None or use.measured is None else use.measured.by
    words |= {name: names_in_words(names) for name, names in evaluation.bound.items()}
    pieces |= evaluation.bound
    words |= {"attacker": in_a_sentence(attacker), "target": in_a_sentence(target)}
    text = clause.text if evaluation.value else clause.otherwise
    parts, named = list[str](), list[str]()
    for before, name, _, _ in Formatter().parse(text):
        parts += [before, "" if name is None else words.get(name, "nothing")]
        named += pieces.get(name or "", ())
    return "".join(parts), tuple(dict.fromkeys(named))


def hidden_by(uses: Iterable[Use]) -> tuple[str, ...]:
    """The pieces that are in the way of what was looked at, those that hide most of it first: what each hides of
    several models is added up. Pieces of which no share was measured come last, in the order in which they were found.

    >>> from silhouette.relations.points import ErrorBound
    >>> few = Use("obscured", ErrorBound(0.4, by=("hedge", "wall")), of=("Kal", "Vex"), hidden=(0.3, 0.2))
    >>> more = Use("obscured", ErrorBound(0.6, by=("wall",)), of=("Kal", "Yar"), hidden=(0.6,))
    >>> hidden_by([Use("crossed", ErrorBound(1.0, by=("woods",)), True), few, more])
    ('wall', 'hedge', 'woods')
    """
    shares: dict[str, dict[tuple[str, ...], float]] = {}
    for use in uses:
        if use.name in HIDING and use.measured is not None and (use.name != "crossed" or use.holds):
            for name, share in zip_longest(use.measured.by, use.hidden, fillvalue=0.0):
                of = shares.setdefault(str(name), {})
                # Two primitives may have looked at the same model.
                of[use.of] = max(of.get(use.of, 0.0), float(share))
    return tuple(sorted(shares, key=lambda name: -sum(shares[name].values())))


def few_in_words(names: Sequence[str]) -> str:
    """Names of pieces in a sentence, three at most.

    >>> few_in_words(["a", "b", "c", "d", "e"]), few_in_words(["wall"]), few_in_words([])
    ('a, b, c and 2 more', 'the wall', 'nothing')
    """
    return in_a_row([in_a_sentence(name) for name in names], MOST_NAMED) or "nothing"


def names_in_words(names: Sequence[str]) -> str:
    """Names of pieces in a sentence."""
    return in_a_row([in_a_sentence(name) for name in names])


def _of_use(use: Use, unit: str) -> str:
    """The answer to a primitive in words: a length, a share, a number, or the pieces to which a truth is due."""
    if use.measured is None:
        return "yes" if use.holds else "no"
    if use.holds is not None:
        return names_in_words(use.measured.by) or "nothing"
    return quantity(use.measured, use.unit, unit)


def quantity(measured: ErrorBound, kind: str, unit: str) -> str:
    """A quantity in words.

    >>> quantity(ErrorBound(15.24), "mm", "inch"), quantity(ErrorBound(0.384), "share", "inch")
    ('0.6 inch', '38.4 %')
    >>> quantity(ErrorBound(15.24), "mm", "mm"), quantity(ErrorBound(25.0), "mm", "inch")
    ('15.24 mm', '0.98 inch')
    >>> quantity(ErrorBound(2.0), "number", "mm")
    '2'
    """
    if kind == "share":
        return fraction_in_words(measured.value)
    if kind == "number":
        return f"{measured.value:g}"
    value = f"{measured.value / (INCH if unit == 'inch' else 1.0):.2f}".rstrip("0").rstrip(".")
    return f"{value} {unit}"


def reason_of(verdict: str, clauses: Sequence[tuple[str, str]], choice: str) -> str:
    """The reason of a verdict in one sentence, by the text and the number of each clause that decided, and the choice,
    if any, that the rules leave to a player.

    >>> reason_of("cover", [("a line crosses Wall", "4")], "")
    'cover: a line crosses Wall (clause 4)'
    """
    parts = [f"{text} (clause {number})" for text, number in clauses]
    return f"{verdict}: {'; '.join([*parts, *([choice] if choice else [])])}"
