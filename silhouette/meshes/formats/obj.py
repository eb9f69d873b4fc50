"""OBJ: vertices and polygons, with parts by ``g``, ``o`` or ``usemtl``."""

from __future__ import annotations

import itertools
import re
from array import array
from dataclasses import replace

import numpy as np

from silhouette.geometry import Floats
from silhouette.meshes.formats.base import (
    MOST_LINES,
    MOST_TRIANGLES,
    Content,
    Refused,
    Surface,
    blocks,
    by_part,
    no_numbers,
    no_triangles,
    plain_text,
    see_through,
    surface_area,
    word,
)
from silhouette.meshes.formats.obj_colours import Colouring
from silhouette.meshes.formats.obj_lines import Lines, even
from silhouette.meshes.formats.polygons import Indices, fans, mended, origins

_STATEMENT = re.compile(rb"^[ \t]*(v|f|fo|g|o|usemtl|mtllib|cstype)(?:[ \t]+([^\n#]*)|(?=[\n#]|$))", re.MULTILINE)
_TEXTURES_AND_NORMALS = re.compile(rb"/\S*")
_MOST_LIBRARIES = 20
_MOST_MATERIALS = 1000
_NEEDS = "a vertex line needs three numbers, the corners of a face need to be whole numbers"

Names = tuple[str, str, str]


def read(data: bytes, colouring: Colouring | None = None) -> Content:
    """The surfaces of an OBJ file, one for each part, which share their vertices: all of the file, in its order.

    Normals are not looked at; textures and materials' own files only where colours are wanted. Then there is a surface
    for each material.

    Read here and not by trimesh, which counts relative indices from the end of the file instead of from the face, takes
    index 0 for 1, passes over an indented statement and mixes groups with materials; and which, handed a text without
    all that, needs three times the time and twice the memory.

    Raises:
        Refused: where a statement is malformed or announces a curve, or where there is more than can be looked at.
    """
    reader = _Reader()
    for block in blocks(plain_text(data).replace(b"\\\n", b" ")):
        lines = even(block, textured=colouring is not None)
        if colouring is not None:
            colouring.read(block, lines, *reader.counts)
        if lines is None:
            reader.read(block)
        else:
            reader.take(lines)
    surfaces = reader.surfaces(colouring)
    if colouring is not None:
        return Content(surfaces, [*colouring.warnings, *see_through(surfaces)], picture=colouring.picture)
    return Content(surfaces, libraries=reader.libraries, areas=reader.areas(surfaces[0].vertices))


