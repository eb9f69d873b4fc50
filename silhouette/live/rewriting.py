"""TELL: a changed document written into the text of its file, whose comments, order and spelling stay.

text of a file, document -> the text with what has changed
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import AoT, Array

from silhouette.files.documents import BYTE_ORDER_MARK
from silhouette.live.blocks import Block, blocks_of
from silhouette.live.json_text import json_rewritten
from silhouette.live.names import Names


def rewritten(path: Path, text: str, document: Mapping[str, Any], names: Names | None = None) -> str:
    """The text of a scene or model file, by its ending TOML or JSON, that says what a document says.

    What has not changed stays as it is, byte for byte. An entry that goes takes the comment directly above it along.

    Args:
        path: of the file.
        text: that it has, as TOML or JSON; empty where there is none yet.
        document: what it is to say.
        names: of the pieces that were renamed, or made, since the text was written.

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
    'rules = "necromunda"\\n'
    """
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    text = text.removeprefix(mark)
    if path.suffix.lower() == ".json":
        return mark + json_rewritten(text, document, lambda old, new: _matched(old, new, names or {}))
    old = tomllib.loads(text)
    if old == document:
        return mark + text
    # What is judged is what stands in the file: where the two would differ, its words count more than its comments.
    for way in (_in_blocks, _as_a_whole, _fresh):
        new = way(text, old, document, names or {})
        if "\r\n" in text:
            new = new.replace("\r\n", "\n").replace("\n", "\r\n")
        if tomllib.loads(new) == document:
            break
    return mark + new


def counterparts(old: Sequence[Any], new: Sequence[Any], names: Names) -> list[int | None]:
    """The number of the old entry that each new one was: that of its name, else one that is the same but for names.

    What is left is the same in its order, where as many are left of both.

    >>> counterparts([{"name": "Kal"}, {"name": "Vex"}], [{"name": "Bo"}, {"name": "Kal"}], {"Bo": "Vex", "Kal": None})
    [1, None]
    >>> counterparts([["Kal", "Vex"], ["Kal", "Yar"]], [["Kal", "Bo"]], {"Bo": "Yar"})
    [1]
    """
    found = list[int | None]()
    left = list(range(len(old)))
    for entry in new:
        before = _named_before(entry, names)
        alike = (number for number in left if _is_same(old[number], before))
        match = next(alike, None)
        found.append(match)
        if match is not None:
            left.remove(match)
    unmatched = [number for number, match in enumerate(found) if match is None and not _is_named(new[number])]
    if len(unmatched) == len(left):
        for number, match in zip(unmatched, left, strict=True):
            found[number] = match
    return found


def _is_named(entry: Any) -> bool:
    return isinstance(entry, Mapping) and "name" in entry


def _is_same(old: Any, new: Any) -> bool:
    """Whether two entries are one: of two with names, the names tell."""
    if _is_named(old) and _is_named(new):
        return bool(old["name"] == new["name"])
    return bool(old == new)


def _named_before(value: Any, names: Names) -> Any:
    """A value with the names that the pieces have in the file."""
    if isinstance(value, Mapping):
        return {key: _named_before(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_named_before(one, names) for one in value]
    return names.get(value, value) if isinstance(value, str) else value


@dataclass(frozen=True)
class _Group:
    """The blocks of a table or of an entry of a list, its inner tables among them.

    Attributes:
        key: at the top of the document; empty for what stands above the first header.
        number: of the entry in its list, from 0; None where it is no list.
        blocks: one after the other.
    """

    key: str
    number: int | None
    blocks: tuple[Block, ...]

    @property
    def whole(self) -> str:
        """Its text, with what stands above it."""
        return "".join(block.whole for block in self.blocks)

    @property
    def is_entry(self) -> bool:
        """Whether it is an entry of a list."""
        return self.number is not None

    def said(self, old: Any, new: Any, names: Names) -> str:
        """Its text where its value is another one; of one that goes, comments that are set off from it."""
        if old == new:
            return self.whole
        first, *inner = self.blocks
        if new is None:
            return first.above if "#" in first.above else ""
        keys = {block.keys[1] for block in inner if len(block.keys) > 1}
        is_inner_same = len(first.keys) < 2 and all(key in new and new[key] == old[key] for key in keys)
        read = [first] if is_inner_same else self.blocks
        written = tomlkit.parse(first.text + "".join(block.whole for block in read[1:]))
        table: Any = written
        if self.key:
            table = written[self.key] if self.number is None else written[self.key][0]
        _merge(table, {key: value for key, value in new.items() if not (is_inner_same and key in keys)}, names)
        left = "".join(block.whole for block in self.blocks[len(read) :])
        return first.above + first.comment + tomlkit.dumps(written) + left


def _groups(blocks: Sequence[Block]) -> list[_Group]:
    """The blocks in groups, in their order."""
    groups, counts = [_Group("", None, (blocks[0],))], dict[str, int]()
    for block in blocks[1:]:
        key, last = block.keys[0], groups[-1]
        is_entry = block.is_entry and len(block.keys) == 1
        if last.key == key and not is_entry:
            groups[-1] = replace(last, blocks=(*last.blocks, block))
            continue
        number = counts.get(key, 0) if is_entry else None
        counts[key] = counts.get(key, 0) + 1
        groups.append(_Group(key, number, (block,)))
    return groups


def _in_blocks(text: str, old: Mapping[str, Any], new: Mapping[str, Any], names: Names) -> str:
    """The text with only those blocks changed that say something else, and new ones after those of their list.

    The text as it was where a table is spread over it, or entries have changed places.
    """
    blocks, below = blocks_of(text)
    groups = _groups(blocks)
    lists = {
        key: counterparts(old[key], new.get(key, []), names) for key in {one.key for one in groups if one.is_entry}
    }
    tables = [group.key for group in groups if not group.is_entry]
    in_order = all(
        sorted(kept) == kept for match in lists.values() for kept in [[one for one in match if one is not None]]
    )
    if not in_order or len({*tables, *lists}) < len(tables) + len(lists):
        return text
    parts = list[str]()
    for group in groups:
        if group.key == "":
            first = {key for key in new if key not in old and not _is_tables(new[key])} | set(
                tomllib.loads(group.whole)
            )
            was, now = ({key: one[key] for key in one if key in first} for one in (old, new))
            parts.append(group.said(was, now, names))
        elif group.number is None:
            parts.append(group.said(old[group.key], new.get(group.key), names))
        else:
            entries, match = new.get(group.key, []), lists[group.key]
            if group.number == 0:
                parts += _entries(group.key, entries, match, None)
            entry = entries[match.index(group.number)] if group.number in match else None
            parts.append(group.said(old[group.key][group.number], entry, names))
            parts += _entries(group.key, entries, match, group.number)
    for key in new:
        if key not in old and _is_tables(new[key]):
            parts += _entries(key, new[key], [None] * len(new[key]), None)
    return _joined([*parts, below])


def _entries(key: str, entries: Sequence[Any], match: Sequence[int | None], before: int | None) -> list[str]:
    """The texts of the new entries that come right after an old one, or before all old ones."""
    last, texts = None, list[str]()
    for entry, number in zip(entries, match, strict=True):
        if number is not None:
            last = number
        elif last == before:
            texts.append("\n" + tomlkit.dumps({key: [_table(entry, inline=False)]}))
    return texts


def _joined(parts: Sequence[str]) -> str:
    """The parts one after the other, each on lines of its own."""
    text = ""
    for part in parts:
        text += part if not text or not part or text.endswith("\n") else f"\n{part}"
    return text


def _as_a_whole(text: str, old: Mapping[str, Any], new: Mapping[str, Any], names: Names) -> str:
    """The text with what has changed, as tomlkit writes it: blocks may change places."""
    written = tomlkit.parse(text)
    _merge(written, new, names)
    return tomlkit.dumps(written)


def _fresh(text: str, old: Mapping[str, Any], new: Mapping[str, Any], names: Names) -> str:
    """A text without comments."""
    written = tomlkit.document()
    for key in sorted(new, key=lambda key: isinstance(new[key], Mapping) or _is_tables(new[key])):
        if _is_tables(new[key]):
            tables = tomlkit.aot()
            for one in new[key]:
                tables.append(_table(one, inline=False))
            written.append(key, tables)
        else:
            written[key] = new[key]
    return tomlkit.dumps(written)


def _merge(old: MutableMapping[str, Any], new: Mapping[str, Any], names: Names) -> None:
    """Makes a table of tomlkit say what another says; what is the same in both is not touched."""
    for key in [key for key in old if key not in new]:
        del old[key]
    for key, value in new.items():
        if key not in old:
            old[key] = value if isinstance(old, tomlkit.TOMLDocument) else _value(value)
        elif _plain(old[key]) == value:
            continue
        elif isinstance(value, Mapping) and isinstance(old[key], MutableMapping):
            _merge(old[key], value, names)
        elif isinstance(value, list) and isinstance(old[key], Array | AoT):
            _merge_list(old[key], value, names)
        else:
            old[key] = value


def _merge_list(old: Any, new: Sequence[Any], names: Names) -> None:
    """Makes a list say what another says; what stays in it, in its order, keeps its comments."""
    was = [_plain(one) for one in old]
    match = _matched(was, new, names)
    for number in reversed(range(len(was))):
        if number not in match:
            del old[number]
    for place, before in enumerate(match):
        if before is None:
            old.insert(place, _value(new[place]) if isinstance(old, Array) else _table(new[place], inline=False))
        elif was[before] != new[place] and isinstance(new[place], Mapping):
            _merge(old[place], new[place], names)
        elif was[before] != new[place]:
            old[place] = new[place]


def _matched(old: Sequence[Any], new: Sequence[Any], names: Names) -> list[int | None]:
    """Which old member each new one was: entries as `counterparts` tells, numbers and words by their place."""
    if any(isinstance(one, Mapping | list) for one in (*old, *new)):
        return counterparts(old, new, names)
    return [number if number < len(old) else None for number in range(len(new))]


def _plain(value: Any) -> Any:
    """A value of tomlkit as Python has it."""
    return value.unwrap() if hasattr(value, "unwrap") else value


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


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
