"""The command line, games: the rule system that a user names, by its name or by the path of its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from silhouette.errors import RequestError
from silhouette.rules import GAME_FILE, RULES, rule_called
from silhouette.rules.base import Rule, Verdict
from silhouette.text import did_you_mean


def is_game_file(name: str) -> bool:
    """Whether a name is the path of a game file.

    >>> is_game_file("games/mine.toml"), is_game_file("necromunda")
    (True, False)
    """
    return name.lower().endswith(GAME_FILE)


def rule_named(name: str, called: str | None = None) -> Rule[Any, Verdict]:
    """The rule system of a name, or of the path of a game file.

    Args:
        name: the name, or the path.
        called: how first scenes call a game file; by default by that path.

    Raises:
        RequestError: where no game has the name, or there is no such file.
        FileError: where the file is no game.
    """
    if is_game_file(name) and not Path(name).is_file():
        raise RequestError(f"{name}: there is no such file; give the path of a game file")
    if name not in RULES and not is_game_file(name):
        raise RequestError(f"no rules '{name}'; {did_you_mean(name, RULES, 'the games are')}")
    return rule_called(name, called)
