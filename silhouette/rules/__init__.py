"""Rule systems: from measured silhouettes to verdicts. A new one is a file beside this one, and its name in `RULES`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from silhouette.rules.base import Rule
from silhouette.scenes.scene import rules_of

__all__ = ["RULES", "rule_of"]


def _crisis_protocol() -> Rule[Any]:
    from silhouette.rules.crisis_protocol.judge import CRISIS_PROTOCOL

    return CRISIS_PROTOCOL


def _ikosa() -> Rule[Any]:
    from silhouette.rules.ikosa.judge import IKOSA

    return IKOSA


def _necromunda() -> Rule[Any]:
    from silhouette.rules.necromunda.judge import NECROMUNDA

    return NECROMUNDA


def _skirmishcorps() -> Rule[Any]:
    from silhouette.rules.skirmishcorps import SKIRMISHCORPS

    return SKIRMISHCORPS


def _tide_of_iron() -> Rule[Any]:
    from silhouette.rules.tide_of_iron.judge import TIDE_OF_IRON

    return TIDE_OF_IRON


# The one list of rule systems, by the name that the key ``rules`` of a scene takes; each is imported when it is asked.
RULES: dict[str, Callable[[], Rule[Any]]] = {
    "crisis-protocol": _crisis_protocol,
    "ikosa": _ikosa,
    "necromunda": _necromunda,
    "skirmishcorps": _skirmishcorps,
    "tide-of-iron": _tide_of_iron,
}


def rule_of(path: Path, document: Mapping[str, Any]) -> Rule[Any]:
    """The rule system that a scene's document names.

    Args:
        path: of the scene, for messages.
        document: its content, as from `silhouette.scenes.scene.read_document`.

    Raises:
        FileError: where it names none, or one that is not known.

    >>> rule_of(Path("duel.toml"), {"rules": "necromunda"}).title
    'Necromunda'
    >>> rule_of(Path("duel.toml"), {})
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: duel.toml: rules is missing; it must be one of ..."necromunda"...
    """
    return RULES[rules_of(path, document, list(RULES))]()
