"""TELL: every word of a report's page, in one place, so that another language is another table."""

from __future__ import annotations

from typing import Any

FIGURES = {
    "eye": "From the attacker's eye",
    "plan": "Plan",
    "side": "From the side, along the line of sight",
    "table": "The whole table",
}
"""The captions of figures that several rule systems draw, by their names."""

WORDS = {
    "skip": "Skip to the verdicts",
    "about": "Verdicts, figures and the table in 3D: {title}",
    "verdicts": "Verdicts",
    "verdicts caption": "Each check, in the order of the scene file. Shares are of the target's significant parts.",
    "verdicts plain": "Each check, in the order of the scene file.",
    "warnings": "To know before trusting them:",
    "check": "check",
    "verdict": "verdict",
    "obscured": "obscured",
    "in the way": "in the way",
    "expected": "expected",
    "held": "held",
    "unmet": "not as expected",
    "close": "too close to call: roll off",
    "nobody": "nothing",
    "3d": "The table in 3D",
    "3d missing": "The 3D view needs JavaScript and WebGL. Verdicts, reasons and figures are complete without it.",
    "3d label": "The table in 3D. Arrow keys turn it, plus and minus come nearer and go farther.",
    "3d keys": "Drag to turn it. With the view in focus, arrow keys turn it, + and − and the wheel come nearer and go "
    "farther. What is hidden here is hidden in this picture alone: the verdicts stay.",
    "3d check": "Coloured for check",
    "3d eye": "From the attacker's eye",
    "from eye": "From {attacker}'s eye",
    "from place": "From behind {attacker}",
    "seen from eye": "Seen from {attacker}'s eye.",
    "seen from place": "Seen from behind {attacker}.",
    "3d where": "Where to look from",
    "3d table": "Whole table",
    "3d above": "From above",
    "3d nearer": "Nearer",
    "3d farther": "Farther",
    "3d own": "Own colours",
    "3d pieces": "Pieces shown",
    "3d all": "Show all",
    "3d none": "This scene is only shown in its figures.",
    "see": "See this in 3D",
    "checks": "Check by check",
    "from above": "From above",
    "map": "Where {name} could stand",
    "map from": "{name} at each place, seen by {others}",
    "map to": "{name} at each place, looking at {others}",
    "map nearest": "The nearest places at least so well covered from all, from where it stands",
    "map cover": "cover",
    "map away": "away",
    "map at": "at",
    "map seen by": "Seen by {{seen}} of {{all}}.",
    "map sees": "Sees {{seen}} of {{all}}.",
    "no checks": "The scene has no check: nothing is judged here.",
    "rule": "rule",
    "share": "share obscured",
    "share in arc": "of the part in the arc",
    "pixels": "pixels",
    "pixels told": "{occluded} of {target} obscured",
    "blockers": "In the way of {target}",
    "blocker": "piece",
    "blocker occluded": "nearest in the way of",
    "blocker alone": "would obscure alone",
    "could be": "could be",
    "everything": "Everything that was found",
    "no figure": "Nothing of this check can be drawn.",
    "basis": "What the verdicts rest on",
    "pieces": "Pieces",
    "scene file": "The scene file",
    "scene about": "Whoever has this file, and the meshes it names, comes to the same verdicts with",
    "scene about table": "Whoever has this file, and the meshes it names, draws the same table with",
    "copy": "Copy the scene file",
    "scene label": "The scene file, {file}",
    "made": "Made by Silhouette {version}. This page holds all it needs and reaches no network.",
    "licence": "Licence of the 3D view's library, three.js",
}

LEGEND = (
    ("seen", "seen by the attacker"),
    ("obscured", "obscured: something stands before it"),
    ("outside", "beyond the vision arc"),
    ("blocker", "in the way"),
    ("ghost", "not counted: base and insignificant parts"),
)
"""Colours of a target in 3D, as in the eye view."""

LEGEND_PLAIN = (
    ("seen", "the target, where nothing hides it"),
    ("obscured", "the target, not seen"),
    ("blocker", "what the verdict rests on"),
)
"""The same for games that measure nothing."""

VIEWER: dict[str, Any] = {
    "table": "The whole table.",
    "above": "The table from above.",
    "check": "{who}: {verdict}. The colours are now those of this check.",
    "eye": "{eyeLabel}",
    "noEye": "No view for this check",
    "fromEye": "{eyeTold} {who}: {verdict}.",
    "shown": "{name} is shown again.",
    "hidden": "{name} is hidden in this picture. The verdict stays as it is.",
    "all": "Everything is shown again.",
    "own": "Pieces are shown in the colours of their own files.",
    "plain": "Pieces are shown in the colours of their parts.",
    "parts": {
        "attacker": "attacker",
        "target": "target",
        "blocker": "in the way",
        "aside": "disregarded",
    },
    "missing": "This browser cannot show the 3D view, which needs WebGL. Verdicts, reasons and figures are complete "
    "without it.",
    "copied": "The scene file is copied.",
    "selected": "The scene file is selected: press Ctrl+C, or ⌘C, to copy it.",
}
"""What the viewer says; what stands in braces it fills in."""

MAP: dict[str, str] = {
    "tap": "Tap a place of the map, or use the arrow keys, to be told who sees it and how much.",
    "where": 'At {x}", {y}":',
    "unfit": "its base does not fit there.",
    "close": " (too close to call)",
    "share": ", {percent} % obscured",
}
"""What the map says; what stands in braces its script fills in."""


def word(key: str, **values: object) -> str:
    """The words of a key, with what stands in braces filled in.

    >>> word("scene label", file="duel.toml")
    'The scene file, duel.toml'
    """
    return WORDS[key].format(**values)
