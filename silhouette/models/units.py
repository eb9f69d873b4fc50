"""TAG: from a mesh file's units and axes to the model's frame: mm, z up. numpy only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from silhouette.geometry import Floats
from silhouette.models.entries import Kind
from silhouette.units import INCH

MILLIMETRES = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "inch": INCH, "foot": 304.8, "micron": 0.001}
GUESSED = ("mm", "cm", "m", "inch")
DECLARED = {"millimeter": "mm", "centimeter": "cm", "meter": "m", "inch": "inch", "foot": "foot", "micron": "micron"}
IN_WORDS = {"m": "metres", "inch": "inches", "foot": "feet", "micron": "microns"}
USUAL: dict[Kind, tuple[float, float, str]] = {
    "fighter": (25.0, 60.0, "high"),
    "vehicle": (30.0, 400.0, "long"),
    "terrain": (10.0, 600.0, "across"),
}
Y_UP_FORMATS = ("glb", "gltf")
FRONT = {"y": 270.0, "z": 90.0}
"""The default front, degrees anticlockwise from +x, by the axis that is up in the mesh file: glTF's front, +Z, is -y
once y is up no longer."""

# A fighter that lies down, a rat and a giant are far from 25 to 60 mm high, and still made in mm: sizes up to this many
# times smaller or larger are taken as mm, or as the units that the file itself declares.
LENIENCY = 3.0
UNREMARKABLE = 2.0


@dataclass(frozen=True)
class UnitsChoice:
    """The units that are taken for a mesh file.

    Attributes:
        units: a key of `MILLIMETRES`.
        source: the way in which they are known: given by the user, declared by the mesh file, or guessed from the size.
        warning: a sentence for the user where the units are doubtful, or None.
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
    >>> units_of(np.array([0.025, 0.025, 0.038]), "fighter").units
    'm'
    >>> units_of(np.array([1.6, 0.4, 1.1]), "fighter").warning
    'taken to be in inches, which makes it 27.9 mm high; give units or scale if that is wrong'
    """
    least, greatest, dimension = USUAL[kind]
    size = float({"high": extents[2], "long": max(extents[:2]), "across": max(extents)}[dimension])
    stated = DECLARED.get(declared or "")
    if size <= 0.0:
        return UnitsChoice(stated or "mm", "declared" if stated else "guessed")

    def misfit(units: str) -> float:
        """The logarithm of the factor between the usual sizes and the size in some units; 0 where it is usual."""
        sizes = [size * MILLIMETRES[units] * factor for factor in (1.0, scale)]
        return min(max(math.log(least / length), math.log(length / greatest), 0.0) for length in sizes)

    if stated is not None and misfit(stated) <= math.log(LENIENCY):
        return UnitsChoice(stated, "declared")
    widest = [float(max(extents)) * factor for factor in (1.0, scale)]
    lenient = LENIENCY if kind == "fighter" else 1.0
    if any(least / lenient <= length <= greatest * lenient for length in widest):
        chosen = "mm"
    else:
        middle = math.sqrt(least * greatest)
        chosen = min(
            GUESSED, key=lambda units: (misfit(units), abs(math.log(size * scale * MILLIMETRES[units] / middle)))
        )
    if chosen == "mm" and stated is None and misfit(chosen) <= math.log(UNREMARKABLE):
        return UnitsChoice(chosen, "guessed")
    usual = {"fighter": "a fighter", "vehicle": "a vehicle", "terrain": "terrain"}[kind]
    unusual = "" if misfit(chosen) == 0.0 else f", unusual for {usual} ({least:g} to {greatest:g} mm)"
    sized = f"{size * MILLIMETRES[chosen] * scale:.3g} mm {dimension}{unusual}"
    words = IN_WORDS.get(chosen, chosen)
    return UnitsChoice(
        chosen, "guessed", f"taken to be in {words}, which makes it {sized}; give units or scale if that is wrong"
    )
