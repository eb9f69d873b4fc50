"""Small scenes of Necromunda and SkirmishCorps, whose answers are known, for tests that move their pieces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from silhouette.files.cache import Cache
from silhouette.rules import rule_called
from silhouette.scenes.table import TableScene

BODY = [{"box": [12.0, 8.0, 30.0]}]


def duel(
    attacker: list[float], facing: float, target: list[float], wall: list[float], turn: float, **keys: Any
) -> dict[str, Any]:
    """A fighter looks past a wall, 12 mm high, at another one; a friend stands beside it, in base contact or not."""
    return {
        "rules": "necromunda",
        "fighter": [
            {"name": "Kal", "gang": "A", "at": attacker, "facing": facing, "parts": BODY, "eye": [1.0, 6.0, 25.0]},
            {"name": "Odd", "gang": "A", "at": [12.5, 6.0], "facing": 90.0, "parts": BODY},
            {"name": "Vex", "gang": "B", "at": target, "facing": -90.0, "parts": BODY},
        ],
        "terrain": [{"name": "wall", "at": wall, "turn": turn, "parts": [{"box": [60.0, 5.0, 12.0]}]}],
        **keys,
    }


def skirmish(attacker: list[float], target: list[float], wall: list[float], turn: float, **keys: Any) -> dict[str, Any]:
    """A unit looks past cover at another one; both may be in contact with it, which then obscures or does not."""
    return {
        "rules": "skirmishcorps",
        "unit": [{"name": "Kal", "at": attacker}, {"name": "Vex", "at": target}],
        "cover": [{"name": "wall", "at": wall, "size": [80.0, 8.0], "height": 2, "turn": turn}],
        "terrain": [{"name": "rock", "at": [20.0, 100.0], "parts": [{"box": [30.0, 10.0, 15.0]}]}],
        **keys,
    }


def loaded(document: dict[str, Any]) -> TableScene:
    """The scene of a document."""
    scene = rule_called(document["rules"]).load(Path("duel.toml"), document, Cache(None))
    assert isinstance(scene, TableScene)
    return scene
