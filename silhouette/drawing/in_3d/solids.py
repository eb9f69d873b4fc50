"""DRAW: plain bodies for boards that have no meshes: prisms over polygons, and solids of revolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from silhouette.drawing.in_3d.simplifying import Shape
from silhouette.geometry import Floats
from silhouette.meshes.formats.polygons import fans, mended

SIDES = 36


def prism(polygon: Any, low: float, high: float) -> Shape:
    """A prism that stands upright over a simple polygon (n, 2), which may be concave.

    >>> shape = prism([[0, 0], [4, 0], [1, 1], [0, 4]], 0.0, 2.0)
    >>> shape.vertices.shape, len(shape.faces), shape.flat
    ((8, 3), 12, True)
    """
    corners = np.asarray(polygon, dtype=np.float64)
    count = len(corners)
    below = np.column_stack([corners, np.full(count, low)])
    above = np.column_stack([corners, np.full(count, high)])
    cap = fans(np.arange(count), np.array([count]))
    cap = np.asarray(mended(above, cap, np.zeros(len(cap), dtype=np.int64)), dtype=np.int64)
    here, after = np.arange(count), np.roll(np.arange(count), -1)
    sides = np.concatenate(
        [np.stack([here, after, after + count], axis=1), np.stack([here, after + count, here + count], axis=1)]
    )
    faces = np.concatenate([cap[:, ::-1], cap + count, sides])
    return Shape(np.concatenate([below, above]), faces, flat=True)


def turned(profile: Sequence[tuple[float, float]], sides: int = SIDES) -> Shape:
    """A solid of revolution, from the radius and height of each ring, the lowest first.

    >>> turned([(1.0, 0.0), (1.0, 2.0)], sides=4).vertices.shape
    (10, 3)
    """
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    levels = [(0.0, profile[0][1]), *profile, (0.0, profile[-1][1])]
    rings = [np.column_stack([radius * ring, np.full(sides, height)]) for radius, height in levels[1:-1]]
    ends = np.array([[0.0, 0.0, levels[0][1]], [0.0, 0.0, levels[-1][1]]])
    here, after = np.arange(sides), np.roll(np.arange(sides), -1)
    faces = []
    for number in range(len(rings) - 1):
        low, high = number * sides, (number + 1) * sides
        faces += [np.stack([low + here, low + after, high + after], axis=1)]
        faces += [np.stack([low + here, high + after, high + here], axis=1)]
    bottom, top = len(rings) * sides, len(rings) * sides + 1
    last = (len(rings) - 1) * sides
    faces += [np.stack([after, here, np.full(sides, bottom)], axis=1)]
    faces += [np.stack([last + here, last + after, np.full(sides, top)], axis=1)]
    return Shape(np.concatenate([*rings, ends]), np.concatenate(faces), flat=True)


def together(*shapes: Shape, at: Sequence[Any] = ()) -> Shape:
    """Several shapes as one; ``at`` gives the place (x, y, z) of each, by default the origin.

    >>> one = prism([[0, 0], [1, 0], [0, 1]], 0.0, 1.0)
    >>> together(one, one, at=[(0, 0, 0), (5, 0, 0)]).vertices[:, 0].max()
    np.float64(6.0)
    """
    places = [np.asarray(place, dtype=np.float64) for place in at] or [np.zeros(3)] * len(shapes)
    starts = np.cumsum([0, *(len(shape.vertices) for shape in shapes)])
    vertices = np.concatenate([shape.vertices + place for shape, place in zip(shapes, places, strict=True)])
    faces = np.concatenate([shape.faces + start for shape, start in zip(shapes, starts, strict=False)])
    return Shape(vertices, faces, flat=True)


def pawn(diameter: float, height: float) -> Shape:
    """A game piece on a round base.

    Args:
        diameter: of the base.
        height: of the whole piece.
    """
    radius, body = diameter / 2.0, height
    foot = min(0.12 * diameter, 0.12 * height)
    head = min(0.42 * radius, 0.16 * height)
    neck = body - 2.2 * head
    arcs = np.linspace(-0.4 * np.pi, 0.5 * np.pi, 9)
    ball = [(head * float(np.cos(arc)), body - head + head * float(np.sin(arc))) for arc in arcs]
    ball[-1] = (0.02 * head, body)
    waist = [(0.62 * radius, foot), (0.34 * radius, 0.45 * neck), (0.3 * radius, neck)]
    return turned([(radius, 0.0), (radius, 0.8 * foot), (0.94 * radius, foot), *waist, *ball])


def box(low: Floats, high: Floats) -> Shape:
    """A box along the axes, from its least to its greatest corner."""
    (left, front, bottom), (right, back, top) = low, high
    return prism([[left, front], [right, front], [right, back], [left, back]], float(bottom), float(top))
