"""PLACE: a scene file becomes a Scene: the pieces in their places, and the checks.

file -> document -> entries checked by the schema -> pieces with models and poses -> Scene
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry, Location, validated
from silhouette.geometry import Floats, Pose, corners
from silhouette.lazy import cached_property
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import ArcName, Kind, ModelOptions
from silhouette.models.model import Model, load_model, model_of_mesh, model_of_solids
from silhouette.scenes.entries import CheckEntry, FighterEntry, PieceEntry, TableEntry, VehicleEntry
from silhouette.scenes.scene import Check, Scene
from silhouette.text import did_you_mean

__all__ = ["Piece", "TableScene", "in_base_contact", "load_table_scene", "table_fields"]

CONTACT = 1.0  # mm: the widest gap in plan across which two bases still count as touching
# The sides of the polygon that a round base is lie inside the circle by less than this.
ROUNDNESS = 0.005  # mm
LEVEL = 1e-6  # mm

Pair = frozenset[str]


@dataclass(frozen=True, eq=False)
class Piece:
    """A model standing on the table.

    Attributes:
        name: its name, unique in the scene.
        kind: fighter, vehicle or terrain.
        model: its model; equal pieces share one.
        pose: from the model's frame to the world.
        gang: the gang that it belongs to, or None; pieces of one gang are friends.
        facing: the direction in the world of its front, degrees anticlockwise from +x.
        arcs: its vision arcs.
        eye_given: (3,) the eye in the model's frame that the scene gives, or None.
        eyes: the eyes of a vehicle's crew, in the model's frame, by the vision arc that they look into.
        index: its number in the scene, from 0: terrain, then fighters, then vehicles.
    """

    name: str
    kind: Kind
    model: Model
    pose: Pose
    gang: str | None
    facing: float
    arcs: tuple[ArcName, ...]
    eye_given: Floats | None
    eyes: Mapping[ArcName, Floats]
    index: int

    @cached_property
    def eye(self) -> Floats:
        """(3,) the eye of the piece in the world, mm."""
        eye = self.model.eye if self.eye_given is None else self.eye_given
        return self.pose.place(eye)

    def with_eye_for(self, arc: ArcName | None) -> Piece:
        """The piece with the eye of the crew member who looks into ``arc``; without an arc, into the piece's only one.

        The piece itself where it has no such eye.
        """
        if arc is None and len(self.arcs) == 1:
            arc = self.arcs[0]
        eye = None if arc is None else self.eyes.get(arc)
        return self if eye is None else replace(self, eye_given=eye)

    @property
    def eye_from(self) -> Literal["given", "estimated"]:
        """Whether the eye is given by the scene or the model, or estimated."""
        return self.model.eye_from if self.eye_given is None else "given"

    @cached_property
    def base_centre(self) -> Floats:
        """(2,) the point in the world, in plan, where its vision arcs begin, mm."""
        x, y = self._in_plan(self.model.base_centre[None])[0]
        return np.array([x, y])

    @cached_property
    def base_outline(self) -> Floats:
        """(k, 2) the outline, in the world and in plan, by which base contact is judged: anticlockwise and convex."""
        return self._in_plan(self.model.base_outline)

    @cached_property
    def base_span(self) -> tuple[float, float]:
        """The lowest and highest z of its base in the world, or of its body where it has none."""
        low, high = self.model.base_span
        ground = float(self.pose.translation[2])
        return ground + low, ground + high

    @cached_property
    def body_box(self) -> Floats:
        """(8, 3) the corners, in the world, of the box round its significant parts along the model's axes."""
        return self.pose.place(corners(*self.model.body_box))

    @cached_property
    def whole_box(self) -> Floats:
        """(8, 3) the corners, in the world, of the box round the whole piece along the model's axes."""
        return self.pose.place(corners(*self.model.mesh.bounds))

    def _in_plan(self, points: Floats) -> Floats:
        return self.pose.place(np.column_stack([points, np.zeros(len(points))]))[:, :2]


@dataclass(frozen=True, eq=False)
class Occluders:
    """Pieces that may stand in the way, with the part of each that blocks.

    Attributes:
        pieces: the k pieces.
        meshes: for each piece, the mesh of the part that blocks, in the model's frame.
        boxes: (k, 8, 3) mm, world: the corners of a box round each of these meshes.
    """

    pieces: tuple[Piece, ...]
    meshes: tuple[Mesh, ...]
    boxes: Floats

    @classmethod
    def of(cls, pairs: Iterable[tuple[Piece, Mesh]]) -> Occluders:
        """The pieces with the part of each that blocks.

        >>> Occluders.of([]).boxes.shape
        (0, 8, 3)
        """
        pairs = list(pairs)
        boxes = np.array([piece.pose.place(corners(*mesh.bounds)) for piece, mesh in pairs]).reshape(-1, 8, 3)
        return cls(tuple(piece for piece, _ in pairs), tuple(mesh for _, mesh in pairs), boxes)


