"""OBJ: vertices and polygons, with parts by ``g``, ``o`` or ``usemtl``. trimesh reads a plain version."""

from __future__ import annotations

import itertools
import re

import numpy as np

from silhouette.geometry import Floats
from silhouette.meshes.formats.base import Refused, Surface, decoded, no_triangles
from silhouette.meshes.formats.parsing import parsed
from silhouette.meshes.formats.polygons import Indices, fan, mended, origins

_STATEMENT = re.compile(r"^[ \t]*(v|f|fo|g|o|usemtl|cstype)(?:[ \t]+([^\n#]*)|(?=[\n#]|$))", re.MULTILINE)
_BACKWARDS = re.compile(r"(?<!\S)-(\d+)")
_NEEDS = "a vertex line needs three numbers, the corners of a face need to be whole numbers"

Names = tuple[str, str, str]


def read(data: bytes) -> list[Surface]:
    """The surfaces of an OBJ file, one for each part; textures, normals and materials' own files are not looked at.

    trimesh gets the bare vertices and faces, one statement a line and counted from 1: relative indices it would count
    from the end of the file instead of from the face, index 0 it would take for 1, an indented statement it would pass
    over, and of the names it would mix groups and materials.
    """
    rows: list[list[str]] = []
    faces: list[str] = []
    named: list[Names] = []
    current = {"g": "", "o": "", "usemtl": ""}
    names: Names = ("", "", "")
    for kind, rest in _STATEMENT.findall(re.sub(r"\\\n", " ", decoded(data))):
        if kind == "v":
            rows.append(rest.split(None, 3)[:3])
        elif kind in ("f", "fo"):
            faces.append(_absolute(rest, len(rows)) if "-" in rest else rest)
            named.append(names)
        elif kind == "cstype":
            raise Refused("holds free-form curves or surfaces; export it as polygons")
        else:
            current[kind] = rest.strip()
            names = (current["g"], current["o"], current["usemtl"])
    if not faces:
        raise no_triangles("points or lines" if rows else "")
    vertices, triangles, origin = _triangles(rows, re.sub(r"/\S*", "", "\n".join(faces)))
    name_of = _parts(list(dict.fromkeys(named)))
    parts = list(dict.fromkeys(name_of.values()))
    number = {names: parts.index(part) for names, part in name_of.items()}
    part = np.array([number[names] for names in named])[origin]
    return [Surface(name, vertices, triangles[part == index]) for index, name in enumerate(parts)]


def _absolute(face: str, before: int) -> str:
    """A face with its relative indices counted from 1, given the number of vertices before it."""
    return _BACKWARDS.sub(lambda index: str(max(before + 1 - int(index[1]), 0)), face)


def _triangles(rows: list[list[str]], faces: str) -> tuple[Floats, Indices, Indices]:
    """The arrays that trimesh reads: vertices (n, 3), triangles (t, 3), and the face (t,) that each is of."""
    early = re.search(r"^.*(?<!\S)0+(?!\S).*$", faces, re.MULTILINE)
    if early is not None:
        raise Refused(f"is malformed: the face 'f {early[0][:40]}' points before the first vertex, which is 1")
    polygons = [face.split() for face in faces.split("\n")]
    shortest = min(polygons, key=len)
    if len(shortest) < 3:
        raise Refused(f"is malformed: the face 'f {' '.join(shortest)}' has fewer than three corners")
    if min(map(len, rows), default=3) < 3:
        raise Refused(f"is malformed: {_NEEDS}")
    points = "".join(f"v {x} {y} {z}\n" for x, y, z in rows)
    text = "\nf ".join([points, *itertools.chain.from_iterable(map(fan, polygons))])
    loaded = parsed("obj", text.encode(), _NEEDS, skip_materials=True, group_material=False, maintain_order=True)
    mesh = next(iter(loaded["geometry"].values()), None)
    if mesh is None or mesh["vertices"].shape != (len(rows), 3):
        raise Refused(f"is malformed: {_NEEDS}")
    origin = origins(np.array(list(map(len, polygons))))
    return mesh["vertices"], mended(mesh["vertices"], mesh["faces"], origin), origin


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
