"""What silhouette/rules/data/language.md has in the manual: keys of a game file, and all that conditions can ask."""

from __future__ import annotations

from pydantic import BaseModel

from silhouette.files.schema import meanings
from silhouette.rules.data.entries import ClauseEntry, GameEntry, ReadingEntry, VerdictEntry
from silhouette.rules.data.kinds import ATTRIBUTES, BUILTIN_NAMES, PRIMITIVES, Parameter, Primitive


def keys() -> str:
    """The keys of a game file."""
    lines = []
    for heading, entry in (
        ("The file", GameEntry),
        ("`[[clause]]`", ClauseEntry),
        ("`[[verdict]]`", VerdictEntry),
        ("`[keys.terrain.NAME]`, `[keys.model.NAME]` and `[readings.NAME]`", ReadingEntry),
    ):
        lines += [f"### {heading}", "", "| key | its value | meaning |", "|---|---|---|", *_rows(entry), ""]
    return "\n".join(lines)


def _rows(entry: type[BaseModel]) -> list[str]:
    told = meanings(entry)
    rows = []
    for name, field in entry.model_fields.items():
        key = f"`{name}`" if field.is_required() else f"`{name}`, optional"
        rows.append(f"| {key} | {_cell(field.description or '')} | {_cell(told[name])} |")
    return rows


def language() -> str:
    """Everything that a condition can ask."""
    lines = ["### Names", "", "| name | is | meaning |", "|---|---|---|"]
    lines += [f"| `{name}` | {kind} | {means} |" for name, (kind, means) in BUILTIN_NAMES.items()]
    lines += ["", "### What pieces have", "", "| after a . | is | of | meaning |", "|---|---|---|---|"]
    for name, (kind, owners, means) in ATTRIBUTES.items():
        whose = "any piece" if len(owners) > 1 else owners[0]
        lines.append(f"| `{name}` | {kind} | {whose} | {means} |")
    lines += ["", "### Primitives", "", "| asked so | gives | meaning |", "|---|---|---|"]
    lines += [f"| `{_call(name, one)}` | {one.gives} | {_cell(one.means)} |" for name, one in PRIMITIVES.items()]
    return "\n".join([*lines, ""])


def _call(name: str, primitive: Primitive) -> str:
    return f"{name}({', '.join(map(_argument, primitive.takes))})"


def _argument(one: Parameter) -> str:
    return one.name if one.default is None else f"{one.name} = {one.default}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
