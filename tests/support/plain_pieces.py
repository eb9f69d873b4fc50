"""Pieces without a scene file: round and square models, terrain of any mesh or polygon, where a test wants them."""

from __future__ import annotations

from typing import Any

import numpy as np

from silhouette.common.geometry import Pose
from silhouette.meshes.mesh import Mesh
from silhouette.models.bases import Base
from silhouette.models.model import BASE, BODY, Kind, Model
from silhouette.scenes.pieces import Piece
from tests.support.shapes import box, joined, mesh


def piece_of_mesh(
    name: str, shape: Mesh, at: Any = (0.0, 0.0), turn: float = 0.0, kind: Kind = "terrain", base: Base | None = None
) -> Piece:
    """A piece of a mesh in the model's frame; the faces below the top of its base are that."""
    role = np.full(len(shape.faces), BODY, np.uint8)
    if base is not None:
        role[shape.vertices[shape.faces, 2].max(axis=1) <= base.height + 1e-9] = BASE
    model = Model(name, kind, shape, role, base, None, 90.0, False, "parts", "mm", "given", "z", True, 0, ())
    return Piece(name, kind, model, Pose.standing((*at, 0.0)[:3], turn), None, None, (), None, {}, 0)


def man(name: str, x: float, y: float, diameter: float = 32.0, z: float = 0.0) -> Piece:
    """A model with a round base, 4 mm high, and a body of 10 x 6 mm up to 30 mm."""
    shape = joined(
        box((-diameter / 2, -diameter / 2, 0.0), (diameter / 2, diameter / 2, 4.0)), box((-5, -3, 4), (5, 3, 30))
    )
    base = Base("given", 4.0, diameter, (0.0, 0.0), is_round=True)
    return piece_of_mesh(name, shape, (x, y, z), kind="fighter", base=base)


def square_man(name: str, x: float, y: float, side: float = 20.0, turn: float = 0.0) -> Piece:
    """A model with a square base, 4 mm high, and a body of 10 x 6 mm up to 30 mm."""
    half = side / 2
    shape = joined(box((-half, -half, 0.0), (half, half, 4.0)), box((-5, -3, 4), (5, 3, 30)))
    return piece_of_mesh(name, shape, (x, y), turn, "fighter", Base("part", 4.0, side, (0.0, 0.0)))


def block(name: str, low: Any, high: Any, turn: float = 0.0) -> Piece:
    """A closed box from corner to corner (x, y) or (x, y, z), in the world but for a turn about the origin."""
    return piece_of_mesh(name, box((*low, 0.0)[:3], (*high, 40.0)[:3]), turn=turn)


def sheet(name: str, start: Any, end: Any, height: float = 40.0) -> Piece:
    """An upright wall without thickness."""
    corners = [(*start, 0.0), (*end, 0.0), (*end, height), (*start, height)]
    return piece_of_mesh(name, mesh(corners, [[0, 1, 2], [0, 2, 3]]))
