"""The plane of a scan's table, its up side and its edges; scans are made up, or those of ../shared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from silhouette.common.errors import FileError, RequestError
from silhouette.common.geometry import Floats
from silhouette.scans.level import Levelling, as_answered, level, level_of_table
from silhouette.scans.read import Scan, read_scan
from tests.support.scanned_tables import (
    Box,
    Can,
    Scanned,
    Thing,
    as_scan,
    figure,
    moved,
    scanned_table,
    sheet,
    standing,
)

FEW = (*figure((-200, -100)), *figure((120, 120)), Box((50, -80), (120, 80), 70, 20))
COARSE = 6.0
"""mm between points: enough for a table, and quick."""


def off(found: Levelling, to_table: Floats, unit: float) -> tuple[float, float]:
    """How far a level is off the truth: degrees of tilt, and mm of height, the worst of the table's corners."""
    to_truth = to_table @ np.linalg.inv(found.to_level)
    assert found.size is not None
    corners = np.array([[x, y, 0.0] for x in (-0.5, 0, 0.5) for y in (-0.5, 0, 0.5)]) * [*found.size, 0.0]
    heights = corners @ to_truth[2, :3] + to_truth[2, 3]
    normal = to_truth[:3, 2] / unit
    return float(np.degrees(np.arccos(min(1.0, normal[2])))), float(np.abs(heights).max())


def size_in_mm(found: Levelling, unit: float) -> list[float]:
    assert found.size is not None
    return sorted(edge * unit for edge in found.size)


@pytest.mark.thinned(quick=22, ci=53)
@pytest.mark.parametrize(
    "turned, up, unit, cloud",
    [
        ((0.8, 0.0, 30.0), "z", 1.0, False),
        ((120.0, 40.0, 200.0), "z", 37.31, False),
        ((180.0, 0.0, 0.0), "z", 25.4, True),
        ((0.0, 0.0, 91.0), "y", 1000.0, True),
        ((90.0, 0.0, 0.0), "z", 1.0, False),
    ],
    ids=["a little tilted", "anyhow", "upside down", "y up", "y up in a file of z up"],
)
def test_a_table_is_levelled_however_it_lies_in_the_file(
    turned: tuple[float, float, float], up: str, unit: float, cloud: bool
) -> None:
    table = scanned_table(things=FEW, spacing=COARSE, noise=0.3)
    scan, truth = as_scan(table, turned=turned, up=up, unit=unit, cloud=cloud, shift=(300, -200, 50))
    found = level(scan)
    tilt, height = off(found, truth, unit)
    assert tilt < 0.05
    assert height < 0.3
    assert size_in_mm(found, unit) == pytest.approx([400, 600], rel=0.01)
    assert np.allclose(found.to_level[:3, :3] @ found.to_level[:3, :3].T, np.eye(3))
    assert np.linalg.det(found.to_level[:3, :3]) == pytest.approx(1)
    assert found.noise * unit == pytest.approx(0.3, rel=0.2)
    assert found.on_table[table.labels == 0].mean() > 0.95
    tall = (table.labels > 0) & (table.points[:, 2] > 2)
    assert not found.on_table[tall].any()


@pytest.mark.long
def test_the_tilt_is_out_of_the_axis_that_the_file_has_up_or_plainly_the_other() -> None:
    table = scanned_table(things=FEW, spacing=COARSE)
    assert level(as_scan(table, turned=(0.8, 0, 0))[0]).tilt == pytest.approx(0.8, abs=0.05)
    assert level(as_scan(table, turned=(90.8, 0, 0))[0]).tilt == pytest.approx(0.8, abs=0.05)


@pytest.mark.long
def test_x_is_along_the_longer_edge_and_of_a_square_the_one_nearest_to_the_files() -> None:
    long = level(as_scan(scanned_table((600, 400), spacing=COARSE), turned=(0, 0, 80))[0])
    assert long.size is not None
    assert long.size[0] > long.size[1]
    square = level(as_scan(scanned_table((500, 500), spacing=COARSE), turned=(0, 0, 80))[0])
    along = np.degrees(np.arctan2(square.to_level[1, 0], square.to_level[0, 0]))
    assert along == pytest.approx(10, abs=0.3)  # the file's x in the levelled frame


