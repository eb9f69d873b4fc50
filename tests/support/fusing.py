"""Depth pictures are fused into one surface as scanning apps do, by truncated signed distances in blocks of voxels.

Each picture says of every voxel near what it saw how far the voxel lies before the surface; the mean over all pictures
is zero on the surface, which `skimage.measure.marching_cubes` then finds. The method is that of B. Curless and
M. Levoy, "A Volumetric Method for Building Complex Models from Range Images", 1996; blocks as in M. Niessner et al.,
"Real-time 3D Reconstruction at Scale using Voxel Hashing", 2013.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.renderers.views import View

BLOCK = 8
"""A block has so many voxels along each axis."""

TRUNCATION = 4.0
"""Distances are cut off at so many voxels: more would let the two faces of a thin wall wipe each other out."""

LEAST_SEEN = 2
"""A voxel that fewer pictures saw says nothing: one picture alone may be wrong at the rim of a thing."""

RANGE = 1 << 20
"""Block numbers lie between minus a half of this and a half of this."""


@dataclass
class Volume:
    """Sparse blocks of voxels, and what the pictures said of them.

    Attributes:
        voxel: mm, the length of a voxel's edge.
        keys: (b,) int64, which block stands in each row of the arrays below; ascending.
        distance: (b, 512) float32, the sum of the signed distances, in units of the truncation, above 0 outside.
        seen: (b, 512) float32, how many pictures said something.
        colour: (b, 512, 3) float32, the sum of the colours.
    """

    voxel: float
    keys: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    distance: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, BLOCK**3), np.float32))
    seen: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, BLOCK**3), np.float32))
    colour: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, BLOCK**3, 3), np.float32))

    def add(self, view: View, depth: NDArray[np.float32], colour: NDArray[np.float32]) -> None:
        """Enters a picture: ``depth`` (h, w) mm along the view's axis, 0 for nothing seen, and ``colour`` (h, w, 3)."""
        here = self._rows(self._blocks_seen(view, depth))
        reach = TRUNCATION * self.voxel
        for rows in np.array_split(here, max(1, len(here) // 2000)):  # 2000 blocks are a million voxels
            columns, lines, far = view.project(self._middles(rows))
            at_x, at_y = np.floor(columns), np.floor(lines)
            inside = (far > 0) & (at_x >= 0) & (at_x < view.width) & (at_y >= 0) & (at_y < view.height)
            pixel = at_y[inside].astype(np.intp) * view.width + at_x[inside].astype(np.intp)
            measured = depth.ravel()[pixel]
            before = (measured - far[inside]).astype(np.float32)
            tells = (measured > 0) & (before > -reach)
            voxels = inside.nonzero()[0][tells]
            place = rows[voxels // BLOCK**3], voxels % BLOCK**3
            self.distance[place] += np.minimum(before[tells] / np.float32(reach), 1.0)
            self.seen[place] += 1.0
            self.colour[place] += colour.reshape(-1, 3)[pixel[tells]]

    def surface(self) -> tuple[Floats, Integers, NDArray[np.float32]]:
        """The fused surface: vertices (n, 3) in mm, faces (m, 3), and the colour (n, 3) of each vertex.

        Raises:
            ValueError: where nothing was seen.
        """
        from skimage.measure import marching_cubes

        blocks = _numbers(self.keys)
        low = blocks.min(axis=0)
        shape = (blocks.max(axis=0) - low + 1) * BLOCK
        distance = np.ones(shape, np.float32)
        known = np.zeros(shape, np.bool_)
        where = self._places((blocks - low) * BLOCK)
        enough = self.seen >= LEAST_SEEN
        distance[where] = np.where(enough, self.distance / np.maximum(self.seen, 1.0), 1.0)
        known[where] = enough
        vertices, faces, _, _ = marching_cubes(distance, 0.0, mask=_whole_cubes(known), gradient_direction="descent")
        nearest = tuple(np.rint(vertices).astype(np.intp).T)
        colours = np.zeros((*shape, 3), np.float32)
        colours[where] = self.colour / np.maximum(self.seen, 1.0)[..., None]
        placed: Floats = (vertices + low * BLOCK + 0.5) * self.voxel
        return placed, faces.astype(np.int32), colours[nearest]

    def _blocks_seen(self, view: View, depth: NDArray[np.float32]) -> NDArray[np.int64]:
        """The keys of the blocks that a ray passes near the surface that it met."""
        rows, columns = np.nonzero(depth[::2, ::2] > 0)  # every second pixel: a block is much larger than a pixel
        rows, columns = 2 * rows, 2 * columns
        rays = view.directions(rows, columns)
        far = depth[rows, columns][:, None]
        size = BLOCK * self.voxel
        keys = [
            np.unique(_keys(np.floor((view.eye + (far + by * self.voxel) * rays) / size).astype(np.int64)))
            for by in (-TRUNCATION, -TRUNCATION / 2, 0.0, TRUNCATION / 2, TRUNCATION)
        ]
        return np.unique(np.concatenate(keys))

    def _rows(self, wanted: NDArray[np.int64]) -> NDArray[np.intp]:
        """The rows in which the blocks of some keys stand; those that are not there yet are put in."""
        keys = np.union1d(self.keys, wanted)
        if len(keys) > len(self.keys):
            old = np.searchsorted(keys, self.keys)
            for name in ("distance", "seen", "colour"):
                before = getattr(self, name)
                after = np.zeros((len(keys), *before.shape[1:]), np.float32)
                after[old] = before
                setattr(self, name, after)
            self.keys = keys
        return np.searchsorted(self.keys, wanted)

    def _middles(self, rows: NDArray[np.intp]) -> Floats:
        """(512 k, 3) mm, the middles of the voxels of some blocks."""
        corners = _numbers(self.keys[rows]) * BLOCK
        middles: Floats = (np.stack(self._places(corners), axis=-1).reshape(-1, 3) + 0.5) * self.voxel
        return middles

    @staticmethod
    def _places(corners: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """Three arrays (b, 512): the indices along each axis of the voxels of blocks with these first voxels."""
        within = np.indices((BLOCK, BLOCK, BLOCK)).reshape(3, -1)
        return tuple(corners[:, axis, None] + within[axis] for axis in range(3))


def _keys(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for the three of a block."""
    x, y, z = (numbers + RANGE // 2).T
    return (x * RANGE + y) * RANGE + z


def _numbers(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """(b, 3) the numbers of blocks along the axes, from their keys."""
    return np.stack([keys // RANGE**2, keys // RANGE % RANGE, keys % RANGE], axis=1) - RANGE // 2


def _whole_cubes(known: Flags) -> Flags:
    """Where all eight corners of a cube are known: marching cubes asks at the corner with the greatest indices."""
    whole = np.zeros_like(known)
    whole[1:, 1:, 1:] = True
    for corner in np.ndindex(2, 2, 2):
        x, y, z = (slice(by, by - 1 or None) for by in corner)
        whole[1:, 1:, 1:] &= known[x, y, z]
    return whole
