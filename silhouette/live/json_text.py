"""TELL: a changed document written into the text of a JSON file, whose order, spaces and spelling stay.

text of a file, document -> the text with what has changed
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Match = Callable[[Sequence[Any], Sequence[Any]], list[int | None]]
"""Tells for each entry of a new list the number of the old one that it was, or None."""

INDENT = "  "
"""What each level of a new text stands further to the right."""

_SPACES = re.compile(r"[ \t\r\n]*")


def json_rewritten(text: str, document: Mapping[str, Any], match: Match) -> str:
    """The text of a JSON file that says what a document says; what has not changed stays, byte for byte.

    Args:
        text: that it has; empty where there is none yet.
        document: what it is to say; dates become texts.
        match: tells which entries of lists are the same.

    >>> old = '{"rules": "ikosa",  "boxes": [[0, 0.50], [1, 1]], "mode": "melee"}'
    >>> print(json_rewritten(old, {"rules": "ikosa", "boxes": [[0, 0.5], [1, 2]]}, lambda old, new: [0, 1]))
    {"rules": "ikosa",  "boxes": [[0, 0.50], [1, 2]]}
    >>> print(json_rewritten("", {"creature": [{"name": "ogre", "cells": [[0, 0, 0]]}]}, lambda old, new: []), end="")
    {
      "creature": [
        {
          "name": "ogre",
          "cells": [[0, 0, 0]]
        }
      ]
    }
    """
    if not text.strip():
        return _written(document) + "\n"
    start = _end_of_spaces(text, 0)
    value, end = _parsed(text, start)
    return text[:start] + value.said(document, match) + text[end:]


@dataclass(frozen=True)
class _Member:
    """A member of an object or an array.

    Attributes:
        before: the comma before it, and spaces.
        label: its key with the colon; empty in an array.
        key: its key, or its number.
        value: its value.
    """

    before: str
    label: str
    key: str | int
    value: _Value


@dataclass(frozen=True)
class _Value:
    """A value in a text.

    Attributes:
        text: it whole.
        value: as Python has it.
        members: of an object or an array.
        close: what stands behind the last member.
    """

    text: str
    value: Any
    members: tuple[_Member, ...] = ()
    close: str = ""

    def said(self, new: Any, match: Match) -> str:
        """Its text where its value is another one."""
        old = self.value
        if old == new and isinstance(old, bool) == isinstance(new, bool):
            return self.text
        if not self.members or not new or type(old) is not type(new):
            return _written(new) if isinstance(new, dict) and not old else _in_a_line(new)
        if isinstance(new, dict):
            kept = [member for member in self.members if member.key in new]
            texts = [(one, one.label + one.value.said(new[one.key], match)) for one in kept]
            return self._joined([*texts, *((None, _pair(key, new[key])) for key in new if key not in old)])
        return self._joined([self._entry(number, one, match) for number, one in zip(match(old, new), new, strict=True)])

    def _entry(self, number: int | None, new: Any, match: Match) -> tuple[_Member | None, str]:
        """An entry of a list, with the one that it was."""
        if number is not None:
            return self.members[number], self.members[number].value.said(new, match)
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


def _pair(key: str, value: Any) -> str:
    return f"{_in_a_line(key)}: {_in_a_line(value)}"


def _in_a_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _written(value: Any, indent: str = "") -> str:
    """A new text: each key of a table on its own line, and each entry of a list of tables; all else in one line."""
    inner = indent + INDENT
    if isinstance(value, Mapping) and value:
        lines = ",\n".join(f"{inner}{_in_a_line(key)}: {_written_below(one, inner)}" for key, one in value.items())
        return f"{{\n{lines}\n{indent}}}"
    return _in_a_line(value)


def _written_below(value: Any, indent: str) -> str:
    """The value of a key: a list of tables is spread over several lines."""
    if (
        isinstance(value, list)
        and value
        and all(isinstance(one, Mapping) for one in value)
        and len(indent) == len(INDENT)
    ):
        inner = indent + INDENT
        return "[\n" + ",\n".join(inner + _written(one, inner) for one in value) + f"\n{indent}]"
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
        one, after = _parsed(text, inner)
        members.append(_Member(text[place:begin], text[begin:inner], key, one))
        place = after
    return _Value(text[start:end], value), end


def _end_of_spaces(text: str, start: int) -> int:
    found = _SPACES.match(text, start)
    return start if found is None else found.end()
