"""A verdict that a piece with a doubt of its own would change within two deviations is marginal, without odds too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from silhouette.common.text import in_a_sentence
from silhouette.judging.judge import JudgingOptions, judge_all
from silhouette.judging.own_doubts import Shift, shifts_of, with_own_doubts
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Verdict
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from tests.support import duels

KAL = {"name": "Kal", "parts": [{"box": [10, 10, 30]}], "at": [0, 0], "facing": 90, "eye": [0, 0, 10]}
VEX = {"name": "Vex", "parts": [{"box": [40, 4, 20]}], "at": [0, 200], "facing": 90}
BAR = {"name": "Vex", "parts": [{"box": [4, 40, 20]}], "at": [0, 200], "facing": 90}
SCREEN = {"name": "screen", "parts": [{"box": [8, 2, 60]}], "at": [0, 100]}
HALF = {"name": "wall", "parts": [{"box": [200, 2, 60]}], "at": [100, 100]}


def loaded(rules: str = "necromunda", **tables: Any) -> TableScene:
    return duels.loaded({"rules": rules, **tables})


def ruling(kal: dict[str, Any], vex: dict[str, Any], *terrain: dict[str, Any], rules: str = "necromunda") -> Verdict:
    scene = loaded(rules, terrain=list(terrain), fighter=[kal, vex])
    (judged,) = judge_all([(scene, Check("Kal", "Vex"))], JudgingOptions(choose("auto")))
    return judged.verdict


@pytest.mark.parametrize(("own", "could_be"), [(1.0, ("hidden",)), (12.0, ("full cover", "hidden"))])
def test_a_target_that_may_be_turned(own: float, could_be: tuple[str, ...]) -> None:
    """Seen end on it is hidden; its corners stand out from behind the screen when it is turned."""
    verdict = ruling(KAL, BAR | {"doubt": {"facing": own}}, SCREEN)
    assert (verdict.verdict, verdict.could_be) == ("hidden", could_be)
    assert ("; where Vex faces decides, which is not sure" in verdict.reason) == (len(could_be) > 1)


@pytest.mark.parametrize(("own", "other"), [(0.3, None), (2.0, "partial cover"), (11.0, "hidden")])
@pytest.mark.parametrize("name", ["Kal", "Vex", "wall"])
def test_a_piece_that_may_stand_elsewhere(name: str, own: float, other: str | None) -> None:
    """The wall's edge lies 1.5 mm beyond the middle of the target, 40 mm wide, as seen there."""
    of = {"Kal": KAL, "Vex": VEX | {"at": [1.5, 200]}, "wall": HALF}
    of[name] = of[name] | {"doubt": {"place": own if name != "wall" else own / 2}}
    verdict = ruling(of["Kal"], of["Vex"], of["wall"])
    assert verdict.verdict == "full cover"
    assert (f"where {in_a_sentence(name)} stands decides" in verdict.reason) == verdict.marginal == (other is not None)
    assert other is None or other in verdict.could_be


@pytest.mark.parametrize(("own", "could_be"), [(0.2, ("hidden",)), (1.5, ("full cover", "hidden"))])
def test_a_scanned_surface_that_may_lie_farther_in(own: float, could_be: tuple[str, ...]) -> None:
    """The target's edges lie 1 mm behind those of the screen, as seen there."""
    screen = SCREEN | {"parts": [{"box": [21, 2, 60]}], "doubt": {"surface": own}}
    scene = loaded(terrain=[screen], fighter=[KAL, VEX])
    wall, *models = scene.pieces
    scene = replace(scene, pieces=(replace(wall, model=replace(wall.model, scan=True)), *models))
    (judged,) = judge_all([(scene, Check("Kal", "Vex"))], JudgingOptions(choose("auto")))
    assert judged.verdict.could_be == could_be
    assert ("where the surface of the screen, as it was scanned, lies decides" in judged.verdict.reason) == bool(
        could_be[1:]
    )


