"""Scans of made-up tables, with the truth beside them: points, triangles and labels; no files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.spatial.transform import Rotation

from silhouette.common.geometry import Floats, Integers
from silhouette.scans.read import Scan


@dataclass(frozen=True)
class Box:
    """Something with a flat top: where its middle stands, its edges, its height, and degrees that it is turned."""

    at: tuple[float, float]
    size: tuple[float, float]
    height: float
    turn: float = 0.0

    def covers(self, x: Floats, y: Floats) -> np.ndarray:
        c, s = np.cos(np.radians(self.turn)), np.sin(np.radians(self.turn))
        x, y = x - self.at[0], y - self.at[1]
        return (abs(x * c + y * s) <= self.size[0] / 2) & (abs(y * c - x * s) <= self.size[1] / 2)


@dataclass(frozen=True)
class Can:
    """Something round: where its middle stands, its diameter and its height."""

    at: tuple[float, float]
    diameter: float
    height: float

    def covers(self, x: Floats, y: Floats) -> np.ndarray:
        return np.hypot(x - self.at[0], y - self.at[1]) <= self.diameter / 2


Thing = Box | Can


def figure(at: tuple[float, float], base: float = 25.0, height: float = 38.0) -> tuple[Can, Can]:
    """A stand-in of a figure: a base of 3 mm, and a body of half its width."""
    return Can(at, base, 3.0), Can(at, base / 2, height)


@dataclass(frozen=True, eq=False)
class Scanned:
    """A scan in mm in the table's frame: z up, the table's top at 0, its middle the origin, x along its longer edge.

    Attributes:
        points: (n, 3).
        faces: (m, 3) rows of points.
        labels: (n,) 0 the table, k the k-th thing, -1 what is beside the table.
    """

    points: Floats
    faces: Integers
    labels: Integers

    def __add__(self, other: Scanned) -> Scanned:
        """Both together, unjoined."""
        return Scanned(
            np.vstack([self.points, other.points]),
            np.vstack([self.faces, other.faces + len(self.points)]).astype(np.int32),
            np.concatenate([self.labels, other.labels]),
        )

    def where(self, kept: np.ndarray) -> Scanned:
        """The points (n,) kept, and the triangles of which all corners are."""
        number = np.cumsum(kept) - 1
        faces = self.faces[kept[self.faces].all(axis=1)]
        return Scanned(self.points[kept], number[faces].astype(np.int32), self.labels[kept])

    def rough(self, noise: float, seed: int = 0) -> Scanned:
        """With noise of a standard deviation in mm along each axis."""
        return replace(self, points=self.points + np.random.default_rng(seed).normal(0, noise, self.points.shape))


def sheet(size: tuple[float, float], spacing: float, label: int = -1) -> Scanned:
    """A flat grid of points in z = 0 about the origin, its triangles facing up."""
    x = np.linspace(-size[0] / 2, size[0] / 2, max(2, round(size[0] / spacing) + 1))
    y = np.linspace(-size[1] / 2, size[1] / 2, max(2, round(size[1] / spacing) + 1))
    points = np.stack(np.meshgrid(x, y, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
    k = np.arange(len(points)).reshape(len(x), len(y))
    a, b, c, d = (part.ravel() for part in (k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return Scanned(points, faces.astype(np.int32), np.full(len(points), label, dtype=np.int32))


def moved(scanned: Scanned, matrix: Floats) -> Scanned:
    """Everything taken elsewhere by a (4, 4) matrix."""
    return replace(scanned, points=scanned.points @ matrix[:3, :3].T + matrix[:3, 3])


def standing(turned: tuple[float, float, float], at: tuple[float, float, float]) -> Floats:
    """The matrix (4, 4) that turns by degrees about x, then y, then z, and moves."""
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_euler("xyz", turned, degrees=True).as_matrix()
    matrix[:3, 3] = at
    return matrix


def scanned_table(
    size: tuple[float, float] = (600.0, 400.0),
    things: Sequence[Thing] = (),
    *,
    spacing: float = 3.0,
    noise: float = 0.3,
    warp: float = 0.0,
    seed: int = 0,
) -> Scanned:
    """A table as it is seen from above, with walls under the edges of what stands on it.

    A later thing hides an earlier one below it. With `warp` the top is uneven, by so many mm up and down.
    """
    table = sheet(size, spacing, 0)
    x, y = table.points[:, 0], table.points[:, 1]
    height, labels = np.zeros(len(x)), table.labels.copy()
    for number, thing in enumerate(things, 1):
        over = thing.covers(x, y) & (thing.height >= height)
        height[over], labels[over] = thing.height, number
    points = np.stack([x, y, height + warp * np.sin(2 * np.pi * x / size[0]) * np.cos(2 * np.pi * y / size[1])], axis=1)
    top = Scanned(points, table.faces, labels)
    return Scanned(*_walled(top, spacing)).rough(noise, seed)


def _walled(top: Scanned, spacing: float) -> tuple[Floats, Integers, Integers]:
    """The tall triangles between two heights cut into ones of the spacing, so that points stand on walls as well."""
    high = np.ptp(top.points[top.faces][..., 2], axis=1) > 2 * spacing
    points, faces, labels = [top.points], [top.faces[~high]], [top.labels]
    count = len(top.points)
    for corners, label in zip(top.points[top.faces[high]], top.labels[top.faces[high]], strict=True):
        steps = min(200, max(1, round(float(np.ptp(corners[:, 2])) / spacing)))
        order = np.argsort(corners[:, 2])
        low, mid, up = corners[order]
        share = np.linspace(0, 1, steps + 1)[:, None]
        one = low + share * (up - low)
        bend = (mid[2] - low[2]) / (up[2] - low[2])
        two = np.where(
            share < bend,
            low + share / max(bend, 1e-9) * (mid - low),
            mid + (share - bend) / max(1 - bend, 1e-9) * (up - mid),
        )
        points.append(np.vstack([one, two]))
        labels.append(np.full(2 * steps + 2, label[order[2]], dtype=np.int32))
        a = count + np.arange(steps)
        b = a + steps + 1
        rows = np.concatenate([np.stack([a, b, a + 1], axis=1), np.stack([b, b + 1, a + 1], axis=1)])
        away = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        first = np.cross(two[steps // 2] - one[steps // 2], one[min(steps // 2 + 1, steps)] - one[steps // 2])
        faces.append((rows if away @ first >= 0 else rows[:, ::-1]).astype(np.int32))
        count += 2 * steps + 2
    return np.vstack(points), np.vstack(faces), np.concatenate(labels)


def as_scan(
    scanned: Scanned,
    *,
    unit: float = 1.0,
    turned: tuple[float, float, float] = (0.0, 0.0, 0.0),
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0),
    up: Literal["y", "z"] = "z",
    units: str | None = None,
    cloud: bool = False,
) -> tuple[Scan, Floats]:
    """A scan as read from a file of which one unit is `unit` mm, and the matrix (4, 4) that takes it to the table.

    It is turned by degrees about x, then y, then z, and shifted in mm. With ``up="y"`` the file's y points up.
    """
    to_file = standing(turned, shift)
    if up == "y":
        to_file = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]]) @ to_file
    to_file = np.diag([1 / unit, 1 / unit, 1 / unit, 1.0]) @ to_file
    vertices = scanned.points @ to_file[:3, :3].T + to_file[:3, 3]
    faces = np.zeros((0, 3), dtype=np.int32) if cloud else scanned.faces
    usable = np.isfinite(vertices).all(axis=1)
    scan = Scan(Path("table.ply"), "ply", vertices, faces, None, None, usable, up, units)
    return scan, np.linalg.inv(to_file)
