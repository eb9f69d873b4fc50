"""Lean hard-surface shapes for a piece of many small parts: what is hidden, or too small to see, costs no triangles."""

from collections.abc import Iterable

import numpy as np
from manifold3d import CrossSection, JoinType, Manifold
from numpy.typing import ArrayLike

from models.source.details import EMBEDDED
from models.source.settling import settled
from models.source.solids import FRONT, ORIGIN, UP, Point, placed, revolved, union


def faceted(points: ArrayLike, bevel: float = 0.4) -> Manifold:
    """The convex hull of points (n, 3), every edge chamfered `bevel` deep: a lump of sloped armour."""
    hull = Manifold.hull_points(np.asarray(points, float))
    mesh = hull.to_mesh64()
    vertices, faces = np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts, np.int64)
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    starts, ends, owner = faces.ravel(), np.roll(faces, -1, axis=1).ravel(), np.repeat(np.arange(len(faces)), 3)
    pairs = np.lexsort((np.maximum(starts, ends), np.minimum(starts, ends))).reshape(-1, 2)
    one, other = normals[owner[pairs[:, 0]]], normals[owner[pairs[:, 1]]]
    cosine = np.clip((one * other).sum(axis=1), -1, 1)
    bisector = (one + other) / np.sqrt(np.maximum(2 + 2 * cosine, 1e-9))[:, None]
    offset = (vertices[starts[pairs[:, 0]]] * bisector).sum(axis=1) - bevel * np.sqrt((1 - cosine) / 2)
    sharp = settled(cosine) < 0.99
    for normal, distance in zip(settled(bisector[sharp]), settled(offset[sharp]), strict=True):
        hull = hull.trim_by_plane(tuple(-normal), -float(distance))
    return hull


def block(size: Point, at: Point = ORIGIN) -> Manifold:
    """A plain box of `size` (x, y, z) standing on `at`, for what is small."""
    return Manifold.cube(tuple(size), True).translate((at[0], at[1], at[2] + size[2] / 2))


def pad(size: Point, at: Point = ORIGIN, towards: Point = UP, above: Point = FRONT, bevel: float = 0.35) -> Manifold:
    """A box whose underside lies on something: only the rim of the side that faces `towards` is chamfered.

    `size` is across, along `above`, and along `towards`; `at` is the middle of the underside.
    """
    x, y = size[0] / 2, size[1] / 2
    return placed(raised([(-x, -y), (x, -y), (x, y), (-x, y)], size[2], bevel), at, towards, above)


def raised(outline: ArrayLike, thickness: float, bevel: float = 0.3) -> Manifold:
    """A plate of a convex outline (n, 2) in the x-y plane from z = 0 up, its upper rim chamfered."""
    wide = CrossSection([np.asarray(outline, float)])
    narrow = wide.offset(-bevel, JoinType.Miter, 4.0)
    layers = ((wide, 0.0), (wide, thickness - bevel), (narrow, thickness))
    corners = [(np.concatenate(section.to_polygons()), height) for section, height in layers]
    return Manifold.hull_points(np.concatenate([np.column_stack([xy, np.full(len(xy), z)]) for xy, z in corners]))


def studs(points: Iterable[Point], towards: Point = FRONT, diameter: float = 1.2, sides: int = 5) -> Manifold:
    """Rivet heads of a few facets at `points` on a surface that faces `towards`."""
    radius = diameter / 2
    outline = [(0, -EMBEDDED), (1.15 * radius, -EMBEDDED), (0.6 * radius, 0.65 * radius), (0, 0.65 * radius)]
    head = placed(revolved(outline, sides=sides), towards=towards)
    return union(head.translate(tuple(point)) for point in points)


def across(profile: Manifold, x: float) -> Manifold:
    """A profile drawn in y and z and carried along x, starting at `x`."""
    return profile.transform(np.array([[0, 0, 1, x], [1, 0, 0, 0], [0, 1, 0, 0]], float))
