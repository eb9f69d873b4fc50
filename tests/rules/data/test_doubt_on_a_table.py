"""Doubt about what was measured on a table, and about the pieces that count with it, reaches the verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from silhouette.judging import load_scene
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings

GAME = """
title = "Doubt"
source = "nowhere"
line_of_sight = "one"

[[clause]]
name = "one"
number = "1"
when = "ONE"
text = "yes"
otherwise = "no"
source = "p. 1"

[[clause]]
name = "other"
number = "2"
when = "OTHER"
text = "yes"
otherwise = "no"
source = "p. 2"

[[verdict]]
name = "one"
level = "full"
when = "one"

[[verdict]]
name = "other"
level = "partial"
when = "other"

[[verdict]]
name = "else"
level = "clear"
"""

SCENE = """
rules = "game.toml"
tolerance = 0.3

[[fighter]]
name = "Kal"
figure = { base = 32, height = 30 }
at = [0, 0]
facing = 90

[[fighter]]
name = "Vex"
figure = { base = 32, height = 30 }
at = [0, 200]
facing = 270

[[terrain]]
name = "fence"
parts = [{ box = [60, 4, 26] }]
at = [0, 180]

[[check]]
attacker = "Kal"
target = "Vex"
"""

FENCES = "those(piece in terrain where obscured(attacker.eye, target.body, past = piece) > 70 %)"
"""Of the fence in the scene it is in doubt whether it is one of these."""

NEVER = "distance(attacker, target) < 1 inch"


@pytest.mark.thinned(quick=59, ci=75)
@pytest.mark.parametrize(
    ("one", "other", "possible"),
    [
        # A thin line from an eye to a body is there where something is seen, and nothing else.
        ("line(attacker.eye, target.body)", "not seen(attacker.eye, target.body) > 0", ["one", "other"]),
        # It is in doubt whether the fence counts, and with it what is seen past what counts.
        (f"patch(attacker.eye, target.body, past = {FENCES}) < 10 mm", NEVER, ["one", "else"]),
        (f"visible(attacker.eye, target.body, past = {FENCES}) < 95 %", NEVER, ["one", "else"]),
        (f"line(attacker.head, target.body, thick = 12 mm, past = {FENCES})", NEVER, ["one", "else"]),
        (f"crossed(attacker, target, parts({FENCES}, within = 1 inch))", NEVER, ["one", "else"]),
        (f"distance(target, {FENCES}) < 1 inch", NEVER, ["one", "else"]),
    ],
)
def test_doubt_on_a_table_reaches_the_verdict(one: str, other: str, possible: list[str], tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME.replace("ONE", one).replace("OTHER", other), encoding="utf-8")
    (tmp_path / "duel.toml").write_text(SCENE, encoding="utf-8")
    scene = load_scene(tmp_path / "duel.toml")
    (verdict,) = rule_called(scene.rules).judge([(scene, check) for check in scene.checks], Settings(choose(), 0.1))
    row = verdict.row()
    assert (row["could_be"], row["marginal"]) == (possible, True)