def test_a_surface_that_is_no_scan_s_has_no_doubt() -> None:
    screen = SCREEN | {"parts": [{"box": [21, 2, 60]}], "doubt": {"surface": 1.5}}
    assert shifts_of(loaded(terrain=[screen], fighter=[KAL, VEX]), Check("Kal", "Vex")) == ()


def test_several_that_may_stand_elsewhere_count_together() -> None:
    """Each alone moves the edge by 2 mm, seen at the target, and both together by 2.8; it has 2.4 mm to go."""
    vex, kal = VEX | {"at": [2.4, 200]}, KAL | {"doubt": {"place": 1.0}}
    assert not ruling(kal, vex, HALF).marginal
    assert not ruling(KAL, vex | {"doubt": {"place": 1.0}}, HALF).marginal
    both = ruling(kal, vex | {"doubt": {"place": 1.0}}, HALF)
    assert both.could_be == ("partial cover", "full cover")
    assert "; how Kal and Vex stand decides, which is not sure: it could be partial cover" in both.reason


def test_turn_and_place_count_together_at_the_edge_of_an_arc() -> None:
    """The arc ends 2.5 degrees before the target; two deviations of the turn are 2, and of both places 1.6."""
    end = 90.0 + 45.0 + 5.72 + 2.5
    kal, vex = KAL | {"facing": end, "doubt": {"facing": 1.0}}, VEX | {"doubt": {"place": 2.0}}
    assert not ruling(kal, VEX).marginal
    verdict = ruling(kal | {"doubt": {"facing": 1.0, "place": 2.0}}, vex)
    assert verdict.could_be == ("open", "hidden")
    assert "; how Kal and Vex stand decides" in verdict.reason


def test_a_friend_between_may_stand_elsewhere_and_one_behind_plays_no_part() -> None:
    mo, ty = (
        {"name": name, "parts": [{"box": [10, 10, 60]}], "at": at, "doubt": {"place": 2.0}}
        for name, at in (("Mo", [16.5, 100]), ("Ty", [0, 300]))
    )
    scene = loaded(fighter=[KAL, VEX, mo, ty])
    check = Check("Kal", "Vex")
    assert {shift.piece for shift in shifts_of(scene, check)} == {"Mo"}
    (judged,) = judge_all([(scene, check)], JudgingOptions(choose("auto")))
    assert judged.verdict.could_be == ("open", "partial cover")


def test_the_shifts_lie_along_and_across_the_line() -> None:
    scene = loaded(fighter=[KAL | {"doubt": {"place": 1.5, "facing": 4.0}}, VEX | {"at": [200, 0]}])
    across, along, turn = shifts_of(scene, Check("Kal", "Vex"))
    assert (across.x, across.y) == pytest.approx((0.0, 3.0))
    assert (along.x, along.y) == pytest.approx((3.0, 0.0))
    assert turn == Shift("Kal", turn=8.0)


def test_without_a_doubt_of_a_piece_nothing_is_looked_at() -> None:
    scene = loaded(doubt={"place": 9.0, "facing": 9.0}, fighter=[KAL, VEX])
    options = JudgingOptions(choose("auto"))
    rule = rule_called("necromunda")
    verdicts = rule.judge([(scene, Check("Kal", "Vex"))], options.settings(scene))
    kept = with_own_doubts(
        rule, [(scene, Check("Kal", "Vex"))], verdicts, None  # type: ignore[arg-type]
    )  # fmt: skip
    assert kept == verdicts
    assert kept[0] is verdicts[0]


def test_a_facing_that_nobody_knows_is_not_turned() -> None:
    vex = BAR | {"facing": "unknown", "turn": 0, "doubt": {"facing": 30.0}}
    assert ruling(KAL, vex, SCREEN).could_be == ("hidden",)


def test_games_by_data_are_doubtful_too() -> None:
    verdict = ruling(KAL, VEX | {"doubt": {"place": 12.0}}, HALF | {"at": [121.5, 100]}, rules="bolt-action-3")
    assert verdict.marginal
    assert "where Vex stands decides" in verdict.reason
