"""DRAW: the few kinds of marks that boards and plans are made of, in the drawing's own units.

A mark's ``mark`` becomes its id in SVG, so that what a figure shows can be read back from the file. Marks are given in
the program's words, never in users'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import numpy as np

from silhouette.drawing.captions import LINE, SMALL, THIN
from silhouette.drawing.sheet import Sheet
from silhouette.drawing.table.tracing import path_of
from silhouette.drawing.typeface import elided, printable
from silhouette.rules.base import Verdict


class AreaStyle(TypedDict, total=False):
    """How an area is drawn; nothing of it is required.

    Attributes:
        fill, edge: colours; none by default.
        hatch: as matplotlib spells it, in the colour of the edge; none by default.
        width: of the outline, in points, `THIN` by default; 0 for no outline.
        dashes: of the outline, as matplotlib spells it; solid by default.
        alpha: of the fill alone, 1 by default.
        zorder: the order of drawing, 2 by default; a higher one is drawn later.
        mark: the id in SVG; none by default.
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


def areas(sheet: Sheet, rings: Sequence[Any], **style: Unpack[AreaStyle]) -> None:
    """Several polygons (n, 2) as one shape, which is much faster than one by one."""
    from matplotlib.patches import PathPatch

    path = path_of(tuple(np.asarray(ring, dtype=np.float64) for ring in rings))
    fill, edge, hatch, width = style.get("fill"), style.get("edge"), style.get("hatch"), style.get("width", THIN)
    layers: list[dict[str, Any]] = []
    if fill is not None:
        layers.append({"facecolor": fill, "edgecolor": "none", "linewidth": 0.0, "alpha": style.get("alpha", 1.0)})
    if hatch is not None:
        layers.append({"facecolor": "none", "edgecolor": edge, "linewidth": 0.0, "hatch": hatch})
    if edge is not None and width > 0.0:
        dashes = style.get("dashes", "-")
        layers.append({"facecolor": "none", "edgecolor": edge, "linewidth": width, "linestyle": dashes})
    for number, layer in enumerate(layers):
        shape = PathPatch(path, joinstyle="round", zorder=style.get("zorder", 2.0), **layer)
        sheet.axes.add_artist(shape).set_gid(None if number else style.get("mark"))


def disc(sheet: Sheet, centre: tuple[float, float], radius: float, **style: Unpack[AreaStyle]) -> None:
    """A disc, or a circle."""
    turn = np.linspace(0.0, 2.0 * np.pi, 180, endpoint=False)
    area(sheet, np.array(centre) + radius * np.column_stack([np.cos(turn), np.sin(turn)]), **style)


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
    sheet.axes.add_artist(shape).set_gid(mark)


def lines(sheet: Sheet, ends: Any, colour: str, *, width: float = LINE, zorder: float = 10.0) -> None:
    """Straight lines (n, 2, 2), from where to where, as one shape."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    points = np.asarray(ends, dtype=np.float64).reshape(-1, 2)
    path = Path(points, np.resize([Path.MOVETO, Path.LINETO], len(points)))
    look: dict[str, Any] = {"edgecolor": colour, "linewidth": width, "capstyle": "round"}
    sheet.axes.add_artist(PathPatch(path, facecolor="none", zorder=zorder, **look))


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
    sheet.axes.add_artist(shape).set_gid(mark)


def cross(sheet: Sheet, at: Any, colour: str, *, size: float = 1.3, zorder: float = 12.0) -> None:
    """A cross where something ends; its arms are ``size`` mm long on paper."""
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
    return "#" + "".join(f"{round(share * channel + (1.0 - share) * below):02x}" for channel, below in pairs)


def short(sheet: Sheet, name: str) -> str:
    """A name as a legend has room for it, cut in its middle where it is long."""
    return elided(printable(name), 0.4 * sheet.width, SMALL)


def title(sheet: Sheet, verdict: Verdict) -> str:
    """The first line of a caption: attacker, target and verdict."""
    word = sheet.words.of(verdict.rules).verdict(verdict.verdict)
    return sheet.words("title", attacker=verdict.attacker, target=verdict.target, verdict=word)
