"""Of several looks from one eye, results and figures have that on which the verdict rests, and what it left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from silhouette.drawing.games import drawing_of
from silhouette.judging import load_scene
from silhouette.renderers import choose
from silhouette.rules import rule_of
from silhouette.rules.base import Settings
from silhouette.rules.data.results import DataVerdict
from silhouette.rules.data.scene import DataScene
from tests.support.commands import run

GAME = '''
title = "Looks"
source = "nowhere"
line_of_sight = "seen"

[keys.terrain.thin]
type = "yes or no"
means = "whether it is seen through"

[[clause]]
name = "ahead"
number = "1"
when = "in_arc(attacker, target)"
text = "{target} is ahead"
otherwise = "{target} is not ahead"
source = "p. 1"

[[clause]]
name = "inside"
number = "2"
when = """
not crossed(attacker, target, those(one in terrain where one.thin), by = 'all') or wholly_within(target, terrain)
"""
text = "{target} stands free or inside"
otherwise = "{crossed} is in the way"
source = "p. 1"

[[clause]]
name = "seen"
number = "3"
when = "seen(attacker.eye, target.body, arc = 90 degrees, past = those(one in terrain where not one.thin)) > 0 %"
text = "{seen} is seen"
otherwise = "nothing is seen"
source = "p. 2"

[[clause]]
name = "covered"
number = "4"
when = "obscured(attacker.eye, target.body, arc = 90 degrees, past = terrain) > 50 %"
text = "{obscured} is obscured"
otherwise = "only {obscured} is obscured"
source = "p. 2"

[[verdict]]
name = "behind its back"
level = "blocked"
when = "not ahead"

[[verdict]]
name = "out of sight"
level = "blocked"
when = "not inside or not seen"

[[verdict]]
name = "in cover"
level = "full"
when = "covered"

[[verdict]]
name = "open"
level = "clear"
'''

SCENE = """
title = "Looks"
rules = "looks.toml"

[[fighter]]
name = "Kal"
figure = { base = 32, height = 30 }
at = [0, 0]
facing = 90

[[fighter]]
name = "Vex"
figure = { base = 32, height = 30 }
at = [0, 200]
facing = 90

[[terrain]]
name = "hedge"
parts = [{ box = [WIDE, 4, 60] }]
at = [0, 170]
thin = true

[[check]]
attacker = "Kal"
target = "Vex"

[[check]]
attacker = "Vex"
target = "Kal"
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A scene in which a thin hedge, past which lines lead from base to base, hides a body whole."""
    return written(tmp_path, wide=28)


YAR = """
[[fighter]]
name = "Yar"
figure = { base = 32, height = 30 }
at = [90, 120]
facing = 90

[[check]]
attacker = "Kal"
target = "Yar"
"""


def written(folder: Path, wide: int) -> Path:
    (folder / "looks.toml").write_text(GAME, encoding="utf-8")
    path = folder / "scene.toml"
    path.write_text(SCENE.replace("WIDE", str(wide)), encoding="utf-8")
    return path


def verdicts(path: Path) -> tuple[DataScene, list[DataVerdict]]:
    scene = load_scene(path)
    assert isinstance(scene, DataScene)
    rule = rule_of(path, {"rules": scene.written})
    return scene, list(rule.judge([(scene, check) for check in scene.checks], Settings(choose(), 0.2, keep=True)))  # type: ignore[arg-type]


def test_the_share_that_is_told_is_that_on_which_the_verdict_rests(place: Path) -> None:
    _, (found, _) = verdicts(place)
    assert found.verdict == "in cover"
    row = found.row()
    assert row["occluded"] == 1.0
    assert row["blockers"] == [{"name": "hedge", "occluded": 1.0, "alone": 1.0}]
    assert found.evidence.sight.disregarded == ()


def test_what_a_look_leaves_out_is_disregarded_in_figures(place: Path) -> None:
    _, (_, found) = verdicts(place)
    assert found.verdict == "behind its back"
    assert [piece.name for piece in found.evidence.sight.disregarded] == ["hedge"]


def test_an_arc_is_shown_by_the_plan_of_the_look(place: Path) -> None:
    scene, (_, found) = verdicts(place)
    figures = drawing_of(scene.rules).figures(scene, scene.checks[1], found, choose())
    assert [figure.name for figure in figures] == ["eye", "plan", "side"]


@pytest.mark.parametrize("degrees", ["0", "-90"])
def test_nothing_is_in_an_arc_of_no_degrees(place: Path, degrees: str) -> None:
    game = GAME.replace("arc = 90 degrees", f"arc = {degrees} degrees")
    (place.parent / "looks.toml").write_text(game, encoding="utf-8")
    _, (found, _) = verdicts(place)
    assert found.verdict == "out of sight"
    (place.parent / "looks.toml").write_text(
        GAME.replace("target)", f"target, {degrees} degrees)", 1), encoding="utf-8"
    )
    _, (found, _) = verdicts(place)
    assert found.verdict == "behind its back"


def test_only_lines_from_base_to_base_are_drawn_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, wide=40)
    _, (found, _) = verdicts(path)
    assert found.verdict == "out of sight"
    assert {use.name for clause in found.clauses if clause.decides for use in clause.uses} == {
        "crossed",
        "wholly_within",
    }
    run(capsys, "draw", path, "--check", "1", "--out", tmp_path / "figures")
    drawn = "".join(file.read_text(encoding="utf-8") for file in sorted((tmp_path / "figures").glob("*-plan.svg")))
    assert 'id="crossed-1"' in drawn
    assert "wholly_within" not in drawn.partition("</metadata>")[2]


@pytest.mark.slow
def test_a_check_that_was_measured_is_told_beside_one_that_was_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, wide=40)
    path.write_text(path.read_text(encoding="utf-8") + YAR, encoding="utf-8")
    game = GAME.replace('line_of_sight = "seen"', 'line_of_sight = "inside"')
    (tmp_path / "looks.toml").write_text(game, encoding="utf-8")
    told = run(capsys, "check", path)
    assert told.status == 0
    assert "hedge" in told.out
    assert run(capsys, "report", path, "--out", tmp_path / "page.html").status == 0
