"""The command line, rule systems: printing of ``silhouette rules``."""

from __future__ import annotations

from typing import Annotated

import typer

from silhouette.cli.completion import complete_rules
from silhouette.cli.games import rule_named
from silhouette.cli.options import AsJson, ExitStatus
from silhouette.cli.tables import game_report, rules_report
from silhouette.cli.terminal import show, show_json
from silhouette.errors import RequestError
from silhouette.files.reading import example
from silhouette.rules import RULES, rule_called
from silhouette.rules.data.game import Game
from silhouette.rules.data.rule import GameRule
from silhouette.rules.data.telling import told

Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="A game that is a file: its name, or its path.", autocompletion=complete_rules),
]


def rules(name: Name = None, as_json: AsJson = False) -> int:
    """List the rule systems and what each reads; with a NAME, the clauses of a game that is a file, in plain words."""
    if name is not None:
        return _tell_game(name, as_json=as_json)

    systems = [
        {"name": rule.name, "title": rule.title, "reads": list(rule.reads), "example": str(example(rule.example))}
        for rule in map(rule_called, RULES)
    ]
    if as_json:
        show_json({"rules": systems})
    else:
        show(*rules_report(systems))
    return ExitStatus.OK


def _tell_game(name: str, *, as_json: bool) -> int:
    """Prints the clauses of one game."""
    content = told(_game(name))
    if as_json:
        show_json({"rules": name, **content})
    else:
        show(*game_report(content))
    return ExitStatus.OK


def _game(name: str) -> Game:
    """The game of a name or of the path of its file.

    Raises:
        RequestError: where no game has the name, or it is no file.
        FileError: where the file is no game.
    """
    rule = rule_named(name)
    if not isinstance(rule, GameRule):
        raise RequestError(f"{name} is no file: its rules are written in Python; silhouette rules lists all games")
    return rule.game
