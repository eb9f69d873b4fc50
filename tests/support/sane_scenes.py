"""Random scenes without a mistake in them: what warns of mistakes must have nothing to say of any of these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

from silhouette.common.geometry import INCH
from tests.support.random_tables import FIGURES

MODELS = Path(__file__).resolve().parents[2] / "models"
GAMES = (
    *("necromunda", "skirmishcorps", "bolt-action-3", "infinity-n5", "kill-team-2024", "legion", "the-old-world"),
    *("trench-crusade", "warhammer-40000-10", "dnd-5e", "pathfinder-2e"),
)
"""The games with pieces on a table."""

GANGS = ("Orlock", "Van Saar", "Escher 1", "Escher 2", "red", "blue", "The Reds", "A", "B", "Ünder")
ANGLES = (
    0.0,
    0.5,
    1.0,
    1.5,
    2.0,
    3.0,
    3.5,
    4.5,
    5.0,
    6.0,
    15.0,
    22.5,
    30.0,
    45.0,
    60.0,
    90.0,
    180.0,
    270.0,
    355.0,
    360.0,
)
BASES = (20.0, 25.0, 28.5, 32.0, 40.0, 50.0, 60.0, 80.0, 100.0)
CELL = 160.0
"""mm between pieces: none is so wide that it overlaps the next."""


class Writer:
    """Writes the pieces of one scene, each in a cell of its own.

    Args:
        chance: decides everything.
        game: one of `GAMES`.
        tilted: meshes of figures that lean and lie, as an import bakes them.
    """

    def __init__(self, chance: np.random.Generator, game: str, tilted: Sequence[Path]) -> None:
        self.tilted = tilted
        self.chance, self.game = chance, game
        self.units = str(chance.choice(["mm", "inch"]))
        self.factor = INCH if self.units == "inch" else 1.0
        self.side = int(chance.integers(2, 6))
        cells = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.cells = [cells[number] for number in chance.permutation(len(cells))]
        self.gangs = [str(gang) for gang in chance.permutation(GANGS)[: chance.integers(2, 7)]]
        self.has_gangs = bool(chance.random() < 0.8)
        self.source: dict[str, Any] = {}

    def place(self) -> list[float]:
        """The middle of the next cell, in the scene's units."""
        x, y = self.cells.pop()
        middle = (self.side - 1) / 2.0
        jitter = self.chance.uniform(-8.0, 8.0, 2)
        return [round(float(value), 3) for value in (np.array([x - middle, y - middle]) * CELL + jitter) / self.factor]

    def angle(self) -> float:
        """An angle as people write it, in degrees."""
        if self.chance.random() < 0.6:
            return float(self.chance.choice(ANGLES)) * float(self.chance.choice([1, -1]))
        step = float(self.chance.choice([0.1, 0.5, 1.0, 7.5]))
        return round(round(float(self.chance.uniform(-360, 360)) / step) * step, 1)

    def measured_angle(self, decimals: int) -> float:
        """An angle that a program measured, which now and then is one of radians to the last decimal."""
        if self.chance.random() < 0.3:
            return round(int(self.chance.integers(1, 25)) * math.pi / 12, decimals)
        return round(float(self.chance.uniform(0, 360)), decimals)

    def figure(self) -> dict[str, Any]:
        """The keys of a figure: a model, a mesh, solids or a stand-in."""
        how = self.chance.integers(0, 5)
        if how == 0:
            return {"model": str(MODELS / f"{self.chance.choice(FIGURES)}.toml")}
        base, height = float(self.chance.choice(BASES)), float(self.chance.uniform(20, 70))
        if how == 1 and self.game != "skirmishcorps":
            tag = {"box": [[-30, -30, 20], [30, 30, 60]]} if self.chance.random() < 0.5 else {"part": "*"}
            tags = [tag] if "box" in tag else []
            return {"mesh": str(MODELS / f"{self.chance.choice(FIGURES)}.glb"), "insignificant": tags}
        if how == 2:
            return {"figure": {"base": base, "height": round(height, 1)}}
        body = {"box": [base / 2, base / 3, height], "at": [0, 0, 3], "turn": self.angle()}
        foot = {"cylinder": {"diameter": base, "height": 3}, "base": True}
        eye = [
            0.0,
            base / 6 + float(self.chance.uniform(-2.0, 2.9)),
            3.0 + height * float(self.chance.uniform(0.1, 1.0)),
        ]
        keys: dict[str, Any] = {"parts": [foot, body]}
        if body["turn"] == 0.0:
            keys["eye"] = [round(value, 2) for value in eye]
        if how == 4:  # one that flies: its stem is no part of it
            lifted = {**body, "at": [0, 0, 40]}
            keys = {
                "parts": [
                    foot,
                    {"cylinder": {"diameter": 2, "height": 37}, "at": [0, 0, 3], "insignificant": True},
                    lifted,
                ]
            }
        return keys

    def looks(self) -> dict[str, Any]:
        """Where it looks, and how it is turned."""
        if self.chance.random() < 0.15:
            return {"facing": self.angle(), "turn": self.angle()}
        return {"facing": self.angle()}

    def gang(self) -> dict[str, Any]:
        """The gang of a fighter or a vehicle, if there are any."""
        return {"gang": str(self.chance.choice(self.gangs))} if self.has_gangs else {}

    def terrain(self, number: int) -> dict[str, Any]:
        """A piece of terrain; in a scene of inches none is thin both ways."""
        piece: dict[str, Any] = {"name": f"wall {number // 10} {number % 10}", "at": self.place()}
        how = self.chance.integers(0, 4)
        turn = {"turn": self.angle()} if self.chance.random() < 0.7 else {}
        if how == 0:
            name = self.chance.choice(["crate", "barricade", "pillar", "grating_fence", "rock_outcrop", "pipes"])
            return {**piece, **turn, "model": str(MODELS / f"{name}.toml")}
        if how == 1 and self.units == "mm":
            rails = [{"box": [60, 1.5, 2], "at": [0, 0, height]} for height in (0, 12, 24)]
            return {**piece, **turn, "parts": rails}
        if how == 2:
            width = float(self.chance.uniform(20, 90))
            return {
                **piece,
                **turn,
                "parts": [{"cylinder": {"diameter": width, "height": 0.5}}, {"sphere": {"diameter": 30}}],
            }
        size = [
            float(self.chance.uniform(30, 120)),
            float(self.chance.uniform(1, 20)),
            float(self.chance.uniform(8, 60)),
        ]
        return {**piece, **turn, "parts": [{"box": [round(edge, 2) for edge in size], "turn": self.angle()}]}

    def made(self, piece: dict[str, Any], how: str) -> dict[str, Any]:
        """A piece as a scan, or an import from another program, writes it."""
        decimals = 2 if how == "scan" else 7
        keys = {"units": "mm", "origin": "keep", "turn": self.measured_angle(decimals)}
        mesh = {"mesh": str(MODELS / f"{self.chance.choice(FIGURES)}.glb"), "up": "y"}
        if how == "import" and self.chance.random() < 0.4:
            mesh = {"mesh": str(self.chance.choice(np.array(self.tilted))), "up": "z", "base": "none"}
        own: dict[str, Any] = {key: piece[key] for key in ("name", "gang", "at") if key in piece}
        if how == "scan":
            keys |= {"scan": True, "doubt": {"place": 0.4, "facing": 1.0}}
        return {**own, **mesh, **keys, "facing": self.measured_angle(decimals)}

    def document(self) -> dict[str, Any]:
        """The whole scene."""
        count = len(self.cells)
        fighters = int(self.chance.integers(1, max(2, count // 2)))
        how = str(self.chance.choice(["", "", "scan", "import"])) if self.game != "skirmishcorps" else ""
        if how == "import":
            self.source = {"program": "Tabletop Simulator", "file": "table.json"}
        models: list[dict[str, Any]] = []
        for number in range(fighters):
            piece = {"name": f"Kal {number}", "at": self.place(), **self.gang(), **self.figure(), **self.looks()}
            models.append(self.made(piece, how) if how and self.chance.random() < 0.7 else piece)
        terrain = [self.terrain(number) for number in range(min(len(self.cells), int(self.chance.integers(0, 5))))]
        edge = max(self.side * CELL, 300.0) + float(self.chance.uniform(0, 900))
        document: dict[str, Any] = {"rules": self.game, "units": self.units, "terrain": terrain}
        if self.chance.random() < 0.7:
            document["table"] = [round(edge / self.factor, 1) + 0.1] * 2
        if self.game == "skirmishcorps":
            return {**document, **self.skirmish(models)}
        vehicles = []
        if self.cells and self.chance.random() < 0.5:
            arcs = self.chance.choice(np.array(["left", "right", "rear"]), self.chance.integers(0, 4), False)
            model = (
                {"model": str(MODELS / "hauler.toml")}
                if self.chance.random() < 0.5
                else {"parts": [{"box": [60, 100, 45]}]}
            )
            vehicles.append(
                {
                    "name": "Hauler",
                    "at": self.place(),
                    **self.gang(),
                    **model,
                    **self.looks(),
                    "arcs": ["front", *map(str, arcs)],
                }
            )
        return {**document, "fighter": models, "vehicle": vehicles, "source": self.source}

    def skirmish(self, models: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Units in place of fighters, and sections of cover."""
        units = [{key: value for key, value in model.items() if key != "gang"} for model in models]
        for unit in units:
            if self.chance.random() < 0.4:
                for key in ("model", "parts", "figure", "eye", "facing", "turn"):
                    unit.pop(key, None)
                if self.chance.random() < 0.5:
                    unit |= {"posture": "prone", "lies_along": abs(self.angle())}
        covers = [
            {
                "name": f"cover {number}",
                "at": self.place(),
                "size": [round(60 / self.factor, 2), round(2 / self.factor, 2)],
                "height": float(self.chance.choice([0.25, 1, 2, 4])),
                "turn": self.angle(),
            }
            for number in range(min(2, len(self.cells)))
        ]
        return {"unit": units, "cover": covers}


def tilted_figures(folder: Path) -> list[Path]:
    """Writes meshes of figures that lean, and of one that lies on its back, each on z = 0."""
    files = []
    for degrees in (12.0, 35.0, 90.0):
        mesh = trimesh.load_mesh(MODELS / "scout.glb")
        mesh = mesh.to_geometry() if isinstance(mesh, trimesh.Scene) else mesh
        turn = trimesh.transformations.rotation_matrix(  # type: ignore[no-untyped-call]
            np.radians(90.0 + degrees), [1.0, 0.0, 0.0]
        )
        mesh.apply_transform(turn)
        mesh.apply_translation([0.0, 0.0, -mesh.bounds[0, 2]])
        files.append(folder / f"tilted_{degrees:g}.stl")
        mesh.export(files[-1])
    return files


def sane_scene(seed: int, tilted: Sequence[Path]) -> dict[str, Any]:
    """The document of a scene without a mistake; all games with pieces on a table come in turn.

    Args:
        seed: of the random numbers.
        tilted: from `tilted_figures`.
    """
    return Writer(np.random.default_rng(seed), GAMES[seed % len(GAMES)], tilted).document()