@dataclass(frozen=True, eq=False)
class TableScene(Scene):
    """A table with pieces on it.

    Attributes:
        pieces: terrain, fighters, vehicles, each in the order of the file.
        tolerance: the share within which a verdict counts as too close to call.
        error: the largest error that the file allows for a share where no other verdict is near, as a share, or None.
        base_contact: the pairs of names in base contact where the file lists them, else None.
    """

    pieces: tuple[Piece, ...]
    tolerance: float
    error: float | None
    base_contact: frozenset[Pair] | None

    def piece(self, name: str) -> Piece:
        """The piece of a name.

        Raises:
            RequestError: where no piece has that name.
        """
        piece = self._by_name.get(name)
        if piece is None:
            raise RequestError(f"{self.path}: nothing is called '{name}'; {did_you_mean(name, self._by_name)}")
        return piece

    @cached_property
    def significant_parts(self) -> Occluders:
        """Every piece with its significant parts."""
        return Occluders.of((piece, piece.model.significant) for piece in self.pieces)

    @cached_property
    def whole_pieces(self) -> Occluders:
        """Every piece with all of its parts, bases and insignificant ones among them."""
        return Occluders.of((piece, piece.model.mesh) for piece in self.pieces)

    @cached_property
    def _by_name(self) -> dict[str, Piece]:
        return {piece.name: piece for piece in self.pieces}


def load_table_scene(path: Path, document: Mapping[str, Any], readings_schema: type[Entry], cache: Cache) -> TableScene:
    """The scene of a table: models in their places.

    Args:
        path: of the scene file; paths in it are seen from its folder.
        document: its content, as from `read_document`.
        readings_schema: the readings that its rule system knows, and their defaults; other keys are refused.
        cache: the cache of meshes and other results that take long to compute.

    Raises:
        FileError: where the scene or a model file is not valid; one line, with the place.
        MeshError: where a mesh cannot be used.
    """
    entry = validated(TableEntry, document, Location(path))
    readings = validated(readings_schema, entry.readings, Location(path, "readings"))
    tables: dict[Kind, Sequence[PieceEntry]] = {
        "terrain": entry.terrain,
        "fighter": entry.fighter,
        "vehicle": entry.vehicle,
    }
    standing = [(kind, piece) for kind, table in tables.items() for piece in table]
    _names_differ(path, [(kind, piece.name) for kind, piece in standing])
    models = _Models(path, cache)
    pieces = tuple(_piece(index, kind, piece, models) for index, (kind, piece) in enumerate(standing))
    kinds = {piece.name: piece.kind for piece in pieces}
    warnings = dict.fromkeys(warning for piece in pieces for warning in piece.model.warnings)
    return TableScene(
        path=path,
        title=entry.title,
        rules=entry.rules,
        pieces=pieces,
        checks=tuple(
            _check(Location(path, f"check {number}"), check, kinds) for number, check in enumerate(entry.check, 1)
        ),
        readings=readings,
        tolerance=entry.tolerance,
        error=entry.error,
        base_contact=_contacts(path, entry.base_contact, kinds),
        pixel=entry.pixel,
        source=dict(entry.source),
        warnings=tuple(warnings),
    )


def table_fields(scene: TableScene) -> dict[str, Any]:
    """The fields of a table scene, by name: for a rule system whose scenes add fields."""
    return {field.name: getattr(scene, field.name) for field in fields(TableScene)}


def in_base_contact(scene: TableScene, a: Piece, b: Piece) -> bool:
    """Whether two pieces are in base contact: as the scene lists it, else as they stand.

    Pieces touch where their bases (bodies or footprints, where there is none) are at most 1 mm apart in plan and
    overlap in height.
    """
    if scene.base_contact is not None:
        return frozenset((a.name, b.name)) in scene.base_contact
    (low_a, high_a), (low_b, high_b) = a.base_span, b.base_span
    if max(low_a, low_b) > min(high_a, high_b) + LEVEL:
        return False
    farthest = CONTACT + ROUNDNESS
    first, second = a.base_outline, b.base_outline
    gaps = np.maximum(first.min(axis=0) - second.max(axis=0), second.min(axis=0) - first.max(axis=0))
    if gaps.max() > farthest:
        return False
    from shapely import MultiPoint

    return bool(MultiPoint(first).convex_hull.distance(MultiPoint(second).convex_hull) <= farthest)


