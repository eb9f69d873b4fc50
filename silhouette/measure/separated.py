"""COUNT: faces that cannot be before a target, since a plane has the eye and the target on one side, and them beyond.

          .  target                      What is before the target lies in the convex hull of the eye and the
 eye  .  ' |                             target. Some planes that touch this hull are tried: those through the
-----------+-------  a plane             eye that touch the target, and some that are as the blocker's frame lies,
  faces beyond it are before nothing     along which floors and walls most often run.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product as combinations

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.measure.contours import Placed
from silhouette.meshes.clusters import Indices
from silhouette.renderers.protocol import NEAREST_DEPTH_MM

_ANGLES = np.arange(16) * (np.pi / 8)
ROUND = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
"""(16, 2) the directions in the picture in which planes through the eye touch the target."""

ALONG = np.array([way for way in combinations((-1.0, 0.0, 1.0), repeat=3) if any(way)])
"""(26, 3) the normals of other planes: along the axes of a blocker's frame, and between two or three of them."""


@dataclass(frozen=True, eq=False)
class Planes:
    """Planes that have the eye and the target on one side, in the frame of a blocker."""

    normals: Floats  # (n, 3) away from the target
    reaches: Floats  # (n,) a place is beyond where its product with the normal, seen from the eye, is no less

    @classmethod
    def of(cls, blocker: Placed, target: Placed, chosen: Indices) -> Planes:
        """Those that touch balls or boxes round the chosen clusters of the target: all that reach into the picture."""
        clusters = target.clusters
        radii, halves = clusters.radii[chosen], clusters.halves[:, chosen]
        x, y, depth = target.centres[:, chosen]
        deep = np.minimum(radii, product(np.abs(target.matrix[2:]), halves)[0])
        before = np.where(depth - deep > NEAREST_DEPTH_MM, depth, np.nan)
        # A point P of a ball lies in a direction, in pixels, at d + m(P) / depth(P); m is linear, and 0 at the middle.
        across = product(ROUND, np.stack([x, y]) / before)
        turns = ROUND @ target.matrix[:2]
        slopes = [turns[:, axis, None] - across * target.matrix[2, axis] for axis in range(3)]
        wide = np.minimum(
            np.sqrt(sum(slope**2 for slope in slopes)) * radii,
            sum(np.abs(slope) * half for slope, half in zip(slopes, halves, strict=True)),
        )
        farthest = (across + wide / (before - deep) * (1.0 + 1e-9)).max(axis=1)
        through = ROUND @ blocker.matrix[:2] - farthest[:, None] * blocker.matrix[2]
        # The other normals in the frame of the target.
        turned = ALONG @ blocker.body.pose.rotation.T @ target.body.pose.rotation
        sizes = np.minimum(np.linalg.norm(ALONG, axis=1)[:, None] * radii, product(np.abs(turned), halves))
        along = (product(turned, clusters.centres[:, chosen] - target.eye[:, None]) + sizes).max(axis=1)
        reaches = np.concatenate([np.zeros(len(through)), np.maximum(along, 0.0)])
        normals = np.concatenate([through, ALONG])
        kept = np.isfinite(normals).all(axis=1)
        return cls(normals[kept], reaches[kept])

    def clusters(self, blocker: Placed, chosen: Indices) -> Indices:
        """Those of chosen clusters that are not wholly beyond a plane."""
        clusters = blocker.clusters
        middle = clusters.centres[:, chosen] - blocker.eye[:, None]
        sizes = np.linalg.norm(self.normals, axis=1)[:, None] * clusters.radii[chosen]
        sizes = np.minimum(sizes, product(np.abs(self.normals), clusters.halves[:, chosen]))
        beyond = product(self.normals, middle) - sizes >= self.reaches[:, None]
        left: Indices = chosen[~beyond.any(axis=0)]
        return left

    def faces(self, blocker: Placed, faces: Indices) -> Indices:
        """Those of faces that are not wholly beyond a plane."""
        corners = blocker.clusters.corners.take(faces, axis=0)
        points = blocker.clusters.vertices.take(corners.T.ravel(), axis=0) - blocker.eye
        reaching = product(self.normals, points.T).reshape(len(self.normals), 3, -1) < self.reaches[:, None, None]
        left: Indices = faces[reaching.any(axis=1).all(axis=0)]
        return left


def product(matrix: Floats, points: Floats) -> Floats:
    """``matrix @ points`` for (n, 2 or 3) and (2 or 3, k), written out: see `silhouette.common.geometry.turned`."""
    total: Floats = matrix[:, :1] * points[0]
    for axis in range(1, len(points)):
        total += matrix[:, axis, None] * points[axis]
    return total
