"""PLACE: a scene file becomes a Scene: the pieces in their places, and the checks.

file -> document -> entries checked by the schema -> pieces with models and poses -> Scene
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import hypot
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry, Location, validated
from silhouette.geometry import Floats, corners, swollen
from silhouette.hulls import convex_hull
from silhouette.lazy import cached_property
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import Kind
from silhouette.scenes.doubt import DoubtEntry
from silhouette.scenes.entries import CheckEntry, LengthUnits, PieceEntry, TableEntry
from silhouette.scenes.entry_warnings import entry_warnings
from silhouette.scenes.pieces import Models, Piece, piece_of
from silhouette.scenes.placement_warnings import PlacementWarning, placement_warnings
from silhouette.scenes.placing import in_millimetres, settled
from silhouette.scenes.scene import Check, Scene
from silhouette.text import did_you_mean

__all__ = ["Piece", "TableScene", "in_base_contact", "load_table_scene", "looked_over", "table_fields"]

CONTACT = 1.0  # mm: the widest gap in plan across which two bases still count as touching
ROUNDING = 1e-6  # mm: what a gap or a height of places written in decimals may come out wider

Pair = frozenset[str]
OfTable = TypeVar("OfTable", bound="TableScene")


@dataclass(frozen=True, eq=False)
class Occluders:
    """Pieces that may stand in the way, with the part of each that blocks.

    Attributes:
        pieces: the k pieces.
        meshes: for each piece, the mesh of the part that blocks, in the model's frame.
        boxes: (k, 8, 3) mm, world: the corners of a box round each of these meshes, with the outline of the piece.
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
        boxes = [swollen(piece.pose.place(corners(*mesh.bounds)), piece.outline) for piece, mesh in pairs]
        return cls(
            tuple(piece for piece, _ in pairs), tuple(mesh for _, mesh in pairs), np.array(boxes).reshape(-1, 8, 3)
        )


@dataclass(frozen=True, eq=False)
class TableScene(Scene):
    """A table with pieces on it.

    Attributes:
        pieces: terrain, fighters, vehicles, each in the order of the file.
        tolerance: the share within which a verdict counts as too close to call.
        error: the largest error that the file allows for a share where no other verdict is near, as a share, or None.
        base_contact: the pairs of names in base contact where the file lists them, else None.
        table: (x, y) mm, the size of the table's top that the file gives, or None; its middle is the origin.
        placement_warnings: mistakes in where the pieces stand and in what the file says of them, as far as they have
            been looked for.
        doubt: how far the pieces may lie from the truth; None where the file does not say.
        unit_of_places: in the file, "mm" or "inch"; all lengths here are mm.
    """

    pieces: tuple[Piece, ...]
    tolerance: float
    error: float | None
    base_contact: frozenset[Pair] | None
    table: tuple[float, float] | None
    placement_warnings: tuple[PlacementWarning, ...]
    doubt: DoubtEntry | None
    unit_of_places: LengthUnits

    @cached_property
    def table_top(self) -> Floats:
        """(2, 2) mm: the least and the greatest x and y of the table's top; without a size, of all pieces."""
        if self.table is not None:
            return np.array([[-0.5], [0.5]]) * self.table
        if not self.pieces:
            return np.zeros((2, 2))
        boxes = np.concatenate([piece.whole_box[:, :2] for piece in self.pieces])
        return np.stack([boxes.min(axis=0), boxes.max(axis=0)])

    def doubts(self, attacker: str, others: Iterable[str]) -> list[str]:
        """A sentence for each mistake in where pieces stand, and in what the file says of them, that may touch a check.

        Args:
            attacker: the name of the piece that looks.
            others: the names of the target and of the pieces in the way.
        """
        named = frozenset(others)
        return [
            one.text
            for one in self.placement_warnings
            if one.touches(attacker, named) or (one.around is not None and self._reaches(one.around, attacker, named))
        ]

    def _reaches(self, around: tuple[float, float, float], attacker: str, others: frozenset[str]) -> bool:
        """Whether a circle in plan, x, y and radius, reaches in between the pieces of a check."""
        boxes = [self._by_name[name].whole_box[:, :2] for name in {attacker, *others}]
        x, y, radius = around
        return bool(convex_hull(np.concatenate(boxes)).distance(convex_hull(np.array([[x, y]]))) <= radius)

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
        boxes = np.array([swollen(piece.body_box, piece.outline) for piece in self.pieces]).reshape(-1, 8, 3)
        return Occluders(self.pieces, tuple(piece.model.significant for piece in self.pieces), boxes)

    @cached_property
    def whole_pieces(self) -> Occluders:
        """Every piece with all of its parts, bases and insignificant ones among them."""
        boxes = np.array([swollen(piece.whole_box, piece.outline) for piece in self.pieces]).reshape(-1, 8, 3)
        return Occluders(self.pieces, tuple(piece.model.mesh for piece in self.pieces), boxes)

    @cached_property
    def ignored_parts(self) -> Occluders:
        """The bases and insignificant parts of the pieces that have any."""
        return Occluders.of((piece, piece.model.ignored) for piece in self.pieces if len(piece.model.ignored.faces))

    @cached_property
    def _by_name(self) -> dict[str, Piece]:
        return {piece.name: piece for piece in self.pieces}


