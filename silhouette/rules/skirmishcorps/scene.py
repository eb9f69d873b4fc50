"""PLACE: SkirmishCorps, units and cover become pieces on a table, with the room that each takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Floats, Pose, cosine_and_sine
from silhouette.common.lazy import cached_property, derived
from silhouette.common.text import as_written, did_you_mean
from silhouette.files.cache import Cache
from silhouette.files.schema import Location, validated
from silhouette.models.entries import CylinderEntry, SolidEntry
from silhouette.models.mistakes import angle_mistake
from silhouette.models.model import Model, model_of_solids
from silhouette.rules.fields import OF_ODDS, expectable
from silhouette.rules.on_table import ModelScene
from silhouette.rules.skirmishcorps import entries
from silhouette.rules.skirmishcorps.classes import BRICK, FIGURE_BRICKS, CoverClass, Posture, UnitType, cover_class
from silhouette.rules.skirmishcorps.contact import Footprint, StandingSpace, in_contact, rectangle
from silhouette.rules.skirmishcorps.entries import AskEntry, CoverEntry, PairEntry, Readings, SkirmishEntry, UnitEntry
from silhouette.scenes.scene import Check
from silhouette.scenes.table import (
    Piece,
    check_names_differ,
    in_millimetres,
    load_table_scene,
    looked_over,
    table_fields,
    unit_of,
)

FIGURE_HEIGHT_MM, FIGURE_WIDTH_MM, FIGURE_DEPTH_MM = 40.0, 16.0, 10.0
"""Of a mini-figure, mm; it lies a quarter of its height thick, which very low cover hides."""


EYE_HEIGHT_SHARE = 7.0 / 8.0  # the height of the eye, as a share of the height of the body, standing or prone


@dataclass(frozen=True, eq=False)
class Unit:
    """A unit on the table: its height standing, in bricks, its body with its eye, and the space that it takes up."""

    name: str
    type: UnitType
    posture: Posture
    bricks: float
    piece: Piece
    standing: StandingSpace
    base_width: float  # mm; of the standard figure and of a body without a base its width

    @property
    def middle(self) -> Floats:
        """(2,) its middle, seen from above, mm."""
        return self.standing.footprint.middle


@dataclass(frozen=True, eq=False)
class Cover:
    """A piece that may protect: a section of cover, a box, or else a piece of terrain of any shape."""

    name: str
    piece: Piece
    standing: StandingSpace
    corners: Floats  # (4, 2) the corners of the rectangle round it in plan, anticlockwise: its faces
    bricks: float  # its height, for messages
    is_section: bool

    def class_for(self, unit: Unit) -> CoverClass:
        """Its class for a unit where that stands (R4, A4)."""
        return cover_class((self.standing.high - unit.standing.low) / BRICK, unit.bricks)


@dataclass(frozen=True)
class SkirmishCheck(Check):
    """A check with its question: one of the entries of `silhouette.rules.skirmishcorps.entries.ASKS`."""

    question: AskEntry | None = None

    @property
    def label(self) -> str:
        """The question, and the units that it is about."""
        if self.question is None or self.question.ask == "protection":
            return super().label
        return f"{self.question.ask}: {super().label}" if self.attacker else self.question.ask


@dataclass(frozen=True, eq=False, repr=False)
class SkirmishScene(ModelScene):
    """A table with units, and cover: sections, then terrain, each in the order of the file."""

    readings: Readings
    entries: Mapping[str, UnitEntry | CoverEntry]  # of units and sections by name, in mm and in the order of the file

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The units that stand there."""
        stand = ((entry, self._by_name.get(name)) for name, entry in self.entries.items())
        return tuple(
            _unit(entry, piece) for entry, piece in stand if isinstance(entry, UnitEntry) and piece is not None
        )

    @cached_property
    def covers(self) -> tuple[Cover, ...]:
        """The pieces of cover that stand there."""
        pieces = [(piece, self.entries.get(piece.name)) for piece in self.pieces]
        sections = (_section(entry, piece) for piece, entry in pieces if isinstance(entry, CoverEntry))
        return (*sections, *(_terrain(piece) for piece, entry in pieces if entry is None))

    def model(self, name: str) -> Piece:
        """The body of a unit."""
        return self.unit(name).piece

    def unit(self, name: str) -> Unit:
        """The unit of a name. RequestError if no unit has that name."""
        units = {unit.name: unit for unit in self.units}
        if name in units:
            return units[name]
        if any(cover.name == name for cover in self.covers):
            raise RequestError(f"{self.path}: '{name}' is cover; name a unit")
        raise RequestError(f"{self.path}: nothing is called '{name}'; {did_you_mean(name, units)}")

    def touched_by(self, standing: StandingSpace) -> list[Cover]:
        """The pieces of cover that a body in a space is in contact with (R1)."""
        tolerance = self.readings.contact_tolerance
        return [cover for cover in self.covers if in_contact(standing, cover.standing, tolerance)]


