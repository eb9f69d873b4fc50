"""TELL: a changed document written into the text of its file, whose comments, order, spaces and spelling stay.

JSON is rewritten value by value. TOML is cut into blocks, each a header such as [[fighter]] with what stands below it
and the comments above it, and put together again from these.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import AoT, Array

from silhouette.common.text import json_text
from silhouette.files.documents import BYTE_ORDER_MARK, MARKS

# ---- the blocks of a TOML file


@dataclass(frozen=True)
class Block:
    """A header of a TOML text with what stands below it; the first block of a text has no header."""

    # Of the header: ("fighter",) of [[fighter]], ("fighter", "doubt") of [fighter.doubt]; none in the first
    keys: tuple[str, ...]
    is_entry: bool  # whether the header has two brackets
    above: str  # the empty lines above it, and comments that are set off from it by an empty line
    comment: str  # the lines of the comment directly above the header
    text: str  # the header, and all lines below it that are its own

    @property
    def whole(self) -> str:
        """The block with what stands above it."""
        return self.above + self.comment + self.text


def blocks_of(text: str) -> tuple[list[Block], str]:
    """The blocks of a TOML text, and what stands below the last one: empty lines and comments.

    Put together again they are the text. A comment belongs to the header that it stands directly above, else to the
    lines that it stands directly below, else to none.

    >>> text = 'rules = "ikosa"\\n\\n# The tall one.\\n[[creature]]\\nname = "ogre"\\n# it flies\\n\\n# That is all.\\n'
    >>> (first, ogre), below = blocks_of(text)
    >>> ogre.keys, ogre.comment, ogre.text
    (('creature',), '# The tall one.\\n', '[[creature]]\\nname = "ogre"\\n# it flies\\n')
    >>> below
    '\\n# That is all.\\n'
    """
    lines = text.split("\n")
    lines = [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    heads = list(_headers(text))
    blocks = list[Block]()
    above = comment = ""
    for start, end in zip([0, *heads], [*heads, len(lines)], strict=True):
        own, left = _own(lines[start:end], is_last=end == len(lines))
        keys, is_entry = ((), False) if not blocks else _keys(own[0])
        blocks.append(Block(keys, is_entry, above, comment, "".join(own)))
        first = len(left)
        while end < len(lines) and first and _is_comment(left[first - 1]):
            first -= 1
        above, comment = "".join(left[:first]), "".join(left[first:])
    return blocks, above + comment


def _headers(text: str) -> Iterator[int]:
    """The numbers of the lines, from 0, that are headers."""
    depth, line, begins = 0, 0, True
    for match in MARKS.finditer(text):
        mark = match["mark"]
        if mark == "[" and depth == 0 and begins:
            yield line
        if mark == "\n" or match[0].strip():
            begins = mark == "\n" and depth == 0
        depth += (mark in ("[", "{")) - (mark in ("]", "}"))
        line += match[0].count("\n")


def _own(lines: Sequence[str], *, is_last: bool) -> tuple[Sequence[str], Sequence[str]]:
    """The lines that belong to the header that they begin with, and those that may belong to the next one.

    A comment right below them is theirs, unless the next header follows it without an empty line.
    """
    end = len(lines)
    while end and (not lines[end - 1].strip() or _is_comment(lines[end - 1])):
        end -= 1
    below = next(
        (number for number in range(end, len(lines)) if not lines[number].strip()), len(lines) if is_last else end
    )
    return lines[:below], lines[below:]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _keys(header: str) -> tuple[tuple[str, ...], bool]:
    """The keys of a header, and whether it has two brackets."""
    value: Any = tomllib.loads(header)
    keys = list[str]()
    while value:
        if isinstance(value, list):
            (value,) = value
        else:
            ((key, value),) = value.items()
            keys.append(key)
    return tuple(keys), header.lstrip().startswith("[[")


# ---- JSON

Match = Callable[[Sequence[Any], Sequence[Any]], list[int | None]]
"""Tells for each entry of a new list the number of the old one that it was, or None."""

INDENT = "  "  # what each level of a new text stands further to the right

_SPACES = re.compile(r"[ \t\r\n]*")


def json_rewritten(text: str, document: Mapping[str, Any], match: Match) -> str:
    """The text of a JSON file that says what a document says (dates as texts); what has not changed stays, byte for
    byte.

    The text is empty where there is none yet; ``match`` tells which entries of lists are the same.

    >>> old = '{"rules": "ikosa",  "boxes": [[0, 0.50], [1, 1]], "mode": "melee"}'
    >>> print(json_rewritten(old, {"rules": "ikosa", "boxes": [[0, 0.5], [1, 2]]}, lambda old, new: [0, 1]))
    {"rules": "ikosa",  "boxes": [[0, 0.50], [1, 2]]}
    """
    if not text.strip():
        return _written(document) + "\n"
    start = _end_of_spaces(text, 0)
    value, end = _parsed(text, start)
    return text[:start] + value.rewritten(document, match) + text[end:]


@dataclass(frozen=True)
class _Member:
    """A member of an object or an array: comma and spaces before it, label with the colon, key or number, and value."""

    before: str
    label: str
    key: str | int
    value: _Value


@dataclass(frozen=True)
class _Value:
    """A value in a text: the text whole, the value in Python, its members, and what stands behind the last."""

    text: str
    value: Any
    members: tuple[_Member, ...] = ()
    close: str = ""

    def rewritten(self, new: Any, match: Match) -> str:
        """Its text if its value is another one."""
        old = self.value
        if old == new and isinstance(old, bool) == isinstance(new, bool):
            return self.text
        if not self.members or not new or type(old) is not type(new):
            return _written(new) if isinstance(new, dict) and not old else _in_a_line(new)
        if isinstance(new, dict):
            return self._joined(self._pairs(new, match))
        return self._joined(
            [self._entry(number, element, match) for number, element in zip(match(old, new), new, strict=True)]
        )

    def _pairs(self, new: Mapping[str, Any], match: Match) -> list[tuple[_Member | None, str]]:
        pairs: list[tuple[_Member | None, str]] = [
            (member, member.label + member.value.rewritten(new[str(member.key)], match))
            for member in self.members
            if member.key in new
        ]
        added = (f"{_in_a_line(key)}: {_in_a_line(new[key])}" for key in new if key not in self.value)
        return [*pairs, *((None, text) for text in added)]

    def _entry(self, number: int | None, new: Any, match: Match) -> tuple[_Member | None, str]:
        """An entry of a list, with the member that it was."""
        if number is not None:
            return self.members[number], self.members[number].value.rewritten(new, match)
        first = self.members[0]
        indent = first.before.rpartition("\n")[2]
        is_spread = isinstance(new, dict) and "\n" in first.before and "\n" in first.value.text
        return None, _written(new, indent) if is_spread else _in_a_line(new)

    def _joined(self, members: Sequence[tuple[_Member | None, str]]) -> str:
        """The text with these members, each with the spaces that were before it."""
        first = self.members[0]
        between = self.members[-1].before if len(self.members) > 1 else "," + (first.before or " ")
        parts = [self.text[0]]
        for place, (member, text) in enumerate(members):
            own = between if member is None or member is first else member.before
            parts.append((first.before if place == 0 else own) + text)
        return "".join(parts) + self.close


def _in_a_line(value: Any) -> str:
    return json_text(value, ensure_ascii=False, default=str)


def _written(value: Any, indent: str = "") -> str:
    """A new text: each key of a table on its own line, and each entry of a list of tables; all else in one line."""
    inner = indent + INDENT
    if isinstance(value, Mapping) and value:
        lines = ",\n".join(
            f"{inner}{_in_a_line(key)}: {_written_below(element, inner)}" for key, element in value.items()
        )
        return f"{{\n{lines}\n{indent}}}"
    return _in_a_line(value)


def _written_below(value: Any, indent: str) -> str:
    """The value of a key: a list of tables is spread over several lines."""
    if _is_tables(value) and len(indent) == len(INDENT):
        inner = indent + INDENT
        return "[\n" + ",\n".join(inner + _written(element, inner) for element in value) + f"\n{indent}]"
    return _in_a_line(value)


def _parsed(text: str, start: int) -> tuple[_Value, int]:
    """The value that begins at a place of valid JSON, and the place where it ends."""
    value, end = json.JSONDecoder().raw_decode(text, start)
    members = list[_Member]()
    place = start + 1
    while value and isinstance(value, dict | list):
        begin = _end_of_spaces(text, place)
        if text[begin] == ",":
            begin = _end_of_spaces(text, begin + 1)
        elif text[begin] in "]}":
            return _Value(text[start:end], value, tuple(members), text[place:end]), end
        inner, key = begin, len(members)
        if isinstance(value, dict):
            key, inner = json.JSONDecoder().raw_decode(text, begin)
            inner = _end_of_spaces(text, _end_of_spaces(text, inner) + 1)
        element, after = _parsed(text, inner)
        members.append(_Member(text[place:begin], text[begin:inner], key, element))
        place = after
    return _Value(text[start:end], value), end


def _end_of_spaces(text: str, start: int) -> int:
    spaces = _SPACES.match(text, start)
    return start if spaces is None else spaces.end()


# ---- TOML

Names = Mapping[str, str | None]
"""The name that a piece has in the scene's file, by its name now; None for one that is not in the file.

