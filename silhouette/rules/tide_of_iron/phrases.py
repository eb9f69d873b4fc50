"""DRAW: what the figures of Tide of Iron say, and its reasons in short; translated in ``locale/``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from silhouette.rules.base import Phrase
from silhouette.rules.tide_of_iron.hexes import in_words
from silhouette.rules.tide_of_iron.judge import TideOfIronVerdict

PHRASES: Mapping[str, Phrase] = {
    "map title": "Not seen from {attacker}",
    "map reason": (
        "Of {all} hexes, not seen: {unseen}; "
        "blind: {blind}, blind by the plateau: {plateau}, hidden otherwise: {hidden}."
    ),
    "map part": "Only the hexes up to {steps} from {attacker} are drawn; the board has {all}.",
    "blind": "blind hex",
    "plateau": "blind: plateau",
    "hidden": "hidden otherwise",
    "entered": "hex entered",
    "obstruction": "closest obstruction",
    "blocks": "blocks the line",
    "clear line": "clear line",
    "blocked line": "blocked line",
    "left": "left",
    "right": "right",
    "adjacent": "adjacent: always seen",
    "woods": "woods",
    "building": "building",
    "smoke": "smoke",
    "level": "level {level}",
    "level mark": "{level}",
    "address": "{q}, {r}",
    "why same_hex": "{attacker} and {target} share a hex.",
    "why adjacent": "Adjacent units always see each other.",
    "why clear": "{attacker} sees {target}; nothing blocks the line.",
    "why one side clear": "The line runs along edges of hexes; shifted to one side, nothing blocks it.",
    "why both_sides_blocked": "The line runs along edges of hexes; shifted to either side, it is blocked.",
    "why blocking_terrain": "{attacker} does not see {target}; the terrain at {at} blocks the line.",
    "why higher_elevation": "{attacker} does not see {target}; the hill at {at} is higher than both.",
    "why plateau": "{attacker} does not see {target}; the line crosses the plateau at {at}.",
    "why blind_hex": "{target} is in a blind hex behind {at}.",
}


def short_reason(verdict: TideOfIronVerdict, words: Callable[..., str]) -> str:
    """Why a verdict is as it is, in one sentence of `PHRASES`; see `Rule.short_reason`."""
    key = "why one side clear" if verdict.along_edge and verdict.cause == "clear" else f"why {verdict.cause}"
    attacker, target = verdict.attacker, verdict.target
    if verdict.cause == "blind_hex" and verdict.elevations[0] < verdict.elevations[1]:
        target = attacker  # the lower of the two is the one in the blind hex
    at = None if verdict.obstruction is None else in_words(verdict.obstruction)
    return words(key, attacker=attacker, target=target, at=at)
