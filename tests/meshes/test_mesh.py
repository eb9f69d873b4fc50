"""Every format gives the same mesh, its parts by name, clean and checked; the cache gives it again."""

from __future__ import annotations

import base64
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from silhouette.common.errors import MeshError
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import Mesh, merge_equal, morton_order, read_mesh
from tests.support.mesh_files import (
    ALL_FORMATS,
    CORNERS,
    FACES,
    binary_stl,
    expected,
    glb,
    gltf,
    model,
    obj,
    ply,
    pyramid,
    read,
    solid,
    threemf,
    triangles_of,
)


@pytest.mark.parametrize("name", ALL_FORMATS)
def test_every_format_gives_the_same_mesh(tmp_path, name):
    file = read(tmp_path / name, ALL_FORMATS[name])
    assert file.format == name.rpartition(".")[2].lower()
    assert triangles_of(file.mesh) == expected()
    assert file.mesh.vertices.dtype == np.float64
    assert file.mesh.faces.dtype == file.mesh.part.dtype == np.int32
    assert len(file.mesh.vertices) == 4
    assert (file.watertight, file.holes, file.warnings) == (True, 0, ())


@pytest.mark.slow
def test_all_formats_agree_with_trimesh_on_real_files(shared):
    import trimesh

    for name in (
        "miniatures/odedstein-human/human_man.obj",
        "miniatures/kaykit-adventurers/Knight.glb",
        # Not Tank.glb, whose skeleton moves its tracks: trimesh applies no skeletons.
        "scans/playcanvas/cave.glb",
        "vehicles/kaykit-space-base/spacetruck.gltf",
        "miniatures/rpg.scad/mini_spearman.stl",
        "terrain/cqterrain/ladder.stl",
        "odd/trimesh-odd/models/groups.obj",
        "odd/trimesh-odd/models/pyramids.3mf",
        "odd/assimp/test/models/PLY/cube.ply",
    ):
        ours = read_mesh(shared / "meshes" / name, Cache(None)).mesh
        theirs = trimesh.load_scene(shared / "meshes" / name, process=False).to_mesh()
        corners = ours.vertices[ours.faces]
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum() / 2
        assert area == pytest.approx(theirs.area, rel=1e-6), name
        assert ours.bounds == pytest.approx(theirs.bounds, rel=1e-6, abs=1e-6), name


def test_a_binary_ply_may_begin_with_a_newline_byte(tmp_path):
    corners = CORNERS.copy()
    corners[:, 0] += np.frombuffer(b"\x0a\xf6\xbe\x40", "<f4")[0]
    data = ply("binary_little_endian", corners=corners)
    assert data.partition(b"end_header\n")[2].startswith(b"\n")
    assert read(tmp_path / "newline.ply", data).mesh.bounds[0, 0] == pytest.approx(5.9675, abs=1e-4)


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian"])
def test_a_ply_may_mix_triangles_and_quads(tmp_path, form):
    corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]]
    mesh = read(tmp_path / "mixed.ply", ply(form, polygons=[[0, 1, 2, 3], [0, 1, 4], [1, 2, 4]], corners=corners)).mesh
    assert len(mesh.faces) == 4


def test_stl_solids_are_parts_and_equal_names_are_one(tmp_path):
    text = solid("solid vertex Gun") + solid("hull", (10, 0, 0)) + solid("solid vertex Gun", (20, 0, 0))
    mesh = read(tmp_path / "two.stl", text).mesh
    assert mesh.part_names == ("solid vertex Gun", "hull")
    assert triangles_of(mesh, "hull") == expected((10, 0, 0))
    assert triangles_of(mesh, "solid vertex Gun") == expected() | expected((20, 0, 0))


