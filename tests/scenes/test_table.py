from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import StrictBool

from silhouette.common.errors import FileError, RequestError
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry
from silhouette.meshes.primitives import Box, Solid, solid
from silhouette.scenes.scene import read_document
from silhouette.scenes.table import TableScene, in_base_contact, load_table_scene

NO_CACHE = Cache(None)


class NoReadings(Entry):
    pass


class SomeReadings(Entry):
    share: Literal["whole target", "in arc"] = "whole target"
    ignored_parts_block: StrictBool = False


def round_base(diameter: float = 25.0) -> dict[str, Any]:
    return {"cylinder": {"diameter": diameter, "height": 3}, "base": True}


def fighter(name: str, at: list[float], **keys: Any) -> dict[str, Any]:
    parts = [round_base(), {"box": [10, 6, 28], "at": [0, 0, 3]}]
    return {"name": name, "at": at, "parts": parts, **keys}


def placed(path: Path = Path("duel.toml"), **tables: Any) -> TableScene:
    return load_table_scene(path, {"rules": "necromunda", **tables}, NoReadings, NO_CACHE)


def touching(a: dict[str, Any], b: dict[str, Any], **tables: Any) -> bool:
    scene = placed(fighter=[a, b], **tables)
    one, other = scene.pieces
    assert in_base_contact(scene, one, other) == in_base_contact(scene, other, one)
    return in_base_contact(scene, one, other)


def test_every_worked_case_loads(shared: Path) -> None:
    cases = sorted((shared / "rules/cases/necromunda").glob("*.json"))
    assert len(cases) > 50
    for path in cases:
        document = read_document(path)
        scene = load_table_scene(path, document, NoReadings, NO_CACHE)
        assert len(scene.checks) == len(document["check"])
        names = [piece["name"] for table in ("terrain", "fighter", "vehicle") for piece in document.get(table, [])]
        assert [piece.name for piece in scene.pieces] == names
        assert [piece.index for piece in scene.pieces] == list(range(len(names)))
        assert scene.warnings == ()
        for piece in scene.pieces:
            assert np.isfinite(piece.eye).all()
            assert len(piece.base_outline) >= 4


def test_at_of_two_numbers_stands_on_the_table() -> None:
    scene = placed(fighter=[fighter("Kal", [10, 20]), fighter("Vex", [10, 20, 30])])
    assert scene.piece("Kal").pose.translation.tolist() == [10.0, 20.0, 0.0]
    assert scene.piece("Vex").base_span == (30.0, 33.0)


def test_facing_turns_a_piece_so_that_its_front_points_there() -> None:
    scene = placed(
        fighter=[
            fighter("as it is", [100, 0], eye=[0, 20, 25]),
            fighter("to +x", [100, 0], facing=0, eye=[0, 20, 25]),
            fighter("front +x", [100, 0], facing=90, front=0, eye=[20, 0, 25]),
        ]
    )
    assert scene.piece("as it is").eye.tolist() == [100.0, 20.0, 25.0]
    assert scene.piece("to +x").eye.tolist() == [120.0, 0.0, 25.0]
    assert scene.piece("front +x").eye.tolist() == [100.0, 20.0, 25.0]
    assert {piece.eye_from for piece in scene.pieces} == {"given"}


@settings(max_examples=30)
@given(facing=st.floats(-720, 720), front=st.floats(-720, 720))
def test_the_estimated_eye_looks_along_the_facing(facing: float, front: float) -> None:
    parts = [{"cylinder": {"diameter": 10, "height": 30}}]
    scene = placed(fighter=[{"name": "Kal", "at": [0, 0], "parts": parts, "facing": facing, "front": front}])
    eye = scene.piece("Kal").eye
    ahead = np.array([math.cos(math.radians(facing)), math.sin(math.radians(facing))])
    assert eye[:2] == pytest.approx(5.0 * ahead, abs=0.02)
    assert scene.piece("Kal").eye_from == "estimated"


def test_a_vehicles_arcs_and_centre() -> None:
    truck = {
        "name": "truck",
        "at": [200, 40],
        "facing": 0,
        "arcs": ["front", "left", "front"],
        "parts": [{"box": [60, 120, 40], "at": [0, 10, 0]}],
    }
    piece = placed(vehicle=[truck, {**truck, "name": "plain", "arcs": ["front"]}]).piece("truck")
    assert piece.arcs == ("front", "left")
    assert piece.base_centre.tolist() == [210.0, 40.0]
    assert piece.body_box.shape == (8, 3)
    assert piece.body_box.min(axis=0).tolist() == [150.0, 10.0, 0.0]


