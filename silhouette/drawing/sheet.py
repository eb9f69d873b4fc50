"""DRAW: the page of a vector figure: a framed drawing at column width, names placed on it, a caption below it.

A figure module gets a `Sheet`, says once what rectangle of its world is shown (`Sheet.frame`), draws on `Sheet.axes`
in units of that world, and gives names, legend and notes to the sheet, which places them when all is drawn.

    Sheet -> frame -> drawing on axes, label, avoid, legend, note, caption -> finish -> saving.save
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from silhouette.drawing import typeface
from silhouette.drawing.captions import EDGE, HAIRLINE, NAME, SMALL, THIN, Caption, Swatch
from silhouette.drawing.labels import Box, Label, place_labels
from silhouette.drawing.styles import PRINT, Style
from silhouette.drawing.words.words import Words
from silhouette.errors import RequestError
from silhouette.geometry import Floats
from silhouette.installation import package_command
from silhouette.units import INCH

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN = 85.0
"""The width of a column of print, and of a figure, mm."""

SHORTEST, TALLEST = 30.0, 105.0
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
        from matplotlib.figure import Figure

        from silhouette.drawing.bare_axes import BareAxes

        self.style, self.captions, self.names, self.width = style, captions, names, width
        self.lettering = style
        self.words = Words(language)
        self.figure: Figure = Figure(figsize=(width / INCH, width / INCH), facecolor=style.paper)
        FigureCanvasAgg(self.figure)
        self.axes: Axes = self.figure.add_axes(BareAxes(self.figure, (0.0, 0.0, 1.0, 1.0)))
        self.tallest = TALLEST
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
        self._height = max(upright / self.unit, SHORTEST)
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

    def finish(self) -> Figure:
        """Places names and caption, and gives the figure, ready to be saved."""
        for placed in place_labels(self._labels, self._obstacles, self.reserved, self.bounds, self.unit):
            if placed.leader is not None:
                (x, y), (to_x, to_y) = placed.leader
                self.axes.plot([x, to_x], [y, to_y], color=self.lettering.soft_ink, linewidth=HAIRLINE, zorder=29)
            label = placed.label
            self._set(*placed.at, label.text, label.size, bold=label.bold, color=label.colour, ha="center")
        caption = Caption(self.width, self.style, self.title, self.reason, self.legend_entries, self.notes)
        lines = caption.lines() if self.captions else []
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
