"""Documents of SkirmishCorps scenes for tests: random ones, seeded, and small ones to change."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from silhouette.common.errors import RendererUnavailable
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.reference import ReferenceRenderer

Document = dict[str, Any]


@cache
def quick() -> Renderer:
    """The fastest renderer that runs everywhere it can; the plain one elsewhere."""
    try:
        return choose("embree")
    except RendererUnavailable:
        return ReferenceRenderer()


def between(
    attacker: Document | None = None,
    target: Document | None = None,
    cover: Document | None = None,
    ask: str = "protection",
) -> Document:
    """A at the origin, T 216.2 mm along x, and a low wall ``w`` at T between them; with some keys changed."""
    return {
        "rules": "skirmishcorps",
        "unit": [
            {"name": "A", "at": [0, 0, 0], **(attacker or {})},
            {"name": "T", "at": [216.2, 0, 0], **(target or {})},
        ],
        "cover": [{"name": "w", "at": [204, 0, 0], "size": [8, 120], "height": 2, "defence": 12, **(cover or {})}],
        "check": [{"ask": ask, "attacker": "A", "target": "T"}],
    }


def random_document(source: np.random.Generator) -> Document:
    """Two units, which do not peek round corners, and up to four sections of cover, some of them at a unit; asks for
    protection and for close combat.
    """
    distance, angle = source.uniform(90, 400), source.uniform(0, 2 * np.pi)
    if source.random() < 0.15:
        distance = source.uniform(24.2, 30)
    attacker = _unit(source, "A", (0.0, 0.0))
    target = _unit(source, "T", (distance * math.cos(angle), distance * math.sin(angle)))
    toward = np.degrees(angle)
    cover = []
    for number in range(int(source.integers(1, 5))):
        height = float(source.choice([0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6]))
        size = [float(source.uniform(4, 12)), float(source.choice([8.0, 20.0, 60.0, 120.0]))]
        where = source.random()
        turn = float(source.uniform(0, 180))
        share = source.uniform(0.2, 0.9)
        at = share * np.array(target["at"][:2]) + source.normal(scale=12.0, size=2)
        if where < 0.5:  # in contact with one of them, between them or somewhere round it
            unit = attacker if where < 0.2 else target
            side = toward if unit is attacker else toward + 180
            turn = float(side + (0.0 if source.random() < 0.7 else source.uniform(0, 360)))
            away = 8.0 + size[0] / 2 + source.uniform(0.05, 0.9)
            at = np.array(unit["at"][:2]) + away * np.array(
                [math.cos(math.radians(turn)), math.sin(math.radians(turn))]
            )
            along = source.normal(scale=6.0) if source.random() < 0.5 else 0.0
            at += along * np.array([-math.sin(math.radians(turn)), math.cos(math.radians(turn))])
        ground = 9.6 * float(source.choice([0, 0, 0, 0, 0, 1]))
        place = [float(at[0]), float(at[1]), ground]
        cover.append({"name": f"c{number}", "at": place, "size": size, "turn": turn, "height": height, "defence": 12})
    pair = {"attacker": "A", "target": "T"}
    check = [pair, {"ask": "close combat", **pair}]
    readings = {"peeking": False}  # the plain program does not lean
    return {"rules": "skirmishcorps", "readings": readings, "unit": [attacker, target], "cover": cover, "check": check}


def document_across_a_wall(source: np.random.Generator) -> Document:
    """Two units at a wall, or nearly, mostly at its two long faces; asks for close combat."""
    length, width = float(source.uniform(15, 80)), float(source.choice([8.0, 15.0]))
    turn = float(source.uniform(0, 360))
    height = float(source.choice([1, 2, 3, 4, 4.5, 6]))
    wall = {"name": "wall", "at": [5.0, -7.0, 0.0], "size": [length, width], "turn": turn, "height": height}
    cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    units = []
    for name, side in (("A", 1.0), ("T", -1.0)):
        side *= 1.0 if source.random() < 0.9 else -1.0
        across = side * (width / 2 + 8.0 + source.uniform(0.0, 0.8))
        along = source.uniform(-0.6, 0.6) * min(length, 50.0)
        if source.random() < 0.1:
            along, across = length / 2 + 8.2, source.uniform(-4, 4)
        at = [5.0 + along * cosine - across * sine, -7.0 + along * sine + across * cosine, 0.0]
        units.append({"name": name, "at": at, "posture": "standing"})
        if source.random() < 0.2:
            units[-1] |= {"posture": "prone", "lies_along": turn + (180.0 if source.random() < 0.5 else 0.0)}
    check = [{"ask": "close combat", "attacker": "A", "target": "T"}]
    return {"rules": "skirmishcorps", "unit": units, "cover": [wall], "check": check}


def _unit(source: np.random.Generator, name: str, at: tuple[float, float]) -> Document:
    posture = "prone" if source.random() < 0.3 else "standing"
    level = float(source.choice([0, 0, 0, 0, 9.6, 19.2, 96.0, 240.0]))
    lies = float(source.uniform(0, 360))
    return {"name": name, "type": "foot", "at": [*at, level], "posture": posture, "lies_along": lies}
