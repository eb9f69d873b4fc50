"""EXCHANGE: a save or a saved object of Tabletop Simulator becomes an ImportedTable.

bytes -> document -> objects with their parts and matrices -> pieces, each placed or baked; everything else is left out
by name

Where an object stands is a matrix from its mesh file to the table:

    OBJ file --mirrored in x--> Unity, in the object --scale, Z, X, Y, position--> Unity --y and z swapped--> table

Unity is left-handed with y up. An OBJ file is right-handed, and is mirrored as it is loaded; the table is right-handed
again, so that nothing that is seen is mirrored. A unit is an inch.

A mesh is an address on the web, which the game keeps as a file in a folder of its own. Nothing is fetched, and only
files of that folder itself are opened: an address is compared with their names, and never taken for a path.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np

from silhouette.common.errors import FileError
from silhouette.common.geometry import INCH, Floats, corners, cosine_and_sine
from silhouette.exchange.imported import (
    ImportedFacing,
    ImportedPiece,
    ImportedTable,
    OmittedObject,
    Size,
    UniqueNames,
    baked,
    direction,
    moved,
    plain_name,
    read_ahead,
    rounded,
    standing,
)
from silhouette.exchange.tts_words import (
    MAX_NAMED_BASE_MM,
    MIN_NAMED_BASE_MM,
    NO_PIECES,
    base_in_words,
    facing_of,
    gang_of,
    is_invisible,
    kind_of,
    name_of,
    type_of,
    weapon_of,
)
from silhouette.files.cache import Cache
from silhouette.files.documents import parsed_json
from silhouette.files.reading import read_file
from silhouette.files.schema import MAX_LENGTH_MM
from silhouette.meshes.mesh import Mesh, read_mesh
from silhouette.models.entries import Kind

# ---- meshes that the game keeps

MAX_FOLDER_FILES = 200_000  # files of the folder that are looked at

_HOSTED = re.compile(r"/ugc/(\d{1,30})/([0-9A-Za-z]{8,64})")
"""The part of an address in Steam's cloud that stays when the host changes."""


