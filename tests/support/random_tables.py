"""Random tables to scan: figures alone, base to base and on terrain; and things that touch, lean or are stacked.

The pieces are the project's own models, and meshes of ``../shared`` where that folder is there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import shapely
import shapely.affinity
import trimesh

from silhouette.files.cache import Cache
from silhouette.models.entries import Kind
from silhouette.models.model import load_model
from silhouette.scenes.table import TableScene
from tests.support.scan_maker import Plan, table_scene

PROJECT = Path(__file__).resolve().parents[2]
FIGURES = ("brute", "ganger_blade", "ganger_rifle", "heavy", "leader", "scout")
TERRAIN = (
    "container",
    "barricade",
    "crate",
    "pipes",
    "ruined_wall",
    "rock_outcrop",
    "pillar",
    "gantry",
    "barrel_stack",
)
LEVEL_TOPS = ("container", "gantry")
"""Terrain with room for a figure on it."""

COVERS = 6
"""So many pieces of terrain stand before figures of a covered table, most often."""

COVER_DEPTHS = {
    "container": 50.0,
    "barricade": 14.0,
    "crate": 28.0,
    "pipes": 33.0,
    "ruined_wall": 23.0,
    "rock_outcrop": 60.0,
    "pillar": 30.0,
    "barrel_stack": 43.0,
}
"""mm, how deep terrain is that stands across the line between two figures."""

COVERED_UNITS = (1000.0, 1.0, 1000.0 / 1.02, 37.31, 1000.0, 410.0, 1.0)
"""mm per unit of the file: also two in a hundred off what the format says, or nothing that any format says."""

SHARED = PROJECT.parent / "shared" / "meshes" / "miniatures" / "rpg.scad"
SHARED_FIGURES = ("mini_axeman", "mini_oswald", "mini_robed_thing", "mini_goblin_bow0", "mini_spearman", "king_troll")
FORMATS = ("glb", "ply", "obj", "points.ply")
UNITS = (1000.0, 1.0, 25.4, 37.31)


@dataclass(frozen=True)
class Kit:
    """A model that may be put on a table.

    Attributes:
        path: of its model file or mesh, and ``key`` by which a scene names it.
        radius: mm, of its base, or of the circle round its box in plan.
    """

    path: Path
    key: str
    radius: float


def kit(path: Path, kind: Kind) -> Kit:
    """The model of a file."""
    model = load_model(path, Cache.default(), kind=kind)
    low, high = model.mesh.bounds[:, :2]
    radius = float(np.hypot(*(high - low))) / 2
    if kind == "fighter" and model.base is not None:
        radius = model.base.diameter / 2
    return Kit(path, "model" if path.suffix == ".toml" else "mesh", radius)


def known_figures() -> list[Path]:
    """The figures that random tables have."""
    own = [PROJECT / "models" / f"{name}.toml" for name in FIGURES]
    return own + [file for name in SHARED_FIGURES if (file := SHARED / f"{name}.stl").is_file()]


@dataclass
class _Layout:
    chance: np.random.Generator
    size: tuple[float, float]
    taken: list[tuple[float, float, float]] = field(default_factory=list)
    document: dict[str, Any] = field(default_factory=lambda: {"terrain": [], "fighter": []})

    def room(self, radius: float, gap: float) -> tuple[float, float]:
        """A place on the table with so much room about it.

        Raises:
            ValueError: where a thousand tries find none.
        """
        for _ in range(1000):
            x, y = (float(self.chance.uniform(-1, 1) * (side / 2 - radius - 8)) for side in self.size)
            if all(math.dist((x, y), other[:2]) >= radius + other[2] + gap for other in self.taken):
                self.taken.append((x, y, radius))
                return x, y
        raise ValueError("the table is full")

    def put(self, kind: str, model: Kit, at: Sequence[float], **more: Any) -> str:
        name = f"{model.path.stem} {len(self.document['terrain']) + len(self.document['fighter']) + 1}"
        turn = round(float(self.chance.uniform(0, 360)), 1)
        place = [round(value, 3) for value in at]
        self.document[kind].append({"name": name, model.key: str(model.path), "at": place, "turn": turn} | more)
        return name


def random_table(folder: Path, seed: int, figures: int = 9, size: tuple[float, float] = (620.0, 540.0)) -> TableScene:
    """A table with so many figures, a pair of them base to base and one on terrain; the scene file is in ``folder``."""
    chance = np.random.default_rng(seed)
    layout = _Layout(chance, size)
    names = [
        LEVEL_TOPS[seed % 2],
        *chance.choice([name for name in TERRAIN if name not in LEVEL_TOPS], 3, replace=False),
    ]
    for name in names:
        model = kit(PROJECT / "models" / f"{name}.toml", "terrain")
        x, y = layout.room(model.radius, 20)
        piece = layout.put("terrain", model, (x, y))
        if name in LEVEL_TOPS:
            layout.put("fighter", _any_figure(chance, 15), (x, y), on=piece)
    first, second = _any_figure(chance), _any_figure(chance)
    reach = first.radius + 2 * second.radius
    x, y = layout.room(reach, 14)
    angle, apart = chance.uniform(0, 2 * math.pi), first.radius + second.radius + chance.uniform(0, 0.4)
    layout.put("fighter", first, (x, y))
    layout.put("fighter", second, (x + apart * math.cos(angle), y + apart * math.sin(angle)))
    while len(layout.document["fighter"]) < figures:
        figure = _any_figure(chance)
        layout.put("fighter", figure, layout.room(figure.radius, 14))
    return _written(folder, f"table {seed}", size, layout.document)


def covered_table(folder: Path, seed: int, figures: int = 5, size: tuple[float, float] = (440.0, 380.0)) -> TableScene:
    """A small table whose figures look across it from behind cover: many pairs are in cover, or near an arc's edge."""
    chance = np.random.default_rng([seed, figures])
    layout = _Layout(chance, size)
    paths = known_figures()
    stood: list[tuple[Kit, tuple[float, float], shapely.Geometry]] = []
    for number in chance.choice(len(paths), figures, replace=False).tolist():
        figure = kit(paths[number], "fighter")
        at = layout.room(figure.radius, 40)
        stood.append((figure, at, shapely.Point(at).buffer(figure.radius)))
        aim = math.degrees(math.atan2(-at[1], -at[0])) + float(chance.uniform(-38, 38))
        layout.put("fighter", figure, at, turn=round((aim - _front(figure)) % 360.0, 1))
    walls: list[shapely.Geometry] = []
    for name in chance.permutation([name for name in TERRAIN if name != "gantry"]).tolist():
        model = kit(PROJECT / "models" / f"{name}.toml", "terrain")
        for _ in range(60):
            (figure, near, _), (_, far, _) = (stood[k] for k in chance.choice(figures, 2, replace=False).tolist())
            turn = math.atan2(far[1] - near[1], far[0] - near[0])
            apart = figure.radius + COVER_DEPTHS[name] / 2 + float(chance.uniform(5, 30))
            at = near[0] + apart * math.cos(turn), near[1] + apart * math.sin(turn)
            across = math.degrees(turn) + 90.0 + float(chance.uniform(-25, 25))
            box = shapely.box(-model.radius, -COVER_DEPTHS[name] / 2, model.radius, COVER_DEPTHS[name] / 2)
            place = shapely.affinity.translate(shapely.affinity.rotate(box, across, origin=(0, 0)), *at)
            taken = [*(disc for _, _, disc in stood), *walls]
            is_on = shapely.box(*(-side / 2 + 6 for side in size), *(side / 2 - 6 for side in size)).contains(place)
            if is_on and all(place.distance(other) >= 4.0 for other in taken):
                walls.append(place)
                layout.put("terrain", model, at, turn=round(across % 360.0, 1))
                break
        if len(walls) == COVERS:
            break
    return _written(folder, f"covered {seed}", size, layout.document)


