"""Reasons name what is in the way: the pieces that a share is due to, the one that hides most first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import FileError
from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.relations.points import ErrorBound
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.rules.data.results import DataVerdict
from silhouette.rules.data.values import Use
from silhouette.rules.data.words import hidden_by

SCENES = Path(__file__).resolve().parents[3] / "scenes"

GAME = """
title = "Posts"
source = "none"
line_of_sight = "seen"

[[clause]]
name = "seen"
number = "1"
when = "seen(attacker.eye, target.body) >= 50 %"
text = "{attacker} sees {target} past {hidden_by}"
otherwise = "{target} is hidden by {hidden_by}"
source = "none"

[[verdict]]
name = "hidden"
level = "blocked"
when = "not seen"

[[verdict]]
name = "open"
level = "clear"
"""

KAL = {"name": "Kal", "figure": {"base": 32, "height": 30}, "at": [0, 0], "eye": [0, 0, 20]}
VEX = {"name": "Vex", "parts": [{"box": [100, 10, 40]}], "at": [0, 200], "facing": 270}


def post(name: str, width: float, x: float) -> dict[str, Any]:
    """A high post half way to the target, on which it looks twice as wide."""
    return {"name": name, "parts": [{"box": [width, 2, 80]}], "at": [x, 100]}


def judged(folder: Path, posts: list[dict[str, Any]], game: str = GAME) -> DataVerdict:
    (folder / "posts.toml").write_text(game, encoding="utf-8")
    rule = rule_called(str(folder / "posts.toml"))
    document = {"rules": "posts.toml", "terrain": posts, "fighter": [KAL, VEX]}
    document["check"] = [{"attacker": "Kal", "target": "Vex"}]
    scene = rule.load(folder / "scene.toml", document, Cache(None))
    (verdict,) = rule.judge([(scene, check) for check in scene.checks], Settings(choose(), 0.2))
    assert isinstance(verdict, DataVerdict)
    return verdict


FIVE = [
    post("ash", 2, -20),
    post("birch", 4, -12),
    post("cedar", 12, 0),
    post("elm", 6, 12),
    post("fir", 3, 20),
]


@pytest.mark.parametrize(
    ("posts", "told"),
    [
        (FIVE, "Vex is hidden by the cedar, the elm, the birch and 2 more"),
        (FIVE[:4], "Kal sees Vex past the cedar, the elm, the birch and 1 more"),
        (FIVE[:3], "Kal sees Vex past the cedar, the birch and the ash"),
        (FIVE[:1], "Kal sees Vex past the ash"),
        ([], "Kal sees Vex past nothing"),
    ],
)
def test_a_reason_names_what_hides_most_first(tmp_path: Path, posts: list[dict[str, Any]], told: str) -> None:
    found = judged(tmp_path, posts)
    assert found.clauses[0].text == told
    assert found.clauses[0].named == found.in_the_way, "those that are only counted are named as well"


def test_what_hides_several_models_is_added_up(tmp_path: Path) -> None:
    """The birch hides a fifth of both, the cedar a quarter of one."""
    game = GAME.replace(
        'when = "seen(attacker.eye', 'when = "all(mini in models where mini is not attacker: seen(attacker.eye'
    )
    game = game.replace("target.body) >= 50 %", "mini.body, past = terrain) >= 50 %)")
    (tmp_path / "posts.toml").write_text(game, encoding="utf-8")
    rule = rule_called(str(tmp_path / "posts.toml"))
    yar = {**VEX, "name": "Yar", "at": [0, 400], "parts": [{"box": [200, 10, 40]}]}
    document = {"rules": "posts.toml", "fighter": [KAL, VEX, yar], "check": [{"attacker": "Kal", "target": "Vex"}]}
    document["terrain"] = [post("birch", 10, -12), {**post("cedar", 50, 60), "at": [60, 300]}]
    scene = rule.load(tmp_path / "scene.toml", document, Cache(None))
    (found,) = rule.judge([(scene, check) for check in scene.checks], Settings(choose(), 0.2))
    assert found.clauses[0].text == "Kal sees Vex past the birch and the cedar"
    shares = [dict(zip(use.measured.by, use.hidden, strict=True)) for use in found.clauses[0].uses]
    assert max(share["birch"] for share in shares) < max(share.get("cedar", 0.0) for share in shares)


def test_only_a_clause_that_looks_may_name_what_is_in_the_way(tmp_path: Path) -> None:
    game = GAME.replace("seen(attacker.eye, target.body) >= 50 %", "distance(attacker, target) > 1 inch")
    with pytest.raises(FileError, match=r"its text names \{hidden_by\}, which stands for nothing"):
        judged(tmp_path, [], game)


@pytest.mark.thinned(quick=46, ci=68)
@pytest.mark.parametrize(
    ("scene", "number", "told"),
    [
        ("the_old_world/example", 0, "are obscured by the crate and the second crate: Vex and Yar"),
        ("the_old_world/hill_and_woods", 1, "to any of the unit of Vex; in the way: Brute"),
        ("the_old_world/hill_and_woods", 2, "to any of the unit of Vex; in the way: the woods"),
        ("the_old_world/two_ranks", 1, "sees nobody of the unit of Vex; in the way: Ash"),
        ("bolt_action_3/example", 0, "of the unit of Vex, because of the barricade; not: Kal, Ash and Rho"),
        ("infinity_n5/three_millimetres", 0, "no part of 3 x 3 mm (1.2 mm); in the way: the slit"),
        ("legion/example", 0, "of the unit of Vex is obscured by the barricade: Vex and Yar"),
        ("legion/out_of_sight", 0, "to any of the unit of Vex; in the way: the wall"),
    ],
)
def test_the_games_name_what_is_in_the_way(scene: str, number: int, told: str) -> None:
    loaded = load_scene(SCENES / f"{scene}.toml")
    (found,) = rule_called(loaded.rules).judge([(loaded, loaded.checks[number])], Settings(choose(), 0.1))
    assert told in found.reason


def test_what_two_primitives_say_of_one_model_counts_once() -> None:
    """The hedge hides 30 % of Vex, which two of them say, and the wall 40 % of Yar."""
    hedge = [
        Use(name, ErrorBound(0.3, by=("hedge",)), of=("Kal", "Vex"), hidden=(0.3,)) for name in ("seen", "obscured")
    ]
    wall = Use("obscured", ErrorBound(0.4, by=("wall",)), of=("Kal", "Yar"), hidden=(0.4,))
    assert hidden_by([*hedge, wall]) == ("wall", "hedge")


def test_what_is_near_or_not_crossed_hides_nothing() -> None:
    near = [Use("distance", ErrorBound(3.0, by=("rock",))), Use("contact", ErrorBound(1.0, by=("crate",)), True)]
    assert hidden_by([*near, Use("crossed", ErrorBound(0.0, by=("woods",)), False)]) == ()
