"""The sentences of a game's source text, and the table that says of each where it is implemented and what tests it.

The table of a game is ``tests/rules/<game>/sentences.toml``; `tests/rules/test_sentences.py` holds it to the text,
where that is at hand, and to the code. An entry is a sentence with

- ``rules``: the numbers of the specification that it is about, ``where``: the functions that do what it says,
  ``tests``: tests and example scenes that hold them to it, ``readings``: the keys of ``[readings]`` that choose how it
  is read;
- or ``no_rule``: why there is nothing to implement.

``note`` is what else there is to say. Paths are seen from the game's folder in ``silhouette/rules``, in ``tests/rules``
and, of scenes, in ``scenes``.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

TEXTS = {
    "crisis_protocol": "000_d08d7f15325fb3cc.txt",
    "skirmishcorps": "001_a740769cefc4ef67.txt",
    "ikosa": "002_14ce4a84e1119483.txt",
    "tide_of_iron": "003_b256589f75897639.txt",
    "necromunda": "004_fe327ab7e4c0bb77.txt",
}
"""The source text of each game, in ``../shared/rules/sources``."""

_MARKER = re.compile(r"(•|[0-9]+\.)\s+")
_END = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][”’\")]))\s+(?=[A-Z0-9“‘\"(])")


@dataclass(frozen=True)
class Sentence:
    """An entry of a table."""

    text: str
    rules: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    no_rule: str = ""
    note: str = ""


def table_of(game: str) -> list[Sentence]:
    """The table of a game, by the name of its folder."""
    text = (PROJECT / "tests" / "rules" / game / "sentences.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["sentence"]
    return [
        Sentence(**{key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()})
        for entry in entries
    ]


def sentences_of(text: str) -> list[str]:
    """The sentences, headings and items of lists of a text, in their order, without the marks of lists.

    >>> sentences_of("COVER\\nA unit hides. It is\\nsafe.\\n\\n  1. Is it?  Yes, by 3. 3D6 are rolled.\\n")
    ['COVER', 'A unit hides.', 'It is safe.', 'Is it?', 'Yes, by 3.', '3D6 are rolled.']
    """
    lines, is_new = list[str](), True
    for line in text.splitlines():
        words = _MARKER.sub("", line.strip(), count=1) if _MARKER.match(line.strip()) else line.strip()
        if words and words[0].islower() and not is_new:
            lines[-1] += f" {words}"
        elif words:
            lines.append(words)
        is_new = not words
    return [sentence for line in lines for sentence in _END.split(line)]


@cache
def names_in(file: Path) -> frozenset[str]:
    """The functions, classes and constants of a module, and the members of its classes as ``Class.member``."""
    return frozenset(_names(ast.parse(file.read_text(encoding="utf-8")), ""))


def _names(node: ast.AST, prefix: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.ClassDef(name=name):
                yield prefix + name
                yield from _names(child, f"{prefix}{name}.")
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield prefix + name
            case ast.Assign(targets=targets):
                yield from (prefix + target.id for target in targets if isinstance(target, ast.Name))
