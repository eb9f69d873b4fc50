"""MEASURE: which segments meet a mesh, by Embree."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from silhouette.geometry import Flags, Floats
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.rays import BYTES_KEPT, BYTES_SPARE, Chunk, Kept, indexed_size


def met_by_embree(mesh: Mesh, starts: Floats, ends: Floats) -> Flags | None:
    """(n,) whether segments meet a mesh, in float32, so but for a hair; None where embreex is not installed.

    Args:
        mesh: that is met, from either side.
        starts, ends: (n, 3) mm of the segments, in the mesh's frame.
    """
    if _device() is None:
        return None
    met = np.zeros(len(starts), dtype=np.bool_)
    for chunk, structure in _structures.of(mesh):
        origins = (starts - chunk.middle).astype(np.float32)
        along = (ends - starts).astype(np.float32)
        met |= structure.run(origins, along, np.ones(len(starts), np.float32), query="OCCLUDED") >= 0
    return met


@cache
def _device() -> Any:
    """The Embree device for these segments; None where embreex is not installed."""
    try:
        from embreex.rtcore import EmbreeDevice
    except ImportError:
        return None
    return EmbreeDevice()


def _built(mesh: Mesh) -> list[tuple[Chunk, Any]]:
    """The chunks of a mesh, each with its acceleration structure. Robust: no ray slips between two faces."""
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    built = list[tuple[Chunk, Any]]()
    for chunk in Chunk.all_of(mesh):
        structure = EmbreeScene(_device(), robust=True)
        TriangleMesh(structure, np.array(chunk.vertices, np.float32), np.array(chunk.faces, np.int32))
        built.append((chunk, structure))
    return built


_structures: Kept[list[tuple[Chunk, Any]]] = Kept(
    _built, lambda made: indexed_size([chunk for chunk, _ in made]), BYTES_KEPT, BYTES_SPARE
)

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_structures.forked)
