"""Users' files are opened only where they are regular files, and read no further than they may be."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from silhouette.common.errors import FileError, MeshError
from silhouette.files import documents
from silhouette.files.cache import Cache
from silhouette.files.documents import MAX_DOCUMENT_LEVELS, MAX_KEY_LENGTH, read_document
from silhouette.files.fingerprints import MESH_ENDINGS, Fingerprints
from silhouette.files.reading import read_file
from silhouette.meshes.mesh import read_mesh
from silhouette.meshes.opening import MESH_FORMATS

if not hasattr(os, "mkfifo"):
    pytest.skip("this system has no pipes among its files", allow_module_level=True)


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_link_to_zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_link_to_a_terminal(path: Path) -> None:
    path.symlink_to("/dev/tty")


def a_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the path of a socket may have 108 letters
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


IRREGULAR = (a_pipe, a_link_to_zeros, a_link_to_a_terminal, a_socket)
READERS: dict[str, Callable[[Path], object]] = {
    "scene.toml": read_document,
    "scene.json": read_document,
    **{f"mesh{ending}": lambda path: read_mesh(path, Cache(None)) for ending in MESH_ENDINGS},
}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("make", IRREGULAR, ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_regular_file_is_refused_unopened(
    name: str, make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    make(path)
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises((FileError, MeshError), match=r"is a (pipe|device|socket) and no regular file") as refused:
        READERS[name](path)
    assert str(refused.value).startswith(f"{path}: ")


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("make", IRREGULAR, ids=lambda make: make.__name__)
def test_a_gltf_buffer_is_a_regular_file(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "points.bin")
    path = tmp_path / "mesh.gltf"
    path.write_text(
        """{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"uri": "points.bin", "byteLength": 36}]}"""
    )
    with pytest.raises(MeshError, match=r"refers to 'points.bin', which is (a .* and no regular file|outside)"):
        read_mesh(path, Cache(None))
    assert Fingerprints().of(path)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("make", IRREGULAR, ids=lambda make: make.__name__)
def test_a_fingerprint_opens_nothing_that_no_reader_would(make: Callable[[Path], None], tmp_path: Path) -> None:
    for name in ("mesh.stl", "model.toml", "mesh.gltf", "secret"):
        make(tmp_path / name)
    scene = tmp_path / "scene.toml"
    names = ["mesh.stl", "model.toml", "mesh.gltf", "secret", "/etc/passwd"]
    scene.write_text("".join(f'[[terrain]]\nmesh = "{name}"\n' for name in names))
    assert Fingerprints().of(scene)
    assert [path.name for path in Fingerprints().named(scene)] == ["mesh.gltf", "mesh.stl", "model.toml"]


def test_a_file_is_read_up_to_its_limit_and_no_further(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 2048)
    assert read_file(path, 2048) == b"x" * 2048
    with pytest.raises(FileError, match="is larger than 1 KiB"):
        read_file(path, 1024)


def test_the_endings_of_meshes_are_those_that_are_read() -> None:
    assert [f".{ending}" for ending in MESH_FORMATS] == list(MESH_ENDINGS)


def deep(levels: int) -> str:
    return f"a = {'[' * levels}{']' * levels}"


@pytest.mark.parametrize(
    "text, says",
    [
        (deep(MAX_DOCUMENT_LEVELS + 1), "too deep"),
        (deep(200_000), "too deep"),
        ("a = " + "{a = " * 100_000, "too deep"),
        (".".join("a" * 100_000) + " = 1", "too deep"),
        ("[" + ".".join("a" * 100_000) + "]", "too deep"),
        ("".join(f"[{'.'.join('a' * depth)}]\n" for depth in range(1, 900)), "too deep"),
        ("a" * (MAX_KEY_LENGTH + 1) + " = 1", "201 letters"),
    ],
    ids=["lists", "many lists", "tables", "dotted key", "dotted header", "headers", "key"],
)
def test_deep_and_wide_toml_is_refused_soon(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(text)
    with pytest.raises(FileError, match=says):
        read_document(path)


@pytest.mark.parametrize(
    "text, says",
    [
        ("[" * 400 + "]" * 400, "too deep"),
        ('{"a":' * 400 + "1" + "}" * 400, "too deep"),
        ('{"a":' * 400_000, "too deep"),
        ("{" + ",".join(f'"{number // 2}": 1' for number in range(60_000, 180_000)) + "}", "'30000' stands twice"),
    ],
    ids=["lists", "tables", "open", "double keys"],
)
def test_deep_and_wide_json_is_refused_soon(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text(text)
    with pytest.raises(FileError, match=says):
        read_document(path)


def test_a_document_has_so_many_values_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_VALUES", 100)
    path = tmp_path / "scene.toml"
    path.write_text(f"a = [{'1,' * 98}]")  # the document, the list and its values
    assert read_document(path)
    path.write_text(f"a = [{'1,' * 99}]")
    with pytest.raises(FileError, match="more than 100 values"):
        read_document(path)


def test_json_has_so_many_values_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_VALUES", 100)
    assert documents.parsed_json(b"[" + b"1," * 99 + b"1]") == [1] * 100  # a bracket and 99 commas
    with pytest.raises(ValueError, match="more than 100 values"):
        documents.parsed_json(b"[" + b"1," * 100 + b"1]")


def test_brackets_in_texts_and_comments_nest_nothing(tmp_path: Path) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(
        f"""# {"[" * 99}
a = "\\"{"[" * 99}"
b = '{"[" * 99}'
c = \"\"\"{"[" * 99}\\\"\"\" "{"[" * 99}\"\"\"
d = '''{"[" * 99}'{"{" * 99}'''
e = [{", ".join(["0.5"] * 99)}]
{deep(MAX_DOCUMENT_LEVELS).replace("a", "f")}
"""
    )
    assert len(read_document(path)) == 6
