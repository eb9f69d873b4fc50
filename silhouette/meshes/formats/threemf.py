"""3MF: a zip archive of XML models, in which a build list places objects that are meshes or made of other objects.

Read here and not by trimesh, which finds nothing in a build list that points into other models of the archive (as
slicers write it), gives a component all meshes of the model it points into, and confuses equal numbers of different
models. Merging the models beforehand would take their XML as a tree twice over, and once takes trimesh 1.7 GB for a
million triangles already; streaming takes 0.12 GB and less time, and refuses every DOCTYPE, and so entities that grow.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

import numpy as np

from silhouette.geometry import Floats
from silhouette.meshes.formats.base import (
    LONGEST_NAME,
    MOST_PARTS,
    MOST_TRIANGLES,
    MOST_VERTICES,
    Refused,
    Surface,
    carried,
    no_triangles,
)

_CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_CORE_TAG = f"{_CORE} "
_PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
# Extensions that add nothing to what is seen, or that are read.
_KNOWN = (
    _PRODUCTION,
    "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    "http://schemas.microsoft.com/3dmanufacturing/securecontent/2019/04",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
)
_ROOT_RELATIONSHIP = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
_UNITS = ("micron", "millimeter", "centimeter", "inch", "foot", "meter")
# All XML of an archive together: three million triangles have half of it.
_LARGEST_XML = 256 * 1024**2
_MOST_ELEMENTS = 6_000_000
_SMALL_XML = 16 * 1024**2
# XML of meshes packs to a tenth; content that packs to a hundredth is a bomb.
_DENSEST = 100
_CHUNK = 1 << 18
# A tag with its attributes; expat looks at an unfinished one again with each chunk.
_LONGEST_TAG = 1 << 20
_MOST_FILES = 10_000
_DEEPEST = 32

Key = tuple[str, str]


@dataclass
class _Object:
    """A mesh, or a list of other objects with their transforms."""

    name: str
    kind: str
    vertices: array[float] = field(default_factory=lambda: array("d"))
    faces: array[int] = field(default_factory=lambda: array("q"))
    components: list[tuple[Key, Floats]] = field(default_factory=list)


@dataclass
class _Model:
    """One model of the archive: its unit, its objects by number, and what it builds."""

    unit: str = "millimeter"
    objects: dict[str, _Object] = field(default_factory=dict)
    build: list[tuple[Key, Floats]] = field(default_factory=list)
    declared: bool = False


def read(data: bytes, whole: bool = False) -> tuple[list[Surface], str]:
    """The objects that the build list places, each in place, and the unit that the file declares.

    Args:
        data: the file's bytes.
        whole: whether to keep the vertices that no triangle uses.

    Raises:
        Refused: for anything that the archive announces and has not, for encrypted content, for XML with a DOCTYPE.
    """
    if data.count(b"PK\x01\x02") > _MOST_FILES:
        raise Refused(f"is an archive of more than {_MOST_FILES} files; export it again")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error, UnicodeDecodeError):
        raise Refused("is truncated or no 3MF file: 3MF is a zip archive, and this one cannot be opened") from None
    with archive:
        return _read_archive(_Archive(archive), whole)


def _read_archive(archive: _Archive, whole: bool) -> tuple[list[Surface], str]:
    models: dict[str, _Model] = {}
    root = _root(archive)
    pending = {root: None}
    while pending:
        path = pending.popitem()[0]
        models[path] = _read_model(archive, path)
        referred = {key[0] for key, _ in models[path].build} if path == root else set[str]()
        for thing in models[path].objects.values():
            referred |= {key[0] for key, _ in thing.components}
        pending |= dict.fromkeys(file for file in sorted(referred, reverse=True) if file not in models)
    surfaces = _build(models, models[root].build, whole)
    if not surfaces:
        raise no_triangles()
    return surfaces, models[root].unit


class _Archive:
    """The zip archive, and how much of it may still be unpacked."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self._entries = {info.filename.lstrip("/").lower(): info for info in reversed(archive.infolist())}
        self._left = _LARGEST_XML
        self._elements = _MOST_ELEMENTS

    def __contains__(self, path: str) -> bool:
        return path.lower() in self._entries

    def parse(self, path: str, start: Any, end: Any, prefix: Any = None) -> None:
        """Stream an entry through expat; tags and attributes of a namespace come as ``namespace name``.

        Raises:
            Refused: where the entry is missing, encrypted, damaged, no XML, has a DOCTYPE, or is too large in any way.
        """
        info = self._entries.get(path.lower())
        if info is None:
            raise Refused(f"is incomplete: it refers to {path[:80]!r}, which its archive lacks")
        dense = info.file_size > _SMALL_XML and info.file_size > _DENSEST * info.compress_size
        if info.file_size > self._left or dense:
            raise Refused(f"is a zip bomb or too large: {path[:80]!r} would unpack to {info.file_size >> 20} MiB")
        if info.flag_bits & 1:
            raise Refused("is encrypted; export it without protection")
        # What zipfile unpacks of the others cannot be bounded: a few kilobytes may become gigabytes at one stroke.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Refused(f"is malformed: {path[:80]!r} is compressed in a way that 3MF does not know; export it again")
        self._left -= info.file_size
        parser = self._parser(start, end, prefix)
        fed = 0
        try:
            if info.file_size > _SMALL_XML:
                self._refuse_many(info)
            with self.archive.open(info) as stream:
                while chunk := stream.read(_CHUNK):
                    parser.Parse(chunk, False)
                    fed += len(chunk)
                    if fed - parser.CurrentByteIndex > _LONGEST_TAG:
                        raise Refused(f"is malformed: {path[:80]!r} has a tag of more than {_LONGEST_TAG >> 20} MiB")
                parser.Parse(b"", True)
        except expat.ExpatError as error:
            place = f"it goes wrong at line {error.lineno}, column {error.offset + 1}"
            raise Refused(f"is malformed or encrypted: {path[:80]!r} is no XML; {place}") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, struct.error):
            raise Refused(f"is truncated or damaged: {path[:80]!r} cannot be unpacked; export it again") from None

    def _refuse_many(self, info: zipfile.ZipInfo) -> None:
        """Refuses an entry that has too many elements before they are parsed, which takes ten times as long."""
        there = 0
        with self.archive.open(info) as stream:
            while chunk := stream.read(_CHUNK):
                there += chunk.count(b"<") - sum(map(chunk.count, (b"</", b"<!", b"<?"))) - 1  # one may lie at its end
        if there > self._elements:
            raise _too_many()

    def _parser(self, start: Any, end: Any, prefix: Any) -> Any:
        def refuse(*_: Any) -> None:
            raise Refused("is malformed: XML with a DOCTYPE is not allowed in 3MF")

        def count(tag: str, attributes: dict[str, str]) -> None:
            self._elements -= 1
            if self._elements < 0:
                raise _too_many()
            start(tag, attributes)

        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = count
        parser.EndElementHandler = end
        parser.StartNamespaceDeclHandler = prefix
        parser.StartDoctypeDeclHandler = refuse
        return parser


