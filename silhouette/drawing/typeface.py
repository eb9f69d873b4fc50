"""DRAW: the type of vector figures: Open Sans, what it lacks replaced, measured before it is set.

matplotlib is imported here where it is used, because it is an extra and takes long to start.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from silhouette.drawing.page import ELLIPSIS, SUBSTITUTES

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

POINT = 25.4 / 72.0
"""mm."""

LEAST = 6.0
"""Points: no text of a figure is smaller, so that it is legible in print."""

LINE = 1.3
"""The distance from one line to the next, in sizes of the type."""

REPLACED = "?"


@lru_cache(maxsize=1)
def families() -> tuple[str, ...]:
    """The families that text is set in: the first that has a sign shows it."""
    from matplotlib import font_manager

    for file in files().values():
        font_manager.fontManager.addfont(str(file))
    return ("Open Sans", "DejaVu Sans") if files() else ("DejaVu Sans",)


@lru_cache(maxsize=1)
def files() -> dict[int, Path]:
    """The files of Open Sans by their weight; none where it is not there, and DejaVu Sans has to do."""
    package = find_spec("pyrender")
    for folder in (package.submodule_search_locations or []) if package else []:
        paths = {
            weight: Path(folder) / "fonts" / f"OpenSans-{name}.ttf"
            for weight, name in ((400, "Regular"), (700, "Bold"))
        }
        if all(file.is_file() for file in paths.values()):
            return paths
    return {}


@lru_cache(maxsize=64)
def face(size: float, bold: bool = False) -> FontProperties:
    """The type in a size, in points."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(family=list(families()), size=size, weight="bold" if bold else "normal")


@lru_cache(maxsize=4096)
def width(text: str, size: float, bold: bool = False) -> float:
    """Of a printable text on one line, in mm."""
    from matplotlib.textpath import text_to_path

    return float(text_to_path.get_text_width_height_descent(text, face(size, bold), ismath=False)[0]) * POINT


def height(size: float) -> float:
    """Of a line of text, from one to the next, in mm."""
    return size * LINE * POINT


def printable(text: str) -> str:
    """The text on one line, of signs that the type has: accents it lacks are dropped, other signs become '?'.

    >>> printable("Käl\\tthe  $x^2$ <b>"), printable("漢\\u202e\\U0010ffff")
    ('Käl the $x^2$ <b>', '?')
    """
    plain = "".join(sign if sign.isprintable() else " " for sign in unicodedata.normalize("NFC", _unformatted(text)))
    return "".join(_shown(sign) for sign in " ".join(plain.split()))


def _unformatted(text: str) -> str:
    """Without signs that only say how others are to be set."""
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")


@lru_cache(maxsize=4096)
def _shown(sign: str) -> str:
    if sign.isspace() or _has(sign):
        return sign
    if unicodedata.category(sign) in ("Mn", "Me", "Cn", "Co", "Cs"):
        return "" if unicodedata.category(sign) in ("Mn", "Me") else REPLACED
    if sign in SUBSTITUTES:
        return SUBSTITUTES[sign]
    bare = "".join(part for part in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(part))
    return bare if bare and all(_has(part) for part in bare) else REPLACED


def _has(sign: str) -> bool:
    from matplotlib.font_manager import fontManager, get_font

    files = [fontManager.findfont(family, fallback_to_default=False) for family in families()]
    return any(get_font(file).get_char_index(ord(sign)) for file in files)


def elided(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text, cut in its middle where it is wider than ``room`` mm.

    >>> elided("Kal", 100.0, 8.0), elided("x" * 80, 20.0, 8.0).count("...")
    ('Kal', 1)
    """
    if width(text, size, bold) <= room:
        return text

    def cut(kept: int) -> str:
        return text[: (kept + 1) // 2].rstrip() + ELLIPSIS + text[len(text) - kept // 2 :].lstrip()

    fitting = bisect_right(range(1, len(text)), room, key=lambda kept: width(cut(kept), size, bold))
    return cut(fitting) if fitting else ELLIPSIS


def wrapped(text: str, room: float, size: float, bold: bool = False, most: int = 4) -> list[str]:
    """The text in lines no wider than ``room`` mm, at most so many; what is left over is elided.

    >>> wrapped("one two", width("one ", 8.0), 8.0)
    ['one', 'two']
    """
    lines: list[str] = []
    words = [part for word in text.split() for part in _broken(word, room, size, bold)]
    while words:
        if len(lines) == most - 1:
            lines.append(elided(" ".join(words), room, size, bold))
            break
        count = 1
        while count < len(words) and width(" ".join(words[: count + 1]), size, bold) <= room:
            count += 1
        lines.append(" ".join(words[:count]))
        words = words[count:]
    return lines


def _broken(word: str, room: float, size: float, bold: bool) -> list[str]:
    """A word, cut where it is wider than a line."""
    pieces = []
    while width(word, size, bold) > room and len(word) > 1:
        fitting = bisect_right(range(1, len(word)), room, key=lambda count: width(word[:count], size, bold))
        count = max(fitting, 1)
        pieces.append(word[:count])
        word = word[count:]
    return [*pieces, word]