ROOMS = {
    "half covered": ([Box((-150, 0), (300, 600), 40), *FEW], (600, 600)),
    "a roof of 400": ([Box((60, 40), (400, 400), 100, 10), *figure((-250, -250)), *figure((-240, 200))], (600, 600)),
    "parted by a road": ([Box((0, 0), (60, 400), 20), *FEW], (600, 400)),
    "a mug": ([*FEW, Can((-50, 50), 85, 95)], (600, 400)),
    "nothing on it": ([], (600, 400)),
}


@pytest.mark.thinned(quick=0, ci=20)
@pytest.mark.parametrize("name", ROOMS)
def test_the_table_is_found_under_what_stands_on_it(name: str) -> None:
    things, size = ROOMS[name]
    scan, truth = as_scan(scanned_table(size, things, spacing=COARSE), turned=(1, 1, 5))
    found = level(scan)
    assert max(off(found, truth, 1.0)) < 0.1
    assert size_in_mm(found, 1.0) == pytest.approx(sorted(size), rel=0.015)


def room(table: Scanned, *, floor: float | None = None, wall: float | None = None) -> Scanned:
    """A table with the floor below it and a wall behind it, each larger than the table."""
    if floor is not None:
        ground = moved(sheet((2000, 1600), 12), standing((0, 0, 0), (100, -50, -floor)))
        under = (np.abs(ground.points[:, 0]) < 200) & (np.abs(ground.points[:, 1]) < 120)
        table = table + ground.where(~under)
    if wall is not None:
        table = table + moved(sheet((1800, 1500), 12), standing((90, 0, 0), (100, wall, 100)))
    return table


def test_a_board_on_a_larger_table_is_the_table_where_all_stands_on_it() -> None:
    things = (*FEW, *figure((-100, 100)), *figure((200, -150)))
    around = moved(sheet((1600, 900), 8.0), standing((0, 0, 0), (100, -50, -13.0)))
    under = (np.abs(around.points[:, 0]) < 298) & (np.abs(around.points[:, 1]) < 198)
    scan, truth = as_scan(scanned_table(things=things, spacing=COARSE) + around.where(~under))
    found = level(scan)
    assert max(off(found, truth, 1.0)) < 0.3
    assert size_in_mm(found, 1.0) == pytest.approx([400, 600], rel=0.02)


def test_a_board_beside_another_one_is_part_of_one_table() -> None:
    table = scanned_table(things=(*FEW, *figure((-220, 100)), *figure((200, 50))), spacing=COARSE)
    table.points[table.points[:, 0] > 30.0, 2] += 30.0
    scan, truth = as_scan(table)
    found = level(scan)
    assert max(off(found, truth, 1.0)) < 0.3, "the lower one is zero"
    assert size_in_mm(found, 1.0) == pytest.approx([400, 600], rel=0.02)


def other_table(things: Sequence[Thing], size: tuple[float, float], at: tuple[float, float, float]) -> Scanned:
    return moved(scanned_table(size, things, spacing=COARSE), standing((0, 0, 0), at))


FIVE = (*FEW, *figure((100, -150)), *figure((-100, 100)))
BESIDE = {
    "as high": ((600, 400), (800.0, 0.0, 0.0)),
    "lower and larger": ((900, 600), (900.0, 0.0, -60.0)),
    "higher and much larger": ((1200, 800), (1000.0, 0.0, 40.0)),
}


@pytest.mark.thinned(quick=30, ci=35)
@pytest.mark.parametrize("name", BESIDE)
def test_the_table_is_that_on_which_things_stand_and_no_empty_one_beside_it(name: str) -> None:
    scan, truth = as_scan(scanned_table(things=FIVE, spacing=COARSE) + other_table((), *BESIDE[name]))
    found = level(scan)
    assert max(off(found, truth, 1.0)) < 0.3
    assert size_in_mm(found, 1.0) == pytest.approx([400, 600], rel=0.02)
    assert found.questions == ()


