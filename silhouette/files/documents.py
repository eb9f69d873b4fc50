"""Documents: a TOML or JSON file becomes a table of keys and values, or one line that says where the mistake is."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from silhouette.common.errors import FileError
from silhouette.files.reading import missing, read_file

# ---- values and keys as TOML writes them


def toml(value: Any) -> str:
    """A value as TOML writes it, tables inline.

    >>> toml({"box": [1.0, 2], "a b": "x\\x7f"}), toml([]), toml(True)
    ('{ box = [1.0, 2], "a b" = "x\\\\u007f" }', '[]', 'true')
    """
    if isinstance(value, Mapping):
        pairs = [f"{toml_key(str(key))} = {toml(item)}" for key, item in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml(item) for item in value)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def toml_lines(table: Mapping[str, Any]) -> list[str]:
    """A line for each key of a table.

    >>> toml_lines({"name": "Kal", "at": (1.0, 2)})
    ['name = "Kal"', 'at = [1.0, 2]']
    """
    return [f"{toml_key(key)} = {toml(value)}" for key, value in table.items()]


def toml_key(key: str) -> str:
    """A key, in quotes where it has other signs than letters, digits, - and _.

    >>> toml_key("thin-part_2"), toml_key("a b"), toml_key("")
    ('thin-part_2', '"a b"', '""')
    """
    is_bare = key.isascii() and key.replace("-", "a").replace("_", "a").isalnum()
    return key if is_bare else toml(key)


# ---- the usual mistakes

PATHS = "write / in paths, or put the path in '...'"  # advice about the backslash of Windows paths

_CURLY = "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}„«»"
_QUOTES = str.maketrans(dict.fromkeys(_CURLY, '"'))

_TWICE = "cannot (overwrite|declare|mutate)"
_BOTH_SIDES = "write a digit on both sides of the point, such as 0.5"
_TWO_QUOTES = "put a text that holds ' in \"...\", and one that holds \" in '...'"
_LINE_ENDS = "save it with the line ends of Windows or Unix"
_INVISIBLE_CHARACTERS = re.compile(
    r"[^\S \t\n\r]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)

# What would be right, by the patterns of the parser's message, of the line and of its rest from the mistake on: that of
# the first row all of whose patterns are found. Their groups may stand in it.
Mistakes = tuple[tuple[str, str, str, str], ...]
_ENDS = r"\s*([,\]}#]|$)"
_TOML_MISTAKES: Mistakes = (
    (r"character '\\r'", "", "", _LINE_ENDS),
    (r"scalar value", "", "", "write the character itself"),
    (r"invalid date", "", "", "put a date in quotes, as a text"),
    (r"initial character", "", "", "a name is missing here: between [[ and ]], or after a point or a comma"),
    (r"duplicate inline", "", "", "each key stands once in a table"),
    (r"expected \"'''\"", "", "", "close the text with '''"),
    (r"redefine", "", "", "write each table once"),
    (r"unescaped '\\'|invalid hex|illegal character '\\\\'", "", "", PATHS),
    (r"illegal character '\\n'|unterminated string", "", "", 'close the text with "'),
    (r"expected \"'\"", "", "", "close the text with '"),
    (_TWICE, r"^\s*\[([^\[\]]+)\]", "", "write [[{line[1]}]] where there is one of several, each time"),
    (
        _TWICE, r"^\s*([\w-]+)\s*=", "",
        "'{line[1]}' stands there already: keep one, or begin another piece with [[...]]",
    ),
    (_TWICE, "", "", "each key stands once, and [[...]] begins each piece"),
    (r"expected '\]\]?' at the end", "", "", "write [[...]] with as many ] as ["),
    (r"expected '=' after", r"^\s*([\w-]+)\s*:\s*(.*)", "", "write {line[1]} = {line[2]}"),
    (r"expected '=' after", "", "", "write key = value"),
    (r"unclosed array", "", r"^\s*([^\s,\]}]+)", "put a comma before '{rest[1]}', or close the list with ]"),
    (r"unclosed array", "", "", "close the list with ]"),
    (r"unclosed inline table", "", r"^\s*\Z", "write the table in one line, and close it with }}"),
    (r"unclosed inline table", "", r"^\s*([^\s,\]}]+)", "put a comma before '{rest[1]}', or close the table with }}"),
    (r"unclosed inline table", "", "", "close the table with }}"),
    (r"invalid value", "", f"^{_ENDS}", "a value is missing after ="),
    (r"invalid value", "", r"^\s*=", "write one = alone"),
    (r"invalid value", "", "^\\s*\N{MINUS SIGN}", "write - for \N{MINUS SIGN}"),
    (r"invalid value", "", rf"^[^,\]}}#]*[{_CURLY}]", "write straight quotes: {plain}"),
    (r"invalid value", "", rf"(?i)^\s*true{_ENDS}", "write true"),
    (r"invalid value", "", rf"(?i)^\s*false{_ENDS}", "write false"),
    (r"invalid value", "", rf"^\s*(\+?\.\d+|\+?\d+\.){_ENDS}", _BOTH_SIDES),
    (r"invalid value", "", r"^\s*\(", "write lists with [ ]"),
    (r"invalid value", "", "", 'put the text in quotes: "{plain}"'),
    (r"expected newline", r"=\s*[-\d.]+\s*,", "", "write a list as [x, y], and a decimal point as ."),
    (
        r"expected newline", "", r"^\s*(mm|cm|inch(es)?|in|\"|°|deg\w*|%)",
        "leave the unit out: numbers stand alone",
    ),
    (r"expected newline", "", r"^\s*//", "begin a comment with #"),
    (r"expected newline", r"=\s*0\d", "", "leave out the zeros before the number"),
    (r"expected newline", r"^\s*\[", "", "write [[...]] with as many ] as ["),
    (r"expected newline", "", r"^\s*;", "leave out the ;"),
    (r"expected newline", r"=\s*(\"[^\"]*\"|'[^']*')\w", "", _TWO_QUOTES),
    (r"expected newline", "", r"[\"']\s*\Z", _TWO_QUOTES),
    (
        r"expected newline", r"=\s*[-+]?\d", r"^[\w.:]",
        "write a plain number, such as 12.5, or put the text in quotes",
    ),
    (r"expected newline", "", "", "put each key on a line of its own, and text in quotes"),
    (r"invalid statement", "", r"^\s*(//|/\*|;|--)", "begin a comment with #"),
    (r"invalid statement", "", r"^\s*[{<]", "write TOML: key = value, [[table]]"),
    (r"invalid statement", "", "", "write key = value, or [[table]]"),
)  # fmt: skip

_COMMENT_PATTERN = r"^\s*(//|#|/\*)"
# The same of JSON, by what stands before and after the mistake.
_JSON_MISTAKES: Mistakes = (
    ("^Extra", "", _COMMENT_PATTERN, "leave the comment out: JSON has none, TOML has"),
    ("^Extra", "", "", "leave out what comes after the last }}; a file holds one object"),
    ("", "", r"^\s*'", "write \" for '"),
    ("", r",\s*\Z", r"^\s*[, \n]*([}\]])", "leave out the comma before {rest[1]}"),
    ("", "", r"^\s*\Z", "the end of the file is missing"),
    ("", "", _COMMENT_PATTERN, "leave the comment out: JSON has none, TOML has"),
    (r"^Invalid \\", "", "", r"write / in paths, or \\"),
    ("^Unterminated", "", "", 'close the text with "'),
    ("^Expecting ',' delimiter", r"(?<![\w.])-?0$", r"^\s*\d", "leave out the zeros before the number"),
    ("^Expecting ',' delimiter", r"\d$", r"^\s*\.", _BOTH_SIDES),
    ("^Expecting ',' delimiter", "", r"^\s*}", "close the list with ]"),
    ("^Expecting ',' delimiter", "", r"^\s*\]", "close the table with }}"),
    ("^Expecting ',' delimiter", r"[\w.]$", r"^\s*[\w;]", "write a plain number, such as 12.5, and a comma after it"),
    ("^Expecting ',' delimiter", "", r"^\s*(.)", "put a comma before {rest[1]}"),
    ("^Expecting ':' delimiter", "", "", "put a colon between key and value"),
    ("", "", r"^\s*(True|False|None)\b", "write true, false or null"),
    ("", "", r"^\s*,", "leave out one comma"),
    ("", "", r"^\s*\(", "write lists with [ ]"),
    ("", "", r"^\s*[-+.]", "write a number such as 0.5, 3 or -1"),
    ("", r"\A\s*\Z", r"^\s*([\w.-]+\s*=|\[\[)", "that is TOML: give the file the ending .toml"),
    ("", "", f'^\\s*["{_CURLY}]', 'write straight quotes: "'),
    ("^Expecting", "", "", 'put keys and texts in "quotes"'),
)


def _advice(mistakes: Mistakes, message: str, line: str, rest: str) -> str:
    """What would be right by the first row that fits; empty if none does."""
    plain = re.split(r"\s*[,\]}#]", rest.strip())[0].translate(_QUOTES)
    for of_message, of_line, of_rest, advice in mistakes:
        if re.search(of_message, message, flags=re.IGNORECASE):
            there, after = re.search(of_line, line), re.search(of_rest, rest)
            if there and after:
                return advice.format(line=there, rest=after, plain=plain).rstrip()
    return ""


def toml_advice(text: str, message: str) -> str:
    """What would be right where a TOML text goes wrong, by Python's message; empty where it is not plain.

    >>> toml_advice("at = [0 0]", "Unclosed array (at line 1, column 9)")
    "put a comma before '0', or close the list with ]"
    >>> toml_advice("name = Kal", "Invalid value (at line 1, column 8)")
    'put the text in quotes: "Kal"'
    """
    place = re.search(r"at line (\d+), column (\d+)", message)
    lines = text.replace("\r\n", "\n").split("\n")
    number = int(place[1]) if place else len(lines)  # "at end of document"
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    column = int(place[2]) if place else len(line) + 1
    if line[column - 1 :].startswith("\r"):
        return _LINE_ENDS
    if _INVISIBLE_CHARACTERS.match(line[column - 1 :]):
        return "an invisible character stands there: delete it"
    if re.search(r'"[^"]*\\', line) and "string" in message:
        return PATHS
    return _advice(_TOML_MISTAKES, message, line, line[column - 1 :])


def json_advice(text: str, message: str, position: int) -> str:
    """What would be right where a JSON text goes wrong, by Python's message; empty where it is not plain.

    >>> json_advice("{'rules': 1}", "Expecting property name enclosed in double quotes", 1)
    'write " for \\''
    >>> json_advice('{"at": [1, 2,]}', "Expecting value", 13)
    'leave out the comma before ]'
    """
    if text[position : position + 1] == "\n" and "control" in message:
        return 'close the text with "'
    if _INVISIBLE_CHARACTERS.match(text[position:]):
        return "an invisible character stands there: delete it"
    return _advice(_JSON_MISTAKES, message, text[:position], text[position:])


# ---- documents

MAX_DOCUMENT_BYTES = 16 * 1024**2
MAX_DOCUMENT_LEVELS = 16  # levels of tables and lists in each other; a scene needs six
MAX_VALUES = 1_000_000  # tables, lists, texts and numbers in one document; a map of 100,000 hexes has half of it
MAX_KEY_LENGTH = 200  # letters of a key
MAX_TEXT_LENGTH = 10_000  # letters of a name, a title or any other text
MAX_ENTRIES = {
    **dict.fromkeys(("terrain", "fighter", "vehicle", "character", "object", "creature"), 2_000),
    **dict.fromkeys(("unit", "cover"), 500),
    "parts": 2_000,
    "polygon": 2_000,
    "insignificant": 500,
    "cells": 256,
}
"""Entries of a list, by its key: many times what a table has, and few enough to be judged in seconds."""
MAX_SCENE_SOLIDS = 10_000  # solids of all pieces together
BYTE_ORDER_MARK = "\ufeff"  # what some editors write at the beginning of a file in UTF-8

# JSON can spell one half of a character beyond U+FFFF, which no text can hold alone.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

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
            in some line, or has too many values or levels (`MAX_DOCUMENT_LEVELS`, `MAX_VALUES`).
    """
    if path.suffix.lower() not in (".toml", ".json"):
        if not os.path.lexists(path):
            raise missing(path)
        raise FileError(path, f"'{path.suffix}' is no known ending; scene and model files end in .toml or .json")
    return document_of(path, read_text(path))


