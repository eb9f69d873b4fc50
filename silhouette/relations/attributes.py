"""RELATE: how high, wide and long a piece is, as it stands; in mm."""

from __future__ import annotations

import numpy as np
import shapely

from silhouette.geometry import Floats
from silhouette.lazy import derived
from silhouette.relations.outlines_in_plan import base_shape, footprint
from silhouette.scenes.pieces import Piece


def ground(piece: Piece) -> float:
    """The height of a piece's lowest point above the table, z in the world."""
    return _span(piece)[0]


def top(piece: Piece) -> float:
    """The height of a piece's highest point above the table, z in the world, insignificant parts and all."""
    return _span(piece)[1]


def height(piece: Piece) -> float:
    """How far a piece rises above what it stands on: from its lowest point to its highest, base and all."""
    low, high = _span(piece)
    return high - low


def width(piece: Piece) -> float:
    """The shorter side of the smallest rectangle round a piece's footprint."""
    return float(_sides(footprint(piece)).min())


def length(piece: Piece) -> float:
    """The longer side of the smallest rectangle round a piece's footprint."""
    return float(_sides(footprint(piece)).max())


def base_height(piece: Piece) -> float:
    """How far a model's base rises above its underside; 0 where it has none, or nothing says how high it is."""
    low, high = piece.base_span if piece.model.base is not None else (0.0, 0.0)
    return high - low


def base_width(piece: Piece) -> float:
    """The greatest width of a model's base; of its footprint, where it has no base."""
    base = piece.model.base
    if base is not None and base.is_round:
        return base.diameter
    corners = shapely.get_coordinates(shapely.convex_hull(base_shape(piece)))
    return float(np.linalg.norm(corners[:, None] - corners, axis=-1).max())


@derived
def _span(piece: Piece) -> tuple[float, float]:
    """The least and the greatest z of a piece's mesh in the world."""
    heights = piece.model.mesh.vertices @ piece.pose.rotation[2] + piece.pose.translation[2]
    return float(heights.min()), float(heights.max())


def _sides(shape: shapely.Geometry) -> Floats:
    """(2,) the sides of the smallest rectangle round a shape; 0 where it has no area.

    >>> sorted(_sides(shapely.box(0.0, 0.0, 4.0, 3.0)).tolist()), _sides(shapely.Polygon()).tolist()
    ([3.0, 4.0], [0.0, 0.0])
    """
    corners = shapely.get_coordinates(shapely.minimum_rotated_rectangle(shape))
    if len(corners) < 3:
        return np.array([0.0, float(shapely.length(shape))])
    sides: Floats = np.linalg.norm(np.diff(corners[:3], axis=0), axis=1)
    return sides
