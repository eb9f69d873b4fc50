"""Hanging cloth as thick sheets over a surface (u, v): cloaks, banners and tabards with folds and torn hems."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

from models.source import solids

Values = NDArray[np.float64]
Surface = Callable[[Values, Values], Values]
"""Places (r, c) of u (across) and v (down), both from 0 to 1, to points (r, c, 3) in mm."""
Height = Callable[[Values, Values], Values]
"""Places (r, c) of u and v to heights (r, c) in mm."""


def sheet(
    surface: Surface, columns: int, rows: int, thickness: float = 0.5, relief: Height | None = None, edge: float = 0.55
) -> Manifold:
    """The surface as a solid sheet; the side on which u, v and the normal are right-handed is its front.

    Args:
        surface: where the middle of the cloth is.
        columns: samples across.
        rows: samples down.
        thickness: of the cloth, mm.
        relief: what stands out on its front, mm.
        edge: the share of the thickness that is left at the free edges.
    """
    u, v = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
    points = surface(u, v)
    across, down = np.gradient(points, axis=1), np.gradient(points, axis=0)
    normals = np.cross(across, down)
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-9)
    inner = np.minimum(np.minimum(u, 1 - u) * 14, (1 - v) * 18).clip(0, 1)
    half = (thickness / 2 * (edge + (1 - edge) * inner))[..., None]
    raised = half if relief is None else half + relief(u, v)[..., None]
    both = np.concatenate([(points + raised * normals).reshape(-1, 3), (points - half * normals).reshape(-1, 3)])
    return solids.solid_of(both, _sheet_faces(rows, columns))


def _sheet_faces(rows: int, columns: int) -> NDArray[np.int64]:
    """The triangles of a front of rows x columns points, the same behind it, and the edge all round."""
    count = rows * columns
    index = np.arange(count).reshape(rows, columns)
    a, b, c, d = (corner.ravel() for corner in (index[:-1, :-1], index[:-1, 1:], index[1:, :-1], index[1:, 1:]))
    front = np.concatenate([np.stack([a, b, c], axis=1), np.stack([b, d, c], axis=1)])
    rim = np.concatenate([index[0, :-1], index[:-1, -1], index[-1, :0:-1], index[:0:-1, 0]])
    following = np.roll(rim, -1)
    walls = [np.stack([following, rim, rim + count], 1), np.stack([following, rim + count, following + count], 1)]
    return np.concatenate([front, front[:, ::-1] + count, *walls])


def torn(seed: int, tears: int, depth: float) -> Callable[[Values], Values]:
    """A ragged hem: places across (0 to 1) to the share of its length that cloth has there, at most 1.

    There are `tears` notches of uneven size, the deepest of about `depth`, and small ones between them.
    """
    generator = np.random.default_rng(seed)
    knots = np.linspace(0, 1, 2 * tears + 1) + np.r_[0, generator.uniform(-0.3, 0.3, 2 * tears - 1), 0] / (2 * tears)
    levels = np.where(np.arange(2 * tears + 1) % 2, 1.0, 1 - depth * generator.uniform(0.25, 1.0, 2 * tears + 1))
    levels -= 0.25 * depth * generator.uniform(0, 1, 2 * tears + 1)
    small = 0.12 * depth * generator.uniform(-1, 1, 12 * tears)

    def share(across: Values) -> Values:
        fine = np.interp(across, np.linspace(0, 1, len(small)), small)
        return np.asarray(np.interp(across, knots, levels) + fine)

    return share


def smooth_step(distance: Values, width: float = 0.16) -> Values:
    """1 inside a drawing (distance below 0), 0 outside, with a slope `width` wide: relief from distances."""
    share = np.clip(0.5 - distance / width, 0, 1)
    return np.asarray(share * share * (3 - 2 * share))