def test_roles_of_solids_are_those_of_each_solid_even_under_one_name() -> None:
    parts = [
        {"box": [20, 20, 3], "name": "wood", "base": True},
        {"box": [10, 10, 20], "at": [0, 0, 3], "name": "wood"},
        {"sphere": {"diameter": 6}, "at": [0, 0, 23], "insignificant": True},
    ]
    model = placed(fighter=[{"name": "Kal", "at": [0, 0], "parts": parts}]).piece("Kal").model
    assert model.role[:24].tolist() == [1] * 12 + [0] * 12
    assert set(model.role[24:].tolist()) == {2}
    assert model.body_box.tolist() == [[-5.0, -5.0, 3.0], [5.0, 5.0, 23.0]]


def test_bases_are_in_contact_up_to_one_millimetre_apart() -> None:
    kal = fighter("Kal", [0, 0])
    for angle in np.radians(np.linspace(0, 90, 13)):
        for gap, contact in ((0.0, True), (0.5, True), (1.0, True), (1.02, False), (3.0, False), (-5.0, True)):
            at = [(25 + gap) * math.cos(angle), (25 + gap) * math.sin(angle)]
            assert touching(kal, fighter("Vex", at)) is contact, (gap, angle)


def test_bases_in_contact_must_overlap_in_height_and_touching_counts() -> None:
    kal = fighter("Kal", [0, 0, 0])
    assert touching(kal, fighter("Vex", [25, 0, 2]))
    assert touching(kal, fighter("Vex", [25, 0, 3]))
    assert not touching(kal, fighter("Vex", [25, 0, 3.1]))


def test_a_vehicle_without_a_base_touches_with_its_footprint() -> None:
    truck = {"name": "truck", "at": [43.5, 0], "facing": 45, "parts": [{"box": [60, 60, 20]}]}
    corner_on = placed(fighter=[fighter("Kal", [0, 0])], vehicle=[truck])
    assert in_base_contact(corner_on, *corner_on.pieces)
    side_on = placed(fighter=[fighter("Kal", [0, 0])], vehicle=[{**truck, "facing": 90}])
    assert in_base_contact(side_on, *side_on.pieces)
    apart = placed(fighter=[fighter("Kal", [0, 0])], vehicle=[{**truck, "facing": 90, "at": [43.6, 0]}])
    assert not in_base_contact(apart, *apart.pieces)


def test_a_list_of_base_contacts_is_the_whole_list() -> None:
    near, far = fighter("Vex", [25, 0]), fighter("Vex", [500, 0])
    assert not touching(fighter("Kal", [0, 0]), near, base_contact=[])
    assert touching(fighter("Kal", [0, 0]), far, base_contact=[["Vex", "Kal"]])


def test_pieces_alike_share_one_model_whatever_their_eyes(tmp_path: Path) -> None:
    wall = solid(Solid(Box((60.0, 5.0, 30.0))))
    (tmp_path / "wall.off").write_text(
        f"OFF\n{len(wall.vertices)} {len(wall.faces)} 0\n"
        + "".join(f"{x} {y} {z}\n" for x, y, z in wall.vertices.tolist())
        + "".join(f"3 {a} {b} {c}\n" for a, b, c in wall.faces.tolist())
    )
    (tmp_path / "models").mkdir()
    (tmp_path / "models/wall.toml").write_text('mesh = "../wall.off"\nkind = "terrain"\n')
    scene = placed(
        tmp_path / "duel.toml",
        terrain=[
            {"name": "a", "model": "models/wall.toml", "at": [0, 0]},
            {"name": "b", "model": "models/wall.toml", "at": [0, 50]},
            {"name": "c", "mesh": "wall.off", "at": [0, 90]},
            {"name": "d", "mesh": "wall.off", "at": [0, 99], "units": "mm"},
            {"name": "e", "model": "models/wall.toml", "at": [0, 200], "scale": 2},
        ],
        fighter=[fighter("Kal", [0, 300]), fighter("Vex", [0, 400], eye=[0, 0, 20])],
    )
    a, b, c, _, e, kal, vex = (piece.model for piece in scene.pieces)
    assert a is b
    assert kal is vex
    assert a.mesh.digest == c.mesh.digest
    assert e.body_box[1, 2] == 60.0
    assert scene.piece("Vex").eye.tolist() == [0.0, 400.0, 20.0]
    assert scene.piece("Kal").eye[2] == pytest.approx(3 + 0.9 * 28)


