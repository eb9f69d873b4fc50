"""DRAW: the marks that boards and plans are made of, in the drawing's own units; grids, and the numbers along edges.

A mark's ``mark`` becomes its id in SVG, so that what a figure shows can be read back from the file. Marks are given in
the program's words, never in users'. Numbers count from the origin of the drawing's frame: in a plan of the whole table
the scene's origin, so that a place can be written into `at`; in a plan along a line of sight the eye. ``mm`` is the
length of a unit of the drawing, None where that is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import numpy as np

from silhouette.common.geometry import INCH, Floats
from silhouette.drawing import plotting
from silhouette.drawing.captions import HAIRLINE_PT, LINE_PT, SMALL_PT, THIN_LINE_PT
from silhouette.drawing.sheet import TWO_COLUMNS, Sheet
from silhouette.drawing.table.tracing import Rings, path_of
from silhouette.drawing.typeface import elided
from silhouette.rules.base import Verdict

Steps = tuple[float, ...]
Box = tuple[float, float, float, float]  # left, bottom, right and top, in units of the drawing
INCHES = tuple(INCH * count for count in (1, 2, 3, 6, 12, 24, 48, 96))  # steps of grids and of numbers in inches, mm
TICK_STEPS_MM = tuple(10.0**power * count for power in range(1, 5) for count in (1, 2, 5))  # steps
DECADES = tuple(10.0**power * count for power in range(-4, 7) for count in (1, 2, 5))  # steps of numbers in any units
LINES_APART = 1.3  # the least distance of two grid lines, mm on paper
NUMBERS_APART = 9.0  # the least distance of two numbers, mm on paper
TICK_MM = 0.9  # the length of a tick, mm on paper
OVER_NAMES = 26.0  # the zorder of ticks and numbers
CORNER_ROOM_MM = 4.0  # the room at the upper right corner that is left to the numbers of the upper edge, mm on paper
NUMBERS_MARGIN_MM = 7.0  # the room for numbers on each side of the rectangle, mm on paper
MAX_RULER_MARKS = 400  # the most lines or numbers along one edge, whatever the table's size
MINUS = "\N{MINUS SIGN}"


def step_of(sheet: Sheet, steps: Steps, apart: float, length: float) -> float:
    """The least of these steps, from small to large, that is as long on paper as ``apart``, in mm, and divides a length
    into at most `MAX_RULER_MARKS`; the last one, doubled, where none is.
    """
    least = max(sheet.paper(apart), length / MAX_RULER_MARKS)
    step = next((step for step in steps if step >= least), steps[-1])
    while step < least:
        step *= 2.0
    return step


def scaled(steps: Steps, mm: float) -> Steps:
    """Steps in mm, in units of a drawing that are this many mm long."""
    return tuple(step / mm for step in steps)


def multiples(step: float, low: float, high: float) -> Floats:
    """The multiples of a step from ``low`` to ``high``.

    >>> multiples(25.4, -30.0, 51.0).tolist()
    [-25.4, 0.0, 25.4, 50.8]
    >>> multiples(2.0, -1.0, 1.0).tolist()
    [0.0]
    """
    numbers = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1.0)
    return step * numbers + 0.0  # zero without a sign


def draw_grid(sheet: Sheet, box: Box, *, mm: float = 1.0) -> float:
    """Draws the grid of a table, one inch apart or as many as can be told apart on paper; gives that distance, mm.
    Every line that has a number in `draw_rulers`, and the axes through the origin, are stronger.
    """
    left, bottom, right, top = box
    length, steps = max(right - left, top - bottom), scaled(INCHES, mm)
    fine, numbered = (step_of(sheet, steps, apart, length) for apart in (LINES_APART, NUMBERS_APART))
    for step, width, colour in (
        (fine, HAIRLINE_PT, sheet.style.grid),
        (numbered, THIN_LINE_PT, sheet.style.grid),
        (None, THIN_LINE_PT, sheet.style.rule),
    ):
        upright = multiples(step, left, right) if step else np.zeros(int(left <= 0.0 <= right))
        across = multiples(step, bottom, top) if step else np.zeros(int(bottom <= 0.0 <= top))
        sheet.axes.vlines(upright, bottom, top, colors=colour, linewidth=width, zorder=0.5)
        sheet.axes.hlines(across, left, right, colors=colour, linewidth=width, zorder=0.5)
    return fine * mm


def draw_table_top(sheet: Sheet, box: Box, shown: Box, *, mm: float | None = 1.0) -> None:
    """Sets the frame for a whole table, of which a rectangle is shown with numbers round it, and draws its top with
    grid and numbers, and the note on how to read them; no grid without ``mm``.
    """
    sheet.tallest = TWO_COLUMNS
    sheet.frame(*room_round(shown, sheet.width, TWO_COLUMNS), ground=sheet.style.paper, line=False)
    rectangle(sheet, *box, fill=sheet.style.ground, edge=sheet.style.rule, width=LINE_PT, zorder=0.1, mark="table")
    if mm is None:
        draw_numbers(sheet, box)
    else:
        inches = round(draw_grid(sheet, box, mm=mm) / INCH)
        draw_rulers(sheet, box, mm=mm)
        sheet.note(sheet.words("table", inches=sheet.words("inches", number=inches)))
    sheet.data["frame"] = {"kind": "table", "bounds": list(sheet.bounds), "table": list(box), "unit": sheet.unit}


def draw_rulers(sheet: Sheet, box: Box, *, mm: float = 1.0) -> None:
    """Draws ticks and numbers round a rectangle: inches below and on the left, millimetres above and on the right."""
    left, bottom, right, top = box
    for steps, across, upright, way in ((INCHES, bottom, left, -1.0), (TICK_STEPS_MM, top, right, 1.0)):
        _ruler(sheet, steps, (left, right), across, way, x=True, mm=mm)
        _ruler(sheet, steps, (bottom, top), upright, way, x=False, mm=mm)
    _keep_names_in(sheet, box)


def draw_ticks(sheet: Sheet, box: Box, *, mm: float | None = 1.0, square: float = 0.0) -> None:
    """Draws ticks and numbers within the upper and right edge: inches, or without ``mm`` the drawing's units; of a
    drawing in mm, squares of a side if one is given, with their lines.
    """
    left, bottom, right, top = box
    steps, length = (DECADES, 1.0) if mm is None else (INCHES, mm)
    if square:
        steps, length = DECADES, 1.0 / square
        sheet.axes.vlines(
            multiples(square, left, right), bottom, top, colors=sheet.style.grid, linewidth=HAIRLINE_PT, zorder=0.5
        )
        sheet.axes.hlines(
            multiples(square, bottom, top), left, right, colors=sheet.style.grid, linewidth=HAIRLINE_PT, zorder=0.5
        )
    _ruler(sheet, steps, (left, right), top, -1.0, x=True, mm=length)
    _ruler(sheet, steps, (bottom, top - sheet.paper(CORNER_ROOM_MM)), right, -1.0, x=False, mm=length)
    sheet.reserve(left, top - sheet.paper(TICK_MM + 2.8), right, top)


def draw_numbers(sheet: Sheet, box: Box) -> None:
    """Draws ticks and numbers below a rectangle and on its left, in the units of the drawing."""
    left, bottom, right, top = box
    _ruler(sheet, DECADES, (left, right), bottom, -1.0, x=True)
    _ruler(sheet, DECADES, (bottom, top), left, -1.0, x=False)
    _keep_names_in(sheet, box)


def _keep_names_in(sheet: Sheet, box: Box) -> None:
    left, bottom, right, top = box
    west, south, east, north = sheet.bounds
    upright = ((west, south, left, north), (right, south, east, north))
    for band in (*upright, (left, south, right, bottom), (left, top, right, north)):
        sheet.reserve(*band)


def _ruler(
    sheet: Sheet, steps: Steps, span: tuple[float, float], edge: float, way: float, *, x: bool, mm: float = 1.0
) -> None:
    """Draws one edge's ticks and numbers; ``way`` is the direction, 1 or -1, in which they stand off it."""
    step = step_of(sheet, scaled(steps, mm), NUMBERS_APART, span[1] - span[0])
    tick, gap = way * sheet.paper(TICK_MM), way * sheet.paper(TICK_MM + 0.6)
    places = multiples(step, *span)
    lines = sheet.axes.vlines if x else sheet.axes.hlines
    lines(places, edge, edge + tick, colors=sheet.style.soft_ink, linewidth=THIN_LINE_PT, zorder=OVER_NAMES)
    room = sheet.paper(NUMBERS_APART) / 3
    for place in places.tolist():
        if not span[0] + room * 0.2 <= place <= span[1] - room * 0.2:
            continue
        text = _number(sheet, place * mm, steps, named=x)
        if x:
            at, across, upright = (place, edge + gap), "center", "bottom" if way > 0.0 else "top"
        else:
            at, across, upright = (edge + gap, place), "left" if way > 0.0 else "right", "center_baseline"
        sheet.text(*at, text, size=SMALL_PT, color=sheet.style.soft_ink, zorder=OVER_NAMES, ha=across, va=upright)


