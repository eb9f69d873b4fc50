"""Whatever is wrong with a scene or model file is said in one plain line with what would be right."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.errors import FileError, SilhouetteError
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry
from silhouette.models.model import load_model
from silhouette.scenes.scene import read_document, rules_of
from silhouette.scenes.table import load_table_scene
from tests.support.documents import put

NO_CACHE = Cache(None)
SYSTEMS = ["crisis-protocol", "ikosa", "necromunda"]
GOOD: dict[str, Any] = {
    "title": "Duel",
    "rules": "necromunda",
    "terrain": [{"name": "wall", "at": [0, 60, 0], "parts": [{"box": [60, 5, 30]}]}],
    "fighter": [
        {"name": "Kal", "gang": "Orlock", "at": [0, 0], "parts": [{"cylinder": {"diameter": 25, "height": 30}}]},
        {"name": "Vex", "at": [0, 120], "eye": [0, 3, 27], "parts": [{"sphere": {"diameter": 12}}]},
    ],
    "vehicle": [{"name": "truck", "at": [200, 0], "arcs": ["front"], "parts": [{"box": [60, 120, 40]}]}],
    "check": [{"attacker": "Kal", "target": "Vex"}],
}


class NoReadings(Entry):
    pass


def load(path: Path, document: dict[str, Any]) -> None:
    rules_of(path, document, SYSTEMS)
    load_table_scene(path, document, NoReadings, NO_CACHE)


def said(path: Path, document: dict[str, Any]) -> str:
    with pytest.raises(FileError) as caught:
        load(path, document)
    return plain(path, caught.value)


def plain(path: Path, error: SilhouetteError) -> str:
    """The text of an error after the file's name, which must be a plain line."""
    line = str(error)
    assert line.startswith(f"{path}: ")
    assert "\n" not in line
    assert not re.search(r"Input should|pydantic|https?:|Traceback|\bNone\b|<class|type=|validation error", line)
    return line.removeprefix(f"{path}: ")


NUMBERS = "two or three finite numbers of mm, or of the scene's units: [x, y] or [x, y, z], up to a million"

