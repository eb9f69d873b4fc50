"""PLACE: an Ikosa scene file becomes a CellScene: creatures in their cells among solids, and its checks.

Cells are three whole numbers; points are three exact ones: whole, decimal (0.1 is 1/10), or in quotes ("1/2").
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator, StrictBool, WithJsonSchema

from silhouette.common.errors import RequestError
from silhouette.common.text import as_written, did_you_mean
from silhouette.files.cache import Cache
from silhouette.files.schema import MAX_LENGTH_MM, Entry, Location, Name, plain, validated
from silhouette.rules.ikosa.cell_lines import Cell, CellBox, CellSide, Point, Solids, holds
from silhouette.scenes.entries import SceneEntry
from silhouette.scenes.scene import Check, Scene, fields_of, similar_names

Mode = Literal["melee", "ranged"]
Exposure = Literal["cells", "point"]
Gravity = Literal["-z", "+z", "-x", "+x", "-y", "+y"]
BEST_CORNER: Literal["best corner"] = "best corner"
POINT_FORM = 'three numbers, each whole, decimal, or in quotes such as "1/2", up to a million'
_IN_QUOTES = re.compile(r"[+-]?[0-9]+(/[0-9]*[1-9][0-9]*|\.[0-9]+)?")
_MAX_NUMBER_LENGTH = 60


def exact(value: object) -> Fraction:
    """The number that a file means, exactly: a decimal is taken as it is written. ValueError where the value is no
    number, not finite, or beyond a million.

    >>> exact(0.1), exact("1/2"), exact("-0.25"), exact(3)
    (Fraction(1, 10), Fraction(1, 2), Fraction(-1, 4), Fraction(3, 1))
    >>> exact("1/0")
    Traceback (most recent call last):
    ...
    ValueError: no number
    """
    match value:
        case int() if not isinstance(value, bool):
            number = Fraction(value)
        case float() if math.isfinite(value):
            number = Fraction(repr(value))
        case str() if len(value) <= _MAX_NUMBER_LENGTH and _IN_QUOTES.fullmatch(value):
            number = Fraction(value)
        case _:
            raise ValueError("no number")
    if abs(number) > MAX_LENGTH_MM:
        raise ValueError("beyond a million")
    return number


def in_words(point: Point | Cell) -> str:
    """A point or a cell as a file writes it, but for quotes.

    >>> in_words((Fraction(1), Fraction(1, 2), Fraction(0)))
    '[1, 1/2, 0]'
    """
    return f"[{', '.join(str(coordinate) for coordinate in point)}]"


def first_repeated(cells: Sequence[Cell]) -> Cell | None:
    """The first cell that stands in a list a second time, or None."""
    seen: set[Cell] = set()
    for cell in cells:
        if cell in seen:
            return cell
        seen.add(cell)
    return None


def _cell(value: object) -> Cell:
    """Three whole numbers, 1.0 as well."""
    match value:
        case [int() | float(), int() | float(), int() | float()]:
            with suppress(ValueError):
                i, j, k = (exact(at).as_integer_ratio() for at in value)
                if i[1] == j[1] == k[1] == 1:
                    return i[0], j[0], k[0]
    raise plain(f"it is {as_written(value)}; a cell must be three whole numbers, up to a million")


def _point(value: object) -> Point:
    match value:
        case [x, y, z]:
            return exact(x), exact(y), exact(z)
    raise ValueError("no point")


def _box(value: object) -> CellBox:
    try:
        match value:
            case [least, greatest]:
                box = CellBox(_point(least), _point(greatest))
            case _:
                raise ValueError("no two corners")
    except ValueError:
        raise plain(
            f"it is {as_written(value)}; it must be [least corner, greatest corner], each of them {POINT_FORM}"
        ) from None
    for axis, low, high in zip("xyz", box.low, box.high, strict=True):
        if low == high:
            raise plain(f"it is flat along {axis}, from {low} to {high}; a box must be thicker than nothing")
        if low > high:
            raise plain(f"along {axis} it goes from {low} down to {high}; its least corner must come first")
    return box


def _effect(value: object) -> Cell | str:
    """A cell, or the name of a creature."""
    if isinstance(value, str) and value:
        return value
    return _cell(value)


def _all_different(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    twice = first_repeated(cells)
    if twice is not None:
        raise plain(f"{in_words(twice)} stands there twice; give each cell that the creature fills once")
    return cells


_NUMBER_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": f"^{_IN_QUOTES.pattern}$"}]}
_POINT_SCHEMA = {"type": "array", "items": _NUMBER_SCHEMA, "minItems": 3, "maxItems": 3}
_CELL_SCHEMA = {"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 3}
CellValue = Annotated[Cell, PlainValidator(_cell), WithJsonSchema(_CELL_SCHEMA)]
BoxValue = Annotated[
    CellBox,
    PlainValidator(_box),
    WithJsonSchema({"type": "array", "items": _POINT_SCHEMA, "minItems": 2, "maxItems": 2}),
]
EffectValue = Annotated[
    Cell | str, PlainValidator(_effect), WithJsonSchema({"anyOf": [_CELL_SCHEMA, {"type": "string", "minLength": 1}]})
]
SourcePoint = Annotated[
    Point | None,
    PlainValidator(lambda value: None if value == BEST_CORNER else _point(value)),
    WithJsonSchema({"anyOf": [{"const": BEST_CORNER}, _POINT_SCHEMA]}),
]


class CreatureEntry(Entry):
    """A ``[[creature]]``."""

    name: Name = Field(description="a unique name, in quotes")
    """The name of the creature."""
    cells: Annotated[tuple[CellValue, ...], AfterValidator(_all_different)] = Field(
        min_length=1, description="a list of one or more cells, such as [[0, 0, 1]]"
    )
    """The cells that it fills; cell [i, j, k] is the cube from there to +1."""
    gravity: Gravity = Field("-z", description='"-z", "+z", "-x", "+x", "-y" or "+y"')
    """The direction in which it falls."""
    flying: StrictBool = Field(False, description="true or false")
    """Whether it flies; terrain beneath a flying creature does not support it."""


class CellCheckEntry(Entry):
    """A ``[[check]]``."""

    attacker: Name = Field(description="the name of a creature")
    """Who attacks."""
    target: Name = Field(description="the name of a creature")
    """Who is attacked."""
    source_point: SourcePoint = Field(None, description=f'"{BEST_CORNER}", or {POINT_FORM}')
    """Ranged only: the point that the attack comes from. The default is the corner of the attacker's cells with
    the fewest hindered lines.
    """
    expect: dict[str, Any] | None = Field(None, description="a table of result keys, each a value or [least, most]")
    """What the result must be."""


class CellSceneEntry(SceneEntry):
    """A scene of cells, whole."""

    mode: Mode = Field(description='"melee" or "ranged"')
    """The way in which all attacks of the scene are made."""
    solid_cells: tuple[CellValue, ...] = Field((), description="a list of cells, such as [[0, 0, 0]]")
    """Cells of blocking ground."""
    boxes: tuple[BoxValue, ...] = Field((), description='a list of boxes, such as [[[0, 0, 0], ["1/2", 1, 1]]]')
    """Further blocking boxes, each [least corner, greatest corner]; "1/2" is exact."""
    effects: tuple[EffectValue, ...] = Field(
        (), description='a list of cells and names of creatures, such as [[2, 0, 0], "ogre"]'
    )
    """Cells in which an effect, such as fog, gives cover without blocking; and creatures that do so where they stand: a
    line that passes through is hindered, but never stopped (R4). Attacker and target give each other none.
    """
    creature: tuple[CreatureEntry, ...] = Field((), description="tables [[creature]]")
    """The creatures. They do not block, and give cover only where `effects` names them."""
    check: tuple[CellCheckEntry, ...] = Field((), description="tables [[check]]")
    """Who attacks whom."""


class Readings(Entry):
    """``[readings]``: which reading of the rules is taken; defaults first."""

    exposure: Exposure = Field("cells", description='"cells" or "point"')
    """What decides which faces of a target face a single source point (A9): the attacker's cell, since the text goes by
    "relative integer cell coordinates"; or the point itself, since "only points exposed to the source point" count.
    """
    graded_cover: StrictBool = Field(False, description="true or false")
    """Whether the result also has the value of the cover as the author's later code gives it."""


