"""What stands upright on its local ground: figures on tables, roofs, boards and bends; not walls, and not floors."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from silhouette.common.geometry import Floats, Integers
from silhouette.scans.segment import Prominence, about_bases, prominences, relief_of, second_shell

TABLE = (400.0, 300.0)


def box(size: tuple[float, float, float], at: tuple[float, float, float]) -> trimesh.Trimesh:
    """A box with its underside at a place."""
    made = trimesh.creation.box(size)
    made.apply_translation([at[0], at[1], at[2] + size[2] / 2.0])
    return made


def standing(*pieces: trimesh.Trimesh, bend: float = 0.0) -> list[Prominence]:
    """What stands upright on a table with some pieces, bent by so many mm at its ends."""
    whole = trimesh.util.concatenate([box((*TABLE, 5.0), (0.0, 0.0, -5.0)), *pieces])
    whole = whole.subdivide_to_size(8.0)
    points: Floats = np.array(whole.vertices)
    points[:, 2] += bend * (points[:, 0] / 200.0) ** 2
    faces: Integers = np.array(whole.faces, dtype=np.int32)
    relief = relief_of(points, faces, np.ones(len(points), dtype=bool), 4.0, TABLE)
    assert relief is not None
    return prominences(relief)


def figure(x: float, y: float, z: float = 0.0) -> trimesh.Trimesh:
    """A body on a base."""
    return trimesh.util.concatenate([box((25.0, 25.0, 3.0), (x, y, z)), box((12.0, 8.0, 30.0), (x, y, z))])


@pytest.mark.parametrize("ground", [0.0, 12.0, 75.0], ids=["table", "board", "roof"])
def test_a_figure_stands_on_whatever_is_wide(ground: float) -> None:
    wide = [] if ground == 0.0 else [box((120.0, 90.0, ground), (40.0, 0.0, 0.0))]
    found = standing(figure(40.0, 0.0, ground), *wide)
    assert len(found) == 1
    assert found[0].middle == pytest.approx([40.0, 0.0], abs=2.0)
    assert (found[0].ground, found[0].tall) == (pytest.approx(ground, abs=0.5), pytest.approx(30.0, abs=0.5))
    assert found[0].is_free


def test_a_bent_table_keeps_its_figures() -> None:
    found = standing(figure(-150.0, 0.0), figure(0.0, 80.0), figure(150.0, -60.0), bend=8.0)
    assert [round(float(one.middle[0]), -1) for one in found] == [-150.0, 0.0, 150.0]
    assert [one.tall for one in found] == pytest.approx([30.0] * 3, abs=2.0)


def test_walls_and_what_is_low_or_wide_are_no_figures() -> None:
    wall = box((150.0, 6.0, 40.0), (0.0, 0.0, 0.0))
    assert (
        standing(wall, box((30.0, 30.0, 12.0), (100.0, 80.0, 0.0)), box((90.0, 90.0, 50.0), (-120.0, 80.0, 0.0))) == []
    )


def test_a_figure_that_is_grown_together_with_a_wall_is_cut_off_above_it() -> None:
    found = standing(box((150.0, 6.0, 14.0), (0.0, 0.0, 0.0)), figure(20.0, 6.0))
    assert len(found) == 1
    assert found[0].middle == pytest.approx([20.0, 6.0], abs=4.0)
    assert not found[0].is_free


@pytest.mark.parametrize("height", [60.0, 30.0], ids=["higher", "as high"])
def test_a_figure_that_leans_on_a_wall_is_parted_from_it_and_a_buttress_is_not(height: float) -> None:
    wall = box((200.0, 6.0, height), (0.0, 0.0, 0.0))
    buttress = box((14.0, 10.0, height - 15.0), (-60.0, 7.0, 0.0))
    (found,) = standing(wall, buttress, figure(20.0, 7.0))
    assert found.middle == pytest.approx([20.0, 7.0], abs=5.0)
    assert found.leans
    assert not found.is_free
    places = np.array([[20.0, 8.0, 20.0], [60.0, 0.0, 20.0], [20.0, 40.0, 0.0]])
    assert found.over(places).tolist() == [True, False, False]


def test_crumbs_in_the_air_that_touch_nothing_are_no_figures() -> None:
    crumbs = [box((6.0, 7.0, 5.0), (x, y, 30.0)) for x in (90.0, 95.0, 100.0) for y in (60.0, 66.0)]
    (found,) = standing(figure(-40.0, 0.0), *crumbs)
    assert found.middle == pytest.approx([-40.0, 0.0], abs=2.0)


def test_a_cloud_and_a_floor_far_below() -> None:
    grid = np.stack(np.meshgrid(np.arange(-200.0, 200.0, 4.0), np.arange(-150.0, 150.0, 4.0)), axis=-1).reshape(-1, 2)
    table = np.column_stack([grid, np.zeros(len(grid))])
    body = np.array([[x, y, z] for x in range(-6, 7, 3) for y in range(-6, 7, 3) for z in range(0, 31, 3)], dtype=float)
    floor = np.column_stack([3.0 * grid, np.full(len(grid), -700.0)])
    points = np.vstack([table, body, floor])
    nothing = np.zeros((0, 3), dtype=np.int32)
    relief = relief_of(points, nothing, np.ones(len(points), dtype=bool), 4.0, None)
    assert relief is not None
    assert len(prominences(relief)) == 1
    assert relief.ground_at(points[:1]) == pytest.approx([0.0])


def test_bases_are_looked_for_about_what_rises_but_for_known_figures() -> None:
    points = np.array([[40.0, 0.0, 20.0], [-120.0, 60.0, 20.0], [150.0, -100.0, 0.0]])
    whole = trimesh.util.concatenate([box((*TABLE, 5.0), (0.0, 0.0, -5.0)), figure(40.0, 0.0), figure(-120.0, 60.0)])
    whole = whole.subdivide_to_size(8.0)
    surface = np.array(whole.vertices), np.array(whole.faces, dtype=np.int32)
    relief = relief_of(*surface, np.ones(len(whole.vertices), dtype=bool), 4.0, TABLE)
    assert relief is not None
    assert about_bases(relief, points, []).tolist() == [True, True, False]
    assert about_bases(relief, points, [(np.array([40.0, 0.0]), 12.5)]).tolist() == [False, True, False]


def test_a_table_that_is_there_twice_is_known_from_a_board() -> None:
    grid = np.stack(np.meshgrid(np.arange(-200.0, 200.0, 4.0), np.arange(-150.0, 150.0, 4.0)), axis=-1).reshape(-1, 2)
    half = grid[grid[:, 0] > 0.0]
    upper = np.column_stack([half, np.full(len(half), 8.0)])
    for lower, apart in ((grid, 8.0), (grid[grid[:, 0] <= 0.0], None)):
        points = np.vstack([np.column_stack([lower, np.zeros(len(lower))]), upper])
        labels = np.repeat(np.array([0, 1], dtype=np.int32), [len(lower), len(upper)])
        assert second_shell(points, labels, TABLE) == apart
