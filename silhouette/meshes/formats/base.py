"""Shared by the formats: the surfaces that they give, the error `MeshRefused` of every reader, and referenced files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from silhouette.common.errors import FileError
from silhouette.common.geometry import Floats
from silhouette.files.reading import MAX_FILE_BYTES, read_file, size_in_words

MAX_MESH_TRIANGLES = 3_000_000
"""More than any scan that anybody plays on; a file of a few bytes can ask for billions by instancing."""
MAX_MESH_VERTICES = 3 * MAX_MESH_TRIANGLES
MAX_TEXT_LINES = 3_000_000  # vertices and faces of a file of text, which take longer than those of a binary file
MAX_TEXT_BYTES = 256 * 1024**2  # bytes of a file of text, comments and spaces among them
MAX_MESH_PARTS = 20_000  # objects, groups or instances, each of which takes time however few triangles it has
MAX_PART_NAME_LENGTH = 1000
_READ_BLOCK_BYTES = 1 << 22
_SEE_THROUGH = 0.1  # the share of the area from which on a transparent material is worth a sentence
_DECIMAL_COMMA = re.compile(rb"[-+]?\d+,\d+([eE][-+]?\d+)?")


class MeshRefused(Exception):
    """The error for a file that no verdict can rest on; the text says what is wrong, and what would be right."""


@dataclass(frozen=True, eq=False)
class Skin:
    """What colours a surface: the product, in linear light, of what is given of a picture, colours and a factor."""

    # (n, 3) uint8, a colour for each vertex (sRGB, as all bytes of colours are)
    shades: NDArray[np.uint8] | None = None
    picture: str | None = None  # the name under which the picture is fetched
    # (k, 2) places in the picture, from its upper left corner to the right and down; whole numbers repeat it
    uv: NDArray[Any] | None = None
    # (m, 3) for each corner of each face its row in ``uv``, -1 without; None where ``uv`` is by vertex
    corners: NDArray[Any] | None = None
    factor: tuple[float, float, float] = (1.0, 1.0, 1.0)  # red, green and blue by which all is multiplied, linear


@dataclass(frozen=True, eq=False)
class PartSurface:
    """The triangles of one part as the file gives them."""

    part: str
    vertices: NDArray[Any]  # (n, 3) numbers
    faces: NDArray[Any]  # (m, 3) integers, unchecked
    skin: Skin | None = None  # what colours it, where the reader was asked for colours and the file has some
    normals: NDArray[Any] | None = None  # (n, 3) numbers, of a cloud of points whose file has them
    # (n,) bool, the points of a cloud that are practically invisible; None without any
    faint: NDArray[np.bool_] | None = None
    see_through: str = ""  # the name of its material, if that makes pixels of it transparent; empty if it is opaque


def _no_picture(name: str) -> bytes:
    raise MeshRefused(f"refers to {name[:80]!r}, and its format has no pictures")


@dataclass(eq=False)
class MeshContent:
    """What a reader makes of a file: its surfaces, in its order, and a sentence for each thing the user should know."""

    surfaces: list[PartSurface]
    warnings: list[str] = field(default_factory=list)
    units: str | None = None  # that the file declares, as `MeshFile.declared_units`
    picture: Callable[[str], bytes] = _no_picture  # gives the bytes of a picture that a skin names; raises MeshRefused
    libraries: Sequence[str] = ()  # the names of files that say what the materials are, where those were not looked at
    areas: Mapping[str, float] = field(default_factory=dict)  # of each of these materials, by its name


def referred(reference: str) -> str:
    """The relative path, with slashes, that a mesh file gives of another file.

    >>> referred("my%20scan.bin"), referred("textures\\\\skin.png")
    ('my scan.bin', 'textures/skin.png')
    """
    name = unquote(reference).replace("\\", "/")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", name) or name.startswith("/"):
        raise MeshRefused(
            f"refers to {reference[:80]!r}; it may only refer to files in its own folder, by a relative path"
        )
    return name


def read_referenced(folder: Path, reference: str) -> bytes:
    """The bytes of a file that a mesh file refers to: in the mesh file's own folder or below, and nowhere else."""
    name = referred(reference)
    try:
        home = folder.resolve()
        place = (home / name).resolve()
    except (OSError, ValueError, RuntimeError):
        raise MeshRefused(f"refers to {reference[:80]!r}, which is no name that a file can have") from None
    if not place.is_relative_to(home):
        raise MeshRefused(f"refers to {reference[:80]!r}, which is outside its own folder; put that file beside it")
    try:
        return read_file(place, MAX_FILE_BYTES)
    except FileError as error:
        problem, _, _ = error.problem.partition(";")
        missing = "is not there" if problem.startswith("there is no") else problem
        raise MeshRefused(f"refers to {reference[:80]!r}, which {missing}; put that file beside it") from None


