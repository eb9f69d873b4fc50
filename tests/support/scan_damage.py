"""Scans made worse: one of a table, damaged in kinds and strengths as phones, apps, cloth and boards do it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.geometry import Floats, Integers
from silhouette.scans.meshes import ply_bytes
from silhouette.scans.read import read_scan

Surface = tuple[Floats, Integers]
Damage = Callable[[Floats, Integers, float, np.random.Generator], Surface]


def coarse(points: Floats, faces: Integers, mm: float, chance: np.random.Generator) -> Surface:
    """Vertices put together in cells of some mm, as a scan that was made smaller."""
    del chance
    cells = np.floor(points / mm).astype(np.int64)
    _, number, count = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    number = number.ravel()
    means = np.stack([np.bincount(number, points[:, k]) for k in range(3)], axis=1) / count[:, None]
    kept = number[faces].astype(np.int32)
    apart = (kept[:, 0] != kept[:, 1]) & (kept[:, 1] != kept[:, 2]) & (kept[:, 0] != kept[:, 2])
    return means, kept[apart]


def rough(points: Floats, faces: Integers, mm: float, chance: np.random.Generator) -> Surface:
    """Noise of its own at every vertex."""
    return points + chance.normal(0.0, mm, points.shape), faces


def wavy(points: Floats, faces: Integers, mm: float, chance: np.random.Generator) -> Surface:
    """Slow errors, over some centimetres, in all directions."""
    moved = points.copy()
    for _ in range(6):
        along, phase = chance.normal(0.0, 1.0, 3), chance.uniform(0.0, 2.0 * np.pi)
        along *= 2.0 * np.pi / (40.0 * np.linalg.norm(along))
        moved += mm / 2.0 * np.sin(points @ along + phase)[:, None] * chance.normal(0.0, 1.0 / np.sqrt(3.0), 3)
    return moved, faces


def bent(points: Floats, faces: Integers, percent: float, chance: np.random.Generator) -> Surface:
    """The whole bent along x: its middle lies lower than its ends by some percent of its length."""
    del chance
    half = np.abs(points[:, 0]).max()
    moved = points.copy()
    moved[:, 2] += 2.0 * half * percent / 100.0 * (points[:, 0] / half) ** 2
    return moved, faces


def folded(points: Floats, faces: Integers, mm: float, chance: np.random.Generator) -> Surface:
    """Three folds of cloth across the table, each 30 mm wide."""
    moved = points.copy()
    for _ in range(3):
        turn, offset = chance.uniform(0.0, np.pi), chance.uniform(-200.0, 200.0)
        away = points[:, :2] @ [np.cos(turn), np.sin(turn)] - offset
        moved[:, 2] += mm * np.exp(-0.5 * (away / 10.0) ** 2)
    return moved, faces


def stepped(points: Floats, faces: Integers, mm: float, chance: np.random.Generator) -> Surface:
    """A second board under one half of the table."""
    del chance
    moved = points.copy()
    moved[:, 2] += mm / (1.0 + np.exp(-(points[:, 0] + 0.3 * points[:, 1]) / 1.0))
    return moved, faces


def holed(points: Floats, faces: Integers, percent: float, chance: np.random.Generator) -> Surface:
    """Round holes of 12 mm all over, which take some percent of what is seen."""
    middles = points[chance.integers(0, len(points), int(percent / 100.0 * 600 * 600 / 113.0))]
    kept = np.ones(len(faces), dtype=bool)
    centre = points[faces].mean(axis=1)
    for middle in middles:
        kept &= ((centre - middle) ** 2).sum(axis=1) > 36.0
    return points, faces[kept]


def doubled(points: Floats, faces: Integers, mm: float, chance: np.random.Generator) -> Surface:
    """Half of it twice, some mm beside itself: a loop that did not close."""
    del chance
    again = faces[points[faces].mean(axis=1)[:, 0] > 0.0]
    return np.vstack([points, points + np.array([0.6, 0.0, 0.8]) * mm]), np.vstack([faces, again + len(points)])


def leaning(points: Floats, faces: Integers, degrees: float, chance: np.random.Generator) -> Surface:
    """The file's upright is not the table's."""
    del chance
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return points @ np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]).T, faces


def crumbed(points: Floats, faces: Integers, count: float, chance: np.random.Generator) -> Surface:
    """Crumbs of 2 to 8 mm that touch nothing, over the table."""
    vertices, rows = [points], [faces]
    total = len(points)
    for _ in range(int(count)):
        middle = [*chance.uniform(-280.0, 280.0, 2), chance.uniform(0.0, 80.0)]
        corners = chance.normal(0.0, 1.0, (8, 3))
        corners *= chance.uniform(1.0, 4.0) / np.linalg.norm(corners, axis=1)[:, None]
        vertices.append(corners + middle)
        rows.append(total + np.array([[a, (a + 1) % 8, (a + 3) % 8] for a in range(8)], dtype=np.int32))
        total += 8
    return np.vstack(vertices), np.vstack(rows)


def curled(points: Floats, faces: Integers, mm: float, chance: np.random.Generator) -> Surface:
    """The rim of the table curled up, by waves, over its last 20 mm, as where few pictures were taken."""
    low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    rim = np.minimum(points[:, :2] - low, high - points[:, :2]).min(axis=1)
    turn = np.arctan2(points[:, 1], points[:, 0])
    moved = points.copy()
    share = np.clip(1.0 - rim / 20.0, 0.0, 1.0) * (0.5 + 0.5 * np.sin(9.0 * turn + chance.uniform(0.0, 6.0)))
    moved[:, 2] += mm * share
    return moved, faces


def twisted(points: Floats, faces: Integers, degrees: float, chance: np.random.Generator) -> Surface:
    """Turned about the upright, by some degrees here and to the other side 130 mm on, as pictures that do not agree on
    where the camera was are put together: a standard deviation, and a mm or two beside itself.
    """
    moved = points.copy()
    for _ in range(2):
        angle, phase = chance.uniform(0.0, 2.0 * np.pi, 2)
        along = np.array([np.cos(angle), np.sin(angle)])
        slow = 2.0 * np.pi / 260.0
        across = np.radians(degrees) * 2.0 / slow * np.sin(slow * (points[:, :2] @ along) + phase)
        moved[:, :2] += across[:, None] * np.array([-along[1], along[0]])
    return moved, faces


def stretched(points: Floats, faces: Integers, percent: float, chance: np.random.Generator) -> Surface:
    """Larger at one end than at the other, in all directions, by some percent: a scale that was lost on the way."""
    angle = chance.uniform(0.0, 2.0 * np.pi)
    along = points[:, :2] @ np.array([np.cos(angle), np.sin(angle)])
    share = along / np.abs(along).max() / 2.0
    return points * (1.0 + percent / 100.0 * share / 2.0)[:, None], faces


KINDS: Mapping[str, tuple[Damage, tuple[float, ...], str]] = {
    "coarse": (coarse, (3.0, 4.0, 5.0, 7.0), "mm"),
    "rough": (rough, (0.5, 1.0, 1.5), "mm"),
    "wavy": (wavy, (0.5, 1.0), "mm"),
    "bent": (bent, (1.0, 2.0), "%"),
    "folded": (folded, (4.0, 8.0), "mm"),
    "stepped": (stepped, (3.0, 10.0, 30.0), "mm"),
    "holed": (holed, (5.0, 15.0), "%"),
    "doubled": (doubled, (2.0, 8.0), "mm"),
    "leaning": (leaning, (20.0,), "°"),
    "crumbed": (crumbed, (100.0,), ""),
    "curled": (curled, (5.0, 15.0), "mm"),
    "twisted": (twisted, (0.7, 1.5), "°"),
    "stretched": (stretched, (1.5,), "%"),
}
"""What is done, how strongly, and in what that is measured."""


@dataclass(frozen=True)
class Worse:
    """A damaged scan: its kind with its strength, and the truth file beside it."""

    kind: str
    strength: str
    truth: Path


def damaged(truth: Path, folder: Path, kind: str, strength: float) -> Worse:
    """A scan with a truth file, damaged, written into a folder with a truth file of its own; in mm, z up."""
    facts: dict[str, Any] = json.loads(truth.read_text(encoding="utf-8"))
    stem = truth.name.removesuffix(".truth.json")
    scan = read_scan(next(file for file in sorted(truth.parent.glob(f"{stem}.*")) if file.suffix != ".json"))
    to_table = np.array(facts["to_table"], dtype=np.float64).reshape(4, 4)
    points = scan.vertices @ to_table[:3, :3].T + to_table[:3, 3]
    damage, _, unit = KINDS[kind]
    points, faces = damage(points, scan.faces, strength, np.random.default_rng(1))
    name = f"{stem}_{kind}_{strength:g}"
    (folder / f"{name}.ply").write_bytes(ply_bytes(points, faces.astype(np.int32), None))
    back = np.eye(4)
    if kind == "leaning":
        back[:3, :3] = leaning(np.eye(3), faces, -strength, np.random.default_rng(1))[0].T
    file = folder / f"{name}.truth.json"
    file.write_text(json.dumps({**facts, "to_table": back.ravel().tolist()}), encoding="utf-8")
    return Worse(kind, f"{strength:g} {unit}".strip(), file)
