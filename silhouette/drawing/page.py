"""DRAW: paper, type and colours of a printed page, and its PNG file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont, PngImagePlugin

from silhouette.common.errors import FileError
from silhouette.common.text import json_text
from silhouette.drawing.styles import Colour
from silhouette.drawing.typesetting import Type, Weight, open_sans
from silhouette.files.writing import Content, check_place, write_file

# Factor by which everything is drawn larger than it is shown; it is made smaller at the end, for smooth edges.
SUPERSAMPLING = 2
PAGE_WIDTH_PX = 1200 * SUPERSAMPLING
PAGE_MARGIN_PX = 28 * SUPERSAMPLING
PAPER: Colour = (253, 252, 249)
INK: Colour = (33, 36, 42)
SOFT_INK: Colour = (103, 107, 114)
RULE_COLOUR: Colour = (208, 206, 200)

# Okabe and Ito's palette, which people with any kind of colour blindness can tell apart: M. Okabe, K. Ito,
# "Color Universal Design", 2008.
SKY_BLUE: Colour = (86, 180, 233)
VERMILLION: Colour = (213, 94, 0)
ORANGE: Colour = (230, 159, 0)
ARROW = "→"
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
Drawing = ImageDraw.ImageDraw


class TypeFace(Type):
    """A size and weight of type, in printed pixels: Open Sans, which ships with this package, or else Pillow's own."""

    def __init__(self, size: int, weight: Weight = "Regular") -> None:
        self.size = size * SUPERSAMPLING
        self._font = _font(self.size, weight)

    @property
    def line(self) -> int:
        """The distance from one line to the next."""
        return round(self.size * 1.36)

    def width(self, text: str) -> float:
        """The width of a text on one line; arrows are drawn, not set."""
        return sum(self._font.getlength(run) for run in text.split(ARROW)) + text.count(ARROW) * self._arrow

    def has(self, sign: str) -> bool:
        """Whether the type has a sign; arrows are drawn, not set."""
        return sign == ARROW or _has(self._font, sign)

    def draw(
        self, drawing: Drawing, at: tuple[float, float], text: str, colour: Colour = INK, halo: Colour | None = None
    ) -> None:
        """Writes a line of printable text, its upper left corner at ``at``; with a halo where the ground is busy."""
        x, y = at
        stroke = round(self.size * 0.14) if halo else 0
        for number, run in enumerate(text.split(ARROW)):
            if number:
                _draw_arrow(drawing, x + 0.1 * self.size, y + 0.75 * self.size, 0.8 * self._arrow, self.size, colour)
                x += self._arrow
            if halo:
                drawing.text((x, y), run, fill=halo, font=self._font, stroke_width=stroke, stroke_fill=halo)
            drawing.text((x, y), run, fill=colour, font=self._font)
            x += self._font.getlength(run)

    @property
    def _arrow(self) -> float:
        return 1.05 * self.size


@lru_cache(maxsize=64)
def _font(size: int, weight: Weight) -> Font:
    file = open_sans(weight)
    if file is None:
        return ImageFont.load_default(size)
    return ImageFont.truetype(str(file), size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def _has(font: Font, sign: str) -> bool:
    """Whether the font has a sign: a missing one is drawn as a box, the same for all of them."""
    return bytes(font.getmask(sign)) != bytes(font.getmask("\uffff"))


def _draw_arrow(drawing: Drawing, x: float, y: float, length: float, size: float, colour: Colour) -> None:
    thick, head = max(size * 0.075, 2.0), size * 0.2
    drawing.rectangle([x, y - thick / 2, x + length - head, y + thick / 2], fill=colour)
    tip = x + length
    drawing.polygon([(tip, y), (tip - 1.5 * head, y - head), (tip - 1.5 * head, y + head)], fill=colour)


def check_png_path(path: Path) -> None:
    """Checks, before anything is drawn, that a picture can be written. FileError where the ending is not .png, or the
    folder is not there.

    >>> check_png_path(Path("duel.jpg"))
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: duel.jpg: pictures are PNG; give a name that ends in .png
    """
    if path.suffix.lower() != ".png":
        raise FileError(path, "pictures are PNG; give a name that ends in .png")
    check_place(path)


def save_png(page: Image.Image, path: Path, data: Mapping[str, Any]) -> None:
    """Writes a page `SUPERSAMPLING` times too large at its size, with ``data`` as JSON. FileError where it cannot be
    written.
    """
    check_png_path(path)
    write_file(path, png_content(page, data))


def png_content(page: Image.Image, data: Mapping[str, Any]) -> Content:
    """A page as `save_png` has it, as what a file is to hold."""
    chunks = PngImagePlugin.PngInfo()
    chunks.add_text("silhouette", json_text(data))
    smaller = page.resize((page.width // SUPERSAMPLING, page.height // SUPERSAMPLING), Image.Resampling.LANCZOS)
    return lambda file: smaller.save(file, format="PNG", pnginfo=chunks, compress_level=6)


def write_lines(drawing: Drawing, y: float, text: str, face: TypeFace, most: int, colour: Colour = INK) -> float:
    """Writes a text on at most ``most`` lines of a page from y downwards, in pixels; returns the y below."""
    for line in face.wrapped(face.printable(text), PAGE_WIDTH_PX - 2 * PAGE_MARGIN_PX, most):
        face.draw(drawing, (PAGE_MARGIN_PX, y), line, colour)
        y += face.line
    return y


def joined(parts: Sequence[str]) -> str:
    """Remarks on one line, with dots between them; empty ones are left out."""
    return " · ".join(part for part in parts if part)
