"""DRAW: the colours of vector figures, for print and for dark screens.

All are Okabe and Ito's, which people with any kind of colour blindness can tell apart, or tints of them; what matters
is hatched or dashed as well, so that a copy in grey tells the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from silhouette.errors import RequestError
from silhouette.text import did_you_mean


@dataclass(frozen=True)
class Style:
    """Colours by what they mean, as ``#rrggbb``.

    Attributes:
        paper, ink, soft_ink, rule: the page, its text, its small print, its thin lines.
        ground, grid: the table or board, and the lines on it.
        terrain, terrain_edge: terrain that blocks nothing now.
        blocker, blocker_edge: pieces in the way.
        model, model_edge: models that are neither attacker nor target; bases.
        seen, seen_edge: the part of the target that is seen; lines that are free.
        obscured, obscured_edge: the part of the target that is not seen; lines that are blocked.
        ignored: parts that do not count, and friends that are disregarded.
        attacker, attacker_edge: the attacker.
        arc: the vision arc.
        blue, green, yellow, orange, red, purple: colours for everything else that must be told apart.
    """

    paper: str
    ink: str
    soft_ink: str
    rule: str
    ground: str
    grid: str
    terrain: str
    terrain_edge: str
    blocker: str
    blocker_edge: str
    model: str
    model_edge: str
    seen: str
    seen_edge: str
    obscured: str
    obscured_edge: str
    ignored: str
    attacker: str
    attacker_edge: str
    arc: str
    blue: str = "#0072b2"
    green: str = "#009e73"
    yellow: str = "#f0e442"
    orange: str = "#e69f00"
    red: str = "#d55e00"
    purple: str = "#cc79a7"


PRINT = Style(
    paper="#ffffff",
    ink="#21242a",
    soft_ink="#5c6068",
    rule="#b9b7b1",
    ground="#f6f4ee",
    grid="#e2dfd5",
    terrain="#d3d3cf",
    terrain_edge="#7d7f82",
    blocker="#eec78a",
    blocker_edge="#8a5a00",
    model="#c9ccd3",
    model_edge="#5f646e",
    seen="#8fcbef",
    seen_edge="#0b4f7d",
    obscured="#e99b66",
    obscured_edge="#8f3d00",
    ignored="#e9e6e9",
    attacker="#5d6470",
    attacker_edge="#21242a",
    arc="#cc79a7",
)

DARK = Style(
    paper="#16181c",
    ink="#f2f1ed",
    soft_ink="#b4b8bf",
    rule="#4c5058",
    ground="#202329",
    grid="#30343c",
    terrain="#4a4e56",
    terrain_edge="#9a9ea6",
    blocker="#8a6420",
    blocker_edge="#f3c265",
    model="#5b616c",
    model_edge="#b5bac4",
    seen="#28709c",
    seen_edge="#a9d9f7",
    obscured="#a34a08",
    obscured_edge="#ffb27d",
    ignored="#3a373d",
    attacker="#c3c8d1",
    attacker_edge="#f2f1ed",
    arc="#cc79a7",
    blue="#56b4e9",
)

STYLES = {"print": PRINT, "dark": DARK}


def style_called(name: str) -> Style:
    """The style of a name.

    Raises:
        RequestError: where there is none.
    """
    if name not in STYLES:
        raise RequestError(f"no style '{name}'; {did_you_mean(name, list(STYLES))}")
    return STYLES[name]
