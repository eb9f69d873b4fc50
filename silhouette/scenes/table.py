"""PLACE: a scene file becomes a Scene: the pieces in their places, lowered onto what they say, and the checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from math import hypot
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel

from silhouette.common.errors import RequestError
from silhouette.common.geometry import INCH, Floats, Pose, convex_hull, corners, swollen
from silhouette.common.lazy import cached_property
from silhouette.common.text import did_you_mean
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry, Location, validated
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import Kind
from silhouette.scenes.entries import CheckEntry, DoubtEntry, HeadAndWeapon, LengthUnits, PieceEntry, TableEntry
from silhouette.scenes.pieces import Models, Piece, piece_of
from silhouette.scenes.scene import Check, Scene, fields_of
from silhouette.scenes.standing import TABLE_TOP
from silhouette.scenes.surfaces import PieceSurface, underside_of
from silhouette.scenes.warnings import MAX_SCENE_WARNINGS, PlacementWarning, entry_warnings, placement_warnings

__all__ = ["Piece", "TableScene", "in_base_contact", "load_table_scene", "looked_over", "table_fields"]


# ---- places and heights

INCH_DECIMALS = 9  # decimals of mm that inches are rounded to, so that 3.5 of them are 88.9 mm
ANY_SURFACE = "surface"  # the value of ``on`` that stands for whatever is there: all terrain, and the table's top

OfEntry = TypeVar("OfEntry", bound=BaseModel)


def unit_of(units: str, square: float) -> float:
    """The length of the unit of a scene's places, in mm, by its ``units`` and the side of its ``square``.

    >>> unit_of("mm", 30.0), unit_of("inch", 30.0), unit_of("square", 30.0)
    (1.0, 25.4, 30.0)
    """
    return {"mm": 1.0, "inch": INCH, "square": float(square)}[units]


def unit_in(document: Mapping[str, Any]) -> float:
    """The same of the document of a scene.

    >>> unit_in({}), unit_in({"units": "square"})
    (1.0, 25.4)
    """
    return unit_of(document.get("units", "mm"), document.get("square", INCH))


def in_millimetres(entry: OfEntry, factor: float) -> OfEntry:
    """An entry of a scene, its lengths among ``at``, ``under`` and the plan sizes of cover in mm instead of a unit that
    is ``factor`` mm long.

    >>> from silhouette.scenes.entries import TerrainEntry
    >>> wall = TerrainEntry(name="wall", mesh="wall.stl", at=(4.0, 10.0), on="surface", under=3.5)
    >>> in_millimetres(wall, 25.4).at, in_millimetres(wall, 25.4).under, in_millimetres(wall, 1.0) is wall
    ((101.6, 254.0), 88.9, True)
    """
    if factor == 1.0:
        return entry
    plan_size = {"size"} if "defence" in type(entry).model_fields else set()
    values, changes = dict(entry), dict[str, Any]()
    for key in {"at", "under", "table"} | plan_size:
        value = values.get(key)
        if isinstance(value, tuple):
            changes[key] = tuple(round(number * factor, INCH_DECIMALS) for number in value)
        elif value is not None:
            changes[key] = round(value * factor, INCH_DECIMALS)
    return entry.model_copy(update=changes)


MAX_WAITING = 200
"""Pieces that wait for each other to be lowered, because each stands in the file before the one that it stands on."""

# The mm by which a piece must be lower than a height to have no part in it, rounding included.
HEIGHT_TOLERANCE_MM = 0.001


def settled(
    path: Path, entries: Sequence[PieceEntry], pieces: Sequence[Piece], tables_of: Mapping[str, str]
) -> tuple[Piece, ...]:
    """The pieces, each that says ``on`` lowered from above, upright, until its base touches.

    A piece is lowered after the piece that it names. With ``on = "surface"`` it is lowered after all terrain that does
    not say ``on``, and after terrain that does and that stands before it in the file; fighters and vehicles after all
    terrain.

    Args:
        path: of the scene file, for messages.
        entries: the entry of each piece, its lengths in mm.
        pieces: on the table's top where their entries say ``on``.
        tables_of: the table in which a piece stands, by the piece's name, for messages; by default its kind.

    Raises:
        FileError: where there is no terrain of the name, nothing of it is under the base, or pieces stand on each other
            in a circle.
    """
    if all(entry.on is None for entry in entries):
        return tuple(pieces)
    settling = _Settling(path, entries, pieces, tables_of)
    for number in range(len(pieces)):
        settling.lower(number, ())
    return tuple(settling.pieces)


class _Settling:
    def __init__(
        self, path: Path, entries: Sequence[PieceEntry], pieces: Sequence[Piece], tables_of: Mapping[str, str]
    ) -> None:
        self.pieces = list(pieces)
        self._path, self._entries, self._tables_of = path, entries, tables_of
        self._terrain = {piece.name: number for number, piece in enumerate(pieces) if piece.kind == "terrain"}
        self._settled = {number for number, entry in enumerate(entries) if entry.on is None}
        # In plan nothing moves when it is lowered, so that its box is worked out once.
        self._boxes = np.array([[*low, *high] for low, high in map(plan_box, pieces)]).reshape(-1, 4)
        self._tops = np.array([piece.whole_box[:, 2].max() for piece in pieces])

    def lower(self, number: int, above: tuple[int, ...]) -> None:
        """Lowers a piece, after those that it may stand on; ``above`` are the pieces that wait for it."""
        if number in self._settled:
            return
        chain = (*above, number)
        if len(chain) > MAX_WAITING:
            raise self._location(number).error(
                f"over {MAX_WAITING} pieces wait for it to be lowered; write them after the piece that they stand on"
            )
        below = self._below(number, chain)
        for other in below:
            self.lower(other, chain)
        self._lower(number, [other for other in below if other in self._settled])
        self._settled.add(number)

    def _below(self, number: int, chain: Sequence[int]) -> list[int]:
        if self._entries[number].on == ANY_SURFACE:
            terrain = [other for other in self._terrain.values() if other not in chain]
            return [other for other in terrain if other < number or self._entries[other].on is None]
        other = self._named(number)
        if other in chain:
            names = [f"'{self._entries[link].name}'" for link in chain[chain.index(other) :]]
            circle = " on ".join([*names, names[0]])
            raise self._location(number).error(f"{circle}: pieces stand on each other in a circle")
        return [other]

    def _named(self, number: int) -> int:
        """The number of the terrain that a piece says it stands on."""
        name = str(self._entries[number].on)
        if name in self._terrain:
            return self._terrain[name]
        kinds = {piece.name: piece.kind for piece in self.pieces}
        if name in kinds:
            raise self._location(number).error(
                f'on = "{name}" is a {kinds[name]}; name a piece of terrain, or write on = "{ANY_SURFACE}"'
            )
        advice = did_you_mean(name, [*self._terrain, ANY_SURFACE], "on must be one of")
        raise self._location(number).error(f"on: no terrain is called '{name}'; {advice}")

    def _lower(self, number: int, below: Sequence[int]) -> None:
        piece, entry = self.pieces[number], self._entries[number]
        underside = underside_of(piece)
        place = piece.pose.translation[:2]
        least, greatest = place + underside.outline.min(axis=0), place + underside.outline.max(axis=0)
        highest = (
            TABLE_TOP if entry.on == ANY_SURFACE and (entry.under is None or entry.under >= TABLE_TOP) else -np.inf
        )
        boxes = self._boxes[below]
        near = np.array(below)[((boxes[:, :2] <= greatest) & (boxes[:, 2:] >= least)).all(axis=1)] if below else []
        # The tallest first: of a stack, whose pieces all lie below the base, most need not be looked at.
        for other in sorted(near, key=lambda other: -self._tops[other]):
            if self._tops[other] + HEIGHT_TOLERANCE_MM < highest:
                break
            (height,) = PieceSurface.of(self.pieces[other]).heights(underside.outline, place[None], entry.under)
            highest = max(highest, float(height))
        if not np.isfinite(highest):
            raise self._location(number).error(self._nowhere(entry))
        x, y = place
        self.pieces[number] = replace(
            piece, pose=Pose(piece.pose.rotation, np.array([x, y, highest - underside.bottom]))
        )
        self._tops[number] = self.pieces[number].whole_box[:, 2].max()

    def _nowhere(self, entry: PieceEntry) -> str:
        if entry.under is not None:
            what = "the table's top or terrain" if entry.on == ANY_SURFACE else f"'{entry.on}'"
            return f"under = {entry.under:g} mm: nothing of {what} below its base is as low as that"
        low, high = (np.round(corner, 1) for corner in plan_box(self.pieces[self._terrain[str(entry.on)]]))
        return (
            f"its base is nowhere over '{entry.on}', which reaches from x = {low[0]:g} to {high[0]:g} mm and from "
            f"y = {low[1]:g} to {high[1]:g} mm; change at"
        )

    def _location(self, number: int) -> Location:
        piece = self.pieces[number]
        return Location(self._path, f"{self._tables_of.get(piece.name, piece.kind)} '{piece.name}'")


def plan_box(piece: Piece) -> tuple[Floats, Floats]:
    """The least and the greatest x and y, both (2,), of the box in the world round a whole piece, mm."""
    plan = piece.whole_box[:, :2]
    return plan.min(axis=0), plan.max(axis=0)


# ---- the scene

CONTACT_GAP_MM = 1.0  # mm: the widest gap in plan across which two bases still count as touching
PLACE_ROUNDING_MM = 1e-6  # mm: what a gap or a height of places written in decimals may come out wider

Pair = frozenset[str]
OfTable = TypeVar("OfTable", bound="TableScene")


@dataclass(frozen=True, eq=False)
class BlockingPieces:
    """Pieces that may stand in the way, with the mesh of the part of each that blocks, in the model's frame.

    ``boxes`` (k, 8, 3) mm, world: the corners of a box round each of these meshes, with the outline of the piece.
    """

    pieces: tuple[Piece, ...]
    meshes: tuple[Mesh, ...]
    boxes: Floats

    @classmethod
    def of(cls, pairs: Iterable[tuple[Piece, Mesh]]) -> BlockingPieces:
        """The pieces with the part of each that blocks."""
        pairs = list(pairs)
        boxes = [swollen(piece.pose.place(corners(*mesh.bounds)), piece.outline) for piece, mesh in pairs]
        return cls(
            tuple(piece for piece, _ in pairs), tuple(mesh for _, mesh in pairs), np.array(boxes).reshape(-1, 8, 3)
        )


@dataclass(frozen=True, eq=False, repr=False)
class TableScene(Scene):
    """A table with pieces on it."""

    pieces: tuple[Piece, ...]  # terrain, fighters, vehicles, each in the order of the file
    tolerance: float  # the share within which a verdict counts as too close to call
    # The largest error that the file allows for a share where no other verdict is near, as a share, or None
    error: float | None
    base_contact: frozenset[Pair] | None  # the pairs of names in base contact where the file lists them, else None
    # (x, y) mm, the size of the table's top that the file gives, or None; its middle is the origin
    table: tuple[float, float] | None
    # Mistakes in where the pieces stand and in what the file says of them, if looked for
    placement_warnings: tuple[PlacementWarning, ...]
    doubt: DoubtEntry | None  # how far the pieces may lie from the truth; None where the file does not say
    unit_of_places: LengthUnits  # in the file, "mm", "inch" or "square"; all lengths here are mm
    square: float  # mm, the side of a square

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
        """A sentence for each mistake that may touch a check of an attacker, its target and the pieces in the way."""
        named = frozenset(others)
        return [
            warning.text
            for warning in self.placement_warnings
            if warning.touches(attacker, named)
            or (warning.around is not None and self._reaches(warning.around, attacker, named))
        ]

    def _reaches(self, around: tuple[float, float, float], attacker: str, others: frozenset[str]) -> bool:
        """Whether a circle in plan, x, y and radius, reaches in between the pieces of a check."""
        boxes = [self._by_name[name].whole_box[:, :2] for name in {attacker, *others}]
        x, y, radius = around
        return bool(convex_hull(np.concatenate(boxes)).distance(convex_hull(np.array([[x, y]]))) <= radius)

    def piece(self, name: str) -> Piece:
        """The piece of a name; RequestError if none has it."""
        piece = self._by_name.get(name)
        if piece is None:
            raise RequestError(f"{self.path}: nothing is called '{name}'; {did_you_mean(name, self._by_name)}")
        return piece

    @cached_property
    def significant_parts(self) -> BlockingPieces:
        """Every piece with its significant parts."""
        boxes = np.array([swollen(piece.body_box, piece.outline) for piece in self.pieces]).reshape(-1, 8, 3)
        return BlockingPieces(self.pieces, tuple(piece.model.significant for piece in self.pieces), boxes)

    @cached_property
    def whole_pieces(self) -> BlockingPieces:
        """Every piece with all of its parts, bases and insignificant ones among them."""
        boxes = np.array([swollen(piece.whole_box, piece.outline) for piece in self.pieces]).reshape(-1, 8, 3)
        return BlockingPieces(self.pieces, tuple(piece.model.mesh for piece in self.pieces), boxes)

    @cached_property
    def ignored_parts(self) -> BlockingPieces:
        """The bases and insignificant parts of the pieces that have any."""
        return BlockingPieces.of(
            (piece, piece.model.ignored) for piece in self.pieces if len(piece.model.ignored.faces)
        )

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
    *,
    weapons: bool = False,
) -> TableScene:
    """The scene of a table: models in their places.

    Args:
        path: of the scene file; paths in it are seen from its folder.
        readings_schema: the readings that its rule system knows, and their defaults; other keys are refused.
        tables_of: as in `settled`.
        posed: changes a piece on the table's top before it is lowered onto what it stands on, such as to lay it down.
        weapons: whether its rule system tells where a weapon points from where the head looks.
    """
    entry = validated(TableEntry, document, Location(path))
    for fighter in entry.fighter if not weapons else ():
        if isinstance(fighter.facing, HeadAndWeapon):
            raise Location(path, f"fighter '{fighter.name}'").error(
                f"facing has a head and a weapon, and this game does not tell them apart; write facing = "
                f"{fighter.facing.head:g}"
            )
    fields = fields_of(path, entry, readings_schema, ())
    kinds_of_tables: tuple[Kind, ...] = ("terrain", "fighter", "vehicle")
    tables = zip(kinds_of_tables, (entry.terrain, entry.fighter, entry.vehicle), strict=True)
    unit = unit_of(entry.units, entry.square)
    standing = [(kind, in_millimetres(piece, unit)) for kind, table in tables for piece in table]
    check_names_differ(path, [(kind, piece.name) for kind, piece in standing])
    models = Models(path, cache, tables_of)
    placed = [posed(piece_of(index, kind, piece, models)) for index, (kind, piece) in enumerate(standing)]
    pieces = settled(path, [piece for _, piece in standing], placed, tables_of or {})
    kinds = {piece.name: piece.kind for piece in pieces}
    table = in_millimetres(entry, unit).table
    checks = tuple(_check(Location(path, f"check {n}"), check, kinds) for n, check in enumerate(entry.check, 1))
    fields |= {"checks": checks, "pixel": entry.pixel, "warnings": _warnings_of(pieces)}
    return TableScene(
        **fields,
        pieces=pieces,
        tolerance=entry.tolerance,
        error=entry.error,
        base_contact=_contacts(path, entry.base_contact, kinds),
        table=table,
        placement_warnings=tuple(islice(entry_warnings(entry, pieces, table, tables_of or {}), MAX_SCENE_WARNINGS)),
        doubt=entry.doubt,
        unit_of_places=entry.units,
        square=entry.square,
    )


def _warnings_of(pieces: Iterable[Piece]) -> tuple[str, ...]:
    """What the pieces and their models have to say, each sentence once."""
    warnings = dict[str, None]()
    for piece in pieces:
        warnings |= dict.fromkeys(f"{piece.name}: {doubt}" for doubt in piece.warnings)
        # Of a mesh, which several pieces may share, it is the name of its file that stands in front.
        whose = f"{piece.name}: " if piece.model.format in ("figure", "parts") else ""
        warnings |= dict.fromkeys(whose + doubt for doubt in piece.model.warnings)
    return tuple(warnings)


def looked_over(scene: OfTable, *, faces: bool, z_is_ground: bool = False) -> OfTable:
    """The scene with the mistakes in where its pieces stand (`placement_warnings`), also among its warnings."""
    placed = placement_warnings(scene.pieces, faces=faces, units=scene.unit_of_places, z_is_ground=z_is_ground)
    warnings = (*scene.placement_warnings, *islice(placed, MAX_SCENE_WARNINGS))
    texts = [warning.text for warning in warnings if not warning.as_attacker]
    return replace(scene, placement_warnings=warnings, warnings=(*texts, *scene.warnings))


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
    if hypot(x_a - x_b, y_a - y_b) > a.model.base_reach + b.model.base_reach + CONTACT_GAP_MM + PLACE_ROUNDING_MM:
        return False
    (low_a, high_a), (low_b, high_b) = a.base_span, b.base_span
    if max(low_a, low_b) > min(high_a, high_b) + PLACE_ROUNDING_MM:
        return False
    (first, radius), (second, other_radius) = a.base_core, b.base_core
    farthest = CONTACT_GAP_MM + radius + other_radius + PLACE_ROUNDING_MM
    gaps = np.maximum(first.min(axis=0) - second.max(axis=0), second.min(axis=0) - first.max(axis=0))
    if gaps.max() > farthest:
        return False
    return bool(convex_hull(first).distance(convex_hull(second)) <= farthest)


def check_names_differ(path: Path, pieces: Sequence[tuple[str, str]]) -> None:
    """Refuses two pieces of one name, given the kind and the name of each.

    >>> check_names_differ(Path("duel.toml"), [("fighter", "A"), ("terrain", "A")])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: duel.toml: a fighter and a terrain piece are both called 'A'; give each ...
    """
    first: dict[str, str] = {}
    for kind, name in pieces:
        if name in first:
            both = f"two {kind} pieces are" if first[name] == kind else f"a {first[name]} and a {kind} piece are both"
            raise Location(path).error(f"{both} called '{name}'; give each a different name")
        first[name] = kind


def _check(location: Location, entry: CheckEntry, kinds: Mapping[str, Kind]) -> Check:
    for role, name in (("attacker", entry.attacker), ("target", entry.target)):
        _check_is_model(location, role, name, kinds)
    if entry.attacker == entry.target:
        raise location.error(f"'{entry.attacker}' would check itself; name another piece as target")
    return Check(entry.attacker, entry.target, entry.arc, entry.expect)


def _check_is_model(location: Location, role: str, name: str, kinds: Mapping[str, Kind]) -> None:
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
            _check_is_model(location, "piece", name, kinds)
        if pair[0] == pair[1]:
            raise location.error(f"'{pair[0]}' would touch itself; name two pieces")
    return frozenset(frozenset(pair) for pair in pairs)
