"""Ikosa: who is asked about whom, and what is said about a scene that makes no sense."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from silhouette.common.errors import FileError, RequestError
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.rules.ikosa.rule import IKOSA
from silhouette.scenes.scene import Check
from tests.rules.ikosa.test_ikosa import load, scene_of
from tests.support.documents import put
from tests.support.rulings import ruled


def test_who_is_asked_about_whom() -> None:
    scene = load(scene_of([[0, 0, 0]], [[1, 0, 0]]))
    assert [(one.attacker, one.target) for one in IKOSA.everyone(scene)] == [("ogre", "goblin"), ("goblin", "ogre")]
    assert IKOSA.between(scene, "goblin", None, None) == (Check("goblin", "ogre"),)
    with pytest.raises(RequestError, match="nothing is called 'ogr'; did you mean 'ogre'"):
        IKOSA.between(scene, "ogr", None, None)
    with pytest.raises(RequestError, match="have no vision arcs"):
        IKOSA.between(scene, "ogre", "goblin", "front")
    with pytest.raises(RequestError, match="nothing is called 'orc'"):
        ruled(IKOSA, scene, Check("orc", "ogre"), ReferenceRenderer(), 0.1)


def test_what_is_allowed_but_odd_is_warned_of() -> None:
    scene = scene_of([[0, 0, 0]], [[3, 0, 0]], "ranged", [9, 0, 0], solid_cells=[[0, 0, 0], [1, 0, 0], [1, 0, 0]])
    assert load(scene).warnings == (
        "solid_cells: [1, 0, 0] stands there twice",
        "ogre stands in the solid cell [0, 0, 0]",
        "check 1: source_point [9, 0, 0] is no point of ogre",
    )


CELL = "a cell must be three whole numbers, up to a million"
BOX = "it must be [least corner, greatest corner], each of them three numbers, each whole, decimal"
MISTAKES: list[tuple[str, Any, str]] = [
    ("mode", ..., 'mode is missing; it must be "melee" or "ranged"'),
    ("mode", "reach", 'mode is "reach"; it must be "melee" or "ranged"'),
    ("solid_cell", [], "unknown key 'solid_cell'; did you mean 'solid_cells'?"),
    ("solid_cells", [[0, 0, 0], [0, 0, 1.5]], f"solid_cells 2: it is [0, 0, 1.5]; {CELL}"),
    ("solid_cells", [[0, 0]], f"solid_cells 1: it is [0, 0]; {CELL}"),
    ("solid_cells", [[0, 0, True]], f"solid_cells 1: it is [0, 0, true]; {CELL}"),
    ("solid_cells", [[0, 0, 10**7]], f"solid_cells 1: it is [0, 0, 10000000]; {CELL}"),
    ("boxes", [[[0, 0, 0], [1, 1, 0]]], "boxes 1: it is flat along z, from 0 to 0; a box must be thicker"),
    ("boxes", [[[0, "1/2", 0], [1, "1/3", 1]]], "boxes 1: along y it goes from 1/2 down to 1/3; its least corner must"),
    ("boxes", [[0, 0, 0], [1, 1, 1]], f"boxes 1: it is [0, 0, 0]; {BOX}"),
    ("boxes", [[[0, 0, 0], ["1/0", 1, 1]]], f'boxes 1: it is [[0, 0, 0], ["1/0", 1, 1]]; {BOX}'),
    ("boxes", [[[0, 0, 0], [float("nan"), 1, 1]]], f"boxes 1: it is [[0, 0, 0], [nan, 1, 1]]; {BOX}"),
    ("boxes", [[[0, 0, 0], [float("inf"), 1, 1]]], f"boxes 1: it is [[0, 0, 0], [inf, 1, 1]]; {BOX}"),
    ("creature.0.cells", [], "creature 'ogre', cells is []; it must be a list of one or more cells"),
    ("creature.0.cells", ..., "creature 'ogre': cells is missing; it must be a list of one or more cells"),
    ("creature.0.cells", [[0, 0, 1], [0, 0, "1"]], f"creature 'ogre', cells 2: it is [0, 0, \"1\"]; {CELL}"),
    ("creature.0.cells", [[0, 0, 1], [0, 0, 1]], "creature 'ogre', cells: [0, 0, 1] stands there twice; give each"),
    ("creature.0.gravity", "down", 'creature \'ogre\', gravity is "down"; it must be "-z", "+z", "-x"'),
    ("creature.0.flying", "yes", "creature 'ogre', flying is \"yes\"; it must be true or false"),
    ("creature.1.name", "ogre", "two creatures are called 'ogre'; give each a different name"),
    ("check.0.attacker", "ogr", "check 1: attacker 'ogr' is no creature of this scene; did you mean 'ogre'?"),
    ("check.0.target", "ogre", "check 1: 'ogre' would check itself; name another creature as target"),
    ("check.0.source_point", "best", 'check 1, source_point is "best"; it must be "best corner", or three numbers'),
    ("check.0.source_point", [1, 0], 'check 1, source_point is [1, 0]; it must be "best corner", or three numbers'),
    ("check.0.arc", "front", "check 1: unknown key 'arc'; the keys here are 'attacker', 'target', 'source_point'"),
    ("check.0.expect", {"covr": True}, "check 1: expect: no result is called 'covr'; did you mean 'cover'?"),
    ("check.0.expect", {"verdict": "open"}, "check 1: expect: no verdict is 'open'; there are 'no cover', 'cover'"),
    ("check.0.expect", {"verdict": None}, "check 1: expect: no verdict is null; there are 'no cover', 'cover'"),
    ("readings", {"exposur": "point"}, "readings: unknown key 'exposur'; did you mean 'exposure'?"),
    ("readings", {"exposure": "eye"}, 'readings, exposure is "eye"; it must be "cells" or "point"'),
]


@pytest.mark.parametrize("where, value, words", MISTAKES, ids=[f"{each[0]} {each[1]}"[:50] for each in MISTAKES])
def test_a_mistake_is_said_in_one_plain_line(where: str, value: Any, words: str) -> None:
    document = copy.deepcopy(scene_of([[0, 0, 1]], [[3, 0, 0]], mode="ranged"))
    put(document, where, value)
    with pytest.raises(FileError) as caught:
        load(document)
    assert str(caught.value).startswith(f"cells.json: {words}")
    assert "\n" not in str(caught.value)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    document = scene_of([[0, 0, 0]], [[1, 0, -2]], solid_cells=[[0, 0.0, -1.0]])
    document["creature"][1]["cells"] = [[1, -0.0, -2.0]]
    assert repr((load(document).solid_cells, load(document).creatures[1].cells)) == "(((0, 0, -1),), ((1, 0, -2),))"


def test_a_source_point_goes_with_ranged_attacks() -> None:
    with pytest.raises(FileError, match='check 1: source_point is a point, which goes with mode = "ranged"; leave it'):
        load(scene_of([[0, 0, 0]], [[1, 0, 0]], point=[1, 0, 0]))
    assert load(scene_of([[0, 0, 0]], [[1, 0, 0]], point="best corner")).checks


def square(height: int, side: int) -> list[list[int]]:
    return [[x, y, height] for x in range(side) for y in range(side)]


def test_a_check_that_takes_too_long_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 256 cells to 256 past 50 boxes there are millions of lines: a minute of them, of a file of six kilobytes."""
    scene = load(scene_of(square(0, 3), square(5, 3), solid_cells=[[1, 1, 2]]))
    ruled(IKOSA, scene, scene.checks[0], ReferenceRenderer(), 0.1)
    monkeypatch.setattr("silhouette.rules.ikosa.judge.CHECK_SECONDS", 0.0)
    with pytest.raises(
        RequestError, match="lines from 9 to 9 cells past 1 solids take more than 0 s of CPU time; give"
    ):
        ruled(IKOSA, scene, scene.checks[0], ReferenceRenderer(), 0.1)


def test_so_many_pairs_of_cells_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = scene_of(square(0, 3), square(5, 2))
    for most in (36, 35):
        monkeypatch.setattr("silhouette.rules.ikosa.scene.MAX_CELL_PAIRS", most)
        if most == 36:
            load(scene)
        else:
            with pytest.raises(FileError, match="its 1 checks look from cell to cell 36 times; 35 are the most: give"):
                load(scene)
