"""Whatever is wrong with a SkirmishCorps scene is said in one plain line with what would be right."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.errors import FileError, SilhouetteError
from silhouette.files.cache import Cache
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS
from tests.support.commands import run
from tests.support.rulings import ruled
from tests.support.skirmishcorps_scenes import Document, between, quick

NAN = float("nan")


def load(document: Document) -> None:
    SKIRMISHCORPS.load(Path("table.toml"), document, Cache(None))


def said(document: Document) -> str:
    with pytest.raises(FileError) as caught:
        load(document)
    line = str(caught.value)
    assert line.startswith("table.toml: ")
    assert "\n" not in line
    assert not re.search(r"Input should|pydantic|Traceback|\bNone\b|<class|type=|validation error", line)
    return line.removeprefix("table.toml: ")


def put(where: str, value: object) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        *steps, last = where.split(".")
        inner: Any = document
        for step in steps:
            inner = inner[int(step)] if step.isdigit() else inner[step]
        inner[int(last) if last.isdigit() else last] = value

    return change


SCENE_MISTAKES: list[tuple[str, object, str]] = [
    ("unti", [], "unknown key 'unti'; did you mean 'unit'?"),
    ("unit.0.at", [0, NAN], "unit 'A', at is [0, nan]; it must be two or three finite numbers"),
    ("unit.0.at", [0, float("inf"), 0], "it must be two or three finite numbers of mm"),
    ("unit.0.at", [0], "unit 'A', at is [0]; it must be two or three"),
    ("unit.0.type", "tank", 'unit \'A\', type is "tank"; it must be "foot", "mech" or "vehicle"'),
    ("unit.0.posture", "sitting", 'posture is "sitting"; it must be "standing" or "prone"'),
    ("unit.0.height", 0, "unit 'A', height is 0; it must be a number of bricks above zero"),
    ("unit.0.lies_along", "east", 'lies_along is "east"; it must be a number of degrees'),
    ("unit.0.name", "T", "two unit pieces are called 'T'; give each a different name"),
    ("unit.0.name", "w", "a unit and a cover piece are both called 'w'"),
    ("unit.0.name", "", "it must be a unique name, in quotes"),
    ("unit.0.parts", [], "it must be a list of one or more solids"),
    ("unit.0.colour", "red", "unit 'A': unknown key 'colour'"),
    ("cover.0.size", [8, 0], "cover 'w', size is [8, 0]; it must be two sizes in mm"),
    ("cover.0.size", [8, -120], "it must be two sizes in mm"),
    ("cover.0.height", -2, "cover 'w', height is -2; it must be a number of bricks above zero"),
    ("cover.0.defence", 0, "cover 'w', defence is 0; it must be a whole number, 1 or more"),
    ("cover.0.defence", 2.5, "cover 'w', defence is 2.5; it must be a whole number"),
    ("cover.0.turn", True, "cover 'w', turn is true; it must be a number of degrees"),
    ("readings", {"share_practically_all": 1.0}, "readings, share_practically_all is 1.0; it must be a share from 0"),
    ("readings", {"basis": "all"}, 'readings, basis is "all"; it must be "penetrating" or "total"'),
    ("readings", {"dive_directions": 1.5}, "dive_directions is 1.5; it must be a whole number from 1 to 64"),
    ("readings", {"dive_distanze": 40.0}, "readings: unknown key 'dive_distanze'; did you mean 'dive_distance'?"),
    ("check.0.attacker", "Y", "check 1: attacker 'Y' is not on the table; there are 'A', 'T'"),
    ("check.0.target", "w", "check 1: target 'w' is cover; name a unit"),
    ("check.0.target", "A", "check 1: 'A' would check itself; name another unit as target"),
    ("check.0.ask", "protecton", "check 1: ask is \"protecton\"; did you mean 'protection'?"),
    ("check.0.ask", 3, "check 1: ask is 3; it must be one of"),
    ("check.0.ask", None, "check 1: ask is null; it must be one of"),
    ("check.0.ask", "classify", "check 1: unknown key 'attacker'"),
    ("check.0.arc", "front", "check 1: unknown key 'arc'"),
    ("check.0.expect", {"occludd": 0.3}, "check 1: expect: no result is called 'occludd'; did you mean 'occluded'?"),
    ("check.0.expect", {"occluded": [0.3]}, "expect: occluded is [0.3]; it must be a value, or [least, most]"),
    ("check.0.expect", {"flanked": True}, "expect: no result is called 'flanked'"),
    ("check", 3, "check is 3; it must be tables [[check]]"),
    ("check", [3], "check is [3]; it must be tables [[check]]"),
    (
        "terrain",
        [{"name": "w", "at": [0, 0], "parts": [{"box": [1, 1, 1]}]}],
        "a cover and a terrain piece are both called",
    ),
    ("terrain", [{"name": "x", "at": [0, 0]}], "terrain 'x': it has none of model, mesh or parts"),
]


@pytest.mark.parametrize("where, value, expected", SCENE_MISTAKES)
def test_a_mistake_in_a_scene_gets_one_plain_line(where: str, value: object, expected: str) -> None:
    document = between()
    put(where, value)(document)
    assert expected in said(document)


CHECK_MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"ask": "classify"}, "check 1: height is missing; it must be the height of the cover"),
    ({"ask": "classify", "height": -1}, "check 1, height is -1; it must be the height of the cover"),
    ({"ask": "classify", "height": NAN}, "check 1, height is nan"),
    ({"ask": "classify", "height": 1, "unit_height": 0}, "unit_height is 0; it must be a number of bricks above zero"),
    ({"ask": "penalty", "cover_class": "medium", "posture": "prone"}, 'cover_class is "medium"; it must be "none"'),
    ({"ask": "from prone", "cover_class": "low", "posture": "prone"}, "unknown key 'posture'"),
    ({"ask": "attack cover", "damage": -1, "defence": 3}, "damage is -1; it must be a whole number from 0 up"),
    ({"ask": "attack cover", "damage": "9", "defence": 3}, 'damage is "9"; it must be a whole number'),
    ({"ask": "cover wounds", "damage": 9, "defence": 0}, "defence is 0; it must be a whole number, 1 or more"),
    ({"ask": "cover wounds", "damage": float("inf"), "defence": 1}, "damage is inf; it must be a whole number"),
    ({"ask": "cover wounds", "damage": True, "defence": 1}, "damage is true; it must be a whole number"),
    ({"ask": "destroyed"}, "check 1: it has no dice; it must have dice, or wounds and seed"),
    ({"ask": "destroyed", "wounds": 3}, "it has wounds; it must have dice, or wounds and seed"),
    ({"ask": "destroyed", "dice": [7]}, "dice is [7]; it must be a list of whole numbers from 1 to 6"),
    ({"ask": "destroyed", "dice": [6], "seed": 1}, "it has dice and seed; it must have dice, or wounds and seed"),
    ({"ask": "destroyed", "wounds": 10**6, "seed": 1}, "wounds is 1000000; it must be a whole number from 0 to 10000"),
    (
        {"ask": "vault", "unit_type": "foot", "cover_class": "low"},
        "move_left is missing; it must be a number of inches",
    ),
    (
        {"ask": "pile through", "unit_type": "foot", "strength": 4, "defence": 6, "pace": "jogging"},
        "it has neither d6 nor seed; it must have exactly one of d6 or seed",
    ),
    (
        {"ask": "pile through", "unit_type": "vehicle", "d6": 1, "strength": 4, "defence": 6, "pace": "running"},
        'no vehicle unit goes running; pace must be one of "cruising", "rushing", "flat-out"',
    ),
]


@pytest.mark.parametrize("check, expected", CHECK_MISTAKES)
def test_a_mistake_in_a_check_gets_one_plain_line(check: dict[str, Any], expected: str) -> None:
    assert expected in said({"rules": "skirmishcorps", "check": [check]})


def test_a_vehicle_does_not_lie_prone_and_nothing_has_two_bodies() -> None:
    assert "a vehicle does not lie prone" in said(between(target={"type": "vehicle", "posture": "prone"}))
    both = {"model": "x.toml", "parts": [{"box": [1, 1, 1]}]}
    assert "it has model and parts" in said(between(target=both))


def test_a_model_that_is_not_there_gets_one_line() -> None:
    with pytest.raises(FileError, match=r"none\.toml: there is no such file"):
        load(between(target={"model": "none.toml"}))


def test_the_command_line_says_it_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = tmp_path / "table.toml"
    scene.write_text('rules = "skirmishcorps"\n[[check]]\nask = "vault"\n', encoding="utf-8")
    ran = run(capsys, "check", scene, "--renderer", "reference")
    assert ran.status == 2
    (line,) = ran.complaints
    assert line.endswith('check 1: unit_type is missing; it must be "foot", "mech" or "vehicle"')
    scene.write_text('rules = "skirmishcorps"\n', encoding="utf-8")
    (line,) = run(capsys, "matrix", scene, "--renderer", "reference").complaints
    assert "fewer than two units stand there" in line


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "at", "ask", "box"]), inner),
    max_leaves=6,
)
PLACES = [
    *["unit", "unit.0", "unit.0.at", "unit.0.type", "unit.0.height", "unit.0.parts", "unit.0.eye", "unit.0.model"],
    *["cover", "cover.0", "cover.0.size", "cover.0.height", "cover.0.defence", "cover.0.turn", "terrain"],
    *[
        "check",
        "check.0",
        "check.0.ask",
        "check.0.expect",
        "readings",
        "tolerance",
        "pixel",
        "error",
        "title",
        "source",
    ],
]


@pytest.mark.slow
@settings(max_examples=150)
@given(where=st.sampled_from(PLACES), value=ANYTHING)
def test_whatever_stands_in_a_scene_it_loads_or_gets_one_plain_line(where: str, value: Any) -> None:
    document = copy.deepcopy(between())
    put(where, value)(document)
    judged_or_plain(document)


@settings(max_examples=150)
@given(
    ask=st.sampled_from(["classify", "penalty", "attack cover", "cover wounds", "destroyed", "vault", "pile through"]),
    keys=st.dictionaries(
        st.sampled_from(["height", "damage", "defence", "dice", "wounds", "seed", "cover_class", "d6", "pace"]),
        ANYTHING,
    ),
)
def test_whatever_a_check_says_it_loads_or_gets_one_plain_line(ask: str, keys: dict[str, Any]) -> None:
    judged_or_plain({"rules": "skirmishcorps", "check": [{"ask": ask, **keys}]})


ODD: list[Document] = [
    between(target={"at": [0, 0, 0]}),
    between(target={"at": [0, 0, 300]}),
    between(target={"at": [1e6, 0, 0]}),
    between(target={"at": [204, 0, 0]}),
    between(attacker={"at": [204, 0, 0]}),
    between(target={"at": [204, 0, 19.2]}),
    between(target={"height": 1e4}),
    between(target={"height": 1e-3}),
    between(cover={"height": 1e4}),
    between(cover={"size": [1e6, 1e6]}),
    between(cover={"size": [1e-6, 1e-6]}),
    between(attacker={"posture": "prone"}, target={"at": [20, 0, 0], "posture": "prone"}),
]


@pytest.mark.parametrize("document", ODD)
@pytest.mark.parametrize("ask", ["protection", "close combat", "flanked"])
def test_an_odd_scene_is_judged(document: Document, ask: str) -> None:
    document = copy.deepcopy(document)
    document["check"][0]["ask"] = ask
    judged_or_plain(document)


def judged_or_plain(document: Document) -> None:
    """Judges a scene; or, where it cannot be read, holds the error to be one plain line."""
    try:
        scene = SKIRMISHCORPS.load(Path("table.toml"), document, Cache(None))
    except SilhouetteError as error:
        line = str(error)
    else:
        line = ""
        for check in scene.checks:
            json.dumps(ruled(SKIRMISHCORPS, scene, check, quick(), 1.0).row(), allow_nan=False)
    assert "\n" not in line
    assert "Input should" not in line
