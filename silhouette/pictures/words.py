"""DRAW: every word of the figures of a table, in one place, so that another language is another table."""

from __future__ import annotations

ENGLISH = {
    "title": "{attacker} → {target}: {verdict}",
    "marginal": "{title}, too close to call",
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
    "attacker": "attacker",
    "target": "target",
    "eye": "eye",
    "eye estimated": "eye (estimated)",
    "measured": "{share}, measured with {renderer} at {pixel} mm per pixel; eye {eye}.",
    "plan": "Seen from above, turned so that the line of sight runs to the right.",
    "side": "Seen from the side, along the line of sight; heights to the same scale.",
    "inches": '{number}"',
    "centimetres": "{number} cm",
    "note": "Note: {warning}.",
    "ahead": "{target} reaches round the eye: the picture shows only the 90° ahead.",
}


def word(key: str, **values: object) -> str:
    """The words for something, with names and numbers put in.

    >>> word("title", attacker="Kal", target="V{e}x", verdict="open")
    'Kal → V{e}x: open'
    """
    return ENGLISH[key].format(**values)
