"""3MF: a zip archive of XML models, in which a build list places objects that are meshes or made of other objects.

archive -> a stream of XML for each model -> its objects, what they are made of, and what it builds -> meshes in place

Read here and not by trimesh, which finds nothing in a build list that points into other models of the archive (as
slicers write it), gives a component all meshes of the model it points into, and confuses equal numbers of different
models. Merging the models beforehand would take their XML as a tree twice over, and once takes trimesh 1.7 GB for a
million triangles already; streaming takes 0.12 GB and less time, and refuses every DOCTYPE, and so entities that grow.
"""

from __future__ import annotations

import posixpath
from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, corners
from silhouette.files.archives import SMALL_FILE_BYTES, ArchiveError, SafeZip
from silhouette.meshes.formats.base import (
    MAX_MESH_PARTS,
    MAX_MESH_TRIANGLES,
    MAX_MESH_VERTICES,
    MAX_PART_NAME_LENGTH,
    MeshContent,
    MeshRefused,
    PartSurface,
    carried,
    no_numbers,
    no_triangles,
)
from silhouette.meshes.formats.plain_xml import MeshFeed, Opened
from silhouette.meshes.formats.slicers import (
    AS_BODY,
    CONFIG,
    MAX_SLICER_ENTRIES,
    NEGATIVE,
    NOT_PRINTED,
    Configuration,
    ObjectDescription,
    Volume,
    kind_of_setting,
    left_out_in_words,
    plain,
)
from silhouette.meshes.health import misdirected

# All XML of an archive together: three million triangles have half of it.
_MAX_XML_BYTES = 256 * 1024**2
_MAX_XML_ELEMENTS = 6_000_000
# Vertices that no triangle can have, and what is neither: colours, places in pictures, and what is not read.
_MAX_IDLE_ELEMENTS = 1_500_000
_BEGINNINGS = (b"<triangle ", b":triangle "), (b"<vertex ", b":vertex ")
# Elements that are no plain vertices or triangles, which take five times as long.
_MAX_ODD = 1_500_000
_NO_ELEMENTS = (b"</", b"<!", b"<?", b"<\0/", b"<\0!", b"<\0?")  # how else XML begins with <, in UTF-16 as well
# XML of meshes packs to a tenth; content that packs to a hundredth is a bomb.
_DENSEST = 100
_STREAM_CHUNK_BYTES = 1 << 18
# A tag with its attributes; expat looks at an unfinished one again with each chunk.
_MAX_TAG_BYTES = 1 << 20
_MAX_PACKAGE_FILES = 10_000


