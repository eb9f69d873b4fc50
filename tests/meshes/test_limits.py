"""Hostile meshes stay within 10 s of CPU and 2 GB, and are read or refused in one line; the cases here in far less."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from silhouette.common.errors import MeshError
from silhouette.common.geometry import Floats
from silhouette.files.cache import Cache
from silhouette.meshes import mesh
from silhouette.meshes.formats import base, obj, polygons
from silhouette.meshes.formats import threemf as reader
from silhouette.meshes.formats.polygons import fans, mended, origins
from silhouette.meshes.health import boundary
from silhouette.meshes.holes import close
from silhouette.meshes.mesh import read_mesh
from silhouette.scans.read import read_scan

pytest.importorskip("resource", reason="this system has no limits for a process")
from tests.fuzz.limits import limited
from tests.support.mesh_files import gltf, model, pyramid, threemf
from tests.support.textured_files import picture


def within(path: Path, content: bytes | None = None, *, cpu: int = 6, megabytes: int = 400) -> str:
    """What comes of reading a file within limits: "N triangles, M parts", or the refusal without the file's name."""
    if content is not None:
        path.write_bytes(content)

    def told() -> str:
        try:
            read = read_mesh(path, Cache(None)).mesh
        except MeshError as error:
            return error.problem if len(str(error).splitlines()) == 1 else "more than one line"
        return f"{len(read.faces)} triangles, {len(read.part_names)} parts"

    outcome = limited(told, cpu=cpu, memory=megabytes << 20)
    assert outcome.kind == "done", outcome
    return outcome.text


