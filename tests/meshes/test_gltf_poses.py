"""glTF: shape keys that are on and skeletons in their pose, against an oracle that does it vertex by vertex."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from silhouette.common.errors import MeshError
from silhouette.exchange.gltf import read_gltf
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import read_mesh
from silhouette.scans.read import read_scan
from tests.support.gltf_scenes import FACES, WEDGE
from tests.support.posed_gltf import FULL, Writer, posed, worlds

EXTRAS = {"silhouette": "terrain"}
UP = np.array([0.0, 0.01, 0.0])


def triangles(points: Any, faces: Any = FACES) -> set[frozenset[tuple[float, ...]]]:
    """Triangles by their corners, in mm of a frame with z up, rounded to a ten-thousandth."""
    turned = 1000.0 * np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)
    return {frozenset(map(tuple, np.round(turned[face], 4) + 0.0)) for face in faces}


def everywhere(path: Path, content: bytes) -> list[Any]:
    """The triangles of a file as `mesh =`, a scan and an import have them; its only piece in the last."""
    path.write_bytes(content)
    mesh = read_mesh(path, Cache(None)).mesh
    scan = read_scan(path)
    piece = read_gltf(path).pieces[0]
    assert piece.mesh is not None
    places = (
        piece.mesh.vertices
        * float(piece.keys.get("scale", 1.0))
        @ Rotation.from_euler("z", piece.turn, degrees=True).as_matrix().T
    )
    places += piece.at
    as_gltf = np.stack([places[:, 0], places[:, 2], -places[:, 1]], axis=1) / 1000.0
    return [
        triangles(mesh.vertices, mesh.faces), triangles(scan.vertices, scan.faces), triangles(as_gltf, piece.mesh.faces)
    ]  # fmt: skip


def same(found: set[Any], expected: set[Any]) -> bool:
    """Whether two sets of triangles are the same, but for some hundredths of a micrometre of rounding."""

    def rows(those: set[Any]) -> Any:
        return np.array(sorted(sorted(corners) for corners in those))

    one, other = rows(found), rows(expected)
    if one.shape == other.shape and np.abs(one - other).max() < 3e-3:
        return True
    centres = [np.array([np.mean(list(corners), axis=0) for corners in those]) for those in (found, expected)]
    apart = np.linalg.norm(centres[0][:, None] - centres[1][None], axis=2)
    return one.shape == other.shape and bool((apart.min(axis=1) < 3e-3).all() and (apart.min(axis=0) < 3e-3).all())


def check(path: Path, writer: Writer, expected: Any) -> None:
    for found, reader in zip(everywhere(path, writer.written()), ("mesh", "scan", "import"), strict=True):
        assert same(found, triangles(expected)), reader


def anywhere(random: np.random.Generator, size: float = 0.05) -> dict[str, Any]:
    turn = random.normal(size=4)
    return {
        "translation": random.uniform(-size, size, 3).tolist(),
        "rotation": (turn / np.linalg.norm(turn)).tolist(),
        "scale": random.uniform(0.5, 2.0, 3).tolist(),
    }


@pytest.mark.parametrize("seed", range(12))
def test_a_skeleton_puts_each_vertex_where_its_joints_say(tmp_path: Path, seed: int) -> None:
    """Joints below each other, bound anywhere, with one to eight for each vertex, in every way of storing them."""
    random = np.random.default_rng(seed)
    writer, sets = Writer(), 1 + seed % 2
    joint_kind, weight_kind = ("u1", "u2")[seed % 2], ("f4", "u1", "u2")[seed % 3]
    joints = random.integers(0, 3, (5, 4 * sets))
    weights = random.uniform(0.0, 1.0, (5, 4 * sets)) * random.integers(0, 2, (5, 4 * sets))
    weights[:, 0] += 0.1
    weights /= weights.sum(axis=1, keepdims=True)
    attributes = {}
    full = FULL.get(weight_kind)
    stored = weights if full is None else np.round(weights * full) / full
    for number in range(sets):
        some = slice(4 * number, 4 * number + 4)
        attributes[f"JOINTS_{number}"] = writer.accessor(joints[:, some], joint_kind)
        rows = stored[:, some] if full is None else np.round(stored[:, some] * full)
        attributes[f"WEIGHTS_{number}"] = writer.accessor(rows, weight_kind, normalized=full is not None)
    writer.mesh(WEDGE, FACES, **attributes)
    tip = writer.node(root=False, **anywhere(random))
    middle = writer.node(root=False, children=[tip], **anywhere(random))
    root = writer.node(children=[middle], **anywhere(random))
    bound = random.normal(size=(3, 4, 4)) * 0.3 + np.eye(4)
    bound[:, 3] = 0.0, 0.0, 0.0, 1.0
    skin: dict[str, Any] = {"joints": [root, tip, middle]}
    if seed % 4:  # else each is the identity
        skin["inverseBindMatrices"] = writer.accessor(bound.transpose(0, 2, 1).reshape(3, 16))
    else:
        bound[:] = np.eye(4)
    writer.tree["skins"] = [skin]
    writer.node(mesh=0, skin=0, extras=EXTRAS, translation=[9.0, 9.0, 9.0])  # which is ignored
    world = worlds(writer.tree)
    bound = bound.astype(np.float32).astype(float)
    matrices = [world[joint] @ matrix for joint, matrix in zip(skin["joints"], bound, strict=True)]
    check(tmp_path / "a.glb", writer, posed(WEDGE.astype("f4"), joints, stored, matrices))


@pytest.mark.parametrize("how", ["whole", "sparse", "sparse over points", "quantised", "no data"])
@pytest.mark.parametrize("where", ["mesh", "node", "both"])
def test_shape_keys_move_each_vertex_by_their_weights(tmp_path: Path, how: str, where: str) -> None:
    random = np.random.default_rng(5)
    writer = Writer()
    primitive = writer.mesh(WEDGE, FACES)
    offsets = random.uniform(-0.02, 0.02, (2, 5, 3)).astype("f4")
    offsets[1, :3] = 0.0
    if how == "no data":
        offsets[0] = 0.0
        writer.tree["accessors"].append({"componentType": 5126, "count": 5, "type": "VEC3"})
        numbers = [len(writer.tree["accessors"]) - 1, writer.accessor(offsets[1])]
    elif how == "quantised":
        steps = np.round(offsets / 0.02 * 127)
        offsets = steps / 127
        writer.tree["extensionsUsed"] = writer.tree["extensionsRequired"] = ["KHR_mesh_quantization"]
        numbers = [writer.accessor(rows, "i1", normalized=True) for rows in steps]
    else:
        write = writer.accessor if how == "whole" else writer.sparse
        numbers = [write(rows) for rows in offsets]
        if how == "sparse over points":
            offsets[0] = np.where(offsets[0].any(axis=1, keepdims=True), offsets[0], WEDGE)
            numbers[0] = writer.sparse(offsets[0] * [[1], [0], [1], [0], [1]], base=0)
            offsets[0] = np.where([[True], [False], [True], [False], [True]], offsets[0], WEDGE)
    primitive["targets"] = [{"POSITION": number} for number in numbers]
    weights = [0.75, -0.5]
    if where != "node":
        writer.tree["meshes"][0]["weights"] = weights if where == "mesh" else [1.0, 1.0]
    writer.node(mesh=0, extras=EXTRAS, **({} if where == "mesh" else {"weights": weights}))
    check(tmp_path / "a.glb", writer, WEDGE.astype("f4") + 0.75 * offsets[0] - 0.5 * offsets[1])


def test_shape_keys_that_are_off_change_nothing(tmp_path: Path) -> None:
    writer = Writer()
    primitive = writer.mesh(WEDGE, FACES)
    primitive["targets"] = [{"POSITION": writer.accessor(WEDGE)}]
    writer.tree["meshes"][0]["weights"] = [1.0]
    writer.node(mesh=0, extras=EXTRAS, weights=[0.0])
    check(tmp_path / "a.glb", writer, WEDGE.astype("f4"))


def test_shape_keys_come_before_the_skeleton(tmp_path: Path) -> None:
    writer = Writer()
    joints = writer.accessor(np.zeros((5, 4)), "u1")
    weights = writer.accessor(np.tile([1.0, 0, 0, 0], (5, 1)))
    primitive = writer.mesh(WEDGE, FACES, JOINTS_0=joints, WEIGHTS_0=weights)
    primitive["targets"] = [{"POSITION": writer.accessor(np.tile(UP, (5, 1)))}]
    bone = writer.node(scale=[1.0, 3.0, 1.0])
    writer.tree["skins"] = [{"joints": [bone]}]
    writer.node(mesh=0, skin=0, weights=[2.0], extras=EXTRAS)
    check(tmp_path / "a.glb", writer, (WEDGE + 2.0 * UP) * [1.0, 3.0, 1.0])


def test_points_that_are_quantised_and_sparse_indices(tmp_path: Path) -> None:
    writer = Writer()
    steps = np.round(WEDGE / 0.04 * 32767)
    primitive = writer.mesh(WEDGE, FACES)
    primitive["attributes"]["POSITION"] = writer.accessor(steps, "i2", normalized=True)
    writer.node(mesh=0, scale=[0.04, 0.04, 0.04], extras=EXTRAS)
    check(tmp_path / "a.glb", writer, 0.04 * steps / 32767)


def one_bone(writer: Writer, joints: Any, weights: Any, **skin: Any) -> None:
    numbers = {"JOINTS_0": writer.accessor(joints, "u1"), "WEIGHTS_0": writer.accessor(weights)}
    writer.mesh(WEDGE, FACES, **numbers)
    bone = writer.node(translation=UP.tolist())
    writer.tree["skins"] = [{"joints": [bone], **skin}]
    writer.node(name="figure", mesh=0, skin=0, extras=EXTRAS)


ONES, FIRST = np.tile([1.0, 0, 0, 0], (5, 1)), np.zeros((5, 4))


def test_weights_need_not_sum_to_one_and_joints_without_weight_need_not_be_there(tmp_path: Path) -> None:
    writer = Writer()
    one_bone(writer, np.tile([0, 9, 9, 9], (5, 1)), 7.0 * ONES)
    check(tmp_path / "a.glb", writer, WEDGE + UP)


def test_vertices_without_any_weight_are_told(tmp_path: Path) -> None:
    writer = Writer()
    weights = ONES.copy()
    weights[2] = 0.0
    one_bone(writer, FIRST, weights)
    (tmp_path / "a.glb").write_bytes(writer.written())
    sentence = "1 vertices of 'figure' follow no joint of its skeleton"
    assert sentence in read_mesh(tmp_path / "a.glb", Cache(None)).warnings
    assert sentence in read_scan(tmp_path / "a.glb").warnings
    assert sentence in read_gltf(tmp_path / "a.glb").warnings


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda tree: tree["skins"][0].update(joints=[7]), "a joint is not in the scene"),
        (lambda tree: tree["skins"][0].update(joints=[]), "it has no joints"),
        (lambda tree: tree["nodes"][1].update(skin=3), "refers to skin 3 and has 1"),
        (lambda tree: tree["meshes"][0]["primitives"][0]["attributes"].pop("WEIGHTS_0"), "has no WEIGHTS_0"),
        (lambda tree: tree["accessors"][0].update(count=4), "5 vertices, and 4 rows"),
        (lambda tree: tree["nodes"][1].update(weights=["on"]), "no list of numbers"),
        (lambda tree: tree["nodes"][1].update(extensions={"EXT_mesh_gpu_instancing": {}}), "export every copy"),
    ],
)
def test_what_cannot_be_posed_is_refused_in_the_same_words(tmp_path: Path, change: Any, words: str) -> None:
    writer = Writer()
    one_bone(writer, FIRST, ONES)
    change(writer.tree)
    path = tmp_path / "a.glb"
    path.write_bytes(writer.written())
    with pytest.raises(MeshError) as mesh:
        read_mesh(path, Cache(None))
    with pytest.raises(MeshError) as scan:
        read_scan(path)
    table = read_gltf(path)
    assert words in mesh.value.problem
    assert scan.value.problem == mesh.value.problem
    assert mesh.value.problem in table.left_out[0].why
    assert not table.pieces


def test_a_joint_out_of_range_is_refused(tmp_path: Path) -> None:
    writer = Writer()
    one_bone(writer, FIRST + 3, ONES)
    (tmp_path / "a.glb").write_bytes(writer.written())
    with pytest.raises(MeshError, match="follows joint 3 of 1"):
        read_mesh(tmp_path / "a.glb", Cache(None))


def test_a_bone_scaled_to_nothing_takes_what_it_carries_away(tmp_path: Path) -> None:
    """As animators hide a weapon: the other joints carry the rest, and no frame is needed that could be undone."""
    writer = Writer()
    joints = np.zeros((10, 4))
    joints[:5, 0] = 1
    attributes = {"JOINTS_0": writer.accessor(joints, "u1"), "WEIGHTS_0": writer.accessor(np.tile(ONES, (2, 1)))}
    writer.mesh(np.concatenate([WEDGE, WEDGE + 0.1]), np.concatenate([FACES, FACES + 5]), **attributes)
    gone = writer.node(scale=[0.0, 0.0, 0.0])
    bone = writer.node(translation=UP.tolist())
    writer.tree["skins"] = [{"joints": [bone, gone]}]
    writer.node(mesh=0, skin=0, extras=EXTRAS)
    (tmp_path / "a.glb").write_bytes(writer.written())
    mesh = read_mesh(tmp_path / "a.glb", Cache(None)).mesh
    assert same(triangles(mesh.vertices, mesh.faces), triangles(WEDGE + 0.1 + UP))


def hidden_and_coarse(writer: Writer) -> None:
    """A shown wedge, a hidden one with a child, and one with a coarse level that has a child too."""
    writer.mesh(WEDGE, FACES)
    writer.node(name="shown", mesh=0, extras=EXTRAS)
    hidden = {"KHR_node_visibility": {"visible": False}}
    inner = writer.node(root=False, name="inner", mesh=0, translation=[1.0, 0, 0], extras=EXTRAS)
    writer.node(name="helper", mesh=0, translation=[1.0, 0, 0], children=[inner], extensions=hidden, extras=EXTRAS)
    below = writer.node(root=False, name="below", mesh=0, translation=[2.0, 0, 0], extras=EXTRAS)
    coarse = writer.node(name="coarse", mesh=0, translation=[2.0, 0, 0], children=[below], extras=EXTRAS)
    levels = {"MSFT_lod": {"ids": [coarse]}}
    writer.node(name="fine", mesh=0, translation=[0, 0, 0.5], extensions=levels, extras=EXTRAS)
    writer.tree["extensionsUsed"] = writer.tree["extensionsRequired"] = ["KHR_node_visibility", "MSFT_lod"]


def test_hidden_nodes_and_coarse_levels_are_left_out_everywhere_and_named(tmp_path: Path) -> None:
    writer = Writer()
    hidden_and_coarse(writer)
    path = tmp_path / "a.glb"
    path.write_bytes(writer.written())
    file, scan, table = read_mesh(path, Cache(None)), read_scan(path), read_gltf(path)
    assert file.mesh.part_names == ("shown", "fine")
    assert len(file.mesh.faces) == len(scan.faces) == 2 * len(FACES)
    sentence = (
        "left out: 'helper', 'inner' are hidden (KHR_node_visibility); "
        "'coarse', 'below' are a coarse level of detail (MSFT_lod)"
    )
    assert sentence in file.warnings
    assert sentence in scan.warnings
    assert [piece.name for piece in table.pieces] == ["shown", "fine"]
    why = {row.name: row.why for row in table.left_out}
    assert why["helper"].startswith("is hidden (KHR_node_visibility)")
    assert why["coarse"].startswith("is a coarse level of detail (MSFT_lod)")
    assert {"inner", "below"} <= why.keys()
    # Labels of a scan have one for each vertex as stored, shown or not.
    assert len(scan.vertices) == 6 * len(WEDGE)
    assert scan.usable.sum() == 2 * len(WEDGE)


def test_a_hidden_node_that_is_broken_is_nobody_s_concern(tmp_path: Path) -> None:
    writer = Writer()
    hidden_and_coarse(writer)
    writer.tree["nodes"][2]["mesh"] = 7
    (tmp_path / "a.glb").write_bytes(writer.written())
    assert len(read_mesh(tmp_path / "a.glb", Cache(None)).mesh.faces) == 2 * len(FACES)
    assert len(read_scan(tmp_path / "a.glb").faces) == 2 * len(FACES)
    assert [piece.name for piece in read_gltf(tmp_path / "a.glb").pieces] == ["shown", "fine"]


def test_levels_that_name_each_other_leave_one_and_a_level_of_nothing_shown_stays(tmp_path: Path) -> None:
    writer = Writer()
    writer.mesh(WEDGE, FACES)
    writer.node(name="a", mesh=0, extensions={"MSFT_lod": {"ids": [1, 0, 77, "x"]}})
    writer.node(name="b", mesh=0, translation=[1.0, 0, 0], extensions={"MSFT_lod": {"ids": [0]}})
    writer.node(root=False, name="fine", mesh=0, extensions={"MSFT_lod": {"ids": [3]}})
    writer.node(name="alone", mesh=0, translation=[2.0, 0, 0])
    (tmp_path / "a.glb").write_bytes(writer.written())
    assert read_mesh(tmp_path / "a.glb", Cache(None)).mesh.part_names == ("a", "alone")


def test_a_part_that_is_scaled_to_nothing_is_left_out_everywhere_and_the_rest_stays(tmp_path: Path) -> None:
    """As animators hide a weapon: the fighter that holds it stays."""
    writer = Writer()
    writer.mesh(WEDGE, FACES)
    sword = writer.node(root=False, name="sword", mesh=0, scale=[0.0, 0.0, 0.0])
    writer.node(name="Kal", mesh=0, children=[sword], extras=EXTRAS)
    check(tmp_path / "a.glb", writer, WEDGE)
    path = tmp_path / "a.glb"
    why = "has no place: it is scaled to nothing, or its numbers are too large"
    assert f"left out: 'sword' {why}" in read_mesh(path, Cache(None)).warnings
    assert f"left out: 'sword' {why}" in read_scan(path).warnings
    assert [(row.name, row.why) for row in read_gltf(path).left_out] == [("sword", f"{why} (below Kal)")]


def test_how_large_a_level_is_on_the_screen_is_no_key_of_a_piece(tmp_path: Path) -> None:
    """The extension keeps it among the properties of the node that has levels."""
    writer = Writer()
    writer.mesh(WEDGE, FACES)
    coarse = writer.node(name="coarse", mesh=0, translation=[2.0, 0, 0], extras=EXTRAS)
    coverage = {"MSFT_screencoverage": [0.5, 0.01]}
    writer.node(name="fine", mesh=0, extras=EXTRAS | coverage, extensions={"MSFT_lod": {"ids": [coarse]}})
    check(tmp_path / "a.glb", writer, WEDGE)


def test_a_file_of_which_nothing_is_shown_is_refused_and_says_why(tmp_path: Path) -> None:
    writer = Writer()
    writer.mesh(WEDGE, FACES)
    writer.node(name="helper", mesh=0, extensions={"KHR_node_visibility": {"visible": False}})
    (tmp_path / "a.glb").write_bytes(writer.written())
    for read in (lambda path: read_mesh(path, Cache(None)), read_scan):
        with pytest.raises(MeshError, match="no triangles, only 'helper' is hidden"):
            read(tmp_path / "a.glb")


@pytest.mark.parametrize("share, told", [(0.11, True), (0.09, False)])
@pytest.mark.parametrize("mode", ["MASK", "BLEND", "OPAQUE"])
def test_a_material_that_may_be_transparent_is_told_from_a_tenth_of_the_area(
    tmp_path: Path, mode: str, share: float, told: bool
) -> None:
    """Two squares beside each other, of which one has so much of the area; three readers, one word."""
    writer = Writer()
    side = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]])
    two = np.array([[0, 1, 2], [0, 2, 3]])
    solid = writer.mesh(np.sqrt(1.0 - share) * side, two)
    leaf = writer.mesh(np.sqrt(share) * side + 2.0, two)
    leaf["material"] = 0
    solid["material"] = 1
    writer.tree["materials"] = [{"name": "leaf", "alphaMode": mode}, {"name": "bark"}]
    inner = writer.node(root=False, mesh=1, name="crown")
    writer.node(mesh=0, name="tree", children=[inner], extras=EXTRAS)
    path = tmp_path / "a.glb"
    path.write_bytes(writer.written())
    sentence = (
        "11 % of its surface has a material that may be transparent ('leaf'); leaves, grilles and glass count as solid"
    )
    is_told = told and mode != "OPAQUE"
    assert (sentence in read_mesh(path, Cache(None)).warnings) == is_told
    assert (sentence in read_scan(path).warnings) == is_told
    assert (f"tree: {sentence}" in read_gltf(path).warnings) == is_told