def load_table_scene(
    path: Path,
    document: Mapping[str, Any],
    readings_schema: type[Entry],
    cache: Cache,
    tables_of: Mapping[str, str] | None = None,
    posed: Callable[[Piece], Piece] = lambda piece: piece,
) -> TableScene:
    """The scene of a table: models in their places.

    Args:
        path: of the scene file; paths in it are seen from its folder.
        document: its content, as from `read_document`.
        readings_schema: the readings that its rule system knows, and their defaults; other keys are refused.
        cache: the cache of meshes and other results that take long to compute.
        tables_of: the table of the user's scene in which a piece stands, by the piece's name, for messages; by default
            its kind.
        posed: changes a piece on the table's top before it is lowered onto what it stands on, such as to lay it down.

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
    standing = [(kind, in_millimetres(piece, entry.units)) for kind, table in tables.items() for piece in table]
    check_names_differ(path, [(kind, piece.name) for kind, piece in standing])
    models = Models(path, cache, tables_of)
    pieces = settled(
        path,
        [piece for _, piece in standing],
        [posed(piece_of(index, kind, piece, models)) for index, (kind, piece) in enumerate(standing)],
        tables_of or {},
    )
    kinds = {piece.name: piece.kind for piece in pieces}
    table = in_millimetres(entry, entry.units).table
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
        table=table,
        placement_warnings=entry_warnings(entry, pieces, table, tables_of or {}),
        doubt=entry.doubt,
        unit_of_places=entry.units,
        pixel=entry.pixel,
        source=dict(entry.source),
        warnings=_warnings_of(pieces),
    )


def _warnings_of(pieces: Iterable[Piece]) -> tuple[str, ...]:
    """What the pieces and their models have to say, each sentence once."""
    return tuple(
        dict.fromkeys(
            warning
            for piece in pieces
            for warning in (
                *(f"{piece.name}: {doubt}" for doubt in piece.warnings),
                # Of a mesh, which several pieces may share, it is the name of its file that stands in front.
                *(
                    f"{piece.name}: {doubt}" if piece.model.format in ("figure", "parts") else doubt
                    for doubt in piece.model.warnings
                ),
            )
        )
    )


def looked_over(scene: OfTable, *, faces: bool, z_is_ground: bool = False) -> OfTable:
    """The scene with the mistakes in where its pieces stand too, which are also among its warnings.

    Args:
        scene: a table scene with its pieces in their places.
        faces: whether it matters to the rules where a model looks.
        z_is_ground: whether the height that a place gives is that of the ground there, so that nothing hangs above
            the table.
    """
    placed = placement_warnings(scene.pieces, faces=faces, units=scene.unit_of_places, z_is_ground=z_is_ground)
    found = (*scene.placement_warnings, *placed)
    texts = [one.text for one in found if not one.as_attacker]
    return replace(scene, placement_warnings=found, warnings=(*texts, *scene.warnings))


def table_fields(scene: TableScene) -> dict[str, Any]:
    """The fields of a table scene, by name: for a rule system whose scenes add fields."""
    return {field.name: getattr(scene, field.name) for field in fields(TableScene)}


def in_base_contact(scene: TableScene, a: Piece, b: Piece) -> bool:
    """Whether two pieces are in base contact: as the scene lists it, else as they stand.

    Pieces touch where their bases (bodies or footprints, where there is none) are at most 1 mm apart in plan and
    overlap in height, both to a millionth of a millimetre, by which sums of places written in decimals are off.
    """
    if scene.base_contact is not None:
        return frozenset((a.name, b.name)) in scene.base_contact
    (x_a, y_a, _), (x_b, y_b, _) = a.pose.translation.tolist(), b.pose.translation.tolist()
    if hypot(x_a - x_b, y_a - y_b) > a.model.base_reach + b.model.base_reach + CONTACT + ROUNDING:
        return False
    (low_a, high_a), (low_b, high_b) = a.base_span, b.base_span
    if max(low_a, low_b) > min(high_a, high_b) + ROUNDING:
        return False
    (first, radius), (second, other_radius) = a.base_core, b.base_core
    farthest = CONTACT + radius + other_radius + ROUNDING
    gaps = np.maximum(first.min(axis=0) - second.max(axis=0), second.min(axis=0) - first.max(axis=0))
    if gaps.max() > farthest:
        return False
    return bool(convex_hull(first).distance(convex_hull(second)) <= farthest)


def check_names_differ(path: Path, pieces: Sequence[tuple[str, str]]) -> None:
    """Checks that no two pieces of a scene have one name.

    Args:
        path: of the scene.
        pieces: the kind and the name of each.

    Raises:
        FileError: where two have the same name.

    >>> check_names_differ(Path("duel.toml"), [("fighter", "A"), ("terrain", "A")])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: duel.toml: a fighter and a terrain piece are both called 'A'; give each ...
    """
    first: dict[str, str] = {}
    for kind, name in pieces:
        if name in first:
            both = f"two {kind} pieces are" if first[name] == kind else f"a {first[name]} and a {kind} piece are both"
            raise Location(path).error(f"{both} called '{name}'; give each a different name")
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