@pytest.fixture(autouse=True, scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Loads the libraries that readers load on demand, so that they do not count against the limits."""
    path = tmp_path_factory.mktemp("first") / "dent.obj"
    path.write_text("v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nf 1 2 3 4 5\n")
    assert len(read_mesh(path, Cache(None)).mesh.faces) == 3


def grid(side: int) -> tuple[Floats, Floats]:
    """Vertices and faces of a bumpy square of ``side`` x ``side`` vertices."""
    x, y = np.meshgrid(np.arange(float(side)), np.arange(float(side)), indexing="ij")
    first = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    faces = [[first, first + 1, first + side], [first + 1, first + side + 1, first + side]]
    points = np.stack([x, y, np.sin(x / 9) * np.cos(y / 7) * 5], axis=-1).reshape(-1, 3)
    return points, np.concatenate([np.stack(corners, axis=1) for corners in faces])


def obj_lines(points: Floats, groups: list[Floats]) -> bytes:
    lines = [f"v {x:.3f} {y:.3f} {z:.3f}" for x, y, z in points.tolist()]
    for number, faces in enumerate(groups):
        lines += [f"g part {number}", *(f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist())]
    return "\n".join(lines).encode()


@pytest.mark.thinned(quick=51)
@pytest.mark.parametrize("groups", [399, 5000])
def test_groups_that_share_vertices_do_not_take_them_each(tmp_path: Path, groups: int) -> None:
    points, faces = grid(180)
    content = obj_lines(points, np.array_split(faces, groups))
    assert within(tmp_path / "groups.obj", content, megabytes=150) == f"{len(faces)} triangles, {groups} parts"


def test_so_many_parts_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MAX_MESH_PARTS", 9)
    points, faces = grid(4)
    assert within(tmp_path / "nine.obj", obj_lines(points, np.array_split(faces, 9))) == "18 triangles, 9 parts"
    refused = within(tmp_path / "ten.obj", obj_lines(points, np.array_split(faces, 10)))
    assert refused == "has 10 parts or copies of them, more than 9; join them, or split the file"


def comb(teeth: int) -> Floats:
    """The outline of a comb with two corners a tooth, (2 * teeth + 2, 3)."""
    x = np.arange(2.0 * teeth)
    y = np.where(np.arange(2 * teeth) % 2, 1.0, 9.0)
    return np.column_stack([np.append(x, [2.0 * teeth, 0.0]), np.append(y, [-1.0, -1.0]), np.zeros(len(x) + 2)])


def star(points: int) -> Floats:
    angle, radius = np.arange(2 * points) * np.pi / points, np.where(np.arange(2 * points) % 2, 10.0, 100.0)
    return np.column_stack([radius * np.cos(angle), np.zeros(2 * points), radius * np.sin(angle)])


def spiral(corners: int) -> Floats:
    angle = np.arange(corners // 2) * 0.05
    out, back = (
        np.column_stack([0 * angle, (r + angle) * np.cos(angle), (r + angle) * np.sin(angle)]) for r in (1, 1.5)
    )
    return np.concatenate([out, back[::-1]])


def area(outline: Floats) -> float:
    return float(np.linalg.norm(np.cross(outline, np.roll(outline, -1, axis=0)).sum(axis=0))) / 2.0


@pytest.mark.parametrize("make", [comb, star, spiral], ids=lambda make: make.__name__)
@pytest.mark.parametrize("turned", [False, True])
def test_a_concave_face_of_a_thousand_corners_is_cut_into_exactly_itself(
    make: Callable[[int], Floats], turned: bool
) -> None:
    outline = make(1000)[:: -1 if turned else 1]
    count = len(outline)
    origin = origins(np.array([count]))
    triangles = mended(outline, fans(np.arange(count), np.array([count])), origin)
    a, b, c = (outline[triangles[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    whole = np.cross(outline, np.roll(outline, -1, axis=0)).sum(axis=0)
    assert len(triangles) == count - 2
    assert np.linalg.norm(normals, axis=1).sum() / 2 == pytest.approx(area(outline))  # covered once
    assert ((normals * whole).sum(axis=1) >= 0.0).all()  # and turned as the face is
    edges = {
        tuple(edge)
        for edge in np.sort(
            np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1
        ).tolist()
    }
    assert all(tuple(sorted((corner, (corner + 1) % count))) in edges for corner in range(count))


def test_corners_on_a_straight_edge_keep_it_closed() -> None:
    outline = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0], [4, 4, 0], [2, 1, 0], [0, 4, 0]])
    triangles = mended(outline, fans(np.arange(7), np.array([7])), origins(np.array([7])))
    edges = {frozenset(edge) for row in triangles.tolist() for edge in zip(row, [*row[1:], row[0]], strict=True)}
    assert all(frozenset((corner, (corner + 1) % 7)) in edges for corner in range(7))


@pytest.mark.slow
def test_many_small_concave_faces_take_no_time(tmp_path: Path) -> None:
    dart = "v {0} 0 0\nv {1} 0 0\nv {2} 1 0\nv {0} 4 0\nf -3 -2 -1 -4\n"
    content = "".join(dart.format(10 * at, 10 * at + 4, 10 * at + 1) for at in range(20_000)).encode()
    assert within(tmp_path / "darts.obj", content, cpu=4) == "40000 triangles, 1 parts"


def test_faces_that_would_take_too_long_to_cut_are_refused(tmp_path: Path) -> None:
    rows = "".join(f"v {x:.3f} {y:.3f} {z:.3f}\n" for x, y, z in spiral(polygons.MAX_CONCAVE_CORNERS + 2).tolist())
    face = "f " + " ".join(str(corner) for corner in range(1, polygons.MAX_CONCAVE_CORNERS + 3))
    refused = within(tmp_path / "spiral.obj", f"{rows}{face}".encode())
    assert (
        refused == "has a concave face of 20002 corners, too many to be cut into triangles here; export it as triangles"
    )


def test_the_reader_of_obj_counts_what_it_holds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(obj, "MAX_TEXT_LINES", 20)
    assert within(tmp_path / "a.obj", b"v 0 0 0\n" * 30 + b"f 1 2 3\n").startswith("holds over")
    assert within(tmp_path / "b.obj", b"v 0 0 0\n" + b"g a\n" * 30 + b"f 1 2 3\n").startswith("names over 20 groups")


CORE = 'xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"'
CORNERS = '<vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/>'
ONE = '<triangles><triangle v1="0" v2="1" v3="2"/></triangles>'


def three_mf(objects: str, items: str, method: int = zipfile.ZIP_DEFLATED, claims: int | None = None) -> bytes:
    """An archive; ``claims`` is the size that it says its model unpacks to, if that is not true."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr(
            "3D/3dmodel.model", f"<model {CORE}><resources>{objects}</resources><build>{items}</build></model>"
        )
    data = bytearray(packed.getvalue())
    if claims is not None:
        directory = data.index(b"PK\x01\x02")
        data[22:26] = data[directory + 24 : directory + 28] = claims.to_bytes(4, "little")
    return bytes(data)


def component(number: int, of: int) -> str:
    return f'<object id="{number}"><components><component objectid="{of}"/></components></object>'


