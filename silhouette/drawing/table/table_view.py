"""DRAW: a whole table from above, without any check: each piece with name, base and facing, on a grid in inches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.common.geometry import INCH, Floats, cosine_and_sine
from silhouette.drawing.captions import BOLD_LINE_PT, THIN_LINE_PT, Swatch
from silhouette.drawing.marks import Box, draw_table_top, shape
from silhouette.drawing.sheet import Sheet
from silhouette.drawing.styles import Style, tint
from silhouette.drawing.table.sightlines import draw_facing, facing_swatch
from silhouette.drawing.table.tracing import Rings, ring_area, standing
from silhouette.scenes.table import Piece, TableScene

ROOM_ROUND = 1.5 * INCH  # the room round the pieces where the scene does not say how large its table is, mm
# mm on paper: of what is smaller there is no outline over a map, such as of the holes of a grating.
MIN_OUTLINE_MM = 2.0
OUTLINE_ZORDER = 4.5  # matplotlib's zorder of the outlines of terrain that are drawn over a map
RAISED_HEIGHT_MM = 1.0  # the height above the table, mm, from which on a name says how high its model stands


def draw_table(sheet: Sheet, scene: TableScene, *, facings: bool = True, as_ground: bool = False) -> None:
    """Draws the plan of a whole table. As the ground of a map the outlines of terrain are drawn once more, over what is
    painted on it, and models have no colours that a map may have.
    """
    box, pieces = table_box(scene), _box_round(scene, 0.0)
    shown = (*np.minimum(box[:2], pieces[:2]).tolist(), *np.maximum(box[2:], pieces[2:]).tolist())
    draw_table_top(sheet, box, shown)
    gangs = list(dict.fromkeys(piece.gang for piece in scene.pieces if piece.gang is not None))
    looks = {} if as_ground else looks_of_gangs(sheet.style, gangs)
    for piece in sorted(scene.pieces, key=lambda piece: (piece.kind != "terrain", piece.base_span)):
        _draw_piece(sheet, piece, looks, facings=facings)
        if as_ground and piece.kind == "terrain":
            large = tuple(ring for ring in outline_of(piece) if abs(ring_area(ring)) > sheet.paper(MIN_OUTLINE_MM) ** 2)
            shape(sheet, large, "none", sheet.style.ink, OUTLINE_ZORDER)
    for piece in sorted(scene.pieces, key=lambda piece: piece.kind == "terrain"):
        _name(sheet, scene, piece)
    for gang, look in looks.items():
        sheet.legend(Swatch(gang, look.colour, sheet.style.ink, dashes=look.dashes))
    models = [piece for piece in scene.pieces if piece.kind != "terrain"]
    if facings and any(piece.facing is not None for piece in models):
        edges = {sheet.style.model_edge if piece.gang not in looks else sheet.style.ink for piece in models}
        sheet.legend(facing_swatch(sheet, min(edges, key=(sheet.style.ink, sheet.style.model_edge).index)))
    if len(models) < len(scene.pieces):
        sheet.legend(Swatch(sheet.words("terrain"), sheet.style.terrain, sheet.style.terrain_edge))
    sheet.caption(scene.title or scene.path.stem, "")


def table_box(scene: TableScene) -> Box:
    """The rectangle of the table, mm: the scene's own, or the box round all pieces with some room, in whole inches."""
    if scene.table is not None:
        (west, south), (east, north) = scene.table_top.tolist()
        return west, south, east, north
    left, bottom, right, top = (edge / INCH for edge in _box_round(scene, ROOM_ROUND))
    return INCH * math.floor(left), INCH * math.floor(bottom), INCH * math.ceil(right), INCH * math.ceil(top)


def _box_round(scene: TableScene, room: float) -> Box:
    """The rectangle round all pieces, with some room, mm; of a table without pieces one round the origin."""
    points = [points_of(piece) for piece in scene.pieces]
    every = np.concatenate([*points, np.zeros((0 if points else 1, 2))])
    low, high = every.min(axis=0) - room, every.max(axis=0) + room
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


