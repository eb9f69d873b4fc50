"""LOAD: plain solids, boxes, cylinders and spheres, become a Mesh like any other.

numpy only: importing trimesh alone takes longer than judging a whole scene of solids.

A round thing becomes a polygon. Its radius is scaled so that what is measured, the area of its picture, is that of the
true circle or sphere to within 0.02 %, from any side. At its corners a polygon then lies a ten-thousandth of its radius
outside the true rim, and half as much inside it between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, Integers, Pose, corners, cosine_and_sine
from silhouette.common.lazy import remembered
from silhouette.meshes.mesh import Mesh

Axis = Literal["x", "y", "z"]
Vector = tuple[float, float, float]

CYLINDER_SIDES = 192
SPHERE_MERIDIANS = 144
SPHERE_PARALLELS = 72

# Corner k of a box: bit 0 of k chooses along x, bit 1 along y, bit 2 along z.
BOX_FACES = np.array(
    [
        *([0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4]),
        *([2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]),
    ],
    dtype=np.int32,
)


@dataclass(frozen=True)
class Box:
    """A box of ``size`` mm along x, y and z."""

    size: Vector


@dataclass(frozen=True)
class Cylinder:
    """A cylinder of ``diameter`` mm, ``height`` mm long along ``axis``."""

    diameter: float
    height: float
    axis: Axis = "z"


@dataclass(frozen=True)
class Sphere:
    """A ball of ``diameter`` mm."""

    diameter: float


@dataclass(frozen=True)
class Solid:
    """A solid in its place."""

    shape: Box | Cylinder | Sphere  # a box, cylinder or sphere
    # X, y, z in mm of the middle of its underside; of a lying cylinder, of the underside of the box round it
    at: Vector = (0.0, 0.0, 0.0)
    turn: float = 0.0  # degrees anticlockwise about its vertical axis
    name: str | None = None  # of the part that it becomes; without one it is numbered, as in "box 1"


TRIANGLE_COUNTS: dict[type, int] = {
    Box: len(BOX_FACES),
    Cylinder: 4 * CYLINDER_SIDES,
    Sphere: 2 * SPHERE_MERIDIANS * (SPHERE_PARALLELS - 1),
}  # of each shape; a mesh of solids has those of the first solid first


def solid(*parts: Solid) -> Mesh:
    """The mesh of some solids together: closed surfaces, faces outward, one part for each solid.

    Solids of one name make one part. Solids may overlap; nothing is cut away. Equal solids give the same Mesh again,
    not a copy, so that whatever is kept for a mesh is kept once.

    >>> solid()
    Traceback (most recent call last):
    ...
    ValueError: a piece needs at least one solid
    """
    if not parts:
        raise ValueError("a piece needs at least one solid")
    return _joined(parts)


@remembered
def _joined(parts: tuple[Solid, ...]) -> Mesh:
    surfaces = [_surface(part) for part in parts]
    names = part_names(parts)
    distinct = tuple(dict.fromkeys(names))
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in surfaces[:-1]])
    belongs = [
        np.full(len(faces), distinct.index(name), np.int32) for name, (_, faces) in zip(names, surfaces, strict=True)
    ]
    vertices = np.concatenate([vertices for vertices, _ in surfaces])
    faces = np.concatenate([faces + np.int32(start) for start, (_, faces) in zip(starts, surfaces, strict=True)])
    for array in (vertices, faces, part := np.concatenate(belongs)):
        array.setflags(write=False)  # every call for the same solids shares them
    return Mesh(vertices, faces, part, distinct)


def part_names(parts: Sequence[Solid]) -> tuple[str, ...]:
    """The name of each solid's part: the name of the solid, or its kind and a number.

    >>> part_names([Solid(Sphere(4.0)), Solid(Sphere(5.0), name="head"), Solid(Sphere(6.0))])
    ('sphere 1', 'head', 'sphere 2')
    """
    names = []
    for index, part in enumerate(parts):
        number = sum(type(earlier.shape) is type(part.shape) and earlier.name is None for earlier in parts[: index + 1])
        names.append(part.name or f"{type(part.shape).__name__.lower()} {number}")
    return tuple(names)


def _surface(part: Solid) -> tuple[Floats, Integers]:
    match part.shape:
        case Box(size=(along_x, along_y, along_z)):
            vertices = corners([-along_x / 2, -along_y / 2, 0.0], [along_x / 2, along_y / 2, along_z])
            faces = BOX_FACES
        case Cylinder(diameter=diameter, height=height, axis=axis):
            vertices, faces = _cylinder(diameter, height)
            if axis != "z":
                vertices = _laid_down(vertices, axis, diameter / 2)
        case Sphere(diameter=diameter):
            vertices, faces = _sphere(diameter)
    return Pose.standing(part.at, part.turn).place(vertices), faces


def _laid_down(vertices: Floats, axis: Axis, radius: float) -> Floats:
    x, y, z = vertices.T
    middle = z - (z.min() + z.max()) / 2
    return np.stack([middle, x, y + radius] if axis == "x" else [y, middle, x + radius], axis=1)


def _cylinder(diameter: float, height: float) -> tuple[Floats, Integers]:
    """A standing cylinder, its underside's middle at the origin."""
    sides = CYLINDER_SIDES
    ring = _circle(sides) * (diameter / 2 * np.sqrt(2 * np.pi / (sides * np.sin(2 * np.pi / sides))))
    vertices = np.zeros((2 * sides + 2, 3))
    vertices[:sides, :2] = ring
    vertices[sides : 2 * sides, :2] = ring
    vertices[sides : 2 * sides, 2] = height
    vertices[-1, 2] = height
    here = np.arange(sides)
    after = np.roll(here, -1)
    bottom_middle, top_middle = np.full(sides, 2 * sides), np.full(sides, 2 * sides + 1)
    return vertices, _rows(
        [here, after, after + sides],
        [here, after + sides, here + sides],
        [bottom_middle, after, here],
        [top_middle, here + sides, after + sides],
    )


