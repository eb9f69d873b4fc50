"""DRAW: the marks of a technical drawing: dimensions, arrows, dashed boxes, a scale, an eye. All in pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence

from silhouette.drawing.page import FINE, INK, PAPER, SOFT_INK, VERMILLION, Colour, Drawing, Face
from silhouette.geometry import Floats
from silhouette.units import INCH

THIN = max(FINE // 2, 1)
HEAD = 6 * FINE
Point = Sequence[float] | Floats


def cross_dimension(drawing: Drawing, between: tuple[float, float], y: float, text: str, face: Face) -> None:
    """A horizontal dimension line at a height, between two columns, with its text below."""
    left, right = between
    drawing.line([(left, y), (right, y)], fill=INK, width=FINE)
    for x, inward in ((left, 1), (right, -1)):
        drawing.line([(x, y - 14 * FINE), (x, y + 5 * FINE)], fill=SOFT_INK, width=THIN)
        _head(drawing, (x, y), (inward, 0), INK)
    printed = face.printable(text)
    face.draw(drawing, ((left + right - face.width(printed)) / 2, y + 5 * FINE), printed)


def upright_dimension(
    drawing: Drawing, x: float, between: tuple[float, float], text: str, face: Face, leftwards: bool = False
) -> None:
    """A vertical dimension line in a column, between two rows, its text on the right or the left.

    Where there is no room between the rows the arrows come from outside.
    """
    lower, upper = max(between), min(between)
    outside = lower - upper < 4 * HEAD
    reach = 3 * HEAD if outside else 0
    drawing.line([(x, upper - reach), (x, lower + reach)], fill=INK, width=FINE)
    for y, inward in ((upper, 1), (lower, -1)):
        drawing.line([(x - 5 * FINE, y), (x + 5 * FINE, y)], fill=SOFT_INK, width=THIN)
        _head(drawing, (x, y), (0, -inward if outside else inward), INK)
    printed = face.printable(text)
    left = x - face.width(printed) - 9 * FINE if leftwards else x + 9 * FINE
    face.draw(drawing, (left, (upper + lower) / 2 - face.line / 2), printed)


def arrow(drawing: Drawing, start: Point, top: float, text: str, face: Face) -> None:
    """An arrow from a point straight up to a row, with its name next to the tip: the way a model faces."""
    x, y = float(start[0]), float(start[1])
    for colour, width in ((PAPER, 3 * FINE), (INK, FINE)):
        drawing.line([(x, y), (x, top + HEAD)], fill=colour, width=width)
    drawing.ellipse([x - 2 * FINE, y - 2 * FINE, x + 2 * FINE, y + 2 * FINE], fill=INK)
    _head(drawing, (x, top), (0, 1), INK)
    face.draw(drawing, (x + 8 * FINE, top - face.line / 3), text)


def eye_mark(drawing: Drawing, at: Point, text: str, face: Face) -> None:
    """A ring with cross hairs where an eye is, and its name."""
    x, y = float(at[0]), float(at[1])
    radius, reach = 6 * FINE, 11 * FINE
    for colour, width in ((PAPER, 4 * FINE), (INK, int(1.5 * FINE))):
        grow = (width - FINE) / 2
        drawing.ellipse(
            [x - radius - grow, y - radius - grow, x + radius + grow, y + radius + grow], outline=colour, width=width
        )
        for across, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            inner, outer = 3 * FINE, reach
            drawing.line(
                [(x + across * inner, y + down * inner), (x + across * outer, y + down * outer)],
                fill=colour,
                width=width,
            )
    drawing.ellipse([x - FINE, y - FINE, x + FINE, y + FINE], fill=INK)
    face.draw(drawing, (x + reach + 4 * FINE, y - face.line / 2), text, halo=PAPER)


def dashed_box(drawing: Drawing, points: Floats, text: str, face: Face) -> None:
    """The upright rectangle round points (n, 2), dashed, with its number at a corner."""
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    sides = [((left, top), (right, top)), ((right, top), (right, bottom))]
    sides += [((left, bottom), (right, bottom)), ((left, top), (left, bottom))]
    for colour, width in ((PAPER, 3 * FINE), (VERMILLION, int(1.5 * FINE))):
        for start, end in sides:
            _dashed(drawing, start, end, colour, width)
    face.draw(drawing, (right + 4 * FINE, top - face.line / 2), text, VERMILLION, halo=PAPER)


def scale_bar(drawing: Drawing, at: tuple[float, float], per_mm: float, face: Face) -> None:
    """Two bars, a round number of mm and of inches, their lower left corner at a point.

    Args:
        per_mm: pixels.
    """
    x, y = at
    most = 150 * FINE / per_mm
    lengths = [(10.0**power * digit, f"{10**power * digit:g} mm") for power in range(-1, 4) for digit in (1, 2, 5)]
    inches = [(INCH * count, f"{count:g} inch" + ("es" if count > 1 else "")) for count in (0.25, 0.5, 1, 2, 3, 6, 12)]
    for number, choices in enumerate((inches, lengths)):
        length, text = max((choice for choice in choices if choice[0] <= most), default=choices[0])
        row = y - number * (face.line + 2 * FINE) - 4 * FINE
        end = x + length * per_mm
        drawing.line([(x, row), (end, row)], fill=INK, width=2 * FINE)
        for tick in (x, end):
            drawing.line([(tick, row - 5 * FINE), (tick, row + 3 * FINE)], fill=INK, width=FINE)
        face.draw(drawing, (end + 8 * FINE, row - face.line * 0.62), text)


def _head(drawing: Drawing, tip: Point, back: tuple[float, float], colour: Colour) -> None:
    """An arrow's head; ``back`` points from its tip along its shaft."""
    x, y = float(tip[0]), float(tip[1])
    across, down = back
    side = HEAD * 0.32
    foot = (x + across * HEAD, y + down * HEAD)
    drawing.polygon(
        [(x, y), (foot[0] - down * side, foot[1] + across * side), (foot[0] + down * side, foot[1] - across * side)],
        fill=colour,
    )


def _dashed(drawing: Drawing, start: Point, end: Point, colour: Colour, width: int) -> None:
    length = math.dist(start, end)
    dash = 6 * FINE
    for number in range(0, max(int(length / dash), 1), 2):
        first, last = number * dash / max(length, 1e-9), min((number + 1) * dash / max(length, 1e-9), 1.0)
        ends = [tuple(a + (b - a) * share for a, b in zip(start, end, strict=True)) for share in (first, last)]
        drawing.line([(ends[0][0], ends[0][1]), (ends[1][0], ends[1][1])], fill=colour, width=width)