MAX_CELL_PAIRS = 100_000  # of an attacker's and a target's, of all checks of a scene: some 10 s of CPU


@dataclass(frozen=True)
class Creature:
    """A creature in the grid: its cells, at least one, sorted, and the face of each of them towards which it falls."""

    name: str
    cells: tuple[Cell, ...]
    gravity: CellSide
    flying: bool


@dataclass(frozen=True)
class CellCheck(Check):
    """A check that may say from which point a ranged attack comes; None is the best corner."""

    source_point: Point | None = None


@dataclass(frozen=True, eq=False, repr=False)
class CellScene(Scene):
    """Creatures, in the order of the file, among solid cells, each once, and boxes, the last of ``solids``."""

    readings: Readings
    mode: Mode
    creatures: tuple[Creature, ...]
    solid_cells: tuple[Cell, ...]
    solids: Solids
    effect_cells: tuple[Cell, ...]  # in which an effect gives cover without blocking (R4)
    effect_names: tuple[str, ...]  # of creatures that do so

    def effects_between(self, attacker: str, target: str) -> tuple[tuple[str, Cell], ...]:
        """The cells with effects that count between two creatures, each with the name of the creature in it or ""."""
        creatures = (self.creature(name) for name in self.effect_names if name not in (attacker, target))
        of_creatures = ((creature.name, cell) for creature in creatures for cell in creature.cells)
        return (*(("", cell) for cell in self.effect_cells), *of_creatures)

    def creature(self, name: str) -> Creature:
        """The creature of a name. RequestError if no creature has that name."""
        creatures = {creature.name: creature for creature in self.creatures}
        if name not in creatures:
            raise RequestError(f"{self.path}: nothing is called '{name}'; {did_you_mean(name, creatures)}")
        return creatures[name]


