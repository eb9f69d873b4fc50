"""The pages about game files: their tables have all that the code has, and their example is a game."""

from __future__ import annotations

import re
from pathlib import Path

from silhouette.rules.data.entries import ClauseEntry, GameEntry, ReadingEntry, VerdictEntry
from silhouette.rules.data.game import read_game
from silhouette.rules.data.kinds import ATTRIBUTES, BUILTIN_NAMES, PRIMITIVES
from tests.support.game_language import keys, language

PAGE = Path(__file__).resolve().parents[3] / "silhouette" / "rules" / "data" / "README.md"


def test_every_key_and_word_of_a_game_file_has_a_row_with_its_meaning() -> None:
    """The manual shows the rows in language.md."""
    rows = re.findall(r"^\| `(\w+)(.*) \| (.*\w.*) \|$", language() + keys(), re.MULTILINE)
    entries = (GameEntry, ClauseEntry, VerdictEntry, ReadingEntry)
    fields = [name for entry in entries for name in entry.model_fields]
    assert sorted(name for name, *_ in rows) == sorted([*BUILTIN_NAMES, *ATTRIBUTES, *PRIMITIVES, *fields])


def test_the_example_is_a_game(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    (tmp_path / "mine.toml").write_text(example[1])
    assert [ruling.name for ruling in read_game(tmp_path / "mine.toml").rulings] == ["hidden", "cover", "open"]