def test_readings_are_checked_by_the_rule_systems_own_schema() -> None:
    def readings(**given: object) -> Entry:
        document = {"rules": "necromunda", "readings": given}
        return load_table_scene(Path("a.toml"), document, SomeReadings, NO_CACHE).readings

    assert readings() == SomeReadings()
    assert readings(share="in arc") == SomeReadings(share="in arc")
    for given_, said in (
        ({"shaer": 1}, "readings: unknown key 'shaer'; did you mean 'share'"),
        ({"share": "half"}, 'readings, share is "half"; it must be "whole target" or "in arc"'),
        ({"ignored_parts_block": 1}, "readings, ignored_parts_block is 1; it must be true or false"),
    ):
        with pytest.raises(FileError, match=said):
            readings(**given_)


def test_what_a_scene_says_about_itself_is_kept() -> None:
    scene = placed(
        title="Duel",
        source={"case": "x"},
        tolerance=0.02,
        pixel=0.2,
        fighter=[fighter("Kal", [0, 0], gang="Orlock"), fighter("Vex", [99, 0])],
        check=[{"attacker": "Kal", "target": "Vex", "arc": "front", "expect": {"occluded": [0, 0.1]}}],
    )
    assert (scene.title, scene.rules, scene.source, scene.tolerance, scene.pixel) == (
        "Duel", "necromunda", {"case": "x"}, 0.02, 0.2,
    )  # fmt: skip
    assert (scene.piece("Kal").gang, scene.piece("Vex").gang) == ("Orlock", None)
    (check,) = scene.checks
    assert (check.attacker, check.target, check.arc, check.expect) == ("Kal", "Vex", "front", {"occluded": [0, 0.1]})
    assert placed().tolerance == 0.01


def test_asking_for_a_piece_that_is_not_there_names_the_near_one() -> None:
    scene = placed(fighter=[fighter("Kal", [0, 0])])
    with pytest.raises(RequestError, match="nothing is called 'Kall'; did you mean 'Kal'"):
        scene.piece("Kall")


def test_a_scene_can_be_sent_to_another_process() -> None:
    scene = placed(fighter=[fighter("Kal", [0, 0])])
    again = pickle.loads(pickle.dumps(scene))
    assert again.piece("Kal").eye.tolist() == scene.piece("Kal").eye.tolist()


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    document = {"rules": "necromunda", "fighter": [fighter("Kal", [0, 0])]}
    (tmp_path / "a.json").write_text(json.dumps(document))
    (tmp_path / "a.toml").write_text(
        'rules = "necromunda"\n[[fighter]]\nname = "Kal"\nat = [0, 0]\nparts = [\n'
        "  { cylinder = { diameter = 25, height = 3 }, base = true },\n  { box = [10, 6, 28], at = [0, 0, 3] },\n]\n"
    )
    assert read_document(tmp_path / "a.json") == read_document(tmp_path / "a.toml")


def hull(**keys: Any) -> dict[str, Any]:
    """A vehicle of 60 by 120 mm, whose front is +y in its own frame."""
    return {"name": "truck", "at": [0, 0], "parts": [{"box": [60, 120, 40]}], **keys}


@pytest.mark.parametrize(
    ("keys", "turned", "faces"),
    [
        ({}, 0.0, 90.0),  # as it lies in its file
        ({"front": 0}, 0.0, 0.0),
        ({"facing": 0}, -90.0, 0.0),
        ({"facing": 0, "front": 0}, 0.0, 0.0),
        ({"turn": 30}, 30.0, 120.0),
        ({"turn": 30, "front": 0}, 30.0, 30.0),
        ({"turn": 30, "facing": 200}, 30.0, 200.0),  # facing turns nothing
        ({"facing": "unknown"}, 0.0, None),
        ({"turn": 30, "facing": "unknown"}, 30.0, None),
    ],
)
def test_turn_says_how_a_piece_lies_and_facing_where_it_looks(
    keys: dict[str, Any], turned: float, faces: float | None
) -> None:
    for piece in placed(fighter=[fighter("Kal", [7, 5], **keys)], vehicle=[hull(**keys)]).pieces:
        ahead = piece.pose.place([[1.0, 0.0, 0.0]])[0] - piece.pose.translation
        assert math.degrees(math.atan2(ahead[1], ahead[0])) == pytest.approx(turned)
        assert piece.facing == (None if faces is None else pytest.approx(faces))
        assert piece.ahead == pytest.approx(piece.model.front + turned if faces is None else faces)


