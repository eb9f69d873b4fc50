"""Random edits of a live table, as its protocol has them, and a small scene that is written as people write."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from silhouette.common.errors import SilhouetteError
from silhouette.files.cache import Cache
from silhouette.live.edits import entries_of
from silhouette.live.live_table import LiveTable

PROJECT = Path(__file__).resolve().parents[2]
TABLES = sorted(
    file for game in ("necromunda", "skirmishcorps", "scans") for file in (PROJECT / "scenes" / game).glob("*.toml")
)
"""The example scenes that have a live table."""

DUEL = """\
# A duel at the wall.
title = "Duel"   # for people
rules = 'necromunda'
base_contact = [
    ["Kal", "Bo"],   # they have just fought
    ["Kal", "Vex"],
]

[source]
text = "somewhere"   # a note
seen = 2024-05-01

# The wall is low.
[[terrain]]
name = "wall"
parts = [ { box = [60, 5, 10] } ]
at = [0, 185]


# Everyone stands where the tape says.

# Kal waits.
[[fighter]]
name = "Kal"    # an Orlock
gang = "Orlock"
at = [
    0,     # along the edge
    0.50,  # away from it
]
facing = 90
parts = [{ box = [12, 12, 30] }]
eye = [0, 6, 15]
# eye = [0, 6, 16]

[[fighter]]     # who is seen
name = "Vex"
gang = "Escher"
at = [0, 200]
facing = 270
parts = [{ box = [12, 12, 30] }]
[fighter.doubt] # his player was vague
place = 2.0

# Bo came late.
[[fighter]]
name = "Bo"
at = [40, 60, 0]
turn = 30
figure = { base = 25, height = 32 }

# The crate can be climbed.
[[terrain]]
name = "crate"
at = [40, 20]
parts = [{ box = [40, 40, 20] }]

# The first question.
[[check]]
attacker = "Kal"
target = "Vex"
expect = { verdict = "partial cover", occluded = [0.3, 0.4] }  # measured by hand

# The second one.
[[check]]
attacker = "Vex"
target = "Kal"

# That is all.
"""
"""A scene with comments everywhere, and pieces of solids that are judged quickly."""


def written(folder: Path, text: str | bytes = DUEL, name: str = "duel.toml") -> Path:
    """Writes a scene, and gives its path."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def table_of(path: Path, **how: Any) -> LiveTable:
    """The live table of a scene file, with the tests' own cache of meshes."""
    return LiveTable.opened(path, Cache.default(), **how)


def random_edit(table: LiveTable, chance: random.Random) -> dict[str, Any]:
    """An edit that is often possible."""
    names = [entry["name"] for _, _, entry in entries_of(table.document)]
    terrain = [piece.name for piece in table.scene.pieces if piece.kind == "terrain"]
    name, new = chance.choice(names), f"piece {chance.randrange(1000)}"
    x, y = round(chance.uniform(-150, 250), 3), round(chance.uniform(-150, 250), 3)
    edits: list[dict[str, Any]] = [
        {"piece": name, "at": [x, y]},
        {"piece": name, "at": [x, y, chance.choice([0, 12.345, 80])]},
        {"piece": name, "at": [x, y], "on": "surface"},
        {"piece": name, "facing": round(chance.uniform(-400, 400), 3)},
        {"piece": name, "at": [x, y], "facing": chance.randrange(0, 360, 15), "on": "surface"},
        {"piece": name, "facing": "unknown"},
        {"piece": name, "on": None},
        {"piece": name, "on": chance.choice([*terrain, "surface"])},
        {"piece": name, "on": "surface", "under": chance.choice([5, 50, None])},
        {"piece": name, "floor": chance.choice([1, -1])},
        {"piece": name, "name": chance.choice([new, chance.choice(names)])},
        {"piece": name, "gang": chance.choice(["Orlock", "Escher", None, 'Çelik "7"'])},
        {"piece": name, "arcs": ["front", "left"]},
        {"copy": name},
        {"copy": name, "as": new, "at": [x, y]},
        {"delete": name},
        {"add": "fighter", "name": new, "at": [x, y], "figure": {"base": 32, "height": 40}},
    ]
    return chance.choice(edits)


def random_step(table: LiveTable, chance: random.Random) -> bool:
    """Makes an edit, or undoes or does again; whether it was possible."""
    try:
        kind = chance.random()
        if kind < 0.12:
            table.undo()
        elif kind < 0.2:
            table.redo()
        else:
            drag = chance.choice([None, None, "d1"])
            table.edit([random_edit(table, chance) for _ in range(chance.choice([1, 1, 1, 2]))], drag)
    except SilhouetteError:
        return False
    return True
