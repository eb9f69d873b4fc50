"""Crisis Protocol tables, as documents: plain ones, random ones, the same moved; and what is answered about them."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.files.cache import Cache
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.rules.crisis_protocol.judge import CrisisProtocolVerdict
from silhouette.rules.crisis_protocol.rule import CRISIS_PROTOCOL
from silhouette.rules.crisis_protocol.scene import PlanScene
from tests.support.rulings import ruled

RENDERER = ReferenceRenderer()
BASES = (35, 50, 65)


def load(document: dict[str, Any], path: Path = Path("duel.toml")) -> PlanScene:
    return CRISIS_PROTOCOL.load(path, document, Cache(None))


def verdicts(document: dict[str, Any]) -> list[CrisisProtocolVerdict]:
    scene = load(document)
    return [ruled(CRISIS_PROTOCOL, scene, check, RENDERER, 0.1) for check in scene.checks]


def verdict(document: dict[str, Any]) -> CrisisProtocolVerdict:
    return verdicts(document)[0]


def box(left: float, bottom: float, right: float, top: float) -> list[list[float]]:
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def wall(size: int, left: float = 180, right: float = 200, name: str = "wall") -> dict[str, Any]:
    return {"name": name, "size": size, "polygon": box(left, -90, right, 90)}


def scene(*terrain: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A looks at B, 240 mm away, both of size 2; keys of A and B may be given as ``a`` and ``b``."""
    return {
        "rules": "crisis-protocol",
        "units": "mm",
        "ranges": {"1": 60, "2": 120},
        "character": [
            {"name": "A", "size": 2, "at": [0, 0], "base": 35, **more.pop("a", {})},
            {"name": "B", "size": 2, "at": [240, 0], "base": 35, **more.pop("b", {})},
        ],
        "terrain": list(terrain),
        "check": [{"attacker": "A", "target": "B"}],
        **more,
    }


