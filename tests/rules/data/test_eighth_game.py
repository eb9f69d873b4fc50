"""An eighth game, written from the page on games by data alone: Eldfall Chronicles, cover (v1.6, page 56).

The game file and its verdicts come from someone who had read that page and the rule, and nothing else of the project.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.scenes.scene import Check

GAME = Path(__file__).parent / "games" / "eldfall.toml"

FIGURE = {"base": 32, "height": 38}

# A wall beside the way, near the target at y = 300: its box, where it stands; the target's size; the verdict.
WALLS: dict[str, tuple[list[float], list[float], str, str]] = {
    "taller and wider": ([60, 10, 50], [25, 259], "Medium", "heavy cover"),
    "on the far side": ([60, 10, 50], [0, 331], "Medium", "no cover"),
    "lower than the target": ([60, 10, 37], [25, 259], "Medium", "light cover"),
    "as high as the target": ([60, 10, 38], [25, 259], "Medium", "light cover"),
    "higher than the target": ([60, 10, 39], [25, 259], "Medium", "heavy cover"),
    "narrower than the target": ([31, 31, 50], [20, 256.5], "Medium", "light cover"),
    "wider than the target": ([33, 33, 50], [20, 255.5], "Medium", "heavy cover"),
    "high and wide, hides all": ([200, 10, 80], [0, 259], "Medium", "no line of sight"),
    "hides the small hitbox of a tall figure": ([200, 10, 45], [0, 278], "Small", "no line of sight"),
    "shows the large hitbox of a low figure": ([200, 10, 45], [0, 278], "Large", "light cover"),
    "less than an inch away": ([60, 10, 50], [25, 254], "Medium", "heavy cover"),
    "an inch away": ([60, 10, 50], [25, 253.6], "Medium", "heavy cover"),
    "more than an inch away": ([60, 10, 50], [25, 253], "Medium", "no cover"),
    "lower than a large target": ([60, 10, 50], [25, 259], "Large", "light cover"),
    "higher than a large target": ([60, 10, 61], [25, 259], "Large", "heavy cover"),
    "lower than a small target": ([60, 10, 24], [25, 259], "Small", "light cover"),
    "higher than a small target": ([60, 10, 26], [25, 259], "Small", "heavy cover"),
    "lower than the base": ([60, 20, 2.5], [0, 269], "Medium", "no cover"),
    "higher than the base": ([60, 20, 4], [0, 269], "Medium", "light cover"),
}


def ruled(size: str = "Medium", on: dict[str, Any] | None = None, **more: Any) -> str:
    document = {
        "rules": str(GAME),
        "fighter": [
            {"name": "Kal", "figure": FIGURE, "at": [0, 0], "facing": 90},
            {"name": "Vex", "figure": FIGURE, "at": [0, 300], "facing": 270, "size": size, **(on or {})},
        ],
        **more,
    }
    if size == "Small":
        document["fighter"][1]["figure"] = {"base": 32, "height": 60}
    rule = rule_called(str(GAME))
    scene = rule.load(Path("table.toml"), document, Cache.default())
    (verdict,) = rule.judge([(scene, Check("Kal", "Vex"))], Settings(choose(), 0.1))
    assert verdict.row()["could_be"] == [verdict.verdict]
    return verdict.verdict


def wall(name: str, box: list[float], at: list[float], **more: Any) -> dict[str, Any]:
    return {"name": name, "parts": [{"box": box}], "at": at, **more}


def test_it_has_at_most_sixty_lines() -> None:
    assert len(GAME.read_text(encoding="utf-8").splitlines()) <= 60


@pytest.mark.parametrize("case", WALLS)
def test_a_wall_gives_the_cover_that_the_rule_says(case: str) -> None:
    box, at, size, verdict = WALLS[case]
    assert ruled(size, terrain=[wall("wall", box, at)]) == verdict


def test_without_a_wall_there_is_none() -> None:
    assert ruled() == "no cover"


def test_a_piece_that_is_far_makes_no_other_heavy() -> None:
    low, far = wall("low", [60, 10, 20], [0, 269]), wall("far wall", [60, 10, 80], [25, 179])
    assert ruled(terrain=[low, far]) == "light cover"


def test_on_a_hill_only_the_wall_up_there_counts() -> None:
    hill = wall("hill", [100, 100, 50], [0, 300])
    low = wall("wall", [60, 8, 15], [0, 270], on="hill")
    assert ruled(on={"on": "hill"}, terrain=[hill, low]) == "light cover"
