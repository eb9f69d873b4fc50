"""Signed distance fields: what is soft on a miniature (bodies, cloth, faces, hair, rock) is sculpted with these.

A field answers how far points are from its surface, in millimetres, negative inside, and knows the box that holds it.
Fields are evaluated over bricks, small blocks of samples, and a field is asked only about the bricks near its box: a
figure of two hundred pieces costs little more than its surface.

    body = blend(0.4, cone(hip, knee, 1.8, 1.4), cone(knee, ankle, 1.4, 0.9))
    belt = swollen(body, 0.3) & slab(waist, up, 0.5)      # hugs the body it goes round
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from models.source.settling import settled

Distances = NDArray[np.float64]
Vector = NDArray[np.float64]

EVERYWHERE = 1e3
"""Half the size of the box of a field without limits, such as a half-space."""


def vector(value: ArrayLike) -> Vector:
    """Three coordinates as an array."""
    return np.asarray(value, dtype=np.float64)


def unit(value: ArrayLike) -> Vector:
    """The direction of a vector."""
    direction = vector(value)
    return settled(direction / np.linalg.norm(direction))


@dataclass(frozen=True)
class Bricks:
    """Blocks of sample points (bricks, samples, 3), with the box round each block and how far a field reaches.

    Beyond `reach` of its box a field may answer anything larger than `reach`.
    """

    points: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    reach: float

    @classmethod
    def of(cls, points: NDArray[np.float64], reach: float) -> Bricks:
        """Bricks of these points (bricks, samples, 3)."""
        return cls(points, points.min(axis=1), points.max(axis=1), reach)

    def near(self, low: Vector, high: Vector, margin: float = 0.0) -> NDArray[np.intp]:
        """Which bricks come within `reach` and `margin` of a box."""
        spare = self.reach + margin
        return np.flatnonzero(((self.low <= high + spare) & (self.high >= low - spare)).all(axis=1))

    def only(self, chosen: NDArray[np.intp]) -> Bricks:
        """The chosen bricks."""
        return Bricks(self.points[chosen], self.low[chosen], self.high[chosen], self.reach)

    def widened(self, margin: float) -> Bricks:
        """The same bricks, asked to answer rightly `margin` further out."""
        return Bricks(self.points, self.low, self.high, self.reach + margin)


Evaluation = Callable[[Bricks], Distances]


@dataclass(frozen=True)
class Field:
    """A solid by its signed distance: the box that holds it, and the distances (bricks, samples) it answers."""

    low: Vector
    high: Vector
    evaluate: Evaluation

    def distances(self, bricks: Bricks) -> Distances:
        """Distances at every sample; the reach, or more, in bricks that the field does not come near."""
        chosen = bricks.near(self.low, self.high)
        if len(chosen) == len(bricks.points):
            return self.evaluate(bricks)
        answer = np.full(bricks.points.shape[:2], bricks.reach + 1.0)
        if len(chosen):
            answer[chosen] = self.evaluate(bricks.only(chosen))
        return answer

    def __or__(self, other: Field) -> Field:
        """Union with a crease where the two meet."""
        return union(self, other)

    def __and__(self, other: Field) -> Field:
        """What both share."""
        return intersection(self, other)

    def __sub__(self, other: Field) -> Field:
        """What is left when the other is cut away."""
        return cut(self, other)


def _leaf(low: Vector, high: Vector, distance: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Field:
    """A field from a function of points (..., 3)."""
    return Field(low, high, lambda bricks: distance(bricks.points))


def _length(offsets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengths of vectors (..., 3)."""
    lengths: Distances = np.sqrt(np.einsum("...i,...i->...", offsets, offsets))
    return lengths


# --- primitives -------------------------------------------------------------------------------------------------------


def ball(centre: ArrayLike, radius: float) -> Field:
    """A sphere."""
    middle = vector(centre)
    return _leaf(middle - radius, middle + radius, lambda points: _length(points - middle) - radius)


