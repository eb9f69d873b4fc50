"""From a field to a closed triangle mesh: bricks near the surface, marching cubes, simplification."""

from __future__ import annotations

import fast_simplification
import numpy as np
from manifold3d import Error, Manifold, Mesh
from numpy.typing import NDArray
from skimage.measure import marching_cubes

from models.source.fields import Bricks, Field
from models.source.settling import COARSE, settled
from models.source.solids import union

SIDE = 8
"""Samples along each side of a brick."""

CRUMB = 0.05
"""mm³: loose pieces no larger than this are left out of a finished figure."""

STEP = 2.0**-12
"""mm between the distances that samples may have. None is 0: a surface through a sample gives collapsed triangles."""

TOUCHING = 0.02
"""How far (mm) surfaces that touch in an edge or a corner are drawn apart."""


def skin(field: Field, cell: float = 0.15, triangles: int | None = None) -> Manifold:
    """The field's surface as a solid.

    `cell` is the distance between samples (mm): details narrower than twice that are lost. `triangles` is how many the
    mesh is simplified to; by default a tenth of what marching cubes made.
    """
    low = settled(field.low - 2 * cell)
    volume = _sampled(field, low, cell)
    vertices, faces, _, _ = marching_cubes(volume, 0.0, spacing=(cell,) * 3)  # type: ignore[no-untyped-call]
    wanted = len(faces) // 10 if triangles is None else triangles
    if wanted < len(faces):
        vertices, faces = fast_simplification.simplify(vertices, faces, target_count=wanted, agg=4.0)
    return _solid(vertices + low, faces)


def lightened(solid: Manifold, triangles: int) -> Manifold:
    """The solid with about so many triangles, spent where it is curved: skin pieces finely, unite them, then this."""
    if solid.num_tri() <= triangles:
        return solid
    mesh = solid.to_mesh64()
    vertices, faces = settled(mesh.vert_properties[:, :3], COARSE), np.asarray(mesh.tri_verts).astype(np.int32)
    return _solid(*fast_simplification.simplify(vertices, faces, target_count=triangles, agg=4.0))


def _sampled(field: Field, low: NDArray[np.float64], cell: float) -> NDArray[np.float64]:
    """Distances on a grid from `low` on, right near the surface and of the right sign elsewhere, settled to `STEP`."""
    counts = np.ceil((field.high - low + 2 * cell) / (cell * SIDE)).astype(int)
    places = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)
    size = cell * SIDE
    centres = low + places * size + (size - cell) / 2
    radius = size * 0.9
    rough = _at_centres(field, centres, 2 * radius)
    active = np.flatnonzero(np.abs(rough) < 1.6 * radius)
    steps = np.arange(SIDE) * cell
    offsets = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    blocks = np.broadcast_to(rough[:, None], (len(places), SIDE**3)).copy()
    for batch in np.array_split(active, len(active) // 2000 + 1):
        points = (low + places[batch] * size)[:, None] + offsets
        blocks[batch] = field.distances(Bricks.of(points, 3 * cell))
    grid = blocks.reshape(*counts, SIDE, SIDE, SIDE).transpose(0, 3, 1, 4, 2, 5).reshape(counts * SIDE)
    grid = np.pad(grid, 1, constant_values=size)[1:, 1:, 1:]
    return settled(np.clip(grid, -size, size), STEP) + STEP / 4


def _at_centres(field: Field, centres: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    """The field at the brick centres, each asked for by itself so that far ones cost nothing."""
    return field.distances(Bricks.of(centres[:, None], reach))[:, 0]


def _solid(vertices: NDArray[np.float64], faces: NDArray[np.integer]) -> Manifold:
    """A mesh as a solid; slivers that simplification left are closed first."""
    mesh = Mesh(vertices.astype(np.float32), faces.astype(np.uint32))
    solid = Manifold(mesh)
    if solid.status() != Error.NoError:
        raise ValueError(f"a skin of {len(faces)} triangles is not closed: {solid.status()}")
    return solid


def outer(solid: Manifold) -> Manifold:
    """The solid without the voids shut up inside it and without crumbs: what a caster would pour."""
    return union(piece for piece in solid.decompose() if piece.volume() > CRUMB)


def finished(solid: Manifold, triangles: int | None = None) -> Manifold:
    """A part ready to be written: no voids, no crumbs, about so many triangles, and no edge where four faces meet."""
    whole = outer(solid)
    return _parted(whole if triangles is None else lightened(whole, triangles))


def _parted(solid: Manifold) -> Manifold:
    """The solid with places where it touches itself drawn a hair's breadth into it: they would be pinched edges."""
    mesh = solid.to_mesh64()
    vertices, faces = np.array(mesh.vert_properties[:, :3]), np.asarray(mesh.tri_verts).astype(np.int64)
    _, same, counts = np.unique(np.round(vertices, 3), axis=0, return_inverse=True, return_counts=True)
    corners = vertices[faces]
    normals = np.zeros_like(vertices)
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for corner in range(3):
        np.add.at(normals, faces[:, corner], facing)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    touching = counts[same.reshape(-1)] > 1
    vertices[touching] -= TOUCHING * normals[touching]
    return _solid(vertices, faces)
