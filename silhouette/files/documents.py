"""Documents: a TOML or JSON file becomes a table of keys and values, or one line that says where the mistake is.

bytes -> text -> table, no larger or deeper than a document may be
a parser's message and place -> the line it stands in -> the first usual mistake that fits -> what would be right

The other way, `toml` and `toml_key` write values and keys for scenes that people read and edit.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from silhouette.errors import FileError
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


def toml_key(key: str) -> str:
    """A key, in quotes where it has other signs than letters, digits, - and _.

    >>> toml_key("thin-part_2"), toml_key("a b"), toml_key("")
    ('thin-part_2', '"a b"', '""')
    """
    is_bare = key.isascii() and key.replace("-", "a").replace("_", "a").isalnum()
    return key if is_bare else toml(key)


# ---- the usual mistakes

PATHS = "write / in paths, or put the path in '...'"
"""Advice about the backslash of Windows paths."""

_QUOTES = str.maketrans(dict.fromkeys("\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}„«»", '"'))

_LINE_ENDS = "save it with the line ends of Windows or Unix"
_INVISIBLE = re.compile(
    r"[^\S \t\n\r]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)

_MESSAGES: tuple[tuple[str, Callable[[str, str], str]], ...] = (
    (r"character '\\r'", lambda line, rest: _LINE_ENDS),
    (r"scalar value", lambda line, rest: "write the character itself"),
    (r"invalid date", lambda line, rest: "put a date in quotes, as a text"),
    (r"initial character", lambda line, rest: "a name is missing here: between [[ and ]], or after a point or a comma"),
    (r"duplicate inline", lambda line, rest: "each key stands once in a table"),
    (r"expected \"'''\"", lambda line, rest: "close the text with '''"),
    (r"redefine", lambda line, rest: "write each table once"),
    (r"unescaped '\\'|invalid hex|illegal character '\\\\'", lambda line, rest: PATHS),
    (r"illegal character '\\n'|unterminated string", lambda line, rest: 'close the text with "'),
    (r"expected \"'\"", lambda line, rest: "close the text with '"),
    (r"cannot (overwrite|declare|mutate)", lambda line, rest: _repeated(line)),
    (r"expected '\]\]?' at the end", lambda line, rest: "write [[...]] with as many ] as ["),
    (r"expected '=' after", lambda line, rest: _no_equals(line)),
    (r"unclosed array", lambda line, rest: _no_comma(rest, "]")),
    (r"unclosed inline table", lambda line, rest: _no_comma(rest, "}")),
    (r"invalid value", lambda line, rest: _value(rest)),
    (r"expected newline", lambda line, rest: _after_value(line, rest)),
    (r"invalid statement", lambda line, rest: _statement(rest)),
)


def toml_advice(text: str, message: str) -> str:
    """What would be right where a TOML text goes wrong; empty where it is not plain.

    Args:
        text: the document.
        message: Python's message, which ends in its place, as "(at line 2, column 9)".

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
    if _INVISIBLE.match(line[column - 1 :]):
        return "an invisible character stands there: delete it"
    if re.search(r'"[^"]*\\', line) and "string" in message:
        return PATHS
    for pattern, advice in _MESSAGES:
        if re.search(pattern, message, flags=re.IGNORECASE):
            return advice(line, line[column - 1 :])
    return ""


def json_advice(text: str, message: str, position: int) -> str:
    """What would be right where a JSON text goes wrong; empty where it is not plain.

    Args:
        text: the document.
        message: Python's message.
        position: of the mistake in the text.

    >>> json_advice("{'rules': 1}", "Expecting property name enclosed in double quotes", 1)
    'write " for \\''
    >>> json_advice('{"at": [1, 2,]}', "Expecting value", 13)
    'leave out the comma before ]'
    """
    before, after = text[:position].rstrip(), text[position:].lstrip()
    if text[position : position + 1] == "\n" and "control" in message:
        return 'close the text with "'
    if _INVISIBLE.match(text[position:]):
        return "an invisible character stands there: delete it"
    if message.startswith("Extra"):
        return _json_after(after)
    if after.startswith("'"):
        return "write \" for '"
    if after[:1] in ("}", "]") and before.endswith(","):
        return f"leave out the comma before {after[0]}"
    if before.endswith(",") and text[position:].lstrip(", \n")[:1] in ("}", "]"):
        return f"leave out the comma before {text[position:].lstrip(', ')[0]}"
    if not after:
        return "the end of the file is missing"
    if after.startswith(("//", "#", "/*")):
        return "leave the comment out: JSON has none, TOML has"
    if message.startswith("Invalid \\"):
        return r"write / in paths, or \\"
    if message.startswith("Unterminated"):
        return 'close the text with "'
    if message.startswith("Expecting ',' delimiter"):
        return _json_comma(text[:position], after)
    if message.startswith("Expecting ':' delimiter"):
        return "put a colon between key and value"
    if re.match(r"(True|False|None)\b", after):
        return "write true, false or null"
    if after.startswith(","):
        return "leave out one comma"
    if after.startswith("("):
        return "write lists with [ ]"
    if re.match(r"[-+.]", after):
        return "write a number such as 0.5, 3 or -1"
    if re.match(r"[\w.-]+\s*=|\[\[", after) and not before:
        return "that is TOML: give the file the ending .toml"
    if after.translate(_QUOTES)[:1] == '"':
        return 'write straight quotes: "'
    if message.startswith("Expecting"):
        return 'put keys and texts in "quotes"'
    return ""


