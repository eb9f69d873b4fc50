"""JUDGE: what would change a verdict in other games, on the command line, and where one sees another but not back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from silhouette.cli.schema import schema_of
from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.judging.counterfactuals import changes_of, one_way_of_each
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.scenes.places import Move
from silhouette.scenes.scene import Check, Scene
from tests.support.changes_by_brute_force import least_move
from tests.support.commands import run
from tests.support.duels import skirmish
from tests.support.least_moves import nearest_place

SETTINGS = Settings(choose(), 0.3)
SCENES = Path(__file__).resolve().parents[2] / "scenes"
PROMISED = 0.2


def scene_of(document: dict[str, Any]) -> Scene:
    scene: Scene = rule_called(document["rules"]).load(Path("scene.toml"), document, Cache(None))
    return scene


def plan(away: float, gap: float, **keys: Any) -> dict[str, Any]:
    """A crate stands ``gap`` before Bo, between him and Al, whose base is ``away`` from his."""
    return {
        "rules": "crisis-protocol",
        "ranges": {"1": 60, "2": 120},
        "character": [
            {"name": "Al", "size": 2, "at": [0, 0], "base": 40},
            {"name": "Bo", "size": 2, "at": [away + 40, 0], "base": 40},
        ],
        "terrain": [
            {"name": "crate", "size": 2, "polygon": [[x, y] for x, y in box(away + 20 - gap - 10, away + 20 - gap)]}
        ],
        **keys,
    }


def box(left: float, right: float) -> list[tuple[float, float]]:
    return [(left, -200), (right, -200), (right, 200), (left, 200)]


def words(document: dict[str, Any], attacker: str, target: str) -> list[dict[str, Any]]:
    scene = scene_of(document)
    check = Check(attacker, target)
    (verdict,) = rule_called(scene.rules).judge([(scene, check)], SETTINGS)
    found = changes_of(scene, check, verdict, SETTINGS)
    assert found is not None
    return found.rows()


@pytest.mark.long
def test_ranges_are_left_by_moves_that_are_known() -> None:
    target, attacker, *rest = sorted(words(plan(150.0, 57.0), "Al", "Bo"), key=lambda row: row["what"], reverse=True)[
        1:
    ]
    rows = {row["what"]: row for row in (target, attacker, *rest)}
    assert rows["move target"]["mm"] == pytest.approx(3.0, abs=PROMISED)  # the crate is then beyond range 1
    assert rows["move target"]["direction"] == pytest.approx(0.0, abs=25.0) or rows["move target"]["direction"] > 335.0
    assert rows["move target"]["verdict"] == "open"
    rows = {row["what"]: row for row in words(plan(124.0, 30.0), "Al", "Bo")}
    assert rows["move attacker"]["mm"] == pytest.approx(4.0, abs=PROMISED)  # Al is then within range 2
    assert rows["without"] == {"what": "without", "piece": "crate", "verdict": "open"}
    assert "turn attacker" not in rows


def test_moves_are_millimetres_whatever_the_units_are_and_terrain_and_objects_stay() -> None:
    scene = scene_of(plan(5.0, 1.0, units="inch"))
    rule = rule_called(scene.rules)
    moved = rule.moved(scene, {"Bo": Move(by=(25.4, 50.8, 9.0))})
    assert moved.character("Bo").base.centre == pytest.approx((46.0, 2.0))
    assert moved.terrain is scene.terrain
    assert scene.character("Bo").base.centre == (45.0, 0.0)
    with pytest.raises(RequestError, match="mm"):
        rule.movers(scene_of(plan(5.0, 1.0, units="squares")), Check("Al", "Bo"))
    with pytest.raises(RequestError, match="no character"):
        rule.moved(scene, {"crate": Move(by=(1.0, 0.0, 0.0))})


def test_who_stands_on_terrain_that_is_taken_away_stays_as_high() -> None:
    document = plan(150.0, 57.0)
    document["terrain"].append({"name": "roof", "size": 3, "polygon": [[165, -30], [215, -30], [215, 30], [165, 30]]})
    document["character"][1]["on"] = "roof"
    scene = scene_of(document)
    rule = rule_called(scene.rules)
    (before,) = rule.judge([(scene, Check("Al", "Bo"))], SETTINGS)
    (after,) = rule.judge([(rule.without(scene, "roof"), Check("Al", "Bo"))], SETTINGS)
    assert before.row()["target_size"] == after.row()["target_size"] == 5


@pytest.mark.long
def test_a_unit_behind_cover_against_brute_force() -> None:
    scene = scene_of(skirmish([0.0, 0.0], [-5.0, 225.0], [34.0, 220.0], 34.0))
    rule, check = rule_called(scene.rules), Check("Kal", "Vex")
    (verdict,) = rule.judge([(scene, check)], SETTINGS)
    found = nearest_place(scene, check, verdict.verdict, "Vex", SETTINGS, 4.0)
    assert found is not None
    assert found.verdict == "open"
    assert least_move(scene, check, verdict.verdict, "Vex", found.distance - PROMISED, SETTINGS, 0.4) is None
    assert {piece.name for piece in rule.without(scene, "rock").pieces} == {"Kal", "Vex", "wall"}


def one_way(document: dict[str, Any]) -> list[str]:
    scene = scene_of(document)
    rule = rule_called(scene.rules)
    checks = rule.everyone(scene)
    return [
        why
        for why in one_way_of_each(scene, checks, rule.judge([(scene, check) for check in checks], SETTINGS), SETTINGS)
        if why
    ]


def fighters(first: dict[str, Any], second: dict[str, Any], wall: list[float], at: list[float]) -> dict[str, Any]:
    body = {"parts": [{"box": [12, 12, 30]}], "eye": [0, 6, 25]}
    kal = {"name": "Kal", "at": [0, 0], "facing": 90, **body, **first}
    vex = {"name": "Vex", "at": [0, 200], "facing": 270, **body, **second}
    return {
        "rules": "necromunda",
        "fighter": [kal, vex],
        "terrain": [{"name": "wall", "at": at, "parts": [{"box": wall}]}],
    }


def test_one_way_by_arc_eye_or_body_and_never_where_both_see() -> None:
    (arc,) = one_way(fighters({}, {"facing": 90}, [5, 5, 5], [90, 100]))
    assert arc.startswith("Kal sees Vex, but not the other way round: Vex lies in Kal's vision arc")
    assert "180° off" in arc
    (eye,) = one_way(fighters({"eye": [0, 6, 80], "parts": [{"box": [12, 12, 20]}]}, {}, [90, 5, 40], [0, 100]))
    assert "Kal's eye is 80 mm up, Vex's only 25 mm, past the wall of 40 mm" in eye
    (body,) = one_way(
        fighters({"parts": [{"box": [12, 12, 20]}]}, {"parts": [{"box": [12, 12, 60]}]}, [90, 5, 30], [0, 100])
    )
    assert "Vex reaches 60 mm up, Kal only 20 mm, past the wall of 30 mm" in body
    assert one_way(fighters({}, {}, [5, 5, 5], [90, 100])) == []


def test_one_way_says_nothing_of_an_arc_that_nobody_knows_and_nothing_where_one_arc_alone_was_asked() -> None:
    unknown = fighters({"facing": "unknown"}, {"facing": 90}, [5, 5, 5], [90, 100])
    assert one_way(unknown) == [
        "Kal sees Vex, but not the other way round: Kal lies in none of Vex's vision arcs, 180° off where that faces"
    ]
    scene = scene_of(unknown)
    rule, checks = rule_called(scene.rules), [Check("Kal", "Vex"), Check("Vex", "Kal", "front")]
    assert one_way_of_each(scene, checks, rule.judge([(scene, check) for check in checks], SETTINGS), SETTINGS) == [
        None,
        None,
    ]


def test_one_way_between_units_by_the_height_of_an_eye() -> None:
    document = skirmish([0.0, 0.0, 60.0], [0.0, 230.0], [0.0, 110.0], 0.0)
    document["cover"] = [{"name": "wall", "at": [0, 110, 0], "size": [160, 8], "height": 7}]
    document["unit"][0]["parts"] = [{"cylinder": {"diameter": 16, "height": 20}}]
    document["unit"][0]["eye"] = [0.0, 0.0, 90.0]
    (eye,) = one_way(document)
    assert eye.startswith("Kal sees Vex, but not the other way round: Kal's eye is 150 mm up, Vex's only 35 mm")


def test_one_way_by_size_and_by_the_terrain_that_one_stands_on() -> None:
    document = plan(150.0, 57.0)
    document["character"][1]["size"] = 4
    document["terrain"][0]["size"] = 3
    (size,) = one_way(document)
    assert size.startswith("Al sees Bo, but not the other way round: the crate (size 3) is larger than Al")


@pytest.mark.long
def test_the_command_says_it_in_words_and_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(plan(122.0, 59.0)), encoding="utf-8")
    pair = ("--from", "Al", "--to", "Bo")
    told = run(capsys, "check", file, *pair, "--what-if").out
    assert "Bo 1.0 mm farther away: open; Al 2.0 mm forward: open; without the crate: open" in told
    ran = run(capsys, "check", file, *pair, "--what-if", "--json")
    (scene,) = ran.document["scenes"]
    (row,) = scene["results"]
    assert [change["what"] for change in row["changes"]][-1] == "without"
    jsonschema.validate(ran.document, schema_of("results"))
    assert "changes" not in run(capsys, "check", file, *pair, "--json").document["scenes"][0]["results"][0]
    assert "Al to Bo: Bo 1.0 mm farther away: open" in run(capsys, "matrix", file, "--what-if").out
    out = tmp_path / "rows.jsonl"
    assert run(capsys, "batch", file, "--everyone", "--what-if", "--out", out, "--workers", "1").status == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert rows[0]["changes"] == row["changes"]


@pytest.mark.parametrize(
    "scene", ["ikosa/face_to_face.toml", "tide_of_iron/smoke_and_building.toml", "skirmishcorps/penalties.toml"]
)
def test_it_is_refused_in_one_line_where_no_move_makes_sense(scene: str, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "check", SCENES / scene, "--what-if")
    assert ran.status == 2
    assert len(ran.err.strip().splitlines()) == 1
    assert "--what-if" in ran.err
