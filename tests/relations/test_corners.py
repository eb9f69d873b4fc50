"""Lines from corner to corner against places where the answer is known, and against points tried along each line."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from silhouette.common.geometry import Floats
from silhouette.relations.corners import Corners, clear_lines
from silhouette.relations.lines_in_plan import any_line_crosses as any_line_crosses_in_plan
from silhouette.relations.lines_in_plan import centre_line_crosses, crossings
from silhouette.relations.lines_in_space import CountedPart, any_line_crosses, region_of
from silhouette.relations.lines_in_space import centre_line_crosses as centre_line_in_space
from silhouette.relations.outlines_in_plan import Region
from silhouette.scenes.pieces import Piece
from tests.support.plain_pieces import block, man, sheet, square_man

KAL, VEX = man("Kal", 0.0, 0.0), man("Vex", 0.0, 200.0)
SQUARE = 25.0


def regions(*pieces: Piece, square: float = 0.0, rim: bool = False) -> list[Region]:
    return [region_of(CountedPart(piece, square=square), (KAL, VEX), rim=rim) for piece in pieces]


def count(*pieces: Piece, touching: bool = True, every: bool = False) -> int:
    ends = Corners(KAL, SQUARE), Corners(VEX, SQUARE)
    return int(clear_lines(*ends, regions(*pieces, rim=not touching), every=every).value)


def test_a_square_has_its_corners_along_the_axes_however_the_base_is_turned() -> None:
    turned = square_man("Yar", 10.0, 20.0, side=20.0, turn=30.0)
    assert Corners(turned, 50.0).points.tolist() == [[-15.0, -5.0], [35.0, -5.0], [35.0, 45.0], [-15.0, 45.0]]
    own = Corners(turned).points - [10.0, 20.0]
    assert np.hypot(*own.T) == pytest.approx(np.full(4, np.hypot(10.0, 10.0)))
    assert np.arctan2(own[:, 1], own[:, 0]) % (np.pi / 2) == pytest.approx(np.full(4, np.radians(75.0)))


def test_a_round_base_has_the_corners_of_the_square_round_it_and_terrain_those_of_its_rectangle() -> None:
    assert Corners(KAL).points.tolist() == [[-16.0, -16.0], [16.0, -16.0], [16.0, 16.0], [-16.0, 16.0]]
    corners = Corners(block("wall", (-60, 90), (0, 110))).points
    assert sorted(corners.round(6).tolist()) == [[-60.0, 90.0], [-60.0, 110.0], [0.0, 90.0], [0.0, 110.0]]


@pytest.mark.parametrize(
    ("side", "cell", "cells", "points"), [(25, 25, 1, 4), (50, 25, 4, 9), (75, 25, 9, 16), (50, 0, 1, 4)]
)
def test_a_large_square_has_cells_with_corners_of_their_own(side: float, cell: float, cells: int, points: int) -> None:
    corners = Corners(KAL, side, cell)
    assert corners.cells.shape == (cells, 4, 2)
    assert len(corners.points) == points
    sides = np.linalg.norm(np.roll(corners.cells, -1, axis=1) - corners.cells, axis=-1)
    assert sides == pytest.approx(np.full((cells, 4), cell or side))


@pytest.mark.parametrize(
    ("low", "high", "clear"),
    [
        ((50, 90), (60, 110), 4),
        ((-60, 90), (60, 110), 0),
        # From the right corner, at x = 12.5, the lines to the left ones of the target pass y = 100 near x = 0.
        ((-60, 99), (-1, 101), 4),
        ((-60, 99), (5, 101), 2),
        ((-60, 99), (13, 101), 0),
        ((-60, 90), (0.0, 110), 3),
    ],
)
def test_the_best_corner_counts(low: tuple[float, float], high: tuple[float, float], clear: int) -> None:
    wall = block("wall", low, high)
    assert count(wall) == clear
    found = clear_lines(Corners(KAL, SQUARE), Corners(VEX, SQUARE), regions(wall))
    assert found.by == (("wall",) if clear < 4 else ())
    assert found.lines.shape == (4, 2, 3)
    assert [_meets(line, low, high) for line in found.lines[:, :, :2]] == [False] * clear + [True] * (4 - clear)
    assert len(np.unique(found.lines[:, 0], axis=0)) == 1  # from one corner


def _meets(line: Floats, low: tuple[float, float], high: tuple[float, float]) -> bool:
    points = line[0] + np.linspace(0.0, 1.0, 2001)[:, None] * (line[1] - line[0])
    return bool(((points > low) & (points < high)).all(axis=1).any())


def test_of_a_large_target_the_cell_counts_that_is_seen_best() -> None:
    wall = block("wall", (-60, 150), (0, 160))
    whole = clear_lines(Corners(KAL, SQUARE), Corners(VEX, 50.0), regions(wall))
    cells = clear_lines(Corners(KAL, SQUARE), Corners(VEX, 50.0, 25.0), regions(wall))
    assert (whole.value, cells.value) == (2.0, 4.0)
    assert cells.lines[:, 1, 0].min() == 0.0


def test_every_line_from_corner_to_corner_is_counted() -> None:
    generator = np.random.default_rng(7)
    for _ in range(20):
        low = generator.uniform([-40, 40], [20, 120])
        high = low + generator.uniform(5, 50, 2)
        wall = block("wall", tuple(low), tuple(high))
        starts, ends = Corners(KAL, SQUARE).points, Corners(VEX, SQUARE).points
        lines = [np.array([start, end]) for start in starts for end in ends]
        free = [not _meets(line, tuple(low), tuple(high)) for line in lines]
        assert count(wall, every=True) == sum(free)
        assert count(wall) == np.reshape(free, (4, 4)).sum(axis=1).max()


def test_a_line_that_touches_is_clear_or_blocked_as_is_asked() -> None:
    edge = block("wall", (12.5, 90), (60, 110))  # along the right edge of both squares
    assert count(edge, touching=True) == 4
    # From the right corner, the lines along the edge touch; from the left one only that to the far right corner passes.
    assert count(edge, touching=False) == 4
    both = edge, block("other", (-60, 90), (-12.5, 110))
    assert count(*both, touching=True) == 4
    assert count(*both, touching=False) == 2
    corner = block("wall", (12.5, 212.5), (60, 230))
    assert count(corner, touching=True, every=True) == 16
    assert count(corner, touching=False, every=True) == 12


def test_a_line_between_bases_that_touches_crosses_as_is_asked() -> None:
    wall = block("wall", (0, 90), (60, 110))
    answers = [centre_line_crosses(KAL, VEX, regions(wall, rim=rim)).value for rim in (False, True)]
    assert answers == [0.0, 1.0]
    far = block("wall", (16.001, 90), (60, 110))
    assert [any_line_crosses_in_plan(KAL, VEX, regions(far, rim=rim)).value for rim in (False, True)] == [0.0, 0.0]
    near = block("wall", (16, 90), (60, 110))
    assert [any_line_crosses_in_plan(KAL, VEX, regions(near, rim=rim)).value for rim in (False, True)] == [0.0, 1.0]


def test_the_seam_of_two_walls_is_no_way_through() -> None:
    left, right = block("left", (-60, 90), (12.5, 110)), block("right", (12.5, 90), (60, 110))
    assert count(left, right) == 0
    assert count(left) == 2
    found = clear_lines(Corners(KAL, SQUARE), Corners(VEX, SQUARE), regions(left, right), every=True)
    assert (found.value, set(found.by)) == (0.0, {"left", "right"})


def test_a_sheet_blocks_and_nothing_blocks_nothing() -> None:
    assert count(sheet("door", (-60, 100), (60, 100))) == 0
    for touching in (True, False):
        for every, most in ((False, 4), (True, 16)):
            assert count(touching=touching, every=every) == most
    same = clear_lines(Corners(KAL, SQUARE), Corners(KAL, SQUARE), [], every=True)
    assert (same.value, same.by) == (16.0, ())


def test_a_model_may_fill_a_square_instead_of_its_base() -> None:
    other = man("Yar", 18.0, 100.0, diameter=10.0)
    assert count(other) == 4
    ends = Corners(KAL, SQUARE), Corners(VEX, SQUARE)
    assert clear_lines(*ends, regions(other, square=50.0), every=True).value < 16.0
    part, wide = CountedPart(other), CountedPart(other, square=50.0)
    assert centre_line_crosses(KAL, VEX, [region_of(part, (KAL, VEX))]).value == 0.0
    assert centre_line_crosses(KAL, VEX, [region_of(wide, (KAL, VEX))]).by == ("Yar",)
    for crosses in (any_line_crosses, centre_line_in_space):
        assert crosses((KAL, VEX), (KAL, VEX), [wide]).by == ("Yar",)
    assert centre_line_in_space((KAL, VEX), (KAL, VEX), [part]).by == ()


def test_a_square_is_as_high_as_the_model() -> None:
    tower = man("Kal", 0.0, 0.0, z=150.0), man("Vex", 0.0, 200.0, z=150.0)
    other = CountedPart(man("Yar", 0.0, 100.0), square=50.0)
    assert any_line_crosses(tower, tower, [other]).value == 0.0
    assert region_of(CountedPart(man("Yar", 0.0, 0.0), above=40.0, square=50.0), tower).shape.is_empty
    assert region_of(other, tower, 20.0).shape.area == pytest.approx(2500.0)
    assert region_of(other, tower, 60.0).shape.is_empty


def test_a_line_along_one_wall_that_meets_the_corner_of_another_passes_between_them() -> None:
    walls = block("wall", (12.5, 0), (63, 50)), block("other", (12.5, 76), (63, 127))
    assert count(*walls) == 4
    along = np.array([[12.5, 127.0], [12.5, 50.0]])
    assert crossings(along, shapely.union_all([region.shape for region in regions(*walls)])).tolist() == []
