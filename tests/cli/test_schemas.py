"""The JSON Schemas that `silhouette schema` prints: what ships is valid, what the program refuses is not."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest

from silhouette.cli.schema import SCHEMA_MAKERS, schema_of
from silhouette.rules import RULES
from tests.support.commands import QUICK, run

jsonschema = pytest.importorskip("jsonschema", reason="needs the extra 'test'")

Capture = pytest.CaptureFixture[str]

PROJECT = Path(__file__).resolve().parents[2]
SCENES = sorted(PROJECT.glob("scenes/*/*.toml"))
MODELS = sorted(PROJECT.glob("models/*.toml"))


@cache
def validator(kind: str) -> Any:
    schema = schema_of(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def document(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.thinned(quick=17, ci=25)
@pytest.mark.parametrize("path", SCENES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_scene_that_ships_is_valid(path: Path) -> None:
    validator("scene").validate(document(path))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_model_file_that_ships_is_valid(path: Path) -> None:
    validator("model").validate(document(path))


@pytest.mark.thinned(quick=8, ci=8)
@pytest.mark.parametrize("kind", SCHEMA_MAKERS)
def test_the_command_prints_the_schema(capsys: Capture, kind: str) -> None:
    printed = run(capsys, "schema", kind).document
    assert list(printed)[:3] == ["silhouette", "schema", "$schema"]
    jsonschema.Draft202012Validator.check_schema(printed)
    # "schema" and "silhouette" at the top are keywords that JSON Schema does not know, and passes over.
    assert {key: value for key, value in printed.items() if key not in ("silhouette", "schema")} == schema_of(kind)


@pytest.mark.parametrize("kind", ["scene", "model"])
def test_every_key_says_what_it_means(kind: str) -> None:
    """Editors show a description, so each has a sentence of its own, and says what the value must be after it."""
    schema = schema_of(kind)
    text = json.dumps(schema)
    tables = [schema, *(table for name, table in schema["$defs"].items() if f'"#/$defs/{name}"' in text)]
    keys = [(key, value) for table in tables for key, value in table.get("properties", {}).items()]
    undescribed = [key for key, value in keys if key != "rules" and ". " not in value.get("description", "") + " "]
    assert undescribed == []


def test_a_schema_that_is_not_there_is_one_plain_line(capsys: Capture) -> None:
    ran = run(capsys, "schema", "scenes")
    assert (ran.status, ran.complaints) == (2, ["error: no schema of 'scenes'; did you mean 'scene'?"])


PIECE: dict[str, Any] = {"name": "Kal", "at": [0, 0], "mesh": "kal.stl"}
TABLE: dict[str, Any] = {"rules": "necromunda", "fighter": [PIECE]}
PLAN: dict[str, Any] = {"rules": "crisis-protocol", "ranges": {"1": 60, "2": 120}}
CELLS: dict[str, Any] = {"rules": "ikosa", "mode": "melee", "solid_cells": [[0, 0, 0]]}
HEXES: dict[str, Any] = {"rules": "tide-of-iron", "check": [{"attacker": "A", "target": [0, 1]}]}
ASK: dict[str, Any] = {"rules": "skirmishcorps", "check": [{"ask": "cover wounds", "damage": 3, "defence": 12}]}
GOOD = (TABLE, PLAN, CELLS, HEXES, ASK)


@pytest.mark.parametrize("scene", GOOD, ids=lambda scene: scene["rules"])
def test_short_scenes_are_valid(scene: dict[str, Any]) -> None:
    validator("scene").validate(scene)


@pytest.mark.parametrize(
    "scene",
    [
        {},
        {"rules": "chess"},
        {**TABLE, "figther": []},
        {**TABLE, "rules": "ikosa"},
        {**TABLE, "readings": {"hills": "literal"}},
        {**TABLE, "fighter": [{**PIECE, "base": {"hight": 3}}]},
        {**TABLE, "fighter": [{**PIECE, "base": "automatic"}]},
        {**TABLE, "fighter": [{**PIECE, "at": [0]}]},
        {**TABLE, "fighter": [{**PIECE, "scale": 0}]},
        {**TABLE, "fighter": [{**PIECE, "model": "kal.toml"}]},
        {**TABLE, "fighter": [{"name": "Kal", "at": [0, 0]}]},
        {**TABLE, "terrain": [{"name": "wall", "at": [0, 0], "parts": [{"at": [0, 0, 0]}]}]},
        {**PLAN, "ranges": {"1": 60}},
        {**CELLS, "solid_cells": [[0, 0]]},
        {**CELLS, "solid_cells": [[0, 0, 0.5]]},
        {**CELLS, "boxes": [[[0, 0, 0], ["1/0", 1, 1]]]},
        {**HEXES, "check": [{"attacker": "A", "target": [0, 1, 2]}]},
        {**ASK, "check": [{"ask": "cover wounds", "damage": 3}]},
        {**ASK, "check": [{"ask": "cover wound", "damage": 3, "defence": 12}]},
    ],
    ids=str,
)
def test_what_the_program_refuses_is_not_valid(tmp_path: Path, capsys: Capture, scene: dict[str, Any]) -> None:
    file = tmp_path / "scene.json"
    file.write_text(json.dumps(scene), encoding="utf-8")
    assert run(capsys, "check", file, *QUICK).status == 2
    assert not validator("scene").is_valid(scene)


@pytest.mark.parametrize("model", [{}, {"mesh": "a.stl", "unit": "mm"}, {"mesh": "a.stl", "kind": "house"}], ids=str)
def test_model_files_that_are_not_valid(model: dict[str, Any]) -> None:
    assert not validator("model").is_valid(model)
    assert validator("model").is_valid({"mesh": "a.stl", "base": {"height": 3.5}, "eye": [0, 3, 27.5]})


@pytest.mark.thinned(quick=12, ci=12)
@pytest.mark.parametrize(
    "name",
    [
        "necromunda/example_3_vehicle_in_partial_cover",
        "crisis_protocol/an_object",
        "ikosa/corner_to_corner",
        "skirmishcorps/classes",
        "skirmishcorps/behind_the_crates",
        "tide_of_iron/adjacent_units",
    ],
)
def test_results_are_valid(capsys: Capture, name: str) -> None:
    printed = run(capsys, "check", PROJECT / f"scenes/{name}.toml", "--json", *QUICK).document
    validator("results").validate(printed)
    (scene,) = printed["scenes"]
    assert scene["results"]
    for wrong in (
        {**printed, "schema": 2},
        {"scenes": printed["scenes"]},
        {**printed, "scenes": [{**scene, "rules": 1}]},
    ):
        assert not validator("results").is_valid(wrong)


@pytest.mark.parametrize("kind", SCHEMA_MAKERS)
def test_every_reference_has_a_definition_and_every_definition_is_used(kind: str) -> None:
    schema = schema_of(kind)
    referred = {name.removeprefix("#/$defs/") for name in references(schema)}
    assert referred == schema["$defs"].keys()


def references(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(references, schema))
    if not isinstance(schema, dict):
        return set()
    own = {schema["$ref"]} if isinstance(schema.get("$ref"), str) else set()
    return own.union(*map(references, schema.values()))


@pytest.mark.thinned(quick=58, ci=58)
@pytest.mark.parametrize(
    "name",
    [
        "necromunda/example_1_open",
        "crisis_protocol/an_object",
        "ikosa/corner_to_corner",
        "skirmishcorps/behind_the_crates",
        "tide_of_iron/adjacent_units",
    ],
)
def test_a_row_that_lacks_a_key_or_has_another_kind_of_value_is_not_valid(capsys: Capture, name: str) -> None:
    printed = run(capsys, "check", PROJECT / f"scenes/{name}.toml", "--json", *QUICK).document
    row = printed["scenes"][0]["results"][0]
    for key in ("attacker", "verdict", "rule", "rule_number", "reason", "expected"):
        for wrong in ({**row, key: ["wrong"]}, {other: value for other, value in row.items() if other != key}):
            scene = {**printed["scenes"][0], "results": [wrong]}
            assert not validator("results").is_valid({**printed, "scenes": [scene]}), key


def test_results_of_a_scene_that_cannot_be_read_are_valid(tmp_path: Path, capsys: Capture) -> None:
    printed = run(capsys, "check", tmp_path / "gone.toml", "--json", *QUICK).document
    validator("results").validate(printed)


def test_a_new_rule_system_comes_along_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    from silhouette.rules import rule_called

    class Coin(type(rule_called("ikosa"))):  # type: ignore[misc]
        """Heads or tails."""

        name: ClassVar[str] = "coin"
        title: ClassVar[str] = "Coin"

    monkeypatch.setitem(RULES, "coin", "tests.coin")
    monkeypatch.setattr(
        "silhouette.cli.schema.rule_called", lambda name: Coin() if name == "coin" else rule_called(name)
    )
    fresh = jsonschema.Draft202012Validator(schema_of("scene"))
    assert fresh.is_valid({**CELLS, "rules": "coin"})
    assert not fresh.is_valid({**HEXES, "rules": "coin"})
