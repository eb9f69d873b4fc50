"""EXCHANGE: what a reader of another program's tables gives, whatever the program: pieces, and what was left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from silhouette.common.errors import FileError, SilhouetteError
from silhouette.common.geometry import Floats, Pose, corners
from silhouette.common.text import numbered
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import Mesh, read_mesh
from silhouette.models.entries import Kind
from silhouette.models.frame import upright
from silhouette.workers import cores, parallel_map


def obj_bytes(mesh: Mesh, decimals: int = 5) -> bytes:
    """A mesh as OBJ: its axes and units as they are, an object for each part.

    >>> import numpy as np
    >>> triangle = Mesh(np.eye(3), np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32), ("a blade",))
    >>> print(obj_bytes(triangle, 0).decode(), end="")
    v 1 0 0
    v 0 1 0
    v 0 0 1
    o a blade
    f 1 2 3
    """
    number = f"%.{decimals}f"
    line = f"v {number} {number} {number}\n"
    texts = [line * len(mesh.vertices) % tuple(mesh.vertices.ravel().tolist())]
    for index, name in enumerate(mesh.part_names):
        faces = mesh.faces[mesh.part == index] + 1
        if len(faces):
            texts.append(f"o {one_word(name)}\n")
            texts.append("f %d %d %d\n" * len(faces) % tuple(faces.ravel().tolist()))
    return "".join(texts).encode()


def one_word(name: str) -> str:
    """The name that a part has in an OBJ file: it stands in one line, and is no comment.

    >>> one_word("arm  #2"), one_word("\\n")
    ('arm 2', 'mesh')
    """
    return " ".join(re.sub(r"[#\\\s]+", " ", name).split()) or "mesh"


PLACING_TOLERANCE = 0.004
"""mm: a mesh keeps its file where none of its points would stand farther off than this; a hundredth is promised."""

MIN_SHARE_IN_PLAN = 0.01  # least share of a direction that must lie in plan for it to be one in which something looks


@dataclass(frozen=True)
class UprightPose:
    """How a piece stands that keeps its mesh file: (x, y, z) mm, of the file's origin; degrees anticlockwise from how
    it lies in its file, once z is up; mm for each unit of the file.
    """

    at: tuple[float, float, float]
    turn: float
    scale: float


def standing(matrix: Floats, up: Literal["y", "z"], bounds: Floats) -> UprightPose | None:
    """How a mesh stands that a matrix places; None where it is tilted, mirrored or unevenly scaled.

    >>> inch = np.diag([25.4, 25.4, 25.4, 1.0])
    >>> standing(inch, "z", np.array([[0.0, 0, 0], [1, 1, 1]]))
    UprightPose(at=(0.0, 0.0, 0.0), turn=0.0, scale=25.4)
    """
    as_loaded = matrix[:3, :3] @ np.linalg.inv(upright(np.eye(3), up).T)
    volume = float(np.linalg.det(as_loaded))
    if volume <= 0.0:
        return None
    scale = volume ** (1.0 / 3.0)
    angle = np.arctan2(as_loaded[1, 0] - as_loaded[0, 1], as_loaded[0, 0] + as_loaded[1, 1])
    turn = round(float(np.degrees(angle)) % 360.0, 7) % 360.0
    at = rounded(matrix[:3, 3])
    eight = corners(*bounds)
    placed = Pose.standing(at, turn).place(upright(eight, up) * scale)
    # An affine map is farthest from another at a corner of the box round what it maps.
    gap = np.linalg.norm(placed - moved(matrix, eight), axis=1).max()
    return UprightPose(at, turn, scale) if gap <= PLACING_TOLERANCE else None


def moved(matrix: Floats, points: Floats) -> Floats:
    """Points (n, 3) after an affine matrix (4, 4)."""
    after: Floats = points @ matrix[:3, :3].T + matrix[:3, 3]
    return after


def baked(named: list[tuple[str, Mesh, Floats]], origin: Floats) -> Mesh:
    """One mesh of several, each after its matrix (4, 4), about an origin (3,) in the table's frame, mm.

    Faces of what is mirrored are turned round, so that they still look outward. Where a mesh has parts, these are named
    ``name/part``.
    """
    vertices, faces, part = [], [], []
    names: list[str] = []
    before = 0
    for name, mesh, matrix in named:
        vertices.append(moved(matrix, mesh.vertices) - origin)
        order = [0, 2, 1] if np.linalg.det(matrix[:3, :3]) < 0.0 else [0, 1, 2]
        faces.append(mesh.faces[:, order] + before)
        part.append(mesh.part + len(names))
        names += [name] if len(mesh.part_names) == 1 else [f"{name}/{inner}" for inner in mesh.part_names]
        before += len(mesh.vertices)
    distinct = list(dict.fromkeys(names))
    number_of = np.array([distinct.index(name) for name in names], np.int32)
    return Mesh(
        np.concatenate(vertices),
        np.concatenate(faces).astype(np.int32),
        number_of[np.concatenate(part)],
        tuple(distinct),
    )


def direction(matrix: Floats, ahead: tuple[float, float, float]) -> float | None:
    """Where a direction of the file points on the table, degrees anticlockwise from +x; None where up or down.

    >>> direction(np.eye(4), (0.0, 1.0, 0.0)), direction(np.eye(4), (0.0, 0.0, 1.0))
    (90.0, None)
    """
    x, y, z = (float(value) for value in matrix[:3, :3] @ np.array(ahead))
    length = float(np.hypot(x, y))
    if length <= MIN_SHARE_IN_PLAN * float(np.hypot(length, z)):
        return None
    return round(float(np.degrees(np.arctan2(y, x))) % 360.0, 7) % 360.0


def rounded(at: Floats) -> tuple[float, float, float]:
    """A place (3,) to a ten-thousandth of a millimetre, as numbers that a scene file can have."""
    x, y, z = (round(float(number), 4) + 0.0 for number in at)
    return x, y, z


MAX_NAME_LETTERS = 80  # letters of a name

_COLOUR_MARKS = re.compile(r"\[(?:[0-9a-fA-F]{6}|-|/?[bius]|/?su[bp])\]")
"""Marks of colour and style in names of Tabletop Simulator."""


def plain_name(name: str) -> str:
    """A name in one line that can be shown anywhere, without marks of colour and style; empty where nothing is left.

    >>> plain_name("[ff0000]Kal[-]\\n the  [b]Red[/b]"), plain_name("\\ud800\\x07")
    ('Kal the Red', '')
    """
    text = _COLOUR_MARKS.sub("", name[: 20 * MAX_NAME_LETTERS])
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[
        :MAX_NAME_LETTERS
    ].strip()


class UniqueNames:
    """Names that are given once each: a second "Kal" is called "Kal 2".

    >>> names = UniqueNames()
    >>> names.of("Kal"), names.of("Kal 2"), names.of("Kal"), names.of("Kal")
    ('Kal', 'Kal 2', 'Kal 3', 'Kal 4')
    """

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._next: dict[str, int] = {}

    def of(self, name: str) -> str:
        """The name itself, or with the next number that is free."""
        unique = name
        if name in self._given:
            unique = numbered(name, self._given, self._next.get(name, 2))
            self._next[name] = int(unique.rpartition(" ")[2]) + 1
        self._given.add(unique)
        return unique


def file_stem(name: str) -> str:
    """A name for a file without its ending, of letters and digits of ASCII.

    >>> file_stem("Kal / 2"), file_stem("..."), file_stem("CON")
    ('kal_2', 'piece', 'con_')
    """
    stem = re.sub(r"[^a-z0-9-]+", "_", name.lower()).strip("_")[:60] or "piece"
    return f"{stem}_" if re.fullmatch(r"con|prn|aux|nul|com\d|lpt\d", stem) else stem


ImportedFacing = float | Literal["unknown"] | dict[str, float] | None  # as a scene has it, of head and weapon a table


@dataclass(frozen=True, eq=False)
class ImportedPiece:
    """A piece of a table from elsewhere, in the scene's frame: mm, z up.

    Exactly one of ``file``, ``mesh`` and the key ``figure`` says what it looks like.
    """

    name: str
    kind: Kind
    at: tuple[float, float, float]  # (x, y, z) mm, where the origin of its mesh file, or of its mesh, comes to stand
    turn: float = 0.0  # degrees anticlockwise from how it lies in its file, once z is up
    # The direction in which it looks, degrees anticlockwise from +x, or both; "unknown"; or None of terrain
    facing: ImportedFacing = None
    gang: str | None = None
    file: Path | None = None
    # A mesh of its own in mm, z up, about its origin: one that is tilted, mirrored or unevenly scaled, has parts from
    # several files, or is one of many in a file
    mesh: Mesh | None = None
    # Further keys of its table in the scene: ``units``, ``up`` and ``scale`` of a file, or ``figure``
    keys: Mapping[str, Any] = field(default_factory=dict)
    shared: bool = False  # whether ``mesh`` stands as it lies in its file, so that ``turn`` and ``scale`` place it

    @property
    def baked(self) -> bool:
        """Whether it has a mesh of its own, in which its pose is contained but for its place."""
        return self.mesh is not None and not self.shared


@dataclass(frozen=True)
class OmittedObject:
    """An object that is not in the scene, and the reason in words."""

    name: str
    why: str


@dataclass(frozen=True, eq=False)
class ImportedTable:
    """A table from elsewhere, with the pieces that can stand in a scene, and all other objects."""

    title: str
    program: str
    file: Path
    pieces: tuple[ImportedPiece, ...]
    left_out: tuple[OmittedObject, ...]
    addresses: Mapping[Path, str] = field(default_factory=dict)  # where the program has a mesh file from, by the file
    # Those of the whole scene, such as ``rules`` and ``check``; without any, the scene asks nothing
    keys: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()  # sentences about what may be otherwise than its maker thinks
    has_its_table: bool = False  # whether the table's top is in the file, where there is one


Item = TypeVar("Item")
Result = TypeVar("Result")

MIN_PARALLEL_BYTES = 4 * 1024**2  # bytes of files together from which on further processes save time

MAX_BYTES_AHEAD = 2 * 1024**3
"""Bytes of files together that are read ahead; a file that follows on them is read when it is wanted."""


@dataclass(frozen=True, eq=False)
class Size:
    """How large a mesh is: (2, 3) the least and greatest coordinates in its file, and its triangles."""

    bounds: Floats
    triangles: int

    @classmethod
    def of(cls, mesh: Mesh) -> Size:
        """That of a mesh."""
        return cls(mesh.bounds, len(mesh.faces))


def read_ahead(files: Iterable[Path], cache: Cache) -> dict[Path, Size | FileError]:
    """The sizes of mesh files, or why not, read side by side so that the cache has them; nothing without its folder."""
    chosen: list[Path] = []
    together = 0
    for file in files:
        with suppress(OSError):
            size = file.stat().st_size
            if together + size > MAX_BYTES_AHEAD:
                break
            together += size
            chosen.append(file)
    if cache.directory is None or together < MIN_PARALLEL_BYTES:
        return {}

    def read(file: Path) -> Size | FileError:
        try:
            return Size.of(read_mesh(file, cache).mesh)
        except FileError as error:
            return error

    return dict(zip(chosen, side_by_side(read, chosen, together), strict=True))


def side_by_side(function: Callable[[Item], Result], items: Sequence[Item], together: int) -> list[Result]:
    """What a function makes of each item, by several processes if the files they are about have enough bytes together.

    >>> side_by_side(str, [5, 6], MIN_PARALLEL_BYTES), side_by_side(str, [], 0)
    (['5', '6'], [])
    """
    results: list[Result] = []
    with suppress(SilhouetteError):  # a process was lost: what is missing is made here
        results.extend(parallel_map(function, items, cores() if together >= MIN_PARALLEL_BYTES else 1))
    results += map(function, items[len(results) :])
    return results
