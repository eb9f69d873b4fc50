"""EXCHANGE: how Tabletop Simulator places an object, as a matrix from its mesh file to the table.

    OBJ file --mirrored in x--> Unity, in the object --scale, Z, X, Y, position--> Unity --y and z swapped--> table

Unity is left-handed with y up. An OBJ file is right-handed, and is mirrored as it is loaded; the table is right-handed
again, so that nothing that is seen is mirrored. A unit is an inch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from silhouette.files.schema import LARGEST
from silhouette.geometry import Floats, cosine_and_sine
from silhouette.units import INCH

AS_LOADED = np.diag([-1.0, 1.0, 1.0, 1.0])
"""From an OBJ file to the object in Unity."""

TO_TABLE = np.array([[INCH, 0, 0, 0], [0, 0, INCH, 0], [0, INCH, 0, 0], [0, 0, 0, 1.0]])
"""From Unity to the table: x = 25.4 posX, y = 25.4 posZ, z = 25.4 posY, in mm."""

LEAST_SCALE, GREATEST_SCALE = 1e-6, 1e6


class NoPlace(Exception):
    """The error for a place that cannot be used; the text says why."""


def to_table(in_unity: Floats) -> Floats:
    """(4, 4) from an OBJ file to the table, mm, by the matrix of its object in Unity's world.

    >>> (to_table(np.eye(4)) @ [1.0, 2.0, 3.0, 1.0]).round(1).tolist()
    [-25.4, 76.2, 50.8, 1.0]
    """
    matrix: Floats = TO_TABLE @ in_unity @ AS_LOADED
    return matrix


def in_parent(transform: Mapping[str, Any]) -> Floats:
    """(4, 4) from an object in Unity to what it lies in, by its ``Transform``.

    Raises:
        NoPlace: where a number is missing, none, not finite or out of range.
    """
    matrix = np.eye(4)
    turns = [_number(transform, f"rot{axis}", 0.0) % 360.0 for axis in "XYZ"]
    scales = [_number(transform, f"scale{axis}", 1.0) for axis in "XYZ"]
    for axis, scale in zip("XYZ", scales, strict=True):
        if not LEAST_SCALE <= abs(scale) <= GREATEST_SCALE:
            raise NoPlace(f"its scale{axis} is {scale:g}, at which nothing can be seen")
    matrix[:3, :3] = rotation(*turns) * scales
    matrix[:3, 3] = [_number(transform, f"pos{axis}", None) for axis in "XYZ"]
    return matrix


def rotation(x: float, y: float, z: float) -> Floats:
    """(3, 3) by Unity's Euler angles in degrees: about Z first, then X, then Y.

    >>> (rotation(0, 90, 0) @ [0.0, 0.0, 1.0]).tolist()
    [1.0, 0.0, 0.0]
    """
    (cx, sx), (cy, sy), (cz, sz) = (cosine_and_sine(angle) for angle in (x, y, z))
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    turned: Floats = about_y @ about_x @ about_z
    return turned


def _number(transform: Mapping[str, Any], key: str, default: float | None) -> float:
    """A number of a ``Transform``."""
    value = transform.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NoPlace(f"its {key} is missing" if value is None else f"its {key} is no number")
    if abs(value) > LARGEST or not math.isfinite(value):  # an int may be too large for a float
        raise NoPlace(f"its {key} is out of range")
    return float(value)