@pytest.mark.parametrize(
    "statements, names",
    [
        (("g gun", "g hull"), ("gun", "hull")),
        (("o gun", "o hull"), ("gun", "hull")),
        (("usemtl steel", "usemtl green"), ("steel", "green")),
        (("o tank\nusemtl steel", "usemtl green"), ("steel", "green")),
        (("o gun\nusemtl steel", "o hull\nusemtl steel"), ("gun", "hull")),
        (("g all\no gun", "o hull"), ("gun", "hull")),
        (("o tank", "# nothing"), ("tank",)),
        (("", ""), ("mesh",)),
        (("g An f Three Other Things", "g usemtl x"), ("An f Three Other Things", "usemtl x")),
    ],
)
def test_obj_parts_are_groups_or_objects_or_materials(tmp_path, statements, names):
    vertices, faces = obj().split("f ", 1)
    rows = [f"f {row}" for row in faces.splitlines()[:1]] + faces.splitlines()[1:]
    text = "\n".join([vertices, statements[0], *rows[:2], statements[1], *rows[2:]])
    assert read(tmp_path / "parts.obj", text).mesh.part_names == names


def test_gltf_parts_are_nodes_placed_by_their_transforms_instances_included(tmp_path):
    nodes = [
        {"name": "root", "children": [1, 2], "translation": [100, 0, 0]},
        {"name": "gun", "mesh": 0, "camera": 0, "children": [3]},
        {"name": "hull", "mesh": 0, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 10, 0, 1]},
        {"mesh": 0, "name": "gun", "scale": [2, 2, 2], "rotation": [0, 0, np.sqrt(0.5), np.sqrt(0.5)]},
    ]
    file = read(tmp_path / "tank.gltf", json.dumps(gltf(nodes)))
    assert file.mesh.part_names == ("gun", "hull")
    turned = {frozenset((100 - 2 * y, 2 * x, 2 * z) for x, y, z in corners) for corners in CORNERS[FACES].tolist()}
    assert triangles_of(file.mesh, "gun") == expected((100, 0, 0)) | turned
    assert triangles_of(file.mesh, "hull") == {
        frozenset((100 - x, y + 10, z) for x, y, z in corners) for corners in CORNERS[FACES].tolist()
    }
    assert file.warnings == ()  # a mirrored part is turned right side out again


def test_a_gltf_without_a_scene_shows_its_root_nodes(tmp_path):
    nodes = [{"children": [1], "translation": [5, 0, 0]}, {"mesh": 0}]
    mesh = read(tmp_path / "no-scene.gltf", json.dumps(gltf(nodes, scenes=False))).mesh
    assert triangles_of(mesh) == expected((5, 0, 0))
    assert mesh.part_names == ("Cube.125",)


def test_normalised_integers_are_scaled(tmp_path):
    points = (CORNERS / 5.0 * 32767).round().astype("<i2")
    blob = b"".join(row.tobytes() + b"\0\0" for row in points) + FACES.astype("<u2").tobytes()
    tree = gltf(uri="data:;base64," + base64.b64encode(blob).decode())
    tree["accessors"][0] |= {"componentType": 5122, "normalized": True}
    tree["bufferViews"][0] = {"buffer": 0, "byteLength": 32, "byteStride": 8}
    tree["bufferViews"][1]["byteOffset"] = 32
    tree["buffers"][0]["byteLength"] = len(blob)
    assert read(tmp_path / "small.gltf", json.dumps(tree)).mesh.bounds[1] == pytest.approx([0.8, 0.6, 1.0], abs=1e-4)


def test_external_buffers_count_for_the_digest_and_missing_pictures_do_not(tmp_path):
    blob = base64.b64decode(gltf()["buffers"][0]["uri"].partition(",")[2])
    (tmp_path / "a b.bin").write_bytes(blob)
    more = {"images": [{"uri": "missing.png"}], "textures": [{"source": 0}], "materials": [{}]}
    one = read(tmp_path / "external.gltf", json.dumps(gltf(uri="a%20b.bin", **more)))
    assert triangles_of(one.mesh) == expected()
    (tmp_path / "a b.bin").write_bytes(np.frombuffer(blob, "<f4")[:12].__mul__(2).tobytes() + blob[48:])
    two = read_mesh(tmp_path / "external.gltf", Cache(None))
    assert two.digest != one.digest
    assert two.mesh.bounds[1].tolist() == [8.0, 6.0, 10.0]


