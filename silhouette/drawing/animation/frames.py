"""DRAW: the frames of an animation: the figures of each moment, its verdict above, the plot of the obscured share
below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from silhouette.common.geometry import INCH, Floats
from silhouette.common.text import fraction_in_words, margin_in_words
from silhouette.drawing.animation.plan import PlanExtent, drawn_plan
from silhouette.drawing.captions import PAGE_EDGE_MM
from silhouette.drawing.page import SUPERSAMPLING, TypeFace
from silhouette.drawing.sheet import COLUMN, Sheet
from silhouette.drawing.styles import DARK_INK, LEVEL_COLOURS, LIGHT_COLOUR, Colour, blend, ink_on
from silhouette.drawing.table.eye_image import image_of
from silhouette.drawing.table.eye_view import coloured
from silhouette.drawing.table.sightlines import Sightline
from silhouette.measure.observation import Sight
from silhouette.rules.base import Level, Verdict, VerdictScale

FRAME_LINE_COLOUR, SOFT_COLOUR, FAINT_COLOUR = (33, 36, 42), (95, 99, 106), (196, 194, 188)
OUTSIDE_COLOUR = (196, 184, 20)
CURVE = (150, 60, 0)  # the colour of the curve, dark enough on every band
FRAME_TYPE = TypeFace(16)
STRONG = TypeFace(16, "Bold")

LEFT_ROOM_PX, RIGHT_ROOM_PX, TOP_ROOM_PX, STRIP_HEIGHT_PX = (
    62 * SUPERSAMPLING,
    9 * SUPERSAMPLING,
    10 * SUPERSAMPLING,
    22 * SUPERSAMPLING,
)
"""Pixels: room for marks on the left, for the marker on the right, above the plot; the height of the strip below."""


@dataclass(frozen=True)
class Point:
    """A frame in the plot: the length of the way so far, the verdict, and of the target the share obscured, None where
    nothing is measured, and the share beyond the vision arc alone.
    """

    way: float
    verdict: str
    level: Level | None
    share: float | None
    error: float
    outside: float


class Plot:
    """The plot over the whole way, ``ends`` the words below it; drawn once, `at` puts the marker where a frame is."""

    def __init__(
        self, points: Sequence[Point], scale: VerdictScale, ends: tuple[str, str], width: int, height: int
    ) -> None:
        self._points, self._scale = points, scale
        self._measured = any(point.share is not None for point in points)
        self._left, self._right = (LEFT_ROOM_PX if self._measured else 0), width - RIGHT_ROOM_PX
        self._top, self._bottom = TOP_ROOM_PX, height - FRAME_TYPE.line - STRIP_HEIGHT_PX - 6 * SUPERSAMPLING
        ways = np.array([point.way for point in points])
        self._x: Floats = self._left + (self._right - self._left) * ways / max(float(ways[-1]), 1e-9)
        self._image = Image.new("RGB", (width, height), LIGHT_COLOUR)
        self._drawing = ImageDraw.Draw(self._image)
        if self._measured:
            self._draw_bands()
            self._draw_shares()
            self._name_bands()
        self._draw_verdicts()
        y = self._bottom + STRIP_HEIGHT_PX + 6 * SUPERSAMPLING
        FRAME_TYPE.draw(self._drawing, (self._left, y), ends[0], SOFT_COLOUR)
        FRAME_TYPE.draw(self._drawing, (self._right - FRAME_TYPE.width(ends[1]), y), ends[1], SOFT_COLOUR)
        self._shown = self._image.resize((width // SUPERSAMPLING, height // SUPERSAMPLING), Image.Resampling.LANCZOS)

    @staticmethod
    def height(*, measured: bool) -> int:
        """The height of a plot, in pixels as it is shown: with shares, or with the verdicts alone."""
        return 190 if measured else (STRIP_HEIGHT_PX + FRAME_TYPE.line + TOP_ROOM_PX) // SUPERSAMPLING + 14

    def at(self, number: int) -> Image.Image:
        """The plot with its marker at a frame."""
        image = self._image.copy()
        drawing = ImageDraw.Draw(image)
        point, x = self._points[number], float(self._x[number])
        low = self._bottom + STRIP_HEIGHT_PX + 6 * SUPERSAMPLING
        drawing.line([(x, self._top), (x, low)], fill=LIGHT_COLOUR, width=4 * SUPERSAMPLING)
        drawing.line([(x, self._top), (x, low)], fill=FRAME_LINE_COLOUR, width=2 * SUPERSAMPLING)
        if point.share is not None:
            y, size = self._y(point.share), 6 * SUPERSAMPLING
            box = (x - size, y - size, x + size, y + size)
            drawing.ellipse(box, fill=LEVEL_COLOURS[point.level], outline=FRAME_LINE_COLOUR, width=2 * SUPERSAMPLING)
        return image

    def shown(self, number: int) -> Image.Image:
        """`at` at the size at which it is shown."""
        shown, image = self._shown.copy(), self.at(number)
        # The marker reaches 6 * FINE pixels to each side, and Lanczos' filter three of the pixels that are shown.
        middle = int(self._x[number] / SUPERSAMPLING)
        left, right = max(middle - 12, 0), min(middle + 13, shown.width)
        box = (left * SUPERSAMPLING, 0, right * SUPERSAMPLING, image.height)
        shown.paste(image.resize((right - left, shown.height), Image.Resampling.LANCZOS, box), (left, 0))
        return shown

    def _y(self, share: float) -> float:
        return self._bottom - (self._bottom - self._top) * share

    def _draw_bands(self) -> None:
        """The bands of the verdicts that each share would give, and the thresholds with their marks."""
        drawing = self._drawing
        for band in self._scale.bands:
            box = (self._left, self._y(band.high), self._right, self._y(band.low))
            drawing.rectangle(box, fill=blend(LEVEL_COLOURS[band.level], LIGHT_COLOUR, 0.17))
        drawing.rectangle((self._left, self._top, self._right, self._bottom), outline=FAINT_COLOUR, width=SUPERSAMPLING)
        for mark in sorted({0.0, 1.0, *self._scale.marks}):
            y = self._y(mark)
            for start in range(self._left, self._right, 10 * SUPERSAMPLING):
                drawing.line(
                    [(start, y), (min(start + 5 * SUPERSAMPLING, self._right), y)],
                    fill=SOFT_COLOUR,
                    width=SUPERSAMPLING,
                )
            text = f"{100.0 * mark:.0f} %"
            if 0.0 < mark < 0.12:
                continue
            wide = FRAME_TYPE.width(text)
            FRAME_TYPE.draw(
                drawing, (self._left - wide - 8 * SUPERSAMPLING, y - FRAME_TYPE.line / 2), text, SOFT_COLOUR
            )

    def _name_bands(self) -> None:
        """The names of the bands, each in the corner of its band that the curve leaves most free."""
        curve = np.array(
            [
                (x, self._y(point.share))
                for x, point in zip(self._x, self._points, strict=True)
                if point.share is not None
            ]
        )
        fine = np.linspace(curve[0, 0], curve[-1, 0], 400)
        heights = np.interp(fine, curve[:, 0], curve[:, 1])
        for band in self._scale.bands:
            wide, rim = STRONG.width(band.verdict), 6 * SUPERSAMPLING
            sides = (self._left + rim, self._right - wide - rim)
            heights_free = (self._y(band.high) + rim / 3, self._y(band.low) - STRONG.line - rim / 3)

            def clear(at: tuple[float, float], wide: float = wide) -> float:
                under_text = (fine > at[0] - FRAME_TYPE.size) & (fine < at[0] + wide + FRAME_TYPE.size)
                return float(np.abs(heights[under_text] - at[1] - STRONG.line / 2).min(initial=STRONG.line))

            best = max(((x, y) for x in sides for y in heights_free), key=clear)
            STRONG.draw(self._drawing, best, band.verdict, blend(DARK_INK, LIGHT_COLOUR, 0.62), LIGHT_COLOUR)

    def _draw_shares(self) -> None:
        """The curve of the share obscured in the band of its error, and above it the share beyond the arc."""
        drawing = self._drawing
        measured = [number for number, point in enumerate(self._points) if point.share is not None]
        shares = np.array([self._points[number].share for number in measured], dtype=np.float64)
        errors = np.array([self._points[number].error for number in measured])
        outside = np.array([self._points[number].outside for number in measured])
        x = self._x[measured]
        if outside.any():
            self._hatch(x, shares, shares + outside)
        band = np.column_stack(
            [np.concatenate([x, x[::-1]]), np.concatenate([shares + errors, (shares - errors)[::-1]])]
        )
        ring = [(float(at), self._y(float(np.clip(share, 0.0, 1.0)))) for at, share in band]
        if len(measured) > 1:
            drawing.polygon(ring, fill=blend(CURVE, LIGHT_COLOUR, 0.55))
            curve = [(float(at), self._y(float(share))) for at, share in zip(x, shares, strict=True)]
            drawing.line(curve, fill=CURVE, width=3 * SUPERSAMPLING, joint="curve")

    def _hatch(self, x: Floats, low: Floats, high: Floats) -> None:
        mask = Image.new("L", self._image.size)
        ring = [*zip(x, map(self._y, low), strict=True), *zip(x[::-1], map(self._y, high[::-1]), strict=True)]
        ImageDraw.Draw(mask).polygon([(float(a), float(b)) for a, b in ring], fill=255)
        stripes = Image.new("L", self._image.size)
        lines = ImageDraw.Draw(stripes)
        for start in range(-self._image.height, self._image.width, 8 * SUPERSAMPLING):
            lines.line(
                [(start, self._image.height), (start + self._image.height, 0)], fill=150, width=2 * SUPERSAMPLING
            )
        stripes.paste(0, mask=Image.eval(mask, lambda value: 255 - value))
        self._image.paste(
            blend(OUTSIDE_COLOUR, LIGHT_COLOUR, 0.35), mask=Image.eval(mask, lambda value: value * 3 // 5)
        )
        self._image.paste(OUTSIDE_COLOUR, mask=stripes)
        text, weights = "beyond the vision arc", high - low
        wide = FRAME_TYPE.width(text)
        middle = (
            float((x * weights).sum() / weights.sum()),
            self._y(float(np.average((low + high) / 2, weights=weights))),
        )
        left = float(
            np.clip(middle[0] - wide / 2, self._left + 4 * SUPERSAMPLING, self._right - wide - 8 * SUPERSAMPLING)
        )
        STRONG.draw(self._drawing, (left, middle[1] - FRAME_TYPE.line / 2), text, DARK_INK, LIGHT_COLOUR)

    def _draw_verdicts(self) -> None:
        top = self._bottom + 4 * SUPERSAMPLING
        edges = [self._x[0], *((self._x[1:] + self._x[:-1]) / 2), self._x[-1]]
        runs = groupby(range(len(self._points)), key=lambda number: self._points[number].verdict)
        for verdict, numbers in runs:
            run = list(numbers)
            start, end = float(edges[run[0]]), float(edges[run[-1] + 1])
            colour: Colour = LEVEL_COLOURS[self._points[run[0]].level]
            self._drawing.rectangle((start, top, end, top + STRIP_HEIGHT_PX), fill=colour)
            choices = [verdict, verdict.split()[0]] if end - start > 60 * SUPERSAMPLING else [verdict]
            text = next(
                (choice for choice in choices if FRAME_TYPE.width(choice) <= end - start - 6 * SUPERSAMPLING), ""
            )
            at = (start + end - FRAME_TYPE.width(text)) / 2, top + (STRIP_HEIGHT_PX - FRAME_TYPE.line) / 2
            STRONG.draw(self._drawing, at, text, ink_on(colour))
        self._drawing.rectangle(
            (self._x[0], top, self._right, top + STRIP_HEIGHT_PX), outline=SOFT_COLOUR, width=SUPERSAMPLING
        )


# ---- panels of maps

Bounds = tuple[float, float, float, float]
MAX_MAP_ASPECT = 0.66  # the greatest height of a map, as a share of its width: frames are wide
Draw = Callable[[Sheet], None]


def bounds_of(figures: Iterable[Draw]) -> Bounds:
    """Left, bottom, right and top of the least rectangle that holds everything in some figures; within `settings`."""
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
    """The figure of a moment, ``width`` pixels wide, within bounds from `bounds_of`; within `settings`."""
    sheet = Sheet(captions=False, fixed=bounds)
    draw(sheet)
    figure = sheet.finish()
    figure.set_dpi(2.0 * width * INCH / COLUMN)
    canvas: Any = figure.canvas
    canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
    room = (bounds[2] - bounds[0], bounds[3] - bounds[1])
    height = round((room[1] / room[0] * (COLUMN - 2 * PAGE_EDGE_MM) + 2 * PAGE_EDGE_MM) / COLUMN * width)
    return (np.asarray(picture.resize((width, height), Image.Resampling.LANCZOS)),)


# ---- frames

# Pixels as they are shown: a frame, its margin, between panels.
FRAME_WIDTH_PX, FRAME_MARGIN_PX, FRAME_GAP_PX = 720, 16, 12
EYE_PANEL_PX = (430, 330)
# Width and height of the eye view and of the plan.
PLAN_PANEL_PX = (FRAME_WIDTH_PX - 2 * FRAME_MARGIN_PX - EYE_PANEL_PX[0] - FRAME_GAP_PX, EYE_PANEL_PX[1])
PANEL_RIM_COLOUR = (200, 197, 190)
FRAME_TITLE_TYPE = TypeFace(25, "Bold")
FRAME_SHARE_TYPE = TypeFace(21, "Bold")
FRAME_REASON_TYPE = TypeFace(16)
REASONS = 3  # the most lines of a reason


@dataclass(frozen=True, eq=False)
class Moment:
    """A moment: its verdict, its point in the plot, and its panels, colours (height, width, 3) as they are shown."""

    verdict: Verdict
    point: Point
    panels: tuple[NDArray[np.uint8], ...]


def ground_of(sights: Sequence[Sight]) -> PlanExtent:
    """The stretch of table that the plans of all frames show."""
    return PlanExtent.of(sights, *PLAN_PANEL_PX)


def table_panels(ground: PlanExtent, line: Sightline) -> tuple[NDArray[np.uint8], ...]:
    """The eye view and the plan of a moment on a table."""
    width, height = (length * SUPERSAMPLING for length in EYE_PANEL_PX)
    image = image_of(line.scene, line.observation, line.renderer, width, height)
    colours = coloured(image, line.scene, line.sight.target, line.blocking)
    eye = Image.fromarray(colours).resize(EYE_PANEL_PX, Image.Resampling.LANCZOS)
    ImageDraw.Draw(eye).rectangle((0, 0, EYE_PANEL_PX[0] - 1, EYE_PANEL_PX[1] - 1), outline=PANEL_RIM_COLOUR)
    return np.asarray(eye), drawn_plan(ground, line)


class Storyboard:
    """All frames of an animation, each drawn on demand; all panels are of one size, ``ends`` the words of the plot."""

    def __init__(self, shots: Sequence[Moment], scale: VerdictScale, ends: tuple[str, str]) -> None:
        self._shots = shots
        self._measured = any(shot.point.share is not None for shot in shots)
        points, height = [shot.point for shot in shots], Plot.height(measured=self._measured)
        self._plot = Plot(
            points, scale, ends, (FRAME_WIDTH_PX - 2 * FRAME_MARGIN_PX) * SUPERSAMPLING, height * SUPERSAMPLING
        )
        self._head = (
            2 * SUPERSAMPLING * FRAME_MARGIN_PX // 2
            + FRAME_TITLE_TYPE.line
            + (FRAME_SHARE_TYPE.line if self._measured else REASONS * FRAME_REASON_TYPE.line)
            + 14 * SUPERSAMPLING
        )
        self._panels = max(panel.shape[0] for panel in shots[0].panels)
        total = self._head // SUPERSAMPLING + self._panels + FRAME_GAP_PX + height + FRAME_MARGIN_PX // 2
        self.size = FRAME_WIDTH_PX, total + total % 2

    def __len__(self) -> int:
        return len(self._shots)

    def frame(self, number: int) -> Image.Image:
        """One frame, RGB, of `size`, both even."""
        shot, width = self._shots[number], self.size[0]
        frame = Image.new("RGB", self.size, LIGHT_COLOUR)
        head = Image.new("RGB", (width * SUPERSAMPLING, self._head), LIGHT_COLOUR)
        self._draw_head(head, shot)
        frame.paste(head.resize((width, self._head // SUPERSAMPLING), Image.Resampling.LANCZOS))
        frame.paste(
            self._plot.shown(number), (FRAME_MARGIN_PX, self._head // SUPERSAMPLING + self._panels + FRAME_GAP_PX)
        )
        x = FRAME_MARGIN_PX
        for panel in shot.panels:
            frame.paste(Image.fromarray(panel), (x, self._head // SUPERSAMPLING))
            x += panel.shape[1] + FRAME_GAP_PX
        return frame

    def _draw_head(self, page: Image.Image, shot: Moment) -> None:
        """The names of both; the verdict as a coloured word; the share, or the reason where nothing is measured."""
        drawing, verdict = ImageDraw.Draw(page), shot.verdict
        room = (FRAME_WIDTH_PX - 2 * FRAME_MARGIN_PX) * SUPERSAMPLING
        left, y = FRAME_MARGIN_PX * SUPERSAMPLING, FRAME_MARGIN_PX * SUPERSAMPLING // 2
        half = 0.46 * room
        ends = (verdict.attacker, verdict.target)
        attacker, target = (FRAME_TITLE_TYPE.elided(FRAME_TITLE_TYPE.printable(name), half) for name in ends)
        FRAME_TITLE_TYPE.draw(drawing, (left, y), f"{attacker} → {target}", DARK_INK)
        y += FRAME_TITLE_TYPE.line + 2 * SUPERSAMPLING
        plate, colour = verdict.verdict, LEVEL_COLOURS[shot.point.level]
        wide = FRAME_SHARE_TYPE.width(plate) + 20 * SUPERSAMPLING
        drawing.rounded_rectangle(
            (left, y, left + wide, y + FRAME_SHARE_TYPE.line + 4 * SUPERSAMPLING), radius=6 * SUPERSAMPLING, fill=colour
        )
        FRAME_SHARE_TYPE.draw(drawing, (left + 10 * SUPERSAMPLING, y + 2 * SUPERSAMPLING), plate, ink_on(colour))
        text_left = left + wide + 12 * SUPERSAMPLING
        if self._measured:
            share = "" if shot.point.share is None else fraction_in_words(shot.point.share)
            text = f"{share}{margin_in_words(shot.point.error)} obscured" if share else ""
            close = "; too close to call" if text and verdict.marginal else ""
            FRAME_SHARE_TYPE.draw(drawing, (text_left, y + 2 * SUPERSAMPLING), text + close, DARK_INK)
            return
        for line in FRAME_REASON_TYPE.wrapped(
            FRAME_REASON_TYPE.printable(verdict.reason), left + room - text_left, REASONS
        ):
            FRAME_REASON_TYPE.draw(drawing, (text_left, y), line, SOFT_COLOUR)
            y += FRAME_REASON_TYPE.line
