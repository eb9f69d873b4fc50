"""The command line, JSON Schemas: ``silhouette schema``. Those of files are the ones that check files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial, reduce
from operator import or_
from types import GenericAlias
from typing import Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, create_model
from pydantic.json_schema import models_json_schema

from silhouette.cli.commands import SchemaOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.terminal import show_json
from silhouette.common.errors import RequestError
from silhouette.common.installation import SCHEMA_VERSION
from silhouette.common.text import did_you_mean
from silhouette.judging import Judged
from silhouette.judging.maps import MapRecord
from silhouette.models.entries import ModelFileEntry
from silhouette.rules import GAME_FILE, RULES, rule_called
from silhouette.rules.base import Rule, Verdict
from silhouette.rules.data.entries import GameEntry
from silhouette.rules.data.results import DataVerdict
from silhouette.rules.fields import row_type
from silhouette.scans.write import ScanRecord

# ---- schemas

DIALECT = "https://json-schema.org/draft/2020-12/schema"

MODEL_REFERENCE = "#/$defs/{model}"

Schema = dict[str, Any]

_REFERRED = re.compile(r'"#/\$defs/([^"]+)"')


def schema_of(kind: str) -> Schema:
    """A JSON Schema, one of `SCHEMA_MAKERS` or of `OLD_KINDS`."""
    return {"$schema": DIALECT, **SCHEMA_MAKERS[OLD_KINDS.get(kind, kind)]()}


_GAME_FILE_SCHEMA: Schema = {
    "type": "string",
    "pattern": f"\\{GAME_FILE}$",
    "description": "the path of a game file, which says itself which keys its scenes have",
}


def scene_schema() -> Schema:
    """The schema of a scene file: one schema for each rule system, which its key ``rules`` chooses."""
    entries = [_scene_entry(rule_called(name)) for name in RULES]
    chosen, definitions = models_json_schema([(entry, "validation") for entry in entries], ref_template=MODEL_REFERENCE)
    schema = {
        "title": "A scene of Silhouette",
        "type": "object",
        "required": ["rules"],
        "properties": {"rules": {"anyOf": [{"enum": list(RULES)}, _GAME_FILE_SCHEMA]}},
        "oneOf": [*(chosen[entry, "validation"] for entry in entries), {"properties": {"rules": _GAME_FILE_SCHEMA}}],
    }
    return {**schema, "$defs": _used(definitions["$defs"], schema)}


def _used(definitions: Schema, schema: Schema) -> Schema:
    """The definitions that a schema refers to, directly or through another.

    pydantic also defines the types that plain validators make of a file's values, which no file contains.
    """
    used, pending = set[str](), [schema]
    while pending:
        names = set(_REFERRED.findall(json.dumps(pending.pop()))) - used
        used |= names
        pending += [definitions[name] for name in names]
    return {name: definition for name, definition in definitions.items() if name in used}


def _scene_entry(rule: Rule[Any, Verdict]) -> type[BaseModel]:
    """The schema of a system's scene files, with its readings and every question of its checks."""
    fields: dict[str, Any] = {"rules": (Literal[rule.name], Field(description=f'"{rule.name}": {rule.title}'))}
    if rule.readings_entry is not None:
        fields["readings"] = (rule.readings_entry, Field({}, description="a table [readings]"))
    if rule.check_entries:
        any_check: Any = reduce(or_, rule.check_entries.values())
        fields["check"] = (GenericAlias(tuple, (any_check, ...)), Field((), description="tables [[check]]"))
    entry: type[BaseModel] = create_model(f"{rule.title} scene", __base__=rule.scene_entry, **fields)
    return entry


