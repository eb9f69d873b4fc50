"""The command line, rule systems: printing of ``silhouette rules``."""

from __future__ import annotations

from silhouette.cli.options import AsJson, ExitStatus
from silhouette.cli.terminal import show, show_json


def rules(as_json: AsJson = False) -> int:
    """List the rule systems and what each reads."""
    from silhouette.cli.tables import rules_report
    from silhouette.files.examples import example
    from silhouette.rules import RULES, rule_called

    systems = [
        {"name": rule.name, "title": rule.title, "reads": list(rule.reads), "example": str(example(rule.example))}
        for rule in map(rule_called, RULES)
    ]
    if as_json:
        show_json({"rules": systems})
    else:
        show(*rules_report(systems))
    return ExitStatus.OK
