"""Tide of Iron: whatever is wrong with a scene is said in one plain line with what would be right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.errors import FileError
from silhouette.files.cache import Cache
from silhouette.rules.tide_of_iron.rule import TIDE_OF_IRON

MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"map": {"hex": [{"at": [2, 0]}, {"at": [2, 0]}]}}, "map: the hex [2, 0] is described twice; describe it once"),
    (
        {"map": {"hex": [{"at": [2, 0], "terrain": "wods"}]}},
        'map, hex 1, terrain is "wods"; it must be "clear", "woods", "building" or "smoke"',
    ),
    ({"map": {"hex": [{"at": [2, 0.5]}]}}, "map, hex 1, at is [2, 0.5]; it must be an address [q, r], two whole"),
    ({"map": {"hex": [{"at": [2, 0.0]}]}}, "map, hex 1, at is [2, 0.0]; it must be an address"),
    ({"map": {"hex": [{"at": [2, True]}]}}, "map, hex 1, at is [2, true]; it must be an address"),
    ({"map": {"hex": [{"at": [2]}]}}, "map, hex 1, at is [2]; it must be an address"),
    ({"map": {"hex": [{"at": [2, 0, 0]}]}}, "map, hex 1, at is [2, 0, 0]; it must be an address"),
    ({"map": {"hex": [{"at": [2, 99999]}]}}, "whole numbers from -10000 to 10000"),
    ({"map": {"hex": [{"at": "2,0"}]}}, 'map, hex 1, at is "2,0"; it must be an address'),
    ({"map": {"hex": [{"terrain": "woods"}]}}, "map, hex 1: at is missing; it must be an address"),
    (
        {"map": {"hex": [{"at": [2, 0], "elevation": 1.5}]}},
        "map, hex 1, elevation is 1.5; it must be a whole number of levels, 0, 1, 2 ...",
    ),
    ({"map": {"hex": [{"at": [2, 0], "elevation": -1}]}}, "map, hex 1, elevation is -1; it must be a whole number"),
    ({"map": {"hex": [{"at": [2, 0], "elevation": True}]}}, "map, hex 1, elevation is true; it must be a whole"),
    ({"map": {"hex": [{"at": [2, 0], "elevation": float("nan")}]}}, "map, hex 1, elevation is nan; it must be"),
    ({"map": {"hex": [{"at": [2, 0], "level": 1}]}}, "map, hex 1: unknown key 'level'; the keys here are"),
    ({"map": {"hex": {"at": [2, 0]}}}, "map, hex is { at = [2, 0] }; it must be tables [[map.hex]]"),
    ({"map": {"default": {"elevation": -1}}}, "map, default, elevation is -1; it must be a whole number of levels"),
    ({"map": {"defualt": {}}}, "map: unknown key 'defualt'; did you mean 'default'?"),
    ({"map": []}, "map is []; it must be a table [map]"),
    ({"hex": []}, "unknown key 'hex'"),
    (
        {"unit": [{"name": "A", "at": [0, 0]}, {"name": "A", "at": [1, 0]}]},
        "two units are called 'A'; give each a different name",
    ),
    ({"unit": [{"name": "4, 0", "at": [0, 0]}]}, "unit '4, 0', name: name is '4, 0', which reads as an address"),
    ({"unit": [{"name": "", "at": [0, 0]}]}, 'unit 1, name is ""; it must be a unique name, in quotes'),
    ({"unit": [{"name": "A", "at": [0.5, 0]}]}, "unit 'A', at is [0.5, 0]; it must be an address"),
    ({"unit": [{"name": "A"}]}, "unit 'A': at is missing; it must be an address"),
    (
        {"check": [{"attacker": "A", "target": [0, 0]}]},
        "check 1: attacker 'A' is no unit, nor an address such as [4, 0]; the units are none",
    ),
    (
        {"unit": [{"name": "Able", "at": [0, 0]}], "check": [{"attacker": "Able", "target": "Abel"}]},
        "check 1: target 'Abel' is no unit, nor an address such as [4, 0]; did you mean 'Able'?",
    ),
    ({"check": [{"attacker": [0, 0.5], "target": [0, 0]}]}, "check 1, attacker is [0, 0.5]; it must be the name of a"),
    ({"check": [{"attacker": [0, 0], "target": [0, 10**6]}]}, "check 1, target is [0, 1000000]; it must be the name"),
    ({"check": [{"attacker": [0, 0], "target": 7}]}, "check 1, target is 7; it must be the name of a unit, or an"),
    ({"check": [{"attacker": [0, 0]}]}, "check 1: target is missing; it must be the name of a unit"),
    ({"check": [{"attacker": [0, 0], "target": [1, 0], "arc": "front"}]}, "check 1: unknown key 'arc'"),
    (
        {"check": [{"attacker": [0, 0], "target": [1, 0], "expect": {"cuase": "clear"}}]},
        "check 1: expect: no result is called 'cuase'; did you mean 'cause'?",
    ),
    (
        {"check": [{"attacker": [0, 0], "target": [1, 0], "expect": {"cause": "blocked"}}]},
        "check 1: expect: no cause is 'blocked'; ",
    ),
    (
        {"check": [{"attacker": [0, 0], "target": [1, 0], "expect": {"verdict": ["visible", "hidden"]}}]},
        'check 1: expect: no verdict is ["visible", "hidden"]; there are',
    ),
    ({"readings": {"hills": "low"}}, 'readings, hills is "low"; it must be "above the lower" or "literal"'),
    ({"readings": {"woods": "literal"}}, "readings: unknown key 'woods'; did you mean 'low_woods'?"),
]


@pytest.mark.parametrize("tables, expected", MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_gets_one_plain_line(tables: dict[str, Any], expected: str) -> None:
    with pytest.raises(FileError) as caught:
        TIDE_OF_IRON.load(Path("hexes.toml"), {"rules": "tide-of-iron", **tables}, Cache(None))
    line = str(caught.value)
    assert line.startswith("hexes.toml: ")
    assert expected in line
    assert "\n" not in line
    assert "Input should" not in line


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "at", "hex", "x"]), inner),
    max_leaves=6,
)


@settings(max_examples=100)
@given(key=st.sampled_from(["map", "hex", "unit", "check", "expect", "readings", "at"]), value=ANYTHING)
def test_whatever_stands_in_a_scene_it_loads_or_gets_one_plain_line(key: str, value: Any) -> None:
    document: dict[str, Any] = {"rules": "tide-of-iron"}
    if key in ("hex", "at"):
        document["map"] = {"hex": value if key == "hex" else [{"at": value}]}
    elif key == "expect":
        document["check"] = [{"attacker": [0, 0], "target": [1, 0], "expect": value}]
    else:
        document[key] = value
    try:
        TIDE_OF_IRON.load(Path("hexes.toml"), document, Cache(None))
    except FileError as error:
        line = str(error)
        assert line.startswith("hexes.toml: ")
        assert "Input should" not in line
