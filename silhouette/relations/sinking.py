"""RELATE: what stands on the ground, as if it went on below: no line between two sets passes below both.

A line along the table runs under a wall that stands on it, and touches its lower face, exactly: a case that no search
could settle, and that no player means.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from silhouette.lazy import derived
from silhouette.meshes.mesh import Mesh, merge_equal
from silhouette.relations.obstacles import Blocker
from silhouette.scenes.surfaces import is_upright

LEVEL = 1e-3
"""mm: what lies no higher than this above the lowest point of a mesh is its underside."""


def sunk(blockers: Iterable[Blocker], lowest: float, by: float) -> list[Blocker]:
    """The same blockers, the undersides of those that reach down to a height moved lower.

    Args:
        blockers: pieces with the part of each that blocks.
        lowest: mm, z in the world: no line passes below it.
        by: mm by which undersides are moved down.
    """
    found = []
    for piece, mesh in blockers:
        is_low = len(mesh.faces) > 0 and is_upright(piece.pose)
        if is_low and mesh.bounds[0, 2] + piece.pose.translation[2] <= lowest + LEVEL:
            found.append((piece, _lower(mesh, by)))
        else:
            found.append((piece, mesh))
    return found


@derived
def _lower(mesh: Mesh, by: float) -> Mesh:
    """A mesh whose flat underside, where it has one, is moved straight down; what is above it stays as it is.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> crate = solid(Solid(Box((2.0, 2.0, 2.0))))
    >>> _lower(crate, 9.0).bounds[:, 2].tolist(), len(_lower(crate, 9.0).faces) - len(crate.faces)
    ([-9.0, 2.0], 8)
    """
    points, faces = merge_equal(mesh.vertices)
    faces = faces[mesh.faces]
    flat = (points[faces, 2] <= mesh.bounds[0, 2] + LEVEL).all(axis=1)
    if not flat.any():
        return mesh
    count = len(points)
    lower = points - np.array([0.0, 0.0, by])
    under = faces[flat].astype(np.int64)
    starts, ends = under.ravel(), np.roll(under, -1, axis=1).ravel()
    # The rim of the underside: edges that no other face of it has the other way round.
    rim = ~np.isin(starts * count + ends, ends * count + starts)
    u, v = starts[rim], ends[rim]
    skirt = np.concatenate([np.column_stack([u, v, v + count]), np.column_stack([u, v + count, u + count])])
    every = np.concatenate([faces[~flat], under + count, skirt]).astype(np.int32)
    return Mesh(np.concatenate([points, lower]), every, np.zeros(len(every), np.int32))
