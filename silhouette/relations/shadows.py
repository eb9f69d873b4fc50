"""RELATE: what a mesh covers in plan: the union of its triangles seen from above, of all of it or between two heights.

mesh -> cut at two heights -> triangles in plan, what is solid at the lower height, sheets -> one shape of shapely
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats
from silhouette.lazy import derived
from silhouette.meshes.cutting import CUT_TOLERANCE, cut_at
from silhouette.meshes.mesh import Mesh, keep_beside, recorded
from silhouette.scenes.ground import Ground

SHEET = 1e-4
"""mm: what stands upright without thickness is drawn out to either side by so much, so that lines can cross it."""

NO_AREA = 1e-9
"""A triangle with less doubled area in plan than this share of its longest side squared is upright: a line in plan."""

VERSION = 1
"""Raised whenever another shape is found for a mesh."""


def shadow(mesh: Mesh, above: float = -np.inf, below: float = np.inf) -> Any:
    """What of a mesh lies higher than ``above`` and no higher than ``below``, seen from above, in the mesh's frame.

    What is solid there counts, not its surface alone: between 10 and 20 mm a box of 50 mm covers all of its plan. A
    solid is what a closed surface holds. A face that lies level at ``above`` does not count, one at ``below`` does.
    An upright sheet without thickness becomes a strip `SHEET` to either side of it.

    Args:
        mesh: of any number of triangles; its shape is kept as long as it is, and that of a whole mesh from run to run.
        above, below: mm, z in the mesh's frame.

    Returns:
        A polygon or several, of shapely; an empty one where nothing lies there.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> block = solid(Solid(Box((4.0, 3.0, 50.0))))
    >>> shadow(block).area, shadow(block, 10.0, 20.0).area, shadow(block, 50.0).is_empty
    (12.0, 12.0, True)
    """
    return _shadow(mesh, above, below)


@derived
def _shadow(mesh: Mesh, above: float, below: float) -> Any:
    """The shape of `shadow`."""
    lowest, highest = (float(mesh.bounds[end, 2]) for end in (0, 1))
    slab = mesh
    if below < highest:
        slab = _kept(slab, below, lower=True)
    if above >= lowest - CUT_TOLERANCE:
        slab = _kept(slab, above, lower=False)
    if slab is not mesh:
        keep_beside(mesh, slab)
    area = shapely.from_wkb(recorded(slab, _Area, VERSION, _Area.of).wkb.tobytes())
    if lowest < above < highest:
        area = shapely.union(area, section(mesh, above + 2.0 * CUT_TOLERANCE))
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
    """What the triangles of a mesh cover in plan but for those that stand upright, as it is kept.

    Attributes:
        wkb: (n,) uint8, the shape as well-known binary.
    """

    wkb: NDArray[np.uint8]

    @classmethod
    def of(cls, mesh: Mesh) -> _Area:
        corners, upright, _ = _in_plan(mesh)
        area = shapely.union_all(shapely.polygons(corners[~upright]))
        return cls(np.frombuffer(shapely.to_wkb(area), np.uint8))


def _in_plan(mesh: Mesh) -> tuple[Floats, Flags, Floats]:
    """The corners of each triangle (m, 3, 2), whether it is upright (m,), and the squared lengths of its sides."""
    corners = mesh.vertices[mesh.faces][:, :, :2]
    sides = np.roll(corners, -1, axis=1) - corners
    lengths = (sides**2).sum(axis=2)
    doubled = np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0])
    return corners, doubled <= NO_AREA * lengths.max(axis=1, initial=0.0), lengths


def _sheets(mesh: Mesh, area: Any) -> Any:
    """Strips round the upright triangles of a mesh where they reach out of an area."""
    corners, upright, lengths = _in_plan(mesh)
    corners, lengths = corners[upright], lengths[upright]
    if not len(corners):
        return shapely.Polygon()
    rows, longest = np.arange(len(corners)), lengths.argmax(axis=1)
    ends = np.stack([corners[rows, longest], corners[rows, (longest + 1) % 3]], axis=1)
    lines = shapely.linestrings(ends[lengths[rows, longest] > SHEET**2])
    around = shapely.buffer(area, SHEET, quad_segs=2)
    shapely.prepare(around)
    outside = lines[~shapely.covered_by(lines, around)]
    return shapely.union_all(shapely.buffer(outside, SHEET, cap_style="flat"))


def _kept(mesh: Mesh, height: float, *, lower: bool) -> Mesh:
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
