"""The pages about game files: their tables are those of the code, and their example is a game."""

from __future__ import annotations

import re
from pathlib import Path

from silhouette.rules.data.game import read_game
from tests.support.game_language import PAGE, made


def test_the_tables_are_those_of_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == made()


def test_the_example_is_a_game(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", PAGE.with_name("README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    (tmp_path / "mine.toml").write_text(example[1])
    assert [ruling.name for ruling in read_game(tmp_path / "mine.toml").rulings] == ["hidden", "cover", "open"]
