"""The last proof that cells are covered: nearer faces, united, fill them; in closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Pose
from silhouette.measure.polygons import MOST_CELLS, uncovered
from silhouette.measure.sampling import Picture
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import fit_view
from tests.support.shapes import joined, mesh, quad, square

TARGET = square(10.0, (0.0, 100.0, 0.0))
(VIEW,) = fit_view((0.0, 0.0, 0.0), TARGET.bounds.mean(axis=0), TARGET.vertices, 0.1)


def picture(*blockers: Mesh, target: Mesh = TARGET) -> Picture:
    bodies = [Body(number, shape, Pose.standing()) for number, shape in enumerate((target, *blockers), 1)]
    return Picture(VIEW, bodies[0], bodies[1:], None)


def screen(row: float, column: float, height: float, width: float, depth: float = 50.0) -> Mesh:
    """A rectangle that faces the eye and covers this part of the picture, in pixels."""
    rows, columns = (
        np.array([row, row + height, row + height, row]),
        np.array([column, column, column + width, column + width]),
    )
    ways = VIEW.directions(rows - 0.5, columns - 0.5)
    return quad(*(VIEW.eye + depth * ways))


def left(blocks: list[list[float]], *blockers: Mesh, target: Mesh = TARGET) -> list[list[float]]:
    found: Floats = uncovered(picture(*blockers, target=target), np.array(blocks, dtype=np.float64).reshape(-1, 4))
    return found.tolist()  # type: ignore[no-any-return]


BLOCKS = [[10.0, 20.0, 4.0, 4.0], [50.0, 30.0, 1.0, 1.0], [60.0, 70.0, 4.0, 0.25], [3.0, 90.0, 2.0, 8.0]]


def test_what_a_screen_covers_and_what_it_leaves() -> None:
    for number, (row, column, height, width) in enumerate(BLOCKS):
        others = [block for block in BLOCKS if block != BLOCKS[number]]
        whole = screen(row - 0.01, column - 0.01, height + 0.02, width + 0.02)
        assert left(BLOCKS, whole) == others
        assert left([BLOCKS[number]], whole) == []
        for part in (
            screen(row + 0.01 * height, column - 1, height + 2, width + 2),
            screen(row - 1, column + 0.01 * width, height + 2, width + 2),
            screen(row - 1, column - 1, 0.99 * height + 1, width + 2),
            screen(row - 1, column - 1, height + 2, 0.99 * width + 1),
        ):
            assert left([BLOCKS[number]], part) == [BLOCKS[number]]


@pytest.mark.parametrize(("row", "column"), [(40.0, 50.0), (0.5, 0.25)])
def test_several_screens_cover_together(row: float, column: float) -> None:
    """Side by side, of one mesh or of several, and one half behind another; a gap of a hundred-thousandth is found."""
    block = [row, column, 4.0, 4.0]
    upper, lower = screen(row - 1, column - 1, 3, 6), screen(row + 2, column - 1, 3, 6, depth=70.0)
    assert left([block], upper, lower) == []
    assert left([block], joined(upper, lower)) == []
    assert left([block], screen(row - 1, column - 1, 3.5, 6), lower) == []
    assert left([block], screen(row - 1, column - 1, 2.99999, 6), lower) == [block]
    assert left([block], upper) == [block]


def test_only_what_is_nearer_than_all_of_the_target_covers() -> None:
    block = [40.0, 50.0, 4.0, 4.0]
    for depth, covers in ((1e-3, True), (99.9, True), (100.1, False), (50.0, True)):
        assert (left([block], screen(30, 40, 30, 30, depth)) == []) == covers
    # In the plane of the target; with a corner behind it, or behind the eye.
    assert left([block], TARGET) == [block]
    corners = screen(30, 40, 30, 30).vertices
    for share in (2.5, -0.1):
        assert left(
            [block], mesh([corners[0], corners[1], share * corners[2], corners[3]], [[0, 1, 2], [0, 2, 3]])
        ) == [block]
    # A second part of the target, nearer than the screen.
    assert left([block], screen(30, 40, 30, 30), target=joined(TARGET, screen(5, 5, 1, 1, 40.0))) == [block]


@pytest.mark.parametrize("count", [0, MOST_CELLS, MOST_CELLS + 1])
def test_as_many_cells_as_are_worth_the_while(count: int) -> None:
    blocks = [[float(number), 50.0, 1.0, 1.0] for number in range(count)]
    assert left(blocks, screen(-200, -200, 900, 900)) == (blocks if count > MOST_CELLS else [])
    assert left(blocks) == blocks
