"""RELATE: pieces seen from above: their bases, and what of them lies between two heights, as shapes of shapely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import shapely

from silhouette.geometry import Floats
from silhouette.lazy import derived
from silhouette.meshes.mesh import Mesh
from silhouette.relations.plane_geometry import Disc, Outlines
from silhouette.relations.shadows import polygons_of, shadow
from silhouette.scenes.pieces import Piece
from silhouette.scenes.surfaces import is_upright

Part = Literal["whole", "body", "base"]
"""A part of a piece: all of its mesh; what counts as target, without base and insignificant parts; its base alone.

The body of terrain is all of it. The base is an upright prism: the outline by which base contact is judged, as high as
the base; of a piece without a base, as high as its body.
"""

SAME_CORNER = 1e-9
"""mm: corners of an outline that lie no farther apart are one."""

SPECK = 1e-12
"""mm: coordinates nearer to 0 are 0: in squares of much smaller ones, shapely divides by zero."""

NO_AREA = 1e-10
"""mm²: what has no more is what rounding left of a cut."""


@dataclass(frozen=True, eq=False)
class Region:
    """An area of the table that lines may cross.

    Attributes:
        name: of the piece, or whatever else it is to be called.
        shape: a polygon or several, of shapely, in the world, mm; prepared, since it is queried often.
    """

    name: str
    shape: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", shapely.remove_repeated_points(shapely.transform(self.shape, without_specks)))
        shapely.prepare(self.shape)


def without_specks(points: Floats) -> Floats:
    """(n, 2) points, with 0 for coordinates that are hardly more.

    >>> without_specks(np.array([[4.0, 1e-196], [-1e-13, 1e-9]])).tolist()
    [[4.0, 0.0], [0.0, 1e-09]]
    """
    return np.where(np.abs(points) < SPECK, 0.0, points)


def part_of(piece: Piece, part: Part) -> Mesh:
    """The triangles of a part of a piece, in the model's frame, but for a base, which is in the world's."""
    if part != "base":
        return piece.model.mesh if part == "whole" else piece.model.significant
    return _base_prism(piece)


@derived
def _base_prism(piece: Piece) -> Mesh:
    """The base as a prism, in the world."""
    return prism(piece.base_outline, *piece.base_span)


def prism(outline: Floats, low: float, high: float) -> Mesh:
    """The closed surface of an upright prism over a convex outline (k, 2), anticlockwise, between two heights, mm.

    >>> len(prism(np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]]), 0.0, 5.0).faces)
    8
    """
    count = len(outline)
    vertices = np.concatenate([np.column_stack([outline, np.full(count, height)]) for height in (low, high)])
    here = np.arange(count)
    onward = np.roll(here, -1)
    sides = [[here, onward, onward + count], [here, onward + count, here + count]]
    fan = np.arange(1, count - 1)
    ends = [[0 * fan, fan + 1, fan], [0 * fan + count, fan + count, fan + 1 + count]]
    faces = np.concatenate([np.stack(corners, axis=1) for corners in (*sides, *ends)]).astype(np.int32)
    return Mesh(vertices, faces, np.zeros(len(faces), np.int32))


def ground_under(piece: Piece) -> float:
    """The height of the ground that a piece stands on: that of its lowest point, mm, z in the world."""
    return float(_upright_mesh(piece, piece.model.mesh).bounds[0, 2] + piece.pose.translation[2])


@derived
def base_shape(piece: Piece) -> Any:
    """The outline in plan by which base contact is judged, as a polygon of shapely, in the world, mm.

    A round base is a polygon of many corners on its circle.
    """
    shape = shapely.Polygon(without_specks(piece.base_outline))
    shapely.prepare(shape)
    return shape


@derived
def base_end(piece: Piece) -> Disc | Outlines:
    """The same outline for lines from base to base: a disc where the base is round and stands upright."""
    base = piece.model.base
    if base is not None and base.is_round and is_upright(piece.pose):
        x, y, _ = without_specks(piece.pose.place([[*base.centre, 0.0]])[0])
        return Disc((float(x), float(y)), base.diameter / 2.0)
    return Outlines.of([without_specks(piece.base_outline)])


def footprint(
    piece: Piece, above: float = -np.inf, below: float = np.inf, *, part: Part = "whole", from_table: bool = False
) -> Any:
    """What of a piece lies between two heights, seen from above: polygons of shapely, in the world, mm.

    What lies higher than ``above`` and no higher than ``below`` counts, solid inside (`shadows.shadow`). Under a floor
    and between walls nothing is solid: a ruin with a floor covers all of it, one without only its walls.

    Args:
        piece: with any mesh; what is worked out of it is kept as long as the mesh, however often the piece is moved.
        above, below: mm above the piece's lowest point.
        part: of the piece; that of a base is its outline, where it reaches into these heights.
        from_table: whether the heights are z in the world instead.
    """
    return _footprint(piece, above, below, part, from_table)


@derived
def _footprint(piece: Piece, above: float, below: float, part: Part, from_table: bool) -> Any:
    """The shape of `footprint`."""
    lift = float(piece.pose.translation[2])
    start = 0.0 if from_table else ground_under(piece)
    if part == "base":
        low, high = piece.base_span
        is_there = high > above + start and low <= below + start
        return base_shape(piece) if is_there else shapely.Polygon()
    mesh = _upright_mesh(piece, part_of(piece, part))
    return _placed(piece, shadow(mesh, above + start - lift, below + start - lift))


def region_of(piece: Piece, above: float = -np.inf, below: float = np.inf, *, from_table: bool = False) -> Region:
    """The `footprint` of a piece under its name."""
    return Region(piece.name, footprint(piece, above, below, from_table=from_table))


def together(regions: Sequence[Region]) -> Any:
    """The union of regions, polygons of shapely; empty where there are none."""
    return polygons_of(shapely.union_all([region.shape for region in regions]))


def outlines_of(shape: Any) -> Outlines:
    """The polygons of a shape as outlines without holes: one with a hole is cut in two through it.

    >>> ring = shapely.Point(0.0, 0.0).buffer(3.0).difference(shapely.Point(0.0, 0.0).buffer(2.0))
    >>> len(outlines_of(ring).starts)
    2
    """
    parts = shapely.get_parts(polygons_of(shape))
    pierced = shapely.get_num_interior_rings(parts) > 0
    while pierced.any():
        middles = shapely.get_coordinates(shapely.centroid(shapely.get_interior_ring(parts[pierced], 0)))
        left, low, right, high = (shapely.bounds(parts[pierced]) + np.array([-1.0, -1.0, 1.0, 1.0])).T
        halves = [shapely.box(left, low, middles[:, 0], high), shapely.box(middles[:, 0], low, right, high)]
        cut = np.concatenate([shapely.get_parts(shapely.intersection(parts[pierced], half)) for half in halves])
        whole = cut[shapely.get_type_id(cut) == shapely.GeometryType.POLYGON]
        parts = np.concatenate([parts[~pierced], whole])
        pierced = shapely.get_num_interior_rings(parts) > 0
    parts = shapely.remove_repeated_points(parts, SAME_CORNER)
    rings = shapely.get_exterior_ring(parts[shapely.area(parts) > NO_AREA])
    return Outlines.of([shapely.get_coordinates(ring)[:-1] for ring in rings])


def _upright_mesh(piece: Piece, mesh: Mesh) -> Mesh:
    """The mesh as it stands: itself where it is turned about the vertical only, else with its vertices turned."""
    return mesh if is_upright(piece.pose) else _turned(mesh, Rotation(piece.pose.rotation))


@dataclass(frozen=True, eq=False)
class Rotation:
    """A rotation matrix (3, 3) that is equal to another one of the same bytes."""

    matrix: Floats

    def __hash__(self) -> int:
        return hash(self.matrix.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rotation) and self.matrix.tobytes() == other.matrix.tobytes()


@derived
def _turned(mesh: Mesh, rotation: Rotation) -> Mesh:
    """A mesh with its vertices turned."""
    return Mesh(mesh.vertices @ rotation.matrix.T, mesh.faces, mesh.part, mesh.part_names)


def _placed(piece: Piece, shape: Any) -> Any:
    """A shape of the model's frame where the piece stands, and as much farther out as its surface is said to lie."""
    turn = piece.pose.rotation[:2, :2] if is_upright(piece.pose) else np.eye(2)

    def moved(points: Floats) -> Floats:
        return without_specks(points @ turn.T + piece.pose.translation[:2])

    placed = shapely.transform(shape, moved)
    if piece.outline:
        placed = polygons_of(shapely.buffer(placed, piece.outline))
    shapely.prepare(placed)
    return placed
