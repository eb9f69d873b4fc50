"""What makes hard things look made and used: rivets, bolts, stripes, gratings; dents, chipped edges, rubble.

Whatever is random takes a seeded `numpy.random.Generator`, so that a piece is the same each time it is sculpted.
"""

from collections.abc import Iterable

import numpy as np
from manifold3d import CrossSection, Manifold
from numpy.typing import ArrayLike

from models.source.settling import COARSE, settled
from models.source.solids import FRONT, ORIGIN, UP, Point, cut, placed, revolved, union

EMBEDDED = 0.3  # mm that a rivet, bolt or stripe reaches into what it sits on


def row(start: Point, end: Point, count: int) -> np.ndarray:
    """`count` points (count, 3) evenly from `start` to `end`, both included."""
    return np.linspace(start, end, count)


def around(diameter: float, count: int, at: Point = ORIGIN, towards: Point = UP, turn: float = 0.0) -> np.ndarray:
    """`count` points (count, 3) evenly on a circle about `at` that faces `towards`, the first `turn` degrees on."""
    angles = np.radians(turn) + np.arange(count) * (2 * np.pi / count)
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1) * diameter / 2
    return settled(ring @ _turned(towards).T + np.asarray(at, float))


def rivets(points: Iterable[Point], towards: Point = FRONT, diameter: float = 1.2, sides: int = 8) -> Manifold:
    """Domed rivet heads at `points` on a surface that faces `towards`."""
    radius = diameter / 2
    outline = [(0, -EMBEDDED), (radius, -EMBEDDED), (radius, 0), (0.62 * radius, 0.6 * radius)]
    return _scattered(revolved([*outline, (0, 0.6 * radius)], sides=sides), points, towards)


def bolts(points: Iterable[Point], towards: Point = FRONT, diameter: float = 1.8) -> Manifold:
    """Hexagonal bolt heads at `points` on a surface that faces `towards`."""
    radius, height = diameter / 2, 0.45 * diameter
    outline = [(0, -EMBEDDED), (radius, -EMBEDDED), (radius, 0.75 * height), (0.75 * radius, height), (0, height)]
    return _scattered(revolved(outline, sides=6), points, towards)


def _scattered(solid: Manifold, points: Iterable[Point], towards: Point) -> Manifold:
    turned = placed(solid, towards=towards)
    return union(turned.translate(tuple(settled(point))) for point in points)


def _turned(towards: Point) -> np.ndarray:
    forward = np.asarray(towards, float) / np.linalg.norm(towards)
    aside = np.eye(3)[settled(np.abs(forward)).argmin()]
    first = np.cross(aside, forward)
    first /= np.linalg.norm(first)
    return settled(np.stack([first, np.cross(forward, first), forward], axis=1))


def stripes(width: float, height: float, pitch: float, relief: float = 0.3) -> Manifold:
    """Hazard stripes as raised diagonal bars over a rectangle about the origin in the x-y plane, from z = 0 up."""
    reach = width / 2 + height
    starts = np.arange(-reach, reach, pitch)
    lean, half = height / 2, pitch / 4
    bars = [
        [(x - half - lean, -lean), (x + half - lean, -lean), (x + half + lean, lean), (x - half + lean, lean)]
        for x in starts
    ]
    drawn = CrossSection([np.array(bar) for bar in bars]) ^ CrossSection.square((width, height), True)
    return drawn.extrude(relief + EMBEDDED).translate((0, 0, -EMBEDDED))


