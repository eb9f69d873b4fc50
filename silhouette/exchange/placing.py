"""EXCHANGE: an affine matrix from a mesh file's frame to the table becomes `at`, `turn` and `scale`, or a new mesh.

A scene turns a piece about the vertical and scales it evenly. What is tilted, mirrored or unevenly scaled has to become
a mesh of its own, "baked".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from silhouette.geometry import Floats, Pose, corners
from silhouette.meshes.mesh import Mesh
from silhouette.models.frame import upright

PLACING_TOLERANCE = 0.004
"""mm: a mesh keeps its file where none of its points would stand farther off than this; a hundredth is promised."""

MIN_SHARE_IN_PLAN = 0.01
"""The least share of a direction that must lie in plan for it to be one in which something looks."""


@dataclass(frozen=True)
class Upright:
    """How a piece stands that keeps its mesh file.

    Attributes:
        at: (x, y, z) mm, of the file's origin.
        turn: degrees anticlockwise from how it lies in its file, once z is up.
        scale: mm for each unit of the file.
    """

    at: tuple[float, float, float]
    turn: float
    scale: float


def standing(matrix: Floats, up: Literal["y", "z"], bounds: Floats) -> Upright | None:
    """How a mesh stands that a matrix places; None where it is tilted, mirrored or unevenly scaled.

    Args:
        matrix: (4, 4) from the file's frame to the table's, mm.
        up: the axis of the file that a scene takes as up.
        bounds: (2, 3) least and greatest coordinates in the file.

    >>> inch = np.diag([25.4, 25.4, 25.4, 1.0])
    >>> standing(inch, "z", np.array([[0.0, 0, 0], [1, 1, 1]]))
    Upright(at=(0.0, 0.0, 0.0), turn=0.0, scale=25.4)
    >>> standing(np.diag([25.4, 25.4, 12.7, 1.0]), "z", np.array([[0.0, 0, 0], [1, 1, 1]])) is None
    True
    """
    as_loaded = matrix[:3, :3] @ np.linalg.inv(upright(np.eye(3), up).T)
    volume = float(np.linalg.det(as_loaded))
    if volume <= 0.0:
        return None
    scale = volume ** (1.0 / 3.0)
    angle = np.arctan2(as_loaded[1, 0] - as_loaded[0, 1], as_loaded[0, 0] + as_loaded[1, 1])
    turn = round(float(np.degrees(angle)) % 360.0, 7) % 360.0
    at = rounded(matrix[:3, 3])
    eight = corners(*bounds)
    placed = Pose.standing(at, turn).place(upright(eight, up) * scale)
    # An affine map is farthest from another at a corner of the box round what it maps.
    gap = np.linalg.norm(placed - moved(matrix, eight), axis=1).max()
    return Upright(at, turn, scale) if gap <= PLACING_TOLERANCE else None


def moved(matrix: Floats, points: Floats) -> Floats:
    """Points (n, 3) after an affine matrix (4, 4)."""
    after: Floats = points @ matrix[:3, :3].T + matrix[:3, 3]
    return after


def baked(named: list[tuple[str, Mesh, Floats]], origin: Floats) -> Mesh:
    """One mesh of several, each after its matrix (4, 4), about an origin (3,) in the table's frame; parts keep names.

    Faces of what is mirrored are turned round, so that they still look outward.

    Args:
        named: the name of each, its mesh, and its matrix; where a mesh has parts, these are named ``name/part``.
        origin: in the table's frame, mm.
    """
    vertices, faces, part = [], [], []
    names: list[str] = []
    before = 0
    for name, mesh, matrix in named:
        vertices.append(moved(matrix, mesh.vertices) - origin)
        order = [0, 2, 1] if np.linalg.det(matrix[:3, :3]) < 0.0 else [0, 1, 2]
        faces.append(mesh.faces[:, order] + before)
        part.append(mesh.part + len(names))
        names += [name] if len(mesh.part_names) == 1 else [f"{name}/{inner}" for inner in mesh.part_names]
        before += len(mesh.vertices)
    distinct = list(dict.fromkeys(names))
    number_of = np.array([distinct.index(name) for name in names], np.int32)
    return Mesh(
        np.concatenate(vertices),
        np.concatenate(faces).astype(np.int32),
        number_of[np.concatenate(part)],
        tuple(distinct),
    )


def direction(matrix: Floats, ahead: tuple[float, float, float]) -> float | None:
    """Where a direction of the file points on the table, degrees anticlockwise from +x; None where up or down.

    >>> direction(np.eye(4), (0.0, 1.0, 0.0)), direction(np.eye(4), (0.0, 0.0, 1.0))
    (90.0, None)
    """
    x, y, z = (float(value) for value in matrix[:3, :3] @ np.array(ahead))
    length = float(np.hypot(x, y))
    if length <= MIN_SHARE_IN_PLAN * float(np.hypot(length, z)):
        return None
    return round(float(np.degrees(np.arctan2(y, x))) % 360.0, 7) % 360.0


def rounded(at: Floats) -> tuple[float, float, float]:
    """A place (3,) to a ten-thousandth of a millimetre, as numbers that a scene file can have."""
    x, y, z = (round(float(number), 4) + 0.0 for number in at)
    return x, y, z