def covered_plan(seed: int) -> Plan:
    """How such a table is scanned: from fine to coarse and rough, with a camera that goes astray, in several units."""
    chance = np.random.default_rng([seed, 2000])
    noise, coarse = float(chance.uniform(0.2, 0.9)), float(chance.uniform(0.0, 1.0))
    astray = float(chance.uniform(0.0, 1.5))
    return Plan(
        seed=seed,
        depth_noise=noise,
        pose_noise=(0.1 + 0.3 * noise, 0.02 + 0.03 * noise),
        drift=(0.6 * astray, 0.12 * astray),
        voxel=1.2 + 0.8 * coarse,
        triangles=int(220_000 * 0.15 ** float(chance.uniform(0.0, 1.0))),
        unit=COVERED_UNITS[seed % len(COVERED_UNITS)],
        up="y" if chance.random() < 0.5 else "z",
        turn=float(chance.uniform(0, 360)),
        shift=tuple(chance.uniform(-900, 900, 3).tolist()),
    )


def _front(figure: Kit) -> float:
    """Degrees: which way a figure faces in its own frame."""
    return load_model(figure.path, Cache.default(), kind="fighter").front


def random_plan(seed: int) -> Plan:
    """How a random table is scanned: noise of 0.2 to 1.5 mm, any format, unit and place."""
    chance = np.random.default_rng(1000 + seed)
    noise = float(chance.uniform(0.2, 1.5))
    return Plan(
        seed=seed,
        depth_noise=noise,
        pose_noise=(0.1 + 0.3 * noise, 0.02 + 0.03 * noise),
        voxel=float(chance.uniform(1.2, 1.8)),
        unit=UNITS[seed % len(UNITS)],
        up="y" if chance.random() < 0.5 else "z",
        turn=float(chance.uniform(0, 360)),
        shift=tuple(chance.uniform(-900, 900, 3).tolist()),
    )


