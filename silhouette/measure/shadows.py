"""COUNT: what lies in the shadow of boxes inside closed surfaces is hidden, whatever the surfaces look like.

From an eye outside a closed surface every ray meets a face before it comes to a box inside (`meshes.solids`). What lies
behind the box is its *shadow*, a convex part of space: so all of a target is hidden where the corners of a box round it
are in the shadow. It takes no contours, and settles most of what stands behind walls.

           ______
          / ,--. \\  _ _ _ _ _ _ _ _          silhouette planes, through the eye and an edge of the box
    eye  |  |##|  |    shadow                front planes, in which the sides lie that look at the eye
          \\ '--' /  - - - - - - - -
           ------
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np

from silhouette.common.geometry import Flags, Floats, Pose
from silhouette.common.lazy import derived
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.solids import inner_boxes
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import View

SHADOW_APART = 0.01
"""mm: an eye nearer than this to a box round a closed surface may touch it, and what it only touches hides nothing."""

_BOX_EDGES = np.array([[*axes, *ends] for axes in ((0, 1), (1, 2), (2, 0)) for ends in product((0, 1), (0, 1))]).T
"""(4, 12) the edges of a box: two axes across it, and at which end of each of them it lies."""


@dataclass(frozen=True, eq=False)
class _EyeAndPose:
    """An eye (3,), in the world, and the pose of a mesh that it looks at; equal to any of the same numbers."""

    eye: Floats
    pose: Pose
    key: bytes = field(init=False)

    def __post_init__(self) -> None:
        parts = (self.eye, self.pose.rotation, self.pose.translation)
        object.__setattr__(self, "key", b"".join(part.tobytes() for part in parts))

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _EyeAndPose) and self.key == other.key


@dataclass(frozen=True, eq=False)
class Shadows:
    """The shadows of inner boxes of a body, seen from an eye; places are relative to the eye, in the world's axes."""

    # (n, 12, 3) a place is between the silhouette planes of a box where none of these is below zero by it
    sides: Floats
    # (n, 3, 3) and limits: (n, 3) a place is behind its front planes where these are not below the limits
    fronts: Floats
    limits: Floats
    through: Flags  # (k, n) whether the surface in which a box lies has that lid

    @classmethod
    def of(cls, view: View, body: Body) -> Shadows:
        """The shadows of those boxes in which the eye is surely not, nor at their surfaces."""
        return _of_inner_boxes(body.mesh, _EyeAndPose(view.eye, body.pose))

    @classmethod
    def round(cls, view: View, body: Body) -> Shadows:
        """The shadow of a box round the whole body; none where the eye is in it. It holds those of all inner boxes."""
        return _of_box_round(body.mesh, _EyeAndPose(view.eye, body.pose))

    @classmethod
    def of_boxes(cls, pose: Pose, eye: Floats, boxes: Floats, through: Flags) -> Shadows:
        """The shadows of boxes (n, 2, 3); these and the eye are in the frame that a pose places."""
        boxes = boxes - eye
        low, high = boxes[:, 0], boxes[:, 1]
        # Which of the two sides along each axis look at the eye: at most one.
        front = np.stack([low > 0.0, high < 0.0], axis=1)
        axis, other, first, second = _BOX_EDGES
        edges = np.arange(len(axis))
        along, beside = boxes[:, first, axis], boxes[:, second, other]
        middle = (low + high) / 2
        sign = np.sign(beside * middle[:, axis] - along * middle[:, other])
        sign *= front[:, first, axis] != front[:, second, other]
        sides = np.zeros((len(boxes), len(axis), 3))
        sides[:, edges, axis], sides[:, edges, other] = sign * beside, -sign * along
        fronts = np.zeros((len(boxes), 3, 3))
        fronts[:, range(3), range(3)] = np.where(front[:, 0], 1.0, np.where(front[:, 1], -1.0, 0.0))
        limits = np.where(front[:, 0], low, np.where(front[:, 1], -high, 0.0))
        turn = pose.rotation.T
        return cls(sides @ turn, fronts @ turn, limits, through)


@derived
def _of_inner_boxes(mesh: Mesh, place: _EyeAndPose) -> Shadows:
    """The shadows of the boxes inside a mesh: an attacker looks at many targets past the same terrain."""
    eye = place.pose.localise(place.eye[None])[0]
    inner = inner_boxes(mesh)
    outside = _is_outside(eye, inner.shells)
    used = np.flatnonzero(outside[inner.surface])
    return Shadows.of_boxes(place.pose, eye, inner.boxes[used], inner.lid_of[:, None] == inner.surface[used])


@derived
def _of_box_round(mesh: Mesh, place: _EyeAndPose) -> Shadows:
    """The shadow of the box round a mesh."""
    eye = place.pose.localise(place.eye[None])[0]
    box = mesh.bounds[None]
    box = box[_is_outside(eye, box)]
    return Shadows.of_boxes(place.pose, eye, box, np.empty((0, len(box)), dtype=np.bool_))


def _is_outside(eye: Floats, shells: Floats) -> Flags:
    """(n,) whether an eye is clearly outside boxes (n, 2, 3)."""
    outside: Flags = np.any((eye < shells[:, 0] - SHADOW_APART) | (eye > shells[:, 1] + SHADOW_APART), axis=1)
    return outside
