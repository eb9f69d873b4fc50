"""RELATE: closed surfaces whose faces turn outward: of them, only what faces somebody can be reached by a line first.

A line to a point at the back of such a surface goes through its front before, and is cut short there.
"""

from __future__ import annotations

import numpy as np

from silhouette.geometry import Flags, Floats, Pose, corners
from silhouette.lazy import derived
from silhouette.meshes.mesh import Mesh, merge_equal


@derived
def is_outward(mesh: Mesh) -> bool:
    """Whether a mesh is made of closed shells, all faces of each turned outward.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> crate = solid(Solid(Box((2.0, 2.0, 2.0))))
    >>> inside_out = Mesh(crate.vertices, crate.faces[:, ::-1], crate.part)
    >>> is_outward(crate), is_outward(inside_out), is_outward(crate.subset(np.arange(12) > 0))
    (True, False, False)
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(mesh.vertices)
    faces = merge_equal(mesh.vertices)[1][mesh.faces].astype(np.int64)
    starts, ends = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    ways = np.sort(starts * count + ends)
    if not np.array_equal(ways, np.sort(ends * count + starts)):
        return False
    links = coo_array((np.ones(len(starts), np.int8), (starts, ends)), shape=(count, count))
    shell = connected_components(links, directed=False)[1][faces[:, 0]]
    first, second, third = (mesh.vertices[mesh.faces[:, k]] - mesh.bounds[0] for k in range(3))
    volumes = np.bincount(shell, weights=np.einsum("ij,ij->i", first, np.cross(second, third)))
    return bool((volumes[np.unique(shell)] > 0.0).all())


def facing(mesh: Mesh, pose: Pose, box: Floats) -> Flags:
    """(m,) which faces of a mesh may face a point of a box (2, 3), mm, world: it is not wholly behind their plane."""
    normal, height = _planes(mesh)
    along = normal @ pose.localise(corners(*box)).T
    while along.shape[1] > 1:  # the greatest of eight: in halves, since numpy is slow along short rows
        along = np.maximum(*np.split(along, 2, axis=1))
    faces: Flags = along[:, 0] - height > 0.0
    return faces


@derived
def _planes(mesh: Mesh) -> tuple[Floats, Floats]:
    """The normals (m, 3) of a mesh's faces, as long as twice their areas; (m,) how far each plane is along its own."""
    first, second, third = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    normal = np.cross(second - first, third - first)
    return normal, np.einsum("ij,ij->i", normal, first)
