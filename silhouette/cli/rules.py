"""The command line, rule systems: ``silhouette rules``, and the rule system that a user names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from silhouette.cli.commands import RulesOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.tables import game_report, rules_report
from silhouette.cli.terminal import show_result
from silhouette.common.errors import RequestError
from silhouette.common.text import did_you_mean
from silhouette.files.reading import example
from silhouette.rules import GAME_FILE, RULES, rule_called
from silhouette.rules.base import Rule, Verdict
from silhouette.rules.data.game import Game
from silhouette.rules.data.rule import GameRule
from silhouette.rules.data.telling import in_plain_words


def is_game_file(name: str) -> bool:
    """Whether a name is the path of a game file.

    >>> is_game_file("games/mine.toml"), is_game_file("necromunda")
    (True, False)
    """
    return name.lower().endswith(GAME_FILE)


def rule_named(name: str, called: str | None = None) -> Rule[Any, Verdict]:
    """The rule system of a name, or of the path of a game file, which first scenes call as ``called``, by default by
    that path.

    Raises RequestError if no game has the name, or there is no such file; FileError if the file is no game.
    """
    if is_game_file(name) and not Path(name).is_file():
        raise RequestError(f"{name}: there is no such file; give the path of a game file")
    if name not in RULES and not is_game_file(name):
        raise RequestError(f"no rules '{name}'; {did_you_mean(name, RULES, 'the games are')}")
    return rule_called(name, called)


def rules(given: RulesOptions) -> int:
    """Lists the rule systems, or tells of one."""
    if given.name is not None:
        content = in_plain_words(_game(given.name))
        show_result({"rules": given.name, **content}, *game_report(content), as_json=given.as_json)
        return ExitStatus.OK
    systems = [
        {"name": rule.name, "title": rule.title, "reads": list(rule.reads), "example": str(example(rule.example))}
        for rule in map(rule_called, RULES)
    ]
    show_result({"rules": systems}, *rules_report(systems), as_json=given.as_json)
    return ExitStatus.OK


def _game(name: str) -> Game:
    """The game of a name or of the path of its file; RequestError if there is none, FileError if the file is none."""
    rule = rule_named(name)
    if not isinstance(rule, GameRule):
        raise RequestError(f"{name} is no file: its rules are written in Python; silhouette rules lists all games")
    return rule.game
