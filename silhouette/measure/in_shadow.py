"""COUNT: of many sights with one eye, those whose targets are wholly in the shadow of one box: hidden, without a ray.

sights -> groups with one eye -> the pieces in the way of all of a group -> boxes inside their closed surfaces -> the
targets whose own boxes lie in the shadow of one of these
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.observation import Sight
from silhouette.measure.shadows import Shadows
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import View
from silhouette.scenes.table import Piece

WORTH = 8  # the least number of sights with one eye for which shadows are laid over all of them at once


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
    eye = sights[0].eye
    corners = np.stack([sight.target.body_box for sight in sights]) - eye
    is_hidden = np.zeros(len(sights), np.bool_)
    view = View(eye, np.eye(3), 0.0, 0.0, 1.0, 1, 1)  # shadows depend on its eye alone
    for piece, mesh in _common(sights):
        if is_hidden.all():
            break
        left, body = np.flatnonzero(~is_hidden), Body(1, mesh, piece.pose)
        round_it = Shadows.round(view, body)
        if len(round_it.sides):  # that of a box round all of it holds the shadows of all boxes in it
            left = left[_shaded(round_it, corners[left])]
        if len(left):
            is_hidden[left] = _shaded(Shadows.of(view, body), corners[left])
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


def _shaded(shadows: Shadows, corners: Floats) -> Flags:
    """(n,) whether all of the corners (n, 8, 3), seen from the eye, lie in the shadow of one box, and behind its front.

    Boxes that are seen through a hole in their surface are left out.
    """
    closed = ~shadows.through.any(axis=0)
    points = corners.reshape(-1, 3).T

    def least(planes: Floats) -> Floats:
        """(boxes, planes, n) how far on the inner side of each plane the corner is that is least so."""
        inner: Floats = (planes[closed] @ points).reshape(-1, planes.shape[1], len(corners), 8).min(axis=3)
        return inner

    between = np.all(least(shadows.sides) >= 0.0, axis=1)
    behind = np.all(least(shadows.fronts) >= shadows.limits[closed][..., None], axis=1)
    is_shaded: Flags = np.any(between & behind, axis=0)
    return is_shaded
