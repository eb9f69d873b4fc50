"""OBJ: vertices and polygons, with parts by ``g``, ``o`` or ``usemtl``. trimesh reads what is first put plainly."""

from __future__ import annotations

import re

import numpy as np

from silhouette.formats.base import Refused, Surface, decoded, no_triangles
from silhouette.formats.parsing import parsed
from silhouette.formats.polygons import mended

_STATEMENT = re.compile(r"^[ \t]*(v|f|fo|g|o|usemtl|cstype)(?:[ \t]+([^\n#]*)|(?=[\n#]|$))", re.MULTILINE)
_BACKWARDS = re.compile(r"(?<!\S)-(\d+)")

Names = tuple[str, str, str]


def read(data: bytes) -> list[Surface]:
    """The surfaces of an OBJ file, one for each part; textures, normals and materials' own files are not looked at.

    trimesh gets the bare vertices and faces, one statement a line and counted from 1: relative indices it would count
    from the end of the file instead of from the face, index 0 it would take for 1, an indented statement it would pass
    over, and of the names it would mix groups and materials.
    """
    rows: list[str] = []
    faces: list[str] = []
    named: list[Names] = []
    current = {"g": "", "o": "", "usemtl": ""}
    names: Names = ("", "", "")
    for kind, rest in _STATEMENT.findall(re.sub(r"\\\n", " ", decoded(data))):
        if kind == "v":
            rows.append(f"v {rest}")
        elif kind in ("f", "fo"):
            faces.append(f"f {_absolute(rest, len(rows)) if '-' in rest else rest}")
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
    """A face with its relative indices counted from 1, if it stands after so many vertices."""
    return _BACKWARDS.sub(lambda index: str(max(before + 1 - int(index[1]), 0)), face)


def _triangles(rows: list[str], faces: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What trimesh reads: vertices (n, 3), triangles (t, 3), and the face (t,) that each is of."""
    lines = faces.split("\n")
    lengths = np.array([len(line.split()) - 1 for line in lines])
    short = lines[int(lengths.argmin())]
    if lengths.min() < 3:
        raise Refused(f"is malformed: the face {short[:40]!r} has fewer than three corners")
    early = re.search(r"^f.*(?<=\s)0+(?=\s|$)", faces, re.MULTILINE)
    if early is not None:
        raise Refused(f"is malformed: the face {early[0][:40]!r} points before the first vertex, which is 1")
    needs = "a vertex line needs three numbers, a face whole numbers"
    text = "\n".join([*rows, faces])
    loaded = parsed("obj", text.encode(), needs, skip_materials=True, group_material=False, maintain_order=True)
    mesh = next(iter(loaded.get("geometry", {}).values()), {"vertices": np.empty((0, 3))})
    if mesh["vertices"].shape != (len(rows), 3):
        raise Refused(f"is malformed: {needs}")
    found = np.asarray(mesh["faces"])
    if found.shape[1] == 3 and lengths.max() > 3:  # faces of several lengths come in their order
        found = found[np.argsort(np.argsort(...))]
    return mesh["vertices"], *mended(mesh["vertices"], found, lengths)
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
