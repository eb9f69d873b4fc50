"""JUDGE, games by data: the words of verdicts alone, for odds: by what tells soonest, and nothing of what decided.

A verdict's reason follows the order in which its clauses are written, and its doubt needs more to be asked than its
word does. Where only the word is read, "not in sight or behind a ruin" is so as soon as the plan shows the ruin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from silhouette.rules.base import RuleReference, Verdict
from silhouette.rules.data.asking import SceneTable
from silhouette.rules.data.evaluating import Evaluator
from silhouette.rules.data.found import Found
from silhouette.rules.data.game import Game
from silhouette.rules.data.nodes import Attribute, Binary, Call, Lookup, Name, Node
from silhouette.rules.data.scene import DataScene
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import Check

SLOW = ("line", "patch", "visible")  # primitives that look in space, beside which all others take no time


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
    """The verdict on a check in a scene of a game that `is_brief`, with its word and its level, but no reason.
    RequestError where the check names no fitting piece, or a clause takes too long.
    """
    attacker, target = scene.model(check.attacker), scene.model(check.target)
    evaluator = BriefEvaluator(scene.game, SceneTable(scene), attacker, target)
    ruling = next(one for one in scene.game.rulings if one.when is None or evaluator.ruling(one.when).value)
    return Verdict(attacker.name, target.name, scene.rules, ruling.name, ruling.level, RuleReference("", ""), "")


class BriefEvaluator(Evaluator):
    """An `Evaluator` that asks what is quick first, and no more once a truth is known, however surely. The values that
    it finds are the same; how sure they are, and what they rest on, it does not know.
    """

    def found(self, node: Node, bound: Mapping[str, Piece]) -> Found:
        """What a node comes to; every truth counts as sure."""
        found = super().found(node, bound)
        return replace(found, sure=True) if isinstance(found.value, bool) and not found.sure else found

    def _binary(self, node: Binary, bound: Mapping[str, Piece]) -> Found:
        if node.sign in ("and", "or") and _can_wait(node.left, node.right, self._game):
            node = replace(node, left=node.right, right=node.left)
        return super()._binary(node, bound)


@lru_cache(maxsize=4096)
def _can_wait(first: Node, second: Node, game: Game) -> bool:
    """Whether the first of two conditions looks in space, and the second, which can be asked without it, does not."""
    # A row that is not there is a mistake: what stands before may have kept it from being looked for.
    has_lookup = any(isinstance(node, Lookup) for node in _parts(second, game))
    return not has_lookup and _looks(first, game) and not _looks(second, game)


def _looks(condition: Node, game: Game) -> bool:
    return any(isinstance(node, Call) and node.name in SLOW for node in _parts(condition, game))


def _parts(condition: Node, game: Game) -> Iterator[Node]:
    """All nodes of a condition, and of the clauses that it names."""
    for node in condition.everything():
        yield node
        if isinstance(node, Name) and node.name in game.clauses:
            yield from _parts(game.clauses[node.name].when, game)
