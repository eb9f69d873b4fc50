"""EXCHANGE: the frame of glTF, and that of a table: metres with y up become mm with z up, and back.

x = 1000 x, y = -1000 z, z = 1000 y: what Blender shows as x, y and z, in mm. Its exporter turns them the other way.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from silhouette.geometry import Floats, cosine_and_sine
from silhouette.models.units import MILLIMETRES

METRE = 1000.0

DECIMALS = 5
"""Decimals of mm that coordinates are rounded to: what was 12.3 mm before it was a float of metres is 12.3 mm again."""

_TURNED = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
_TO_TABLE = np.zeros((4, 4))
_TO_TABLE[:3, :3], _TO_TABLE[3, 3] = METRE * _TURNED, 1.0
_FROM_TABLE = np.linalg.inv(_TO_TABLE)


def to_table(matrix: Floats) -> Floats:
    """A matrix (4, 4) between frames in metres with y up, as one between frames in mm with z up.

    >>> moved = np.eye(4)
    >>> moved[:3, 3] = 1.0, 2.0, 3.0
    >>> to_table(moved)[:3, 3].tolist()
    [1000.0, -3000.0, 2000.0]
    """
    converted: Floats = _TO_TABLE @ matrix @ _FROM_TABLE
    return converted


def points_to_table(points: Floats) -> Floats:
    """Points (n, 3) in metres with y up, in mm with z up, rounded to a hundred-thousandth of a millimetre.

    >>> points_to_table(np.array([[0.001, 0.0123, 0.0]], np.float32)).tolist()
    [[1.0, 0.0, 12.3]]
    """
    x, y, z = np.asarray(points, dtype=np.float64).T * METRE
    converted: Floats = np.round(np.stack([x, -z, y], axis=1), DECIMALS) + 0.0
    return converted


def points_from_table(points: Floats) -> Floats:
    """Points (n, 3) in mm with z up, in metres with y up.

    >>> points_from_table(np.array([[1.0, 2.0, 3.0]])).tolist()
    [[0.001, 0.003, -0.002]]
    """
    x, y, z = points.T / METRE
    return np.stack([x, z, -y], axis=1)


def read_as(units: str, up: Literal["y", "z"], scale: float) -> Floats:
    """The matrix (4, 4) of a frame whose numbers are to be read otherwise than as metres with y up; mm with z up.

    >>> read_as("mm", "y", 2.0).diagonal().tolist()
    [0.002, 0.002, 0.002, 1.0]
    """
    matrix = np.eye(4)
    # What the file calls y is -z once z is up; where z is up in the file already, the turn is taken back.
    turn = np.eye(3) if up == "y" else _TURNED.T
    matrix[:3, :3] = MILLIMETRES[units] * scale / METRE * turn
    return matrix


def ahead(front: float) -> tuple[float, float, float]:
    """A direction in plan: a unit vector in a frame with z up."""
    cosine, sine = cosine_and_sine(front)
    return cosine, sine, 0.0


def upright_node(at: Floats, turn: float) -> dict[str, Any]:
    """The translation and rotation of a node that stands on a table at a place (3,), mm, turned about the vertical."""
    x, y, z = (float(number) + 0.0 for number in points_from_table(np.asarray(at, dtype=np.float64)[None])[0])
    cosine, sine = cosine_and_sine(turn / 2.0)
    return {"translation": [x, y, z], "rotation": [0.0, sine, 0.0, cosine]}
