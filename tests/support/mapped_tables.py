"""Tables for maps: of plain solids, with walls, two floors, gangs, and figures that look all ways."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.files.cache import Cache
from silhouette.judging.maps import Map, MapRequest, map_of
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings, Verdict
from silhouette.scenes.scene import Scene

BASE = {"cylinder": {"diameter": 25.0, "height": 3.0}, "base": True}
BODY = [{"box": [12.0, 8.0, 27.0], "at": [0.0, 0.0, 3.0]}]


def fighter(name: str, at: list[float], facing: Any = 90.0, body: Any = BODY, **keys: Any) -> dict[str, Any]:
    """A fighter of solids, its eye a little before it, on a round base of 25 mm."""
    return {
        "name": name,
        "at": at,
        "facing": facing,
        "parts": [BASE, *body],
        "eye": [1.0, 6.0, 25.0],
        **keys,
    }


def gantry_table() -> dict[str, Any]:
    """A table of 300 x 240 mm with walls, a container, and a gantry on four legs, under which one can stand."""
    legs = [{"box": [6.0, 6.0, 50.0], "at": [x, y, 0.0]} for x in (-42.0, 42.0) for y in (-32.0, 32.0)]
    deck = {"box": [90.0, 70.0, 4.0], "at": [0.0, 0.0, 50.0]}
    return {
        "rules": "necromunda",
        "table": [300.0, 240.0],
        "fighter": [
            fighter("Kal", [-120.0, -90.0], 40.0, gang="A"),
            fighter("Yar", [120.0, 90.0], 200.0, gang="A"),
            fighter("Vex", [0.0, -100.0], 60.0, gang="B"),
            fighter("Zil", [100.0, -100.0], 100.0, gang="B"),
        ],
        "terrain": [
            {"name": "gantry", "at": [30.0, 30.0], "parts": [*legs, deck]},
            {"name": "wall", "at": [-60.0, -20.0], "turn": 20.0, "parts": [{"box": [70.0, 6.0, 22.0]}]},
            {"name": "container", "at": [-80.0, 60.0], "turn": 70.0, "parts": [{"box": [70.0, 40.0, 28.0]}]},
            {"name": "fence", "at": [70.0, -60.0], "turn": -15.0, "parts": [{"box": [60.0, 2.0, 9.0]}]},
        ],
    }


def loaded(document: dict[str, Any]) -> Scene:
    """The scene of a document."""
    scene: Scene = rule_called(document["rules"]).load(Path("table.toml"), document, Cache(None))
    return scene


def settings() -> Settings:
    """Those of `silhouette check`."""
    return Settings(choose(), 0.1)


def made(document: dict[str, Any], move: str, **asked: Any) -> Map:
    """The map of a document's scene, as it is asked for."""
    return map_of(loaded(document), MapRequest(move, **asked), settings())


def checked(document: dict[str, Any], table: str, move: str, at: list[float], **keys: Any) -> list[Verdict]:
    """The verdicts on the scene with the model's entry changed: every check of ``others`` and the model.

    Args:
        document: of the scene.
        table: in which the model's entry stands.
        move: its name.
        at: x and y, mm.
        keys: others of its entry, and ``pairs``: the attackers and targets to judge.
    """
    pairs = keys.pop("pairs")
    changed = deepcopy(document)
    for entry in changed[table]:
        if entry["name"] == move:
            entry.update(at=at, **keys)
    scene = loaded(changed)
    rule = rule_called(scene.rules)
    return [
        verdict
        for attacker, target in pairs
        for verdict in rule.judge([(scene, check) for check in rule.between(scene, attacker, target, None)], settings())
    ]


def differing(document: dict[str, Any], table: str, drawn: Map, count: int, seed: int, **keys: Any) -> list[str]:
    """What of a map's random cells is neither the verdict of a check with the model there, nor marginal."""
    standing = np.flatnonzero(drawn.cells.stands)
    chosen = np.random.default_rng(seed).choice(standing, min(count, len(standing)), replace=False)
    pairs = [(check.attacker, check.target) for check in drawn.checks]
    wrong = list[str]()
    for number in chosen.tolist():
        cell = drawn.cell(number)
        rulings = checked(document, table, drawn.request.move, cell["at"][:2], pairs=pairs, **keys)
        for found, ruling in zip(cell["by"], rulings, strict=True):
            if found["verdict"] != ruling.verdict and not found["marginal"]:
                wrong.append(f"{cell['at']} {found}: {ruling.reason}")
        most = min((ruling.verdict for ruling in rulings), key=drawn.verdicts.index)
        if cell["verdict"] != most and not cell["marginal"]:
            wrong.append(f"{cell['at']}: {cell['verdict']}, not {most}")
    return wrong
