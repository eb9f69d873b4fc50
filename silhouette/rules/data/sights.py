"""JUDGE, games by data: the Sight for what is seen from one eye: who looks at what, past which pieces, in which arc."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from math import ceil

import numpy as np

from silhouette.common.geometry import cosine_and_sine
from silhouette.measure.observation import Sight
from silhouette.models.model import BODY
from silhouette.relations.points import point_set, standard_volume
from silhouette.renderers.views import VisionArc
from silhouette.rules.data.found import Points
from silhouette.scenes.pieces import Piece
from silhouette.scenes.table import TableScene

WIDEST = 90.0
"""Degrees of one wedge; a wider arc is several of them."""

ALL_ROUND = 360.0
"""Degrees of what is no arc."""


def arcs_of(piece: Piece, degrees: float) -> tuple[VisionArc, ...] | None:
    """The front arc of a model, in wedges from the middle of its base, none for an arc of no degrees: nothing is seen
    in it. None all round, or where nobody knows where it faces: it is then taken to look towards what it looks at.
    """
    if degrees >= ALL_ROUND or piece.facing is None:
        return None
    if degrees <= 0.0:
        return ()
    wide = degrees / ceil(degrees / WIDEST)
    return tuple(_wedge(piece, middle, wide) for middle in wedges(piece.facing, degrees))


def wedges(facing: float, degrees: float) -> list[float]:
    """The middles of the wedges of an arc, degrees.

    >>> wedges(0.0, 180.0), wedges(90.0, 60.0)
    ([-45.0, 45.0], [90.0])
    """
    count = ceil(degrees / WIDEST)
    return [facing + degrees * ((number + 0.5) / count - 0.5) for number in range(count)]


def _wedge(piece: Piece, middle: float, degrees: float) -> VisionArc:
    right, left = (np.array(cosine_and_sine(middle + turn)) for turn in (-degrees / 2.0, degrees / 2.0))
    return VisionArc("front", np.asarray(piece.base_centre, dtype=np.float64), right, left)


def sight_of(scene: TableScene, start: Points, end: Points, past: Collection[str], arc: float) -> Sight:
    """The sight from an eye, or from the middle of a head, to the body, the whole or a cylinder of another piece, in a
    front arc of so many degrees, past the pieces of these names; models without their bases and insignificant parts.
    """
    attacker, target = start.piece, measured_piece(end)
    eye = attacker.eye if start.part == "eye" else point_set(attacker, "head").single[-1]
    ends = (attacker.name, target.name)
    disregarded = [piece for piece in scene.pieces if piece.name not in (*past, *ends)]
    absent = [piece.index for piece in scene.pieces if piece.name in ends or piece in disregarded]
    return Sight(
        attacker=attacker,
        target=target,
        eye=eye,
        facing=attacker.ahead,
        arcs=arcs_of(attacker, arc),
        occluders=scene.significant_parts,
        absent=tuple(absent),
        disregarded=tuple(disregarded),
    )


def measured_piece(points: Points) -> Piece:
    """The piece of which points are looked at: all that counts of it is these."""
    piece = points.piece
    if points.part == "body":
        return piece
    mesh, pose = piece.model.mesh, piece.pose
    if points.part == "cylinder":
        volume = standard_volume(piece, points.height, points.width / 2.0 or None)
        assert volume.mesh is not None
        mesh, pose = volume.mesh, volume.pose
    role = np.full(len(mesh.faces), BODY, np.uint8)
    return replace(piece, model=replace(piece.model, mesh=mesh, role=role, drawn_from=None), pose=pose)
