"""Archives as phones' apps export them, and archives that are made to harm; none of these is unpacked to disk."""

from __future__ import annotations

import io
import json
import stat
import struct
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from silhouette.common.errors import MeshError
from silhouette.files import archives
from silhouette.scans.read import Scan, read_scan
from tests.support.mesh_files import CORNERS, glb, gltf, obj, ply
from tests.support.textured_files import CORNERS_SHOWN, SQUARE, picture, textured_obj

LIBRARY = "newmtl skin\nmap_Kd textures/skin.jpg\n"


def packed(files: dict[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return held.getvalue()


def read(tmp_path: Path, content: bytes) -> Scan:
    path = tmp_path / "scan.zip"
    path.write_bytes(content)
    scan = read_scan(path)
    assert [file.name for file in tmp_path.iterdir()] == ["scan.zip"]  # nothing is unpacked
    return scan


SKIN = picture("JPEG", 64)
POLYCAM = {"square.obj": textured_obj(), "square.mtl": LIBRARY, "textures/skin.jpg": SKIN}
EXPORTS = {
    "flat": POLYCAM,
    "in a folder": {f"My Scan 12/model/{name}": content for name, content in POLYCAM.items()},
    "a Mac's": {
        "scan/": b"", "__MACOSX/scan/._square.obj": b"\0\5\x16\7", "scan/._square.obj": b"\0\5", "scan/.DS_Store": b"x",
        **{f"scan/{name}": content for name, content in POLYCAM.items()},
    },
    "other letters": {"Square.OBJ": textured_obj("SQUARE.MTL"), "square.mtl": LIBRARY, "Textures/SKIN.jpg": SKIN},
    "beside it": {"o/square.obj": textured_obj("../square.mtl"), "square.mtl": LIBRARY, "textures/skin.jpg": SKIN},
    "with others": {**POLYCAM, "cloud.ply": b"ply\n", "model.glb": b"glTF", "preview.png": b"", "readme.txt": b"hello"},
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_of_phones_are_read_with_their_pictures(name: str, tmp_path: Path) -> None:
    scan = read(tmp_path, packed(EXPORTS[name]))
    assert scan.format == "zip"
    assert np.array_equal(scan.vertices, SQUARE)
    assert scan.up == "y"
    assert scan.units is None
    assert scan.warnings == ()
    assert scan.colours is not None
    assert np.abs(scan.colours.astype(int) - CORNERS_SHOWN).max() < 10  # a JPEG


def test_archives_of_other_meshes(tmp_path: Path) -> None:
    scan = read(tmp_path, packed({"a/scan.glb": glb(gltf())}))
    assert np.allclose(scan.vertices, CORNERS)
    assert (scan.up, scan.units) == ("y", "m")
    scan = read(tmp_path, packed({"scan.ply": ply("ascii")}, zipfile.ZIP_STORED))
    assert (scan.up, scan.units) == ("z", None)
    tree = gltf(uri="data/scan.bin")
    buffer = CORNERS.astype("<f4").tobytes() + np.array([0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3], "<u2").tobytes()
    scan = read(tmp_path, packed({"in/scan.gltf": json.dumps(tree), "in/data/scan.bin": buffer}))
    assert np.allclose(scan.vertices, CORNERS)


def test_what_is_missing_of_the_colours_is_a_warning(tmp_path: Path) -> None:
    scan = read(tmp_path, packed({"square.obj": textured_obj(), "square.mtl": LIBRARY}))
    assert scan.warnings == (
        "a picture of the mesh refers to 'textures/skin.jpg', which its archive lacks; it is shown without",
    )
    scan = read(tmp_path, packed({"square.obj": textured_obj()}))
    assert scan.colours is None
    assert "refers to 'square.mtl', which its archive lacks" in scan.warnings[0]
    scan = read(tmp_path, packed({**POLYCAM, "square.mtl": "newmtl skin\nmap_Kd /etc/passwd\n"}))
    assert len(scan.warnings) == 1


def link() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as made:
        entry = zipfile.ZipInfo("scan.obj")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(entry, "/etc/passwd")
    return held.getvalue()


def encrypted() -> bytes:
    """With the flag that says so in both of its headers."""
    data = bytearray(packed({"scan.obj": obj()}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def lying(size: int) -> bytes:
    """An entry that says it is smaller than what it unpacks to."""
    data = bytearray(packed({"scan.obj": obj() + " " * 5000}))
    for place in (22, data.index(b"PK\x01\x02") + 24):
        data[place : place + 4] = struct.pack("<I", size)
    return bytes(data)


def damaged() -> bytes:
    data = bytearray(packed({"scan.obj": obj() * 50}))
    data[60] ^= 0xFF
    return bytes(data)


def twice() -> bytes:
    return packed({"scan.obj": obj(), "scan.obk": obj()}).replace(b"scan.obk", b"scan.obj")


HOSTILE = {
    "no zip": (lambda: b"PK\x03\x04 and nothing", "is truncated or no zip archive"),
    "empty": (lambda: packed({}), "without a mesh in it"),
    "no mesh": (lambda: packed({"a.txt": b"hello", "skin.jpg": picture("JPEG")}), "without a mesh in it"),
    "only litter": (lambda: packed({"__MACOSX/scan.obj": obj()}), "without a mesh in it"),
    "usd": (lambda: packed({"scan.usdz": b"PK"}), "is USD, which is not read; export it as GLB"),
    "two": (lambda: packed({"a.obj": obj(), "b/b.obj": obj()}), r"of 2 meshes \(a.obj, b.obj\)"),
    "two kinds": (lambda: packed({"a.ply": ply("ascii"), "b.glb": glb(gltf())}), "of 2 meshes"),
    "leads up": (lambda: packed({"../../scan.obj": obj()}), "leads out of it"),
    "leads up beside": (lambda: packed({**POLYCAM, "a/../../skin.jpg": b"x"}), "leads out of it"),
    "absolute": (lambda: packed({"/etc/scan.obj": obj()}), "leads out of it"),
    "a drive": (lambda: packed({"C:/scan.obj": obj()}), "leads out of it"),
    "backslashes": (lambda: packed({"..\\scan.obj": obj()}), "leads out of it"),
    "a link": (link, "no plain file"),
    "encrypted": (encrypted, "is encrypted; export it without a password"),
    "a bomb": (lambda: packed({"scan.obj": b" " * (64 << 20)}), "is a zip bomb"),
    "lzma": (lambda: packed({"scan.obj": obj()}, zipfile.ZIP_LZMA), "compressed in an unusual way"),
    "bzip2": (lambda: packed({"scan.obj": obj()}, zipfile.ZIP_BZIP2), "compressed in an unusual way"),
    "damaged": (damaged, "damaged"),
    "says less": (lambda: lying(100), "damaged"),
    "says more": (lambda: lying(90_000), "damaged"),
    "truncated": (lambda: packed(POLYCAM)[:-30], "truncated"),
    "twice": (twice, "holds 'scan.obj' twice"),
    "in another": (lambda: packed({"scan.zip": packed(POLYCAM)}), "without a mesh in it"),
    "of another kind": (lambda: packed({"scan.obj": glb(gltf())}), "is a GLB file, but its name ends in .obj"),
    "past": (lambda: packed({"scan.obj": obj() + "f 1 2 9\n"}), "points to vertex 8 of 4"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_in_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pxr", None)  # USD is read with an extra alone
    make, problem = HOSTILE[name]
    with pytest.raises(MeshError, match=problem) as refused:
        read(tmp_path, make())
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_an_archive_has_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_ARCHIVE_ENTRIES", 2)
    with pytest.raises(MeshError, match="of 3 files, more than 2"):
        read(tmp_path, packed(POLYCAM))
    monkeypatch.undo()
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 600)
    scan = read(tmp_path, packed(POLYCAM))
    assert "a zip bomb or too large: 'textures/skin.jpg'" in scan.warnings[0]


def test_any_damage_is_one_line_or_none(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    whole = packed(POLYCAM)
    path = tmp_path / "scan.zip"
    for _ in range(150):
        data = bytearray(whole)
        for place in rng.integers(0, len(data), size=rng.integers(1, 6)):
            data[place] = rng.integers(0, 256)
        path.write_bytes(bytes(data[: rng.integers(len(data) // 2, len(data) + 1)]))
        with suppress(MeshError):
            read_scan(path)
