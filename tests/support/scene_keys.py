"""Those parts of scenes/README.md and models/README.md that are made from the code and the scenes.

    python -m tests.support.scene_keys

Each key of a file is described where it is read: the description of its pydantic field says what a value must be, and
the docstring below the field says what the key means. The tables of example scenes come from the scenes' own titles
and from the comments that they begin with. `tests/test_readme.py` compares the files with what the command would write.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from silhouette.files.schema import meanings
from silhouette.models.entries import ModelOptions
from silhouette.rules import BY_DATA, RULES, rule_called
from silhouette.scenes.entries import FighterEntry, SceneEntry, TerrainEntry, VehicleEntry
from silhouette.text import as_written

PROJECT = Path(__file__).resolve().parents[2]
SCENES = PROJECT / "scenes" / "README.md"
MODELS = PROJECT / "models" / "README.md"

PIECES = ("terrain", "fighter", "vehicle")
"""The kinds of pieces of a table."""

Schema = type[BaseModel]


def made(file: Path) -> str:
    """The text of a README with its generated parts made anew."""
    parts = {SCENES: {"keys": scene_keys, "index": example_scenes}, MODELS: {"keys": model_keys}}[file]
    text = file.read_text(encoding="utf-8")
    for name, make in parts.items():
        start, end = f"<!-- {name}: made by python -m tests.support.scene_keys -->", f"<!-- /{name} -->"
        before, rest = text.split(start)
        _, after = rest.split(end)
        text = f"{before}{start}\n\n{make()}\n{end}{after}"
    return text


def scene_keys() -> str:
    """A section for each table of a scene file: what every scene has, then each game."""
    printed: dict[Schema, str] = {}
    lines = ["### Every scene", "", *_table(SceneEntry)]
    for name in RULES:
        rule = rule_called(name)
        verdicts = ", ".join(f"*{verdict}* ({level})" for verdict, level in rule.levels.items())
        lines += ["", f"### {rule.title}", "", f'`rules = "{name}"`. The verdicts: {verdicts}.', ""]
        if RULES[name] == BY_DATA:
            lines += _keys_of_game(rule.scene_entry, rule.readings_entry)
            continue
        lines += _sections(rule.scene_entry, rule.title, printed)
        if rule.readings_entry is not None:
            lines += _section(rule.readings_entry, rule.title, "`[readings]`", printed)
        for ask, schema in rule.check_entries.items():
            lines += _section(schema, rule.title, f'`[[check]]` with `ask = "{ask}"`', printed, about=True)
    return "\n".join(lines) + "\n"


def _keys_of_game(scene: Schema, readings: Schema | None) -> list[str]:
    """The keys of scenes of a game by data, besides those of any table."""
    lines = ["Its scenes have the keys of those of [Necromunda](#necromunda), but for `[readings]`, and these:", ""]
    lines += ["| table | key | value | meaning |", "|---|---|---|---|"]
    entries = {f"[[{kind}]]": _schemas_in(scene.model_fields[kind].annotation) for kind in PIECES}
    if readings is not None:
        entries["[readings]"] = [readings]
    usual = {key for base in (TerrainEntry, FighterEntry, VehicleEntry) for key in base.model_fields}
    for table, (entry,) in entries.items():
        own = [(key, field) for key, field in _own_fields(entry) if key not in usual]
        lines += [f"| `{table}` | `{key}` | {field.description} | {meanings(entry)[key]} |" for key, field in own]
    return lines


def model_keys() -> str:
    """A section for each table of a model file."""
    return "\n".join(_sections(ModelOptions, "Model", {})) + "\n"


def example_scenes() -> str:
    """A table for each game: its example scenes in the order of their names, and what each shows."""
    lines = []
    for name in RULES:
        rule = rule_called(name)
        files = sorted((PROJECT / rule.example).parent.glob("*.toml"))
        shared = set.intersection(*(set(_sentences(file)) for file in files))
        lines += [f"### Scenes of {rule.title}", "", "| scene | title | what it shows | rules |", "|---|---|---|---|"]
        lines += [_scene_row(file, shared) for file in files]
        lines += ["", *sorted(shared), *[""] * bool(shared)]
    return "\n".join(lines[:-1]) + "\n"


def _sections(schema: Schema, title: str, printed: dict[Schema, str]) -> list[str]:
    """The table of a schema, and a section for each schema that stands in its keys."""
    lines = _table(schema)
    for key, field in _own_fields(schema):
        for inner in _schemas_in(field.annotation):
            (where,) = re.findall(r"\[\[?[\w.]+\]\]?", field.description or "")[:1] or [key]
            lines += _section(inner, title, f"`{where}`", printed)
    return lines


def _section(schema: Schema, title: str, where: str, printed: dict[Schema, str], about: bool = False) -> list[str]:
    heading = f"{title}: {where}"
    lines = ["", f"#### {heading}", ""]
    if printed.get(schema) == heading:
        return []
    if schema in printed:
        return [*lines, f"The keys are those of [{printed[schema]}](#{github_anchor(printed[schema])})."]
    printed[schema] = heading
    if about:
        lines += [inspect.getdoc(schema) or "", ""]
    return [*lines, *_sections(schema, title, printed)]


def _table(schema: Schema) -> list[str]:
    """The keys of one schema; those that a section of their own describes are left to it."""
    lines = ["| key | value | default | meaning |", "|---|---|---|---|"]
    meaning = meanings(schema)
    for key, field in _own_fields(schema):
        cells = [f"`{key}`", field.description or _choices(field), _default(field), meaning[key]]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    if schema is not ModelOptions and issubclass(schema, ModelOptions):
        lines += [
            "",
            "Every [key of a model file](../models/README.md#the-keys-of-a-model-file) may stand here as well.",
        ]
    return lines


def _own_fields(schema: Schema) -> Iterator[tuple[str, FieldInfo]]:
    """The fields of a schema without those that are described once for all: of every scene, and of a model file."""
    shared: set[str] = set()
    for base in (SceneEntry, ModelOptions):
        if schema is not base and issubclass(schema, base):
            shared |= set(base.model_fields)
    return ((key, field) for key, field in schema.model_fields.items() if key not in shared)


def _schemas_in(annotation: object) -> Iterable[Schema]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [schema for inner in get_args(annotation) for schema in _schemas_in(inner)]


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


def _sentences(scene: Path) -> list[str]:
    """The sentences of the comment that a scene begins with."""
    comment = re.match(r"(?:#.*\n)*", scene.read_text(encoding="utf-8"))
    text = " ".join(line.removeprefix("#").strip() for line in (comment[0] if comment else "").splitlines())
    return re.split(r"(?<=\.) (?=[A-Z])", text)


def _scene_row(scene: Path, shared: set[str]) -> str:
    """A row about a scene; the sentences that all scenes of its game share are left out."""
    document: dict[str, Any] = tomllib.loads(scene.read_text(encoding="utf-8"))
    about = " ".join(sentence for sentence in _sentences(scene) if sentence not in shared)
    rules = ", ".join(document.get("source", {}).get("rules", []))
    place = scene.relative_to(SCENES.parent).as_posix()
    return f"| [`{scene.stem}`]({place}) | {document['title']} | {about} | {rules} |"


if __name__ == "__main__":
    for readme in (SCENES, MODELS):
        readme.write_text(made(readme), encoding="utf-8")
