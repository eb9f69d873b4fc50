"""LOAD: a mesh file becomes a Mesh with named parts, checked for health. The only module that imports trimesh."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from silhouette.geometry import Flags, Floats, Integers


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh with named parts; immutable, known by its content.

    Attributes:
        vertices: (n, 3) float64.
        faces: (m, 3) int32, rows of vertex indices.
        part: (m,) int32, for each face the index of its part in ``part_names``.
        part_names: the names of the parts, each once.
    """

    vertices: Floats
    faces: Integers
    part: Integers
    part_names: tuple[str, ...] = ("mesh",)

    @cached_property
    def digest(self) -> str:
        """A hash of the geometry alone: meshes of one digest are the same surface and share an index."""
        hashed = hashlib.blake2b(np.ascontiguousarray(self.vertices).tobytes(), digest_size=16)
        hashed.update(np.ascontiguousarray(self.faces).tobytes())
        return hashed.hexdigest()

    @cached_property
    def bounds(self) -> Floats:
        """(2, 3) float64: the least and greatest coordinates of the vertices that faces use."""
        used = self.vertices[np.unique(self.faces)]
        return np.array([used.min(axis=0), used.max(axis=0)])

    def subset(self, chosen: Flags) -> Mesh:
        """The mesh of the faces chosen by ``chosen`` (m,) bool, without the vertices that none of them uses."""
        used, faces = np.unique(self.faces[chosen], return_inverse=True)
        return Mesh(
            self.vertices[used], faces.reshape(-1, 3).astype(np.int32), self.part[chosen], self.part_names
        )
