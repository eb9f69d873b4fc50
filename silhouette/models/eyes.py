"""TAG: the place of a figure's eye, estimated from its shape.

    raised wings, weapons, banners, aerials    .  /\\
                                               | /  \\      thin: a ball half as thick as the trunk cannot enter
    crown, the top of all that is thick    - - |(  ) - -
    eye level, 0.9 of the crown's height       | \\/>       the eye, on the surface ahead
                                               |/  \\
    the lowest point of the body           ____|____|__
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Flags, Floats, cosine_and_sine
from silhouette.meshes.mesh import Mesh
from silhouette.models.cubes import Cubes, depths

EYE_LEVEL = 0.9  # of the body's height
HEAD_FROM = 0.75  # of the body's height: what lies above is head and shoulders
HEAD_REACH = 0.2  # of the body's height: no face is farther from the head's axis
LONGEST_REACH = 0.5  # of the body's height: a front farther away belongs to a gun or a hull, not to a face
CUBES = 72  # along the longest side of the figure, in which its thick parts are looked for
BALL = 0.5  # of the trunk's thickness: what a ball of this size reaches is thick, as heads are and wings are not
RAISED = 0.97  # of the body's height: where the crown is lower, something thin stands up above the head
LYING = 0.8  # of the body's height: head and shoulders that are longer from front to back are those of a beast


@dataclass(frozen=True, eq=False)
class EyeEstimate:
    """An eye that is estimated from the shape.

    Attributes:
        eye: (3,) mm in the model's frame.
        head: (3,) mm, the middle of the head at the same height: the eye of a figure of which nobody knows where its
            face is.
        doubt: a sentence that says why it may well be elsewhere, or None.
    """

    eye: Floats
    head: Floats
    doubt: str | None


def thick_parts(body: Mesh) -> Floats:
    """(n, 3) the middles of small cubes that fill the thick parts of a body, mm; none where it has no volume.

    Trunk, head and thighs are thick; spears, banners, plumes, wings and aerials are thin: a ball half as thick as the
    trunk, moved about inside the body, does not reach them.
    """
    solid = Cubes.of(body.vertices[body.faces], CUBES)
    if solid is None:
        return np.empty((0, 3))
    ball = max(BALL * float(depths(solid.cubes, CUBES // 2).max()), 1.0)
    reach = int(ball) + 2
    return solid.middles(solid.cubes & (depths(depths(solid.cubes, reach) <= ball, reach) <= ball))


def estimate_eye(body: Mesh, front: float = 90.0) -> Floats:
    """(3,) the point in the model's frame from which a figure looks, taken from the whole body: see `eye_estimate`.

    >>> from silhouette.meshes.primitives import Cylinder, Solid, solid
    >>> estimate_eye(solid(Solid(Cylinder(10.0, 30.0), at=(0.0, 0.0, 3.0)))).round(2).tolist()
    [0.0, 5.0, 30.0]
    """
    return eye_estimate(body, front).eye


def eye_estimate(body: Mesh, front: float = 90.0, thick: Floats | None = None) -> EyeEstimate:
    """The point in the model's frame from which a figure looks, and what speaks against it.

    The eye lies at nine tenths of the body's height. In plan it lies ahead of the middle of head and shoulders, on the
    outermost surface that is near enough to be the face. A plain block has no face so near: its eye lies on its front.
    Where there is no surface ahead at that height, the eye lies above the middle. Where something thin stands up above
    all that is thick, the height is that of what is thick, and so are head and shoulders.

    Args:
        body: the significant parts alone, mm, z up.
        front: the direction that the figure faces, in degrees anticlockwise from +x.
        thick: (n, 3) its `thick_parts`; without them the whole body counts.

    >>> flat = Mesh(np.eye(3) * [1, 1, 0], np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    >>> bool(np.isfinite(eye_estimate(flat).eye).all())
    True
    """
    low, high = body.bounds[:, 2]
    forward = np.array(cosine_and_sine(front))
    heights = body.vertices[:, 2][body.faces]
    crown = high if thick is None or len(thick) == 0 else min(high, _top(thick))
    raised = thick is not None and crown - low < RAISED * (high - low)
    height = (crown if raised else high) - low
    level = low + EYE_LEVEL * height
    if thick is not None and raised:
        axis: Floats = thick[thick[:, 2] >= low + HEAD_FROM * height][:, :2].mean(axis=0)
    else:
        axis = _axis(body, heights.sum(axis=1) >= 3 * (low + HEAD_FROM * height))
    crossing = (heights.min(axis=1) < level) & (heights.max(axis=1) >= level)
    ahead = _distances(_cut_edges(body.vertices[body.faces[crossing]], level) - axis, forward)
    face = ahead[ahead <= HEAD_REACH * height]
    block = ahead[ahead <= LONGEST_REACH * height]
    reach = face.max(initial=0.0) if len(face) else block.min(initial=np.inf) if len(block) else 0.0
    eye, head = (np.array([*(axis + ahead * forward), level]) for ahead in (reach, 0.0))
    return EyeEstimate(eye, head, None if thick is None else _doubt(thick, low, high - low, height, forward))


def _doubt(thick: Floats, low: float, whole: float, height: float, forward: Floats) -> str | None:
    """Why an estimate may be far from the true eye, in a sentence; None where nothing speaks against it.

    Args:
        thick: (n, 3) the thick parts.
        low: the lowest z of the body.
        whole: its height, with all that stands up above the head.
        height: the height from which the eye's level was taken.
        forward: (2,) the unit vector to its front.
    """
    why = None
    head = thick[thick[:, 2] >= low + HEAD_FROM * height][:, :2] @ forward
    if height < whole:
        above = f"{whole - height:.1f} mm above what looks like a head"
        why = f"something thin, such as wings, a weapon or a banner, stands up {above}"
    elif len(head) and float(np.ptp(head)) > LYING * height:
        why = "the figure is longer than it is high, as a beast is, or one that lies"
    return None if why is None else f"its eye is estimated, and doubtful: {why}; look at a picture of it and give eye"


def _top(thick: Floats) -> float:
    """The z of the top of the cubes with these middles (n, 3)."""
    levels = np.unique(thick[:, 2])
    return float(levels[-1] + (np.diff(levels).min() / 2 if len(levels) > 1 else 0.0))


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
