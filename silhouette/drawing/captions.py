"""DRAW: the text below a drawing: title, reason, legend and notes, set in lines as wide as the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from silhouette.common.geometry import INCH
from silhouette.drawing import plotting, typeface
from silhouette.drawing.styles import Style

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

PAGE_EDGE_MM = 0.5  # the margin of free paper round the page, mm
CAPTION_EDGE_MM = 2.0  # that on both sides of a caption and below it
# The sizes of type in a caption, and of names in a drawing, in points.
TITLE_PT, REASON_PT, SMALL_PT, NAME_PT = 8.5, 6.8, 6.2, 6.8
MAX_REASON_LINES = 9  # lines of a reason, at most; games by data have long ones
HAIRLINE_PT, THIN_LINE_PT, LINE_PT, BOLD_LINE_PT = 0.3, 0.5, 0.8, 1.3  # the widths of lines, in points


@dataclass(frozen=True)
class Swatch:
    """An entry of the legend: a sample of the drawing, and its meaning in words."""

    words: str
    fill: str | None = None
    edge: str | None = None
    hatch: str | None = None  # as matplotlib spells it, in the edge's colour; or None
    line: bool = False  # whether it is a line and not an area: ``edge`` is its colour then
    dashes: str | tuple[float, tuple[float, ...]] = "-"  # of the line or edge, as matplotlib spells it
    width: float = 1.0  # of the line, in points
    point: str | None = None  # a sign of this form instead, as matplotlib spells it


@dataclass(frozen=True)
class CaptionLine:
    """A line of a caption: texts and swatches, each at its x in mm."""

    height: float
    size: float
    bold: bool
    colour: str
    texts: tuple[tuple[float, str], ...] = ()
    swatches: tuple[tuple[float, Swatch], ...] = ()

    def draw(self, figure: Figure, style: Style, top: float) -> None:
        """Draws it on a figure, below a height on the page, in mm."""
        page = (
            plotting.transforms.Affine2D().scale(1.0 / INCH) + figure.dpi_scale_trans
        )  # from mm, from the lower left corner
        middle = top - self.height / 2
        look: dict[str, Any] = {"fontproperties": typeface.face(self.size, self.bold), "color": self.colour}
        for x, text in self.texts:
            figure.text(x, middle, text, transform=page, va="center_baseline", parse_math=False, **look)
        for x, swatch in self.swatches:
            _draw_swatch(figure, style, swatch, (x, middle), page)


SIGN_SIZE_PT = 4.5  # the size of a sign in the legend, in points
SAFE = 0.98  # the share of a line that is filled: some viewers set type a little wider than it is measured
SWATCH = (4.2, 2.2)  # the width and height of a square of the legend, mm


def _draw_swatch(figure: Figure, style: Style, swatch: Swatch, at: tuple[float, float], page: Transform) -> None:
    edge, (x, middle) = swatch.edge or style.ink, at
    wide, high = SWATCH
    if swatch.point is not None:
        look: dict[str, Any] = {
            "marker": swatch.point,
            "markersize": SIGN_SIZE_PT,
            "markeredgewidth": LINE_PT,
            "linestyle": "none",
        }
        look |= {"color": swatch.fill, "markeredgecolor": edge}
        figure.add_artist(plotting.lines.Line2D([x + wide / 2], [middle], transform=page, **look))
        return
    if swatch.line:
        look = {"color": edge, "linewidth": swatch.width, "linestyle": swatch.dashes}
        figure.add_artist(plotting.lines.Line2D([x, x + wide], [middle, middle], transform=page, **look))
        return
    corner = (x, middle - high / 2)
    fill = swatch.fill or "none"
    layers: list[dict[str, Any]] = [{"facecolor": fill, "edgecolor": edge, "linewidth": 0.0, "hatch": swatch.hatch}]
    layers += [{"facecolor": "none", "edgecolor": edge, "linewidth": THIN_LINE_PT, "linestyle": swatch.dashes}]
    for options in layers:
        figure.add_artist(plotting.patches.Rectangle(corner, wide, high, transform=page, **options))


def caption_lines(
    width: float, style: Style, title: str, reason: str, legend: Sequence[Swatch], notes: Sequence[str]
) -> list[CaptionLine]:
    """The lines of the text below a drawing on a page of a width in mm, from the top down."""
    room = SAFE * (width - 2 * CAPTION_EDGE_MM)
    lines = _set(title, room, TITLE_PT, 3, style.ink, bold=True)
    lines += _set(reason, room, REASON_PT, MAX_REASON_LINES, style.ink)
    lines += _legend_lines(legend, room, style.ink)
    for note in notes:
        lines += _set(note, room, SMALL_PT, 3, style.soft_ink)
    return lines


def _set(text: str, room: float, size: float, most: int, colour: str, *, bold: bool = False) -> list[CaptionLine]:
    lines = typeface.VectorType(size, bold).wrapped(typeface.printable(text), room, most)
    return [CaptionLine(typeface.height(size), size, bold, colour, ((CAPTION_EDGE_MM, line),)) for line in lines]


def _legend_lines(legend: Sequence[Swatch], room: float, colour: str) -> list[CaptionLine]:
    gap, between = 1.2, 3.0
    rows, x = list[tuple[list[tuple[float, str]], list[tuple[float, Swatch]]]](), CAPTION_EDGE_MM
    for swatch in legend:
        words = typeface.elided(swatch.words, room - SWATCH[0] - gap, SMALL_PT)
        wide = SWATCH[0] + gap + typeface.width(words, SMALL_PT)
        if not rows or x - CAPTION_EDGE_MM + wide > room:
            rows.append(([], []))
            x = CAPTION_EDGE_MM
        texts, swatches = rows[-1]
        swatches.append((x, swatch))
        texts.append((x + SWATCH[0] + gap, words))
        x += wide + between
    height = SWATCH[1] + 1.2
    return [CaptionLine(height, SMALL_PT, False, colour, tuple(texts), tuple(swatches)) for texts, swatches in rows]
