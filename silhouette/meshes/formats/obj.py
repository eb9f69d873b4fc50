"""OBJ: vertices and polygons, with parts by ``g``, ``o`` or ``usemtl``, and their colours.

A colour comes after the coordinates of a vertex, or from a material, which stands in a file of its own.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats
from silhouette.meshes.formats.base import (
    MAX_MESH_PARTS,
    MAX_MESH_TRIANGLES,
    MAX_TEXT_LINES,
    MeshContent,
    MeshRefused,
    PartSurface,
    Skin,
    blocks,
    by_part,
    no_numbers,
    no_triangles,
    plain_text,
    see_through,
    surface_area,
    word,
)
from silhouette.meshes.formats.colours import LINEAR_LIGHT, stored_bytes
from silhouette.meshes.formats.obj_lines import even
from silhouette.meshes.formats.polygons import Indices, fans, mended, origins

# ---- colours

_LIBRARY_STATEMENT = re.compile(rb"^[ \t]*mtllib[ \t]+([^\r\n#]*)", re.MULTILINE)
_TEXTURE = re.compile(rb"(?:^|[ \t])[^\s/]+(?:/([^\s/]*)\S*)?")
_MATERIAL = re.compile(rb"^[ \t]*(newmtl|Kd|map_Kd|d|Tr|map_d)[ \t]+([^\r\n]*)", re.MULTILINE | re.IGNORECASE)
# Options of a picture with how many words they take; those of -o, -s and -t are numbers, of which some may lack.
_OPTIONS = {"blendu": 1, "blendv": 1, "bm": 1, "boost": 1, "cc": 1, "clamp": 1, "imfchan": 1, "mm": 2, "texres": 1}
_OFFSETS = {"o": 3, "s": 3, "t": 3}
# Libraries of one file together, of which apps write one of a kilobyte.
_MAX_LIBRARY_BYTES = 16 * 1024**2
_MAX_LIBRARIES = 20


@dataclass
class _ObjMaterial:
    """A material of the libraries: its colour in linear light, the reference to its picture, how opaque it is."""

    factor: tuple[float, float, float] | None = None
    picture: str = ""
    opacity: float | None = None

    def describe(self, kind: str, rest: bytes, folder: str) -> None:
        if kind == "kd":
            self.factor = _factor(rest) or self.factor
        elif kind == "map_kd":
            picture = _reference(word(rest.strip()))
            self.picture = posixpath.join(folder, picture.replace("\\", "/")) if picture else self.picture
        elif kind == "map_d":
            self.opacity = 0.0
        elif (share := _share(rest)) is not None:
            # Some programs write Tr, the opposite of d, as 1 where they mean an opaque material.
            if kind == "d":
                self.opacity = min(share, 1.0 if self.opacity is None else self.opacity)
            elif self.opacity is None and 0.0 < share < 1.0:
                self.opacity = 1.0 - share


class Colouring:
    """The materials of an OBJ file, from the libraries that it names, and their pictures."""

    def __init__(self, fetch: Callable[[str], bytes]) -> None:
        self._fetch = fetch
        self._materials: dict[str, _ObjMaterial] = {}
        self._left = _MAX_LIBRARY_BYTES
        self.warnings: list[str] = []  # what is wrong with the colours; the shape is right without them

    def references(self, data: bytes) -> list[str]:
        """The names of all libraries and pictures that the colours of a file depend on."""
        libraries = [word(name.strip()) for name in _LIBRARY_STATEMENT.findall(data)]
        self.load(libraries)
        names = list(dict.fromkeys(libraries))[:_MAX_LIBRARIES]
        apart = [part for name in names for part in name.split()[:_MAX_LIBRARIES]]
        pictures = [material.picture for material in self._materials.values()]
        return sorted({*names, *apart, *filter(None, pictures)})

    def load(self, libraries: Sequence[str]) -> None:
        """Reads libraries of materials; what cannot be read is a warning."""
        for name in list(dict.fromkeys(libraries))[:_MAX_LIBRARIES]:
            # A name may hold spaces, and a line several names: the whole is tried first.
            for reference in [name] if self._library(name, tell=" " not in name) else name.split()[:_MAX_LIBRARIES]:
                if reference != name:
                    self._library(reference, tell=True)

    def _library(self, reference: str, tell: bool) -> bool:
        try:
            data = self._fetch(reference)
            self._left -= len(data)
            if self._left < 0:
                raise MeshRefused(f"refers to materials of more than {_MAX_LIBRARY_BYTES >> 20} MiB")
        except MeshRefused as refused:
            if tell:
                self.warnings.append(f"the mesh {refused}; without it, its materials have no colours")
            return False
        material = _ObjMaterial()
        folder = posixpath.dirname(reference.replace("\\", "/"))
        for kind, rest in _MATERIAL.findall(data):
            if kind.lower() == b"newmtl":
                material = self._materials.setdefault(word(rest.strip()), _ObjMaterial())
            else:
                material.describe(kind.decode().lower(), rest, folder)
            if len(self._materials) > MAX_MESH_PARTS:
                raise MeshRefused(f"names over {MAX_MESH_PARTS} materials; join them")
        return True

    def see_through(self, material: str) -> bool:
        """Whether pixels of a material may be transparent: it has a picture of its opacity, or one below 1."""
        entry = self._materials.get(material, _ObjMaterial())
        return entry.opacity is not None and entry.opacity < 1.0

    def skin(self, material: str, shades: NDArray[np.uint8] | None, uv: NDArray[np.float32] | None) -> Skin | None:
        """The skin of a material's faces, still without their corners: its picture, else vertices' colours, else Kd."""
        entry = self._materials.get(material, _ObjMaterial())
        if entry.picture and uv is not None:
            return Skin(picture=entry.picture, uv=uv)
        if shades is not None:
            return Skin(shades)
        return Skin(factor=entry.factor) if entry.factor else None

    def picture(self, name: str) -> bytes:
        """The bytes of a picture: where the library says, or else beside the OBJ file."""
        try:
            return self._fetch(name)
        except MeshRefused as refused:
            beside = name.replace("\\", "/").rpartition("/")[2]
            if beside in ("", name):
                raise
            with suppress(MeshRefused):
                return self._fetch(beside)
            raise refused


def _evenly_written(faces: list[bytes]) -> array[int]:
    """The places of the corners of faces whose corners are all written alike, at one stroke; none where they are not.

    >>> list(_evenly_written([b"1/7/1 2/8/1", b"3/9/1"])), list(_evenly_written([b"1/7 2//1"]))
    ([7, 8, 9], [])
    """
    places = array("q")
    text = b" ".join(faces)
    corners = len(text.split())
    numbers, rest = divmod(text.count(b"/"), max(corners, 1))
    if rest or numbers not in (1, 2) or b"//" in text or b"/ " in text or b"-" in text:
        return places
    words = text.replace(b"/", b" ").split()
    if len(words) == corners * (numbers + 1):
        places.extend(map(int, words[1 :: numbers + 1]))
    return places


def _each(faces: list[tuple[bytes, int]]) -> Iterator[int]:
    """The places of the corners of faces, 0 for none, one by one; those below 0 are counted from the last one known."""
    for rest, before in faces:
        for name in _TEXTURE.findall(rest):
            place = int(name or b"0")
            yield max(before + 1 + place, 0) if place < 0 else place


def _numbers(rows: list[list[bytes]], count: int) -> Floats:
    """(n, count) the numbers of rows of words; no numbers where a row has not as many."""
    missing = [b"nan"] * count
    words = itertools.chain.from_iterable(row if len(row) == count else missing for row in rows)
    return np.fromiter(map(float, words), np.float64).reshape(-1, count)


def _vertices(rest: bytes, before: int) -> list[bytes]:
    """The vertices of the corners of a face, as words; those below 0 are counted from the last of those before it."""
    corners = (_TEXTURES_AND_NORMALS.sub(b"", rest) if b"/" in rest else rest).split()
    if b"-" not in rest:
        return corners
    return [
        b"%d" % max(before + 1 + int(word), 0) if word[1:].isdigit() and word[:1] == b"-" else word for word in corners
    ]


def _share(rest: bytes) -> float | None:
    """The number of a line such as ``0.5`` or ``-halo 0.5``; None where there is none."""
    with suppress(ValueError, IndexError):
        return float(rest.split()[-1])
    return None


def _factor(rest: bytes) -> tuple[float, float, float] | None:
    """The linear light of a colour such as ``0.8 0.1 0.1``, or None of what is none."""
    words = rest.split()
    try:
        shares = np.clip([float(word) for word in (words * 3)[:3]], 0.0, 1.0)
    except ValueError:
        return None
    if len(shares) < 3 or not np.isfinite(shares).all():
        return None
    red, green, blue = (float(LINEAR_LIGHT[round(255 * share)]) for share in shares)
    return red, green, blue


def _reference(text: str) -> str:
    """The name of the picture in what follows ``map_Kd``, which may begin with options.

    >>> _reference("-s 1 1 1 -clamp on my texture.jpg"), _reference("a.png"), _reference("-o 0.5 2.png")
    ('my texture.jpg', 'a.png', '2.png')
    """
    words = text.split(" ")
    while len(words) > 1 and words[0][:1] == "-" and (words[0][1:] in _OPTIONS or words[0][1:] in _OFFSETS):
        option = words.pop(0)[1:]
        for _ in range(_OPTIONS.get(option, _OFFSETS.get(option, 0))):
            if len(words) < 2 or (option in _OFFSETS and not _is_number(words[0])):
                break
            words.pop(0)
    return " ".join(words).strip()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# ---- the reader

_STATEMENT, _STATEMENT_WITH_COLOURS = (
    re.compile(rb"^[ \t]*(" + words + rb")(?:[ \t]+([^\n#]*)|(?=[\n#]|$))", re.MULTILINE)
    for words in (rb"v|f|fo|g|o|usemtl|mtllib|cstype", rb"v|vt(?=[ \t])|f|fo|g|o|usemtl|mtllib(?=[ \t])|cstype")
)
_TEXTURES_AND_NORMALS = re.compile(rb"/\S*")
_MAX_MATERIALS = 1000
_OBJ_LINE_NEEDS = "a vertex line needs three numbers, the corners of a face need to be whole numbers"

Names = tuple[str, str, str]


def read(data: bytes, colouring: Colouring | None = None) -> MeshContent:
    """The surfaces of an OBJ file, one for each part, which share their vertices: all of the file, in its order.

    Normals are not looked at; textures and materials' own files only where colours are wanted. Then there is a surface
    for each material.

    Read here and not by trimesh, which counts relative indices from the end of the file instead of from the face, takes
    index 0 for 1, passes over an indented statement and mixes groups with materials; and which, handed a text without
    all that, needs three times the time and twice the memory.
    """
    reader = _ObjReader(coloured=colouring is not None)
    for block in blocks(plain_text(data).replace(b"\\\n", b" ")):
        reader.read(block)
    surfaces = reader.surfaces(colouring)
    if colouring is not None:
        warnings = [*reader.warnings, *colouring.warnings, *see_through(surfaces)]
        return MeshContent(surfaces, warnings, picture=colouring.picture)
    return MeshContent(surfaces, libraries=reader.libraries, areas=reader.areas(surfaces[0].vertices))


class _ObjReader:
    """What has been read of a file: numbers, not words, so that a large file does not need many times its size."""

    def __init__(self, *, coloured: bool) -> None:
        self._points, self._corners, self._lengths = list[Floats](), list[Indices](), list[Indices]()
        self._vertices = self._faces = self._all_corners = 0  # that have been read
        self._coloured = coloured  # until a colour is no number
        self._shades, self._places, self._textures = list[Floats](), list[Floats](), list[Indices]()
        self._all_places, self._has_textures = 0, False
        self.warnings: list[str] = []
        self._current = {b"g": "", b"o": "", b"usemtl": ""}
        self._statements = 0  # of names
        self._libraries: list[str] = []
        # The names that hold from a face on, and the number of faces before it.
        self._named: list[tuple[int, Names]] = [(0, ("", "", ""))]

    def read(self, block: bytes) -> None:
        """Adds some lines, written evenly or not."""
        lines = even(block, textured=self._coloured)
        if lines is None:
            self._read(block)
            return
        if self._coloured:
            has_shades, has_places = lines.vertices.shape[1] >= 6, lines.places.shape[1] >= 2
            shades = lines.vertices[:, 3:6] if has_shades else np.full((len(lines.vertices), 3), np.nan)
            places = lines.places[:, :2] if has_places else np.full((len(lines.places), 2), np.nan)
            textures = np.zeros_like(lines.corners) if lines.textures is None else lines.textures
            self._add_colours(shades, places, textures.ravel(), has_textures=lines.textures is not None)
        lengths = np.full(len(lines.corners), lines.corners.shape[1])
        self._add(np.ascontiguousarray(lines.vertices[:, :3]), lines.corners.ravel(), lengths)

    def _read(self, block: bytes) -> None:
        rows: list[list[bytes]] = []
        faces: list[list[bytes]] = []
        places: list[list[bytes]] = []
        # Of each face its words, and how many places there are before it, from which those below 0 are counted.
        textures: list[tuple[bytes, int]] = []
        words = 6 if self._coloured else 3
        for kind, rest in (_STATEMENT_WITH_COLOURS if self._coloured else _STATEMENT).findall(block):
            if kind == b"v":
                rows.append(rest.split(None, words)[:words])
            elif kind in (b"f", b"fo"):
                faces.append(_vertices(rest, self._vertices + len(rows)))
                textures.append((rest, self._all_places + len(places)))
            elif kind == b"vt":
                places.append(rest.split(None, 2)[:2])
            elif kind == b"cstype":
                raise MeshRefused("holds free-form curves or surfaces; export it as polygons")
            elif kind == b"mtllib":
                # Where the colours cannot be used, nothing more is looked at that is for them alone.
                self._libraries += [] if self.warnings else [word(rest.strip())]
            else:
                self._current[kind] = word(rest.strip())
                self._name(self._faces + len(faces))
        if self._coloured:
            self._colour(rows, places, textures if b"/" in block else [], sum(map(len, faces)))
            rows = [row[:3] for row in rows]
        self._add_words(rows, faces)

    def _colour(
        self, rows: list[list[bytes]], places: list[list[bytes]], faces: list[tuple[bytes, int]], corners: int
    ) -> None:
        """Adds the colours of some vertices, places, and the places of so many corners, by the words of faces."""
        try:
            shades = _numbers([row[3:] for row in rows], 3)
            pairs = _numbers(places, 2)
            textures = np.zeros(corners, np.int64)
            stored = np.fromiter(_evenly_written([rest for rest, _ in faces]) or _each(faces), np.int64)[:corners]
            textures[: len(stored)] = stored
        except (ValueError, OverflowError):
            self._shades, self._places, self._textures = [], [], []
            self._coloured = self._has_textures = False
            self.warnings.append("colours or places in pictures are no numbers; the mesh is shown without them")
        else:
            self._add_colours(shades, pairs, textures, has_textures=bool(faces))

    def _add_colours(self, shades: Floats, places: Floats, textures: Indices, *, has_textures: bool) -> None:
        self._shades.append(shades.astype(np.float32))
        self._places.append(places.astype(np.float32))
        self._textures.append(textures)
        self._has_textures |= has_textures
        self._all_places += len(places)
        if self._all_places > MAX_TEXT_LINES:
            raise MeshRefused(f"holds over {MAX_TEXT_LINES} places in pictures ('vt' lines); reduce them")

    def _name(self, before: int) -> None:
        """Notes the names that hold from now on, with the number of faces before."""
        self._statements += 1
        if self._statements > MAX_TEXT_LINES:
            raise MeshRefused(f"names over {MAX_TEXT_LINES} groups, objects or materials; join them")
        names = (self._current[b"g"], self._current[b"o"], self._current[b"usemtl"])
        if self._named[-1][0] == before:
            self._named.pop()
        if not self._named or self._named[-1][1] != names:
            self._named.append((before, names))

    def _add_words(self, rows: list[list[bytes]], faces: list[list[bytes]]) -> None:
        if any(len(row) < 3 for row in rows):
            raise MeshRefused(f"is malformed: {_OBJ_LINE_NEEDS}")
        shortest = min(faces, key=len, default=[b""] * 3)
        if len(shortest) < 3:
            raise MeshRefused(
                f"is malformed: the face 'f {word(b' '.join(shortest))[:40]}' has fewer than three corners"
            )
        try:
            points = np.fromiter(map(float, itertools.chain.from_iterable(rows)), np.float64)
        except (ValueError, OverflowError):
            raise no_numbers(itertools.chain.from_iterable(rows), _OBJ_LINE_NEEDS) from None
        try:
            corners = np.fromiter(map(int, itertools.chain.from_iterable(faces)), np.int64)
        except (ValueError, OverflowError):
            raise MeshRefused(f"is malformed: {_OBJ_LINE_NEEDS}") from None
        self._add(points.reshape(-1, 3), corners, np.fromiter(map(len, faces), np.int64))

    def _add(self, points: Floats, corners: Indices, lengths: Indices) -> None:
        self._points.append(points)
        self._corners.append(corners)
        self._lengths.append(lengths)
        self._vertices += len(points)
        self._faces += len(lengths)
        self._all_corners += len(corners)
        if self._all_corners > 3 * MAX_MESH_TRIANGLES or self._vertices + self._faces > MAX_TEXT_LINES:
            raise MeshRefused(
                f"holds over {MAX_MESH_TRIANGLES} triangles, or {MAX_TEXT_LINES} vertices and faces; reduce them"
            )

    def surfaces(self, colouring: Colouring | None = None) -> list[PartSurface]:
        if not self._faces:
            raise no_triangles("points or lines" if self._vertices else "")
        vertices = np.concatenate(self._points)
        corners, lengths = np.concatenate(self._corners), np.concatenate(self._lengths)
        early = np.flatnonzero(corners < 1)
        if len(early):
            place = int(np.searchsorted(np.cumsum(lengths), early[0], side="right"))
            first = int(lengths[:place].sum())
            face = " ".join(map(str, corners[first : first + lengths[place]].tolist()))
            raise MeshRefused(f"is malformed: the face 'f {face[:40]}' points before the first vertex, which is 1")
        origin = origins(lengths)
        triangles = mended(vertices, fans(corners - 1, lengths), origin)
        if colouring is not None:
            return self._painted(colouring, vertices, triangles, corners - 1, lengths)
        names, part = self._parts(len(lengths))
        return by_part(names, vertices, triangles, part[origin])

    def _painted(
        self, colouring: Colouring, vertices: Floats, triangles: Indices, corners: Indices, lengths: Indices
    ) -> list[PartSurface]:
        colouring.load(self._libraries)
        shades = self._colours_of_vertices()
        uv, rows = self._uv(corners, lengths, triangles) or (None, triangles)
        materials, of_face = self._materials(len(lengths))
        transparent = [material if colouring.see_through(material) else "" for material in materials]
        skins = [colouring.skin(material, shades, uv) for material in materials]
        surfaces = by_part(materials, vertices, triangles, of_face[origins(lengths)], skins, rows)
        return [replace(surface, see_through=name) for surface, name in zip(surfaces, transparent, strict=True)]

    def _colours_of_vertices(self) -> NDArray[np.uint8] | None:
        """The colours (n, 3) of all vertices, or None where fewer than half of them have one."""
        if not self._shades:
            return None
        colours = np.concatenate(self._shades)
        has = np.isfinite(colours).all(axis=1)
        if 2 * np.count_nonzero(has) < max(len(colours), 1):
            return None
        colours[~has] = np.nan
        return stored_bytes(colours, "f4")

    def _uv(self, corners: Indices, lengths: Indices, triangles: Indices) -> tuple[NDArray[Any], Indices] | None:
        """Places in pictures (k, 2), and for each corner of each triangle (t, 3) its row there or -1; None without.

        Args:
            corners: the vertices of the corners of all polygons, one after the other, from 0.
            lengths: how many each polygon has.
            triangles: (t, 3) made of them: fans, but for what was mended, whose corners take a place of their vertex.
        """
        if not self._all_places or not self._has_textures:
            return None
        uv = np.concatenate(self._places)
        uv[:, 1] = 1.0 - uv[:, 1]
        stored = np.concatenate(self._textures) - 1
        row = np.where((stored >= 0) & (stored < len(uv)), stored, -1)
        rows = row[fans(np.arange(len(corners)), lengths)]
        mended = (fans(corners, lengths) != triangles).any(axis=1)
        if mended.any():
            some = np.full(int(corners.max()) + 1, -1, np.int64)
            some[corners] = row
            rows[mended] = some[triangles[mended]]
        return uv, rows

    @property
    def libraries(self) -> list[str]:
        return list(dict.fromkeys(self._libraries))[:_MAX_LIBRARIES]

    def areas(self, vertices: Floats) -> dict[str, float]:
        """The area of the faces of each material; nothing if no file says what they are."""
        if not self._libraries:
            return {}
        lengths = np.concatenate(self._lengths)
        materials, of_face = self._materials(len(lengths))
        if len(materials) > _MAX_MATERIALS:
            return {}
        triangles = fans(np.concatenate(self._corners) - 1, lengths)
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


def _parts(named: list[Names]) -> dict[Names, str]:
    """The part for each combination of group, object and material: by what tells most apart, materials only at last.

    >>> _parts([("all", "", "green"), ("all", "", "steel")]), _parts([("", "", "")])
    ({('all', '', 'green'): 'green', ('all', '', 'steel'): 'steel'}, {('', '', ''): 'mesh'})
    """
    groups, objects, materials = (len(set(column)) for column in zip(*named, strict=True))
    both = len({names[:2] for names in named})
    if both > max(groups, objects):
        return {names: "/".join(filter(None, (names[1], names[0]))) or "mesh" for names in named}
    if both > 1:
        which = int(objects > groups)
    elif materials > 1:
        which = 2
    else:
        which = next((which for which, name in enumerate(named[0]) if name), 0)
    return {names: names[which] or "mesh" for names in named}
