"""Warnings about where pieces stand: each mistake gets one, and honest tables get none."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.files.cache import Cache
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS
from silhouette.scenes.table import TableScene
from silhouette.scenes.warnings import MAX_SCENE_WARNINGS
from tests.support.commands import run

PARTS = [
    {"cylinder": {"diameter": 25, "height": 3}, "base": True},
    {"box": [12, 8, 28], "at": [0, 0, 3]},
]


def fighter(name: str, at: list[float], **keys: Any) -> dict[str, Any]:
    return {"name": name, "at": at, "parts": PARTS, "facing": 90, **keys}


def box(name: str, at: list[float], *size: float, **keys: Any) -> dict[str, Any]:
    return {"name": name, "at": at, "parts": [{"box": list(size)}], **keys}


def placed(*fighters: dict[str, Any], **document: Any) -> TableScene:
    document = {"rules": "necromunda", "fighter": list(fighters), **document}
    return NECROMUNDA.load(Path("duel.toml"), document, Cache(None))


def texts_of(*fighters: dict[str, Any], **document: Any) -> list[str]:
    return [one.text for one in placed(*fighters, **document).placement_warnings]


def mesh_of(folder: Path, name: str, corners: list[tuple[float, float, float]], faces: list[str]) -> str:
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {face}" for face in faces]
    (folder / name).write_text("\n".join(lines))
    return str(folder / name)


KAL, VEX = fighter("Kal", [0, 0]), fighter("Vex", [0, 200])
CRATE = box("crate", [0, 0], 40, 40, 25)
HOUSE = {
    "name": "house",
    "at": [0, 0],
    "parts": [
        *({"box": [100, 4, 60], "at": [0, y, 0]} for y in (-50, 50)),
        {"box": [100, 104, 3], "at": [0, 0, 60]},
    ],
}

MISTAKES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("in a wall", {"terrain": [box("wall", [0, 0], 100, 40, 60)]}, ["Kal sinks 60 mm into the wall; move it"]),
    ("half in a wall", {"terrain": [box("wall", [0, 18], 100, 20, 60)]}, ["Kal sinks 60 mm into the wall"]),
    ("astride a fence", {"terrain": [box("fence", [0, 4], 100, 1, 30)]}, ["Kal stands in the fence, which goes up"]),
    (
        "on its floor",
        {"terrain": [box("ruin", [0, 0], 300, 300, 5)]},
        ['Kal sinks 5.0 mm into the ruin; move it, or write on = "surface"'],
    ),
    (
        "through a low roof",
        {"terrain": [box("roof", [0, 0, 20], 100, 100, 3)]},
        ["Kal goes through the roof; move it"],
    ),
    (
        "into a sign",
        {"terrain": [box("sign", [3, 0, 15], 4, 100, 60)]},
        ["Kal goes through the sign; move it"],
    ),
    ("in a plate on feet", {"terrain": [box("plate", [0, 0, 1.5], 100, 100, 4)]}, ["Kal sinks 5.5 mm into the plate"]),
    ("floating", {"fighter": [fighter("Kal", [0, 0, 40]), VEX]}, ["Kal hangs 40 mm above the table; write on"]),
    ("high", {"fighter": [fighter("Kal", [0, 0, 30]), VEX], "terrain": [CRATE]}, ["Kal hangs 5.0 mm above the crate"]),
    ("low", {"fighter": [fighter("Kal", [0, 0, -8]), VEX]}, ["Kal sinks 8.0 mm into the table; give it z = 0"]),
    (
        "on a railing",
        {"fighter": [fighter("Kal", [0, 0], on="surface"), VEX], "terrain": [box("railing", [0, 12.9], 90, 2, 17)]},
        ["Kal rests on the railing with its rim only, and the ground under its middle is 17 mm lower; move it"],
    ),
    (
        "over the edge of a roof",
        {"fighter": [fighter("Kal", [27, 0, 25]), VEX], "terrain": [CRATE]},
        ["Kal rests on the crate with its rim only, and the ground under its middle is 25 mm lower; move it"],
    ),
    ("far off", {"fighter": [KAL, VEX, fighter("Yar", [0, 100_000])]}, ["Yar stands 99.8 m from everything else"]),
    ("a giant", {"fighter": [{**KAL, "parts": [{"box": [120, 80, 280]}]}, VEX]}, ["Kal is 280 mm tall; is"]),
    ("a dwarf", {"fighter": [{**KAL, "parts": [{"box": [3, 3, 4]}]}, VEX]}, ["Kal is 4.0 mm tall"]),
    ("bases", {"fighter": [KAL, fighter("Vex", [20, 0])]}, ["the bases of Kal and Vex overlap by 5.0 mm; move one"]),
    ("one in the other", {"fighter": [KAL, fighter("Vex", [0, 0])]}, ["the bases of Kal and Vex overlap by 25 mm"]),
    ("bodies", {"fighter": [KAL, {**VEX, "at": [10, 0], "parts": PARTS[1:]}]}, ["Kal and Vex overlap; move one"]),
    (
        "in a truck",
        {"vehicle": [box("truck", [10, 0], 60, 120, 40, facing=90)]},
        ["the eye of Kal lies inside the truck", "Kal and the truck overlap; move one"],
    ),
    (
        "no facing",
        {"fighter": [{**KAL, "facing": None}, VEX]},
        ["Kal has no facing and looks as it lies in its file, to 90°; give facing"],
    ),
    (
        "turn, but no facing",
        {"fighter": [{**KAL, "facing": None, "turn": 45}, VEX]},
        ["Kal has no facing and looks as its turn leaves it, to 135°; give facing"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("document", "said"), [case[1:] for case in MISTAKES], ids=[case[0] for case in MISTAKES])
def test_a_mistake_gets_its_warning(document: dict[str, Any], said: list[str]) -> None:
    fighters = [
        {key: value for key, value in one.items() if value is not None} for one in document.get("fighter", [KAL, VEX])
    ]
    rest = {key: value for key, value in document.items() if key != "fighter"}
    texts = texts_of(*fighters, **rest)
    for wanted in said:
        assert any(text.startswith(wanted) for text in texts), texts
    assert not any(text.startswith(("Vex s", "Vex h")) for text in texts)
    assert len([text for text in texts if not text.startswith("the eye")]) <= len(said), texts


HONEST: list[tuple[str, dict[str, Any]]] = [
    ("touching a wall", {"terrain": [box("wall", [0, 22.5], 100, 20, 60)]}),
    ("half a millimetre into a wall", {"terrain": [box("wall", [0, 22], 100, 20, 60)]}),
    ("leaning on a sign", {"terrain": [box("sign", [6.5, 0, 15], 4, 100, 60)]}),
    ("under a roof", {"terrain": [box("roof", [0, 0, 30.5], 100, 100, 3)]}),
    ("with its rim under a ledge", {"terrain": [box("ledge", [0, 29, 3.5], 100, 40, 60)]}),
    ("on a crate", {"fighter": [fighter("Kal", [0, 0, 25]), VEX], "terrain": [CRATE]}),
    ("two millimetres above a crate", {"fighter": [fighter("Kal", [0, 0, 27]), VEX], "terrain": [CRATE]}),
    ("two millimetres into a carpet", {"terrain": [box("carpet", [0, 0], 300, 300, 2)]}),
    ("at the edge of a roof", {"fighter": [fighter("Kal", [20, 0, 25]), VEX], "terrain": [CRATE]}),
    ("in a house", {"terrain": [HOUSE]}),
    (
        "on a grating",
        {
            "fighter": [fighter("Kal", [0, 0, 25]), VEX],
            "terrain": [box(f"bar {x}", [x, 0, 22], 2, 100, 3) for x in range(-27, 30, 6)],
        },
    ),
    (
        "across a gap",
        {
            "fighter": [fighter("Kal", [0, 0, 25]), VEX],
            "terrain": [box("left", [-20, 0], 26, 26, 25), box("right", [20, 0], 26, 26, 25)],
        },
    ),
    ("on the roof of a house", {"fighter": [fighter("Kal", [0, 0, 63]), VEX], "terrain": [HOUSE]}),
    ("base contact", {"fighter": [KAL, fighter("Vex", [25, 0])]}),
    ("bases half a millimetre into each other", {"fighter": [KAL, fighter("Vex", [24.5, 0])]}),
    ("one above the other", {"fighter": [KAL, fighter("Vex", [0, 0, 63])], "terrain": [HOUSE]}),
    (
        "a rider",
        {"fighter": [fighter("Kal", [0, 0, 40]), VEX], "vehicle": [box("truck", [10, 0], 60, 120, 40, facing=90)]},
    ),
    ("beside a truck", {"vehicle": [box("truck", [42.5, 0], 60, 120, 40, facing=90)]}),
    ("facing unknown", {"fighter": [{**KAL, "facing": "unknown"}, VEX]}),
    ("1.9 m apart", {"fighter": [KAL, fighter("Vex", [0, 1900])]}),
    ("alone", {"fighter": [KAL]}),
    ("tall banner", {"fighter": [{**KAL, "parts": [*PARTS, {"box": [1, 1, 100], "insignificant": True}]}, VEX]}),
    ("weapons that cross", {"fighter": [
        {**KAL, "parts": [*PARTS, {"box": [1.5, 22, 1.5], "at": [0, 6, 20]}]},
        {**fighter("Vex", [0, 25]), "parts": [*PARTS, {"box": [40, 1.5, 1.5], "at": [0, -9, 20]}]},
    ]}),
]  # fmt: skip


@pytest.mark.parametrize("document", [case[1] for case in HONEST], ids=[case[0] for case in HONEST])
def test_an_honest_table_gets_none(document: dict[str, Any]) -> None:
    rest = {key: value for key, value in document.items() if key != "fighter"}
    assert texts_of(*document.get("fighter", [KAL, VEX]), **rest) == []


@pytest.mark.parametrize("degrees", [0.0, 10.0, 25.0])
def test_on_a_slope_a_model_may_rest_on_its_middle_or_on_its_rim(degrees: float, tmp_path: Path) -> None:
    slope = math.tan(math.radians(degrees))
    corners = [(x, y, z) for x in (-100, 100) for y in (-100, 100) for z in (0.0, 60.0 + slope * x)]
    faces = ["1 5 7 3", "2 4 8 6", "1 2 6 5", "3 7 8 4", "1 3 4 2", "5 6 8 7"]
    mesh = mesh_of(tmp_path, "hill.obj", corners, [" ".join(reversed(face.split())) for face in faces])
    hill = {"name": "hill", "at": [0, 0], "mesh": mesh, "origin": "keep", "units": "mm"}
    middle, rim = fighter("Kal", [0, 0, 60]), fighter("Vex", [60, 0], on="hill")
    assert texts_of(middle, rim, terrain=[hill]) == []
    assert "Kal sinks" in texts_of(fighter("Kal", [0, 0, 56]), rim, terrain=[hill])[0]
    assert "Kal hangs" in texts_of(fighter("Kal", [0, 0, 63 + 12.5 * slope]), rim, terrain=[hill])[0]


@pytest.mark.parametrize("upside_down", [False, True])
def test_a_scan_without_an_underside_lifts_who_stands_on_it(upside_down: bool, tmp_path: Path) -> None:
    corners = [
        (x, y, 6.0 + 0.2 * ((i + j) % 2))
        for i, x in enumerate(range(-100, 101, 20))
        for j, y in enumerate(range(-100, 101, 20))
    ]
    faces = []
    for i in range(10):
        for j in range(10):
            a, b, c, d = 11 * i + j + 1, 11 * (i + 1) + j + 1, 11 * (i + 1) + j + 2, 11 * i + j + 2
            faces.append(f"{d} {c} {b} {a}" if upside_down else f"{a} {b} {c} {d}")
    scan = {
        "name": "scan",
        "at": [0, 0],
        "mesh": mesh_of(tmp_path, "scan.obj", corners, faces),
        "origin": "keep",
        "units": "mm",
    }
    (text,) = texts_of(KAL, VEX, terrain=[scan])
    assert text.startswith("Kal sinks 6.")
    assert 'on = "surface"' in text
    assert texts_of(fighter("Kal", [0, 0], on="surface"), VEX, terrain=[scan]) == []


@pytest.mark.slow
def test_results_have_the_warnings_that_they_may_touch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "duel.json"
    kal = {key: value for key, value in KAL.items() if key != "facing"}
    fighters = [kal, VEX, fighter("Yar", [300, 0, 40]), fighter("Zed", [315, 0, 40])]
    document = {"rules": "necromunda", "fighter": fighters, "check": [
        {"attacker": "Kal", "target": "Vex"}, {"attacker": "Vex", "target": "Kal"},
        {"attacker": "Vex", "target": "Yar"},
    ]}  # fmt: skip
    path.write_text(json.dumps(document))
    options = ["--renderer", "reference", "--pixel", "1", "--no-cache"]
    (scene,) = run(capsys, "check", path, "--json", *options).document["scenes"]
    rows = [[text for text in row["warnings"] if "estimated" not in text] for row in scene["results"]]
    overlap, hang = "the bases of Yar and Zed overlap by 10 mm; move one", "Yar hangs 40 mm above the table"
    assert rows[0] == ["Kal has no facing and looks as it lies in its file, to 90°; give facing"]
    assert rows[1] == []
    assert overlap in rows[2]
    assert any(text.startswith(hang) for text in rows[2])
    assert overlap in scene["warnings"]
    shown = run(capsys, "check", path, *options).out
    assert f"warning: {overlap}" in " ".join(shown.split())
    assert run(capsys, "batch", path, "--out", tmp_path / "rows.csv", *options).status == 0
    assert overlap in (tmp_path / "rows.csv").read_text()
    assert "Kal has no facing" in json.dumps(
        run(capsys, "matrix", path, "--json", *options).document, ensure_ascii=False
    )


def test_skirmishcorps_warns_too_and_its_heights_are_those_of_the_ground() -> None:
    units = [{"name": "A", "at": [0, 0, 150]}, {"name": "B", "at": [100, 0]}, {"name": "C", "at": [110, 0]}]
    cover = [{"name": "wall", "at": [100, 0], "size": [60, 60], "height": 2}]
    scene = SKIRMISHCORPS.load(Path("a.toml"), {"rules": "skirmishcorps", "unit": units, "cover": cover}, Cache(None))
    texts = [one.text for one in scene.placement_warnings]
    assert not any(text.startswith("A ") for text in texts)
    assert any(text.startswith("B sinks 19 mm into the wall") for text in texts)
    assert any("overlap" in text for text in texts)


def test_of_a_tangle_of_triangles_nothing_is_said_of_the_ground(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    corners = np.concatenate([rng.uniform(-20, 20, (20_000, 2)), rng.uniform(0, 38, (20_000, 1))], axis=1)
    faces = rng.integers(1, 20_001, (30_000, 3))
    mesh = mesh_of(tmp_path, "tangle.obj", corners.tolist(), [" ".join(map(str, face)) for face in faces])
    tangle = {"name": "tangle", "at": [0, 0], "mesh": mesh, "origin": "keep", "units": "mm"}
    assert [text for text in texts_of(KAL, VEX, terrain=[tangle]) if not text.startswith("the eye of Kal")] == []


def test_a_scene_full_of_mistakes_is_not_looked_at_to_the_end() -> None:
    assert len(texts_of(*(fighter(f"F{number}", [number, 0]) for number in range(60)))) == MAX_SCENE_WARNINGS


@settings(max_examples=8)
@given(x=st.floats(-500, 500), y=st.floats(-500, 500), turn=st.floats(0, 360))
def test_moving_and_turning_a_whole_table_changes_no_warning(x: float, y: float, turn: float) -> None:
    cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))

    def there(entry: dict[str, Any]) -> dict[str, Any]:
        (a, b), height = entry["at"][:2], entry["at"][2:]
        looks = {"facing": entry["facing"] + turn} if "facing" in entry else {}
        return {**entry, "at": [x + cosine * a - sine * b, y + sine * a + cosine * b, *height], "turn": turn, **looks}

    fighters = [KAL, fighter("Vex", [0, 60, 30]), fighter("Yar", [0, 100]), fighter("Zed", [9, 107])]
    terrain = [there(box("wall", [0, 18], 100, 20, 60)), there(box("slab", [0, 100], 60, 40, 5))]
    before = ["Kal sinks 60 mm", "Vex hangs 30 mm", "Yar sinks 5.0 mm", "Zed sinks 5.0 mm", "the bases of Yar and Zed"]
    texts = texts_of(*(there(one) for one in fighters), terrain=terrain)
    assert sorted(text[: len(start)] for text, start in zip(sorted(texts), sorted(before), strict=True)) == sorted(
        before
    )


ROOFED = {
    "name": "hut",
    "at": [0, 0],
    "parts": [{"box": [100, 100, 5]}, {"box": [100, 100, 5], "at": [0, 0, 60]}],
}


def test_hints_fit_how_a_piece_was_placed() -> None:
    assert texts_of(KAL, VEX, terrain=[ROOFED]) == [
        'Kal sinks 5.0 mm into the hut; move it, or write on = "surface", with under to stand below what is over it'
    ]
    assert texts_of(fighter("Kal", [0, 0, 1]), VEX, terrain=[CRATE]) == [
        'Kal sinks 24 mm into the crate; move it, or write on = "surface" in place of its height'
    ]
    deep = {**KAL, "parts": [{"box": [12, 8, 28], "at": [0, 0, -8]}]}
    assert texts_of(deep, VEX) == ['Kal sinks 8.0 mm into the table; write on = "surface"']
    assert texts_of({"name": "Kal", "at": [0, 0], "facing": 0, "figure": {"base": 32, "height": 200}}, VEX) == [
        "Kal is 200 mm tall; is its height right?"
    ]
