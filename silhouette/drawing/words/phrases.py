"""DRAW: the phrases of the figures of all rule systems: the English text of each, by its name.

Names in braces are put in by `silhouette.drawing.words.words.Words`. The translations lie in ``locale/``, a .po file
for each language; ``python -m tests.catalogues`` brings them up to date with this table and compiles them.
"""

from __future__ import annotations

from collections.abc import Mapping

from silhouette.rules.base import Phrase

PHRASES: Mapping[str, Phrase] = {
    "title": "{attacker} → {target}: {verdict}",
    "marginal": "{title}, too close to call",
    "out of arc": "{title}, out of arc",
    "modifier": "{title}, {modifier} to hit",
    "no share": "nothing",
    "under": "under {share}",
    "about": "about {share}",
    "over": "over {share}",
    "note": "Note: {warning}.",
    "share": "{share} obscured",
    "blocker": "{name} {share}",
    "seen": "seen",
    "obscured": "obscured",
    "partly": "partly obscured in that direction",
    "wholly": "wholly obscured in that direction",
    "in the way": "in the way",
    "disregarded": "disregarded",
    "ignored": "not counted: base and insignificant parts",
    "outside": "target outside the vision arc",
    "arc": "vision arc",
    "cut": "cut along the line of sight",
    "ray": "limiting ray",
    "line of sight": "line of sight to the middle",
    "eye given": "as given",
    "eye estimated": "estimated",
    "measured": "{share}: {part} of {whole} pixels of {pixel} mm, measured with {renderer}; eye {eye}.",
    "plan": "Seen from above, turned so that the line of sight runs to the right; numbers are inches from the eye.",
    "side": "Seen from the side, along the line of sight; heights to the same scale.",
    "table": "Seen from above, x to the right and y up; grid lines {inches} apart, numbers from the scene's origin.",
    "inches": '{number}"',
    "centimetres": "{number} cm",
    "ahead": "{target} reaches round the eye: the picture shows only the 90° ahead.",
    "of what lies in the arc": " of what lies in the arc",
    "more": "{count} more",
    "measured with": "measured with {renderer}, {pixel} mm per pixel",
    "drawn with": "drawn with {renderer}",
    "the eye": "eye {eye}",
    "an inch apart": "lines on the ground one inch apart",
    "friend": "disregarded: friend in base contact",
    "beyond": "beyond the vision arc",
    "why out of arc": "No part of {target} lies in the vision arc.",
    "why nothing": "Nothing obscures {target}.",
    "why some": "{share} of {target} is obscured: {by}.",
    "why all": "Nothing of {target} is seen: {by}.",
}
