"""3MF: a stream of XML becomes a model of the archive: its objects, what they are made of, and what it builds."""

from __future__ import annotations

import posixpath
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from silhouette.geometry import Floats
from silhouette.meshes.formats.base import LONGEST_NAME, MOST_PARTS, Refused, no_numbers
from silhouette.meshes.formats.slicers import BODY, NOT_PRINTED, Volume, kind_of_setting, plain
from silhouette.meshes.formats.threemf_archive import Archive

_CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_CORE_TAG = f"{_CORE} "
_SLIC3R_VOLUME = "http://schemas.slic3r.org/3mf/2017/06 volume"
_PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
# Extensions that add nothing to what is seen, or that are read.
_KNOWN = (
    _PRODUCTION,
    "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    "http://schemas.microsoft.com/3dmanufacturing/securecontent/2019/04",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
)
_UNITS = ("micron", "millimeter", "centimeter", "inch", "foot", "meter")
_HELPERS = {"support": "support", "solidsupport": "solid support", "other": "object of type 'other'"}
"""Types of objects, as the core specification has them, that are no part of what is printed."""

Key = tuple[str, str]


@dataclass
class Object:
    """A mesh, or a list of other objects with their transforms.

    Attributes:
        name: as the file has it.
        role: what it is, if it is not body.
        vertices: x, y and z of all.
        faces: the three corners of all.
        components: the objects that it is made of, each with its matrix (4, 4).
        volumes: ranges of its triangles that Slic3r names.
    """

    name: str
    role: str = BODY
    vertices: array[float] = field(default_factory=lambda: array("d"))
    faces: array[int] = field(default_factory=lambda: array("q"))
    components: list[tuple[Key, Floats]] = field(default_factory=list)
    volumes: list[Volume] = field(default_factory=list)


@dataclass
class Item:
    """An entry of the build list: an object, its matrix (4, 4), and what it is, if it is not body."""

    key: Key
    matrix: Floats
    role: str = BODY


@dataclass
class Model:
    """One model of the archive: its unit, its objects by number, and what it builds."""

    unit: str = "millimeter"
    objects: dict[str, Object] = field(default_factory=dict)
    build: list[Item] = field(default_factory=list)
    declared: bool = False


class _Reader:
    """Fills a model from the stream of its XML."""

    def __init__(self, path: str) -> None:
        self.model = Model()
        self._path = path
        self._things = 0  # objects, components and items
        self._object: Object | None = None
        self._mesh: Object | None = None
        self._owner: Object | Item | None = None  # of settings
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
        }

    def start(self, tag: str, attributes: dict[str, str]) -> bool:
        """An element begins; answers whether its text is a setting of an object."""
        handler = self._handlers.get(tag)
        if handler is not None:
            handler(attributes)
        elif self._owner is not None and tag.endswith((" metadata", " setting")):
            self._setting, self._value = attributes.get("name") or attributes.get("key", ""), ""
            return True
        return False

    def text(self, characters: str) -> None:
        """Some characters of a setting."""
        self._value = (self._value + characters)[:LONGEST_NAME]

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
        role = _HELPERS.get(attributes.get("type", "model").strip().lower(), BODY)
        self._object = self._owner = Object(attributes.get("name", "").strip()[:LONGEST_NAME], role)
        self.model.objects[number] = self._object

    def _volume(self, attributes: dict[str, str]) -> None:
        self._count()
        if self._object is not None and plain(attributes.get("modifier", "")) == "1":
            self._object.volumes.append(Volume("modifier", "", int(attributes["ts"]), int(attributes["te"])))

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
        printed = next((value for name, value in attributes.items() if plain(name).endswith("printable")), "1")
        role = NOT_PRINTED if plain(printed) in ("0", "false", "no") else BODY
        self._owner = Item(self._key(attributes), _transform(attributes), role)
        self.model.build.append(self._owner)

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


def read_model(archive: Archive, path: str) -> Model:
    """A model of the archive.

    Raises:
        Refused: if it is missing, damaged, no model, or requires what is not supported.
    """
    reader = _Reader(path)
    try:
        archive.parse(path, reader.start, reader.end, reader.prefix, reader.text)
    except (KeyError, ValueError, OverflowError) as error:
        # "could not convert string to float: '1,5'"
        words = str(error).rpartition(": ")[2].strip("'").encode(errors="replace")
        raise no_numbers([words], f"{path[:80]!r} has an element without a number that it needs") from None
    if not reader.model.declared:
        raise Refused(f"is malformed: {path[:80]!r} holds no 3MF model")
    return reader.model


def _transform(attributes: dict[str, str]) -> Floats:
    """A 3MF transform as (4, 4): twelve numbers, the rows of a matrix that is multiplied from the right."""
    matrix = np.eye(4)
    if "transform" in attributes:
        matrix[:3, :] = np.array(attributes["transform"].split(), dtype=np.float64).reshape(4, 3).T
    return matrix
