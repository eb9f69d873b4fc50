"""A scan is read as it is stored: each vertex in its place, in every format; what is no scan is refused in a line."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from silhouette.common.errors import MeshError
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import read_mesh
from silhouette.scans.read import Scan, read_scan, step_of
from tests.support.mesh_files import ALL_FORMATS, CORNERS, FACES, binary_stl, glb, gltf, model, obj, ply, threemf

TRIANGLES = len(FACES)


def scanned(path: Path, content: bytes | str) -> Scan:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_scan(path)


@pytest.mark.parametrize("name", ALL_FORMATS)
def test_every_format_is_read_as_it_is_stored(name: str, tmp_path: Path) -> None:
    scan = scanned(tmp_path / name, ALL_FORMATS[name])
    corners = CORNERS[FACES].reshape(-1, 3) if scan.format == "stl" else CORNERS
    extra = 1 if name == "negative.obj" else 0  # a vertex that no face uses
    assert np.allclose(scan.vertices[: len(corners)], corners)
    assert len(scan.vertices) == len(corners) + extra
    assert len(scan.faces) == TRIANGLES
    assert scan.usable.tolist() == [True] * len(corners) + [False] * extra
    assert scan.up == ("y" if scan.format in ("glb", "gltf", "obj") else "z")
    assert scan.units == {"glb": "m", "gltf": "m", "3mf": "millimeter"}.get(scan.format)


def test_nothing_is_merged_dropped_or_put_in_another_order(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    corners = rng.integers(0, 3, size=(40, 3)).astype(float)  # many are equal
    faces = rng.permuted(np.tile(np.arange(40), (30, 1)), axis=1)[:, :3]
    text = "".join("v {} {} {}\n".format(*corner) for corner in corners)
    text += "".join("f {} {} {}\n".format(*face) for face in faces + 1)
    whole = scanned(tmp_path / "equal.obj", text)
    assert np.array_equal(whole.vertices, corners)
    assert np.array_equal(
        scanned(tmp_path / "equal.ply", ply("ascii", polygons=faces, corners=corners)).vertices, corners
    )
    assert {tuple(face) for face in whole.faces.tolist()} <= {tuple(face) for face in faces.tolist()}
    used = np.zeros(40, dtype=bool)
    used[whole.faces] = True
    assert np.array_equal(whole.usable, used)


def test_the_names_of_parts_do_not_change_the_order(tmp_path: Path) -> None:
    text = obj().replace("f 1 2 4", "g b\nf 1 2 4").replace("f 3 1 4", "g a\nf 3 1 4")
    assert np.array_equal(scanned(tmp_path / "parts.obj", text).vertices, CORNERS)


def test_each_visit_of_a_node_stores_the_vertices_again(tmp_path: Path) -> None:
    nodes = [
        {"children": [2, 1], "scale": [2, 2, 2]},
        {"mesh": 0},
        {"mesh": 0, "translation": [5, 0, 0], "children": [3]},
        {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 7, 0, 1]},
    ]
    scan = scanned(tmp_path / "visits.gltf", json.dumps(gltf(nodes)))
    expected = [2 * (CORNERS + np.array([5, 0, 0])), 2 * (CORNERS + np.array([5, 7, 0])), 2 * CORNERS]
    assert np.allclose(scan.vertices, np.concatenate(expected))
    assert len(scan.faces) == 3 * TRIANGLES


def test_primitives_that_share_their_points_store_them_each(tmp_path: Path) -> None:
    tree = gltf()
    tree["meshes"][0]["primitives"] *= 2
    scan = scanned(tmp_path / "shared.glb", glb(tree))
    assert np.allclose(scan.vertices, np.concatenate([CORNERS, CORNERS]))
    assert scan.faces.max() == 7


def test_3mf_objects_come_in_the_order_of_the_build(tmp_path: Path) -> None:
    objects = '<object id="1" type="model"><mesh><vertices>' + "".join(
        f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in [*CORNERS.tolist(), (9, 9, 9)]
    )
    objects += '</vertices><triangles><triangle v1="0" v2="2" v3="1"/></triangles></mesh></object>'
    build = '<item objectid="1" transform="1 0 0 0 1 0 0 0 1 10 0 0"/><item objectid="1"/>'
    scan = scanned(tmp_path / "built.3mf", threemf(model(objects, build, unit="inch")))
    five = np.array([*CORNERS.tolist(), (9, 9, 9)])
    assert np.allclose(scan.vertices, np.concatenate([five + np.array([10, 0, 0]), five]))
    assert scan.usable.tolist() == [True, True, True, False, False] * 2
    assert scan.units == "inch"


def test_degenerate_faces_are_left_out_and_their_vertices_stay(tmp_path: Path) -> None:
    faces = np.vstack([FACES, [[0, 0, 1], [1, 1, 1]]])
    scan = scanned(tmp_path / "slivers.stl", binary_stl(faces))
    assert len(scan.vertices) == 3 * len(faces)
    assert len(scan.faces) == TRIANGLES
    assert not scan.usable[-6:].any()
    assert scan.warnings == ("2 of 6 triangles have no area and were dropped",)


def test_what_is_no_number_is_not_usable(tmp_path: Path) -> None:
    corners = np.vstack([CORNERS, [[np.nan, 0, 0], [0, np.inf, 0]]])
    faces = np.vstack([FACES, [[0, 1, 4], [2, 3, 5]]])
    scan = scanned(tmp_path / "holes.ply", ply("binary_little_endian", polygons=faces, corners=corners))
    assert len(scan.vertices) == 6
    assert scan.usable.tolist() == [True] * 4 + [False] * 2
    assert len(scan.faces) == TRIANGLES
    assert "2 triangles with coordinates that are no numbers were left out" in scan.warnings


def cloud(form: str, rows: np.ndarray, kinds: str) -> bytes:
    """A PLY of points: x y z, then normals (n) and colours: bytes (c) or shares (f)."""
    names = [f"property float {name}" for name in ("x", "y", "z", *(("nx", "ny", "nz") if "n" in kinds else ()))]
    sort = "uchar" if "c" in kinds else "float"
    names += [f"property {sort} {name}" for name in ("red", "green", "blue") if set("cf") & set(kinds)]
    head = "\n".join(["ply", f"format {form} 1.0", f"element vertex {len(rows)}", *names, "end_header", ""]).encode()
    if form == "ascii":
        return head + "\n".join(" ".join(f"{value:g}" for value in row) for row in rows).encode() + b"\n"
    order = "<" if "little" in form else ">"
    layout = order + "".join("B" if "uchar" in name else "f" for name in names)
    numbers = [[int(v) if "uchar" in n else v for v, n in zip(row, names, strict=True)] for row in rows.tolist()]
    return head + b"".join(struct.pack(layout, *row) for row in numbers)


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_points_alone_are_a_scan(form: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    points = np.round(rng.normal(size=(50, 3)), 3)
    normals = np.round(rng.normal(size=(50, 3)), 3)
    shades = rng.integers(0, 256, size=(50, 3))
    bare = scanned(tmp_path / "bare.ply", cloud(form, points, ""))
    assert np.allclose(bare.vertices, points)
    assert bare.faces.shape == (0, 3)
    assert bare.usable.all()
    assert bare.colours is None
    assert bare.normals is None
    full = scanned(tmp_path / "full.ply", cloud(form, np.hstack([points, normals, shades]), "nc"))
    assert full.colours is not None
    assert np.array_equal(full.colours, shades)
    assert full.normals is not None
    assert np.allclose(full.normals, normals / np.linalg.norm(normals, axis=1, keepdims=True), atol=1e-5)
    shares = scanned(tmp_path / "shares.ply", cloud(form, np.hstack([points, shades / 255]), "f"))
    assert shares.colours is not None
    assert np.abs(shares.colours.astype(int) - shades).max() <= (1 if form == "ascii" else 0)


def test_points_without_a_normal_have_zeros_and_where_most_lack_it_there_are_none(tmp_path: Path) -> None:
    rows = np.hstack([CORNERS, [[0, 0, 2], [0, 0, 0], [0, np.nan, 1], [3, 0, 4]]])
    scan = scanned(tmp_path / "lost.ply", cloud("binary_little_endian", rows, "n"))
    assert scan.normals is None
    rows[1, 5] = 1
    scan = scanned(tmp_path / "some.ply", cloud("binary_little_endian", rows, "n"))
    assert scan.normals is not None
    assert np.allclose(scan.normals, [[0, 0, 1], [0, 0, 1], [0, 0, 0], [0.6, 0, 0.8]])


def test_a_cloud_may_have_an_empty_list_of_faces(tmp_path: Path) -> None:
    content = cloud("ascii", CORNERS, "").replace(
        b"end_header", b"element face 0\nproperty list uchar int vertex_indices\nend_header"
    )
    assert scanned(tmp_path / "cloud.ply", content).faces.shape == (0, 3)


def test_a_model_cannot_be_points_and_the_line_says_what_can(tmp_path: Path) -> None:
    path = tmp_path / "cloud.ply"
    path.write_bytes(cloud("ascii", CORNERS, ""))
    with pytest.raises(MeshError, match=r"holds no triangles, only points.*silhouette scan"):
        read_mesh(path, Cache(None))


def splat(form: str, opacity: Sequence[float], **more: float) -> bytes:
    """Gaussian splats as their trainers write them: at the corners of the pyramid, one after the other."""
    names = ["x", "y", "z", "nx", "ny", "nz", "f_dc_0", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1"]
    rows = np.zeros((len(opacity), len(names)))
    rows[:, :3] = CORNERS[np.arange(len(opacity)) % 4]
    rows[:, names.index("opacity")] = opacity
    head = ["ply", f"format {form} 1.0", f"element vertex {len(rows)}", *(f"property float {name}" for name in names)]
    start = "\n".join([*head, "end_header", ""]).encode()
    if form == "ascii":
        return start + "\n".join(" ".join(map(repr, row)) for row in rows.tolist()).encode() + b"\n"
    return start + rows.astype("<f4" if "little" in form else ">f4").tobytes()


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_points_of_a_gaussian_splat_that_nobody_sees_are_left_out(form: str, tmp_path: Path) -> None:
    """Opacity is a logit: 0 is one half. Every point keeps its place, for the labels."""
    scan = scanned(tmp_path / "splat.ply", splat(form, [3.0, 0.0, 1e-3, 7.0, -1e-3, -7.0, float("nan"), 2.0]))
    assert len(scan.vertices) == 8
    assert scan.usable.tolist() == [True, True, True, True, False, False, False, True]
    (sentence,) = scan.warnings
    assert sentence == (
        "is a Gaussian splat, whose points are blurs and no surface; "
        "3 of 8, with an opacity below one half, were left out"
    )
    with pytest.raises(MeshError, match=r"is a Gaussian splat, .*; silhouette scan makes a scene of it"):
        read_mesh(tmp_path / "splat.ply", Cache(None))


def test_a_splat_of_which_all_is_faint_and_a_packed_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="no vertex with finite coordinates that is not faint"):
        scanned(tmp_path / "faint.ply", splat("ascii", [-1.0] * 5))
    packed = splat("ascii", [1.0] * 5).replace(b"float f_dc_0", b"uint packed_position")
    with pytest.raises(MeshError, match="is a compressed Gaussian splat"):
        scanned(tmp_path / "packed.ply", packed)


def test_opacity_alone_makes_no_splat(tmp_path: Path) -> None:
    content = splat("ascii", [-1.0] * 5).replace(b"rot_0", b"turn")
    scan = scanned(tmp_path / "cloud.ply", content)
    assert (scan.usable.all(), scan.warnings) == (True, ())


@pytest.mark.parametrize(
    ("offset", "step"), [((0, 0, 0), 0.0), ((5000, 8000, 30), 0.48828125), ((60000, 80000, 30), 7.8125)]
)
def test_how_far_apart_the_numbers_are_that_a_scan_is_stored_in(offset: tuple[float, ...], step: float) -> None:
    points = np.random.default_rng(2).uniform(0.0, 0.6, (5000, 3)) + offset
    found = 1000.0 * step_of(points.astype(np.float32).astype(float))
    assert found == pytest.approx(step, abs=1e-3)
    assert step_of(points) == 0.0
    # A text of so many decimals; a few whole numbers are no sign of one.
    assert step_of(np.round(points, 3)) == pytest.approx(0.001)
    assert step_of(np.round(points[:50])) < 0.01


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("past.obj", obj() + "f 1 2 9\n", "points to vertex 8 of 4"),
        ("past.ply", ply("ascii", polygons=np.array([[0, 1, 7]])), "points to vertex 7 of 4"),
        ("far.obj", obj().replace("5.0", "5e9"), "units far"),
        ("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "only triangles without area"),
        ("empty.ply", b"", "is empty"),
        ("nothing.ply", cloud("ascii", np.zeros((0, 3)), ""), "holds no triangles"),
        ("spot.ply", cloud("ascii", np.zeros((9, 3)), ""), "all its vertices in one point"),
        ("nan.ply", cloud("ascii", np.full((9, 3), np.nan), ""), "no vertex with finite coordinates"),
        ("table.blend", b"BLENDER", "unknown format '.blend'"),
        ("table.xyz", b"0 0 0", "a cloud of points in a format that is not read .*; export it as PLY"),
        ("table.usdz", b"PK\x03\x04", "is USD, which is not read; export it as GLB"),
        ("table.usdc", b"PXR-USDC", "is USD, which is not read; export it as GLB"),
        ("short.stl", binary_stl()[:-7], "truncated"),
        ("short.glb", glb(gltf())[:-7], "truncated"),
        ("page.glb", b"<!DOCTYPE html><html>", "is a web page"),
    ],
)  # fmt: skip
def test_what_is_no_scan_is_refused_in_one_line(
    name: str, content: bytes | str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pxr", None)  # USD is read with an extra alone
    with pytest.raises(MeshError, match=problem) as refused:
        scanned(tmp_path / name, content)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["none.glb", "none.zip", "none.usdz"])
def test_a_file_that_is_not_there_is_one_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="is not there; check the path"):
        read_scan(tmp_path / name)
    (tmp_path / "folder.zip").mkdir()
    with pytest.raises(MeshError, match="is no file"):
        read_scan(tmp_path / "folder.zip")


def stored(path: Path) -> tuple[int, np.ndarray | None]:
    """How many vertices a file has, told by other means than the reader's, and places of the first, if easily known."""
    data = path.read_bytes()
    if path.suffix == ".obj":
        lines = [line.split() for line in data.split(b"\n") if line.startswith(b"v ")]
        return len(lines), np.array([line[1:4] for line in lines[:50]], dtype=float)
    if path.suffix == ".ply":
        head, _, body = data.partition(b"end_header\n")
        (count,) = [int(line.split()[2]) for line in head.split(b"\n") if line.startswith(b"element vertex")]
        row = sum(
            {b"float": 4, b"uchar": 1}[line.split()[1]]
            for line in head.split(b"\n")
            if line[:9] == b"property " and b"list" not in line
        )
        return count, np.array([struct.unpack_from("<3f", body, row * index) for index in range(50)])
    if path.suffix == ".glb":
        tree = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    else:
        tree = json.loads(data)
    total = 0
    pending = list(tree["scenes"][tree.get("scene", 0)]["nodes"])
    while pending:
        node = tree["nodes"][pending.pop()]
        pending += node.get("children", [])
        if "mesh" in node:
            primitives = tree["meshes"][node["mesh"]]["primitives"]
            total += sum(tree["accessors"][one["attributes"]["POSITION"]]["count"] for one in primitives)
    return total, None


REAL = (
    "scans/easy.glb", "scans/usual.ply", "scans/no_scale.obj", "scans/points.ply",
    "scans/pieces/angel.ply", "scans/pieces/owl.ply", "scans/pieces/plasticvase.ply",
    "meshes/miniatures/kaykit-adventurers/Knight.glb", "meshes/miniatures/meshlab-gltf/CesiumMan.gltf",
    "meshes/miniatures/quaternius-showcase/Swat.glb", "meshes/vehicles/kaykit-space-base/spacetruck.gltf",
    "meshes/vehicles/pmndrs-market/model.gltf",
)  # fmt: skip


@pytest.mark.thinned(quick=35, ci=61)
@pytest.mark.parametrize("name", REAL)
def test_real_files_have_as_many_vertices_as_they_say(name: str, shared: Path) -> None:
    scan = read_scan(shared / name)
    count, first = stored(shared / name)
    assert len(scan.vertices) == len(scan.usable) == count
    if first is not None:
        assert np.allclose(scan.vertices[:50], first)
    assert scan.usable.mean() > 0.99
    if "pieces" not in name:
        assert scan.colours is not None
        assert scan.colours.std() > 10
    assert scan.warnings == ()
