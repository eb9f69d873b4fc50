"""Small tables as a scan shows them, made at once: one surface over everything, rounded where things meet.

A height field will do for boxes, discs and walls seen from above and from all sides: a square grid that is let down
over the scene, with as many rows on the steep parts as elsewhere. The triangles of a heap share their vertices, as a
fused scan's do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter

from silhouette.common.geometry import Floats, Integers

Heights = Callable[[Floats, Floats], Floats]
"""Heights in mm over places x, y; 0 where the thing is not."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table with things on it.

    Attributes:
        points: (n, 3) mm.
        faces: (m, 3).
        truth: (n,) int32, 0 the table, k the k-th thing.
        size: of the table.
    """

    points: Floats
    faces: Integers
    truth: Integers
    size: tuple[float, float]


def disc(x: float, y: float, diameter: float, height: float = 3.0) -> Heights:
    """A round base, a can, a barrel."""
    return lambda u, v: np.where(np.hypot(u - x, v - y) < diameter / 2, height, 0.0)


def box(x: float, y: float, wide: float, deep: float, height: float, turn: float = 0.0) -> Heights:
    """A box about a place, turned by some degrees."""
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))

    def heights(u: Floats, v: Floats) -> Floats:
        along, across = c * (u - x) + s * (v - y), c * (v - y) - s * (u - x)
        return np.where((np.abs(along) < wide / 2) & (np.abs(across) < deep / 2), height, 0.0)

    return heights


def figure(x: float, y: float, base: float = 25.0, height: float = 32.0, on: float = 0.0) -> Heights:
    """A figure on a round base, standing at a height: legs and trunk off the middle, a head, an arm."""

    def heights(u: Floats, v: Floats) -> Floats:
        up = np.where(np.hypot(u - x, v - y) < base / 2, on + 3.0, 0.0)
        trunk = np.hypot((u - x - 1) / 0.8, v - y) < 0.2 * base
        up = np.where(trunk, on + 0.75 * height, up)
        up = np.where(np.hypot(u - x - 1, v - y) < 0.1 * base, on + height, up)
        arm = (np.abs(v - y) < 1.5) & (u - x > 0) & (u - x < 0.4 * base)
        return np.maximum(up, np.where(arm, on + 0.5 * height, 0.0))

    return heights


def table(
    things: Sequence[Heights], *, size: float = 110.0, step: float = 1.0, noise: float = 0.1, seed: int = 1
) -> Table:
    """A square table with things on it, as its scan.

    Args:
        things: each over the others where it is higher.
        size: of the table in mm.
        step: between points, in plan and, on walls, about as much upwards.
        noise: mm, standard deviation.
        seed: of the noise.
    """
    fine = np.arange(-size / 2, size / 2 + 0.1, 0.5)
    x, y = np.meshgrid(fine, fine, indexing="ij")
    layers = np.stack([np.zeros_like(x), *(thing(x, y) for thing in things)])
    top, which = layers.max(0), layers.argmax(0)
    top = gaussian_filter(top, 0.5)  # rounded by a quarter of a millimetre
    return _surface(top, which, fine, step, noise, seed, size)


def _surface(top: Floats, which: Integers, fine: Floats, step: float, noise: float, seed: int, size: float) -> Table:
    """The skin of the solid under a height field, by surface nets (Gibson, 1998) on cubes as wide as a step."""
    plan = top[:: round(step / 0.5), :: round(step / 0.5)]
    kind = which[:: round(step / 0.5), :: round(step / 0.5)]
    layers = int(np.ceil(top.max() / step)) + 3
    z = (np.arange(layers) - 1.5) * step
    depth = np.clip((plan[:, :, None] - z[None, None]) / step, -2, 2)
    inside = depth > 0
    corner = np.zeros((inside.shape[0] - 1, inside.shape[1] - 1, layers - 1), dtype=np.int8)
    for i in (0, 1):
        for j in (0, 1):
            for k in (0, 1):
                corner += inside[i : i + corner.shape[0], j : j + corner.shape[1], k : k + corner.shape[2]]
    cube = (corner > 0) & (corner < 8)
    number = np.full(cube.shape, -1)
    number[cube] = np.arange(np.count_nonzero(cube))
    points, label = _middles(depth, kind, cube, z, step, size)
    faces = _quads(inside, number)
    random = np.random.default_rng(seed)
    points += random.normal(0, noise, points.shape)
    return Table(points, faces.astype(np.int32), label.astype(np.int32), (size, size))


def _middles(
    depth: Floats, kind: Integers, cube: np.ndarray, z: Floats, step: float, size: float
) -> tuple[Floats, Integers]:
    """Where the surface crosses the edges of each cube, on average, and what it is a part of."""
    at = np.argwhere(cube)
    total, count = np.zeros((len(at), 3)), np.zeros(len(at))
    for axis in range(3):
        for one in (0, 1):
            for other in (0, 1):
                start = np.zeros(3, dtype=int)
                start[[a for a in range(3) if a != axis]] = one, other
                low = at + start
                high = low.copy()
                high[:, axis] += 1
                a, b = depth[tuple(low.T)], depth[tuple(high.T)]
                crosses = (a > 0) != (b > 0)
                place = low.astype(float)
                place[:, axis] += np.where(crosses, a / np.where(crosses, a - b, 1), 0)
                total += place * crosses[:, None]
                count += crosses
    middle = total / count[:, None]
    corners = np.stack([kind[at[:, 0] + i, at[:, 1] + j] for i in (0, 1) for j in (0, 1)])
    label = np.where(middle[:, 2] * step + z[0] > 0.6, corners.max(0), 0)
    return np.column_stack([middle[:, :2] * step - size / 2, middle[:, 2] * step + z[0]]), label


def _quads(inside: np.ndarray, number: Integers) -> Integers:
    """Two triangles over each edge of the grid that the surface crosses, facing outward."""
    faces = []
    for axis in range(3):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        a = np.moveaxis(inside, (axis, one, two), (0, 1, 2))
        n = np.moveaxis(number, (axis, one, two), (0, 1, 2))
        crosses = np.argwhere(a[:-1, 1:-1, 1:-1] != a[1:, 1:-1, 1:-1])
        i, j, k = crosses[:, 0], crosses[:, 1] + 1, crosses[:, 2] + 1
        quad = np.stack([n[i, j - 1, k - 1], n[i, j, k - 1], n[i, j, k], n[i, j - 1, k]], axis=1)
        flip = ~a[i, j, k]
        quad[flip] = quad[flip][:, ::-1]
        faces += [quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]]
    return np.vstack(faces)