Pieces that are not listed have the same name in both.
"""


def rewritten(path: Path, text: str, document: Mapping[str, Any], names: Names | None = None) -> str:
    """The text of a scene or model file, by its ending TOML or JSON, that says what a document says.

    What has not changed stays as it is, byte for byte. An entry that goes takes the comment directly above it along.
    The text is empty where there is none yet; ``names`` are of the pieces that were renamed, or made, since it was
    written.

    >>> old = 'rules = "necromunda"\\n\\n[[fighter]]\\nname = "Kal"\\nat = [0, 0]  # by the door\\n'
    >>> new = {"rules": "necromunda", "fighter": [{"name": "Kal", "at": [1.5, 0]}]}
    >>> print(rewritten(Path("duel.toml"), old, new), end="")
    rules = "necromunda"
    <BLANKLINE>
    [[fighter]]
    name = "Kal"
    at = [1.5, 0]  # by the door
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
    matches = list[int | None]()
    left = list(range(len(old)))
    for entry in new:
        before = _named_before(entry, names)
        match = next((number for number in left if _is_same(old[number], before)), None)
        matches.append(match)
        if match is not None:
            left.remove(match)
    unmatched = [number for number, match in enumerate(matches) if match is None and not _is_named(new[number])]
    if len(unmatched) == len(left):
        for number, match in zip(unmatched, left, strict=True):
            matches[number] = match
    return matches