def cone(start: ArrayLike, end: ArrayLike, radius: float, end_radius: float | None = None) -> Field:
    """A capsule whose radius runs from one end to the other: limbs, fingers, strands, folds."""
    first, last = vector(start), vector(end)
    tip = radius if end_radius is None else end_radius
    low = np.minimum(first - radius, last - tip)
    high = np.maximum(first + radius, last + tip)
    axis = last - first
    share = 1.0 / max(float(axis @ axis), 1e-9)

    def distance(points: NDArray[np.float64]) -> NDArray[np.float64]:
        offset = points - first
        along = np.clip((offset @ axis) * share, 0.0, 1.0)
        offset -= along[..., None] * axis
        return _length(offset) - (radius + (tip - radius) * along)

    return _leaf(low, high, distance)


def ellipsoid(centre: ArrayLike, radii: ArrayLike) -> Field:
    """An ellipsoid along the axes (distance approximate away from the surface)."""
    middle, size = vector(centre), vector(radii)
    inverse = 1.0 / size

    def distance(points: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled = (points - middle) * inverse
        value = _length(scaled)
        slope = np.maximum(_length(scaled * inverse), 1e-4)
        answer: Distances = value * (value - 1.0) / slope
        return answer

    return _leaf(middle - size, middle + size, distance)


def box(centre: ArrayLike, half: ArrayLike, rounding: float = 0.0) -> Field:
    """A box along the axes given by its half sizes, its edges rounded."""
    middle, size = vector(centre), vector(half)
    inner = size - rounding

    def distance(points: NDArray[np.float64]) -> NDArray[np.float64]:
        outside = np.abs(points - middle) - inner
        inside: Distances = np.minimum(outside.max(axis=-1), 0)
        return _length(np.maximum(outside, 0)) + inside - rounding

    return _leaf(middle - size, middle + size, distance)


def ring(centre: ArrayLike, axis: ArrayLike, radius: float, thickness: float) -> Field:
    """A torus about an axis; `thickness` is the radius of its tube."""
    middle, direction = vector(centre), unit(axis)
    extent = radius * np.sqrt(np.maximum(1.0 - direction**2, 0.0)) + thickness

    def distance(points: NDArray[np.float64]) -> NDArray[np.float64]:
        offset = points - middle
        height = offset @ direction
        across = _length(offset - height[..., None] * direction) - radius
        answer: Distances = np.hypot(across, height) - thickness
        return answer

    return _leaf(middle - extent, middle + extent, distance)


def half_space(point: ArrayLike, outward: ArrayLike) -> Field:
    """Everything behind a plane."""
    direction = unit(outward)
    level = direction @ vector(point)
    return _leaf(np.full(3, -EVERYWHERE), np.full(3, EVERYWHERE), lambda points: points @ direction - level)


def slab(point: ArrayLike, normal: ArrayLike, half: float) -> Field:
    """Everything within `half` of a plane: cut a belt from a swollen body with it."""
    direction = unit(normal)
    level = direction @ vector(point)
    everywhere = np.full(3, EVERYWHERE)
    return _leaf(-everywhere, everywhere, lambda points: np.abs(points @ direction - level) - half)


def curve(points: Sequence[ArrayLike], count: int = 12) -> Vector:
    """A smooth line through points (Catmull-Rom), (count + 1, 3)."""
    knots = np.array([vector(point) for point in points])
    padded = np.concatenate([[2 * knots[0] - knots[1]], knots, [2 * knots[-1] - knots[-2]]])
    place = np.linspace(0.0, len(knots) - 1.0, count + 1)
    piece = np.minimum(place.astype(int), len(knots) - 2)
    t = (place - piece)[:, None]
    a, b, c, d = (padded[piece + shift] for shift in range(4))
    line: Vector = 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
    return line


def tube(points: Sequence[ArrayLike], radii: Sequence[float], count: int = 12) -> Field:
    """A tube along a smooth line through points, its radius running through `radii` (spread evenly along it)."""
    line = curve(points, count)
    sizes = np.interp(np.linspace(0, 1, count + 1), np.linspace(0, 1, len(radii)), radii)
    return union(*(cone(line[i], line[i + 1], sizes[i], sizes[i + 1]) for i in range(count)))


# --- operators --------------------------------------------------------------------------------------------------------


def union(*fields: Field) -> Field:
    """All of them together, with creases where they meet."""
    return blend(0.0, *fields)


def blend(radius: float, *fields: Field) -> Field:
    """All of them together, the creases filled over a radius of about `radius`."""
    low = np.min([field.low for field in fields], axis=0) - radius / 4
    high = np.max([field.high for field in fields], axis=0) + radius / 4

    def evaluate(bricks: Bricks) -> Distances:
        asked = bricks.widened(radius)
        answer = np.full(bricks.points.shape[:2], asked.reach + 1.0)
        for field in fields:
            chosen = asked.near(field.low, field.high)
            if not len(chosen):
                continue
            here, before = field.evaluate(asked.only(chosen)), answer[chosen]
            answer[chosen] = _smooth_least(before, here, radius)
        return answer

    return Field(low, high, evaluate)


def _smooth_least(first: Distances, second: Distances, radius: float) -> Distances:
    """The lesser of two distances, rounded where they are within `radius` of each other."""
    least = np.minimum(first, second)
    if radius <= 0:
        return least
    closeness = np.maximum(radius - np.abs(first - second), 0)
    return least - closeness * closeness * (0.25 / radius)


def intersection(first: Field, second: Field, radius: float = 0.0) -> Field:
    """What both share; the edge is rounded by `radius`."""
    low, high = np.maximum(first.low, second.low), np.minimum(first.high, second.high)

    def evaluate(bricks: Bricks) -> Distances:
        asked = bricks.widened(radius)
        return -_smooth_least(-first.distances(asked), -second.distances(asked), radius)

    return Field(low, np.maximum(low, high), evaluate)


def cut(body: Field, tool: Field, radius: float = 0.0) -> Field:
    """The body with the tool cut away; the edge is rounded by `radius`."""

    def evaluate(bricks: Bricks) -> Distances:
        asked = bricks.widened(radius)
        answer = body.evaluate(asked)
        chosen = asked.near(tool.low, tool.high)
        if len(chosen):
            away = -tool.evaluate(asked.only(chosen))
            answer[chosen] = -_smooth_least(-answer[chosen], -away, radius)
        return answer

    return Field(body.low, body.high, evaluate)


def swollen(field: Field, thickness: float) -> Field:
    """The field grown outwards by a thickness (shrunk by a negative one): armour and straps lie on a body so."""
    grow = max(thickness, 0.0)

    def evaluate(bricks: Bricks) -> Distances:
        return field.evaluate(bricks.widened(grow)) - thickness

    return Field(field.low - thickness, field.high + thickness, evaluate)


def hollow(field: Field, thickness: float) -> Field:
    """The skin of a field: what lies within it and no deeper than `thickness` (coats, collars, hoods)."""

    def evaluate(bricks: Bricks) -> Distances:
        distance = field.evaluate(bricks)
        answer: Distances = np.maximum(distance, -distance - thickness)
        return answer

    return Field(field.low, field.high, evaluate)


def placed(field: Field, turn: Vector, move: ArrayLike, scale: ArrayLike = 1.0) -> Field:
    """The field scaled, then turned by a rotation matrix, then moved; a negative scale mirrors."""
    shift, factor = vector(move), np.broadcast_to(vector(scale), 3)
    matrix = turn * factor
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    reached = (field.low + corners * (field.high - field.low)) @ matrix.T + shift
    back = np.linalg.inv(matrix).T
    least = float(np.abs(factor).min())

    def evaluate(bricks: Bricks) -> Distances:
        local = Bricks.of((bricks.points - shift) @ back, bricks.reach / least)
        return field.distances(local) * least

    return Field(reached.min(axis=0), reached.max(axis=0), evaluate)


def mirrored(field: Field) -> Field:
    """The field seen in the plane x = 0: a left boot from a right one."""
    return placed(field, np.eye(3), (0, 0, 0), (-1, 1, 1))


def displaced(field: Field, height: Callable[[NDArray[np.float64]], NDArray[np.float64]], most: float) -> Field:
    """The surface raised by `height` (points (..., 3) -> mm), which is never more than `most`."""

    def evaluate(bricks: Bricks) -> Distances:
        distance = field.evaluate(bricks.widened(most))
        near = np.flatnonzero((np.abs(distance) < bricks.reach + most).any(axis=1))
        distance[near] -= height(bricks.points[near])
        return distance

    return Field(field.low - most, field.high + most, evaluate)
