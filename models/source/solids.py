"""Hard-surface solids in millimetres: bevelled boxes, rods, pipes, plates, girders, corrugated sheet.

Everything is a `manifold3d.Manifold` in the sculpting frame (z up, the front at +y). Unless a function says otherwise
a solid stands on z = 0 with the middle of its underside at the origin, and `at` moves that point. Edges are chamfered
by `bevel`, so that they catch the light as cast metal does. United solids should overlap, never share a plane.
"""

from collections.abc import Iterable, Sequence

import manifold3d
import numpy as np
from manifold3d import CrossSection, Manifold, OpType
from numpy.typing import ArrayLike

from models.source.settling import COARSE, settled

Point = Sequence[float] | np.ndarray  # x, y, z in mm, or a direction

ORIGIN = (0.0, 0.0, 0.0)
UP = (0.0, 0.0, 1.0)
FRONT = (0.0, 1.0, 0.0)
RIGHT = (1.0, 0.0, 0.0)


def union(solids: Iterable[Manifold]) -> Manifold:
    """All solids as one."""
    return Manifold.batch_boolean(list(solids), OpType.Add)


def cut(solid: Manifold, tools: Iterable[Manifold]) -> Manifold:
    """The solid without what any of the tools covers."""
    return Manifold.batch_boolean([solid, *tools], OpType.Subtract)


def frame(towards: Point, above: Point = UP) -> np.ndarray:
    """A rotation (3, 3) that turns +z to `towards` and keeps +y as near to `above` as can be."""
    forward = np.asarray(towards, float) / np.linalg.norm(towards)
    side = np.cross(above, forward)
    if np.linalg.norm(side) < 1e-9:
        side = np.cross(FRONT, forward)
        if np.linalg.norm(side) < 1e-9:
            side = np.cross(RIGHT, forward)
    side /= np.linalg.norm(side)
    return settled(np.stack([side, np.cross(forward, side), forward], axis=1))


def placed(solid: Manifold, at: Point = ORIGIN, towards: Point = UP, above: Point = FRONT) -> Manifold:
    """The solid with its origin moved to `at`, its +z turned to `towards`, its +y to `above` as near as can be."""
    return solid.transform(np.column_stack([frame(towards, above), settled(at)]))


def mirrored(solid: Manifold, axis: Point = RIGHT) -> Manifold:
    """The solid and its mirror image across the plane through the origin whose normal is `axis`, united."""
    return solid + solid.mirror(axis)


def box(size: Point, at: Point = ORIGIN, bevel: float = 0.3) -> Manifold:
    """A box of `size` (x, y, z) standing on `at`, all edges chamfered by `bevel`."""
    half = np.asarray(size, float) / 2
    bevel = min(bevel, 0.9 * float(half.min()))
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    if bevel <= 0:
        points = signs * half
    else:  # each corner gives three points, one on each face that meets there
        points = np.concatenate([signs * (half - bevel * (np.arange(3) != axis)) for axis in range(3)])
    return Manifold.hull_points(points + np.array([0, 0, half[2]])).translate(at)


def rod(
    diameter: float,
    height: float,
    at: Point = ORIGIN,
    towards: Point = UP,
    bevel: float = 0.3,
    sides: int = 24,
    top: float | None = None,
) -> Manifold:
    """A round bar of `height` from `at` along `towards`, its rims chamfered; `top`: its diameter there, for cones."""
    low, high = diameter / 2, (diameter if top is None else top) / 2
    outline = [(0, 0), (low - bevel, 0), (low, bevel), (high, height - bevel), (high - bevel, height), (0, height)]
    return revolved(outline, at, towards, sides)


def revolved(outline: ArrayLike, at: Point = ORIGIN, towards: Point = UP, sides: int = 24) -> Manifold:
    """A turned solid: `outline` (n, 2) of radius and height, anticlockwise (up the outside), swept about its axis."""
    return placed(CrossSection([settled(outline)]).revolve(sides), at, towards)


def bar(start: Point, end: Point, diameter: float, sides: int = 12, bevel: float = 0.0) -> Manifold:
    """A straight round bar from `start` to `end`."""
    along = np.subtract(end, start)
    return rod(diameter, float(settled(np.linalg.norm(along))), start, along, bevel, sides)