def _is_named(entry: Any) -> bool:
    return isinstance(entry, Mapping) and "name" in entry


def _is_same(old: Any, new: Any) -> bool:
    if _is_named(old) and _is_named(new):
        return bool(old["name"] == new["name"])
    return bool(old == new)


def _named_before(value: Any, names: Names) -> Any:
    """A value with the names that the pieces have in the file."""
    if isinstance(value, Mapping):
        return {key: _named_before(element, names) for key, element in value.items()}
    if isinstance(value, list):
        return [_named_before(element, names) for element in value]
    return names.get(value, value) if isinstance(value, str) else value


@dataclass(frozen=True)
class _Group:
    """The blocks of a table or of an entry of a list, its inner tables among them."""

    key: str
    number: int | None
    blocks: tuple[Block, ...]

    @property
    def whole(self) -> str:
        """Its text, with what stands above it."""
        return "".join(block.whole for block in self.blocks)

    def rewritten(self, old: Any, new: Any, names: Names) -> str:
        """Its text if its value is another one; of one that goes, comments that are set off from it."""
        if old == new:
            return self.whole
        first = self.blocks[0]
        if new is None:
            return first.above if "#" in first.above else ""
        inner = self._inner_keys(old, new)
        parsed, left = (self.blocks[:1], self.blocks[1:]) if inner else (self.blocks, ())
        written = tomlkit.parse(first.text + "".join(block.whole for block in parsed[1:]))
        table: Any = written
        if self.key:
            table = written[self.key] if self.number is None else written[self.key][0]
        _merge(table, {key: value for key, value in new.items() if key not in inner}, names)
        return first.above + first.comment + tomlkit.dumps(written) + "".join(block.whole for block in left)

    def _inner_keys(self, old: Any, new: Any) -> set[str]:
        """The keys of its inner tables, if they are as before and need not be parsed; else none."""
        keys = {block.keys[1] for block in self.blocks[1:] if len(block.keys) > 1}
        is_same = all(key in new and new[key] == old[key] for key in keys)
        return keys if is_same and len(self.blocks[0].keys) < 2 else set()