def grating(width: float, height: float, pitch: float, bar: float, thickness: float) -> Manifold:
    """An open square grid about the origin in the x-y plane, from z = 0 up: bars `bar` wide every `pitch`."""
    columns, rows = int(width // pitch), int(height // pitch)
    x = (np.arange(columns) - (columns - 1) / 2) * pitch
    y = (np.arange(rows) - (rows - 1) / 2) * pitch
    hole = (pitch - bar) / 2
    corners = np.array([(-hole, -hole), (hole, -hole), (hole, hole), (-hole, hole)])
    centres = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    holes = CrossSection(list(centres[:, None] + corners))
    return (CrossSection.square((width, height), True) - holes).extrude(thickness)


def bent(
    solid: Manifold, rng: np.random.Generator, amount: float, wave: float = 20.0, fineness: float = 3.0
) -> Manifold:
    """The solid battered: every point moved by up to about `amount` mm, smoothly over distances of `wave` mm.

    `fineness` is the longest edge it is cut into first; the field is a sum of seeded plane waves.
    """
    directions = rng.normal(size=(8, 3))
    directions *= 2 * np.pi / wave / np.linalg.norm(directions, axis=1, keepdims=True)
    phases, pushes = rng.uniform(0, 2 * np.pi, 8), rng.normal(size=(8, 3)) * amount / 4

    def moved(points: np.ndarray) -> np.ndarray:
        return settled(points + np.sin(points @ directions.T + phases) @ pushes, COARSE)

    return solid.refine_to_length(fineness).warp_batch(moved).simplify(amount / 25)


def dented(
    solid: Manifold, at: ArrayLike, depth: ArrayLike, radius: ArrayLike, fineness: float | None = 1.5
) -> Manifold:
    """The solid with dents: points near `at` (n, 3) pushed by `depth` (n, 3), fading out over `radius` (n,).

    `fineness` is the longest edge it is cut into first; None moves the corners that it has.
    """
    centres, pushes, reach = np.atleast_2d(at), np.atleast_2d(depth), np.atleast_1d(radius)

    def moved(points: np.ndarray) -> np.ndarray:
        near = np.clip(1 - ((points[:, None] - centres) ** 2).sum(axis=2) / reach**2, 0, 1) ** 2
        return settled(points + near @ pushes, COARSE)

    if fineness is None:
        return solid.warp_batch(moved)
    return solid.refine_to_length(fineness).warp_batch(moved).simplify(0.04)


def chipped(solid: Manifold, rng: np.random.Generator, count: int, size: float = 1.0) -> Manifold:
    """The solid with `count` splinters of about `size` mm knocked out of its convex edges."""
    points = _edge_points(solid, rng, count)
    return cut(solid, (stone(size * rng.uniform(0.5, 1.3), rng, point) for point in points))


def _edge_points(solid: Manifold, rng: np.random.Generator, count: int) -> np.ndarray:
    """Random points (count, 3) on the solid's sharp convex edges, long edges oftener."""
    mesh = solid.to_mesh64()
    vertices, faces = np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts, np.int64)
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    starts, ends = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    owner = np.repeat(np.arange(len(faces)), 3)
    order = np.lexsort((np.maximum(starts, ends), np.minimum(starts, ends)))[: 2 * (len(starts) // 2)]
    one, other = order[0::2], order[1::2]
    bend = (normals[owner[one]] * normals[owner[other]]).sum(axis=1)
    beyond = corners[owner[other]].mean(axis=1) - vertices[starts[one]]
    convex = (normals[owner[one]] * beyond).sum(axis=1) < 0
    length = np.linalg.norm(vertices[ends[one]] - vertices[starts[one]], axis=1)
    weight = np.where((bend < 0.8) & convex, length, 0.0)
    chosen = one[rng.choice(len(one), count, p=weight / weight.sum())]
    share = rng.uniform(size=(count, 1))
    return vertices[starts[chosen]] * share + vertices[ends[chosen]] * (1 - share)


def stone(size: float, rng: np.random.Generator, at: Point = ORIGIN, corners: int = 9) -> Manifold:
    """An angular lump about `size` mm across: the hull of random points about `at`."""
    points = rng.normal(size=(corners, 3))
    points *= size / 2 / np.linalg.norm(points, axis=1, keepdims=True) * rng.uniform(0.75, 1.2, (corners, 1))
    return Manifold.hull_points(settled(points * rng.uniform(0.7, 1.3, 3) + np.asarray(at, float), COARSE))


def rubble(points: ArrayLike, sizes: ArrayLike, rng: np.random.Generator) -> Manifold:
    """Lumps of `sizes` (n,) lying at `points` (n, 3), cut off at the ground."""
    lumps = [stone(size, rng, point) for point, size in zip(np.asarray(points), np.asarray(sizes), strict=True)]
    return union(lumps).trim_by_plane(UP, 0.0)