class _Models:
    """The models of one scene; a model is loaded once for all of its pieces."""

    def __init__(self, scene: Path, cache: Cache) -> None:
        self._scene = scene
        self._cache = cache
        self._loaded: dict[Hashable, Model] = {}

    def of(self, kind: Kind, piece: PieceEntry) -> Model:
        """The model of a piece, without the eye that the piece itself may give."""
        location = Location(self._scene, f"{kind} '{piece.name}'")
        if piece.kind not in (None, kind):
            raise location.error(
                f"kind is {piece.kind}, but it stands in [[{kind}]]; move it to [[{piece.kind}]] or change kind"
            )
        overriding = (piece.model_fields_set & ModelOptions.model_fields.keys()) - {"eye", "eyes", "kind", "mesh"}
        overrides = {key: getattr(piece, key) for key in sorted(overriding)}
        if piece.parts is not None:
            parts = piece.parts
            solids: Hashable = (kind, parts, piece.front, piece.solid)
            if solids not in self._loaded:
                self._loaded[solids] = model_of_solids(parts, location, kind, piece.front, piece.solid)
            return self._loaded[solids]
        if piece.model is not None:
            file = self._scene.parent / piece.model
            how: Hashable = (kind, *overrides.items())
            return self._of_file(file, how, lambda: load_model(file, self._cache, kind, overrides))
        file = self._scene.parent / str(piece.mesh)
        options = ModelOptions(mesh=piece.mesh, **overrides)
        how = (kind, options.model_copy(update={"mesh": None}))
        return self._of_file(file, how, lambda: model_of_mesh(options, location, self._cache, kind))

    def _of_file(self, file: Path, how: Hashable, load: Callable[[], Model]) -> Model:
        """What another scene may have loaded before, from whatever folder it names the file."""
        if (file, how) not in self._loaded:
            self._loaded[file, how] = self._cache.in_memory(
                file, (file.name, how), load, lambda model: len(model.mesh.faces)
            )
        return self._loaded[file, how]


def _piece(index: int, kind: Kind, entry: PieceEntry, models: _Models) -> Piece:
    model = models.of(kind, entry)
    at = (*entry.at, 0.0)[:3]
    return Piece(
        name=entry.name,
        kind=kind,
        model=model,
        pose=Pose.standing(at, entry.facing - model.front),
        gang=entry.gang if isinstance(entry, FighterEntry) else None,
        facing=entry.facing,
        arcs=tuple(dict.fromkeys(entry.arcs)) if isinstance(entry, VehicleEntry) else ("front",),
        eye_given=None if entry.eye is None else np.array(entry.eye),
        eyes=_eyes(entry, model),
        index=index,
    )


def _eyes(entry: PieceEntry, model: Model) -> Mapping[ArcName, Floats]:
    """The crew's: the piece's own, those of the model, or none where the piece itself has one eye for all."""
    if entry.eyes is not None:
        return {arc: np.array(eye) for arc, eye in entry.eyes.items()}
    return model.eyes if entry.eye is None else {}


def _names_differ(path: Path, pieces: Sequence[tuple[Kind, str]]) -> None:
    first: dict[str, Kind] = {}
    for kind, name in pieces:
        if name in first:
            both = f"two {kind} pieces are" if first[name] == kind else f"a {first[name]} and a {kind} piece are both"
            raise Location(path).error(f"{both} called '{name}'; give each a name of its own")
        first[name] = kind


def _check(location: Location, entry: CheckEntry, kinds: Mapping[str, Kind]) -> Check:
    for role, name in (("attacker", entry.attacker), ("target", entry.target)):
        _known(location, role, name, kinds)
    if entry.attacker == entry.target:
        raise location.error(f"'{entry.attacker}' would check itself; name another piece as target")
    return Check(entry.attacker, entry.target, entry.arc, entry.expect)


def _known(location: Location, role: str, name: str, kinds: Mapping[str, Kind]) -> None:
    models = [piece for piece, kind in kinds.items() if kind != "terrain"]
    if name not in kinds:
        raise location.error(f"{role} '{name}' is not on the table; {did_you_mean(name, models)}")
    if name not in models:
        raise location.error(f"{role} '{name}' is terrain; name a fighter or vehicle")


def _contacts(path: Path, pairs: Sequence[tuple[str, str]] | None, kinds: Mapping[str, Kind]) -> frozenset[Pair] | None:
    if pairs is None:
        return None
    for number, pair in enumerate(pairs, 1):
        location = Location(path, f"base_contact {number}")
        for name in pair:
            _known(location, "piece", name, kinds)
        if pair[0] == pair[1]:
            raise location.error(f"'{pair[0]}' would touch itself; name two pieces")
    return frozenset(frozenset(pair) for pair in pairs)