def test_3mf_objects_are_parts_in_place_and_the_unit_is_told(tmp_path):
    moved = 'transform="1 0 0 0 1 0 0 0 1 10 0 0"'
    group = f'<object id="3"><components><component objectid="2" {moved}/></components></object>'
    root = model(
        pyramid(1, "hull") + pyramid(2, "gun") + group, f'<item objectid="1"/><item objectid="3" {moved}/>', "inch"
    )
    file = read(tmp_path / "tank.3mf", threemf(root))
    assert file.declared_units == "inch"
    assert file.mesh.part_names == ("hull", "gun")
    assert triangles_of(file.mesh, "gun") == expected((20, 0, 0))


def test_3mf_models_may_refer_to_each_other_and_reuse_numbers(tmp_path):
    component = '<component p:path="/3D/other.model" objectid="2"/>'
    root = model(
        f'<object id="1" name="gun"><components>{component}</components></object>',
        '<item objectid="1"/><item p:path="/3D/other.model" objectid="1" transform="1 0 0 0 1 0 0 0 1 0 0 9"/>',
    )
    other = model(pyramid(1, "hull") + pyramid(2, ""), "")
    mesh = read(tmp_path / "production.3mf", threemf(root, other=other)).mesh
    assert mesh.part_names == ("gun", "hull")
    assert triangles_of(mesh, "gun") == expected()
    assert triangles_of(mesh, "hull") == expected((0, 0, 9))


def test_real_parts_have_the_names_of_their_nodes(shared):
    knight = read_mesh(shared / "meshes/miniatures/kaykit-adventurers/Knight.glb", Cache(None)).mesh
    assert {"1H_Sword", "Round_Shield", "Knight_Cape"} <= set(knight.part_names)
    tank = read_mesh(shared / "meshes/vehicles/quaternius-showcase/Tank3.glb", Cache(None)).mesh
    assert {"Tank_Gun", "Tank_Turret"} <= set(tank.part_names)
    groups = read_mesh(shared / "meshes/odd/trimesh-odd/models/groups.obj", Cache(None)).mesh
    assert "mmGroup1" in groups.part_names
    assert len(groups.part_names) == 15


def test_equal_vertices_are_merged_and_degenerate_triangles_dropped(tmp_path):
    text = obj() + "v 0 0 0\nv -0 0 0\nv 2 0 0\nv 4 0 0\nf 5 2 3\nf 5 6 2\nf 5 7 8\n"
    mesh = read(tmp_path / "double.obj", text).mesh
    assert len(mesh.vertices) == 4
    assert len(mesh.faces) == 5


def test_many_dropped_triangles_are_told(tmp_path):
    assert "1 of 5 triangles have no area" in " ".join(read(tmp_path / "a.obj", obj() + "f 1 1 2\n").warnings)


def test_a_sliver_without_area_is_dropped_but_opens_no_hole(tmp_path):
    text = obj(FACES[1:] + 1) + "v 2 1.5 0\nf 1 3 5\nf 1 5 2\nf 5 3 2\n"
    file = read(tmp_path / "sliver.obj", text)
    assert len(file.mesh.faces) == 5
    assert file.watertight


def test_slits_without_width_and_slivers_that_stray_are_no_holes(tmp_path):
    halved = obj(FACES[1:] + 1) + "v 2 1.5 0\n" + "f 1 3 5\nf 1 5 2\n"
    assert read(tmp_path / "slit.obj", halved).watertight
    file = read(tmp_path / "stray.obj", obj() + "v 1 1 1\nv 2 2 2\nv 3 3 3\nf 5 6 7\n")
    assert (file.watertight, len(file.mesh.faces), len(file.mesh.vertices)) == (True, 4, 4)
    assert read(tmp_path / "wide.obj", halved.replace("v 2 1.5 0", "v 2 1.4 0")).holes == 1