class PackageArchive:
    """The zip archive that a 3MF file is, and how much of its XML may still be read.

    Attributes:
        names: of its entries, in lower case.
    """

    def __init__(self, data: bytes) -> None:
        broken = "is truncated or no 3MF file: 3MF is a zip archive, and this one cannot be opened"
        most = _MAX_PACKAGE_FILES, _MAX_PACKAGE_FILES
        try:
            self._zip = SafeZip(data, most, broken, "export it again", total=_MAX_XML_BYTES, densest=_DENSEST)
        except ArchiveError as error:
            raise MeshRefused(str(error)) from None
        self._entries = {info.filename.lstrip("/").lower(): info for info in reversed(self._zip.infos)}
        self.names = tuple(self._entries)
        self._elements, self._odd, self._triangles = _MAX_XML_ELEMENTS, _MAX_ODD, 0
        self._opened: Opened | None = None

    def __contains__(self, path: str) -> bool:
        return path.lower() in self._entries

    def parse(
        self,
        path: str,
        start: Any,
        end: Any,
        prefix: Any = None,
        text: Any = None,
        separator: str | None = " ",
        most: int = _MAX_XML_ELEMENTS,
    ) -> None:
        """Stream an entry of ``most`` elements through expat; tags of a namespace come as ``namespace name``.

        So do attributes; without a separator they come as they are written, ``prefix:name``, whether or not the prefix
        is declared. ``text`` gets the characters after the elements for which ``start`` gives True. An array that it
        gives is that of a list of vertices or triangles: the plain ones go there, and do not come as elements.
        """
        info = self._entries.get(path.lower())
        if info is None:
            raise MeshRefused(f"is incomplete: it refers to {path[:80]!r}, which its archive lacks")
        unusual = f"is malformed: {path[:80]!r} is compressed in a way that 3MF does not know; export it again"
        parser = self._parser(start, end, prefix, text, separator)
        try:
            self._zip.check_size(info)
            self._zip.check(info, "protection", unusual)
            with self._zip.opened(info) as stream:
                if info.file_size > SMALL_FILE_BYTES:
                    self._refuse_many(stream, most)
                self._feed(parser, stream, path)
        except ArchiveError as error:
            raise MeshRefused(str(error)) from None
        except expat.ExpatError as error:
            place = f"it goes wrong at line {error.lineno}, column {error.offset + 1}"
            raise MeshRefused(f"is malformed or encrypted: {path[:80]!r} is no XML; {place}") from None

    def _feed(self, parser: Any, stream: IO[bytes], path: str) -> None:
        feed = MeshFeed(parser, lambda: self._opened, self._count)
        while chunk := stream.read(_STREAM_CHUNK_BYTES):
            feed.feed(chunk)
            if feed.fed - parser.CurrentByteIndex > _MAX_TAG_BYTES:
                raise MeshRefused(f"is malformed: {path[:80]!r} has a tag of more than {_MAX_TAG_BYTES >> 20} MiB")
        feed.end()

    def _count(self, elements: int) -> None:
        self._elements -= elements
        if self._elements < 0:
            raise _too_many(_MAX_XML_ELEMENTS)

    def _refuse_many(self, stream: IO[bytes], most: int) -> None:
        """Refuses an entry that has too many elements before they are parsed, which takes ten times as long."""
        there = triangles = vertices = 0
        while chunk := stream.read(_STREAM_CHUNK_BYTES):
            others = _NO_ELEMENTS if b"\0" in chunk else _NO_ELEMENTS[:3]
            there += chunk.count(b"<") - sum(map(chunk.count, others)) - 1  # one may lie at its end
            triangles += sum(map(chunk.count, _BEGINNINGS[0]))
            vertices += sum(map(chunk.count, _BEGINNINGS[1]))
        if there > min(self._elements, most):
            raise _too_many(most)
        self._triangles += triangles
        if self._triangles > MAX_MESH_TRIANGLES:
            raise MeshRefused(f"holds over {MAX_MESH_TRIANGLES} triangles; reduce them")
        if there - triangles - min(vertices, 3 * triangles) > _MAX_IDLE_ELEMENTS:
            raise MeshRefused(
                f"has more than {_MAX_IDLE_ELEMENTS} XML elements that are neither triangles nor their vertices; "
                "export it without colours, or reduce it"
            )
        stream.seek(0)

    def _parser(self, start: Any, end: Any, prefix: Any, text: Any, separator: str | None) -> Any:
        def refuse(*_: Any) -> None:
            raise MeshRefused("is malformed: XML with a DOCTYPE is not allowed in 3MF")

        def count(tag: str, attributes: dict[str, str]) -> None:
            self._elements -= 1
            self._odd -= 1
            if self._elements < 0:
                raise _too_many(_MAX_XML_ELEMENTS)
            if self._odd < 0:
                raise MeshRefused(
                    f"has more than {_MAX_ODD} XML elements that are neither vertices nor triangles as most programs "
                    "write them; export it with another one, or reduce it"
                )
            given = start(tag, attributes)
            parser.CharacterDataHandler = text if given is True else None
            self._opened = (parser.CurrentByteIndex, given) if isinstance(given, array) else None

        parser = expat.ParserCreate(namespace_separator=separator)
        parser.buffer_text = True
        parser.StartElementHandler = count
        parser.EndElementHandler = end
        parser.StartNamespaceDeclHandler = prefix
        parser.StartDoctypeDeclHandler = refuse
        return parser


def _too_many(most: int) -> MeshRefused:
    return MeshRefused(f"has more than {min(most, _MAX_XML_ELEMENTS)} XML elements; reduce its triangles")


