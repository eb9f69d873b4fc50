"""RELATE: a point set as samples, none of its points far from one, in balls within balls.

PointSet -> corners, edges and faces in even steps -> the samples, halved again and again, with a ball round each half
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Integers
from silhouette.lazy import cached_property, derived
from silhouette.meshes.mesh import Mesh, merge_equal
from silhouette.relations.points import STANDING, PointSet
from silhouette.relations.shells import facing

MOST_SAMPLES = 2_000_000
"""Samples before equal ones are merged, at most; a surface that would have more is sampled more coarsely."""

MANY_SAMPLES = 500_000
"""Samples above which long thin triangles are cut across first."""

MOST_EYES = 48
"""Points of a surface from which is looked, at most."""

EYES_ALONG = 24.0
"""So many eyes stand along the longest side of a surface, before the fewest that are far apart are chosen."""

FINE = 0.4
"""A share of the spacing: where most triangles are smaller, samples that are nearer to each other are merged."""

EQUAL = 6
"""Decimals of a mm to which samples of neighbouring triangles are compared."""

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of a point set.

    Attributes:
        points: (n, 3) mm, in the frame of the set's pose; corners of triangles and single points are among them, where
            none were merged.
        of: (m, 2) the triangles of the set's mesh, each with a sample that stands for a part of it; single points
            belong to none.
        spacing: mm; no point of a triangle is farther than this from one of its samples.
    """

    points: Floats
    of: Integers
    spacing: float


@dataclass(frozen=True, eq=False)
class Nest:
    """The samples of a point set in balls within balls, in the frame that its pose places.

    Attributes:
        samples: in the order of the balls.
        middle: for each level, (2^level,) the samples in the middle of its balls.
        radius: for each level, (2^level,) mm: how far the set's points that belong to a ball lie from that sample.
        order: (k,) the sample at each place of the finest level; some stand at several.
    """

    samples: Samples
    middle: tuple[Integers, ...]
    radius: tuple[Floats, ...]
    order: Indices


@dataclass(frozen=True, eq=False)
class Balls:
    """Balls that together hold a point set, finer from level to level; each is parted in two on the next.

    Attributes:
        points: the set.
        nest: its balls, which another set with the same surface shares: what moves is worked out when it is asked for.
        box: (2, 3) mm, world: only balls count that hold something which a line from there reaches first; None for all.
    """

    points: PointSet
    nest: Nest
    box: Floats | None = None

    @property
    def radius(self) -> tuple[Floats, ...]:
        """For each level, (2^level,) mm: how far the set's points that belong to a ball lie from its middle."""
        return self.nest.radius

    def middles(self, level: int, numbers: Indices) -> Floats:
        """(n, 3) mm, world: the samples in the middle of balls of a level."""
        return self.placed(self.nest.middle[level][numbers])

    def placed(self, numbers: Indices | Integers) -> Floats:
        """(n, 3) mm, world: the samples of these numbers."""
        local = self.nest.samples.points[numbers]
        # A single point is multiplied in another way than several, which may differ in the last digit.
        one = len(local) == 1
        return self.points.pose.place(np.repeat(local, 2, axis=0) if one else local)[: len(local)]

    @cached_property
    def counts(self) -> tuple[Flags, ...]:
        """For each level, (2^level,) whether a ball holds points that count."""
        levels = [self._counted[self.nest.order]]
        while len(levels[0]) > 1:
            levels.insert(0, levels[0][0::2] | levels[0][1::2])
        return tuple(levels)

    @property
    def _counted(self) -> Flags:
        """(n,) which samples count; all do but those on faces that turn away from the box."""
        counts = np.ones(len(self.nest.samples.points), np.bool_)
        if self.box is not None and self.points.mesh is not None and self.points.outward:
            face, sample = self.nest.samples.of.T
            counts[sample] = False
            counts[sample[facing(self.points.mesh, self.points.pose, self.box)[face]]] = True
        return counts


def sampled(points: PointSet, spacing: float) -> Samples:
    """Samples of a point set, in the frame of its pose, no point of which is farther than ``spacing`` mm from one.

    Each triangle has its corners, and on edges and face a lattice so fine that no point of it is farther away. What is
    much finer is merged. A very large surface is sampled more coarsely, as the samples say.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> found = sampled(PointSet.of_surface(solid(Solid(Box((1.0, 1.0, 1.0))))), 1.0)
    >>> len(found.points), found.spacing
    (8, 1.0)
    """
    if points.mesh is None:
        return Samples(points.own, np.empty((0, 2), np.int32), 0.0)
    surface = _of_surface(points.mesh, spacing)
    return Samples(np.concatenate([surface.points, points.own]), surface.of, surface.spacing)


