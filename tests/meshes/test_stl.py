"""STL files whose header does not say what they hold, and texts with a decimal comma."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from silhouette.common.errors import MeshError
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import read_mesh
from silhouette.scans.read import read_scan
from tests.support.mesh_files import CORNERS, FACES, binary_stl, expected, obj, off, ply, read, solid, triangles_of

MANY = 40
TEXT = b"COLOR=\x7f\x7f\x7f\xff,MATERIAL=plastic; exported by a tool that writes a footer of more than one facet. "


def counted(count: int, header: bytes = b"", tail: bytes = b"", copies: int = 1) -> bytes:
    """The pyramid as a binary STL, so many times beside itself, with a count that it may not have."""
    bodies = b"".join(
        struct.pack("<12fH", 0, 0, 0, *(CORNERS[face] + [9.0 * copy, 0, 0]).ravel(), 0)
        for copy in range(copies)
        for face in FACES
    )
    return header.ljust(80, b" ") + struct.pack("<I", count) + bodies + tail


@pytest.mark.parametrize("header", [b"", b"solid", b"solid facet normal outer loop endsolid", b"solid\nfacet"])
@pytest.mark.parametrize("count", [0, 1, 3, 5, 2**32 - 1])
def test_a_count_that_is_wrong_is_told_and_all_triangles_are_read(tmp_path: Path, header: bytes, count: int) -> None:
    file = read(tmp_path / "a.stl", counted(count, header))
    assert triangles_of(file.mesh) == expected()
    (sentence,) = file.warnings
    assert f"announces {count} triangles and it has 4" in sentence
    assert sentence in read_scan(tmp_path / "a.stl").warnings


def test_triangles_with_normals_far_from_the_first_are_triangles(tmp_path: Path) -> None:
    """A sliver at the origin, all that is announced, says nothing of how far the others may reach."""
    facets = [np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]), *(CORNERS[face] * 8.0 for face in FACES)]
    rows = b"".join(struct.pack("<12fH", 0.6, 0, 0.8, *corners.ravel(), 0) for corners in facets)
    file = read(tmp_path / "a.stl", bytes(80) + struct.pack("<I", 1) + rows)
    assert len(file.mesh.faces) == 5
    assert "announces 1 triangles and it has 5" in file.warnings[0]


def test_a_text_may_end_as_dos_ends_one(tmp_path: Path) -> None:
    assert triangles_of(read(tmp_path / "a.stl", solid("figure").encode() + b"\x1a").mesh) == expected()


@pytest.mark.parametrize("header", [b"", b"solid", b"solid facet normal outer loop endsolid"])
@pytest.mark.parametrize("tail", [b"", b"\0", b"\0\0", b"\0" * 49])
def test_a_count_that_is_right_is_no_word_worth(tmp_path: Path, header: bytes, tail: bytes) -> None:
    file = read(tmp_path / "a.stl", counted(4, header, tail))
    assert (triangles_of(file.mesh), file.warnings) == (expected(), ())


@pytest.mark.parametrize("tail", [b"\0" * 50, b"\0" * 4096, TEXT, b"end", b" " * 100, b"\xff" * 120])
def test_what_follows_the_triangles_and_is_none_is_told(tmp_path: Path, tail: bytes) -> None:
    file = read(tmp_path / "a.stl", counted(4, tail=tail))
    assert triangles_of(file.mesh) == expected()
    assert f"has {len(tail)} bytes after its 4 triangles" in file.warnings[0]


def test_a_count_of_fewer_with_bytes_after_them_all_is_told(tmp_path: Path) -> None:
    file = read(tmp_path / "a.stl", counted(2, tail=b"end"))
    assert triangles_of(file.mesh) == expected()
    assert "it has 4, which were all read; 3 bytes after them were passed over" in file.warnings[0]


@pytest.mark.parametrize(
    "content, says",
    [
        (counted(4)[:-1], "is truncated or no STL file: it announces 4 triangles and has room for 3"),
        (counted(4)[:-30], "is truncated"),
        (counted(0, b"x")[:84], "holds no triangles"),
        (counted(9, b"x")[:84], "is truncated"),
        (counted(1, tail=TEXT), "some are triangles and some are not"),
        (b"solid".ljust(80) + struct.pack("<I", 9) + b"\xff" * 200, "is truncated or no STL file"),
        (b"solid".ljust(80) + struct.pack("<I", 0) + b"\0" * 200, "holds no triangles"),
        (solid("a").replace("endsolid a", ""), "'solid' without its 'endsolid'"),
        (solid("a")[:-60], "truncated"),
        (solid("a") + solid("b")[:-60], "truncated"),
        (b"\0" * 3 + counted(4, b"x")[:60], "truncated"),
    ],
)
def test_what_is_damaged_is_refused_in_words_that_fit(tmp_path: Path, content: bytes | str, says: str) -> None:
    (tmp_path / "a.stl").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(MeshError) as refused:
        read_mesh(tmp_path / "a.stl", Cache(None))
    assert says in refused.value.problem


@pytest.mark.parametrize(
    "layout",
    [
        lambda text: " ".join(text.split()),
        lambda text: "\t".join(text.split()),
        lambda text: text.replace("\n", " ").replace(" facet", "\nfacet"),
        lambda text: text.replace("\n", " ").replace("endfacet", "endfacet\n"),
        lambda text: text.replace("\n", " ").replace(" vertex", "\nvertex").upper(),
        lambda text: text.replace("endloop\n", "endloop ").replace("\nouter", " outer"),
    ],
)
def test_a_text_may_be_written_on_one_line_or_on_few(tmp_path: Path, layout: Callable[[str], str]) -> None:
    assert triangles_of(read(tmp_path / "a.stl", layout(solid("a"))).mesh) == expected()
    two = read(tmp_path / "two.stl", layout(solid("a b") + solid("c", np.array([9.0, 0, 0])))).mesh
    assert [" ".join(name.lower().split()) for name in two.part_names] == ["a b", "c"]
    with pytest.raises(MeshError, match="truncated"):
        read(tmp_path / "cut.stl", layout(solid("a"))[:-60])


def test_texts_stay_texts(tmp_path: Path) -> None:
    """With names in any writing, padding, several solids, and with every line end."""
    for content in (
        solid("K\u0105l \u2013 b\u00fcste") + "\0" * 300,
        solid("a" * 400),
        solid("a").replace("\n", "\r\n"),
        "\ufeff" + solid("a"),
        "   " + solid("a"),
    ):
        assert triangles_of(read(tmp_path / "a.stl", content).mesh) == expected()
    wide = tmp_path / "wide.stl"
    assert triangles_of(read(wide, solid("a").encode("utf-16")).mesh) == expected()
    two = read(tmp_path / "two.stl", solid("a") + solid("b", np.array([9.0, 0, 0]))).mesh
    assert two.part_names == ("a", "b")
    assert triangles_of(two) == expected() | expected((9, 0, 0))


def test_a_large_file_is_read_as_before(tmp_path: Path) -> None:
    assert len(read(tmp_path / "a.stl", counted(4 * MANY, copies=MANY)).mesh.faces) == 4 * MANY
    assert read(tmp_path / "b.stl", binary_stl()).warnings == ()


def comma(text: str) -> str:
    return text.replace("4.0", "4,5")


@pytest.mark.parametrize(
    "name, content",
    [
        ("a.stl", comma(solid("a"))),
        ("a.obj", comma(obj())),
        ("b.obj", comma(obj()).replace("v ", "v  ").replace("f ", "g x\nf ", 1)),
        ("a.off", comma(off())),
        ("a.ply", comma(ply("ascii").decode())),
        ("b.ply", ply("ascii").decode().replace("4.0", "4,5e+00")),
    ],
)
def test_a_decimal_comma_is_called_that(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(MeshError, match=r"writes '4,5.*' with a decimal comma; export it with decimal points"):
        read_mesh(tmp_path / name, Cache(None))


@pytest.mark.parametrize("name, content", [("a.obj", obj()), ("a.off", off()), ("a.ply", ply("ascii").decode())])
def test_another_word_is_no_decimal_comma(tmp_path: Path, name: str, content: str) -> None:
    for wrong in ("four", "4,", ",", "4.0,3.0,2.0"):
        (tmp_path / name).write_text(content.replace("4.0", wrong, 1))
        with pytest.raises(MeshError) as refused:
            read_mesh(tmp_path / name, Cache(None))
        assert "comma" not in refused.value.problem
