"""DRAW: every word of the figures of boards and plans, in one place, so that another language is other tables."""

from __future__ import annotations

BASES = {
    "title": "{attacker} → {target}: {verdict}",
    "sized": "{name}, size {size}",
    "raised": "{name}, size {size}, counts as {counted}",
    "free": "a free line",
    "blocked": "blocked",
    "between": "all lines from base to base",
    "blocker": "blocks: larger than the target",
    "cover": "gives cover",
    "both": "blocks and gives cover",
    "terrain": "other terrain",
    "range 1": "range 1 of {name}: {length}",
    "range 2": "range 2 of {name}: {length}",
    "length": "{length:.4g} {units}",
    "range 1 here": "range 1",
    "range 2 here": "range 2",
    "looked at": "what is looked at",
}
"""Of the plan of bases."""

HEXES = {
    "title": "{attacker} → {target}: {verdict}",
    "map title": "Blind from {attacker}",
    "map reason": "of {all} hexes {blind} blind, {plateau} of them by the rule of the plateau",
    "map hidden": "; {hidden} hidden by what stands between",
    "none": "none is",
    "one": "1 is",
    "many": "{count} are",
    "blind": "blind hex",
    "plateau": "blind: plateau",
    "hidden": "hidden otherwise",
    "entered": "hex entered",
    "obstruction": "closest obstruction",
    "blocks": "blocks the line",
    "free": "clear line",
    "blocked": "blocked line",
    "left": "left",
    "right": "right",
    "adjacent": "adjacent: always seen",
    "woods": "woods",
    "building": "building",
    "smoke": "smoke",
    "level": "level {level}",
    "level mark": "{level}",
    "address": "{q}, {r}",
}
"""Of the board of hexes and of the map of blind ones."""

CELLS = {
    "title": "{attacker} → {target}: {verdict}",
    "clear": "clear lines: {count}",
    "blocked": "blocked lines: {count}",
    "solid": "terrain",
    "in the way": "terrain in the way",
    "sources": "corners of {attacker}: {count}",
    "point": "the point of {attacker}",
    "targets": "corners of {target}: {count}",
    "gravity": "gravity",
    "left out": "gravity face, left out",
}
"""Of the view of cells."""
