"""JUDGE: the list of rule systems, and what they take and give. A new one is a folder here and a line in `RULES`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from silhouette.common.errors import RequestError
from silhouette.common.text import did_you_mean
from silhouette.files.reading import file_named
from silhouette.files.schema import Location
from silhouette.rules.base import Rule, Verdict
from silhouette.scenes.scene import rules_of

__all__ = ["DEFAULT_GAME", "RULES", "is_game_file", "rule_called", "rule_named", "rule_of"]
BY_DATA = "silhouette.rules.data"  # package of the games that are files: each ``NAME.toml`` in its folder, with _ for -

# By the name that the key ``rules`` of a scene takes: the package that has the system as ``RULE``, imported when asked.
RULES: dict[str, str] = {
    "crisis-protocol": "silhouette.rules.crisis_protocol",
    "ikosa": "silhouette.rules.ikosa",
    "necromunda": "silhouette.rules.necromunda",
    "skirmishcorps": "silhouette.rules.skirmishcorps",
    "tide-of-iron": "silhouette.rules.tide_of_iron",
    **{file.stem.replace("_", "-"): BY_DATA for file in sorted(Path(__file__).parent.glob("data/*.toml"))},
}

GAME_FILE = ".toml"  # the ending of a game file, by which a scene's ``rules`` is known to be its path
DEFAULT_GAME = "necromunda"  # the game of a first scene for which none is named


def rule_called(name: str, called: str | None = None) -> Rule[Any, Verdict]:
    """The rule system of a name in `RULES`, or of the path of a game file, which first scenes call ``called``.
    FileError where there is no such game file, or something is wrong with it.

    >>> rule_called("ikosa").title
    'Ikosa Framework'
    """
    package = RULES.get(name, BY_DATA)
    module = import_module(package)
    rule: Rule[Any, Verdict] = module.rule_called(name, called) if package == BY_DATA else module.RULE
    return rule


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


def rule_of(path: Path, document: Mapping[str, Any]) -> Rule[Any, Verdict]:
    """The rule system that a scene's document, read from a path, names. FileError where it names none, or one that is
    not known, or a game file, seen from the scene's folder, that is none.

    >>> rule_of(Path("duel.toml"), {"rules": "necromunda"}).title
    'Necromunda'
    >>> rule_of(Path("duel.toml"), {})
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: duel.toml: rules is missing; it must be one of ..."necromunda"...
    """
    rules = document.get("rules")
    if isinstance(rules, str) and is_game_file(rules):
        return rule_called(str(file_named(Location(path), "rules", rules)))
    return rule_called(rules_of(path, document, list(RULES)))