def plain_text(data: bytes) -> bytes:
    """The bytes of a text in an encoding of which ASCII is part, with lines that end in a newline.

    UTF-16 becomes UTF-8; everything else stays as it is, because a copy of a large text is dear.

    >>> plain_text("v 1 2 3\\r\\n".encode("utf-16-be"))
    b'v 1 2 3\\n'
    """
    if len(data) > MAX_TEXT_BYTES:
        raise MeshRefused(
            f"is a text of over {size_in_words(MAX_TEXT_BYTES)}; export it in a binary format, such as GLB"
        )
    encoding = _utf_16(data)
    if encoding:
        data = data.decode(encoding, errors="replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def _utf_16(data: bytes) -> str:
    """Which UTF-16 the first bytes show, with or without a mark; empty for anything else."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    sample = np.frombuffer(data[:200], dtype=np.uint8)
    for start, encoding in ((0, "utf-16-be"), (1, "utf-16-le")):
        every_other = sample[start::2]
        if len(every_other) > 1 and not every_other.any():
            return encoding
    return ""


def word(text: bytes) -> str:
    """A name in a text, in UTF-8 or else Latin-1; one that is long beyond reason is cut.

    >>> word("Kąl".encode()), word(b"K\\xe4l")
    ('Kąl', 'Käl')
    """
    text = text[: 4 * MAX_PART_NAME_LENGTH]
    try:
        return text.decode()[:MAX_PART_NAME_LENGTH]
    except UnicodeDecodeError:
        return text.decode("latin-1")[:MAX_PART_NAME_LENGTH]


def blocks(text: bytes) -> Iterator[bytes]:
    """The lines of a text, some megabytes at a time: the words of a whole text would take many times its size.

    >>> list(blocks(b"one\\ntwo"))
    [b'one\\ntwo']
    """
    start = 0
    while start < len(text):
        end = text.find(b"\n", start + _READ_BLOCK_BYTES) + 1 or len(text)
        yield text[start:end]
        start = end


def no_numbers(words: Iterable[bytes], needs: str) -> MeshRefused:
    """The refusal of a text whose words are not the numbers that they should be.

    >>> print(no_numbers([b"1.0", b"2,5"], "a vertex line needs three numbers"))
    is malformed: it writes '2,5' with a decimal comma; export it with decimal points
    >>> print(no_numbers([b"1.0", b"two"], "a vertex line needs three numbers"))
    is malformed: a vertex line needs three numbers
    """
    comma = next((text for text in words if _DECIMAL_COMMA.fullmatch(text)), None)
    if comma is not None:
        return MeshRefused(
            f"is malformed: it writes {word(comma)[:20]!r} with a decimal comma; export it with decimal points"
        )
    return MeshRefused(f"is malformed: {needs}")


def by_part(
    names: Sequence[str],
    vertices: Floats,
    faces: NDArray[Any],
    part: NDArray[np.int64],
    skins: Sequence[Skin | None] = (),
    corners: NDArray[Any] | None = None,
) -> list[PartSurface]:
    """A surface for each part, given the index of the part of each face (m,); all share the vertices.

    Where there are skins, one for each part, those with a picture get their share of ``corners`` (m, 3).

    >>> corners = np.array([[0, 1, 2], [2, 1, 3], [2, 3, 4]])
    >>> for surface in by_part(["hull", "gun"], np.zeros((5, 3)), corners, np.array([1, 0, 1])):
    ...     print(surface.part, surface.faces.tolist())
    hull [[2, 1, 3]]
    gun [[0, 1, 2], [2, 3, 4]]
    """
    if len(names) > MAX_MESH_PARTS:
        raise too_many_parts(len(names))
    order = np.argsort(part, kind="stable")
    ends = np.searchsorted(part[order], np.arange(1, len(names)))
    pieces = np.split(faces[order], ends)
    places = [None] * len(names) if corners is None else np.split(corners[order], ends)
    return [
        PartSurface(name, vertices, piece, replace(skin, corners=rows) if skin is not None and skin.picture else skin)
        for name, piece, rows, skin in zip(names, pieces, places, skins or [None] * len(names), strict=True)
    ]


def see_through(surfaces: Sequence[PartSurface]) -> list[str]:
    """A sentence if much of surfaces has a material that makes pixels of it transparent, as those of leaves are.

    >>> leaf = PartSurface("leaf", np.eye(3), np.array([[0, 1, 2]]), see_through="foliage")
    >>> see_through([leaf])[0].partition(";")[0]
    "100 % of its surface has a material that may be transparent ('foliage')"
    >>> see_through([replace(leaf, see_through="")])
    []
    """
    return see_through_shares(areas_of(surfaces)) if any(surface.see_through for surface in surfaces) else []


def areas_of(surfaces: Sequence[PartSurface]) -> dict[str, float]:
    """The area of each material that makes pixels transparent, by its name; that of all others has an empty one."""
    areas: dict[str, float] = {}
    for surface in surfaces:
        areas[surface.see_through] = areas.get(surface.see_through, 0.0) + surface_area(surface)
    return areas


def see_through_shares(areas: Mapping[str, float]) -> list[str]:
    """The sentence of `see_through`, given the area of each material; that of all opaque ones has an empty name."""
    total = sum(areas.values())
    names = sorted((name for name in areas if name), key=lambda name: -areas[name])
    share = sum(areas[name] for name in names) / total if total > 0.0 else 0.0
    if not share >= _SEE_THROUGH:
        return []
    named = ", ".join(f"{name!r}" for name in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    solid = "leaves, grilles and glass count as solid"
    return [f"{100 * share:.0f} % of its surface has a material that may be transparent ({named}); {solid}"]


def surface_area(surface: PartSurface) -> float:
    """The area of all triangles of a surface, in its own units; faces need not be checked."""
    if not len(surface.faces) or not len(surface.vertices):
        return 0.0
    total = 0.0
    for start in range(0, len(surface.faces), _READ_BLOCK_BYTES >> 4):
        faces = np.asarray(surface.faces[start : start + (_READ_BLOCK_BYTES >> 4)]).astype(np.int64)
        with np.errstate(invalid="ignore", over="ignore"):
            a, b, c = (np.take(surface.vertices, faces[:, k], axis=0, mode="clip").astype(np.float64) for k in range(3))
            twice = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        total += float(twice[np.isfinite(twice)].sum()) / 2.0
    return total


def too_many_parts(count: int) -> MeshRefused:
    """The refusal of a file with more parts, or copies of them, than can be told apart in time."""
    return MeshRefused(f"has {count} parts or copies of them, more than {MAX_MESH_PARTS}; join them, or split the file")


def carried(surface: PartSurface, matrix: Floats, whole: bool = False) -> PartSurface:
    """A surface carried by ``matrix`` (4, 4); one that is mirrored by it is turned right side out again.

    Vertices that no face uses are left out, unless it is to stay whole: many parts may be cut from the same millions of
    vertices.
    """
    vertices, faces = surface.vertices, np.asarray(surface.faces)
    if not whole and len(faces) and faces.min() >= 0 and faces.max() < len(vertices) and 6 * len(faces) < len(vertices):
        used, numbered = np.unique(faces, return_inverse=True)
        vertices, faces = vertices[used], numbered.reshape(faces.shape)
    if np.array_equal(matrix, np.eye(4)):
        return replace(surface, vertices=vertices, faces=faces)
    points = np.asarray(vertices, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):  # what is infinite is refused later, in words
        # Not by @: waking the threads of a linear algebra library for each small part takes longer than the work.
        points = np.einsum("nk,jk->nj", points, matrix[:3, :3]) + matrix[:3, 3]
        if np.linalg.det(matrix[:3, :3]) < 0.0:
            faces = faces[:, ::-1]
            skin = surface.skin
            if skin is not None and skin.corners is not None:
                surface = replace(surface, skin=replace(skin, corners=skin.corners[:, ::-1]))
    return replace(surface, vertices=points, faces=faces)


def no_triangles(holds: str = "") -> MeshRefused:
    """The refusal of a file without any triangle; ``holds`` says what it holds instead."""
    return MeshRefused(f"holds no triangles{f', only {holds}' if holds else ''}; a mesh needs at least one")