@pytest.mark.parametrize("turn", [0.0, 31.0])
def test_an_eye_is_estimated_where_the_piece_looks_and_not_at_the_front_of_its_file(turn: float) -> None:
    parts = [{"cylinder": {"diameter": 10, "height": 30}}]
    piece = placed(fighter=[{"name": "Kal", "at": [0, 0], "parts": parts, "turn": turn, "facing": 200}]).pieces[0]
    assert piece.eye[:2] == pytest.approx(
        5.0 * np.array([math.cos(math.radians(200)), math.sin(math.radians(200))]), abs=0.02
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"turn": 30, "facing": 90}, "terrain 'wall': it has turn and facing; terrain must have one of them"),
        ({"facing": "unknown"}, "terrain 'wall': facing is \"unknown\", but terrain looks nowhere"),
        ({"facing": "north"}, "terrain 'wall', facing is \"north\"; it must be a number of degrees"),
        ({"facing": True}, "terrain 'wall', facing is true; it must be a number of degrees"),
        ({"turn": "unknown"}, "terrain 'wall', turn is \"unknown\"; it must be a number of degrees"),
    ],
)
def test_what_terrain_may_not_say_about_how_it_stands(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(FileError, match=message):
        placed(terrain=[{"name": "wall", "at": [0, 0], "parts": [{"box": [60, 5, 30]}], **keys}])


def test_terrain_with_facing_and_no_front_is_told_of_turn() -> None:
    wall = {"name": "wall", "at": [0, 0], "parts": [{"box": [60, 5, 30]}]}
    doubt = "wall: facing turns it by -90° from how it lies in its file, since no front is given; say turn = -90 "
    assert placed(terrain=[{**wall, "facing": 0}]).warnings == (doubt + "instead, or give front",)
    for keys in ({}, {"turn": -90}, {"facing": 0, "front": 90}):
        assert placed(terrain=[{**wall, **keys}]).warnings == ()
    assert placed(fighter=[fighter("Kal", [0, 0], facing=0)]).warnings == ()


ROUND_BASE = {"cylinder": {"diameter": 25, "height": 3}, "base": True}
BODY = {"box": [8, 8, 30], "at": [0, 0, 3]}
OVAL = [{**ROUND_BASE, "at": [x, 0, 0]} for x in (-10, 10)] + [{"box": [20, 25, 3], "base": True}]
SQUARE = {"box": [20, 20, 3], "base": True}


@pytest.mark.parametrize("angle", [0.0, 0.9375, 0.5, 17.3, 45.0, 89.0, 123.456])
@pytest.mark.parametrize(
    ("keys", "reach"),
    [
        ({"parts": [ROUND_BASE, BODY]}, 12.5),
        ({"parts": [{"cylinder": {"diameter": 25, "height": 30}}]}, 12.5),
        ({"parts": [{"sphere": {"diameter": 25}}]}, 12.5),
        ({"parts": [*OVAL, BODY]}, 22.5),
        ({"parts": [SQUARE, BODY]}, 10.0),
        ({"figure": {"base": 25, "height": 30}}, 12.5),
    ],
    ids=["base", "body", "sphere", "oval", "square", "stand-in"],
)
def test_contact_ends_at_one_millimetre_whatever_stands_there_and_however_turned(
    keys: dict[str, Any], reach: float, angle: float
) -> None:
    turn = {"turn": angle, "eye": [0, 0, 25]}
    ahead = np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
    kal = {"name": "Kal", "at": (1234.5 + ahead).tolist(), **keys, **turn}
    for gap, contact in ((1.0, True), (1.0 + 1e-7, True), (1.00001, False), (0.999, True), (1.004, False)):
        place = 1234.5 + ahead + (2 * reach + gap) * ahead
        vex = {"name": "Vex", "at": [float(f"{x:.12f}") for x in place], **keys, **turn}
        assert touching(kal, vex) is contact, (gap, angle)


def test_a_given_diameter_is_a_circle_for_contact_too(tmp_path: Path) -> None:
    box = solid(Solid(Box((8.0, 8.0, 30.0))))
    trimesh.Trimesh(box.vertices, box.faces).export(tmp_path / "man.stl")
    man = {"mesh": "man.stl", "units": "mm", "base": {"diameter": 25}, "eye": [0, 0, 25]}
    for angle in np.radians([0.0, 0.5, 17.3]):
        for gap, contact in ((1.0, True), (1.0001, False)):
            at = [(25 + gap) * math.cos(angle), (25 + gap) * math.sin(angle)]
            a, b = {"name": "Kal", "at": [0, 0], **man}, {"name": "Vex", "at": at, **man}
            scene = placed(tmp_path / "duel.toml", fighter=[a, b])
            assert in_base_contact(scene, *scene.pieces) is contact, (angle, gap)
