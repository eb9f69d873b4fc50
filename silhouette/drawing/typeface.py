"""DRAW: the type of vector figures, Open Sans: signs that it lacks are replaced, and text is measured."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from silhouette.common.geometry import INCH
from silhouette.drawing import plotting, typesetting

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

POINT = INCH / 72.0  # the size of a point, mm
MIN_TYPE_SIZE = 6.0  # the least size of type in a figure, in points, so that it is legible in print
LINE = 1.3  # the distance from one line to the next, in sizes of the type


@lru_cache(maxsize=1)
def families() -> tuple[str, ...]:
    """The families that text is set in: the first that has a sign shows it."""
    for file in files().values():
        plotting.font_manager.fontManager.addfont(str(file))
    return ("Open Sans", "DejaVu Sans") if files() else ("DejaVu Sans",)


def files() -> dict[int, Path]:
    """The files of Open Sans by their weight; none where it is not there, and DejaVu Sans has to do."""
    regular, bold = typesetting.open_sans("Regular"), typesetting.open_sans("Bold")
    return {400: regular, 700: bold} if regular and bold else {}


@lru_cache(maxsize=64)
def face(size: float, bold: bool = False) -> FontProperties:
    """The type in a size, in points."""
    return plotting.font_manager.FontProperties(family=list(families()), size=size, weight="bold" if bold else "normal")


@lru_cache(maxsize=4096)
def width(text: str, size: float, bold: bool = False) -> float:
    """The width of a printable text on one line, in mm."""
    return extent(text, face(size, bold))[0] * POINT


@lru_cache(maxsize=4096)
def extent(text: str, font: FontProperties) -> tuple[float, float, float]:
    """The width, the height and the descent of a text on one line, in points; the type finds every sign of it anew."""
    width, height, descent = plotting.textpath.text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width), float(height), float(descent)


def height(size: float) -> float:
    """The height of a line of text, from one to the next, in mm."""
    return size * LINE * POINT


def printable(text: str) -> str:
    """The text as `silhouette.drawing.typesetting.printable` makes it for this type.

    >>> printable("Käl\\tthe  $x^2$ <b>"), printable("漢\\u202e\\U0010ffff")
    ('Käl the $x^2$ <b>', '?')
    """
    return typesetting.printable(text, _has)


@lru_cache(maxsize=4096)
def _has(sign: str) -> bool:
    files = [plotting.font_manager.fontManager.findfont(family, fallback_to_default=False) for family in families()]
    return any(plotting.font_manager.get_font(file).get_char_index(ord(sign)) for file in files)


def elided(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text, cut in its middle where it is wider than ``room`` mm.

    >>> elided("Kal", 100.0, 8.0), elided("x" * 80, 20.0, 8.0).count("...")
    ('Kal', 1)
    """
    return typesetting.elided(text, room, lambda part: width(part, size, bold))


def wrapped(text: str, room: float, size: float, bold: bool = False, most: int = 4) -> list[str]:
    """The text in at most ``most`` lines that are no wider than ``room`` mm.

    >>> wrapped("one two", width("one ", 8.0), 8.0)
    ['one', 'two']
    """
    return typesetting.wrapped(text, room, most, lambda part: width(part, size, bold))
