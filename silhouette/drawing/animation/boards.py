"""DRAW: the frames of an animation on a map: its figure as a raster, the same stretch of the map in all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from silhouette.drawing.captions import EDGE
from silhouette.drawing.sheet import COLUMN, Sheet
from silhouette.units import INCH

Bounds = tuple[float, float, float, float]

TALLEST = 0.66
"""The greatest height of a map, as a share of its width: frames are wide."""

Draw = Callable[[Sheet], None]


class _FixedSheet(Sheet):
    """A sheet without a caption that always shows the same rectangle, whatever figure is drawn on it."""

    def __init__(self, bounds: Bounds) -> None:
        self._fixed = bounds
        super().__init__(captions=False)

    def frame(
        self, left: float, bottom: float, right: float, top: float, *, ground: str | None = None, line: bool = True
    ) -> None:
        """Frames the drawing as `Sheet.frame` of its base does; the arguments for the rectangle are ignored."""
        super().frame(*self._fixed, ground=ground, line=line)


def bounds_of(figures: Iterable[Draw]) -> Bounds:
    """Left, bottom, right and top of the least rectangle that holds everything in some figures.

    Args:
        figures: the functions that each draw a figure; to be called within `silhouette.drawing.sheet.settings`.
    """
    bounds = []
    for draw in figures:
        sheet = Sheet(captions=False)
        draw(sheet)
        bounds.append(sheet.bounds)
    left, bottom = np.min(bounds, axis=0)[:2]
    right, top = np.max(bounds, axis=0)[2:]
    more = max((top - bottom) / TALLEST - (right - left), 0.0) / 2
    return float(left - more), float(bottom), float(right + more), float(top)


def board_panels(bounds: Bounds, draw: Draw, width: int) -> tuple[NDArray[np.uint8], ...]:
    """The figure of a moment, ``width`` pixels wide, as the only panel of its frame.

    Args:
        bounds: the bounds of the map, from `bounds_of`.
        draw: the function that draws the figure; to be called within `silhouette.drawing.sheet.settings`.
        width: the width of the panel, in pixels.
    """
    sheet = _FixedSheet(bounds)
    draw(sheet)
    figure = sheet.finish()
    figure.set_dpi(2.0 * width * INCH / COLUMN)
    canvas: Any = figure.canvas
    canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
    room = (bounds[2] - bounds[0], bounds[3] - bounds[1])
    height = round((room[1] / room[0] * (COLUMN - 2 * EDGE) + 2 * EDGE) / COLUMN * width)
    return (np.asarray(picture.resize((width, height), Image.Resampling.LANCZOS)),)