def load_scene(path: Path, document: Mapping[str, Any], cache: Cache) -> SkirmishScene:
    """The scene that a document describes. FileError where it is not valid, or expects a result that no check has."""
    written = validated(SkirmishEntry, document, Location(path))
    kinds = ("terrain", "unit", "cover")
    unit = unit_of(written.units, written.square)
    pieces = {key: tuple(in_millimetres(piece, unit) for piece in getattr(written, key)) for key in kinds}
    entry = in_millimetres(written, unit).model_copy(update=pieces)
    named = [("unit", unit.name) for unit in entry.unit] + [("cover", section.name) for section in entry.cover]
    check_names_differ(path, named + [("terrain", piece.name) for piece in entry.terrain])
    tables = {name: kind for kind, name in named}
    units = {unit.name: unit for unit in entry.unit}
    table = _table_document(written, entry, document)
    scene = load_table_scene(path, table, Readings, cache, tables, lambda piece: _posed(piece, units.get(piece.name)))
    fields = table_fields(scene)
    fields["checks"] = tuple(_check(path, number, raw, entry) for number, raw in enumerate(entry.check, 1))
    stand: tuple[UnitEntry | CoverEntry, ...] = (*entry.unit, *entry.cover)
    whole = SkirmishScene(**fields, entries={each.name: each for each in stand})
    return looked_over(whole, faces=False, z_is_ground=True)


