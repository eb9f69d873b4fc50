"""TAG: a figure as a grid of small cubes, filled from its surface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, spread

Indices = NDArray[np.intp]

MAX_CUBED_POINTS = 5_000_000  # on the surface, besides six for each triangle; a figure has a tenth
CUBED_TRIANGLES_AT_ONCE = 100_000
MARGIN_CUBES = 4  # empty cubes on every side
PINHOLE = 0.02  # the greatest share of a hollow's cubes that lie next to the outside, unless it is open to it
# The least share of the cubes behind the shell in all six directions that is inside; else it has holes.
CLOSED_SHELL_SHARE = 0.9


@dataclass(frozen=True, eq=False)
class Cubes:
    """The figure as a grid of cubes."""

    cubes: Flags  # (x, y, z) bool, which cubes are solid; MARGIN cubes on every side are not
    low: Floats  # (3,) float64, mm, the least corner of the grid
    pitch: float
    points: Floats  # (n, 3) float64, mm, points all over the surface, less than a cube apart

    @classmethod
    def of(cls, triangles: Floats, count: int) -> Cubes | None:
        """Filled from triangles (m, 3, 3), whether they close or not, with ``count`` cubes along the longest side.

        None where they span no volume, or lie over each other thousands of times.
        """
        if len(triangles) == 0:
            return None
        # By axis: numpy is ten times slower at going through short rows.
        low, high = (np.array([of_axis(triangles[..., axis]) for axis in range(3)]) for of_axis in (np.min, np.max))
        pitch = float((high - low).max()) / count
        if not 0.0 < pitch < np.inf:
            return None
        points = _surface_points(triangles, 0.7 * pitch)
        if points is None:
            return None
        # The grid lies evenly round the figure, so that a figure that is turned round is cut into the same cubes.
        shape = np.floor((high - low) / pitch).astype(np.intp) + 1 + 2 * MARGIN_CUBES
        low = (low + high - shape * pitch) / 2
        shell = np.zeros(shape, dtype=np.bool_)
        place = np.zeros(len(points), dtype=np.intp)  # in the grid as one row
        for axis in range(3):
            place = place * shape[axis] + np.floor((points[:, axis] - low[axis]) / pitch).astype(np.intp)
        shell.reshape(-1)[place] = True
        return cls(_filled(shell), low, pitch, points)

    def cells(self, points: Floats) -> tuple[Indices, ...]:
        """The cubes that points (n, 3) lie in, as three index arrays (n,)."""
        return tuple(np.floor((points - self.low) / self.pitch).astype(np.intp).T)

    def middles(self, cubes: Flags) -> Floats:
        """The middles (n, 3) of the cubes that are set, mm."""
        return self.low + (np.argwhere(cubes) + 0.5) * self.pitch


def _surface_points(triangles: Floats, spacing: float) -> Floats | None:
    """Points (n, 3) on triangles (m, 3, 3), no farther apart than ``spacing``; None where these would be too many."""
    sampled, left = [], MAX_CUBED_POINTS + 6 * len(triangles)
    for start in range(0, len(triangles), CUBED_TRIANGLES_AT_ONCE):
        points = _in_rows(triangles[start : start + CUBED_TRIANGLES_AT_ONCE], spacing, left)
        if points is None:
            return None
        left -= len(points)
        sampled.append(points)
    return np.concatenate(sampled)


def _in_rows(triangles: Floats, spacing: float, most: int) -> Floats | None:
    """Points (n, 3) in rows parallel to the longest edge of each triangle (m, 3, 3); None where over ``most``."""
    edges = np.stack([_lengths(triangles[:, (corner + 1) % 3] - triangles[:, corner]) for corner in range(3)], axis=1)
    small = edges.max(axis=1) <= spacing / 2  # the middle of such a triangle is near enough to all of it
    middles = (triangles[small, 0] + triangles[small, 1] + triangles[small, 2]) / 3
    triangles, edges = triangles[~small], edges[~small]
    first = edges.argmax(axis=1)
    own = np.arange(len(triangles))
    a, b, apex = (triangles[own, (first + turn) % 3] for turn in range(3))
    long = edges[own, first]
    high = _lengths(np.cross(b - a, apex - a)) / np.maximum(long, 1e-12)
    rows = np.ceil(high / spacing).astype(np.intp) + 1
    if (rows * (0.5 * long / spacing + 1.0)).sum() > most:
        return None
    row, owner = spread(0, rows)
    up = row / (rows[owner] - 1).clip(1)
    columns = np.ceil(long[owner] * (1.0 - up) / spacing).astype(np.intp) + 1
    column, scan = spread(0, columns)
    owner, up = owner[scan], up[scan][:, None]
    along = (column / (columns[scan] - 1).clip(1))[:, None]
    points = (1.0 - up) * ((1.0 - along) * a[owner] + along * b[owner]) + up * apex[owner]
    return np.concatenate([middles, points])


def _lengths(vectors: Floats) -> Floats:
    """The lengths (n,) of vectors (n, 3); to the last bit those of `numpy.linalg.norm`, which is slower by far."""
    x, y, z = vectors.T
    lengths: Floats = np.sqrt(x * x + y * y + z * z)
    return lengths


def _filled(shell: Flags) -> Flags:
    """The shell and the cubes inside it.

    A cube is outside where no shell lies between it and the border of the grid along an axis, to a side or upwards, or
    where it is connected with such cubes by more than a pinhole. Downwards does not count: a figure that was cut off
    its base is open there. Where the shell has holes, a cube counts as inside instead where the shell is met in at
    least five of the six directions.
    """
    met = np.zeros((6, *shell.shape), dtype=np.bool_)
    for axis in range(3):
        met[2 * axis] = np.logical_or.accumulate(shell, axis=axis)
        met[2 * axis + 1] = np.flip(np.logical_or.accumulate(np.flip(shell, axis), axis=axis), axis)
    below = 4
    hidden = met[np.arange(6) != below].all(axis=0) & ~shell
    hidden[:, :, :MARGIN_CUBES] = False
    outside = ~(shell | hidden)
    outside[:, :, :MARGIN_CUBES] = False
    next_to_outside = np.zeros_like(outside)
    for axis in range(3):
        next_to_outside |= np.roll(outside, 1, axis) | np.roll(outside, -1, axis)
    inside = hidden.copy()
    for piece in pieces(hidden):
        if next_to_outside[tuple(piece.T)].sum() > PINHOLE * len(piece):
            inside[tuple(piece.T)] = False
    enclosed = met.all(axis=0) & ~shell
    leaks = (inside & enclosed).sum() < CLOSED_SHELL_SHARE * enclosed.sum()
    filled: Flags = shell | (met.sum(axis=0, dtype=np.uint8) >= 5 if leaks else inside)
    return filled


def depths(cubes: Flags, reach: int) -> Floats:
    """The distance of each cube of ``cubes`` from the nearest cube outside them, in cubes, at most ``reach``."""

    depth: Floats = np.minimum(scipy.ndimage.distance_transform_edt(cubes), reach)
    return depth


def pieces(cubes: Flags) -> list[Indices]:
    """The pieces of ``cubes`` that are connected face to face, as rows (n, 3) of coordinates; the largest first."""

    labels, _ = scipy.ndimage.label(cubes)
    places = np.argwhere(cubes)
    own = labels[cubes]
    order = np.argsort(own, kind="stable")
    pieces = np.split(places[order], np.flatnonzero(np.diff(own[order])) + 1)
    return sorted(pieces, key=lambda piece: -len(piece))
