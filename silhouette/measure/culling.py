"""COUNT: which bodies lie outside a view, and which pairs of bodies cannot overlap in it, from a few points of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from silhouette.common.geometry import Flags, Floats, groups_of_equals, swollen
from silhouette.meshes.bounds import bounding_points
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import ROLL, View

_BOUND_ANGLES = np.radians(ROLL + np.arange(8) * 22.5)
BOUND_DIRECTIONS = np.array([np.cos(_BOUND_ANGLES), np.sin(_BOUND_ANGLES)])
"""(2, 8) unit vectors of the picture, columns and rows, along which bounds are taken; its verticals and horizontals are
among them, since the picture is rolled by `ROLL`."""


def in_views(views: Sequence[View], boxes: Floats, farthest: Floats) -> Flags:
    """(v, k) whether boxes, (v, k, 8, 3) corners in the world, reach into each view's pyramid nearer than (v,) mm."""
    eyes, axes = np.array([view.eye for view in views]), np.array([view.axes for view in views])
    across, upward, depth = np.moveaxis((boxes - eyes[:, None, None]) @ axes.swapaxes(1, 2)[:, None], -1, 0)
    rims = [
        (view.left, view.left + view.width * view.step, view.top, view.top - view.height * view.step) for view in views
    ]
    left, right, top, bottom = np.array(rims).T[..., None, None]
    outside = (across < left * depth).all(axis=2)
    outside |= (across > right * depth).all(axis=2)
    outside |= (upward > top * depth).all(axis=2)
    outside |= (upward < bottom * depth).all(axis=2)
    reaches: Flags = ~outside & (depth.max(axis=2) > 0.0) & (depth.min(axis=2) < farthest[:, None])
    return reaches


def outermost(body: Body) -> Floats:
    """(n, 3) points of the world in whose convex hull a body lies, with its outline where that lies farther out."""
    return swollen(body.pose.place(bounding_points(body.mesh)), body.outline)


def bounds_in(views: Sequence[View], points: Sequence[Floats]) -> Floats:
    """(v, 2, 8) the least and the greatest place in each view, along `BOUND_DIRECTIONS` in pixels, of points (n, 3) of
    the world; n may differ. Infinite where any lies level with the eye or behind it: there are no bounds then.
    """
    bounds: Floats = np.empty((len(views), 2, len(_BOUND_ANGLES)))
    for numbers in groups_of_equals([len(some) for some in points]):
        shown = [views[number] for number in numbers]
        eyes, axes = np.array([view.eye for view in shown]), np.array([view.axes for view in shown])
        places = (np.array([points[number] for number in numbers]) - eyes[:, None]) @ axes.swapaxes(1, 2)
        across, upward, depth = np.moveaxis(places, -1, 0)
        left, top, step = np.array([(view.left, view.top, view.step) for view in shown]).T[..., None]
        with np.errstate(divide="ignore", invalid="ignore"):
            columns, rows = (across / depth - left) / step, (top - upward / depth) / step
            along = BOUND_DIRECTIONS[0][:, None, None] * columns + BOUND_DIRECTIONS[1][:, None, None] * rows
        ends = np.array([along.min(axis=2), along.max(axis=2)]).transpose(2, 0, 1)
        bounds[numbers] = np.where(depth.min(axis=1)[:, None, None] > 0.0, ends, [[-np.inf], [np.inf]])
    return bounds


def disjoint(first: Floats, second: Floats) -> Flags:
    """(...) whether a straight line of the picture separates bodies of which these (..., 2, 8) are the bounds.

    Where no such line is found, the bodies may overlap or not. A body without bounds is never disjoint.

    >>> from silhouette.renderers.views import fit_view
    >>> square = np.array([[9.0, 0.0, 0.0], [9.0, 1.0, 0.0], [9.0, 0.0, 1.0], [9.0, 1.0, 1.0]])
    >>> (view,) = fit_view([0.0, 0.0, 0.0], square.mean(axis=0), square, 0.1)
    >>> moved = [square + [0.0, 0.9, 0.0], square + [0.0, 1.1, 0.0], square - [10.0, 0.0, 0.0]]
    >>> disjoint(bounds_in([view], [square])[0], bounds_in([view] * 3, moved)).tolist()  # the last is behind the eye
    [False, True, False]
    """
    apart = (first[..., 0, :] > second[..., 1, :]) | (second[..., 0, :] > first[..., 1, :])
    separated: Flags = np.asarray(apart.any(axis=-1))
    return separated
