"""PLACE: what a piece stands on: its base, or, without one, the part of it within 2 mm of its lowest point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Floats
from silhouette.hulls import convex_hull, polygon_outline
from silhouette.lazy import derived
from silhouette.meshes.cutting import cut_at
from silhouette.meshes.mesh import Mesh
from silhouette.scenes.pieces import Piece
from silhouette.scenes.surfaces import is_upright

FEET = 2.0
"""mm above its lowest point up to which a piece without a base stands on the ground: feet, wheels, tracks, legs."""


@dataclass(frozen=True, eq=False)
class Underside:
    """What of a piece touches the ground.

    Attributes:
        outline: (k, 2) mm, its convex outline in plan, anticlockwise, seen from the piece's own place in the world.
        bottom: mm, the height of its underside above the piece's own place.
    """

    outline: Floats
    bottom: float

    @property
    def middle(self) -> Floats:
        """(2,) the middle of the area within the outline, mm."""
        from shapely import Polygon

        (point,) = Polygon(self.outline).centroid.coords
        return np.array(point)


def underside_of(piece: Piece) -> Underside:
    """The outline and the height of what a piece stands on, turned as it stands.

    That is its base. A piece without one, or one that lies down, stands on whatever of it lies within 2 mm of its
    lowest point.
    """
    turned, model = piece.pose.rotation, piece.model
    if model.base is not None and is_upright(piece.pose):
        return Underside(model.base_outline @ turned[:2, :2].T, model.base_span[0])
    # The significant parts alone: a spear that reaches below the feet carries nobody.
    mesh = model.significant if model.kind != "terrain" else model.mesh
    if not is_upright(piece.pose):
        return _feet_of(Mesh(mesh.vertices @ turned.T, mesh.faces, mesh.part, mesh.part_names))
    feet = _feet_of(mesh)
    return Underside(feet.outline @ turned[:2, :2].T, feet.bottom)


@derived
def _feet_of(mesh: Mesh) -> Underside:
    """The part of a mesh within 2 mm of its lowest point."""
    bottom = float(mesh.vertices[mesh.faces, 2].min())
    cut, below = cut_at(mesh, bottom + FEET)
    return Underside(_hull(cut.vertices[cut.faces[below]].reshape(-1, 3)[:, :2]), bottom)


def _hull(points: Floats) -> Floats:
    """(k, 2) the convex outline of points (n, 2), anticlockwise; of a line or a point, a sliver round it."""
    hull = convex_hull(points)
    return polygon_outline(hull if hull.geom_type == "Polygon" else hull.buffer(0.05, quad_segs=2))