def pipe(points: ArrayLike, diameter: float, bend: float | None = None, sides: int = 16, steps: int = 5) -> Manifold:
    """A round pipe or cable through `points` (n, 3), its corners rounded with radius `bend` (default: its diameter)."""
    path = rounded_path(points, diameter if bend is None else bend, steps)
    return swept(regular(sides, diameter), path)


def regular(sides: int, diameter: float) -> np.ndarray:
    """The corners (sides, 2) of a regular polygon whose corners lie on a circle, the first at +x."""
    angles = np.arange(sides) * (2 * np.pi / sides)
    return settled(np.stack([np.cos(angles), np.sin(angles)], axis=1) * diameter / 2)


def rounded_path(points: ArrayLike, radius: float, steps: int = 5) -> np.ndarray:
    """The polyline (n, 3) with each inner corner replaced by an arc-like curve that starts `radius` before it."""
    corners = np.asarray(points, float)
    path = [corners[:1]]
    for before, corner, after in zip(corners[:-2], corners[1:-1], corners[2:], strict=True):
        into, out = before - corner, after - corner
        reach = min(radius, 0.49 * np.linalg.norm(into), 0.49 * np.linalg.norm(out))
        start, end = corner + into / np.linalg.norm(into) * reach, corner + out / np.linalg.norm(out) * reach
        share = np.linspace(0, 1, steps + 1)[:, None]
        path.append((1 - share) ** 2 * start + 2 * share * (1 - share) * corner + share**2 * end)
    return np.concatenate([*path, corners[-1:]])


def swept(section: np.ndarray, path: np.ndarray, above: Point = UP) -> Manifold:
    """The outline `section` (k, 2), convex, anticlockwise, carried along the polyline `path` (n, 3), ends closed.

    The section's second axis stays as near to `above` as can be.
    """
    steps = np.diff(path, axis=0)
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    tangents = np.concatenate([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
    rings = []
    up = np.asarray(above, float)
    for centre, tangent in zip(path, tangents, strict=True):
        turn = frame(tangent, up)
        up = turn[:, 1]  # carried on from ring to ring, so that the section does not spin
        rings.append(centre + section @ turn[:, :2].T)
    return lofted(rings)


def lofted(rings: Sequence[np.ndarray]) -> Manifold:
    """The solid whose outline goes from ring to ring, each (k, 3), convex and anticlockwise seen from the last."""
    count, sides = len(rings), len(rings[0])
    ring = np.arange(sides)
    following = np.roll(ring, -1)
    sheet = np.concatenate([[ring, following, following + sides], [ring, following + sides, ring + sides]], axis=1).T
    walls = (sheet[None] + (np.arange(count - 1) * sides)[:, None, None]).reshape(-1, 3)
    fan = np.stack([np.zeros(sides - 2, int), ring[1:-1], ring[2:]], axis=1)
    faces = np.concatenate([walls, fan[:, ::-1], fan + (count - 1) * sides])
    return solid_of(np.concatenate(rings), faces)


def solid_of(vertices: ArrayLike, faces: ArrayLike) -> Manifold:
    """The solid that a closed outward triangle mesh bounds."""
    mesh = manifold3d.Mesh64(settled(vertices, COARSE), np.asarray(faces, np.uint64))
    mesh.merge()
    solid = Manifold(mesh)
    if solid.status() != manifold3d.Error.NoError:
        raise ValueError(f"the mesh bounds no solid: {solid.status()}")
    return solid


def drawn(*outlines: ArrayLike) -> CrossSection:
    """The region inside outlines (n, 2), whichever way round they run; one outline inside another is a hole."""
    return CrossSection([settled(outline) for outline in outlines], manifold3d.FillRule.EvenOdd)


def outlined(outline: ArrayLike | CrossSection, thickness: float, bevel: float = 0.3) -> Manifold:
    """A plate of any outline (n, 2) in the x-y plane from z = 0 up, concave or with holes, both rims chamfered.

    No strip or hole of the outline may be narrower than twice `bevel`.
    """
    whole = outline if isinstance(outline, CrossSection) else drawn(outline)
    if bevel <= 0:
        return whole.extrude(thickness)
    contours = [np.asarray(contour) for contour in whole.simplify(1e-4).to_polygons()]
    wide, narrow = np.concatenate(contours), np.concatenate([_inset(contour, bevel) for contour in contours])
    heights = (0.0, bevel, thickness - bevel, thickness)
    layers = zip((narrow, wide, wide, narrow), heights, strict=True)
    vertices = np.concatenate([np.column_stack([layer, np.full(len(layer), height)]) for layer, height in layers])
    starts = np.cumsum([0, *map(len, contours)])[:-1]
    following = np.concatenate(
        [start + np.roll(np.arange(len(c)), -1) for start, c in zip(starts, contours, strict=True)]
    )
    here, count = np.arange(len(wide)), len(wide)
    strip = np.concatenate(
        [np.stack([here, following, following + count], 1), np.stack([here, following + count, here + count], 1)]
    )
    cap = manifold3d.triangulate([_inset(contour, bevel) for contour in contours])
    faces = [strip, strip + count, strip + 2 * count, cap[:, ::-1], cap + 3 * count]
    return solid_of(vertices, np.concatenate(faces))


def _inset(contour: np.ndarray, distance: float) -> np.ndarray:
    """The corners of a contour (n, 2) whose sides are moved inwards by `distance` (holes run clockwise: outwards)."""
    sides = np.roll(contour, -1, axis=0) - contour
    inwards = np.stack([-sides[:, 1], sides[:, 0]], axis=1) / np.linalg.norm(sides, axis=1, keepdims=True)
    before = np.roll(inwards, 1, axis=0)
    reach = distance / np.maximum(1 + (before * inwards).sum(axis=1, keepdims=True), 0.2)
    return settled(contour + reach * (before + inwards))


def girder(
    length: float, width: float, height: float, web: float = 1.0, flange: float = 1.0, bevel: float = 0.2
) -> Manifold:
    """An I-beam lying along +x from x = 0, `height` in z from z = 0, `width` in y."""
    half, neck = width / 2, web / 2
    right = [
        (half, 0),
        (half, flange),
        (neck, flange),
        (neck, height - flange),
        (half, height - flange),
        (half, height),
    ]
    outline = right + [(-y, z) for y, z in reversed(right)]
    return laid_along_x(outlined(outline, length, bevel))


def angle(length: float, width: float, height: float, wall: float = 1.0, bevel: float = 0.2) -> Manifold:
    """An L-profile lying along +x from x = 0, its outer corner at y = z = 0, arms towards +y and +z."""
    outline = [(0, 0), (width, 0), (width, wall), (wall, wall), (wall, height), (0, height)]
    return laid_along_x(outlined(outline, length, bevel))


def laid_along_x(solid: Manifold) -> Manifold:
    """The solid turned so that its x becomes y, its y becomes z and its z becomes x: a profile becomes a beam."""
    return solid.transform(np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]], float))


