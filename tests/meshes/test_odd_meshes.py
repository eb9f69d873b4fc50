"""Broken and hostile files: each loads to a sane mesh or gives one clear line, soon, and reads nothing beside."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
import subprocess
import sys
import time
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.errors import MeshError
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import MeshFile, read_mesh

SHARED = Path(__file__).resolve().parents[3] / "shared/meshes/odd"
ENDINGS = {".stl", ".obj", ".ply", ".glb", ".gltf", ".3mf", ".off"}
ODD = sorted(path for path in SHARED.rglob("*") if path.suffix.lower() in ENDINGS)
TRIANGLE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def assert_sane(file: MeshFile) -> None:
    mesh = file.mesh
    assert len(mesh.faces) == len(mesh.part) > 0
    assert np.isfinite(mesh.vertices).all()
    assert mesh.faces.min() >= 0
    assert mesh.faces.max() < len(mesh.vertices)
    assert mesh.part.min() >= 0
    assert mesh.part.max() < len(mesh.part_names)
    assert len(set(mesh.part_names)) == len(mesh.part_names)
    assert 0.0 < (mesh.bounds[1] - mesh.bounds[0]).max() < 1e7
    corners = np.sort(mesh.faces, axis=1)
    assert (np.diff(corners, axis=1) > 0).all()


def read_or_refuse(path: Path) -> MeshFile | str:
    try:
        return read_mesh(path, Cache(None))
    except MeshError as error:
        return str(error)


def refusal(path: Path, content: bytes | str | None = None) -> str:
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(MeshError) as told:
        read_mesh(path, Cache(None))
    assert "\n" not in str(told.value)
    return told.value.problem


@pytest.mark.thinned(quick=42, ci=42)
@pytest.mark.skipif(not ODD, reason="needs ../shared/meshes/odd, which is not here")
@pytest.mark.parametrize("path", ODD, ids=lambda path: path.name)
def test_every_odd_file_loads_sanely_or_gives_one_line(path, capfd):
    start = time.process_time()
    found = read_or_refuse(path)
    if isinstance(found, str):
        assert len(found.splitlines()) == 1
        assert found.startswith(f"{path}: ")
        assert f"{path}: cannot be read" not in found, "an exception that nobody foresaw"
    else:
        assert_sane(found)
    assert time.process_time() - start < 10.0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "name, says",
    [
        ("assimp/test/models/glTF2/BoxWithInfinites-glTF-Binary/BoxWithInfinites.glb", "infinite"),
        ("assimp/test/models/glTF2/IndexOutOfRange/AllIndicesOutOfRange.gltf", "vertex 65535 of 24"),
        ("assimp/test/models/glTF2/MissingBin/BoxTextured.gltf", "'BoxTextured0.bin', which is not there"),
        ("assimp/test/models/glTF2/RecursiveNodes/RecursiveNodes.gltf", "below itself"),
        ("assimp/test/models/OBJ/point_cloud.obj", "no triangles"),
        ("draco-odd/testdata/inf_nan.obj", "infinite or no numbers"),
        ("draco-odd/testdata/degenerate_mesh.obj", "one point"),
        ("draco-odd/testdata/ZeroLengthBufferView/ZeroLengthBufferView.gltf", "2.15e+09 units"),
        ("trimesh-odd/models/empty.stl", "no triangles"),
        ("lib3mf/Tests/TestFiles/SecureContent/keystore_encrypted.3mf", "encrypted"),
        ("gltf-validator/test/base/data/glb/truncated_chunk_data.glb", "truncated"),
    ],
)
def test_what_is_wrong_is_said(shared, name, says):
    assert says in refusal(shared / "meshes/odd" / name)


@pytest.mark.parametrize(
    "name, triangles",
    [
        ("assimp/test/models/3MF/cube_gears_prod_req.3mf", 25600),
        ("assimp/test/models/3MF/production_components.3mf", 8),
        ("lib3mf/Tests/TestFiles/Production/2ProductionBoxes.3mf", 25),
        ("assimp/test/models/OBJ/box_UTF16BE.obj", 12),
        ("assimp/test/models/PLY/cube_binary_starts_with_nl.ply", 12),
        ("assimp/test/models/PLY/cube_binary_header_with_RN_newline.ply", 12),
        ("draco-odd/testdata/delim_test.ply", 12),
        ("trimesh-odd/models/negative_indices.obj", 12),
        ("online3dviewer/test/testfiles/obj/single_triangle_with_comments.obj", 1),
        ("online3dviewer/test/testfiles/ply/single_triangle_with_comments.ply", 1),
        ("online3dviewer/test/testfiles/stl/single_triangle_with_comments.stl", 1),
    ],
)
def test_what_trimesh_misreads_or_refuses_is_read(shared, name, triangles):
    assert len(read_mesh(shared / "meshes/odd" / name, Cache(None)).mesh.faces) == triangles


@pytest.mark.long
def test_a_whole_lot_of_odd_files_stays_within_two_gigabytes(shared):
    resource = pytest.importorskip("resource")
    program = (
        "import resource, sys; from pathlib import Path\n"
        "limit = 2 * 1024**3; resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "from silhouette.meshes.mesh import read_mesh; from silhouette.files.cache import Cache\n"
        "from silhouette.common.errors import MeshError\n"
        "for name in sys.argv[1:]:\n"
        "    try: read_mesh(Path(name), Cache(None))\n"
        "    except MeshError as error: assert 'memory' not in str(error), error\n"
        "print('done')"
    )
    assert resource
    command = [sys.executable, "-c", program, *map(str, ODD)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # each thread's stack counts against the limit
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert result.stdout == "done\n", result.stderr[-2000:]


def gltf_with(uri: str, **more: object) -> str:
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": uri}],
    }
    return json.dumps(tree | more)


POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()
INLINE = "data:application/octet-stream;base64," + base64.b64encode(POINTS).decode()


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.bin", "%2e%2e/secret.bin", "..\\secret.bin", "below/../../secret.bin",
        "link.bin", "linked/secret.bin", "file:../secret.bin", "FILE:///secret.bin",
        "http://127.0.0.1:9/secret.bin", "//127.0.0.1/secret.bin", "C:\\secret.bin",
        "ABSOLUTE", "below", "", "\0", "x" * 5000,
    ],
)  # fmt: skip
def test_nothing_outside_the_folder_is_read(tmp_path, monkeypatch, uri):
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    home = tmp_path / "home"
    (home / "below").mkdir(parents=True)
    (tmp_path / "secret.bin").write_bytes(POINTS)
    (home / "link.bin").symlink_to(tmp_path / "secret.bin")
    (home / "linked").symlink_to(tmp_path)
    if uri == "ABSOLUTE":
        uri = str(tmp_path / "secret.bin")
    assert "refers to" in refusal(home / "hostile.gltf", gltf_with(uri))


def test_what_lies_in_the_folder_or_below_is_read(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "data.bin").write_bytes(POINTS)
    for uri in ("below/data.bin", "./below/data.bin", "below/../below/data.bin", "below%2Fdata.bin", INLINE):
        (tmp_path / "fine.gltf").write_text(gltf_with(uri))
        assert len(read_mesh(tmp_path / "fine.gltf", Cache(None)).mesh.faces) == 1


def test_textures_and_material_files_are_never_opened(tmp_path):
    outside = [{"uri": "../secret.png"}, {"uri": "http://127.0.0.1:9/x.png"}]
    (tmp_path / "a.gltf").write_text(gltf_with(INLINE, images=outside, materials=[{}]))
    (tmp_path / "a.obj").write_bytes(b"mtllib ../secret.mtl\nmtllib /etc/hostname\nusemtl x\n" + TRIANGLE)
    for name in ("a.gltf", "a.obj"):
        assert_sane(read_mesh(tmp_path / name, Cache(None)))


def archive(content: str | bytes, name: str = "3D/3dmodel.model") -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr(name, content)
    return packed.getvalue()


CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    start = time.process_time()
    bomb = archive(b" " * (64 << 20))
    assert "zip bomb" in refusal(tmp_path / "bomb.3mf", bomb)
    declared = bytearray(archive(f'<model xmlns="{CORE}"><resources/><build/></model>'))
    place = declared.index(b"PK\x01\x02") + 24
    declared[place : place + 4] = struct.pack("<I", 3 << 30)
    assert "zip bomb" in refusal(tmp_path / "declared.3mf", bytes(declared))
    assert time.process_time() - start < 5.0


def test_an_entity_bomb_is_refused(tmp_path):
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    text = f'<!DOCTYPE model [<!ENTITY e0 "ha">{entities}]><model xmlns="{CORE}">&e9;</model>'
    assert "DOCTYPE" in refusal(tmp_path / "entities.3mf", archive(text))
    text = f'<!DOCTYPE model SYSTEM "file:///etc/hostname"><model xmlns="{CORE}"/>'
    assert "DOCTYPE" in refusal(tmp_path / "external.3mf", archive(text))


def test_components_that_multiply_without_end_are_refused(tmp_path):
    mesh = (
        '<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices>'
        '<triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh>'
    )
    twice = "".join(
        f'<object id="{number}"><components>' + f'<component objectid="{number - 1}"/>' * 2 + "</components></object>"
        for number in range(1, 40)
    )
    resources = f'<resources><object id="0">{mesh}</object>{twice}</resources>'
    text = f'<model xmlns="{CORE}">{resources}<build><item objectid="39"/></build></model>'
    start = time.process_time()
    assert "more than" in refusal(tmp_path / "doubling.3mf", archive(text))
    circle = '<object id="0"><components><component objectid="0"/></components></object>'
    text = f'<model xmlns="{CORE}"><resources>{circle}</resources><build><item objectid="0"/></build></model>'
    assert "made of itself" in refusal(tmp_path / "circle.3mf", archive(text))
    assert time.process_time() - start < 10.0


@pytest.mark.slow
def test_a_mesh_that_is_instanced_without_end_is_refused(tmp_path):
    points = np.tile(np.frombuffer(POINTS, "<f4"), 2000).tobytes()
    nodes: list[object] = [{"mesh": 0} for _ in range(20_000)]
    tree = json.loads(gltf_with("data:;base64," + base64.b64encode(points).decode(), nodes=nodes))
    tree["scenes"] = [{"nodes": list(range(20_000))}]
    tree["accessors"][0]["count"] = 6000
    tree["bufferViews"][0]["byteLength"] = tree["buffers"][0]["byteLength"] = len(points)
    assert "40000000 triangles" in refusal(tmp_path / "many.gltf", json.dumps(tree))


ACCESSOR = {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}
TEXT, BINARY = "ascii 1.0", "binary_little_endian 1.0"
FACET = b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
SOLID = FACET.decode() + "vertex 0 1 0\nendloop\nendfacet\nendsolid\n"
LIST = "property list uint int vertex_index\nend_header\n"
HEADER = "ply\nformat {}\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\nelement face {}\n"


@pytest.mark.parametrize(
    "name, content, says",
    [
        ("a.stl", b" " * 80 + struct.pack("<I", 4_000_000_000) + b"\0" * 500, "truncated"),
        ("a.stl", b" " * 80 + struct.pack("<I", 3) + b"\0" * 149, "announces 3 triangles and has room for 2"),
        ("a.stl", FACET + b"vertex 0 1 0\n", "truncated"),
        ("a.stl", FACET + b"vertex 0 1 0\nendloop\nendfacet\n", "without its 'endsolid'"),
        ("a.stl", FACET + b"endloop\nendfacet\nendsolid", "three"),
        ("a.stl", SOLID.replace("vertex 1 0 0\n", ""), "three"),
        ("a.stl", SOLID.replace("vertex 1 0 0\n", "") + SOLID.replace("vertex", "vertex 5 5 5\nvertex", 1), "three"),
        ("a.stl", SOLID.replace("vertex 1 0 0", "vertex 1 0"), "three"),
        ("a.stl", SOLID.replace("vertex 1 0 0", "vertex 1 0 x"), "three numbers"),
        ("a.ply", HEADER.format(TEXT, 3, 1) + LIST + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 7\n", "more words"),
        ("a.ply", HEADER.format(TEXT, 4_000_000_000, 1) + LIST + "0 0 0\n", "rows"),
        ("a.ply", HEADER.format(BINARY, 10**15, 1) + LIST, "truncated"),
        ("a.ply", HEADER.format(BINARY, 0, 1) + LIST, "no triangles"),
        ("a.ply", HEADER.format(BINARY, 1, 1).encode() + LIST.encode() + b"\0" * 12 + b"\xff" * 4, "truncated"),
        ("a.ply", HEADER.format(TEXT, 1, 1) + LIST + "0 0 0\n9 0 0 0\n", "does not fit"),
        ("a.off", "OFF\n4000000000 4000000000 0\n0 0 0\n", "truncated"),
        ("a.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "truncated"),
        ("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n", "vertex 7 of 3"),
        ("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 x\n3 0 1 2\n", "three numbers"),
        ("a.obj", TRIANGLE + b"f 1 2 9\n", "vertex 8 of 3"),
        ("a.obj", TRIANGLE + b"f 1 2 0\n", "before the first vertex"),
        ("a.obj", TRIANGLE + b"f 1 2 three\n", "whole numbers"),
        ("a.obj", b"v 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "three numbers"),
        ("a.obj", b"v 0 0 0\nv 1 0 0 0\nv 0 1\nf 1 2 3\n", "three numbers"),
        ("a.obj", b"v 0 0 0\nv 1e400 0 0\nv 0 1 0\nf 1 2 3\n", "infinite"),
        ("a.obj", b"v 0 0 0\nv 1e12 0 0\nv 0 1 0\nf 1 2 3\n", "1e+12 units"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "without area"),
        ("a.obj", b"", "is empty"),
        ("a.glb", b"\0\0\0\0", "is empty"),
        ("a.glb", struct.pack("<4sII", b"glTF", 2, 4_000_000_000) + b"\0" * 100, "truncated"),
        ("a.gltf", "[" * 100_000, "JSON"),
        ("a.gltf", "[]", "no object"),
        ("a.gltf", gltf_with(INLINE, asset={"version": "1.0"}), "version 1.0"),
        ("a.gltf", gltf_with(INLINE, asset={"version": None}), "version null;"),
        ("a.gltf", gltf_with(INLINE, nodes=[{"mesh": 7}]), "refers to mesh 7"),
        ("a.gltf", gltf_with(INLINE, nodes=[{"mesh": [None, True]}]), "refers to mesh [null, true] and has 1"),
        ("a.gltf", gltf_with(INLINE, bufferViews=[{"buffer": 0, "byteLength": None}]), "byteLength is null, which"),
        ("a.gltf", gltf_with(INLINE, nodes=[{"mesh": 0, "children": [0]}]), "below itself"),
        ("a.gltf", gltf_with(INLINE, extensionsRequired=["EXT_meshopt_compression"]), "meshopt"),
        ("a.gltf", gltf_with(INLINE, extensionsRequired=["XYZ_shape"]), "XYZ_shape"),
        ("a.gltf", gltf_with(INLINE, bufferViews=[{"buffer": 0, "byteLength": 36, "byteOffset": -36}]), "byteOffset"),
        ("a.gltf", gltf_with(INLINE, buffers=[{"byteLength": 99, "uri": INLINE}]), "truncated"),
        ("a.gltf", gltf_with(INLINE, accessors=[ACCESSOR | {"count": 4}]), "past the end"),
        ("a.gltf", gltf_with(INLINE, accessors=[ACCESSOR | {"count": 2}]), "multiple of three"),
        ("a.gltf", gltf_with(INLINE, accessors=[{"componentType": 5126, "count": 10**9, "type": "VEC3"}]), "no data"),
        (
            "a.gltf",
            gltf_with(INLINE, accessors=[ACCESSOR | {"sparse": {}}]),
            "sparse",
        ),
        ("a.3mf", b"PK\x03\x04" + b"\0" * 50, "zip archive"),
        ("a.3mf", archive("<x/>", "other.txt"), "lacks"),
        ("a.3mf", archive("<x/>"), "no 3MF model"),
        ("a.3mf", archive(f'<model xmlns="{CORE}" unit="parsec"><build/></model>'), "parsec"),
        ("a.stl", "<!DOCTYPE html><html>", "web page"),
        ("a.stl", "version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        ("a.obj", b"\x89PNG\r\n\x1a\n", "picture"),
        ("a.stl", "ply\nformat ascii 1.0\n", "give it the ending .ply"),
        ("a.obj", b"glTF\x02\x00\x00\x00", "give it the ending .glb"),
        ("a.gltf", b"glTF\x02\x00\x00\x00", "give it the ending .glb"),
        ("a.glb", gltf_with(INLINE), "give it the ending .gltf"),
        ("a.stl", archive("<x/>"), "give it the ending .3mf"),
    ],
)  # fmt: skip
def test_broken_content_is_refused_with_its_reason(tmp_path, name, content, says):
    assert says in refusal(tmp_path / name, content)


def test_draco_data_that_cannot_be_decoded_are_refused_and_not_read_as_zeros(tmp_path, shared):
    data = bytearray((shared / "meshes/scans/realism-effects/statue.optimized.glb").read_bytes())
    place = data.index(b"DRACO")
    data[place : place + 5] = b"NONSE"
    assert "cannot be decoded" in refusal(tmp_path / "broken.glb", bytes(data))


@pytest.mark.thinned(quick=67)
@pytest.mark.parametrize(
    "name",
    [
        "miniatures/rpg.scad/base_medium.stl",
        "terrain/kaykit-prototype/Primitive_Window.gltf",
        "terrain/kenney-platformer-kit/glb/ladder.glb",
        "odd/trimesh-odd/models/joined_tetrahedra.obj",
        "odd/assimp/test/models/PLY/cube_binary.ply",
        "odd/trimesh-odd/models/comments.off",
        "odd/trimesh-odd/models/P_XPM_0331_01.3mf",
    ],
)
def test_files_cut_anywhere_or_with_any_byte_changed_load_sanely_or_give_one_line(tmp_path_factory, shared, name):
    original = (shared / "meshes" / name).read_bytes()
    folder = tmp_path_factory.mktemp("cut")
    for companion in (shared / "meshes" / name).parent.glob("*.bin"):
        (folder / companion.name).write_bytes(companion.read_bytes())

    @settings(max_examples=40)
    @given(st.integers(0, len(original)), st.integers(0, len(original) - 1), st.integers(1, 255), st.booleans())
    def attempt(cut: int, place: int, change: int, cutting: bool) -> None:
        data = bytearray(original[:cut] if cutting else original)
        if not cutting:
            data[place] ^= change
        path = folder / f"broken{Path(name).suffix}"
        path.write_bytes(data)
        found = read_or_refuse(path)
        if isinstance(found, str):
            assert len(found.splitlines()) == 1
        else:
            assert_sane(found)

    attempt()