@pytest.mark.thinned(quick=17, ci=50)
@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED])
def test_an_archive_that_unpacks_to_more_than_it_says_is_not_unpacked(tmp_path: Path, method: int) -> None:
    content = three_mf(" " * (64 << 20), "", method, claims=1000)
    assert len(content) < 100_000
    refused = within(tmp_path / "bomb.3mf", content, cpu=4, megabytes=60)
    assert "compressed in a way that 3MF does not know" in refused or "cannot be unpacked" in refused


CHAIN = "".join(component(at, at - 1) for at in range(1, 30_000))
OBJECTS = "".join(f'<object id="{at}"/>' for at in range(70_000))
COMPONENTS = '<object id="0"><components>' + '<component objectid="1"/>' * 20_001 + "</components></object>"
MUCH = {
    "chain": (CHAIN, '<item objectid="29999"/>', "more than 32 objects deep"),
    "objects": (OBJECTS, "", "more than 60000 objects"),
    "items": ("", '<item objectid="0"/>' * 70_000, "more than 60000 objects"),
    "attribute": (f'<object id="0" name="{"x" * 30_000_000}"/>', "", "a tag of more than 1 MiB"),
    "comment": (f"<!--{'x' * 30_000_000}-->", "", "a tag of more than 1 MiB"),
    "components": (COMPONENTS, '<item objectid="0"/>', "more than"),
}


@pytest.mark.thinned(quick=15, ci=15)
@pytest.mark.parametrize("objects, items, says", MUCH.values(), ids=MUCH)
def test_an_archive_of_too_much_of_anything_is_refused_soon(
    tmp_path: Path, objects: str, items: str, says: str
) -> None:
    assert says in within(tmp_path / "much.3mf", three_mf(objects, items, zipfile.ZIP_STORED))


@pytest.mark.slow
def test_vertices_that_stand_many_times_are_carried_once_for_each_that_is_used(tmp_path: Path) -> None:
    shape = f"<mesh><vertices>{CORNERS * 20_000}</vertices>{ONE}</mesh>"
    items = "".join(f'<item objectid="0" transform="1 0 0 0 1 0 0 0 1 {at} 0 0"/>' for at in range(2_000))
    content = three_mf(f'<object id="0">{shape}</object>', items)
    assert within(tmp_path / "reuse.3mf", content, cpu=4, megabytes=100) == "2000 triangles, 1 parts"


def glb(primitives: int, nodes: list[object]) -> bytes:
    """A grid in so many primitives over the same points, placed by some nodes."""
    points, faces = grid(180)
    blob = points.astype("<f4").tobytes() + faces.astype("<u4").tobytes()
    each = len(faces) // primitives
    of_faces = {"bufferView": 1, "componentType": 5125, "count": 3 * each, "type": "SCALAR"}
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": list(range(len(nodes)))}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1 + at} for at in range(primitives)]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3"},
            *({**of_faces, "byteOffset": 12 * at * each} for at in range(primitives)),
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 12 * len(points)},
            {"buffer": 0, "byteOffset": 12 * len(points), "byteLength": 12 * len(faces)},
        ],
        "buffers": [{"byteLength": len(blob)}],
    }
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


def test_primitives_that_share_points_do_not_take_them_each(tmp_path: Path) -> None:
    nodes = [{"mesh": 0, "name": f"part {at}", "translation": [0, 0, at]} for at in range(2)]
    content = glb(1000, nodes)
    assert within(tmp_path / "shared.glb", content, megabytes=600) == f"{2 * 1000 * 64} triangles, 2 parts"


@pytest.mark.slow
def test_wide_trees_of_nodes_are_refused_soon(tmp_path: Path) -> None:
    assert within(tmp_path / "a.glb", glb(1, [{"mesh": 0}, *[{}] * 100_001]), cpu=4).startswith(
        "has more than 100000 nodes"
    )
    assert "more than 1000000 values" in within(tmp_path / "b.glb", glb(1, [{"mesh": 0}, *[{}] * 500_001]), cpu=4)


def ply(counts: list[int], header: str = "property list uchar int vertex_indices") -> bytes:
    """A triangle, and faces of so many corners, all over its vertices."""
    head = f"""ply
format binary_little_endian 1.0
element vertex 3
property float x
property float y
property float z
element face {len(counts)}
{header}
end_header
"""
    corners = np.eye(3, dtype="<f4").tobytes()
    return head.encode() + corners + b"".join(struct.pack(f"<B{count}i", count, *range(count)) for count in counts)


