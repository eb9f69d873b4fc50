"""Pieces and surfaces for tests of what is between them, and an oracle for beams that shares no code with them."""

from __future__ import annotations

import numpy as np

from silhouette.common.geometry import Pose
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Box, Solid, solid
from silhouette.models.model import Model
from silhouette.relations.points import PointSet
from silhouette.scenes.pieces import Piece
from tests.support.shapes import box


def piece(mesh: Mesh, name: str = "wall", pose: Pose | None = None) -> tuple[Piece, Mesh]:
    """A piece of terrain with the whole of its mesh as what blocks."""
    role = np.zeros(len(mesh.faces), np.uint8)
    model = Model(name, "terrain", mesh, role, None, np.zeros(3), 90.0, False, "parts", "mm", "given", "z", True, 0, ())
    return Piece(name, "terrain", model, pose or Pose.standing(), None, 90.0, (), None, {}, 0), mesh


def block(low, high, name: str = "wall") -> tuple[Piece, Mesh]:
    return piece(box(low, high), name)


def point(*at: float) -> PointSet:
    return PointSet.of_points(np.array([at]))


def surface(low, high) -> PointSet:
    """The surface of a box, its faces turned outward."""
    low, high = np.array(low, float), np.array(high, float)
    middle = (low + high) / 2
    return PointSet.of_surface(solid(Solid(Box(tuple(high - low)), at=(middle[0], middle[1], low[2]))))


def beam_by_brute_force(start: np.ndarray, end: np.ndarray, triangles: np.ndarray, steps: int = 400) -> float:
    """The diameter of the widest free beam between two points, by many points on each triangle (n, 3, 3).

    For each point, the beam that it just touches, found by halving: the ball at an end, or the cylinder between.
    """
    i, j = np.indices((steps // 10 + 1,) * 2).reshape(2, -1)
    weights = np.stack([i, j, steps // 10 - i - j], axis=1)[i + j <= steps // 10] / (steps // 10)
    points = np.einsum("wc,mcx->mwx", weights, triangles).reshape(-1, 3)
    length = np.linalg.norm(end - start)
    low, high = 0.0, length / 2
    for _ in range(60):
        radius = (low + high) / 2
        first, last = start + (end - start) * radius / length, end - (end - start) * radius / length
        way = last - first
        share = np.clip((points - first) @ way / max(way @ way, 1e-300), 0, 1)
        apart = np.linalg.norm(points - first - share[:, None] * way, axis=1).min()
        low, high = (radius, high) if apart >= radius else (low, radius)
    return 2 * low