def load_cell_scene(path: Path, document: Mapping[str, Any], cache: Cache) -> CellScene:
    """The scene of cells that a document describes, of which nothing is worth keeping. FileError if it is not valid."""
    entry = validated(CellSceneEntry, document, Location(path))
    fields = fields_of(path, entry, Readings, ())
    creatures = _creatures(path, entry.creature)
    checks = tuple(
        _check(Location(path, f"check {number}"), check, entry.mode, creatures)
        for number, check in enumerate(entry.check, 1)
    )
    pairs = sum(len(creatures[check.attacker].cells) * len(creatures[check.target].cells) for check in checks)
    if pairs > MAX_CELL_PAIRS:
        raise Location(path).error(
            f"its {len(checks):,} checks look from cell to cell {pairs:,} times; {MAX_CELL_PAIRS:,} are the most: give "
            "creatures fewer cells, or ask less at once"
        )
    cells = tuple(dict.fromkeys(entry.solid_cells))
    solids = Solids([*map(CellBox.of_cell, cells), *entry.boxes])
    warnings = (*_warnings(entry, creatures, checks), *_hanging(entry, solids, creatures, checks))
    fields |= {"checks": checks, "warnings": warnings}
    effects = tuple(dict.fromkeys(entry.effects))
    names = tuple(effect for effect in effects if isinstance(effect, str))
    for name in names:
        if name not in creatures:
            near = did_you_mean(name, creatures)
            raise Location(path).error(f"effects: '{name}' is no creature of this scene; {near}")
    return CellScene(
        **fields,
        mode=entry.mode,
        creatures=tuple(creatures.values()),
        solid_cells=cells,
        solids=solids,
        effect_cells=tuple(effect for effect in effects if not isinstance(effect, str)),
        effect_names=names,
    )