@pytest.mark.slow
def test_millions_of_empty_lists_take_no_time(tmp_path: Path) -> None:
    content = ply([3, 0]) + b"\0" * 1_000_000
    content = content.replace(b"element face 2\n", b"element face 1000002\n")
    assert within(tmp_path / "empty.ply", content) == "1 triangles, 1 parts"


def test_so_many_triangles_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh, "MAX_MESH_TRIANGLES", 5)
    assert within(tmp_path / "five.ply", ply([3] * 5)) == "5 triangles, 1 parts"
    assert within(tmp_path / "six.ply", ply([3] * 6)).startswith("holds 6 triangles")


def test_a_slit_whose_edges_run_to_and_fro_is_closed_in_time() -> None:
    count = 5000
    order = np.empty(2 * count, dtype=np.int64)
    order[0::2], order[1::2] = np.arange(count), 2 * count - 1 - np.arange(count)
    line = np.arange(2.0 * count)[:, None] * [1.0, 0.0, 0.0]
    faces = np.column_stack([order, np.roll(order, -1), np.full(2 * count, 2 * count)]).astype(np.int32)
    fan = mesh.Mesh(np.vstack([line, [count, 50, 20]]), faces, np.zeros(2 * count, np.int32))
    outcome = limited(lambda: len(boundary(close(fan).mesh.faces, 10**6)), cpu=6, memory=400 << 20)
    assert (outcome.kind, outcome.text) == ("done", "0")


def stored_within(path: Path, content: bytes | None = None, *, cpu: int = 8, megabytes: int = 600) -> str:
    """What comes of reading a file as it is stored, with its colours: "N vertices", and warnings; or the refusal."""
    if content is not None:
        path.write_bytes(content)

    def told() -> str:
        try:
            read = read_scan(path)
        except MeshError as error:
            return error.problem if len(str(error).splitlines()) == 1 else "more than one line"
        return "; ".join([f"{len(read.vertices)} vertices", *read.warnings])

    outcome = limited(told, cpu=cpu, memory=megabytes << 20)
    assert outcome.kind == "done", outcome
    return outcome.text


@pytest.mark.long
def test_materials_that_share_vertices_and_a_picture_do_not_take_them_each(tmp_path: Path) -> None:
    points, faces = grid(200)
    (tmp_path / "skin.png").write_bytes(picture(side=64))
    names = [f"{'./' * (number % 200)}skin.png" for number in range(9000)]
    library = "".join(f"newmtl m{number}\nmap_Kd {name}\n" for number, name in enumerate(names))
    (tmp_path / "many.mtl").write_text(library)
    lines = ["mtllib many.mtl", *(f"v {x:.3f} {y:.3f} {z:.3f}\nvt 0.2 0.7" for x, y, z in points.tolist())]
    for number, some in enumerate(np.array_split(faces, 9000)):
        lines += [f"usemtl m{number}", *(f"f {a}/{a} {b}/{b} {c}/{c}" for a, b, c in (some + 1).tolist())]
    assert stored_within(tmp_path / "many.obj", "\n".join(lines).encode()) == f"{len(points)} vertices"


