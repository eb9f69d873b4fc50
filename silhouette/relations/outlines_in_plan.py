"""RELATE: pieces seen from above: their bases, and what of them lies between two heights, as shapes of shapely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import shapely
from numpy.typing import NDArray

from silhouette.common.errors import go_on
from silhouette.common.geometry import Flags, Floats
from silhouette.common.lazy import derived
from silhouette.meshes.cutting import CUT_TOLERANCE, cut_at
from silhouette.meshes.mesh import Mesh, keep_beside, recorded
from silhouette.models.model import Model
from silhouette.relations.plane_geometry import Outlines, PlaneDisc
from silhouette.scenes.ground import Ground
from silhouette.scenes.pieces import Piece
from silhouette.scenes.surfaces import is_upright

# ---- the shadow of a mesh

# mm to either side by which what stands upright without thickness is drawn out, so that lines cross it.
SHEET_HALF_WIDTH_MM = 1e-4
# A triangle with a smaller doubled area in plan, as a share of its longest side squared, is a line.
UPRIGHT_AREA_SHARE = 1e-9
PORTION_TRIANGLES = 2000  # the number of triangles whose areas are united at once: it takes a tenth of a second
OUTLINES_VERSION = 2  # raised whenever another shape is found for a mesh


@derived
def shadow(mesh: Mesh, above: float = -np.inf, below: float = np.inf) -> Any:
    """What of a mesh lies higher than ``above`` and no higher than ``below``, z in its frame, seen from above: a
    polygon or several, of shapely; an empty one where nothing lies there. It is kept as long as the mesh, and that of a
    whole mesh from run to run.

    What is solid there counts, not its surface alone: between 10 and 20 mm a box of 50 mm covers all of its plan. A
    solid is what a closed surface holds. A face that lies level at ``above`` does not count, one at ``below`` does. An
    upright sheet without thickness becomes a strip `SHEET_HALF_WIDTH_MM` to either side of it.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> block = solid(Solid(Box((4.0, 3.0, 50.0))))
    >>> shadow(block).area, shadow(block, 10.0, 20.0).area, shadow(block, 50.0).is_empty
    (12.0, 12.0, True)
    """
    lowest, highest = (float(mesh.bounds[end, 2]) for end in (0, 1))
    slab = mesh
    if below < highest:
        slab = _side_of_cut(slab, below, lower=True)
    if above >= lowest - CUT_TOLERANCE:
        slab = _side_of_cut(slab, above, lower=False)
    if slab is not mesh:
        keep_beside(mesh, slab)
    area = shapely.from_wkb(recorded(slab, _Area, OUTLINES_VERSION, _Area.of).wkb.tobytes())
    if lowest < above < highest:
        solid = section(mesh, above + 2.0 * CUT_TOLERANCE)
        # What a thin slab has beside its section are slivers, which make thousands of corners of hundreds.
        is_section = shapely.covers(shapely.buffer(solid, SHEET_HALF_WIDTH_MM, quad_segs=2), area)
        area = solid if is_section else shapely.union(area, solid)
    return polygons_of(shapely.make_valid(shapely.union(area, _sheets(slab, area))))


def section(mesh: Mesh, height: float) -> Any:
    """The area that a mesh is solid in at a height, mm in its frame: what lies within its closed surfaces.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> section(solid(Solid(Box((4.0, 3.0, 50.0)))), 25.0).area
    12.0
    """
    depth = mesh.vertices[mesh.faces, 2] - height
    over = depth >= 0.0
    crossing = over.any(axis=1) & ~over.all(axis=1)
    faces, depth, over = mesh.faces[crossing], depth[crossing], over[crossing]
    rows = np.arange(len(faces))
    alone = np.where(over.sum(axis=1) == 1, over.argmax(axis=1), (~over).argmax(axis=1))
    ends = [_between(mesh.vertices, faces, depth, rows, alone, (alone + step) % 3) for step in (1, 2)]
    cuts = shapely.linestrings(np.stack(ends, axis=1))
    cells = shapely.get_parts(shapely.polygonize(shapely.get_parts(shapely.union_all(cuts))))
    if not len(cells):
        return shapely.MultiPolygon()
    middles = shapely.get_coordinates(shapely.point_on_surface(cells))
    return shapely.union_all(cells[_inside(mesh, middles, height)])


def polygons_of(shape: Any) -> Any:
    """The polygons of a shape, without lines and points: themselves, not copied, where it is nothing else.

    >>> polygons_of(shapely.from_wkt("GEOMETRYCOLLECTION (POINT (1 1), POLYGON ((0 0, 1 0, 0 1, 0 0)))")).wkt
    'MULTIPOLYGON (((0 0, 1 0, 0 1, 0 0)))'
    """
    if shape.geom_type in ("Polygon", "MultiPolygon"):
        return shape
    parts = shapely.get_parts(shapely.get_parts(shape))
    return shapely.multipolygons(parts[shapely.get_type_id(parts) == shapely.GeometryType.POLYGON])


@dataclass(frozen=True, eq=False)
class _Area:
    """What the triangles of a mesh cover in plan, but upright ones, as it is kept: well-known binary, (n,) uint8."""

    wkb: NDArray[np.uint8]

    @classmethod
    def of(cls, mesh: Mesh) -> _Area:
        corners, upright, _ = _in_plan(mesh)
        area = _union(corners[~upright])
        return cls(np.frombuffer(shapely.to_wkb(area), np.uint8))


def _union(triangles: Floats) -> Any:
    """The area that triangles (m, 3, 2) cover, in portions that lie together. OutOfTime where no time is left."""
    if len(triangles) <= PORTION_TRIANGLES:
        return shapely.union_all(shapely.polygons(triangles))
    x, y = triangles.mean(axis=1).T
    strips = np.argsort(np.argsort(x)) // int(np.sqrt(PORTION_TRIANGLES * len(triangles)))
    order = np.lexsort((y, strips))
    areas = []
    for start in range(0, len(order), PORTION_TRIANGLES):
        go_on()
        areas.append(shapely.union_all(shapely.polygons(triangles[order[start : start + PORTION_TRIANGLES]])))
    while len(areas) > 1:
        go_on()
        areas = [shapely.union_all(areas[start : start + 4]) for start in range(0, len(areas), 4)]
    return areas[0]


def _in_plan(mesh: Mesh) -> tuple[Floats, Flags, Floats]:
    """The corners of each triangle (m, 3, 2), whether it is upright (m,), and the squared lengths of its sides."""
    corners = mesh.vertices[mesh.faces][:, :, :2]
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = (sides**2).sum(axis=2)
    doubled = np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0])
    return corners, doubled <= UPRIGHT_AREA_SHARE * lengths.max(axis=1, initial=0.0), lengths


def _sheets(mesh: Mesh, area: Any) -> Any:
    """Strips round the upright triangles of a mesh where they reach out of an area."""
    corners, upright, lengths = _in_plan(mesh)
    corners, lengths = corners[upright], lengths[upright]
    if not len(corners):
        return shapely.Polygon()
    rows, longest = np.arange(len(corners)), lengths.argmax(axis=1)
    ends = np.stack([corners[rows, longest], corners[rows, (longest + 1) % 3]], axis=1)
    lines = shapely.linestrings(ends[lengths[rows, longest] > SHEET_HALF_WIDTH_MM**2])
    around = shapely.buffer(area, SHEET_HALF_WIDTH_MM, quad_segs=2)
    shapely.prepare(around)
    outside = lines[~shapely.covered_by(lines, around)]
    return shapely.union_all(shapely.buffer(outside, SHEET_HALF_WIDTH_MM, cap_style="flat"))


def _side_of_cut(mesh: Mesh, height: float, *, lower: bool) -> Mesh:
    """What lies below a height or in it, or what lies above."""
    cut, below = cut_at(mesh, height)
    return cut.subset(below if lower else ~below)


def _between(
    vertices: Floats, faces: NDArray[Any], depth: Floats, rows: NDArray[Any], first: NDArray[Any], second: NDArray[Any]
) -> Floats:
    """(n, 2) where the side between two corners of each face crosses the level, the same for both faces at the side."""
    swap = depth[rows, first] > depth[rows, second]
    low, high = np.where(swap, second, first), np.where(swap, first, second)
    start, end = (vertices[faces[rows, corner], :2] for corner in (low, high))
    share = depth[rows, low] / (depth[rows, low] - depth[rows, high])
    points: Floats = start + share[:, None] * (end - start)
    return points


def _inside(mesh: Mesh, points: Floats, height: float) -> Flags:
    """(p,) whether points (p, 2) at a height lie within a closed surface of a mesh."""
    hits = Ground(mesh.vertices[mesh.faces]).crossings(points)
    whole, below = (
        np.bincount(hits.line[chosen], hits.sign[chosen], len(points)) for chosen in (slice(None), hits.z < height)
    )
    flags: Flags = (whole == 0.0) & (below != 0.0)
    return flags


# ---- pieces in plan

Part = Literal["whole", "body", "base"]
"""A part of a piece: all of its mesh; what counts as target, without base and insignificant parts; its base alone.

