"""PLACE, for Crisis Protocol: a scene file becomes round bases and polygons in a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import shapely
from numpy.typing import NDArray
from pydantic import Field, StrictBool, field_validator

from silhouette.common.errors import RequestError
from silhouette.common.geometry import INCH, Floats
from silhouette.common.lazy import cached_property
from silhouette.common.text import did_you_mean
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry, Location, Name, Number, Size, plain, validated
from silhouette.relations.plane_geometry import Outlines, PlaneDisc, crossed, epsilon_of, fault_in, outline_distances
from silhouette.scenes.entries import SceneEntry
from silhouette.scenes.scene import Check, Scene, fields_of, similar_names

MAX_SIZE = 1000
# Share of the smaller of two bases by which they may overlap: a slip of the ruler, about a millimetre.
ALLOWED_OVERLAP_SHARE = 0.025
MAX_BASE_OVERLAPS = 50  # a scene with more bases that overlap is not looked at further: what is wrong with it is plain
METRIC = {"mm": 1.0, "cm": 10.0, "m": 1000.0}  # the length in mm of a unit of a scene, by its name
INCH_NAMES = ("inch", "inches", "in", '"')  # the names of an inch in a scene
WholeSize = Annotated[int, Field(strict=True, ge=1, le=MAX_SIZE)]
Corner = tuple[Number, Number]


def millimetres(unit: str) -> float | None:
    """The length of a unit in mm, by its name in a scene; None where it is not known.

    >>> millimetres("cm"), millimetres("inches"), millimetres("squares")
    (10.0, 25.4, None)
    """
    return {**METRIC, **dict.fromkeys(INCH_NAMES, INCH)}.get(unit.lower())


@dataclass(frozen=True)
class Ranges:
    """The lengths of range 1 and range 2, in the units of the scene."""

    first: float
    second: float


class Readings(Entry):
    """``[readings]``: which of the possible readings of the rules is taken; defaults first."""

    attacker_terrain_gives_cover: StrictBool = Field(True, description="true or false")
    """Whether the terrain that the attacker stands on can give its target cover (A3): it can, since the conditions
    speak of any terrain; or it cannot, since a character on top of it ignores it, which is said of line of sight.
    """


class CharacterEntry(Entry):
    """A ``[[character]]``."""

    name: Name = Field(description="a unique name, in quotes")
    """The name of the character."""
    size: WholeSize = Field(description="a whole number above zero")
    """Its size, as on its card."""
    at: Corner = Field(description="two numbers up to a million, [x, y]")
    """The middle of its base."""
    base: Size = Field(description="a number above zero, the diameter of the base")
    """The diameter of its base."""
    on: Name | None = Field(None, description="the name of the terrain that it stands on")
    """The terrain that it stands on."""
    granted_cover: StrictBool = Field(False, description="true or false")
    """Whether a card gives it cover."""


class FeatureEntry(Entry):
    """A ``[[terrain]]`` or an ``[[object]]``."""

    name: Name = Field(description="a unique name, in quotes")
    """The name of the terrain or object."""
    size: WholeSize = Field(description="a whole number above zero")
    """Its size, which is compared with the size of a character."""
    polygon: tuple[Corner, ...] = Field(description="a list of corners, each [x, y], two numbers up to a million")
    """Its outline in plan: a polygon that does not cross itself."""

    @field_validator("polygon")
    @classmethod
    def _simple(cls, value: tuple[Corner, ...]) -> tuple[Corner, ...]:
        fault = fault_in(value)
        if fault is not None:
            raise plain(f"it must {fault}")
        return value


class CheckEntry(Entry):
    """A ``[[check]]``."""

    attacker: Name = Field(description="the name of a character")
    """Who looks."""
    target: Name = Field(description="the name of a character, an object or terrain")
    """What is looked at."""
    expect: dict[str, Any] | None = Field(None, description="a table of result keys, each a value or [least, most]")
    """What the result must be."""


class PlanEntry(SceneEntry):
    """A Crisis Protocol scene, whole."""

    units: Name = Field("mm", description="the name of a unit of length, in quotes")
    """The unit of all lengths of the scene."""
    ranges: Ranges = Field(
        description="{ 1 = ..., 2 = ... }, two lengths above zero, the second no shorter",
        json_schema_extra={
            "type": "object",
            "properties": {key: {"type": "number", "exclusiveMinimum": 0, "maximum": 1e6} for key in ("1", "2")},
            "required": ["1", "2"],
            "additionalProperties": False,
        },
    )
    """The lengths of range 1 and range 2."""
    character: tuple[CharacterEntry, ...] = Field((), description="tables [[character]]")
    """The characters."""
    terrain: tuple[FeatureEntry, ...] = Field((), description="tables [[terrain]]")
    """The terrain."""
    object: tuple[FeatureEntry, ...] = Field((), description="tables [[object]]")
    """Targets that are neither characters nor terrain."""
    check: tuple[CheckEntry, ...] = Field((), description="tables [[check]]")
    """Who looks at whom."""

    @field_validator("ranges", mode="plain")
    @classmethod
    def _ranges(cls, value: Any) -> Ranges:
        match value:
            case {"1": int() | float() as first, "2": int() | float() as second, **rest} if not rest:
                numbers = not isinstance(first, bool) and not isinstance(second, bool)
                if numbers and 0 < first <= second <= 1e6:
                    return Ranges(float(first), float(second))
        raise ValueError


@dataclass(frozen=True)
class Character:
    """A character on its round base, the terrain ``on`` which that stands, and whether a card gives it cover."""

    name: str
    size: int
    base: PlaneDisc
    on: str | None
    granted_cover: bool


@dataclass(frozen=True, eq=False)
class Feature:
    """A terrain feature, or an object that can be a target; its outline is one polygon."""

    name: str
    size: int
    outline: Outlines


@dataclass(frozen=True, eq=False, repr=False)
class PlanScene(Scene):
    """A table seen from above; pieces are in the order of the file."""

    readings: Readings
    units: str  # the name of the unit of all lengths; a label
    ranges: Ranges
    characters: tuple[Character, ...]
    terrain: tuple[Feature, ...]
    objects: tuple[Feature, ...]
    # Terrain that is not there any more, but for the height of those who stand on it
    supports: tuple[Feature, ...] = ()

    @cached_property
    def outlines(self) -> Outlines:
        """The outlines of all terrain, in its order."""
        return Outlines.of([feature.outline.corners for feature in self.terrain])

    @cached_property
    def names(self) -> NDArray[np.object_]:
        """(terrain,) the name of each piece of terrain."""
        return np.array([feature.name for feature in self.terrain], dtype=object)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """(terrain,) the size of each piece of terrain."""
        return np.array([feature.size for feature in self.terrain], dtype=np.int64)

    def character(self, name: str) -> Character:
        """The character of that name. RequestError if no character has that name."""
        piece = self._by_name.get(name)
        if isinstance(piece, Character):
            return piece
        if isinstance(piece, Feature):
            raise RequestError(f"{self.path}: '{name}' is no character and sees nothing; name a character")
        raise RequestError(f"{self.path}: nothing is called '{name}'; {did_you_mean(name, self._by_name)}")

    def target(self, name: str) -> Character | Feature:
        """The character, terrain or object of that name. RequestError if nothing has that name."""
        piece = self._by_name.get(name)
        return self.character(name) if piece is None else piece

    def standing_on(self, character: Character) -> Feature | None:
        """The terrain that a character stands on, or None."""
        return None if character.on is None else self._by_name[character.on]  # type: ignore[return-value]

    def terrain_distances(self, character: Character) -> Floats:
        """(terrain,) the distance of the character's base from each piece; 0 from the one that it stands on."""
        if character.name not in self._distances:
            apart = outline_distances(character.base, self.outlines)
            self._distances[character.name] = np.where(self.names == character.on, 0.0, apart)
        return self._distances[character.name]

    def with_character(self, character: Character) -> PlanScene:
        """The scene with the character of that name as given; where pieces stand is not checked again."""
        others = tuple(character if other.name == character.name else other for other in self.characters)
        scene = replace(self, characters=others, warnings=())
        scene.__dict__.update({name: getattr(self, name) for name in ("outlines", "names", "sizes")})
        return scene

    @cached_property
    def _by_name(self) -> dict[str, Character | Feature]:
        by_name: dict[str, Character | Feature] = {piece.name: piece for piece in self.characters}
        return by_name | {piece.name: piece for piece in (*self.supports, *self.terrain, *self.objects)}

    @cached_property
    def _distances(self) -> dict[str, Floats]:
        """The distances of characters from all terrain, by their names, as far as they have been asked for."""
        return {}


