"""DRAW: every word and every verdict's colour of an animation, in one place."""

from __future__ import annotations

from silhouette.drawing.page import Colour

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
"""The words of an animation, by what they are about."""

LIGHT: Colour = (253, 252, 249)
DARK: Colour = (28, 31, 36)

# Okabe and Ito's colours, from what is seen to what is not; the word stands beside every one of them.
BLUE, YELLOW, ORANGE, VERMILLION, PURPLE = (86, 180, 233), (240, 228, 66), (230, 159, 0), (213, 94, 0), (204, 121, 167)
BLACK = (43, 47, 54)

COLOURS: dict[str, Colour] = {
    "open": BLUE,
    "visible": BLUE,
    "no cover": BLUE,
    "partial cover": ORANGE,
    "full cover": VERMILLION,
    "cover": ORANGE,
    "very low cover": YELLOW,
    "low cover": ORANGE,
    "high cover": VERMILLION,
    "corner cover": PURPLE,
    "hidden": BLACK,
    "no line of effect": BLACK,
}
"""Of each verdict."""


def word(key: str, **values: object) -> str:
    """The words for something, with names and numbers put in.

    >>> word("title", attacker="Kal", target="V{e}x"), word("percent", share=50)
    ('Kal → V{e}x', '50 %')
    """
    return ENGLISH[key].format(**values)


def colour_of(verdict: str) -> Colour:
    """Of a verdict; grey for one that is not known.

    >>> colour_of("hidden"), colour_of("?")
    ((43, 47, 54), (150, 150, 150))
    """
    return COLOURS.get(verdict, (150, 150, 150))


def ink_on(ground: Colour) -> Colour:
    """The ink that is legible on a colour.

    >>> ink_on(BLACK) == LIGHT, ink_on(YELLOW) == DARK
    (True, True)
    """
    red, green, blue = ground
    return LIGHT if 0.299 * red + 0.587 * green + 0.114 * blue < 125 else DARK


def tinted(colour: Colour, share: float, ground: Colour = LIGHT) -> Colour:
    """So much of a colour on a ground.

    >>> tinted((0, 0, 0), 0.5, (200, 100, 0))
    (100, 50, 0)
    """
    red, green, blue = (round(share * one + (1.0 - share) * other) for one, other in zip(colour, ground, strict=True))
    return red, green, blue