def test_copies_of_many_vertices_are_counted_before_they_are_made(tmp_path: Path) -> None:
    count = 60_000
    buffer = np.zeros((count, 3), "<f4").tobytes() + np.array([0, 1, 2], "<u2").tobytes()
    tree = gltf([{"children": list(range(1, 2001))}, *({"mesh": 0} for _ in range(2000))])
    tree["accessors"] = [
        {"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3"},
        {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
    ]
    tree["bufferViews"] = [
        {"buffer": 0, "byteLength": 12 * count},
        {"buffer": 0, "byteOffset": 12 * count, "byteLength": 6},
    ]
    tree["buffers"] = [{"byteLength": len(buffer), "uri": "many.bin"}]
    (tmp_path / "many.bin").write_bytes(buffer)
    refused = stored_within(tmp_path / "many.gltf", json.dumps(tree).encode())
    assert refused == "holds 120000000 vertices; 9000000 are the most that can be looked at"


@pytest.mark.long
def test_pictures_of_a_file_are_decoded_up_to_a_limit(tmp_path: Path) -> None:
    side = 8192
    held = io.BytesIO()
    Image.new("RGB", (side, side), (1, 2, 3)).save(held, "PNG", compress_level=1)
    (tmp_path / "skin.png").write_bytes(held.getvalue())
    library = "".join(f"newmtl m{number}\nmap_Kd {'./' * number}skin.png\n" for number in range(30))
    (tmp_path / "many.mtl").write_text(library)
    lines = ["mtllib many.mtl", "v 0 0 0", "v 1 0 0", "v 0 1 0", "vt 0.5 0.5"]
    lines += [f"usemtl m{number}\nf 1/1 2/1 3/1" for number in range(30)]
    told = stored_within(tmp_path / "many.obj", "\n".join(lines).encode(), cpu=20, megabytes=900)
    assert told.startswith("3 vertices; a picture of the mesh has 64 million pixels, too many; it is shown without")


def test_an_archive_is_unpacked_up_to_a_limit(tmp_path: Path) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scan.obj", "v 0 0 0\n" * 9_000_000)
    assert "is a zip bomb or too large" in stored_within(tmp_path / "bomb.zip", held.getvalue(), megabytes=200)


def lone_vertices(count: int) -> str:
    return '<vertex x="1" y="2" z="3"/>' * count


@pytest.mark.parametrize(
    "text, says",
    [
        (model(pyramid(), '<item objectid="1"/>').replace("<resources>", "<x/>" * 400 + "<resources>"), "neither"),
        (model(pyramid(), '<item objectid="1"/>').replace("<vertices>", "<vertices>" + lone_vertices(400)), "neither"),
        (
            model(pyramid(), '<item objectid="1"/>').replace("<triangles>", "<triangles>" + "<triangle a='' />" * 400),
            "3",
        ),
        ("<!-- no XML " + "<x/>" * 400, "neither"),
    ],
)
def test_elements_of_a_3mf_file_that_make_no_mesh_are_counted_by_themselves(
    text: str, says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, most in (("SMALL_FILE_BYTES", 100), ("_MAX_IDLE_ELEMENTS", 300), ("MAX_MESH_TRIANGLES", 300)):
        monkeypatch.setattr(reader, name, most)
    (tmp_path / "plain.3mf").write_bytes(threemf(text.encode()))
    with pytest.raises(
        MeshError, match="has more than 300 XML elements that are" if says == "neither" else "holds over 3"
    ):
        read_mesh(tmp_path / "plain.3mf", Cache(None))


def test_a_slicers_configuration_is_counted_before_it_is_parsed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(reader, "SMALL_FILE_BYTES", 100)
    monkeypatch.setattr(reader, "MAX_SLICER_ENTRIES", 300)
    settings = "no XML" + '<metadata key="a" value="b"/>' * 400
    held = io.BytesIO(threemf(model(pyramid(), '<item objectid="1"/>').encode()))
    with zipfile.ZipFile(held, "a") as archive:
        archive.writestr("Metadata/Slic3r_PE_model.config", settings)
    (tmp_path / "plain.3mf").write_bytes(held.getvalue())
    told = read_mesh(tmp_path / "plain.3mf", Cache(None)).warnings
    assert any("modifiers and supports is not known" in line and "more than 300 XML elements" in line for line in told)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_elements_of_a_3mf_file_are_counted_before_they_are_parsed(
    encoding: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Text that is no XML comes first: whoever parses says so, and whoever counts says that there are too many."""
    monkeypatch.setattr(reader, "SMALL_FILE_BYTES", 100)
    sound = model(pyramid(), '<item objectid="1"/>').replace("<resources>", "<!-- of a test --><resources>")
    count = sound.count("<") - sound.count("</") - 2
    path = tmp_path / "plain.3mf"
    path.write_bytes(threemf("\ufeff".encode(encoding) + sound.encode(encoding)))
    for most in (count, count + 1):
        monkeypatch.setattr(reader, "_MAX_XML_ELEMENTS", most)
        assert len(read_mesh(path, Cache(None)).mesh.faces) == 4
    monkeypatch.setattr(reader, "_MAX_XML_ELEMENTS", count - 1)
    with pytest.raises(MeshError, match=f"has more than {count - 1} XML elements; reduce its triangles"):
        read_mesh(path, Cache(None))
    monkeypatch.setattr(reader, "_MAX_XML_ELEMENTS", count - 3)
    path.write_bytes(threemf("\ufeff".encode(encoding) + ("no XML" + sound).encode(encoding)))
    with pytest.raises(MeshError, match=f"has more than {count - 3} XML elements; reduce its triangles"):
        read_mesh(path, Cache(None))