def _groups(blocks: Sequence[Block]) -> list[_Group]:
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

    The text as it was if a table is spread over it, or entries have changed places.
    """
    blocks, below = blocks_of(text)
    groups = _groups(blocks)
    tables = [group.key for group in groups if group.number is None]
    lists = {group.key for group in groups if group.number is not None}
    matches = {key: counterparts(old[key], new.get(key, []), names) for key in lists}
    if len({*tables, *lists}) < len(tables) + len(lists) or not all(map(_in_order, matches.values())):
        return text
    parts = list[str]()
    for group in groups:
        match = matches.get(group.key, [])
        if group.number == 0:
            parts += _entries(group.key, new, match, None)
        parts.append(group.rewritten(*_values(group, old, new, match), names))
        if group.number is not None:
            parts += _entries(group.key, new, match, group.number)
    for key in _added_lists(old, new):
        parts += _entries(key, new, [None] * len(new[key]), None)
    return _joined([*parts, below])


def _in_order(match: Sequence[int | None]) -> bool:
    numbers = [number for number in match if number is not None]
    return numbers == sorted(numbers)


def _added_lists(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [key for key in new if key not in old and _is_tables(new[key])]


def _values(
    group: _Group, old: Mapping[str, Any], new: Mapping[str, Any], match: Sequence[int | None]
) -> tuple[Any, Any]:
    """What a group says, and what it is to say; None if it goes. What stands above the first header gets new keys."""
    if group.key == "":
        keys = (new.keys() - old.keys() - {*_added_lists(old, new)}) | tomllib.loads(group.whole).keys()
        return {key: old[key] for key in old if key in keys}, {key: new[key] for key in new if key in keys}
    if group.number is None:
        return old[group.key], new.get(group.key)
    entry = new[group.key][match.index(group.number)] if group.number in match else None
    return old[group.key][group.number], entry


def _entries(key: str, new: Mapping[str, Any], match: Sequence[int | None], before: int | None) -> list[str]:
    """The texts of the new entries of a list that come right after an old one, or before all old ones."""
    last, texts = None, list[str]()
    for entry, number in zip(new.get(key, []), match, strict=True):
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
    written = tomlkit.document()
    for key in sorted(new, key=lambda key: isinstance(new[key], Mapping) or _is_tables(new[key])):
        if _is_tables(new[key]):
            tables = tomlkit.aot()
            for element in new[key]:
                tables.append(_table(element, inline=False))
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
    was = [_plain(element) for element in old]
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
    if any(isinstance(element, Mapping | list) for element in (*old, *new)):
        return counterparts(old, new, names)
    return [number if number < len(old) else None for number in range(len(new))]


def _plain(value: Any) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(element, Mapping) for element in value)


def _table(value: Mapping[str, Any], *, inline: bool) -> Any:
    table = tomlkit.inline_table() if inline else tomlkit.table()
    for key, element in value.items():
        table.append(key, _value(element))
    return table


def _value(value: Any) -> Any:
    """A value as tomlkit writes it within an entry: tables in braces, lists in one line."""
    if isinstance(value, Mapping):
        return _table(value, inline=True)
    if isinstance(value, list | tuple):
        array = tomlkit.array()
        for element in value:
            array.append(_value(element))
        return array
    return value
