"""DRAW: the colours of places, by the verdict on a model there: one for each, however many a game has of a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from silhouette.rules.base import Level

# From what is seen to what is not: blue, orange and vermillion, as in `silhouette.drawing.animation.words`, and a dark
# grey that is not the ground of the dark style. Each is darker than the one before, so that a copy in grey tells them
# apart, and people with any kind of colour blindness do. tests/drawing/test_maps.py measures both.
COLOURS: Mapping[Level, Sequence[Sequence[str]]] = {
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
        known = COLOURS[level]
        several = known[len(verdicts) - 1] if len(verdicts) <= len(known) else _between(known[-1], len(verdicts))
        colours |= dict(zip(verdicts, several, strict=True))
    return {verdict: colours[verdict] for verdict in levels}


def _between(colours: Sequence[str], count: int) -> list[str]:
    """So many colours in even steps from the first to the last; of one colour, darker ones.

    >>> _between(["#202020", "#404040"], 3), _between(["#b0b0b0"], 2)
    (['#202020', '#303030', '#404040'], ['#b0b0b0', '#585858'])
    """
    ends = np.array(
        [[int(colour[place : place + 2], 16) for place in (1, 3, 5)] for colour in (colours[0], colours[-1])]
    )
    last = ends[1] if len(colours) > 1 else ends[0] / 2
    steps = ends[0] + np.linspace(0.0, 1.0, count)[:, None] * (last - ends[0])
    return ["#" + "".join(f"{round(part):02x}" for part in step) for step in steps.tolist()]