# ---- one model of the archive

_CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_CORE_TAG = f"{_CORE} "
_VERTEX_LIST, _TRIANGLE_LIST = f"{_CORE_TAG}vertices", f"{_CORE_TAG}triangles"
_SLIC3R_VOLUME = "http://schemas.slic3r.org/3mf/2017/06 volume"
_PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
# Extensions that add nothing to what is seen, or that are read.
_EXTENSIONS = (
    _PRODUCTION,
    "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    "http://schemas.microsoft.com/3dmanufacturing/securecontent/2019/04",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
)
_UNREAD_SHAPES = {
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02 beamlattice": "beams",
    "http://schemas.3mf.io/3dmanufacturing/booleans/2023/07 booleanshape": "shapes cut from others (booleans)",
    "http://schemas.3mf.io/3dmanufacturing/displacement/2023/10 displacementmesh": "displaced meshes",
    "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01 levelset": "shapes of functions (level sets)",
}
"""What extensions that need not be understood describe shapes by, which are not read."""
_MODEL_UNITS = ("micron", "millimeter", "centimeter", "inch", "foot", "meter")
_HELPERS = {"support": "support", "solidsupport": "solid support", "other": "object of type 'other'"}
"""Types of objects, as the core specification has them, that are no part of what is printed."""

Key = tuple[str, str]


@dataclass
class Object:
    """A mesh, or a list of other objects with their transforms."""

    name: str  # as the file has it
    role: str = AS_BODY  # what it is, if it is not body
    vertices: array[float] = field(default_factory=lambda: array("d"))  # x, y and z of all
    faces: array[int] = field(default_factory=lambda: array("q"))  # the three corners of all
    # The objects that it is made of, each with its matrix (4, 4)
    components: list[tuple[Key, Floats]] = field(default_factory=list)
    volumes: list[Volume] = field(default_factory=list)  # ranges of its triangles that Slic3r names


@dataclass
class ObjectPlace:
    """An object that is to be placed, with what the build list, or those above it, say: a name, a role other than body,
    the roles of parts.
    """

    key: Key
    matrix: Floats  # (4, 4)
    role: str = AS_BODY
    depth: int = 1
    name: str = ""
    description: ObjectDescription | None = None


@dataclass
class PackageModel:
    """One model of the archive: its unit, its objects by number, what it builds, and what of it is not read."""

    unit: str = "millimeter"
    objects: dict[str, Object] = field(default_factory=dict)
    build: list[ObjectPlace] = field(default_factory=list)
    declared: bool = False
    unread: set[str] = field(default_factory=set)


