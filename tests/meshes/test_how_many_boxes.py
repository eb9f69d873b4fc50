"""How many boxes are looked for inside a mesh, how finely, and where none are: each bound is reached, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from silhouette.common.geometry import Floats
from silhouette.meshes import solids
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.solids import inner_boxes
from tests.support.shapes import box, joined, moved, sphere


def triangles_of(shape: Mesh) -> Floats:
    """(3 corners, 3 axes, m)"""
    return shape.vertices[shape.faces].transpose(1, 2, 0)


def grid_of(shape: Mesh, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The cells along each axis in which boxes are looked for; without those added at the borders."""
    found = list[list[int]]()
    inside = solids._inside

    def noted(met: Any, cells: Any) -> Any:
        found.append((cells - 1).tolist())
        return inside(met, cells)

    monkeypatch.setattr(solids, "_inside", noted)
    inner_boxes(shape)
    return found[0]


def apart(count: int, size: int) -> Any:
    """A grid of cells in which separate cubes are set: how many, and how many cells wide each is."""
    side = int(np.ceil(count ** (1 / 3)))
    grid = np.zeros((side * (size + 1),) * 3, dtype=np.bool_)
    for place in list(np.ndindex(side, side, side))[:count]:
        grid[tuple(slice(at * (size + 1), at * (size + 1) + size) for at in place)] = True
    return grid


def test_the_grid_has_about_sixteen_thousand_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = grid_of(box((0, 0, 0), (30, 20, 40)), monkeypatch)
    assert 13_000 < np.prod(cells) < 20_000
    assert max(cells) <= 2 * min(cells) + 1


def test_the_grid_has_16_to_96_cells_along_each_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    assert grid_of(box((0, 0, 0), (1, 90, 1)), monkeypatch) == [16, 96, 16]


def test_four_surfaces_are_looked_into() -> None:
    blocks = [moved(box((0, 0, 0), (10, 10, 10 + number)), (20.0 * number, 0.0, 0.0)) for number in range(9)]
    heights = np.ptp(inner_boxes(joined(*blocks)).shells, axis=1)[:, 2]
    assert sorted(heights.tolist()) == [15.0, 16.0, 17.0, 18.0]


@pytest.mark.parametrize(("side", "count"), [(1.1, 2), (0.9, 1)])
def test_a_surface_of_less_than_a_tenth_of_the_largest_is_not_looked_into(side: float, count: int) -> None:
    shape = joined(box((0, 0, 0), (10, 10, 10)), box((20, 0, 0), (20 + side, 10, side)))
    assert len(inner_boxes(shape).shells) == count


@pytest.mark.parametrize(("copies", "is_found"), [(81, True), (131, False)])
def test_a_million_pairs_of_a_face_and_a_cell_are_compared(copies: int, is_found: bool) -> None:
    """The twelve faces of a cube lie in 8,700 cells. Of an odd number of cubes in one place the inside is inside."""
    triangles = np.concatenate([triangles_of(box((0, 0, 0), (10, 10, 10)))] * copies, axis=2)
    assert (len(solids._boxes_in(triangles)) > 0) == is_found


@pytest.mark.parametrize(("rings", "is_found"), [(120, True), (90, False)])
def test_two_pairs_more_are_compared_for_each_face(rings: int, is_found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solids, "PAIRS", 0)
    assert (len(solids._boxes_in(triangles_of(sphere(10.0, 2 * rings, rings)))) > 0) == is_found


def test_a_hundred_thousand_faces_are_laid_over_the_grid_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, touched = list[int](), solids._touched

    def noted(triangles: Floats, shape: Any) -> Any:
        sizes.append(triangles.shape[2])
        return touched(triangles, shape)

    monkeypatch.setattr(solids, "_touched", noted)
    shape = sphere(10.0, 400, 301)
    solids._boxes_in(triangles_of(shape))
    assert sum(sizes) == len(shape.faces) > 200_000
    assert 75_000 < max(sizes) <= 100_000


def test_a_box_is_a_thousandth_of_a_millimetre_smaller_than_its_cells() -> None:
    """The grid begins 0.43 of a cell before the cube; the cells after the first one are free."""
    boxes = inner_boxes(box((0, 0, 0), (10, 10, 10))).boxes
    wide = 10 / 26
    assert boxes[0, 0] - 0.57 * wide == pytest.approx(1e-3, rel=1e-3)


@pytest.mark.parametrize(
    ("limits", "grid", "count"),
    [
        ({}, lambda: apart(60, 2), 24),
        ({"MAX_SOLID_BOXES": 10_000, "PROBE_CELLS": 10_000}, lambda: apart(400, 1), 96),
        ({"MAX_SOLID_BOXES": 10_000, "SEED_CELLS": 10_000}, lambda: apart(2000, 1), 768),
    ],
    ids=["boxes", "seeds", "probes"],
)
def test_so_many_boxes_are_kept_of_so_many_seeds_that_hold_so_many_probes(
    limits: dict[str, int], grid: Callable[[], Any], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(solids, name, value)
    assert len(solids._largest(grid())) == count


@pytest.mark.parametrize("length", [1, 2, 7, 50, 95, 96])
def test_a_box_grows_along_the_whole_of_an_axis(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solids, "SEED_CELLS", 1)
    grid = np.zeros((3, solids.MAX_CELLS_PER_AXIS + 1, 3), dtype=np.bool_)
    grid[1, :length, 1] = True
    assert np.array(solids._largest(grid)).tolist() == [[[1, 0, 1], [2, length, 2]]]
