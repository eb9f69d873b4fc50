"""Crisis Protocol: whatever is wrong with a scene is said in one plain line."""

from __future__ import annotations

import math
from typing import Any

import pytest

from silhouette.common.errors import FileError
from tests.support.crisis_protocol_tables import load, scene, wall
from tests.support.documents import put

BOW = [[0, 0], [40, 40], [40, 0], [0, 40]]
LENGTHS = "it must be { 1 = ..., 2 = ... }, two lengths above zero, the second no shorter"
MISTAKES: list[tuple[str, Any, str]] = [
    ("ranges", ..., "ranges is missing; it must be { 1 = ..., 2 = ... }, two lengths above zero"),
    ("ranges", {"1": 60}, f"ranges is {{ 1 = 60 }}; {LENGTHS}"),
    ("ranges", {"1": 60, "2": 120, "3": 180}, f"ranges is {{ 1 = 60, 2 = 120, 3 = 180 }}; {LENGTHS}"),
    ("ranges", {"1": 0, "2": 120}, f"ranges is {{ 1 = 0, 2 = 120 }}; {LENGTHS}"),
    ("ranges", {"1": 60, "2": math.inf}, f"ranges is {{ 1 = 60, 2 = inf }}; {LENGTHS}"),
    ("ranges", {"1": math.nan, "2": 1}, f"ranges is {{ 1 = nan, 2 = 1 }}; {LENGTHS}"),
    ("ranges", {"1": 120, "2": 60}, f"ranges is {{ 1 = 120, 2 = 60 }}; {LENGTHS}"),
    ("ranges", [60, 120], f"ranges is [60, 120]; {LENGTHS}"),
    ("unit", "mm", "unknown key 'unit'; did you mean 'units'?"),
    ("units", 3, "units is 3; it must be the name of a unit of length, in quotes"),
    ("character.0.sise", 2, "character 'A': unknown key 'sise'; did you mean 'size'?"),
    ("character.0.size", 0, "character 'A', size is 0; it must be a whole number above zero"),
    ("character.0.size", 2.5, "character 'A', size is 2.5; it must be a whole number above zero"),
    ("character.0.size", True, "character 'A', size is true; it must be a whole number above zero"),
    ("character.0.base", -35, "character 'A', base is -35; it must be a number above zero, the diameter of the base"),
    ("character.0.base", ..., "character 'A': base is missing; it must be a number above zero"),
    ("character.0.at", [0, math.nan], "character 'A', at is [0, nan]; it must be two numbers up to a million, [x, y]"),
    ("character.0.at", [0, 0, 0], "character 'A', at is [0, 0, 0]; it must be two numbers up to a million, [x, y]"),
    ("character.0.on", "wal", "character 'A': on is 'wal', but no terrain is called that; did you mean 'wall'?"),
    ("character.0.on", "B", "character 'A': on is 'B', but no terrain is called that; there are 'wall'"),
    ("character.0.granted_cover", 1, "character 'A', granted_cover is 1; it must be true or false"),
    ("character.1.name", "A", "two of [[character]] are called 'A'; give each a different name"),
    ("terrain.0.name", "A", "one of [[character]] and one of [[terrain]] are called 'A'; give each a different name"),
    ("terrain.0.polygon", ..., "terrain 'wall': polygon is missing; it must be a list of corners"),
    ("terrain.0.polygon", [[0, 0], [1, 1]], "terrain 'wall', polygon: it must have three corners or more"),
    ("terrain.0.polygon", [[0, 0], [1, 1], [2, 2]], "polygon: it must have an area, but its corners lie on one line"),
    ("terrain.0.polygon", BOW, "polygon: it must not cross or touch itself, as it does at [20, 20]"),
    (
        "terrain.0.polygon",
        [[0, 0], [1, "1"], [2, 5]],
        "terrain 'wall', polygon is [[0, 0], [1, \"1\"], [2, 5]]; it must",
    ),
    ("terrain.0.polygon", [[0, 0], [math.inf, 1], [2, 5]], "polygon is [[0, 0], [inf, 1], [2, 5]]; it must be a list"),
    ("terrain.0.on", "wall", "terrain 'wall': unknown key 'on';"),
    ("check.0.target", "C", "check 1: target 'C' is not on the table; there are 'A', 'B', 'wall'"),
    ("check.0.attacker", "wall", "check 1: attacker 'wall' is no character and sees nothing; name a character"),
    ("check.0.arc", "front", "check 1: unknown key 'arc'"),
    ("check.0.expect", {"covr": True}, "check 1: expect: no result is called 'covr'; did you mean 'cover'?"),
    ("check.0.expect", {"verdict": "hiden"}, "check 1: expect: no verdict is 'hiden'; did you mean 'hidden'?"),
    ("readings", {"attacker_terrain": False}, "readings: unknown key 'attacker_terrain'"),
    ("readings", {"attacker_terrain_gives_cover": "no"}, 'attacker_terrain_gives_cover is "no"; it must be true or'),
]


@pytest.mark.parametrize("where, value, expected", MISTAKES, ids=[f"{k}-{each[0]}" for k, each in enumerate(MISTAKES)])
def test_a_mistake_gets_one_plain_line(where: str, value: Any, expected: str) -> None:
    document = scene(wall(3))
    put(document, where, value)
    with pytest.raises(FileError) as caught:
        load(document)
    assert expected in str(caught.value)
    assert str(caught.value).startswith("duel.toml: ")