class _ModelReader:
    """Fills a model from the stream of its XML."""

    def __init__(self, path: str) -> None:
        self.model = PackageModel()
        self._path = path
        self._things = 0  # objects, components and items
        self._object: Object | None = None
        self._mesh: Object | None = None
        self._owner: Object | ObjectPlace | None = None  # of settings
        self._setting = ""
        self._value = ""
        self._spaces: dict[str, str] = {}
        self._handlers: dict[str, Callable[[dict[str, str]], None]] = {
            f"{_CORE_TAG}vertex": self._vertex,
            f"{_CORE_TAG}triangle": self._triangle,
            f"{_CORE_TAG}mesh": self._open_mesh,
            f"{_CORE_TAG}object": self._open_object,
            f"{_CORE_TAG}component": self._component,
            f"{_CORE_TAG}item": self._item,
            f"{_CORE_TAG}model": self._open_model,
            _SLIC3R_VOLUME: self._volume,
            **{tag: partial(self._unread, shape) for tag, shape in _UNREAD_SHAPES.items()},
        }

    def start(self, tag: str, attributes: dict[str, str]) -> bool | array[Any]:
        """An element begins; answers whether its text is a setting of an object, or the array of a list of a mesh."""
        handler = self._handlers.get(tag)
        if handler is not None:
            handler(attributes)
        elif self._mesh is not None and tag in (_VERTEX_LIST, _TRIANGLE_LIST):
            return self._mesh.vertices if tag == _VERTEX_LIST else self._mesh.faces
        elif self._owner is not None and tag.endswith((" metadata", " setting")):
            self._setting, self._value = attributes.get("name") or attributes.get("key", ""), ""
            return True
        return False

    def text(self, characters: str) -> None:
        """Some characters of a setting."""
        self._value = (self._value + characters)[:MAX_PART_NAME_LENGTH]

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
            raise MeshRefused(f"is malformed: two objects of one model have the number {number[:40]}")
        role = _HELPERS.get(attributes.get("type", "model").strip().lower(), AS_BODY)
        self._object = self._owner = Object(attributes.get("name", "").strip()[:MAX_PART_NAME_LENGTH], role)
        self.model.objects[number] = self._object

    def _unread(self, shape: str, attributes: dict[str, str]) -> None:
        self.model.unread.add(shape)

    def _volume(self, attributes: dict[str, str]) -> None:
        self._count()
        if self._object is not None and plain(attributes.get("modifier", "")) == "1":
            self._object.volumes.append(Volume("modifier", "", int(attributes["ts"]), int(attributes["te"])))

    def _count(self) -> None:
        self._things += 1
        if self._things > 3 * MAX_MESH_PARTS:
            raise MeshRefused(
                f"has more than {3 * MAX_MESH_PARTS} objects, components and items; join them, or split the file"
            )

    def _component(self, attributes: dict[str, str]) -> None:
        self._count()
        if self._object is not None:
            self._object.components.append((self._key(attributes), _transform(attributes)))

    def _item(self, attributes: dict[str, str]) -> None:
        self._count()
        printed = next((value for name, value in attributes.items() if plain(name).endswith("printable")), "1")
        role = NOT_PRINTED if plain(printed) in ("0", "false", "no") else AS_BODY
        self._owner = ObjectPlace(self._key(attributes), _transform(attributes), role)
        self.model.build.append(self._owner)

    def _open_model(self, attributes: dict[str, str]) -> None:
        if self.model.declared:
            raise MeshRefused("is malformed: one model stands within another")
        self.model.declared = True
        for short in attributes.get("requiredextensions", "").split():
            space = self._spaces.get(short, short)
            if space not in _EXTENSIONS:
                raise MeshRefused(
                    f"requires the 3MF extension {space[:80]!r}, which is not supported; export it without"
                )
        self.model.unit = attributes.get("unit", "millimeter").strip().lower()
        if self.model.unit not in _MODEL_UNITS:
            raise MeshRefused(f"declares the unit {self.model.unit[:40]!r}; 3MF knows {', '.join(_MODEL_UNITS)}")

    def prefix(self, short: str | None, space: str) -> None:
        self._spaces[short or ""] = space

    def end(self, tag: str) -> None:
        if self._setting and self._owner is not None and tag.endswith((" metadata", " setting")):
            self._owner.role = self._owner.role or kind_of_setting(self._setting, self._value)
            self._setting = ""
        elif tag == f"{_CORE_TAG}mesh":
            self._mesh = None
        elif tag == f"{_CORE_TAG}object":
            self._object = self._owner = None
        elif tag == f"{_CORE_TAG}item":
            self._owner = None

    def _key(self, attributes: dict[str, str]) -> Key:
        path = attributes.get(f"{_PRODUCTION} path", "")
        return (posixpath.normpath(path).lstrip("/") if path else self._path), attributes["objectid"]


def read_model(archive: PackageArchive, path: str) -> PackageModel:
    """A model of the archive."""
    reader = _ModelReader(path)
    try:
        archive.parse(path, reader.start, reader.end, reader.prefix, reader.text)
    except (KeyError, ValueError, OverflowError) as error:
        # "could not convert string to float: '1,5'"
        words = str(error).rpartition(": ")[2].strip("'").encode(errors="replace")
        raise no_numbers([words], f"{path[:80]!r} has an element without a number that it needs") from None
    if not reader.model.declared:
        raise MeshRefused(f"is malformed: {path[:80]!r} holds no 3MF model")
    return reader.model


