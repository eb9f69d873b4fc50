"""DOUBT: where one sees another that does not see it: what the one has that the other has not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from silhouette.errors import RequestError
from silhouette.rules import rule_called
from silhouette.rules.abilities import what_if
from silhouette.rules.base import Rule, Settings, Verdict
from silhouette.scenes.scene import Check, Scene


def one_way_of_each(
    scene: Scene, checks: Sequence[Check], verdicts: Sequence[Verdict], settings: Settings
) -> list[str | None]:
    """For each check in which nothing is seen while something is on the way back: why; None for the others.

    A way back that is not among the checks is judged. Nothing is said of a check of one vision arc alone: the attacker
    may see through another.

    Args:
        scene: of the checks.
        checks: what was asked.
        verdicts: on them, in their order.
        settings: of the measurement.
    """
    rule: Rule[Any, Verdict] = rule_called(scene.rules)
    settings = replace(settings, keep=False)
    judged = list(zip(checks, verdicts, strict=True))
    blind = [pair for pair in judged if pair[1].line_of_sight is False and pair[0].arc is None]
    ways = {(check.attacker, check.target) for check in checks}
    unjudged = [(check.target, check.attacker) for check, _ in blind if (check.target, check.attacker) not in ways]
    more = list(_ways_back(rule, scene, unjudged))
    judged += zip(more, rule.judge([(scene, check) for check in more], settings) if more else (), strict=True)
    seeing = {(check.attacker, check.target): verdict for check, verdict in judged if verdict.line_of_sight}
    why = {
        id(verdict): what_if(rule, scene).one_way(scene, seeing[check.target, check.attacker], verdict, settings)
        for check, verdict in blind
        if (check.target, check.attacker) in seeing
    }
    return [why.get(id(verdict)) for verdict in verdicts]


def _ways_back(rule: Rule[Any, Verdict], scene: Scene, pairs: Sequence[tuple[str, str]]) -> Iterator[Check]:
    """The checks of pairs, but for those whose first cannot look or whose second cannot be looked at."""
    for attacker, target in dict.fromkeys(pairs):
        with suppress(RequestError):
            yield from rule.between(scene, attacker, target, None)