def results_schema() -> Schema:
    """The schema of the output of ``check --json`` and ``matrix --json``."""
    judged = TypeAdapter(row_type("JudgedKeys", Judged.fields)).json_schema(ref_template=MODEL_REFERENCE)
    definitions: Schema = {**judged.pop("$defs", {}), "judged": judged}
    scenes = [_scene({"type": "null"}, {"maxItems": 0})]  # a file that cannot be read
    games: list[tuple[str, type[Verdict], Schema]] = [
        (rule.name, rule.verdict_type, {"const": rule.name}) for rule in map(rule_called, RULES)
    ]
    games.append(("game-file", DataVerdict, _GAME_FILE_SCHEMA))
    for name, verdict, rules in games:
        # Types of different systems may have the same name.
        row = TypeAdapter(row_type(f"{verdict.__name__}Row", verdict.fields)).json_schema(
            ref_template=f"#/$defs/{name}-{{model}}"
        )
        definitions |= {f"{name}-{inner}": definition for inner, definition in row.pop("$defs", {}).items()}
        definitions[name] = row
        result = {"allOf": [{"$ref": f"#/$defs/{name}"}, {"$ref": "#/$defs/judged"}]}
        scenes.append(_scene(rules, {"items": result}))
    return {
        "title": "Results of Silhouette",
        "type": "object",
        "required": ["silhouette", "schema", "scenes"],
        "properties": {
            "silhouette": {"type": "string", "description": "the version of Silhouette"},
            "schema": {"const": SCHEMA_VERSION},
            "scenes": {"type": "array", "items": {"anyOf": scenes}},
        },
        "$defs": definitions,
    }


_TEXTS_SCHEMA: Schema = {"type": "array", "items": {"type": "string"}}

_BUNDLE_SCHEMA: Schema = {
    "type": "object",
    "description": "of a bundle: how the results compare with those in it",
    "required": ["same", "written_by", "changed", "otherwise", "checks"],
    "properties": {
        "same": {
            "type": "boolean",
            "description": "whether every verdict and number is the same and no file was changed",
        },
        "written_by": {"type": "string", "description": "the version of Silhouette that wrote it"},
        "changed": {**_TEXTS_SCHEMA, "description": "files that are not as when it was made"},
        "otherwise": {**_TEXTS_SCHEMA, "description": "versions and settings that are not those of then"},
        "checks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["check", "same", "differences"],
                "properties": {
                    "check": {"type": "integer", "minimum": 1},
                    "same": {"enum": ["to the bit", "within the error", "differs"]},
                    "differences": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["key", "then", "now"],
                            "properties": {"key": {"type": "string"}, "then": {}, "now": {}},
                        },
                    },
                },
            },
        },
    },
}


def _scene(rules: Schema, results: Schema) -> Schema:
    return {
        "type": "object",
        "required": ["scene", "title", "rules", "results", "warnings"],
        "properties": {
            "scene": {"type": "string", "description": "the path of the scene, as it was given"},
            "title": {"type": ["string", "null"]},
            "rules": rules,
            "results": {"type": "array", **results},
            "warnings": {"type": "array", "items": {"type": "string"}},
            "error": {"type": "string", "description": "why not everything was judged"},
            "bundle": _BUNDLE_SCHEMA,
        },
    }


def _document_schema(record: Any, title: str) -> Schema:
    """The schema of a document that says first by which version it was written."""
    schema = TypeAdapter(record).json_schema(ref_template=MODEL_REFERENCE)
    version: Schema = {"silhouette": {"type": "string", "description": "the version of Silhouette"}}
    schema["properties"] = {**version, "schema": {"const": SCHEMA_VERSION}, **schema["properties"]}
    return {**schema, "title": title, "required": [*version, "schema", *schema["required"]]}


# ---- the command


def _file_schema(entry: type[BaseModel], title: str) -> Schema:
    return {**entry.model_json_schema(ref_template=MODEL_REFERENCE), "title": title}


SCHEMA_MAKERS: Mapping[str, Callable[[], Schema]] = {
    "scene": scene_schema,
    "model": partial(_file_schema, ModelFileEntry, "A model file of Silhouette"),
    "game": partial(_file_schema, GameEntry, "A game file of Silhouette"),
    "result": results_schema,
    "scan": partial(_document_schema, ScanRecord, "A scan as Silhouette describes it"),
    "map": partial(_document_schema, MapRecord, "A map of Silhouette"),
}
"""The kinds of schemas, by the name that the command takes."""

OLD_KINDS = {"results": "result"}  # what kinds were called before, with what they are called now


def schema(given: SchemaOptions) -> int:
    """Prints a JSON Schema."""
    if given.kind not in SCHEMA_MAKERS and given.kind not in OLD_KINDS:
        raise RequestError(f"no schema of '{given.kind}'; {did_you_mean(given.kind, SCHEMA_MAKERS)}")
    show_json(schema_of(given.kind))
    return ExitStatus.OK
