"""RELATE: lines in plan from one point of the attacker's base to every point of the target's that faces it.

The attacker chooses the point that is best for it: one from which no line crosses a region, where there is such a one.

    (attacker)  a ______                     From a, the lines to the target's near side fill the area between both
                   ------[###]--- (target)   tangents. A piece of a region in it shadows a: so a lies behind that piece
                                             as seen from the target, in the cone of all lines that come through it.

regions -> convex hulls, where they are clear of the bases -> the shadow that each casts, away from the target -> what
of the attacker's base lies in none
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely

from silhouette.geometry import Floats
from silhouette.relations.lines_in_plan import EPSILON, Between, as_hulls
from silhouette.relations.measured import Measured
from silhouette.relations.outlines_in_plan import Region
from silhouette.scenes.pieces import Piece

DIRECTIONS = 24
"""How many points of the target, besides the outermost, a shadow is drawn by: it is convex, and so these fill it."""

TRIED = 8
"""About how many points of the attacker's rim are tried at first, besides its middle."""

WHOLE = 1.0 - 1e-12
"""The share of a base from which on a shadow covers all of it."""

FAR = 100.0
"""How far a shadow is drawn, as a multiple of what holds both bases."""


def facing_lines_cross(attacker: Piece, target: Piece, regions: Sequence[Region]) -> Measured:
    """Whether from every point of the attacker's base some line to a facing point of the target's crosses a region.

    A point of the target's outline faces a point of the attacker's base where the line between them meets the target's
    base there first; it is as if it were to every point of the target's base. What lies under the target's base alone
    is therefore not crossed. Where the bases touch or overlap, no line crosses. Touching is as in `lines_in_plan`; a
    point from which nothing is crossed must have room about it of about `EPSILON`.

    Returns:
        1.0 or 0.0. ``lines`` has, from the best point, both outermost lines to the target; where all cross, those from
        the middle of the attacker's base. ``by`` names the regions that are crossed from there.
    """
    between = Between.of(attacker, target)
    here, there = between.shapes
    if between.is_touching:
        return Measured(0.0, lines=between.raised(between.nearest))
    shapes = np.array([region.shape for region in regions], dtype=object)
    met = np.flatnonzero(shapely.intersects(shapes, between.inner)) if len(regions) else np.empty(0, np.intp)
    best = _best_point(between, *as_hulls(between, list(shapes[met])))
    point = between.centres[0] if best is None else best
    if not shapely.intersects(here, shapely.Point(point)):
        point = shapely.get_coordinates(shapely.point_on_surface(here))[0]
    by: tuple[str, ...] = ()
    if best is None:
        fan = shapely.difference(_fans(point[None], there), there)[0]
        crossed = met[shapely.intersects(shapes[met], shapely.buffer(fan, -EPSILON, join_style="mitre"))]
        by = tuple(regions[int(number)].name for number in crossed)
    lines = np.concatenate([between.raised(line) for line in _outermost(point, shapely.get_coordinates(there)[:-1])])
    return Measured(1.0 if best is None else 0.0, lines=lines, by=by)


def _best_point(between: Between, hulls: Any, bent: Any) -> Floats | None:
    """(2,) a point of the attacker's base from which no line to the target crosses polygons, or None.

    Args:
        between: what lies between the bases.
        hulls: (n,) convex polygons clear of both bases.
        bent: (m,) polygons that need be neither.
    """
    here, there = between.shapes
    rim = shapely.get_coordinates(here)
    tried = np.concatenate([between.centres[:1], rim[:: max(1, len(rim) // TRIED)]])
    bent = shapely.get_parts(shapely.difference(bent, there))
    fans = shapely.buffer(_fans(tried, there), -EPSILON, join_style="mitre")
    free = np.flatnonzero(~shapely.intersects(fans[:, None], np.concatenate([hulls, bent])).any(axis=1))
    if len(free):
        return np.asarray(tried[free[0]])
    light = shapely.get_coordinates(shapely.buffer(there, -EPSILON, join_style="mitre"))[:-1]
    reach = FAR * between.hull.length
    # A side alone is convex, as a hull is; a shape that is not is the union of its sides and of what they enclose.
    shadows = [_shadows([ring], light, reach) for ring in map(shapely.get_coordinates, hulls)]
    for polygon in bent:
        for ring in map(shapely.get_coordinates, shapely.get_rings(polygon)):
            shadows.append(_shadows(np.stack([ring[:-1], ring[1:]], axis=1), light, reach))
    shaded = shapely.intersection(np.concatenate([*shadows, bent]), here)
    if (shapely.area(shaded) >= here.area * WHOLE).any():
        return None
    left = shapely.difference(here, shapely.union_all(shaded[~shapely.is_empty(shaded)]))
    left = shapely.get_parts(shapely.buffer(left, -EPSILON / 100.0, join_style="mitre"))
    if not shapely.area(left).sum():
        return None
    inside = shapely.point_on_surface(left[np.argmax(shapely.area(left))])
    return np.asarray(shapely.get_coordinates(inside)[0])


def _shadows(shapes: Any, light: Floats, reach: float) -> Any:
    """(n,) the shadows of convex shapes with the corners (n, k, 2), away from a convex light (c, 2): polygons.

    They are as long as ``reach``.
    """
    shapes = np.asarray(shapes)
    some = light[:: max(1, len(light) // DIRECTIONS)]
    some = np.concatenate([some, (some + np.roll(some, -1, axis=0)) / 2.0])
    starts = shapes.reshape(-1, 2)
    outermost = np.stack([_outer(starts, light, way) for way in (1.0, -1.0)], axis=1)
    seen = np.concatenate([outermost, np.broadcast_to(some, (len(starts), *some.shape))], axis=1)
    way = starts[:, None] - seen
    far = starts[:, None] + reach * way / np.maximum(np.hypot(way[..., 0], way[..., 1]), EPSILON)[..., None]
    return shapely.convex_hull(shapely.multipoints(np.concatenate([shapes, far.reshape(len(shapes), -1, 2)], axis=1)))


def _outer(points: Floats, corners: Floats, way: float) -> Floats:
    """(n, 2) the outermost corner to the left (1.0) or right (-1.0) of a convex outline, as seen from each point."""
    middle = corners.mean(axis=0) - points
    away = corners[None] - points[:, None]
    ahead = np.einsum("nij,nj->ni", away, middle)
    aside = middle[:, None, 0] * away[..., 1] - middle[:, None, 1] * away[..., 0]
    outer: Floats = corners[np.argmax(way * np.arctan2(aside, ahead), axis=1)]
    return outer


def _fans(points: Floats, shape: Any) -> Any:
    """(n,) the areas of all lines from each of some points (n, 2) to a convex shape."""
    corners = shapely.get_coordinates(shape)
    ends = np.broadcast_to(corners, (len(points), *corners.shape))
    return shapely.convex_hull(shapely.multipoints(np.concatenate([points[:, None], ends], axis=1)))


def _outermost(point: Floats, corners: Floats) -> Floats:
    """(2, 2, 2) the lines from a point to the outermost corners of an outline."""
    return np.array([[point, _outer(point[None], corners, way)[0]] for way in (1.0, -1.0)])