def _transform(attributes: dict[str, str]) -> Floats:
    """A 3MF transform as (4, 4): twelve numbers, the rows of a matrix that is multiplied from the right."""
    matrix = np.eye(4)
    if "transform" in attributes:
        matrix[:3, :] = np.array(attributes["transform"].split(), dtype=np.float64).reshape(4, 3).T
    return matrix


# ---- the archive

_ROOT_RELATIONSHIP = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
_MAX_LEVELS = 32
_MAX_FILE_WARNINGS = 12


def read(data: bytes, whole: bool = False) -> MeshContent:
    """The objects that the build list places, each in place, and the unit that the file declares.

    What its slicer uses but does not print, such as a modifier or a support, is left out, and a warning names it.

    Args:
        data: the file's bytes.
        whole: whether to keep the vertices that no triangle uses.

    Raises:
        MeshRefused: for anything that the archive announces and has not, for encrypted content, for XML with a DOCTYPE.
    """
    archive = PackageArchive(data)
    models: dict[str, PackageModel] = {}
    root = _root(archive)
    pending = {root: None}
    while pending:
        path = pending.popitem()[0]
        models[path] = read_model(archive, path)
        referred = {item.key[0] for item in models[path].build} if path == root else set[str]()
        for thing in models[path].objects.values():
            referred |= {key[0] for key, _ in thing.components}
        pending |= dict.fromkeys(file for file in sorted(referred, reverse=True) if file not in models)
    builder = _Builder(models, root, _configuration(archive), whole)
    builder.build()
    if not builder.surfaces:
        raise no_triangles(", ".join(filter(None, [left_out_in_words(builder.left_out), *builder.unread])))
    return MeshContent(builder.surfaces, builder.warnings(), models[root].unit)


def _configuration(archive: PackageArchive) -> Configuration:
    """What slicers say of the volumes; a configuration that cannot be read is a warning."""
    configuration = Configuration()
    for path in archive.names:
        if CONFIG.fullmatch(path):
            try:
                # PrusaSlicer writes slic3rpe:text, and declares no such namespace.
                archive.parse(path, configuration.start, configuration.end, separator=None, most=MAX_SLICER_ENTRIES)
            except MeshRefused as refused:
                configuration.warnings.append(
                    f"what its slicer says of modifiers and supports is not known, and they count as body: it {refused}"
                )
    return configuration


def _root(archive: PackageArchive) -> str:
    """The model that the archive starts with: the one its relationships name."""
    targets: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.endswith(" Relationship") and attributes.get("Type") == _ROOT_RELATIONSHIP:
            targets.append(attributes.get("Target", ""))

    if "_rels/.rels" in archive:
        archive.parse("_rels/.rels", start, None)
    path = posixpath.normpath(targets[0]).lstrip("/") if targets else "3D/3dmodel.model"
    if path not in archive:
        raise MeshRefused(f"is no 3MF model: its archive lacks {path[:80]!r}")
    return path


@dataclass
class _ObjectSolid:
    """The mesh of an object: its vertices, the triangles that are body, and the vertices of those that are negative."""

    vertices: Floats
    faces: NDArray[np.int64]
    negative: Floats | None = None


