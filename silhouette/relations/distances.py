"""RELATE: how far pieces are apart, seen from above or in space; whether they touch; what lies wholly within another.

In plan a model is its base and terrain its footprint. Round bases are discs, not polygons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely

from silhouette.geometry import Floats, Pose
from silhouette.hulls import convex_hull
from silhouette.relations.attributes import ground, top
from silhouette.relations.measured import Measured
from silhouette.relations.nearest_faces import nearest_points
from silhouette.relations.outlines_in_plan import Part, base_end, base_shape, footprint, part_of, without_specks
from silhouette.relations.plane_geometry import Disc
from silhouette.scenes.pieces import Piece

TOUCH = 1e-6
"""mm: what lies no farther out than this does not."""

ON_TOP = 1e-3
"""mm in height within which one thing stands on another: a hundred times what 32-bit numbers of a mesh are off by."""

ROUND = 64
"""Straight pieces of a quarter of a circle: an inch round a base is right to 0.002 mm."""

Core = tuple[Any, float]
"""A shape of shapely, and how far round it the outline lies: a point and a radius, or a polygon and 0."""


def least_distance(a: Piece, others: Sequence[Piece], *, of: Part = "base", in_space: bool = False) -> Measured:
    """How near a piece comes to the nearest of some others, mm.

    In plan, it is 0 where they overlap. In space, it is that of their surfaces, 0 where these meet; a piece that lies
    inside another without touching it is as far away as its surface.

    Args:
        a: the piece.
        others: of which the nearest counts; itself never does.
        of: which part of models counts; of terrain all of it does.
        in_space: whether heights count.

    Returns:
        mm; ``lines`` has the shortest line, from a to the nearest, which ``by`` names. Without others, infinitely far.
    """
    best = Measured(float("inf"))
    for other in others:
        if other is not a:
            if in_space:
                line = nearest_points(*_surface(a, of), *_surface(other, of))
                length = max(float(np.linalg.norm(line[1] - line[0])) - a.outline - other.outline, 0.0)
            else:
                line = _raised(_shortest(_core(a, of), _core(other, of)), a, other)
                length = _length_in_plan(line)
            if length < best.value:
                best = Measured(length, lines=line[None], by=(other.name,))
    return best


def contact(a: Piece, others: Sequence[Piece], *, gap: float) -> Measured:
    """Whether a piece touches one of some others: 1.0 or 0.0.

    They touch where, seen from above, the base of a model, or a piece of terrain, comes as near as the gap to what of
    the other lies at its height. What lies just on top of another, or just below it, is at its height.

    Args:
        a: the piece.
        others: that it may touch.
        gap: mm in plan that are still contact.

    Returns:
        1.0 or 0.0; ``by`` names all that are touched, the nearest first, and ``lines`` leads to each.
    """
    found = []
    for other in others:
        if other is not a and max(ground(a), ground(other)) <= min(top(a), top(other)) + ON_TOP:
            line = _line_at_height(a, other)
            length = np.inf if line is None else _length_in_plan(line)
            if length <= gap + TOUCH:
                found.append((length, other.name, line))
    found.sort(key=lambda one: one[:2])
    lines = np.array([line for _, _, line in found]).reshape(-1, 2, 3)
    return Measured(1.0 if found else 0.0, lines=lines, by=tuple(name for _, name, _ in found))


def wholly_within(a: Piece, others: Sequence[Piece], *, by: float = 0.0) -> Measured:
    """Whether all of a piece, seen from above, lies within a distance of some others together: 1.0 or 0.0.

    Args:
        a: the piece: its base, or the footprint of terrain.
        others: their footprints, those of models being their bases.
        by: mm; 0 asks whether it lies on them.

    Returns:
        1.0 or 0.0; where it is 1.0, ``by`` names those that it lies within the distance of, the nearest first. Where it
        is not, ``lines`` leads from the point of a that is farthest from them to the nearest of them.
    """
    whole = shapely.union_all([_outline(other) for other in others if other is not a])
    outline = _outline(a)
    if shapely.is_empty(whole) or shapely.is_empty(outline):
        return Measured(0.0)
    if shapely.covers(shapely.buffer(whole, by + TOUCH, quad_segs=ROUND), outline):
        near = [(float(shapely.distance(_outline(other), outline)), other.name) for other in others if other is not a]
        return Measured(1.0, by=tuple(name for away, name in sorted(near) if away <= by + TOUCH))
    corners = shapely.points(shapely.get_coordinates(shapely.convex_hull(outline)))
    farthest = corners[shapely.distance(corners, whole).argmax()]
    line = shapely.get_coordinates(shapely.shortest_line(farthest, whole))
    return Measured(0.0, lines=_raised(line, a)[None])


def _outline(piece: Piece) -> Any:
    """What a piece is in plan: a model its base, terrain its footprint."""
    return footprint(piece) if piece.kind == "terrain" else base_shape(piece)


def _line_at_height(a: Piece, b: Piece) -> Floats | None:
    """(2, 3) the shortest line, seen from above, between two pieces that lie at one height; None where neither does."""
    cores = []
    for one, other in ((a, b), (b, a)):
        if one.kind == "terrain":
            shape = footprint(one, ground(other) - 2.0 * ON_TOP, top(other) + 2.0 * ON_TOP, from_table=True)
            cores.append((shape, 0.0))
        else:
            points, reach = one.base_core
            cores.append((convex_hull(without_specks(points)), reach))
    if any(shapely.is_empty(shape) for shape, _ in cores):
        return None
    return _raised(_shortest(*cores), a, b)


def _surface(piece: Piece, of: Part) -> tuple[Any, Pose]:
    """A part of a piece with where it stands; a base is in the world already."""
    part: Part = "whole" if piece.kind == "terrain" else of
    return part_of(piece, part), Pose.standing() if part == "base" else piece.pose


def _core(piece: Piece, of: Part) -> Core:
    """The outline of a part, seen from above."""
    if piece.kind == "terrain":
        return footprint(piece), 0.0
    if of != "base":
        return footprint(piece, part=of), 0.0
    end = base_end(piece)
    if isinstance(end, Disc):
        return shapely.Point(end.centre), end.radius
    return base_shape(piece), 0.0


def _shortest(first: Core, second: Core) -> Floats:
    """(2, 2) the shortest line between two outlines; of no length where they overlap."""
    (shape, reach), (other, other_reach) = first, second
    line: Floats = shapely.get_coordinates(shapely.shortest_line(shape, other))
    if len(line) == 0:
        return np.array([[0.0, 0.0], [np.inf, 0.0]])
    length = float(np.linalg.norm(line[1] - line[0]))
    if length <= reach + other_reach:
        share = min(reach / length, 1.0) if length else 0.0
        return np.repeat(line[:1] + share * (line[1:] - line[:1]), 2, axis=0)
    way = (line[1] - line[0]) / length
    return np.array([line[0] + reach * way, line[1] - other_reach * way])


def _length_in_plan(line: Floats) -> float:
    return float(np.hypot(*(line[1, :2] - line[0, :2])))


def _raised(line: Floats, start: Piece, end: Piece | None = None) -> Floats:
    """(2, 3) a line in plan at the heights of the lowest points of two pieces, or of one."""
    heights = [ground(start), ground(start if end is None else end)]
    return np.column_stack([line, heights])
