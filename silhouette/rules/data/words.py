"""JUDGE, games by data: what a clause says of a table, in the words of its game file, with names and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter

from silhouette.relations.measured import Measured
from silhouette.rules.data.found import Found, Use
from silhouette.rules.data.game import Clause, Game
from silhouette.text import fraction_in_words, in_a_sentence
from silhouette.units import INCH


def said(game: Game, clause: Clause, found: Found, attacker: str, target: str, readings: Mapping[str, object]) -> str:
    """What a clause says where it comes to this.

    Args:
        game: for its unit.
        clause: with its texts.
        found: what it came to.
        attacker, target: their names.
        readings: of the scene, by their names.
    """
    words = {name: str(value) for name, value in readings.items()}
    for use in reversed(found.uses):
        words[use.name] = _of_use(use, game.unit)
    words |= {name: names_in_words(pieces) for name, pieces in found.bound.items()}
    words |= {"attacker": in_a_sentence(attacker), "target": in_a_sentence(target)}
    text = clause.text if found.value else clause.otherwise
    parts = []
    for before, name, _, _ in Formatter().parse(text):
        parts += [before, "" if name is None else words.get(name, "nothing")]
    return "".join(parts)


def in_a_row(words: Sequence[str]) -> str:
    """Words with commas and an "and".

    >>> in_a_row(["cover", "obscured"]), in_a_row(["a", "b", "c"]), in_a_row([])
    ('cover and obscured', 'a, b and c', '')
    """
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


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


def quantity(measured: Measured, kind: str, unit: str) -> str:
    """A quantity in words.

    >>> quantity(Measured(15.24), "mm", "inch"), quantity(Measured(0.384), "share", "inch")
    ('0.6 inch', '38.4 %')
    >>> quantity(Measured(15.24), "mm", "mm"), quantity(Measured(25.0), "mm", "inch")
    ('15.24 mm', '0.98 inch')
    >>> quantity(Measured(2.0), "number", "mm")
    '2'
    """
    if kind == "share":
        return fraction_in_words(measured.value)
    if kind == "number":
        return f"{measured.value:g}"
    value = f"{measured.value / (INCH if unit == 'inch' else 1.0):.2f}".rstrip("0").rstrip(".")
    return f"{value} {unit}"


def reason_of(verdict: str, clauses: Sequence[tuple[str, str]], choice: str) -> str:
    """The reason of a verdict in one sentence.

    Args:
        verdict: its name.
        clauses: the text and the number of each that decided.
        choice: what the rules leave to a player, in words; empty where they leave nothing.

    >>> reason_of("cover", [("a line crosses Wall", "4")], "")
    'cover: a line crosses Wall (clause 4)'
    """
    parts = [f"{text} (clause {number})" for text, number in clauses]
    return f"{verdict}: {'; '.join([*parts, *([choice] if choice else [])])}"