class KeptMeshes:
    """The meshes in a folder, such as the game's ``Mods/Models``.

    The game names a file after its address, with all but letters and digits left out, and ``.obj``. A local file
    (``file:///C:/minis/kal.obj``) is looked for by its own name, in this folder alone.

    Raises FileError if it is no folder that can be read.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._by_name: dict[str, str] = {}
        self._by_place: dict[str, str] = {}
        for name in [] if folder is None else _names(folder):
            stem = name[:-4].lower()
            self._by_name.setdefault(stem, name)
            if (start := stem.rfind("ugc")) >= 0:
                self._by_place.setdefault(stem[start:], name)

    def find(self, address: str) -> Path | None:
        """The file in which a mesh is kept, None without one; FileError if it is a link out of the folder."""
        name = self._name(address.replace("{verifycache}", "").strip())
        if name is None or self._folder is None:
            return None
        path = self._folder / name
        try:
            is_inside = path.resolve().is_relative_to(self._folder.resolve())
        except (OSError, ValueError, RuntimeError):
            is_inside = False
        if not is_inside:
            raise FileError(path, "is a link that leads out of the folder of the meshes, and is not followed")
        return path

    def _name(self, address: str) -> str | None:
        letters = re.sub(r"[^a-z0-9]", "", address.lower())
        if not letters:
            return None
        by_address = self._by_name.get(letters)
        hosted = _HOSTED.search(address)
        if by_address is None and hosted:
            by_address = self._by_place.get(f"ugc{hosted[1]}{hosted[2].lower()}")
        if by_address is None and not re.match(r"https?:", address, flags=re.IGNORECASE):
            last = re.split(r"[/\\]", address)[-1].lower()
            by_address = self._by_name.get(last.removesuffix(".obj"))
        return by_address


def _names(folder: Path) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in islice(entries, MAX_FOLDER_FILES))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(folder, f"is no folder of meshes that can be read ({reason}); give Mods/Models") from None
    return (name for name in names if name.lower().endswith(".obj"))


# ---- places

AS_LOADED = np.diag([-1.0, 1.0, 1.0, 1.0])  # from an OBJ file to the object in Unity

UNITY_TO_TABLE = np.array([[INCH, 0, 0, 0], [0, 0, INCH, 0], [0, INCH, 0, 0], [0, 0, 0, 1.0]])
"""From Unity to the table: x = 25.4 posX, y = 25.4 posZ, z = 25.4 posY, in mm."""

MIN_OBJECT_SCALE, MAX_OBJECT_SCALE = 1e-6, 1e6


class NoPlace(Exception):
    """The error for a place that cannot be used; the text says why."""


def to_table(in_unity: Floats) -> Floats:
    """(4, 4) from an OBJ file to the table, mm, by the matrix of its object in Unity's world.

    >>> (to_table(np.eye(4)) @ [1.0, 2.0, 3.0, 1.0]).round(1).tolist()
    [-25.4, 76.2, 50.8, 1.0]
    """
    matrix: Floats = UNITY_TO_TABLE @ in_unity @ AS_LOADED
    return matrix


def in_parent(transform: Mapping[str, Any]) -> Floats:
    """(4, 4) from an object in Unity to what it lies in, by its ``Transform``; NoPlace if a number is wrong."""
    matrix = np.eye(4)
    turns = [_number(transform, f"rot{axis}", 0.0) % 360.0 for axis in "XYZ"]
    scales = [_number(transform, f"scale{axis}", 1.0) for axis in "XYZ"]
    for axis, scale in zip("XYZ", scales, strict=True):
        if not MIN_OBJECT_SCALE <= abs(scale) <= MAX_OBJECT_SCALE:
            raise NoPlace(f"its scale{axis} is {scale:g}, at which nothing can be seen")
    matrix[:3, :3] = rotation(*turns) * scales
    matrix[:3, 3] = [_number(transform, f"pos{axis}", None) for axis in "XYZ"]
    return matrix


def rotation(x: float, y: float, z: float) -> Floats:
    """(3, 3) by Unity's Euler angles in degrees: about Z first, then X, then Y.

    >>> (rotation(0, 90, 0) @ [0.0, 0.0, 1.0]).tolist()
    [1.0, 0.0, 0.0]
    """
    (cx, sx), (cy, sy), (cz, sz) = (cosine_and_sine(angle) for angle in (x, y, z))
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    turned: Floats = about_y @ about_x @ about_z
    return turned


def _number(transform: Mapping[str, Any], key: str, default: float | None) -> float:
    value = transform.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NoPlace(f"its {key} is missing" if value is None else f"its {key} is no number")
    if abs(value) > MAX_LENGTH_MM or not math.isfinite(value):  # an int may be too large for a float
        raise NoPlace(f"its {key} is out of range")
    return float(value)


# ---- objects

TTS_PROGRAM = "Tabletop Simulator"

MAX_SAVE_BYTES = 128 * 1024**2  # bytes of a save
MAX_SAVED_OBJECTS = 20_000  # objects of a save, those in bags and other states among them


def document_of(path: Path) -> dict[str, Any]:
    """The content of a save."""
    needs = f"give a save or a saved object of {TTS_PROGRAM}"
    try:
        document = parsed_json(read_file(path, MAX_SAVE_BYTES))
    except ValueError as error:
        raise FileError(path, f"is no JSON that can be read: {error}; {needs}") from None
    states = document.get("ObjectStates") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(states, list):
        raise FileError(path, f"has no list ObjectStates; {needs}")
    every = _objects(states, ("ChildObjects", "ContainedObjects", "States"))
    if sum(1 for _ in islice(every, MAX_SAVED_OBJECTS + 1)) > MAX_SAVED_OBJECTS:
        raise FileError(
            path, f"holds over {MAX_SAVED_OBJECTS} objects, the most that are read; save a part of the table"
        )
    return document


def _objects(states: list[Any], keys: Sequence[str]) -> Iterator[object]:
    """Objects, and those that stand under some keys of them, however deep."""
    todo = list(states)
    while todo:
        state = todo.pop()
        yield state
        if isinstance(state, Mapping):
            for key in keys:
                todo += objects_in(state, key)


def objects_in(state: Mapping[str, Any], key: str) -> list[Any]:
    """The objects that stand under a key of an object: a list, or a table by number."""
    inner = state.get(key)
    if isinstance(inner, Mapping):
        return list(inner.values())
    return inner if isinstance(inner, list) else []


def kept_files(states: list[Any], mesh_folder: KeptMeshes) -> list[Path]:
    """The mesh files of all objects on the table and of their parts, each once."""
    files = dict[Path, None]()
    for state in _objects(states, ("ChildObjects",)):
        with suppress(FileError):
            file = mesh_folder.find(mesh_address(state)) if isinstance(state, Mapping) else None
            if file is not None:
                files[file] = None
    return list(files)


def mesh_address(state: Mapping[str, Any]) -> str:
    """The address of an object's mesh; empty where it has none."""
    custom = state.get("CustomMesh")
    address = custom.get("MeshURL") if isinstance(custom, Mapping) else None
    return address if isinstance(address, str) else ""