def _number(sheet: Sheet, place: float, steps: Steps, *, named: bool) -> str:
    """A place in words: inches with their sign, millimetres with their unit at the origin alone, where it is named."""
    if steps is DECADES:
        return sheet.words.number(f"{place:.6g}").replace("-", MINUS)
    inches = steps is INCHES
    count = round(place / INCH) if inches else round(place)
    number = f"{count:d}".replace("-", MINUS)
    if inches:
        return sheet.words("inches", number=number)
    return f"{number} mm" if count == 0 and named else number


def room_round(box: Box, width: float, tallest: float) -> Box:
    """The rectangle with room for numbers on all four sides, for `Sheet.frame`, on a page of a width and a greatest
    height, mm.

    >>> [round(edge, 1) for edge in room_round((0.0, 0.0, 760.0, 100.0), 90.0, 100.0)]
    [-70.0, -70.0, 830.0, 170.0]
    """
    left, bottom, right, top = box
    unit = max((right - left) / (width - 2 * NUMBERS_MARGIN_MM), (top - bottom) / (tallest - 2 * NUMBERS_MARGIN_MM))
    room = NUMBERS_MARGIN_MM * unit
    return left - room, bottom - room, right + room, top + room


class AreaStyle(TypedDict, total=False):
    """How an area is drawn; nothing of it is required. The hatch, as matplotlib spells it, is in the colour of the
    edge, the width of the outline in points, `THIN_LINE_PT` by default, alpha of the fill alone; ``mark`` is the id in
    SVG.
    """

    fill: str | None
    edge: str | None
    hatch: str | None
    width: float
    dashes: str
    alpha: float
    zorder: float
    mark: str | None