def _table_document(written: SkirmishEntry, entry: SkirmishEntry, document: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a table scene with the same pieces; the entry is in mm, and what is written need not be."""
    sections = [
        {"turn": section.turn, "parts": (SolidEntry(box=(*section.size, section.height * BRICK)),), **_place_of(raw)}
        for section, raw in zip(entry.cover, written.cover, strict=True)
    ]
    shared = ("title", "rules", "source", "readings", "pixel", "error", "doubt")
    table = {key: document[key] for key in shared if key in document}
    if written.table:
        table["table"] = written.table
    return table | {
        "tolerance": entry.tolerance,
        "units": written.units,
        "square": written.square,
        "terrain": [*sections, *written.terrain],
        "fighter": [_unit_piece(unit) for unit in written.unit if unit.type != "vehicle"],
        "vehicle": [_unit_piece(unit) for unit in written.unit if unit.type == "vehicle"],
    }


def prone_size(bricks: float) -> tuple[float, float, float]:
    """The length, width and thickness, mm, of a prone body that is this many bricks high when it stands.

    >>> prone_size(4.0)
    (40.0, 16.0, 10.0)
    """
    scale = bricks / FIGURE_BRICKS
    return scale * FIGURE_HEIGHT_MM, scale * FIGURE_WIDTH_MM, scale * FIGURE_DEPTH_MM


def prone_body(bricks: float) -> SolidEntry:
    """The solid of a body that lies along y."""
    length, width, thickness = prone_size(bricks)
    return SolidEntry(box=(width, length, thickness))


def raised(cover: Cover, top: float) -> Piece:
    """The body of a section of cover, extended upward to a height: no prone unit sees over it (R13)."""
    low, high = cover.piece.model.mesh.bounds
    length, width = high[0] - low[0], high[1] - low[1]
    height = max(top, cover.standing.high) - cover.standing.low
    entry = SolidEntry(box=(float(length), float(width), float(height)))
    return replace(cover.piece, model=model_of_solids((entry,), Location(Path()), "terrain"))


RAISED_SHARE = 0.5  # of a unit's height, to which its prone body counts as raised: just above low cover (A17)


def raised_body(unit: Unit) -> Piece:
    """The body of a prone unit drawn up from the ground to `RAISED_SHARE` of its height, if it lies lower (A17)."""
    height = RAISED_SHARE * unit.bricks / FIGURE_BRICKS * FIGURE_HEIGHT_MM
    return replace(unit.piece, model=_drawn_up(unit.piece.model, tuple(unit.piece.pose.rotation[2].tolist()), height))


@derived
def _drawn_up(model: Model, upwards: tuple[float, float, float], height: float) -> Model:
    """The model as high as this, in mm, along a direction of its own frame in which it is lower."""
    up = np.array(upwards)
    body = model.significant.vertices @ up
    low, thickness = float(body.min()), float(np.ptp(body))
    if not 0.0 < thickness < height:
        return model
    lifted = (model.mesh.vertices @ up - low) * (height / thickness - 1.0)
    return replace(model, mesh=replace(model.mesh, vertices=model.mesh.vertices + lifted[:, None] * up))


def _unit_piece(entry: UnitEntry) -> dict[str, Any]:
    """The table's entry of a unit: a model as it stands, or the standard figure in its posture."""
    keys = ("facing", "turn", "eye", "doubt", "model", "parts", "figure")
    given = {key: getattr(entry, key) for key in keys if getattr(entry, key) is not None}
    piece: dict[str, Any] = _place_of(entry) | given
    if not _is_standard(entry):
        return piece
    bricks = FIGURE_BRICKS if entry.height is None else entry.height
    scale = bricks / FIGURE_BRICKS
    if entry.posture == "prone":
        eye = (0.0, 0.0, EYE_HEIGHT_SHARE * FIGURE_DEPTH_MM * scale)
        return {"eye": eye, **piece, "parts": (prone_body(bricks),), "turn": entry.lies_along - 90.0}
    figure = SolidEntry(cylinder=CylinderEntry(diameter=scale * FIGURE_WIDTH_MM, height=scale * FIGURE_HEIGHT_MM))
    return {"eye": (0.0, 0.0, EYE_HEIGHT_SHARE * FIGURE_HEIGHT_MM * scale), **piece, "parts": (figure,)}


def _place_of(entry: UnitEntry | CoverEntry) -> dict[str, Any]:
    lowered = {key: getattr(entry, key) for key in ("on", "under") if getattr(entry, key) is not None}
    return {"name": entry.name, "at": entry.at, **lowered}


def _unit(entry: UnitEntry, piece: Piece) -> Unit:
    bricks = entry.height
    if bricks is None:
        low, high = piece.model.mesh.bounds[0, 2], piece.model.body_box[1, 2]
        bricks = FIGURE_BRICKS if _is_standard(entry) else float(high - low) / FIGURE_HEIGHT_MM * FIGURE_BRICKS
    is_standard = _is_standard(entry)
    width = prone_size(bricks)[1] if is_standard else float(np.ptp(piece.model.base_outline, axis=0).min())
    room = _room(piece, entry.posture, is_standard, bricks)
    return Unit(entry.name, entry.type, entry.posture, bricks, piece, room, width)


@derived
def _room(piece: Piece, posture: Posture, is_standard: bool, bricks: float) -> StandingSpace:
    """The space that the body of a unit takes up."""
    x, y, ground = (float(coordinate) for coordinate in piece.pose.translation)
    if is_standard:
        length, width, thickness = prone_size(bricks)
        if posture == "standing":
            return StandingSpace(Footprint.disc(x, y, width / 2), ground, ground + length)
        corners = piece.in_plan(rectangle(0.0, 0.0, length, width, 90.0))
        return StandingSpace(Footprint.of_corners(corners), ground, ground + thickness)
    if posture == "standing":
        low, high = float(piece.model.mesh.bounds[0, 2]), float(piece.model.body_box[1, 2])
        return StandingSpace(Footprint.of_corners(piece.base_outline), ground + low, ground + high)
    points = piece.pose.place(piece.model.significant.vertices)
    return StandingSpace(Footprint.around(points), float(points[:, 2].min()), float(points[:, 2].max()))


def _is_standard(entry: UnitEntry) -> bool:
    """Whether a unit is the standard figure: its entry gives no mesh, no solids and no sizes."""
    return entry.model is None and entry.parts is None and entry.figure is None


def _posed(piece: Piece, entry: UnitEntry | None) -> Piece:
    """The piece of a unit's entry in its posture; cover and terrain have no entry, and stay as they are."""
    if entry is None:
        return piece
    if (mistake := angle_mistake("lies_along", entry.lies_along)) is not None:
        piece = replace(piece, warnings=(*piece.warnings, mistake))
    if entry.posture == "prone":
        return piece if _is_standard(entry) else _laid_down(piece, entry.lies_along)
    if not entry.lies_along:
        return piece
    idle = 'lies_along does nothing, since it stands; write posture = "prone" to lay it down'
    return replace(piece, warnings=(*piece.warnings, idle))


def _laid_down(piece: Piece, along: float) -> Piece:
    """A model laid on its face, its head in a direction in degrees, its middle at its place; it lifts its head to look,
    so that its eye is no lower than the standard figure's.
    """
    front = np.array([*cosine_and_sine(piece.model.front), 0.0])
    up, head = np.array([0.0, 0.0, 1.0]), np.array([*cosine_and_sine(along), 0.0])
    before = np.array([front, up, np.cross(front, up)])
    after = np.array([-up, head, np.cross(-up, head)])
    rotation = after.T @ before
    points = piece.model.significant.vertices @ rotation.T
    low, high = points.min(axis=0), points.max(axis=0)
    at = piece.pose.translation
    pose = Pose(rotation, at - [*(low + high)[:2] / 2, low[2]])
    eye = pose.place(piece.pose.localise(piece.eye[None]))
    eye[:, 2] = np.maximum(eye[:, 2], at[2] + EYE_HEIGHT_SHARE * (high - low)[2])
    return replace(piece, pose=pose, eye_given=pose.localise(eye)[0])


def _section(entry: CoverEntry, piece: Piece) -> Cover:
    ground = float(piece.pose.translation[2])
    corners = piece.in_plan(rectangle(0.0, 0.0, *entry.size, 0.0))
    standing = StandingSpace(Footprint.of_corners(corners), ground, ground + entry.height * BRICK)
    return Cover(entry.name, piece, standing, corners, entry.height, True)


def _terrain(piece: Piece) -> Cover:
    standing = _whole(piece)
    corners = piece.in_plan(piece.model.footprint)
    return Cover(piece.name, piece, standing, corners, (standing.high - standing.low) / BRICK, False)


@derived
def _whole(piece: Piece) -> StandingSpace:
    """The space that all of a piece takes up."""
    points = piece.pose.place(piece.model.mesh.vertices)
    low, high = float(points[:, 2].min()), float(points[:, 2].max())
    return StandingSpace(Footprint.around(points), low, high, points[piece.model.mesh.faces])


def _check(path: Path, number: int, raw: Mapping[str, Any], entry: SkirmishEntry) -> SkirmishCheck:
    location = Location(path, f"check {number}")
    ask = raw.get("ask", "protection")
    if not isinstance(ask, str) or ask not in entries.ASKS:
        raise location.error(f"ask is {as_written(ask)}; {did_you_mean(str(ask), entries.ASKS, 'it must be one of')}")
    question = validated(entries.ASKS[ask], raw, location)
    expect = question.expect
    if expect is not None:
        odds = OF_ODDS if ask == "protection" else ()
        expectable(location, expect, (*entries.RESULTS[ask], *odds))
        # The contract writes null where nothing protects, the worked cases write "none": both are understood.
        expect = {key: "none" if key == "cover" and value is None else value for key, value in expect.items()}
    if not isinstance(question, PairEntry):
        return SkirmishCheck("", "", None, expect, question)
    _check_units(location, question, entry)
    return SkirmishCheck(question.attacker, question.target, None, expect, question)


def _check_units(location: Location, question: PairEntry, entry: SkirmishEntry) -> None:
    units = [unit.name for unit in entry.unit]
    others = [section.name for section in entry.cover] + [piece.name for piece in entry.terrain]
    for role, name in (("attacker", question.attacker), ("target", question.target)):
        if name in others:
            raise location.error(f"{role} '{name}' is cover; name a unit")
        if name not in units:
            raise location.error(f"{role} '{name}' is not on the table; {did_you_mean(name, units)}")
    if question.attacker == question.target:
        raise location.error(f"'{question.attacker}' would check itself; name another unit as target")
