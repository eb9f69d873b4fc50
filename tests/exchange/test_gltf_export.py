"""`export --to glb`: the file holds what other programs expect, and `import` gives the scene back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree

from silhouette.cli import main
from silhouette.common.errors import FileError, RequestError
from silhouette.common.geometry import Floats
from silhouette.exchange.folder import write_table
from silhouette.exchange.gltf import read_gltf
from silhouette.exchange.gltf_export import write_glb
from silhouette.files.cache import Cache
from silhouette.judging.loading import load_scene
from silhouette.scenes.pieces import Piece
from silhouette.scenes.table import TableScene

SCENES = Path(__file__).resolve().parents[2] / "scenes"
TABLES = sorted(
    file for game in ("kill_team_2024", "necromunda", "skirmishcorps") for file in SCENES.glob(f"{game}/*.toml")
)
QUICK = (
    "cover_or_obscured",
    "example_3_vehicle_in_partial_cover",
    "stand_ins_in_inches",
    "behind_the_scan",
    "elevation",
)
"""Scenes that stand for the others where there is little time: vehicles, stand-ins, a scan, other tables for pieces."""

CACHE = Cache.default()


def case(path: Path) -> Any:
    marks = () if path.stem in QUICK else (pytest.mark.long,)
    return pytest.param(path, id=f"{path.parent.name}-{path.stem}", marks=marks)


def table(path: Path) -> TableScene:
    scene = load_scene(path, cache=CACHE)
    assert isinstance(scene, TableScene)
    return scene


def back(file: Path, folder: Path) -> TableScene:
    """The scene that the import of a file makes."""
    write_table(read_gltf(file), folder, CACHE)
    return table(folder / "scene.toml")


def vertices(piece: Piece, role: int) -> Floats:
    """(n, 3) mm, world: the corners of the triangles of one role."""
    mesh = piece.model.mesh
    return piece.pose.place(mesh.vertices)[mesh.faces[piece.model.role == role]].reshape(-1, 3)


@pytest.mark.thinned(quick=9, ci=40)
@pytest.mark.parametrize("path", [case(path) for path in TABLES])
def test_the_scene_comes_back_the_same(path: Path, tmp_path: Path) -> None:
    scene = load_scene(path, cache=CACHE)
    if not isinstance(scene, TableScene) or not scene.pieces:
        pytest.skip("it has no pieces with meshes")
    assert write_glb(scene, tmp_path / "table.glb") == len(scene.pieces)
    again = back(tmp_path / "table.glb", tmp_path / "again")
    assert again.title == scene.title
    if path.parent.name == "skirmishcorps":
        assert (again.rules, again.checks) == ("necromunda", ()), "glTF has no words for its pieces"
    else:
        assert (again.rules, len(again.checks)) == (scene.rules, len(scene.checks))
    assert {one.name for one in again.pieces} == {one.name for one in scene.pieces}
    for one in scene.pieces:
        other = again.piece(one.name)
        assert (other.kind, other.gang, other.arcs, other.model.solid) == (
            one.kind,
            one.gang,
            one.arcs,
            one.model.solid,
        )
        assert (other.facing is None, other.weapon) == (one.facing is None, one.weapon)
        if one.facing is not None and other.facing is not None:
            assert abs((other.facing - one.facing + 180.0) % 360.0 - 180.0) < 0.01
        for role in np.unique(one.model.role):
            here, there = vertices(one, role), vertices(other, role)
            assert len(here) == len(there)
            assert max(cKDTree(a).query(b)[0].max() for a, b in ((here, there), (there, here))) < 0.01
        if one.kind != "terrain":
            assert np.linalg.norm(other.eye - one.eye) < 0.01
            assert np.abs(other.base_outline.mean(axis=0) - one.base_outline.mean(axis=0)).max() < 0.05
            assert np.abs(np.subtract(other.base_span, one.base_span)).max() < 0.01


@pytest.mark.thinned(quick=0, ci=16)
@pytest.mark.parametrize(
    "name", ["necromunda/example_2_partial_cover", "necromunda/two_blockers", "kill_team_2024/cover_or_obscured"]
)
def test_the_verdicts_come_back_the_same(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = SCENES / f"{name}.toml"
    assert main(["export", str(path), "--to", "glb", "--out", str(tmp_path / "table.glb"), "--json"]) == 0
    assert main(["import", str(tmp_path / "table.glb"), "--out", str(tmp_path / "again"), "--json"]) == 0
    capsys.readouterr()
    rows = []
    for file in (path, tmp_path / "again" / "scene.toml"):
        assert main(["check", str(file), "--json", "--quiet"]) == 0
        rows.append(json.loads(capsys.readouterr().out))
    for one, other in zip(*(_results(document) for document in rows), strict=True):
        assert one["verdict"] == other["verdict"]
        if "occluded" in one and one["occluded"] is not None:
            assert abs(one["occluded"] - other["occluded"]) <= one["error"] + other["error"] + 1e-4


def _results(document: Any) -> list[dict[str, Any]]:
    """The rows of checks, wherever a document has them."""
    if isinstance(document, dict) and "verdict" in document:
        return [document]
    inner = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    return [row for value in inner for row in _results(value)]


def test_another_program_reads_it_alike(tmp_path: Path) -> None:
    scene = table(SCENES / "necromunda/example_2_partial_cover.toml")
    write_glb(scene, tmp_path / "table.glb")
    read = trimesh.load(tmp_path / "table.glb", process=False)
    seen = read.to_geometry().bounds * 1000.0
    points = np.concatenate([one.pose.place(one.model.mesh.vertices) for one in scene.pieces])
    low, high = points.min(axis=0), points.max(axis=0)
    # Its y is up: x, z and -y of ours.
    expected = np.array([[low[0], low[2], -high[1]], [high[0], high[2], -low[1]]])
    assert np.abs(seen - expected).max() < 0.01


def test_pieces_of_one_model_share_their_meshes(tmp_path: Path) -> None:
    scene = table(SCENES / "necromunda/skirmish.toml")
    write_glb(scene, tmp_path / "table.glb")
    data = (tmp_path / "table.glb").read_bytes()
    tree = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    models = {(one.model.mesh.digest, one.model.role.tobytes()) for one in scene.pieces}
    parts = sum(len(set(np.frombuffer(role, np.uint8).tolist())) for _, role in models)
    assert len(tree["meshes"]) == parts
    assert len(models) < len(scene.pieces)
    roots = [tree["nodes"][index] for index in tree["scenes"][0]["nodes"]]
    assert [node["extras"]["silhouette"] for node in roots] == [one.kind for one in scene.pieces]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    scene = table(SCENES / "necromunda/example_1_open.toml")
    with pytest.raises(FileError, match=r"ends in \.glb"):
        write_glb(scene, tmp_path / "table.gltf")
    with pytest.raises(RequestError, match="no pieces with meshes"):
        write_glb(load_scene(next(SCENES.glob("tide_of_iron/*.toml")), cache=CACHE), tmp_path / "table.glb")
    assert list(tmp_path.iterdir()) == []


def test_a_weapon_that_points_elsewhere_comes_back(tmp_path: Path) -> None:
    scene = load_scene(SCENES / "necromunda/head_and_weapon.toml", cache=CACHE)
    assert isinstance(scene, TableScene)
    write_glb(scene, tmp_path / "table.glb")
    kal = back(tmp_path / "table.glb", tmp_path / "again").piece("Kal")
    assert (kal.facing, kal.weapon) == (90.0, 10.0)


@pytest.mark.parametrize("units", ["inch", "square"])
def test_a_table_in_inches_or_squares_comes_back_in_mm(units: str, tmp_path: Path) -> None:
    text = 'rules = "necromunda"\nunits = "UNITS"\nsquare = 30\ntable = [20, 10]\n'
    for name, at in (("Kal", "[-1.5, 0.5]"), ("Vex", "[4.5, 0.5]")):
        text += f'[[fighter]]\nname = "{name}"\nfigure = {{ base = 25, height = 30 }}\nat = {at}\nfacing = 0\n'
    (tmp_path / "table.toml").write_text(text.replace("UNITS", units), encoding="utf-8")
    scene = table(tmp_path / "table.toml")
    write_glb(scene, tmp_path / "table.glb")
    again = back(tmp_path / "table.glb", tmp_path / "again")
    assert (again.unit_of_places, again.square) == ("mm", 30.0)
    assert again.table_top == pytest.approx(scene.table_top)
    for name in ("Kal", "Vex"):
        assert again.piece(name).pose.translation == pytest.approx(scene.piece(name).pose.translation)