def standing(solid: Manifold) -> Manifold:
    """The solid turned upright: a plate drawn in x and y becomes a wall along x, its upper side to the front.

    Its y becomes z, its thickness goes from y = 0 forwards, and its x runs to -x: from the front it reads as drawn.
    """
    return solid.transform(np.array([[-1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0]], float))


def beam(start: Point, end: Point, width: float, height: float, bevel: float = 0.2, above: Point = UP) -> Manifold:
    """A square bar from `start` to `end`, `height` across towards `above`, `width` across the other way."""
    along = np.subtract(end, start)
    return placed(box((width, height, float(settled(np.linalg.norm(along)))), bevel=bevel), start, along, above)


def corrugated(length: float, height: float, depth: float, pitch: float, wall: float = 0.8) -> Manifold:
    """A sheet of trapezoid corrugation in the x-z plane, `length` in x about 0, `height` in z from 0, ridges upright.

    Its hollows lie at y = 0 and its ridges at y = `depth`; it is `wall` thick behind them.
    """
    count = max(1, round(length / pitch))
    share = np.array([0.0, 0.28, 0.5, 0.78])
    rise = np.array([0.0, 0.0, depth, depth])
    along = np.append((np.arange(count)[:, None] + share - 0.14).ravel(), count - 0.14) * (length / count)
    along = np.clip(along, 0, length) - length / 2
    up = np.append(np.tile(rise, count), 0.0)
    along[0], along[-1] = -length / 2, length / 2
    front = np.stack([along, up], axis=1)
    back = [(length / 2, -wall), (-length / 2, -wall)]
    return CrossSection([np.concatenate([back[::-1], front[::-1]])]).extrude(height)
