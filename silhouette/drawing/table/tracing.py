"""DRAW: outlines of posed meshes, from above or from a side, with an error of about a quarter of a millimetre."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from contourpy import contour_generator
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Pose
from silhouette.common.lazy import derived
from silhouette.drawing import plotting
from silhouette.meshes.mesh import Mesh
from silhouette.models.model import INSIGNIFICANT, Model

if TYPE_CHECKING:
    from matplotlib.path import Path as Outline

MASK_STEP = 0.3  # mm between the samples of a mask
MAX_TRACED_SAMPLES = 800  # the most samples along the longer side of a mesh: large pieces are traced less finely
SPANS_AT_ONCE = 1_000_000  # the number of triangles' spans that are in memory at the same time, at about 80 bytes each
SEAM = 1e-9  # samples that a triangle is widened by on both sides: one on a shared edge then lies in one at least
SMOOTHING_SAMPLES = 0.6  # samples: the standard deviation of the Gaussian that smooths the staircase of a mask
SMOOTHING_REACH = 2  # samples to each side that it reaches
MASK_STRIP_ROWS = 32  # rows of a mask that are smoothed at a time
MIN_OUTLINE_AREA = 6.0  # square samples: outlines and holes of a smaller area are left out
Rings = tuple[Floats, ...]  # closed outlines (n, 2), each without a repeated last point; holes go round the other way


@derived
def from_above(mesh: Mesh) -> Rings:
    """The outline of a mesh seen from straight above, mm in its own frame; traced once."""
    return outline(mesh, Pose.standing(), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))


@derived
def insignificant(model: Model) -> Mesh:
    """The insignificant parts of a model, without its base."""
    return model.mesh.subset(model.role == INSIGNIFICANT)


@derived
def standing(pose: Pose, mesh: Mesh) -> Rings:
    """The outline from above of a mesh that stands upright in a pose, mm in the world; placed once for all figures."""
    level = (np.column_stack([ring, np.zeros(len(ring))]) for ring in from_above(mesh))
    return tuple(pose.place(ring)[:, :2] for ring in level)


def outline(mesh: Mesh, pose: Pose, right: Floats, up: Floats) -> Rings:
    """The outline of a posed mesh, projected along the direction that is at right angles to two unit vectors (3,) of
    the world: rings of points (world point · right, world point · up), mm; none without faces.
    """
    if not len(mesh.faces):
        return ()
    points = pose.place(mesh.vertices) @ np.array([right, up]).T
    used = np.zeros(len(points), np.bool_)
    used[mesh.faces] = True
    low, high = points[used].min(axis=0), points[used].max(axis=0)
    step = max(MASK_STEP, float((high - low).max()) / MAX_TRACED_SAMPLES)
    width, height = (int(np.ceil(span / step)) + 6 for span in high - low)
    corner = (low + high) / 2 + np.array([-width, height]) * (step / 2)
    places = ((points - corner) / [step, -step]).T
    triangles = places.take(mesh.faces.T, axis=1).T  # each coordinate of each corner lies together in memory
    return tuple(corner + ring * [step, -step] for ring in traced(covered(triangles, width, height)))


def covered(triangles: Floats, width: int, height: int) -> Flags:
    """(height, width) bool: the pixels whose centres lie in any of the triangles, whose corners (n, 3, 2) are in pixels
    from the upper left corner, x to the right, y down, all within the picture. For each row of centres that a triangle
    crosses, +1 is entered at the first pixel of its span, and -1 after the last: the running sum along the row counts
    the triangles that cover each pixel.

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
    upright = triangles[..., 1]
    high = np.maximum(np.maximum(upright[:, 0], upright[:, 1]), upright[:, 2])
    low = np.minimum(np.minimum(upright[:, 0], upright[:, 1]), upright[:, 2])
    tall = np.cumsum(high - low + 1.0) // SPANS_AT_ONCE
    for group in np.split(triangles, np.flatnonzero(np.diff(tall)) + 1):
        rows, left, right = _spans(group)
        changes += np.bincount(rows * stride + left, minlength=len(changes))
        changes -= np.bincount(rows * stride + right, minlength=len(changes))
    mask: Flags = changes.reshape(height, stride).cumsum(axis=1)[:, :width] > 0
    return mask


