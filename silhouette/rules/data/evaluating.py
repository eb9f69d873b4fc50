"""JUDGE, games by data: a condition is asked of a table, for one who looks and one looked at, until it is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import product
from time import thread_time
from types import MappingProxyType
from typing import Any, Protocol

from silhouette.common.errors import OutOfTime, RequestError, go_on, time_limit
from silhouette.common.text import in_a_sentence
from silhouette.files.schema import MAX_LENGTH_MM
from silhouette.relations.points import Points
from silhouette.rules.data import quantities
from silhouette.rules.data.game import Clause, Game
from silhouette.rules.data.kinds import ATTRIBUTES, POINT_SETS, PRIMITIVES
from silhouette.rules.data.nodes import Attribute, Binary, Call, Literal, Lookup, Name, Node, Quantified, Those, Unary
from silhouette.rules.data.parsing import parsed
from silhouette.rules.data.values import (
    Counted,
    Evaluation,
    Key,
    Tally,
    Use,
    all_of,
    denied,
    joined,
    majority,
    question_of,
)
from silhouette.rules.data.worlds import World
from silhouette.scenes.pieces import Piece

MAX_CPU_SECONDS = 10.0
"""CPU time that the clauses of one check may take; work whose result is kept, such as a footprint, is not stopped."""


SLOW = ("line", "patch", "visible")  # primitives that look in space, beside which all others take no time
MANY_PIECES = 20  # if a question is about more, the advice is to ask about fewer, unless one has most triangles


Members = tuple[list[tuple[Piece, Evaluation]], bool]


class GameTable(Protocol):
    """What conditions are asked of."""

    def pieces(self, name: str, attacker: Piece, target: Piece) -> tuple[Piece, ...]:
        """Pieces by the name of `BUILTIN_NAMES`."""

    def key(self, piece: Piece, name: str) -> Any:
        """What a piece says under a key of the game."""

    def attribute(self, piece: Piece, name: str) -> Any:
        """What every piece has, but for points."""

    def reading(self, name: str) -> Any:
        """A reading of the scene, or the side of its squares."""

    def ask(self, primitive: str, given: Mapping[str, Any]) -> Evaluation:
        """The answer to a primitive, of which all arguments are given: pieces, points, texts, numbers."""


class Evaluator:
    """The clauses of a game for one check in a ``world``; each is asked at most once. Where all is as it was measured,
    evaluations say whether they rest on anything in doubt, and name all that decides. In any other world nothing is in
    doubt: what is quick is asked first, and nothing more once the condition is decided.
    """

    def __init__(
        self, game: Game, table: GameTable, attacker: Piece, target: Piece, world: World | None = None
    ) -> None:
        self._game, self._table = game, table
        self._attacker, self._target = attacker, target
        self._world = world or World()
        self._clauses: dict[str, Evaluation] = {}
        self._chosen: dict[Key, Members] = {}
        self._now: Clause | None = None
        self._advice = "ask about fewer pieces"

    @property
    def clauses(self) -> Mapping[str, Evaluation]:
        """What the clauses that have been asked come to, by their names, in the order in which they were asked."""
        return self._clauses

    def clause(self, name: str) -> Evaluation:
        """Whether a clause holds. RequestError where that, with the clauses it rests on, takes too long."""
        if name not in self._clauses:
            before, self._now = self._now, self._game.clauses[name]
            begun = thread_time()
            try:
                with time_limit(MAX_CPU_SECONDS):
                    self._clauses[name] = self.evaluate(self._now.when)
            except OutOfTime:
                others = "" if thread_time() - begun >= MAX_CPU_SECONDS else ", with the clauses before it"
                raise self._error(
                    f"takes more than {MAX_CPU_SECONDS:g} s of CPU time{others}; {self._advice}"
                ) from None
            self._now = before
        return self._clauses[name]

    def evaluate(self, node: Node, bound: Mapping[str, Piece] = MappingProxyType({})) -> Evaluation:
        """What a node of a checked condition comes to; ``bound`` are the pieces that quantifiers speak of."""
        match node:
            case Literal():
                return Evaluation(node.value)
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
                inner = self.evaluate(node.of, bound)
                return denied(inner) if node.sign == "not" else quantities.put_together(Evaluation(-1.0), inner, "*")
        assert isinstance(node, Binary)
        return self._binary(node, bound)

    def _name(self, name: str, bound: Mapping[str, Piece]) -> Evaluation:
        if name in bound:
            return Evaluation(bound[name])
        if name in self._game.clauses:
            inner = self.clause(name)
            return Evaluation(inner.value, inner.sure, uses=(Use(name, holds=inner.value, unit="clause"),))
        if name in (*self._game.readings, "square"):
            return Evaluation(self._table.reading(name))
        if name in ("attacker", "target"):
            return Evaluation(self._attacker if name == "attacker" else self._target)
        return Evaluation(self._table.pieces(name, self._attacker, self._target))

    def _attribute(self, node: Attribute, bound: Mapping[str, Piece]) -> Evaluation:
        piece = self.evaluate(node.of, bound).value
        if node.name in POINT_SETS:
            return Evaluation(Points(piece, node.name))
        if node.name in ATTRIBUTES:
            return Evaluation(self._table.attribute(piece, node.name))
        return Evaluation(self._table.key(piece, node.name))

    def _call(self, node: Call, bound: Mapping[str, Piece]) -> Evaluation:
        """The answer to a primitive. Where an argument is in doubt, such as a gap that was measured, the primitive is
        asked with both ends of its interval: the answer lies between theirs, but for shares of a cylinder whose height
        is in doubt, which need not.
        """
        go_on()
        arguments = {name: self.evaluate(inner, bound) for name, inner in _arguments(node).items()}
        values = product(*map(_values_of, arguments.values()))
        several = [dict(zip(arguments, given, strict=True)) for given in values]
        what = question_of(node.name, several[0])
        if len(several) > 1:
            what = ("within", *what, *(argument.of for argument in arguments.values()))
        answers = all_of(partial(self._answer, node.name, given) for given in several)
        answer = self._in_world(quantities.within_all(answers, what), what)
        answer = answer if all(argument.sure for argument in arguments.values()) else replace(answer, sure=False)
        return answer.resting_on(arguments.values())

    def _answer(self, primitive: str, given: Mapping[str, Any]) -> Evaluation:
        """The answer of the table to one question; where that takes most of the time, the advice says so."""
        if primitive == "cylinder" and max(given["height"], given["width"]) >= MAX_LENGTH_MM:
            size = f"{given['height']:g} mm high and {given['width']:g} mm wide"
            raise self._error(
                f"its cylinder is {size}; it must be less than {MAX_LENGTH_MM:.0f} mm, a kilometre, either way"
            )
        begun = thread_time()
        try:
            answer = self._table.ask(primitive, given)
        except OutOfTime:
            if thread_time() - begun >= MAX_CPU_SECONDS / 2:
                self._advice = _simpler(primitive, given)
            raise
        return quantities.with_interval(answer, question_of(primitive, given), PRIMITIVES[primitive].most)

    def _in_world(self, answer: Evaluation, what: Key) -> Evaluation:
        """The answer to a primitive, if it is a truth of which nobody is sure, as it is in this world."""
        if answer.sure or not isinstance(answer.value, bool):
            return answer
        if answer.of is None:
            value = self._world.truth(what, answer.value)
        else:
            value = self._world.holds(answer.of, ">", 1.0 if answer.value else 0.0)
        return replace(answer, value=value, sure=not self._world.is_measured)

    def _error(self, wrong: str) -> RequestError:
        """What is wrong with the clause that is asked now, or with the condition of a verdict."""
        clause = "" if self._now is None else f"clause '{self._now.name}' (clause {self._now.number}): "
        return RequestError(f"{self._game.path}: {clause}{wrong}")

    def _lookup(self, node: Lookup, bound: Mapping[str, Piece]) -> Evaluation:
        rows, key = self._game.tables[node.table], self.evaluate(node.key, bound).value
        if key not in rows:
            names = ", ".join(f"'{name}'" for name in rows)
            raise self._error(f"the table {node.table} has no row '{key}'; it has {names}")
        return Evaluation(rows[key])

    def _members(self, node: Quantified | Those, bound: Mapping[str, Piece]) -> Members:
        """The pieces of which a condition holds, or may hold, each with whether it does; and whether no others may."""
        key = (node, *map(bound.get, _names_in(node)))
        if key not in self._chosen:
            self._chosen[key] = self._choose(node, bound)
        return self._chosen[key]

    def _choose(self, node: Quantified | Those, bound: Mapping[str, Piece]) -> Members:
        members = self.evaluate(node.members, bound)
        where = node.where
        if where is None:
            return [(piece, Evaluation(value=True)) for piece in members.value], members.sure

        def holds(piece: Piece) -> Evaluation:
            go_on()
            return self.evaluate(where, {**bound, node.variable: piece})

        truths = all_of(partial(holds, piece) for piece in members.value)
        pairs = zip(members.value, truths, strict=True)
        return [(piece, counts) for piece, counts in pairs if counts.value or not counts.sure], members.sure

    def _quantified(self, node: Quantified, bound: Mapping[str, Piece]) -> Evaluation:
        members, are_all = self._members(node, bound)
        bodies = [(counts, partial(self._body, node, bound, piece, counts)) for piece, counts in members]
        if node.how in ("any", "all", "none"):
            decides = node.how != "all"
            evaluation = joined((partial(_in_doubt, counts, body, decides) for counts, body in bodies), decides)
            evaluation = denied(evaluation) if node.how == "none" else evaluation
        else:
            evaluation = _taken_together(node.how, members, all_of(body for _, body in bodies))
        return replace(evaluation, sure=evaluation.sure and are_all)

    def _body(self, node: Quantified, bound: Mapping[str, Piece], piece: Piece, counts: Evaluation) -> Evaluation:
        """What a quantifier asks of one of its pieces."""
        go_on()
        body = self.evaluate(node.body, {**bound, node.variable: piece})
        here = replace(body, uses=(), bound={node.variable: (piece.name,)})
        return here.resting_on([body, counts])

    def _those(self, node: Those, bound: Mapping[str, Piece]) -> Evaluation:
        members, are_all = self._members(node, bound)
        uses = tuple(use for _, counts in members if counts.value for use in counts.uses)
        sure = are_all and all(counts.sure for _, counts in members)
        return Evaluation(tuple(piece for piece, counts in members if counts.value), sure, uses=uses)

    def _binary(self, node: Binary, bound: Mapping[str, Piece]) -> Evaluation:
        left, right = partial(self.evaluate, node.left, bound), partial(self.evaluate, node.right, bound)
        if node.sign in ("and", "or"):
            if not self._world.is_measured and can_wait(node.left, node.right, self._game):
                left, right = right, left
            return joined([left, right], decides=node.sign == "or")
        first, second = left(), right()
        if node.sign in ("+", "-", "*", "/"):
            return quantities.put_together(first, second, node.sign)
        if isinstance(first.value, float):
            return quantities.compared(first, second, node.sign, self._world)
        if node.sign == "in":
            value = first.value in second.value
        else:
            same = first.value is second.value if isinstance(first.value, Piece) else first.value == second.value
            value = same == (node.sign == "is")
        return Evaluation(value, first.sure and second.sure).resting_on([first, second])


def _taken_together(how: str, members: Sequence[tuple[Piece, Evaluation]], bodies: Sequence[Evaluation]) -> Evaluation:
    """What half, most, each, least or greatest come to, by pieces with whether they count, and the answers for them."""
    parts = [(counts, body) for (_, counts), body in zip(members, bodies, strict=True)]
    if how in ("half", "most"):
        named = zip(members, bodies, strict=True)
        counted = [(piece.name, body) for (piece, counts), body in named if counts.value]
        tally = Tally(tuple(Counted(name, bool(body.value), body.uses, body.tallies) for name, body in counted))
        truth = majority(parts, least=int(how == "most"))
        return replace(truth, tallies=(tally, *truth.tallies))
    sure, counting = all(counts.sure and body.sure for counts, body in parts), [body for c, body in parts if c.value]
    if how == "each":
        together = tuple(part for body in counting for part in body.value)
        return Evaluation(together, sure).resting_on(counts for counts, _ in parts)
    return replace(quantities.extreme(counting, how), sure=sure)


def _values_of(argument: Evaluation) -> tuple[Any, ...]:
    """What a primitive is asked with for an argument: its value; in doubt, the ends of its interval as well."""
    if argument.of is None:
        return (argument.value,)
    least, most = quantities.range_of(argument)
    return argument.value, max(least, 0.0), min(most, MAX_LENGTH_MM)


@lru_cache(maxsize=4096)
def can_wait(first: Node, second: Node, game: Game) -> bool:
    """Whether the first of two conditions looks in space, and the second, which can be asked without it, does not."""
    # A row that is not there is a mistake: what stands before may have kept it from being looked for.
    has_lookup = any(isinstance(node, Lookup) for node in _parts(second, game))
    return not has_lookup and _looks(first, game) and not _looks(second, game)


def _looks(condition: Node, game: Game) -> bool:
    return any(isinstance(node, Call) and node.name in SLOW for node in _parts(condition, game))


def _parts(condition: Node, game: Game) -> Iterator[Node]:
    """All nodes of a condition, and of the clauses that it names."""
    todo, seen = [condition], set[str]()
    while todo:
        for node in todo.pop().everything():
            yield node
            if isinstance(node, Name) and node.name in game.clauses and node.name not in seen:
                seen.add(node.name)
                todo.append(game.clauses[node.name].when)


@lru_cache(maxsize=4096)
def _names_in(node: Quantified | Those) -> tuple[str, ...]:
    """The names in what says which pieces a quantifier is about."""
    chosen = [part for part in (node.members, node.where) if part is not None]
    return tuple({inner.name: None for part in chosen for inner in part.everything() if isinstance(inner, Name)})


@lru_cache(maxsize=4096)
def _arguments(node: Call) -> Mapping[str, Node]:
    """All that a primitive is asked with, by name; what is not given comes last, as the text that stands for it."""
    takes = PRIMITIVES[node.name].takes
    given = {**dict(zip((parameter.name for parameter in takes), node.given, strict=False)), **node.settings}
    left = [parameter for parameter in takes if parameter.name not in given]
    return given | {parameter.name: _default(parameter.default) for parameter in left if parameter.default is not None}


@cache
def _default(text: str) -> Node:
    """What stands for an argument that is not given; there are a few such texts."""
    return parsed(text)


def _in_doubt(counts: Evaluation, body: Callable[[], Evaluation], decides: bool) -> Evaluation:
    """Whether a piece decides, of which it is not sure whether it counts: it surely does where both are sure."""
    truth = body()
    if counts.sure:
        return truth
    value = truth.value if counts.value else not decides
    return replace(truth, value=value, sure=truth.sure and truth.value is not decides)


def _simpler(primitive: str, given: Mapping[str, Any]) -> str:
    """What makes one question faster: fewer pieces, where there are many, or a simpler mesh."""
    values = [item for value in given.values() for item in (value if isinstance(value, tuple) else (value,))]
    points = [item.piece if isinstance(item, Points) else item for item in values]
    pieces = {piece.name: piece for piece in points if isinstance(piece, Piece)}
    faces = {name: len(piece.model.mesh.faces) for name, piece in pieces.items()}
    if not faces or (len(faces) > MANY_PIECES and max(faces.values()) < sum(faces.values()) / 2):
        return f"'{primitive}' alone takes most of it: ask about fewer pieces"
    finest = max(faces, key=lambda name: faces[name])
    return (
        f"'{primitive}' alone takes most of it: a simpler mesh would be faster, above all of "
        f"{in_a_sentence(finest)} ({faces[finest]:,} triangles)"
    )
