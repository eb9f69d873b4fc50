"""DRAW: the page of a vector figure: a framed drawing at column width, names placed on it, a caption below it.

A figure module gets a `Sheet`, says once what rectangle of its world is shown (`Sheet.frame`), draws on `Sheet.axes`
in units of that world, and gives names, legend and notes to the sheet, which places them when all is drawn.

    Sheet -> frame -> drawing on axes, label, avoid, legend, note, caption -> finish -> saving.save
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from silhouette.drawing import typeface
from silhouette.drawing.labels import Box, Label, place_labels
from silhouette.drawing.styles import PRINT, Style
from silhouette.drawing.words.words import Words
from silhouette.errors import RequestError
from silhouette.geometry import Floats
from silhouette.installation import package_command

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

COLUMN = 85.0
"""The width of a column of print, and of a figure, mm."""

EDGE = 0.5
"""The margin of free paper round the page, mm."""

SHORTEST, TALLEST = 30.0, 105.0
"""The least and, unless a sheet says otherwise, the greatest height of a drawing, mm, whatever its proportions."""

INCH = 25.4

NAMED = 0.42
"""The greatest width of a name, as a share of the width of the page."""

RESOLUTION = 300
"""The dots per inch of rasters."""

TITLE, REASON, SMALL, NAME = 8.5, 6.8, 6.2, 6.8
"""The sizes of type in a caption, and of names in a drawing, in points."""

HAIRLINE, THIN, LINE, BOLD = 0.3, 0.5, 0.8, 1.3
"""The widths of lines, in points."""

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


@dataclass(frozen=True)
class Swatch:
    """An entry of the legend: a sample of the drawing, and its meaning.

    Attributes:
        words: the meaning.
        fill, edge: colours, or None.
        hatch: as matplotlib spells it, in the edge's colour; or None.
        line: whether it is a line and not an area: ``edge`` is its colour then.
        dashes: of the line or edge, as matplotlib spells it.
        width: of the line, in points.
        point: a sign of this form instead, as matplotlib spells it.
    """

    words: str
    fill: str | None = None
    edge: str | None = None
    hatch: str | None = None
    line: bool = False
    dashes: str | tuple[float, tuple[float, ...]] = "-"
    width: float = 1.0
    point: str | None = None


@contextmanager
def settings() -> Iterator[None]:
    """A context in which figures come out the same whatever the user has set for matplotlib, which stays as it was.

    Raises:
        RequestError: where matplotlib is not installed; it says how to install it.
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
        from matplotlib.figure import Figure

        self.style, self.captions, self.names, self.width = style, captions, names, width
        self.lettering = style
        self.words = Words(language)
        self.figure: Figure = Figure(figsize=(width / INCH, width / INCH), facecolor=style.paper)
        FigureCanvasAgg(self.figure)
        self.axes: Axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.tallest = TALLEST
        self.unit = 1.0
        self.data: dict[str, Any] = {}
        self._height = width
        self._title, self._reason = "", ""
        self.legend_entries: list[Swatch] = []
        self._notes: list[str] = []
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
        self._height = max(upright / self.unit, SHORTEST)
        x, y = (left + right) / 2, (bottom + top) / 2
        half_width, half_height = room * self.unit / 2, self._height * self.unit / 2
        self.axes.set_xlim(x - half_width, x + half_width)
        self.axes.set_ylim(y - half_height, y + half_height)
        self.axes.set_facecolor(self.style.ground if ground is None else ground)
        self.axes.tick_params(left=False, bottom=False, labelleft=False, labelbottom=False)
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
        name = typeface.elided(typeface.printable(text), NAMED * self.width, max(size, typeface.LEAST), bold)
        if self.names and name:
            colour = self.lettering.ink if colour is None else colour
            self._labels.append(Label(name, at, clear, max(size, typeface.LEAST), bold, colour, inside, optional))

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
            self._set(x, y, typeface.printable(text), max(size, typeface.LEAST), **options)

    def caption(self, title: str, reason: str) -> None:
        """Sets the caption's first line, such as "Kal → Vex: partial cover", and a sentence below it."""
        self._title, self._reason = title, reason

    def legend(self, *swatches: Swatch) -> None:
        """Adds entries to the legend; equal entries stand there once."""
        self.legend_entries = list(dict.fromkeys([*self.legend_entries, *swatches]))

    def note(self, text: str) -> None:
        """Adds a line of small print below the legend."""
        self._notes.append(text)

    def finish(self) -> Figure:
        """Places names and caption, and gives the figure, ready to be saved."""
        for placed in place_labels(self._labels, self._obstacles, self.reserved, self.bounds, self.unit):
            if placed.leader is not None:
                (x, y), (to_x, to_y) = placed.leader
                self.axes.plot([x, to_x], [y, to_y], color=self.lettering.soft_ink, linewidth=HAIRLINE, zorder=29)
            label = placed.label
            self._set(*placed.at, label.text, label.size, bold=label.bold, color=label.colour, ha="center")
        lines = _Caption(self).lines() if self.captions else []
        depth = sum(line.height for line in lines) + (1.2 if lines else 0.0)
        total = self._height + depth + 2 * EDGE
        self.figure.set_size_inches(self.width / INCH, total / INCH)
        room = self.width - 2 * EDGE
        self.axes.set_position((EDGE / self.width, (EDGE + depth) / total, room / self.width, self._height / total))
        top = EDGE + depth - 1.2
        for line in lines:
            line.draw(self, top)
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
class _Line:
    """A line of a caption: texts and swatches, each at its x in mm."""

    height: float
    size: float
    bold: bool
    colour: str
    texts: tuple[tuple[float, str], ...] = ()
    swatches: tuple[tuple[float, Swatch], ...] = ()

    def draw(self, sheet: Sheet, top: float) -> None:
        """Draws it below a height on the page, in mm."""
        page = _page(sheet)
        middle = top - self.height / 2
        look: dict[str, Any] = {"fontproperties": typeface.face(self.size, self.bold), "color": self.colour}
        for x, text in self.texts:
            sheet.figure.text(x, middle, text, transform=page, va="center_baseline", parse_math=False, **look)
        for x, swatch in self.swatches:
            _draw_swatch(sheet, swatch, x, middle, page)


