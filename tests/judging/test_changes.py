"""JUDGE: what would change a verdict: known moves and turns, brute force, and what has no change at all."""

from __future__ import annotations

from dataclasses import replace
from math import degrees
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.judging.counterfactuals import MOVE_FIELD, Change, Changes, changes_of
from silhouette.judging.nearest import Field, Nearest
from silhouette.judging.run import Run
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.scenes.places import Move
from silhouette.scenes.scene import Check, Scene
from tests.support.changes_by_brute_force import judged_after, least_move
from tests.support.duels import duel, loaded
from tests.support.least_moves import nearest_place, nearest_turn

PROMISED = 0.2
SETTINGS = Settings(choose(), 0.3)
THIN = [{"box": [12.0, 0.02, 30.0]}]
KAL_TO_VEX = Check("Kal", "Vex")


def behind_a_wall(x: float, **keys: Any) -> dict[str, Any]:
    """Kal looks along y, past a high wall that ends at x = 0, at Vex, 12 mm wide, twice as far away, at x."""
    return {
        "rules": "necromunda",
        "fighter": [
            {"name": "Kal", "at": [0, 0], "facing": 90, "parts": [{"box": [8, 8, 30]}], "eye": [0, 0, 15], **keys},
            {"name": "Vex", "at": [x, 200], "facing": 270, "parts": THIN},
        ],
        "terrain": [{"name": "wall", "at": [-150, 100], "parts": [{"box": [300, 0.02, 90]}]}],
    }


def scene_of(document: dict[str, Any]) -> Scene:
    scene: Scene = rule_called(document["rules"]).load(Path("scene.toml"), document, Cache(None))
    return scene


def changes(document: dict[str, Any], check: Check = KAL_TO_VEX) -> Changes:
    scene = scene_of(document)
    (verdict,) = rule_called(scene.rules).judge([(scene, check)], SETTINGS)
    found = changes_of(scene, check, verdict, SETTINGS)
    assert found is not None
    return found


def turned(document: dict[str, Any], check: Check) -> Nearest:
    """The least turn of the attacker of a check."""
    scene = scene_of(document)
    (verdict,) = rule_called(scene.rules).judge([(scene, check)], SETTINGS)
    found = nearest_turn(scene, check, verdict.verdict, SETTINGS)
    assert found is not None
    return found


def one(found: Changes, what: str) -> Change:
    (change,) = (change for change in found.changes if change.what == what)
    return change


@pytest.mark.long
def test_the_move_that_brings_half_of_a_box_behind_a_wall_is_known() -> None:
    found = changes(behind_a_wall(2.0))
    target, attacker = one(found, "move target"), one(found, "move attacker")
    assert target.amount == pytest.approx(2.0, abs=PROMISED)
    assert target.direction == pytest.approx(180.0, abs=degrees(np.sqrt(2.0 * PROMISED / 2.0)))
    # The line from Vex's middle past the wall's end passes Kal's eye at a distance of 2 cos(atan(0.02)).
    assert attacker.amount == pytest.approx(2.0, abs=PROMISED)
    assert target.verdict == attacker.verdict == "full cover"
    assert [change.what for change in found.changes] == [
        *(["move target", "move attacker"] if target.amount <= attacker.amount else ["move attacker", "move target"]),
        "turn attacker",
        "without",
    ]
    assert found.rows()[-1] == {"what": "without", "piece": "wall", "verdict": "open"}
    assert set(found.rows()[0]) == {"what", "mm", "direction", "verdict"}
    assert "to the left, as Kal sees it: full cover" in found.words


@pytest.mark.long
def test_fifty_millimetres_are_the_longest_move() -> None:
    near = nearest_place(scene_of(behind_a_wall(55.8)), KAL_TO_VEX, "open", "Vex", SETTINGS)
    assert near is not None
    assert near.distance == pytest.approx(49.8, abs=PROMISED)
    assert near.verdict == "partial cover"
    assert nearest_place(scene_of(behind_a_wall(9.3)), KAL_TO_VEX, "open", "Vex", SETTINGS, 3.0) is None


