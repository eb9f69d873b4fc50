"""The words of identifiers: the glossary of CONTRIBUTING.md has them, and no name is for two things.

What was there before the glossary is counted here, and may only become less: a change that adds one fails, and one that
takes some away lowers the number.
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

PRIVATE = Counter(
    alike=43, asked=134, found=701, kept=160, known=299, loose=11, one=498, said=25, settle=17, told=30, wanted=102
)
"""Identifiers that are such a word, at most: they say that something was done to a thing, and not what thing it is."""

SHARED_CONSTANTS = 282
"""Names that are constants of several modules, at most."""

SHARED_CLASSES = 72
"""Names that are classes of several modules, at most."""


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
def test_no_more_identifiers_are_words_that_name_no_thing() -> None:
    used = Counter(name for source in sources() for name in identifiers(source) if name in PRIVATE)
    assert {word: count for word, count in used.items() if count > PRIVATE[word]} == {}


@pytest.mark.slow
def test_no_more_names_are_constants_or_classes_of_several_modules() -> None:
    modules: tuple[dict[str, int], dict[str, int]] = defaultdict(int), defaultdict(int)
    for source in sources():
        for counted, names in zip(modules, definitions(source), strict=True):
            for name in names:
                counted[name] += 1
    constants, classes = ([name for name, count in counted.items() if count > 1] for counted in modules)
    assert len(constants) <= SHARED_CONSTANTS, sorted(constants)
    assert len(classes) <= SHARED_CLASSES, sorted(classes)
