"""DRAW: the type of vector figures, Open Sans: signs that it lacks are replaced, and text is measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any

from silhouette.common.geometry import INCH
from silhouette.drawing import plotting
from silhouette.drawing.typesetting import Type, open_sans

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties
    from matplotlib.ft2font import FT2Font
    from matplotlib.textpath import TextToPath

POINT_MM = INCH / 72.0  # the size of a point, mm
MIN_TYPE_SIZE = 6.0  # the least size of type in a figure, in points, so that it is legible in print
LINE_SPACING = 1.3  # the distance from one line to the next, in sizes of the type


@lru_cache(maxsize=1)
def families() -> tuple[str, ...]:
    """The families that text is set in: the first that has a sign shows it."""
    for file in files().values():
        plotting.font_manager.fontManager.addfont(str(file))
    return ("Open Sans", "DejaVu Sans") if files() else ("DejaVu Sans",)


def files() -> dict[int, Path]:
    """The files of Open Sans by their weight; none where it is not there, and DejaVu Sans has to do."""
    regular, bold = open_sans("Regular"), open_sans("Bold")
    return {400: regular, 700: bold} if regular and bold else {}


@lru_cache(maxsize=64)
def face(size: float, bold: bool = False) -> FontProperties:
    """The type in a size, in points."""
    return plotting.font_manager.FontProperties(family=list(families()), size=size, weight="bold" if bold else "normal")


@lru_cache(maxsize=4096)
def width(text: str, size: float, bold: bool = False) -> float:
    """The width of a printable text on one line, in mm."""
    return extent(text, face(size, bold))[0] * POINT_MM


@lru_cache(maxsize=4096)
def extent(text: str, font: FontProperties) -> tuple[float, float, float]:
    """The width, the height and the descent of a text on one line, in points; the type finds every sign of it anew."""
    width, height, descent = _measure().get_text_width_height_descent(text, font, ismath=False)
    return float(width), float(height), float(descent)


@lru_cache(maxsize=1)
def _measure() -> TextToPath:
    measure: Any = plotting.textpath.TextToPath()
    measure._get_font = font_of
    return measure  # type: ignore[no-any-return]


def font_of(font: FontProperties) -> FT2Font:
    """The font of a type, and those that have the signs it lacks, in the size of matplotlib's outlines."""
    outlines = plotting.textpath.TextToPath
    read = _read(_files(font), get_ident())
    read.set_size(outlines.FONT_SCALE, outlines.DPI)
    return read


@lru_cache(maxsize=64)
def _files(font: FontProperties) -> tuple[Any, ...]:
    return tuple(plotting.font_manager.fontManager._find_fonts_by_props(font))


@lru_cache(maxsize=16)
def _read(files: tuple[Any, ...], thread: int) -> FT2Font:
    """A font in memory, for one thread: from a file, matplotlib reads sign by sign, two thirds of what a text takes."""
    first, *others = (BytesIO(Path(file).read_bytes()) for file in files)
    return plotting.ft2font.FT2Font(first, _fallback_list=[plotting.ft2font.FT2Font(other) for other in others])


def height(size: float) -> float:
    """The height of a line of text, from one to the next, in mm."""
    return size * LINE_SPACING * POINT_MM


@lru_cache(maxsize=4096)
def _has(sign: str) -> bool:
    files = [plotting.font_manager.fontManager.findfont(family, fallback_to_default=False) for family in families()]
    return any(plotting.font_manager.get_font(file).get_char_index(ord(sign)) for file in files)


@dataclass(frozen=True)
class VectorType(Type):
    """The type in a size, in points; widths in mm.

    >>> VectorType(8.0).printable("Käl\\tthe  $x^2$ <b>"), VectorType(8.0).printable("漢\\u202e\\U0010ffff")
    ('Käl the $x^2$ <b>', '?')
    """

    size: float
    bold: bool = False

    def has(self, sign: str) -> bool:
        """Whether a family has a sign, such as another alphabet's."""
        return _has(sign)

    def width(self, text: str) -> float:
        """The width of a printable text on one line, in mm."""
        return width(text, self.size, self.bold)


printable = VectorType(MIN_TYPE_SIZE).printable  # in any size


def elided(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text in signs that can be printed, cut in its middle where it is wider than ``room`` mm."""
    return VectorType(size, bold).elided(printable(text), room)