def document_of(path: Path, text: str) -> dict[str, Any]:
    """The content that the text of a scene or model file has, by its ending TOML or JSON."""
    document: object
    try:
        if path.suffix.lower() == ".json":
            document = json.loads(text, object_pairs_hook=_table)
        else:
            _check_depth(text)
            document = tomllib.loads(text)
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
    except _DocumentRefusal as refused:
        raise FileError(path, str(refused)) from None
    except ValueError:
        raise FileError(
            path, "a value cannot be read: a number has too many digits, or a date does not exist"
        ) from None
    if not isinstance(document, dict):
        raise FileError(path, "holds no table of keys; it must be an object, { ... }")
    return document


def read_text(path: Path, *, with_mark: bool = False) -> str:
    """The text of a scene or model file; ``with_mark`` with its byte order mark; errors as `read_document`."""
    content = read_file(path, MAX_DOCUMENT_BYTES)
    try:
        return content.decode("utf-8" if with_mark else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileError(path, f"not UTF-8 text in line {line}; save it as UTF-8") from None


def check_document(path: Path, document: object) -> None:
    """Refuses a document that could not be read again from its file: too large, too deep, or with too long texts."""
    try:
        _check_size(document)
    except _DocumentRefusal as refused:
        raise FileError(path, str(refused)) from None


_TOO_DEEP = f"its tables lie too deep in each other; {MAX_DOCUMENT_LEVELS} levels are the most, and a scene needs six"


class _DocumentRefusal(ValueError):
    """The refusal of a document, in plain words."""


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
        if max(depth, dots) >= 2 * MAX_DOCUMENT_LEVELS:
            raise _DocumentRefusal(_TOO_DEEP)


def _check_size(document: object) -> None:
    """Refuses a document with too many values, levels, or too long keys."""
    level, depth, values, parts = [document], 0, 0, 0
    while level:
        depth += 1
        values += len(level)
        if depth > MAX_DOCUMENT_LEVELS + 1:
            raise _DocumentRefusal(_TOO_DEEP)
        if values > MAX_VALUES:
            raise _DocumentRefusal(f"holds more than {MAX_VALUES} values; split it into several files")
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
        if parts > MAX_SCENE_SOLIDS:
            raise _DocumentRefusal(
                f"holds {parts} solids in parts; {MAX_SCENE_SOLIDS} are the most: make a mesh of them"
            )
        level = inner


def _check_text(text: str) -> None:
    if len(text) > MAX_TEXT_LENGTH:
        raise _DocumentRefusal(f"the text '{text[:40]} ...' has {len(text)} letters; {MAX_TEXT_LENGTH} are the most")
    half = _LONE_SURROGATE.search(text)
    if half:
        raise _DocumentRefusal(f"\\u{ord(half[0]):x} is only half of a character; write the character itself")


def _check_table(table: dict[str, object]) -> None:
    longest = max(table, key=len, default="")
    if len(longest) > MAX_KEY_LENGTH:
        raise _DocumentRefusal(
            f"the key '{longest[:40]} ...' has {len(longest)} letters; {MAX_KEY_LENGTH} are the most"
        )
    for key in table:
        _check_text(key)
    for key in table.keys() & MAX_ENTRIES.keys():
        entries = table[key]
        if isinstance(entries, list) and len(entries) > MAX_ENTRIES[key]:
            raise _DocumentRefusal(f"{key} has {len(entries)} entries; {MAX_ENTRIES[key]} are the most")


def parsed_json(data: bytes) -> object:
    """The JSON of a mesh file, such as glTF's, which may hold millions of letters but no more than `MAX_VALUES`.

    Raises ValueError if it is no JSON in UTF-8, or is too deep or too wide; the text says so in plain words.
    """
    if sum(data.count(mark) for mark in (b"{", b"[", b",")) > MAX_VALUES:
        raise ValueError(f"it holds more than {MAX_VALUES} values")
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


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise _DocumentRefusal(f"the key '{twice[:MAX_KEY_LENGTH]}' stands twice in one table; keep one of them")
    return table


def _as_in_the_file(names: re.Match[str]) -> str:
    tables = re.findall(r"'([^']*)'", names[1])
    return f"[{'.'.join(tables)}]"


def _plain(message: str) -> str:
    """A parser's message as part of a sentence; tables as the file spells them.

    >>> _plain("Cannot declare ('fighter', 'at') twice (at line 3, column 9)")
    'cannot declare [fighter.at] twice (at line 3, column 9)'
    """
    names = re.sub(r"\(('[^()]*',?)\)", _as_in_the_file, message)
    return names[:1].lower() + names[1:]
