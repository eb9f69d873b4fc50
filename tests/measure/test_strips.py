"""Strips beside contours: how wide they are, and which part of a contour lies in a cell with its rim."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from silhouette.common.geometry import Floats
from silhouette.measure.cells import Grid
from silhouette.measure.contours import Contours
from silhouette.measure.strips import RIM, Pieces, _strips, in_cells


def lines(start: Floats, end: Floats, doubt: float, gap: float) -> Contours:
    count = start.shape[1]
    return Contours(start, end, np.ones(count), np.full(count, doubt), np.full(count, gap))


def test_a_strip_begins_beyond_what_counts_as_no_gap() -> None:
    """It ends twice as far out; where float64 decides, a narrower one is asked for as well."""
    ends = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[5.0, 1.0], [0.0, 7.0]])
    for doubt, gap, strips in ((1e-6, 0.01, [(0.02, 0.01), (4e-6, 1e-6)]), (0.03, 0.01, [(0.12, 0.01)])):
        found = lines(*ends, doubt, gap)
        pieces = Pieces.of(found, np.arange(2), np.zeros(2, np.int64), np.zeros(2), np.ones(2))
        told = [(far.tolist(), near.tolist()) for far, near in _strips(found, pieces)]
        assert told == [([far] * 2, [near] * 2) for far, near in strips]


def test_the_part_of_a_contour_in_a_cell_with_its_rim() -> None:
    chance = np.random.default_rng(3)
    grid, doubt, gap = Grid(4.0, 4, 5), 0.02, 0.01
    start, end = chance.uniform(-3.0, 22.0, (2, 60)), chance.uniform(-3.0, 22.0, (2, 60))
    found = lines(start, end, doubt, gap)
    cells = np.array([0, 6, 7, 13, 19])
    line, place, enter, leave, through = in_cells(found, grid, cells)
    low = grid.corners(cells)[:, place]
    whole = shapely.linestrings(np.stack([start.T, end.T], axis=1))
    length = np.hypot(*(end - start))[line]
    for rim, shares in ((RIM * found.width[0], np.maximum(leave - enter, 0.0)), (doubt, through)):
        part = shapely.intersection(whole[line], shapely.box(*(low - rim), *(low + grid.size + rim)))
        if shares.dtype == np.bool_:
            assert shares.tolist() == (shapely.length(part) > 0.0).tolist()
        else:
            assert shares * length == pytest.approx(shapely.length(part), abs=1e-9)
    near = {
        (number, cell)
        for number, one in enumerate(whole)
        for cell, corner in enumerate(grid.corners(cells).T)
        if shapely.intersects(one, shapely.box(*corner, *(corner + grid.size)))
    }
    assert near <= set(zip(line.tolist(), place.tolist(), strict=True))
