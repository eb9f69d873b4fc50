"""RELATE: a point set as samples, none of its points far from one, in balls within balls.

PointSet -> corners, edges and faces in even steps -> the samples, halved again and again, with a ball round each half
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Integers
from silhouette.meshes.mesh import Mesh, merge_equal
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

EQUAL = 6
"""Decimals of a mm to which samples of neighbouring triangles are compared."""

Indices = NDArray[np.intp]

_nests: WeakKeyDictionary[Mesh, dict[float, Balls]] = WeakKeyDictionary()
_kept: WeakKeyDictionary[Mesh, dict[float, Samples]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of a point set.

    Attributes:
        points: (n, 3) mm, world; corners of triangles and single points are among them, where none were merged.
        of: (m, 2) the triangles of the set's mesh, each with a sample that stands for a part of it; single points
            belong to none.
        spacing: mm; no point of a triangle is farther than this from one of its samples.
    """

    points: Floats
    of: Integers
    spacing: float


@dataclass(frozen=True, eq=False)
class Balls:
    """Balls that together hold a point set, finer from level to level; each is parted in two on the next.

    Attributes:
        samples: the samples, in the order of the balls.
        middle: for each level, (2^level,) the samples in the middle of its balls.
        radius: for each level, (2^level,) mm: how far the set's points that belong to a ball lie from that sample.
        order: (k,) the sample at each place of the finest level; some stand at several.
        counts: for each level, (2^level,) whether a ball holds points that count; all do at first.
    """

    samples: Samples
    middle: tuple[Integers, ...]
    radius: tuple[Floats, ...]
    order: Indices
    counts: tuple[Flags, ...]

    def turned_to(self, points: PointSet, box: Floats) -> Balls:
        """The same, of which only balls count that hold something which a line from a box (2, 3) reaches first."""
        if points.mesh is None or not points.outward:
            return self
        fronts = facing(points.mesh, points.pose, box)
        face, sample = self.samples.of.T
        counts = np.ones(len(self.samples.points), np.bool_)
        counts[sample] = False
        counts[sample[fronts[face]]] = True
        ordered = counts[self.order]
        levels = tuple(np.asarray(ordered.reshape(len(radius), -1).any(axis=1)) for radius in self.radius)
        return replace(self, counts=levels)


def sampled(points: PointSet, spacing: float) -> Samples:
    """Samples of a point set, no point of which is farther than ``spacing`` mm from one.

    Each triangle has its corners, and on edges and face a lattice so fine that no point of it is farther away. What is
    much finer is merged. A very large surface is sampled more coarsely, as the samples say.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> found = sampled(PointSet.of_surface(solid(Solid(Box((1.0, 1.0, 1.0))))), 1.0)
    >>> len(found.points), found.spacing
    (8, 1.0)
    """
    if points.mesh is None:
        return Samples(points.single, np.empty((0, 2), np.int32), 0.0)
    kept = _kept.setdefault(points.mesh, {})
    if spacing not in kept:
        kept[spacing] = _of_surface(points.mesh, spacing)
    surface = kept[spacing]
    joined = np.concatenate([points.pose.place(surface.points), points.single])
    return Samples(joined, surface.of, surface.spacing)


def eyes_in(points: PointSet, toward: Floats, most: int = MOST_EYES) -> Floats:
    """(k, 3) mm, world: points of a set from which to look at a box (2, 3): few, and far from each other.

    Of a closed surface, only points whose face turns to the box are among them.

    >>> eyes_in(PointSet.of_points(np.array([[0.0, 0.0, 30.0]])), np.zeros((2, 3))).tolist()
    [[0.0, 0.0, 30.0]]
    """
    if points.mesh is None:
        return points.single[:most]
    extent = float(np.ptp(points.box, axis=0).max())
    tree = balls(points, max(extent / EYES_ALONG, 1e-3)).turned_to(points, toward)
    spots = tree.samples.points[np.unique(tree.order[tree.counts[-1]])]
    chosen = [int(np.linalg.norm(spots - spots.mean(axis=0), axis=1).argmax())]
    away = np.linalg.norm(spots - spots[chosen[0]], axis=1)
    while len(chosen) < min(most, len(spots)) and away.max() > 0.0:
        chosen.append(int(away.argmax()))
        away = np.minimum(away, np.linalg.norm(spots - spots[chosen[-1]], axis=1))
    return spots[chosen]


def balls(points: PointSet, spacing: float) -> Balls:
    """The samples of a point set in balls within balls, down to a ball for each sample.

    >>> eyes = PointSet.of_points(np.array([[0.0, 0.0, 0.0], [8.0, 0.0, 0.0]]))
    >>> [radius.tolist() for radius in balls(eyes, 1.0).radius]
    [[8.0], [0.0, 0.0]]
    """
    if points.mesh is None or len(points.single):
        return _nested(sampled(points, spacing))
    kept = _nests.setdefault(points.mesh, {})
    if spacing not in kept:
        kept[spacing] = _nested(sampled(PointSet.of_surface(points.mesh), spacing))
    local = kept[spacing]
    return replace(local, samples=replace(local.samples, points=points.pose.place(local.samples.points)))


def _nested(samples: Samples) -> Balls:
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
    counts = tuple(np.ones(len(one), np.bool_) for one in radius)
    return Balls(samples, tuple(middle), tuple(radius), order, counts)


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
