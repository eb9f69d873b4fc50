"""Tests of single edits: what becomes of the entries of a scene, and that nothing a person wrote is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.errors import SilhouetteError
from silhouette.live.edits import entries_of
from silhouette.live.live_table import LiveTable
from tests.live.test_protocol import SKIRMISH
from tests.support.live_edits import table_of, written

FLOORS = """\
rules = "necromunda"

[[terrain]]
name = "lower floor"
at = [0, 0, 40]
parts = [{ box = [100, 100, 4] }]

[[terrain]]
name = "upper floor"
at = [0, 0, 100]
parts = [{ box = [100, 100, 4] }]

[[fighter]]
name = "Kal"
at = [0, 0, 44]
facing = 90
figure = { base = 25, height = 32 }

[[fighter]]
name = "Vex"
at = [0, 200]
facing = 90
figure = { base = 25, height = 32 }
"""


def _entry(table: LiveTable, name: str) -> dict[str, Any]:
    (found,) = [entry for _, _, entry in entries_of(table.document) if entry["name"] == name]
    return found


def _height(table: LiveTable, name: str) -> float:
    return float(table.scene.piece(name).pose.translation[2])


@pytest.fixture
def duel(tmp_path: Path) -> LiveTable:
    return table_of(written(tmp_path))


@pytest.fixture
def floors(tmp_path: Path) -> LiveTable:
    return table_of(written(tmp_path, FLOORS))


@pytest.fixture
def skirmish(tmp_path: Path) -> LiveTable:
    return table_of(written(tmp_path, SKIRMISH))


def test_a_place_keeps_everything_else(duel: LiveTable) -> None:
    before = _entry(duel, "Bo")
    duel.edit([{"piece": "Bo", "at": [1.239, -7]}])
    assert _entry(duel, "Bo") == {**before, "at": [1.24, -7, 0]}
    duel.edit([{"piece": "Bo", "at": [1, 2, 3.005]}])
    assert _entry(duel, "Bo")["at"] == [1, 2, 3.0] or _entry(duel, "Bo")["at"] == [1, 2, 3.01]


def test_places_in_inches_are_what_was_asked_to_a_hundredth_of_a_mm(skirmish: LiveTable) -> None:
    skirmish.edit([{"piece": "C", "at": [12.345, 101.6], "on": "surface"}])
    assert skirmish.scene.piece("C").pose.translation[:2].tolist() == pytest.approx([12.345, 101.6], abs=0.001)
    assert _entry(skirmish, "C")["at"][1] == 4


def test_on_the_surface_a_piece_climbs_and_comes_down(duel: LiveTable) -> None:
    duel.edit([{"piece": "Vex", "at": [40, 20], "on": "surface"}])
    assert _height(duel, "Vex") == 20
    assert _entry(duel, "Vex")["at"] == [40, 20]
    duel.edit([{"piece": "Vex", "at": [90, 20]}])
    assert _height(duel, "Vex") == 0
    duel.edit([{"piece": "Vex", "at": [40, 20]}])
    duel.edit([{"piece": "Vex", "on": None}])
    assert _entry(duel, "Vex")["at"] == [40, 20, 20]
    assert "on" not in _entry(duel, "Vex")


def test_what_lies_on_nothing_stays_as_it_is(duel: LiveTable) -> None:
    before = duel.document
    duel.edit([{"piece": "Vex", "on": None}])
    assert duel.document == before
    assert not duel.can_undo


def test_a_given_height_counts_with_on_null(duel: LiveTable) -> None:
    duel.edit([{"piece": "Vex", "at": [40, 20], "on": "crate"}])
    duel.edit([{"piece": "Vex", "at": [40, 20, 55], "on": None}])
    assert _entry(duel, "Vex")["at"] == [40, 20, 55]


def test_what_stands_below_a_roof_stays_below_it(floors: LiveTable) -> None:
    floors.edit([{"piece": "Kal", "at": [5, 5], "on": "surface"}])
    assert _height(floors, "Kal") == 44
    floors.edit([{"piece": "Kal", "at": [200, 0]}])
    assert _height(floors, "Kal") == 0


def test_floors_are_gone_up_and_down_one_by_one(floors: LiveTable) -> None:
    heights = [44.0, 104.0]
    for way, height in ((1, 104), (-1, 44), (-1, 0), (1, 44), (1, 104)):
        floors.edit([{"piece": "Kal", "floor": way}])
        assert _height(floors, "Kal") == height
    before = floors.document
    with pytest.raises(SilhouetteError, match="there is no floor above 'Kal' to stand on"):
        floors.edit([{"piece": "Kal", "floor": 1}])
    assert floors.document == before
    floors.edit([{"piece": "Vex", "at": [10, 0], "floor": 1}])
    assert _height(floors, "Vex") == heights[0]
    with pytest.raises(SilhouetteError, match="give floor, on, or a third number of at"):
        floors.edit([{"piece": "Vex", "floor": 1, "on": "surface"}])


def test_who_faces_elsewhere_is_turned_with_it(duel: LiveTable) -> None:
    duel.edit([{"piece": "Kal", "facing": -90.004}])
    assert _entry(duel, "Kal")["facing"] == 270
    turned = duel.scene.piece("Bo").ahead
    duel.edit([{"piece": "Bo", "facing": 10}])
    assert "turn" not in _entry(duel, "Bo")
    assert duel.scene.piece("Bo").facing == 10 != turned


def test_turn_and_facing_turn_together(skirmish: LiveTable) -> None:
    skirmish.edit([{"piece": "C", "facing": 359.999}])
    assert (_entry(skirmish, "C")["facing"], _entry(skirmish, "C")["turn"]) == (0, 170)
    for _ in range(5):
        skirmish.edit([{"piece": "C", "facing": 100.01}, {"piece": "C", "facing": 0}])
    assert (_entry(skirmish, "C")["facing"], _entry(skirmish, "C")["turn"]) == (0, 170)


def test_who_faces_nobody_knows_where_stands_as_it_stood(duel: LiveTable) -> None:
    for name in ("Kal", "Vex", "Bo"):
        before = duel.scene.piece(name)
        duel.edit([{"piece": name, "facing": "unknown"}])
        after = duel.scene.piece(name)
        assert after.facing is None
        assert np.allclose(after.pose.rotation, before.pose.rotation, atol=1e-3)
        assert np.allclose(after.pose.translation, before.pose.translation)
    duel.edit([{"piece": "Kal", "facing": "unknown"}])


def test_cover_turns_by_its_front(skirmish: LiveTable) -> None:
    assert skirmish.scene.piece("wall").ahead == 90
    skirmish.edit([{"piece": "wall", "facing": 120.5}])
    assert _entry(skirmish, "wall")["turn"] == 30.5
    assert skirmish.scene.piece("wall").ahead == pytest.approx(120.5)


def test_a_new_name_stands_everywhere(skirmish: LiveTable, duel: LiveTable) -> None:
    skirmish.edit([{"piece": "wall", "name": "brick wall"}, {"piece": "A", "name": "B 2"}])
    check = skirmish.document["check"][0]
    assert check == {"attacker": "B 2", "target": "B", "expect": {"protected_by": "brick wall"}}
    duel.edit([{"piece": "Vex", "at": [40, 20], "on": "crate"}, {"piece": "crate", "name": "open"}])
    duel.edit([{"piece": "Kal", "name": "partial cover"}])
    assert _entry(duel, "Vex")["on"] == "open"
    assert duel.document["base_contact"] == [["partial cover", "Bo"], ["partial cover", "Vex"]]
    assert duel.document["check"][0]["expect"]["verdict"] == "partial cover"
    assert duel.document["check"][0]["attacker"] == "partial cover"
    assert duel.document["title"] == "Duel"


def test_a_piece_called_surface_is_not_what_everything_stands_on(tmp_path: Path) -> None:
    table = table_of(written(tmp_path, FLOORS.replace("lower floor", "surface")))
    table.edit([{"piece": "Vex", "on": "surface"}])
    table.edit([{"piece": "surface", "name": "floor"}])
    assert _entry(table, "Vex")["on"] == "surface"
    with pytest.raises(SilhouetteError, match="give another name"):
        table.edit([{"piece": "floor", "name": "surface"}])


def test_a_deleted_piece_leaves_nothing_that_names_it_and_all_else(duel: LiveTable) -> None:
    duel.edit([{"piece": "Bo", "at": [40, 20], "on": "crate"}])
    duel.edit([{"delete": "crate"}])
    assert _entry(duel, "Bo")["on"] == "surface"
    assert _height(duel, "Bo") == 0
    duel.edit([{"delete": "Vex"}])
    assert "check" not in duel.document
    duel.edit([{"delete": "Bo"}])
    assert duel.document["base_contact"] == []  # without the key, distances would say who touches whom


def test_copies_stand_beside_and_have_names_of_their_own(duel: LiveTable) -> None:
    duel.edit([{"copy": "Bo"}, {"copy": "Bo"}, {"copy": "Bo 2", "as": "Zed", "at": [5, 6]}])
    assert [entry["name"] for entry in duel.document["fighter"]] == ["Kal", "Vex", "Bo", "Bo 2", "Bo 3", "Zed"]
    assert _entry(duel, "Zed")["at"] == [5, 6, 0]
    assert _entry(duel, "Bo 2")["turn"] == 30
    with pytest.raises(SilhouetteError, match="a piece is called 'Kal' already; give another name, such as 'Kal 2'"):
        duel.edit([{"copy": "Bo", "as": "Kal"}])


def test_gangs_and_arcs_come_and_go(duel: LiveTable) -> None:
    duel.edit([{"piece": "Kal", "gang": None}, {"piece": "Bo", "gang": "Escher"}, {"piece": "Vex", "gang": ""}])
    assert [entry.get("gang") for entry in duel.document["fighter"]] == [None, None, "Escher"]
    with pytest.raises(SilhouetteError, match="arcs"):
        duel.edit([{"piece": "Kal", "arcs": ["front"]}])


def test_a_piece_is_added_only_to_a_table_that_has_its_kind(duel: LiveTable, skirmish: LiveTable) -> None:
    new = {"add": "fighter", "name": "new", "at": [300, 0], "figure": {"base": 32, "height": 40}, "gang": "Orlock"}
    duel.edit([new])
    assert duel.scene.piece("new").gang == "Orlock"
    with pytest.raises(SilhouetteError, match=r"SkirmishCorps has no \[\[fighter\]\] to add to"):
        skirmish.edit([new])
    skirmish.edit([{"copy": "A"}])


def test_what_is_added_to_a_scanned_table_stands_as_exactly_as_a_hand_puts_it(tmp_path: Path) -> None:
    new = {"add": "fighter", "name": "new", "at": [300, 0], "figure": {"base": 32, "height": 40}}
    for source, doubt in (('[source]\nrecord = "meshes/found.scan"', {"place": 5, "facing": 10}), ("", None)):
        table = table_of(
            written(tmp_path, f'rules = "necromunda"\ntable = [800, 800]\n{source}\n[doubt]\nplace = 0.4\n')
        )
        table.edit([new])
        assert table.document["fighter"][0].get("doubt") == doubt


def test_all_edits_of_a_request_are_made_or_none(duel: LiveTable) -> None:
    before = duel.document, duel.pose, duel.can_undo, duel.scene
    with pytest.raises(SilhouetteError):
        duel.edit([{"piece": "Kal", "at": [5, 5]}, {"piece": "nobody", "at": [0, 0]}])
    assert (duel.document, duel.pose, duel.can_undo, duel.scene) == before


def test_more_pieces_than_a_file_may_have_are_refused(tmp_path: Path) -> None:
    from silhouette.files.documents import MAX_ENTRIES

    names = "\n".join(
        f'  {{ name = "f{n}", at = [{n * 40}, 0], parts = [{{ box = [5, 5, 9] }}] }},'
        for n in range(MAX_ENTRIES["unit"])
    )
    table = table_of(written(tmp_path, f'rules = "skirmishcorps"\nunit = [\n{names}\n]\n'))
    with pytest.raises(SilhouetteError, match="unit has 501 entries; 500 are the most"):
        table.edit([{"copy": "f1"}])


def test_a_weapon_that_points_elsewhere_turns_with_the_head(tmp_path: Path) -> None:
    text = FLOORS.replace("facing = 90", "facing = { head = 90, weapon = 60 }", 1)
    table = table_of(written(tmp_path, text))
    table.edit([{"piece": "Kal", "facing": 100}])
    assert _entry(table, "Kal")["facing"] == {"head": 100, "weapon": 70}
    assert (table.scene.piece("Kal").facing, table.scene.piece("Kal").weapon) == (100.0, 70.0)
    table.edit([{"piece": "Kal", "facing": "unknown"}])
    assert (table.scene.piece("Kal").facing, table.scene.piece("Kal").weapon) == (None, None)
    table.undo()
    assert table.scene.piece("Kal").weapon == 70.0
