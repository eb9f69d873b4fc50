"""The usual mistakes in TOML and JSON, in plain words: what a parser stumbled over, and what would be right.

a parser's message and place -> the line it stands in -> the first mistake that fits -> advice
"""

from __future__ import annotations

import re
from collections.abc import Callable

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