def test_the_turn_that_takes_the_target_out_of_the_arc_is_known() -> None:
    document = behind_a_wall(60.0)
    corners = [degrees(np.arctan2(200.0 + dy, 60.0 + dx)) for dx in (-6.0, 6.0) for dy in (-0.01, 0.01)]
    turn = turned(document, KAL_TO_VEX)
    # The arc reaches from 45 degrees to the right of where Kal looks, 90, to 45 to the left.
    assert turn.point[0] == pytest.approx(max(corners) - 45.0, abs=PROMISED)
    assert turn.verdict == "hidden"


@pytest.mark.long
def test_a_vehicle_s_arc_counts_in_a_turn() -> None:
    document = behind_a_wall(0.0)
    del document["terrain"]
    document["vehicle"] = [
        {"name": "Rig", "at": [0, 0], "facing": 90, "parts": [{"box": [40, 80, 30]}], "eye": [0, 0, 40]}
    ]
    document["fighter"] = document["fighter"][1:]
    turn = turned(document, Check("Rig", "Vex"))
    # The front arc ends at the corners, atan(20 / 40) off; Vex is seen until all of it is beyond.
    assert turn.distance == pytest.approx(degrees(np.arctan2(20, 40)) + degrees(np.arctan2(6, 200)), abs=PROMISED)
    blind = changes(document, Check("Rig", "Vex", "rear"))
    assert blind.changes == ()
    assert blind.words == "no move of Vex or Rig up to 50 mm"


@pytest.mark.long
def test_nobody_turns_whose_facing_is_unknown_and_nothing_in_the_way_leaves_nothing_to_change() -> None:
    document = behind_a_wall(2.0, facing="unknown")
    assert {change.what for change in changes(document).changes} == {"move target", "move attacker", "without"}
    del document["terrain"]
    assert nearest_place(scene_of(document), KAL_TO_VEX, "open", "Vex", SETTINGS, 9.0) is None


@pytest.mark.long
def test_a_target_where_the_attacker_stands_and_one_that_moves_into_a_wall() -> None:
    document = behind_a_wall(0.0, facing="unknown")
    document["fighter"][1]["at"] = [0, 0]
    scene = scene_of(document)
    (verdict,) = rule_called(scene.rules).judge([(scene, KAL_TO_VEX)], SETTINGS)
    assert nearest_place(scene, KAL_TO_VEX, verdict.verdict, "Vex", SETTINGS, 0.5) is None
    document["fighter"][1]["at"] = [-20, 97]
    into = nearest_place(scene_of(document), KAL_TO_VEX, "open", "Vex", SETTINGS, 5.0)
    assert into is not None
    assert into.distance == pytest.approx(3.0, abs=PROMISED)


CASES = [
    (61.0, [26.0, 159.0], [28.0, 86.0], 86.0),
    (77.0, [15.0, 163.0], [-7.0, 122.0], 61.0),
    (94.0, [18.0, 179.0], [-15.0, 122.0], 45.0),
    (114.0, [-2.0, 176.0], [33.0, 122.0], 11.0),
    (70.0, [-26.0, 166.0], [-32.0, 90.0], 74.0),
    (118.0, [26.0, 168.0], [-14.0, 87.0], 37.0),
    (91.0, [-1.0, 162.0], [-36.0, 122.0], 20.0),
    (113.0, [-7.0, 168.0], [-23.0, 80.0], 66.0),
    (115.0, [6.0, 161.0], [-19.0, 103.0], 55.0),
    (70.0, [-16.0, 182.0], [-39.0, 103.0], 30.0),
]


@pytest.mark.thinned(quick=0, ci=8)
@pytest.mark.parametrize("case", CASES)
def test_no_shorter_move_changes_the_verdict(case: Any) -> None:
    facing, target, wall, turn = case
    against_brute_force(loaded(duel([0.0, 0.0], facing, target, wall, turn)), "Vex")


