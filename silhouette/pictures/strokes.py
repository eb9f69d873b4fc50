"""DRAW: the few kinds of marks that boards and plans are made of, in the drawing's own units.

A mark's ``mark`` becomes its id in SVG, so that what a figure shows can be read back from the file. Marks are given in
the program's words, never in users'.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from silhouette.pictures.typeface import elided, printable
from silhouette.pictures.vector import LINE, SMALL, THIN, Sheet


def area(
    sheet: Sheet,
    corners: Any,
    *,
    fill: str | None = None,
    edge: str | None = None,
    hatch: str | None = None,
    width: float = THIN,
    dashes: str = "-",
    alpha: float = 1.0,
    zorder: float = 2.0,
    mark: str | None = None,
) -> None:
    """A polygon with these corners (n, 2).

    Args:
        sheet: to draw on.
        corners: of the polygon.
        fill, edge: colours, or None for none.
        hatch: as matplotlib spells it, in the edge's colour.
        width: of the outline, in points; 0 for none.
        dashes: of the outline.
        alpha: of the fill alone.
        zorder: what is higher is drawn later.
        mark: its id.
    """
    from matplotlib.patches import Polygon

    common: dict[str, Any] = {"closed": True, "zorder": zorder}
    if fill is not None:
        shape = Polygon(corners, facecolor=fill, edgecolor="none", linewidth=0.0, alpha=alpha, **common)
        sheet.axes.add_patch(shape).set_gid(mark)
        mark = None
    if hatch is not None:
        shape = Polygon(corners, facecolor="none", edgecolor=edge, linewidth=0.0, hatch=hatch, **common)
        sheet.axes.add_patch(shape).set_gid(mark)
        mark = None
    if edge is not None and width > 0.0:
        outline: dict[str, Any] = {"linewidth": width, "linestyle": dashes, "joinstyle": "round"}
        shape = Polygon(corners, facecolor="none", edgecolor=edge, **outline, **common)
        sheet.axes.add_patch(shape).set_gid(mark)


def disc(sheet: Sheet, centre: tuple[float, float], radius: float, **look: Any) -> None:
    """A disc, or a circle; its look is as of `area`."""
    turn = np.linspace(0.0, 2.0 * np.pi, 180, endpoint=False)
    area(sheet, np.array(centre) + radius * np.column_stack([np.cos(turn), np.sin(turn)]), **look)


def line(
    sheet: Sheet,
    start: Any,
    end: Any,
    colour: str,
    *,
    width: float = LINE,
    dashes: Any = "-",
    zorder: float = 10.0,
    mark: str | None = None,
) -> None:
    """A straight line between two points."""
    from matplotlib.lines import Line2D

    (x, y), (to_x, to_y) = start, end
    shape = Line2D([x, to_x], [y, to_y], color=colour, linewidth=width, linestyle=dashes, zorder=zorder)
    sheet.axes.add_line(shape).set_gid(mark)


def arrow(
    sheet: Sheet,
    start: Any,
    end: Any,
    colour: str,
    *,
    width: float = LINE,
    heads: str = "-|>",
    zorder: float = 10.0,
    mark: str | None = None,
) -> None:
    """A line with a head at its end, or at both where ``heads`` is ``<|-|>``."""
    from matplotlib.patches import FancyArrowPatch

    shape = FancyArrowPatch(
        tuple(start),
        tuple(end),
        arrowstyle=f"{heads},head_length=3,head_width=1.4",
        color=colour,
        linewidth=width,
        shrinkA=0.0,
        shrinkB=0.0,
        zorder=zorder,
        joinstyle="miter",
    )
    sheet.axes.add_patch(shape).set_gid(mark)


def cross(sheet: Sheet, at: Any, colour: str, *, size: float = 1.3, zorder: float = 12.0) -> None:
    """A cross: here something ends. Its arms are ``size`` mm long on paper."""
    reach = sheet.paper(size)
    for sign in (1.0, -1.0):
        step = np.array([reach, sign * reach]) * 0.7071
        for colour_of, width in ((sheet.style.paper, 3.2), (colour, 1.6)):
            line(sheet, np.asarray(at) - step, np.asarray(at) + step, colour_of, width=width, zorder=zorder)


def tint(colour: str, ground: str, share: float) -> str:
    """A colour mixed with the ground it lies on, ``share`` of it; all as ``#rrggbb``.

    >>> tint("#ff0000", "#ffffff", 0.5), tint("#0072b2", "#ffffff", 0.0)
    ('#ff8080', '#ffffff')
    """
    pairs = [(int(colour[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(share * one + (1.0 - share) * other):02x}" for one, other in pairs)


def short(sheet: Sheet, name: str) -> str:
    """A name as a legend has room for it, cut in its middle where it is long."""
    return elided(printable(name), 0.4 * sheet.width, SMALL)


def sentence(reason: str) -> str:
    """A verdict's reason as a caption prints it.

    >>> sentence("all lines pass: open"), sentence("")
    ('All lines pass: open.', '')
    """
    return reason[:1].upper() + reason[1:] + "." * bool(reason)
