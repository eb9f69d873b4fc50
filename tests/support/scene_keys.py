"""What scenes/keys.md, scenes/examples.md and models/README.md have in the manual: made from the code and the scenes.

Each key of a file is described where it is read: the description of its pydantic field says what a value must be, and
the docstring below the field says what the key means. The tables of example scenes come from the scenes' own
titles and sources.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from silhouette.common.text import as_written
from silhouette.files.schema import meanings
from silhouette.models.entries import ModelOptions
from silhouette.rules import BY_DATA, RULES, rule_called
from silhouette.scenes.entries import FighterEntry, SceneEntry, TerrainEntry, VehicleEntry

PROJECT = Path(__file__).resolve().parents[2]

PIECES = ("terrain", "fighter", "vehicle")
"""The kinds of pieces of a table."""

Schema = type[BaseModel]


def scene_keys() -> str:
    """A section for each table of a scene file: what every scene has, then each game."""
    sections = _Sections()
    lines = ["## Every scene", "", *sections.whole(SceneEntry, "Every scene", "Every scene")]
    by_data = [name for name in RULES if RULES[name] == BY_DATA]
    shared = set.intersection(*(set(_own_rows(rule_called(name).scene_entry)) for name in by_data))
    for name in RULES:
        rule = rule_called(name)
        verdicts = ", ".join(f"*{verdict}* ({level})" for verdict, level in rule.levels.items())
        if name == by_data[0]:
            lines += ["", *BY_DATA_HEAD, "", *_by_table(sorted(shared))]
        lines += ["", f"## {rule.title}", "", f'`rules = "{name}"`. The verdicts: {verdicts}.', ""]
        if name in by_data:
            lines += _keys_by_data(rule.scene_entry, rule.readings_entry, shared)
            continue
        lines += sections.whole(rule.scene_entry, rule.title, rule.title)
        if rule.readings_entry is not None:
            lines += sections.one(rule.readings_entry, rule.title, "`[readings]`")
        if rule.check_entries:
            lines += ["", f"### {rule.title}: `[[check]]`", "", *_questions(rule.check_entries)]
    return "\n".join(lines) + "\n"


def _questions(checks: Mapping[str, Schema]) -> list[str]:
    """The keys of the checks of a game that has several questions: those of all of them, then those of each."""
    rows = {ask: {key: row for key, row in _rows(schema).items() if key != "ask"} for ask, schema in checks.items()}
    shared = set.intersection(*(set(own.values()) for own in rows.values()))
    lines = ["`ask` is required: one of the questions below.", "", *KEYS, *map(_line, sorted(shared)), ""]
    lines += ["| `ask` | key | value | default | meaning |", "|---|---|---|---|---|"]
    for ask, schema in checks.items():
        lines.append(f'| `"{ask}"` | | | | **{inspect.getdoc(schema) or ""}** |')
        lines += [f"| {_line(row)}" for row in rows[ask].values() if row not in shared]
    return lines


BY_DATA_HEAD = (
    "## Games by data",
    "",
    "Scenes of [games by data](../silhouette/rules/data/README.md) have the keys of [Necromunda](#necromunda), but for",
    "`[readings]`, and these, besides those of each game below:",
)
"""Stands before the first of these games, with what scenes of all of them have."""


def _keys_by_data(scene: Schema, readings: Schema | None, shared: set[tuple[str, ...]]) -> list[str]:
    """The keys of scenes of a game by data, besides those of any table and of all such games."""
    rows = [row for row in _own_rows(scene) if row not in shared]
    if readings is not None:
        rows += [("`[readings]`", *row) for row in _short_rows(readings)]
    return _by_table(rows) if rows else ["No keys of its own."]


def _own_rows(scene: Schema) -> list[tuple[str, ...]]:
    """Table, key, value and meaning of the keys that the pieces of a scene have besides those of any table."""
    usual = {key for base in (TerrainEntry, FighterEntry, VehicleEntry) for key in base.model_fields}
    return [
        (f"`[[{kind}]]`", *row)
        for kind in PIECES
        for entry in schemas_in(scene.model_fields[kind].annotation)
        for row in _short_rows(entry)
        if row[0].strip("`") not in usual
    ]


def _short_rows(schema: Schema) -> list[tuple[str, ...]]:
    return [(key, value, meaning) for key, value, _, meaning in _rows(schema).values()]


def _by_table(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Rows of table, key, value and meaning; those that differ by their table alone are one."""
    tables: dict[tuple[str, ...], list[str]] = {}
    for table, *row in rows:
        tables.setdefault(tuple(row), []).append(table)
    lines = ["| table | key | value | meaning |", "|---|---|---|---|"]
    return [*lines, *(_line((", ".join(names), *row)) for row, names in tables.items())]


def model_keys() -> str:
    """A section for each table of a model file."""
    return "\n".join(_Sections().whole(ModelOptions, "Model", "the keys of a model file")) + "\n"


