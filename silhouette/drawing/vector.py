"""DRAW: what takes most of matplotlib's time, done in less: axes without ticks, and a figure as SVG.

matplotlib gives each axis ticks as soon as anything asks for them, clipping included, and a tick is three lines and two
texts. Its renderer of SVG is used but for two steps. A raster is encoded once, as the file is to hold it: matplotlib
writes a lossless PNG of four channels, which would have to be read again. A text is measured once for all figures of a
process: matplotlib forgets its size with each figure.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import XAxis, YAxis
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextToPath, text_to_path
from matplotlib.ticker import NullLocator
from PIL import Image

from silhouette.drawing.typeface import extent, font_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class _NoTicks:
    """The ticks of an axis: none, each time they are asked for; what is set is forgotten."""

    def __get__(self, axis: Any, kind: type) -> Any:
        return self if axis is None else []

    def __set__(self, axis: Any, ticks: Any) -> None:
        """Keeps nothing."""


class _Bare:
    majorTicks = minorTicks = _NoTicks()

    def _update_ticks(self) -> Any:
        return []


class _BareX(_Bare, XAxis):
    pass


class _BareY(_Bare, YAxis):
    pass


class _AxesGround(Rectangle):
    """The ground of axes, placed once: whatever it clips asks where it is."""

    def set_transform(self, t: Any) -> None:
        """Places it."""
        super().set_transform(t)
        self._placed = self.get_patch_transform() + t

    def get_transform(self) -> Any:
        """Where it is on the page."""
        return self._placed


class BareAxes(Axes):
    """Axes whose frame is their spines alone."""

    def __init__(self, *where: Any) -> None:
        super().__init__(*where)
        for axis in (self.xaxis, self.yaxis):
            axis.set_major_locator(NullLocator())  # it is asked for the places of ticks
        for side in self.spines.values():
            side.set_position(("outward", 0.0))  # which else the first tick would do

    def _gen_axes_patch(self) -> Any:
        return _AxesGround((0.0, 0.0), 1.0, 1.0)

    def _init_axis(self) -> None:
        self.xaxis, self.yaxis = _BareX(self, clear=False), _BareY(self, clear=False)
        sides: Any = self.spines
        for side, axis in (("bottom", self.xaxis), ("top", self.xaxis), ("left", self.yaxis), ("right", self.yaxis)):
            sides[side].register_axis(axis)


PALETTE = 256  # the most colours of a palette
POINTS_PER_INCH = 72.0  # points in an inch
RASTER = "\0"  # stands for a raster in a text: no other text can have it
Encoded = tuple[str, bytes]  # the kind of a picture, such as "jpeg", and its content
Encode = Callable[[Image.Image], Encoded]


def svg_of(figure: Figure, metadata: Mapping[str, Any], encode: Encode) -> tuple[str, list[str]]:
    """The figure as matplotlib writes it, within `settings`, with `RASTER` for each raster, and these as ``data:``
    URLs, in their order: in a palette where that holds them exactly, else encoded.
    """
    stream, fine = StringIO(), figure.dpi
    width, height = figure.get_size_inches() * POINTS_PER_INCH
    figure.set_dpi(POINTS_PER_INCH)
    try:
        renderer = _OutlineRenderer(width, height, stream, fine, metadata, encode)
        figure.draw(renderer)
        renderer.finalize()  # type: ignore[no-untyped-call]
    finally:
        figure.set_dpi(fine)
    text = re.sub(r"(<image [^>]*\")data:image/png;base64,[^\"]*", "\\1" + RASTER, stream.getvalue())
    return text, [f"data:image/{kind};base64,{b64encode(data).decode('ascii')}" for kind, data in renderer.pictures]


class _OutlineRenderer(RendererSVG):
    """matplotlib's renderer: where it writes a raster it is given an empty one, which is exchanged in the text."""

    def __init__(
        self, width: float, height: float, stream: Any, dpi: float, metadata: Mapping[str, Any], encode: Encode
    ) -> None:
        super().__init__(width, height, stream, image_dpi=dpi, metadata=dict(metadata))  # type: ignore[no-untyped-call]
        self._encode, self.pictures = encode, list[Encoded]()
        self._text2path = _TEXT_OUTLINES  # of this renderer and of those that draw halos through it
        writer: Any = self.writer
        writer.comment = lambda comment: None  # they repeat the words

    def draw_image(self, gc: Any, x: float, y: float, im: Any, transform: Any = None) -> None:
        """Notes the picture, and has matplotlib write everything round it."""
        if not im.size:
            return
        picture, empty = Image.fromarray(im), np.zeros(im.shape[:2], np.uint8)
        self.pictures.append(_in_palette(picture) or self._encode(picture))
        empty[0, 0] = len(self.pictures) % 256  # matplotlib makes an id of the content
        super().draw_image(gc, x, y, empty, transform)  # type: ignore[no-untyped-call]


class _TextOutlines(TextToPath):
    """Sizes and outlines of texts, each worked out once for the whole process."""

    _get_font = staticmethod(font_of)

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> Any:
        """The size of a text, in points."""
        return _size(s, prop, ismath) if ismath else extent(s, prop)

    def get_text_path(self, *what: Any, **how: Any) -> Any:
        """The outline of a text: its corners, and how they are joined; shared, so not to be written to."""
        return _outline(*what, **how)

    def get_glyphs_with_font(
        self, font: Any, s: str, glyph_map: Any = None, return_new_glyphs_only: bool = False, **how: Any
    ) -> Any:
        """The signs of a text with their places, and the outlines of those that are not in ``glyph_map``."""
        placed, outlines, rectangles = _signs(font, s, tuple(sorted(how.items())))
        glyphs = {} if glyph_map is None else glyph_map
        new = {sign: outline for sign, outline in outlines.items() if sign not in glyphs}
        if not return_new_glyphs_only:
            glyphs.update(new)
        return placed, new if return_new_glyphs_only else glyphs, rectangles


_TEXT_OUTLINES = _TextOutlines()
_size = lru_cache(maxsize=64)(text_to_path.get_text_width_height_descent)
_outline = lru_cache(maxsize=1024)(partial(TextToPath.get_text_path, _TEXT_OUTLINES))


@lru_cache(maxsize=1024)
def _signs(font: Any, text: str, how: tuple[tuple[str, Any], ...]) -> Any:
    """What matplotlib finds for a text, which is drawn twice: with a halo below it."""
    return text_to_path.get_glyphs_with_font(font, text, **dict(how))


def _in_palette(picture: Image.Image) -> Encoded | None:
    """A picture (RGBA) of few colours in a palette, exactly; None where there are more than `PALETTE`."""
    counted = picture.getcolors(PALETTE)
    if not counted:
        return None
    packed = np.ascontiguousarray(picture).view(np.uint32)[..., 0]
    colours = np.sort(np.array([colour for _, colour in counted], np.uint8).reshape(-1, 4).view(np.uint32)[:, 0])
    number = np.searchsorted(colours, packed).astype(np.uint8)
    rows = colours.view(np.uint8).reshape(-1, 4)
    paletted = Image.fromarray(number, "P")
    paletted.putpalette(rows[:, :3].tobytes())
    stream = BytesIO()
    paletted.save(stream, "PNG", transparency=rows[:, 3].tobytes(), optimize=True)
    return "png", stream.getvalue()
