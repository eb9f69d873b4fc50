"""Colours of vertices, pictures and materials, in every form that a file can have them; what is broken is a warning."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from silhouette.files.cache import Cache
from silhouette.files.fingerprints import Fingerprints, references
from silhouette.meshes import skins
from silhouette.meshes.mesh import read_mesh
from silhouette.meshes.opening import opened
from silhouette.meshes.stored import Stored, read_stored
from tests.support.mesh_files import gltf, off
from tests.support.textured_files import (
    CORNERS_SHOWN,
    HALVES,
    LOWER_LEFT,
    SQUARE,
    UPPER_LEFT,
    UPPER_RIGHT,
    inline_picture,
    picture,
    square_glb,
    textured_obj,
)

LIGHT = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.5, 0.25, 0.0], [0.214, 0.05, 0.002]])
# By the formula of IEC 61966-2-1, worked out apart from the code.
SHOWN = np.array([[0, 0, 0], [255, 255, 255], [188, 137, 0], [127, 63, 7]])


def read(path: Path, content: bytes | str | None = None) -> Stored:
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_stored(opened(path))


def shown(stored: Stored) -> np.ndarray:
    assert stored.colours is not None
    assert stored.colours.dtype == np.uint8
    return stored.colours.astype(int)


def test_ply_shares_and_bytes(tmp_path: Path) -> None:
    def content(sort: str, rows: np.ndarray) -> str:
        names = "".join(f"property {sort} {name}\n" for name in ("red", "green", "blue"))
        places = "".join(f"property float {axis}\n" for axis in "xyz")
        head = f"ply\nformat ascii 1.0\nelement vertex 4\n{places}{names}element face 2\n"
        body = "".join(" ".join(f"{v:.6g}" for v in [*at, *row]) + "\n" for at, row in zip(SQUARE, rows, strict=True))
        faces = "".join("3 {} {} {}\n".format(*face) for face in HALVES)
        return f"{head}property list uchar int vertex_indices\nend_header\n{body}{faces}"

    for sort, rows in (
        ("uchar", CORNERS_SHOWN),
        ("float", CORNERS_SHOWN / 255),
        ("float", CORNERS_SHOWN.astype(float)),
        ("ushort", CORNERS_SHOWN * 257),
        ("int", CORNERS_SHOWN),
    ):
        assert np.array_equal(shown(read(tmp_path / "square.ply", content(sort, rows))), CORNERS_SHOWN), sort


@pytest.mark.parametrize("full", [1, 255])
def test_obj_colours_after_the_coordinates(full: int, tmp_path: Path) -> None:
    rows = np.hstack([SQUARE, CORNERS_SHOWN / 255 * full])
    text = "".join("v " + " ".join(f"{value:.7g}" for value in row) + "\n" for row in rows) + "f 1 2 3\nf 1 3 4\n"
    assert np.array_equal(shown(read(tmp_path / "a.obj", text)), CORNERS_SHOWN)
    # With a fourth number for what can be seen through, and one vertex without a colour.
    text = text.replace("\nf 1 2 3", "\nv 5 5 5\nf 1 2 3", 1)
    assert shown(read(tmp_path / "b.obj", text))[:4].tolist() == CORNERS_SHOWN.tolist()


def test_off_colours(tmp_path: Path) -> None:
    rows = [line.split() for line in off().splitlines()]
    for vertex, colour in zip(rows[2:6], CORNERS_SHOWN.tolist(), strict=True):
        vertex += [*map(str, colour), "255"]
    text = "C" + "\n".join(map(" ".join, rows)) + "\n"
    assert np.array_equal(shown(read(tmp_path / "a.off", text)), CORNERS_SHOWN)
    assert read(tmp_path / "b.off", off()).colours is None


@pytest.mark.parametrize("alpha", [False, True])
@pytest.mark.parametrize("kind, full", [("<f4", 1.0), ("u1", 255.0), ("<u2", 65535.0)])
def test_gltf_colours_of_vertices_are_linear(kind: str, full: float, alpha: bool, tmp_path: Path) -> None:
    light = LIGHT if not alpha else np.hstack([LIGHT, np.full((4, 1), 0.5)])
    stored = np.rint(light * full) if full > 1 else light
    if kind != "<f4" and not alpha:
        stored = np.hstack([stored, np.full((4, 1), full)])  # rows of bytes are of four
    found = shown(read(tmp_path / "a.glb", square_glb(stored.astype(kind))))
    expected = shown_of(np.rint(LIGHT * 255) / 255) if kind == "u1" else SHOWN
    assert np.abs(found - expected).max() <= 1


def shown_of(light: np.ndarray) -> np.ndarray:
    curve = np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)
    return np.rint(255 * curve)


def test_a_gltf_picture_and_its_factor(tmp_path: Path) -> None:
    (tmp_path / "skin.png").write_bytes(picture())
    for number, image in enumerate((picture(), "skin.png", inline_picture())):
        assert np.array_equal(shown(read(tmp_path / f"{number}.glb", square_glb(image=image))), CORNERS_SHOWN)
    halved = shown(read(tmp_path / "half.glb", square_glb(image=picture(), factor=[0.5, 1, 1, 1])))
    assert np.array_equal(halved[:, 1:], CORNERS_SHOWN[:, 1:])
    light = ((200 / 255 + 0.055) / 1.055) ** 2.4 / 2
    assert abs(halved[1, 0] - shown_of(np.array(light))) <= 1
    both = shown(read(tmp_path / "both.glb", square_glb(np.full((4, 4), 128, np.uint8), picture())))
    assert both.max() < 200
    plain = shown(read(tmp_path / "plain.glb", square_glb(factor=[0.214, 0, 1, 1])))
    assert np.abs(plain - [127, 0, 255]).max() <= 1
    assert read(tmp_path / "none.glb", square_glb()).colours is None


def test_the_older_kind_of_gltf_material(tmp_path: Path) -> None:
    content = square_glb(image=picture())
    told = b'{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}'
    older = b'{"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseTexture":{"index":0}}}}'
    assert told in content
    size = int.from_bytes(content[12:16], "little")
    tree = content[20 : 20 + size].replace(told, older)
    tree += b" " * (-len(tree) % 4)
    rest = content[20 + size :]
    length = 20 + len(tree) + len(rest)
    head = content[:8] + length.to_bytes(4, "little") + len(tree).to_bytes(4, "little") + b"JSON"
    assert np.array_equal(shown(read(tmp_path / "a.glb", head + tree + rest)), CORNERS_SHOWN)


def test_a_jpeg_and_a_large_picture_are_halved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skins, "MAX_TEXTURE_SIDE_PX", 32)
    for form in ("PNG", "JPEG"):
        found = shown(read(tmp_path / "a.glb", square_glb(image=picture(form, side=64))))
        assert np.abs(found - CORNERS_SHOWN).max() <= 6


def test_a_picture_repeats_and_is_moved(tmp_path: Path) -> None:
    moved = {"extensions": {"KHR_texture_transform": {"offset": [3.5, -2.0]}}}
    found = shown(read(tmp_path / "a.glb", square_glb(image=picture(), more=moved)))
    left_and_right = CORNERS_SHOWN[[1, 0, 3, 2]]
    assert np.array_equal(found, left_and_right)
    turned = {"extensions": {"KHR_texture_transform": {"rotation": np.pi / 2, "offset": [0, 1]}}}
    found = shown(read(tmp_path / "b.glb", square_glb(image=picture(), more=turned)))
    # (u, v) goes to (v, 1 - u) about the upper left corner, by the matrix of the extension.
    assert np.array_equal(found, CORNERS_SHOWN[[1, 2, 3, 0]])


LIBRARIES = {
    "plain": "newmtl skin\nKd 0.1 0.2 0.3\nmap_Kd skin.png\n",
    "options": "newmtl other\nKd 1 0 0\n\nnewmtl skin\n  map_Kd -s 1 1 1 -clamp on skin.png\r\n",
    "windows": "newmtl skin\r\nmap_Kd C:\\Users\\me\\scan\\skin.png\r\n",
    "below": "newmtl skin\nmap_Kd textures\\skin.png\n",
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_obj_materials_with_pictures(name: str, tmp_path: Path) -> None:
    (tmp_path / "textures").mkdir()
    (tmp_path / ("textures/skin.png" if name == "below" else "skin.png")).write_bytes(picture())
    (tmp_path / "square.mtl").write_text(LIBRARIES[name])
    stored = read(tmp_path / "a.obj", textured_obj())
    assert np.array_equal(shown(stored), CORNERS_SHOWN)
    assert stored.warnings == ()


def test_obj_places_in_every_notation(tmp_path: Path) -> None:
    (tmp_path / "skin.png").write_bytes(picture())
    (tmp_path / "my square.mtl").write_text("newmtl skin\nmap_Kd skin.png\n")
    text = textured_obj("my square.mtl")
    for old, new in (
        ("f 1/1 2/2 3/3", "f 1/1/1 2/2/1 3/3/1"),
        ("f 1/1 2/2 3/3\nf 1/1 3/3 4/4", "f 1/1 2/2 3/3 4/4"),
        ("f 1/1 2/2 3/3", "f -4/-4 -3/-3 -2/-2"),
        ("f 1/1 2/2 3/3", "f 1//7 2//7 3//7\nf 1/1/7 2/2 3/3/"),
        ("usemtl skin\n", "usemtl none\nf 1 2 3\nusemtl skin\n"),
    ):
        assert old in text
        assert np.array_equal(shown(read(tmp_path / "a.obj", text.replace(old, new))), CORNERS_SHOWN), new


def test_a_concave_polygon_keeps_its_places(tmp_path: Path) -> None:
    """Its triangles are not those of a fan from its first corner."""
    (tmp_path / "skin.png").write_bytes(picture())
    (tmp_path / "square.mtl").write_text("newmtl skin\nmap_Kd skin.png\n")
    dart = [(0, 0), (0.9, 0), (0.3, 0.3), (0, 0.9)]
    text = "mtllib square.mtl\nusemtl skin\n" + "".join(f"v {x} {y} 0\nvt {x + 0.01} {y + 0.01}\n" for x, y in dart)
    found = shown(read(tmp_path / "a.obj", text + "f 2/2 3/3 4/4 1/1\n"))
    assert found.tolist() == [list(LOWER_LEFT), list(CORNERS_SHOWN[1]), list(LOWER_LEFT), list(UPPER_LEFT)]


def test_along_a_seam_the_first_face_decides_and_all_is_stored_once(tmp_path: Path) -> None:
    (tmp_path / "skin.png").write_bytes(picture())
    (tmp_path / "square.mtl").write_text("newmtl skin\nmap_Kd skin.png\n")
    text = textured_obj().replace("f 1/1 3/3 4/4", "f 1/3 3/3 4/4")
    stored = read(tmp_path / "a.obj", text)
    assert len(stored.vertices) == 4
    assert shown(stored)[0].tolist() == list(LOWER_LEFT)
    assert shown(stored)[2].tolist() == list(UPPER_RIGHT)


def test_obj_materials_of_one_colour(tmp_path: Path) -> None:
    (tmp_path / "square.mtl").write_text("newmtl skin\nKd 1 0.5 0\nnewmtl bone\nKd 0 0 1\n")
    text = textured_obj().replace("f 1/1 3/3 4/4", "usemtl bone\nf 1/1 3/3 4/4")
    found = shown(read(tmp_path / "a.obj", text))
    assert found[1].tolist() == [255, 128, 0]
    assert found[3].tolist() == [0, 0, 255]


BROKEN = {
    "no library": (textured_obj("missing.mtl"), {}, "refers to 'missing.mtl', which is not there"),
    "no picture": (textured_obj(), {"square.mtl": b"newmtl skin\nmap_Kd lost.png\n"}, "refers to 'lost.png'"),
    "no image": (
        textured_obj(), {"square.mtl": b"newmtl skin\nmap_Kd skin.png\n", "skin.png": b"\x89PNG\r\n\x1a\nnonsense"},
        "a picture of the mesh cannot be read",
    ),
    "half": (
        textured_obj(), {"square.mtl": b"newmtl skin\nmap_Kd skin.png\n", "skin.png": picture(side=512)[:-300]},
        "a picture of the mesh cannot be read",
    ),
    "outside": (textured_obj(), {"square.mtl": b"newmtl skin\nmap_Kd ../../etc/passwd\n"}, "refers to"),
    "network": (textured_obj(), {"square.mtl": b"newmtl skin\nmap_Kd http://a.example/b.png\n"}, "refers to"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_a_warning(name: str, tmp_path: Path) -> None:
    text, files, warning = BROKEN[name]
    for file, content in files.items():
        (tmp_path / file).write_bytes(content)
    stored = read(tmp_path / "a.obj", text)
    assert len(stored.faces) == 2
    assert len(stored.warnings) == 1
    assert warning in stored.warnings[0]
    assert stored.colours is None


@pytest.mark.parametrize(
    "broken",
    [
        {"materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 5}}}]},
        {"materials": []},
        {"materials": [{"pbrMetallicRoughness": []}]},
        {"materials": [{"pbrMetallicRoughness": {"baseColorFactor": "red"}}]},
    ],
)
def test_a_broken_gltf_material_is_a_warning(broken: dict[str, object], tmp_path: Path) -> None:
    tree = gltf() | broken
    tree["meshes"][0]["primitives"][0]["material"] = 0
    stored = read(tmp_path / "a.gltf", json.dumps(tree))
    assert stored.colours is None
    assert len(stored.warnings) == 1


def test_broken_colours_of_vertices_are_a_warning(tmp_path: Path) -> None:
    tree = gltf()
    tree["accessors"].append({"bufferView": 1, "componentType": 5121, "count": 400, "type": "VEC4", "normalized": True})
    tree["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = 2
    stored = read(tmp_path / "a.gltf", json.dumps(tree))
    assert stored.colours is None
    assert "COLOR_0 of mesh 0.0 is malformed" in stored.warnings[0]


def test_pictures_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skins, "MAX_PICTURE_PIXELS", 63)
    stored = read(tmp_path / "a.glb", square_glb(image=picture()))
    assert "too many" in stored.warnings[0]
    monkeypatch.undo()
    bomb = io.BytesIO()
    Image.new("1", (14_000, 14_000)).save(bomb, "PNG")
    stored = read(tmp_path / "b.glb", square_glb(image=bomb.getvalue()))
    assert stored.colours is None
    assert len(stored.warnings) == 1


def test_pictures_of_a_file_have_a_limit_together_and_alike_warnings_are_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "square.mtl").write_text("newmtl skin\nmap_Kd a.png\nnewmtl other\nmap_Kd b.png\n")
    text = textured_obj().replace("f 1/1 3/3 4/4", "usemtl other\nf 1/1 3/3 4/4")
    for name in "ab":
        (tmp_path / f"{name}.png").write_bytes(picture(side=8))
    assert read(tmp_path / "a.obj", text).warnings == ()
    monkeypatch.setattr(skins, "MAX_TEXTURE_PIXELS", 100)
    (warning,) = read(tmp_path / "a.obj", text).warnings
    assert "too many" in warning
    for name in "ab":
        (tmp_path / f"{name}.png").write_bytes(b"broken")
    (warning,) = read(tmp_path / "a.obj", text).warnings
    assert "it is broken" in warning


@pytest.mark.parametrize("old, new", [("vt 0.1", "vt O.1"), ("f 1/1", "f 1/x"), ("v 0.0 0.0 0.0", "v 0 0 0 red 1 1")])
def test_what_is_no_number_among_colours_is_a_warning(old: str, new: str, tmp_path: Path) -> None:
    text = textured_obj()
    assert old in text
    stored = read(tmp_path / "a.obj", text.replace("mtllib square.mtl\n", "").replace(old, new, 1))
    assert stored.colours is None
    assert stored.warnings == ("colours or places in pictures are no numbers; the mesh is shown without them",)


def test_colours_change_nothing_that_is_judged(tmp_path: Path) -> None:
    plain, painted = tmp_path / "plain.glb", tmp_path / "painted.glb"
    plain.write_bytes(square_glb())
    painted.write_bytes(square_glb(image=picture(), factor=[0.5, 0.5, 0.5, 1]))
    one, other = (read_mesh(path, Cache(None)) for path in (plain, painted))
    assert one.mesh.digest == other.mesh.digest
    assert one.warnings == other.warnings


@pytest.mark.parametrize(
    "library, share",
    [
        ("d 0.5", 50), ("d -halo 0.2", 50), ("map_d leaf.png", 50), ("Tr 0.4", 50), ("map_d leaf.png\nd 1", 50),
        ("d 1.0", 0), ("d 1\nTr 0", 0), ("Tr 1", 0), ("d x", 0), ("d", 0), ("Kd 1 0 0", 0), ("map_Kd d.png", 0),
    ],
)  # fmt: skip
def test_a_material_of_an_obj_that_may_be_transparent_is_told(tmp_path, library, share):
    """As a mesh and as a scan, from a tenth of the area; the mesh reads its materials anew when it is in the cache."""
    text = "mtllib trees.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\n"
    text += "usemtl bark\nf 1 2 3\nusemtl leaf\nf 4 5 6\n"
    cache = Cache(tmp_path / "cache")
    path = tmp_path / "tree.obj"
    path.write_text(text)
    assert not any("transparent" in sentence for sentence in read_mesh(path, cache).warnings)
    (tmp_path / "trees.mtl").write_text(f"newmtl bark\nKd 1 1 1\nnewmtl leaf\n{library}\n")
    sentence = f"{share} % of its surface has a material that may be transparent ('leaf')"
    sentence += "; leaves, grilles and glass count as solid"
    assert (sentence in read_mesh(path, cache).warnings) == bool(share)
    assert (sentence in read_stored(opened(path)).warnings) == bool(share)
    path.write_text(text.replace("v 6 0 0", "v 5.1 0 0"))  # a part in eleven
    assert not any("transparent" in sentence for sentence in read_mesh(path, cache).warnings)


def test_the_materials_of_an_obj_go_along_in_bundles_and_fingerprints(tmp_path):
    (tmp_path / "a.mtl").write_text("newmtl x\nd 0.5\n")
    (tmp_path / "a.obj").write_text("mtllib a.mtl\nmtllib none.mtl\nmtllib ../b.mtl\nmtllib /etc/hostname\nv 0 0 0\n")
    assert references(tmp_path / "a.obj") == ("a.mtl",)
    before = Fingerprints().of(tmp_path / "a.obj")
    (tmp_path / "a.mtl").write_text("newmtl x\nd 1\n")
    assert Fingerprints().of(tmp_path / "a.obj") != before
