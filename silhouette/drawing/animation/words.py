"""DRAW: every word of an animation, and the colour of each level of verdicts, in one place."""

from __future__ import annotations

from collections.abc import Mapping

from silhouette.drawing.page import Colour
from silhouette.rules.base import Level

ENGLISH = {
    "title": "{attacker} → {target}",
    "share": "{share} obscured",
    "marginal": "too close to call",
    "percent": "{share:.0f} %",
    "outside": "beyond the vision arc",
    "walked": "walked",
    "turned": "turned",
    "inches": '{way:.3g}" ({mm:.0f} mm)',
    "units": "{way:.4g} {units}",
    "degrees": "{way:.4g}°",
    "zero": "0",
}
"""The phrases of an animation, by name."""

LIGHT: Colour = (253, 252, 249)
DARK: Colour = (28, 31, 36)

# Okabe and Ito's colours, from what is seen to what is not; the word stands beside every one of them.
COLOURS: Mapping[Level | None, Colour] = {
    Level.CLEAR: (86, 180, 233),
    Level.PARTIAL: (230, 159, 0),
    Level.FULL: (213, 94, 0),
    Level.BLOCKED: (43, 47, 54),
    None: (150, 150, 150),
}
"""The colour of a verdict, by its level: blue, orange, vermillion, black; grey for an answer that has none."""


def word(key: str, **values: object) -> str:
    """A phrase with names and numbers put in.

    >>> word("title", attacker="Kal", target="V{e}x"), word("percent", share=50)
    ('Kal → V{e}x', '50 %')
    """
    return ENGLISH[key].format(**values)


def ink_on(ground: Colour) -> Colour:
    """The ink that is legible on a colour.

    >>> ink_on(COLOURS[Level.BLOCKED]) == LIGHT, ink_on(COLOURS[Level.CLEAR]) == DARK
    (True, True)
    """
    red, green, blue = ground
    return LIGHT if 0.299 * red + 0.587 * green + 0.114 * blue < 125 else DARK


def tinted(colour: Colour, share: float, ground: Colour = LIGHT) -> Colour:
    """A colour mixed with the ground on which it lies; ``share`` is the part of the colour.

    >>> tinted((0, 0, 0), 0.5, (200, 100, 0))
    (100, 50, 0)
    """
    pairs = zip(colour, ground, strict=True)
    red, green, blue = (round(share * channel + (1.0 - share) * below) for channel, below in pairs)
    return red, green, blue