@pytest.mark.thinned(quick=30, ci=35)
@pytest.mark.parametrize("name", BESIDE)
def test_two_tables_with_things_on_them_are_asked_about_and_the_answer_chooses(name: str) -> None:
    size, at = BESIDE[name]
    three = (*figure((-200, -100)), *figure((120, 120)), *figure((20, -60)))
    scan, _ = as_scan(scanned_table(things=FIVE, spacing=COARSE) + other_table(three, size, at))
    found = level(scan)
    (question,) = found.questions
    assert question.key == "table"
    other = as_answered(found, scan, {"table": question.answers[1]})
    assert sorted([size_in_mm(found, 1.0)[0], size_in_mm(other, 1.0)[0]]) == pytest.approx(
        sorted([400, size[1]]), rel=0.02
    )
    apart = other.to_level @ np.linalg.inv(found.to_level)
    assert np.hypot(*apart[:2, 3]) == pytest.approx(at[0], abs=5.0)
    assert abs(apart[2, 3]) == pytest.approx(abs(at[2]), abs=0.5)
    assert other.questions == ()
    assert as_answered(found, scan, {"table": question.answers[0]}) is found
    second = level_of_table(scan, 2)
    assert np.array_equal(second.to_level, other.to_level)
    assert second.questions == level_of_table(scan, 1).questions == ()
    with pytest.raises(RequestError, match="--table 3: things stand on 2 tables of the scan"):
        level_of_table(scan, 3)


@pytest.mark.thinned(quick=15, ci=15)
@pytest.mark.parametrize("floor, wall", [(720.0, None), (None, 330.0), (720.0, 330.0), (330.0, None)])
@pytest.mark.parametrize("cloud", [False, True])
def test_the_table_is_neither_the_floor_below_nor_the_wall_behind(
    floor: float | None, wall: float | None, cloud: bool
) -> None:
    scan, truth = as_scan(room(scanned_table((900, 600), FEW, spacing=COARSE), floor=floor, wall=wall), cloud=cloud)
    found = level(scan)
    assert max(off(found, truth, 1.0)) < 0.1
    assert size_in_mm(found, 1.0) == pytest.approx([600, 900], rel=0.015)


@pytest.mark.long
def test_a_mat_on_a_larger_table_is_the_table() -> None:
    mat = scanned_table((600, 600), FEW, spacing=COARSE, noise=0.1)
    below = moved(sheet((820, 760), COARSE), standing((0, 0, 0), (20, -10, -3)))
    beside = (np.abs(below.points[:, :2]) > 301).any(axis=1)
    scan, truth = as_scan(mat + below.where(beside).rough(0.1))
    found = level(scan)
    assert max(off(found, truth, 1.0)) < 0.1
    assert size_in_mm(found, 1.0) == pytest.approx([600, 600], rel=0.015)


@pytest.mark.long
def test_the_underside_of_a_closed_board_is_not_its_surface() -> None:
    top = scanned_table((600, 400), FEW, spacing=COARSE, noise=0.0)
    under = moved(sheet((600, 400), COARSE), standing((180, 0, 0), (0, 0, -12)))
    scan, truth = as_scan(top + under, turned=(0.8, 0, 0))
    found = level(scan)
    assert max(off(found, truth, 1.0)) < 0.05
    assert not found.on_table[len(top.points) :].any()


@pytest.mark.long
def test_noise_and_unevenness_are_told_apart_and_move_the_plane_little() -> None:
    scan, truth = as_scan(scanned_table((900, 600), FEW, spacing=COARSE, noise=2.0, warp=3.0))
    found = level(scan)
    tilt, height = off(found, truth, 1.0)
    assert tilt < 0.1
    assert height < 0.3
    assert found.noise == pytest.approx(2.0, rel=0.15)
    assert found.flatness == pytest.approx(1.5, rel=0.25)  # 3 mm times the root mean square of both waves


