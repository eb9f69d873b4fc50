"""Figures that are placed by hand on a scanned table: the shelf, their doubt, readings of a ruler, corrected pieces."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from silhouette.common.errors import RequestError, SilhouetteError
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.live.corrections import join_answer, split_answer
from silhouette.live.edits import entries_of
from silhouette.live.live_table import LiveTable
from silhouette.live.scanning import scan_again, scanned
from silhouette.live.server.running import check_inside
from silhouette.live.shelf import shelf_of

PROJECT = Path(__file__).resolve().parents[2]
SCENE = """
rules = "necromunda"
table = [600, 400]

[source]
record = "meshes/found.scan"

[doubt]
place = 0.4
surface = 0.5

[[terrain]]
name = "crate"
at = [100, 0, 0]
turn = 0
parts = [{ box = [40, 40, 30] }]

[[terrain]]
name = "wall"
at = [0, 100, 0]
turn = 0
parts = [{ box = [60, 10, 40] }]

[[fighter]]
name = "Kal"
at = [0, 0, 0]
turn = 0
facing = 0
doubt = { place = 0.3, facing = 1 }
figure = { base = 32, height = 38 }

[[fighter]]
name = "Vex"
at = [-200, -100, 0]
turn = 0
facing = "unknown"
doubt = { place = 0.3 }
parts = [{ cylinder = { diameter = 25, height = 3 }, base = true }, { box = [9, 9, 30], at = [0, 0, 3] }]

