"""DRAW: what the figures of Ikosa say, and its reasons in short; translated in ``locale/``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from silhouette.rules.base import Phrase
from silhouette.rules.ikosa.judge import IkosaVerdict

PHRASES: Mapping[str, Phrase] = {
    "clear lines": "clear lines: {count}",
    "blocked lines": "blocked lines: {count}",
    "hindered lines": "hindered lines: {count}",
    "solid": "terrain",
    "solid in the way": "terrain in the way",
    "sources": "corners of {attacker}: {count}",
    "source point": "the point of {attacker}",
    "targets": "corners of {target}: {count}",
    "gravity": "gravity",
    "left out": "gravity face, left out",
    "why lines": (
        "Of {lines} lines from {attacker} to {target}, {count} passes through terrain.",
        "Of {lines} lines from {attacker} to {target}, {count} pass through terrain.",
    ),
    "why effects": (
        "{why} {count} passes through effects alone.",
        "{why} {count} pass through effects alone.",
    ),
    "effect": "effect",
    "why one cell": "{attacker} and {target} share a cell.",
    "why no face": "No face of {target} is exposed to {attacker}, so no lines are drawn.",
    "why gravity": "{why} The gravity face is left out.",
}

IN_ONE_CELL = "A7"  # the rule for two who share a cell


def short_reason(verdict: IkosaVerdict, words: Callable[..., str]) -> str:
    """Why a verdict is as it is, in sentences of `PHRASES`; see `Rule.short_reason`."""
    names, drawn = {"attacker": verdict.attacker, "target": verdict.target}, verdict.drawn
    if drawn.count:
        reason = words("why lines", **names, lines=drawn.count, count=drawn.blocked)
        if drawn.induced:
            reason = words("why effects", why=reason, count=drawn.induced)
    else:
        reason = words("why one cell" if verdict.rule.number == IN_ONE_CELL else "why no face", **names)
    return words("why gravity", why=reason) if drawn.gravity_face_excluded else reason
