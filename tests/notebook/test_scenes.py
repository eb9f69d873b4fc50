"""Scenes in Python: built of keys and meshes, asked, moved; what is wrong is said of arguments."""

from __future__ import annotations

import copy
import gc
import pickle
import tempfile
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import silhouette
from silhouette import FileError, RequestError, Scene
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import read_mesh
from silhouette.rules import RULES, rule_called

ROOT = Path(__file__).resolve().parents[2]
BOX = trimesh.creation.box((12.0, 12.0, 30.0))
BOX.apply_translation((0.0, 0.0, 15.0))
WALL = {"name": "wall", "at": (0, 185), "parts": [{"box": (60, 5, 10)}]}


def duel(mesh: Any = BOX, **keys: Any) -> Scene:
    """Two boxes, a wall between them that hides the lower third of the second."""
    how = {"mesh": mesh, "base": "none", "units": "mm"}
    fighters = [{"name": "Kal", "at": (0, 0), "eye": (0, 6, 15), **how}, {"name": "Vex", "at": (0, 200), **how}]
    return Scene.build("necromunda", **{"fighter": fighters, "terrain": [WALL], **keys})


@pytest.mark.parametrize(
    "mesh",
    [
        BOX,
        (BOX.vertices, BOX.faces),
        (BOX.vertices.tolist(), BOX.faces.tolist()),
        trimesh.Scene({"body": BOX}),
        silhouette.load_model,
    ],
    ids=["trimesh", "arrays", "lists", "scene", "file"],
)
def test_a_mesh_is_the_same_however_it_is_given(tmp_path: Path, mesh: Any) -> None:
    if mesh is silhouette.load_model:
        mesh = tmp_path / "box.stl"
        BOX.export(mesh)
    solid = {"name": "Vex", "at": (0, 200), "parts": [{"box": (12, 12, 30)}]}
    expected = duel(fighter=[{**solid, "name": "Kal", "at": (0, 0), "eye": (0, 6, 15)}, solid]).check("Kal", "Vex")
    verdict = duel(mesh).check("Kal", "Vex")
    assert verdict.verdict == expected.verdict == "partial cover"
    assert verdict["occluded"] == pytest.approx(expected["occluded"], abs=1e-6)


def test_vertices_in_memory_are_kept_to_the_bit(tmp_path: Path) -> None:
    bent = BOX.copy()
    bent.vertices += np.random.default_rng(1).normal(scale=1e-3, size=bent.vertices.shape)
    duel(bent, folder=tmp_path)
    (file,) = {path.read_bytes(): path for path in (tmp_path / "meshes").iterdir()}.values()
    assert (read_mesh(file, Cache(None)).mesh.vertices[:, None] == bent.vertices).all(axis=2).any(axis=0).all()


def test_nodes_of_a_scene_are_parts() -> None:
    base = trimesh.creation.cylinder(radius=12.5, height=3.0)
    base.apply_translation((0.0, 0.0, 1.5))
    both = trimesh.Scene()
    both.add_geometry(base, node_name="base")
    both.add_geometry(BOX, node_name="body", transform=trimesh.transformations.translation_matrix((0, 0, 3)))
    scene = duel(fighter=[{"name": "Kal", "at": (0, 0), "mesh": both, "base": {"part": "base"}, "units": "mm"}])
    piece = scene["Kal"]
    assert isinstance(piece, silhouette.Piece)
    assert piece.model.mesh.part_names == ("base", "body")
    assert piece.model.base is not None
    assert piece.model.base.diameter == pytest.approx(25.0, abs=0.2)


def test_a_folder_keeps_it_and_an_earlier_scene(tmp_path: Path) -> None:
    first = duel(folder=tmp_path / "game", title="first")
    again = silhouette.load_scene(tmp_path / "game" / "scene.toml")
    assert again.check("Kal", "Vex") == first.check("Kal", "Vex")
    duel(folder=tmp_path / "game", title="second")
    assert silhouette.load_scene(tmp_path / "game" / "scene.before.toml").title == "first"


def test_what_lies_in_memory_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    scene = duel()
    moved = scene.moved({"Vex": (100, 200)})
    assert len(list(tmp_path.iterdir())) == 1
    del scene
    gc.collect()
    assert moved.moved({"Vex": (0, 200)}).check("Kal", "Vex").verdict == "partial cover"
    with pytest.raises(FileError):
        duel(fightr=[])
    del moved
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_keys_are_a_scene_wherever_a_path_is() -> None:
    keys = {"rules": "necromunda", "fighter": [{**WALL, "name": name, "at": at} for name, at in places().items()]}
    assert silhouette.check(keys, "Kal", "Vex").verdict == silhouette.load_scene(keys).check("Kal", "Vex").verdict


def places() -> dict[str, tuple[float, float]]:
    return {"Kal": (0.0, 0.0), "Vex": (0.0, 200.0)}


