"""Odds of games by data: what is kept from trial to trial changes no answer, and only the word is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.lazy import forget
from silhouette.judging import load_scene, mapped
from silhouette.judging.maps import MapRequest
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.rules.data.evaluating import Evaluator
from silhouette.rules.data.game import Clause, Game
from silhouette.rules.data.parsing import parsed
from silhouette.rules.data.ruling import is_brief
from silhouette.rules.data.values import Evaluation
from silhouette.rules.data.worlds import World
from silhouette.scenes.places import Move
from silhouette.scenes.table import TableScene
from tests.conftest import PROJECT

SETTINGS = Settings(choose(), 0.1)
GAMES = ("infinity_n5", "kill_team_2024", "legion", "the_old_world", "trench_crusade")
FAR = 30.0
"""mm by which models are moved, and degrees by which they are turned: far enough for other verdicts."""


def example(game: str) -> TableScene:
    scene = load_scene(PROJECT / "scenes" / game / "example.toml")
    assert isinstance(scene, TableScene)
    return scene


def trials(scene: TableScene, count: int) -> list[TableScene]:
    """The scene, and others in which every model stands and looks elsewhere."""
    random, rule = np.random.default_rng(1), rule_called(scene.rules)
    found = [scene]
    for _ in range(count):
        moves: dict[str, Move] = {}
        for piece in scene.pieces:
            if piece.kind != "terrain":
                x, y, turn = random.uniform(-FAR, FAR, 3).tolist()
                moves[piece.name] = Move((x, y, 0.0), turn, eye=(0.0, 0.2 * random.integers(-1, 2), 0.0))
        found.append(rule.moved(scene, moves))
    return found


@pytest.mark.thinned(quick=0, ci=20)
@pytest.mark.parametrize("game", GAMES)
def test_what_is_kept_from_trial_to_trial_changes_no_row(game: str) -> None:
    scene = example(game)
    rule = rule_called(scene.rules)
    asked = [(scene, check) for check in rule.everyone(scene)[:4]]
    asked += [(trial, check) for trial in trials(scene, 3) for check in scene.checks]
    forget()
    rows = [verdict.row() for verdict in rule.judge(asked, SETTINGS)]
    alone = []
    for question in asked:
        forget()
        alone += [verdict.row() for verdict in rule.judge([question], SETTINGS)]
    assert rows == alone


@pytest.mark.slow
def test_a_map_is_the_same_place_by_place_as_with_nothing_kept() -> None:
    scene = example("kill_team_2024")
    rule, request = rule_called(scene.rules), MapRequest("Vex", ("Kal",), grid=30.0, within=60.0)
    found = mapped(scene, request, SETTINGS.renderer)
    (check,) = rule.between(scene, "Kal", "Vex", None)
    places = rule.places(scene, "Vex")
    stands = np.flatnonzero(found.cells.stands)
    assert len(stands) > 3
    for number in stands:
        forget()
        at = found.cells.at[number]
        (verdict,) = rule.judge([(places.scene_at(at[:2], float(at[2])), check)], SETTINGS)
        assert list(rule.levels)[found.cells.verdict[number, 0]] == verdict.verdict


@pytest.mark.long
@pytest.mark.parametrize("game", ["infinity_n5", "kill_team_2024", "legion", "warhammer_40000_10"])
def test_the_word_alone_is_that_of_the_whole_verdict(game: str) -> None:
    scene = example(game)
    rule = rule_called(scene.rules)
    asked = [(trial, check) for trial in trials(scene, 5) for check in scene.checks]
    whole = [verdict.verdict for verdict in rule.judge(asked, SETTINGS)]
    assert len(set(whole)) > 1
    brief = rule.judge_quickly(asked, SETTINGS)
    assert [verdict.verdict for verdict in brief] == whole
    assert not any(verdict.reason for verdict in brief)


@pytest.mark.thinned(quick=10, ci=40)
@pytest.mark.parametrize("game", ["bolt_action_3", "dnd_5e", "pathfinder_2e", "the_old_world", "trench_crusade"])
def test_a_game_that_measures_shares_from_an_eye_keeps_them(game: str) -> None:
    scene = example(game)
    rule = rule_called(scene.rules)
    asked = [(scene, check) for check in scene.checks]
    shares = [verdict.share for verdict in rule.judge(asked, SETTINGS)]
    assert any(share is not None for share, _ in shares)
    assert [verdict.share for verdict in rule.judge_quickly(asked, SETTINGS)] == shares


def game_of(**clauses: str) -> Game:
    named = {name: Clause(name, name, parsed(text), "", "", "") for name, text in clauses.items()}
    return Game(Path("game.toml"), "", "", "", "mm", "", {}, {}, {}, {"size": {"S1": 20.0}}, named, ())


class Answers:
    """A table that gives each primitive one answer, and notes what it is asked."""

    def __init__(self, **answers: Evaluation) -> None:
        self.answers, self.asked = answers, list[str]()

    def pieces(self, *_: Any) -> Any:
        return ()

    key = attribute = reading = pieces

    def ask(self, primitive: str, given: Mapping[str, Any]) -> Evaluation:
        self.asked.append(primitive)
        return self.answers[primitive]


KAL = example("legion").pieces[-1]
LINE, PLAN = "line(attacker.body, target.body)", "in_arc(attacker, target)"


@pytest.mark.parametrize(
    ("condition", "answers", "asked"),
    [
        (f"{LINE} or {PLAN}", {"in_arc": True}, ["in_arc"]),
        (f"{LINE} and {PLAN}", {"in_arc": False}, ["in_arc"]),
        (f"{LINE} or {PLAN}", {"in_arc": False, "line": True}, ["in_arc", "line"]),
        (f"{PLAN} or {LINE}", {"in_arc": True}, ["in_arc"]),
        (f"patch(attacker.body, target.body) > 1 mm or {PLAN}", {"in_arc": True}, ["in_arc"]),
        (f"visible(attacker.body, target.body) > 1 % and {PLAN}", {"in_arc": False}, ["in_arc"]),
        (f"seen or {PLAN}", {"in_arc": True}, ["in_arc"]),
        (f"{LINE} and {PLAN} and size['S2'] > 1 mm", {"in_arc": False}, ["in_arc"]),
        (f"{LINE} and visible(attacker.body, target.body) > 1 %", {"line": False}, ["line"]),
    ],
)
def test_what_the_plan_tells_is_asked_first(condition: str, answers: dict[str, bool], asked: Sequence[str]) -> None:
    table = Answers(**{name: Evaluation(value, sure=False) for name, value in answers.items()})
    found = Evaluator(game_of(seen=LINE, asked=condition), table, KAL, KAL, World(())).clause("asked")
    assert table.asked == asked
    assert found.sure
    assert found.value is (True in answers.values())


def test_which_games_have_no_share() -> None:
    assert is_brief(game_of(one="line(attacker.head, target.body)"))
    assert not is_brief(game_of(one="line(attacker.eye, target.body)"))
    assert not is_brief(game_of(one="obscured(attacker.head, target.body) > 1 %"))
    assert not is_brief(game_of(one="seen(attacker.head, target.body) > 1 %"))