def eyes_in(points: PointSet, toward: Floats, most: int = MOST_EYES) -> Floats:
    """(k, 3) mm, world: points of a set from which to look at a box (2, 3): few, and far from each other.

    Of a closed surface, only points whose face turns to the box are among them.

    >>> eyes_in(PointSet.of_points(np.array([[0.0, 0.0, 30.0]])), np.zeros((2, 3))).tolist()
    [[0.0, 0.0, 30.0]]
    """
    if points.mesh is None:
        return points.single[:most]
    extent = float(np.ptp(points.box, axis=0).max())
    tree = balls(points, max(extent / EYES_ALONG, 1e-3), toward)
    spots = tree.placed(np.unique(tree.nest.order[tree.counts[-1]]))
    chosen = [int(np.linalg.norm(spots - spots.mean(axis=0), axis=1).argmax())]
    away = np.linalg.norm(spots - spots[chosen[0]], axis=1)
    while len(chosen) < min(most, len(spots)) and away.max() > 0.0:
        chosen.append(int(away.argmax()))
        away = np.minimum(away, np.linalg.norm(spots - spots[chosen[-1]], axis=1))
    return spots[chosen]


def balls(points: PointSet, spacing: float, box: Floats | None = None) -> Balls:
    """The samples of a point set in balls within balls, down to a ball for each sample.

    The balls of a surface are kept, for every spacing, as long as its mesh: it may move meanwhile.

    Args:
        points: the set.
        spacing: mm, between samples.
        box: (2, 3) mm, world: only balls count that hold something which a line from there reaches first.

    >>> eyes = PointSet.of_points(np.array([[0.0, 0.0, 0.0], [8.0, 0.0, 0.0]]))
    >>> [radius.tolist() for radius in balls(eyes, 1.0).radius]
    [[8.0], [0.0, 0.0]]
    """
    if points.mesh is None:
        return Balls(points, _nested(sampled(points, spacing)), box)
    return Balls(points, _nest(points.mesh, spacing, points.own.tobytes()), box)


@derived
def _nest(mesh: Mesh, spacing: float, own: bytes) -> Nest:
    """The balls of a surface and of points (k, 3), float64, beside it, given as their bytes."""
    beside = np.frombuffer(own).reshape(-1, 3)
    return _nested(sampled(PointSet("surface", mesh, STANDING, beside), spacing))