def load_plan_scene(path: Path, document: Mapping[str, Any], cache: Cache) -> PlanScene:
    """The scene that a document describes, of which nothing is worth keeping. FileError if the scene is not valid."""
    entry = validated(PlanEntry, document, Location(path))
    checks = (Check(check.attacker, check.target, expect=check.expect) for check in entry.check)
    fields = fields_of(path, entry, Readings, checks)
    kinds = (("character", entry.character), ("terrain", entry.terrain), ("object", entry.object))
    named = [(kind, piece.name) for kind, pieces in kinds for piece in pieces]
    _names_differ(path, named)
    scene = PlanScene(
        **fields,
        units=entry.units,
        ranges=entry.ranges,
        characters=tuple(_character(path, character, entry) for character in entry.character),
        terrain=tuple(_feature(feature) for feature in entry.terrain),
        objects=tuple(_feature(feature) for feature in entry.object),
    )
    _checks_are_of(path, scene)
    similar = similar_names(name for _, name in named)
    return replace(scene, warnings=(*(text for _, text in similar), *_odd_places(scene)))


def _character(path: Path, entry: CharacterEntry, scene: PlanEntry) -> Character:
    names = [feature.name for feature in scene.terrain]
    if entry.on is not None and entry.on not in names:
        location = Location(path, f"character '{entry.name}'")
        raise location.error(f"on is '{entry.on}', but no terrain is called that; {did_you_mean(entry.on, names)}")
    x, y = entry.at
    return Character(
        entry.name, entry.size, PlaneDisc((float(x), float(y)), entry.base / 2), entry.on, entry.granted_cover
    )