MISTAKES: list[tuple[str, Any, str]] = [
    ("figther", [], "unknown key 'figther'; did you mean 'fighter'?"),
    ("fighter.0.facign", 3, "fighter 'Kal': unknown key 'facign'; did you mean 'facing'?"),
    ("fighter.0.arcs", ["front"], "fighter 'Kal': unknown key 'arcs'; the keys here are 'name', 'at', "),
    ("terrain.0.gang", "Orlock", "terrain 'wall': unknown key 'gang';"),
    ("fighter.0.parts.0.cylinder.hieght", 3, "fighter 'Kal', parts 1, cylinder: unknown key 'hieght'; did you mean"),
    ("check.0.atacker", "Kal", "check 1: unknown key 'atacker'; did you mean 'attacker'?"),
    ("readings", {"shaer": "in arc"}, "readings: unknown key 'shaer'; the keys here are none"),
    ("fighter.0.name", ..., "fighter 1: name is missing; it must be a unique name, in quotes"),
    ("fighter.0.at", ..., f"fighter 'Kal': at is missing; it must be {NUMBERS}"),
    ("check.0.target", ..., "check 1: target is missing; it must be the name of a fighter or vehicle"),
    ("fighter.0.at", "here", f"fighter 'Kal', at is \"here\"; it must be {NUMBERS}"),
    ("fighter.0.at", [0], f"fighter 'Kal', at is [0]; it must be {NUMBERS}"),
    ("fighter.0.at", [0, 0, 0, 0], f"fighter 'Kal', at is [0, 0, 0, 0]; it must be {NUMBERS}"),
    ("fighter.0.at", [0, "1"], f"fighter 'Kal', at is [0, \"1\"]; it must be {NUMBERS}"),
    ("fighter.0.at", [0, True], f"fighter 'Kal', at is [0, true]; it must be {NUMBERS}"),
    ("fighter.0.at", [0, float("nan")], f"fighter 'Kal', at is [0, nan]; it must be {NUMBERS}"),
    ("fighter.0.at", [float("inf"), 0], f"fighter 'Kal', at is [inf, 0]; it must be {NUMBERS}"),
    ("fighter.0.at", [1e30, 0], f"fighter 'Kal', at is [1e+30, 0]; it must be {NUMBERS}"),
    ("fighter.0.at", [10**400, 0], "fighter 'Kal', at is [1000"),
    ("fighter.0.at", {"x": 0, "y": 0}, "fighter 'Kal', at is { x = 0, y = 0 }; it must be two or three finite numbers"),
    ("fighter.0.facing", "north", "fighter 'Kal', facing is \"north\"; it must be a number of degrees"),
    ("fighter.0.facing", None, "fighter 'Kal', facing is null; it must be a number of degrees"),
    ("fighter.1.eye", [0, 3], "fighter 'Vex', eye is [0, 3]; it must be three numbers of mm in the model's frame"),
    ("fighter.1.eye", [0, 3, float("nan")], "fighter 'Vex', eye is [0, 3, nan]; it must be three numbers"),
    ("fighter.0.gang", 7, "fighter 'Kal', gang is 7; it must be a name in quotes"),
    ("fighter.0.name", "", 'fighter 1, name is ""; it must be a unique name, in quotes'),
    ("fighter.0.name", ["Kal"], 'fighter 1, name is ["Kal"]; it must be a unique name, in quotes'),
    ("fighter", {"name": "Kal"}, 'fighter is { name = "Kal" }; it must be tables [[fighter]]'),
    ("fighter", "Kal", 'fighter is "Kal"; it must be tables [[fighter]]'),
    ("fighter.0", 5, "fighter is [5,"),
    ("fighter.0.parts", [], "fighter 'Kal', parts is []; it must be a list of one or more solids"),
    ("fighter.0.parts", ..., "fighter 'Kal': it has none of model, mesh, parts or figure; it must have exactly one of"),
    (
        "fighter.0.model",
        "a.toml",
        "fighter 'Kal': it has model and parts; it must have exactly one of model, mesh, parts or figure",
    ),
    ("fighter.0.units", "cm", "fighter 'Kal': units goes with a mesh, not with parts;"),
    (
        "fighter.0.kind",
        "terrain",
        "fighter 'Kal': kind is terrain, but it stands in [[fighter]]; move it to [[terrain]]",
    ),
    ("fighter.0.kind", "tank", 'fighter \'Kal\', kind is "tank"; it must be "fighter", "vehicle" or "terrain"'),
    (
        "terrain.0.parts.0",
        {},
        "terrain 'wall', parts 1: it has none of box, cylinder or sphere; it must have exactly one",
    ),
    (
        "terrain.0.parts.0.sphere",
        {"diameter": 3},
        "terrain 'wall', parts 1: it has box and sphere; it must have exactly",
    ),
    ("terrain.0.parts.0.box", [60, -5, 30], "terrain 'wall', parts 1, box is [60, -5, 30]; it must be three sizes"),
    ("terrain.0.parts.0.box", [60, 0, 30], "terrain 'wall', parts 1, box is [60, 0, 30]; it must be three sizes"),
    ("terrain.0.parts.0.box", [60, 5], "terrain 'wall', parts 1, box is [60, 5]; it must be three sizes"),
    (
        "fighter.1.parts.0.sphere.diameter",
        -1,
        "fighter 'Vex', parts 1, sphere, diameter is -1; it must be a number of mm",
    ),
    (
        "fighter.0.parts.0.cylinder.axis",
        "w",
        'fighter \'Kal\', parts 1, cylinder, axis is "w"; it must be "x", "y" or "z"',
    ),
    (
        "fighter.0.parts.0.cylinder.height",
        ...,
        "fighter 'Kal', parts 1, cylinder: height is missing; it must be a number",
    ),
    ("fighter.0.parts.0.base", "yes", "fighter 'Kal', parts 1, base is \"yes\"; it must be true or false"),
    (
        "fighter.0.parts.0.base",
        True,
        "fighter 'Kal': all 768 triangles of parts are tagged, 768 as base; a model needs",
    ),
    ("vehicle.0.arcs", [], "vehicle 'truck', arcs is []; it must be a list of one or more of"),
    ("vehicle.0.arcs", ["back"], "vehicle 'truck', arcs is [\"back\"]; it must be a list of one or more of"),
    ("fighter.1.name", "Kal", "two fighter pieces are called 'Kal'; give each a different name"),
    ("vehicle.0.name", "wall", "a terrain and a vehicle piece are both called 'wall'; give each a different name"),
    ("check.0.target", "Vexx", "check 1: target 'Vexx' is not on the table; did you mean 'Vex'?"),
    ("check.0.attacker", "Nobody", "check 1: attacker 'Nobody' is not on the table; there are 'Kal', 'Vex', 'truck'"),
    ("check.0.target", "Kal", "check 1: 'Kal' would check itself; name another piece as target"),
    ("check.0.target", "wall", "check 1: target 'wall' is terrain; name a fighter or vehicle"),
    ("check.0.arc", "behind", 'check 1, arc is "behind"; it must be "front", "left", "right" or "rear"'),
    ("check.0.expect", "open", 'check 1, expect is "open"; it must be a table of result keys'),
    ("rules", ..., 'rules is missing; it must be one of "crisis-protocol", "ikosa", "necromunda"'),
    ("rules", "necromonda", "unknown rules 'necromonda'; did you mean 'necromunda'?"),
    ("rules", 40000, 'rules is 40000; it must be one of "crisis-protocol", "ikosa", "necromunda"'),
    ("rules", ["necromunda"], 'rules is ["necromunda"]; it must be one of "crisis-protocol"'),
    ("rules", None, 'rules is missing; it must be one of "crisis-protocol"'),
    ("base_contact", [["Kal", "Vax"]], "base_contact 1: piece 'Vax' is not on the table; did you mean 'Vex'?"),
    ("base_contact", [["Kal", "Kal"]], "base_contact 1: 'Kal' would touch itself; name two pieces"),
    ("base_contact", [["Kal"]], 'base_contact is [["Kal"]]; it must be a list of pairs of names'),
    ("tolerance", -0.1, "tolerance is -0.1; it must be a share from 0 to 0.5"),
    ("tolerance", float("nan"), "tolerance is nan; it must be a share from 0 to 0.5"),
    ("pixel", 0, "pixel is 0; it must be a number of mm above zero"),
    ("error", 0.1, "error is 0.1; it must be a share above zero, at most 0.05"),
]


