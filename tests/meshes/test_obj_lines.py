"""Lines of an OBJ file that are read at one stroke give what the reader of single lines gives, or are left to it."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from silhouette.meshes.formats import obj
from silhouette.meshes.formats.base import MeshRefused
from silhouette.meshes.formats.obj import Colouring
from silhouette.meshes.formats.obj_lines import even
from tests.support.mesh_files import obj as pyramid
from tests.support.textured_files import textured_obj

SHADED = "".join(f"v {x} 0 {x * x} 0.{x} 0.5 1\n" for x in range(9)) + "f 1 2 3\nf 4 5 6 7\n"
EVEN = {
    "plain": pyramid(),
    "comments": "# made by hand\n\n" + pyramid() + "#\ns off\n\n",
    "textured": textured_obj().replace("mtllib square.mtl\n", "").replace("usemtl skin\n", ""),
    "normals": "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1\nf 3//1 2//1 1//1\n",
    "all": "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\n",
    "interleaved": "".join(f"vn 0 0 1\nv {x} {x * x} 0\n" for x in range(8)) + "f 1 2 3 4\nf 5 6 7 8\n",
    "tabs and spaces": "v\t0  0 0 \nv 1 0\t0\nv 0 1 0\nf  1 2   3\n",
    "shaded": SHADED.replace("f 1 2 3\n", ""),
}
ODD = {
    "names": "g hull\n" + pyramid(),
    "indented": pyramid().replace("v 4", "  v 4"),
    "relative": pyramid().replace("f 1 3 2", "f -4 -2 -3"),
    "two kinds of faces": SHADED,
    "two kinds of corners": "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3\n",
    "short vertices": "v 1 2\nv 1 2\n",
    "uneven": "v 1 2 3\nv 1 2 3 4\nf 1 2 1\n",
    "points": "p 1\n" + pyramid(),
    "no numbers": "v 1 2 x\nf 1 1 1\n",
    "a comment behind": "v 1 2 3 # here\nf 1 1 1\n",
    "decimals of faces": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1.0 2.0 3.0\n",
    "no place": "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/ 2/ 3/\n",
}


def nothing(reference: str) -> bytes:
    raise MeshRefused(f"refers to {reference}")


def outcome(text: bytes) -> list[Any]:
    """All that is read of a file, or why it is refused."""
    colouring = Colouring(nothing)
    try:
        plain, coloured = obj.read(text).surfaces, obj.read(text, colouring).surfaces
    except MeshRefused as refused:
        # Numbers beyond 64 bits: malformed to the one, pointing past the vertices to the other.
        return [str(refused).split(":")[0]]
    found: list[Any] = [colouring.warnings]
    for surface in (*plain, *coloured):
        skin = surface.skin
        found += [surface.part, surface.vertices, surface.faces, skin is None]
        if skin is not None:
            found += [skin.shades, skin.picture]
    return found


def compared(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = outcome(text)
    with monkeypatch.context() as patched:
        patched.setattr(obj, "even", lambda block, **wanted: None)
        slow = outcome(text)
    assert len(fast) == len(slow)
    for one, other in zip(fast, slow, strict=True):
        if isinstance(one, np.ndarray):
            assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        else:
            assert one == other


@pytest.mark.parametrize("name", EVEN)
def test_even_lines_are_read_at_one_stroke(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert even(EVEN[name].encode()) is not None
    assert even(EVEN[name].rstrip("\n").encode()) is not None
    compared(EVEN[name].encode(), monkeypatch)


@pytest.mark.parametrize("name", ODD)
def test_odd_lines_are_left_to_the_reader_of_single_lines(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert even(ODD[name].encode()) is None
    compared(ODD[name].encode(), monkeypatch)


@pytest.mark.long
def test_damaged_lines_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(4)
    texts = [text.encode() for text in (*EVEN.values(), *ODD.values())]
    pieces = [
        b" ",
        b"\n",
        b"-",
        b"/",
        b"//",
        b"#",
        b"1e3",
        b"nan",
        b"0x1",
        b"_",
        b"\0",
        b"\t",
        b"\x0b",
        b"v ",
        b"f ",
        b"\xff",
    ]
    for _ in range(1500):
        text = bytearray(random.choice(texts))
        for _ in range(random.randint(1, 3)):
            place = random.randrange(len(text))
            text[place : place + random.randint(0, 2)] = random.choice(pieces)
        compared(bytes(text), monkeypatch)