The body of terrain is all of it. The base is an upright prism: the outline by which base contact is judged, as high as
the base; of a piece without a base, as high as its body.
"""

Measured = Part | Literal["hull"]
"""By what games measure: a part; or "hull": vehicles by all of them, base and all, and other models by their bases."""

SAME_CORNER = 1e-9  # mm: corners of an outline that lie no farther apart are one
SPECK_MM = 1e-12  # mm: coordinates nearer to 0 are 0: in squares of much smaller ones, shapely divides by zero
NO_AREA_MM2 = 1e-10  # mm²: what has no more is what rounding left of a cut


@dataclass(frozen=True, eq=False)
class Region:
    """A named area of the table that lines may cross: a polygon or several, of shapely, world, mm; prepared."""

    name: str
    shape: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", _without_repetitions(shapely.transform(self.shape, without_specks)))
        shapely.prepare(self.shape)


def _without_repetitions(shape: Any) -> Any:
    """A shape of shapely without repeated corners, nor rings that are one point, as rounding leaves some.

    >>> hole = [(1.0, 1.0)] * 4
    >>> _without_repetitions(shapely.Polygon([(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)], [hole])).wkt
    'MULTIPOLYGON (((0 0, 4 0, 0 4, 0 0)))'
    """
    try:
        return shapely.remove_repeated_points(shape)
    except shapely.errors.GEOSException:
        parts = [part for part in shapely.get_parts(shape) if part.exterior.length > SAME_CORNER]
        holes = [[hole for hole in part.interiors if hole.length > SAME_CORNER] for part in parts]
        whole = [shapely.Polygon(part.exterior, inner) for part, inner in zip(parts, holes, strict=True)]
        return shapely.remove_repeated_points(shapely.multipolygons(whole))


def without_specks(points: Floats) -> Floats:
    """(n, 2) points, with 0 for coordinates that are hardly more.

    >>> without_specks(np.array([[4.0, 1e-196], [-1e-13, 1e-9]])).tolist()
    [[4.0, 0.0], [0.0, 1e-09]]
    """
    return np.where(np.abs(points) < SPECK_MM, 0.0, points)


def part_measured(piece: Piece, of: Measured) -> Part:
    """The part of a piece by which it is measured; of terrain all counts, whichever is named."""
    if piece.kind == "terrain" or (of == "hull" and piece.kind == "vehicle"):
        return "whole"
    return "base" if of == "hull" else of


def measured_by(piece: Piece, of: Measured) -> Piece:
    """A model as lines from base to base take it: where games measure by the hull, a vehicle stands with all of it, the
    convex outline of which, seen from above, is its base. Any other model, and each where its base counts, is itself.
    """
    return _standing_with_all(piece) if of == "hull" and piece.kind == "vehicle" else piece


@derived
def _standing_with_all(piece: Piece) -> Piece:
    return replace(piece, model=_based_on_all(piece.model))


@derived
def _based_on_all(model: Model) -> Model:
    return replace(model, kind="terrain", base=None, touching=())  # of terrain all counts


def part_of(piece: Piece, part: Part) -> Mesh:
    """The triangles of a part of a piece, in the model's frame, but for a base, which is in the world's."""
    if part != "base":
        return piece.model.mesh if part == "whole" else piece.model.significant
    return _base_prism(piece)


@derived
def _base_prism(piece: Piece) -> Mesh:
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


@derived
def base_shape(piece: Piece) -> Any:
    """The outline in plan by which base contact is judged, as a polygon of shapely, in the world, mm; a round base is
    one of many corners on its circle.
    """
    shape = shapely.Polygon(without_specks(piece.base_outline))
    shapely.prepare(shape)
    return shape


@derived
def base_end(piece: Piece) -> PlaneDisc | Outlines:
    """The same outline for lines from base to base: a disc where the base is round and stands upright."""
    base = piece.model.base
    if base is not None and base.is_round and is_upright(piece.pose):
        x, y, _ = without_specks(piece.pose.place([[*base.centre, 0.0]])[0])
        return PlaneDisc((float(x), float(y)), base.diameter / 2.0)
    return Outlines.of([without_specks(piece.base_outline)])


UNIT_SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) / 2.0  # round the origin


def square_round(piece: Piece, side: float) -> Floats:
    """(4, 2) mm: the corners of the square of that side along the table's axes round the middle of a piece's base."""
    return without_specks(piece.base_centre + side * UNIT_SQUARE)


def footprint(
    piece: Piece, above: float = -np.inf, below: float = np.inf, *, part: Part = "whole", from_table: bool = False
) -> Any:
    """What of a piece lies between two heights, mm above its lowest point, or z in the world if ``from_table``, seen
    from above: polygons of shapely, in the world, mm; that of a base is its outline, where it reaches into these
    heights.

    What lies higher than ``above`` and no higher than ``below`` counts, solid inside (`shadow`). Under a floor and
    between walls nothing is solid: a ruin with a floor covers all of it, one without only its walls.
    """
    return _footprint(piece, above, below, part, from_table)


@derived
def _footprint(piece: Piece, above: float, below: float, part: Part, from_table: bool) -> Any:
    lift = float(piece.pose.translation[2])
    start = 0.0 if from_table else lift + float(_upright_mesh(piece, piece.model.mesh).bounds[0, 2])
    if part == "base":
        low, high = piece.base_span
        is_there = high > above + start and low <= below + start
        return base_shape(piece) if is_there else shapely.Polygon()
    mesh = _upright_mesh(piece, part_of(piece, part))
    return _placed(piece, shadow(mesh, above + start - lift, below + start - lift))


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
    rings = shapely.get_exterior_ring(parts[shapely.area(parts) > NO_AREA_MM2])
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


# ---- how high, wide and long a piece is


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
