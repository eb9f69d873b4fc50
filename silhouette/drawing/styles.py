"""DRAW: the colours of figures, for print and for dark screens, and those of places by the verdict on a model there.

All are Okabe and Ito's, which people with any kind of colour blindness can tell apart, or tints of them; what matters
is hatched or dashed as well, so that a copy in grey tells the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.text import did_you_mean
from silhouette.rules.base import Level

Colour = tuple[int, int, int]  # red, green and blue, from 0 to 255

# ---- mixing


def channels(colour: str) -> Colour:
    """Red, green and blue of a colour, ``#rrggbb``."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def hexadecimal(colour: Iterable[float]) -> str:
    """A colour as ``#rrggbb``, by its red, green and blue from 0 to 255."""
    return "#" + "".join(f"{round(part):02x}" for part in colour)


def blend(colour: Colour, ground: Colour, share: float) -> Colour:
    """A colour mixed with the ground it lies on, ``share`` of it.

    >>> blend((0, 0, 0), (200, 100, 0), 0.5)
    (100, 50, 0)
    """
    pairs = zip(colour, ground, strict=True)
    red, green, blue = (round(share * channel + (1.0 - share) * below) for channel, below in pairs)
    return red, green, blue


def tint(colour: str, ground: str, share: float) -> str:
    """`blend` of colours as ``#rrggbb``.

    >>> tint("#ff0000", "#ffffff", 0.5), tint("#0072b2", "#ffffff", 0.0)
    ('#ff8080', '#ffffff')
    """
    return hexadecimal(blend(channels(colour), channels(ground), share))


# ---- verdicts

LIGHT_COLOUR: Colour = (253, 252, 249)
DARK_INK: Colour = (28, 31, 36)

# Okabe and Ito's colours, from what is seen to what is not; the word stands beside every one of them.
LEVEL_COLOURS: Mapping[Level | None, Colour] = {  # grey for an answer that has none
    Level.CLEAR: (86, 180, 233),
    Level.PARTIAL: (230, 159, 0),
    Level.FULL: (213, 94, 0),
    Level.BLOCKED: (43, 47, 54),
    None: (150, 150, 150),
}


def ink_on(ground: Colour) -> Colour:
    """The ink that is legible on a colour.

    >>> ink_on(LEVEL_COLOURS[Level.BLOCKED]) == LIGHT_COLOUR, ink_on(LEVEL_COLOURS[Level.CLEAR]) == DARK_INK
    (True, True)
    """
    red, green, blue = ground
    return LIGHT_COLOUR if 0.299 * red + 0.587 * green + 0.114 * blue < 125 else DARK_INK


# Verdicts on places, from what is seen to what is not: blue, orange and vermillion, as above, and a dark
# grey that is not the ground of the dark style. Each is darker than the one before, so that a copy in grey tells them
# apart, and people with any kind of colour blindness do. tests/drawing/test_maps.py measures both.
PLACE_COLOURS: Mapping[Level, Sequence[Sequence[str]]] = {
    Level.CLEAR: (("#c6e6f9",),),
    Level.PARTIAL: (("#efa53c",), ("#f4b952", "#e08a26")),
    Level.FULL: (("#b84f12",), ("#cb611c", "#a04a12")),
    Level.BLOCKED: (("#423e50",), ("#58405e", "#2b2440"), ("#57475f", "#382b45", "#171020")),
}
"""The colours of the verdicts of a level, where it has one verdict, where it has two, and so on."""


def verdict_colours(levels: Mapping[str, Level]) -> dict[str, str]:
    """The colour of each verdict of a game, from exposed to covered: ``#rrggbb``.

    >>> list(verdict_colours({"open": Level.CLEAR, "cover": Level.PARTIAL, "hidden": Level.BLOCKED}).values())
    ['#c6e6f9', '#efa53c', '#423e50']
    """
    colours = dict[str, str]()
    for level in dict.fromkeys(levels.values()):
        verdicts = [verdict for verdict, its_level in levels.items() if its_level is level]
        choices = PLACE_COLOURS[level]
        several = choices[len(verdicts) - 1] if len(verdicts) <= len(choices) else _between(choices[-1], len(verdicts))
        colours |= dict(zip(verdicts, several, strict=True))
    return {verdict: colours[verdict] for verdict in levels}