def example_scenes() -> str:
    """A table for each game: its example scenes, in the order of their files, and the rules that each shows."""
    lines = []
    for name in RULES:
        rule = rule_called(name)
        lines += [f"## Scenes of {rule.title}", "", "| scene | rules |", "|---|---|"]
        lines += [*map(_scene_row, sorted((PROJECT / rule.example).parent.glob("*.toml"))), ""]
    return "\n".join(lines)


KEYS = ("| key | value | default | meaning |", "|---|---|---|---|")
"""The head of a table of keys."""

SHARED = 3
"""From how many equal rows on a table refers to an earlier one."""


class _Sections:
    """Sections of one page, of which no row stands twice: later tables refer to earlier ones."""

    def __init__(self) -> None:
        self._headings: dict[Schema, str] = {}
        self._rows: dict[str, set[Row]] = {}

    def whole(self, schema: Schema, title: str, heading: str) -> list[str]:
        """The table of a schema, and a section for each schema that stands in its keys."""
        lines = self.table(schema, heading)
        for key, field in _own_fields(schema):
            for inner in schemas_in(field.annotation):
                (where,) = re.findall(r"\[\[?[\w.]+\]\]?", field.description or "")[:1] or [key]
                lines += self.one(inner, title, f"`{where}`")
        return lines

    def one(self, schema: Schema, title: str, where: str) -> list[str]:
        """The section of a schema, or a line that says where its keys stand."""
        heading = f"{title}: {where}"
        earlier = self._headings.setdefault(schema, heading)
        if earlier != heading:
            return ["", f"{where}: the keys of [{earlier}](#{github_anchor(earlier)})."]
        if heading in self._rows:
            return []
        return ["", f"### {heading}", "", *self.whole(schema, title, heading)]

    def table(self, schema: Schema, heading: str) -> list[str]:
        """The keys of one schema; those that another section describes are left to it."""
        rows = _rows(schema)
        both = {name: set(rows.values()) & earlier for name, earlier in self._rows.items()}
        nearest = max(both, key=lambda name: len(both[name]), default="")
        same = both[nearest] if nearest and len(both[nearest]) >= SHARED else set()
        self._rows[heading] = set(rows.values())
        lines = [*KEYS, *(_line(row) for row in rows.values() if row not in same)]
        if same:
            keys = ", ".join(row[0] for row in rows.values() if row in same)
            lines += ["", f"As in [{nearest}](#{github_anchor(nearest)}): {keys}."]
        if schema is not ModelOptions and issubclass(schema, ModelOptions):
            lines += ["", "Also every [key of a model file](../models/README.md#the-keys-of-a-model-file)."]
        return lines


Row = tuple[str, str, str, str]


def _rows(schema: Schema) -> dict[str, Row]:
    """Key, value, default and meaning of the keys of a schema."""
    meaning = meanings(schema)
    return {
        key: (f"`{key}`", field.description or _choices(field), _default(field), meaning[key])
        for key, field in _own_fields(schema)
    }


def _line(row: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def _own_fields(schema: Schema) -> Iterator[tuple[str, FieldInfo]]:
    """The fields of a schema without those that are described once for all: of every scene, and of a model file."""
    shared: set[str] = set()
    for base in (SceneEntry, ModelOptions):
        if schema is not base and issubclass(schema, base):
            shared |= set(base.model_fields)
    return ((key, field) for key, field in schema.model_fields.items() if key not in shared)


def schemas_in(annotation: object) -> Iterable[Schema]:
    """The schemas of which a value may be."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [schema for inner in get_args(annotation) for schema in schemas_in(inner)]


def _choices(field: FieldInfo) -> str:
    choices = [choice for choice in get_args(field.annotation) if isinstance(choice, str)]
    return " or ".join(as_written(choice) for choice in choices) or "true or false"


def _default(field: FieldInfo) -> str:
    """The value that a key has where it is left out, as a file would spell it."""
    match field.default:
        case _ if field.is_required():
            return "required"
        case None | () | "":
            return ""
        case BaseModel() as entry:
            return f"`{as_written(entry.model_dump())}`"
        case value if is_dataclass(value):
            return f"`{as_written(next(iter(vars(value).values())))}`"
        case {}:
            return ""
        case float(number):
            return f"`{number:g}`"
    return f"`{as_written(field.default)}`"


def github_anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading.

    >>> github_anchor("Necromunda: `[[terrain]]`")
    'necromunda-terrain'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _scene_row(scene: Path) -> str:
    """A row about a scene."""
    document: dict[str, Any] = tomllib.loads(scene.read_text(encoding="utf-8"))
    rules = ", ".join(document.get("source", {}).get("rules", []))
    return f"| [{document['title']}]({scene.relative_to(PROJECT / 'scenes').as_posix()}) | {rules} |"
