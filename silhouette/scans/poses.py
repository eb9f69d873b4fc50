"""SCAN: poses of what stands upright."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silhouette.common.geometry import Floats


@dataclass(frozen=True)
class Upright:
    """A pose of a model: turned by ``yaw`` about its vertical, then moved; relative to where the piece stands."""

    # x, y, z: mm, where the model's origin comes to stand
    x: float
    y: float
    z: float
    yaw: float  # radians anticlockwise

    def place(self, points: Floats) -> Floats:
        """Points (n, 3) of the model where they come to stand."""
        turned = self.turn(points)
        turned += (self.x, self.y, self.z)
        return turned

    def turn(self, vectors: Floats) -> Floats:
        """Vectors (n, 3) of the model as they point when it is turned."""
        cosine, sine = np.cos(self.yaw), np.sin(self.yaw)
        x, y = vectors[:, 0], vectors[:, 1]
        return np.stack([cosine * x - sine * y, sine * x + cosine * y, vectors[:, 2]], axis=1)

    def localise(self, points: Floats) -> Floats:
        """Points (n, 3) in the frame of the model."""
        return Upright(0.0, 0.0, 0.0, -self.yaw).turn(points - (self.x, self.y, self.z))

    def turned_from(self, other: Upright) -> float:
        """Radians from 0 to pi between the yaws of two poses.

        >>> round(Upright(0, 0, 0, 0.1).turned_from(Upright(0, 0, 0, 2 * np.pi - 0.1)), 3)
        0.2
        """
        return abs((self.yaw - other.yaw + np.pi) % (2.0 * np.pi) - np.pi)

    def is_near(self, other: Upright) -> bool:
        """Whether two poses are one and the same, reached from two starts."""
        near = np.hypot(self.x - other.x, self.y - other.y) < 1.0
        return bool(self.turned_from(other) < np.radians(3.0) and near)
