"""COUNT: where in a picture a body is, from above: boxes round clusters, and round the faces of large ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silhouette.common.geometry import Flags, Floats, spread
from silhouette.measure.cells import Grid, among
from silhouette.measure.contours import Placed
from silhouette.meshes.clusters import SIZE, Indices
from silhouette.renderers.protocol import NEAREST_DEPTH_MM

LARGE = 2.0  # the reach of a cluster from its middle, in cells, beyond which it is bounded face by face


@dataclass(frozen=True, eq=False)
class Patches:
    """Bounds of runs of faces: a cluster, or a single face."""

    # low, high: (2, n) column and row, in pixels, of a box round that part of each which is before the eye
    low: Floats
    high: Floats
    # least, greatest: (n,) mm, bounds of its depth
    least: Floats
    greatest: Floats
    # first, count: (n,) its faces
    first: Indices
    count: Indices

    @classmethod
    def of(cls, placed: Placed, grid: Grid, chosen: Indices) -> Patches:
        """The patches of the chosen clusters; faces of large ones have their own."""
        whole = cls.of_clusters(placed, chosen)
        # False where any of it is level with the eye or behind it.
        small = np.all(whole.high - whole.low < 2.0 * LARGE * grid.size, axis=0)
        if small.all():
            return whole
        faces, _ = spread(whole.first[~small], whole.count[~small])
        return cls.joined([whole.chosen(small), cls.of_faces(placed, faces)])

    @classmethod
    def of_clusters(cls, placed: Placed, chosen: Indices) -> Patches:
        """A patch for each of the chosen clusters; nan where a box begins and ends that is not before the eye."""
        clusters = placed.clusters
        x, y, depth = placed.centres[:, chosen]
        radii, halves = clusters.radii[chosen], clusters.halves[:, chosen]
        deep = np.minimum(radii, np.abs(placed.matrix[2]) @ halves) * (1.0 + 1e-9)
        nearest = depth - deep
        place = np.stack([x, y]) / np.where(nearest > NEAREST_DEPTH_MM, depth, np.nan)
        # A point P of a sphere, or of a box, has the column c + m(P) / depth(P), where m is linear and 0 at the middle.
        slopes = np.abs(placed.matrix[:2, :, None] - place[:, None] * placed.matrix[2, :, None])
        wide = np.minimum(np.sqrt((slopes**2).sum(axis=1)) * radii, (slopes * halves).sum(axis=1))
        reach = wide / nearest * (1.0 + 1e-9)
        first = chosen * SIZE
        count = np.minimum(first + SIZE, len(clusters.corners)) - first
        return cls(place - reach, place + reach, nearest, depth + deep, first, count)

    @classmethod
    def of_faces(cls, placed: Placed, faces: Indices) -> Patches:
        """A patch for each face."""
        points = placed.points(placed.clusters.corners.take(faces, axis=0).T)
        least, greatest = points[2].min(axis=0), points[2].max(axis=0)
        if least.min(initial=np.inf) > NEAREST_DEPTH_MM:
            places = points[:2] / points[2]
            low, high = places.min(axis=1), places.max(axis=1)
        else:
            low, high = boxes_between(points.swapaxes(1, 2), NEAREST_DEPTH_MM, np.inf)
        return cls(low, high, least, greatest, faces, np.ones_like(faces)).chosen(greatest > NEAREST_DEPTH_MM)

    @classmethod
    def joined(cls, several: list[Patches]) -> Patches:
        """All patches of several bodies or parts."""
        return cls(*(np.concatenate([getattr(one, name) for one in several], axis=-1) for name in cls.__annotations__))

    def chosen(self, which: Flags | Indices) -> Patches:
        """Those of them chosen by flags or numbers."""
        return Patches(*(getattr(self, name)[..., which] for name in self.__dataclass_fields__))

    def near(self, grid: Grid, cells: Indices) -> Indices:
        """The numbers of those that touch cells of a grid, ascending."""
        patch, cell = grid.of_boxes(self.low, self.high)
        (patch, _) = among(cells, cell, patch)
        touching = np.zeros(len(self.least), dtype=np.bool_)
        touching[patch] = True
        return np.flatnonzero(touching)

    def faces(self) -> Indices:
        """The numbers of all their faces."""
        return spread(self.first, self.count)[0]


def boxes_between(points: Floats, near: float, far: float) -> tuple[Floats, Floats]:
    """(2, m) where boxes begin and end, in pixels, round the parts of triangles (3, m, 3) between two depths.

    The corners of a part are those of the triangle that lie there, and the cuts of its sides at either depth. The box
    of an empty part begins after its end.
    """
    depth = points[2]
    with np.errstate(divide="ignore", invalid="ignore"):
        places = points[:2] / depth
    inside = (depth >= near) & (depth <= far)
    low = np.where(inside, places, np.inf).min(axis=2)
    high = np.where(inside, places, -np.inf).max(axis=2)
    cut = np.flatnonzero(~inside.all(axis=1))
    for bound in (near, far):
        if len(cut) == 0 or not np.isfinite(bound):
            continue
        for first, second in ((0, 1), (1, 2), (2, 0)):
            start, way = points[:, cut, first], points[:, cut, second] - points[:, cut, first]
            with np.errstate(divide="ignore", invalid="ignore"):
                share = (bound - start[2]) / way[2]
            crosses = (share >= 0.0) & (share <= 1.0)
            which = cut[crosses]
            place = (start[:2, crosses] + share[crosses] * way[:2, crosses]) / bound
            slack = 1e-9 * np.abs(place)
            low[:, which] = np.minimum(low[:, which], place - slack)
            high[:, which] = np.maximum(high[:, which], place + slack)
    return low, high
