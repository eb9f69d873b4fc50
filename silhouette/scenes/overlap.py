"""PLACE: whether two bodies overlap: the interior of one, what lies more than a millimetre inside it, meets the other.

    body -> cells of half a millimetre -> those whose neighbours all round lie inside -> columns of them: the interior

Both contact and an overlap of up to a millimetre leave the interior alone. Thin parts, such as spears, have none.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Pose, spread
from silhouette.lazy import derived
from silhouette.meshes.mesh import recorded
from silhouette.models.model import Model
from silhouette.scenes.ground import Ground, Hits
from silhouette.scenes.surfaces import Surface, ground_of, solid_part

ALLOWED = 1.0
"""mm: bodies, and bases, that overlap by no more only touch."""

CELL, COARSE_CELL, MOST_CELLS = 0.5, 1.0, 128
"""The size of a cell, mm; that where bodies are compared at many places; and the most cells along an axis: cells of
what is larger are larger."""

OFF_CENTRE = (0.5137, 0.5071)
"""Where in its cell a column stands: off the middle, since meshes like to have edges there."""

MOST_CROSSINGS = 1 << 23
"""A mesh that crosses the columns of its cells more often is no body: it has no interior."""

MOST_LINES = 1 << 20
"""Lines that are tried at once, of interiors at many places."""

FEW = 48
"""About so many columns are tried before all of them are."""

MUCH = 0.15
"""The share of a body, seen from above, in which terrain goes through it. An elbow that leans on a wall is less."""


@dataclass(frozen=True, eq=False)
class Interior:
    """What lies more than a millimetre inside a body, as vertical lines, in the model's frame.

    Attributes:
        points: (c, 2) mm, the columns in plan.
        column: (r,) the column of each line.
        low, high: (r,) mm, its ends.
    """

    points: Floats
    column: NDArray[np.intp]
    low: Floats
    high: Floats

    @classmethod
    def of(cls, model: Model) -> Interior:
        """The interior of a model's body and base, without its insignificant parts; empty where its mesh is not closed.

        It is made of larger cells than `within`, and kept.
        """
        return _interior(model)

    @classmethod
    def of_body(cls, model: Model) -> Interior:
        """All that lies inside a model's body above its base, thin legs too, less a millimetre at top and bottom."""
        return _interior_of_body(model)

    @classmethod
    def within(cls, model: Model, low: Floats, high: Floats, cell: float = CELL, *, thin: bool = False) -> Interior:
        """The part of the interior in a box, made of cells of a size, mm.

        Args:
            model: of the body.
            low, high: (3,) mm, two corners of the box, in the model's frame.
            cell: mm; of what is very large, cells are larger.
            thin: whether what lies less than a millimetre inside is part of it too.
        """
        mesh = solid_part(model)
        least, greatest = mesh.bounds
        size = max(cell, float((greatest - least).max()) / MOST_CELLS)
        margin = ceil(ALLOWED / size) * size + size
        low, high = np.maximum(least, low - margin), np.minimum(greatest, high + margin)
        if (high <= low).any():
            none = np.empty(0)
            return cls(np.empty((0, 2)), np.empty(0, np.intp), none, none)
        inside = _filled(ground_of(mesh).near(low[:2], high[:2]).triangles, low, high, size)
        for _ in range(0 if thin else ceil(ALLOWED / size - 1e-9)):
            inside = _eroded(inside)
        padded = np.pad(inside, ((0, 0), (0, 0), (1, 1))).astype(np.int8)
        steps = np.diff(padded, axis=2)
        i, j, first = np.nonzero(steps == 1)
        _, _, after = np.nonzero(steps == -1)
        pairs, column = np.unique(np.stack([i, j], axis=1), axis=0, return_inverse=True)
        points = low[:2] + size * (pairs + np.array(OFF_CENTRE))
        bottoms, tops = low[2] + size * (first + 0.5), low[2] + size * (after - 0.5)
        return cls(points, column.ravel(), bottoms, tops)

    def meets(self, pose: Pose, surface: Surface, low: Floats, high: Floats) -> Flags:
        """(r,) whether each line of the interior, of a body in an upright pose, meets a surface or begins inside it.

        Args:
            pose: of the body.
            surface: the surface.
            low, high: (3,) mm, the corners of a box in the world that holds whatever may meet.
        """
        if not surface.ground.is_prepared:
            box = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
            surface = surface.near(box, np.zeros(2))
        met: Flags = self.meets_at(pose.rotation, pose.translation[None], surface, low[None], high[None])[0]
        return met

    def meets_any(self, pose: Pose, surface: Surface, low: Floats, high: Floats) -> bool:
        """Whether any line `meets`: a few are tried first, since bodies that overlap mostly do so in many."""
        step = len(self.points) // FEW
        if step > 1 and self._of_columns(step).meets(pose, surface, low, high).any():
            return True
        return bool(self.meets(pose, surface, low, high).any())

    def _of_columns(self, step: int) -> Interior:
        """The lines of each ``step``-th column."""
        chosen = self.column % step == 0
        return Interior(self.points[::step], self.column[chosen] // step, self.low[chosen], self.high[chosen])

    def meets_at(self, rotation: Floats, places: Floats, surface: Surface, low: Floats, high: Floats) -> Flags:
        """(q, r) whether each line of the interior, of a body at each of some places, meets a surface or begins in it.

        Args:
            rotation: (3, 3) of the body, which is upright.
            places: (q, 3) mm, where its origin lies.
            surface: the surface.
            low, high: (q, 3) mm, the corners of boxes in the world that hold whatever may meet.
        """
        found = np.zeros((len(places), len(self.column)), np.bool_)
        turned = self.points @ rotation[:2, :2].T
        step = max(1, MOST_LINES // max(1, len(self.column)))
        for first in range(0, len(places), step):
            some = slice(first, first + step)
            plan = turned + places[some, None, :2]
            within = np.all((plan >= low[some, None, :2]) & (plan <= high[some, None, :2]), axis=2)
            bottoms, tops = self.low + places[some, 2:], self.high + places[some, 2:]
            near = within[:, self.column] & (tops >= low[some, 2:]) & (bottoms <= high[some, 2:])
            place, line = np.nonzero(near)
            used, column = np.unique(place * len(turned) + self.column[line], return_inverse=True)
            hits = surface.crossings(plan.reshape(-1, 2)[used])
            near[near] = met(hits, len(used), column.ravel(), bottoms[near], tops[near])
            found[some] = near
        return found


@derived
def _interior(model: Model) -> Interior:
    """The interior in large cells."""
    low, high = solid_part(model).bounds
    return Interior.within(model, low, high, COARSE_CELL)


@derived
def _interior_of_body(model: Model) -> Interior:
    """The interior of `Interior.of_body`."""
    whole = recorded(solid_part(model), Inside, VERSION, lambda mesh: Inside.of_all(model))
    base = 0.0 if model.base is None else model.base.height
    bottoms, tops = np.maximum(whole.low, base) + ALLOWED, whole.high - ALLOWED
    left = tops > bottoms
    return Interior(whole.points, whole.column[left], bottoms[left], tops[left])


@dataclass(frozen=True, eq=False)
class Inside(Interior):
    """All that lies inside a body, thin parts too: what is kept of a mesh (`recorded`)."""

    @classmethod
    def of_all(cls, model: Model) -> Inside:
        """What lies inside the body and base of a model."""
        low, high = solid_part(model).bounds
        whole = cls.within(model, low, high, COARSE_CELL, thin=True)
        return cls(whole.points, whole.column, whole.low, whole.high)


VERSION = 1
"""Raised whenever other lines are found inside a body."""


def met(hits: Hits, columns: int, column: NDArray[np.intp], low: Floats, high: Floats) -> Flags:
    """(r,) whether each of some vertical lines crosses a surface, or begins inside of it.

    Args:
        hits: what the columns cross of the surface.
        columns: their number.
        column: (r,) the column of each line.
        low, high: (r,) mm, its ends.

    >>> one = Hits(np.array([0, 0]), np.array([2.0, 9.0]), np.array([1, -1], np.int8))
    >>> met(one, 1, np.zeros(4, int), np.array([0.0, 1.0, 4.0, 10.0]), np.array([1.0, 3.0, 5.0, 11.0])).tolist()
    [False, True, True, False]
    """
    if not len(hits.line):
        return np.zeros(len(low), np.bool_)
    floor = min(float(hits.z.min()), float(low.min())) - 1.0
    span = max(float(hits.z.max()), float(high.max())) - floor + 1.0
    keys = hits.line * span + (hits.z - floor)
    order = np.argsort(keys, kind="stable")
    keys, signs = keys[order], np.concatenate([[0], np.cumsum(hits.sign[order].astype(np.int64))])
    start, end = (np.searchsorted(keys, np.arange(columns) * span + edge) for edge in (0.0, span))
    below = np.searchsorted(keys, column * span + (low - floor))
    above = np.searchsorted(keys, column * span + (high - floor))
    closed = signs[end[column]] == signs[start[column]]
    inside = closed & (signs[below] > signs[start[column]])
    crosses: Flags = (above > below) | inside
    return crosses


def _filled(triangles: Floats, low: Floats, high: Floats, size: float) -> Flags:
    """(i, j, k) whether the middle of each cell lies inside the body; columns that do not leave it again are empty."""
    shape = np.maximum(np.ceil((high - low) / size), 1).astype(int)
    lines, hits = _grid_crossings(triangles, low, size, (int(shape[0]), int(shape[1])))
    level = np.clip(np.ceil((hits.z - low[2]) / size - 0.5), 0, shape[2]).astype(np.intp)
    steps = np.zeros((lines, shape[2] + 1), np.int32)
    np.add.at(steps, (hits.line, level), hits.sign)
    steps[steps.sum(axis=1) != 0] = 0
    inside: Flags = np.cumsum(steps, axis=1)[:, :-1] > 0
    return inside.reshape(*shape)


def _grid_crossings(triangles: Floats, low: Floats, size: float, shape: tuple[int, int]) -> tuple[int, Hits]:
    """The number of columns of a grid, and what they cross: each triangle is tried with the columns in its own box."""
    first, counts = list[NDArray[np.intp]](), list[NDArray[np.intp]]()
    for axis in (0, 1):
        a, b, c = ((triangles[:, corner, axis] - low[axis]) / size - OFF_CENTRE[axis] for corner in range(3))
        least = np.maximum(np.ceil(np.minimum(np.minimum(a, b), c)), 0).astype(np.intp)
        most = np.minimum(np.floor(np.maximum(np.maximum(a, b), c)), shape[axis] - 1).astype(np.intp)
        first.append(least)
        counts.append(np.maximum(most - least + 1, 0))
    many = counts[0] * counts[1]
    if many.sum() > MOST_CROSSINGS:
        return shape[0] * shape[1], Hits(np.empty(0, np.intp), np.empty(0), np.empty(0, np.int8))
    some = np.flatnonzero(many)  # of a fine mesh most triangles lie between the columns
    triangles, many, across = triangles[some], many[some], counts[1][some]
    within, triangle = spread(0, many)
    i = first[0][some][triangle] + within // across[triangle]
    j = first[1][some][triangle] + within % across[triangle]
    points = low[:2] + size * (np.stack([i, j], axis=1) + np.array(OFF_CENTRE))
    hits = Ground(triangles).crossing(triangle, points)
    return shape[0] * shape[1], Hits((i * shape[1] + j)[hits.line], hits.z, hits.sign)


def _eroded(inside: Flags) -> Flags:
    """The cells whose six neighbours lie inside."""
    left = np.zeros_like(inside)
    middle = inside[1:-1, 1:-1, 1:-1].copy()
    for axis in range(3):
        for start, stop in ((0, -2), (2, None)):
            cut = [slice(1, -1)] * 3
            cut[axis] = slice(start, stop)
            middle &= inside[tuple(cut)]
    left[1:-1, 1:-1, 1:-1] = middle
    return left
