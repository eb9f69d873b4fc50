"""Which known model a scanned piece is: on samples of the project's own models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from silhouette.common.errors import FileError
from silhouette.common.geometry import Floats
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import Mesh
from silhouette.scans.bases import Disc
from silhouette.scans.match import match
from silhouette.scans.models import KnownModel, known_models
from silhouette.scans.read import read_scan
from silhouette.scans.votes import match_scale

MODELS = Path(__file__).resolve().parents[2] / "models"
FIGURES = ("brute", "ganger_blade", "ganger_rifle", "heavy", "leader", "scout")
Seen = tuple[Floats, Floats]


@pytest.fixture(scope="module")
def figures() -> tuple[KnownModel, ...]:
    return known_models([str(MODELS / f"{name}.toml") for name in FIGURES], "fighter", Cache.default()).models


def scanned(known: KnownModel, turn: float, noise: float, seed: int = 0, count: int = 1500) -> Seen:
    """Points and normals of what is seen of a model that stands at (100, 50, 0), turned and noisy."""
    chance = np.random.default_rng(seed)
    surface = known.surface
    chosen = chance.choice(len(surface.points), count, replace=False, p=surface.openness / surface.openness.sum())
    cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    rotation = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    points = surface.points[chosen] @ rotation.T + [100.0, 50.0, 0.0] + chance.normal(0.0, noise, (count, 3))
    return points, surface.normals[chosen] @ rotation.T


def disc_of(known: KnownModel) -> Disc:
    assert known.model.base is not None
    return Disc((100.3, 49.8), 0.0, 3.0, known.model.base.diameter + 0.5, 0.5, 1.0)


def angle(one: float, other: float) -> float:
    return abs((one - other + 180.0) % 360.0 - 180.0)


@pytest.mark.thinned(quick=7, ci=20)
@pytest.mark.parametrize("noise", [0.2, 0.5])
@pytest.mark.parametrize("number", range(len(FIGURES)))
def test_a_figure_is_named_placed_and_turned(figures: Sequence[KnownModel], number: int, noise: float) -> None:
    turn = 50.0 * number + 13.0
    points, normals = scanned(figures[number], turn, noise)
    found = match(points, normals, figures, disc_of(figures[number]), 0.0, noise)
    assert found is not None
    assert found.known_model is figures[number]
    assert np.hypot(found.at[0] - 100.0, found.at[1] - 50.0) < 0.5
    assert found.at[2] == 0.0
    assert angle(found.turn, turn) < 2.0


def test_a_figure_far_better_than_any_other_is_sure(figures: Sequence[KnownModel]) -> None:
    points, normals = scanned(figures[2], 200.0, 0.2)
    found = match(points, normals, figures, disc_of(figures[2]), 0.0, 0.2)
    assert found is not None
    assert found.sure, found.why
    assert found.residual < 0.5 < (found.runner_up or 99.0)
    assert 0.05 < found.place < 1.0
    assert 0.05 < found.facing < 5.0
    assert found.explained.mean() > 0.95


def test_normals_are_not_needed(figures: Sequence[KnownModel]) -> None:
    points, _ = scanned(figures[5], 77.0, 0.3)
    found = match(points, None, figures, disc_of(figures[5]), 0.0, 0.3)
    assert found is not None
    assert found.known_model is figures[5]
    assert angle(found.turn, 77.0) < 2.0


@pytest.mark.parametrize("number", [1, 3])
def test_a_figure_that_is_not_known_is_not_sure(figures: Sequence[KnownModel], number: int) -> None:
    points, normals = scanned(figures[number], 33.0, 0.2)
    others = [one for one in figures if one is not figures[number]]
    found = match(points, normals, others, disc_of(figures[number]), 0.0, 0.2)
    assert found is None or not found.sure


def test_the_size_of_the_base_tells_models_apart(figures: Sequence[KnownModel]) -> None:
    points, normals = scanned(figures[0], 0.0, 0.2)
    small = replace(disc_of(figures[0]), diameter=25.2)
    found = match(points, normals, [figures[0]], small, 0.0, 0.2)
    assert found is None


def test_a_part_that_the_model_has_not_makes_it_not_sure(figures: Sequence[KnownModel]) -> None:
    points, normals = scanned(figures[3], 10.0, 0.2)
    chance = np.random.default_rng(1)
    banner = np.array([100.0, 50.0, 38.0]) + chance.uniform(-1.0, 1.0, (400, 3)) * [8.0, 0.5, 7.0]
    across = np.tile([0.0, 1.0, 0.0], (400, 1))
    found = match(np.vstack([points, banner]), np.vstack([normals, across]), figures, disc_of(figures[3]), 0.0, 0.2)
    assert found is not None
    assert not found.sure
    assert found.known_model is figures[3]


@pytest.mark.thinned(quick=50, ci=50)
@pytest.mark.parametrize("holes, radius, sure", [(40, 1.6, True), (60, 2.0, False)])
def test_a_figure_of_which_little_is_missing_here_and_there_is_sure_and_one_that_lacks_a_tenth_is_not(
    figures: Sequence[KnownModel], holes: int, radius: float, sure: bool
) -> None:
    points, normals = scanned(figures[2], 200.0, 0.2, count=4000)
    middles = points[np.random.default_rng(5).choice(len(points), holes, replace=False)]
    left = (np.linalg.norm(points[:, None] - middles, axis=2) > radius).all(axis=1)
    found = match(points[left], normals[left], figures, disc_of(figures[2]), 0.0, 0.2)
    assert found is not None
    assert (found.known_model, found.sure) == (figures[2], sure)
    assert found.why == ("" if sure else "the model has what the scan does not show")


@pytest.mark.long
def test_of_two_that_have_grown_together_each_is_found_and_the_rest_is_left(figures: Sequence[KnownModel]) -> None:
    points, normals = scanned(figures[4], 120.0, 0.2)
    others, across = scanned(figures[5], 300.0, 0.2, seed=1)
    both, out = np.vstack([points, others + np.array([29.0, 0.0, 0.0])]), np.vstack([normals, across])
    first = match(both, out, figures, disc_of(figures[4]), 0.0, 0.2, several=True)
    assert first is not None
    assert first.known_model is figures[4]
    assert first.sure, first.why
    rest = ~first.explained
    second = match(both[rest], out[rest], figures, None, 0.0, 0.2, several=True)
    assert second is not None
    assert second.known_model is figures[5]
    assert np.hypot(second.at[0] - 129.0, second.at[1] - 50.0) < 0.5
    assert angle(second.turn, 300.0) < 2.0


@pytest.mark.long
def test_terrain_that_looks_the_same_from_two_sides_is_sure_and_its_turn_is_not() -> None:
    terrain = known_models([str(MODELS / "barricade.toml"), str(MODELS / "crate.toml")], "terrain", Cache.default())
    box = _box(60.0, 20.0, 30.0)
    known = (replace(terrain.models[0], model=replace(terrain.models[0].model, mesh=box)), terrain.models[1])
    points, normals = scanned(known[0], 35.0, 0.2)
    found = match(points, normals, known, None, 0.0, 0.2)
    assert found is not None
    assert found.known_model is known[0]
    assert found.sure, found.why
    assert min(angle(found.turn, 35.0), angle(found.turn, 215.0)) < 2.0
    assert not found.has_front


def test_a_file_that_is_named_must_be_readable_and_one_in_a_folder_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "broken.stl").write_bytes(b"solid nothing")
    block = "\n".join(f"v {x} {y} {z}" for x in (0, 20) for y in (0, 20) for z in (0, 30))
    (tmp_path / "block.obj").write_text(block + "\nf 1 3 7\nf 1 7 5\nf 2 6 8\nf 2 8 4\nf 1 2 4\nf 1 4 3\n")
    (tmp_path / "block.toml").write_text('mesh = "block.obj"\nkind = "terrain"\nunits = "mm"\n')
    with pytest.raises(FileError):
        known_models([str(tmp_path / "broken.stl")], "terrain", Cache(None))
    found = known_models([str(tmp_path)], "terrain", Cache(None))
    assert [Path(one.path).name for one in found.models] == ["block.toml"]
    assert len(found.warnings) == 1
    assert "broken.stl" in found.warnings[0]


def test_a_folder_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder without a mesh"):
        known_models([str(tmp_path)], "fighter", Cache(None))


@pytest.mark.slow
def test_the_scale_is_that_at_which_models_fit(figures: Sequence[KnownModel]) -> None:
    unit = 37.31
    blobs = [(scanned(figures[number], 40.0 * number, 0.2)[0] - [100.0, 50.0, 0.0]) / unit for number in (2, 4)]
    found = match_scale(blobs, figures, [unit * 1.02], 0.2 / unit)
    assert found is not None
    assert abs(found.mm / unit - 1.0) < 0.005
    assert len(found.models) == 2


def _box(*size: float) -> Mesh:
    x, y, z = size
    corners = np.array([[i * x / 2, j * y / 2, k * z] for i in (-1, 1) for j in (-1, 1) for k in (0, 1)])
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]]
    faces += [[1, 5, 7], [1, 7, 3], [0, 2, 6], [0, 6, 4]]
    return Mesh(corners, np.array(faces, np.int32), np.zeros(12, np.int32))


@pytest.mark.long
@pytest.mark.parametrize("name", ["easy.glb", "usual.ply", "no_scale.obj", "points.ply"])
def test_figures_of_the_shared_scans_are_named_placed_and_turned(
    shared: Path, figures: Sequence[KnownModel], name: str
) -> None:
    """Cut out by the truth, among all figures that lie there and the project's own."""
    folder = shared / "scans"
    truth = json.loads((folder / name).with_suffix(".truth.json").read_text())
    to_table = np.array(truth["to_table"]).reshape(4, 4)
    points = read_scan(folder / name).vertices @ to_table[:3, :3].T + to_table[:3, 3]
    known = known_models([str(shared / "meshes" / "miniatures" / "rpg.scad")], "fighter", Cache.default()).models
    for piece in (piece for piece in truth["pieces"] if piece["kind"] == "fighter"):
        at, ground = np.array(piece["base_at"][:2]), piece["base_at"][2]
        near = np.hypot(*(points[:, :2] - at).T) < piece["base"] / 2.0 + 2.0
        own = points[near & (points[:, 2] > ground + 0.3)]
        disc = Disc((at[0] + 0.3, at[1] - 0.3), ground, 3.0, piece["base"], 0.5, 1.0)
        found = match(own, None, (*known, *figures), disc, ground, 0.1, several=True)
        assert found is not None
        assert Path(found.known_model.path).name == Path(piece["mesh"]).name
        assert np.hypot(*(np.array(found.at[:2]) - at)) < 1.0
        assert not found.has_front or angle(found.turn, piece["facing"] - 90.0) < 4.0
