"""Shared by the formats: the surfaces that they give, the error for files that they refuse, and referenced files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from silhouette.errors import FileError
from silhouette.files.reading import LARGEST_FILE, read_file
from silhouette.geometry import Floats

# More than any scan that anybody plays on; a file of a few bytes can ask for billions by instancing.
MOST_TRIANGLES = 20_000_000


class Refused(Exception):
    """The error for a file that no verdict can rest on; the text says what is wrong, and what would be right."""


@dataclass(frozen=True, eq=False)
class Surface:
    """The triangles of one part as the file gives them.

    Attributes:
        part: the name of the part.
        vertices: (n, 3) numbers.
        faces: (m, 3) integers, unchecked.
    """

    part: str
    vertices: NDArray[Any]
    faces: NDArray[Any]


def read_referenced(folder: Path, reference: str) -> bytes:
    """The bytes of a file that a mesh file refers to: in the mesh file's own folder or below, and nowhere else.

    Raises:
        Refused: where the reference is an address on a network, is absolute, leads out of the folder (symbolic links
            followed), or names nothing that can be read.
    """
    name = unquote(reference).replace("\\", "/")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", name) or name.startswith("/"):
        raise Refused(f"refers to {reference[:80]!r}; it may only refer to files in its own folder, by a relative path")
    try:
        home = folder.resolve()
        place = (home / name).resolve()
    except (OSError, ValueError, RuntimeError):
        raise Refused(f"refers to {reference[:80]!r}, which is no name that a file can have") from None
    if not place.is_relative_to(home):
        raise Refused(f"refers to {reference[:80]!r}, which is outside its own folder; put that file beside it")
    try:
        return read_file(place, LARGEST_FILE)
    except FileError as error:
        problem, _, _ = error.problem.partition(";")
        missing = "is not there" if problem.startswith("there is no") else problem
        raise Refused(f"refers to {reference[:80]!r}, which {missing}; put that file beside it") from None


def decoded(data: bytes) -> str:
    """Text in whatever encoding its first bytes show: UTF-8, UTF-16 with or without a mark, else Latin-1.

    Lines end in a newline, whatever they ended in.

    >>> decoded("v 1 2 3".encode("utf-16-be"))
    'v 1 2 3'
    >>> decoded(b"")
    ''
    """
    return _any_encoding(data).replace("\r\n", "\n").replace("\r", "\n")


def _any_encoding(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    sample = np.frombuffer(data[:200], dtype=np.uint8)
    for start, encoding in ((0, "utf-16-be"), (1, "utf-16-le")):
        every_other = sample[start::2]
        if len(every_other) > 1 and not every_other.any():
            return data.decode(encoding, errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def carried(part: str, vertices: NDArray[Any], faces: NDArray[Any], matrix: Floats) -> Surface:
    """A surface carried by ``matrix`` (4, 4); one that is mirrored by it is turned right side out again."""
    if not np.array_equal(matrix, np.eye(4)):
        points = np.asarray(vertices, dtype=np.float64)
        with np.errstate(invalid="ignore", over="ignore"):  # what is infinite is refused later, in words
            # Not by @: waking the threads of a linear algebra library for each small part takes longer than the work.
            vertices = np.einsum("nk,jk->nj", points, matrix[:3, :3]) + matrix[:3, 3]
        if np.linalg.det(matrix[:3, :3]) < 0.0:
            faces = faces[:, ::-1]
    return Surface(part, vertices, faces)


def no_triangles(holds: str = "") -> Refused:
    """The refusal of a file without any triangle; ``holds`` says what it holds instead."""
    return Refused(f"holds no triangles{f', only {holds}' if holds else ''}; a mesh needs at least one")