def random_format(seed: int) -> str:
    """The ending of a random table's scan."""
    return FORMATS[seed // 2 % len(FORMATS)]


def _any_figure(chance: np.random.Generator, most: float = 99.0) -> Kit:
    """A figure whose base has at most this radius."""
    while True:
        paths = known_figures()
        figure = kit(paths[int(chance.integers(len(paths)))], "fighter")
        if figure.radius <= most:
            return figure


def things(folder: Path, seed: int) -> TableScene:
    """Six boxes, cylinders and boards: a pair that touch, one where one leans on the other, and one stacked."""
    chance = np.random.default_rng(seed)
    size = (700.0, 600.0)
    layout = _Layout(chance, size)
    for number in range(3):
        x, y = layout.room(105, 15)
        turn = chance.uniform(0, 2 * math.pi)
        pair = (_touching, _leaning, _stacked)[(seed + number) % 3](chance)
        for which, solid in enumerate(pair):
            solid.apply_transform(trimesh.transformations.rotation_matrix(turn, [0, 0, 1]))
            solid.apply_translation([x, y, 0])
            file = folder / f"thing {seed} {number} {which}.stl"
            solid.export(file)
            entry = {"name": file.stem, "mesh": str(file), "units": "mm", "origin": "keep", "at": [0, 0, 0]}
            layout.document["terrain"].append(entry)
    return _written(folder, f"things {seed}", size, layout.document)


def things_plan(seed: int) -> Plan:
    """How things are scanned: coarser, as rooms are."""
    return replace(random_plan(seed), voxel=2.0, unit=1000.0, triangles=300_000)


def _box(chance: np.random.Generator) -> trimesh.Trimesh:
    box = trimesh.creation.box(chance.uniform([40, 30, 40], [90, 70, 110]))
    box.apply_translation([0, 0, box.extents[2] / 2])
    return box


def _touching(chance: np.random.Generator) -> list[trimesh.Trimesh]:
    first, radius, height = _box(chance), chance.uniform(20, 40), chance.uniform(40, 110)
    second = trimesh.creation.cylinder(radius, height, sections=64)
    second.apply_translation([first.extents[0] / 2 + radius + chance.uniform(0, 0.5), 0, height / 2])
    return [first, second]


def _stacked(chance: np.random.Generator) -> list[trimesh.Trimesh]:
    first, second = _box(chance), trimesh.creation.box(chance.uniform([25, 20, 20], [45, 40, 50]))
    second.apply_translation([*chance.uniform(-8, 8, 2), first.extents[2] + second.extents[2] / 2])
    return [first, second]


def _leaning(chance: np.random.Generator) -> list[trimesh.Trimesh]:
    """A board from the table up to the upper edge of a box."""
    first = _box(chance)
    height, foot = first.extents[2], chance.uniform(0.3, 0.6) * first.extents[2]
    board = trimesh.creation.box([50, math.hypot(height, foot) * 1.15, chance.uniform(5, 12)])
    board.apply_translation([0, -board.extents[1] / 2, board.extents[2] / 2 + 0.2])
    board.apply_transform(trimesh.transformations.rotation_matrix(-math.atan2(height, foot), [1, 0, 0]))
    board.apply_translation([0, first.extents[1] / 2 + foot, 0])
    board.apply_translation([0, 0, -board.bounds[0, 2]])
    return [first, board]


def _written(folder: Path, name: str, size: tuple[float, float], document: dict[str, Any]) -> TableScene:
    file = folder / f"{name.replace(' ', '_')}.json"
    whole = {"rules": "necromunda", "title": name, "table": list(size)} | document
    file.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    return table_scene(file)
