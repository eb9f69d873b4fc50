"""A z-buffer in numpy, short enough to check by eye; the other renderers are judged by it.

Everything happens in the frame of the view: x right, y up, z forward from the eye. A pixel looks along d = (x, y, 1),
and with the corners a, b, c of a triangle and s = d·(b × c) + d·(c × a) + d·(a × b), the line along d meets it at

    (d·(b × c) a + d·(c × a) b + d·(a × b) c) / s

which lies in the triangle where the three products have one sign, and before the eye where its z is above zero.
A triangle whose plane passes through the eye, a·(b × c) = 0, has no area in the picture and is left out.
Nothing is divided by a depth on the way there, so a triangle that reaches behind the eye needs no clipping.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body, Capabilities, Layer, Renderer
from silhouette.renderers.views import View

Indices = NDArray[np.int64]

# Depths that differ by less than a float32 can hold are equal, and the lower id is in front.
SAME_DEPTH = 1.0 + 2.0**-22

# So many pairs of a triangle and a pixel are in memory at once, each some 150 bytes.
PIXEL_PAIRS_AT_ONCE = 1_000_000


class ReferenceRenderer(Renderer):
    """Tests each triangle at each pixel of its bounding box, in float64. Slow, sure, and always there."""

    name = "reference"
    device = "numpy"
    capabilities = Capabilities(sparse=True)

    def share(self, meshes: Sequence[Mesh]) -> bool:
        """See `Renderer.share`: this renderer keeps nothing, so there is nothing to share."""
        return True

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """See `Renderer.render`.

        >>> from silhouette.common.geometry import Pose
        >>> from silhouette.meshes.mesh import Mesh
        >>> view = View(np.zeros(3), np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]]), -0.5, 0.5, 0.5, width=2, height=2)
        >>> corners = np.array([[-9.0, 5.0, 0.0], [9.0, 5.0, 0.0], [0.0, 5.0, 9.0]])
        >>> mesh = Mesh(corners, np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
        >>> ReferenceRenderer().render(view, [Body(7, mesh, Pose.standing())]).ids.tolist()
        [[7, 7], [0, 0]]
        >>> ReferenceRenderer().render(view, []).depth.tolist()
        [[inf, inf], [inf, inf]]
        """
        if pixels is None:
            layer = self.render(view, bodies, np.indices((view.height, view.width)).reshape(2, -1).T)
            shape = view.height, view.width
            return Layer(layer.ids.reshape(shape), layer.depth.reshape(shape))
        if len(pixels) == 0:
            return Layer.empty((0,))
        samples = _PixelSamples.of(view, np.asarray(pixels, dtype=np.float64))
        ascending = sorted(bodies, key=lambda body: body.id)
        hits = [_nearest_hits(view, body, samples) for body in ascending]
        depth = np.full(len(samples.x), np.inf)
        for where, distance in hits:
            depth[where] = np.minimum(depth[where], distance)
        ids = np.zeros(len(depth), np.int32)
        for body, (where, distance) in zip(reversed(ascending), reversed(hits), strict=True):
            ids[where[distance <= depth[where] * SAME_DEPTH]] = body.id
        layer = Layer.empty(depth.shape)
        layer.ids[samples.order], layer.depth[samples.order] = ids, depth
        return layer


@dataclass(frozen=True, eq=False)
class _PixelSamples:
    """The requested points, in reading order of the pixels that they lie in."""

    # low, high: (2,) the least and greatest row and column of those pixels
    low: Indices
    high: Indices
    keys: Indices  # (n,) ascending; a pixel's place in the reading order of the box from low to high
    # x, y: (n,) where each point lies in the plane at distance one, along right and along up
    x: Floats
    y: Floats
    off: float  # how far, in pixels, a point lies from the middle of its pixel at most; 0 for whole rows and columns
    order: Indices  # (n,) the index of each point among the requested points

    @classmethod
    def of(cls, view: View, points: Floats) -> _PixelSamples:
        places = np.rint(points).astype(np.int64)
        low, high = places.min(axis=0), places.max(axis=0)
        keys = (places[:, 0] - low[0]) * (high[1] - low[1] + 1) + places[:, 1] - low[1]
        order = np.argsort(keys, kind="stable")
        x = view.left + (points[order, 1] + 0.5) * view.step
        y = view.top - (points[order, 0] + 0.5) * view.step
        return cls(low, high, keys[order], x, y, float(np.abs(points - places).max()), order)

    def key(self, rows: Indices, columns: Indices) -> Indices:
        """The keys that pixels of the box from low to high have."""
        width: np.int64 = self.high[1] - self.low[1] + 1
        keys: Indices = (rows - self.low[0]) * width + columns - self.low[1]
        return keys


def _nearest_hits(view: View, body: Body, samples: _PixelSamples) -> tuple[Indices, Floats]:
    """The samples at which a body is hit, and how deep (float64, mm) it is hit first."""
    points = (body.pose.place(body.mesh.vertices) - view.eye) @ view.axes.T
    corners = points[body.mesh.faces]
    low, high = _bounding_boxes(view, corners, samples)
    chosen = np.flatnonzero((low <= high).all(axis=1))
    chosen = chosen[~_touched(corners[chosen])]
    corners, low, high = corners[chosen], low[chosen], high[chosen]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    # By coordinate and corner, so that what is taken for many pixels lies together.
    normals = np.ascontiguousarray(np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)]).transpose(2, 0, 1))
    z = np.ascontiguousarray(corners[:, :, 2].T)
    depth = np.full(len(samples.x), np.inf)
    for triangle, row in _spread(high[:, 0] - low[:, 0] + 1):
        first = np.searchsorted(samples.keys, samples.key(low[triangle, 0] + row, low[triangle, 1]))
        after = np.searchsorted(samples.keys, samples.key(low[triangle, 0] + row, high[triangle, 1]), "right")
        for span, step in _spread(after - first):
            sample, owner = first[span] + step, triangle[span]
            hit, distance = _hits(normals, z, owner, samples.x[sample], samples.y[sample])
            np.minimum.at(depth, sample[hit], distance)
    where = np.flatnonzero(depth < np.inf)
    return where, depth[where]


def _touched(corners: Floats) -> Flags:
    """(m,) the triangles, (m, 3, 3) seen from the eye, whose plane passes nearer to it than `NEAREST_DEPTH_MM`."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    touched: Flags = np.abs(np.einsum("ij,ij->i", normals, a)) <= NEAREST_DEPTH_MM * lengths
    return touched


def _bounding_boxes(view: View, corners: Floats, samples: _PixelSamples) -> tuple[Indices, Indices]:
    """The least and greatest row and column (m, 2) with samples that each triangle may cover.

    A triangle that is not wholly before the eye may cover all of them, unless it lies outside one side of the frustum.
    """
    x, y, z = corners[..., 0], corners[..., 1], corners[..., 2]
    left, right = view.left + samples.low[1] * view.step, view.left + (samples.high[1] + 1) * view.step
    top, bottom = view.top - samples.low[0] * view.step, view.top - (samples.high[0] + 1) * view.step
    beyond: Flags = np.stack([z <= 0, x < left * z, x > right * z, y > top * z, y < bottom * z])
    before: Flags = np.all(z > 0, axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        places = np.stack([(view.top - y / z) / view.step, (x / z - view.left) / view.step], axis=2) - 0.5
    slack = samples.off + 1e-3
    low = np.clip(np.ceil(places.min(axis=1) - slack), samples.low, samples.high + 1)
    high = np.clip(np.floor(places.max(axis=1) + slack), samples.low - 1, samples.high)
    low, high = np.where(before[:, None], low, samples.low), np.where(before[:, None], high, samples.high)
    outside: Flags = np.all(beyond, axis=2)
    high[np.any(outside, axis=0)] = samples.low - 1
    return low.astype(np.int64), high.astype(np.int64)


def _hits(normals: Floats, z: Floats, owner: Indices, x: Floats, y: Floats) -> tuple[Indices, Floats]:
    """Of pairs of a triangle and a pixel (n,): the numbers of those that hit, and how deep, mm.

    Takes the normals b × c, c × a and a × b of all triangles, their x, y and z (3, 3, m), the corners' depths (3, m),
    and of each pair the triangle and the pixel's x and y.
    """
    weights = [
        normals[0, corner][owner] * x + normals[1, corner][owner] * y + normals[2, corner][owner] for corner in range(3)
    ]
    first, second, third = weights
    positive = (first >= 0) & (second >= 0) & (third >= 0)
    negative = (first <= 0) & (second <= 0) & (third <= 0)
    total = first + second + third
    hit = np.flatnonzero((positive | negative) & (total != 0))
    owner = owner[hit]
    first, second, third = (weight[hit] * z[corner][owner] for corner, weight in enumerate(weights))
    depth = (first + second + third) / total[hit]
    before = depth >= NEAREST_DEPTH_MM
    return hit[before], depth[before]


def _spread(counts: Indices) -> Iterator[tuple[Indices, Indices]]:
    """Each index i ``counts[i]`` times, and the number of the repetition; in pieces that fit into memory.

    >>> [(index.tolist(), step.tolist()) for index, step in _spread(np.array([2, 0, 3]))]
    [([0, 0, 2, 2, 2], [0, 1, 0, 1, 2])]
    """
    ends = np.cumsum(counts)
    start = 0
    while start < len(counts):
        done = int(ends[start] - counts[start])
        stop = max(start + 1, int(np.searchsorted(ends, done + PIXEL_PAIRS_AT_ONCE, "right")))
        index = np.repeat(np.arange(start, stop), counts[start:stop])
        yield index, np.arange(len(index)) - (ends - counts)[index] + done
        start = stop
