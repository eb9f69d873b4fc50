"""RELATE: the point sets between which lines are drawn: an eye, a head, a body, a base, a standard volume.

Piece -> PointSet: a surface, and single points, in the world
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from silhouette.geometry import Floats, Integers, Pose, corners
from silhouette.lazy import cached_property, derived, remembered
from silhouette.meshes.cutting import cut_to_box
from silhouette.meshes.mesh import Mesh
from silhouette.models.eyes import EYE_LEVEL
from silhouette.models.model import BASE, Model
from silhouette.relations.shells import is_outward
from silhouette.scenes.pieces import Piece

PartName = Literal["eye", "head", "body", "whole", "base"]
"""The point sets that a piece has by itself; a `standard_volume` takes a height as well."""

SIDES = 64
"""Sides of a standard volume."""

RING, MOST_RINGS = 3.0, 200
"""mm between the rings of a standard volume; of one so large that it had more up its side, or on a lid, so many."""

COARSE = 2.0
"""mm: a standard volume that is narrower or lower has triangles and edges as fine as what rays may miss."""

STANDING = Pose.standing()


@dataclass(frozen=True, eq=False)
class PointSet:
    """Points of the world: a surface, single points, or both.

    Attributes:
        name: what it is, such as "head".
        mesh: the surface, in the frame that ``pose`` places; None where there are single points only.
        pose: from that frame to the world.
        own: (k, 3) mm, in that frame too: the points that belong to it beside its surface.
        outward: whether the surface is a closed one whose faces turn outward, or a part of one.
        convex: whether it is known to be convex and closed, and coarser than what rays in float32 could miss.
    """

    name: str
    mesh: Mesh | None
    pose: Pose
    own: Floats
    outward: bool = False
    convex: bool = False

    @classmethod
    def of_points(cls, points: Floats, name: str = "points") -> PointSet:
        """Single points (k, 3) of the world.

        >>> PointSet.of_points(np.array([[0.0, 0.0, 30.0]]), "eye").box.tolist()
        [[0.0, 0.0, 30.0], [0.0, 0.0, 30.0]]
        """
        return cls(name, None, STANDING, np.asarray(points, dtype=np.float64).reshape(-1, 3))

    @classmethod
    def of_surface(cls, mesh: Mesh, pose: Pose = STANDING, name: str = "surface") -> PointSet:
        """All points of a surface.

        >>> from silhouette.meshes.primitives import Solid, Sphere, solid
        >>> PointSet.of_surface(solid(Solid(Sphere(2.0)))).box.round(2).tolist()
        [[-1.0, -1.0, -0.0], [1.0, 1.0, 2.0]]
        """
        return cls(name, mesh, pose, np.empty((0, 3)), is_outward(mesh))

    @property
    def is_point(self) -> bool:
        """Whether it is one point."""
        return self.mesh is None and len(self.own) == 1

    @cached_property
    def single(self) -> Floats:
        """(k, 3) mm, world: the points that belong to it beside its surface."""
        return self.pose.place(self.own)

    @cached_property
    def box(self) -> Floats:
        """(2, 3) mm, world: the least and greatest coordinates of a box that holds it, not always the tightest."""
        points = [self.single] if self.mesh is None else [self.single, self.pose.place(corners(*self.mesh.bounds))]
        joined = np.concatenate(points)
        return np.array([joined.min(axis=0), joined.max(axis=0)])

    @property
    def corners(self) -> Floats:
        """(m, 3, 3) mm, world: the corners of the triangles of its surface."""
        if self.mesh is None:
            return np.empty((0, 3, 3))
        return self.pose.place(self.mesh.vertices)[self.mesh.faces]


def point_set(piece: Piece, part: PartName) -> PointSet:
    """A point set of a piece.

    - ``eye``: the point from which it looks.
    - ``head``: the eye, the middle of the head, and what of the body's surface lies in an upright cube round that
      middle, which reaches up to the crown: the cube's half is a tenth of the height of the body, from which the eye is
      estimated at nine tenths of it. Where a model says where its eye is, the head is moved with it.
    - ``body``: the surface of the significant parts; neither base nor insignificant parts. Of terrain all of it.
    - ``whole``: the surface of all parts.
    - ``base``: the surface of the base. Where the mesh has none, that of an upright prism with the outline of the base,
      from its lowest to its highest point, and where nothing says how high, the flat outline.

    Args:
        piece: the piece.
        part: which of its point sets.
    """
    if part == "eye":
        return PointSet.of_points(piece.eye[None], part)
    if part == "head":
        return _head(piece)
    mesh = {"body": piece.model.significant, "whole": piece.model.mesh}.get(part)
    if mesh is None:
        return PointSet.of_surface(base_mesh(piece.model), piece.pose, part)
    return PointSet(part, mesh, piece.pose, np.empty((0, 3)), is_outward(piece.model.mesh))


def standard_volume(piece: Piece, height: float, radius: float | None = None) -> PointSet:
    """The surface of an upright cylinder that stands for a piece: its silhouette by base and height class.

    It stands on the lowest z of the base, round the middle of its outline. It has 64 sides, so that its polygon lies
    within an eight-hundredth of the radius of the circle.

    Args:
        piece: whose volume it is.
        height: mm.
        radius: mm; by default that of the smallest circle round the middle of the base's outline that holds it.
    """
    outline = piece.base_outline
    middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
    if radius is None:
        radius = float(np.hypot(*(outline - middle).T).max())
    mesh, pose = _tower(round(radius, 6), round(height, 6)), Pose.standing((*middle, piece.base_span[0]))
    convex = min(radius, height) >= COARSE
    return PointSet("volume", mesh, pose, np.empty((0, 3)), is_outward(mesh), convex)


@remembered
def _tower(radius: float, height: float) -> Mesh:
    """The closed surface of an upright cylinder on the origin, in rings: long thin triangles take too many samples."""
    turn = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    rim = radius * np.column_stack([np.cos(turn), np.sin(turn)])
    floors = np.linspace(0.0, height, _rings(height))
    # Up the side; on both lids, rings grow narrower towards a point in the middle.
    shares = np.linspace(1.0, 0.0, _rings(radius))[1:-1]
    levels = [*((share, 0.0) for share in shares[::-1]), *((1.0, z) for z in floors), *((s, height) for s in shares)]
    rings = np.concatenate([np.column_stack([share * rim, np.full(SIDES, z)]) for share, z in levels])
    vertices = np.concatenate([rings, [[0.0, 0.0, 0.0], [0.0, 0.0, height]]])
    here = np.arange(SIDES)
    after = np.roll(here, -1)
    strip = np.concatenate(
        [np.column_stack([here, after, after + SIDES]), np.column_stack([here, after + SIDES, here + SIDES])]
    )
    sides = np.concatenate([strip + SIDES * level for level in range(len(levels) - 1)])
    last, top = SIDES * (len(levels) - 1), len(rings)
    lids = [
        np.column_stack([after, here, np.full(SIDES, top)]),
        np.column_stack([last + here, last + after, np.full(SIDES, top + 1)]),
    ]
    return _mesh(vertices, np.concatenate([sides, *lids]))


def _rings(length: float) -> int:
    """How many rings lie along a length, mm, both ends among them."""
    return max(2, int(np.ceil(min(length / RING, MOST_RINGS))) + 1)


def base_mesh(model: Model) -> Mesh:
    """The surface of a model's base, in the model's frame; see `point_set`."""
    chosen = model.role == BASE
    if chosen.any():
        return model.mesh.subset(chosen)
    low, high = model.base_span if model.base is not None else (model.base_span[0],) * 2
    return _prism(model.base_outline, low, high)


def _prism(outline: Floats, low: float, high: float) -> Mesh:
    """The upright prism over a convex outline (k, 2); flat where it has no height."""
    count = len(outline)
    here = np.arange(count)
    after = np.roll(here, -1)
    fan = np.column_stack([np.zeros(count - 2, int), here[1:-1], here[2:]])
    bottom = np.column_stack([outline, np.full(count, low)])
    if high <= low:
        return _mesh(bottom, fan)
    sides = [np.column_stack([here, after, after + count]), np.column_stack([here, after + count, here + count])]
    top = np.column_stack([outline, np.full(count, high)])
    return _mesh(np.concatenate([bottom, top]), np.concatenate([fan[:, ::-1], fan + count, *sides]))


def _head(piece: Piece) -> PointSet:
    model = piece.model
    estimate = model.eye_estimate
    middle = estimate.head
    if piece.eye_from == "given":
        middle = middle + piece.own_eye - estimate.eye
    half = (1.0 - EYE_LEVEL) / EYE_LEVEL * float(estimate.head[2] - model.body_box[0, 2])
    low, high = middle - half, middle + half
    surface = _in_box(model.significant, tuple(low.tolist()), tuple(high.tolist()))
    return PointSet("head", surface, piece.pose, np.array([piece.own_eye, middle]), is_outward(model.mesh))


@derived
def _in_box(mesh: Mesh, low: tuple[float, ...], high: tuple[float, ...]) -> Mesh | None:
    """What of a mesh lies in a box, its least and its greatest corner; None if nothing does."""
    return cut_to_box(mesh, np.array(low), np.array(high))


def _mesh(vertices: Floats, faces: Integers) -> Mesh:
    return Mesh(np.asarray(vertices, dtype=np.float64), np.asarray(faces, np.int32), np.zeros(len(faces), np.int32))
