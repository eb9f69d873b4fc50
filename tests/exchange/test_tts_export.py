"""A scene goes to Tabletop Simulator and comes back the same, and stands in the game where Unity has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

from silhouette import load_scene
from silhouette.common.errors import FileError, RequestError
from silhouette.exchange.folder import read_table, write_table
from silhouette.exchange.tts_export import write_saved_object
from silhouette.files.cache import Cache
from silhouette.files.reading import example
from silhouette.meshes.mesh import read_mesh
from tests.exchange.unity import address, kept, model, save, seen, transform

NOTHING = Cache(None)

SCENE = """
rules = "necromunda"
title = "Ambush"
[[terrain]]
name = "wall"
parts = [{ box = [60, 5, 30] }, { box = [5, 5, 40], at = [20, 0, 0], name = "post" }]
at = [0, 120.5, 3]
turn = 33.3
[[fighter]]
name = "Kal"
figure = { base = 32, height = 38 }
gang = "Orlock"
at = [10.123, 0, 5]
facing = { head = 81.7, weapon = 40 }
[[fighter]]
name = "Vex"
figure = { base = 32, height = 38 }
at = [50, 250]
turn = 12.5
facing = 300
[[fighter]]
name = "Yar"
figure = { base = 25, height = 30 }
at = [90, 250]
facing = "unknown"
[[vehicle]]
name = "Hauler"
parts = [{ box = [40, 90, 30] }]
gang = "Orlock"
at = [-200, 40]
facing = 200
"""


def scene_of(folder: Path, text: str = SCENE) -> Any:
    folder.mkdir(exist_ok=True)
    (folder / "scene.toml").write_text(text)
    return load_scene(folder / "scene.toml", cache=NOTHING)


def back(scene: Any, folder: Path, meshes: Path | None = None) -> Any:
    """The scene after it was exported and imported."""
    out = folder / "table.json"
    written = write_saved_object(scene, out, NOTHING)
    table = read_table(out, meshes or written.meshes, NOTHING)
    assert not write_table(table, folder / "again", NOTHING).left_out
    return load_scene(folder / "again" / "scene.toml", cache=NOTHING)


def gap(first: Any, second: Any) -> float:
    """The largest distance from a vertex of either piece to the nearest of the other."""
    one, other = (piece.pose.place(piece.model.mesh.vertices) for piece in (first, second))
    return float(max(cKDTree(one).query(other)[0].max(), cKDTree(other).query(one)[0].max()))


def assert_same(before: Any, after: Any) -> None:
    assert before.title == after.title
    assert [piece.name for piece in before.pieces] == [piece.name for piece in after.pieces]
    for old, new in zip(before.pieces, after.pieces, strict=True):
        assert (old.kind, old.gang) == (new.kind, new.gang)
        assert gap(old, new) < 0.01
        if old.kind != "terrain":
            assert (old.facing is None, old.weapon) == (new.facing is None, new.weapon)
            assert old.facing is None or abs((old.facing - new.facing + 180.0) % 360.0 - 180.0) < 0.01


@pytest.mark.slow
def test_a_scene_comes_back_the_same(tmp_path: Path) -> None:
    before = scene_of(tmp_path / "game")
    after = back(before, tmp_path)
    assert_same(before, after)
    for old, new in zip(before.pieces, after.pieces, strict=True):
        assert np.abs(old.pose.translation - new.pose.translation).max() < 0.01
        assert np.abs(old.pose.rotation - new.pose.rotation).max() < np.radians(0.01)
    assert after.piece("wall").model.mesh.part_names == before.piece("wall").model.mesh.part_names


def test_the_game_shows_each_piece_where_the_scene_has_it(tmp_path: Path) -> None:
    scene = scene_of(tmp_path / "game")
    written = write_saved_object(scene, tmp_path / "table.json", NOTHING)
    for state in json.loads(written.file.read_text())["ObjectStates"]:
        file = written.meshes / state["CustomMesh"]["MeshURL"].rsplit("/", 1)[1]
        points = [line.split()[1:] for line in file.read_text().splitlines() if line.startswith("v ")]
        piece = scene.piece(state["Nickname"])
        truth = piece.pose.place(piece.model.mesh.vertices)
        assert np.abs(seen(np.array(points, float), state["Transform"]) - truth).max() < 0.001


@pytest.mark.long
def test_an_imported_table_goes_back_with_its_addresses_and_places(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    kept(tmp_path / "Models", 1)
    kept(tmp_path / "Models", 2)
    places = [transform(rng.uniform(-20, 20, 3), (0, rng.uniform(0, 360), 0), rng.uniform(0.5, 2)) for _ in range(20)]
    tilted = transform((1, 2, 3), (20, 30, 40))
    states = [model(f"Kal {n}", place, mesh=1 + n % 2, type_index=n % 2) for n, place in enumerate(places)]
    path = save(tmp_path / "save.json", *states, model("tilted", tilted))
    write_table(read_table(path, tmp_path / "Models", NOTHING), tmp_path / "game", NOTHING)
    before = load_scene(tmp_path / "game" / "scene.toml", cache=NOTHING)
    after = back(before, tmp_path)
    assert_same(before, after)
    exported = {one["Nickname"]: one for one in json.loads((tmp_path / "table.json").read_text())["ObjectStates"]}
    for number, place in enumerate(places):
        state = exported[f"Kal {number}"]
        assert state["CustomMesh"]["MeshURL"] == address(1 + number % 2)
        assert state["Transform"] == pytest.approx(place, abs=1e-4)
    assert exported["tilted"]["CustomMesh"]["MeshURL"].startswith("file://")


@pytest.mark.long
def test_an_example_scene_with_real_meshes_comes_back_the_same(tmp_path: Path) -> None:
    """Every vertex of the files is there; a base may be found instead of given, and cut at another height."""
    before = load_scene(example("scenes/necromunda/two_blockers.toml"))
    after = back(before, tmp_path)
    for old in before.pieces:  # type: ignore[attr-defined]
        mesh = read_mesh(old.model.drawn_from.path, NOTHING).mesh
        truth = old.pose.place(old.model.drawn_from.placed(mesh.vertices))
        new = after.piece(old.name)
        assert cKDTree(new.pose.place(new.model.mesh.vertices)).query(truth)[0].max() < 0.01


@pytest.mark.parametrize(
    ("name", "says"),
    [("table.txt", "ends in .json"), ("nowhere/table.json", "there is no folder"), ("game.json", "the scene itself")],
)
def test_a_bad_name_is_one_line(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "game.json").write_text(
        '{"rules": "necromunda", "fighter": [{"name": "a", "at": [0, 0], "figure": {"base": 25, "height": 30}}]}'
    )
    scene = load_scene(tmp_path / "game.json", cache=NOTHING)
    with pytest.raises(FileError, match=says):
        write_saved_object(scene, tmp_path / name, NOTHING)
    assert [file.name for file in tmp_path.iterdir()] == ["game.json"]


def test_a_scene_without_meshes_is_one_line(tmp_path: Path) -> None:
    scene = load_scene(example("scenes/ikosa/corner_to_corner.toml"))
    with pytest.raises(RequestError, match="no pieces with meshes"):
        write_saved_object(scene, tmp_path / "table.json", NOTHING)


def test_other_files_in_the_folder_of_the_meshes_stay(tmp_path: Path) -> None:
    scene = scene_of(tmp_path / "game")
    (tmp_path / "table_meshes").mkdir()
    (tmp_path / "table_meshes" / "mine.txt").write_text("mine")
    write_saved_object(scene, tmp_path / "table.json", NOTHING)
    assert (tmp_path / "table_meshes" / "mine.txt").read_text() == "mine"
