"""The words of identifiers: the glossary of CONTRIBUTING.md has them, and no name is for two things."""

from __future__ import annotations

import ast
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.test_layers import PACKAGE

NAMELESS = frozenset({"alike", "asked", "found", "kept", "known", "loose", "one", "said", "settle", "told", "wanted"})
"""Words that no identifier is: they say that something was done to a thing, and not what thing it is."""

QUOTED = {("batches/run.py", "kept"), ("cli/tables.py", "kept"), ("pages/tutorial/parts.py", "known")}
"""Where such a word is a key of JSON, or of the tutorial's texts."""

PARALLEL = frozenset(
    {
        # One in the module of each game, read by whoever has the game: it means the same in all of them.
        "DRAWING", "LEVELS", "NAME", "OTHERWISE", "PHRASES", "REMARK", "VERDICTS",
        # The entries of each game's scene files; their names stand in the schemas that `silhouette schema` prints.
        "CheckEntry", "Readings", "UnitEntry",
        # What the package exports is the scene of an earlier room, with methods.
        "Scene",
    }
)  # fmt: skip
"""Names of constants and classes that several modules may define."""


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


@pytest.mark.slow
def test_no_identifier_is_a_word_that_names_no_thing() -> None:
    used = {
        (source.relative_to(PACKAGE).as_posix(), name)
        for source in sources()
        for name in identifiers(source)
        if name in NAMELESS
    }
    assert used == QUOTED


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1], ids=["constants", "classes"])
def test_no_name_is_a_constant_or_class_of_several_modules(number: int) -> None:
    modules: dict[str, list[str]] = defaultdict(list)
    for source in sources():
        for name in definitions(source)[number] - PARALLEL:
            modules[name].append(source.relative_to(PACKAGE).as_posix())
    assert {name: places for name, places in modules.items() if len(places) > 1} == {}
