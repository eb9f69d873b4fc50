"""What is true of a scan: the pieces where they stand, the true scene, and which piece each point belongs to.

A truth file, NAME.truth.json beside a scan, is one of two kinds. That of `tests.support.scan_maker` names a scene whose
pieces it describes. That of ``../shared/scans`` names for each piece a mesh (z up, mm), ``at``, the middle of its box
in plan and the height of its underside, and ``facing``, 90 as the mesh lies. Both say ``to_table``, which takes the
file's coordinates to the table's, and of figures ``base_at``, the centre of the base, and ``base``, its diameter.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from scipy.spatial import cKDTree

from silhouette.common.geometry import Floats, Integers
from silhouette.common.lazy import cached_property
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.table import TableScene

TOUCHING = 1.5
"""mm: a gap between two bases, or between a base and terrain, that a scan cannot show."""

SCANS = (".glb", ".ply", ".obj", ".zip", ".stl")
"""What the files of scans end in."""

SAMPLES = 2.0
"""Points for each square millimetre of a true surface."""


@dataclass(frozen=True)
class TruePiece:
    """A piece as it stands on the table.

    Attributes:
        name, kind: fighter or terrain.
        mesh: the stem of its mesh's or model's file, by which a match is told right from wrong.
        at: mm, where its model's origin stands: of a figure the centre of its base.
        turn: degrees anticlockwise from how its mesh lies.
        base: mm, the diameter of a figure's base.
        wall: whether it is a figure that stands against terrain.
        junk: whether it is no part of the game.
    """

    name: str
    kind: str
    mesh: str
    at: tuple[float, float, float]
    turn: float
    base: float | None
    wall: bool = False
    junk: bool = False


@dataclass(frozen=True, eq=False)
class Truth:
    """A table as it is.

    Attributes:
        path: of the truth file, or of the scene.
        scan: the file of the scan.
        document: of the true scene, and ``scene_path`` where the paths in it are seen from.
        to_table: (4, 4) from the file's coordinates to the table's.
        unit: mm for each unit of the file.
        noise: mm, standard deviation of a depth.
        pieces: in the order of the file, by which labels count from 1.
    """

    path: Path
    scan: Path
    document: Mapping[str, Any]
    scene_path: Path
    to_table: Floats
    unit: float
    noise: float
    pieces: tuple[TruePiece, ...]

    @property
    def figures(self) -> list[TruePiece]:
        return [piece for piece in self.pieces if piece.kind == "fighter"]

    def neighbours(self, figure: TruePiece) -> list[str]:
        """The other figures whose bases it touches, on the same ground."""
        return [
            other.name
            for other in self.figures
            if other is not figure
            and abs(other.at[2] - figure.at[2]) < 5
            and math.dist(other.at[:2], figure.at[:2]) < ((figure.base or 0) + (other.base or 0)) / 2 + TOUCHING
        ]

    def standing(self, figure: TruePiece) -> str:
        """How a figure stands: touching another, on terrain, at a wall, or else isolated."""
        if self.neighbours(figure):
            return "touching"
        if figure.at[2] > 2.0:
            return "on terrain"
        return "at a wall" if figure.wall else "isolated"

    @cached_property
    def scene(self) -> TableScene:
        """The true scene, with its meshes."""
        return NECROMUNDA.load(self.scene_path, dict(self.document), Cache.default())

    def labels(self, points: Floats) -> Integers:
        """(n,) int32 for points of the file: 0 the table, k the k-th piece from 1, -1 too near to two of them to tell.

        As stored in NAME.points.npz beside the scan, or else by the nearest true surface.
        """
        stored = self.path.with_name(self.path.name.replace(".truth.json", ".points.npz"))
        if stored.is_file():
            return np.load(stored)["labels"]
        return _nearest(points @ self.to_table[:3, :3].T + self.to_table[:3, 3], self)


def read_truth(path: Path) -> Truth:
    """The truth beside a scan: ``path`` is that of NAME.truth.json."""
    said = json.loads(path.read_text(encoding="utf-8"))
    scan = next(file for file in sorted(path.parent.glob(f"{said['name']}.*")) if file.suffix in SCANS)
    return truth_from(said, path, scan)


def truth_from(said: Mapping[str, Any], path: Path, scan: Path) -> Truth:
    """The truth that ``said`` says, which lies or would lie at ``path``, of a ``scan``."""
    if "scene" in said:
        scene_path = Path(said["scene"])
        document = read_document(scene_path)
        meshes = {
            entry["name"]: Path(entry.get("model") or entry.get("mesh") or "stand-in").stem
            for kind in ("terrain", "fighter", "vehicle")
            for entry in document.get(kind, ())
        }
        pieces = [_piece(piece, piece["base_at"], piece["turn"], meshes[piece["name"]]) for piece in said["pieces"]]
    else:
        scene_path, document = path, _document(said)
        pieces = [
            _piece(piece, _standing_at(piece), piece["facing"] - 90.0, Path(piece["mesh"]).stem)
            for piece in said["pieces"]
        ]
    matrix = np.array(said["to_table"]).reshape(4, 4)
    return Truth(path, scan, document, scene_path, matrix, said["unit"], said["depth_noise"], tuple(pieces))


def _piece(said: Mapping[str, Any], at: list[float], turn: float, mesh: str) -> TruePiece:
    x, y, z = at
    wall, junk = bool(said.get("wall")), bool(said.get("junk"))
    return TruePiece(said["name"], said["kind"], mesh, (x, y, z), turn % 360.0, said["base"], wall, junk)


def _standing_at(said: Mapping[str, Any]) -> list[float]:
    at = list(said.get("base_at") or said["at"])
    return at if len(at) == 3 else [*at, 0.0]


def _document(said: Mapping[str, Any]) -> dict[str, Any]:
    """The true scene of a truth file that names meshes."""
    tables: dict[str, list[dict[str, Any]]] = {"terrain": [], "fighter": []}
    for piece in said["pieces"]:
        entry: dict[str, Any] = {
            "name": piece["name"],
            "mesh": piece["mesh"],
            "units": "mm",
            "up": piece.get("up", "z"),
        }
        entry |= {"at": _standing_at(piece), "turn": (piece["facing"] - 90.0) % 360.0}
        tables[piece["kind"]].append(entry)
    return {"rules": "necromunda", "title": said["name"], "table": list(said["size"]), **tables}


def _nearest(points: Floats, truth: Truth) -> Integers:
    """The piece whose true surface is nearest to each point (n, 3) on the table."""
    voxel = 1.5
    half = np.array(truth.document["table"]) / 2
    beyond = np.maximum(np.abs(points[:, :2]) - half, 0.0)
    distances = [np.hypot(np.hypot(*beyond.T), np.maximum(points[:, 2], 0.0) + np.maximum(-12.0 - points[:, 2], 0.0))]
    inside = (beyond == 0.0).all(axis=1) & (points[:, 2] < 0)
    distances[0] = np.where(inside, np.minimum(-points[:, 2], (half - np.abs(points[:, :2])).min(axis=1)), distances[0])
    for name in (piece.name for piece in truth.pieces):
        piece = truth.scene.piece(name)
        mesh = trimesh.Trimesh(piece.pose.place(piece.model.mesh.vertices), piece.model.mesh.faces, process=False)
        count = int(min(400_000, max(2_000, mesh.area * SAMPLES)))
        samples, _ = trimesh.sample.sample_surface(mesh, count, seed=1)
        distances.append(cKDTree(samples).query(points, distance_upper_bound=8.0)[0])
    far = np.column_stack(distances)
    two = np.partition(far, 1, axis=1)
    labels = far.argmin(axis=1).astype(np.int32)
    labels[(two[:, 0] > 4 * voxel) | (two[:, 1] - two[:, 0] < voxel)] = -1
    return labels
