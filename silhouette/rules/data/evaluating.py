"""JUDGE, games by data: a condition is asked of a table, for one who looks and one looked at, until it is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from time import thread_time
from typing import Any, Protocol

from silhouette.common.errors import OutOfTime, RequestError, go_on, time_limit
from silhouette.common.text import in_a_sentence
from silhouette.files.schema import MAX_LENGTH_MM
from silhouette.rules.data import quantities
from silhouette.rules.data.found import (
    Counted,
    Found,
    Key,
    Points,
    Tally,
    Use,
    all_of,
    counted,
    denied,
    joined,
    majority,
    question_of,
)
from silhouette.rules.data.game import Clause, Game
from silhouette.rules.data.kinds import ATTRIBUTES, POINT_SETS, PRIMITIVES
from silhouette.rules.data.nodes import Attribute, Binary, Call, Literal, Lookup, Name, Node, Quantified, Those, Unary
from silhouette.rules.data.parsing import parsed
from silhouette.rules.data.worlds import World
from silhouette.scenes.pieces import Piece

LONGEST = 10.0
"""Seconds of CPU time that the clauses of one check may take; what is kept, such as a footprint, is not stopped."""


MANY = 20  # of more pieces that one question is about, fewer are advised, unless one has most of the triangles


class Table(Protocol):
    """What conditions are asked of."""

    def pieces(self, name: str, attacker: Piece, target: Piece) -> tuple[Piece, ...]:
        """Pieces by the name of `NAMES`."""

    def key(self, piece: Piece, name: str) -> Any:
        """What a piece says under a key of the game."""

    def attribute(self, piece: Piece, name: str) -> Any:
        """What every piece has, but for points."""

    def reading(self, name: str) -> Any:
        """A reading of the scene."""

    def ask(self, primitive: str, given: Mapping[str, Any]) -> Found:
        """The answer to a primitive, of which all arguments are given: pieces, points, texts, numbers."""


class Evaluator:
    """The clauses of a game for one check; each is asked at most once. In a ``world`` nothing is in doubt; without one,
    answers say how sure they are, each by itself.
    """

    def __init__(self, game: Game, table: Table, attacker: Piece, target: Piece, world: World | None = None) -> None:
        self._game, self._table = game, table
        self._attacker, self._target = attacker, target
        self._world = world
        self._clauses: dict[str, Found] = {}
        self._now: Clause | None = None
        self._advice = "ask about fewer pieces"

    @property
    def asked(self) -> Mapping[str, Found]:
        """The clauses that have been asked, by their names, in the order in which they were."""
        return self._clauses

    def clause(self, name: str) -> Found:
        """Whether a clause holds. RequestError where that, with the clauses it rests on, takes too long."""
        if name not in self._clauses:
            before, self._now = self._now, self._game.clauses[name]
            begun = thread_time()
            try:
                with time_limit(LONGEST):
                    self._clauses[name] = self.found(self._now.when, {})
            except OutOfTime:
                others = "" if thread_time() - begun >= LONGEST else ", with the clauses before it"
                raise self._error(f"takes more than {LONGEST:g} s of CPU time{others}; {self._advice}") from None
            self._now = before
        return self._clauses[name]

    def ruling(self, condition: Node) -> Found:
        """What the condition of a verdict comes to; it rests on clauses."""
        return self.found(condition, {})

    def found(self, node: Node, bound: Mapping[str, Piece]) -> Found:
        """What a node of a checked condition comes to; ``bound`` are the pieces that quantifiers speak of."""
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
                return denied(inner) if node.sign == "not" else quantities.put_together(Found(-1.0), inner, "*")
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
        """The answer to a primitive.

        If it is in doubt which pieces it is asked about, it is asked about the fewest and about the most as well: a
        primitive gives more the more pieces there are, or less. Of a length that it is asked with, such as a gap, it is
        asked about both ends of its interval: what it gives lies between as well, but for shares of a cylinder whose
        height is in doubt, which need not.
        """
        go_on()
        nodes = {
            **dict(zip((one.name for one in PRIMITIVES[node.name].takes), node.given, strict=False)),
            **node.settings,
        }
        found = {name: self.found(inner, bound) for name, inner in nodes.items()}
        for parameter in PRIMITIVES[node.name].takes:
            if parameter.name not in found and parameter.default is not None:
                found[parameter.name] = self.found(_default(parameter.default), {})
        values = product(*((one.value, *_other_values(one)) for one in found.values()))
        several = [dict(zip(found, given, strict=True)) for given in values]
        answer = quantities.within_all(all_of(partial(self._answer, node.name, given) for given in several))
        if not answer.sure or answer.error:
            what = question_of(node.name, several[0])
            if len(several) > 1:
                what = ("within", *what, *(one.of for one in found.values()))
            answer = self._known(quantities.known_by(answer, what, PRIMITIVES[node.name].most), what)
        return answer.resting_on(found.values())

    def _answer(self, primitive: str, given: Mapping[str, Any]) -> Found:
        """The answer of the table to one question; where that takes most of the time, the advice says so."""
        if primitive == "cylinder" and max(given["height"], given["width"]) >= MAX_LENGTH_MM:
            size = f"{given['height']:g} mm high and {given['width']:g} mm wide"
            raise self._error(
                f"its cylinder is {size}; it must be less than {MAX_LENGTH_MM:.0f} mm, a kilometre, either way"
            )
        begun = thread_time()
        try:
            return self._table.ask(primitive, given)
        except OutOfTime:
            if thread_time() - begun >= LONGEST / 2:
                self._advice = _simpler(primitive, given)
            raise

    def _known(self, answer: Found, what: Key) -> Found:
        """The answer to a primitive: in a world it is sure of every truth."""
        if answer.sure or self._world is None:
            return answer
        if answer.of is not None:
            return replace(answer, value=self._world.holds(answer.of, ">", answer.value), sure=True)
        return replace(answer, value=self._world.truth(what, answer.value), sure=True)

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
        members = self.found(node.members, bound)
        every = dict.fromkeys(piece for way in (members.value, *members.ways) for piece in way)
        asked = all_of(partial(self._counts, node, bound, piece, counted(piece, members)) for piece in every)
        return [(piece, counts) for piece, counts in zip(every, asked, strict=True) if counts.value or not counts.sure]

    def _counts(self, node: Quantified | Those, bound: Mapping[str, Piece], piece: Piece, is_member: Found) -> Found:
        """Whether one of the pieces counts, of which it may be in doubt whether it is one of them at all."""
        if node.where is None:
            return is_member
        go_on()
        holds = partial(self.found, node.where, {**bound, node.variable: piece})
        return holds() if is_member.value and is_member.sure else joined([lambda: is_member, holds], decides=False)

    def _quantified(self, node: Quantified, bound: Mapping[str, Piece]) -> Found:
        members = self._members(node, bound)

        def of(piece: Piece, counts: Found) -> Found:
            go_on()
            body = self.found(node.body, {**bound, node.variable: piece})
            here = replace(body, uses=(), bound={node.variable: (piece.name,)})
            return here.resting_on([body, counts])

        if node.how not in ("any", "all", "none"):
            bodies = all_of(partial(of, *member) for member in members)
            parts = [(counts, body) for (_, counts), body in zip(members, bodies, strict=True)]
            if node.how in ("least", "greatest"):
                return quantities.extreme(parts, node.how)
            tally = Tally(
                tuple(
                    Counted(piece.name, bool(body.value), body.uses, body.tallies)
                    for (piece, counts), body in zip(members, bodies, strict=True)
                    if counts.value
                )
            )
            found = majority(parts, least=int(node.how == "most"))
            return replace(found, tallies=(tally, *found.tallies))

        def asked(decides: bool) -> Iterator[Callable[[], Found]]:
            for piece, counts in members:
                yield partial(_in_doubt, counts, partial(of, piece, counts), decides)

        if node.how == "none":
            return denied(joined(asked(decides=True), decides=True))
        return joined(asked(decides=node.how == "any"), decides=node.how == "any")

    def _those(self, node: Those, bound: Mapping[str, Piece]) -> Found:
        members = self._members(node, bound)
        uses = tuple(use for _, counts in members if counts.value for use in counts.uses)
        fewest = tuple(piece for piece, counts in members if counts.value and counts.sure)
        found = Found(tuple(piece for piece, counts in members if counts.value), uses=uses)
        return quantities.with_ways(found, [fewest, tuple(piece for piece, _ in members)])

    def _binary(self, node: Binary, bound: Mapping[str, Piece]) -> Found:
        left, right = partial(self.found, node.left, bound), partial(self.found, node.right, bound)
        if node.sign in ("and", "or"):
            return joined([left, right], decides=node.sign == "or")
        one, other = left(), right()
        if node.sign == "in" and isinstance(one.value, Piece):
            return counted(one.value, other).resting_on([one, other])
        if node.sign == "in":
            return Found(one.value in other.value).resting_on([one, other])
        if node.sign in ("<", "<=", ">", ">="):
            found = quantities.compared(one, other, node.sign)
        elif node.sign in ("is", "is not"):
            same = one.value is other.value if isinstance(one.value, Piece) else one.value == other.value
            sure = one.error == other.error == 0.0 or abs(one.value - other.value) > one.error + other.error
            found = Found(same == (node.sign == "is"), sure and one.sure and other.sure).resting_on([one, other])
        else:
            return quantities.put_together(one, other, node.sign)
        if found.sure or self._world is None:
            return found
        return replace(
            found, value=self._world.holds(quantities.difference(one, other), node.sign, found.value), sure=True
        )


def _other_values(argument: Found) -> Sequence[Any]:
    """The other values, besides that which is likely, with which a primitive is asked about an argument in doubt."""
    if argument.ways or not isinstance(argument.value, float) or argument.error == 0.0:
        return argument.ways
    least, most = quantities.range_of(argument)
    return max(least, 0.0), min(most, MAX_LENGTH_MM)


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


def _simpler(primitive: str, given: Mapping[str, Any]) -> str:
    """What makes one question faster: fewer pieces, where there are many, or a simpler mesh."""
    values = [one for value in given.values() for one in (value if isinstance(value, tuple) else (value,))]
    points = [one.piece if isinstance(one, Points) else one for one in values]
    pieces = {piece.name: piece for piece in points if isinstance(piece, Piece)}
    faces = {name: len(piece.model.mesh.faces) for name, piece in pieces.items()}
    if not faces or (len(faces) > MANY and max(faces.values()) < sum(faces.values()) / 2):
        return f"'{primitive}' alone takes most of it: ask about fewer pieces"
    finest = max(faces, key=lambda name: faces[name])
    return (
        f"'{primitive}' alone takes most of it: a simpler mesh would be faster, above all of "
        f"{in_a_sentence(finest)} ({faces[finest]:,} triangles)"
    )
