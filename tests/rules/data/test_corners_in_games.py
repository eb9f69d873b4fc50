"""Corner points, squares and `each` in the conditions of a game, on a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.files.documents import toml
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.rules.data.results import DataVerdict

GAME = """
title = "Corners"
source = "none"
line_of_sight = "clear"

[keys.model.space]
type = "number"
default = 1
means = "how many squares it is wide"

[readings.touching]
type = "text"
default = "clear"
choices = ["clear", "blocked"]
means = "what a line is that touches"

[[clause]]
name = "clear"
number = "1"
when = \"\"\"
clear_lines(corners(attacker, attacker.space * square), corners(target, target.space * square, square),
    parts(terrain) + each(one in models: parts(one, square = one.space * square)), touching = touching) >= 4
\"\"\"
text = "{clear_lines} lines are clear"
otherwise = "{clear_lines} lines are clear; in the way: {hidden_by}"
source = "none"

[[verdict]]
name = "hidden"
level = "blocked"
when = "not clear"

[[verdict]]
name = "open"
level = "clear"
"""


def judged(folder: Path, *others: dict[str, Any], space: int = 1, **keys: Any) -> DataVerdict:
    (folder / "corners.toml").write_text(GAME, encoding="utf-8")
    figure = {"figure": {"base": 20, "height": 30}, "facing": 0}
    models = [
        {"name": "Kal", "at": [0.5, 0.5], **figure},
        {"name": "Vex", "at": [space / 2, 8 + space / 2], "space": space, **figure},
        *({**figure, **other} for other in others if "parts" not in other),
    ]
    terrain = [other for other in others if "parts" in other]
    document = {"rules": "corners.toml", "units": "square", "fighter": models, "terrain": terrain, **keys}
    document["check"] = [{"attacker": "Kal", "target": "Vex"}]
    rule = rule_called(str(folder / "corners.toml"))
    scene = rule.load(folder / "scene.toml", document, Cache(None))
    (verdict,) = rule.judge([(scene, check) for check in scene.checks], Settings(choose(), 0.1))
    assert toml(verdict.verdict)
    return verdict


def wall(left: float, right: float, at: float = 4.0, square: float = 25.4) -> dict[str, Any]:
    size = [(right - left) * square, 2.0, 30.0]
    return {"name": "wall", "at": [(left + right) / 2, at], "parts": [{"box": size}]}


def test_an_empty_table_has_four_clear_lines(tmp_path: Path) -> None:
    verdict = judged(tmp_path)
    assert (verdict.verdict, verdict.could_be, verdict.reason) == (
        "open",
        ("open",),
        "open: 4 lines are clear (clause 1)",
    )
    assert verdict.clauses[0].values == {"clear_lines": 4.0}


@pytest.mark.parametrize(
    ("right", "clear"), [(-0.1, 4), (0.55, 4), (0.6, 3), (0.7, 2), (1.1, 0)]
)  # from (1, 0) or (1, 1) to the four corners of the square from (0, 8) to (1, 9)
def test_a_wall_blocks_some_lines_and_is_named(tmp_path: Path, right: float, clear: int) -> None:
    verdict = judged(tmp_path, wall(-3.0, right))
    assert verdict.clauses[0].values == {"clear_lines": float(clear)}
    assert verdict.verdict == ("open" if clear == 4 else "hidden")
    if clear < 4:
        assert verdict.reason == f"hidden: {clear} lines are clear; in the way: the wall (clause 1)"
        assert [blocker.name for blocker in verdict.blockers] == ["wall"]


def test_a_square_is_as_long_as_the_scene_says(tmp_path: Path) -> None:
    for square in (25.4, 30.0, 100.0):
        verdict = judged(tmp_path, wall(-3.0, 0.7, square=square), square=square)
        assert verdict.clauses[0].values == {"clear_lines": 2.0}


def test_each_model_fills_the_squares_that_it_says(tmp_path: Path) -> None:
    beside = {"name": "Yar", "at": [2.0, 4.5]}
    assert judged(tmp_path, beside).verdict == "open"
    assert judged(tmp_path, {**beside, "space": 2}).verdict == "open"  # to x = 1, and from the left corner
    assert judged(tmp_path, {**beside, "space": 4}).verdict == "hidden"
    assert judged(tmp_path, {**beside, "at": [0.5, 4.5]}).verdict == "hidden"


def test_of_a_large_target_one_clear_square_is_enough(tmp_path: Path) -> None:
    assert judged(tmp_path, wall(-3.0, 1.1)).verdict == "hidden"
    assert judged(tmp_path, wall(-3.0, 1.1), space=3).verdict == "open"


def test_the_answer_says_when_the_other_reading_would_change_it(tmp_path: Path) -> None:
    sides = (wall(-3.0, -0.1), {**wall(1.1, 4.0), "name": "other wall"})
    verdict = judged(tmp_path, *sides)
    assert verdict.verdict == "open"
    assert verdict.other_readings == ()
    edge = judged(tmp_path, wall(-3.0, 0.0, at=8.5), {**wall(1.0, 4.0, at=8.5), "name": "other wall"})
    assert [(other["reading"], other["verdict"]) for other in edge.other_readings] == [("touching = blocked", "hidden")]
