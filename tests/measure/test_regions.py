"""The parts of faces in cells, against shapely; and whether surfaces cover them, against closed forms and rays."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from silhouette.common.geometry import Floats, Pose
from silhouette.measure.cells import Grid
from silhouette.measure.contours import Contours, Placed, contours
from silhouette.measure.regions import Regions, Surfaces, _inside, uncovered
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body
from silhouette.renderers.reference import ReferenceRenderer
from tests.support.shapes import box, joined, looking, mesh, quad, sphere

GRID = Grid(2.0, 10, 10)
VIEW = looking((0.0, 0.0, 0.0), (0.0, 100.0, 0.0), 0.05, width=20, height=20)
"""At 100 mm a pixel is 5 mm wide; the picture's middle is at (10, 10)."""


def placed(shape: Mesh) -> Placed:
    return Placed.of(VIEW, Body(1, shape, Pose.standing()))


def screen(low: tuple[float, float], high: tuple[float, float], depth: float = 50.0) -> Mesh:
    """A rectangle that covers a part of the picture, from a column and a row to others."""
    (left, top), (right, bottom) = low, high
    ways = VIEW.directions(np.array([top, top, bottom, bottom]) - 0.5, np.array([left, right, right, left]) - 0.5)
    return quad(*(depth * ways))


