"""PLACE, games by data: a first scene to edit, with every key of the game and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silhouette.files.documents import toml
from silhouette.rules.data.entries import ReadingEntry
from silhouette.rules.data.game import Game

UNSET_IN_TOML: Mapping[str, Any] = {"yes or no": False, "number": 0, "length": 0, "text": "", "words": []}
"""The value of a key that says nothing, by its type, as a scene file has it."""

COMMENT_INDENT = 28  # columns before a comment

_HEAD = """title = "First scene"
rules = {rules}
units = "inch"              # of `at` and `table`, or "square"; leave it out for mm
table = [24, 24]            # the width and depth of the table; [0, 0] is its middle, x runs right, y away from you
"""

_TERRAIN_TEXT = """[[terrain]]
name = "wall"
parts = [{ box = [120, 8, 22] }]  # a stand-in of plain solids, always in mm: width, depth, height
# mesh = "wall.stl"         # your own file instead of `parts`, seen from this folder: STL, OBJ, PLY, GLB, 3MF, OFF
at = [0, 7]                 # where its middle stands
# turn = 30                 # degrees anticlockwise from how it lies in its file
"""

_FIGHTER = (
    ('name = "{name}"', "by which checks call it"),
    ('gang = "{gang}"', "fighters of one gang are friends"),
    ('# unit = "{gang} 1"', "models of one unit"),
    ("figure = {{ base = 32, height = 38 }}", "a stand-in: the diameter of its base and its height, mm"),
    ('# mesh = "{name}.stl"', "your own file instead of `figure`"),
    ("at = [0, {y}]", "where it stands"),
    ("facing = {facing}", "where it looks, degrees anticlockwise from x: 0 is right, 90 away from you, 180 left"),
)

_CHECK = """[[check]]
attacker = "Kal"            # who looks
target = "Vex"              # who is looked at
"""


def first_scene(game: Game, rules: str) -> str:
    """A scene with two figures and a wall, and every key of the game as a comment."""
    blocks = [_HEAD.format(rules=toml(rules))]
    if game.readings:
        blocks.append(_line("[readings]", "where the rules can be read in more than one way") + _keys(game.readings))
    blocks.append(_TERRAIN_TEXT + _keys(game.terrain))
    for name, gang, y, facing in (("Kal", "red", 0, 90), ("Vex", "blue", 9, 270)):
        lines = [(line.format(name=name, gang=gang, y=y, facing=facing), about) for line, about in _FIGHTER]
        blocks.append("[[fighter]]\n" + "".join(_line(*line) for line in lines) + _keys(game.model))
    return "\n".join([*blocks, _CHECK])


def _keys(keys: Mapping[str, ReadingEntry]) -> str:
    """A line for each key, with its default, what it may be and what it means."""
    lines = []
    for name, key in keys.items():
        default = UNSET_IN_TOML[key.type] if key.default is None else key.default
        unit = f" {key.unit}" if key.type == "length" else ""
        choices = f" ({', '.join(key.choices)})" if key.choices else ""
        lines.append(_line(f"# {name} = {toml(default)}", f"{unit}{choices} {key.means}".strip()))
    return "".join(lines)


def _line(line: str, about: str) -> str:
    return f"{line:{COMMENT_INDENT - 2}}  # {about}\n"