def test_the_scene_that_the_mistakes_are_made_in_is_good(tmp_path: Path) -> None:
    load(tmp_path / "duel.toml", copy.deepcopy(GOOD))


@pytest.mark.parametrize(
    "where, value, expected", MISTAKES, ids=[f"{where}-{k}" for k, (where, *_) in enumerate(MISTAKES)]
)
def test_a_mistake_in_a_scene_gets_one_line(tmp_path: Path, where: str, value: Any, expected: str) -> None:
    document = copy.deepcopy(GOOD)
    put(document, where, value)
    assert expected in said(tmp_path / "duel.toml", document)


def test_rules_under_a_misspelt_key_are_recognised(tmp_path: Path) -> None:
    document = {"rule": "necromunda"}
    assert said(tmp_path / "duel.toml", document) == "rules is missing; is 'rule' meant?"


MODEL_MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"scale": 0}, "scale is 0; it must be a number above zero"),
    ({"scale": -1}, "scale is -1; it must be a number above zero"),
    ({"units": "feet"}, 'units is "feet"; it must be "mm", "cm", "m", "inch" or "auto"'),
    ({"up": "x"}, 'up is "x"; it must be "z" or "y", or "auto"'),
    ({"base": "yes"}, 'base is "yes"; it must be "auto", "none", { part = "..." } or { height = ... }'),
    ({"base": {"height": -3}}, "base is { height = -3 }; it must be"),
    ({"base": {"height": float("nan")}}, "base is { height = nan }; it must be"),
    ({"base": {"hieght": 3}}, "base is { hieght = 3 }; it must be"),
    ({"base": {"part": "a", "height": 3}}, 'base is { part = "a", height = 3 }; it must be'),
    (
        {"base": {"height": 300}},
        "base: height is 300 mm, but the whole model is 30 mm high; give the height of the base alone",
    ),
    ({"base": {"part": "bass"}}, "base: no part is called 'bass'; "),
    ({"front": "y"}, 'front is "y"; it must be a number of degrees'),
    ({"solid": 1}, 'solid is 1; it must be true, false or "filled"'),
    ({"solid": "full"}, 'solid is "full"; it must be true, false or "filled"'),
    ({"origin": "center"}, 'origin is "center"; it must be "keep", or left out'),
    ({"insignificant": [{}]}, "insignificant 1: it has none of part, box or sphere; it must have exactly one of"),
    ({"insignificant": [{"part": "gun"}]}, "insignificant 1: no part is called 'gun'; the parts are"),
    ({"insignificant": [{"box": [[0, 0, 0], [1, 1]]}]}, "insignificant 1, box is [[0, 0, 0], [1, 1]]; it must be two"),
    (
        {"insignificant": [{"sphere": {"centre": [0, 0, 0], "radius": 0}}]},
        "insignificant 1, sphere, radius is 0; it must be",
    ),
    (
        {"insignificant": [{"sphere": {"center": [0, 0, 0], "radius": 1}}]},
        "sphere: unknown key 'center'; did you mean 'centre'?",
    ),
    ({"insignificant": {"part": "gun"}}, 'insignificant is { part = "gun" }; it must be tables [[insignificant]]'),
    (
        {"insignificant": [{"box": [[-99, -99, -99], [99, 99, 99]]}]},
        "all 12 triangles of block.off are tagged, 12 as insignificant",
    ),
    ({"ey": [0, 0, 3]}, "unknown key 'ey'; did you mean 'eye'?"),
    ({"mesh": 3}, "mesh is 3; it must be the path of a mesh file"),
    ({"mesh": ...}, "mesh is missing; it must be the path of a mesh file"),
    ({"mesh": "a\0b.off"}, "a path contains a zero byte"),
    ({"units": "mm", "scale": 1e-6}, "block.off comes out 3e-05 mm across; give units or scale"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a block of 10 x 10 x 30 mm in it."""
    corners = [(x, y, z) for z in (0, 30) for y in (-5, 5) for x in (-5, 5)]
    faces = ["0 2 3", "0 3 1", "4 5 7", "4 7 6", "0 1 5", "0 5 4", "2 6 7", "2 7 3", "0 4 6", "0 6 2", "1 3 7", "1 7 5"]
    rows = [" ".join(map(str, corner)) for corner in corners] + [f"3 {face}" for face in faces]
    (tmp_path / "block.off").write_text("OFF\n8 12 0\n" + "\n".join(rows) + "\n")
    return tmp_path


@pytest.mark.parametrize("keys, expected", MODEL_MISTAKES)
def test_a_mistake_in_a_model_gets_one_line_in_its_own_file_and_in_a_scene(
    folder: Path, keys: dict[str, Any], expected: str
) -> None:
    model = {key: value for key, value in {"mesh": "block.off", **keys}.items() if value is not ...}
    path = folder / "block.json"
    path.write_text(json.dumps(model))
    with pytest.raises(FileError) as caught:
        load_model(path, NO_CACHE)
    assert expected in plain(path, caught.value)
    if "mesh" in model:
        line = said(folder / "duel.toml", {"rules": "necromunda", "fighter": [{"name": "Kal", "at": [0, 0], **model}]})
        assert line.startswith("fighter 'Kal'")
        assert expected.split(";")[-1] in line


def test_a_model_of_another_kind_than_its_table_is_refused(folder: Path) -> None:
    (folder / "block.toml").write_text('mesh = "block.off"\nkind = "terrain"\n')
    piece = {"name": "Kal", "at": [0, 0], "model": "block.toml"}
    with pytest.raises(FileError) as caught:
        load(folder / "duel.toml", {"rules": "necromunda", "fighter": [piece]})
    assert "kind is terrain, but it stands among a scene's fighter pieces" in plain(folder / "block.toml", caught.value)
    load(folder / "duel.toml", {"rules": "necromunda", "terrain": [piece]})


@pytest.mark.parametrize("keys", [{"model": "none.toml"}, {"mesh": "none.stl"}, {"mesh": "block.xyz"}, {"model": "."}])
def test_a_model_or_mesh_that_is_not_there_or_is_none_gets_one_line(folder: Path, keys: dict[str, str]) -> None:
    (folder / "block.xyz").write_text("0 0 0")
    with pytest.raises(FileError) as caught:
        load(folder / "duel.toml", {"rules": "necromunda", "fighter": [{"name": "Kal", "at": [0, 0], **keys}]})
    (named,) = keys.values()
    assert "; " in plain(folder / named, caught.value)


@pytest.mark.parametrize("key", ["model", "mesh"])
def test_a_path_that_is_too_long_is_cut_in_the_message(folder: Path, key: str) -> None:
    piece = {"name": "Kal", "at": [0, 0], key: "a" * 9000 + ".stl"}
    line = said(folder / "duel.toml", {"rules": "necromunda", "fighter": [piece]})
    assert line.startswith(f"fighter 'Kal': {key} is \"aaaaaaaa")
    assert line.endswith(" ..., longer than a path can be; give the path of a file")
    assert len(line) < 200


def test_a_mesh_file_is_a_model_with_every_key_at_its_default(folder: Path) -> None:
    piece = {"name": "Kal", "at": [0, 0], "model": "block.off"}
    load(folder / "duel.toml", {"rules": "necromunda", "fighter": [piece]})


DOCUMENTS: list[tuple[str, bytes, str]] = [
    ("duel.toml", b'rules = "necromunda"\ntitle = \n', "not TOML: invalid value (at line 2, column 9)"),
    ("duel.toml", b'rules = "a"\nrules = "b"\n', "not TOML: cannot overwrite a value (at line 2"),
    ("duel.json", b'{"rules": "necromunda",\n "title" 3}', "not JSON at line 2, column 10: a colon is missing"),
    ("duel.json", b"", "not JSON at line 1, column 1: a value is missing"),
    ("duel.json", b"[1, 2]", "holds no table of keys; it must be an object, { ... }"),
    ("duel.json", b'{"rules": 1, "rules": 2}', "the key 'rules' stands twice in one table; keep one of them"),
    ("duel.json", b"[" * 100_000, "its tables lie too deep in each other"),
    ("duel.json", b'{"a": 1' + b"0" * 5000 + b"}", "a value cannot be read"),
    ("duel.toml", b'title = "\xff"\n', "not UTF-8 text in line 1; save it as UTF-8"),
    ("duel.toml", b"\xff\xfer\0u\0l\0e\0s\0", "not UTF-8 text in line 1"),
    ("duel.yaml", b"rules: necromunda", "'.yaml' is no known ending; scene and model files end in .toml or .json"),
    ("duel", b"", "'' is no known ending"),
]


@pytest.mark.parametrize("name, content, expected", DOCUMENTS)
def test_a_file_that_is_neither_toml_nor_json_gets_one_line(
    tmp_path: Path, name: str, content: bytes, expected: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        read_document(path)
    assert expected in plain(path, caught.value)


def test_a_file_that_is_missing_or_a_folder_gets_one_line(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    for name, expected in (
        ("none.toml", "there is no such file; give the path of one that is there"),
        ("none.toml/duel.toml", "there is no such file"),
        ("folder.toml", "is a folder; give a file in it"),
        ("nu\0l.toml", "cannot be read"),
        ("n" * 300 + ".toml", "cannot be read (file name too long)"),
    ):
        with pytest.raises(FileError) as caught:
            read_document(tmp_path / name)
        assert expected in plain(tmp_path / name, caught.value)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "duel.json").write_bytes(b'\xef\xbb\xbf{"rules": "necromunda"}')
    assert read_document(tmp_path / "duel.json") == {"rules": "necromunda"}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "at", "box", "x"]), inner),
    max_leaves=6,
)
PLACES = [
    "terrain",
    "fighter.0",
    "fighter.0.at",
    "fighter.0.parts",
    "fighter.0.parts.0.cylinder",
    "vehicle.0.arcs",
    "check",
    "check.0.expect",
    "base_contact",
    "readings",
    "tolerance",
    "title",
    "source",
    "fighter.0.front",
]


@pytest.mark.slow
@settings(max_examples=50)
@given(where=st.sampled_from(PLACES), value=ANYTHING)
def test_whatever_stands_in_a_scene_it_loads_or_gets_one_plain_line(where: str, value: Any) -> None:
    document = copy.deepcopy(GOOD)
    put(document, where, value)
    try:
        load(Path("duel.toml"), document)
    except FileError as error:
        line = str(error)
        assert line.startswith("duel.toml: ")
        assert "Input should" not in line
