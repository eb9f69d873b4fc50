"""LOOK: the attacker's eye, its vision arcs, and a camera framed on the target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silhouette.geometry import Floats


@dataclass(frozen=True, eq=False)
class View:
    """A flat picture taken from an eye: a grid of sampled directions, one in the middle of each pixel.

    The picture lies in the plane at distance one before the eye, across the third axis. Row 0 is the top.

    Attributes:
        eye: (3,) float64, mm, in the world.
        axes: (3, 3) float64; rows are the picture's right, its up, and forward: orthonormal, in the world.
        left: where the picture's left rim lies along right, in the plane at distance one.
        top: where its top rim lies along up.
        step: the width of a pixel in that plane: a pixel covers ``step * depth`` mm at a depth.
        width, height: in pixels.
    """

    eye: Floats
    axes: Floats
    left: float
    top: float
    step: float
    width: int
    height: int

    def directions(self, rows: Any, columns: Any) -> Floats:
        """World directions (n, 3) through the middles of pixels, of length one *along the forward axis*.

        A point at depth d on such a ray is ``eye + d * direction``.
        """
        across = self.left + (np.asarray(columns, dtype=np.float64) + 0.5) * self.step
        upward = self.top - (np.asarray(rows, dtype=np.float64) + 0.5) * self.step
        right, up, forward = self.axes
        return across[..., None] * right + upward[..., None] * up + forward

    def project(self, points: Any) -> tuple[Floats, Floats, Floats]:
        """Column, row and depth of world points (n, 3); fractional, a pixel's middle lying at its index + 0.5.

        Columns and rows mean nothing where the depth is not above zero: such a point is not before the eye.
        """
        seen = (np.asarray(points, dtype=np.float64) - self.eye) @ self.axes.T
        depth = seen[:, 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            columns = (seen[:, 0] / depth - self.left) / self.step
            rows = (self.top - seen[:, 1] / depth) / self.step
        return columns, rows, depth

    def finer(self, factor: int) -> View:
        """The same picture with each pixel cut into ``factor`` by ``factor``."""
        return replace(self, step=self.step / factor, width=self.width * factor, height=self.height * factor)
