"""The command line, rule systems: ``silhouette rules``."""

from __future__ import annotations

from silhouette.cli.commands import RulesOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.tables import game_report, rules_report
from silhouette.cli.terminal import show_result
from silhouette.common.errors import RequestError
from silhouette.files.reading import example
from silhouette.rules import RULES, rule_called, rule_named
from silhouette.rules.data.game import Game
from silhouette.rules.data.rule import GameRule
from silhouette.rules.data.telling import in_plain_words


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