def moved(document: dict[str, Any], factor: float, degrees: float, by: Any, mirror: bool = False) -> dict[str, Any]:
    """The same scene in another unit, turned, mirrored and moved."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def point(at: Any) -> list[float]:
        x, y = at[0], -at[1] if mirror else at[1]
        return [factor * (cosine * x - sine * y + by[0]), factor * (sine * x + cosine * y + by[1])]

    other = copy.deepcopy(document)
    other["ranges"] = {key: factor * length for key, length in other["ranges"].items()}
    for character in other["character"]:
        character.update(at=point(character["at"]), base=factor * character["base"])
    for feature in [*other.get("terrain", []), *other.get("object", [])]:
        feature["polygon"] = [point(corner) for corner in feature["polygon"]]
    return other


def block(random: np.random.Generator, middle: Any, length: float, width: float) -> list[list[float]]:
    """A rectangle, turned anyhow."""
    return turned(random, [[-length, -width], [length, -width], [length, width], [-length, width]], middle)


def corner_piece(random: np.random.Generator, middle: Any, length: float, width: float) -> list[list[float]]:
    """An L, turned anyhow."""
    ring = [[0, 0], [length, 0], [length, width], [width, width], [width, length], [0, length]]
    return turned(random, ring, middle)


def star(random: np.random.Generator, middle: Any, length: float, width: float) -> list[list[float]]:
    """A simple polygon round its middle, with corners in and out."""
    count = int(random.integers(4, 10))
    angles = (np.arange(count) + random.uniform(0.0, 0.8, count)) * 2.0 * np.pi / count
    radii = random.uniform(width, length, count)
    return (np.asarray(middle) + np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)).tolist()


def turned(random: np.random.Generator, ring: Any, middle: Any) -> list[list[float]]:
    angle = random.uniform(0.0, 2.0 * np.pi)
    cosine, sine = np.cos(angle), np.sin(angle)
    points: list[list[float]] = (np.array(ring) @ np.array([[cosine, sine], [-sine, cosine]]) + middle).tolist()
    return points


def slit_wall(random: np.random.Generator, x: float) -> list[list[list[float]]]:
    """Two walls one above the other, with a gap of a few mm between them."""
    low, gap, thick = random.uniform(-25, 25), random.uniform(0.5, 12), random.uniform(2, 20)
    high = low + gap
    return [
        [[x, -90], [x + thick, -90], [x + thick, low], [x, low]],
        [[x, high], [x + thick, high], [x + thick, 90], [x, 90]],
    ]


def duel(seed: int) -> dict[str, Any]:
    """Two characters with up to eight pieces about them, walls with gaps among them."""
    random = np.random.default_rng(seed)
    span = random.uniform(90, 320)
    polygons = []
    for x in random.uniform(20, span - 40, int(random.integers(0, 4))):
        polygons += slit_wall(random, float(x))
    for _ in range(int(random.integers(0 if polygons else 1, 4))):
        shape = (block, corner_piece, star)[int(random.integers(3))]
        middle = [random.uniform(-20, span + 20), random.uniform(-60, 60)]
        polygons.append(shape(random, middle, random.uniform(20, 60), random.uniform(4, 18)))
    characters = [
        {"name": name, "size": int(random.integers(1, 5)), "at": [x, float(random.uniform(-10, 10))]}
        for name, x in (("A", 0.0), ("B", float(span)))
    ]
    for each in characters:
        each["base"] = BASES[int(random.integers(3))]
        each["granted_cover"] = bool(random.random() < 0.05)
    terrain = [
        {"name": f"t{index}", "size": int(random.integers(1, 7)), "polygon": polygon}
        for index, polygon in enumerate(polygons)
    ]
    if terrain and random.random() < 0.2:
        characters[int(random.integers(2))]["on"] = f"t{int(random.integers(len(terrain)))}"
    return {
        "rules": "crisis-protocol",
        "ranges": {"1": 60, "2": 120},
        "character": characters,
        "terrain": terrain,
        "check": [{"attacker": "A", "target": "B"}, {"attacker": "B", "target": "A"}],
    }


def grid_duel(seed: int) -> dict[str, Any]:
    """Two characters and up to six pieces with whole coordinates: much of it touches, exactly."""
    random = np.random.default_rng(seed)
    terrain = []
    for index in range(int(random.integers(1, 7))):
        (x, y), (w, h) = random.integers((2, -5), (16, 5)).tolist(), random.integers(1, 5, 2).tolist()
        corner = [[0, 0], [2 * w, 0], [2 * w, h], [w, h], [w, 2 * h], [0, 2 * h]]
        rings = ([[0, 0], [w, 0], [w, h], [0, h]], [[0, 0], [w, 0], [0, h]], corner)
        ring = [[x + dx, y + dy] for dx, dy in rings[int(random.integers(3))]]
        terrain.append({"name": f"t{index}", "size": 3, "polygon": ring})
    places = (random.integers(-1, 2, 2).tolist(), random.integers((16, -2), (20, 3)).tolist())
    return {
        "rules": "crisis-protocol",
        "ranges": {"1": 3, "2": 6},
        "character": [
            {"name": name, "size": 2, "at": at, "base": int(random.integers(1, 3)) * 2}
            for name, at in zip("AB", places, strict=True)
        ],
        "terrain": terrain,
        "check": [{"attacker": "A", "target": "B"}, {"attacker": "B", "target": "A"}]
        + [{"attacker": "A", "target": each["name"]} for each in terrain],
    }


def table(seed: int, characters: int, pieces: int) -> dict[str, Any]:
    """A table of 900 mm by 900 mm."""
    random = np.random.default_rng(seed)
    shapes = (block, corner_piece, star)
    return {
        "rules": "crisis-protocol",
        "ranges": {"1": 60, "2": 120},
        "character": [
            {"name": f"c{k}", "size": int(random.integers(2, 5)), "at": random.uniform(0, 900, 2).tolist(), "base": 35}
            for k in range(characters)
        ],
        "terrain": [
            {
                "name": f"t{k}",
                "size": int(random.integers(1, 6)),
                "polygon": shapes[k % 3](random, random.uniform(0, 900, 2), random.uniform(40, 90), 15),
            }
            for k in range(pieces)
        ],
    }
