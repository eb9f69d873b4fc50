"""COUNT: of many sights with one eye, those whose targets are wholly in the shadow of one box: hidden, without a ray.

sights -> groups with one eye -> the pieces in the way of all of a group -> boxes inside their closed surfaces -> the
targets whose own boxes lie in the shadow of one of these

From an eye outside a closed surface every line of sight meets a face before it comes to a box inside
(`meshes.solids`), whatever the surface looks like. What lies behind the box is its *shadow*, a convex part of space: so
all of a target is hidden where the corners of a box round it are in the shadow.

           ______
          / ,--. \\  _ _ _ _ _ _ _ _
    eye  |  |##|  |    shadow                a place is in it where the line of sight to it meets the box
          \\ '--' /  - - - - - - - -
           ------
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.observation import Sight
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.solids import inner_boxes
from silhouette.scenes.table import Piece

WORTH = 8  # the least number of sights with one eye for which shadows are laid over all of them at once

SHADOW_APART = 0.01
"""mm: an eye nearer than this to a box round a closed surface may touch it, and what it only touches hides nothing."""


def in_shadow(sights: Sequence[Sight]) -> Flags:
    """(n,) whether the box round each target is wholly in the shadow of one box inside something in the way.

    Where it is, nothing of the target is seen; where it is not, that may be so all the same.
    """
    is_dark = np.zeros(len(sights), np.bool_)
    groups: dict[bytes, list[int]] = {}
    for number, sight in enumerate(sights):
        groups.setdefault(sight.eye.tobytes(), []).append(number)
    for numbers in groups.values():
        if len(numbers) >= WORTH:
            is_dark[numbers] = _hidden([sights[number] for number in numbers])
    return is_dark


def _hidden(sights: Sequence[Sight]) -> Flags:
    """`in_shadow` of sights with one eye."""
    targets = np.stack([sight.target.body_box for sight in sights])
    is_hidden = np.zeros(len(sights), np.bool_)
    for piece, mesh in _common(sights):
        left = np.flatnonzero(~is_hidden)
        eye = piece.pose.localise(sights[0].eye[None])[0]
        corners = piece.pose.localise(targets[left].reshape(-1, 3)).reshape(-1, 8, 3) - eye
        if _is_outside(eye, mesh.bounds):  # the shadow of a box round all of it holds those of all boxes in it
            near = shaded_by(mesh.bounds[None] - eye, corners)
            left, corners = left[near], corners[near]
        if len(left):
            inner = inner_boxes(mesh)
            boxes = inner.boxes[_is_outside(eye, inner.shells)[inner.surface]]
            is_hidden[left] = shaded_by(boxes - eye, corners)
    return is_hidden


def _common(sights: Sequence[Sight]) -> list[tuple[Piece, Mesh]]:
    """The pieces in the way of all sights, with the part of each that blocks; one that moves is not among them, nor one
    that is of another number in any of their scenes.
    """
    first = sights[0].occluders
    common = np.ones(len(first.pieces), np.bool_)
    for sight in sights:
        pieces = sight.occluders.pieces
        common[len(pieces) :] = False
        common[: len(pieces)] &= np.fromiter(map(is_, first.pieces, pieces), np.bool_)
        common[[number for number in sight.absent if number < len(common)]] = False
    return [(first.pieces[number], first.meshes[number]) for number in np.flatnonzero(common).tolist()]


def shaded_by(boxes: Floats, corners: Floats) -> Flags:
    """(m,) whether all of the corners (m, 8, 3) of a target lie in the shadow of one of some boxes (n, 2, 3).

    The eye is at the origin, and in none of the boxes.

    >>> box, target = np.array([[[-1.0, 4.0, -1.0], [1.0, 5.0, 1.0]]]), np.zeros((1, 8, 3))
    >>> [shaded_by(box, target + place).tolist() for place in ([1.9, 9.0, 0.0], [2.4, 9.0, 0.0], [0.0, 3.0, 0.0])]
    [[True], [False], [False]]
    """
    # The shares of the way to a corner at which the line comes to a box, and leaves it.
    enter, leave = np.zeros((len(boxes), *corners.shape[:2])), np.ones((len(boxes), *corners.shape[:2]))
    with np.errstate(divide="ignore", invalid="ignore"):
        for axis in range(3):
            sides = boxes[:, :, axis, None, None] / corners[..., axis]
            np.maximum(enter, sides.min(axis=1), out=enter)
            np.minimum(leave, sides.max(axis=1), out=leave)
        shaded: Flags = np.any(np.all(enter <= leave, axis=2), axis=0)
    return shaded


def _is_outside(eye: Floats, boxes: Floats) -> Flags:
    """(...) whether an eye is clearly outside boxes (..., 2, 3)."""
    low, high = boxes[..., 0, :] - SHADOW_APART, boxes[..., 1, :] + SHADOW_APART
    outside: Flags = np.asarray(((eye < low) | (eye > high)).any(axis=-1))
    return outside