def _creatures(path: Path, entries: Sequence[CreatureEntry]) -> dict[str, Creature]:
    by_name: dict[str, Creature] = {}
    for entry in entries:
        if entry.name in by_name:
            raise Location(path).error(f"two creatures are called '{entry.name}'; give each a different name")
        gravity = CellSide("xyz".index(entry.gravity[1]), entry.gravity[0] == "+")
        by_name[entry.name] = Creature(entry.name, tuple(sorted(entry.cells)), gravity, entry.flying)
    return by_name


def _check(location: Location, entry: CellCheckEntry, mode: Mode, creatures: dict[str, Creature]) -> CellCheck:
    for role, name in (("attacker", entry.attacker), ("target", entry.target)):
        if name not in creatures:
            raise location.error(f"{role} '{name}' is no creature of this scene; {did_you_mean(name, creatures)}")
    if entry.attacker == entry.target:
        raise location.error(f"'{entry.attacker}' would check itself; name another creature as target")
    if mode == "melee" and entry.source_point is not None:
        raise location.error('source_point is a point, which goes with mode = "ranged"; leave it out')
    return CellCheck(entry.attacker, entry.target, expect=entry.expect, source_point=entry.source_point)


def _hanging(
    entry: CellSceneEntry, solids: Solids, creatures: Mapping[str, Creature], checks: Sequence[CellCheck]
) -> Iterator[str]:
    """A warning for each box with nothing drawn under it, though a line may run along its lower side: it only touches
    that. The boxes are the last of the solids.
    """
    cells = len(solids.boxes) - len(entry.boxes)
    for down in {creature.gravity: None for creature in creatures.values()} if entry.boxes else ():
        along = _levels(creatures, checks, down)
        for number, box in enumerate(entry.boxes):
            under = (box.high if down.high else box.low)[down.axis]
            if under in along and not solids.touch_box(cells + number, down):
                ground = in_words(_under(box, down))
                yield (
                    f"box {number + 1} stands on nothing that is drawn, so that a line along its lower side only "
                    f"touches it; draw the ground, such as the solid cell {ground}, if there is any"
                )


def _levels(creatures: Mapping[str, Creature], checks: Sequence[CellCheck], down: CellSide) -> set[Fraction]:
    """At which coordinates along the axis of a side some line of a check may run level; without checks, of any two."""
    ends = {
        name: {Fraction(cell[down.axis] + step) for cell in creature.cells for step in (0, 1)}
        for name, creature in creatures.items()
    }
    pairs = [(check.attacker, check.target, check.source_point) for check in checks]
    pairs = pairs or [(attacker, target, None) for attacker, target in permutations(creatures, 2)]
    return {
        level
        for attacker, target, point in pairs
        for level in ends[target] & (ends[attacker] if point is None else {point[down.axis]})
    }


def _under(box: CellBox, down: CellSide) -> Cell:
    """The cell beyond the least corner of a box, on the side on which it stands."""
    i, j, k = (math.floor(at) for at in box.low)
    corner: list[int] = [i, j, k]
    corner[down.axis] = math.ceil(box.high[down.axis]) if down.high else math.floor(box.low[down.axis]) - 1
    return corner[0], corner[1], corner[2]


def _warnings(entry: CellSceneEntry, creatures: dict[str, Creature], checks: Sequence[CellCheck]) -> tuple[str, ...]:
    """The warnings: each names something that is allowed, but is probably a mistake."""
    warnings = [text for _, text in similar_names(creatures)]
    twice = first_repeated(entry.solid_cells)
    if twice is not None:
        warnings.append(f"solid_cells: {in_words(twice)} stands there twice")
    solid = set(entry.solid_cells)
    warnings += [
        f"{creature.name} stands in the solid cell {in_words(cell)}"
        for creature in creatures.values()
        for cell in creature.cells
        if cell in solid
    ]
    for number, check in enumerate(checks, 1):
        point = check.source_point
        if point is not None and not any(holds(cell, point) for cell in creatures[check.attacker].cells):
            warnings.append(f"check {number}: source_point {in_words(point)} is no point of {check.attacker}")
    return tuple(warnings)
