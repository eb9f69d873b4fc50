"""TAG: the base of a model, as its file says: found, cut off and measured; and the origin, which lies in its middle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.files.cache import Cache
from silhouette.files.schema import Location
from silhouette.geometry import Flags, Floats
from silhouette.meshes.cutting import cut_at
from silhouette.meshes.mesh import Mesh
from silhouette.models.bases import Base, find_base
from silhouette.models.entries import Kind, ModelOptions
from silhouette.models.footprint import TooManyLayers
from silhouette.models.tagging import named, within

STANDS_OUT = 0.5
"""mm below a base that lift a figure so far that it is worth a warning."""

SIDES = 360
"""The sides of the polygon that stands for a round base whose diameter is given."""


def with_base(
    mesh: Mesh, options: ModelOptions, kind: Kind, location: Location, key: str, cache: Cache
) -> tuple[Mesh, Flags, Base | None]:
    """The mesh cut where its base ends, which of its faces (m,) are base, and the base.

    Args:
        mesh: the mesh in mm, z up.
        options: the keys of the model file.
        kind: of the model: only a fighter's base is looked for.
        location: the place of the keys in a file, for messages.
        key: names the mesh and all that was done to it, for the cache.
        cache: keeps the base that was found.

    Raises:
        FileError: where no part has the name of the base, or the base would be the whole model.
    """
    cut, below, base = _as_given(mesh, options, kind, location, key, cache)
    diameter = options.base.diameter
    if diameter is None:
        return cut, below, base
    if base is None:  # a figure without a base of its own, which stands on one that is not in the mesh
        x, y = mesh.bounds[:, :2].mean(axis=0)
        return cut, below, Base("given", 0.0, diameter, (float(x), float(y)), is_round=True)
    return cut, below, replace(base, diameter=diameter, is_round=True)


def _as_given(
    mesh: Mesh, options: ModelOptions, kind: Kind, location: Location, key: str, cache: Cache
) -> tuple[Mesh, Flags, Base | None]:
    """As `with_base`, with the base's own measure for its diameter."""
    choice = options.base
    if choice.how == "part":
        chosen = named(mesh, choice.part, within(location, "base"))
        return mesh, chosen, measured("part", mesh.subset(chosen), float(mesh.bounds[0, 2]))
    low, high = (float(z) for z in mesh.bounds[:, 2])
    if choice.how == "height":
        if choice.height >= high - low:
            raise within(location, "base").error(
                f"height is {choice.height:g} mm, but the whole model is {high - low:.4g} mm high; "
                "give the height of the base alone"
            )
        cut, below = cut_at(mesh, low + choice.height)
        return cut, below, replace(measured("height", cut.subset(below), low), height=choice.height)
    try:
        base = _found_base(mesh, key, cache) if choice.how == "auto" and kind == "fighter" else None
    except TooManyLayers:
        raise within(location, "base").error(
            'the surface lies over itself too often to look for a base; give base = "none" or its height'
        ) from None
    if base is None:
        return mesh, np.zeros(len(mesh.faces), bool), None
    return *cut_at(mesh, low + base.height), base


def doubt_about_base(base: Base | None) -> list[str]:
    """A sentence where the figure stands on what hangs below the base that was found."""
    if base is None or base.hanging <= STANDS_OUT:
        return []
    hangs = f"a peg or a drip hangs {base.hanging:.1f} mm below its base, and the figure stands so much higher on it"
    return [f"{hangs}; cut it off, or lower the figure by the third number of at"]


def disc(base: Base) -> Floats:
    """(`SIDES`, 2) the outline in plan of a round base, anticlockwise, mm.

    >>> disc(Base("given", 0.0, 32.0, (1.0, 0.0), is_round=True))[0].tolist()
    [17.0, 0.0]
    """
    turn = np.arange(SIDES) * 2.0 * np.pi / SIDES
    outline: Floats = np.array(base.centre) + base.diameter / 2.0 * np.column_stack([np.cos(turn), np.sin(turn)])
    return outline


def _found_base(mesh: Mesh, key: str, cache: Cache) -> Base | None:
    def build() -> dict[str, NDArray[Any]]:
        base = find_base(mesh)
        return {"base": np.array([] if base is None else [base.height, base.diameter, *base.centre, base.hanging])}

    kept = [float(value) for value in cache.fetch(f"base above what hangs {key}", build)["base"]]
    return Base("auto", kept[0], kept[1], (kept[2], kept[3]), hanging=kept[4]) if kept else None


def measured(source: Literal["part", "height", "parts"], faces: Mesh, ground: float | None = None) -> Base:
    """The base that consists of some faces, standing on a ground; without one, on its own lowest point."""
    low, high = faces.bounds
    x, y = (low[:2] + high[:2]) / 2
    height = float(high[2] - (low[2] if ground is None else ground))
    return Base(source, height, float((high - low)[:2].max()), (float(x), float(y)))


def centred(mesh: Mesh, base: Base | None) -> tuple[Mesh, Base | None]:
    """Moved so that the lowest point is z = 0 and the middle of the base, or of the box round it all, x = y = 0."""
    low, high = mesh.bounds
    centre = np.array(base.centre) if base is not None else (low[:2] + high[:2]) / 2
    moved = replace(mesh, vertices=mesh.vertices - [*centre, low[2]])
    return moved, None if base is None else replace(base, centre=(0.0, 0.0))
