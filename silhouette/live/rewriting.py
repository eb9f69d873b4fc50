"""TELL: a changed document written into the text of its file, whose comments, order and spelling stay.

text of a file, document -> the text with what has changed
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import AoT, Table

MODEL_KEYS = ("model", "mesh", "parts", "figure")
"""The keys that say what a piece is: by them one that has another name now is found."""


def rewritten(path: Path, text: str, document: Mapping[str, Any]) -> str:
    """The text of a scene file, by its ending TOML or JSON, that says what a document says.

    Args:
        path: of the file.
        text: that it has, as TOML or JSON; empty where there is none yet.
        document: what it is to say.

    >>> old = 'rules = "necromunda"\\n\\n[[fighter]]\\nname = "Kal"\\nat = [0, 0]  # by the door\\n'
    >>> new = {"rules": "necromunda", "fighter": [{"name": "Kal", "at": [1.5, 0]}, {"name": "Vex", "at": [9, 0]}]}
    >>> print(rewritten(Path("duel.toml"), old, new), end="")
    rules = "necromunda"
    <BLANKLINE>
    [[fighter]]
    name = "Kal"
    at = [1.5, 0]  # by the door
    <BLANKLINE>
    [[fighter]]
    name = "Vex"
    at = [9, 0]
    >>> rewritten(Path("duel.toml"), old, {"rules": "necromunda"})
    'rules = "necromunda"\\n\\n'
    """
    if path.suffix.lower() == ".json":
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    written = tomlkit.parse(text)
    _merge(written, document)
    new = tomlkit.dumps(written)
    # What is judged is what stands in the file: where the two would differ, its words count more than its comments.
    return new if tomllib.loads(new) == document else tomlkit.dumps(_fresh(document))


def _merge(old: MutableMapping[str, Any], new: Mapping[str, Any]) -> None:
    """Makes a table of tomlkit say what another says; what is the same in both is not touched."""
    for key in [key for key in old if key not in new]:
        del old[key]
    for key, value in new.items():
        if key not in old:
            _append(old, key, value)
        elif plain(old[key]) == value:
            continue
        elif isinstance(value, Mapping) and isinstance(old[key], Table):
            _merge(old[key], value)
        elif _is_tables(value) and _is_tables(plain(old[key])):
            _merge_list(old[key], value)
        else:
            old[key] = _value(value)


def plain(value: Any) -> Any:
    """A value of tomlkit as Python has it."""
    return value.unwrap() if hasattr(value, "unwrap") else value


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _merge_list(old: Any, new: Sequence[Mapping[str, Any]]) -> None:
    """Makes a list of tables say what another says; tables that stay, in their order, keep their comments."""
    pairs = _pairs([plain(one) for one in old], new)
    for number in reversed(range(len(old))):
        if number not in pairs.values():
            del old[number]
    for number, one in enumerate(new):
        if number in pairs:
            _merge(old[number], one)
        else:
            _insert(old, number, one)


def _pairs(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Which new table is which old one: the same, one of its name or model; else the next where none is gone."""
    pairs: dict[int, int] = {}
    for alike in (
        lambda a, b: a == b,
        lambda a, b: "name" in a and a["name"] == b.get("name"),
        lambda a, b: any(key in a and a[key] == b.get(key) for key in MODEL_KEYS),
    ):
        left = [number for number in range(len(old)) if number not in pairs.values()]
        for number, one in enumerate(new):
            match = next((other for other in left if number not in pairs and alike(one, old[other])), None)
            if match is not None:
                pairs[number] = match
                left.remove(match)
    if len(old) == len(new):
        left = [number for number in range(len(old)) if number not in pairs.values()]
        pairs |= dict(zip((number for number in range(len(new)) if number not in pairs), left, strict=True))
    return pairs


def _fresh(document: Mapping[str, Any]) -> tomlkit.TOMLDocument:
    """A document without comments."""
    written = tomlkit.document()
    for key in sorted(document, key=lambda key: isinstance(document[key], Mapping) or _is_tables(document[key])):
        _append(written, key, document[key])
    return written


def _append(old: Any, key: str, value: Any) -> None:
    """A new key at the end of a table; a list of tables as [[tables]], at the end of a document."""
    if not (_is_tables(value) and isinstance(old, tomlkit.TOMLDocument)):
        old[key] = value
        return
    tables = tomlkit.aot()
    for one in value:
        tables.append(_table(one, inline=False))
    old.append(key, tables)


def _insert(old: Any, place: int, entry: Mapping[str, Any]) -> None:
    """A new table in a list of tables, with an empty line around it where each stands on lines of its own."""
    if not isinstance(old, AoT):
        old.insert(place, _table(entry, inline=True))
        return
    table = _table(entry, inline=False)
    if place < len(old):
        table.add(tomlkit.nl())
    elif len(old) and not old[-1].as_string().endswith("\n\n"):
        old[-1].add(tomlkit.nl())
    old.insert(place, table)


def _table(value: Mapping[str, Any], *, inline: bool) -> Any:
    table = tomlkit.inline_table() if inline else tomlkit.table()
    for key, one in value.items():
        table.append(key, _value(one))
    return table


def _value(value: Any) -> Any:
    """A value as tomlkit writes it within an entry: tables in braces, lists in one line."""
    if isinstance(value, Mapping):
        return _table(value, inline=True)
    if isinstance(value, list | tuple):
        array = tomlkit.array()
        for one in value:
            array.append(_value(one))
        return array
    return value