# ---- the table

MAX_OBJECT_LEVELS = 32  # levels of objects that are part of each other, or lie in each other's bags
MAX_BAKED_TRIANGLES = 1_000_000  # triangles of a mesh that is written anew
MAX_ALL_BAKED_TRIANGLES = 5_000_000  # the same of all of them together
MAX_TABLE_TRIANGLES = 30_000_000  # triangles of all mesh files of a table together
OBJ_FRONT = (0.0, 0.0, 1.0)  # the front of an OBJ file that has y up
# The height of a stand-in whose height is not known, in diameters of its base: 38 mm on 32 mm.
STAND_IN_HEIGHT_RATIO = 1.2

NO_FOLDER = "its mesh is not looked for: give --meshes, the game's folder Mods/Models"
INVISIBLE_REASON = "is invisible in the game: its colour has alpha 0"
ASSET_BUNDLE_REASON = "is an asset bundle, which only the game can read"


@dataclass(frozen=True, eq=False)
class _SavedPart:
    name: str
    file: Path
    address: str
    size: Size
    matrix: Floats


class _NoMesh(Exception):
    """The reason why an object has no mesh that could stand in a scene."""


def read_save(path: Path, meshes: Path | None, cache: Cache, *, stand_ins: bool = False) -> ImportedTable:
    """The table of a save or a saved object of Tabletop Simulator.

    Args:
        meshes: the folder in which the game keeps meshes, ``Mods/Models``; no other is looked into, nothing is fetched.
        stand_ins: whether a fighter without a mesh becomes a stand-in, where the size of its base is known.

    Raises FileError if it is no such file, holds too much, or the folder of the meshes cannot be read.
    """
    document = document_of(path)
    mesh_folder = KeptMeshes(meshes)
    ahead = read_ahead(kept_files(document["ObjectStates"], mesh_folder), cache)
    table = _SaveTable(mesh_folder, cache, ahead, stand_ins, NO_FOLDER if meshes is None else "")
    for state in document["ObjectStates"]:
        table.add(state)
    title = document.get("SaveName")
    return ImportedTable(
        title=(plain_name(title) if isinstance(title, str) else "") or plain_name(path.stem) or TTS_PROGRAM,
        program=TTS_PROGRAM,
        file=path,
        pieces=tuple(table.pieces),
        left_out=tuple(table.left_out),
        addresses=table.addresses,
    )


