"""TAG: from a mesh file's units and axes to the model's frame, which is mm with z up. numpy only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from shapely import MultiPoint

from silhouette.common.geometry import INCH, Floats, Integers
from silhouette.meshes.formats.usd import USD
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import Kind

# ---- units and axes

MM_PER_MESH_UNIT = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "inch": INCH, "foot": 304.8, "micron": 0.001}
GUESSED = ("mm", "cm", "m", "inch")
DECLARED_UNITS = {
    "millimeter": "mm",
    "centimeter": "cm",
    "meter": "m",
    "inch": "inch",
    "foot": "foot",
    "micron": "micron",
}
IN_WORDS = {"m": "metres", "inch": "inches", "foot": "feet", "micron": "microns"}
USUAL_SIZES_MM: dict[Kind, tuple[float, float, str]] = {
    "fighter": (25.0, 60.0, "high"),
    "vehicle": (30.0, 400.0, "long"),
    "terrain": (10.0, 600.0, "across"),
}
Y_UP_FORMATS = ("glb", "gltf", *USD)  # USD is read as glTF has it
DEFAULT_FRONT_DEG = {"y": 270.0, "z": 90.0}
"""The default front, degrees anticlockwise from +x, by the axis that is up in the mesh file: glTF's front, +Z, is -y
once y is up no longer."""

# A fighter that lies down, a rat and a giant are far from 25 to 60 mm high, and still made in mm: sizes up to this many
# times smaller or larger are taken as mm, or as the units that the file itself declares.
LENIENCY = 3.0
UNREMARKABLE = 2.0


@dataclass(frozen=True)
class UnitsChoice:
    """The units that are taken for a mesh file, a key of `MM_PER_MESH_UNIT`, and how they are known.

    They are given by the user, declared by the mesh file, or guessed from the size; if doubtful, with a warning.
    """

    units: str
    source: Literal["given", "declared", "guessed"]
    warning: str | None = None


def upright(vertices: Floats, up: Literal["y", "z"]) -> Floats:
    """Vertices (n, 3) with z up. y up is turned about x, as modelling programs do: a front of +z becomes -y.

    >>> upright(np.array([[1.0, 2.0, 3.0]]), "y").tolist()
    [[1.0, -3.0, 2.0]]
    """
    return vertices if up == "z" else np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1)


def units_of(extents: Floats, kind: Kind, declared: str | None = None, scale: float = 1.0) -> UnitsChoice:
    """The units that a mesh of some size is most likely in.

    Units that the file declares are taken unless they are absurd; so are mm, in which figures are made. Otherwise the
    size in mm, cm, m and inches, before and after scaling, is compared with what fighters, vehicles and terrain usually
    measure on the table, and the nearest unit is taken, with a warning.

    Args:
        extents: (3,) along x, y and z, z up, in the file's units.
        kind: the model's kind: a fighter is 25 to 60 mm high, a vehicle 30 to 400 mm long, terrain 10 to 600 mm across.
        declared: the units that the file states, one of DECLARED, if any.
        scale: the factor by which the model file enlarges the model.

    >>> units_of(np.array([25.0, 25.0, 38.0]), "fighter")
    UnitsChoice(units='mm', source='guessed', warning=None)
    >>> [units_of(np.array(size), "fighter").units for size in ([0.025, 0.025, 0.038], [1.6, 0.4, 1.1])]
    ['m', 'inch']
    >>> units_of(np.array([1.6, 0.4, 1.1]), "fighter").warning
    'taken to be in inches, which makes it 27.9 mm high; give units or scale if that is wrong'
    """
    least, greatest, dimension = USUAL_SIZES_MM[kind]
    size = float({"high": extents[2], "long": max(extents[:2]), "across": max(extents)}[dimension])
    stated = DECLARED_UNITS.get(declared or "")
    if size <= 0.0:
        return UnitsChoice(stated or "mm", "declared" if stated else "guessed")

    misfit = partial(_misfit, size, scale, (least, greatest))
    if stated is not None and misfit(stated) <= math.log(LENIENCY):
        return UnitsChoice(stated, "declared")
    widest = [float(max(extents)) * factor for factor in (1.0, scale)]
    lenient = LENIENCY if kind == "fighter" else 1.0
    chosen = "mm"
    if not any(least / lenient <= length <= greatest * lenient for length in widest):
        middle = math.sqrt(least * greatest)
        off = {units: abs(math.log(size * scale * MM_PER_MESH_UNIT[units] / middle)) for units in GUESSED}
        chosen = min(GUESSED, key=lambda units: (misfit(units), off[units]))
    if chosen == "mm" and stated is None and misfit(chosen) <= math.log(UNREMARKABLE):
        return UnitsChoice(chosen, "guessed")
    length = size * MM_PER_MESH_UNIT[chosen] * scale
    return UnitsChoice(chosen, "guessed", _doubt_about_units(chosen, kind, length, unusual=misfit(chosen) != 0.0))


def _misfit(size: float, scale: float, usual: tuple[float, float], units: str) -> float:
    """The logarithm of the factor between the usual sizes and a size in some units, scaled or not; 0 if it is usual."""
    sizes = [size * MM_PER_MESH_UNIT[units] * factor for factor in (1.0, scale)]
    return min(max(math.log(usual[0] / length), math.log(length / usual[1]), 0.0) for length in sizes)


def _doubt_about_units(units: str, kind: Kind, length: float, *, unusual: bool) -> str:
    least, greatest, dimension = USUAL_SIZES_MM[kind]
    usual = f"{least:g} to {greatest:g} mm"
    what = {"fighter": "a fighter", "vehicle": "a vehicle", "terrain": "terrain"}[kind]
    sized = f"{length:.3g} mm {dimension}{f', unusual for {what} ({usual})' if unusual else ''}"
    makes = f"taken to be in {IN_WORDS.get(units, units)}, which makes it {sized}"
    return f"{makes}; give units or scale if that is wrong"


# ---- doubts about the axis up

GROUNDED = 0.02  # of the height: what lies so near the lowest point touches the ground
LEVEL_COSINE = 0.99  # the least cosine of the angle between the vertical and the normal of a level face
LITTLE = 0.12  # the greatest share of its box in plan that touches the ground where it stands on feet, or on a rim
MIN_SUPPORT_SHARE = 0.4  # the least share where it stands on a base, a floor or a foundation
# The greatest share of its box in plan within the outline of all that touches the ground, on an edge.
NARROW_FOOTPRINT_SHARE = 0.2
BROAD = {"vehicle": 0.45, "terrain": 0.6}  # the least share where it stands on wheels, on legs, or on the rim of a wall
FLAT_HEIGHT_SHARE = 0.5  # a figure without a base that is lower than this share of its extent along y lies down
# A figure that is so much higher than it is long along y stands, though its back may be flat, as a relief's.
UPRIGHT_HEIGHT_RATIO = 2.0


def doubt_about_up(mesh: Mesh, up: str, kind: Kind, given: str, usual: str) -> list[str]:
    """The warning, in a list, that a mesh plainly stands on another axis than the one taken as up; else none.

    It does where little of it lies flat on the ground, and a large part of it would with the other axis up; where it
    is a vehicle or terrain that stands on an edge, and would stand broadly; or where it is a figure that is low and
    long along y, and does not stand on a base: a body on its back. Whoever gives the axis that the format has anyway
    has answered the question; a base that stands on its edge is a mistake all the same, and so is an axis that makes a
    figure lie down which stands as its format has it.
    """
    _, depth, height = np.ptp(mesh.bounds, axis=0) if len(mesh.faces) else np.zeros(3)
    if len(mesh.faces) == 0 or (given != "auto" and (kind != "fighter" or height >= UPRIGHT_HEIGHT_RATIO * depth)):
        return []
    # The inverse of `upright` gives back how the mesh lies in its file; upright again, the other axis is up.
    vertices = upright(mesh.vertices, "y") if up == "z" else mesh.vertices[:, [0, 2, 1]] * [1.0, 1.0, -1.0]
    other = "y" if up == "z" else "z"
    why = _why_turned(mesh, vertices, kind, may_lie=given != "auto" and up == usual)
    if not why:
        return []
    if given != "auto":
        return [f'up = "{up}" makes it lie down, and with {other} up {why}; say up = "{other}"']
    return [f'taken to have {up} up, but with {other} up {why}; say up = "{other}", or up = "{up}" if it is right']


def _why_turned(mesh: Mesh, turned: Floats, kind: Kind, *, may_lie: bool) -> str:
    """What is better about a mesh with its vertices (n, 3) turned, the other axis up; empty if nothing is."""
    _, depth, height = np.ptp(mesh.bounds, axis=0)
    is_on_little = share_on_the_ground(mesh.vertices, mesh.faces) <= LITTLE
    if is_on_little and share_on_the_ground(turned, mesh.faces) >= MIN_SUPPORT_SHARE:
        return "it would stand flat"
    if kind == "fighter":
        return (
            "it would not lie on its back"
            if is_on_little and height < FLAT_HEIGHT_SHARE * depth and not may_lie
            else ""
        )
    stands_better = _is_narrow(mesh.vertices) and _breadth(turned) >= BROAD[kind]
    return "it would not stand on an edge" if stands_better else ""


def share_on_the_ground(vertices: Floats, faces: Integers) -> float:
    """The share of the box round a mesh in plan, z up, that level faces on the ground take up."""
    heights = vertices[:, 2].copy()
    first, second, third = (heights.take(faces[:, corner]) for corner in range(3))
    highest, lowest_corner = np.maximum(np.maximum(first, second), third), np.minimum(np.minimum(first, second), third)
    low, high = float(lowest_corner.min()), float(highest.max())
    across, along = np.ptp(vertices[:, 0]), np.ptp(vertices[:, 1])
    lowest = faces[highest <= low + GROUNDED * (high - low)]
    if across * along <= 0.0 or len(lowest) == 0:
        return 0.0
    corners = vertices[lowest]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    in_plan = np.abs(normals[:, 2])
    level = in_plan >= LEVEL_COSINE * np.linalg.norm(normals, axis=1)
    return float(in_plan[level].sum() / 2.0 / (across * along))


def _is_narrow(vertices: Floats) -> bool:
    """Whether `_breadth` is at most `NARROW_FOOTPRINT_SHARE`: most that stands is not, by the four points farthest
    along the axes.
    """
    lowest, area = _lowest_in_plan(vertices)
    x, y = lowest.T
    ring = lowest[[x.argmin(), y.argmin(), x.argmax(), y.argmax()]]  # anticlockwise, and within the convex outline
    first, after = ring.T, np.roll(ring, -1, axis=0).T
    within = float(np.sum(first[0] * after[1] - after[0] * first[1])) / 2.0
    return within <= 1.001 * NARROW_FOOTPRINT_SHARE * area and _breadth(vertices) <= NARROW_FOOTPRINT_SHARE


def _lowest_in_plan(vertices: Floats) -> tuple[Floats, float]:
    """(n, 2) the vertices that touch the ground, in plan; and the area of the box round all of them in plan."""
    heights = vertices[:, 2]
    area = float(np.ptp(vertices[:, 0]) * np.ptp(vertices[:, 1]))
    return vertices[heights <= heights.min() + GROUNDED * np.ptp(heights), :2], area


def _breadth(vertices: Floats) -> float:
    """The share of the box round a mesh in plan, z up, within the convex outline of what touches the ground.

    >>> legs = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 3.0)])
    >>> _breadth(legs), _breadth(legs[1:])
    (1.0, 0.5)
    """
    lowest, area = _lowest_in_plan(vertices)
    return MultiPoint(lowest).convex_hull.area / area if area > 0.0 else 0.0
