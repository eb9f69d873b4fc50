"""SCAN: the surface of a table: its plane of best fit, its slow unevenness and its noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from silhouette.common.geometry import Floats
from silhouette.scans.planes import axes_in


@dataclass(frozen=True, eq=False)
class Tabletop:
    """A table's surface as a grid of cells."""

    low: Floats  # x and y of the grid's corner
    cell: float  # edge of a cell
    # (x, y) the median height in each cell; NaN where there is no table, or too near to what stands on it
    height: Floats
    smooth: Floats  # (x, y) the same, smoothed over a few cells and carried on below what stands on it
    tall: NDArray[np.bool_]  # (x, y) bool, where something stands

    @classmethod
    def of(cls, samples: Floats, cell: float, reach: float) -> Tabletop:
        """The surface among samples in a frame in which it is about z = 0, within a reach."""
        near = np.abs(samples[:, 2]) < reach
        low = samples[near, :2].min(axis=0)
        steps = np.floor((samples[:, :2] - low) / cell)
        shape = np.minimum(np.ptp(samples[near, :2], axis=0) / cell + 1, 4000).astype(np.int64)
        inside = ((steps >= 0) & (steps < shape)).all(axis=1)
        flat = steps[inside].astype(np.int64) @ np.array([shape[1], 1])
        z = samples[inside, 2]
        cells = int(shape.prod())
        tall = np.bincount(flat[z > reach], minlength=cells) > 0
        table = np.abs(z) < reach
        count = np.bincount(flat[table], minlength=cells)
        height = np.full(cells, np.nan)
        order = np.lexsort((z[table], flat[table]))
        filled = np.flatnonzero(count)
        starts = np.cumsum(count[filled]) - count[filled]
        ordered, number = z[table][order], count[filled]
        height[filled] = (ordered[starts + (number - 1) // 2] + ordered[starts + number // 2]) / 2
        # Where a piece meets the table the scan rounds the corner, over two cells at most.
        shy = ndimage.binary_dilation(tall.reshape(shape), np.ones((3, 3)), iterations=2)
        enough = (count >= max(3, 0.25 * np.median(count[filled]))).reshape(shape)
        height = np.where(~shy & enough, height.reshape(shape), np.nan)
        return cls(low, cell, height, _smoothed(height), tall.reshape(shape))

    def rough(self) -> float:
        """How far the cells lie from the plane."""
        return deviation(self.height[np.isfinite(self.height)])

    def plane(self) -> Floats:
        """(4, 4): to the frame in which the plane of best fit is z = 0 (Tukey's weights)."""
        known = np.isfinite(self.height)
        x, y = (np.argwhere(known) + 0.5).T * self.cell + self.low[:, None]
        z = self.height[known]
        a = np.stack([x, y, np.ones_like(x)], axis=1)
        fit = np.array([0.0, 0.0, _commonest(z)])
        for _ in range(10):
            rest = z - a @ fit
            far = max(4.685 * 1.4826 * float(np.median(np.abs(rest))), 1e-6 * self.cell)
            weight = np.maximum(0, 1 - (rest / far) ** 2) ** 2
            fit = np.linalg.lstsq(a * np.sqrt(weight)[:, None], z * np.sqrt(weight), rcond=None)[0]
        normal = np.array([-fit[0], -fit[1], 1.0]) / np.sqrt(fit[0] ** 2 + fit[1] ** 2 + 1)
        return frame(normal, float(normal[2] * fit[2]))

    def step(self) -> tuple[float, float] | None:
        """Where the surface has two heights, as a mat on a larger table: that of the one in use, and half the step.

        Two planes of one direction are fitted, each cell to the nearer. They are two heights where that leaves next to
        nothing: a warp leaves much, as it has all heights between. The one in use is that where more things stand.
        """
        known = np.isfinite(self.height)
        z = self.height[known]
        if len(z) < 50:
            return None
        x, y = (np.argwhere(known) - np.array(self.height.shape) / 2).T / max(self.height.shape)
        upper = z > (np.percentile(z, 10) + np.percentile(z, 90)) / 2
        for _ in range(12):
            if not 0.1 < upper.mean() < 0.9:
                return None
            a = np.stack([x, y, upper, ~upper], axis=1).astype(np.float64)
            fit = np.linalg.lstsq(a, z, rcond=None)[0]
            upper = z - a[:, :2] @ fit[:2] > (fit[2] + fit[3]) / 2
        rest = z - a @ fit
        half = float(fit[2] - fit[3]) / 2
        spread = float(np.percentile(np.abs(rest), 90))
        if not spread < 0.25 * half:
            return None
        used = np.zeros(self.height.shape)
        used[known] = np.where(upper, 1.0, -1.0)
        beside = ndimage.binary_dilation(self.tall, np.ones((3, 3)), iterations=4) & known
        votes = used[beside].sum() if beside.any() else used.sum()
        return float(fit[2] if votes >= 0 else fit[3]), half

    def rest(self, points: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """The heights of points above the smooth surface, and whether they lie over the grid."""
        steps = np.floor(np.nan_to_num((points[:, :2] - self.low) / self.cell, nan=-1.0, posinf=-1.0, neginf=-1.0))
        inside = ((steps >= 0) & (steps < self.height.shape)).all(axis=1)
        inside = np.asarray(inside)
        at = np.where(inside[:, None], steps, 0).astype(np.int64)
        return points[:, 2] - self.smooth[at[:, 0], at[:, 1]], inside

    def flatness(self) -> float:
        """The standard deviation of the smooth surface where the table is seen."""
        known = np.isfinite(self.height)
        return float(self.smooth[known].std()) if known.any() else 0.0


def _commonest(values: Floats) -> float:
    """The middle of the half of the values that lies closest together, halved again and again (half-sample mode)."""
    values = np.sort(values)
    while len(values) > 3:
        half = (len(values) + 1) // 2
        first = int(np.argmin(values[half - 1 :] - values[: len(values) - half + 1]))
        values = values[first : first + half]
    return float(values.mean())


def _smoothed(height: Floats) -> Floats:
    """A grid of heights smoothed over about three cells, the unknown ones filled from around."""
    known = np.isfinite(height)
    filled, weight = np.where(known, height, 0.0), known.astype(np.float64)
    smooth = np.zeros_like(height)
    done = np.zeros_like(known)
    for sigma in (2.5, 5.0, 10.0, 20.0):
        share = ndimage.gaussian_filter(weight, sigma, mode="constant")
        part = ndimage.gaussian_filter(filled, sigma, mode="constant") / np.maximum(share, 1e-12)
        fresh = ~done & (share > 0.1)
        smooth[fresh] = part[fresh]
        done |= fresh
    return smooth


def frame(normal: Floats, offset: float) -> Floats:
    """(4, 4): to a frame in which a plane is z = 0 and its normal z."""
    to_level = np.eye(4)
    to_level[:3, :3] = np.vstack([axes_in(normal), normal])
    to_level[2, 3] = -offset
    return to_level


def moved(to_level: Floats, points: Floats) -> Floats:
    """Points (n, 3) taken into another frame by a matrix (4, 4)."""
    return np.asarray(points @ to_level[:3, :3].T + to_level[:3, 3])


def deviation(values: Floats) -> float:
    """The standard deviation of a normal distribution with the same median distance from its median."""
    return float(1.4826 * np.median(np.abs(values - np.median(values)))) if len(values) else 0.0
