"""The tables that the benchmarks share, real meshes: a crowded one, and one of 44 x 60 inches.

`loaded_anywhere` puts the project's own models in the places of large meshes that are not here.
"""

from __future__ import annotations

from collections.abc import Sequence
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

MODELS = Path(__file__).resolve().parents[2] / "models"
OWN_FIGURES = ("ganger_rifle", "ganger_blade", "heavy", "leader", "scout", "brute")
OWN_TERRAIN = ("container", "ruined_wall", "pipes", "gantry", "barricade", "barrel_stack", "rock_outcrop", "pillar")
OWN = "the project's own models, since ../shared/meshes (large meshes) is not here"

WIDE, WIDE_APART = (44 * 25.4, 60 * 25.4), 100.0
"""mm: the size of the wide table, and the least distance of its pieces."""


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


def wide_document(
    figures: int,
    pieces: int,
    kinds: Sequence[dict[str, Any]] = FIGURES[1:],
    terrain: Sequence[str] = TERRAIN[1:],
) -> dict[str, Any]:
    """A table of 44 x 60 inches as a document, without checks.

    Args:
        figures: their number; the first is the finest one.
        pieces: of terrain.
        kinds: of the other figures, in turn.
        terrain: its meshes, in turn.
    """
    random, where = np.random.default_rng(5), list[Any]()
    reach = np.array(WIDE) / 2 - 40.0
    while len(where) < figures + pieces:
        place = random.uniform(-reach, reach).round(1)
        if all(np.hypot(*(place - other)) >= WIDE_APART for other in where):
            where.append(place)
    facings = random.integers(0, 360, len(where)).tolist()
    stands = [{"at": at.tolist(), "facing": facing} for at, facing in zip(where, facings, strict=True)]
    fighters: list[dict[str, Any]] = []
    for number in range(figures):
        kind = kinds[(number - 1) % len(kinds)] if number else FIGURES[0]
        fighters.append({"name": f"figure {number}", "base": "none", "eye": [0, 0, 28], **stands[number], **kind})
    walls: list[dict[str, Any]] = [
        {
            "name": f"terrain {number}",
            "units": "mm",
            "front": 90,
            "mesh": terrain[number % len(terrain)],
            **stands[number],
        }
        for number in range(figures, figures + pieces)
    ]
    return {"rules": "necromunda", "table": list(WIDE), "fighter": fighters, "terrain": walls}


def loaded(document: dict[str, Any]) -> TableScene:
    """The scene with its meshes; paths in it are seen from ../shared/meshes."""
    if not MESHES.is_dir():
        raise CannotRunError(MISSING)
    return NECROMUNDA.load(MESHES / "crowded table.toml", document, Cache.default())


def loaded_anywhere(document: dict[str, Any]) -> tuple[TableScene, str]:
    """The scene, and in a few words which meshes stand in it: the large ones, or the project's own in their places."""
    if MESHES.is_dir():
        return loaded(document), "large meshes"
    return NECROMUNDA.load(MODELS / "crowded table.toml", with_own_models(document), Cache.default()), OWN


def with_own_models(document: dict[str, Any]) -> dict[str, Any]:
    """The same pieces at the same places, with the project's models in turn; their paths are seen from models/.

    >>> pieces = with_own_models(crowded_document(figures=1, pieces=1))
    >>> [(piece["name"], piece["model"]) for kind in ("fighter", "terrain") for piece in pieces[kind]]
    [('figure 0', 'ganger_rifle.toml'), ('terrain 0', 'container.toml')]
    """
    changed = dict(document)
    for kind, models in (("fighter", OWN_FIGURES), ("terrain", OWN_TERRAIN)):
        changed[kind] = [
            {key: piece[key] for key in ("name", "at", "facing")} | {"model": f"{models[number % len(models)]}.toml"}
            for number, piece in enumerate(document[kind])
        ]
    return changed
