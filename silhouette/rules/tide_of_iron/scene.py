"""JUDGE: what a Tide of Iron scene is: a map of hexes, units on it, and who checks whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, JsonValue, StrictInt, field_validator

from silhouette.common.errors import FileError, RequestError
from silhouette.common.text import did_you_mean
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry, Location, Name, plain, validated
from silhouette.rules.tide_of_iron.hexes import Address, bounding_ranges, distance, from_words, in_words
from silhouette.scenes.entries import SceneEntry
from silhouette.scenes.scene import Check, Scene, fields_of, similar_names

MAX_ADDRESS = 10_000  # no address lies farther out than this, along either axis: a map board has some hundred hexes
MAX_TRACED_HEXES = 1_000_000  # hexes on the lines of all checks of a scene together: some 8 s of CPU
MAX_WHOLE_MAP_HEXES = 100_000  # a map with more of them is not judged as a whole
MAX_MAP_LENGTH_HEXES = 1_000  # a map that is longer, in hexes along an axis, is neither judged nor drawn as a whole
Terrain = Literal["clear", "woods", "building", "smoke"]
Elevation = Annotated[StrictInt, Field(ge=0)]
Coordinate = Annotated[StrictInt, Field(ge=-MAX_ADDRESS, le=MAX_ADDRESS)]
_ADDRESS_FORM = f"an address [q, r], two whole numbers from {-MAX_ADDRESS} to {MAX_ADDRESS}"
_TERRAIN_FORM = '"clear", "woods", "building" or "smoke"'
_ELEVATION = "a whole number of levels, 0, 1, 2 ..."
_WHO_FORM = f"the name of a unit, or {_ADDRESS_FORM}"
_COORDINATE: JsonValue = {"type": "integer", "minimum": -MAX_ADDRESS, "maximum": MAX_ADDRESS}
_WHO_FORMS: list[JsonValue] = [
    {"type": "string", "minLength": 1},
    {"type": "array", "items": _COORDINATE, "minItems": 2, "maxItems": 2},
]


class Readings(Entry):
    """``[readings]``: which of the possible readings of the rules is taken; defaults first."""

    hills: Literal["above the lower", "literal"] = Field(
        "above the lower", description='"above the lower" or "literal"'
    )
    """Which hills at or below the higher unit's level cast blind hexes (A3): those above the lower unit, since ground
    of its own level would else hide it; or, as the text literally says, all of them.
    """
    low_woods: Literal["literal", "height"] = Field("literal", description='"literal" or "height"')
    """Whether woods, buildings and smoke on ground lower than both units block (A4): literally they do; by
    their height they do not.
    """
    behind: Literal["hex distance", "hexes entered"] = Field(
        "hex distance", description='"hex distance" or "hexes entered"'
    )
    """How the hexes behind an obstruction are counted (A2): as a range is, like all else on the map; or those that the
    line enters, since they lie behind it "from the unit on higher elevation's perspective".
    """
    three_levels: Literal["none blind", "one blind"] = Field("none blind", description='"none blind" or "one blind"')
    """How many hexes behind an obstruction are blind if one unit is three levels or more above the other (A5), of which
    the text does not speak: none, since its numbers fall from 2 to 1; or one, as from two levels.
    """
    touching: Literal["clear", "blocked"] = Field("clear", description='"clear" or "blocked"')
    """Whether a hex counts of which the line only touches a corner (A1): it does not, since the slightest shift clears
    the line, which is the text's own way along edges; or it does, since "at any point" the line "intersects" it.
    """
    shift: Literal["line", "edge"] = Field("line", description='"line" or "edge"')
    """What is shifted where the line runs along edges of hexes (A6): the whole line to one side, since "two new lines"
    are drawn "parallel to the main line"; or each edge to whichever side is free, since "the firing player must shift"
    it.
    """


class DefaultEntry(Entry):
    """``default = { terrain = "clear", elevation = 0 }``: of every hex that is not described."""

    terrain: Terrain = Field("clear", description=_TERRAIN_FORM)
    """The terrain of every hex that is not described."""
    elevation: Elevation = Field(0, description=_ELEVATION)
    """The elevation of every hex that is not described."""


class HexEntry(Entry):
    """A ``[[map.hex]]``; what it leaves out is as in the map's ``default``."""

    at: tuple[Coordinate, Coordinate] = Field(description=_ADDRESS_FORM)
    """Which hex: axial coordinates. The neighbours of [0, 0] are [1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1] and
    [1, -1].
    """
    terrain: Terrain | None = Field(None, description=_TERRAIN_FORM)
    """What grows or stands there. The default is the map's."""
    elevation: Elevation | None = Field(None, description=_ELEVATION)
    """How high the ground is. The default is the map's."""


