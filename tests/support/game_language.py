"""Those parts of silhouette/rules/data/language.md that are made from the code.

    python -m tests.support.game_language

The keys of a game file, and everything that its conditions can ask. `tests/rules/data/test_language_page.py` compares
the file with what the command would write.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from silhouette.files.schema import meanings
from silhouette.rules.data.entries import ClauseEntry, GameEntry, ReadingEntry, VerdictEntry
from silhouette.rules.data.kinds import ATTRIBUTES, NAMES, PRIMITIVES, Parameter, Primitive

PAGE = Path(__file__).resolve().parents[2] / "silhouette" / "rules" / "data" / "language.md"


def made() -> str:
    """The text of the page with its generated parts made anew."""
    text = PAGE.read_text(encoding="utf-8")
    for name, make in {"keys": keys, "language": language}.items():
        start, end = f"<!-- {name}: made by python -m tests.support.game_language -->", f"<!-- /{name} -->"
        before, rest = text.split(start)
        _, after = rest.split(end)
        text = f"{before}{start}\n\n{make()}\n{end}{after}"
    return text


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
    lines += [f"| `{name}` | {kind} | {means} |" for name, (kind, means) in NAMES.items()]
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


if __name__ == "__main__":
    PAGE.write_text(made(), encoding="utf-8")
