"""JUDGE, games by data: the verdict that is given on one check, and all that may be right within the errors."""

from __future__ import annotations

from dataclasses import dataclass

from silhouette.rules.data.evaluating import Evaluator, Table
from silhouette.rules.data.found import Found
from silhouette.rules.data.game import Game, Ruling
from silhouette.rules.data.worlds import World, possible_in
from silhouette.scenes.pieces import Piece


@dataclass(frozen=True, eq=False)
class Ruled:
    """A verdict that is given, what its condition came to, and the names of the verdicts that hold within the errors,
    in the game's order, this one among them; the evaluator has the clauses that were asked.
    """

    ruling: Ruling
    found: Found
    could_be: tuple[str, ...]
    evaluator: Evaluator


def ruled(game: Game, table: Table, attacker: Piece, target: Piece) -> Ruled:
    """The verdict, which is that of what was measured, and those that may be right as well: that are given for some
    values of all that is in doubt, each of which counts once, in however many clauses it is asked. Where too much is in
    doubt, each clause is taken to be in doubt by itself (see `possible_in`). Unmeasured where that rests on sights that
    have not been measured; RequestError where a clause takes too long.
    """
    evaluator = Evaluator(game, table, attacker, target)
    ruling, found, candidates = _first(evaluator, game)

    def given(world: World) -> str:
        return _first(Evaluator(game, table, attacker, target, world), game)[0].name

    possible = {ruling.name} | (possible_in(given, candidates) if len(candidates) > 1 else set())
    return Ruled(ruling, found, tuple(name for name in candidates if name in possible), evaluator)


def _first(evaluator: Evaluator, game: Game) -> tuple[Ruling, Found, tuple[str, ...]]:
    """The verdict that is given, what its condition came to, and all that may hold, each clause by itself."""
    given: tuple[Ruling, Found] | None = None
    denied, possible = list[Found](), list[str]()
    for ruling in game.rulings:
        found = evaluator.ruling(ruling.when) if ruling.when is not None else Found(value=True).resting_on(denied)
        if found.value or not found.sure:
            possible.append(ruling.name)
        if found.value and given is None:
            given = ruling, found
        if found.value and found.sure:
            break
        denied.append(found)
    assert given is not None
    return *given, tuple(dict.fromkeys(possible))