def _between(colours: Sequence[str], count: int) -> list[str]:
    """So many colours in even steps from the first to the last; of one colour, darker ones.

    >>> _between(["#202020", "#404040"], 3), _between(["#b0b0b0"], 2)
    (['#202020', '#303030', '#404040'], ['#b0b0b0', '#585858'])
    """
    ends = np.array([channels(colour) for colour in (colours[0], colours[-1])])
    last = ends[1] if len(colours) > 1 else ends[0] / 2
    steps = ends[0] + np.linspace(0.0, 1.0, count)[:, None] * (last - ends[0])
    return [hexadecimal(step) for step in steps.tolist()]


# ---- vector figures


@dataclass(frozen=True)
class Style:
    """Colours by what they mean, as ``#rrggbb``; from ``blue`` on for all else that must be told apart."""

    paper: str
    ink: str
    soft_ink: str
    rule: str
    ground: str
    grid: str
    terrain: str  # terrain that blocks nothing now
    terrain_edge: str
    blocker: str
    blocker_edge: str
    model: str  # models that are neither attacker nor target; bases
    model_edge: str
    seen: str  # the part of the target that is seen; lines that are free
    seen_edge: str
    obscured: str  # the part of the target that is not seen; lines that are blocked
    obscured_edge: str
    outside: str  # the part of the target beyond the vision arc
    outside_edge: str
    ignored: str  # parts that do not count, and friends that are disregarded
    attacker: str
    attacker_edge: str
    arc: str
    blue: str = "#0072b2"
    green: str = "#009e73"
    yellow: str = "#f0e442"
    orange: str = "#e69f00"
    red: str = "#d55e00"
    purple: str = "#cc79a7"


# For print on white paper, and for dark screens.
_STYLE_COLOURS: Mapping[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#16181c"),
    "ink": ("#21242a", "#f2f1ed"),
    "soft_ink": ("#5c6068", "#b4b8bf"),
    "rule": ("#b9b7b1", "#4c5058"),
    "ground": ("#f6f4ee", "#202329"),
    "grid": ("#e2dfd5", "#30343c"),
    "terrain": ("#d3d3cf", "#4a4e56"),
    "terrain_edge": ("#7d7f82", "#9a9ea6"),
    "blocker": ("#eec78a", "#8a6420"),
    "blocker_edge": ("#8a5a00", "#f3c265"),
    "model": ("#c9ccd3", "#5b616c"),
    "model_edge": ("#5f646e", "#b5bac4"),
    "seen": ("#8fcbef", "#28709c"),
    "seen_edge": ("#0b4f7d", "#a9d9f7"),
    "obscured": ("#e99b66", "#a34a08"),
    "obscured_edge": ("#8f3d00", "#ffb27d"),
    "outside": ("#f3ea7a", "#8a8320"),
    "outside_edge": ("#6b6300", "#f6ee8a"),
    "ignored": ("#e9e6e9", "#3a373d"),
    "attacker": ("#5d6470", "#c3c8d1"),
    "attacker_edge": ("#21242a", "#f2f1ed"),
    "arc": ("#cc79a7", "#cc79a7"),
}

PRINT = Style(**{name: colour for name, (colour, _) in _STYLE_COLOURS.items()})
DARK = Style(**{name: colour for name, (_, colour) in _STYLE_COLOURS.items()}, blue="#56b4e9")

STYLES = {"print": PRINT, "dark": DARK}


def style_called(name: str) -> Style:
    """The style of a name. RequestError where there is none."""
    if name not in STYLES:
        raise RequestError(f"no style '{name}'; {did_you_mean(name, list(STYLES))}")
    return STYLES[name]