def _too_many() -> Refused:
    return Refused(f"has more than {_MOST_ELEMENTS} XML elements; reduce its triangles")


def _root(archive: _Archive) -> str:
    """The model that the archive starts with: the one its relationships name."""
    targets: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.endswith(" Relationship") and attributes.get("Type") == _ROOT_RELATIONSHIP:
            targets.append(attributes.get("Target", ""))

    if "_rels/.rels" in archive:
        archive.parse("_rels/.rels", start, None)
    path = posixpath.normpath(targets[0]).lstrip("/") if targets else "3D/3dmodel.model"
    if path not in archive:
        raise Refused(f"is no 3MF model: its archive lacks {path[:80]!r}")
    return path


class _Reader:
    """Fills a model from the stream of its XML."""

    def __init__(self, path: str) -> None:
        self.model = _Model()
        self._path = path
        self._things = 0  # objects, components and items
        self._object: _Object | None = None
        self._mesh: _Object | None = None
        self._spaces: dict[str, str] = {}
        self._handlers: dict[str, Callable[[dict[str, str]], None]] = {
            f"{_CORE_TAG}vertex": self._vertex,
            f"{_CORE_TAG}triangle": self._triangle,
            f"{_CORE_TAG}mesh": self._open_mesh,
            f"{_CORE_TAG}object": self._open_object,
            f"{_CORE_TAG}component": self._component,
            f"{_CORE_TAG}item": self._item,
            f"{_CORE_TAG}model": self._open_model,
        }

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        handler = self._handlers.get(tag)
        if handler is not None:
            handler(attributes)

    def _vertex(self, attributes: dict[str, str]) -> None:
        if self._mesh is not None:
            self._mesh.vertices.extend((float(attributes["x"]), float(attributes["y"]), float(attributes["z"])))

    def _triangle(self, attributes: dict[str, str]) -> None:
        if self._mesh is not None:
            self._mesh.faces.extend((int(attributes["v1"]), int(attributes["v2"]), int(attributes["v3"])))

    def _open_mesh(self, attributes: dict[str, str]) -> None:
        self._mesh = self._object

    def _open_object(self, attributes: dict[str, str]) -> None:
        self._count()
        number = attributes["id"]
        if number in self.model.objects:
            raise Refused(f"is malformed: two objects of one model have the number {number[:40]}")
        self._object = _Object(attributes.get("name", "").strip()[:LONGEST_NAME], attributes.get("type", "model"))
        self.model.objects[number] = self._object

    def _count(self) -> None:
        self._things += 1
        if self._things > 3 * MOST_PARTS:
            raise Refused(f"has more than {3 * MOST_PARTS} objects, components and items; join them, or split the file")

    def _component(self, attributes: dict[str, str]) -> None:
        self._count()
        if self._object is not None:
            self._object.components.append((self._key(attributes), _transform(attributes)))

    def _item(self, attributes: dict[str, str]) -> None:
        self._count()
        self.model.build.append((self._key(attributes), _transform(attributes)))

    def _open_model(self, attributes: dict[str, str]) -> None:
        if self.model.declared:
            raise Refused("is malformed: one model stands within another")
        self.model.declared = True
        self._check_required(attributes.get("requiredextensions", ""))
        self.model.unit = attributes.get("unit", "millimeter").strip().lower()
        if self.model.unit not in _UNITS:
            raise Refused(f"declares the unit {self.model.unit[:40]!r}; 3MF knows {', '.join(_UNITS)}")

    def prefix(self, short: str | None, space: str) -> None:
        self._spaces[short or ""] = space

    def _check_required(self, prefixes: str) -> None:
        for short in prefixes.split():
            space = self._spaces.get(short, short)
            if space not in _KNOWN:
                raise Refused(f"requires the 3MF extension {space[:80]!r}, which is not supported; export it without")

    def end(self, tag: str) -> None:
        if tag == f"{_CORE_TAG}mesh":
            self._mesh = None
        elif tag == f"{_CORE_TAG}object":
            self._object = None

    def _key(self, attributes: dict[str, str]) -> Key:
        path = attributes.get(f"{_PRODUCTION} path", "")
        return (posixpath.normpath(path).lstrip("/") if path else self._path), attributes["objectid"]