class MapEntry(Entry):
    """The table ``[map]``."""

    default: DefaultEntry = Field(DefaultEntry(), description='a table such as { terrain = "clear", elevation = 0 }')
    """What every hex is that is not described."""
    hex: tuple[HexEntry, ...] = Field((), description="tables [[map.hex]]")
    """The hexes that differ."""


class UnitEntry(Entry):
    """A ``[[unit]]``."""

    name: Name = Field(description="a unique name, in quotes")
    """The name of the unit."""
    at: tuple[Coordinate, Coordinate] = Field(description=_ADDRESS_FORM)
    """The hex that it stands in."""

    @field_validator("name")
    @classmethod
    def _no_address(cls, name: str) -> str:
        if from_words(name) is not None:
            raise plain(f"name is '{name}', which reads as an address; give the unit a name in words")
        return name


class CheckEntry(Entry):
    """A ``[[check]]``."""

    attacker: str = Field(description=_WHO_FORM, json_schema_extra={"anyOf": _WHO_FORMS})
    """Who looks, or from which hex."""
    target: str = Field(description=_WHO_FORM, json_schema_extra={"anyOf": _WHO_FORMS})
    """Who, or which hex, is looked at."""
    expect: dict[str, Any] | None = Field(None, description="a table of result keys and values")
    """What the result must be."""

    @field_validator("attacker", "target", mode="plain")
    @classmethod
    def _who(cls, value: object) -> str:
        match value:
            case str() if value:
                address = from_words(value)
            case [int(q), int(r)] if not isinstance(q, bool) and not isinstance(r, bool):
                address = (q, r)
            case _:
                raise ValueError
        if address is None:
            return str(value)
        if max(map(abs, address)) > MAX_ADDRESS:
            raise ValueError
        return in_words(address)


class HexSceneEntry(SceneEntry):
    """A Tide of Iron scene, whole."""

    map: MapEntry = Field(MapEntry(), description="a table [map]")
    """The ground."""
    unit: tuple[UnitEntry, ...] = Field((), description="tables [[unit]]")
    """The units. They do not block."""
    check: tuple[CheckEntry, ...] = Field((), description="tables [[check]]")
    """Who looks at whom."""


class HexGround(NamedTuple):
    """The terrain and the level of a hex."""

    terrain: Terrain
    elevation: int

    @property
    def blocks(self) -> bool:
        """Whether its terrain blocks, whatever its elevation (R4, R8)."""
        return self.terrain != "clear"


@dataclass(frozen=True, eq=False, repr=False)
class HexScene(Scene):
    """A map of hexes with units on it, each with its address, in the order of the file."""

    readings: Readings
    default: HexGround  # the ground of every hex that is not described; the map has no end
    described: Mapping[Address, HexGround]  # the ground of the hexes that are described, by address
    units: Mapping[str, Address]

    def ground(self, address: Address) -> HexGround:
        """The ground of the hex at an address."""
        return self.described.get(address, self.default)

    def address(self, words: str) -> Address:
        """The address of a unit, or that the words spell. RequestError where no unit has the name and it is none."""
        if words in self.units:
            return self.units[words]
        address = from_words(words)
        if address is None:
            near = did_you_mean(words, self.units, "the units are")
            raise RequestError(f"{self.path}: '{words}' is no unit, nor an address such as 4,0; {near}")
        if max(map(abs, address)) > MAX_ADDRESS:
            raise RequestError(f"{self.path}: '{words}' lies off every map; say {_ADDRESS_FORM}")
        return address

    def map(self) -> list[Address]:
        """The part of the endless map that is judged as a whole, row by row: the least parallelogram that holds every
        hex described, or named by units and checks; may be empty. RequestError where it has more than
        `MAX_WHOLE_MAP_HEXES`.
        """
        checked = [self.address(who) for check in self.checks for who in (check.attacker, check.target)]
        columns, rows = bounding_ranges([*self.described, *self.units.values(), *checked])
        if len(columns) * len(rows) > MAX_WHOLE_MAP_HEXES or max(len(columns), len(rows)) > MAX_MAP_LENGTH_HEXES:
            raise RequestError(
                f"{self.path}: the hexes that it names lie {len(columns)} x {len(rows)} apart; "
                f"all of a map are judged up to {MAX_WHOLE_MAP_HEXES} hexes, {MAX_MAP_LENGTH_HEXES} along a side: "
                "say --from NAME --to NAME"
            )
        return [(q, r) for r in rows for q in columns]

    def checks_from(self, attacker: str) -> tuple[Check, ...]:
        """The checks of a unit or an address, in words, against every hex of `map`, or its own where that is empty."""
        targets = self.map() or [self.address(attacker)]
        return tuple(Check(as_spelt(attacker), in_words(address)) for address in targets)