def against_brute_force(scene: Scene, name: str) -> float:
    """How far the least move of a piece is; it is compared with all that are shorter, and judged at its end."""
    (verdict,) = rule_called(scene.rules).judge([(scene, KAL_TO_VEX)], SETTINGS)
    found = nearest_place(scene, KAL_TO_VEX, verdict.verdict, name, SETTINGS, 5.0)
    assert found is not None
    x, y = found.point.tolist()
    (there,) = judged_after(scene, KAL_TO_VEX, [{name: Move(by=(x, y, 0.0))}], SETTINGS)
    assert there.verdict == found.verdict != verdict.verdict
    shorter = found.distance - PROMISED
    assert least_move(scene, KAL_TO_VEX, verdict.verdict, name, shorter, SETTINGS, 0.3) is None
    return found.distance


@pytest.mark.long
def test_what_would_change_is_the_same_for_any_number_of_processes_and_tells_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = loaded(duel([0.0, 0.0], 94.0, [18.0, 179.0], [-15.0, 122.0], 45.0))
    (verdict,) = rule_called(scene.rules).judge([(scene, KAL_TO_VEX)], SETTINGS)
    monkeypatch.setattr("silhouette.judging.counterfactuals.MOVE_FIELD", replace(MOVE_FIELD, reach=10.0))
    alone, together = list[float](), list[float]()
    first = changes_of(scene, KAL_TO_VEX, verdict, SETTINGS, Run(1, alone.append))
    assert first == changes_of(scene, KAL_TO_VEX, verdict, SETTINGS, Run(2, together.append))
    assert first is not None
    assert together == [0.25, 0.5, 0.75]  # a process for each search, which tell nothing themselves
    assert alone == sorted(alone)
    assert {*together} < {*alone}


@pytest.mark.long
def test_no_shorter_move_of_either_changes_the_verdict_on_random_tables() -> None:
    chance, compared = np.random.default_rng(3), 0
    while compared < 2:
        target, wall = [float(chance.uniform(-30, 30)), float(chance.uniform(150, 260))], chance.uniform(-40, 40)
        facing, turn, away = chance.uniform(60, 120), chance.uniform(0, 90), chance.uniform(60, 130)
        scene = loaded(duel([0.0, 0.0], float(facing), target, [float(wall), float(away)], float(turn)))
        (verdict,) = rule_called(scene.rules).judge([(scene, KAL_TO_VEX)], SETTINGS)
        for name in ("Kal", "Vex"):
            if nearest_place(scene, KAL_TO_VEX, verdict.verdict, name, SETTINGS, 5.0) is not None:
                against_brute_force(scene, name)
                compared += 1


def test_a_search_that_takes_too_long_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places of a target of a nanometre take 40 ms each, as it is sampled face by face: several minutes in all."""
    monkeypatch.setattr("silhouette.judging.counterfactuals.SEARCH_SECONDS", 0.0)
    says = (
        "scene.toml: Kal to Vex: the least move of 'Vex' that would change the verdict takes more than 0 s of CPU time;"
    )
    with pytest.raises(RequestError, match=f"^{says} leave out --what-if"):
        changes(behind_a_wall(2.0))


def test_a_move_is_told_from_where_the_attacker_looks_and_its_direction_is_below_a_whole_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nearest(now: str, look: Any, searched: Field, step: Any) -> Nearest | None:
        return None if searched.is_line else Nearest(np.array(point), 4.0, "hidden")

    monkeypatch.setattr("silhouette.judging.counterfactuals.nearest_change", nearest)
    point = [-4.0, 0.0]
    assert changes(behind_a_wall(20.0)).words.startswith(
        "Vex 4.0 mm to the left, as Kal sees it: hidden; Kal 4.0 mm to the left: hidden"
    )
    point = [4.0, -1e-6]
    assert [change.direction for change in changes(behind_a_wall(20.0)).changes[:2]] == [0.0, 0.0]
