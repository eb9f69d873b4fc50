"""LOOK: what cannot be in a picture, and which pictures of two things cannot overlap; told from few points."""

from __future__ import annotations

import numpy as np

from silhouette.geometry import Flags, Floats
from silhouette.views import ROLL, View

_ANGLES = np.radians(ROLL + np.arange(8) * 22.5)
WAYS = np.array([np.cos(_ANGLES), np.sin(_ANGLES)])
"""(2, 8) across which a body's tangents in the picture are taken: the upright and the level among them."""


def in_view(view: View, boxes: Floats, farthest: float) -> Flags:
    """Which boxes, (k, 8, 3) corners in the world, reach into the view's pyramid nearer than ``farthest`` mm."""
    across, upward, depth = np.moveaxis((boxes - view.eye) @ view.axes.T, -1, 0)
    beside = (across < view.left * depth).all(axis=1)
    beside |= (across > (view.left + view.width * view.step) * depth).all(axis=1)
    beside |= (upward > view.top * depth).all(axis=1)
    beside |= (upward < (view.top - view.height * view.step) * depth).all(axis=1)
    near: Flags = ~beside & (depth.max(axis=1) > 0.0) & (depth.min(axis=1) < farthest)
    return near


def extent(view: View, points: Floats) -> Floats:
    """(2, 8) how far points (n, 3) in the world reach in the picture, at least and at most, along eight directions.

    Without bounds where any lies beside the eye or behind it. Bodies whose hulls' extents are `apart` do not overlap.
    """
    columns, rows, depth = view.project(points)
    if depth.min() <= 0.0:
        return np.array([[-np.inf], [np.inf]]).repeat(8, axis=1)
    along = np.multiply.outer(WAYS[0], columns) + np.multiply.outer(WAYS[1], rows)
    return np.stack([along.min(axis=1), along.max(axis=1)])


def apart(one: Floats, other: Floats) -> bool:
    """Whether a line in the picture parts what reaches so far, each an `extent`.

    >>> from silhouette.views import frame
    >>> square = np.array([[9.0, 0.0, 0.0], [9.0, 1.0, 0.0], [9.0, 0.0, 1.0], [9.0, 1.0, 1.0]])
    >>> (view,) = frame([0.0, 0.0, 0.0], square.mean(axis=0), square, 0.1)
    >>> [apart(extent(view, square), extent(view, square + [0.0, way, 0.0])) for way in (0.9, 1.1)]
    [False, True]
    >>> apart(extent(view, square), extent(view, square - [10.0, 0.0, 0.0]))  # beside the eye, where no picture is
    False
    """
    return bool(((one[0] > other[1]) | (other[0] > one[1])).any())