class _Reader:
    """What has been read of a file: numbers, not words, so that a large file does not need many times its size."""

    def __init__(self) -> None:
        self._points = array("d")
        self._corners = array("q")
        self._lengths = array("q")
        self._current = {b"g": "", b"o": "", b"usemtl": ""}
        self._statements = 0  # of names
        self._libraries: list[str] = []
        # The names that hold from a face on, and the number of faces before it.
        self._named: list[tuple[int, Names]] = [(0, ("", "", ""))]

    @property
    def counts(self) -> tuple[int, int]:
        """How many vertices, and how many corners of faces."""
        return len(self._points) // 3, len(self._corners)

    def read(self, block: bytes) -> None:
        """Adds some lines."""
        rows: list[list[bytes]] = []
        faces: list[list[bytes]] = []
        vertices = len(self._points) // 3
        for kind, rest in _STATEMENT.findall(block):
            if kind == b"v":
                rows.append(rest.split(None, 3)[:3])
            elif kind in (b"f", b"fo"):
                corners = (_TEXTURES_AND_NORMALS.sub(b"", rest) if b"/" in rest else rest).split()
                faces.append(_absolute(corners, vertices + len(rows)) if b"-" in rest else corners)
            elif kind == b"cstype":
                raise Refused("holds free-form curves or surfaces; export it as polygons")
            elif kind == b"mtllib":
                self._libraries.append(word(rest.strip()))
            else:
                self._current[kind] = word(rest.strip())
                self._name(len(self._lengths) + len(faces))
        self._add(rows, faces)

    def take(self, lines: Lines) -> None:
        """Adds lines that have been read already."""
        self._points.frombytes(np.ascontiguousarray(lines.vertices[:, :3]).tobytes())
        self._corners.frombytes(np.ascontiguousarray(lines.corners).tobytes())
        self._lengths.frombytes(np.full(len(lines.corners), lines.corners.shape[1]).tobytes())
        self._check_limits()

    def _name(self, before: int) -> None:
        """Notes the names that hold from now on, with the number of faces before."""
        self._statements += 1
        if self._statements > MOST_LINES:
            raise Refused(f"names over {MOST_LINES} groups, objects or materials; join them")
        names = (self._current[b"g"], self._current[b"o"], self._current[b"usemtl"])
        if self._named[-1][0] == before:
            self._named.pop()
        if not self._named or self._named[-1][1] != names:
            self._named.append((before, names))

    def _add(self, rows: list[list[bytes]], faces: list[list[bytes]]) -> None:
        if any(len(row) < 3 for row in rows):
            raise Refused(f"is malformed: {_NEEDS}")
        shortest = min(faces, key=len, default=[b""] * 3)
        if len(shortest) < 3:
            raise Refused(f"is malformed: the face 'f {word(b' '.join(shortest))[:40]}' has fewer than three corners")
        try:
            self._points.extend(map(float, itertools.chain.from_iterable(rows)))
        except (ValueError, OverflowError):
            raise no_numbers(itertools.chain.from_iterable(rows), _NEEDS) from None
        try:
            self._corners.extend(map(int, itertools.chain.from_iterable(faces)))
        except (ValueError, OverflowError):
            raise Refused(f"is malformed: {_NEEDS}") from None
        self._lengths.extend(map(len, faces))
        self._check_limits()

    def _check_limits(self) -> None:
        if len(self._corners) > 3 * MOST_TRIANGLES or len(self._points) // 3 + len(self._lengths) > MOST_LINES:
            raise Refused(f"holds over {MOST_TRIANGLES} triangles, or {MOST_LINES} vertices and faces; reduce them")

    def surfaces(self, colouring: Colouring | None = None) -> list[Surface]:
        """The surfaces of all that was read."""
        if not self._lengths:
            raise no_triangles("points or lines" if self._points else "")
        vertices: Floats = np.array(self._points).reshape(-1, 3)
        corners, lengths = np.array(self._corners), np.array(self._lengths)
        early = np.flatnonzero(corners < 1)
        if len(early):
            place = int(np.searchsorted(np.cumsum(lengths), early[0], side="right"))
            first = int(lengths[:place].sum())
            face = " ".join(map(str, corners[first : first + lengths[place]].tolist()))
            raise Refused(f"is malformed: the face 'f {face[:40]}' points before the first vertex, which is 1")
        origin = origins(lengths)
        triangles = mended(vertices, fans(corners - 1, lengths), origin)
        if colouring is not None:
            return self._coloured(colouring, vertices, triangles, corners - 1, lengths)
        names, part = self._parts(len(lengths))
        return by_part(names, vertices, triangles, part[origin])

    def _coloured(
        self, colouring: Colouring, vertices: Floats, triangles: Indices, corners: Indices, lengths: Indices
    ) -> list[Surface]:
        """A surface for each material, with its skin."""
        colouring.load()
        shades = colouring.shades(len(vertices))
        uv, rows = colouring.places(corners, lengths, triangles) or (None, triangles)
        materials, of_face = self._materials(len(lengths))
        transparent = [material if colouring.see_through(material) else "" for material in materials]
        skins = [colouring.skin(material, shades, uv) for material in materials]
        surfaces = by_part(materials, vertices, triangles, of_face[origins(lengths)], skins, rows)
        return [replace(one, see_through=name) for one, name in zip(surfaces, transparent, strict=True)]

    @property
    def libraries(self) -> list[str]:
        """The names of the files of its materials, each once."""
        return list(dict.fromkeys(self._libraries))[:_MOST_LIBRARIES]

    def areas(self, vertices: Floats) -> dict[str, float]:
        """The area of the faces of each material; nothing if no file says what they are.

        Args:
            vertices: (n, 3) of the file.
        """
        if not self._libraries:
            return {}
        lengths = np.array(self._lengths)
        materials, of_face = self._materials(len(lengths))
        if len(materials) > _MOST_MATERIALS:
            return {}
        triangles = fans(np.array(self._corners) - 1, lengths)
        parts = by_part(materials, vertices, triangles, of_face[origins(lengths)])
        return {part.part: surface_area(part) for part in parts}

    def _materials(self, faces: int) -> tuple[list[str], Indices]:
        """The names of the materials, and for each face (faces,) the index of its material."""
        starts = np.array([start for start, _ in self._named])
        run = np.diff(starts, append=faces)
        names = {material: index for index, material in enumerate(dict.fromkeys(name[2] for _, name in self._named))}
        return list(names), np.repeat([names[name[2]] for _, name in self._named], run)

    def _parts(self, faces: int) -> tuple[list[str], Indices]:
        """The names of the parts, and for each face (faces,) the index of its part."""
        starts = np.array([start for start, _ in self._named])
        run = np.diff(starts, append=faces)  # how many faces the names of each statement hold for
        used = [names for (_, names), length in zip(self._named, run.tolist(), strict=True) if length]
        name_of = _parts(list(dict.fromkeys(used)))
        parts = {part: index for index, part in enumerate(dict.fromkeys(name_of.values()))}
        return list(parts), np.repeat([parts[name_of[names]] for names in used], run[run > 0])


def _absolute(corners: list[bytes], before: int) -> list[bytes]:
    """The corners of a face, of which those below 0 are counted from the last of the vertices before it."""
    return [
        b"%d" % max(before + 1 + int(word), 0) if word[1:].isdigit() and word[:1] == b"-" else word for word in corners
    ]


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