@pytest.mark.long
def test_specks_far_away_points_and_vertices_without_place_do_not_count() -> None:
    table = scanned_table(things=FEW, spacing=COARSE)
    specks = np.random.default_rng(1).uniform(-900, 900, (300, 3))
    specks[0], specks[1] = (1e7, 0, 0), np.nan
    dirt = Scanned(specks, np.zeros((0, 3), dtype=np.int32), np.full(300, -1, dtype=np.int32))
    for cloud in (False, True):
        scan, truth = as_scan(table + dirt, cloud=cloud)
        found = level(scan)
        assert max(off(found, truth, 1.0)) < 0.2
        assert size_in_mm(found, 1.0) == pytest.approx([400, 600], rel=0.015)
        assert not found.on_table[1 + len(table.points)]


@pytest.mark.long
def test_the_same_scan_is_levelled_alike_twice() -> None:
    scan, _ = as_scan(scanned_table(things=FEW, spacing=COARSE))
    assert np.array_equal(level(scan).to_level, level(scan).to_level)


def cloud_of(points: Floats) -> Scan:
    nothing = Scanned(
        np.asarray(points, dtype=np.float64), np.zeros((0, 3), dtype=np.int32), np.zeros(len(points), np.int32)
    )
    return as_scan(nothing, cloud=True)[0]


def ball(count: int = 5000) -> Floats:
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(count, 3))
    return 40 * directions / np.linalg.norm(directions, axis=1, keepdims=True)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((0, 3)),
        np.eye(3),
        np.full((500, 3), np.nan),
        np.ones((500, 3)),
        np.linspace((0, 0, 0), (1, 1, 1), 500),
        np.repeat(np.eye(3), 300, axis=0),
        ball(),
    ],
    ids=["empty", "three points", "no numbers", "one place", "a line", "three places", "a ball"],
)
def test_what_has_no_way_up_is_refused_in_one_line(points: Floats) -> None:
    with pytest.raises(FileError) as error:
        level(cloud_of(points))
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_a_thing_without_a_table_stands_on_its_foot() -> None:
    house = scanned_table((160, 120), [Box((0, 0), (160, 120), 90), Box((20, 0), (80, 60), 130)], spacing=3, noise=0.2)
    alone = house.where(house.labels > 0)
    sides = [
        moved(sheet((160, 90), 3), standing((90, 0, 0), (0, -60, 45))),
        moved(sheet((160, 90), 3), standing((-90, 0, 0), (0, 60, 45))),
        moved(sheet((90, 120), 3), standing((0, 90, 0), (80, 0, 45))),
        moved(sheet((90, 120), 3), standing((0, -90, 0), (-80, 0, 45))),
    ]
    scan, truth = as_scan(sum(sides, start=alone), turned=(0.8, 0, 20))
    found = level(scan)
    assert found.size is None
    assert not found.on_table.any()
    to_truth = truth @ np.linalg.inv(found.to_level)
    assert np.degrees(np.arccos(min(1.0, to_truth[2, 2]))) < 0.2
    assert abs(to_truth[2, 3]) < 0.5
    assert found.tilt == pytest.approx(0.8, abs=0.2)


@pytest.mark.long
@pytest.mark.parametrize("file", ["easy.glb", "usual.ply", "no_scale.obj", "points.ply"])
def test_shared_scans_are_levelled_as_they_truly_lie(shared: Path, file: str) -> None:
    truth = json.loads((shared / "scans" / file).with_suffix("").with_suffix(".truth.json").read_text())
    to_table = np.array(truth["to_table"]).reshape(4, 4)
    found = level(read_scan(shared / "scans" / file))
    tilt, height = off(found, to_table, truth["unit"])
    assert tilt <= 0.1
    assert height <= 0.3
    assert size_in_mm(found, truth["unit"]) == pytest.approx(sorted(truth["size"]), rel=0.01)


@pytest.mark.long
@pytest.mark.parametrize("file", ["angel.ply", "owl.ply", "plasticvase.ply"])
def test_shared_scans_of_single_things_stand_upright(shared: Path, file: str) -> None:
    found = level(read_scan(shared / "scans" / "pieces" / file))
    assert found.size is None
    assert found.tilt < 3
    assert found.to_level[2, 2] > 0.99