def refuse_too_long(scene: HexScene, checks: Sequence[Check]) -> None:
    """Refuses checks of which the lines together enter too many hexes, or one of which names no unit and no address."""
    traced = sum(distance(scene.address(check.attacker), scene.address(check.target)) for check in checks)
    if traced > MAX_TRACED_HEXES:
        raise FileError(
            scene.path,
            f"the lines of its {len(checks):,} checks enter {traced:,} hexes; at most {MAX_TRACED_HEXES:,} are traced "
            "together: ask less at once, such as --from NAME --to NAME, or about hexes that are nearer",
        )


def as_spelt(words: str) -> str:
    """A unit's name as it is, an address in the one way to spell it."""
    address = from_words(words)
    return words if address is None else in_words(address)


def load_hex_scene(path: Path, document: Mapping[str, Any], cache: Cache) -> HexScene:
    """The scene that a document describes, of which nothing is worth keeping. FileError where the scene is not valid;
    one line, with the place.

    >>> hill = {"rules": "tide-of-iron", "unit": [{"name": "A", "at": [0, 0.5]}]}
    >>> load_hex_scene(Path("hill.toml"), hill, Cache(None))
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: hill.toml: unit 'A', at is [0, 0.5]; it must be an address [q, r], two whole ...
    """
    entry = validated(HexSceneEntry, document, Location(path))
    fields = fields_of(path, entry, Readings, ())
    default = HexGround(entry.map.default.terrain, entry.map.default.elevation)
    units = _units(path, entry.unit)
    checks = tuple(_check(Location(path, f"check {n}"), check, units) for n, check in enumerate(entry.check, 1))
    fields |= {"checks": checks, "warnings": tuple(text for _, text in similar_names(units))}
    scene = HexScene(**fields, default=default, described=_described(path, entry.map.hex, default), units=units)
    refuse_too_long(scene, scene.checks)
    return scene


def _described(path: Path, entries: Sequence[HexEntry], default: HexGround) -> dict[Address, HexGround]:
    grounds: dict[Address, HexGround] = {}
    for entry in entries:
        if entry.at in grounds:
            raise Location(path, "map").error(f"the hex {in_words(entry.at)} is described twice; describe it once")
        terrain = default.terrain if entry.terrain is None else entry.terrain
        elevation = default.elevation if entry.elevation is None else entry.elevation
        grounds[entry.at] = HexGround(terrain, elevation)
    return grounds


def _units(path: Path, entries: Sequence[UnitEntry]) -> dict[str, Address]:
    addresses: dict[str, Address] = {}
    for entry in entries:
        if entry.name in addresses:
            raise Location(path).error(f"two units are called '{entry.name}'; give each a different name")
        addresses[entry.name] = entry.at
    return addresses


def _check(location: Location, entry: CheckEntry, units: Mapping[str, Address]) -> Check:
    for role, who in (("attacker", entry.attacker), ("target", entry.target)):
        if who not in units and from_words(who) is None:
            near = did_you_mean(who, units, "the units are")
            raise location.error(f"{role} '{who}' is no unit, nor an address such as [4, 0]; {near}")
    return Check(entry.attacker, entry.target, expect=entry.expect)
