"""DRAW: the page of a vector figure: a framed drawing at column width, names placed on it, a caption below it.

A figure says once what rectangle of its world is shown (`Sheet.frame`), draws on `Sheet.axes` in units of that world,
and gives names, legend and notes to the sheet, which places them when all is drawn: names next to the things that they
name, inside the frame, without overlaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.errors import RequestError
from silhouette.common.geometry import INCH, Floats
from silhouette.common.installation import package_command
from silhouette.drawing import plotting, typeface
from silhouette.drawing.captions import (
    CAPTION_EDGE_MM,
    HAIRLINE_PT,
    NAME_PT,
    PAGE_EDGE_MM,
    SMALL_PT,
    THIN_LINE_PT,
    Swatch,
    caption_lines,
)
from silhouette.drawing.styles import PRINT, Style
from silhouette.drawing.words.words import Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


# ---- the places of names

NAME_MARGIN = 0.7  # the margin of free paper round a name, mm
NAME_SHIFTS = (0.0, 2.0, 4.5, 7.5, 11.0, 15.0, 20.0, 26.0)  # mm, where a name has no room next to its thing
LED = 3.0  # the distance, mm, from which a line leads from a name to its thing
NAME_DIRECTIONS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))  # best first

OVERLAP_COST, ON_LINE_COST, ON_OTHER_COST, OUTSIDE_COST_PER_MM = 1000.0, 1.5, 12.0, 300.0
"""The costs of a place: of its share on other names, each obstacle, its share on other things, each mm outside."""

ON_ITSELF = 70.0  # the cost of the middle of a name's own thing: less than that of other names
TOO_DEAR = 14.0  # the cost from which an optional name is left out
Box = tuple[float, float, float, float]  # left, bottom, right, top
Point = tuple[float, float]


@dataclass(frozen=True)
class Label:
    """A name to be placed: the arguments of `Sheet.label`."""

    text: str
    at: Point
    clear: Point
    size: float
    bold: bool
    colour: str
    inside: bool
    optional: bool


@dataclass(frozen=True)
class PlacedLabel:
    """A name with the place of its middle, and the line that leads to it from its thing, or None."""

    label: Label
    at: Point
    leader: tuple[Point, Point] | None


def place_labels(
    labels: Sequence[Label], obstacles: Sequence[Floats], reserved: Sequence[Box], bounds: Box, unit: float
) -> list[PlacedLabel]:
    """The places of all names, in units of the drawing, of which ``unit`` are a mm; an earlier name has the better
    choice. Obstacles are points (n, 2) to keep free where that is possible; on reserved boxes no name may stand.
    """
    corner = np.array(bounds[:2])
    size = (np.array(bounds[2:]) - corner) / unit
    kept_free = (np.concatenate([np.empty((0, 2)), *obstacles]) - corner) / unit
    taken_boxes = (np.array(reserved).reshape(-1, 4) - np.tile(corner, 2)) / unit
    named = np.array([_named(label) for label in labels]).reshape(-1, 4)
    named = (named - np.tile(corner, 2)) / unit
    placed = []
    for number, label in enumerate(labels):
        middle = (np.array(label.at) - corner) / unit
        clear = np.array(label.clear) / unit
        half = np.array([typeface.width(label.text, label.size, label.bold), 0.8 * typeface.height(label.size)]) / 2
        places, costs = _candidates(middle, clear, half, label.inside)
        boxes = np.concatenate([places - half - NAME_MARGIN, places + half + NAME_MARGIN], axis=1)
        rim = half + 0.4
        beyond = (np.clip(rim - places, 0.0, None) + np.clip(places + rim - size, 0.0, None)).sum(axis=1)
        costs = (
            costs + OVERLAP_COST * _overlap(boxes, taken_boxes) + OUTSIDE_COST_PER_MM * (beyond + 0.1 * (beyond > 0.0))
        )
        costs = costs + ON_LINE_COST * _within(kept_free, boxes)
        costs = costs + ON_OTHER_COST * _overlap(boxes, np.delete(named, number, axis=0))
        best = int(costs.argmin())
        if label.optional and costs[best] > TOO_DEAR:
            continue
        taken_boxes = np.concatenate([taken_boxes, boxes[best : best + 1]])
        at = places[best] * unit + corner
        leader = _leader(label, places[best], middle, half, clear, at)
        placed.append(PlacedLabel(label, (float(at[0]), float(at[1])), leader))
    return placed


def _within(points: Floats, boxes: Floats) -> NDArray[np.intp]:
    """(n,) how many of the points (m, 2) lie within each box (n, 4), not on its border.

    >>> _within(np.array([[1.0, 1.0], [2.0, 1.0], [9.0, 1.0]]), np.array([[0.0, 0.0, 2.0, 2.0], [8.0, 0.0, 9.5, 2.0]]))
    array([1, 1])
    >>> _within(np.empty((0, 2)), np.array([[0.0, 0.0, 2.0, 2.0]]))
    array([0])
    """
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    x, y = points[((points > low) & (points < high)).all(axis=1)].T
    left, bottom, right, top = boxes.T[..., None]
    inside = (x > left) & (x < right) & (y > bottom) & (y < top)
    count: NDArray[np.intp] = np.count_nonzero(inside, axis=1)
    return count


def _named(label: Label) -> Box:
    """The box round the thing of a name; a point where the name may stand on the thing."""
    (x, y), (wide, high) = label.at, label.clear
    return (x, y, x, y) if label.inside else (x - wide, y - high, x + wide, y + high)


def _candidates(middle: Floats, clear: Floats, half: Floats, inside: bool) -> tuple[Floats, Floats]:
    """Places (n, 2) in mm for the middle of a name, and (n,) their costs by the distance from its thing."""
    directions = np.array(NAME_DIRECTIONS, dtype=np.float64)
    steps = np.array(NAME_SHIFTS)
    away = clear + half + NAME_MARGIN
    slanted = np.abs(directions).sum(axis=1) == 2.0
    reach = np.where(slanted[:, None], away * [1.0, 0.8], away)
    places = middle + directions * reach + steps[:, None, None] * (directions / np.hypot(*directions.T)[:, None])
    costs = steps[:, None] * 2.5 + np.arange(len(directions)) * 0.35
    places, costs = places.reshape(-1, 2), costs.reshape(-1)
    return np.concatenate([middle[None], places]), np.concatenate([[-1.0 if inside else ON_ITSELF], costs])


def _overlap(boxes: Floats, taken_boxes: Floats) -> Floats:
    """The share of each box (n, 4) that lies on boxes that are taken (m, 4)."""
    low = np.maximum(boxes[:, None, :2], taken_boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], taken_boxes[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0.0, None), axis=2).sum(axis=1)
    area: Floats = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    share: Floats = shared / area
    return share


def _leader(
    label: Label, place: Floats, middle: Floats, half: Floats, clear: Floats, at: Floats
) -> tuple[Point, Point] | None:
    """The line from a thing to its name, in units of the drawing, where the name is far from it; else None."""
    gap = np.clip(np.abs(place - middle) - half - clear, 0.0, None)
    if np.hypot(*gap) <= LED:
        return None
    unit = (at - np.array(label.at)) / np.where(place == middle, 1.0, place - middle)
    scale = float(unit[np.argmax(np.abs(place - middle))])
    end = place - np.clip(place - middle, -half - NAME_MARGIN / 3, half + NAME_MARGIN / 3)
    start = middle + np.clip(end - middle, -clear, clear)
    first, last = (np.array(label.at) + (point - middle) * scale for point in (start, end))
    return (float(first[0]), float(first[1])), (float(last[0]), float(last[1]))


# ---- the sheet

COLUMN, TWO_COLUMNS = 85.0, 170.0  # mm of print: the width of a figure, and of a whole table, and its height
MIN_HEIGHT, MAX_HEIGHT = 30.0, 105.0  # mm: of a drawing, whatever its proportions, if the sheet says no other
MAX_NAME_WIDTH_SHARE = 0.42  # the greatest width of a name, as a share of the width of the page
RASTER_DPI = 300  # the dots per inch of rasters

SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "silhouette",
    "pdf.fonttype": 42,
    "text.usetex": False,
    "text.parse_math": False,
    "text.hinting": "none",
    "hatch.linewidth": 0.6,
    "path.simplify": False,
    "lines.solid_capstyle": "round",
    "lines.solid_joinstyle": "round",
}


@contextmanager
def settings() -> Iterator[None]:
    """A context in which figures come out the same whatever the user has set. RequestError without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        raise RequestError(
            f"drawing needs matplotlib, which is not installed; install it with: {package_command('matplotlib')}"
        ) from None
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        typeface.families()
        yield


