"""Every sentence of the five source texts is in its game's table, and what the table names is there.

A table is compared with its text only where ``../shared`` is at hand; the rest is checked anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from silhouette.files.documents import read_document
from silhouette.rules import rule_called
from tests.support.sentences import PROJECT, TEXTS, Sentence, names_in, sentences_of, table_of

GAMES = sorted(TEXTS)


def rules_of(game: str) -> str:
    """The name of a game, as scenes have it."""
    return game.replace("_", "-")


@pytest.mark.parametrize("game", GAMES)
def test_no_sentence_of_a_text_is_lost(game: str, shared: Path) -> None:
    text = (shared / "rules/sources" / TEXTS[game]).read_text(encoding="utf-8")
    assert [entry.text for entry in table_of(game)] == sentences_of(text)


@pytest.mark.parametrize("game", GAMES)
def test_each_sentence_says_where_it_is_implemented_and_tested_or_why_not(game: str) -> None:
    for entry in table_of(game):
        if entry.no_rule:
            assert not any((entry.rules, entry.where, entry.tests, entry.readings)), entry.text
        else:
            assert entry.rules, entry.text
            assert entry.where, entry.text
            assert entry.tests, entry.text


def missing(game: str, entry: Sentence) -> Iterator[str]:
    """What an entry names and is not there."""
    for place in entry.where:
        file, _, name = place.partition(": ")
        if name not in names_in(PROJECT / "silhouette/rules" / game / file):
            yield place
    for place in entry.tests:
        file, _, name = place.partition(": ")
        if not name:
            path = PROJECT / "scenes" / game / file
            if not path.is_file() or not read_document(path)["check"]:
                yield place
        elif name not in names_in(PROJECT / "tests/rules" / game / file):
            yield place
    readings = rule_called(rules_of(game)).readings_entry
    assert readings is not None
    yield from (key for key in entry.readings if key not in readings.model_fields)


@pytest.mark.parametrize("game", GAMES)
def test_what_a_sentence_names_is_there(game: str) -> None:
    assert [(entry.text, place) for entry in table_of(game) for place in missing(game, entry)] == []


@pytest.mark.parametrize("game", GAMES)
def test_each_reading_belongs_to_a_sentence(game: str) -> None:
    """But for such as no sentence leads to: a number of graded cover that the author added later."""
    readings = rule_called(rules_of(game)).readings_entry
    assert readings is not None
    named = {key for entry in table_of(game) for key in entry.readings}
    assert set(readings.model_fields) - named == ({"graded_cover"} if game == "ikosa" else set())


def test_a_sentence_that_is_lost_or_changed_is_noticed(shared: Path) -> None:
    text = (shared / "rules/sources" / TEXTS["ikosa"]).read_text(encoding="utf-8")
    entries = [entry.text for entry in table_of("ikosa")]
    for start in ("For instance, melee cover", "When edge to edge, 6 and 6"):
        assert entries != sentences_of(text.replace(start, f"{start} perhaps"))
        assert entries != sentences_of(text.replace(start, ""))