@dataclass(frozen=True)
class GangLook:
    """How the models of a gang look: their colour, and the dashes of the rims of their bases, as matplotlib spells
    them, which tell gangs apart without any colour.
    """

    colour: str
    dashes: str | tuple[float, tuple[float, ...]] = "-"


RIM_DASHES = ("-", (0.0, (3.0, 1.2)), (0.0, (1.0, 0.9)), (0.0, (4.0, 0.9, 1.0, 0.9)))
"""The rims of bases: whole, dashed, dotted, dashed and dotted; in widths of the line."""


def looks_of_gangs(style: Style, gangs: Sequence[str]) -> dict[str, GangLook]:
    """The looks of gangs, sixteen before one comes again, as on the live table: Okabe and Ito's colours that stand for
    no part of a target.

    >>> from silhouette.drawing.styles import PRINT
    >>> looks = looks_of_gangs(PRINT, [f"gang {number}" for number in range(17)])
    >>> len(set(looks.values())), looks["gang 16"] == looks["gang 0"], looks_of_gangs(PRINT, [])
    (16, True, {})
    """
    # Darker than Okabe and Ito have it: to some eyes their green is their purple.
    colours = (tint(style.green, "#000000", 0.8), style.purple, style.yellow, style.paper)
    count = len(RIM_DASHES)
    return {
        gang: GangLook(colours[(number + number // count) % len(colours)], RIM_DASHES[number % count])
        for number, gang in enumerate(gangs)
    }


def _draw_piece(sheet: Sheet, piece: Piece, looks: Mapping[str, GangLook], *, facings: bool) -> None:
    style = sheet.style
    if piece.kind == "terrain":
        shape(sheet, outline_of(piece), style.terrain, style.terrain_edge, 3.0)
        return
    look = looks.get(piece.gang or "")
    if look is None:
        draw_model(sheet, piece, style.model, style.model_edge, facing=facings)
    else:
        draw_model(sheet, piece, look.colour, style.ink, facing=facings, dashes=look.dashes)
    steps = np.linspace(0.2, 1.0, 4)[:, None, None]
    sheet.avoid(piece.base_centre + steps * (piece.base_outline - piece.base_centre))


def draw_model(
    sheet: Sheet,
    piece: Piece,
    fill: str,
    edge: str,
    *,
    facing: bool,
    dashes: str | tuple[float, tuple[float, ...]] = "-",
) -> None:
    """Draws a model in plan, in these colours: its base, whose rim may be dashed, its body, and where it faces, where
    that is known.
    """
    base = piece.base_outline
    shape(sheet, (base,), sheet.style.paper, edge, 5.0, linewidth=BOLD_LINE_PT, linestyle=dashes)
    shape(sheet, outline_of(piece), fill, edge, 5.2, linewidth=THIN_LINE_PT)
    if facing and piece.facing is not None:
        draw_facing(sheet, base, piece.base_centre, np.array(cosine_and_sine(piece.facing)), edge, 5.3)


def points_of(piece: Piece) -> Floats:
    """(n, 2) points of a piece in plan, which its outline does not leave, mm in the world."""
    points: Floats = piece.whole_box[:, :2]
    return points if piece.kind == "terrain" else np.concatenate([points, piece.base_outline])


def outline_of(piece: Piece) -> Rings:
    """The outline of what counts of a model, or of all of a piece of terrain, mm in the world."""
    return standing(piece.pose, piece.model.mesh if piece.kind == "terrain" else piece.model.significant)


def _name(sheet: Sheet, scene: TableScene, piece: Piece) -> None:
    text, stands = piece.name, piece.base_span[0]
    if piece.kind != "terrain" and abs(stands) >= RAISED_HEIGHT_MM:
        inches = scene.unit_of_places == "inch"
        text += " " + sheet.words("inches", number=f"{stands / INCH:+.1f}") if inches else f" {stands:+.0f} mm"
    sheet.name(text, points_of(piece), bold=piece.kind != "terrain", inside=piece.kind == "terrain")
