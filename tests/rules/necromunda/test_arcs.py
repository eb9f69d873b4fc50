"""Necromunda: the vision arcs of crews and of askew hulls, and facings that are unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.rules.necromunda.judge import arcs_of
from silhouette.rules.necromunda.rule import NECROMUNDA
from tests.rules.necromunda.test_necromunda import NOWHERE, attacker, fighter, hauler, judged, table, wall


def test_r3_each_crew_looks_with_its_own_eye_and_the_best_one_decides() -> None:
    """Ahead a wall hides all from the driver's slit; on the left the same wall hides little from the hatch above."""
    hauler = {
        "name": "Hauler", "at": [0, 0], "facing": 90, "arcs": ["front", "left"], "parts": [{"box": [40, 80, 30]}],
        "eyes": {"front": [0, 41, 10], "left": [0, 0, 80]},
    }  # fmt: skip
    walls = [{"name": "wall", "at": [0, 100], "parts": [{"box": [400, 5, 40]}]},
             {"name": "west wall", "at": [-100, 0], "parts": [{"box": [5, 150, 40]}]}]  # fmt: skip
    others = [{"name": "Vex", "at": [0, 200], "parts": [{"box": [20, 10, 30]}]},
              {"name": "Yar", "at": [-200, 0], "parts": [{"box": [10, 20, 30]}]}]  # fmt: skip
    document = table(*walls, fighters=others, vehicles=[hauler])
    ahead = judged(document, "Hauler", "Vex")
    assert (ahead.verdict, ahead.arc) == ("hidden", "front")
    behind = judged({**document, "fighter": [{**others[0], "at": [0, -200]}]}, "Hauler", "Vex")
    assert (behind.verdict, behind.arc) == ("hidden", None)
    assert behind.reason == "no part of Vex lies in Hauler's front or left vision arc: hidden"
    aside = judged(document, "Hauler", "Yar")
    assert (aside.verdict, aside.arc) == ("partial cover", "left")
    assert judged(document, "Hauler", "Yar", "left").row() == aside.row()
    assert judged(document, "Hauler", "Yar", "front").verdict == "hidden"
    one_eye = {**hauler, "eye": [0, 41, 10]}
    del one_eye["eyes"]
    assert judged(table(*walls, fighters=others, vehicles=[one_eye]), "Hauler", "Yar").verdict == "hidden"


def test_an_unknown_facing_gives_the_verdict_in_the_arc_and_leaves_hidden_open() -> None:
    unknown = attacker(facing="unknown")
    for target, words in ((fighter("Vex", 300), "open"), (fighter("Vex", -300), "open")):
        found = judged(table(fighters=[unknown, target]))
        assert (found.verdict, found.line_of_sight, found.marginal) == (words, True, True)
        assert (found.row()["in_arc"], found.row()["could_be"]) == (None, ["open", "hidden"])
        assert found.reason.endswith("where Kal faces is unknown: if Vex is not in its vision arc, it is hidden")
    low = wall("wall", 150.0, 20.0)
    known, unknown_behind = (judged(table(low, fighters=[one, fighter("Vex", 300)])) for one in (attacker(), unknown))
    assert (unknown_behind.verdict, unknown_behind.occluded) == (known.verdict, known.occluded)
    assert unknown_behind.could_be == (*known.could_be, "hidden")
    behind = judged(table(wall("wall", 150.0, 90.0), fighters=[unknown, fighter("Vex", 300)]))
    assert (behind.verdict, behind.could_be, behind.row()["in_arc"], behind.marginal) == (
        "hidden",
        ("hidden",),
        None,
        True,
    )


def test_an_unknown_facing_of_a_vehicle_leaves_its_blind_spots_and_tries_its_whole_crew() -> None:
    vehicle = hauler(facing="unknown", arcs=["front", "left"], eyes={"front": [0, 30, 40], "left": [-30, 0, 50]})
    scene = table(fighters=[fighter("Vex", 300)], vehicles=[vehicle])
    assert judged(scene).could_be == ("open", "hidden")
    assert (judged(scene, arc="left").verdict, judged(scene, arc="left").arc) == ("open", "left")
    behind = table(wall("wall", 150.0, 25.0), fighters=[fighter("Vex", 300)], vehicles=[vehicle])
    front, left = (judged(behind, arc=arc) for arc in ("front", "left"))
    assert front.verdict == left.verdict == "partial cover"
    assert front.occluded > left.occluded == judged(behind).occluded  # of two who see alike the one who sees more
    blind = judged(scene, arc="rear")
    assert (blind.verdict, blind.could_be) == ("hidden", ("hidden",))
    assert "no rear vision arc" in blind.reason


@pytest.mark.parametrize(
    ("keys", "ahead"),
    [
        ({"facing": 0}, 0),
        ({"turn": -90}, 0),
        ({"turn": 30}, 120),
        ({"turn": 30, "facing": 120}, 120),
        ({"turn": 30, "facing": 210}, 210),
        ({"turn": 30, "facing": 100}, 120),  # it looks a little aside
    ],
)
def test_r3_a_vehicles_arcs_run_through_the_corners_of_its_body_however_it_is_turned(keys: Any, ahead: float) -> None:
    vehicle = {key: value for key, value in hauler().items() if key != "facing"} | keys
    scene = NECROMUNDA.load(NOWHERE, table(vehicles=[vehicle]), Cache(None))
    piece = scene.piece("Kal")
    corners = piece.body_box[:, :2] - piece.base_centre
    (arc,) = arcs_of(piece) or ()
    rays = np.degrees(np.arctan2(corners[:, 1], corners[:, 0]))
    for edge in (arc.right, arc.left):
        assert np.abs((rays - np.degrees(np.arctan2(edge[1], edge[0])) + 180) % 360 - 180).min() < 1e-9
    middle = arc.right + arc.left
    assert np.degrees(np.arctan2(middle[1], middle[0])) % 360 == pytest.approx(ahead)


def test_r3_the_arcs_of_a_hull_that_lies_askew_in_its_file_run_through_its_corners() -> None:
    vehicle = {**hauler(), "parts": [{"box": [60, 120, 40], "turn": 31}], "turn": 0, "facing": 121}
    (arc,) = arcs_of(NECROMUNDA.load(NOWHERE, table(vehicles=[vehicle]), Cache(None)).piece("Kal")) or ()
    half = np.degrees(np.arctan2(30, 60))
    edges = [np.degrees(np.arctan2(edge[1], edge[0])) for edge in (arc.right, arc.left)]
    assert edges == pytest.approx([121 - half, 121 + half])
