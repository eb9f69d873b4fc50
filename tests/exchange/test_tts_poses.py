"""Objects of Tabletop Simulator stand where Unity has them: against its convention, written separately in `unity`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

from silhouette import load_scene
from silhouette.exchange.folder import read_table, write_table
from silhouette.exchange.imported import standing
from silhouette.exchange.tts import in_parent, to_table
from silhouette.files.cache import Cache
from tests.exchange.unity import POINTS, kept, model, save, seen, transform

PROMISED = 0.01  # mm
NOTHING = Cache(None)


def imported(tmp_path: Path, *states: Any, **options: Any) -> Any:
    """What was written of some objects, and the scene of it."""
    table = read_table(save(tmp_path / "save.json", *states), tmp_path / "Models", NOTHING, **options)
    written = write_table(table, tmp_path / "game", NOTHING)
    return written, load_scene(tmp_path / "game" / "scene.toml", cache=NOTHING)


def vertices(scene: Any, name: str) -> Any:
    piece = scene.piece(name)
    return piece.pose.place(piece.model.mesh.vertices)


def gap(first: Any, second: Any) -> float:
    """The largest distance from a point of either to the nearest of the other."""
    there, back = cKDTree(second).query(first)[0], cKDTree(first).query(second)[0]
    return float(max(there.max(), back.max()))


def random_place(rng: Any, kind: int, reach: float = 30.0) -> dict[str, float]:
    """Upright and even; tilted; uneven; mirrored; in turn."""
    turns = rng.uniform(-400.0, 400.0, 3) * ([0, 1, 0] if kind == 0 else 1)
    scales = np.full(3, rng.uniform(0.2, 3.0)) if kind < 2 else rng.uniform(0.2, 3.0, 3)
    return transform(rng.uniform(-reach, reach, 3), turns, scales * ([1, 1, -1] if kind == 3 else 1))


@pytest.mark.long
def test_matrices_of_random_poses_are_where_unity_has_them() -> None:
    rng = np.random.default_rng(7)
    for number in range(1000):
        chain = [random_place(rng, (number + level) % 4, 5.0) for level in range(1 + number % 4)]
        in_unity = np.eye(4)
        for one in reversed(chain):
            in_unity = in_unity @ in_parent(one)
        points = np.column_stack([POINTS, np.ones(len(POINTS))]) @ to_table(in_unity).T
        assert np.abs(points[:, :3] - seen(POINTS, *chain)).max() < 1e-6


@pytest.mark.parametrize(
    "count", [pytest.param(200, marks=pytest.mark.slow), pytest.param(1000, marks=pytest.mark.long)]
)
def test_hundreds_of_pieces_of_a_loaded_scene_are_where_unity_has_them(tmp_path: Path, count: int) -> None:
    rng = np.random.default_rng(3)
    kept(tmp_path / "Models", 1)
    states, truth, kinds = [], {}, {}
    for number in range(count):
        name, kind = f"piece {number}", number % 5
        place = random_place(rng, kind % 4)
        state, expected = model(name, place), [seen(POINTS, place)]
        if kind == 4:  # a part, and a part of that
            inner, innermost = random_place(rng, number % 3, 2.0), random_place(rng, 1, 2.0)
            state["ChildObjects"] = [model("a part", inner, ChildObjects=[model("a part of it", innermost)])]
            expected += [seen(POINTS, inner, place), seen(POINTS, innermost, inner, place)]
        states.append(state)
        truth[name], kinds[name] = np.concatenate(expected), kind
    written, scene = imported(tmp_path, *states)
    assert not written.left_out
    for one in written.pieces:
        name = one.piece.name
        assert gap(vertices(scene, name), truth[name]) < PROMISED, name
        assert one.piece.baked == (kinds[name] != 0), name
        assert one.piece.turn == 0.0 or not one.piece.baked
    assert len({one.mesh for one in written.pieces if not one.piece.baked}) == 1  # one file for all that share it


def test_a_piece_is_not_mirrored_and_its_faces_look_outward(tmp_path: Path) -> None:
    kept(tmp_path / "Models", 1)
    places = {
        "kept": transform(turns=(0, 70, 0)),
        "tilted": transform(turns=(20, 70, 0)),
        "mirrored": transform(scales=(-1, 1, 1)),
    }
    _, scene = imported(tmp_path, *(model(name, place) for name, place in places.items()))

    def volume(name: str) -> float:
        corners = vertices(scene, name)[scene.piece(name).model.mesh.faces]
        return float(np.einsum("ni,ni", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6.0

    assert volume("kept") == pytest.approx(volume("tilted"), rel=1e-4)
    assert volume("mirrored") == pytest.approx(volume("kept"), rel=1e-4)


@pytest.mark.thinned(quick=58)
@pytest.mark.parametrize("turn", [0.0, 30.0, 135.0, -90.0])
def test_a_figure_looks_along_its_own_front(tmp_path: Path, turn: float) -> None:
    """Unity's forward, +z, turned clockwise: what an OBJ has at +z is what the figure has before it."""
    kept(tmp_path / "Models", 1)
    place, tilted = transform((3, 1, 2), (0, turn, 0)), transform((9, 1, 2), (15, turn, 0))
    _, scene = imported(tmp_path, model("Kal", place, type_index=1), model("Vex", tilted, type_index=1))
    before = seen([[0, 0, 0], [0, 0, 1]], place)
    (x, y, _) = before[1] - before[0]
    for name in ("Kal", "Vex"):
        piece = scene.piece(name)
        ahead = np.radians(piece.facing)
        assert np.cos(ahead) * x + np.sin(ahead) * y == pytest.approx(25.4, abs=1e-3)
        assert piece.kind == "fighter"
        assert (
            piece.model.front + float(np.degrees(np.arctan2(*piece.pose.rotation[1::-1, 0])))
        ) % 360.0 == pytest.approx(piece.facing % 360.0)


def test_what_is_nearly_upright_keeps_its_file_only_within_the_promise(tmp_path: Path) -> None:
    kept(tmp_path / "Models", 1)
    a_little, more = transform(turns=(0.001, 12, 359.9995)), transform(turns=(0.1, 12, 0))
    written, scene = imported(tmp_path, model("a little", a_little), model("more", more))
    assert [one.piece.baked for one in written.pieces] == [False, True]
    assert gap(vertices(scene, "a little"), seen(POINTS, a_little)) < PROMISED
    assert gap(vertices(scene, "more"), seen(POINTS, more)) < PROMISED


@pytest.mark.parametrize("stretch, keeps", [(1.00005, True), (1.0001, False)])
def test_a_mesh_keeps_its_file_only_if_no_point_of_it_would_stand_off(stretch: float, keeps: bool) -> None:
    """Stretched along z alone: its foot stands right, and its top is 0.003 or 0.007 mm off."""
    matrix, bounds = np.diag([1.0, 1.0, stretch, 1.0]), np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 100.0]])
    assert (standing(matrix, "z", bounds) is not None) == keeps
