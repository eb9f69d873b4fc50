"""DRAW: the frames of an animation: the figures of each moment, its verdict above, the plot of all of them below.

shots -> title and verdict, panels side by side, plot with its marker -> a picture for each frame, all of one size

A panel is a picture of a table with meshes, or the figure of a map as a raster, which shows the same stretch of the map
in all frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from silhouette.drawing.animation.plan import Ground, drawn_plan
from silhouette.drawing.animation.plot import Plot, Point, word
from silhouette.drawing.captions import EDGE
from silhouette.drawing.page import FINE, Face
from silhouette.drawing.sheet import COLUMN, Sheet
from silhouette.drawing.styles import DARK_INK, LEVEL_COLOURS, LIGHT, ink_on
from silhouette.drawing.table.eye_image import image_of
from silhouette.drawing.table.eye_view import coloured
from silhouette.drawing.table.sightlines import Sightline
from silhouette.geometry import INCH
from silhouette.measure.observation import Sight
from silhouette.rules.base import Scale, Verdict
from silhouette.text import fraction_in_words, margin_in_words

# ---- panels of maps

Bounds = tuple[float, float, float, float]

MAX_MAP_ASPECT = 0.66
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
    more = max((top - bottom) / MAX_MAP_ASPECT - (right - left), 0.0) / 2
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


# ---- frames

WIDTH, MARGIN, FRAME_GAP = 720, 16, 12
"""Pixels as they are shown: the width of a frame, its margin, the gap between its panels."""

EYE = (430, 330)

PLAN = (WIDTH - 2 * MARGIN - EYE[0] - FRAME_GAP, EYE[1])
"""Width and height of the eye view and of the plan."""

SOFT = (95, 99, 106)

RIM = (200, 197, 190)

TITLE = Face(25, "Bold")

SHARE = Face(21, "Bold")

REASON = Face(16)

REASONS = 3
"""The most lines of a reason."""


@dataclass(frozen=True, eq=False)
class Shot:
    """A moment of an animation: its verdict and its panels.

    Attributes:
        verdict: of the moment.
        point: its point in the plot.
        panels: colours (height, width, 3) side by side, as they are shown.
    """

    verdict: Verdict
    point: Point
    panels: tuple[NDArray[np.uint8], ...]


def ground_of(sights: Sequence[Sight]) -> Ground:
    """The stretch of table that the plans of all frames show."""
    return Ground.of(sights, *PLAN)


def table_panels(ground: Ground, line: Sightline) -> tuple[NDArray[np.uint8], ...]:
    """The eye view and the plan of a moment on a table."""
    width, height = (length * FINE for length in EYE)
    image = image_of(line.scene, line.observation, line.renderer, width, height)
    colours = coloured(image, line.scene, line.sight.target, line.blocking)
    eye = Image.fromarray(colours).resize(EYE, Image.Resampling.LANCZOS)
    ImageDraw.Draw(eye).rectangle((0, 0, EYE[0] - 1, EYE[1] - 1), outline=RIM)
    return np.asarray(eye), drawn_plan(ground, line)


class Storyboard:
    """All frames of an animation, each drawn on demand.

    Args:
        shots: in order; their panels are all of one size.
        scale: the thresholds of the rule system.
        ends: the words below the plot, on its left and on its right.
    """

    def __init__(self, shots: Sequence[Shot], scale: Scale, ends: tuple[str, str]) -> None:
        self._shots = shots
        self._measured = any(shot.point.share is not None for shot in shots)
        points, height = [shot.point for shot in shots], Plot.height(measured=self._measured)
        self._plot = Plot(points, scale, ends, (WIDTH - 2 * MARGIN) * FINE, height * FINE)
        self._head = (
            2 * FINE * MARGIN // 2 + TITLE.line + (SHARE.line if self._measured else REASONS * REASON.line) + 14 * FINE
        )
        self._panels = max(panel.shape[0] for panel in shots[0].panels)
        total = self._head // FINE + self._panels + FRAME_GAP + height + MARGIN // 2
        self.size = WIDTH, total + total % 2

    def __len__(self) -> int:
        return len(self._shots)

    def frame(self, number: int) -> Image.Image:
        """One frame, RGB, of `size`, both even."""
        shot, width = self._shots[number], self.size[0]
        frame = Image.new("RGB", self.size, LIGHT)
        head = Image.new("RGB", (width * FINE, self._head), LIGHT)
        self._draw_head(head, shot)
        frame.paste(head.resize((width, self._head // FINE), Image.Resampling.LANCZOS))
        frame.paste(self._plot.shown(number), (MARGIN, self._head // FINE + self._panels + FRAME_GAP))
        x = MARGIN
        for panel in shot.panels:
            frame.paste(Image.fromarray(panel), (x, self._head // FINE))
            x += panel.shape[1] + FRAME_GAP
        return frame

    def _draw_head(self, page: Image.Image, shot: Shot) -> None:
        """The names of both; the verdict as a coloured word; the share, or the reason where nothing is measured."""
        drawing, verdict = ImageDraw.Draw(page), shot.verdict
        room = (WIDTH - 2 * MARGIN) * FINE
        left, y = MARGIN * FINE, MARGIN * FINE // 2
        half = 0.46 * room
        ends = (verdict.attacker, verdict.target)
        attacker, target = (TITLE.elided(TITLE.printable(name), half) for name in ends)
        TITLE.draw(drawing, (left, y), word("title", attacker=attacker, target=target), DARK_INK)
        y += TITLE.line + 2 * FINE
        plate, colour = verdict.verdict, LEVEL_COLOURS[shot.point.level]
        wide = SHARE.width(plate) + 20 * FINE
        drawing.rounded_rectangle((left, y, left + wide, y + SHARE.line + 4 * FINE), radius=6 * FINE, fill=colour)
        SHARE.draw(drawing, (left + 10 * FINE, y + 2 * FINE), plate, ink_on(colour))
        text_left = left + wide + 12 * FINE
        if self._measured:
            SHARE.draw(drawing, (text_left, y + 2 * FINE), _share_words(shot), DARK_INK)
            return
        for line in REASON.wrapped(REASON.printable(verdict.reason), left + room - text_left, REASONS):
            REASON.draw(drawing, (text_left, y), line, SOFT)
            y += REASON.line


def _share_words(shot: Shot) -> str:
    point = shot.point
    if point.share is None:
        return ""
    share = fraction_in_words(point.share) + margin_in_words(point.error)
    text = word("share", share=share)
    return f"{text}; {word('marginal')}" if shot.verdict.marginal else text
