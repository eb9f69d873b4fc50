"""Documents: a TOML or JSON file becomes a table of keys and values, or one line that says where the mistake is."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from silhouette.errors import FileError
from silhouette.files.mistakes import json_advice, toml_advice
from silhouette.files.reading import missing, read_file

LARGEST_DOCUMENT = 16 * 1024**2
DEEPEST = 16
"""Levels of tables and lists in each other; a scene needs six."""
MOST_VALUES = 1_000_000
"""Tables, lists, texts and numbers in one document; a map of 100,000 hexes has half of it."""
LONGEST_KEY = 200
"""Letters of a key."""
LONGEST_TEXT = 10_000
"""Letters of a name, a title or any other text."""
MOST_OF = {
    **dict.fromkeys(("terrain", "fighter", "vehicle", "character", "object", "creature"), 2_000),
    **dict.fromkeys(("unit", "cover"), 500),
    "parts": 2_000,
    "polygon": 2_000,
    "insignificant": 500,
    "cells": 256,
}
"""Entries of a list, by its key: many times what a table has, and few enough to be judged in seconds."""
MOST_PARTS = 10_000
"""Solids of all pieces together."""

BYTE_ORDER_MARK = "\ufeff"
"""What some editors write at the beginning of a file in UTF-8."""

# JSON can spell one half of a character beyond U+FFFF, which no text can hold alone.
_HALF = re.compile("[\ud800-\udfff]")

MARKS = re.compile(
    r"""
    \"{3} (?: [^"\\]++ | \\. | "(?!"") )*+ (?: \"{3} | \Z )   # a text of several lines, with escapes
  | '{3} (?: [^']++ | '(?!'') )*+ (?: '{3} | \Z )             # the same without
  | " (?: [^"\\\n]++ | \\. )*+ "?                             # a text, with escapes
  | ' [^'\n]*+ '?                                             # the same without
  | \#[^\n]*+                                                 # a comment
  | (?P<mark> [][{}.=,\n] )
  | [^]["'\#{}.=,\n]++                                        # bare words and spaces
    """,
    re.DOTALL | re.VERBOSE,
)
"""The words of a TOML text: those that open, close or end a level are ``mark``."""


_JSON_WORDS = {
    "Expecting value": "a value is missing",
    "Expecting property name enclosed in double quotes": "a key in quotes is missing",
    "Expecting ',' delimiter": "a comma, or the end of a list or table, is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Illegal trailing comma before end of object": "a comma stands before the end of a table",
    "Illegal trailing comma before end of array": "a comma stands before the end of a list",
    "Unterminated string starting at": "a text has no end",
    "Invalid control character at": "a line break or a control character stands in a text",
    "Invalid \\escape": "there is no such escape",
    "Invalid \\uXXXX escape": "there is no such escape",
    "Extra data": "it goes on after its end",
}


def read_document(path: Path) -> dict[str, Any]:
    """The content of a scene or model file, by its ending TOML or JSON.

    Raises:
        FileError: where it is missing, no regular file, too large, not UTF-8 text, neither TOML nor JSON, goes wrong
            in some line, or has too many values or levels (`DEEPEST`, `MOST_VALUES`).
    """
    if path.suffix.lower() not in (".toml", ".json"):
        if not os.path.lexists(path):
            raise missing(path)
        raise FileError(path, f"'{path.suffix}' is no known ending; scene and model files end in .toml or .json")
    return document_of(path, read_text(path))


def document_of(path: Path, text: str) -> dict[str, Any]:
    """The content that the text of a scene or model file has, by its ending TOML or JSON.

    Raises:
        FileError: as `read_document` does.
    """
    reader = _json if path.suffix.lower() == ".json" else _toml
    try:
        document = reader(text)
        _check_size(document)
    except json.JSONDecodeError as error:
        advice = json_advice(text, error.msg, error.pos)
        where = f"at line {error.lineno}, column {error.colno}"
        raise FileError(
            path, f"not JSON {where}: {_JSON_WORDS.get(error.msg, _plain(error.msg))}{advice and f'; {advice}'}"
        ) from None
    except tomllib.TOMLDecodeError as error:
        advice = toml_advice(text, str(error))
        raise FileError(path, f"not TOML: {_plain(str(error))}{advice and f'; {advice}'}") from None
    except RecursionError:
        raise FileError(path, _TOO_DEEP) from None
    except _Refused as refused:
        raise FileError(path, str(refused)) from None
    except ValueError:
        raise FileError(
            path, "a value cannot be read: a number has too many digits, or a date does not exist"
        ) from None
    if not isinstance(document, dict):
        raise FileError(path, "holds no table of keys; it must be an object, { ... }")
    return document


def read_text(path: Path, *, with_mark: bool = False) -> str:
    """The text of a scene or model file.

    Args:
        path: of the file.
        with_mark: whether a byte order mark at its beginning is part of it.

    Raises:
        FileError: where it is missing, no regular file, too large or not UTF-8.
    """
    content = read_file(path, LARGEST_DOCUMENT)
    try:
        return content.decode("utf-8" if with_mark else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileError(path, f"not UTF-8 text in line {line}; save it as UTF-8") from None


def check_document(path: Path, document: object) -> None:
    """Refuses a document that could not be read again from its file: too large, too deep, or with too long texts.

    Raises:
        FileError: one line that says what is too large.
    """
    try:
        _check_size(document)
    except _Refused as refused:
        raise FileError(path, str(refused)) from None


_TOO_DEEP = f"its tables lie too deep in each other; {DEEPEST} levels are the most, and a scene needs six"


class _Refused(ValueError):
    """The refusal of a document, in plain words."""


def _toml(text: str) -> object:
    _check_depth(text)
    return tomllib.loads(text)


def _check_depth(text: str) -> None:
    """Refuses TOML that is nested too deep before it is parsed, which takes long: ``a.a.a.a`` is four levels."""
    depth = dots = 0
    for match in MARKS.finditer(text):
        mark = match["mark"]
        if mark is None:
            continue
        if mark == ".":
            dots += 1
        elif mark in "=,\n":
            dots = 0
        elif mark in "[{":
            depth += 1
        elif mark in "]}":
            depth = max(depth - 1, 0)
        if max(depth, dots) >= 2 * DEEPEST:
            raise _Refused(_TOO_DEEP)


def _check_size(document: object) -> None:
    """Refuses a document with too many values, levels, or too long keys."""
    level, depth, values, parts = [document], 0, 0, 0
    while level:
        depth += 1
        values += len(level)
        if depth > DEEPEST + 1:
            raise _Refused(_TOO_DEEP)
        if values > MOST_VALUES:
            raise _Refused(f"holds more than {MOST_VALUES} values; split it into several files")
        inner: list[object] = []
        for value in level:
            if isinstance(value, dict):
                _check_table(value)
                parts += len(solids) if isinstance(solids := value.get("parts"), list) else 0
                inner += value.values()
            elif isinstance(value, list):
                inner += value
            elif isinstance(value, str):
                _check_text(value)
        if parts > MOST_PARTS:
            raise _Refused(f"holds {parts} solids in parts; {MOST_PARTS} are the most: make a mesh of them")
        level = inner


def _check_text(text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise _Refused(f"the text '{text[:40]} ...' has {len(text)} letters; {LONGEST_TEXT} are the most")
    half = _HALF.search(text)
    if half:
        raise _Refused(f"\\u{ord(half[0]):x} is only half of a character; write the character itself")


def _check_table(table: dict[str, object]) -> None:
    longest = max(table, key=len, default="")
    if len(longest) > LONGEST_KEY:
        raise _Refused(f"the key '{longest[:40]} ...' has {len(longest)} letters; {LONGEST_KEY} are the most")
    for key in table:
        _check_text(key)
    for key in table.keys() & MOST_OF.keys():
        entries = table[key]
        if isinstance(entries, list) and len(entries) > MOST_OF[key]:
            raise _Refused(f"{key} has {len(entries)} entries; {MOST_OF[key]} are the most")


def parsed_json(data: bytes) -> object:
    """The JSON of a mesh file, such as glTF's, which may hold millions of letters but no more than `MOST_VALUES`.

    Raises:
        ValueError: where it is no JSON in UTF-8, or is too deep or too wide; the text says so in plain words.

    >>> parsed_json(b'{"asset": {}}')
    {'asset': {}}
    """
    if sum(data.count(mark) for mark in (b"{", b"[", b",")) > MOST_VALUES:
        raise ValueError(f"it holds more than {MOST_VALUES} values")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise ValueError(f"it goes wrong at line {error.lineno}, column {error.colno}") from None
    except UnicodeDecodeError:
        raise ValueError("it is no UTF-8 text") from None
    except RecursionError:
        raise ValueError("its values lie too deep in each other") from None
    except ValueError:
        raise ValueError("a number in it has too many digits") from None


def _json(text: str) -> object:
    return json.loads(text, object_pairs_hook=_table)


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise _Refused(f"the key '{twice[:LONGEST_KEY]}' stands twice in one table; keep one of them")
    return table


def _as_in_the_file(names: re.Match[str]) -> str:
    found = re.findall(r"'([^']*)'", names[1])
    return f"[{'.'.join(found)}]"


def _plain(message: str) -> str:
    """A parser's message as part of a sentence; tables as the file spells them.

    >>> _plain("Cannot declare ('fighter', 'at') twice (at line 3, column 9)")
    'cannot declare [fighter.at] twice (at line 3, column 9)'
    """
    names = re.sub(r"\(('[^()]*',?)\)", _as_in_the_file, message)
    return names[:1].lower() + names[1:]
