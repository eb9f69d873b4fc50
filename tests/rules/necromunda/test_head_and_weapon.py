"""Necromunda: a fighter whose head looks one way and whose weapon points another, and what cover does to the roll (R2).

Kal stands at the origin; his head looks along +y, his weapon along +x, and Vex stands where one of the arcs reaches.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import FileError
from silhouette.files.cache import Cache
from silhouette.renderers.registry import looking_between_pixels
from silhouette.rules import rule_called
from silhouette.rules.necromunda.judge import NecromundaVerdict, arcs_of
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.entries import TableEntry
from silhouette.scenes.places import Move, Trial, moved, with_trials
from tests.support.commands import run
from tests.support.rulings import ruled

PATH = Path("aim.toml")
BODY = [{"cylinder": {"diameter": 25, "height": 3}, "base": True}, {"box": [12, 10, 30], "at": [0, 0, 3]}]
APART = {"head": 90, "weapon": 0}


def scene_of(facing: Any, vex: tuple[float, float] = (200, 0), **more: Any) -> dict[str, Any]:
    people = [("Kal", (0, 0), facing), ("Vex", vex, 270)]
    fighters = [{"name": name, "at": at, "facing": to, "eye": [0, 0, 27], "parts": BODY} for name, at, to in people]
    check = [{"attacker": "Kal", "target": "Vex"}]
    return {"rules": "necromunda", "fighter": fighters, "check": check, **more}


def judged(document: dict[str, Any]) -> NecromundaVerdict:
    scene = NECROMUNDA.load(PATH, document, Cache(None))
    return ruled(NECROMUNDA, scene, scene.checks[0], looking_between_pixels(), 0.2)


@pytest.mark.parametrize(
    ("vex", "aim", "words"),
    [
        ((200, 0), "weapon", "in the vision arc of the weapon, at 0°; by that of the head: hidden"),
        ((0, 200), "head", "in the vision arc of the head, at 90°; by that of the weapon: hidden"),
    ],
)
def test_r2_the_better_of_two_arcs_counts_and_the_reason_says_which(
    vex: tuple[float, float], aim: str, words: str
) -> None:
    verdict = judged(scene_of(APART, vex))
    assert (verdict.verdict, verdict.aim, verdict.row()["aim"]) == ("open", aim, aim)
    assert words in verdict.reason


@pytest.mark.parametrize("vex", [(-200, 0), (0, -200)])
def test_r2_what_lies_in_neither_arc_is_hidden(vex: tuple[float, float]) -> None:
    verdict = judged(scene_of(APART, vex))
    assert (verdict.words, verdict.in_arc) == ("hidden, out of arc", False)
    assert verdict.reason.endswith("hidden; by the vision arcs of head at 90° and weapon at 0° alike")


def test_r2_the_head_turns_the_mesh() -> None:
    scene = NECROMUNDA.load(PATH, scene_of(APART), Cache(None))
    alone = NECROMUNDA.load(PATH, scene_of(90), Cache(None))
    assert (scene.piece("Kal").pose.rotation == alone.piece("Kal").pose.rotation).all()
    assert (scene.piece("Kal").facing, scene.piece("Kal").weapon, alone.piece("Kal").weapon) == (90.0, 0.0, None)
    assert len(arcs_of(scene.piece("Kal")) or ()) == 2
    assert "aim" not in judged(scene_of(90, (0, 200))).row()


def test_r2_one_facing_twice_is_as_one_facing() -> None:
    for vex in ((200, 0), (0, 200), (150, 160)):
        both, one = judged(scene_of({"head": 90, "weapon": 90}, vex)), judged(scene_of(90, vex))
        assert (both.verdict, both.occluded, both.in_arc) == (one.verdict, one.occluded, one.in_arc)


def test_r2_by_the_share_in_the_arc_the_better_arc_is_the_one_that_shows_more() -> None:
    """A wall hides the far half of Vex, which straddles the edge between the arcs, from the head's arc."""
    wall = [{"name": "wall", "at": [80, 95.5], "parts": [{"box": [40, 4, 40]}]}]
    document = scene_of(APART, (150, 150), terrain=wall, readings={"share": "in arc"})
    best = judged(document)
    for aim, facing in APART.items():
        alone = judged({**document, "fighter": [{**document["fighter"][0], "facing": facing}, document["fighter"][1]]})
        order = list(NECROMUNDA.levels)
        assert order.index(best.verdict) <= order.index(alone.verdict), aim


