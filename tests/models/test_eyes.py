"""The eye of a model: given, or estimated on the front of its head, and where the estimate is doubtful."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.files.schema import Location
from silhouette.meshes.primitives import Box, Cylinder, Solid, Sphere, solid
from silhouette.models.entries import SolidEntry
from silhouette.models.eyes import estimate_eye
from silhouette.models.inspection import inspection
from silhouette.models.model import load_model, model_of_solids
from tests.support.model_files import Written, load


def test_an_eye_given_is_taken_and_one_not_given_is_estimated_and_said_to_be(written: Written) -> None:
    given = load(written(eye=[0, 3, 27]))
    assert (given.eye.tolist(), given.eye_from) == ([0.0, 3.0, 27.0], "given")
    estimated = load(written(base={"part": "base"}, insignificant=[{"part": "plume"}, {"part": "lasgun barrel"}]))
    assert estimated.eye_from == "estimated"
    # nine tenths of 3 .. 31, on the front of the ball of radius 4 round (0, 1, 27)
    assert estimated.eye == pytest.approx([0.0, 1.0 + np.sqrt(16.0 - 1.2**2), 28.2], abs=0.25)


@pytest.mark.parametrize("front", [0.0, 90.0, 180.0, 217.0, 270.0])
def test_the_eye_lies_on_the_front_of_the_head_wherever_the_front_is(front: float) -> None:
    head = solid(Solid(Cylinder(12.0, 20.0)), Solid(Sphere(8.0), at=(2.0, 1.0, 20.0)))
    eye = estimate_eye(head, front)
    radius = np.sqrt(16.0 - (eye[2] - 24.0) ** 2)
    ahead = np.array([np.cos(np.radians(front)), np.sin(np.radians(front))])
    assert eye[:2] == pytest.approx(np.array([2.0, 1.0]) + radius * ahead, abs=0.35)
    assert eye[2] == pytest.approx(0.9 * 28.0, abs=0.01)


def test_a_gun_held_before_the_face_does_not_carry_the_eye_away() -> None:
    body = Solid(Cylinder(12.0, 20.0)), Solid(Sphere(8.0), at=(0.0, 0.0, 20.0))
    gun = Solid(Box((1.5, 26.0, 1.5)), at=(0.0, 13.0, 24.0))
    eye = estimate_eye(solid(*body, gun))
    assert 3.0 < eye[1] < 8.0


def test_the_eye_of_a_plain_block_is_on_its_front_and_never_outside_it() -> None:
    assert estimate_eye(solid(Solid(Box((20.0, 20.0, 30.0))))).tolist() == [0.0, 10.0, 27.0]
    assert estimate_eye(solid(Solid(Box((60.0, 120.0, 36.0))))).tolist() == pytest.approx([0.0, 0.0, 32.4])


@pytest.mark.parametrize(
    ("name", "least", "most", "doubt"),
    [
        ("rpg.scad/wyrmling.stl", [-3.0, 12.0, 40.0], [3.0, 22.0, 52.0], "stands up 13.4 mm above"),  # raised wings
        ("rpg.scad/mini_spearman.stl", [-2.0, 1.0, 31.0], [2.0, 4.0, 35.0], "stands up 1.7 mm above"),
        ("rpg.scad/mini_giant_boar_0.stl", [-3.0, 10.0, 20.0], [3.0, 22.0, 27.0], "longer than it is high"),
        ("rpg.scad/mini_oswald.stl", [-2.0, 1.0, 32.0], [2.0, 4.0, 37.0], None),
        ("rpg.scad/king_troll.stl", [-2.0, 7.0, 42.0], [2.0, 12.0, 47.0], None),
        ("kaykit-adventurers/Knight.glb", [-2.0, 1.0, 19.0], [2.0, 5.0, 24.0], None),
    ],
)
def test_the_eyes_of_real_figures_lie_on_their_heads_or_are_said_to_be_doubtful(
    shared: Path, name: str, least: list[float], most: list[float], doubt: str | None
) -> None:
    model = load_model(shared / "meshes/miniatures" / name, Cache.default())  # the boxes were drawn round the heads
    assert (model.eye >= least).all(), model.eye
    assert (model.eye <= most).all(), model.eye
    found = model.eye_estimate.doubt
    assert found is None if doubt is None else doubt in str(found) and str(found).endswith("and give eye")
    assert any("doubtful" in line for line in inspection(Path(name), model, ())["warnings"]) == (doubt is not None)


def test_solids_have_no_doubtful_eye_and_a_given_eye_is_none(written: Written, shared: Path) -> None:
    solids = model_of_solids([SolidEntry(box=(4.0, 40.0, 10.0))], Location(Path()), "fighter")
    assert solids.eye_estimate.doubt is None
    path = shared / "meshes/miniatures/rpg.scad/wyrmling.stl"
    given = load_model(path, Cache.default(), overrides={"eye": (0.0, 14.0, 50.0)})
    assert (given.eye_from, given.thick) == ("given", None)
