"""The words of identifiers: the glossary of CONTRIBUTING.md has them, and no name is for two things.

What is left from before the glossary is counted here, and may only become less: a change that adds one fails, and one
that takes some away lowers the number.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.test_layers import PACKAGE

LATER_ROOMS = ("measure", "rules/data")
"""The rooms whose names are still from before the glossary; their numbers are counted apart."""

PRIVATE_OF_LATER_ROOMS = Counter(
    alike=5, asked=53, found=424, kept=14, known=84, loose=0, one=185, said=3, settle=0, told=3, wanted=44
)
"""Identifiers in `LATER_ROOMS` that are such a word, at most: they say that something was done to a thing, and not what
thing it is."""

PRIVATE_ELSEWHERE = Counter(found=1, kept=2, known=2, wanted=14)
"""Such identifiers outside, at most: what those rooms define, where it is imported, passed or overridden; and the names
``known`` in the texts of the tutorial and ``kept`` in the JSON of a batch."""

PARALLEL = frozenset(
    {
        # One in the module of each game, read by whoever has the game: it means the same in all of them.
        "DRAWING", "LEVELS", "NAME", "OTHERWISE", "PHRASES", "REMARK", "VERDICTS",
        # The entries of each game's scene files; their names stand in the schemas that `silhouette schema` prints.
        "CheckEntry", "Readings", "UnitEntry",
        # What the package exports is the scene of an earlier room, with methods.
        "Scene",
        # How exposed a target is: exported by the package. The levels of `LATER_ROOMS` are to have another name.
        "Level",
    }
)  # fmt: skip
"""Names of constants and classes that several modules may define."""

SHARED_OF_LATER_ROOMS = {"constants": 13, "classes": 2}
"""How many names are constants, or classes, of several modules of `LATER_ROOMS`, at most, but for `PARALLEL`."""


@cache
def sources() -> tuple[Path, ...]:
    """Every module of the package."""
    return tuple(sorted(PACKAGE.rglob("*.py")))


def identifiers(source: Path) -> Iterator[str]:
    """The names in the code of a file, each as often as it is used."""
    with tokenize.open(source) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type == tokenize.NAME:
                yield token.string.strip("_").lower()


def definitions(source: Path) -> tuple[set[str], set[str]]:
    """The names of the constants and of the classes of a module."""
    constants, classes = set[str](), set[str]()
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        constants |= {name.strip("_") for name in names if re.fullmatch(r"_?[A-Z][A-Z0-9_]+", name)}
        if isinstance(node, ast.ClassDef):
            classes.add(node.name.strip("_"))
    return constants, classes


def is_later(source: Path) -> bool:
    """Whether a module is in `LATER_ROOMS`."""
    return source.relative_to(PACKAGE).as_posix().startswith(tuple(f"{room}/" for room in LATER_ROOMS))


@pytest.mark.slow
@pytest.mark.parametrize(("later", "most"), [(True, PRIVATE_OF_LATER_ROOMS), (False, PRIVATE_ELSEWHERE)])
def test_no_more_identifiers_are_words_that_name_no_thing(later: bool, most: Counter[str]) -> None:
    rooms = [source for source in sources() if is_later(source) is later]
    used = Counter(name for source in rooms for name in identifiers(source) if name in PRIVATE_OF_LATER_ROOMS)
    assert {word: count for word, count in used.items() if count > most[word]} == {}


@pytest.mark.slow
@pytest.mark.parametrize(("number", "kind"), [(0, "constants"), (1, "classes")])
def test_no_more_names_are_constants_or_classes_of_several_modules(number: int, kind: str) -> None:
    modules: dict[str, list[Path]] = defaultdict(list)
    for source in sources():
        for name in definitions(source)[number]:
            modules[name].append(source)
    shared = {name: places for name, places in modules.items() if len(places) > 1 and name not in PARALLEL}
    later = {name for name, places in shared.items() if all(map(is_later, places))}
    assert sorted(shared.keys() - later) == []
    assert len(later) <= SHARED_OF_LATER_ROOMS[kind], sorted(later)
