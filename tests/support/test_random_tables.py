"""Random tables are what the benchmark of scans says that they are."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from silhouette.scenes.warnings import placement_warnings
from tests.support.random_tables import (
    FORMATS,
    covered_plan,
    covered_table,
    random_format,
    random_plan,
    random_table,
    things,
    things_plan,
)
from tests.support.scan_maker import mean_drift, truth_of
from tests.support.scan_truth import Truth, truth_from


def truth(folder: Path, seed: int) -> Truth:
    scene = random_table(folder, seed, figures=6)
    return truth_from(truth_of(scene, random_plan(seed)), folder / "made.truth.json", folder / "made.glb")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_random_table_has_figures_of_each_kind_and_none_that_overlap(tmp_path: Path, seed: int) -> None:
    made = truth(tmp_path, seed)
    standing = [made.standing(figure) for figure in made.figures]
    assert len(standing) == 6
    assert standing.count("touching") == 2
    assert standing.count("on terrain") == 1
    bases = [
        warning
        for warning in placement_warnings(made.scene.pieces, faces=True, units="mm", z_is_ground=False)
        if "overlap" in warning.text
    ]
    assert not bases


@pytest.mark.long
def test_the_same_seed_lays_the_same_table(tmp_path: Path) -> None:
    first, second = (tmp_path / name for name in "ab")
    documents = []
    for folder in (first, second):
        folder.mkdir()
        random_table(folder, 3, figures=4)
        (file,) = folder.glob("*.json")
        documents.append(json.loads(file.read_text(encoding="utf-8")))
    assert documents[0] == documents[1]


def test_all_formats_and_units_come_up() -> None:
    assert {random_format(seed) for seed in range(1, 9)} == set(FORMATS)
    assert len({random_plan(seed).unit for seed in range(1, 5)}) == 4
    assert all(0.2 <= random_plan(seed).depth_noise <= 1.5 for seed in range(20))


@pytest.mark.slow
def test_a_covered_table_has_figures_that_look_across_it_and_cover_before_them(tmp_path: Path) -> None:
    scene = covered_table(tmp_path, 2)
    figures = [piece for piece in scene.pieces if piece.kind == "fighter"]
    assert len(figures) == 5
    assert 4 <= len(scene.pieces) - len(figures) <= 6
    for figure in figures:
        x, y = figure.base_centre
        assert abs((figure.ahead - np.degrees(np.arctan2(-y, -x)) + 180.0) % 360.0 - 180.0) <= 38.1
    warnings = placement_warnings(scene.pieces, faces=True, units="mm", z_is_ground=False)
    assert not [warning for warning in warnings if "overlap" in warning.text]


def test_a_camera_that_goes_astray_moves_the_whole_by_what_it_is_astray_on_average() -> None:
    steady, astray = covered_plan(101), replace(covered_plan(101), drift=(1.0, 0.0))
    assert np.allclose(mean_drift(replace(steady, drift=(0.0, 0.0))), np.eye(4))
    moved = mean_drift(astray)
    assert np.allclose(moved[:3, :3], np.eye(3))
    assert np.allclose(mean_drift(replace(astray, drift=(2.0, 0.0)))[:3, 3], 2.0 * moved[:3, 3])


def test_things_stand_in_pairs_that_come_within_a_millimetre(tmp_path: Path) -> None:
    scene = things(tmp_path, 1)
    assert len(scene.pieces) == 6
    assert things_plan(1).unit == 1000.0
    for first, second in zip(scene.pieces[::2], scene.pieces[1::2], strict=True):
        (low, high), (other_low, other_high) = (
            (box.min(axis=0), box.max(axis=0)) for box in (first.whole_box, second.whole_box)
        )
        assert (low <= other_high + 1).all()
        assert (other_low <= high + 1).all()