def _page(sheet: Sheet) -> Transform:
    """The transform from mm of the page, with the origin in its lower left corner."""
    from matplotlib.transforms import Affine2D

    return Affine2D().scale(1.0 / INCH) + sheet.figure.dpi_scale_trans


POINT = 4.5
"""The size of a sign in the legend, in points."""

SAFE = 0.98
"""The share of a line that is filled: some viewers set type a little wider than it is measured."""

SWATCH = (4.2, 2.2)
"""The width and height of a square of the legend, mm."""


def _draw_swatch(sheet: Sheet, swatch: Swatch, x: float, middle: float, page: Transform) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    edge = swatch.edge or sheet.style.ink
    wide, high = SWATCH
    if swatch.point is not None:
        look: dict[str, Any] = {"marker": swatch.point, "markersize": POINT, "markeredgewidth": LINE}
        sign = Line2D([x + wide / 2], [middle], color=swatch.fill, markeredgecolor=edge, linestyle="none", **look)
        sign.set_transform(page)
        sheet.figure.add_artist(sign)
        return
    if swatch.line:
        look = {"color": edge, "linewidth": swatch.width, "linestyle": swatch.dashes}
        shape = Line2D([x, x + wide], [middle, middle], **look)
        shape.set_transform(page)
        sheet.figure.add_artist(shape)
        return
    corner = (x, middle - high / 2)
    fill = swatch.fill or "none"
    layers: list[dict[str, Any]] = [{"facecolor": fill, "edgecolor": edge, "linewidth": 0.0, "hatch": swatch.hatch}]
    layers += [{"facecolor": "none", "edgecolor": edge, "linewidth": THIN, "linestyle": swatch.dashes}]
    for options in layers:
        sheet.figure.add_artist(Rectangle(corner, wide, high, transform=page, **options))


class _Caption:
    """The text below a drawing, in lines."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._room = SAFE * (sheet.width - 2 * EDGE)

    def lines(self) -> list[_Line]:
        """The lines, from the top down."""
        sheet, style = self._sheet, self._sheet.style
        lines = self._set(sheet._title, TITLE, 3, bold=True, colour=style.ink)
        lines += self._set(sheet._reason, REASON, 5, colour=style.ink)
        lines += self._legend()
        for note in sheet._notes:
            lines += self._set(note, SMALL, 2, colour=style.soft_ink)
        return lines

    def _set(self, text: str, size: float, most: int, *, colour: str, bold: bool = False) -> list[_Line]:
        lines = typeface.wrapped(typeface.printable(text), self._room, size, bold, most)
        return [_Line(typeface.height(size), size, bold, colour, ((EDGE, line),)) for line in lines]

    def _legend(self) -> list[_Line]:
        rows: list[list[Swatch]] = [[]]
        gap, between = 1.2, 3.0
        x = 0.0
        for swatch in self._sheet.legend_entries:
            wide = SWATCH[0] + gap + typeface.width(typeface.printable(swatch.words), SMALL)
            if rows[-1] and x + wide > self._room:
                rows.append([])
                x = 0.0
            rows[-1].append(swatch)
            x += wide + between
        lines = []
        for row in rows if rows[0] else []:
            x, texts, swatches = EDGE, list[tuple[float, str]](), list[tuple[float, Swatch]]()
            for swatch in row:
                room = self._room - SWATCH[0] - gap
                words = typeface.elided(typeface.printable(swatch.words), room, SMALL)
                swatches.append((x, swatch))
                texts.append((x + SWATCH[0] + gap, words))
                x += SWATCH[0] + gap + typeface.width(words, SMALL) + between
            lines.append(_Line(SWATCH[1] + 1.2, SMALL, False, self._sheet.style.ink, tuple(texts), tuple(swatches)))
        return lines