def _sphere(diameter: float) -> tuple[Floats, Integers]:
    """A ball of meridians and parallels, its underside at the origin; its radius makes its surface the true ball's.

    By Cauchy's formula the mean area of a convex body's pictures, over all directions, is a quarter of its surface.
    """
    around, along = SPHERE_MERIDIANS, SPHERE_PARALLELS
    ring = _circle(around)
    profile = _circle(2 * along)[1:along]
    vertices = np.empty(((along - 1) * around + 2, 3))
    vertices[:-2, :2] = (profile[:, 1, None, None] * ring).reshape(-1, 2)
    vertices[:-2, 2] = np.repeat(profile[:, 0], around)
    vertices[-2:] = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]
    here = np.arange(around)
    after = np.roll(here, -1)
    rings = (np.arange(along - 2) * around)[:, None]
    upper, lower = (rings + here).ravel(), (rings + here + around).ravel()
    upper_after, lower_after = (rings + after).ravel(), (rings + after + around).ravel()
    last = (along - 2) * around
    faces = _rows(
        [upper, lower, lower_after],
        [upper, lower_after, upper_after],
        [np.full(around, len(vertices) - 2), here, after],
        [np.full(around, len(vertices) - 1), last + after, last + here],
    )
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    surface = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    radius = diameter / 2
    return vertices * (radius * np.sqrt(4 * np.pi / surface)) + [0.0, 0.0, radius], faces


@lru_cache(maxsize=8)
def _circle(sides: int) -> Floats:
    """(sides, 2) points on the unit circle anticlockwise from +x, the quarters exact."""
    return np.array([cosine_and_sine(360.0 * side / sides) for side in range(sides)])


def _rows(*triangles: list[NDArray[np.int64]]) -> Integers:
    """Faces (m, 3) from groups of three index columns."""
    return np.concatenate([np.stack(columns, axis=1) for columns in triangles]).astype(np.int32)
