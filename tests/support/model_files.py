"""A ganger of plain solids with tagged parts, written as a mesh file, and models loaded without a cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from silhouette.files.cache import Cache
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Box, Cylinder, Solid, Sphere
from silhouette.models.model import Model, load_model

NO_CACHE = Cache(None)
GANGER = (
    Solid(Cylinder(25.0, 3.0), name="base"),
    Solid(Cylinder(12.0, 20.0), at=(0.0, 0.0, 3.0), name="torso"),
    Solid(Sphere(8.0), at=(0.0, 1.0, 23.0), name="head"),
    Solid(Box((2.0, 18.0, 2.0)), at=(5.0, 10.0, 14.0), name="lasgun barrel"),
    Solid(Box((1.0, 1.0, 9.0)), at=(0.0, 0.0, 31.0), name="plume"),
)

Written = Callable[..., Path]


def as_obj(mesh: Mesh) -> str:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    for index, name in enumerate(mesh.part_names):
        lines.append(f"o {name}")
        lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces[mesh.part == index].tolist()]
    return "\n".join(lines) + "\n"


def load(path: Path, **overrides: object) -> Model:
    return load_model(path, NO_CACHE, overrides=overrides)