[[check]]
attacker = "Kal"
target = "Vex"
"""
RECORD = {
    "scan": "table.glb",
    "figures": ["minis"],
    "terrain": [],
    "scale": 1000.0,
    "pieces": [{"name": "crate", "at": [100, 0, 0]}, {"name": "Vex", "at": [-200, -100, 0]}],
    "bases": [{"at": [50.0, 50.0, 0.0], "diameter": 25.0}],
    "above": {"picture": "above.jpg", "low": [-300, -200], "high": [300, 200]},
    "missing": ["scout"],
}


def game(place: Path) -> Path:
    """The scene of a scanned table in a folder, with a figure beside it that the scan has missed."""
    folder = place / "game"
    (folder / "meshes").mkdir(parents=True)
    (place / "minis").mkdir()
    for name in ("scout", "brute"):
        for ending in ("toml", "glb"):
            shutil.copy(PROJECT / "models" / f"{name}.{ending}", place / "minis")
    shutil.copy(PROJECT / "models" / "crate.glb", folder / "box.glb")
    (folder / "scene.toml").write_text(SCENE, encoding="utf-8")
    Image.new("RGB", (60, 40), (150, 60, 60)).save(folder / "above.jpg")
    for name in ("scan.json", "meshes/found.scan"):
        (folder / name).write_text(json.dumps(RECORD), encoding="utf-8")
    return folder / "scene.toml"


@pytest.fixture
def table(tmp_path: Path) -> LiveTable:
    return LiveTable.opened(game(tmp_path), Cache(None))


def entry(table: LiveTable, name: str) -> dict[str, Any]:
    (found,) = [entry for _, _, entry in entries_of(table.document) if entry["name"] == name]
    return found


def test_the_shelf_begins_with_what_is_missing_and_has_what_lies_beside(table: LiveTable) -> None:
    shelf = shelf_of(table)
    assert [(model["name"], model["kind"], model["missing"]) for model in shelf["models"]] == [
        ("scout", "fighter", True),
        ("brute", "fighter", False),
        ("box", "fighter", False),
    ]
    assert shelf["models"][0]["model"] == "../minis/scout.toml"
    assert shelf["models"][2]["mesh"] == "box.glb"
    assert shelf["bases"] == RECORD["bases"]
    assert (shelf["above"]["low"], shelf["above"]["data"][:6]) == ([-300, -200], "/9j/4A")
    check_inside(table, "../minis/scout.toml")
    with pytest.raises(RequestError, match="lies outside the scene's folder"):
        check_inside(table, "../minis/scout.glb")


def test_a_table_that_no_scan_made_has_a_shelf_too(tmp_path: Path) -> None:
    (tmp_path / "duel.toml").write_text('rules = "necromunda"\ntable = [800, 800]\n', encoding="utf-8")
    shutil.copy(PROJECT / "models" / "crate.glb", tmp_path / "crate.glb")
    shelf = shelf_of(LiveTable.opened(tmp_path / "duel.toml", Cache(None)))
    assert [model["name"] for model in shelf["models"]] == ["crate"]
    assert (shelf["bases"], shelf["above"]) == ([], None)


def test_what_a_hand_has_moved_or_turned_is_in_doubt_by_so_much(table: LiveTable) -> None:
    new = {"add": "fighter", "name": "new", "at": [50, 50], "model": "../minis/scout.toml", "facing": 30}
    table.edit([new])
    assert (entry(table, "new")["doubt"], entry(table, "new")["facing"]) == ({"place": 5, "facing": 10}, 30)
    table.edit([{"delete": "new"}, {**new, "doubt": {"place": 2, "facing": 5}}])
    assert entry(table, "new")["doubt"] == {"place": 2, "facing": 5}
    table.edit([{"piece": "new", "facing": 60}])
    assert entry(table, "new")["doubt"] == {"place": 2, "facing": 5}, "turned on a base"
    table.edit([{"piece": "new", "at": [80, 50]}])
    assert entry(table, "new")["doubt"] == {"place": 5, "facing": 10}, "and taken off it"
    table.edit([{"piece": "new", "doubt": {"facing": 1}}])
    assert entry(table, "new")["doubt"] == {"place": 5, "facing": 1}
    table.edit([{"piece": "Kal", "at": [0, 0]}])
    assert entry(table, "Kal")["doubt"] == {"place": 0.3, "facing": 1}, "it stands where it stood"
    table.edit([{"piece": "Vex", "facing": 90}])
    assert entry(table, "Vex")["doubt"] == {"place": 0.3, "facing": 10}
    table.undo()
    assert entry(table, "Vex")["doubt"] == {"place": 0.3}
    table.edit([{"copy": "Kal", "as": "another", "at": [0, -80]}, {"copy": "crate"}])
    assert (entry(table, "another")["doubt"], entry(table, "crate 2").get("doubt")) == (
        {"place": 5, "facing": 10},
        None,
    )
    table.edit([{"piece": "new", "doubt": None}])
    assert "doubt" not in entry(table, "new")


def test_two_readings_of_a_ruler_place_a_figure(table: LiveTable) -> None:
    table.edit([{"piece": "Kal", "at": [3, -2]}])  # by hand; it really stands at 0, 0
    readings = [{"to": "crate", "mm": 64.0}, {"to": "wall", "mm": 79.0}]
    table.edit([{"piece": "Kal", "readings": readings}])
    x, y = table.scene.piece("Kal").pose.translation[:2]
    assert (x, y) == pytest.approx((0, 0), abs=0.4)
    assert entry(table, "Kal")["doubt"] == {"place": 1.1, "facing": 1}
    table.edit([{"piece": "Kal", "readings": [{"to": [0, -16], "mm": 0}]}])
    assert entry(table, "Kal")["doubt"]["place"] == 1.1, "one more along a single direction leaves the other in doubt"


def test_one_reading_leaves_the_other_direction_in_doubt(table: LiveTable) -> None:
    table.edit([{"piece": "Kal", "at": [3, -2]}, {"piece": "Kal", "readings": [{"to": "crate", "mm": 64.0}]}])
    x, y = table.scene.piece("Kal").pose.translation[:2]
    assert x == pytest.approx(0, abs=0.3)
    assert (y, entry(table, "Kal")["doubt"]["place"]) == (-2, 5)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"piece": "Kal", "readings": [{"to": "crate", "mm": 120}]}, "the ruler says 120 mm; read again"),
        ({"piece": "Kal", "readings": [{"to": "Kal", "mm": 1}]}, "where the ruler begins"),
        ({"piece": "crate", "readings": [{"to": "wall", "mm": 1}]}, "readings place a figure"),
        ({"piece": "Kal", "at": [0, 0], "readings": [{"to": "wall", "mm": 1}]}, "readings place a figure"),
        ({"piece": "Kal", "readings": []}, "readings"),
        ({"piece": "Kal", "readings": [{"to": "nobody", "mm": 1}]}, "nobody"),
    ],
)
def test_readings_that_cannot_be_are_refused(table: LiveTable, edit: dict[str, Any], words: str) -> None:
    before = table.document
    with pytest.raises(SilhouetteError, match=words):
        table.edit([edit])
    assert table.document == before


def test_a_piece_of_another_kind_and_one_that_goes_are_answers_for_the_next_run(table: LiveTable) -> None:
    table.edit([{"piece": "Vex", "kind": "terrain", "name": "statue"}])
    assert [one["name"] for one in table.document["terrain"]] == ["crate", "wall", "statue"]
    assert "facing" not in entry(table, "statue")
    assert "check" not in table.document
    (question,) = table.document["question"]
    assert (question["key"], question["answer"]) == ("piece at -200,-100", "terrain")
    table.edit([{"piece": "statue", "at": [-150, 0]}, {"piece": "statue", "kind": "fighter"}])
    assert entry(table, "statue")["facing"] == "unknown"
    table.edit([{"delete": "crate"}, {"delete": "Kal"}])
    said = [(one["key"], one["answer"]) for one in table.document["question"]]
    assert said[-1] == ("piece at 100,0", "no part of the game: leave it out"), "a hand has added Kal"
    table.undo()
    assert entry(table, "crate")
    with pytest.raises(SilhouetteError, match="kind"):
        table.edit([{"piece": "crate", "kind": "table"}])


def test_lines_and_pairs_that_make_no_sense_are_refused(table: LiveTable) -> None:
    folder = table.path.parent
    for along in (None, [[0, 0], [0, 0]], [[0, 0]], "across"):
        with pytest.raises(RequestError, match="along must be"):
            split_answer(folder, table.document, "crate", along)
    with pytest.raises(RequestError, match="'Kal' was not scanned"):
        split_answer(folder, table.document, "Kal", [[0, 0], [1, 0]])
    with pytest.raises(RequestError, match="one with itself"):
        join_answer(folder, table.document, "crate", "crate")
    table.edit([{"piece": "crate", "at": [110, 0]}])
    said = split_answer(folder, table.document, "crate", [[110, -20], [110, 20]])
    assert (said["key"], said["answer"]) == ("split at 100,0", "along 100.0,-20.0:100.0,20.0"), "where it was scanned"


@pytest.mark.slow
def test_a_scanned_piece_is_split_joined_and_split_no_more(tmp_path: Path) -> None:
    """The real scan of five figures without their meshes, from its file to what undo brings back."""
    file = tmp_path / "table.glb"
    shutil.copy(PROJECT / "scenes" / "scans" / "gang_table.glb", file)

    async def play() -> None:
        await scanned(file, tmp_path / "game")
        table = LiveTable.opened(tmp_path / "game" / "scene.toml", Cache(None))
        folder = table.path.parent
        x, y = entry(table, "terrain 1")["at"][:2]
        table.edit([{"piece": "figure 2", "at": [0, 120], "on": "surface"}])
        table.edit([{"copy": "figure 2", "as": "Bo"}, {"piece": "figure 1", "name": "Vex"}])
        table.edit([{"piece": "figure 3", "name": "Kal"}, {"piece": "Kal", "at": [40, 100]}, {"delete": "figure 4"}])
        before = set(pieces(table))
        await scan_again(table, split_answer(folder, table.document, "terrain 1", [[x, y - 50], [x, y + 50]]))
        (half,) = set(pieces(table)) - before
        assert before < set(pieces(table))
        assert entry(table, "figure 2")["at"][:2] == [0, 120], "what was moved stays so"
        assert entry(table, "Kal")["at"][:2] == [40, 100], "under another name too"
        assert entry(table, "figure 2")["doubt"]["place"] == 5
        await scan_again(table, join_answer(folder, table.document, "terrain 1", half))
        assert set(pieces(table)) == before
        table.undo()
        assert half in pieces(table)
        table.undo()
        assert set(pieces(table)) == before
        table.redo()
        table.save()
        assert LiveTable.opened(table.path, Cache(None)).document == read_document(table.path)

    asyncio.run(play())


def test_the_next_run_is_told_what_the_one_before_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[tuple[str, ...]] = []

    async def never(*command: str, **_: Any) -> None:
        commands.append(command)
        raise RequestError("not now")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", never)
    for source, alone in (("given", True), ("units", False)):
        record = {"scan": "table.glb", "scale": 25.4, "scale_from": source, "terrain_only": alone}
        record["table_number"] = 2 if alone else None
        (tmp_path / "scan.json").write_text(json.dumps(record), encoding="utf-8")
        with pytest.raises(RequestError, match="not now"):
            asyncio.run(scanned(tmp_path / "table.glb", tmp_path))
    assert commands[0][-5:] == ("--terrain-only", "--table", "2", "--scale", "25.4")
    assert commands[1][-1] == "--json"


def pieces(table: LiveTable) -> list[str]:
    return [piece.name for piece in table.scene.pieces]
