"""TAG: the base of a model and its other parts, as its file says: found, named, cut off, measured; and its origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Pose, convex_hull
from silhouette.common.text import did_you_mean
from silhouette.files.cache import Cache
from silhouette.files.schema import Location
from silhouette.meshes.cutting import cut_at
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.primitives import Box, Cylinder, Solid, Sphere
from silhouette.models.bases import Base, Footing, find_base, footing
from silhouette.models.entries import InsignificantEntry, Kind, ModelOptions
from silhouette.models.printing import Pillars
from silhouette.models.surfaces import TooManyLayers


def tagged(mesh: Mesh, tag: InsignificantEntry, location: Location) -> Flags:
    """Which faces (m,) an ``[[insignificant]]`` names; FileError where it names a part that is not there."""
    if tag.part is not None:
        return named(mesh, tag.part, location)
    centroids = mesh.vertices[mesh.faces].mean(axis=1)
    if tag.box is not None:
        low, high = np.sort(np.array(tag.box), axis=0)
        inside: Flags = ((centroids >= low) & (centroids <= high)).all(axis=1)
    else:
        assert tag.sphere is not None
        inside = np.linalg.norm(centroids - tag.sphere.centre, axis=1) <= tag.sphere.radius
    return inside


def named(mesh: Mesh, pattern: str, location: Location) -> Flags:
    """Which faces (m,) belong to parts of a name, in which ``*``, ``?`` and ``[...]`` may stand for other letters."""
    fits = np.array([name == pattern or fnmatchcase(name, pattern) for name in mesh.part_names])
    if not fits.any():
        raise location.error(
            f"no part is called '{pattern}'; {did_you_mean(pattern, mesh.part_names, 'the parts are')}"
        )
    return fits[mesh.part]


def within(location: Location, where: str) -> Location:
    """The location of a table inside another, for messages."""
    return Location(location.path, f"{location.where}, {where}" if location.where else where)


STANDS_OUT = 0.5  # mm below a base that lift a figure so far that it is worth a warning
BASE_SIDES = 360  # the sides of the polygon that stands for a round base whose diameter is given
CONCENTRIC = 1.0  # mm: what lies farther from the middle of a base is no step of it
DISC_ROUNDING_MM = 1e-9  # mm: what lies no farther outside a disc lies on it


def with_base(
    mesh: Mesh, options: ModelOptions, kind: Kind, location: Location, key: str, cache: Cache
) -> tuple[Mesh, Flags, Base | None, list[str]]:
    """The mesh cut where its base ends, which of its faces (m,) are base, the base, and a sentence for each doubt.

    Args:
        kind: of the model: only a fighter's base is looked for.
        location: the place of the keys in a file, for messages.
        key: names the mesh and all that was done to it, for the cache.

    Raises:
        FileError: where no part has the name of the base, or the base would be the whole model.
    """
    cut, below, stands = _as_given(mesh, options, kind, location, key, cache)
    base, diameter = stands.base, options.base.diameter
    if diameter is not None and base is None:  # it stands on a base that is not in the mesh
        x, y = mesh.bounds[:, :2].mean(axis=0)
        base = Base("given", 0.0, diameter, (float(x), float(y)), is_round=True)
    elif diameter is not None and base is not None:
        base = replace(base, diameter=diameter, is_round=True)
    return cut, below, base, doubts_about_footing(stands)


def _as_given(
    mesh: Mesh, options: ModelOptions, kind: Kind, location: Location, key: str, cache: Cache
) -> tuple[Mesh, Flags, Footing]:
    """The mesh cut and its faces that are base as `with_base` has them, and what it stands on, by its own measure."""
    choice = options.base
    if choice.how == "part":
        chosen = named(mesh, choice.part, within(location, "base"))
        return mesh, chosen, Footing(measured("part", mesh.subset(chosen), float(mesh.bounds[0, 2])))
    low, high = (float(z) for z in mesh.bounds[:, 2])
    if choice.how == "height":
        if choice.height >= high - low:
            raise within(location, "base").error(
                f"height is {choice.height:g} mm, but the whole model is {high - low:.4g} mm high; "
                "give the height of the base alone"
            )
        cut, below = cut_at(mesh, low + choice.height)
        return cut, below, Footing(replace(measured("height", cut.subset(below), low), height=choice.height))
    stands = Footing(None)
    try:
        if choice.how == "auto" and kind == "fighter":
            stands = _stored_footing(mesh, key, cache)
    except TooManyLayers:
        raise within(location, "base").error(
            'the surface lies over itself too often to look for a base; give base = "none" or its height'
        ) from None
    if stands.base is None:
        return mesh, np.zeros(len(mesh.faces), bool), stands
    cut, below = cut_at(mesh, low + stands.base.height)
    step = _second_step(cut, below, stands.base, key, cache)
    return cut, below, replace(stands, base=replace(stands.base, step=step))


def doubts_about_footing(stands: Footing) -> list[str]:
    """A sentence for each thing that a figure stands on, or that lies at its feet, and that is no base of it.

    >>> doubts_about_footing(Footing(Base("auto", 3.0, 25.0, (0.0, 0.0))))
    []
    >>> doubts_about_footing(Footing(None, frame=Base("auto", 3.0, 40.0, (0.0, 0.0))))  # doctest: +ELLIPSIS
    ['what lies round or beside its feet, 40 mm across and 3 mm high, is taken for a frame and not for a base, ...
    """
    base, frame, pillars = stands.base, stands.frame, stands.pillars
    doubts = []
    if base is not None and base.hanging > STANDS_OUT:
        hangs = f"a peg, a drip or a printing support hangs {base.hanging:.1f} mm below its base"
        lower = "cut it off, or lower the figure by the third number of at"
        doubts.append(f"{hangs}, and the figure stands so much higher on it; {lower}")
    if frame is not None:
        what = f"what lies round or beside its feet, {frame.diameter:.3g} mm across and {frame.height:.2g} mm high,"
        mend = f"cut it off, tag it as insignificant, or say base = {{ height = {frame.height:.2g} }} if it is its base"
        doubts.append(f"{what} is taken for a frame and not for a base, and counts as body; {mend}")
    if pillars is not None:
        what = "it stands" if base is None else f"on what is taken for its base, {base.height:.2g} mm high, it stands"
        mend = "if they are supports, cut them off the mesh"
        reach = f"thin pillars that reach up to {pillars.top:.1f} mm, as printing supports do"
        doubts.append(f"{what} on {pillars.number} {reach}, and they count as body; {mend}")
    return doubts


def disc(base: Base) -> Floats:
    """(`BASE_SIDES`, 2) the outline in plan of a round base, anticlockwise, mm.

    >>> disc(Base("given", 0.0, 32.0, (1.0, 0.0), is_round=True))[0].tolist()
    [17.0, 0.0]
    """
    turn = np.arange(BASE_SIDES) * 2.0 * np.pi / BASE_SIDES
    return np.array(base.centre) + base.diameter / 2.0 * np.column_stack([np.cos(turn), np.sin(turn)])


def rounded(solids: Sequence[Solid]) -> tuple[Floats, float] | None:
    """The outline in plan of some solids, where it runs round the same way all along: a disc, an oval of two discs.

    (k, 2) points and a radius, mm: the outline lies that far outside the convex hull of the points. None where corners
    lie on it, or discs of two sizes. A polygon that stands for a disc is off by a ten-thousandth of its radius, which
    base contact can tell.

    >>> rounded([Solid(Cylinder(25.0, 3.0)), Solid(Box((10.0, 8.0, 30.0)))])
    (array([[0., 0.]]), 12.5)
    >>> rounded([Solid(Cylinder(25.0, 3.0)), Solid(Box((30.0, 8.0, 30.0)))]) is None
    True
    """
    discs = [disc for part in solids for disc in _discs(part)]
    radius = max(reach for _, reach in discs)
    middles = np.array([centre for centre, reach in discs if reach == radius])
    hull = convex_hull(middles)
    inside = all(
        convex_hull(centre[None]).distance(hull) + reach <= radius + DISC_ROUNDING_MM for centre, reach in discs
    )
    return (middles, radius) if radius and inside else None


def _discs(part: Solid) -> list[tuple[Floats, float]]:
    """The discs whose hull is the outline of a solid in plan: each its middle (2,) and its radius, 0 of corners."""
    match part.shape:
        case Sphere(diameter) | Cylinder(diameter, _, "z"):
            return [(np.array(part.at[:2]), diameter / 2.0)]
        case Box((x, y, _)) | Cylinder(y, x, "x") | Cylinder(x, y, "y"):
            corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]]) / 2.0
            return [(corner, 0.0) for corner in Pose.standing(part.at, part.turn).place(corners)[:, :2]]
    raise TypeError(part.shape)


def _stored_footing(mesh: Mesh, key: str, cache: Cache) -> Footing:
    def build() -> dict[str, NDArray[Any]]:
        stands = footing(mesh)
        return {
            "base": _numbers(stands.base),
            "frame": _numbers(stands.frame),
            "pillars": np.array([] if stands.pillars is None else [stands.pillars.number, stands.pillars.top]),
        }

    entry = cache.fetch(f"footing 2 {key}", build)
    pillars = Pillars(int(entry["pillars"][0]), float(entry["pillars"][1])) if len(entry["pillars"]) else None
    return Footing(_base_of(entry["base"]), _base_of(entry["frame"]), pillars)


def _numbers(base: Base | None) -> Floats:
    if base is None:
        return np.array([])
    return np.array([base.height, base.diameter, *base.centre, base.hanging, *(base.foot or ())])


def _base_of(numbers: Floats) -> Base | None:
    if len(numbers) == 0:
        return None
    height, diameter, x, y, hanging, *foot = (float(value) for value in numbers)
    return Base("auto", height, diameter, (x, y), hanging=hanging, foot=(foot[0], foot[1]) if foot else None)


def _second_step(cut: Mesh, below: Flags, base: Base, key: str, cache: Cache) -> float | None:
    """mm above the lowest point of a mesh: the top of a second step on its base, far narrower than the first; or None.

    A step that is nearly as wide as the base is a part of it; a rock or a slab that lies to one side is scenery, and
    belongs to the figure.
    """

    def build() -> dict[str, NDArray[Any]]:
        step = find_base(cut.subset(~below))
        apart = np.inf if step is None else np.abs(np.subtract(step.centre, base.centre)).max()
        return {"step": np.array([] if step is None or apart > CONCENTRIC else [base.height + step.height])}

    entry = cache.fetch(f"step {key}", build)["step"]
    return float(entry[0]) if len(entry) else None


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