def triangles(chance: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    """(2, count, 3) of the picture, and 1 / depth of their corners."""
    return chance.uniform(-4.0, 24.0, (2, count, 3)), 1.0 / chance.uniform(10.0, 90.0, (count, 3))


def test_the_part_of_a_face_in_a_cell() -> None:
    """Its area, its outline, a place in it, and the least depth in it."""
    chance = np.random.default_rng(1)
    corners, inverse = triangles(chance, 600)
    cell = chance.integers(0, GRID.count, 600)
    found = Regions.of(GRID, cell, corners, inverse, 1.0 / inverse.max(axis=1))
    low = GRID.corners(cell)
    cells = shapely.box(*low, *(low + GRID.size))
    parts = shapely.intersection(shapely.polygons(np.moveaxis(corners, 0, 2)), cells)
    area = shapely.area(parts)
    assert found.pair.tolist() == np.flatnonzero(area > 1e-5).tolist()
    assert 100 < len(found.pair) < 500
    assert found.cell.tolist() == cell[found.pair].tolist()
    assert found.area == pytest.approx(area[found.pair])
    for number, pair in enumerate(found.pair):
        outline = shapely.polygons(found.corners[:, number].T)
        assert shapely.area(shapely.symmetric_difference(outline, parts[pair])) < 1e-6
        assert shapely.contains_properly(parts[pair], shapely.points(found.middle[:, number]))
        # 1 / depth is linear: the greatest one is at a corner of the part.
        plane = np.column_stack([corners[:, pair].T, np.ones(3)])
        factors = np.linalg.solve(plane, inverse[pair])
        ends = shapely.get_coordinates(parts[pair])
        assert found.least[number] == pytest.approx(1.0 / (ends @ factors[:2] + factors[2]).max(), rel=1e-6)


def test_the_part_of_a_face_behind_the_eye_is_the_whole_cell() -> None:
    """Wherever the other corners are; so are those of which nothing is known."""
    corners = np.array([[[1.0, np.nan, 5.0]], [[2.0, 3.0, 3.0]]])
    for found in (
        Regions.of(GRID, np.array([23]), corners, np.full((1, 3), np.nan), np.array([7.0])),
        Regions.whole(GRID, np.array([23])),
    ):
        outline = shapely.polygons(found.corners[:, 0].T)
        assert shapely.equals(outline, shapely.box(6.0, 4.0, 8.0, 6.0))
        assert (found.area.tolist(), found.middle[:, 0].round(9).min() > 4.0) == ([4.0], True)
        assert found.least.tolist() in ([7.0], [0.0])


def test_a_part_without_area_is_none() -> None:
    """A face seen edge-on, and one that only touches the cell along its side or at its corner."""
    flat = np.array(
        [[[1.0, 9.0, 5.0], [6.0, 6.0, 3.0], [6.0, 8.0, 6.0]], [[1.0, 9.0, 5.0], [4.0, 6.0, 5.0], [6.0, 8.0, 9.0]]]
    )
    one = np.ones((3, 3))
    assert len(Regions.of(GRID, np.array([23, 23, 23]), flat, one, np.ones(3)).cell) == 0


def test_a_window_has_a_margin_of_a_pixel_at_most() -> None:
    whole = Regions.whole(GRID, np.array([23, 45]))
    assert whole.window().tolist() == [5.0, 13.0, 3.0, 11.0]
    assert Regions.whole(Grid(0.5, 40, 40), np.array([0])).window().tolist() == [-0.5, 1.0, -0.5, 1.0]


@pytest.mark.parametrize("far", [30.0, 60.0, 200.0])
def test_where_faces_cover(far: float) -> None:
    """As rays tell, and up to a pixel beside the cells as well."""
    shapes = [
        sphere(4.0, 12, 7),
        box((-9.0, 20.0, -3.0), (0.3, 33.0, 9.0)),
        box((-50.0, -10.0, -9.0), (-3.0, 90.0, -5.0)),
    ]
    shapes[0] = mesh(shapes[0].vertices + np.array([6.0, 55.0, 3.0]), shapes[0].faces)
    cells = np.array([11, 12, 34, 44, 45, 55, 56, 87, 99])
    surfaces = Surfaces.of([placed(shape) for shape in shapes], GRID, cells, far)
    chance = np.random.default_rng(2)
    place = np.repeat(np.arange(len(cells)), 200)
    places = GRID.corners(cells)[:, place] + chance.uniform(-0.99, GRID.size + 0.99, (2, len(place)))
    bodies = [Body(number, shape, Pose.standing()) for number, shape in enumerate(shapes, 1)]
    depth = ReferenceRenderer().render(VIEW, bodies, places[::-1].T - 0.5).depth
    sure = np.abs(depth - far) > 1e-3
    covered = surfaces.cover(places, place, far)
    assert (covered == (depth < far))[sure].all()
    assert 0.1 < covered.mean() < 0.9


@pytest.mark.parametrize("aside", [(-0.9, 0.5), (2.9, 0.5), (0.5, -0.9), (0.5, 2.9)])
def test_a_face_next_to_a_cell_covers_what_is_there(aside: tuple[float, float]) -> None:
    cell = np.array([45])
    place = GRID.corners(cell)[:, 0] + aside
    small = screen((place[0] - 0.05, place[1] - 0.05), (place[0] + 0.05, place[1] + 0.05))
    surfaces = Surfaces.of([placed(small)], GRID, cell, 60.0)
    assert surfaces.cover(place[:, None], np.array([0]), 60.0).tolist() == [True]
    assert surfaces.cover(place[:, None] + 0.1, np.array([0]), 60.0).tolist() == [False]
    assert surfaces.cover(place[:, None], np.array([0]), 49.9).tolist() == [False]


def test_what_is_nearer_than_the_least_depth_covers_nothing() -> None:
    cell = np.array([45])
    near = screen((-50.0, -50.0), (50.0, 50.0), depth=0.9 * NEAREST_DEPTH_MM)
    assert not Surfaces.of([placed(near)], GRID, cell, 60.0).cover(GRID.corners(cell) + 1.0, np.array([0]), 60.0).any()


def left(*shapes: Mesh, far: float = 60.0, regions: Regions | None = None) -> list[int]:
    """The cells of which parts are not proven to be covered."""
    regions = regions or Regions.whole(GRID, np.arange(GRID.count))
    bodies = [placed(shape) for shape in shapes]
    window = regions.window()
    found = Contours.joined([contours(one, window, NEAREST_DEPTH_MM, far) for one in bodies])
    surfaces = Surfaces.of(bodies, GRID, np.unique(regions.cell), far)
    return sorted(set(regions.cell[uncovered(found, surfaces, regions, far)].tolist()))


def test_cells_that_surfaces_cover() -> None:
    """Where one ends, the next one begins, before it or behind it; where none does, all cells on the way are left."""
    whole = screen((-30.0, -30.0), (50.0, 50.0))
    half, other = screen((-30.0, -30.0), (10.3, 50.0)), screen((10.2, -30.0), (50.0, 50.0), depth=40.0)
    apart = screen((10.4, -30.0), (50.0, 50.0), depth=40.0)
    assert left(whole) == []
    assert left(half, other) == []
    assert left(joined(half, other)) == []
    assert left(half) == [cell for cell in range(100) if cell % 10 >= 5]
    assert left(half, apart) == [cell for cell in range(100) if cell % 10 == 5]
    assert left(whole, far=49.0) == list(range(100))
    hole = [screen((-30.0, -30.0), (7.1, 50.0)), screen((7.11, -30.0), (50.0, 50.0)), screen((7.1, -30.0), (7.11, 4.7))]
    assert left(*hole, screen((7.1, 4.71), (7.11, 50.0))) == [23]


def test_parts_of_cells_are_covered_where_a_cell_is_not() -> None:
    """Of a face that ends where the screen ends; and of one that reaches a hundred-thousandth farther."""
    half = screen((-30.0, -30.0), (10.3, 50.0))
    for end, open_cells in ((10.3, []), (10.30001, [45])):
        corners = np.array([[[9.0, end, end]], [[9.0, 9.0, 9.9]]])
        cells = np.array([44, 45])
        parts = Regions.of(GRID, cells, corners.repeat(2, axis=1), np.full((2, 3), 0.01), np.ones(2))
        assert len(parts.cell) == 2
        assert left(half, regions=parts) == open_cells


@pytest.mark.parametrize("rim", [0.0, 0.3, -0.1])
def test_the_part_of_a_line_in_a_region_with_a_rim(rim: float) -> None:
    """A region is convex: with a rim it lies within its sides, each moved outward by as much."""
    chance = np.random.default_rng(7)
    corners, inverse = triangles(chance, 150)
    parts = Regions.of(GRID, chance.integers(0, GRID.count, 150), corners, inverse, np.ones(150))
    count = len(parts.cell)
    start, way = parts.middle + chance.normal(0.0, 0.7, (2, count)), chance.normal(0.0, 2.0, (2, count))
    way[0, : count // 4], way[1, count // 4 : count // 2] = 0.0, 0.0
    lines = Contours(start, start + way, np.ones(count), np.zeros(count), np.zeros(count))
    each = np.arange(count)
    enter, leave = _inside(lines, each, parts, each, np.full(count, rim))
    outlines = shapely.polygons(np.moveaxis(parts.corners, 0, 2))
    wider = shapely.buffer(outlines, rim, join_style="mitre", mitre_limit=1e9)
    inside = shapely.intersection(shapely.linestrings(np.stack([start.T, (start + way).T], axis=1)), wider)
    length = np.hypot(*way)
    assert np.maximum(leave - enter, 0.0) * length == pytest.approx(shapely.length(inside), abs=1e-7)
    for number in np.flatnonzero(enter < leave):
        ends = start[:, number] + np.outer([enter[number], leave[number]], way[:, number])
        assert shapely.distance(wider[number], shapely.points(ends)).max() < 1e-7
    assert 0 < (enter < leave).sum() < count
