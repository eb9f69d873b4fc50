"""Warnings about what a scene says of its pieces: each fires just outside its bound, and where it touches alone."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.rules import rule_of
from silhouette.scenes.scene import Scene
from silhouette.scenes.table import TableScene
from tests.support.commands import QUICK, run
from tests.support.sane_scenes import GAMES, sane_scene, tilted_figures

BODY = [{"cylinder": {"diameter": 25, "height": 3}, "base": True}, {"box": [12, 8, 28], "at": [0, 0, 3]}]
PRONE = {"name": "Odd", "at": [0, 0], "posture": "prone"}
COVER = {"name": "Odd", "at": [0, 0], "size": [8, 120], "height": 2}
HULL = [{"box": [60, 100, 40]}]


def fighter(name: str, y: float, **keys: Any) -> dict[str, Any]:
    return {"name": name, "at": [0, y], "parts": BODY, "facing": 90, "eye": [0, 4, 28], **keys}


def loaded(document: dict[str, Any]) -> Scene:
    scene: Scene = rule_of(Path("duel.toml"), document).load(Path("duel.toml"), document, Cache(None))
    return scene


def duel(*fighters: dict[str, Any], **document: Any) -> TableScene:
    scene = loaded({"rules": "necromunda", "fighter": list(fighters), **document})
    assert isinstance(scene, TableScene)
    return scene


def texts_of(*fighters: dict[str, Any], **document: Any) -> list[str]:
    return [one.text for one in duel(*fighters, **document).placement_warnings]


def is_said(words: str, *fighters: dict[str, Any], **document: Any) -> bool:
    """Whether exactly one warning has these words; none but it is there."""
    texts = texts_of(*fighters, **document)
    assert all(words in text for text in texts), texts
    assert len(texts) <= 1
    return bool(texts)


KAL, VEX = fighter("Kal", -150), fighter("Vex", 150)


# ---- gangs and names


@pytest.mark.parametrize(
    ("first", "second", "fires"),
    [
        *(("A", "a", True), ("Van Saar", "VanSaar", True), ("Red ", "Red", True), ("van  saar", "Van Saar", True)),
        *(
            ("Escher", "Escher\u200b", True),
            ("Straße", "STRASSE", True),
            ("Ünder", "U\u0308nder", True),
            ("the reds", "The Reds", True),
        ),
        *(("A", "B", False), ("red", "reds", False), ("Escher 1", "Escher 2", False), ("1 11", "11 1", False)),
        *(("Red", "Réd", False), ("A", "A", False)),
    ],
)
def test_gangs_that_differ_by_case_or_blanks(first: str, second: str, fires: bool) -> None:
    assert is_said("differ by case or blanks", {**KAL, "gang": first}, {**VEX, "gang": second}) == fires


@pytest.mark.parametrize("game", ["necromunda", "kill-team-2024", "warhammer-40000-10"])
def test_gangs_of_vehicles_count_and_the_warning_goes_to_their_checks(game: str) -> None:
    vehicle = {"name": "Hauler", "at": [150, 0], "parts": HULL, "facing": 0, "gang": "red"}
    others = [{**KAL, "gang": "Red"}, {**VEX, "gang": "blue"}, fighter("Yar", 300, gang="blue")]
    scene = loaded({"rules": game, "fighter": others, "vehicle": [vehicle]})
    assert isinstance(scene, TableScene)
    (text,) = scene.doubts("Kal", ["Vex"])
    assert text.startswith(
        'the gangs "Red" and "red" differ by case or blanks alone, and count as 2; write the same for'
    )
    assert scene.doubts("Vex", ["Hauler"]) == [text]
    assert scene.doubts("Vex", ["Yar"]) == []


def test_a_fighter_without_a_gang_where_others_have_one() -> None:
    words = "has no gang, while others have one"
    assert is_said(words, {**KAL, "gang": "red"}, VEX)
    assert not is_said(words, KAL, VEX)
    assert not is_said(words, {**KAL, "gang": "red"}, {**VEX, "gang": "blue"})
    scene = duel({**KAL, "gang": "red"}, {**VEX, "gang": "blue"}, fighter("Yar", 300))
    assert scene.doubts("Kal", ["Vex"]) == []
    assert scene.doubts("Kal", ["Yar"]) == scene.doubts("Yar", ["Kal"]) == [scene.placement_warnings[0].text]


@pytest.mark.parametrize(
    ("first", "second", "fires"),
    [("Kal", "kal", True), ("Kal 1", "Kal1", True), ("Kal", "Kal ", True), ("Kal 1", "Kal 2", False)],
)
def test_names_that_differ_by_case_or_blanks(first: str, second: str, fires: bool) -> None:
    words = "give each a name that nobody mistakes"
    assert is_said(words, {**KAL, "name": first}, {**VEX, "name": second}) == fires
    wall = {"name": second, "at": [200, 0], "parts": [{"box": [60, 8, 30]}]}
    assert is_said(words, {**KAL, "name": first}, VEX, terrain=[wall]) == fires


CROWDED: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "crisis-protocol": lambda one, other: {
        "ranges": {"1": 60, "2": 120},
        "character": [{"name": one, "size": 2, "at": [0, 0], "base": 35}],
        "object": [{"name": other, "size": 1, "polygon": [[90, 0], [99, 0], [99, 9]]}],
    },
    "ikosa": lambda one, other: {
        "mode": "melee",
        "creature": [
            {"name": name, "cells": [[number, 0, 0]], "gravity": "-z"} for number, name in enumerate((one, other))
        ],
    },
    "tide-of-iron": lambda one, other: {"unit": [{"name": one, "at": [0, 0]}, {"name": other, "at": [2, 0]}]},
    "skirmishcorps": lambda one, other: {"unit": [{"name": one, "at": [0, 0]}, {"name": other, "at": [200, 0]}]},
}


@pytest.mark.parametrize("game", sorted(CROWDED))
def test_names_in_every_game(game: str) -> None:
    words = "differ by case or blanks alone; give each a name"
    assert any(words in text for text in loaded({"rules": game, **CROWDED[game]("Kal", "kal")}).warnings)
    assert not any(words in text for text in loaded({"rules": game, **CROWDED[game]("Kal", "Vex")}).warnings)


@pytest.mark.parametrize(("key", "table"), [("unit", "fighter"), ("feature", "terrain")])
def test_games_by_data_have_names_of_groups_of_their_own(key: str, table: str) -> None:
    walls = [{"name": name, "at": [x, 0], "parts": [{"box": [60, 8, 30]}]} for name, x in (("w1", -200), ("w2", 200))]
    tables = {"fighter": [dict(KAL), dict(VEX)], "terrain": walls}
    for first, second, fires in (("North", "north", True), ("North", "South", False), ("North", "North", False)):
        tables[table][0][key], tables[table][1][key] = first, second
        scene = loaded({"rules": "kill-team-2024", **tables})
        assert any(f"the texts of {key}" in text for text in scene.warnings) == fires


# ---- angles


@pytest.mark.parametrize("key", ["facing", "turn", "front"])
@pytest.mark.parametrize(
    ("angle", "degrees"),
    [
        *((steps * math.pi / 12, 15 * steps) for steps in (1, 2, 3, 6, 12, 18, 24, -1, -6, -12, -24)),
        *((1.5708, 90), (1.57, 90), (3.1416, 180), (0.7854, 45)),
        *((math.pi / 2 + 0.00099, 90), (math.pi / 2 - 0.00099, 90)),
        *((math.pi / 2 + 0.00101, None), (math.pi / 2 - 0.00101, None)),
        *((angle, None) for angle in (0.0, 0.0005, 0.5, 1.0, 1.5, 3.0, 4.5)),
        *((angle, None) for angle in (15.0, 22.5, 30.0, 45.0, 90.0, -90.0, 355.0, 710.0, 22.0, 44.0, 1.56, 3.15)),
    ],
)
def test_an_angle_in_radians(key: str, angle: float, degrees: float | None) -> None:
    words = f"{key} = {angle:g} is {degrees:g}° in radians" if degrees is not None else "in radians"
    assert is_said(words, {**KAL, key: angle}, VEX) == (degrees is not None)


def test_angles_of_terrain_and_of_solids_count_where_the_piece_may_be_in_the_way() -> None:
    wall = {"name": "wall", "at": [0, 0], "parts": [{"box": [120, 8, 30]}], "turn": 1.5708}
    far = fighter("Far", 900), fighter("Farther", 1200)
    scene = duel(KAL, VEX, *far, terrain=[wall])
    (text,) = scene.doubts("Kal", ["Vex"])
    assert text.startswith("wall: turn = 1.5708 is 90° in radians")
    assert scene.doubts("Far", ["Farther"]) == []
    turned = {**wall, "turn": 0, "parts": [{"box": [120, 8, 30], "turn": math.pi}]}
    assert is_said("turn = 3.14159 is 180°", KAL, VEX, terrain=[turned])
    vehicle = {"name": "Hauler", "at": [200, 0], "parts": HULL, "facing": 0.5236}
    assert is_said("Hauler: facing = 0.5236 is 30°", KAL, VEX, vehicle=[vehicle])


def test_angles_that_a_program_measured_are_not_looked_at(tmp_path: Path) -> None:
    """A scan writes two decimals and a doubt, an import its program; what a person adds to a scan is looked at."""
    scanned = {**KAL, "turn": 1.57, "facing": 2.88, "doubt": {"place": 0.3, "facing": 1.0}}
    assert not is_said("in radians", scanned, VEX)
    assert is_said("facing = 1.5708", {**scanned, "facing": 1.5708}, VEX)
    assert not is_said("in radians", {**scanned, "facing": "unknown"}, VEX)
    imported = {**KAL, "turn": 1.5707963, "facing": 4.712389}
    assert not is_said("in radians", imported, VEX, source={"program": "Tabletop Simulator", "file": "a.json"})
    assert is_said("in radians", {**KAL, "facing": 4.712389}, VEX, source={"program": "x"})


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        ({"unit": [PRONE | {"lies_along": 1.5708}]}, "lies_along = 1.5708 is 90°"),
        ({"unit": [PRONE | {"lies_along": 90}]}, None),
        ({"cover": [COVER | {"turn": 0.7854}]}, "turn = 0.7854 is 45°"),
        ({"cover": [COVER | {"turn": 45}]}, None),
        ({"unit": [{"name": "Odd", "at": [0, 0], "parts": BODY, "facing": 3.1416}]}, "facing = 3.1416 is 180°"),
    ],
)
def test_angles_in_skirmishcorps(piece: dict[str, Any], words: str | None) -> None:
    scene = loaded({"rules": "skirmishcorps", **piece})
    assert [text for text in scene.warnings if "radians" in text and (words is None or words in text)] == [
        text for text in scene.warnings if "radians" in text
    ]
    assert any("radians" in text for text in scene.warnings) == (words is not None)


# ---- lengths: inches and mm


@pytest.mark.parametrize(
    ("parts", "fires"),
    [
        ([{"box": [4.7, 0.3, 0.9]}], True),
        ([{"box": [120, 2.99, 2.99]}], True),
        ([{"box": [120, 3.0, 2.99]}], False),
        ([{"box": [120, 8, 0.5]}], False),
        ([{"cylinder": {"diameter": 2.9, "height": 4}}], True),
        ([{"cylinder": {"diameter": 3.1, "height": 0.5}}], False),
        ([{"cylinder": {"diameter": 1.5, "height": 12, "axis": "x"}}], True),
        ([{"sphere": {"diameter": 2.0}}], True),
        ([{"box": [4, 0.5, 2]}, {"box": [0.5, 4, 2], "turn": 45}], True),
        ([{"box": [4, 0.5, 2]}, {"box": [50, 4, 20]}], False),
    ],
)
def test_terrain_as_thin_as_wire_in_a_scene_of_inches(parts: list[dict[str, Any]], fires: bool) -> None:
    inches = [{**KAL, "at": [0, -6]}, {**VEX, "at": [0, 6]}]
    wall = {"name": "wall", "at": [0, 0], "parts": parts}
    assert is_said("thinner than 3 mm in two directions", *inches, terrain=[wall], units="inch") == fires
    assert not is_said("thinner", KAL, VEX, terrain=[wall])


def test_thin_terrain_touches_the_checks_that_it_would_be_in_the_way_of() -> None:
    wall = {"name": "wall", "at": [0, 0], "parts": [{"box": [4.7, 0.3, 0.9]}]}
    far = {**fighter("Far", 40), "at": [40, 40]}, {**fighter("Farther", 50), "at": [40, 50]}
    scene = duel({**KAL, "at": [0, -6]}, {**VEX, "at": [0, 6]}, *far, terrain=[wall], units="inch")
    (text,) = scene.doubts("Kal", ["Vex"])
    assert "if [4.7, 0.3, 0.9] are inches, write [119.38, 7.62, 22.86]" in text
    assert 'units = "inch" holds for at, under and table' in text
    assert scene.doubts("Far", ["Farther"]) == []


def test_thin_terrain_in_a_scene_of_squares_is_told_of_squares() -> None:
    wall = {"name": "wall", "at": [0, 0], "parts": [{"box": [4.0, 0.5, 1.0]}]}
    scene = duel({**KAL, "at": [0, -6]}, {**VEX, "at": [0, 6]}, terrain=[wall], units="square", square=30)
    (text,) = scene.doubts("Kal", ["Vex"])
    assert 'units = "square" holds for at, under and table' in text
    assert "if [4, 0.5, 1] are squares, write [120, 15, 30]" in text


def test_skirmishcorps_reads_covers_in_inches_and_terrain_in_mm() -> None:
    units = [{"name": "A", "at": [0, -6]}, {"name": "B", "at": [0, 6]}]
    cover = {"name": "wall", "at": [0, 0], "size": [4, 0.1], "height": 0.25}
    document = {"rules": "skirmishcorps", "units": "inch", "unit": units, "cover": [cover]}
    assert not any("thinner" in text for text in loaded(document).warnings)
    terrain = [{"name": "rail", "at": [3, 0], "parts": [{"box": [4, 0.1, 0.2]}]}]
    assert any(text.startswith("rail: it is thinner") for text in loaded({**document, "terrain": terrain}).warnings)


@pytest.mark.parametrize(("units", "fires"), [("inch", True), ("square", True), ("mm", False)])
def test_a_short_figure_in_a_scene_of_inches_says_which_keys_are_mm(units: str, fires: bool) -> None:
    small = {**KAL, "at": [0, -6], "figure": {"base": 25, "height": 9}}
    small = {key: value for key, value in small.items() if key not in ("parts", "eye")}
    texts = texts_of(small, {**VEX, "at": [0, 60]}, units=units)
    assert any("while parts, figure, base and eye are mm" in text for text in texts) == fires
    assert any(text.startswith("Kal is 9.0 mm tall; is its height right?") for text in texts)


# ---- the table


@pytest.mark.parametrize(
    ("table", "units", "fires"),
    [
        *(([24, 24], "mm", True), ([299, 900], "mm", True), ([900, 299.9], "mm", True), ([300, 400], "mm", False)),
        *(([12, 12], "inch", False), ([11.8, 48], "inch", True), ([48, 48], "inch", False)),
    ],
)
def test_a_table_that_is_too_small(table: list[float], units: str, fires: bool) -> None:
    close = [{**KAL, "at": [0, 0]}, {**VEX, "at": [0, 1.5 if units == "inch" else 11]}]
    texts = texts_of(*close, table=table, units=units)
    words = "and none is below 300 mm"
    assert any(words in text for text in texts) == fires
    if fires:
        assert any('; write units = "inch"' in text for text in texts) == (units == "mm")
        scene = duel(KAL, VEX, table=table, units=units)
        assert any(words in text for text in scene.doubts("Vex", ["Kal"]))


@pytest.mark.parametrize(
    ("at", "fires"),
    [
        ([0, 304], False),
        ([0, 304.8], False),
        ([0, 305], True),
        ([-305, 0], True),
        ([290, -290], False),
        ([0, 9999], True),
    ],
)
def test_a_base_beyond_the_table(at: list[float], fires: bool) -> None:
    table = [609.6, 609.6]
    far = {"name": "Yar", "parts": BODY, "facing": 0, "at": at}
    texts = [text for text in texts_of(KAL, VEX, far, table=table) if "beyond the table" in text]
    assert bool(texts) == fires
    assert all(text.startswith("the base of Yar lies beyond the table") for text in texts)
    assert not any("beyond" in text for text in texts_of(KAL, VEX, far))
    scene = duel(KAL, VEX, far, table=table)
    assert not any("beyond" in text for text in scene.doubts("Kal", ["Vex"]))
    assert any("beyond" in text for text in scene.doubts("Kal", ["Yar"])) == fires


@pytest.mark.parametrize("kind", ["terrain", "vehicle"])
def test_terrain_and_vehicles_beyond_the_table(kind: str) -> None:
    piece = {"name": "Block", "at": [900, 0], "parts": HULL}
    scene = duel(KAL, VEX, table=[600, 600], **{kind: [{**piece, **({} if kind == "terrain" else {"facing": 0})}]})
    # Where terrain should stand instead is not known: it may be in the way of anybody.
    assert any("beyond" in text for text in scene.doubts("Kal", ["Vex"])) == (kind == "terrain")
    assert any("beyond" in text for text in scene.warnings)


# ---- eyes, arcs


@pytest.mark.parametrize(
    ("eye", "fires"),
    [
        *(([0, 4, 28], False), ([0, 6.99, 28], False), ([0, 7.01, 28], True), ([-8.99, 0, 28], False)),
        *(([-9.01, 0, 28], True), ([0, 0, 33.99], False), ([0, 0, 34.01], True), ([0, 0, 3.0], False)),
        *(([0, 0, 2.99], True), ([0, 0, -1], True), ([0, 0.1, 1.2], True), ([0, 30, 330], True)),
    ],
)
def test_an_eye_outside_its_body_or_in_its_base(eye: list[float], fires: bool) -> None:
    scene = duel({**KAL, "eye": eye}, VEX)
    assert any("its eye [" in text for text in scene.piece("Kal").eye_warnings) == fires
    assert scene.piece("Vex").eye_warnings == ()


def test_an_eye_of_a_crew_is_looked_at_when_it_looks() -> None:
    vehicle = {"name": "Hauler", "at": [200, 0], "parts": HULL, "facing": 0, "arcs": ["front", "left"]}
    vehicle["eyes"] = {"front": [0, 40, 30], "left": [-90, 0, 30]}
    piece = duel(KAL, VEX, vehicle=[vehicle]).piece("Hauler")
    assert piece.with_eye_for("front").eye_warnings == ()
    assert any("its eye [-90, 0, 30]" in text for text in piece.with_eye_for("left").eye_warnings)


@pytest.mark.parametrize(
    ("arcs", "fires"),
    [(["left"], True), (["left", "right", "rear"], True), (["front"], False), (["left", "front"], False)],
)
def test_a_vehicle_without_a_front_arc(arcs: list[str], fires: bool) -> None:
    vehicle = {"name": "Hauler", "at": [200, 0], "parts": HULL, "facing": 0, "arcs": arcs}
    assert is_said("Hauler has no front arc", KAL, VEX, vehicle=[vehicle]) == fires
    scene = duel(KAL, VEX, vehicle=[vehicle])
    assert bool(scene.doubts("Hauler", ["Vex"])) == fires
    assert scene.doubts("Vex", ["Hauler"]) == []


# ---- where it is told


@pytest.mark.long
def test_table_json_and_page_tell_it_and_only_where_it_touches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "duel.json"
    checks = [{"attacker": "Kal", "target": "Vex"}, {"attacker": "Vex", "target": "Yar"}]
    fighters = [{**KAL, "eye": [0, 0, 1]}, VEX, {**fighter("Yar", 400), "facing": 1.5708}]
    file.write_text(json.dumps({"rules": "necromunda", "fighter": fighters, "check": checks}))
    eye, angle = "Kal: its eye [0, 0, 1] lies in or below its base", "Yar: facing = 1.5708 is 90° in radians"
    first, second = run(capsys, "check", str(file), "--json", *QUICK).document["scenes"][0]["results"]
    for result, has_eye in ((first, True), (second, False)):
        assert any(text.startswith(eye) for text in result["warnings"]) == has_eye
        assert any(text.startswith(angle) for text in result["warnings"]) != has_eye
    table = run(capsys, "check", str(file), *QUICK).out
    assert run(capsys, "report", str(file), "--out", str(tmp_path / "page.html"), *QUICK).status == 0
    page = html.unescape((tmp_path / "page.html").read_text())
    for text in (eye, angle):
        assert f"warning: {text}" in table
        assert text in page


# ---- nothing is said of what is sane


NOTES = ("is estimated", "its eye is estimated", "stand-in", "rock_outcrop.glb")
"""What is said of pieces of sane scenes: no mistakes, but what a result rests on."""


def said_of(seed: int, tilted: list[Path]) -> list[str]:
    """What is said of a sane scene, but for notes."""
    document = sane_scene(seed, tilted)
    scene = rule_of(Path("sane.toml"), document).load(Path("sane.toml"), document, Cache.default())
    texts = [*scene.warnings, *(one.text for one in scene.placement_warnings)]
    for piece in scene.pieces:
        texts += [*piece.all_warnings, *(() if piece.kind == "terrain" else piece.eye_warnings)]
    return [f"{seed}: {text}" for text in texts if not any(note in text for note in NOTES)]


@pytest.fixture(scope="module")
def tilted(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return tilted_figures(tmp_path_factory.mktemp("tilted"))


@pytest.mark.parametrize(
    "seeds",
    [
        range(3),
        pytest.param(range(3, len(GAMES)), marks=pytest.mark.slow),
        pytest.param(range(len(GAMES), 500), marks=pytest.mark.long),
    ],
    ids=str,
)
def test_of_sane_scenes_nothing_is_said(tilted: list[Path], seeds: range) -> None:
    assert [text for seed in seeds for text in said_of(seed, tilted)] == []
