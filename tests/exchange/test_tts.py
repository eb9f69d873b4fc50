"""Saves of Tabletop Simulator: every object is placed, or left out with the reason; hostile ones are one clear line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.errors import FileError
from silhouette.exchange import imported, tts
from silhouette.exchange.folder import read_table
from silhouette.exchange.imported import ImportedTable
from silhouette.files.cache import Cache
from tests.exchange.unity import POINTS, address, kept, model, save, seen, transform

BUNDLE = {"AssetbundleURL": "http://example.com/kal.unity3d", "AssetbundleSecondaryURL": "", "TypeIndex": 1}

HAND_WRITTEN = """{
  "SaveName": "Ambush", "GameMode": "", "Date": "5/4/2024 8:12:03 PM", "Table": "Table_RPG", "Sky": "Sky_Museum",
  "Note": "", "LuaScript": "-- a script, {[,", "LuaScriptState": "",
  "ObjectStates": [
    {"GUID": "f00001", "Name": "HandTrigger", "Nickname": "",
     "Transform": {"posX": 0, "posY": 3, "posZ": -20, "rotX": 0,
                   "rotY": 0, "rotZ": 0, "scaleX": 12, "scaleY": 6, "scaleZ": 5}},
    {"GUID": "f00002", "Name": "Custom_Model", "Nickname": "[ff0000]Kal[-]", "Tags": ["gang: Orlock"], "Locked": false,
     "Transform": {"posX": 2, "posY": 1, "posZ": -4, "rotX": 0,
                   "rotY": 180, "rotZ": 0, "scaleX": 1, "scaleY": 1, "scaleZ": 1},
     "CustomMesh": {"MeshURL": "%s", "DiffuseURL": "", "NormalURL": "", "ColliderURL": "", "Convex": true,
                    "MaterialIndex": 1, "TypeIndex": 1, "CastShadows": true},
     "States": {"2": {"Name": "Custom_Model", "Nickname": "Kal, wounded"}}},
    {"GUID": "f00003", "Name": "Custom_Model", "Nickname": "", "Locked": true,
     "Transform": {"posX": 0, "posY": 1, "posZ": 0, "rotX": 0,
                   "rotY": 90, "rotZ": 0, "scaleX": 2, "scaleY": 2, "scaleZ": 2},
     "CustomMesh": {"MeshURL": "%s", "TypeIndex": 0}},
    {"GUID": "f00004", "Name": "Bag", "Nickname": "spares",
     "Transform": {"posX": 9, "posY": 1, "posZ": 9, "rotX": 0,
                   "rotY": 0, "rotZ": 0, "scaleX": 1, "scaleY": 1, "scaleZ": 1},
     "ContainedObjects": [{"Name": "Custom_Model", "Nickname": "Vex"}, {"Name": "Deck", "Nickname": "",
                           "GUID": "dd0001", "ContainedObjects": [{"Name": "Card", "Nickname": "Hit"}]}]},
    {"GUID": "f00005", "Name": "Die_6", "Nickname": "",
     "Transform": {"posX": 1, "posY": 1, "posZ": 1, "rotX": 0,
                   "rotY": 0, "rotZ": 0, "scaleX": 1, "scaleY": 1, "scaleZ": 1}}
  ]
}
"""


def read(tmp_path: Path, *states: Any, **options: Any) -> ImportedTable:
    (tmp_path / "Models").mkdir(exist_ok=True)
    return read_table(save(tmp_path / "save.json", *states), tmp_path / "Models", Cache(None), **options)


def reasons(table: ImportedTable) -> dict[str, str]:
    return {one.name: one.why for one in table.left_out}


def test_a_save_as_the_game_writes_it(tmp_path: Path) -> None:
    kept(tmp_path / "Models", 1)
    path = tmp_path / "TS_Save_1.json"
    path.write_text(HAND_WRITTEN % (address(1), address(1)))
    table = read_table(path, tmp_path / "Models", Cache(None))
    kal, wall = table.pieces
    assert (table.title, kal.name, kal.kind, kal.gang, wall.name, wall.kind) == (
        "Ambush", "Kal", "fighter", "Orlock", "Custom_Model f00003", "terrain"
    )  # fmt: skip
    assert (kal.at, kal.turn, kal.facing) == ((50.8, -101.6, 25.4), 0.0, 270.0)
    assert (wall.at, wall.turn, wall.facing) == ((0.0, 0.0, 25.4), 90.0, None)
    assert wall.keys == {"units": "inch", "up": "y", "scale": pytest.approx(2.0)}
    assert reasons(table) == {
        "HandTrigger f00001": "has no mesh of its own (HandTrigger)",
        "Kal, wounded": "is another state of Kal, not on the table",
        "Vex": "lies in spares, not on the table",
        "Deck dd0001": "lies in spares, not on the table",
        "Hit": "belongs to Deck dd0001, which is left out",
        "spares": "is a bag or a deck",
        "Die_6 f00005": "has no mesh of its own (Die_6)",
    }


@pytest.mark.parametrize(
    ("name", "title"), [("Ambush", "Ambush"), ("", "TS_Save_1"), (None, "TS_Save_1"), ("[b][/b]", "TS_Save_1")]
)
def test_a_save_without_a_name_is_called_as_its_file(tmp_path: Path, name: object, title: str) -> None:
    path = save(tmp_path / "TS_Save_1.json", SaveName=name)
    assert read_table(path, None, Cache(None)).title == title


def test_names_are_unique(tmp_path: Path) -> None:
    kept(tmp_path / "Models", 1)
    table = read(tmp_path, model("Kal"), model("Kal"), model("Kal 2"), {"Name": "Card", "Nickname": "Kal"})
    assert [piece.name for piece in table.pieces] == ["Kal", "Kal 2", "Kal 2 2"]
    assert list(reasons(table)) == ["Kal 3"]


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"mesh": 2}, "its mesh is not in the folder of the meshes"),
        ({"type_index": 2}, "is a die"),
        ({"type_index": 6}, "is a bag"),
        ({"Transform": None}, "has no Transform"),
        ({"Transform": {}}, "its posX is missing"),
        ({"Transform": {"posX": "1"}}, "its posX is no number"),
        ({"place": transform(at=(float("nan"), 0, 0))}, "its posX is out of range"),
        ({"place": transform(at=(float("inf"), 0, 0))}, "its posX is out of range"),
        ({"Transform": {"posX": 10**400, "posY": 0, "posZ": 0}}, "its posX is out of range"),
        ({"place": transform(at=(1e5, 0, 0))}, "over a kilometre"),
        ({"place": transform(scales=(1, 0, 1))}, "its scaleY is 0"),
        ({"place": transform(scales=1e5)}, "over a kilometre"),
        ({"place": transform(turns=(float("nan"), 0, 0))}, "its rotX is out of range"),
        ({"CustomMesh": {"MeshURL": 7}}, "has no mesh of its own"),
        ({"CustomMesh": None, "CustomAssetbundle": BUNDLE}, "is an asset bundle"),
        ({"ContainedObjects": [7]}, "is a bag or a deck"),
    ],
)
def test_what_cannot_stand_in_a_scene_is_left_out_with_the_reason(
    tmp_path: Path, keys: dict[str, Any], why: str
) -> None:
    kept(tmp_path / "Models", 1)
    table = read(tmp_path, model("Kal", **keys), model("Vex"))
    assert [piece.name for piece in table.pieces] == ["Vex"]
    assert why in reasons(table)["Kal"]


def test_a_part_without_a_mesh_is_left_out_and_the_rest_of_its_piece_is_placed(tmp_path: Path) -> None:
    kept(tmp_path / "Models", 1)
    hull = model("hull", transform((0, 2, 0)))
    stand = model("Hauler", mesh=9, ChildObjects=[hull, {"Name": "Token", "Nickname": "marker"}, 7])
    table = read(tmp_path, stand)
    (piece,) = table.pieces
    assert (piece.name, piece.baked) == ("Hauler", False)
    assert piece.at == (0.0, 0.0, 50.8)
    assert reasons(table)["Hauler"].endswith("its parts are placed")
    assert "(a part of Hauler)" in reasons(table)["marker"]
    assert len(table.left_out) == 3


def test_a_piece_of_several_meshes_names_its_parts(tmp_path: Path) -> None:
    kept(tmp_path / "Models", 1)
    place, inner = transform((1, 2, 3), (0, 40, 0), 2.0), transform((0, 1, 0))
    (piece,) = read(tmp_path, model("stand", place, ChildObjects=[model("hull", inner)])).pieces
    assert piece.mesh is not None
    assert piece.mesh.part_names == ("stand", "hull")
    faces = piece.mesh.faces[piece.mesh.part == 1]
    expected = seen(POINTS, inner, place)
    assert np.abs(np.sort(piece.mesh.vertices[np.unique(faces)] + piece.at, 0) - np.sort(expected, 0)).max() < 1e-3


@pytest.mark.parametrize(
    ("keys", "base", "height"),
    [
        ({"Nickname": "Kal 32mm"}, 32.0, 38.4),
        ({"Tags": ["25 mm base"]}, 25.0, 30.0),
        ({"CustomAssetbundle": BUNDLE | {"ColliderURL": address(1)}}, 27.94, 30.48),
    ],
)
def test_a_stand_in_of_its_base(tmp_path: Path, keys: dict[str, Any], base: float, height: float) -> None:
    kept(tmp_path / "Models", 1)
    bundle = {"Name": "Custom_Assetbundle", "Nickname": "Kal", "CustomAssetbundle": BUNDLE, **keys}
    bundle["Transform"] = transform((1, 0, 2), (0, 90, 0))
    assert not read(tmp_path, bundle).pieces
    (piece,) = read(tmp_path, bundle, stand_ins=True).pieces
    assert piece.keys == {"figure": {"base": base, "height": pytest.approx(height)}}
    assert (piece.at, piece.facing) == ((25.4, 50.8, 0.0), 0.0)


@pytest.mark.parametrize("scale, height", [((1, 1, 1), 30.48), ((1, 0.5, 1), 15.24), ((1, 0.2, 1), 33.5)])
def test_a_stand_in_is_as_high_as_its_collider_if_that_is_no_mere_disc(
    tmp_path: Path, scale: tuple[float, float, float], height: float
) -> None:
    """The collider is 27.94 mm wide: a quarter of that parts a crouching figure from a mere disc."""
    kept(tmp_path / "Models", 1)
    bundle = {
        "Name": "Custom_Assetbundle",
        "Nickname": "Kal",
        "CustomAssetbundle": BUNDLE | {"ColliderURL": address(1)},
    }
    bundle["Transform"] = transform((1, 0, 2), (0, 90, 0), scale)
    (piece,) = read(tmp_path, bundle, stand_ins=True).pieces
    assert piece.keys == {"figure": {"base": 27.94, "height": pytest.approx(height)}}


def test_the_parts_of_what_a_stand_in_stands_for_are_left_out_with_the_reason(tmp_path: Path) -> None:
    kept(tmp_path / "Models", 1)
    bundle = {"Name": "Custom_Assetbundle", "Nickname": "Kal 32mm", "CustomAssetbundle": BUNDLE}
    bundle |= {"Transform": transform((1, 0, 2)), "ChildObjects": [model("sword", transform((0, 1, 0)))]}
    table = read(tmp_path, bundle, stand_ins=True)
    assert [piece.name for piece in table.pieces] == ["Kal 32mm"]
    assert reasons(table)["sword"] == "is part of Kal 32mm, for which a stand-in stands"


def test_without_a_known_size_there_is_no_stand_in(tmp_path: Path) -> None:
    bundle = {"Name": "Custom_Assetbundle", "Nickname": "Kal", "CustomAssetbundle": BUNDLE, "Transform": transform()}
    table = read(tmp_path, bundle, model("crate 32mm", mesh=8), stand_ins=True)
    assert not table.pieces
    assert "no base is known" in reasons(table)["Kal"]
    assert "its mesh is not in the folder" in reasons(table)["crate 32mm"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no JSON", "is no JSON that can be read"),
        ("", "is no JSON"),
        ("[1, 2]", "has no list ObjectStates"),
        ('{"asset": {"version": "2.0"}}', "has no list ObjectStates"),
        ('{"ObjectStates": {"a": 1}}', "has no list ObjectStates"),
        ("[" * 200_000, "too deep"),
        ('{"ObjectStates": [' + "{}," * 100_000 + "{}]}", "holds over 20000 objects"),
        ('{"ObjectStates": [{"posX": ' + "9" * 5000 + "}]}", "too many digits"),
    ],
)
def test_what_is_no_save_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "save.json"
    path.write_text(text)
    with pytest.raises(FileError, match=says):
        read_table(path, None, Cache(None))


def test_objects_that_lie_deep_in_each_other_are_left_out(tmp_path: Path) -> None:
    kept(tmp_path / "Models", 1)
    deep: Any = model("deepest")
    for _ in range(60):
        deep = model("part", ChildObjects=[deep])
    table = read(tmp_path, deep)
    assert len(table.pieces) == 1
    assert len(table.left_out) == 61 - 1 - tts.MAX_OBJECT_LEVELS
    assert sum("levels deep" in why for why in reasons(table).values()) == 1
    assert [part for part in reasons(table) if part == "deepest"]


def test_a_table_with_too_many_triangles_leaves_out_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(tmp_path / "Models", 1)
    monkeypatch.setattr(tts, "MAX_ALL_BAKED_TRIANGLES", 12)
    tilted = transform(turns=(10, 0, 0))
    table = read(tmp_path, model("Kal", tilted), model("Vex", tilted))
    assert [piece.name for piece in table.pieces] == ["Kal"]
    assert "over 1000000 triangles" in reasons(table)["Vex"]


def read_with_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *states: Any) -> ImportedTable:
    """A table whose meshes are read ahead."""
    monkeypatch.setattr(imported, "MIN_PARALLEL_BYTES", 0)
    return read_table(save(tmp_path / "save.json", *states), tmp_path / "Models", Cache(tmp_path / "cache"))


def test_what_is_read_ahead_is_not_read_again_where_it_keeps_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tmp_path / "Models", 1)
    (kept(tmp_path / "Models", 2)).write_text("v 1 2\n")
    states = [model("Kal"), model("Vex", transform((5, 0, 5), (0, 30, 0), 2.0)), model("lost", mesh=2)]
    expected = read(tmp_path, *states)
    monkeypatch.setattr(tts, "read_mesh", lambda *_: pytest.fail("a mesh is read again"))
    table = read_with_processes(tmp_path, monkeypatch, *states)
    assert table.pieces
    assert list(map(vars, table.pieces)) == list(map(vars, expected.pieces))
    assert reasons(table) == reasons(expected)


def test_what_is_read_ahead_counts_to_the_triangles_of_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 2, 3):
        kept(tmp_path / "Models", number, POINTS * number)
    monkeypatch.setattr(tts, "MAX_TABLE_TRIANGLES", 15)
    states = [model(f"ball {number}", mesh=number) for number in (1, 2, 3)]
    assert "is one too many" in reasons(read(tmp_path, *states))["ball 3"]
    assert list(reasons(read_with_processes(tmp_path, monkeypatch, *states))) == ["ball 3"]


def test_a_file_that_is_lost_after_it_was_read_ahead_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = kept(tmp_path / "Models", 1)
    look = tts.KeptMeshes.find

    def lost(kept_meshes: tts.KeptMeshes, name: str) -> Path | None:
        found = look(kept_meshes, name)
        seen_before.append(name)
        if len(seen_before) == 2:  # once to read ahead, and now for the piece
            file.unlink()
        return found

    seen_before: list[str] = []
    monkeypatch.setattr(tts.KeptMeshes, "find", lost)
    table = read_with_processes(tmp_path, monkeypatch, model("Kal", transform(turns=(10, 0, 0))))
    assert not table.pieces
    assert reasons(table)["Kal"].endswith(f"{file.name} is not there; check the path")


def test_every_object_is_placed_or_listed(tmp_path: Path) -> None:
    kept(tmp_path / "Models", 1)
    names = [f"object {number}" for number in range(300)]
    rng = np.random.default_rng(1)
    states = []
    for name in names:
        keys = rng.choice(["CustomMesh", "Transform", "ContainedObjects", "Tags", "nothing"])
        states.append(json.loads(json.dumps(model(name) | {str(keys): rng.choice([1, 2]).item()})))
    table = read(tmp_path, *states)
    assert sorted([piece.name for piece in table.pieces] + list(reasons(table))) == sorted(names)


CLEAR = {"r": 1, "g": 1, "b": 1, "a": 0}


def test_what_is_invisible_in_the_game_is_left_out_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    kept(tmp_path / "Models", 1)
    other = model("range helper, turned", ColorDiffuse=CLEAR)
    helper = model("range helper", ColorDiffuse=CLEAR, States={"2": other}, ChildObjects=[model("its post")])
    parts = [model("glass", ColorDiffuse=CLEAR, ChildObjects=[model("its rim")]), model("door")]
    table = read(tmp_path, helper, model("house", ChildObjects=parts), model("shade", ColorDiffuse={**CLEAR, "a": 0.5}))
    assert [piece.name for piece in table.pieces] == ["house", "shade"]
    why = reasons(table)
    assert why["range helper"] == "is invisible in the game: its colour has alpha 0"
    assert "another state of range helper" in why["range helper, turned"]
    assert why["its post"] == "is a part of range helper, which is left out"
    assert why["glass"] == "is invisible in the game: its colour has alpha 0 (a part of house)"
    assert why["its rim"] == "is a part of glass, which is left out"
    house = table.pieces[0].mesh
    assert house is not None
    assert house.part_names == ("house", "door")


@pytest.mark.parametrize("alpha", [1, 1.0, 0.01, "0", None, True, [], {}])
def test_any_other_alpha_is_visible(tmp_path: Path, alpha: Any) -> None:
    kept(tmp_path / "Models", 1)
    table = read(tmp_path, model("wall", ColorDiffuse={**CLEAR, "a": alpha}), model("bare", ColorDiffuse={"r": 1}))
    assert [piece.name for piece in table.pieces] == ["wall", "bare"]


@pytest.mark.parametrize("alpha", [0, 0.0, -1, 0.001])
def test_alpha_that_rounds_to_nothing_is_invisible(tmp_path: Path, alpha: Any) -> None:
    kept(tmp_path / "Models", 1)
    assert not read(tmp_path, model("wall", ColorDiffuse={**CLEAR, "a": alpha})).pieces


def test_the_parts_of_what_has_no_place_are_left_out_with_it(tmp_path: Path) -> None:
    table = read(tmp_path, model("Kal", Transform={"posX": "1"}, ChildObjects=[model("sword")]))
    assert reasons(table) == {"Kal": "its posX is no number", "sword": "is a part of Kal, which is left out"}