class Sheet:
    """A page for one figure; to be made and used within `settings`.

    Attributes:
        captions, names: whether the caption, and names and other letters in the drawing, are shown.
        lettering: the style of the names in the drawing: another one on a picture that is always light.
        axes: the drawing, in units of the world that it shows; only the frame of it is visible.
        width, tallest: the width of the page, and the greatest height of the drawing, mm.
        unit: the number of units of the drawing in one mm on paper; known after `frame`.
        data: further entries for the file's metadata, ready for JSON.

    With ``fixed`` it always shows that rectangle, whatever figure is drawn on it.
    """

    def __init__(
        self,
        width: float = COLUMN,
        style: Style = PRINT,
        *,
        captions: bool = True,
        names: bool = True,
        language: str = "en",
        fixed: Box | None = None,
    ) -> None:
        from silhouette.drawing.vector import BareAxes

        self.style, self.captions, self.names, self.width = style, captions, names, width
        self.lettering, self._fixed = style, fixed
        self.words = Words(language)
        self.figure: Canvas = plotting.figure.Figure(figsize=(width / INCH, width / INCH), facecolor=style.paper)
        plotting.agg.FigureCanvasAgg(self.figure)
        self.axes: Axes = self.figure.add_axes(BareAxes(self.figure, (0.0, 0.0, 1.0, 1.0)))
        self.tallest = MAX_HEIGHT
        self.unit = 1.0
        self.data: dict[str, Any] = {}
        self._height = width
        self.title, self.reason = "", ""
        self.legend_entries: list[Swatch] = []
        self.notes: list[str] = []
        self._labels: list[Label] = []
        self._obstacles: list[Floats] = []
        self.reserved: list[Box] = []
        self.frame(0.0, 0.0, width, width)

    def frame(
        self, left: float, bottom: float, right: float, top: float, *, ground: str | None = None, line: bool = True
    ) -> None:
        """Sets the rectangle of the world that the drawing must show, to one scale, as wide as the page; of more it
        shows what fits. ``ground`` is the colour behind everything, ``line`` draws a thin line round the drawing.
        """
        left, bottom, right, top = self._fixed or (left, bottom, right, top)
        across, upright = max(right - left, 1e-9), max(top - bottom, 1e-9)
        room = self.width - 2 * PAGE_EDGE_MM
        self.unit = max(across / room, upright / self.tallest)
        self._height = max(upright / self.unit, MIN_HEIGHT)
        x, y = (left + right) / 2, (bottom + top) / 2
        half_width, half_height = room * self.unit / 2, self._height * self.unit / 2
        self.axes.set_xlim(x - half_width, x + half_width)
        self.axes.set_ylim(y - half_height, y + half_height)
        self.axes.set_facecolor(self.style.ground if ground is None else ground)
        for spine in self.axes.spines.values():
            spine.set(visible=line, linewidth=THIN_LINE_PT, color=self.style.rule)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, bottom, right and top of the visible part of the drawing, in its units."""
        (left, right), (bottom, top) = self.axes.get_xlim(), self.axes.get_ylim()
        return left, bottom, right, top

    def paper(self, mm: float) -> float:
        """A length on paper in units of the drawing."""
        return mm * self.unit

    def label(
        self,
        text: str,
        at: tuple[float, float],
        *,
        clear: tuple[float, float] = (0.0, 0.0),
        size: float = NAME_PT,
        bold: bool = False,
        colour: str | None = None,
        inside: bool = False,
        optional: bool = False,
    ) -> None:
        """Names something by any text; the place of the name is chosen when all is drawn, so that no two names overlap.

        Args:
            at: the middle of what is named, in units of the drawing.
            clear: half the width and height of what is named, in the same units: the name stands outside it.
            size: in points.
            inside: whether it may stand on the middle itself, where there is room.
            optional: whether it is left out where there is no good place for it.
        """
        size, colour = max(size, typeface.MIN_TYPE_SIZE), colour or self.lettering.ink
        name = typeface.elided(text, MAX_NAME_WIDTH_SHARE * self.width, size, bold)
        if self.names and name:
            self._labels.append(Label(name, at, clear, size, bold, colour, inside, optional))

    def name(self, text: str, points: Floats, **options: Any) -> None:
        """Names what lies within the box round points (n, 2); options as of `label`."""
        low, high = points.min(axis=0), points.max(axis=0)
        (x, y), (wide, tall) = ((low + high) / 2).tolist(), ((high - low) / 2).tolist()
        self.label(text, (x, y), clear=(wide, tall), **options)

    def picture(self, colours: NDArray[np.uint8]) -> None:
        """Fills the drawing with a raster (height, width, 3), made as fine as print needs."""
        from PIL import Image

        left, bottom, right, top = self.bounds
        dots = RASTER_DPI / INCH / self.unit
        size = round((right - left) * dots), round((top - bottom) * dots)
        pixels = np.asarray(Image.fromarray(colours).resize(size, Image.Resampling.LANCZOS))
        self.axes.imshow(pixels, extent=(left, right, bottom, top), interpolation="none", aspect="auto", zorder=0)

    def avoid(self, points: Any) -> None:
        """Keeps names off these points (n, 2), in units of the drawing, where that is possible."""
        self._obstacles.append(np.asarray(points, dtype=np.float64).reshape(-1, 2))

    def avoid_line(self, start: Any, end: Any) -> None:
        """Keeps names off the straight line between two points, where that is possible."""
        share = np.linspace(0.0, 1.0, 60)[:, None]
        self.avoid(np.asarray(start) * (1.0 - share) + np.asarray(end) * share)

    def reserve(self, left: float, bottom: float, right: float, top: float) -> None:
        """Keeps all names off this box, in units of the drawing."""
        self.reserved.append((left, bottom, right, top))

    def text(self, x: float, y: float, text: str, *, size: float = SMALL_PT, **options: Any) -> None:
        """Sets a short text at a place of the drawing, with a halo; options as of matplotlib's text."""
        if self.names:
            self._set(x, y, typeface.printable(text), max(size, typeface.MIN_TYPE_SIZE), **options)

    def caption(self, title: str, reason: str) -> None:
        """Sets the caption's first line, such as "Kal → Vex: partial cover", and a sentence below it."""
        self.title, self.reason = title, reason

    @property
    def about(self) -> str:
        """The content of the figure in sentences, for those who do not see it: the caption, shown or not."""
        return " ".join(part for part in (self.title and f"{self.title}.", self.reason, *self.notes) if part)

    def legend(self, *swatches: Swatch) -> None:
        """Adds entries to the legend; equal entries stand there once."""
        self.legend_entries = list(dict.fromkeys([*self.legend_entries, *swatches]))

    def note(self, text: str) -> None:
        """Adds a line of small print below the legend."""
        self.notes.append(text)

    def finish(self) -> Canvas:
        """Places names and caption, and gives the figure, ready to be saved."""
        for placed in place_labels(self._labels, self._obstacles, self.reserved, self.bounds, self.unit):
            if placed.leader is not None:
                (x, y), (to_x, to_y) = placed.leader
                self.axes.plot([x, to_x], [y, to_y], color=self.lettering.soft_ink, linewidth=HAIRLINE_PT, zorder=29)
            label = placed.label
            self._set(*placed.at, label.text, label.size, bold=label.bold, color=label.colour, ha="center")
        lines = []
        if self.captions:
            lines = caption_lines(self.width, self.style, self.title, self.reason, self.legend_entries, self.notes)
        depth = sum(line.height for line in lines) + (1.2 + CAPTION_EDGE_MM - PAGE_EDGE_MM if lines else 0.0)
        total = self._height + depth + 2 * PAGE_EDGE_MM
        self.figure.set_size_inches(self.width / INCH, total / INCH)
        room = self.width - 2 * PAGE_EDGE_MM
        self.axes.set_position(
            (PAGE_EDGE_MM / self.width, (PAGE_EDGE_MM + depth) / total, room / self.width, self._height / total)
        )
        top = PAGE_EDGE_MM + depth - 1.2
        for line in lines:
            line.draw(self.figure, self.style, top)
            top -= line.height
        return self.figure

    def _set(self, x: float, y: float, text: str, size: float, *, bold: bool = False, **options: Any) -> None:
        """Sets a line of text; its halo is drawn below it by itself, so that the text stays text in every format."""
        style = {"color": self.lettering.ink, "va": "center_baseline", "zorder": 31.0, "clip_on": True, **options}
        text_options = {"fontproperties": typeface.face(size, bold), "parse_math": False, **style}
        halo = {**text_options, "color": self.lettering.paper, "zorder": float(style["zorder"]) - 1.0, "alpha": 0.85}
        stroke = plotting.patheffects.Stroke(linewidth=0.32 * size, foreground=self.lettering.paper, joinstyle="round")
        self.axes.text(x, y, text, path_effects=[stroke], **halo)
        self.axes.text(x, y, text, **text_options)


@dataclass(frozen=True)
class Figure:
    """One figure of a verdict, or of a scene."""

    name: str  # such as "plan"; part of the file's name
    draw: Callable[[Sheet], None]
    caption: str = ""  # a sentence for pages about what the figure shows; empty where the pages have one for the name
    width: float = COLUMN  # the width of its page, mm
