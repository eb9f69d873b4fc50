"""EXCHANGE: a node of glTF with what hangs below it becomes an ImportedPiece, placed or baked.

node, its keys and its parts -> one mesh in the node's own frame, shared by all that look so -> at, turn and scale;
what is tilted, mirrored or unevenly scaled -> a mesh of its own

The frame of glTF is in metres with y up, that of a table in mm with z up: x = 1000 x, y = -1000 z, z = 1000 y, which is
what Blender shows as x, y and z, in mm. Its exporter turns them the other way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from silhouette.common.errors import FileError
from silhouette.common.geometry import Floats, corners, cosine_and_sine
from silhouette.exchange.gltf_extras import NoPiece
from silhouette.exchange.imported import (
    ImportedFacing,
    ImportedPiece,
    baked,
    direction,
    moved,
    one_word,
    rounded,
    standing,
)
from silhouette.files.schema import MAX_LENGTH_MM
from silhouette.meshes.formats.base import (
    MAX_MESH_TRIANGLES,
    MAX_TEXT_LINES,
    MeshRefused,
    PartSurface,
    areas_of,
    see_through_shares,
)
from silhouette.meshes.formats.gltf import Gltf
from silhouette.meshes.formats.gltf_tree import GltfNode, shown, table_of
from silhouette.meshes.health import absurd
from silhouette.meshes.mesh import Mesh, joined, merge_equal
from silhouette.meshes.opening import plainly
from silhouette.models.entries import Kind
from silhouette.models.frame import DEFAULT_FRONT_DEG, MM_PER_MESH_UNIT

# ---- frames

METRE = 1000.0

COORDINATE_DECIMALS = 5
"""Decimals of mm that coordinates are rounded to: what was 12.3 mm before it was a float of metres is 12.3 mm again."""

_Y_UP_TO_Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
_GLTF_TO_TABLE = np.zeros((4, 4))
_GLTF_TO_TABLE[:3, :3], _GLTF_TO_TABLE[3, 3] = METRE * _Y_UP_TO_Z_UP, 1.0
_FROM_TABLE = np.linalg.inv(_GLTF_TO_TABLE)


def to_table(matrix: Floats) -> Floats:
    """A matrix (4, 4) between frames in metres with y up, as one between frames in mm with z up.

    >>> moved = np.eye(4)
    >>> moved[:3, 3] = 1.0, 2.0, 3.0
    >>> to_table(moved)[:3, 3].tolist()
    [1000.0, -3000.0, 2000.0]
    """
    converted: Floats = _GLTF_TO_TABLE @ matrix @ _FROM_TABLE
    return converted


def points_to_table(points: Floats) -> Floats:
    """Points (n, 3) in metres with y up, in mm with z up, rounded to a hundred-thousandth of a millimetre.

    >>> points_to_table(np.array([[0.001, 0.0123, 0.0]], np.float32)).tolist()
    [[1.0, 0.0, 12.3]]
    """
    x, y, z = np.asarray(points, dtype=np.float64).T * METRE
    converted: Floats = np.round(np.stack([x, -z, y], axis=1), COORDINATE_DECIMALS) + 0.0
    return converted


def points_from_table(points: Floats) -> Floats:
    """Points (n, 3) in mm with z up, in metres with y up."""
    x, y, z = points.T / METRE
    return np.stack([x, z, -y], axis=1)


def read_as(units: str, up: Literal["y", "z"], scale: float) -> Floats:
    """The matrix (4, 4) of a frame whose numbers are to be read otherwise than as metres with y up; mm with z up.

    >>> read_as("mm", "y", 2.0).diagonal().tolist()
    [0.002, 0.002, 0.002, 1.0]
    """
    matrix = np.eye(4)
    # What the file calls y is -z once z is up; where z is up in the file already, the turn is taken back.
    turn = np.eye(3) if up == "y" else _Y_UP_TO_Z_UP.T
    matrix[:3, :3] = MM_PER_MESH_UNIT[units] * scale / METRE * turn
    return matrix


def ahead(front: float) -> tuple[float, float, float]:
    """A direction in plan: a unit vector in a frame with z up."""
    cosine, sine = cosine_and_sine(front)
    return cosine, sine, 0.0


def upright_node(at: Floats, turn: float) -> dict[str, Any]:
    """The translation and rotation of a node that stands on a table at a place (3,), mm, turned about the vertical."""
    x, y, z = (float(number) + 0.0 for number in points_from_table(np.asarray(at, dtype=np.float64)[None])[0])
    cosine, sine = cosine_and_sine(turn / 2.0)
    return {"translation": [x, y, z], "rotation": [0.0, sine, 0.0, cosine]}


# ---- meshes


class GltfMeshes:
    """The meshes of a file."""

    def __init__(self, path: Path, gltf: Gltf) -> None:
        self._path = path
        self._gltf = gltf
        # With the surfaces, so that no other array takes the identity of theirs.
        self._read: dict[tuple[int, ...], tuple[tuple[PartSurface, ...], Mesh, dict[str, float]]] = {}

    def of(self, node: GltfNode) -> tuple[Mesh, Floats, Mapping[str, float]]:
        """What a node shows: its mesh, with its shape keys, in the pose of its skeleton; NoPiece if it cannot be.

        A mesh of one part in a frame of its own, (4, 4) from that to the scene's, metres and y up, and the area of each
        material that makes pixels transparent, by its name; that of all others has an empty one.
        """
        if type(node.entry.get("mesh")) is not int:
            raise NoPiece("refers to no mesh of the file")
        try:
            with plainly(self._path):
                if not self._gltf.check_node(node):
                    raise MeshRefused("holds no triangles; a mesh needs at least one")
                surfaces, matrix = self._gltf.shape(node)
                key = tuple(id(surface.vertices) for surface in surfaces)
                if key not in self._read:
                    self._read[key] = surfaces, *_read(surfaces)
        except FileError as error:
            raise NoPiece(f"its mesh cannot be used: {error.problem}") from None
        _, mesh, areas = self._read[key]
        return mesh, matrix, areas

    def name_of(self, node: GltfNode) -> str:
        """The name of the mesh of a node; empty where it has none."""
        meshes, index = self._gltf.tree.get("meshes", []), node.entry.get("mesh")
        is_one = isinstance(meshes, list) and type(index) is int and 0 <= index < len(meshes)
        return shown(meshes[index].get("name")) if is_one and isinstance(meshes[index], dict) else ""

    def is_marked(self, node: GltfNode, mark: str) -> bool:
        """Whether the mesh of a node, instead of the node itself, has a property."""
        if not self.name_of(node):
            return False
        return mark in table_of(self._gltf.tree["meshes"][node.entry["mesh"]], "extras")


def _read(surfaces: tuple[PartSurface, ...]) -> tuple[Mesh, dict[str, float]]:
    areas = areas_of(surfaces)
    vertices, faces, part, names = joined(list(surfaces))
    if problem := absurd(vertices):
        raise MeshRefused(problem)
    vertices, merged = merge_equal(points_to_table(vertices))
    return Mesh(vertices, merged[faces].astype("int32"), part, names), areas


# ---- pieces

MAX_PARTS_OF_A_PIECE = 500

MAX_WRITTEN_TRIANGLES = 10_000_000  # triangles of all meshes that are written
AS_GIVEN = 0.001  # the share by which a stand-in's node may be scaled, as rounding has it

_OF_THE_PLACE = ("units", "up", "scale", "facing", "gang")
_NUMBER_SUFFIX = re.compile(r"\.\d{3,}$")


@dataclass(eq=False)
class Marked:
    """A node that says it is a piece, while the nodes below it are looked at."""

    node: GltfNode
    kind: Kind | None
    keys: Mapping[str, Any]
    name: str = ""
    parts: list[GltfNode] = field(default_factory=list)
    gang: str | None = None
    wrong: str = ""


class PieceMaker:
    """Makes the pieces of a file.

    Args:
        frame: (4, 4) how the numbers of the whole file are read: metres and y up from them.
        front: where a piece looks in its own frame that does not say so, degrees from +x once z is up.
        from_blender: whether Blender wrote the file, which numbers nodes of equal names.
    """

    def __init__(
        self, meshes: GltfMeshes, nodes: Mapping[int, GltfNode], frame: Floats, front: float, from_blender: bool
    ) -> None:
        self._meshes = meshes
        self._nodes = nodes
        self._frame = frame
        self._front = front
        self._from_blender = from_blender
        self._shared: dict[tuple[Any, ...], Mesh] = {}
        self._triangles = 0
        self.warnings: list[str] = []

    def piece(self, marked: Marked) -> ImportedPiece:
        """The piece that a node says it is; NoPiece where it cannot stand in a scene."""
        assert marked.node.world is not None
        assert marked.kind is not None
        matrix = to_table(self._frame @ marked.node.world)
        keys = {key: value for key, value in marked.keys.items() if key not in _OF_THE_PLACE}
        up: Literal["y", "z"] = marked.keys.get("up", "y")
        front = float(keys.get("front", DEFAULT_FRONT_DEG["z"] if up == "z" else self._front))
        if marked.kind != "terrain" or "front" in keys:
            keys["front"] = front
        facing = self._facing(marked, matrix, front)
        plain = ImportedPiece(marked.name, marked.kind, (0.0, 0.0, 0.0), 0.0, facing, marked.gang, keys=keys)
        if "figure" in keys:
            return _stand_in(plain, matrix)
        reading = read_as(marked.keys.get("units", "m"), up, float(marked.keys.get("scale", 1.0)))
        parts = self._parts(marked, reading)
        keys = _with_plain_names(keys)
        whole = self._in_its_frame(parts)
        if not float(np.abs(moved(matrix, corners(*whole.bounds))).max()) <= MAX_LENGTH_MM:
            raise NoPiece(
                "comes out over a kilometre from the middle of the table, or as large; glTF is in metres: "
                "where its numbers are others, say --units"
            )
        place = standing(matrix, "z", whole.bounds)
        if place is not None:
            # It shares its mesh with all that look so, larger or smaller by less than a power of ten.
            power = 10.0 ** round(np.log10(place.scale))
            mesh, scale = self._in_its_frame(parts, power), place.scale / power
            sizes = {"units": "mm", "up": "z", **({} if abs(scale - 1.0) < 1e-9 else {"scale": round(scale, 12)})}
            return replace(plain, at=place.at, turn=place.turn, mesh=mesh, keys={**sizes, **keys}, shared=True)
        at = rounded(matrix[:3, 3])
        placed = [(name, mesh, matrix @ inner) for name, _, mesh, inner in parts]
        mesh = self._counted(_rounded(baked(placed, np.array(at))))
        return replace(plain, at=at, mesh=mesh, keys={"units": "mm", "up": "z", **_turned(keys, matrix, front)})

    def _facing(self, marked: Marked, matrix: Floats, front: float) -> ImportedFacing:
        """Where a piece looks: as it says, else where its front points on the table."""
        if marked.kind == "terrain":
            return None
        stated = marked.keys.get("facing")
        if isinstance(stated, Mapping):
            return {key: float(direction) for key, direction in stated.items()}
        facing = direction(matrix, ahead(front)) if stated is None else stated
        return "unknown" if facing is None or facing == "unknown" else float(facing)

    def _parts(self, marked: Marked, reading: Floats) -> list[_Part]:
        """Each part: its name, the digest of its mesh, the mesh, and the matrix to the piece's frame, mm and z up."""
        if not marked.parts:
            raise NoPiece("has no mesh, and no node below it has one; a stand-in would say figure = { base, height }")
        if len(marked.parts) > MAX_PARTS_OF_A_PIECE:
            raise NoPiece(f"has over {MAX_PARTS_OF_A_PIECE} parts; join them")
        parts = list[_Part]()
        areas: Counter[str] = Counter()
        for node, name in zip(marked.parts, self._names(marked), strict=True):
            try:
                if node.wrong and "skin" not in node.entry:
                    raise NoPiece(node.wrong)
                mesh, matrix, of_materials = self._meshes.of(node)
                inner = to_table(reading @ self._below(marked.node, node, matrix))
            except NoPiece as wrong:
                whose = "" if node is marked.node else f"its part {node.called} "
                raise NoPiece(f"{whose}{wrong}") from None
            parts.append((name, mesh.digest, mesh, inner))
            larger = abs(np.linalg.det(inner[:3, :3])) ** (2.0 / 3.0)
            areas.update({material: larger * area for material, area in of_materials.items()})
        self.warnings += [f"{marked.name}: {sentence}" for sentence in see_through_shares(areas)]
        triangles = sum(len(mesh.faces) for _, _, mesh, _ in parts)
        lines = triangles + sum(len(mesh.vertices) for _, _, mesh, _ in parts)
        if triangles > MAX_MESH_TRIANGLES or (len(parts) > 1 and lines > MAX_TEXT_LINES):
            raise NoPiece(f"has {triangles} triangles; reduce them, or split it")
        return parts

    def _names(self, marked: Marked) -> list[str]:
        """The names of the parts of a piece, without the numbers that Blender gives where names of parts repeat."""
        full = [node.name or self._meshes.name_of(node) or f"part {n}" for n, node in enumerate(marked.parts, 1)]
        if not self._from_blender:
            return list(map(one_word, full))
        tags = [marked.keys.get("base"), *marked.keys.get("insignificant", ())]
        meant = {tag.get("part") for tag in tags if isinstance(tag, dict)}
        short = [name if name in meant else _NUMBER_SUFFIX.sub("", name) or name for name in full]
        often = Counter(short)
        return [one_word(name if often[name] == 1 else whole) for name, whole in zip(short, full, strict=True)]

    def _below(self, top: GltfNode, node: GltfNode, world: Floats) -> Floats:
        """The matrix (4, 4) from a mesh's frame, which ``world`` places, to that of the piece's node."""
        if "skin" in node.entry:
            assert top.world is not None
            return np.asarray(np.linalg.solve(top.world, world), np.float64)
        matrix: Floats = np.eye(4)
        if node is not top:
            matrix = node.local
            for index in node.above:
                if index == top.index:
                    break
                matrix = self._nodes[index].local @ matrix
        return matrix

    def _in_its_frame(self, parts: Sequence[_Part], scale: float = 1.0) -> Mesh:
        """One mesh of all parts in the frame of the piece's node, times a scale; one for all that look the same."""
        key = (scale, *((name, digest, inner.tobytes()) for name, digest, _, inner in parts))
        if key not in self._shared:
            larger = np.diag([scale, scale, scale, 1.0])
            mesh = _rounded(baked([(name, mesh, larger @ inner) for name, _, mesh, inner in parts], np.zeros(3)))
            self._shared[key] = self._counted(mesh) if scale == 1.0 else mesh
        return self._shared[key]

    def _counted(self, mesh: Mesh) -> Mesh:
        """The mesh itself."""
        if self._triangles + len(mesh.faces) > MAX_WRITTEN_TRIANGLES:
            raise NoPiece(f"is one too many: those before it have nearly {MAX_WRITTEN_TRIANGLES} triangles")
        self._triangles += len(mesh.faces)
        return mesh


