"""The crowded table that the benchmarks share: 10 detailed figures and 12 pieces of terrain, real meshes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from silhouette.files.cache import Cache
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.table import TableScene
from tests.benchmarks.tables import CannotRunError

MESHES = Path(__file__).resolve().parents[3] / "shared" / "meshes"
MISSING = "needs ../shared/meshes (large meshes), which is not here"

FIGURES = [
    {"mesh": "miniatures/realism-effects/cyber_samurai.optimized.glb", "units": "m", "scale": 0.0132},
    {"mesh": "scans/realism-effects/statue.optimized.glb", "units": "mm", "scale": 1.0},
    {"mesh": "scans/odedstein-lionstatue/lionstatue.obj", "units": "m", "scale": 0.0107},
    {"mesh": "scans/odedstein-nefertiti/nefertiti-lowres.obj", "units": "mm", "scale": 0.0854},
]
TERRAIN = [
    "terrain/cqindustry/can_tower.stl",
    "terrain/cqindustry/container.stl",
    "terrain/cqterrain/pipe_platform_pipe.stl",
    "terrain/cqterrain/shieldwall_straight.stl",
    "terrain/cqterrain/barrier.stl",
    "terrain/cqterrain/ruin_ruin_three_wall_corner.stl",
]


def places(count: int, seed: int, reach: float = 300.0, apart: float = 90.0) -> list[list[float]]:
    """So many places in a square, none nearer to another than ``apart`` mm."""
    random = np.random.default_rng(seed)
    found: list[list[float]] = []
    while len(found) < count:
        place = random.uniform(-reach, reach, 2)
        if all(np.hypot(*(place - other)) >= apart for other in found):
            found.append(place.round(1).tolist())
    return found


def crowded_document(figures: int = 10, pieces: int = 12) -> dict[str, Any]:
    """The scene as a document, without checks."""
    where = places(figures + pieces, seed=5)
    facings = np.random.default_rng(6).integers(0, 360, figures + pieces).tolist()
    fighters: list[dict[str, Any]] = [
        {
            "name": f"figure {number}",
            "at": where[number],
            "facing": facings[number],
            "base": "none",
            "eye": [0, 0, 28],
            **FIGURES[number % len(FIGURES)],
        }
        for number in range(figures)
    ]
    terrain: list[dict[str, Any]] = [
        {
            "name": f"terrain {number}",
            "at": where[figures + number],
            "facing": facings[figures + number],
            "units": "mm",
            "mesh": TERRAIN[number % len(TERRAIN)],
        }
        for number in range(pieces)
    ]
    return {"rules": "necromunda", "title": "A crowded table", "fighter": fighters, "terrain": terrain}


def loaded(document: dict[str, Any]) -> TableScene:
    """The scene with its meshes; paths in it are seen from ../shared/meshes."""
    if not MESHES.is_dir():
        raise CannotRunError(MISSING)
    return NECROMUNDA.load(MESHES / "crowded table.toml", document, Cache.default())
