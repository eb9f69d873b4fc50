"""DOUBT: where one sees another that does not see it: what the one has that the other has not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from silhouette.rules import rule_called
from silhouette.rules.base import Rule, Settings, Verdict
from silhouette.scenes.scene import Check, Scene


def one_way_of_each(
    scene: Scene, checks: Sequence[Check], verdicts: Sequence[Verdict], settings: Settings
) -> list[str | None]:
    """For each check in which nothing is seen while the way back was judged too, and something is: why; else None.

    Nothing is said of a check of one vision arc alone: the attacker may see through another.
    """
    rule: Rule[Any, Verdict] = rule_called(scene.rules)
    sees = [verdict.row().get("line_of_sight") for verdict in verdicts]
    seeing = {
        (check.attacker, check.target): verdict
        for check, verdict, seen in zip(checks, verdicts, sees, strict=True)
        if seen
    }
    settings = replace(settings, keep=False)
    said = list[str | None]()
    for check, verdict, seen in zip(checks, verdicts, sees, strict=True):
        back = seeing.get((check.target, check.attacker))
        is_blind = seen is False and check.arc is None
        said.append(rule.one_way(scene, back, verdict, settings) if is_blind and back is not None else None)
    return said
