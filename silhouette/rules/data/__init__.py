"""JUDGE: games by data: a game file says in conditions what a game of its own folder says in Python."""

from __future__ import annotations

from pathlib import Path

from silhouette.rules.data.rule import GameRule, rule_at

__all__ = ["rule_called"]


def rule_called(name: str, called: str | None = None) -> GameRule:
    """The rule system of a game that ships, by name, or of a game file, by path. FileError where it is no game."""
    if name.endswith(".toml"):
        return rule_at(Path(name), called)
    return rule_at(Path(__file__).parent / f"{name.replace('-', '_')}.toml", name)