class _Builder:
    """Places every mesh below the build list; one that stands twice gives two surfaces.

    Attributes:
        surfaces: of what is body.
        left_out: all else.
        unread: shapes that are described otherwise than by triangles.
    """

    def __init__(self, models: dict[str, PackageModel], root: str, configuration: Configuration, whole: bool) -> None:
        self.surfaces: list[PartSurface] = []
        self.left_out: Counter[tuple[str, str]] = Counter()
        self.unread = sorted(set[str]().union(*(model.unread for model in models.values())))
        self._models = models
        self._root = root
        self._configuration = configuration
        self._whole = whole
        self._solids: dict[Key, _ObjectSolid] = {}
        self._noted: set[tuple[Key, str]] = set()
        self._negative: list[Floats] = []
        self._parts: set[tuple[int, str]] = set()  # that were met, of each object of the configuration
        self._triangles = self._points = self._placed = 0

    def build(self) -> None:
        """Places all items."""
        pending = self._models[self._root].build[::-1]
        while pending:
            place = pending.pop()
            thing = self._thing(place)
            description, role, name = self._described(place, thing)
            if thing.faces:
                self._place(place, thing, description, role, name)
            if len(pending) + len(thing.components) > MAX_MESH_PARTS:
                raise MeshRefused(f"places more than {MAX_MESH_TRIANGLES} triangles or {MAX_MESH_PARTS} objects")
            pending += [
                ObjectPlace(part, place.matrix @ inner, role, place.depth + 1, name, description)
                for part, inner in thing.components[::-1]
            ]

    def _described(self, place: ObjectPlace, thing: Object) -> tuple[ObjectDescription | None, str, str]:
        """What slicers say of an object or of those above it, its role, and its name."""
        own = self._configuration.objects.get(place.key[1]) if place.key[0] == self._root else None
        if own is not None:
            own.used = True
        description = own or place.description
        role, name = place.role or thing.role, thing.name or place.name
        is_below = place.description is not None or not thing.components  # an object is no part of itself
        if description is not None and place.key[1] in description.parts and is_below:
            self._parts.add((id(description), place.key[1]))
            volume = description.parts[place.key[1]]
            if volume.kind:  # which says more than the type of the object: Bambu Studio writes "other" for all but body
                role, name = place.role or volume.kind, volume.name or name
        return description, role, name

    def _thing(self, place: ObjectPlace) -> Object:
        """The object of a place, counted."""
        path, number = place.key
        thing = self._models[path].objects.get(number) if path in self._models else None
        if thing is None:
            raise MeshRefused(f"is malformed: it places object {number[:40]} of {path[:80]!r}, which is not there")
        if place.depth > _MAX_LEVELS:
            raise MeshRefused(
                f"is malformed: object {number[:40]} is made of itself, or lies more than {_MAX_LEVELS} objects deep"
            )
        self._placed += 1
        self._triangles += len(thing.faces) // 3
        self._points += len(thing.vertices) // 3 if thing.faces else 0
        if self._whole and self._points > MAX_MESH_VERTICES:
            raise MeshRefused(f"places more than {MAX_MESH_VERTICES} vertices; reduce them")
        if self._placed > MAX_MESH_PARTS or self._triangles > MAX_MESH_TRIANGLES:
            raise MeshRefused(f"places more than {MAX_MESH_TRIANGLES} triangles or {MAX_MESH_PARTS} objects")
        return thing

    def _place(
        self, place: ObjectPlace, thing: Object, description: ObjectDescription | None, role: str, name: str
    ) -> None:
        """Adds the body of an object, or notes that it is none."""
        label = name or f"object {place.key[1][:40]}"
        if role:
            if (place.key, role) not in self._noted:
                self._noted.add((place.key, role))
                self.left_out[role, label] += len(thing.faces) // 3
            if role == NEGATIVE:
                self._negative.append(_box(np.array(thing.vertices).reshape(-1, 3), place.matrix))
            return
        if place.key not in self._solids:
            self._solids[place.key] = self._solid(place.key, thing, description)
        solid = self._solids[place.key]
        if solid.negative is not None:
            self._negative.append(_box(solid.negative, place.matrix))
        if len(solid.faces):
            self.surfaces.append(carried(PartSurface(label, solid.vertices, solid.faces), place.matrix, self._whole))

    def _solid(self, key: Key, thing: Object, description: ObjectDescription | None) -> _ObjectSolid:
        """The mesh of an object without the ranges of triangles that are not body."""
        vertices = np.array(thing.vertices, dtype=np.float64).reshape(-1, 3)
        faces = np.array(thing.faces, dtype=np.int64).reshape(-1, 3)
        volumes = [*thing.volumes, *(description.ranges if description is not None and key[0] == self._root else ())]
        steps = np.zeros((2, len(faces) + 1), np.int64)  # of how many volumes a triangle is: of body, of others
        cut = [np.zeros(0, np.int64)]
        for volume in volumes:
            first, end = volume.within(len(faces))
            if first < end:
                steps[int(bool(volume.kind)), [first, end]] += 1, -1
                if volume.kind == NEGATIVE:
                    cut.append(faces[first:end].ravel())
        body, other = np.cumsum(steps, axis=1)[:, :-1] > 0
        self._note_ranges(volumes, key, body)
        if (body & other).any():
            self._configuration.warnings.append(
                f"its slicer calls {np.count_nonzero(body & other)} triangles of object {key[1][:40]} both body and "
                "something else; they count as body"
            )
        used = np.unique(np.concatenate(cut))
        used = used[(used >= 0) & (used < len(vertices))]
        return _ObjectSolid(vertices, faces[body | ~other], vertices[used] if len(used) else None)

    def _note_ranges(self, volumes: list[Volume], key: Key, body: NDArray[np.bool_]) -> None:
        """Notes the volumes of an object that are no body, and how many of its triangles (m,) that leaves out."""
        left, there = np.concatenate([[0], np.cumsum(~body)]), len(body)
        # SuperSlicer writes its configuration twice.
        unique = {(each.kind, each.name, each.first, each.last): each for each in volumes if each.kind}
        for (kind, name, low, high), volume in unique.items():
            if (low < 0 or high >= there) and low <= high:
                self._configuration.warnings.append(
                    f"its slicer calls triangles {low} to {high} of object {key[1][:40]} "
                    f"a {kind}, and it has {there}; export it again"
                )
            first, end = volume.within(there)
            if first < end and left[first] < left[end]:
                self.left_out[kind, name or f"of object {key[1][:40]}"] += int(left[end] - left[first])

    def warnings(self) -> list[str]:
        """A sentence for each thing that was left out, or that the slicers say and that does not fit."""
        sentences = []
        if self.left_out:
            sentences.append(f"left out, because it is not printed as body: {left_out_in_words(self.left_out)}")
        if self._negative and self.surfaces:
            sentences += self._cuts()
        if self.unread:
            left = ", ".join(self.unread)
            sentences.append(f"left out, because it is not read: {left}; export it as triangles alone")
        for number, description in self._configuration.objects.items():
            for part, volume in [*((None, volume) for volume in description.ranges), *description.parts.items()]:
                whose = f"its slicer calls volume {(volume.name or part or '')!r} of object {number[:40]!r}"
                if volume.unknown:
                    sentences.append(f"{whose} a {volume.unknown!r}, which is unknown; it counts as body")
                if volume.kind and self._is_missing(number, description, part):
                    sentences.append(
                        f"{whose} a {volume.kind}, and the file has no such volume; "
                        "look whether it stands as body under another number"
                    )
        return [*dict.fromkeys([*sentences, *self._configuration.warnings])][:_MAX_FILE_WARNINGS]

    def _is_missing(self, number: str, description: ObjectDescription, part: str | None) -> bool:
        """Whether the file has no such volume as a slicer names: a part of an object, or a range of its triangles."""
        objects = self._models[self._root].objects
        if number not in objects or (part is None and not objects[number].faces):
            return True
        return description.used and part is not None and (id(description), part) not in self._parts

    def _cuts(self) -> list[str]:
        """A sentence if a negative volume reaches into the body."""
        boxes = [
            (surface.vertices[surface.faces].min((0, 1)), surface.vertices[surface.faces].max((0, 1)))
            for surface in self.surfaces
            if misdirected(surface.faces, len(surface.vertices)) is None
        ]
        if not boxes:
            return []
        low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
        if not any((box[0] < high).all() and (box[1] > low).all() for box in self._negative):
            return []
        return [
            "a negative volume reaches into the body, and what it would cut away counts as body; cut it in a modeller"
        ]


def _box(points: Floats, matrix: Floats) -> Floats:
    """(2, 3) a box round points (n, 3) in their place."""
    with np.errstate(invalid="ignore", over="ignore"):
        placed = corners(points.min(axis=0), points.max(axis=0)) @ matrix[:3, :3].T + matrix[:3, 3]
    return np.array([placed.min(axis=0), placed.max(axis=0)])