def _feature(entry: FeatureEntry) -> Feature:
    return Feature(entry.name, entry.size, Outlines.of([entry.polygon]))


def _names_differ(path: Path, named: Sequence[tuple[str, str]]) -> None:
    kinds: dict[str, str] = {}
    for kind, name in named:
        first_kind = kinds.get(name)
        if first_kind is not None:
            who = f"two of [[{kind}]]" if first_kind == kind else f"one of [[{first_kind}]] and one of [[{kind}]]"
            raise Location(path).error(f"{who} are called '{name}'; give each a different name")
        kinds[name] = kind


def _checks_are_of(path: Path, scene: PlanScene) -> None:
    """Refuses a check that names nothing on the table, or an attacker that is no character."""
    characters = [piece.name for piece in scene.characters]
    targets = [*characters, *(piece.name for piece in (*scene.objects, *scene.terrain))]
    for number, check in enumerate(scene.checks, 1):
        location = Location(path, f"check {number}")
        if check.attacker in targets and check.attacker not in characters:
            raise location.error(f"attacker '{check.attacker}' is no character and sees nothing; name a character")
        for role, name, names in (("attacker", check.attacker, characters), ("target", check.target, targets)):
            if name not in names:
                raise location.error(f"{role} '{name}' is not on the table; {did_you_mean(name, names)}")


def _odd_places(scene: PlanScene) -> Iterator[str]:
    """A warning for each base that lies partly on terrain, where nobody can end a move (A7), or on another base."""
    yield from islice(_overlapping(scene.characters, scene.units), MAX_BASE_OVERLAPS)
    for character in scene.characters:
        for index in np.flatnonzero(
            crossed(character.base, character.base, scene.outlines, epsilon_of(character.base.bounds))
        ):
            if scene.names[index] != character.on:
                yield f"the base of {character.name} overlaps {scene.names[index]}, but it is not said to stand on it"
        feature = scene.standing_on(character)
        if feature is not None and not _holds(feature.outline, character.base):
            yield f"{character.name} is said to stand on {feature.name}, but its base does not lie wholly on it"


def _overlapping(characters: Sequence[Character], units: str) -> Iterator[str]:
    """A warning for each two bases that overlap, on one level, by more than a fortieth of the smaller one."""
    centres = np.array([piece.base.centre for piece in characters]).reshape(-1, 2)
    radii = np.array([piece.base.radius for piece in characters])
    levels = np.unique([str(piece.on) for piece in characters], return_inverse=True)[1]
    boxes = shapely.box(*(centres - radii[:, None]).T, *(centres + radii[:, None]).T)
    tree = shapely.STRtree(boxes)
    for number, character in enumerate(characters):
        others = tree.query(boxes[number])
        others = np.sort(others[(others > number) & (levels[others] == levels[number])])
        depths = radii[number] + radii[others] - np.hypot(*(centres[others] - centres[number]).T)
        too_deep = depths > ALLOWED_OVERLAP_SHARE * 2.0 * np.minimum(radii[number], radii[others])
        for other, depth in zip(others[too_deep], depths[too_deep], strict=True):
            both = f"{character.name} and {characters[other].name}"
            yield f"the bases of {both} overlap by {depth:.3g} {units}; move one"


def _holds(outline: Outlines, disc: PlaneDisc) -> bool:
    """Whether a polygon holds a disc, which may touch its edge from within."""
    polygon, centre = outline.polygons[0], shapely.Point(disc.centre)
    inside = bool(shapely.covers(polygon, centre))
    return inside and bool(shapely.distance(polygon.exterior, centre) >= disc.radius - epsilon_of(disc.bounds))
