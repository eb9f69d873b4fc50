"""LOAD: a mesh that Python has in memory, of trimesh or as arrays, becomes a `Mesh`; what is none is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import trimesh

from silhouette.common.errors import RequestError
from silhouette.meshes.mesh import Mesh

IN_MEMORY = "give a path, a trimesh object, or vertices (n, 3) and faces (m, 3)"
"""What a mesh in memory may be, for messages."""


def mesh_in_memory(value: Any) -> Mesh:
    """The mesh of a `trimesh.Trimesh`, of a `trimesh.Scene`, whose nodes become parts, or of (vertices, faces).

    Nothing is cleaned or measured: whoever reads the file of it does that. RequestError where the value is none of
    these, or a face names a vertex that is not there.

    >>> box = trimesh.creation.box((12.0, 12.0, 30.0))
    >>> mesh_in_memory(box).faces.shape, mesh_in_memory((box.vertices, box.faces)).part_names
    ((12, 3), ('mesh',))
    >>> mesh_in_memory(trimesh.Scene({"body": box, "base": box})).part_names
    ('body', 'base')
    >>> mesh_in_memory(([[0.0, 0.0, 0.0]], [[0, 1, 2]]))
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: faces name vertex 2, and there are 1 vertices; count them from 0
    """
    if isinstance(value, trimesh.Scene):
        return _scene(value)
    if isinstance(value, Mesh):
        return value
    if isinstance(value, trimesh.Trimesh):
        return _arrays(value.vertices, value.faces)
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise RequestError(f"is of the type {type(value).__name__}; {IN_MEMORY}")
    return _arrays(*value)


def _scene(scene: trimesh.Scene) -> Mesh:
    meshes, names = [], []
    for node in scene.graph.nodes_geometry:
        pose, geometry = scene.graph[node]
        part = scene.geometry[geometry]
        if isinstance(part, trimesh.Trimesh):
            meshes.append(part.copy().apply_transform(pose))
            names.append(str(node))
    if not meshes:
        raise RequestError(f"is a trimesh.Scene without a mesh; {IN_MEMORY}")
    offsets = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    unique = list(dict.fromkeys(names))
    numbers = [np.full(len(mesh.faces), unique.index(name)) for mesh, name in zip(meshes, names, strict=True)]
    vertices = np.concatenate([mesh.vertices for mesh in meshes])
    faces = np.concatenate([mesh.faces + first for mesh, first in zip(meshes, offsets, strict=True)])
    return Mesh(np.array(vertices), faces.astype(np.int32), np.concatenate(numbers).astype(np.int32), tuple(unique))


def _arrays(vertices: Any, faces: Any) -> Mesh:
    try:
        points, corners = np.array(vertices, np.float64), np.array(faces)
    except (TypeError, ValueError):
        raise RequestError(f"has rows of different lengths, or none of numbers; {IN_MEMORY}") from None
    if points.ndim != 2 or points.shape[1] != 3 or corners.ndim != 2 or corners.shape[1] != 3:
        raise RequestError(f"has arrays of the shapes {points.shape} and {corners.shape}; {IN_MEMORY}")
    if not np.isfinite(points).all():
        raise RequestError("has a vertex that is no finite number; mend it where it was made")
    if corners.dtype.kind not in "iu":
        raise RequestError(f"has faces of the dtype {corners.dtype}; give whole numbers")
    if corners.size and not (corners.min() >= 0 and corners.max() < len(points)):
        wrong = corners.max() if corners.min() >= 0 else corners.min()
        raise RequestError(f"faces name vertex {wrong}, and there are {len(points)} vertices; count them from 0")
    return Mesh(points, corners.astype(np.int32), np.zeros(len(corners), np.int32))