def test_the_weapon_turns_with_the_head() -> None:
    scene = NECROMUNDA.load(PATH, scene_of(APART), Cache(None))
    turned = moved(scene, {"Kal": Move(turn=-30.0)}).piece("Kal")
    assert (turned.facing, turned.weapon) == (60.0, -30.0)
    tried = with_trials(PATH, scene_of(APART), [Trial("Kal", (5.0, 0.0), 60.0)], TableEntry)["fighter"][0]
    assert tried["facing"] == {"head": 60.0, "weapon": -30.0}
    assert with_trials(PATH, scene_of(APART), [Trial("Kal", (5.0, 0.0))], TableEntry)["fighter"][0]["facing"] == APART


def test_nobody_is_certainly_out_of_the_arc_of_a_weapon() -> None:
    scene = NECROMUNDA.load(PATH, scene_of(APART), Cache(None))
    boxes = scene.piece("Vex").body_box[None]
    assert not NECROMUNDA.certainly_out_of_arc(scene, "Kal", boxes)[0]
    assert NECROMUNDA.certainly_out_of_arc(scene, "Kal", boxes - [400.0, 0.0, 0.0])[0]


def test_the_command_line_gives_odds_and_what_would_change_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = tmp_path / "aim.toml"
    scene.write_text(
        'rules = "necromunda"\n[[fighter]]\nname = "Kal"\nat = [0, 0]\nfacing = { head = 90, weapon = 0 }\n'
        'figure = { base = 25, height = 32 }\neye = [0, 0, 27]\n[[fighter]]\nname = "Vex"\nat = [150, -150]\n'
        'facing = 90\nfigure = { base = 25, height = 32 }\n[[check]]\nattacker = "Kal"\ntarget = "Vex"\n',
        encoding="utf-8",
    )
    (row,) = run(capsys, "check", scene, "--odds", "--what-if", "--json", "--no-cache").document["scenes"][0]["results"]
    assert row["aim"] == "weapon"
    assert row["odds"]["open"] > 0.5
    assert [change["what"] for change in row["changes"]][-1] == "turn attacker"
    matrix = run(capsys, "map", scene, "--move", "Vex", "--from", "Kal", "--grid", "100", "--json", "--no-cache")
    assert {cell["verdict"] for cell in matrix.document["cells"]} >= {"open"}


@pytest.mark.parametrize(
    ("table", "facing", "rules", "words"),
    [
        ("fighter", {"head": 90}, "necromunda", "or both such as { head = 90, weapon = 60 }"),
        ("fighter", {"head": 90, "weapon": "unknown"}, "necromunda", "or both such as"),
        ("fighter", {"head": 90, "weapon": 60, "eyes": 3}, "necromunda", "or both such as"),
        ("fighter", {"head": True, "weapon": 60}, "necromunda", "or both such as"),
        ("vehicle", APART, "necromunda", 'a number of degrees anticlockwise from +x, or "unknown"'),
        ("terrain", APART, "necromunda", 'a number of degrees anticlockwise from +x, or "unknown"'),
        ("fighter", APART, "infinity-n5", "this game does not tell them apart; write facing = 90"),
    ],
)
def test_other_facings_are_refused(table: str, facing: Any, rules: str, words: str) -> None:
    piece = {"name": "it", "at": [0, 100], "facing": facing, "parts": BODY}
    document = scene_of(90) | {"rules": rules}
    document[table] = [*document.get(table, []), piece]
    with pytest.raises(FileError) as refused:
        rule_called(rules).load(PATH, document, Cache(None))
    assert words in str(refused.value)


def test_a_weapon_in_radians_is_warned_of() -> None:
    scene = NECROMUNDA.load(PATH, scene_of({"head": 90, "weapon": 1.5708}), Cache(None))
    assert any("facing's weapon = 1.5708 is 90° in radians" in warning for warning in scene.warnings)


@pytest.mark.parametrize(
    ("height", "verdict", "roll"),
    [(2, "open", None), (12, "partial cover", "-1"), (28, "full cover", "-2"), (60, "hidden", None)],
)
def test_cover_says_what_it_does_to_the_roll(height: float, verdict: str, roll: str | None) -> None:
    wall = [{"name": "wall", "at": [0, 180], "parts": [{"box": [60, 4, height]}]}]
    ruling = judged(scene_of(90, (0, 200), terrain=wall))
    assert (ruling.verdict, ruling.row()["roll"]) == (verdict, roll)