def area(sheet: Sheet, corners: Any, **style: Unpack[AreaStyle]) -> None:
    """A polygon with corners (n, 2)."""
    areas(sheet, [corners], **style)


def rectangle(sheet: Sheet, left: float, bottom: float, right: float, top: float, **style: Unpack[AreaStyle]) -> None:
    """An upright rectangle."""
    area(sheet, [(left, bottom), (right, bottom), (right, top), (left, top)], **style)


def areas(sheet: Sheet, rings: Sequence[Any], **style: Unpack[AreaStyle]) -> None:
    """Several polygons (n, 2) as one shape, which is much faster than one by one."""
    outlines = tuple(np.asarray(ring, dtype=np.float64) for ring in rings)
    fill, edge, hatch, width = (
        style.get("fill"),
        style.get("edge"),
        style.get("hatch"),
        style.get("width", THIN_LINE_PT),
    )
    layers: list[dict[str, Any]] = []
    if fill is not None:
        layers.append({"facecolor": fill, "edgecolor": "none", "linewidth": 0.0, "alpha": style.get("alpha", 1.0)})
    if hatch is not None:
        layers.append({"facecolor": "none", "edgecolor": edge, "linewidth": 0.0, "hatch": hatch})
    if edge is not None and width > 0.0:
        dashes = style.get("dashes", "-")
        layers.append({"facecolor": "none", "edgecolor": edge, "linewidth": width, "linestyle": dashes})
    for number, layer in enumerate(layers):
        mark = None if number else style.get("mark")
        shape(sheet, outlines, layer.pop("facecolor"), layer.pop("edgecolor"), style.get("zorder", 2.0), mark, **layer)


