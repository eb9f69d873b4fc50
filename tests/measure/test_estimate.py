"""COUNT, roughly: estimates are as good as they say, and slivers are found where like sights show them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from silhouette.measure.estimate import Estimate
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.scenes.places import Move
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from tests.support.duels import duel, loaded

EXACT = Settings(choose(), 0.1)
ROUGH = replace(EXACT, observe=Estimate())
RULE = rule_called("necromunda")
VEX = Check("Kal", "Vex", None, None)


def judged(scenes: list[TableScene], settings: Settings, check: Check = VEX) -> list[NecromundaVerdict]:
    verdicts = RULE.judge([(scene, check) for scene in scenes], settings)
    assert all(isinstance(verdict, NecromundaVerdict) for verdict in verdicts)
    return verdicts  # type: ignore[return-value]


def plates(**more: Any) -> TableScene:
    """A plate 40 mm wide behind a wall that ends just where its right rim is; the eye looks along y."""
    kal = {"name": "Kal", "at": [0, 0], "facing": 90, "parts": [{"box": [8, 8, 20]}], "eye": [0, 0, 20]}
    vex = {"name": "Vex", "at": [0, 400], "turn": 0, "facing": -90, "parts": [{"box": [40, 0.01, 40]}]}
    wall = {"name": "wall", "at": [-40, 200], "parts": [{"box": [100, 0.01, 90]}]}
    return loaded({"rules": "necromunda", "fighter": [{**kal, **more.pop("kal", {})}, vex], "terrain": [wall], **more})


@pytest.mark.slow
def test_errors_are_true_and_shrink_where_a_threshold_is_near() -> None:
    random = np.random.default_rng(1)
    scene = loaded(duel([0.0, 0.0], 90.0, [0.0, 200.0], [0.0, 175.0], 20.0))
    scenes = [
        RULE.moved(scene, {"Kal": Move((0.0, 0.0, z)), "Vex": Move((x, y, 0.0), turn)})
        for x, y, z, turn in (random.normal(size=(100, 4)) * [10.0, 10.0, 4.0, 30.0]).tolist()
    ]
    off, stated = [], []
    for rough, exact in zip(judged(scenes, ROUGH), judged(scenes, EXACT), strict=True):
        off.append(rough.occluded - exact.occluded)
        stated.append(rough.counts.error)
        near = abs(rough.occluded - 0.5) <= rough.counts.error
        assert not near or rough.counts.error <= 0.03
    ratio = np.abs(off) / stated
    assert ratio.max() <= 1.0
    assert np.sqrt(np.mean(np.square(ratio))) > 0.15  # three standard deviations: a third would be exact
    assert abs(np.mean(off)) < 0.004


def test_what_is_seen_of_a_sliver_in_some_sights_is_looked_for_in_the_others() -> None:
    """Moved to the right by more than nothing, the plate shows a strip as wide as half of that or more."""
    scene = plates()
    steps = np.linspace(-0.15, 0.25, 81) + 0.001
    scenes = [RULE.moved(scene, {"Vex": Move((step, 0.0, 0.0))}) for step in steps.tolist()]
    hidden = [one.verdict == "hidden" for one in judged(scenes, ROUGH)]
    assert sum(one != other for one, other in zip(hidden, (steps < 0.0).tolist(), strict=True)) <= 1


def test_what_lies_in_an_arc_is_found_however_little_it_is() -> None:
    """The arc's border passes the right rim of the plate, 2.86 degrees to the right of straight ahead."""
    scene = plates(kal={"facing": 90.0 - 45.0 - np.degrees(np.arctan(20.0 / 400.0))}, terrain=[])
    turns = np.linspace(-0.02, 0.02, 40)
    scenes = [RULE.moved(scene, {"Kal": Move(turn=turn)}) for turn in turns.tolist()]
    rough, exact = ([one.verdict for one in judged(scenes, how)] for how in (ROUGH, EXACT))
    assert {"hidden", "open"} == set(exact)
    assert sum(one != other for one, other in zip(rough, exact, strict=True)) <= 1


def test_the_answer_to_one_pair_does_not_depend_on_other_pairs_nor_on_the_order() -> None:
    scene = loaded(duel([0.0, 0.0], 90.0, [0.0, 200.0], [0.0, 175.0], 20.0))
    checks = [VEX, Check("Vex", "Kal", None, None), Check("Odd", "Vex", None, None)]
    together = [one.row() for one in RULE.judge([(scene, check) for check in checks], ROUGH)]
    alone = [RULE.judge([(scene, check)], ROUGH)[0].row() for check in reversed(checks)]
    assert together == alone[::-1]


def test_what_no_grid_meets_is_measured_exactly() -> None:
    """A wire seen end on, a hundredth of a millimetre wide, in a picture a hundred wide."""
    wire = [{"box": [0.01, 0.01, 0.01]}, {"box": [0.01, 0.01, 0.01], "at": [80.0, 0.0, 80.0]}]
    fighters = [
        {"name": "Kal", "at": [0, 0], "facing": 90, "parts": [{"box": [8, 8, 20]}], "eye": [0, 0, 20]},
        {"name": "Vex", "at": [0, 400], "facing": -90, "parts": wire},
    ]
    scene = loaded({"rules": "necromunda", "fighter": fighters})
    (rough,), (exact,) = judged([scene], ROUGH), judged([scene], EXACT)
    assert rough.verdict == exact.verdict == "open"


@pytest.mark.parametrize("facing", [200.0, -90.0])
def test_out_of_the_arc_nothing_is_left_in_doubt(facing: float) -> None:
    (rough,) = judged([plates(kal={"facing": facing})], ROUGH)
    assert (rough.verdict, rough.counts.error_seen, rough.in_arc) == ("hidden", 0.0, False)
