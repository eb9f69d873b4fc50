"""Convex outlines of points in plan, by shapely, which is imported when the first one is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from silhouette.geometry import Floats


def convex_hull(points: Floats) -> Any:
    """shapely's convex hull of points (n, 2), n at least 1: a polygon; of points in one line a line, or a point.

    >>> convex_hull(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.5, 0.5]])).area
    2.0
    >>> convex_hull(np.array([[1.0, 1.0]])).wkt
    'POINT (1 1)'
    """
    from shapely import LineString

    # Of one line through all points: an object for each of them takes ten times as long.
    return LineString(np.concatenate([points, points[:1]])).convex_hull


def hull_outline(points: Floats) -> Floats:
    """(k, 2) the corners of the convex hull of points (n, 2), anticlockwise; of a line its ends, of a point that point.

    >>> hull_outline(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])).tolist()
    [[0.0, 0.0], [2.0, 2.0]]
    """
    from shapely import get_coordinates

    hull = convex_hull(points)
    return polygon_outline(hull) if hull.geom_type == "Polygon" else get_coordinates(hull)


def polygon_outline(polygon: Any) -> Floats:
    """(k, 2) the corners of a polygon of shapely without holes, anticlockwise, the first one once."""
    from shapely import get_coordinates
    from shapely.geometry.polygon import orient

    outline: Floats = get_coordinates(orient(polygon))[:-1]
    return outline
