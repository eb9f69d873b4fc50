"""RELATE: a point set as samples, none of its points far from one, in balls within balls.

PointSet -> corners, edges and faces in even steps -> the samples, halved again and again, with a ball round each half
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Integers
from silhouette.lazy import cached_property
from silhouette.meshes.mesh import Mesh, merge_equal
from silhouette.relations.kept import KeptByMesh
from silhouette.relations.points import PointSet
from silhouette.relations.shells import facing

MOST_SAMPLES = 2_000_000
"""Samples before equal ones are merged, at most; a surface that would have more is sampled more coarsely."""

MOST_EYES = 48
"""Points of a surface from which is looked, at most."""

EYES_ALONG = 24.0
"""So many eyes stand along the longest side of a surface, before the fewest that are far apart are chosen."""

FINE = 0.4
"""A share of the spacing: where most triangles are smaller, samples that are nearer to each other are merged."""

SPACINGS_KEPT = 4
"""Of each mesh, the balls are kept of so many spacings, and places of single points beside it."""

EQUAL = 6
"""Decimals of a mm to which samples of neighbouring triangles are compared."""

Indices = NDArray[np.intp]

_kept = KeptByMesh["Nest"](SPACINGS_KEPT)


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

    The balls of a surface are kept as long as its mesh, those of the last few spacings: it may move meanwhile.

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
    key = spacing, points.own.tobytes()
    return Balls(points, _kept.of(points.mesh, key, lambda: _nested(sampled(points, spacing))), box)


def _nested(samples: Samples) -> Nest:
    """Samples in balls."""
    depth = max(0, int(np.ceil(np.log2(len(samples.points)))))
    order = np.resize(np.arange(len(samples.points)), 1 << depth)
    for level in range(depth):
        block = samples.points[order].reshape(1 << level, -1, 3)
        longest = np.ptp(block, axis=1).argmax(axis=1)
        along = np.take_along_axis(block, longest[:, None, None], axis=2)[:, :, 0]
        rank = np.argpartition(along, along.shape[1] // 2, axis=1)
        order = np.take_along_axis(order.reshape(along.shape), rank, axis=1).ravel()
    ordered = samples.points[order]
    middle, radius = list[Integers](), list[Floats]()
    for level in range(depth + 1):
        block = ordered.reshape(1 << level, -1, 3)
        centre = (block.min(axis=1) + block.max(axis=1)) / 2
        nearest = ((block - centre[:, None]) ** 2).sum(axis=2).argmin(axis=1)
        there = np.take_along_axis(block, nearest[:, None, None], axis=1)
        radius.append(np.sqrt(((block - there) ** 2).sum(axis=2).max(axis=1)) + samples.spacing)
        middle.append(order[nearest + np.arange(len(nearest)) * block.shape[1]].astype(np.int32))
    return Nest(samples, tuple(middle), tuple(radius), order)


def _of_surface(mesh: Mesh, spacing: float) -> Samples:
    """Samples of a mesh, in its frame."""
    corners = mesh.vertices[mesh.faces]
    longest = np.sqrt(((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2)).max(axis=1)
    is_fine = bool(np.median(longest) < FINE * spacing)
    while True:
        # A triangle's points lie within its longest side / sqrt(3) of a corner.
        step = (1.0 - FINE * is_fine) * spacing
        steps = np.maximum(1, np.ceil(longest / (np.sqrt(3.0) * step) - 1e-9)).astype(np.int64)
        if ((steps + 1) * (steps + 2) // 2).sum() <= MOST_SAMPLES:
            break
        spacing *= 1.5
    points, faces = list[Floats](), list[Integers]()
    for count in np.unique(steps).tolist():
        chosen = np.flatnonzero(steps == count).astype(np.int32)
        i, j = (index.ravel() for index in np.indices((count + 1, count + 1)))
        weights = np.stack([i, j, count - i - j], axis=1)[i + j <= count] / count
        points.append(np.einsum("wc,mcx->mwx", weights, corners[chosen]).reshape(-1, 3))
        faces.append(np.repeat(chosen, len(weights)))
    joined, face = np.concatenate(points), np.concatenate(faces)
    keys = np.round(joined, EQUAL)
    if is_fine:  # the outermost sample of each cell stays
        outermost = np.argsort(-((joined - joined.mean(axis=0)) ** 2).sum(axis=1), kind="stable")
        joined, face = joined[outermost], face[outermost]
        keys = np.floor(joined * (np.sqrt(3.0) / (FINE * spacing)))
    equal = merge_equal(keys)[1]
    first = np.unique(equal, return_index=True)[1]
    return Samples(joined[first], np.column_stack([face, equal]).astype(np.int32), spacing)
