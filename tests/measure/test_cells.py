"""Cells of a picture: which of them boxes, lines and triangles touch, against shapely; none is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
import shapely

from silhouette.common.geometry import Floats
from silhouette.measure.cells import Grid
from silhouette.meshes.clusters import Indices

GRIDS = (Grid(4.0, 5, 7), Grid(0.25, 6, 3), Grid(16.0, 1, 4))


def squares(grid: Grid) -> Any:
    """All cells, in their order."""
    rows, columns = np.divmod(np.arange(grid.count), grid.columns)
    return shapely.box(columns * grid.size, rows * grid.size, (columns + 1) * grid.size, (rows + 1) * grid.size)


def somewhere(chance: np.random.Generator, grid: Grid, count: int) -> Floats:
    """(2, count) places in the picture, and beyond each of its rims."""
    reach = grid.size * np.array([[grid.columns], [grid.rows]])
    return chance.uniform(-0.5, 1.5, (2, count)) * reach


def in_pairs(shapes: Iterable[Any], meets: Callable[[Any], Any]) -> list[tuple[int, int]]:
    """The numbers of shapes, and of the cells that they meet."""
    return [(number, cell) for number, shape in enumerate(shapes) for cell in np.flatnonzero(meets(shape)).tolist()]


def sorted_pairs(found: tuple[Indices, Indices]) -> list[tuple[int, int]]:
    return sorted(zip(found[0].tolist(), found[1].tolist(), strict=True))


@pytest.mark.parametrize("grid", GRIDS)
def test_boxes(grid: Grid) -> None:
    chance = np.random.default_rng(1)
    one, other = somewhere(chance, grid, 60), somewhere(chance, grid, 60)
    low, high = np.minimum(one, other), np.maximum(one, other)
    low[:, :20] = high[:, :20]  # a single place touches a cell too
    touched = in_pairs(shapely.box(*low, *high), lambda box: shapely.intersects(squares(grid), box))
    assert sorted_pairs(grid.of_boxes(low, high)) == touched
    for some in (slice(0, 3), slice(20, 22), slice(40, 41)):
        cells = {cell for box, cell in touched if box in range(*some.indices(60))}
        assert set(np.flatnonzero(grid.touched(low[:, some], high[:, some]))) == cells


@pytest.mark.parametrize("grid", GRIDS)
def test_a_box_that_ends_before_it_begins_touches_nothing(grid: Grid) -> None:
    middle = grid.size * np.array([[grid.columns / 2], [grid.rows / 2]])
    for way in ([[1.0], [0.0]], [[0.0], [1.0]], [[1.0], [1.0]]):
        low, high = middle + 2.0 * grid.size * np.array(way), middle - 2.0 * grid.size * np.array(way)
        assert len(grid.of_boxes(low, high)[1]) == 0
        assert not grid.touched(low, high).any()


def test_what_ends_on_the_border_of_two_cells_touches_both() -> None:
    grid = Grid(0.1, 3, 3)  # 0.1 + 0.2 is not 0.3, by rounding
    low, high = np.array([[0.1], [0.05]]), np.array([[0.1 + 0.1 - 1e-17], [0.05]])
    assert grid.of_boxes(low, high)[1].tolist() == [0, 1, 2]
    assert np.flatnonzero(grid.touched(low, high)).tolist() == [0, 1, 2]
    less = np.array([[1e-6], [0.0]])
    assert grid.of_boxes(low + less, high - less)[1].tolist() == [1]


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("margin", [0.0, 0.3])
def test_lines(grid: Grid, margin: float) -> None:
    """All cells that a line passes nearer than its margin; of lines in the picture, none much farther away."""
    chance = np.random.default_rng(2)
    start, end = somewhere(chance, grid, 80), somewhere(chance, grid, 80)
    reach = grid.size * np.array([[grid.columns], [grid.rows]])
    start[:, 30:], end[:, 30:] = chance.uniform(0.0, 1.0, (2, 2, 50)) * reach
    end[0, :10], end[1, 10:20] = start[0, :10], start[1, 10:20]  # upright, and level
    margins = np.full(80, margin * grid.size)
    lines = shapely.linestrings(np.stack([start.T, end.T], axis=1))
    found = sorted_pairs(grid.of_lines(start, end, margins))
    near = in_pairs(lines, lambda line: shapely.distance(squares(grid), line) <= margin * grid.size * (1.0 - 1e-9))
    far = in_pairs(lines, lambda line: shapely.distance(squares(grid), line) <= 1.5 * margin * grid.size + 1e-9)
    assert set(near) <= set(found)
    assert {pair for pair in found if pair[0] >= 30} <= set(far)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("grid", GRIDS)
def test_triangles(grid: Grid) -> None:
    """Whichever way they run round."""
    chance = np.random.default_rng(3)
    triangles = np.stack([somewhere(chance, grid, 60) for _ in range(3)], axis=2)
    owner, cells = grid.of_boxes(triangles.min(axis=2), triangles.max(axis=2))
    meets = grid.overlapping(triangles, owner, cells)
    polygons = shapely.polygons(np.moveaxis(triangles, 0, 2))
    assert meets.tolist() == shapely.intersects(polygons[owner], squares(grid)[cells]).tolist()
    assert 0 < meets.sum() < len(meets)


@pytest.mark.parametrize("grid", GRIDS)
def test_cells_of_cells(grid: Grid) -> None:
    """A cell cut into four by four: its children are those whose middles lie in it."""
    finer = grid.finer(4)
    assert (finer.size, finer.rows, finer.columns, finer.count) == (
        grid.size / 4,
        grid.rows * 4,
        grid.columns * 4,
        grid.count * 16,
    )
    all_pieces = np.arange(finer.count)
    middles = finer.corners(all_pieces) + finer.size / 2
    parents = grid.parents(all_pieces, 4)
    low = grid.corners(parents)
    assert ((low < middles) & (middles < low + grid.size)).all()
    chosen = np.arange(grid.count)[::2]
    assert grid.children(chosen, 4).tolist() == np.flatnonzero(np.isin(parents, chosen)).tolist()


def test_the_window_of_cells_is_a_box_round_them() -> None:
    grid = Grid(4.0, 5, 7)
    assert grid.window(np.array([9, 25]), 0.5).tolist() == [7.5, 20.5, 3.5, 16.5]
    assert (Grid.of(97, 33, 16.0).columns, Grid.of(97, 33, 16.0).rows) == (7, 3)
    assert (Grid.of(96, 32, 16.0).columns, Grid.of(96, 32, 16.0).rows) == (6, 2)


def test_a_side_through_a_corner_touches_the_cell() -> None:
    """On either side of a slanting side, whichever way it runs; and lines along a border touch both of its sides."""
    grid = Grid(1.0, 4, 4)
    every = np.arange(grid.count)
    for above in ([[3.0, 0.0, 3.0], [0.0, 3.0, 3.0]], [[0.0, 3.0, 3.0], [3.0, 0.0, 3.0]]):
        triangle = np.array(above)[:, None]
        touched = every[grid.overlapping(triangle, np.zeros(16, np.int64), every)]
        assert {1, 4} <= set(touched.tolist())  # their corners at (2, 1) and (1, 2) lie on the side
        assert 0 not in touched
    for start, end, cells in (
        ([0.5, 1.0], [2.5, 1.0], {0, 1, 2, 4, 5, 6}),
        ([1.0, 0.5], [1.0, 2.5], {0, 4, 8, 1, 5, 9}),
        ([0.5, 0.5], [2.5, 2.5], {0, 1, 4, 5, 6, 9, 10}),
    ):
        _, cell = grid.of_lines(np.array([start]).T, np.array([end]).T, np.zeros(1))
        assert cells <= set(cell.tolist())
