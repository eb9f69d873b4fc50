"""JUDGE: the list of rule systems, and what they take and give. A new one is a folder here and a line in `RULES`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from silhouette.rules.base import Rule, Verdict
from silhouette.scenes.scene import rules_of

__all__ = ["FIRST", "RULES", "rule_called", "rule_of"]

# By the name that the key ``rules`` of a scene takes: the package that has the system as ``RULE``, imported when asked.
RULES: dict[str, str] = {
    "crisis-protocol": "silhouette.rules.crisis_protocol",
    "ikosa": "silhouette.rules.ikosa",
    "necromunda": "silhouette.rules.necromunda",
    "skirmishcorps": "silhouette.rules.skirmishcorps",
    "tide-of-iron": "silhouette.rules.tide_of_iron",
}

FIRST = "necromunda"
"""The game of a first scene for which none is named."""


def rule_called(name: str) -> Rule[Any, Verdict]:
    """The rule system of a name in `RULES`.

    >>> rule_called("ikosa").title
    'Ikosa Framework'
    """
    rule: Rule[Any, Verdict] = import_module(RULES[name]).RULE
    return rule


def rule_of(path: Path, document: Mapping[str, Any]) -> Rule[Any, Verdict]:
    """The rule system that a scene's document names.

    Args:
        path: of the scene, for messages.
        document: its content, as from `silhouette.files.documents.read_document`.

    Raises:
        FileError: where it names none, or one that is not known.

    >>> rule_of(Path("duel.toml"), {"rules": "necromunda"}).title
    'Necromunda'
    >>> rule_of(Path("duel.toml"), {})
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: duel.toml: rules is missing; it must be one of ..."necromunda"...
    """
    return rule_called(rules_of(path, document, list(RULES)))
