"""DRAW: the page of a vector figure: a framed drawing at column width, names placed on it, a caption below it.

A figure module gets a `Sheet`, says once what rectangle of its world is shown (`Sheet.frame`), draws on `Sheet.axes`
in units of that world, and gives names, legend and notes to the sheet, which places them when all is drawn: names next
to the things that they name, inside the frame, without overlaps.

    Sheet -> frame -> drawing on axes, label, avoid, legend, note, caption -> finish -> saving.save
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
from silhouette.drawing import typeface
from silhouette.drawing.captions import EDGE, HAIRLINE, NAME, SMALL, THIN, Swatch, caption_lines
from silhouette.drawing.styles import PRINT, Style
from silhouette.drawing.words.words import Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


# ---- the places of names

NAME_MARGIN = 0.7
"""The margin of free paper round a name, mm."""

NAME_SHIFTS = (0.0, 2.0, 4.5, 7.5, 11.0, 15.0, 20.0, 26.0)
"""The distances, mm, by which a name is moved away where it has no room next to its thing."""

LED = 3.0
"""The distance, mm, from which a line leads from a name to its thing."""

DIRECTIONS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""The places of a name, the best first: above, below, to the right and left, at the corners."""

OVERLAP, ON_LINES, ON_OTHERS, OUTSIDE = 1000.0, 1.5, 12.0, 300.0
"""The costs of a place: of the share of the name on other names, of each obstacle covered, of the share on the things
of other names, of each mm outside the frame.
"""

ON_ITSELF = 70.0
"""The cost of the middle of a name's own thing, for a name that stands next to it: better than on other names."""

TOO_DEAR = 14.0
"""The cost from which an optional name is left out."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Label:
    """A name to be placed: the arguments of `silhouette.drawing.sheet.Sheet.label`."""

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
    """The places of all names; an earlier name has the better choice.

    Args:
        labels: the names, in units of the drawing.
        obstacles: the points (n, 2) to keep free where that is possible, in the same units.
        reserved: the boxes on which no name may stand.
        bounds: left, bottom, right, top of the frame.
        unit: the number of units of the drawing in one mm.
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
        costs = costs + OVERLAP * _overlap(boxes, taken_boxes) + OUTSIDE * _outside(places, half + 0.4, size)
        costs = costs + ON_LINES * _within(kept_free, boxes)
        costs = costs + ON_OTHERS * _overlap(boxes, np.delete(named, number, axis=0))
        best = int(costs.argmin())
        if label.optional and costs[best] > TOO_DEAR:
            continue
        taken_boxes = np.concatenate([taken_boxes, boxes[best : best + 1]])
        at = places[best] * unit + corner
        placed.append(
            PlacedLabel(label, (float(at[0]), float(at[1])), _leader(label, places[best], middle, half, clear, at))
        )
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
    directions = np.array(DIRECTIONS, dtype=np.float64)
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


def _outside(places: Floats, half: Floats, size: Floats) -> Floats:
    """The mm by which each name sticks out of the frame, and a little more where it does at all."""
    out = np.clip(half - places, 0.0, None) + np.clip(places + half - size, 0.0, None)
    total: Floats = out.sum(axis=1)
    return total + 0.1 * (total > 0.0)


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

COLUMN, TWO_COLUMNS = 85.0, 170.0
"""The width of a column of print, and of a figure; and of a figure of a whole table, and its greatest height; mm."""

MIN_HEIGHT, MAX_HEIGHT = 30.0, 105.0
"""The least and, unless a sheet says otherwise, the greatest height of a drawing, mm, whatever its proportions."""

NAMED = 0.42
"""The greatest width of a name, as a share of the width of the page."""