def shape(
    sheet: Sheet, rings: Rings, fill: str, edge: str, zorder: float, mark: str | None = None, **options: Any
) -> None:
    """Fills outlines in the frame's units, but for their holes; options are as of a matplotlib patch."""
    if rings:
        style = {"linewidth": THIN_LINE_PT, "joinstyle": "round", **options}
        patch = plotting.patches.PathPatch(path_of(rings), facecolor=fill, edgecolor=edge, zorder=zorder, **style)
        sheet.axes.add_artist(patch).set_gid(mark)  # a frame is set, for which add_patch would measure every point


def disc(sheet: Sheet, centre: tuple[float, float], radius: float, **style: Unpack[AreaStyle]) -> None:
    """A disc, or a circle."""
    turn = np.linspace(0.0, 2.0 * np.pi, 180, endpoint=False)
    area(sheet, np.array(centre) + radius * np.column_stack([np.cos(turn), np.sin(turn)]), **style)


class LineStyle(TypedDict, total=False):
    """How a line is drawn; nothing of it is required. The width, in points, is `LINE_PT` by default; ``mark`` is the id
    in SVG.
    """

    width: float
    dashes: Any
    zorder: float
    mark: str | None


def line(sheet: Sheet, start: Any, end: Any, colour: str, **style: Unpack[LineStyle]) -> None:
    """A straight line between two points."""
    (x, y), (to_x, to_y) = start, end
    look: dict[str, Any] = {"linewidth": style.get("width", LINE_PT), "linestyle": style.get("dashes", "-")}
    shape = plotting.lines.Line2D([x, to_x], [y, to_y], color=colour, zorder=style.get("zorder", 10.0), **look)
    sheet.axes.add_artist(shape).set_gid(style.get("mark"))


def lines(sheet: Sheet, ends: Any, colour: str, *, width: float = LINE_PT, zorder: float = 10.0) -> None:
    """Straight lines (n, 2, 2), from where to where, as one shape."""
    points = np.asarray(ends, dtype=np.float64).reshape(-1, 2)
    codes = np.resize([plotting.path.Path.MOVETO, plotting.path.Path.LINETO], len(points))
    path = plotting.path.Path(points, codes)
    look: dict[str, Any] = {"edgecolor": colour, "linewidth": width, "capstyle": "round"}
    sheet.axes.add_artist(plotting.patches.PathPatch(path, facecolor="none", zorder=zorder, **look))


def arrow(sheet: Sheet, start: Any, end: Any, colour: str, heads: str = "-|>", **style: Unpack[LineStyle]) -> None:
    """A line with a head at its end, or at both where ``heads`` is ``<|-|>``."""
    look: dict[str, Any] = {"linewidth": style.get("width", LINE_PT), "zorder": style.get("zorder", 10.0)}
    look |= {"arrowstyle": f"{heads},head_length=3,head_width=1.4", "shrinkA": 0.0, "shrinkB": 0.0}
    shape = plotting.patches.FancyArrowPatch(tuple(start), tuple(end), color=colour, joinstyle="miter", **look)
    sheet.axes.add_artist(shape).set_gid(style.get("mark"))


def cross(sheet: Sheet, at: Any, colour: str, *, size: float = 1.3, zorder: float = 12.0) -> None:
    """A cross where something ends; its arms are ``size`` mm long on paper."""
    reach = sheet.paper(size)
    for sign in (1.0, -1.0):
        step = np.array([reach, sign * reach]) * 0.7071
        for colour_of, width in ((sheet.style.paper, 3.2), (colour, 1.6)):
            line(sheet, np.asarray(at) - step, np.asarray(at) + step, colour_of, width=width, zorder=zorder)


def short(sheet: Sheet, name: str) -> str:
    """A name as a legend has room for it, cut in its middle where it is long."""
    return elided(name, 0.4 * sheet.width, SMALL_PT)


def title(sheet: Sheet, verdict: Verdict) -> str:
    """The first line of a caption: attacker, target and verdict."""
    word = sheet.words.of(verdict.rules).verdict(verdict.verdict)
    return sheet.words("title", attacker=verdict.attacker, target=verdict.target, verdict=word)
