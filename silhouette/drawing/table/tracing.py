"""DRAW: outlines of meshes as they stand, from above or from a side, true to a quarter of a millimetre.

mesh -> orthographic mask, by the spans of its triangles on the rows of a grid -> contours -> simplified rings
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Pose
from silhouette.meshes.mesh import Mesh
from silhouette.models.model import INSIGNIFICANT, Model

if TYPE_CHECKING:
    from matplotlib.path import Path as Outline

STEP = 0.3
"""mm between samples."""

MOST_ACROSS = 800
"""Samples along the longer side of a mesh, at most: large pieces are traced less finely."""

AT_ONCE = 1_000_000
"""Spans of triangles that are in memory at the same time, each some 80 bytes."""

SEAM = 1e-9
"""Samples: so much wider is a triangle, for a sample on an edge that it shares to lie in one of the two at least."""

SMOOTH = 0.6
"""Samples: what the staircase of a mask is smoothed with."""

SMALLEST = 6.0
"""Samples: outlines and holes of a smaller area are left out."""

Rings = tuple[Floats, ...]
"""Closed outlines (n, 2), holes going round the other way."""


@lru_cache(maxsize=256)
def from_above(mesh: Mesh) -> Rings:
    """The outline of a mesh seen from straight above, in its own frame."""
    return outline(mesh, Pose.standing(), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))


@lru_cache(maxsize=256)
def insignificant(model: Model) -> Mesh:
    """The parts of a model that do not count, without its base."""
    return model.mesh.subset(model.role == INSIGNIFICANT)


def standing(mesh: Mesh, pose: Pose) -> Rings:
    """The outline from above of a mesh that stands upright somewhere, in the world."""
    return tuple(pose.place(np.column_stack([ring, np.zeros(len(ring))]))[:, :2] for ring in from_above(mesh))


def outline(mesh: Mesh, pose: Pose, right: Floats, up: Floats) -> Rings:
    """The outline of a mesh as it stands, seen along the direction across two unit vectors of the world.

    Points of it are (world point · right, world point · up).
    """
    if not len(mesh.faces):
        return ()
    points = pose.place(mesh.vertices) @ np.array([right, up]).T
    used = points[np.unique(mesh.faces)]
    low, high = used.min(axis=0), used.max(axis=0)
    step = max(STEP, float((high - low).max()) / MOST_ACROSS)
    width, height = (int(np.ceil(span / step)) + 6 for span in high - low)
    corner = (low + high) / 2 + np.array([-width, height]) * (step / 2)
    triangles = ((points - corner) / [step, -step])[mesh.faces]
    return tuple(corner + ring * [step, -step] for ring in traced(covered(triangles, width, height)))


def covered(triangles: Floats, width: int, height: int) -> Flags:
    """Which pixels' centres lie in one of many triangles.

    Args:
        triangles: (n, 3, 2) corners in pixels from the upper left corner of the picture, x to the right, y down;
            all of them within the picture.
        width, height: of the picture, in pixels.

    >>> covered(np.array([[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]]), 4, 4).astype(int)
    array([[1, 1, 1, 1],
           [1, 1, 1, 0],
           [1, 1, 0, 0],
           [1, 0, 0, 0]])
    >>> covered(np.array([[[0.0, 0.5], [4.0, 0.5], [2.0, 0.5]]]), 4, 1).tolist()
    [[False, False, False, False]]
    """
    stride = width + 1
    changes = np.zeros(height * stride, np.int64)
    tall = np.cumsum(np.ptp(triangles[..., 1], axis=1) + 1.0) // AT_ONCE
    for some in np.split(triangles, np.flatnonzero(np.diff(tall)) + 1):
        rows, left, right = _spans(some)
        changes += np.bincount(rows * stride + left, minlength=len(changes))
        changes -= np.bincount(rows * stride + right, minlength=len(changes))
    mask: Flags = changes.reshape(height, stride).cumsum(axis=1)[:, :width] > 0
    return mask


def _spans(triangles: Floats) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """For each row of pixels' centres that a triangle crosses: the row, the first column and the one after the last."""
    x, y = triangles[..., 0] - 0.5, triangles[..., 1] - 0.5
    first = np.ceil(y.min(axis=1)).astype(np.int64)
    count = np.floor(y.max(axis=1)).astype(np.int64) - first + 1
    owner = np.repeat(np.arange(len(count)), count)
    rows = np.arange(len(owner)) + np.repeat(first - (np.cumsum(count) - count), count)
    left, right = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
    for one, other in ((0, 1), (1, 2), (2, 0)):
        rise = (y[:, other] - y[:, one])[owner]
        share = (rows - y[owner, one]) / np.where(rise == 0.0, 1.0, rise)
        at = x[owner, one] + share * (x[:, other] - x[:, one])[owner]
        met = (rise != 0.0) & (share >= 0.0) & (share <= 1.0)
        np.minimum(left, at, out=left, where=met)
        np.maximum(right, at, out=right, where=met)
    whole = left <= right
    rows, start = rows[whole], np.ceil(left[whole] - SEAM).astype(np.int64)
    end = np.floor(right[whole] + SEAM).astype(np.int64) + 1
    kept = end > start
    return rows[kept], start[kept], end[kept]


def traced(mask: Flags, tolerance: float = 0.35) -> Rings:
    """The outlines of an area of a picture, in pixels from its upper left corner: x to the right, y down.

    Args:
        mask: (height, width) bool.
        tolerance: how far, in pixels, an outline may be moved to have fewer corners.
    """
    import shapely
    from contourpy import contour_generator
    from scipy.ndimage import gaussian_filter

    if not mask.any():
        return ()
    smooth = gaussian_filter(np.pad(mask, 2).astype(np.float32), SMOOTH)
    lines: list[NDArray[Any]] = contour_generator(z=smooth).lines(0.5)  # type: ignore[assignment]
    found = []
    for line in lines:
        if len(line) < 4 or abs(ring_area(line)) < SMALLEST:
            continue
        simple = shapely.get_coordinates(shapely.simplify(shapely.LinearRing(line), tolerance))
        if len(simple) >= 4:
            found.append(simple - 1.5)
    return tuple(found)


def ring_area(ring: NDArray[Any]) -> float:
    """The area within a ring (n, 2), negative where it goes round clockwise."""
    x, y = (ring - ring[0]).T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)) / 2


def path_of(rings: Rings) -> Outline:
    """The same for matplotlib, as one shape with its holes."""
    from matplotlib.path import Path

    closed = [np.concatenate([ring, ring[:1]]) for ring in rings]
    return Path.make_compound_path(*(Path(ring, closed=True) for ring in closed))


def area_of(rings: Rings) -> Any:
    """The same for shapely, valid, with its holes."""
    import shapely

    whole = shapely.Polygon()
    for ring in sorted(rings, key=lambda ring: -abs(ring_area(ring))):
        whole = shapely.symmetric_difference(whole, shapely.make_valid(shapely.Polygon(ring)))
    return whole


def rings_of(area: Any) -> Rings:
    """The rings of a shapely area; holes going round the other way."""
    import shapely

    found: list[Floats] = []
    for part in shapely.get_parts(area):
        if part.geom_type != "Polygon" or part.is_empty:
            continue
        clean = shapely.orient_polygons(part) if hasattr(shapely, "orient_polygons") else shapely.normalize(part)
        found += [np.asarray(ring.coords) for ring in (clean.exterior, *clean.interiors)]
    return tuple(found)
