"""TAG: the place of a figure's eye, estimated from its shape. numpy only."""

from __future__ import annotations

import numpy as np

from silhouette.geometry import Flags, Floats, cosine_and_sine
from silhouette.meshes.mesh import Mesh

EYE_LEVEL = 0.9  # of the body's height
HEAD_FROM = 0.75  # of the body's height: what lies above is head and shoulders
HEAD_REACH = 0.2  # of the body's height: no face is farther from the head's axis
LONGEST_REACH = 0.5  # of the body's height: a front farther away belongs to a gun or a hull, not to a face


def estimate_eye(body: Mesh, front: float = 90.0) -> Floats:
    """The point (3,) in the model's frame from which a figure looks.

    The eye lies at nine tenths of the body's height. In plan it lies ahead of the middle of head and shoulders, on the
    outermost surface that is near enough to be the face. A plain block has no face so near: its eye lies on its front.
    Where there is no surface ahead at that height, the eye lies above the middle.

    Args:
        body: the significant parts alone, mm, z up; spears and plumes above the head must be left out already.
        front: the direction that the figure faces, in degrees anticlockwise from +x.

    >>> from silhouette.meshes.primitives import Cylinder, Solid, solid
    >>> estimate_eye(solid(Solid(Cylinder(10.0, 30.0), at=(0.0, 0.0, 3.0)))).round(2).tolist()
    [0.0, 5.0, 30.0]
    >>> flat = Mesh(np.eye(3) * [1, 1, 0], np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    >>> bool(np.isfinite(estimate_eye(flat)).all())
    True
    """
    low, high = body.bounds[:, 2]
    height = high - low
    level = low + EYE_LEVEL * height
    heights = body.vertices[:, 2][body.faces]
    axis = _axis(body, heights.sum(axis=1) >= 3 * (low + HEAD_FROM * height))
    forward = np.array(cosine_and_sine(front))
    crossing = (heights.min(axis=1) < level) & (heights.max(axis=1) >= level)
    ahead = _distances(_cut_edges(body.vertices[body.faces[crossing]], level) - axis, forward)
    face = ahead[ahead <= HEAD_REACH * height]
    block = ahead[ahead <= LONGEST_REACH * height]
    reach = face.max(initial=0.0) if len(face) else block.min(initial=np.inf) if len(block) else 0.0
    return np.array([*(axis + reach * forward), level])


def _axis(body: Mesh, upper: Flags) -> Floats:
    """The middle in plan (2,) of the faces chosen by ``upper`` (m,), by area; of all where none is chosen."""
    triangles = body.vertices[body.faces[upper] if upper.any() else body.faces]
    areas = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
    weights = areas if areas.sum() > 0.0 else np.ones(len(areas))
    centre: Floats = np.average(triangles.mean(axis=1)[:, :2], axis=0, weights=weights)
    return centre


def _distances(lines: Floats, forward: Floats) -> Floats:
    """(k,) distances from the origin, along a direction, of the lines in plan (n, 2, 2) that lie ahead."""
    along = lines @ forward
    sideways = lines @ [-forward[1], forward[0]]
    met = (sideways[:, 0] < 0.0) != (sideways[:, 1] < 0.0)
    along, sideways = along[met], sideways[met]
    distances: Floats = along[:, 0] + (along[:, 1] - along[:, 0]) * sideways[:, 0] / (sideways[:, 0] - sideways[:, 1])
    return distances[distances >= 0.0]


def _cut_edges(triangles: Floats, level: float) -> Floats:
    """The ends in plan (k, 2, 2) of the lines in which triangles (n, 3, 3) cross a level."""
    above = triangles[:, :, 2] >= level
    alone = np.where(above.sum(axis=1) == 1, above.argmax(axis=1), (~above).argmax(axis=1))
    rows = np.arange(len(triangles))
    tip = triangles[rows, alone]
    ends = []
    for step in (1, 2):
        corner = triangles[rows, (alone + step) % 3]
        share = (level - tip[:, 2]) / (corner[:, 2] - tip[:, 2])
        ends.append((tip + share[:, None] * (corner - tip))[:, :2])
    return np.stack(ends, axis=1)
