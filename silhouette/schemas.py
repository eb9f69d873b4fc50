"""TAG, PLACE: which keys a user's file may have and what each must be, and what is said where one is not that.

Every field's description says what would be right, as the end of a sentence that begins "it must be": the same words
document the key and explain a mistake. A field that is a choice among words, or true or false, can do without.
pydantic finds the mistake; `validated` says it in one plain line.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from silhouette.errors import FileError
from silhouette.solids import Axis, Box, Cylinder, Solid, Sphere

LARGEST = 1e6  # mm: a kilometre is no tabletop
COARSEST = 10.0  # mm per pixel
LARGEST_ERROR = 0.05
LEAST_BASE = 0.01  # mm
# How like a misspelt word must be, as difflib measures it, to one that is suggested. Keys are fewer, and in short ones
# a letter or two are the difference between "arcs" and "parts".
ALIKE, KEYS_ALIKE = 0.6, 0.7

Kind = Literal["fighter", "vehicle", "terrain"]
Arc = Literal["front", "left", "right", "rear"]

Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]
Size = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, le=LARGEST)]
Pixel = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, le=COARSEST)]
Error = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, le=LARGEST_ERROR)]
Name = Annotated[str, Field(min_length=1)]
Point = tuple[Number, Number, Number]
S = TypeVar("S", bound=BaseModel)


@dataclass(frozen=True)
class Place:
    """Where in which file something stands, so that what is wrong with it can be found.

    >>> str(Place(Path("duel.toml"), "fighter 'Kal'").error("too tall"))
    "duel.toml: fighter 'Kal': too tall"
    >>> str(Place(Path("duel.toml")).error("too tall"))
    'duel.toml: too tall'
    """

    path: Path
    where: str = ""

    def error(self, problem: str) -> FileError:
        """The error to raise where this place holds what is wrong."""
        return FileError(self.path, f"{self.where}: {problem}" if self.where else problem)


class Entry(BaseModel):
    """A table of a user's file: no key but those named."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CylinderEntry(Entry):
    """``cylinder = { diameter = 25, height = 3, axis = "z" }``."""

    diameter: Size = Field(description="a number of mm above zero")
    height: Size = Field(description="a number of mm above zero")
    axis: Axis = Field("z", description='"x", "y" or "z"')


class SphereEntry(Entry):
    """``sphere = { diameter = 12 }``."""

    diameter: Size = Field(description="a number of mm above zero")


class SolidEntry(Entry):
    """One of ``parts``: a solid in its place."""

    box: tuple[Size, Size, Size] | None = Field(None, description="three sizes in mm along x, y and z, each above zero")
    cylinder: CylinderEntry | None = Field(None, description="{ diameter = ..., height = ... } in mm")
    sphere: SphereEntry | None = Field(None, description="{ diameter = ... } in mm")
    at: Point = Field((0.0, 0.0, 0.0), description="three numbers of mm, the middle of the solid's underside")
    turn: Number = Field(0.0, description="a number of degrees")
    name: Name | None = Field(None, description="a name in quotes")
    base: StrictBool = Field(False, description="true or false")
    insignificant: StrictBool = Field(False, description="true or false")

    @model_validator(mode="after")
    def _one_shape(self) -> SolidEntry:
        _need_one(self, "box", "cylinder", "sphere")
        if self.base and self.insignificant:
            raise plain("base and insignificant are both true; a solid is one or the other")
        return self

    def solid(self) -> Solid:
        """The solid that it describes."""
        shape: Box | Cylinder | Sphere
        if self.box is not None:
            shape = Box(self.box)
        elif self.cylinder is not None:
            shape = Cylinder(self.cylinder.diameter, self.cylinder.height, self.cylinder.axis)
        else:
            assert self.sphere is not None
            shape = Sphere(self.sphere.diameter)
        return Solid(shape, self.at, self.turn, self.name)


class BallEntry(Entry):
    """``sphere = { centre = [0, 0, 34], radius = 4 }``."""

    centre: Point = Field(description="three numbers of mm in the model's frame")
    radius: Size = Field(description="a number of mm above zero")


class InsignificantEntry(Entry):
    """One ``[[insignificant]]``: a part by name, or all triangles in a box or a sphere."""

    part: Name | None = Field(
        None, description="the name of a part of the mesh; *, ? and [...] stand for other letters"
    )
    box: tuple[Point, Point] | None = Field(None, description="two opposite corners, [[x, y, z], [x, y, z]] in mm")
    sphere: BallEntry | None = Field(None, description="{ centre = [x, y, z], radius = ... } in mm")

    @model_validator(mode="after")
    def _one_way(self) -> InsignificantEntry:
        _need_one(self, "part", "box", "sphere")
        return self


@dataclass(frozen=True)
class BaseChoice:
    """How the base is to be known: found, not there, a named part, or all below a height in mm."""

    how: Literal["auto", "none", "part", "height"]
    part: str = ""
    height: float = 0.0