def _json_comma(before: str, after: str) -> str:
    """What would be right where a list or a table of JSON neither goes on nor ends."""
    if re.search(r"(?<![\w.])-?0$", before) and after[:1].isdigit():
        return "leave out the zeros before the number"
    if re.search(r"\d$", before) and after.startswith("."):
        return "write a digit on both sides of the point, such as 0.5"
    if after.startswith(("}", "]")):
        return "close the list with ]" if after[0] == "}" else "close the table with }"
    if re.search(r"[\w.]$", before) and re.match(r"[\w;]", after):
        return "write a plain number, such as 12.5, and a comma after it"
    return f"put a comma before {after[:1]}"


def _json_after(after: str) -> str:
    """What would be right where a JSON text goes on after its end."""
    if after.startswith(("//", "#", "/*")):
        return "leave the comment out: JSON has none, TOML has"
    return "leave out what comes after the last }; a file holds one object"


def _repeated(line: str) -> str:
    table = re.match(r"\s*\[([^\[\]]+)\]", line)
    if table:
        return f"write [[{table[1]}]] where there is one of several, each time"
    key = re.match(r"\s*([\w-]+)\s*=", line)
    if key:
        return f"'{key[1]}' stands there already: keep one, or begin another piece with [[...]]"
    return "each key stands once, and [[...]] begins each piece"


def _no_equals(line: str) -> str:
    colon = re.match(r"\s*([\w-]+)\s*:\s*(.*)", line)
    return f"write {colon[1]} = {colon[2]}".rstrip() if colon else "write key = value"


def _no_comma(rest: str, end: str) -> str:
    what = "the list" if end == "]" else "the table"
    if end == "}" and not rest.strip():
        return "write the table in one line, and close it with }"
    found = re.match(r"\s*([^\s,\]}]+)", rest)
    return f"put a comma before '{found[1]}', or close {what} with {end}" if found else f"close {what} with {end}"


def _value(rest: str) -> str:
    word = re.split(r"\s*[,\]}#]|\s+$", rest.strip())[0]
    if not word:
        return "a value is missing after ="
    if word.startswith("="):
        return "write one = alone"
    if word.startswith("\N{MINUS SIGN}"):
        return "write - for \N{MINUS SIGN}"
    plain = word.translate(_QUOTES)
    if plain != word:
        return f"write straight quotes: {plain}"
    if word.lower() in ("true", "false"):
        return f"write {word.lower()}"
    if re.fullmatch(r"\+?\.\d+|\+?\d+\.", word):
        return "write a digit on both sides of the point, such as 0.5"
    if word.startswith("("):
        return "write lists with [ ]"
    return f'put the text in quotes: "{word}"'


def _after_value(line: str, rest: str) -> str:
    if re.search(r"=\s*[-\d.]+\s*,", line):
        return "write a list as [x, y], and a decimal point as ."
    if re.match(r"\s*(mm|cm|inch(es)?|in|\"|°|deg\w*|%)", rest):
        return "leave the unit out: numbers stand alone"
    if re.match(r"\s*//", rest):
        return "begin a comment with #"
    if re.search(r"=\s*0\d", line):
        return "leave out the zeros before the number"
    if line.lstrip().startswith("["):
        return "write [[...]] with as many ] as ["
    if rest.lstrip().startswith(";"):
        return "leave out the ;"
    if re.search(r"=\s*(\"[^\"]*\"|'[^']*')\w", line) or rest.rstrip().endswith(('"', "'")):
        return "put a text that holds ' in \"...\", and one that holds \" in '...'"
    if re.search(r"=\s*[-+]?\d", line) and re.match(r"[\w.:]", rest):
        return "write a plain number, such as 12.5, or put the text in quotes"
    return "put each key on a line of its own, and text in quotes"


def _statement(rest: str) -> str:
    if rest.lstrip().startswith(("//", "/*", ";", "--")):
        return "begin a comment with #"
    if rest.lstrip().startswith(("{", "<")):
        return "write TOML: key = value, [[table]]"
    return "write key = value, or [[table]]"


# ---- documents

LARGEST_DOCUMENT = 16 * 1024**2
MAX_DOCUMENT_LEVELS = 16
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
            in some line, or has too many values or levels (`MAX_DOCUMENT_LEVELS`, `MOST_VALUES`).
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


_TOO_DEEP = f"its tables lie too deep in each other; {MAX_DOCUMENT_LEVELS} levels are the most, and a scene needs six"


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
        if max(depth, dots) >= 2 * MAX_DOCUMENT_LEVELS:
            raise _Refused(_TOO_DEEP)


def _check_size(document: object) -> None:
    """Refuses a document with too many values, levels, or too long keys."""
    level, depth, values, parts = [document], 0, 0, 0
    while level:
        depth += 1
        values += len(level)
        if depth > MAX_DOCUMENT_LEVELS + 1:
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