class _SaveTable:
    """The table of a save while its objects are looked at one after the other."""

    def __init__(
        self,
        mesh_folder: KeptMeshes,
        cache: Cache,
        ahead: Mapping[Path, Size | FileError],
        stand_ins: bool,
        not_looked_for: str,
    ) -> None:
        self.pieces: list[ImportedPiece] = []
        self.left_out: list[OmittedObject] = []
        self.addresses: dict[Path, str] = {}
        self._mesh_folder = mesh_folder
        self._cache = cache
        self._stand_ins = stand_ins
        self._not_looked_for = not_looked_for
        self._names = UniqueNames()
        self._ahead = ahead
        self._sizes: dict[Path, Size | FileError] = {}
        self._meshes: dict[Path, Mesh] = {}
        self._number = 0
        self._triangles = self._baked = 0

    def add(self, state: object) -> None:
        """Looks at an object that lies on the table: it becomes a piece, or is left out."""
        name = self._name(state)
        if not isinstance(state, Mapping):
            return self._leave(name, "is no object of the game")
        if why := _no_piece(state):
            return self._leave_with_parts(state, name, why)
        self._leave_inner(state, name)
        parts: list[_SavedPart] = []
        why = self._collect(state, name, np.eye(4), parts)
        try:
            piece, why = self._of_parts(state, name, why, parts)
        except FileError as error:  # a file has changed since it was read ahead
            piece, why = None, _unusable(error)
        if piece is not None:
            self.pieces.append(piece)
            if piece.file is not None:
                self.addresses[piece.file] = parts[0].address
        if why:
            self._leave(name, why)
        return None

    def _of_parts(
        self, state: Mapping[str, Any], name: str, why: str, parts: list[_SavedPart]
    ) -> tuple[ImportedPiece | None, str]:
        """The piece of an object, given why its own mesh is none; or None. And why something is left out, if it is."""
        piece = None
        if why and self._stand_ins:
            piece, why = self._stand_in(state, name, why, parts)
        if piece is None and parts:
            piece = self._piece(state, name, parts)
            why = f"{why}; its parts are placed" if why and piece is not None else why
        return piece, why

    def _collect(
        self, state: Mapping[str, Any], name: str, outer: Floats, parts: list[_SavedPart], depth: int = 0
    ) -> str:
        """Adds the meshes of an object and of its parts; says why its own is none, else nothing."""
        try:
            in_unity = outer @ in_parent(_transform(state))
        except NoPlace as wrong:
            self._leave_parts(state, name)
            return str(wrong)
        why = ""
        try:
            parts.append(self._part(state, name, to_table(in_unity)))
        except _NoMesh as wrong:
            why = str(wrong)
        for child in objects_in(state, "ChildObjects"):
            child_name, is_part = self._name(child), f"(a part of {name})"
            if not isinstance(child, Mapping):
                self._leave(child_name, f"is no object of the game {is_part}")
            elif depth >= MAX_OBJECT_LEVELS:
                deep = f"is over {MAX_OBJECT_LEVELS} levels deep among the parts of a piece {is_part}"
                self._leave_with_parts(child, child_name, deep)
            elif is_invisible(child):
                self._leave_with_parts(child, child_name, f"{INVISIBLE_REASON} {is_part}")
            else:
                self._leave_inner(child, child_name)
                inner = self._collect(child, child_name, in_unity, parts, depth + 1)
                if inner:
                    self._leave(child_name, f"{inner} {is_part}")
        return why

    def _part(self, state: Mapping[str, Any], name: str, matrix: Floats) -> _SavedPart:
        """The mesh of an object."""
        address = mesh_address(state)
        if not address.strip():
            if isinstance(state.get("CustomAssetbundle"), Mapping):
                raise _NoMesh(ASSET_BUNDLE_REASON)
            raise _NoMesh(f"has no mesh of its own ({plain_name(str(state.get('Name') or 'an object'))})")
        if self._not_looked_for:
            raise _NoMesh(self._not_looked_for)
        try:
            file = self._mesh_folder.find(address)
            if file is None:
                raise _NoMesh(f"its mesh is not in the folder of the meshes: {plain_name(address)}")
            return _SavedPart(name, file, address, self._size_of(file), matrix)
        except FileError as error:
            raise _NoMesh(_unusable(error)) from None

    def _size_of(self, file: Path) -> Size:
        if file not in self._sizes:
            try:
                if self._triangles > MAX_TABLE_TRIANGLES:
                    raise FileError(file, f"is one too many: those before have over {MAX_TABLE_TRIANGLES} triangles")
                size = self._sizes[file] = self._ahead.get(file) or Size.of(self._mesh(file))
                self._triangles += 0 if isinstance(size, FileError) else size.triangles
            except FileError as error:
                self._sizes[file] = error
        looked_up = self._sizes[file]
        if isinstance(looked_up, FileError):
            raise looked_up
        return looked_up

    def _mesh(self, file: Path) -> Mesh:
        """The mesh of a file whose size is known or being asked for; it is read once."""
        if file not in self._meshes:
            self._meshes[file] = read_mesh(file, self._cache).mesh
        return self._meshes[file]

    def _piece(self, state: Mapping[str, Any], name: str, parts: list[_SavedPart]) -> ImportedPiece | None:
        """The piece that some parts make; None where they cannot stand in a scene, and are left out."""
        kind, first = kind_of(state), parts[0].matrix
        facing = None if kind == "terrain" else _with_weapon(state, kind, _facing(state, first))
        reach = max(float(np.abs(moved(part.matrix, corners(*part.size.bounds))).max()) for part in parts)
        if not reach <= MAX_LENGTH_MM:
            self._leave(name, "comes out over a kilometre from the middle of the table, or as large")
            return None
        place = standing(first, "y", parts[0].size.bounds) if len(parts) == 1 else None
        gang = None if kind == "terrain" else gang_of(state)
        if place is not None:
            keys = {"units": "inch", "up": "y", "scale": place.scale / INCH}
            return ImportedPiece(name, kind, place.at, place.turn, facing, gang, file=parts[0].file, keys=keys)
        triangles = sum(part.size.triangles for part in parts)
        if triangles > MAX_BAKED_TRIANGLES or self._baked + triangles > MAX_ALL_BAKED_TRIANGLES:
            most = f"{MAX_BAKED_TRIANGLES} triangles, or those of all such pieces over {MAX_ALL_BAKED_TRIANGLES}"
            self._leave(name, f"needs a mesh of its own, of over {most}")
            return None
        self._baked += triangles
        at = rounded(first[:3, 3])
        mesh = baked([(part.name, self._mesh(part.file), part.matrix) for part in parts], np.array(at))
        return ImportedPiece(name, kind, at, 0.0, facing, gang, mesh=mesh, keys={"units": "mm", "up": "z"})

    def _stand_in(
        self, state: Mapping[str, Any], name: str, why: str, parts: list[_SavedPart]
    ) -> tuple[ImportedPiece | None, str]:
        """A stand-in for a fighter whose own mesh is not at hand, or None; and why something is left out, if it is."""
        if kind_of(state) != "fighter" or not (ASSET_BUNDLE_REASON in why or "its mesh" in why):
            return None, why
        matrix = to_table(in_parent(_transform(state)))
        size = self._size(state, matrix, parts)
        if size is None:
            return None, f"{why}; no stand-in either: no base is known, give its name or a tag one, such as 32mm"
        for part in parts:
            self._leave(part.name, f"is part of {name}, for which a stand-in stands")
        facing = _facing(state, matrix)
        turn = (facing - 90.0) % 360.0 if isinstance(facing, float) else 0.0
        keys = {"figure": {"base": size[0], "height": size[1]}}
        looks, gang = _with_weapon(state, "fighter", facing), gang_of(state)
        return ImportedPiece(name, "fighter", rounded(matrix[:3, 3]), turn, looks, gang, keys=keys), ""

    def _size(self, state: Mapping[str, Any], matrix: Floats, parts: list[_SavedPart]) -> tuple[float, float] | None:
        """The diameter of the base and the height of a fighter, mm.

        The base is that of its words, of its collider's mesh, or as wide as those of its parts that have meshes.
        """
        base, height = base_in_words(state), 0.0
        collider = self._collider(state)
        if collider is not None:
            extents = np.ptp(moved(matrix, collider.vertices), axis=0)
            base = base or round(float(extents[:2].max()), 2)
            height = round(float(extents[2]), 2)
        if base is None and parts:
            placed = [np.ptp(moved(part.matrix, self._mesh(part.file).vertices), axis=0) for part in parts]
            base = round(max(float(extents[:2].max()) for extents in placed), 2)
        if base is None or not MIN_NAMED_BASE_MM <= base <= MAX_NAMED_BASE_MM:
            return None
        return base, height if base / 4.0 < height <= MAX_LENGTH_MM else round(STAND_IN_HEIGHT_RATIO * base, 1)

    def _collider(self, state: Mapping[str, Any]) -> Mesh | None:
        """The mesh by which an object collides with others; None where there is none that can be used."""
        custom = state.get("CustomMesh") or state.get("CustomAssetbundle")
        address = custom.get("ColliderURL") if isinstance(custom, Mapping) else None
        with suppress(FileError):
            file = self._mesh_folder.find(address) if isinstance(address, str) else None
            if file is not None:
                self._size_of(file)  # whether it may be read, and counts
                return self._mesh(file)
        return None

    def _name(self, state: object) -> str:
        self._number += 1
        return self._names.of(name_of(state, self._number))

    def _leave(self, name: str, why: str) -> None:
        self.left_out.append(OmittedObject(name, why))

    def _leave_with_parts(self, state: Mapping[str, Any], name: str, why: str) -> None:
        self._leave_inner(state, name)
        self._leave(name, why)
        self._leave_parts(state, name)

    def _leave_inner(self, state: Mapping[str, Any], name: str) -> None:
        """Leaves out what lies in an object, and the other states that it can take."""
        todo = [(inner, f"lies in {name}, not on the table") for inner in objects_in(state, "ContainedObjects")]
        todo += [(inner, f"is another state of {name}, not on the table") for inner in objects_in(state, "States")]
        for inner, why in todo:
            self._leave_whole(inner, why)

    def _leave_parts(self, state: Mapping[str, Any], name: str) -> None:
        for child in objects_in(state, "ChildObjects"):
            self._leave_whole(child, f"is a part of {name}, which is left out")

    def _leave_whole(self, state: object, why: str) -> None:
        """Leaves out an object with all that is in it, or part of it."""
        todo = [(state, why)]
        while todo:
            inner, because = todo.pop()
            name = self._name(inner)
            self._leave(name, because)
            if isinstance(inner, Mapping):
                for key in ("ContainedObjects", "States", "ChildObjects"):
                    todo += [
                        (each, f"belongs to {name}, which is left out") for each in reversed(objects_in(inner, key))
                    ]


