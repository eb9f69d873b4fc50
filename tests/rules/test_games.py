"""A game is a folder and a line: nothing outside its folder and the list of rule systems names it.

Two things may: the public names, one for each game's verdict, and examples: doctests, and paths of example scenes.
"""

from __future__ import annotations

import ast
import doctest
import io
import re
import tokenize
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import silhouette
from silhouette.rules import BY_DATA, RULES, rule_called
from silhouette.rules.base import Level, Verdict
from tests.support.sources import PACKAGE
from tests.test_layers import modules

FOLDERS = sorted(
    name.replace("-", "_") if package == BY_DATA else package.rpartition(".")[2] for name, package in RULES.items()
)
"""What the games are called in names of folders; of those that are files, in the names of these."""

LISTS = {"__init__", "rules"}
"""The modules that hold the public names, and the list of rule systems."""

EXAMPLE = re.compile(r"(scenes/)(\w+)(/\w+\.toml)")


@cache
def spellings() -> list[str]:
    """Every game, in small letters, as code, prose or a scene may spell it: "tide_of_iron", "tide-of-iron"."""
    parts = [folder.split("_") for folder in FOLDERS]
    return [joint.join(words) for words in parts for joint in dict.fromkeys(("_", "-", " ", ""))]


def without_examples(docstring: str) -> str:
    """A docstring without its doctests and what they print."""
    for example in doctest.DocTestParser().get_examples(docstring):
        for line in (*example.source.splitlines(), *example.want.splitlines()):
            docstring = docstring.replace(line, "", 1)
    return docstring


def words_of(file: Path) -> set[tuple[int, str]]:
    """Names, strings and comments of a module, with the number of their lines; docstrings without their examples."""
    return _words_in(file.read_text(encoding="utf-8"))


@cache
def _words_in(text: str) -> set[tuple[int, str]]:
    strings = (
        (node.lineno, without_examples(node.value))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    names = ((one.start[0], one.string) for one in tokens if one.type in (tokenize.NAME, tokenize.COMMENT))
    return {*strings, *names}


def namings(file: Path) -> list[str]:
    """Where a module names a game: the number of the line and the words."""
    whole, found = file.read_text(encoding="utf-8").lower(), list[str]()
    if not any(all(part in whole for part in folder.split("_")) for folder in FOLDERS):
        return []
    for number, words in words_of(file):
        plain = EXAMPLE.sub(r"\1\3", words).lower()
        found += [f"{number}: {spelling}" for spelling in spellings() if spelling in plain]
    return sorted(set(found))


def outside() -> list[str]:
    """The modules that may name no game."""
    games = tuple(f"rules.{folder}" for folder in FOLDERS)
    return [
        name
        for name in modules()
        if name not in LISTS and not f"{name}.".startswith(tuple(f"{game}." for game in games))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("module", outside())
def test_nothing_outside_a_game_names_it(module: str) -> None:
    assert namings(modules()[module]) == []


def test_a_module_that_names_a_game_is_found(tmp_path: Path) -> None:
    file = tmp_path / "some.py"
    for text in (
        "import silhouette.rules.ikosa",
        "x = 'tide-of-iron'",
        "# as in Necromunda",
        "class OfSkirmishCorps: ...",
    ):
        file.write_text(f"{text}\n", encoding="utf-8")
        assert len(namings(file)) >= 1, text
    file.write_text(
        'PATH = "scenes/ikosa/a.toml"\n\ndef f():\n    """It.\n\n    >>> f("ikosa")\n    \'ikosa\'\n    """\n'
    )
    assert namings(file) == []


def test_no_verdict_s_word_stands_in_a_table_outside_the_games() -> None:
    """The words of two parts or more, which say nothing else; "open" and "hidden" are words of any text."""
    words = {word for name in RULES for word in rule_called(name).levels if " " in word}
    anyhow = re.compile("|".join(r"[\s\"'\\]+".join(word.split()) for word in words))  # also written in two pieces
    for module in outside():
        if anyhow.search(modules()[module].read_text(encoding="utf-8")):
            assert not {text for _, text in words_of(modules()[module])} & words, module


@pytest.mark.parametrize("name", RULES)
def test_a_game_says_what_it_is(name: str) -> None:
    rule = rule_called(name)
    assert rule.name == name
    assert (PACKAGE.parent / rule.example).is_file()
    folder = RULES[name].rpartition(".")[2] if RULES[name] != BY_DATA else name.replace("-", "_")
    assert f"/{folder}/" in rule.example
    assert set(rule.levels.values()) >= {Level.CLEAR, Level.BLOCKED}
    assert [list(Level).index(level) for level in rule.levels.values()] == sorted(
        list(Level).index(level) for level in rule.levels.values()
    )


def verdict_types() -> list[type[Verdict]]:
    """The verdicts of all games, as the package exports them."""
    members = [getattr(silhouette, name) for name in silhouette.__all__ if name.endswith("Verdict")]
    return [member for member in members if member is not Verdict and member.__module__.startswith("silhouette.rules.")]


def test_every_game_exports_the_type_of_its_verdicts() -> None:
    homes = {member.__module__.split(".")[2] for member in verdict_types()}
    assert homes - {"base"} == {package.rpartition(".")[2] for package in RULES.values()}


@pytest.mark.parametrize("member", verdict_types(), ids=lambda member: member.__name__)
def test_no_verdict_goes_without_a_level(member: Any) -> None:
    (level,) = (field for field in fields(member) if field.name == "level")
    assert level.default is MISSING
