"""PLACE: a piece as what stands on the ground, and as the ground of others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from silhouette.common.geometry import Flags, Floats, Pose, convex_hull, polygon_outline
from silhouette.common.lazy import derived
from silhouette.meshes.cutting import cut_at
from silhouette.meshes.mesh import Mesh, keep_beside
from silhouette.models.model import INSIGNIFICANT, Model
from silhouette.scenes.ground import Ground, Hits
from silhouette.scenes.pieces import Piece

# ---- the underside

FEET = 2.0
"""mm above its lowest point up to which a piece without a base stands on the ground: feet, wheels, tracks, legs."""


@dataclass(frozen=True, eq=False)
class Underside:
    """What of a piece touches the ground, from its own place: convex outline (k, 2), anticlockwise; height; mm."""

    outline: Floats
    bottom: float

    @property
    def middle(self) -> Floats:
        """(2,) the middle of the area within the outline, mm."""
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
    hull = convex_hull(cut.vertices[cut.faces[below]].reshape(-1, 3)[:, :2])
    # Of a line or a point it is a sliver round it.
    outline = polygon_outline(hull if hull.geom_type == "Polygon" else hull.buffer(0.05, quad_segs=2))
    return Underside(outline, bottom)


# ---- the surface


@derived
def solid_part(model: Model) -> Mesh:
    """The triangles that take up room: terrain whole, of a model all but its insignificant parts."""
    stays = model.role != INSIGNIFICANT
    if model.kind == "terrain" or stays.all():
        return model.mesh
    solid = model.mesh.subset(stays)
    keep_beside(model.mesh, solid)
    return solid


def is_upright(pose: Pose) -> bool:
    """Whether a pose turns about the vertical only."""
    return bool(pose.rotation[2, 2] > 1.0 - 1e-9)


@derived
def ground_of(mesh: Mesh) -> Ground:
    """The triangles of a mesh in its own frame; indexed once for all scenes in which it stands."""
    return Ground(mesh.vertices[mesh.faces])


@dataclass(frozen=True, eq=False)
class PieceSurface:
    """The surface of a piece: its triangles in a frame of their own, and the pose, upright, from that to the world."""

    ground: Ground
    pose: Pose

    @classmethod
    def of(cls, piece: Piece) -> PieceSurface:
        """The surface of a piece; its mesh is indexed once for all scenes in which it stands upright."""
        mesh = solid_part(piece.model)
        if not is_upright(piece.pose):
            return cls(Ground(piece.pose.place(mesh.vertices)[mesh.faces]), Pose.standing())
        return cls(ground_of(mesh), piece.pose)

    def near(self, outline: Floats, place: Floats) -> PieceSurface:
        """The part of it that an outline (k, 2) at a place (2,) may lie over."""
        corners = self._plan(outline + place)
        return PieceSurface(self.ground.near(corners.min(axis=0), corners.max(axis=0)), self.pose)

    def layers(self, low: Floats, high: Floats) -> float:
        """How many triangles lie above each other in a rectangle in the world, if they lie evenly there."""
        return self.ground.layers(float(np.prod(np.abs(high - low))))

    @property
    def is_empty(self) -> bool:
        """Whether it has no triangle."""
        return not len(self.ground.triangles)

    def heights(self, outline: Floats, places: Floats, under: float | None = None) -> Floats:
        """(q,) the height at which a base comes to rest at each place (q, 2), as `Ground.heights`."""
        lower = float(self.pose.translation[2])
        local = outline @ self.pose.rotation[:2, :2]
        return self.ground.heights(local, self._plan(places), None if under is None else under - lower) + lower

    def walled(self, outline: Floats, places: Floats, low: Floats, high: Floats) -> Flags:
        """(q,) whether a wall lies within an outline (k, 2) at each place (q, 2), as `Ground.walled`."""
        lower = float(self.pose.translation[2])
        local = outline @ self.pose.rotation[:2, :2]
        return self.ground.walled(local, self._plan(places), low - lower, high - lower)

    def crossings(self, points: Floats) -> Hits:
        """What vertical lines through points (p, 2) cross."""
        hits = self.ground.crossings(self._plan(points))
        return Hits(hits.line, hits.z + float(self.pose.translation[2]), hits.sign)

    def _plan(self, points: Floats) -> Floats:
        """Points (n, 2) of the world in the frame of the triangles."""
        return (np.asarray(points, np.float64) - self.pose.translation[:2]) @ self.pose.rotation[:2, :2]