class ModelOptions(Entry):
    """The keys of a model file, which may also stand in a scene's piece beside ``mesh``."""

    mesh: Name | None = Field(None, description="the path of a mesh file, seen from the file that names it")
    kind: Kind | None = Field(None, description='"fighter", "vehicle" or "terrain"')
    units: Literal["mm", "cm", "m", "inch", "auto"] = Field("auto", description='"mm", "cm", "m", "inch" or "auto"')
    up: Literal["y", "z"] | None = Field(None, description='"z" or "y"')
    scale: Size = Field(1.0, description="a number above zero")
    eye: Point | None = Field(None, description="three numbers of mm in the model's frame")
    eyes: dict[Arc, Point] | None = Field(
        None, description="a table of points in the model's frame by vision arc, such as { front = [x, y, z] }"
    )
    base: BaseChoice = Field(
        BaseChoice("auto"),
        description='"auto", "none", { part = "..." } or { height = ... } with a height above zero in mm',
    )
    front: Number = Field(90.0, description="a number of degrees anticlockwise from +x")
    solid: StrictBool = Field(False, description="true or false")
    origin: Literal["base", "keep"] = Field("base", description='"keep", or left out')
    insignificant: tuple[InsignificantEntry, ...] = Field((), description="tables [[insignificant]]")

    @field_validator("base", mode="plain")
    @classmethod
    def _base(cls, value: object) -> BaseChoice:
        match value:
            case BaseChoice():
                return value
            case "auto" | "none":
                return BaseChoice(value)
            case {"part": str(part), **rest} if part and not rest:
                return BaseChoice("part", part=part)
            case {"height": int(height) | float(height), **rest} if not rest and not isinstance(height, bool):
                if LEAST_BASE <= height <= LARGEST:
                    return BaseChoice("height", height=float(height))
        raise ValueError


class PieceEntry(ModelOptions):
    """What a piece of any table may say: which model it is, and where it stands."""

    name: Name = Field(description="a name of its own, in quotes")
    model: Name | None = Field(None, description="the path of a model file, seen from the scene's own folder")
    parts: tuple[SolidEntry, ...] | None = Field(
        None, min_length=1, description="a list of one or more solids, such as { box = [60, 5, 30] }"
    )
    at: Annotated[tuple[Number, ...], Field(min_length=2, max_length=3)] = Field(
        description="two or three finite numbers of mm, [x, y] or [x, y, z], up to a kilometre"
    )
    facing: Number = Field(90.0, description="a number of degrees anticlockwise from +x")

    @model_validator(mode="after")
    def _one_model(self) -> PieceEntry:
        _need_one(self, "model", "mesh", "parts")
        if self.parts is not None:
            for key in ("units", "up", "scale", "base", "origin", "insignificant"):
                if key in self.model_fields_set:
                    raise plain(
                        f"{key} goes with a mesh, not with parts; say base or insignificant in the solid itself"
                    )
        return self


class TerrainEntry(PieceEntry):
    """A ``[[terrain]]``."""


class FighterEntry(PieceEntry):
    """A ``[[fighter]]``."""

    gang: Name | None = Field(None, description="a name in quotes")


class VehicleEntry(FighterEntry):
    """A ``[[vehicle]]``."""

    arcs: tuple[Arc, ...] = Field(
        ("front",), min_length=1, description='a list of one or more of "front", "left", "right", "rear"'
    )


class CheckEntry(Entry):
    """A ``[[check]]``."""

    attacker: Name = Field(description="the name of a fighter or vehicle")
    target: Name = Field(description="the name of a fighter or vehicle")
    arc: Arc | None = Field(None, description='"front", "left", "right" or "rear"')
    expect: dict[str, Any] | None = Field(None, description="a table of result keys, each a value or [least, most]")


class SceneEntry(Entry):
    """What every scene has, whatever its rule system."""

    title: str = Field("", description="a text in quotes")
    rules: Name = Field(description="the name of a rule system")
    source: dict[str, Any] = Field({}, description="a table")
    readings: dict[str, Any] = Field({}, description="a table [readings]")


class TableEntry(SceneEntry):
    """A table scene, whole."""

    terrain: tuple[TerrainEntry, ...] = Field((), description="tables [[terrain]]")
    fighter: tuple[FighterEntry, ...] = Field((), description="tables [[fighter]]")
    vehicle: tuple[VehicleEntry, ...] = Field((), description="tables [[vehicle]]")
    check: tuple[CheckEntry, ...] = Field((), description="tables [[check]]")
    base_contact: tuple[tuple[Name, Name], ...] | None = Field(
        None, description='a list of pairs of names, [["Kal", "Vex"]]'
    )
    tolerance: Annotated[float, Field(strict=True, ge=0, le=0.5)] = Field(0.01, description="a share from 0 to 0.5")
    pixel: Pixel | None = Field(None, description=f"a number of mm above zero, at most {COARSEST:g}")
    error: Error | None = Field(None, description=f"a share above zero, at most {LARGEST_ERROR:g}")


def plain(message: str) -> PydanticCustomError:
    """What a validator raises: a message that is already a plain line, for `validated` to pass on."""
    return PydanticCustomError("plain", "{message}", {"message": message})


