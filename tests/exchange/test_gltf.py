"""Scenes of glTF: poses against a second reader, properties, groups, and what is left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from silhouette.cli import main
from silhouette.exchange import gltf_pieces
from silhouette.exchange.folder import write_table
from silhouette.exchange.gltf import read_gltf
from silhouette.files.cache import Cache
from silhouette.judging.loading import load_scene
from silhouette.scenes.table import TableScene
from tests.support.gltf_scenes import WEDGE, glb, node, wedge

CACHE = Cache.default()


def imported(tree: Any, folder: Path) -> TableScene:
    """The scene that the import of a tree makes."""
    (folder / "table.glb").write_bytes(glb(tree))
    write_table(read_gltf(folder / "table.glb"), folder / "scene", CACHE)
    scene = load_scene(folder / "scene" / "scene.toml", cache=CACHE)
    assert isinstance(scene, TableScene)
    return scene


def random_tree(seed: int, count: int) -> dict[str, Any]:
    """Nodes nested up to three deep, moved, turned, scaled, some mirrored or given as a matrix."""
    generator = np.random.default_rng(seed)
    tree = wedge()
    for number in range(count):
        extras = {"silhouette": "terrain"}
        told: dict[str, Any] = {"name": f"piece {number}", "mesh": 0, "extras": extras, **anywhere(generator, 0.3)}
        if generator.random() < 0.4:
            told["rotation"] = Rotation.from_euler("y", generator.uniform(0, 360), degrees=True).as_quat().tolist()
        even, uneven = [generator.uniform(0.5, 2.0)] * 3, generator.uniform(0.5, 2.0, 3).tolist()
        told["scale"] = [[1.0] * 3, even, uneven, [-1.0, 1.0, 1.0]][generator.integers(4)]
        if generator.random() < 0.2:
            matrix = np.eye(4)
            matrix[:3, :3] = Rotation.from_quat(told.pop("rotation")).as_matrix() * told.pop("scale")
            matrix[:3, 3] = told.pop("translation")
            told["matrix"] = matrix.T.ravel().tolist()
        index = len(tree["nodes"])
        tree["nodes"].append(told)
        for level in range(int(generator.integers(3))):
            group = {"name": f"group {number} {level}", "children": [index], **anywhere(generator, 0.1)}
            index = len(tree["nodes"])
            tree["nodes"].append(group)
        tree["scenes"][0]["nodes"].append(index)
    return tree


def anywhere(generator: np.random.Generator, far: float) -> dict[str, Any]:
    """A place within so many metres, turned anyhow."""
    quaternion = generator.normal(size=4)
    quaternion /= np.linalg.norm(quaternion)
    return {"translation": generator.uniform(-far, far, 3).tolist(), "rotation": quaternion.tolist()}


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_every_vertex_is_where_another_reader_has_it(seed: int, tmp_path: Path) -> None:
    tree = random_tree(seed, 500)
    scene = imported(tree, tmp_path)
    graph = trimesh.load(tmp_path / "table.glb", process=False).graph
    assert len(scene.pieces) == 500
    for piece in scene.pieces:
        matrix, _ = graph.get(piece.name)
        x, y, z = (np.column_stack([WEDGE, np.ones(len(WEDGE))]) @ matrix.T)[:, :3].T * 1000.0
        expected = np.column_stack([x, -z, y])
        found = piece.pose.place(piece.model.mesh.vertices)
        apart = np.linalg.norm(found[:, None] - expected, axis=2)
        assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < 0.01, piece.name


def test_so_many_triangles_of_all_pieces_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "table.glb").write_bytes(glb(random_tree(1, 1)))
    counted, right = list[int](), gltf_pieces.PieceMaker._counted
    monkeypatch.setattr(
        gltf_pieces.PieceMaker, "_counted", lambda self, mesh: counted.append(len(mesh.faces)) or right(self, mesh)
    )
    assert len(read_gltf(tmp_path / "table.glb").pieces) == 1
    total = sum(counted)  # of its part, and of the piece in its own frame
    for most, count in ((total, 1), (total - 1, 0)):
        monkeypatch.setattr(gltf_pieces, "MAX_WRITTEN_TRIANGLES", most)
        assert len(read_gltf(tmp_path / "table.glb").pieces) == count


def test_properties_groups_and_names(tmp_path: Path) -> None:
    tree = wedge()
    tree["nodes"] += [
        node("", fighter=True, facing=90, eye=[0, 3, 27]),
        node("Kal", fighter=True, at=(0.1, 0.0, 0.0)),
        node("Kal", fighter=True, at=(0.2, 0.0, 0.0), gang="Escher"),
        {"name": "Orlock", "children": [1, 2, 3]},
        node("Vex", fighter=True, at=(0.0, 0.0, 0.2)),
        node("Yar", fighter=True, at=(0.0, 0.0, 0.4)),
        {"name": "Delaque", "children": [5, 6]},
    ]
    tree["scenes"][0]["nodes"] = [4, 7]
    scene = imported(tree, tmp_path)
    names = {piece.name: piece for piece in scene.pieces}
    assert set(names) == {"wedge", "Kal", "Kal 2", "Vex", "Yar"}
    gangs = {name: piece.gang for name, piece in names.items()}
    assert gangs == {"wedge": "Orlock", "Kal": "Orlock", "Kal 2": "Escher", "Vex": "Delaque", "Yar": "Delaque"}
    assert names["wedge"].facing == 90.0
    assert names["wedge"].eye.round(6).tolist() == [0.0, 3.0, 27.0]
    assert names["Vex"].pose.translation.round(6).tolist() == [0.0, -200.0, 0.0]
    assert names["Kal"].facing == pytest.approx(270.0), "glTF looks along +Z"


def test_instances_share_one_mesh_and_what_is_tilted_has_its_own(tmp_path: Path) -> None:
    tree = wedge()
    tree["nodes"] += [
        node(f"crate {n}", at=(0.1 * n, 0.0, 0.0), rotation=[0, np.sin(n), 0, np.cos(n)]) for n in range(5)
    ]
    tree["nodes"].append(node("fallen", at=(0.0, 0.0, 0.3), rotation=[np.sin(0.5), 0, 0, np.cos(0.5)]))
    tree["nodes"].append(node("larger", at=(0.0, 0.0, 0.6), scale=[2.0, 2.0, 2.0]))
    tree["scenes"][0]["nodes"] = list(range(1, 8))
    scene = imported(tree, tmp_path)
    assert len(scene.pieces) == 7
    assert len(list((tmp_path / "scene" / "meshes").iterdir())) == 2
    assert scene.piece("fallen").pose.rotation.tolist() == np.eye(3).tolist()


def test_the_scene_says_rules_title_and_checks(tmp_path: Path) -> None:
    tree = wedge()
    tree["nodes"] += [node("Kal", fighter=True), node("Vex", fighter=True, at=(0.0, 0.0, 0.2))]
    checks = [{"attacker": "Kal", "target": target} for target in ("Vex", "Zed")]
    extras = {"silhouette": {"title": "Duel", "rules": "necromunda", "check": checks}}
    tree["scenes"][0] |= {"nodes": [1, 2], "extras": extras}
    (tmp_path / "t.glb").write_bytes(glb(tree))
    written = write_table(read_gltf(tmp_path / "t.glb"), tmp_path / "scene", CACHE)
    assert any("1 of check are left out" in sentence for sentence in written.warnings)
    scene = load_scene(tmp_path / "scene" / "scene.toml", cache=CACHE)
    assert (scene.title, len(scene.checks)) == ("Duel", 1)


def test_all_else_is_left_out_by_name(tmp_path: Path) -> None:
    tree = wedge()
    tree["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}]
    light = {"name": "Sun", "extensions": {"KHR_lights_punctual": {"light": 0}}}
    tree["nodes"] += [
        node("Kal", fighter=True), {"name": "Camera", "camera": 0}, light,
        {"name": "Empty"}, {"name": "Cube", "mesh": 0},
        {"name": "typo", "mesh": 0, "extras": {"silhouete": "fighter"}},
        {"name": "odd", "mesh": 0, "extras": {"silhouette": "figther"}},
        {"name": "key", "mesh": 0, "extras": {"silhouette": "fighter", "gagn": "Orlock"}},
        {"name": "flat", "mesh": 0, "scale": [1, 0, 1], "extras": {"silhouette": "terrain"}},
        {"name": "far", "mesh": 0, "translation": [1e9, 0, 0], "extras": {"silhouette": "terrain"}},
        {"name": "lost", "mesh": 99, "extras": {"silhouette": "terrain"}},
    ]  # fmt: skip
    tree["animations"] = [{"name": "walk", "channels": [], "samplers": []}]
    tree["scenes"][0]["nodes"] = list(range(1, len(tree["nodes"])))
    (tmp_path / "t.glb").write_bytes(glb(tree))
    table = read_gltf(tmp_path / "t.glb")
    assert [piece.name for piece in table.pieces] == ["Kal"]
    why = {row.name: row.why for row in table.left_out}
    for name, part in {
        "Camera": "is a camera", "Sun": "is a light", "Empty": "is empty", "Cube": "has no property silhouette",
        "typo": "it must be 'silhouette'", "odd": "did you mean 'fighter'", "key": "did you mean 'gang'",
        "flat": "scaled to nothing", "far": "over a kilometre", "lost": "mesh", "walk": "is an animation",
    }.items():  # fmt: skip
        assert part in why[name], name


def changed(**change: Any) -> bytes:
    tree = wedge()
    tree["nodes"].append(node("Kal", fighter=True))
    tree["scenes"][0]["nodes"] = [1]
    return glb(tree | change)


def cycle() -> bytes:
    tree = wedge()
    tree["nodes"] += [node("a", fighter=True) | {"children": [2]}, {"name": "b", "children": [1]}]
    tree["scenes"][0]["nodes"] = [1]
    return glb(tree)


def crowd() -> bytes:
    tree = wedge()
    tree["nodes"] += [{"name": f"n{number}"} for number in range(100_001)]
    tree["scenes"][0]["nodes"] = list(range(1, len(tree["nodes"])))
    return glb(tree)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "empty|no glTF|holds nothing|not"),
    "no glTF": (lambda: json.dumps({"ObjectStates": []}).encode(), ""),
    "a cycle": (cycle, "hangs below itself"),
    "100,001 nodes": (crowd, "more than"),
    "nothing marked": (lambda: glb(wedge()), "has no object with the property silhouette"),
    "other rules": (
        lambda: changed(scenes=[{"nodes": [1], "extras": {"silhouette": {"rules": "necromundo"}}}]),
        "necromunda",
    ),
    "units": (lambda: changed(scenes=[{"nodes": [1], "extras": {"units": "feet"}}]), "units"),
    "version": (lambda: changed(asset={"version": "1.0"}), "version|2.0"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gets_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made, words = HOSTILE[name]
    file = tmp_path / "table.glb"
    file.write_bytes(made())
    assert main(["import", str(file), "--out", str(tmp_path / "scene"), "--quiet"]) == 2
    told = capsys.readouterr()
    assert told.err.startswith("error: ")
    assert told.err.count("\n") == 1
    assert "internal" not in told.err
    if words:
        assert any(word in told.err for word in words.split("|")), told.err
    assert not (tmp_path / "scene").exists()


@pytest.mark.parametrize(
    "uri",
    [
        "../outside.bin",
        "file:///etc/passwd",
        "http://example.com/a.bin",
        "//host/share/a.bin",
        "/etc/passwd",
        "missing.bin",
        "data:,x",
    ],
)
def test_nothing_outside_the_folder_is_read_and_nothing_fetched(uri: str, tmp_path: Path) -> None:
    (tmp_path / "outside.bin").write_bytes(bytes(10_000))
    folder = tmp_path / "inside"
    folder.mkdir()
    tree = wedge()
    tree["nodes"].append(node("Kal", fighter=True))
    tree["scenes"][0]["nodes"] = [1]
    tree["buffers"] = [{"uri": uri, "byteLength": tree["buffers"][0]["byteLength"]}]
    tree.pop("blob")
    (folder / "table.gltf").write_text(json.dumps(tree))
    table = read_gltf(folder / "table.gltf")
    assert table.pieces == ()
    (why,) = (row.why for row in table.left_out if row.name == "Kal")
    assert "refers to" in why or "truncated" in why
