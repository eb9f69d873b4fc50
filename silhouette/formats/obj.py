"""OBJ: vertices and polygons, with parts by ``g``, ``o`` or ``usemtl``."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from silhouette.formats.base import Refused, Surface, decoded, no_triangles
from silhouette.formats.polygons import first_three, triangulate

_STATEMENT = re.compile(r"^[ \t]*(v|f|fo|g|o|usemtl|cstype)(?:[ \t]+([^\r\n#]*)|(?=[\r\n#]|$))", re.MULTILINE)

Names = tuple[str, str, str]


def read(data: bytes) -> list[Surface]:
    """The surfaces of an OBJ file, one for each part; textures, normals and materials' own files are not looked at.

    Read here because trimesh counts negative indices from the end of the file instead of from the face, takes index 0
    for 1, passes over indented statements and over what follows a tab, mixes groups and materials in its names, and
    fans concave polygons out over their notches.
    """
    text = decoded(data)
    if "\\" in text:
        text = re.sub(r"\\\r?\n", " ", text)
    rows: list[str] = []
    faces: list[str] = []
    before: list[int] = []
    named: list[Names] = []
    current = {"g": "", "o": "", "usemtl": ""}
    names: Names = ("", "", "")
    for kind, rest in _STATEMENT.findall(text):
        if kind == "v":
            rows.append(rest)
        elif kind in ("f", "fo"):
            faces.append(rest)
            before.append(len(rows))
            named.append(names)
        elif kind == "cstype":
            raise Refused("holds free-form curves or surfaces; export it as polygons")
        else:
            current[kind] = rest.strip()
            names = (current["g"], current["o"], current["usemtl"])
    if not faces:
        raise no_triangles("points or lines" if rows else "")
    vertices = first_three(rows, "vertex line")
    triangles, origin = triangulate(vertices, *_corners(faces, np.array(before)))
    name_of = _parts(list(dict.fromkeys(named)))
    parts = list(dict.fromkeys(name_of.values()))
    number = {names: parts.index(part) for names, part in name_of.items()}
    part = np.array([number[names] for names in named])[origin]
    return [Surface(name, vertices, triangles[part == index]) for index, name in enumerate(parts)]


def _corners(faces: list[str], before: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The vertex indices of all faces, counted from 0, and how many each has; ``before`` it stood so many vertices."""
    text = "\n".join(faces)
    rows = (re.sub(r"/\S*", "", text) if "/" in text else text).split("\n")
    lengths = np.array([len(row.split()) for row in rows])
    if lengths.min() < 3:
        raise Refused(f"is malformed: {_quoted(faces[int(lengths.argmin())])} has fewer than three corners")
    try:
        corners = np.fromiter(map(int, " ".join(rows).split()), np.int64, lengths.sum())
    except (ValueError, OverflowError):
        raise Refused("is malformed: the corners of a face need to be whole numbers") from None
    if corners.min() > 0:
        return corners - 1, lengths
    absolute = np.where(corners > 0, corners - 1, np.repeat(before, lengths) + corners)
    wrong = np.flatnonzero((corners == 0) | (absolute < 0))
    if len(wrong):
        face = faces[int(np.repeat(np.arange(len(faces)), lengths)[wrong[0]])]
        raise Refused(f"is malformed: {_quoted(face)} points before the first vertex, which is 1")
    return absolute, lengths


def _quoted(face: str) -> str:
    return f"the face 'f {face.strip()[:40]}'"


def _parts(named: list[Names]) -> dict[Names, str]:
    """The part for each combination of group, object and material: by what tells most apart, materials only at last.

    >>> _parts([("", "hull", "green"), ("", "gun", "green")])
    {('', 'hull', 'green'): 'hull', ('', 'gun', 'green'): 'gun'}
    >>> _parts([("all", "", "green"), ("all", "", "steel")])
    {('all', '', 'green'): 'green', ('all', '', 'steel'): 'steel'}
    >>> _parts([("", "", "")])
    {('', '', ''): 'mesh'}
    """
    groups, objects, materials = (len({names[which] for names in named}) for which in range(3))
    both = len({names[:2] for names in named})
    if both > max(groups, objects):
        return {names: "/".join(name for name in (names[1], names[0]) if name) or "mesh" for names in named}
    if both > 1:
        which = 0 if groups >= objects else 1
    elif materials > 1:
        which = 2
    else:
        which = next((which for which in range(3) if named[0][which]), 0)
    return {names: names[which] or "mesh" for names in named}