def _nested(samples: Samples) -> Nest:
    """Samples in balls."""
    depth = max(0, int(np.ceil(np.log2(len(samples.points)))))
    order = np.resize(np.arange(len(samples.points)), 1 << depth)
    ordered = [np.ascontiguousarray(axis)[order] for axis in samples.points.T]  # numpy is fast along whole rows
    for level in range(depth):
        blocks = [axis.reshape(1 << level, -1) for axis in ordered]
        longest = np.stack([np.ptp(block, axis=1) for block in blocks], axis=1).argmax(axis=1)
        along = np.choose(longest[:, None], blocks)
        rank = np.argpartition(along, along.shape[1] // 2, axis=1)
        order = np.take_along_axis(order.reshape(along.shape), rank, axis=1).ravel()
        ordered = [np.take_along_axis(block, rank, axis=1).ravel() for block in blocks]
    middle, radius = list[Integers](), list[Floats]()
    low, high = ordered, ordered
    for level in reversed(range(depth + 1)):
        blocks = [axis.reshape(1 << level, -1) for axis in ordered]
        centre = [(least + most) / 2 for least, most in zip(low, high, strict=True)]
        nearest = _squares(blocks, centre).argmin(axis=1) + np.arange(1 << level) * blocks[0].shape[1]
        radius.append(np.sqrt(_squares(blocks, [axis[nearest] for axis in ordered]).max(axis=1)) + samples.spacing)
        middle.append(order[nearest].astype(np.int32))
        low = [np.minimum(axis[0::2], axis[1::2]) for axis in low] if level else low
        high = [np.maximum(axis[0::2], axis[1::2]) for axis in high] if level else high
    return Nest(samples, tuple(middle[::-1]), tuple(radius[::-1]), order)


def _squares(blocks: list[Floats], places: list[Floats]) -> Floats:
    """(n, m) mm²: how far the points of each block are from its place; blocks (n, m) and places (n,) by axes."""
    total = (blocks[0] - places[0][:, None]) ** 2
    for block, place in zip(blocks[1:], places[1:], strict=True):
        total += (block - place[:, None]) ** 2
    return total


def _of_surface(mesh: Mesh, spacing: float) -> Samples:
    """Samples of a mesh, in its frame."""
    corners, of = mesh.vertices[mesh.faces], np.arange(len(mesh.faces), dtype=np.int32)
    is_fine = bool(np.median(_longest(corners)) < FINE * spacing)
    steps = _steps(corners, spacing, is_fine)
    if _count(steps).sum() > MANY_SAMPLES:
        corners, of = _cut_across(corners, of, spacing, is_fine)
        steps = _steps(corners, spacing, is_fine)
    while _count(steps).sum() > MOST_SAMPLES and steps.max() > 1:
        spacing *= 1.5
        steps = _steps(corners, spacing, is_fine)
    points, faces = list[Floats](), list[Integers]()
    for count in np.unique(steps).tolist():
        chosen = np.flatnonzero(steps == count).astype(np.int32)
        i, j = (index.ravel() for index in np.indices((count + 1, count + 1)))
        weights = np.stack([i, j, count - i - j], axis=1)[i + j <= count] / count
        points.append(np.einsum("wc,mcx->mwx", weights, corners[chosen]).reshape(-1, 3))
        faces.append(np.repeat(of[chosen], len(weights)))
    joined, face = np.concatenate(points), np.concatenate(faces)
    keys = np.round(joined, EQUAL)
    if is_fine:  # the outermost sample of each cell stays
        outermost = np.argsort(-((joined - joined.mean(axis=0)) ** 2).sum(axis=1), kind="stable")
        joined, face = joined[outermost], face[outermost]
        keys = np.floor(joined * (np.sqrt(3.0) / (FINE * spacing)))
    equal = merge_equal(keys)[1]
    first = np.unique(equal, return_index=True)[1]
    return Samples(joined[first], np.column_stack([face, equal]).astype(np.int32), spacing)


def _longest(corners: Floats) -> Floats:
    """(n,) mm: the longest side of each triangle (n, 3, 3)."""
    longest: Floats = np.sqrt(((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2)).max(axis=1)
    return longest


def _steps(corners: Floats, spacing: float, is_fine: bool) -> Integers:
    """(n,) into how many steps the sides of triangles (n, 3, 3) are cut: their points lie within a longest side over
    sqrt(3) of a corner."""
    step = (1.0 - FINE * is_fine) * spacing
    steps: Integers = np.maximum(1, np.ceil(_longest(corners) / (np.sqrt(3.0) * step) - 1e-9)).astype(np.int64)
    return steps


def _count(steps: Integers) -> Integers:
    """(n,) samples of triangles whose sides are cut into so many steps."""
    return (steps + 1) * (steps + 2) // 2


def _cut_across(corners: Floats, of: Integers, spacing: float, is_fine: bool) -> tuple[Floats, Integers]:
    """Triangles (n, 3, 3), and which of the mesh each is part of (n,), cut across the middles of their two longer sides
    as long as the three parts together have fewer samples: long thin triangles have few then."""
    done, whose = list[Floats](), list[Integers]()
    while len(corners):
        sides = ((corners - np.roll(corners, -1, axis=1)) ** 2).sum(axis=2)
        turn = (sides.argmin(axis=1)[:, None] + np.arange(3)) % 3
        start, end, apex = np.take_along_axis(corners, turn[:, :, None], axis=1).swapaxes(0, 1)
        left, right = (start + apex) / 2, (end + apex) / 2
        parts = np.stack([apex, left, right, left, start, right, right, start, end], axis=1).reshape(-1, 3, 3)
        fewer = _count(_steps(parts, spacing, is_fine)).reshape(-1, 3).sum(axis=1) < _count(
            _steps(corners, spacing, is_fine)
        )
        done.append(corners[~fewer])
        whose.append(of[~fewer])
        corners, of = parts.reshape(-1, 3, 3, 3)[fewer].reshape(-1, 3, 3), np.repeat(of[fewer], 3)
    return np.concatenate(done), np.concatenate(whose)
