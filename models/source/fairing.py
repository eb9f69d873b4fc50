"""Taking the saw-teeth off skins: cloth and flesh thin to better triangles when they are fair to begin with."""

from __future__ import annotations

import numpy as np
from manifold3d import Manifold

from models.source.settling import COARSE, settled
from models.source.skin import lightened, outer
from models.source.solids import solid_of

SHRINK, SWELL = 0.5, -0.53
"""Steps towards and away from the neighbours' middle (Taubin): together they smooth and keep the volume."""


def faired(solid: Manifold, rounds: int = 6) -> Manifold:
    """The solid with ripples shorter than a few edges smoothed away, its volume kept."""
    mesh = solid.to_mesh64()
    vertices, faces = settled(mesh.vert_properties[:, :3], COARSE), np.asarray(mesh.tri_verts).astype(np.int64)
    _, first, same = np.unique(vertices, axis=0, return_index=True, return_inverse=True)
    vertices, faces = vertices[first], same.reshape(-1)[faces]
    starts, ends = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    degree = np.maximum(np.bincount(starts, minlength=len(vertices)), 1)[:, None]
    for step in (SHRINK, SWELL) * rounds:
        sums = [np.bincount(starts, vertices[ends, axis], len(vertices)) for axis in range(3)]
        vertices = vertices + step * (np.stack(sums, axis=1) / degree - vertices)
    return solid_of(vertices, faces)


def thinned(solid: Manifold, triangles: int) -> Manifold:
    """Soft things, united, with about so many triangles: voids left out, faired, then simplified."""
    return lightened(faired(outer(solid)), triangles)
