"""COUNT: which bodies lie outside a view, and which pairs of bodies cannot overlap in it, from a few points of each."""

from __future__ import annotations

import numpy as np

from silhouette.common.geometry import Flags, Floats, swollen
from silhouette.meshes.bounds import bounding_points
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import ROLL, View

_ANGLES = np.radians(ROLL + np.arange(8) * 22.5)
DIRECTIONS = np.array([np.cos(_ANGLES), np.sin(_ANGLES)])
"""(2, 8) unit vectors of the picture, columns and rows, along which bounds are taken; its verticals and horizontals are
among them, since the picture is rolled by `ROLL`."""


def in_view(view: View, boxes: Floats, farthest: float) -> Flags:
    """(k,) whether boxes, (k, 8, 3) corners in the world, reach into the view's pyramid nearer than ``farthest`` mm."""
    across, upward, depth = np.moveaxis((boxes - view.eye) @ view.axes.T, -1, 0)
    outside = (across < view.left * depth).all(axis=1)
    outside |= (across > (view.left + view.width * view.step) * depth).all(axis=1)
    outside |= (upward > view.top * depth).all(axis=1)
    outside |= (upward < (view.top - view.height * view.step) * depth).all(axis=1)
    reaches: Flags = ~outside & (depth.max(axis=1) > 0.0) & (depth.min(axis=1) < farthest)
    return reaches


def outermost(body: Body) -> Floats:
    """(n, 3) points of the world in whose convex hull a body lies, with its outline where that lies farther out."""
    return swollen(body.pose.place(bounding_points(body.mesh)), body.outline)


def picture_bounds(view: View, points: Floats) -> Floats:
    """(2, 8) the least and the greatest place of points (n, 3) of the world along each of `DIRECTIONS`, in pixels.

    Infinite where any point lies level with the eye or behind it: such a body has no bounds in the picture.
    """
    columns, rows, depth = view.project(points)
    if depth.min() <= 0.0:
        return np.array([[-np.inf], [np.inf]]).repeat(8, axis=1)
    along = np.multiply.outer(DIRECTIONS[0], columns) + np.multiply.outer(DIRECTIONS[1], rows)
    return np.stack([along.min(axis=1), along.max(axis=1)])


def disjoint(first: Floats, second: Floats) -> bool:
    """Whether a straight line of the picture separates two bodies of which these are the `picture_bounds`.

    Where no such line is found, the bodies may overlap or not. A body without bounds is never disjoint.

    >>> from silhouette.renderers.views import fit_view
    >>> square = np.array([[9.0, 0.0, 0.0], [9.0, 1.0, 0.0], [9.0, 0.0, 1.0], [9.0, 1.0, 1.0]])
    >>> (view,) = fit_view([0.0, 0.0, 0.0], square.mean(axis=0), square, 0.1)
    >>> [disjoint(picture_bounds(view, square), picture_bounds(view, square + [0.0, way, 0.0])) for way in (0.9, 1.1)]
    [False, True]
    >>> behind_the_eye = square - [10.0, 0.0, 0.0]
    >>> disjoint(picture_bounds(view, square), picture_bounds(view, behind_the_eye))
    False
    """
    return bool(((first[0] > second[1]) | (second[0] > first[1])).any())
