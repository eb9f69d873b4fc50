"""JUDGE, games by data: the verdict that is given on one check, and all that may be right within the errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from silhouette.rules.base import RuleReference, Verdict
from silhouette.rules.data.asking import SceneTable
from silhouette.rules.data.evaluating import Evaluator, GameTable
from silhouette.rules.data.game import Game, Ruling
from silhouette.rules.data.nodes import Attribute, Call
from silhouette.rules.data.scene import DataScene
from silhouette.rules.data.values import Evaluation
from silhouette.rules.data.worlds import World, possible_in
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import Check


@dataclass(frozen=True, eq=False)
class Ruled:
    """A verdict that is given, what its condition came to, and the names of the verdicts that hold within the errors,
    in the game's order, this one among them; the evaluator has the clauses that were asked.
    """

    ruling: Ruling
    evaluation: Evaluation
    could_be: tuple[str, ...]
    evaluator: Evaluator


def ruled(game: Game, table: GameTable, attacker: Piece, target: Piece) -> Ruled:
    """The verdict, which is that of what was measured, and those that may be right as well: that are given for some
    values of all that is in doubt, each of which counts once, in however many clauses it is asked. Where too much is in
    doubt, each condition in which something is in doubt is taken to hold or not (see `possible_in`). Unmeasured where
    that rests on sights that have not been measured; RequestError where a clause takes too long.
    """
    evaluator = Evaluator(game, table, attacker, target, World())
    ruling, evaluation, candidates = _first(evaluator, game)

    def given(world: World) -> str:
        return _first(Evaluator(game, table, attacker, target, world), game)[0].name

    possible = {ruling.name} | (possible_in(given, candidates) if len(candidates) > 1 else set())
    return Ruled(ruling, evaluation, tuple(name for name in candidates if name in possible), evaluator)


def _first(evaluator: Evaluator, game: Game) -> tuple[Ruling, Evaluation, tuple[str, ...]]:
    """The verdict that is given, what its condition came to, and all that may hold: those in which something is in
    doubt, and the first in which nothing is.
    """
    given: tuple[Ruling, Evaluation] | None = None
    denied, possible = list[Evaluation](), list[str]()
    for ruling in game.rulings:
        if ruling.when is None:
            evaluation = Evaluation(value=True).resting_on(denied)
        else:
            evaluation = evaluator.evaluate(ruling.when)
        if evaluation.value or not evaluation.sure:
            possible.append(ruling.name)
        if evaluation.value and given is None:
            given = ruling, evaluation
        if evaluation.value and evaluation.sure:
            break
        denied.append(evaluation)
    assert given is not None
    return *given, tuple(dict.fromkeys(possible))


@lru_cache(maxsize=64)
def is_brief(game: Game) -> bool:
    """Whether the verdicts of a game have a word and no share, since nothing is measured from an eye."""
    nodes = (node for clause in game.clauses.values() for node in clause.when.everything())
    return not any(
        (isinstance(node, Call) and node.name in ("obscured", "seen"))
        or (isinstance(node, Attribute) and node.name == "eye")
        for node in nodes
    )


def brief_verdict(scene: DataScene, check: Check) -> Verdict:
    """The verdict on a check in a scene of a game that `is_brief`, for odds: with its word and its level, by what tells
    soonest, but no reason. RequestError where the check names no fitting piece, or a clause takes too long.
    """
    attacker, target = scene.model(check.attacker), scene.model(check.target)
    ruling = _first(Evaluator(scene.game, SceneTable(scene, brief=True), attacker, target, World(())), scene.game)[0]
    return Verdict(attacker.name, target.name, scene.rules, ruling.name, ruling.level, RuleReference("", ""), "")