def _unusable(error: FileError) -> str:
    return f"its mesh cannot be used: {Path(error.path).name} {error.problem}"


def _transform(state: Mapping[str, Any]) -> Mapping[str, Any]:
    transform = state.get("Transform")
    if not isinstance(transform, Mapping):
        raise NoPlace("has no Transform, so that nobody knows where it stands")
    return transform


def _facing(state: Mapping[str, Any], matrix: Floats) -> float | Literal["unknown"]:
    """Where an object looks: as a tag says, else where its front points on the table."""
    stated = facing_of(state)
    if stated is None:
        stated = direction(matrix, OBJ_FRONT)
    return "unknown" if stated is None else stated


def _with_weapon(state: Mapping[str, Any], kind: Kind, facing: float | Literal["unknown"]) -> ImportedFacing:
    """Where an object looks, and of a fighter also where its weapon points, if a tag says so."""
    weapon = weapon_of(state)
    if kind != "fighter" or weapon is None or facing == "unknown":
        return facing
    return {"head": facing, "weapon": weapon}


def _no_piece(state: Mapping[str, Any]) -> str:
    """Why an object is no piece of a table, whatever its mesh; empty where it may be one."""
    if "Bag" in str(state.get("Name")) or objects_in(state, "ContainedObjects"):
        return "is a bag or a deck"
    what = NO_PIECES.get(type_of(state))
    return f"is {what}" if what else INVISIBLE_REASON if is_invisible(state) else ""
