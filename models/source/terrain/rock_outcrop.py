"""A rock as a telephone scans it: facets, strata and cracks, then what goes wrong: noise, holes, faces turned over.

It is the one piece that is no solid, and on purpose: its underside is open, as no scan sees it.
"""

import fast_simplification
import numpy as np
from scipy.ndimage import label, map_coordinates
from skimage.measure import marching_cubes

from models.source.paints import ROCK
from models.source.writing import Mesh, Sculpture

STEP = 1.0  # mm between samples of the rock's field
TRIANGLES = 15_000
SIZE = np.array([0.84, 0.92, 1.05])  # what the rock is scaled by once it has its form
THROUGH = (np.array([2.0, 0.0, 21.0]), 4.0)  # a point and a radius: the scan missed the faces before and behind it
NOISE = 0.13  # mm
FLIPPED = 300  # faces whose outside became their inside
HOLES = [(8.0, 3), (5.5, 2), (4.0, 5), (2.5, 14), (1.2, 24)]  # diameter in mm, how many
# each lump: middle, half sizes, how many planes cut it
LUMPS = [
    ((-6, 1, 18), (25, 21, 36), 26),
    ((15, -4, 9), (19, 22, 26), 22),
    ((-17, 9, 6), (17, 17, 19), 20),
    ((17, 13, 3), (15, 14, 15), 18),
]


def sculpt() -> Sculpture:
    """The scan, its underside open at z = 0."""
    rng = np.random.default_rng(101)
    vertices, faces = _skin(rng)
    vertices = vertices + rng.normal(0, NOISE, vertices.shape) * (vertices[:, 2:] > 0.3)
    vertices, faces = _holed(vertices, faces, rng)
    turned = rng.choice(len(faces), FLIPPED, replace=False)
    faces[turned] = faces[turned][:, ::-1]
    return Sculpture("rock_outcrop", {"rock": _centred(vertices, faces)}, {"rock": ROCK})


def _skin(rng: np.random.Generator) -> Mesh:
    """The rock's surface above the ground, simplified to about `TRIANGLES`."""
    low, high = np.array([-48.0, -42.0, 0.0]), np.array([48.0, 42.0, 66.0])
    axes = [np.arange(start, end, STEP) for start, end in zip(low, high, strict=True)]
    field = _field(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1), rng)
    bodies, _ = label(field < 0)
    largest = np.bincount(bodies[bodies > 0]).argmax()
    field = np.where((bodies > 0) & (bodies != largest), STEP, field)  # no crumbs that float beside the rock
    vertices, faces, _, _ = marching_cubes(field, 0.0, spacing=(STEP,) * 3)  # type: ignore[no-untyped-call]
    vertices, faces = (vertices + low).astype(np.float32), faces.astype(np.int32)
    vertices, faces = fast_simplification.simplify(vertices, faces, target_count=TRIANGLES, agg=7)
    return np.asarray(vertices, float) * SIZE, np.asarray(faces, np.int64)


def _field(points: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Less than 0 in the rock, more outside, about in millimetres: cut lumps, layered, cracked and roughened."""
    drift = np.stack([_noise(points, 24.0, rng) for _ in range(3)], axis=-1)
    field = np.min([_lump(points + 3.0 * drift, *lump, rng) for lump in LUMPS], axis=0)
    tilt = points @ np.array([0.16, -0.10, 0.98]) + 2.0 * drift[..., 0]
    layer = tilt / 5.2 + 0.5 * _noise(points, 40.0, rng)
    ledge = layer - np.floor(layer)
    field = (
        field
        + 1.5 * np.clip(ledge - 0.55, 0, 0.45) / 0.45
        - 0.9 * _noise(np.floor(layer)[..., None] * [9.7, 5.3, 7.1], 6.0, rng)
    )
    crack = np.abs(_noise(points, 19.0, rng))
    field = field + 2.2 * np.clip(1 - crack / 0.05, 0, 1)
    rough = [(11.0, 1.5), (5.5, 0.75), (2.8, 0.42), (1.6, 0.24)]
    return np.asarray(field + sum(height * _noise(points, wave, rng) for wave, height in rough))


def _lump(
    points: np.ndarray, middle: tuple[float, ...], half: tuple[float, ...], planes: int, rng: np.random.Generator
) -> np.ndarray:
    """The greatest signed distance to random planes that touch an ellipsoid: a boulder of flat faces."""
    normals = rng.normal(size=(planes, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    reach = np.linalg.norm(normals * np.array(half), axis=1) * rng.uniform(0.80, 1.02, planes)
    relative = points - np.array(middle, float)
    field = np.full(points.shape[:-1], -np.inf)
    for normal, distance in zip(normals, reach, strict=True):
        np.maximum(field, relative @ normal - distance, out=field)
    return field


def _noise(points: np.ndarray, wave: float, rng: np.random.Generator) -> np.ndarray:
    """Smooth noise from about -1 to 1 that varies over `wave` mm: a random lattice, interpolated, endless."""
    lattice = rng.uniform(-1, 1, (16, 16, 16))
    at = np.moveaxis(points / wave, -1, 0)
    order = 1 if wave > 15 else 3
    return 1.2 * np.reshape(map_coordinates(lattice, at.reshape(3, -1), order=order, mode="grid-wrap"), at.shape[1:])


def _holed(vertices: np.ndarray, faces: np.ndarray, rng: np.random.Generator) -> Mesh:
    """The scan without the faces round some random points above the ground, and round one line right through."""
    centres = vertices[faces].mean(axis=1)
    kept = np.ones(len(faces), bool)
    for diameter, count in HOLES:
        high = np.flatnonzero(centres[:, 2] > 6 + diameter)
        for place in centres[rng.choice(high, count, replace=False)]:
            kept &= np.linalg.norm(centres - place, axis=1) > diameter / 2
    middle, radius = THROUGH
    kept &= np.linalg.norm((centres - middle)[:, [0, 2]], axis=1) > radius
    return vertices, faces[kept]


def _centred(vertices: np.ndarray, faces: np.ndarray) -> Mesh:
    """The mesh without unused vertices, the middle of its outline at the origin, its lowest point at 0."""
    used, renumbered = np.unique(faces, return_inverse=True)
    vertices = vertices[used]
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return vertices - [*(low + high)[:2] / 2, low[2]], renumbered.reshape(-1, 3)