RESOLUTION = 300
"""The dots per inch of rasters."""

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
    """A context in which figures come out the same whatever the user has set for matplotlib, which stays as it was.
    RequestError where matplotlib is not installed; it says how to install it.
    """
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
        style: its colours.
        captions: whether the caption is shown.
        names: whether names and other letters are shown in the drawing.
        words: the words of its language.
        lettering: the style of the names in the drawing: another one on a picture that is always light.
        figure: matplotlib's.
        axes: the drawing, in units of the world that it shows; only the frame of it is visible.
        width: the width of the page, mm.
        tallest: the greatest height of the drawing, mm, whatever its proportions.
        unit: the number of units of the drawing in one mm on paper; known after `frame`.
        title, reason: the first line of the caption, and the sentence below it, from `caption`.
        notes: the small print below the legend, from `note`.
        legend_entries: the entries of the legend, from `legend`.
        reserved: boxes that names keep off, from `reserve`.
        data: further entries for the file's metadata, ready for JSON.
    """

    def __init__(
        self,
        width: float = COLUMN,
        style: Style = PRINT,
        *,
        captions: bool = True,
        names: bool = True,
        language: str = "en",
    ) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Canvas

        from silhouette.drawing.vector import BareAxes

        self.style, self.captions, self.names, self.width = style, captions, names, width
        self.lettering = style
        self.words = Words(language)
        self.figure: Canvas = Canvas(figsize=(width / INCH, width / INCH), facecolor=style.paper)
        FigureCanvasAgg(self.figure)
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
        self,
        left: float,
        bottom: float,
        right: float,
        top: float,
        *,
        ground: str | None = None,
        line: bool = True,
    ) -> None:
        """Sets the rectangle of the world that the drawing must show; both axes have one scale.

        The drawing is as wide as the page; where the rectangle is too tall or too flat for it, more of the world
        is drawn on both sides.

        Args:
            left, bottom, right, top: the edges of the rectangle, in units of the drawing.
            ground: the colour behind everything, by default the style's ground.
            line: whether there is a thin line round the drawing.
        """
        across, upright = max(right - left, 1e-9), max(top - bottom, 1e-9)
        room = self.width - 2 * EDGE
        self.unit = max(across / room, upright / self.tallest)
        self._height = max(upright / self.unit, MIN_HEIGHT)
        x, y = (left + right) / 2, (bottom + top) / 2
        half_width, half_height = room * self.unit / 2, self._height * self.unit / 2
        self.axes.set_xlim(x - half_width, x + half_width)
        self.axes.set_ylim(y - half_height, y + half_height)
        self.axes.set_facecolor(self.style.ground if ground is None else ground)
        for spine in self.axes.spines.values():
            spine.set(visible=line, linewidth=THIN, color=self.style.rule)

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
        size: float = NAME,
        bold: bool = False,
        colour: str | None = None,
        inside: bool = False,
        optional: bool = False,
    ) -> None:
        """Names something; the place of the name is chosen when all is drawn, so that no two names overlap.

        Args:
            text: any text at all; none of it is markup.
            at: the middle of what is named, in units of the drawing.
            clear: half the width and height of what is named, in the same units: the name stands outside it.
            size: in points.
            bold: whether it is set in bold.
            colour: by default ink.
            inside: whether it may stand on the middle itself, where there is room.
            optional: whether it is left out where there is no good place for it.
        """
        name = typeface.elided(typeface.printable(text), NAMED * self.width, max(size, typeface.MIN_TYPE_SIZE), bold)
        if self.names and name:
            colour = self.lettering.ink if colour is None else colour
            self._labels.append(
                Label(name, at, clear, max(size, typeface.MIN_TYPE_SIZE), bold, colour, inside, optional)
            )

    def name(self, text: str, points: Floats, **options: Any) -> None:
        """Names what lies within the box round points (n, 2); options as of `label`."""
        low, high = points.min(axis=0), points.max(axis=0)
        (x, y), (wide, tall) = ((low + high) / 2).tolist(), ((high - low) / 2).tolist()
        self.label(text, (x, y), clear=(wide, tall), **options)

    def picture(self, colours: NDArray[np.uint8]) -> None:
        """Fills the drawing with a raster (height, width, 3), made as fine as print needs."""
        from PIL import Image

        left, bottom, right, top = self.bounds
        dots = RESOLUTION / INCH / self.unit
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

    def text(self, x: float, y: float, text: str, *, size: float = SMALL, **options: Any) -> None:
        """Sets a short text at a place of the drawing, with a halo; options as of matplotlib's text."""
        if self.names:
            self._set(x, y, typeface.printable(text), max(size, typeface.MIN_TYPE_SIZE), **options)

    def caption(self, title: str, reason: str) -> None:
        """Sets the caption's first line, such as "Kal → Vex: partial cover", and a sentence below it."""
        self.title, self.reason = title, reason

    @property
    def about(self) -> str:
        """The content of the figure in sentences, for those who do not see it: the caption, whether it is shown or not.

        >>> with settings():
        ...     sheet = Sheet()
        >>> sheet.caption("Kal → Vex: open", "Nothing obscures Vex.")
        >>> sheet.about
        'Kal → Vex: open. Nothing obscures Vex.'
        """
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
                self.axes.plot([x, to_x], [y, to_y], color=self.lettering.soft_ink, linewidth=HAIRLINE, zorder=29)
            label = placed.label
            self._set(*placed.at, label.text, label.size, bold=label.bold, color=label.colour, ha="center")
        lines = []
        if self.captions:
            lines = caption_lines(self.width, self.style, self.title, self.reason, self.legend_entries, self.notes)
        depth = sum(line.height for line in lines) + (1.2 if lines else 0.0)
        total = self._height + depth + 2 * EDGE
        self.figure.set_size_inches(self.width / INCH, total / INCH)
        room = self.width - 2 * EDGE
        self.axes.set_position((EDGE / self.width, (EDGE + depth) / total, room / self.width, self._height / total))
        top = EDGE + depth - 1.2
        for line in lines:
            line.draw(self.figure, self.style, top)
            top -= line.height
        return self.figure

    def _set(self, x: float, y: float, text: str, size: float, *, bold: bool = False, **options: Any) -> None:
        """Sets a line of text; its halo is drawn below it by itself, so that the text stays text in every format."""
        from matplotlib.patheffects import Stroke

        style = {"color": self.lettering.ink, "va": "center_baseline", "zorder": 31.0, "clip_on": True, **options}
        text_options = {"fontproperties": typeface.face(size, bold), "parse_math": False, **style}
        halo = {**text_options, "color": self.lettering.paper, "zorder": float(style["zorder"]) - 1.0, "alpha": 0.85}
        stroke = Stroke(linewidth=0.32 * size, foreground=self.lettering.paper, joinstyle="round")
        self.axes.text(x, y, text, path_effects=[stroke], **halo)
        self.axes.text(x, y, text, **text_options)


@dataclass(frozen=True)
class Figure:
    """One figure of a verdict, or of a scene.

    Attributes:
        name: such as "plan"; part of the file's name.
        draw: draws the figure on a sheet.
        caption: a sentence for pages about what the figure shows; empty where the pages have one for the name.
        width: the width of its page, mm.
    """

    name: str
    draw: Callable[[Sheet], None]
    caption: str = ""
    width: float = COLUMN
