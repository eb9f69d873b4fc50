"""Solids of unequal cells, with tunnels, hollows and missing faces, before a target: what shadows must not trust."""

from __future__ import annotations

import numpy as np

from silhouette.common.geometry import Flags, Floats, Pose
from silhouette.meshes.mesh import Mesh
from tests.support.shapes import box, joined, mesh

FINE = (0.002, 0.02, 0.1)
"""mm: widths of tunnels and slits that no sample meets."""


def solid(filled: Flags, planes: tuple[Floats, Floats, Floats]) -> Mesh:
    """The surface of the filled ones (a, b, c) of the cells between planes, a + 1, b + 1 and c + 1 of them.

    >>> cube = solid(np.ones((1, 1, 1), dtype=np.bool_), (np.arange(2.0), np.arange(2.0), np.arange(2.0)))
    >>> len(cube.faces)
    12
    """
    quads = []
    grid = np.pad(filled, 1)
    for axis in range(3):
        change = np.diff(grid.astype(np.int8), axis=axis)
        for place in np.argwhere(change != 0):
            sign = change[tuple(place)]
            across, along = (axis + 1) % 3, (axis + 2) % 3
            corners = np.empty((4, 3))
            corners[:, axis] = planes[axis][place[axis]]
            corners[:, across] = planes[across][place[across] - 1 + np.array([0, 1, 1, 0])]
            corners[:, along] = planes[along][place[along] - 1 + np.array([0, 0, 1, 1])]
            quads.append(corners[:: int(sign)])
    points, number = np.unique(np.concatenate(quads), axis=0, return_inverse=True)
    number = number.reshape(-1, 4)
    return mesh(points, np.vstack([number[:, [0, 1, 2]], number[:, [0, 2, 3]]]))


def solid_case(seed: int) -> tuple[Mesh, list[Mesh], tuple[float, float, float]]:
    """A target, solids most of which stand before it, and an eye that may be beside them, in them or on them."""
    chance = np.random.default_rng(seed)
    target = box((-2.0, 60.0, -2.0), (2.0, 62.0, 2.0))
    solids = []
    for _ in range(int(chance.integers(1, 3))):
        near = float(chance.uniform(10.0, 56.0) if chance.random() < 0.8 else chance.uniform(50.0, 70.0))
        far = near + float(chance.choice([0.3, 3.0, 3.0, max(1.0, 60.0 - near), max(1.0, 61.0 - near), 75.0 - near]))
        sides = [(float(chance.uniform(-7.0, -1.0)), float(chance.uniform(1.0, 7.0))) for _ in range(2)]
        planes = [_planes(chance, low, high) for low, high in (sides[0], (near, far), sides[1])]
        shape = [len(plane) - 1 for plane in planes]
        filled = chance.random(shape) < chance.choice([0.5, 0.8, 1.0])
        # Often a tunnel along the way to the target, which only samples in it would meet.
        if chance.random() < 0.6:
            filled[chance.integers(shape[0]), :, chance.integers(shape[2])] = False
        filled.flat[int(chance.integers(filled.size))] = True
        one = solid(filled, (planes[0], planes[1], planes[2]))
        if chance.random() < 0.5:
            one = mesh(one.vertices, np.delete(one.faces, chance.integers(0, len(one.faces), 2), axis=0))
        if chance.random() < 0.3:
            pose = Pose.standing(turn=float(chance.uniform(-20, 20)))
            one = mesh(pose.place(one.vertices), one.faces)
        solids.append(one)
    if chance.random() < 0.3:
        solids = [joined(*solids)]
    across, up = chance.uniform(-4.0, 4.0, 2).tolist()
    # Nearer to the target it would be looked at through the faces of a cube.
    return target, solids, (across, min(45.0, float(chance.choice([0.0, 0.0, 0.0, near, near + 0.2, near + 1.0]))), up)


def _planes(chance: np.random.Generator, low: float, high: float) -> Floats:
    """From two to five places from low to high, some of them close together, or not as far as that."""
    inner = np.sort(chance.uniform(low, high, int(chance.integers(0, 4))))
    if len(inner) > 1 and chance.random() < 0.6:
        inner[1] = inner[0] + chance.choice(FINE)
    ends = np.where(chance.random(2) < 0.85, [low, high], [low + 0.1 * (high - low), high - 0.1 * (high - low)])
    return np.unique(np.clip([*ends, *inner], *ends))