def test_holes_flipped_faces_and_tangled_edges_are_warnings(tmp_path):
    assert "1 hole" in read(tmp_path / "hole.obj", obj(FACES[1:] + 1)).warnings[0]
    flipped = FACES + 1
    flipped[0] = flipped[0, ::-1]
    file = read(tmp_path / "flipped.obj", obj(flipped))
    assert file.watertight
    assert "flipped against each other at 3 edges" in file.warnings[0]
    tangled = read(tmp_path / "tangled.obj", obj() + "v 9 9 9\nf 1 2 5\n")
    assert any("more than two faces meet" in warning for warning in tangled.warnings)


def area_of_polygons(path: Path, *outlines: np.ndarray) -> float:
    """The area of the mesh that a file of polygons gives, one beside the other."""
    corners = [outline + np.array([20.0 * place, 0, 0]) for place, outline in enumerate(outlines)]
    starts = np.cumsum([0, *map(len, outlines)])
    polygons = [range(start, end) for start, end in itertools.pairwise(starts)]
    rows = "".join(f"{x!r} {y!r} {z!r}\n" for x, y, z in np.concatenate(corners).tolist())
    if path.suffix == ".obj":
        faces = "".join("f " + " ".join(str(corner + 1) for corner in polygon) + "\n" for polygon in polygons)
        content: bytes | str = re.sub("^", "v ", rows.strip(), flags=re.MULTILINE) + "\n" + faces
    elif path.suffix == ".off":
        faces = "".join(" ".join(map(str, [len(polygon), *polygon])) + "\n" for polygon in polygons)
        content = f"OFF\n{starts[-1]} {len(polygons)} 0\n{rows}{faces}"
    else:
        content = ply("binary_little_endian", polygons=polygons, corners=np.concatenate(corners))
    mesh = read(path, content).mesh
    sides = mesh.vertices[mesh.faces]
    return np.linalg.norm(np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0]), axis=1).sum() / 2


U = np.array([[0, 0, 0], [6, 0, 0], [6, 6, 0], [4, 6, 0], [4, 2, 0], [2, 2, 0], [2, 6, 0], [0, 6, 0]], float)
DART = np.array([[0, 0, 0], [4, 0, 0], [1, 1, 0], [0, 4, 0]], float)


@pytest.mark.thinned(quick=16, ci=16)
@pytest.mark.parametrize("name", ["notch.obj", "notch.off", "notch.ply"])
def test_concave_polygons_do_not_cover_their_notch(tmp_path, name):
    for turn in np.eye(3), np.eye(3)[[1, 2, 0]], np.eye(3)[[2, 0, 1]]:
        for start in range(8):
            for step in (1, -1):
                outline = np.roll(U @ turn, start, axis=0)[::step]
                assert area_of_polygons(tmp_path / name, outline) == pytest.approx(28.0)
                dart = np.roll(DART @ turn, start, axis=0)[::step]
                assert area_of_polygons(tmp_path / name, dart) == pytest.approx(4.0)
                mixed = [dart, outline, dart[:3], outline, dart]
                triangle = area_of_polygons(tmp_path / name, dart[:3])
                assert area_of_polygons(tmp_path / name, *mixed) == pytest.approx(2 * 4.0 + 2 * 28.0 + triangle)


@settings(max_examples=50)
@given(st.integers(3, 12), st.integers(0, 2**32 - 1))
def test_star_shaped_polygons_keep_their_area(tmp_path_factory, corners, seed):
    random = np.random.default_rng(seed)
    turns = np.sort(random.uniform(0, 1, corners)) * 0.9 + np.linspace(0, 1, corners, endpoint=False) * 0.1
    radii = random.uniform(1.0, 5.0, corners)
    outline = np.stack([radii * np.cos(2 * np.pi * turns), radii * np.sin(2 * np.pi * turns), 0 * turns], axis=1)
    assume(np.diff(turns, append=turns[0] + 1).max() <= 0.49)  # the middle lies within
    x, y = outline[:, 0], outline[:, 1]
    area = 0.5 * abs(float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()))
    path = tmp_path_factory.mktemp("star") / "star.obj"
    assert area_of_polygons(path, outline) == pytest.approx(area, rel=1e-9)


