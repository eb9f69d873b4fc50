"""Tide of Iron maps in short, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from silhouette.files.cache import Cache
from silhouette.rules.tide_of_iron.hexes import Address, in_words
from silhouette.rules.tide_of_iron.judge import TideOfIronVerdict
from silhouette.rules.tide_of_iron.rule import TIDE_OF_IRON
from silhouette.rules.tide_of_iron.scene import HexScene
from silhouette.scenes.scene import Check
from tests.support.rulings import ruled

READINGS = {
    "hills": ("above the lower", "literal"),
    "low_woods": ("literal", "height"),
    "behind": ("hex distance", "hexes entered"),
    "three_levels": ("none blind", "one blind"),
    "touching": ("clear", "blocked"),
    "shift": ("line", "edge"),
}

# A map in short: a hex and its level, and whether there is something on it: {(2, 0): "woods", (3, 0): 1}.
Described = dict[Address, Any]


def scene(described: Described, **keys: Any) -> HexScene:
    hexes = []
    for at, what in described.items():
        terrain, elevation = (
            what if isinstance(what, tuple) else (what, 0) if isinstance(what, str) else ("clear", what)
        )
        hexes.append({"at": list(at), "terrain": terrain, "elevation": elevation})
    document = {"rules": "tide-of-iron", "map": {"hex": hexes}, **keys}
    return TIDE_OF_IRON.load(Path("hexes.toml"), document, Cache(None))


def judged(described: Described, start: Address, end: Address, **keys: Any) -> TideOfIronVerdict:
    return ruled(TIDE_OF_IRON, scene(described, **keys), Check(in_words(start), in_words(end)))


def ruling(described: Described, end: Address, start: Address = (0, 0), **keys: Any) -> tuple[bool, str, str]:
    verdict = judged(described, start, end, **keys)
    return verdict.line_of_sight, verdict.cause, verdict.rule.number