def _read_model(archive: _Archive, path: str) -> _Model:
    reader = _Reader(path)
    try:
        archive.parse(path, reader.start, reader.end, reader.prefix)
    except (KeyError, ValueError, OverflowError):
        raise Refused(f"is malformed: {path[:80]!r} has an element without a number that it needs") from None
    if not reader.model.declared:
        raise Refused(f"is malformed: {path[:80]!r} holds no 3MF model")
    return reader.model


def _transform(attributes: dict[str, str]) -> Floats:
    """A 3MF transform as (4, 4): twelve numbers, the rows of a matrix that is multiplied from the right."""
    matrix = np.eye(4)
    if "transform" in attributes:
        matrix[:3, :] = np.array(attributes["transform"].split(), dtype=np.float64).reshape(4, 3).T
    return matrix


def _build(models: dict[str, _Model], build: list[tuple[Key, Floats]], whole: bool) -> list[Surface]:
    """Every mesh below the build list, carried into place; a mesh that stands twice gives two surfaces."""
    surfaces: list[Surface] = []
    arrays: dict[Key, tuple[Floats, Any]] = {}
    triangles = points = placed = 0
    pending: list[tuple[Key, Floats, str, int]] = [(key, matrix, "", 1) for key, matrix in build[::-1]]
    while pending:
        key, matrix, inherited, depth = pending.pop()
        thing = models[key[0]].objects.get(key[1]) if key[0] in models else None
        if thing is None:
            raise Refused(f"is malformed: it places object {key[1][:40]} of {key[0][:80]!r}, which is not there")
        if depth > _DEEPEST:
            raise Refused(
                f"is malformed: object {key[1][:40]} is made of itself, or lies more than {_DEEPEST} objects deep"
            )
        placed += 1
        triangles += len(thing.faces) // 3
        points += len(thing.vertices) // 3 if thing.faces else 0
        if whole and points > MOST_VERTICES:
            raise Refused(f"places more than {MOST_VERTICES} vertices; reduce them")
        if placed > MOST_PARTS or triangles > MOST_TRIANGLES:
            raise Refused(f"places more than {MOST_TRIANGLES} triangles or {MOST_PARTS} objects")
        if thing.kind == "other":
            raise Refused(f"is malformed: it builds object {key[1][:40]}, whose type is 'other'")
        if thing.kind in ("support", "solidsupport"):
            continue
        name = thing.name or inherited
        if thing.faces:
            if key not in arrays:
                vertices = np.array(thing.vertices, dtype=np.float64).reshape(-1, 3)
                arrays[key] = vertices, np.array(thing.faces, dtype=np.int64).reshape(-1, 3)
            vertices, faces = arrays[key]
            surfaces.append(carried(Surface(name or f"object {key[1]}", vertices, faces), matrix, whole))
        if len(pending) + len(thing.components) > MOST_PARTS:
            raise Refused(f"places more than {MOST_TRIANGLES} triangles or {MOST_PARTS} objects")
        pending += [(part, matrix @ inner, name, depth + 1) for part, inner in thing.components[::-1]]
    return surfaces