@settings(max_examples=50)
@given(st.lists(st.tuples(*[st.sampled_from([0.0, -0.0, 1.0, 1e-300, 2.5])] * 3), min_size=1, max_size=60))
def test_merging_keeps_every_vertex_where_it_was_and_no_two_alike(points):
    vertices = np.array(points)
    distinct, merged = merge_equal(vertices)
    assert (distinct[merged] == vertices).all()
    assert len(np.unique(distinct, axis=0)) == len(distinct)


def test_neighbours_come_near_each_other():
    points = np.random.default_rng(0).uniform(0, 1, (4096, 3))
    ordered = points[morton_order(points)]
    assert sorted(morton_order(points).tolist()) == list(range(4096))
    blocks = ordered.reshape(64, 64, 3)
    assert np.median(np.ptp(blocks, axis=1)) < 0.45


def test_a_subset_keeps_only_what_its_faces_use():
    mesh = Mesh(
        np.vstack([CORNERS, [[9.0, 9, 9]]]), FACES.astype(np.int32), np.array([0, 0, 1, 1], np.int32), ("a", "b")
    )
    assert mesh.bounds.tolist() == [[0, 0, 0], [4, 3, 5]]
    part = mesh.subset(mesh.part == 0)
    assert triangles_of(part) == {frozenset(map(tuple, corners.tolist())) for corners in CORNERS[FACES[:2]]}
    assert len(part.vertices) == 4
    assert part.faces.dtype == np.int32


def test_the_cache_gives_the_same_file_again_without_trimesh(tmp_path):
    path = tmp_path / "tank.glb"
    nodes = [{"name": "gun", "mesh": 0, "children": [1]}, {"name": "hull", "mesh": 0, "translation": [9, 0, 0]}]
    path.write_bytes(glb(gltf(nodes)))
    first = read_mesh(path, Cache(tmp_path / "cache"))
    program = (
        "import sys; from pathlib import Path\n"
        "from silhouette.meshes.mesh import read_mesh; from silhouette.files.cache import Cache\n"
        "file = read_mesh(Path(sys.argv[1]), Cache(Path(sys.argv[2])))\n"
        "assert 'trimesh' not in sys.modules, 'trimesh was imported'\n"
        "print(file.digest, file.mesh.digest, file.mesh.part_names, file.holes, file.warnings, file.declared_units)"
    )
    command = [sys.executable, "-c", program, str(path), str(tmp_path / "cache")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    mesh = first.mesh
    assert told.strip() == f"{first.digest} {mesh.digest} {mesh.part_names} {first.holes} {first.warnings} None"


def test_equal_content_of_another_name_shares_its_entry(tmp_path):
    cache = Cache(tmp_path / "cache")
    for name in ("one.stl", "two.STL"):
        (tmp_path / name).write_bytes(binary_stl())
        file = read_mesh(tmp_path / name, cache)
        assert file.path == tmp_path / name
    assert len(list((tmp_path / "cache").iterdir())) == 1


@pytest.mark.long
def test_the_largest_mesh_comes_back_from_the_cache_as_it_was_read(shared, tmp_path):
    path = shared / "meshes/big/realism-effects/time_machine.optimized.glb"
    cache = Cache(tmp_path)
    file = read_mesh(path, cache)
    again = read_mesh(path, cache)
    assert len(file.mesh.faces) > 1_140_000
    assert np.array_equal(file.mesh.faces, again.mesh.faces)
    assert np.array_equal(file.mesh.vertices, again.mesh.vertices)
    assert file.warnings == again.warnings


@pytest.mark.parametrize("name", ["figure.blend", "figure", "figure.stl.gz", ".stl"])
def test_an_unknown_ending_is_told_with_the_formats(tmp_path, name):
    with pytest.raises(MeshError, match="STL, OBJ, PLY, GLB, glTF, 3MF and OFF") as told:
        read(tmp_path / name, b"whatever")
    assert "\n" not in str(told.value)
    assert str(tmp_path / name) in str(told.value)


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    with pytest.raises(MeshError, match="not there"):
        read_mesh(tmp_path / "none.stl", Cache(None))
    (tmp_path / "folder.stl").mkdir()
    with pytest.raises(MeshError, match="no file"):
        read_mesh(tmp_path / "folder.stl", Cache(None))
