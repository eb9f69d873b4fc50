"""A crowded table of real meshes: 20 figures and 15 pieces of terrain, for tests and benchmarks of lines and shares."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from silhouette.files.cache import Cache
from silhouette.rules import rule_called
from silhouette.scenes.table import TableScene

MESHES = Path(__file__).resolve().parents[3] / "shared" / "meshes"
"""Meshes that nobody here made, beside the checkout."""

FIGURES = ("mini_axeman", "mini_oswald", "mini_robed_thing", "mini_goblin_bow0", "mini_spearman")
TERRAIN = (
    "cqterrain/ruin_ruin_three_wall_corner",
    "cqterrain/barrier",
    "cqterrain/shieldwall_straight",
    "cqterrain/crystal_wall",
    "cqindustry/container",
    "cqindustry/can_tower",
    "cqterrain/stairs_industrial_stairs",
    "cqterrain/building_with_roof",
    "cqindustry/guard_rail",
    "cqfantasy/fence_basic_fence",
)


def crowded_table(cache: Cache, figures: int = 20, terrain: int = 15, seed: int = 1) -> TableScene:
    """Figures "F0", "F1", ... and terrain "T0", "T1", ... on a grid of 7 by 5 places, 90 mm apart, turned anyhow."""
    generator = np.random.default_rng(seed)
    places = np.stack(np.indices((7, 5)), axis=-1).reshape(-1, 2)[generator.permutation(35)] * 90.0
    at = (places + generator.uniform(-15, 15, places.shape)).round(2).tolist()
    turns = generator.uniform(0, 360, len(at)).round(2).tolist()
    document = {
        "rules": "necromunda",
        "fighter": [
            {
                "name": f"F{number}",
                "mesh": str(MESHES / "miniatures" / "rpg.scad" / f"{FIGURES[number % len(FIGURES)]}.stl"),
                "units": "mm",
                "at": at[number],
                "facing": turns[number],
            }
            for number in range(figures)
        ],
        "terrain": [
            {
                "name": f"T{number}",
                "mesh": str(MESHES / "terrain" / f"{TERRAIN[number % len(TERRAIN)]}.stl"),
                "units": "mm",
                "at": at[20 + number],
                "turn": turns[20 + number],
            }
            for number in range(terrain)
        ],
    }
    scene = rule_called("necromunda").load(Path("crowd.toml"), document, cache)
    assert isinstance(scene, TableScene)
    return scene
