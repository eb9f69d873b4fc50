"""JUDGE, games by data: a condition is asked of a table: what it comes to, for one who looks and one who is looked at.

Only as much is asked as decides: of "a or b", b is not asked where a surely holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any, Protocol

from silhouette.errors import RequestError
from silhouette.rules.data.found import Found, Points, Use, all_of, compared, denied, extreme, joined, majority
from silhouette.rules.data.game import Clause, Game
from silhouette.rules.data.kinds import ATTRIBUTES, POINT_SETS, PRIMITIVES
from silhouette.rules.data.nodes import (
    Attribute,
    Binary,
    Call,
    Literal,
    Lookup,
    Name,
    Node,
    Quantified,
    Those,
    Unary,
)
from silhouette.rules.data.parsing import parsed
from silhouette.scenes.pieces import Piece

LONGEST = 10.0
"""Seconds that one clause may take for one check."""


class Table(Protocol):
    """What conditions are asked of."""

    def pieces(self, name: str, attacker: Piece, target: Piece) -> tuple[Piece, ...]:
        """Pieces by the name of `silhouette.rules.data.kinds.NAMES`."""

    def key(self, piece: Piece, name: str) -> Any:
        """What a piece says under a key of the game."""

    def attribute(self, piece: Piece, name: str) -> Any:
        """What every piece has, but for points."""

    def reading(self, name: str) -> Any:
        """A reading of the scene."""

    def ask(self, primitive: str, given: Mapping[str, Any]) -> Found:
        """The answer to a primitive, of which all arguments are given: pieces, points, texts, numbers."""


class Evaluator:
    """The clauses of a game for one check; each is asked at most once.

    Args:
        game: with its clauses.
        table: that they are asked of.
        attacker, target: who looks at whom.
    """

    def __init__(self, game: Game, table: Table, attacker: Piece, target: Piece) -> None:
        self._game, self._table = game, table
        self._attacker, self._target = attacker, target
        self._clauses: dict[str, Found] = {}
        self._now: Clause | None = None
        self._until = 0.0

    @property
    def asked(self) -> Mapping[str, Found]:
        """The clauses that have been asked, by their names, in the order in which they were."""
        return self._clauses

    def clause(self, name: str) -> Found:
        """Whether a clause holds.

        Raises:
            RequestError: where that takes too long.
        """
        if name not in self._clauses:
            before, self._now = self._now, self._game.clauses[name]
            if before is None:
                self._until = time.monotonic() + LONGEST
            self._clauses[name] = self.found(self._game.clauses[name].when, {})
            self._now = before
        return self._clauses[name]

    def ruling(self, condition: Node) -> Found:
        """What the condition of a verdict comes to; it rests on clauses."""
        return self.found(condition, {})

    def found(self, node: Node, bound: Mapping[str, Piece]) -> Found:
        """What a node comes to.

        Args:
            node: of a condition that was checked.
            bound: the pieces that quantifiers around it speak of, by what they call them.
        """
        match node:
            case Literal():
                return Found(node.value)
            case Name():
                return self._name(node.name, bound)
            case Attribute():
                return self._attribute(node, bound)
            case Call():
                return self._call(node, bound)
            case Lookup():
                return self._lookup(node, bound)
            case Quantified():
                return self._quantified(node, bound)
            case Those():
                return self._those(node, bound)
            case Unary():
                inner = self.found(node.of, bound)
                return denied(inner) if node.sign == "not" else replace(inner, value=-inner.value)
        assert isinstance(node, Binary)
        return self._binary(node, bound)

    def _name(self, name: str, bound: Mapping[str, Piece]) -> Found:
        if name in bound:
            return Found(bound[name])
        if name in self._game.clauses:
            inner = self.clause(name)
            return Found(inner.value, inner.sure, uses=(Use(name, holds=inner.value, unit="clause"),))
        if name in self._game.readings:
            return Found(self._table.reading(name))
        if name in ("attacker", "target"):
            return Found(self._attacker if name == "attacker" else self._target)
        return Found(self._table.pieces(name, self._attacker, self._target))

    def _attribute(self, node: Attribute, bound: Mapping[str, Piece]) -> Found:
        piece = self.found(node.of, bound).value
        if node.name in POINT_SETS:
            return Found(Points(piece, node.name))
        if node.name in ATTRIBUTES:
            return Found(self._table.attribute(piece, node.name))
        return Found(self._table.key(piece, node.name))

    def _call(self, node: Call, bound: Mapping[str, Piece]) -> Found:
        self._check_time()
        nodes = {
            **dict(zip((one.name for one in PRIMITIVES[node.name].takes), node.given, strict=False)),
            **node.settings,
        }
        found = {name: self.found(inner, bound) for name, inner in nodes.items()}
        given = {name: one.value for name, one in found.items()}
        for parameter in PRIMITIVES[node.name].takes:
            if parameter.name not in given and parameter.default is not None:
                given[parameter.name] = self.found(_default(parameter.default), {}).value
        return self._table.ask(node.name, given).resting_on(found.values())

    def _check_time(self) -> None:
        """Refuses a clause that has taken too long; asked before each primitive and each piece of a quantifier."""
        if time.monotonic() > self._until and self._now is not None:
            raise self._error(f"takes more than {LONGEST:g} s; ask about fewer pieces")

    def _error(self, wrong: str) -> RequestError:
        """What is wrong with the clause that is asked now, or with the condition of a verdict."""
        clause = "" if self._now is None else f"clause '{self._now.name}' (clause {self._now.number}): "
        return RequestError(f"{self._game.path}: {clause}{wrong}")

    def _lookup(self, node: Lookup, bound: Mapping[str, Piece]) -> Found:
        rows, key = self._game.tables[node.table], self.found(node.key, bound).value
        if key not in rows:
            names = ", ".join(f"'{name}'" for name in rows)
            raise self._error(f"the table {node.table} has no row '{key}'; it has {names}")
        return Found(rows[key])

    def _members(self, node: Quantified | Those, bound: Mapping[str, Piece]) -> list[tuple[Piece, Found]]:
        """The pieces of which a condition holds, or may hold, each with whether it does."""
        members = self.found(node.members, bound).value
        if node.where is None:
            return [(piece, Found(value=True)) for piece in members]
        asked = all_of(partial(self._counts, node, bound, piece) for piece in members)
        return [(piece, holds) for piece, holds in zip(members, asked, strict=True) if holds.value or not holds.sure]

    def _counts(self, node: Quantified | Those, bound: Mapping[str, Piece], piece: Piece) -> Found:
        """Whether one of the pieces counts."""
        assert node.where is not None
        self._check_time()
        return self.found(node.where, {**bound, node.variable: piece})

    def _quantified(self, node: Quantified, bound: Mapping[str, Piece]) -> Found:
        members = self._members(node, bound)

        def of(piece: Piece, counts: Found) -> Found:
            self._check_time()
            body = self.found(node.body, {**bound, node.variable: piece})
            here = Found(body.value, body.sure, body.error, bound={node.variable: (piece.name,)})
            return here.resting_on([body, counts])

        if node.how in ("least", "greatest"):
            return extreme(all_of(partial(of, *member) for member in members if member[1].value), node.how)
        if node.how in ("half", "most"):
            holding = all_of(partial(of, *member) for member in members)
            parts = [(counts, holds) for (_, counts), holds in zip(members, holding, strict=True)]
            return majority(parts, least=int(node.how == "most"))

        def asked(decides: bool) -> Iterator[Callable[[], Found]]:
            for piece, counts in members:
                yield partial(_in_doubt, counts, partial(of, piece, counts), decides)

        if node.how == "none":
            return denied(joined(asked(decides=True), decides=True))
        return joined(asked(decides=node.how == "any"), decides=node.how == "any")

    def _those(self, node: Those, bound: Mapping[str, Piece]) -> Found:
        holding = [(piece, counts) for piece, counts in self._members(node, bound) if counts.value]
        uses = tuple(use for _, counts in holding for use in counts.uses)
        return Found(tuple(piece for piece, _ in holding), uses=uses)

    def _binary(self, node: Binary, bound: Mapping[str, Piece]) -> Found:
        left, right = partial(self.found, node.left, bound), partial(self.found, node.right, bound)
        if node.sign in ("and", "or"):
            return joined([left, right], decides=node.sign == "or")
        one, other = left(), right()
        if node.sign in ("<", "<=", ">", ">="):
            return compared(one, other, node.sign)
        if node.sign in ("is", "is not"):
            same = one.value is other.value if isinstance(one.value, Piece) else one.value == other.value
            sure = one.error == other.error == 0.0 or abs(one.value - other.value) > one.error + other.error
            return Found(same == (node.sign == "is"), sure and one.sure and other.sure).resting_on([one, other])
        if node.sign == "in":
            return Found(one.value in other.value).resting_on([one, other])
        return _arithmetic(one, other, node.sign)


@cache
def _default(text: str) -> Node:
    """What a primitive takes where nothing is given; there are a few such texts."""
    return parsed(text)


def _in_doubt(counts: Found, body: Callable[[], Found], decides: bool) -> Found:
    """Whether a piece decides, of which it is not sure whether it counts: it surely does where both are sure."""
    found = body()
    if counts.sure:
        return found
    value = found.value if counts.value else not decides
    return replace(found, value=value, sure=found.sure and found.value is not decides)


def _arithmetic(one: Found, other: Found, sign: str) -> Found:
    """A sum of quantities or of pieces, a difference, a product or a quotient."""
    if isinstance(one.value, tuple):
        return Found(tuple(dict.fromkeys((*one.value, *other.value)))).resting_on([one, other])
    if sign in ("+", "-"):
        value = one.value + other.value if sign == "+" else one.value - other.value
        return Found(value, error=one.error + other.error).resting_on([one, other])
    if sign == "*":
        error = abs(one.value) * other.error + abs(other.value) * one.error + one.error * other.error
        return Found(one.value * other.value, error=error).resting_on([one, other])
    least = abs(other.value) - other.error
    if least <= 0.0:
        return Found(float("inf"), error=float("inf")).resting_on([one, other])
    error = (abs(one.value) * other.error / abs(other.value) + one.error) / least
    return Found(one.value / other.value, error=error).resting_on([one, other])