def _need_one(entry: BaseModel, *keys: str) -> None:
    given = [key for key in keys if getattr(entry, key) is not None]
    if len(given) != 1:
        wanted = f"{', '.join(keys[:-1])} or {keys[-1]}"
        raise plain(f"it has {' and '.join(given) or 'none of ' + wanted}; it must have exactly one of {wanted}")


def validated(schema: type[S], data: object, place: Place) -> S:
    """The data, checked against a schema.

    Raises:
        FileError: one line that says where what is wrong stands, and what would be right.

    >>> validated(CheckEntry, {"attacker": "Kal", "target": "Vex"}, Place(Path("duel.toml"))).target
    'Vex'
    >>> validated(CheckEntry, {"attaker": "Kal", "target": "Vex"}, Place(Path("duel.toml"), "check 1"))
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: duel.toml: check 1: unknown key 'attaker'; did you mean 'attacker'?
    """
    try:
        return schema.model_validate(data)
    except ValidationError as error:
        found = error.errors(include_url=False)
        unknown = [each for each in found if each["type"] == "extra_forbidden"]
        raise _translated((unknown or found)[0], schema, data, place) from None


def near(name: str, known: Iterable[str], others: str = "there are", alike: float = ALIKE) -> str:
    """What would be right in place of a name that is not known: the one nearest to it, or all there are.

    >>> near("figther", ["fighter", "vehicle"])
    "did you mean 'fighter'?"
    >>> near("wall", ["fighter", "vehicle"])
    "there are 'fighter', 'vehicle'"
    >>> near("wall", [])
    'there are none'
    """
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(name, names, n=1, cutoff=alike) or [
        each for each in names if each.lower() == name.lower()
    ]
    if close:
        return f"did you mean '{close[0]}'?"
    shown = ", ".join(f"'{each}'" for each in names[:12])
    return f"{others} {shown}{' and more' if len(names) > 12 else ''}" if names else f"{others} none"


def shown(value: object) -> str:
    """A value as a user wrote it, shortened.

    >>> shown(True), shown("left"), shown([1.5, float("nan")])
    ('true', '"left"', '[1.5, nan]')
    """
    match value:
        case bool():
            text = str(value).lower()
        case None:
            text = "null"
        case str():
            text = f'"{value}"'
        case list() | tuple():
            text = f"[{', '.join(shown(each) for each in value[:8])}]"
        case dict():
            text = f"{{ {', '.join(f'{key} = {shown(each)}' for key, each in list(value.items())[:4])} }}"
        case _:
            text = str(value)
    return text if len(text) <= 60 else f"{text[:56]} ..."


def _translated(details: ErrorDetails, schema: type[BaseModel], data: object, place: Place) -> FileError:
    steps = list(details["loc"])
    if details["type"] == "plain":
        return Place(place.path, _words(place.where, data, steps)).error(details["msg"])
    if details["type"] in ("extra_forbidden", "missing") and isinstance(steps[-1], str):
        key = str(steps.pop())
        owner, field = _field_at(schema, steps)
        here = Place(place.path, _words(place.where, data, steps))
        if details["type"] == "extra_forbidden":
            return here.error(f"unknown key '{key}'; {near(key, owner.model_fields, 'the keys here are', KEYS_ALIKE)}")
        if key in owner.model_fields:
            return here.error(f"{key} is missing; it must be {owner.model_fields[key].description}")
    while steps and not isinstance(steps[-1], str):
        steps.pop()
    _, field = _field_at(schema, steps)
    value = data
    for step in steps:
        value = _inside(value, step)
    wanted = "a table of keys and values" if field is None else field.description or _choices(field.annotation)
    subject = _words(place.where, data, steps)
    return Place(place.path).error(f"{subject or 'the file'} is {shown(value)}; it must be {wanted}")


def _inside(value: object, step: int | str) -> object:
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def _field_at(schema: type[BaseModel], steps: list[int | str]) -> tuple[type[BaseModel], FieldInfo | None]:
    """The schema that holds the last named step, or that lies in it, and the field of that step."""
    field = None
    for step in steps:
        if isinstance(step, str) and step in schema.model_fields:
            field = schema.model_fields[step]
            schema = _entry_in(field.annotation) or schema
    return schema, field


def _entry_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_entry_in(each) for each in get_args(annotation))
    return next((each for each in inner if each is not None), None)


def _choices(annotation: object) -> str:
    """What a field without a description takes: one of its choices."""
    choices = get_args(annotation) or (True, False)
    return " or ".join(shown(each) for each in choices)


def _words(start: str, data: object, steps: list[int | str]) -> str:
    """The way to a value in words: "fighter 'Vex', parts 1, box"."""
    words = [start] if start else []
    value = data
    for step in steps:
        value = _inside(value, step)
        if isinstance(step, str):
            words.append(step)
        elif words:
            name = _inside(value, "name")
            words[-1] += f" '{name}'" if isinstance(name, str) and name else f" {step + 1}"
    return ", ".join(words)