def _spans(triangles: Floats) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The spans of triangles (n, 3, 2) on rows of pixel centres: row, first column, one past the last, (m,) each."""
    x, y = (np.ascontiguousarray(triangles[..., axis].T) - 0.5 for axis in (0, 1))
    first, last = np.ceil(np.minimum.reduce(y)), np.floor(np.maximum.reduce(y))
    across = np.ceil(np.minimum.reduce(x) - 2.0 * SEAM) <= np.floor(np.maximum.reduce(x) + 2.0 * SEAM)
    some = np.flatnonzero((first <= last) & across)  # the others hold no pixel's centre: of small ones, most
    x, y, first = x[:, some], y[:, some], first[some].astype(np.int64)
    count = last[some].astype(np.int64) - first + 1
    owner = np.repeat(np.arange(len(count)), count)
    rows = np.arange(len(owner)) + np.repeat(first - (np.cumsum(count) - count), count)
    left, right = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
    for start, end in ((0, 1), (1, 2), (2, 0)):
        rise = y[end] - y[start]
        rise[rise == 0.0] = np.nan  # a level edge has no place on a row
        share = (rows - y[start].take(owner)) / rise.take(owner)
        share[(share < 0.0) | (share > 1.0)] = np.nan
        at = x[start].take(owner) + share * (x[end] - x[start]).take(owner)
        np.fmin(left, at, out=left)
        np.fmax(right, at, out=right)
    whole = left <= right
    rows, first_column = rows[whole], np.ceil(left[whole] - SEAM).astype(np.int64)
    end_column = np.floor(right[whole] + SEAM).astype(np.int64) + 1
    filled = end_column > first_column
    return rows[filled], first_column[filled], end_column[filled]


def traced(mask: Flags, tolerance: float = 0.35) -> Rings:
    """The outlines and holes, of at least `MIN_OUTLINE_AREA`, of an area (height, width) of a picture, in pixels from
    its upper left corner: x to the right, y down. They may move by the tolerance, in pixels, to have fewer corners.

    >>> traced(np.zeros((5, 5), np.bool_))
    ()
    >>> square = np.zeros((20, 20), np.bool_)
    >>> square[5:15, 5:15] = True
    >>> (ring,) = traced(square)
    >>> ring.min(axis=0).round(1).tolist(), ring.max(axis=0).round(1).tolist()
    ([5.0, 5.0], [15.0, 15.0])
    """
    rows = np.flatnonzero(mask.any(axis=1))
    if not len(rows):
        return ()
    columns = np.flatnonzero(mask[rows[0] : rows[-1] + 1].any(axis=0))
    area = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    smooth = _smoothed(np.pad(area, SMOOTHING_REACH))
    x, y = (np.arange(size, dtype=np.float64) for size in smooth.shape[::-1])
    generator = contour_generator(x + columns[0], y + rows[0], smooth)
    lines: list[NDArray[Any]] = generator.lines(0.5)  # type: ignore[assignment]
    large = [line for line in lines if len(line) >= 4 and abs(ring_area(line)) >= MIN_OUTLINE_AREA]
    if not large:
        return ()
    owner = np.repeat(np.arange(len(large)), [len(line) for line in large])
    simple = shapely.simplify(shapely.linearrings(np.concatenate(large), indices=owner), tolerance)
    corners, owner = shapely.get_coordinates(simple, return_index=True)
    rings = np.split(corners - 1.5, np.flatnonzero(np.diff(owner)) + 1)
    return tuple(ring for ring in rings if len(ring) >= 4)


def _smoothed(mask: Flags) -> NDArray[np.float32]:
    """A mask (height, width) smoothed by a Gaussian of `SMOOTHING_SAMPLES`; nothing is beyond it.

    As scipy's `gaussian_filter` does, to the bit, without the time that importing it takes.

    >>> (1000.0 * _smoothed(np.array([[False, False, True, False]]))).round().tolist()
    [[2.0, 110.0, 441.0, 110.0]]
    >>> _smoothed(np.zeros((0, 3), np.bool_)).shape
    (0, 3)
    """
    around = np.pad(mask, SMOOTHING_REACH)
    smooth = np.empty(mask.shape, np.float32)
    for start in range(0, len(mask), MASK_STRIP_ROWS):  # a strip stays in the processor's cache
        upright = _along_columns(around[start : start + MASK_STRIP_ROWS + 2 * SMOOTHING_REACH])
        smooth[start : start + MASK_STRIP_ROWS] = _along_columns(upright.T).T
    return smooth


def _along_columns(picture: NDArray[Any]) -> NDArray[np.float32]:
    """A picture (height, width) smoothed along its columns, without `SMOOTHING_REACH` rows on either side."""
    weights = np.exp(-0.5 * (np.arange(-SMOOTHING_REACH, SMOOTHING_REACH + 1) / SMOOTHING_SAMPLES) ** 2)
    weights /= weights.sum()
    values: Floats = picture.astype(np.float64)
    height = len(picture) - 2 * SMOOTHING_REACH
    smooth: Floats = values[SMOOTHING_REACH : SMOOTHING_REACH + height] * weights[SMOOTHING_REACH]
    for step in range(SMOOTHING_REACH, 0, -1):
        above, below = SMOOTHING_REACH - step, SMOOTHING_REACH + step
        smooth += (values[above : above + height] + values[below : below + height]) * weights[above]
    smoothed: NDArray[np.float32] = smooth.astype(np.float32)
    return smoothed


def ring_area(ring: NDArray[Any]) -> float:
    """The area within a ring (n, 2); negative where it goes round clockwise.

    >>> ring_area(np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]])), ring_area(np.array([[3.0, 4.0]]))
    (1.0, 0.0)
    """
    x, y = (ring - ring[0]).T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)) / 2


def path_of(rings: Rings) -> Outline:
    """The rings as one path of matplotlib, with holes."""
    ends = np.cumsum([len(ring) + 1 for ring in rings])
    codes = np.full(ends[-1], plotting.path.Path.LINETO, plotting.path.Path.code_type)
    codes[np.append(0, ends[:-1])], codes[ends - 1] = plotting.path.Path.MOVETO, plotting.path.Path.CLOSEPOLY
    return plotting.path.Path(np.concatenate([part for ring in rings for part in (ring, ring[:1])]), codes)


def area_of(rings: Rings) -> Any:
    """The rings as a valid polygon of shapely, with holes; an empty one where there are none."""
    whole = shapely.Polygon()
    for ring in sorted(rings, key=lambda ring: -abs(ring_area(ring))):
        whole = shapely.symmetric_difference(whole, shapely.make_valid(shapely.Polygon(ring)))
    return whole


def rings_of(area: Any) -> Rings:
    """The rings of the polygons in a shapely geometry; holes go round the other way."""
    rings: list[Floats] = []
    for part in shapely.get_parts(area):
        if part.geom_type != "Polygon" or part.is_empty:
            continue
        clean = shapely.orient_polygons(part) if hasattr(shapely, "orient_polygons") else shapely.normalize(part)
        rings += [np.asarray(ring.coords) for ring in (clean.exterior, *clean.interiors)]
    return tuple(rings)
