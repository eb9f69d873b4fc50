"""RELATE: the front arc of a model, as wedges in which something is seen, or none."""

from __future__ import annotations

from math import ceil

import numpy as np

from silhouette.common.geometry import cosine_and_sine
from silhouette.renderers.views import VisionArc
from silhouette.scenes.pieces import Piece

MAX_WEDGE_DEGREES = 90.0  # of one wedge; a wider arc is several of them
FULL_CIRCLE_DEGREES = 360.0  # of what is no arc


def arcs_of(piece: Piece, degrees: float) -> tuple[VisionArc, ...] | None:
    """The front arc of a model, in wedges from the middle of its base, none for an arc of no degrees: nothing is seen
    in it. None all round, or where nobody knows where it faces: it is then taken to look towards what it looks at.
    """
    if degrees >= FULL_CIRCLE_DEGREES or piece.facing is None:
        return None
    if degrees <= 0.0:
        return ()
    half, apex = degrees / ceil(degrees / MAX_WEDGE_DEGREES) / 2.0, np.asarray(piece.base_centre, dtype=np.float64)
    edges = [[cosine_and_sine(middle + turn) for turn in (-half, half)] for middle in wedges(piece.facing, degrees)]
    return tuple(VisionArc("front", apex, np.array(right), np.array(left)) for right, left in edges)


def wedges(facing: float, degrees: float) -> list[float]:
    """The middles of the wedges of an arc, degrees.

    >>> wedges(0.0, 180.0), wedges(90.0, 60.0)
    ([-45.0, 45.0], [90.0])
    """
    count = ceil(degrees / MAX_WEDGE_DEGREES)
    return [facing + degrees * ((number + 0.5) / count - 0.5) for number in range(count)]