_Part = tuple[str, str, Mesh, Floats]


def _stand_in(piece: ImportedPiece, matrix: Floats) -> ImportedPiece:
    """A piece with ``figure``, whatever mesh its node has, in its place."""
    reach = max(float(piece.keys["figure"]["base"]), float(piece.keys["figure"]["height"]))
    place = standing(matrix, "z", np.array([[-reach] * 3, [reach] * 3]))
    if place is None or abs(place.scale - 1.0) > AS_GIVEN:
        raise NoPiece("is a stand-in whose node is tilted, mirrored or scaled; figure alone says how large it is")
    if not max(map(abs, place.at)) <= MAX_LENGTH_MM:
        raise NoPiece("comes out over a kilometre from the middle of the table")
    return replace(piece, at=place.at, turn=place.turn)


def _rounded(mesh: Mesh) -> Mesh:
    return replace(mesh, vertices=np.round(mesh.vertices, COORDINATE_DECIMALS) + 0.0)


def _with_plain_names(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys with names of parts as an OBJ file has them."""

    def plain(entry: Any) -> Any:
        return {**entry, "part": one_word(entry["part"])} if isinstance(entry, dict) and "part" in entry else entry

    given = {key: plain(value) if key == "base" else value for key, value in keys.items()}
    if "insignificant" in given:
        given["insignificant"] = [plain(entry) for entry in given["insignificant"]]
    return given


def _turned(keys: Mapping[str, Any], matrix: Floats, front: float) -> dict[str, Any]:
    """The keys of a piece whose mesh holds its pose: points of its own frame are turned as its mesh is."""
    axes = matrix[:3, :3]
    axes = axes / abs(np.linalg.det(axes)) ** (1.0 / 3.0)

    def turned(point: Sequence[float]) -> list[float]:
        return [round(float(number), COORDINATE_DECIMALS) + 0.0 for number in axes @ np.array(point, dtype=np.float64)]

    given = {key: value for key, value in keys.items() if key != "front"}
    ahead_of_it = direction(matrix, ahead(front))
    if "front" in keys and ahead_of_it is not None:
        given["front"] = ahead_of_it
    if "eye" in given:
        given["eye"] = turned(given["eye"])
    if "eyes" in given:
        given["eyes"] = {arc: turned(eye) for arc, eye in given["eyes"].items()}
    entries = []
    for entry in given.pop("insignificant", ()):
        if "box" in entry:
            raise NoPiece("is tilted, mirrored or unevenly scaled, and has a box that is insignificant; name the part")
        ball = entry.get("sphere")
        entries.append(entry if ball is None else {"sphere": {**ball, "centre": turned(ball["centre"])}})
    return {**given, "insignificant": entries} if entries else given