def test_it_is_a_scene_of_its_game_and_asked_as_such() -> None:
    scene = duel(checks=[{"attacker": "Kal", "target": "Vex", "expect": {"verdict": "partial cover"}}])
    assert scene.rules == "necromunda"
    assert [check.label for check in scene.checks] == ["Kal to Vex"]
    assert repr(scene) == "<NecromundaScene the scene: without a title, 1 check>"
    assert scene.check("Kal", "Vex", at={"Vex": np.array([100.0, 200.0])}).verdict == "open"
    assert scene.moved({"Vex": (100, 200, 90)}).check("Kal", "Vex").verdict == "open"
    assert scene.check("Kal", "Vex").verdict == "partial cover"
    beside = scene.moved({"Vex": (100, 200)})
    assert beside.check("Kal", "Vex", at={"Kal": (0, 1)}).verdict == "open", "what was moved before stays moved"
    assert beside.moved({"Kal": (0, 1)})["Vex"].pose.translation[0] == 100.0
    changes = scene.changes("Kal", "Vex")
    assert "without the wall: open" in changes.words
    assert scene.odds("Kal", "Vex", seed=1).odds["partial cover"] > 0.9
    assert repr(scene.odds("Kal", "Vex")).startswith("<Odds Kal to Vex: ")


@pytest.mark.thinned(quick=36)
@pytest.mark.parametrize("game", sorted(RULES))
def test_every_game_shows_itself(game: str) -> None:
    scene = silhouette.load_scene(ROOT / rule_called(game).example)
    assert len(repr(scene)) < 200
    html = scene._repr_html_()
    assert html.startswith("<div>")
    assert all(name in unescape(html) for name in scene.names)
    svg = scene._repr_svg_()
    assert svg is None or svg.startswith("<?xml")
    assert scene[scene.names[0]]
    for check in scene.checks[:1]:
        verdict = scene.check(check.attacker, check.target) if check.attacker and check.target else None
        assert verdict is None or verdict.reason in unescape(verdict._repr_html_())


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: duel().check("Kal", "Wex"), RequestError, "the scene: nothing is called 'Wex'; did you mean 'Vex'?"),
        (lambda: duel().check("Kal", "Vex", at={"Vex": 5}), RequestError, "at is {'Vex': 5}; give {name: (x, y)}"),
        (lambda: duel().check("Kal", "Vex", at=3), RequestError, "at is 3; give"),
        (lambda: duel().check("Kal", "Vex", at={"Vex": (1,)}), RequestError, "at: {name: (x, y)} or"),
        (lambda: duel().check("Kal", "Vex", at={"Wex": (1, 2)}), RequestError, "at: nothing is called 'Wex'"),
        (lambda: duel().map_of("Kal", grid=0.1), RequestError, "grid=0.1: no grid is finer"),
        (lambda: duel().map_of("Kal", attackers="Vex", targets="Vex"), RequestError, "attackers and targets: a map"),
        (lambda: duel()["kal"], KeyError, "did you mean 'Kal'?"),
        (lambda: duel().matrix()["Kal", "Wex"], KeyError, "did you mean 'Vex'?"),
        (lambda: duel().check("Kal", "Vex").figure("plam"), RequestError, "no figure 'plam'; did you mean 'plan'?"),
        (lambda: duel().check("Kal", "Vex")["ocluded"], KeyError, "did you mean 'occluded'?"),
        (lambda: duel(3), RequestError, "fighter 'Kal': mesh: is of the type int; give a path"),
        (lambda: duel("gone.stl"), FileError, "gone.stl: is not there; fighter 'Kal': mesh is a path seen from"),
        (lambda: duel((BOX.vertices[:, :2], BOX.faces)), RequestError, "arrays of the shapes (8, 2) and (12, 3)"),
        (lambda: duel((BOX.vertices, BOX.faces + 1)), RequestError, "faces name vertex 8, and there are 8 vertices"),
        (lambda: duel((BOX.vertices, BOX.faces.astype(float))), RequestError, "faces of the dtype float64"),
        (lambda: duel((BOX.vertices * np.nan, BOX.faces)), RequestError, "a vertex that is no finite number"),
        (lambda: duel((BOX.vertices, np.empty((0, 3), int))), RequestError, "has no faces"),
        (lambda: duel(trimesh.Scene()), RequestError, "a trimesh.Scene without a mesh"),
        (lambda: duel(fightr=[]), FileError, "the scene: unknown key 'fightr'; did you mean 'fighter'?"),
        (lambda: duel(table=(float("inf"), 1)), RequestError, "table has inf; give a finite number"),
        (lambda: duel(title=object()), RequestError, "title is of the type object"),
        (lambda: Scene.build("nope"), FileError, "the scene: unknown rules 'nope'"),
        (lambda: Scene.build("gone.toml"), FileError, "gone.toml: is not there; rules is a path"),
        (lambda: silhouette.load_scene({}), FileError, "the scene: rules is missing"),
        (lambda: silhouette.load_scene("gone.toml"), FileError, "gone.toml: there is no such"),
    ],
)
def test_mistakes_are_said_in_a_line_of_arguments(ask: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        ask()
    message = str(caught.value)
    assert words in message
    assert "--" not in message
    assert "silhouette-scene-" not in message


def test_copied_or_pickled_it_is_the_value_of_its_game() -> None:
    verdict = duel().check("Kal", "Vex")
    for other in (pickle.loads(pickle.dumps(verdict)), copy.copy(verdict), copy.deepcopy(verdict)):
        assert type(other) is silhouette.NecromundaVerdict
        assert other.row() == verdict.row()
