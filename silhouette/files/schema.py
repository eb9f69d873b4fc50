"""Schemas: the keys that a user's file may have, the values that they may take, and one plain line for each mistake.

The description of a field ends a sentence that begins "it must be": the same words document the key and explain a
mistake. A field that is a choice among words, or true or false, needs no description. pydantic finds the mistake, and
`validated` turns it into one plain line. The docstring below a field says what the key means: in the manual, and in the
JSON Schemas that editors show.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError

from silhouette.common.errors import FileError
from silhouette.common.text import KEY_SIMILARITY, as_written, did_you_mean, in_a_row

MAX_LENGTH_MM = 1e6  # mm: a kilometre is no tabletop
MAX_PIXEL_MM = 10.0  # mm per pixel
MAX_ERROR_SHARE = 0.05

Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-MAX_LENGTH_MM, le=MAX_LENGTH_MM)]
Size = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, le=MAX_LENGTH_MM)]
Pixel = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, le=MAX_PIXEL_MM)]
Error = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, le=MAX_ERROR_SHARE)]
Name = Annotated[str, Field(min_length=1)]
Point = tuple[Number, Number, Number]
S = TypeVar("S", bound=BaseModel)


@dataclass(frozen=True)
class Location:
    """A location in a file, in words, such as "fighter 'Kal'", empty for the whole file; for messages about a mistake
    there.

    >>> str(Location(Path("duel.toml"), "fighter 'Kal'").error("too tall"))
    "duel.toml: fighter 'Kal': too tall"
    """

    path: Path
    where: str = ""

    def error(self, problem: str) -> FileError:
        """The error about a mistake at this location."""
        return FileError(self.path, f"{self.where}: {problem}" if self.where else problem)


class Entry(BaseModel):
    """A table of a user's file; keys that the schema does not have are mistakes."""

    # A schema is built when the first file is read by it: of most files, most tables are not used.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    own_meanings: ClassVar[Mapping[str, str]] = {}
    """What keys mean that no source file declares, by key; see `meanings`."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The JSON Schema of the table, whose keys are described by what they mean and what they must be."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema)["properties"]
        for key, meaning in meanings(cls).items():
            must_be = properties[key].get("description")
            properties[key]["description"] = f"{meaning} It must be {must_be}." if must_be else meaning
        return schema


def meanings(schema: type[BaseModel]) -> dict[str, str]:
    """What the keys of a schema mean, in sentences, by key: the docstring below each field, those of bases included.

    A schema that is made while the program runs has them in ``own_meanings``.

    >>> from silhouette.models.entries import SphereEntry
    >>> meanings(SphereEntry)
    {'diameter': 'The diameter of the sphere.'}
    """
    described: dict[str, str] = {}
    for owner in reversed(schema.__mro__):
        if issubclass(owner, BaseModel):
            described |= {**_docstrings_of_fields(owner), **vars(owner).get("own_meanings", {})}
    return {key: text for key, text in described.items() if key in schema.model_fields}


@cache
def _docstrings_of_fields(owner: type[BaseModel]) -> dict[str, str]:
    """The docstring below each field that a class itself declares; none for a class that no source file declares."""
    try:
        source = textwrap.dedent(inspect.getsource(owner))
    except (OSError, TypeError):
        return {}
    docstrings = {}
    (declared,) = ast.parse(source).body
    for statement, following in pairwise(declared.body if isinstance(declared, ast.ClassDef) else ()):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(id=key)), ast.Expr(value=ast.Constant(value=str(text))):
                docstrings[key] = " ".join(text.split())
    return docstrings


def plain(message: str) -> PydanticCustomError:
    """The error that a validator raises where its message is a plain line already, which `validated` passes on."""
    return PydanticCustomError("plain", "{message}", {"message": message})


def need_one(entry: BaseModel, *keys: str) -> None:
    """Refuses an entry that has none of the keys, or more than one."""
    given = [key for key in keys if getattr(entry, key) is not None]
    if len(given) != 1:
        choice = in_a_row(keys, last="or")
        raise plain(f"it has {' and '.join(given) or 'none of ' + choice}; it must have exactly one of {choice}")


def exactly_one(*keys: str) -> ConfigDict:
    """The configuration of an entry that `need_one` checks: its JSON Schema says so too.

    >>> exactly_one("mesh", "parts")
    {'json_schema_extra': {'oneOf': [{'required': ['mesh']}, {'required': ['parts']}]}}
    """
    return ConfigDict(json_schema_extra={"oneOf": [{"required": [key]} for key in keys]})


def validated(schema: type[S], data: object, location: Location) -> S:
    """The data, checked against a schema; the first mistake is a FileError that says where it is and what would be
    right.

    >>> class CheckEntry(Entry):
    ...     attacker: Name
    ...     target: Name
    >>> validated(CheckEntry, {"attaker": "Kal", "target": "Vex"}, Location(Path("duel.toml"), "check 1"))
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: duel.toml: check 1: unknown key 'attaker'; did you mean 'attacker'?
    """
    try:
        return schema.model_validate(data)
    except ValidationError as error:
        mistakes = error.errors(include_url=False)
        unknown = [mistake for mistake in mistakes if mistake["type"] == "extra_forbidden"]
        raise _translated((unknown or mistakes)[0], schema, data, location) from None


def _translated(details: ErrorDetails, schema: type[BaseModel], data: object, location: Location) -> FileError:
    steps = list(details["loc"])
    if details["type"] == "plain":
        return Location(location.path, _words(location.where, data, steps)).error(details["msg"])
    if details["type"] in ("extra_forbidden", "missing") and isinstance(steps[-1], str):
        key, above = steps[-1], steps[:-1]
        owner = _field_at(schema, above)[0]
        here = Location(location.path, _words(location.where, data, above))
        if details["type"] == "extra_forbidden":
            is_of_file = above and key in schema.model_fields
            meant = "it belongs to the whole file: write it above the first [[...]]"
            return here.error(f"unknown key '{key}'; {meant if is_of_file else _what_is_meant(key, owner)}")
        if key in owner.model_fields:
            return here.error(f"{key} is missing; it must be {owner.model_fields[key].description}")
        steps = above
    steps, value = _value_at(steps, data)
    field = _field_at(schema, steps)[1]
    needed = "a table of keys and values" if field is None else field.description or _choices(field.annotation)
    bounds = details.get("ctx", {})
    if (bounds.get("le") == MAX_LENGTH_MM or bounds.get("ge") == -MAX_LENGTH_MM) and "million" not in needed:
        needed += f", and no number may be beyond {MAX_LENGTH_MM:.0f}"
    subject = _words(location.where, data, steps) or "the file"
    return Location(location.path).error(f"{subject} is {as_written(value)}; it must be {needed}")


def _value_at(steps: Sequence[int | str], data: object) -> tuple[list[int | str], object]:
    """The steps up to the last named one, none of which is a kind of value that it could have been; the value there."""
    named = max((number for number, step in enumerate(steps, 1) if isinstance(step, str)), default=0)
    value, taken = data, list[int | str]()
    for step in steps[:named]:
        if isinstance(step, str) and not isinstance(value, Mapping):
            break
        value = _inside(value, step)
        taken.append(step)
    return taken, value


def _what_is_meant(key: str, owner: type[BaseModel]) -> str:
    """What is meant by a key that a table does not have: one like it, the tables that have it, or the keys there are.

    Keys that are required come first, and those of the class itself before those of its bases, so that a list begins
    with what the piece is called and where it stands.
    """
    fields = owner.model_fields
    declared = [name for level in owner.__mro__ for name in vars(level).get("__annotations__", ()) if name in fields]
    keys = sorted(dict.fromkeys(declared), key=lambda name: not fields[name].is_required())
    inner = {name: _entry_in(field.annotation) for name, field in fields.items()}
    homes = [f"[[{name}]]" for name, entry in inner.items() if entry is not None and key in entry.model_fields]
    if homes:
        return f"it belongs in {' or '.join(homes)}"
    return did_you_mean(key, keys, "the keys here are", KEY_SIMILARITY, most=len(keys))


def _inside(value: object, step: int | str) -> object:
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def _field_at(schema: type[BaseModel], steps: Sequence[int | str]) -> tuple[type[BaseModel], FieldInfo | None]:
    """The schema at the end of some steps, and the field of the last named step."""
    field = None
    for step in steps:
        if isinstance(step, str) and step in schema.model_fields:
            field = schema.model_fields[step]
            schema = _entry_in(field.annotation) or schema
    return schema, field


def _entry_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_entry_in(argument) for argument in get_args(annotation))
    return next((entry for entry in inner if entry is not None), None)


def _choices(annotation: object) -> str:
    """The choices of a field without a description, in words."""
    choices = get_args(annotation) or (True, False)
    return " or ".join(as_written(choice) for choice in choices)


def _words(start: str, data: object, steps: Sequence[int | str]) -> str:
    """The path to a value in words, such as "fighter 'Vex', parts 1, box"."""
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
